// A folder's catalog, and its artifacts as they are asked for.
//
// In:  gcdc.catalog (formats/catalog.md), in an OCI image layout the catalog among its blobs (layout.c). Out: artifacts
// by (grammar's name, tokenizer's hash). Their bytes, and those of their vocabularies, have the SHA-256 that the
// catalog says: it is taken of what is mapped, so that nothing is replaced in between.
// What was read is a snapshot: the text, its entries sorted, an artifact for each that has been opened. A refresh makes
// a new one, which takes over what has not changed, and puts it into the old one's place; whoever is opening an
// artifact of the old one holds that. A lock guards the pointer and the opened artifacts, never a file. Refreshes go
// one after another: one that began earlier must not put an older state in the place of a newer one.
// Cost: reading is linear, plus sorting what is not sorted; a look-up is a binary search. Opening adds 4 ns a byte for
// the artifact's SHA-256. A vocabulary's is taken once: while one artifact with it is open, the next ones' is compared
// with that.
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "../include/gcdc/catalog.h"
#include "../shared/catalog_text.h"
#include "layout.h"

#define CATALOG_NAME "gcdc.catalog"
#define MAX_CATALOG ((size_t)1 << 30)
#define MAX_FIELD 4096u
#define SHA256_DIGITS (SHA256_HEX - 1)
#define MIN_LINE 100u  // bytes: hashes and tabs

struct entry {
	const char *grammar, *tokenizer, *sha256, *path, *vocab;  // in the text; vocab NULL: the artifact has its own
	const char *vocab_sha256;                                 // the same text for all artifacts with this vocabulary
	uint64_t vocab_hash[2];
	gcdc_artifact *artifact;  // guarded by the lock; NULL: not opened yet
};

struct snapshot {
	uint32_t holders;
	char *text, *folder;
	struct entry *entries;
	size_t n;
	bool is_layout;
	struct stat is;  // of the file that was read: the catalog, a layout's index
};

struct gcdc_catalog {
	gcdc_memory memory;
	pthread_mutex_t refreshing;  // held by the one refresh that is going on; taken before `lock`
	pthread_mutex_t lock;
	struct snapshot *now;
	char folder[];
};

static gcdc_status no_memory(gcdc_refusal *why) { return refuse(why, GCDC_ERR_MEMORY, GCDC_NONE, 0, "no memory"); }

// ---- Reading

struct catalog_reading {
	const gcdc_memory *memory;
	gcdc_refusal *why;
	struct snapshot *s;
	const char *path;
	const char *sha256;  // that the text must have; NULL: any
	size_t line, n_vocabs;
	struct entry *vocabs;  // vocabularies: path, sha256, vocab_hash
};

static gcdc_status bad_line(struct catalog_reading *r, const char *what)
{
	return refuse(r->why, GCDC_ERR_FORMAT, GCDC_NONE, 0, "%.120s:%zu: %s", r->path, r->line, what);
}

// Fields up to the line's end, each a text; how many there are, MOST + 1 when there are more.
static size_t fields_of(char *line, char **fields, size_t most)
{
	size_t n = 0;
	for (char *at = line; at; n++) {
		if (n == most) return most + 1;
		fields[n] = at;
		at = strchr(at, '\t');
		if (at) *at++ = 0;
		if (strlen(fields[n]) > MAX_FIELD || !*fields[n]) return most + 1;
	}
	return n;
}

static void read_hash(const char *hex, uint64_t hash[2])
{
	char half[17] = {0};
	hash[0] = strtoull(hex + 16, NULL, 16);
	hash[1] = strtoull(memcpy(half, hex, 16), NULL, 16);
}

