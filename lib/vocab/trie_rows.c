// What walks ask of a trie's nodes, in one row each; and how many characters tokens have.
//
// In:  a trie that has been checked. Out: trie.rows, trie.chars, and of fragments' roots the children. A row says
// which kinds of characters lie below its node: the node stands where a character begins, whatever the path to it
// holds; walks ask there only. Children come behind their parents, so one pass from the last node to the first does it.
// Rows say, too, where a trie is cut into fragments: parts that walks from one lex_state share (tables/walk.c). Of each
// size, that is the first node on each path with at most so many nodes below it, if there are enough: as many fragments
// lie in each other as there are sizes.
// Recursion is as deep as a character has bytes. Cost: two look-ups a node, and for each size a look at each node above
// the smallest fragments: two milliseconds for Llama-3.
#include "../base/bitset.h"
#include "../shared/utf8_kinds.h"
#include "internal.h"

#define FRAGMENT_MIN 16u  // nodes below the root: fewer are walked faster than looked up

static const uint64_t broken = (uint64_t)1 << CHARACTER_BROKEN;

// The kinds below `node`, which stands inside a character: left.more of its bytes are still to come.
static uint64_t below_inside(const struct trie *t, const struct trie_row *rows, trie_node node,
                             struct character_shape left)
{
	const struct character_shape rest = {left.more - 1u, 0x80, 0xBF};
	uint64_t all = t->rank[node] != t->rank[node + 1] ? broken : 0;
	for (trie_node c = node + 1; c < t->end[node]; c = t->end[c])
		all |= t->byte[c] < left.low || t->byte[c] > left.high ? broken
		       : rest.more                                     ? below_inside(t, rows, c, rest)
		                                                       : rows[c].byte_root_below & TRIE_ROW_BELOW;
	return all;
}

// The kinds below a node behind which all rows are there. kinds: of each first byte.
static uint64_t below(const struct trie *t, const struct trie_row *rows, const uint8_t kinds[256], trie_node node)
{
	uint64_t all = 0;
	for (trie_node c = node + 1, end = t->end[node]; c < end; c = t->end[c]) {
		const uint32_t kind = kinds[t->byte[c]];
		all |= (uint64_t)1 << kind;
		if (kind < CHARACTER_FIRST_LONG)
			all |= rows[c].byte_root_below & TRIE_ROW_BELOW;
		else if (kind != CHARACTER_BROKEN)
			all |= below_inside(t, rows, c, character_shape(kind));
	}
	return all;
}

static void mark_roots(const struct trie *t, struct trie_row *rows)
{
	static const uint32_t most[TRIE_ROOT_SIZES] = {32768, 4096, 512, 64};
	for (uint32_t i = 0; i < TRIE_ROOT_SIZES; i++)
		for (trie_node n = 1; n < t->n_nodes;) {
			const uint32_t n_below = t->end[n] - n - 1;
			if (n_below >= FRAGMENT_MIN && n_below <= most[i]) rows[n].byte_root_below |= TRIE_ROW_ROOT;
			n = n_below <= most[i] ? t->end[n] : n + 1;
		}
}

// The children of each root, so that a walk need not look at those with whose byte it does not go on.
static void list_children(struct arena *arena, struct trie *t, const struct trie_row *rows)
{
	const uint32_t words = BITS_WORDS(t->n_nodes + 1);
	bits *roots = arena_array(arena, words, sizeof *roots);
	uint32_t *before = arena_array(arena, words, sizeof *before), n = 0, n_children = 0;
	for (trie_node r = 0; r < t->n_nodes; r++) {
		if (r % 64 == 0) before[r / 64] = n;
		if (!(rows[r].byte_root_below & TRIE_ROW_ROOT)) continue;
		bits_set(roots, r), n++;
		for (trie_node c = r + 1; c < t->end[r]; c = t->end[c]) n_children++;
	}
	struct trie_children *children = arena_array(arena, n, sizeof *children), *next = children;
	trie_node *child = arena_array(arena, n_children, sizeof *child), *to = child;
	for (uint32_t r = bits_next(roots, words, 0); r != UINT32_MAX; r = bits_next(roots, words, r + 1), next++) {
		next->first = (uint32_t)(to - child);
		for (trie_node c = r + 1; c < t->end[r]; c = t->end[c]) bits_set(next->bytes, t->byte[c]), *to++ = c;
	}
	t->roots = roots, t->roots_before = before, t->children = children, t->child = child;
}

struct trie_row *trie_plain_rows(struct arena *arena, const struct trie *t)
{
	struct trie_row *rows = arena_array(arena, (size_t)t->n_nodes + 1, sizeof *rows);
	for (trie_node n = 0; n < t->n_nodes; n++)
		rows[n] = (struct trie_row){(uint64_t)t->byte[n] << 56, t->end[n], t->rank[n]};
	rows[t->n_nodes].rank = t->rank[t->n_nodes];
	return rows;
}

void trie_describe(struct vocab *v)
{
	struct trie *t = &v->trie;
	struct trie_row *rows = trie_plain_rows(&v->arena, t);
	uint8_t kinds[256];
	for (uint32_t b = 0; b < 256; b++) kinds[b] = (uint8_t)character_kind((uint8_t)b);
	for (trie_node n = t->n_nodes; n-- > 0;) rows[n].byte_root_below |= below(t, rows, kinds, n);
	mark_roots(t, rows);
	list_children(&v->arena, t, rows);
	uint32_t *chars = arena_array(&v->arena, v->n_ranks, sizeof *chars);
	for (uint32_t r = 0; r < v->n_ranks; r++) {
		const token_id id = v->token_of[r];
		for (uint32_t i = v->offset[id]; i < v->offset[id + 1]; i++) chars[r] += !utf8_continues(v->bytes[i]);
	}
	t->rows = rows, t->chars = chars;
	uint32_t *place_of = arena_array(&v->arena, v->n_tokens, sizeof *place_of);
	for (token_id id = 0; id < v->n_tokens; id++) place_of[id] = v->n_ranks + id;
	for (uint32_t r = 0; r < v->n_ranks; r++) place_of[v->token_of[r]] = r;
	v->place_of = place_of;
}
