// The tables of a grammar: who builds what, on how many threads.
//
// In:  lexer, LR tables, vocabulary. Out: struct tables (tables.h).
// 1. Starts: one for each lex_state and each top whose context lets it be there, and for lines (indent.h).
// 2. Nodes: what the starts leave open, closed (automaton.c).
// 3. Joined and made small (automaton_join.c, automaton_finish.c).
// lex_states are shared out among builders, neighbours to one builder as far as possible: they ask much the same. The
// edges of a node are made by one of them (automaton_claims.c); what else two builders need is computed twice.
// Prices of tokens need nothing of the tables: of several threads the last one makes them first. The result does not
// depend on who built what.
#include "../shared/control.h"
#include "tables.h"

#include <pthread.h>

#include "../../formats/artifact.h"
#include "../base/parallel.h"
#include "../base/sort.h"
#include "../base/trace.h"
#include "automaton.h"

struct build {
	const struct lexer *lexer;
	const struct lr *lr;
	const struct vocab *vocab;
	const struct trie *bytes;  // of single bytes, where these decide viability; or NULL
	struct tables *out;
	uint32_t *tops, *top_at;  // lr_states that rest, by context: tops[top_at[c] .. top_at[c + 1])
	struct lines lines;       // newlines that decide columns
	uint32_t n_builders;
	struct builder *builder;
	struct goto_columns go_by_lhs;
	struct tokensets *sets;           // [builder]; the first one's are out->sets
	uint32_t *owner;                  // [lex_state] builder
	VEC(struct walker) walkers;       // those of the builders that are gone, for costs
	VEC(struct walker_source) known;  // what they know
	struct claims *claims;            // or NULL: one builder
	VEC(lent_nodes) lent;             // [builder]
	VEC(uint32_t *) node_to;          // [builder] what its nodes are in the first one
	pthread_mutex_t lock;             // of what follows
	struct {
		lex_state next, end;
	} share[PARALLEL_MAX_THREADS];  // [builder] lex_states still to be built
	bool too_large, is_schema;
	enum cost_model costs;
	struct cost_inputs priced;
};

// --- Starts --------------------------------------------------------------------------------------------------------

static void sort_tops(struct build *b)
{
	const struct lr *lr = b->lr;
	uint32_t *at = b->top_at = mem_calloc(lr->n_contexts + 1, sizeof *at);
	uint32_t *n = b->out->rank_in_context = mem_calloc(lr->n_states, sizeof *n);
	b->tops = mem_calloc(lr->n_states, sizeof *b->tops);
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++)
		if (lr->between_lexemes[s]) n[s] = at[lr->context_of[s] + 1]++;
	for (uint32_t c = 0; c < lr->n_contexts; c++) at[c + 1] += at[c];
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++)
		if (lr->between_lexemes[s]) b->tops[at[lr->context_of[s]] + n[s]] = s;
}

static bool has_own_starts(const struct tables *t, lex_state q) { return shared_starts_of(&t->shared, q) == q; }

// Makes room for all starts, so that builders can write them in any order. False when there are too many.
static bool place_starts(struct build *b, struct diag *d)
{
	struct tables *t = b->out;
	const struct live_pairs *live = &t->live;
	uint64_t n = 0;
	for (lex_state q = 0; q < b->lexer->n_states; q++)
		for (uint32_t i = live->at[q]; i < live->at[q + 1] && has_own_starts(t, q); i++) {
			struct live_pair *pair = &live->pair.at[i];
			pair->start = (uint32_t)n;  // cut off only where it is refused below
			n += b->top_at[pair->context + 1] - b->top_at[pair->context];
		}
	for (lex_state q = 0; q < b->lexer->n_states; q++)
		for (uint32_t i = live->at[q]; i < live->at[q + 1] && !has_own_starts(t, q); i++)
			live->pair.at[i].start = live_pairs_start(live, shared_starts_of(&t->shared, q), live->pair.at[i].context);
	t->lines.first_start = (uint32_t)n;
	n += (uint64_t)t->lines.n_states * t->lines.rows.n * t->lines.n_tops;
	if (n > TABLES_MAX_STARTS) {
		diag_error(d, (struct loc){0},
		           "the grammar gives tables that are too large: %llu pairs of a lexer state and a parser state "
		           "(limit TABLES_MAX_STARTS, %u)",
		           (unsigned long long)n, TABLES_MAX_STARTS);
		return false;
	}
	vec_fit(&t->starts, n);
	t->starts.n = (uint32_t)n;
	memset(t->starts.at, 0, n * sizeof *t->starts.at);
	return true;
}

