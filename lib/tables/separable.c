// A sufficient proof of viability from the lexer alone; whole languages need no more at nearly all places.
//
// In:  lexer, LR tables. Out: lex_states that are viable on every stack.
// A *boundary* is (obligation, context): a lexeme has ended, another must begin. It is safe when each terminal that is
// viable there can be lexed from it, perhaps after ignored text, in such a way that only safe boundaries follow. A
// viable prefix of a reduced grammar has a sentence that completes it, and from a safe boundary any such sentence can
// be spelled, terminal by terminal: so what leads to a safe boundary is viable, whatever the stack.
//   ends[q]   = (terminal, obligation) pairs in which a lexeme now in lex_state q can end and be followed by text
//   can[r, c] = terminals lexed from (r, c) into safety, least fixpoint; through ignored lexemes can[r', c] counts
//   safe[r,c] = everything viable in c is in can[r, c], and if $end is, then the text may end with r; greatest fixpoint
// Indents and dedents have no lexemes: a column makes them, right behind a newline that ends a line, one indent or some
// dedents. So what a sentence may go on with depends on where the boundary lies: *fresh*, behind such a newline, with
// text, an indent or dedents; behind a dedent with text or another one; else with text only.
// Some terminals need not be lexed anywhere: they are *avoided* when some sentence has none of them, and where one, or
// a nonterminal that has no text without one, stands behind the first place of a right side, another production of that
// nonterminal begins alike and goes on without. A sentence that completes a viable prefix then exists without them:
// what begins after the prefix can be another text, and what has begun can go on as that other production. They are
// avoided when they have no lexeme at some boundary where they are viable (another terminal always wins there), or
// unsafe ones only. Cost: lex_states x classes x pairs / 64 for `ends`; boundaries x pairs for each round.
#include "separable.h"

#include "../../formats/artifact.h"
#include "../base/intern.h"

struct pair {
	uint32_t terminal, obligation, is_line;
};

struct proof {
	const struct lexer *x;
	const struct lr *lr;
	struct intern pairs;  // struct pair
	uint32_t pair_words;
	bits *ends;  // [lex_state * pair_words]
	uint32_t context_words;
	bits *after;    // [terminal * context_words] contexts once it is on the stack
	bits *can;      // [boundary * lr->context_words] terminals
	uint8_t *safe;  // [boundary]; boundary = obligation * n_contexts + context; indents and dedents left out
	const struct indentation *columns;  // or NULL
	uint8_t *indents, *dedents;         // [obligation] all is safe behind an indent, behind dedents
	bits *avoided;                      // terminals; and those that columns make
};

static struct pair pair_get(const struct proof *p, uint32_t k)
{
	struct pair x;
	memcpy(&x, intern_get(&p->pairs, k, NULL), sizeof x);
	return x;
}

static void find_ends(struct proof *p, const struct lex_edges *edges)
{
	const struct lexer *x = p->x;
	uint32_t *pair_of = mem_calloc(x->n_states, sizeof *pair_of);
	for (lex_state q = 0; q < x->n_states; q++) {
		bool cuttable = false;
		for (uint32_t c = 0; c < x->n_classes; c++) cuttable |= (x->next[(size_t)q * x->n_classes + c] & LEX_CUT) != 0;
		struct pair end = {x->info[q].terminal, x->info[q].obligation, (x->info[q].flags & LEX_LINE) != 0};
		pair_of[q] = cuttable ? intern_add(&p->pairs, &end, sizeof end, NULL) : INTERN_NONE;
	}
	p->pair_words = BITS_WORDS(p->pairs.entries.n);
	p->ends = mem_calloc((size_t)x->n_states * p->pair_words, sizeof *p->ends);
	for (lex_state q = 1; q < x->n_states; q++)
		for (lex_state way = q; way; way = x->info[way].also)
			if (pair_of[way] != INTERN_NONE) bits_set(p->ends + (size_t)q * p->pair_words, pair_of[way]);
	lex_edges_spread_back(x, edges, false, p->ends, p->pair_words);
	free(pair_of);
}

