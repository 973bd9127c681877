// Which terminals may follow a sequence of terminals, exactly, for any context-free grammar.
//
// In:  the productions of a grammar. Out: interned Earley sets, stepped by terminals.
// Earley 1970 with the nullable rule of Aycock & Horspool 2002, on the grammar without the symbols that derive
// nothing: then a sequence is a viable prefix exactly when its set is not empty. A set is a value: its items name
// the sets they began in by id, so equal ids are equal futures, and stepping is a function (set, terminal) -> set,
// which is memoised. An item whose completion completes exactly one other item, and that to its end, stands for the
// completion of that one (Leo 1991): right recursion then comes back to the same set.
// Cost: cubic in the length for ambiguous grammars; meant for toys.
#include "../oracle.h"

static void reduce(struct earley *e, const struct grammar *g)
{
	uint32_t n = g->n_nonterminals;
	e->shortest = arena_array(&e->arena, n + 1, sizeof *e->shortest);
	e->nullable = arena_array(&e->arena, n + 1, sizeof *e->nullable);
	for (uint32_t a = 0; a <= n; a++) e->shortest[a] = ORACLE_NONE;
	for (bool again = true; again;) {
		again = false;
		for (uint32_t p = 0; p < g->n_productions; p++) {
			const struct production *q = &g->productions[p];
			uint64_t len = 0;
			for (uint32_t i = 0; i < q->n_rhs && len < ORACLE_NONE; i++)
				len += q->rhs[i] < g->n_terminals ? 1 : e->shortest[q->rhs[i] - g->n_terminals];
			if (len < e->shortest[q->lhs]) e->shortest[q->lhs] = (uint32_t)len, again = true;
		}
	}
	for (uint32_t a = 0; a < n; a++) e->nullable[a] = e->shortest[a] == 0;
	for (uint32_t p = 0; p < g->n_productions; p++) {
		const struct production *q = &g->productions[p];
		bool derives = true;
		for (uint32_t i = 0; i < q->n_rhs; i++)
			derives &= q->rhs[i] < g->n_terminals || e->shortest[q->rhs[i] - g->n_terminals] != ORACLE_NONE;
		if (derives) vec_push(&e->productions, ((struct earley_production){q->lhs, q->n_rhs, q->rhs}));
	}
	symbol_id *start = arena_array(&e->arena, 1, sizeof *start);
	*start = g->n_terminals + g->start;
	vec_push(&e->productions, ((struct earley_production){n, 1, start}));
	e->shortest[n] = e->shortest[g->start];
	e->is_empty = e->shortest[g->start] == ORACLE_NONE;
}

// The set under construction.
struct building {
	VEC(struct earley_item) items;  // completed ones, too, while building
	bool accepting;
};

static const struct earley_production *production_of(const struct earley *e, const struct earley_item *x)
{
	return &e->productions.at[x->production];
}

static bool is_completed(const struct earley *e, const struct earley_item *x)
{
	return x->dot == production_of(e, x)->n_rhs;
}

// The nonterminal after the dot, or ORACLE_NONE.
static uint32_t awaits(const struct earley *e, const struct earley_item *x)
{
	if (is_completed(e, x)) return ORACLE_NONE;
	symbol_id s = production_of(e, x)->rhs[x->dot];
	return s < e->n_terminals ? ORACLE_NONE : s - e->n_terminals;
}

static void add(struct earley *e, struct building *b, struct earley_item x)
{
	// Leo: while exactly one item waits for lhs in its origin and is then complete, it is that one that completes.
	for (uint32_t hops = 0; x.origin != EARLEY_HERE && hops < e->grammar->n_nonterminals; hops++) {
		const struct earley_set *origin = &e->sets.at[x.origin];
		const struct earley_item *only = NULL;
		uint32_t waiting = 0;
		for (uint32_t i = 0; i < origin->n_items; i++)
			if (awaits(e, &origin->items[i]) == x.lhs) only = &origin->items[i], waiting++;
		if (waiting != 1 || only->dot + 1 != production_of(e, only)->n_rhs) break;
		x.lhs = only->lhs;
		if (only->origin != EARLEY_HERE) x.origin = only->origin;
	}
	for (uint32_t i = 0; i < b->items.n; i++)
		if (memcmp(&b->items.at[i], &x, sizeof x) == 0) return;
	vec_push(&b->items, x);
}

static int by_value(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	for (uint32_t i = 0; i < sizeof(struct earley_item) / 4; i++)
		if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
	return 0;
}

static uint32_t rest_length(const struct earley *e, const struct earley_item *x, uint32_t from)
{
	const struct earley_production *p = production_of(e, x);
	uint32_t len = 0;
	for (uint32_t i = from; i < p->n_rhs; i++)
		len += p->rhs[i] < e->n_terminals ? 1 : e->shortest[p->rhs[i] - e->n_terminals];
	return len;
}

