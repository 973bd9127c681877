// Lexer states whose masks are those of another one, less some tokens: as where up to so many blanks may stand.
//
// In:  the lexer's chains (lexer.h), where tokens can end. Out: struct shared_starts.
// Behind one blank more, a token is refused that has too many blanks, and nothing else changes, whatever the parser
// wants. So the states of a stretch have the starts of the first one, and a set of tokens each that a mask leaves out
// (docs/algorithm.md, 3). This is exact where
//   - both states end as the same terminal, with the same obligation, and their cuts leave rests of the same kind:
//     those of the state are some of those of the first one. Rests are read one by one, so what is left of them is
//     allowed as before;
//   - no token is below two of these rests, nor in one and inside of the lexeme;
//   - what stays inside is allowed on every stack, in each context of the state, from both states;
//   - a text has one reading, so that no other reading allows the tokens.
// Of these tokens only those are kept that some mask of the first state has: told when the tables are made.
// Cost: the outcomes of each state, once; the nodes that the starts reach.
#include "automaton.h"
#include "tables.h"

#include "../../formats/artifact.h"

#define FEW_RANGES 512u  // of tokens that stay inside: strings have thousands, and what is gone is dear to find

// What tokens do from a state.
struct ways {
	struct outcomes o;
	const trie_node *rest;  // behind the only cut
	uint32_t n_rest;
	set_id stay;  // tokens inside of the lexeme
};

// The first state of those that share, and the one that is asked.
struct sharing {
	lex_state first;  // LEX_DEAD: none
	struct ways of_first, here;
	bits *safe;      // [n_lex_states] allowed on every stack, in each context of the first state; not all are known
	node_list gone;  // scratch
};

static bool few_stay(const struct builder *b, const struct outcomes *o)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < o->n_stays && n <= FEW_RANGES; i++) n += tokensets_n_ranges(b->sets, o->stays[i].tokens);
	return n <= FEW_RANGES;
}

static set_id staying(struct builder *b, const struct outcomes *o)
{
	VEC(set_id) sets = {0};
	for (uint32_t i = 0; i < o->n_stays; i++) vec_push(&sets, o->stays[i].tokens);
	const set_id all = sets.n ? tokensets_union(b->sets, sets.at, sets.n) : SET_EMPTY;
	vec_release(&sets);
	return all;
}

static set_id below(struct builder *b, const trie_node *nodes, uint32_t n)
{
	const struct trie *t = b->whole.trie;
	rank_ranges ranges = {0};
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t from = t->rank[nodes[i]], to = t->rank[t->end[nodes[i]]];
		if (from < to) rank_ranges_push(&ranges, from, to);
	}
	const set_id tokens = ranges.n ? tokensets_add(b->sets, ranges.at, ranges.n) : SET_EMPTY;
	vec_release(&ranges);
	return tokens;
}

// False: they are not told apart by what is gone.
static bool find_ways(struct builder *b, lex_state q, struct ways *x)
{
	const struct lex_info *info = &b->lexer->info[q];
	*x = (struct ways){.o = walker_outcomes(&b->whole, q, REMAINDER_WHOLE)};
	if (info->also || info->flags & (LEX_INITIAL | LEX_LINE | LEX_NEWLINE)) return false;
	if (!few_stay(b, &x->o) || x->o.n_cuts > 1) return false;
	if (x->o.n_cuts && remainder_is_end(x->o.cuts[0].remainder)) return false;
	if (x->o.n_cuts) x->rest = walker_nodes(&b->whole, x->o.cuts[0].remainder, &x->n_rest);
	x->stay = staying(b, &x->o);
	return true;
}

// Is each token of the first state below one rest only, or inside of the lexeme? So it is then of those that share.
static bool are_apart(struct builder *b, const struct ways *x)
{
	const struct trie *t = b->whole.trie;
	for (uint32_t i = 1; i < x->n_rest; i++)
		if (t->end[x->rest[i - 1]] > x->rest[i]) return false;
	return tokensets_without(b->sets, x->stay, below(b, x->rest, x->n_rest)) == x->stay;
}

bool nodes_beside(const trie_node *all, uint32_t n_all, const trie_node *some, uint32_t n, node_list *gone)
{
	uint32_t i = 0;
	vec_clear(gone);
	for (uint32_t k = 0; k < n_all; k++)
		if (i < n && some[i] == all[k])
			i++;
		else
			vec_push(gone, all[k]);
	return i == n;
}

