// Works that are given up: limits, cancelling, memory that runs out at every place where it can.
#include <criterion/criterion.h>
#include <math.h>

#include "base/parallel.h"
#include "base/text_out.h"
#include "base/work.h"
#include "compile/compile.h"
#include "notation/notation.h"
#include "schema/schema.h"

// --- base/work.h -----------------------------------------------------------------------------------------------------

static void leave_much(void *context)
{
	VEC(uint32_t) *v = context;
	struct arena a = {0};
	for (uint32_t i = 0;; i++) {
		vec_push(v, i);
		arena_alloc(&a, 100);
		mem_alloc(i % 100);  // lost, but the work knows it
	}
}

Test(work, a_limit_of_memory_gives_up_and_frees_all)
{
	VEC(uint32_t) v = {0};
	struct work_result r;
	cr_assert(!work_run(&(struct work_limits){.max_bytes = 1 << 20}, leave_much, &v, &r));
	cr_assert_eq(r.end, WORK_MAX_MEMORY);
	cr_assert_eq(r.max_bytes, 1 << 20);
	cr_assert(r.peak_bytes <= 1 << 20);
}

static void give_up_within(void *context)
{
	struct work_result r;
	VEC(uint32_t) v = {0};
	char *mine = mem_alloc(10);
	cr_assert(!work_run(&(struct work_limits){.max_bytes = 1 << 16}, leave_much, &v, &r));
	cr_assert_eq(r.end, WORK_MAX_MEMORY);
	mem_free(mine);
	*(void **)context = mem_alloc(20);
}

Test(work, a_work_within_a_work_gives_up_alone_and_what_is_left_belongs_to_the_caller)
{
	void *left = NULL;
	struct work_result r;
	cr_assert(work_run(NULL, give_up_within, &left, &r));
	cr_assert(left);
	mem_free(left);
}

static void outer_limit(void *context)
{
	struct work_result r;
	VEC(uint32_t) v = {0};
	*(bool *)context = work_run(&(struct work_limits){.max_bytes = 1 << 30}, leave_much, &v, &r);
	cr_assert_eq(r.max_bytes, 1 << 16);
}

Test(work, the_limits_of_the_work_around_hold_within)
{
	bool ended = true;
	struct work_result r;
	cr_assert(work_run(&(struct work_limits){.max_bytes = 1 << 16}, outer_limit, &ended, &r));
	cr_assert(!ended);
}

static void grow_the_callers(void *context)
{
	VEC(uint32_t) *v = context;
	for (uint32_t i = 0; i < 1000; i++) vec_push(v, i);
	work_too_large("SOME_LIMIT", 7);
}

static void own_and_call(void *context)
{
	VEC(uint32_t) v = {0};
	struct work_result r;
	vec_push(&v, 1);
	cr_assert(!work_run(NULL, grow_the_callers, &v, &r));
	cr_assert_eq(r.end, WORK_TOO_LARGE);
	cr_assert_str_eq(r.limit, "SOME_LIMIT");
	cr_assert(v.at[1000] == 999, "what the caller had is grown, and stays the caller's");
	vec_release(&v);
	*(bool *)context = true;
}

Test(work, what_the_caller_had_before_stays_the_callers)
{
	bool ran = false;
	struct work_result r;
	cr_assert(work_run(NULL, own_and_call, &ran, &r) && ran);
}

static bool not_any_more(void *user) { return ++*(int *)user < 3; }

Test(work, a_caller_may_cancel)
{
	int asked = 0;
	VEC(uint32_t) v = {0};
	struct work_result r;
	cr_assert(!work_run(&(struct work_limits){.max_bytes = 1u << 30, .go_on = not_any_more, .user = &asked}, leave_much,
	                    &v, &r));
	cr_assert_eq(r.end, WORK_CANCELLED);
	cr_assert_eq(asked, 3);
}

static void count_release(void *what) { ++*(int *)what; }

static void fail_among_cleanups(void *context)
{
	struct work_cleanup a, b;
	work_cleanup(&a, count_release, context);
	work_cleanup(&b, count_release, context);
	work_cleanup_end(&b);
	work_out_of_memory(1);
}

