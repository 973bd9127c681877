// <gcdc/compile.h> as a program meets it: what is given back, and what is said, for each way a call can end.
#include <criterion/criterion.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../formats/artifact.h"
#include "../../formats/vocab_file.h"
#include "base/work.h"
#include "gcdc/compile.h"
#include "gcdc/show.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

static const char json[] = "start: \"[\" [start (\",\" start)*] \"]\" | N\nN: /[0-9]+/\n%ignore \" \"\n";
static const char explosive[] = "start: A\nA: /[a-z ]*a[a-z ]{12}/\n";

static gcdc_vocab *builtin(void)
{
	gcdc_vocab *v;
	cr_assert_eq(gcdc_vocab_open(NULL, NULL, &v, NULL), GCDC_OK);
	return v;
}

static gcdc_input lark(const char *text)
{
	return (gcdc_input){.kind = GCDC_KIND_LARK, .path = "g.lark", .text = text, .len = strlen(text)};
}

static gcdc_artifact *opened(const gcdc_compiled *c)
{
	size_t len;
	const void *bytes = gcdc_compiled_bytes(c, &len);
	gcdc_artifact *a;
	gcdc_refusal why;
	cr_assert_eq(gcdc_artifact_open_memory(bytes, len, NULL, &a, &why), GCDC_OK, "%s", why.what);
	return a;
}

static bool accepts(const gcdc_compiled *c, const char *text)
{
	gcdc_artifact *a = opened(c);
	gcdc_matcher *m;
	cr_assert_eq(gcdc_matcher_new(a, NULL, &m), GCDC_OK);
	bool ok = gcdc_matcher_accept_bytes(m, text, strlen(text)) == GCDC_OK && gcdc_matcher_is_completed(m);
	gcdc_matcher_free(m);
	gcdc_artifact_close(a);
	return ok;
}

Test(compile_api, a_grammar_in_memory_becomes_an_artifact_in_memory)
{
	gcdc_vocab *v = builtin();
	const gcdc_input in = lark(json);
	gcdc_compiled *c, *again;
	gcdc_diagnostics *d;
	cr_assert_eq(gcdc_compile(v, &in, NULL, &c, &d), GCDC_OK, "%s", gcdc_diagnostics_text(d));
	cr_assert_eq(gcdc_diagnostics_count(d), 0);
	cr_assert(accepts(c, "[1, [22]]") && !accepts(c, "[1") && !accepts(c, "[a]"));
	cr_assert_eq(gcdc_compile(v, &in, &(gcdc_compile_options){.threads = 3}, &again, NULL), GCDC_OK);
	size_t n, n_again;
	const void *bytes = gcdc_compiled_bytes(c, &n), *same = gcdc_compiled_bytes(again, &n_again);
	cr_assert(n == n_again && !memcmp(bytes, same, n), "any number of threads gives the same bytes");
	gcdc_source source;
	cr_assert(gcdc_compiled_source(c, 0, &source) && !gcdc_compiled_source(c, 1, &source));
	gcdc_figure f;
	uint64_t tokens = 0;
	for (size_t i = 0; gcdc_compiled_figure(c, i, &f); i++)
		if (!strcmp(f.name, "tokens")) tokens = f.count;
	cr_assert_eq(tokens, gcdc_vocab_size(v));
	gcdc_diagnostics_free(d);
	gcdc_compiled_free(c), gcdc_compiled_free(again);
	gcdc_vocab_close(v);
}

// ---- Texts.

static uint64_t figure(const gcdc_compiled *c, const char *name)
{
	gcdc_figure f;
	for (size_t i = 0; gcdc_compiled_figure(c, i, &f); i++)
		if (!strcmp(f.name, name) && !f.is_seconds) return f.count;
	cr_assert_fail("no figure %s", name);
	return 0;
}

// Lines have columns, so that masks under a budget are made at run time.
static const char blocks[] = "start: s+\ns: NAME NL | NAME \":\" NL IN s+ DE\nNAME: /[a-z]+/\nNL: /(\\n *)+/\n"
							 "%indent newline=NL indent=IN dedent=DE tab=8\n%ignore / +/\n";

Test(compile_api, steps_of_texts_are_kept_within_a_limit)
{
	gcdc_vocab *v = builtin();
	const gcdc_input in = lark(blocks);
	const gcdc_text texts[] = {{"a", "a\nb:\n  c\n", 9}, {NULL, "x:\n y:\n  z\n", 11}};
	gcdc_compile_options o = {.texts = texts, .n_texts = 2};
	gcdc_compiled *without, *with, *one, *small;
	size_t n, more, len;
	cr_assert_eq(gcdc_compile(v, &in, NULL, &without, NULL), GCDC_OK);
	cr_assert_eq(gcdc_compile(v, &in, &o, &with, NULL), GCDC_OK);
	gcdc_compiled_bytes(without, &n), gcdc_compiled_bytes(with, &more);
	cr_expect_eq(figure(with, "texts_bytes"), more - n);
	cr_expect(figure(with, "texts_steps") > figure(with, "texts_summaries") && figure(with, "texts_summaries") > 0);
	cr_expect_eq(figure(with, "texts_served"), figure(with, "texts_positions"), "nothing was left out");
	cr_expect(accepts(with, texts[0].text) && figure(without, "texts_positions") == 0);
	o.n_texts = 1;
	cr_assert_eq(gcdc_compile(v, &in, &o, &one, NULL), GCDC_OK);
	cr_expect(figure(one, "texts_positions") < figure(with, "texts_positions"));
	cr_expect(figure(one, "texts_steps") <= figure(with, "texts_steps"));
	o.n_texts = 2, o.texts_limit = (more - n) / 2;
	cr_assert_eq(gcdc_compile(v, &in, &o, &small, NULL), GCDC_OK);
	gcdc_compiled_bytes(small, &len);
	cr_expect(len <= n + o.texts_limit && figure(small, "texts_steps") > 0, "%zu, %zu", len, n);
	cr_expect(figure(small, "texts_served") < figure(small, "texts_positions"));
	gcdc_compiled_free(without), gcdc_compiled_free(with), gcdc_compiled_free(one), gcdc_compiled_free(small);
	gcdc_vocab_close(v);
}

