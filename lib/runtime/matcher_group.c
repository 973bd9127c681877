// Readings that compete: several stacks for one sequence of terminals.
//
// In:  a group of readings (and ghosts), a byte.  Out: the groups that it becomes: the lexeme goes on, or ends before
// the byte, or both.
// The terminals so far are one sequence, and what any parse of it can go on with competes (docs/language.md, rule 1):
// each reading scans what its own stack allows, so the lexeme ends as the best terminal that any of them has, on the
// stacks that have it. Whatever else could still have gone on must not match any more: where the readings pushed do
// not carry that in their own residue, it stays in the new group as a ghost. A ghost that matches, or that nothing can
// make fail, shows that the cut was wrong. Most ghosts die with the next byte.
// Cost: readings x a table look-up a byte; a cut as in matcher_step.c and matcher_graph.c.
#include "matcher_step.h"

static uint32_t next_of(const struct gcdc_artifact *a, struct reading r, uint32_t c)
{
	return a->lex_next[(uint64_t)r.lex_state * a->info.n_classes + c];
}

// The terminal that the lexeme is when it ends here, or NONE; of lex_states with this flag.
static uint32_t best_terminal(const struct gcdc_artifact *a, const struct reading *r, uint32_t n, uint32_t flag)
{
	uint32_t best = ARTIFACT_NONE;
	for (uint32_t i = 0; i < n; i++) {
		const struct artifact_lex_state *lex = &a->lex_states[r[i].lex_state];
		uint32_t t = r[i].frame && (lex->flags & flag) == flag ? lex->terminal : ARTIFACT_NONE;
		if (t != ARTIFACT_NONE && (best == ARTIFACT_NONE || a->terminals[t].rank < a->terminals[best].rank)) best = t;
	}
	return best;
}

// May the lexeme end as t before class c, as far as this byte shows?
static bool may_cut(const struct gcdc_artifact *a, const struct reading *r, uint32_t n, uint32_t t, uint32_t c)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!r[i].frame) continue;
		const struct artifact_lex_state *lex = &a->lex_states[r[i].lex_state];
		uint32_t x = next_of(a, r[i], c);
		if (lex->flags & LEX_UNFAILABLE) return false;
		if (lex->terminal == t ? !(x & LEX_CUT) : scan_fires(a, x & LEX_STATE_MASK)) return false;
	}
	return true;
}

static gcdc_status add_ghost(struct gcdc_matcher *m, struct position *p, uint32_t from, uint32_t lex_state, uint32_t group)
{
	if (!lex_state) return GCDC_OK;
	for (uint32_t i = from; i < p->n; i++)
		if (!p->at[i].frame && p->at[i].lex_state == lex_state) return GCDC_OK;
	return add_reading(m, p, 0, lex_state, group);
}

// Pushes t on the stacks of some readings, all with this residue.
static gcdc_status cut_stacks(struct gcdc_matcher *m, struct position *p, const struct numbers *frames, uint32_t t,
                              uint32_t residue, uint32_t c, uint32_t group)
{
	uint32_t from = p->n;
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < frames->n && !status; i++) {
		struct local_stack s = {.base = frames->at[i]};
		status = push_one(m, &s, t);
		if (!status) status = after_terminal(m, p, &s, residue, c, group);
	}
	// Stacks that come to one lr_state become one.
	bool is_ignored = m->artifact->terminals[t].flags & TERMINAL_IGNORED;
	for (uint32_t i = from; i < p->n && !status && !is_ignored; i++)
		for (uint32_t k = from; k < i; k++)
			if (m->pool->at[p->at[i].frame].lr_state == m->pool->at[p->at[k].frame].lr_state) status = PUSH_FORKS;
	if (LIKELY(status != PUSH_FORKS)) return status;
	for (uint32_t i = from; i < p->n; i++) frame_unref(m->pool, p->at[i].frame);
	p->n = from;
	return after_push(m, p, frames->at, frames->n, t, residue, c, group);
}

