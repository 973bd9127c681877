// Coinductive inclusion of what stacks accept.
//
// In:  an automaton with some actions left out. Out: proofs of goals: for every real stack that matches the left
//      symbolic one, each text it accepts (each that begins with t) is accepted by one of the right ones over the same
//      base.
// Method: as for recursive types (Amadio, Cardelli 1993): a goal is taken as true while its own are proved; when
// one fails, all that was taken since is forgotten. Rules and why they are sound: lr_prove.h. Cost: bounded by `limit`
// closures; what is not proved by then counts as not provable.
#include "lr_inclusion.h"

enum goal_status { GOAL_UNKNOWN, GOAL_HOLDS, GOAL_FAILED };

void inclusion_init(struct inclusion *z, struct lr_facts *c)
{
	*z = (struct inclusion){.c = c, .limit = UINT64_MAX};
	stacks_init(&z->k);
}

void inclusion_release(struct inclusion *z)
{
	stacks_release(&z->k);
	intern_release(&z->goals);
	vec_release(&z->status);
	vec_release(&z->trail);
}

static void roll_back(struct inclusion *z, uint32_t mark)
{
	while (z->trail.n > mark) {
		uint32_t id = vec_pop(&z->trail);
		z->status.at[id] = GOAL_UNKNOWN;
	}
}

void inclusion_add(struct inclusion_stacks *o, uint32_t s)
{
	if (s == STACK_NONE) return;
	uint32_t i = o->n;
	for (uint32_t k = 0; k < o->n; k++)
		if (o->at[k] == s) return;
	// Leaving one out makes the goal harder, never wrong.
	if (o->n == INCLUSION_MAX_OTHERS) return;
	for (o->n++; i > 0 && o->at[i - 1] > s; i--) o->at[i] = o->at[i - 1];
	o->at[i] = s;
}

// --- closures: all stacks that reductions under t lead to ---

static bool in_closure(const struct inclusion_closure *x, uint32_t s)
{
	for (uint32_t i = 0; i < x->n; i++)
		if (x->stack[i] == s) return true;
	return false;
}

static void add_stack(struct inclusion_closure *x, uint32_t s)
{
	if (s == STACK_NONE || in_closure(x, s)) return;
	if (x->n == INCLUSION_MAX_CLOSURE)
		x->overflow = true;
	else
		x->stack[x->n++] = s;
}

// A left side must not lose any: that is what `overflow` is for.
static void add_shifted(struct inclusion_closure *x, uint32_t s)
{
	uint32_t n = x->shifted.n;
	inclusion_add(&x->shifted, s);
	if (n == INCLUSION_MAX_OTHERS) x->overflow = true;
}

static void take(struct inclusion *z, struct inclusion_closure *x, uint32_t s, uint32_t action)
{
	if (action == ACTION_ACCEPT)
		x->accepts = true;
	else if (action == ACTION_SKIP)
		add_shifted(x, s);
	else if (ACTION_IS_SHIFT(action)) {
		if (stack_length(&z->k, s) >= STACK_MAX)
			x->overflow = true;
		else
			add_shifted(x, stack_push(&z->k, s, action / 2));
	} else {
		struct lr_production p = z->c->lr->production[action / 2 - 1];
		uint32_t length = stack_length(&z->k, s);
		if (length <= p.length) {
			if (p.length + 1 - length > x->lacks) x->lacks = p.length + 1 - length;
		} else if (length - p.length >= STACK_MAX)
			x->overflow = true;
		else
			add_stack(x, stack_goto(&z->k, z->c, stack_pop(&z->k, s, p.length), p.lhs));
	}
}

static void expand_stack(struct inclusion *z, struct inclusion_closure *x, uint32_t s, terminal_id t)
{
	uint32_t top = stack_top(&z->k, s), n, one;
	z->work++;
	if (top & STACK_GOTO) {
		if (x->waits == STACK_NONE) x->waits = s;
		return;
	}
	const uint32_t *a = lr_actions(z->c->lr, top, t, &n, &one);
	for (uint32_t i = 0; i < n; i++) take(z, x, s, a[i]);
}

void inclusion_close(struct inclusion *z, struct inclusion_closure *x, const struct inclusion_stacks *o, terminal_id t,
                     const struct inclusion_first *first)
{
	*x = (struct inclusion_closure){.waits = STACK_NONE};
	for (uint32_t i = 0; i < o->n; i++) {
		if (!first)
			add_stack(x, o->at[i]);
		else
			for (uint32_t k = 0; k < first->n_right; k++) take(z, x, o->at[i], first->right[k]);
	}
	for (uint32_t i = 0; i < x->n; i++) expand_stack(z, x, x->stack[i], t);
}

