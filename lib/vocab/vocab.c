// From tokens to a vocabulary: ranks, trie, hash.
//
// In:  every token's id, bytes and kind, the EOS ids.
// Out: struct vocab, whole.
// Text tokens are sorted by bytes: a least-significant-digit radix sort on the first eight bytes as a big-endian
// number, then each run of equal prefixes by comparing the rest. The trie comes out of the sorted list in preorder:
// each token adds nodes for what it does not share with the one before it (longest common prefix), and closes the
// subtrees below that. Time O(bytes of all tokens), space three words a node.
#define _GNU_SOURCE  // qsort_r
#include "internal.h"

#include "../shared/control.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "hash and files are defined on little-endian numbers");

struct sort_item {
	uint64_t prefix;
	token_id id;
	uint32_t len;
};

static int by_rest(const void *a, const void *b, void *vocab)
{
	const struct sort_item *x = a, *y = b;
	const struct vocab *v = vocab;
	int order = memcmp(v->bytes + v->offset[x->id], v->bytes + v->offset[y->id], x->len < y->len ? x->len : y->len);
	if (!order) order = (x->len > y->len) - (x->len < y->len);
	return order ? order : (x->id > y->id) - (x->id < y->id);
}

// One pass per byte of the prefix that is not the same in all items.
static struct sort_item *radix_sort(struct sort_item *from, struct sort_item *to, uint32_t n)
{
	static_assert(sizeof from->prefix == 8, "passes");
	uint32_t(*count)[256] = mem_calloc(8, sizeof *count);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t b = 0; b < 8; b++) count[b][from[i].prefix >> (8 * b) & 255]++;
	for (uint32_t b = 0; b < 8; b++) {
		if (n && count[b][from[0].prefix >> (8 * b) & 255] == n) continue;
		uint32_t at[256], sum = 0;
		for (uint32_t k = 0; k < 256; k++) at[k] = sum, sum += count[b][k];
		for (uint32_t i = 0; i < n; i++) to[at[from[i].prefix >> (8 * b) & 255]++] = from[i];
		struct sort_item *swap = from;
		from = to, to = swap;
	}
	free(count);
	return from;
}

static void make_ranks(struct vocab *v)
{
	struct sort_item *items = mem_alloc(2 * (size_t)v->n_tokens * sizeof *items);
	uint32_t n = 0;
	for (token_id t = 0; t < v->n_tokens; t++) {
		uint32_t len = v->offset[t + 1] - v->offset[t];
		if (v->kind[t] != TOKEN_TEXT || !len) continue;
		if (len > v->max_token_len) v->max_token_len = len;
		uint64_t prefix = 0;
		memcpy(&prefix, v->bytes + v->offset[t], len < 8 ? len : 8);
		items[n++] = (struct sort_item){.prefix = __builtin_bswap64(prefix), .id = t, .len = len};
	}
	struct sort_item *sorted = radix_sort(items, items + v->n_tokens, n);
	for (uint32_t i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && sorted[j].prefix == sorted[i].prefix; j++) continue;
		if (j - i > 1) qsort_r(sorted + i, j - i, sizeof *sorted, by_rest, v);
	}
	token_id *token_of = arena_array(&v->arena, n, sizeof *token_of);
	for (uint32_t i = 0; i < n; i++) token_of[i] = sorted[i].id;
	v->token_of = token_of, v->n_ranks = n;
	free(items);
}

static uint32_t common_prefix(const struct vocab *v, token_id a, token_id b)
{
	uint32_t x = v->offset[a], y = v->offset[b], n = 0;
	uint32_t max_x = v->offset[a + 1] - x, max_y = v->offset[b + 1] - y;
	while (n < max_x && n < max_y && v->bytes[x + n] == v->bytes[y + n]) n++;
	return n;
}

