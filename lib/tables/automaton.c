// Subset construction over what tokens still want to know of the stack.
//
// In:  answers (answers.h): for a lex_state and the top of a stack, and for items and the frame found below.
// Out: for each (lex_state, top) tokens and a node; for each node and frame below it tokens and the next node.
// A node is a list of items, normalised so that the nearest one reads the next frame (`skip` counts frames that no item
// looks at). Source: GreatGramma's tables resolved offline; subset construction over stack suffixes.
// Cost: one table look-up for each node and frame, once its items have been answered there.
#include "automaton.h"

#include "../../formats/artifact.h"
#include "answers.h"
#include "lines.h"

struct build {
	const struct lexer *lexer;
	const struct lr *lr;
	const struct vocab *vocab;
	struct tables *out;
	struct walker whole;      // over the vocabulary
	struct trie bytes;        // over single bytes, when the vocabulary has all that matter
	struct walker byte_walker;
	struct viability viable;
	struct answers answers;
	struct lines lines;       // newlines that decide columns
	struct map64 node_of;     // items, skip -> node
	raw_nodes nodes;          // [0] unused
	VEC(item_list) items;     // [node]
	VEC(uint32_t) queue;
	uint32_t state_words;
};

// The node that asks these items; `above` is the last frame read on the way to it. 0 when there are no items.
static uint32_t node_of(struct build *b, item_list items, lr_state above)
{
	if (items == ITEMS_NONE) return 0;
	uint32_t skip;
	items = answers_skip(&b->answers, items, &skip);
	uint64_t key = (uint64_t)items << 32 | skip;
	uint64_t known = map64_get(&b->node_of, key);
	uint32_t node = known == MAP64_NONE ? b->nodes.n : (uint32_t)known;
	if (known == MAP64_NONE) {
		map64_put(&b->node_of, key, node);
		vec_push(&b->items, items);
		vec_push(&b->nodes, ((struct raw_node){.skip = skip, .above = mem_calloc(b->state_words, sizeof(bits)),
		                                       .seen = mem_calloc(b->state_words, sizeof(bits))}));
	}
	struct raw_node *x = &b->nodes.at[node];
	if (!bits_test(x->above, above)) {
		bits_set(x->above, above);
		if (!x->queued) x->queued = true, vec_push(&b->queue, node);
	}
	return node;
}

// What is allowed in lex_state q with s on top, and what to read next.
static struct table_start build_start(struct build *b, lex_state q, lr_state s)
{
	struct answer x = answers_start(&b->answers, q, s);
	return (struct table_start){x.tokens, node_of(b, x.items, s)};
}

// All frames that can lie below the node: predecessors of what was read above, skip + 1 times.
static void frames_below(const struct build *b, uint32_t node, bits *now)
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

static bool within_limits(const struct build *b, struct diag *d)
{
	const char *limit = b->nodes.n > TABLES_MAX_NODES        ? "TABLES_MAX_NODES"
	                    : b->whole.steps > TABLES_MAX_STEPS ? "TABLES_MAX_STEPS"
	                    : b->whole.rests.arena.used + b->out->sets.sets.arena.used > TABLES_MAX_BYTES
	                        ? "TABLES_MAX_BYTES"
	                        : NULL;
	if (!limit) return true;
	diag_error(d, (struct loc){0},
	           "the grammar and the vocabulary give tables that are too large: %u nodes, %llu trie steps (limit %s)",
	           b->nodes.n, (unsigned long long)b->whole.steps, limit);
	return false;
}

static bool close_nodes(struct build *b, struct diag *d)
{
	bits *below = mem_calloc(b->state_words, sizeof *below);
	bool ok = true;
	while (b->queue.n && ok) {
		uint32_t node = vec_pop(&b->queue);
		b->nodes.at[node].queued = false;
		frames_below(b, node, below);
		for (lr_state p = bits_next(below, b->state_words, 0); p != UINT32_MAX;
		     p = bits_next(below, b->state_words, p + 1)) {
			if (bits_test(b->nodes.at[node].seen, p)) continue;
			bits_set(b->nodes.at[node].seen, p);
			struct answer x = answers_read(&b->answers, b->items.at[node], p);
			if (x.items == ITEMS_IMPOSSIBLE) continue;
			uint32_t next = node_of(b, x.items, p);
			vec_push(&b->nodes.at[node].edges, ((struct table_edge){p, x.tokens, next}));
		}
		ok = within_limits(b, d);
	}
	free(below);
	return ok;
}

// --- Starts --------------------------------------------------------------------------------------------------------

