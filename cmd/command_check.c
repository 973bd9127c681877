// gcdc check: does the artifact accept these texts?
//
// In:  an artifact, files. Out: for each file accepted or refused; a refusal with its place and what was allowed there.
// Each file is cut into tokens, and every token must be in the mask at its place; accepting it, the probe of its one
// bit and the mask must agree. At the end the text must be complete and each EOS id accepted. A disagreement is an
// internal error, never an answer.
#include "allowed.h"
#include "canonical_text.h"
#include "control_text.h"
#include "json_text.h"
#include "options.h"
#include "schema_refusal.h"
#include "base/text_show.h"
#include "token_cut.h"

#define ME "check"

struct check {
	gcdc_artifact *artifact;
	gcdc_matcher *matcher;
	gcdc_info info;
	struct token_cutter cutter;
	uint32_t *mask;
	token_list tokens;
	struct json_writer json;
	bool is_json, is_quiet, expect_reject, has_control;
	struct number budget;
	uint32_t n_accepted, n_refused;
};

struct refusal {
	bool is_refused;
	uint32_t token;      // GCDC_NONE: the end of the text
	size_t offset, len;  // bytes that cannot stand there
	bool is_vocabulary;  // no tokens spell the text
	char *canonical;     // the grammar could read the token, but it is not canonical here: why; free()
	char *allowed;       // what was, in words; free()
	char *schema;        // a JSON Schema's: pointer and reason; free()
	uint32_t allowed_count;
	bool may_end;
	uint32_t left,
		after;  // the token breaks the budget: what is left of it, and what is needed after the token; else GCDC_NONE
};

static int internal(const char *path, size_t offset, const char *what)
{
	return cli_error(CODE_INTERNAL, ME, "%s: offset %zu: %s. This is a bug in gcdc.", path, offset, what);
}

static void describe_allowed(struct check *k, const gcdc_fill_info *fill, struct refusal *r)
{
	struct allowed a;
	size_t size;
	allowed_read(&a, k->artifact, k->mask, fill->may_end);
	FILE *f = text_stream(&r->allowed, &size);
	allowed_show(&a, f);
	fclose(f);
	r->allowed_count = a.count, r->may_end = a.may_end;
}

// Which byte of a refused token is the first that cannot follow, and what could.
static void explain(struct check *k, const uint8_t *bytes, uint32_t len, size_t offset, gcdc_fill_info *fill,
                    struct refusal *r)
{
	uint32_t good = 0;
	while (good < len && gcdc_matcher_accept_bytes(k->matcher, bytes, good + 1) == GCDC_OK) {
		good++;
		if (gcdc_matcher_rollback(k->matcher, 1)) break;
	}
	if (good < len) r->offset = offset + good, r->len = len - good;
	// Inside a token there may be no mask (no token begins there): then the one before the token is told.
	gcdc_fill_info inside;
	if (good && good < len && gcdc_matcher_accept_bytes(k->matcher, bytes, good) == GCDC_OK &&
	    gcdc_matcher_fill(k->matcher, k->mask, k->info.mask_words, &inside) == GCDC_OK)
		*fill = inside;
	else if (gcdc_matcher_fill(k->matcher, k->mask, k->info.mask_words, fill))
		return;
	describe_allowed(k, fill, r);
}

// The end of the text: complete, and every EOS accepted. Returns an exit code; r tells a refusal.
static int check_end(struct check *k, const char *path, size_t len, struct refusal *r)
{
	gcdc_fill_info fill;
	gcdc_status status = cli_fill(k->matcher, k->mask, k->info.mask_words, &fill);
	if (status) return internal(path, len, gcdc_status_text(status));
	bool completed = gcdc_matcher_is_completed(k->matcher);
	if (completed != fill.may_end) return internal(path, len, "mask and is_completed disagree");
	uint32_t n;
	const uint32_t *eos = gcdc_artifact_eos(k->artifact, &n);
	for (uint32_t i = 0; i < n; i++) {
		status = gcdc_matcher_accept(k->matcher, eos[i]);
		if (status < 0) return internal(path, len, gcdc_status_text(status));
		if ((status == GCDC_OK) != completed || allowed_has(k->mask, eos[i]) != completed)
			return internal(path, len, "EOS: mask and accept disagree");
		if (!status && (!gcdc_matcher_is_terminated(k->matcher) || gcdc_matcher_rollback(k->matcher, 1)))
			return internal(path, len, "EOS does not end the text, or cannot be taken back");
	}
	if (!completed) {
		*r = (struct refusal){.is_refused = true, .token = GCDC_NONE, .offset = len};
		describe_allowed(k, &fill, r);
	}
	return CODE_OK;
}

