// The matcher on the device: readings of a text, moved over bytes.
//
// In:  a position (its readings: stack and lexer state each), bytes.  Out: the position behind them. What a reading
// does is what it does on the host (lib/runtime/matcher_step.c, matcher_several.c), and the two must agree on every
// bit. There stacks with one top are one reading and share what lies below (graph_push.c); here each stack is a
// reading of its own. Where the grammar leaves a choice a reading becomes several, each with a copy of its stack; equal
// readings become one. A stack is an array of lr_states in device memory that is only read here, `below`, of which
// `base` frames count, and the frames above, `own`: nothing is written to device memory until the step is known to be
// right (device_batch.cuh). Open columns of an indentation are kept in the same way.
// What passes a bound is GCDC_ERR_LIMIT: the host must do this row.
// Cost: a dependent read of memory a byte, some six a cut; for each way of a choice a copy of the frames above `below`.
#ifndef GCDC_CUDA_DEVICE_STACK_CUH
#define GCDC_CUDA_DEVICE_STACK_CUH

#include "device_tables.cuh"
#include "launch.cuh"

#define COLUMN_BAD UINT32_MAX  // a tab that is refused

// An array that is read from device memory and grows here.
template <typename T> struct pile {
	const T *below;
	T *own;
	uint32_t base, n, cap;  // entries of below; of own; room there
};
typedef struct pile<uint16_t> frame_pile;
template <typename T> DEVICE uint32_t pile_height(const struct pile<T> &p) { return p.base + p.n; }
template <typename T> DEVICE uint32_t pile_at(const struct pile<T> &p, uint32_t i)
{
	return i < p.base ? p.below[i] : p.own[i - p.base];
}
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
// Compared from the top down: where piles differ, they most often do so there.
template <typename T> DEVICE bool pile_equals(const struct pile<T> &p, const struct pile<T> &q)
{
	uint32_t n = pile_height(p);
	if (n != pile_height(q)) return false;
	uint32_t shared = p.below == q.below ? min_of(p.base, q.base) : 0;  // the same memory
	while (n > shared && pile_at(p, n - 1) == pile_at(q, n - 1)) n--;
	return n == shared;
}

struct reading {
	frame_pile stack;               // at the bottom lr_state 1, which never goes
	struct pile<uint32_t> columns;  // at the bottom 0; empty where lines have none
	uint32_t lex_state, buffer;     // buffer: which `below` is
	uint32_t action;                // while a terminal is pushed: what is done first. 0: what the top says
};
DEVICE_CALL bool reading_copy(struct reading &to, const struct reading &from)
{
	to.lex_state = from.lex_state;
	to.buffer = from.buffer;
	to.action = from.action;
	return pile_copy(to.stack, from.stack) && pile_copy(to.columns, from.columns);
}
DEVICE bool reading_equals(const struct reading &x, const struct reading &y)
{
	return x.lex_state == y.lex_state && pile_equals(x.stack, y.stack) && pile_equals(x.columns, y.columns);
}

struct position {
	struct reading *at;
	uint32_t n, cap, column;
};
// A copy of r as its last reading; false: there is no room.
DEVICE bool position_add(struct position &p, const struct reading &r)
{
	return p.n < p.cap && reading_copy(p.at[p.n++], r);
}
// The last reading takes the place of reading k. Room for a reading is alike everywhere in a position, so it fits.
DEVICE void position_drop(struct position &p, uint32_t k)
{
	p.n--;
	if (k < p.n) reading_copy(p.at[k], p.at[p.n]);
}
// Reading k, if it equals one from `first` up to it, is dropped.
DEVICE_CALL bool drop_if_known(struct position &p, uint32_t first, uint32_t k)
{
	for (uint32_t i = first; i < k; i++) {
		if (!reading_equals(p.at[i], p.at[k])) continue;
		position_drop(p, k);
		return true;
	}
	return false;
}

// Room for a position of some readings.
template <uint32_t READINGS, uint32_t FRAMES, uint32_t COLUMNS> struct position_room {
	static const uint32_t CAP = READINGS;
	struct reading at[READINGS];
	uint16_t frames[READINGS][FRAMES];
	uint32_t columns[READINGS][COLUMNS];
};
template <typename T, uint32_t N> DEVICE void pile_open(struct pile<T> &p, T (&own)[N])
{
	p.own = own;
	p.cap = N;
	p.n = p.base = 0;
}
template <uint32_t R, uint32_t F, uint32_t C> DEVICE void reading_open(struct position_room<R, F, C> &room, uint32_t i)
{
	pile_open(room.at[i].stack, room.frames[i]);
	pile_open(room.at[i].columns, room.columns[i]);
}
// Its readings are opened each for itself.
template <uint32_t R, uint32_t F, uint32_t C>
DEVICE void position_open(struct position &p, struct position_room<R, F, C> &room)
{
	p.at = room.at;
	p.n = 0;
	p.cap = R;
}

// ---- Pushing a terminal.
#define MAX_FORKS                                                                                                      \
	64u  // copies made under one terminal: ways that come together later are gone through once each until then

