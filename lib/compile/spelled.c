// A lint: terminals that the vocabulary cannot spell.
//
// In:  the terminals' DFAs, a vocabulary.  Out: one warning, which names terminals none of whose texts is made of bytes
// that some token has: `"€"` where the vocabulary is ASCII. What needs them is not in any mask, and nothing else would
// say why. By reachability in each DFA along bytes that are there; whether tokens can also be put together to the text
// is for viability. Cost: the DFAs' cells once; nothing where every byte is in some token, as in most vocabularies.
#include "spelled.h"

static bool has_text(const struct byte_dfa *a, const bool *has_byte, uint32_t start)
{
	uint8_t *seen = mem_calloc(a->n_states, 1);
	VEC(uint32_t) work = {0};
	bool found = false;
	seen[start] = 1;
	vec_push(&work, start);
	while (work.n && !found) {
		uint32_t state = vec_pop(&work);
		found = a->accept[state];
		for (uint32_t b = 0; b < 256 && !found; b++) {
			uint32_t to = has_byte[b] ? dfa_step(a, state, (uint8_t)b) : DFA_DEAD;
			if (to == DFA_DEAD || seen[to]) continue;
			seen[to] = 1;
			vec_push(&work, to);
		}
	}
	vec_release(&work);
	mem_free(seen);
	return found;
}

// Branches: bytes that no token has are counted first, so that most vocabularies end there; then the list is cut for
// people.
void warn_unspelled(const struct grammar *g, const struct byte_dfa *dfa, const struct vocab *v, struct diag *d)
{
	bool has_byte[256] = {false};
	uint32_t missing = 0xf5 - 2;  // of the bytes that UTF-8 has
	for (uint32_t i = 0; i < v->offset[v->n_tokens] && missing; i++) {
		uint8_t b = v->bytes[i];
		missing -= !has_byte[b] && b < 0xf5 && b != 0xc0 && b != 0xc1;
		has_byte[b] = true;
	}
	if (!missing) return;
	const char *all = "";
	uint32_t n = 0;
	struct loc first = {0};
	for (terminal_id t = 0; t < g->n_terminals; t++) {
		if (!dfa[t].n_states || dfa[t].before.n_states || has_text(&dfa[t], has_byte, 0)) continue;
		if (!n) first = g->terminals[t].loc;
		if (n < SPELLED_MAX_SHOWN)
			all = arena_printf(&d->arena, "%s%s%s", all, n ? ", " : "",
			                   grammar_show_terminal(&g->terminals[t], &d->arena));
		n++;
	}
	if (n > SPELLED_MAX_SHOWN) all = arena_printf(&d->arena, "%s and %u more", all, n - SPELLED_MAX_SHOWN);
	if (!n) return;
	diag_warning(d, first,
	             "no tokens of the vocabulary spell any text of %s: rules that need one are never allowed [unspelled]",
	             all);
}
