// <gcdc/compile.h> as a server uses it: one vocabulary, eight threads, grammars that come with requests, hostile ones
// among them, limits, cancelling. Run under ThreadSanitizer, too.
//
//   thread_serve [--count N] [--threads N] [--seed S]
//
// Each request is a grammar of its own, drawn from a seed; request i is the same whoever takes it. What must hold:
// those that are right compile, and their artifacts open and have a first mask; hostile ones end with the status that
// is theirs, within their limits; a grammar compiled by several threads gives the same bytes; and what the process
// holds does not grow: of the bytes that malloc has handed out, at the end no more are left than after the first
// eighth.
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "gcdc/compile.h"

#define CHECK(c, ...) ((c) ? (void)0 : (fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), exit(1)))

static gcdc_vocab *vocab;
static uint64_t n_requests = 240, seed = 1;
static _Atomic uint64_t next, n_refused;
static uint64_t fixed_hash;  // of the grammar that all compile now and then
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t phase;
static double *seconds;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct request {
	char text[4096];
	gcdc_input input;
	gcdc_compile_options options;
	gcdc_status want;
	bool is_fixed;
};

static size_t put(char *to, size_t at, const char *text) { return at + (size_t)sprintf(to + at, "%s", text); }

// Objects as a tool's arguments are: some keys, each a word, a number, a list or an object within.
static void make_tool(struct request *r, uint64_t *x)
{
	static const char *const values[] = {"NUMBER", "STRING", "list", "(\"true\" | \"false\")", "start?"};
	size_t at = put(r->text, 0, "start: \"{\" ");
	uint32_t n = 1 + random_below(x, 6);
	for (uint32_t i = 0; i < n; i++)
		at += (size_t)sprintf(r->text + at, "%s\"\\\"key%u\\\"\" \":\" %s ", i ? "\",\" " : "", random_below(x, 1000),
		                      values[random_below(x, 5)]);
	put(r->text, at,
	    "\"}\"\nlist: \"[\" [NUMBER (\",\" NUMBER)*] \"]\"\nNUMBER: /-?[0-9]+/\nSTRING: /\"[a-z ]*\"/\n%ignore \" "
	    "\"\n");
	r->input.kind = GCDC_KIND_LARK;
}

static void make_schema(struct request *r, uint64_t *x)
{
	static const char *const values[] = {"{\"type\": \"integer\"}", "{\"type\": \"string\", \"maxLength\": 20}",
	                                     "{\"enum\": [\"a\", \"bc\", null]}", "{\"$ref\": \"#\"}",
	                                     "{\"type\": \"array\", \"items\": {\"type\": \"boolean\"}}"};
	size_t at = put(r->text, 0, "{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {");
	uint32_t n = 1 + random_below(x, 6);
	for (uint32_t i = 0; i < n; i++)
		at += (size_t)sprintf(r->text + at, "%s\"k%u_%u\": %s", i ? ", " : "", i, random_below(x, 100),
		                      values[random_below(x, 5)]);
	put(r->text, at, "}}");
	r->input.kind = GCDC_KIND_JSON_SCHEMA;
}

static void make_pattern(struct request *r, uint64_t *x)
{
	sprintf(r->text, "(%u|[a-f]{%u,%u})-[0-9]{%u}", random_below(x, 10000), random_below(x, 3), 3 + random_below(x, 9),
	        1 + random_below(x, 12));
	r->input.kind = GCDC_KIND_REGEX;
}

static bool stop_at_tables(const gcdc_progress *p, void *user)
{
	(void)user;
	return strcmp(p->stage, "tables") != 0;
}

