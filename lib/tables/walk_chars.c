// Characters that move a lexer along its chain, one link each: below such a place, tokens are told apart by their
// number of characters alone.
//
// In:  a walker, a place of a chain, for how far the path there holds. Out: the kinds of characters of which each leads
// one step on, each to the same place and holding as far, and those of which each leads nowhere. Where all that is
// written below a trie node is of such kinds, walk_template.c need not walk there: it counts. In a string of at most so
// many characters that is nine tenths of a vocabulary.
// Recursion is as deep as a character has bytes. Cost: of each kind that is asked for, a look-up for each byte of its
// characters that byte classes tell from others; from the third step on none, as long as the chain repeats itself.
#include "../shared/utf8_kinds.h"
#include "walk_internal.h"

enum fate { FATE_OTHER, FATE_DIES, FATE_LEADS };  // of one byte or character

struct reached {
	enum fate fate;
	struct chain_point to;
};

// What a step is made with.
struct reading {
	const struct walker *w;
	uint32_t length;  // of the stretch
	uint32_t holds;   // the least of the bytes that were read in the chain
};

static const struct reached other = {.fate = FATE_OTHER}, dead = {.fate = FATE_DIES};

static bool same(struct reached a, struct reached b)
{
	return a.fate == b.fate && a.to.moves == b.to.moves && a.to.at == b.to.at && a.to.limit == b.to.limit;
}

// As one byte leads on in walk_template.c.
static struct reached read_byte(struct reading *g, struct chain_point from, uint8_t byte)
{
	const struct lexer *x = g->w->lexer;
	const uint32_t class = x->class_of[byte];
	const uint32_t next = lexer_next(x, from.moves ? x->chains.members[from.at] : from.at, byte);
	struct reached r = {FATE_LEADS, {false, next, from.limit}};
	if (next & LEX_CUT) return other;
	if (from.moves) {
		const uint32_t run = x->chains.run[(size_t)from.at * x->n_classes + class], holds = (run & ~CHAIN_MOVES) + 1;
		if (holds < g->holds) g->holds = holds;
		if (holds < g->length && holds < from.limit) {
			const uint32_t stop = from.limit < g->length ? from.limit : g->length;
			if (!chain_ends(g->w, from.at, class, holds, stop)) return other;
			r.to.limit = holds;
		}
		r.to.moves = run & CHAIN_MOVES;
		if (r.to.moves) r.to.at = x->chains.place[next];
	}
	return next == LEX_DEAD ? dead : r;
}

// Behind all bytes of a character whose first ones led to `from`: where each of them leads, or OTHER.
static struct reached read_rest(struct reading *g, struct reached from, struct character_shape left)
{
	if (from.fate != FATE_LEADS || !left.more) return from;
	const struct character_shape rest = {left.more - 1u, 0x80, 0xBF};
	struct reached all = other;
	for (uint32_t b = left.low; b <= left.high; b = g->w->next_class[b]) {
		const struct reached one = read_rest(g, read_byte(g, from.to, (uint8_t)b), rest);
		if (one.fate == FATE_OTHER || (b > left.low && !same(one, all))) return other;
		all = one;
	}
	return all;
}

static uint64_t point_key(struct chain_point p) { return (uint64_t)p.moves << 63 | (uint64_t)p.at << 32 | p.limit; }

uint32_t chain_step(struct chain_steps *steps, struct chain_point here)
{
	const uint64_t known = map64_get(&steps->number, point_key(here));
	if (known != MAP64_NONE) return (uint32_t)known;
	map64_put(&steps->number, point_key(here), steps->at.n);
	vec_push(&steps->at,
	         ((struct chain_step){.here = here, .holds = UINT32_MAX, .next = UINT32_MAX, .group = UINT32_MAX}));
	return steps->at.n - 1;
}

// What all characters of a kind do.
static void learn(const struct walker *w, uint32_t length, struct chain_step *s, uint32_t kind)
{
	const uint64_t bit = (uint64_t)1 << kind;
	struct reading g = {w, length, s->holds};
	bool leads = true, dies = true;
	s->known |= bit;
	for (uint32_t i = w->first_of_kind[kind]; i < w->first_of_kind[kind + 1] && (leads || dies); i++) {
		struct reached r = read_byte(&g, s->here, w->first_bytes[i].byte);
		if (kind >= CHARACTER_FIRST_LONG) r = read_rest(&g, r, character_shape(kind));
		if (r.fate == FATE_LEADS && !s->then.limit) s->then = r.to;
		leads &= r.fate == FATE_LEADS && same(r, (struct reached){FATE_LEADS, s->then});
		dies &= r.fate == FATE_DIES;
	}
	s->holds = g.holds;
	if (leads) s->leads |= bit;
	if (dies) s->dies |= bit;
}

enum chain_fate chain_fate(const struct walker *w, struct chain_steps *steps, uint32_t step, uint64_t kinds)
{
	struct chain_step *s = &steps->at.at[step];
	if (kinds >> CHARACTER_KINDS) return CHAIN_DIFFERS;
	for (uint64_t left = kinds & ~s->known; left && !(kinds & s->known & ~(s->leads | s->dies)); left &= left - 1)
		learn(w, steps->length, s, (uint32_t)__builtin_ctzll(left));
	return !(kinds & ~s->leads) ? CHAIN_LEADS : !(kinds & ~s->dies) ? CHAIN_DIES : CHAIN_DIFFERS;
}

// The step behind `s` is `s` one link further on, where all its bytes hold there, too. A step's limit is what the one
// before it holds for, so each has the same gap (walk_template.c): the one state that `s` was asked about.
static bool goes_on(const struct chain_step *s)
{
	return s->here.moves && s->then.moves && s->then.at == s->here.at + 1 && s->holds > 2 &&
	       s->here.limit == s->holds + 1 && s->then.limit == s->holds;
}

static uint32_t moved_on(struct chain_steps *steps, struct chain_step s)
{
	s.here = s.then, s.holds--, s.next = s.group = UINT32_MAX;
	s.then = (struct chain_point){true, s.here.at + 1, s.holds};
	map64_put(&steps->number, point_key(s.here), steps->at.n);
	vec_push(&steps->at, s);
	return steps->at.n - 1;
}

uint32_t chain_next(struct chain_steps *steps, uint32_t step)
{
	const struct chain_step s = steps->at.at[step];
	if (s.next != UINT32_MAX) return s.next;
	const bool is_known = map64_get(&steps->number, point_key(s.then)) != MAP64_NONE;
	const uint32_t next = !is_known && goes_on(&s) ? moved_on(steps, s) : chain_step(steps, s.then);
	return steps->at.at[step].next = next;
}
