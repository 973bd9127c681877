// Compiled vocabularies (.gcdv): written once, then mapped and used in place.
//
// In:  struct vocab, or the bytes of a file. Out: the other.
// Specification: formats/vocab.md. Opening refuses, in this order, each with its own message: size, magic, version,
// flags, file size, table checksum, then per section: order, codec, alignment, bounds, overlap, checksum; then the
// lengths that the counts imply, then everything that vocab_check knows. After that nothing needs a bounds check.
// Cost: one pass of XXH3 over the file and two walks over the trie; Llama-3 takes some 4 ms.
#include "internal.h"

#include "../base/file.h"
#include "../../formats/vocab_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

// The sections in the order of their ids, with the size of one element.
enum { INFO, NAME, EOS, OFFSET, BYTES, KIND, TOKEN_OF, TRIE_BYTE, TRIE_END, TRIE_RANK, N_SECTIONS };
static const struct {
	uint32_t id, element;
	const char *name;
} section[N_SECTIONS] = {
	[INFO] = {VOCAB_SECTION_INFO, sizeof(struct vocab_file_info), "INFO"},
	[NAME] = {VOCAB_SECTION_NAME, 1, "NAME"},
	[EOS] = {VOCAB_SECTION_EOS, 4, "EOS"},
	[OFFSET] = {VOCAB_SECTION_TOKEN_OFFSET, 4, "TOKEN_OFFSET"},
	[BYTES] = {VOCAB_SECTION_TOKEN_BYTES, 1, "TOKEN_BYTES"},
	[KIND] = {VOCAB_SECTION_KIND, 1, "KIND"},
	[TOKEN_OF] = {VOCAB_SECTION_TOKEN_OF, 4, "TOKEN_OF"},
	[TRIE_BYTE] = {VOCAB_SECTION_TRIE_BYTE, 1, "TRIE_BYTE"},
	[TRIE_END] = {VOCAB_SECTION_TRIE_END, 4, "TRIE_END"},
	[TRIE_RANK] = {VOCAB_SECTION_TRIE_RANK, 4, "TRIE_RANK"},
};
static_assert((int)VOCAB_KIND_TEXT == (int)TOKEN_TEXT && (int)VOCAB_KIND_CONTROL == (int)TOKEN_CONTROL, "kinds");

#define MAX_FILE_SECTIONS 64u
#define MAX_NAME 4096u
#define MAX_ORIGIN 65536u
#define MAX_ADDED_BYTES (16u << 20)

static uint64_t align_up(uint64_t n) { return (n + ARTIFACT_ALIGN - 1) / ARTIFACT_ALIGN * ARTIFACT_ALIGN; }

static uint64_t table_check(struct vocab_file_header header, const struct artifact_section *table)
{
	header.table_check = 0;
	XXH3_state_t state;
	XXH3_64bits_reset(&state);
	XXH3_64bits_update(&state, &header, sizeof header);
	XXH3_64bits_update(&state, table, header.n_sections * sizeof *table);
	return XXH3_64bits_digest(&state);
}

// The bytes of the section ADDED, in the arena.
static void *write_added(const struct vocab *v, struct arena *a, size_t *size)
{
	size_t len = 8 + v->n_added * sizeof(struct vocab_file_added);
	for (uint32_t i = 0; i < v->n_added; i++) len += v->added[i].name ? strlen(v->added[i].name) : 0;
	uint32_t *head = arena_alloc(a, len);
	struct vocab_file_added *to = (void *)(head + 2);
	char *names = (char *)(to + v->n_added);
	head[0] = v->n_added, head[1] = 0;
	for (uint32_t i = 0, at = 0; i < v->n_added; i++) {
		uint32_t n = v->added[i].name ? (uint32_t)strlen(v->added[i].name) : 0;
		if (n) memcpy(names + at, v->added[i].name, n);
		at += n;
		to[i] = (struct vocab_file_added){v->added[i].id, at};
	}
	*size = len <= MAX_ADDED_BYTES ? len : 0;
	return head;
}

