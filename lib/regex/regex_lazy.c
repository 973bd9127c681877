// Lazy quantifiers: which parts of a terminal end at their first match.
//
// In:  the whole tree. Out: the same with RE_CUT around parts that end at their first match (regex.c compiles those).
// Rule: a part is cut when its last quantifier, in the order of concatenation, is lazy, and what comes after it in
// the terminal cannot fail: nothing, or what is optional (matches the empty text, without looking around). /\*.*?\*/
// is cut, in ".*?"i? the part before i?, in (a.*?b|c)+ the first alternative. Fixed repetitions {n} do not count as
// quantifiers. A part that is followed by what can fail keeps its language: Python's re goes on to a later match, too.
// An alternative of the whole terminal ends at its first match; other parts where a backtracking engine ends them.
// When the last quantifier sits in alternatives that disagree, as in a.*?(b|c*d), the alternatives are multiplied
// out (a.*?b | a.*?c*d), those that agree together.
// Cost: linear, times the cases that multiplying out makes (cuts at most REGEX_MAX_LAZY; steps at most
// REGEX_MAX_LAZY_STEPS).
#include "regex_internal.h"

// A case of a part, judged by itself.
struct re_part {
	struct re_node *node;
	bool lazy;
};
typedef VEC(struct re_part) re_parts;

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

static struct re_node *place(struct re_ctx *c, struct re_node *n);

static struct re_node *cut(struct re_ctx *c, struct re_node *n)
{
	if (++c->n_cuts > REGEX_MAX_LAZY) {
		too_many(c, n, "REGEX_MAX_LAZY", REGEX_MAX_LAZY);
		return NULL;
	}
	struct re_node *r = re_new(c, RE_CUT, n->loc);
	r->kids = arena_alloc(&c->scratch, sizeof(struct re_node *));
	r->kids[0] = n, r->n_kids = 1, r->optional = n->optional;
	return r;
}

// Alternatives that disagree, each by itself.
static struct re_node *place_cases(struct re_ctx *c, struct re_node *n)
{
	re_parts cases = {0};
	bool ok = split(c, n, true, &cases);
	struct re_node **kids = mem_alloc((size_t)cases.n * sizeof *kids);
	for (uint32_t i = 0; i < cases.n && ok; i++) {
		struct re_part p = cases.at[i];
		ok = (kids[i] = p.lazy ? cut(c, p.node) : place(c, p.node)) != NULL;
	}
	struct re_node *out = ok ? re_new_list(c, RE_ALT, kids, cases.n, n->loc) : NULL;
	free(kids);
	vec_release(&cases);
	return out;
}

static struct re_node *place_alternatives(struct re_ctx *c, struct re_node *n)
{
	struct re_node **kids = mem_alloc(n->n_kids * sizeof *kids);
	uint32_t done = 0;
	while (done < n->n_kids && (kids[done] = place(c, n->kids[done]))) done++;
	struct re_node *out = done == n->n_kids ? re_new_list(c, RE_ALT, kids, done, n->loc) : NULL;
	free(kids);
	return out;
}

// Greedy or fixed: x{2,5} is x{2} x{0,3}. Each x of the second cannot make the first fail.
static struct re_node *place_repeat(struct re_ctx *c, struct re_node *n)
{
	struct re_node *x = place(c, n->kids[0]), *two[2] = {x, x};
	if (!x) return NULL;
	if (n->min == n->max) {
		two[0] = re_new_repeat(c, n->kids[0], n->min - 1, n->min - 1, false, n->loc);
		return re_new_list(c, RE_SEQ, two, 2, n->loc);
	}
	if (n->min <= 1) return re_new_repeat(c, x, n->min, n->max, false, n->loc);
	two[0] = place(c, re_new_repeat(c, n->kids[0], n->min, n->min, false, n->loc));
	if (!two[0]) return NULL;
	two[1] = re_new_repeat(c, x, 0, n->max == TERM_UNBOUNDED ? n->max : n->max - n->min, false, n->loc);
	return re_new_list(c, RE_SEQ, two, 2, n->loc);
}

