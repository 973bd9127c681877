// Watching: what the compiler tells of its stages (base/trace.h), and a matcher of its steps (gcdc_matcher_set_trace).
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/trace.h"
#include "gcdc/compile.h"

static const char grammar[] = "start: \"[\" item (\",\" item)* \"]\"\nitem: N | NAME\nN: /[0-9]+/\nNAME: /[a-z]+/\n";

struct lines {
	char text[1 << 16];
	size_t n, count;
};

static void keep(const char *stage, const char *line, void *user)
{
	struct lines *l = user;
	l->n += (size_t)snprintf(l->text + l->n, sizeof l->text - l->n, "%s: %s\n", stage, line);
	l->count++;
}

// Compiles while somebody watches; *out (may be NULL) is the artifact.
static gcdc_status compile(const char *wish, struct lines *l, char *said, size_t size, gcdc_compiled **out)
{
	gcdc_vocab *v;
	gcdc_compiled *c;
	gcdc_diagnostics *d;
	const gcdc_input in = {.kind = GCDC_KIND_LARK, .path = "g.lark", .text = grammar, .len = strlen(grammar)};
	const gcdc_compile_options o = {.trace = wish, .trace_line = keep, .user = l};
	cr_assert_eq(gcdc_vocab_open(NULL, NULL, &v, NULL), GCDC_OK);
	gcdc_status status = gcdc_compile(v, &in, &o, &c, &d);
	snprintf(said, size, "%s", gcdc_diagnostics_text(d));
	gcdc_diagnostics_free(d);
	gcdc_vocab_close(v);
	if (out)
		*out = c;
	else
		gcdc_compiled_free(c);
	return status;
}

static struct lines *watched(const char *wish)
{
	static struct lines l;
	char said[1000];
	memset(&l, 0, sizeof l);
	cr_assert_eq(compile(wish, &l, said, sizeof said, NULL), GCDC_OK, "%s", said);
	return &l;
}

Test(trace, a_stage_that_is_asked_for_is_told_and_no_other)
{
	struct lines *l = watched("lexer");
	cr_expect_eq(l->count, 1, "%s", l->text);
	cr_expect_eq(strncmp(l->text, "lexer: ", 7), 0, "%s", l->text);
	cr_expect_eq(watched("")->count, 0);
	l = watched("all");
	static const char *const stage[] = {
		"grammar: 5 terminals, ", "lr: ",    "terminals: ", "lexer: ", "tables: ", "costs: exact costs: ",
		"canonical: off\n",       "write: ", "prove: "};
	for (size_t i = 0; i < sizeof stage / sizeof *stage; i++)
		cr_expect(strstr(l->text, stage[i]), "%s is not in %s", stage[i], l->text);
}

Test(trace, entries_are_as_many_as_asked_for_and_the_rest_is_counted)
{
	struct lines *l = watched("lexer:states=2");
	cr_expect_eq(l->count, 4, "%s", l->text);
	cr_expect(strstr(l->text, "lexer:   state 2: "), "%s", l->text);
	cr_expect_not(strstr(l->text, "state 3: "), "%s", l->text);
	cr_expect(strstr(l->text, "... and "), "%s", l->text);
	l = watched("lr:states,tables:starts,tables:nodes,costs:rows=1000,grammar:productions,terminals:automata");
	cr_expect(strstr(l->text, "lr:   state 1, context "), "%s", l->text);
	cr_expect(strstr(l->text, "tables:   lexer state 1, top 1: "), "%s", l->text);
	cr_expect(strstr(l->text, " item: NAME"), "%s", l->text);
	cr_expect(strstr(l->text, "terminals:   NAME: 2 states"), "%s", l->text);
	cr_expect_not(strstr(l->text, "... and "), "%s", l->text);
}

Test(trace, a_wish_that_is_none_is_an_error_that_lists_what_is_known)
{
	static const char *const wrong[] = {
		"lexr",      "lexer,lexr",     "lexer:foo",      "lexer=3", ":states",
		"LEXER",     "lexer:states=0", "lexer:states=x", "all:x",   "lexer:states=1000001",
		"prove:all", "lexer:states="};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct lines l = {.n = 0};
		char said[1000];
		gcdc_compiled *c;
		cr_expect_eq(compile(wrong[i], &l, said, sizeof said, &c), GCDC_ERR_ARGUMENT, "%s", wrong[i]);
		cr_expect_null(c);
		cr_expect_eq(l.count, 0);
		cr_expect(strstr(said, "known are grammar, grammar:terminals") && strstr(said, ", prove, all"), "%s: %s",
		          wrong[i], said);
	}
}

// A line that is longer than a line may be ends with dots.
Test(trace, lines_are_bounded)
{
	static struct lines l;
	static struct trace_text x;
	struct trace t = {.take = keep, .user = &l};
	FILE *out = trace_text_begin(&x);
	cr_assert(out);
	for (int i = 0; i < 10000; i++) fputc('x', out);
	trace_text_end(&x, &t, TRACE_LEXER);
	cr_expect_eq(l.count, 1);
	cr_expect_lt(l.n, TRACE_MAX_LINE + 16);
	cr_expect_str_eq(l.text + l.n - 5, "x...\n");
}

// ---- A matcher