// Branches: sections that are always there, canonical ones and two optional texts lie behind each other in the file.
bool vocab_write(const struct vocab *v, const char *path, struct diag *d)
{
	struct arena arena = {0};
	const struct vocab_file_info info = {.n_tokens = v->n_tokens,
	                                     .n_eos = v->n_eos,
	                                     .n_ranks = v->n_ranks,
	                                     .n_nodes = v->trie.n_nodes,
	                                     .n_bytes = v->offset[v->n_tokens],
	                                     .max_token_len = v->max_token_len};
	size_t name_len = strlen(v->name);
	if (name_len > MAX_NAME) name_len = MAX_NAME;
	const struct {
		const void *data;
		uint64_t n;
	} content[N_SECTIONS] = {
		[INFO] = {&info, 1},
		[NAME] = {v->name, name_len},
		[EOS] = {v->eos, v->n_eos},
		[OFFSET] = {v->offset, (uint64_t)v->n_tokens + 1},
		[BYTES] = {v->bytes, info.n_bytes},
		[KIND] = {v->kind, v->n_tokens},
		[TOKEN_OF] = {v->token_of, v->n_ranks},
		[TRIE_BYTE] = {v->trie.byte, v->trie.n_nodes},
		[TRIE_END] = {v->trie.end, v->trie.n_nodes},
		[TRIE_RANK] = {v->trie.rank, (uint64_t)v->trie.n_nodes + 1},
	};
	struct artifact_section table[N_SECTIONS + CANON_SECTIONS + 4] = {0};
	const void *data[N_SECTIONS + CANON_SECTIONS + 2];
	struct canon_section more[CANON_SECTIONS + 2];  // behind those that are always there
	size_t origin_len = v->origin ? strlen(v->origin) : 0, added_len;
	const void *added = write_added(v, &arena, &added_len);
	const struct {
		uint32_t id;
		size_t len;
		const void *data;
	} last[2] = {{VOCAB_SECTION_ORIGIN, origin_len, v->origin}, {VOCAB_SECTION_ADDED, added_len, added}};
	uint32_t n_more = 0;
	if (v->n_rows)
		more[n_more++] = (struct canon_section){VOCAB_SECTION_ROWS, v->rows,
		                                        v->n_rows * BITMAP_WORDS(v->n_tokens) * sizeof *v->rows};
	if (v->n_lists) more[n_more++] = (struct canon_section){VOCAB_SECTION_LISTS, v->lists, v->n_lists};
	for (uint32_t i = 0; i < v->n_canonical; i++) more[n_more++] = v->canonical[i];
	const uint32_t n = N_SECTIONS + n_more, n_sections = n + (origin_len > 0) + (added_len > 0);
	struct vocab_file_header header = {.version = VOCAB_VERSION, .n_sections = n_sections};
	uint64_t end = sizeof header + n_sections * sizeof *table;
	ASSERT(origin_len <= MAX_ORIGIN);
	for (uint32_t i = 0; i < n; i++) {
		const struct canon_section *c = i < N_SECTIONS ? NULL : &more[i - N_SECTIONS];
		uint64_t size = c ? c->size : content[i].n * section[i].element, at = align_up(end);
		data[i] = c ? c->bytes : content[i].data;
		table[i] = (struct artifact_section){.id = c ? c->id : section[i].id,
		                                     .codec = ARTIFACT_RAW,
		                                     .offset = at,
		                                     .stored = size,
		                                     .size = size,
		                                     .check = XXH3_64bits(size ? data[i] : "", size)};
		end = at + size;
	}
	for (uint32_t i = 0, k = n; i < 2; i++) {
		if (!last[i].len) continue;
		uint64_t at = align_up(end);
		table[k++] = (struct artifact_section){.id = last[i].id,
		                                       .codec = ARTIFACT_RAW,
		                                       .offset = at,
		                                       .stored = last[i].len,
		                                       .size = last[i].len,
		                                       .check = XXH3_64bits(last[i].data, last[i].len)};
		end = at + last[i].len;
	}
	memcpy(header.magic, VOCAB_MAGIC, sizeof header.magic);
	memcpy(header.vocab_hash, v->hash, sizeof header.vocab_hash);
	header.file_size = end;
	header.table_check = table_check(header, table);
	uint8_t *file = mem_calloc(1, end);
	memcpy(file, &header, sizeof header);
	memcpy(file + sizeof header, table, n_sections * sizeof *table);
	for (uint32_t i = 0, k = n; i < 2; i++)
		if (last[i].len) memcpy(file + table[k++].offset, last[i].data, last[i].len);
	for (uint32_t i = 0; i < n; i++)
		if (table[i].size) memcpy(file + table[i].offset, data[i], table[i].size);
	bool good = file_replace(path, file, end, d);
	free(file);
	arena_release(&arena);
	return good;
}

