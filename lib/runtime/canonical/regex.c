// Hard canonical masks of a grammar that is one regular expression: dead ends are known.
//
// In:  a position, its mask of canonical successors.  Out: the mask without tokens that lead nowhere.
// The compiler has multiplied the lexer with the tokenizer's automaton (lib/canonical, CartesianMerge) and lists the
// states that lead to no end by keys, and by lexer state the tokens that may lead there. So nothing is searched for.
// The keys are chosen so that no other state that a text can come to has one of them. A place behind a prompt is none
// of these; there hard mode searches as for other grammars. Cost: a step, a key and a binary search for each such token
// that the mask has; mostly there is none.
#include "../core/runtime_internal.h"
#include "canonical.h"

gcdc_status regex_take(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why)
{
	struct regex_tables *t = &a->regex;
	const struct section_row head = {SECTION_REGEX, &t->info, 1, sizeof *t->info};
	gcdc_status status = section_take_head(a, f, &head, why);
	if (status || !t->info) return status;
	if (!a->section[SECTION_CANON])
		return refuse(why, GCDC_ERR_FORMAT, SECTION_REGEX, 0, "section %u without canonical tables", SECTION_REGEX);
	const struct artifact_info *i = &a->info;
	const struct artifact_regex *r = t->info;
	const struct section_row rows[] = {
#define HEAD(...)
#define SECTIONS_OF SECTIONS_REGEX
#define SECTION(id, NAME, member, type, count, ...) {id, &t->member, count, sizeof(type)},
#include "../../../formats/sections.def"
	};
	return section_take(a, f, rows, sizeof rows / sizeof *rows, why);
}

static gcdc_status bad(gcdc_refusal *why, uint32_t section, uint64_t at, const char *what)
{
	return refuse(why, GCDC_ERR_FORMAT, section, at, "section %u, entry %llu: %s", section, (unsigned long long)at,
	              what);
}

gcdc_status regex_validate(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct regex_tables *r = &a->regex;
	if (!r->info) return GCDC_OK;
	if (r->info->reserved) return bad(why, SECTION_REGEX, 0, "a reserved field is not 0");
	if (r->states[0].first || r->states[a->info.n_lex_states].first != r->info->n_candidates)
		return bad(why, SECTION_REGEX_STATE, 0, "the ends are not those of the list");
	for (uint32_t q = 0; q < a->info.n_lex_states; q++) {
		uint32_t from = r->states[q].first, to = r->states[q + 1].first;
		if (from > to || to > r->info->n_candidates) return bad(why, SECTION_REGEX_STATE, q, "does not ascend");
		for (uint32_t k = from; k < to; k++)
			if (k > from && r->candidates[k].token <= r->candidates[k - 1].token)
				return bad(why, SECTION_REGEX_CANDIDATE, k, "does not ascend");
	}
	for (uint32_t k = 1; k < r->info->n_dead; k++)
		if (r->dead[k] < r->dead[k - 1]) return bad(why, SECTION_REGEX_DEAD, k, "does not ascend");
	return GCDC_OK;
}

// ---- Keys (formats/canonical.md).
static uint64_t mix(uint64_t x)
{
	x ^= x >> 30, x *= 0xBF58476D1CE4E5B9u;
	x ^= x >> 27, x *= 0x94D049BB133111EBu;
	return x ^ x >> 31;
}

// Of the first bytes of a character: their code point without the bits that are left, as the first one that is alike.
static uint32_t begun_number(const struct regex_tables *r, const struct canonical_place *p)
{
	static const uint32_t base[] = {0, REGEX_PREFIX_CLASS_6, REGEX_PREFIX_CLASS_12, REGEX_PREFIX_CLASS_18,
	                                REGEX_N_PREFIX_CLASS};
	uint32_t size = p->begun[0] < 0xE0   ? 2
	                : p->begun[0] < 0xF0 ? 3
	                                     : 4,
			 left = size - p->n_begun, x = p->begun[0] & (0x7Fu >> size);
	for (uint32_t i = 1; i < p->n_begun; i++) x = x << 6 | (p->begun[i] & 63u);
	uint32_t c = x << 6 * left, least = size == 2 ? 0x80 : size == 3 ? 0x800 : 0x10000;
	if (c >= least && x < base[left + 1] - base[left]) x = r->prefix_class[base[left] + x];
	return size << 28 | left << 24 | x;
}

static uint64_t key_of(const struct regex_tables *r, uint32_t lex_state, const struct canonical_place *p)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < p->n_ways; i++)
		sum +=
			mix((1ull << 60) + ((uint64_t)p->way[i].set << 40) + ((uint64_t)p->way[i].pending << 32) + p->way[i].split);
	for (uint32_t i = 0; i < p->n_live; i++) sum += mix((2ull << 60) + p->live[i]);
	if (p->n_begun) sum += mix((3ull << 60) + ((uint64_t)p->by_bytes << 32) + begun_number(r, p));
	if (!(r->states[lex_state].flags & REGEX_NO_MARK))
		sum += mix((4ull << 60) + ((uint64_t)p->left << 8) + p->combining);
	return mix(mix(r->info->seed + ((uint64_t)lex_state << 32 | p->last)) + sum);
}

// Does the token, a canonical successor of p, lead to a dead end?
static bool is_dead(const struct gcdc_artifact *a, const struct canonical_place *p, const struct artifact_candidate *s)
{
	const struct regex_tables *r = &a->regex;
	struct canonical_place after = *p;
	if (!canonical_step(a, &after, s->token)) return true;
	uint64_t key = key_of(r, s->lex_state, &after);
	uint32_t i;
	LOWER_BOUND(i, 0, r->info->n_dead, r->dead[i] < key);
	return i < r->info->n_dead && r->dead[i] == key;
}

bool regex_knows(const struct gcdc_artifact *a, const struct position *p)
{
	return a->regex.info && !p->canonical.behind_prompt && p->n == 1;
}

void regex_prune(const struct gcdc_artifact *a, const struct position *p, uint32_t *mask, bool *empty)
{
	const struct regex_tables *r = &a->regex;
	uint32_t q = p->at[0].lex_state, any = 0;
	for (uint32_t k = r->states[q].first; k < r->states[q + 1].first; k++) {
		const struct artifact_candidate *s = &r->candidates[k];
		if (mask[s->token / 32] >> s->token % 32 & 1 && is_dead(a, &p->canonical, s))
			mask[s->token / 32] &= ~(1u << s->token % 32);
	}
	for (uint32_t i = 0; i < a->info.mask_words && r->states[q].first < r->states[q + 1].first; i++) any |= mask[i];
	*empty = r->states[q].first < r->states[q + 1].first && !any;
}

bool regex_survives(const struct gcdc_artifact *a, const struct position *p, uint32_t token)
{
	const struct regex_tables *r = &a->regex;
	uint32_t i, q = p->at[0].lex_state, end = r->states[q + 1].first;
	LOWER_BOUND(i, r->states[q].first, end, r->candidates[i].token < token);
	return i == end || r->candidates[i].token != token || !is_dead(a, &p->canonical, &r->candidates[i]);
}
