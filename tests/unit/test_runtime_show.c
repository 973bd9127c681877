// gcdc/show.h: readings, all stacks that share a top, and how a text was read.
#include <criterion/criterion.h>

#include "../../lib/compile/compile.h"
#include "gcdc/show.h"

static gcdc_artifact *artifact_of(const char *grammar, uint8_t **bytes)
{
	static const char *const text[] = {"", "a", "b", "c", "+", "-", "1", ".", " ", "\n", "  ", ":", "\t"};
	enum { N = sizeof text / sizeof *text };
	const uint8_t *token[N];
	uint32_t len[N], eos = 0;
	uint8_t kind[N];
	for (uint32_t t = 0; t < N; t++) {
		token[t] = (const uint8_t *)text[t], len[t] = (uint32_t)strlen(text[t]);
		kind[t] = t ? TOKEN_TEXT : TOKEN_CONTROL;
	}
	struct diag d = {0};
	struct vocab v = {0};
	struct grammar g;
	struct compiled c;
	size_t size;
	vocab_build(&(struct vocab_tokens){N, token, len, kind, 1, &eos}, &v);
	cr_assert(grammar_parse("show.lark", grammar, strlen(grammar), NULL, &d, &g), "%s", diag_text(&d));
	cr_assert(compile_image(&g, &v, &(struct compile_options){0}, &d, &c), "%s", diag_text(&d));
	cr_assert(artifact_encode(&c.image, &(struct artifact_write_options){.raw = true}, &d, bytes, &size), "%s",
	          diag_text(&d));
	compile_release(&c);
	grammar_release(&g);
	vocab_release(&v);
	diag_release(&d);
	gcdc_artifact *a;
	gcdc_refusal why;
	cr_assert_eq(gcdc_artifact_open_memory(*bytes, size, NULL, &a, &why), GCDC_OK, "%s", why.what);
	return a;
}

// "a+b|+|c" : lexemes and what is at hand, of every lexing, one a line; then how many bytes were read.
static void tell(const gcdc_artifact *a, const char *text, char *out, size_t size)
{
	gcdc_shown_text *shown;
	cr_assert_eq(gcdc_show_text(a, NULL, text, strlen(text), &shown), GCDC_OK);
	size_t n = 0;
	for (size_t i = 0; i < shown->n_lexings; i++) {
		const gcdc_lexing *x = &shown->lexings[i];
		size_t end = 0;
		for (size_t k = 0; k < x->n; k++) {
			cr_assert_eq(x->lexemes[k].begin, end);
			end = x->lexemes[k].end;
			n += (size_t)snprintf(out + n, size - n, "%.*s|", (int)(end - x->lexemes[k].begin),
			                      text + x->lexemes[k].begin);
		}
		cr_assert_eq(x->begin, end);
		n += (size_t)snprintf(out + n, size - n, "%.*s\n", (int)(shown->at - end), text + end);
	}
	snprintf(out + n, size - n, "%zu", shown->at);
	gcdc_show_text_free(shown);
}

static void expect(const gcdc_artifact *a, const char *text, const char *expected)
{
	char got[512];
	tell(a, text, got, sizeof got);
	cr_expect_str_eq(got, expected, "%s: %s", text, got);
}

Test(runtime_show, a_text_is_told_by_its_lexemes)
{
	uint8_t *bytes;
	gcdc_artifact *a =
		artifact_of("start: (INT | FLOAT | DOT)+\nINT: /1+/\nFLOAT: /1+\\.1+/\nDOT: \".\"\n%ignore / +/\n", &bytes);
	expect(a, "", "\n0");
	expect(a, "11", "11\n2");
	expect(a, "1 1", "1| |1\n3");
	expect(a, "1.", "1|.\n1.\n2");  // INT DOT, or FLOAT that goes on
	expect(a, "1.1", "1.1\n3");
	expect(a, "1..", "1|.|.\n3");
	expect(a, "1.a", "1|.\n1.\n2");  // stops before the a, and says what was alive
	gcdc_artifact_close(a);
	free(bytes);
}

struct seen {
	uint32_t n, depth;
	bool cut;
};
static void see(void *to, const gcdc_shown_stack *s)
{
	struct seen *seen = to;
	seen->n++;
	seen->depth += s->n;
	seen->cut |= s->is_cut;
	cr_expect(s->is_cut || s->lr_states[s->n - 1] == 1, "a stack ends at the bottom");
}

Test(runtime_show, every_stack_that_shares_a_top_is_visited)
{
	// After n a's, the middle of the palindrome is anywhere.
	uint8_t *bytes;
	gcdc_artifact *a = artifact_of("start: s\ns: \"a\" s \"a\" | \"b\" s \"b\" |\n", &bytes);
	gcdc_shown_text *shown;
	cr_assert_eq(gcdc_show_text(a, NULL, "aaaaaaaa", 8, &shown), GCDC_OK);
	cr_expect_eq(shown->at, 8);
	uint32_t all = 0, first = 0, bounded = 0;
	gcdc_shown_reading r;
	for (uint32_t i = 0; gcdc_show_reading(shown->matcher, i, &r); i++) {
		struct seen seen = {0}, two = {0};
		bool complete;
		cr_assert_eq(gcdc_show_stacks(shown->matcher, i, (gcdc_show_limits){1000, 1000}, see, &seen, &complete),
		             GCDC_OK);
		cr_expect(complete && !seen.cut);
		cr_assert_eq(gcdc_show_stacks(shown->matcher, i, (gcdc_show_limits){1, 1000}, see, &two, &complete), GCDC_OK);
		cr_expect_eq(two.n, 1);
		cr_expect_eq(complete, seen.n == 1);
		all += seen.n, first++, bounded += two.n;
	}
	cr_expect(all > first && all >= 4, "%u stacks in %u readings", all, first);
	cr_expect_eq(bounded, first);
	gcdc_show_text_free(shown);
	gcdc_artifact_close(a);
	free(bytes);
}

Test(runtime_show, open_columns_are_told)
{
	uint8_t *bytes;
	gcdc_artifact *a =
		artifact_of("start: (NAME _NL | NAME \":\" _NL _IN start _OUT)+\nNAME: /[abc]+/\n_NL: /(\\n[ \\t]*)+/\n"
	                "%indent newline=_NL indent=_IN dedent=_OUT\n",
	                &bytes);
	gcdc_shown_text *shown;
	const char *text = "a:\n  b:\n      c\n  ";
	cr_assert_eq(gcdc_show_text(a, NULL, text, strlen(text), &shown), GCDC_OK);
	uint32_t columns[4], column;
	gcdc_shown_reading r;
	cr_assert(gcdc_show_reading(shown->matcher, 0, &r));
	cr_expect_eq(gcdc_matcher_columns(shown->matcher, 0, columns, 4, &column), 3);
	cr_expect(columns[0] == 6 && columns[1] == 2 && columns[2] == 0);
	cr_expect_eq(column, 2);
	gcdc_show_text_free(shown);
	gcdc_artifact_close(a);
	free(bytes);
}
