// The sections of canonical tables and of one regular expression's dead ends: each field that is wrong is refused with
// its reason; forged ones that open are harmless.
#include "toy_canonical.h"
#include "toy_tokenizer.h"

// patch: a pair of tokens that intervals have wrong, or NULL: none.
static uint8_t *encoded_with(const struct artifact_canon_pair *patch, size_t *len)
{
	struct diag d = {0};
	struct vocab v = {0};
	struct compiled c;
	struct toy_canonical x;
	TOY_VOCAB(toy_tokens, &v);
	toy_canonical(&x, encoder_parse("toy", toy_tokenizer, sizeof toy_tokenizer - 1, &d), &v);
	for (uint32_t k = 0; patch && k < CANON_SECTIONS; k++) {
		if (x.sections[k].id != SECTION_CANON_PATCH) continue;
		x.info.n_patches = x.tables.info.n_patches = 1;
		x.tables.patches = patch, x.sections[k].bytes = patch, x.sections[k].size = sizeof *patch;
	}
	toy_compile("start: /aab?(c|ba){1,2}/\n", &v, &(struct compile_options){.canonical = x.sections}, &c);
	cr_assert(c.product.product, "%s", c.product.problem);
	struct product_counts counts = product_count(c.product.product);
	cr_assert(counts.dead && counts.candidates, "the regular expression has no dead ends");
	uint8_t *out = toy_encode(&c, true, len);
	canonical_release(&x.tables);
	vocab_release(&v);
	diag_release(&d);
	return out;
}

static uint8_t *encoded(size_t *len) { return encoded_with(NULL, len); }

