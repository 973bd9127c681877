// Every section of formats/sections.def, and every bound that it says: a file that breaks it is refused, and the
// refusal names the section and the bound. Nothing is listed here: a new row of the table is tested as soon as it is
// there.
#include "toy_canonical.h"
#include "toy_shape.h"

enum kind { COSTS, COLUMNS, COUNTED, UNIQUE, TOLD, TOKENIZER, N_KINDS };
static const char columns[] = "start: s+\ns: NAME NL | NAME \":\" NL IN s+ DE\nNAME: /[a-d]+/\nNL: /(\\n *)+/\n"
							  "%indent newline=NL indent=IN dedent=DE tab=8\n%ignore / +/\n";
static const char *const grammars[N_KINDS] = {
	[COSTS] = "start: \"[\" list? \"]\" | NAME | <[16-17]>\nlist: start (\",\" start)*\nNAME: /[a-d]+/\n%ignore / +/\n",
	[COLUMNS] = columns,
	[COUNTED] = "start: \",\" S | \":\" T\nS: /\\[[a-d]{0,300}\\]/\nT: /\\[[a-d]{2,400}\\]/\n",
	[UNIQUE] = "start: \"[\" [S (\",\" S)*] \"]\"\nS: /\"[a-d]*\"/\n",
	[TOLD] = "start: \"[\" w [start (\",\" w start)*] \"]\" w | N w\nw: W?\nW: / {1,70}(?! )/\nN: /[a-d]+/\n",
	[TOKENIZER] = "start: \"[\" [start (\",\" start)*] \"]\" | NAME | \"true\"\nNAME: /\"[^\"]*\"/\n%ignore / +/\n",
};
static const char *const tokens[] = {"",    "[", "]",   "a",  "b", ",", " ",  "]]",    "[a",  "],",   "ab",   "\n",
                                     "\n ", ":", ":\n", "  ", "c", "d", "a,", "\n  a", "   ", "    ", "     "};

// Behind the places of two terminals.
static const uint32_t shapes[] = {2, 0, TOY_SHAPE(SHAPE_REQUIRED | SHAPE_NUMBERS)};
static const uint8_t proved[] = {0, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 21, 22};  // words that lead somewhere

static uint8_t *encoded(enum kind kind, size_t *len)
{
	struct vocab v = {0};
	struct compiled c;
	struct toy_canonical t;
	struct compile_options o = {.costs = COMPILE_COSTS_EXACT};
	if (kind == TOKENIZER) {
		toy_canonical_default(&t, &v);
		o = (struct compile_options){.canonical = t.sections};
	} else {
		TOY_VOCAB(tokens, &v);
	}
	static const uint32_t brackets[] = {0, 1};
	if (kind == UNIQUE) o.costs = COMPILE_COSTS_OFF;
	toy_compile(grammars[kind], &v, &o, &c);
	if (kind == UNIQUE) {
		c.image.unique_terminals = brackets, c.image.unique_info.n_terminals = 2;
		c.image.unique_shapes = shapes, c.image.unique_info.n_shape_words = sizeof shapes / sizeof *shapes;
	}
	uint8_t *out = toy_encode(&c, true, len);
	if (kind == TOKENIZER) canonical_release(&t.tables);
	vocab_release(&v);
	return out;
}

// However many threads open it, the answer is the same.
static gcdc_status try_open(const uint8_t *bytes, size_t len, gcdc_refusal *why)
{
	gcdc_artifact *a;
	gcdc_refusal whys[2];
	gcdc_status status[2];
	for (uint32_t k = 0; k < 2; k++) {
		memset(&whys[k], 0, sizeof whys[k]);
		status[k] = gcdc_artifact_open_memory(bytes, len, &(gcdc_open_options){.threads = 1 + 2 * k}, &a, &whys[k]);
		if (!status[k]) gcdc_artifact_close(a);
	}
	cr_assert(status[0] == status[1] && !strcmp(whys[0].what, whys[1].what) && whys[0].section == whys[1].section &&
	              whys[0].offset == whys[1].offset,
	          "one thread says %d, %s; three say %d, %s", status[0], whys[0].what, status[1], whys[1].what);
	*why = whys[0];
	return status[0];
}

