// The matcher on the device: readings of a text, moved over bytes.
//
// In:  a position (its readings: stack and lexer state each), bytes.  Out: the position behind them. The logic is that of
// lib/runtime/matcher_step.c for grammars without choices, where each reading is a group of its own; it must agree with it
// on every bit.
// A stack is an array of lr_states in device memory that is only read here, `below`, of which `base` frames count, and the
// frames above, `own`: nothing is written to device memory until the step is known to be
// right (device_batch.cuh). Open columns of an indentation are kept in the same way.
// What passes a bound is GCDC_ERR_LIMIT: the host must do this row.
// Cost: a dependent read of memory a byte, some six a cut.
#ifndef GCDC_CUDA_DEVICE_STACK_CUH
#define GCDC_CUDA_DEVICE_STACK_CUH

#include "device_tables.cuh"
#include "launch.cuh"

#define COLUMN_BAD UINT32_MAX   // a tab that is refused

// An array that is read from device memory and grows here.
template <typename T> struct pile {
	const T *below;
	T *own;
	uint32_t base, n, cap;   // entries of below; of own; room there
};
typedef struct pile<uint16_t> frame_pile;
template <typename T> DEVICE uint32_t pile_height(const struct pile<T> &p) { return p.base + p.n; }
template <typename T> DEVICE uint32_t pile_at(const struct pile<T> &p, uint32_t i) { return i < p.base ? p.below[i] : p.own[i - p.base]; }
template <typename T> DEVICE uint32_t pile_top(const struct pile<T> &p) { return pile_at(p, p.base + p.n - 1); }
template <typename T> DEVICE bool pile_push(struct pile<T> &p, uint32_t x)
{
	if (p.n == p.cap) return false;
	p.own[p.n++] = (T)x;
	return true;
}
// n is less than the height.
template <typename T> DEVICE void pile_pop(struct pile<T> &p, uint32_t n)
{
	uint32_t own = min_of(n, p.n);
	p.n -= own;
	p.base -= n - own;
}
// False: there is no room for it.
template <typename T> DEVICE bool pile_copy(struct pile<T> &to, const struct pile<T> &from)
{
	if (from.n > to.cap) return false;
	to.below = from.below;
	to.base = from.base;
	to.n = from.n;
	for (uint32_t i = 0; i < from.n; i++) to.own[i] = from.own[i];
	return true;
}

struct reading {
	frame_pile stack;                // at the bottom lr_state 1, which never goes
	struct pile<uint32_t> columns;   // at the bottom 0; empty where lines have none
	uint32_t lex_state, buffer;      // buffer: which `below` is
};
DEVICE_CALL bool reading_copy(struct reading &to, const struct reading &from)
{
	to.lex_state = from.lex_state;
	to.buffer = from.buffer;
	return pile_copy(to.stack, from.stack) && pile_copy(to.columns, from.columns);
}

struct position {
	struct reading *at;
	uint32_t n, cap, column;
};

// Room for a position of some readings.
template <uint32_t READINGS, uint32_t FRAMES, uint32_t COLUMNS> struct position_room {
	static const uint32_t CAP = READINGS;
	struct reading at[READINGS];
	uint16_t frames[READINGS][FRAMES];
	uint32_t columns[READINGS][COLUMNS];
};
template <uint32_t F> DEVICE void pile_open(frame_pile &p, uint16_t (&own)[F])
{
	p.own = own;
	p.cap = F;
	p.n = p.base = 0;
}
template <uint32_t R, uint32_t F, uint32_t C> DEVICE void position_open(struct position &p, struct position_room<R, F, C> &room)
{
	p.at = room.at;
	p.n = 0;
	p.cap = R;
	for (uint32_t i = 0; i < R; i++) {
		pile_open(room.at[i].stack, room.frames[i]);
		room.at[i].columns.own = room.columns[i];
		room.at[i].columns.cap = C;
		room.at[i].columns.n = room.at[i].columns.base = 0;
	}
}

#define PUSH_NONE ((gcdc_status)101)   // inside only: the terminal won, but it is not viable on this stack

