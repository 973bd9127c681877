// Any bytes as a JSON Schema, or a list of tools: an error, or a grammar that passes its check. Work is bounded: what
// is too large says which limit it passed.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../../lib/base/work.h"
#include "../../lib/schema/schema.h"
#include "../support/grammar_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t *data;
	size_t size;
	enum schema_kind kind;
	struct diag *d;
};

static void run(void *context)
{
	struct input *x = context;
	const struct schema_options o = {.kind = x->kind, .order = SCHEMA_ORDER_ANY, .format = SCHEMA_FORMAT_KNOWN};
	struct grammar g;
	if (schema_parse("<fuzz>", (const char *)x->data, x->size, &o, x->d, &g)) {
		ASSERT(x->d->n_errors == 0);
		ASSERT(grammar_check(&g) == NULL);
		grammar_release(&g);
	} else {
		ASSERT(x->d->n_errors > 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (uint32_t kind = 0; kind < 2; kind++) {
		struct diag d = {0};
		struct input x = {data, size, kind ? SCHEMA_KIND_TOOLS : SCHEMA_KIND_SCHEMA, &d};
		const struct work_limits limits = {.max_seconds = 2, .max_bytes = (uint64_t)1 << 30};
		struct work_result r;
		if (work_run(&limits, run, &x, &r)) diag_text(&d);
		diag_release(&d);
	}
	return 0;
}