// Each section of the message has its name behind its number.
static bool all_named(const char *what)
{
	while ((what = strstr(what, "section ")) != NULL) {
		what += strlen("section ");
		const size_t n = strspn(what, "0123456789");
		if (n && strncmp(what + n, " (", 2) != 0) return false;
	}
	return true;
}

static const struct {
	uint32_t id, entry;
	const char *name;
} sections[] = {
#define SECTION(id, NAME, member, type, ...) {id, sizeof(type), #NAME},
#include "../../formats/sections.def"
};

Test(sections_corrupt, missing_shorter_and_longer_sections, .timeout = 60)
{
	for (enum kind kind = 0; kind < N_KINDS; kind++) {
		size_t len, n;
		gcdc_refusal why;
		uint8_t *good = encoded(kind, &len);
		for (size_t k = 0; k < sizeof sections / sizeof *sections; k++) {
			const struct artifact_section *row = abuse_row(good, sections[k].id);
			if (!row || sections[k].id >= SECTION_IDS) continue;
			uint8_t *bytes = abuse_resized(good, len, sections[k].id, ABUSE_ALL, &n);
			gcdc_status status = try_open(bytes, n, &why);
			cr_expect(status == GCDC_ERR_FORMAT && (strstr(why.what, "missing") || strstr(why.what, "without")),
			          "without %s: %d: %s", sections[k].name, status, why.what);
			cr_expect(all_named(why.what), "%s", why.what);
			free(bytes);
			for (int32_t more = -1; more <= 1; more += 2) {
				if (!row->size && more < 0) continue;
				if (sections[k].id == SECTION_CANON_UNSETTLED) continue;  // nothing else says how many there are
				bytes = abuse_resized(good, len, sections[k].id, more * (int32_t)sections[k].entry, &n);
				status = try_open(bytes, n, &why);
				cr_expect(status == GCDC_ERR_FORMAT && why.section == sections[k].id && strstr(why.what, "counts"),
				          "%s, %d entries more: %d: %s", sections[k].name, more, status, why.what);
				free(bytes);
			}
		}
		free(good);
	}
}

// ---- Tokens that masks leave out.
// Changes one entry of a section; what refuses it.
static void expect_refused(uint8_t *bytes, size_t len, uint32_t section, const char *what)
{
	gcdc_refusal why;
	abuse_seal(bytes, len, true);
	gcdc_status status = try_open(bytes, len, &why);
	cr_expect(status == GCDC_ERR_FORMAT && why.section == section && strstr(why.what, what), "%s: %d: %s", what, status,
	          status ? why.what : "");
	free(bytes);
}

static uint8_t *copied(const uint8_t *good, size_t len)
{
	uint8_t *bytes = malloc(len);
	cr_assert(bytes);
	return memcpy(bytes, good, len);
}

static void *entries_of(uint8_t *bytes, uint32_t section) { return bytes + abuse_row(bytes, section)->offset; }

static struct artifact_lex_state *leaving_out(uint8_t *bytes)
{
	struct artifact_lex_state *x = entries_of(bytes, SECTION_LEX_STATE);
	while (!x->without) x++;
	return x;
}

