// What a parse is, and what becomes of it when one more terminal is read (docs/language.md, rule 1).
//
// In:  a grammar. Out: parses by number; equal numbers are equal futures.
// Where the LR(1) automaton keeps no conflict, a text has one parse, and the automaton is not asked: a parse is a set
// of Earley's recogniser (earley.c), which knows of no automaton. Where conflicts are kept, the contract names the
// automaton: a parse is a stack of it. A terminal is shifted behind every sequence of reductions; each result is a
// parse of its own. Stacks with the same top that have read the same lexemes at the same places do alike until that top
// is gone. So they go by one number: a *pile*, {lr_state, the piles below}, interned; it stands for all stacks that its
// ways down spell, of which there may be 2 to the depth. With PARSES_LONE each stack keeps a number of its own
// (oracle_self.c compares). Cost: an Earley step, or a few piles; both kept. Lone stacks past PARSE_MAX_LONE are left
// out, and that is told.
#include "../oracle.h"

#define PARSE_MAX_LONE 3000  // of one terminal, reductions included

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

// A pile's words: its top, and the piles below, ascending. None: it is the bottom.
static uint32_t pile_of(struct parses *p, lr_state top, const uint32_t *below, uint32_t n)
{
	uint32_t *key = mem_alloc((n + 1) * sizeof *key), kept = 1;
	if (n) memcpy(key + 1, below, n * sizeof *key);
	qsort(key + 1, n, sizeof *key, by_number);
	for (uint32_t i = 1; i <= n; i++)
		if (kept == 1 || key[kept - 1] != key[i]) key[kept++] = key[i];
	key[0] = top;
	uint32_t id = intern_add(&p->piles, key, kept * sizeof *key, NULL);
	free(key);
	return id;
}

lr_state parse_top(const struct parses *p, uint32_t parse)
{
	return *(const uint32_t *)intern_get(&p->piles, parse, NULL);
}

static const uint32_t *parse_below(const struct parses *p, uint32_t parse, uint32_t *n)
{
	const uint32_t *key = intern_get(&p->piles, parse, n);
	*n = *n / sizeof *key - 1;
	return key + 1;
}

uint32_t parse_bottom(struct parses *p, lr_state s) { return pile_of(p, s, NULL, 0); }

static uint32_t push(struct parses *p, uint32_t below, lr_state s) { return pile_of(p, s, &below, 1); }

uint32_t parse_unite(struct parses *p, uint32_t a, uint32_t b)
{
	uint32_t n, m;
	parse_below(p, a, &n);
	parse_below(p, b, &m);
	uint32_t *both = mem_alloc((n + m + 1) * sizeof *both);
	memcpy(both, parse_below(p, a, &n), n * sizeof *both);
	memcpy(both + n, parse_below(p, b, &m), m * sizeof *both);
	uint32_t id = pile_of(p, parse_top(p, a), both, n + m);
	free(both);
	return id;
}

void parse_pop(const struct parses *p, uint32_t parse, uint32_t pops, struct intern *to)
{
	struct intern now = {0};
	intern_add(&now, &parse, sizeof parse, NULL);
	for (; pops; pops--) {
		struct intern next = {0};
		for (uint32_t i = 0; i < now.entries.n; i++) {
			uint32_t n;
			const uint32_t *below = parse_below(p, *(const uint32_t *)intern_get(&now, i, NULL), &n);
			for (uint32_t k = 0; k < n; k++) intern_add(&next, &below[k], sizeof *below, NULL);
		}
		intern_release(&now);
		now = next;
	}
	*to = now;
}

bool parse_is_several(const struct parses *p, uint32_t parse)
{
	uint32_t n = 1;
	for (const uint32_t *below = &parse; n == 1;) below = parse_below(p, *below, &n);
	return n > 1;
}

// The grammar whose automaton the contract names is the one without endless reductions.
static bool build_automaton(struct parses *p, const struct grammar *g, struct diag *d)
{
	bool changed;
	p->plain = *g;
	p->plain.arena = (struct arena){0};
	return grammar_remove_loops(&p->plain, d, &changed) &&
	       lr_build(&p->plain, &(struct lr_options){0}, &p->arena, d, &p->lr);
}

bool parses_init(struct parses *p, const struct grammar *g, enum parses_are wanted, struct diag *d)
{
	*p = (struct parses){.n_terminals = g->n_terminals};
	struct diag refused = {0};  // a limit of the automaton: no grammar that compiles
	bool must_build = wanted == PARSES_STACKS || wanted == PARSES_LONE;
	bool has_automaton = wanted != PARSES_EARLEY && build_automaton(p, g, must_build ? d : &refused);
	diag_release(&refused);
	if (must_build && !has_automaton) {
		parses_release(p);
		return false;
	}
	if (!has_automaton) p->lr = (struct lr){0};
	p->are = must_build || (has_automaton && p->lr.n_choice) ? PARSES_STACKS : PARSES_EARLEY;
	p->is_lone = wanted == PARSES_LONE;
	earley_init(&p->earley, g);
	p->start = p->are == PARSES_STACKS ? parse_bottom(p, LR_BOTTOM) : 0;
	return true;
}

