// Subset construction over what tokens still want to know of the stack.
//
// In:  answers (summaries.h): for a lex_state and the top of a stack, and for items and the frame found below.
// Out: for each (lex_state, top) tokens and a node; for each node and frame below it tokens and the next node.
// A node is a list of items, normalised so that the nearest one reads the next frame (`skip` counts frames that no item
// looks at). Source: GreatGramma's tables resolved offline; subset construction over stack suffixes.
// Cost: one table look-up for each node and frame, once its items have been answered there.
#include "automaton.h"

#include "../../formats/artifact.h"

#define READ_KNOWN_FROM                                                                                                \
	75u  // percent of such states; for languages (60 %) files would be larger: nodes are shared less

void builder_init(struct builder *b, const struct lexer *lexer, const struct lr *lr, const struct vocab *vocab,
                  const struct trie *bytes, struct tokensets *sets)
{
	*b = (struct builder){.lexer = lexer, .lr = lr, .sets = sets, .state_words = BITS_WORDS(lr->n_states)};
	uint32_t n_known = 0;  // states below which one state only can lie: nearly all, where a grammar has no recursion
	for (lr_state p = 0; p < lr->n_states; p++) n_known += lr->pred_at[p + 1] - lr->pred_at[p] <= 1;
	b->reads_known = (uint64_t)n_known * 100 >= (uint64_t)lr->n_states * READ_KNOWN_FROM;
	tokensets_init(sets);
	walker_init(&b->whole, lexer, &vocab->trie, sets);
	if (bytes) walker_init(&b->byte_walker, lexer, bytes, NULL);
	viability_init(&b->viable, lr, lexer, bytes ? &b->byte_walker : &b->whole, bytes != NULL);
	b->summaries = (struct summaries){.lexer = lexer, .lr = lr, .whole = &b->whole, .viable = &b->viable, .sets = sets};
	summaries_init(&b->summaries, vocab->n_ranks);
	vec_push(&b->nodes, (struct raw_node){0});
	vec_push(&b->items, ITEMS_NONE);
	b->on_top = mem_calloc(lr->n_states, sizeof *b->on_top);
}

void builder_release(struct builder *b)
{
	for (uint32_t i = 0; i < b->nodes.n; i++) {
		vec_release(&b->nodes.at[i].edges);
		free(b->nodes.at[i].above);
	}
	vec_release(&b->nodes);
	vec_release(&b->queue);
	vec_release(&b->items);
	map64_release(&b->node_of);
	vec_release(&b->node_by_list);
	vec_release(&b->starts_of_kind);
	builder_starts_release(b);
	summaries_release(&b->summaries);
	viability_release(&b->viable);
	walker_release(&b->byte_walker);
	walker_release(&b->whole);
}

// `above`: last frames read on the ways to the node.
static void come_from(struct builder *b, uint32_t node, const lr_state *above, uint32_t n)
{
	struct raw_node *x = &b->nodes.at[node];
	if (!x->above) x->above = mem_calloc(b->state_words, sizeof *x->above);
	bool grew = false;
	for (uint32_t i = 0; i < n; i++) {
		if (bits_test(x->above, above[i])) continue;
		bits_set(x->above, above[i]);
		grew = true;
	}
	if (grew && !x->queued) x->queued = true, vec_push(&b->queue, node);
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

// All frames that can lie below the node: predecessors of what was read above, skip + 1 times.
static void frames_below(const struct builder *b, uint32_t node, bits *now)
{
	const struct raw_node *x = &b->nodes.at[node];
	memcpy(now, x->above, b->state_words * sizeof *now);
	bits *next = mem_calloc(b->state_words, sizeof *next);
	for (uint32_t i = 0; i <= x->skip; i++) {
		memset(next, 0, b->state_words * sizeof *next);
		for (lr_state s = bits_next(now, b->state_words, 0); s != UINT32_MAX; s = bits_next(now, b->state_words, s + 1))
			for (uint32_t j = b->lr->pred_at[s]; j < b->lr->pred_at[s + 1]; j++) bits_set(next, b->lr->pred[j]);
		memcpy(now, next, b->state_words * sizeof *now);
	}
	free(next);
}

const char *builder_limit(const struct builder *b)
{
	if (b->nodes.n > TABLES_MAX_NODES) return "TABLES_MAX_NODES";
	if (b->whole.steps > TABLES_MAX_STEPS) return "TABLES_MAX_STEPS";
	if (b->whole.remainders.arena.used + b->sets->sets.arena.used > TABLES_MAX_BYTES) return "TABLES_MAX_BYTES";
	return NULL;
}

// Adds the edges of frames that have none yet; takes those that do from `below`.
static void add_edges(struct builder *b, uint32_t node, bits *below, struct summary_reading *r)
{
	vec_clear(&r->frames);
	for (uint32_t e = 0; e < b->nodes.at[node].edges.n; e++) bits_reset(below, b->nodes.at[node].edges.at[e].frame);
	for (lr_state p = bits_next(below, b->state_words, 0); p != UINT32_MAX; p = bits_next(below, b->state_words, p + 1))
		vec_push(&r->frames, p);
	summaries_read_all(&b->summaries, b->items.at[node], r);
	table_edges *edges = &b->nodes.at[node].edges;
	uint64_t n = edges->n + (uint64_t)r->frames.n;  // no more than that: most nodes get all their edges at once
	if (n > edges->cap) edges->at = mem_realloc(edges->at, n, sizeof *edges->at), edges->cap = (uint32_t)n;
	for (uint32_t k = 0; k < r->groups.n; k++) {
		const struct summary_group *g = &r->groups.at[k];
		if (g->x.items == ITEMS_IMPOSSIBLE) continue;
		const lr_state *frames = r->frames.at + g->first;
		uint32_t next = builder_ask(b, g->x.items, frames, g->n);
		edges = &b->nodes.at[node].edges;  // nodes may have moved
		for (uint32_t i = 0; i < g->n; i++) edges->at[edges->n++] = (struct table_edge){frames[i], g->x.tokens, next};
	}
}

bool builder_close(struct builder *b)
{
	bits *below = mem_calloc(b->state_words, sizeof *below);
	struct summary_reading r = {0};
	bool ok = builder_limit(b) == NULL;
	while (b->queue.n && ok) {
		uint32_t node = vec_pop(&b->queue);
		b->nodes.at[node].queued = false;
		frames_below(b, node, below);
		add_edges(b, node, below, &r);
		ok = builder_limit(b) == NULL;
	}
	reading_release(&r);
	free(below);
	return ok;
}