static gcdc_status take_line(struct catalog_reading *r, char *line)
{
	char *f[7];
	const size_t n = fields_of(line, f, 7);
	const bool is_artifact = !strcmp(f[0], "artifact"), is_vocab = !strcmp(f[0], "vocabulary");
	if (!(is_artifact && n == 7) && !(is_vocab && n == 5))
		return bad_line(r, "this is neither an artifact with 7 fields nor a vocabulary with 5");
	char **rest = f + (is_artifact ? 2 : 1);
	if (!catalog_is_hex(rest[1], 32) || !catalog_is_hex(rest[2], SHA256_DIGITS))
		return bad_line(r, "a field is not the hash, or not the SHA-256, that it has to be");
	const char *vocab = is_artifact && strcmp(f[6], "-") ? f[6] : NULL;
	if (!catalog_is_path(rest[3]) || (vocab && !catalog_is_path(vocab)))
		return bad_line(r, "the path leads out of the folder");
	struct entry *e = is_artifact ? &r->s->entries[r->s->n++] : &r->vocabs[r->n_vocabs++];
	*e = (struct entry){
		.grammar = is_artifact ? f[1] : "", .tokenizer = rest[0], .sha256 = rest[2], .path = rest[3], .vocab = vocab};
	read_hash(rest[1], e->vocab_hash);
	return GCDC_OK;
}

static int compare(const char *grammar, const uint64_t hash[2], const struct entry *e)
{
	const int by_name = strcmp(grammar, e->grammar);
	if (by_name) return by_name;
	for (int i = 1; i >= 0; i--)
		if (hash[i] != e->vocab_hash[i]) return hash[i] < e->vocab_hash[i] ? -1 : 1;
	return 0;
}

static int by_key(const void *a, const void *b)
{
	const struct entry *x = a;
	return compare(x->grammar, x->vocab_hash, b);
}

// The lines between the first and the last, which says how many they are.
static gcdc_status take_lines(struct catalog_reading *r, char *text, size_t n_lines)
{
	gcdc_status status = GCDC_OK;
	size_t told = 0;
	int end = 0;
	for (char *next; !status; text = next) {
		char *stop = strchr(text, '\n');
		if (!stop) return bad_line(r, "the catalog ends here, without its last line");
		*stop = 0, next = stop + 1;
		r->line++;
		if (!strncmp(text, "end\t", 4)) {
			if (sscanf(text, "end\t%zu%n", &told, &end) != 1 || text[end] || told != n_lines - 2 || *next)
				status = bad_line(r, "the last line names another number of lines, or something follows it");
			return status;
		}
		status = take_line(r, text);
	}
	return status;
}

static int by_path(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	return strcmp(x->path, y->path);
}

// Each artifact's vocabulary among those that are named.
static gcdc_status join_vocabs(struct catalog_reading *r)
{
	qsort(r->vocabs, r->n_vocabs, sizeof *r->vocabs, by_path);
	for (size_t k = 1; k < r->n_vocabs; k++)
		if (!by_path(&r->vocabs[k - 1], &r->vocabs[k])) return bad_line(r, "a vocabulary has two lines");
	for (size_t i = 0; i < r->s->n; i++) {
		struct entry *e = &r->s->entries[i];
		if (i && !by_key(e - 1, e)) return bad_line(r, "a grammar has two artifacts for one tokenizer");
		if (!e->vocab) continue;
		const struct entry key = {.path = e->vocab},
						   *found = bsearch(&key, r->vocabs, r->n_vocabs, sizeof *r->vocabs, by_path);
		if (!found) return bad_line(r, "an artifact's vocabulary has no line");
		e->vocab_sha256 = found->sha256;
	}
	return GCDC_OK;
}

static gcdc_status parse(struct catalog_reading *r, char *text, size_t len)
{
	size_t n_lines = 0;
	for (size_t i = 0; i < len; i++) n_lines += text[i] == '\n';
	r->line = 1;
	if (len < 15 || memcmp(text, "gcdc catalog ", 13) || memchr(text, 0, len)) return bad_line(r, "this is no catalog");
	if (memcmp(text + 13, "1\n", 2) != 0)
		return refuse(r->why, GCDC_ERR_VERSION, GCDC_NONE, 0,
		              "%.120s is a catalog of another version than 1, the only one that is read", r->path);
	if (n_lines < 2) return bad_line(r, "the catalog ends here, without its last line");
	if (n_lines > len / MIN_LINE + 2) return bad_line(r, "the lines are too short for a catalog");
	r->s->entries = memory_resize(r->memory, NULL, 1, n_lines * sizeof *r->s->entries);
	r->vocabs = memory_resize(r->memory, NULL, 1, n_lines * sizeof *r->vocabs);
	if (!r->s->entries || !r->vocabs) return no_memory(r->why);
	gcdc_status status = take_lines(r, text + 15, n_lines);
	if (status) return status;
	qsort(r->s->entries, r->s->n, sizeof *r->s->entries, by_key);
	return join_vocabs(r);
}