// Do both end as the same terminal, with the same obligation, and are their cuts of one kind?
static bool end_alike(const struct builder *b, lex_state q, lex_state first, const struct ways *x, const struct ways *y)
{
	const struct lex_info *i = &b->lexer->info[q], *k = &b->lexer->info[first];
	if (i->terminal != k->terminal || i->obligation != k->obligation || i->flags != k->flags) return false;
	if (!x->o.n_cuts) return true;
	if (!y->o.n_cuts || x->o.cuts[0].terminal != y->o.cuts[0].terminal) return false;
	const remainder_id r = x->o.cuts[0].remainder, s = y->o.cuts[0].remainder;
	return walker_obligation(&b->whole, r) == walker_obligation(&b->whole, s) &&
	       walker_is_line(&b->whole, r) == walker_is_line(&b->whole, s);
}

// Is what stays inside allowed on every stack, in each context of the first state?
static bool are_safe(const struct builder *b, const struct live_pairs *live, struct sharing *x)
{
	bool safe = true;
	for (uint32_t k = 0; k < x->here.o.n_stays && safe; k++) {
		const lex_state to = outcomes_to(&x->here.o, k);
		if (bits_test(x->safe, to)) continue;
		for (uint32_t i = live->at[x->first]; i < live->at[x->first + 1] && safe; i++)
			safe = viability_is_safe(&b->viable, to, live->pair.at[i].context);
		if (safe) bits_set(x->safe, to);
	}
	return safe;
}

// Can the first state be where a token ends wherever q can?
static bool lives_there(const struct live_pairs *live, lex_state q, lex_state first)
{
	bool lives = true;
	for (uint32_t i = live->at[q]; i < live->at[q + 1] && lives; i++)
		lives = live_pairs_start(live, first, live->pair.at[i].context) != LIVE_NO_START;
	return lives;
}

// Do the masks of q follow from those of `first`? Then what they leave out.
static bool follows(struct builder *b, const struct live_pairs *live, struct sharing *x, lex_state q)
{
	if (x->first == LEX_DEAD || !end_alike(b, q, x->first, &x->here, &x->of_first)) return false;
	if (!nodes_beside(x->of_first.rest, x->of_first.n_rest, x->here.rest, x->here.n_rest, &x->gone)) return false;
	if (tokensets_without(b->sets, x->here.stay, x->of_first.stay) != SET_EMPTY) return false;
	return lives_there(live, q, x->first) && are_safe(b, live, x);
}

// The state that is asked may be the first one of others.
static void begin(struct builder *b, const struct live_pairs *live, struct sharing *x, lex_state q)
{
	x->first = q, x->of_first = x->here;
	memset(x->safe, 0, BITS_WORDS(b->lexer->n_states) * sizeof *x->safe);
	if (!are_apart(b, &x->here) || !are_safe(b, live, x)) x->first = LEX_DEAD;
}

// q has the starts of x->first, less what is gone.
static void share(struct builder *b, const struct sharing *x, lex_state q, struct shared_starts *out)
{
	const set_id stay = tokensets_without(b->sets, x->of_first.stay, x->here.stay);
	if (!out->members.n || out->of[out->members.at[out->members.n - 1]] != x->first) {
		vec_push(&out->first_member, out->members.n);
		vec_push(&out->members, x->first);
	}
	vec_push(&out->members, q);
	out->of[q] = x->first;
	out->without[q] = tokensets_union(b->sets, (set_id[]){stay, below(b, x->gone.at, x->gone.n)}, 2);
}

// A stretch ends before the last state, which has no step on. That one may share, too.
static void share_last(struct builder *b, const struct live_pairs *live, struct sharing *x, lex_state before,
                       struct shared_starts *out)
{
	const struct lexer *lexer = b->lexer;
	const struct lexer_chains *h = &lexer->chains;
	lex_state last = LEX_DEAD;
	for (uint32_t c = 0; c < lexer->n_classes && x->first != LEX_DEAD; c++) {
		const lex_state q = lexer->next[(size_t)before * lexer->n_classes + c] & LEX_STATE_MASK;
		const bool is_apart = h->place[q] == UINT32_MAX || h->first[h->place[q]] == UINT32_MAX;
		if (q == LEX_DEAD || q == last || !is_apart || out->of[q] != q) continue;
		last = q;
		if (lexer->info[q].terminal != lexer->info[x->first].terminal) continue;
		if (find_ways(b, q, &x->here) && follows(b, live, x, q)) share(b, x, q, out);
	}
	x->first = LEX_DEAD;
}

