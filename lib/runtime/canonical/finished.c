// Finished hard masks, kept whole, so that a mask that comes again is one copy.
//
// In:  what decides a mask.  Out: the mask, if it is kept.
// Positions on many stacks have the same sets, the same ways to have cut, and memos that say the same. All this has a
// number (equal words, equal numbers; compared whole), and a memo remembers its own. A number and the token before it
// are the key of a mask. Most masks come once or twice, so it is counted how often each key is asked for (by its hash;
// counts are halved from time to time). Of eight places the one that was asked for least gives way to what was asked
// for more (TinyLFU: Einziger, Friedman, Manes 2017). When there are too many numbers all begins anew.
// Cost: some 20 ns and the copy. A family of matchers keeps FINISHED_MASKS rows of V / 8 bytes, made as they are used,
// and FINISHED_WORDS words.
#include "finished.h"

#define FINISHED_MASKS 512u        // a power of two
#define FINISHED_PLACES 8u         // that one may be in
#define FINISHED_COUNTS 16384u     // a power of two
#define FINISHED_CONTENTS 8192u    // numbers, of which half are given; a power of two
#define FINISHED_WORDS (1u << 18)  // of all of them
#define FINISHED_HEAD (6u + 2 * MEMO_WAYS + 3 + MEMO_SETS + MEMO_EXTRA)

struct finished_masks {
	struct finished_tag {
		struct finished_key key;
		bool is_there;
	} tags[FINISHED_MASKS];  // beside the rows, so that they lie together
	uint32_t *rows[FINISHED_MASKS];
	uint8_t counts[FINISHED_COUNTS];
	uint32_t n_asked;  // since they were halved
	struct finished_words {
		uint64_t hash;
		uint32_t at, n;  // n 0: free
	} contents[FINISHED_CONTENTS];
	uint32_t n_contents, n_words, cap, *words;
	uint32_t era;  // of the numbers
};

void finished_free(const gcdc_memory *memory, struct finished_masks *x)
{
	for (uint32_t i = 0; i < FINISHED_MASKS && x; i++) memory_free(memory, x->rows[i]);
	if (x) memory_free(memory, x->words);
	memory_free(memory, x);
}

static struct finished_masks *masks_of(struct canonical_cache *cache)
{
	if (LIKELY(cache->finished != NULL)) return cache->finished;
	cache->finished = memory_resize(cache->memory, NULL, 1, sizeof *cache->finished);
	if (cache->finished) memset(cache->finished, 0, sizeof *cache->finished);
	if (cache->finished) cache->finished->era = 1;
	return cache->finished;
}

static void begin_anew(struct finished_masks *x)
{
	memset(x->contents, 0, sizeof x->contents);
	for (uint32_t i = 0; i < FINISHED_MASKS; i++) x->tags[i].is_there = false;
	x->n_contents = x->n_words = 0, x->era++;
}

// Room for so many words more. False: no memory.
static bool words_reserve(const gcdc_memory *memory, struct finished_masks *x, uint32_t n)
{
	uint32_t cap = x->cap ? x->cap : 4096;
	if (x->n_words + n <= x->cap) return true;
	while (cap < x->n_words + n) cap *= 2;
	uint32_t *words = memory_resize(memory, x->words, cap, sizeof *words);
	if (words) x->words = words, x->cap = cap;
	return words != NULL;
}

// What decides, behind the words that are kept; its length.
static uint32_t spell(const struct finished_masks *x, uint32_t before, const struct memo_key *key,
                      const struct set_list *list, const struct memo *memo)
{
	uint32_t *begin = &x->words[x->n_words], *to = begin;
	*to++ = before, *to++ = list->n, *to++ = list->extra.n, *to++ = memo->n_dead, *to++ = memo->n_together;
	*to++ = key->word[1];
	for (uint32_t i = 3; i < key->n_head; i++) *to++ = key->word[i];  // ways, bytes of a character that has begun
	for (uint32_t i = 0; i < list->n; i++) *to++ = list->at[i];
	for (uint32_t i = 0; i < list->extra.n; i++) *to++ = list->extra.at[i];
	const uint32_t n = memo->n_dead + memo->n_together;
	if (n) memcpy(to, memo_tokens(memo), n * sizeof *to);
	return (uint32_t)(to - begin) + n;
}