Test(compile_api, a_text_of_another_language_is_an_error_with_its_place)
{
	gcdc_vocab *v = builtin();
	const gcdc_input in = lark(blocks);
	static const struct {
		gcdc_text text;
		uint32_t line, column;
	} cases[] = {{{"t.txt", "a\nb c\n", 6}, 2, 3}, {{NULL, "a\nb:\n", 5}, 3, 1}, {{"", "a\nb:\n c)\n", 9}, 3, 3}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gcdc_compiled *c;
		gcdc_diagnostics *said;
		gcdc_diagnostic d;
		const gcdc_compile_options o = {.texts = &cases[i].text, .n_texts = 1};
		cr_expect_eq(gcdc_compile(v, &in, &o, &c, &said), GCDC_ERR_GRAMMAR);
		cr_assert(gcdc_diagnostics_get(said, 0, &d));
		cr_expect_str_eq(d.code, "texts");
		cr_expect_str_eq(d.path, cases[i].text.path ? cases[i].text.path : "<text>");
		cr_expect(d.line == cases[i].line && d.column == cases[i].column, "%zu: %u:%u", i, d.line, d.column);
		gcdc_diagnostics_free(said);
	}
	const gcdc_compile_options broken[] = {{.n_texts = 1}, {.texts = &(gcdc_text){.len = 1}, .n_texts = 1}};
	for (size_t i = 0; i < 2; i++) {
		gcdc_compiled *c;
		cr_expect_eq(gcdc_compile(v, &in, &broken[i], &c, NULL), GCDC_ERR_ARGUMENT);
	}
	gcdc_vocab_close(v);
}

Test(compile_api, a_pattern_is_a_grammar)
{
	gcdc_vocab *v = builtin();
	const gcdc_input in = {.kind = GCDC_KIND_REGEX, .text = "a/b?[0-9]{2}\n|", .len = 12};
	gcdc_compiled *c;
	cr_assert_eq(gcdc_compile(v, &in, NULL, &c, NULL), GCDC_OK);
	cr_assert(accepts(c, "a/b12") && accepts(c, "a/12") && !accepts(c, "a/b1"));
	gcdc_compiled_free(c);
	gcdc_vocab_close(v);
}

Test(compile_api, a_schema_is_a_grammar_with_settings_of_its_own)
{
	gcdc_vocab *v = builtin();
	static const char text[] = "{\"type\": \"array\", \"items\": {\"type\": \"integer\"}}";
	gcdc_setting compact = {"space", "compact"};
	gcdc_input in = {.kind = GCDC_KIND_JSON_SCHEMA, .text = text, .len = sizeof text - 1};
	gcdc_compiled *c;
	gcdc_diagnostics *d;
	cr_assert_eq(gcdc_compile(v, &in, NULL, &c, &d), GCDC_OK, "%s", gcdc_diagnostics_text(d));
	cr_assert(accepts(c, "[1, 2]") && !accepts(c, "[1, \"a\"]"));
	gcdc_compiled_free(c), gcdc_diagnostics_free(d);
	in.settings = &compact, in.n_settings = 1;
	cr_assert_eq(gcdc_compile(v, &in, NULL, &c, NULL), GCDC_OK);
	cr_assert(accepts(c, "[1,2]") && !accepts(c, "[1, 2]"));
	gcdc_compiled_free(c);
	compact.value = "tight";
	cr_assert_eq(gcdc_compile(v, &in, NULL, &c, &d), GCDC_ERR_GRAMMAR);
	cr_assert(strstr(gcdc_diagnostics_text(d), "any|compact|dumps|indented"), "%s", gcdc_diagnostics_text(d));
	gcdc_diagnostics_free(d);
	gcdc_vocab_close(v);
}

Test(compile_api, an_error_has_its_place_and_its_rendering)
{
	gcdc_vocab *v = builtin();
	const gcdc_input in = lark("start: A b\nA: \"x\"\n");
	gcdc_compiled *c = (void *)1;
	gcdc_diagnostics *d;
	gcdc_diagnostic x;
	cr_assert_eq(gcdc_compile(v, &in, NULL, &c, &d), GCDC_ERR_GRAMMAR);
	cr_assert_null(c);
	cr_assert_eq(gcdc_diagnostics_count(d), 1, "%s", gcdc_diagnostics_text(d));
	cr_assert(gcdc_diagnostics_get(d, 0, &x) && !gcdc_diagnostics_get(d, 1, &(gcdc_diagnostic){0}));
	cr_assert_eq(x.severity, GCDC_ERROR);
	cr_assert_str_eq(x.code, "grammar");
	cr_assert_str_eq(x.path, "g.lark");
	cr_assert(x.line == 1 && x.column == 10 && x.offset == 9 && x.len == 1, "%u:%u", x.line, x.column);
	cr_assert(strstr(x.rendered, "g.lark:1:10: error: ") && strstr(x.rendered, "  |          ^\n"), "%s", x.rendered);
	cr_assert_str_eq(x.rendered, gcdc_diagnostics_text(d));
	gcdc_diagnostics_free(d);
	gcdc_vocab_close(v);
}

