// A server's requests on several threads: one session, so that what masks under budgets and canonical masks work out is
// kept once a lane, not once a request.
//
//     session ARTIFACT [REQUESTS]        e.g. JSON with the built-in tokenizer
//
// The model is a table of random numbers. Exit code 1 if a text is cut off.
#include <gcdc/runtime.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4
#define LANES (2 * THREADS)
#define BUDGET 40

struct server {
	gcdc_session *session;
	uint32_t words;
	pthread_mutex_t lock;
	unsigned n_requests, next, n_whole;
};

// Some token of the mask.
static uint32_t sample(const uint32_t *mask, uint32_t words, uint64_t *state)
{
	for (;;) {
		*state = *state * 6364136223846793005u + 1442695040888963407u;
		uint32_t t = (uint32_t)((*state >> 33) % (32 * words));
		if (mask[t / 32] >> t % 32 & 1) return t;
	}
}

// One text. Batches take their turns by themselves, all other calls on a matcher stand between enter and leave.
static int serve(const struct server *s, unsigned request, uint32_t *mask)
{
	gcdc_matcher *m;
	uint64_t state = request;
	if (gcdc_session_matcher(s->session, &m) || gcdc_matcher_lane(m) >= LANES) return 0;
	gcdc_matcher_enter(m);
	gcdc_status status = gcdc_matcher_set_budget(m, BUDGET, true, NULL);
	gcdc_matcher_leave(m);
	for (int i = 0; i < BUDGET && !status; i++) {
		status = gcdc_fill_rows(&m, 1, &(gcdc_mask_rows){mask, s->words, NULL}, NULL, NULL);
		if (status) break;
		const uint32_t token = sample(mask, s->words, &state);
		gcdc_matcher_enter(m);
		status = gcdc_matcher_accept(m, token);
		int is_whole = gcdc_matcher_is_terminated(m);
		gcdc_matcher_leave(m);
		if (is_whole) break;
	}
	int is_whole = !status && gcdc_matcher_is_terminated(m);
	gcdc_matcher_free(m);
	return is_whole;
}

static void *work(void *server)
{
	struct server *s = server;
	uint32_t *mask = malloc(s->words * sizeof *mask);
	while (mask) {
		pthread_mutex_lock(&s->lock);
		unsigned request = s->next < s->n_requests ? ++s->next : 0;
		pthread_mutex_unlock(&s->lock);
		if (!request) break;
		int is_whole = serve(s, request, mask);
		pthread_mutex_lock(&s->lock);
		s->n_whole += is_whole != 0;
		pthread_mutex_unlock(&s->lock);
	}
	free(mask);
	return NULL;
}

int main(int argc, char **argv)
{
	gcdc_artifact *artifact;
	gcdc_refusal why;
	gcdc_info info;
	pthread_t threads[THREADS];
	struct server s = {.lock = PTHREAD_MUTEX_INITIALIZER, .n_requests = argc > 2 ? (unsigned)atoi(argv[2]) : 100};
	if (argc < 2 || gcdc_artifact_open(argv[1], NULL, &artifact, &why)) {
		fprintf(stderr, "session: %s\n", argc < 2 ? "usage: session ARTIFACT [REQUESTS]" : why.what);
		return 1;
	}
	gcdc_artifact_info(artifact, &info);
	s.words = info.mask_words;
	if (gcdc_session_new(artifact, NULL, LANES, &s.session)) return 1;
	int n = 0;
	while (n < THREADS && !pthread_create(&threads[n], NULL, work, &s)) n++;
	for (int i = 0; i < n; i++) pthread_join(threads[i], NULL);
	printf("%u requests on %d threads, %u texts whole\n", s.n_requests, n, s.n_whole);
	gcdc_session_free(s.session);
	gcdc_artifact_close(artifact);
	return s.n_whole != s.n_requests;
}