void builder_share_starts(struct builder *b, const struct live_pairs *live, struct shared_starts *out)
{
	const struct lexer *lexer = b->lexer;
	const struct lexer_chains *h = &lexer->chains;
	if (!h->n) return;
	struct sharing x = {.first = LEX_DEAD, .safe = mem_calloc(BITS_WORDS(lexer->n_states), sizeof *x.safe)};
	out->of = mem_alloc(lexer->n_states * sizeof *out->of);
	out->without = mem_calloc(lexer->n_states, sizeof *out->without);
	for (lex_state q = 0; q < lexer->n_states; q++) out->of[q] = q;
	for (uint32_t p = 0; p < h->n; p++) {
		const lex_state q = h->members[p];
		if (h->first[p] == UINT32_MAX) continue;
		const bool is_told = find_ways(b, q, &x.here);
		if (is_told && follows(b, live, &x, q)) {
			share(b, &x, q, out);
		} else {
			x.first = LEX_DEAD;
			if (is_told) begin(b, live, &x, q);
		}
		if (p + 1 == h->n || h->first[p + 1] != h->first[p]) share_last(b, live, &x, q, out);
	}
	vec_release(&x.gone);
	free(x.safe);
}

// ---- What is left out, once the tables are made.

// The sets that masks of a state can have.
struct reachable {
	const struct tables *t;
	bits *sets, *nodes;  // met
	VEC(set_id) all;
	VEC(uint32_t) todo;  // nodes
};

static void reach(struct reachable *x, set_id tokens, uint32_t node)
{
	if (!bits_test(x->sets, tokens)) bits_set(x->sets, tokens), vec_push(&x->all, tokens);
	if (node && !bits_test(x->nodes, node)) bits_set(x->nodes, node), vec_push(&x->todo, node);
}

static void reach_nodes(struct reachable *x)
{
	while (x->todo.n) {
		const struct table_node *n = &x->t->nodes.at[vec_pop(&x->todo)];
		reach(x, n->tokens, n->next);
		for (uint32_t e = n->first_edge; e < n->first_edge + n->n_edges; e++)
			reach(x, x->t->edges.at[e].tokens, x->t->edges.at[e].next);
	}
}

void shared_starts_narrow(struct tables *t, const uint32_t *top_at)
{
	for (uint32_t g = 0, n; g < t->shared.first_member.n; g++) {
		const lex_state *q = shared_starts_group(&t->shared, g, &n);
		struct reachable x = {.t = t,
		                      .sets = mem_calloc(BITS_WORDS(t->sets.sets.entries.n) + 1, sizeof *x.sets),
		                      .nodes = mem_calloc(BITS_WORDS(t->nodes.n) + 1, sizeof *x.nodes)};
		for (uint32_t i = t->live.at[q[0]]; i < t->live.at[q[0] + 1]; i++) {
			const struct live_pair pair = t->live.pair.at[i];
			const struct table_start *start = t->starts.at + pair.start;
			for (uint32_t k = top_at[pair.context]; k < top_at[pair.context + 1]; k++, start++)
				reach(&x, start->tokens, start->node);
		}
		reach_nodes(&x);
		const set_id all = tokensets_union(&t->sets, x.all.at, x.all.n);
		for (uint32_t i = 1; i < n; i++) {
			set_id *without = &t->shared.without[q[i]];
			*without = tokensets_without(&t->sets, *without, tokensets_without(&t->sets, *without, all));
		}
		vec_release(&x.all), vec_release(&x.todo);
		free(x.sets), free(x.nodes);
	}
}

const lex_state *shared_starts_group(const struct shared_starts *x, uint32_t group, uint32_t *n)
{
	const uint32_t first = x->first_member.at[group],
				   end = group + 1 < x->first_member.n ? x->first_member.at[group + 1] : x->members.n;
	*n = end - first;
	return x->members.at + first;
}

void shared_starts_release(struct shared_starts *x)
{
	free(x->of), free(x->without);
	vec_release(&x->members), vec_release(&x->first_member);
}