// Place by place, the right one can do what the left one does.
static bool below_another(struct inclusion *z, uint32_t left, uint32_t right)
{
	const struct stack_node *node = z->k.nodes.at;
	if (node[left].length != node[right].length) return false;
	uint32_t n = z->c->lr->n_states;
	for (uint32_t a = left, b = right; a != b; a = node[a].below, b = node[b].below)
		if (node[a].set != node[b].set && (node[a].set >= n || node[b].set >= n)) return false;
	for (uint32_t a = left, b = right; a != b; a = node[a].below, b = node[b].below)
		if (node[a].set != node[b].set && !facts_simulates(z->c, node[a].set, node[b].set)) return false;
	return true;
}

static bool covered(struct inclusion *z, uint32_t left, const uint32_t *right, uint32_t n)
{
	z->work += n;
	for (uint32_t i = 0; i < n; i++)
		if (right[i] == left) return true;
	for (uint32_t i = 0; i < n; i++)
		if (below_another(z, left, right[i])) return true;
	return false;
}

static void close_left(struct inclusion *z, struct inclusion_closure *x, const struct inclusion_closure *right,
                       uint32_t start, terminal_id t, const struct inclusion_first *first)
{
	*x = (struct inclusion_closure){.waits = STACK_NONE};
	uint32_t i = 0;
	if (first)
		take(z, x, start, first->left);
	else
		add_stack(x, start);
	for (; i < x->n; i++)
		if (!covered(z, x->stack[i], right->stack, right->n)) expand_stack(z, x, x->stack[i], t);
}

// --- one more place known at the bottom, or a set made smaller, in all stacks of a goal ---

bool inclusion_replace(struct inclusion *z, uint32_t *s, uint32_t at, uint32_t old, uint32_t new, uint32_t extra_below)
{
	uint32_t place[STACK_MAX + 1], shift = extra_below != NO_SET;
	if (stack_length(&z->k, *s) + shift > STACK_MAX) return false;
	uint32_t n = stack_places(&z->k, *s, place + shift);
	if (at < n && place[shift + at] == old) place[shift + at] = new;
	if (shift) place[0] = extra_below;
	*s = stack_from_places(&z->k, z->c, place, n + shift);
	return true;
}

// The bottom place of all stacks is the same. INCLUSION_YES: there is no such stack at all; INCLUSION_MAYBE: done.
enum inclusion_answer inclusion_know_more(struct inclusion *z, uint32_t *left, struct inclusion_stacks *o)
{
	uint32_t bottom = stack_pop(&z->k, *left, stack_length(&z->k, *left) - 1), old = stack_top(&z->k, bottom);
	uint32_t new = facts_set_without_bottom(z->c, old);
	if (new == NO_SET) return INCLUSION_YES;
	uint32_t below = facts_set_below(z->c, new);
	if (below == NO_SET) return INCLUSION_YES;
	struct inclusion_stacks old_others = *o;
	o->n = 0;
	if (!inclusion_replace(z, left, 0, old, new, below)) return INCLUSION_NO;
	if (*left == STACK_NONE) return INCLUSION_YES;
	for (uint32_t i = 0; i < old_others.n; i++) {
		if (!inclusion_replace(z, &old_others.at[i], 0, old, new, below)) return INCLUSION_NO;
		inclusion_add(o, old_others.at[i]);
	}
	return INCLUSION_MAYBE;
}

static bool prove(struct inclusion *z, terminal_id t, uint32_t left, const struct inclusion_stacks *o, bool forget);
static bool step(struct inclusion *z, terminal_id t, uint32_t left, const struct inclusion_stacks *o,
                 const struct inclusion_first *first);

