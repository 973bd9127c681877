// Chains: lex_states that repeat one another, one bounded repetition further on.
//
// In:  a lexer. Out: x->chains. A{0,1000} has a thousand links, each with the states of one A; what a link does, the
// next one does one link further on. So there are *lines*: line[0], line[1], ... are the same state of one link after
// the other; and for each state of a line and each byte class a *run*: for how many steps along the line the successors
// go along too (in their line), or stay the same. Whatever walks the vocabulary from one link then knows what the
// others find (tables/walk_template.c).
// How: for a state and one some bytes behind it, pairs are followed together (as when two DFAs are compared): (s, t)
// asks that each class leads to one state, or to a pair again, and no state is in two pairs. Where the first steps
// already disagree, it was no repetition. Pairs are a guess that only has to be good: runs are found by looking at each
// pair alone.
// Cost: the table a few times, a few steps for each state that is in no chain, states x classes for those that are;
// CHAINS_WORK bounds it all.
#include "lexer_raw.h"

#include "../../formats/artifact.h"
#include "../base/map64.h"
#include "../base/work.h"

#define CHAINS_WORK 24u  // class steps for each entry of the lexer's table, at most
#define MIN_STATES 32u   // smaller lexers have nothing to gain
#define NEAR 4u          // bytes from one link to the next, at most
#define MAX_NEAR 24u     // states that near, at most
#define SURE_STEPS 6u    // a pair that disagrees within so many bytes makes the guess a wrong one
#define MIN_GOOD 24u     // pairs that agree, of a guess that is taken
#define NONE UINT32_MAX

// Classes in a row that do the same.
struct stretch {
	uint32_t next;  // as in the lexer's table
	uint32_t n;
};

struct search {
	struct lexer *x;
	uint32_t *after, *before;  // [lex_state] its pair; NONE
	VEC(lex_state) pairs;      // first members of this guess, breadth-first
	VEC(uint32_t) layers;      // [pair] bytes from the first one
	lex_state *seen;           // [lex_state] the one near which it was seen last
	lex_state *to;             // successors, each once, in the order of their classes: [to_at[s] .. to_at[s + 1]) of s
	uint32_t *to_at;
	VEC(struct stretch) stretches;  // of equal neighbours in each row, one row after the other
	uint32_t *stretches_at;         // [lex_state] the first of its row
	uint64_t *look;  // [lex_state] a hash of what SURE_STEPS bytes do: where lexemes are cut, what leads nowhere
	uint64_t work;   // that is left
};

static bool same_ways(const struct lexer *x, lex_state s, lex_state t)
{
	const struct lex_info *a = &x->info[s], *b = &x->info[t];
	return a->terminal == b->terminal && a->obligation == b->obligation &&
	       !((a->flags ^ b->flags) & (LEX_LINE | LEX_NEWLINE)) && a->also == b->also;
}

static void forget(struct search *w)
{
	for (uint32_t i = 0; i < w->pairs.n; i++) {
		w->before[w->after[w->pairs.at[i]]] = NONE;
		w->after[w->pairs.at[i]] = NONE;
	}
	vec_clear(&w->pairs);
	vec_clear(&w->layers);
}

static void pair_up(struct search *w, lex_state s, lex_state t, uint32_t layer)
{
	w->after[s] = t, w->before[t] = s;
	vec_push(&w->pairs, s);
	vec_push(&w->layers, layer);
}

// Do s and t agree on this class? Pairs up where it leads.
static bool follow(struct search *w, lex_state s, lex_state t, uint32_t class, uint32_t layer)
{
	const struct lexer *x = w->x;
	uint32_t a = x->next[(size_t)s * x->n_classes + class], b = x->next[(size_t)t * x->n_classes + class];
	if ((a ^ b) & LEX_CUT || (a & LEX_CUT && !same_ways(x, s, t))) return false;
	a &= LEX_STATE_MASK, b &= LEX_STATE_MASK;
	if (a == b || w->after[a] == b) return true;
	if (a == LEX_DEAD || b == LEX_DEAD || w->after[a] != NONE || w->before[b] != NONE) return false;
	pair_up(w, a, b, layer + 1);
	return true;
}

static void find_stretches(struct search *w)
{
	const struct lexer *x = w->x;
	w->stretches_at = mem_alloc(x->n_states * sizeof *w->stretches_at);
	for (lex_state s = 1; s < x->n_states; s++) {
		const uint32_t *next = x->next + (size_t)s * x->n_classes;
		w->stretches_at[s] = w->stretches.n;
		for (uint32_t c = 0, end; c < x->n_classes; c = end) {
			for (end = c + 1; end < x->n_classes && next[end] == next[c];) end++;
			vec_push(&w->stretches, ((struct stretch){next[c], end - c}));
		}
	}
}

