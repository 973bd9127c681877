// Proves that every index in the sections of costs is in range, as artifact_validate.c does for the others.
//
// In:  the sections, their lengths as the counts say.  Out: GCDC_OK, or what is wrong.
// Questions of steps and rows may lack an answer on some state: that is found out when they are asked, and means
// "never". Weights are below a bound that keeps sums over any stack in 64 bits. Cost: O(entries).
#include "runtime_internal.h"

static gcdc_status wrong(gcdc_refusal *why, uint32_t section, uint64_t offset, const char *what, uint64_t found,
                         uint64_t limit)
{
	return refuse(why, GCDC_ERR_FORMAT, section, offset, "section %u, byte %llu: %s: found %llu, the limit is %llu",
	              section, (unsigned long long)offset, what, (unsigned long long)found, (unsigned long long)limit);
}

// n + 1 numbers that ascend from 0 to `end`.
static gcdc_status check_offsets(const uint32_t *at, uint64_t n, uint64_t end, uint32_t section, gcdc_refusal *why)
{
	if (at[0]) return wrong(why, section, 0, "first offset", at[0], 0);
	for (uint64_t i = 0; i < n; i++)
		if (at[i + 1] < at[i]) return wrong(why, section, (i + 1) * 4, "offsets must ascend", at[i + 1], at[i]);
	return at[n] == end ? GCDC_OK : wrong(why, section, n * 4, "last offset", at[n], end);
}

static gcdc_status check_rows(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct artifact_cost_info *c = a->cost_info;
	gcdc_status status = check_offsets(a->cost_rows, c->n_rows, c->n_emits, SECTION_COST_ROW, why);
	for (uint32_t q = 0; q < a->info.n_lex_states && !status; q++)
		if (a->cost_row_of[q] >= c->n_rows)
			status = wrong(why, SECTION_COST_ROW_OF, q * 4ull, "row", a->cost_row_of[q], c->n_rows);
	for (uint32_t i = 0; i < c->n_emits && !status; i++) {
		const struct artifact_cost_emit *e = &a->cost_emits[i];
		uint64_t at = (uint64_t)i * sizeof *e;
		if (e->terminal != ARTIFACT_NONE && e->terminal >= a->info.n_terminals + (a->info.n_lines != 0))
			status = wrong(why, SECTION_COST_EMIT, at, "terminal", e->terminal, a->info.n_terminals);
		else if (a->info.n_lines || e->question != COST_AT_END ? e->question >= c->n_resumes : false)
			status = wrong(why, SECTION_COST_EMIT, at + 4, "question", e->question, c->n_resumes);
		else if (e->weight > c->most)
			status = wrong(why, SECTION_COST_EMIT, at + 8, "tokens", e->weight, c->most);
	}
	return status;
}

