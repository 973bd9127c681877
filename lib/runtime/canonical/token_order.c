// Tokens in the order of their bytes, for walks in which each begins with what it has in common with the one before it.
//
// In:  the tokens' bytes.  Out: the order by the first eight of them.
// How: sorting by digits of two bytes, the least significant first. Cost: some 30 ns a token, 16 bytes a token.
#include "token_order.h"

#include "../core/runtime_internal.h"

#define ORDERED TOKEN_ORDERED
#define DIGIT 16u  // bits

static struct token_ordered ordered_of(const struct gcdc_artifact *a, uint32_t token)
{
	struct token_ordered x = {.token = token};
	const uint32_t begin = a->token_offset[token], len = a->token_offset[token + 1] - begin;
	x.n = (uint8_t)(len < ORDERED ? len : ORDERED), x.is_longer = len > ORDERED;
	for (uint32_t i = 0; i < ORDERED; i++) x.bytes = x.bytes << 8 | (i < len ? a->token_bytes[begin + i] : 0);
	return x;
}

// at: [1 << DIGIT], scratch.
static void sort(struct token_ordered *x, struct token_ordered *other, uint32_t n, uint32_t *at)
{
	static_assert(ORDERED * 8 % (2 * DIGIT) == 0, "it ends in x");
	const uint64_t digit = (1u << DIGIT) - 1;
	for (uint32_t shift = 0; shift < ORDERED * 8; shift += DIGIT) {
		memset(at, 0, sizeof *at << DIGIT);
		for (uint32_t i = 0; i < n; i++) at[x[i].bytes >> shift & digit]++;
		for (uint32_t d = 0, count, sum = 0; d <= digit; d++) count = at[d], at[d] = sum, sum += count;
		for (uint32_t i = 0; i < n; i++) other[at[x[i].bytes >> shift & digit]++] = x[i];
		struct token_ordered *swap = x;
		x = other, other = swap;
	}
}

static uint32_t in_common(const struct token_ordered *x, const struct token_ordered *y)
{
	const uint32_t n = x->bytes == y->bytes ? ORDERED : (uint32_t)__builtin_clzll(x->bytes ^ y->bytes) / 8;
	const uint32_t most = x->n < y->n ? x->n : y->n;
	return n < most ? n : most;
}

struct token_ordered *token_order_new(const struct gcdc_artifact *a)
{
	const uint32_t n = a->info.n_tokens;
	struct token_ordered *order = memory_resize(&a->memory, NULL, n + 1ull, sizeof *order);
	struct token_ordered *other = memory_resize(&a->memory, NULL, n + 1ull, sizeof *other);
	uint32_t *at = memory_resize(&a->memory, NULL, (size_t)1 << DIGIT, sizeof *at);
	const bool good = order && other && at;
	for (uint32_t t = 0; t < n && good; t++) order[t] = ordered_of(a, t);
	if (good) sort(order, other, n, at);
	for (uint32_t i = 1; i < n && good; i++) order[i].common = (uint8_t)in_common(&order[i - 1], &order[i]);
	memory_free(&a->memory, other), memory_free(&a->memory, at);
	if (!good) memory_free(&a->memory, order);
	return good ? order : NULL;
}
