// Sets of parser states: see frame_sets.h.
//
// In:  states. Out: numbers of sets; equal sets have one number. Cost: linear, and for more than 16 states a
// word for each 4,096 states that there are (for each 64, where the set is kept as bits); log n to ask for one state.
#include "frame_sets.h"

#include "../shared/search.h"

void frame_sets_init(struct frame_sets *s, uint32_t n_states)
{
	*s = (struct frame_sets){.words = BITS_WORDS(n_states)};
	s->scratch = mem_calloc((size_t)s->words + 1, sizeof *s->scratch);
	s->some = mem_calloc((size_t)BITS_WORDS(s->words) + 1, sizeof *s->some);
	intern_add(&s->sets, NULL, 0, NULL);  // FRAMES_NONE
}

void frame_sets_release(struct frame_sets *s)
{
	intern_release(&s->sets);
	free(s->scratch), free(s->some);
	vec_release(&s->few);
	*s = (struct frame_sets){0};
}

#define BITS_ONLY 16u  // words: bits take no more time than a list then

static bool is_list(const struct frame_sets *s, uint32_t len)
{
	return !len || (s->words > BITS_ONLY && len < s->words * sizeof(bits));
}

static uint32_t place_among(const uint16_t *list, uint32_t n, lr_state frame)
{
	uint32_t i;
	LOWER_BOUND(i, 0, n, list[i] < frame);
	return i;
}

#define SORTED_FEW 16u  // by insertion; more by way of bits

uint32_t frame_sets_add(struct frame_sets *s, const lr_state *frames, uint32_t n)
{
	const uint32_t len = n * (uint32_t)sizeof *s->few.at;
	vec_clear(&s->few);
	vec_reserve(&s->few, n);
	if (is_list(s, len) && n <= SORTED_FEW) {
		for (uint32_t k = 0; k < n; k++) {
			const uint32_t i = place_among(s->few.at, k, frames[k]);
			memmove(s->few.at + i + 1, s->few.at + i, (k - i) * sizeof *s->few.at);
			s->few.at[i] = (uint16_t)frames[k];
		}
		return intern_add(&s->sets, s->few.at, len, NULL);
	}
	for (uint32_t i = 0; i < n; i++) bits_set(s->scratch, frames[i]);
	if (!is_list(s, len)) {
		const size_t size = s->words * sizeof(bits);
		const uint32_t set = intern_add(&s->sets, s->scratch, size, NULL);
		memset(s->scratch, 0, size);
		return set;
	}
	for (uint32_t i = 0; i < n; i++) bits_set(s->some, frames[i] / 64);
	for (uint32_t k = 0; k < BITS_WORDS(s->words); k++) {
		for (bits left = s->some[k]; left; left &= left - 1) {
			const uint32_t w = k * 64 + (uint32_t)__builtin_ctzll(left);
			for (bits x = s->scratch[w]; x; x &= x - 1)
				s->few.at[s->few.n++] = (uint16_t)(w * 64 + (uint32_t)__builtin_ctzll(x));
			s->scratch[w] = 0;
		}
		s->some[k] = 0;
	}
	return intern_add(&s->sets, s->few.at, len, NULL);
}

static void list_bits(const bits *b, uint32_t words, frame_list *out)
{
	for (lr_state p = bits_next(b, words, 0); p != UINT32_MAX; p = bits_next(b, words, p + 1)) vec_push(out, p);
}

static void list_few(const uint16_t *list, uint32_t n, frame_list *out)
{
	vec_reserve(out, (uint64_t)out->n + n);
	for (uint32_t i = 0; i < n; i++) out->at[out->n++] = list[i];
}

const void *frames_packed(const struct frame_sets *s, uint32_t set, uint32_t *len)
{
	return intern_get(&s->sets, set, len);
}

void frames_unpack(const struct frame_sets *s, const void *packed, uint32_t len, frame_list *out)
{
	if (is_list(s, len))
		list_few(packed, len / (uint32_t)sizeof(uint16_t), out);
	else
		list_bits(packed, s->words, out);
}

void frame_sets_list(const struct frame_sets *s, uint32_t set, frame_list *out)
{
	uint32_t len;
	const void *packed = frames_packed(s, set, &len);
	frames_unpack(s, packed, len, out);
}

bool frame_sets_has(const struct frame_sets *s, uint32_t set, lr_state frame)
{
	uint32_t len;
	const void *at = intern_get(&s->sets, set, &len);
	if (!is_list(s, len)) return bits_test(at, frame);
	const uint32_t n = len / (uint32_t)sizeof(uint16_t), i = place_among(at, n, frame);
	return i < n && ((const uint16_t *)at)[i] == frame;
}

// The list becomes bits.
static bits *spread(struct grown_frames *g, const struct frame_sets *s)
{
	const uint16_t *list = g->at;
	bits *b = mem_calloc(s->words, sizeof *b);
	for (uint32_t i = 0; i < g->n; i++) bits_set(b, list[i]);
	free(g->at);
	return g->at = b;
}

bool grown_frames_add(struct grown_frames *g, const struct frame_sets *s, lr_state frame)
{
	if (g->n > GROWN_FEW) {
		const bool is_new = !bits_test(g->at, frame);
		bits_set(g->at, frame);
		g->n += is_new;
		return is_new;
	}
	uint16_t *list = g->at;
	const uint32_t i = place_among(list, g->n, frame);
	if (i < g->n && list[i] == frame) return false;
	if (g->n == GROWN_FEW) {
		bits_set(spread(g, s), frame);
		g->n++;
		return true;
	}
	if (!(g->n & (g->n - 1))) list = g->at = mem_realloc(list, g->n ? 2 * (size_t)g->n : 1, sizeof *list);
	memmove(list + i + 1, list + i, (g->n - i) * sizeof *list);
	list[i] = (uint16_t)frame;
	g->n++;
	return true;
}

void grown_frames_take(struct grown_frames *g, const struct frame_sets *s, frame_list *out)
{
	if (g->n > GROWN_FEW)
		list_bits(g->at, s->words, out);
	else
		list_few(g->at, g->n, out);
	free(g->at);
	*g = (struct grown_frames){0};
}
