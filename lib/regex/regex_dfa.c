// Subset construction.
//
// In:  an NFA. Out: a DFA with byte ranges as edges, states numbered in the order found.
// A DFA state is the sorted list of items its threads stand at, and, when the pattern looks behind, the states
// of the lookbehinds' automata ("anything, then body"), which simply run alongside. An item is an NFA id or, when
// the pattern looks ahead, an interned pair of id and what is pending (regex_look.c). Per state only the bytes
// where some edge begins or ends are tried, so the middle of a UTF-8 sequence is cheap.
// Cost: counted in items visited; REGEX_MAX_WORK and REGEX_MAX_DFA end what would explode.
#include "../base/bitset.h"
#include "regex_internal.h"

struct thread {
	uint32_t pc, pending;
};

struct subset {
	struct re_ctx *c;
	const struct nfa *f;
	struct look_sets *looks;    // NULL: no lookarounds
	VEC(uint32_t) behind;       // the lookbehinds that f uses
	bits look_bounds[5];        // where edges of lookarounds' automata begin or end
	VEC(uint32_t) keys;         // per state: items, then behind states
	VEC(struct re_span) states; // into keys
	VEC(uint8_t) accept;
	VEC(struct re_span) edges_of;
	VEC(struct byte_edge) edges;
	struct re_index index;
	VEC(uint32_t) target; // the state being made
	VEC(struct thread) stack;
	VEC(uint32_t) mark; // instruction (or interned pair) -> generation
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

static bool look_behind_holds(const struct subset *s, uint32_t look, const uint32_t *behind)
{
	const struct re_look *k = &s->c->looks.at[look];
	bool found = false;
	for (uint32_t i = 0; i < s->behind.n; i++)
		if (s->behind.at[i] == look && behind[i] != DFA_DEAD) found = k->dfa->accept[behind[i]];
	return found != k->negative;
}

static void add_item(struct subset *s, uint32_t id, uint32_t pending)
{
	vec_push(&s->target, s->looks ? look_pair(s->looks, id, pending) : id);
}

// All items that instruction pc reaches without a byte, for a thread that owes `pending`.
static void close(struct subset *s, uint32_t pc, uint32_t pending, const uint32_t *behind)
{
	vec_push(&s->stack, ((struct thread){pc, pending}));
	while (s->stack.n) {
		struct thread t = vec_pop(&s->stack);
		s->work++;
		if (marked(s, s->looks ? look_pair(s->looks, s->f->ids.n + t.pc, t.pending) : t.pc)) continue;
		struct re_instr in = s->f->prog.at[t.pc];
		switch (in.op) {
		case OP_SPLIT:
			vec_push(&s->stack, ((struct thread){in.y, t.pending}));
			vec_push(&s->stack, ((struct thread){in.x, t.pending}));
			break;
		case OP_SET:
			add_item(s, in.y, t.pending);
			break;
		case OP_MATCH:
			if (!s->looks || look_end(s->looks, t.pending, &s->c->looks_past_end)) add_item(s, in.y, 0);
			break;
		case OP_LOOK: {
			const struct re_look *k = &s->c->looks.at[in.y];
			uint32_t now = t.pending;
			if (k->behind) now = look_behind_holds(s, in.y, behind) ? now : LOOK_FAIL;
			else now = look_begin(s->looks, t.pending, in.y);
			if (now != LOOK_FAIL) vec_push(&s->stack, ((struct thread){in.x, now}));
			break;
		}
		case OP_FAIL:
			break;
		}
	}
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static void sort_target(struct subset *s)
{
	uint32_t *at = s->target.at, n = s->target.n, unique = 0;
	bool sorted = true;
	for (uint32_t i = 1; i < n && sorted; i++) sorted = at[i - 1] < at[i];
	if (sorted) return;
	qsort(at, n, sizeof *at, by_number);
	for (uint32_t i = 0; i < n; i++)
		if (!i || at[i] != at[i - 1]) at[unique++] = at[i];
	s->target.n = unique;
}

static uint32_t item_id(const struct subset *s, uint32_t item, uint32_t *pending)
{
	uint32_t id = item;
	*pending = 0;
	if (s->looks) look_unpair(s->looks, item, &id, pending);
	return id;
}

// The state of the items in s->target: found, or made. DFA_DEAD when there are none.
static uint32_t find_state(struct subset *s, const uint32_t *behind, bool start)
{
	if (!s->target.n && !start) return DFA_DEAD;
	sort_target(s);
	uint32_t n_items = s->target.n;
	bool accept = false;
	for (uint32_t i = 0, pending; i < n_items; i++)
		accept |= s->f->ids.at[item_id(s, s->target.at[i], &pending)].accept;
	for (uint32_t i = 0; i < s->behind.n; i++) vec_push(&s->target, behind[i]);
	struct key_side side = {s, s->target.at, s->target.n};
	uint64_t hash = re_hash(s->target.at, s->target.n * sizeof *s->target.at);
	uint32_t fresh = s->states.n, found = re_index_get(&s->index, hash, same_key, &side, fresh);
	s->work += n_items;
	if (found != UINT32_MAX) return found;
	vec_push(&s->states, ((struct re_span){s->keys.n, s->target.n}));
	for (uint32_t i = 0; i < s->target.n; i++) vec_push(&s->keys, s->target.at[i]);
	vec_push(&s->accept, accept);
	return fresh;
}

static void add_bounds(bits *bounds, const struct byte_edge *e, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) bits_set(bounds, e[i].lo), bits_set(bounds, e[i].hi + 1u);
}

// The items that `item` reaches by `byte` go to s->target.
static void step_item(struct subset *s, uint32_t item, uint8_t byte, const uint32_t *behind)
{
	uint32_t pending, id = item_id(s, item, &pending);
	const struct nfa_id *x = &s->f->ids.at[id];
	const struct byte_edge *e = s->f->edges + x->edges.first;
	uint32_t lo = 0, hi = x->edges.n;
	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;
		if (e[mid].hi < byte) lo = mid + 1;
		else hi = mid;
	}
	if (lo == x->edges.n || e[lo].lo > byte) return;
	if (pending && (pending = look_step(s->looks, pending, byte)) == LOOK_FAIL) return;
	if (e[lo].to == RE_DONE) close(s, x->out, pending, behind);
	else add_item(s, x->base + e[lo].to, pending);
}