// The lexeme ends as t before class c, on all stacks that have t.
static gcdc_status cut_group(struct gcdc_matcher *m, struct position *p, const struct reading *r, uint32_t n, uint32_t t,
                             uint32_t c)
{
	const struct gcdc_artifact *a = m->artifact;
	uint32_t group = p->n_groups++, from = p->n, n_residues = 0;
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < n && !status; i++) {   // the first reading with its residue
		if (!r[i].frame || a->lex_states[r[i].lex_state].terminal != t) continue;
		uint32_t residue = a->lex_states[r[i].lex_state].residue;
		bool is_first = true;
		m->frames.n = 0;
		for (uint32_t k = 0; k < n && is_first; k++) {
			const struct artifact_lex_state *lex = &a->lex_states[r[k].lex_state];
			if (!r[k].frame || lex->terminal != t || lex->residue != residue) continue;
			is_first = k >= i;
			if (!numbers_push(&a->memory, &m->frames, r[k].frame)) return GCDC_ERR_MEMORY;
		}
		if (!is_first) continue;
		n_residues++;
		status = cut_stacks(m, p, &m->frames, t, residue, c, group);
	}
	if (status || p->n == from) return status;
	uint32_t ghosts = p->n;
	for (uint32_t i = 0; i < n && !status; i++)
		if (!r[i].frame || n_residues > 1 || a->lex_states[r[i].lex_state].terminal != t)
			status = add_ghost(m, p, ghosts, next_of(a, r[i], c) & LEX_STATE_MASK, group);
	return status;
}

gcdc_status step_group(struct gcdc_matcher *m, struct position *p, const struct reading *r, uint32_t n, uint32_t c)
{
	const struct gcdc_artifact *a = m->artifact;
	bool is_wrong = false;
	for (uint32_t i = 0; i < n; i++) is_wrong |= !r[i].frame && scan_fires(a, next_of(a, r[i], c) & LEX_STATE_MASK);
	uint32_t t = is_wrong ? ARTIFACT_NONE : best_terminal(a, r, n, 0);
	gcdc_status status = GCDC_OK;
	if (t != ARTIFACT_NONE && may_cut(a, r, n, t, c)) status = cut_group(m, p, r, n, t, c);
	uint32_t group = p->n_groups++, from = p->n;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t y = next_of(a, r[i], c) & LEX_STATE_MASK;
		if (!r[i].frame) {
			if (!status && p->n > from) status = add_ghost(m, p, from, is_wrong ? 0 : y, group);
		} else if (y && !is_wrong && !status) {
			status = add_reading(m, p, r[i].frame, y, group);
		} else {
			frame_unref(m->pool, r[i].frame);
		}
	}
	return status;
}

// ---- The end of the text.
static bool has_end(const struct gcdc_artifact *a, uint32_t lr_state)
{
	return artifact_action(a, lr_state, a->info.n_terminals) != 0;
}

// Is the end viable after t on some of the stacks that have it?
static gcdc_status ends_after(struct gcdc_matcher *m, const struct reading *r, uint32_t n, uint32_t t, bool *ends)
{
	const struct gcdc_artifact *a = m->artifact;
	for (uint32_t i = 0; i < n && !*ends; i++) {
		const struct artifact_lex_state *lex = &a->lex_states[r[i].lex_state];
		if (!r[i].frame || lex->terminal != t || !(lex->flags & LEX_MAY_END)) continue;
		struct local_stack s = {.base = r[i].frame};
		gcdc_status status = push_one(m, &s, t);
		if (!status) {
			*ends = has_end(a, local_top(m->pool, &s));
			if (s.owned) frame_unref(m->pool, s.base);
			continue;
		}
		if (status != PUSH_FORKS) return status;
		const uint32_t *tops;
		uint32_t n_tops;
		status = graph_push(m, &r[i].frame, 1, t, &tops, &n_tops);
		if (status) return status;
		for (uint32_t k = 0; k < n_tops; k++) {
			*ends |= has_end(a, m->pool->at[tops[k]].lr_state);
			frame_unref(m->pool, tops[k]);
		}
	}
	return GCDC_OK;
}

gcdc_status position_ends(struct gcdc_matcher *m, const struct position *p, bool *ends)
{
	const struct gcdc_artifact *a = m->artifact;
	*ends = false;
	for (uint32_t i = 0, end; i < p->n && !*ends; i = end) {
		end = group_end(p, i);
		uint32_t t = best_terminal(a, p->at + i, end - i, LEX_MAY_END);
		if (t != ARTIFACT_NONE) {
			gcdc_status status = ends_after(m, p->at + i, end - i, t, ends);
			if (status) return status;
			continue;
		}
		for (uint32_t k = i; k < end; k++)
			*ends |= p->at[k].frame && a->lex_states[p->at[k].lex_state].flags & LEX_INITIAL &&
			         has_end(a, m->pool->at[p->at[k].frame].lr_state);
	}
	return GCDC_OK;
}
