// Masks under budgets by steps that the compiler made: they are the ones made otherwise, and ask for no memory.
#include <criterion/criterion.h>

#include "../../lib/runtime/budget/step_table.h"

#include "../../lib/base/random.h"
#include "../../lib/compile/compile.h"
#include "../../lib/writer/artifact_image.h"

static const char json[] = "start: value\n"
						   "value: object | array | STRING | NUMBER | \"true\" | \"false\" | \"null\"\n"
						   "object: \"{\" [pair (\",\" pair)*] \"}\"\n"
						   "pair: STRING \":\" value\n"
						   "array: \"[\" [value (\",\" value)*] \"]\"\n"
						   "STRING: /\"[^\"\\\\\\x00-\\x1f]*\"/\n"
						   "NUMBER: /-?(0|[1-9][0-9]*)(\\.[0-9]+)?/\n"
						   "WS: /[ \\n]+/\n"
						   "%ignore WS\n";
static const char text[] =
	"{\"a\": [1, 2.5, {\"b c\": [true, \"x y\", [[[]]]]}], \"d\": null, \"e\": {\"f\": {\"g\": [-12, {}]}}}";

static uint32_t n_asked, n_held;  // blocks of memory

static void *counting_resize(void *context, void *block, size_t size)
{
	(void)context;
	if (!size) {
		n_held -= block != NULL;
		free(block);
		return NULL;
	}
	n_held += !block;
	n_asked++;
	return realloc(block, size);
}

static struct vocab v;
static struct diag d;

static gcdc_artifact *compiled(const char *grammar, bool keep_groups, uint8_t **bytes)
{
	struct grammar g;
	struct compiled c;
	size_t len;
	gcdc_refusal why;
	gcdc_artifact *artifact;
	cr_assert(vocab_load_default(NULL, &d, &v));
	cr_assert(grammar_parse("g.lark", grammar, strlen(grammar), NULL, &d, &g), "%s", diag_text(&d));
	struct compile_options options = {.costs = COMPILE_COSTS_EXACT, .keep_groups = keep_groups};
	cr_assert(compile_image(&g, &v, &options, &d, &c), "%s", diag_text(&d));
	cr_assert(artifact_encode(&c.image, &(struct artifact_write_options){.raw = true}, &d, bytes, &len));
	const gcdc_memory memory = {counting_resize, NULL};
	const gcdc_open_options open = {.memory = &memory};
	cr_assert_eq(gcdc_artifact_open_memory(*bytes, len, &open, &artifact, &why), GCDC_OK, "%s", why.what);
	compile_release(&c);
	grammar_release(&g);
	return artifact;
}

static void done(gcdc_artifact *artifact, uint8_t *bytes)
{
	gcdc_artifact_close(artifact);
	cr_expect_eq(n_held, 0, "%u blocks are left", n_held);
	free(bytes);
	vocab_release(&v);
	diag_release(&d);
}

static gcdc_status fill_with(gcdc_matcher *m, uint32_t more, enum budget_by how, bool no_memory, uint32_t *mask)
{
	uint32_t least = 0;
	gcdc_status status = gcdc_matcher_min_tokens(m, true, &least);
	if (!status) status = gcdc_matcher_set_budget(m, least + more, true, NULL);
	uint32_t before = n_asked;
	budget_by(m, how);
	if (!status) status = gcdc_matcher_fill(m, mask, m->artifact->info.mask_words, NULL);
	if (no_memory) cr_expect_eq(n_asked, before, "%u blocks", n_asked - before);
	return status;
}

