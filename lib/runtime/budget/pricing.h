// Masks and prices under a budget: what pricing.c, group_mask.c, budget.c and budget_calls.c share.
#ifndef PRICING_H
#define PRICING_H

#include "price.h"
#include "step_table.h"

struct pricing {
	struct position after;
	struct set_list list;
	struct vec32 sets, tries;  // groups that fit, and those whose tokens are to be tried
	struct pair_map seen;      // what is in these two
	bool all_fit;              // no group was left out, and none is to be tried
	struct vec32 allowed;
	struct probe_cache probe_cache;  // tokens that are tried
	struct vec32 todo;               // struct outcome_place, three numbers each
	struct set_list within;          // of a completion: what leaves enough, and as a mask
	uint32_t *row;
};

// The matcher's, made if it has none.
gcdc_status pricing_open(struct gcdc_matcher *m);
// Every token of a list, one after the other: for (struct each e = each_of(list); each_next(a, &e);) e.token
struct each {
	const struct set_list *list;
	uint32_t set, extra, token;
	struct set_words words;
	bool is_open;
};
struct each each_of(const struct set_list *list);
bool each_next(const struct gcdc_artifact *a, struct each *e);
// The groups after which `enough` tokens end the text, into m->pricing: sets that fit, sets to try. *whole: false
// where the tables do not tell. (group_mask.c)
gcdc_status group_mask(struct gcdc_matcher *m, const struct position *p, uint32_t enough, bool *whole);

#endif