static int set_budget(struct check *k, const char *path)
{
	uint32_t least;
	gcdc_status status = gcdc_matcher_set_budget(k->matcher, (uint32_t)k->budget.value, true, &least);
	if (status == GCDC_ERR_BUDGET && least != GCDC_NONE)
		return cli_error(CODE_NO, ME, "--budget %llu: the shortest text needs %u token%s, EOS counted",
		                 (unsigned long long)k->budget.value, least, cli_s(least));
	if (status == GCDC_ERR_BUDGET) return cli_least_unknown(ME, path);
	return status ? cli_status_error(ME, path, status) : CODE_OK;
}

// A token at `at`, behind the token `last`: mask, probe and accept must agree on it.
static int check_token(struct check *k, const char *path, size_t at, uint32_t token, uint32_t last, struct refusal *r)
{
	uint32_t n;
	uint8_t byte;
	const uint8_t *bytes = token_cutter_bytes(&k->cutter, token, &byte, &n);
	gcdc_fill_info fill;
	gcdc_status status = gcdc_matcher_fill(k->matcher, k->mask, k->info.mask_words, &fill);
	if (status) return internal(path, at, gcdc_status_text(status));
	bool is_allowed = allowed_has(k->mask, token);
	if (gcdc_matcher_allowed(k->matcher, token) != is_allowed) return internal(path, at, "mask and probe disagree");
	status = gcdc_matcher_accept(k->matcher, token);
	if (status < 0) return cli_status_error(ME, path, status);
	if ((status == GCDC_OK) != is_allowed) return internal(path, at, "mask and accept disagree");
	if (status) {
		*r = (struct refusal){.is_refused = true, .token = token, .offset = at, .len = n};
		r->left = r->after = GCDC_NONE;
		r->canonical = canonical_reason(k->matcher, last, token);
		if (k->budget.given && gcdc_matcher_min_after(k->matcher, token, &r->after) == GCDC_OK)
			r->left = gcdc_matcher_budget(k->matcher);
		if (r->canonical || r->left != GCDC_NONE)
			describe_allowed(k, &fill, r);
		else
			explain(k, bytes, n, at, &fill, r);
	}
	return CODE_OK;
}

static int check_text(struct check *k, const char *path, const char *text, size_t len, struct refusal *r)
{
	*r = (struct refusal){0};
	size_t at = 0, stuck = 0;
	if (!token_cutter_cut(&k->cutter, path, text, len, &k->tokens, &stuck)) {
		*r = (struct refusal){.is_refused = true, .token = GCDC_NONE, .offset = stuck, .len = 1, .is_vocabulary = true};
		return CODE_OK;
	}
	gcdc_matcher_reset(k->matcher);
	int code = k->budget.given ? set_budget(k, path) : CODE_OK;
	if (code) return code;
	for (uint32_t i = 0; i < k->tokens.n; i++) {
		uint32_t token = k->tokens.at[i], n;
		uint8_t byte;
		const uint8_t *bytes = token_cutter_bytes(&k->cutter, token, &byte, &n);
		if (token & CUT_BYTE) {
			gcdc_status status = gcdc_matcher_accept_bytes(k->matcher, bytes, 1);
			if (status < 0) return cli_status_error(ME, path, status);
			if (status) *r = (struct refusal){.is_refused = true, .token = token, .offset = at, .len = 1};
		} else {
			uint32_t last = i && !(k->tokens.at[i - 1] & CUT_BYTE) ? k->tokens.at[i - 1] : GCDC_NONE;
			code = check_token(k, path, at, token, last, r);
			if (code) return code;
		}
		if (r->is_refused) return CODE_OK;
		at += n;
	}
	return check_end(k, path, len, r);
}

// Only the newline that ends the text is too much?
static bool is_last_newline(const struct source *s, const struct refusal *r)
{
	return r->may_end && s->len && r->offset + 1 == s->len && s->text[r->offset] == '\n';
}

