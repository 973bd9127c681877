// The tables as sections of a file.
//
// In:  struct canonical. Out: the sections of the groups CANON and TOKENIZER (formats/sections.def), in the order of
// their ids; the bytes stay the tables'. And the reverse, for which sections of a file are checked first. O(bytes).
#include "canonical.h"

uint32_t canonical_sections(const struct canonical *c, struct canon_section out[CANON_SECTIONS])
{
	const struct artifact_canon *k = &c->info;
	const struct {
		uint32_t n_tokens;
	} info = {c->n_tokens}, *i = &info;
	const struct canon_section all[CANON_SECTIONS] = {
		{SECTION_CANON, k, sizeof *k},
#define SECTIONS_OF SECTIONS_TOKENIZER
#define SECTION(id, NAME, member, type, count, ...) {id, c->member, (count) * sizeof(type)},
#include "../../formats/sections.def"
	};
	memcpy(out, all, sizeof all);
	return CANON_SECTIONS;
}

void canonical_view(const struct canon_section in[CANON_SECTIONS], uint32_t n_tokens, struct canonical *c)
{
	*c = (struct canonical){.n_tokens = n_tokens};
	memcpy(&c->info, in[0].bytes, sizeof c->info);
#define SECTIONS_OF SECTIONS_TOKENIZER
#define SECTION(id, NAME, member, ...) c->member = in[(id)-SECTION_CANON].bytes;
#include "../../formats/sections.def"
}

// ---- Sections of a file, which may hold anything.
#define SECTIONS_OF SECTIONS_TOKENIZER
#define SECTION(id, NAME, member, type, ...) typedef type entry_##NAME;
#include "../../formats/sections.def"

static const char *check_sizes(const struct canon_section *in, const struct artifact_canon *k, uint32_t n_tokens)
{
	const struct {
		uint32_t n_tokens;
	} info = {n_tokens}, *i = &info;
#define SECTIONS_OF SECTIONS_TOKENIZER
#define SECTION(number, NAME, member, type, count, ...)                                                                \
	if (in[(number)-SECTION_CANON].id != (number) || in[(number)-SECTION_CANON].size != (count) * sizeof(type))        \
		return #NAME " has not the size that the counts say";
#include "../../formats/sections.def"
	return NULL;
}

static const char *check_bounds(const struct canon_section *in, const struct artifact_canon *k, uint32_t n_tokens)
{
	const struct {
		uint32_t n_tokens;
	} info = {n_tokens}, *i = &info;
#define EACH(NAME, is_wrong, what)                                                                                     \
	for (uint64_t e = 0; e < in[SECTION_##NAME - SECTION_CANON].size / sizeof(entry_##NAME); e++) {                    \
		const entry_##NAME x = ((const entry_##NAME *)in[SECTION_##NAME - SECTION_CANON].bytes)[e];                    \
		if (is_wrong) return #NAME ", " what;                                                                          \
	}
#define SECTIONS_OF SECTIONS_TOKENIZER
#define BELOW(NAME, field, limit, what) EACH(NAME, x.field >= (limit), what)
#define BELOW_OR_NONE(NAME, field, limit, what) EACH(NAME, x.field != ARTIFACT_NONE && x.field >= (limit), what)
#define WITHIN(NAME, first, n, limit, what) EACH(NAME, (uint64_t)x.first + x.n > (limit), what)
#define WORDS_BELOW(NAME, mask, limit, what) EACH(NAME, (x & (mask)) >= (limit), what)
#define WORDS_BELOW_OR_NONE(NAME, limit, what) EACH(NAME, x != ARTIFACT_NONE && x >= (limit), what)
#include "../../formats/sections.def"
	return NULL;
}

// What keeps walks in tables and finite.
// Branches: one rule for each table that a walk follows: joins, parts, added tokens and splits.
static const char *check_walks(const struct canonical *c)
{
	const struct artifact_canon *k = &c->info;
	if (c->first[0] || c->first[c->n_tokens] != k->n_joins) return "CANON_FIRST does not cover CANON_JOIN";
	for (uint32_t t = 0; t < c->n_tokens; t++) {
		if (c->first[t] > c->first[t + 1]) return "CANON_FIRST does not ascend";
		uint32_t left = 0, right = 0;
		for (uint32_t x = t; x != ARTIFACT_NONE && left <= c->n_tokens; x = c->parts[x].left) left++;
		for (uint32_t x = t; x != ARTIFACT_NONE && right <= c->n_tokens; x = c->parts[x].right) right++;
		if (left > c->n_tokens || right > c->n_tokens) return "CANON_PARTS has a circle";
	}
	for (uint32_t x = 0; x < k->n_added; x++)
		if ((c->added[x].child && (c->added[x].child <= x || c->added[x].child >= k->n_added)) ||
		    (c->added[x].next && c->added[x].next >= x))
			return "CANON_ADDED has a node that leads nowhere";
	for (uint32_t x = 0; x < k->n_splits; x++)
		if (c->splits[x].n && c->splits[x].child <= x) return "CANON_SPLIT has a node that leads nowhere";
	return NULL;
}

const char *canonical_check(const struct canon_section in[CANON_SECTIONS], uint32_t n_tokens)
{
	struct canonical c;
	if (in[0].id != SECTION_CANON || in[0].size != sizeof c.info) return "CANON has not the size of its struct";
	memcpy(&c.info, in[0].bytes, sizeof c.info);
	const char *wrong = !c.info.n_added || !c.info.n_splits || c.info.start_set >= c.info.n_sets
	                        ? "CANON has counts that cannot be"
	                        : check_sizes(in, &c.info, n_tokens);
	if (!wrong) wrong = check_bounds(in, &c.info, n_tokens);
	if (wrong) return wrong;
	canonical_view(in, n_tokens, &c);
	return check_walks(&c);
}
