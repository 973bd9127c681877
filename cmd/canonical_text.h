// Texts of canonical artifacts: the tokens that spell them canonically, and why a token is not canonical.
#ifndef GCDC_CMD_CANONICAL_TEXT_H
#define GCDC_CMD_CANONICAL_TEXT_H

#include "token_vocab.h"

// The tokens of a text that an artifact with canonical masks allows one after the other and that are canonical. False:
// the artifact has no such masks, or none was found (CANONICAL_CUT_TRIES, or eight a byte).
#define CANONICAL_CUT_TRIES 1000000u
// The canonical tokens of a text, whatever the artifact's grammar says of it. v: the artifact's tokens.
bool canonical_cut_any(const gcdc_artifact *a, const struct vocab *v, const char *text, size_t len, token_list *out);
// Accepts a text: as those tokens where there are some, else as bytes, behind which canonical sequences begin anew.
// *last: the last token, or GCDC_NONE.
gcdc_status canonical_accept(gcdc_matcher *m, const char *text, size_t len, uint32_t *last);
// Accepts a token of the shortest way to an end: soft masks may prefer others to it, then it counts as its bytes.
gcdc_status canonical_accept_end(const gcdc_artifact *a, gcdc_matcher *m, uint32_t token);
// m stands before a token that its mask leaves out, last (or GCDC_NONE) being the one before. If the grammar could read
// it, the reason in words, malloc'd; else NULL.
char *canonical_reason(gcdc_matcher *m, uint32_t last, uint32_t token);

#endif
