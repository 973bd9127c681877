// How much dearer can a token make a text? So that masks far from the end of a budget need no pricing.
//
// In:  costs and their groups, LR tables. Out: groups.dearest, groups.most. A stack is never dearer than what pends
// plus the sum of its frames' dearest answers to goals (`dearest`): a chain of answers goes down, so it asks each frame
// once at most. What has an end of its own needs no step, and is no dearer than that end. `growth` is the most that a
// terminal adds to that sum: reductions take frames off and put one on, then the terminal's own comes. Longest paths
// over the cells (state, terminal) of the parser's table, from state to state along the reductions; a path that grows
// without end is "no bound". Tokens then add up what their terminals do, remainder by remainder, and what pends behind
// the last one. Where lines have columns each open one counts as a dedent that may come: an indent adds that, and
// dedents are free. Cost: reductions x the cells of the states that they lead to, again where these have grown; then
// linear in the outcomes.
#include "costs.h"
#include "../shared/search.h"

#define NEVER_MET (INT32_MIN / 4)
#define NO_BOUND COSTS_NONE
#define MAX_ROUNDS 200u  // of longest paths: one that still grows has no end

struct hop {
	lr_state to;
	int32_t more;
};  // a reduction leads to `to`, the sum being so much greater

struct reduction {
	lr_state from;
	uint32_t first, n_hops;        // hops
	uint32_t first_look, n_looks;  // lookaheads: cells of its state's row
	uint32_t done;                 // when what it leads to was last looked at
};

struct growth {
	const struct lr *lr;
	const uint32_t *goals;  // [lr_state]
	VEC(struct hop) hops;
	VEC(struct reduction) reductions;
	VEC(uint32_t) looks;  // indices into lr->action.cell
	int32_t *most;        // [cells of lr->action] the most that comes before the terminal's own frame, and with it
	uint32_t *grown;      // [lr_state] when a cell of its row last grew; times count from 1
	uint32_t now;
	int32_t *least;  // scratch, [lr_state]: the least sum of frames taken off, or -1
};

static uint32_t add(uint32_t a, uint32_t b) { return a == NO_BOUND || b == NO_BOUND ? NO_BOUND : a + b; }

// [lr_state] the dearest answer to a goal, or to a question of any kind.
static uint32_t *dearest_of_states(const struct costs *c, const struct lr *lr, const uint32_t *chosen, bool goals_only)
{
	uint32_t *most = mem_calloc(lr->n_states, sizeof *most);
	for (uint32_t i = 0; i < c->transitions.n; i++) {
		const struct cost_transition *a = &c->transitions.at[i];
		if (goals_only && a->control < c->n_resumes) continue;
		if (chosen[i] > most[a->state]) most[a->state] = chosen[i];
	}
	return most;
}

// Where s goes when production p is reduced, into g->hops: each state once, with the least that is taken off on the
// way.
static void add_hops(struct growth *g, lr_state s, struct lr_production p)
{
	const struct lr *lr = g->lr;
	VEC(lr_state) now = {0}, next = {0};
	VEC(int32_t) sum = {0};
	vec_push(&now, s);
	vec_push(&sum, 0);
	for (uint32_t k = 0; k < p.length; k++) {
		vec_clear(&next);
		for (uint32_t i = 0; i < now.n; i++)
			for (uint32_t j = lr->pred_at[now.at[i]]; j < lr->pred_at[now.at[i] + 1]; j++) {
				int32_t off = sum.at[i] + (int32_t)g->goals[now.at[i]], *least = &g->least[lr->pred[j]];
				if (*least < 0) vec_push(&next, lr->pred[j]);
				if (*least < 0 || off < *least) *least = off;
			}
		vec_clear(&now);
		vec_clear(&sum);
		for (uint32_t i = 0; i < next.n; i++) {
			vec_push(&now, next.at[i]);
			vec_push(&sum, g->least[next.at[i]]);
			g->least[next.at[i]] = -1;
		}
	}
	uint32_t first = g->hops.n;
	for (uint32_t i = 0; i < now.n; i++) {
		lr_state to = lr_goto(lr, now.at[i], p.lhs);
		if (!to) continue;
		int32_t more = (int32_t)g->goals[to] - sum.at[i];
		uint32_t k = first;
		while (k < g->hops.n && g->hops.at[k].to != to) k++;
		if (k == g->hops.n)
			vec_push(&g->hops, ((struct hop){to, more}));
		else if (more > g->hops.at[k].more)
			g->hops.at[k].more = more;
	}
	vec_release(&now);
	vec_release(&next);
	vec_release(&sum);
}

