// The probe cache: tokens to be tried, those that come to the same place only once.
//
// In:  a position and tokens to try there, one after the other. Out: the positions they lead to, each with the caller's
//      verdict on it.
// As long as no reading's lexeme can end, bytes only move lex_states or make readings die; stacks stay as they are. So
// a token is moved in table look-ups up to a byte before which a lexeme can end; what that byte makes of those
// lex_states is a position that is worked out once, and all tokens that come there go on from it. After `x.(` the
// tokens `t)`, `ty)`, `s)`, and after `x` the tokens `.a`, `.beta`, `.gamma` come to a handful of places. Thousands of
// trials become some hundreds. Where columns count, blanks move them as well: places in different columns are
// different. Cost: the token's bytes in look-ups; a step and a verdict for each place that is new.
#include "../core/matcher_step.h"

#define ENTRIES_AT_FIRST 256u
#define PLACES_AT_FIRST 16u
#define AT_END 256u  // instead of a byte

void probe_cache_end(struct gcdc_matcher *m, struct probe_cache *t)
{
	for (uint32_t i = 0; i < t->n_places; i++) position_release(m, &t->place[i]);
	t->n_places = 0;
}

static gcdc_status add_place(struct gcdc_matcher *m, struct probe_cache *t, struct position **place)
{
	if (t->n_places == t->places_cap) {
		uint32_t cap = t->places_cap ? t->places_cap * 2 : PLACES_AT_FIRST;
		struct position *at = memory_resize(&m->artifact->memory, t->place, cap, sizeof *at);
		if (!at) return GCDC_ERR_MEMORY;
		memset(at + t->places_cap, 0, (cap - t->places_cap) * sizeof *at);
		t->place = at;
		t->places_cap = cap;
	}
	*place = &t->place[t->n_places++];
	return GCDC_OK;
}

gcdc_status probe_cache_begin(struct gcdc_matcher *m, struct probe_cache *t, const struct position *p)
{
	t->n = t->lex_states.n = 0;
	for (uint32_t i = 0; i < t->cap; i++) t->at[i].place = ARTIFACT_NONE;
	struct position *first;
	gcdc_status status = add_place(m, t, &first);
	return status ? status : position_copy(m, first, p);
}

// Moves `state`, the readings' lex_states (0: it died), over the bytes up to one that does more. Returns where.
static uint32_t move(const struct gcdc_artifact *a, const struct position *p, uint32_t *state, uint32_t *moved,
                     uint32_t at, uint32_t end)
{
	for (; at < end; at++) {
		uint32_t c = a->info.class_of[a->token_bytes[at]];
		for (uint32_t i = 0; i < p->n; i++) {
			uint32_t x = state[i] ? lex_next(a, state[i], c) : 0;
			moved[i] = x;
			if (x & LEX_CUT) return at;
		}
		memcpy(state, moved, p->n * sizeof *state);
	}
	return end;
}

static bool grow(const gcdc_memory *memory, struct probe_cache *t)
{
	uint32_t cap = t->cap ? t->cap * 2 : ENTRIES_AT_FIRST;
	struct probe_cache_entry *old = t->at,
							 *larger = cap < t->cap ? NULL : memory_resize(memory, NULL, cap, sizeof *larger);
	if (!larger) return false;
	for (uint32_t i = 0; i < cap; i++) larger[i].place = ARTIFACT_NONE;
	for (uint32_t i = 0; i < t->cap; i++) {
		if (old[i].place == ARTIFACT_NONE) continue;
		uint32_t k = old[i].hash & (cap - 1);
		while (larger[k].place != ARTIFACT_NONE) k = (k + 1) & (cap - 1);
		larger[k] = old[i];
	}
	memory_free(memory, old);
	t->at = larger;
	t->cap = cap;
	return true;
}

static uint64_t hash_of(uint32_t place, const uint32_t *state, uint32_t n, uint32_t byte, uint32_t column)
{
	uint64_t hash = (uint64_t)column << 41 ^ (uint64_t)place << 9 ^
	                byte;  // not XXH3: a handful of words, and no result depends on it
	for (uint32_t i = 0; i <= n; i++) {
		hash = hash_u64(hash);
		hash ^= hash >> 29 ^ (i < n ? state[i] : 0);
	}
	return hash;
}

