// Budgets that are so far away that a hard mask needs no search for them, or for most of its tokens none.
//
// In:  a position with tokens left.  Out: which tokens of the hard mask without a budget surely have a completion that
// fits: those that may end few lexemes.
// Such a token leads by known ways to a character behind which any text may follow as its own tokens (live.c): by
// itself, as the compiler has proved (ahead.c), or as a search has found, whose lengths are kept. Some text does
// follow, of no more bytes than CANON_FAR says for the stack, its top, and the lexemes that have ended by then; and it
// has at most as many tokens as bytes. docs/how_canonical_works.md has the proof. Cost: some additions, and 2 ns a
// frame, for FRAMES_LOOKED frames at most; 0.1 ms where a family first asks.
#include "far.h"
#include "../../shared/search.h"

#define FRAMES_LOOKED 1024u  // below, each counts as the dearest

// ---- The numbers.
struct far_reader {
	const uint8_t *at, *end;
	bool ok;
};

static uint32_t number_of(struct far_reader *r)
{
	uint32_t x = 0;
	for (uint32_t shift = 0; shift < 28 && r->at < r->end; shift += 7) {
		const uint8_t byte = *r->at++;
		x |= (byte & 127u) << shift;
		if (byte < 128) return x;
	}
	return r->ok = false, 0;
}

// Room for n entries, if they are wanted.
static void *room(struct far_reader *r, const struct gcdc_artifact *a, bool wanted, uint64_t n, size_t size)
{
	void *at = wanted && r->ok ? memory_resize(&a->memory, NULL, n + 1, size) : NULL;
	r->ok = r->ok && (at || !wanted);
	if (at) memset(at, 0, (n + 1) * size);
	return at;
}

static void read_states(struct far_reader *r, const struct gcdc_artifact *a, struct far_tables *to, bool keeps)
{
	to->n_kinds = number_of(r);
	r->ok = r->ok && to->n_kinds <= a->info.n_lr_states;
	to->kinds = room(r, a, keeps, to->n_kinds, sizeof *to->kinds);
	to->of_state = room(r, a, keeps, a->info.n_lr_states, sizeof *to->of_state);
	for (uint32_t i = 0; i < to->n_kinds && r->ok; i++) {
		struct far_kind kind = {.frame = number_of(r)};
		for (uint32_t k = 0; k < FAR_NEEDS; k++) kind.need[k] = number_of(r);
		if (kind.frame > to->frame) to->frame = kind.frame;
		if (keeps) to->kinds[i] = kind;
	}
	for (uint32_t s = 0; s < a->info.n_lr_states && r->ok; s++) {
		const uint32_t kind = number_of(r);
		r->ok = r->ok && kind < to->n_kinds;
		if (keeps) to->of_state[s] = kind;
	}
}

// List i; the last one has how many each token may end.
static void read_list(struct far_reader *r, const struct gcdc_artifact *a, uint32_t i, struct far_tables *to,
                      bool keeps)
{
	const uint32_t n = number_of(r);
	const bool is_last = i + 1 == FAR_ENDS;
	uint64_t t = 0;
	r->ok = r->ok && n <= a->info.n_tokens;
	to->more[i] = room(r, a, keeps, a->info.mask_words, sizeof **to->more);
	if (is_last) to->last = room(r, a, keeps, n, sizeof *to->last);
	for (uint32_t k = 0; k < n && r->ok; k++) {
		t += number_of(r);
		const uint32_t more = is_last ? number_of(r) : 0;
		r->ok = r->ok && t < a->info.n_tokens;
		if (!r->ok || !keeps) continue;
		for (uint32_t row = 0; row <= i; row++) row_add(to->more[row], (uint32_t)t);
		if (is_last) to->last[to->n_last++] = (struct far_token){(uint32_t)t, to->ends + FAR_ENDS + more};
	}
}

