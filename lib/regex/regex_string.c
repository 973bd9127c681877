// JSON strings of so many characters beside a pattern (TERM_STRING), and how their characters are counted.
//
// In:  the automaton of the values, the least and the most number of characters, which escapes are allowed. Out: the
// automaton of the strings; of the one with fewer characters, in which states they are counted (struct dfa_counter).
// A state of the strings is one of the values' with the number of characters that are left. What it takes does not
// depend on that number while more are left than a token, and the nearest end behind it, can use. So a string that is
// long is made with fewer characters, and at one number of them, `place`, the lexer stays and counts. There, all states
// that have no longest text must be told apart, and the next character must not lead to others than are there: then
// any further one does not either. States that have a longest text are the same at all numbers that leave room for it.
// Cost: characters up to `place` x states of the values x their edges; the product of both, spelled.
#include "../shared/json_character.h"
#include "language_internal.h"

// A step of the values' automaton by one character, the first of those that lead there.
struct string_step {
	uint32_t from, to, character;
};

struct values {
	uint32_t n;
	VEC(struct string_step) steps;  // one for each pair of states, in the order of `from`
	uint32_t *first;                // [n + 1] of a state's steps
	uint32_t *end;                  // [n] characters to the nearest end
	bits *is_endless;               // it has no longest text
	uint32_t farthest;              // characters to a nearest end, or in a longest text
};

static void list_steps(const struct languages *s, language of, struct values *v)
{
	language_steps all = {0};
	bits *met = mem_calloc(BITS_WORDS(v->n) + 1, sizeof *met), *seen = mem_calloc(BITS_WORDS(v->n) + 1, sizeof *seen);
	bits_set(met, 0);
	// States are numbered breadth-first by bytes, so one that a character leads to may stand before: until none is new.
	for (bool more = true; more;) {
		more = false;
		v->steps.n = 0;
		for (uint32_t q = 0; q < v->n; q++) {
			v->first[q] = v->steps.n;
			if (!bits_test(met, q)) continue;
			work_check();
			vec_clear(&all);
			language_steps_from(s, of, q, &all);
			memset(seen, 0, BITS_WORDS(v->n) * sizeof *seen);
			for (uint32_t i = 0; i < all.n; i++) {
				const uint32_t to = all.at[i].to;
				if (bits_test(seen, to)) continue;
				bits_set(seen, to);
				vec_push(&v->steps, ((struct string_step){q, to, all.at[i].lo}));
				more |= to < q && !bits_test(met, to);
				bits_set(met, to);
			}
		}
	}
	v->first[v->n] = v->steps.n;
	free(met), free(seen);
	vec_release(&all);
}

// Characters to the nearest end, from the ends backwards: a step shortens it until none does.
static void find_ends(const struct languages *s, language of, struct values *v)
{
	for (uint32_t q = 0; q < v->n; q++) v->end[q] = language_ends_in(s, of, q) ? 0 : UINT32_MAX;
	for (bool more = true; more;) {
		more = false;
		work_check();
		for (uint32_t i = v->steps.n; i-- > 0;) {
			const struct string_step *x = &v->steps.at[i];
			if (v->end[x->to] == UINT32_MAX || v->end[x->from] <= v->end[x->to] + 1) continue;
			v->end[x->from] = v->end[x->to] + 1, more = true;
		}
	}
	for (uint32_t i = 0; i < v->steps.n; i++) {
		const uint32_t q = v->steps.at[i].from;
		if (v->end[q] > v->farthest) v->farthest = v->end[q];
	}
}