Test(compile_api, a_warning_has_its_name_and_may_be_an_error)
{
	gcdc_vocab *v = builtin();
	const gcdc_input in = lark("start: \"x\"\nother: \"y\"\n");
	gcdc_compiled *c;
	gcdc_diagnostics *d;
	gcdc_diagnostic x;
	cr_assert_eq(gcdc_compile(v, &in, NULL, &c, &d), GCDC_OK);
	cr_assert(gcdc_diagnostics_get(d, 0, &x));
	cr_assert_eq(x.severity, GCDC_WARNING);
	cr_assert(*x.code && !strchr(x.message, '['), "%s: %s", x.code, x.message);
	gcdc_compiled_free(c);
	const gcdc_compile_options strict = {.warnings_are_errors = x.code};
	cr_assert_eq(gcdc_compile(v, &in, &strict, &c, NULL), GCDC_ERR_GRAMMAR);
	gcdc_diagnostics_free(d);
	gcdc_vocab_close(v);
}

static void expect_end(const gcdc_compile_options *o, gcdc_status status, const char *code)
{
	gcdc_vocab *v = builtin();
	const gcdc_input in = lark(explosive);
	gcdc_compiled *c;
	gcdc_diagnostics *d;
	gcdc_diagnostic x;
	gcdc_status got = gcdc_compile(v, &in, o, &c, &d);
	cr_assert_eq(got, status, "%d: %s", got, gcdc_diagnostics_text(d));
	cr_assert(!c && gcdc_diagnostics_get(d, 0, &x));
	cr_assert_str_eq(x.code, code);
	gcdc_diagnostics_free(d);
	gcdc_vocab_close(v);
}

static bool never(const gcdc_progress *p, void *user)
{
	++*(int *)user;
	return strcmp(p->stage, "lexer") != 0;
}

Test(compile_api, limits_and_cancelling_end_a_call)
{
	int asked = 0;
	gcdc_cancel *cancel = gcdc_cancel_new();
	gcdc_cancel_now(cancel);
	expect_end(&(gcdc_compile_options){.max_seconds = 1e-9}, GCDC_ERR_LIMIT, "max-seconds");
	expect_end(&(gcdc_compile_options){.max_memory = 1 << 20}, GCDC_ERR_LIMIT, "max-memory");
	expect_end(&(gcdc_compile_options){.cancel = cancel}, GCDC_ERR_CANCELLED, "cancelled");
	expect_end(&(gcdc_compile_options){.progress = never, .user = &asked}, GCDC_ERR_CANCELLED, "cancelled");
	cr_assert_geq(asked, 4);
	gcdc_cancel_free(cancel);
}

struct meeting {
	gcdc_cancel *cancel;
	pthread_barrier_t barrier;
	bool has_met;
};

static void *cancel_when_met(void *meeting)
{
	struct meeting *m = meeting;
	pthread_barrier_wait(&m->barrier);
	gcdc_cancel_now(m->cancel);
	pthread_barrier_wait(&m->barrier);
	return NULL;
}

static bool meet(const gcdc_progress *p, void *meeting)
{
	struct meeting *m = meeting;
	if (strcmp(p->stage, "tables") != 0 || m->has_met) return true;
	m->has_met = true;
	pthread_barrier_wait(&m->barrier);
	pthread_barrier_wait(&m->barrier);
	return true;
}

Test(compile_api, another_thread_cancels, .timeout = 60)
{
	pthread_t thread;
	struct meeting m = {.cancel = gcdc_cancel_new()};
	pthread_barrier_init(&m.barrier, NULL, 2);
	pthread_create(&thread, NULL, cancel_when_met, &m);
	gcdc_vocab *v = builtin();
	const gcdc_input in = lark(explosive);
	gcdc_compiled *c;
	gcdc_status status =
		gcdc_compile(v, &in, &(gcdc_compile_options){.cancel = m.cancel, .progress = meet, .user = &m}, &c, NULL);
	pthread_join(thread, NULL);
	cr_assert(m.has_met);
	cr_assert_eq(status, GCDC_ERR_CANCELLED, "%d", status);
	pthread_barrier_destroy(&m.barrier);
	gcdc_cancel_free(m.cancel);
	gcdc_vocab_close(v);
}

static void expect_refused(gcdc_input in, gcdc_status status, const char *words)
{
	gcdc_vocab *v = builtin();
	gcdc_compiled *c;
	gcdc_diagnostics *d;
	gcdc_status got = gcdc_compile(v, &in, NULL, &c, &d);
	cr_assert(got == status && !c, "%d: %s", got, gcdc_diagnostics_text(d));
	cr_assert(strstr(gcdc_diagnostics_text(d), words), "%s", gcdc_diagnostics_text(d));
	gcdc_diagnostics_free(d);
	gcdc_vocab_close(v);
}