static void find_reductions(struct growth *g)
{
	const struct lr *lr = g->lr;
	VEC(uint32_t) done = {0};
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++) {
		vec_clear(&done);
		uint32_t n_cells, n, m;
		const struct lr_cell *cell = lr_row(&lr->action, s, &n_cells);
		for (uint32_t c = 0; c < n_cells && cell[c].by < lr->n_terminals; c++) {
			const uint32_t *a = lr_actions_of(lr, &cell[c].to, &n);
			for (uint32_t i = 0; i < n; i++) {
				if (a[i] == ACTION_SKIP || ACTION_IS_SHIFT(a[i])) continue;
				bool is_there = false;
				for (uint32_t k = 0; k < done.n && !is_there; k++) is_there = done.at[k] == a[i];
				if (is_there) continue;
				vec_push(&done, a[i]);
				struct reduction r = {.from = s, .first = g->hops.n, .first_look = g->looks.n};
				for (uint32_t u = c; u < n_cells && cell[u].by < lr->n_terminals; u++) {
					const uint32_t *b = lr_actions_of(lr, &cell[u].to, &m);
					for (uint32_t k = 0; k < m; k++)
						if (b[k] == a[i]) vec_push(&g->looks, (uint32_t)(cell + u - lr->action.cell));
				}
				add_hops(g, s, lr->production[a[i] / 2 - 1]);
				r.n_hops = g->hops.n - r.first, r.n_looks = g->looks.n - r.first_look;
				vec_push(&g->reductions, r);
			}
		}
	}
	vec_release(&done);
}

// What a reduction gives to its state; true: something grew.
static bool relax(struct growth *g, struct reduction *r, bits *grew)
{
	const struct lr_table *table = &g->lr->action;
	const struct lr_cell *cell = table->cell;
	const struct hop *hop = g->hops.at + r->first;
	const uint32_t *look = g->looks.at + r->first_look;
	bool any = false;
	const uint32_t done = r->done;
	r->done = g->now++;
	for (uint32_t k = 0; k < r->n_hops; k++) {
		if (g->grown[hop[k].to] <= done) continue;
		uint32_t there = table->at[hop[k].to];
		const uint32_t end = table->at[hop[k].to + 1];
		for (uint32_t i = 0; i < r->n_looks; i++) {  // both ascend by terminals
			const terminal_id t = cell[look[i]].by;
			while (there < end && cell[there].by < t) there++;
			if (there == end) break;
			if (cell[there].by != t || g->most[there] == NEVER_MET) continue;
			int32_t more = g->most[there] + hop[k].more;
			if (more <= g->most[look[i]]) continue;
			g->most[look[i]] = more;
			any = true;
			g->grown[r->from] = g->now;
			bits_set(grew, t);
		}
	}
	return any;
}

// What each cell adds by itself: a shift what `pushed` has of its frame, a terminal that is skipped what `skipped` has
// of the top (NULL: nothing); a reduction comes later.
static void begin_growth(struct growth *g, const uint32_t *pushed, const uint32_t *skipped)
{
	const struct lr *lr = g->lr;
	g->now = 1;
	for (lr_state s = 0; s < lr->n_states; s++) g->grown[s] = 1;
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++)
		for (uint32_t i = lr->action.at[s]; i < lr->action.at[s + 1]; i++) {
			uint32_t n;
			const uint32_t *a = lr_actions_of(lr, &lr->action.cell[i].to, &n);
			g->most[i] = NEVER_MET;
			for (uint32_t k = 0; k < n && lr->action.cell[i].by < lr->n_terminals; k++) {
				const bool is_shift = ACTION_IS_SHIFT(a[k]);
				if (!is_shift && a[k] != ACTION_SKIP) continue;
				const int32_t own = is_shift && pushed     ? (int32_t)pushed[a[k] / 2]
				                    : !is_shift && skipped ? (int32_t)skipped[s]
				                                           : 0;
				if (own > g->most[i]) g->most[i] = own;
			}
		}
	for (uint32_t i = 0; i < g->reductions.n; i++) g->reductions.at[i].done = 0;
}

