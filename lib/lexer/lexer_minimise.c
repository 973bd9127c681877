// Merging what behaves alike: lex_states and residues together, since each is told apart through the other.
//
// In:  raw tables. Out: the same automaton with fewest states; dead ends removed; a bound on live readings.
// Algorithm: states from which no lexeme can end are dead; then Moore's partition refinement over two kinds of
// rows at once (states: what they end as, leaving which residue, where each byte class leads; residues: their start
// in each context). Cost: rounds x (states x classes + residues x contexts).
#include "lexer_raw.h"

#include "../../formats/artifact.h"

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
	for (size_t i = 0; i < (size_t)x->n_states * x->n_classes; i++)
		if (!good[x->next[i] & LEX_STATE_MASK]) x->next[i] &= LEX_CUT;
	for (size_t i = 0; i < (size_t)x->n_residues * x->n_contexts; i++)
		if (!good[x->start[i]]) x->start[i] = LEX_DEAD;
	free(good);
}

struct partition {
	uint32_t *state, n_state;      // class of each lex_state; 0 is the dead state's
	uint32_t *residue, n_residue;
};

static uint32_t refine_residues(const struct lexer *x, struct partition *p, uint32_t *row)
{
	struct intern rows = {0};
	for (uint32_t r = 0; r < x->n_residues; r++) {
		row[0] = r == 0;  // "nothing forbidden" keeps its number
		for (uint32_t c = 0; c < x->n_contexts; c++) row[c + 1] = p->state[x->start[r * x->n_contexts + c]];
		p->residue[r] = intern_add(&rows, row, (x->n_contexts + 1) * sizeof *row, NULL);
	}
	uint32_t n = rows.entries.n;
	intern_release(&rows);
	return n;
}

static uint32_t refine_states(const struct lexer *x, struct partition *p, uint32_t *row, uint32_t *fresh)
{
	struct intern rows = {0};
	for (lex_state s = 0; s < x->n_states; s++) {
		uint32_t *r = row;
		*r++ = p->state[s];
		*r++ = x->info[s].terminal;
		*r++ = p->residue[x->info[s].residue];
		*r++ = x->info[s].flags;
		for (uint32_t c = 0; c < x->n_classes; c++) {
			uint32_t to = x->next[(size_t)s * x->n_classes + c];
			*r++ = (to & LEX_CUT) | p->state[to & LEX_STATE_MASK];
		}
		fresh[s] = intern_add(&rows, row, (size_t)(r - row) * sizeof *row, NULL);
	}
	memcpy(p->state, fresh, x->n_states * sizeof *fresh);
	uint32_t n = rows.entries.n;
	intern_release(&rows);
	return n;
}

static void apply(struct lexer *x, const struct partition *p, struct arena *arena)
{
	struct lexer y = *x;
	y.n_states = p->n_state, y.n_residues = p->n_residue;
	y.next = arena_array(arena, (size_t)y.n_states * y.n_classes, sizeof *y.next);
	y.info = arena_array(arena, y.n_states, sizeof *y.info);
	y.start = arena_array(arena, (size_t)y.n_residues * y.n_contexts, sizeof *y.start);
	y.initial = p->state[x->initial];
	for (lex_state s = 0; s < x->n_states; s++) {
		y.info[p->state[s]] = x->info[s];
		y.info[p->state[s]].residue = p->residue[x->info[s].residue];
		for (uint32_t c = 0; c < x->n_classes; c++) {
			uint32_t to = x->next[(size_t)s * x->n_classes + c];
			y.next[(size_t)p->state[s] * y.n_classes + c] = (to & LEX_CUT) | p->state[to & LEX_STATE_MASK];
		}
	}
	for (uint32_t r = 0; r < x->n_residues; r++)
		for (uint32_t c = 0; c < x->n_contexts; c++)
			y.start[p->residue[r] * y.n_contexts + c] = p->state[x->start[r * x->n_contexts + c]];
	*x = y;
}

