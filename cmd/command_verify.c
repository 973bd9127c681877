// gcdc verify: is an artifact whole, and what was it made from?
//
// In:  an artifact; with --against a grammar and a tokenizer. Out: an exit code, and what differs.
// Whole: all that opening checks, every checksum and every index, and the provenance's checksum. Made from these files:
// the SHA-256 of each file that provenance names; without provenance, the hashes of language and vocabulary in the
// header. Where bytes differ it is said whether the language or the vocabulary does, too.
#include "cli.h"
#include "options.h"
#include "schema_option.h"
#include "api/api.h"
#include "api/provenance.h"
#include "tokenizer_path.h"
#include "verify_folder.h"

#include <stdarg.h>
#include <sys/stat.h>

#define ME "verify"

struct verification {
	const char *path, *grammar, *tokenizer, *vocab, *start, *indent, *import_path, *key;
	bool against, show, quiet;
	gcdc_info info;
	struct provenance provenance;
	bool has_provenance;
	struct arena arena;
	uint32_t n_different;
};

static void differs(struct verification *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void differs(struct verification *v, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	char *text = NULL;
	size_t len;
	FILE *f = text_stream(&text, &len);
	vfprintf(f, fmt, args);
	fclose(f);
	va_end(args);
	v->n_different++;
	cli_error(0, ME, "%s: %s", v->path, text);
	free(text);
}

static const struct provenance_file *find(const provenance_list *files, enum provenance_role role, const char *name)
{
	for (uint32_t i = 0; i < files->n; i++)
		if (files->at[i].role == role && !strcmp(files->at[i].name, name)) return &files->at[i];
	return NULL;
}

// Each file here against the provenance, and the reverse. Files of one name (in two folders) are told apart by their
// place among those of the name: both lists are in the order of reading.
// Branches: files of one name are told apart by their order, here and in the provenance.
static void compare_files(struct verification *v, const provenance_list *here, enum provenance_role role)
{
	const char *of = role == ROLE_GRAMMAR ? "grammar" : "tokenizer";
	bool taken[256] = {false};
	const provenance_list *there = &v->provenance.files;
	for (uint32_t i = 0; i < here->n; i++) {
		const struct provenance_file *x = &here->at[i], *other = NULL;
		for (uint32_t k = 0; k < there->n && k < sizeof taken && !other; k++)
			if (!taken[k] && there->at[k].role == role && !strcmp(there->at[k].name, x->name))
				other = &there->at[k], taken[k] = true;
		if (!other)
			differs(v, "made without %s, which is part of the %s here", x->name, of);
		else if (strcmp(other->sha256, x->sha256))
			differs(v, "%s is another one: the artifact's has the SHA-256\n  %s, this one\n  %s", x->name,
			        other->sha256, x->sha256);
	}
	for (uint32_t k = 0; k < there->n && k < sizeof taken; k++)
		if (!taken[k] && there->at[k].role == role && !find(here, role, there->at[k].name))
			differs(v, "made with %s, which is no part of the %s here", there->at[k].name, of);
}

static const char *option(struct verification *v, const char *given, const char *name)
{
	return given ? given : provenance_option(&v->arena, v->provenance.options, name, NULL);
}

static int against_grammar(struct verification *v, const struct control_tokens *control)
{
	struct diag d = {0};
	struct grammar g = {0};
	source_list sources = {0};
	provenance_list here = {0};
	const struct grammar_options o = {.start = option(v, v->start, "start"),
	                                  .indent = option(v, v->indent, "indent"),
	                                  .import_folder = v->import_path,
	                                  .sources = &sources,
	                                  .control = control,
	                                  .nested = &front_nested};
	if (!cli_readable(ME, v->grammar)) return CODE_IO;
	const char *blanks = option(v, NULL, "blanks"), *indentation = option(v, NULL, "indentation");
	struct schema_option schema = {.from = option(v, NULL, "from"),
	                               .pointer = option(v, NULL, "pointer"),
	                               .order = option(v, NULL, "order"),
	                               .space = option(v, NULL, "space"),
	                               .additional = option(v, NULL, "additional"),
	                               .escapes = option(v, NULL, "escapes"),
	                               .allow_unenforced = option(v, NULL, "allow-unenforced"),
	                               .unique = option(v, NULL, "unique"),
	                               .profile = option(v, NULL, "profile"),
	                               .format = option(v, NULL, "format"),
	                               .schemas = option(v, NULL, "schemas"),
	                               .preset = option(v, NULL, "preset"),
	                               .choice = option(v, NULL, "choice"),
	                               .reasoning = option(v, NULL, "reasoning")};
	if (blanks) schema.blanks = (struct number){true, strtoull(blanks, NULL, 10)};
	if (indentation) schema.indentation = (struct number){true, strtoull(indentation, NULL, 10)};
	bool ok = load_grammar_or_schema(v->grammar, &schema, &o, &d, &g);
	diag_print(&d, stderr);
	uint32_t before = v->n_different;
	provenance_grammar(&sources, &v->arena, &here);
	if (v->has_provenance) compare_files(v, &here, ROLE_GRAMMAR);
	if (ok) {
		bool same = !memcmp(g.hash, v->info.grammar_hash, sizeof g.hash);
		if (!same)
			differs(v, "compiled from another grammar than %s: the rules or terminals are not the same", v->grammar);
		else if (v->n_different > before)
			cli_note(ME, "the rules and terminals are the same: only comments, layout or names changed");
	}
	grammar_release(&g);
	vec_release(&sources), vec_release(&here);
	diag_release(&d);
	return ok ? CODE_OK : CODE_DATA;
}

// The tokenizer, with the options of the provenance.
static int load_tokenizer(const struct verification *v, struct arena *arena, struct vocab *vocab)
{
	uint32_t eos[OPTIONS_MAX_IDS];
	const char *names[OPTIONS_MAX_IDS], *from = NULL, *text, *options = v->provenance.options;
	struct vocab_options o = {.eos = eos, .eos_names = names};
	while (o.n_eos + o.n_eos_names < OPTIONS_MAX_IDS && (text = provenance_option(arena, options, "eos", &from))) {
		if (strspn(text, "0123456789") == strlen(text))
			eos[o.n_eos++] = (uint32_t)strtoul(text, NULL, 10);
		else
			names[o.n_eos_names++] = text;
	}
	if (options && strstr(options, "--no-eos\n")) o.ends = VOCAB_ENDS_NONE;
	text = provenance_option(arena, v->provenance.options, "vocab-size", NULL);
	o.vocab_size = text ? (uint32_t)strtoul(text, NULL, 10) : 0;
	return tokenizer_load(ME, v->tokenizer, &o, vocab);
}

static int against_tokenizer(struct verification *v, const struct vocab *vocab)
{
	const char *name = v->tokenizer ? v->tokenizer : "the built-in tokenizer";
	int code = CODE_OK;
	bool same = !memcmp(vocab->hash, v->info.vocab_hash, sizeof vocab->hash);
	uint32_t before = v->n_different;
	provenance_list here = {0};
	if (v->has_provenance) {
		const char *path = v->tokenizer ? tokenizer_file(ME, v->tokenizer, &v->arena) : NULL;
		if (vocab->origin)
			provenance_read_origin(&v->arena, vocab->origin, &here);
		else if (!tokenizer_provenance(ME, path, &v->arena, &here))
			code = CODE_IO;
		if (!code) compare_files(v, &here, ROLE_TOKENIZER);
	}
	if (!code && !same)
		differs(v, "compiled for another vocabulary than that of %s", name);
	else if (!code && v->n_different > before)
		cli_note(ME, "tokens and EOS are the same: the masks are right for it");
	vec_release(&here);
	return code;
}

static void print_summary(const struct verification *v)
{
	printf("%s: whole, %llu bytes\n", v->path, (unsigned long long)v->info.file_size);
	if (!v->has_provenance) {
		puts("  no provenance ('gcdc compile --provenance' puts it in)");
		return;
	}
	printf("  made by gcdc %s with zstd %s from\n", v->provenance.version ? v->provenance.version : "?",
	       v->provenance.zstd ? v->provenance.zstd : "?");
	for (uint32_t i = 0; i < v->provenance.files.n; i++)
		printf("    %s  %s\n", v->provenance.files.at[i].sha256, v->provenance.files.at[i].name);
	for (const char *at = v->provenance.options; *at;) {
		size_t n = strcspn(at, "\n");
		printf("  %.*s\n", (int)n, at);
		at += n + (at[n] == '\n');
	}
}

static int verify(struct verification *v)
{
	gcdc_artifact *artifact;
	const char *wrong;
	int code = cli_open(ME, v->path, v->vocab, &artifact);
	if (code) return code;
	gcdc_artifact_info(artifact, &v->info);
	gcdc_artifact_close(artifact);
	v->has_provenance = provenance_read(v->path, &v->arena, &v->provenance, &wrong);
	if (wrong) return cli_error(CODE_DATA, ME, "%s: %s", v->path, wrong);
	if (v->show) {
		if (!v->has_provenance) return cli_error(CODE_NO, ME, "%s has no provenance", v->path);
		fputs(v->provenance.text, stdout);
	} else if (!v->quiet && !v->against) {
		print_summary(v);
	}
	if (!v->against) return CODE_OK;
	struct vocab vocab;
	if ((code = load_tokenizer(v, &v->arena, &vocab))) return code;
	const struct control_tokens control = front_control(&vocab, &v->arena);
	code = against_grammar(v, &control);
	if (!code) code = against_tokenizer(v, &vocab);
	vocab_release(&vocab);
	if (code) return code;
	if (v->n_different) return CODE_NO;
	if (!v->quiet)
		printf("%s: whole, and made from %s and %s%s\n", v->path, v->grammar,
		       v->tokenizer ? v->tokenizer : "the built-in tokenizer",
		       v->has_provenance ? "" : " (no provenance: by its language and its vocabulary)");
	return CODE_OK;
}

int command_verify(int argc, char **argv)
{
	struct verification v = {0};
	const struct positional positionals[] = {
		{"ARTIFACT", POSITIONAL_ONE, &v.path,
	     "what 'gcdc compile' wrote; or a folder that 'gcdc build'\nor 'gcdc bundle' wrote, or that was pulled"},
		{"GRAMMAR", POSITIONAL_OPTIONAL, &v.grammar, "with --against: the grammar"},
		{"TOKENIZER", POSITIONAL_OPTIONAL, &v.tokenizer, "with --against: the tokenizer (default: the built-in one)"},
	};
	const struct option_spec options[] = {
		FLAG_OPTION(
			"against", &v.against,
			"was it made from GRAMMAR and TOKENIZER? (their files\nare compared by SHA-256 with its provenance)"),
		TEXT_OPTION("start", &v.start, "RULE", "for an artifact without provenance: as it was compiled"),
		TEXT_OPTION("indent", &v.indent, "SETTINGS", "the same"),
		FILE_OPTION("import-path", &v.import_path, "FOLDER", "the same"),
		FLAG_OPTION("provenance", &v.show, "print the provenance as it is: SPDX 2.3, tag-value"),
		FILE_OPTION("key", &v.key, "KEY",
	                "of a folder: is its catalog signed by this key?\n(minisign's, a file or in base64)"),
		VOCAB_OPTION(&v.vocab),
		FLAG_OPTION("quiet", &v.quiet, "only what is wrong", .letter = 'q'),
	};
	const struct usage usage =
		USAGE(ME, "Checks every byte of an artifact, and tells what it was made from.", positionals, options,
	          "Exit code 0: whole (and made from these files); 1: made from others; 65: damaged.");
	int code;
	if (!options_read(&usage, argc, argv, &code)) return code;
	if (v.against && !v.grammar)
		return cli_error(CODE_USAGE, ME, "--against needs a grammar: verify ARTIFACT --against GRAMMAR [TOKENIZER]");
	if (!v.against && v.grammar)
		return cli_error(CODE_USAGE, ME, "one argument too many: '%s'; files to compare with come after --against",
		                 v.grammar);
	struct stat s;
	const bool is_folder = !stat(v.path, &s) && S_ISDIR(s.st_mode);
	if (is_folder && (v.against || v.show || v.vocab))
		return cli_error(CODE_USAGE, ME, "%s is a folder: --against, --provenance and --vocab are for one artifact",
		                 v.path);
	if (!is_folder && v.key)
		return cli_error(CODE_USAGE, ME, "%s is no folder: --key is for one with a catalog", v.path);
	code = is_folder ? verify_folder("verify", v.path, v.key, v.quiet) : verify(&v);
	vec_release(&v.provenance.files);
	arena_release(&v.arena);
	return code;
}