// The most that each cell adds, what is pushed or skipped counted so. grew: terminals of which that has no end.
static void find_growth(struct growth *g, const uint32_t *pushed, const uint32_t *skipped, bits *grew)
{
	const uint32_t words = BITS_WORDS(g->lr->n_terminals);
	bool any = true;
	begin_growth(g, pushed, skipped);
	for (uint32_t round = 0; any && round < MAX_ROUNDS; round++) {
		any = false;
		memset(grew, 0, words * sizeof *grew);
		for (uint32_t i = g->reductions.n; i-- > 0;) any |= relax(g, &g->reductions.at[i], grew);
	}
	if (!any) memset(grew, 0, words * sizeof *grew);
}

// [terminal] the most that it adds, its own frame counted or not; at least 0.
static void find_terminals(struct growth *g, bool with_own, uint32_t *of_terminal)
{
	const struct lr *lr = g->lr;
	bits *grew = mem_calloc(BITS_WORDS(lr->n_terminals), sizeof *grew);
	find_growth(g, with_own ? g->goals : NULL, NULL, grew);
	for (uint32_t i = 0; i < lr->action.at[lr->n_states]; i++) {
		const terminal_id t = lr->action.cell[i].by;
		if (g->most[i] > 0 && (uint32_t)g->most[i] > of_terminal[t]) of_terminal[t] = (uint32_t)g->most[i];
	}
	for (terminal_id t = 0; t < lr->n_terminals; t++)
		if (bits_test(grew, t)) of_terminal[t] = NO_BOUND;
	free(grew);
}

// What is still needed when a lexeme of this row pends on a stack whose sum is known: its own tokens, what reductions
// before it add, and the first question.
static uint32_t most_of_row(const struct costs *c, row_id row, const uint32_t *before, uint32_t top)
{
	uint32_t n, most = 0;
	const struct cost_emit *e = cost_row(&c->rows, row, &n);
	for (uint32_t i = 0; i < n; i++) {
		bool stays = e[i].terminal == COSTS_NONE || e[i].terminal == c->rows.pending_line ||
		             c->rows.lexer->is_ignored[e[i].terminal];
		uint32_t x = add(e[i].weight + top, stays ? 0 : before[e[i].terminal]);
		if (x > most) most = x;
	}
	return most;
}

// ---- Tokens.
// A way with its bound; what follows a terminal with a remainder unread is the dearest of some ways.
struct tokens {
	const struct costs *c;
	const struct lr *lr;
	uint32_t context_words;
	bits *after;             // [terminal * context_words] contexts that it leads to, or leaves as they are
	struct map64 starts_of;  // terminal, obligation -> index into `starts`: number, then lex_states
	VEC(uint32_t) starts;
	struct map64 pair_of;       // terminal, remainder -> pair
	VEC(uint32_t) of_pair;      // [pair] the bound
	VEC(uint32_t) pair_ways;    // number, then outcomes of ways; one pair after the other
	VEC(uint32_t) pair_of_cut;  // [cut]
	uint32_t *of_outcome;       // [outcome] the bound of ways that have it
	uint32_t *of_cut;           // [cut] what its terminal adds
	const uint32_t *of_row, *own;
	uint32_t line;       // what a newline adds that decides columns, with what its column makes
	uint32_t line_stay;  // what is needed when one pends
};

static void find_after(struct tokens *x)
{
	const struct lr *lr = x->lr;
	x->context_words = BITS_WORDS(lr->n_contexts);
	x->after = mem_calloc((size_t)lr->n_terminals * x->context_words + 1, sizeof *x->after);
	for (terminal_id t = 0; t < lr->n_terminals; t++) {
		bits *row = x->after + (size_t)t * x->context_words;
		for (lr_state s = LR_BOTTOM; s < lr->n_states && x->c->rows.lexer->is_ignored[t]; s++)
			bits_set(row, lr->context_of[s]);
		for (uint32_t i = lr->step_at[t]; i < lr->step_at[t + 1]; i++) {
			const struct lr_step step = lr->step[i];
			bits_set(row, lr->context_of[step.action == ACTION_SKIP ? step.from : step.action / 2]);
		}
	}
}