// The actions of a choice but for the first, which is done by r: each is done by a copy of r, later.
DEVICE gcdc_status fork(struct position &p, uint32_t k, const uint32_t *list, uint32_t &forks)
{
	for (uint32_t i = 2; i <= list[0]; i++) {
		if (forks++ == MAX_FORKS || !position_add(p, p.at[k])) return GCDC_ERR_LIMIT;
		p.at[p.n - 1].action = list[i];
	}
	return GCDC_OK;
}

// Reductions under terminal t, then its shift, by reading k of p, where t is viable; other ways are added behind.
DEVICE_CALL gcdc_status push_way(const struct device_tables &a, struct position &p, uint32_t k, uint32_t t,
                                 uint32_t &forks, bool &is_there)
{
	frame_pile &s = p.at[k].stack;
	uint32_t x = p.at[k].action ? p.at[k].action : action(a, pile_top(s), t);
	p.at[k].action = 0;
	// A grammar without cycles reduces at most once per nonterminal on each frame that is there or comes.
	uint64_t fuel = ((uint64_t)pile_height(s) + a.max_pushes + 2) * ((uint64_t)a.n_nonterminals + 1);
	for (; fuel; fuel--) {
		if (ACTION_IS_CHOICE(x)) {
			const uint32_t *list = a.choice + (x & ACTION_CHOICE_MASK);
			gcdc_status status = fork(p, k, list, forks);
			if (status) return status;
			x = list[1];
		}
		if (x >> 31) return x == ACTION_SKIP ? GCDC_OK : GCDC_ERR_INTERNAL;
		if (x & 1) return pile_push(s, x >> 1) ? GCDC_OK : GCDC_ERR_LIMIT;
		if (!x) {  // no valid artifact: a reduction is made only where t can be shifted behind it
			is_there = false;
			return forks ? GCDC_OK : GCDC_ERR_INTERNAL;
		}
		struct artifact_production r = a.productions[(x >> 1) - 1];
		if (r.length >= pile_height(s)) return GCDC_ERR_INTERNAL;
		pile_pop(s, r.length);
		uint32_t to = goto_of(a, pile_top(s), r.lhs);
		if (!to) return GCDC_ERR_INTERNAL;
		if (!pile_push(s, to)) return GCDC_ERR_LIMIT;
		x = action(a, pile_top(s), t);
	}
	return GCDC_ERR_INTERNAL;
}

// Pushes t on the readings of p from `first` on, in all ways that there are; those on which it is not viable are
// dropped (with %keywords words compete that are not).
DEVICE_CALL gcdc_status push_all(const struct device_tables &a, struct position &p, uint32_t first, uint32_t t)
{
	uint32_t forks = 0;
	for (uint32_t k = first; k < p.n; k++) p.at[k].action = 0;
	for (uint32_t k = first; k < p.n;) {  // readings that forks add are behind k
		bool is_there = action(a, pile_top(p.at[k].stack), t) != 0 || p.at[k].action;
		gcdc_status status = is_there && !is_ignored(a, t) ? push_way(a, p, k, t, forks, is_there) : GCDC_OK;
		if (status) return status;
		if (!is_there)
			position_drop(p, k);
		else if (!drop_if_known(p, first, k))
			k++;
	}
	return GCDC_OK;
}

// ---- Columns: lib/runtime/columns.c.
DEVICE uint32_t column_of(const struct reading &r) { return pile_top(r.columns); }

