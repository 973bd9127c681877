// Terminals that end where a token does: one whole token (TERM_WHOLE_TOKEN), a text up to there (TERM_TO_TOKEN_END).
//
// In:  the bytes of tokens that are meant or left out, or the automaton of the text. Out: an automaton over bytes and
//      TOKEN_END, the sign behind each token (shared/control.h), which is the last byte of each lexeme.
// A token's text is any bytes, as tokens are, and need be no UTF-8.
// Cost: linear in the bytes of these tokens, or in the automaton.
#include "regex_internal.h"

#include "../shared/control.h"

struct token_text {
	VEC(uint32_t) next;  // [states * width]
	VEC(uint8_t) accept;
	uint32_t width;
	uint8_t class_of[256];
};

static uint32_t add_state(struct token_text *x, uint32_t to, bool accept)
{
	for (uint32_t c = 0; c < x->width; c++) vec_push(&x->next, to);
	vec_push(&x->accept, accept);
	return x->accept.n - 1;
}

static void hand_out(struct token_text *x, struct arena *arena, struct byte_dfa *out)
{
	const uint32_t n = x->accept.n;
	*out = (struct byte_dfa){.n_states = n, .n_classes = x->width};
	memcpy(out->class_of, x->class_of, sizeof out->class_of);
	out->next = memcpy(arena_array(arena, x->next.n, sizeof *out->next), x->next.at, x->next.n * sizeof *out->next);
	out->accept = memcpy(arena_array(arena, n, 1), x->accept.at, n);
	out->unfailable = arena_array(arena, n, 1);
	memset(out->unfailable, 0, n);
	vec_release(&x->next), vec_release(&x->accept);
}

enum { ANY_BYTE, NO_BYTE, SIGN, FIRST_NAMED };  // classes: of no token listed; no text's; TOKEN_END; of one listed
enum { START, OTHER, ENDED, FIRST_OF_TRIE };    // states: at first; behind what begins none listed; at the end

static void whole_token(const struct term *t, struct arena *arena, struct byte_dfa *out)
{
	struct token_text x = {.width = FIRST_NAMED};
	const char *s = t->text, *end = t->text + t->text_len;
	const uint32_t other = t->lo ? DFA_DEAD : OTHER, behind_listed = t->lo ? ENDED : DFA_DEAD;
	x.class_of[CONTROL_MARK] = NO_BYTE, x.class_of[TOKEN_END] = SIGN;
	for (uint32_t len; s < end; s += len) {
		memcpy(&len, s, sizeof len), s += sizeof len;
		for (uint32_t i = 0; i < len; i++) {
			uint8_t *class = &x.class_of[(uint8_t)s[i]];
			if (*class == ANY_BYTE) *class = (uint8_t)x.width++;
		}
	}
	for (uint32_t q = START; q < FIRST_OF_TRIE; q++) {
		add_state(&x, q == ENDED ? DFA_DEAD : other, q == ENDED);
		uint32_t *next = x.next.at + q * x.width;
		next[NO_BYTE] = DFA_DEAD, next[SIGN] = q == OTHER ? ENDED : DFA_DEAD;
	}
	s = t->text;
	for (uint32_t len; s < end; s += len) {
		uint32_t q = START;
		memcpy(&len, s, sizeof len), s += sizeof len;
		for (uint32_t i = 0; i < len; i++) {
			uint32_t c = x.class_of[(uint8_t)s[i]], to = x.next.at[q * x.width + c];
			if (to == other) {
				to = add_state(&x, other, false);
				x.next.at[to * x.width + NO_BYTE] = DFA_DEAD;
				x.next.at[to * x.width + SIGN] = t->lo ? DFA_DEAD : ENDED;
				x.next.at[q * x.width + c] = to;
			}
			q = to;
		}
		if (q != START) x.next.at[q * x.width + SIGN] = behind_listed;
	}
	hand_out(&x, arena, out);
}

// A state of the text's is there twice behind the start: behind a byte, and behind the sign.
static void to_token_end(const struct byte_dfa *text, struct arena *arena, struct byte_dfa *out)
{
	const uint32_t n = text->n_states, sign = text->n_classes;
	struct token_text x = {.width = text->n_classes + 1};
	struct intern known = {0};
	memcpy(x.class_of, text->class_of, sizeof x.class_of);
	x.class_of[TOKEN_END] = (uint8_t)sign;
	intern_add(&known, (uint32_t[]){n}, sizeof n, NULL);  // q: behind a byte; n: the start; n + 1 + q: behind the sign
	for (uint32_t k = 0; k < known.entries.n; k++) {
		uint32_t at, from;
		memcpy(&at, intern_get(&known, k, NULL), sizeof at);
		const uint32_t q = at < n ? at : at == n ? 0 : at - n - 1;
		from = add_state(&x, DFA_DEAD, at > n && text->accept[q]);
		for (uint32_t c = 0; c < text->n_classes; c++) {
			uint32_t to = text->next[(size_t)q * text->n_classes + c];
			if (to != DFA_DEAD) x.next.at[(size_t)from * x.width + c] = intern_add(&known, &to, sizeof to, NULL);
		}
		const uint32_t ended = n + 1 + q;
		if (at != n) x.next.at[(size_t)from * x.width + sign] = intern_add(&known, &ended, sizeof ended, NULL);
	}
	intern_release(&known);
	hand_out(&x, arena, out);
}

bool re_compile_whole_tokens(const struct terminal *t, struct regex_cache *cache, struct arena *arena, struct diag *d,
                             struct byte_dfa *out)
{
	struct arena scratch = {0};
	struct terminal part = *t;
	struct byte_dfa text = {0};
	if (t->pattern->kind == TERM_WHOLE_TOKEN) return whole_token(t->pattern, arena, out), true;
	part.pattern = t->pattern->children[0];
	bool ok = regex_compile_cached(&part, cache, &scratch, d, &text);
	if (ok && (text.after.n_states || text.before.n_states)) {
		diag_error(d, t->loc, "terminal %s: a text before whole tokens cannot look at what stands before or behind it",
		           t->name);
		ok = false;
	}
	if (ok) to_token_end(&text, arena, out);
	arena_release(&scratch);
	return ok;
}
