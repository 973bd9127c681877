// Starts of a lex_state told from those of the state before it in a chain (lexer.h), as where blanks are counted.
//
// In:  a state, and the one before it in its stretch, whose starts are made. Out: its starts, each told from one of
// that one's and the tokens that are gone (struct table_less). So the set itself is never made.
// Behind one blank more, a token is refused that has too many blanks, and nothing else changes, whatever the parser
// wants. So the tokens that are gone are found once for the state. This is exact where
//   - both states end as the same terminal, with the same obligation, and their cuts leave rests of the same kind:
//     those of the state are some of those of the state before it. Rests are read one by one, so what is left of them
//     is allowed as before;
//   - no token is below two of these rests, nor in one and inside of the lexeme;
//   - what stays inside is allowed in the context, on every stack, of both states;
//   - the start before asks no frame: its set is all of the answer.
// Cost: the outcomes of both states, once; then a look-up for each start.
#include "automaton.h"

#include "../../formats/artifact.h"

#define FEW_RANGES 512u  // of tokens that stay inside: strings have thousands, and what is gone is dear to find

// Not where they move along the chain: then nearly all change.
static bool few_stay(const struct builder *b, const struct outcomes *o)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < o->n_stays && n <= FEW_RANGES; i++) n += tokensets_n_ranges(b->sets, o->stays[i].tokens);
	return !o->n_moved && n <= FEW_RANGES;
}

// All tokens that stay inside the lexeme.
static set_id staying(struct builder *b, const struct outcomes *o)
{
	VEC(set_id) sets = {0};
	for (uint32_t i = 0; i < o->n_stays; i++) vec_push(&sets, o->stays[i].tokens);
	const set_id all = sets.n ? tokensets_union(b->sets, sets.at, sets.n) : SET_EMPTY;
	vec_release(&sets);
	return all;
}

// The rest behind the only cut; NULL: there is none.
static const trie_node *rest_of(const struct builder *b, const struct outcomes *o, uint32_t *n)
{
	*n = 0;
	return o->n_cuts ? walker_nodes(&b->whole, o->cuts[0].remainder, n) : NULL;
}

// All tokens below the nodes. False: some node lies below another one.
static bool below(struct builder *b, const trie_node *nodes, uint32_t n, set_id *tokens)
{
	const struct trie *t = b->whole.trie;
	rank_ranges ranges = {0};
	bool apart = true;
	for (uint32_t i = 0; i < n && apart; i++) {
		const uint32_t from = t->rank[nodes[i]], to = t->rank[t->end[nodes[i]]];
		apart = !i || t->end[nodes[i - 1]] <= nodes[i];
		if (from < to) rank_ranges_push(&ranges, from, to);
	}
	*tokens = apart && ranges.n ? tokensets_add(b->sets, ranges.at, ranges.n) : SET_EMPTY;
	vec_release(&ranges);
	return apart;
}

static bool are_some_of(const trie_node *some, uint32_t n, const trie_node *all, uint32_t n_all)
{
	uint32_t k = 0;
	for (uint32_t i = 0; i < n; i++) {
		while (k < n_all && all[k] < some[i]) k++;
		if (k == n_all || all[k] != some[i]) return false;
	}
	return true;
}

// Do both end as the same terminal, with the same obligation?
static bool end_alike(const struct builder *b, lex_state q, lex_state before)
{
	const struct lex_info *x = &b->lexer->info[q], *y = &b->lexer->info[before];
	return x->terminal == y->terminal && x->obligation == y->obligation && x->flags == y->flags && !x->also &&
	       !y->also && !(x->flags & (LEX_INITIAL | LEX_LINE | LEX_NEWLINE)) && !b->lexer->indentation;
}

// At most one cut each, of the same kind.
static bool cut_alike(const struct builder *b, const struct outcomes *o, const struct outcomes *before)
{
	if (o->n_cuts > 1 || before->n_cuts > 1 || o->n_cuts > before->n_cuts) return false;
	if (!o->n_cuts) return true;
	const remainder_id x = o->cuts[0].remainder, y = before->cuts[0].remainder;
	return o->cuts[0].terminal == before->cuts[0].terminal && !remainder_is_end(x) && !remainder_is_end(y) &&
	       walker_obligation(&b->whole, x) == walker_obligation(&b->whole, y) &&
	       walker_is_line(&b->whole, x) == walker_is_line(&b->whole, y);
}

