// The canonical sections of an artifact: found, measured, proved in range.
//
// In:  sections. Out: struct canonical_tables. All of the sections are there or none.
// Proved is what keeps a matcher in bounds and its loops finite: every index, lists that only go down, trees whose
// children have higher numbers, chains of parts that end. Cost: O(bytes).
#include "runtime_internal.h"

static gcdc_status bad(gcdc_refusal *why, uint32_t section, uint64_t at, const char *what)
{
	return refuse(why, GCDC_ERR_FORMAT, section, at, "section %u, entry %llu: %s", section, (unsigned long long)at,
	              what);
}

static gcdc_status check_info(const struct artifact_canon *i, gcdc_refusal *why)
{
	const struct {
		uint64_t found, least, most;
		const char *what;
	} rules[] = {
		{i->mode, CANON_SOFT, CANON_HARD, "mode"},
		{i->flags, 0, CANON_WHOLE_PIECES | CANON_FALLBACK | CANON_FORM | CANON_PREFIX, "flags"},
		{i->n_classes, CANON_CLASS_PLAIN, 65536, "number of classes"},
		{i->n_pages, 1, 65536, "number of pages"},
		{i->n_kinds, 1, 65536, "number of kinds of characters"},
		{i->n_groups, 1, 65536, "number of groups"},
		{i->n_sets, 2, CANON_MAX_SETS, "number of sets (CANON_MAX_SETS)"},
		{i->n_added, 1, UINT32_MAX, "nodes of added tokens"},
		{i->n_splits, 1, UINT32_MAX, "nodes of splits"},
		{i->n_left, 1, 65536, "rows of joints"},
		{i->n_right_words, 1, 2048, "words of a row of joints"},
		{(uint64_t)i->first_mark + i->n_marks, 0, i->n_bad, "end of the marks"},
		{i->start_set, 1, i->n_sets - 1ull, "first set"},
		{i->reserved[0] | i->reserved[1], 0, 0, "reserved field"},
	};
	for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
		if (rules[k].found < rules[k].least || rules[k].found > rules[k].most)
			return refuse(why, GCDC_ERR_FORMAT, SECTION_CANON, 0,
			              "canonical tables, %s: found %llu, expected %llu to %llu", rules[k].what,
			              (unsigned long long)rules[k].found, (unsigned long long)rules[k].least,
			              (unsigned long long)rules[k].most);
	return GCDC_OK;
}

// The sections about the artifact's lexer states.
static gcdc_status take_asks(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why)
{
	struct canonical_tables *c = &a->canonical;
	const struct artifact_canon *i = a->section[SECTION_CANON];
	const uint64_t n_lex_states = a->info.n_lex_states;
	if (f->size[SECTION_CANON_ASK] / sizeof *c->asks > UINT32_MAX)
		return refuse(why, GCDC_ERR_FORMAT, SECTION_CANON_ASK, 0, "section %u has %llu bytes, more than indices reach",
		              SECTION_CANON_ASK, (unsigned long long)f->size[SECTION_CANON_ASK]);
	const struct {
		uint32_t id;
		void *out;
		uint64_t n, size;
	} sections[] = {
		{SECTION_CANON_WIDE, &c->wide, n_lex_states, sizeof *c->wide},
		{SECTION_CANON_ASK_AT, &c->ask_at, n_lex_states, sizeof *c->ask_at},
		{SECTION_CANON_ASK, &c->asks, f->size[SECTION_CANON_ASK] / sizeof *c->asks, sizeof *c->asks},
		{SECTION_CANON_NODE, &c->nodes, 2ull * a->info.n_nodes, sizeof *c->nodes},
		{SECTION_CANON_BYTES, &c->bytes, n_lex_states, sizeof *c->bytes},
		{SECTION_CANON_CALM, &c->calm, i->n_sets, 1},
		{SECTION_CANON_ASK_CALM, &c->ask_calm, n_lex_states, sizeof *c->ask_calm},
	};
	gcdc_status status = GCDC_OK;
	for (size_t k = 0; k < sizeof sections / sizeof *sections && !status; k++)
		status = section_take(a, f, sections[k].id, sections[k].out, sections[k].n, sections[k].size, why);
	return status;
}

