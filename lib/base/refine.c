// Partition refinement with small rounds.
//
// In:  a graph with labels. Out: classes. Moore's refinement, but a round looks only at nodes one of whose successors
// changed its class in the round before; and when a class splits, the part that was not looked at, or the largest,
// keeps the number, so that few nodes change (after Hopcroft 1971; Valmari and Lehtinen 2008). A chain of a thousand
// states then costs a thousand steps, not a million.
#include "refine.h"

#include "intern.h"
#include "sort_records.h"

struct change {
	uint32_t class, signature, node;
};

struct refiner {
	uint32_t n, n_classes;
	uint32_t *class_of, *size;    // [n] both; size by class
	uint32_t *first, *successor;  // edges by source
	uint32_t *first_pred, *pred;  // edges by target
	uint8_t *is_dirty;
	VEC(uint32_t) dirty, changed;
	VEC(struct change) round, sorted;
	VEC(uint32_t) row;
};

static void read_graph(struct refiner *r, void (*describe)(void *, uint32_t, struct refine_node *), void *user)
{
	struct intern labels = {0};
	struct refine_node x = {0};
	VEC(uint32_t) successors = {0};
	r->first = mem_calloc((size_t)r->n + 1, sizeof *r->first);
	r->first_pred = mem_calloc((size_t)r->n + 2, sizeof *r->first_pred);
	for (uint32_t i = 0; i < r->n; i++) {
		vec_clear(&x.label);
		vec_clear(&x.successors);
		describe(user, i, &x);
		r->class_of[i] = intern_add(&labels, x.label.at, x.label.n * sizeof *x.label.at, NULL);
		r->size[r->class_of[i]]++;
		vec_reserve(&successors, (uint64_t)successors.n + x.successors.n);
		for (uint32_t k = 0; k < x.successors.n; k++) {
			successors.at[successors.n++] = x.successors.at[k];
			if (x.successors.at[k] != REFINE_NONE) r->first_pred[x.successors.at[k] + 2]++;
		}
		r->first[i + 1] = successors.n;
	}
	r->n_classes = labels.entries.n;
	r->successor = successors.at;
	for (uint32_t i = 0; i < r->n; i++) r->first_pred[i + 2] += r->first_pred[i + 1];
	r->pred = mem_calloc(r->first_pred[r->n + 1], sizeof *r->pred);
	for (uint32_t i = 0; i < r->n; i++)
		for (uint32_t e = r->first[i]; e < r->first[i + 1]; e++)
			if (r->successor[e] != REFINE_NONE) r->pred[r->first_pred[r->successor[e] + 1]++] = i;
	vec_release(&x.label);
	vec_release(&x.successors);
	intern_release(&labels);
}

#define DIGIT_BITS 11u
#define BY_DIGITS_FROM 600u  // nodes of a round; fewer are compared

// Stable, by one digit of the class or of the signature.
static void sort_by_digit(struct refiner *r, bool by_class, uint32_t shift)
{
	const struct change *from = r->round.at;
	const uint32_t n = r->round.n, mask = (1u << DIGIT_BITS) - 1;
	uint32_t at[(1u << DIGIT_BITS) + 1] = {0};
	for (uint32_t i = 0; i < n; i++) at[((by_class ? from[i].class : from[i].signature) >> shift & mask) + 1]++;
	for (uint32_t d = 0; d < mask; d++) at[d + 1] += at[d];
	for (uint32_t i = 0; i < n; i++)
		r->sorted.at[at[(by_class ? from[i].class : from[i].signature) >> shift & mask]++] = from[i];
	struct change *spare = r->round.at;
	r->round.at = r->sorted.at, r->sorted.at = spare;
	const uint32_t cap = r->round.cap;
	r->round.cap = r->sorted.cap, r->sorted.cap = cap;
}

static int compare_change(const void *a, const void *b)
{
	const struct change *x = a, *y = b;
	if (x->class != y->class) return x->class < y->class ? -1 : 1;
	if (x->signature != y->signature) return x->signature < y->signature ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}
SORT_RECORDS(sort_changes, struct change, compare_change)

