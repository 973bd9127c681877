// Steps of masks under a budget in the artifact's layout; see formats/artifact.h, STEP_*.
//
// In:  struct budget_steps, whose sets are rows of SET. Out: the image's step arrays. Cost: linear.
#include "pack.h"

#include "../../formats/artifact.h"

static_assert(STEPS_NONE == ARTIFACT_NONE, "one number for none");

void pack_steps(const struct budget_steps *b, uint32_t n_lex_states, struct compiled *out)
{
	struct artifact_image *m = &out->image;
	if (!b->start) return;
	m->step_info = (struct artifact_step_info){.n_nodes = b->nodes.n,
	                                           .n_edges = b->edges.n,
	                                           .n_steps = b->steps.n,
	                                           .n_parts = b->parts.n,
	                                           .n_classes = b->classes.n,
	                                           .n_pushes = b->pushes.n,
	                                           .n_ladders = b->ladders.n,
	                                           .n_levels = b->levels.n};
	m->step_starts = memcpy(arena_array(&out->arena, n_lex_states, 4), b->start, n_lex_states * sizeof *b->start);
	struct artifact_step_node *nodes = arena_array(&out->arena, b->nodes.n, sizeof *nodes);
	for (uint32_t i = 0; i < b->nodes.n; i++)
		nodes[i] = (struct artifact_step_node){b->nodes.at[i].first, b->nodes.at[i].n, b->nodes.at[i].other};
	uint16_t *edge_classes = arena_array(&out->arena, b->edges.n, sizeof *edge_classes);
	uint32_t *edges = arena_array(&out->arena, b->edges.n, sizeof *edges);
	for (uint32_t i = 0; i < b->edges.n; i++)
		edge_classes[i] = (uint16_t)b->edges.at[i].class, edges[i] = b->edges.at[i].step;
	struct artifact_mask_step *steps = arena_array(&out->arena, b->steps.n, sizeof *steps);
	for (uint32_t i = 0; i < b->steps.n; i++) {
		const struct budget_step *x = &b->steps.at[i];
		steps[i] = (struct artifact_mask_step){x->first_part, x->n_parts, x->node, x->skip};
	}
	struct artifact_step_part *parts = arena_array(&out->arena, b->parts.n, sizeof *parts);
	for (uint32_t i = 0; i < b->parts.n; i++)
		parts[i] = (struct artifact_step_part){b->parts.at[i].above, b->parts.at[i].base, b->parts.at[i].ladder};
	struct artifact_step_class *classes = arena_array(&out->arena, b->classes.n, sizeof *classes);
	for (uint32_t i = 0; i < b->classes.n; i++)
		classes[i] = (struct artifact_step_class){b->classes.at[i].first, b->classes.at[i].n};
	struct artifact_step_push *pushes = arena_array(&out->arena, b->pushes.n, sizeof *pushes);
	for (uint32_t i = 0; i < b->pushes.n; i++) {
		const struct budget_push *x = &b->pushes.at[i];
		pushes[i] = (struct artifact_step_push){x->state, x->class, x->weight};
	}
	struct artifact_step_ladder *ladders = arena_array(&out->arena, b->ladders.n, sizeof *ladders);
	for (uint32_t i = 0; i < b->ladders.n; i++)
		ladders[i] = (struct artifact_step_ladder){b->ladders.at[i].first, b->ladders.at[i].n};
	struct artifact_step_level *levels = arena_array(&out->arena, b->levels.n, sizeof *levels);
	for (uint32_t i = 0; i < b->levels.n; i++)
		levels[i] = (struct artifact_step_level){b->levels.at[i].base, b->levels.at[i].tokens};
	m->step_nodes = nodes, m->step_edge_classes = edge_classes, m->step_edges = edges, m->step_steps = steps;
	m->step_parts = parts, m->step_classes = classes, m->step_pushes = pushes, m->step_ladders = ladders;
	m->step_levels = levels;
}
