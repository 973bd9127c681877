// What a position allows, on the device: sets of tokens, and sets of tokens to be tried.
//
// In:  a position.  Out: numbers of sets into a sink; readings that allow nothing are dropped. The logic is that of
// lib/runtime/matcher_sets.c (and of columns.c while a newline is pending), each stack a reading of its own.
// Cost: some dependent reads for each frame that is read.
#ifndef GCDC_CUDA_DEVICE_SETS_CUH
#define GCDC_CUDA_DEVICE_SETS_CUH

#include "device_stack.cuh"

#define MAX_SETS 64u
#define MAX_OPEN 64u

// Every set once; or, without room for any (sets NULL), only: is there a token?
struct set_sink {
	uint32_t *sets, *open;  // [MAX_SETS], [MAX_OPEN]: sure; to be tried
	uint32_t n, n_open;
	bool any;        // of the reading at hand: there was something
	bool all;        // a set of all tokens is among them
	bool is_viable;  // some set that is sure has a token
};
DEVICE bool add_once(uint32_t *list, uint32_t &n, uint32_t cap, uint32_t set)
{
	for (uint32_t i = 0; i < n; i++)
		if (list[i] == set) return true;
	if (n == cap) return false;
	list[n++] = set;
	return true;
}
DEVICE bool take_sure(const struct device_tables &a, struct set_sink &to, uint32_t set)
{
	uint32_t count = a.sets[set].count;
	if (!count) return true;
	to.is_viable = true;
	to.all = to.all || count == a.n_tokens;
	return !to.sets || add_once(to.sets, to.n, MAX_SETS, set);
}
DEVICE_CALL bool take_set(const struct device_tables &a, struct set_sink &to, uint32_t set)
{
	uint32_t maybe = a.sets[set].maybe;
	to.any = to.any || a.sets[set].count || maybe;
	bool ok = take_sure(a, to, set);
	if (!maybe || !a.sets[maybe].count) return ok;
	if (to.sets) return ok && add_once(to.open, to.n_open, MAX_OPEN, maybe);
	to.n_open = 1;
	return ok;
}
// Nothing more is asked.
DEVICE bool is_done(const struct set_sink &to) { return !to.sets && to.is_viable; }

// What a start says of the stack.
DEVICE_CALL gcdc_status take_start(const struct device_tables &a, const frame_pile &stack,
                                   const struct artifact_start &start, struct set_sink &sink)
{
	uint32_t set = start.set, node = start.node, at = pile_height(stack) - 1;
	for (;;) {
		if (!take_set(a, sink, set)) return GCDC_ERR_LIMIT;
		if (!node || is_done(sink)) return GCDC_OK;
		struct artifact_node n = a.nodes[node];
		if (n.skip >= at) return GCDC_ERR_INTERNAL;
		at -= 1 + n.skip;
		struct artifact_target e = target_of(a, n, pile_at(stack, at));
		set = e.set;
		node = e.next;
	}
}

// ---- While a newline is pending.
// On the stacks of all readings of p.
DEVICE gcdc_status take_row(const struct device_tables &a, uint32_t line, const struct position &p, uint32_t row,
                            struct set_sink &sink)
{
	struct artifact_start start;
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < p.n && !status; i++) {
		if (!line_start_of(a, line, row, pile_top(p.at[i].stack), start)) return GCDC_ERR_INTERNAL;
		status = take_start(a, p.at[i].stack, start, sink);
	}
	return status;
}

// Tokens whose blanks lead from `column` to exactly `target`; or (deeper) to more than it.
DEVICE gcdc_status take_rows(const struct device_tables &a, uint32_t line, const struct position &p, uint32_t column,
                             uint32_t target, bool deeper, struct set_sink &sink)
{
	gcdc_status status = GCDC_OK;
	uint32_t n_widths = a.info->n_widths, least = deeper ? target + 1 : target;
	if (deeper && column > target) least = column;
	for (uint32_t k = 0; k < n_widths && column <= least; k++) {
		uint32_t width = least - column, spaces = a.blanks[k].spaces;
		if (deeper ? spaces < width : spaces != width) continue;
		status = take_row(a, line, p, deeper ? k + n_widths : k, sink);
		break;
	}
	for (uint32_t k = 2 * n_widths; k < a.info->n_blanks && !status; k++) {
		uint32_t tab = a.info->tab, to = ((column + a.blanks[k].spaces) / tab + 1) * tab + a.blanks[k].rest;
		if (deeper ? to > target : to == target) status = take_row(a, line, p, k, sink);
	}
	return status;
}

