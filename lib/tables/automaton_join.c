// One builder's nodes added to another's.
//
// In:  two builders that have nothing left to ask. Out: the first with the nodes and edges of both.
// Ids of the second are renamed bottom up: remainders and controls, continuations, lists of them, items, nodes. Since a
// node's edges are those of all frames that can lie below it, and what can lie below a node of both is what can lie
// below it in one or the other, nothing new is to be asked. Cost: linear in the second builder.
#include "automaton.h"

static uint32_t *copy_continuation_lists(struct summaries *to, const struct summaries *from,
                                         const remainder_id *remainder_to)
{
	uint32_t *continuation_to = mem_calloc(from->continuations.entries.n + 1, sizeof *continuation_to);
	for (uint32_t i = 0; i < from->continuations.entries.n; i++) {
		struct continuation x;
		memcpy(&x, intern_get(&from->continuations, i, NULL), sizeof x);
		x.remainder = remainder_to[x.remainder];
		continuation_to[i] = intern_add(&to->continuations, &x, sizeof x, NULL);
	}
	uint32_t *list_to = mem_calloc(from->continuation_lists.entries.n, sizeof *list_to);
	VEC(uint32_t) list = {0};
	for (uint32_t i = 0; i < from->continuation_lists.entries.n; i++) {
		uint32_t len;
		const uint32_t *continuations = intern_get(&from->continuation_lists, i, &len);
		vec_clear(&list);
		for (uint32_t k = 0; k < len / sizeof *continuations; k++) vec_push(&list, continuation_to[continuations[k]]);
		list_to[i] = summaries_continuations(to, list.at, list.n);
	}
	vec_release(&list);
	free(continuation_to);
	return list_to;
}

static uint32_t *copy_controls(struct builder *into, const struct builder *from, const remainder_id *whole_to)
{
	const struct intern *controls = &from->summaries.controls;
	remainder_id *byte_to =
		from->byte_walker.lexer ? walker_copy_remainders(&into->byte_walker, &from->byte_walker) : NULL;
	uint32_t *to = mem_calloc(controls->entries.n + 1, sizeof *to);
	for (uint32_t i = 0; i < controls->entries.n; i++) {
		control_id x;
		memcpy(&x, intern_get(controls, i, NULL), sizeof x);
		x = viability_copy(&into->viable, &from->viable, x, byte_to ? byte_to : whole_to);
		to[i] = summaries_control(&into->summaries, x);
	}
	free(byte_to);
	return to;
}

// has: scratch, [lr_states].
static void copy_targets(struct builder *into, uint32_t node, const struct raw_node *from, const set_id *set_to,
                         const uint32_t *node_to, bits *has)
{
	struct raw_node *x = &into->nodes.at[node];
	memset(has, 0, into->state_words * sizeof *has);
	for (uint32_t i = 0; i < x->frames.n; i++) bits_set(has, x->frames.at[i]);
	const uint16_t *frame = from->frames.at;
	for (uint32_t k = 0; k < from->targets.n; k++) {
		const struct raw_target *y = &from->targets.at[k];
		const uint32_t before = x->frames.n;
		for (uint32_t i = 0; i < y->n; i++, frame++)
			if (!bits_test(has, *frame)) vec_push(&x->frames, *frame);
		if (x->frames.n == before) continue;
		vec_push(&x->targets, ((struct raw_target){set_to[y->tokens], node_to[y->next], x->frames.n - before}));
	}
}

void automaton_join(struct builder *into, const struct builder *from, set_id *set_to, uint32_t *node_to)
{
	for (set_id s = 0; s < from->sets->sets.entries.n; s++)
		set_to[s] = tokensets_copy(into->sets, from->sets, s, set_to);
	remainder_id *remainder_to = walker_copy_remainders(&into->whole, &from->whole);
	uint32_t *continuation_list_to = copy_continuation_lists(&into->summaries, &from->summaries, remainder_to);
	uint32_t *control_to = copy_controls(into, from, remainder_to);
	const struct item_names to = {continuation_list_to, set_to, control_to};
	node_to[0] = 0;
	for (uint32_t n = 1; n < from->nodes.n; n++) {
		item_list items = summaries_copy_items(&into->summaries, &from->summaries, from->items.at[n], &to);
		node_to[n] = builder_node(into, items, from->nodes.at[n].skip);
	}
	bits *has = mem_calloc(into->state_words, sizeof *has);
	for (uint32_t n = 1; n < from->nodes.n; n++)
		copy_targets(into, node_to[n], &from->nodes.at[n], set_to, node_to, has);
	free(has);
	into->whole.steps += from->whole.steps;
	into->byte_walker.steps += from->byte_walker.steps;
	free(remainder_to);
	free(continuation_list_to);
	free(control_to);
}
