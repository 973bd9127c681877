// The writer: equal bytes for equal images, the same content in every encoding, whole files or none.
#include <criterion/criterion.h>

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../lib/base/file.h"
#include "../../lib/base/random.h"
#include "../../lib/include/gcdc/runtime.h"
#include "../../lib/shared/section_codec.h"
#include "../../lib/writer/section_encode.h"
#include "../corrupt/tiny_artifact.h"

Test(writer, the_same_image_gives_the_same_bytes)
{
	for (int k = 0; k < 4; k++) {
		const struct artifact_write_options o = {.raw = k & 1, .no_vocab = k & 2};
		uint8_t *bytes[2];
		size_t len[2];
		for (int i = 0; i < 2; i++) {
			struct tiny *t = tiny_parens();  // other addresses
			void *hole = malloc(12345);
			bytes[i] = tiny_encode(t, &o, &len[i]);
			free(hole);
			tiny_free(t);
		}
		cr_assert_eq(len[0], len[1]);
		cr_assert_arr_eq(bytes[0], bytes[1], len[0]);
		free(bytes[0]);
		free(bytes[1]);
	}
}

Test(writer, every_encoding_holds_the_same_sections)
{
	struct tiny *t = tiny_parens();
	size_t len[3];
	uint8_t *bytes[3];
	gcdc_artifact *a[3];
	const struct artifact_write_options o[3] = {{.raw = true}, {0}, {.level = 19}};
	for (int i = 0; i < 3; i++) {
		bytes[i] = tiny_encode(t, &o[i], &len[i]);
		cr_assert_eq(gcdc_artifact_open_memory(bytes[i], len[i], NULL, &a[i], NULL), GCDC_OK);
		for (uint32_t id = 0; id < 64; id++) {
			size_t n, m;
			const void *x = gcdc_artifact_section(a[0], id, &n), *y = gcdc_artifact_section(a[i], id, &m);
			cr_assert_eq(n, m);
			if (n) cr_assert_arr_eq(x, y, n);
		}
	}
	cr_assert(len[1] < len[0] && len[2] < len[0]);
	size_t n;
	const char *strings = gcdc_artifact_section(a[1], SECTION_STRINGS, &n);
	cr_assert_eq(n, t->image.info.n_strings);
	cr_assert_str_eq(strings, "start");
	for (int i = 0; i < 3; i++) {
		gcdc_artifact_close(a[i]);
		free(bytes[i]);
	}
	tiny_free(t);
}

Test(writer, says_whether_every_byte_is_a_token)
{
	for (int i = 0; i < 2; i++) {
		struct tiny *t = i ? tiny_fallback() : tiny_parens();  // of the digits, fallback has only two
		size_t len, n;
		uint8_t *bytes = tiny_encode(t, NULL, &len);
		gcdc_artifact *a;
		cr_assert_eq(gcdc_artifact_open_memory(bytes, len, NULL, &a, NULL), GCDC_OK);
		const struct artifact_info *info = gcdc_artifact_section(a, SECTION_INFO, &n);
		cr_assert_eq(info->flags, i ? 0 : INFO_ALL_BYTES);
		gcdc_artifact_close(a);
		free(bytes);
		tiny_free(t);
	}
}

Test(writer, a_file_is_whole_or_the_old_one)
{
	char folder[] = "/tmp/gcdc-test-XXXXXX", path[64], under_file[80];
	cr_assert_not_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/a.gcdc", folder);
	snprintf(under_file, sizeof under_file, "%s/a.gcdc/b", folder);
	struct tiny *t = tiny_parens();
	struct diag d = {0};
	size_t len;
	uint8_t *bytes = tiny_encode(t, NULL, &len);
	for (int i = 0; i < 2; i++) cr_assert(file_replace(path, bytes, len, &d));  // new, then replaced
	struct stat st;
	cr_assert_eq(stat(path, &st), 0);
	mode_t mask = umask(0);
	umask(mask);
	cr_assert_eq(st.st_mode & 0777, 0666 & ~mask);
	cr_assert_eq((size_t)st.st_size, len);
	cr_assert_not(file_replace(under_file, bytes, len, &d));
	free(bytes);
	cr_assert(strstr(diag_text(&d), under_file), "%s", diag_text(&d));
	diag_release(&d);
	unlink(path);
	cr_assert_eq(rmdir(folder), 0, "a temporary file was left");
	tiny_free(t);
}

