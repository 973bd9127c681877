// Which of a terminal's states no text can make fail.
//
// In:  struct byte_dfa but for `unfailable`. Out: that.
// A pair (state, position inside a UTF-8 sequence) can fail when some byte that keeps the text valid UTF-8 leads
// nowhere, or to a pair that is not accepting and can fail. A state is unfailable when none of the pairs that
// occur can fail: the greatest fixpoint, reached by spreading failure backwards once over each arc.
// Where matches depend on what follows, a pair also carries the follow_dfa's states of the matches that are not decided
// yet: it has failed when the scan is dead and all of these were decided against.
// Cost: states x bytes that differ; with lookahead, sets that occur x these.
#include "regex_internal.h"

struct arcs {
	VEC(uint32_t) from, to;  // pairs
};

// The bytes, n of them, that may not act as the one below does: in the DFA, in what must follow, or in UTF-8.
struct byte_list {
	uint8_t at[256];
	uint32_t n;
};

static struct byte_list list_bytes(const struct byte_dfa *a)
{
	struct byte_list list = {.n = 0};
	bits bounds[5] = {0};
	uint8_t interval_of[256], first[256];
	utf8_bounds(bounds);
	number_intervals(bounds, interval_of, first);
	for (uint32_t b = 0; b < 256; b++) {
		bool same = b && a->class_of[b] == a->class_of[b - 1] && interval_of[b] == interval_of[b - 1];
		same = same && (!a->follow || a->after.class_of[b] == a->after.class_of[b - 1]);
		if (!same) list.at[list.n++] = (uint8_t)b;
	}
	return list;
}

// The pairs of each state that occur, as bits; and those that fail at once.
static void find_pairs(const struct byte_dfa *a, uint8_t *occurs, uint8_t *fails, struct arcs *arcs)
{
	VEC(uint32_t) queue = {0};
	const struct byte_list bytes = list_bytes(a);
	for (uint32_t v = 0; v < (a->before.n_states ? a->before.n_states : 1); v++) {
		uint32_t q = a->before.n_states ? a->before.start[v] : 0;
		if (q == DFA_DEAD || occurs[q]) continue;
		occurs[q] = 1;
		vec_push(&queue, q * UTF8_POSITIONS);
	}
	for (uint32_t i = 0; i < queue.n; i++) {
		uint32_t pair = queue.at[i], q = pair / UTF8_POSITIONS, last = UINT32_MAX;
		uint8_t p = (uint8_t)(pair % UTF8_POSITIONS);
		for (uint32_t k = 0; k < bytes.n; k++) {
			uint8_t next_p = utf8_step(p, bytes.at[k]);
			if (next_p == UTF8_BAD) continue;
			uint32_t to = dfa_step(a, q, bytes.at[k]);
			if (to == DFA_DEAD) {
				fails[q] |= (uint8_t)(1u << p);
				continue;
			}
			uint32_t next = to * UTF8_POSITIONS + next_p;
			if (next == last) continue;
			last = next;
			if (!a->accept[to]) vec_push(&arcs->from, pair), vec_push(&arcs->to, next);
			if (occurs[to] >> next_p & 1) continue;
			occurs[to] |= (uint8_t)(1u << next_p);
			vec_push(&queue, next);
		}
	}
	vec_release(&queue);
}

static void without_follow(struct byte_dfa *a)
{
	uint32_t n = a->n_states, n_pairs = n * UTF8_POSITIONS;
	uint8_t *occurs = mem_calloc(n, 1), *fails = mem_calloc(n, 1);
	struct arcs arcs = {0};
	find_pairs(a, occurs, fails, &arcs);
	uint32_t *first = mem_calloc((size_t)n_pairs + 2, 4), *in = mem_calloc((size_t)arcs.to.n + 1, 4);
	for (uint32_t i = 0; i < arcs.to.n; i++) first[arcs.to.at[i] + 2]++;
	for (uint32_t i = 0; i < n_pairs; i++) first[i + 2] += first[i + 1];
	for (uint32_t i = 0; i < arcs.to.n; i++) in[first[arcs.to.at[i] + 1]++] = arcs.from.at[i];
	VEC(uint32_t) queue = {0};
	for (uint32_t pair = 0; pair < n_pairs; pair++)
		if (fails[pair / UTF8_POSITIONS] >> pair % UTF8_POSITIONS & 1) vec_push(&queue, pair);
	while (queue.n) {
		uint32_t pair = vec_pop(&queue);
		for (uint32_t i = first[pair]; i < first[pair + 1]; i++) {
			uint8_t *f = &fails[in[i] / UTF8_POSITIONS], bit = (uint8_t)(1u << in[i] % UTF8_POSITIONS);
			if (*f & bit) continue;
			*f |= bit;
			vec_push(&queue, in[i]);
		}
	}
	for (uint32_t q = 0; q < n; q++) a->unfailable[q] = !(fails[q] & occurs[q]);
	free(occurs), free(fails), free(first), free(in);
	vec_release(&queue);
	vec_release(&arcs.from);
	vec_release(&arcs.to);
}