gcdc_status canonical_take(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why)
{
	struct canonical_tables *c = &a->canonical;
	const uint64_t V = a->info.n_tokens;
	if (!a->section[SECTION_CANON]) {
		const void *info = f->at[SECTION_CANON];
		if (!info) {
			for (uint32_t id = SECTION_CANON + 1; id <= SECTION_CANON_NODE; id++)
				if (f->at[id])
					return refuse(why, GCDC_ERR_FORMAT, id, 0, "section %u without section %u", id, SECTION_CANON);
			for (uint32_t id = SECTION_CANON_BYTES; id <= SECTION_CANON_ASK_CALM; id++)
				if (f->at[id])
					return refuse(why, GCDC_ERR_FORMAT, id, 0, "section %u without section %u", id, SECTION_CANON);
			return GCDC_OK;
		}
		if (f->size[SECTION_CANON] != sizeof *c->info)
			return refuse(why, GCDC_ERR_FORMAT, SECTION_CANON, 0, "section %u has %llu bytes, expected %zu",
			              SECTION_CANON, (unsigned long long)f->size[SECTION_CANON], sizeof *c->info);
		gcdc_status status = check_info(info, why);
		if (status) return status;
		a->section[SECTION_CANON] = info, a->section_size[SECTION_CANON] = f->size[SECTION_CANON];
	}
	if (f->at[SECTION_CANON_WIDE] || f->at[SECTION_CANON_ASK_AT] || f->at[SECTION_CANON_ASK] ||
	    f->at[SECTION_CANON_NODE] || f->at[SECTION_CANON_BYTES] || f->at[SECTION_CANON_CALM] ||
	    f->at[SECTION_CANON_ASK_CALM] || !c->wide) {
		gcdc_status status = take_asks(a, f, why);
		if (status) return status;
	}
	const struct artifact_canon *i = a->section[SECTION_CANON];
	const struct {
		uint32_t id;
		void *out;
		uint64_t n, size;
	} sections[] = {
		{SECTION_CANON_PARTS, &c->parts, V, sizeof *c->parts},
		{SECTION_CANON_TIME, &c->time, V, 4},
		{SECTION_CANON_PLACE, &c->place, V, 4},
		{SECTION_CANON_AT, &c->at, i->n_places, 4},
		{SECTION_CANON_FIRST, &c->first, V + 1, 4},
		{SECTION_CANON_JOIN, &c->joins, i->n_joins, sizeof *c->joins},
		{SECTION_CANON_PATCH, &c->patches, i->n_patches, sizeof *c->patches},
		{SECTION_CANON_CLASS, &c->class_of, V, 2},
		{SECTION_CANON_PAGE, &c->pages, CANON_PAGES, 2},
		{SECTION_CANON_CHAR, &c->chars, (uint64_t)i->n_pages * CANON_PAGE_SIZE, 2},
		{SECTION_CANON_KIND, &c->kinds, i->n_kinds, sizeof *c->kinds},
		{SECTION_CANON_STEP, &c->steps, (uint64_t)i->n_sets * i->n_groups * CANON_STEPS, 2},
		{SECTION_CANON_SET, &c->sets, i->n_sets, 4},
		{SECTION_CANON_ALLOW, &c->allow, (uint64_t)i->n_sets * i->n_classes, 1},
		{SECTION_CANON_ADDED, &c->added, i->n_added, sizeof *c->added},
		{SECTION_CANON_SPLIT, &c->splits, i->n_splits, sizeof *c->splits},
		{SECTION_CANON_BAD, &c->bad, i->n_bad, 4},
		{SECTION_CANON_JOINT, &c->joints, (uint64_t)i->n_left * i->n_right_words, 4},
		{SECTION_CANON_MARK, &c->marks, i->n_left, sizeof *c->marks},
	};
	if (!f->at[SECTION_CANON_PARTS] && !(a->header.flags & ARTIFACT_HAS_VOCAB))
		return GCDC_OK;  // they are in the vocabulary
	for (size_t k = 0; k < sizeof sections / sizeof *sections; k++) {
		gcdc_status status = section_take(a, f, sections[k].id, sections[k].out, sections[k].n, sections[k].size, why);
		if (status) return status;
	}
	c->info = i;
	return GCDC_OK;
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
	return canonical_take(a, f, why);
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
				if (x != ARTIFACT_NONE && x >= n) {
					status = bad(why, SECTION_CANON_PARTS, t, "a part that is no token");
					break;
				}
			}
			if (!status && x != ARTIFACT_NONE && known[x] == t + 1)
				status = bad(why, SECTION_CANON_PARTS, t, "parts in a circle");
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
		if (c->at[i] >= n || c->place[c->at[i]] != i)
			return bad(why, SECTION_CANON_AT, i, "not the token of this place");
	if (c->first[0] || c->first[n] != c->info->n_joins)
		return bad(why, SECTION_CANON_FIRST, 0, "the ends are not those of the list");
	for (uint32_t t = 0; t < n; t++) {
		if (c->place[t] != ARTIFACT_NONE && c->place[t] >= c->info->n_places)
			return bad(why, SECTION_CANON_PLACE, t, "no place");
		if (c->first[t] > c->first[t + 1]) return bad(why, SECTION_CANON_FIRST, t, "does not ascend");
		if (c->class_of[t] >= c->info->n_classes) return bad(why, SECTION_CANON_CLASS, t, "no class");
	}
	for (uint32_t k = 0; k < c->info->n_patches; k++)
		if (c->patches[k].left >= n || c->patches[k].right >= n) return bad(why, SECTION_CANON_PATCH, k, "no token");
	for (uint32_t k = 0; k < c->info->n_joins; k++)
		if (c->joins[k].begin >= c->joins[k].end || c->joins[k].end > c->info->n_places)
			return bad(why, SECTION_CANON_JOIN, k, "not an interval of places");
	return GCDC_OK;
}