bool far_read(const struct gcdc_artifact *a, const uint8_t *bytes, uint64_t size, struct far_tables *to)
{
	struct far_reader r = {bytes, bytes + size, true};
	struct far_tables none, *x = to ? to : &none;
	*x = (struct far_tables){.terminal = number_of(&r)};
	x->characters = number_of(&r);
	for (uint32_t k = 0; k < FAR_MORE_NEEDS; k++) x->more_needs[k] = number_of(&r);
	read_states(&r, a, x, to);
	x->ends = number_of(&r), x->ends_most = number_of(&r);
	r.ok = r.ok && x->ends <= x->ends_most;
	for (uint32_t i = 0; i < FAR_ENDS && r.ok; i++) read_list(&r, a, i, x, to);
	return r.ok && r.at + 1 == r.end && !*r.at;
}

void far_free(const gcdc_memory *memory, struct far_tables *x)
{
	if (!x) return;
	memory_free(memory, x->kinds);
	memory_free(memory, x->of_state);
	for (uint32_t i = 0; i < FAR_ENDS; i++) memory_free(memory, x->more[i]);
	memory_free(memory, x->last);
	memory_free(memory, x);
}

const struct far_tables *far_tables_of(struct gcdc_matcher *m)
{
	struct canonical_cache *cache = m->cache;
	const struct gcdc_artifact *a = m->artifact;
	if (LIKELY(cache->far || !a->canonical.far)) return cache->far;
	cache->far = memory_resize(&a->memory, NULL, 1, sizeof *cache->far);
	if (cache->far && !far_read(a, (const uint8_t *)a->canonical.far, a->canonical.n_far, cache->far))
		far_free(&a->memory, cache->far), cache->far = NULL;
	return cache->far;
}

uint32_t far_ends_of(const struct far_tables *x, uint32_t token)
{
	uint32_t more = 0, i;
	while (more < FAR_ENDS && row_has(x->more[more], token)) more++;
	if (more < FAR_ENDS) return x->ends + more;
	LOWER_BOUND(i, 0, x->n_last, x->last[i].token < token);
	return i < x->n_last ? x->last[i].ends : x->ends_most;
}

// ---- Bounds.
static uint64_t need_of(const struct far_tables *x, const struct far_kind *top, uint64_t ends)
{
	const uint64_t most = FAR_NEEDS + FAR_MORE_NEEDS;
	if (ends <= FAR_NEEDS) return top->need[ends ? ends - 1 : 0];
	if (ends <= most) return x->more_needs[ends - FAR_NEEDS - 1];
	return x->more_needs[FAR_MORE_NEEDS - 1] + (ends - most) * x->terminal;
}

static uint64_t frames_of(const struct gcdc_matcher *m, const struct far_tables *x, uint32_t frame)
{
	const struct frame *at = m->pool->at;
	uint64_t sum = 0;
	for (uint32_t i = 0; i < FRAMES_LOOKED; i++, frame = at[frame].parent) {
		sum += x->kinds[x->of_state[at[frame].lr_state]].frame;
		if (frame == FRAME_BOTTOM) return sum;
	}
	return sum + (frame_depth(m->pool, frame) + 1ull) * x->frame;
}

// What all tokens of a position have in common, beside what is needed of its top and of its frames: tokens that lead
// on, lexemes that end besides. Of those that lead on by themselves, and of those that searches have led on from.
enum { PLAIN, LED };
struct far_common {
	const struct far_tables *x;
	uint64_t tokens[2], ends[2];
};

static uint32_t ahead_of(uint32_t inside) { return inside > FAR_AHEAD ? inside : FAR_AHEAD; }

// False: nothing is known.
static bool begin(struct gcdc_matcher *m, const struct position *p, struct far_common *c)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct canonical_ahead *ahead = &m->cache->ahead;
	if (!a->canonical.far || a->info.n_lines || regex_knows(a, p)) return false;
	for (uint32_t i = 0; i < p->n; i++)
		if (m->pool->at[p->at[i].frame].depth & FRAME_BRANCHED) return false;
	if (!(c->x = far_tables_of(m))) return false;
	c->tokens[PLAIN] = ahead_of(m->cache->inside_most) + FAR_CHARACTERS, c->ends[PLAIN] = c->x->characters;
	c->tokens[LED] = c->tokens[PLAIN] + ahead->steps + ahead->inside, c->ends[LED] = c->ends[PLAIN] + ahead->ends;
	return true;
}

