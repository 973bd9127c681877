// Least fixpoint over the lexer's steps, backwards.
//
// In:  a lexer. Out: its steps as lists; rows closed under them.
// States are numbered about as a breadth-first search meets them, so each round goes from the last to the first, and
// most rows are whole after one. A step is taken again only where the row at its end has grown since.
// Cost: steps x words, and a look at each step for each further round.
#include "lex_edges.h"

#include "../../formats/artifact.h"

void lex_edges_find(const struct lexer *x, struct lex_edges *e)
{
	*e = (struct lex_edges){.first = mem_calloc((size_t)x->n_states + 1, sizeof *e->first)};
	lex_state *seen_from = mem_calloc(x->n_states, sizeof *seen_from);  // 0, the dead state: from none
	for (lex_state q = 1; q < x->n_states; q++) {
		const uint32_t *row = x->next + (size_t)q * x->n_classes;
		e->first[q] = e->to.n;
		seen_from[LEX_DEAD] = seen_from[q] = q;
		for (uint32_t c = 0; c < x->n_classes; c++) {
			const lex_state to = row[c] & LEX_STATE_MASK;
			if (seen_from[to] == q) continue;
			seen_from[to] = q;
			vec_push(&e->to, to);
		}
	}
	e->first[x->n_states] = e->to.n;
	free(seen_from);
}

void lex_edges_release(struct lex_edges *e)
{
	free(e->first);
	vec_release(&e->to);
}

void lex_edges_spread_back(const struct lexer *x, const struct lex_edges *e, bool also, bits *rows, uint32_t words)
{
	uint32_t *grew = mem_calloc(x->n_states, sizeof *grew);  // [lex_state] the last round in which its row did
	bool changed = true;
	for (uint32_t round = 1; changed; round++) {
		changed = false;
		for (lex_state q = x->n_states; q-- > 1;) {
			bits *row = rows + (size_t)q * words;
			bool grows = false;
			for (uint32_t i = e->first[q]; i < e->first[q + 1]; i++) {
				const lex_state to = e->to.at[i];
				// Behind q it has been looked at in this round already, before q in the last one for the last time.
				if (round > 1 && grew[to] != round && (to > q || grew[to] + 1 != round)) continue;
				grows |= bits_union(row, rows + (size_t)to * words, words);
			}
			if (also && x->info[q].also) grows |= bits_union(row, rows + (size_t)x->info[q].also * words, words);
			if (grows) grew[q] = round, changed = true;
		}
	}
	free(grew);
}
