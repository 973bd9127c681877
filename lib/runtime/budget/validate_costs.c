// Proves of the sections of costs what ties their entries together, as artifact_validate.c does for the others.
//
// In:  the sections; every entry by itself is in range (section_bounds.c).  Out: GCDC_OK, or what is wrong.
// Questions of steps and rows may lack an answer on some state: that is found out when they are asked, and means
// "never". Weights are below a bound that keeps sums over any stack in 64 bits. Cost: O(entries).
#include "../core/section_bounds.h"

// n + 1 numbers that ascend from 0 to `end`.
static gcdc_status check_offsets(const uint32_t *at, uint64_t n, uint64_t end, uint32_t section, gcdc_refusal *why)
{
	if (at[0]) return refuse_number(why, section, 0, "first offset", at[0], 0);
	for (uint64_t i = 0; i < n; i++)
		if (at[i + 1] < at[i]) return refuse_number(why, section, (i + 1) * 4, "offsets must ascend", at[i + 1], at[i]);
	return at[n] == end ? GCDC_OK : refuse_number(why, section, n * 4, "last offset", at[n], end);
}

static gcdc_status check_emits(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct artifact_cost_info *c = a->cost_info;
	for (uint32_t i = 0; i < c->n_emits; i++) {
		const struct artifact_cost_emit *e = &a->cost_emits[i];
		uint64_t at = (uint64_t)i * sizeof *e;
		if (e->terminal != ARTIFACT_NONE && e->terminal >= a->info.n_terminals + (a->info.n_lines != 0))
			return refuse_number(why, SECTION_COST_EMIT, at, "terminal", e->terminal, a->info.n_terminals);
		if ((a->info.n_lines || e->control != COST_AT_END) && e->control >= c->n_resumes)
			return refuse_number(why, SECTION_COST_EMIT, at + 4, "control", e->control, c->n_resumes);
	}
	return GCDC_OK;
}

// Cuts lead to remainders; that these get shorter is not proved: a walk over them is bounded by the longest token.
static gcdc_status check_groups(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	for (uint32_t q = 0; q < a->info.n_lex_states; q++)
		for (uint32_t k = a->cost_way_at[q] + 1; k < a->cost_way_at[q + 1]; k++)
			if (a->cost_ways[k].remainder <= a->cost_ways[k - 1].remainder)
				return refuse_number(why, SECTION_COST_WAY, (uint64_t)k * sizeof *a->cost_ways,
				                     "remainders of a lexer state must ascend", a->cost_ways[k].remainder,
				                     a->cost_ways[k - 1].remainder);
	for (uint32_t k = 0; k < a->cost_info->n_stays; k++)
		if (a->sets[a->cost_stays[k].set].flags & SET_EOS)
			return refuse_number(why, SECTION_COST_STAY, (uint64_t)k * sizeof *a->cost_stays + 4,
			                     "set with EOS ids, which end the text", a->cost_stays[k].set, 0);
	return GCDC_OK;
}

// The answers of a parser state, and those where few columns can be opened, ascend.
static gcdc_status check_answers(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	for (uint32_t s = 0; s < a->info.n_lr_states; s++)
		for (uint32_t i = a->cost_transition_at[s] + 1; i < a->cost_transition_at[s + 1]; i++)
			if (a->cost_transitions[i].control <= a->cost_transitions[i - 1].control)
				return refuse_number(why, SECTION_COST_TRANSITION, (uint64_t)i * sizeof *a->cost_transitions,
				                     "controls of a state must ascend", a->cost_transitions[i].control,
				                     a->cost_transitions[i - 1].control);
	for (uint32_t i = 1; i < a->cost_info->n_low; i++) {
		const struct artifact_cost_low *x = &a->cost_low[i];
		if (low_compare(x - 1, x->capacity, x->lr_state, x->control) >= 0)
			return refuse_number(why, SECTION_COST_LOW, (uint64_t)i * sizeof *x + 8, "answers must ascend", x->control,
			                     x[-1].control);
	}
	return GCDC_OK;
}

static gcdc_status step_counts_validate(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct artifact_step_info *s = a->step_info;
	const struct count_rule rules[] = {
#define RULE(field, least, most, what) {offsetof(struct artifact_step_info, field), s->field, least, most, what}
		RULE(n_nodes, 1, a->info.n_lines || a->info.end_newline ? 0 : UINT32_MAX, "nodes of steps"),
		RULE(n_steps, 1, UINT32_MAX, "steps"),
		RULE(n_classes, 2, UINT16_MAX, "classes of frames"),
#undef RULE
	};
	return counts_validate(rules, sizeof rules / sizeof *rules, SECTION_STEP_INFO, why);
}

