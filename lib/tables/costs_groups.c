// What tokens do, in groups that cost the same: for masks under a budget.
//
// In:  the walker over the vocabulary, rows, where tokens end. Out: struct cost_groups.
// Tokens of one outcome that end in lex_states with one row are one group: they cost the same on every stack. The
// runtime prices each group once, where it ends, and goes on over cuts as the parser says. Cost: linear in the
// outcomes.
#include "costs.h"
#include "indent.h"

#include "../../formats/artifact.h"
#include "../base/sort_records.h"

struct reached {
	remainder_id remainder;
	uint32_t context;
};

// Cuts of a way that lead to something more in some context: places in its outcomes.
struct cuts_left {
	uint32_t first, n;  // in `open`
};

struct groups_builder {
	struct costs *c;
	const struct lr *lr;
	struct walker *w;
	struct map64 remainder_of;     // walker's remainder -> number
	VEC(remainder_id) remainders;  // [number]
	struct intern outcomes;
	VEC(uint32_t) key;
	VEC(struct cost_stay) stays;
	VEC(struct cost_cut) cuts;
	VEC(set_id) sets;
	uint32_t *stay_of;           // [row, then no row] the stay of one outcome, or UINT32_MAX
	VEC(uint32_t) behind, last;  // [of its stays] the next one with that row; [stay] the last one
	struct intern known;         // lex_state, remainder: those of `ways`
	VEC(struct cuts_left) left;  // [known]
	VEC(uint32_t) open;          // their cuts
	struct intern reached;       // struct reached
	struct map64 followed;       // terminal, remainder: all contexts behind the terminal have been reached
	VEC(struct reached) todo;
	uint32_t context_words;
	bits *after, *skipped;  // [terminal * context_words] contexts that it leads to; in which it is ignored
	bool *is_skipped;       // [terminal] in some context
	lex_state *like;        // [n_lex_states] one whose tokens cost the same, mostly itself
};

static uint32_t remainder_number(struct groups_builder *b, remainder_id remainder)
{
	uint64_t known = map64_get(&b->remainder_of, remainder);
	if (known != MAP64_NONE) return (uint32_t)known;
	map64_put(&b->remainder_of, remainder, b->remainders.n);
	vec_push(&b->remainders, remainder);
	vec_push(&b->c->groups.obligation, remainder == REMAINDER_WHOLE ? 0 : walker_obligation(b->w, remainder));
	return b->remainders.n - 1;
}

// Can a lexeme begin with this node's byte behind this obligation, in some context?
static bool can_begin(const struct groups_builder *b, uint32_t obligation, trie_node node)
{
	const struct lexer *x = b->c->rows.lexer;
	for (uint32_t k = 0; k < x->n_contexts; k++) {
		lex_state q = x->start[(size_t)obligation * x->n_contexts + k];
		if (q != LEX_DEAD && lexer_next(x, q, b->w->trie->byte[node]) & LEX_STATE_MASK) return true;
	}
	return false;
}

// What can go on. A newline that is cut before another one mostly cannot: it would have been longer.
static set_id tokens_of(struct groups_builder *b, remainder_id remainder)
{
	uint32_t n;
	const trie_node *nodes = walker_nodes(b->w, remainder, &n);
	const struct trie *trie = b->w->trie;
	rank_ranges ranges = {0};
	for (uint32_t i = 0; i < n; i++)
		if (can_begin(b, walker_obligation(b->w, remainder), nodes[i]))
			vec_push(&ranges, ((struct rank_range){trie->rank[nodes[i]], trie->rank[trie->end[nodes[i]]]}));
	set_id s = ranges.n ? tokensets_add(b->w->sets, ranges.at, ranges.n) : SET_EMPTY;
	vec_release(&ranges);
	return s;
}

static row_id row_of(const struct groups_builder *b, lex_state q)
{
	return b->c->rows.lexer->info[q].flags & LEX_LINE ? COSTS_NONE : b->c->rows.of_state[q];
}

static int compare_stay(const void *a, const void *b)
{
	const struct cost_stay *x = a, *y = b;
	return (x->row > y->row) - (x->row < y->row);
}
SORT_RECORDS(sort_stays, struct cost_stay, compare_stay)