// live[q * n_contexts + c]: lex_state q can be where a token ends, in a lexeme that started in context c and is of use there.
static uint8_t *find_live_pairs(const struct build *b)
{
	const struct lexer *x = b->lexer;
	uint8_t *live = mem_calloc((size_t)x->n_states * x->n_contexts, 1);
	VEC(uint32_t) work = {0};
	for (uint32_t r = 0; r < x->n_residues; r++)
		for (uint32_t c = 0; c < x->n_contexts; c++)
			if (x->start[r * x->n_contexts + c]) vec_push(&work, x->start[r * x->n_contexts + c] * x->n_contexts + c);
	uint32_t first = x->initial * x->n_contexts + b->lr->context_of[LR_BOTTOM];
	live[first] = 1;
	vec_push(&work, first);
	while (work.n) {
		uint32_t pair = vec_pop(&work), q = pair / x->n_contexts, c = pair % x->n_contexts;
		for (uint32_t k = 0; k < x->n_classes; k++) {
			uint32_t to = x->next[(size_t)q * x->n_classes + k] & LEX_STATE_MASK;
			if (!to || live[(size_t)to * x->n_contexts + c] || viability_is_hopeless(&b->viable, to, c)) continue;
			live[(size_t)to * x->n_contexts + c] = 1;
			vec_push(&work, to * x->n_contexts + c);
		}
	}
	vec_release(&work);
	return live;
}

static bool build_starts(struct build *b, struct diag *d)
{
	const struct lexer *x = b->lexer;
	struct tables *t = b->out;
	uint8_t *live = find_live_pairs(b);
	uint32_t *count = mem_calloc(x->n_contexts, sizeof *count);
	t->rank_in_context = mem_calloc(b->lr->n_states, sizeof *t->rank_in_context);
	for (lr_state s = LR_BOTTOM; s < b->lr->n_states; s++) t->rank_in_context[s] = count[b->lr->context_of[s]]++;
	t->start_base = mem_calloc((size_t)x->n_states * x->n_contexts, sizeof *t->start_base);
	bool ok = true;
	for (lex_state q = 0; q < x->n_states && ok; q++)
		for (uint32_t c = 0; c < x->n_contexts && ok; c++) {
			size_t pair = (size_t)q * x->n_contexts + c;
			t->start_base[pair] = live[pair] ? t->starts.n : TABLES_NO_START;
			for (lr_state s = LR_BOTTOM; s < b->lr->n_states && live[pair]; s++)
				if (b->lr->context_of[s] == c) vec_push(&t->starts, build_start(b, q, s));
			ok = within_limits(b, d);
		}
	free(count);
	free(live);
	return ok;
}

// Rows that no top uses stay empty; so do those that nothing follows. The text can end right behind the newline.
static bool build_lines(struct build *b, struct diag *d)
{
	struct line_tables *t = &b->out->lines;
	const struct lines *l = &b->lines;
	t->first_start = b->out->starts.n;
	for (uint32_t i = 0; i < t->n_states; i++)
		for (uint32_t r = 0; r < t->rows.n; r++)
			for (uint32_t k = 0; k < t->n_tops; k++) {
				struct table_start start = {0};
				bool or_end = t->rows.at[r].kind != ARTIFACT_BLANK_TAB && t->rows.at[r].spaces == 0;
				if (lines_use(l, r, k)) {
					struct answer x = answers_line(&b->answers, l->rests.at[i * t->rows.n + r], or_end, l->tops.at[k]);
					start = (struct table_start){x.tokens, node_of(b, x.items, l->tops.at[k])};
				}
				vec_push(&b->out->starts, start);
			}
	return within_limits(b, d);
}

// --- The trie of single bytes ----------------------------------------------------------------------------------------

static const uint8_t *all_bytes(struct arena *a)
{
	uint8_t *b = arena_alloc(a, 257);
	for (int i = 0; i < 256; i++) b[i + 1] = (uint8_t)i;
	return b;
}

// Can the vocabulary spell every byte that the lexer reads? Then single bytes decide viability.
static bool can_spell_all(const struct build *b)
{
	bool has[256] = {0}, wants[256] = {0};
	const struct trie *t = &b->vocab->trie;
	for (trie_node n = 1; n < t->n_nodes; n = t->end[n]) has[t->byte[n]] = t->rank[n] != t->rank[n + 1];
	for (int byte = 0; byte < 256; byte++)
		for (lex_state q = 1; q < b->lexer->n_states && !wants[byte]; q++)
			wants[byte] = (lexer_next(b->lexer, q, (uint8_t)byte) & LEX_STATE_MASK) != 0;
	for (int byte = 0; byte < 256; byte++)
		if (wants[byte] && !has[byte]) return false;
	return true;
}

