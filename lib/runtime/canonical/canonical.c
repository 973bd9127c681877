// Canonical tokenization: one token after the other.
//
// In:  a place, a token.  Out: the place after it, or no.
// The theory is in docs/canonical.md. A place holds every way in which the tokenizer may have cut the text into pieces
// up to here, as a set of states of the automaton of pieces, and the last token. A token comes as the first of a piece,
// or as a later one, if merges leave it and the one before apart. Beside that: text that spells an added token, text
// that a normal form would change, and characters without a token, each with its own small state. Cost: some 10 ns a
// character, and 50 ns for a pair.
#include "../../shared/control.h"
#include "../core/runtime_internal.h"
#include "canonical.h"

#define NO_SPLIT 0u

// ---- Pairs.
static const struct artifact_canon_join *join_of(const struct canonical_tables *c, uint32_t x, uint32_t begin)
{
	uint32_t i = c->first[x], n = c->first[x + 1] - i;
	if (!n) return NULL;
	LAST_AT_MOST(i, n, c->joins[i].begin <= begin);
	return c->joins[i].begin == begin ? &c->joins[i] : NULL;
}

static bool is_patched(const struct canonical_tables *c, uint32_t a, uint32_t b)
{
	const struct artifact_canon_pair *p = c->patches;
	uint32_t i, n = c->info->n_patches;
	LOWER_BOUND(i, 0, n, p[i].left < a || (p[i].left == a && p[i].right < b));
	return i < n && p[i].left == a && p[i].right == b;
}

uint32_t canonical_join_time(const struct canonical_tables *c, uint32_t x, uint32_t b)
{
	uint32_t least = UINT32_MAX;
	if (c->first[x] == c->first[x + 1]) return least;
	for (uint32_t y = b; y != ARTIFACT_NONE; y = c->parts[y].left) {
		const struct artifact_canon_join *j = join_of(c, x, c->place[y]);
		if (j && c->place[b] < j->end && j->time < least) least = j->time;
	}
	return least;
}

bool canonical_adjacent(const struct canonical_tables *c, uint32_t a, uint32_t b)
{
	if (c->place[a] == ARTIFACT_NONE || c->place[b] == ARTIFACT_NONE) return false;
	uint32_t until = UINT32_MAX;
	bool good = true;
	for (uint32_t x = a; x != ARTIFACT_NONE && good; until = c->time[x], x = c->parts[x].right) {
		if (c->first[x] == c->first[x + 1]) continue;
		for (uint32_t y = b; y != ARTIFACT_NONE && good; y = c->parts[y].left) {
			const struct artifact_canon_join *j = join_of(c, x, c->place[y]);
			good = !j || j->time >= until || c->place[b] >= j->end;
		}
	}
	return LIKELY(!c->info->n_patches) ? good : good != is_patched(c, a, b);
}

// ---- Characters.
static inline const struct artifact_canon_kind *kind_of(const struct canonical_tables *c, uint32_t code_point)
{
	return &c->kinds[c->chars[c->pages[code_point / CANON_PAGE_SIZE] * CANON_PAGE_SIZE + code_point % CANON_PAGE_SIZE]];
}

static bool form_step(const struct canonical_tables *c, struct canonical_place *p, const struct artifact_canon_kind *k)
{
	if (k->combining && p->combining > k->combining) return false;
	bool meets = p->combining == 0 || p->combining < k->combining;
	if (meets && k->right && c->joints[p->left * c->info->n_right_words + k->right / 32] >> k->right % 32 & 1)
		return false;
	if (!k->combining) p->left = k->left;
	p->combining = k->combining;
	return true;
}

static inline uint16_t set_step(const struct canonical_tables *c, uint32_t set, uint32_t group, uint32_t how)
{
	return c->steps[(set * c->info->n_groups + group) * CANON_STEPS + how];
}

