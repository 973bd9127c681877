// Masks under a budget, on the device: the sets of the artifact's steps.
//
// In:  a reading, what its frames cost, how many tokens may come behind the next one.  Out: numbers of sets whose union
// is what fits. The logic is that of lib/runtime/budget/step_stored.c, each stack a reading of its own: a node and a
// frame's class tell a step; of the ladder of each of its parts the last level is taken that is left room for. A
// frame's cost is made from that of the frame below when the frame is pushed, and stands beside the stack. Artifacts
// without steps of their own (budgets that the host works out at run time) are not for the device.
// Cost: two binary searches for each frame read, one for each frame pushed.
#ifndef GCDC_CUDA_DEVICE_BUDGET_CUH
#define GCDC_CUDA_DEVICE_BUDGET_CUH

#include "device_sets.cuh"

// A frame's class, 0 where no text has such a stack, and the fewest tokens to the end of the text once it is the top.
struct frame_cost {
	uint32_t of_class, least;
};
// Of a stack's frames: those below, as the sequence was left, and those above.
struct cost_pile {
	const struct frame_cost *below;
	struct frame_cost *own;
};
DEVICE struct frame_cost cost_at(const struct cost_pile &costs, const frame_pile &stack, uint32_t at)
{
	return at < stack.base ? costs.below[at] : costs.own[at - stack.base];
}

// Less than COST_NEVER, as both are.
DEVICE uint32_t cost_sum(uint32_t x, uint32_t y) { return (uint32_t)min_of((uint64_t)x + y, (uint64_t)COST_NEVER - 1); }

// A frame of this state on one of this cost.
DEVICE struct frame_cost cost_pushed(const struct device_tables &a, struct frame_cost below, uint32_t lr_state)
{
	struct artifact_step_class x = a.step_classes[below.of_class];
	uint32_t first = last_of(x.first, x.n, [&](uint32_t i) { return a.step_pushes[i].lr_state <= lr_state; });
	if (!x.n || a.step_pushes[first].lr_state != lr_state) return {0, below.least};
	return {a.step_pushes[first].to, cost_sum(below.least, a.step_pushes[first].weight)};
}

// Costs of the frames of a stack, bottom first. The bottom is of class 1 and costs nothing.
DEVICE void stack_costs(const struct device_tables &a, const uint16_t *lr_states, uint32_t n, struct frame_cost *costs)
{
	for (uint32_t i = 0; i < n; i++) costs[i] = i ? cost_pushed(a, costs[i - 1], lr_states[i]) : frame_cost{1, 0};
}

// Costs of the frames that the stack has of its own.
DEVICE_CALL void push_costs(const struct device_tables &a, const frame_pile &stack, const struct cost_pile &costs)
{
	struct frame_cost x = costs.below[stack.base - 1];  // the bottom is never a frame of its own
	for (uint32_t k = 0; k < stack.n; k++) costs.own[k] = x = cost_pushed(a, x, stack.own[k]);
}

DEVICE struct artifact_mask_step step_of(const struct device_tables &a, uint32_t node, uint32_t of_class)
{
	struct artifact_step_node x = a.step_nodes[node];
	if (!x.n) return a.steps[x.other];
	uint32_t first = last_of(x.first, x.n, [&](uint32_t i) { return a.step_edge_classes[i] <= of_class; });
	return a.steps[a.step_edge_classes[first] == of_class ? a.step_edges[first] : x.other];
}

// The sets of a step's parts that fit; is_whole: false where one might be allowed with more tokens left.
DEVICE bool take_parts(const struct device_tables &a, const struct artifact_mask_step &s, uint32_t least,
                       uint32_t enough, struct set_sink &sink, bool &is_whole)
{
	for (uint32_t i = s.first_part; i < s.first_part + s.n_parts; i++) {
		struct artifact_step_part part = a.step_parts[i];
		struct artifact_step_ladder ladder = a.step_ladders[part.ladder];
		uint32_t need = cost_sum(part.above ? least : 0, part.base), fits = ladder.n;
		while (fits && cost_sum(need, a.step_levels[ladder.first + fits - 1].base) > enough) {
			fits--;
			is_whole = false;
		}
		if (fits && !take_sure(a, sink, a.step_levels[ladder.first + fits - 1].set)) return false;
	}
	return true;
}

// The sets of one reading behind whose tokens `enough` are enough.
DEVICE_CALL gcdc_status take_affordable(const struct device_tables &a, const struct reading &r,
                                        const struct cost_pile &costs, uint32_t enough, struct set_sink &sink,
                                        bool &is_whole)
{
	uint32_t node = a.step_starts[lex_base(a, r.lex_state)], at = pile_height(r.stack) - 1;
	while (node != ARTIFACT_NONE) {
		struct frame_cost cost = cost_at(costs, r.stack, at);
		struct artifact_mask_step s = step_of(a, node, cost.of_class);
		if (!take_parts(a, s, cost.least, enough, sink, is_whole)) return GCDC_ERR_LIMIT;
		if (s.node == ARTIFACT_NONE || s.skip >= at) return GCDC_OK;
		node = s.node;
		at -= 1 + s.skip;
	}
	return GCDC_OK;
}

#endif
