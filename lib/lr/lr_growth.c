// Growth of the number of live stacks.
//
// In:  an automaton with the choices that stay. Out: a bound on stacks alive at once, or "they may grow".
// Method: from each choice on, the sets of stacks over an unknown common base that the terminals lead to, until one
// stack or none is left. When these sets are finitely many, their largest is a bound: a text has one stack, or one of
// these sets. Sets are symbolic, as in lr_inclusion.c, and stand for at least the real ones. Cost: GROWTH_MAX_WORK.
#include "lr_growth.h"

#include "lr_inclusion.h"

struct growing {
	struct inclusion z;
	struct intern sets;  // terminal or INCLUSION_ANY, then the stacks
	uint32_t most;
};

static void add_set(struct growing *w, terminal_id t, const struct inclusion_stacks *o)
{
	uint32_t key[INCLUSION_MAX_OTHERS + 1] = {t};
	memcpy(key + 1, o->at, o->n * sizeof *key);
	intern_add(&w->sets, key, (o->n + 1) * sizeof *key, NULL);
}

// A case for each goto that the set below `waiting` can have.
static bool split_set(struct growing *w, terminal_id t, const struct inclusion_stacks *o, uint32_t waiting)
{
	struct inclusion *z = &w->z;
	uint32_t below = z->k.nodes.at[waiting].below, at = stack_length(&z->k, below) - 1, set = stack_top(&z->k, below),
			 n;
	const uint32_t *pairs = facts_set_gotos(z->c, set, stack_top(&z->k, waiting) & ~STACK_GOTO, &n);
	VEC(uint32_t) parts = {0};
	for (uint32_t i = 0; i < n; i++) vec_push(&parts, pairs[2 * i + 1]);
	bool ok = true;
	for (uint32_t i = 0; i < parts.n && ok; i++) {
		struct inclusion_stacks part = {0};
		for (uint32_t k = 0; k < o->n && ok; k++) {
			uint32_t s = o->at[k];
			ok = inclusion_replace(z, &s, at, set, parts.at[i], NO_SET);
			if (ok) inclusion_add(&part, s);
		}
		if (ok && part.n) add_set(w, t, &part);
	}
	vec_release(&parts);
	return ok;
}

// False: no bound was found.
static bool next_sets(struct growing *w, terminal_id t, struct inclusion_stacks o)
{
	struct inclusion *z = &w->z;
	struct inclusion_closure x;
	for (;;) {
		inclusion_close(z, &x, &o, t, NULL);
		if (x.overflow || z->work > GROWTH_MAX_WORK) return false;
		if (x.waits != STACK_NONE) return split_set(w, t, &o, x.waits);
		if (!x.lacks) break;
		uint32_t any = o.at[0];
		enum inclusion_answer more = inclusion_know_more(z, &any, &o);
		if (more != INCLUSION_MAYBE) return more == INCLUSION_YES;
	}
	if (x.shifted.n > w->most) w->most = x.shifted.n;
	if (x.shifted.n < 2) return true;
	uint32_t any = x.shifted.at[0];
	if (!inclusion_forget_bottom(z, &any, &x.shifted)) return false;
	add_set(w, INCLUSION_ANY, &x.shifted);
	return true;
}

static bool follow(struct growing *w, uint32_t id)
{
	uint32_t len;
	const uint32_t *key = intern_get(&w->sets, id, &len);
	struct inclusion_stacks o = {.n = len / 4 - 1};
	memcpy(o.at, key + 1, o.n * sizeof *key);
	if (key[0] != INCLUSION_ANY) return next_sets(w, key[0], o);
	const struct lr *lr = w->z.c->lr;
	for (terminal_id t = 0; t < lr->n_terminals; t++) {
		bool viable = false;
		for (uint32_t i = 0; i < o.n && !viable; i++) viable = lr_viable(lr, stack_top(&w->z.k, o.at[i]), t);
		if (viable && !next_sets(w, t, o)) return false;
	}
	return true;
}

bool lr_may_grow(const struct lr *lr, uint32_t *most)
{
	*most = 1;
	if (!lr->n_choice) return false;
	struct lr_facts facts;
	struct growing w = {.most = 1};
	facts_init(&facts, lr);
	inclusion_init(&w.z, &facts);
	bool bounded = true;
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++) {
		uint32_t n;
		const struct lr_cell *cell = lr_row(&lr->action, s, &n);
		for (uint32_t i = 0; i < n; i++)
			if (ACTION_IS_CHOICE(cell[i].to))
				add_set(&w, cell[i].by, &(struct inclusion_stacks){.n = 1, .at = {stack_push(&w.z.k, 0, s)}});
	}
	for (uint32_t id = 0; id < w.sets.entries.n && bounded; id++) bounded = id < GROWTH_MAX_SETS && follow(&w, id);
	*most = w.most;
	intern_release(&w.sets);
	inclusion_release(&w.z);
	facts_release(&facts);
	return !bounded;
}