// The same as long as it is known, of places of one reading, where no columns count: the entry at the token's end, or
// NULL; *place and *at are what is looked at next.
// Branches: a byte ends a lexeme or a reading, an entry is known, another one's, or none.
static struct probe_cache_entry *follow_known(const struct gcdc_artifact *a, const struct probe_cache *t,
                                              uint32_t *place, uint32_t *at, uint32_t end)
{
	while (t->place[*place].n == 1 && t->cap && !a->info.n_lines) {
		uint32_t q = t->place[*place].at[0].lex_state, i = *at;
		for (; i < end && q; i++) {
			const uint32_t x = lex_next(a, q, a->info.class_of[a->token_bytes[i]]);
			if (x & LEX_CUT) break;
			q = x;
		}
		if (!q) i = end;
		const uint32_t byte = i == end ? AT_END : a->token_bytes[i];
		const uint64_t hash = hash_of(*place, &q, 1, byte, 0);
		struct probe_cache_entry *e;
		for (uint32_t k = (uint32_t)hash;; k++) {
			e = &t->at[k & (t->cap - 1)];
			if (e->place == ARTIFACT_NONE || e->value == ALIKE_UNKNOWN) return NULL;
			if (e->hash == (uint32_t)hash && e->place == *place && e->byte == byte &&
			    t->lex_states.at[e->lex_states] == q)
				break;
		}
		if (i == end) return e;
		*place = e->value, *at = i + 1;
	}
	return NULL;
}

// The entry of these lex_states, n of them, before this byte, in this column. They are at the end of t->lex_states, and
// stay there when it is new.
static struct probe_cache_entry *find(const gcdc_memory *memory, struct probe_cache *t, uint32_t place, uint32_t n,
                                      uint32_t byte, uint32_t column)
{
	if (2 * (uint64_t)t->n >= t->cap && !grow(memory, t)) return NULL;
	uint32_t first = t->lex_states.n - n;
	const uint32_t *state = &t->lex_states.at[first];
	const uint64_t hash = hash_of(place, state, n, byte, column);
	for (uint32_t k = (uint32_t)hash;; k++) {
		struct probe_cache_entry *e = &t->at[k & (t->cap - 1)];
		if (e->place == ARTIFACT_NONE) {
			*e = (struct probe_cache_entry){(uint32_t)hash, place, byte, first, column, ALIKE_UNKNOWN};
			t->n++;
			return e;
		}
		if (e->hash != (uint32_t)hash || e->place != place || e->byte != byte || e->column != column ||
		    memcmp(&t->lex_states.at[e->lex_states], state, n * sizeof *state) != 0)
			continue;
		t->lex_states.n = first;
		return e;
	}
}

// `to` becomes a place with other lex_states; without the readings that have died.
static gcdc_status take_place(struct gcdc_matcher *m, struct position *to, const struct position *from,
                              const uint32_t *state, uint32_t column)
{
	if (!position_reserve(m, to, from->n)) return GCDC_ERR_MEMORY;
	to->n = 0;
	to->terminated = from->terminated;
	to->column = column;
	for (uint32_t i = 0; i < from->n; i++) {
		struct reading r = from->at[i];
		r.lex_state = state[i];
		if (!state[i]) continue;
		reading_ref(m->pool, &r);
		to->at[to->n++] = r;
	}
	return GCDC_OK;
}

// Branches: each place on the way is known or new, and room for it may lack.
gcdc_status probe_cache_find(struct gcdc_matcher *m, struct probe_cache *t, uint32_t token, struct position *after,
                             struct probe_cache_entry **entry)
{
	const struct gcdc_artifact *a = m->artifact;
	uint32_t at = a->token_offset[token], end = a->token_offset[token + 1];
	uint32_t place = 0;
	*entry = follow_known(a, t, &place, &at, end);
	if (*entry) return GCDC_OK;
	for (;;) {
		uint32_t n = t->place[place].n, first = t->lex_states.n;
		for (uint32_t i = 0; i < 2 * n; i++)  // the states at hand; room for those behind the next byte
			if (!vec32_push(&a->memory, &t->lex_states, i < n ? t->place[place].at[i].lex_state : 0))
				return GCDC_ERR_MEMORY;
		uint32_t from = at, column = 0;
		at = move(a, &t->place[place], &t->lex_states.at[first], &t->lex_states.at[first + n], at, end);
		t->lex_states.n = first + n;
		if (a->info.n_lines)
			column = text_column(a, t->place[place].column, &a->token_bytes[from], &a->token_bytes[at]);
		struct probe_cache_entry *e = find(&a->memory, t, place, n, at == end ? AT_END : a->token_bytes[at], column);
		if (!e) return GCDC_ERR_MEMORY;
		*entry = e;
		if (e->value != ALIKE_UNKNOWN && at == end) return GCDC_OK;
		if (e->value == ALIKE_UNKNOWN) {
			gcdc_status status = take_place(m, after, &t->place[place], &t->lex_states.at[e->lex_states], column);
			if (status || at == end) return status;
			struct position *next;
			status = position_step(m, after, &a->token_bytes[at], 1);
			if (!status) status = add_place(m, t, &next);
			if (status) return status;
			struct position spare = *next;  // its room for the next one
			*next = *after;
			*after = spare;
			after->n = 0;
			e->value = t->n_places - 1;
		}
		place = e->value;
		at++;
	}
}

void probe_cache_free(const gcdc_memory *memory, struct probe_cache *t)
{
	for (uint32_t i = 0; i < t->places_cap; i++) memory_free(memory, t->place[i].at);
	memory_free(memory, t->place);
	memory_free(memory, t->at);
	memory_free(memory, t->lex_states.at);
}
