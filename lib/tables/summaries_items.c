// Items, asks and lists of them, interned; and answers in the making.
//
// In:  parses and doubts as they come up. Out: ids of ascending lists, in which the parses of one reduction are one
// item. Cost: sorting what is not sorted already.
#include "../base/sort.h"
#include "summaries_internal.h"

uint32_t summaries_continuation(struct summaries *a, terminal_id t, remainder_id remainder)
{
	struct continuation x = {t, remainder};
	return intern_add(&a->continuations, &x, sizeof x, NULL);
}

static item condition_of(struct summaries *a, uint32_t pop, control_id control, set_id tokens)
{
	struct condition x = {control, tokens};
	return (item)pop << ITEM_POP_SHIFT | ITEM_CONDITION | intern_add(&a->conditions, &x, sizeof x, NULL);
}

const item *summaries_items(const struct summaries *a, item_list items, uint32_t *n)
{
	const item *list = intern_get(&a->lists, items, n);
	*n /= (uint32_t)sizeof *list;
	return list;
}

static uint32_t sort_unique(uint32_t *list, uint32_t n)
{
	bool sorted = true;
	for (uint32_t i = 1; i < n && sorted; i++) sorted = list[i - 1] < list[i];
	if (sorted) return n;
	sort_u32(list, n);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < n; i++)
		if (!kept || list[kept - 1] != list[i]) list[kept++] = list[i];
	return kept;
}

uint32_t summaries_continuations(struct summaries *a, uint32_t *continuations, uint32_t n)
{
	n = sort_unique(continuations, n);
	return intern_add(&a->continuation_lists, continuations, n * sizeof *continuations, NULL);
}

// The asks of several lists, which are sorted and shortened in place.
static uint32_t unite_continuations(struct summaries *a, uint32_t *lists, uint32_t n)
{
	n = sort_unique(lists, n);
	if (n == 1) return lists[0];
	bool is_new;
	uint32_t u = intern_add(&a->continuation_unions, lists, n * sizeof *lists, &is_new);
	if (!is_new) return a->continuation_union_of.at[u];
	VEC(uint32_t) all = {0};
	for (uint32_t i = 0; i < n; i++) {
		uint32_t len;
		const uint32_t *list = intern_get(&a->continuation_lists, lists[i], &len);
		for (uint32_t k = 0; k < len / sizeof *list; k++) vec_push(&all, list[k]);
	}
	uint32_t made = summaries_continuations(a, all.at, all.n);
	vec_release(&all);
	vec_push(&a->continuation_union_of, made);
	return made;
}

// Sorts items, and makes one of the parses with the same reduction. Returns how many are left.
static uint32_t sort_items(struct summaries *a, item *items, uint32_t n)
{
	bool sorted = true;
	for (uint32_t i = 1; i < n && sorted; i++) sorted = items[i - 1] >> ITEM_LHS_SHIFT < items[i] >> ITEM_LHS_SHIFT;
	if (sorted) return n;
	sort_u64(items, n);
	uint32_t kept = 0;
	VEC(uint32_t) same = {0};
	for (uint32_t i = 0, end; i < n; i = end) {
		item x = items[i];
		for (end = i + 1; end < n && items[end] == x;) end++;
		if (!(x & ITEM_CONDITION) && end < n && items[end] >> ITEM_LHS_SHIFT == x >> ITEM_LHS_SHIFT) {
			vec_clear(&same);
			for (end = i; end < n && items[end] >> ITEM_LHS_SHIFT == x >> ITEM_LHS_SHIFT; end++)
				vec_push(&same, (uint32_t)items[end] & (ITEM_MAX_CONTINUATIONS - 1));
			x = (x >> ITEM_LHS_SHIFT) << ITEM_LHS_SHIFT | unite_continuations(a, same.at, same.n);
		}
		items[kept++] = x;
	}
	vec_release(&same);
	return kept;
}

