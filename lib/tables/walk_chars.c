// Characters that move a lexer along its chain, one link each: below such a place, tokens are told apart by their
// number of characters alone.
//
// In:  a walker, a place of a chain, for how far the path there holds. Out: the kinds of characters of which each leads
// one step on, each to the same place and holding as far, and those of which each leads nowhere. Where all that is
// written below a trie node is of such kinds, walk_template.c need not walk there: it counts. In a string of at most so
// many characters that is nine tenths of a vocabulary.
// Recursion is as deep as a character has bytes. Cost: of each step a look-up for each first byte that kinds or byte
// classes tell from others, and for each byte that may follow.
#include "../shared/utf8_kinds.h"
#include "walk_internal.h"

enum fate { FATE_OTHER, FATE_DIES, FATE_LEADS };

struct reached {
	enum fate fate;
	struct chain_point to;
};

static const struct reached other = {.fate = FATE_OTHER}, dead = {.fate = FATE_DIES};

static bool same(struct reached a, struct reached b)
{
	return a.fate == b.fate && a.to.moves == b.to.moves && a.to.at == b.to.at && a.to.limit == b.to.limit;
}

// As one byte leads on in walk_template.c.
static struct reached read_byte(const struct walker *w, uint32_t length, struct chain_point from, uint8_t byte)
{
	const struct lexer *x = w->lexer;
	const uint32_t class = x->class_of[byte];
	const uint32_t next = lexer_next(x, from.moves ? x->chains.members[from.at] : from.at, byte);
	struct reached r = {FATE_LEADS, {false, next, from.limit}};
	if (next & LEX_CUT) return other;
	if (from.moves) {
		const uint32_t run = x->chains.run[(size_t)from.at * x->n_classes + class], holds = (run & ~CHAIN_MOVES) + 1;
		if (holds < length && holds < from.limit) {
			if (!chain_ends(w, from.at, class, holds, from.limit < length ? from.limit : length)) return other;
			r.to.limit = holds;
		}
		r.to.moves = run & CHAIN_MOVES;
		if (r.to.moves) r.to.at = x->chains.place[next];
	}
	return next == LEX_DEAD ? dead : r;
}

// Behind all bytes of a character whose first ones led to `from`: where each of them leads, or OTHER.
static struct reached read_rest(const struct walker *w, uint32_t length, struct reached from,
                                struct character_shape left)
{
	if (from.fate != FATE_LEADS || !left.more) return from;
	const struct character_shape rest = {left.more - 1u, 0x80, 0xBF};
	struct reached all = other;
	for (uint32_t b = left.low; b <= left.high; b++) {
		if (b > left.low && w->lexer->class_of[b] == w->lexer->class_of[b - 1]) continue;
		const struct reached one = read_rest(w, length, read_byte(w, length, from.to, (uint8_t)b), rest);
		if (one.fate == FATE_OTHER || (b > left.low && !same(one, all))) return other;
		all = one;
	}
	return all;
}

uint32_t chain_step(const struct walker *w, struct chain_steps *steps, struct chain_point here)
{
	const uint64_t key = (uint64_t)here.moves << 63 | (uint64_t)here.at << 32 | here.limit;
	const uint64_t known = map64_get(&steps->number, key);
	if (known != MAP64_NONE) return (uint32_t)known;
	struct reached next = other;
	uint64_t differs = 0, alive = 0;
	for (uint32_t i = 0; i < w->n_first_bytes; i++) {
		const uint32_t kind = w->first_bytes[i].kind;
		const uint64_t bit = (uint64_t)1 << kind;
		struct reached r = read_byte(w, steps->length, here, w->first_bytes[i].byte);
		if (kind >= CHARACTER_FIRST_LONG) r = read_rest(w, steps->length, r, character_shape(kind));
		if (r.fate == FATE_LEADS && next.fate != FATE_LEADS) next = r;
		if (r.fate != FATE_LEADS || !same(r, next)) differs |= bit;
		if (r.fate != FATE_DIES) alive |= bit;
	}
	const uint64_t all = ((uint64_t)1 << CHARACTER_KINDS) - 1;
	map64_put(&steps->number, key, steps->at.n);
	vec_push(&steps->at, ((struct chain_step){.here = here,
	                                          .leads = all & ~differs,
	                                          .dies = all & ~alive,
	                                          .then = next.to,
	                                          .next = UINT32_MAX,
	                                          .group = UINT32_MAX}));
	return steps->at.n - 1;
}

uint32_t chain_next(const struct walker *w, struct chain_steps *steps, uint32_t step)
{
	if (steps->at.at[step].next == UINT32_MAX) {
		const uint32_t next = chain_step(w, steps, steps->at.at[step].then);
		steps->at.at[step].next = next;
	}
	return steps->at.at[step].next;
}