// The masks behind each byte of the text, made in all ways from the first one on. No memory: stored steps ask for none.
static void compare_from(enum budget_by first, const char *grammar, const char *bytes_of_text, bool no_memory)
{
	static const uint32_t more[] = {0, 1, 2, 3, 5, 8, 13, 50};
	uint8_t *bytes;
	gcdc_matcher *m;
	gcdc_artifact *artifact = compiled(grammar, true, &bytes);
	uint32_t words = artifact->info.mask_words, *mask = mem_calloc(words, 4), *other = mem_calloc(words, 4);
	cr_assert_eq(artifact->step_info != NULL, first == BUDGET_BY_STEPS);
	cr_assert(artifact->cost_info->n_ways);
	cr_assert_eq(gcdc_matcher_new(artifact, NULL, &m), GCDC_OK);
	for (const char *at = bytes_of_text; *at; at++) {
		for (size_t k = 0; k < sizeof more / sizeof *more; k++) {
			cr_assert_eq(fill_with(m, more[k], first, no_memory, mask), GCDC_OK);
			for (enum budget_by how = first + 1; how <= BUDGET_BY_GROUPS; how++) {
				cr_assert_eq(fill_with(m, more[k], how, false, other), GCDC_OK);
				cr_expect_eq(memcmp(mask, other, words * 4), 0, "before %s, + %u, way %d", at, more[k], how);
			}
		}
		cr_assert_eq(gcdc_matcher_set_budget(m, GCDC_NONE, true, NULL), GCDC_OK);
		cr_assert_eq(gcdc_matcher_accept_bytes(m, at, 1), GCDC_OK);
	}
	gcdc_matcher_free(m);
	free(mask);
	free(other);
	done(artifact, bytes);
}

static void compare_ways(const char *grammar, const char *bytes_of_text, bool no_memory)
{
	compare_from(BUDGET_BY_STEPS, grammar, bytes_of_text, no_memory);
}

// Blocks asked for by a request that fills masks under a budget all along the text.
static uint32_t serve(gcdc_matcher *m, uint32_t *mask)
{
	uint32_t before = n_asked;
	gcdc_matcher_reset(m);
	for (size_t at = 0; at < sizeof text - 1; at++) {
		cr_assert_eq(fill_with(m, 2, BUDGET_BY_MADE_STEPS, false, mask), GCDC_OK);
		cr_assert_eq(gcdc_matcher_set_budget(m, GCDC_NONE, true, NULL), GCDC_OK);
		cr_assert_eq(gcdc_matcher_accept_bytes(m, text + at, 1), GCDC_OK);
	}
	return n_asked - before;
}

static gcdc_matcher *served(const gcdc_artifact *artifact, uint32_t *mask)
{
	gcdc_matcher *m;
	cr_assert_eq(gcdc_matcher_new(artifact, NULL, &m), GCDC_OK);
	serve(m, mask);
	return m;
}

Test(budget_steps, a_session_keeps_what_a_request_has_made)
{
	uint8_t *bytes;
	gcdc_matcher *m;
	gcdc_session *session;
	gcdc_artifact *artifact = compiled(json, true, &bytes);
	uint32_t *mask = mem_calloc(artifact->info.mask_words, 4), asked[2];
	cr_assert_eq(gcdc_session_new(artifact, NULL, 1, &session), GCDC_OK);
	for (int i = 0; i < 2; i++) {
		cr_assert_eq(gcdc_session_matcher(session, &m), GCDC_OK);
		asked[i] = serve(m, mask);
		gcdc_matcher_free(m);
	}
	cr_assert(asked[1] * 4 < asked[0], "%u, %u blocks", asked[0], asked[1]);
	gcdc_session_free(session);
	free(mask);
	done(artifact, bytes);
}

// Beside the first one, and behind it: then the unions are there, too.
Test(budget_steps, a_matcher_of_its_own_makes_no_step_again)
{
	uint8_t *bytes;
	gcdc_matcher *m;
	gcdc_artifact *artifact = compiled(json, true, &bytes);
	uint32_t *mask = mem_calloc(artifact->info.mask_words, 4);
	gcdc_matcher *first = served(artifact, mask), *second = served(artifact, mask);
	const struct step_store *store = first->pool->step_table->store;
	uint32_t n = store->n, n_slots = first->pool->step_table->slots.n;
	cr_expect_eq(second->pool->step_table->store, store);
	cr_expect_eq(second->pool->step_table->slots.n, n_slots);
	gcdc_matcher_free(first);
	gcdc_matcher_free(second);
	cr_assert_eq(gcdc_matcher_new(artifact, NULL, &m), GCDC_OK);
	serve(m, mask);
	cr_expect(n > 0 && n_slots > 0);
	cr_expect_eq(m->pool->step_table->store->n, n);
	cr_expect_eq(m->pool->step_table->slots.n, n_slots);
	gcdc_matcher_free(m);
	free(mask);
	done(artifact, bytes);
}

