// Tokens that do the same to a place of the tokenizer, whatever the place is.
//
// In:  the tokens' bytes, the automaton of pieces.  Out: classes of tokens, and one token of each.
// How: what a token does to a place outside a character is told by the sets of states behind its characters (for every
//      set before, and every border before the first one), by the sets that it may come in (CLASS), by whether merges
//      make it, and by what its last character leaves for normal forms. Sets behind characters are maps from sets to
//      sets; each map is kept once, and so is what a further character makes of it. So a token takes a look for each
//      of its characters. Tokens that end inside a character are classes of their own kind: they differ by its bytes.
//      In no class are the few tokens of which more counts: added ones, byte tokens, those that begin a split, hold a
//      mark, or leave a beginning of an added token behind them.
// Cost: some 10 ns a character once the maps are there; 5 ms for Llama-3. 2 bytes a token.
#include "token_classes.h"

#include "../core/runtime_internal.h"

#define SLOTS (2 * TOKEN_CLASSES)  // a power of two
#define MAP_SLOTS (2 * TOKEN_MAPS)
#define NO_MAP UINT32_MAX
#define UNKNOWN (UINT32_MAX - 1)

struct class_key {
	uint32_t map, class, end, begun;  // end: what it leaves for normal forms; begun: it ends inside a character
};

// Everything while classes are made.
struct builder {
	const struct gcdc_artifact *a;
	const struct canonical_tables *c;
	struct token_classes *x;
	uint32_t n_maps, map_size;
	uint16_t *maps;                // [TOKEN_MAPS + 1][map_size] by how * n_sets + set
	uint32_t *next, *first;        // [TOKEN_MAPS][n_groups], [n_groups] maps, UNKNOWN, NO_MAP
	uint32_t map_slot[MAP_SLOTS];  // maps + 1 by their hash
	uint16_t class_slot[SLOTS];    // classes + 1 by theirs
	struct class_key keys[TOKEN_CLASSES];
};

// The number of the map that lies behind the last one.
static uint32_t map_number(struct builder *b)
{
	const size_t size = b->map_size * sizeof *b->maps;
	const uint16_t *made = &b->maps[(size_t)b->n_maps * b->map_size];
	uint64_t hash = 0;
	for (uint32_t i = 0; i < b->map_size; i++) hash = hash_add_fold(hash, made[i]);
	for (uint32_t i = (uint32_t)(hash >> 32) % MAP_SLOTS;; i = (i + 1) % MAP_SLOTS) {
		uint32_t at = b->map_slot[i];
		if (at && !memcmp(&b->maps[(size_t)(at - 1) * b->map_size], made, size)) return at - 1;
		if (at) continue;
		if (b->n_maps == TOKEN_MAPS) return NO_MAP;
		b->map_slot[i] = ++b->n_maps;
		return b->n_maps - 1;
	}
}

static uint16_t step(const struct canonical_tables *c, uint32_t set, uint32_t group, uint32_t how)
{
	return c->steps[(set * c->info->n_groups + group) * CANON_STEPS + how];
}

// The map of a first character (before NO_MAP), or of one more.
static uint32_t map_behind(struct builder *b, uint32_t before, uint32_t group)
{
	const struct canonical_tables *c = b->c;
	const uint32_t n_sets = c->info->n_sets;
	uint32_t *at = before == NO_MAP ? &b->first[group] : &b->next[(size_t)before * c->info->n_groups + group];
	if (LIKELY(*at != UNKNOWN)) return *at;
	uint16_t *made = &b->maps[(size_t)b->n_maps * b->map_size];
	const uint16_t *from = &b->maps[(size_t)(before == NO_MAP ? 0 : before) * b->map_size];
	for (uint32_t how = 0; how < CANON_STEPS; how++)
		for (uint32_t set = 0; set < n_sets; set++) {
			const uint32_t i = how * n_sets + set;
			made[i] = before == NO_MAP ? step(c, set, group, how)
			          : from[i]        ? step(c, from[i], group, CANON_STEP_ON)
			                           : 0;
		}
	return *at = map_number(b);
}

static const struct artifact_canon_kind *kind_of(const struct canonical_tables *c, uint32_t code_point)
{
	return &c->kinds[c->chars[c->pages[code_point / CANON_PAGE_SIZE] * CANON_PAGE_SIZE + code_point % CANON_PAGE_SIZE]];
}