bool gcdv_is(const void *data, size_t len) { return len >= 8 && !memcmp(data, VOCAB_MAGIC, 8); }

struct reader {
	struct canon_section canonical[CANON_SECTIONS];
	uint32_t n_canonical;
	const char *path;
	const uint8_t *data;
	size_t len;
	struct diag *d;
	const uint8_t *at[N_SECTIONS];
	uint64_t n[N_SECTIONS];  // elements
	struct canon_section rows, lists;
	uint64_t standard_check;  // the sum of theirs
	const char *origin;       // origin_len bytes, or NULL
	size_t origin_len;
	const uint8_t *added;  // the section, or NULL
	size_t added_len;
};

#define REFUSE(r, ...) (diag_error((r)->d, (struct loc){0}, __VA_ARGS__), false)

static bool read_header(struct reader *r, struct vocab_file_header *h)
{
	if (r->len < sizeof *h)
		return REFUSE(r, "\"%s\" has %zu bytes; a compiled vocabulary has at least %zu", r->path, r->len, sizeof *h);
	memcpy(h, r->data, sizeof *h);
	if (!gcdv_is(r->data, r->len)) return REFUSE(r, "\"%s\" is not a compiled vocabulary (wrong first bytes)", r->path);
	if (h->version < VOCAB_OLDEST_VERSION || h->version > VOCAB_VERSION)
		return REFUSE(r, "\"%s\" has format version %u; this gcdc reads %u to %u", r->path, h->version,
		              VOCAB_OLDEST_VERSION, VOCAB_VERSION);
	if (h->flags || h->reserved || h->reserved2)
		return REFUSE(r, "\"%s\" uses features that this gcdc does not know", r->path);
	if (h->file_size != r->len)
		return REFUSE(r, "\"%s\" has %zu bytes, but was written with %llu; was it cut off?", r->path, r->len,
		              (unsigned long long)h->file_size);
	if (h->n_sections > MAX_FILE_SECTIONS || sizeof *h + h->n_sections * sizeof(struct artifact_section) > r->len)
		return REFUSE(r, "\"%s\" is damaged: %u sections", r->path, h->n_sections);
	if (table_check(*h, (const struct artifact_section *)(const void *)(r->data + sizeof *h)) != h->table_check)
		return REFUSE(r, "\"%s\" is damaged: the checksum of its table is wrong", r->path);
	return true;
}

// Padding, which no checksum covers.
static bool is_zero(const struct reader *r, uint64_t from, uint64_t to)
{
	while (from < to && !r->data[from]) from++;
	return from >= to;
}

// Branches: one rule for where a section lies, then one case for each group of sections.
static bool read_section(struct reader *r, const struct artifact_section *s, uint32_t *known, uint64_t *end)
{
	if (s->codec != ARTIFACT_RAW || s->stored != s->size)
		return REFUSE(r, "\"%s\": section %u is not stored raw", r->path, s->id);
	if (s->offset != align_up(*end) || s->offset > r->len || s->stored > r->len - s->offset)
		return REFUSE(r, "\"%s\": section %u does not begin and end where it has to in the file", r->path, s->id);
	if (!is_zero(r, *end, s->offset)) return REFUSE(r, "\"%s\" is damaged: padding is not zero", r->path);
	*end = s->offset + s->stored;
	if (XXH3_64bits(r->data + s->offset, s->size) != s->check)
		return REFUSE(r, "\"%s\" is damaged: the checksum of section %u is wrong", r->path, s->id);
	if (s->id == VOCAB_SECTION_ADDED) r->added = r->data + s->offset, r->added_len = s->size;
	if (s->id == VOCAB_SECTION_ORIGIN) r->origin = (const char *)r->data + s->offset, r->origin_len = s->size;
	if (s->id >= 1u << 16) return true;
	if (s->id == VOCAB_SECTION_ROWS && *known == N_SECTIONS) {
		r->rows = (struct canon_section){s->id, r->data + s->offset, s->size};
		r->standard_check += s->check;
		return true;
	}
	if (s->id == VOCAB_SECTION_LISTS && *known == N_SECTIONS) {
		r->lists = (struct canon_section){s->id, r->data + s->offset, s->size};
		r->standard_check += s->check;
		return true;
	}
	if (s->id >= SECTION_CANON && s->id < SECTION_CANON + CANON_SECTIONS && *known == N_SECTIONS) {
		if (s->id != SECTION_CANON + r->n_canonical)
			return REFUSE(r, "\"%s\": section %u is out of order, or one before it is missing", r->path, s->id);
		r->canonical[r->n_canonical++] = (struct canon_section){s->id, r->data + s->offset, s->size};
		return true;
	}
	if (*known == N_SECTIONS || s->id != section[*known].id)
		return REFUSE(r, "\"%s\": section %u is unknown or out of order", r->path, s->id);
	if (s->size % section[*known].element)
		return REFUSE(r, "\"%s\": section %s has a part of an element", r->path, section[*known].name);
	r->at[*known] = r->data + s->offset, r->n[*known] = s->size / section[*known].element;
	++*known;
	return true;
}

