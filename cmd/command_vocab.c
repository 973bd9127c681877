// gcdc vocab: a tokenizer becomes a compiled vocabulary (.gcdv), which loads without parsing.
//
// In:  tokenizer.json (and what lies beside it) or nothing: the built-in one. Out: a .gcdv file, written atomically.
// Artifacts compiled with --no-vocab need it at open; artifacts of many grammars share one.
#include "canonical_option.h"
#include "cli.h"
#include "input_digest.h"
#include "options.h"
#include "api/provenance.h"
#include "api/standard_rows.h"
#include "tokenizer_path.h"

// Branches: each section that an option adds is made before the file is written, and any may fail.
int command_vocab(int argc, char **argv)
{
	const char *tokenizer = NULL, *out = NULL, *expect = NULL;
	struct token_options eos = {0};
	struct number vocab_size = {0};
	bool no_eos = false, quiet = false, provenance = false, canonical = false;
	const struct positional positionals[] = {
		{"TOKENIZER", POSITIONAL_OPTIONAL, &tokenizer,
	     "tokenizer.json, or a folder that holds one;\nwithout it: the tokenizer that is built in"},
	};
	const struct option_spec options[] = {
		FILE_OPTION("output", &out, "OUT.gcdv", "the file to write", .letter = 'o', .required = true),
		TOKENS_OPTION("eos", &eos, "TOKEN",
	                  "a token that ends a text, by id or by name; repeat\nfor several (default: what the tokenizer's "
	                  "files say)"),
		FLAG_OPTION("no-eos", &no_eos, "no token ends a text"),
		NUMBER_OPTION("vocab-size", &vocab_size, "N", 1, UINT32_MAX / 2,
	                  "width of the model's logits, when it is more than\nthe tokenizer's largest id + 1"),
		FLAG_OPTION("canonical", &canonical, "with the tables for compile --canonical; needs the\ntokenizer.json"),
		FLAG_OPTION("provenance", &provenance,
	                "put in what the vocabulary is made from, for the\nprovenance of artifacts"),
		TEXT_OPTION("expect", &expect, "DIGEST",
	                "fail when the tokenizer's files are not those that a\nbuild was planned with (gcdc build)"),
		FLAG_OPTION("quiet", &quiet, "no summary", .letter = 'q'),
	};
	const struct usage usage =
		USAGE("vocab", "Writes a tokenizer's vocabulary as a compiled file.", positionals, options, NULL);
	int code;
	if (!options_read(&usage, argc, argv, &code)) return code;
	struct vocab v;
	struct vocab_options vocab_options;
	code = tokenizer_options("vocab", &eos, no_eos, &vocab_size, &vocab_options);
	if (!code) code = tokenizer_load("vocab", tokenizer, &vocab_options, &v);
	if (code) return code;
	if (expect) {
		char digest[DIGEST_HEX];
		digest_tokenizer(tokenizer, digest);
		if (!digest_is_expected("vocab", tokenizer ? tokenizer : "the built-in tokenizer", expect, digest))
			code = CODE_DATA;
	}
	struct arena arena = {0};
	if (!code && provenance) {
		static const char *const shapeless[] = {"output", "expect", "quiet", "provenance"};
		provenance_list files = {0};
		char *given = options_given(&usage, shapeless, sizeof shapeless / sizeof *shapeless);
		const char *path = tokenizer ? tokenizer_file("vocab", tokenizer, &arena) : NULL;
		if (!v.origin && !tokenizer_provenance("vocab", path, &arena, &files)) code = CODE_IO;
		const char *origin = provenance_origin(&arena, &files, given);
		v.origin = v.origin ? arena_printf(&arena, "%s%s", v.origin, origin) : origin;  // a .gcdv's own goes on
		vec_release(&files);
		free(given);
	} else {
		v.origin = NULL;
	}
	if (code) {
		vocab_release(&v);
		arena_release(&arena);
		return code;
	}
	struct diag d = {0};
	struct canonical_option tables = {0};
	if (canonical && (code = canonical_load("vocab", tokenizer, &v, CANON_OFF, &tables))) {
		vocab_release(&v);
		return code;
	}
	if (tables.n) memcpy(v.canonical, tables.section, sizeof v.canonical);
	if (canonical) v.n_canonical = tables.n;
	standard_rows(&v, &arena);
	if (!vocab_write(&v, out, &d)) {
		diag_print(&d, stderr);
		code = CODE_IO;
	} else if (!quiet) {
		fprintf(stderr, "%s: %s, %u tokens, %u of them text, %u that end a text\n", out, v.name ? v.name : "vocabulary",
		        v.n_tokens, v.n_ranks, v.n_eos);
	}
	canonical_option_release(&tables);
	diag_release(&d);
	vocab_release(&v);
	arena_release(&arena);
	return code;
}