// Behind a newline that decides columns there are dedents, or an indent, too.
static void add_line_contexts(struct tokens *x)
{
	const struct indentation *columns = x->c->rows.lexer->indentation;
	for (uint32_t w = 0; w < x->context_words && columns; w++) {
		bits *newline = x->after + (size_t)columns->newline * x->context_words + w;
		*newline |= x->after[(size_t)columns->indent * x->context_words + w] |
		            x->after[(size_t)columns->dedent * x->context_words + w];
	}
}

// Where lexing may begin behind a terminal with this obligation: its index in x->starts.
static uint32_t starts_of(struct tokens *x, terminal_id t, uint32_t obligation)
{
	uint64_t key = (uint64_t)t << 32 | obligation, known = map64_get(&x->starts_of, key);
	if (known != MAP64_NONE) return (uint32_t)known;
	const struct lexer *lexer = x->c->rows.lexer;
	const bits *after = x->after + (size_t)t * x->context_words;
	uint32_t at = x->starts.n;
	vec_push(&x->starts, 0);
	for (uint32_t k = bits_next(after, x->context_words, 0); k != UINT32_MAX;
	     k = bits_next(after, x->context_words, k + 1)) {
		lex_state q = lexer->start[(size_t)obligation * lexer->n_contexts + k];
		bool is_there = q == LEX_DEAD;
		for (uint32_t i = at + 1; i < x->starts.n && !is_there; i++) is_there = x->starts.at[i] == q;
		if (!is_there) vec_push(&x->starts, q);
	}
	x->starts.at[at] = x->starts.n - at - 1;
	map64_put(&x->starts_of, key, at);
	return at;
}

static uint32_t find_way(const struct cost_groups *g, lex_state q, uint32_t remainder)
{
	const struct cost_way *w = g->ways.at;
	uint32_t i;
	LOWER_BOUND(i, 0, g->ways.n, w[i].from < q || (w[i].from == q && w[i].remainder < remainder));
	return i < g->ways.n && w[i].from == q && w[i].remainder == remainder ? i : COSTS_NONE;
}

// The ways that each cut leads to.
static void find_pairs(struct tokens *x)
{
	const struct cost_groups *g = &x->c->groups;
	for (uint32_t i = 0; i < g->cuts.n; i++) {
		const struct cost_cut *cut = &g->cuts.at[i];
		uint64_t key = (uint64_t)cut->terminal << 32 | cut->remainder, known = map64_get(&x->pair_of, key);
		if (known != MAP64_NONE) {
			vec_push(&x->pair_of_cut, (uint32_t)known);
			continue;
		}
		uint32_t at = starts_of(x, cut->terminal, g->obligation.at[cut->remainder]), count = x->pair_ways.n;
		map64_put(&x->pair_of, key, x->of_pair.n);
		vec_push(&x->pair_of_cut, x->of_pair.n);
		vec_push(&x->of_pair, 0);
		vec_push(&x->pair_ways, 0);
		for (uint32_t k = 1; k <= x->starts.at[at]; k++) {
			uint32_t way = find_way(g, x->starts.at[at + k], cut->remainder);
			if (way == COSTS_NONE) continue;  // that context is not met there
			const uint32_t outcome = g->ways.at[way].outcome;
			bool is_there = false;
			for (uint32_t w = count + 1; w < x->pair_ways.n && !is_there; w++) is_there = x->pair_ways.at[w] == outcome;
			if (!is_there) vec_push(&x->pair_ways, outcome);
		}
		x->pair_ways.at[count] = x->pair_ways.n - count - 1;
	}
}

