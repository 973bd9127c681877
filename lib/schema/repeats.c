// Repetitions too many for a chain of rules: the parser counts units in base 16.
//
// In:  a unit, a least and a most number of what units hold. Out: a nonterminal of the units between them, or the
// symbols of exactly so many. A unit l + 1 is BASE units l, and a row holds fewer than BASE of them:
//     unit(l + 1): row(l, BASE - 1) unit(l)      row(l, i): row(l, i - 1) unit(l)
//     rest(l + 1; least, most): row(l, i) rest(l; least - i * size(l), most - i * size(l))      for each i
// Rows are left-recursive: a stack holds at most one frame a digit and one more. Equal rests are one, and most of them
// are the one without a bound. A tail, which is not empty, stands behind the units: so one terminal ahead decides.
// Cost: BASE productions a digit.
#include "internal.h"

#define BASE REPEATS_BASE
#define NO_MOST REPEATS_NO_MOST

struct span {
	uint64_t level, least, most;
};

static uint64_t size_of(const struct repeats *x, uint64_t level)
{
	uint64_t size = x->size;
	while (level--) size *= BASE;
	return size;
}

static symbol make(struct repeats *x, const symbol *rhs, uint32_t n)
{
	symbol made = rules_nonterminal(x->s->rules, x->name, (struct loc){0});
	rules_add(x->s->rules, made, rhs, n);
	return made;
}

// Rows and units up to this one are made, the lowest first.
static symbol row_of(struct repeats *x, uint64_t level, uint32_t n)
{
	for (uint64_t l = 0; l <= level; l++) {
		const symbol parts[] = {l ? x->row[l - 1][BASE - 1] : 0, l ? x->unit[l - 1] : 0};
		if (l && !x->unit[l]) x->unit[l] = make(x, parts, 2);
		for (uint32_t i = 1; i <= (l < level ? BASE - 1 : n); i++) {
			const symbol longer[] = {x->row[l][i - 1], x->unit[l]};
			if (!x->row[l][i]) x->row[l][i] = i == 1 ? make(x, &x->unit[l], 1) : make(x, longer, 2);
		}
	}
	return x->row[level][n];
}

// A rest's symbol. The productions of one that is new are still to be made.
static symbol rest_symbol(struct repeats *x, struct span r)
{
	if (!r.level) return x->tail(x, r.least, r.most);
	bool is_new;
	uint32_t n = intern_add(&x->rest_names, &r, sizeof r, &is_new);
	if (is_new) vec_push(&x->rests, rules_nonterminal(x->s->rules, x->name, (struct loc){0}));
	return x->rests.at[n];
}

// What may follow i units of the level below. False: nothing.
static bool rest_behind(const struct repeats *x, struct span r, uint32_t i, struct span *out)
{
	uint64_t size = size_of(x, r.level - 1), used = i * size;
	if (used > r.most) return false;
	*out = (struct span){r.level - 1, r.least > used ? r.least - used : 0, r.most == NO_MOST ? NO_MOST : r.most - used};
	if (r.most == NO_MOST && !out->least)
		out->level = 0;  // nothing is left to count
	else if (out->most > size - 1)
		out->most = size - 1;
	return out->least <= out->most;
}

static void add_rests(struct repeats *x, struct span r, symbol lhs)
{
	for (uint32_t i = 0; i < BASE; i++) {
		struct span inner;
		if (!rest_behind(x, r, i, &inner)) continue;
		const symbol rhs[] = {i ? row_of(x, r.level - 1, i) : 0, rest_symbol(x, inner)};
		rules_add(x->s->rules, lhs, i ? rhs : rhs + 1, i ? 2 : 1);
		if (inner.most == NO_MOST) return;
	}
}

void repeats_init(struct repeats *x, struct schema *s, symbol unit, uint64_t size)
{
	*x = (struct repeats){.s = s, .size = size, .unit = {unit}};
}

symbol repeats_between(struct repeats *x, uint64_t least, uint64_t most)
{
	struct span all = {1, least, most};
	const uint64_t counted = most == NO_MOST ? least : most;
	while (counted > (BASE - 1) * size_of(x, all.level - 1)) all.level++;  // at most REPEATS_LEVELS
	const uint32_t first = x->rests.n;
	const symbol whole = rest_symbol(x, all);
	for (uint32_t k = first; k < x->rests.n; k++)
		add_rests(x, *(const struct span *)intern_get(&x->rest_names, k, NULL), x->rests.at[k]);
	return whole;
}

void repeats_exactly(struct repeats *x, uint64_t n, symbol_list *out)
{
	for (uint32_t level = REPEATS_LEVELS; level-- > 0;) {
		const uint32_t digit = (uint32_t)(n / size_of(x, level) % BASE);
		if (digit) vec_push(out, row_of(x, level, digit));
	}
}

void repeats_release(struct repeats *x) { intern_release(&x->rest_names), vec_release(&x->rests); }