#define CANON(field) SECTION_CANON, offsetof(struct artifact_canon, field)
#define REGEX(field) SECTION_REGEX, offsetof(struct artifact_regex, field)
static const struct {
	const char *name;
	uint32_t section;
	size_t at;
	uint32_t value, refused;
	const char *words;
} edits[] = {
	{"mode", CANON(mode), 3, SECTION_CANON, "mode"},
	{"flags", CANON(flags), 64, SECTION_CANON, "flags"},
	{"places", CANON(n_places), 9999, SECTION_CANON_AT, "counts"},
	{"joins", CANON(n_joins), UINT32_MAX, SECTION_CANON_JOIN, "counts"},
	{"patches", CANON(n_patches), 7, SECTION_CANON_PATCH, "counts"},
	{"classes", CANON(n_classes), 0, SECTION_CANON, "classes"},
	{"pages", CANON(n_pages), 0, SECTION_CANON, "pages"},
	{"kinds", CANON(n_kinds), 1 << 20, SECTION_CANON, "kinds"},
	{"groups", CANON(n_groups), 0, SECTION_CANON, "groups"},
	{"sets", CANON(n_sets), 1, SECTION_CANON, "sets"},
	{"added", CANON(n_added), 0, SECTION_CANON, "added"},
	{"splits", CANON(n_splits), 0, SECTION_CANON, "splits"},
	{"bad", CANON(n_bad), 1 << 20, SECTION_CANON_BAD, "counts"},
	{"left", CANON(n_left), 0, SECTION_CANON, "joints"},
	{"right words", CANON(n_right_words), 9999, SECTION_CANON, "joints"},
	{"marks", CANON(n_marks), 9999, SECTION_CANON, "marks"},
	{"start set", CANON(start_set), 9999, SECTION_CANON, "first set"},
	{"reserved", CANON(reserved), 1, SECTION_CANON, "reserved"},
	{"part", SECTION_CANON_PARTS, 4 * 8, 99, SECTION_CANON_PARTS, "no token"},
	{"parts in a circle", SECTION_CANON_PARTS, 4 * 8, 4, SECTION_CANON_PARTS, "circle"},
	{"place", SECTION_CANON_PLACE, 4, 99, SECTION_CANON_PLACE, "place"},
	{"place of another token", SECTION_CANON_PLACE, 4, 6, SECTION_CANON_AT, "place"},
	{"token at a place", SECTION_CANON_AT, 0, 99, SECTION_CANON_AT, "place"},
	{"first join", SECTION_CANON_FIRST, 0, 1, SECTION_CANON_FIRST, "ends"},
	{"joins descend", SECTION_CANON_FIRST, 4, 1 << 20, SECTION_CANON_FIRST, "ascend"},
	{"empty join", SECTION_CANON_JOIN, 4, 0, SECTION_CANON_JOIN, "interval"},
	{"join past the places", SECTION_CANON_JOIN, 4, 99, SECTION_CANON_JOIN, "interval"},
	{"class", SECTION_CANON_CLASS, 0, 0xffff, SECTION_CANON_CLASS, "class"},
	{"page", SECTION_CANON_PAGE, 0, 0xffff, SECTION_CANON_PAGE, "page"},
	{"kind of a character", SECTION_CANON_CHAR, 0, 0xffff, SECTION_CANON_CHAR, "kind"},
	{"group of a kind", SECTION_CANON_KIND, 0, 0xffff, SECTION_CANON_KIND, "group"},
	{"step", SECTION_CANON_STEP, 0, 0xffff, SECTION_CANON_STEP, "set"},
	{"flags of a set", SECTION_CANON_SET, 4, 8, SECTION_CANON_SET, "flags"},
	{"allow", SECTION_CANON_ALLOW, 0, 8, SECTION_CANON_ALLOW, "flags"},
	{"child of the root", SECTION_CANON_ADDED, 0, 99, SECTION_CANON_ADDED, "leads nowhere"},
	{"next goes up", SECTION_CANON_ADDED, 20 + 4, 2, SECTION_CANON_ADDED, "leads nowhere"},
	{"list of an added token", SECTION_CANON_ADDED, 8, 99, SECTION_CANON_ADDED, "leads nowhere"},
	{"children of a split", SECTION_CANON_SPLIT, 8, 99, SECTION_CANON_SPLIT, "leads nowhere"},
	{"split that goes back", SECTION_CANON_SPLIT, 16 + 4, 0, SECTION_CANON_SPLIT, "leads nowhere"},
	{"bad token", SECTION_CANON_BAD, 0, 99, SECTION_CANON_BAD, "no token"},
	{"marks of a row", SECTION_CANON_MARK, 4, 99, SECTION_CANON_MARK, "BAD"},
	{"suspects", REGEX(n_candidates), 9999, SECTION_REGEX_CANDIDATE, "counts"},
	{"dead", REGEX(n_dead), 9999, SECTION_REGEX_DEAD, "counts"},
	{"reserved of a regular expression", REGEX(reserved), 1, SECTION_REGEX, "reserved"},
	{"first suspect", SECTION_REGEX_STATE, 0, 1, SECTION_REGEX_STATE, "ends"},
	{"suspects descend", SECTION_REGEX_STATE, 8, 1 << 20, SECTION_REGEX_STATE, "ascend"},
	{"flags of a lexer state", SECTION_REGEX_STATE, 4, 2, SECTION_REGEX_STATE, "flags"},
	{"suspect", SECTION_REGEX_CANDIDATE, 0, 99, SECTION_REGEX_CANDIDATE, "token"},
	{"where a suspect leads", SECTION_REGEX_CANDIDATE, 4, 9999, SECTION_REGEX_CANDIDATE, "lexer state"},
};

static uint8_t *exactly(const uint8_t *bytes, size_t len)
{
	uint8_t *copy = malloc(len);
	memcpy(copy, bytes, len);
	return copy;
}

Test(canonical_corrupt, every_field_is_refused_with_its_reason)
{
	size_t len;
	uint8_t *good = encoded(&len);
	gcdc_artifact *a;
	gcdc_refusal why;
	cr_assert_eq(gcdc_artifact_open_memory(good, len, NULL, &a, &why), GCDC_OK, "%s", why.what);
	gcdc_artifact_close(a);
	for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
		uint8_t *bytes = exactly(good, len);
		struct artifact_section *row = abuse_row(bytes, edits[i].section);
		cr_assert(row && edits[i].at < row->size, "%s: the section is too short", edits[i].name);
		size_t room = row->size - edits[i].at;
		memcpy(bytes + row->offset + edits[i].at, &edits[i].value,
		       room < 4                                  ? room
		       : edits[i].value == 0xffff                ? 2
		       : edits[i].section == SECTION_CANON_ALLOW ? 1
		                                                 : 4);
		abuse_seal(bytes, len, true);
		gcdc_status status = gcdc_artifact_open_memory(bytes, len, NULL, &a, &why);
		cr_expect_eq(status, GCDC_ERR_FORMAT, "%s: status %d", edits[i].name, status);
		if (status) {
			cr_expect_eq(why.section, edits[i].refused, "%s: section %u: %s", edits[i].name, why.section, why.what);
			cr_expect(strstr(why.what, edits[i].words), "%s: %s", edits[i].name, why.what);
		} else {
			gcdc_artifact_close(a);
		}
		free(bytes);
	}
	free(good);
}