static gcdc_status check_characters(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct canonical_tables *c = &a->canonical;
	const struct artifact_canon *i = c->info;
	for (uint32_t k = 0; k < CANON_PAGES; k++)
		if (c->pages[k] >= i->n_pages) return bad(why, SECTION_CANON_PAGE, k, "no page");
	for (uint32_t k = 0; k < i->n_pages * CANON_PAGE_SIZE; k++)
		if (c->chars[k] >= i->n_kinds) return bad(why, SECTION_CANON_CHAR, k, "no kind");
	for (uint32_t k = 0; k < i->n_kinds; k++)
		if (c->kinds[k].group >= i->n_groups || c->kinds[k].left >= i->n_left ||
		    c->kinds[k].right / 32u >= i->n_right_words)
			return bad(why, SECTION_CANON_KIND, k, "a group or a joint that does not exist");
	for (uint64_t k = 0; k < (uint64_t)i->n_sets * i->n_groups * CANON_STEPS; k++)
		if (c->steps[k] >= i->n_sets) return bad(why, SECTION_CANON_STEP, k, "no set");
	for (uint64_t k = 0; k < (uint64_t)i->n_sets * i->n_classes; k++)
		if (c->allow[k] & ~(CANON_BEGINS | CANON_GOES_ON)) return bad(why, SECTION_CANON_ALLOW, k, "unknown flags");
	for (uint32_t k = 0; k < i->n_sets; k++)
		if (c->sets[k] & ~(uint32_t)(CANON_SET_ENDS | CANON_SET_SURE))
			return bad(why, SECTION_CANON_SET, k, "unknown flags");
	return GCDC_OK;
}

static gcdc_status check_lists(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct canonical_tables *c = &a->canonical;
	const struct artifact_canon *i = c->info;
	for (uint32_t k = 0; k < i->n_added; k++) {
		const struct artifact_canon_node *x = &c->added[k];
		bool good = (!x->child || (x->child > k && x->child < i->n_added)) && (!x->next || x->next < k);
		if (!good || (uint64_t)x->bad + x->n_bad > i->n_bad || x->ends > 1 || x->reserved)
			return bad(why, SECTION_CANON_ADDED, k, "a node of added tokens that leads nowhere");
	}
	for (uint32_t k = 0; k < i->n_splits; k++) {
		const struct artifact_canon_split *x = &c->splits[k];
		if ((x->n && x->child <= k) || (uint64_t)x->child + x->n > i->n_splits || x->ends > 1)
			return bad(why, SECTION_CANON_SPLIT, k, "a node of splits that leads nowhere");
	}
	for (uint32_t k = 0; k < i->n_bad; k++)
		if (c->bad[k] >= a->info.n_tokens) return bad(why, SECTION_CANON_BAD, k, "no token");
	for (uint32_t k = 0; k < i->n_left; k++)
		if ((uint64_t)c->marks[k].first + c->marks[k].n > i->n_bad)
			return bad(why, SECTION_CANON_MARK, k, "a list outside of BAD");
	return GCDC_OK;
}

static gcdc_status check_asks(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct canonical_tables *c = &a->canonical;
	uint64_t n = a->section_size[SECTION_CANON_ASK] / 4;
	for (uint32_t q = 0; q < a->info.n_lex_states; q++)
		if ((uint64_t)c->ask_at[q].first + c->ask_at[q].n > n)
			return bad(why, SECTION_CANON_ASK_AT, q, "a list outside of ASK");
	for (uint32_t q = 0; q < a->info.n_lex_states; q++)
		if ((uint64_t)c->ask_calm[q].first + c->ask_calm[q].n > n)
			return bad(why, SECTION_CANON_ASK_CALM, q, "a list outside of ASK");
	for (uint64_t k = 0; k < n; k++)
		if (c->asks[k] >= a->info.n_tokens) return bad(why, SECTION_CANON_ASK, k, "no token");
	return GCDC_OK;
}

gcdc_status canonical_validate(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	if (!a->canonical.info) return GCDC_OK;
	gcdc_status status = check_chains(a, why);
	if (!status) status = check_places(a, why);
	if (!status) status = check_characters(a, why);
	if (!status) status = check_lists(a, why);
	return status ? status : check_asks(a, why);
}

void canonical_ready(struct gcdc_artifact *a)
{
	struct canonical_tables *c = &a->canonical;
	for (uint32_t x = c->info ? c->added[0].child : 0; x; x = c->added[x].next) c->added_root[c->added[x].byte] = x;
}
