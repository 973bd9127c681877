// Items on the frame below: one frame, or all that can lie there.
//
// In:  a list of items, and frames. Out: what becomes of the items on each.
// Nearly every list asks the next frame one thing: where it goes with a nonterminal. Frames that go to one place are
// one group, and what is left of the items is asked of the group; so a chain of reductions that most frames share is
// followed once. Cost: a table look-up for each frame and link of the chain; an answer for each group.
#include "summaries_internal.h"

// A parse whose frames are popped, on frame p. ITEMS_IMPOSSIBLE when no valid stack has p there.
static struct summary parse_on(struct summaries *a, pending_item i, lr_state p)
{
	uint32_t lhs = item_lhs(i);
	lr_state to = lr_goto(a->lr, p, lhs);
	if (!to) return (struct summary){SET_EMPTY, ITEMS_IMPOSSIBLE};
	struct summary x = summaries_continue_on(a, item_continuations(i), to), y = summaries_read_on(a, x.items, p);
	if (x.tokens != SET_EMPTY) y.tokens = tokensets_union(a->sets, (set_id[]){x.tokens, y.tokens}, 2);
	return y;
}

// One item. False when no valid stack has p there.
static bool add_item_on(struct summaries *a, struct mark m, pending_item i, lr_state p)
{
	if (!(i & ITEM_CONDITION)) {
		struct summary x = parse_on(a, i, p);
		if (x.items != ITEMS_IMPOSSIBLE) add_summary(a, x);
		return x.items != ITEMS_IMPOSSIBLE;
	}
	return summaries_condition_on(a, m, i, p);
}

static struct summary read_one(struct summaries *a, item_list items, lr_state p)
{
	uint32_t n;
	const pending_item *list = summaries_items(a, items, &n);
	if (n == 1 && item_pop(list[0]) == 0 && !(list[0] & ITEM_CONDITION)) return parse_on(a, list[0], p);
	struct mark m = begin(a);
	bool possible = true;
	for (uint32_t i = 0; i < n && possible; i++) {
		if (item_pop(list[i]) > 0)
			vec_push(&a->item_stack, list[i] - ((pending_item)1 << ITEM_POP_SHIFT));
		else
			possible = add_item_on(a, m, list[i], p);
	}
	struct summary x = summaries_finish(a, m);
	return possible ? x : (struct summary){SET_EMPTY, ITEMS_IMPOSSIBLE};
}

// The same on the way of one terminal, where few lists are asked often.
struct summary summaries_read_on(struct summaries *a, item_list items, lr_state p)
{
	if (items == ITEMS_NONE) return (struct summary){SET_EMPTY, ITEMS_NONE};
	uint64_t key = (uint64_t)items << 32 | p;
	uint64_t memo = map64_get(&a->read, key);
	if (memo != MAP64_NONE) return recall(memo);
	return remember(a, &a->read, key, read_one(a, items, p));
}

// --- All frames at once
// -----------------------------------------------------------------------------------------------

static void push_group(struct summary_reading *r, struct summary x, uint32_t first, uint32_t end)
{
	vec_push(&r->groups, ((struct summary_group){x, first, end - first}));
}

// Puts frames first..end that the item's goto leads to one place side by side, in the order in which the places come
// up. Pushes where each place begins on r->bounds, and the end; the places on r->places.
static void split(struct summaries *a, struct summary_reading *r, pending_item item, uint32_t first, uint32_t end)
{
	const uint32_t lhs = item_lhs(item), continuations = item_continuations(item);
	uint32_t mark = r->bounds.n, n_places = 0;
	vec_reserve(&r->spare, end), vec_reserve(&r->to, end);
	goto_columns_find(a->go_by_lhs, lhs, r->frames.at + first, end - first, r->to.at + first);
	for (uint32_t i = first; i < end; i++) {  // place: number + 1; bounds: how many go there, for now
		const lr_state to = r->to.at[i];
		if (!a->place[to]) {
			vec_push(&r->bounds, 0);
			vec_push(&r->places, to);
			a->place[to] = ++n_places;
			map64_expect(&a->continuation_list, (uint64_t)continuations << 32 | to);
		}
		r->bounds.at[mark + a->place[to] - 1]++;
	}
	for (uint32_t k = 0, at = first; k < n_places; k++) {
		uint32_t n = r->bounds.at[mark + k];
		r->bounds.at[mark + k] = at;
		at += n;
	}
	for (uint32_t i = first; i < end; i++)
		r->spare.at[r->bounds.at[mark + a->place[r->to.at[i]] - 1]++] = r->frames.at[i];
	for (uint32_t i = first; i < end; i++) a->place[r->to.at[i]] = 0;
	memcpy(r->frames.at + first, r->spare.at + first, (end - first) * sizeof *r->frames.at);
	vec_push(&r->bounds, end);
	vec_push(&r->places, 0);
	for (uint32_t k = n_places; k-- > 1;) r->bounds.at[mark + k] = r->bounds.at[mark + k - 1];
	r->bounds.at[mark] = first;
}

static void read_group(struct summaries *a, item_list items, struct summary_reading *r, uint32_t first, uint32_t end);