static void keep_event(const gcdc_trace_event *e, void *user)
{
	static const char *const kind[] = {"step", "lexeme", "reduce", "shift", "fork", "stop", "reading", "set", "tokens"};
	struct lines *l = user;
	l->n += (size_t)snprintf(l->text + l->n, sizeof l->text - l->n, "%s", kind[e->kind]);
	if (e->kind == GCDC_TRACE_STEP)
		l->n += (size_t)snprintf(l->text + l->n, sizeof l->text - l->n, " %.*s", (int)e->len, (const char *)e->bytes);
	if (e->kind == GCDC_TRACE_LEXEME) l->n += (size_t)snprintf(l->text + l->n, sizeof l->text - l->n, " %zu", e->at);
	l->n += (size_t)snprintf(l->text + l->n, sizeof l->text - l->n, "; ");
	l->count++;
}

static gcdc_artifact *artifact(gcdc_compiled **c)
{
	static struct lines l;
	char said[1000];
	size_t len;
	gcdc_artifact *a;
	cr_assert_eq(compile(NULL, &l, said, sizeof said, c), GCDC_OK, "%s", said);
	const void *bytes = gcdc_compiled_bytes(*c, &len);
	cr_assert_eq(gcdc_artifact_open_memory(bytes, len, NULL, &a, NULL), GCDC_OK);
	return a;
}

Test(trace, a_step_tells_lexemes_reductions_and_the_reading_that_is_left)
{
	gcdc_compiled *c;
	gcdc_artifact *a = artifact(&c);
	gcdc_matcher *m;
	static struct lines l;
	gcdc_info info;
	gcdc_artifact_info(a, &info);
	uint32_t *mask = calloc(info.mask_words, sizeof *mask);
	cr_assert_eq(gcdc_matcher_new(a, NULL, &m), GCDC_OK);
	gcdc_matcher_set_trace(m, keep_event, &l);
	cr_assert_eq(gcdc_matcher_accept_bytes(m, "[ab,1", 5), GCDC_OK);
	cr_expect_str_eq(l.text, "step [ab,1; lexeme 1; shift; lexeme 3; shift; lexeme 4; reduce; shift; reading; ");
	l.n = 0;
	cr_assert_eq(gcdc_matcher_fill(m, mask, info.mask_words, NULL), GCDC_OK);
	cr_expect_eq(strncmp(l.text, "reading; set; ", 14), 0, "%s", l.text);
	l.n = l.count = 0;
	gcdc_matcher *fork;
	uint8_t forced[8];
	size_t n;
	cr_assert_eq(gcdc_matcher_fork(m, &fork), GCDC_OK);
	cr_assert_eq(gcdc_matcher_accept_bytes(fork, "]", 1), GCDC_OK);
	cr_assert_eq(gcdc_matcher_forced_bytes(m, forced, sizeof forced, &n), GCDC_OK);
	cr_assert_eq(gcdc_matcher_accept(m, info.n_tokens), GCDC_REJECTED);
	cr_expect_eq(l.count, 0, "forks, questions and refused tokens tell nothing: %s", l.text);
	gcdc_matcher_set_trace(m, NULL, NULL);
	cr_assert_eq(gcdc_matcher_accept_bytes(m, "]", 1), GCDC_OK);
	cr_expect_eq(l.count, 0);
	gcdc_matcher_free(fork);
	gcdc_matcher_free(m);
	gcdc_artifact_close(a);
	gcdc_compiled_free(c);
	free(mask);
}

// Walks at random, watched and not: the same masks at every place.
Test(trace, who_watches_changes_nothing)
{
	gcdc_compiled *c;
	gcdc_artifact *a = artifact(&c);
	gcdc_matcher *m, *plain;
	static struct lines l;
	gcdc_info info;
	gcdc_artifact_info(a, &info);
	uint32_t *mask = calloc(info.mask_words, sizeof *mask), *other = calloc(info.mask_words, sizeof *mask);
	uint64_t random = 7;
	cr_assert_eq(gcdc_matcher_new(a, NULL, &m), GCDC_OK);
	cr_assert_eq(gcdc_matcher_new(a, NULL, &plain), GCDC_OK);
	gcdc_matcher_set_trace(m, keep_event, &l);
	for (int step = 0; step < 200; step++) {
		l.n = 0;
		cr_assert_eq(gcdc_matcher_fill(m, mask, info.mask_words, NULL), GCDC_OK);
		cr_assert_eq(gcdc_matcher_fill(plain, other, info.mask_words, NULL), GCDC_OK);
		cr_assert_eq(memcmp(mask, other, info.mask_words * sizeof *mask), 0);
		random = random * 6364136223846793005u + 1442695040888963407u;
		uint32_t token = (uint32_t)(random >> 33) % info.n_tokens;
		while (!(mask[token / 32] >> token % 32 & 1)) token = (token + 1) % info.n_tokens;
		cr_assert_eq(gcdc_matcher_accept(m, token), GCDC_OK);
		cr_assert_eq(gcdc_matcher_accept(plain, token), GCDC_OK);
		if (!gcdc_matcher_is_terminated(m)) continue;
		gcdc_matcher_reset(m);
		gcdc_matcher_reset(plain);
	}
	gcdc_matcher_free(m);
	gcdc_matcher_free(plain);
	gcdc_artifact_close(a);
	gcdc_compiled_free(c);
	free(mask), free(other);
}
