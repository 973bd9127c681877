// Subset construction.
//
// In:  an NFA. Out: a DFA with byte ranges as edges, states numbered in the order found.
// A DFA state is the sorted list of items its threads stand at, and, when the pattern looks behind, the state of the
// observer (regex_behind.c), which simply runs alongside; there is one start for each of its states. An item is an NFA
// id or, when the pattern looks around, an interned pair of id and what is owed (regex_follow.c). Per state only the
// bytes where some edge begins or ends are tried, so the middle of a UTF-8 sequence is cheap.
// With priorities (the part of a terminal that ends as a backtracking engine would end it) items stay in the order of
// their priority, and a match ends those after it; those before it go on and win if they match (Pike's machine, Cox
// 2009). Cost: counted in items visited; REGEX_MAX_WORK and REGEX_MAX_DFA end what would explode.
#include "regex_internal.h"
#include "../base/sort.h"
#include "../shared/search.h"

struct thread {
	uint32_t pc, owed;
};

struct subset {
	struct re_ctx *c;
	const struct nfa *f;
	bool looks;                  // items are pairs
	uint32_t observed;           // what stands before the place at hand; 0 when nothing looks behind
	bits look_bounds[5];         // where edges of lookarounds' automata begin or end
	VEC(uint32_t) keys;          // per state: items, then the observer's state
	VEC(struct re_span) states;  // into keys
	VEC(uint32_t) accept;
	VEC(uint64_t) pairs;  // item -> id | owed << 32
	struct re_index pair_index;
	VEC(struct re_span) edges_of;
	VEC(struct byte_edge) edges;
	struct re_index index;
	VEC(uint32_t) target;      // the state being made
	VEC(uint32_t) ends;        // scratch: what must follow where an item ends
	VEC(bits) is_there;        // [item] scratch, all 0 in between
	VEC(struct thread) stack;  // the top comes first
	uint32_t blocked;          // ordered: what must follow for threads after a match to go on
	VEC(uint32_t) mark;        // instruction (or interned pair) -> generation
	VEC(uint32_t) latest;      // [place] of a chain, the copy that takes most
	uint32_t generation;
	uint64_t work;
};

struct key_side {
	const struct subset *s;
	const uint32_t *at;
	uint32_t n;
};

static bool same_key(const void *side, uint32_t number)
{
	const struct key_side *k = side;
	struct re_span x = k->s->states.at[number];
	return x.n == k->n && !memcmp(k->s->keys.at + x.first, k->at, k->n * sizeof *k->at);
}

static bool marked(struct subset *s, uint32_t i)
{
	while (i >= s->mark.n) vec_push(&s->mark, 0);
	if (s->mark.at[i] == s->generation) return true;
	s->mark.at[i] = s->generation;
	return false;
}

static bool same_pair(const void *side, uint32_t number)
{
	const struct key_side *k = side;
	return !memcmp(&k->s->pairs.at[number], k->at, sizeof(uint64_t));
}

static uint32_t pair(struct subset *s, uint32_t id, uint32_t owed)
{
	uint64_t both = id | (uint64_t)owed << 32;
	uint32_t key[2];
	memcpy(key, &both, sizeof key);
	struct key_side side = {s, key, 2};
	uint32_t found = re_index_get(&s->pair_index, re_hash(key, sizeof key), same_pair, &side, s->pairs.n);
	if (found != UINT32_MAX) return found;
	vec_push(&s->pairs, both);
	return s->pairs.n - 1;
}

static void add_item(struct subset *s, uint32_t id, uint32_t owed)
{
	if (s->f->ordered) {
		owed = follow_both(s->c, owed, s->blocked);
		if (owed == FOLLOW_NEVER) return;
		uint32_t own = s->f->ids.at[id].accept;
		if (own != FOLLOW_NEVER)
			s->blocked = follow_both(s->c, s->blocked, follow_not(s->c, follow_both(s->c, own, owed)));
	}
	vec_push(&s->target, s->looks ? pair(s, id, owed) : id);
}

static uint32_t look(struct subset *s, const struct re_instr *in, uint32_t owed)
{
	uint32_t k = in->y / 2;
	bool negative = in->y & 1;
	if (!s->c->looks.at[k].behind) return follow_both(s->c, owed, follow_begin(s->c, k, negative, s->observed));
	bool holds = s->observed != DFA_DEAD && s->c->observer.holds[s->observed] >> k & 1;
	return holds != negative ? owed : FOLLOW_NEVER;
}

static void add_thread(struct subset *s, uint32_t pc, uint32_t owed)
{
	if (owed != FOLLOW_NEVER) vec_push(&s->stack, ((struct thread){pc, owed}));
}