// As many tables as slots are kept, and go with the artifact.
Test(budget_steps, few_families_leave_their_tables)
{
	uint8_t *bytes;
	gcdc_matcher *m[STEPS_PARKED + 2];
	gcdc_artifact *artifact = compiled(json, true, &bytes);
	uint32_t *mask = mem_calloc(artifact->info.mask_words, 4), n = 0;
	for (uint32_t i = 0; i < STEPS_PARKED + 2; i++) m[i] = served(artifact, mask);
	for (uint32_t i = 0; i < STEPS_PARKED + 2; i++) gcdc_matcher_free(m[i]);
	for (uint32_t i = 0; i < STEPS_PARKED; i++) n += artifact->steps_parked[i] != NULL;
	cr_expect_eq(n, STEPS_PARKED);
	m[0] = served(artifact, mask);
	n = 0;
	for (uint32_t i = 0; i < STEPS_PARKED; i++) n += artifact->steps_parked[i] != NULL;
	cr_expect_eq(n, STEPS_PARKED - 1);
	gcdc_matcher_free(m[0]);
	free(mask);
	done(artifact, bytes);
}

// One family finds the store too large; another still reads it, until it goes over to the new one.
Test(budget_steps, a_store_too_large_is_replaced)
{
	uint8_t *bytes;
	gcdc_artifact *artifact = compiled(json, true, &bytes);
	uint32_t words = artifact->info.mask_words, *mask = mem_calloc(words, 4), *other = mem_calloc(words, 4);
	gcdc_matcher *first = served(artifact, mask), *second = served(artifact, mask);
	const struct step_store *store = first->pool->step_table->store;
	struct step_table *x[] = {first->pool->step_table, second->pool->step_table};
	x[0]->max_bytes = 1;
	serve(first, mask);
	cr_expect_neq(x[0]->store, store);
	serve(second, other);
	cr_expect_eq(x[1]->store, store);
	cr_expect_eq(memcmp(mask, other, words * 4), 0);
	x[0]->max_bytes = STEP_STORE_MAX_BYTES, x[1]->max_bytes = 1;
	serve(first, mask);
	cr_assert_eq(fill_with(second, 2, BUDGET_BY_MADE_STEPS, false, other), GCDC_OK);
	cr_expect_eq(x[1]->store, x[0]->store);
	cr_assert_eq(fill_with(first, 2, BUDGET_BY_MADE_STEPS, false, mask), GCDC_OK);
	cr_expect_eq(memcmp(mask, other, words * 4), 0);
	gcdc_matcher_free(first);
	gcdc_matcher_free(second);
	free(mask);
	free(other);
	done(artifact, bytes);
}

// Steps and parts have new numbers in each store: nothing found by the old ones may stay.
Test(budget_steps, masks_of_a_store_replaced_before_each)
{
	uint8_t *bytes;
	gcdc_artifact *artifact = compiled(json, true, &bytes);
	uint32_t words = artifact->info.mask_words, *mask = mem_calloc(words, 4), *other = mem_calloc(words, 4);
	gcdc_matcher *m = served(artifact, mask);
	gcdc_matcher_reset(m);
	m->pool->step_table->max_bytes = 1;
	for (const char *at = text; *at; at++) {
		cr_assert_eq(fill_with(m, 2, BUDGET_BY_STEPS, false, mask), GCDC_OK);
		cr_assert_eq(fill_with(m, 2, BUDGET_BY_MADE_STEPS, false, other), GCDC_OK);
		cr_expect_eq(memcmp(mask, other, words * 4), 0, "before %s", at);
		cr_assert_eq(gcdc_matcher_set_budget(m, GCDC_NONE, true, NULL), GCDC_OK);
		cr_assert_eq(gcdc_matcher_accept_bytes(m, at, 1), GCDC_OK);
	}
	gcdc_matcher_free(m);
	free(mask);
	free(other);
	done(artifact, bytes);
}