static void make_trie(struct vocab *v)
{
	uint32_t n_nodes = 1;
	for (uint32_t r = 0; r < v->n_ranks; r++) {
		token_id t = v->token_of[r];
		n_nodes += v->offset[t + 1] - v->offset[t] - (r ? common_prefix(v, v->token_of[r - 1], t) : 0);
	}
	uint8_t *byte = arena_array(&v->arena, n_nodes, sizeof *byte);
	uint32_t *end = arena_array(&v->arena, n_nodes, sizeof *end);
	uint32_t *rank = arena_array(&v->arena, (size_t)n_nodes + 1, sizeof *rank);
	trie_node *path = mem_alloc(((size_t)v->max_token_len + 1) * sizeof *path);  // open nodes, by depth
	uint32_t n = 1, depth = 0;
	path[0] = 0;
	for (uint32_t r = 0; r < v->n_ranks; r++) {
		token_id t = v->token_of[r];
		const uint8_t *s = v->bytes + v->offset[t];
		uint32_t len = v->offset[t + 1] - v->offset[t];
		uint32_t shared = r ? common_prefix(v, v->token_of[r - 1], t) : 0;
		for (; depth > shared; depth--) end[path[depth]] = n;
		for (; depth < len; n++) {
			byte[n] = s[depth], rank[n] = r;
			path[++depth] = n;
		}
	}
	for (uint32_t d = 0; d <= depth; d++) end[path[d]] = n;
	rank[n] = v->n_ranks;
	ASSERT(n == n_nodes);
	free(path);
	v->trie = (struct trie){.n_nodes = n, .byte = byte, .end = end, .rank = rank};
	trie_describe(v);
}

// What is hashed, and in which order: formats/vocab.md. It does not depend on how the file was spelled.
void vocab_hash_of(const struct vocab *v, uint64_t hash[2])
{
	uint32_t counts[2] = {v->n_tokens, v->n_eos};
	XXH3_state_t on_stack, *state = &on_stack;
	XXH3_128bits_reset(state);
	XXH3_128bits_update(state, counts, sizeof counts);
	XXH3_128bits_update(state, v->offset, ((size_t)v->n_tokens + 1) * sizeof *v->offset);
	XXH3_128bits_update(state, v->kind, v->n_tokens);
	XXH3_128bits_update(state, v->eos, v->n_eos * sizeof *v->eos);
	XXH3_128bits_update(state, v->bytes, v->offset[v->n_tokens]);
	XXH128_hash_t h = XXH3_128bits_digest(state);
	hash[0] = h.low64, hash[1] = h.high64;
}

// Who knows no names knows the control tokens.
static void list_added(struct vocab *v)
{
	uint32_t n = 0;
	for (token_id t = 0; t < v->n_tokens; t++) n += v->kind[t] == TOKEN_CONTROL;
	struct vocab_added *added = arena_array(&v->arena, n, sizeof *added);
	v->added = added, v->n_added = n;
	for (token_id t = 0; t < v->n_tokens; t++)
		if (v->kind[t] == TOKEN_CONTROL) *added++ = (struct vocab_added){t, NULL};
}

void vocab_finish(struct vocab *v)
{
	v->max_token_len = 0;
	make_ranks(v);
	make_trie(v);
	vocab_hash_of(v, v->hash);
	if (!v->name) v->name = "";
	if (!v->added) list_added(v);
}

void vocab_with_control(const struct vocab *v, const uint32_t *ids, uint32_t n, bool ends, struct vocab *out)
{
	*out = (struct vocab){.n_tokens = v->n_tokens, .n_eos = v->n_eos, .eos = v->eos, .added = v->added};
	uint32_t *offset = arena_array(&out->arena, (size_t)v->n_tokens + 1, sizeof *offset), at = 0;
	uint8_t *kind = arena_array(&out->arena, v->n_tokens, 1);
	const size_t room = (size_t)n * CONTROL_LEN + (ends ? v->n_tokens : 0);
	uint8_t *bytes = arena_array(&out->arena, (size_t)v->offset[v->n_tokens] + room, 1);
	for (token_id t = 0, k = 0; t < v->n_tokens; t++) {
		const uint8_t *s = v->bytes + v->offset[t];
		uint32_t len = v->offset[t + 1] - v->offset[t];
		offset[t] = at, kind[t] = v->kind[t];
		if (k < n && ids[k] == t) {
			control_spell(t, bytes + at), kind[t] = TOKEN_TEXT;
			at += CONTROL_LEN, k++;
		} else if (len && (memchr(s, CONTROL_MARK, len) || (ends && memchr(s, TOKEN_END, len)))) {
			kind[t] = TOKEN_UNUSED;
		} else if (len) {
			memcpy(bytes + at, s, len);
			at += len;
		}
		if (ends && at > offset[t]) bytes[at++] = TOKEN_END;
	}
	offset[v->n_tokens] = at;
	out->offset = offset, out->bytes = bytes, out->kind = kind, out->name = v->name;
	vocab_finish(out);
	memcpy(out->hash, v->hash, sizeof out->hash);
	out->n_added = v->n_added;
}