// Masks drop the right token of each patch whose left one came last.
Test(canonical_corrupt, a_patch_names_tokens)
{
	for (size_t at = 0; at < sizeof(struct artifact_canon_pair); at += 4) {
		size_t len;
		uint8_t *bytes = encoded_with(&(struct artifact_canon_pair){1, 2}, &len);
		const uint32_t no_token = 10;
		gcdc_artifact *a;
		gcdc_refusal why;
		memcpy(bytes + abuse_row(bytes, SECTION_CANON_PATCH)->offset + at, &no_token, 4);
		abuse_seal(bytes, len, true);
		gcdc_status status = gcdc_artifact_open_memory(bytes, len, NULL, &a, &why);
		cr_expect_eq(status, GCDC_ERR_FORMAT, "status %d", status);
		if (status) cr_expect(why.section == SECTION_CANON_PATCH && strstr(why.what, "no token"), "%s", why.what);
		gcdc_artifact_close(a);
		free(bytes);
	}
}

// A section gone: refused, whichever.
Test(canonical_corrupt, all_of_them_or_none)
{
	size_t len;
	uint8_t *good = encoded(&len);
	for (uint32_t id = SECTION_CANON; id <= SECTION_CANON_UNSETTLED_RESTARTABLE; id++) {
		if ((id > SECTION_CANON_NODE && id < SECTION_REGEX) ||
		    (id > SECTION_REGEX_PREFIX_CLASS && id < SECTION_CANON_BYTES))
			continue;
		uint8_t *bytes = exactly(good, len);
		gcdc_artifact *a;
		gcdc_refusal why;
		struct artifact_section *row = abuse_row(bytes, id);
		cr_assert(row, "section %u", id);
		row->id = 60000;  // one that is not known
		abuse_seal(bytes, len, false);
		gcdc_status status = gcdc_artifact_open_memory(bytes, len, NULL, &a, &why);
		cr_expect_neq(status, GCDC_OK, "without section %u", id);
		if (!status) gcdc_artifact_close(a);
		free(bytes);
	}
	free(good);
}

// Rows of masks and the steps of accepting are made of different sections: where these contradict each other, accepting
// is an error, and no refusal of what the mask allows.
Test(canonical_corrupt, what_the_mask_has_is_not_refused, .timeout = 120)
{
	static const uint32_t ids[] = {SECTION_CANON_CLASS, SECTION_CANON_ALLOW, SECTION_CANON_STEP, SECTION_CANON_KIND,
	                               SECTION_CANON_SET};
	size_t len;
	uint8_t *good = encoded(&len);
	uint64_t x = 1;
	uint32_t errors = 0;
	for (uint32_t i = 0; i < 400; i++) {
		uint8_t *bytes = exactly(good, len);
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		struct artifact_section *row = abuse_row(bytes, ids[x % 5]);
		bytes[row->offset + (x >> 8) % row->size] = (uint8_t)(x >> 40) % 8;
		abuse_seal(bytes, len, true);
		gcdc_artifact *a;
		gcdc_matcher *m;
		uint32_t mask[1];
		for (int mode = GCDC_CANONICAL_SOFT;
		     mode <= GCDC_CANONICAL_HARD && !gcdc_artifact_open_memory(bytes, len, NULL, &a, NULL); mode++) {
			cr_assert_eq(gcdc_matcher_new(a, NULL, &m), GCDC_OK);
			cr_assert_eq(gcdc_matcher_set_canonical(m, (gcdc_canonical_mode)mode), GCDC_OK);
			for (uint32_t step = 0; step < 4 && gcdc_matcher_fill(m, mask, 1, NULL) == GCDC_OK; step++) {
				uint32_t taken = 0;
				for (uint32_t left = mask[0]; left; left &= left - 1) {
					uint32_t t = (uint32_t)__builtin_ctz(left);
					gcdc_status status = gcdc_matcher_accept(m, t);
					cr_assert(status <= 0, "file %u, step %u, token %u: status %d", i, step, t, status);
					errors += status < 0;
					if (status) continue;
					taken = t + 1;
					cr_assert_eq(gcdc_matcher_rollback(m, 1), GCDC_OK);
				}
				if (!taken || gcdc_matcher_accept(m, taken - 1)) break;
			}
			gcdc_matcher_free(m);
			gcdc_artifact_close(a);
		}
		free(bytes);
	}
	cr_assert(errors, "nothing contradicts anything");
	free(good);
}