// What stays of outcomes say, and what the terminals of cuts add.
static void begin_spread(struct tokens *x)
{
	const struct indentation *columns = x->c->rows.lexer->indentation;
	const struct cost_groups *g = &x->c->groups;
	for (uint32_t i = 0; i < g->outcomes.n; i++) {
		const struct cost_outcome *o = &g->outcomes.at[i];
		for (uint32_t k = o->first_stay; k < o->first_stay + o->n_stays; k++) {
			row_id row = g->stays.at[k].row;
			uint32_t y = row == COSTS_NONE ? x->line_stay : x->of_row[row];
			if (y > x->of_outcome[i]) x->of_outcome[i] = y;
		}
	}
	for (uint32_t k = 0; k < g->cuts.n; k++) {
		terminal_id t = g->cuts.at[k].terminal;
		x->of_cut[k] = columns && t == columns->newline ? x->line : x->c->rows.lexer->is_ignored[t] ? 0 : x->own[t];
	}
}

// One round over all outcomes; true: something grew.
static bool spread(struct tokens *x)
{
	const struct cost_groups *g = &x->c->groups;
	bool grew = false;
	for (uint32_t i = 0, at = 0; i < x->of_pair.n; i++) {
		uint32_t n = x->pair_ways.at[at++];
		for (; n; n--, at++) {
			const uint32_t most = x->of_outcome[x->pair_ways.at[at]];
			if (most > x->of_pair.at[i]) x->of_pair.at[i] = most;
		}
	}
	for (uint32_t i = 0; i < g->outcomes.n; i++) {
		const struct cost_outcome *o = &g->outcomes.at[i];
		uint32_t most = x->of_outcome[i];
		for (uint32_t k = o->first_cut; k < o->first_cut + o->n_cuts; k++) {
			const uint32_t y = add(x->of_pair.at[x->pair_of_cut.at[k]], x->of_cut[k]);
			if (y > most) most = y;
		}
		if (most > x->of_outcome[i]) x->of_outcome[i] = most, grew = true;
	}
	return grew;
}

// A newline is pending already: what comes after its blanks.
static uint32_t most_behind_lines(const struct tokens *x)
{
	const struct cost_groups *g = &x->c->groups;
	uint8_t *is_there = mem_calloc(g->obligation.n + 1, 1);
	uint32_t most = 0;
	for (uint32_t i = 0; i < g->line_remainders.n; i++) is_there[g->line_remainders.at[i]] = 1;
	for (uint32_t i = 0; i < g->ways.n; i++)
		if (is_there[g->ways.at[i].remainder] && x->of_outcome[g->ways.at[i].outcome] > most)
			most = x->of_outcome[g->ways.at[i].outcome];
	free(is_there);
	return add(most, x->line);
}

// The columns that a newline which pends can decide: some blanks, perhaps one more newline, what its row says, the
// first question.
static void find_line(struct tokens *x, const uint32_t *own, uint32_t top)
{
	const struct costs *c = x->c;
	const struct lexer *lexer = c->rows.lexer;
	uint32_t blanks = 0, row = 0, any = 0;
	if (!lexer->indentation) return;
	uint32_t dedent = own[lexer->indentation->dedent], indent = add(own[lexer->indentation->indent], dedent);
	x->line = add(own[lexer->indentation->newline], indent);
	for (uint32_t i = 0; i <= c->rows.max_column; i++)
		if (c->rows.blank_tokens[i] > blanks) blanks = c->rows.blank_tokens[i];
	for (lex_state q = 1; q < lexer->n_states; q++) {
		if (!(lexer->info[q].flags & LEX_LINE)) continue;
		uint32_t n, here = x->of_row[c->rows.of_state[q]];
		const struct cost_emit *e = cost_row(&c->rows, c->rows.of_state[q], &n);
		for (uint32_t i = 0; i < n; i++)
			if (e[i].weight > row) row = e[i].weight;
		if (here > any) any = here;
	}
	x->line_stay = add(x->line, blanks + 1 + row + top);
	if (any > x->line_stay) x->line_stay = any;
}