// States all of whose steps lead to states with a longest text have one, too (Kahn 1962, from the ends).
static void find_endless(struct values *v)
{
	uint32_t *left = mem_calloc((size_t)v->n + 1, sizeof *left),
			 *longest = mem_calloc((size_t)v->n + 1, sizeof *longest);
	uint32_t *into = mem_calloc((size_t)v->n + 2, sizeof *into),
			 *step = mem_calloc(v->steps.n + (size_t)1, sizeof *step);
	VEC(uint32_t) settled = {0};
	for (uint32_t i = 0; i < v->steps.n; i++) left[v->steps.at[i].from]++, into[v->steps.at[i].to + 2]++;
	for (uint32_t q = 2; q < v->n + 2; q++) into[q] += into[q - 1];
	for (uint32_t i = 0; i < v->steps.n; i++) step[into[v->steps.at[i].to + 1]++] = i;
	for (uint32_t q = 0; q < v->n; q++) {
		bits_set(v->is_endless, q);
		if (!left[q]) vec_push(&settled, q);
	}
	for (uint32_t i = 0; i < settled.n; i++) {
		const uint32_t q = settled.at[i];
		bits_reset(v->is_endless, q);
		if (longest[q] > v->farthest) v->farthest = longest[q];
		for (uint32_t k = into[q]; k < into[q + 1]; k++) {
			const uint32_t from = v->steps.at[step[k]].from;
			if (longest[from] <= longest[q]) longest[from] = longest[q] + 1;
			if (!--left[from]) vec_push(&settled, from);
		}
	}
	vec_release(&settled);
	free(left), free(longest), free(into), free(step);
}

static void values_read(const struct languages *s, language of, struct values *v)
{
	const uint32_t n = language_states(s, of);
	*v = (struct values){.n = n,
	                     .first = mem_calloc((size_t)n + 1, sizeof *v->first),
	                     .end = mem_calloc((size_t)n + 1, sizeof *v->end),
	                     .is_endless = mem_calloc(BITS_WORDS(n) + 1, sizeof *v->is_endless)};
	list_steps(s, of, v);
	find_ends(s, of, v);
	find_endless(v);
}

static void values_release(struct values *v)
{
	vec_release(&v->steps);
	free(v->first), free(v->end), free(v->is_endless);
}

// The states without a longest text that one character more leads to.
static void step_all(const struct values *v, const bits *at, bits *out)
{
	memset(out, 0, BITS_WORDS(v->n) * sizeof *out);
	for (uint32_t q = 0; q < v->n; q++)
		for (uint32_t i = v->first[q]; bits_test(at, q) && i < v->first[q + 1]; i++) {
			const uint32_t to = v->steps.at[i].to;
			if (bits_test(v->is_endless, to)) bits_set(out, to);
		}
}

// The number of characters, `least` or more, behind which one more leads to no other states. False: within the limit
// there is none, or no text is as long.
static bool find_place(const struct values *v, uint32_t least, uint32_t *place)
{
	const uint32_t words = BITS_WORDS(v->n);
	bits *at = mem_calloc(words + 1, sizeof *at), *next = mem_calloc(words + 1, sizeof *next);
	bool found = false, any = bits_test(v->is_endless, 0);
	if (any) bits_set(at, 0);
	for (uint32_t c = 0; any && !found && c <= least + STRING_MAX_PLACE; c++) {
		work_check();
		step_all(v, at, next);
		any = false;
		bool is_within = true;
		for (uint32_t w = 0; w < words; w++) any |= next[w] != 0, is_within &= !(next[w] & ~at[w]);
		found = any && is_within && c >= least && c > 0;
		if (found) *place = c;
		bits *swap = at;
		at = next, next = swap;
	}
	free(at), free(next);
	return found;
}

bool language_counts(const struct languages *s, language of, uint32_t least, struct string_count *out)
{
	if (language_states(s, of) > STRING_MAX_STATES || least > STRING_MAX_LEAST) return false;
	struct values v;
	values_read(s, of, &v);
	bool ok = v.farthest <= STRING_MAX_REACH && find_place(&v, least ? least : 1, &out->place);
	out->reach = v.farthest;
	values_release(&v);
	return ok;
}