Test(compile_api, what_cannot_be_read_is_said)
{
	const gcdc_setting typo = {"strat", "x"};
	expect_refused((gcdc_input){.path = "/nowhere/x.lark"}, GCDC_ERR_IO, "/nowhere/x.lark");
	expect_refused((gcdc_input){.text = "x", .len = 1}, GCDC_ERR_UNSUPPORTED, "what kind of grammar");
	expect_refused((gcdc_input){.kind = (gcdc_kind)999, .text = "x", .len = 1}, GCDC_ERR_UNSUPPORTED,
	               "reads no grammars of the kind");
	expect_refused((gcdc_input){.kind = GCDC_KIND_LARK, .text = json, .len = 10, .settings = &typo, .n_settings = 1},
	               GCDC_ERR_ARGUMENT, "did you mean \"start\"");
	expect_refused((gcdc_input){.kind = GCDC_KIND_REGEX, .text = "a\0b", .len = 3}, GCDC_ERR_GRAMMAR, "NUL");
	expect_refused((gcdc_input){.kind = GCDC_KIND_LARK, .text = "%import .other.X\nstart: X", .len = 24},
	               GCDC_ERR_GRAMMAR, "other");
	gcdc_compiled *c;
	cr_assert_eq(gcdc_compile(NULL, NULL, NULL, &c, NULL), GCDC_ERR_ARGUMENT);
}

Test(compile_api, kinds_have_names)
{
	cr_assert_str_eq(gcdc_kind_name(GCDC_KIND_LARK), "lark");
	cr_assert_null(gcdc_kind_name(GCDC_KIND_AUTO));
	cr_assert_eq(gcdc_kind_named("regex"), GCDC_KIND_REGEX);
	cr_assert_eq(gcdc_kind_named("nonsense"), GCDC_KIND_AUTO);
	for (size_t i = 0; gcdc_kind_at(i) != GCDC_KIND_AUTO; i++)
		cr_assert_eq(gcdc_kind_named(gcdc_kind_name(gcdc_kind_at(i))), gcdc_kind_at(i));
}

// From tokenizer.json, and from the .gcdv that is made of it.
Test(compile_api, control_tokens_are_found_by_name)
{
	gcdc_vocab *v = builtin(), *again;
	char path[] = "/tmp/gcdc_test_find_XXXXXX";
	int file = mkstemp(path);
	cr_assert(file >= 0);
	close(file);
	cr_assert_eq(gcdc_vocab_write(v, path, NULL), GCDC_OK);
	cr_assert_eq(gcdc_vocab_open(path, NULL, &again, NULL), GCDC_OK);
	unlink(path);
	gcdc_vocab *all[] = {v, again};
	for (int i = 0; i < 2; i++) {
		uint32_t n, token = 7;
		cr_assert_eq(gcdc_vocab_find(all[i], "<|en", &token), GCDC_ERR_VOCAB);
		cr_assert_eq(gcdc_vocab_find(all[i], "a", &token), GCDC_ERR_VOCAB);
		cr_assert_eq(token, 7);
		cr_assert_eq(gcdc_vocab_find(all[i], "<|end|>", &token), GCDC_OK);
		cr_assert_eq(token, *gcdc_vocab_eos(all[i], &n));
		cr_assert_eq(gcdc_vocab_find(all[i], NULL, &token), GCDC_ERR_ARGUMENT);
		gcdc_vocab_close(all[i]);
	}
}

Test(compile_api, stop_tokens_are_set_by_name)
{
	gcdc_vocab *v = builtin(), *other;
	const gcdc_token bytes[] = {{"a", 1, GCDC_TOKEN_TEXT}, {NULL, 0, GCDC_TOKEN_CONTROL}};
	const gcdc_vocab_options eos = {.eos = (const uint32_t[]){1}, .n_eos = 1};
	cr_assert_eq(gcdc_vocab_from_tokens(bytes, 2, &eos, &other, NULL), GCDC_OK);
	const gcdc_input in = lark(json);
	gcdc_compiled *c;
	gcdc_matcher *m;
	cr_assert_eq(gcdc_compile(v, &in, NULL, &c, NULL), GCDC_OK);
	gcdc_artifact *a = opened(c);
	cr_assert_eq(gcdc_matcher_new(a, NULL, &m), GCDC_OK);
	const char *const end[] = {"<|end|>"}, *const wrong[] = {"<|end|>", "<|no|>"}, *const text[] = {"a"};
	uint32_t n;
	cr_assert_eq(gcdc_matcher_set_stop_names(m, v, wrong, 2), GCDC_ERR_VOCAB);
	cr_assert_eq(gcdc_matcher_set_stop_names(m, v, text, 1), GCDC_ERR_VOCAB);
	cr_assert_eq(gcdc_matcher_set_stop_names(m, other, end, 1), GCDC_ERR_VOCAB);
	cr_assert_eq(gcdc_matcher_set_stop_names(m, v, NULL, 1), GCDC_ERR_ARGUMENT);
	cr_assert_eq(gcdc_matcher_set_stop_names(m, v, end, 1), GCDC_OK);
	gcdc_matcher_stop_tokens(m, &n);
	cr_assert_eq(n, 0);  // the file's own
	cr_assert_eq(gcdc_matcher_set_stop_names(m, v, NULL, 0), GCDC_OK);
	gcdc_matcher_free(m);
	gcdc_artifact_close(a);
	gcdc_compiled_free(c);
	gcdc_vocab_close(v);
	gcdc_vocab_close(other);
}

