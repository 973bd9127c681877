// Any grammar through the whole chain: refused with a reason, or an artifact that opens, from which texts can be walked
// without ever meeting an empty mask. The vocabulary has single bytes and a few longer tokens.
#include <stddef.h>
#include <stdint.h>

#include "../../lib/compile/compile.h"
#include "../../lib/include/gcdc/runtime.h"

#define MAX_SIZE 2000u  // larger grammars are slow, not interesting
#define STEPS 24u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void make_vocab(struct vocab *v)
{
	static const char *const words[] = {"if", "==", "a(", "))", ", ", "\"a", "1.", "\n\n", "abc", "/*", "*/"};
	enum { N_WORDS = sizeof words / sizeof *words, N = 256 + N_WORDS + 1 };
	static uint8_t byte[256];
	const uint8_t *bytes[N];
	uint32_t len[N], eos = N - 1;
	uint8_t kind[N];
	for (uint32_t i = 0; i < N; i++) {
		if (i < 256) byte[i] = (uint8_t)i;
		bytes[i] = i < 256 ? &byte[i] : i < eos ? (const uint8_t *)words[i - 256] : byte;
		len[i] = i < 256 ? 1 : i < eos ? (uint32_t)strlen(words[i - 256]) : 0;
		kind[i] = i < eos ? TOKEN_TEXT : TOKEN_CONTROL;
	}
	vocab_build(&(struct vocab_tokens){N, bytes, len, kind, 1, &eos}, v);
}

// Walks allowed tokens chosen by the input's own bytes.
static void walk(const gcdc_artifact *artifact, const uint8_t *data, size_t size)
{
	gcdc_matcher *m;
	uint32_t mask[16];
	if (gcdc_matcher_new(artifact, NULL, &m)) return;
	for (uint32_t i = 0; i < STEPS && !gcdc_matcher_is_terminated(m); i++) {
		ASSERT(gcdc_matcher_fill(m, mask, 16, NULL) == GCDC_OK);
		uint32_t token = (uint32_t)(data[(i * 7) % size] * 13 + i) % 268, tries = 0;
		while (!(mask[token / 32] >> token % 32 & 1)) {
			token = (token + 1) % 268;
			ASSERT(++tries < 268);  // an empty mask
		}
		ASSERT(gcdc_matcher_accept(m, token) == GCDC_OK);
	}
	gcdc_matcher_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0 || size > MAX_SIZE) return 0;
	struct diag d = {0};
	struct grammar g;
	struct vocab v;
	struct compiled c;
	make_vocab(&v);
	if (grammar_parse("<fuzz>", (const char *)data, size, NULL, &d, &g)) {
		if (compile_image(&g, &v, NULL, &d, &c)) {
			uint8_t *bytes;
			size_t len;
			gcdc_artifact *artifact;
			ASSERT(artifact_encode(&c.image, &(struct artifact_write_options){.raw = true}, &d, &bytes, &len));
			ASSERT(gcdc_artifact_open_memory(bytes, len, NULL, &artifact, NULL) == GCDC_OK);
			walk(artifact, data, size);
			gcdc_artifact_close(artifact);
			free(bytes);
			compile_release(&c);
		} else
			ASSERT(d.n_errors > 0);
		grammar_release(&g);
	}
	diag_release(&d);
	vocab_release(&v);
	return 0;
}
