// Any bytes as a regex (first byte: flags): an error with a message, or a DFA that keeps its promises.
#include <stddef.h>
#include <stdint.h>

#include "../../lib/regex/regex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct byte_dfa *a)
{
	ASSERT(a->n_states > 1 && a->n_classes > 0);
	uint32_t seen = 1, accepting = 0;
	for (uint32_t i = 0; i < (a->before.n_states ? a->before.n_states : 1); i++) {
		uint32_t start = a->before.n_states ? a->before.start[i] : 0;
		if (start == DFA_DEAD) continue;
		ASSERT(start < a->n_states && !a->accept[start]);
		if (start >= seen) seen = start + 1;
	}
	for (uint32_t q = 0; q < a->n_states; q++) {
		accepting += a->accept[q];
		ASSERT(!a->follow || (a->follow[q] < a->after.n_states && a->accept[q] == (a->follow[q] != FOLLOW_NEVER)));
		ASSERT(q < seen);
		for (uint32_t b = 0; b < 256; b++) {
			uint32_t to = dfa_step(a, q, (uint8_t)b);
			if (to == DFA_DEAD) continue;
			ASSERT(to < a->n_states && to <= seen);
			if (to == seen) seen++;
		}
	}
	ASSERT(accepting);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size || size > 2000) return 0;
	struct source s = {"<fuzz>", (const char *)data + 1, size - 1};
	struct term t = {.kind = TERM_REGEX,
	                 .flags = data[0] & 63,
	                 .text = s.text,
	                 .text_len = (uint32_t)s.len,
	                 .loc = {&s, 0, (uint32_t)s.len},
	                 .text_loc = {&s, 0, (uint32_t)s.len}};
	struct terminal terminal = {.name = "FUZZ", .pattern = &t, .loc = t.loc};
	struct arena arena = {0};
	struct diag d = {0};
	struct byte_dfa dfa;
	static struct regex_cache *cache;  // Unicode classes cost too much to be asked for in every run
	if (!cache) cache = regex_cache_new();
	if (regex_compile_cached(&terminal, cache, &arena, &d, &dfa)) {
		ASSERT(d.n_errors == 0);
		check(&dfa);
	} else
		ASSERT(d.n_errors > 0);
	diag_text(&d);
	diag_release(&d);
	arena_release(&arena);
	return 0;
}