DEVICE uint32_t text_column(const struct device_tables &a, uint32_t column, const uint8_t *bytes, uint32_t n)
{
	uint32_t at = n, tab = a.info->tab, rule = a.info->tab_rule;
	while (at > 0 && (bytes[at - 1] == ' ' || bytes[at - 1] == '\t')) at--;
	if (at > 0) column = 0;
	for (; at < n && column <= ARTIFACT_MAX_COLUMN; at++) {
		if (bytes[at] == ' ')
			column++;
		else if (rule == ARTIFACT_TAB_REFUSED)
			column = COLUMN_BAD;
		else if (rule == ARTIFACT_TAB_COUNTS)
			column += tab;
		else
			column = (column / tab + 1) * tab;
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

// Newline, and what the column makes, on the readings of p from `first` on, which have the same columns. None is left
// where the column is not possible.
DEVICE_CALL gcdc_status push_line(const struct device_tables &a, struct position &p, uint32_t first, uint32_t column)
{
	if (column > ARTIFACT_MAX_COLUMN) {
		p.n = first;
		return column == COLUMN_BAD ? GCDC_OK : GCDC_ERR_LIMIT;
	}
	gcdc_status status = push_all(a, p, first, a.info->newline);
	if (status || p.n == first) return status;
	if (column > column_of(p.at[first])) {
		status = push_all(a, p, first, a.info->indent);
		for (uint32_t k = first; k < p.n && !status; k++)
			if (!pile_push(p.at[k].columns, column)) status = GCDC_ERR_LIMIT;
		return status;
	}
	while (p.n > first && column < column_of(p.at[first]) && !status) {
		status = push_all(a, p, first, a.info->dedent);
		for (uint32_t k = first; k < p.n; k++) pile_pop(p.at[k].columns, 1);
	}
	if (p.n > first && column != column_of(p.at[first])) p.n = first;
	return status;
}

// The lexeme of the readings of p from `first` on, which have the same columns and top, ends so.
DEVICE gcdc_status push_lexeme(const struct device_tables &a, struct position &p, uint32_t first,
                               const struct artifact_lex_state &lex, uint32_t column)
{
	if (takes_line(a, lex, p.at[first])) return push_line(a, p, first, column);
	return is_ignored(a, lex.terminal) ? GCDC_OK : push_all(a, p, first, lex.terminal);
}

// ---- Bytes.
// The lexeme of r ends before byte bytes[at], in one way.
DEVICE_CALL gcdc_status cut(const struct device_tables &a, struct position &to, const struct reading &r, uint32_t way,
                            uint32_t column, const uint8_t *bytes, uint32_t at, uint32_t c)
{
	struct artifact_lex_state lex = a.lex_states[way];
	uint32_t first = to.n;
	if (!position_add(to, r)) return GCDC_ERR_LIMIT;
	gcdc_status status = push_lexeme(a, to, first, lex, lex.flags & LEX_LINE ? text_column(a, column, bytes, at) : 0);
	for (uint32_t k = first; k < to.n && !status;) {  // a byte of class c begins the next lexeme
		uint32_t fresh = lex_start(a, lex.obligation, a.lr_states[pile_top(to.at[k].stack)].context);
		uint32_t y = fresh ? lex_next(a, fresh, c) & LEX_STATE_MASK : 0;
		to.at[k].lex_state = y;
		if (!y)
			position_drop(to, k);
		else if (!drop_if_known(to, 0, k))
			k++;
	}
	return status;
}

// Byte bytes[at] for all readings. column: of the text before bytes.
DEVICE gcdc_status step_byte(const struct device_tables &a, const struct position &from, struct position &to,
                             uint32_t column, const uint8_t *bytes, uint32_t at)
{
	uint32_t c = class_of(a, bytes[at]);
	to.n = 0;
	for (uint32_t i = 0; i < from.n; i++) {
		const struct reading &r = from.at[i];
		uint32_t x = lex_next(a, r.lex_state, c);
		for (uint32_t way = x & LEX_CUT ? lex_base(a, r.lex_state) : 0; way; way = a.lex_states[way].also) {
			gcdc_status status = cut(a, to, r, way, column, bytes, at, c);
			if (status) return status;
		}
		if (!(x & LEX_STATE_MASK)) continue;
		if (!position_add(to, r)) return GCDC_ERR_LIMIT;
		to.at[to.n - 1].lex_state = x & LEX_STATE_MASK;
		drop_if_known(to, 0, to.n - 1);
	}
	return GCDC_OK;
}

// now and next are two positions; the result is `now` (they may be exchanged). No reading left: the text is not viable.
DEVICE_CALL gcdc_status step_bytes(const struct device_tables &a, struct position *&now, struct position *&next,
                                   const uint8_t *bytes, uint32_t n)
{
	uint32_t column = now->column;
	for (uint32_t at = 0; at < n && now->n;) {
		if (now->n == 1) {  // inside the lexeme
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

// ---- The end of the text: lib/runtime/matcher_end.c.
// May the text end when the lexeme of r ends as `lex`? after: room, used up.
DEVICE gcdc_status ends_after(const struct device_tables &a, const struct reading &r,
                              const struct artifact_lex_state &lex, uint32_t column, struct position &after, bool &ends)
{
	after.n = 0;
	if (!position_add(after, r)) return GCDC_ERR_LIMIT;
	gcdc_status status = push_lexeme(a, after, 0, lex, column);
	while (after.n && !status && !ends) {
		for (uint32_t k = 0; k < after.n; k++) ends = ends || has_end(a, pile_top(after.at[k].stack));
		if (!a.n_lines) return GCDC_OK;
		if (!ends) status = push_all(a, after, 0, a.info->dedent);
	}
	return status;
}

DEVICE_CALL gcdc_status ends_so(const struct device_tables &a, const struct position &p, struct position &after,
                                bool &ends)
{
	ends = false;
	for (uint32_t i = 0; i < p.n && !ends; i++) {
		const struct reading &r = p.at[i];
		for (uint32_t way = lex_base(a, r.lex_state); way && !ends; way = a.lex_states[way].also) {
			struct artifact_lex_state lex = a.lex_states[way];
			if (lex.terminal == ARTIFACT_NONE || !(lex.flags & LEX_MAY_END)) continue;
			gcdc_status status = ends_after(a, r, lex, p.column, after, ends);
			if (status) return status;
		}
		if (a.lex_states[lex_base(a, r.lex_state)].flags & LEX_INITIAL) ends = ends || has_end(a, pile_top(r.stack));
	}
	return GCDC_OK;
}

#endif