// A thread has got to `id`: it waits there for a byte, and may leave at once.
static void arrive(struct subset *s, uint32_t id, uint32_t owed)
{
	const struct nfa_id *x = &s->f->ids.at[id];
	if (x->edges.n) add_item(s, id, owed);
	if (x->leave != FOLLOW_NEVER) add_thread(s, x->out, follow_both(s->c, owed, x->leave));
}

// What lookarounds leave owed may differ on each way to an item, and there may be any number of ways. So the work is
// looked at within a state, too: past the limit nothing more is done, and within_limits names it.
static bool is_over(const struct subset *s) { return s->c->work + s->work + s->pairs.n > REGEX_MAX_WORK; }

// All items that the threads on the stack reach without a byte.
static void close(struct subset *s)
{
	while (s->stack.n) {
		struct thread t = vec_pop(&s->stack);
		s->work++;
		if (is_over(s)) vec_clear(&s->stack);
		if (marked(s, s->looks ? pair(s, s->f->ids.n + t.pc, t.owed) : t.pc)) continue;
		struct re_instr in = s->f->prog.at[t.pc];
		switch (in.op) {
		case OP_SPLIT:
			add_thread(s, in.y, t.owed);
			add_thread(s, in.x, t.owed);
			break;
		case OP_CUT: {
			uint32_t q = s->observed == DFA_DEAD ? DFA_DEAD : s->f->cuts.at[in.y]->starts[s->observed];
			if (q != DFA_DEAD) arrive(s, in.x + q, t.owed);
			break;
		}
		case OP_SET:
		case OP_MATCH: add_item(s, in.y, t.owed); break;
		case OP_LOOK: add_thread(s, in.x, look(s, &in, t.owed)); break;
		case OP_FAIL: break;
		}
	}
}

// Sorts the n items of s->target, without doubles, by a bit for each item below 64 * words. How many are left.
static uint32_t sort_by_bits(struct subset *s, uint32_t n, uint32_t words)
{
	uint32_t *at = s->target.at, unique = 0;
	while (s->is_there.n < words) vec_push(&s->is_there, 0);
	for (uint32_t i = 0; i < n; i++) bits_set(s->is_there.at, at[i]);
	for (uint32_t w = 0; w < words; w++) {
		for (bits x = s->is_there.at[w]; x; x &= x - 1) at[unique++] = w * 64 + (uint32_t)__builtin_ctzll(x);
		s->is_there.at[w] = 0;
	}
	return unique;
}

// Sorted, without doubles; where threads have priorities the first of equal ones stays where it is.
static void sort_target(struct subset *s)
{
	uint32_t *at = s->target.at, n = s->target.n, unique = 0, most = 0;
	if (s->f->ordered) {
		s->generation++;
		for (uint32_t i = 0; i < n; i++)
			if (!marked(s, at[i])) at[unique++] = at[i];
		s->target.n = unique;
		return;
	}
	bool sorted = true;
	for (uint32_t i = 1; i < n && sorted; i++) sorted = at[i - 1] < at[i];
	if (sorted) return;
	for (uint32_t i = 0; i < n; i++) most = at[i] > most ? at[i] : most;
	if (BITS_WORDS(most + 1) <= n) {
		s->target.n = sort_by_bits(s, n, BITS_WORDS(most + 1));
		return;
	}
	sort_u32(at, n);
	for (uint32_t i = 0; i < n; i++)
		if (!i || at[i] != at[i - 1]) at[unique++] = at[i];
	s->target.n = unique;
}

static uint32_t item_id(const struct subset *s, uint32_t item, uint32_t *owed)
{
	*owed = s->looks ? (uint32_t)(s->pairs.at[item] >> 32) : FOLLOW_ANY;
	return s->looks ? (uint32_t)s->pairs.at[item] : item;
}

// What must follow a lexeme that ends where these items are.
static uint32_t acceptance(struct subset *s, const uint32_t *items, uint32_t n)
{
	uint32_t f = FOLLOW_NEVER;
	vec_clear(&s->ends);
	for (uint32_t i = 0, owed; i < n && f != FOLLOW_ANY; i++) {
		uint32_t own = s->f->ids.at[item_id(s, items[i], &owed)].accept;
		if (own != FOLLOW_NEVER) f = follow_both(s->c, own, owed), vec_push(&s->ends, f);
	}
	return f == FOLLOW_ANY ? f : follow_either(s->c, s->ends.at, s->ends.n);
}