// after[], to_end, viable of a set whose items are known.
static void describe(struct earley *e, struct earley_set *s)
{
	uint32_t n = e->grammar->n_nonterminals;
	uint32_t *after = arena_array(&e->arena, n + 1, sizeof *after);
	for (uint32_t a = 0; a < n; a++) after[a] = ORACLE_NONE;
	for (bool again = true; again;) {
		again = false;
		for (uint32_t i = 0; i < s->n_items; i++) {
			const struct earley_item *x = &s->items[i];
			uint32_t a = awaits(e, x);
			if (a == ORACLE_NONE) continue;
			const uint32_t *above = x->origin == EARLEY_HERE ? after : e->sets.at[x->origin].after;
			if (above[x->lhs] == ORACLE_NONE) continue;
			uint32_t len = rest_length(e, x, x->dot + 1) + above[x->lhs];
			if (len < after[a]) after[a] = len, again = true;
		}
	}
	bits *viable = arena_array(&e->arena, e->terminal_words, sizeof *viable);
	s->to_end = s->accepting ? 0 : ORACLE_NONE;
	for (uint32_t i = 0; i < s->n_items; i++) {
		const struct earley_item *x = &s->items[i];
		symbol_id next = production_of(e, x)->rhs[x->dot];
		if (next >= e->n_terminals) continue;
		bits_set(viable, next);
		const uint32_t *above = x->origin == EARLEY_HERE ? after : e->sets.at[x->origin].after;
		uint32_t len = rest_length(e, x, x->dot) + above[x->lhs];
		if (len < s->to_end) s->to_end = len;
	}
	s->after = after;
	s->viable = viable;
}

// Closes b under prediction and completion, and gives the set's id.
static uint32_t close_set(struct earley *e, struct building *b)
{
	uint32_t n = e->grammar->n_nonterminals;
	for (uint32_t i = 0; i < b->items.n; i++) {
		struct earley_item x = b->items.at[i];
		uint32_t a = awaits(e, &x);
		if (a != ORACLE_NONE) {
			for (uint32_t p = 0; p < e->productions.n; p++)
				if (e->productions.at[p].lhs == a)
					add(e, b, (struct earley_item){p, 0, a, EARLEY_HERE});
			if (e->nullable[a]) add(e, b, (struct earley_item){x.production, x.dot + 1, x.lhs, x.origin});
		} else if (is_completed(e, &x)) {
			if (x.lhs == n) b->accepting = true;
			// A completion of the empty text: the nullable rule has seen to it.
			if (x.lhs == n || x.origin == EARLEY_HERE) continue;
			struct earley_set origin = e->sets.at[x.origin];
			for (uint32_t k = 0; k < origin.n_items; k++) {
				struct earley_item y = origin.items[k];
				if (awaits(e, &y) != x.lhs) continue;
				uint32_t from = y.origin == EARLEY_HERE ? x.origin : y.origin;
				add(e, b, (struct earley_item){y.production, y.dot + 1, y.lhs, from});
			}
		}
	}
	uint32_t kept = 0;
	for (uint32_t i = 0; i < b->items.n; i++)
		if (!is_completed(e, &b->items.at[i])) b->items.at[kept++] = b->items.at[i];
	b->items.n = kept;
	if (kept) qsort(b->items.at, kept, sizeof *b->items.at, by_value);

	size_t len = sizeof(struct earley_item) * ((size_t)kept + 1);
	struct earley_item *key = mem_alloc(len);
	key[0] = (struct earley_item){b->accepting, 0, 0, 0};
	if (kept) memcpy(key + 1, b->items.at, len - sizeof *key);
	bool is_new;
	uint32_t id = intern_add(&e->interned, key, len, &is_new);
	free(key);
	if (is_new) {
		const struct earley_item *items = intern_get(&e->interned, id, NULL);
		struct earley_set s = {.accepting = b->accepting, .n_items = kept, .items = items + 1};
		describe(e, &s);
		vec_push(&e->sets, s);
	}
	vec_release(&b->items);
	return id;
}

void earley_init(struct earley *e, const struct grammar *g)
{
	*e = (struct earley){.grammar = g, .n_terminals = g->n_terminals, .terminal_words = BITS_WORDS(g->n_terminals)};
	reduce(e, g);
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
	for (uint32_t i = 0; i < from.n_items; i++) {
		struct earley_item x = from.items[i];
		if (production_of(e, &x)->rhs[x.dot] != t) continue;
		x.dot++;
		if (x.origin == EARLEY_HERE) x.origin = set;
		add(e, &b, x);
	}
	uint32_t to = close_set(e, &b);
	vec_push(&e->step_to, to);
	return to;
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
