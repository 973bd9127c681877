// What the tests of lib/cuda share: arguments, memory on both sides, compiled grammars.
#include "cuda_testing.h"

uint64_t failures;

struct testing testing_begin(int argc, char **argv, uint64_t rounds)
{
	struct testing t = {20261121, rounds};
	for (int i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--seed")) t.seed = strtoull(argv[i + 1], NULL, 10);
		if (!strcmp(argv[i], "--rounds")) t.rounds = strtoull(argv[i + 1], NULL, 10);
	}
	if (!gcdc_cuda_available()) {
		printf("skipped: no device (%s)\n", gcdc_cuda_error());
		exit(SKIPPED);
	}
	printf("on %s, seed %llu, %llu rounds\n", device_name(), (unsigned long long)t.seed, (unsigned long long)t.rounds);
	return t;
}

int testing_end(const char *what)
{
	if (failures)
		printf("%llu failures: %s\n", (unsigned long long)failures, what);
	else
		printf("%s: all agree\n", what);
	return failures != 0;
}

struct twin twin_new(size_t size)
{
	struct twin t = {mem_calloc(size + 1, 1), device_alloc(size), size};
	if (!t.device) {
		printf("no device memory for %zu bytes\n", size);
		exit(1);
	}
	return t;
}
void twin_free(struct twin *t)
{
	free(t->host);
	device_free(t->device);
	*t = (struct twin){0};
}
void twin_push(struct twin *t) { MUST(device_write(t->device, t->host, t->size, NULL)); }
void twin_pull(struct twin *t) { MUST(device_read(t->host, t->device, t->size, NULL)); }

void subject_open(struct subject *s, const char *grammar, uint32_t width)
{
	*s = (struct subject){0};
	struct vocab_options o = {.vocab_size = width};
	bool ok = grammar_load(grammar, NULL, &s->diag, &s->grammar) && vocab_load_default(&o, &s->diag, &s->vocab) &&
	          engine_compile(&s->grammar, &s->vocab, &s->diag, &s->engine) == ENGINE_OK;
	if (!ok) {
		printf("%s: %s\n", grammar, diag_text(&s->diag));
		exit(1);
	}
	gcdc_artifact_info(s->engine.artifact, &s->info);
	MUST(gcdc_cuda_table_new(s->engine.artifact, NULL, &s->table));
}

void subject_close(struct subject *s)
{
	gcdc_cuda_table_free(s->table);
	engine_release(&s->engine);
	vocab_release(&s->vocab);
	grammar_release(&s->grammar);
	diag_release(&s->diag);
}
