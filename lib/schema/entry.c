// One entry of an object or item of an array: what its value has to be told apart by; and what arrays and objects share
// of the diagrams that are left behind it.
//
// In:  atoms of the conditions that speak of the value. Out: those that it must satisfy, those that are told apart, and
//      which truths of these may occur.
// Cost: linear in the atoms, but for place_truths.
#include "internal.h"

#define FEW_ATOMS 16u  // are searched one by one

static bool has(const u32_list *list, uint32_t x)
{
	for (uint32_t i = 0; i < list->n; i++)
		if (list->at[i] == x) return true;
	return false;
}

void entry_atom(struct entry *e, atom a, bool is_forced)
{
	u32_list *list = is_forced ? &e->must : &e->split;
	if (!has(list, a)) vec_push(list, a);
}

void entry_settle(struct entry *e)
{
	for (uint32_t k = 0; k < e->split.n;) {
		if (has(&e->must, e->split.at[k]))
			e->split.at[k] = e->split.at[--e->split.n];
		else
			k++;
	}
	map64_release(&e->places);
	for (uint32_t k = 0; k < e->split.n && e->split.n > FEW_ATOMS; k++) map64_put(&e->places, e->split.at[k], k);
}

bool entry_truths(struct schema *s, struct entry *e)
{
	const struct place p = entry_place(e);
	vec_clear(&e->truths);
	if (e->split.n) return place_truths(s, &p, e->is_exact, &e->truths);
	vec_push(&e->truths, 0);
	return true;
}

struct place entry_place(const struct entry *e)
{
	return (struct place){e->must.at, e->split.at, e->must.n, e->split.n, e->order, NULL};
}

int entry_is_in(const struct schema *s, const struct entry *e, atom a, truth t)
{
	if (has(&e->must, a)) return 1;
	const uint64_t place = map64_get(&e->places, a);
	if (place != MAP64_NONE) return truth_has(s, t, (uint32_t)place);
	for (uint32_t k = e->places.n; k < e->split.n; k++)  // what was added since
		if (e->split.at[k] == a) return truth_has(s, t, k);
	return -1;
}

void entry_release(struct entry *e)
{
	vec_release(&e->must), vec_release(&e->split), vec_release(&e->truths);
	map64_release(&e->places);
}

void left_begin(struct bdds *b, const struct wanted *w, bdd *left)
{
	formula *all = mem_alloc(((size_t)w->n_split + 1) * sizeof *all);
	all[0] = w->must;
	if (w->n_split) memcpy(all + 1, w->split, w->n_split * sizeof *all);
	bdds_start(b, all, 1 + w->n_split, left);
	free(all);
}

void left_restrict(struct bdds *b, const struct wanted *w, bdd *left, uint32_t var, bool value)
{
	for (uint32_t i = 0; i <= w->n_split; i++) left[i] = bdd_restrict(b, left[i], var, value);
}

bool left_depends(struct bdds *b, const struct wanted *w, const bdd *left, uint32_t var)
{
	for (uint32_t i = 0; i <= w->n_split; i++)
		if (bdd_depends(b, left[i], var)) return true;
	return false;
}

bool left_truth(const struct bdds *b, const struct wanted *w, const bdd *left,
                bool (*truth_of)(const void *user, struct prim p), const void *user, truth *out)
{
	*out = 0;
	if (!bdd_value(b, left[0], truth_of, user)) return false;
	for (uint32_t i = 1; i <= w->n_split; i++)
		if (bdd_value(b, left[i], truth_of, user)) *out = truth_with(b->s, *out, i - 1);
	return true;
}

formula wanted_asked(struct schema *s, const struct wanted *w)
{
	u32_list any = {0};
	formula *all = mem_alloc(((size_t)w->n_split + 1) * sizeof *all);
	for (uint32_t i = 0; i < w->asked->n; i++) {
		all[0] = w->must;
		for (uint32_t k = 0; k < w->n_split; k++)
			all[k + 1] = truth_has(s, w->asked->at[i], k) ? w->split[k] : formula_not(s, w->split[k]);
		vec_push(&any, formula_and(s, all, w->n_split + 1));
	}
	const formula f = formula_or(s, any.at, any.n);
	free(all), vec_release(&any);
	return f;
}

void wanted_prims(struct schema *s, const struct wanted *w, u32_list *prims)
{
	struct map64 seen = {0};
	formula_prims(s, &w->must, 1, &seen, prims);
	formula_prims(s, w->split, w->n_split, &seen, prims);
	map64_release(&seen);
}

static int by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
	return (x->prim > y->prim) - (x->prim < y->prim);
}

void bdds_number(struct bdds *b, ranked_list *ranked)
{
	if (ranked->n) qsort(ranked->at, ranked->n, sizeof *ranked->at, by_rank);
	for (uint32_t var = 0; var < ranked->n; var++) {
		vec_push(&b->prims, ranked->at[var].prim);
		vec_push(&b->prim, prim_of(b->s, ranked->at[var].prim));
		map64_put(&b->var_of, ranked->at[var].prim, var);
	}
}