// The states that one character more leads to.
static void step_any(const struct values *v, const bits *at, bits *out)
{
	memset(out, 0, BITS_WORDS(v->n) * sizeof *out);
	for (uint32_t q = 0; q < v->n; q++)
		for (uint32_t i = v->first[q]; bits_test(at, q) && i < v->first[q + 1]; i++) bits_set(out, v->steps.at[i].to);
}

// The characters that a text needs of which so many have been read, or fewer, at most.
static void find_needs(const struct values *v, uint32_t *needs)
{
	bits *at = mem_calloc(BITS_WORDS(v->n) + 1, sizeof *at), *next = mem_calloc(BITS_WORDS(v->n) + 1, sizeof *next);
	bits_set(at, 0);
	for (uint32_t c = 0; c < STRING_NEEDS; c++) {
		work_check();
		needs[c] = c ? needs[c - 1] : 0;
		for (uint32_t q = 0; q < v->n; q++)
			if (bits_test(at, q) && c + v->end[q] > needs[c]) needs[c] = c + v->end[q];
		step_any(v, at, next);
		bits *swap = at;
		at = next, next = swap;
	}
	free(at), free(next);
}

static bool all_end(const struct values *v, const bits *at)
{
	bool ok = true;
	for (uint32_t q = 0; q < v->n; q++) ok &= !bits_test(at, q) || !v->end[q];
	return ok;
}

// Is there a number of characters, at most `most`, behind which all texts that are begun can end, and one character
// more leads to no other states? Then so it is behind any more. A shorter beginning has an end before that number, or
// goes on to it.
static bool beginnings_end(const struct values *v, uint32_t most)
{
	const uint32_t words = BITS_WORDS(v->n);
	bits *at = mem_calloc(words + 1, sizeof *at), *next = mem_calloc(words + 1, sizeof *next);
	bool settled = false;
	bits_set(at, 0);
	for (uint32_t c = 0; !settled && c <= most && c <= STRING_MAX_LEAST + STRING_MAX_PLACE; c++) {
		work_check();
		step_any(v, at, next);
		settled = all_end(v, at);
		for (uint32_t w = 0; w < words; w++) settled &= !(next[w] & ~at[w]);
		bits *swap = at;
		at = next, next = swap;
	}
	free(at), free(next);
	return settled;
}

uint32_t language_shares(struct languages *s, language of, const struct string_bounds *bounds,
                         uint32_t needs[STRING_NEEDS])
{
	if (bounds->least > STRING_MAX_LEAST || bounds->least > bounds->most) return 0;
	const language l = language_and(s, of, language_of_lengths(s, bounds->least, TERM_UNBOUNDED));
	if (l == LANGUAGE_NOTHING || language_states(s, l) > STRING_MAX_STATES) return 0;
	struct values v;
	values_read(s, l, &v);
	uint32_t far = 0;
	for (uint32_t i = 0; i < v.steps.n; i++)
		if (v.end[v.steps.at[i].from] > far) far = v.end[v.steps.at[i].from];
	if (needs) find_needs(&v, needs);
	const bool may_be = v.end[0] <= bounds->most && far < STRING_MAX_FAR;
	values_release(&v);
	return may_be ? language_states(s, language_spelled(s, l, bounds->escapes)) : 0;
}

struct term *language_string_term(const struct languages *s, language of, struct string_bounds bounds, struct loc loc,
                                  struct arena *arena)
{
	struct term *t = language_term(s, of, loc, arena);
	t->kind = TERM_STRING, t->flags = bounds.escapes, t->lo = bounds.least, t->hi = bounds.most;
	return t;
}

// The values of a TERM_STRING, whatever their lengths.
static language values_of(struct languages *s, const struct term *t)
{
	const struct term_automaton a = term_automaton_read(t->text);
	VEC(struct language_edge) edges = {0};
	bool *accept = mem_calloc((size_t)a.n_states + 1, sizeof *accept);
	for (uint32_t q = 0; q < a.n_states; q++) {
		accept[q] = term_automaton_accepts(&a, q);
		for (uint32_t e = term_automaton_first(&a, q); e < term_automaton_first(&a, q + 1); e++)
			vec_push(&edges, ((struct language_edge){q, term_automaton_to(&a, e), term_automaton_lo(&a, e),
			                                         term_automaton_hi(&a, e)}));
	}
	const language l = language_of_automaton(s, a.n_states, accept, edges.at, edges.n);
	free(accept);
	vec_release(&edges);
	return l;
}

