// Long bounds of lengths: the lexer counts the characters of a chunk, the parser counts chunks (repeats.c).
//
// In:  a least and a most number of characters. Out: a nonterminal of the strings between them.
// A string is an opening quote, chunks of CHUNK characters each, and a tail of fewer with the closing quote.
// White space is ignored between terminals, so quotes and chunks hold it off.
// Cost: states of the lexer for CHUNK characters, and up to as many for each bound; productions of repeats.c.
#include "internal.h"

#define CHUNK 128u  // few tokens hold more characters, so few reach beyond two chunks

struct lengths {
	struct repeats chunks;
};

// The tail of a string behind all of its chunks.
static symbol tail_of(struct repeats *x, uint64_t least, uint64_t most)
{
	uint32_t longest = most == REPEATS_NO_MOST ? TERM_UNBOUNDED : most < CHUNK ? (uint32_t)most : CHUNK - 1;
	return rules_tail(x->s->rules, (uint32_t)least, longest);
}

symbol lengths_symbol(struct schema *s, struct strings bounds, bool alone)
{
	struct lengths *x = s->lengths;
	if (!x) {
		x = s->lengths = mem_calloc(1, sizeof *x);
		repeats_init(&x->chunks, s, rules_chunk(s->rules, CHUNK), CHUNK);
		x->chunks.name = "characters", x->chunks.tail = tail_of;
	}
	const uint64_t most = bounds.most == TERM_UNBOUNDED ? REPEATS_NO_MOST : bounds.most;
	const symbol rhs[] = {rules_quote(s->rules, bounds, alone), repeats_between(&x->chunks, bounds.least, most)};
	const symbol whole = rules_nonterminal(s->rules, "characters", (struct loc){0});
	rules_add(s->rules, whole, rhs, 2);
	return whole;
}

void lengths_free(struct lengths *x)
{
	if (!x) return;
	repeats_release(&x->chunks);
	free(x);
}
