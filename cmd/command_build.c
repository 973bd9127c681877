// gcdc build: a manifest's grammars and tokenizers become artifacts, those that are not up to date.
//
// In:  gcdc.yaml and the files that it names. Out: artifacts, each whole or not there; Ninja runs the steps
// (build_ninja.c says how contents, not times, decide). On stderr what is wrong, with the manifest's line.
// Cost when nothing is to be done: a pass of XXH3 over all inputs, and Ninja's start.
#include <errno.h>
#include <fnmatch.h>
#include <unistd.h>

#include "base/file.h"
#include "build_check.h"
#include "build_folder.h"
#include "build_ninja.h"
#include "cli.h"
#include "options.h"

#define ME "build"

struct arguments {
	const char *manifest, *output, *only, *check, *stamp, *expect, *of, *vocab, *staged;
	struct number jobs;
	bool ninja, list, keep_going, verbose, quiet;
};

// One step of a build: an artifact's checks. When they pass, the staged file takes the artifact's place, and the stamp
// says so.
static int run_check(struct build *b, const struct arguments *a)
{
	const struct plan_artifact *artifact = NULL;
	for (uint32_t i = 0; i < b->plan.artifacts.n; i++)
		if (!strcmp(b->plan.artifacts.at[i].name, a->check)) artifact = &b->plan.artifacts.at[i];
	if (!artifact) return cli_error(CODE_USAGE, ME, "the manifest has no artifact '%s'", a->check);
	char digest[DIGEST_HEX];
	build_check_digest(artifact, digest);
	if (a->expect && !digest_is_expected(ME, a->check, a->expect, digest)) return CODE_DATA;
	int code = build_check(artifact, a->staged ? a->staged : artifact->output, a->vocab);
	struct diag d = {0};
	if (!code && a->staged && !file_publish(a->staged, artifact->output, UINT32_MAX, &d)) code = CODE_IO;
	if (code || !a->stamp) {
		diag_print(&d, stderr);
		diag_release(&d);
		return code;
	}
	const char *text = arena_printf(&b->arena, "checks %s\nartifact %s\n", digest, a->of ? a->of : "unknown");
	if (!file_replace(a->stamp, text, strlen(text), &d)) code = CODE_IO;
	diag_print(&d, stderr);
	diag_release(&d);
	return code;
}

static void print_list(struct build *b)
{
	for (uint32_t i = 0; i < b->plan.artifacts.n; i++) {
		const struct plan_artifact *a = &b->plan.artifacts.at[i];
		word_list words = {0};
		plan_option_words(&b->arena, a->options, &words);
		printf("%s\t%s", a->name, a->output);
		for (uint32_t k = 0; k < words.n; k++) printf("%s%s", k ? " " : "\t", words.at[k]);
		putchar('\n');
		vec_release(&words);
	}
}

static void tell_artifact(const struct plan_artifact *a)
{
	uint32_t accept = 0, refuse = 0, limits = 0;
	for (uint32_t i = 0; i < a->checks.texts.n; i++) *(a->checks.texts.at[i].accept ? &accept : &refuse) += 1;
	for (uint32_t i = 0; i < N_CHECK_LIMITS; i++) limits += a->checks.limits[i].given;
	printf("built %s", a->output);
	if (accept) printf(", %u text%s accepted", accept, cli_s(accept));
	if (refuse) printf(", %u text%s refused", refuse, cli_s(refuse));
	if (limits) printf(", %u limit%s kept", limits, cli_s(limits));
	puts(accept + refuse + limits ? "" : ", without checks");
}

static void tell_built(const struct build *b, const struct ninja_done *done, uint32_t n, uint32_t n_checks)
{
	for (uint32_t i = 0; i < b->plan.artifacts.n; i++)
		for (uint32_t k = 0; k < done->built.n; k++)
			if (!strcmp(done->built.at[k], b->plan.artifacts.at[i].name)) tell_artifact(&b->plan.artifacts.at[i]);
	uint32_t built = done->built.n, checked = done->n_checked;
	printf("%s: %u artifact%s: %u built, %u up to date; %u checked now, %u before, %u without checks\n", b->plan.output,
	       n, cli_s(n), built, n - built, checked, n_checks - checked, n - n_checks);
}

