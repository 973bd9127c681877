// rx_check: the invariants of struct byte_dfa, by the most obvious algorithms.
#include "regex_testing.h"

static const char *check_classes(const struct byte_dfa *a)
{
	uint32_t next = 0;
	for (uint32_t b = 0; b < 256; b++) {
		if (a->class_of[b] > next) return "classes are not numbered by first byte";
		if (a->class_of[b] == next) next++;
	}
	if (next != a->n_classes) return "n_classes is not the number of classes";
	for (uint32_t c = 0; c < next; c++)
		for (uint32_t k = 0; k < c; k++) {
			bool same = true;
			for (uint32_t q = 0; q < a->n_states; q++) same &= a->next[q * next + c] == a->next[q * next + k];
			if (same) return "two byte classes act alike";
		}
	return NULL;
}

static const char *check_order(const struct byte_dfa *a)
{
	uint32_t seen = 1;
	for (uint32_t q = 0; q < a->n_states; q++) {
		if (q >= seen) return "a state is not reachable";
		for (uint32_t b = 0; b < 256; b++) {
			uint32_t to = dfa_step(a, q, (uint8_t)b);
			if (to == DFA_DEAD) continue;
			if (to >= a->n_states) return "a transition leads out of range";
			if (to > seen) return "states are not numbered breadth-first";
			if (to == seen) seen++;
		}
	}
	return NULL;
}

// Moore: refine by (own block, blocks of the successors) until nothing changes; needs all blocks single.
static const char *check_minimal(const struct byte_dfa *a)
{
	uint32_t n = a->n_states, blocks = 0;
	uint32_t *block = mem_calloc(n + 1, 4), *next = mem_calloc(n + 1, 4);
	for (uint32_t q = 0; q < n; q++) block[q] = a->accept[q];
	for (;;) {
		uint32_t count = 0;
		for (uint32_t q = 0; q < n; q++) {
			uint32_t k = 0;
			for (; k < q; k++) {
				bool same = block[k] == block[q];
				for (uint32_t c = 0; c < a->n_classes && same; c++) {
					uint32_t x = a->next[q * a->n_classes + c], y = a->next[k * a->n_classes + c];
					same = x == DFA_DEAD || y == DFA_DEAD ? x == y : block[x] == block[y];
				}
				if (same) break;
			}
			next[q] = k < q ? next[k] : count++;
		}
		memcpy(block, next, n * sizeof *block);
		if (count == blocks) break;
		blocks = count;
	}
	free(block), free(next);
	return blocks == n ? NULL : "two states are equivalent";
}

static const char *check_alive(const struct byte_dfa *a)
{
	bool *alive = mem_calloc(a->n_states + 1, 1), grew = true;
	while (grew) {
		grew = false;
		for (uint32_t q = a->n_states; q-- > 0;) {
			bool now = a->accept[q];
			for (uint32_t c = 0; c < a->n_classes && !now; c++) {
				uint32_t to = a->next[q * a->n_classes + c];
				now = to != DFA_DEAD && alive[to];
			}
			if (now && !alive[q]) alive[q] = grew = true;
		}
	}
	const char *wrong = NULL;
	for (uint32_t q = 0; q < a->n_states; q++)
		if (!alive[q]) wrong = "a state reaches no accepting one";
	free(alive);
	return wrong;
}

const char *rx_check(const struct byte_dfa *a)
{
	const char *wrong = !a->n_states ? "no states" : a->accept[0] ? "the empty text is accepted" : NULL;
	if (!wrong) wrong = check_order(a);
	if (!wrong) wrong = check_classes(a);
	if (!wrong) wrong = check_alive(a);
	if (!wrong && a->n_states <= 400) wrong = check_minimal(a);
	return wrong;
}
