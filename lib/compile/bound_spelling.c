// Of which bytes texts are made that surely have tokens, for hard masks under budgets that are far away.
//
// In:  the lexer, the vocabulary. Out: struct bound_bytes; whether such bytes end lexemes as all bytes do.
// ASCII that has a token of its own. A text of such bytes has at most as many tokens as bytes, and no normal form
// changes it. It must not spell an added token, which a blank and a character may have begun before it: so bytes are
// left out, or pairs of them must not stand together ("|>" of Llama-3's: Go needs both signs). Of pairs it is shown
// that no cheapest text has one: no lexeme needs it to end as soon, and none begins so behind another.
// Cost: lexer states x kinds of ends x classes of bytes, some times.
#include "bound.h"

// A text of ASCII bytes behind a blank and a character does not spell the name: it has a character beyond ASCII from
// its third one on; or else it loses its last byte; or, by pairs, that byte behind the one before it.
static void leave_out(const char *name, uint32_t n, bool by_pairs, struct bound_bytes *s)
{
	uint32_t n_characters = 0, third = n;
	for (uint32_t i = 0; i < n; i++) {
		n_characters += ((uint8_t)name[i] & 0xC0) != 0x80;
		if (n_characters > 2 && (uint8_t)name[i] >= ASCII) return;
		if (n_characters == 3 && third == n) third = i;
	}
	const uint8_t last = (uint8_t)name[n - 1];
	if (last >= ASCII) return;
	if (!by_pairs || third + 2 > n) {
		s->has[last] = false;
		return;
	}
	bits_set(s->not_then[(uint8_t)name[n - 2]], last);
	s->has_pairs = true;
}

bool spelling_find(const struct vocab *v, bool by_pairs, struct bound_bytes *s)
{
	*s = (struct bound_bytes){0};
	for (uint32_t t = 0; t < v->n_tokens; t++)
		if (v->offset[t + 1] - v->offset[t] == 1 && v->bytes[v->offset[t]] < ASCII)
			s->has[v->bytes[v->offset[t]]] = true;
	for (uint32_t k = 0; k < v->n_added; k++) {
		const char *name = v->added[k].name;
		const uint32_t id = v->added[k].id, n = name ? (uint32_t)strlen(name) : 0;
		if (!n) return false;
		leave_out(name, n, by_pairs, s);
		if (id < v->n_tokens && v->offset[id] < v->offset[id + 1])
			leave_out((const char *)v->bytes + v->offset[id], v->offset[id + 1] - v->offset[id], by_pairs, s);
	}
	return true;
}

// ---- Pairs of bytes that do not stand together.
// [lexer states * classes] steps that such texts take: no byte y of a class behind a state that some x leads to.
static bool *find_steps(const struct artifact_image *m, const struct bound_bytes *s)
{
	const uint32_t n_states = m->info.n_lex_states, n_classes = m->info.n_classes;
	bool *steps = mem_calloc((size_t)n_states * n_classes, sizeof *steps);
	bits(*not_in)[BITS_WORDS(ASCII)] = mem_calloc(n_states, sizeof *not_in);
	for (uint32_t x = 0; x < ASCII; x++)
		for (uint32_t q = 1; q < n_states && s->has[x]; q++) {
			const uint32_t to = m->lex_next[(uint64_t)q * n_classes + m->info.class_of[x]] & LEX_STATE_MASK;
			for (uint32_t w = 0; w < BITS_WORDS(ASCII); w++) not_in[to][w] |= s->not_then[x][w];
		}
	for (uint32_t q = 1; q < n_states; q++)
		for (uint32_t y = 0; y < ASCII; y++)
			if (s->has[y] && !bits_test(not_in[q], y)) steps[(size_t)q * n_classes + m->info.class_of[y]] = true;
	free(not_in);
	return steps;
}

// May none of these bytes begin a lexeme behind this end of another one?
static bool none_begins(const struct lexer *lexer, struct next_starts *starts, const struct lex_info *end,
                        const bits *bytes)
{
	uint32_t n;
	if (end->terminal == UINT32_MAX) return true;
	const lex_state *start = next_starts_of(starts, end->terminal, end->obligation, &n);
	for (uint32_t y = bits_next(bytes, BITS_WORDS(ASCII), 0); y != UINT32_MAX;
	     y = bits_next(bytes, BITS_WORDS(ASCII), y + 1))
		for (uint32_t i = 0; i < n; i++)
			if (lexer_next(lexer, start[i], (uint8_t)y) & LEX_STATE_MASK) return false;
	return true;
}