// A fork's mask stands in unions that another fork lets begin anew, at another place.
Test(budget_steps, unions_that_begin_anew_under_a_fork)
{
	uint8_t *bytes;
	gcdc_matcher *m, *fork;
	gcdc_artifact *artifact = compiled(json, true, &bytes);
	uint32_t words = artifact->info.mask_words, *mask = mem_calloc(words, 4), *again = mem_calloc(words, 4);
	cr_assert_eq(gcdc_matcher_new(artifact, NULL, &m), GCDC_OK);
	cr_assert_eq(gcdc_matcher_fork(m, &fork), GCDC_OK);
	cr_assert_eq(gcdc_matcher_accept_bytes(fork, "[{\"a", 4), GCDC_OK);
	cr_assert_eq(fill_with(m, 2, BUDGET_BY_MADE_STEPS, false, mask), GCDC_OK);
	m->pool->step_table->max_union_bytes = 1;
	cr_assert_eq(fill_with(fork, 2, BUDGET_BY_MADE_STEPS, false, again), GCDC_OK);
	cr_expect_neq(memcmp(mask, again, words * 4), 0);
	cr_assert_eq(gcdc_matcher_fill(m, again, words, NULL), GCDC_OK);
	cr_expect_eq(memcmp(mask, again, words * 4), 0);
	gcdc_matcher_free(m);
	gcdc_matcher_free(fork);
	free(mask);
	free(again);
	done(artifact, bytes);
}

// A set of many tokens, and another with nothing else in it.
static void find_within(const gcdc_artifact *a, uint32_t *all, uint32_t *part)
{
	for (*all = 0; *all < a->info.n_sets; ++*all)
		for (*part = 0; *part < a->info.n_sets && a->sets[*all].count > 1000; ++*part) {
			bool within = *part != *all && a->sets[*part].count;
			for (struct set_words w = set_words(a, &a->sets[*part]); within && set_words_next(a, &w);)
				for (uint32_t b = w.bits; b; b &= b - 1)
					within &= artifact_set_has(a, &a->sets[*all], w.word * 32 + (uint32_t)__builtin_ctz(b));
			if (within) return;
		}
	cr_assert_fail("there is none");
}

Test(budget_steps, unions_of_the_same_tokens_have_one_row)
{
	uint8_t *bytes;
	gcdc_artifact *artifact = compiled(json, true, &bytes);
	struct step_table *x = step_table_take(artifact);
	uint32_t sets[2], alone, both, other = 0, row_bytes = artifact->info.mask_words * 4;
	find_within(artifact, &sets[0], &sets[1]);
	while (artifact->sets[other].count < 1000 || artifact->sets[other].count == artifact->sets[sets[0]].count) other++;
	cr_assert_eq(step_table_union_of_sets(artifact, x, sets, 1, &alone), GCDC_OK);
	cr_assert_eq(step_table_union_of_sets(artifact, x, sets, 2, &both), GCDC_OK);
	cr_expect_neq(alone, both);
	cr_expect_eq(x->unions.at[alone].row, x->unions.at[both].row);
	cr_expect_eq(x->bytes_of_rows, row_bytes);
	cr_assert_eq(step_table_union_of_sets(artifact, x, &other, 1, &both), GCDC_OK);
	cr_expect_neq(x->unions.at[alone].row, x->unions.at[both].row);
	cr_expect_eq(x->bytes_of_rows, 2 * row_bytes);
	x->max_union_bytes = 0;
	cr_assert_eq(step_table_trim(x), GCDC_OK);
	cr_assert_eq(step_table_union_of_sets(artifact, x, sets, 2, &both), GCDC_OK);
	cr_expect(!x->unions.at[both].shares_row, "of those that are gone");
	step_table_leave(x);
	done(artifact, bytes);
}

