// inspect: terminals, productions, contexts, LR states.
//
// In:  an artifact's tables. Out: a row each. --state picks one row, --terminal those that have to do with a terminal.
#include "inspect.h"

int inspect_terminals(struct inspect *x)
{
	for (uint32_t t = 0; t < x->info->n_terminals; t++) {
		if ((x->row.given && x->row.value != t) || (x->terminal != ARTIFACT_NONE && x->terminal != t)) continue;
		if (!row_begin(x)) continue;
		const struct artifact_terminal *y = &x->terminals[t];
		row_uint(x, "terminal", t);
		row_string(x, "name", x->strings + y->name);
		row_int(x, "priority", y->priority);
		row_flag(x, "ignored", y->flags & TERMINAL_IGNORED);
		row_flag(x, "literal", y->flags & TERMINAL_LITERAL);
		row_flag(x, "declared", y->flags & TERMINAL_DECLARED);
		row_string(x, "pattern", x->strings + y->pattern);
		row_end(x);
	}
	return CODE_OK;
}

int inspect_productions(struct inspect *x)
{
	for (uint32_t p = 0; p < x->info->n_productions; p++) {
		const struct artifact_production *y = &x->productions[p];
		bool has = x->terminal == ARTIFACT_NONE;
		for (uint32_t i = 0; i < y->length; i++) has |= x->symbols[y->symbols + i] == x->terminal;
		if ((x->row.given && x->row.value != p) || !has || !row_begin(x)) continue;
		row_uint(x, "production", p);
		row_string(x, "left", x->strings + x->nonterminals[y->lhs]);
		row_list(x, "right");
		for (uint32_t i = 0; i < y->length; i++) row_string(x, NULL, symbol_name(x, x->symbols[y->symbols + i]));
		row_close(x, true);
		row_end(x);
	}
	return CODE_OK;
}

int inspect_contexts(struct inspect *x)
{
	uint32_t words = (x->info->n_terminals + 31) / 32;
	for (uint32_t c = 0; c < x->info->n_contexts; c++) {
		const uint32_t *set = x->contexts + (size_t)c * words;
		uint32_t t = x->terminal;
		if ((x->row.given && x->row.value != c) ||
		    (t != ARTIFACT_NONE && (t >= x->info->n_terminals || !(set[t / 32] >> t % 32 & 1))))
			continue;
		if (!row_begin(x)) continue;
		row_uint(x, "context", c);
		row_list(x, "terminals");
		for (t = 0; t < x->info->n_terminals; t++)
			if (set[t / 32] >> t % 32 & 1) row_string(x, NULL, terminal_name(x, t));
		row_close(x, true);
		uint32_t n = 0;
		for (uint32_t s = 1; s < x->info->n_lr_states; s++) n += x->lr_states[s].context == c;
		row_uint(x, "lr_states", n);
		row_list(x, "starts");
		for (uint32_t r = 0; r < x->info->n_residues; r++) {
			uint32_t q = x->lex_start[(size_t)r * x->info->n_contexts + c];
			if (!q) continue;
			row_group(x);
			row_uint(x, "residue", r);
			row_uint(x, "lex_state", q);
			row_close(x, false);
		}
		row_close(x, true);
		row_end(x);
	}
	return CODE_OK;
}

static void put_action(struct inspect *x, uint32_t action)
{
	if (action == ACTION_ACCEPT) row_string(x, "do", "accept");
	else if (action & 1) row_uint(x, "shift", action >> 1);
	else row_uint(x, "reduce", (action >> 1) - 1);
}

int inspect_lr(struct inspect *x)
{
	for (uint32_t s = 1; s < x->info->n_lr_states; s++) {
		if (x->row.given && x->row.value != s) continue;
		if (x->terminal != ARTIFACT_NONE && !action_of(x, s, x->terminal)) continue;
		if (!row_begin(x)) continue;
		row_uint(x, "lr_state", s);
		row_uint(x, "context", x->lr_states[s].context);
		row_list(x, "actions");
		for (uint32_t t = 0; t <= x->info->n_terminals; t++) {
			uint32_t action = action_of(x, s, t);
			if (!action || (x->terminal != ARTIFACT_NONE && x->terminal != t)) continue;
			row_group(x);
			row_string(x, "on", terminal_name(x, t));
			put_action(x, action);
			row_close(x, false);
		}
		row_close(x, true);
		row_list(x, "gotos");
		for (uint32_t a = 0; a < x->info->n_nonterminals; a++) {
			uint32_t to = goto_of(x, s, a);
			if (!to) continue;
			row_group(x);
			row_string(x, "on", x->strings + x->nonterminals[a]);
			row_uint(x, "to", to);
			row_close(x, false);
		}
		row_close(x, true);
		row_end(x);
	}
	return CODE_OK;
}
