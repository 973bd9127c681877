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

// Leads with each of lo .. hi before them, in bits from `shift` on.
static void leads_add_behind(leads *out, uint32_t lo, uint32_t hi, uint32_t shift, const leads *l)
{
	const bool is_all = l->n == 1 && l->at[0].lo == 0 && l->at[0].hi == (1u << shift) - 1;
	if (is_all) {
		leads_add(out, lo << shift, ((hi + 1) << shift) - 1, l->at[0].to);
		return;
	}
	for (uint32_t b = lo; b <= hi; b++)
		for (uint32_t i = 0; i < l->n; i++)
			leads_add(out, (b << shift) + l->at[i].lo, (b << shift) + l->at[i].hi, l->at[i].to);
}

// What is found behind 1, 2 and 3 bytes that are missing of a code point.
struct collection {
	leads of[4];
};

// Values of the last `more` bytes of code points, from q on, into x->of[more]: what a state leads to is found once for
// all bytes that lead to it.
static const leads *collect(struct collection *x, const struct term_automaton *a, uint32_t q, uint32_t more)
{
	leads *out = &x->of[more];
	vec_clear(out);
	for (uint32_t e = term_automaton_first(a, q); e < term_automaton_first(a, q + 1); e++) {
		uint32_t to = term_automaton_to(a, e), lo = term_automaton_lo(a, e) & 63, hi = term_automaton_hi(a, e) & 63;
		if (more == 1)
			leads_add(out, lo, hi, to + 1);
		else
			leads_add_behind(out, lo, hi, 6 * (more - 1), collect(x, a, to, more - 1));
	}
	return out;
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
	struct collection x = {0};
	for (uint32_t e = term_automaton_first(a, q); e < term_automaton_first(a, q + 1); e++) {
		uint32_t lo = term_automaton_lo(a, e), hi = term_automaton_hi(a, e), end;
		for (uint32_t b = lo; b >= 0x80 && b <= hi; b = end + 1) {
			const uint32_t more = b >= 0xF0 ? 3 : b >= 0xE0 ? 2 : 1, last = more == 3 ? 0xFF : more == 2 ? 0xEF : 0xDF;
			end = hi < last ? hi : last;
			leads_add_behind(out, b & (0x3Fu >> more), end & (0x3Fu >> more), 6 * more,
			                 collect(&x, a, term_automaton_to(a, e), more));
		}
	}
	for (uint32_t more = 1; more < 4; more++) vec_release(&x.of[more]);
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
