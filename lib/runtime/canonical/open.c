// The canonical sections of an artifact: found, measured, proved in range.
//
// In:  sections. Out: struct canonical_tables. All of the sections are there or none.
// Proved is what keeps a matcher in bounds and its loops finite: every index, lists that only go down, trees whose
// children have higher numbers, chains of parts that end. Cost: O(bytes).
#include "../core/runtime_internal.h"
#include "far.h"

static gcdc_status bad(gcdc_refusal *why, uint32_t section, uint64_t at, const char *what)
{
	return refuse(why, GCDC_ERR_FORMAT, section, at, "section %u, entry %llu: %s", section, (unsigned long long)at,
	              what);
}

static gcdc_status check_info(const struct artifact_canon *i, gcdc_refusal *why)
{
	const struct count_rule rules[] = {
#define RULE(field, least, most, what) {offsetof(struct artifact_canon, field), i->field, least, most, what}
		RULE(mode, CANON_SOFT, CANON_HARD, "mode"),
		RULE(flags, 0, CANON_WHOLE_PIECES | CANON_FALLBACK | CANON_FORM | CANON_PREFIX, "flags"),
		RULE(n_classes, CANON_CLASS_PLAIN, 65536, "number of classes"),
		RULE(n_pages, 1, 65536, "number of pages"),
		RULE(n_kinds, 1, 65536, "number of kinds of characters"),
		RULE(n_groups, 1, 65536, "number of groups"),
		RULE(n_sets, 2, CANON_MAX_SETS, "number of sets (CANON_MAX_SETS)"),
		RULE(n_added, 1, UINT32_MAX, "nodes of added tokens"),
		RULE(n_splits, 1, UINT32_MAX, "nodes of splits"),
		RULE(n_left, 1, 65536, "rows of joints"),
		RULE(n_right_words, 1, 2048, "words of a row of joints"),
		RULE(n_marks, 0, i->first_mark > i->n_bad ? 0 : i->n_bad - i->first_mark, "number of marks"),
		RULE(first_mark, 0, i->n_bad, "first of the marks"),
		RULE(start_set, 1, i->n_sets - 1ull, "first set"),
		RULE(reserved[0], 0, 0, "reserved field"),
		RULE(reserved[1], 0, 0, "reserved field"),
#undef RULE
	};
	return counts_validate(rules, sizeof rules / sizeof *rules, SECTION_CANON, why);
}

static gcdc_status take_lexemes(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why)
{
	struct canonical_tables *c = &a->canonical;
	const struct artifact_info *i = &a->info;
	const struct artifact_canon *k = a->section[SECTION_CANON];
	const uint64_t n_unsettled = f->size[SECTION_CANON_UNSETTLED] / sizeof *c->unsettled;
	if (n_unsettled > UINT32_MAX)
		return refuse(why, GCDC_ERR_FORMAT, SECTION_CANON_UNSETTLED, 0,
		              "section %u has %llu bytes, more than indices reach", SECTION_CANON_UNSETTLED,
		              (unsigned long long)f->size[SECTION_CANON_UNSETTLED]);
	const struct section_row rows[] = {
#define SECTIONS_OF SECTIONS_LEXEMES
#define SECTION(id, NAME, member, type, count, ...) {id, &c->member, count, sizeof(type)},
#include "../../../formats/sections.def"
	};
	return section_take(a, f, rows, sizeof rows / sizeof *rows, why);
}

static gcdc_status take_tokenizer(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why)
{
	struct canonical_tables *c = &a->canonical;
	const struct artifact_info *i = &a->info;
	const struct artifact_canon *k = a->section[SECTION_CANON];
	const struct section_row rows[] = {
#define SECTIONS_OF SECTIONS_TOKENIZER
#define SECTION(id, NAME, member, type, count, ...) {id, &c->member, count, sizeof(type)},
#include "../../../formats/sections.def"
	};
	gcdc_status status = section_take(a, f, rows, sizeof rows / sizeof *rows, why);
	if (!status) c->info = k;
	return status;
}

static gcdc_status take_far(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why)
{
	struct canonical_tables *c = &a->canonical;
	gcdc_status status = section_file_texts(f, SECTION_CANON_FAR, false, &c->far, &c->n_far, why);
	if (status || !c->far || far_read(a, (const uint8_t *)c->far, c->n_far, NULL)) return status;
	return bad(why, SECTION_CANON_FAR, 0, "numbers that are not as they should be");
}