static uint32_t number_of(struct canonical_cache *cache, uint32_t before, const struct memo_key *key,
                          const struct set_list *list, const struct memo *memo)
{
	struct finished_masks *x = cache->finished;
	if (x->n_contents == FINISHED_CONTENTS / 2 || x->n_words + FINISHED_HEAD + MEMO_TOKENS > FINISHED_WORDS) {
		begin_anew(x);
		if (before) return 0;  // which has no number any more
	}
	if (!words_reserve(cache->memory, x, FINISHED_HEAD + MEMO_TOKENS)) return 0;
	const uint32_t n = spell(x, before, key, list, memo), *own = &x->words[x->n_words];
	uint64_t hash = n;
	for (uint32_t i = 0; i < n; i++) hash = hash_add_fold(hash, own[i]);
	uint32_t i = hash >> 32 & (FINISHED_CONTENTS - 1);
	for (; x->contents[i].n; i = (i + 1) & (FINISHED_CONTENTS - 1)) {
		const struct finished_words *c = &x->contents[i];
		if (c->hash == hash && c->n == n && !memcmp(&x->words[c->at], own, n * sizeof *own)) return i + 1;
	}
	x->contents[i] = (struct finished_words){hash, x->n_words, n};
	x->n_contents++, x->n_words += n;
	return i + 1;
}

uint32_t finished_content(struct canonical_cache *cache, uint32_t before, const struct memo_key *key,
                          const struct set_list *list, const struct memo *memo)
{
	struct memo *own = (struct memo *)(uintptr_t)memo;
	struct finished_masks *x = masks_of(cache);
	if (UNLIKELY(!x)) return 0;
	if (LIKELY(own->era == x->era && own->before == before)) return own->content;
	own->content = number_of(cache, before, key, list, memo);
	own->era = x->era, own->before = before;
	return own->content;
}

static uint64_t hash_of(const struct finished_key *key)
{
	return hash_add_fold(hash_add_fold(0, (uint64_t)key->content << 32 | key->last), key->more);
}

static uint8_t *count_of(struct finished_masks *x, uint64_t hash)
{
	return &x->counts[hash >> 32 & (FINISHED_COUNTS - 1)];
}

// One more. Counts are halved from time to time, so that what is not asked for any more gives way.
static void count(struct finished_masks *x, uint64_t hash)
{
	uint8_t *n = count_of(x, hash);
	if (*n < UINT8_MAX) ++*n;
	if (LIKELY(++x->n_asked < FINISHED_COUNTS)) return;
	for (uint32_t i = 0; i < FINISHED_COUNTS; i++) x->counts[i] /= 2;
	x->n_asked = 0;
}

const uint32_t *finished_find(struct canonical_cache *cache, const struct finished_key *key)
{
	struct finished_masks *x = cache->finished;
	const uint64_t hash = hash_of(key);
	const uint32_t first = hash % FINISHED_MASKS & ~(FINISHED_PLACES - 1);
	count(x, hash);
	for (uint32_t i = first; i < first + FINISHED_PLACES; i++)
		if (x->tags[i].is_there && !memcmp(&x->tags[i].key, key, sizeof *key)) return x->rows[i];
	return NULL;
}

// What is asked for seldom is not kept, and what is asked for least gives way to what is asked for more.
void finished_put(struct canonical_cache *cache, const struct finished_key *key, const uint32_t *mask)
{
	struct finished_masks *x = cache->finished;
	const uint64_t hash = hash_of(key);
	const uint32_t own = *count_of(x, hash), first = hash % FINISHED_MASKS & ~(FINISHED_PLACES - 1);
	uint32_t at = first, least = UINT32_MAX;
	for (uint32_t i = first; i < first + FINISHED_PLACES; i++) {
		const uint32_t n = x->tags[i].is_there ? *count_of(x, hash_of(&x->tags[i].key)) : 1;
		if (n < least) at = i, least = n;
	}
	if (own <= least) return;
	x->tags[at].is_there = false;
	if (!x->rows[at] && !(x->rows[at] = memory_resize(cache->memory, NULL, cache->words, sizeof *mask))) return;
	memcpy(x->rows[at], mask, cache->words * sizeof *mask);
	x->tags[at] = (struct finished_tag){*key, true};
}
