// The least number of tokens that a text still needs is kept for a while: it is what a matcher says that kept nothing.
#include <criterion/criterion.h>

#include "../../lib/runtime/core/runtime_internal.h"

#include "packed_text.h"

static uint64_t state = 20261129;
static uint32_t random_below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

#define MOST 120u  // bytes of a text

// Another artifact, a matcher of its own.
static uint32_t least_anew(const gcdc_artifact *a, const char *text, uint32_t n)
{
	gcdc_matcher *m;
	uint32_t least = 0;
	cr_assert_eq(gcdc_matcher_new(a, NULL, &m), GCDC_OK);
	if (n) cr_assert_eq(gcdc_matcher_accept_bytes(m, text, n), GCDC_OK);
	gcdc_status status = gcdc_matcher_min_tokens(m, false, &least);
	cr_assert(status == GCDC_OK || status == GCDC_ERR_BUDGET);
	gcdc_matcher_free(m);
	((struct gcdc_artifact *)(uintptr_t)a)->start_price = 0;
	return least;
}

// Texts begin with `head`, grow by bytes of `pieces`, lose their ends, and begin anew.
static void walk(const char *grammar, const char *head, const char *pieces, uint32_t steps)
{
	size_t len;
	uint8_t *bytes = packed_text(grammar, COMPILE_COSTS_EXACT, true, &len);
	gcdc_artifact *a[2];
	gcdc_matcher *m;
	char text[MOST + 1] = {0};
	uint32_t n = 0, n_other = 0, before = 0;
	for (int k = 0; k < 2; k++) cr_assert_eq(gcdc_artifact_open_memory(bytes, len, NULL, &a[k], NULL), GCDC_OK);
	const gcdc_matcher_options o = {.max_rollback = MOST};
	cr_assert_eq(gcdc_matcher_new(a[0], &o, &m), GCDC_OK);
	for (uint32_t step = 0; step < steps; step++) {
		if (step % 2000 == 0) {  // frames that have not been used yet are alike
			gcdc_matcher_free(m);
			cr_assert_eq(gcdc_matcher_new(a[0], &o, &m), GCDC_OK);
			n = 0;
		}
		if (n && (n == MOST || !random_below(6))) {
			const uint32_t back = 1 + random_below(n);
			cr_assert_eq(gcdc_matcher_rollback(m, back), GCDC_OK);
			n -= back;
		} else {
			text[n] = n < strlen(head) ? head[n] : pieces[random_below((uint32_t)strlen(pieces))];
			if (gcdc_matcher_accept_bytes(m, text + n, 1) == GCDC_OK) n++;
		}
		uint32_t least = 0, again = 0;
		gcdc_status status = gcdc_matcher_min_tokens(m, false, &least);
		cr_assert(status == GCDC_OK || status == GCDC_ERR_BUDGET);
		cr_assert_eq(gcdc_matcher_min_tokens(m, false, &again), status);
		text[n] = 0;
		cr_assert_eq(least, again);
		cr_assert_eq(least, least_anew(a[1], text, n), "step %u: %u tokens behind '%s'", step, least, text);
		n_other += least != before;
		before = least;
	}
	cr_expect_gt(n_other, steps / 30, "%u other numbers", n_other);
	gcdc_matcher_free(m);
	for (int k = 0; k < 2; k++) gcdc_artifact_close(a[k]);
	free(bytes);
}

Test(least, what_is_kept_is_that_of_the_same_stack, .timeout = 120)
{
	static const char grammar[] =
		"start: \"qxzjqxzj\" list \">\" \"$\"\nlist: \"[\" [item (\",\" item)*] \"]\"\n"
		"item: list | \"(\" item \";\" item \")\" | NAME | NAME \"=\" NUMBER \":\" item | NUMBER \"..\" NUMBER | "
		"FLOAT \"!\"\n"
		"NAME: /[a-z]+/\nNUMBER: /[0-9]+/\nFLOAT: /[0-9]+\\.[0-9]*/\n%ignore / +/\n";
	walk(grammar, "qxzjqxzj[", "[[,,]((;)=::a 10..!>", 30000);
	walk(grammar, "qxzjqxzj[", "[", 1000);  // more frames than prices are kept
}

Test(least, what_is_kept_is_that_of_the_same_columns, .timeout = 120)
{
	walk("start: (stmt | _NL)*\nstmt: NAME _NL | NAME \":\" _NL _I stmt+ _D [\"end\" _NL]\nNAME: /[a-d]+/\n"
	     "_NL: /(#[^\\n]*)?\\n([ \\t]*(#[^\\n]*)?\\n)*[ \\t]*/\n%ignore / +/\n"
	     "%indent newline=_NL indent=_I dedent=_D end=newline\n",
	     "", "a:\n\n  a:", 12000);
}
