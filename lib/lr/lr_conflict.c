// A conflict, told so that a person can mend the grammar: the terminal, the rules, the shortest text that meets it.
//
// In:  the canonical state, the terminal, the two actions. Out: one error with notes.
// The example is the path by which the state was first reached (breadth-first, so shortest in symbols), each
// nonterminal replaced by its shortest sentence. Cost: only paid when there is a conflict.
#include "lr_items.h"

#define EXAMPLE_MAX 60  // terminals shown

// A terminal as a person would write it: a literal in quotes, else its name.
static const char *terminal_text(const struct grammar *g, terminal_id t, struct arena *arena)
{
	if (t == g->n_terminals) return "end of text";
	const struct term *x = g->terminals[t].pattern;
	if (!x || x->kind != TERM_TEXT || x->text_len > 20) return g->terminals[t].name;
	for (uint32_t i = 0; i < x->text_len; i++)
		if ((unsigned char)x->text[i] <= ' ' || x->text[i] == 127) return g->terminals[t].name;
	return arena_printf(arena, "\"%.*s\"", (int)x->text_len, x->text);
}

// The number of terminals in the shortest sentence of each nonterminal, and the production that gives it.
static void shortest_sentences(const struct grammar *g, uint32_t *length, uint32_t *production)
{
	for (uint32_t a = 0; a < g->n_nonterminals; a++) length[a] = UINT32_MAX;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t p = 0; p < g->n_productions; p++) {
			const struct production *r = &g->productions[p];
			uint64_t sum = 0;
			for (uint32_t i = 0; i < r->n_rhs; i++)
				sum += r->rhs[i] < g->n_terminals ? 1 : length[r->rhs[i] - g->n_terminals];
			if (sum < length[r->lhs]) length[r->lhs] = (uint32_t)sum, production[r->lhs] = p, changed = true;
		}
	}
}

static char *example(const struct lr_canon *c, uint32_t state, terminal_id t, struct arena *arena)
{
	const struct grammar *g = c->g;
	uint32_t *length = arena_array(arena, g->n_nonterminals, sizeof *length);
	uint32_t *production = arena_array(arena, g->n_nonterminals, sizeof *production);
	shortest_sentences(g, length, production);
	// `todo` is a stack; pushing the path from its end back to its start leaves the first symbol on top.
	VEC(symbol_id) todo = {0};
	for (uint32_t s = state; s != 0; s = c->reached_from.at[s]) vec_push(&todo, c->reached_by.at[s]);
	char *text = arena_printf(arena, "%s", "");
	uint32_t shown = 0;
	while (todo.n) {
		symbol_id s = vec_pop(&todo);
		if (s < g->n_terminals) {
			if (shown++ < EXAMPLE_MAX) text = arena_printf(arena, "%s%s ", text, terminal_text(g, s, arena));
			continue;
		}
		if (length[s - g->n_terminals] == UINT32_MAX) continue;
		const struct production *r = &g->productions[production[s - g->n_terminals]];
		for (uint32_t i = r->n_rhs; i-- > 0;) vec_push(&todo, r->rhs[i]);
	}
	vec_release(&todo);
	return arena_printf(arena, "%s%s\xE2\x80\xA2 %s", text, shown > EXAMPLE_MAX ? "... " : "", terminal_text(g, t, arena));
}

// "rule: a b . c" with the dot where it stands.
static char *item_text(const struct lr_canon *c, uint32_t item, struct arena *arena)
{
	const struct grammar *g = c->g;
	uint32_t p = c->production_of[item], dot = item - c->item_at[p];
	if (p == g->n_productions) return arena_printf(arena, "the whole text ends");
	char *text = arena_printf(arena, "%s:", g->nonterminals[g->productions[p].lhs].name);
	for (uint32_t i = 0; i < g->productions[p].n_rhs; i++)
		text = arena_printf(arena, "%s%s %s", text, i == dot ? " \xE2\x80\xA2" : "",
		                    g->productions[p].rhs[i] < g->n_terminals
		                        ? terminal_text(g, g->productions[p].rhs[i], arena)
		                        : grammar_symbol_name(g, g->productions[p].rhs[i]));
	return dot == g->productions[p].n_rhs ? arena_printf(arena, "%s \xE2\x80\xA2", text) : text;
}

static struct loc item_loc(const struct lr_canon *c, uint32_t item)
{
	uint32_t p = c->production_of[item];
	return p == c->g->n_productions ? (struct loc){0} : c->g->productions[p].loc;
}

void lr_report_conflict(struct lr_canon *c, uint32_t state, terminal_id t, uint32_t shift_item, uint32_t p, uint32_t q,
                        struct diag *d)
{
	c->n_conflicts++;
	bool is_new;
	intern_add(&c->reported, (uint32_t[]){t, shift_item, p, q}, 4 * sizeof(uint32_t), &is_new);
	if (!is_new) return;
	struct arena arena = {0};
	bool shifts = shift_item != UINT32_MAX;
	uint32_t reduce_p = c->item_at[p + 1] - 1;
	uint32_t other = shifts ? shift_item : c->item_at[q + 1] - 1;
	diag_error(d, item_loc(c, other), "%s conflict: after the terminals before the dot, %s has two meanings:\n    %s",
	           shifts ? "shift/reduce" : "reduce/reduce", terminal_text(c->g, t, &arena), example(c, state, t, &arena));
	diag_note(d, item_loc(c, other), "either it %s %s", shifts ? "goes on with" : "finishes",
	          item_text(c, other, &arena));
	diag_note(d, item_loc(c, reduce_p), "or it first finishes %s", item_text(c, reduce_p, &arena));
	diag_note(d, (struct loc){0},
	          "gcdc never picks one in silence; rewrite the rules so that one terminal of lookahead decides");
	arena_release(&arena);
}
