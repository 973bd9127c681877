// Which lexer states count a repetition.
//
// In:  the terminals' automata with their counters (regex.h), the raw lexer. Out: lexer->counters.
// A state counts where nothing but one terminal is read, in a state of it that is counted, and nothing is forbidden.
// Then what is read next depends on that state and the number alone, and states that differ in the number alone lead
// to states that do. A counted state of a terminal beside anything else is a clash.
// Cost: linear in the items of all states.
#include "lexer_raw.h"

#include "../../formats/artifact.h"

// The item's counter + 1; 0: it does not count. of_terminal: the first counter of a terminal + 1.
static uint32_t counter_of_item(const struct items *x, const uint32_t *of_terminal, uint32_t item)
{
	if (item >= x->n_scan) return 0;
	terminal_id t = x->terminal_of.at[item];
	const uint32_t pair = of_terminal[t] ? x->dfa[t].counter->counted[item_state(x, item)] : 0;
	return pair ? of_terminal[t] + pair - 1 : 0;
}

// A state of a terminal alone may be where its counters lead.
static void note_ends(const struct dfa_counter *c, uint32_t item_at, lex_state state, struct lexer_counter *counter)
{
	for (uint32_t i = 0; i < c->n_pairs; i++) {
		if (c->pair[i].from == item_at) counter[i].from = state;
		if (c->pair[i].to == item_at) counter[i].to = state;
	}
}

// Branches: one pass finds the counted states, the first and the last of each counter, and what stands beside them.
void lexer_find_counters(const struct items *x, const struct intern *states, struct arena *arena, struct lexer *out)
{
	const uint32_t n_terminals = x->g->n_terminals;
	uint32_t *of_terminal = mem_calloc((size_t)n_terminals + 1, sizeof *of_terminal);
	struct lexer_counters *k = &out->counters;
	VEC(struct lexer_counted) found = {0};
	*k = (struct lexer_counters){.n = 0};
	for (terminal_id t = 0; t < n_terminals; t++)
		if (x->dfa[t].counter) {
			of_terminal[t] = k->n + 1, k->n += x->dfa[t].counter->n_pairs;
			k->shares |= x->dfa[t].counter->is_shared, k->is_far |= x->dfa[t].counter->is_far;
		}
	k->counter = arena_array(arena, (size_t)k->n + 1, sizeof *k->counter);
	for (terminal_id t = 0; t < n_terminals; t++)
		for (uint32_t i = 0; of_terminal[t] && i < x->dfa[t].counter->n_pairs; i++)
			k->counter[of_terminal[t] - 1 + i] = (struct lexer_counter){.more = x->dfa[t].counter->more, .terminal = t};
	for (uint32_t i = 0; i < states->entries.n && k->n; i++) {
		struct raw raw;
		memcpy(&raw, intern_get(states, i, NULL), sizeof raw);
		uint32_t n, n_forbidden = 0;
		const uint32_t *q = items_get(x, raw.scan, &n);
		if (raw.obligation != SET_VIOLATED) items_get(x, raw.obligation, &n_forbidden);
		for (uint32_t j = 0; j < n; j++) {
			const uint32_t counter = counter_of_item(x, of_terminal, q[j]);
			if (counter) {
				k->clash |= n > 1 || n_forbidden || raw.way || raw.initial || raw.observed;
				vec_push(&found, ((struct lexer_counted){i + 1, counter - 1}));
			}
		}
		const terminal_id t = n == 1 && q[0] < x->n_scan ? x->terminal_of.at[q[0]] : 0;
		if (n == 1 && !n_forbidden && q[0] < x->n_scan && of_terminal[t])
			note_ends(x->dfa[t].counter, item_state(x, q[0]), i + 1, &k->counter[of_terminal[t] - 1]);
	}
	for (uint32_t i = 0; i < k->n; i++) k->clash |= !k->counter[i].from || !k->counter[i].to;
	k->n_states = found.n;
	k->state = arena_array(arena, (size_t)found.n + 1, sizeof *k->state);
	if (found.n) memcpy(k->state, found.at, found.n * sizeof *found.at);
	vec_release(&found);
	free(of_terminal);
}

uint32_t *lexer_counter_of(const struct lexer *x)
{
	uint32_t *of = mem_calloc(x->n_states, sizeof *of);
	for (uint32_t i = 0; i < x->counters.n_states; i++)
		of[x->counters.state[i].state] = x->counters.state[i].counter + 1;
	return of;
}

void lexer_limit_counters(struct lexer *x)
{
	for (uint32_t k = 0; k < x->counters.n; k++)
		x->counters.clash |= x->n_states + (uint64_t)x->counters.counter[k].more * x->counters.n_states >= LEX_COUNTED;
}