// A sequence without sequences in it; each element knows what it ends with the ones before it.
struct element {
	struct re_node *node;
	enum re_last last;
	bool has_lazy;
};
typedef VEC(struct element) elements;

static void append(elements *l, struct re_node *n)
{
	for (uint32_t i = 0; n->kind == RE_SEQ && i < n->n_kids; i++) append(l, n->kids[i]);
	if (n->kind == RE_SEQ || n->kind == RE_EMPTY) return;
	struct element before = l->n ? l->at[l->n - 1] : (struct element){.last = LAST_NONE};
	enum re_last last = n->last != LAST_NONE ? n->last : before.last;
	vec_push(l, ((struct element){n, last, n->has_lazy || before.has_lazy}));
}

static struct re_node *join(struct re_ctx *c, const elements *l, struct loc loc)
{
	struct re_node **kids = mem_alloc((size_t)l->n * sizeof *kids);
	for (uint32_t i = 0; i < l->n; i++) kids[i] = l->at[i].node;
	struct re_node *out = re_new_list(c, RE_SEQ, kids, l->n, loc);
	free(kids);
	return out;
}

// From the end, what cannot fail comes off, until what is left ends lazily or can fail. x{2,5} that can fail: its
// optional copies come off, x{2} stays: a.*?b+ is a.*?b b*.
// Branches: the three ways to end a sequence: lazily, with optional copies, or with what cannot fail.
static struct re_node *place_sequence(struct re_ctx *c, struct re_node *n)
{
	elements left = {0}, off = {0};
	append(&left, n);
	bool ok = true, open = true;
	while (ok && open && left.n && left.at[left.n - 1].has_lazy) {
		struct element e = left.at[left.n - 1];
		struct re_node *x = e.node, *placed;
		enum re_last before = left.n > 1 ? left.at[left.n - 2].last : LAST_NONE;
		if (e.last == LAST_LAZY || (e.last == LAST_MIXED && !x->optional)) {
			x = join(c, &left, n->loc);
			placed = e.last == LAST_LAZY ? cut(c, x) : place_cases(c, x);
			left.n = 0;
		} else if (x->kind == RE_REPEAT && !x->optional && x->min != x->max && before >= LAST_LAZY) {
			uint32_t more = x->max == TERM_UNBOUNDED ? x->max : x->max - x->min;
			placed = place(c, x->kids[0]);
			if (placed) placed = re_new_repeat(c, placed, 0, more, false, x->loc);
			left.n--;
			append(&left, re_new_repeat(c, x->kids[0], x->min, x->min, false, x->loc));
		} else {
			placed = place(c, x);
			open = x->optional;
			left.n--;
		}
		ok = placed != NULL;
		vec_push(&off, ((struct element){.node = placed}));
	}
	while (ok && off.n) vec_push(&left, vec_pop(&off));
	struct re_node *out = ok ? join(c, &left, n->loc) : NULL;
	vec_release(&left);
	vec_release(&off);
	return out;
}

// n with cuts in it, given that what comes after it cannot fail.
static struct re_node *place(struct re_ctx *c, struct re_node *n)
{
	if (!n->has_lazy) return n;
	if (n->placed) return n->placed;
	if (++c->lazy_steps > REGEX_MAX_LAZY_STEPS) {
		too_many(c, n, "REGEX_MAX_LAZY_STEPS", REGEX_MAX_LAZY_STEPS);
		return NULL;
	}
	n->placed = n->kind == RE_ALT       ? place_alternatives(c, n)
	            : n->last == LAST_LAZY  ? cut(c, n)
	            : n->kind == RE_SEQ     ? place_sequence(c, n)
	            : n->last == LAST_MIXED ? place_cases(c, n)
	                                    : place_repeat(c, n);
	return n->placed;
}

static void mark_whole(struct re_node *n)
{
	n->whole = n->kind == RE_CUT;
	for (uint32_t i = 0; n->kind == RE_ALT && i < n->n_kids; i++) mark_whole(n->kids[i]);
}

struct re_node *re_place_cuts(struct re_ctx *c, struct re_node *root)
{
	struct re_node *n = place(c, root);
	if (n) mark_whole(n);
	return n;
}
