// The finished table of a terminal.
//
// In:  the minimal DFA, what must follow, what stood before. Out: struct byte_dfa: byte classes, dense rows, accept.
// Cost: states x 256.
#include "regex_internal.h"

uint32_t *dense_output(struct arena *arena, const struct dense_table *t, uint8_t class_of[256], uint32_t *n_classes)
{
	const uint32_t n = t->n;
	struct intern columns = {0};
	uint32_t *column = mem_calloc(n + 1, sizeof *column);
	for (uint32_t b = 0; b < 256; b++) {
		for (uint32_t q = 0; q < n; q++) column[q] = t->next[(size_t)q * t->n_intervals + t->interval_of[b]];
		class_of[b] = (uint8_t)intern_add(&columns, column, n * sizeof *column, NULL);
	}
	*n_classes = columns.entries.n;
	uint32_t *out = arena_array(arena, (size_t)n * *n_classes, sizeof *out);
	for (uint32_t k = 0; k < *n_classes; k++) {
		const uint32_t *from = intern_get(&columns, k, NULL);
		for (uint32_t q = 0; q < n; q++) out[(size_t)q * *n_classes + k] = from[q];
	}
	free(column);
	intern_release(&columns);
	return out;
}

bool dfa_output(struct re_ctx *c, const struct sparse_dfa *d, struct arena *arena, struct byte_dfa *out)
{
	out->n_states = d->n_states;
	out->n_classes = dfa_byte_classes(d, out->class_of);
	out->next = arena_array(arena, (size_t)d->n_states * out->n_classes, sizeof *out->next);
	out->accept = arena_array(arena, d->n_states, 1);
	out->unfailable = arena_array(arena, d->n_states, 1);
	memset(out->next, 0xFF, (size_t)d->n_states * out->n_classes * sizeof *out->next);
	for (uint32_t q = 0; q < d->n_states; q++) {
		out->accept[q] = d->accept[q] != FOLLOW_NEVER;
		uint32_t *row = out->next + (size_t)q * out->n_classes;
		for (uint32_t i = 0; i < d->edges_of[q].n; i++) {
			struct byte_edge e = d->edges[d->edges_of[q].first + i];
			for (uint32_t b = e.lo; b <= e.hi; b++) row[out->class_of[b]] = e.to;
		}
	}
	if (out->after.n_states) {
		out->follow = arena_array(arena, d->n_states, sizeof *out->follow);
		memcpy(out->follow, d->accept, d->n_states * sizeof *out->follow);
	}
	observer_output(c, d->starts, arena, &out->before);
	return dfa_find_unfailable(c, out);
}
