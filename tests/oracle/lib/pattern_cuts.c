// Lazy quantifiers: which parts of a pattern end at their first match.
//
// In:  the tree of a terminal. Out: the same with CUT around such parts. The rule of docs/regex.md, written again: a
// part whose last quantifier is lazy, and behind which nothing in the terminal can fail (nothing, or what is optional),
// is cut; where alternatives disagree about the last quantifier they are multiplied out, those that agree together. {n}
// is no quantifier. Cost: the tree, times what multiplying out makes; meant for patterns as people write them.
#include "pattern_node.h"

enum last { LAST_NONE, LAST_GREEDY, LAST_LAZY, N_LAST };
struct piece {
	struct node *node;
	enum last last;
};
typedef VEC(struct piece) pieces;

// What of n has which last quantifier. At the top every alternative stays by itself.
static void split(struct reader *r, struct node *n, bool top, pieces *out)
{
	if (n->kind == NODE_ALT) {
		pieces all = {0};
		for (uint32_t i = 0; i < n->n_kids; i++) split(r, n->kids[i], top, &all);
		for (uint32_t last = 0; last < N_LAST && !top; last++) {
			struct node *same = node_new(r, NODE_ALT);
			for (uint32_t i = 0; i < all.n; i++)
				if (all.at[i].last == last) node_add(r, same, all.at[i].node);
			if (same->n_kids) vec_push(out, ((struct piece){same, (enum last)last}));
		}
		for (uint32_t i = 0; i < all.n && top; i++) vec_push(out, all.at[i]);
		vec_release(&all);
	} else if (n->kind == NODE_SEQ && n->n_kids) {
		// From the end: while the last symbol has no quantifier, the one before it decides.
		pieces open = {0};
		vec_push(&open, ((struct piece){node_new(r, NODE_SEQ), LAST_NONE}));
		for (uint32_t i = n->n_kids; i-- > 0;) {
			pieces next = {0}, of_kid = {0};
			split(r, n->kids[i], top && n->n_kids == 1, &of_kid);
			for (uint32_t k = 0; k < open.n; k++) {
				bool decided = open.at[k].last != LAST_NONE;
				for (uint32_t m = 0; m < (decided ? 1 : of_kid.n); m++) {
					struct node *seq = node_new(r, NODE_SEQ);
					node_add(r, seq, decided ? n->kids[i] : of_kid.at[m].node);
					for (uint32_t j = 0; j < open.at[k].node->n_kids; j++) node_add(r, seq, open.at[k].node->kids[j]);
					vec_push(&next, ((struct piece){seq, decided ? open.at[k].last : of_kid.at[m].last}));
				}
			}
			vec_release(&open);
			vec_release(&of_kid);
			open = next;
		}
		for (uint32_t k = 0; k < open.n; k++) vec_push(out, open.at[k]);
		vec_release(&open);
	} else {
		enum last last = LAST_NONE;
		if (n->kind == NODE_REPEAT && n->min != n->max)
			last = n->lazy ? LAST_LAZY : LAST_GREEDY;
		else if (n->kind == NODE_REPEAT && n->max) {
			// {n} is no quantifier: the last copy decides.
			struct node *seq = node_new(r, NODE_SEQ);
			for (uint32_t i = 0; i < n->max; i++) node_add(r, seq, n->kids[0]);
			split(r, seq, false, out);
			return;
		}
		vec_push(out, ((struct piece){n, last}));
	}
}

static bool has_lazy(const struct node *n)
{
	if (n->kind == NODE_LOOK) return false;
	if (n->kind == NODE_REPEAT && n->lazy && n->min != n->max) return true;
	for (uint32_t i = 0; i < n->n_kids; i++)
		if (has_lazy(n->kids[i])) return true;
	return false;
}

// Matches the empty text, without looking around.
static bool is_optional(const struct node *n)
{
	bool all = true, any = false;
	for (uint32_t i = 0; i < n->n_kids; i++) {
		bool optional = is_optional(n->kids[i]);
		all &= optional, any |= optional;
	}
	switch (n->kind) {
	case NODE_SEQ: return all;
	case NODE_ALT: return any;
	case NODE_REPEAT: return n->min == 0 || all;
	default: return false;
	}
}

static enum last last_of(struct reader *r, struct node *n, bool *mixed)
{
	pieces all = {0};
	split(r, n, false, &all);
	enum last last = all.at[0].last;
	*mixed = all.n > 1;
	vec_release(&all);
	return last;
}

