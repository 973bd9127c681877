// Costs in the artifact's layout; see formats/artifact.h, COST_*.
//
// In:  struct costs. Out: the image's cost arrays. Rests are left behind: what counts of them is the question that they
// lead to. Cost: linear.
#include "pack.h"

#include "../../formats/artifact.h"

static int compare_emit(const void *a, const void *b)
{
	const struct artifact_cost_emit *x = a, *y = b;
	if (x->weight != y->weight) return x->weight < y->weight ? -1 : 1;
	if (x->terminal != y->terminal) return x->terminal < y->terminal ? -1 : 1;
	return (x->control > y->control) - (x->control < y->control);
}

// Rows of lex_states only; emissions that no stack can go on from are left out.
static void pack_rows(const struct costs *c, const struct lexer *lexer, struct intern *numbers, struct compiled *out)
{
	struct artifact_image *m = &out->image;
	uint32_t *row_of = arena_array(&out->arena, lexer->n_states, sizeof *row_of);
	struct intern rows = {0};  // numbers of row_ids
	VEC(struct artifact_cost_emit) emits = {0};
	VEC(uint32_t) at = {0};
	for (lex_state q = 0; q < lexer->n_states; q++) {
		row_id row = c->rows.of_state[q];
		uint32_t n, first = emits.n;
		const struct cost_emit *e = cost_row(&c->rows, row, &n);
		bool is_new;
		row_of[q] = intern_add(&rows, &row, sizeof row, &is_new);
		if (!is_new) continue;
		vec_push(&at, first);
		for (uint32_t i = 0; i < n; i++) {
			uint32_t control =
				remainder_is_end(e[i].remainder) && !lexer->indentation ? COST_AT_END : costs_control(c, e[i]);
			if (control == COSTS_NONE && !remainder_is_end(e[i].remainder)) continue;
			vec_push(&emits, ((struct artifact_cost_emit){e[i].terminal, control, e[i].weight}));
			if (e[i].weight > m->cost_info.most) m->cost_info.most = e[i].weight;
		}
		if (emits.n > first) qsort(emits.at + first, emits.n - first, sizeof *emits.at, compare_emit);
	}
	vec_push(&at, emits.n);
	m->cost_info.n_rows = at.n - 1, m->cost_info.n_emits = emits.n;
	m->cost_row_of = row_of;
	m->cost_rows = memcpy(arena_array(&out->arena, at.n, 4), at.at, at.n * 4);
	struct artifact_cost_emit *all = arena_array(&out->arena, emits.n, sizeof *all);
	if (emits.n) memcpy(all, emits.at, emits.n * sizeof *all);
	m->cost_emits = all;
	*numbers = rows;
	vec_release(&emits);
	vec_release(&at);
}

static void note_weight(struct artifact_image *m, uint32_t w)
{
	if (w != COSTS_NONE && w > m->cost_info.most) m->cost_info.most = w;
}

// After pack_sets: the sets are rows of SET.
static void pack_groups(const struct cost_groups *g, const struct lexer *lexer, const struct intern *rows,
                        struct compiled *out)
{
	struct artifact_image *m = &out->image;
	struct artifact_cost_info *i = &m->cost_info;
	i->n_remainders = g->obligation.n, i->n_ways = g->ways.n, i->n_outcomes = g->outcomes.n, i->n_stays = g->stays.n,
	i->n_cuts = g->cuts.n;
	m->cost_obligations = memcpy(arena_array(&out->arena, g->obligation.n, 4), g->obligation.at, g->obligation.n * 4);
	uint32_t *lines = arena_array(&out->arena, g->line_remainders.n, 4);
	if (g->line_remainders.n) memcpy(lines, g->line_remainders.at, g->line_remainders.n * 4);
	m->cost_lines = lines;
	m->cost_most = memcpy(arena_array(&out->arena, lexer->n_states, 4), g->most, lexer->n_states * 4);
	uint32_t *way_at = arena_array(&out->arena, lexer->n_states + 1, sizeof *way_at);
	struct artifact_cost_way *ways = arena_array(&out->arena, g->ways.n, sizeof *ways);
	for (uint32_t k = 0; k < g->ways.n; k++) {
		ways[k] = (struct artifact_cost_way){g->ways.at[k].remainder, g->ways.at[k].outcome};
		way_at[g->ways.at[k].from + 1]++;
	}
	for (uint32_t q = 0; q < lexer->n_states; q++) way_at[q + 1] += way_at[q];
	struct artifact_cost_outcome *outcomes = arena_array(&out->arena, g->outcomes.n, sizeof *outcomes);
	for (uint32_t k = 0; k < g->outcomes.n; k++) {
		const struct cost_outcome *x = &g->outcomes.at[k];
		outcomes[k] = (struct artifact_cost_outcome){x->first_stay, x->n_stays, x->first_cut, x->n_cuts};
	}
	struct artifact_cost_stay *stays = arena_array(&out->arena, g->stays.n, sizeof *stays);
	for (uint32_t k = 0; k < g->stays.n; k++) {
		row_id row = g->stays.at[k].row;
		stays[k] = (struct artifact_cost_stay){row == COSTS_NONE ? ARTIFACT_NONE : intern_find(rows, &row, sizeof row),
		                                       g->stays.at[k].tokens};
	}
	struct artifact_cost_cut *cuts = arena_array(&out->arena, g->cuts.n, sizeof *cuts);
	for (uint32_t k = 0; k < g->cuts.n; k++)
		cuts[k] = (struct artifact_cost_cut){g->cuts.at[k].terminal, g->cuts.at[k].remainder, g->cuts.at[k].tokens};
	m->cost_way_at = way_at, m->cost_ways = ways, m->cost_outcomes = outcomes, m->cost_stays = stays,
	m->cost_cuts = cuts;
}