Test(sections_corrupt, tokens_left_out)
{
	size_t len;
	uint8_t *good = encoded(TOLD, &len), *bytes;
	const struct artifact_info *i = entries_of(good, SECTION_INFO);
	const struct artifact_lex_state *x = entries_of(good, SECTION_LEX_STATE);
	uint32_t n = 0, end = 0;
	for (uint32_t q = 0; q < i->n_lex_states; q++) n += x[q].without != 0;
	cr_assert_eq(n, 5, "%u states leave tokens out, those behind 66 blanks and more", n);
	const struct artifact_set *sets = entries_of(good, SECTION_SET);
	while (end < i->n_sets && !sets[end].flags) end++;
	cr_assert_lt(end, i->n_sets);
	bytes = copied(good, len), leaving_out(bytes)->without = i->n_sets;
	expect_refused(bytes, len, SECTION_LEX_STATE, "set of tokens that are left out");
	bytes = copied(good, len), leaving_out(bytes)->without = end;
	expect_refused(bytes, len, SECTION_LEX_STATE, "ends of texts");
	bytes = copied(good, len), ((struct artifact_info *)entries_of(bytes, SECTION_INFO))->max_readings = 2;
	expect_refused(bytes, len, SECTION_LEX_STATE, "several readings");
	free(good);
}

// Of a forged file all that is allowed may be left out: that is no mask.
Test(sections_corrupt, a_mask_without_tokens_is_none)
{
	size_t len;
	gcdc_refusal why;
	gcdc_artifact *a;
	gcdc_matcher *m;
	uint32_t mask;
	uint8_t *bytes = encoded(TOLD, &len);
	const struct artifact_info *i = entries_of(bytes, SECTION_INFO);
	struct artifact_lex_state *x = entries_of(bytes, SECTION_LEX_STATE);
	const struct artifact_set *sets = entries_of(bytes, SECTION_SET);
	uint32_t most = 1;
	for (uint32_t k = 1; k < i->n_sets; k++)
		if (!sets[k].flags && !sets[k].maybe && sets[k].count > sets[most].count) most = k;
	for (uint32_t q = 1; q < i->n_lex_states; q++)
		if (x[q].without) x[q].without = most;
	abuse_seal(bytes, len, true);
	cr_assert_eq(gcdc_artifact_open_memory(bytes, len, NULL, &a, &why), GCDC_OK, "%s", why.what);
	cr_assert_eq(gcdc_matcher_new(a, NULL, &m), GCDC_OK);
	cr_assert_eq(gcdc_matcher_accept(m, 1), GCDC_OK);
	bool none = false;
	for (uint32_t k = 0; k <= 70; k++) {
		gcdc_status status = gcdc_matcher_fill(m, &mask, 1, NULL);
		none |= status == GCDC_ERR_INTERNAL;
		cr_expect(status == GCDC_OK ? mask != 0 : status == GCDC_ERR_INTERNAL, "%u blanks: %d, mask %x", k, status,
		          mask);
		if (gcdc_matcher_accept(m, 6) != GCDC_OK) break;
	}
	cr_expect(none);
	gcdc_matcher_free(m);
	gcdc_artifact_close(a);
	free(bytes);
}

// Behind k of at most 70 blanks: tokens of as many more as are left, and what goes on behind them, as for any k.
static void expect_blanks(const gcdc_artifact *a, const uint32_t *before, size_t n_before, uint32_t goes_on)
{
	static const uint32_t blanks[] = {6, 15, 20, 21, 22};  // one to five
	gcdc_matcher *m;
	uint32_t mask;
	cr_assert_eq(gcdc_matcher_new(a, NULL, &m), GCDC_OK);
	for (size_t i = 0; i < n_before; i++) cr_assert_eq(gcdc_matcher_accept(m, before[i]), GCDC_OK);
	for (uint32_t k = 0; k <= 70; k++) {
		uint32_t want = goes_on;
		for (uint32_t n = 1; n <= 5; n++) want |= k + n <= 70 ? 1u << blanks[n - 1] : 0;
		cr_assert_eq(gcdc_matcher_fill(m, &mask, 1, NULL), GCDC_OK);
		cr_expect_eq(mask, want, "%u blanks: mask %x, not %x", k, mask, want);
		cr_assert_eq(gcdc_matcher_accept(m, blanks[0]), k < 70 ? GCDC_OK : GCDC_REJECTED);
	}
	gcdc_matcher_free(m);
}

