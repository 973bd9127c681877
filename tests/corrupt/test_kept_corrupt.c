// The sections of steps that texts have made: what is wrong is refused with its reason; forged ones that open are
// harmless; memory that runs out while they are loaded is told, or does without them.
#include "kept_steps.h"
#include "toy_costs.h"

static gcdc_artifact *opened(const uint8_t *bytes, size_t len)
{
	gcdc_artifact *a;
	gcdc_refusal why;
	cr_assert_eq(gcdc_artifact_open_memory(bytes, len, NULL, &a, &why), GCDC_OK, "%s", why.what);
	return a;
}

// A file with the steps of some texts; *hash: of the masks on them without.
static uint8_t *encoded(bool columns, size_t *len, uint64_t *hash)
{
	struct vocab v = {0};
	struct compiled c;
	compile_with_costs(columns, &v, &c);
	cr_assert(kept_add(&c, 6, hash) && c.image.kept_info.n_steps > 10);
	uint8_t *out = toy_encode(&c, true, len);
	vocab_release(&v);
	return out;
}

static void count(void *to, const gcdc_shown_steps *s) { *(uint32_t *)to = s->n_made; }

Test(kept_corrupt, a_store_begins_with_them_and_masks_are_the_same)
{
	for (int columns = 0; columns < 2; columns++) {
		size_t len;
		uint64_t hash;
		uint32_t before = 0, after = 0;
		uint8_t *bytes = encoded(columns, &len, &hash);
		gcdc_artifact *a = opened(bytes, len);
		cr_assert_eq(gcdc_show_steps(a, 0, count, &before), GCDC_OK);
		cr_assert_eq(kept_walk(a, 6), hash);
		cr_assert_eq(gcdc_show_steps(a, 0, count, &after), GCDC_OK);
		cr_expect(before > 10 && after == before, "%u steps, then %u", before, after);
		gcdc_artifact_close(a);
		free(bytes);
	}
}

#define INFO(field) SECTION_KEPT_INFO, offsetof(struct artifact_kept_info, field)
#define STEP(field) SECTION_KEPT_STEP, offsetof(struct artifact_kept_step, field)
static const struct edit {
	const char *name;
	uint32_t section;
	size_t at;
	uint32_t value, refused;
	const char *words;
} edits[] = {
	{"no steps", INFO(n_steps), 0, SECTION_KEPT_STEP, "counts"},
	{"steps", INFO(n_steps), UINT32_MAX, SECTION_KEPT_STEP, "counts"},
	{"words", INFO(n_words), 3, SECTION_KEPT_WORD, "counts"},
	{"continuations", INFO(n_continuations), KEPT_MAX_LISTS + 1, SECTION_KEPT_INFO, "KEPT_MAX_LISTS"},
	{"groups", INFO(n_groups), KEPT_MAX_LISTS + 1, SECTION_KEPT_INFO, "KEPT_MAX_LISTS"},
	{"nodes", INFO(n_nodes), KEPT_MAX_LISTS + 1, SECTION_KEPT_INFO, "KEPT_MAX_LISTS"},
	{"parts", INFO(n_parts), KEPT_MAX_LISTS + 1, SECTION_KEPT_INFO, "KEPT_MAX_LISTS"},
	{"expressions", INFO(n_expressions), KEPT_MAX_LISTS + 1, SECTION_KEPT_INFO, "KEPT_MAX_LISTS"},
	{"reserved", INFO(reserved), 1, SECTION_KEPT_INFO, "reserved"},
	{"outcome of a place", STEP(place), 0xbfffffff, SECTION_KEPT_STEP, "place"},
	{"list of a place", STEP(place), 0x7ffffffc, SECTION_KEPT_STEP, "place"},
	{"kind of a place", STEP(place), 0x40000003, SECTION_KEPT_STEP, "place"},
	{"node of a place", STEP(place), 0x3fffffff, SECTION_KEPT_STEP, "place"},
	{"parser state", STEP(lr_state), 99999, SECTION_KEPT_STEP, "parser state"},
	{"words of a body", STEP(n_body), 0, SECTION_KEPT_STEP, "words of a step"},
	{"sets to try", STEP(n_tries), UINT32_MAX, SECTION_KEPT_WORD, "middle"},
	{"tokens to try", STEP(n_tried), UINT32_MAX, SECTION_KEPT_WORD, "middle"},
	{"sites", STEP(n_sites), UINT32_MAX, SECTION_KEPT_WORD, ""},
	{"node", STEP(node), 99999, SECTION_KEPT_STEP, "node"},
	{"frames passed over", STEP(skip), COST_MAX_POP + 1, SECTION_KEPT_STEP, "COST_MAX_POP"},
};

static uint8_t *edited(const uint8_t *good, size_t len, uint32_t section, size_t at, uint32_t value)
{
	uint8_t *bytes = malloc(len);
	memcpy(bytes, good, len);
	const struct artifact_section *row = abuse_row(bytes, section);
	cr_assert(row && row->size >= at + 4);
	memcpy(bytes + row->offset + at, &value, 4);
	abuse_seal(bytes, len, true);
	return bytes;
}