static void find_after(struct proof *p)
{
	p->context_words = BITS_WORDS(p->lr->n_contexts);
	p->after = mem_calloc((size_t)p->lr->n_terminals * p->context_words, sizeof *p->after);
	for (terminal_id t = 0; t < p->lr->n_terminals; t++)
		for (uint32_t i = p->lr->step_at[t]; i < p->lr->step_at[t + 1]; i++) {
			const struct lr_step x = p->lr->step[i];
			const lr_state to = x.action == ACTION_SKIP ? x.from : x.action / 2;
			if (p->lr->between_lexemes[to]) bits_set(p->after + (size_t)t * p->context_words, p->lr->context_of[to]);
		}
}

static bool wants(const struct proof *p, uint32_t context, terminal_id t)
{
	return bits_test(p->lr->context + (size_t)context * p->lr->context_words, t);
}
static bool wants_indent(const struct proof *p, uint32_t c) { return p->columns && wants(p, c, p->columns->indent); }
static bool wants_dedent(const struct proof *p, uint32_t c) { return p->columns && wants(p, c, p->columns->dedent); }

// With this obligation, is every boundary behind terminal t safe? `fresh`: t is a newline that ends a line.
static bool safe_behind(const struct proof *p, terminal_id t, uint32_t obligation, bool fresh)
{
	const bits *after = p->after + (size_t)t * p->context_words;
	bool dedents = fresh || (p->columns && t == p->columns->dedent);
	for (uint32_t c = bits_next(after, p->context_words, 0); c != UINT32_MAX;
	     c = bits_next(after, p->context_words, c + 1)) {
		if (!p->safe[(size_t)obligation * p->x->n_contexts + c]) return false;
		if (wants_indent(p, c) && !(fresh && p->indents[obligation])) return false;
		if (wants_dedent(p, c) && !(dedents && p->dedents[obligation])) return false;
	}
	return true;
}

// Indents and dedents that have left the obligation as it was: all is safe behind them.
static void find_columns(struct proof *p)
{
	if (!p->columns) return;
	for (uint32_t r = 0; r < p->x->n_obligations; r++) {
		p->dedents[r] = 1;  // so that only what is behind the last one counts
		p->dedents[r] = safe_behind(p, p->columns->dedent, r, false);
		p->indents[r] = safe_behind(p, p->columns->indent, r, false);
	}
}

// A lexeme of a grammar's terminal ends so: are all boundaries that may follow safe?
static bool leads_to_safety(const struct proof *p, struct pair end)
{
	return safe_behind(p, end.terminal, end.obligation, end.is_line);
}

// Ignored text came since the last terminal: no indent and no dedent any more.
static bool safe_behind_ignored(const struct proof *p, uint32_t obligation, uint32_t c)
{
	if (!p->safe[(size_t)obligation * p->x->n_contexts + c]) return false;
	if (!wants_indent(p, c) && !wants_dedent(p, c)) return true;
	bool text = false;
	for (terminal_id t = 0; t < p->lr->n_terminals; t++) text |= !bits_test(p->avoided, t) && wants(p, c, t);
	return text;
}

// What is lexed from each boundary into safety at once.
static void find_can_at_once(struct proof *p)
{
	const uint32_t n_pairs = p->pairs.entries.n, words = p->lr->context_words;
	terminal_id *terminal = mem_calloc(n_pairs + 1, sizeof *terminal);
	bits *good = mem_calloc(p->pair_words + 1, sizeof *good);
	for (uint32_t k = 0; k < n_pairs; k++) {
		const struct pair end = pair_get(p, k);
		terminal[k] = end.terminal;
		if (!p->x->is_ignored[end.terminal] && leads_to_safety(p, end)) bits_set(good, k);
	}
	for (uint32_t at = 0; at < p->x->n_obligations * p->x->n_contexts; at++) {
		const bits *ends = p->ends + (size_t)p->x->start[at] * p->pair_words;
		bits *row = p->can + (size_t)at * words;
		for (uint32_t w = 0; w < p->pair_words; w++)
			for (bits x = ends[w] & good[w]; x; x &= x - 1)
				bits_set(row, terminal[w * 64 + (uint32_t)__builtin_ctzll(x)]);
	}
	free(terminal);
	free(good);
}