Test(writer, a_broken_image_is_refused_by_name)
{
	struct tiny *t = tiny_parens();
	struct artifact_image *m = &t->image;
	static const uint32_t twice[] = {40, 40};
	cr_assert_null(artifact_check(m));
#define BREAK(field, value, words)                                                                                     \
	do {                                                                                                               \
		__typeof__(field) kept = field;                                                                                \
		field = value;                                                                                                 \
		const char *broken = artifact_check(m);                                                                        \
		cr_expect(broken &&strstr(broken, words), "%s", broken ? broken : #field);                                     \
		field = kept;                                                                                                  \
	} while (0)
	BREAK(m->info.n_tokens, 0, "no tokens");
	BREAK(m->info.mask_words, 2, "mask_words");
	BREAK(m->info.n_classes, 300, "n_classes");
	BREAK(m->info.start_lex_state, 0, "start_lex_state");
	BREAK(m->info.max_readings, 0, "max_readings");
	BREAK(m->info.class_of[7], 77, "class_of");
	BREAK(m->info.n_edges, m->info.n_edges - 1, "edges that do not exist");
	BREAK(m->info.n_starts, m->info.n_starts - 1, "START is too short");
	BREAK(m->info.max_token_len, 3, "max_token_len");
	BREAK(m->info.n_dense, 1, "row that does not exist");
	BREAK(m->info.n_sparse, 1, "sparse entries that do not exist");
	BREAK(m->sets, m->sets + 1, "set 0");
	BREAK(m->eos, twice, "EOS");
	BREAK(m->strings, NULL, "NULL");
	struct diag d = {0};
	uint8_t *bytes;
	size_t len;
	m->info.n_tokens = 0;
	cr_assert_not(artifact_encode(m, NULL, &d, &bytes, &len));
	cr_assert_null(bytes);
	cr_assert(strstr(diag_text(&d), "no tokens"));
	diag_release(&d);
	tiny_free(t);
}

// ---- What goes into frames (section_encode.h) comes out again (section_codec.h).
static uint64_t seed = 9;
static uint32_t draw(uint32_t n) { return (uint32_t)(random_next(&seed) % n); }

// Places of tokens: some have ranks, in any order.
struct drawn_places {
	struct section_places read;
	struct token_places write;
	uint32_t *token_of, *place_of;
};

static struct drawn_places draw_places(uint32_t n_tokens)
{
	struct drawn_places x = {.token_of = mem_calloc(n_tokens + 1, sizeof *x.token_of),
	                         .place_of = mem_calloc(n_tokens + 1, sizeof *x.place_of)};
	uint32_t *token_of = x.token_of, n_ranks = draw(n_tokens + 1);
	for (uint32_t t = 0; t < n_tokens; t++) token_of[t] = t;
	for (uint32_t i = draw(4) ? 0 : n_tokens; i < n_tokens; i++) {  // at times in their order
		const uint32_t k = i + draw(n_tokens - i), here = token_of[i];
		token_of[i] = token_of[k], token_of[k] = here;
	}
	for (uint32_t t = 0; t < n_tokens; t++) x.place_of[t] = n_ranks + t;
	for (uint32_t r = 0; r < n_ranks; r++) x.place_of[token_of[r]] = r;
	x.read = (struct section_places){token_of, n_ranks}, x.write = (struct token_places){x.place_of, n_ranks};
	return x;
}

static void free_places(struct drawn_places *x) { free(x->token_of), free(x->place_of); }

#define TOKENS 9000u

Test(writer, lists_come_back)
{
	for (uint32_t turn = 0; turn < 300; turn++) {
		uint32_t n = draw(turn % 8 ? 2000 : 9000);
		const bool told = turn % 2, is_long = turn % 8 == 1;  // by places; lists of thousands
		struct drawn_places places = draw_places(TOKENS);
		if (!told) places.read = (struct section_places){0}, places.write = (struct token_places){0};
		uint32_t *words = mem_calloc(n + 1, sizeof *words), *back = mem_calloc(n + 1, sizeof *back);
		bits *begins = mem_calloc(BITS_WORDS(n + 1), sizeof *begins);
		for (uint32_t i = 0; i < n; i++) {
			const uint32_t last = told ? TOKENS - 1 : UINT32_MAX, step = is_long ? 1 + draw(2) : draw(4) * draw(4);
			words[i] = i && draw(is_long ? 2000 : 20) ? words[i - 1] + step : draw(3) ? draw(50) : last - draw(50);
			if (told && words[i] > last) words[i] = draw(50);
			if (!draw(is_long ? 2000 : 15)) bits_set(begins, i);
		}
		byte_list scratch = {0};
		uint64_t size = n * 4ull;
		const uint8_t *bytes = section_encode(ARTIFACT_ZSTD_LISTS, words, &size,
		                                      &(struct section_shape){1, 1, begins, &places.write}, &scratch);
		memset(back, 0xaa, n * 4ull);  // what a reader's block may hold
		cr_assert(section_join_lists(back, n, &places.read, bytes, size), "turn %u", turn);
		cr_assert(!memcmp(words, back, n * 4ull), "turn %u", turn);
		cr_assert(!n || !section_join_lists(back, n - 1, &places.read, bytes, size));
		// Whatever the bytes are, nothing outside the words is written.
		uint8_t *odd = mem_alloc(size + 1);
		for (uint32_t k = 0; k < 20; k++) {
			if (size) memcpy(odd, bytes, size);
			for (uint32_t c = draw(4) + 1; size && c; c--) odd[draw((uint32_t)size)] = (uint8_t)draw(256);
			back[n] = 77;
			section_join_lists(back, n, &places.read, odd, size);
			cr_assert_eq(back[n], 77);
		}
		free(odd);
		free_places(&places);
		vec_release(&scratch);
		free(words), free(back), free(begins);
	}
}

// A reader has room for so many differences only: beyond them a list has no base.
Test(writer, lists_that_differ_in_much_stand_alone)
{
	enum { FIRST = 4000, SECOND = 5500, N = FIRST + SECOND };
	uint32_t words[N], back[N];
	bits begins[BITS_WORDS(N)] = {0};
	for (uint32_t i = 0; i < N; i++) words[i] = i < FIRST ? i : i - FIRST + FIRST / 8;
	bits_set(begins, FIRST);
	struct drawn_places places = draw_places(TOKENS);
	for (int told = 0; told < 2; told++) {
		const struct token_places write = told ? places.write : (struct token_places){0};
		const struct section_places read = told ? places.read : (struct section_places){0};
		byte_list scratch = {0};
		uint64_t size = sizeof words;
		const struct section_shape shape = {1, 1, begins, &write};
		const uint8_t *bytes = section_encode(ARTIFACT_ZSTD_LISTS, words, &size, &shape, &scratch);
		cr_assert(section_join_lists(back, N, &read, bytes, size));
		cr_assert(!memcmp(words, back, sizeof words));
		vec_release(&scratch);
	}
	free_places(&places);
}

Test(writer, steps_come_back)
{
	for (uint32_t turn = 0; turn < 100; turn++) {
		uint32_t width = 1 + draw(9), n = width * draw(60);
		uint32_t words[9 * 60], back[9 * 60];
		const uint32_t parts = draw(width + 1);  // the last: none
		for (uint32_t i = 0; i < n; i++) words[i] = draw(2) ? draw(7) : (uint32_t)random_next(&seed);
		byte_list scratch = {0};
		uint64_t size = n * 4ull;
		const struct section_shape shape = {width, parts, NULL, NULL};
		const uint8_t *bytes = section_encode(ARTIFACT_ZSTD_STEPS, words, &size, &shape, &scratch);
		cr_assert_eq(size, n * 4ull);
		section_join_steps(back, bytes, n, width, parts);
		cr_assert(!memcmp(words, back, n * 4ull), "turn %u", turn);
		vec_release(&scratch);
	}
}

// Parts in the first column, in one in the middle, in the last one, which has no count beside it; and in none.
Test(writer, the_column_of_parts_is_found)
{
	enum { WIDTH = 4, ROWS = 40 };
	for (uint32_t column = 0; column <= WIDTH; column++) {
		uint32_t words[WIDTH * ROWS], end = 0;
		for (uint32_t i = 0; i < WIDTH * ROWS; i++) words[i] = 1000 + draw(1000);
		for (uint32_t row = 0; row < ROWS && column < WIDTH; row++) {
			uint32_t *w = words + row * WIDTH + column;
			const bool has_count = column + 1 < WIDTH, is_shared = row % 2;  // with the first row
			w[0] = is_shared ? 0 : end;
			if (has_count) w[1] = is_shared ? 1 : 1 + draw(5);
			if (!is_shared) end += has_count ? w[1] : 1;
		}
		cr_expect_eq(section_parts_column(words, WIDTH * ROWS, WIDTH), column);
	}
}

// Rows of which most differ from another one, near or far, in few words; of any words.
Test(writer, rows_come_back)
{
	for (uint32_t turn = 0; turn < 300; turn++) {
		const uint32_t width = 1 + draw(draw(2) ? 130 : 9), rows = draw(draw(4) ? 40 : 300), n = rows * width;
		uint32_t *words = mem_calloc(n + 1, sizeof *words), *back = mem_calloc(n + 1, sizeof *back);
		for (uint32_t i = 0; i < rows; i++) {
			uint32_t *row = words + (size_t)i * width;
			if (i && draw(8)) memcpy(row, words + (size_t)draw(i) * width, width * 4ull);
			for (uint32_t k = draw(5) ? draw(4) : width; k; k--)
				row[draw(width)] = draw(2) ? i + draw(3) : draw(4) ? draw(rows) : (uint32_t)random_next(&seed);
		}
		byte_list scratch = {0};
		uint64_t size = n * 4ull;
		const struct section_shape shape = {width, 0, NULL, NULL};
		const uint8_t *bytes = section_encode(ARTIFACT_ZSTD_ROWS, words, &size, &shape, &scratch);
		cr_assert(!n || size <= 16ull * n, "turn %u", turn);  // what a reader has room for
		cr_assert(section_join_rows(back, n, width, bytes, size), "turn %u", turn);
		cr_assert(!memcmp(words, back, n * 4ull), "turn %u", turn);
		// Whatever the bytes are, nothing outside the words is written.
		for (uint32_t k = 0; k < 20; k++) {
			uint8_t *odd = mem_alloc(size + 1);
			const uint64_t len = draw(4) ? size : draw((uint32_t)size + 1);
			if (len) memcpy(odd, bytes, len);
			for (uint32_t c = draw(4) + 1; len && c; c--) odd[draw((uint32_t)len)] = (uint8_t)draw(256);
			uint8_t *exact = memcpy(mem_alloc(len + !len), odd, len);
			back[n] = 77;
			section_join_rows(back, n, width, exact, len);
			cr_assert_eq(back[n], 77);
			free(odd), free(exact);
		}
		vec_release(&scratch);
		free(words), free(back);
	}
}

// Each thing that a broken one may say wrongly: by itself it is refused.
Test(writer, broken_rows_are_refused)
{
	// Two rows of three words: 0 7 0 and 0 7 9.
	static const uint8_t good[] = {0, 1, 1, 1, 1, 2, 7 << 3, 8 << 3};
	static const uint32_t rows[] = {0, 7, 0, 0, 7, 9};
	static const struct {
		uint32_t at;
		uint8_t x;
		const char *what;
	} cases[] = {{0, 1, "a base before the first row"}, {1, 2, "a base before it"},
	             {2, 2, "more words than there are"},   {3, 0, "words that no row has"},
	             {4, 3, "a column beyond the row"},     {5, 3, "a later column beyond it"},
	             {5, 128, "a column that goes on"},     {7, 128, "a word that goes on"}};
	uint32_t to[7];
	cr_assert(section_join_rows(to, 6, 3, good, sizeof good));
	cr_assert(!memcmp(to, rows, sizeof rows));
	for (uint32_t len = 0; len < sizeof good; len++) cr_expect(!section_join_rows(to, 6, 3, good, len), "%u", len);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint8_t bytes[sizeof good];
		memcpy(bytes, good, sizeof good);
		bytes[cases[i].at] = cases[i].x;
		to[6] = 77;
		cr_expect(!section_join_rows(to, 6, 3, bytes, sizeof bytes), "%s", cases[i].what);
		cr_expect_eq(to[6], 77, "%s", cases[i].what);
	}
}

