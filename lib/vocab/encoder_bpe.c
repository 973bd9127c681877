// Byte-pair encoding: a piece of text -> token ids.
//
// In:  the "model" section; pieces. Out: ids, the same as HuggingFace's BPE gives.
// A piece is first one symbol a character (unknown ones: bytes by byte_fallback, else unk_token, else nothing); then
// the pair of neighbours whose merge has the lowest rank, leftmost first, is merged until none is left. Short pieces
// look for it by a scan, long ones by a heap with stale entries skipped (Sennrich et al. 2016; the list and heap are
// SentencePiece's). Before that a long piece is cut wherever no merge can cross: between characters x and y such
// that no merge joins a token that ends in x to one that begins with y; this makes words of SentencePiece texts,
// which come as one piece. Results of pieces are kept in a table of bounded size. Cost: O(n log n) a new piece.
#include "encoder.h"

#include "byte_level.h"
#include "utf8.h"
#include "../shared/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define NONE UINT32_MAX
#define ENCODER_CACHE_SLOTS ((uint32_t)1 << 17)  // pieces remembered: half of it
#define ENCODER_CACHE_BYTES ((uint32_t)32 << 20)
#define CACHED_LEN 128u  // longer pieces are not worth it
#define SCAN_LEN 48u     // symbols up to which a scan beats the heap
#define CUT_LEN 32u      // bytes from which cutting is worth it

struct merge {
	uint64_t pair;
	uint32_t rank, id;
};  // pair: left << 32 | right
struct spelling {
	const char *text;
	uint32_t len, id;
};
struct cached {
	uint64_t hash;
	uint32_t text, len, ids, n;
};
struct symbol {
	uint32_t id, previous, next;
};  // next NONE: the last; id NONE: merged away
struct candidate {
	uint32_t rank, at, id;
};

struct bpe {
	struct arena arena;
	bool byte_level, ignore_merges, fuse_unk, byte_fallback, may_cut;
	bool drops;             // unknown characters leave nothing behind
	uint32_t unk;           // or NONE
	uint32_t byte_id[256];  // of "<0xHH>", or NONE
	uint32_t *char_id;      // [0x110000] id + 1, 0 = none
	struct merge *merges;   // open addressing, id NONE = free
	uint32_t merge_mask;
	struct spelling *spellings;  // text -> id, open addressing, text NULL = free
	uint32_t spelling_mask;
	uint64_t *joints;  // pairs of characters that a merge can cross, + 1, 0 = free
	uint32_t joint_mask;
	struct cached *cache;  // len 0 = free
	uint32_t n_cached;
	text_buffer cache_text;
	id_list cache_ids;
	VEC(struct symbol) symbols;
	VEC(struct candidate) heap;
	text_buffer mapped;
};

static uint32_t table_mask(uint64_t n)
{
	uint32_t size = 16;
	while (size < 2 * n) size *= 2;
	return size - 1;
}

static struct spelling *spelling_slot(const struct bpe *b, const char *text, uint32_t len)
{
	uint32_t i = (uint32_t)XXH3_64bits(text, len) & b->spelling_mask;
	while (b->spellings[i].text && (b->spellings[i].len != len || memcmp(b->spellings[i].text, text, len)))
		i = (i + 1) & b->spelling_mask;
	return &b->spellings[i];
}

uint32_t bpe_find(const struct bpe *b, const char *text, size_t len)
{
	const struct spelling *s = len > UINT32_MAX ? NULL : spelling_slot(b, text, (uint32_t)len);
	return s && s->text ? s->id : NONE;
}

static struct merge *merge_slot(const struct bpe *b, uint32_t left, uint32_t right)
{
	uint64_t pair = (uint64_t)left << 32 | right;
	uint32_t i = (uint32_t)hash_add_fold(0, pair) & b->merge_mask;
	while (b->merges[i].id != NONE && b->merges[i].pair != pair) i = (i + 1) & b->merge_mask;
	return &b->merges[i];
}

static uint64_t *joint_slot(const struct bpe *b, uint32_t x, uint32_t y)
{
	uint64_t key = ((uint64_t)x << 32 | y) + 1;
	uint32_t i = (uint32_t)hash_add_fold(0, key) & b->joint_mask;
	while (b->joints[i] && b->joints[i] != key) i = (i + 1) & b->joint_mask;
	return &b->joints[i];
}

