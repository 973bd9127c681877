// Readings that compete: several stacks for one sequence of terminals.
//
// In:  a group of readings (and ghosts), a byte.  Out: the groups that it becomes: the lexeme goes on, or ends before
// the byte, or both.
// The terminals so far are one sequence, and what any parse of it can go on with competes (docs/language.md, rule 1):
// each reading scans what its own stack allows, so the lexeme ends as the best terminal that any of them has, on the
// stacks that have it. Whatever else could still have gone on must not match any more: where the readings pushed do
// not carry that in their own residue, it stays in the new group as a ghost. A ghost that matches, or that nothing can
// make fail, shows that the cut was wrong. Most ghosts die with the next byte.
// A terminal that asks what follows is right only if that comes. So there is a cut for each terminal, the best first, up to
// one that asks for nothing, and those before it must not be right: guards (formats/artifact.h) watch for that as ghosts do.
// Cost: readings x a table look-up a byte; a cut as in matcher_step.c and matcher_graph.c.
#include "matcher_step.h"

static uint32_t next_of(const struct gcdc_artifact *a, struct reading r, uint32_t c)
{
	return a->lex_next[(uint64_t)r.lex_state * a->info.n_classes + c];
}

// The lex_state in which the reading's lexeme ends as t, or 0.
static uint32_t way_of(const struct gcdc_artifact *a, struct reading r, uint32_t t)
{
	uint32_t q = r.frame ? r.lex_state : 0;
	while (q && a->lex_states[q].terminal != t) q = a->lex_states[q].also;
	return q;
}

// The best terminal that the lexeme can be when it ends here, of those worse than `last` (NONE: of all), or NONE. *is_sure: it
// asks for nothing.
static uint32_t next_terminal(const struct gcdc_artifact *a, const struct reading *r, uint32_t n, uint32_t last, bool *is_sure)
{
	uint32_t best = ARTIFACT_NONE;
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t q = r[i].frame ? r[i].lex_state : 0; q; q = a->lex_states[q].also) {
			uint32_t t = a->lex_states[q].terminal;
			if (t == ARTIFACT_NONE || (last != ARTIFACT_NONE && a->terminals[t].rank <= a->terminals[last].rank)) continue;
			if (best != ARTIFACT_NONE && a->terminals[t].rank >= a->terminals[best].rank) continue;
			best = t;
			*is_sure = !(a->lex_states[q].flags & LEX_CONDITIONAL);
		}
	}
	return best;
}

// Where the lexeme ends as t: the last of the reading's better terminals, or 0. All of them ask what follows.
static uint32_t better_than(const struct gcdc_artifact *a, struct reading r, uint32_t t)
{
	uint32_t better = 0;
	for (uint32_t q = r.lex_state; q; q = a->lex_states[q].also) {
		uint32_t u = a->lex_states[q].terminal;
		if (u != ARTIFACT_NONE && a->terminals[u].rank < a->terminals[t].rank) better = q;
	}
	return better;
}

// What the reading leaves as a ghost when the lexeme ends as t before class c, without regard to its stack.
static uint32_t left_behind(const struct gcdc_artifact *a, struct reading r, uint32_t t, uint32_t c)
{
	uint32_t better = r.frame ? better_than(a, r, t) : 0;
	return ghost_next(a, better ? a->lex_states[better].guard : r.lex_state, c);
}

// May the lexeme end as t before class c, as far as this byte shows?
static bool may_cut(const struct gcdc_artifact *a, const struct reading *r, uint32_t n, uint32_t t, uint32_t c)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!r[i].frame) continue;
		if (a->lex_states[r[i].lex_state].flags & LEX_UNFAILABLE) return false;
		uint32_t way = way_of(a, r[i], t);
		if (way && !(a->lex_next[(uint64_t)way * a->info.n_classes + c] & LEX_CUT)) return false;
		if (left_behind(a, r[i], t, c) == GHOST_WRONG) return false;
	}
	return true;
}

static gcdc_status add_ghost(struct gcdc_matcher *m, struct position *p, uint32_t from, uint32_t lex_state, uint32_t group)
{
	if (!lex_state) return GCDC_OK;
	for (uint32_t i = from; i < p->n; i++)
		if (!p->at[i].frame && p->at[i].lex_state == lex_state) return GCDC_OK;
	return add_reading(m, p, (struct reading){.lex_state = lex_state, .group = group});
}