static void step_behind(const struct subset *s, const uint32_t *from, uint8_t byte, uint32_t *to)
{
	for (uint32_t i = 0; i < s->behind.n; i++)
		to[i] = from[i] == DFA_DEAD ? DFA_DEAD : sparse_step(s->c->looks.at[s->behind.at[i]].dfa, from[i], byte);
}

// All edges of state number q.
static void expand(struct subset *s, uint32_t q)
{
	struct re_span key = s->states.at[q];
	uint32_t n_items = key.n - s->behind.n, first_edge = s->edges.n;
	bits bounds[5] = {0};
	uint32_t before[REGEX_MAX_LOOKS], behind[REGEX_MAX_LOOKS];
	for (uint32_t i = 0; i < s->behind.n; i++) before[i] = s->keys.at[key.first + n_items + i];
	if (s->looks) memcpy(bounds, s->look_bounds, sizeof bounds);
	for (uint32_t i = 0, pending; i < n_items; i++) {
		struct re_span e = s->f->ids.at[item_id(s, s->keys.at[key.first + i], &pending)].edges;
		if (e.n) add_bounds(bounds, s->f->edges + e.first, e.n);
	}
	for (uint32_t lo = bits_next(bounds, 5, 0), next; lo < 256; lo = next) {
		next = bits_next(bounds, 5, lo + 1);
		if (next > 256) next = 256;
		vec_clear(&s->target);
		s->generation++;
		step_behind(s, before, (uint8_t)lo, behind);
		for (uint32_t i = 0; i < n_items; i++) step_item(s, s->keys.at[key.first + i], (uint8_t)lo, behind);
		s->work += n_items;
		uint32_t to = find_state(s, behind, false);
		if (to == DFA_DEAD) continue;
		struct byte_edge *last = s->edges.n > first_edge ? &s->edges.at[s->edges.n - 1] : NULL;
		if (last && last->to == to && last->hi + 1u == lo) last->hi = (uint8_t)(next - 1);
		else vec_push(&s->edges, ((struct byte_edge){to, (uint8_t)lo, (uint8_t)(next - 1)}));
	}
	vec_push(&s->edges_of, ((struct re_span){first_edge, s->edges.n - first_edge}));
}

static void begin(struct subset *s)
{
	uint32_t behind[REGEX_MAX_LOOKS] = {0};
	for (uint32_t i = 0; s->f->has_looks && i < s->f->prog.n; i++) {
		struct re_instr in = s->f->prog.at[i];
		if (in.op != OP_LOOK) continue;
		const struct re_look *k = &s->c->looks.at[in.y];
		add_bounds(s->look_bounds, k->dfa->edges, k->dfa->n_edges);
		if (!k->behind) continue;
		bool known = false;
		for (uint32_t b = 0; b < s->behind.n; b++) known |= s->behind.at[b] == in.y;
		if (known) continue;
		behind[s->behind.n] = k->dfa->n_states ? 0 : DFA_DEAD;
		vec_push(&s->behind, in.y);
	}
	if (s->f->has_looks) s->looks = look_sets_new(s->c);
	s->generation = 1;
	for (uint32_t i = 0; i < s->f->n_starts; i++) add_item(s, s->f->starts[i], 0);
	if (!s->f->n_starts) close(s, s->f->start, 0, behind);
	find_state(s, behind, true);
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
	else re_within_work(s->c, s->work + (s->looks ? look_sets_cost(s->looks) : 0));
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
	begin(&s);
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
			.accept = copy(&c->scratch, s.accept.at, s.accept.n, 1),
		};
	c->work += s.work + (s.looks ? look_sets_cost(s.looks) : 0);
	look_sets_free(s.looks);
	re_index_release(&s.index);
	vec_release(&s.behind);
	vec_release(&s.keys);
	vec_release(&s.states);
	vec_release(&s.accept);
	vec_release(&s.edges_of);
	vec_release(&s.edges);
	vec_release(&s.target);
	vec_release(&s.stack);
	vec_release(&s.mark);
	return ok;
}

bool dfa_unite(struct re_ctx *c, const struct sparse_dfa *parts, uint32_t n, struct sparse_dfa *out)
{
	struct nfa f = {0};
	VEC(struct byte_edge) edges = {0};
	VEC(uint32_t) starts = {0};
	for (uint32_t i = 0; i < n; i++) {
		uint32_t base = f.ids.n, first = edges.n;
		for (uint32_t e = 0; e < parts[i].n_edges; e++) vec_push(&edges, parts[i].edges[e]);
		for (uint32_t q = 0; q < parts[i].n_states; q++) {
			struct re_span of = parts[i].edges_of[q];
			of.first += first;
			vec_push(&f.ids, ((struct nfa_id){of, base, 0, parts[i].accept[q]}));
		}
		if (parts[i].n_states) vec_push(&starts, base);
	}
	f.edges = edges.at, f.starts = starts.at, f.n_starts = starts.n;
	bool ok = true;
	if (starts.n) ok = determinize(c, &f, out) && minimize(c, out);
	else *out = (struct sparse_dfa){0};
	nfa_release(&f);
	vec_release(&edges);
	vec_release(&starts);
	return ok;
}