// The most of all readings.
static uint64_t most_of(const struct gcdc_matcher *m, const struct position *p, const struct far_tables *x,
                        uint64_t ends)
{
	uint64_t most = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		const struct far_kind *top = &x->kinds[x->of_state[m->pool->at[p->at[i].frame].lr_state]];
		const uint64_t own = need_of(x, top, ends);
		if (own > most) most = own;
	}
	return most;
}

static uint64_t most_frames(const struct gcdc_matcher *m, const struct position *p, const struct far_tables *x)
{
	uint64_t most = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		const uint64_t own = frames_of(m, x, p->at[i].frame);
		if (own > most) most = own;
	}
	return most;
}

uint32_t far_least(struct gcdc_matcher *m, const struct position *p, uint32_t token)
{
	struct far_common c;
	if (!begin(m, p, &c)) return ARTIFACT_NONE;
	const uint32_t kind = row_has(m->cache->led, token) ? LED : PLAIN;
	const uint64_t tokens =
		most_frames(m, p, c.x) + c.tokens[kind] + most_of(m, p, c.x, c.ends[kind] + far_ends_of(c.x, token));
	return tokens < ARTIFACT_NONE / 2 ? (uint32_t)tokens : ARTIFACT_NONE;
}

struct far_fewer far_fewer(struct gcdc_matcher *m, const struct position *p)
{
	struct far_common c;
	uint32_t fewer[2] = {0, 0};
	if (p->left <= m->budget_counts_eos || !begin(m, p, &c)) return (struct far_fewer){0, 0};
	const uint64_t left = p->left - m->budget_counts_eos - 1ull, frames = most_frames(m, p, c.x);  // behind the token
	for (uint32_t kind = PLAIN; kind <= LED; kind++) {
		const uint64_t own = frames + c.tokens[kind];
		uint32_t n = c.x->ends;
		if (own + most_of(m, p, c.x, c.ends[kind] + c.x->ends_most) <= left) {
			fewer[kind] = FAR_ALL;
			continue;
		}
		while (own + most_of(m, p, c.x, c.ends[kind] + n) <= left) n++;
		fewer[kind] = n > c.x->ends ? n : 0;
	}
	return (struct far_fewer){fewer[PLAIN], fewer[LED]};
}

bool far_is_behind(struct gcdc_matcher *m, const struct position *p, uint32_t token)
{
	const struct far_fewer x = far_fewer(m, p);
	if (far_is_all(x)) return true;
	return x.plain && far_ends_of(m->cache->far, token) < (row_has(m->cache->led, token) ? x.led : x.plain);
}

// Of row's tokens those that may end `fewer` lexemes or more, into near; of: only those of this row, if any.
static void add_near(const struct far_tables *x, uint32_t fewer, const uint32_t *of, uint32_t words, uint32_t *near)
{
	const uint32_t more = fewer > x->ends ? fewer - 1 - x->ends : 0;
	const uint32_t *ends = fewer > x->ends && more < FAR_ENDS ? x->more[more] : NULL;
	if (fewer == FAR_ALL) return;
	for (uint32_t w = 0; w < words && more < FAR_ENDS; w++)
		near[w] |= (of ? of[w] : UINT32_MAX) & (ends ? ends[w] : UINT32_MAX);
	for (uint32_t i = 0; i < x->n_last && more >= FAR_ENDS; i++)
		if (x->last[i].ends >= fewer && (!of || row_has(of, x->last[i].token))) row_add(near, x->last[i].token);
}

void far_near(const struct gcdc_matcher *m, struct far_fewer x, const uint32_t *row, uint32_t *near)
{
	const struct canonical_cache *cache = m->cache;
	memset(near, 0, cache->words * sizeof *near);
	add_near(cache->far, x.plain, NULL, cache->words, near);
	add_near(cache->far, x.led, cache->led, cache->words, near);
	for (uint32_t w = 0; w < cache->words; w++) near[w] &= row[w];
}
