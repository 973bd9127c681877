// inspect: terminals, productions, contexts, parser states and their conflicts.
//
// In:  an artifact's tables. Out: a row each. --state picks one row, --terminal those that have to do with a terminal.
// Cost: O(rows), conflicts O(parser states * terminals).
#include "inspect.h"

int inspect_terminals(struct inspect *x)
{
	for (uint32_t t = 0; t < x->info->n_terminals; t++) {
		if ((x->row.given && x->row.value != t) || (x->terminal != ARTIFACT_NONE && x->terminal != t)) continue;
		if (!row_begin(x)) continue;
		const struct artifact_terminal *y = view_terminal(&x->view, t);
		row_uint(x, "terminal", t);
		row_string(x, "name", view_terminal_name(&x->view, t));
		row_int(x, "priority", y->priority);
		row_flag(x, "ignored", y->flags & TERMINAL_IGNORED);
		row_flag(x, "literal", y->flags & TERMINAL_LITERAL);
		row_flag(x, "declared", y->flags & TERMINAL_DECLARED);
		row_string(x, "pattern", view_terminal_pattern(&x->view, t));
		row_end(x);
	}
	return CODE_OK;
}

int inspect_productions(struct inspect *x)
{
	for (uint32_t p = 0; p < x->info->n_productions; p++) {
		struct view_production y = view_production(&x->view, p);
		bool has = x->terminal == ARTIFACT_NONE;
		for (uint32_t i = 0; i < y.n; i++) has |= y.right[i] == x->terminal;
		if ((x->row.given && x->row.value != p) || !has || !row_begin(x)) continue;
		row_uint(x, "production", p);
		row_string(x, "left", view_nonterminal_name(&x->view, y.left));
		row_list(x, "right");
		for (uint32_t i = 0; i < y.n; i++) row_string(x, NULL, view_symbol_name(&x->view, y.right[i]));
		row_close(x, true);
		row_end(x);
	}
	return CODE_OK;
}

int inspect_contexts(struct inspect *x)
{
	for (uint32_t c = 0; c < x->info->n_contexts; c++) {
		if ((x->row.given && x->row.value != c) ||
		    (x->terminal != ARTIFACT_NONE && !view_context_has(&x->view, c, x->terminal)))
			continue;
		if (!row_begin(x)) continue;
		row_uint(x, "context", c);
		row_list(x, "terminals");
		for (uint32_t t = 0; t < x->info->n_terminals; t++)
			if (view_context_has(&x->view, c, t)) row_string(x, NULL, view_terminal_name(&x->view, t));
		row_close(x, true);
		uint32_t n = 0;
		for (uint32_t s = 1; s < x->info->n_lr_states; s++) n += view_context_of(&x->view, s) == c;
		row_uint(x, "lr_states", n);
		row_list(x, "starts");
		for (uint32_t r = 0; r < x->info->n_obligations; r++) {
			uint32_t q = view_lex_start(&x->view, r, c);
			if (!q) continue;
			row_group(x);
			row_uint(x, "obligation", r);
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
	if (action == ACTION_ACCEPT)
		row_string(x, "do", "accept");
	else if (action == ACTION_SKIP)
		row_string(x, "do", "skip");
	else if (ACTION_IS_SHIFT(action))
		row_uint(x, "shift", action >> 1);
	else
		row_uint(x, "reduce", (action >> 1) - 1);
}

static void put_actions(struct inspect *x, uint32_t s)
{
	row_list(x, "actions");
	for (uint32_t t = 0; t <= x->info->n_terminals; t++) {
		const uint32_t *actions;
		uint32_t n = view_actions(&x->view, s, t, &actions);
		if (x->terminal != ARTIFACT_NONE && x->terminal != t) continue;
		for (uint32_t i = 0; i < n; i++) {
			row_group(x);
			row_string(x, "on", view_terminal_name(&x->view, t));
			put_action(x, actions[i]);
			row_flag(x, "choice", n > 1);
			row_close(x, false);
		}
	}
	row_close(x, true);
}

int inspect_stacks(struct inspect *x)
{
	for (uint32_t s = 1; s < x->info->n_lr_states; s++) {
		const uint32_t *actions;
		if (x->row.given && x->row.value != s) continue;
		if (x->terminal != ARTIFACT_NONE && !view_actions(&x->view, s, x->terminal, &actions)) continue;
		if (!row_begin(x)) continue;
		row_uint(x, "lr_state", s);
		row_uint(x, "context", view_context_of(&x->view, s));
		put_actions(x, s);
		row_list(x, "gotos");
		for (uint32_t a = 0; a < x->info->n_nonterminals; a++) {
			uint32_t to = view_goto(&x->view, s, a);
			if (!to) continue;
			row_group(x);
			row_string(x, "on", view_nonterminal_name(&x->view, a));
			row_uint(x, "to", to);
			row_close(x, false);
		}
		row_close(x, true);
		row_end(x);
	}
	return CODE_OK;
}

// A row for each (parser state, terminal) that has several actions.
int inspect_conflicts(struct inspect *x)
{
	for (uint32_t s = 1; s < x->info->n_lr_states; s++) {
		for (uint32_t t = 0; t <= x->info->n_terminals; t++) {
			const uint32_t *actions;
			if ((x->row.given && x->row.value != s) || (x->terminal != ARTIFACT_NONE && x->terminal != t)) continue;
			if (!view_is_choice(&x->view, s, t) || !row_begin(x)) continue;
			uint32_t n = view_actions(&x->view, s, t, &actions);
			row_uint(x, "lr_state", s);
			row_string(x, "on", view_terminal_name(&x->view, t));
			row_list(x, "ways");
			for (uint32_t i = 0; i < n; i++) {
				row_group(x);
				put_action(x, actions[i]);
				if (!ACTION_IS_SHIFT(actions[i]) && actions[i] < ACTION_SKIP)
					row_production(x, "production", (actions[i] >> 1) - 1);
				row_close(x, false);
			}
			row_close(x, true);
			row_end(x);
		}
	}
	return CODE_OK;
}
