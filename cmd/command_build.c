// gcdc build: a manifest's grammars and tokenizers become artifacts, those that are not up to date.
//
// In:  gcdc.yaml and the files that it names. Out: artifacts, each whole or not there (build_run.c); or a file for
// Ninja (build_ninja.c). On stderr what is wrong, with the manifest's line.
// Cost when nothing is to be done: a pass of XXH3 over all inputs, and a look at each artifact's name.
#include <unistd.h>

#include "base/file.h"
#include "build_check.h"
#include "build_folder.h"
#include "build_list.h"
#include "build_ninja.h"
#include "build_run.h"
#include "cli.h"
#include "options.h"

#define ME "build"

struct arguments {
	const char *manifest, *output, *only, *check, *stamp, *expect, *of, *vocab, *staged, *shard, *merge;
	struct number jobs;
	bool ninja, list, json, keep_going, verbose, quiet;
};

// What Ninja waits for, and a line of the record where the plan knows all that the artifact is made of.
static int write_stamp(struct build *b, const struct arguments *a, const struct plan_artifact *artifact,
                       const char *digest, struct diag *d)
{
	const char *text = arena_printf(&b->arena, "checks %s\nartifact %s\n", digest, a->of ? a->of : "unknown");
	const struct record_line line = {
		.of = a->of, .check = digest, .sum = RECORD_NO_SUM, .path = build_from_output(b, artifact->output)};
	if (a->of && !record_append(b->plan.output, &line, d)) return CODE_IO;
	return file_replace(a->stamp, text, strlen(text), d) ? CODE_OK : CODE_IO;
}

// One step of Ninja's build: an artifact's checks. When they pass, the staged file takes the artifact's place, and the
// stamp says so.
static int run_check(struct build *b, const struct arguments *a)
{
	const struct plan_artifact *artifact = NULL;
	for (uint32_t i = 0; i < b->plan.artifacts.n; i++)
		if (!strcmp(b->plan.artifacts.at[i].name, a->check)) artifact = &b->plan.artifacts.at[i];
	if (!artifact) return cli_error(CODE_USAGE, ME, "the manifest has no artifact '%s'", a->check);
	char digest[DIGEST_HEX];
	build_check_digest(artifact, digest);
	if (a->expect && !digest_is_expected(ME, a->check, a->expect, digest)) return CODE_DATA;
	gcdc_artifact *opened;
	const char *path = a->staged ? a->staged : artifact->output;
	int code = cli_open(ME, path, a->vocab, &opened);
	if (code) return code;
	code = build_check(artifact, opened, path);
	gcdc_artifact_close(opened);
	struct diag d = {0};
	if (!code && a->staged && !file_publish(a->staged, artifact->output, UINT32_MAX, &d)) code = CODE_IO;
	if (!code && a->stamp) code = write_stamp(b, a, artifact, digest, &d);
	diag_print(&d, stderr);
	diag_release(&d);
	return code;
}

// What runs and what it is about; an exit code.
static int run_steps(struct build *b, const struct arguments *a)
{
	struct build_run run = {.only = a->only,
	                        .merge = a->merge,
	                        .jobs = a->jobs.given ? (uint32_t)a->jobs.value : 0,
	                        .keep_going = a->keep_going,
	                        .verbose = a->verbose,
	                        .quiet = a->quiet};
	if (a->shard && !build_shard_parse(a->shard, &run.shard))
		return cli_error(CODE_USAGE, ME, "--shard is I/N, part I of N (1/4), not '%s'", a->shard);
	return build_run(b, &run);
}

static int run_build(struct build *b, const struct arguments *a)
{
	int lock;
	build_digest(b);
	int code = build_folder_take(b, &lock);
	if (!code && a->ninja) {
		code = build_write_ninja(b);
		if (!code && !a->quiet) printf("%s\n", build_ninja_file(b));
	} else if (!code) {
		code = run_steps(b, a);
	}
	if (lock >= 0) close(lock);
	return code;
}

// Branches: an option for each of what a build can be asked for.
int command_build(int argc, char **argv)
{
	struct arguments a = {.manifest = "gcdc.yaml"};
	const struct positional positionals[] = {
		{"MANIFEST", POSITIONAL_OPTIONAL, &a.manifest, "what to build (gcdc.yaml); docs/build.md has its notation"},
	};
	const struct option_spec options[] = {
		FILE_OPTION("output", &a.output, "FOLDER", "where the artifacts go, instead of the manifest's\noutput",
	                .letter = 'o'),
		NUMBER_OPTION("jobs", &a.jobs, "N", 1, 4096, "processes at once (default: one a processor)", .letter = 'j'),
		TEXT_OPTION("only", &a.only, "PATTERN", "of the artifacts those whose name matches, such as\n'json-*'"),
		TEXT_OPTION("shard", &a.shard, "I/N", "of the artifacts part I of N, for builds on several\nmachines"),
		FILE_OPTION("merge", &a.merge, "FOLDER",
	                "take what is not up to date from the output folders in\nFOLDER; all of it must be there"),
		FLAG_OPTION("keep-going", &a.keep_going, "after a step has failed do the others all the same", .letter = 'k'),
		FLAG_OPTION("list", &a.list, "only show the artifacts: name, file, options"),
		FLAG_OPTION("json", &a.json, "with --list: files, options and checks, as JSON"),
		FLAG_OPTION("ninja", &a.ninja,
	                "only write FOLDER/build.ninja, for Ninja or for what\nruns its steps on many machines"),
		FLAG_OPTION("verbose", &a.verbose, "show the commands", .letter = 'v'),
		FLAG_OPTION("quiet", &a.quiet, "only what is wrong", .letter = 'q'),
		TEXT_OPTION("check", &a.check, "NAME", "a step of the build: only this artifact's checks"),
		FILE_OPTION("staged", &a.staged, "FILE",
	                "with --check: check FILE; when all pass it takes the\nartifact's place"),
		FILE_OPTION("stamp", &a.stamp, "FILE", "with --check: written when all pass"),
		TEXT_OPTION("of", &a.of, "DIGEST", "with --check: of what the artifact is made of; noted\nin the stamp"),
		FILE_OPTION("vocab", &a.vocab, "FILE.gcdv", "with --check: for an artifact without tokens"),
		TEXT_OPTION("expect", &a.expect, "DIGEST",
	                "with --check: fail when what is checked is not what\nthe build was planned with"),
	};
	const struct usage usage =
		USAGE(ME, "Builds the artifacts of a manifest, those that are not up to date.", positionals, options,
	          "The contents of files decide what is built anew, not their times.");
	int code;
	if (!options_read(&usage, argc, argv, &code)) return code;
	if (a.json && !a.list) return cli_error(CODE_USAGE, ME, "--json is for --list");
	if (!a.check && (a.staged || a.stamp || a.of || a.vocab || a.expect))
		return cli_error(CODE_USAGE, ME, "--staged, --stamp, --of, --vocab and --expect are for --check");
	struct build b;
	code = build_load(&b, a.manifest, &a.output, &a.merge);
	if (!code && a.check) {
		code = run_check(&b, &a);
	} else if (!code && a.list) {
		a.json ? build_list_json(&b) : build_list(&b);
	} else if (!code) {
		code = run_build(&b, &a);
	}
	build_release(&b);
	return code;
}