// lex_states that are of one kind in a context have the same starts there.
static void find_starts(struct build *b, struct builder *w, lex_state q, struct live_pair here)
{
	const uint32_t c = here.context, n = b->top_at[c + 1] - b->top_at[c], base = here.start;
	struct table_start *starts = b->out->starts.at + base;
	if (n == 1 && w->reads_below) {
		*starts = builder_start_on(w, q, b->tops[b->top_at[c]]);
		return;
	}
	uint32_t kind = summaries_kind(&w->summaries, q, c);
	while (w->starts_of_kind.n <= kind) vec_push(&w->starts_of_kind, LIVE_NO_START);
	if (w->starts_of_kind.at[kind] != LIVE_NO_START) {
		memcpy(starts, b->out->starts.at + w->starts_of_kind.at[kind], n * sizeof *starts);
		return;
	}
	w->starts_of_kind.at[kind] = base;
	for (uint32_t i = b->top_at[c]; i < b->top_at[c + 1]; i++) *starts++ = builder_start_on(w, q, b->tops[i]);
}

static void build_starts_of(struct build *b, struct builder *w, lex_state q)
{
	const struct live_pairs *live = &b->out->live;
	for (uint32_t i = live->at[q]; i < live->at[q + 1]; i++) find_starts(b, w, q, live->pair.at[i]);
}

// By the first builder. Rows that no top uses stay empty; so do those that nothing follows. The text can end right
// behind the newline.
static void build_lines(struct build *b)
{
	struct builder *w = &b->builder[0];
	const struct line_tables *t = &b->out->lines;
	const struct lines *l = &b->lines;
	struct table_start *start = b->out->starts.at + t->first_start;
	for (uint32_t i = 0; i < t->n_states; i++)
		for (uint32_t r = 0; r < t->rows.n; r++)
			for (uint32_t k = 0; k < t->n_tops; k++, start++) {
				bool or_end = t->rows.at[r].kind != ARTIFACT_BLANK_TAB && t->rows.at[r].spaces == 0;
				if (!lines_use(l, r, k)) continue;
				struct summary x =
					summaries_line(&w->summaries, l->remainders.at[i * t->rows.n + r], or_end, l->tops.at[k]);
				*start = builder_start(w, x, l->tops.at[k]);
			}
}

// --- Sharing out ---------------------------------------------------------------------------------------------------

// The next lex_state for builder i: of its own share, then the last one of the largest that is left. LEX_DEAD: none.
static lex_state claim(struct build *b, uint32_t i)
{
	pthread_mutex_lock(&b->lock);
	lex_state q = LEX_DEAD;
	uint32_t most = i;
	for (uint32_t k = 0; k < b->n_builders && b->share[i].next == b->share[i].end; k++)
		if (b->share[k].end - b->share[k].next > b->share[most].end - b->share[most].next) most = k;
	if (b->too_large || b->share[most].next == b->share[most].end)
		q = LEX_DEAD;
	else if (most == i)
		q = b->share[i].next++;
	else
		q = --b->share[most].end;
	pthread_mutex_unlock(&b->lock);
	return q;
}

#define TRIM_FROM 10000u  // nodes: what built them takes some hundred MB then
#define CLOSE_EVERY 64u   // lex_states: nodes are closed now and then, so that no builder has them all to do at the end