Test(sections_corrupt, blanks_that_are_too_many_are_left_out)
{
	size_t len;
	gcdc_refusal why;
	gcdc_artifact *a;
	uint8_t *good = encoded(TOLD, &len);
	cr_assert_eq(gcdc_artifact_open_memory(good, len, NULL, &a, &why), GCDC_OK, "%s", why.what);
	const uint32_t item = 1u << 1 | 1u << 3 | 1u << 4 | 1u << 8 | 1u << 10 | 1u << 16 | 1u << 17 | 1u << 18;
	expect_blanks(a, (const uint32_t[]){1, 3, 5}, 3, item);  // behind "[a,"
	expect_blanks(a, (const uint32_t[]){1, 1, 1, 3, 5}, 5, item);
	expect_blanks(a, (const uint32_t[]){1, 1}, 2, item | 1u << 2 | 1u << 7 | 1u << 9);  // and "]", "]]", "],"
	expect_blanks(a, (const uint32_t[]){1}, 1, item | 1u << 2);
	expect_blanks(a, (const uint32_t[]){1, 1, 2}, 3, 1u << 2 | 1u << 5);  // the stack decides of "]]" and "],"
	expect_blanks(a, (const uint32_t[]){1, 1, 1, 2}, 4, 1u << 2 | 1u << 5 | 1u << 7 | 1u << 9);
	gcdc_artifact_close(a);
	free(good);
}

// ---- Bounds.
#define SECTION(id, NAME, member, type, ...) typedef type entry_##NAME;
#include "../../formats/sections.def"

struct bound {
	uint32_t id, entry;
	uint32_t at, width, n_at;  // n_at: of a part's length, else the same as at
	uint64_t least, limit;
	const char *what;
};
static const void *section_at(const uint8_t *bytes, uint32_t id)
{
	static const uint64_t none[64];
	struct artifact_section *row = abuse_row((uint8_t *)(uintptr_t)bytes, id);
	return row ? (const void *)(bytes + row->offset) : none;
}

