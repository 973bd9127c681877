// A session as a server uses it: few lanes, more threads, requests that begin on one thread and go on on another. Run
// under ThreadSanitizer, too.
//
// Masks under a budget of a grammar with indents, and hard canonical masks: both are worked out at run time and kept by
// a lane, but steps of masks under a budget by the artifact, which has been opened anew and has none yet. A request is
// a walk from a seed; its masks must be those of a matcher of its own, whoever fills them. Threads have matchers
// without a session beside, which make steps at the same time.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "gcdc/compile.h"

#define CHECK(c, ...) ((c) ? (void)0 : (fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), exit(1)))
#define THREADS 4
#define LANES 2
#define REQUESTS 12  // of a thread
#define KINDS 8      // of requests
#define ROWS 3       // matchers of a request
#define STEPS 14
#define BUDGET 30

static const char statements[] = "start: statement+\n"
								 "statement: NAME \"=\" NAME _NL | \"if\" NAME \":\" _NL _INDENT statement+ _DEDENT\n"
								 "NAME: /[a-z]+/\n"
								 "_NL: /(\\n[ \\t]*)+/\n"
								 "%declare _INDENT _DEDENT\n"
								 "%indent newline=_NL indent=_INDENT dedent=_DEDENT tab=8 end=newline\n"
								 "%ignore / +/\n";
static const char list[] = "start: \"[\" [start (\",\" start)*] \"]\" | WORD\nWORD: /[a-z ]+/\n";

static struct grammar_of {
	gcdc_artifact *artifact;
	gcdc_session *session;
	uint64_t expected[KINDS];
	bool has_budget;
	_Atomic(gcdc_matcher *) parcel;  // left by one thread for another
} grammars[2];
static pthread_barrier_t together;  // so that none finds all steps made

static void open_compiled(const gcdc_compiled *c, struct grammar_of *g)
{
	size_t len;
	const void *bytes = gcdc_compiled_bytes(c, &len);
	CHECK(!gcdc_artifact_open_memory(bytes, len, NULL, &g->artifact, NULL), "no artifact");
}

static gcdc_compiled *compile(const gcdc_vocab *vocab, const char *text, struct grammar_of *g)
{
	const gcdc_input input = {.kind = GCDC_KIND_LARK, .text = text, .len = strlen(text)};
	const gcdc_compile_options options = {.canonical = g->has_budget ? GCDC_CANONICAL_OFF : GCDC_CANONICAL_HARD};
	gcdc_compiled *c;
	gcdc_diagnostics *d;
	CHECK(!gcdc_compile(vocab, &input, &options, &c, &d), "%s", gcdc_diagnostics_text(d));
	gcdc_diagnostics_free(d);
	open_compiled(c, g);
	return c;
}

// A token of the mask.
static uint32_t choose(const uint32_t *mask, uint32_t words, uint64_t *x)
{
	uint32_t n = 0;
	for (uint32_t w = 0; w < words; w++) n += (uint32_t)__builtin_popcount(mask[w]);
	CHECK(n > 0, "a mask is empty");
	uint32_t k = random_below(x, n);
	for (uint32_t w = 0;; w++) {
		uint32_t bits = mask[w], here = (uint32_t)__builtin_popcount(bits);
		if (k >= here) {
			k -= here;
			continue;
		}
		while (k--) bits &= bits - 1;
		return 32 * w + (uint32_t)__builtin_ctz(bits);
	}
}

// The masks of a request, as one number. Its matchers are at their beginning.
static uint64_t serve(const struct grammar_of *g, gcdc_matcher **m, uint64_t kind)
{
	gcdc_info info;
	uint64_t hash = 1469598103934665603u, x = 77 + kind;
	gcdc_artifact_info(g->artifact, &info);
	uint32_t words = info.mask_words, *masks = malloc((size_t)ROWS * words * sizeof *masks);
	for (int i = 0; i < ROWS && g->has_budget; i++) {
		gcdc_matcher_enter(m[i]);
		CHECK(!gcdc_matcher_set_budget(m[i], BUDGET + (uint32_t)i, true, NULL), "a budget");
		gcdc_matcher_leave(m[i]);
	}
	for (int step = 0; step < STEPS; step++) {
		uint32_t tokens[ROWS];
		CHECK(gcdc_fill_rows(m, ROWS, &(gcdc_mask_rows){masks, words, NULL}, NULL, NULL) >= 0, "masks");
		for (size_t i = 0; i < (size_t)ROWS * words; i++) hash = (hash ^ masks[i]) * 1099511628211u;
		for (int i = 0; i < ROWS; i++) tokens[i] = choose(masks + (size_t)i * words, words, &x);
		gcdc_status status = gcdc_accept_batch(m, tokens, ROWS, NULL);
		CHECK(status == GCDC_OK || status == GCDC_TERMINATED, "a token of the mask is refused");
	}
	free(masks);
	return hash;
}

