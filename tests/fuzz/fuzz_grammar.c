// Any bytes as a Lark grammar: an error or a grammar that passes its check. Imports of files find nothing.
#include <stddef.h>
#include <stdint.h>

#include "../support/grammar_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag d = {0};
	struct grammar g;
	if (grammar_parse("<fuzz>", (const char *)data, size, NULL, &d, &g)) {
		ASSERT(d.n_errors == 0);
		ASSERT(grammar_check(&g) == NULL);
		grammar_release(&g);
	} else
		ASSERT(d.n_errors > 0);
	diag_text(&d);
	diag_release(&d);
	return 0;
}