static void make_hostile(struct request *r, uint64_t *x)
{
	r->input.kind = GCDC_KIND_LARK;
	switch (random_below(x, 8)) {
	case 0:  // explodes, little memory
		put(r->text, 0, "start: A\nA: /[a-z ]*a[a-z ]{14}/\n");
		r->options.max_memory = 2 << 20, r->want = GCDC_ERR_LIMIT;
		break;
	case 1:  // explodes, little time
		put(r->text, 0, "start: A\nA: /[a-z ]*a[a-z ]{14}/\n");
		r->options.max_seconds = 1e-6, r->want = GCDC_ERR_LIMIT;
		break;
	case 2:  // repetitions within repetitions
		put(r->text, 0, "start: r3~0..99\nr3: r2~0..99\nr2: r1~0..99\nr1: (\"a\"?)~0..99\n");
		r->options.max_seconds = 0.05, r->want = GCDC_ERR_LIMIT;
		break;
	case 3: {  // deep
		size_t at = put(r->text, 0, "start: ");
		memset(r->text + at, '(', 3000);
		put(r->text, at + 3000, "\"a\"\n");
		r->want = GCDC_ERR_GRAMMAR;
		break;
	}
	case 4:  // bytes
		for (size_t i = 0; i < 500; i++) r->text[i] = (char)(1 + random_below(x, 255));
		r->text[500] = 0, r->want = GCDC_ERR_GRAMMAR;
		break;
	case 6:  // no value
		put(r->text, 0, "{\"type\": \"string\", \"minLength\": 5, \"maxLength\": 2}");
		r->input.kind = GCDC_KIND_JSON_SCHEMA, r->want = GCDC_ERR_GRAMMAR;
		break;
	case 7:  // a reference to a file: there is none
		put(r->text, 0, "{\"$ref\": \"/nowhere/other.json\"}");
		r->input.kind = GCDC_KIND_JSON_SCHEMA, r->want = GCDC_ERR_GRAMMAR;
		break;
	case 5:  // not wanted any more
		put(r->text, 0, "start: /[a-z]+/ \"=\" /[0-9]+/\n");
		r->options.progress = stop_at_tables, r->want = GCDC_ERR_CANCELLED;
		break;
	}
}

static void make(struct request *r, uint64_t i)
{
	uint64_t x = seed * 1000003 + i;
	memset(r, 0, sizeof *r);
	r->options.max_seconds = 600;
	uint32_t which = random_below(&x, 8);
	if (which == 0) {
		make_hostile(r, &x);
	} else if (which == 1) {
		put(r->text, 0, "start: \"[\" [start (\",\" start)*] \"]\" | N\nN: /[0-9]+/\n%ignore \" \"\n");
		r->input.kind = GCDC_KIND_LARK, r->is_fixed = true;
	} else if (which < 4) {
		make_tool(r, &x);
	} else if (which < 6) {
		make_schema(r, &x);
	} else {
		make_pattern(r, &x);
	}
	r->input.text = r->text, r->input.len = strlen(r->text);
}

static void first_mask(const void *bytes, size_t len)
{
	gcdc_artifact *a;
	gcdc_matcher *m;
	gcdc_refusal why;
	uint32_t mask[8192], some = 0;
	CHECK(!gcdc_artifact_open_memory(bytes, len, NULL, &a, &why), "cannot be opened: %s", why.what);
	CHECK(!gcdc_matcher_new(a, NULL, &m) && !gcdc_matcher_fill(m, mask, sizeof mask / sizeof *mask, NULL), "no mask");
	for (size_t i = 0; i < sizeof mask / sizeof *mask; i++) some |= mask[i];
	CHECK(some, "an empty mask");
	gcdc_matcher_free(m);
	gcdc_artifact_close(a);
}

static uint64_t hash_of(const uint8_t *bytes, size_t len)
{
	uint64_t h = 1469598103934665603u;  // FNV-1a
	for (size_t i = 0; i < len; i++) h = (h ^ bytes[i]) * 1099511628211u;
	return h;
}

