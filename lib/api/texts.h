// Texts of the language, given to the compiler: what their masks under a budget make is kept in the artifact.
#ifndef GCDC_API_TEXTS_H
#define GCDC_API_TEXTS_H

#include "../base/diag.h"
#include "../include/gcdc/compile.h"
#include "../vocab/vocab.h"
#include "../writer/artifact_image.h"

struct texts_input {
	const gcdc_text *at;
	size_t n;
	uint64_t limit;  // by which the file may grow, in bytes; 0: half of what it has
	const struct vocab *vocab;
	const struct artifact_write_options *file;  // how the image will be written
};

struct texts_kept {
	uint32_t n_positions, n_served;  // places of the texts; those whose mask then makes nothing
	uint32_t n_steps, n_summaries;   // kept; the second are among the first
	uint64_t bytes;                  // by which the file grows
};

// Fills in the image's sections KEPT_*, in the arena. A text that is none of the grammar's is GCDC_ERR_GRAMMAR, with
// its place; all errors in d. Inside a work.
gcdc_status texts_keep(const struct texts_input *in, struct artifact_image *image, struct arena *arena, struct diag *d,
                       struct texts_kept *out);

#endif