static void make_byte_trie(struct build *b, struct arena *a)
{
	uint32_t *end = arena_array(a, 257, sizeof *end), *rank = arena_array(a, 258, sizeof *rank);
	end[0] = 257;
	for (uint32_t i = 1; i <= 256; i++) end[i] = i + 1, rank[i] = i - 1;
	rank[257] = 256;
	b->bytes = (struct trie){.n_nodes = 257, .byte = all_bytes(a), .end = end, .rank = rank};
}

// --------------------------------------------------------------------------------------------------------------------

static void release(struct build *b, struct arena *a)
{
	for (uint32_t i = 0; i < b->nodes.n; i++) {
		vec_release(&b->nodes.at[i].edges);
		free(b->nodes.at[i].above);
		free(b->nodes.at[i].seen);
	}
	vec_release(&b->nodes);
	vec_release(&b->queue);
	vec_release(&b->items);
	map64_release(&b->node_of);
	answers_release(&b->answers);
	lines_release(&b->lines);
	viability_release(&b->viable);
	if (b->byte_walker.lexer) walker_release(&b->byte_walker);
	walker_release(&b->whole);
	arena_release(a);
}

static bool language_has_a_text(struct build *b, struct diag *d)
{
	struct arena arena = {0};
	control_list controls = {0};
	const struct frame *bottom = frames_push(&arena, NULL, LR_BOTTOM);
	bool some = viability_ask(&b->viable, b->lexer->initial, bottom, &controls) == VIABLE_ALWAYS;
	vec_release(&controls);
	arena_release(&arena);
	if (some) return true;
	diag_error(d, (struct loc){0}, "no text is in this language: every attempt ends where nothing can finish it");
	diag_note(d, (struct loc){0},
	          "terminals that must be neighbours may be impossible to tell apart (NAME followed by \"x\" is one longer "
	          "NAME), or the vocabulary cannot spell what the grammar needs");
	return false;
}

bool tables_build(const struct lexer *lexer, const struct lr *lr, const struct coupling *coupling,
                  const struct vocab *vocab, struct diag *d, struct tables *out)
{
	struct arena a = {0};
	struct build b = {.lexer = lexer, .lr = lr, .vocab = vocab, .out = out, .state_words = BITS_WORDS(lr->n_states)};
	*out = (struct tables){0};
	tokensets_init(&out->sets);
	walker_init(&b.whole, lexer, &vocab->trie, &out->sets);
	bool by_bytes = can_spell_all(&b);
	if (lexer->indentation && !by_bytes) {
		diag_error(d, (struct loc){0}, "the vocabulary lacks tokens for single bytes that the grammar needs: with "
		           "indentation, every column must be possible to spell");
		walker_release(&b.whole);
		tables_release(out);
		return false;
	}
	if (by_bytes) {
		make_byte_trie(&b, &a);
		walker_init(&b.byte_walker, lexer, &b.bytes, NULL);
	}
	viability_init(&b.viable, lr, lexer, by_bytes ? &b.byte_walker : &b.whole,
	               coupling->undone && !coupling->settles ? coupling->undone_in : NULL, by_bytes);
	answers_init(&b.answers, lexer, lr, &b.whole, coupling, &b.viable, &out->sets, vocab->n_ranks);
	vec_push(&b.nodes, (struct raw_node){0});
	vec_push(&b.items, ITEMS_NONE);
	bool ok = language_has_a_text(&b, d);
	lines_build(lexer, lr, &b.whole, &out->lines, &b.lines);
	b.answers.blank_path = b.lines.blank_path;
	ok = ok && build_starts(&b, d) && build_lines(&b, d) && close_nodes(&b, d);
	if (ok) {
		out->n_raw_nodes = b.nodes.n;
		out->walk_steps = b.whole.steps + b.byte_walker.steps;
		automaton_finish(&b.nodes, out);
	}
	release(&b, &a);
	if (!ok) tables_release(out);
	return ok;
}

void tables_release(struct tables *t)
{
	tokensets_release(&t->sets);
	free(t->start_base);
	free(t->lines.state_of);
	free(t->lines.top_of);
	vec_release(&t->lines.rows);
	free(t->rank_in_context);
	vec_release(&t->starts);
	vec_release(&t->nodes);
	vec_release(&t->edges);
	*t = (struct tables){0};
}
