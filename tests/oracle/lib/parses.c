// What a parse is, and what becomes of it when one more terminal is read (docs/language.md, rule 1).
//
// In:  a grammar. Out: parses by number; equal numbers are equal futures.
// Where the LR(1) automaton keeps no conflict, a text has one parse, and the automaton is not asked: a parse is a set of
// Earley's recogniser (earley.c), which knows of no automaton. Where conflicts are kept, the contract names the automaton:
// a parse is a stack of it. A terminal is shifted behind every sequence of reductions; each result is a parse of its own.
// Stacks with the same top that have read the same lexemes at the same places do alike until that top is gone. So they go
// by one number: a *pile*, {lr_state, the piles below}, interned; it stands for all stacks that its ways down spell, of
// which there may be 2 to the depth. With PARSES_LONE each stack keeps a number of its own (oracle_self.c compares).
// Cost: an Earley step, or a few piles; both kept. Past PARSE_MAX_PILES the others are left out, and that is told.
#include "../oracle.h"

#define PARSE_MAX_PILES 3000  // of one terminal, reductions included

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

lr_state parse_top(const struct parses *p, uint32_t parse) { return *(const uint32_t *)intern_get(&p->piles, parse, NULL); }

const uint32_t *parse_below(const struct parses *p, uint32_t parse, uint32_t *n)
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
	return grammar_remove_loops(&p->plain, d, &changed) && lr_build(&p->plain, &p->arena, d, &p->lr);
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

struct following { struct intern open, shifted; bool accepts, is_cut; };

static void add_pile(struct intern *set, uint32_t pile) { intern_add(set, &pile, sizeof pile, NULL); }
static uint32_t pile_at(const struct intern *set, uint32_t i) { return *(const uint32_t *)intern_get(set, i, NULL); }

// What lies below goes on together where it goes to the same state.
static void reduce(struct parses *p, uint32_t pile, struct lr_production made, struct intern *open)
{
	struct intern below;
	parse_pop(p, pile, made.length, &below);
	for (uint32_t i = 0; i < below.entries.n; i++) {
		lr_state to = lr_goto(&p->lr, parse_top(p, pile_at(&below, i)), made.lhs);
		bool is_first = true;
		uint32_t above = push(p, pile_at(&below, i), to);
		for (uint32_t k = 0; k < below.entries.n && !p->is_lone; k++) {
			if (lr_goto(&p->lr, parse_top(p, pile_at(&below, k)), made.lhs) != to) continue;
			is_first &= k >= i;
			above = parse_unite(p, above, push(p, pile_at(&below, k), to));
		}
		if (is_first) add_pile(open, above);
	}
	intern_release(&below);
}

// All piles behind all reductions under t, each shifted; t == n_terminals: the end of the text.
static struct following follow(struct parses *p, uint32_t parse, terminal_id t)
{
	struct following x = {0};
	add_pile(&x.open, parse);
	for (uint32_t i = 0; i < x.open.entries.n && !x.is_cut; i++) {
		uint32_t pile = pile_at(&x.open, i), n, one;
		const uint32_t *a = lr_actions(&p->lr, parse_top(p, pile), t, &n, &one);
		for (uint32_t k = 0; k < n; k++) {
			if (a[k] == ACTION_SKIP) continue;
			if (a[k] == ACTION_ACCEPT) x.accepts = true;
			else if (ACTION_IS_SHIFT(a[k])) add_pile(&x.shifted, push(p, pile, a[k] / 2));
			else reduce(p, pile, p->lr.production[a[k] / 2 - 1], &x.open);
		}
		x.is_cut = x.open.entries.n > PARSE_MAX_PILES;
	}
	return x;
}

static void following_release(struct following *x)
{
	intern_release(&x->open);
	intern_release(&x->shifted);
}

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
			following_release(&x);
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
	following_release(&x);
	return x.accepts;
}

uint32_t parse_to_end(const struct parses *p, uint32_t parse)
{
	if (p->are == PARSES_EARLEY) return p->earley.sets.at[parse].to_end;
	uint32_t depth = 0, n = 1;
	for (const uint32_t *below = &parse; n; depth++) below = parse_below(p, *below, &n);
	return depth;
}
