// An artifact's sections on the device: the one place that reads them.
//
// In:  addresses of sections copied verbatim (formats/artifact.h).  Out: what a number stands for: rows, sets, tokens.
// The functions are those of lib/runtime on the same bytes. The runtime has proved every index inside the sections to
// be in range when it opened the file; numbers that come from elsewhere are checked by whoever brings them.
#ifndef GCDC_CUDA_DEVICE_TABLES_CUH
#define GCDC_CUDA_DEVICE_TABLES_CUH

#include "../../formats/artifact.h"
#include "device.cuh"

struct device_tables {
	uint32_t n_tokens, mask_words, n_sets;
	const struct artifact_set *sets;
	const uint32_t *dense, *sparse, *eos;
	// Of the matcher.
	const struct artifact_info *info;
	const struct artifact_terminal *terminals;
	const struct artifact_production *productions;
	const uint32_t *lex_next, *lex_start;
	const struct artifact_lex_state *lex_states;
	const struct artifact_lr_state *lr_states;
	const struct artifact_cell *lr_action, *lr_goto, *start_base;
	const uint32_t *choice, *contexts, *live;
	const struct artifact_start *starts;
	const struct artifact_node *nodes;
	const uint16_t *edge_frames;
	const uint32_t *edges;
	const struct artifact_target *targets;
	const struct artifact_blank *blanks;
	const uint32_t *line_tops;
	const uint32_t *token_offset;
	const uint8_t *token_bytes;
	// Of repetitions that are counted.
	const struct artifact_counters *counters;
	const struct artifact_counter *counter_list;
	const struct artifact_counted *counter_states;
	// Of masks under a budget; has_steps: the artifact holds them.
	const struct artifact_cost_info *cost_info;
	const uint32_t *step_starts;
	const struct artifact_step_node *step_nodes;
	const uint16_t *step_edge_classes;
	const uint32_t *step_edges;
	const struct artifact_mask_step *steps;
	const struct artifact_step_part *step_parts;
	const struct artifact_step_class *step_classes;
	const struct artifact_step_push *step_pushes;
	const struct artifact_step_ladder *step_ladders;
	const struct artifact_step_level *step_levels;
	bool has_steps;
	// Of INFO, so that they are at hand.
	uint32_t n_eos, n_lex_states, n_terminals, n_nonterminals, n_classes, n_contexts, max_pushes, n_lines;
};

// Which sections a table holds, and where their addresses go.
struct section_place {
	uint32_t id;
	bool for_matcher;
	size_t place;  // in struct device_tables
};
#define SECTION_PLACE(id, for_matcher, member)                                                                         \
	{                                                                                                                  \
		id, for_matcher, offsetof(struct device_tables, member)                                                        \
	}
#define SECTION_PLACES                                                                                                 \
	SECTION_PLACE(SECTION_SET, false, sets), SECTION_PLACE(SECTION_DENSE, false, dense),                               \
		SECTION_PLACE(SECTION_SPARSE, false, sparse), SECTION_PLACE(SECTION_EOS, false, eos),                          \
		SECTION_PLACE(SECTION_INFO, true, info), SECTION_PLACE(SECTION_TERMINAL, true, terminals),                     \
		SECTION_PLACE(SECTION_PRODUCTION, true, productions), SECTION_PLACE(SECTION_LEX_NEXT, true, lex_next),         \
		SECTION_PLACE(SECTION_LEX_STATE, true, lex_states), SECTION_PLACE(SECTION_LEX_START, true, lex_start),         \
		SECTION_PLACE(SECTION_LR_STATE, true, lr_states), SECTION_PLACE(SECTION_LR_ACTION, true, lr_action),           \
		SECTION_PLACE(SECTION_LR_GOTO, true, lr_goto), SECTION_PLACE(SECTION_CHOICE, true, choice),                    \
		SECTION_PLACE(SECTION_CONTEXT, true, contexts), SECTION_PLACE(SECTION_LIVE, true, live),                       \
		SECTION_PLACE(SECTION_START_BASE, true, start_base), SECTION_PLACE(SECTION_START, true, starts),               \
		SECTION_PLACE(SECTION_NODE, true, nodes), SECTION_PLACE(SECTION_EDGE_FRAME, true, edge_frames),                \
		SECTION_PLACE(SECTION_EDGE, true, edges), SECTION_PLACE(SECTION_TARGET, true, targets),                        \
		SECTION_PLACE(SECTION_BLANK, true, blanks), SECTION_PLACE(SECTION_LINE_TOP, true, line_tops),                  \
		SECTION_PLACE(SECTION_TOKEN_OFFSET, true, token_offset),                                                       \
		SECTION_PLACE(SECTION_TOKEN_BYTES, true, token_bytes), SECTION_PLACE(SECTION_COUNTERS, true, counters),        \
		SECTION_PLACE(SECTION_COUNTER, true, counter_list), SECTION_PLACE(SECTION_COUNTED, true, counter_states),      \
		SECTION_PLACE(SECTION_COST_INFO, true, cost_info), SECTION_PLACE(SECTION_STEP_START, true, step_starts),       \
		SECTION_PLACE(SECTION_STEP_NODE, true, step_nodes),                                                            \
		SECTION_PLACE(SECTION_STEP_EDGE_CLASS, true, step_edge_classes),                                               \
		SECTION_PLACE(SECTION_STEP_EDGE, true, step_edges), SECTION_PLACE(SECTION_STEP, true, steps),                  \
		SECTION_PLACE(SECTION_STEP_PART, true, step_parts), SECTION_PLACE(SECTION_STEP_CLASS, true, step_classes),     \
		SECTION_PLACE(SECTION_STEP_PUSH, true, step_pushes), SECTION_PLACE(SECTION_STEP_LADDER, true, step_ladders),   \
		SECTION_PLACE(SECTION_STEP_LEVEL, true, step_levels)