Test(work, cleanups_that_have_not_ended_are_run)
{
	int n = 0;
	struct work_result r;
	cr_assert(!work_run(NULL, fail_among_cleanups, &n, &r));
	cr_assert_eq(r.end, WORK_NO_MEMORY);
	cr_assert_eq(n, 1);
}

static void fail_amid_texts(void *context)
{
	struct text_out whole, open;
	text_open(&whole), text_open(&open);
	fprintf(open.f, "%s is not closed", (const char *)context);
	fputs("this one has ended", whole.f), text_end(&whole);
	cr_assert_eq(whole.len, 18);
	work_out_of_memory(1);
}

// The sanitizer tells what leaks: libc's memory is none of the work's.
Test(work, texts_that_are_not_closed_are_freed)
{
	struct work_result r;
	struct arena a = {0};
	struct text_out t;
	cr_assert(!work_run(NULL, fail_amid_texts, "this one", &r));
	cr_assert_eq(r.end, WORK_NO_MEMORY);
	text_open(&t);
	fprintf(t.f, "%s", "and one outside of a work");
	cr_assert_str_eq(text_close(&t, &a), "and one outside of a work");
	arena_release(&a);
}

struct shared {
	struct arena arenas[8];
	VEC(uint32_t) grown[8];  // begun by the caller
};

static void share(void *context, uint32_t i)
{
	struct shared *s = context;
	work_on("share", i == 5 ? "five" : "another", (struct loc){0});
	for (uint32_t k = 0; k < 20000; k++) {
		vec_push(&s->grown[i], k);
		arena_alloc(&s->arenas[i], 64);
		if (i == 5 && k == 1000) work_too_large("FIVE", 1000);
	}
}

static void run_shares(void *context)
{
	struct shared *s = context;
	work_stage("shares");
	for (int i = 0; i < 8; i++) vec_push(&s->grown[i], 0);
	parallel_run(8, share, s);
	cr_assert(false, "one of them has given up");
}

Test(work, a_thread_that_gives_up_makes_all_give_up)
{
	struct shared s = {0};
	struct work_result r;
	cr_assert(!work_run(NULL, run_shares, &s, &r));
	cr_assert_str_eq(r.limit, "FIVE");
	cr_assert_str_eq(r.stage, "shares");
	cr_assert_str_eq(r.name, "five");
}

// --- The compiler ----------------------------------------------------------------------------------------------------

static const char *const grammars[] = {
	"start: \"[\" [start (\",\" start)*] \"]\" | /[0-9]+/\n%ignore \" \"\n",
	"start: e\ne: e \"+\" e | N\nN: /[0-9]+(?![a-z])/ | /k+/i | \"a\"~2..5\n",
	("start: (NAME _NL [_INDENT start _DEDENT])+\nNAME: /[a-z]+/\n_NL: /(\\n *)+/\n%declare _INDENT _DEDENT\n"
     "%indent newline=_NL indent=_INDENT dedent=_DEDENT tab=8\n"),
};

static void bytes_vocabulary(struct vocab *v)
{
	static uint8_t byte[256];
	const uint8_t *bytes[257];
	uint32_t len[257];
	for (uint32_t i = 0; i < 256; i++) byte[i] = (uint8_t)i, bytes[i] = &byte[i], len[i] = 1;
	bytes[256] = (const uint8_t *)"ab", len[256] = 2;
	vocab_build(&(struct vocab_tokens){257, bytes, len, NULL, 1, &(uint32_t){0}}, v);
}

// Grammar to bytes; NULL after an error.
static uint8_t *compile_all(const char *text, const struct vocab *v, const struct compile_options *o, struct diag *d,
                            size_t *len)
{
	struct grammar g;
	struct compiled c;
	uint8_t *bytes = NULL;
	if (!grammar_parse("g.lark", text, strlen(text), NULL, d, &g)) return NULL;
	if (compile_image(&g, v, o, d, &c)) {
		artifact_encode(&c.image, NULL, d, &bytes, len);
		compile_release(&c);
	}
	grammar_release(&g);
	return bytes;
}

