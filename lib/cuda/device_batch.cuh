// A batch of sequences on the device: one step of one row.
//
// In:  a sequence as it was left, a token or none.  Out: the view of its mask; the sequence behind the token.
// Every block that works on a row does the whole step for itself, from the old sequence; the block that comes last,
// when all have read it, writes the new one. So a row's blocks need not wait for each other, and accepting and applying
// are one launch. The text is stepped by one thread; whether the token is allowed, and the tokens that have to be
// tried, are spread over the block's threads. On the host a block's threads run one after the other. Cost: a few
// microseconds of dependent reads.
#ifndef GCDC_CUDA_DEVICE_BATCH_CUH
#define GCDC_CUDA_DEVICE_BATCH_CUH

#include "device_budget.cuh"
#include "mask_rows.cuh"

#define MAX_READINGS GCDC_CUDA_MAX_READINGS
#define STEP_READINGS (MAX_READINGS + MAX_READINGS / 2)  // within a token
#define MAX_EXTRA 256u                                   // tokens that were tried and are allowed
#define MAX_CONDITIONS 512u                              // tokens to try
#define MAX_COLUMNS 100u                                 // open columns, as far as Lark's and Python's own limit
#define STEP_FRAMES 128u                                 // frames that one token can leave above the old stack
#define STEP_COLUMNS 8u                                  // columns that it can open

struct sequence {
	uint32_t is_terminated, column, n_readings, n_sets, n_extra;
	uint32_t left, eos;  // tokens that may still come, or GCDC_NONE; of these an EOS id is so many
	struct {
		uint32_t lex_state, buffer, height, n_columns;
	} reading[MAX_READINGS];
	uint32_t numbers[MAX_SETS + MAX_EXTRA];  // of the mask here: sets, then tokens, ascending
};

// Addresses on the device. Sequence i has MAX_READINGS buffers: stacks of `stride` lr_states, and MAX_COLUMNS columns.
struct device_batch {
	uint32_t n, max_height, stride;
	bool keep_failed;
	int32_t *statuses;
	uint32_t *done;  // blocks that have read the sequence
	struct sequence *sequences;
	uint16_t *stacks;
	uint32_t *columns;
	struct frame_cost *costs;  // of the stacks' frames; NULL: no sequence has a budget
	const int32_t *tokens;     // NULL: none is taken
};
DEVICE uint16_t *stack_of(const struct device_batch &b, uint64_t i, uint32_t buffer)
{
	return b.stacks + (i * MAX_READINGS + buffer) * b.stride;
}
DEVICE uint32_t *columns_of(const struct device_batch &b, uint64_t i, uint32_t buffer)
{
	return b.columns + (i * MAX_READINGS + buffer) * MAX_COLUMNS;
}
DEVICE struct frame_cost *costs_of(const struct device_batch &b, uint64_t i, uint32_t buffer)
{
	return b.costs + (i * MAX_READINGS + buffer) * b.stride;
}

struct step_shared {
	struct sequence old;
	struct position_room<STEP_READINGS, STEP_FRAMES, STEP_COLUMNS> room[3];
	struct position position[3];
	uint32_t now;  // which is the result: 0 or 1
	struct set_sink sets;
	uint32_t sure[MAX_SETS], open[MAX_OPEN];
	uint32_t n_conditions;
	union {  // shared storage is scarce; costs are read before tokens are tried, and written afterwards
		uint32_t conditions[MAX_CONDITIONS];
		struct frame_cost costs[STEP_FRAMES];  // of one reading's own frames
	};
	uint32_t tried[MAX_EXTRA], n_tried;  // allowed, in any order
	uint32_t numbers[MAX_SETS + MAX_EXTRA], n_extra;
	uint32_t is_allowed, is_left_out, is_terminated, is_last;
	int32_t status;                 // what the step says
	uint32_t trouble;               // bit -status: of the tries
	bool is_changed;                // the sequence moves, or its mask was not there
	uint32_t buffer[MAX_READINGS];  // where readings go
	// Under a budget:
	uint32_t left;  // GCDC_NONE: there is none
	uint32_t affordable[MAX_SETS];
	struct set_sink fits;
	bool is_whole;  // the plain mask fits
};