// pending is what is known of the border before a character: bit CANON_STEP_BEGIN, bit CANON_STEP_ON.
#define MAY_BEGIN (1u << CANON_STEP_BEGIN)
#define MAY_GO_ON (1u << CANON_STEP_ON)
static inline uint32_t how_of(uint32_t pending)
{
	return pending == MAY_BEGIN ? CANON_STEP_BEGIN : pending == MAY_GO_ON ? CANON_STEP_ON : CANON_STEP_EITHER;
}

bool canonical_way_takes(const struct canonical_tables *c, const struct canonical_way *w, uint32_t group)
{
	return set_step(c, w->set, group, how_of(w->pending));
}

// All ways read a character.
static bool ways_step(const struct canonical_tables *c, struct canonical_place *p, const struct artifact_canon_kind *k)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < p->n_ways; i++) {
		struct canonical_way w = p->way[i];
		w.set = set_step(c, w.set, k->group, how_of(w.pending));
		w.pending = MAY_GO_ON;
		if (w.set) p->way[n++] = w;
	}
	p->n_ways = (uint8_t)n;
	return n && form_step(c, p, k);
}

// All bytes of a token, from a place whose ways have their borders pending. allowed: flags that a character may have.
static bool bytes_step(const struct canonical_tables *c, struct canonical_place *p, const uint8_t *s, uint32_t len,
                       uint32_t wanted)
{
	uint32_t i = 0;
	if (UNLIKELY(p->n_begun)) {
		uint8_t buffer[4];
		uint32_t size = utf8_size(p->begun[0]), n = p->n_begun;
		memcpy(buffer, p->begun, n);
		while (n < size && i < len) buffer[n++] = s[i++];
		if (n < size) {
			memcpy(p->begun, buffer, n);
			p->n_begun = (uint8_t)n;
			return true;
		}
		uint32_t code_point = utf8_get(buffer, size);
		p->n_begun = 0;
		if (code_point == ARTIFACT_NONE) return false;
		const struct artifact_canon_kind *k = kind_of(c, code_point);
		if (k->flags != wanted || !ways_step(c, p, k)) return false;
	}
	while (i < len) {
		uint32_t size = utf8_size(s[i]);
		if (!size) return false;
		if (size > len - i) {
			memcpy(p->begun, s + i, len - i);
			p->n_begun = (uint8_t)(len - i);
			return true;
		}
		uint32_t code_point = utf8_get(s + i, size);
		if (code_point == ARTIFACT_NONE) return false;
		const struct artifact_canon_kind *k = kind_of(c, code_point);
		if (k->flags != wanted || !ways_step(c, p, k)) return false;
		i += size;
	}
	return true;
}

// Is there a character without a token that begins with the bytes begun?
static bool may_become_unknown(const struct canonical_tables *c, const struct canonical_place *p)
{
	uint32_t size = utf8_size(p->begun[0]), first = p->begun[0] & (0x7Fu >> size), shift = 6 * (size - p->n_begun);
	for (uint32_t i = 1; i < p->n_begun; i++) first = first << 6 | (p->begun[i] & 63u);
	uint32_t from = first << shift, to = (first + 1) << shift, least = size == 2 ? 0x80 : size == 3 ? 0x800 : 0x10000;
	if (to > 0x110000) to = 0x110000;
	for (uint32_t code_point = from < least ? least : from; code_point < to; code_point++) {
		const struct artifact_canon_kind *k = kind_of(c, code_point);
		if (k->flags != CANON_KIND_UNKNOWN) continue;
		for (uint32_t i = 0; i < p->n_ways; i++)
			if (canonical_way_takes(c, &p->way[i], k->group)) return true;
	}
	return false;
}