gcdc_status costs_counts_validate(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct artifact_cost_info *c = a->cost_info;
	if (!c) return GCDC_OK;
	const bool lines = a->info.n_lines;
	const struct count_rule rules[] = {
#define RULE(field, least, most, what) {offsetof(struct artifact_cost_info, field), c->field, least, most, what}
		RULE(model, COST_ALIGNED, COST_EXACT, "model"),
		RULE(n_resumes, 0, c->n_controls, "number of controls to tops"),
		RULE(n_outcomes, 0, COST_MAX_OUTCOMES, "outcomes (COST_MAX_OUTCOMES)"),
		RULE(most, 0, COST_MAX_WEIGHT, "greatest weight (COST_MAX_WEIGHT)"),
		RULE(n_blanks, lines, lines ? ARTIFACT_MAX_BLANKS : 0, "widths of blanks (ARTIFACT_MAX_BLANKS)"),
		RULE(flags, 0, COST_TOTAL | COST_SUPPLIED | COST_JOINED, "flags"),
		RULE(dedent, 0, c->dedent == COST_NEVER ? COST_NEVER : COST_MAX_WEIGHT, "bound of a dedent"),
		RULE(top_capacity, lines, lines ? COST_MAX_CAPACITY : 0, "greatest indent capacity (COST_MAX_CAPACITY)"),
		RULE(n_remainders, 1, UINT32_MAX, "number of remainders"),
#undef RULE
	};
	gcdc_status status = counts_validate(rules, sizeof rules / sizeof *rules, SECTION_COST_INFO, why);
	if (status) return status;
	const uint64_t n_classes = 2 * UINT16_MAX + 1;  // of a frame that stacks share, in the price book
	if ((uint64_t)c->n_controls * (1 + c->top_capacity) + c->n_rows + n_classes >= COST_AT_END)
		return refuse_number(why, SECTION_COST_INFO, offsetof(struct artifact_cost_info, n_controls),
		                     "number of controls", c->n_controls, COST_AT_END);
	if (a->step_info) status = step_counts_validate(a, why);
	return status || !a->kept_info ? status : kept_counts_validate(a, why);
}

// Edges stand in the order of their nodes, of which their classes ascend.
static gcdc_status check_step_edges(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const uint16_t *class = a->step_edge_classes;
	for (uint32_t k = 0, at = 0; k < a->step_info->n_nodes; at += a->step_nodes[k++].n) {
		const struct artifact_step_node *x = &a->step_nodes[k];
		if (x->first != at)
			return refuse_number(why, SECTION_STEP_NODE, (uint64_t)k * sizeof *x, "first edge of a node", x->first, at);
		for (uint32_t i = at + 1; i < at + x->n; i++)
			if (class[i] <= class[i - 1])
				return refuse_number(why, SECTION_STEP_EDGE_CLASS, (uint64_t)i * sizeof *class,
				                     "classes of a node must ascend", class[i], class[i - 1]);
	}
	return GCDC_OK;
}

// Pushes stand in the order of their classes, of which their states ascend.
static gcdc_status check_pushes(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct artifact_step_push *push = a->step_pushes;
	for (uint32_t k = 0, at = 0; k < a->step_info->n_classes; at += a->step_classes[k++].n) {
		const struct artifact_step_class *x = &a->step_classes[k];
		if (x->first != at)
			return refuse_number(why, SECTION_STEP_CLASS, (uint64_t)k * sizeof *x, "first push of a class", x->first,
			                     at);
		for (uint32_t i = at + 1; i < at + x->n; i++)
			if (push[i].lr_state <= push[i - 1].lr_state)
				return refuse_number(why, SECTION_STEP_PUSH, (uint64_t)i * sizeof *push,
				                     "states of a class must ascend", push[i].lr_state, push[i - 1].lr_state);
	}
	return GCDC_OK;
}

// Ladders have levels, none of which ends the text.
static gcdc_status check_steps(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct artifact_step_info *s = a->step_info;
	gcdc_status status = check_step_edges(a, why);
	if (!status) status = check_pushes(a, why);
	if (status) return status;
	for (uint32_t k = 0; k < s->n_ladders; k++)
		if (!a->step_ladders[k].n)
			return refuse_number(why, SECTION_STEP_LADDER, (uint64_t)k * sizeof *a->step_ladders + 4,
			                     "levels of a ladder", 0, 1);
	for (uint32_t k = 0; k < s->n_levels; k++)
		if (a->sets[a->step_levels[k].set].flags & SET_EOS)
			return refuse_number(why, SECTION_STEP_LEVEL, (uint64_t)k * sizeof *a->step_levels + 4,
			                     "set with EOS ids, which end the text", a->step_levels[k].set, 0);
	return GCDC_OK;
}

// Every entry by itself.
static gcdc_status check_entries(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	static const struct artifact_step_info no_steps;
	const struct artifact_info *i = &a->info;
	const struct artifact_cost_info *c = a->cost_info;
	const struct artifact_step_info *s = a->step_info ? a->step_info : &no_steps;
	const struct bound bounds[] = {
#include "../core/bound_rows.h"
#define SECTIONS_OF SECTIONS_STEP
#include "../../../formats/sections.def"
#include "../core/bound_rows.h"
#define SECTIONS_OF SECTIONS_COST
#include "../../../formats/sections.def"
	};
	return section_bounds_check(a, 1, bounds, sizeof bounds / sizeof *bounds, why);
}

gcdc_status artifact_validate_costs(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct artifact_cost_info *c = a->cost_info;
	const struct artifact_info *i = &a->info;
	if (!c) return GCDC_OK;
	gcdc_status status = check_entries(a, why);
	if (!status) status = check_offsets(a->cost_rows, c->n_rows, c->n_emits, SECTION_COST_ROW, why);
	if (!status) status = check_offsets(a->cost_way_at, i->n_lex_states, c->n_ways, SECTION_COST_WAY_AT, why);
	if (!status)
		status =
			check_offsets(a->cost_transition_at, i->n_lr_states, c->n_transitions, SECTION_COST_TRANSITION_AT, why);
	if (!status) status = check_emits(a, why);
	if (!status) status = check_groups(a, why);
	if (!status) status = check_answers(a, why);
	if (!status && a->step_info) status = check_steps(a, why);
	return status || !a->kept_info ? status : kept_validate(a, why);
}