// Cuts lead to rests; that these get shorter is not proved: a walk over them is bounded by the longest token.
static gcdc_status check_groups(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct artifact_cost_info *c = a->cost_info;
	const struct artifact_info *i = &a->info;
	gcdc_status status = check_offsets(a->cost_way_at, i->n_lex_states, c->n_ways, SECTION_COST_WAY_AT, why);
	for (uint32_t q = 0; q < i->n_lex_states && !status; q++) {
		if (a->cost_most[q] != COST_NEVER && a->cost_most[q] > COST_MAX_WEIGHT)
			return wrong(why, SECTION_COST_MOST, q * 4ull, "tokens", a->cost_most[q], COST_MAX_WEIGHT);
		for (uint32_t k = a->cost_way_at[q] + 1; k < a->cost_way_at[q + 1]; k++)
			if (a->cost_ways[k].rest <= a->cost_ways[k - 1].rest)
				return wrong(why, SECTION_COST_WAY, (uint64_t)k * sizeof *a->cost_ways,
				             "rests of a lexer state must ascend", a->cost_ways[k].rest, a->cost_ways[k - 1].rest);
	}
	for (uint32_t s = 0; s < i->n_lr_states && !status; s++)
		if (a->cost_dearest[s] > c->most)
			status = wrong(why, SECTION_COST_DEAREST, s * 4ull, "tokens", a->cost_dearest[s], c->most);
	for (uint64_t k = 0; k < (uint64_t)i->n_lines * i->n_blanks && !status; k++)
		if (a->cost_lines[k] >= c->n_rests)
			status = wrong(why, SECTION_COST_LINE, k * 4, "rest", a->cost_lines[k], c->n_rests);
	for (uint32_t k = 0; k < c->n_rests && !status; k++)
		if (a->cost_residues[k] >= i->n_residues)
			status = wrong(why, SECTION_COST_RESIDUE, k * 4ull, "residue", a->cost_residues[k], i->n_residues);
	for (uint32_t k = 0; k < c->n_ways && !status; k++) {
		const struct artifact_cost_way *x = &a->cost_ways[k];
		uint64_t at = (uint64_t)k * sizeof *x;
		if (x->rest >= c->n_rests)
			status = wrong(why, SECTION_COST_WAY, at, "rest", x->rest, c->n_rests);
		else if (x->outcome >= c->n_outcomes)
			status = wrong(why, SECTION_COST_WAY, at + 4, "outcome", x->outcome, c->n_outcomes);
	}
	for (uint32_t k = 0; k < c->n_outcomes && !status; k++) {
		const struct artifact_cost_outcome *x = &a->cost_outcomes[k];
		uint64_t at = (uint64_t)k * sizeof *x;
		if ((uint64_t)x->first_stay + x->n_stays > c->n_stays)
			status = wrong(why, SECTION_COST_OUTCOME, at, "end of the groups", (uint64_t)x->first_stay + x->n_stays,
			               c->n_stays);
		else if ((uint64_t)x->first_cut + x->n_cuts > c->n_cuts)
			status = wrong(why, SECTION_COST_OUTCOME, at + 8, "end of the cuts", (uint64_t)x->first_cut + x->n_cuts,
			               c->n_cuts);
	}
	for (uint32_t k = 0; k < c->n_stays && !status; k++) {
		const struct artifact_cost_stay *x = &a->cost_stays[k];
		uint64_t at = (uint64_t)k * sizeof *x;
		if (x->row != ARTIFACT_NONE && x->row >= c->n_rows)
			status = wrong(why, SECTION_COST_STAY, at, "row", x->row, c->n_rows);
		else if (x->set >= i->n_sets)
			status = wrong(why, SECTION_COST_STAY, at + 4, "set", x->set, i->n_sets);
		else if (a->sets[x->set].flags & SET_EOS)
			status = wrong(why, SECTION_COST_STAY, at + 4, "set with EOS ids, which end the text", x->set, 0);
	}
	for (uint32_t k = 0; k < c->n_cuts && !status; k++) {
		const struct artifact_cost_cut *x = &a->cost_cuts[k];
		uint64_t at = (uint64_t)k * sizeof *x;
		if (x->terminal >= i->n_terminals)
			status = wrong(why, SECTION_COST_CUT, at, "terminal", x->terminal, i->n_terminals);
		else if (x->rest >= c->n_rests)
			status = wrong(why, SECTION_COST_CUT, at + 4, "rest", x->rest, c->n_rests);
		else if (x->set >= i->n_sets)
			status = wrong(why, SECTION_COST_CUT, at + 8, "set", x->set, i->n_sets);
	}
	return status;
}

static gcdc_status check_narrow(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct artifact_cost_info *c = a->cost_info;
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < c->n_narrow && !status; i++) {
		const struct artifact_cost_narrow *x = &a->cost_narrow[i];
		uint64_t at = (uint64_t)i * sizeof *x;
		if (x->room >= c->top_room)
			status = wrong(why, SECTION_COST_NARROW, at, "room", x->room, c->top_room);
		else if (x->lr_state >= a->info.n_lr_states)
			status = wrong(why, SECTION_COST_NARROW, at + 4, "parser state", x->lr_state, a->info.n_lr_states);
		else if (x->question >= c->n_questions)
			status = wrong(why, SECTION_COST_NARROW, at + 8, "question", x->question, c->n_questions);
		else if (x->list >= c->n_lists)
			status = wrong(why, SECTION_COST_NARROW, at + 12, "list", x->list, c->n_lists);
		else if (i && narrow_compare(x - 1, x->room, x->lr_state, x->question) >= 0)
			status = wrong(why, SECTION_COST_NARROW, at + 8, "answers must ascend", x->question, x[-1].question);
	}
	return status;
}