// ---- Sets.
// The tokens of a row (NULL: none), with the bits of the tokens in a list turned round.
struct set_parts {
	const uint32_t *row, *list;
	uint32_t n, count;
};
DEVICE struct set_parts set_parts_of(const struct device_tables &a, uint32_t set)
{
	struct artifact_set s = a.sets[set < a.n_sets ? set : 0];
	const uint32_t *row = s.dense == ARTIFACT_NONE ? nullptr : a.dense + (uint64_t)s.dense * a.mask_words;
	return {row, a.sparse + s.at, s.n, s.count};
}
DEVICE bool list_has(const uint32_t *list, uint32_t n, uint32_t token)
{
	uint32_t low = 0, high = n;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (list[mid] < token)
			low = mid + 1;
		else
			high = mid;
	}
	return low < n && list[low] == token;
}
// The last of n numbers from `first` on, which ascend, that passes; the first one where none does.
template <typename F> DEVICE uint32_t last_of(uint32_t first, uint32_t n, F passes)
{
	while (n > 1) {
		uint32_t half = n / 2;
		first = passes(first + half) ? first + half : first;
		n -= half;
	}
	return first;
}

// ---- Lexer.
DEVICE uint32_t class_of(const struct device_tables &a, uint8_t byte) { return a.info->class_of[byte]; }

// A state with a number of repetitions counted is a number past all states: lib/runtime/core/counters.c.
// The place of a state in COUNTED; n_states: it is not there.
DEVICE uint32_t find_counted(const struct device_tables &a, uint32_t lex_state)
{
	uint32_t first =
		last_of(0, a.counters->n_states, [&](uint32_t i) { return a.counter_states[i].lex_state <= lex_state; });
	return a.counter_states[first].lex_state == lex_state ? first : a.counters->n_states;
}
// The `from` of the counter that leads to a state; opening has proved that there is one.
DEVICE uint32_t counted_from(const struct device_tables &a, uint32_t to)
{
	return a.counter_list[last_of(0, a.counters->n_counters, [&](uint32_t i) { return a.counter_list[i].to <= to; })]
	    .from;
}
// The state whose rows are those of q.
DEVICE uint32_t lex_base(const struct device_tables &a, uint32_t q)
{
	return q < a.n_lex_states ? q : a.counter_states[(q - a.n_lex_states) % a.counters->n_states].lex_state;
}
DEVICE_CALL uint32_t lex_counted_next(const struct device_tables &a, uint32_t q, uint32_t c)
{
	const uint32_t n_states = a.counters->n_states, n = a.n_lex_states;
	uint32_t number = q < n ? 0 : (q - n) / n_states + 1;
	struct artifact_counted from = a.counter_states[q < n ? find_counted(a, q) : (q - n) % n_states];
	uint32_t x = a.lex_next[(uint64_t)from.lex_state * a.n_classes + c], to = x & LEX_STATE_MASK;
	if (x & LEX_COUNTED) {
		if (number == a.counter_list[from.counter].more) return to;
		to = counted_from(a, to);
		number++;
	}
	if (!number) return x;
	uint32_t place = find_counted(a, to);
	if (place == n_states) return x;  // it has left the repetition
	return (x & LEX_COUNTED ? 0 : x & LEX_CUT) | (n + (number - 1) * n_states + place);
}
DEVICE uint32_t lex_next(const struct device_tables &a, uint32_t lex_state, uint32_t c)
{
	if (lex_state >= a.n_lex_states) return lex_counted_next(a, lex_state, c);
	uint32_t x = a.lex_next[(uint64_t)lex_state * a.n_classes + c];
	return x & LEX_COUNTED ? lex_counted_next(a, lex_state, c) : x;
}
// Where a lexeme begins on a stack whose top has this context; 0: dead.
DEVICE uint32_t lex_start(const struct device_tables &a, uint32_t obligation, uint32_t context)
{
	return a.lex_start[(uint64_t)obligation * a.n_contexts + context];
}

