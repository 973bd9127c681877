// Tokens in the order of their bytes.
#ifndef GCDC_CANONICAL_TOKEN_ORDER_H
#define GCDC_CANONICAL_TOKEN_ORDER_H

#include "canonical.h"

// A token in the order of the first bytes, of which it has n, and `common` in common with the one before it.
#define TOKEN_ORDERED 8u
struct token_ordered {
	uint64_t bytes;  // behind them zeros
	uint32_t token;
	uint8_t n, common;
	bool is_longer;
};

// [n_tokens]; NULL: no memory.
struct token_ordered *token_order_new(const struct gcdc_artifact *a);

#endif
