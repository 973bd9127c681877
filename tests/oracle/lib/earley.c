// Which terminals may follow a sequence of terminals, exactly, for any context-free grammar.
//
// In:  the productions of a grammar. Out: interned Earley sets, stepped by terminals.
// Earley 1970 with the nullable rule of Aycock & Horspool 2002, on the grammar without the symbols that derive
// nothing: then a sequence is a viable prefix exactly when its set is not empty; what several parses of it can go on
// with is in one set. A set is a value: its items name the sets they began in by id, so equal ids are equal futures,
// and stepping is a function (set, terminal) -> set, which is memoised. An item whose completion completes exactly one
// other item, and that to its end, stands for the completion of that one (Leo 1991): right recursion then comes back
// to the same set. Items are sorted by the symbol after the dot: who waits for what is a range.
// Cost: cubic in the length for ambiguous grammars; 50 us a set for real languages.
#include "../oracle.h"

static void add_production(struct earley *e, uint32_t lhs, const symbol_id *rhs, uint32_t n_rhs)
{
	struct earley_production p = {lhs, n_rhs, rhs, NULL};
	uint32_t *rest = arena_array(&e->arena, n_rhs + 1, sizeof *rest);
	for (uint32_t i = n_rhs; i-- > 0;)
		rest[i] = rest[i + 1] + (rhs[i] < e->n_terminals ? 1 : e->shortest[rhs[i] - e->n_terminals]);
	p.rest = rest;
	vec_push(&e->productions, p);
}

// Productions over symbols that derive something, by their left side; the last is $start: start.
static void reduce(struct earley *e, const struct production *from, uint32_t n_from, uint32_t start_nonterminal)
{
	uint32_t n = e->n_nonterminals;
	e->shortest = arena_array(&e->arena, n + 1, sizeof *e->shortest);
	e->nullable = arena_array(&e->arena, n + 1, sizeof *e->nullable);
	for (uint32_t a = 0; a <= n; a++) e->shortest[a] = ORACLE_NONE;
	for (bool again = true; again;) {
		again = false;
		for (uint32_t p = 0; p < n_from; p++) {
			const struct production *q = &from[p];
			uint64_t len = 0;
			for (uint32_t i = 0; i < q->n_rhs && len < ORACLE_NONE; i++)
				len += q->rhs[i] < e->n_terminals ? 1 : e->shortest[q->rhs[i] - e->n_terminals];
			if (len < e->shortest[q->lhs]) e->shortest[q->lhs] = (uint32_t)len, again = true;
		}
	}
	for (uint32_t a = 0; a < n; a++) e->nullable[a] = e->shortest[a] == 0;
	e->first_of = arena_array(&e->arena, n + 2, sizeof *e->first_of);
	for (uint32_t a = 0; a < n; a++) {
		e->first_of[a] = e->productions.n;
		for (uint32_t p = 0; p < n_from; p++) {
			const struct production *q = &from[p];
			bool derives = q->lhs == a;
			for (uint32_t i = 0; derives && i < q->n_rhs; i++)
				derives = q->rhs[i] < e->n_terminals || e->shortest[q->rhs[i] - e->n_terminals] != ORACLE_NONE;
			if (derives) add_production(e, a, q->rhs, q->n_rhs);
		}
	}
	symbol_id *start = arena_array(&e->arena, 1, sizeof *start);
	*start = e->n_terminals + start_nonterminal;
	e->first_of[n] = e->productions.n;
	e->shortest[n] = e->shortest[start_nonterminal];
	add_production(e, n, start, 1);
	e->first_of[n + 1] = e->productions.n;
	e->is_empty = e->shortest[n] == ORACLE_NONE;
}

// The set under construction.
struct building {
	VEC(struct earley_item) items;  // completed ones, too, while building
	VEC(uint32_t) slots;            // open addressing: place in items + 1
	bool accepting;
};

// The symbol after the dot, or ORACLE_NONE.
static symbol_id next_symbol(const struct earley *e, const struct earley_item *x)
{
	const struct earley_production *p = &e->productions.at[x->production];
	return x->dot == p->n_rhs ? ORACLE_NONE : p->rhs[x->dot];
}

