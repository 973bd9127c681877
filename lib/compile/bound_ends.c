// How many lexemes a token may end, for hard masks under budgets that are far away.
//
// In:  the lexer, the LR tables, the vocabulary. Out: for each token, how many terminals it pushes at most, whatever
//      the lexer state before it; the same of a blank and a character behind it.
// How: a lexeme may end before a byte, and the next one begins in any context that its terminal leads to. Along the
//      trie each lexer state in which a token can be has the most terminals that have been pushed by then. Ignored ones
//      are not.
// Cost: nodes of the trie x the lexer states that are alive there.
#include "bound.h"

#define NOT UINT32_MAX

// Lexer states, and the most terminals pushed before each.
struct alive {
	uint32_t n, *state, *ends;
};

struct bound_ends {
	const struct lexer *lexer;
	struct next_starts *starts;
	struct map64 steps_of;  // lexer state, class -> index in steps: how many, then (lexer state, terminals pushed)
	VEC(uint32_t) steps;
	uint32_t *at;  // [lex_state] while a node is entered
	VEC(uint32_t) met;
};

void next_starts_open(const struct lexer *lexer, const struct lr *lr, struct next_starts *x)
{
	*x = (struct next_starts){.lexer = lexer, .context_words = BITS_WORDS(lr->n_contexts)};
	x->after = mem_calloc((size_t)lr->n_terminals * x->context_words + 1, sizeof *x->after);
	for (terminal_id t = 0; t < lr->n_terminals; t++) {
		bits *row = x->after + (size_t)t * x->context_words;
		for (lr_state s = LR_BOTTOM; s < lr->n_states && lexer->is_ignored[t]; s++) bits_set(row, lr->context_of[s]);
		for (uint32_t i = lr->step_at[t]; i < lr->step_at[t + 1]; i++) {
			const struct lr_step step = lr->step[i];
			bits_set(row, lr->context_of[step.action == ACTION_SKIP ? step.from : step.action / 2]);
		}
	}
}

void next_starts_release(struct next_starts *x)
{
	free(x->after);
	map64_release(&x->known);
	vec_release(&x->starts);
}

const lex_state *next_starts_of(struct next_starts *x, terminal_id t, uint32_t obligation, uint32_t *n)
{
	const uint64_t key = (uint64_t)t << 32 | obligation;
	uint64_t at = map64_get(&x->known, key);
	if (at == MAP64_NONE) {
		const bits *after = x->after + (size_t)t * x->context_words;
		map64_put(&x->known, key, at = x->starts.n);
		vec_push(&x->starts, 0);
		for (uint32_t k = bits_next(after, x->context_words, 0); k != UINT32_MAX;
		     k = bits_next(after, x->context_words, k + 1)) {
			const lex_state q = x->lexer->start[(size_t)obligation * x->lexer->n_contexts + k];
			bool is_there = q == LEX_DEAD;
			for (uint32_t i = (uint32_t)at + 1; i < x->starts.n && !is_there; i++) is_there = x->starts.at[i] == q;
			if (!is_there) vec_push(&x->starts, q);
		}
		x->starts.at[at] = x->starts.n - (uint32_t)at - 1;
	}
	return *n = x->starts.at[at], &x->starts.at[at + 1];
}

// Where a lexeme that ends in q before a byte of the class leads: its index in x->steps.
static uint32_t steps_of(struct bound_ends *x, lex_state q, uint32_t class)
{
	const struct lexer *lexer = x->lexer;
	const uint64_t key = (uint64_t)q << 32 | class, known = map64_get(&x->steps_of, key);
	if (known != MAP64_NONE) return (uint32_t)known;
	const uint32_t at = x->steps.n;
	vec_push(&x->steps, 0);
	for (const struct lex_info *way = &lexer->info[q]; way; way = lexer_also(lexer, way)) {
		if (way->terminal == UINT32_MAX) continue;
		const uint32_t is_pushed = !lexer->is_ignored[way->terminal];
		uint32_t n;
		const lex_state *start = next_starts_of(x->starts, way->terminal, way->obligation, &n);
		for (uint32_t i = 0; i < n; i++) {
			const lex_state to = lexer->next[(size_t)start[i] * lexer->n_classes + class] & LEX_STATE_MASK;
			bool is_there = to == LEX_DEAD;
			for (uint32_t k = at + 1; k < x->steps.n && !is_there; k += 2)
				is_there = x->steps.at[k] == to && x->steps.at[k + 1] == is_pushed;
			if (!is_there) vec_push(&x->steps, to), vec_push(&x->steps, is_pushed);
		}
	}
	x->steps.at[at] = (x->steps.n - at - 1) / 2;
	map64_put(&x->steps_of, key, at);
	return at;
}