// Each in its own thread, behind the first one.
static void start_builder(struct build *b, uint32_t i)
{
	struct builder *w = &b->builder[i];
	builder_init(w, b->lexer, b->lr, b->vocab, b->bytes, i ? &b->sets[i] : &b->out->sets);
	w->reads_below = builder_may_read_below(w, b->is_schema);
	// The ways to end decide whether a state is hopeless, or safe, and where it is viable. Prices need more.
	if (b->costs == COSTS_OFF && b->bytes && !b->lexer->indentation) walker_merge_stays(&w->whole, w->viable.alike);
	w->claims = b->claims, w->number = i;
	w->summaries.blank_path = b->lines.blank_path;
	w->summaries.go_by_lhs = &b->go_by_lhs;
}

// Prices of tokens: they need nothing of the tables.
static void price(struct build *b)
{
	const double begin = trace_thread_clock();
	costs_build(b->costs, &b->priced, &b->out->costs);
	b->out->costs_seconds = trace_thread_clock() - begin;
}

// The last one of several prices tokens first.
static void run_builder(void *context, uint32_t i)
{
	struct build *b = context;
	struct builder *w = &b->builder[i];
	uint32_t n = 0;
	bool ok = true;
	if (i && i + 1 == b->n_builders) price(b);
	if (i) start_builder(b, i);
	builder_begin(w);
	if (i == 0) build_lines(b);
	for (lex_state q; ok && (q = claim(b, i)) != LEX_DEAD;) {
		if (!has_own_starts(b->out, q)) continue;
		b->owner[q] = i;
		build_starts_of(b, w, q);
		if (++n % CLOSE_EVERY == 0) ok = builder_close(w);
	}
	ok = ok && builder_end(w);
	if (!ok) builder_stop_all(w);
	summaries_forget(&w->summaries);
	pthread_mutex_lock(&b->lock);
	b->too_large |= !ok;
	pthread_mutex_unlock(&b->lock);
}

// Its walks are kept, renamed by set_to, which it takes over.
static void release_builder(struct build *b, struct builder *w, set_id *set_to)
{
	vec_push(&b->walkers, w->whole);
	vec_push(&b->known, ((struct walker_source){.set_to = set_to}));
	w->whole = (struct walker){0};
	builder_release(w);
}

// What a builder's node is in the first one.
static uint32_t joined_node(const struct build *b, uint32_t builder, uint32_t node)
{
	return b->node_to.at[builder] ? b->node_to.at[builder][node] : node;
}

// Is each lent node the one that it was taken for?
static void check_lent(struct build *b)
{
	for (uint32_t i = 0; i < b->lent.n; i++)
		for (uint32_t k = 0; k < b->lent.at[i].n; k++) {
			const struct lent_node *x = &b->lent.at[i].at[k];
			ASSERT(joined_node(b, i, x->node) == joined_node(b, x->builder, x->there));
		}
}

static void keep_lent(struct build *b, struct builder *w, uint32_t *node_to)
{
	vec_push(&b->lent, w->lent);
	vec_push(&b->node_to, node_to);
	w->lent = (lent_nodes){0};
}

static void join_builders(struct build *b)
{
	const struct live_pairs *live = &b->out->live;
	keep_lent(b, &b->builder[0], NULL);
	for (uint32_t i = 1; i < b->n_builders; i++) {
		struct builder *from = &b->builder[i];
		set_id *set_to = mem_calloc(from->sets->sets.entries.n, sizeof *set_to);
		uint32_t *node_to = mem_calloc(from->nodes.n, sizeof *node_to);
		automaton_join(&b->builder[0], from, set_to, node_to);
		for (lex_state q = 1; q < b->lexer->n_states; q++)
			for (uint32_t at = live->at[q]; at < live->at[q + 1] && b->owner[q] == i; at++) {
				const uint32_t c = live->pair.at[at].context;
				struct table_start *starts = b->out->starts.at + live->pair.at[at].start;
				for (uint32_t k = 0; k < b->top_at[c + 1] - b->top_at[c]; k++) {
					starts[k].tokens = set_to[starts[k].tokens];
					starts[k].node = node_to[starts[k].node];
				}
			}
		keep_lent(b, from, node_to);
		release_builder(b, from, set_to);
		tokensets_release(from->sets);
	}
	check_lent(b);
	b->n_builders = 1;
}