static void serve(uint64_t i)
{
	struct request *r = malloc(sizeof *r);
	gcdc_compiled *c;
	gcdc_diagnostics *d;
	make(r, i);
	double begin = now();
	gcdc_status status = gcdc_compile(vocab, &r->input, &r->options, &c, &d);
	seconds[i] = now() - begin;
	CHECK(status == r->want, "request %llu of seed %llu: status %d, not %d:\n%s\n%s", (unsigned long long)i,
	      (unsigned long long)seed, status, r->want, r->text, gcdc_diagnostics_text(d));
	CHECK(!status == !!c && (!status || gcdc_diagnostics_count(d)), "a status without its words");
	if (c) {
		size_t len;
		const void *bytes = gcdc_compiled_bytes(c, &len);
		first_mask(bytes, len);
		uint64_t h = hash_of(bytes, len);
		pthread_mutex_lock(&lock);
		if (r->is_fixed) CHECK(!fixed_hash || fixed_hash == h, "the same grammar gives other bytes");
		if (r->is_fixed) fixed_hash = h;
		pthread_mutex_unlock(&lock);
	} else {
		atomic_fetch_add(&n_refused, 1);
	}
	gcdc_compiled_free(c);
	gcdc_diagnostics_free(d);
	free(r);
}

static void *work(void *unused)
{
	(void)unused;
	uint64_t i;
	while ((i = atomic_fetch_add(&next, 1)) < n_requests / 8) serve(i);
	pthread_barrier_wait(&phase);
	pthread_barrier_wait(&phase);
	for (i--; (i = atomic_fetch_add(&next, 1)) < n_requests;) serve(i);
	return NULL;
}

static size_t held(void) { return mallinfo2().uordblks + mallinfo2().hblkhd; }

static long resident_mib(void)
{
	long pages = 0, unused;
	FILE *f = fopen("/proc/self/statm", "r");
	if (!f || fscanf(f, "%ld %ld", &unused, &pages) != 2) pages = 0;
	if (f) fclose(f);
	return pages * (sysconf(_SC_PAGESIZE) >> 10) >> 10;
}

static int by_seconds(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv)
{
	uint64_t n_threads = 8;
	for (int i = 1; i + 1 < argc; i += 2) {
		uint64_t value = strtoull(argv[i + 1], NULL, 10);
		if (!strcmp(argv[i], "--count")) n_requests = value;
		if (!strcmp(argv[i], "--threads")) n_threads = value;
		if (!strcmp(argv[i], "--seed")) seed = value;
	}
	mallopt(M_ARENA_MAX, 1);  // mallinfo2 sees the first arena alone
	CHECK(n_threads >= 1 && n_threads <= 64, "--threads is 1 to 64");
	CHECK(!gcdc_vocab_open(NULL, NULL, &vocab, NULL), "no vocabulary");
	pthread_t thread[64];
	seconds = calloc(n_requests + 1, sizeof *seconds);
	pthread_barrier_init(&phase, NULL, (unsigned)n_threads + 1);
	double begin = now();
	for (uint64_t i = 0; i < n_threads; i++) CHECK(!pthread_create(&thread[i], NULL, work, NULL), "no thread");
	pthread_barrier_wait(&phase);
	size_t before = held();
	long resident = resident_mib();
	atomic_store(&next, n_requests / 8);
	pthread_barrier_wait(&phase);
	for (uint64_t i = 0; i < n_threads; i++) pthread_join(thread[i], NULL);
	size_t after = held();
	qsort(seconds, n_requests, sizeof *seconds, by_seconds);
	printf("%llu requests, %llu of them refused, %llu threads, %.1f s; a call p50 %.1f ms, p99 %.1f, most %.1f\n",
	       (unsigned long long)n_requests, (unsigned long long)n_refused, (unsigned long long)n_threads, now() - begin,
	       1e3 * seconds[n_requests / 2], 1e3 * seconds[n_requests * 99 / 100], 1e3 * seconds[n_requests - 1]);
	printf("held: %zu bytes after an eighth, %zu at the end; resident %ld MiB, %ld\n", before, after, resident,
	       resident_mib());
	CHECK(after <= before + (64 << 10), "memory grows");
	gcdc_vocab_close(vocab);
	free(seconds);
	return 0;
}
