// Completion vectors (rows): in how many tokens a lexeme can end, and as what.
//
// In:  the walker's outcomes. Out: for each lex_state, and for each remainder from where its lexing begins, a row.
// Tokens that stay inside the lexeme are edges between lex_states; what ends it is found by breadth-first search
// against them, for each (terminal, remainder) apart. Since lex_states carry obligations, a row knows where a separator
// is needed. What cannot be better than something else of its row is left out: the same terminal, with a remainder that
// holds all of the other's nodes. Cost: (terminal, remainder) pairs x edges; a walk of the vocabulary for each
// lex_state that has had none.
#include "costs.h"
#include "costs_tight.h"

#include "../../formats/artifact.h"
#include "../base/sort_records.h"

typedef VEC(lex_state) state_list;

const struct cost_emit *cost_row(const struct cost_rows *r, row_id row, uint32_t *n)
{
	const struct cost_emit *e = intern_get(&r->rows, row, n);
	*n /= (uint32_t)sizeof *e;
	return e;
}

// A remainder that has nothing unread is the newline that is supplied where the text ends.
static bool is_supplied(const struct cost_rows *r, remainder_id remainder)
{
	uint32_t n;
	if (!r->supplied || remainder_is_end(remainder)) return false;
	walker_nodes(r->walker, remainder, &n);
	return !n;
}

// Does remainder a offer all that b does?
static bool contains(struct cost_rows *r, remainder_id a, remainder_id b)
{
	if (a == b) return true;
	if (remainder_is_end(a) || remainder_is_end(b)) return false;
	if (is_supplied(r, a) || is_supplied(r, b)) return false;
	uint64_t key = (uint64_t)a << 32 | b, known = map64_get(&r->contains, key);
	if (known != MAP64_NONE) return known;
	bool all = walker_obligation(r->walker, a) == walker_obligation(r->walker, b) &&
	           walker_is_line(r->walker, a) == walker_is_line(r->walker, b);
	uint32_t n_a, n_b;
	const trie_node *x = walker_nodes(r->walker, a, &n_a), *y = walker_nodes(r->walker, b, &n_b);
	all &= n_b <= n_a;
	for (uint32_t i = 0, j = 0; j < n_b && all; j++) {
		while (i < n_a && x[i] < y[j]) i++;
		all = i < n_a && x[i] == y[j];
	}
	map64_put(&r->contains, key, all);
	return all;
}

static int compare_emit(const void *a, const void *b)
{
	const struct cost_emit *x = a, *y = b;
	if (x->terminal != y->terminal) return x->terminal < y->terminal ? -1 : 1;
	if (x->remainder != y->remainder) return x->remainder < y->remainder ? -1 : 1;
	return (x->weight > y->weight) - (x->weight < y->weight);
}
SORT_RECORDS(sort_emits, struct cost_emit, compare_emit)

// Of one terminal: is x at least as good as y?
static bool beats(struct cost_rows *r, struct cost_emit x, struct cost_emit y)
{
	return x.weight <= y.weight && contains(r, x.remainder, y.remainder);
}

#define LONG_ROW 24u      // emits of a terminal, from which on it is worth knowing which remainders hold which
#define DENSE_NESTING 8u  // pairs for an emit: then comparing ends early anyway

// The pairs of a list of remainders, found once.
static struct cost_nesting nesting_of(struct cost_rows *r, const remainder_id *list, uint32_t n)
{
	bool is_new;
	uint32_t key = intern_add(&r->nesting_keys, list, n * sizeof *list, &is_new);
	if (!is_new) return r->nestings.at[key];
	struct cost_nesting x = {.first = r->nested.n};
	for (uint32_t i = 0; i < n && !x.is_dense; i++)
		for (uint32_t j = 0; j < n; j++) {
			if (i == j || !contains(r, list[j], list[i])) continue;
			vec_push(&r->nested, ((struct cost_nested){j, i}));
			x.is_dense = ++x.n > DENSE_NESTING * n;
			if (x.is_dense) break;
		}
	if (x.is_dense) r->nested.n = x.first, x.n = 0;
	vec_push(&r->nestings, x);
	return x;
}

