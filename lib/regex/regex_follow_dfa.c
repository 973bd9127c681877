// What must follow, as one DFA.
//
// In:  the formulas (regex_follow.c) with which a terminal's states accept. Out: struct follow_dfa, minimal, and the
// terminal's states accept with its states.
// States are pairs (formula, position inside a code point). Texts are valid UTF-8, so a formula that no valid text
// makes false is ANY and one that none makes true is NEVER: two reachability searches. Then partition refinement;
// numbers follow the terminal's states and then the bytes, so equal languages still give equal bytes.
// Cost: states x intervals of bytes; a trailing (?!\w) has about 250 before minimisation.
#include "../base/refine.h"
#include "regex_internal.h"

struct follow_search {
	struct re_ctx *c;
	struct intern keys;  // {formula, position}; 0 and 1: NEVER and ANY, wherever
	VEC(uint32_t) next;
	uint32_t n_intervals;
	uint8_t interval_of[256], first[256];
	uint8_t *may_hold, *may_fail;
};

static uint32_t node(struct follow_search *s, uint32_t f, uint32_t position)
{
	uint32_t key[] = {f, f <= FOLLOW_ANY ? 0 : position};
	return intern_add(&s->keys, key, sizeof key, NULL);
}

static void key_of(const struct follow_search *s, uint32_t id, uint32_t key[2])
{
	memcpy(key, intern_get(&s->keys, id, NULL), 2 * sizeof *key);
}

static uint8_t at_end(const struct follow_search *s, uint32_t id)
{
	uint32_t key[2];
	key_of(s, id, key);
	return key[1] ? FOLLOW_INSIDE : follow_at_end(s->c, key[0]) ? FOLLOW_YES : FOLLOW_NO;
}

static bool explore(struct follow_search *s)
{
	for (uint32_t id = 0; id < s->keys.entries.n; id++) {
		uint32_t key[2];
		key_of(s, id, key);
		for (uint32_t i = 0; i < s->n_intervals; i++) {
			uint8_t position = id <= FOLLOW_ANY ? 0 : utf8_step((uint8_t)key[1], s->first[i]);
			uint32_t to = DFA_DEAD;
			if (position != UTF8_BAD) to = node(s, follow_step(s->c, key[0], s->first[i]), position);
			vec_push(&s->next, to);
		}
		if (s->keys.entries.n > REGEX_MAX_FOLLOW) {
			re_error(s->c, s->c->whole,
			         "what must follow this terminal takes more than REGEX_MAX_FOLLOW (%u) states: simplify its "
			         "lookaheads",
			         REGEX_MAX_FOLLOW);
			return false;
		}
		if (!re_within_work(s->c, 0)) return false;
	}
	return true;
}

// [states] whether some valid text leads to truth (falsehood).
static uint8_t *can_become(struct follow_search *s, bool truth)
{
	uint32_t n = s->keys.entries.n;
	uint8_t *can = arena_alloc(&s->c->scratch, n);
	for (uint32_t id = 0; id < n; id++) can[id] = at_end(s, id) == (truth ? FOLLOW_YES : FOLLOW_NO);
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t id = n; id-- > 2;)
			for (uint32_t i = 0; i < s->n_intervals && !can[id]; i++) {
				uint32_t to = s->next.at[id * s->n_intervals + i];
				if (to != DFA_DEAD && can[to]) can[id] = 1, changed = true;
			}
	}
	return can;
}

// NEVER, ANY, or the state itself.
static uint32_t meaning(const struct follow_search *s, uint32_t id)
{
	return id <= FOLLOW_ANY ? id : !s->may_hold[id] ? FOLLOW_NEVER : !s->may_fail[id] ? FOLLOW_ANY : id;
}

