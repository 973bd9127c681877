// What the parser generator can tell about a grammar's conflicts.
#ifndef GCDC_LR_LR_REPORT_H
#define GCDC_LR_LR_REPORT_H

#include "../grammar/grammar.h"

// One of the actions a conflict is between.
struct lr_way {
	const char *text;  // "rule: a b . c", the dot where the parser stands
	struct loc loc;
	bool shifts;  // goes on with the rule; else finishes it
	bool kept;    // in some place it stays
};
// The same terminal between the same rules; it may arise in many lr_states.
struct lr_conflict {
	terminal_id terminal;       // n_terminals: end of text
	const char *terminal_text;  // as a person would write it
	const char *example;        // a shortest text up to the conflict, a dot, the terminal
	struct lr_way *ways;
	uint32_t n_ways;
	uint32_t n_cells, n_kept;  // canonical lr_states that have it; those in which several actions are kept
};
struct lr_report {
	struct lr_conflict *conflicts;  // in the order of canonical lr_states
	uint32_t n_conflicts, n_kept;   // n_kept: conflicts with n_kept > 0
	uint32_t n_unproved;            // cells for which the search ended at a limit (PROVE_MAX_WORK)
	uint64_t work;                  // steps of the search
	bool may_grow;  // the number of stacks of one text may grow with its length; else most_stacks bounds it
	uint32_t most_stacks;
};

// A kept conflict as an error with notes, for those who want none.
void lr_conflict_refuse(const struct lr_conflict *c, struct diag *d);

#endif