Test(kept_corrupt, every_field_is_refused_with_its_reason)
{
	size_t len;
	uint64_t hash;
	uint8_t *good = encoded(false, &len, &hash);
	for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
		const struct edit *e = &edits[i];
		uint8_t *bytes = edited(good, len, e->section, e->at, e->value);
		gcdc_artifact *a;
		gcdc_refusal why;
		gcdc_status status = gcdc_artifact_open_memory(bytes, len, NULL, &a, &why);
		cr_expect_eq(status, GCDC_ERR_FORMAT, "%s: %d", e->name, status);
		if (status) cr_expect(why.section == e->refused && strstr(why.what, e->words), "%s: %s", e->name, why.what);
		gcdc_artifact_close(a);
		free(bytes);
	}
	free(good);
}

// ---- Words of lists.
enum { CONTINUATIONS, GROUPS, NODES, PARTS, EXPRESSIONS, N_LISTS };
#define ENDS UINT32_MAX  // numbers that words may have to be: 2^32 - 1, and any other
#define STAYS (UINT32_MAX - 1)

// Where the first list of a kind has an entry whose first word is so: of the words.
static uint32_t entry_of(const uint8_t *bytes, uint32_t kind, uint32_t width, uint32_t first)
{
	const struct artifact_section *info = abuse_row((uint8_t *)(uintptr_t)bytes, SECTION_KEPT_INFO),
								  *row = abuse_row((uint8_t *)(uintptr_t)bytes, SECTION_KEPT_WORD);
	const struct artifact_kept_info *e = (const void *)(bytes + info->offset);
	const uint32_t *w = (const void *)(bytes + row->offset),
				   n[N_LISTS] = {e->n_continuations, e->n_groups, e->n_nodes, e->n_parts, e->n_expressions};
	uint32_t at = 0;
	for (uint32_t k = 0; k < N_LISTS; k++)
		for (uint32_t i = 0; i < n[k]; i++, at += w[at] + 1)
			for (uint32_t j = at + 1; k == kind && j <= at + w[at]; j += width)
				if (first == ENDS ? w[j] == ENDS : w[j] < UINT32_MAX - 2) return j;
	return GCDC_NONE;
}

static uint32_t set_with_eos(const uint8_t *bytes)
{
	const struct artifact_section *row = abuse_row((uint8_t *)(uintptr_t)bytes, SECTION_SET);
	const struct artifact_set *sets = (const void *)(bytes + row->offset);
	uint32_t k = 0;
	while (k < row->size / sizeof *sets && !(sets[k].flags & SET_EOS)) k++;
	cr_assert_lt(k, row->size / sizeof *sets, "no set has EOS");
	return k;
}

static void refused(const uint8_t *bytes, size_t len, const char *words)
{
	gcdc_artifact *a;
	gcdc_refusal why;
	gcdc_status status = gcdc_artifact_open_memory(bytes, len, NULL, &a, &why);
	cr_expect_eq(status, GCDC_ERR_FORMAT, "%s: %d", words, status);
	if (status) cr_expect(why.section == SECTION_KEPT_WORD && strstr(why.what, words), "%s: %s", words, why.what);
	gcdc_artifact_close(a);
}

