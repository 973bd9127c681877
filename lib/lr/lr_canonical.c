// Canonical LR(1) states.
//
// In:   productions.
// Out:  struct lr_canon: items, and for each state its kernel, moves and reductions.
// How:  FIRST and nullable of every item's rest, by fixpoint. Then item sets: a state is its kernel, a sorted list of
//       (item, lookahead set); equal kernels are one state. A closure hands lookaheads on in one order of all
//       nonterminals, so that what a chain of them passes on goes along it once.
// Cost: canonical states x closure; above LR_MAX_STATES, LR_MAX_CELLS or LR_MAX_WORK an error.
#include "lr_items.h"

#include "../base/sort.h"
#include "../base/work.h"

static symbol_id const no_symbol = UINT32_MAX;

static bool is_terminal(const struct grammar *g, symbol_id s) { return s < g->n_terminals; }

// The symbol after the dot, or no_symbol.
static symbol_id after_dot(const struct lr_canon *c, uint32_t item)
{
	uint32_t p = c->production_of[item], dot = item - c->item_at[p];
	if (p == c->g->n_productions) return dot == 0 ? c->g->n_terminals + c->g->start : no_symbol;
	return dot < c->g->productions[p].n_rhs ? c->g->productions[p].rhs[dot] : no_symbol;
}

static void number_items(struct lr_canon *c, struct arena *arena)
{
	const struct grammar *g = c->g;
	c->item_at = arena_array(arena, g->n_productions + 2, sizeof *c->item_at);
	for (uint32_t p = 0; p < g->n_productions; p++) c->item_at[p + 1] = c->item_at[p] + g->productions[p].n_rhs + 1;
	c->item_at[g->n_productions + 1] = c->item_at[g->n_productions] + 2;
	c->n_items = c->item_at[g->n_productions + 1];
	c->production_of = arena_array(arena, c->n_items, sizeof *c->production_of);
	for (uint32_t p = 0; p <= g->n_productions; p++)
		for (uint32_t i = c->item_at[p]; i < c->item_at[p + 1]; i++) c->production_of[i] = p;
	struct intern effects = {0};  // what a reduction does to a stack: numbered by first appearance
	VEC(uint32_t) first = {0};
	c->same_as = arena_array(arena, g->n_productions + 1, sizeof *c->same_as);
	for (uint32_t p = 0; p < g->n_productions; p++) {
		bool is_new;
		uint32_t e = intern_add(&effects, (uint32_t[]){g->productions[p].lhs, g->productions[p].n_rhs}, 8, &is_new);
		if (is_new) vec_push(&first, p);
		c->same_as[p] = first.at[e];
	}
	c->same_as[g->n_productions] = g->n_productions;
	intern_release(&effects);
	vec_release(&first);
	c->by_lhs_at = arena_array(arena, g->n_nonterminals + 1, sizeof *c->by_lhs_at);
	c->by_lhs = arena_array(arena, g->n_productions, sizeof *c->by_lhs);
	for (uint32_t p = 0; p < g->n_productions; p++) c->by_lhs_at[g->productions[p].lhs + 1]++;
	for (uint32_t a = 0; a < g->n_nonterminals; a++) c->by_lhs_at[a + 1] += c->by_lhs_at[a];
	uint32_t *fill = mem_calloc(g->n_nonterminals, sizeof *fill);
	for (uint32_t p = 0; p < g->n_productions; p++) {
		uint32_t a = g->productions[p].lhs;
		c->by_lhs[c->by_lhs_at[a] + fill[a]++] = p;
	}
	free(fill);
}

// Productions by the nonterminals on their right sides: those to be looked at again when the nonterminal's FIRST grows.
struct users {
	uint32_t *at, *production;  // of nonterminal a: production[at[a]] up to at[a + 1]
};

