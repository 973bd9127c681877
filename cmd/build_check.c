// gcdc build --check: the texts and limits that a manifest sets for an artifact.
//
// In:  the artifact's file, its checks. Out: an exit code; each failed check as a message with its line of the
// manifest, and for a text the place in it and what could stand there instead. Texts are cut into tokens of the
// artifact's vocabulary: canonically where masks are canonical, else greedily, as the cut does not change the answer
// (docs/cli.md, check). Cost: a step and a probe of one bit for each token.
#include "build_check.h"

#include "allowed.h"
#include "cli.h"
#include "base/text_show.h"
#include "token_cut.h"

#define ME "build"
#define SHOWN 60  // bytes of a text in a message

struct checking {
	const struct plan_artifact *a;
	const char *path;
	const gcdc_artifact *artifact;
	gcdc_matcher *matcher;
	struct token_cutter cutter;
	token_list tokens;
	struct diag diag;
};

struct answer {
	bool accepted, is_end, is_vocabulary;
	size_t offset;
};

// The first byte that cannot follow, when a token is refused at `at`.
static size_t first_bad_byte(struct checking *c, const uint8_t *bytes, uint32_t len, size_t at)
{
	for (uint32_t good = 0; good < len; good++)
		if (gcdc_matcher_accept_bytes(c->matcher, bytes + good, 1) != GCDC_OK) return at + good;
	return at;  // each byte could follow, the token could not: no text goes on with it
}

static int ask(struct checking *c, const char *text, size_t len, struct answer *answer)
{
	*answer = (struct answer){0};
	if (!token_cutter_cut(&c->cutter, c->a->name, text, len, &c->tokens, &answer->offset)) {
		answer->is_vocabulary = true;
		return CODE_OK;
	}
	gcdc_matcher_reset(c->matcher);
	size_t at = 0;
	for (uint32_t i = 0; i < c->tokens.n; i++) {
		uint8_t byte;
		uint32_t n;
		const uint8_t *bytes = token_cutter_bytes(&c->cutter, c->tokens.at[i], &byte, &n);
		gcdc_status status = gcdc_matcher_accept(c->matcher, c->tokens.at[i]);
		if (status < 0) return cli_status_error(ME, c->path, status);
		if (status) {
			answer->offset = first_bad_byte(c, bytes, n, at);
			return CODE_OK;
		}
		at += n;
	}
	answer->offset = len;
	answer->accepted = gcdc_matcher_is_completed(c->matcher);
	answer->is_end = !answer->accepted;
	return CODE_OK;
}

static char *shown(const char *text, size_t len)
{
	char *out = NULL;
	size_t size;
	FILE *f = text_stream(&out, &size);
	text_show(f, text, len, SHOWN);
	fclose(f);
	return out;
}

// The place in a file, with its line; a text of the manifest is shown up to the place.
static void note_place(struct checking *c, const struct check_text *t, const char *text, size_t len,
                       const struct answer *a)
{
	const char *why = a->is_vocabulary ? "no tokens of the vocabulary spell the text from here"
	                  : a->is_end      ? "the text ends here, but is not complete"
	                                   : "this cannot stand here";
	if (t->file) {
		struct source *s = arena_alloc(&c->diag.arena, sizeof *s);
		*s = (struct source){t->file, arena_strndup(&c->diag.arena, text, len), len};
		diag_note(&c->diag, (struct loc){s, (uint32_t)a->offset, 1}, "%s", why);
	} else {
		char *before = shown(text, a->offset);
		if (a->is_end)
			diag_note(&c->diag, (struct loc){0}, "%s", why);
		else
			diag_note(&c->diag, (struct loc){0}, "after %s: %s", before, why);
		free(before);
	}
}

static int check_text(struct checking *c, const struct check_text *t)
{
	char *bytes = NULL;
	const char *text = t->text;
	size_t len = t->len;
	if (t->file) {
		if (!cli_read_file(ME, t->file, &bytes, &len)) return CODE_IO;
		text = bytes;
	}
	struct answer answer;
	int code = ask(c, text, len, &answer);
	if (!code && answer.accepted != t->accept) {
		char *name = t->file ? NULL : shown(text, len);
		diag_error(&c->diag, t->loc,
		           t->accept ? "%s must accept %s, but refuses it" : "%s must refuse %s, but accepts it", c->a->name,
		           t->file ? t->file : name);
		if (t->accept) note_place(c, t, text, len, &answer);
		free(name);
	}
	free(bytes);
	return code;
}

static void check_limits(struct checking *c)
{
	gcdc_info info;
	gcdc_artifact_info(c->artifact, &info);
	const struct {
		uint64_t value;
		const char *what;
	} is[N_CHECK_LIMITS] = {
		[LIMIT_SIZE] = {info.file_size, "bytes"},
		[LIMIT_FRAMES] = {info.worst_frames, "stack frames read by one mask"},
		[LIMIT_SETS] = {info.worst_sets, "token sets united by one mask"},
		[LIMIT_READINGS] = {info.max_readings, "readings of one text alive at once"},
	};
	for (uint32_t i = 0; i < N_CHECK_LIMITS; i++) {
		const struct check_limit_value *limit = &c->a->checks.limits[i];
		if (!limit->given || is[i].value <= limit->most) continue;
		if (is[i].value == GCDC_NONE && i != LIMIT_SIZE)
			diag_error(&c->diag, limit->loc, "%s: the limit is %llu %s, but there is no bound", c->a->name,
			           (unsigned long long)limit->most, is[i].what);
		else
			diag_error(&c->diag, limit->loc, "%s: the limit is %llu %s, found %llu", c->a->name,
			           (unsigned long long)limit->most, is[i].what, (unsigned long long)is[i].value);
	}
}

int build_check(const struct plan_artifact *a, const gcdc_artifact *artifact, const char *path)
{
	struct checking c = {.a = a, .path = path, .artifact = artifact};
	check_limits(&c);
	bool is_canonical = gcdc_artifact_canonical(c.artifact) != GCDC_CANONICAL_OFF;
	int code = token_cutter_init(&c.cutter, &(struct cutter_options){ME, c.artifact, a->output, NULL,
	                                                                 is_canonical ? CUT_TOKENIZER : CUT_GREEDY, 0});
	c.cutter.is_quiet = true;
	gcdc_status status = code ? GCDC_OK : gcdc_matcher_new(c.artifact, NULL, &c.matcher);
	if (status) code = cli_status_error(ME, path, status);
	for (uint32_t i = 0; i < a->checks.texts.n && !code; i++) code = check_text(&c, &a->checks.texts.at[i]);
	diag_print(&c.diag, stderr);
	if (!code && c.diag.n_errors) code = CODE_NO;
	diag_release(&c.diag);
	gcdc_matcher_free(c.matcher);
	vec_release(&c.tokens);
	token_cutter_release(&c.cutter);
	return code;
}