// Allocations of a compilation fail, one each time, spread over all of it: each time that is an error, nothing leaks
// (the sanitizer would tell), and the compilation behind them gives what it always gives.
static void sweep(const struct compile_options *o, uint64_t n_runs)
{
	struct vocab v;
	bytes_vocabulary(&v);
	for (size_t g = 0; g < sizeof grammars / sizeof *grammars; g++) {
		struct diag clean = {0};
		size_t len = 0, len_again = 0;
		work_fail_at(UINT64_MAX - 1, 1);  // only counts
		uint8_t *whole = compile_all(grammars[g], &v, o, &clean, &len);
		cr_assert(whole, "%s", diag_text(&clean));
		uint64_t n = work_fail_at(0, 0);
		cr_assert_gt(n, 300);
		for (uint64_t i = 0; i < n; i += 1 + n / n_runs) {
			struct diag d = {0};
			work_fail_at(i, 1);
			uint8_t *bytes = compile_all(grammars[g], &v, o, &d, &len_again);
			work_fail_at(0, 0);
			// With threads the last ones may belong to what another run did not need.
			if (!bytes)
				cr_assert_eq(d.given_up, WORK_NO_MEMORY, "allocation %llu: %s", (unsigned long long)i, diag_text(&d));
			if (!bytes) cr_assert(strstr(diag_text(&d), "out of memory"), "%s", diag_text(&d));
			if (!o || o->threads < 2) cr_assert(!bytes, "allocation %llu failed unnoticed", (unsigned long long)i);
			mem_free(bytes);
			diag_release(&d);
		}
		uint8_t *again = compile_all(grammars[g], &v, o, &clean, &len_again);
		cr_assert(again && len == len_again && !memcmp(whole, again, len), "the same as before");
		mem_free(whole), mem_free(again);
		diag_release(&clean);
	}
	vocab_release(&v);
}

Test(out_of_memory, any_allocation_that_fails_is_an_error, .timeout = 900)
{
	sweep(&(struct compile_options){.costs = COMPILE_COSTS_EXACT}, 300);
}

Test(out_of_memory, any_allocation_of_any_thread_that_fails_is_an_error, .timeout = 900)
{
	sweep(&(struct compile_options){.costs = COMPILE_COSTS_ALIGNED, .threads = 4}, 100);
}

// Schemas inside a document share a store of languages, which is the document's.
Test(out_of_memory, reading_a_structural_tag_whose_schemas_share_a_store)
{
	static const char text[] =
		"{\"type\":\"structural_tag\",\"format\":{\"type\":\"sequence\",\"elements\":["
		"{\"type\":\"json_schema\",\"json_schema\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}},"
		"{\"type\":\"const_string\",\"value\":\";\"},"
		"{\"type\":\"tag\",\"begin\":\"<\",\"content\":{\"type\":\"any_text\"},\"end\":\">\"},"
		"{\"type\":\"qwen_xml_parameter\",\"json_schema\":{\"type\":\"object\",\"properties\":{\"q\":{\"type\":"
		"[\"string\",\"null\"]}}}},{\"type\":\"regex\",\"pattern\":\"a(b|[^c])*\"},"
		"{\"type\":\"json_schema\",\"json_schema\":{\"type\":\"object\",\"properties\":{\"a\":{\"minimum\":3}}}}]}}";
	struct diag clean = {0};
	struct grammar g;
	work_fail_at(UINT64_MAX - 1, 1);  // only counts
	cr_assert(
		notation_parse(NOTATION_STRUCTURAL_TAG, (struct notation_text){"t.json", text, strlen(text)}, NULL, &clean, &g),
		"%s", diag_text(&clean));
	uint64_t n = work_fail_at(0, 0);
	for (uint64_t i = 0; i < n; i += 1 + n / 200) {
		struct diag d = {0};
		struct grammar none;
		work_fail_at(i, 1);
		bool ok = notation_parse(NOTATION_STRUCTURAL_TAG, (struct notation_text){"t.json", text, strlen(text)}, NULL,
		                         &d, &none);
		work_fail_at(0, 0);
		cr_assert(!ok && d.given_up == WORK_NO_MEMORY, "allocation %llu: %s", (unsigned long long)i, diag_text(&d));
		diag_release(&d);
	}
	grammar_release(&g);
	diag_release(&clean);
}

