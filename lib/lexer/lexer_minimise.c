// Merging what behaves alike: lex_states and obligations together, since each is told apart through the other.
//
// In:  raw tables. Out: the same automaton with fewest states; dead ends removed; a bound on live readings.
// Algorithm: states from which no lexeme can end are dead; then partition refinement (base/refine.h) over two kinds of
// nodes at once (states: what they end as, leaving which obligation, where each byte class leads; obligations: their
// start in each context).
#include "lexer_raw.h"

#include "../../formats/artifact.h"
#include "../base/refine.h"

// Clears the rows of states from which no accepting state can be reached.
static void kill_dead_ends(struct lexer *x)
{
	uint8_t *good = mem_calloc(x->n_states, 1);
	for (bool changed = true; changed;) {
		changed = false;
		for (lex_state s = x->n_states; s-- > 1;) {
			if (good[s]) continue;
			bool is_good = x->info[s].terminal != UINT32_MAX || s == x->initial;
			for (uint32_t c = 0; c < x->n_classes && !is_good; c++)
				is_good = good[x->next[(size_t)s * x->n_classes + c] & LEX_STATE_MASK];
			if (is_good) good[s] = 1, changed = true;
		}
	}
	uint32_t n_good = 0;
	for (lex_state s = 1; s < x->n_states; s++) n_good += good[s];
	for (size_t i = 0; n_good + 1 < x->n_states && i < (size_t)x->n_states * x->n_classes; i++)
		if (!good[x->next[i] & LEX_STATE_MASK]) x->next[i] &= LEX_CUT;
	for (size_t i = 0; i < (size_t)x->n_obligations * x->n_contexts; i++)
		if (!good[x->start[i]]) x->start[i] = LEX_DEAD;
	free(good);
}

struct description {
	const struct lexer *x;
	const uint32_t *counter_of;  // [lex_state] + 1, 0: none
};

#define CLASSES_A_WORD 16u  // of a label

// Nodes: lex_states, then obligations.
static void describe(void *user, uint32_t node, struct refine_node *out)
{
	const struct description *d = user;
	const struct lexer *x = d->x;
	bool is_state = node < x->n_states;
	vec_push(&out->label, is_state);
	if (!is_state) {
		uint32_t r = node - x->n_states;
		vec_push(&out->label, r == 0);  // "nothing forbidden" keeps its number
		vec_push(&out->label, x->may_end[r]);
		for (uint32_t c = 0; c < x->n_contexts; c++) vec_push(&out->successors, x->start[r * x->n_contexts + c]);
		return;
	}
	vec_push(&out->label, d->counter_of[node]);
	vec_push(&out->label, x->info[node].terminal);
	vec_push(&out->label, x->info[node].flags);
	vec_push(&out->successors, x->n_states + x->info[node].obligation);
	vec_push(&out->successors, x->info[node].also);
	vec_reserve(&out->successors, (uint64_t)out->successors.n + x->n_classes);
	for (uint32_t first = 0; first < x->n_classes; first += CLASSES_A_WORD) {
		const uint32_t end = x->n_classes - first < CLASSES_A_WORD ? x->n_classes : first + CLASSES_A_WORD;
		uint32_t word = 0;  // of each class: is there a cut, and a step
		for (uint32_t c = first; c < end; c++) {
			const uint32_t step = x->next[(size_t)node * x->n_classes + c], to = step & LEX_STATE_MASK;
			word = word << 2 | (step & LEX_CUT ? 2u : 0) | (to != LEX_DEAD);
			if (to != LEX_DEAD) out->successors.at[out->successors.n++] = to;  // no other state is dead
		}
		vec_push(&out->label, word);
	}
}

struct partition {
	uint32_t *state, n_state;  // class of each lex_state; 0 is the dead state's
	uint32_t *obligation, n_obligation;
};