// Marks those of a terminal's emits that another one beats. False: too many remainders hold others.
static bool mark_beaten(struct cost_rows *r, const struct cost_emit *e, uint32_t n)
{
	VEC(remainder_id) list = {0};
	for (uint32_t i = 0; i < n; i++) vec_push(&list, e[i].remainder);
	struct cost_nesting x = nesting_of(r, list.at, n);
	vec_release(&list);
	vec_reserve(&r->beaten, n);
	memset(r->beaten.at, 0, n);
	for (uint32_t k = x.first; k < x.first + x.n; k++) {
		struct cost_nested pair = r->nested.at[k];
		if (e[pair.outer].weight <= e[pair.inner].weight) r->beaten.at[pair.inner] = 1;
	}
	return !x.is_dense;
}

// Moves the best of the emits first..end, all of one terminal, to e[kept..]. Returns where they end.
static uint32_t keep_best(struct cost_rows *r, struct cost_emit *e, uint32_t first, uint32_t end, uint32_t kept)
{
	bool marked = end - first >= LONG_ROW && mark_beaten(r, e + first, end - first);
	for (uint32_t i = first, settled = kept; i < end; i++) {
		bool beaten = marked && r->beaten.at[i - first];
		for (uint32_t j = settled; j < kept && !marked && !beaten; j++) beaten = beats(r, e[j], e[i]);
		for (uint32_t j = i + 1; j < end && !marked && !beaten; j++) beaten = beats(r, e[j], e[i]);
		if (!beaten) e[kept++] = e[i];
	}
	return kept;
}

// The row of what is in r->work.
static row_id finish_row(struct cost_rows *r)
{
	struct cost_emit *e = r->work.at;
	uint32_t n = 0;
	sort_emits(e, r->work.n);
	for (uint32_t i = 0; i < r->work.n; i++)
		if (!n || e[n - 1].terminal != e[i].terminal || e[n - 1].remainder != e[i].remainder) e[n++] = e[i];
	uint32_t kept = 0;
	for (uint32_t first = 0, end; first < n; first = end) {  // the emits of one terminal
		for (end = first; end < n && e[end].terminal == e[first].terminal;) end++;
		kept = keep_best(r, e, first, end, kept);
	}
	vec_clear(&r->work);
	return intern_add(&r->rows, e, kept * sizeof *e, NULL);
}

row_id cost_row_of(struct cost_rows *r, struct cost_emit e)
{
	vec_push(&r->work, e);
	return finish_row(r);
}

static void add_row(struct cost_rows *r, row_id row, uint32_t more)
{
	uint32_t n;
	const struct cost_emit *e = cost_row(r, row, &n);
	for (uint32_t i = 0; i < n; i++) {
		if (e[i].weight + more <= COSTS_MAX_WEIGHT)
			vec_push(&r->work, ((struct cost_emit){e[i].terminal, e[i].remainder, e[i].weight + more}));
		else
			r->capped = true;
	}
}

// What the model keeps of a remainder that a token leaves; COSTS_NONE: nothing.
static remainder_id remainder_of_model(struct cost_rows *r, remainder_id remainder)
{
	if (r->model == COSTS_EXACT) return remainder;
	uint64_t known = map64_get(&r->aligned, remainder);
	if (known != MAP64_NONE) return (remainder_id)known;
	uint32_t n;
	const trie_node *nodes = walker_nodes(r->walker, remainder, &n);
	VEC(trie_node) first = {0};
	for (uint32_t i = 0; i < n; i++)
		if (r->keeps[nodes[i]]) vec_push(&first, nodes[i]);
	remainder_id kept = first.n ? walker_remainder(r->walker, walker_obligation(r->walker, remainder),
	                                               walker_is_line(r->walker, remainder), first.at, first.n)
	                            : COSTS_NONE;
	vec_release(&first);
	map64_put(&r->aligned, remainder, kept);
	return kept;
}