// More are no count of blanks.
static bool is_few(struct builder *b, set_id gone)
{
	uint32_t n, tokens = 0;
	rank_ranges buffer = {0};
	const struct rank_range *r = tokensets_get(b->sets, gone, &buffer, &n);
	for (uint32_t i = 0; i < n && tokens <= ARTIFACT_MAX_LESS; i++) tokens += r[i].to - r[i].from;
	vec_release(&buffer);
	return tokens <= ARTIFACT_MAX_LESS;
}

#define CHAIN_UNIT 64u  // places that one builder makes: longer stretches are shared out

lex_state builder_before(const struct builder *b, lex_state q)
{
	const struct lexer_chains *h = &b->lexer->chains;
	const uint32_t place = h->n ? h->place[q] : UINT32_MAX;
	if (place == UINT32_MAX || h->first[place] == UINT32_MAX) return LEX_DEAD;
	return (place - h->first[place]) % CHAIN_UNIT ? h->members[place - 1] : LEX_DEAD;
}

lex_state builder_behind(const struct builder *b, lex_state q)
{
	const struct lexer_chains *h = &b->lexer->chains;
	const uint32_t place = h->n ? h->place[q] : UINT32_MAX;
	if (place == UINT32_MAX || h->first[place] == UINT32_MAX || place + 1 == h->n) return LEX_DEAD;
	return builder_before(b, h->members[place + 1]) == q ? h->members[place + 1] : LEX_DEAD;
}

bool builder_follows(struct builder *b, lex_state q, lex_state before, struct following *x)
{
	if (!end_alike(b, q, before)) return false;
	x->here = walker_outcomes(&b->whole, q, REMAINDER_WHOLE);
	x->before = walker_outcomes(&b->whole, before, REMAINDER_WHOLE);
	if (!few_stay(b, &x->here) || !few_stay(b, &x->before)) return false;
	uint32_t n, n_before;
	const trie_node *rest = rest_of(b, &x->here, &n), *rest_before = rest_of(b, &x->before, &n_before);
	set_id cut, cut_before;
	if (!cut_alike(b, &x->here, &x->before) || !are_some_of(rest, n, rest_before, n_before)) return false;
	if (!below(b, rest, n, &cut) || !below(b, rest_before, n_before, &cut_before)) return false;
	const set_id stay = staying(b, &x->here), stay_before = staying(b, &x->before);
	if (tokensets_without(b->sets, stay, stay_before) != SET_EMPTY) return false;
	if (tokensets_without(b->sets, stay_before, cut_before) != stay_before) return false;
	const set_id all = tokensets_union(b->sets, (set_id[]){stay, cut}, 2),
				 all_before = tokensets_union(b->sets, (set_id[]){stay_before, cut_before}, 2);
	x->gone = tokensets_without(b->sets, all_before, all);
	return is_few(b, x->gone);
}

static bool all_safe(const struct builder *b, const struct outcomes *o, uint32_t context)
{
	bool safe = true;
	for (uint32_t i = 0; i < o->n_stays && safe; i++) safe = viability_is_safe(&b->viable, outcomes_to(o, i), context);
	return safe;
}

bool builder_follows_in(const struct builder *b, const struct following *x, uint32_t context)
{
	return all_safe(b, &x->here, context) && all_safe(b, &x->before, context);
}

uint32_t builder_less(struct builder *b, uint32_t tokens, set_id gone)
{
	if (gone == SET_EMPTY || tokens == SET_EMPTY) return tokens;
	const uint64_t key = (uint64_t)tokens << 32 | gone, known = map64_get(&b->less_of, key);
	if (known != MAP64_NONE) return TABLES_LESS | (uint32_t)known;
	const set_id root = tokens & TABLES_LESS ? b->less.at[tokens & ~TABLES_LESS].root : tokens;
	map64_put(&b->less_of, key, b->less.n);
	vec_push(&b->less, ((struct table_less){tokens, root, gone}));
	return TABLES_LESS | (b->less.n - 1);
}