void lexer_minimise(struct lexer *x, const struct lexer_context_map *m, struct arena *arena)
{
	(void)m;
	kill_dead_ends(x);
	struct partition p = {.state = mem_calloc(x->n_states, sizeof *p.state),
	                      .residue = mem_calloc(x->n_residues, sizeof *p.residue)};
	uint32_t width = (x->n_classes > x->n_contexts ? x->n_classes : x->n_contexts) + 4;
	uint32_t *row = mem_calloc(width, sizeof *row), *fresh = mem_calloc(x->n_states, sizeof *fresh);
	for (;;) {
		uint32_t n_residue = refine_residues(x, &p, row), n_state = refine_states(x, &p, row, fresh);
		bool stable = n_residue == p.n_residue && n_state == p.n_state;
		p.n_residue = n_residue, p.n_state = n_state;
		if (stable) break;
	}
	apply(x, &p, arena);
	free(p.state);
	free(p.residue);
	free(row);
	free(fresh);
}

// Readings of one text differ in their first cut; the earlier cut carries the later reading's scan in its residue, so
// two readings never share a lex_state, and a set of lex_states describes them. All sets of two or more are explored.
#define MAX_SETS 20000u

struct thread_search {
	const struct lexer *x;
	const struct lexer_context_map *m;
	struct intern sets;
	uint32_t most;
};

// Adds to set[0..n) all ways in which members i.. can read `class`; each way is a new set.
static void advance_set(struct thread_search *w, const uint32_t *old, uint32_t n_old, uint32_t i, uint32_t class,
                        uint32_t *set, uint32_t n)
{
	if (w->sets.entries.n > MAX_SETS || n > LEXER_MAX_THREADS) {
		if (n > w->most) w->most = n;
		return;
	}
	if (i == n_old) {
		if (n < 2) return;
		for (uint32_t a = 1; a < n; a++)
			for (uint32_t b = a; b > 0 && set[b - 1] > set[b]; b--) {
				uint32_t y = set[b];
				set[b] = set[b - 1], set[b - 1] = y;
			}
		if (n > w->most) w->most = n;
		intern_add(&w->sets, set, n * sizeof *set, NULL);
		return;
	}
	uint32_t to = w->x->next[(size_t)old[i] * w->x->n_classes + class], mine[LEXER_MAX_THREADS + 2];
	memcpy(mine, set, n * sizeof *set);
	if (to & LEX_STATE_MASK) mine[n++] = to & LEX_STATE_MASK;
	bool branched = false;
	if (to & LEX_CUT) {
		const struct lex_info *info = &w->x->info[old[i]];
		const bits *after = w->m->after + (size_t)info->terminal * w->m->after_words;
		uint32_t last = 0;
		for (uint32_t c = bits_next(after, w->m->after_words, 0); c != UINT32_MAX;
		     c = bits_next(after, w->m->after_words, c + 1)) {
			lex_state s = w->x->start[info->residue * w->x->n_contexts + c];
			uint32_t y = w->x->next[(size_t)s * w->x->n_classes + class] & LEX_STATE_MASK;
			if (!y || y == last) continue;
			last = y, branched = true;
			uint32_t with[LEXER_MAX_THREADS + 2];
			memcpy(with, mine, n * sizeof *mine);
			with[n] = y;
			advance_set(w, old, n_old, i + 1, class, with, n + 1);
		}
	}
	if (!branched) advance_set(w, old, n_old, i + 1, class, mine, n);
}

uint32_t lexer_count_threads(const struct lexer *x, const struct lexer_context_map *m)
{
	struct thread_search w = {.x = x, .m = m, .most = 1};
	uint32_t set[LEXER_MAX_THREADS + 2];
	for (lex_state s = 1; s < x->n_states; s++)
		for (uint32_t c = 0; c < x->n_classes; c++) {
			uint32_t to = x->next[(size_t)s * x->n_classes + c];
			if (to & LEX_CUT && to & LEX_STATE_MASK) advance_set(&w, &s, 1, 0, c, set, 0);
		}
	for (uint32_t i = 0; i < w.sets.entries.n && i < MAX_SETS; i++) {
		uint32_t n;
		const uint32_t *old = intern_get(&w.sets, i, &n);
		for (uint32_t c = 0; c < x->n_classes; c++)
			advance_set(&w, old, n / (uint32_t)sizeof *old, 0, c, set, 0);
	}
	uint32_t most = w.most;
	intern_release(&w.sets);
	return most;
}