// Reductions under terminal t, then its shift. PUSH_NONE leaves the stack as it was.
DEVICE_CALL gcdc_status push_terminal(const struct device_tables &a, frame_pile &s, uint32_t t)
{
	// A grammar without cycles reduces at most once per nonterminal on each frame that is there or comes.
	uint64_t fuel = ((uint64_t)pile_height(s) + a.max_pushes + 2) * ((uint64_t)a.n_nonterminals + 1);
	for (const uint64_t all = fuel; fuel; fuel--) {
		uint32_t x = action(a, pile_top(s), t);
		if (x >> 31) return x == ACTION_SKIP ? GCDC_OK : GCDC_ERR_UNSUPPORTED;
		if (x & 1) return pile_push(s, x >> 1) ? GCDC_OK : GCDC_ERR_LIMIT;
		if (!x) return fuel == all ? PUSH_NONE : GCDC_ERR_INTERNAL;
		struct artifact_production p = a.productions[(x >> 1) - 1];
		if (p.length >= pile_height(s)) return GCDC_ERR_INTERNAL;
		pile_pop(s, p.length);
		uint32_t to = goto_of(a, pile_top(s), p.lhs);
		if (!to) return GCDC_ERR_INTERNAL;
		if (!pile_push(s, to)) return GCDC_ERR_LIMIT;
	}
	return GCDC_ERR_INTERNAL;
}
DEVICE gcdc_status push_one(const struct device_tables &a, frame_pile &s, uint32_t t)
{
	return is_ignored(a, t) ? GCDC_OK : push_terminal(a, s, t);
}

// ---- Columns: lib/runtime/matcher_lines.c.
DEVICE uint32_t column_of(const struct reading &r) { return pile_top(r.columns); }

DEVICE uint32_t text_column(const struct device_tables &a, uint32_t column, const uint8_t *bytes, uint32_t n)
{
	uint32_t at = n, tab = a.info->tab, rule = a.info->tab_rule;
	while (at > 0 && (bytes[at - 1] == ' ' || bytes[at - 1] == '\t')) at--;
	if (at > 0) column = 0;
	for (; at < n && column <= ARTIFACT_MAX_COLUMN; at++) {
		if (bytes[at] == ' ') column++;
		else if (rule == ARTIFACT_TAB_REFUSED) column = COLUMN_BAD;
		else if (rule == ARTIFACT_TAB_COUNTS) column += tab;
		else column = (column / tab + 1) * tab;
	}
	return column;
}

// Would the lexeme of this lexer state, ended, be a newline that decides columns?
DEVICE bool takes_line(const struct device_tables &a, const struct artifact_lex_state &lex, const struct reading &r)
{
	if (!(lex.flags & LEX_LINE)) return false;
	uint32_t x = action(a, pile_top(r.stack), lex.terminal);
	return x && x != ACTION_SKIP;
}

// Pushes t where it is viable; *is_there: it was.
DEVICE gcdc_status push_viable(const struct device_tables &a, frame_pile &s, uint32_t t, bool &is_there)
{
	is_there = action(a, pile_top(s), t) != 0;
	return is_there ? push_one(a, s, t) : GCDC_OK;
}

// Newline, and what the column makes, on r. *is_there: the column is possible here.
DEVICE_CALL gcdc_status push_line(const struct device_tables &a, struct reading &r, uint32_t column, bool &is_there)
{
	is_there = false;
	if (column == COLUMN_BAD) return GCDC_OK;
	if (column > ARTIFACT_MAX_COLUMN) return GCDC_ERR_LIMIT;
	gcdc_status status = push_viable(a, r.stack, a.info->newline, is_there);
	if (status || !is_there) return status;
	if (column > column_of(r)) {
		status = push_viable(a, r.stack, a.info->indent, is_there);
		if (status || !is_there) return status;
		return pile_push(r.columns, column) ? GCDC_OK : GCDC_ERR_LIMIT;
	}
	while (column < column_of(r) && is_there && !status) {
		status = push_viable(a, r.stack, a.info->dedent, is_there);
		pile_pop(r.columns, 1);
	}
	is_there = is_there && column == column_of(r);
	return status;
}

// ---- Bytes.
// A terminal is on r's stack, leaving this residue; a byte of class c begins the next lexeme. Keeps r in p, where it is the
// last reading, if it goes on.
DEVICE void after_terminal(const struct device_tables &a, struct position &p, uint32_t residue, uint32_t c)
{
	struct reading &r = p.at[p.n - 1];
	uint32_t fresh = lex_start(a, residue, a.lr_states[pile_top(r.stack)].context);
	uint32_t y = fresh ? lex_next(a, fresh, c) & LEX_STATE_MASK : 0;
	r.lex_state = y;
	if (!y) p.n--;
}

