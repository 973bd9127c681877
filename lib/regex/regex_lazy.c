// Lazy quantifiers: which parts of a terminal stop at their first match.
//
// In:  the whole tree. Out: parts whose union is the terminal; a lazy part's accepting states lose their ways out
//      before the union (regex.c).
// Rule: an alternative at the top (through groups and singletons) is lazy when its last quantifier, in the order
// of concatenation, is lazy; fixed repetitions {n} are not quantifiers here. /\*.*?\*/ is. When that last
// quantifier sits in alternatives that disagree, as in a.*?(b|c*), the alternatives are multiplied out
// (a.*?b | a.*?c*), those that agree together. Elsewhere laziness does not change the language.
// Cost: linear, times the parts that multiplying out makes (at most REGEX_MAX_LAZY; steps at most
// REGEX_MAX_LAZY_STEPS).
#include "regex_internal.h"

static bool split(struct re_ctx *c, struct re_node *n, bool top, re_parts *out);

static bool too_many(struct re_ctx *c, struct re_node *n, const char *limit, uint32_t value)
{
	re_error(c, n->loc,
	         "lazy quantifiers in alternatives make more than %s (%u) cases; replace .*? by a class, such as [^\"]*",
	         limit, value);
	return false;
}

static bool add(struct re_ctx *c, struct re_node *n, bool lazy, re_parts *out)
{
	if (out->n >= REGEX_MAX_LAZY) return too_many(c, n, "REGEX_MAX_LAZY", REGEX_MAX_LAZY);
	vec_push(out, ((struct re_part){n, lazy}));
	return true;
}

// A sequence whose last quantifier is in kid k, alternatives that disagree about it: those that agree stay
// together, so there are at most three cases.
static bool split_sequence(struct re_ctx *c, struct re_node *n, uint32_t k, bool top, re_parts *out)
{
	re_parts cases = {0};
	bool ok = split(c, n->kids[k], false, &cases);
	struct re_node **kids = mem_alloc(n->n_kids * sizeof *kids);
	struct re_node **agree = mem_alloc((size_t)cases.n * sizeof *agree);
	memcpy(kids, n->kids, n->n_kids * sizeof *kids);
	for (enum re_last last = LAST_NONE; last < LAST_MIXED && ok; last++) {
		uint32_t n_agree = 0;
		for (uint32_t i = 0; i < cases.n; i++)
			if (cases.at[i].node->last == last) agree[n_agree++] = cases.at[i].node;
		if (!n_agree) continue;
		kids[k] = re_new_list(c, RE_ALT, agree, n_agree, n->kids[k]->loc);
		// Judged anew: a case without a quantifier leaves the decision to what stands before it.
		ok = split(c, re_new_list(c, RE_SEQ, kids, n->n_kids, n->loc), top, out);
	}
	free(agree);
	free(kids);
	vec_release(&cases);
	return ok;
}

// Parts of n that agree about their last quantifier; at the top, every alternative with a lazy quantifier is one.
static bool split(struct re_ctx *c, struct re_node *n, bool top, re_parts *out)
{
	if (++c->lazy_steps > REGEX_MAX_LAZY_STEPS) return too_many(c, n, "REGEX_MAX_LAZY_STEPS", REGEX_MAX_LAZY_STEPS);
	if (!n->has_lazy && (top || n->last != LAST_MIXED)) return add(c, n, false, out);
	if (n->kind == RE_ALT && (top || n->last == LAST_MIXED)) {
		for (uint32_t i = 0; i < n->n_kids; i++)
			if (!split(c, n->kids[i], top, out)) return false;
		return true;
	}
	if (n->last != LAST_MIXED) return add(c, n, n->last == LAST_LAZY, out);
	if (n->kind == RE_REPEAT) {
		// x{3} with a disagreeing x: x{2} x.
		struct re_node *two[] = {re_new_repeat(c, n->kids[0], n->min - 1, n->min - 1, false, n->loc), n->kids[0]};
		return split(c, re_new_list(c, RE_SEQ, two, 2, n->loc), top, out);
	}
	uint32_t k = n->n_kids - 1;
	while (n->kids[k]->last == LAST_NONE) k--;
	return split_sequence(c, n, k, top, out);
}

bool re_split_lazy(struct re_ctx *c, struct re_node *root, re_parts *out) { return split(c, root, true, out); }