// [lex_state] the most that a token adds; the caller frees it.
static uint32_t *most_of_states(const struct costs *c, const struct lr *lr, const uint32_t *of_row, const uint32_t *own,
                                uint32_t top)
{
	const struct cost_groups *g = &c->groups;
	const struct lexer *lexer = c->rows.lexer;
	struct tokens x = {.c = c, .lr = lr, .of_row = of_row, .own = own};
	x.of_outcome = mem_calloc(g->outcomes.n + 1, sizeof *x.of_outcome);
	x.of_cut = mem_calloc(g->cuts.n + 1, sizeof *x.of_cut);
	find_line(&x, own, top);
	find_after(&x);
	add_line_contexts(&x);
	find_pairs(&x);
	begin_spread(&x);
	bool grew = true;
	for (uint32_t round = 0; grew && round < MAX_ROUNDS; round++) grew = spread(&x);  // each cut takes a byte
	uint32_t *most = mem_calloc(c->rows.lexer->n_states, sizeof *most);
	for (uint32_t i = 0; i < g->ways.n; i++) {
		const struct cost_way *way = &g->ways.at[i];
		const uint32_t here = x.of_outcome[way->outcome];
		if (!way->remainder) most[way->from] = grew || here > COSTS_MAX_WEIGHT ? NO_BOUND : here;
	}
	uint32_t lines = lexer->indentation ? most_behind_lines(&x) : 0;
	for (lex_state q = 0; q < lexer->n_states; q++)
		if (lexer->info[q].flags & LEX_LINE && lines > most[q]) most[q] = lines > COSTS_MAX_WEIGHT ? NO_BOUND : lines;
	free(x.after);
	free(x.of_outcome);
	free(x.of_cut);
	map64_release(&x.starts_of);
	map64_release(&x.pair_of);
	vec_release(&x.starts);
	vec_release(&x.of_pair);
	vec_release(&x.pair_ways);
	vec_release(&x.pair_of_cut);
	return most;
}

// May a line hold this byte and yet nothing but what is ignored, or the newline?
// Branches: contexts in which lines begin, then every lexer state behind the byte, are looked at until one is none of a
// blank's.
static bool is_like_blank(const struct lexer *x, const struct lr *lr, uint8_t byte)
{
	const terminal_id makes_line[] = {x->indentation->newline, x->indentation->indent, x->indentation->dedent};
	bits *begins = mem_calloc(BITS_WORDS(lr->n_contexts), sizeof *begins);  // contexts in which a line can begin
	bits_set(begins, lr->context_of[LR_BOTTOM]);
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++)
		for (int k = 0; k < 3; k++) {
			uint32_t n, one;
			const uint32_t *a = lr_actions(lr, s, makes_line[k], &n, &one);
			for (uint32_t i = 0; i < n; i++)
				if (ACTION_IS_SHIFT(a[i])) bits_set(begins, lr->context_of[a[i] / 2]);
		}
	bits *met = mem_calloc(BITS_WORDS(x->n_states), sizeof *met);
	VEC(lex_state) todo = {0};
	bool ok = true;
	for (size_t i = 0; i < (size_t)x->n_obligations * x->n_contexts; i++)
		if (x->start[i] != LEX_DEAD && bits_test(begins, (uint32_t)(i % x->n_contexts)))
			vec_push(&todo, lexer_next(x, x->start[i], byte) & LEX_STATE_MASK);
	while (todo.n && ok) {
		lex_state q = vec_pop(&todo);
		if (q == LEX_DEAD || bits_test(met, q)) continue;
		bits_set(met, q);
		for (const struct lex_info *way = &x->info[q]; way; way = lexer_also(x, way))
			ok &=
				way->terminal == UINT32_MAX || way->terminal == x->indentation->newline || x->is_ignored[way->terminal];
		for (uint32_t c = 0; c < x->n_classes; c++)
			vec_push(&todo, x->next[(size_t)q * x->n_classes + c] & LEX_STATE_MASK);
	}
	vec_release(&todo);
	free(begins);
	free(met);
	return ok;
}