// Does the text spell an added token, or end in a beginning of one?
static bool spells_added(const struct canonical_tables *c, const uint8_t *s, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++) {
		uint32_t k = i + 1, x = c->added_root[s[i]];
		while (x && !c->added[x].ends && k < len) {
			x = c->added[x].child;
			while (x && c->added[x].byte != s[k]) x = c->added[x].next;
			k++;
		}
		if (UNLIKELY(x)) return true;
	}
	return false;
}

// False: the token is in no class.
// Branches: one for each property that keeps a token out of classes.
static bool key_of(struct builder *b, uint32_t token, struct class_key *key)
{
	const struct canonical_tables *c = b->c;
	const uint8_t *s = b->a->token_bytes + b->a->token_offset[token];
	const uint32_t len = b->a->token_offset[token + 1] - b->a->token_offset[token], class = c->class_of[token];
	uint32_t map = NO_MAP;
	*key = (struct class_key){.map = NO_MAP, .class = class};
	if (class == CANON_CLASS_NEVER || class == CANON_CLASS_INSIDE) return true;  // outside characters: never
	if (class < CANON_CLASS_PLAIN || canonical_split_child(c, 0, token) || spells_added(c, s, len)) return false;
	for (uint32_t i = 0, size; i < len && !key->begun; i += size) {
		size = utf8_size(s[i]);
		if (!size) return false;
		key->begun = size > len - i;
		if (key->begun) continue;
		const uint32_t code_point = utf8_get(s + i, size);
		if (code_point == ARTIFACT_NONE) return false;
		const struct artifact_canon_kind *k = kind_of(c, code_point);
		if (k->flags || k->combining || k->right) return false;
		map = map_behind(b, map, k->group);
		if (map == NO_MAP) return false;
		key->end = k->left;
	}
	key->map = map, key->class |= c->place[token] != ARTIFACT_NONE ? 1u << 31 : 0;
	return true;
}

static uint16_t class_number(struct builder *b, uint32_t token, const struct class_key *key)
{
	const uint64_t hash = hash_words(key, sizeof *key / 8);
	for (uint32_t i = (uint32_t)(hash >> 32) % SLOTS;; i = (i + 1) % SLOTS) {
		uint32_t at = b->class_slot[i];
		if (at && !memcmp(&b->keys[at - 1], key, sizeof *key)) return (uint16_t)(at - 1);
		if (at) continue;
		if (b->x->n == TOKEN_CLASSES) return NO_CLASS;
		b->keys[b->x->n] = *key, b->x->first[b->x->n] = token, b->x->is_begun[b->x->n] = key->begun != 0;
		b->class_slot[i] = (uint16_t)++b->x->n;
		return (uint16_t)(b->x->n - 1);
	}
}

static void builder_free(const gcdc_memory *memory, struct builder *b)
{
	if (!b) return;
	memory_free(memory, b->maps);
	memory_free(memory, b->next);
	memory_free(memory, b->first);
	memory_free(memory, b);
}

static struct builder *builder_new(const struct gcdc_artifact *a, struct token_classes *x)
{
	const struct canonical_tables *c = &a->canonical;
	struct builder *b = memory_resize(&a->memory, NULL, 1, sizeof *b);
	if (!b) return NULL;
	memset(b, 0, sizeof *b);
	b->a = a, b->c = c, b->x = x, b->map_size = CANON_STEPS * c->info->n_sets;
	const size_t n_next = (size_t)TOKEN_MAPS * c->info->n_groups;
	b->maps = memory_resize(&a->memory, NULL, (TOKEN_MAPS + 1ull) * b->map_size, sizeof *b->maps);
	b->next = memory_resize(&a->memory, NULL, n_next, sizeof *b->next);
	b->first = memory_resize(&a->memory, NULL, c->info->n_groups, sizeof *b->first);
	if (!b->maps || !b->next || !b->first) {
		builder_free(&a->memory, b);
		return NULL;
	}
	for (size_t i = 0; i < n_next; i++) b->next[i] = UNKNOWN;
	for (uint32_t i = 0; i < c->info->n_groups; i++) b->first[i] = UNKNOWN;
	return b;
}

bool token_is_alone(const struct gcdc_artifact *a, const struct canonical_place *p, uint32_t token)
{
	const struct canonical_tables *c = &a->canonical;
	const uint8_t first = a->token_bytes[a->token_offset[token]];
	for (uint32_t i = 0; i < p->n_live; i++)
		for (uint32_t x = c->added[p->live[i]].child; x; x = c->added[x].next)
			if (c->added[x].byte == first) return true;
	for (uint32_t i = 0; i < p->n_ways; i++)
		if (p->way[i].split && canonical_split_child(c, p->way[i].split, token)) return true;
	return p->n_begun;
}