static struct node *cut(struct reader *r, struct node *n)
{
	struct node *out = node_new(r, NODE_CUT);
	node_add(r, out, n);
	return out;
}

static struct node *repeat(struct reader *r, struct node *kid, uint32_t min, uint32_t max)
{
	struct node *out = node_new(r, NODE_REPEAT);
	out->min = min, out->max = max;
	node_add(r, out, kid);
	return out;
}

static struct node *place_cases(struct reader *r, struct node *n)
{
	pieces all = {0};
	struct node *out = node_new(r, NODE_ALT);
	split(r, n, true, &all);
	for (uint32_t i = 0; i < all.n; i++)
		node_add(r, out, all.at[i].last == LAST_LAZY ? cut(r, all.at[i].node) : place_cuts(r, all.at[i].node));
	vec_release(&all);
	return out;
}

static void flatten(struct reader *r, struct node *n, struct node *into)
{
	if (n->kind != NODE_SEQ)
		node_add(r, into, n);
	else
		for (uint32_t i = 0; i < n->n_kids; i++) flatten(r, n->kids[i], into);
}

static struct node *place_sequence(struct reader *r, struct node *n)
{
	struct node *left = node_new(r, NODE_SEQ), *out = node_new(r, NODE_SEQ);
	VEC(struct node *) off = {0};  // from the end
	flatten(r, n, left);
	while (left->n_kids && has_lazy(left)) {
		struct node *last = left->kids[left->n_kids - 1];
		bool mixed, before_mixed = false;
		enum last of_all = last_of(r, left, &mixed), before = LAST_NONE;
		if (!mixed && of_all == LAST_LAZY) {
			vec_push(&off, cut(r, left));
			left = node_new(r, NODE_SEQ);
			break;
		}
		if (mixed && !is_optional(last)) {
			vec_push(&off, place_cases(r, left));
			left = node_new(r, NODE_SEQ);
			break;
		}
		left->n_kids--;
		if (left->n_kids) before = last_of(r, left, &before_mixed);
		if (last->kind == NODE_REPEAT && !is_optional(last) && last->min != last->max &&
		    (before == LAST_LAZY || before_mixed)) {
			uint32_t more = last->max == TERM_UNBOUNDED ? last->max : last->max - last->min;
			vec_push(&off, repeat(r, place_cuts(r, last->kids[0]), 0, more));
			flatten(r, repeat(r, last->kids[0], last->min, last->min), left);
			continue;
		}
		vec_push(&off, place_cuts(r, last));
		if (!is_optional(last)) break;
	}
	for (uint32_t i = 0; i < left->n_kids; i++) node_add(r, out, left->kids[i]);
	while (off.n) node_add(r, out, vec_pop(&off));
	vec_release(&off);
	return out;
}

struct node *place_cuts(struct reader *r, struct node *n)
{
	bool mixed;
	if (!has_lazy(n)) return n;
	if ((n->kind == NODE_ALT || n->kind == NODE_SEQ) && n->n_kids == 1) return place_cuts(r, n->kids[0]);
	if (n->kind == NODE_ALT) {
		struct node *out = node_new(r, NODE_ALT);
		for (uint32_t i = 0; i < n->n_kids; i++) node_add(r, out, place_cuts(r, n->kids[i]));
		return out;
	}
	if (last_of(r, n, &mixed) == LAST_LAZY && !mixed) return cut(r, n);
	if (n->kind == NODE_SEQ) return place_sequence(r, n);
	if (mixed) return place_cases(r, n);
	ASSERT(n->kind == NODE_REPEAT);
	struct node *kid = place_cuts(r, n->kids[0]), *out = node_new(r, NODE_SEQ);
	if (n->min <= 1 && n->min != n->max) return repeat(r, kid, n->min, n->max);
	if (n->min == n->max) {
		node_add(r, out, repeat(r, n->kids[0], n->min - 1, n->min - 1));
		node_add(r, out, kid);
		return out;
	}
	node_add(r, out, place_cuts(r, repeat(r, n->kids[0], n->min, n->min)));
	node_add(r, out, repeat(r, kid, 0, n->max == TERM_UNBOUNDED ? n->max : n->max - n->min));
	return out;
}

bool has_cut(const struct node *n)
{
	for (uint32_t i = 0; i < n->n_kids; i++)
		if (has_cut(n->kids[i])) return true;
	return n->kind == NODE_CUT;
}