void parses_release(struct parses *p)
{
	earley_release(&p->earley);
	intern_release(&p->piles);
	intern_release(&p->steps);
	vec_release(&p->step_to);
	vec_release(&p->results);
	arena_release(&p->plain.arena);
	arena_release(&p->arena);
	*p = (struct parses){0};
}

bool stack_viable(const struct parses *p, lr_state s, terminal_id t)
{
	uint32_t n, one;
	const uint32_t *a = lr_actions(&p->lr, s, t, &n, &one);
	for (uint32_t i = 0; i < n; i++)
		if (a[i] != ACTION_SKIP) return true;
	return false;
}

bool parse_viable(const struct parses *p, uint32_t parse, terminal_id t)
{
	if (p->are == PARSES_EARLEY) return earley_viable(&p->earley, parse, t);
	return stack_viable(p, parse_top(p, parse), t);
}

// What one terminal makes of a parse.
struct following {
	struct intern shifted;
	bool accepts, is_cut;
};

static void add_pile(struct intern *set, uint32_t pile) { intern_add(set, &pile, sizeof pile, NULL); }
static uint32_t pile_at(const struct intern *set, uint32_t i) { return *(const uint32_t *)intern_get(set, i, NULL); }

// ---- each stack by itself ----

static void reduce_lone(struct parses *p, uint32_t stack, struct lr_production made, struct intern *open)
{
	struct intern below;
	parse_pop(p, stack, made.length, &below);
	uint32_t x = pile_at(&below, 0);
	add_pile(open, push(p, x, lr_goto(&p->lr, parse_top(p, x), made.lhs)));
	intern_release(&below);
}

// All stacks behind all reductions under t, each shifted; t == n_terminals: the end of the text.
static struct following follow_lone(struct parses *p, uint32_t stack, terminal_id t)
{
	struct following x = {0};
	struct intern open = {0};
	add_pile(&open, stack);
	for (uint32_t i = 0; i < open.entries.n && !x.is_cut; i++) {
		uint32_t at = pile_at(&open, i), n, one;
		const uint32_t *a = lr_actions(&p->lr, parse_top(p, at), t, &n, &one);
		for (uint32_t k = 0; k < n; k++) {
			if (a[k] == ACTION_SKIP) continue;
			if (a[k] == ACTION_ACCEPT)
				x.accepts = true;
			else if (ACTION_IS_SHIFT(a[k]))
				add_pile(&x.shifted, push(p, at, a[k] / 2));
			else
				reduce_lone(p, at, p->lr.production[a[k] / 2 - 1], &open);
		}
		x.is_cut = open.entries.n > PARSE_MAX_LONE;
	}
	intern_release(&open);
	return x;
}

// ---- all stacks of a pile at once ----

// Behind the reductions under one terminal: a node for each top, above piles and above each other. A path down from a
// node is a stack, and each stack is a path. A place is a pile (even) or a node (odd).
struct node {
	lr_state top;
	struct intern below;
	uint32_t pile;
};
struct graph {
	uint32_t first;
	VEC(struct node) nodes;
};  // first: the place all began with

static uint32_t place_of_pile(uint32_t pile) { return 2 * pile; }
static uint32_t place_of_node(uint32_t node) { return 2 * node + 1; }

static lr_state top_of(const struct parses *p, const struct graph *g, uint32_t place)
{
	return place % 2 ? g->nodes.at[place / 2].top : parse_top(p, place / 2);
}

static void add_below(const struct parses *p, const struct graph *g, uint32_t place, struct intern *to)
{
	if (place % 2) {
		const struct intern *below = &g->nodes.at[place / 2].below;
		for (uint32_t i = 0; i < below->entries.n; i++) add_pile(to, pile_at(below, i));
	} else {
		uint32_t n;
		const uint32_t *below = parse_below(p, place / 2, &n);
		for (uint32_t i = 0; i < n; i++) add_pile(to, place_of_pile(below[i]));
	}
}

// The places so many states down.
static struct intern places_below(const struct parses *p, const struct graph *g, uint32_t place, uint32_t pops)
{
	struct intern now = {0};
	add_pile(&now, place);
	for (; pops; pops--) {
		struct intern next = {0};
		for (uint32_t i = 0; i < now.entries.n; i++) add_below(p, g, pile_at(&now, i), &next);
		intern_release(&now);
		now = next;
	}
	return now;
}

// Puts `top` above `place`. True when that is new.
static bool put_above(struct graph *g, lr_state top, uint32_t place)
{
	uint32_t i = 0;
	while (i < g->nodes.n && g->nodes.at[i].top != top) i++;
	if (i == g->nodes.n) vec_push(&g->nodes, ((struct node){.top = top}));
	bool is_new;
	intern_add(&g->nodes.at[i].below, &place, sizeof place, &is_new);
	return is_new;
}