// --- The trie of single bytes ----------------------------------------------------------------------------------------

static const uint8_t *all_bytes(struct arena *a)
{
	uint8_t *b = arena_alloc(a, 257);
	for (int i = 0; i < 256; i++) b[i + 1] = (uint8_t)i;
	return b;
}

static uint32_t next_by_class(const struct lexer *x, lex_state q, uint32_t class)
{
	return x->next[(size_t)q * x->n_classes + class] & LEX_STATE_MASK;
}

// States in the middle of a control token's spelling, which nothing but control tokens leads to.
static bits *states_inside_control(const struct lexer *x)
{
	const uint32_t words = BITS_WORDS(x->n_states) + 1;
	bits *inside = mem_calloc(words, sizeof *inside), *last = mem_calloc(words, sizeof *last);
	for (lex_state q = 1; q < x->n_states; q++) bits_set(last, next_by_class(x, q, x->class_of[CONTROL_MARK]));
	bits_reset(last, LEX_DEAD);
	for (uint32_t n = 1; n < CONTROL_LEN && bits_count(last, words); n++) {
		bits *now = mem_calloc(words, sizeof *now);
		for (lex_state q = 1; q < x->n_states; q++)
			for (uint32_t c = 0; c < x->n_classes && bits_test(last, q); c++) bits_set(now, next_by_class(x, q, c));
		bits_reset(now, LEX_DEAD);
		for (uint32_t i = 0; i < words; i++) inside[i] |= last[i];
		free(last);
		last = now;
	}
	free(last);
	return inside;
}

// Can the vocabulary spell every byte that the lexer reads? Then single bytes decide viability. Control tokens are
// spelled whole: each that the lexer reads is in the vocabulary, and no token ends inside its spelling.
static bool can_spell_all(const struct lexer *x, const struct trie *t)
{
	bool has[256] = {0}, wants[256] = {0};
	bits *inside = states_inside_control(x);
	for (trie_node n = 1; n < t->n_nodes; n = t->end[n])
		has[t->byte[n]] = t->rank[n] != t->rank[n + 1] || t->byte[n] == CONTROL_MARK;
	for (int byte = 0; byte < 256; byte++)
		for (lex_state q = 1; q < x->n_states && !wants[byte]; q++)
			wants[byte] = !bits_test(inside, q) && (lexer_next(x, q, (uint8_t)byte) & LEX_STATE_MASK) != 0;
	free(inside);
	for (int byte = 0; byte < 256; byte++)
		if (wants[byte] && !has[byte]) return false;
	return true;
}

static struct trie byte_trie(struct arena *a)
{
	uint32_t *end = arena_array(a, 257, sizeof *end), *rank = arena_array(a, 258, sizeof *rank);
	end[0] = 257;
	for (uint32_t i = 1; i <= 256; i++) end[i] = i + 1, rank[i] = i - 1;
	rank[257] = 256;
	struct trie t = {.n_nodes = 257, .byte = all_bytes(a), .end = end, .rank = rank};
	t.rows = trie_plain_rows(a, &t);
	return t;
}

// --------------------------------------------------------------------------------------------------------------------

static bool language_has_a_text(struct builder *b, struct diag *d)
{
	struct arena arena = {0};
	control_list controls = {0};
	const struct partial_frame *bottom = partial_stack_push(&arena, NULL, LR_BOTTOM);
	bool some = viability_decide(&b->viable, b->lexer->initial, bottom, &controls) == VIABLE_ALWAYS;
	vec_release(&controls);
	arena_release(&arena);
	if (some) return true;
	grammar_refuse_empty(d);
	return false;
}

static bool within_limits(const struct build *b, struct diag *d)
{
	const char *limit = NULL;
	const struct builder *w = b->builder;
	for (uint32_t i = 0; i < b->n_builders && !limit; i++) limit = builder_limit(w = &b->builder[i]);
	if (limit)
		diag_error(d, (struct loc){0},
		           "the grammar and the vocabulary give tables that are too large: %u nodes, %llu steps through tokens "
		           "(limit %s)",
		           w->nodes.n, (unsigned long long)w->whole.steps, limit);
	return !limit;
}

