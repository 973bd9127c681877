// Compile, encode, open: the whole way from a grammar to a matcher without a file.
#include "../engine.h"

#include "../../../lib/compile/compile.h"
#include "../../../lib/writer/artifact_image.h"

enum engine_result engine_compile(const struct grammar *g, const struct vocab *v, struct diag *d, struct engine *e)
{
	*e = (struct engine){0};
	struct compile_options options = {0};
	struct compiled compiled;
	if (!compile_image(g, v, &options, d, &compiled)) return ENGINE_REFUSED;
	struct artifact_write_options how = {.raw = true};
	bool is_encoded = artifact_encode(&compiled.image, &how, d, &e->bytes, &e->len);
	compile_release(&compiled);
	if (!is_encoded) return ENGINE_BROKEN;
	gcdc_refusal why;
	gcdc_status status = gcdc_artifact_open_memory(e->bytes, e->len, NULL, &e->artifact, &why);
	if (status == GCDC_OK) return ENGINE_OK;
	diag_error(d, (struct loc){0}, "the artifact does not open: %s: %s", gcdc_status_text(status), why.what);
	return ENGINE_BROKEN;
}

void engine_release(struct engine *e)
{
	gcdc_artifact_close(e->artifact);
	free(e->bytes);
	*e = (struct engine){0};
}