// --- reading the model ------------------------------------------------------------------------------------------

static bool refuse(const struct source *s, struct diag *d, const char *key, const char *why)
{
	diag_error(d, hf_place(s, key), "\"model.%s\" %s; ids cannot be computed for this tokenizer", key, why);
	return false;
}

static bool read_spellings(struct bpe *b, const cJSON *vocab, const struct source *source, struct diag *d)
{
	uint64_t n = 0;
	const cJSON *item;
	if (!cJSON_IsObject(vocab)) return refuse(source, d, "vocab", "is not an object");
	cJSON_ArrayForEach(item, vocab) n++;
	b->spelling_mask = table_mask(n);
	b->spellings = arena_array(&b->arena, (size_t)b->spelling_mask + 1, sizeof *b->spellings);
	cJSON_ArrayForEach(item, vocab)
	{
		uint32_t id, len = (uint32_t)strlen(item->string), width;
		if (!hf_integer(item, VOCAB_MAX_TOKENS - 1, &id))
			return refuse(source, d, "vocab", "has an id that is no whole number below VOCAB_MAX_TOKENS");
		struct spelling *s = spelling_slot(b, item->string, len);
		if (!s->text) *s = (struct spelling){.text = arena_strndup(&b->arena, item->string, len), .len = len};
		s->id = id;
		uint32_t c = len ? utf8_get(item->string, len, &width) : UTF8_BAD;
		if (c != UTF8_BAD && width == len) b->char_id[c] = id + 1;
	}
	for (uint32_t byte = 0; byte < 256; byte++) {
		char name[8];
		snprintf(name, sizeof name, "<0x%02X>", byte);
		b->byte_id[byte] = bpe_find(b, name, 6);
	}
	return true;
}

static uint32_t last_char(const char *s, uint32_t len)
{
	uint32_t i = len - 1, n;
	while (i && ((unsigned char)s[i] & 0xC0) == 0x80) i--;
	return utf8_get(s + i, len - i, &n);
}

static bool is_plain(const struct bpe *b, uint32_t id)
{
	if (id == b->unk) return false;
	for (uint32_t byte = 0; b->byte_fallback && byte < 256; byte++)
		if (b->byte_id[byte] == id) return false;
	return true;
}

// left and right, and where they meet. False: not two texts.
static bool merge_parts(const cJSON *item, const char **left, uint32_t *left_len, const char **right,
                        uint32_t *right_len)
{
	if (cJSON_IsString(item)) {
		const char *space = strchr(item->valuestring, ' ');
		if (!space || strchr(space + 1, ' ')) return false;
		*left = item->valuestring, *left_len = (uint32_t)(space - *left);
		*right = space + 1;
	} else {
		const cJSON *first = cJSON_IsArray(item) ? item->child : NULL, *second = first ? first->next : NULL;
		if (!cJSON_IsString(first) || !cJSON_IsString(second) || second->next) return false;
		*left = first->valuestring, *left_len = (uint32_t)strlen(*left);
		*right = second->valuestring;
	}
	*right_len = (uint32_t)strlen(*right);
	return *left_len && *right_len;
}

static bool read_merges(struct bpe *b, const cJSON *merges, const struct source *source, struct diag *d)
{
	uint64_t n = 0;
	const cJSON *item;
	if (!cJSON_IsArray(merges)) return refuse(source, d, "merges", "is not an array");
	cJSON_ArrayForEach(item, merges) n++;
	b->merge_mask = table_mask(n), b->joint_mask = b->merge_mask;
	b->merges = arena_array(&b->arena, (size_t)b->merge_mask + 1, sizeof *b->merges);
	b->joints = arena_array(&b->arena, (size_t)b->joint_mask + 1, sizeof *b->joints);
	for (uint32_t i = 0; i <= b->merge_mask; i++) b->merges[i].id = NONE;
	b->may_cut = true;
	uint32_t rank = 0;
	text_buffer joined = {0};
	bool good = true;
	cJSON_ArrayForEach(item, merges)
	{
		const char *left, *right;
		uint32_t left_len, right_len;
		if (cJSON_IsString(item) && !strncmp(item->valuestring, "#version", 8)) continue;
		if (!(good = merge_parts(item, &left, &left_len, &right, &right_len))) {
			diag_error(d, hf_place(source, "merges"), "merge number %u is not two texts", rank);
			break;
		}
		vec_clear(&joined);
		text_put(&joined, left, left_len), text_put(&joined, right, right_len);
		uint32_t a = bpe_find(b, left, left_len), c = bpe_find(b, right, right_len);
		uint32_t id = bpe_find(b, joined.at, joined.n);
		if (!(good = a != NONE && c != NONE && id != NONE)) {
			diag_error(d, hf_place(source, "merges"),
			           "merge number %u (\"%.*s\" and \"%s\") makes or needs a token that is not in "
			           "the vocabulary",
			           rank, (int)left_len, left, right);
			break;
		}
		*merge_slot(b, a, c) = (struct merge){.pair = (uint64_t)a << 32 | c, .rank = rank++, .id = id};
		uint32_t width, x = last_char(left, left_len), y = utf8_get(right, right_len, &width);
		*joint_slot(b, x, y) = ((uint64_t)x << 32 | y) + 1;
		// A token for a byte or for unknown text stands for other characters than it is spelled with.
		b->may_cut = b->may_cut && is_plain(b, a) && is_plain(b, c) && is_plain(b, id);
	}
	vec_release(&joined);
	return good;
}