static uint32_t *stay_of_row(const struct groups_builder *b, row_id row)
{
	return &b->stay_of[row == COSTS_NONE ? b->c->rows.rows.entries.n : row];
}

// b->stays := the stays, those of one row united, in the order in which rows first come.
static void unite_stays(struct groups_builder *b, struct outcomes o)
{
	vec_clear(&b->stays), vec_clear(&b->behind), vec_clear(&b->last);
	for (uint32_t i = 0; i < o.n_stays; i++) {
		const row_id row = row_of(b, outcomes_to(&o, i));
		const uint32_t k = *stay_of_row(b, row);
		if (k == UINT32_MAX) {
			*stay_of_row(b, row) = b->stays.n;
			vec_push(&b->stays, ((struct cost_stay){row, i}));  // the first, until they are united
			vec_push(&b->last, i);
		} else {
			b->behind.at[b->last.at[k]] = i;
			b->last.at[k] = i;
		}
		vec_push(&b->behind, UINT32_MAX);
	}
	for (uint32_t k = 0; k < b->stays.n; k++) {
		vec_clear(&b->sets);
		for (uint32_t i = b->stays.at[k].tokens; i != UINT32_MAX; i = b->behind.at[i])
			vec_push(&b->sets, o.stays[i].tokens);
		b->stays.at[k].tokens = tokensets_union(b->w->sets, b->sets.at, b->sets.n);
		*stay_of_row(b, b->stays.at[k].row) = UINT32_MAX;
	}
}

// The outcome's number; equal ones are one.
static uint32_t add_outcome(struct groups_builder *b, struct outcomes o)
{
	struct cost_groups *g = &b->c->groups;
	vec_clear(&b->cuts), vec_clear(&b->key);
	unite_stays(b, o);
	for (uint32_t i = 0; i < o.n_cuts; i++) {
		remainder_id remainder = o.cuts[i].remainder;
		set_id tried = walker_is_line(b->w, remainder) ? tokens_of(b, remainder) : SET_EMPTY;
		if (walker_is_line(b->w, remainder) && tried == SET_EMPTY) continue;
		vec_push(&b->cuts, ((struct cost_cut){o.cuts[i].terminal, remainder_number(b, remainder), tried}));
	}
	sort_stays(b->stays.at, b->stays.n);
	vec_push(&b->key, b->stays.n);
	for (uint32_t i = 0; i < b->stays.n; i++) {
		vec_push(&b->key, b->stays.at[i].row);
		vec_push(&b->key, b->stays.at[i].tokens);
	}
	for (uint32_t i = 0; i < b->cuts.n; i++) {
		vec_push(&b->key, b->cuts.at[i].terminal);
		vec_push(&b->key, b->cuts.at[i].remainder);
	}
	bool is_new;
	uint32_t k = intern_add(&b->outcomes, b->key.at, b->key.n * sizeof *b->key.at, &is_new);
	if (!is_new) return k;
	vec_push(&g->outcomes, ((struct cost_outcome){g->stays.n, b->stays.n, g->cuts.n, b->cuts.n}));
	for (uint32_t i = 0; i < b->stays.n; i++) vec_push(&g->stays, b->stays.at[i]);
	for (uint32_t i = 0; i < b->cuts.n; i++) vec_push(&g->cuts, b->cuts.at[i]);
	return k;
}

static int compare_way(const void *a, const void *b)
{
	const struct cost_way *x = a, *y = b;
	if (x->from != y->from) return x->from < y->from ? -1 : 1;
	return (x->remainder > y->remainder) - (x->remainder < y->remainder);
}
SORT_RECORDS(sort_ways, struct cost_way, compare_way)

// A remainder that a terminal leaves in a context.
static void reach(struct groups_builder *b, remainder_id remainder, uint32_t context)
{
	bool is_new;
	intern_add(&b->reached, (uint32_t[]){remainder, context}, 8, &is_new);
	if (is_new) vec_push(&b->todo, ((struct reached){remainder, context}));
}

