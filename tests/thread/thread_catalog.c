// <gcdc/catalog.h> as a server uses it: threads that ask for artifacts and walk with them, while the folder is changed
// and the catalog refreshed. Run under ThreadSanitizer, too.
//
//   thread_catalog [--rounds N] [--threads N]
//
// Two builds of one grammar accept different first tokens. What must hold: every artifact that is handed out is one of
// the two, whole; a matcher goes on with the build that it began with; after a refresh the new one is handed out; a
// moved link changes all artifacts at once.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sha256.h"
#include "gcdc/catalog.h"
#include "gcdc/compile.h"

#define CHECK(c, ...) ((c) ? (void)0 : (fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), exit(1)))
#define N_GRAMMARS 6u
#define N_REFRESHERS 3u

static char folder[64];
static uint64_t vocab_hash[2];
static gcdc_catalog *catalog;
static _Atomic bool is_done;
static _Atomic uint64_t n_handed_out, n_of[2];
static unsigned n_rounds = 40;

static void write_text(const char *path, const void *bytes, size_t len)
{
	char temporary[160];
	snprintf(temporary, sizeof temporary, "%s.new", path);
	FILE *f = fopen(temporary, "wb");
	CHECK(f && fwrite(bytes, 1, len, f) == len && !fclose(f) && !rename(temporary, path), "cannot write %s", path);
}

// A build: grammar i accepts its digit i times, all `first` in front.
static void make_build(const gcdc_vocab *vocab, unsigned build)
{
	char path[128], text[64], lines[4096], hex[SHA256_HEX];
	int len = snprintf(lines, sizeof lines, "gcdc catalog 1\n");
	snprintf(path, sizeof path, "%s/%u", folder, build);
	CHECK(!mkdir(path, 0777), "cannot make %s", path);
	for (unsigned i = 0; i < N_GRAMMARS; i++) {
		gcdc_compiled *c;
		snprintf(text, sizeof text, "%c%u{%u}", build ? 'y' : 'n', i, i + 1);
		const gcdc_input input = {.kind = GCDC_KIND_REGEX, .text = text, .len = strlen(text)};
		CHECK(!gcdc_compile(vocab, &input, NULL, &c, NULL), "%s does not compile", text);
		size_t n;
		const void *bytes = gcdc_compiled_bytes(c, &n);
		sha256_hex(bytes, n, hex);
		snprintf(path, sizeof path, "%s/%u/g%u.gcdc", folder, build, i);
		write_text(path, bytes, n);
		len += snprintf(lines + len, sizeof lines - (size_t)len,
		                "artifact\tg%u\tbuiltin\t%016llx%016llx\t%s\tg%u.gcdc\t-\n", i,
		                (unsigned long long)vocab_hash[1], (unsigned long long)vocab_hash[0], hex, i);
		gcdc_compiled_free(c);
	}
	len += snprintf(lines + len, sizeof lines - (size_t)len, "end\t%u\n", N_GRAMMARS);
	snprintf(path, sizeof path, "%s/%u/gcdc.catalog", folder, build);
	write_text(path, lines, (size_t)len);
}

static void point_to(unsigned build)
{
	char link[128], temporary[128], to[4];
	snprintf(link, sizeof link, "%s/current", folder);
	snprintf(temporary, sizeof temporary, "%s/next", folder);
	snprintf(to, sizeof to, "%u", build);
	CHECK(!symlink(to, temporary) && !rename(temporary, link), "cannot make the link");
}

// Which of the two builds does the matcher belong to? Exactly one of them must accept.
static unsigned build_of(gcdc_matcher *m)
{
	const bool no = gcdc_matcher_accept_bytes(m, "n", 1) == GCDC_OK;
	const bool yes = !no && gcdc_matcher_accept_bytes(m, "y", 1) == GCDC_OK;
	CHECK(no != yes, "an artifact of neither build");
	return yes;
}

