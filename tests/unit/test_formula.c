// Formulas of schemas (lib/schema/formula.c): fixing prims leaves a formula that has the same value where they are so,
// and asks for them no more. As diagrams, and as formulas that are kept as they are. Random formulas; more prims than a
// note of a formula has bits.
#include <criterion/criterion.h>
#include <stdio.h>

#include "../../lib/schema/internal.h"
#include "rng.h"

#define N_PRIMS 240u
#define N_FORMULAS 60u
#define N_ASSIGNMENTS 16u

struct fixture {
	struct schema s;
	struct rng r;
	formula f[N_FORMULAS];
	uint32_t n;
	bool truth[N_PRIMS];  // by the prim's own number a
};

static bool truth_of(const void *user, struct prim p) { return ((const struct fixture *)user)->truth[p.a]; }

static void assign(struct fixture *x)
{
	for (uint32_t i = 0; i < N_PRIMS; i++) x->truth[i] = pick(&x->r, 2);
}

// Few prims a round, so that formulas share them. Their numbers are some multiples of 16: some share a bit of a note.
static void make_formulas(struct fixture *x, uint32_t n_prims)
{
	for (x->n = 0; x->n < n_prims; x->n++) x->f[x->n] = formula_prim(&x->s, PRIM_HAS, x->n * (N_PRIMS / n_prims), 0, 0);
	for (; x->n < N_FORMULAS; x->n++) {
		formula of[3];
		const uint32_t n = 2 + pick(&x->r, 2);
		for (uint32_t i = 0; i < n; i++) of[i] = x->f[pick(&x->r, x->n)];
		const uint32_t what = pick(&x->r, 5);
		x->f[x->n] = what == 0  ? formula_not(&x->s, of[0])
		             : what < 3 ? formula_and(&x->s, of, n)
		                        : formula_or(&x->s, of, n);
	}
}

static bool has_var(const struct bdds *b, bdd f, uint32_t var)
{
	u32_list vars = {0};
	bool has = false;
	bdd_support(b, &f, 1, &vars);
	for (uint32_t i = 0; i < vars.n; i++) has |= vars.at[i] == var;
	vec_release(&vars);
	return has;
}

// `now` is `before` where these variables are so.
static void compare(struct fixture *x, const struct bdds *b, formula before, bdd now, const uint32_t *vars, uint32_t n,
                    bool value)
{
	for (uint32_t i = 0; i < n; i++) cr_assert(!has_var(b, now, vars[i]), "%s", b->is_lazy ? "kept" : "diagrams");
	for (uint32_t k = 0; k < N_ASSIGNMENTS; k++) {
		assign(x);
		for (uint32_t i = 0; i < n; i++) x->truth[prim_of(&x->s, b->prims.at[vars[i]]).a] = value;
		cr_assert_eq(bdd_value(b, now, truth_of, x), formula_value(&x->s, before, truth_of, x), "%s",
		             b->is_lazy ? "kept" : "diagrams");
	}
}

// What is answered without making the formula is so of the one that is made.
static void ask(const struct fixture *x, struct bdds *b, const bdd *f, uint32_t var)
{
	const char *how = b->is_lazy ? "kept" : "diagrams";
	for (uint32_t i = 0; i < x->n; i++) {
		const bdd no = bdd_restrict(b, f[i], var, false), yes = bdd_restrict(b, f[i], var, true);
		cr_assert_eq(bdd_depends(b, f[i], var), no != yes, "%s", how);
		cr_assert_eq(bdd_refuted(b, f[i], var, false), no == FORMULA_FALSE, "%s", how);
		cr_assert_eq(bdd_refuted(b, f[i], var, true), yes == FORMULA_FALSE, "%s", how);
	}
}

static void check(struct fixture *x, bool is_lazy)
{
	struct bdds b;
	ranked_list ranked = {0};
	u32_list prims = {0};
	struct map64 seen = {0};
	bdd start[N_FORMULAS], now[N_FORMULAS];
	bdds_init(&b, &x->s);
	formula_prims(&x->s, x->f, x->n, &seen, &prims);
	for (uint32_t i = 0; i < prims.n; i++)
		vec_push(&ranked, ((struct ranked){pick(&x->r, 1000) * UINT64_C(1000) + i, prims.at[i]}));
	bdds_number(&b, &ranked);
	if (is_lazy)
		b.is_lazy = true, memcpy(start, x->f, sizeof start);
	else
		bdds_start(&b, x->f, x->n, start);
	cr_assert(is_lazy || !b.is_lazy);
	for (uint32_t round = 0; round < 5; round++) {
		const bool value = pick(&x->r, 2);
		uint32_t vars[8];  // few, or as many as are fixed in one walk
		const uint32_t n_vars = round % 2 ? 3 : 8;
		for (uint32_t i = 0; i < n_vars; i++) vars[i] = pick(&x->r, ranked.n);
		ask(x, &b, start, vars[0]);
		memcpy(now, start, sizeof now);
		bdds_restrict(&b, now, x->n, vars, n_vars, value);
		for (uint32_t i = 0; i < x->n; i++) {
			compare(x, &b, x->f[i], now[i], vars, n_vars, value);
			compare(x, &b, x->f[i], bdd_restrict(&b, start[i], vars[0], value), vars, 1, value);
		}
	}
	bdds_release(&b);
	vec_release(&ranked), vec_release(&prims), map64_release(&seen);
}

Test(formula, what_is_fixed_is_asked_no_more)
{
	struct fixture *x = mem_calloc(1, sizeof *x);
	x->r.x = 20261129;
	fprintf(stderr, "seed %llu\n", (unsigned long long)x->r.x);
	for (uint32_t i = 0; i < N_PRIMS; i++) formula_prim(&x->s, PRIM_HAS, i, 0, 0);  // prims are numbered by this order
	for (uint32_t round = 0; round < 6; round++) {
		make_formulas(x, round % 2 ? 5 : 15);
		check(x, false), check(x, true);
	}
	intern_release(&x->s.prim_names), intern_release(&x->s.formula_names);
	vec_release(&x->s.formula_notes), vec_release(&x->s.formula_words), vec_release(&x->s.joined);
	free(x);
}