bool spelling_keeps_apart(const struct lexer *lexer, const struct bound_bytes *s, struct next_starts *starts)
{
	bool yes = true;
	for (uint32_t x = 0; x < ASCII && yes; x++)
		for (lex_state q = 1; q < lexer->n_states && yes; q++) {
			const lex_state to = lexer_next(lexer, q, (uint8_t)x) & LEX_STATE_MASK;
			for (const struct lex_info *end = &lexer->info[to]; to && end && yes; end = lexer_also(lexer, end))
				yes = none_begins(lexer, starts, end, s->not_then[x]);
		}
	return yes;
}

// ---- How lexemes can end.
// [lexer states] the kind of ends that a lexeme has there, or NONE; how many kinds there are.
static uint32_t find_kinds(const struct artifact_image *m, uint32_t *own)
{
	struct intern kinds = {0};
	VEC(uint32_t) kind = {0};
	for (uint32_t q = 0; q < m->info.n_lex_states; q++) {
		vec_clear(&kind);
		for (uint32_t way = q; way; way = m->lex_states[way].also)
			if (m->lex_states[way].terminal != ARTIFACT_NONE)
				vec_push(&kind, m->lex_states[way].terminal), vec_push(&kind, m->lex_states[way].obligation);
		own[q] = kind.n ? intern_add(&kinds, kind.at, kind.n * sizeof *kind.at, NULL) : ARTIFACT_NONE;
	}
	const uint32_t n = kinds.entries.n;
	vec_release(&kind);
	intern_release(&kinds);
	return n;
}

// [lexer states * kinds] in how many bytes the lexeme can end so from here on, FARTHEST: as many or more, or never.
// steps: [lexer states * classes], or NULL: all.
#define FARTHEST UINT16_MAX
static uint16_t *find_ends(const struct artifact_image *m, const uint32_t *own, uint32_t n_kinds, const bool *steps)
{
	const uint32_t n_states = m->info.n_lex_states, n_classes = m->info.n_classes;
	uint16_t *ends = mem_alloc(((size_t)n_states * n_kinds + 1) * sizeof *ends);
	memset(ends, 0xff, (size_t)n_states * n_kinds * sizeof *ends);
	for (uint32_t q = 1; q < n_states; q++)
		if (own[q] != ARTIFACT_NONE) ends[(size_t)q * n_kinds + own[q]] = 0;
	for (bool grows = true, up = false; grows; up = !up) {
		grows = false;
		for (uint32_t i = 1; i < n_states; i++) {
			const uint32_t q = up ? i : n_states - i;
			uint16_t *to = ends + (size_t)q * n_kinds;
			for (uint32_t c = 0; c < n_classes; c++) {
				const uint32_t next = m->lex_next[(uint64_t)q * n_classes + c] & LEX_STATE_MASK;
				const uint16_t *from = ends + (size_t)next * n_kinds;
				if (!next || next == q || (steps && !steps[(size_t)q * n_classes + c])) continue;
				for (uint32_t k = 0; k < n_kinds; k++)
					if (from[k] + 1 < to[k]) to[k] = (uint16_t)(from[k] + 1), grows = true;
			}
		}
	}
	return ends;
}

struct spelled spelling_of_lexemes(const struct artifact_image *m, const struct bound_bytes *s, const bits *between)
{
	const uint32_t n_states = m->info.n_lex_states;
	struct bound_bytes alone = {0};
	memcpy(alone.has, s->has, sizeof alone.has);
	uint32_t *own = mem_alloc(n_states * sizeof *own), n_kinds = find_kinds(m, own);
	bool *steps = find_steps(m, s), *steps_alone = find_steps(m, &alone);
	uint16_t *by_all = find_ends(m, own, n_kinds, NULL), *by_some = find_ends(m, own, n_kinds, steps_alone),
			 *by_pairs = s->has_pairs ? find_ends(m, own, n_kinds, steps) : by_some;
	struct spelled yes = {true, true};
	for (uint32_t q = 1; q < n_states; q++)
		for (size_t i = (size_t)q * n_kinds; i < (size_t)(q + 1) * n_kinds && bits_test(between, q); i++) {
			yes.all &= (by_all[i] == FARTHEST) == (by_some[i] == FARTHEST);
			yes.as_soon &= by_some[i] == by_pairs[i];
		}
	if (by_pairs != by_some) free(by_pairs);
	free(by_all), free(by_some), free(own), free(steps), free(steps_alone);
	return yes;
}
