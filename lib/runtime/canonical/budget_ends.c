// Masks under budgets in hard canonical mode: where tokens lead from a lexer state, as long as the lexeme goes on.
//
// In:  a lexer state; a context where ignored lexemes may end.  Out: the lexer state behind each token, or 0.
// How: tokens in the order of their bytes, so that each begins with the states behind what it has in common with the
//      one before it. The answers for some states are kept.
// Cost: 9 ns a token.
#include "budget_mask.h"
#include "token_order.h"

// The state behind one byte more, or 0. *asks: an ignored lexeme has ended, so the context mattered.
static inline uint32_t step(const struct gcdc_artifact *a, uint32_t q, uint32_t context, uint32_t class, bool *asks)
{
	uint32_t x = a->lex_next[(uint64_t)q * a->info.n_classes + class];
	if (x == LEX_CUT) {
		const struct artifact_lex_state *lex = &a->lex_states[q];
		const bool is_ignored =
			lex->terminal != ARTIFACT_NONE && !lex->also && a->terminals[lex->terminal].flags & TERMINAL_IGNORED;
		*asks |= is_ignored;
		if (context == ARTIFACT_NONE) return 0;
		const uint32_t first = is_ignored ? hard_lex_start(a, lex->obligation, context) : 0;
		x = first ? a->lex_next[(uint64_t)first * a->info.n_classes + class] & LEX_STATE_MASK : 0;
	}
	return x & LEX_CUT ? 0 : x;
}

uint32_t hard_stays(const struct gcdc_artifact *a, uint32_t lex_state, uint32_t context, uint32_t token)
{
	uint32_t at = a->token_offset[token], end = a->token_offset[token + 1], q = at == end ? 0 : lex_state;
	bool asks = false;
	for (; at < end && q; at++) q = step(a, q, context, a->info.class_of[a->token_bytes[at]], &asks);
	return q;
}

// ---- All tokens.
// A token may have a dead beginning in common with the one before it; else it is walked from there on.
// Returns whether the context mattered.
static bool walk_all(const struct gcdc_artifact *a, const struct token_ordered *order, uint32_t lex_state,
                     uint32_t context, uint16_t *to)
{
	bool asks = false;
	uint32_t state[TOKEN_ORDERED + 1] = {lex_state},
								   alive = 0;  // states behind so many bytes; the last of them that is none
	for (uint32_t i = 0; i < a->info.n_tokens; i++) {
		const struct token_ordered *x = &order[i];
		uint32_t k = x->common, q = state[k];
		if (k > alive || !x->n) {
			to[x->token] = 0;
			continue;
		}
		for (; k < x->n; k++) {
			q = step(a, q, context, a->info.class_of[x->bytes >> (TOKEN_ORDERED - 1 - k) * 8 & 0xff], &asks);
			if (!q) break;
			state[k + 1] = q;
		}
		alive = k;
		if (UNLIKELY(x->is_longer) && q)
			for (uint32_t at = a->token_offset[x->token] + k; at < a->token_offset[x->token + 1] && q; at++)
				q = step(a, q, context, a->info.class_of[a->token_bytes[at]], &asks);
		to[x->token] = (uint16_t)q;
	}
	return asks;
}

gcdc_status hard_ends_of(struct gcdc_matcher *m, struct hard_masks *x, uint32_t lex_state, uint32_t context,
                         const uint16_t **out)
{
	const struct gcdc_artifact *a = m->artifact;
	struct ends *at = &x->kept->ends[0];
	*out = NULL;
	if (a->info.n_lex_states > UINT16_MAX) return GCDC_OK;
	for (uint32_t i = 0; i < ENDS_KEPT; i++) {
		struct ends *e = &x->kept->ends[i];
		if (e->used && e->lex_state == lex_state && (e->context == context || !e->asks))
			return e->used = ++x->kept->clock, *out = e->to, GCDC_OK;
		if (x->kept->ends[i].used < at->used) at = &x->kept->ends[i];
	}
	if (!hard_can(m->cache->prices, WORK_LEXER, a->info.n_tokens)) return GCDC_OK;
	hard_work(m->cache->prices, WORK_LEXER, a->info.n_tokens);
	at->used = 0, at->lex_state = lex_state, at->context = context;
	if (!at->to && !(at->to = memory_resize(&a->memory, NULL, a->info.n_tokens + 1ull, sizeof *at->to)))
		return GCDC_ERR_MEMORY;
	at->asks = walk_all(a, m->cache->order, lex_state, context, at->to);
	at->used = ++x->kept->clock;
	return *out = at->to, GCDC_OK;
}
