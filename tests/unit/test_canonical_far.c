// When a budget is far away in hard canonical mode (lib/runtime/canonical/far.c): each part of the bound, and of which
// tokens it is so.
#include <criterion/criterion.h>

#include "../../lib/runtime/core/runtime_internal.h"
#include "../../lib/runtime/canonical/far.h"

#include "hard_testing.h"

static gcdc_matcher *m;
static const struct far_tables *far;

static void setup(void)
{
	open_with("start: list\nlist: \"[\" [item (\",\" item)*] \"]\"\nitem: list | W\nW: /[a-z ]*;/\n",
	          COMPILE_COSTS_ALIGNED);
	cr_assert_eq(gcdc_matcher_new(artifact, NULL, &m), GCDC_OK);
	cr_assert(canonical_cache_of(m) && (far = far_tables_of(m)));
}

static void close_all(void)
{
	gcdc_matcher_free(m);
	teardown();
}

static uint32_t token_named(const char *text)
{
	const size_t n = strlen(text);
	for (uint32_t t = 0; t < artifact->info.n_tokens; t++)
		if (artifact->token_offset[t + 1] - artifact->token_offset[t] == n &&
		    !memcmp(artifact->token_bytes + artifact->token_offset[t], text, n))
			return t;
	cr_assert_fail("no token %s", text);
	return 0;
}

static uint32_t least(const char *text) { return far_least(m, m->now, token_named(text)); }

static uint32_t need(uint32_t ends)
{
	const struct far_kind *top = &far->kinds[far->of_state[m->pool->at[m->now->at[0].frame].lr_state]];
	return ends <= FAR_NEEDS ? top->need[ends - 1] : far->more_needs[ends - FAR_NEEDS - 1];
}

static uint32_t frames(void)
{
	uint32_t sum = 0;
	for (uint32_t f = m->now->at[0].frame;; f = m->pool->at[f].parent) {
		sum += far->kinds[far->of_state[m->pool->at[f].lr_state]].frame;
		if (f == FRAME_BOTTOM) return sum;
	}
}

static void check_parts(void)
{
	struct canonical_ahead *ahead = &m->cache->ahead;
	const uint32_t ends = far_ends_of(far, token_named("[")), all = FAR_AHEAD + FAR_CHARACTERS;
	cr_expect_eq(frames(), 0);
	cr_expect_eq(ends, 1, "the lexeme before it: %u", ends);
	cr_expect_eq(far_ends_of(far, token_named("a")), 1, "the same");
	cr_expect_eq(far->characters, 1, "%u", far->characters);
	const uint32_t one = least("[");
	cr_expect_eq(one, all + need(2));
	m->cache->inside_most = FAR_AHEAD + 7;
	cr_expect_eq(least("["), one + 7);
	m->cache->inside_most = 0;
	*ahead = (struct canonical_ahead){.steps = 5, .inside = 4, .ends = 2};
	cr_expect_eq(least("["), one, "no search has led on from it");
	row_add(m->cache->led, token_named("["));
	cr_expect_eq(least("["), all + 9 + need(4));
	row_drop(m->cache->led, token_named("["));
	*ahead = (struct canonical_ahead){0};
	cr_assert_eq(gcdc_matcher_accept_bytes(m, "[a;,[b;,[", 9), GCDC_OK);
	cr_expect_geq(frames(), 2, "%u", frames());
	cr_expect_eq(least("["), all + frames() + need(2));
}

static void check_unknown(void)
{
	gcdc_matcher_reset(m);
	struct frame *top = &m->pool->at[m->now->at[0].frame];
	cr_expect_neq(least("["), ARTIFACT_NONE);
	const uint32_t depth = top->depth;
	top->depth |= FRAME_BRANCHED;
	cr_expect_eq(least("["), ARTIFACT_NONE, "several stacks");
	top->depth = depth;
	artifact->info.n_lines = 1;
	cr_expect_eq(least("["), ARTIFACT_NONE, "columns");
	artifact->info.n_lines = 0;
	artifact->regex.info = (const void *)artifact;
	cr_expect_eq(least("["), ARTIFACT_NONE, "one regular expression");
	artifact->regex.info = NULL;
	const char *bytes_of_far = artifact->canonical.far;
	artifact->canonical.far = NULL;
	cr_expect_eq(least("["), ARTIFACT_NONE);
	artifact->canonical.far = bytes_of_far;
	cr_expect_neq(least("["), ARTIFACT_NONE);
}

// The end of the text may be one token more.
static void check_end(void)
{
	for (uint32_t eos = 0; eos < 2; eos++) {
		m->budget_counts_eos = eos;
		m->now->left = least("[") + eos;
		cr_expect(!far_is_behind(m, m->now, token_named("[")));
		m->now->left++;
		cr_expect(far_is_behind(m, m->now, token_named("[")));
	}
	m->now->left = GCDC_NONE;
}

Test(far, budgets_are_far_by_each_part_of_the_bound, .init = setup, .fini = close_all)
{
	check_parts();
	check_unknown();
	check_end();
}

// Of every token, for every budget: the row, the token by itself and its bound say the same.
Test(far, rows_and_single_tokens_agree, .init = setup, .fini = close_all)
{
	uint32_t *all = canonical_row_new(m->cache), *near = canonical_row_new(m->cache), n_far = 0, n_near = 0;
	cr_assert(all && near);
	memset(all, 0xff, artifact->info.mask_words * sizeof *all);
	m->cache->ahead = (struct canonical_ahead){.steps = 2, .inside = 1, .ends = 2};
	for (uint32_t t = 0; t < artifact->info.n_tokens; t += 5) row_add(m->cache->led, t);
	for (uint32_t left = 1; left < 200; left++) {
		m->now->left = left;
		const struct far_fewer fewer = far_fewer(m, m->now);
		if (!fewer.plain) continue;
		far_near(m, fewer, all, near);
		for (uint32_t t = 0; t < artifact->info.n_tokens; t++) {
			const bool is_far = far_is_behind(m, m->now, t);
			cr_assert_eq(row_has(near, t), !is_far, "left %u: token %u", left, t);
			cr_assert(!is_far || far_least(m, m->now, t) < left, "left %u: token %u", left, t);
			n_far += is_far, n_near += !is_far;
		}
	}
	m->now->left = GCDC_NONE;
	cr_expect(n_far > 1000 && n_near > 1000, "%u, %u", n_far, n_near);
	memory_free(&artifact->memory, all), memory_free(&artifact->memory, near);
}
