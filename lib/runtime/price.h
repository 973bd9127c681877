// Costs in tokens, inside the runtime: see price.c.
#ifndef GCDC_PRICE_H
#define GCDC_PRICE_H

#include "runtime_internal.h"

// The book of the matcher's pool. GCDC_ERR_COSTS: the artifact has no costs.
gcdc_status prices_open(struct gcdc_matcher *m);
// What a frame answers to a question.
gcdc_status price_frame(struct gcdc_matcher *m, uint32_t frame, uint32_t question, uint32_t *price);
// The stacks below frame take terminal t; then the question.
gcdc_status price_shifted(struct gcdc_matcher *m, uint32_t frame, uint32_t t, uint32_t question, uint32_t *price);
// No answer of this stack to a goal is dearer; PRICE_NEVER: not known.
gcdc_status price_bound(struct gcdc_matcher *m, uint32_t frame, uint32_t *bound);
// What it takes on this stack when a lexeme of this row of COST_ROW is pending, which decides no column and has no rivals.
// More than `most` if it takes more than that.
gcdc_status price_group_of(struct gcdc_matcher *m, uint32_t frame, uint32_t row, uint32_t most, uint32_t *price);
// The stack with terminal t pushed, where there is one way to do so: *top with a reference of the caller's. Another status:
// as push_one. Pushed once and kept for a while, with what its frames were asked.
gcdc_status price_push(struct gcdc_matcher *m, uint32_t frame, uint32_t t, uint32_t *top);
// A lexeme is pending, in a text whose last blanks make this column. Lowers *price to what that takes, if it is less.
// has_rivals: other stacks may make something else of it.
gcdc_status price_lexeme(struct gcdc_matcher *m, struct reading r, uint32_t column, bool has_rivals, uint32_t *price);
// The same for a position where that cannot be told: by the tokens that can come.
gcdc_status price_ahead(struct gcdc_matcher *m, const struct position *p, uint32_t *price);

#endif