// Pushes t on the stacks of some readings, all with this residue.
static gcdc_status cut_stacks(struct gcdc_matcher *m, struct position *p, const struct numbers *frames, uint32_t t,
                              uint32_t residue, uint32_t c, uint32_t columns, uint32_t group)
{
	uint32_t from = p->n;
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < frames->n && !status; i++) {
		struct local_stack s = {.base = frames->at[i]};
		status = push_one(m, &s, t);
		if (status == PUSH_NONE) status = GCDC_OK;
		else if (!status) status = after_terminal(m, p, &s, residue, c, columns, group);
	}
	// Stacks that come to one lr_state become one.
	bool is_ignored = m->artifact->terminals[t].flags & TERMINAL_IGNORED;
	for (uint32_t i = from; i < p->n && !status && !is_ignored; i++)
		for (uint32_t k = from; k < i; k++)
			if (m->pool->at[p->at[i].frame].lr_state == m->pool->at[p->at[k].frame].lr_state) status = PUSH_FORKS;
	if (LIKELY(status != PUSH_FORKS)) return status;
	for (uint32_t i = from; i < p->n; i++) reading_unref(m->pool, &p->at[i]);
	p->n = from;
	return after_push(m, p, frames->at, frames->n, t, residue, c, columns, group);
}

// The lexeme ends as t before class c, on all stacks that have t.
static gcdc_status cut_group(struct gcdc_matcher *m, struct position *p, const struct reading *r, uint32_t n, uint32_t t,
                             uint32_t c)
{
	const struct gcdc_artifact *a = m->artifact;
	uint32_t group = p->n_groups++, from = p->n, n_residues = 0;
	gcdc_status status = GCDC_OK;
	note_step(m, r[0].group, group, t);
	for (uint32_t i = 0; i < n && !status; i++) {   // the first reading with its residue
		uint32_t way = way_of(a, r[i], t);
		if (!way) continue;
		uint32_t residue = a->lex_states[way].residue;
		bool is_first = true;
		m->frames.n = 0;
		for (uint32_t k = 0; k < n && is_first; k++) {
			uint32_t other = way_of(a, r[k], t);
			if (!other || a->lex_states[other].residue != residue) continue;
			is_first = k >= i;
			if (!numbers_push(&a->memory, &m->frames, r[k].frame)) return GCDC_ERR_MEMORY;
		}
		if (!is_first) continue;
		n_residues++;
		if (takes_line(m, &a->lex_states[way], r[i].frame))
			status = cut_line(m, p, m->frames.at, m->frames.n, r[i].columns, residue, c, group);
		else status = cut_stacks(m, p, &m->frames, t, residue, c, r[i].columns, group);
	}
	if (status || p->n == from) return status;
	uint32_t ghosts = p->n;
	for (uint32_t i = 0; i < n && !status; i++)
		if (n_residues > 1 || !way_of(a, r[i], t)) status = add_ghost(m, p, ghosts, left_behind(a, r[i], t, c), group);
	return status;
}

