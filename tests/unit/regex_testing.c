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

static uint32_t start(const struct byte_dfa *a, uint32_t i) { return a->before.n_states ? a->before.start[i] : 0; }

static uint32_t n_starts(const struct byte_dfa *a) { return a->before.n_states ? a->before.n_states : 1; }

static const char *check_order(const struct byte_dfa *a)
{
	uint32_t seen = 0;
	bool *is_start = mem_calloc(a->n_states + 1, 1);
	for (uint32_t i = 0; i < n_starts(a); i++)
		if (start(a, i) != DFA_DEAD) is_start[start(a, i)] = true;
	while (is_start[seen]) seen++;
	for (uint32_t q = seen; q < a->n_states; q++)
		if (is_start[q]) seen = UINT32_MAX;
	free(is_start);
	if (!seen || seen == UINT32_MAX) return "the starts do not come first";
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
	for (uint32_t q = 0; q < n; q++) block[q] = dfa_follow(a, q);
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

static const char *check_follow(const struct byte_dfa *a)
{
	if (!a->follow) return a->after.n_states ? "nothing asks what follows" : NULL;
	const struct follow_dfa *f = &a->after;
	bool asks = false;
	for (uint32_t q = 0; q < a->n_states; q++) {
		if (a->follow[q] >= f->n_states) return "follow out of range";
		if (a->accept[q] != (a->follow[q] != FOLLOW_NEVER)) return "accept and follow disagree";
		asks |= a->follow[q] > FOLLOW_ANY;
	}
	if (!asks) return "nothing asks what follows";
	for (uint32_t s = 0; s < f->n_states; s++)
		for (uint32_t c = 0; c < f->n_classes; c++) {
			uint32_t to = f->next[s * f->n_classes + c];
			if (to != DFA_DEAD && to >= f->n_states) return "follow leads out of range";
			if (s <= FOLLOW_ANY && to != s) return "what is decided does not stay so";
		}
	return f->at_end[FOLLOW_NEVER] == FOLLOW_NO && f->at_end[FOLLOW_ANY] == FOLLOW_YES ? NULL
	                                                                                   : "NEVER and ANY at the end";
}

const char *rx_check(const struct byte_dfa *a)
{
	const char *wrong = !a->n_states ? "no states" : NULL;
	for (uint32_t i = 0; i < n_starts(a) && !wrong; i++)
		if (start(a, i) != DFA_DEAD && a->accept[start(a, i)]) wrong = "the empty text is accepted";
	if (!wrong) wrong = check_follow(a);
	if (!wrong) wrong = check_order(a);
	if (!wrong) wrong = check_classes(a);
	if (!wrong) wrong = check_alive(a);
	if (!wrong && a->n_states <= 400) wrong = check_minimal(a);
	return wrong;
}

bool rx_matches(const struct byte_dfa *a, const char *text, size_t from, size_t to, size_t len)
{
	uint32_t q = 0;
	if (a->before.n_states) {
		const struct observer_dfa *o = &a->before;
		uint32_t at = 0;
		for (size_t i = 0; i < from && at != DFA_DEAD; i++)
			at = o->next[at * o->n_classes + o->class_of[(unsigned char)text[i]]];
		q = at == DFA_DEAD ? DFA_DEAD : o->start[at];
	}
	for (size_t i = from; i < to && q != DFA_DEAD; i++) q = dfa_step(a, q, (unsigned char)text[i]);
	uint32_t f = q == DFA_DEAD ? FOLLOW_NEVER : dfa_follow(a, q);
	for (size_t i = to; i < len && f > FOLLOW_ANY && f != DFA_DEAD; i++)
		f = a->after.next[f * a->after.n_classes + a->after.class_of[(unsigned char)text[i]]];
	return f != DFA_DEAD && (f <= FOLLOW_ANY ? f == FOLLOW_ANY : a->after.at_end[f] == FOLLOW_YES);
}