// ---- Snapshots

static void snapshot_drop(const gcdc_memory *m, struct snapshot *s)
{
	if (!s || __atomic_fetch_sub(&s->holders, 1, __ATOMIC_ACQ_REL) != 1) return;
	for (size_t i = 0; i < s->n; i++) gcdc_artifact_close(s->entries[i].artifact);
	memory_free(m, s->entries);
	memory_free(m, s->text);
	memory_free(m, s->folder);
	memory_free(m, s);
}

// FOLDER/NAME in memory of the catalog; NULL: none.
static char *join(const gcdc_memory *m, const char *folder, const char *name)
{
	const size_t n = strlen(folder), size = n + strlen(name) + 2;
	char *path = memory_resize(m, NULL, 1, size);
	if (path) snprintf(path, size, "%s%s%s", folder, n && folder[n - 1] == '/' ? "" : "/", name);
	return path;
}

static gcdc_status check_sha256(const void *bytes, size_t len, const char *sha256, const char *path, gcdc_refusal *why)
{
	char is[SHA256_HEX];
	sha256_hex_of(bytes, len, is);
	if (!memcmp(is, sha256, SHA256_HEX)) return GCDC_OK;
	return refuse(why, GCDC_ERR_FORMAT, GCDC_NONE, 0, "%.90s: other bytes than the catalog says: its SHA-256 is %s",
	              path, is);
}

static gcdc_status read_text(struct catalog_reading *r)
{
	const void *bytes;
	size_t len;
	gcdc_status status = file_map(r->path, &bytes, &len, r->why);
	if (status) return status;
	if (len > MAX_CATALOG)
		status = bad_line(r, "the catalog has more than 1 GiB");
	else if (!(r->s->text = memory_resize(r->memory, NULL, 1, len + 1)))
		status = no_memory(r->why);
	else
		memcpy(r->s->text, bytes, len);
	munmap((void *)(uintptr_t)bytes, len);
	if (!status && r->sha256) status = check_sha256(r->s->text, len, r->sha256, r->path, r->why);
	if (status) return status;
	r->s->text[len] = 0;
	return parse(r, r->s->text, len);
}

// The file that tells whether there is something new.
static char *watched(const gcdc_memory *m, const char *folder, bool is_layout)
{
	return join(m, folder, is_layout ? LAYOUT_INDEX : CATALOG_NAME);
}

// What the index of a layout names, or the folder's own catalog.
static gcdc_status read_catalog(struct catalog_reading *r, const char *index)
{
	char sha256[SHA256_HEX], blob[sizeof LAYOUT_BLOBS + SHA256_HEX];
	r->path = index;
	// Looked at before it is read: a newer one that comes in between is read now, and once more by the next refresh.
	if (stat(index, &r->s->is))
		return refuse(r->why, GCDC_ERR_IO, GCDC_NONE, 0, "cannot open %.120s: %s", index, strerror(errno));
	if (!r->s->is_layout) return read_text(r);
	gcdc_status status = layout_find_catalog(r->s->folder, sha256, r->why);
	if (status) return status;
	snprintf(blob, sizeof blob, LAYOUT_BLOBS "%s", sha256);
	char *path = join(r->memory, r->s->folder, blob);
	if (!path) return no_memory(r->why);
	r->path = path, r->sha256 = sha256;
	status = read_text(r);
	memory_free(r->memory, path);
	return status;
}