static void apply(struct lexer *x, const struct partition *p, struct arena *arena)
{
	struct lexer y = *x;
	y.n_states = p->n_state, y.n_obligations = p->n_obligation;
	y.next = arena_array(arena, (size_t)y.n_states * y.n_classes, sizeof *y.next);
	y.info = arena_array(arena, y.n_states, sizeof *y.info);
	y.start = arena_array(arena, (size_t)y.n_obligations * y.n_contexts, sizeof *y.start);
	y.may_end = arena_alloc(arena, y.n_obligations);
	y.initial = p->state[x->initial];
	for (lex_state s = 0; s < x->n_states; s++) {
		y.info[p->state[s]] = x->info[s];
		y.info[p->state[s]].obligation = p->obligation[x->info[s].obligation];
		y.info[p->state[s]].also = p->state[x->info[s].also];
		for (uint32_t c = 0; c < x->n_classes; c++) {
			uint32_t to = x->next[(size_t)s * x->n_classes + c];
			y.next[(size_t)p->state[s] * y.n_classes + c] = (to & LEX_CUT) | p->state[to & LEX_STATE_MASK];
		}
	}
	for (uint32_t r = 0; r < x->n_obligations; r++) {
		y.may_end[p->obligation[r]] = x->may_end[r];
		for (uint32_t c = 0; c < x->n_contexts; c++)
			y.start[p->obligation[r] * y.n_contexts + c] = p->state[x->start[r * x->n_contexts + c]];
	}
	for (uint32_t i = 0; i < y.counters.n; i++) {
		struct lexer_counter *k = &y.counters.counter[i];
		k->from = p->state[k->from], k->to = p->state[k->to];
	}
	for (uint32_t i = 0; i < y.counters.n_states; i++) {
		struct lexer_counted z = y.counters.state[i];
		uint32_t at = i;
		z.state = p->state[z.state];
		for (; at && y.counters.state[at - 1].state > z.state; at--) y.counters.state[at] = y.counters.state[at - 1];
		y.counters.state[at] = z;
	}
	*x = y;
}

// Renumbers the classes of states in the preorder of a depth-first search, from the states in their order on: a word's
// states stand behind one another, and so do their rows, starts and sets in the artifact.
static void order_depth_first(const struct lexer *x, struct partition *p)
{
	uint32_t *of = mem_calloc(p->n_state, sizeof *of), *number = mem_calloc(p->n_state, sizeof *number), n = 1;
	VEC(uint32_t) stack = {0};
	for (lex_state s = x->n_states; s-- > 1;) of[p->state[s]] = s;
	for (uint32_t k = 1; k < p->n_state; k++) {
		vec_push(&stack, k);
		while (stack.n) {
			const uint32_t q = stack.at[--stack.n];
			if (number[q]) continue;
			number[q] = n++;
			const uint32_t *next = x->next + (size_t)of[q] * x->n_classes;
			uint32_t last = 0;
			for (uint32_t c = x->n_classes; c-- > 0;) {
				const uint32_t to = p->state[next[c] & LEX_STATE_MASK];
				if (to == last || number[to] || !to) continue;
				vec_push(&stack, to);
				last = to;
			}
		}
	}
	for (lex_state s = 1; s < x->n_states; s++) p->state[s] = number[p->state[s]];
	vec_release(&stack);
	free(of), free(number);
}

void lexer_minimise(struct lexer *x, struct arena *arena)
{
	kill_dead_ends(x);
	uint32_t n = x->n_states + x->n_obligations, *class_of = mem_calloc(n, sizeof *class_of);
	struct partition p = {.state = class_of, .obligation = class_of + x->n_states};
	struct description d = {x, lexer_counter_of(x)};
	uint32_t n_classes = refine_partition(n, describe, &d, class_of);
	free((void *)(uintptr_t)d.counter_of);
	// Numbers follow first appearance, so the classes of states come before those of obligations.
	for (lex_state s = 0; s < x->n_states; s++)
		if (p.state[s] >= p.n_state) p.n_state = p.state[s] + 1;
	p.n_obligation = n_classes - p.n_state;
	order_depth_first(x, &p);
	for (uint32_t r = 0; r < x->n_obligations; r++) p.obligation[r] -= p.n_state;
	apply(x, &p, arena);
	free(class_of);
}

// Readings of one text differ in their first cut; the earlier cut carries the later reading's scan in its obligation,
// so two readings never share a lex_state, and a set of lex_states describes them. All sets of two or more are
// explored.
struct reading_search {
	const struct lexer *x;
	const struct lexer_context_map *m;
	struct intern sets;
	uint32_t most;
	terminal_id *cut;  // ends where a limit is passed
};

struct advance {
	const uint32_t *old;  // the set that reads a byte
	uint32_t n_old, class;
};

