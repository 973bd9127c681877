// Compile, encode, open: the whole way from a grammar to a matcher without a file.
#include "../engine.h"

#if __has_include("../../../lib/compile/compile.h")
#include "../../../lib/compile/compile.h"
#include "../../../lib/writer/artifact_image.h"

enum engine_result engine_compile(const struct grammar *g, const struct vocab *v, struct diag *d, struct engine *e)
{
	*e = (struct engine){0};
	struct compile_options options = {0};
	struct artifact_image image = {0};
	if (!compile_image(g, v, &options, d, &image)) return ENGINE_REFUSED;
	struct artifact_write_options how = {.raw = true};
	if (!artifact_encode(&image, &how, d, &e->bytes, &e->len)) return ENGINE_BROKEN;
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
#endif
