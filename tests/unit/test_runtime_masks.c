// Masks from rows and lists against unions bit by bit; which tokens are left to be tried; where a text may end.
#include <criterion/criterion.h>

#include "../../lib/runtime/core/matcher_step.h"

#include "../../lib/compile/compile.h"
#include "../../lib/writer/artifact_image.h"

#define FEW_WORDS 70u
#define MAX_WORDS 640u
#define N_ROWS 6u
#define N_SETS 24u
#define PLACES 64u  // of a set's list

static uint64_t state = 20261123;
static uint32_t random_below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

static struct gcdc_artifact artifact;
static struct artifact_set sets[N_SETS];
static uint32_t rows[N_ROWS * MAX_WORDS], lists[N_SETS * PLACES];

// Bits at random, or nearly all ones or zeros, so that it may be short; or the bits at random come first.
static void make_row(uint32_t *row, uint32_t words)
{
	uint32_t kind = random_below(5), n = random_below(words / SHORT_ROW_PART + 3), end = random_below(words / 4 + 1);
	for (uint32_t w = 0; w < words; w++)
		row[w] = kind == 0 || (kind == 4 && w >= end) ? 0
		         : kind == 1                          ? UINT32_MAX
		                                              : random_below(UINT32_MAX) & random_below(UINT32_MAX);
	for (uint32_t k = 0; k < n; k++) row[random_below(words)] ^= 1 + random_below(UINT32_MAX);
}

static void release_sets(void)
{
	memory_free(&artifact.memory, artifact.short_rows);
	memory_free(&artifact.memory, artifact.short_words);
	artifact.short_rows = NULL, artifact.short_words = NULL;
}

// Rows, sets that differ from them in some tokens or in none, and lists. Short rows are known three times in four.
static void make_sets(uint32_t words)
{
	artifact.info.mask_words = words, artifact.info.n_tokens = words * 32, artifact.info.n_dense = N_ROWS;
	artifact.dense = rows, artifact.sparse = lists, artifact.sets = sets;
	artifact.memory = *memory_or_libc(NULL);
	for (uint32_t i = 0; i < N_ROWS; i++) make_row(rows + i * words, words);
	cr_assert(!random_below(4) || !short_rows_find(&artifact, NULL));
	for (uint32_t i = 0; i < N_SETS; i++) {
		uint32_t n = 0, token = random_below(words * 4 + 1);
		for (; n < PLACES && random_below(6) && token < words * 32; token += 1 + random_below(words)) {
			lists[i * PLACES + n] = token;
			n++;
		}
		sets[i] = (struct artifact_set){random_below(4) ? random_below(N_ROWS) : ARTIFACT_NONE, i * PLACES, n, 0, 0, 0};
	}
}

static void compare(const struct set_list *list, const uint32_t *keep)
{
	uint32_t mask[MAX_WORDS + 1], words = artifact.info.mask_words;
	memset(mask, 0x5a, sizeof mask);
	sets_fill_kept(&artifact, list, keep, mask);
	for (uint32_t t = 0; t < words * 32; t++) {
		bool expected = sets_have(&artifact, list, t) && (!keep || keep[t / 32] >> t % 32 & 1);
		cr_assert_eq(mask[t / 32] >> t % 32 & 1, expected, "token %u of %u words, %u sets", t, words, list->n);
	}
	cr_assert_eq(mask[words], 0x5a5a5a5a, "a word past the mask");
}

Test(runtime_masks, unions_of_overlapping_sets_are_right_bit_by_bit)
{
	uint32_t n_short = 0, n_begun = 0;
	for (uint32_t round = 0; round < 480; round++) {
		uint32_t at[N_SETS], extra[2], keep[MAX_WORDS];
		make_sets(1 + random_below(round % 6 ? FEW_WORDS : MAX_WORDS));
		struct set_list list = {.at = at, .n = random_below(7)};
		for (uint32_t i = 0; i < list.n; i++) at[i] = random_below(N_SETS);
		list.extra = (struct vec32){extra, random_below(3), 2};
		extra[0] = random_below(16), extra[1] = 16 + random_below(16);
		for (uint32_t w = 0; w < MAX_WORDS; w++) keep[w] = random_below(UINT32_MAX);
		compare(&list, NULL);
		compare(&list, keep);
		for (uint32_t i = 0; i < N_ROWS && artifact.short_rows; i++)
			n_short += artifact.short_rows[i].n != ARTIFACT_NONE, n_begun += artifact.short_rows[i].begin != 0;
		release_sets();
	}
	cr_assert_geq(n_short, 400);
	cr_assert_geq(n_begun, 20);
}