// shared[s]: another state may look like it. So it is never forgotten that one looks like no other.
static void find_shared(const struct search *w, uint8_t *shared, uint8_t *count, uint32_t n_counts)
{
	memset(count, 0, n_counts);
	for (lex_state s = 1; s < w->x->n_states; s++) {
		uint8_t *here = &count[w->look[s] & (n_counts - 1)];
		if (*here < 2) ++*here;
	}
	for (lex_state s = 1; s < w->x->n_states; s++) shared[s] &= count[w->look[s] & (n_counts - 1)] == 2;
}

// Pairs of the first SURE_STEPS layers agree on every class, so states that begin a chain look alike for so many bytes.
// A state that looks like no other keeps its look.
static void find_looks(struct search *w)
{
	const struct lexer *x = w->x;
	uint32_t n_counts = 64;
	while (n_counts < 8 * x->n_states) n_counts *= 2;
	uint64_t *next_look = mem_calloc(x->n_states, sizeof *next_look);
	uint8_t *shared = mem_alloc(x->n_states), *count = mem_alloc(n_counts);
	memset(shared, 1, x->n_states);
	w->look = mem_calloc(x->n_states, sizeof *w->look);
	for (uint32_t round = 0; round < SURE_STEPS; round++) {
		for (lex_state s = 1; s < x->n_states; s++) {
			next_look[s] = w->look[s];
			if (!shared[s]) continue;
			const struct stretch *now = w->stretches.at + w->stretches_at[s];
			uint64_t look = 1, last = 0;  // LEX_DEAD keeps 0
			uint32_t n = 0;               // classes that look like the last one
			for (uint32_t c = 0; c < x->n_classes; c += now++->n) {
				const lex_state to = now->next & LEX_STATE_MASK;
				const uint64_t here = w->look[to] + (to != LEX_DEAD) + (now->next & LEX_CUT ? 2u : 0u);
				if (n && here != last) look = hash_add_fold(look, last + n), n = 0;
				last = here, n += now->n;
			}
			next_look[s] = hash_add_fold(look, last + n);
		}
		uint64_t *spare = w->look;
		w->look = next_look, next_look = spare;
		if (round + 1 < SURE_STEPS) find_shared(w, shared, count, n_counts);
	}
	free(next_look), free(shared), free(count);
}

// The successors of each state, each once, in the order of their classes.
static void find_successors(struct search *w)
{
	const struct lexer *x = w->x;
	uint32_t n = 0;
	w->to = mem_alloc(w->stretches.n * sizeof *w->to);
	w->to_at = mem_calloc((size_t)x->n_states + 1, sizeof *w->to_at);
	const struct stretch *now = w->stretches.at;
	for (lex_state s = 1; s < x->n_states; s++) {
		w->to_at[s] = n;
		w->seen[LEX_DEAD] = s;
		for (uint32_t c = 0; c < x->n_classes; c += now++->n) {
			lex_state t = now->next & LEX_STATE_MASK;
			if (w->seen[t] == s) continue;
			w->to[n++] = t, w->seen[t] = s;
		}
		w->to_at[s + 1] = n;
	}
	memset(w->seen, 0, x->n_states * sizeof *w->seen);
}

// Is t what s is one link further on? Then all pairs of that chain are kept.
static bool try_pair(struct search *w, lex_state s, lex_state t)
{
	uint32_t n_good = 0;
	bool possible = true;
	if (w->look[s] != w->look[t]) {
		if (w->work >= w->x->n_classes) w->work -= w->x->n_classes;
		return false;
	}
	pair_up(w, s, t, 0);
	for (uint32_t i = 0; i < w->pairs.n && possible; i++) {
		lex_state at = w->pairs.at[i];
		bool good = true;
		for (uint32_t c = 0; c < w->x->n_classes && possible; c++) {
			bool agrees = follow(w, at, w->after[at], c, w->layers.at[i]);
			good &= agrees;
			possible = agrees || w->layers.at[i] >= SURE_STEPS;
		}
		n_good += good;
		if (w->work < w->x->n_classes)
			possible = false;
		else
			w->work -= w->x->n_classes;
	}
	possible &= n_good >= MIN_GOOD && 2 * n_good >= w->pairs.n;
	if (possible)
		vec_clear(&w->pairs), vec_clear(&w->layers);
	else
		forget(w);
	return possible;
}

// The states a few bytes behind s are tried one after the other.
static void try_state(struct search *w, lex_state s)
{
	const struct lexer *x = w->x;
	lex_state near[MAX_NEAR + 1] = {s};
	uint32_t n = 1, first = 0;
	w->seen[s] = s;
	for (uint32_t distance = 0; distance < NEAR; distance++) {
		uint32_t stop = n, begin = first;
		for (; first < stop; first++)
			for (uint32_t i = w->to_at[near[first]]; i < w->to_at[near[first] + 1] && n <= MAX_NEAR; i++) {
				lex_state t = w->to[i];
				if (w->seen[t] == s) continue;
				near[n++] = t, w->seen[t] = s;
				if (same_ways(x, s, t) && w->before[t] == NONE && try_pair(w, s, t)) return;
			}
		w->work -= w->work < (stop - begin) * x->n_classes ? w->work : (stop - begin) * x->n_classes;
	}
}