Test(kept_corrupt, every_word_of_a_list_is_refused_with_its_reason)
{
	size_t len, longer;
	uint64_t hash;
	size_t lens[2];
	uint8_t *both[2] = {encoded(false, &lens[0], &hash), encoded(true, &lens[1], &hash)}, *good = both[1];
	const struct {
		uint32_t kind, width, first, word, value;
		const char *words;
	} cases[] = {
		{CONTINUATIONS, 3, STAYS, 0, COST_MAX_WEIGHT + 1, "tokens"},
		{CONTINUATIONS, 3, STAYS, 1, 99999, "control"},
		{CONTINUATIONS, 3, STAYS, 2, 99999, "set"},
		{CONTINUATIONS, 3, STAYS, 2, set_with_eos(both[0]), "EOS"},
		{CONTINUATIONS, 3, ENDS, 1, 99999, "remainder"},
		{CONTINUATIONS, 3, ENDS, 2, 99999, "set"},
		{GROUPS, 2, STAYS, 0, 99, "terminal"},
		{GROUPS, 2, STAYS, 1, 99999, "continuations"},
		{NODES, 3, STAYS, 0, 0, "frames down"},
		{NODES, 3, STAYS, 0, COST_MAX_POP + 1, "frames down"},
		{NODES, 3, STAYS, 1, 99, "nonterminal"},
		{NODES, 3, STAYS, 2, 99999, "group"},
		{PARTS, 1, STAYS, 0, 99999, "set"},
		{PARTS, 1, STAYS, 0, 0x80000000u | 99999, "part"},
		{PARTS, 1, STAYS, 0, 0x80000000u, "part"},  // the first holds itself
		{EXPRESSIONS, 3, STAYS, 0, COST_MAX_POP + 1, "frames down"},
		{EXPRESSIONS, 3, STAYS, 1, 99999, "control"},
		{EXPRESSIONS, 3, STAYS, 2, COST_NEVER, "tokens"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint32_t columns = 0, at = entry_of(both[0], cases[i].kind, cases[i].width, cases[i].first);
		if (at == GCDC_NONE) columns = 1, at = entry_of(both[1], cases[i].kind, cases[i].width, cases[i].first);
		cr_assert_neq(at, GCDC_NONE, "%zu: no such list", i);
		uint8_t *bytes =
			edited(both[columns], lens[columns], SECTION_KEPT_WORD, 4 * (at + cases[i].word), cases[i].value);
		refused(bytes, lens[columns], cases[i].words);
		free(bytes);
	}
	len = lens[1];
	uint8_t *empty = edited(good, len, SECTION_KEPT_WORD, 0, 0);
	refused(empty, len, "words of a list");
	free(empty);
	uint8_t *more = abuse_resized(good, len, SECTION_KEPT_WORD, 4, &longer);
	struct artifact_kept_info *e = (void *)(more + abuse_row(more, SECTION_KEPT_INFO)->offset);
	e->n_words++;
	abuse_seal(more, longer, true);
	refused(more, longer, "of no step");
	free(more);
	free(both[0]), free(both[1]);
}

// Each word, and each field of each step, becomes one of these numbers.
static void forge(bool columns, uint32_t section, uint32_t *opens, uint32_t *is_refused)
{
	static const uint32_t numbers[] = {0,         1, 2, 7, 40, 1u << 16, 0x80000000u, 0x80000000u | 1, UINT32_MAX - 2,
	                                   UINT32_MAX};
	size_t len;
	uint64_t hash;
	uint8_t *good = encoded(columns, &len, &hash);
	const uint64_t size = abuse_row(good, section)->size;
	for (uint64_t at = 0; at + 4 <= size; at += 4)
		for (size_t i = at / 4 % 2; i < sizeof numbers / sizeof *numbers; i += 2) {
			uint8_t *bytes = edited(good, len, section, at, numbers[i]);
			gcdc_artifact *a;
			if (gcdc_artifact_open_memory(bytes, len, NULL, &a, NULL) == GCDC_OK)
				++*opens, kept_walk(a, 2);
			else
				++*is_refused;
			gcdc_artifact_close(a);
			free(bytes);
		}
	free(good);
}

Test(kept_corrupt, forged_words_are_refused_or_harmless, .timeout = 240)
{
	for (int columns = 0; columns < 2; columns++) {
		uint32_t opens = 0, is_refused = 0;
		forge(columns, SECTION_KEPT_WORD, &opens, &is_refused);
		cr_expect(opens > 300 && is_refused > 300, "words: %u opened, %u refused", opens, is_refused);
		opens = is_refused = 0;
		forge(columns, SECTION_KEPT_STEP, &opens, &is_refused);
		cr_expect(opens > 30 && is_refused > 300, "steps: %u opened, %u refused", opens, is_refused);
	}
}

// A section is missing.
Test(kept_corrupt, all_of_them_or_none)
{
	static const uint32_t ids[] = {SECTION_KEPT_INFO, SECTION_KEPT_STEP, SECTION_KEPT_WORD};
	size_t len, left;
	uint64_t hash;
	uint8_t *good = encoded(false, &len, &hash);
	for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
		uint8_t *bytes = abuse_resized(good, len, ids[i], ABUSE_ALL, &left);
		gcdc_artifact *a;
		gcdc_refusal why;
		cr_expect_eq(gcdc_artifact_open_memory(bytes, left, NULL, &a, &why), GCDC_ERR_FORMAT);
		gcdc_artifact_close(a);
		free(bytes);
	}
	free(good);
}

// ---- Memory that runs out: the request of number `left` and all behind it fail.
struct meter {
	int64_t left;
};

static void *metered(void *context, void *block, size_t size)
{
	struct meter *x = context;
	if (!size) return free(block), NULL;
	return x->left-- > 0 ? realloc(block, size) : NULL;
}

Test(kept_corrupt, memory_may_run_out_while_they_are_loaded)
{
	size_t len;
	uint64_t hash;
	uint8_t *bytes = encoded(true, &len, &hash);
	bool whole = false;
	for (int64_t n = 0; n < 4000 && !whole; n++) {
		struct meter meter = {INT64_MAX};
		const gcdc_memory memory = {metered, &meter};
		gcdc_artifact *a;
		cr_assert_eq(gcdc_artifact_open_memory(bytes, len, &(gcdc_open_options){.memory = &memory}, &a, NULL), GCDC_OK);
		meter.left = n;
		kept_walk(a, 1);
		whole = meter.left > 0;
		meter.left = INT64_MAX;
		cr_assert_eq(kept_walk(a, 6), hash);
		gcdc_artifact_close(a);
	}
	cr_assert(whole);
	free(bytes);
}