// The third fill finds what the second one has kept.
Test(budget_steps, a_mask_that_comes_again_is_kept_whole)
{
	uint8_t *bytes;
	gcdc_matcher *m;
	gcdc_artifact *artifact = compiled(json, true, &bytes);
	uint32_t words = artifact->info.mask_words, *mask = mem_calloc(words, 4), *first = mem_calloc(words, 4);
	cr_assert_eq(gcdc_matcher_new(artifact, NULL, &m), GCDC_OK);
	cr_assert_eq(gcdc_matcher_accept_bytes(m, text, 6), GCDC_OK);
	cr_assert_eq(fill_with(m, 1, BUDGET_BY_GROUPS, false, first), GCDC_OK);
	for (uint32_t visit = 1; visit <= 3; visit++) {
		cr_assert_eq(fill_with(m, 1, BUDGET_BY_MADE_STEPS, false, mask), GCDC_OK);
		const struct step_table *x = m->pool->step_table;
		cr_expect_eq(memcmp(mask, first, words * 4), 0, "visit %u", visit);
		cr_assert_eq(x->masks.n, 1);
		uint32_t at = x->masks.list[0].value;
		cr_expect_eq(at<x->unions.words.n, visit> 1);
		if (visit > 1) cr_expect_eq(x->unions.words.at[at], 1, "its unions are joined");
	}
	gcdc_matcher_free(m);
	free(mask);
	free(first);
	done(artifact, bytes);
}

// Then the mask is the plain one: it is no union of steps.
Test(budget_steps, a_budget_that_leaves_out_nothing_unites_nothing)
{
	uint8_t *bytes;
	gcdc_matcher *m;
	gcdc_artifact *artifact = compiled(json, true, &bytes);
	uint32_t words = artifact->info.mask_words, *mask = mem_calloc(words, 4), *plain = mem_calloc(words, 4);
	cr_assert_eq(gcdc_matcher_new(artifact, NULL, &m), GCDC_OK);
	cr_assert_eq(gcdc_matcher_accept_bytes(m, text, 6), GCDC_OK);
	cr_assert_eq(gcdc_matcher_fill(m, plain, words, NULL), GCDC_OK);
	cr_assert_eq(fill_with(m, 9, BUDGET_BY_MADE_STEPS, false, mask), GCDC_OK);
	cr_expect(m->pool->step_table->store->n > 0, "far away, so nothing was priced");
	cr_expect_eq(m->pool->step_table->unions.n, 0);
	cr_expect_eq(memcmp(mask, plain, words * 4), 0);
	cr_assert_eq(fill_with(m, 1, BUDGET_BY_MADE_STEPS, false, mask), GCDC_OK);
	cr_expect(m->pool->step_table->unions.n > 0);
	cr_expect_neq(memcmp(mask, plain, words * 4), 0);
	gcdc_matcher_free(m);
	free(mask);
	free(plain);
	done(artifact, bytes);
}

// All else fits, and the newline alone costs too much, since a block must follow, of bytes that no token joins.
Test(budget_steps, a_newline_that_alone_costs_too_much_is_left_out)
{
	compare_from(BUDGET_BY_MADE_STEPS,
	             "start: \"x\" (\";\" | NL IN P P P P NL DE)\nP: /\\x01/\nNL: /(\\n[ ]*)+/\n"
	             "%indent newline=NL indent=IN dedent=DE\n",
	             "x;", false);
}

