// Verdicts on tokens asked for, by as much of the stack as each of them rests on.
//
// In:  a position; tokens of the list that its lexer state asks for.  Out: what is known of them, whatever lies deeper.
// A memo (hard.c) is found in one step, and is for one stack, as deep as it looks. But most verdicts rest on
// two or three frames. So each is also kept by these alone: a node for a lexer state, ways to have cut and the topmost
// 1, 2, .. 56 frames (depth_of) has two bits for each token of the list. A new memo first takes what the nodes of its
// stack know. Verdicts that rest on open columns, and all of lexer states in which the column counts, are in nodes with
// the columns. Cost: 50 ns a node; for a token that is known a few.
#include "verdict_cache.h"

static const uint32_t depth_of[KNOWN_DEPTHS] = {1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 36, 56};

void known_free(const gcdc_memory *memory, struct known_nodes *x)
{
	for (uint32_t i = 0; i < KNOWN_NODES && x; i++) memory_free(memory, x->at[i].words);
	memory_free(memory, x);
}

// What decides beside the frames and the columns.
static void put_place(struct known_position *k, const struct position *p)
{
	const struct canonical_place *c = &p->canonical;
	uint32_t *to = k->head;
	*to++ = p->at[0].lex_state;
	*to++ = c->n_ways | (uint32_t)c->n_begun << 8 | (uint32_t)c->by_bytes << 16;
	for (uint32_t i = 0; i < c->n_ways; i++)
		*to++ = (uint32_t)c->way[i].set << 16 | c->way[i].pending, *to++ = c->way[i].split;
	for (uint32_t i = 0; i < c->n_begun; i++) *to++ = c->begun[i];
	k->n_head = (uint32_t)(to - k->head);
	assert(k->n_head <= sizeof k->head / sizeof *k->head);
}

static bool put_columns(struct known_position *k, const struct gcdc_matcher *m, const struct position *p)
{
	k->columns[0] = p->column;
	k->n_columns = 1;
	for (uint32_t f = p->at[0].columns; f && f != FRAME_BOTTOM; f = m->pool->at[f].parent) {
		if (k->n_columns > MEMO_COLUMNS) return false;
		k->columns[k->n_columns++] = column_of(m->pool, f);
	}
	return true;
}

// A node's words: as many as the key has and how many of it are columns; the key; verdicts.
static uint32_t key_size(const struct known_position *k, uint32_t depth, bool by_columns)
{
	uint32_t n = depth_of[depth] < k->n_frames ? depth_of[depth] : k->n_frames;
	return 2 + k->n_head + (by_columns ? k->n_columns : 0) + n;
}

static void key_write(const struct known_position *k, uint32_t size, bool by_columns, uint32_t *to)
{
	uint32_t n_columns = by_columns ? k->n_columns : 0;
	to[0] = size, to[1] = n_columns;
	memcpy(to + 2, k->head, k->n_head * sizeof *to);
	memcpy(to + 2 + k->n_head, k->columns, n_columns * sizeof *to);
	memcpy(to + 2 + k->n_head + n_columns, k->frame, (size - 2 - k->n_head - n_columns) * sizeof *to);
}

static struct known_node *node_of(struct known_position *k, uint32_t depth, bool by_columns, bool make)
{
	uint32_t key[KNOWN_KEY], size = key_size(k, depth, by_columns);
	uint64_t hash = 0;
	key_write(k, size, by_columns, key);
	for (uint32_t i = 0; i < size; i++) hash = hash_add_fold(hash, key[i]);
	struct known_node *places = &k->nodes->at[hash % KNOWN_NODES & ~(KNOWN_PLACES - 1)], *at = places;
	for (uint32_t i = 0; i < KNOWN_PLACES; i++) {
		struct known_node *x = &places[i];
		if (x->used && x->hash == hash && x->words[0] == size && !memcmp(x->words, key, size * sizeof *key)) {
			x->used = ++k->nodes->clock;
			return x;
		}
		if (x->used < at->used) at = x;
	}
	if (!make) return NULL;
	uint32_t n_words = (k->n_unsettled + 15) / 16;
	uint32_t *words = memory_resize(k->memory, at->words, size + n_words, sizeof *words);
	if (!words) return NULL;
	memcpy(words, key, size * sizeof *key);
	memset(words + size, 0, n_words * sizeof *words);
	*at = (struct known_node){hash, ++k->nodes->clock, words};
	return at;
}

// Branches: verdicts are united over depths of the stack, with and without columns, where the place has a key at all.
gcdc_status known_begin(struct gcdc_matcher *m, const struct position *p, uint32_t n_unsettled, uint32_t n_frames,
                        bool columns, struct known_position *k)
{
	const struct gcdc_artifact *a = m->artifact;
	struct canonical_cache *cache = m->cache;
	k->n_unsettled = 0, k->memory = &a->memory;
	const struct reading *r = &p->at[0];
	if (p->n != 1 || !r->frame || m->pool->at[r->frame].depth & FRAME_BRANCHED || p->canonical.n_ways > MEMO_WAYS ||
	    n_unsettled > MEMO_TOKENS)
		return GCDC_OK;
	if (!cache->known) {
		cache->known = memory_resize(&a->memory, NULL, 1, sizeof *cache->known);
		if (!cache->known) return GCDC_ERR_MEMORY;
		memset(cache->known, 0, sizeof *cache->known);
	}
	k->nodes = cache->known, k->n_unsettled = n_unsettled, k->n_frames = 0;
	put_place(k, p);
	for (uint32_t f = r->frame; k->n_frames < MEMO_STACK; f = m->pool->at[f].parent) {
		k->frame[k->n_frames++] = m->pool->at[f].lr_state;
		if (f == FRAME_BOTTOM) break;
	}
	k->has_columns = a->info.n_lines && put_columns(k, m, p);
	k->by_columns = a->info.n_lines && a->lex_states[r->lex_state].flags & LEX_LINE;
	uint32_t n_words = (n_unsettled + 15) / 16;
	memset(k->verdict, 0, n_words * sizeof *k->verdict);
	memset(k->deeper, 0, n_words * sizeof *k->deeper);
	for (uint32_t by_columns = k->by_columns; by_columns <= k->has_columns; by_columns++)
		for (uint32_t d = 0; d < KNOWN_DEPTHS && (!d || depth_of[d - 1] < k->n_frames); d++) {
			const struct known_node *x = node_of(k, d, by_columns, false);
			uint32_t *to =
				(depth_of[d] <= n_frames || k->n_frames <= n_frames) && by_columns <= columns ? k->verdict : k->deeper;
			for (uint32_t w = 0; w < n_words && x; w++) to[w] |= x->words[x->words[0] + w];
		}
	return GCDC_OK;
}

void known_put(struct known_position *k, uint32_t i, uint32_t n_frames, bool read_lines, enum known_verdict verdict)
{
	bool by_columns = read_lines || k->by_columns;
	uint32_t d = 0;
	if (!k->n_unsettled || (by_columns && !k->has_columns)) return;
	while (d < KNOWN_DEPTHS && depth_of[d] < n_frames && depth_of[d] < k->n_frames) d++;
	if (d == KNOWN_DEPTHS) return;
	struct known_node *x = node_of(k, d, by_columns, true);
	if (x)
		x->words[x->words[0] + i / 16] |= (uint32_t)verdict
		                                  << 2 * (i % 16);  // none for lack of memory: then it is not kept
}