// Without the section: the control tokens, without names.
static void list_control(struct vocab *v)
{
	struct vocab_added *added = arena_array(&v->arena, v->n_tokens, sizeof *added);
	v->added = added;
	for (token_id t = 0; t < v->n_tokens; t++)
		if (v->kind[t] == TOKEN_CONTROL) added[v->n_added++].id = t;
}

// Names are copied: they end in NUL here. False: an entry breaks what formats/vocab.md says.
static bool read_names(const struct reader *r, uint32_t n, uint64_t names_at, struct vocab *v)
{
	const uint64_t room = r->added_len - names_at;
	const char *names = (const char *)r->added + names_at;
	struct vocab_added *added = arena_array(&v->arena, n, sizeof *added);
	uint32_t from = 0, n_control = 0;
	for (token_id t = 0; t < v->n_tokens; t++) n_control += v->kind[t] == TOKEN_CONTROL;
	for (uint32_t i = 0; i < n; i++) {
		struct vocab_file_added x;
		memcpy(&x, r->added + 8 + i * sizeof x, sizeof x);
		bool good = x.id < v->n_tokens && (!i || x.id > added[i - 1].id) && x.end >= from && x.end <= room;
		if (!good || v->kind[x.id] == TOKEN_UNUSED || memchr(names + from, 0, x.end - from)) return false;
		added[i].id = x.id;
		if (x.end > from) added[i].name = arena_strndup(&v->arena, names + from, x.end - from);
		n_control -= v->kind[x.id] == TOKEN_CONTROL;
		from = x.end;
	}
	v->added = added, v->n_added = n;
	return !n_control && from == room;
}

static bool read_added(const struct reader *r, struct vocab *v)
{
	uint32_t head[2];
	if (!r->added) {
		list_control(v);
		return true;
	}
	if (r->added_len < sizeof head || r->added_len > MAX_ADDED_BYTES) return false;
	memcpy(head, r->added, sizeof head);
	uint64_t names_at = sizeof head + (uint64_t)head[0] * sizeof(struct vocab_file_added);
	return !head[1] && names_at <= r->added_len && read_names(r, head[0], names_at, v);
}

static bool read_sections(struct reader *r, const struct vocab_file_header *h)
{
	const struct artifact_section *table = (const void *)(r->data + sizeof *h);
	uint64_t end = sizeof *h + h->n_sections * sizeof *table;
	uint32_t known = 0;
	for (uint32_t i = 0; i < h->n_sections; i++) {
		if (i && table[i].id <= table[i - 1].id)
			return REFUSE(r, "\"%s\": sections are not in the order of their ids", r->path);
		if (!read_section(r, &table[i], &known, &end)) return false;
	}
	if (r->len != end) return REFUSE(r, "\"%s\" is damaged: something follows the last section", r->path);
	if (known != N_SECTIONS) return REFUSE(r, "\"%s\": section %s is missing", r->path, section[known].name);
	if (r->n_canonical && (r->n_canonical != CANON_SECTIONS || r->canonical[0].size != sizeof(struct artifact_canon)))
		return REFUSE(r, "\"%s\": the sections of canonical tokenization are incomplete", r->path);
	return true;
}