static struct users find_users(const struct lr_canon *c)
{
	const struct grammar *g = c->g;
	struct users u = {.at = mem_calloc(g->n_nonterminals + 2, sizeof *u.at)};
	for (uint32_t i = 0; i < c->n_items; i++) {
		symbol_id s = after_dot(c, i);
		if (s != no_symbol && !is_terminal(g, s)) u.at[s - g->n_terminals + 2]++;
	}
	for (uint32_t a = 1; a <= g->n_nonterminals; a++) u.at[a + 1] += u.at[a];
	u.production = mem_alloc((u.at[g->n_nonterminals + 1] + 1) * sizeof *u.production);
	for (uint32_t i = 0; i < c->n_items; i++) {
		symbol_id s = after_dot(c, i);
		if (s != no_symbol && !is_terminal(g, s)) u.production[u.at[s - g->n_terminals + 1]++] = c->production_of[i];
	}
	return u;
}

// FIRST and nullable of the rests of one production, right to left. True: its nonterminal has more of either now.
static bool update_first(struct lr_canon *c, uint32_t p, bits *first, uint8_t *nullable)
{
	const struct grammar *g = c->g;
	uint32_t begin = c->item_at[p], end = c->item_at[p + 1] - 1;
	c->nullable_rest[end] = 1;
	for (uint32_t i = end; i-- > begin;) {
		symbol_id s = after_dot(c, i);
		bits *row = c->first_rest + (size_t)i * c->words;
		if (is_terminal(g, s)) {
			bits_set(row, s);
			continue;
		}
		uint32_t a = s - g->n_terminals;
		bits_union(row, first + (size_t)a * c->words, c->words);
		if (!nullable[a]) continue;
		bits_union(row, c->first_rest + (size_t)(i + 1) * c->words, c->words);
		c->nullable_rest[i] = c->nullable_rest[i + 1];
	}
	if (p == g->n_productions) return false;
	uint32_t a = g->productions[p].lhs;
	bool more = bits_union(first + (size_t)a * c->words, c->first_rest + (size_t)begin * c->words, c->words);
	if (!c->nullable_rest[begin] || nullable[a]) return more;
	nullable[a] = 1;
	return true;
}

// FIRST(beta) and nullable(beta) for every item [A -> alpha . beta]: the least fixpoint, by a list of productions whose
// symbols have changed. Cost: productions x terminals at most, whatever their order.
static void compute_first(struct lr_canon *c, struct arena *arena)
{
	const struct grammar *g = c->g;
	c->words = BITS_WORDS(g->n_terminals + 1);
	c->first_rest = arena_array(arena, (size_t)c->n_items * c->words, sizeof(bits));
	c->nullable_rest = arena_array(arena, c->n_items, 1);
	bits *first = mem_calloc((size_t)g->n_nonterminals * c->words, sizeof *first);
	uint8_t *nullable = mem_calloc(g->n_nonterminals, 1), *waits = mem_alloc(g->n_productions + 1);
	struct users users = find_users(c);
	VEC(uint32_t) todo = {0};
	for (uint32_t p = 0; p <= g->n_productions; p++) vec_push(&todo, p);
	memset(waits, 1, g->n_productions + 1);
	while (todo.n) {
		work_check();
		uint32_t p = todo.at[--todo.n];
		waits[p] = 0;
		if (!update_first(c, p, first, nullable)) continue;
		uint32_t a = g->productions[p].lhs;
		for (uint32_t i = users.at[a]; i < users.at[a + 1]; i++) {
			uint32_t q = users.production[i];
			if (!waits[q]) waits[q] = 1, vec_push(&todo, q);
		}
	}
	vec_release(&todo);
	free(users.at), free(users.production);
	free(first), free(nullable), free(waits);
}

