// Opening: files, trusted files, separate vocabularies, and memory that runs out at every place.
#include <criterion/criterion.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../../formats/vocab_file.h"
#include "../../lib/include/gcdc/runtime.h"
#include "../corrupt/tiny_artifact.h"

// A folder of its own for each test, removed at its end.
static char folder[64];
static void folder_make(void)
{
	strcpy(folder, "/tmp/gcdc-test-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
}
static const char *in_folder(const char *name)
{
	static char path[4][128];
	static int next;
	char *p = path[next++ % 4];
	snprintf(p, sizeof path[0], "%s/%s", folder, name);
	return p;
}
static void folder_remove(void)
{
	const char *names[] = {"a", "b", "r", "v", "x"};
	for (int i = 0; i < 5; i++) unlink(in_folder(names[i]));
	cr_assert_eq(rmdir(folder), 0, "files are left in %s", folder);
}

static void write_bytes(const char *path, const void *bytes, size_t len)
{
	FILE *f = fopen(path, "wb");
	cr_assert_not_null(f);
	cr_assert_eq(fwrite(bytes, 1, len, f), len);
	fclose(f);
}

static void write_tiny(const struct tiny *t, const char *path, struct artifact_write_options o)
{
	size_t len;
	uint8_t *bytes = tiny_encode(t, &o, &len);
	write_bytes(path, bytes, len);
	free(bytes);
}

// Goes through a text, so that tables and tokens are really used.
static void use(const gcdc_artifact *a)
{
	gcdc_matcher *m;
	cr_assert_eq(gcdc_matcher_new(a, NULL, &m), GCDC_OK);
	const uint32_t tokens[] = {0, 15, 19, 13, 12, 1, 40};
	for (int i = 0; i < 7; i++) cr_assert_eq(gcdc_matcher_accept(m, tokens[i]), GCDC_OK, "%d", i);
	cr_assert(gcdc_matcher_is_terminated(m));
	gcdc_matcher_free(m);
}

Test(runtime_open, files_raw_and_compressed_full_and_trusted)
{
	folder_make();
	struct tiny *t = tiny_parens();
	for (int k = 0; k < 4; k++) {
		write_tiny(t, in_folder("a"), (struct artifact_write_options){.raw = k & 1});
		gcdc_artifact *a;
		gcdc_refusal why;
		cr_assert_eq(gcdc_artifact_open(in_folder("a"), &(gcdc_open_options){.trusted = k & 2}, &a, &why), GCDC_OK,
		             "%s", why.what);
		use(a);
		gcdc_info info;
		gcdc_artifact_info(a, &info);
		struct stat st;
		stat(in_folder("a"), &st);
		cr_assert_eq(info.file_size, (uint64_t)st.st_size);
		cr_assert_eq(info.n_tokens, P_V);
		cr_assert_eq(info.vocab_hash[1], 4);
		cr_assert_eq(info.decoded_size == 0, k & 1);
		uint32_t len;
		cr_assert_arr_eq(gcdc_artifact_token(a, 14, &len), ")))", 3);
		cr_assert_eq(len, 3);
		cr_assert_null(gcdc_artifact_token(a, P_V, &len));
		gcdc_artifact_close(a);
	}
	tiny_free(t);
	folder_remove();
}

Test(runtime_open, what_is_no_artifact_is_refused_with_words)
{
	folder_make();
	gcdc_artifact *a = (gcdc_artifact *)&a;
	gcdc_refusal why;
	cr_assert_eq(gcdc_artifact_open(in_folder("x"), NULL, &a, &why), GCDC_ERR_IO);
	cr_assert_null(a);
	cr_assert(strstr(why.what, "cannot open") && strstr(why.what, strerror(ENOENT)), "%s", why.what);
	cr_assert_eq(why.section, GCDC_NONE);
	cr_assert_eq(gcdc_artifact_open(folder, NULL, &a, &why), GCDC_ERR_IO);
	cr_assert(strstr(why.what, "regular"), "%s", why.what);
	write_bytes(in_folder("x"), "", 0);
	cr_assert_eq(gcdc_artifact_open(in_folder("x"), NULL, &a, &why), GCDC_ERR_FORMAT);
	cr_assert(strstr(why.what, "empty"), "%s", why.what);
	write_bytes(in_folder("x"), "{\"model\"", 8);
	cr_assert_eq(gcdc_artifact_open(in_folder("x"), NULL, &a, &why), GCDC_ERR_FORMAT);
	cr_assert(strstr(why.what, "too few"), "%s", why.what);
	cr_assert_eq(gcdc_artifact_open(in_folder("x"), NULL, &a, NULL), GCDC_ERR_FORMAT);
	cr_assert_eq(gcdc_artifact_open(NULL, NULL, &a, NULL), GCDC_ERR_ARGUMENT);
	cr_assert_eq(gcdc_artifact_open_memory("x", 1, NULL, NULL, NULL), GCDC_ERR_ARGUMENT);
	folder_remove();
}

Test(runtime_open, memory_need_not_be_aligned)
{
	struct tiny *t = tiny_parens();
	for (int raw = 0; raw < 2; raw++) {
		size_t len;
		uint8_t *bytes = tiny_encode(t, &(struct artifact_write_options){.raw = raw}, &len);
		for (size_t shift = 0; shift < 17; shift++) {
			uint8_t *moved = malloc(len + 17);
			memcpy(moved + shift, bytes, len);
			gcdc_artifact *a;
			cr_assert_eq(gcdc_artifact_open_memory(moved + shift, len, NULL, &a, NULL), GCDC_OK);
			use(a);
			gcdc_artifact_close(a);
			free(moved);
		}
		free(bytes);
	}
	tiny_free(t);
}

// ---- A compiled vocabulary, written by hand from formats/vocab_file.h.
static uint8_t *gcdv(const struct tiny *t, size_t *len)
{
	const struct artifact_image *m = &t->image;
	struct vocab_file_info info = {.n_tokens = m->info.n_tokens,
	                               .n_eos = m->info.n_eos,
	                               .n_bytes = m->token_offset[m->info.n_tokens],
	                               .max_token_len = m->info.max_token_len};
	const struct {
		uint32_t id;
		const void *at;
		uint64_t size;
	} parts[] = {{VOCAB_SECTION_INFO, &info, sizeof info},
	             {VOCAB_SECTION_NAME, "tiny", 4},
	             {VOCAB_SECTION_EOS, m->eos, m->info.n_eos * 4},
	             {VOCAB_SECTION_TOKEN_OFFSET, m->token_offset, (m->info.n_tokens + 1) * 4},
	             {VOCAB_SECTION_TOKEN_BYTES, m->token_bytes, info.n_bytes},
	             {VOCAB_SECTION_KIND, m->token_offset, 4},
	             {VOCAB_SECTION_TRIE_RANK, m->token_offset, 4}};
	enum { N = sizeof parts / sizeof *parts };
	struct vocab_file_header h = {
		.version = VOCAB_VERSION, .n_sections = N, .vocab_hash = {m->vocab_hash[0], m->vocab_hash[1]}};
	memcpy(h.magic, VOCAB_MAGIC, 8);
	struct artifact_section table[N];
	uint8_t *bytes = calloc(1, 1 << 16);
	size_t at = sizeof h + sizeof table;
	for (int i = 0; i < N; i++) {
		at = (at + 63) & ~(size_t)63;
		table[i] = (struct artifact_section){.id = parts[i].id,
		                                     .offset = at,
		                                     .stored = parts[i].size,
		                                     .size = parts[i].size,
		                                     .check = XXH3_64bits(parts[i].at, parts[i].size)};
		memcpy(bytes + at, parts[i].at, parts[i].size);
		at += parts[i].size;
	}
	h.file_size = at;
	memcpy(bytes, &h, sizeof h);
	memcpy(bytes + sizeof h, table, sizeof table);
	h.table_check = XXH3_64bits(bytes, sizeof h + sizeof table);
	memcpy(bytes, &h, sizeof h);
	*len = at;
	return bytes;
}

Test(runtime_open, a_separate_vocabulary_must_be_the_right_one)
{
	folder_make();
	struct tiny *t = tiny_parens(), *other = tiny_fallback();
	write_tiny(t, in_folder("a"), (struct artifact_write_options){.no_vocab = true});
	size_t len;
	uint8_t *bytes = gcdv(t, &len);
	write_bytes(in_folder("v"), bytes, len);
	gcdc_artifact *a;
	gcdc_refusal why;
	for (int trusted = 0; trusted < 2; trusted++) {
		const gcdc_open_options o = {.vocab_path = in_folder("v"), .trusted = trusted};
		cr_assert_eq(gcdc_artifact_open(in_folder("a"), &o, &a, &why), GCDC_OK, "%s", why.what);
		use(a);
		size_t size;
		cr_assert_not_null(gcdc_artifact_section(a, SECTION_TOKEN_BYTES, &size));
		gcdc_artifact_close(a);
	}
	cr_assert_eq(gcdc_artifact_open(in_folder("a"), NULL, &a, &why), GCDC_ERR_VOCAB);
	cr_assert(strstr(why.what, ".gcdv"), "%s", why.what);
	cr_assert_eq(gcdc_artifact_open(in_folder("a"), &(gcdc_open_options){.vocab_path = in_folder("x")}, &a, &why),
	             GCDC_ERR_IO);
	cr_assert_eq(gcdc_artifact_open(in_folder("a"), &(gcdc_open_options){.vocab_path = in_folder("a")}, &a, &why),
	             GCDC_ERR_FORMAT);
	for (size_t i = 0; i < len; i++) {
		bytes[i] ^= 0x10;
		write_bytes(in_folder("x"), bytes, len);
		gcdc_status status =
			gcdc_artifact_open(in_folder("a"), &(gcdc_open_options){.vocab_path = in_folder("x")}, &a, &why);
		// The runtime does not look at the sections that it does not use.
		if (status == GCDC_OK) {
			use(a);
			gcdc_artifact_close(a);
			size_t kind = 0;
			for (uint32_t s = 0; s < 7; s++) {
				struct artifact_section row;
				memcpy(&row, bytes + sizeof(struct vocab_file_header) + s * sizeof row, sizeof row);
				if (i >= row.offset && i < row.offset + row.stored) kind = row.id;
			}
			cr_assert(kind == VOCAB_SECTION_NAME || kind == VOCAB_SECTION_EOS || kind >= VOCAB_SECTION_KIND, "byte %zu",
			          i);
		}
		bytes[i] ^= 0x10;
	}
	for (size_t n = 0; n < len; n += 13) {
		write_bytes(in_folder("x"), bytes, n);
		cr_assert_neq(gcdc_artifact_open(in_folder("a"), &(gcdc_open_options){.vocab_path = in_folder("x")}, &a, &why),
		              GCDC_OK);
	}
	write_tiny(t, in_folder("r"),
	           (struct artifact_write_options){
				   .no_vocab = true, .rows = t->image.dense, .n_rows = t->image.info.n_dense, .standard_check = 7});
	cr_assert_eq(gcdc_artifact_open(in_folder("r"), &(gcdc_open_options){.vocab_path = in_folder("v")}, &a, &why),
	             GCDC_ERR_VOCAB);
	cr_assert(strstr(why.what, "standard rows"), "%s", why.what);
	free(bytes);
	bytes = gcdv(other, &len);
	write_bytes(in_folder("x"), bytes, len);
	cr_assert_eq(gcdc_artifact_open(in_folder("a"), &(gcdc_open_options){.vocab_path = in_folder("x")}, &a, &why),
	             GCDC_ERR_VOCAB);
	cr_assert(strstr(why.what, "hash"), "%s", why.what);
	free(bytes);
	tiny_free(t);
	tiny_free(other);
	folder_remove();
}

// ---- Memory that runs out.
struct failing {
	long left;  // calls until one fails
	long live;  // blocks
};
static void *failing_resize(void *context, void *block, size_t size)
{
	struct failing *f = context;
	if (!size) {
		f->live--;
		free(block);
		return NULL;
	}
	if (f->left-- <= 0) return NULL;
	if (!block) f->live++;
	return realloc(block, size);
}

// Opens, walks, forks, clones; false as soon as memory is short. Whatever happens, nothing is left behind.
static bool run_short_of_memory(const uint8_t *bytes, size_t len, struct failing *f)
{
	const gcdc_memory memory = {failing_resize, f};
	gcdc_artifact *a;
	gcdc_matcher *m = NULL, *fork = NULL, *clone = NULL;
	gcdc_refusal why;
	gcdc_status status = gcdc_artifact_open_memory(bytes, len, &(gcdc_open_options){.memory = &memory}, &a, &why);
	if (!status) status = gcdc_matcher_new(a, NULL, &m);
	for (int i = 0; i < 400 && !status; i++) {
		uint32_t before[3], after[3];
		cr_assert_eq(gcdc_matcher_fill(m, before, 3, NULL), GCDC_OK);
		status = gcdc_matcher_accept(m, 0);
		if (!status) continue;
		cr_assert_eq(gcdc_matcher_fill(m, after, 3, NULL), GCDC_OK);
		cr_assert_arr_eq(before, after, sizeof before);
		cr_assert_eq(gcdc_matcher_steps(m), i < 256 ? (uint32_t)i : 256u);
	}
	if (!status) status = gcdc_matcher_fork(m, &fork);
	if (!status) status = gcdc_matcher_clone(fork, &clone);
	const int64_t next[] = {1, -1}, none[] = {-1, -1}, tokens[] = {0, 2};
	uint32_t rows[6];
	if (!status) status = gcdc_matcher_traverse_draft_tree(clone, next, none, tokens, 2, rows, 3, NULL);
	cr_assert(status == GCDC_OK || status == GCDC_ERR_MEMORY, "%d", status);
	gcdc_matcher_free(clone);
	gcdc_matcher_free(m);
	gcdc_matcher_free(fork);
	gcdc_artifact_close(a);
	cr_assert_eq(f->live, 0);
	return status == GCDC_OK;
}

// A session, a matcher of it, its fork: freed in another order than they were made.
static bool run_session_short_of_memory(const uint8_t *bytes, size_t len, struct failing *f)
{
	const gcdc_memory memory = {failing_resize, f};
	gcdc_artifact *a;
	gcdc_session *session = NULL;
	gcdc_matcher *m[4] = {NULL}, *fork = NULL;
	gcdc_status status = gcdc_artifact_open_memory(bytes, len, &(gcdc_open_options){.memory = &memory}, &a, NULL);
	if (!status) status = gcdc_session_new(a, NULL, 2, &session);
	gcdc_artifact_close(a);
	for (uint32_t i = 0; i < 4 && !status; i++) {
		status = gcdc_session_matcher(session, &m[i]);
		if (!status) cr_assert_eq(gcdc_matcher_lane(m[i]), i % 2);
	}
	if (!status) status = gcdc_matcher_accept(m[3], 0);
	if (!status) status = gcdc_matcher_fork(m[3], &fork);
	cr_assert(status == GCDC_OK || status == GCDC_ERR_MEMORY, "%d", status);
	gcdc_matcher_free(m[0]);
	gcdc_session_free(session);
	for (int i = 1; i < 4; i++) gcdc_matcher_free(m[i]);
	if (fork) cr_assert_eq(gcdc_matcher_accept(fork, 0), GCDC_OK);
	gcdc_matcher_free(fork);
	cr_assert_eq(f->live, 0);
	return status == GCDC_OK;
}

Test(runtime_open, every_allocation_of_a_session_may_fail)
{
	struct tiny *t = tiny_parens();
	size_t len;
	uint8_t *bytes = tiny_encode(t, NULL, &len);
	long n = 0;
	for (; n < 200; n++) {
		struct failing f = {.left = n};
		if (run_session_short_of_memory(bytes, len, &f)) break;
	}
	cr_assert(n > 20 && n < 200, "%ld allocations", n);
	free(bytes);
	tiny_free(t);
}

Test(runtime_open, every_allocation_may_fail)
{
	struct tiny *t = tiny_parens();
	size_t len;
	uint8_t *bytes = tiny_encode(t, NULL, &len);
	long n = 0;
	for (; n < 100; n++) {
		struct failing f = {.left = n};
		if (run_short_of_memory(bytes, len, &f)) break;
	}
	cr_assert(n > 8 && n < 100, "%ld allocations", n);
	free(bytes);
	tiny_free(t);
}
