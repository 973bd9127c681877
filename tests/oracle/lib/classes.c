// Classes of tokens (lib/runtime/canonical/token_classes.c) against steps of the tokenizer's automaton; rows of pairs
// (budget_apart.c) against single pairs.
//
// In:  an artifact with canonical tables.  Out: whether at 240 places, behind up to six random tokens, each token of a
// class is refused, or leads to the same place, as the class's first token; whether tokens that are said to join
// nothing before them lead to one place whatever is there. Cost: four steps for each token and place.
#include "../classes.h"

#include "../../../lib/runtime/canonical/budget_mask.h"
#include "../../../lib/runtime/canonical/far.h"
#include "../../../lib/runtime/canonical/token_classes.h"
#include "../../../lib/runtime/core/runtime_internal.h"

#include <stdlib.h>

// But for what tokens of one class differ by: the token itself, and, if they end so, the bytes of a character.
static bool places_same(const struct canonical_place *a, const struct canonical_place *b, bool is_begun)
{
	return a->left == b->left && a->combining == b->combining && a->n_ways == b->n_ways && a->n_live == b->n_live &&
	       (is_begun ? a->n_begun && b->n_begun : a->n_begun == b->n_begun) &&
	       !memcmp(a->way, b->way, a->n_ways * sizeof *a->way) &&
	       !memcmp(a->live, b->live, a->n_live * sizeof *a->live);
}

static const char *class_differs(const gcdc_artifact *a, const struct token_classes *classes,
                                 const struct canonical_place *p, uint32_t t, uint64_t *n)
{
	const uint32_t class = token_class_at(a, classes, p, place_is_plain(p), t);
	if (class == NO_CLASS || token_is_alone(a, p, classes->first[class])) return NULL;
	for (uint32_t how = 0; how < 2; how++) {
		struct canonical_place own = *p, first = *p;
		const bool goes = canonical_step_as(a, &own, t, how);
		++*n;
		if (canonical_step_as(a, &first, classes->first[class], how) != goes) return "is refused, or its class is";
		if (goes && !places_same(&own, &first, classes->is_begun[class]))
			return "comes to another place than its class";
	}
	return NULL;
}

// A token that is not said to join what is before it.
static const char *joining_differs(const gcdc_artifact *a, const struct token_classes *classes,
                                   const struct canonical_place *p, uint32_t t)
{
	if (row_has(classes->joins, t) || p->n_begun) return NULL;
	for (uint32_t how = 0; how < 2; how++) {
		struct canonical_place own = *p, bare = *p;
		bare.left = 0, bare.combining = 0;
		if (!canonical_step_as(a, &own, t, how)) continue;
		if (!canonical_step_as(a, &bare, t, how)) return "is refused behind nothing";
		if (own.n_begun) own.left = bare.left = 0, own.combining = bare.combining = 0;  // a character that is no mark
		if (!places_same(&own, &bare, false) || memcmp(own.begun, bare.begun, own.n_begun))
			return "joins what is before it";
	}
	return NULL;
}

const char *pairs_differ(const gcdc_artifact *a, uint32_t *left, uint32_t *right)
{
	const uint32_t n = a->info.n_tokens;
	uint32_t *time = malloc((n + 1ull) * sizeof *time), *row = malloc((a->info.mask_words + 1ull) * sizeof *row);
	const char *what = time && row ? NULL : "has no memory";
	for (*right = 0; *right < n && !what; ++*right) {
		hard_apart_row(a, *right, time, row);
		for (*left = 0; *left < n && !what; ++*left)
			if (row_has(row, *left) != canonical_adjacent(&a->canonical, *left, *right)) what = "is in the wrong row";
	}
	free(time), free(row);
	return what;
}

void take_few_for_many(gcdc_matcher *m)
{
	struct canonical_cache *cache = canonical_cache_of(m);
	if (cache) cache->many = 1, cache->n_memos = MEMO_PLACES;
}

// A token that is the beginning of a mark is said to join what is before it.
static const char *marks_differ(const gcdc_artifact *a, const struct token_classes *classes, uint32_t *token)
{
	const struct canonical_tables *c = &a->canonical;
	for (uint32_t ch = 0x80; ch < 0x110000; ch++) {
		const uint32_t list = c->pages[ch / CANON_PAGE_SIZE];
		const struct artifact_canon_kind *k = &c->kinds[c->chars[list * CANON_PAGE_SIZE + ch % CANON_PAGE_SIZE]];
		uint8_t s[4];
		if (!k->combining && !k->right) continue;
		const uint32_t n = ch < 0x800 ? 2 : ch < 0x10000 ? 3 : 4;
		for (uint32_t i = n - 1, rest = ch; i < n; i--, rest >>= 6)
			s[i] = (uint8_t)(i ? 0x80 | (rest & 0x3f) : (0xf0u << (4 - n) & 0xff) | rest);
		for (*token = 0; *token < a->info.n_tokens; ++*token) {
			const uint32_t at = a->token_offset[*token], len = a->token_offset[*token + 1] - at;
			if (len && len < n && !memcmp(a->token_bytes + at, s, len) && !row_has(classes->joins, *token))
				return "begins a mark";
		}
	}
	return NULL;
}

const char *classes_differ(const gcdc_artifact *a, uint64_t seed, uint64_t *n, uint32_t *token)
{
	struct token_classes *classes = token_classes_new(a);
	const char *what = classes ? marks_differ(a, classes, token) : "has no memory";
	for (uint32_t i = 0; i < 40 && !what; i++) {
		struct canonical_place p;
		canonical_start(&a->canonical, &p);
		for (uint32_t k = 0; k < 6 && !what; k++) {
			for (uint32_t t = 0; t < a->info.n_tokens && !what; t++)
				if ((what = class_differs(a, classes, &p, t, n)) || (what = joining_differs(a, classes, &p, t)))
					*token = t;
			struct canonical_place next = p;
			seed = hash_u64(seed + 1) ^ seed >> 29;
			if (canonical_step(a, &next, (uint32_t)(seed >> 32) % a->info.n_tokens)) p = next;
		}
	}
	token_classes_free(&a->memory, classes);
	return what;
}

uint32_t bound_of_far_budgets(gcdc_matcher *m, uint32_t token) { return far_least(m, m->now, token); }

uint32_t bound_of_far_bytes(gcdc_matcher *m, uint32_t token)
{
	if (!canonical_cache_of(m)) return GCDC_NONE;
	const uint32_t least = far_least(m, m->now, token);
	return least == GCDC_NONE ? GCDC_NONE : least - FAR_AHEAD - FAR_CHARACTERS;
}
