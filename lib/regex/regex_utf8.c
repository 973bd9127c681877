// UTF-8: the byte automaton of a set of code points, and the walk of a reader through valid text.
//
// In:  sorted ranges of code points. Out: a small acyclic byte automaton for exactly their encodings.
// The code points below one lead byte form a block of 64, 64^2 or 64^3; a block becomes a node, equal blocks
// become one node (hash-consing from the last byte up), so the result is minimal: \w, some 800 ranges, takes
// about 200 nodes. Cost: blocks that are partly in the set, times 64.
#include "regex_internal.h"
#include "../shared/hash.h"

size_t utf8_encode(uint32_t cp, uint8_t out[4])
{
	if (cp < 0x80) return out[0] = (uint8_t)cp, 1;
	if (cp < 0x800) return out[0] = (uint8_t)(0xC0 | cp >> 6), out[1] = (uint8_t)(0x80 | (cp & 63)), 2;
	if (cp < 0x10000) {
		out[0] = (uint8_t)(0xE0 | cp >> 12), out[1] = (uint8_t)(0x80 | (cp >> 6 & 63));
		return out[2] = (uint8_t)(0x80 | (cp & 63)), 3;
	}
	out[0] = (uint8_t)(0xF0 | cp >> 18), out[1] = (uint8_t)(0x80 | (cp >> 12 & 63));
	return out[2] = (uint8_t)(0x80 | (cp >> 6 & 63)), out[3] = (uint8_t)(0x80 | (cp & 63)), 4;
}

// Positions: 0 between code points; 1, 2, 3: that many continuation bytes follow; then the four leads that
// restrict the next byte (overlong forms, surrogates, beyond U+10FFFF).
enum { P_E0 = 4, P_ED, P_F0, P_F4 };

// Branches: one range of bytes for each place inside a code point, as in the table of RFC 3629.
uint8_t utf8_step(uint8_t p, uint8_t b)
{
	if (p == 0) {
		if (b < 0x80) return 0;
		if (b < 0xC2) return UTF8_BAD;
		if (b < 0xE0) return 1;
		if (b < 0xF0) return b == 0xE0 ? P_E0 : b == 0xED ? P_ED : 2;
		if (b < 0xF5) return b == 0xF0 ? P_F0 : b == 0xF4 ? P_F4 : 3;
		return UTF8_BAD;
	}
	if ((b & 0xC0) != 0x80) return UTF8_BAD;
	switch (p) {
	case P_E0: return b >= 0xA0 ? 1 : UTF8_BAD;
	case P_ED: return b < 0xA0 ? 1 : UTF8_BAD;
	case P_F0: return b >= 0x90 ? 2 : UTF8_BAD;
	case P_F4: return b < 0x90 ? 2 : UTF8_BAD;
	default: return (uint8_t)(p - 1);
	}
}

uint32_t utf8_decode(const char *s, size_t len, uint32_t *cp)
{
	static const uint8_t lead_mask[5] = {0, 0x7F, 0x1F, 0x0F, 0x07};
	uint8_t p = 0;
	uint32_t c = 0;
	for (uint32_t i = 0; i < len && i < 4; i++) {
		uint8_t b = (uint8_t)s[i];
		p = utf8_step(p, b);
		if (p == UTF8_BAD) return 0;
		uint32_t n = b < 0x80 ? 1 : b < 0xE0 ? 2 : b < 0xF0 ? 3 : 4;
		c = i ? c << 6 | (b & 63) : b & lead_mask[n];
		if (p == 0) return *cp = c, i + 1;
	}
	return 0;
}

struct utf8_builder {
	struct re_ctx *c;
	const struct cp_set *s;
	uint32_t at;  // range under the cursor: blocks are visited in order
	uint32_t first_node;
	struct re_index index;
};

struct node_side {
	const struct utf8_builder *b;
	const struct byte_edge *edges;
	uint32_t n;
};

static bool same_node(const void *side, uint32_t number)
{
	const struct node_side *k = side;
	struct re_span x = k->b->c->nodes.at[k->b->first_node + number];
	if (x.n != k->n) return false;
	const struct byte_edge *e = &k->b->c->edges.at[x.first];
	for (uint32_t i = 0; i < x.n; i++)
		if (e[i].lo != k->edges[i].lo || e[i].hi != k->edges[i].hi || e[i].to != k->edges[i].to) return false;
	return true;
}

#define NOTHING (UINT32_MAX - 1)

