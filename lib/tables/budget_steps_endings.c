// What tokens do as a terminal ends, for the steps of masks under a budget.
//
// In:  costs with groups of tokens. Out: by outcome the terminals with which its tokens end a lexeme, each with the
// controls that are asked then and the tokens that do so; of one price they are one set. Cost: a sort an outcome.
#include "budget_steps_internal.h"

static int compare_ending(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;  // terminal, weight, control, set
	for (int i = 0; i < 4; i++)
		if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
	return 0;
}

typedef VEC(struct {
	uint32_t terminal;
	struct cont cont;
}) cont_list;

// Of sorted conts those of one price are one.
static void add_endings(struct closer *x, cont_list *list)
{
	VEC(struct cont) conts = {0};
	if (list->n) qsort(list->at, list->n, sizeof *list->at, compare_ending);
	for (uint32_t i = 0, end; i < list->n; i = end) {
		vec_clear(&conts);
		for (end = i; end < list->n && list->at[end].terminal == list->at[i].terminal;) {
			struct cont one = list->at[end].cont;
			vec_clear(&x->level_sets);
			for (uint32_t first = end;
			     end < list->n && list->at[end].terminal == list->at[first].terminal &&
			     list->at[end].cont.weight == one.weight && list->at[end].cont.control == one.control;
			     end++)
				vec_push(&x->level_sets, list->at[end].cont.tokens);
			one.tokens = tokensets_union(x->sets, x->level_sets.at, x->level_sets.n);
			vec_push(&conts, one);
		}
		uint32_t number = intern_add(&x->conts, conts.at, conts.n * sizeof *conts.at, NULL);
		vec_push(&x->endings, ((struct closer_ending){list->at[i].terminal, number}));
	}
	vec_release(&conts);
}

void closer_find_endings(struct closer *x)
{
	const struct cost_groups *g = &x->c->groups;
	cont_list list = {0};
	x->ending_at = mem_calloc(g->outcomes.n + 1, sizeof *x->ending_at);
	for (uint32_t o = 0; o < g->outcomes.n; o++) {
		const struct cost_outcome *outcome = &g->outcomes.at[o];
		vec_clear(&list);
		for (uint32_t i = 0; i < outcome->n_stays; i++) {
			const struct cost_stay *stay = &g->stays.at[outcome->first_stay + i];
			uint32_t n = 0;
			const struct cost_emit *e = stay->row == COSTS_NONE ? NULL : cost_row(&x->c->rows, stay->row, &n);
			x->failed |= stay->row == COSTS_NONE;
			for (uint32_t k = 0; k < n; k++) {
				bool ends = remainder_is_end(e[k].remainder);
				uint32_t control = ends ? COST_AT_END : costs_control(x->c, e[k]);
				if (!ends && control == COSTS_NONE) continue;
				vec_push(&list, ((__typeof__(*list.at)){e[k].terminal, {e[k].weight, control, stay->tokens}}));
			}
		}
		for (uint32_t i = 0; i < outcome->n_cuts; i++) {
			const struct cost_cut *cut = &g->cuts.at[outcome->first_cut + i];
			x->failed |= cut->tokens != SET_EMPTY;
			vec_push(&list, ((__typeof__(*list.at)){cut->terminal, {CUT, cut->remainder, SET_EMPTY}}));
		}
		add_endings(x, &list);
		x->ending_at[o + 1] = x->endings.n;
	}
	vec_release(&list);
}