// What a closure looks at of each nonterminal.
static void list_heads(struct lr_canon *c, struct arena *arena)
{
	const struct grammar *g = c->g;
	c->heads_at = arena_array(arena, g->n_nonterminals + 1, sizeof *c->heads_at);
	c->passes_at = arena_array(arena, g->n_nonterminals + 1, sizeof *c->passes_at);
	c->heads = arena_array(arena, g->n_productions, sizeof *c->heads);
	c->passes = arena_array(arena, g->n_productions, sizeof *c->passes);
	uint32_t n = 0, n_passes = 0;
	for (uint32_t a = 0; a < g->n_nonterminals; a++) {
		for (uint32_t i = c->by_lhs_at[a]; i < c->by_lhs_at[a + 1]; i++) {
			const uint32_t item = c->item_at[c->by_lhs[i]];
			const symbol_id s = after_dot(c, item);
			if (s == no_symbol || is_terminal(g, s)) continue;
			c->heads[n++] = item;
			if (c->nullable_rest[item + 1]) c->passes[n_passes++] = item;
		}
		c->heads_at[a + 1] = n, c->passes_at[a + 1] = n_passes;
	}
}

// An order of the nonterminals in which what passes from one to another goes onwards, but for cycles: that in which a
// search in depth leaves them, reversed.
static void order_flow(struct lr_canon *c, struct arena *arena)
{
	const uint32_t n = c->g->n_nonterminals;
	c->flow = arena_array(arena, n, sizeof *c->flow);
	c->flow_place = arena_array(arena, n, sizeof *c->flow_place);
	uint32_t *next = mem_alloc((n + 1) * sizeof *next), left = n;
	uint8_t *is_seen = mem_calloc(n, 1);
	memcpy(next, c->passes_at, (n + 1) * sizeof *next);
	VEC(uint32_t) path = {0};
	for (uint32_t root = 0; root < n; root++) {
		if (is_seen[root]) continue;
		is_seen[root] = 1;
		vec_push(&path, root);
		while (path.n) {
			const uint32_t a = path.at[path.n - 1];
			if (next[a] < c->passes_at[a + 1]) {
				const uint32_t b = after_dot(c, c->passes[next[a]++]) - c->g->n_terminals;
				if (!is_seen[b]) is_seen[b] = 1, vec_push(&path, b);
			} else {
				c->flow[--left] = vec_pop(&path);
				c->flow_place[a] = left;
			}
		}
	}
	free(next), free(is_seen);
	vec_release(&path);
}

// A kernel under construction: items ascending, a lookahead row each.
struct item_set {
	VEC(uint32_t) item;
	VEC(bits) look;  // words a row
};

static size_t record_bytes(const struct lr_canon *c) { return sizeof(uint64_t) + c->words * sizeof(bits); }

static uint32_t intern_kernel(struct lr_canon *c, const struct item_set *k, uint32_t from, uint32_t by)
{
	size_t size = record_bytes(c);
	uint8_t *bytes = mem_calloc(k->item.n, size);
	for (uint32_t i = 0; i < k->item.n; i++) {
		uint64_t item = k->item.at[i];
		memcpy(bytes + i * size, &item, sizeof item);
		memcpy(bytes + i * size + sizeof item, k->look.at + (size_t)i * c->words, c->words * sizeof(bits));
	}
	bool is_new;
	uint32_t s = intern_add(&c->states, bytes, k->item.n * size, &is_new);
	free(bytes);
	if (is_new) {
		vec_push(&c->reached_from, from);
		vec_push(&c->reached_by, by);
	}
	return s;
}

// Not in it; in it, but what it begins with is not; in it with that.
enum { CLOSURE_NO, CLOSURE_NEW, CLOSURE_DONE };

#define NO_PLACE UINT32_MAX

// Work space for one closure: lookaheads of each nonterminal's productions, and which nonterminals are in it.
struct closure {
	bits *look;   // [n_nonterminals * words]
	uint8_t *in;  // [n_nonterminals] CLOSURE_*
	VEC(uint32_t) members;
	bits *grew;            // places in c->flow: lookaheads have grown since they were passed on
	uint32_t at;           // the place that passes on now; NO_PLACE: members are still coming
	uint32_t again, last;  // the first in `grew` that is not behind `at`, or NO_PLACE; the last one
};