static void reach(struct bound_ends *x, lex_state q, uint32_t ends)
{
	if (x->at[q] == NOT) vec_push(&x->met, q), x->at[q] = ends;
	if (ends > x->at[q]) x->at[q] = ends;
}

// Behind one byte more; the most of all.
static uint32_t step(struct bound_ends *x, const struct alive *from, uint32_t class, struct alive *to)
{
	uint32_t most = 0;
	x->met.n = 0;
	for (uint32_t i = 0; i < from->n; i++) {
		const uint32_t cell = x->lexer->next[(size_t)from->state[i] * x->lexer->n_classes + class];
		if (cell & LEX_STATE_MASK) reach(x, cell & LEX_STATE_MASK, from->ends[i]);
		if (!(cell & LEX_CUT)) continue;
		const uint32_t first = steps_of(x, from->state[i], class);
		for (uint32_t k = first + 1; k <= first + 2 * x->steps.at[first]; k += 2)
			reach(x, x->steps.at[k], from->ends[i] + x->steps.at[k + 1]);
	}
	to->n = x->met.n;
	for (uint32_t i = 0; i < to->n; i++) {
		uint32_t *at = &x->at[x->met.at[i]];
		to->state[i] = x->met.at[i], to->ends[i] = *at;
		most = *at > most ? *at : most;
		*at = NOT;
	}
	return most;
}

static void walk(struct bound_ends *x, const struct vocab *v, struct alive *level, uint8_t *of_token)
{
	const struct trie *t = &v->trie;
	VEC(trie_node) ends = {0};
	for (trie_node n = 1; n < t->n_nodes; n++) {
		while (ends.n && ends.at[ends.n - 1] <= n) (void)vec_pop(&ends);
		struct alive *to = &level[ends.n + 1];
		const uint32_t most = step(x, &level[ends.n], x->lexer->class_of[t->byte[n]], to);
		vec_push(&ends, t->end[n]);
		for (uint32_t r = t->rank[n]; r < t->rank[n + 1]; r++)
			of_token[v->token_of[r]] = (uint8_t)(most < UINT8_MAX ? most : UINT8_MAX);
		if (!to->n) n = t->end[n] - 1;
	}
	vec_release(&ends);
}

// Behind any lexer state.
static uint32_t of_characters(struct bound_ends *x, struct alive *level)
{
	uint32_t most = step(x, &level[0], x->lexer->class_of[' '], &level[1]);
	for (uint32_t c = 0; c < x->lexer->n_classes; c++)
		for (uint32_t i = 0; i < 2; i++) {
			const uint32_t here = step(x, &level[i], c, &level[2]);
			most = here > most ? here : most;
		}
	return most;
}

uint32_t bound_ends(struct next_starts *starts, const struct vocab *v, uint8_t *of_token)
{
	const struct lexer *lexer = starts->lexer;
	struct bound_ends x = {.lexer = lexer, .starts = starts, .at = mem_alloc(lexer->n_states * sizeof *x.at)};
	const uint32_t n_levels = v->max_token_len + 3;
	struct alive *level = mem_calloc(n_levels, sizeof *level);
	for (uint32_t i = 0; i < n_levels; i++) {
		level[i].state = mem_alloc(lexer->n_states * sizeof *level[i].state);
		level[i].ends = mem_calloc(lexer->n_states, sizeof *level[i].ends);
	}
	memset(x.at, 0xff, lexer->n_states * sizeof *x.at);
	for (lex_state q = 1; q < lexer->n_states; q++) level[0].state[level[0].n++] = q;
	walk(&x, v, level, of_token);
	const uint32_t characters = of_characters(&x, level);
	for (uint32_t i = 0; i < n_levels; i++) free(level[i].state), free(level[i].ends);
	free(level), free(x.at);
	map64_release(&x.steps_of);
	vec_release(&x.steps), vec_release(&x.met);
	return characters;
}
