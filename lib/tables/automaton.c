// Subset construction over what a token still wants to know of the stack.
//
// In:  a lex_state and the top of a stack (a start), or a node and the frame found below.
// Out: tokens decided there, and a node for the rest.
// An *item* is a question that needs a frame further down:
//   a parse  - pop so many frames, push goto(lhs), go on with the terminal, then lex the rest (walk.h);
//   a doubt  - these tokens are allowed if the control (viability.h) comes out well.
// A node is a set of items, normalised so that the nearest one reads the next frame (`skip` counts frames that no item
// looks at). Items are keyed by what remains, never by where they came from: that is what closes the automaton
// ("stack-automaton": nodes of whole languages number in the thousands).
// Cost: one parse step an item and frame; walks are shared through walker_outcomes.
#include "automaton.h"

#include "../../formats/artifact.h"
#include "viability.h"

enum item_kind { ITEM_PARSE, ITEM_DOUBT };

struct item {
	uint32_t kind;
	uint32_t pop, lhs, terminal, rest;  // ITEM_PARSE
	control_id control;                 // ITEM_DOUBT; its own pop count is the control's
	set_id tokens;                      // ITEM_DOUBT
};

// One token's middle: `rest` is to be lexed on these frames.
struct job {
	rest_id rest;
	const struct frame *top;
};

struct build {
	const struct lexer *lexer;
	const struct lr *lr;
	const struct vocab *vocab;
	struct tables *out;
	struct walker whole;      // over the vocabulary
	struct trie bytes;        // over single bytes, when the vocabulary has all that matter
	struct walker byte_walker;
	struct viability viable;
	struct intern node_keys;  // skip + items -> node - 1
	raw_nodes nodes;          // [0] unused
	VEC(uint32_t) queue;
	uint32_t state_words;
	set_id end_set;           // "the text may end here"
	// one evaluation
	struct arena scratch;
	VEC(set_id) allowed;
	VEC(struct item) items;
	VEC(struct job) jobs;
	control_list controls;
};

static void add_doubts(struct build *b, set_id tokens)
{
	for (uint32_t i = 0; i < b->controls.n; i++)
		vec_push(&b->items, ((struct item){.kind = ITEM_DOUBT, .control = b->controls.at[i], .tokens = tokens}));
}

static void end_of_text(struct build *b, const struct frame *top)
{
	if (lr_viable(b->lr, top->state, b->lr->n_terminals)) vec_push(&b->allowed, b->end_set);
}

// The parser took the terminal, or wants to look below.
static void after_step(struct build *b, struct frame_step step, terminal_id t, rest_id rest)
{
	if (step.kind == STEP_BELOW)
		vec_push(&b->items, ((struct item){.kind = ITEM_PARSE, .pop = step.pop, .lhs = step.lhs, .terminal = t,
		                                   .rest = rest}));
	else if (step.kind == STEP_SHIFTED && rest == REST_END)
		end_of_text(b, step.top);
	else if (step.kind == STEP_SHIFTED)
		vec_push(&b->jobs, ((struct job){rest, step.top}));
}

static void cut(struct build *b, terminal_id t, rest_id rest, const struct frame *top)
{
	if (!b->lexer->is_ignored[t]) after_step(b, frames_shift(b->lr, &b->scratch, top, t), t, rest);
	else if (rest == REST_END) end_of_text(b, top);
	else vec_push(&b->jobs, ((struct job){rest, top}));
}

static void take_outcomes(struct build *b, struct outcomes o, const struct frame *top)
{
	for (uint32_t i = 0; i < o.n_stays; i++) {
		enum verdict v = viability_ask(&b->viable, o.stays[i].to, top, &b->controls);
		if (v == VIABLE_ALWAYS) vec_push(&b->allowed, o.stays[i].tokens);
		else if (v == VIABLE_DEPENDS) add_doubts(b, o.stays[i].tokens);
	}
	for (uint32_t i = 0; i < o.n_cuts; i++) cut(b, o.cuts[i].terminal, o.cuts[i].rest, top);
}

