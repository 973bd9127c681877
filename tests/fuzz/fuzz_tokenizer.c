// Fuzz target: any bytes as a compiled vocabulary, as a file of any kind that is told by its first bytes, as
// tokenizer.json (vocabulary and encoder), as tokenizer_config.json. What is accepted must be whole, and the encoder
// must take any text.
#include "../../lib/vocab/vocab.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag d = {0};
	struct vocab v;
	const char *text = (const char *)data;
	static const char config[] = "{\"eos_token\":\"a\"}",
					  json[] = "{\"decoder\":{\"type\":\"ByteLevel\"},\"model\":{\"type\":\"BPE\","
							   "\"vocab\":{\"a\":0,\"<|end|>\":1}}}";
	if (vocab_open_memory(data, size, &d, &v)) ASSERT(!vocab_check(&v)), vocab_release(&v);
	if (vocab_load_memory(&(struct vocab_texts){"<fuzz>", text, size, NULL, 0}, NULL, &d, &v))
		ASSERT(!vocab_check(&v)), vocab_release(&v);
	if (vocab_parse(&(struct vocab_texts){"<fuzz>", text, size, config, sizeof config - 1}, NULL, &d, &v))
		ASSERT(!vocab_check(&v)), vocab_release(&v);
	if (vocab_parse(&(struct vocab_texts){"<fuzz>", json, sizeof json - 1, text, size}, NULL, &d, &v))
		ASSERT(!vocab_check(&v)), vocab_release(&v);
	struct encoder *e = encoder_parse("<fuzz>", text, size, &d);
	uint32_t *ids, n;
	static const char sample[] = "  aab <s>\xE2\x96\x81\xC3\xA9 12'S\n\ne\xCC\x81x<|end|>";
	if (e && encoder_encode(e, (struct encoder_text){sample, sizeof sample - 1, false}, &ids, &n, &d)) free(ids);
	if (e && encoder_encode(e, (struct encoder_text){text, size, true}, &ids, &n, &d)) free(ids);
	encoder_free(e);
	ASSERT(diag_text(&d));
	diag_release(&d);
	return 0;
}
