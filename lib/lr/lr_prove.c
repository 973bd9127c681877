// Provable conflict removal.
//
// In:  an automaton with choices. Out: for each cell the actions that stay. What any stack accepts does not change.
// Method: in each cell, greedily: an action goes when all that is accepted after it is accepted after one of the others
// that are still there (lr_inclusion.h proves it). Why all of this together is sound: lr_prove.h.
// Cost: some hundred closures a cell; bounded by PROVE_MAX_WORK, beyond which choices are kept.
#include "lr_prove.h"

#include "lr_inclusion.h"

#define CHOICE_MAX_ACTIONS 16u  // a larger choice is kept as it is

// The shift is what one would be rid of first: a reduction keeps stacks short.
static void prove_cell(struct inclusion *z, struct lr_cell_proof *cell, bool *at_limit)
{
	uint32_t others[CHOICE_MAX_ACTIONS];
	for (uint32_t pass = 0; pass < 2; pass++)
		for (uint32_t i = cell->n; i-- > 0;) {
			if (ACTION_IS_SHIFT(cell->action[i]) != (pass == 0)) continue;
			uint32_t n = 0;
			for (uint32_t k = 0; k < cell->n; k++)
				if (k != i && cell->keep >> k & 1) others[n++] = cell->action[k];
			uint64_t limit = z->work + PROVE_MAX_WORK_EACH;
			z->limit = limit < PROVE_MAX_WORK ? limit : PROVE_MAX_WORK;
			if (n && inclusion_covers(z, cell->s, cell->t, cell->action[i], others, n))
				cell->keep &= ~(1u << i);
			else
				*at_limit |= z->work >= z->limit;
		}
}

void lr_prove_nothing(const struct lr *lr, struct arena *arena, struct lr_proof *out)
{
	VEC(struct lr_cell_proof) cells = {0};
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++) {
		uint32_t n_cells, n;
		const struct lr_cell *cell = lr_row(&lr->action, s, &n_cells);
		for (uint32_t k = 0; k < n_cells; k++) {
			const uint32_t *a = lr_actions_of(lr, &cell[k].to, &n);
			if (n > 1) vec_push(&cells, ((struct lr_cell_proof){s, cell[k].by, n, lr_all_actions(n), a}));
		}
	}
	*out = (struct lr_proof){.n_cells = cells.n};
	out->cell = arena_array(arena, cells.n + 1, sizeof *out->cell);
	if (cells.n) memcpy(out->cell, cells.at, cells.n * sizeof *cells.at);
	vec_release(&cells);
}

void lr_prove(const struct lr *lr, struct arena *arena, struct lr_proof *out)
{
	struct lr_facts facts;
	struct inclusion z;
	lr_prove_nothing(lr, arena, out);
	if (!out->n_cells) return;
	facts_init(&facts, lr);
	inclusion_init(&z, &facts);
	for (uint32_t i = 0; i < out->n_cells; i++) {
		struct lr_cell_proof *cell = &out->cell[i];
		bool at_limit = false;
		if (cell->n <= CHOICE_MAX_ACTIONS) prove_cell(&z, cell, &at_limit);
		out->limits += at_limit;
		out->n_dropped += (uint32_t)__builtin_popcount(lr_all_actions(cell->n) & ~cell->keep);
	}
	out->work = z.work;
	inclusion_release(&z);
	facts_release(&facts);
}