// A newline that decides columns is priced from its "\n" on, which is a token: then any blanks can follow, as dear as
// the dearest. What has blanks already is left to the runtime, which knows their column, unless the newline is ignored.
// paid: the token of "\n" is.
static void push_line(struct cost_rows *r, lex_state q, uint32_t paid)
{
	const struct lexer *x = r->lexer;
	lex_state line = lexer_next(x, q, '\n');
	if (line & LEX_CUT || !(x->info[line].flags & LEX_LINE)) return;
	uint32_t newline = x->indentation->newline, most = 0;
	for (uint32_t i = 0; i <= r->max_column; i++)
		if (r->blank_tokens[i] > most) most = r->blank_tokens[i];
	vec_push(&r->work, ((struct cost_emit){newline, REMAINDER_LINE_END, 1 - paid}));
	struct outcomes o = walker_outcomes(r->walker, line, REMAINDER_WHOLE);
	for (uint32_t i = 0; i < o.n_cuts; i++) {
		remainder_id remainder = o.cuts[i].terminal == newline && walker_is_line(r->walker, o.cuts[i].remainder)
		                             ? remainder_of_model(r, o.cuts[i].remainder)
		                             : COSTS_NONE;
		if (remainder != COSTS_NONE && most < COSTS_MAX_WEIGHT)
			vec_push(&r->work, ((struct cost_emit){newline, remainder, 2 - paid + most}));
	}
}

// The lexeme in lex_state q is the last one, and a newline is supplied: it ends the lexeme, or goes on with it and the
// text ends.
static void push_supplied(struct cost_rows *r, lex_state q)
{
	uint32_t to = lexer_next(r->lexer, q, '\n');
	for (const struct lex_info *way = &r->lexer->info[q]; way && to & LEX_CUT; way = lexer_also(r->lexer, way))
		if (way->terminal != UINT32_MAX)
			vec_push(&r->work, ((struct cost_emit){way->terminal,
			                                       walker_remainder(r->walker, way->obligation, false, NULL, 0), 0}));
	if (to & LEX_CUT || to == LEX_DEAD) return;
	if (r->lexer->info[to].flags & LEX_LINE)
		vec_push(&r->work, ((struct cost_emit){r->lexer->indentation->newline, REMAINDER_LINE_END, 0}));
	for (const struct lex_info *way = &r->lexer->info[to]; way; way = lexer_also(r->lexer, way))
		if (way->flags & LEX_MAY_END && way->terminal != UINT32_MAX)
			vec_push(&r->work, ((struct cost_emit){way->flags & LEX_LINE ? r->pending_line : way->terminal,
			                                       way->flags & LEX_LINE ? REMAINDER_LINE_END : REMAINDER_END, 0}));
}

// What tokens from a state do: of those that a price may count on.
struct tokens_of {
	struct outcomes o;
	const lex_state *to;
	const struct outcome_cut *cuts;
	uint32_t n_to, n_cuts;
};

static struct tokens_of tokens_of(struct cost_rows *r, const struct tight_tokens *tight, lex_state q)
{
	if (tight->of && tight->of[q].is_counted) {
		const struct tight_span *x = &tight->of[q];
		return (struct tokens_of){.to = tight->list.states.at + x->first_state,
		                          .cuts = tight->list.cuts.at + x->first_cut,
		                          .n_to = x->n_states,
		                          .n_cuts = x->n_cuts};
	}
	const struct outcomes o = walker_outcomes(r->walker, q, REMAINDER_WHOLE);
	return (struct tokens_of){o, NULL, o.cuts, o.n_stays, o.n_cuts};
}

static lex_state tokens_to(const struct tokens_of *x, uint32_t i) { return x->to ? x->to[i] : outcomes_to(&x->o, i); }