// All contexts that follow where a terminal cuts, once for each remainder that it leaves.
static void follow(struct groups_builder *b, struct outcome_cut cut)
{
	const terminal_id t = cut.terminal;
	const bits *after = b->after + (size_t)t * b->context_words;
	for (uint32_t c = bits_next(after, b->context_words, 0); c != UINT32_MAX;
	     c = bits_next(after, b->context_words, c + 1))
		reach(b, cut.remainder, c);
	const struct indentation *columns = b->c->rows.lexer->indentation;
	for (uint32_t k = 0; columns && t == columns->newline && k < 2; k++) {  // which its column makes
		const bits *made = b->after + (size_t)(k ? columns->indent : columns->dedent) * b->context_words;
		for (uint32_t c = bits_next(made, b->context_words, 0); c != UINT32_MAX;
		     c = bits_next(made, b->context_words, c + 1))
			reach(b, cut.remainder, c);
	}
}

// Where a cut leads in this context. False: nowhere that is not reached yet, in any context.
static bool add_cut(struct groups_builder *b, struct outcome_cut cut, uint32_t context)
{
	const terminal_id t = cut.terminal;
	const bool is_ignored = b->c->rows.lexer->is_ignored[t];
	if (is_ignored || bits_test(b->skipped + (size_t)t * b->context_words, context)) reach(b, cut.remainder, context);
	if (is_ignored) return true;
	const uint64_t key = (uint64_t)t << 32 | cut.remainder;
	if (map64_get(&b->followed, key) != MAP64_NONE) return b->is_skipped[t];
	if (!bits_test(b->lr->context + (size_t)context * b->lr->context_words, t)) return true;
	map64_put(&b->followed, key, 1);
	follow(b, cut);
	return b->is_skipped[t];
}

// What the tokens of (q, remainder) do, q being in this context.
static void add_way(struct groups_builder *b, lex_state q, remainder_id remainder, uint32_t context)
{
	struct outcomes o = walker_outcomes(b->w, remainder == REMAINDER_WHOLE ? b->like[q] : q, remainder);
	bool is_new;
	const uint32_t known = intern_add(&b->known, (uint32_t[]){q, remainder}, 8, &is_new);
	if (is_new) {
		uint32_t number = remainder_number(b, remainder), outcome = add_outcome(b, o);
		vec_push(&b->c->groups.ways, ((struct cost_way){q, number, outcome}));
		vec_push(&b->left, ((struct cuts_left){b->open.n, o.n_cuts}));
		for (uint32_t i = 0; i < o.n_cuts; i++) vec_push(&b->open, i);
	}
	struct cuts_left *left = &b->left.at[known];
	uint32_t *open = b->open.at + left->first, n = 0;
	for (uint32_t i = 0; i < left->n; i++) {
		open[n] = open[i];
		n += add_cut(b, o.cuts[open[i]], context);
	}
	left->n = n;
}

// Which contexts a terminal leads to, and where it is ignored.
static void find_after(struct groups_builder *b)
{
	const struct lr *lr = b->lr;
	b->context_words = BITS_WORDS(lr->n_contexts);
	b->after = mem_calloc((size_t)lr->n_terminals * b->context_words + 1, sizeof *b->after);
	b->skipped = mem_calloc((size_t)lr->n_terminals * b->context_words + 1, sizeof *b->skipped);
	b->is_skipped = mem_calloc(lr->n_terminals + 1, sizeof *b->is_skipped);
	for (terminal_id t = 0; t < lr->n_terminals; t++)
		for (uint32_t i = lr->step_at[t]; i < lr->step_at[t + 1]; i++) {
			const struct lr_step x = lr->step[i];
			if (x.action == ACTION_SKIP)
				b->is_skipped[t] = true, bits_set(b->skipped + (size_t)t * b->context_words, lr->context_of[x.from]);
			else
				bits_set(b->after + (size_t)t * b->context_words, lr->context_of[x.action / 2]);
		}
}

// What goes on behind a pending newline and blanks, on all tops that their column can make.
static void reach_lines(struct groups_builder *b)
{
	const struct lexer *x = b->c->rows.lexer;
	struct line_tables out = {0};
	struct lines l;
	lines_build(x, b->lr, b->w, &out, &l);
	for (uint32_t i = 0; i < l.remainders.n; i++) {
		remainder_id remainder = l.remainders.at[i];
		vec_push(&b->c->groups.line_remainders, remainder_number(b, remainder));
		for (uint32_t k = 0; k < l.tops.n; k++)
			if (lines_use(&l, i % out.rows.n, k)) reach(b, remainder, b->lr->context_of[l.tops.at[k]]);
	}
	lines_release(&l);
	free(out.state_of);
	free(out.top_of);
	vec_release(&out.rows);
}

