// All of the tables of one tokenizer.
//
// In:  encoder, vocabulary. Out: struct canonical.
// What the model cannot hold is refused first, each with its reason. Cost: Llama-3 0.6 s, mostly the runs of merges,
// once per vocabulary.
#include <time.h>

#include "boundary.h"
#include "characters.h"
#include "classes.h"
#include "merges.h"

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool refuse(struct diag *d, const char *what)
{
	diag_error(d, (struct loc){0}, "the tokenizer has %s; canonical tokenization cannot be modelled for it", what);
	return false;
}

// Branches: one refusal for each thing that a tokenizer may do and canonical tables do not model.
static bool is_modelled(const struct encoder_model *m, struct diag *d)
{
	if (m->obstacle) return refuse(d, m->obstacle);
	if (m->cuts.n > BOUNDARY_MAX_CUTS) return refuse(d, "more than 8 steps that cut (BOUNDARY_MAX_CUTS)");
	for (uint32_t i = 0; i < m->cuts.n; i++)
		if (m->cuts.at[i].kind == CUT_REMOVED && !m->cuts.at[i].invert)
			return refuse(d, "a pre-tokenizer that removes text");
	for (uint32_t i = 0; i < m->added.n; i++) {
		const struct encoder_added *a = &m->added.at[i];
		if (a->single_word) return refuse(d, "an added token with \"single_word\"");
		if (!a->special && (a->lstrip || a->rstrip))
			return refuse(d, "an added token with \"lstrip\" or \"rstrip\" that is not special");
		if (!a->special && m->adds_prefix)
			return refuse(d, "added tokens that are not special, and a character that it puts before every text");
		for (uint32_t k = 0; k < m->replaced.n && a->normalized; k++)
			for (uint32_t c = 0; c < a->len; c++)
				if ((uint8_t)a->text[c] == m->replaced.at[k].left || (uint8_t)a->text[c] >= 0x80)
					return refuse(
						d,
						"an added token that is looked for in normalized text and holds what the normalizer replaces");
	}
	return true;
}

// Each token's spelling as symbols: its characters' tokens, or itself for a byte token.
// Branches: a token is a byte, or characters that are each decoded and looked up; one that is unknown drops the token.
static void list_symbols(const struct encoder_model *m, uint32_t n_tokens, uint32_t *at, uint32_t **symbols)
{
	VEC(uint32_t) out = {0};
	uint8_t *is_byte = mem_calloc(n_tokens + 1, 1);
	for (uint32_t b = 0; b < 256 && m->byte_fallback; b++)
		if (m->byte_id[b] < n_tokens) is_byte[m->byte_id[b]] = 1;
	for (uint32_t t = 0; t < n_tokens; t++) {
		at[t] = out.n;
		const char *s = t < m->n_ids ? m->spelling[t] : NULL;
		uint32_t len = s ? m->spelling_len[t] : 0, size;
		if (is_byte[t]) {
			vec_push(&out, t);
			continue;
		}
		for (uint32_t i = 0; i < len; i += size) {
			uint8_t b = (uint8_t)s[i];
			size = b < 0x80 ? 1 : b < 0xE0 ? 2 : b < 0xF0 ? 3 : 4;
			uint32_t c = size == 1 ? b : b & (0x7Fu >> size);
			for (uint32_t k = 1; k < size && i + k < len; k++) c = c << 6 | ((uint8_t)s[i + k] & 63u);
			uint32_t id = c < 0x110000 ? m->char_id[c] : 0;
			if (!id ||
			    out.n - at[t] == MERGES_MAX_SYMBOLS) {  // unknown characters, or more than a text's piece may have
				out.n = at[t];
				break;
			}
			vec_push(&out, id - 1);
		}
	}
	at[n_tokens] = out.n;
	*symbols = out.at;
	free(is_byte);
}

static void build_merges(const struct encoder_model *m, uint32_t n_tokens, struct merges *merges, struct canonical *c)
{
	uint32_t *symbols, *at = mem_alloc(((size_t)n_tokens + 1) * sizeof *at);
	list_symbols(m, n_tokens, at, &symbols);
	merges_build(m->merges.at, m->merges.n, n_tokens, symbols, at, merges);
	free(symbols), free(at);
	merges_table(merges, c);
}

static bool build_pieces(struct encoder *e, const struct encoder_model *m, struct diag *d, struct canonical *c,
                         uint32_t *n_states)
{
	struct pattern_items items = {0};
	struct arena arena = {0};
	struct split_pattern pattern[BOUNDARY_MAX_CUTS];
	memset(pattern, 0, sizeof pattern);
	const uint64_t *group_items;
	bool good = true;
	for (uint32_t i = 0; i < m->cuts.n && good; i++)
		good = pattern_parse(&m->cuts.at[i], &items, &arena, d, &pattern[i]);
	good = good && characters_build(e, m, &items, d, c, &group_items) &&
	       boundary_build(m, pattern, (struct boundary_groups){group_items, c->info.n_groups}, d, c, n_states);
	for (uint32_t i = 0; i < BOUNDARY_MAX_CUTS; i++) pattern_release(&pattern[i]);
	for (uint32_t i = 0; i < items.n; i++) free(items.at[i].members);
	arena_release(&arena);
	return good;
}

bool canonical_build(struct encoder *e, const struct vocab *v, struct diag *d, struct canonical *c,
                     struct canonical_stats *stats)
{
	struct encoder_model model;
	struct merges merges = {0};
	double begin = now();
	uint32_t n_states = 0;
	*c = (struct canonical){.n_tokens = v->n_tokens};
	encoder_describe(e, &model);
	bool good = is_modelled(&model, d);
	if (good) {
		c->info.flags = (model.ignore_merges ? CANON_WHOLE_PIECES : 0u) | (model.byte_fallback ? CANON_FALLBACK : 0u) |
		                (model.has_form ? CANON_FORM : 0u) | (model.adds_prefix ? CANON_PREFIX : 0u);
		build_merges(&model, v->n_tokens, &merges, c);
		good = build_pieces(e, &model, d, c, &n_states) && classes_build(&model, &merges, v, d, c);
	}
	if (good && stats) {
		*stats = (struct canonical_stats){.n_irregular = merges.n_irregular, .n_states = n_states};
		for (uint32_t t = 0; t < v->n_tokens; t++) {
			stats->n_otherwise += merges.kind[t] == MERGED_OTHERWISE;
			stats->n_unreachable += v->kind[t] == TOKEN_TEXT && c->class_of[t] == CANON_CLASS_NEVER;
		}
		stats->seconds = now() - begin;
	}
	if (merges.slots) merges_release(&merges);
	encoder_model_release(&model);
	if (!good) canonical_release(c);
	return good;
}

void canonical_release(struct canonical *c)
{
	arena_release(&c->arena);
	*c = (struct canonical){0};
}