struct term *re_string_spelled(const struct term *t, struct arena *arena)
{
	struct languages *s = languages_new();
	const language l = language_and(s, values_of(s, t), language_of_lengths(s, t->lo, t->hi));
	struct term *out = language_term(s, language_spelled(s, l, t->flags), t->loc, arena);
	languages_free(s);
	return out;
}

uint32_t re_string_shared(const struct term *t, uint32_t needs[STRING_NEEDS])
{
	if (t->hi == TERM_UNBOUNDED) return 0;
	struct languages *s = languages_new();
	const struct string_bounds bounds = {t->lo, t->hi, t->flags};
	const uint32_t n = language_shares(s, values_of(s, t), &bounds, needs);
	languages_free(s);
	return n;
}

bool regex_string_ends_early(const struct term *t)
{
	struct languages *s = languages_new();
	const language l = language_and(s, values_of(s, t), language_of_lengths(s, t->lo, TERM_UNBOUNDED));
	struct values v;
	values_read(s, l, &v);
	const bool ok = beginnings_end(&v, t->hi);
	values_release(&v);
	languages_free(s);
	return ok;
}

bool re_string_find(const struct term *t, struct string_count *out)
{
	struct languages *s = languages_new();
	const bool ok = t->hi != TERM_UNBOUNDED && language_counts(s, values_of(s, t), t->lo, out);
	languages_free(s);
	return ok;
}

// ---- Which states of the strings count.
// Behind the bytes of a character as json.dumps writes it.
static uint32_t over_character(const struct byte_dfa *whole, uint32_t q, uint32_t c)
{
	static const char shorts[] = "\b\t\n\f\r\"\\", letters[] = "btnfr\"\\", digits[] = "0123456789abcdef";
	uint8_t bytes[8];
	uint32_t n = 0;
	const char *known = c && c < 128 ? strchr(shorts, (int)c) : NULL;
	if (known) {
		bytes[n++] = '\\', bytes[n++] = (uint8_t)letters[known - shorts];
	} else if (c < 0x20) {
		const uint8_t unit[] = {'\\', 'u', '0', '0', (uint8_t)digits[c >> 4], (uint8_t)digits[c & 15]};
		memcpy(bytes, unit, sizeof unit), n = sizeof unit;
	} else if (c < 0x80) {
		bytes[n++] = (uint8_t)c;
	} else if (c < 0x800) {
		bytes[n++] = (uint8_t)(0xC0 | c >> 6), bytes[n++] = (uint8_t)(0x80 | (c & 63));
	} else if (c < 0x10000) {
		bytes[n++] = (uint8_t)(0xE0 | c >> 12), bytes[n++] = (uint8_t)(0x80 | (c >> 6 & 63));
		bytes[n++] = (uint8_t)(0x80 | (c & 63));
	} else {
		bytes[n++] = (uint8_t)(0xF0 | c >> 18), bytes[n++] = (uint8_t)(0x80 | (c >> 12 & 63));
		bytes[n++] = (uint8_t)(0x80 | (c >> 6 & 63)), bytes[n++] = (uint8_t)(0x80 | (c & 63));
	}
	for (uint32_t i = 0; i < n; i++) q = dfa_step(whole, q, bytes[i]);
	return q;
}

enum mark { MARK_NONE, MARK_FROM, MARK_TO, MARK_INSIDE };

struct counting {
	const struct values *v;
	const struct byte_dfa *whole;
	uint32_t *at[2];  // [values' state] where the strings are at `place` characters and at one more; DFA_DEAD: nowhere
	uint8_t *mark;    // [whole's state]
};

