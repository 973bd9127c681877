// Two terminals that compete: would the lexer have to choose between them?
//
// In:  the DFAs of both, the bytes with which something begins behind each. Out: yes or no, as regex.h says it.
// Both DFAs are walked side by side. Cost: pairs of states that some text leads to, times the bytes that lead apart.
#include "regex.h"

#include "../base/intern.h"

static bool goes_on(const struct byte_dfa *a, uint32_t state, const uint8_t *with)
{
	for (uint32_t b = 0; b < 256; b++)
		if (with[b] && dfa_step(a, state, (uint8_t)b) != DFA_DEAD) return true;
	return false;
}

// The pairs that one byte more leads to.
static void step_both(const struct byte_dfa *x, const struct byte_dfa *y, const uint32_t *pair, struct intern *seen)
{
	for (uint32_t b = 0; b < 256; b++) {
		if (b && x->class_of[b] == x->class_of[b - 1] && y->class_of[b] == y->class_of[b - 1]) continue;
		uint32_t next[2] = {dfa_step(x, pair[0], (uint8_t)b), dfa_step(y, pair[1], (uint8_t)b)};
		if (next[0] != DFA_DEAD && next[1] != DFA_DEAD) intern_add(seen, next, sizeof next, NULL);
	}
}

bool dfa_clash(const struct byte_dfa *x, const struct byte_dfa *y, const uint8_t *behind_x, const uint8_t *behind_y)
{
	struct intern seen = {0};
	bool found = false;
	uint32_t pair[2] = {0, 0};
	if (!x->n_states || !y->n_states) return false;
	intern_add(&seen, pair, sizeof pair, NULL);
	for (uint32_t i = 0; i < seen.entries.n && !found; i++) {
		memcpy(pair, intern_get(&seen, i, NULL), sizeof pair);
		bool ends_x = x->accept[pair[0]], ends_y = y->accept[pair[1]];
		found = (x != y && ends_x && ends_y) || (ends_x && goes_on(y, pair[1], behind_x)) ||
		        (ends_y && goes_on(x, pair[0], behind_y)) || seen.entries.n > CLASH_MAX_PAIRS;
		if (!found) step_both(x, y, pair, &seen);
	}
	intern_release(&seen);
	return found;
}