static int by_id(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

uint32_t vocab_sort_eos(uint32_t *eos, uint32_t n)
{
	if (!n) return 0;
	qsort(eos, n, sizeof *eos, by_id);
	uint32_t kept = 1;
	for (uint32_t i = 1; i < n; i++)
		if (eos[i] != eos[kept - 1]) eos[kept++] = eos[i];
	return kept;
}

void vocab_build(const struct vocab_tokens *tokens, struct vocab *v)
{
	const uint32_t n = tokens->n, n_eos = tokens->n_eos, *len = tokens->len, *eos = tokens->eos;
	const uint8_t *const *bytes = tokens->bytes, *kind = tokens->kind;
	ASSERT(n <= VOCAB_MAX_TOKENS && n_eos <= VOCAB_MAX_EOS);
	*v = (struct vocab){.n_tokens = n};
	uint8_t *kinds = arena_array(&v->arena, n, 1);
	for (token_id t = 0; t < n; t++) kinds[t] = kind ? kind[t] : TOKEN_TEXT;
	uint32_t *ends = arena_array(&v->arena, n_eos, sizeof *ends);
	for (uint32_t i = 0; i < n_eos; i++) {
		ASSERT(eos[i] < n);
		ends[i] = eos[i], kinds[eos[i]] = TOKEN_CONTROL;
	}
	v->n_eos = vocab_sort_eos(ends, n_eos), v->eos = ends, v->kind = kinds;
	uint64_t total = 0;
	uint32_t *offset = arena_array(&v->arena, (size_t)n + 1, sizeof *offset);
	for (token_id t = 0; t < n; t++) {
		offset[t] = (uint32_t)total;
		if (kinds[t] == TOKEN_TEXT) ASSERT(len[t] <= VOCAB_MAX_TOKEN_LEN), total += len[t];
		ASSERT(total <= VOCAB_MAX_BYTES);
	}
	offset[n] = (uint32_t)total;
	uint8_t *all = arena_array(&v->arena, total, 1);
	for (token_id t = 0; t < n; t++)
		if (kinds[t] == TOKEN_TEXT && len[t]) memcpy(all + offset[t], bytes[t], len[t]);
	v->offset = offset, v->bytes = all;
	vocab_finish(v);
}

struct vocab_added *vocab_copy_added(const struct vocab *v, uint32_t more, struct arena *a)
{
	struct vocab_added *all = arena_array(a, (size_t)v->n_added + more, sizeof *all);
	for (uint32_t i = 0; i < v->n_added; i++) {
		const char *name = v->added[i].name;
		all[i] = (struct vocab_added){v->added[i].id, name ? arena_strndup(a, name, strlen(name)) : NULL};
	}
	return all;
}

static int by_added(const void *a, const void *b)
{
	const struct vocab_added *x = a, *y = b;
	return (x->id > y->id) - (x->id < y->id);
}

// What v calls its tokens, in a vocabulary with other ends of texts: tokens that are control there alone have no names.
static void keep_names(const struct vocab *v, struct vocab *to)
{
	struct vocab_added *all = vocab_copy_added(v, to->n_added, &to->arena);
	uint32_t n = v->n_added;
	for (uint32_t i = 0; i < to->n_added; i++)
		if (!v->n_added || !bsearch(&to->added[i], v->added, v->n_added, sizeof *v->added, by_added))
			all[n++] = to->added[i];
	if (n) qsort(all, n, sizeof *all, by_added);
	to->added = all, to->n_added = n;
}

// Branches: size and EOS ids are checked together, so that all errors are told, and the vocabulary is built anew only
// for a change.
bool vocab_override(const struct vocab_options *o, struct diag *d, struct vocab *v)
{
	struct loc nowhere = {0};
	uint32_t n = o && o->vocab_size ? o->vocab_size : v->n_tokens;
	bool none = o && o->ends == VOCAB_ENDS_NONE;
	uint32_t n_eos = none ? 0 : o && o->n_eos ? o->n_eos : v->n_eos;
	const uint32_t *eos = o && o->n_eos ? o->eos : v->eos;
	uint32_t errors = d->n_errors;
	if (n < v->n_tokens)
		diag_error(d, nowhere,
		           "the vocabulary size is given as %u, but the ids of \"%s\" go up to %u; give at least %u", n,
		           v->name, v->n_tokens - 1, v->n_tokens);
	else if (n > VOCAB_MAX_TOKENS)
		diag_error(d, nowhere, "the vocabulary size is given as %u; the limit (VOCAB_MAX_TOKENS) is %u", n,
		           VOCAB_MAX_TOKENS);
	if (n_eos > VOCAB_MAX_EOS)
		diag_error(d, nowhere, "%u EOS ids are given; the limit (VOCAB_MAX_EOS) is %u", n_eos, VOCAB_MAX_EOS);
	for (uint32_t i = 0; i < n_eos && d->n_errors == errors; i++)
		if (eos[i] >= n)
			diag_error(d, nowhere, "EOS id %u is not in the vocabulary, whose ids are 0 to %u", eos[i], n - 1);
	if (d->n_errors != errors) return false;
	uint32_t *ends = mem_alloc(n_eos * sizeof *ends);
	if (n_eos) memcpy(ends, eos, n_eos * sizeof *ends);
	n_eos = vocab_sort_eos(ends, n_eos);
	if (n != v->n_tokens || n_eos != v->n_eos || (n_eos && memcmp(ends, v->eos, n_eos * sizeof *ends))) {
		const uint8_t **bytes = mem_calloc(n, sizeof *bytes);
		uint32_t *len = mem_calloc(n, sizeof *len);
		uint8_t *kind = mem_calloc(n, 1);
		for (token_id t = 0; t < v->n_tokens; t++) {
			bytes[t] = v->bytes + v->offset[t], len[t] = v->offset[t + 1] - v->offset[t];
			kind[t] = v->kind[t];
		}
		struct vocab changed;
		vocab_build(&(struct vocab_tokens){n, bytes, len, kind, n_eos, ends}, &changed);
		changed.name = arena_strndup(&changed.arena, v->name, strlen(v->name));
		if (v->origin) changed.origin = arena_strndup(&changed.arena, v->origin, strlen(v->origin));
		keep_names(v, &changed);
		free(bytes), free(len), free(kind);
		vocab_release(v);
		*v = changed;
	}
	free(ends);
	return true;
}

// Branches: folders and endings that say nothing are passed on the way from a path to a name.
void vocab_set_name(struct vocab *v, const char *path)
{
	const char *end = path + strlen(path), *begin = end;
	for (uint32_t up = 0; up < 3; up++) {
		while (end > path && end[-1] == '/') end--;
		for (begin = end; begin > path && begin[-1] != '/';) begin--;
		size_t len = (size_t)(end - begin);
		bool generic = (len == 14 && !memcmp(begin, "tokenizer.json", 14)) || (len == 6 && !memcmp(begin, "models", 6));
		if (!generic || begin == path) break;
		end = begin;
	}
	size_t len = (size_t)(end - begin);
	static const char *const suffixes[] = {".json", ".gcdv"};
	for (uint32_t i = 0; i < 2; i++)
		if (len > 5 && !memcmp(begin + len - 5, suffixes[i], 5)) len -= 5;
	if (len > 10 && !memcmp(begin, "tokenizer-", 10)) begin += 10, len -= 10;
	v->name = arena_strndup(&v->arena, begin, len);
}