static void start_builders(struct build *b, uint32_t n)
{
	b->builder = mem_calloc(n, sizeof *b->builder), b->sets = mem_calloc(n, sizeof *b->sets);
	b->owner = mem_calloc(b->lexer->n_states, sizeof *b->owner);
	b->n_builders = n;
	if (n > 1) b->claims = claims_new(n);
	const uint32_t n_shares = n > 1 ? n - 1 : 1;  // the last builder has other work first, and takes from the others
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t all = b->lexer->n_states - 1;
		b->share[i].next = 1 + (lex_state)(all * (i < n_shares ? i : n_shares) / n_shares);
		b->share[i].end = 1 + (lex_state)(all * (i + 1 < n_shares ? i + 1 : n_shares) / n_shares);
	}
	goto_columns_init(&b->go_by_lhs, b->lr);
	start_builder(b, 0);
	lines_build(b->lexer, b->lr, &b->builder[0].whole, &b->out->lines, &b->lines);
	b->builder[0].summaries.blank_path = b->lines.blank_path;
}

static void release(struct build *b)
{
	for (uint32_t i = 0; i < b->n_builders; i++) {
		builder_release(&b->builder[i]);
		tokensets_release(&b->sets[i]);
	}
	for (uint32_t i = 0; i < b->walkers.n; i++) walker_release(&b->walkers.at[i]);
	for (uint32_t i = 0; i < b->known.n; i++) free((void *)b->known.at[i].set_to);
	for (uint32_t i = 0; i < b->node_to.n; i++) free(b->node_to.at[i]);
	for (uint32_t i = 0; i < b->lent.n; i++) vec_release(&b->lent.at[i]);
	vec_release(&b->node_to);
	vec_release(&b->lent);
	claims_free(b->claims);
	vec_release(&b->walkers);
	vec_release(&b->known);
	lines_release(&b->lines);
	goto_columns_release(&b->go_by_lhs);
	free(b->builder);
	free(b->sets);
	free(b->owner);
	free(b->tops);
	free(b->top_at);
	pthread_mutex_destroy(&b->lock);
}

// Nodes are merged and masks under budgets are prepared, beside each other: only the second one adds sets.
struct ending {
	struct build *b;
	raw_nodes *nodes;
};

static void end(void *context, uint32_t i)
{
	const struct ending *e = context;
	struct tables *out = e->b->out;
	const struct cost_inputs *in = &e->b->priced;
	if (i == 0) {
		automaton_merge(e->nodes, in->lr->n_states, out);
		return;
	}
	const double begin = trace_thread_clock();
	costs_build_groups(in, &out->sets, &out->costs);
	budget_steps_build(&out->costs, in->lr, &out->live, &out->sets, &out->budget_steps);
	out->costs_seconds += trace_thread_clock() - begin;
}

static bool is_start(const struct tables *t, const struct table_start *x)
{
	return x->node < t->nodes.n && x->tokens < t->sets.sets.entries.n;
}

// What the runtime's binary searches and walks rely on: numbers in range, the edges of a node ascending.
static bool is_well_formed(const struct tables *t)
{
	const uint32_t n_sets = t->sets.sets.entries.n;
	for (uint32_t i = 0; i < t->starts.n; i++)
		if (!is_start(t, &t->starts.at[i])) return false;
	for (uint32_t i = 1; i < t->nodes.n; i++) {
		const struct table_node *x = &t->nodes.at[i];
		if (x->next >= t->nodes.n || x->tokens >= n_sets) return false;
		if ((uint64_t)x->first_edge + x->n_edges > t->edges.n) return false;
		for (uint32_t k = x->first_edge; k < x->first_edge + x->n_edges; k++) {
			const struct table_edge *e = &t->edges.at[k];
			if (e->next >= t->nodes.n || (k > x->first_edge && e[-1].frame >= e->frame)) return false;
		}
	}
	return true;
}