// B gets FIRST(beta), and L when beta can be empty, for an item [A -> alpha . B beta, L].
static void closure_add(struct lr_canon *c, struct closure *w, uint32_t item, const bits *look)
{
	symbol_id s = after_dot(c, item);
	if (s == no_symbol || is_terminal(c->g, s)) return;
	uint32_t a = s - c->g->n_terminals;
	if (w->in[a] == CLOSURE_NO) vec_push(&w->members, a), w->in[a] = CLOSURE_NEW;
	bits *row = w->look + (size_t)a * c->words;
	bool grew = bits_union(row, c->first_rest + (size_t)(item + 1) * c->words, c->words);
	if (c->nullable_rest[item + 1]) grew |= bits_union(row, look, c->words);
	if (!grew || w->in[a] != CLOSURE_DONE) return;
	const uint32_t place = c->flow_place[a];
	bits_set(w->grew, place);
	if (w->last < place) w->last = place;
	if (place <= w->at && place < w->again) w->again = place;
}

// What a member begins with, or of this what it passes its lookaheads to, gets them.
static void close_member(struct lr_canon *c, struct closure *w, uint32_t a, const uint32_t *item, const uint32_t *at)
{
	c->work += c->by_lhs_at[a + 1] - c->by_lhs_at[a];
	for (uint32_t i = at[a]; i < at[a + 1]; i++) closure_add(c, w, item[i], w->look + (size_t)a * c->words);
}

// FIRST is given once, as members come. What a member gets later only passes through rests that can be empty: in the
// order of the flow, so that it goes along a chain at once, and again only where there are cycles.
static void close_items(struct lr_canon *c, struct closure *w, const struct item_set *k)
{
	for (uint32_t i = 0; i < w->members.n; i++) {
		uint32_t a = w->members.at[i];
		w->in[a] = CLOSURE_NO;
		memset(w->look + (size_t)a * c->words, 0, c->words * sizeof(bits));
	}
	vec_clear(&w->members);
	w->at = w->again = NO_PLACE, w->last = 0;
	c->work += k->item.n;
	for (uint32_t i = 0; i < k->item.n; i++) closure_add(c, w, k->item.at[i], k->look.at + (size_t)i * c->words);
	for (uint32_t m = 0; m < w->members.n; m++) {
		const uint32_t a = w->members.at[m];
		w->in[a] = CLOSURE_DONE;
		close_member(c, w, a, c->heads, c->heads_at);
	}
	while (w->again != NO_PLACE) {
		w->at = w->again, w->again = NO_PLACE;
		for (; w->at != NO_PLACE; w->at = bits_next(w->grew, w->last / 64 + 1, w->at + 1)) {
			bits_reset(w->grew, w->at);
			close_member(c, w, c->flow[w->at], c->passes, c->passes_at);
		}
	}
}

// All items of the closed set, moved over their next symbol: one new kernel a symbol, reductions where the dot is
// at the end.
struct successors {
	struct item_set *kernel;  // [n_symbols]
	VEC(uint32_t) used;
};

// The reductions of one state.
struct reductions {
	uint32_t *set;   // [n_terminals + 1] index into reduction_sets
	uint32_t *only;  // [n_productions + 1] the set of this production alone, once it is known, else 0
	VEC(uint32_t) used;
};

// One more production for a cell; productions that do the same to a stack count once.
static void add_reduction(struct lr_canon *c, struct reductions *r, terminal_id t, uint32_t p)
{
	if (!r->set[t]) {
		if (!r->only[p]) r->only[p] = intern_add(&c->reduction_sets, &p, sizeof p, NULL);
		vec_push(&r->used, t);
		r->set[t] = r->only[p];
		return;
	}
	uint32_t n, kept = 0;
	const uint32_t *old = lr_reduction_set(c, r->set[t], &n);
	VEC(uint32_t) list = {0};
	c->work += n;
	for (; kept < n && old[kept] < p; kept++) vec_push(&list, old[kept]);
	vec_push(&list, p);
	for (uint32_t i = kept; i < n; i++)
		if (old[i] != p) vec_push(&list, old[i]);
	r->set[t] = intern_add(&c->reduction_sets, list.at, list.n * sizeof *list.at, NULL);
	vec_release(&list);
}