// By class, then by signature; nodes in any order.
static void sort_round(struct refiner *r, uint32_t n_signatures)
{
	if (r->round.n < BY_DIGITS_FROM) {
		sort_changes(r->round.at, r->round.n);
		return;
	}
	vec_reserve(&r->sorted, r->round.n);
	for (uint32_t shift = 0; shift < 32 && (n_signatures - 1) >> shift; shift += DIGIT_BITS)
		sort_by_digit(r, false, shift);
	for (uint32_t shift = 0; shift < 32 && (r->n_classes - 1) >> shift; shift += DIGIT_BITS)
		sort_by_digit(r, true, shift);
}

// The dirty nodes of one class, sorted by signature. Clean members have one signature, and no dirty one has it (a
// number in it is new): they keep the class. Where there are none, the largest part keeps it. All others get new
// numbers.
static void split_class(struct refiner *r, const struct change *c, uint32_t n)
{
	uint32_t class = c[0].class, largest = 0, keeper = UINT32_MAX;
	for (uint32_t i = 0, end; i < n && r->size[class] == n; i = end) {
		for (end = i; end < n && c[end].signature == c[i].signature;) end++;
		if (end - i > largest) largest = end - i, keeper = c[i].signature;
	}
	for (uint32_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && c[end].signature == c[i].signature;) end++;
		if (c[i].signature == keeper) continue;
		uint32_t fresh = r->n_classes++;
		for (uint32_t k = i; k < end; k++) {
			r->class_of[c[k].node] = fresh;
			vec_push(&r->changed, c[k].node);
		}
		r->size[fresh] = end - i;
		r->size[class] -= end - i;
	}
}

static void run_round(struct refiner *r)
{
	struct intern signatures = {0};
	vec_clear(&r->round);
	for (uint32_t d = 0; d < r->dirty.n; d++) {
		uint32_t i = r->dirty.at[d];
		r->is_dirty[i] = 0;
		const uint32_t n = r->first[i + 1] - r->first[i], *successor = r->successor + r->first[i];
		vec_reserve(&r->row, n);
		r->row.n = n;
		for (uint32_t e = 0; e < n; e++)
			r->row.at[e] = successor[e] == REFINE_NONE ? REFINE_NONE : r->class_of[successor[e]];
		uint32_t s = intern_add(&signatures, r->row.at, r->row.n * sizeof *r->row.at, NULL);
		vec_push(&r->round, ((struct change){r->class_of[i], s, i}));
	}
	const uint32_t n_signatures = signatures.entries.n;
	intern_release(&signatures);
	sort_round(r, n_signatures);
	vec_clear(&r->changed);
	for (uint32_t i = 0, end; i < r->round.n; i = end) {
		for (end = i; end < r->round.n && r->round.at[end].class == r->round.at[i].class;) end++;
		split_class(r, r->round.at + i, end - i);
	}
	vec_clear(&r->dirty);
	for (uint32_t c = 0; c < r->changed.n; c++) {
		uint32_t i = r->changed.at[c];
		for (uint32_t e = r->first_pred[i]; e < r->first_pred[i + 1]; e++)
			if (!r->is_dirty[r->pred[e]]) r->is_dirty[r->pred[e]] = 1, vec_push(&r->dirty, r->pred[e]);
	}
}

// Classes in the order in which nodes first show them.
static void renumber(struct refiner *r)
{
	uint32_t *number = mem_calloc(r->n_classes, sizeof *number), next = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		uint32_t *x = &number[r->class_of[i]];
		if (!*x) *x = ++next;
		r->class_of[i] = *x - 1;
	}
	r->n_classes = next;
	free(number);
}

uint32_t refine_partition(uint32_t n, void (*describe)(void *user, uint32_t node, struct refine_node *out), void *user,
                          uint32_t *class_of)
{
	struct refiner r = {
		.n = n, .class_of = class_of, .size = mem_calloc(n, sizeof *r.size), .is_dirty = mem_calloc(n, 1)};
	read_graph(&r, describe, user);
	for (uint32_t i = 0; i < n; i++) vec_push(&r.dirty, i);
	while (r.dirty.n) run_round(&r);
	renumber(&r);
	free(r.size);
	free(r.first);
	free(r.successor);
	free(r.first_pred);
	free(r.pred);
	free(r.is_dirty);
	vec_release(&r.dirty);
	vec_release(&r.changed);
	vec_release(&r.round);
	vec_release(&r.sorted);
	vec_release(&r.row);
	return r.n_classes;
}
