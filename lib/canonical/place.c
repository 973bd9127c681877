// One token after the other through the tokenizer's pieces.
//
// In:  the tables, a place, a token. Out: the place behind it, or no.
// The rules are those of docs/canonical.md, and the runtime's canonical.c follows them, too. Beside lib/shared the two
// share no code, and tests hold one against the other. A place holds every way to have cut the text so far, as sets of
// states of the automaton of pieces; beside that beginnings of added tokens, the last character for normal forms, and
// the first bytes of a character. Cost: some 10 ns a character.
#include "place.h"
#include "../shared/control.h"
#include "../shared/search.h"
#include "../shared/utf8.h"

#define MAY_BEGIN (1u << CANON_STEP_BEGIN)
#define MAY_GO_ON (1u << CANON_STEP_ON)

void places_open(const struct canonical *c, const struct vocab *v, struct places *s)
{
	*s = (struct places){.c = c, .v = v};
	for (uint32_t x = c->added[0].child; x; x = c->added[x].next) s->root[c->added[x].byte] = x;
}

void place_start(const struct places *s, struct piece_state *p)
{
	memset(p, 0, sizeof *p);
	p->n_ways = 1;
	p->way[0].set = (uint16_t)s->c->info.start_set, p->way[0].pending = MAY_BEGIN;
}

static uint32_t added_child(const struct canonical *c, uint32_t node, uint8_t byte)
{
	uint32_t x = c->added[node].child;
	while (x && c->added[x].byte != byte) x = c->added[x].next;
	return x;
}

// Beginnings of added tokens read bytes; false: one is complete.
static bool read_live(const struct places *s, struct piece_state *p, const uint8_t *text, uint32_t len, bool new_ones)
{
	for (uint32_t i = 0; i < len; i++) {
		uint32_t n = 0, root = new_ones ? s->root[text[i]] : 0;
		for (uint32_t k = 0; k < p->n_live; k++) {
			uint32_t x = added_child(s->c, p->live[k], text[i]);
			if (x && s->c->added[x].ends) return false;
			if (x) p->live[n++] = x;
		}
		if (root && (s->c->added[root].ends || n == PLACE_MAX_LIVE)) return false;
		if (root) p->live[n++] = root;
		p->n_live = (uint8_t)n;
	}
	return true;
}

static uint32_t step_of(const struct canonical *c, uint32_t set, uint32_t group, uint32_t pending)
{
	ASSERT(set < c->info.n_sets && group < c->info.n_groups && pending && pending <= (MAY_BEGIN | MAY_GO_ON));
	uint32_t how = pending == MAY_BEGIN ? CANON_STEP_BEGIN : pending == MAY_GO_ON ? CANON_STEP_ON : CANON_STEP_EITHER;
	return c->steps[(set * c->info.n_groups + group) * CANON_STEPS + how];
}

static const struct artifact_canon_kind *kind_of(const struct canonical *c, uint32_t code_point)
{
	return &c->kinds[c->chars[c->pages[code_point / CANON_PAGE_SIZE] * CANON_PAGE_SIZE + code_point % CANON_PAGE_SIZE]];
}

static bool read_character(const struct places *s, struct piece_state *p, uint32_t code_point, uint8_t wanted)
{
	const struct canonical *c = s->c;
	const struct artifact_canon_kind *k = kind_of(c, code_point);
	uint32_t n = 0;
	if (k->flags != wanted) return false;
	for (uint32_t i = 0; i < p->n_ways; i++) {
		uint32_t set = step_of(c, p->way[i].set, k->group, p->way[i].pending);
		if (set) p->way[n++] = (struct place_way){(uint16_t)set, MAY_GO_ON, p->way[i].split};
	}
	p->n_ways = (uint8_t)n;
	if (!n || (k->combining && p->combining > k->combining)) return false;
	bool meets = !p->combining || p->combining < k->combining;
	if (meets && k->right && c->joints[p->left * c->info.n_right_words + k->right / 32] >> k->right % 32 & 1)
		return false;
	if (!k->combining) p->left = k->left;
	p->combining = k->combining;
	return true;
}

static bool read_bytes(const struct places *s, struct piece_state *p, const uint8_t *text, uint32_t len, uint8_t wanted)
{
	uint8_t buffer[4];
	for (uint32_t i = 0; i < len;) {
		uint32_t n = p->n_begun, size = utf8_size(n ? p->begun[0] : text[i]);
		if (!size) return false;
		memcpy(buffer, p->begun, n);
		while (n < size && i < len) buffer[n++] = text[i++];
		if (n < size) {
			memcpy(p->begun, buffer, n);
			p->n_begun = (uint8_t)n;
			return true;
		}
		p->n_begun = 0;
		uint32_t c = utf8_get(buffer, size);
		if (c == UTF8_NONE || !read_character(s, p, c, wanted)) return false;
	}
	return true;
}

// Is there a character without a token that begins with the bytes begun and may come here?
static bool may_become_unknown(const struct canonical *c, const struct piece_state *p)
{
	uint32_t size = utf8_size(p->begun[0]), first = p->begun[0] & (0x7Fu >> size), shift = 6 * (size - p->n_begun);
	for (uint32_t i = 1; i < p->n_begun; i++) first = first << 6 | (p->begun[i] & 63u);
	uint32_t to = (first + 1) << shift, least = size == 2 ? 0x80 : size == 3 ? 0x800 : 0x10000;
	first <<= shift;
	for (uint32_t x = first < least ? least : first; x < to && x < 0x110000; x++) {
		const struct artifact_canon_kind *k = kind_of(c, x);
		for (uint32_t i = 0; i < p->n_ways && k->flags == CANON_KIND_UNKNOWN; i++)
			if (step_of(c, p->way[i].set, k->group, p->way[i].pending)) return true;
	}
	return false;
}

