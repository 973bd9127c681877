// Questions to a regular language; see regex.h.
//
// In:   a language of a store.
// Out:  whether it has a text, all its texts, its steps by code points, its automaton as a term.
// Cost: the text's length; of a list, the bytes of its texts; of steps, a state's edges, decoded as UTF-8.
#include "language_internal.h"

bool language_has(const struct languages *s, language l, const char *text, size_t len)
{
	struct term_automaton a = language_view(s, l);
	uint32_t q = 0;
	if (!a.n_states) return false;
	for (size_t at = 0; at < len; at++) {
		uint8_t byte = (uint8_t)text[at];
		uint32_t e = term_automaton_first(&a, q), end = term_automaton_first(&a, q + 1);
		while (e < end && term_automaton_hi(&a, e) < byte) e++;
		if (e == end || term_automaton_lo(&a, e) > byte) return false;
		q = term_automaton_to(&a, e);
	}
	return term_automaton_accepts(&a, q);
}

uint32_t language_states(const struct languages *s, language a) { return language_view(s, a).n_states; }

// Depth first with a limit of steps: every state leads to an accepting one, so each step down is a text's.
bool language_list(const struct languages *s, language l, uint32_t most, struct arena *arena, language_texts *out)
{
	struct term_automaton a = language_view(s, l);
	struct path_step {
		uint32_t state, edge, byte;
	};
	VEC(struct path_step) path = {0};
	VEC(char) text = {0};
	bool ok = true;
	if (a.n_states) vec_push(&path, ((struct path_step){0, term_automaton_first(&a, 0), 0}));
	while (path.n && ok) {
		struct path_step *top = &path.at[path.n - 1];
		uint32_t end = term_automaton_first(&a, top->state + 1);
		if (top->edge == term_automaton_first(&a, top->state) && !top->byte && term_automaton_accepts(&a, top->state)) {
			ok = out->n < most;
			if (ok)
				vec_push(out, ((struct language_text){arena_strndup(arena, text.n ? text.at : "", text.n), text.n}));
		}
		if (top->edge == end) {
			path.n--;
			if (text.n) text.n--;
			continue;
		}
		uint32_t e = top->edge, byte = top->byte ? top->byte - 1 : term_automaton_lo(&a, e);
		top->byte = byte + 2;
		if (byte == term_automaton_hi(&a, e)) top->edge++, top->byte = 0;
		if (top->edge == end) top->byte = 1;  // not as it came
		vec_push(&text, (char)byte);
		uint32_t to = term_automaton_to(&a, e);
		vec_push(&path, ((struct path_step){to, term_automaton_first(&a, to), 0}));
		ok = ok && path.n <= a.n_states;  // a longer path has a loop
	}
	vec_release(&path);
	vec_release(&text);
	return ok;
}

struct term *language_term(const struct languages *s, language a, struct loc loc, struct arena *arena)
{
	uint32_t len;
	const void *text = intern_get(&s->automata, a, &len);
	struct term *t = arena_alloc(arena, sizeof *t);
	void *copy = arena_alloc(arena, len);
	memcpy(copy, text, len);
	*t = (struct term){.kind = TERM_AUTOMATON, .text = copy, .text_len = len, .loc = loc, .text_loc = loc};
	return t;
}

void leads_add(leads *l, uint32_t lo, uint32_t hi, uint32_t to)
{
	struct lead *last = l->n ? &l->at[l->n - 1] : NULL;
	if (last && last->to == to && last->hi + 1 == lo)
		last->hi = hi;
	else
		vec_push(l, ((struct lead){lo, hi, to}));
}

// Code points that begin with `so_far` (of which `more` bytes are missing) from q on.
static void collect(const struct term_automaton *a, uint32_t q, uint32_t so_far, uint32_t more, leads *out)
{
	for (uint32_t e = term_automaton_first(a, q); e < term_automaton_first(a, q + 1); e++) {
		uint32_t to = term_automaton_to(a, e), lo = term_automaton_lo(a, e), hi = term_automaton_hi(a, e);
		if (more == 1)
			leads_add(out, so_far << 6 | (lo & 63), so_far << 6 | (hi & 63), to + 1);
		else
			for (uint32_t b = lo; b <= hi; b++) collect(a, to, so_far << 6 | (b & 63), more - 1, out);
	}
}

// Code points of one byte.
void leads_ascii(const struct term_automaton *a, uint32_t q, leads *out)
{
	vec_clear(out);
	for (uint32_t e = term_automaton_first(a, q); e < term_automaton_first(a, q + 1); e++)
		if (term_automaton_lo(a, e) < 0x80)
			leads_add(out, term_automaton_lo(a, e), term_automaton_hi(a, e), term_automaton_to(a, e) + 1);
}

void leads_wide(const struct term_automaton *a, uint32_t q, leads *out)
{
	for (uint32_t e = term_automaton_first(a, q); e < term_automaton_first(a, q + 1); e++) {
		uint32_t to = term_automaton_to(a, e), lo = term_automaton_lo(a, e), hi = term_automaton_hi(a, e);
		for (uint32_t b = lo; b >= 0x80 && b <= hi; b++) {
			uint32_t more = b >= 0xF0 ? 3 : b >= 0xE0 ? 2 : 1;
			collect(a, to, b & (0x3Fu >> more), more, out);
		}
	}
}

bool language_ends_in(const struct languages *s, language l, uint32_t state)
{
	const struct term_automaton a = language_view(s, l);
	return term_automaton_accepts(&a, state);
}

void language_steps_from(const struct languages *s, language l, uint32_t state, language_steps *out)
{
	const struct term_automaton a = language_view(s, l);
	leads found = {0};
	for (uint32_t wide = 0; wide < 2; wide++) {
		vec_clear(&found);
		if (wide)
			leads_wide(&a, state, &found);
		else
			leads_ascii(&a, state, &found);
		for (uint32_t i = 0; i < found.n; i++)
			vec_push(out, ((struct language_step){found.at[i].lo, found.at[i].hi, found.at[i].to - 1}));
	}
	vec_release(&found);
}