// What ends the lexeme in lex_state q within the next token, or with the text.
static void push_direct(struct cost_rows *r, const struct tight_tokens *tight, lex_state q)
{
	const struct lex_info *info = &r->lexer->info[q];
	if (r->lexer->indentation) push_line(r, q, 0);
	if (r->supplied && !(info->flags & LEX_NEWLINE)) push_supplied(r, q);
	if (info->flags & LEX_INITIAL) vec_push(&r->work, ((struct cost_emit){COSTS_NONE, REMAINDER_END, 0}));
	for (const struct lex_info *way = info; way; way = lexer_also(r->lexer, way))
		if (way->flags & LEX_MAY_END && way->terminal != UINT32_MAX)
			vec_push(&r->work, ((struct cost_emit){way->flags & LEX_LINE ? r->pending_line : way->terminal,
			                                       way->flags & LEX_LINE ? REMAINDER_LINE_END : REMAINDER_END, 0}));
	struct tokens_of x = tokens_of(r, tight, q);
	for (uint32_t i = 0; i < x.n_cuts; i++) {
		remainder_id remainder = remainder_of_model(r, x.cuts[i].remainder);
		uint32_t t = walker_is_line(r->walker, x.cuts[i].remainder) ? r->pending_line : x.cuts[i].terminal;
		if (remainder != COSTS_NONE) vec_push(&r->work, ((struct cost_emit){t, remainder, 1}));
	}
}

struct reverse {
	uint32_t *at;  // [n_states + 1]
	lex_state *from;
};

static struct reverse find_reverse(struct cost_rows *r, const struct tight_tokens *tight)
{
	uint32_t n = r->lexer->n_states;
	struct reverse x = {.at = mem_calloc(n + 2, sizeof *x.at)};
	for (int pass = 0; pass < 2; pass++) {
		for (lex_state q = 1; q < n; q++) {
			struct tokens_of o = tokens_of(r, tight, q);
			for (uint32_t i = 0; i < o.n_to; i++) {
				const lex_state to = tokens_to(&o, i);
				if (to == q) continue;
				if (pass)
					x.from[x.at[to + 1]++] = q;
				else
					x.at[to + 2]++;
			}
		}
		if (pass) break;
		for (uint32_t i = 2; i < n + 2; i++) x.at[i] += x.at[i - 1];
		x.from = mem_alloc((x.at[n + 1] + 1) * sizeof *x.from);
	}
	return x;
}

struct distance_search {
	uint32_t *distance;  // [n_states]
	state_list level, next, reached;
};

struct seed {
	lex_state q;
	uint32_t weight;
};
typedef VEC(struct seed) seed_list;

// From the seeds, each as far away as its weight says, against the edges.
static void spread(const struct reverse *x, struct distance_search *s, const seed_list *seeds)
{
	uint32_t left = seeds->n;
	for (uint32_t d = 0; left || s->level.n; d++) {
		for (uint32_t i = 0; i < seeds->n && left; i++) {
			if (seeds->at[i].weight != d) continue;
			left--;
			if (s->distance[seeds->at[i].q] != COSTS_NONE) continue;
			s->distance[seeds->at[i].q] = d;
			vec_push(&s->reached, seeds->at[i].q);
			vec_push(&s->level, seeds->at[i].q);
		}
		vec_clear(&s->next);
		for (uint32_t i = 0; i < s->level.n; i++) {
			lex_state q = s->level.at[i];
			for (uint32_t k = x->at[q]; k < x->at[q + 1]; k++) {
				lex_state p = x->from[k];
				if (s->distance[p] != COSTS_NONE) continue;
				s->distance[p] = d + 1;
				vec_push(&s->reached, p);
				vec_push(&s->next, p);
			}
		}
		state_list t = s->level;
		s->level = s->next, s->next = t;
	}
}