template <typename T> DEVICE void copy_words(T *to, const T *from, uint32_t t, uint32_t threads)
{
	for (uint32_t i = t; i < sizeof(T) / 4; i += threads) ((uint32_t *)to)[i] = ((const uint32_t *)from)[i];
}

// The old sequence as a position.
DEVICE void step_load(const struct device_batch &b, uint64_t i, struct step_shared &s)
{
	struct position &p = s.position[0];
	p.n = min_of(s.old.n_readings, MAX_READINGS);
	p.column = s.old.column;
	for (uint32_t k = 0; k < p.n; k++) {
		struct reading &r = p.at[k];
		r.lex_state = s.old.reading[k].lex_state;
		r.buffer = s.old.reading[k].buffer;
		r.stack.below = stack_of(b, i, r.buffer);
		r.stack.base = s.old.reading[k].height;
		r.columns.below = columns_of(b, i, r.buffer);
		r.columns.base = s.old.reading[k].n_columns;
	}
}

// One thread: the token, then the sets.
DEVICE_CALL gcdc_status step_take(const struct device_tables &a, const struct device_batch &b, uint64_t i,
                                  uint32_t token, struct step_shared &s)
{
	struct position *now = &s.position[0], *next = &s.position[1];
	if (s.old.is_terminated) return GCDC_TERMINATED;
	if (!s.is_allowed || s.is_left_out) return GCDC_REJECTED;
	s.is_changed = true;
	if (is_eos(a, token)) {
		s.is_terminated = 1;
		return GCDC_OK;
	}
	step_load(b, i, s);
	uint32_t begin = a.token_offset[token], end = a.token_offset[token + 1];
	gcdc_status status = step_bytes(a, now, next, a.token_bytes + begin, end - begin);
	// The mask allowed the token, so it has a reading; a token without bytes is none.
	if (!status && (!now->n || begin == end)) status = GCDC_ERR_INTERNAL;
	struct position *const rooms[2] = {next, &s.position[2]};
	if (!status) status = take_position(a, *now, rooms, s.sets);
	s.now = now == &s.position[1];
	if (!status && now->n > MAX_READINGS) status = GCDC_ERR_LIMIT;
	for (uint32_t k = 0; k < now->n && !status; k++) {
		bool fits = pile_height(now->at[k].stack) <= b.max_height && pile_height(now->at[k].columns) <= MAX_COLUMNS;
		if (!fits) status = GCDC_ERR_LIMIT;
	}
	// Something may follow each reading that is left, if only the end of the text.
	if (!status && !now->n && a.n_eos) status = GCDC_ERR_INTERNAL;
	return status;
}

// Sets that fit into what is left. One thread calls it.
DEVICE_CALL gcdc_status step_afford(const struct device_tables &a, const struct device_batch &b, uint64_t i,
                                    struct step_shared &s)
{
	const struct position &p = s.position[s.now];
	s.is_whole = s.left > s.old.eos && a.cost_info->flags & COST_TOTAL;
	for (uint32_t k = 0; k < p.n && s.left > s.old.eos; k++) {
		const struct reading &r = p.at[k];
		struct cost_pile costs = {costs_of(b, i, r.buffer), s.costs};
		push_costs(a, r.stack, costs);
		gcdc_status status = take_affordable(a, r, costs, s.left - s.old.eos - 1, s.fits, s.is_whole);
		if (status) return status;
	}
	return GCDC_OK;
}

// The sets and tokens of the mask become those that fit, EOS ids apart from all others. One thread calls it.
DEVICE_CALL gcdc_status step_restrict(const struct device_tables &a, struct step_shared &s)
{
	bool may_end = s.left >= s.old.eos && a.n_eos && list_has(s.numbers + s.sets.n, s.n_extra, a.eos[0]);
	for (uint32_t k = 0; k < s.sets.n; k++)
		may_end = may_end || (s.left >= s.old.eos && a.sets[s.numbers[k]].flags & SET_EOS);
	s.sets.n = s.fits.n;
	s.sets.all = s.fits.all;
	s.n_extra = may_end ? a.n_eos : 0;
	if (s.n_extra > MAX_EXTRA) return GCDC_ERR_LIMIT;
	for (uint32_t k = 0; k < s.sets.n; k++) s.numbers[k] = s.affordable[k];
	for (uint32_t k = 0; k < s.n_extra; k++) s.numbers[s.sets.n + k] = a.eos[k];
	// Some token is always affordable, or the text is complete and no token says so.
	return s.sets.n || s.n_extra || !a.n_eos ? GCDC_OK : GCDC_ERR_INTERNAL;
}