Test(runtime_masks, a_row_is_short_where_few_words_are_not_zero_or_not_ones)
{
	const uint32_t words = MAX_WORDS, most[2] = {MAX_WORDS / LISTED_ROW_PART, MAX_WORDS / SHORT_ROW_PART};
	artifact.info.mask_words = words, artifact.info.n_dense = 5, artifact.dense = rows;
	artifact.memory = *memory_or_libc(NULL);
	for (uint32_t i = 0; i < 5; i++) memset(rows + i * words, i & 1 ? 0xff : 0, words * sizeof *rows);
	for (uint32_t i = 0; i < 4; i++)  // the last words of the first two rows, one more of the others
		for (uint32_t k = 0; k < most[i & 1] + (i > 1); k++) rows[(i + 1) * words - 1 - k] = 5 + k;
	for (uint32_t w = 0; w < 64; w++) rows[4 * words + w] = 7;
	rows[5 * words - 1] = 9;
	cr_assert_eq(short_rows_find(&artifact, NULL), GCDC_OK);
	const struct short_row *x = artifact.short_rows;
	for (uint32_t i = 0; i < 4; i++) {
		cr_assert_eq(x[i].n, i > 1 ? ARTIFACT_NONE : most[i], "row %u", i);
		cr_assert_eq(x[i].begin, 0);
	}
	cr_assert(!x[0].rest && x[1].rest == UINT32_MAX);
	cr_assert_eq(artifact.short_words[x[1].first].at, words - most[1]);
	cr_assert(x[4].begin == 64 && x[4].n == 1 && !x[4].rest, "its beginning is read from the row");
	cr_assert_eq(artifact.short_words[x[4].first].bits, 9);
	release_sets();
}

// A file of a grammar with columns whose newline terminal also ends brackets; opened.
static size_t opened_len;  // of the file
static gcdc_artifact *open_grammar(const char *text, uint8_t **bytes)
{
	struct grammar g;
	struct vocab v;
	struct compiled c;
	struct diag d = {0};
	size_t len;
	gcdc_artifact *a;
	gcdc_refusal why;
	cr_assert(vocab_load_default(NULL, &d, &v));
	cr_assert(grammar_parse("<test>", text, strlen(text), NULL, &d, &g), "%s", diag_text(&d));
	cr_assert(compile_image(&g, &v, &(struct compile_options){.costs = COMPILE_COSTS_OFF}, &d, &c), "%s",
	          diag_text(&d));
	cr_assert(artifact_encode(&c.image, &(struct artifact_write_options){.raw = true}, &d, bytes, &len));
	cr_assert_eq(gcdc_artifact_open_memory(*bytes, len, NULL, &a, &why), GCDC_OK, "%s", why.what);
	opened_len = len;
	compile_release(&c);
	grammar_release(&g);
	vocab_release(&v);
	diag_release(&d);
	return a;
}

// So that it takes microseconds, however many rows there are.
Test(runtime_masks, opening_a_trusted_artifact_looks_at_no_row)
{
	uint8_t *bytes;
	uint32_t mask[2][256];
	gcdc_artifact *a[2] = {open_grammar("start: /[^#]*#/\n", &bytes)};
	cr_assert_eq(gcdc_artifact_open_memory(bytes, opened_len, &(gcdc_open_options){.trusted = true}, &a[1], NULL),
	             GCDC_OK);
	cr_expect(a[0]->short_rows && !a[1]->short_rows);
	for (int i = 0; i < 2; i++) {
		gcdc_matcher *m;
		cr_assert_eq(gcdc_matcher_new(a[i], NULL, &m), GCDC_OK);
		cr_assert_eq(gcdc_matcher_fill(m, mask[i], 256, NULL), GCDC_OK);
		gcdc_matcher_free(m);
		gcdc_artifact_close(a[i]);
	}
	cr_expect_eq(memcmp(mask[0], mask[1], sizeof mask[0]), 0);
	free(bytes);
}

