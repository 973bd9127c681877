// Masks under a budget by the steps that the artifact holds: nothing is made, nothing is kept.
//
// In:  a stack, a lexer state, how many tokens may still come.  Out: sets of the artifact, whose union is what fits.
// The stack is read as plain masks read it (matcher_sets.c): a node and a frame tell a step. Each of its parts has a
// value, the least of what frames below answer, and a ladder of sets: the last that the value leaves room for is taken.
// Values are kept with the frames, as answers are (price_book.c): a stack is asked once for what lies in it.
// Where all sets fit, the mask is the plain one: that is one or two sets, these are many.
// Cost: for each frame read a binary search, and a look-up for each part.
#include "step_table.h"

#include "price_book.h"

static const struct artifact_mask_step *step_at(const struct gcdc_artifact *a, uint32_t node, uint32_t lr_state)
{
	const struct artifact_step_node *x = &a->step_nodes[node];
	uint32_t first = x->first, n = x->n;
	if (!n) return &a->step_steps[x->other];
	while (n > 1) {  // the last frame that is <= lr_state
		uint32_t half = n / 2;
		first = a->step_edge_frames[first + half] <= lr_state ? first + half : first;
		n -= half;
	}
	return &a->step_steps[a->step_edge_frames[first] == lr_state ? a->step_edges[first] : x->other];
}

// What a value comes to on the frame that it is of: kept beside what that frame answers (price_book.h).
static gcdc_status value_on(struct gcdc_matcher *m, uint32_t value, uint32_t f, uint32_t *least)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct artifact_step_value *v = &a->step_values[value];
	const struct artifact_step_term *t = a->step_terms + v->first;
	uint32_t key = a->cost_info->n_controls + a->cost_info->n_rows + value;
	if (LIKELY(price_known(m->pool, f, key, least))) return GCDC_OK;
	*least = PRICE_NEVER;
	for (uint32_t i = 0; i < v->n && t[i].weight < *least; i++) {
		uint32_t one;
		if (t[i].down || !price_known(m->pool, f, t[i].control, &one)) {
			gcdc_status status = step_table_ask(m, f, t[i].down, t[i].control, &one);
			if (UNLIKELY(status)) return status;
		}
		one = price_sum(one, t[i].weight);
		if (one < *least) *least = one;
	}
	return price_keep(m->pool, f, key, *least);
}

static gcdc_status value_of(struct gcdc_matcher *m, uint32_t value, uint32_t f, uint32_t *least)
{
	const struct frame *frames = m->pool->at;
	struct step_table *x = m->pool->step_table;
	*least = 0;
	if (value == ARTIFACT_NONE) return GCDC_OK;
	uint32_t down = m->artifact->step_values[value].down;
	*least = PRICE_NEVER;
	if (LIKELY(!(frames[f].depth & FRAME_BRANCHED))) {
		for (; down && f; down--) f = frames[f].parent;
		return f ? value_on(m, value, f, least) : GCDC_OK;
	}
	gcdc_status status = price_go_down(m, f, down, &x->values, &x->below);
	for (uint32_t i = 0; i < x->values.n && !status; i++) {
		uint32_t one;
		status = value_on(m, value, x->values.at[i], &one);
		if (!status && one < *least) *least = one;
	}
	return status;
}

static gcdc_status take_set(struct gcdc_matcher *m, uint32_t set, struct vec32 *sets)
{
	for (uint32_t i = 0; i < sets->n; i++)
		if (sets->at[i] == set) return GCDC_OK;
	return vec32_push(&m->artifact->memory, sets, set) ? GCDC_OK : GCDC_ERR_MEMORY;
}

