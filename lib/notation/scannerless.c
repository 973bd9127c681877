// Rules over pieces -> struct grammar, in which a lexer reads exactly the texts that reading by character would.
//
// In:  rules; all notations of this folder mean: any way of cutting a text counts. Out: terminals, productions.
// The core's lexer takes the longest match, and of equal ones the first (docs/language.md). That loses nothing exactly
// when it never has a choice, so the largest regular parts are made terminals first, and then looked at: for each two
// terminals A, B that compete on some stack (A = B counts)
//   - no text is a lexeme of both (A != B), and
//   - where a lexeme of A can go on towards one of B, it goes on with a byte that nothing behind A begins with.
// If so, the next byte says at each place whether a lexeme ends there, and which one it is: every cut that a sentence
// needs is the lexer's. What breaks this is taken apart (a sequence into its items, a text into characters, a set of
// characters or control tokens into classes that the grammar does not tell apart) and the grammar is made again, until
// nothing does: single characters of disjoint classes never break it, so it ends.
// Text before the whole of a token ends where a token does: scannerless_tokens.c.
// Who competes and what is behind comes from the LR(1) automaton of the grammar so made (lr.h): exact.
// Cost: a build of the automaton and DFAs of new terminals a round; rounds at most as many as pieces are deep, nearly
// always 1 to 4.
#include "scannerless_internal.h"

bool scannerless_is_terminal(const struct scannerless *m, piece_id p)
{
	const struct rule_piece *x = &m->r->pieces.at[p];
	return (x->kind == PIECE_TERM || x->is_regular) && !(p < m->broken.n && m->broken.at[p]);
}

void scannerless_set_broken(struct scannerless *m, piece_id p)
{
	while (m->broken.n <= p) vec_push(&m->broken, 0);
	m->broken.at[p] = 1;
}

bool scannerless_grammar(struct notation_rules *r, struct grammar *g)
{
	struct scannerless m = {.r = r, .cache = regex_cache_new()};
	m.n_whole = r->rule.n;
	m.whole = regular_rules(r, &m.keep);
	bool ok = true, changed = true;
	while (ok && changed) {
		work_check();
		scannerless_write(&m);
		if (m.splits_at_tokens) scannerless_split_at_tokens(&m);
		struct grammar made = {0};
		ok = grammar_of_draft(&m.draft, r->diag, &made) && scannerless_look(&m, &made, &changed);
		if (ok && !changed) {
			*g = made;
			for (uint32_t t = 0; t < g->n_terminals; t++) {
				g->terminals[t].pattern = term_copy(g->terminals[t].pattern, &g->arena);
				g->terminals[t].drops_empty = g->terminals[t].is_scannerless = true;
			}
		} else
			grammar_release(&made);
		grammar_draft_release(&m.draft);
		arena_release(&m.arena);
	}
	regex_cache_free(m.cache);
	languages_free(m.languages);
	arena_release(&m.keep);
	vec_release(&m.broken), vec_release(&m.apart), vec_release(&m.known), vec_release(&m.symbol),
		vec_release(&m.terminal);
	vec_release(&m.rules_to_do), vec_release(&m.atoms), vec_release(&m.of_terminal);
	return ok;
}