static void *serve(void *context)
{
	unsigned which = *(unsigned *)context;
	while (!atomic_load(&is_done)) {
		gcdc_artifact *artifact;
		gcdc_matcher *m;
		gcdc_refusal why;
		char name[8], rest[16];
		unsigned i = which++ % N_GRAMMARS;
		snprintf(name, sizeof name, "g%u", i);
		CHECK(!gcdc_catalog_get(catalog, name, vocab_hash, &artifact, &why), "%s: %s", name, why.what);
		CHECK(!gcdc_matcher_new(artifact, NULL, &m), "no matcher");
		gcdc_artifact_close(artifact);
		atomic_fetch_add(&n_of[build_of(m)], 1);
		for (unsigned k = 0; k <= i; k++) {
			snprintf(rest, sizeof rest, "%u", i);
			CHECK(!gcdc_matcher_accept_bytes(m, rest, 1), "the matcher does not go on as it began");
			if (k < i && which % 7 == 0) usleep(50);
		}
		CHECK(gcdc_matcher_is_completed(m), "the text is not complete");
		gcdc_matcher_free(m);
		atomic_fetch_add(&n_handed_out, 1);
	}
	return NULL;
}

static void *refresh(void *context)
{
	(void)context;
	while (!atomic_load(&is_done)) {
		gcdc_refusal why;
		gcdc_catalog_entry entry;
		CHECK(!gcdc_catalog_refresh(catalog, NULL, &why), "refresh: %s", why.what);
		CHECK(gcdc_catalog_at(catalog, N_GRAMMARS - 1, &entry) && !strcmp(entry.grammar, "g5"), "an entry is missing");
		if (gcdc_catalog_count(catalog) != N_GRAMMARS) exit(1);
	}
	return NULL;
}

static void first_build_is(unsigned build)
{
	gcdc_artifact *artifact;
	gcdc_matcher *m;
	CHECK(!gcdc_catalog_get(catalog, "g3", vocab_hash, &artifact, NULL), "no artifact");
	CHECK(!gcdc_matcher_new(artifact, NULL, &m), "no matcher");
	gcdc_artifact_close(artifact);
	CHECK(build_of(m) == build, "after the refresh the artifact is still the old one");
	gcdc_matcher_free(m);
}

int main(int argc, char **argv)
{
	unsigned n_threads = 4, number[64];
	pthread_t threads[64], refreshers[N_REFRESHERS];
	for (int i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--rounds")) n_rounds = (unsigned)atoi(argv[i + 1]);
		if (!strcmp(argv[i], "--threads")) n_threads = (unsigned)atoi(argv[i + 1]) % 64;
	}
	strcpy(folder, "/tmp/thread_catalog.XXXXXX");
	CHECK(mkdtemp(folder), "no folder");
	gcdc_vocab *vocab;
	CHECK(!gcdc_vocab_open(NULL, NULL, &vocab, NULL), "no vocabulary");
	gcdc_vocab_hash(vocab, vocab_hash);
	make_build(vocab, 0), make_build(vocab, 1);
	gcdc_vocab_close(vocab);
	point_to(0);
	char path[128];
	gcdc_refusal why;
	snprintf(path, sizeof path, "%s/current", folder);
	CHECK(!gcdc_catalog_open(path, NULL, &catalog, &why), "open: %s", why.what);
	for (unsigned i = 0; i < n_threads; i++) number[i] = i, pthread_create(&threads[i], NULL, serve, &number[i]);
	for (unsigned i = 0; i < N_REFRESHERS; i++) pthread_create(&refreshers[i], NULL, refresh, NULL);
	for (unsigned round = 1; round <= n_rounds; round++) {
		point_to(round % 2);
		CHECK(!gcdc_catalog_refresh(catalog, NULL, &why), "refresh: %s", why.what);
		first_build_is(round % 2);
		if (round % 5 == 0) gcdc_catalog_trim(catalog);
		usleep(2000);
	}
	atomic_store(&is_done, true);
	for (unsigned i = 0; i < n_threads; i++) pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < N_REFRESHERS; i++) pthread_join(refreshers[i], NULL);
	gcdc_artifact *last;
	CHECK(!gcdc_catalog_get(catalog, "g0", vocab_hash, &last, NULL), "no artifact");
	gcdc_catalog_close(catalog);
	gcdc_matcher *m;
	CHECK(!gcdc_matcher_new(last, NULL, &m), "an artifact does not outlive its catalog");
	gcdc_artifact_close(last);
	gcdc_matcher_free(m);
	char command[128];
	snprintf(command, sizeof command, "rm -rf %s", folder);
	CHECK(!system(command), "cannot clean up");
	printf("%llu artifacts handed out, %llu and %llu of the two builds\n", (unsigned long long)n_handed_out,
	       (unsigned long long)n_of[0], (unsigned long long)n_of[1]);
	return n_of[0] && n_of[1] ? 0 : 1;
}