// Is the budget so far away that all sets of a step fit whose tokens can be finished at all? What frames answer is at
// most the stack's bound.
static gcdc_status all_fit(struct gcdc_matcher *m, const struct artifact_mask_step *s, uint32_t f, uint32_t enough,
                           bool *fit)
{
	const struct gcdc_artifact *a = m->artifact;
	uint32_t bound;
	gcdc_status status = price_bound(m, f, &bound);
	*fit = !status;
	for (uint32_t i = 0; i < s->n_parts && *fit; i++) {
		const struct artifact_step_part *p = &a->step_parts[s->first_part + i];
		const struct artifact_step_ladder *ladder = &a->step_ladders[p->ladder];
		uint32_t need = price_sum(p->base, a->step_levels[ladder->first + ladder->n - 1].base);
		if (p->value != ARTIFACT_NONE) {
			const struct artifact_step_value *v = &a->step_values[p->value];
			need = price_sum(need, v->n ? price_sum(bound, a->step_terms[v->first + v->n - 1].weight) : PRICE_NEVER);
		}
		*fit = need <= enough;
	}
	return status;
}

// *all: false where a set might be allowed with more tokens to come.
static gcdc_status take_parts(struct gcdc_matcher *m, const struct artifact_mask_step *s, uint32_t f, uint32_t enough,
                              struct vec32 *sets, bool *all)
{
	const struct gcdc_artifact *a = m->artifact;
	for (const struct artifact_step_part *p = a->step_parts + s->first_part, *end = p + s->n_parts; p < end; p++) {
		const struct artifact_step_ladder *ladder = &a->step_ladders[p->ladder];
		const struct artifact_step_level *l = a->step_levels + ladder->first;
		uint32_t value, fits = 0;
		gcdc_status status = value_of(m, p->value, f, &value);
		if (UNLIKELY(status)) return status;
		if (value == PRICE_NEVER) continue;
		uint32_t need = price_sum(value, p->base);
		while (fits < ladder->n && price_sum(need, l[fits].base) <= enough) fits++;
		*all &= fits == ladder->n;
		if (!fits) continue;
		status = take_set(m, l[fits - 1].set, sets);
		if (UNLIKELY(status)) return status;
	}
	return GCDC_OK;
}

// The frames that a step's node reads, of a stack that others share: onto .todo, each with a node once.
static gcdc_status go_below(struct gcdc_matcher *m, const struct artifact_mask_step *s, uint32_t f)
{
	struct step_table *x = m->pool->step_table;
	gcdc_status status = price_go_down(m, f, s->skip + 1, &x->frames, &x->below);
	for (uint32_t i = 0; i < x->frames.n && !status; i++) {
		bool is_new;
		if (!pair_map_add(x->memory, &x->seen, x->frames.at[i], s->node, &is_new)) return GCDC_ERR_MEMORY;
		if (is_new && !step_table_go_on(x, x->frames.at[i], s->node, 0, 0)) return GCDC_ERR_MEMORY;
	}
	return status;
}

gcdc_status step_stored_read(struct gcdc_matcher *m, const struct reading *r, uint32_t enough, struct vec32 *sets,
                             bool *all)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct frame *frames = m->pool->at;
	struct step_table *x = m->pool->step_table;
	uint32_t f = r->frame, node = a->step_starts[r->lex_state];
	if (node == ARTIFACT_NONE) return GCDC_OK;
	x->todo.n = 0;
	pair_map_clear(&x->seen);
	for (;;) {
		const struct artifact_mask_step *s = step_at(a, node, frames[f].lr_state);
		gcdc_status status = sets ? take_parts(m, s, f, enough, sets, all) : all_fit(m, s, f, enough, all);
		if (UNLIKELY(status) || !(sets || *all)) return status;
		if (s->node != ARTIFACT_NONE && LIKELY(!(frames[f].depth & FRAME_BRANCHED))) {
			node = s->node;
			for (uint32_t down = s->skip + 1; down && f; down--) f = frames[f].parent;
			if (LIKELY(f != 0)) continue;
		} else if (s->node != ARTIFACT_NONE) {
			status = go_below(m, s, f);
			if (status) return status;
		}
		if (LIKELY(!x->todo.n)) return GCDC_OK;
		x->todo.n -= 4;
		f = x->todo.at[x->todo.n], node = x->todo.at[x->todo.n + 1];
	}
}
