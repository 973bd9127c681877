// Items, continuations and lists of them, interned; and answers in the making.
//
// In:  parses and conditions as they come up. Out: ids of ascending lists, in which the parses of one reduction are one
// item. Cost: sorting what is not sorted already.
#include "../base/sort.h"
#include "../base/work.h"
#include "summaries_internal.h"

uint32_t summaries_continuation(struct summaries *a, terminal_id t, remainder_id remainder)
{
	struct continuation x = {t, remainder};
	return intern_add(&a->continuations, &x, sizeof x, NULL);
}

static set_id condition_set(set_id tokens)
{
	if (tokens >= CONDITIONS_MAX_SETS) work_too_large("CONDITIONS_MAX_SETS", CONDITIONS_MAX_SETS);
	return tokens;
}

uint32_t summaries_control(struct summaries *a, control_id control)
{
	uint32_t x = intern_add(&a->controls, &control, sizeof control, NULL);
	if (x >= CONDITIONS_MAX_CONTROLS) work_too_large("CONDITIONS_MAX_CONTROLS", CONDITIONS_MAX_CONTROLS);
	return x;
}

const pending_item *summaries_items(const struct summaries *a, item_list items, uint32_t *n)
{
	const pending_item *list = intern_get(&a->lists, items, n);
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

// The continuations of several lists, which are sorted and shortened in place.
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

// One item of those that ask the same.
static pending_item unite_items(struct summaries *a, const pending_item *items, uint32_t n)
{
	uint32_t shift = item_what_shift(items[0]);
	vec_clear(&a->same);
	for (uint32_t i = 0; i < n; i++) vec_push(&a->same, (uint32_t)items[i] & ((1u << shift) - 1));
	bool is_condition = items[0] & ITEM_CONDITION;
	return (items[0] >> shift) << shift | (is_condition ? condition_set(tokensets_union(a->sets, a->same.at, n))
	                                                    : unite_continuations(a, a->same.at, n));
}

// Sorts items, and makes one of those that ask the same. Returns how many are left.
static uint32_t sort_items(struct summaries *a, pending_item *items, uint32_t n)
{
	bool sorted = true;
	for (uint32_t i = 1; i < n && sorted; i++)
		sorted = items[i - 1] >> item_what_shift(items[i]) < items[i] >> item_what_shift(items[i]);
	if (sorted) return n;
	sort_u64(items, n);
	uint32_t kept = 0;
	for (uint32_t i = 0, end; i < n; i = end) {
		uint32_t shift = item_what_shift(items[i]);
		for (end = i + 1; end < n && items[end] >> shift == items[i] >> shift;) end++;
		items[kept++] = items[i] == items[end - 1] ? items[i] : unite_items(a, items + i, end - i);
	}
	return kept;
}

item_list summaries_skip(struct summaries *a, item_list items, uint32_t *skip)
{
	uint32_t n;
	if (items >= a->skipped.n) {
		vec_reserve(&a->skipped, a->lists.entries.n);
		memset(a->skipped.at + a->skipped.n, 0xff, (a->lists.entries.n - a->skipped.n) * sizeof *a->skipped.at);
		a->skipped.n = a->lists.entries.n;
	}
	if (a->skipped.at[items] != UINT64_MAX) {
		*skip = (uint32_t)(a->skipped.at[items] >> 32);
		return (item_list)a->skipped.at[items];
	}
	const pending_item *list = summaries_items(a, items, &n);
	*skip = n ? item_pop(list[0]) : 0;
	item_list shorter = items;
	if (*skip) {
		vec_clear(&a->shorter);
		for (uint32_t i = 0; i < n; i++) vec_push(&a->shorter, list[i] - ((pending_item)*skip << ITEM_POP_SHIFT));
		shorter = intern_add(&a->lists, a->shorter.at, a->shorter.n * sizeof *a->shorter.at, NULL);
	}
	a->skipped.at[items] = (uint64_t)*skip << 32 | shorter;
	return shorter;
}

item_list summaries_copy_items(struct summaries *a, const struct summaries *from, item_list items,
                               const struct item_names *to)
{
	uint32_t n;
	const pending_item *list = summaries_items(from, items, &n);
	VEC(pending_item) copy = {0};
	for (uint32_t i = 0; i < n; i++) {
		pending_item x = list[i];
		if (x & ITEM_CONDITION) {
			set_id tokens = condition_set(to->set[condition_tokens(x)]);
			vec_push(&copy, condition_of(item_pop(x), to->control[condition_control(x)], tokens));
		} else
			vec_push(&copy, (x >> ITEM_LHS_SHIFT) << ITEM_LHS_SHIFT |
			                    to->continuation_list[(uint32_t)x & (ITEM_MAX_CONTINUATIONS - 1)]);
	}
	copy.n = sort_items(a, copy.at, copy.n);
	item_list made = intern_add(&a->lists, copy.at, copy.n * sizeof *copy.at, NULL);
	vec_release(&copy);
	return made;
}

// --- An answer in the making: sets and items above a mark of the two stacks ------------------------------------------

// Conditions about tokens that are allowed already are none.
static uint32_t drop_settled(const set_id *sets, uint32_t n_sets, pending_item *items, uint32_t n)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < n; i++) {
		bool settled = false;
		for (uint32_t j = 0; j < n_sets && items[i] & ITEM_CONDITION && !settled; j++)
			settled = sets[j] == condition_tokens(items[i]);
		if (!settled) items[kept++] = items[i];
	}
	return kept;
}

