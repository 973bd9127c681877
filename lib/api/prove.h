// The proof at the end of a compilation: the artifact's own masks and its own matcher agree.
#ifndef GCDC_API_PROVE_H
#define GCDC_API_PROVE_H

#include "../base/diag.h"
#include "../include/gcdc/runtime.h"

#define PROVE_STEPS 400u      // tokens taken at random
#define PROVE_LENGTH 64u      // of one text, then it is closed, where there are costs, and the next one begins
#define PROVE_SAMPLES 3u      // at each place: tokens of the mask, and as many outside of it
#define PROVE_READINGS 8000u  // work: readings met in all; ambiguous texts have many, the walk is shorter then

struct proof {
	uint32_t n_steps, n_texts, n_closed;  // taken at random; begun; closed with the tables of costs
	double seconds;
};

struct prove_options {
	bool walk;          // else only the first mask is looked at
	bool may_be_empty;  // conflicts are kept, so tables do not tell whether some text is in the language
	uint32_t threads;   // that open it together
};

// bytes: an artifact with its vocabulary. A first mask that is empty is the user's error (GCDC_ERR_GRAMMAR) where it
// may be; a contradiction is GCDC_ERR_INTERNAL. Errors in d. Inside a work, which may be given up between two masks.
gcdc_status prove_artifact(const void *bytes, size_t len, const struct prove_options *options, struct diag *d,
                           struct proof *out);

#endif
