// Pairs of tops, from the choices that begin them.
//
// In:  LR tables. Out: which states can be tops at the same time.
// Two stacks of one text have read the same terminals, so each pair begins where a cell has a choice, under some terminal t: one
// top is what one action of it comes to, the other what another one comes to. From then on both take the same terminals:
// (p, q) goes to all (p', q') that some terminal leads p and q to. What lies below a top is not known: behind a
// reduction any state is taken that can lie so far down. So there may be more pairs than texts have, never fewer.
// Pairs are of tops that a terminal was shifted to, or that skip one (ACTION_SKIP): where lexemes begin.
// Cost: pairs x terminals x the tops that each comes to; past BESIDE_MAX_PAIRS it gives up.
#include "beside.h"

#include "../base/intern.h"
#include "../base/map64.h"

struct pairs_finder {
	const struct lr *lr;
	uint32_t words;
	bits *beside;
	VEC(uint32_t) work;        // pairs, two numbers each
	uint32_t n_pairs;
	struct map64 known;        // state, terminal -> index into `lists`
	VEC(uint32_t) lists;       // a count, then tops
	uint32_t *met, round;      // [n_states] the round in which it was met
	uint32_t *below, n_below;  // [n_states]
	VEC(uint32_t) tops, todo;
};

static void add_pair(struct pairs_finder *f, lr_state a, lr_state b)
{
	if (bits_test(f->beside + (size_t)a * f->words, b)) return;
	bits_set(f->beside + (size_t)a * f->words, b);
	bits_set(f->beside + (size_t)b * f->words, a);
	f->n_pairs++;
	vec_push(&f->work, a < b ? a : b);
	vec_push(&f->work, a < b ? b : a);
}

// f->below becomes the states that can lie `steps` below s.
static void find_below(struct pairs_finder *f, lr_state s, uint32_t steps)
{
	const struct lr *lr = f->lr;
	bits *now = mem_calloc(f->words, sizeof *now), *next = mem_calloc(f->words, sizeof *next);
	bits_set(now, s);
	for (; steps; steps--) {
		memset(next, 0, f->words * sizeof *next);
		for (lr_state x = bits_next(now, f->words, 0); x != UINT32_MAX; x = bits_next(now, f->words, x + 1))
			for (uint32_t i = lr->pred_at[x]; i < lr->pred_at[x + 1]; i++) bits_set(next, lr->pred[i]);
		bits *t = now;
		now = next, next = t;
	}
	f->n_below = 0;
	for (lr_state x = bits_next(now, f->words, 0); x != UINT32_MAX; x = bits_next(now, f->words, x + 1)) f->below[f->n_below++] = x;
	free(now);
	free(next);
}

// An action of the state s under a terminal: a top goes to f->tops, or states that have to act next to f->todo.
static void act(struct pairs_finder *f, lr_state s, uint32_t action)
{
	const struct lr *lr = f->lr;
	if (action == ACTION_SKIP || ACTION_IS_SHIFT(action)) {
		vec_push(&f->tops, action == ACTION_SKIP ? s : action / 2);
		return;
	}
	struct lr_production p = lr->production[action / 2 - 1];
	find_below(f, s, p.length);
	for (uint32_t i = 0; i < f->n_below; i++) {
		lr_state to = lr_goto(lr, f->below[i], p.lhs);
		if (!to || f->met[to] == f->round) continue;
		f->met[to] = f->round;
		vec_push(&f->todo, to);
	}
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

// The rest of f->todo acts, until all tops are found; each once.
static void act_all(struct pairs_finder *f, terminal_id t)
{
	while (f->todo.n) {
		lr_state s = vec_pop(&f->todo);
		uint32_t n, one;
		const uint32_t *a = lr_actions(f->lr, s, t, &n, &one);
		for (uint32_t i = 0; i < n; i++) act(f, s, a[i]);
	}
	uint32_t n = 0;
	if (f->tops.n) qsort(f->tops.at, f->tops.n, sizeof *f->tops.at, by_number);
	for (uint32_t i = 0; i < f->tops.n; i++)
		if (!n || f->tops.at[i] != f->tops.at[n - 1]) f->tops.at[n++] = f->tops.at[i];
	f->tops.n = n;
}

// Where f->lists holds the tops that s can come to under t.
static uint32_t tops_after(struct pairs_finder *f, lr_state s, terminal_id t)
{
	uint64_t key = (uint64_t)s << 32 | t, known = map64_get(&f->known, key);
	if (known != MAP64_NONE) return (uint32_t)known;
	vec_clear(&f->tops);
	f->met[s] = ++f->round;
	vec_push(&f->todo, s);
	act_all(f, t);
	uint32_t at = f->lists.n;
	vec_push(&f->lists, f->tops.n);
	for (uint32_t i = 0; i < f->tops.n; i++) vec_push(&f->lists, f->tops.at[i]);
	map64_put(&f->known, key, at);
	return at;
}

// What one action of a choice comes to, as tops_after.
static uint32_t tops_of(struct pairs_finder *f, lr_state s, terminal_id t, uint32_t action)
{
	vec_clear(&f->tops);
	f->round++;
	act(f, s, action);
	act_all(f, t);
	uint32_t at = f->lists.n;
	vec_push(&f->lists, f->tops.n);
	for (uint32_t i = 0; i < f->tops.n; i++) vec_push(&f->lists, f->tops.at[i]);
	return at;
}

static void join(struct pairs_finder *f, uint32_t x, uint32_t y)
{
	for (uint32_t i = 1; i <= f->lists.at[x]; i++)
		for (uint32_t k = 1; k <= f->lists.at[y]; k++) add_pair(f, f->lists.at[x + i], f->lists.at[y + k]);
}

static void find_choices(struct pairs_finder *f)
{
	for (lr_state s = LR_BOTTOM; s < f->lr->n_states; s++)
		for (terminal_id t = 0; t < f->lr->n_terminals; t++) {
			uint32_t n, one;
			const uint32_t *a = lr_actions(f->lr, s, t, &n, &one);
			for (uint32_t i = 0; i < n; i++)
				for (uint32_t k = 0; k < i; k++) join(f, tops_of(f, s, t, a[i]), tops_of(f, s, t, a[k]));
		}
}

bool beside_find(const struct lr *lr, bits *beside)
{
	struct pairs_finder f = {.lr = lr, .words = BITS_WORDS(lr->n_states), .beside = beside};
	f.met = mem_calloc(lr->n_states, sizeof *f.met);
	f.below = mem_calloc(lr->n_states, sizeof *f.below);
	find_choices(&f);
	while (f.work.n && f.n_pairs <= BESIDE_MAX_PAIRS) {
		lr_state b = vec_pop(&f.work), a = vec_pop(&f.work);
		for (terminal_id t = 0; t < lr->n_terminals; t++)
			if (lr_viable(lr, a, t) && lr_viable(lr, b, t)) {
				uint32_t x = tops_after(&f, a, t);
				join(&f, x, tops_after(&f, b, t));
			}
	}
	bool ok = f.n_pairs <= BESIDE_MAX_PAIRS;
	vec_release(&f.work);
	vec_release(&f.lists);
	vec_release(&f.tops);
	vec_release(&f.todo);
	map64_release(&f.known);
	free(f.met);
	free(f.below);
	return ok;
}