// What the mask behind this step leaves out: of one reading, as there is no other where anything is.
DEVICE uint32_t step_left_out(const struct device_tables &a, const struct step_shared &s)
{
	const struct position &p = s.position[s.now];
	if (s.is_changed) return p.n ? left_out_of(a, p.at[0].lex_state) : 0;
	return s.old.n_readings ? left_out_of(a, s.old.reading[0].lex_state) : 0;
}

DEVICE void note_trouble(struct step_shared &s, gcdc_status status) { atomic_or(&s.trouble, 1u << -(int32_t)status); }

DEVICE void condition(struct step_shared &s, uint32_t token)
{
	uint32_t at = atomic_add(&s.n_conditions, 1);
	if (at < MAX_CONDITIONS)
		s.conditions[at] = token;
	else
		note_trouble(s, GCDC_ERR_LIMIT);
}

// The tokens of the open sets are tried; those allowed, ascending, are the extra tokens. A token that is also sure, or
// in two open sets, is tried all the same: looking for it would take longer.
template <uint32_t WARPS> DEVICE void step_try(const struct device_tables &a, struct step_shared &s)
{
	const struct position &p = s.position[s.now];
	const uint32_t THREADS = WARPS * WARP;
	for (uint32_t o = 0; o < s.sets.n_open; o++) {
		struct set_parts x = set_parts_of(a, s.open[o]);
		FOR_THREADS(t, WARPS)
		{
			for (uint32_t k = t; k < x.n && !x.row; k += THREADS) condition(s, x.list[k]);
			for (uint32_t k = t; k < a.mask_words && x.row; k += THREADS) {
				uint32_t word = x.row[k];
				for (uint32_t e = 0; e < x.n; e++) word ^= x.list[e] / 32 == k ? 1u << x.list[e] % 32 : 0;
				for (; word; word &= word - 1) condition(s, k * 32 + lowest_bit(word));
			}
		}
	}
	sync_block();
	uint32_t n = min_of(s.n_conditions, MAX_CONDITIONS);
	FOR_THREADS(t, WARPS)
	{
		for (uint32_t k = t; k < n; k += THREADS) {
			struct attempt room;
			bool yes;
			gcdc_status status = try_token(a, p, s.conditions[k], room, yes);
			if (status) note_trouble(s, status);
			if (!yes) continue;
			uint32_t at = atomic_add(&s.n_tried, 1);
			if (at < MAX_EXTRA)
				s.tried[at] = s.conditions[k];
			else
				note_trouble(s, GCDC_ERR_LIMIT);
		}
	}
	sync_block();
	uint32_t n_extra = min_of(s.n_tried, MAX_EXTRA);
	ONE_THREAD s.n_extra = n_extra;
	FOR_THREADS(t, WARPS)
	{
		for (uint32_t k = t; k < n_extra; k += THREADS) {
			uint32_t rank = 0;
			for (uint32_t e = 0; e < n_extra; e++)
				rank += s.tried[e] < s.tried[k] || (s.tried[e] == s.tried[k] && e < k);
			s.numbers[s.sets.n + rank] = s.tried[k];
		}
	}
	sync_block();
}

// Which buffers the new readings go to: the first that comes from a buffer stays there, others get one that nobody
// needs.
DEVICE void assign_buffers(struct step_shared &s)
{
	const struct position &p = s.position[s.now];
	uint32_t used = 0, taken = 0;
	for (uint32_t k = 0; k < p.n; k++) used |= 1u << p.at[k].buffer;
	for (uint32_t k = 0; k < p.n; k++) {
		uint32_t own = p.at[k].buffer;
		if (taken >> own & 1) own = lowest_bit(~(used | taken));
		taken |= 1u << own;
		s.buffer[k] = own;
	}
}