// same, inside: room.
DEVICE_CALL gcdc_status take_lines(const struct device_tables &a, const struct reading &r, uint32_t line,
                                   uint32_t column, struct position &same, struct position &inside,
                                   struct set_sink &sink)
{
	if (column > ARTIFACT_MAX_COLUMN) return GCDC_OK;
	same.n = inside.n = 0;
	if (!position_add(same, r)) return GCDC_ERR_LIMIT;
	gcdc_status status = push_all(a, same, 0, a.info->newline);
	uint32_t open = pile_height(r.columns) - 1, target = pile_at(r.columns, open);
	if (!status && column <= target) status = take_rows(a, line, same, column, target, false, sink);
	for (uint32_t i = 0; i < same.n && !status; i++)
		if (!position_add(inside, same.at[i])) status = GCDC_ERR_LIMIT;
	if (!status) status = push_all(a, inside, 0, a.info->indent);
	if (!status) status = take_rows(a, line, inside, column, target, true, sink);
	while (!status && same.n && open) {
		target = pile_at(r.columns, --open);
		if (column > target) break;
		status = push_all(a, same, 0, a.info->dedent);
		if (!status) status = take_rows(a, line, same, column, target, false, sink);
	}
	return status;
}

// The sets of one reading. rooms: two.
DEVICE_CALL gcdc_status take_reading(const struct device_tables &a, const struct reading &r, uint32_t column,
                                     struct position *const *rooms, struct set_sink &sink)
{
	struct artifact_start start;
	if (!start_of(a, lex_base(a, r.lex_state), pile_top(r.stack), start)) return GCDC_OK;
	gcdc_status status = take_start(a, r.stack, start, sink);
	if (status || !a.n_lines || is_done(sink)) return status;
	struct artifact_lex_state lex = a.lex_states[r.lex_state];
	if (!takes_line(a, lex, r)) return GCDC_OK;
	return take_lines(a, r, lex.line, column, *rooms[0], *rooms[1], sink);
}

// The sets of all readings; drops those that have none.
DEVICE gcdc_status take_position(const struct device_tables &a, struct position &p, struct position *const *rooms,
                                 struct set_sink &sink)
{
	sink.n = sink.n_open = 0;
	sink.all = sink.is_viable = false;
	for (uint32_t i = 0; i < p.n;) {
		sink.any = false;
		gcdc_status status = take_reading(a, p.at[i], p.column, rooms, sink);
		if (status) return status;
		if (sink.any)
			i++;
		else
			position_drop(p, i);
	}
	return GCDC_OK;
}

// ---- Tokens that have to be tried. A thread tries one, in memory of its own; what is too much for that is for the
// host.
#define TRY_READINGS 3u
#define TRY_FRAMES 32u
#define TRY_COLUMNS 4u
struct attempt {
	struct position_room<TRY_READINGS, TRY_FRAMES, TRY_COLUMNS> room[3];
};

// Does the text end in a '\n', as far as that matters?
DEVICE bool has_newline(const struct device_tables &a, const struct position &p)
{
	for (uint32_t i = 0; i < p.n; i++) {
		uint32_t flags = a.lex_states[p.at[i].lex_state].flags;
		if (flags & LEX_NEWLINE || (flags & LEX_LINE && !p.column)) return true;
	}
	return false;
}

// May the text end behind *now?
DEVICE gcdc_status try_end(const struct device_tables &a, struct position *now, struct position *next,
                           struct position &after, bool &yes)
{
	gcdc_status status = ends_so(a, *now, after, yes);
	if (status || yes || !a.info->end_newline || has_newline(a, *now)) return status;
	const uint8_t newline = '\n';
	status = step_bytes(a, now, next, &newline, 1);
	return status ? status : ends_so(a, *now, after, yes);
}

// Is the token, no EOS id, allowed behind *now?
DEVICE gcdc_status try_bytes(const struct device_tables &a, struct position *now, struct position *next,
                             struct position &room, uint32_t token, bool &yes)
{
	uint32_t begin = a.token_offset[token], end = a.token_offset[token + 1];
	if (begin == end) return GCDC_OK;
	gcdc_status status = step_bytes(a, now, next, a.token_bytes + begin, end - begin);
	struct set_sink sink = {};
	struct position *const rooms[2] = {next, &room};
	for (uint32_t i = 0; i < now->n && !status && !sink.is_viable; i++)
		status = take_reading(a, now->at[i], now->column, rooms, sink);
	if (status) return status;
	yes = sink.is_viable;
	return !yes && sink.n_open ? GCDC_ERR_LIMIT : GCDC_OK;  // tries within tries
}

// Is the token allowed at p? Each reading is asked for itself, so that room for what becomes of one is enough.
DEVICE_CALL gcdc_status try_token(const struct device_tables &a, const struct position &p, uint32_t token,
                                  struct attempt &x, bool &yes)
{
	gcdc_status all = GCDC_OK;
	bool is_end = is_eos(a, token);
	yes = false;
	for (uint32_t i = 0; i < p.n && !yes; i++) {
		struct position room[3];
		for (uint32_t k = 0; k < 3; k++) {
			position_open(room[k], x.room[k]);
			for (uint32_t r = 0; r < TRY_READINGS; r++) reading_open(x.room[k], r);
		}
		room[0].column = p.column;
		gcdc_status status = GCDC_ERR_LIMIT;
		bool fits = position_add(room[0], p.at[i]);
		if (fits && is_end)
			status = try_end(a, &room[0], &room[1], room[2], yes);
		else if (fits)
			status = try_bytes(a, &room[0], &room[1], room[2], token, yes);
		if (status) all = status;
	}
	return yes ? GCDC_OK : all;
}

#endif