// ---- Text that spells an added token. begins: beginnings may start in these bytes.
static bool live_step(const struct canonical_tables *c, struct canonical_place *p, const uint8_t *s, uint32_t len,
                      bool begins)
{
	for (uint32_t i = 0; i < len; i++) {
		uint32_t n = 0, root = begins ? c->added_root[s[i]] : 0;
		for (uint32_t k = 0; k < p->n_live; k++) {
			uint32_t x = c->added[p->live[k]].child;
			while (x && c->added[x].byte != s[i]) x = c->added[x].next;
			if (!x) continue;
			if (c->added[x].ends) return false;
			p->live[n++] = x;
		}
		p->n_live = (uint8_t)n;
		if (LIKELY(!root)) continue;
		if (c->added[root].ends || n == CANON_MAX_LIVE) return false;
		p->live[p->n_live++] = root;
	}
	return true;
}

static bool added_step(const struct canonical_tables *c, struct canonical_place *p, const uint8_t *s, uint32_t len)
{
	if (!canonical_ends(c, p) || !live_step(c, p, s, len, false)) return false;
	uint32_t node = 0;                  // a longer one must not go on from here
	if (s[0] == CONTROL_MARK) len = 0;  // one that the grammar names: it is part of no other
	for (uint32_t i = 0; i < len; i++) {
		uint32_t x = c->added[node].child;
		while (x && c->added[x].byte != s[i]) x = c->added[x].next;
		if (!x) return false;
		node = x;
	}
	struct canonical_place after;
	canonical_start(c, &after);
	after.behind_prompt = p->behind_prompt;
	memcpy(after.live, p->live, p->n_live * sizeof *p->live);
	after.n_live = p->n_live;
	if (node && c->added[node].child) {
		if (after.n_live == CANON_MAX_LIVE) return false;
		after.live[after.n_live++] = node;
	}
	*p = after;
	return true;
}

// ---- Steps.
void canonical_start(const struct canonical_tables *c, struct canonical_place *p)
{
	*p = (struct canonical_place){
		.last = ARTIFACT_NONE, .n_ways = 1, .way = {{.set = (uint16_t)c->info->start_set, .pending = MAY_BEGIN}}};
}

void canonical_bytes(const struct canonical_tables *c, struct canonical_place *p, const uint8_t *s, size_t len)
{
	uint8_t end[6];  // the last bytes
	uint32_t n = 0, k = 0;
	for (uint32_t i = 0; i < p->n_begun && len < 3; i++) end[n++] = p->begun[i];
	for (size_t i = len < 3 ? 0 : len - 3; i < len; i++) end[n++] = s[i];
	canonical_start(c, p);
	p->behind_prompt = true;
	while (k < n && k < 3 && utf8_size(end[n - 1 - k]) == 0) k++;  // in the middle of a character
	if (k == n || k == 3 || utf8_size(end[n - 1 - k]) <= k + 1) return;
	p->n_begun = (uint8_t)(k + 1), p->by_bytes = (c->info->flags & CANON_FALLBACK) != 0;
	memcpy(p->begun, end + n - p->n_begun, p->n_begun);
	live_step(c, p, p->begun, p->n_begun, true);  // an added token is no shorter than a character
}

bool canonical_ends(const struct canonical_tables *c, const struct canonical_place *p)
{
	if (p->n_begun) return false;
	assert(p->n_ways <= CANON_MAX_WAYS && p->n_live <= CANON_MAX_LIVE);
	for (uint32_t i = 0; i < p->n_ways; i++)
		if (c->sets[p->way[i].set] & CANON_SET_ENDS && !c->splits[p->way[i].split].ends) return true;
	return false;
}

uint32_t canonical_split_child(const struct canonical_tables *c, uint32_t node, uint32_t token)
{
	uint32_t i = c->splits[node].child, n = c->splits[node].n;
	if (!n) return NO_SPLIT;
	assert(node < c->info->n_splits && i + n <= c->info->n_splits);
	LAST_AT_MOST(i, n, c->splits[i].token <= token);
	return c->splits[i].token == token ? i : NO_SPLIT;
}

