// What is followed, and what must not (or must) come any more: sets of lexer items and how bytes move them.
//
// In:  terminal DFAs. Out: interned sets. A scan is a set of (terminal, DFA state). An *obligation* is a conjunction of
// items about the text from here on:
//   (terminal, DFA state)  nothing that this becomes may match. Where it accepts for sure, it is violated; where it
//                          accepts if f follows, "f must not follow" joins the obligation: a longer match that its own
//                          lookahead refutes is none.
//   f must hold / must not a state of a follow_dfa; gone once decided rightly, violated once decided wrongly.
// All are deterministic and only "and" joins them, so an obligation is a set and stepping it is stepping its members,
// however lookaheads and longest matches nest.
// An obligation that no text satisfies is as good as violated; that is searched for where lookahead plays a part, at
// most SATISFIABLE_MAX sets far (beyond, it is taken for satisfiable: the tables find the dead end).
// Cost: items x steps.
#include "../base/sort.h"
#include "lexer_raw.h"

#define SATISFIABLE_MAX 2000u
enum { UNKNOWN, SATISFIABLE, UNSATISFIABLE, SEEN };

// Bytes that act alike in every automaton are one class; classes are numbered by their first byte.
static void classify_bytes(struct items *x)
{
	struct intern rows = {0};
	uint32_t n_terminals = x->g->n_terminals, n = 0;
	const uint8_t **columns = mem_calloc((size_t)n_terminals * 3 + 1, sizeof *columns);
	for (terminal_id t = 0; t < n_terminals; t++) {
		columns[n++] = x->dfa[t].class_of;
		if (x->dfa[t].follow) columns[n++] = x->dfa[t].after.class_of;
		if (x->dfa[t].before.n_states) columns[n++] = x->dfa[t].before.class_of;
	}
	uint8_t *row = mem_calloc(n + 1, 1);
	for (int byte = 0; byte < 256; byte++) {
		for (uint32_t i = 0; i < n; i++) row[i] = columns[i][byte];
		bool is_new;
		uint32_t class = intern_add(&rows, row, n, &is_new);
		x->class_of[byte] = (uint8_t) class;
		if (is_new) x->sample[class] = (uint8_t)byte;
	}
	x->n_classes = rows.entries.n;
	free(row);
	free(columns);
	intern_release(&rows);
}

void items_init(struct items *x, const struct grammar *g, const struct byte_dfa *dfa)
{
	*x = (struct items){.g = g, .dfa = dfa};
	classify_bytes(x);
	uint32_t n = g->n_terminals;
	x->offset = mem_calloc(n + 1, sizeof *x->offset);
	x->follow_offset = mem_calloc(n + 1, sizeof *x->follow_offset);
	for (terminal_id t = 0; t < n; t++) {
		x->offset[t + 1] = x->offset[t] + dfa[t].n_states;
		for (uint32_t s = 0; s < dfa[t].n_states; s++) vec_push(&x->terminal_of, t);
	}
	x->n_scan = x->offset[n];
	ASSERT(x->n_scan == x->terminal_of.n);
	x->thin = mem_alloc((x->n_scan + (size_t)1) * sizeof *x->thin);
	for (uint32_t i = 0; i < x->n_scan; i++) x->thin[i].n = THIN_UNKNOWN;
	x->moves = mem_calloc(x->n_scan + (size_t)1, sizeof *x->moves);
	x->spread = mem_calloc(x->n_classes, sizeof *x->spread);
	x->can_go_on = mem_calloc(x->n_scan, 1);
	for (uint32_t i = 0; i < x->n_scan; i++) {
		const struct byte_dfa *a = &dfa[x->terminal_of.at[i]];
		uint32_t s = item_state(x, i);
		for (uint32_t c = 0; c < a->n_classes; c++) x->can_go_on[i] |= a->next[s * a->n_classes + c] != DFA_DEAD;
	}
	for (terminal_id t = 0; t < n; t++) {
		x->follow_offset[t] = x->terminal_of.n;
		if (!dfa[t].follow) continue;
		x->has_follow = true;
		for (uint32_t i = 0; i < 2 * dfa[t].after.n_states; i++) vec_push(&x->terminal_of, t);
	}
	vec_clear(&x->work);
}

void items_release(struct items *x)
{
	free(x->offset);
	free(x->follow_offset);
	free(x->can_go_on);
	free(x->thin);
	free(x->moves);
	for (uint32_t c = 0; c < x->n_classes; c++) vec_release(&x->spread[c]);
	free(x->spread);
	vec_release(&x->terminal_of);
	intern_release(&x->sets);
	vec_release(&x->work);
	vec_release(&x->known);
	vec_release(&x->steps_of);
	vec_release(&x->steps);
}

const uint32_t *items_get(const struct items *x, item_set s, uint32_t *n)
{
	const uint32_t *items = intern_get(&x->sets, s, n);
	*n /= (uint32_t)sizeof(uint32_t);
	return items;
}

static bool is_ascending(const uint32_t *at, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (at[i - 1] >= at[i]) return false;
	return true;
}