template <typename T> DEVICE void write_pile(T *to, const struct pile<T> &p, bool is_copy, uint32_t t, uint32_t threads)
{
	for (uint32_t i = is_copy ? t : p.base + t; i < pile_height(p); i += threads) to[i] = (T)pile_at(p, i);
}

// Of reading k, where its stack goes.
template <uint32_t WARPS>
DEVICE void write_costs(const struct device_tables &a, const struct device_batch &b, uint64_t i, uint32_t k,
                        bool is_copy, struct step_shared &s)
{
	const struct reading &r = s.position[s.now].at[k];
	struct cost_pile costs = {costs_of(b, i, r.buffer), s.costs};
	struct frame_cost *to = costs_of(b, i, s.buffer[k]);
	sync_block();
	ONE_THREAD push_costs(a, r.stack, costs);
	sync_block();
	FOR_THREADS(t, WARPS)
	for (uint32_t at = is_copy ? t : r.stack.base + t; at < pile_height(r.stack); at += WARPS * WARP)
		to[at] = cost_at(costs, r.stack, at);
}

// The last block of the row writes the new sequence.
template <uint32_t WARPS>
DEVICE void step_commit(const struct device_tables &a, const struct device_batch &b, uint64_t i, struct step_shared &s)
{
	const struct position &p = s.position[s.now];
	struct sequence &to = b.sequences[i];
	bool moves = s.is_changed && s.status >= 0 && !s.is_terminated;
	if (moves) {
		ONE_THREAD assign_buffers(s);
		sync_block();
		for (int is_copy = 1; is_copy >= 0; is_copy--) {  // copies first: what they read is overwritten afterwards
			for (uint32_t k = 0; k < p.n; k++) {
				if ((s.buffer[k] != p.at[k].buffer) != is_copy) continue;
				FOR_THREADS(t, WARPS)
				{
					write_pile(stack_of(b, i, s.buffer[k]), p.at[k].stack, is_copy, t, WARPS * WARP);
					write_pile(columns_of(b, i, s.buffer[k]), p.at[k].columns, is_copy, t, WARPS * WARP);
				}
				if (s.left != GCDC_NONE) write_costs<WARPS>(a, b, i, k, is_copy, s);
			}
			sync_block();
		}
		FOR_THREADS(t, WARPS)
		{
			for (uint32_t k = t; k < s.sets.n + s.n_extra; k += WARPS * WARP) to.numbers[k] = s.numbers[k];
			if (t < p.n) {
				to.reading[t].lex_state = p.at[t].lex_state;
				to.reading[t].buffer = s.buffer[t];
				to.reading[t].height = pile_height(p.at[t].stack);
				to.reading[t].n_columns = pile_height(p.at[t].columns);
			}
		}
	}
	ONE_THREAD
	{
		if (moves) {
			to.column = p.column;
			to.n_readings = p.n;
			to.n_sets = s.sets.n;
			to.n_extra = s.n_extra;
			to.left = s.left;
		}
		if (s.is_terminated) to.is_terminated = 1;
		b.statuses[i] = s.status;
		b.done[i] = 0;
	}
}

