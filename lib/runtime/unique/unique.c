// Arrays whose items differ: steps that keep their text.
//
// In:  a position, bytes. Out: the position behind them.
// A lexeme that is one of the artifact's terminals begins such an array. From there on each byte is put on a list of
// frames that the reading holds (unique.h), until the bracket closes; such arrays inside are noted there. A reading in
// which two items are equal ends. So does one whose open item has no value of its own left (shapes.c); most arrays that
// the compiler takes have items that can always still become one.
// Cost: some 10 nanoseconds a byte, in such arrays.
#include "unique.h"

// The parser must want that terminal: a bracket with its indent begins with those of outer levels.
static bool opens_unique(const struct gcdc_matcher *m, const struct reading *r)
{
	const struct gcdc_artifact *a = m->artifact;
	const uint32_t t = a->lex_states[lex_base(a, r->lex_state)].terminal;
	return t != ARTIFACT_NONE && number_among(a->unique_terminals, a->unique_info->n_terminals, t) &&
	       artifact_action(a, m->pool->at[r->frame].lr_state, t);
}

// Where the shape of the array that begins here stands among the artifact's words; 0: its items are endless.
static uint32_t shape_at(const struct gcdc_artifact *a, uint32_t lex_state)
{
	const uint32_t t = a->lex_states[lex_base(a, lex_state)].terminal;
	uint32_t k = 0;
	while (a->unique_info->n_shape_words && a->unique_terminals[k] != t) k++;
	return a->unique_info->n_shape_words ? a->unique_shapes[k] : 0;
}

// May a value have ended with this byte, or before it, or be known by it?
static bool ends_value(uint32_t before, uint32_t now)
{
	const uint8_t c = (uint8_t)now;
	if ((before & TEXT_PLACE) != TEXT_OUT) return (now & TEXT_PLACE) == TEXT_OUT;
	return c == ',' || c == ']' || c == '}' || is_blank(c) || (c | 0x20) >= 'a';
}

static gcdc_status put_byte(struct gcdc_matcher *m, struct reading *r, uint32_t what)
{
	struct frame_pool *pool = m->pool;
	if (pool->at[r->columns].depth >= pool->max_depth) return GCDC_ERR_LIMIT;
	if (!frame_reserve(pool, 1)) return GCDC_ERR_MEMORY;
	uint32_t f = frame_push(pool, r->columns, what);
	frame_unref(pool, r->columns);
	r->columns = f;
	return GCDC_OK;
}

// The byte with which the bracket of such an array ends, behind its shape.
static gcdc_status put_bracket(struct gcdc_matcher *m, struct reading *r, uint32_t what)
{
	const uint32_t shape = shape_at(m->artifact, r->lex_state);
	const bool is_told = shape && m->artifact->unique_shapes[shape + SHAPE_FLAGS] & SHAPE_TELLS;
	gcdc_status status = shape ? put_byte(m, r, shape << TEXT_DEPTH_SHIFT | TEXT_SHAPE) : GCDC_OK;
	return status ? status : put_byte(m, r, what | (is_told ? 0 : TEXT_UNIQUE));
}

// Bytes with which an array can begin: its bracket, or the blanks of an indent behind it.
static bool may_begin(uint8_t c) { return c == '[' || c == ' ' || c == '\n'; }

// The reading has read a byte. *dies: two items of its array are equal.
static gcdc_status take_byte(struct gcdc_matcher *m, struct reading *r, uint8_t c, bool *dies)
{
	gcdc_status status;
	*dies = false;
	if (!r->columns) {
		if (!opens_unique(m, r)) return GCDC_OK;
		r->columns = FRAME_BOTTOM;
		frame_ref(m->pool, FRAME_BOTTOM);
		return put_bracket(m, r, 1u << TEXT_DEPTH_SHIFT | TEXT_OUT | '[');
	}
	const uint32_t before = m->pool->at[r->columns].lr_state, now = text_behind(before, c);
	if (now == UINT32_MAX) return GCDC_ERR_LIMIT;
	const bool opens = may_begin(c) && (now & TEXT_PLACE) == TEXT_OUT && opens_unique(m, r);
	status = opens ? put_bracket(m, r, now) : put_byte(m, r, now);
	if (!status && ends_value(before, now)) {
		status = unique_begin(m) ? unique_read(m, r->columns) : GCDC_ERR_MEMORY;
		*dies = !status && m->unique->values.n_doubles;
	}
	if (status || text_depth(now)) return status;
	frame_unref(m->pool, r->columns);
	r->columns = 0;
	return GCDC_OK;
}

// Does a reading end? *dies: true where an item of its array has no value left.
static gcdc_status check_values(struct gcdc_matcher *m, struct reading *r, bool *dies)
{
	if (!r->columns) return GCDC_OK;
	gcdc_status status = unique_begin(m) ? unique_read(m, r->columns) : GCDC_ERR_MEMORY;
	*dies = !status && unique_is_dead(m->artifact, m->unique);
	return status;
}

// Gives the byte to each reading, or only looks at its values (values: c is not read); those that die are taken out.
static gcdc_status keep_living(struct gcdc_matcher *m, struct position *p, bool values, uint8_t c)
{
	uint32_t n = 0;
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < p->n; i++) {
		struct reading r = p->at[i];
		bool dies = false;
		if (!status) status = values ? check_values(m, &r, &dies) : take_byte(m, &r, c, &dies);
		if (dies)
			reading_unref(m->pool, &r);
		else
			p->at[n++] = r;
	}
	p->n = n;
	if (status) position_release(m, p);
	return status;
}

static bool is_in_array(const struct position *p)
{
	bool is = false;
	for (uint32_t i = 0; i < p->n; i++) is |= p->at[i].columns != 0;
	return is;
}

// As the step's bytes, but that brackets may become marks in it; NULL: none can. A text that has a mark is none.
static gcdc_status take_bytes(struct gcdc_matcher *m, struct position *p, const uint8_t *bytes, size_t len,
                              uint8_t **marked)
{
	*marked = NULL;
	if (!unique_tells(m->artifact) || !len) return GCDC_OK;
	if (memchr(bytes, SHAPE_EQUAL_MARK, len)) position_release(m, p);
	*marked = told_bytes(m, bytes, len);
	if (*marked) return GCDC_OK;
	position_release(m, p);
	return GCDC_ERR_MEMORY;
}

gcdc_status unique_step(struct gcdc_matcher *m, struct position *p, const uint8_t *bytes, size_t len)
{
	uint8_t *marked;
	gcdc_status status = take_bytes(m, p, bytes, len, &marked);
	for (size_t at = 0, to; at < len && p->n && !status; at = to) {
		const bool is_in = is_in_array(p);
		to = at + 1;
		while (!is_in && to < len && !may_begin(bytes[to - 1])) to++;
		if (marked && is_in && bytes[at] == ']')
			status = told_step(m, p, marked + at);
		else
			status = position_step_bytes(m, p, (marked ? marked : bytes) + at, to - at);
		if (!status) status = keep_living(m, p, false, bytes[to - 1]);
	}
	return status || !m->artifact->unique_info->n_shape_words ? status : keep_living(m, p, true, 0);
}