// The widest blanks of a line which a token both opens, with something in it, and ends; *opened: of one that it opens.
// Branches: newlines, carriage returns, blanks and other bytes change the two widths that a walk over the trie carries.
static uint32_t widest_line(const struct trie *t, const struct lexer *lexer, const struct lr *lr, uint32_t *opened)
{
	*opened = 0;
	const struct indentation *columns = lexer->indentation;
	bool returns = is_like_blank(lexer, lr, '\r');
	VEC(trie_node)
	ends = {0};  // of the nodes above, and what stands before: blanks of the line, of a line that has begun
	VEC(uint32_t) blanks = {0}, begun = {0};
	uint32_t widest = 0, tab = columns->tab > 8 ? columns->tab : 8;
	for (trie_node n = 1; n < t->n_nodes; n++) {
		while (ends.n && ends.at[ends.n - 1] <= n) (void)vec_pop(&ends), (void)vec_pop(&blanks), (void)vec_pop(&begun);
		uint32_t width = ends.n ? blanks.at[ends.n - 1] : 0, most = ends.n ? begun.at[ends.n - 1] : 0;
		uint8_t byte = t->byte[n];
		if (byte == '\n') {
			if (most > widest) widest = most;
			width = 0;
		} else if (width != UINT32_MAX && !(byte == '\r' && returns)) {
			if (byte == ' ' || byte == '\t')
				width += byte == ' ' ? 1 : tab;
			else
				most = width > most ? width : most, width = UINT32_MAX;
		}
		if (most > *opened) *opened = most;
		vec_push(&ends, t->end[n]);
		vec_push(&blanks, width);
		vec_push(&begun, most);
	}
	vec_release(&ends);
	vec_release(&blanks);
	vec_release(&begun);
	return widest;
}

// Of a model: what frames, terminals and pending lexemes cost at most.
struct bounds {
	uint32_t *dearest, *all;  // [lr_state] the dearest answer to a goal; to any question
	uint32_t *own, *before;   // [terminal] what it adds, with its frame and without
	uint32_t *of_row, n_rows, top;
};

static void growth_open(struct growth *g, const struct lr *lr, const uint32_t *goals)
{
	*g = (struct growth){.lr = lr, .goals = goals};
	g->least = mem_alloc(lr->n_states * sizeof *g->least);
	memset(g->least, 0xff, lr->n_states * sizeof *g->least);
	g->grown = mem_calloc(lr->n_states, sizeof *g->grown);
	g->most = mem_alloc(((size_t)lr->action.at[lr->n_states] + 1) * sizeof *g->most);
	find_reductions(g);
}

static void growth_close(struct growth *g)
{
	vec_release(&g->hops), vec_release(&g->reductions), vec_release(&g->looks);
	free(g->most), free(g->grown), free(g->least);
}

static void find_bounds(const struct costs *c, const struct lr *lr, struct bounds *b)
{
	uint32_t *chosen = costs_chosen(c, lr);
	*b = (struct bounds){.dearest = dearest_of_states(c, lr, chosen, true),
	                     .all = dearest_of_states(c, lr, chosen, false),
	                     .n_rows = c->rows.rows.entries.n};
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++) b->top = b->all[s] > b->top ? b->all[s] : b->top;
	struct growth growth;
	growth_open(&growth, lr, b->dearest);
	b->own = mem_calloc(lr->n_terminals + 1, sizeof *b->own);
	b->before = mem_calloc(lr->n_terminals + 1, sizeof *b->before);
	find_terminals(&growth, true, b->own);
	find_terminals(&growth, false, b->before);
	b->of_row = mem_calloc(b->n_rows, sizeof *b->of_row);
	for (row_id r = 0; r < b->n_rows; r++) b->of_row[r] = most_of_row(c, r, b->before, b->top);
	growth_close(&growth);
	free(chosen);
}

static void bounds_release(struct bounds *b) { free(b->all), free(b->own), free(b->before), free(b->of_row); }

// ---- Single bytes.
// The most that a lexeme takes to end, as each terminal; as none that is pushed: *rests.
static uint32_t *find_spelled(const struct costs *c, const struct lr *lr, uint32_t *rests)
{
	uint32_t *spelled = mem_calloc(lr->n_terminals + 1, sizeof *spelled);
	*rests = 0;
	for (row_id r = 0; r < c->rows.rows.entries.n; r++) {
		uint32_t n;
		const struct cost_emit *e = cost_row(&c->rows, r, &n);
		for (uint32_t i = 0; i < n; i++) {
			const bool is_none = e[i].terminal == COSTS_NONE || c->rows.lexer->is_ignored[e[i].terminal];
			uint32_t *to = is_none ? rests : &spelled[e[i].terminal];
			if (e[i].weight > *to) *to = e[i].weight;
		}
	}
	return spelled;
}