static void find_can(struct proof *p)
{
	const struct lexer *x = p->x;
	const uint32_t words = p->lr->context_words, n_boundaries = x->n_obligations * x->n_contexts;
	VEC(uint32_t) ignored = {0};
	find_columns(p);
	memset(p->can, 0, (size_t)n_boundaries * words * sizeof *p->can);
	find_can_at_once(p);
	for (uint32_t k = 0; k < p->pairs.entries.n; k++)
		if (x->is_ignored[pair_get(p, k).terminal]) vec_push(&ignored, k);
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t at = 0; at < n_boundaries; at++) {
			const bits *ends = p->ends + (size_t)x->start[at] * p->pair_words;
			for (uint32_t i = 0; i < ignored.n; i++) {
				if (!bits_test(ends, ignored.at[i])) continue;
				const uint32_t then = pair_get(p, ignored.at[i]).obligation * x->n_contexts + at % x->n_contexts;
				changed |= bits_union(p->can + (size_t)at * words, p->can + (size_t)then * words, words);
			}
		}
	}
	vec_release(&ignored);
}

// Drops boundaries that cannot serve all that is viable there; true when there were some.
static bool drop_unsafe(struct proof *p)
{
	uint32_t words = p->lr->context_words, n_contexts = p->x->n_contexts;
	bool changed = false;
	for (uint32_t at = 0; at < p->x->n_obligations * n_contexts; at++) {
		const bits *can = p->can + (size_t)at * words, *wanted = p->lr->context + (size_t)(at % n_contexts) * words;
		for (uint32_t w = 0; w < words && p->safe[at]; w++)
			if (wanted[w] & ~can[w] & ~p->avoided[w]) p->safe[at] = 0, changed = true;
	}
	return changed;
}

// Symbols that a sentence can be completed without: avoided terminals, and nonterminals without a text that has none of
// them.
struct avoidance {
	const struct grammar *g;
	const bits *terminals;
	uint8_t *has_text;  // [nonterminal] without an avoided terminal
};

static bool is_avoided(const struct avoidance *a, symbol_id s)
{
	return s < a->g->n_terminals ? bits_test(a->terminals, s) : !a->has_text[s - a->g->n_terminals];
}

static void find_texts(struct avoidance *a)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < a->g->n_productions; i++) {
			const struct production *p = &a->g->productions[i];
			bool all = !a->has_text[p->lhs];
			for (uint32_t k = 0; k < p->n_rhs && all; k++) all = !is_avoided(a, p->rhs[k]);
			if (all) a->has_text[p->lhs] = 1, changed = true;
		}
	}
}

// Another production of p's nonterminal with the same first k symbols, and nothing avoided behind them? Behind its own
// left recursion a nonterminal is whole already, and what asked for it can go on.
static bool can_turn(const struct avoidance *a, const struct production *p, uint32_t k)
{
	const struct grammar *g = a->g;
	if (k == 1 && p->rhs[0] == g->n_terminals + p->lhs) return true;
	for (uint32_t i = 0; i < g->n_productions; i++) {
		const struct production *y = &g->productions[i];
		if (y->lhs != p->lhs || y->n_rhs < k || memcmp(y->rhs, p->rhs, k * sizeof *p->rhs) != 0) continue;
		bool clean = true;
		for (uint32_t j = k; j < y->n_rhs && clean; j++) clean = !is_avoided(a, y->rhs[j]);
		if (clean) return true;
	}
	return false;
}

static bool can_avoid(const struct grammar *g, const bits *terminals)
{
	struct avoidance a = {g, terminals, mem_calloc(g->n_nonterminals, 1)};
	find_texts(&a);
	bool ok = a.has_text[g->start];
	for (uint32_t i = 0; i < g->n_productions && ok; i++) {
		const struct production *p = &g->productions[i];
		for (uint32_t k = 1; k < p->n_rhs && ok; k++) ok = !is_avoided(&a, p->rhs[k]) || can_turn(&a, p, k);
	}
	free(a.has_text);
	return ok;
}

