// Finished hard masks (lib/runtime/canonical/finished.c): equal numbers are of equal contents, and masks of old numbers
// are gone.
#include <criterion/criterion.h>
#include <stdlib.h>

#include "../../lib/runtime/core/runtime_internal.h"
#include "../../lib/runtime/canonical/finished.h"

static void *resize(void *context, void *block, size_t size)
{
	(void)context;
	if (size) return realloc(block, size);
	free(block);
	return NULL;
}

static const gcdc_memory memory = {resize, NULL};

// What decides a mask, in words that are told one by one.
struct content {
	uint32_t before, lexer, way, set[2], n_sets, extra[2], n_extra, token[3], n_dead, n_together;
};

static uint32_t number_of(struct canonical_cache *cache, const struct content *x)
{
	uint32_t set[2], extra[2], token[3];
	memcpy(set, x->set, sizeof set), memcpy(extra, x->extra, sizeof extra), memcpy(token, x->token, sizeof token);
	struct set_list list = {.at = set, .n = x->n_sets};
	list.extra.at = extra, list.extra.n = x->n_extra;
	const struct memo_key key = {.n_head = 4, .word = {0, x->lexer, 0, x->way}};
	const struct memo memo = {.n_dead = x->n_dead, .n_together = x->n_together, .words = token};
	return finished_content(cache, x->before, &key, &list, &memo);
}

Test(finished, each_part_of_a_content_tells_it_apart)
{
	static const struct content contents[] = {
		{1, 2, 3, {4, 5}, 1, {6, 7}, 1, {8, 9, 10}, 1, 1},  {11, 2, 3, {4, 5}, 1, {6, 7}, 1, {8, 9, 10}, 1, 1},
		{1, 11, 3, {4, 5}, 1, {6, 7}, 1, {8, 9, 10}, 1, 1}, {1, 2, 11, {4, 5}, 1, {6, 7}, 1, {8, 9, 10}, 1, 1},
		{1, 2, 3, {11, 5}, 1, {6, 7}, 1, {8, 9, 10}, 1, 1}, {1, 2, 3, {4, 5}, 2, {6, 7}, 1, {8, 9, 10}, 1, 1},
		{1, 2, 3, {4, 6}, 2, {6, 7}, 0, {8, 9, 10}, 1, 1},  {1, 2, 3, {4, 5}, 1, {11, 7}, 1, {8, 9, 10}, 1, 1},
		{1, 2, 3, {4, 5}, 1, {6, 7}, 2, {8, 9, 10}, 1, 1},  {1, 2, 3, {4, 5}, 1, {6, 8}, 2, {9, 9, 10}, 1, 0},
		{1, 2, 3, {4, 5}, 1, {6, 7}, 1, {11, 9, 10}, 1, 1}, {1, 2, 3, {4, 5}, 1, {6, 7}, 1, {8, 9, 10}, 2, 0},
		{1, 2, 3, {4, 5}, 1, {6, 7}, 1, {8, 9, 10}, 0, 2},  {1, 2, 3, {4, 5}, 1, {6, 7}, 1, {8, 9, 10}, 2, 1}};
	enum { N = sizeof contents / sizeof *contents };
	struct canonical_cache cache = {.memory = &memory};
	uint32_t number[N];
	for (uint32_t i = 0; i < N; i++) {
		number[i] = number_of(&cache, &contents[i]);
		cr_expect_neq(number[i], 0);
		for (uint32_t k = 0; k < i; k++) cr_expect_neq(number[i], number[k], "contents %u and %u", k, i);
	}
	for (uint32_t i = 0; i < N; i++) cr_expect_eq(number_of(&cache, &contents[i]), number[i], "content %u", i);
	finished_free(&memory, cache.finished);
}