// ---- with what must follow ----

struct pending {
	struct re_ctx *c;
	const struct byte_dfa *a;
	struct intern nodes;  // {state or DFA_DEAD, position, undecided follow states ascending}
	struct arcs arcs;
	VEC(uint32_t) failed;
	struct byte_list bytes;
	VEC(uint32_t) key;
};

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

// Interns p->key.
static uint32_t pending_node(struct pending *p)
{
	uint32_t n = 2;
	qsort(p->key.at + 2, p->key.n - 2, sizeof *p->key.at, by_number);
	for (uint32_t i = 2; i < p->key.n; i++)
		if (n == 2 || p->key.at[n - 1] != p->key.at[i]) p->key.at[n++] = p->key.at[i];
	return intern_add(&p->nodes, p->key.at, n * sizeof *p->key.at, NULL);
}

static void step_pending(struct pending *p, uint32_t node, uint8_t byte)
{
	uint32_t n;
	const struct follow_dfa *after = &p->a->after;
	const uint32_t *key = intern_get(&p->nodes, node, &n);
	n /= (uint32_t)sizeof *key;
	uint8_t position = utf8_step((uint8_t)key[1], byte);
	if (position == UTF8_BAD) return;
	uint32_t to = dfa_step(p->a, key[0], byte), match = to == DFA_DEAD ? FOLLOW_NEVER : dfa_follow(p->a, to);
	if (match == FOLLOW_ANY) return;
	vec_clear(&p->key);
	vec_push(&p->key, to);
	vec_push(&p->key, position);
	if (match != FOLLOW_NEVER) vec_push(&p->key, match);
	for (uint32_t i = 2; i < n; i++) {
		uint32_t f = after->next[key[i] * after->n_classes + after->class_of[byte]];
		if (f == FOLLOW_ANY) return;
		if (f != FOLLOW_NEVER && f != DFA_DEAD) vec_push(&p->key, f);
	}
	if (to == DFA_DEAD && p->key.n == 2) {
		vec_push(&p->failed, node);
		return;
	}
	uint32_t next = pending_node(p);
	vec_push(&p->arcs.from, node);
	vec_push(&p->arcs.to, next);
}

static bool with_follow(struct re_ctx *c, struct byte_dfa *a)
{
	struct pending p = {.c = c, .a = a, .bytes = list_bytes(a)};
	struct arcs none = {0};
	uint8_t *occurs = mem_calloc(a->n_states, 1), *at_once = mem_calloc(a->n_states, 1);
	find_pairs(a, occurs, at_once, &none);
	VEC(uint32_t) state_of = {0};
	for (uint32_t q = 0; q < a->n_states; q++)
		for (uint32_t position = 0; position < UTF8_POSITIONS; position++) {
			if (!(occurs[q] >> position & 1)) continue;
			vec_clear(&p.key);
			vec_push(&p.key, q);
			vec_push(&p.key, position);
			pending_node(&p);
			vec_push(&state_of, q);
		}
	bool ok = true;
	for (uint32_t node = 0; node < p.nodes.entries.n && ok; node++) {
		for (uint32_t i = 0; i < p.bytes.n; i++) step_pending(&p, node, p.bytes.at[i]);
		ok = re_within_work(c, p.arcs.to.n);
	}
	uint32_t n = p.nodes.entries.n;
	uint8_t *fails = mem_calloc(n + 1, 1);
	for (uint32_t i = 0; i < p.failed.n; i++) fails[p.failed.at[i]] = 1;
	for (bool changed = ok; changed;) {
		changed = false;
		for (uint32_t i = p.arcs.to.n; i-- > 0;)
			if (fails[p.arcs.to.at[i]] && !fails[p.arcs.from.at[i]]) fails[p.arcs.from.at[i]] = 1, changed = true;
	}
	memset(a->unfailable, 1, a->n_states);
	for (uint32_t i = 0; i < state_of.n; i++)
		if (fails[i]) a->unfailable[state_of.at[i]] = 0;
	free(fails), free(occurs), free(at_once);
	intern_release(&p.nodes);
	vec_release(&p.arcs.from), vec_release(&p.arcs.to);
	vec_release(&none.from), vec_release(&none.to);
	vec_release(&p.failed), vec_release(&p.key), vec_release(&state_of);
	return ok;
}

bool dfa_find_unfailable(struct re_ctx *c, struct byte_dfa *a)
{
	if (c->t->among_control) {
		memset(a->unfailable, 0, a->n_states);  // a control token makes any lexeme fail
		return true;
	}
	if (a->follow) return with_follow(c, a);
	without_follow(a);
	return true;
}