static int run_ninja(struct build *b, const struct arguments *a, bool steps_changed)
{
	VEC(const char *) targets = {0};
	uint32_t n_checked = 0;
	for (uint32_t i = 0; i < b->plan.artifacts.n; i++) {
		const struct plan_artifact *artifact = &b->plan.artifacts.at[i];
		if (a->only && fnmatch(a->only, artifact->name, 0)) continue;
		if (a->only) vec_push(&targets, artifact->name);
		n_checked += build_has_checks(artifact);
	}
	uint32_t n = a->only ? targets.n : b->plan.artifacts.n;
	struct ninja_run run = {.file = build_steps_file(b),
	                        .keep_going = a->keep_going,
	                        .verbose = a->verbose,
	                        .quiet = a->quiet,
	                        .targets = targets.at,
	                        .n_targets = targets.n};
	if (a->jobs.given) run.jobs = arena_printf(&b->arena, "%llu", (unsigned long long)a->jobs.value);
	int code =
		n ? CODE_OK : cli_error(CODE_USAGE, ME, "no artifact's name matches --only %s; --list shows them", a->only);
	// What the manifest no longer makes goes away: Ninja's log knows it.
	if (!code && steps_changed) code = ninja_run(&(struct ninja_run){.file = run.file, .tool = "cleandead"}, NULL);
	struct ninja_done done = {.arena = &b->arena};
	if (!code) code = ninja_run(&run, &done);
	if (!code && !a->quiet)
		tell_built(b, &done, n, n_checked);
	else if (code && done.n_failed)
		cli_error(code, ME, "%u step%s failed; %u artifact%s built", done.n_failed, cli_s(done.n_failed), done.built.n,
		          cli_s(done.built.n));
	vec_release(&done.built);
	vec_release(&targets);
	return code;
}

int command_build(int argc, char **argv)
{
	struct arguments a = {.manifest = "gcdc.yaml"};
	const struct positional positionals[] = {
		{"MANIFEST", POSITIONAL_OPTIONAL, &a.manifest, "what to build (gcdc.yaml); docs/build.md has its notation"},
	};
	const struct option_spec options[] = {
		{.name = "output",
	     .letter = 'o',
	     .kind = OPTION_FILE,
	     .to = &a.output,
	     .value = "FOLDER",
	     .help = "where the artifacts go, instead of the manifest's\noutput"},
		{.name = "jobs",
	     .letter = 'j',
	     .kind = OPTION_NUMBER,
	     .to = &a.jobs,
	     .value = "N",
	     .least = 1,
	     .most = 4096,
	     .help = "steps at once (default: Ninja's, by the processors)"},
		{.name = "only",
	     .kind = OPTION_TEXT,
	     .to = &a.only,
	     .value = "PATTERN",
	     .help = "of the artifacts those whose name matches, such as\n'json-*'"},
		{.name = "keep-going",
	     .letter = 'k',
	     .kind = OPTION_FLAG,
	     .to = &a.keep_going,
	     .help = "after a step has failed do the others all the same"},
		{.name = "list", .kind = OPTION_FLAG, .to = &a.list, .help = "only show the artifacts: name, file, options"},
		{.name = "ninja",
	     .kind = OPTION_FLAG,
	     .to = &a.ninja,
	     .help = "only write FOLDER/build.ninja, for Ninja or for what\nruns its steps on many machines"},
		{.name = "verbose", .letter = 'v', .kind = OPTION_FLAG, .to = &a.verbose, .help = "show the commands"},
		{.name = "quiet", .letter = 'q', .kind = OPTION_FLAG, .to = &a.quiet, .help = "only what is wrong"},
		{.name = "check",
	     .kind = OPTION_TEXT,
	     .to = &a.check,
	     .value = "NAME",
	     .help = "a step of the build: only this artifact's checks"},
		{.name = "staged",
	     .kind = OPTION_FILE,
	     .to = &a.staged,
	     .value = "FILE",
	     .help = "with --check: check FILE; when all pass it takes the\nartifact's place"},
		{.name = "stamp",
	     .kind = OPTION_FILE,
	     .to = &a.stamp,
	     .value = "FILE",
	     .help = "with --check: written when all pass"},
		{.name = "of",
	     .kind = OPTION_TEXT,
	     .to = &a.of,
	     .value = "DIGEST",
	     .help = "with --check: of what the artifact is made of; noted\nin the stamp"},
		{.name = "vocab",
	     .kind = OPTION_FILE,
	     .to = &a.vocab,
	     .value = "FILE.gcdv",
	     .help = "with --check: for an artifact without tokens"},
		{.name = "expect",
	     .kind = OPTION_TEXT,
	     .to = &a.expect,
	     .value = "DIGEST",
	     .help = "with --check: fail when what is checked is not what\nthe build was planned with"},
	};
	const struct usage usage = {.command = ME,
	                            .about = "Builds the artifacts of a manifest, those that are not up to date.",
	                            USAGE_TABLES(positionals, options),
	                            .notes = "The contents of files decide what is built anew, not their times."};
	int code;
	if (!options_read(&usage, argc, argv, &code)) return code;
	struct build b;
	code = build_load(&b, a.manifest, a.output);
	if (!code && a.check) {
		code = run_check(&b, &a);
	} else if (!code && a.list) {
		print_list(&b);
	} else if (!code) {
		int lock;
		bool changed = false;
		build_digest(&b);
		code = build_folder_take(&b, &lock);
		if (!code) code = build_write_ninja(&b, &changed);
		if (!code && a.ninja && !a.quiet) printf("%s\n", build_ninja_file(&b));
		if (!code && !a.ninja) code = run_ninja(&b, &a, changed);
		if (lock >= 0) close(lock);
	}
	build_release(&b);
	return code;
}
