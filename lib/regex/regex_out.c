// The finished table of a terminal, and which of its states no text can make fail.
//
// In:  the minimal DFA. Out: struct byte_dfa: byte classes, dense rows, accept, unfailable.
// A pair (state, position inside a UTF-8 sequence) can fail when some byte that keeps the text valid UTF-8 leads
// nowhere, or to a pair that is not accepting and can fail. A state is unfailable when none of the pairs that
// occur can fail: the greatest fixpoint, reached by spreading failure backwards once over each arc.
// Cost: states x 256.
#include "regex_internal.h"

struct arcs {
	VEC(uint32_t) from, to; // pairs
};

// The pairs of each state that occur, as bits; and those that fail at once.
static void find_pairs(const struct byte_dfa *a, uint8_t *occurs, uint8_t *fails, struct arcs *arcs)
{
	VEC(uint32_t) queue = {0};
	occurs[0] = 1;
	vec_push(&queue, 0);
	for (uint32_t i = 0; i < queue.n; i++) {
		uint32_t pair = queue.at[i], q = pair / UTF8_POSITIONS, last = UINT32_MAX;
		uint8_t p = (uint8_t)(pair % UTF8_POSITIONS);
		for (uint32_t b = 0; b < 256; b++) {
			uint8_t next_p = utf8_step(p, (uint8_t)b);
			if (next_p == UTF8_BAD) continue;
			uint32_t to = dfa_step(a, q, (uint8_t)b);
			if (to == DFA_DEAD) {
				fails[q] |= (uint8_t)(1u << p);
				continue;
			}
			uint32_t next = to * UTF8_POSITIONS + next_p;
			if (next == last) continue;
			last = next;
			if (!a->accept[to]) vec_push(&arcs->from, pair), vec_push(&arcs->to, next);
			if (occurs[to] >> next_p & 1) continue;
			occurs[to] |= (uint8_t)(1u << next_p);
			vec_push(&queue, next);
		}
	}
	vec_release(&queue);
}

static void find_unfailable(struct byte_dfa *a)
{
	uint32_t n = a->n_states, n_pairs = n * UTF8_POSITIONS;
	uint8_t *occurs = mem_calloc(n, 1), *fails = mem_calloc(n, 1);
	struct arcs arcs = {0};
	find_pairs(a, occurs, fails, &arcs);
	uint32_t *first = mem_calloc((size_t)n_pairs + 2, 4), *in = mem_calloc((size_t)arcs.to.n + 1, 4);
	for (uint32_t i = 0; i < arcs.to.n; i++) first[arcs.to.at[i] + 2]++;
	for (uint32_t i = 0; i < n_pairs; i++) first[i + 2] += first[i + 1];
	for (uint32_t i = 0; i < arcs.to.n; i++) in[first[arcs.to.at[i] + 1]++] = arcs.from.at[i];
	VEC(uint32_t) queue = {0};
	for (uint32_t pair = 0; pair < n_pairs; pair++)
		if (fails[pair / UTF8_POSITIONS] >> pair % UTF8_POSITIONS & 1) vec_push(&queue, pair);
	while (queue.n) {
		uint32_t pair = vec_pop(&queue);
		for (uint32_t i = first[pair]; i < first[pair + 1]; i++) {
			uint8_t *f = &fails[in[i] / UTF8_POSITIONS], bit = (uint8_t)(1u << in[i] % UTF8_POSITIONS);
			if (*f & bit) continue;
			*f |= bit;
			vec_push(&queue, in[i]);
		}
	}
	for (uint32_t q = 0; q < n; q++) a->unfailable[q] = !(fails[q] & occurs[q]);
	free(occurs), free(fails), free(first), free(in);
	vec_release(&queue);
	vec_release(&arcs.from);
	vec_release(&arcs.to);
}

void dfa_output(const struct sparse_dfa *d, struct arena *arena, struct byte_dfa *out)
{
	*out = (struct byte_dfa){.n_states = d->n_states};
	out->n_classes = dfa_byte_classes(d, out->class_of);
	out->next = arena_array(arena, (size_t)d->n_states * out->n_classes, sizeof *out->next);
	out->accept = arena_array(arena, d->n_states, 1);
	out->unfailable = arena_array(arena, d->n_states, 1);
	memset(out->next, 0xFF, (size_t)d->n_states * out->n_classes * sizeof *out->next);
	for (uint32_t q = 0; q < d->n_states; q++) {
		out->accept[q] = d->accept[q];
		uint32_t *row = out->next + (size_t)q * out->n_classes;
		for (uint32_t i = 0; i < d->edges_of[q].n; i++) {
			struct byte_edge e = d->edges[d->edges_of[q].first + i];
			for (uint32_t b = e.lo; b <= e.hi; b++) row[out->class_of[b]] = e.to;
		}
	}
	find_unfailable(out);
}
