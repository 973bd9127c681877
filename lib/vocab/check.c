// Does a vocabulary keep its promises? Every invariant that vocab.h states, in one pass.
//
// In:  any struct vocab whose arrays have the lengths that vocab.h gives them.
// Out: NULL, or the promise that is broken. Reads no array outside its bounds whatever the numbers in it are, so
//      a compiled vocabulary from a file of unknown origin is judged by this.
// One walk over the trie with the open nodes' ends on a stack as deep as the longest token; each text token is
// compared with the bytes on the path. Time O(nodes + bytes).
#include "internal.h"

#define AHEAD 16u  // ranks

// Branches: one rule and one message for each thing that must hold of a token, of counts and of EOS ids.
static const char *check_tokens(const struct vocab *v)
{
	if (v->n_tokens > VOCAB_MAX_TOKENS) return "more tokens than VOCAB_MAX_TOKENS";
	if (v->offset[0] != 0) return "the first token's bytes do not begin at 0";
	uint32_t max = 0;
	uint64_t n_ranks = 0;
	for (token_id t = 0; t < v->n_tokens; t++) {
		if (v->offset[t] > v->offset[t + 1]) return "token offsets are not ascending";
		uint32_t len = v->offset[t + 1] - v->offset[t];
		if (v->kind[t] > TOKEN_CONTROL) return "a token's kind is unknown";
		if (v->kind[t] != TOKEN_TEXT && len) return "a token that is not text has bytes";
		if (len > VOCAB_MAX_TOKEN_LEN) return "a token is longer than VOCAB_MAX_TOKEN_LEN";
		if (len > max) max = len;
		n_ranks += len != 0;
	}
	if (max != v->max_token_len) return "max_token_len is not the longest token's length";
	if (n_ranks != v->n_ranks) return "n_ranks is not the number of text tokens";
	if (v->n_eos > VOCAB_MAX_EOS) return "more EOS ids than VOCAB_MAX_EOS";
	for (uint32_t i = 0; i < v->n_eos; i++) {
		if (v->eos[i] >= v->n_tokens) return "an EOS id is not in the vocabulary";
		if (i && v->eos[i] <= v->eos[i - 1]) return "EOS ids are not ascending";
		if (v->kind[v->eos[i]] != TOKEN_CONTROL) return "an EOS id is not a control token";
	}
	return NULL;
}

struct open_node {
	uint32_t end;
	int last_child;  // byte of the newest child, -1 when there is none
};

// Branches: one rule and one message for each thing that must hold of a node, checked in one pass over the trie.
static const char *check_trie(const struct vocab *v, struct open_node *open, uint8_t *path)
{
	// Copies, because writing to path could change anything, as far as the compiler knows.
	const uint32_t n_nodes = v->trie.n_nodes, n_ranks = v->n_ranks, max_depth = v->max_token_len;
	const uint32_t *end = v->trie.end, *rank = v->trie.rank, *token_of = v->token_of, *offset = v->offset;
	const uint8_t *byte = v->trie.byte, *bytes = v->bytes;
	if (n_nodes == 0 || end[0] != n_nodes) return "the trie's root does not span the trie";
	if (rank[0] != 0 || rank[1] != 0 || rank[n_nodes] != n_ranks) return "the trie's ranks do not span the ranks";
	if (byte[0] != 0) return "the trie's root has a byte";
	for (uint32_t r = 0; r < n_ranks; r++)
		if (token_of[r] >= v->n_tokens) return "a rank's token id is not in the vocabulary";
	open[0] = (struct open_node){n_nodes, -1};
	uint32_t depth = 0;
	for (trie_node i = 1; i < n_nodes; i++) {
		while (i == open[depth].end) depth--;  // ends only at 0 when i == n_nodes, which the loop excludes
		if (end[i] <= i || end[i] > open[depth].end) return "a trie node's subtree is not inside its parent's";
		if ((int)byte[i] <= open[depth].last_child) return "a trie node's children are not ascending";
		open[depth].last_child = byte[i];
		if (depth == max_depth) return "the trie is deeper than the longest token";
		path[depth++] = byte[i];
		open[depth] = (struct open_node){end[i], -1};
		uint32_t from = rank[i], to = rank[i + 1];
		if (from > to || to > n_ranks) return "the trie's ranks are not ascending";
		if (end[i] == i + 1 && from == to) return "a trie leaf has no token";
		for (uint32_t r = from; r < to; r++) {
			token_id id = token_of[r];
			if (r > from && id <= token_of[r - 1]) return "tokens of equal bytes are not in the order of their ids";
			// Ranks are in no order of ids: fetch what comes next while this one is compared.
			if (r + 2 * AHEAD < n_ranks) {
				__builtin_prefetch(&offset[token_of[r + 2 * AHEAD]]);
				__builtin_prefetch(bytes + offset[token_of[r + AHEAD]]);
			}
			const uint8_t *s = bytes + offset[id];
			if (offset[id + 1] - offset[id] != depth || memcmp(s, path, depth))
				return "a token's bytes are not those on its path in the trie";
		}
	}
	return NULL;
}

const char *vocab_check(const struct vocab *v)
{
	const char *broken = check_tokens(v);
	if (broken) return broken;
	struct open_node *open = mem_alloc(((size_t)v->max_token_len + 1) * sizeof *open);
	uint8_t *path = mem_alloc((size_t)v->max_token_len + 1);
	broken = check_trie(v, open, path);
	free(open), free(path);
	return broken;
}