static void describe(void *user, uint32_t id, struct refine_node *out)
{
	const struct follow_search *s = user;
	uint32_t what = meaning(s, id);
	vec_push(&out->label, what <= FOLLOW_ANY ? what : 2u + at_end(s, id));
	if (what <= FOLLOW_ANY) return;
	for (uint32_t i = 0; i < s->n_intervals; i++) {
		uint32_t to = s->next.at[id * s->n_intervals + i];
		vec_push(&out->successors, to == DFA_DEAD ? REFINE_NONE : to);
	}
}

// The classes that a's states accept with and what these lead to, in the order found, after NEVER and ANY.
static void write_out(struct follow_search *s, const struct sparse_dfa *a, const uint32_t *class_of, uint32_t n_classes,
                      struct arena *arena, struct follow_dfa *out)
{
	uint32_t *number = arena_array(&s->c->scratch, n_classes, sizeof *number), n = 2;
	uint32_t *member = arena_array(&s->c->scratch, n_classes, sizeof *member);
	VEC(uint32_t) order = {0};
	for (uint32_t id = s->keys.entries.n; id-- > 0;) member[class_of[id]] = id;
	number[FOLLOW_ANY] = FOLLOW_ANY;
	vec_push(&order, FOLLOW_NEVER);
	vec_push(&order, FOLLOW_ANY);
	for (uint32_t q = 0; q < a->n_states; q++) {
		uint32_t k = a->accept[q];
		if (k > FOLLOW_ANY && !number[k]) number[k] = n++, vec_push(&order, k);
		a->accept[q] = number[k];
	}
	VEC(uint32_t) next = {0};
	for (uint32_t at = 0; at < order.n; at++)
		for (uint32_t i = 0; i < s->n_intervals; i++) {
			uint32_t to = s->next.at[member[order.at[at]] * s->n_intervals + i], k = to == DFA_DEAD ? 0 : class_of[to];
			if (at <= FOLLOW_ANY) k = at, to = at;
			if (k > FOLLOW_ANY && !number[k]) number[k] = n++, vec_push(&order, k);
			vec_push(&next, to == DFA_DEAD ? DFA_DEAD : number[k]);
		}
	*out = (struct follow_dfa){.n_states = n, .at_end = arena_alloc(arena, n)};
	for (uint32_t at = 0; at < n; at++) out->at_end[at] = at_end(s, member[order.at[at]]);
	out->next = dense_output(arena, &(struct dense_table){next.at, n, s->n_intervals, s->interval_of}, out->class_of,
	                         &out->n_classes);
	vec_release(&order);
	vec_release(&next);
}

bool follow_finish(struct re_ctx *c, struct sparse_dfa *a, struct arena *arena, struct follow_dfa *out)
{
	*out = (struct follow_dfa){0};
	struct follow_search s = {.c = c};
	bool asks = false;
	for (uint32_t q = 0; q < a->n_states; q++) asks |= a->accept[q] > FOLLOW_ANY;
	if (!asks) return true;
	bits bounds[5] = {0};
	utf8_bounds(bounds), follow_bounds(c, bounds);
	s.n_intervals = number_intervals(bounds, s.interval_of, s.first);
	node(&s, FOLLOW_NEVER, 0), node(&s, FOLLOW_ANY, 0);
	for (uint32_t q = 0; q < a->n_states; q++) a->accept[q] = node(&s, a->accept[q], 0);
	bool ok = explore(&s);
	if (ok) {
		s.may_hold = can_become(&s, true), s.may_fail = can_become(&s, false);
		uint32_t *class_of = mem_calloc(s.keys.entries.n, sizeof *class_of);
		uint32_t n_classes = refine_partition(s.keys.entries.n, describe, &s, class_of);
		asks = false;
		for (uint32_t q = 0; q < a->n_states; q++)
			a->accept[q] = class_of[a->accept[q]], asks |= a->accept[q] > FOLLOW_ANY;
		ok = minimize(c, a);
		if (ok && asks && a->n_states) write_out(&s, a, class_of, n_classes, arena, out);
		free(class_of);
	}
	intern_release(&s.keys);
	vec_release(&s.next);
	return ok;
}