// They become the next row, and none.
static void take_reductions(struct lr_canon *c, struct reductions *r)
{
	sort_u32(r->used.at, r->used.n);
	for (uint32_t i = 0; i < r->used.n; i++) {
		const uint32_t t = r->used.at[i];
		vec_push(&c->reductions.cell, ((struct lr_cell){t, r->set[t]}));
		r->set[t] = 0;
	}
	vec_clear(&r->used);
	vec_push(&c->reductions.at, c->reductions.cell.n);
}

static void advance_item(struct lr_canon *c, struct successors *n, struct reductions *r, uint32_t item,
                         const bits *look)
{
	symbol_id s = after_dot(c, item);
	if (s != no_symbol) {
		struct item_set *k = &n->kernel[s];
		if (!k->item.n) vec_push(&n->used, s);
		// Closure productions come in any order; kernels are sorted by item before they are interned.
		vec_push(&k->item, item + 1);
		for (uint32_t w = 0; w < c->words; w++) vec_push(&k->look, look[w]);
		return;
	}
	uint32_t p = c->same_as[c->production_of[item]];
	for (uint32_t t = bits_next(look, c->words, 0); t != UINT32_MAX; t = bits_next(look, c->words, t + 1))
		add_reduction(c, r, t, p);
}

// Ascending by item. spare: for what is being moved.
static void sort_kernel(struct lr_canon *c, struct item_set *k, struct item_set *spare)
{
	uint32_t n = k->item.n;
	bool is_sorted = true;
	for (uint32_t i = 1; i < n && is_sorted; i++) is_sorted = k->item.at[i - 1] < k->item.at[i];
	c->work += n;
	if (is_sorted) return;
	uint64_t *order = mem_alloc(n * sizeof *order);  // item << 32 | place
	for (uint32_t i = 0; i < n; i++) order[i] = (uint64_t)k->item.at[i] << 32 | i;
	sort_u64(order, n);
	vec_clear(&spare->item), vec_clear(&spare->look);
	vec_reserve(&spare->look, (uint64_t)n * c->words);
	for (uint32_t i = 0; i < n; i++) {
		vec_push(&spare->item, (uint32_t)(order[i] >> 32));
		memcpy(spare->look.at + (size_t)i * c->words, k->look.at + (size_t)(uint32_t)order[i] * c->words,
		       c->words * sizeof(bits));
	}
	spare->look.n = k->look.n;
	c->work += n;
	free(order);
	struct item_set sorted = *spare;
	*spare = *k, *k = sorted;
}

static int by_symbol(const void *a, const void *b)
{
	const struct lr_move *x = a, *y = b;
	return (x->by > y->by) - (x->by < y->by);
}

void lr_too_large(struct diag *d, uint32_t n_states, uint32_t n_symbols, const char *limit)
{
	diag_error(d, (struct loc){0}, "the grammar is too large: %u LR(1) states over %u symbols (limit %s)", n_states,
	           n_symbols, limit);
}