struct summary summaries_finish(struct summaries *a, struct mark m)
{
	set_id *sets = a->set_stack.at + m.sets;
	pending_item *items = a->item_stack.at + m.items;
	uint32_t n_sets = a->set_stack.n - m.sets, n = sort_items(a, items, a->item_stack.n - m.items);
	if (a->viable->variables.n) n = drop_settled(sets, n_sets, items, n);
	struct summary x = {tokensets_union(a->sets, sets, n_sets),
	                    n ? intern_add(&a->lists, items, n * sizeof *items, NULL) : ITEMS_NONE};
	a->set_stack.n = m.sets, a->item_stack.n = m.items;
	if (--a->depth == 0 && a->scratch.used > 1 << 20) arena_release(&a->scratch);
	return x;
}

// The item, without a set, of a control and what it pops.
static pending_item condition_about(struct summaries *a, control_id control)
{
	uint32_t pop = viability_pop(a->viable, control);
	return condition_of(pop, summaries_control(a, viability_skip(a->viable, control, pop)), 0);
}

void summaries_add_conditions(struct summaries *a, const control_list *controls, set_id tokens)
{
	for (uint32_t i = 0; i < controls->n; i++)
		vec_push(&a->item_stack, condition_about(a, controls->at[i]) | condition_set(tokens));
}

// What becomes of a control on frame p: asked of many sets of tokens, computed once.
static struct control_read read_control(struct summaries *a, uint32_t control, lr_state p)
{
	uint64_t key = (uint64_t)control << 32 | p, known = map64_get(&a->controls_on, key);
	if (known != MAP64_NONE) return a->controls_read.at[known];
	control_id id;
	memcpy(&id, intern_get(&a->controls, control, NULL), sizeof id);
	control_list controls = {0};
	struct control_read x = {viability_read(a->viable, id, p, &controls), a->conditions.n, 0};
	for (uint32_t i = 0; i < controls.n && x.verdict == VIABLE_DEPENDS; i++, x.n++) {
		struct condition y = {condition_about(a, controls.at[i]), 0};
		y.number = intern_add(&a->condition_numbers, &y.what, sizeof y.what, NULL);
		vec_push(&a->conditions, y);
		if (y.number == a->told.n) vec_push(&a->told, 0);
	}
	vec_release(&controls);
	map64_put(&a->controls_on, key, a->controls_read.n);
	vec_push(&a->controls_read, x);
	return x;
}

// Most conditions of one list become the same ones: these are told once to an answer, not sorted out of it later.
bool summaries_condition_on(struct summaries *a, struct mark m, pending_item condition, lr_state p)
{
	struct control_read x = read_control(a, condition_control(condition), p);
	set_id tokens = condition_tokens(condition);
	if (x.verdict == VIABLE_ALWAYS) add_set(a, tokens);
	uint64_t telling = m.answer * CONDITIONS_MAX_SETS + tokens;
	for (uint32_t i = 0; i < x.n; i++) {
		struct condition y = a->conditions.at[x.first + i];
		if (a->told.at[y.number] == telling) continue;
		a->told.at[y.number] = telling;
		vec_push(&a->item_stack, y.what | tokens);
	}
	return x.verdict != VIABLE_IMPOSSIBLE;
}

void summaries_add_gathered(struct summaries *a, uint32_t mark)
{
	pending_item *x = a->gathered.at + mark;
	uint32_t n = a->gathered.n - mark;
	sort_u64(x, n);
	for (uint32_t i = 0; i < n;) {
		pending_item reduction = x[i] >> ITEM_LHS_SHIFT;
		vec_clear(&a->gathered_list);
		for (; i < n && x[i] >> ITEM_LHS_SHIFT == reduction; i++)
			vec_push(&a->gathered_list, (uint32_t)x[i] & (ITEM_MAX_CONTINUATIONS - 1));
		uint32_t list = summaries_continuations(a, a->gathered_list.at, a->gathered_list.n);
		vec_push(&a->item_stack, reduction << ITEM_LHS_SHIFT | list);
	}
	a->gathered.n = mark;
}