static gcdc_status read_folder(struct catalog_reading *r, const char *folder)
{
	char resolved[PATH_MAX];
	struct stat s;
	if (!realpath(folder, resolved))
		return refuse(r->why, GCDC_ERR_IO, GCDC_NONE, 0, "cannot open %.120s: %s", folder, strerror(errno));
	char *layout = join(r->memory, resolved, LAYOUT_NAME);
	r->s->folder = join(r->memory, resolved, "");
	r->s->is_layout = layout && !stat(layout, &s);
	char *path = watched(r->memory, resolved, r->s->is_layout);
	const gcdc_status status = path && layout && r->s->folder ? read_catalog(r, path) : no_memory(r->why);
	memory_free(r->memory, path);
	memory_free(r->memory, layout);
	memory_free(r->memory, r->vocabs);
	return status;
}

static gcdc_status snapshot_read(const gcdc_memory *m, const char *folder, struct snapshot **out, gcdc_refusal *why)
{
	struct catalog_reading r = {.memory = m, .why = why, .s = memory_resize(m, NULL, 1, sizeof *r.s)};
	if (!r.s) return no_memory(why);
	*r.s = (struct snapshot){.holders = 1};
	gcdc_status status = read_folder(&r, folder);
	if (status)
		snapshot_drop(m, r.s);
	else
		*out = r.s;
	return status;
}