gcdc_status artifact_validate_costs(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct artifact_cost_info *c = a->cost_info;
	if (!c) return GCDC_OK;
	if (c->model != COST_ALIGNED && c->model != COST_EXACT)
		return wrong(why, SECTION_COST_INFO, 0, "model", c->model, COST_EXACT);
	if (c->n_resumes > c->n_questions || (uint64_t)c->n_questions * (1 + c->top_room) + c->n_rows >= COST_AT_END)
		return wrong(why, SECTION_COST_INFO, offsetof(struct artifact_cost_info, n_questions), "number of questions",
		             c->n_questions, COST_AT_END);
	if (c->n_outcomes > COST_MAX_OUTCOMES)
		return wrong(why, SECTION_COST_INFO, offsetof(struct artifact_cost_info, n_outcomes),
		             "outcomes (COST_MAX_OUTCOMES)", c->n_outcomes, COST_MAX_OUTCOMES);
	if (c->most > COST_MAX_WEIGHT)
		return wrong(why, SECTION_COST_INFO, offsetof(struct artifact_cost_info, most),
		             "greatest weight (COST_MAX_WEIGHT)", c->most, COST_MAX_WEIGHT);
	if (a->info.n_lines ? !c->n_blanks || c->n_blanks > ARTIFACT_MAX_BLANKS : c->n_blanks)
		return wrong(why, SECTION_COST_INFO, offsetof(struct artifact_cost_info, n_blanks),
		             "widths of blanks (ARTIFACT_MAX_BLANKS)", c->n_blanks, ARTIFACT_MAX_BLANKS);
	if (c->flags & ~(uint32_t)(COST_TOTAL | COST_SUPPLIED))
		return wrong(why, SECTION_COST_INFO, offsetof(struct artifact_cost_info, flags), "flags", c->flags,
		             COST_TOTAL | COST_SUPPLIED);
	if (c->dedent != COST_NEVER && c->dedent > COST_MAX_WEIGHT)
		return wrong(why, SECTION_COST_INFO, offsetof(struct artifact_cost_info, dedent), "bound of a dedent",
		             c->dedent, COST_MAX_WEIGHT);
	if (a->info.n_lines ? !c->top_room || c->top_room > COST_MAX_ROOM : c->top_room)
		return wrong(why, SECTION_COST_INFO, offsetof(struct artifact_cost_info, top_room),
		             "greatest room (COST_MAX_ROOM)", c->top_room, COST_MAX_ROOM);
	if (!c->n_rests)
		return wrong(why, SECTION_COST_INFO, offsetof(struct artifact_cost_info, n_rests), "number of rests", 0, 1);
	gcdc_status status = check_rows(a, why);
	if (!status) status = check_groups(a, why);
	for (uint32_t i = 0; i < c->n_blanks && !status; i++)
		if (a->cost_blanks[i] > COST_MAX_WEIGHT)
			status = wrong(why, SECTION_COST_BLANK, i * 4ull, "tokens", a->cost_blanks[i], COST_MAX_WEIGHT);
	if (!status) status = check_narrow(a, why);
	if (!status) status = check_offsets(a->cost_ask_at, a->info.n_lr_states, c->n_asks, SECTION_COST_ASK_AT, why);
	for (uint32_t i = 0; i < c->n_asks && !status; i++) {
		const struct artifact_cost_ask *x = &a->cost_asks[i];
		uint64_t at = (uint64_t)i * sizeof *x;
		if (x->question >= c->n_questions)
			status = wrong(why, SECTION_COST_ASK, at, "question", x->question, c->n_questions);
		else if (x->list >= c->n_lists)
			status = wrong(why, SECTION_COST_ASK, at + 4, "list", x->list, c->n_lists);
	}
	for (uint32_t s = 0; s < a->info.n_lr_states && !status; s++)
		for (uint32_t i = a->cost_ask_at[s] + 1; i < a->cost_ask_at[s + 1] && !status; i++)
			if (a->cost_asks[i].question <= a->cost_asks[i - 1].question)
				status =
					wrong(why, SECTION_COST_ASK, (uint64_t)i * sizeof *a->cost_asks, "questions of a state must ascend",
				          a->cost_asks[i].question, a->cost_asks[i - 1].question);
	for (uint32_t i = 0; i < c->n_lists && !status; i++) {
		const struct artifact_cost_list *x = &a->cost_lists[i];
		uint64_t at = (uint64_t)i * sizeof *x;
		if (x->final != COST_NEVER && x->final > c->most)
			status = wrong(why, SECTION_COST_LIST, at, "tokens", x->final, c->most);
		else if ((uint64_t)x->first + x->n > c->n_steps)
			status = wrong(why, SECTION_COST_LIST, at + 4, "end of the steps", (uint64_t)x->first + x->n, c->n_steps);
	}
	for (uint32_t i = 0; i < c->n_steps && !status; i++) {
		const struct artifact_cost_step *x = &a->cost_steps[i];
		uint64_t at = (uint64_t)i * sizeof *x;
		if (!x->pop || x->pop > COST_MAX_POP)
			status = wrong(why, SECTION_COST_STEP, at, "frames down (1 to COST_MAX_POP)", x->pop, COST_MAX_POP);
		else if (x->question >= c->n_questions)
			status = wrong(why, SECTION_COST_STEP, at + 4, "question", x->question, c->n_questions);
		else if (x->weight > c->most)
			status = wrong(why, SECTION_COST_STEP, at + 8, "tokens", x->weight, c->most);
	}
	return status;
}