// A matcher of the session, or one that another thread has left, wherever that was.
static gcdc_matcher *take(struct grammar_of *g)
{
	gcdc_matcher *m = atomic_exchange(&g->parcel, NULL);
	if (!m) {
		CHECK(!gcdc_session_matcher(g->session, &m), "no matcher");
		return m;
	}
	gcdc_matcher_enter(m);
	gcdc_matcher_reset(m);
	gcdc_matcher_leave(m);
	return m;
}

static void check_lane(gcdc_matcher *m)
{
	gcdc_matcher *fork, *clone;
	uint32_t lane = gcdc_matcher_lane(m);
	CHECK(lane < LANES, "lane %u", lane);
	gcdc_matcher_enter(m);
	CHECK(!gcdc_matcher_fork(m, &fork) && !gcdc_matcher_clone(m, &clone), "no memory");
	gcdc_matcher_leave(m);
	CHECK(gcdc_matcher_lane(fork) == lane && gcdc_matcher_lane(clone) == GCDC_NONE, "lanes of copies");
	gcdc_matcher_free(fork);
	gcdc_matcher_free(clone);
}

static void serve_alone(const struct grammar_of *g, uint64_t kind)
{
	gcdc_matcher *m[ROWS];
	for (int i = 0; i < ROWS; i++) CHECK(!gcdc_matcher_new(g->artifact, NULL, &m[i]), "no memory");
	CHECK(serve(g, m, kind) == g->expected[kind], "other masks, alone");
	for (int i = 0; i < ROWS; i++) gcdc_matcher_free(m[i]);
}

static void *work(void *number)
{
	pthread_barrier_wait(&together);
	for (uint64_t kind = 0; kind < KINDS; kind++)
		serve_alone(&grammars[0], (kind + 2 * *(const uint64_t *)number) % KINDS);
	for (uint64_t r = 0; r < REQUESTS; r++) {
		uint64_t kind = (r + *(const uint64_t *)number) % KINDS;
		struct grammar_of *g = &grammars[r / 2 % 2];
		gcdc_matcher *m[ROWS];
		for (int i = 0; i < ROWS; i++) m[i] = take(g);
		CHECK(serve(g, m, kind) == g->expected[kind], "other masks");
		check_lane(m[0]);
		gcdc_matcher_free(atomic_exchange(&g->parcel, m[0]));
		for (int i = 1; i < ROWS; i++) gcdc_matcher_free(m[i]);
	}
	return NULL;
}

static void expect(struct grammar_of *g)
{
	for (uint64_t kind = 0; kind < KINDS; kind++) {
		gcdc_matcher *m[ROWS];
		for (int i = 0; i < ROWS; i++) CHECK(!gcdc_matcher_new(g->artifact, NULL, &m[i]), "no memory");
		g->expected[kind] = serve(g, m, kind);
		for (int i = 0; i < ROWS; i++) gcdc_matcher_free(m[i]);
	}
}

int main(void)
{
	gcdc_vocab *vocab;
	pthread_t threads[THREADS];
	uint64_t numbers[THREADS];
	CHECK(!gcdc_vocab_open(NULL, &(gcdc_vocab_options){.canonical = true}, &vocab, NULL), "no vocabulary");
	grammars[0].has_budget = true;
	gcdc_compiled *compiled[] = {compile(vocab, statements, &grammars[0]), compile(vocab, list, &grammars[1])};
	for (int i = 0; i < 2; i++) {
		expect(&grammars[i]);
		gcdc_artifact_close(grammars[i].artifact);
		open_compiled(compiled[i], &grammars[i]);
		CHECK(!gcdc_session_new(grammars[i].artifact, NULL, LANES, &grammars[i].session), "no session");
	}
	CHECK(!pthread_barrier_init(&together, NULL, THREADS), "no barrier");
	for (uint64_t i = 0; i < THREADS; i++) {
		numbers[i] = i;
		CHECK(!pthread_create(&threads[i], NULL, work, &numbers[i]), "no thread");
	}
	for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&together);
	for (int i = 0; i < 2; i++) {
		gcdc_session_free(grammars[i].session);  // lives as long as the parcel
		gcdc_matcher_free(grammars[i].parcel);
		gcdc_artifact_close(grammars[i].artifact);
		gcdc_compiled_free(compiled[i]);
	}
	gcdc_vocab_close(vocab);
	return 0;
}