// The number that a memo keeps is of what was before.
Test(finished, a_memo_behind_another_one_has_another_number)
{
	struct canonical_cache cache = {.memory = &memory};
	const struct memo_key key = {.n_head = 3};
	const struct set_list list = {0};
	const struct memo memo = {0};
	const uint32_t one = finished_content(&cache, 1, &key, &list, &memo);
	cr_expect_neq(finished_content(&cache, 2, &key, &list, &memo), one);
	cr_expect_eq(finished_content(&cache, 1, &key, &list, &memo), one);
	finished_free(&memory, cache.finished);
}

// Once there are too many numbers they are given anew. A mask of an old one is not found, and what is behind an old
// number has none.
Test(finished, numbers_begin_anew)
{
	struct canonical_cache cache = {.memory = &memory, .words = 1};
	struct content x = {.lexer = 1};
	uint32_t first = number_of(&cache, &x), mask = 5, n = 1;
	const struct finished_key mask_key = {first, 3, 4};
	cr_expect_null(finished_find(&cache, &mask_key));
	cr_expect_null(finished_find(&cache, &mask_key));
	finished_put(&cache, &mask_key, &mask);
	const uint32_t *kept = finished_find(&cache, &mask_key);
	cr_assert(kept && *kept == mask);
	const struct finished_key others[] = {{first + 1, 3, 4}, {first, 2, 4}, {first, 3, 5}};
	for (uint32_t i = 0; i < 3; i++) cr_expect_null(finished_find(&cache, &others[i]));
	for (; n < 100000 && finished_find(&cache, &mask_key); n++) x.lexer = n + 1, number_of(&cache, &x);
	cr_expect_lt(n, 100000, "a mask of each old number is kept");
	x.before = number_of(&cache, &x);
	bool is_none = false;
	for (uint32_t i = 0; i < n && !is_none; i++) x.lexer = 200000 + i, is_none = !number_of(&cache, &x);
	cr_expect(is_none, "behind a number that is gone");
	finished_free(&memory, cache.finished);
}

// A memo forgets a number of before.
Test(finished, memos_are_numbered_anew)
{
	enum { N = 3000, MORE = 2000 };  // together more numbers than are given
	static struct memo memos[N];
	struct canonical_cache cache = {.memory = &memory};
	const struct set_list list = {0};
	struct content x = {0};
	for (uint32_t i = 0; i < N; i++) {
		const struct memo_key key = {.n_head = 3, .word = {0, i + 1}};
		cr_expect_neq(finished_content(&cache, 0, &key, &list, &memos[i]), 0);
	}
	for (uint32_t i = 0; i < MORE; i++) x.lexer = N + MORE - i, x.way = 1, number_of(&cache, &x);
	for (uint32_t i = N; i-- > N / 2;) {
		const struct memo_key key = {.n_head = 3, .word = {0, i + 1}};
		const struct memo fresh = {0};
		const uint32_t number = finished_content(&cache, 0, &key, &list, &memos[i]);
		cr_expect_eq(finished_content(&cache, 0, &key, &list, &fresh), number, "memo %u", i);
	}
	finished_free(&memory, cache.finished);
}

// What was seldom asked for gives way, and what is asked for once is not kept.
Test(finished, masks_that_come_again_are_kept)
{
	struct canonical_cache cache = {.memory = &memory, .words = 1};
	struct content x = {.lexer = 1};
	const uint32_t content = number_of(&cache, &x), mask = 5;
	const struct finished_key often = {content, 0, 0};
	finished_find(&cache, &often);
	finished_put(&cache, &often, &mask);
	cr_expect_null(finished_find(&cache, &often), "asked for once");
	for (uint32_t i = 0; i < 20; i++) finished_find(&cache, &often);
	finished_put(&cache, &often, &mask);
	for (uint32_t last = 1; last < 6000; last++) {
		const struct finished_key twice = {content, last, 0};
		finished_find(&cache, &twice), finished_find(&cache, &twice);
		finished_put(&cache, &twice, &mask);
	}
	cr_expect_not_null(finished_find(&cache, &often));
	finished_free(&memory, cache.finished);
}
