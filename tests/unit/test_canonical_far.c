// When a budget is far away in hard canonical mode (lib/runtime/canonical/far.c): each part of the bound.
#include <criterion/criterion.h>

#include "../../lib/runtime/core/runtime_internal.h"
#include "../../lib/runtime/canonical/far.h"

#include "hard_testing.h"

static gcdc_matcher *m;

static void setup(void)
{
	open_with("start: list\nlist: \"[\" [item (\",\" item)*] \"]\"\nitem: list | W\nW: /[a-z ]*;/\n",
	          COMPILE_COSTS_ALIGNED);
	cr_assert_eq(gcdc_matcher_new(artifact, NULL, &m), GCDC_OK);
	cr_assert(canonical_cache_of(m) && artifact->canonical.bound.is_there);
}

static void close_all(void)
{
	gcdc_matcher_free(m);
	teardown();
}

static uint32_t least(void) { return far_least(m, m->now); }

static void check_parts(void)
{
	const struct canonical_bound *b = &artifact->canonical.bound;
	struct canonical_ahead *ahead = &m->cache->ahead;
	*ahead = (struct canonical_ahead){0};
	const uint32_t one = least(), text = b->frame + b->token + (FAR_CHARACTERS + 1) * b->terminal + b->lexeme;
	cr_expect_eq(one, text + FAR_AHEAD + FAR_CHARACTERS);
	ahead->steps = 5;
	cr_expect_eq(least(), one + 4);
	*ahead = (struct canonical_ahead){.inside = FAR_AHEAD + 7};
	cr_expect_eq(least(), one + 7);
	*ahead = (struct canonical_ahead){.more = b->token + 9};
	cr_expect_eq(least(), one + 9);
	*ahead = (struct canonical_ahead){0};
	cr_assert_eq(gcdc_matcher_accept_bytes(m, "[[", 2), GCDC_OK);  // the second one pends
	cr_expect_eq(least(), one + b->frame);
}

static void check_unknown(void)
{
	struct canonical_ahead *ahead = &m->cache->ahead;
	gcdc_matcher_reset(m);
	struct frame *top = &m->pool->at[m->now->at[0].frame];
	*ahead = (struct canonical_ahead){.inside = FAR_MOST};
	cr_expect_neq(least(), ARTIFACT_NONE);
	*ahead = (struct canonical_ahead){.inside = FAR_MOST + 1};
	cr_expect_eq(least(), ARTIFACT_NONE);
	*ahead = (struct canonical_ahead){.more = FAR_NEVER};
	cr_expect_eq(least(), ARTIFACT_NONE);
	*ahead = (struct canonical_ahead){0};
	const uint32_t depth = top->depth;
	top->depth |= FRAME_BRANCHED;
	cr_expect_eq(least(), ARTIFACT_NONE, "several stacks");
	top->depth = depth;
	artifact->info.n_lines = 1;
	cr_expect_eq(least(), ARTIFACT_NONE, "columns");
	artifact->info.n_lines = 0;
	artifact->regex.info = (const void *)artifact;
	cr_expect_eq(least(), ARTIFACT_NONE, "one regular expression");
	artifact->regex.info = NULL;
	artifact->canonical.bound.is_there = false;
	cr_expect_eq(least(), ARTIFACT_NONE);
	artifact->canonical.bound.is_there = true;
	cr_expect_neq(least(), ARTIFACT_NONE);
}

// The end of the text may be one token more.
static void check_end(void)
{
	for (uint32_t eos = 0; eos < 2; eos++) {
		m->budget_counts_eos = eos;
		m->now->left = least() + eos;
		cr_expect(!far_is(m, m->now));
		m->now->left++;
		cr_expect(far_is(m, m->now));
	}
	m->now->left = GCDC_NONE;
}

Test(far, budgets_are_far_by_each_part_of_the_bound, .init = setup, .fini = close_all)
{
	check_parts();
	check_unknown();
	check_end();
}