static bool add_way(struct canonical_place *p, uint16_t set, uint32_t pending, uint32_t split)
{
	for (uint32_t i = 0; i < p->n_ways; i++)
		if (p->way[i].set == set && p->way[i].split == split) {
			p->way[i].pending |= (uint16_t)pending;
			return true;
		}
	if (p->n_ways == CANON_MAX_WAYS) return false;
	p->way[p->n_ways++] = (struct canonical_way){set, (uint16_t)pending, split};
	return true;
}

// Each way is gone with the token as the first of a piece, and as a later one when `together`.
static bool fork_ways(const struct canonical_tables *c, struct canonical_place *p, uint32_t token, bool together)
{
	struct canonical_way before[CANON_MAX_WAYS];
	uint32_t n = p->n_ways;
	if (LIKELY(c->info->n_splits == 1)) {
		for (uint32_t i = 0; i < n; i++) p->way[i].pending = (uint16_t)(MAY_BEGIN | (together ? MAY_GO_ON : 0));
		return true;
	}
	memcpy(before, p->way, n * sizeof *before);
	p->n_ways = 0;
	uint32_t root = canonical_split_child(c, NO_SPLIT, token);
	for (uint32_t i = 0; i < n; i++) {
		bool may_begin = !c->splits[before[i].split].ends;
		uint32_t on = before[i].split ? canonical_split_child(c, before[i].split, token) : NO_SPLIT;
		if (may_begin && !add_way(p, before[i].set, MAY_BEGIN, root)) return false;
		if (together && !add_way(p, before[i].set, MAY_GO_ON, on)) return false;
	}
	return p->n_ways;
}

// The borders that tokens of this class may have before them.
static_assert(MAY_BEGIN == CANON_BEGINS && MAY_GO_ON == CANON_GOES_ON, "the same bits");
static bool keep_allowed(const struct canonical_tables *c, struct canonical_place *p, uint32_t class)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < p->n_ways; i++) {
		struct canonical_way w = p->way[i];
		w.pending &= c->allow[w.set * c->info->n_classes + class];
		if (w.pending) p->way[n++] = w;
	}
	p->n_ways = (uint8_t)n;
	return n;
}

// Branches: one rule for each class of tokens: never, added, inside a character, a byte, plain.
static bool step_token(const struct gcdc_artifact *a, struct canonical_place *p, uint32_t token, bool together)
{
	const struct canonical_tables *c = &a->canonical;
	const uint8_t *s = a->token_bytes + a->token_offset[token];
	uint32_t len = a->token_offset[token + 1] - a->token_offset[token], class = c->class_of[token];
	if (class == CANON_CLASS_NEVER || !len) return false;
	if (class == CANON_CLASS_ADDED) return added_step(c, p, s, len);
	if (!live_step(c, p, s, len, true)) return false;
	if (p->n_begun) {
		bool is_rest = class == (p->by_bytes ? CANON_CLASS_BYTE : CANON_CLASS_INSIDE);
		bool is_loose =
			p->last == ARTIFACT_NONE && c->place[token] != ARTIFACT_NONE;  // it is no token that began the character
		if (!is_rest || (!together && !is_loose)) return false;
		for (uint32_t i = 0; i < p->n_ways && c->info->n_splits > 1; i++)
			p->way[i].split = p->way[i].split ? canonical_split_child(c, p->way[i].split, token) : NO_SPLIT;
	} else {
		if (class == CANON_CLASS_INSIDE || !fork_ways(c, p, token, together)) return false;
		if (class >= CANON_CLASS_PLAIN && !keep_allowed(c, p, class)) return false;
		p->by_bytes = class == CANON_CLASS_BYTE;
	}
	p->last = token;
	if (!bytes_step(c, p, s, len, class == CANON_CLASS_BYTE ? CANON_KIND_UNKNOWN : 0)) return false;
	return class != CANON_CLASS_BYTE || !p->n_begun || may_become_unknown(c, p);
}