item_list summaries_skip(struct summaries *a, item_list items, uint32_t *skip)
{
	uint32_t n;
	const item *list = summaries_items(a, items, &n);
	*skip = n ? item_pop(list[0]) : 0;
	if (*skip == 0) return items;
	VEC(item) shorter = {0};
	for (uint32_t i = 0; i < n; i++) vec_push(&shorter, list[i] - ((item)*skip << ITEM_POP_SHIFT));
	item_list result = intern_add(&a->lists, shorter.at, shorter.n * sizeof *shorter.at, NULL);
	vec_release(&shorter);
	return result;
}

item_list summaries_copy_items(struct summaries *a, const struct summaries *from, item_list items,
                               const uint32_t *continuation_list_to, const uint32_t *condition_to)
{
	uint32_t n;
	const item *list = summaries_items(from, items, &n);
	VEC(item) copy = {0};
	for (uint32_t i = 0; i < n; i++) {
		item x = list[i], what = x & (x & ITEM_CONDITION ? ITEM_CONDITION - 1 : ITEM_MAX_CONTINUATIONS - 1);
		vec_push(&copy, x - what + (x & ITEM_CONDITION ? condition_to[what] : continuation_list_to[what]));
	}
	copy.n = sort_items(a, copy.at, copy.n);
	item_list made = intern_add(&a->lists, copy.at, copy.n * sizeof *copy.at, NULL);
	vec_release(&copy);
	return made;
}

// --- An answer in the making: sets and items above a mark of the two stacks ------------------------------------------

// Doubts about tokens that are allowed already are none.
static uint32_t drop_settled(const struct summaries *a, const set_id *sets, uint32_t n_sets, item *items, uint32_t n)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < n; i++) {
		bool settled = false;
		for (uint32_t j = 0; j < n_sets && items[i] & ITEM_CONDITION && !settled; j++)
			settled = sets[j] == condition_get(a, items[i]).tokens;
		if (!settled) items[kept++] = items[i];
	}
	return kept;
}

struct summary summaries_finish(struct summaries *a, struct mark m)
{
	set_id *sets = a->set_stack.at + m.sets;
	item *items = a->item_stack.at + m.items;
	uint32_t n_sets = a->set_stack.n - m.sets, n = sort_items(a, items, a->item_stack.n - m.items);
	if (a->viable->variables.n) n = drop_settled(a, sets, n_sets, items, n);
	struct summary x = {tokensets_union(a->sets, sets, n_sets),
	                    n ? intern_add(&a->lists, items, n * sizeof *items, NULL) : ITEMS_NONE};
	a->set_stack.n = m.sets, a->item_stack.n = m.items;
	if (--a->depth == 0 && a->scratch.used > 1 << 20) arena_release(&a->scratch);
	return x;
}

void summaries_add_conditions(struct summaries *a, const control_list *controls, set_id tokens)
{
	for (uint32_t i = 0; i < controls->n; i++) {
		uint32_t pop = viability_pop(a->viable, controls->at[i]);
		vec_push(&a->item_stack, condition_of(a, pop, viability_skip(a->viable, controls->at[i], pop), tokens));
	}
}

void summaries_add_gathered(struct summaries *a, uint32_t mark)
{
	item *x = a->gathered.at + mark;
	uint32_t n = a->gathered.n - mark;
	sort_u64(x, n);
	for (uint32_t i = 0; i < n;) {
		item reduction = x[i] >> ITEM_LHS_SHIFT;
		vec_clear(&a->gathered_list);
		for (; i < n && x[i] >> ITEM_LHS_SHIFT == reduction; i++)
			vec_push(&a->gathered_list, (uint32_t)x[i] & (ITEM_MAX_CONTINUATIONS - 1));
		uint32_t list = summaries_continuations(a, a->gathered_list.at, a->gathered_list.n);
		vec_push(&a->item_stack, reduction << ITEM_LHS_SHIFT | list);
	}
	a->gathered.n = mark;
}