static uint32_t first_waiting(const struct earley *e, const struct earley_set *set, symbol_id s)
{
	uint32_t lo = 0, hi = set->n_items;
	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;
		if (next_symbol(e, &set->items[mid]) < s)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

// The items of a set that wait for s: items[from .. returned).
static uint32_t waiting_for(const struct earley *e, const struct earley_set *set, symbol_id s, uint32_t *from)
{
	*from = first_waiting(e, set, s);
	return first_waiting(e, set, s + 1);
}

static uint32_t *slot_of(struct building *b, const struct earley_item *x)
{
	uint32_t h = (x->production * 31 + x->dot) * 0x9E3779B1u ^ (x->lhs * 0x85EBCA77u + x->origin * 0xC2B2AE3Du);
	for (h ^= h >> 15;; h++) {
		uint32_t *slot = &b->slots.at[h & (b->slots.n - 1)];
		if (!*slot || memcmp(&b->items.at[*slot - 1], x, sizeof *x) == 0) return slot;
	}
}

static void add(struct earley *e, struct building *b, struct earley_item x)
{
	e->work++;
	// Leo: while exactly one item waits for lhs in its origin and is then complete, it is that one that completes.
	for (uint32_t hops = 0; x.origin != EARLEY_HERE && hops < e->n_nonterminals; hops++) {
		const struct earley_set *origin = &e->sets.at[x.origin];
		symbol_id lhs = e->n_terminals + x.lhs;
		uint32_t from = first_waiting(e, origin, lhs);
		if (from == origin->n_items || next_symbol(e, &origin->items[from]) != lhs) break;
		if (from + 1 < origin->n_items && next_symbol(e, &origin->items[from + 1]) == lhs) break;
		const struct earley_item *only = &origin->items[from];
		if (only->dot + 1 != e->productions.at[only->production].n_rhs) break;
		x.lhs = only->lhs;
		if (only->origin != EARLEY_HERE) x.origin = only->origin;
	}
	if (b->items.n * 2 >= b->slots.n) {
		uint32_t n = b->slots.n ? b->slots.n * 2 : 64;
		vec_reserve(&b->slots, n);
		b->slots.n = n;
		memset(b->slots.at, 0, n * sizeof *b->slots.at);
		for (uint32_t i = 0; i < b->items.n; i++) *slot_of(b, &b->items.at[i]) = i + 1;
	}
	uint32_t *slot = slot_of(b, &x);
	if (*slot) return;
	vec_push(&b->items, x);
	*slot = b->items.n;
}

struct keyed_item {
	symbol_id next;
	struct earley_item item;
};

static int by_value(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	for (uint32_t i = 0; i < sizeof(struct keyed_item) / 4; i++)
		if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
	return 0;
}

// after[], to_end, viable of a set whose items are known.
static void describe(struct earley *e, struct earley_set *s)
{
	uint32_t n = e->n_nonterminals, from;
	uint32_t nonterminals = 0;  // items before it wait for terminals
	while (nonterminals < s->n_items && next_symbol(e, &s->items[nonterminals]) < e->n_terminals) nonterminals++;
	uint32_t *after = arena_array(&e->arena, n + 1, sizeof *after);
	for (uint32_t a = 0; a < n; a++) after[a] = ORACLE_NONE;
	for (bool again = true; again;) {
		again = false;
		for (uint32_t i = nonterminals; i < s->n_items; i++) {
			const struct earley_item *x = &s->items[i];
			const uint32_t *above = x->origin == EARLEY_HERE ? after : e->sets.at[x->origin].after;
			if (above[x->lhs] == ORACLE_NONE) continue;
			uint32_t a = next_symbol(e, x) - e->n_terminals;
			uint32_t len = e->productions.at[x->production].rest[x->dot + 1] + above[x->lhs];
			if (len < after[a]) after[a] = len, again = true;
		}
	}
	bits *viable = arena_array(&e->arena, e->terminal_words, sizeof *viable);
	s->to_end = s->accepting ? 0 : ORACLE_NONE;
	for (from = 0; from < nonterminals; from++) {
		const struct earley_item *x = &s->items[from];
		bits_set(viable, next_symbol(e, x));
		const uint32_t *above = x->origin == EARLEY_HERE ? after : e->sets.at[x->origin].after;
		uint32_t len = e->productions.at[x->production].rest[x->dot] + above[x->lhs];
		if (len < s->to_end) s->to_end = len;
	}
	s->after = after;
	s->viable = viable;
}

// Closes b under prediction and completion, and gives the set's id.
static uint32_t close_set(struct earley *e, struct building *b)
{
	uint32_t n = e->n_nonterminals;
	bool *predicted = mem_calloc(n + 1, sizeof *predicted);
	for (uint32_t i = 0; i < b->items.n; i++) {
		struct earley_item x = b->items.at[i];
		symbol_id next = next_symbol(e, &x);
		if (next == ORACLE_NONE) {
			if (x.lhs == n) b->accepting = true;
			// A completion of the empty text: the nullable rule has seen to it.
			if (x.lhs == n || x.origin == EARLEY_HERE) continue;
			struct earley_set origin = e->sets.at[x.origin];
			uint32_t k, to = waiting_for(e, &origin, e->n_terminals + x.lhs, &k);
			for (; k < to; k++) {
				struct earley_item y = origin.items[k];
				uint32_t from = y.origin == EARLEY_HERE ? x.origin : y.origin;
				add(e, b, (struct earley_item){y.production, y.dot + 1, y.lhs, from});
			}
		} else if (next >= e->n_terminals) {
			uint32_t a = next - e->n_terminals;
			for (uint32_t p = e->first_of[a]; !predicted[a] && p < e->first_of[a + 1]; p++)
				add(e, b, (struct earley_item){p, 0, a, EARLEY_HERE});
			predicted[a] = true;
			if (e->nullable[a]) add(e, b, (struct earley_item){x.production, x.dot + 1, x.lhs, x.origin});
		}
	}
	free(predicted);
	VEC(struct keyed_item) kept = {0};
	for (uint32_t i = 0; i < b->items.n; i++) {
		symbol_id next = next_symbol(e, &b->items.at[i]);
		if (next != ORACLE_NONE) vec_push(&kept, ((struct keyed_item){next, b->items.at[i]}));
	}
	if (kept.n) qsort(kept.at, kept.n, sizeof *kept.at, by_value);

	size_t len = sizeof(struct earley_item) * ((size_t)kept.n + 1);
	struct earley_item *key = mem_alloc(len);
	key[0] = (struct earley_item){b->accepting, 0, 0, 0};
	for (uint32_t i = 0; i < kept.n; i++) key[i + 1] = kept.at[i].item;
	bool is_new;
	uint32_t id = intern_add(&e->interned, key, len, &is_new);
	free(key);
	if (is_new) {
		const struct earley_item *items = intern_get(&e->interned, id, NULL);
		struct earley_set s = {.accepting = b->accepting, .n_items = kept.n, .items = items + 1};
		describe(e, &s);
		vec_push(&e->sets, s);
	}
	vec_release(&kept);
	vec_release(&b->items);
	vec_release(&b->slots);
	return id;
}

void earley_init(struct earley *e, const struct grammar *g)
{
	*e = (struct earley){.n_terminals = g->n_terminals,
	                     .n_nonterminals = g->n_nonterminals,
	                     .terminal_words = BITS_WORDS(g->n_terminals)};
	reduce(e, g->productions, g->n_productions, g->start);
	struct building b = {0};
	if (!e->is_empty) add(e, &b, (struct earley_item){e->productions.n - 1, 0, g->n_nonterminals, EARLEY_HERE});
	uint32_t initial = close_set(e, &b);
	ASSERT(initial == 0);
}

uint32_t earley_step(struct earley *e, uint32_t set, terminal_id t)
{
	uint32_t key[2] = {set, t};
	bool is_new;
	uint32_t step = intern_add(&e->steps, key, sizeof key, &is_new);
	if (!is_new) return e->step_to.at[step];
	ASSERT(earley_viable(e, set, t));
	struct building b = {0};
	struct earley_set from = e->sets.at[set];
	uint32_t i, to = waiting_for(e, &from, t, &i);
	for (; i < to; i++) {
		struct earley_item x = from.items[i];
		x.dot++;
		if (x.origin == EARLEY_HERE) x.origin = set;
		add(e, &b, x);
	}
	uint32_t id = close_set(e, &b);
	vec_push(&e->step_to, id);
	return id;
}

void earley_release(struct earley *e)
{
	vec_release(&e->productions);
	vec_release(&e->sets);
	vec_release(&e->step_to);
	intern_release(&e->interned);
	intern_release(&e->steps);
	arena_release(&e->arena);
	*e = (struct earley){0};
}