Test(compile_api, a_live_tokenizer_gives_the_same_vocabulary)
{
	gcdc_vocab *v = builtin(), *live;
	uint32_t n = gcdc_vocab_size(v), n_eos;
	const uint32_t *eos = gcdc_vocab_eos(v, &n_eos);
	gcdc_token *tokens = calloc(n, sizeof *tokens);
	for (uint32_t t = 0; t < n; t++) {
		uint32_t len;
		const uint8_t *bytes = gcdc_vocab_token(v, t, &len);
		tokens[t] = (gcdc_token){bytes, len, len ? GCDC_TOKEN_TEXT : GCDC_TOKEN_CONTROL};
	}
	const gcdc_vocab_options o = {.eos = eos, .n_eos = n_eos};
	cr_assert_eq(gcdc_vocab_from_tokens(tokens, n, &o, &live, NULL), GCDC_OK);
	uint64_t a[2], b[2];
	gcdc_vocab_hash(v, a), gcdc_vocab_hash(live, b);
	cr_assert(a[0] == b[0] && a[1] == b[1]);
	gcdc_vocab_close(live);
	gcdc_diagnostics *d;
	cr_assert_eq(gcdc_vocab_from_tokens(tokens, n, NULL, &live, &d), GCDC_ERR_VOCAB);
	cr_assert(strstr(gcdc_diagnostics_text(d), "no token ends a text"), "%s", gcdc_diagnostics_text(d));
	gcdc_diagnostics_free(d);
	tokens[3].kind = GCDC_TOKEN_TEXT, tokens[3].bytes = "", tokens[3].len = 1u << 20;
	cr_assert_eq(gcdc_vocab_from_tokens(tokens, n, &o, &live, NULL), GCDC_ERR_VOCAB);
	free(tokens);
	gcdc_vocab_close(v);
}

// A string whose characters are counted by number alone may end anywhere only where each of its bytes can be written.
Test(compile_api, strings_share_states_where_each_byte_is_a_token)
{
	uint8_t byte[256];
	gcdc_token tokens[257];
	const char schema[] = "{\"type\":\"string\",\"maxLength\":40}";
	const gcdc_input in = {.kind = GCDC_KIND_JSON_SCHEMA, .text = schema, .len = sizeof schema - 1};
	const gcdc_compile_options o = {.costs = GCDC_COSTS_OFF};
	const gcdc_vocab_options eos = {.eos = (const uint32_t[]){256}, .n_eos = 1};
	for (uint32_t lacks = 0xC2; lacks < 0xC4; lacks++) {
		gcdc_vocab *v;
		gcdc_compiled *c;
		for (uint32_t b = 0; b < 256; b++) {
			byte[b] = (uint8_t)(b == 0xC3 && lacks == 0xC3 ? 'a' : b);
			tokens[b] = (gcdc_token){&byte[b], 1, GCDC_TOKEN_TEXT};
		}
		tokens[256] = (gcdc_token){NULL, 0, GCDC_TOKEN_CONTROL};
		cr_assert_eq(gcdc_vocab_from_tokens(tokens, 257, &eos, &v, NULL), GCDC_OK);
		cr_assert_eq(gcdc_compile(v, &in, &o, &c, NULL), GCDC_OK);
		gcdc_artifact *a = opened(c);
		size_t size;
		const struct artifact_counters *counters = gcdc_artifact_section(a, SECTION_COUNTERS, &size);
		cr_expect_eq(counters && counters->flags & COUNTERS_SHARED, lacks != 0xC3);
		gcdc_artifact_close(a);
		gcdc_compiled_free(c);
		gcdc_vocab_close(v);
	}
}

// A key that is begun may become a later key or any other one. Where a token closes the object behind either, what the
// object stands in decides; without such tokens the two are answered apart.
Test(compile_api, tokens_over_open_keys_are_allowed_as_their_bytes_are)
{
	enum { N_BYTES = 256, N_INSIDE = 6, N = 13 };
	static const char schema[] = "{\"properties\":{\"o\":{\"properties\":{\"k1\":{\"type\":\"integer\"},"
								 "\"k2\":{\"type\":\"integer\"},\"k3\":{\"type\":\"integer\"},"
								 "\"k4\":{\"type\":\"integer\"}},\"additionalProperties\":{\"type\":\"integer\"}},"
								 "\"p\":{\"type\":\"integer\"}},\"additionalProperties\":false}";
	static const char *const over[N] = {
		"3",       "4\":",    "x\":",     "x\":1,",     "kx\":",      "x\":1,\"k",  // these close nothing
		"x\":1},", "x\":1}}", "x\":1}}}", "3\":1},\"p", "x\":1},\"p", "4\":1},\"k", "k4\":1}}"};
	static const char text[] = "{\"o\":{\"k1\":1,\"k3\":2,\"kx\":3},\"p\":4}";
	const gcdc_input in = {.kind = GCDC_KIND_JSON_SCHEMA, .text = schema, .len = sizeof schema - 1};
	const gcdc_compile_options o = {.costs = GCDC_COSTS_OFF};
	uint8_t byte[N_BYTES];
	gcdc_token tokens[N_BYTES + N + 1];
	for (uint32_t b = 0; b < N_BYTES; b++) byte[b] = (uint8_t)b, tokens[b] = (gcdc_token){&byte[b], 1, GCDC_TOKEN_TEXT};
	for (uint32_t n = N_INSIDE; n <= N; n += N - N_INSIDE) {
		for (uint32_t i = 0; i < n; i++)
			tokens[N_BYTES + i] = (gcdc_token){over[i], (uint32_t)strlen(over[i]), GCDC_TOKEN_TEXT};
		tokens[N_BYTES + n] = (gcdc_token){NULL, 0, GCDC_TOKEN_CONTROL};
		const gcdc_vocab_options eos = {.eos = (const uint32_t[]){N_BYTES + n}, .n_eos = 1};
		gcdc_vocab *v;
		gcdc_compiled *c;
		gcdc_matcher *m, *other;
		uint32_t n_allowed = 0;
		cr_assert_eq(gcdc_vocab_from_tokens(tokens, N_BYTES + n + 1, &eos, &v, NULL), GCDC_OK);
		cr_assert_eq(gcdc_compile(v, &in, &o, &c, NULL), GCDC_OK);
		gcdc_artifact *a = opened(c);
		cr_assert_eq(gcdc_matcher_new(a, NULL, &m), GCDC_OK);
		for (size_t at = 0; text[at]; at++) {
			for (uint32_t t = 0; t < N_BYTES + n; t++) {
				cr_assert_eq(gcdc_matcher_clone(m, &other), GCDC_OK);
				const bool can = gcdc_matcher_accept_bytes(other, tokens[t].bytes, tokens[t].len) == GCDC_OK;
				cr_expect_eq(gcdc_matcher_allowed(m, t), can, "%u tokens, %.*s: %.*s", n, (int)at, text,
				             (int)tokens[t].len, (const char *)tokens[t].bytes);
				n_allowed += t >= N_BYTES && can;
				gcdc_matcher_free(other);
			}
			cr_assert_eq(gcdc_matcher_accept(m, (uint8_t)text[at]), GCDC_OK, "%zu", at);
		}
		cr_expect_gt(n_allowed, 30, "%u", n_allowed);
		gcdc_matcher_free(m);
		gcdc_artifact_close(a);
		gcdc_compiled_free(c);
		gcdc_vocab_close(v);
	}
}