// What opens, opens to some other automaton, and is used without harm.
Test(canonical_corrupt, forged_tables_are_harmless, .timeout = 120)
{
	size_t len;
	uint8_t *good = encoded(&len);
	uint64_t x = 20261121;
	uint32_t opened = 0;
	for (uint32_t i = 0; i < 4000; i++) {
		uint8_t *bytes = exactly(good, len);
		for (uint32_t k = 0; k < 1 + i % 3; k++) {
			x ^= x << 13, x ^= x >> 7, x ^= x << 17;
			uint32_t id = SECTION_CANON + (uint32_t)(x >> 40) % (SECTION_REGEX_PREFIX_CLASS + 1 - SECTION_CANON);
			struct artifact_section *row = abuse_row(bytes, id);
			if (row && row->size) bytes[row->offset + (x >> 8) % row->size] = (uint8_t)(x >> 32);
		}
		abuse_seal(bytes, len, true);
		gcdc_artifact *a;
		if (!gcdc_artifact_open_memory(bytes, len, NULL, &a, NULL)) {
			const uint8_t data[] = "aabcba aab\x02\x05\x07\x01\x03\x09\x04";
			opened++;
			abuse_drive(a, data, sizeof data);
			gcdc_artifact_close(a);
		}
		free(bytes);
	}
	cr_assert_gt(opened, 100, "seed 20261121: %u opened", opened);
	free(good);
}

// An artifact with CANON_FAR; the caller frees it. *row: that section's.
static uint8_t *with_far(size_t *len, struct artifact_section **row)
{
	struct vocab v = {0};
	struct compiled c;
	struct toy_canonical x;
	toy_canonical_default(&x, &v);
	toy_compile("start: a\na: \"a\" a \"b\" | \"c\"\n", &v,
	            &(struct compile_options){.canonical = x.sections, .costs = COMPILE_COSTS_EXACT}, &c);
	uint8_t *bytes = toy_encode(&c, true, len);
	*row = abuse_row(bytes, SECTION_CANON_FAR);
	cr_assert(*row && (*row)->size > 20 && !bytes[(*row)->offset + (*row)->size - 1]);
	canonical_release(&x.tables);
	vocab_release(&v);
	return bytes;
}

static gcdc_status open_sealed(uint8_t *bytes, size_t len, gcdc_artifact **a, gcdc_refusal *why)
{
	abuse_seal(bytes, len, true);
	return gcdc_artifact_open_memory(bytes, len, NULL, a, why);
}

// Other numbers are refused, or give other masks under budgets and do no harm.
Test(canonical_corrupt, forged_numbers_of_far_budgets_are_harmless)
{
	static const uint8_t to[] = {0, 1, 0x7f, 0x80, 0xff};
	const uint8_t data[] = "aabcba aab\x02\x05\x07\x01\x03\x09\x04";
	size_t len;
	struct artifact_section *row;
	gcdc_artifact *a;
	gcdc_refusal why;
	uint32_t opened = 0, refused = 0;
	uint8_t *bytes = with_far(&len, &row);
	cr_assert_eq(open_sealed(bytes, len, &a, &why), GCDC_OK, "%s", why.what);
	gcdc_artifact_close(a);
	for (uint64_t i = 0; i < row->size; i++)
		for (size_t k = 0; k < sizeof to; k++) {
			uint8_t *at = bytes + row->offset + i, was = *at;
			*at = to[k];
			const gcdc_status status = open_sealed(bytes, len, &a, &why);
			cr_expect(!status || (status == GCDC_ERR_FORMAT && why.section == SECTION_CANON_FAR));
			opened += !status, refused += status != GCDC_OK;
			if (!status) abuse_drive(a, data, sizeof data);
			if (!status) gcdc_artifact_close(a);
			*at = was;
		}
	cr_expect(opened > 20 && refused > 20, "%u opened, %u refused", opened, refused);
	free(bytes);
}