// Has q the row of the first of those that share its starts, and has each state that tokens stay in?
static bool is_like(const struct groups_builder *b, lex_state q, lex_state first)
{
	const row_id *row = b->c->rows.of_state;
	const struct outcomes o = walker_outcomes(b->w, q, REMAINDER_WHOLE);
	bool like = row[q] == row[first];
	for (uint32_t i = 0; i < o.n_stays && like; i++) like = row[outcomes_to(&o, i)] == row[first];
	return like;
}

// Where lexer states share their starts (shared_starts.c) and cost the same, tokens do the same. In aligned models they
// do: only whole tokens behind the lexeme count.
static void find_like(struct groups_builder *b, const struct shared_starts *shared)
{
	const uint32_t n_states = b->c->rows.lexer->n_states;
	b->like = mem_alloc(n_states * sizeof *b->like);
	for (lex_state q = 0; q < n_states; q++) b->like[q] = q;
	for (uint32_t g = 0, n; shared && g < shared->first_member.n; g++) {
		const lex_state *q = shared_starts_group(shared, g, &n);
		bool alike = true;
		for (uint32_t i = 0; i < n && alike; i++) alike = is_like(b, q[i], q[0]);
		for (uint32_t i = 1; i < n && alike; i++) b->like[q[i]] = q[0];
	}
}

void cost_groups_build(struct costs *c, const struct cost_inputs *in, struct walker *w)
{
	const struct lr *lr = in->lr;
	const struct live_pairs *live = in->live;
	struct groups_builder b = {.c = c, .lr = lr, .w = w};
	const struct lexer *x = c->rows.lexer;
	find_like(&b, in->shared);
	b.stay_of = mem_alloc((c->rows.rows.entries.n + 1ull) * sizeof *b.stay_of);
	memset(b.stay_of, 0xff, (c->rows.rows.entries.n + 1ull) * sizeof *b.stay_of);
	remainder_number(&b, REMAINDER_WHOLE);
	find_after(&b);
	for (lex_state q = 1; q < x->n_states; q++)
		for (uint32_t i = live->at[q]; i < live->at[q + 1]; i++)
			add_way(&b, q, REMAINDER_WHOLE, live->pair.at[i].context);
	reach_lines(&b);
	while (b.todo.n) {
		struct reached r = vec_pop(&b.todo);
		lex_state q = x->start[(size_t)walker_obligation(w, r.remainder) * x->n_contexts + r.context];
		if (q != LEX_DEAD) add_way(&b, q, r.remainder, r.context);
	}
	sort_ways(c->groups.ways.at, c->groups.ways.n);
	cost_groups_bound(c, lr, w->trie);
	map64_release(&b.remainder_of);
	intern_release(&b.outcomes);
	intern_release(&b.known);
	intern_release(&b.reached);
	map64_release(&b.followed);
	vec_release(&b.todo);
	free(b.after);
	free(b.skipped);
	free(b.is_skipped);
	free(b.like);
	vec_release(&b.left);
	vec_release(&b.open);
	vec_release(&b.remainders);
	vec_release(&b.key);
	vec_release(&b.stays);
	vec_release(&b.cuts);
	vec_release(&b.sets);
	free(b.stay_of);
	vec_release(&b.behind);
	vec_release(&b.last);
}

void cost_groups_drop(struct cost_groups *g)
{
	g->obligation.n = 1;
	vec_clear(&g->ways), vec_clear(&g->outcomes), vec_clear(&g->stays), vec_clear(&g->cuts);
}

void cost_groups_release(struct cost_groups *g)
{
	vec_release(&g->obligation);
	vec_release(&g->line_remainders);
	vec_release(&g->ways);
	vec_release(&g->outcomes);
	vec_release(&g->stays);
	vec_release(&g->cuts);
	free(g->most);
	free(g->dearest);
	*g = (struct cost_groups){0};
}