struct bpe *bpe_parse(const cJSON *model, bool byte_level, const struct source *source, struct diag *d)
{
	struct bpe *b = mem_calloc(1, sizeof *b);
	const cJSON *dropout = hf_member(model, "dropout");
	const char *unk = hf_string(model, "unk_token");
	b->byte_level = byte_level, b->unk = NONE;
	b->ignore_merges = hf_flag(model, "ignore_merges", false), b->fuse_unk = hf_flag(model, "fuse_unk", false);
	b->byte_fallback = hf_flag(model, "byte_fallback", false);
	b->char_id = mem_calloc(0x110000, sizeof *b->char_id);
	b->cache = mem_calloc(ENCODER_CACHE_SLOTS, sizeof *b->cache);
	bool good = true;
	if (dropout && !(cJSON_IsNumber(dropout) && dropout->valuedouble <= 0 && dropout->valuedouble >= 0))
		good = refuse(source, d, "dropout", "makes ids random");
	good = good && read_spellings(b, hf_member(model, "vocab"), source, d);
	if (good && unk && (b->unk = bpe_find(b, unk, strlen(unk))) == NONE)
		good = refuse(source, d, "unk_token", "is not in the vocabulary");
	bool all_bytes = b->byte_fallback;
	for (uint32_t byte = 0; byte < 256 && good; byte++) all_bytes = all_bytes && b->byte_id[byte] != NONE;
	b->drops = b->unk == NONE && !all_bytes;
	if (good && read_merges(b, hf_member(model, "merges"), source, d)) return b;
	bpe_free(b);
	return NULL;
}