static bool read_info(const struct reader *r, struct vocab_file_info *info)
{
	if (r->n[INFO] != 1) return REFUSE(r, "\"%s\": section INFO has the wrong size", r->path);
	memcpy(info, r->at[INFO], sizeof *info);
	const uint64_t want[N_SECTIONS] = {[INFO] = 1,
	                                   [NAME] = r->n[NAME],
	                                   [EOS] = info->n_eos,
	                                   [OFFSET] = (uint64_t)info->n_tokens + 1,
	                                   [BYTES] = info->n_bytes,
	                                   [KIND] = info->n_tokens,
	                                   [TOKEN_OF] = info->n_ranks,
	                                   [TRIE_BYTE] = info->n_nodes,
	                                   [TRIE_END] = info->n_nodes,
	                                   [TRIE_RANK] = (uint64_t)info->n_nodes + 1};
	for (uint32_t i = 0; i < N_SECTIONS; i++)
		if (r->n[i] != want[i]) return REFUSE(r, "\"%s\": section %s has the wrong size", r->path, section[i].name);
	if (r->n[NAME] > MAX_NAME || memchr(r->at[NAME], 0, r->n[NAME]))
		return REFUSE(r, "\"%s\": the vocabulary's name is too long, or holds a NUL byte", r->path);
	if (r->origin_len > MAX_ORIGIN || (r->origin && memchr(r->origin, 0, r->origin_len)))
		return REFUSE(r, "\"%s\": section ORIGIN is not a text of at most %u bytes", r->path, MAX_ORIGIN);
	if (info->reserved[0] || info->reserved[1] || !info->n_nodes)
		return REFUSE(r, "\"%s\": section INFO is malformed", r->path);
	return true;
}

// What the sections say, not checked yet.
static struct vocab vocab_of(const struct reader *r, const struct vocab_file_info *info)
{
	return (struct vocab){.n_tokens = info->n_tokens,
	                      .offset = (const void *)r->at[OFFSET],
	                      .bytes = r->at[BYTES],
	                      .kind = r->at[KIND],
	                      .n_eos = info->n_eos,
	                      .eos = (const void *)r->at[EOS],
	                      .n_ranks = info->n_ranks,
	                      .token_of = (const void *)r->at[TOKEN_OF],
	                      .max_token_len = info->max_token_len,
	                      .trie = {.n_nodes = info->n_nodes,
	                               .byte = r->at[TRIE_BYTE],
	                               .end = (const void *)r->at[TRIE_END],
	                               .rank = (const void *)r->at[TRIE_RANK]}};
}

// The first broken promise, or NULL.
static const char *find_broken(const struct vocab *v, const struct vocab_file_info *info)
{
	if (info->max_token_len > VOCAB_MAX_TOKEN_LEN) return "max_token_len is above VOCAB_MAX_TOKEN_LEN";
	if (v->offset[v->n_tokens] != info->n_bytes) return "the last token does not end where the bytes end";
	const char *broken = vocab_check(v);
	if (broken) return broken;
	uint64_t hash[2];
	vocab_hash_of(v, hash);
	return hash[0] == v->hash[0] && hash[1] == v->hash[1] ? NULL : "its hash is not that of its tokens";
}

static bool take_vocab(const struct reader *r, const struct vocab_file_header *h, const struct vocab_file_info *info,
                       struct vocab *v)
{
	*v = vocab_of(r, info);
	uint64_t row = BITMAP_WORDS(v->n_tokens) * sizeof *v->rows, n_rows = row ? r->rows.size / row : 0;
	if (r->rows.size != n_rows * row || n_rows > VOCAB_MAX_ROWS)
		return REFUSE(r, "\"%s\": section ROWS has not the size of at most %u bitmaps of tokens", r->path,
		              VOCAB_MAX_ROWS);
	if (r->lists.size > VOCAB_MAX_LISTS)
		return REFUSE(r, "\"%s\": section LISTS has more than %u bytes", r->path, VOCAB_MAX_LISTS);
	if (r->lists.size) v->lists = r->lists.bytes, v->n_lists = (uint32_t)r->lists.size;
	v->standard_check = r->standard_check;
	if (n_rows) v->rows = r->rows.bytes, v->n_rows = (uint32_t)n_rows;
	memcpy(v->hash, h->vocab_hash, sizeof v->hash);
	v->n_canonical = r->n_canonical;
	memcpy(v->canonical, r->canonical, sizeof v->canonical);
	const char *broken = find_broken(v, info);
	return !broken || REFUSE(r, "\"%s\" is malformed: %s", r->path, broken);
}