// Rows of all lex_states.
static void find_rows(struct cost_rows *r, const struct tight_tokens *tight, row_id *rows)
{
	uint32_t n = r->lexer->n_states;
	struct reverse x = find_reverse(r, tight);
	struct intern kinds = {0};   // (terminal, remainder)
	VEC(seed_list) seeds = {0};  // [kind] lex_states that end so within a token, or with the text
	for (lex_state q = 1; q < n; q++) {
		push_direct(r, tight, q);
		for (uint32_t i = 0; i < r->work.n; i++) {
			bool is_new;
			uint32_t k = intern_add(&kinds, &r->work.at[i], 8, &is_new);
			if (is_new) vec_push(&seeds, ((seed_list){0}));
			vec_push(&seeds.at[k], ((struct seed){q, r->work.at[i].weight}));
		}
		vec_clear(&r->work);
	}
	VEC(struct cost_emit) *found = mem_calloc(n, sizeof *found);
	struct distance_search s = {.distance = mem_alloc(n * sizeof *s.distance)};
	for (lex_state q = 0; q < n; q++) s.distance[q] = COSTS_NONE;
	for (uint32_t k = 0; k < kinds.entries.n; k++) {
		uint32_t kind[2];
		memcpy(kind, intern_get(&kinds, k, NULL), sizeof kind);
		vec_clear(&s.reached);
		vec_clear(&s.level);
		spread(&x, &s, &seeds.at[k]);
		for (uint32_t i = 0; i < s.reached.n; i++) {
			lex_state q = s.reached.at[i];
			vec_push((&found[q]), ((struct cost_emit){kind[0], kind[1], s.distance[q]}));
			s.distance[q] = COSTS_NONE;
		}
	}
	for (lex_state q = 0; q < n; q++) {
		for (uint32_t i = 0; i < found[q].n; i++) vec_push(&r->work, found[q].at[i]);
		vec_release(&found[q]);
		rows[q] = finish_row(r);
	}
	for (uint32_t k = 0; k < kinds.entries.n; k++) vec_release(&seeds.at[k]);
	vec_release(&seeds);
	vec_release(&s.level);
	vec_release(&s.next);
	vec_release(&s.reached);
	intern_release(&kinds);
	free(found);
	free(s.distance);
	free(x.at);
	free(x.from);
}

// In how many tokens a lexeme ends as this, at least; COSTS_NONE: it does not.
static uint32_t least_of(const struct cost_rows *r, row_id row, uint32_t terminal)
{
	uint32_t n, least = COSTS_NONE;
	const struct cost_emit *e = cost_row(r, row, &n);
	for (uint32_t i = 0; i < n; i++)
		if (e[i].terminal == terminal && e[i].weight < least) least = e[i].weight;
	return least;
}

// Rows of all states. Where characters are counted by number alone: of tokens that are allowed whatever the number is.
// If others are cheaper, the price depends on it (by_number).
static void find_all_rows(struct cost_rows *r, uint32_t n_terminals)
{
	const struct tight_tokens none = {0};
	struct tight_tokens tight;
	const struct lexer_counters *k = &r->lexer->counters;
	if (!tight_find(r->lexer, r->walker, &tight)) {
		find_rows(r, &none, r->of_state);
		return;
	}
	row_id *all = mem_calloc(r->lexer->n_states, sizeof *all);
	find_rows(r, &none, all);
	find_rows(r, &tight, r->of_state);
	r->by_number = mem_calloc(BITS_WORDS(n_terminals) + 1, sizeof *r->by_number);
	for (uint32_t i = 0; i < k->n_states; i++) {
		const lex_state q = k->state[i].state;
		const uint32_t terminal = k->counter[k->state[i].counter].terminal;
		if (least_of(r, all[q], terminal) != least_of(r, r->of_state[q], terminal)) bits_set(r->by_number, terminal);
	}
	tight_release(&tight);
	free(all);
}

// Would any token do? Then what was walked for the whole vocabulary is it.
static bool is_whole(const struct cost_rows *r, remainder_id remainder, lex_state q)
{
	uint32_t n, i = 0;
	const trie_node *nodes = walker_nodes(r->walker, remainder, &n);
	const struct trie *trie = r->walker->trie;
	if (r->model == COSTS_EXACT) return false;
	for (uint32_t k = 0; k < n && r->model == COSTS_JOINED; k++)
		if (r->keeps[nodes[k]] > 1) return false;
	for (trie_node t = 1; t < trie->n_nodes; t = trie->end[t]) {
		while (i < n && nodes[i] < t) i++;
		if ((i == n || nodes[i] != t) && lexer_next(r->lexer, q, trie->byte[t]) & LEX_STATE_MASK) return false;
	}
	return true;
}