// Where any text may follow, all other items are left out but the one that ends here: they stand at the same place of a
// character, and take texts only. So what is found once is one state, however much of the pattern is on its way again.
static void keep_tail(struct subset *s)
{
	const struct nfa *f = s->f;
	uint32_t *at = s->target.at, n = 0, owed;
	bool has_tail = false;
	if (!f->n_tail || f->ordered) return;
	for (uint32_t i = 0; i < s->target.n; i++)
		has_tail |= item_id(s, at[i], &owed) - f->tail < f->n_tail && owed == FOLLOW_ANY;
	for (uint32_t i = 0; has_tail && i < s->target.n; i++) {
		const uint32_t id = item_id(s, at[i], &owed);
		if (owed == FOLLOW_ANY && (id - f->tail < f->n_tail || id == f->prog.at[f->match].y)) at[n++] = at[i];
	}
	if (has_tail) s->target.n = n;
}

// The copy of its chain in which an item is, and the place in it. Copies count from 1, the last takes most; 0: none.
static uint32_t copy_of(const struct subset *s, uint32_t id, uint32_t *place)
{
	const uint32_t c = s->f->ids.at[id].chain;
	if (!c) return 0;
	const struct nfa_chain *x = &s->f->chains.at[c - 1];
	*place = x->places + (id - x->first) % x->size;
	const uint32_t from_end = (id - x->first) / x->size;
	return x->is_last_most ? x->copies - from_end : from_end + 1;
}

// Of items at one place of a chain's copies those are left out that take no texts but what another one takes. So where
// x{1,256} may begin anew at each character there is one thread in it, not one for each number of characters; so is it
// with x{32} where any text may follow.
static void keep_latest(struct subset *s)
{
	uint32_t *at = s->target.at, n = 0, owed, place, copy;
	if (!s->f->chains.n || s->f->ordered || s->target.n < 2) return;
	while (s->latest.n < s->f->n_places) vec_push(&s->latest, 0);
	for (uint32_t i = 0; i < s->target.n; i++)
		if (copy_of(s, item_id(s, at[i], &owed), &place)) s->latest.at[place] = 0;
	for (uint32_t i = 0; i < s->target.n; i++) {
		copy = copy_of(s, item_id(s, at[i], &owed), &place);
		if (copy && owed == FOLLOW_ANY && copy > s->latest.at[place]) s->latest.at[place] = copy;
	}
	for (uint32_t i = 0; i < s->target.n; i++) {
		copy = copy_of(s, item_id(s, at[i], &owed), &place);
		if (!copy || copy >= s->latest.at[place]) at[n++] = at[i];
	}
	s->target.n = n;
}

// The state of the items in s->target: found, or made. DFA_DEAD when there are none.
static uint32_t find_state(struct subset *s)
{
	if (!s->target.n) return DFA_DEAD;
	keep_tail(s);
	keep_latest(s);
	sort_target(s);
	uint32_t n_items = s->target.n;
	if (s->f->uses_behind) vec_push(&s->target, s->observed);
	struct key_side side = {s, s->target.at, s->target.n};
	uint64_t hash = re_hash(s->target.at, s->target.n * sizeof *s->target.at);
	uint32_t fresh = s->states.n, found = re_index_get(&s->index, hash, same_key, &side, fresh);
	s->work += n_items;
	if (found != UINT32_MAX) return found;
	vec_push(&s->states, ((struct re_span){s->keys.n, s->target.n}));
	for (uint32_t i = 0; i < s->target.n; i++) vec_push(&s->keys, s->target.at[i]);
	uint32_t accept = acceptance(s, s->target.at, n_items);
	vec_push(&s->accept, accept);
	return fresh;
}

static void add_bounds(bits *bounds, const struct byte_edge *e, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) bits_set(bounds, e[i].lo), bits_set(bounds, e[i].hi + 1u);
}

void dfa_bounds(const struct sparse_dfa *a, bits bounds[5]) { add_bounds(bounds, a->edges, a->n_edges); }

// The items that `item` reaches by `byte` go to s->target.
static void step_item(struct subset *s, uint32_t item, uint8_t byte)
{
	uint32_t owed, id = item_id(s, item, &owed);
	const struct nfa_id *x = &s->f->ids.at[id];
	const struct byte_edge *e = s->f->edges + x->edges.first;
	uint32_t i;
	LOWER_BOUND(i, 0, x->edges.n, e[i].hi < byte);
	if (i == x->edges.n || e[i].lo > byte) return;
	if (owed != FOLLOW_ANY && (owed = follow_step(s->c, owed, byte)) == FOLLOW_NEVER) return;
	if (e[i].to == RE_DONE)
		add_thread(s, x->out, owed);
	else
		arrive(s, x->base + e[i].to, owed);
	close(s);
}

