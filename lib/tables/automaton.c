// Subset construction over what tokens still want to know of the stack.
//
// In:  answers (summaries.h): for a lex_state and the top of a stack, and for items and the frame found below.
// Out: for each (lex_state, top) tokens and a node; for each node and frame below it tokens and the next node.
// A node is a list of items, normalised so that the nearest one reads the next frame (`skip` counts frames that no item
// looks at). Source: GreatGramma's tables resolved offline; subset construction over stack suffixes.
// Cost: one table look-up for each node and frame, once its items have been answered there.
#include "automaton.h"

#include "../../formats/artifact.h"

void builder_init(struct builder *b, const struct lexer *lexer, const struct lr *lr, const struct vocab *vocab,
                  const struct trie *bytes, struct tokensets *sets)
{
	*b = (struct builder){.lexer = lexer, .lr = lr, .sets = sets, .state_words = BITS_WORDS(lr->n_states)};
	tokensets_init(sets);
	walker_init(&b->whole, lexer, &vocab->trie, sets);
	if (bytes) walker_init(&b->byte_walker, lexer, bytes, NULL);
	viability_init(&b->viable, lr, lexer, bytes ? &b->byte_walker : &b->whole, bytes != NULL);
	b->summaries = (struct summaries){.lexer = lexer, .lr = lr, .whole = &b->whole, .viable = &b->viable, .sets = sets};
	summaries_init(&b->summaries, vocab->n_ranks);
	vec_push(&b->nodes, (struct raw_node){0});
	vec_push(&b->items, ITEMS_NONE);
	b->on_top = mem_calloc(lr->n_states, sizeof *b->on_top);
	frame_sets_init(&b->frames, lr->n_states);
	b->is_below = mem_calloc(b->state_words, sizeof *b->is_below);
	vec_push(&b->gotos, 0);
	b->reduction = mem_calloc(lr->n_states, sizeof *b->reduction);
	b->cut_terminals = mem_calloc(lr->context_words, sizeof *b->cut_terminals);
	b->noted_cuts = b->parted.cuts = UINT32_MAX;
}

void raw_nodes_release(raw_nodes *nodes)
{
	for (uint32_t n = 0; n < nodes->n; n++) {
		vec_release(&nodes->at[n].targets);
		vec_release(&nodes->at[n].frames);
		free(nodes->at[n].grown.at);
	}
	vec_release(nodes);
}

void builder_release(struct builder *b)
{
	raw_nodes_release(&b->nodes);
	vec_release(&b->queue);
	vec_release(&b->items);
	frame_sets_release(&b->frames);
	map64_release(&b->below_of);
	map64_release(&b->node_of);
	vec_release(&b->node_by_list);
	vec_release(&b->starts_of_kind);
	builder_starts_release(b);
	arena_release(&b->told);
	vec_release(&b->lent);
	vec_release(&b->of_remainder), vec_release(&b->of_continuation), vec_release(&b->of_list);
	vec_release(&b->node_words);
	summaries_release(&b->summaries);
	viability_release(&b->viable);
	walker_release(&b->byte_walker);
	walker_release(&b->whole);
}

// `above`: last frames read on the ways to the node.
static void come_from(struct builder *b, uint32_t node, const lr_state *above, uint32_t n)
{
	struct raw_node *x = &b->nodes.at[node];
	for (uint32_t i = 0; i < n; i++)
		if (!frame_sets_has(&b->frames, x->above, above[i])) grown_frames_add(&x->grown, &b->frames, above[i]);
	if (x->grown.n && !x->queued) x->queued = true, vec_push(&b->queue, node);
}

void builder_come_from(struct builder *b, uint32_t node, const void *above, uint32_t len)
{
	vec_clear(&b->next);
	frames_unpack(&b->frames, above, len, &b->next);
	come_from(b, node, b->next.at, b->next.n);
}

uint32_t builder_ask(struct builder *b, item_list items, const lr_state *above, uint32_t n)
{
	if (items == ITEMS_NONE) return 0;
	while (b->node_by_list.n <= items) vec_push(&b->node_by_list, 0);
	uint32_t skip, node = b->node_by_list.at[items];
	if (!node) {
		item_list shorter = summaries_skip(&b->summaries, items, &skip);
		node = b->node_by_list.at[items] = builder_node(b, shorter, skip);
	}
	come_from(b, node, above, n);
	return node;
}

uint32_t builder_node(struct builder *b, item_list items, uint32_t skip)
{
	uint64_t key = (uint64_t)items << 32 | skip, known = map64_get(&b->node_of, key);
	if (known != MAP64_NONE) return (uint32_t)known;
	map64_put(&b->node_of, key, b->nodes.n);
	vec_push(&b->items, items);
	vec_push(&b->nodes, ((struct raw_node){.skip = skip}));
	return b->nodes.n - 1;
}