static int by_rank(const void *a, const void *b)
{
	const struct encoder_merge *x = a, *y = b;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

void bpe_describe(const struct bpe *b, struct encoder_model *m)
{
	m->byte_level = b->byte_level, m->ignore_merges = b->ignore_merges, m->byte_fallback = b->byte_fallback;
	m->char_id = b->char_id;
	memcpy(m->byte_id, b->byte_id, sizeof m->byte_id);
	for (uint32_t i = 0; i <= b->merge_mask; i++) {
		const struct merge *x = &b->merges[i];
		if (x->id == NONE) continue;
		vec_push(&m->merges, ((struct encoder_merge){(uint32_t)(x->pair >> 32), (uint32_t)x->pair, x->id, x->rank}));
	}
	if (m->merges.n) qsort(m->merges.at, m->merges.n, sizeof *m->merges.at, by_rank);
	for (uint32_t i = 0; i <= b->spelling_mask; i++)
		if (b->spellings[i].text && b->spellings[i].id >= m->n_ids) m->n_ids = b->spellings[i].id + 1;
	const char **spelling = arena_array(&m->arena, m->n_ids, sizeof *spelling);
	uint32_t *len = arena_array(&m->arena, m->n_ids, sizeof *len);
	for (uint32_t i = 0; i <= b->spelling_mask; i++)
		if (b->spellings[i].text)
			spelling[b->spellings[i].id] = b->spellings[i].text, len[b->spellings[i].id] = b->spellings[i].len;
	m->spelling = spelling, m->spelling_len = len;
}

void bpe_free(struct bpe *b)
{
	if (!b) return;
	free(b->char_id), free(b->cache);
	vec_release(&b->cache_text), vec_release(&b->cache_ids), vec_release(&b->symbols), vec_release(&b->heap);
	vec_release(&b->mapped);
	arena_release(&b->arena);
	free(b);
}

// --- encoding -----------------------------------------------------------------------------------------------------

static void add_symbol(struct bpe *b, uint32_t id)
{
	uint32_t n = b->symbols.n;
	vec_push(&b->symbols, ((struct symbol){.id = id, .previous = n ? n - 1 : NONE, .next = n + 1}));
}

// text is spelled as in the vocabulary (the byte alphabet, for a byte-level model).
static void first_symbols(struct bpe *b, const char *text, uint32_t len)
{
	uint32_t pending = NONE, n;  // an unknown token not yet added, for fuse_unk
	vec_clear(&b->symbols);
	for (uint32_t i = 0; i < len; i += n) {
		uint32_t c = utf8_get(text + i, len - i, &n), id = b->char_id[c];
		if (id) {
			if (pending != NONE) add_symbol(b, pending), pending = NONE;
			add_symbol(b, id - 1);
			continue;
		}
		uint32_t known = 0;
		while (b->byte_fallback && known < n && b->byte_id[(uint8_t)text[i + known]] != NONE) known++;
		if (known == n) {
			// Here HuggingFace does not add the pending one first.
			for (uint32_t k = 0; k < n; k++) add_symbol(b, b->byte_id[(uint8_t)text[i + k]]);
		} else if (b->unk != NONE) {
			if (pending != NONE && !b->fuse_unk) add_symbol(b, pending);
			pending = b->unk;
		}
	}
	if (pending != NONE) add_symbol(b, pending);
	if (b->symbols.n) b->symbols.at[b->symbols.n - 1].next = NONE;
}

static void merge_by_scan(struct bpe *b)
{
	struct symbol *s = b->symbols.at;
	uint32_t n = b->symbols.n, rank[SCAN_LEN], id[SCAN_LEN];
	for (uint32_t i = 0; i + 1 < n; i++) {
		const struct merge *m = merge_slot(b, s[i].id, s[i + 1].id);
		id[i] = m->id, rank[i] = m->id == NONE ? NONE : m->rank;
	}
	for (;;) {
		uint32_t best = NONE, at = 0;
		for (uint32_t i = 0; i + 1 < n; i++)
			if (rank[i] < best) best = rank[i], at = i;
		if (best == NONE) break;
		s[at].id = id[at];
		n--;
		for (uint32_t i = at + 1; i < n; i++) s[i].id = s[i + 1].id, rank[i] = rank[i + 1], id[i] = id[i + 1];
		for (uint32_t i = at ? at - 1 : 0; i <= at && i + 1 < n; i++) {
			const struct merge *m = merge_slot(b, s[i].id, s[i + 1].id);
			id[i] = m->id, rank[i] = m->id == NONE ? NONE : m->rank;
		}
	}
	b->symbols.n = n;
}

static bool is_before(struct candidate a, struct candidate b)
{
	return a.rank != b.rank ? a.rank < b.rank : a.at < b.at;
}

static void push_candidate(struct bpe *b, uint32_t at)
{
	const struct symbol *s = b->symbols.at;
	if (at == NONE || s[at].next == NONE) return;
	const struct merge *m = merge_slot(b, s[at].id, s[s[at].next].id);
	if (m->id == NONE) return;
	struct candidate c = {.rank = m->rank, .at = at, .id = m->id};
	vec_push(&b->heap, c);
	struct candidate *h = b->heap.at;
	uint32_t i = b->heap.n - 1;
	for (; i && is_before(c, h[(i - 1) / 2]); i = (i - 1) / 2) h[i] = h[(i - 1) / 2];
	h[i] = c;
}

static struct candidate pop_candidate(struct bpe *b)
{
	struct candidate *h = b->heap.at, top = h[0], c = vec_pop(&b->heap);
	uint32_t n = b->heap.n, i = 0;
	for (uint32_t k; (k = 2 * i + 1) < n; i = k) {
		if (k + 1 < n && is_before(h[k + 1], h[k])) k++;
		if (!is_before(h[k], c)) break;
		h[i] = h[k];
	}
	if (n) h[i] = c;
	return top;
}

static void merge_by_heap(struct bpe *b)
{
	struct symbol *s = b->symbols.at;
	vec_clear(&b->heap);
	for (uint32_t i = 0; i + 1 < b->symbols.n; i++) push_candidate(b, i);
	while (b->heap.n) {
		struct candidate top = pop_candidate(b);
		struct symbol *left = &s[top.at];
		if (left->id == NONE || left->next == NONE) continue;
		struct symbol *right = &s[left->next];
		if (merge_slot(b, left->id, right->id)->id != top.id) continue;  // stale (NONE: no such merge any more)
		left->id = top.id, left->next = right->next;
		right->id = NONE;
		if (left->next != NONE) s[left->next].previous = top.at;
		push_candidate(b, left->previous);
		push_candidate(b, top.at);
	}
	uint32_t n = 0;
	for (uint32_t i = 0; i < b->symbols.n; i++)
		if (s[i].id != NONE) s[n++].id = s[i].id;
	b->symbols.n = n;
}

static void encode_anew(struct bpe *b, const char *text, uint32_t len, id_list *out)
{
	first_symbols(b, text, len);
	if (b->symbols.n <= SCAN_LEN)
		merge_by_scan(b);
	else
		merge_by_heap(b);
	for (uint32_t i = 0; i < b->symbols.n; i++) vec_push(out, b->symbols.at[i].id);
}

// By the table of remembered pieces.
static void encode_part(struct bpe *b, const char *text, uint32_t len, id_list *out)
{
	if (len > CACHED_LEN) {
		encode_anew(b, text, len, out);
		return;
	}
	uint64_t hash = XXH3_64bits(text, len);
	uint32_t i = (uint32_t)hash & (ENCODER_CACHE_SLOTS - 1);
	for (; b->cache[i].len; i = (i + 1) & (ENCODER_CACHE_SLOTS - 1)) {
		const struct cached *c = &b->cache[i];
		if (c->hash != hash || c->len != len || memcmp(b->cache_text.at + c->text, text, len)) continue;
		for (uint32_t k = 0; k < c->n; k++) vec_push(out, b->cache_ids.at[c->ids + k]);
		return;
	}
	uint32_t before = out->n;
	encode_anew(b, text, len, out);
	if (b->n_cached >= ENCODER_CACHE_SLOTS / 2 || b->cache_text.n >= ENCODER_CACHE_BYTES) return;
	b->cache[i] =
		(struct cached){.hash = hash, .text = b->cache_text.n, .len = len, .ids = b->cache_ids.n, .n = out->n - before};
	text_put(&b->cache_text, text, len);
	for (uint32_t k = before; k < out->n; k++) vec_push(&b->cache_ids, out->at[k]);
	b->n_cached++;
}

static void encode_cut(struct bpe *b, const char *text, uint32_t len, id_list *out)
{
	uint32_t begin = 0, i, n;
	uint32_t x = utf8_get(text, len, &n);
	for (i = n; i < len; i += n) {
		uint32_t y = utf8_get(text + i, len - i, &n);
		// Two unknown characters stay together: they may become one token. Unknown ones that vanish let their
		// neighbours meet.
		bool x_known = b->char_id[x], y_known = b->char_id[y];
		if (((x_known && y_known) || (!b->drops && (x_known || y_known))) && !*joint_slot(b, x, y)) {
			encode_part(b, text + begin, i - begin, out);
			begin = i;
		}
		x = y;
	}
	encode_part(b, text + begin, len - begin, out);
}

void bpe_encode(struct bpe *b, const char *piece, uint32_t len, id_list *out)
{
	if (!len) return;
	if (b->byte_level) {
		vec_clear(&b->mapped);
		vec_reserve(&b->mapped, (uint64_t)len * 2);
		for (uint32_t i = 0; i < len; i++)
			b->mapped.n += utf8_put(byte_level_char((uint8_t)piece[i]), b->mapped.at + b->mapped.n);
		piece = b->mapped.at, len = b->mapped.n;
	}
	uint32_t id = b->ignore_merges ? bpe_find(b, piece, len) : NONE;
	if (id != NONE)
		vec_push(out, id);
	else if (b->may_cut && len >= CUT_LEN)
		encode_cut(b, piece, len, out);
	else
		encode_part(b, piece, len, out);
}