// All edges of state number q.
static void expand(struct subset *s, uint32_t q)
{
	struct re_span key = s->states.at[q];
	uint32_t n_items = key.n - s->f->uses_behind, first_edge = s->edges.n;
	uint32_t before = s->f->uses_behind ? s->keys.at[key.first + n_items] : 0;
	bits bounds[5] = {0};
	if (s->looks) memcpy(bounds, s->look_bounds, sizeof bounds);
	for (uint32_t i = 0, owed; i < n_items; i++) {
		struct re_span e = s->f->ids.at[item_id(s, s->keys.at[key.first + i], &owed)].edges;
		if (e.n) add_bounds(bounds, s->f->edges + e.first, e.n);
	}
	for (uint32_t lo = bits_next(bounds, 5, 0), next; lo < 256; lo = next) {
		next = bits_next(bounds, 5, lo + 1);
		if (next > 256) next = 256;
		vec_clear(&s->target);
		s->generation++, s->blocked = FOLLOW_ANY;
		if (s->f->uses_behind) s->observed = observer_step(&s->c->observer, before, (uint8_t)lo);
		for (uint32_t i = 0; i < n_items && !is_over(s); i++) step_item(s, s->keys.at[key.first + i], (uint8_t)lo);
		s->work += n_items;
		uint32_t to = find_state(s);
		if (to == DFA_DEAD) continue;
		struct byte_edge *last = s->edges.n > first_edge ? &s->edges.at[s->edges.n - 1] : NULL;
		if (last && last->to == to && last->hi + 1u == lo)
			last->hi = (uint8_t)(next - 1);
		else
			vec_push(&s->edges, ((struct byte_edge){to, (uint8_t)lo, (uint8_t)(next - 1)}));
	}
	vec_push(&s->edges_of, ((struct re_span){first_edge, s->edges.n - first_edge}));
}

// A start for each state of the observer, into starts[].
static void begin(struct subset *s, uint32_t *starts)
{
	const struct re_observer *o = &s->c->observer;
	s->looks = s->f->has_looks;
	for (uint32_t i = 0; s->looks && i < s->c->looks.n; i++)
		if (s->c->looks.at[i].dfa) dfa_bounds(s->c->looks.at[i].dfa, s->look_bounds);
	for (uint32_t v = 0; v < o->n; v++) {
		starts[v] = DFA_DEAD;
		if (v && !o->between[v]) continue;
		if (v && !s->f->uses_behind) {
			starts[v] = starts[0];
			continue;
		}
		vec_clear(&s->target);
		s->generation++, s->blocked = FOLLOW_ANY;
		s->observed = v;
		add_thread(s, s->f->start, FOLLOW_ANY);
		close(s);
		starts[v] = find_state(s);
	}
}

// Names the limit that was passed.
static bool within_limits(struct subset *s)
{
	static const char advice[] = "lower the bounds of its repetitions or simplify its alternatives";
	if (s->states.n > REGEX_MAX_DFA)
		re_error(s->c, s->c->whole, "this terminal's automaton has more than REGEX_MAX_DFA (%u) states: %s",
		         REGEX_MAX_DFA, advice);
	else if (s->keys.n > REGEX_MAX_ITEMS)
		re_error(s->c, s->c->whole, "this terminal's automaton needs more than REGEX_MAX_ITEMS (%u) entries: %s",
		         REGEX_MAX_ITEMS, advice);
	else
		re_within_work(s->c, s->work + s->pairs.n);
	return !s->c->failed;
}

static void *copy(struct arena *a, const void *from, size_t n, size_t size)
{
	void *to = arena_array(a, n + 1, size);
	if (n) memcpy(to, from, n * size);
	return to;
}

bool determinize(struct re_ctx *c, const struct nfa *f, struct sparse_dfa *out)
{
	struct subset s = {.c = c, .f = f};
	uint32_t *starts = arena_array(&c->scratch, c->observer.n, sizeof *starts);
	begin(&s, starts);
	bool ok = true;
	for (uint32_t q = 0; ok && q < s.states.n; q++) {
		expand(&s, q);
		ok = within_limits(&s);
	}
	if (ok)
		*out = (struct sparse_dfa){
			.n_states = s.states.n,
			.n_edges = s.edges.n,
			.edges_of = copy(&c->scratch, s.edges_of.at, s.edges_of.n, sizeof *s.edges_of.at),
			.edges = copy(&c->scratch, s.edges.at, s.edges.n, sizeof *s.edges.at),
			.accept = copy(&c->scratch, s.accept.at, s.accept.n, sizeof *s.accept.at),
			.starts = starts,
			.n_starts = c->observer.n,
			.uses_behind = f->uses_behind,
		};
	c->work += s.work + s.pairs.n;
	re_index_release(&s.index);
	re_index_release(&s.pair_index);
	vec_release(&s.pairs);
	vec_release(&s.keys);
	vec_release(&s.states);
	vec_release(&s.accept);
	vec_release(&s.edges_of);
	vec_release(&s.edges);
	vec_release(&s.target);
	vec_release(&s.ends);
	vec_release(&s.is_there);
	vec_release(&s.stack);
	vec_release(&s.mark);
	vec_release(&s.latest);
	return ok;
}