static char *slurp(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	cr_assert(f);
	char *text = malloc(1 << 22);
	*len = fread(text, 1, 1 << 22, f);
	fclose(f);
	return text;
}

Test(compile_api, a_vocabulary_is_opened_from_files_folders_and_memory)
{
	gcdc_vocab *v, *w;
	uint64_t a[2], b[2];
	char path[] = "/tmp/gcdc_api_XXXXXX";
	int fd = mkstemp(path);
	const char *const name = "<|end|>";
	const gcdc_vocab_options o = {.eos_names = &name, .n_eos_names = 1};
	cr_assert_eq(gcdc_vocab_open("tokenizers/default", &o, &v, NULL), GCDC_OK);
	gcdc_vocab_hash(v, a);
	cr_assert_eq(gcdc_vocab_write(v, path, NULL), GCDC_OK);
	size_t len, len_json;
	char *gcdv = slurp(path, &len), *text = slurp("tokenizers/default/tokenizer.json", &len_json);
	const char config[] = "{\"eos_token\": \"<|end|>\"}";
	cr_assert_eq(gcdc_vocab_open(path, NULL, &w, NULL), GCDC_OK);
	gcdc_vocab_hash(w, b), gcdc_vocab_close(w);
	cr_assert(a[0] == b[0] && a[1] == b[1]);
	cr_assert_eq(gcdc_vocab_open_memory(gcdv, len, NULL, &w, NULL), GCDC_OK);
	gcdc_vocab_hash(w, b), gcdc_vocab_close(w);
	cr_assert(a[0] == b[0] && a[1] == b[1]);
	const gcdc_vocab_options with = {.config = config, .config_len = sizeof config - 1};
	cr_assert_eq(gcdc_vocab_open_memory(text, len_json, &with, &w, NULL), GCDC_OK);
	gcdc_vocab_hash(w, b), gcdc_vocab_close(w);
	cr_assert(a[0] == b[0] && a[1] == b[1]);
	gcdc_diagnostics *d;
	cr_assert_eq(gcdc_vocab_open("/nowhere", NULL, &w, &d), GCDC_ERR_IO);
	cr_assert(strstr(gcdc_diagnostics_text(d), "/nowhere"));
	gcdc_diagnostics_free(d);
	cr_assert_eq(gcdc_vocab_open_memory("{}", 2, NULL, &w, NULL), GCDC_ERR_VOCAB);
	free(gcdv), free(text);
	close(fd), unlink(path);
	gcdc_vocab_close(v);
}

// A schema's artifact without tokens, as bytes (malloc'd), compiled with v.
static char *compiled_apart(gcdc_vocab *v, size_t *len)
{
	static const char schema[] = "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{\"type\":"
								 "\"number\"}},\"required\":[\"a\",\"b\"],\"additionalProperties\":false}";
	const gcdc_input in = {.kind = GCDC_KIND_JSON_SCHEMA, .text = schema, .len = sizeof schema - 1};
	const gcdc_compile_options o = {.no_vocab = true};
	gcdc_compiled *c;
	cr_assert_eq(gcdc_compile(v, &in, &o, &c, NULL), GCDC_OK);
	const void *bytes = gcdc_compiled_bytes(c, len);
	char *copy = malloc(*len);
	memcpy(copy, bytes, *len);
	gcdc_compiled_free(c);
	return copy;
}

// The name of a .gcdv with other bytes in a section; says_so: with another checksum of it, too.
static char *with_other_section(const char *path, uint32_t id, bool says_so)
{
	size_t len;
	char *file = slurp(path, &len), *name = malloc(strlen(path) + 3);
	struct vocab_file_header h;
	memcpy(&h, file, sizeof h);
	for (uint32_t k = 0; k < h.n_sections; k++) {
		char *row = file + sizeof h + k * sizeof(struct artifact_section);
		struct artifact_section section;
		memcpy(&section, row, sizeof section);
		if (section.id != id) continue;
		for (uint64_t i = 0; i < section.size; i++) file[section.offset + i] ^= 0x40;
		if (says_so) section.check ^= 0x40;
		memcpy(row, &section, sizeof section);
	}
	h.table_check = 0;
	memcpy(file, &h, sizeof h);
	h.table_check = XXH3_64bits(file, sizeof h + h.n_sections * sizeof(struct artifact_section));
	memcpy(file, &h, sizeof h);
	sprintf(name, "%s.x", path);
	FILE *f = fopen(name, "wb");
	cr_assert_eq(fwrite(file, 1, len, f), len);
	fclose(f);
	free(file);
	return name;
}