// A block of blanks alone may end the text, which the tables do not have: such blanks are allowed, and have no price.
Test(budget_steps, where_tokens_have_no_price_the_mask_is_not_the_plain_one)
{
	compare_from(BUDGET_BY_MADE_STEPS,
	             "start: \"a\" [NL IN DE] [\"b\"]\nNL: /(\\n[ ]*)+/\n%indent newline=NL indent=IN dedent=DE\n", "a\n",
	             false);
}

Test(budget_steps, masks_are_the_same_and_ask_for_no_memory) { compare_ways(json, text, true); }

// Frames have several classes there.
Test(budget_steps, stacks_that_share_frames)
{
	compare_ways("start: \"a\" start \"a\" | \"a\" start \"bb\" | \"a\" | \"b\" \"c\"\n", "aaaaaaaaaa", false);
}

// Where the text can end whatever lies below, a price does not grow with the stack; inside the parentheses it does.
Test(budget_steps, ends_that_rest_on_no_frame_below)
{
	compare_ways(
		"start: (line \"\\n\")* line\nline: NAME \"=\" line | sum\nsum: (\"+\" | \"-\") sum | sum \"*\" atom | "
		"atom\natom: NAME | \"(\" sum \")\"\nNAME: /[a-z]+/\n",
		"a=++b\nc=d=+-+((++x)*(y))*z", true);
}

// Nothing had been priced yet.
Test(budget_steps, a_budget_behind_the_end)
{
	uint8_t *bytes;
	uint32_t n_eos, mask[1024];
	gcdc_matcher *m;
	gcdc_artifact *artifact = compiled(json, false, &bytes);
	const uint32_t *eos = gcdc_artifact_eos(artifact, &n_eos);
	cr_assert_eq(gcdc_matcher_new(artifact, NULL, &m), GCDC_OK);
	cr_assert_eq(gcdc_matcher_accept_bytes(m, "[]", 2), GCDC_OK);
	cr_assert_eq(gcdc_matcher_accept(m, eos[0]), GCDC_OK);
	cr_expect_eq(gcdc_matcher_set_budget(m, 3, true, NULL), GCDC_OK);
	cr_expect_eq(gcdc_matcher_fill(m, mask, 1024, NULL), GCDC_TERMINATED);
	gcdc_matcher_free(m);
	done(artifact, bytes);
}

Test(budget_steps, groups_are_left_out)
{
	uint8_t *bytes;
	gcdc_artifact *artifact = compiled(json, false, &bytes);
	cr_expect(artifact->step_info);
	cr_expect_eq(artifact->cost_info->n_ways, 0);
	cr_expect_eq(artifact->cost_info->n_stays, 0);
	done(artifact, bytes);
}

// What step_sort is to give: by counting how many are less.
static void sort_slowly(const uint32_t *from, uint32_t n, uint32_t *to, uint32_t *n_to)
{
	*n_to = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = 0;
		while (k < *n_to && to[k] < from[i]) k++;
		if (k < *n_to && to[k] == from[i]) continue;
		memmove(to + k + 1, to + k, (*n_to - k) * sizeof *to);
		to[k] = from[i];
		++*n_to;
	}
}

Test(budget_steps, numbers_are_sorted_each_once)
{
	uint32_t at[600], slow[600], n_slow;
	uint64_t seed = 20261128;
	for (uint32_t round = 0; round < 4000; round++) {
		uint32_t n = random_below(&seed, round % 4 ? 40 : 600), width = random_below(&seed, 33);
		uint32_t low = random_below(&seed, 32);
		for (uint32_t i = 0; i < n; i++) {
			at[i] = (uint32_t)random_next(&seed);
			if (width < 32) at[i] &= (1u << width) - 1;
			if (round % 3 == 0) at[i] <<= low;
		}
		sort_slowly(at, n, slow, &n_slow);
		struct vec32 x = {at, n, n};
		step_sort(&x);
		cr_assert_eq(x.n, n_slow, "round %u", round);
		cr_assert(!n || !memcmp(x.at, slow, n_slow * sizeof *slow), "round %u", round);
	}
}