// After find_can with all boundaries taken for safe: what it did not find has no lexeme.
static void find_avoided(struct proof *p)
{
	uint32_t words = p->lr->context_words;
	bits *lacking = mem_calloc(words, sizeof *lacking);
	for (uint32_t at = 0; at < p->x->n_obligations * p->x->n_contexts; at++)
		for (uint32_t w = 0; w < words && p->x->start[at]; w++)
			lacking[w] |= p->lr->context[(size_t)(at % p->x->n_contexts) * words + w] & ~p->can[(size_t)at * words + w];
	for (terminal_id t = bits_next(lacking, words, 0); t != UINT32_MAX && p->lr->grammar;
	     t = bits_next(lacking, words, t + 1)) {
		if (p->columns && (t == p->columns->indent || t == p->columns->dedent)) continue;
		bits_set(p->avoided, t);
		if (!can_avoid(p->lr->grammar, p->avoided)) bits_reset(p->avoided, t);
	}
	if (p->columns) bits_set(p->avoided, p->columns->indent), bits_set(p->avoided, p->columns->dedent);
	free(lacking);
}

// All boundaries, but those where a lookahead wants more text and a sentence may end.
static void assume_safe(struct proof *p)
{
	uint8_t *ends_here = mem_calloc(p->lr->n_contexts, 1);
	for (lr_state s = LR_BOTTOM; s < p->lr->n_states; s++)
		ends_here[p->lr->context_of[s]] |= lr_viable(p->lr, s, p->lr->n_terminals);
	for (size_t at = 0; at < (size_t)p->x->n_obligations * p->x->n_contexts; at++)
		p->safe[at] = p->x->may_end[at / p->x->n_contexts] || !ends_here[at % p->x->n_contexts];
	free(ends_here);
}

static void find_safe_states(const struct proof *p, struct safe_states *out)
{
	const struct lexer *x = p->x;
	const uint32_t words = p->context_words;
	struct intern ends = {0};  // of lex_states
	out->words = words;
	out->row_of = mem_calloc(x->n_states, sizeof *out->row_of);
	for (lex_state q = 0; q < x->n_states; q++)
		out->row_of[q] = intern_add(&ends, p->ends + (size_t)q * p->pair_words, p->pair_words * sizeof(bits), NULL);
	out->row = mem_calloc((size_t)ends.entries.n * words, sizeof *out->row);
	bits *here = mem_calloc((size_t)words + 1, sizeof *here);  // contexts in which an end of this kind is safe
	for (uint32_t k = 0; k < p->pairs.entries.n; k++) {
		struct pair end = pair_get(p, k);
		bool is_ignored = x->is_ignored[end.terminal], good = !is_ignored && leads_to_safety(p, end);
		if (!is_ignored && !good) continue;
		memset(here, 0, words * sizeof *here);
		for (uint32_t c = 0; c < x->n_contexts; c++)
			if (is_ignored ? safe_behind_ignored(p, end.obligation, c) : wants(p, c, end.terminal)) bits_set(here, c);
		for (uint32_t i = 0; i < ends.entries.n; i++)
			if (bits_test(intern_get(&ends, i, NULL), k)) bits_union(out->row + (size_t)i * words, here, words);
	}
	free(here);
	intern_release(&ends);
}

void safe_states_release(struct safe_states *s)
{
	free(s->row_of);
	free(s->row);
	*s = (struct safe_states){0};
}

void separable_build(const struct lexer *x, const struct lr *lr, const struct lex_edges *edges, struct safe_states *out)
{
	struct proof p = {.x = x, .lr = lr, .columns = x->indentation};
	size_t n_boundaries = (size_t)x->n_obligations * x->n_contexts;
	find_ends(&p, edges);
	find_after(&p);
	p.can = mem_calloc(n_boundaries * lr->context_words, sizeof *p.can);
	p.safe = mem_calloc(n_boundaries, 1);
	memset(p.safe, 1, n_boundaries);
	p.indents = mem_calloc(x->n_obligations, 2), p.dedents = p.indents + x->n_obligations;
	p.avoided = mem_calloc(lr->context_words, sizeof *p.avoided);
	find_can(&p);
	find_avoided(&p);
	assume_safe(&p);
	find_can(&p);
	while (drop_unsafe(&p)) find_can(&p);
	find_safe_states(&p, out);
	intern_release(&p.pairs);
	free(p.ends);
	free(p.after);
	free(p.indents);
	free(p.avoided);
	free(p.can);
	free(p.safe);
}