static bool reduce_place(const struct parses *p, struct graph *g, uint32_t place, terminal_id t)
{
	bool is_new = false;
	uint32_t n, one;
	const uint32_t *a = lr_actions(&p->lr, top_of(p, g, place), t, &n, &one);
	for (uint32_t k = 0; k < n; k++) {
		if (a[k] == ACTION_SKIP || a[k] == ACTION_ACCEPT || ACTION_IS_SHIFT(a[k])) continue;
		struct lr_production made = p->lr.production[a[k] / 2 - 1];
		struct intern below = places_below(p, g, place, made.length);
		for (uint32_t i = 0; i < below.entries.n; i++) {
			uint32_t x = pile_at(&below, i);
			is_new |= put_above(g, lr_goto(&p->lr, top_of(p, g, x), made.lhs), x);
		}
		intern_release(&below);
	}
	return is_new;
}

// Nodes to piles, those first that stand on piles alone. There is no circle: reductions under one terminal end.
static void fix_piles(struct parses *p, struct graph *g)
{
	for (uint32_t left = g->nodes.n, before = left + 1; left;) {
		ASSERT(left < before);
		before = left;
		for (uint32_t i = 0; i < g->nodes.n; i++) {
			struct node *x = &g->nodes.at[i];
			VEC(uint32_t) below = {0};
			bool is_open = x->pile == ORACLE_NONE;
			for (uint32_t k = 0; k < x->below.entries.n && is_open; k++) {
				uint32_t place = pile_at(&x->below, k), pile = place % 2 ? g->nodes.at[place / 2].pile : place / 2;
				is_open = pile != ORACLE_NONE;
				vec_push(&below, pile);
			}
			if (is_open) x->pile = pile_of(p, x->top, below.at, below.n), left--;
			vec_release(&below);
		}
	}
}

static struct following follow_pile(struct parses *p, uint32_t pile, terminal_id t)
{
	struct following x = {0};
	struct graph g = {.first = place_of_pile(pile)};
	for (bool again = true; again;) {
		again = reduce_place(p, &g, g.first, t);
		for (uint32_t i = 0; i < g.nodes.n; i++) again |= reduce_place(p, &g, place_of_node(i), t);
	}
	for (uint32_t i = 0; i < g.nodes.n; i++) g.nodes.at[i].pile = ORACLE_NONE;
	fix_piles(p, &g);
	for (uint32_t i = 0; i <= g.nodes.n; i++) {
		uint32_t at = i < g.nodes.n ? g.nodes.at[i].pile : pile, n, one;
		const uint32_t *a = lr_actions(&p->lr, parse_top(p, at), t, &n, &one);
		for (uint32_t k = 0; k < n; k++) {
			x.accepts |= a[k] == ACTION_ACCEPT;
			if (a[k] != ACTION_SKIP && a[k] != ACTION_ACCEPT && ACTION_IS_SHIFT(a[k]))
				add_pile(&x.shifted, push(p, at, a[k] / 2));
		}
		if (i < g.nodes.n) intern_release(&g.nodes.at[i].below);
	}
	vec_release(&g.nodes);
	return x;
}

static struct following follow(struct parses *p, uint32_t parse, terminal_id t)
{
	return p->is_lone ? follow_lone(p, parse, t) : follow_pile(p, parse, t);
}

// Those with the same top are one.
static void add_result(struct parses *p, uint32_t first, uint32_t pile)
{
	for (uint32_t i = first; i < p->results.n && !p->is_lone; i++) {
		if (parse_top(p, p->results.at[i]) != parse_top(p, pile)) continue;
		p->results.at[i] = parse_unite(p, p->results.at[i], pile);
		return;
	}
	vec_push(&p->results, pile);
}

struct parse_results parse_shift(struct parses *p, uint32_t parse, terminal_id t)
{
	uint32_t key[2] = {parse, t};
	bool is_new;
	uint32_t known = intern_add(&p->steps, key, sizeof key, &is_new);
	if (is_new) {
		struct parse_results r = {.first = p->results.n};
		if (p->are == PARSES_EARLEY) {
			if (earley_viable(&p->earley, parse, t)) vec_push(&p->results, earley_step(&p->earley, parse, t));
		} else {
			struct following x = follow(p, parse, t);
			for (uint32_t i = 0; i < x.shifted.entries.n; i++) add_result(p, r.first, pile_at(&x.shifted, i));
			r.is_cut = x.is_cut;
			intern_release(&x.shifted);
		}
		r.n = p->results.n - r.first;
		vec_push(&p->step_to, r);
	}
	return p->step_to.at[known];
}

bool parse_accepts(struct parses *p, uint32_t parse)
{
	if (p->are == PARSES_EARLEY) return p->earley.sets.at[parse].accepting;
	if (!stack_viable(p, parse_top(p, parse), p->n_terminals)) return false;
	struct following x = follow(p, parse, p->n_terminals);
	intern_release(&x.shifted);
	return x.accepts;
}

uint32_t parse_to_end(const struct parses *p, uint32_t parse)
{
	if (p->are == PARSES_EARLEY) return p->earley.sets.at[parse].to_end;
	uint32_t depth = 0, n = 1;
	for (const uint32_t *below = &parse; n; depth++) below = parse_below(p, *below, &n);
	return depth;
}