// Follows the values' states from the opening quote on, a character at a time.
static bool follow_to_place(struct counting *x, uint32_t place)
{
	const struct values *v = x->v;
	bool ok = true;
	for (uint32_t q = 0; q < v->n; q++) x->at[1][q] = q ? DFA_DEAD : dfa_step(x->whole, 0, '"');
	for (uint32_t c = 0; c <= place && ok; c++) {
		uint32_t *swap = x->at[0];
		x->at[0] = x->at[1], x->at[1] = swap;
		work_check();
		for (uint32_t q = 0; q < v->n; q++) x->at[1][q] = DFA_DEAD;
		for (uint32_t i = 0; i < v->steps.n && ok; i++) {
			const struct string_step *s = &v->steps.at[i];
			if (x->at[0][s->from] == DFA_DEAD || !bits_test(v->is_endless, s->to)) continue;
			const uint32_t to = over_character(x->whole, x->at[0][s->from], s->character);
			ok = to != DFA_DEAD && (x->at[1][s->to] == DFA_DEAD || x->at[1][s->to] == to);
			x->at[1][s->to] = to;
		}
	}
	return ok;
}

static bool mark_layers(struct counting *x)
{
	bool ok = true;
	for (uint32_t k = 0; k < 2; k++)
		for (uint32_t q = 0; q < x->v->n && ok; q++) {
			const uint32_t at = x->at[k][q];
			if (at == DFA_DEAD) continue;
			ok = x->mark[at] == MARK_NONE && (!k || x->at[0][q] != DFA_DEAD);
			x->mark[at] = k ? MARK_TO : MARK_FROM;
		}
	return ok;
}

// The states inside the character that is counted.
static bool mark_inside(struct counting *x)
{
	struct map64 met = {0};
	VEC(uint64_t) todo = {0};
	bool ok = true;
	for (uint32_t q = 0; q < x->v->n; q++)
		if (x->at[0][q] != DFA_DEAD) vec_push(&todo, (uint64_t)x->at[0][q] << 8 | JSON_BETWEEN);
	for (uint32_t i = 0; i < todo.n && ok; i++) {
		const uint32_t at = (uint32_t)(todo.at[i] >> 8), inside = todo.at[i] & 255;
		for (uint32_t b = 0; b < 256 && ok; b++) {
			const uint32_t to = dfa_step(x->whole, at, (uint8_t)b), next = json_character_step(inside, (uint8_t)b);
			if (to == DFA_DEAD || next == JSON_BETWEEN) continue;
			const uint64_t pair = (uint64_t)to << 8 | next;
			ok = x->mark[to] == MARK_NONE || x->mark[to] == MARK_INSIDE;
			x->mark[to] = MARK_INSIDE;
			if (map64_get(&met, pair) == MAP64_NONE) map64_put(&met, pair, 1), vec_push(&todo, pair);
		}
	}
	map64_release(&met);
	vec_release(&todo);
	return ok;
}

// Nothing but a counted character leads to `to`, or into a counted character; no such one leads back to `from`.
static bool is_apart(const struct counting *x)
{
	const struct byte_dfa *w = x->whole;
	for (uint32_t q = 0; q < w->n_states; q++) {
		const bool is_counted = x->mark[q] == MARK_FROM || x->mark[q] == MARK_INSIDE;
		for (uint32_t c = 0; c < w->n_classes; c++) {
			const uint32_t to = w->next[(size_t)q * w->n_classes + c];
			if (to == DFA_DEAD) continue;
			if (is_counted ? x->mark[to] == MARK_FROM : x->mark[to] == MARK_TO || x->mark[to] == MARK_INSIDE)
				return false;
		}
	}
	return true;
}