// ---- Parser.
DEVICE bool bit_of(const uint32_t *bitmaps, uint32_t row, uint32_t n_columns, uint32_t column)
{
	return bitmaps[(uint64_t)row * BITMAP_WORDS(n_columns) + column / 32] >> column % 32 & 1;
}
// The entry of a row in a column, or `none`.
DEVICE uint32_t cell_value(const struct artifact_cell *cells, uint32_t row, uint32_t column, uint32_t none)
{
	struct artifact_cell x = cells[(uint64_t)row + column];
	return x.column == column ? x.value : none;
}
DEVICE uint32_t action(const struct device_tables &a, uint32_t lr_state, uint32_t t)
{
	struct artifact_lr_state s = a.lr_states[lr_state];
	struct artifact_cell x = a.lr_action[(uint64_t)s.action_row + t];
	if (x.column == t) return x.value;
	return s.reduction && t < a.n_terminals && bit_of(a.contexts, s.context, a.n_terminals, t) ? s.reduction : 0;
}
DEVICE uint32_t goto_of(const struct device_tables &a, uint32_t lr_state, uint32_t nonterminal)
{
	return cell_value(a.lr_goto, a.lr_states[lr_state].goto_row, nonterminal, 0);
}
DEVICE bool has_end(const struct device_tables &a, uint32_t lr_state)
{
	return action(a, lr_state, a.n_terminals) != 0;
}
DEVICE bool is_ignored(const struct device_tables &a, uint32_t t) { return a.terminals[t].flags & TERMINAL_IGNORED; }

// ---- What is allowed.
// The set of tokens that masks leave out in a lexer state; 0: none.
DEVICE uint32_t left_out_of(const struct device_tables &a, uint32_t lex_state)
{
	return a.lex_states[lex_base(a, lex_state)].without;
}
// The start for (lex_state, top); false: there is none.
DEVICE bool start_of(const struct device_tables &a, uint32_t lex_state, uint32_t top, struct artifact_start &out)
{
	struct artifact_lr_state x = a.lr_states[top];
	struct artifact_lex_state q = a.lex_states[lex_state];
	struct artifact_cell cell = a.start_base[(uint64_t)q.start_row + x.context];
	uint32_t base = cell.column == x.context                          ? cell.value
	                : bit_of(a.live, q.live, a.n_contexts, x.context) ? q.start_most
	                                                                  : ARTIFACT_NONE;
	if (base == ARTIFACT_NONE) return false;
	out = a.starts[base + x.rank];
	return true;
}
// The start for tokens that begin with blanks of this row, behind a newline, on this top; false: there is none.
DEVICE bool line_start_of(const struct device_tables &a, uint32_t line, uint32_t row, uint32_t lr_state,
                          struct artifact_start &out)
{
	uint32_t top = a.line_tops[lr_state];
	if (top == ARTIFACT_NONE) return false;
	out = a.starts[a.info->line_start + ((uint64_t)line * a.info->n_blanks + row) * a.info->n_line_tops + top];
	return true;
}
// Where a node leads that reads this frame.
DEVICE struct artifact_target target_of(const struct device_tables &a, const struct artifact_node &x, uint32_t lr_state)
{
	uint32_t first = x.first, n = x.n;
	if (!n) return a.targets[x.other];
	while (n > 1) {  // the last frame that is <= lr_state
		uint32_t half = n / 2;
		first = a.edge_frames[first + half] <= lr_state ? first + half : first;
		n -= half;
	}
	return a.targets[a.edge_frames[first] == lr_state ? a.edges[first] : x.other];
}
DEVICE bool is_eos(const struct device_tables &a, uint32_t token) { return list_has(a.eos, a.n_eos, token); }

#endif