static void keep_set(struct reading_search *w, uint32_t *set, uint32_t n)
{
	if (n < 2) return;
	for (uint32_t a = 1; a < n; a++)
		for (uint32_t b = a; b > 0 && set[b - 1] > set[b]; b--) {
			uint32_t y = set[b];
			set[b] = set[b - 1], set[b - 1] = y;
		}
	if (n > w->most) w->most = n;
	intern_add(&w->sets, set, n * sizeof *set, NULL);
}

static void note_cut(struct reading_search *w, const struct advance *how)
{
	for (uint32_t i = 0; i < how->n_old; i++) {
		const terminal_id t = w->x->info[how->old[i]].terminal;
		if (t != UINT32_MAX) *w->cut = t;
	}
}

// Adds to set[0..n) all that members i.. can become, member i from its way q on; each outcome is a new set.
static void advance_set(struct reading_search *w, const struct advance *how, uint32_t i, lex_state q, uint32_t *set,
                        uint32_t n)
{
	const struct lexer *x = w->x;
	if (n > LEXER_MAX_READINGS) {
		if (n > w->most) w->most = n, note_cut(w, how);
		return;
	}
	if (w->sets.entries.n > LEXER_MAX_READING_SETS) return;
	if (i == how->n_old) {
		keep_set(w, set, n);
		return;
	}
	uint32_t to = x->next[(size_t)q * x->n_classes + how->class], mine[LEXER_MAX_READINGS + 2];
	memcpy(mine, set, n * sizeof *set);
	if (to & LEX_STATE_MASK) mine[n++] = to & LEX_STATE_MASK;
	const struct lex_info *info = &x->info[q];
	uint32_t next_i = info->also ? i : i + 1, last = 0;
	lex_state next_q = info->also ? info->also : next_i < how->n_old ? how->old[next_i] : LEX_DEAD;
	const uint32_t words = to & LEX_CUT ? w->m->after_words : 0;
	const bits *after = w->m->after + (size_t)(words ? info->terminal : 0) * words;
	for (uint32_t c = bits_next(after, words, 0); c != UINT32_MAX; c = bits_next(after, words, c + 1)) {
		lex_state s = x->start[info->obligation * x->n_contexts + c];
		uint32_t y = x->next[(size_t)s * x->n_classes + how->class] & LEX_STATE_MASK;
		if (!y || y == last) continue;
		last = y;
		uint32_t with[LEXER_MAX_READINGS + 2];
		memcpy(with, mine, n * sizeof *mine);
		with[n] = y;
		advance_set(w, how, next_i, next_q, with, n + 1);
	}
	if (!last) advance_set(w, how, next_i, next_q, mine, n);
}

uint32_t lexer_count_readings(const struct lexer *x, const struct lexer_context_map *m, terminal_id *cut)
{
	struct reading_search w = {.x = x, .m = m, .most = 1, .cut = cut};
	uint32_t set[LEXER_MAX_READINGS + 2];
	for (lex_state s = 1; s < x->n_states; s++) {
		const uint32_t *row = x->next + (size_t)s * x->n_classes;
		const bool has_also = x->info[s].also;
		for (uint32_t c = 0; c < x->n_classes; c++) {
			const uint32_t to = row[c];
			if (!has_also && !(to & LEX_CUT && to & LEX_STATE_MASK)) continue;  // as most: one way
			uint32_t ways = (to & LEX_STATE_MASK) != 0;
			for (lex_state q = s; q; q = x->info[q].also)
				ways += (x->next[(size_t)q * x->n_classes + c] & LEX_CUT) != 0;
			const struct advance how = {&s, 1, c};
			if (ways > 1) note_cut(&w, &how), advance_set(&w, &how, 0, s, set, 0);
		}
	}
	for (uint32_t i = 0; i < w.sets.entries.n && w.sets.entries.n <= LEXER_MAX_READING_SETS; i++) {
		uint32_t n;
		const uint32_t *old = intern_get(&w.sets, i, &n);
		for (uint32_t c = 0; c < x->n_classes; c++)
			advance_set(&w, &(struct advance){old, n / (uint32_t)sizeof *old, c}, 0, old[0], set, 0);
	}
	const bool is_known = w.most > LEXER_MAX_READINGS || w.sets.entries.n <= LEXER_MAX_READING_SETS;
	const uint32_t most = is_known ? w.most : UINT32_MAX;
	intern_release(&w.sets);
	return most;
}