// Branches: the phases of the build follow each other, with one thread or several, until one meets a limit.
bool tables_build(const struct lexer *lexer, const struct lr *lr, const struct vocab *vocab,
                  const struct tables_options *o, struct diag *d, struct tables *out)
{
	const uint32_t max_column = o->max_column;
	uint32_t n_threads = o->n_threads;
	*out = (struct tables){0};
	bool by_bytes = can_spell_all(lexer, &vocab->trie);
	if (lexer->indentation && !by_bytes) {
		diag_error(d, (struct loc){0},
		           "the vocabulary lacks tokens for single bytes that the grammar needs: with "
		           "indentation, every column must be possible to spell");
		return false;
	}
	struct arena a = {0};
	struct trie bytes = byte_trie(&a);
	struct build b = {.lexer = lexer,
	                  .lr = lr,
	                  .vocab = vocab,
	                  .bytes = by_bytes ? &bytes : NULL,
	                  .out = out,
	                  .costs = o->costs,
	                  .is_schema = o->is_schema,
	                  .lock = PTHREAD_MUTEX_INITIALIZER};
	if (n_threads > PARALLEL_MAX_THREADS) n_threads = PARALLEL_MAX_THREADS;
	if (lexer->n_states < CLOSE_EVERY || n_threads == 0) n_threads = 1;
	start_builders(&b, n_threads);
	bool ok = language_has_a_text(&b.builder[0], d);
	if (ok) {
		live_pairs_find(lexer, lr, &b.builder[0].viable, &out->live);
		sort_tops(&b);
		if (o->may_share && !lexer->indentation) builder_share_starts(&b.builder[0], &out->live, &out->shared);
		ok = place_starts(&b, d);
	}
	if (ok) {
		b.priced = (struct cost_inputs){.lexer = lexer,
		                                .lr = lr,
		                                .trie = &vocab->trie,
		                                .by_bytes = by_bytes,
		                                .joins = o->joins,
		                                .live = &out->live,
		                                .shared = &out->shared,
		                                .max_column = COSTS_MAX_COLUMN};
		if (max_column && max_column < COSTS_MAX_COLUMN) b.priced.max_column = max_column;
		parallel_run(n_threads, run_builder, &b);
		ok = within_limits(&b, d);
	}
	if (ok) {
		join_builders(&b);
		ok = within_limits(&b, d);
	}
	if (ok) {
		out->n_raw_nodes = b.builder[0].nodes.n;
		out->walk_steps = b.builder[0].whole.steps + b.builder[0].byte_walker.steps;
		raw_nodes nodes = b.builder[0].nodes;  // all else that builders know goes before it is made small
		memset(&b.builder[0].nodes, 0, sizeof nodes);
		release_builder(&b, &b.builder[0], NULL), b.n_builders = 0;
		if (nodes.n > TRIM_FROM) mem_trim();
		for (uint32_t i = 0; i < b.known.n; i++) b.known.at[i].walker = &b.walkers.at[i];
		b.priced.known = b.known.at, b.priced.n_known = b.known.n;
		if (n_threads == 1) price(&b);
		automaton_settle(&nodes, out);
		struct ending e = {&b, &nodes};
		if (n_threads > 1)
			parallel_run(2, end, &e);
		else
			end(&e, 0), end(&e, 1);
		ASSERT(is_well_formed(out));
		shared_starts_narrow(out, b.top_at);
	}
	release(&b);
	arena_release(&a);
	if (!ok) tables_release(out);
	return ok;
}

void tables_release(struct tables *t)
{
	tokensets_release(&t->sets);
	live_pairs_release(&t->live);
	free(t->lines.state_of);
	free(t->lines.top_of);
	vec_release(&t->lines.rows);
	free(t->rank_in_context);
	vec_release(&t->starts);
	shared_starts_release(&t->shared);
	vec_release(&t->nodes);
	vec_release(&t->edges);
	costs_release(&t->costs);
	budget_steps_release(&t->budget_steps);
	*t = (struct tables){0};
}