// [lr_state] is at least what its cells have, and what `more` adds for their terminals.
static void take_cells(const struct growth *g, const uint32_t *more, uint32_t *of_state)
{
	const struct lr_table *table = &g->lr->action;
	for (lr_state s = LR_BOTTOM; s < g->lr->n_states; s++)
		for (uint32_t i = table->at[s]; i < table->at[s + 1]; i++) {
			if (table->cell[i].by >= g->lr->n_terminals || g->most[i] == NEVER_MET) continue;
			const int32_t need = g->most[i] + (more ? (int32_t)more[table->cell[i].by] : 0);
			if (need > 0 && (uint32_t)need > of_state[s]) of_state[s] = (uint32_t)need;
		}
}

bool costs_byte_bounds(const struct costs *c, const struct lr *lr, struct cost_byte_bounds *out)
{
	uint32_t rests, *chosen = costs_chosen(c, lr), *spelled = find_spelled(c, lr, &rests);
	uint32_t *all = dearest_of_states(c, lr, chosen, false), *pushed = mem_calloc(lr->n_states, sizeof *pushed);
	uint32_t *terminals = mem_calloc(lr->n_terminals + 1, sizeof *terminals);
	bits *grew = mem_calloc(BITS_WORDS(lr->n_terminals), sizeof *grew);
	bool ok;
	struct growth g;
	*out = (struct cost_byte_bounds){.frame = dearest_of_states(c, lr, chosen, true)};
	growth_open(&g, lr, out->frame);
	find_terminals(&g, true, terminals);
	for (terminal_id t = 0; t < lr->n_terminals; t++)
		out->terminal = terminals[t] > out->terminal ? terminals[t] : out->terminal;
	ok = out->terminal <= COSTS_MAX_WEIGHT;
	for (uint32_t k = 0; k <= COST_BYTE_ENDS && ok; k++) {
		uint32_t *need = out->need[k] = mem_calloc(lr->n_states, sizeof *need);
		const uint32_t *less = k ? out->need[k - 1] : all;
		for (lr_state s = LR_BOTTOM; s < lr->n_states; s++) {
			need[s] = less[s] + (k ? 0 : rests);
			pushed[s] = less[s] + (k ? out->frame[s] : 0);
		}
		find_growth(&g, pushed, less, grew);
		take_cells(&g, k ? NULL : spelled, need);
		ok = bits_next(grew, BITS_WORDS(lr->n_terminals), 0) == UINT32_MAX;
		for (lr_state s = LR_BOTTOM; s < lr->n_states; s++) ok = ok && need[s] <= COSTS_MAX_WEIGHT;
	}
	growth_close(&g);
	free(chosen), free(spelled), free(all), free(pushed), free(terminals), free(grew);
	return ok;
}

void cost_byte_bounds_release(struct cost_byte_bounds *b)
{
	free(b->frame);
	for (uint32_t k = 0; k <= COST_BYTE_ENDS; k++) free(b->need[k]);
	*b = (struct cost_byte_bounds){0};
}

void cost_groups_bound(struct costs *c, const struct lr *lr, const struct trie *trie)
{
	struct cost_groups *g = &c->groups;
	const struct lexer *x = c->rows.lexer;
	struct bounds b;
	find_bounds(c, lr, &b);
	g->dearest = b.dearest;
	g->most = most_of_states(c, lr, b.of_row, b.own, b.top);
	if (x->indentation) {
		uint32_t opened, widest = widest_line(trie, x, lr, &opened), max = c->rows.max_column,
						 least = c->top_capacity - 1;
		// No token opens a column where there is less capacity than top_capacity, or a line that is deeper than priced
		// and ends it.
		uint32_t free = least <= max && opened < max - least + 1 ? max - least + 1 - opened : 0;
		g->dedent = b.own[x->indentation->dedent] > COSTS_MAX_WEIGHT ? NO_BOUND : b.own[x->indentation->dedent];
		g->deep = widest < max ? max - widest : 0;
		if (free < g->deep) g->deep = free;
		g->opens = opened;
	}
	bounds_release(&b);
}