// Parts of another table that lie one behind the other are told as zeros, and so are numbers in the order of first use.
Test(writer, parts_are_told_from_ends)
{
	static const uint32_t ranges[] = {7, 0, 3, 9, 3, 2, 2, 5, 9, 8, 14, 1}, numbers[] = {5, 0, 4, 1, 5, 2, 9, 3};
	static const struct {
		const uint32_t *words;
		uint32_t n, width, parts;
	} cases[] = {{ranges, 12, 3, 1}, {numbers, 8, 2, 1}, {ranges, 0, 3, 3}, {ranges, 12, 1, 1}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const uint32_t rows = cases[i].n / cases[i].width, parts = cases[i].parts;
		byte_list scratch = {0};
		uint64_t size = cases[i].n * 4ull;
		const struct section_shape shape = {cases[i].width, parts, NULL, NULL};
		cr_assert_eq(section_parts_column(cases[i].words, cases[i].n, cases[i].width), parts, "%zu", i);
		const uint8_t *bytes = section_encode(ARTIFACT_ZSTD_STEPS, cases[i].words, &size, &shape, &scratch);
		for (uint32_t k = 0; k < rows && parts < cases[i].width; k++) cr_assert_eq(bytes[parts * rows + k], 0);
		vec_release(&scratch);
	}
}