Test(compile_api, artifacts_are_told_from_the_standard_rows_and_lists_of_a_vocabulary)
{
	gcdc_vocab *v = builtin(), *w;
	char path[] = "/tmp/gcdc_api_XXXXXX";
	int fd = mkstemp(path);
	cr_assert_eq(gcdc_vocab_write(v, path, NULL), GCDC_OK);
	cr_assert_eq(gcdc_vocab_open(path, NULL, &w, NULL), GCDC_OK);
	size_t len[2], size[2];
	char *bytes[2] = {compiled_apart(v, &len[0]), compiled_apart(w, &len[1])};
	cr_assert_lt(len[1], len[0]);
	const gcdc_open_options o = {.vocab_path = path};
	gcdc_artifact *a[2];
	gcdc_refusal why;
	for (int i = 0; i < 2; i++)
		cr_assert_eq(gcdc_artifact_open_memory(bytes[i], len[i], &o, &a[i], &why), GCDC_OK, "%s", why.what);
	for (uint32_t id = 1; id < 128; id++) {
		const void *x = gcdc_artifact_section(a[0], id, &size[0]), *y = gcdc_artifact_section(a[1], id, &size[1]);
		cr_assert(!x == !y && (!x || size[0] == size[1]), "section %u", id);
		cr_assert(!x || !memcmp(x, y, size[0]), "section %u", id);
	}
	for (int i = 0; i < 2; i++) gcdc_artifact_close(a[i]);
	cr_assert_eq(gcdc_artifact_open_memory(bytes[1], len[1], NULL, &a[1], &why), GCDC_ERR_VOCAB);
	// Other rows, lists and places are noticed, by what comes out; rows and lists that say that they are others before.
	gcdc_vocab_close(w);
	static const struct {
		uint32_t id;
		bool says_so;
		gcdc_status status;
	} others[] = {{VOCAB_SECTION_ROWS, false, GCDC_ERR_FORMAT},
	              {VOCAB_SECTION_ROWS, true, GCDC_ERR_VOCAB},
	              {VOCAB_SECTION_TOKEN_OF, false, GCDC_ERR_FORMAT},
	              {VOCAB_SECTION_LISTS, false, GCDC_ERR_FORMAT},
	              {VOCAB_SECTION_LISTS, true, GCDC_ERR_VOCAB}};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		char *file = with_other_section(path, others[i].id, others[i].says_so);
		gcdc_artifact *broken;
		const gcdc_open_options other = {.vocab_path = file};
		cr_expect_eq(gcdc_artifact_open_memory(bytes[1], len[1], &other, &broken, &why), others[i].status, "%zu: %s", i,
		             why.what);
		unlink(file), free(file);
	}
	free(bytes[0]), free(bytes[1]);
	close(fd), unlink(path);
	gcdc_vocab_close(v);
}

Test(compile_api, canonical_tables_are_the_vocabularys)
{
	gcdc_vocab *plain = builtin(), *v;
	const gcdc_input in = lark(json);
	const gcdc_compile_options soft = {.canonical = GCDC_CANONICAL_SOFT};
	gcdc_compiled *c;
	cr_assert_eq(gcdc_compile(plain, &in, &soft, &c, NULL), GCDC_ERR_CANONICAL);
	cr_assert_eq(gcdc_vocab_open(NULL, &(gcdc_vocab_options){.canonical = true, .provenance = true}, &v, NULL),
	             GCDC_OK);
	cr_assert_eq(
		gcdc_compile(v, &in, &(gcdc_compile_options){.canonical = GCDC_CANONICAL_SOFT, .provenance = true}, &c, NULL),
		GCDC_OK);
	gcdc_artifact *a = opened(c);
	cr_assert_eq(gcdc_artifact_canonical(a), GCDC_CANONICAL_SOFT);
	gcdc_artifact_close(a);
	gcdc_compiled_free(c);
	const gcdc_input pattern = {.kind = GCDC_KIND_REGEX, .text = "[ab]{3}", .len = 7};
	cr_assert_eq(gcdc_compile(v, &pattern, &(gcdc_compile_options){.canonical = GCDC_CANONICAL_HARD}, &c, NULL),
	             GCDC_OK);
	cr_assert(accepts(c, "aba"));
	gcdc_compiled_free(c);
	gcdc_vocab_close(v), gcdc_vocab_close(plain);
}

Test(compile_api, conflicts_are_told)
{
	gcdc_vocab *v = builtin();
	const gcdc_input in = lark("start: s\ns: \"i\" s | \"i\" s \"e\" s | \"x\"\n");
	gcdc_compiled *c;
	gcdc_conflict x;
	cr_assert_eq(gcdc_compile(v, &in, &(gcdc_compile_options){.conflicts = true}, &c, NULL), GCDC_OK);
	cr_assert(gcdc_compiled_conflict(c, 0, &x) && x.n_ways == 2 && *x.example && x.n_kept);
	cr_assert(x.ways[0].line == 2 && !strcmp(x.ways[0].path, "g.lark"));
	gcdc_compiled_free(c);
	cr_assert_eq(gcdc_compile(v, &in, &(gcdc_compile_options){.deterministic = true}, &c, NULL), GCDC_ERR_GRAMMAR);
	gcdc_vocab_close(v);
}