static uint32_t split_child(const struct canonical *c, uint32_t node, uint32_t token)
{
	uint32_t i, first = c->splits[node].child, end = first + c->splits[node].n;
	LOWER_BOUND(i, first, end, c->splits[i].token < token);
	return i < end && c->splits[i].token == token ? i : 0;
}

static bool add_way(struct piece_state *p, uint16_t set, uint32_t pending, uint32_t split)
{
	for (uint32_t i = 0; i < p->n_ways; i++)
		if (p->way[i].set == set && p->way[i].split == split) {
			p->way[i].pending |= (uint16_t)pending;
			return true;
		}
	if (p->n_ways == PLACE_MAX_WAYS) return false;
	p->way[p->n_ways++] = (struct place_way){set, (uint16_t)pending, split};
	return true;
}

// The border before the token: there is one, or, when together, there is none.
static bool fork_ways(const struct canonical *c, struct piece_state *p, uint32_t token, bool together)
{
	struct piece_state before = *p;
	uint32_t root = split_child(c, 0, token);
	p->n_ways = 0;
	for (uint32_t i = 0; i < before.n_ways; i++) {
		const struct place_way *w = &before.way[i];
		if (!c->splits[w->split].ends && !add_way(p, w->set, MAY_BEGIN, root)) return false;
		if (together && !add_way(p, w->set, MAY_GO_ON, w->split ? split_child(c, w->split, token) : 0)) return false;
	}
	return p->n_ways;
}

static bool keep_allowed(const struct canonical *c, struct piece_state *p, uint32_t class)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < p->n_ways; i++) {
		struct place_way w = p->way[i];
		w.pending &= c->allow[w.set * c->info.n_classes + class];  // the same bits
		if (w.pending) p->way[n++] = w;
	}
	p->n_ways = (uint8_t)n;
	return n;
}
static_assert(MAY_BEGIN == CANON_BEGINS && MAY_GO_ON == CANON_GOES_ON, "the same bits");

// An added token: pieces end before it and begin behind it.
static bool step_added(const struct places *s, struct piece_state *p, const uint8_t *text, uint32_t len)
{
	struct piece_state after;
	uint32_t node = 0;
	if (!place_ends(s, p) || !read_live(s, p, text, len, false)) return false;
	if (text[0] == CONTROL_MARK) len = 0;  // one that the grammar names: it is part of no other
	for (uint32_t i = 0; i < len; i++)
		if (!(node = added_child(s->c, node, text[i]))) return false;
	place_start(s, &after);
	after.n_live = p->n_live;
	memcpy(after.live, p->live, sizeof p->live);
	if (node && s->c->added[node].child) {  // a longer one must not go on from here
		if (after.n_live == PLACE_MAX_LIVE) return false;
		after.live[after.n_live++] = node;
	}
	*p = after;
	return true;
}

// Branches: one rule for each class of tokens at a place: never, added, inside, a byte or plain, begun or not.
bool place_step(const struct places *s, struct piece_state *p, uint32_t token, bool together)
{
	const struct canonical *c = s->c;
	const uint8_t *text = s->v->bytes + s->v->offset[token];
	uint32_t len = s->v->offset[token + 1] - s->v->offset[token], class = c->class_of[token];
	bool is_byte = class == CANON_CLASS_BYTE;
	if (class == CANON_CLASS_NEVER || !len) return false;
	if (class == CANON_CLASS_ADDED) return step_added(s, p, text, len);
	if (!read_live(s, p, text, len, true)) return false;
	if (p->n_begun) {
		if ((class != CANON_CLASS_INSIDE && !is_byte) || p->by_bytes != is_byte || !together) return false;
		for (uint32_t i = 0; i < p->n_ways; i++)
			if (p->way[i].split) p->way[i].split = split_child(c, p->way[i].split, token);
	} else {
		if (class == CANON_CLASS_INSIDE || !fork_ways(c, p, token, together)) return false;
		if (class >= CANON_CLASS_PLAIN && !keep_allowed(c, p, class)) return false;
		p->by_bytes = is_byte;
	}
	if (!read_bytes(s, p, text, len, is_byte ? CANON_KIND_UNKNOWN : 0)) return false;
	return !is_byte || !p->n_begun || may_become_unknown(c, p);
}

bool place_ends(const struct places *s, const struct piece_state *p)
{
	for (uint32_t i = 0; i < p->n_ways && !p->n_begun; i++)
		if (s->c->sets[p->way[i].set] & CANON_SET_ENDS && !s->c->splits[p->way[i].split].ends) return true;
	return false;
}

static int by_way(const void *a, const void *b)
{
	const struct place_way *x = a, *y = b;
	if (x->set != y->set) return x->set < y->set ? -1 : 1;
	return (x->split > y->split) - (x->split < y->split);
}
static int by_node(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

void place_normalise(struct piece_state *p)
{
	qsort(p->way, p->n_ways, sizeof *p->way, by_way);
	if (p->n_live) qsort(p->live, p->n_live, sizeof *p->live, by_node);
	memset(p->way + p->n_ways, 0, (PLACE_MAX_WAYS - p->n_ways) * sizeof *p->way);
	memset(p->live + p->n_live, 0, (PLACE_MAX_LIVE - p->n_live) * sizeof *p->live);
	memset(p->begun + p->n_begun, 0, 3u - p->n_begun);
	if (!p->n_begun) p->by_bytes = 0;
}