static void sort_work(struct items *x)
{
	if (is_ascending(x->work.at, x->work.n)) return;
	uint32_t n = 0;
	sort_u32(x->work.at, x->work.n);
	ASSERT(x->work.at[x->work.n - 1] < x->terminal_of.n);
	for (uint32_t i = 0; i < x->work.n; i++)
		if (!n || x->work.at[n - 1] != x->work.at[i]) x->work.at[n++] = x->work.at[i];
	x->work.n = n;
}

item_set items_intern(struct items *x)
{
	sort_work(x);
	return intern_add(&x->sets, x->work.at, x->work.n * sizeof(uint32_t), NULL);
}

bool items_has(const struct items *x, item_set s, uint32_t item)
{
	uint32_t n;
	const uint32_t *items = items_get(x, s, &n);
	return n && bsearch(&item, items, n, sizeof *items, sort_compare_uint32_t);
}

static uint32_t step_scan_item(const struct items *x, uint32_t item, uint32_t class)
{
	ASSERT(item < x->n_scan && class < x->n_classes);
	terminal_id t = x->terminal_of.at[item];
	uint32_t to = dfa_step(&x->dfa[t], item - x->offset[t], x->sample[class]);
	return to == DFA_DEAD ? DFA_DEAD : x->offset[t] + to;
}

// The classes with which an item goes on, if they are few; found when first asked for.
static const struct thin_item *thin_of(struct items *x, uint32_t item)
{
	struct thin_item *thin = &x->thin[item];
	if (thin->n != THIN_UNKNOWN) return thin;
	thin->n = 0;
	for (uint32_t c = 0; c < x->n_classes && thin->n != THIN_NOT; c++) {
		if (step_scan_item(x, item, c) == DFA_DEAD) continue;
		if (thin->n == THIN_CLASSES)
			thin->n = THIN_NOT;
		else
			thin->class[thin->n++] = (uint8_t)c;
	}
	return thin;
}

void items_spread(struct items *x, item_set scan)
{
	uint32_t n;
	const uint32_t *items = items_get(x, scan, &n);
	for (uint32_t c = 0; c < x->n_classes; c++) vec_clear(&x->spread[c]);
	for (uint32_t i = 0; i < n; i++) {
		const struct thin_item *thin = thin_of(x, items[i]);
		bool few = thin->n != THIN_NOT;
		for (uint32_t k = 0, m = few ? thin->n : x->n_classes; k < m; k++) {
			uint32_t class = few ? thin->class[k] : k, to = step_scan_item(x, items[i], class);
			if (to != DFA_DEAD) vec_push(&x->spread[class], to);
		}
	}
}

bool items_spread_alike(const struct items *x, uint32_t class)
{
	const uint32_t n = x->spread[class].n;
	return n == x->spread[class - 1].n &&
	       (!n || !memcmp(x->spread[class].at, x->spread[class - 1].at, n * sizeof *x->spread[class].at));
}

void items_push_step(struct items *x, item_set scan, uint32_t class)
{
	uint32_t n;
	const uint32_t *items = items_get(x, scan, &n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t to = step_scan_item(x, items[i], class);
		if (to != DFA_DEAD) vec_push(&x->work, to);
	}
}

uint32_t follow_item(const struct items *x, terminal_id t, uint32_t f, bool must)
{
	return x->follow_offset[t] + 2 * f + !must;
}

static bool must_hold(const struct items *x, uint32_t item, terminal_id *t, uint32_t *f)
{
	*t = x->terminal_of.at[item];
	*f = (item - x->follow_offset[*t]) / 2;
	return (item - x->follow_offset[*t]) % 2 == 0;
}

// Adds where the item is after the byte to x->work; false when that is violated.
static bool step_item(struct items *x, uint32_t item, uint32_t class)
{
	terminal_id t;
	uint32_t f;
	if (item < x->n_scan) {
		uint32_t to = step_scan_item(x, item, class);
		if (to == DFA_DEAD) return true;
		f = item_follow(x, to);
		if (f == FOLLOW_ANY || item_unfailable(x, to)) return false;
		if (f != FOLLOW_NEVER) vec_push(&x->work, follow_item(x, x->terminal_of.at[to], f, false));
		if (x->can_go_on[to]) vec_push(&x->work, to);
		return true;
	}
	bool must = must_hold(x, item, &t, &f);
	const struct follow_dfa *after = &x->dfa[t].after;
	uint32_t to = after->next[f * after->n_classes + after->class_of[x->sample[class]]];
	if (to == DFA_DEAD) return false;  // no UTF-8
	if (to <= FOLLOW_ANY) return must == (to == FOLLOW_ANY);
	vec_push(&x->work, follow_item(x, t, to, must));
	return true;
}

static const struct item_moves *moves_of(struct items *x, uint32_t item)
{
	struct item_moves *m = &x->moves[item];
	for (uint32_t c = 0; c < x->n_classes && !m->is_known; c++) {
		const uint32_t to = step_scan_item(x, item, c);
		if (to == DFA_DEAD) continue;
		bits_set(m->leads_on, c);
		if (item_follow(x, to) == FOLLOW_ANY || item_unfailable(x, to)) bits_set(m->violated, c);
	}
	m->is_known = true;
	return m;
}