// Lexes what remains of tokens until every one has ended or asks for frames below.
static void run_jobs(struct build *b)
{
	while (b->jobs.n) {
		struct job j = vec_pop(&b->jobs);
		uint32_t residue = walker_residue(&b->whole, j.rest);
		lex_state at = b->lexer->start[residue * b->lexer->n_contexts + b->lr->context_of[j.top->state]];
		if (at != LEX_DEAD) take_outcomes(b, walker_outcomes(&b->whole, at, j.rest), j.top);
	}
}

static void begin(struct build *b)
{
	vec_clear(&b->allowed);
	vec_clear(&b->items);
	vec_clear(&b->jobs);
	arena_release(&b->scratch);
}

static uint32_t item_pop(const struct build *b, const struct item *x)
{
	return x->kind == ITEM_PARSE ? x->pop : viability_pop(&b->viable, x->control);
}

// Passes over n frames.
static void item_skip(struct build *b, struct item *x, uint32_t n)
{
	if (n == 0) return;
	if (x->kind == ITEM_PARSE) x->pop -= n;
	else x->control = viability_skip(&b->viable, x->control, n);
}

static int compare_item(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct item));
}

// Doubts about tokens that are allowed already, or twice in doubt for the same reason, are none.
static void drop_settled_doubts(struct build *b)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < b->items.n; i++) {
		bool settled = false;
		for (uint32_t j = 0; j < b->allowed.n && !settled; j++)
			settled = b->items.at[i].kind == ITEM_DOUBT && b->allowed.at[j] == b->items.at[i].tokens;
		if (!settled) b->items.at[n++] = b->items.at[i];
	}
	b->items.n = n;
}

// The node of b->items; `above` is the last frame read on the way to it. 0 when there are no items.
static uint32_t node_of(struct build *b, lr_state above)
{
	drop_settled_doubts(b);
	if (!b->items.n) return 0;
	uint32_t skip = UINT32_MAX;
	for (uint32_t i = 0; i < b->items.n; i++) {
		uint32_t pop = item_pop(b, &b->items.at[i]);
		if (pop < skip) skip = pop;
	}
	for (uint32_t i = 0; i < b->items.n; i++) item_skip(b, &b->items.at[i], skip);
	qsort(b->items.at, b->items.n, sizeof *b->items.at, compare_item);
	uint32_t n = 0;
	for (uint32_t i = 0; i < b->items.n; i++)
		if (!n || compare_item(&b->items.at[n - 1], &b->items.at[i]) != 0) b->items.at[n++] = b->items.at[i];
	// The skip count belongs to the key; it travels in a leading pseudo item.
	b->items.n = n;
	vec_push(&b->items, ((struct item){.kind = UINT32_MAX, .pop = skip}));
	bool is_new;
	uint32_t node = intern_add(&b->node_keys, b->items.at, b->items.n * sizeof *b->items.at, &is_new) + 1;
	if (is_new)
		vec_push(&b->nodes, ((struct raw_node){.skip = skip, .above = mem_calloc(b->state_words, sizeof(bits)),
		                                       .seen = mem_calloc(b->state_words, sizeof(bits))}));
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
	begin(b);
	const struct frame *top = frames_push(&b->scratch, NULL, s);
	const struct lex_info *info = &b->lexer->info[q];
	if (info->flags & LEX_INITIAL) end_of_text(b, top);
	if (info->flags & LEX_MAY_END) cut(b, info->terminal, REST_END, top);
	take_outcomes(b, walker_outcomes(&b->whole, q, REST_WHOLE), top);
	run_jobs(b);
	uint32_t node = node_of(b, s);
	return (struct table_start){tokensets_union(&b->out->sets, b->allowed.at, b->allowed.n), node};
}

