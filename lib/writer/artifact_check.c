// The rules of the artifact format that an image can break by a bug in the compiler, each with its text.
//
// In:  an image.  Out: the first broken rule, or NULL.
// Sizes and the rules that tie tables together; that single indices are in range is proved by the runtime when it
// opens the file (lib/runtime/artifact_validate.c), which the compiler's tests do for whatever they write.
// Cost: O(entries of START_BASE, NODE, SET, and tokens).
#include "artifact_image.h"

// Branches: one rule and one message for each count of the artifact.
static const char *check_counts(const struct artifact_info *i)
{
	if (i->n_tokens == 0) return "there are no tokens";
	if (i->mask_words != (i->n_tokens + 31) / 32) return "mask_words is not ceil(n_tokens / 32)";
	if (i->n_classes < 1 || i->n_classes > 256) return "n_classes is not 1 to 256";
	if (i->n_lex_states < 2) return "there is no lexer state besides the dead one";
	if (i->start_lex_state < 1 || i->start_lex_state >= i->n_lex_states)
		return "start_lex_state is not a live lexer state";
	if (i->n_obligations < 1) return "there is no obligation 0";
	if (i->n_contexts < 1) return "there is no context";
	if (i->n_lr_states < 2) return "there is no parser state 1";
	if (i->n_nodes < 1) return "there is no node 0";
	if (i->n_sets < 1) return "there is no set 0";
	if (i->n_strings < 1) return "there are no strings";
	if (i->max_readings < 1 || i->max_readings > ARTIFACT_MAX_READINGS)
		return "max_readings is not 1 to ARTIFACT_MAX_READINGS";
	if (i->max_pushes > ARTIFACT_MAX_PUSHES) return "max_pushes is above ARTIFACT_MAX_PUSHES";
	for (uint32_t b = 0; b < 256; b++)
		if (i->class_of[b] >= i->n_classes) return "class_of names a class that does not exist";
	return NULL;
}

static const char *check_arrays(const struct artifact_image *m)
{
	const struct artifact_info *i = &m->info;
#define HEAD(...)
#define SECTIONS_OF SECTIONS_CORE
#define SECTION(id, NAME, member, type, count, ...)                                                                    \
	if ((count) != 0 && !m->member) return "an array with entries is NULL: " #member;
#include "../../formats/sections.def"
	if (!m->token_offset || !m->token_bytes) return "there are no tokens' bytes";
	return m->strings[i->n_strings - 1] ? "the last string does not end in NUL" : NULL;
}

static const char *check_set(const struct artifact_image *m, const struct artifact_set *s)
{
	if (s->dense != ARTIFACT_NONE && s->dense >= m->info.n_dense) return "a set names a row that does not exist";
	if ((uint64_t)s->at + s->n > m->info.n_sparse) return "a set names sparse entries that do not exist";
	if ((s->count == 0) != (s->dense == ARTIFACT_NONE && s->n == 0))
		return "count is 0 in a set that is not empty, or the reverse";
	for (uint32_t x = 1; x < s->n; x++)
		if (m->sparse[s->at + x] <= m->sparse[s->at + x - 1])
			return "the tokens of a set's sparse entries do not ascend";
	return NULL;
}

static const char *check_masks(const struct artifact_image *m)
{
	const struct artifact_info *i = &m->info;
	uint32_t past = i->n_tokens % 32 ? UINT32_MAX << i->n_tokens % 32 : 0;
	if (m->sets[0].dense != ARTIFACT_NONE || m->sets[0].n || m->sets[0].count || m->sets[0].flags)
		return "set 0 is not empty";
	for (uint32_t k = 0; k < i->n_sets; k++) {
		const char *wrong = check_set(m, &m->sets[k]);
		if (wrong) return wrong;
	}
	for (uint32_t k = 0; k < i->n_sparse; k++)
		if (m->sparse[k] >= i->n_tokens) return "a sparse entry is past the tokens";
	for (uint64_t r = 1; r <= i->n_dense; r++)
		if (m->dense[r * i->mask_words - 1] & past) return "a row has bits past the tokens";
	return NULL;
}

// [context] one past the highest rank of its parser states, by the caller's array; the highest of them all.
static uint32_t find_ranks(const struct artifact_image *m, uint32_t *ranks)
{
	uint32_t most = 0;
	for (uint32_t s = 1; s < m->info.n_lr_states; s++) {
		uint32_t *r = &ranks[m->lr_states[s].context];
		if (*r <= m->lr_states[s].rank) *r = m->lr_states[s].rank + 1;
		if (*r > most) most = *r;
	}
	return most;
}

// Does START end before the last row of some base?
static bool is_short(const struct artifact_image *m)
{
	const struct artifact_info *i = &m->info;
	uint32_t *ranks = mem_calloc(i->n_contexts, sizeof *ranks);
	const uint32_t most = find_ranks(m, ranks);
	bool short_of = false;
	for (uint32_t k = 0; k < i->n_start_cells; k++) {
		const struct artifact_cell *x = &m->start_base[k];
		short_of |= x->column != ARTIFACT_NONE && (uint64_t)x->value + ranks[x->column] > i->n_starts;
	}
	for (uint32_t q = 0; q < i->n_lex_states; q++) {
		const struct artifact_lex_state *x = &m->lex_states[q];
		if (x->start_most == ARTIFACT_NONE || (uint64_t)x->start_most + most <= i->n_starts) continue;
		for (uint32_t c = 0; c < i->n_contexts; c++)
			short_of |= artifact_bit(m->live, x->live, i->n_contexts, c) &&
			            (uint64_t)x->start_most + ranks[c] > i->n_starts &&
			            artifact_start_base_of(x, m->start_base, m->live, i->n_contexts, c) == x->start_most;
	}
	free(ranks);
	return short_of;
}

static const char *check_stack_reading(const struct artifact_image *m)
{
	const struct artifact_info *i = &m->info;
	for (uint32_t k = 1; k < i->n_nodes; k++)
		if ((uint64_t)m->nodes[k].first + m->nodes[k].n > i->n_edges) return "a node names edges that do not exist";
	for (uint32_t s = 0; s < i->n_lr_states; s++)
		if (m->lr_states[s].context >= i->n_contexts) return "a parser state names a context that does not exist";
	return is_short(m) ? "START is too short for a base in START_BASE and the ranks of its context" : NULL;
}

static const char *check_tokens(const struct artifact_image *m)
{
	const struct artifact_info *i = &m->info;
	if (m->token_offset[0]) return "the first token's offset is not 0";
	bool descends = false, is_long = false;  // all are looked at: no jump
	for (uint32_t t = 0; t < i->n_tokens; t++) {
		const uint32_t from = m->token_offset[t], to = m->token_offset[t + 1];
		descends |= to < from;
		is_long |= to - from > i->max_token_len;
	}
	if (descends) return "token offsets do not ascend";
	if (is_long) return "a token is longer than max_token_len";
	for (uint32_t k = 0; k < i->n_eos; k++)
		if (m->eos[k] >= i->n_tokens || (k && m->eos[k] <= m->eos[k - 1]))
			return "EOS ids do not ascend, or are not tokens";
	return NULL;
}

const char *artifact_check(const struct artifact_image *m)
{
	const char *broken = check_counts(&m->info);
	if (!broken) broken = check_arrays(m);
	if (!broken) broken = check_masks(m);
	if (!broken) broken = check_stack_reading(m);
	if (!broken) broken = check_tokens(m);
	return broken;
}