static void take_pairs(const struct counting *x, struct arena *arena, struct dfa_counter *out)
{
	out->pair = arena_array(arena, (size_t)x->v->n + 1, sizeof *out->pair);
	out->counted = arena_array(arena, x->whole->n_states, sizeof *out->counted);
	memset(out->counted, 0, x->whole->n_states * sizeof *out->counted);
	for (uint32_t q = 0; q < x->whole->n_states; q++)
		if (x->mark[q] == MARK_FROM || x->mark[q] == MARK_INSIDE) out->counted[q] = 1;
	for (uint32_t q = 0; q < x->v->n; q++) {
		if (x->at[1][q] == DFA_DEAD) continue;
		out->pair[out->n_pairs++] = (struct dfa_counted_pair){x->at[0][q], x->at[1][q]};
		out->counted[x->at[0][q]] = out->n_pairs;
	}
}

bool re_string_count(const struct term *t, uint32_t place, struct arena *arena, const struct byte_dfa *whole,
                     struct dfa_counter *out)
{
	struct languages *s = languages_new();
	struct values v;
	values_read(s, values_of(s, t), &v);
	struct counting x = {.v = &v, .whole = whole, .mark = mem_calloc(whole->n_states, 1)};
	for (uint32_t k = 0; k < 2; k++) x.at[k] = mem_calloc((size_t)v.n + 1, sizeof *x.at[k]);
	const bool ok = follow_to_place(&x, place) && mark_layers(&x) && mark_inside(&x) && is_apart(&x);
	if (ok) take_pairs(&x, arena, out);
	free(x.at[0]), free(x.at[1]), free(x.mark);
	values_release(&v);
	languages_free(s);
	return ok && out->n_pairs;
}

// ---- Strings whose numbers share all states.
// place: [n_states] in a character, from the opening quote on; UINT8_MAX: behind the closing one, or before the opening
// one. False: a state stands at two places.
// Branches: each rule of what may stand where is one.
static bool find_places(const struct byte_dfa *whole, uint8_t *place)
{
	VEC(uint32_t) todo = {0};
	bool ok = dfa_step(whole, 0, '"') != DFA_DEAD;
	memset(place, UINT8_MAX, whole->n_states);
	if (ok) vec_push(&todo, dfa_step(whole, 0, '"'));
	if (ok) place[todo.at[0]] = JSON_BETWEEN;
	for (uint32_t i = 0; i < todo.n && ok; i++)
		for (uint32_t b = 0; b < 256 && ok; b++) {
			const uint32_t q = todo.at[i], to = dfa_step(whole, q, (uint8_t)b);
			if (to == DFA_DEAD || (place[q] == JSON_BETWEEN && b == '"')) continue;
			const uint32_t next = json_character_step(place[q], (uint8_t)b);
			ok = place[to] == UINT8_MAX || place[to] == next;
			if (place[to] == UINT8_MAX) vec_push(&todo, to);
			place[to] = (uint8_t)next;
		}
	ok = ok && place[0] == UINT8_MAX;
	for (uint32_t q = 0; q < whole->n_states && ok; q++) ok = !whole->accept[q] || place[q] == UINT8_MAX;
	vec_release(&todo);
	return ok;
}

bool re_string_share(struct arena *arena, const struct byte_dfa *whole, struct dfa_counter *out)
{
	uint8_t *place = mem_calloc(whole->n_states, 1);
	const bool ok = find_places(whole, place);
	out->is_shared = true, out->is_far = false;
	out->pair = arena_array(arena, whole->n_states, sizeof *out->pair);
	out->counted = arena_array(arena, whole->n_states, sizeof *out->counted);
	for (uint32_t q = 0; q < whole->n_states && ok; q++) {
		out->counted[q] = place[q] != UINT8_MAX;
		if (place[q] != JSON_BETWEEN) continue;
		out->is_far |= dfa_step(whole, q, '"') == DFA_DEAD;
		out->pair[out->n_pairs++] = (struct dfa_counted_pair){q, q};
		out->counted[q] = out->n_pairs;
	}
	free(place);
	return ok;
}