gcdc_status canonical_take(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why)
{
	const struct artifact_canon *k = NULL;
	const struct section_row head = {SECTION_CANON, &k, 1, sizeof *k};
	gcdc_status status = section_take_head(a, f, &head, why);
	if (status || !k) return status;
	status = check_info(k, why);
	if (!status) status = take_lexemes(a, f, why);
	if (!status) status = take_far(a, f, why);
	if (status || (!f->at[SECTION_CANON_PARTS] && !(a->header.flags & ARTIFACT_HAS_VOCAB)))
		return status;  // they are in the vocabulary
	return take_tokenizer(a, f, why);
}

gcdc_status canonical_attach(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why)
{
	struct artifact_canon theirs, ours;
	if (!f->at[SECTION_CANON] || f->size[SECTION_CANON] != sizeof theirs)
		return refuse(why, GCDC_ERR_VOCAB, SECTION_CANON, 0,
		              "the vocabulary has no canonical tables, which the artifact needs");
	memcpy(&theirs, f->at[SECTION_CANON], sizeof theirs);
	memcpy(&ours, a->section[SECTION_CANON], sizeof ours);
	theirs.mode = ours.mode;
	if (memcmp(&theirs, &ours, sizeof ours) != 0)
		return refuse(why, GCDC_ERR_VOCAB, SECTION_CANON, 0,
		              "the vocabulary's canonical tables are not those of the artifact");
	return take_tokenizer(a, f, why);
}

// parts: every chain ends. Walks each chain until a token known to end.
static gcdc_status check_chains(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	uint32_t n = a->info.n_tokens;
	uint32_t *known = memory_resize(&a->memory, NULL, n, sizeof *known);
	if (!known) return refuse(why, GCDC_ERR_MEMORY, 0, 0, "no memory to check %u tokens", n);
	gcdc_status status = GCDC_OK;
	for (uint32_t side = 0; side < 2 && !status; side++) {
		memset(known, 0, n * sizeof *known);
		for (uint32_t t = 0; t < n && !status; t++) {  // known: the walk that came by + 1, or UINT32_MAX
			uint32_t x = t;
			while (x != ARTIFACT_NONE && !known[x]) {
				known[x] = t + 1;
				x = side ? a->canonical.parts[x].right : a->canonical.parts[x].left;
			}
			if (x != ARTIFACT_NONE && known[x] == t + 1) status = bad(why, SECTION_CANON_PARTS, t, "parts in a circle");
		}
	}
	memory_free(&a->memory, known);
	return status;
}

static gcdc_status check_places(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct canonical_tables *c = &a->canonical;
	uint32_t n = a->info.n_tokens;
	for (uint32_t i = 0; i < c->info->n_places; i++)
		if (c->place[c->at[i]] != i) return bad(why, SECTION_CANON_AT, i, "not the token of this place");
	if (c->first[0] || c->first[n] != c->info->n_joins)
		return bad(why, SECTION_CANON_FIRST, 0, "the ends are not those of the list");
	for (uint32_t t = 0; t < n; t++)
		if (c->first[t] > c->first[t + 1]) return bad(why, SECTION_CANON_FIRST, t, "does not ascend");
	for (uint32_t k = 0; k < c->info->n_joins; k++)
		if (c->joins[k].begin >= c->joins[k].end) return bad(why, SECTION_CANON_JOIN, k, "an empty interval of places");
	return GCDC_OK;
}

static gcdc_status check_lists(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct canonical_tables *c = &a->canonical;
	const struct artifact_canon *i = c->info;
	for (uint32_t k = 0; k < i->n_added; k++) {
		const struct artifact_canon_node *x = &c->added[k];
		bool good = (!x->child || (x->child > k && x->child < i->n_added)) && (!x->next || x->next < k);
		if (!good) return bad(why, SECTION_CANON_ADDED, k, "a node of added tokens that leads nowhere");
	}
	for (uint32_t k = 0; k < i->n_splits; k++) {
		const struct artifact_canon_split *x = &c->splits[k];
		if (x->n && x->child <= k) return bad(why, SECTION_CANON_SPLIT, k, "a node of splits that leads nowhere");
	}
	return GCDC_OK;
}

gcdc_status canonical_validate(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	if (!a->canonical.info) return GCDC_OK;
	gcdc_status status = check_chains(a, why);
	if (!status) status = check_places(a, why);
	return status ? status : check_lists(a, why);
}

void canonical_ready(struct gcdc_artifact *a)
{
	struct canonical_tables *c = &a->canonical;
	for (uint32_t x = c->info ? c->added[0].child : 0; x; x = c->added[x].next) c->added_root[c->added[x].byte] = x;
}