// All cases of what the set below the waiting goto holds, told apart by that goto.
static bool split(struct inclusion *z, terminal_id t, uint32_t left, const struct inclusion_stacks *o, uint32_t waiting,
                  const struct inclusion_first *first)
{
	uint32_t below = z->k.nodes.at[waiting].below, at = stack_length(&z->k, below) - 1;
	uint32_t set = stack_top(&z->k, below), n;
	const uint32_t *pairs = facts_set_gotos(z->c, set, stack_top(&z->k, waiting) & ~STACK_GOTO, &n);
	VEC(uint32_t) copy = {0};
	for (uint32_t i = 0; i < n; i++) vec_push(&copy, pairs[2 * i + 1]);
	bool ok = true;
	for (uint32_t i = 0; i < n && ok; i++) {
		uint32_t l = left;
		struct inclusion_stacks r = {0};
		ok = inclusion_replace(z, &l, at, set, copy.at[i], NO_SET);
		if (l == STACK_NONE) continue;
		for (uint32_t k = 0; k < o->n && ok; k++) {
			uint32_t s = o->at[k];
			ok = inclusion_replace(z, &s, at, set, copy.at[i], NO_SET);
			if (ok) inclusion_add(&r, s);
		}
		if (ok) ok = first ? step(z, t, l, &r, first) : prove(z, t, l, &r, false);
	}
	vec_release(&copy);
	return ok;
}

// --- rules ---

// The next terminal is t: each way the left stack takes it must be answered.
// Branches: the proof's cases: the left stack waits, the right one does, either lacks a look, or all is covered.
static bool step(struct inclusion *z, terminal_id t, uint32_t left, const struct inclusion_stacks *given,
                 const struct inclusion_first *first)
{
	struct inclusion_stacks o = *given;
	struct inclusion_closure *right = mem_alloc(sizeof *right), *x = mem_alloc(sizeof *x);
	bool ok = false;
	while (z->work < z->limit && o.n) {
		inclusion_close(z, right, &o, t, first);
		close_left(z, x, right, left, t, first);
		if (x->overflow) break;
		uint32_t left_waits = STACK_NONE;
		for (uint32_t i = 0; i < x->n && left_waits == STACK_NONE; i++)
			if (stack_top(&z->k, x->stack[i]) & STACK_GOTO && !covered(z, x->stack[i], right->stack, right->n))
				left_waits = x->stack[i];
		if (!x->lacks && left_waits != STACK_NONE) {
			ok = split(z, t, left, &o, left_waits, first);
			break;
		}
		uint32_t mark = z->trail.n;
		if (!x->lacks && (!x->accepts || right->accepts)) {
			ok = true;
			for (uint32_t i = 0; i < x->shifted.n && ok; i++)
				ok = prove(z, INCLUSION_ANY, x->shifted.at[i], &right->shifted, true);
			if (ok) break;
			roll_back(z, mark);
			if (right->waits != STACK_NONE) {
				ok = split(z, t, left, &o, right->waits, first);
				break;
			}
			if (!right->lacks) break;
		} else if (!x->lacks && right->waits != STACK_NONE) {
			ok = split(z, t, left, &o, right->waits, first);
			break;
		} else if (!x->lacks && !right->lacks)
			break;
		enum inclusion_answer more = inclusion_know_more(z, &left, &o);
		ok = more == INCLUSION_YES && x->lacks;
		if (more != INCLUSION_MAYBE) break;
	}
	free(right), free(x);
	return ok;
}

// Whatever happens above the top happens above an equal (or more able) top, too; then compare what both go on with.
static bool by_top(struct inclusion *z, uint32_t left, const struct inclusion_stacks *given)
{
	struct inclusion_stacks o = {0};
	uint32_t top = stack_top(&z->k, left), n = z->c->lr->n_states;
	ASSERT(top < n);  // a top was shifted or looked up
	for (uint32_t i = 0; i < given->n; i++) {
		uint32_t other = stack_top(&z->k, given->at[i]);
		if (other < n && facts_simulates(z->c, top, other)) inclusion_add(&o, given->at[i]);
	}
	if (!o.n) return false;
	uint32_t n_pairs;
	const uint32_t *pair = facts_residuals(z->c, top, &n_pairs);
	for (uint32_t i = 0; i < n_pairs; i++) {
		uint32_t pops = pair[2 * i], nonterminal = pair[2 * i + 1];
		uint32_t least = stack_length(&z->k, left);
		for (uint32_t k = 0; k < o.n; k++)
			if (stack_length(&z->k, o.at[k]) < least) least = stack_length(&z->k, o.at[k]);
		enum inclusion_answer more = INCLUSION_MAYBE;
		uint32_t l = left;
		struct inclusion_stacks r = o;
		for (; least <= pops && more == INCLUSION_MAYBE; least++) more = inclusion_know_more(z, &l, &r);
		if (more == INCLUSION_YES) continue;
		if (more == INCLUSION_NO) return false;
		struct inclusion_stacks r2 = {0};
		l = stack_goto(&z->k, z->c, stack_pop(&z->k, l, pops), nonterminal);
		if (l == STACK_NONE) continue;
		for (uint32_t k = 0; k < r.n; k++)
			inclusion_add(&r2, stack_goto(&z->k, z->c, stack_pop(&z->k, r.at[k], pops), nonterminal));
		if (!prove(z, INCLUSION_ANY, l, &r2, true)) return false;
	}
	return true;
}