void pack_costs(const struct costs *c, const struct lexer *lexer, const struct lr *lr, struct compiled *out)
{
	struct artifact_image *m = &out->image;
	if (c->model == COSTS_OFF) return;
	m->cost_info = (struct artifact_cost_info){.model = c->model == COSTS_EXACT ? COST_EXACT : COST_ALIGNED,
	                                           .n_resumes = c->n_resumes,
	                                           .n_controls = c->n_controls,
	                                           .n_transitions = c->transitions.n,
	                                           .n_lists = c->lists.n,
	                                           .n_steps = c->steps.n};
	m->cost_info.flags = (c->is_total ? COST_TOTAL : 0u) | (c->rows.supplied ? COST_SUPPLIED : 0u) |
	                     (c->rows.model == COSTS_JOINED ? COST_JOINED : 0u);
	m->cost_info.dedent = c->groups.dedent, m->cost_info.deep = c->groups.deep;
	struct intern rows;
	pack_rows(c, lexer, &rows, out);
	pack_groups(&c->groups, lexer, &rows, out);
	m->cost_dearest = memcpy(arena_array(&out->arena, lr->n_states, 4), c->groups.dearest, lr->n_states * 4);
	intern_release(&rows);
	uint32_t *ask_at = arena_array(&out->arena, lr->n_states + 1, sizeof *ask_at);
	struct artifact_cost_transition *transitions = arena_array(&out->arena, c->transitions.n, sizeof *transitions);
	for (uint32_t i = 0; i < c->transitions.n; i++) {
		transitions[i] = (struct artifact_cost_transition){c->transitions.at[i].control, c->transitions.at[i].list};
		ask_at[c->transitions.at[i].state + 1]++;
	}
	for (lr_state s = 0; s < lr->n_states; s++) ask_at[s + 1] += ask_at[s];
	struct artifact_cost_list *lists = arena_array(&out->arena, c->lists.n, sizeof *lists);
	for (uint32_t i = 0; i < c->lists.n; i++) {
		lists[i] = (struct artifact_cost_list){c->lists.at[i].final, c->lists.at[i].first, c->lists.at[i].n};
		note_weight(m, lists[i].final);
	}
	struct artifact_cost_step *steps = arena_array(&out->arena, c->steps.n, sizeof *steps);
	for (uint32_t i = 0; i < c->steps.n; i++) {
		steps[i] = (struct artifact_cost_step){c->steps.at[i].pop, c->steps.at[i].control, c->steps.at[i].weight};
		note_weight(m, steps[i].weight);
	}
	if (lexer->indentation) {
		uint32_t n = c->rows.max_column + 1, *blanks = arena_array(&out->arena, n, sizeof *blanks);
		memcpy(blanks, c->rows.blank_tokens, n * sizeof *blanks);
		m->cost_blanks = blanks, m->cost_info.n_blanks = n;
		struct artifact_cost_low *low = arena_array(&out->arena, c->low.n, sizeof *low);
		for (uint32_t i = 0; i < c->low.n; i++) {
			const struct cost_low *x = &c->low.at[i];
			low[i] = (struct artifact_cost_low){x->capacity, x->state, x->control, x->list};
		}
		m->cost_low = low, m->cost_info.n_low = c->low.n, m->cost_info.top_capacity = c->top_capacity,
		m->cost_info.opens = c->groups.opens;
	}
	m->cost_transition_at = ask_at, m->cost_transitions = transitions, m->cost_lists = lists, m->cost_steps = steps;
}