// Bitmaps of which most differ from another in few bits; with standard ones and without.
Test(writer, bitmaps_come_back)
{
	for (uint32_t turn = 0; turn < 200; turn++) {
		uint32_t words = 1 + draw(150), n = draw(30), n_standard = draw(2) * draw(8), all = n + n_standard;
		uint32_t *rows = mem_calloc((size_t)all * words + 1, sizeof *rows),
				 *back = mem_calloc(n * words + 1, sizeof *back);
		for (uint32_t i = 0; i < all; i++) {
			uint32_t *row = rows + i * words;
			if (i && draw(4)) memcpy(row, rows + draw(i) * words, words * 4ull);
			for (uint32_t k = draw(3) ? draw(5) : words; k; k--) row[draw(words)] ^= 1u << draw(32);
		}
		struct drawn_places places = draw_places(words * 32);
		if (turn % 2) places.read = (struct section_places){0}, places.write = (struct token_places){0};
		const struct section_rows standard = {rows, n_standard, words, places.read};
		const uint32_t *own = rows + n_standard * words;
		byte_list scratch = {0};
		uint64_t size;
		const uint8_t *bytes = section_encode_bitmaps(own, n, &standard, &places.write, &size, &scratch);
		cr_assert(size <= 16ull * n * words, "turn %u", turn);  // what a reader has room for
		memset(back, 0xaa, n * words * 4ull);                   // what a reader's block may hold
		cr_assert(section_join_bitmaps(back, n * words, &standard, bytes, size), "turn %u", turn);
		cr_assert(!memcmp(own, back, n * words * 4ull), "turn %u", turn);
		cr_assert(!n || !section_join_bitmaps(back, (n - 1) * words, &standard, bytes, size));
		// Whatever the bytes are, nothing outside of all rows is read, and nothing outside of these is written.
		uint8_t *odd = mem_alloc(size + 1);
		for (uint32_t k = 0; k < 20; k++) {
			if (size) memcpy(odd, bytes, size);
			for (uint32_t c = draw(4) + 1; size && c; c--) odd[draw((uint32_t)size)] = (uint8_t)draw(256);
			back[n * words] = 77;
			section_join_bitmaps(back, n * words, &standard, odd, size);
			cr_assert_eq(back[n * words], 77);
		}
		free(odd);
		free_places(&places);
		vec_release(&scratch);
		free(rows), free(back);
	}
}