void builder_add_below(struct builder *b, lr_state s, frame_list *to)
{
	for (uint32_t j = b->lr->pred_at[s]; j < b->lr->pred_at[s + 1]; j++) {
		if (bits_test(b->is_below, b->lr->pred[j])) continue;
		bits_set(b->is_below, b->lr->pred[j]);
		vec_push(to, b->lr->pred[j]);
	}
}

// All frames that can lie so many below these: predecessors, skip + 1 times.
static uint32_t frames_below(struct builder *b, uint32_t above, uint32_t skip)
{
	const uint64_t key = (uint64_t)above << 32 | skip, known = map64_get(&b->below_of, key);
	if (known != MAP64_NONE) return (uint32_t)known;
	vec_clear(&b->below);
	frame_sets_list(&b->frames, above, &b->below);
	for (uint32_t i = 0; i <= skip; i++) {
		vec_clear(&b->next);
		for (uint32_t k = 0; k < b->below.n; k++) builder_add_below(b, b->below.at[k], &b->next);
		for (uint32_t k = 0; k < b->next.n; k++) bits_reset(b->is_below, b->next.at[k]);
		const frame_list now = b->below;
		b->below = b->next, b->next = now;
	}
	const uint32_t set = frame_sets_add(&b->frames, b->below.at, b->below.n);
	map64_put(&b->below_of, key, set);
	return set;
}

const char *builder_limit(const struct builder *b)
{
	if (b->nodes.n > TABLES_MAX_NODES) return "TABLES_MAX_NODES";
	if (b->whole.steps > TABLES_MAX_STEPS) return "TABLES_MAX_STEPS";
	if (b->whole.remainders.arena.used + b->sets->sets.arena.used > TABLES_MAX_BYTES) return "TABLES_MAX_BYTES";
	return NULL;
}

// What frames lead to when what lies below them is asked at once, if that is the same for all. False: it is not.
static bool read_below_group(struct builder *b, struct summary *x, const lr_state *frame, uint32_t n)
{
	struct summary first = *x, y;
	if (!builder_read_below(b, &first, frame[0])) return false;
	for (uint32_t i = 1; i < n; i++) {
		y = *x;
		if (!builder_read_below(b, &y, frame[i]) || y.tokens != first.tokens) return false;
	}
	*x = first;
	return true;
}

// Adds what frames that have no edge yet lead to.
static void add_targets(struct builder *b, uint32_t node, struct summary_reading *r)
{
	struct raw_node *x = &b->nodes.at[node];
	const uint32_t set = frames_below(b, x->above, x->skip), made = x->below;
	x->below = set;
	vec_clear(&r->frames);
	frame_sets_list(&b->frames, set, &r->frames);
	if (made != FRAMES_NONE) {
		uint32_t kept = 0;
		for (uint32_t i = 0; i < r->frames.n; i++)
			if (!frame_sets_has(&b->frames, made, r->frames.at[i])) r->frames.at[kept++] = r->frames.at[i];
		r->frames.n = kept;
	}
	summaries_read_all(&b->summaries, b->items.at[node], r);
	vec_fit(&x->targets, (uint64_t)x->targets.n + r->groups.n);  // no more than that: most nodes get all at once
	vec_fit(&x->frames, (uint64_t)x->frames.n + r->frames.n);
	for (uint32_t k = 0; k < r->groups.n; k++) {
		struct summary_group *g = &r->groups.at[k];
		if (g->x.items == ITEMS_IMPOSSIBLE) continue;
		const lr_state *frames = r->frames.at + g->first;
		const bool is_known = g->x.items == ITEMS_NONE || (b->reads_below && read_below_group(b, &g->x, frames, g->n));
		const uint32_t next = is_known ? 0 : builder_ask(b, g->x.items, frames, g->n);
		x = &b->nodes.at[node];  // nodes may have moved
		vec_push(&x->targets, ((struct raw_target){g->x.tokens, next, g->n}));
		for (uint32_t i = 0; i < g->n; i++) vec_push(&x->frames, (uint16_t)frames[i]);
	}
}

bool builder_close(struct builder *b)
{
	struct summary_reading r = {0};
	bool ok = builder_limit(b) == NULL;
	while (ok && (b->queue.n || builder_hear(b))) {
		const uint32_t node = vec_pop(&b->queue);
		struct raw_node *x = &b->nodes.at[node];
		x->queued = false;
		vec_clear(&b->next);
		frame_sets_list(&b->frames, x->above, &b->next);
		grown_frames_take(&x->grown, &b->frames, &b->next);
		x->above = frame_sets_add(&b->frames, b->next.at, b->next.n);
		if (!builder_lends(b, node)) add_targets(b, node, &r);
		ok = builder_limit(b) == NULL;
	}
	reading_release(&r);
	return ok;
}