static void print_refusal(const struct check *k, const struct source *s, const struct refusal *r)
{
	struct diag d = {0};
	struct loc loc = {s, (uint32_t)r->offset, (uint32_t)r->len};
	if (r->is_vocabulary) {
		diag_error(&d, loc, "no tokens of the artifact's vocabulary spell the text from here");
	} else if (r->token == GCDC_NONE) {
		diag_error(&d, loc, "the text ends here, but is not complete");
	} else {
		char *shown = NULL;
		size_t size;
		uint8_t byte;
		uint32_t n;
		const uint8_t *bytes = token_cutter_bytes(&k->cutter, r->token, &byte, &n);
		FILE *f = text_stream(&shown, &size);
		text_show(f, bytes, n, 60);
		fclose(f);
		if (r->token & CUT_BYTE)
			diag_error(&d, loc, "byte %s is not allowed here", shown);
		else
			diag_error(&d, loc, "token %u %s is not allowed here", r->token, shown);
		free(shown);
		if (r->canonical) diag_note(&d, (struct loc){0}, "%s", r->canonical);
		if (!(r->token & CUT_BYTE) && r->left != GCDC_NONE)
			diag_note(&d, (struct loc){0},
			          "the grammar allows it, the budget does not: %u token%s left, and %u needed with it, EOS counted",
			          r->left, r->left == 1 ? " is" : "s are", r->after + 2);
	}
	if (is_last_newline(s, r))
		diag_note(&d, (struct loc){0}, "the file ends with a newline, and the grammar's texts do not");
	else if (r->allowed)
		diag_note(&d, (struct loc){0}, "allowed here: %s", r->allowed);
	if (r->schema) diag_note(&d, (struct loc){0}, "%s", r->schema);
	diag_print(&d, stderr);
	diag_release(&d);
}

static void report_json(struct check *k, const struct source *s, const struct refusal *r)
{
	struct json_writer *j = &k->json;
	json_object(j);
	json_key(j, "file");
	json_string(j, s->path);
	json_bool_entry(j, "accepted", !r->is_refused);
	json_uint_entry(j, "tokens", k->tokens.n);
	json_uint_entry(j, "bytes", s->len);
	if (r->is_refused) {
		uint32_t line, column;
		source_position(s, (uint32_t)r->offset, &line, &column);
		json_uint_entry(j, "offset", r->offset);
		json_uint_entry(j, "line", line);
		json_uint_entry(j, "column", column);
		json_string_entry(j, "reason",
		                  r->is_vocabulary        ? "vocabulary"
		                  : r->token == GCDC_NONE ? "end"
		                  : r->canonical          ? "canonical"
		                                          : "token");
		if (r->canonical) json_string_entry(j, "canonical", r->canonical);
		if (r->schema) json_string_entry(j, "schema", r->schema);
		if (r->token != GCDC_NONE) {
			uint8_t byte;
			uint32_t n;
			const uint8_t *bytes = token_cutter_bytes(&k->cutter, r->token, &byte, &n);
			json_key(j, "token");
			json_object(j);
			if (!(r->token & CUT_BYTE)) json_uint_entry(j, "id", r->token);
			json_text_entry(j, "text", bytes, n);
			json_close(j);
		}
		if (r->allowed) {
			json_uint_entry(j, "allowed_count", r->allowed_count);
			json_bool_entry(j, "may_end", r->may_end);
		}
	}
	json_close(j);
}

// What is said of a text: an object of JSON, or messages and, of the only text, a line.
static void report(struct check *k, const struct source *source, const struct refusal *r, bool is_only)
{
	if (k->is_json) report_json(k, source, r);
	if (k->is_quiet) return;
	if (r->is_refused && !k->expect_reject)
		print_refusal(k, source, r);
	else if (!r->is_refused && k->expect_reject)
		fprintf(stderr, "%s: error: accepted, but --expect reject\n", source->path);
	if (!is_only || k->is_json) return;
	if (r->is_refused && r->schema)
		printf("%s: refused: %s\n", source->path, r->schema);
	else if (r->is_refused)
		printf("%s: refused at offset %zu\n", source->path, r->offset);
	else
		printf("%s: accepted, %u token%s\n", source->path, k->tokens.n, cli_s(k->tokens.n));
}