// The lexeme of r ends before byte bytes[at], in one way.
DEVICE_CALL gcdc_status cut(const struct device_tables &a, struct position &to, const struct reading &r, uint32_t way, uint32_t column, const uint8_t *bytes,
                       uint32_t at, uint32_t c)
{
	struct artifact_lex_state lex = a.lex_states[way];
	if (to.n == to.cap) return GCDC_ERR_LIMIT;
	struct reading &x = to.at[to.n++];
	if (!reading_copy(x, r)) return GCDC_ERR_LIMIT;
	gcdc_status status;
	bool is_there = true;
	if (lex.flags & LEX_LINE && takes_line(a, lex, r)) status = push_line(a, x, text_column(a, column, bytes, at), is_there);
	else status = push_one(a, x.stack, lex.terminal);
	if (status == PUSH_NONE) is_there = false;
	else if (status) return status;
	if (is_there) after_terminal(a, to, lex.residue, c);
	else to.n--;
	return GCDC_OK;
}

// Byte bytes[at] for all readings. column: of the text before bytes.
DEVICE gcdc_status step_byte(const struct device_tables &a, const struct position &from, struct position &to, uint32_t column, const uint8_t *bytes, uint32_t at)
{
	uint32_t c = class_of(a, bytes[at]);
	to.n = 0;
	for (uint32_t i = 0; i < from.n; i++) {
		const struct reading &r = from.at[i];
		uint32_t x = lex_next(a, r.lex_state, c);
		for (uint32_t way = x & LEX_CUT ? r.lex_state : 0; way; way = a.lex_states[way].also) {
			gcdc_status status = cut(a, to, r, way, column, bytes, at, c);
			if (status) return status;
		}
		if (!(x & LEX_STATE_MASK)) continue;
		if (to.n == to.cap || !reading_copy(to.at[to.n], r)) return GCDC_ERR_LIMIT;
		to.at[to.n++].lex_state = x & LEX_STATE_MASK;
	}
	return GCDC_OK;
}

// now and next are two positions; the result is `now` (they may be exchanged). No reading left: the text is not viable.
DEVICE_CALL gcdc_status step_bytes(const struct device_tables &a, struct position *&now, struct position *&next, const uint8_t *bytes, uint32_t n)
{
	uint32_t column = now->column;
	for (uint32_t at = 0; at < n && now->n;) {
		if (now->n == 1) {   // inside the lexeme
			uint32_t q = now->at[0].lex_state, x;
			while (at < n && (x = lex_next(a, q, class_of(a, bytes[at])), (int32_t)x > 0)) {
				q = x;
				at++;
			}
			now->at[0].lex_state = q;
			if (at == n) break;
		}
		gcdc_status status = step_byte(a, *now, *next, column, bytes, at++);
		if (status) return status;
		struct position *swap = now;
		now = next, next = swap;
	}
	now->column = a.n_lines ? text_column(a, column, bytes, n) : 0;
	return GCDC_OK;
}

// ---- The end of the text: lib/runtime/matcher_group.c, for groups of one reading.
// May the text end when the lexeme of r ends as `lex`? scratch is used up.
DEVICE gcdc_status ends_after(const struct device_tables &a, const struct reading &r, const struct artifact_lex_state &lex,
                              uint32_t column, struct reading &scratch, bool &ends)
{
	if (!reading_copy(scratch, r)) return GCDC_ERR_LIMIT;
	bool is_there = true;
	gcdc_status status;
	if (!a.n_lines) status = push_one(a, scratch.stack, lex.terminal);
	else if (takes_line(a, lex, r)) status = push_line(a, scratch, column, is_there);
	else status = is_ignored(a, lex.terminal) ? GCDC_OK : push_viable(a, scratch.stack, lex.terminal, is_there);
	while (!status && is_there) {
		ends = has_end(a, pile_top(scratch.stack));
		if (ends || !a.n_lines) return GCDC_OK;
		status = push_viable(a, scratch.stack, a.info->dedent, is_there);
	}
	return status == PUSH_NONE ? GCDC_OK : status;
}

DEVICE_CALL gcdc_status ends_so(const struct device_tables &a, const struct position &p, struct reading &scratch, bool &ends)
{
	ends = false;
	for (uint32_t i = 0; i < p.n && !ends; i++) {
		const struct reading &r = p.at[i];
		uint32_t best = 0, rank = UINT32_MAX;   // the best terminal that the lexeme can be
		for (uint32_t way = r.lex_state; way; way = a.lex_states[way].also) {
			uint32_t t = a.lex_states[way].terminal;
			if (t == ARTIFACT_NONE || a.terminals[t].rank >= rank) continue;
			best = way;
			rank = a.terminals[t].rank;
		}
		struct artifact_lex_state lex = a.lex_states[best];
		if (best && lex.flags & LEX_MAY_END) {
			gcdc_status status = ends_after(a, r, lex, p.column, scratch, ends);
			if (status) return status;
		}
		if (a.lex_states[r.lex_state].flags & LEX_INITIAL) ends = ends || has_end(a, pile_top(r.stack));
	}
	return GCDC_OK;
}

#endif