// ---- Marks.
// [page of characters] does it hold one that may join what is before it? Most pages share a list of kinds. True: one
// does.
static bool find_pages(const struct canonical_tables *c, uint8_t *has_marks, uint8_t *of_list)
{
	enum { LIST_UNKNOWN, LIST_PLAIN, LIST_MARKS };
	bool any = false;
	for (uint32_t page = 0; page < CANON_PAGES; page++) {
		uint8_t *list = &of_list[c->pages[page]];
		for (uint32_t i = 0; i < CANON_PAGE_SIZE && *list != LIST_MARKS && (i || *list == LIST_UNKNOWN); i++) {
			const struct artifact_canon_kind *k = kind_of(c, page * CANON_PAGE_SIZE + i);
			*list = k->combining || k->right ? LIST_MARKS : LIST_PLAIN;
		}
		has_marks[page] = *list == LIST_MARKS;
		any |= has_marks[page];
	}
	return any;
}

// May a character with these first bytes be a mark? Not told of bytes that begin none.
static bool may_be_mark(const uint8_t *has_marks, const uint8_t *s, uint32_t n)
{
	const uint32_t size = utf8_size(s[0]);
	uint32_t first = s[0] & (0x7fu >> size);
	for (uint32_t i = 1; i < n; i++) first = first << 6 | (s[i] & 0x3fu);
	const uint32_t more = 6 * (size - n), last = ((first + 1) << more) - 1;
	for (uint32_t page = (first << more) / CANON_PAGE_SIZE; page <= last / CANON_PAGE_SIZE && page < CANON_PAGES;
	     page++)
		if (has_marks[page]) return true;
	return false;
}

static bool joins_before(const struct gcdc_artifact *a, const uint8_t *has_marks, uint32_t token)
{
	const struct canonical_tables *c = &a->canonical;
	const uint8_t *s = a->token_bytes + a->token_offset[token];
	const uint32_t len = a->token_offset[token + 1] - a->token_offset[token];
	for (uint32_t i = 0, size; i < len; i += size) {
		size = utf8_size(s[i]);
		if (!size) return true;  // it goes on in a character
		if (size > len - i) return may_be_mark(has_marks, s + i, len - i);
		const uint32_t code_point = utf8_get(s + i, size);
		if (code_point == ARTIFACT_NONE || !kind_of(c, code_point)->combining) return code_point == ARTIFACT_NONE;
	}
	return true;
}

static bool find_joining(const struct gcdc_artifact *a, struct token_classes *x)
{
	uint8_t *pages = memory_resize(&a->memory, NULL, 2 * CANON_PAGES, sizeof *pages);
	x->joins = memory_resize(&a->memory, NULL, a->info.mask_words + 1ull, sizeof *x->joins);
	const bool is_there = pages && x->joins;
	if (is_there) {
		memset(pages, 0, 2 * CANON_PAGES);
		memset(x->joins, 0, (a->info.mask_words + 1ull) * sizeof *x->joins);
		const bool any = find_pages(&a->canonical, pages, pages + CANON_PAGES);
		for (uint32_t t = 0; t < a->info.n_tokens && any; t++)
			if (joins_before(a, pages, t)) row_add(x->joins, t);
	}
	memory_free(&a->memory, pages);
	return is_there;
}

void token_classes_free(const gcdc_memory *memory, struct token_classes *x)
{
	if (!x) return;
	memory_free(memory, x->of);
	memory_free(memory, x->joins);
	memory_free(memory, x);
}

struct token_classes *token_classes_new(const struct gcdc_artifact *a)
{
	struct token_classes *x = memory_resize(&a->memory, NULL, 1, sizeof *x);
	if (!x) return NULL;
	*x = (struct token_classes){0};
	x->of = memory_resize(&a->memory, NULL, a->info.n_tokens + 1ull, sizeof *x->of);
	struct builder *b = x->of ? builder_new(a, x) : NULL;
	for (uint32_t t = 0; b && t < a->info.n_tokens; t++) {
		struct class_key key;
		x->of[t] = key_of(b, t, &key) ? class_number(b, t, &key) : NO_CLASS;
	}
	builder_free(&a->memory, b);
	if (b && find_joining(a, x)) return x;
	token_classes_free(&a->memory, x);
	return NULL;
}
