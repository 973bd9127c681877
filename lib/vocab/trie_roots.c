// Where a trie is cut into fragments: parts that walks from one lex_state share (tables/walk.c).
//
// In:  a trie that has been checked. Out: trie.roots. Of each size, the first node on each path with at most so many
// nodes below it, if there are enough: as many fragments lie in each other as there are sizes.
// Cost: a look at each node above the smallest fragments, for each size; a millisecond for Llama-3.
#include "../base/bitset.h"
#include "internal.h"

#define FRAGMENT_MIN 16u  // nodes below the root: fewer are walked faster than looked up

void trie_find_roots(struct arena *arena, struct trie *t)
{
	static const uint32_t most[TRIE_ROOT_SIZES] = {32768, 4096, 512, 64};
	bits *roots = arena_array(arena, BITS_WORDS(t->n_nodes + 1), sizeof *roots);
	for (uint32_t i = 0; i < TRIE_ROOT_SIZES; i++)
		for (trie_node n = 1; n < t->n_nodes;) {
			const uint32_t below = t->end[n] - n - 1;
			if (below >= FRAGMENT_MIN && below <= most[i]) bits_set(roots, n);
			n = below <= most[i] ? t->end[n] : n + 1;
		}
	t->roots = roots;
}