static uint32_t add_node(struct utf8_builder *b, const struct byte_edge *edges, uint32_t n)
{
	if (!n) return NOTHING;
	uint64_t h = n;
	for (uint32_t i = 0; i < n; i++)
		h = hash_add_fold(h, (uint64_t)edges[i].to << 16 | (uint64_t)edges[i].lo << 8 | edges[i].hi);
	struct node_side side = {b, edges, n};
	uint32_t fresh = b->c->nodes.n - b->first_node;
	uint32_t found = re_index_get(&b->index, h, same_node, &side, fresh);
	if (found != UINT32_MAX) return found;
	vec_push(&b->c->nodes, ((struct re_span){b->c->edges.n, n}));
	for (uint32_t i = 0; i < n; i++) vec_push(&b->c->edges, edges[i]);
	return fresh;
}

static void add_edge(struct byte_edge *edges, uint32_t *n, uint32_t byte, uint32_t to)
{
	if (to == NOTHING) return;
	if (*n && edges[*n - 1].to == to && edges[*n - 1].hi + 1u == byte)
		edges[*n - 1].hi = (uint8_t)byte;
	else
		edges[(*n)++] = (struct byte_edge){to, (uint8_t)byte, (uint8_t)byte};
}

// The node of the block [base, base + 64^depth): what remains to be read of its members. Depth is at most 3.
static uint32_t block(struct utf8_builder *b, uint32_t base, uint32_t depth)
{
	const struct cp_set *s = b->s;
	uint32_t size = 1u << 6 * depth, last = base + size - 1;
	while (b->at < s->n && s->at[b->at].hi < base) b->at++;
	if (b->at == s->n || s->at[b->at].lo > last) return NOTHING;
	if (!depth) return RE_DONE;
	struct byte_edge edges[64];
	uint32_t n = 0;
	if (s->at[b->at].lo <= base && s->at[b->at].hi >= last) {
		// The full block: all continuation bytes, all the way down.
		uint32_t to = RE_DONE;
		for (uint32_t d = 0; d < depth; d++) to = add_node(b, &(struct byte_edge){to, 0x80, 0xBF}, 1);
		return to;
	}
	for (uint32_t i = 0; i < 64; i++) add_edge(edges, &n, 0x80 + i, block(b, base + i * (size >> 6), depth - 1));
	return add_node(b, edges, n);
}

// Branches: one loop for each length of UTF-8, with E0, F0 and F4 cut short.
void re_set_build(struct re_ctx *c, uint32_t set)
{
	struct re_set *r = &c->sets.at[set];
	if (r->built) return;
	struct utf8_builder b = {.c = c, .s = &r->cps, .first_node = c->nodes.n};
	struct byte_edge edges[256];
	uint32_t n = 0;
	for (uint32_t i = 0; i < r->cps.n && r->cps.at[i].lo < 0x80; i++) {
		uint32_t hi = r->cps.at[i].hi < 0x7F ? r->cps.at[i].hi : 0x7F;
		edges[n++] = (struct byte_edge){RE_DONE, (uint8_t)r->cps.at[i].lo, (uint8_t)hi};
	}
	if (r->cps.n && r->cps.at[r->cps.n - 1].hi >= 0x80) {
		for (uint32_t lead = 0xC2; lead < 0xE0; lead++) add_edge(edges, &n, lead, block(&b, (lead & 0x1F) << 6, 1));
		for (uint32_t lead = 0xE0; lead < 0xF0; lead++) {
			// Below U+0800 the cursor is past all ranges already told; E0's block begins there.
			uint32_t base = (lead & 0x0F) << 12;
			if (lead != 0xE0) {
				add_edge(edges, &n, lead, block(&b, base, 2));
				continue;
			}
			struct byte_edge e0[64];
			uint32_t m = 0;
			for (uint32_t i = 32; i < 64; i++) add_edge(e0, &m, 0x80 + i, block(&b, i << 6, 1));
			add_edge(edges, &n, lead, add_node(&b, e0, m));
		}
		for (uint32_t lead = 0xF0; lead < 0xF5; lead++) {
			struct byte_edge e[64];
			uint32_t m = 0;
			for (uint32_t i = lead == 0xF0 ? 16 : 0; i < (lead == 0xF4 ? 16 : 64); i++)
				add_edge(e, &m, 0x80 + i, block(&b, (lead & 7) << 18 | i << 12, 2));
			add_edge(edges, &n, lead, add_node(&b, e, m));
		}
	}
	// Not interned: the root must be the last node, and no other node has edges for lead bytes.
	if (n) {
		vec_push(&c->nodes, ((struct re_span){c->edges.n, n}));
		for (uint32_t i = 0; i < n; i++) vec_push(&c->edges, edges[i]);
	}
	r = &c->sets.at[set];
	r->first_node = b.first_node, r->n_nodes = c->nodes.n - b.first_node, r->built = true;
	re_index_release(&b.index);
}