// Is the token of "\n" among those that begin so?
static bool has_newline(const struct cost_rows *r, remainder_id remainder)
{
	uint32_t n;
	const trie_node *nodes = walker_nodes(r->walker, remainder, &n);
	const struct trie *trie = r->walker->trie;
	for (uint32_t i = 0; i < n; i++)
		if (r->keeps[nodes[i]] == 1 && trie->byte[nodes[i]] == '\n' && trie->rank[nodes[i]] != trie->rank[nodes[i] + 1])
			return true;
	return false;
}

row_id cost_row_of_remainder(struct cost_rows *r, remainder_id remainder, lex_state q)
{
	uint32_t key[] = {remainder, q};
	bool is_new;
	uint32_t place = intern_add(&r->remainder_keys, key, sizeof key, &is_new);
	if (!is_new) return r->of_remainder.at[place];
	if (is_supplied(r, remainder)) {
		push_supplied(r, q);
		row_id row = finish_row(r);
		vec_push(&r->of_remainder, row);
		return row;
	}
	struct outcomes o = walker_outcomes(r->walker, q, is_whole(r, remainder, q) ? REMAINDER_WHOLE : remainder);
	for (uint32_t i = 0; i < o.n_stays; i++) add_row(r, r->of_state[outcomes_to(&o, i)], 0);
	if (r->lexer->indentation && has_newline(r, remainder)) push_line(r, q, 1);
	for (uint32_t i = 0; i < o.n_cuts && r->model != COSTS_ALIGNED; i++) {
		const remainder_id kept = remainder_of_model(r, o.cuts[i].remainder);
		if (kept != COSTS_NONE) vec_push(&r->work, ((struct cost_emit){o.cuts[i].terminal, kept, 0}));
	}
	row_id row = finish_row(r);
	vec_push(&r->of_remainder, row);
	return row;
}

uint32_t cost_rows_look(struct cost_rows *r, const bits *look, uint32_t words)
{
	return intern_add(&r->looks, look, words * sizeof *look, NULL);
}

row_id cost_row_restrict(struct cost_rows *r, row_id row, uint32_t set)
{
	uint64_t key = (uint64_t)row << 32 | set, known = map64_get(&r->restricted, key);
	if (known != MAP64_NONE) return (row_id)known;
	uint32_t n, words;
	const bits *look = intern_get(&r->looks, set, &words);
	words /= (uint32_t)sizeof *look;
	const struct cost_emit *e = cost_row(r, row, &n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t t = e[i].terminal;
		if (t == r->pending_line || (t != COSTS_NONE && r->lexer->is_ignored[t])) continue;
		if (t == COSTS_NONE ? bits_test(look, COSTS_END_BIT(words)) : bits_test(look, t)) vec_push(&r->work, e[i]);
	}
	row_id kept = finish_row(r);
	map64_put(&r->restricted, key, kept);
	return kept;
}

uint32_t cost_row_excess(struct cost_rows *r, row_id a, row_id b)
{
	if (a == b) return 0;
	uint64_t key = (uint64_t)a << 32 | b, known = map64_get(&r->excess, key);
	if (known != MAP64_NONE) return (uint32_t)known;
	uint32_t n_a, n_b, most = 0;
	const struct cost_emit *x = cost_row(r, a, &n_a), *y = cost_row(r, b, &n_b);
	for (uint32_t j = 0; j < n_b && most != COSTS_NONE; j++) {
		uint32_t least = COSTS_NONE;
		for (uint32_t i = 0; i < n_a; i++) {
			if (x[i].terminal != y[j].terminal || !contains(r, x[i].remainder, y[j].remainder)) continue;
			uint32_t more = x[i].weight > y[j].weight ? x[i].weight - y[j].weight : 0;
			if (more < least) least = more;
		}
		if (least == COSTS_NONE || least > most) most = least;
	}
	map64_put(&r->excess, key, most);
	return most;
}