static bool expand(struct inclusion *z, terminal_id t, uint32_t left, const struct inclusion_stacks *o)
{
	if (stack_top(&z->k, left) & STACK_GOTO) return split(z, t, left, o, left, NULL);
	if (t != INCLUSION_ANY) return step(z, t, left, o, NULL);
	uint32_t mark = z->trail.n;
	for (uint32_t i = 0; i < o->n; i++)
		if (stack_top(&z->k, o->at[i]) & STACK_GOTO) return split(z, t, left, o, o->at[i], NULL);
	if (by_top(z, left, o)) return true;
	roll_back(z, mark);
	for (terminal_id i = 0; i <= z->c->lr->n_terminals; i++)
		if (lr_viable(z->c->lr, stack_top(&z->k, left), i) && !step(z, i, left, o, NULL)) return false;
	return true;
}

// Forgets common places at the bottom: the goal becomes one about more stacks.
bool inclusion_forget_bottom(struct inclusion *z, uint32_t *left, struct inclusion_stacks *o)
{
	uint32_t a[STACK_MAX], b[STACK_MAX], n = stack_places(&z->k, *left, a), common = n;
	for (uint32_t i = 0; i < o->n; i++) {
		uint32_t m = stack_places(&z->k, o->at[i], b), same = 0;
		while (same < common && same < m && a[same] == b[same]) same++;
		common = same;
	}
	if (common <= INCLUSION_KEEP) return common > 0;
	uint32_t drop = common - INCLUSION_KEEP;
	*left = stack_from_places(&z->k, z->c, a + drop, n - drop);
	struct inclusion_stacks old = *o;
	o->n = 0;
	for (uint32_t i = 0; i < old.n; i++) {
		uint32_t m = stack_places(&z->k, old.at[i], b);
		inclusion_add(o, stack_from_places(&z->k, z->c, b + drop, m - drop));
	}
	return true;
}

static uint32_t goal_id(struct inclusion *z, terminal_id t, uint32_t left, const struct inclusion_stacks *o)
{
	uint32_t key[INCLUSION_MAX_OTHERS + 2] = {t, left};
	memcpy(key + 2, o->at, o->n * sizeof *key);
	bool is_new;
	uint32_t id = intern_add(&z->goals, key, (o->n + 2) * sizeof *key, &is_new);
	if (is_new) vec_push(&z->status, GOAL_UNKNOWN);
	return id;
}

static bool prove(struct inclusion *z, terminal_id t, uint32_t left, const struct inclusion_stacks *given, bool forget)
{
	struct inclusion_stacks o = *given;
	if (covered(z, left, o.at, o.n)) return true;
	if (!o.n) return false;
	if (forget && !inclusion_forget_bottom(z, &left, &o)) return false;
	uint32_t id = goal_id(z, t, left, &o);
	if (z->status.at[id] != GOAL_UNKNOWN) return z->status.at[id] == GOAL_HOLDS;
	if (z->work >= z->limit || z->depth >= INCLUSION_MAX_DEPTH) return false;
	uint32_t mark = z->trail.n;
	z->status.at[id] = GOAL_HOLDS;
	vec_push(&z->trail, id);
	z->depth++;
	bool ok = expand(z, t, left, &o);
	z->depth--;
	if (ok) return true;
	roll_back(z, mark);
	z->status.at[id] = GOAL_FAILED;
	return false;
}

bool inclusion_covers(struct inclusion *z, lr_state s, terminal_id t, uint32_t action, const uint32_t *others,
                      uint32_t n)
{
	uint32_t mark = z->trail.n, left = stack_push(&z->k, 0, s);
	struct inclusion_stacks o = {.n = 1, .at = {left}};
	z->depth = 0;
	if (step(z, t, left, &o, &(struct inclusion_first){action, others, n})) return true;
	roll_back(z, mark);
	return false;
}
