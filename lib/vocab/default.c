// The built-in tokenizer: tokenizers/default/tokenizer.json, linked into the library by the build.
//
// In:  nothing. Out: its vocabulary (EOS: `<|end|>`), its encoder.
// The symbols are weak: a build by hand that does not embed the file links, and says so when asked for it.
#include "internal.h"

extern const char gcdc_embedded_default_tokenizer[] __attribute__((weak));
extern const char gcdc_embedded_default_tokenizer_end[] __attribute__((weak));

#define DEFAULT_PATH "<default>"

const char *vocab_default_json(size_t *len)
{
	const char *begin = gcdc_embedded_default_tokenizer, *end = gcdc_embedded_default_tokenizer_end;
	*len = begin ? (size_t)(end - begin) : 0;
	return *len ? begin : NULL;
}

static const char *embedded(size_t *len, struct diag *d)
{
	const char *json = vocab_default_json(len);
	if (json) return json;
	diag_error(d, (struct loc){0}, "this gcdc was built without its default tokenizer; give a tokenizer.json");
	return NULL;
}

bool vocab_load_default(const struct vocab_options *o, struct diag *d, struct vocab *v)
{
	static const char config[] = "{\"eos_token\": \"<|end|>\"}";
	size_t len;
	const char *json = embedded(&len, d);
	*v = (struct vocab){0};
	if (!json || !vocab_parse(&(struct vocab_texts){DEFAULT_PATH, json, len, config, sizeof config - 1}, o, d, v))
		return false;
	v->name = "default";
	return true;
}

struct encoder *encoder_load_default(struct diag *d)
{
	size_t len;
	const char *json = embedded(&len, d);
	return json ? encoder_parse(DEFAULT_PATH, json, len, d) : NULL;
}