static int check_file(struct check *k, const char *path, bool is_only)
{
	char *text;
	size_t len;
	if (!cli_read_file(ME, path, &text, &len)) return CODE_IO;
	struct source source = {path, text, len};
	struct refusal r;
	size_t spelled_len = len;
	char *spelled = k->has_control ? control_spelled(k->artifact, text, len, &spelled_len) : text;
	int code = check_text(k, path, spelled, spelled_len, &r);
	if (k->has_control) {
		size_t end = control_old_place(k->artifact, text, len, r.offset + r.len);
		r.offset = control_old_place(k->artifact, text, len, r.offset);
		r.len = end > r.offset ? end - r.offset : r.len != 0;
		free(spelled);
	}
	if (!code) {
		*(r.is_refused ? &k->n_refused : &k->n_accepted) += 1;
		bool tells = r.is_refused && (k->is_json || !k->is_quiet) && gcdc_artifact_is_schema(k->artifact);
		if (tells && !r.canonical && !r.is_vocabulary)
			r.schema = schema_refusal(path, k->artifact, k->matcher, text, len, r.offset);
		report(k, &source, &r, is_only);
	}
	free(r.allowed), free(r.canonical), free(r.schema);
	free(text);
	return code;
}

// Branches: options that exclude each other, then the steps from opening to the exit code, of which any may fail.
int command_check(int argc, char **argv)
{
	struct check k = {0};
	const char *path = NULL, *tokenizer = NULL, *vocab = NULL, *expect = "accept";
	struct file_list files = {0};
	struct number random = {0};
	bool bytes = false, greedy = false;
	const struct positional positionals[] = {
		{"ARTIFACT", POSITIONAL_ONE, &path, "what 'gcdc compile' wrote"},
		{"FILE", POSITIONAL_MANY, &files, "texts to check; - is standard input"},
	};
	const struct option_spec options[] = {
		CUTTER_OPTION(&tokenizer),
		FLAG_OPTION("bytes", &bytes, "cut into single bytes"),
		FLAG_OPTION("greedy", &greedy, "cut into the longest tokens"),
		FLAG_OPTION("control", &k.has_control,
	                "names of control tokens that the grammar names are these\ntokens; else they are text"),
		NUMBER_OPTION("random-splits", &random, "SEED", 0, UINT64_MAX, "cut at random into tokens that fit"),
		NUMBER_OPTION("budget", &k.budget, "N", 1, UINT32_MAX - 1,
	                  "with masks that keep a budget of N tokens for each\ntext, EOS counted"),
		CHOICE_OPTION("expect", &expect, "accept|reject", "reject: exit 0 when every file is refused"),
		VOCAB_OPTION(&vocab),
		FLAG_OPTION("json", &k.is_json, "an array with an object for each file"),
		FLAG_OPTION("quiet", &k.is_quiet, "only the exit code", .letter = 'q'),
	};
	const struct usage usage = USAGE(ME, "Cuts each file into tokens and walks the masks to EOS.", positionals, options,
	                                 "Exit code 0: all accepted; 1: one refused (--expect reject: one accepted).");
	int code;
	if (!options_read(&usage, argc, argv, &code)) return code;
	if (bytes + greedy + random.given > 1)
		return cli_error(CODE_USAGE, ME, "--bytes, --greedy and --random-splits exclude each other");
	k.expect_reject = !strcmp(expect, "reject");

	code = cli_open(ME, path, vocab, &k.artifact);
	if (code) return code;
	gcdc_artifact_info(k.artifact, &k.info);
	k.mask = mem_calloc(k.info.mask_words, sizeof *k.mask);
	enum cut_mode mode = bytes ? CUT_BYTES : greedy ? CUT_GREEDY : random.given ? CUT_RANDOM : CUT_TOKENIZER;
	code = token_cutter_init(&k.cutter, &(struct cutter_options){ME, k.artifact, path, tokenizer, mode, random.value});
	k.cutter.is_quiet = k.is_quiet || k.expect_reject;
	gcdc_status status = code ? GCDC_OK : gcdc_matcher_new(k.artifact, NULL, &k.matcher);
	if (status) code = cli_status_error(ME, path, status);
	if (!code && k.is_json) json_begin(&k.json, stdout), json_array(&k.json);
	bool is_begun = !code;
	for (uint32_t i = 0; i < files.n && !code; i++) code = check_file(&k, files.at[i], files.n == 1);
	if (is_begun && k.is_json) json_close(&k.json), json_end(&k.json);
	if (!code) {
		if (files.n > 1 && !k.is_json && !k.is_quiet) printf("%u accepted, %u refused\n", k.n_accepted, k.n_refused);
		code = (k.expect_reject ? k.n_accepted : k.n_refused) ? CODE_NO : CODE_OK;
	}
	gcdc_matcher_free(k.matcher);
	vec_release(&k.tokens);
	token_cutter_release(&k.cutter);
	free(k.mask);
	gcdc_artifact_close(k.artifact);
	return code;
}