static const char columns[] = "start: (stmt | _NL)*\n"
							  "stmt: expr _NL | expr \":\" _NL _I stmt+ _D | \"try\" _NL _I stmt+ _D \"end\" _NL\n"
							  "expr: NAME | STRING | \"(\" [expr (\",\" expr)*] \")\" | expr \"+\" expr\n"
							  "NAME: /[a-z]+/\n"
							  "STRING: /'[^'\\n]*'/ | /'''([^']|'{1,2}[^'])*'''/\n"
							  "_NL: /(#[^\\n]*)?\\r?\\n([ \\t]*(#[^\\n]*)?\\r?\\n)*[ \\t]*/\n"
							  "%ignore / +/\n"
							  "%indent newline=_NL indent=_I dedent=_D open=LPAR close=RPAR end=newline\n";

Test(runtime_masks, tokens_that_are_allowed_in_any_case_are_not_tried)
{
	uint8_t *bytes;
	gcdc_artifact *a = open_grammar(columns, &bytes);
	uint32_t n_tried = 0;
	for (uint32_t s = 0; s < a->info.n_sets; s++) {
		if (!a->sets[s].maybe) continue;
		for (struct set_words w = set_words(a, &a->sets[a->sets[s].maybe]); set_words_next(a, &w); n_tried++)
			for (uint32_t t = w.word * 32; t < w.word * 32 + 32; t++)
				cr_expect(!(w.bits >> t % 32 & 1) || !artifact_set_has(a, &a->sets[s], t),
				          "set %u allows token %u, and has it to be tried", s, t);
	}
	cr_expect_gt(n_tried, 0);
	gcdc_artifact_close(a);
	free(bytes);
}

static void hear(struct listener *l, uint32_t from, uint32_t to, uint32_t terminal)
{
	(void)l, (void)from, (void)to, (void)terminal;
}

// While somebody listens the end is asked for on frames, else, for one stack, above them.
Test(runtime_masks, the_end_is_the_same_above_the_stack_and_on_frames)
{
	static const char pieces[] = "ab+(),:'\n \n  \n#\n";
	uint8_t *bytes;
	gcdc_artifact *a = open_grammar(columns, &bytes);
	gcdc_matcher *m;
	struct listener l = {.note = hear};
	uint32_t n_ends = 0, n_known = 0, n = 0;
	cr_assert_eq(gcdc_matcher_new(a, NULL, &m), GCDC_OK);
	for (uint32_t step = 0; step < 40000; step++) {
		bool on_frames, above, alone, known = false;
		if (!(step % 40)) gcdc_matcher_reset(m);
		const char *bytes_of = random_below(12) ? &pieces[random_below(sizeof pieces - 1)] : "try\n  ";
		gcdc_status status = gcdc_matcher_accept_bytes(m, bytes_of, *bytes_of == 't' ? 6 : 1);
		cr_assert(status == GCDC_OK || status == GCDC_REJECTED);
		memset(m->no_end, 0, NO_ENDS * sizeof *m->no_end);
		m->listener = &l;
		cr_assert_eq(position_ends(m, m->now, &on_frames), GCDC_OK);
		m->listener = NULL;
		cr_assert_eq(position_ends(m, m->now, &above), GCDC_OK);
		if (m->now->n == 1) cr_assert_eq(line_ends_alone(m, m->now->at, m->now->column, &alone, &known), GCDC_OK);
		cr_assert_eq(on_frames, above, "step %u", step);
		cr_assert(!known || alone == above, "step %u", step);
		n_ends += above, n_known += known, n++;
	}
	cr_expect(n_ends > n / 20 && n_ends < n - n / 20, "%u of %u", n_ends, n);
	cr_expect_gt(n_known, n / 2, "%u of %u", n_known, n);
	gcdc_matcher_free(m);
	gcdc_artifact_close(a);
	free(bytes);
}