// In how many tokens can blanks be spelled?
static void find_blanks(struct cost_rows *r)
{
	const struct trie *trie = r->walker->trie;
	bool has[COSTS_MAX_COLUMN + 1] = {false};
	uint32_t len = 0;
	for (trie_node t = 1; t < trie->n_nodes && len < COSTS_MAX_COLUMN;) {  // down the path of blanks
		if (trie->byte[t] != ' ') {
			t = trie->end[t];
			continue;
		}
		has[++len] = trie->rank[t] != trie->rank[t + 1];
		if (trie->end[t] == t + 1) break;
		trie_node end = trie->end[t++];
		while (t < end && trie->byte[t] != ' ') t = trie->end[t];
		if (t >= end) break;
	}
	for (uint32_t n = 1; n <= COSTS_MAX_COLUMN; n++) {
		r->blank_tokens[n] = COSTS_MAX_WEIGHT;
		for (uint32_t k = 1; k <= n; k++)
			if (has[k] && r->blank_tokens[n - k] + 1 < r->blank_tokens[n])
				r->blank_tokens[n] = r->blank_tokens[n - k] + 1;
	}
}

// Is a last newline supplied, and does it end each pending newline, at column 0?
static bool is_newline_supplied(const struct lexer *x)
{
	if (!x->indentation || !x->indentation->end_newline) return false;
	for (lex_state q = 1; q < x->n_states; q++)
		for (const struct lex_info *way = &x->info[q]; way && lexer_next(x, q, '\n') & LEX_CUT;
		     way = lexer_also(x, way))
			if (way->flags & LEX_LINE) return false;
	return true;
}

// ASCII but for letters and digits.
static bool is_mark(uint8_t byte)
{
	const uint8_t low = byte | 32;
	return byte < 127 && !(byte >= '0' && byte <= '9') && !(low >= 'a' && low <= 'z');
}

// What an aligned model keeps of remainders: tokens that begin there; in a joined one, what stands in a token behind a
// blank or a mark, or a blank and a mark, too.
static void find_kept(struct cost_rows *r)
{
	const struct trie *trie = r->walker->trie;
	r->keeps = mem_calloc(trie->n_nodes + 1, 1);
	for (trie_node t = 1; t < trie->n_nodes; t = trie->end[t]) r->keeps[t] = 1;
	for (trie_node t = 1; t < trie->n_nodes && r->model == COSTS_JOINED; t = trie->end[t]) {
		if (!is_mark(trie->byte[t])) continue;
		for (trie_node c = t + 1; c < trie->end[t]; c = trie->end[c]) {
			r->keeps[c] = 2;
			for (trie_node k = c + 1; k < trie->end[c] && trie->byte[t] == ' ' && is_mark(trie->byte[c]);
			     k = trie->end[k])
				r->keeps[k] = 3;
		}
	}
}

void cost_rows_init(struct cost_rows *r, const struct lexer *lexer, uint32_t n_terminals, struct walker *w,
                    enum cost_model model, uint32_t max_column)
{
	*r = (struct cost_rows){
		.lexer = lexer, .walker = w, .model = model, .pending_line = n_terminals, .max_column = max_column};
	r->supplied = is_newline_supplied(lexer);
	if (lexer->indentation) find_blanks(r);
	find_kept(r);
	intern_add(&r->rows, NULL, 0, NULL);
	r->of_state = mem_calloc(lexer->n_states, sizeof *r->of_state);
	find_all_rows(r, n_terminals);
}

void cost_rows_release(struct cost_rows *r)
{
	intern_release(&r->rows);
	intern_release(&r->looks);
	intern_release(&r->remainder_keys);
	vec_release(&r->of_remainder);
	map64_release(&r->aligned);
	map64_release(&r->contains);
	intern_release(&r->nesting_keys);
	vec_release(&r->nestings);
	vec_release(&r->nested);
	vec_release(&r->beaten);
	map64_release(&r->restricted);
	map64_release(&r->excess);
	vec_release(&r->work);
	free(r->keeps);
	free(r->of_state), free(r->by_number);
	*r = (struct cost_rows){0};
}