// ---- Memory that runs out, at every place: an error each time, nothing lost, and the same bytes afterwards.

static void sweep(gcdc_status (*call)(void), uint64_t n_runs)
{
	work_fail_at(UINT64_MAX - 1, 1);  // only counts
	cr_assert_eq(call(), GCDC_OK);
	uint64_t n = work_fail_at(0, 0);
	cr_assert_gt(n, 5);
	for (uint64_t i = 0; i < n; i += 1 + n / n_runs) {
		work_fail_at(i, 1);
		gcdc_status status = call();
		work_fail_at(0, 0);
		cr_assert_eq(status, GCDC_ERR_MEMORY, "allocation %llu: %d", (unsigned long long)i, status);
	}
	cr_assert_eq(call(), GCDC_OK);
}

static gcdc_vocab *shared;

static gcdc_status compile_hard(void)
{
	const gcdc_input in = {.kind = GCDC_KIND_REGEX, .text = "[ab]{3}", .len = 7};
	gcdc_compiled *c;
	gcdc_diagnostics *d;
	gcdc_status status = gcdc_compile(
		shared, &in, &(gcdc_compile_options){.canonical = GCDC_CANONICAL_HARD, .no_vocab = true, .provenance = true},
		&c, &d);
	cr_assert(!status == !!c && (status || d));
	gcdc_compiled_free(c);
	gcdc_diagnostics_free(d);
	return status;
}

static gcdc_status compile_lark(void)
{
	const gcdc_input in = lark(json);
	gcdc_compiled *c;
	gcdc_diagnostics *d;
	gcdc_status status = gcdc_compile(shared, &in, NULL, &c, &d);
	gcdc_compiled_free(c);
	gcdc_diagnostics_free(d);
	return status;
}

static gcdc_status open_builtin(void)
{
	gcdc_vocab *v;
	gcdc_diagnostics *d;
	gcdc_status status = gcdc_vocab_open(NULL, &(gcdc_vocab_options){.canonical = true, .provenance = true}, &v, &d);
	gcdc_vocab_close(v);
	gcdc_diagnostics_free(d);
	return status;
}

static char gcdv_path[] = "/tmp/gcdc_api_XXXXXX";
static gcdc_status open_gcdv(void)
{
	gcdc_vocab *v;
	gcdc_diagnostics *d;
	gcdc_status status = gcdc_vocab_open(gcdv_path, &(gcdc_vocab_options){.vocab_size = 5000}, &v, &d);
	gcdc_vocab_close(v);
	gcdc_diagnostics_free(d);
	return status;
}

Test(compile_api_memory, any_allocation_that_fails_is_an_error, .timeout = 600)
{
	const gcdc_vocab_options o = {.canonical = true, .provenance = true};
	cr_assert_eq(gcdc_vocab_open(NULL, &o, &shared, NULL), GCDC_OK);
	int fd = mkstemp(gcdv_path);
	cr_assert_eq(gcdc_vocab_write(shared, gcdv_path, NULL), GCDC_OK);
	sweep(compile_lark, 60);
	sweep(compile_hard, 60);
	sweep(open_gcdv, 50);
	sweep(open_builtin, 12);

	close(fd), unlink(gcdv_path);
	gcdc_vocab_close(shared);
}

// Where the tables of costs are silent, a mask under a budget tries each token, and each takes the work of many parses.
Test(compile_api, tokens_that_are_tried_share_a_bound_of_work)
{
	static const char many_parses[] = "root ::= b \"a\" | \"-ez\" | \"\" | \"-\"\n"
									  "a ::= \".\" | \"ea\"? | \"(a\"\n"
									  "b ::= (\"^A\" | b{2,3}* (\"x*#\") \"\"\n"
									  " | (\"y-|\" root . | \")\" [^.(- ]+)\n"
									  " | (\"\" [$] | .? + +a* \"\")\n"
									  " | \"-0*\" + [a-c])\n";
	gcdc_vocab *v = builtin();
	const gcdc_input in = {
		.kind = GCDC_KIND_GBNF, .path = "g.gbnf", .text = many_parses, .len = sizeof many_parses - 1};
	const gcdc_matcher_options few = {.max_stacks = 6400};
	gcdc_compiled *c;
	gcdc_diagnostics *d;
	gcdc_matcher *m;
	uint32_t mask[4096 / 32];
	cr_assert_eq(gcdc_compile(v, &in, NULL, &c, &d), GCDC_OK, "%s", gcdc_diagnostics_text(d));
	gcdc_diagnostics_free(d);
	gcdc_artifact *a = opened(c);
	cr_assert_eq(gcdc_matcher_new(a, &few, &m), GCDC_OK);
	cr_assert_eq(gcdc_matcher_accept_bytes(m, "/a", 2), GCDC_OK);
	cr_assert_eq(gcdc_matcher_set_budget(m, 6, true, NULL), GCDC_OK);
	const uint64_t before = gcdc_show_links(m);
	cr_expect_eq(gcdc_matcher_fill(m, mask, sizeof mask / sizeof *mask, NULL), GCDC_ERR_STACKS);
	cr_expect_leq(gcdc_show_links(m) - before, 257 * 6400, "%" PRIu64 " links", gcdc_show_links(m) - before);
	gcdc_matcher_free(m);
	gcdc_artifact_close(a);
	gcdc_compiled_free(c);
	gcdc_vocab_close(v);
}