static struct entry *find(const struct snapshot *s, const char *grammar, const uint64_t hash[2])
{
	size_t low = 0, high = s->n;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (compare(grammar, hash, &s->entries[middle]) > 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->n && !compare(grammar, hash, &s->entries[low]) ? &s->entries[low] : NULL;
}

// ---- The public calls

gcdc_status gcdc_catalog_open(const char *folder, const gcdc_memory *memory, gcdc_catalog **catalog, gcdc_refusal *why)
{
	if (why) *why = (gcdc_refusal){.section = GCDC_NONE};
	if (catalog) *catalog = NULL;
	if (!folder || !catalog) return refuse(why, GCDC_ERR_ARGUMENT, GCDC_NONE, 0, "folder or catalog is NULL");
	const gcdc_memory *m = memory_or_libc(memory);
	struct gcdc_catalog *c = memory_resize(m, NULL, 1, sizeof *c + strlen(folder) + 1);
	if (!c) return no_memory(why);
	*c = (struct gcdc_catalog){.memory = *m};
	strcpy(c->folder, folder);
	gcdc_status status = snapshot_read(&c->memory, folder, &c->now, why);
	if (status) {
		gcdc_memory by = c->memory;
		memory_free(&by, c);
		return status;
	}
	pthread_mutex_init(&c->refreshing, NULL);
	pthread_mutex_init(&c->lock, NULL);
	*catalog = c;
	return GCDC_OK;
}

void gcdc_catalog_close(gcdc_catalog *c)
{
	if (!c) return;
	gcdc_memory memory = c->memory;
	snapshot_drop(&memory, c->now);
	pthread_mutex_destroy(&c->lock);
	pthread_mutex_destroy(&c->refreshing);
	memory_free(&memory, c);
}

// An artifact of this snapshot that is open and has this vocabulary mapped, held for the caller; NULL: none.
static gcdc_artifact *with_vocab(struct gcdc_catalog *c, const struct snapshot *s, const char *vocab_sha256)
{
	gcdc_artifact *found = NULL;
	pthread_mutex_lock(&c->lock);
	for (size_t i = 0; i < s->n && !found; i++) {
		const struct entry *e = &s->entries[i];
		if (e->vocab_sha256 == vocab_sha256 && e->artifact && e->artifact->mapping[1])
			found = gcdc_artifact_retain(e->artifact);
	}
	pthread_mutex_unlock(&c->lock);
	return found;
}

// The bytes that an artifact of the catalog has mapped are those that the catalog names.
static gcdc_status check_opened(struct gcdc_catalog *c, const struct snapshot *s, const struct entry *e,
                                const gcdc_artifact *a, const char *const paths[2], gcdc_refusal *why)
{
	gcdc_status status = check_sha256(a->mapping[0], a->mapping_len[0], e->sha256, paths[0], why);
	if (status || !e->vocab || !a->mapping[1]) return status;
	gcdc_artifact *other = with_vocab(c, s, e->vocab_sha256);
	const bool same = other && other->mapping_len[1] == a->mapping_len[1] &&
	                  !memcmp(other->mapping[1], a->mapping[1], a->mapping_len[1]);
	gcdc_artifact_close(other);
	if (!same) status = check_sha256(a->mapping[1], a->mapping_len[1], e->vocab_sha256, paths[1], why);
	return status;
}

static gcdc_status open_paths(struct gcdc_catalog *c, const struct snapshot *s, const struct entry *e,
                              const char *const paths[2], gcdc_artifact **artifact, gcdc_refusal *why)
{
	const gcdc_open_options options = {.vocab_path = paths[1], .memory = &c->memory};
	gcdc_info info;
	gcdc_status status = gcdc_artifact_open(paths[0], &options, artifact, why);
	if (status) return status;
	gcdc_artifact_info(*artifact, &info);
	if (memcmp(info.vocab_hash, e->vocab_hash, sizeof info.vocab_hash) != 0)
		status = refuse(why, GCDC_ERR_VOCAB, GCDC_NONE, 0, "%.120s is for another tokenizer than the catalog says",
		                paths[0]);
	else
		status = check_opened(c, s, e, *artifact, paths, why);
	if (!status) return GCDC_OK;
	gcdc_artifact_close(*artifact);
	*artifact = NULL;
	return status;
}

static gcdc_status open_file(struct gcdc_catalog *c, const struct snapshot *s, const struct entry *e,
                             gcdc_artifact **artifact, gcdc_refusal *why)
{
	char blob[2][sizeof LAYOUT_BLOBS + SHA256_DIGITS];
	snprintf(blob[0], sizeof blob[0], LAYOUT_BLOBS "%s", e->sha256);
	snprintf(blob[1], sizeof blob[1], LAYOUT_BLOBS "%s", e->vocab ? e->vocab_sha256 : "");
	char *path = join(&c->memory, s->folder, s->is_layout ? blob[0] : e->path),
		 *vocab = e->vocab ? join(&c->memory, s->folder, s->is_layout ? blob[1] : e->vocab) : NULL;
	const char *const paths[2] = {path, vocab};
	const gcdc_status status =
		path && (vocab || !e->vocab) ? open_paths(c, s, e, paths, artifact, why) : no_memory(why);
	memory_free(&c->memory, path);
	memory_free(&c->memory, vocab);
	return status;
}

gcdc_status gcdc_catalog_get(gcdc_catalog *c, const char *grammar, const uint64_t vocab_hash[2],
                             gcdc_artifact **artifact, gcdc_refusal *why)
{
	if (why) *why = (gcdc_refusal){.section = GCDC_NONE};
	if (artifact) *artifact = NULL;
	if (!c || !grammar || !vocab_hash || !artifact)
		return refuse(why, GCDC_ERR_ARGUMENT, GCDC_NONE, 0, "catalog, grammar, hash or artifact is NULL");
	pthread_mutex_lock(&c->lock);
	struct snapshot *s = c->now;
	struct entry *e = find(s, grammar, vocab_hash);
	if (e && e->artifact) *artifact = gcdc_artifact_retain(e->artifact);
	__atomic_fetch_add(&s->holders, 1, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&c->lock);
	gcdc_status status = GCDC_OK;
	if (!e) {
		status = refuse(why, GCDC_REJECTED, GCDC_NONE, 0,
		                "the catalog has no artifact of %.80s for the tokenizer %016llx%016llx", grammar,
		                (unsigned long long)vocab_hash[1], (unsigned long long)vocab_hash[0]);
	} else if (!*artifact && !(status = open_file(c, s, e, artifact, why))) {
		pthread_mutex_lock(&c->lock);
		if (!e->artifact) {
			e->artifact = gcdc_artifact_retain(*artifact);
		} else {  // another thread was faster: one is enough
			gcdc_artifact *own = *artifact;
			*artifact = gcdc_artifact_retain(e->artifact);
			pthread_mutex_unlock(&c->lock);
			gcdc_artifact_close(own);
			pthread_mutex_lock(&c->lock);
		}
		pthread_mutex_unlock(&c->lock);
	}
	snapshot_drop(&c->memory, s);
	return status;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

// Asked by the one refresh that is going on: nobody else puts another snapshot in the place of this one.
static bool has_moved(struct gcdc_catalog *c)
{
	const struct snapshot *now = c->now;
	struct stat s;
	char resolved[PATH_MAX];
	char *path = watched(&c->memory, c->folder, now->is_layout);
	const bool is_same = path && !stat(path, &s) && realpath(c->folder, resolved) && is_same_file(&s, &now->is);
	memory_free(&c->memory, path);
	const size_t n = is_same ? strlen(resolved) : 0;
	return !is_same || strncmp(now->folder, resolved, n) != 0 || strcmp(now->folder + n, "/") != 0;
}

// Is it the same artifact, of the same bytes?
static bool is_same_entry(const struct entry *a, const struct entry *b)
{
	return !strcmp(a->sha256, b->sha256) && !a->vocab == !b->vocab &&
	       (!a->vocab || !strcmp(a->vocab_sha256, b->vocab_sha256));
}

// The new snapshot takes over the opened artifacts whose files are the same, and the old one's place.
static void put_in_place(struct gcdc_catalog *c, struct snapshot *s)
{
	pthread_mutex_lock(&c->lock);
	struct snapshot *old = c->now;
	for (size_t i = 0; i < old->n; i++) {
		const struct entry *from = &old->entries[i];
		struct entry *to = from->artifact ? find(s, from->grammar, from->vocab_hash) : NULL;
		if (to && is_same_entry(from, to)) to->artifact = gcdc_artifact_retain(from->artifact);
	}
	c->now = s;
	pthread_mutex_unlock(&c->lock);
	snapshot_drop(&c->memory, old);
}

gcdc_status gcdc_catalog_refresh(gcdc_catalog *c, bool *changed, gcdc_refusal *why)
{
	struct snapshot *s = NULL;
	if (why) *why = (gcdc_refusal){.section = GCDC_NONE};
	if (changed) *changed = false;
	if (!c) return refuse(why, GCDC_ERR_ARGUMENT, GCDC_NONE, 0, "catalog is NULL");
	pthread_mutex_lock(&c->refreshing);
	const gcdc_status status = has_moved(c) ? snapshot_read(&c->memory, c->folder, &s, why) : GCDC_OK;
	if (s) put_in_place(c, s);
	pthread_mutex_unlock(&c->refreshing);
	if (changed) *changed = s;
	return status;
}

void gcdc_catalog_trim(gcdc_catalog *c)
{
	if (!c) return;
	pthread_mutex_lock(&c->lock);
	for (size_t i = 0; i < c->now->n; i++) {
		gcdc_artifact_close(c->now->entries[i].artifact);
		c->now->entries[i].artifact = NULL;
	}
	pthread_mutex_unlock(&c->lock);
}

size_t gcdc_catalog_count(gcdc_catalog *c)
{
	if (!c) return 0;
	pthread_mutex_lock(&c->lock);
	const size_t n = c->now->n;
	pthread_mutex_unlock(&c->lock);
	return n;
}

bool gcdc_catalog_at(gcdc_catalog *c, size_t i, gcdc_catalog_entry *entry)
{
	if (!c || !entry) return false;
	pthread_mutex_lock(&c->lock);
	const bool is_there = i < c->now->n;
	if (is_there) {
		const struct entry *e = &c->now->entries[i];
		*entry = (gcdc_catalog_entry){.vocab_hash = {e->vocab_hash[0], e->vocab_hash[1]}};
		snprintf(entry->grammar, sizeof entry->grammar, "%s", e->grammar);
		snprintf(entry->tokenizer, sizeof entry->tokenizer, "%s", e->tokenizer);
		memcpy(entry->sha256, e->sha256, SHA256_DIGITS);
	}
	pthread_mutex_unlock(&c->lock);
	return is_there;
}