Test(out_of_memory, reading_a_list_of_tools)
{
	static const char text[] = "[{\"name\":\"f\",\"parameters\":{\"type\":\"object\",\"properties\":{\"a\":{}}}},"
							   "{\"name\":\"g\",\"parameters\":{\"type\":\"object\"}}]";
	const struct schema_options o = {.kind = SCHEMA_KIND_TOOLS};
	struct diag clean = {0};
	struct grammar g;
	work_fail_at(UINT64_MAX - 1, 1);  // only counts
	cr_assert(schema_parse("t.json", text, strlen(text), &o, &clean, &g), "%s", diag_text(&clean));
	uint64_t n = work_fail_at(0, 0);
	for (uint64_t i = 0; i < n; i += 1 + n / 500) {
		struct diag d = {0};
		struct grammar none;
		work_fail_at(i, 1);
		bool ok = schema_parse("t.json", text, strlen(text), &o, &d, &none);
		work_fail_at(0, 0);
		cr_assert(!ok && d.given_up == WORK_NO_MEMORY, "allocation %llu: %s", (unsigned long long)i, diag_text(&d));
		diag_release(&d);
	}
	grammar_release(&g);
	diag_release(&clean);
}

static const char explosive[] = "start: A\nA: /[a-z ]*a[a-z ]{12}/\n";

Test(limits, passing_max_bytes_names_the_stage_and_the_terminal)
{
	struct vocab v;
	struct diag d = {0};
	size_t len;
	bytes_vocabulary(&v);
	cr_assert(!compile_all(explosive, &v, &(struct compile_options){.max_bytes = 1 << 20}, &d, &len));
	cr_assert_eq(d.given_up, WORK_MAX_MEMORY);
	cr_assert(strstr(diag_text(&d), "g.lark:2:1: error: ") &&
	              strstr(diag_text(&d), "terminal A takes more than 1 MiB of memory (limit max-memory)"),
	          "%s", diag_text(&d));
	cr_assert(strstr(diag_text(&d), "lower the bounds"), "%s", diag_text(&d));
	diag_release(&d);
	vocab_release(&v);
}

Test(limits, passing_max_seconds_is_an_error)
{
	struct vocab v;
	struct diag d = {0};
	size_t len;
	bytes_vocabulary(&v);
	cr_assert(!compile_all(explosive, &v, &(struct compile_options){.max_seconds = 1e-9}, &d, &len));
	cr_assert_eq(d.given_up, WORK_MAX_SECONDS);
	diag_release(&d);
	vocab_release(&v);
}

static bool until_lexer(enum compile_stage stage, void *user)
{
	*(int *)user = (int)stage;
	return stage != STAGE_LEXER;
}

Test(limits, the_progress_callback_cancels)
{
	struct vocab v;
	struct diag d = {0};
	size_t len;
	int stage = -1;
	bytes_vocabulary(&v);
	cr_assert(
		!compile_all(explosive, &v, &(struct compile_options){.progress = until_lexer, .user = &stage}, &d, &len));
	cr_assert_eq(d.given_up, WORK_CANCELLED);
	cr_assert_eq(stage, STAGE_LEXER);
	cr_assert(strstr(diag_text(&d), "cancelled (at lexer)"), "%s", diag_text(&d));
	diag_release(&d);
	vocab_release(&v);
}

// Through rules the repetitions stay one within the other: a terminal then has more ways than can be followed.
Test(limits, ways_of_one_terminal_are_counted_and_it_is_named)
{
	struct vocab v;
	struct diag d = {0};
	size_t len;
	bytes_vocabulary(&v);
	cr_assert(!compile_all("start: r3~0..99\nr3: r2~0..99\nr2: r1~0..99\nr1: (\"a\"?)~0..99\n", &v, NULL, &d, &len));
	cr_assert_eq(d.given_up, WORK_TOO_LARGE);
	cr_assert(strstr(diag_text(&d), "g.lark:4:6: error: ") &&
	              strstr(diag_text(&d), "terminal A takes more than 1048576 steps (limit FRAMES_MAX_WAYS)"),
	          "%s", diag_text(&d));
	diag_release(&d);
	vocab_release(&v);
}
