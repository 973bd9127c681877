// Subtrees of the trie that a walk passes over: all that is written there keeps the lexer's state as it is.
//
// In:  a lex_state. Out: the kinds of characters (shared/utf8_kinds.h) of which each leads back to it, with no cut on
// the way. The trie knows which kinds lie below a node, so one test of two words tells whether a walk may pass. Inside
// a string of JSON nine tenths of a vocabulary are passed over so.
// Recursion is as deep as a character has bytes. Cost: a look-up for each state and first byte that kinds or byte
// classes tell from others; once for each state that a walk comes to.
#include "../shared/utf8_kinds.h"
#include "walk_internal.h"

// Do all bytes low..high, and `more` continuation bytes behind each, lead from `at` back to s?
static bool leads_back(const struct lexer *x, lex_state at, struct character_shape left, lex_state s)
{
	const struct character_shape rest = {left.more - 1u, 0x80, 0xBF};
	uint32_t last = LEX_DEAD;  // equal neighbours are looked at once
	for (uint32_t b = left.low; b <= left.high; b++) {
		const uint32_t to = lexer_next(x, at, (uint8_t)b);
		if (to == last && b > left.low) continue;
		if (to == LEX_DEAD || to & ~LEX_STATE_MASK) return false;
		if (rest.more ? !leads_back(x, to, rest, s) : to != s) return false;
		last = to;
	}
	return true;
}

void walker_find_first_bytes(struct walker *w)
{
	bits seen[BITS_WORDS(CHARACTER_KINDS * 256u)] = {0};  // [kind, byte class]
	struct walk_first_byte found[256];
	uint32_t n = 0, *first = w->first_of_kind;
	for (uint32_t b = 0; b < 256; b++) {
		const uint32_t kind = character_kind((uint8_t)b), pair = kind * 256u + w->lexer->class_of[b];
		if (kind == CHARACTER_BROKEN || bits_test(seen, pair)) continue;
		bits_set(seen, pair);
		found[n++] = (struct walk_first_byte){(uint8_t)b, (uint8_t)kind};
		first[kind + 1]++;
	}
	for (uint32_t kind = 0; kind < CHARACTER_KINDS; kind++) first[kind + 1] += first[kind];
	uint32_t at[CHARACTER_KINDS];
	memcpy(at, first, sizeof at);
	for (uint32_t i = 0; i < n; i++) w->first_bytes[at[found[i].kind]++] = found[i];
	w->n_first_bytes = n;
}

uint64_t walker_find_keeps(struct walker *w, lex_state s)
{
	uint64_t leaves = 0;
	for (uint32_t i = 0; i < w->n_first_bytes; i++) {
		const uint32_t kind = w->first_bytes[i].kind, to = lexer_next(w->lexer, s, w->first_bytes[i].byte);
		if (leaves >> kind & 1) continue;
		const bool is_long = kind >= CHARACTER_FIRST_LONG;
		const bool keeps =
			is_long ? to != LEX_DEAD && !(to & ~LEX_STATE_MASK) && leads_back(w->lexer, to, character_shape(kind), s)
					: to == s;
		if (!keeps) leaves |= (uint64_t)1 << kind;
	}
	const uint64_t all = ((uint64_t)1 << CHARACTER_KINDS) - 1;
	return w->keeps[s] = (all & ~leaves) | PASS_KNOWN;
}