// Adds `by` to how many items each class violates.
static void count_violated(const struct item_moves *m, uint32_t by, uint32_t *count)
{
	for (uint32_t c = bits_next(m->violated, 4, 0); c != UINT32_MAX; c = bits_next(m->violated, 4, c + 1))
		count[c] += by;
}

// Does each class with which the item goes on violate another one, too?
static bool is_implied(const struct item_moves *m, const uint32_t *count)
{
	for (uint32_t c = bits_next(m->leads_on, 4, 0); c != UINT32_MAX; c = bits_next(m->leads_on, 4, c + 1))
		if (count[c] == bits_test(m->violated, c)) return false;
	return true;
}

item_set obligation_intern(struct items *x)
{
	sort_work(x);
	uint32_t count[256] = {0}, kept = 0;
	for (uint32_t i = 0; i < x->work.n && x->work.at[i] < x->n_scan; i++)
		count_violated(moves_of(x, x->work.at[i]), 1, count);
	for (uint32_t i = 0; i < x->work.n; i++) {
		const uint32_t item = x->work.at[i];
		const struct item_moves *m = item < x->n_scan ? moves_of(x, item) : NULL;
		if (m && is_implied(m, count))
			count_violated(m, UINT32_MAX, count);
		else
			x->work.at[kept++] = item;
	}
	x->work.n = kept;
	return intern_add(&x->sets, x->work.at, kept * sizeof(uint32_t), NULL);
}

static item_set raw_step(struct items *x, item_set s, uint32_t class)
{
	uint32_t n;
	const uint32_t *items = items_get(x, s, &n);
	vec_clear(&x->work);
	for (uint32_t i = 0; i < n; i++)
		if (!step_item(x, items[i], class)) return SET_VIOLATED;
	return items_intern(x);
}

#define STEP_UNKNOWN (UINT32_MAX - 1)
#define STEPS_KEPT (1u << 20)  // entries: then steps are made anew each time

// Where the steps of an obligation are kept; NULL: nowhere.
static item_set *kept_steps(struct items *x, item_set s)
{
	while (x->steps_of.n <= s) vec_push(&x->steps_of, 0);
	if (!x->steps_of.at[s] && x->steps.n < STEPS_KEPT) {
		x->steps_of.at[s] = x->steps.n / x->n_classes + 1;
		for (uint32_t c = 0; c < x->n_classes; c++) vec_push(&x->steps, STEP_UNKNOWN);
	}
	const uint32_t row = x->steps_of.at[s];
	return row ? x->steps.at + (size_t)(row - 1) * x->n_classes : NULL;
}

item_set obligation_step(struct items *x, item_set s, uint32_t class)
{
	item_set *kept = kept_steps(x, s);
	if (kept && kept[class] != STEP_UNKNOWN) return kept[class];
	item_set to = raw_step(x, s, class);
	if (to != SET_VIOLATED && !obligation_satisfiable(x, to)) to = SET_VIOLATED;
	if (kept) kept[class] = to;
	return to;
}

bool obligation_may_end(const struct items *x, item_set s)
{
	uint32_t n;
	const uint32_t *items = items_get(x, s, &n);
	for (uint32_t i = n; i-- > 0 && items[i] >= x->n_scan;) {
		terminal_id t;
		uint32_t f;
		bool must = must_hold(x, items[i], &t, &f);
		if (x->dfa[t].after.at_end[f] != (must ? FOLLOW_YES : FOLLOW_NO)) return false;
	}
	return true;
}

static uint8_t *known(struct items *x, item_set s)
{
	while (x->known.n <= s) vec_push(&x->known, UNKNOWN);
	return &x->known.at[s];
}

// Breadth first, until an obligation is found with which the text may end.
bool obligation_satisfiable(struct items *x, item_set s)
{
	if (!x->has_follow) return true;
	if (*known(x, s) != UNKNOWN) return *known(x, s) == SATISFIABLE;
	VEC(item_set) queue = {0};
	vec_push(&queue, s);
	*known(x, s) = SEEN;
	bool found = false;
	for (uint32_t i = 0; i < queue.n && !found; i++) {
		found = obligation_may_end(x, queue.at[i]) || queue.n > SATISFIABLE_MAX;
		for (uint32_t c = 0; c < x->n_classes && !found; c++) {
			item_set to = raw_step(x, queue.at[i], c);
			if (to == SET_VIOLATED) continue;
			uint8_t *k = known(x, to);
			found = *k == SATISFIABLE;
			if (*k != UNKNOWN) continue;
			*k = SEEN;
			vec_push(&queue, to);
		}
	}
	for (uint32_t i = 0; i < queue.n; i++) *known(x, queue.at[i]) = found ? UNKNOWN : UNSATISFIABLE;
	if (found) *known(x, s) = SATISFIABLE;
	vec_release(&queue);
	return found;
}