bool canonical_step(const struct gcdc_artifact *a, struct canonical_place *p, uint32_t token)
{
	return step_token(a, p, token, p->last != ARTIFACT_NONE && canonical_adjacent(&a->canonical, p->last, token));
}

bool canonical_step_as(const struct gcdc_artifact *a, struct canonical_place *p, uint32_t token, uint32_t how)
{
	return step_token(a, p, token, how && a->canonical.place[token] != ARTIFACT_NONE);
}

// The first character, or NULL: the token begins or ends inside it.
static const struct artifact_canon_kind *first_kind(const struct gcdc_artifact *a, uint32_t token)
{
	const uint8_t *s = a->token_bytes + a->token_offset[token];
	uint32_t len = a->token_offset[token + 1] - a->token_offset[token], size = len ? utf8_size(s[0]) : 0;
	uint32_t code_point = size && size <= len ? utf8_get(s, size) : ARTIFACT_NONE;
	return code_point == ARTIFACT_NONE ? NULL : kind_of(&a->canonical, code_point);
}

bool canonical_begins_with_mark(const struct gcdc_artifact *a, uint32_t token)
{
	const struct artifact_canon_kind *k = first_kind(a, token);
	return !k || k->right || k->combining;
}

// A border before the first character (how: as for it), and any borders that the text has behind it: the first
// characters of the token, or of more and more of them, are in order whatever follows.
bool canonical_surely_live(const struct gcdc_artifact *a, uint32_t set, uint32_t token, uint32_t how)
{
	const struct canonical_tables *c = &a->canonical;
	const uint8_t *s = a->token_bytes + a->token_offset[token];
	uint32_t len = a->token_offset[token + 1] - a->token_offset[token];
	for (uint32_t i = 0, size; i < len && set; i += size, how = CANON_STEP_EITHER) {
		size = utf8_size(s[i]);
		uint32_t code_point = size && size <= len - i ? utf8_get(s + i, size) : ARTIFACT_NONE;
		if (code_point == ARTIFACT_NONE) return false;
		const struct artifact_canon_kind *k = kind_of(c, code_point);
		if (k->flags & CANON_KIND_NEVER || (!i && (k->right || k->combining))) return false;
		set = set_step(c, set, k->group, how);
		if (c->sets[set] & CANON_SET_SURE) return true;
	}
	return false;
}

void canonical_chars(const struct canonical_tables *c, uint32_t set, uint32_t how, bool first,
                     struct canonical_chars *out)
{
	*out = (struct canonical_chars){0};
	for (uint32_t ch = 0; ch < 128; ch++) {
		const struct artifact_canon_kind *k = kind_of(c, ch);
		const uint32_t behind = set_step(c, set, k->group, how);
		const bool is_dead = k->flags & CANON_KIND_NEVER || (first && (k->right || k->combining)) || !behind;
		if (!is_dead) (c->sets[behind] & CANON_SET_SURE ? out->sure : out->open)[ch / 64] |= 1ull << ch % 64;
	}
}

uint32_t canonical_set_behind(const struct canonical_tables *c, uint32_t set, uint32_t ch, uint32_t how)
{
	return set_step(c, set, kind_of(c, ch)->group, how);
}

// After a token that is not canonical here: as if the text began with it, or, if it cannot, behind it.
static void canonical_restart(const struct gcdc_artifact *a, struct canonical_place *p, uint32_t token)
{
	canonical_start(&a->canonical, p);
	if (!canonical_step(a, p, token)) canonical_start(&a->canonical, p);
}

void canonical_advance(const struct gcdc_artifact *a, struct canonical_place *p, uint32_t token, bool *relaxed)
{
	struct canonical_place before = *p;
	*relaxed = !canonical_step(a, p, token);
	if (UNLIKELY(*relaxed)) *p = before, canonical_restart(a, p, token);
}
