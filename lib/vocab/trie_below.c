// Which kinds of characters lie below each node of the trie, and how many characters tokens have.
//
// In:  a trie that has been checked. Out: trie.below, trie.chars. A node stands where a character begins, whatever the
// path to it holds: walks ask there only. Children come behind their parents, so one pass from the last node to the
// first does it. Recursion is as deep as a character has bytes. Cost: two look-ups a node, a millisecond for Llama-3.
#include "../shared/utf8_kinds.h"
#include "internal.h"

// The kinds below `node`, which stands inside a character: left.more of its bytes are still to come.
static uint64_t below_inside(const struct trie *t, const uint64_t *below, trie_node node, struct character_shape left)
{
	const struct character_shape rest = {left.more - 1u, 0x80, 0xBF};
	uint64_t all = t->rank[node] != t->rank[node + 1] ? (uint64_t)1 << CHARACTER_BROKEN : 0;
	for (trie_node c = node + 1; c < t->end[node]; c = t->end[c])
		all |= t->byte[c] < left.low || t->byte[c] > left.high ? (uint64_t)1 << CHARACTER_BROKEN
		       : rest.more                                     ? below_inside(t, below, c, rest)
		                                                       : below[c];
	return all;
}

void trie_find_below(struct arena *arena, struct trie *t)
{
	uint64_t *below = arena_array(arena, t->n_nodes, sizeof *below);
	uint8_t kinds[256];
	for (uint32_t b = 0; b < 256; b++) kinds[b] = (uint8_t)character_kind((uint8_t)b);
	for (trie_node n = t->n_nodes; n-- > 0;) {
		uint64_t all = 0;
		for (trie_node c = n + 1, end = t->end[n]; c < end; c = t->end[c]) {
			const uint32_t kind = kinds[t->byte[c]];
			all |= (uint64_t)1 << kind;
			if (kind < CHARACTER_FIRST_LONG)
				all |= below[c];
			else if (kind != CHARACTER_BROKEN)
				all |= below_inside(t, below, c, character_shape(kind));
		}
		below[n] = all;
	}
	t->below = below;
}

void trie_find_chars(struct vocab *v)
{
	uint32_t *chars = arena_array(&v->arena, v->n_ranks, sizeof *chars);
	for (uint32_t r = 0; r < v->n_ranks; r++) {
		const token_id t = v->token_of[r];
		for (uint32_t i = v->offset[t]; i < v->offset[t + 1]; i++) chars[r] += !utf8_continues(v->bytes[i]);
	}
	v->trie.chars = chars;
}