// Frame p below node: gathers into b->allowed and b->items. False when no valid stack has p there.
static bool read_frame(struct build *b, const struct item *items, uint32_t n, lr_state p)
{
	begin(b);
	for (uint32_t i = 0; i < n; i++) {
		struct item x = items[i];
		if (x.kind == UINT32_MAX) continue;
		if (item_pop(b, &x) > 0) {
			item_skip(b, &x, 1);
			vec_push(&b->items, x);
		} else if (x.kind == ITEM_PARSE) {
			if (!lr_goto(b->lr, p, x.lhs)) return false;
			after_step(b, frames_resume(b->lr, &b->scratch, p, x.lhs, x.terminal), x.terminal, x.rest);
		} else {
			enum verdict v = viability_read(&b->viable, x.control, p, &b->controls);
			if (v == VIABLE_IMPOSSIBLE) return false;
			if (v == VIABLE_ALWAYS) vec_push(&b->allowed, x.tokens);
			if (v == VIABLE_DEPENDS) add_doubts(b, x.tokens);
		}
	}
	run_jobs(b);
	return true;
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
	VEC(struct item) items = {0};
	bool ok = true;
	while (b->queue.n && ok) {
		uint32_t node = vec_pop(&b->queue);
		b->nodes.at[node].queued = false;
		frames_below(b, node, below);
		uint32_t len;
		const struct item *stored = intern_get(&b->node_keys, node - 1, &len);
		vec_clear(&items);
		for (uint32_t i = 0; i < len / sizeof *stored; i++) vec_push(&items, stored[i]);
		for (lr_state p = bits_next(below, b->state_words, 0); p != UINT32_MAX;
		     p = bits_next(below, b->state_words, p + 1)) {
			if (bits_test(b->nodes.at[node].seen, p)) continue;
			bits_set(b->nodes.at[node].seen, p);
			if (!read_frame(b, items.at, items.n, p)) continue;
			uint32_t next = node_of(b, p);
			set_id tokens = tokensets_union(&b->out->sets, b->allowed.at, b->allowed.n);
			vec_push(&b->nodes.at[node].edges, ((struct table_edge){p, tokens, next}));
		}
		ok = within_limits(b, d);
	}
	vec_release(&items);
	free(below);
	return ok;
}

// --- Starts --------------------------------------------------------------------------------------------------------

// live[q * n_contexts + c]: lex_state q can be where a token ends, in a lexeme that started in context c.
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
			if (!to || live[(size_t)to * x->n_contexts + c]) continue;
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
	vec_release(&b->allowed);
	vec_release(&b->items);
	vec_release(&b->jobs);
	vec_release(&b->controls);
	viability_release(&b->viable);
	if (b->byte_walker.lexer) walker_release(&b->byte_walker);
	walker_release(&b->whole);
	intern_release(&b->node_keys);
	arena_release(&b->scratch);
	arena_release(a);
}

static bool language_has_a_text(struct build *b, struct diag *d)
{
	const struct frame *bottom = frames_push(&b->scratch, NULL, LR_BOTTOM);
	if (viability_ask(&b->viable, b->lexer->initial, bottom, &b->controls) == VIABLE_ALWAYS) return true;
	diag_error(d, (struct loc){0}, "no text is in this language: every attempt ends where nothing can finish it");
	diag_note(d, (struct loc){0},
	          "terminals that must be neighbours may be impossible to tell apart (NAME followed by \"x\" is one longer "
	          "NAME), or the vocabulary cannot spell what the grammar needs");
	return false;
}

bool tables_build(const struct lexer *lexer, const struct lr *lr, const struct vocab *vocab, struct diag *d,
                  struct tables *out)
{
	struct arena a = {0};
	struct build b = {.lexer = lexer, .lr = lr, .vocab = vocab, .out = out, .state_words = BITS_WORDS(lr->n_states)};
	*out = (struct tables){0};
	tokensets_init(&out->sets);
	walker_init(&b.whole, lexer, &vocab->trie, &out->sets);
	bool by_bytes = can_spell_all(&b);
	if (by_bytes) {
		make_byte_trie(&b, &a);
		walker_init(&b.byte_walker, lexer, &b.bytes, NULL);
	}
	viability_init(&b.viable, lr, lexer, by_bytes ? &b.byte_walker : &b.whole, by_bytes);
	struct rank_range end = {vocab->n_ranks, vocab->n_ranks + 1};
	b.end_set = tokensets_add(&out->sets, &end, 1);
	vec_push(&b.nodes, (struct raw_node){0});
	bool ok = language_has_a_text(&b, d);
	ok = ok && build_starts(&b, d) && close_nodes(&b, d);
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
	free(t->rank_in_context);
	vec_release(&t->starts);
	vec_release(&t->nodes);
	vec_release(&t->edges);
	*t = (struct tables){0};
}