// The first item of a list, on the frames first..end, all of which it leads to `to`; the others only pass over them.
static void read_place(struct summaries *a, item_list items, lr_state to, struct summary_reading *r, uint32_t first,
                       uint32_t end)
{
	uint32_t n, mark = r->groups.n;
	const pending_item *list = summaries_items(a, items, &n);
	struct summary x = summaries_continue_on(a, item_continuations(list[0]), to);
	read_group(a, x.items, r, first, end);
	for (uint32_t k = mark; k < r->groups.n; k++) {
		struct summary y = r->groups.at[k].x;
		if (y.items == ITEMS_IMPOSSIBLE) continue;
		if (x.tokens != SET_EMPTY) y.tokens = tokensets_union(a->sets, (set_id[]){x.tokens, y.tokens}, 2);
		if (n > 1) {
			struct mark m = begin(a);
			add_summary(a, y);
			for (uint32_t i = 1; i < n; i++) vec_push(&a->item_stack, list[i] - ((pending_item)1 << ITEM_POP_SHIFT));
			y = summaries_finish(a, m);
		}
		r->groups.at[k].x = y;
	}
}

// Recursion is as deep as the chain of reductions that one terminal makes.
static void read_group(struct summaries *a, item_list items, struct summary_reading *r, uint32_t first, uint32_t end)
{
	uint32_t n, n_here = 0, mark = r->bounds.n;
	const pending_item *list = summaries_items(a, items, &n);
	while (n_here < n && item_pop(list[n_here]) == 0) n_here++;
	if (n_here == 0) {  // the same for all frames
		push_group(r, n ? read_one(a, items, r->frames.at[first]) : (struct summary){SET_EMPTY, ITEMS_NONE}, first,
		           end);
		return;
	}
	if (n_here > 1 || list[0] & ITEM_CONDITION || end - first == 1) {
		for (uint32_t i = first; i < end; i++) map64_expect(&a->read, (uint64_t)items << 32 | r->frames.at[i]);
		for (uint32_t i = first; i < end; i++) push_group(r, summaries_read_on(a, items, r->frames.at[i]), i, i + 1);
		return;
	}
	split(a, r, list[0], first, end);
	for (uint32_t k = mark; r->bounds.at[k] < end; k++) {
		const uint32_t from = r->bounds.at[k];
		const lr_state to = r->places.at[k];
		if (to)
			read_place(a, items, to, r, from, r->bounds.at[k + 1]);
		else
			push_group(r, (struct summary){SET_EMPTY, ITEMS_IMPOSSIBLE}, from, r->bounds.at[k + 1]);
	}
	r->bounds.n = r->places.n = mark;
}

// The number of an answer, in the order in which they come up.
static uint32_t number_of(struct summary_reading *r, uint32_t n_slots, struct summary x)
{
	uint32_t i = (uint32_t)(hash_pair(x.tokens, x.items) >> 32) & (n_slots - 1);
	for (uint32_t k; (k = r->slots.at[i]) != 0; i = (i + 1) & (n_slots - 1))
		if (r->answers.at[k - 1].x.tokens == x.tokens && r->answers.at[k - 1].x.items == x.items) return k - 1;
	vec_push(&r->answers, ((struct summary_group){.x = x}));
	return (r->slots.at[i] = r->answers.n) - 1;
}

// Groups with one answer become one: frames that go to different places mostly find the same there.
static void unite_groups(struct summary_reading *r)
{
	uint32_t n_slots = 8, at = 0;
	while (n_slots < 2 * r->groups.n) n_slots *= 2;
	vec_reserve(&r->slots, n_slots);
	memset(r->slots.at, 0, n_slots * sizeof *r->slots.at);
	vec_clear(&r->answers), vec_clear(&r->number_of);
	for (uint32_t k = 0; k < r->groups.n; k++) {
		vec_push(&r->number_of, number_of(r, n_slots, r->groups.at[k].x));
		r->answers.at[r->number_of.at[k]].n += r->groups.at[k].n;
	}
	for (uint32_t k = 0; k < r->answers.n; at += r->answers.at[k++].n) r->answers.at[k].first = at;
	vec_reserve(&r->spare, at);
	for (uint32_t k = 0; k < r->groups.n; k++) {
		const struct summary_group *g = &r->groups.at[k];
		uint32_t *to = &r->answers.at[r->number_of.at[k]].first;
		memcpy(r->spare.at + *to, r->frames.at + g->first, g->n * sizeof *r->spare.at);
		*to += g->n;
	}
	memcpy(r->frames.at, r->spare.at, at * sizeof *r->frames.at);
	vec_clear(&r->groups);
	for (uint32_t k = 0; k < r->answers.n; k++) {
		struct summary_group g = r->answers.at[k];
		g.first -= g.n;
		vec_push(&r->groups, g);
	}
}

void summaries_read_all(struct summaries *a, item_list items, struct summary_reading *r)
{
	vec_clear(&r->groups);
	if (!r->frames.n) return;
	read_group(a, items, r, 0, r->frames.n);
	if (r->groups.n > 1) unite_groups(r);
}

void reading_release(struct summary_reading *r)
{
	vec_release(&r->frames);
	vec_release(&r->groups);
	vec_release(&r->spare), vec_release(&r->to);
	vec_release(&r->bounds), vec_release(&r->places), vec_release(&r->slots), vec_release(&r->number_of);
	vec_release(&r->answers);
}
