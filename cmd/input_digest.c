// Inputs of a build step -> a digest that decides whether the step is to be done again.
//
// In:  this program's own file, input files, texts. Out: XXH3-128 in hexadecimal.
// Names count without their folders, so that the same inputs elsewhere have the same digest. Times do not count. The
// digest protects from forgetting a change, not from forgery; provenance has SHA-256 (provenance.h).
// Cost: a pass of XXH3 over mapped files, 5 ms for 40 MB that the system has in memory.
#include "input_digest.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/intern.h"
#include "cli.h"
#include "vocab/vocab.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

// The file's XXH3-128 and size. False with errno set.
static bool hash_now(const char *path, XXH128_hash_t *hash, uint64_t *size)
{
	struct stat s;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) return false;
	bool ok = !fstat(fd, &s);
	if (ok && !S_ISREG(s.st_mode)) ok = false, errno = EINVAL;
	size_t len = ok ? (size_t)s.st_size : 0;
	void *bytes = len ? mmap(NULL, len, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0) : NULL;
	if (bytes == MAP_FAILED) ok = false;
	if (ok) *hash = XXH3_128bits(len ? bytes : "", len), *size = len;
	if (bytes && bytes != MAP_FAILED) munmap(bytes, len);
	int error = errno;
	close(fd);
	errno = error;
	return ok;
}

static struct intern known;
static VEC(struct {
	XXH128_hash_t hash;
	uint64_t size;
	int error;
}) results;

void digest_forget(void)
{
	intern_release(&known);
	vec_release(&results);
}

// The same, once a file: a plan is of one moment, and many artifacts are checked with the same texts.
static bool hash_file(const char *path, XXH128_hash_t *hash, uint64_t *size)
{
	bool is_new;
	uint32_t id = intern_add(&known, path, strlen(path), &is_new);
	if (is_new) {
		vec_push(&results, ((typeof(*results.at)){.size = 0}));
		if (!hash_now(path, &results.at[id].hash, &results.at[id].size)) results.at[id].error = errno;
	}
	*hash = results.at[id].hash, *size = results.at[id].size;
	errno = results.at[id].error;
	return !errno;
}

// Of the running program: another compiler makes other artifacts, also under the same version.
static XXH128_hash_t program_hash(void)
{
	static XXH128_hash_t hash;
	static bool is_known;
	uint64_t size;
	if (!is_known && !hash_now("/proc/self/exe", &hash, &size)) hash = XXH3_128bits(GCDC_VERSION, strlen(GCDC_VERSION));
	is_known = true;
	return hash;
}

static void show_hash(XXH128_hash_t hash, char hex[DIGEST_HEX])
{
	snprintf(hex, DIGEST_HEX, "%016llx%016llx", (unsigned long long)hash.high64, (unsigned long long)hash.low64);
}

void digest_program(char hex[DIGEST_HEX]) { show_hash(program_hash(), hex); }

void digest_bytes(struct input_digest *d, const void *bytes, size_t len)
{
	uint64_t n = len;
	XXH3_128bits_update(d->hash, &n, sizeof n);
	if (len) XXH3_128bits_update(d->hash, bytes, len);
}

void digest_text(struct input_digest *d, const char *text) { digest_bytes(d, text, strlen(text)); }

void digest_begin(struct input_digest *d)
{
	d->hash = XXH3_createState();
	ASSERT(d->hash);
	XXH3_128bits_reset(d->hash);
	XXH128_hash_t program = program_hash();
	digest_bytes(d, &program, sizeof program);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static void digest_hashed(struct input_digest *d, const char *path, XXH128_hash_t hash, uint64_t size)
{
	digest_text(d, base_name(path));
	digest_bytes(d, &size, sizeof size);
	digest_bytes(d, &hash, sizeof hash);
}

// A file: its name without folders, and what is in it.
static void digest_content(struct input_digest *d, const char *path, const void *bytes, size_t len)
{
	digest_hashed(d, path, XXH3_128bits(len ? bytes : "", len), len);
}

bool digest_file(struct input_digest *d, const char *path)
{
	XXH128_hash_t hash;
	uint64_t size;
	if (hash_file(path, &hash, &size)) {
		digest_hashed(d, path, hash, size);
		return true;
	}
	int error = errno;
	digest_text(d, base_name(path)), digest_text(d, strerror(error));
	errno = error;
	return false;
}

void digest_end(struct input_digest *d, char hex[DIGEST_HEX])
{
	show_hash(XXH3_128bits_digest(d->hash), hex);
	XXH3_freeState(d->hash);
	d->hash = NULL;
}

void digest_sources(const struct source *const *sources, uint32_t n, char hex[DIGEST_HEX])
{
	struct input_digest d;
	digest_begin(&d);
	for (uint32_t i = 0; i < n; i++) {
		bool again = false;
		for (uint32_t k = 0; k < i && !again; k++) again = !strcmp(sources[k]->path, sources[i]->path);
		if (!again) digest_content(&d, sources[i]->path, sources[i]->text, sources[i]->len);
	}
	digest_end(&d, hex);
}

void digest_files(const char *const *paths, uint32_t n, char hex[DIGEST_HEX])
{
	struct input_digest d;
	digest_begin(&d);
	for (uint32_t i = 0; i < n; i++) {
		bool again = false;
		for (uint32_t k = 0; k < i && !again; k++) again = !strcmp(paths[k], paths[i]);
		if (!again) digest_file(&d, paths[i]);
	}
	digest_end(&d, hex);
}

void digest_tokenizer(const char *path, char hex[DIGEST_HEX])
{
	struct arena arena = {0};
	struct input_digest d;
	const char *files[VOCAB_MAX_FILES];
	uint32_t n = path ? vocab_files(path, &arena, files) : 0;
	digest_begin(&d);
	for (uint32_t i = 0; i < n; i++) digest_file(&d, files[i]);
	digest_end(&d, hex);
	arena_release(&arena);
}

bool digest_is_expected(const char *command, const char *what, const char *expected, const char *hex)
{
	if (!strcmp(expected, hex)) return true;
	cli_error(CODE_DATA, command, "%s: changed since the build was planned: expected %s, it is %s now", what, expected,
	          hex);
	cli_note(command, "run 'gcdc build' again");
	return false;
}
