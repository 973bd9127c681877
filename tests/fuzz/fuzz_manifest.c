// Any bytes as a manifest: errors, or a plan with something to build. The working directory is what it is: files that
// are named may be there.
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>

#include "../../lib/manifest/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag d = {0};
	struct plan p;
	char *text = mem_alloc(size + 1);
	if (size) memcpy(text, data, size);
	const struct source source = {"<fuzz>", text, size};
	if (memmem(data, size, "**", 2))
		size = 0;  // would walk the whole tree
	else if (manifest_plan(&source, &(struct manifest_options_given){NULL}, &d, &p)) {
		ASSERT(d.n_errors == 0 && p.artifacts.n > 0);
		plan_release(&p);
	} else
		ASSERT(d.n_errors > 0);
	diag_text(&d);
	diag_release(&d);
	free(text);
	return 0;
}
