// What a parse is, and what becomes of it when one more terminal is read (docs/language.md, rule 1).
//
// In:  a grammar. Out: parses by number; equal numbers are equal futures.
// Where the LR(1) automaton keeps no conflict, a text has one parse, and the automaton is not asked: a parse is a set of
// Earley's recogniser (earley.c), which knows of no automaton. Where conflicts are kept, the contract names the automaton:
// a parse is a stack of it, {lr_state, the stack below}, interned. A terminal is shifted behind every sequence of
// reductions; each result is a parse of its own. Equal stacks are one.
// Cost: an Earley step, or a few stacks; both kept. Past PARSE_MAX_STACKS the others are left out, and that is told.
#include "../oracle.h"

#define PARSE_MAX_STACKS 3000  // of one terminal, reductions included

static const struct lr_stack *stack_at(const struct parses *p, uint32_t id) { return intern_get(&p->stacks, id, NULL); }

uint32_t parse_push(struct parses *p, uint32_t below, lr_state s)
{
	struct lr_stack x = {s, below};
	return intern_add(&p->stacks, &x, sizeof x, NULL);
}

lr_state parse_top(const struct parses *p, uint32_t parse) { return stack_at(p, parse)->top; }
uint32_t parse_below(const struct parses *p, uint32_t parse) { return stack_at(p, parse)->below; }

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
	bool has_automaton = wanted != PARSES_EARLEY && build_automaton(p, g, wanted == PARSES_STACKS ? d : &refused);
	diag_release(&refused);
	if (wanted == PARSES_STACKS && !has_automaton) {
		parses_release(p);
		return false;
	}
	if (!has_automaton) p->lr = (struct lr){0};
	p->are = wanted == PARSES_STACKS || (has_automaton && p->lr.n_choice) ? PARSES_STACKS : PARSES_EARLEY;
	earley_init(&p->earley, g);
	parse_push(p, 0, 0);  // number 0: below every stack
	p->start = p->are == PARSES_STACKS ? parse_push(p, 0, LR_BOTTOM) : 0;
	return true;
}

void parses_release(struct parses *p)
{
	earley_release(&p->earley);
	intern_release(&p->stacks);
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

static uint32_t add_stack(struct intern *set, uint32_t stack) { return intern_add(set, &stack, sizeof stack, NULL); }

// All stacks behind all reductions under t, each shifted; t == n_terminals: the end of the text.
static struct following follow(struct parses *p, uint32_t parse, terminal_id t)
{
	struct following x = {0};
	add_stack(&x.open, parse);
	for (uint32_t i = 0; i < x.open.entries.n && !x.is_cut; i++) {
		uint32_t stack = *(const uint32_t *)intern_get(&x.open, i, NULL), n, one;
		const uint32_t *a = lr_actions(&p->lr, parse_top(p, stack), t, &n, &one);
		for (uint32_t k = 0; k < n; k++) {
			if (a[k] == ACTION_SKIP) continue;
			if (a[k] == ACTION_ACCEPT) x.accepts = true;
			else if (ACTION_IS_SHIFT(a[k])) add_stack(&x.shifted, parse_push(p, stack, a[k] / 2));
			else {
				struct lr_production made = p->lr.production[a[k] / 2 - 1];
				uint32_t below = stack;
				for (uint32_t pops = made.length; pops; pops--) below = parse_below(p, below);
				add_stack(&x.open, parse_push(p, below, lr_goto(&p->lr, parse_top(p, below), made.lhs)));
			}
		}
		x.is_cut = x.open.entries.n > PARSE_MAX_STACKS;
	}
	return x;
}

static void following_release(struct following *x)
{
	intern_release(&x->open);
	intern_release(&x->shifted);
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
			for (uint32_t i = 0; i < x.shifted.entries.n; i++)
				vec_push(&p->results, *(const uint32_t *)intern_get(&x.shifted, i, NULL));
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
	uint32_t depth = 0;
	for (; parse; parse = parse_below(p, parse)) depth++;
	return depth;
}