// The lines, one after the other, and the last places of each.
static bits *lay_out(struct search *w, struct arena *arena)
{
	const struct lexer *x = w->x;
	struct lexer_chains *h = &w->x->chains;
	bits *ends = mem_calloc(BITS_WORDS(x->n_states), sizeof *ends);  // [place]
	h->place = arena_array(arena, x->n_states, sizeof *h->place);
	h->members = arena_array(arena, x->n_states, sizeof *h->members);
	memset(h->place, 0xff, x->n_states * sizeof *h->place);
	for (lex_state s = 1; s < x->n_states; s++) {
		if (w->after[s] == NONE || w->before[s] != NONE) continue;
		for (lex_state t = s; t != NONE; t = w->after[t]) h->place[t] = h->n, h->members[h->n++] = t;
		bits_set(ends, h->n - 1);
	}
	return ends;
}

enum step { DIFFERS, SAME, MOVES };

// What the states of a place and of the next one do on a class. Where lines lie side by side, none goes on in the next.
static enum step step_of(const struct lexer *x, const bits *ends, uint32_t place, uint32_t class)
{
	const struct lexer_chains *h = &x->chains;
	lex_state s = h->members[place], t = h->members[place + 1];
	uint32_t a = x->next[(size_t)s * x->n_classes + class], b = x->next[(size_t)t * x->n_classes + class];
	if ((a ^ b) & LEX_CUT || (a & LEX_CUT && !same_ways(x, s, t))) return DIFFERS;
	a &= LEX_STATE_MASK, b &= LEX_STATE_MASK;
	if (a == b) return SAME;
	if (h->place[a] == NONE || bits_test(ends, h->place[a])) return DIFFERS;
	return h->place[b] == h->place[a] + 1 ? MOVES : DIFFERS;
}

// From the last place to the first: a run goes on where the next place's step is of the same kind.
static void find_runs(struct lexer *x, const bits *ends, struct arena *arena)
{
	struct lexer_chains *h = &x->chains;
	const uint32_t n_classes = x->n_classes;
	h->run = arena_array(arena, (size_t)h->n * n_classes, sizeof *h->run);
	h->first = arena_array(arena, h->n, sizeof *h->first);
	uint8_t *breaks = mem_calloc(h->n + 1, 1);  // [place] the next place does not belong to the same stretch
	for (uint32_t p = h->n - 1; p-- > 0;) {
		uint32_t *run = h->run + (size_t)p * n_classes;
		for (uint32_t c = 0; c < n_classes; c++) {
			enum step step = step_of(x, ends, p, c);
			uint32_t kind = step == MOVES ? CHAIN_MOVES : 0, next = run[n_classes + c], length = next & ~CHAIN_MOVES;
			bool goes_on = length && (next & CHAIN_MOVES) == kind;
			if (step != DIFFERS) run[c] = kind | (goes_on ? length + 1 : 1);
			breaks[p] |= step == DIFFERS;
			breaks[p + 1] |= step != DIFFERS && length && !goes_on;
		}
	}
	for (uint32_t p = 0, stop; p < h->n; p = stop) {
		for (stop = p + 1; stop < h->n && !breaks[stop - 1];) stop++;
		for (uint32_t i = p; i < stop; i++) h->first[i] = stop - p < CHAIN_MIN ? NONE : p;
	}
	free(breaks);
}

void lexer_find_chains(struct lexer *x, struct arena *arena)
{
	x->chains = (struct lexer_chains){0};
	if (x->n_states < MIN_STATES) return;
	struct search w = {.x = x, .work = (uint64_t)CHAINS_WORK * x->n_states * x->n_classes};
	w.after = mem_alloc(x->n_states * sizeof *w.after), w.before = mem_alloc(x->n_states * sizeof *w.before);
	w.seen = mem_calloc(x->n_states, sizeof *w.seen);
	memset(w.after, 0xff, x->n_states * sizeof *w.after), memset(w.before, 0xff, x->n_states * sizeof *w.before);
	find_stretches(&w);
	find_looks(&w);
	find_successors(&w);
	for (lex_state s = 1; s < x->n_states && w.work >= x->n_classes; s++) {
		if (w.after[s] == NONE && w.before[s] == NONE) try_state(&w, s);
		work_check();
	}
	bits *ends = lay_out(&w, arena);
	if (x->chains.n) find_runs(x, ends, arena);
	free(ends);
	free(w.after), free(w.before), free(w.seen), free(w.to), free(w.to_at), free(w.look), free(w.stretches_at);
	vec_release(&w.pairs), vec_release(&w.layers), vec_release(&w.stretches);
}