// Branches: the states' worklist with what a state needs (items, closure, successors, moves), then the limits.
static bool build_states(struct lr_canon *c, struct diag *d)
{
	const struct grammar *g = c->g;
	c->n_symbols = g->n_terminals + g->n_nonterminals;
	struct item_set k = {0}, spare = {0};
	struct closure w = {.look = mem_calloc((size_t)g->n_nonterminals * c->words, sizeof(bits)),
	                    .in = mem_calloc(g->n_nonterminals, 1),
	                    .grew = mem_calloc(BITS_WORDS(g->n_nonterminals), sizeof(bits))};
	struct successors n = {.kernel = mem_calloc(c->n_symbols, sizeof *n.kernel)};
	struct reductions r = {.set = mem_calloc((size_t)g->n_terminals + 1, sizeof *r.set),
	                       .only = mem_calloc((size_t)g->n_productions + 1, sizeof *r.only)};
	vec_push(&c->reductions.at, 0);
	vec_push(&k.item, c->item_at[g->n_productions]);
	for (uint32_t i = 0; i < c->words; i++) vec_push(&k.look, 0);
	bits_set(k.look.at, g->n_terminals);
	intern_kernel(c, &k, 0, 0);
	bool ok = true;
	for (uint32_t s = 0; s < c->states.entries.n && ok; s++) {
		uint32_t len;
		const uint8_t *bytes = intern_get(&c->states, s, &len);
		vec_clear(&k.item), vec_clear(&k.look);
		for (uint32_t at = 0; at < len; at += (uint32_t)record_bytes(c)) {
			uint64_t item;
			memcpy(&item, bytes + at, sizeof item);
			vec_push(&k.item, (uint32_t)item);
			for (uint32_t i = 0; i < c->words; i++) {
				bits x;
				memcpy(&x, bytes + at + sizeof item + i * sizeof x, sizeof x);
				vec_push(&k.look, x);
			}
		}
		close_items(c, &w, &k);
		vec_push(&c->moves_at, c->moves.n);
		for (uint32_t i = 0; i < k.item.n; i++) advance_item(c, &n, &r, k.item.at[i], k.look.at + (size_t)i * c->words);
		for (uint32_t m = 0; m < w.members.n; m++) {
			uint32_t a = w.members.at[m];
			for (uint32_t i = c->by_lhs_at[a]; i < c->by_lhs_at[a + 1]; i++)
				advance_item(c, &n, &r, c->item_at[c->by_lhs[i]], w.look + (size_t)a * c->words);
		}
		take_reductions(c, &r);
		for (uint32_t u = 0; u < n.used.n; u++) {
			symbol_id x = n.used.at[u];
			struct item_set *next = &n.kernel[x];
			sort_kernel(c, next, &spare);
			vec_push(&c->moves, ((struct lr_move){x, intern_kernel(c, next, s, x)}));
			vec_clear(&next->item), vec_clear(&next->look);
		}
		struct lr_move *first = n.used.n ? c->moves.at + c->moves_at.at[s] : NULL;
		if (first) qsort(first, n.used.n, sizeof *first, by_symbol);
		vec_clear(&n.used);
		if (c->states.entries.n > LR_MAX_CANONICAL) {
			diag_error(d, (struct loc){0},
			           "the grammar needs more than %u canonical LR(1) states (limit LR_MAX_CANONICAL)",
			           LR_MAX_CANONICAL);
			ok = false;
		} else if (c->work > LR_MAX_WORK || c->moves.n > LR_MAX_CELLS || c->reductions.cell.n > LR_MAX_CELLS) {
			lr_too_large(d, c->states.entries.n, c->n_symbols, c->work > LR_MAX_WORK ? "LR_MAX_WORK" : "LR_MAX_CELLS");
			ok = false;
		}
	}
	for (uint32_t i = 0; i < c->n_symbols; i++) vec_release(&n.kernel[i].item), vec_release(&n.kernel[i].look);
	free(n.kernel);
	vec_release(&n.used), vec_release(&r.used);
	free(r.set), free(r.only);
	free(w.look), free(w.in), free(w.grew);
	vec_release(&w.members);
	vec_release(&k.item), vec_release(&k.look);
	vec_release(&spare.item), vec_release(&spare.look);
	return ok;
}

bool lr_canon_build(struct lr_canon *c, struct arena *arena, struct diag *d)
{
	intern_add(&c->reduction_sets, NULL, 0, NULL);
	number_items(c, arena);
	compute_first(c, arena);
	list_heads(c, arena);
	order_flow(c, arena);
	return build_states(c, d);
}

void lr_canon_release(struct lr_canon *c)
{
	intern_release(&c->states);
	intern_release(&c->reduction_sets);
	vec_release(&c->reached_from);
	vec_release(&c->reached_by);
	vec_release(&c->moves), vec_release(&c->moves_at);
	vec_release(&c->reductions.at), vec_release(&c->reductions.cell);
}