gcdc_status step_group(struct gcdc_matcher *m, struct position *p, const struct reading *r, uint32_t n, uint32_t c)
{
	const struct gcdc_artifact *a = m->artifact;
	bool is_wrong = false;
	for (uint32_t i = 0; i < n; i++) is_wrong |= !r[i].frame && ghost_next(a, r[i].lex_state, c) == GHOST_WRONG;
	gcdc_status status = GCDC_OK;
	bool is_last = is_wrong;
	for (uint32_t t = ARTIFACT_NONE; !is_last && !status;) {
		t = next_terminal(a, r, n, t, &is_last);
		if (t == ARTIFACT_NONE) break;
		if (may_cut(a, r, n, t, c)) status = cut_group(m, p, r, n, t, c);
	}
	uint32_t group = p->n_groups++, from = p->n;
	note_step(m, r[0].group, group, ARTIFACT_NONE);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t y = next_of(a, r[i], c) & LEX_STATE_MASK;
		if (!r[i].frame) {
			if (!status && !is_wrong && p->n > from) status = add_ghost(m, p, from, ghost_at(a, y), group);
		} else if (y && !is_wrong && !status) {
			status = add_reading(m, p, (struct reading){r[i].frame, y, group, r[i].columns});
		} else {
			reading_unref(m->pool, &r[i]);
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
static gcdc_status ends_after(struct gcdc_matcher *m, const struct reading *r, uint32_t n, uint32_t t, uint32_t column,
                              bool *ends)
{
	const struct gcdc_artifact *a = m->artifact;
	for (uint32_t i = 0; i < n && !*ends; i++) {
		uint32_t way = way_of(a, r[i], t);
		if (!way) continue;
		const struct artifact_lex_state *lex = &a->lex_states[way];
		if (UNLIKELY(a->info.n_lines)) {
			bool is_line = takes_line(m, lex, r[i].frame);
			gcdc_status status = line_ends(m, &r[i].frame, 1, t, is_line, r[i].columns, column, ends);
			if (status) return status;
			continue;
		}
		struct local_stack s = {.base = r[i].frame};
		gcdc_status status = push_one(m, &s, t);
		if (!status) {
			*ends = has_end(a, local_top(m->pool, &s));
			if (s.owned) frame_unref(m->pool, s.base);
			continue;
		}
		if (status == PUSH_NONE) continue;
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

// May the text end with a lexeme that ends as t (NONE: without one), as far as the lexer is concerned?
static bool ends_as(const struct gcdc_artifact *a, const struct reading *r, uint32_t n, uint32_t t)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t way = t == ARTIFACT_NONE ? 0 : way_of(a, r[i], t);
		if (way && !(a->lex_states[way].flags & LEX_MAY_END)) return false;
		uint32_t better = t == ARTIFACT_NONE || !r[i].frame ? 0 : better_than(a, r[i], t);
		if (!ghost_may_end(a, better ? a->lex_states[better].guard : r[i].frame ? 0 : r[i].lex_state)) return false;
	}
	return true;
}

static gcdc_status ends_so(struct gcdc_matcher *m, const struct position *p, bool *ends)
{
	const struct gcdc_artifact *a = m->artifact;
	*ends = false;
	for (uint32_t i = 0, end; i < p->n && !*ends; i = end) {
		end = group_end(p, i);
		bool is_last = false;
		for (uint32_t t = ARTIFACT_NONE; !is_last && !*ends;) {
			t = next_terminal(a, p->at + i, end - i, t, &is_last);
			if (t == ARTIFACT_NONE) break;
			gcdc_status status = GCDC_OK;
			if (ends_as(a, p->at + i, end - i, t)) status = ends_after(m, p->at + i, end - i, t, p->column, ends);
			if (status) return status;
		}
		for (uint32_t k = i; k < end && ends_as(a, p->at + i, end - i, ARTIFACT_NONE); k++)
			*ends |= p->at[k].frame && a->lex_states[p->at[k].lex_state].flags & LEX_INITIAL &&
			         has_end(a, m->pool->at[p->at[k].frame].lr_state);
	}
	return GCDC_OK;
}

// A last newline may be lacking: would the text end with it?
static gcdc_status ends_with_newline(struct gcdc_matcher *m, const struct position *p, bool *ends)
{
	struct position *after = &m->ending;
	gcdc_status status = position_copy(m, after, p);
	if (!status) status = position_step(m, after, (const uint8_t *)"\n", 1);
	if (!status) status = ends_so(m, after, ends);
	position_release(m, after);
	return status;
}

gcdc_status position_ends(struct gcdc_matcher *m, const struct position *p, bool *ends)
{
	if (!m->artifact->info.end_newline) return ends_so(m, p, ends);
	// Most lexer states on most tops are in the middle of something, whatever lies below: that is asked for each mask.
	const struct reading *r = p->at;
	uint32_t lowest = m->pool->lowest;
	uint64_t lines = m->n_lines_read, key = 0, *known = m->no_end;
	if (p->n == 1 && r->frame && !(m->pool->at[r->frame].depth & FRAME_BRANCHED) && !(m->artifact->lex_states[r->lex_state].flags & LEX_LINE)) {
		key = (uint64_t)r->lex_state << 32 | m->pool->at[r->frame].lr_state;
		known = &m->no_end[key * 0x9E3779B97F4A7C15u >> 40 & (NO_ENDS - 1)];
		if (key == *known) return *ends = false, GCDC_OK;
	}
	m->pool->lowest = UINT32_MAX;
	gcdc_status status = ends_so(m, p, ends);
	if (!status && !*ends) status = ends_with_newline(m, p, ends);
	if (key && !status && !*ends && m->pool->lowest >= frame_depth(m->pool, r->frame) && m->n_lines_read == lines) *known = key;
	if (lowest < m->pool->lowest) m->pool->lowest = lowest;
	return status;
}