// The step of row i by one of `blocks` blocks; v becomes its view. All threads of the block call it.
template <uint32_t WARPS>
DEVICE void step_row(const struct device_tables &a, const struct device_batch &b, uint64_t i, uint32_t blocks,
                     struct step_shared &s, struct mask_view &v)
{
	int32_t token = b.tokens ? b.tokens[i] : -1;
	int32_t before = b.statuses[i];
	FOR_THREADS(t, WARPS)
	{
		copy_words(&s.old, &b.sequences[i], t, WARPS * WARP);
		if (!t) {
			s.is_allowed = s.is_left_out = s.n_conditions = s.n_tried = s.n_extra = s.now = s.is_last = 0;
			s.trouble = 0;
			s.is_changed = false;
			s.sets.sets = s.sure;
			s.sets.open = s.open;
			s.sets.n = s.sets.n_open = 0;
			s.fits.sets = s.affordable;
			s.fits.n = 0;
			s.fits.all = false;
			s.is_whole = true;
		}
		if (t < 3) position_open(s.position[t], s.room[t]);
		if (t < 3 * STEP_READINGS) reading_open(s.room[t / STEP_READINGS], t % STEP_READINGS);
	}
	sync_block();
	bool is_token = token >= 0 && (uint32_t)token < a.n_tokens && before >= 0;
	FOR_WARPS(w, WARPS)
	{
		for (uint32_t k = w; k < s.old.n_sets && is_token; k += WARPS) {
			bool has = warp_set_has(a, s.old.numbers[k], (uint32_t)token);
			FOR_LANES(l)
			if (!l && has) atomic_or(&s.is_allowed, 1);
		}
		uint32_t left_out = s.old.n_readings ? left_out_of(a, s.old.reading[0].lex_state) : 0;
		bool is_left_out = is_token && left_out && !w && warp_set_has(a, left_out, (uint32_t)token);
		FOR_LANES(l)
		{
			if (w || l) continue;
			if (is_left_out) s.is_left_out = 1;
			s.is_terminated = s.old.is_terminated;
			if (is_token && list_has(s.old.numbers + s.old.n_sets, s.old.n_extra, (uint32_t)token))
				atomic_or(&s.is_allowed, 1);
		}
	}
	sync_block();
	ONE_THREAD
	{
		if (before < 0)
			s.status = before;  // until the host sets the sequence anew
		else if (token < 0)
			s.status = s.old.is_terminated ? GCDC_TERMINATED : GCDC_OK;
		else
			s.status = step_take(a, b, i, (uint32_t)token, s);
		bool moved = s.is_changed && s.status >= 0 && !s.is_terminated;
		s.left = s.old.left;
		if (moved && s.left != GCDC_NONE) {
			s.left -= s.left != 0;
			gcdc_status status = step_afford(a, b, i, s);
			if (status) s.status = status;
		}
		uint32_t n = moved ? s.sets.n : s.old.n_sets;
		for (uint32_t k = 0; k < n; k++) s.numbers[k] = moved ? s.sets.sets[k] : s.old.numbers[k];
		if (!moved) {
			s.sets.n = n;
			s.sets.n_open = 0;
			s.sets.all = false;
			for (uint32_t k = 0; k < s.old.n_extra; k++) s.numbers[n + k] = s.old.numbers[n + k];
			for (uint32_t k = 0; k < n; k++) s.sets.all = s.sets.all || a.sets[s.numbers[k]].count == a.n_tokens;
		}
	}
	sync_block();
	if (s.sets.n_open) step_try<WARPS>(a, s);
	ONE_THREAD
	{
		if (s.trouble && s.status >= 0) s.status = -(int32_t)lowest_bit(s.trouble);
		if (!(s.is_changed && s.status >= 0 && !s.is_terminated))
			s.n_extra = s.old.n_extra;
		else if (!s.is_whole)
			s.status = step_restrict(a, s);
		v.words = a.mask_words;
		v.kind = s.status < 0 && b.keep_failed ? VIEW_OFF : VIEW_UNION;
		v.numbers = s.numbers;
		v.n_sets = s.status < 0 ? 0 : s.sets.n;
		v.n_tokens = s.status < 0 ? 0 : s.n_extra;
		v.n_removed = 0;
		v.left_out = s.status < 0 ? 0 : step_left_out(a, s);
		if (s.status >= 0 && s.is_terminated) {
			v.numbers = a.eos;
			v.n_sets = v.left_out = 0;
			v.n_tokens = a.n_eos;
		} else if (s.status >= 0 && s.sets.all) {
			v.kind = VIEW_ALL;
			v.n_sets = v.n_tokens = 0;
		} else if (s.status == GCDC_OK && !a.n_eos && !v.n_sets && !v.n_tokens) {
			s.status = GCDC_TERMINATED;  // complete, nothing may follow, and no token says so
		}
		view_simplify(a, v);
		fence();
		s.is_last = atomic_add(&b.done[i], 1) == blocks - 1;
		fence();
	}
	sync_block();
	if (s.is_last) step_commit<WARPS>(a, b, i, s);
}

#endif