// From the bytes of a .gcdv. The vocabulary points into data, which stays the caller's.
static bool read_all(const char *path, const void *data, size_t len, struct diag *d, struct vocab *v)
{
	*v = (struct vocab){0};
	struct reader reader = {.path = path, .data = data, .len = len, .d = d}, *r = &reader;
	struct vocab_file_header h;
	struct vocab_file_info info;
	ASSERT((uintptr_t)data % 8 == 0);
	if (len > VOCAB_MAX_FILE)
		return REFUSE(r, "\"%s\" is larger than the limit for a vocabulary (VOCAB_MAX_FILE)", path);
	if (!read_header(r, &h) || !read_sections(r, &h) || !read_info(r, &info)) return false;
	if (!take_vocab(r, &h, &info, v)) {
		*v = (struct vocab){0};
		return false;
	}
	if (!read_added(r, v)) {
		arena_release(&v->arena);
		*v = (struct vocab){0};
		return REFUSE(r, "\"%s\": section ADDED is not a list of tokens and names", path);
	}
	trie_describe(v);
	v->name = arena_strndup(&v->arena, (const char *)r->at[NAME], r->n[NAME]);
	if (r->origin) v->origin = arena_strndup(&v->arena, r->origin, r->origin_len);
	return true;
}

static bool gcdv_open(const char *path, const void *data, size_t len, struct diag *d, struct vocab *v)
{
	if (read_all(path, data, len, d, v)) return true;
	diag_note(d, (struct loc){0}, "make it again: gcdc vocab TOKENIZER -o FILE.gcdv");
	return false;
}

bool vocab_open_memory(const void *data, size_t len, struct diag *d, struct vocab *v)
{
	// The bytes may lie anywhere; the sections are used as arrays of u32.
	*v = (struct vocab){0};
	struct arena arena = {0};
	void *copy = arena_alloc(&arena, len);
	if (len) memcpy(copy, data, len);
	if (!gcdv_open("<memory>", copy, len, d, v)) {
		arena_release(&arena);
		return false;
	}
	char *name = arena_strndup(&arena, v->name, strlen(v->name));
	char *origin = v->origin ? arena_strndup(&arena, v->origin, strlen(v->origin)) : NULL;
	const struct vocab_added *added = vocab_copy_added(v, 0, &arena);
	arena_release(&v->arena);
	v->arena = arena, v->name = name, v->origin = origin, v->added = added;
	trie_describe(v);
	return true;
}

bool gcdv_map(const char *path, struct diag *d, struct vocab *v)
{
	*v = (struct vocab){0};
	struct loc nowhere = {0};
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st)) {
		diag_error(d, nowhere, "cannot read \"%s\": %s", path, strerror(errno));
		if (fd >= 0) close(fd);
		return false;
	}
	if (!S_ISREG(st.st_mode)) {
		diag_error(d, nowhere, "cannot read \"%s\": it is not a regular file", path);
		close(fd);
		return false;
	}
	size_t len = st.st_size > 0 ? (size_t)st.st_size : 0;
	void *data = len ? mmap(NULL, len, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0) : MAP_FAILED;
	close(fd);
	if (data == MAP_FAILED) {
		diag_error(d, nowhere, "cannot map \"%s\": %s", path, len ? strerror(errno) : "the file is empty");
		return false;
	}
	struct vocab mapped = {.mapping = data, .mapping_len = len};
	struct work_cleanup c;
	work_cleanup(&c, vocab_unmap, &mapped);
	bool ok = gcdv_open(path, data, len, d, v);
	work_cleanup_end(&c);
	if (!ok)
		munmap(data, len);
	else
		v->mapping = data, v->mapping_len = len;
	return ok;
}

void vocab_unmap(void *vocab)
{
	struct vocab *v = vocab;
	if (v->mapping) munmap(v->mapping, v->mapping_len);
	v->mapping = NULL;
}

void vocab_release(struct vocab *v)
{
	vocab_unmap(v);
	arena_release(&v->arena);
	*v = (struct vocab){0};
}
