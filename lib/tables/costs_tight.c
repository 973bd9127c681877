// Prices in strings whose characters are counted by number alone: those that hold near the bound, too.
//
// In:  the lexer, whose counters may share states; the walker. Out: for each state of such a counter, the states that a
// token leads to and what it ends, of the tokens that are allowed with as few characters left as the nearest end takes.
// Such a token is allowed whatever the number is, and so is the next one behind it. So a row that is made of these
// alone has one price for all numbers. Tokens that end a string behind more characters than that may be cheaper, far
// from the bound: with them a price would depend on the number.
// Cost: the trie nodes that are as near to the end, for each such state.
#include "costs.h"
#include "costs_tight.h"

struct level {
	trie_node end;
	lex_state at;
	uint32_t chars;
};

struct exit {
	lex_state from;
	trie_node node;
};

struct search {
	const struct lexer *lexer;
	struct walker *walker;
	uint32_t *counter;  // [lex_state] of a shared counter: its number + 1
	uint32_t *leads;    // [lex_state] what such a counter leads to: its terminal + 1
	uint32_t *end;      // [lex_state] characters to the nearest end; COSTS_NONE
	VEC(struct level) levels;
	VEC(struct exit) exits;
};

// Does the step end a character?
static bool counts(const struct search *s, lex_state from, lex_state to)
{
	return s->leads[to] == s->lexer->counters.counter[s->counter[from] - 1].terminal + 1;
}

static bool find_counters(struct search *s)
{
	const struct lexer_counters *k = &s->lexer->counters;
	bool any = false;
	for (uint32_t i = 0; i < k->n_states; i++) {
		const struct lexer_counter *c = &k->counter[k->state[i].counter];
		if (c->from == c->to) s->counter[k->state[i].state] = k->state[i].counter + 1, any = true;
	}
	for (uint32_t i = 0; i < k->n; i++)
		if (k->counter[i].from == k->counter[i].to) s->leads[k->counter[i].to] = k->counter[i].terminal + 1;
	return any;
}

// Characters to the nearest end, until nothing changes.
static void find_ends(struct search *s)
{
	const struct lexer *x = s->lexer;
	for (lex_state q = 0; q < x->n_states; q++) s->end[q] = COSTS_NONE;
	for (bool changes = true; changes;) {
		changes = false;
		for (lex_state q = 1; q < x->n_states; q++)
			for (uint32_t c = 0; s->counter[q] && c < x->n_classes; c++) {
				const lex_state to = x->next[(size_t)q * x->n_classes + c] & LEX_STATE_MASK;
				if (to == LEX_DEAD || (s->counter[to] && s->end[to] == COSTS_NONE)) continue;
				const uint32_t end = s->counter[to] ? s->end[to] + counts(s, q, to) : 0;
				if (end < s->end[q]) s->end[q] = end, changes = true;
			}
	}
}

static void add_state(struct tight_list *out, lex_state to)
{
	for (uint32_t i = out->first; i < out->states.n; i++)
		if (out->states.at[i] == to) return;
	vec_push(&out->states, to);
}

// Tokens from q that stay in the string; where the others leave it.
static void walk_string(struct search *s, lex_state q, struct tight_list *out)
{
	const struct trie *trie = s->walker->trie;
	s->levels.n = s->exits.n = 0;
	vec_push(&s->levels, ((struct level){trie->n_nodes, q, 0}));
	for (trie_node t = 1; t < trie->n_nodes;) {
		while (t >= s->levels.at[s->levels.n - 1].end) s->levels.n--;
		const struct level now = s->levels.at[s->levels.n - 1];
		const lex_state to = lexer_next(s->lexer, now.at, trie->byte[t]) & LEX_STATE_MASK;
		if (to != LEX_DEAD && !s->counter[to]) vec_push(&s->exits, ((struct exit){now.at, t}));
		const uint32_t chars = s->counter[to] ? now.chars + counts(s, now.at, to) : 0;
		if (!s->counter[to] || chars + s->end[to] > s->end[q]) {
			t = trie->end[t];
			continue;
		}
		if (trie->rank[t] != trie->rank[t + 1]) add_state(out, to);
		vec_push(&s->levels, ((struct level){trie->end[t], to, chars}));
		t++;
	}
}

static int by_state(const void *a, const void *b)
{
	const struct exit *x = a, *y = b;
	if (x->from != y->from) return x->from < y->from ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

// What tokens do that leave the string: they go on from there like any.
static void walk_behind(struct search *s, struct tight_list *out)
{
	VEC(trie_node) nodes = {0};
	if (s->exits.n) qsort(s->exits.at, s->exits.n, sizeof *s->exits.at, by_state);
	for (uint32_t i = 0, end; i < s->exits.n; i = end) {
		const lex_state from = s->exits.at[i].from;
		vec_clear(&nodes);
		for (end = i; end < s->exits.n && s->exits.at[end].from == from; end++) vec_push(&nodes, s->exits.at[end].node);
		const uint32_t obligation = walker_obligation(s->walker, REMAINDER_WHOLE);
		const remainder_id rest = walker_remainder(s->walker, obligation, false, nodes.at, nodes.n);
		const struct outcomes o = walker_outcomes(s->walker, from, rest);
		for (uint32_t k = 0; k < o.n_stays; k++) add_state(out, outcomes_to(&o, k));
		for (uint32_t k = 0; k < o.n_cuts; k++) vec_push(&out->cuts, o.cuts[k]);
	}
	vec_release(&nodes);
}

bool tight_find(const struct lexer *lexer, struct walker *w, struct tight_tokens *out)
{
	const size_t n = lexer->n_states;
	*out = (struct tight_tokens){0};
	if (!lexer->counters.shares) return false;
	struct search s = {.lexer = lexer, .walker = w, .counter = mem_calloc(n, sizeof *s.counter)};
	s.leads = mem_calloc(n, sizeof *s.leads), s.end = mem_alloc(n * sizeof *s.end);
	if (find_counters(&s)) {
		out->of = mem_calloc(n + 1, sizeof *out->of);
		find_ends(&s);
		for (lex_state q = 1; q < n; q++) {
			if (!s.counter[q]) continue;
			struct tight_span *span = &out->of[q];
			*span = (struct tight_span){true, out->list.states.n, 0, out->list.cuts.n, 0};
			out->list.first = span->first_state;
			walk_string(&s, q, &out->list);
			walk_behind(&s, &out->list);
			span->n_states = out->list.states.n - span->first_state, span->n_cuts = out->list.cuts.n - span->first_cut;
		}
	}
	vec_release(&s.levels), vec_release(&s.exits);
	free(s.counter), free(s.leads), free(s.end);
	return out->of;
}

void tight_release(struct tight_tokens *x) { vec_release(&x->list.states), vec_release(&x->list.cuts), free(x->of); }