// The bounds as they are for this file; how many.
static size_t list_bounds(const uint8_t *bytes, struct bound *out)
{
	const struct artifact_info *i = section_at(bytes, SECTION_INFO);
	const struct artifact_cost_info *c = section_at(bytes, SECTION_COST_INFO);
	const struct artifact_step_info *s = section_at(bytes, SECTION_STEP_INFO);
	const struct artifact_canon *k = section_at(bytes, SECTION_CANON);
	const struct artifact_control *x = section_at(bytes, SECTION_CONTROL);
	const struct artifact_section *ask = abuse_row((uint8_t *)(uintptr_t)bytes, SECTION_CANON_UNSETTLED);
	const struct artifact_counters *t = section_at(bytes, SECTION_COUNTERS);
	const struct artifact_uniques *u = section_at(bytes, SECTION_UNIQUES);
	(void)x, (void)t, (void)u;
	const uint64_t n_unsettled = ask ? ask->size / 4 : 0;
	size_t n = 0;
#define FIELD(NAME, field, n_field, least, limit, what)                                                                \
	out[n++] = (struct bound){SECTION_##NAME,                                                                          \
	                          sizeof(entry_##NAME),                                                                    \
	                          offsetof(entry_##NAME, field),                                                           \
	                          sizeof(((entry_##NAME *)NULL)->n_field),                                                 \
	                          offsetof(entry_##NAME, n_field),                                                         \
	                          least,                                                                                   \
	                          limit,                                                                                   \
	                          what};
#define WORD(NAME, limit, what)                                                                                        \
	out[n++] = (struct bound){SECTION_##NAME, sizeof(entry_##NAME), 0, sizeof(entry_##NAME), 0, 0, limit, what};
#define BELOW(NAME, field, limit, what) FIELD(NAME, field, field, 0, limit, what)
#define BELOW_OR_NONE(NAME, field, limit, what) FIELD(NAME, field, field, 0, limit, what)
#define FROM_TO(NAME, field, least, limit, what) FIELD(NAME, field, field, least, limit, what)
#define WITHIN(NAME, first, n, limit, what) FIELD(NAME, first, n, 0, limit, what)
#define WORDS_BELOW(NAME, mask, limit, what) WORD(NAME, limit, what)
#define WORDS_BELOW_OR_NONE(NAME, limit, what) WORD(NAME, limit, what)
#include "../../formats/sections.def"
	return n;
}

// One number of one entry is out of bounds. False: there is no entry, or all numbers of that width are in bounds.
static bool is_refused(const uint8_t *good, size_t len, const struct bound *b, bool last, bool low)
{
	const struct artifact_section *row = abuse_row((uint8_t *)(uintptr_t)good, b->id);
	uint64_t value = low ? b->least - 1 : b->limit;
	if (!row || !row->size) return false;
	uint64_t entry = row->offset + (last ? row->size - b->entry : 0);
	uint32_t first = 0;
	if (b->n_at != b->at) memcpy(&first, good + entry + b->at, 4), value = b->limit - first + 1;
	if (value >> 8 * b->width) return false;
	uint8_t *bytes = malloc(len);
	gcdc_refusal why;
	memcpy(bytes, good, len);
	memcpy(bytes + entry + b->n_at, &value, b->width);
	abuse_seal(bytes, len, true);
	gcdc_status status = try_open(bytes, len, &why);
	cr_expect(status == GCDC_ERR_FORMAT && why.section == b->id && strstr(why.what, b->what),
	          "section %u, %s %llu: %d: %s", b->id, b->what, (unsigned long long)value, status, why.what);
	free(bytes);
	return true;
}

Test(sections_corrupt, every_bound, .timeout = 60)
{
	enum { MOST = 256 };
	uint32_t tried[MOST] = {0};
	struct bound bounds[MOST];
	size_t n = 0;
	for (enum kind kind = 0; kind < N_KINDS; kind++) {
		size_t len;
		uint8_t *good = encoded(kind, &len);
		n = list_bounds(good, bounds);
		cr_assert(n < MOST);
		for (size_t b = 0; b < n; b++)
			for (int how = 0; how < 4; how++)
				if (how < 2 || bounds[b].least) tried[b] += is_refused(good, len, &bounds[b], how % 2, how / 2);
		free(good);
	}
	for (size_t b = 0; b < n; b++)
		cr_expect(tried[b] || bounds[b].id == SECTION_CANON_PATCH ||
		              (bounds[b].id >= SECTION_REGEX && bounds[b].id <= SECTION_REGEX_PREFIX_CLASS),
		          "no file of this test has section %u, %s", bounds[b].id, bounds[b].what);
}

Test(sections_corrupt, every_word_of_a_shape)
{
	size_t len;
	uint8_t *good = encoded(UNIQUE, &len);
	gcdc_refusal why;
	cr_assert_eq(try_open(good, len, &why), GCDC_OK, "%s", why.what);
	const struct artifact_section *row = abuse_row(good, SECTION_UNIQUE_SHAPE);
	uint8_t *bytes = malloc(len);
	for (size_t i = 0; i < sizeof proved; i++) {
		const uint32_t wrong = 0x7fffffff;
		memcpy(bytes, good, len);
		memcpy(bytes + row->offset + 4 * (size_t)proved[i], &wrong, sizeof wrong);
		abuse_seal(bytes, len, true);
		gcdc_status status = try_open(bytes, len, &why);
		cr_expect(status == GCDC_ERR_FORMAT && why.section == SECTION_UNIQUE_SHAPE, "word %u: %d: %s", proved[i],
		          status, why.what);
	}
	free(bytes), free(good);
}
