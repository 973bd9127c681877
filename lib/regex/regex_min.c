// The minimal DFA, in its one canonical form.
//
// In:  any DFA with partial transitions, perhaps several starts, accepting states of one or several kinds. Out: the
//      unique minimal trim DFA of its language, states numbered breadth-first from the starts in the order of bytes; so
//      equal languages give equal bytes.
// Trim first (reachable, and able to reach an accepting state). Then states that a cycle leads to, all at once:
// each round tells apart by one byte more those that are not alone yet (Moore 1956). Where that takes many
// rounds, as in long loops, by Valmari and Lehtinen's refinement of two partitions, of states and of transitions
// (STACS 2008; Valmari 2012, "Fast brief practical DFA minimization"). The others, from the last ones backwards,
// by what their edges lead to (Revuz 1992, "Minimisation of acyclic deterministic automata in linear time").
// Cost: MOST_WORK looks at each edge; then O(m log n) for m transitions, which are few as bytes that act alike
// are first merged. Of states that no cycle leads to linear in the edges.
#include "regex_internal.h"
#include "../base/intern.h"
#include "../shared/hash.h"
#include "../shared/search.h"

uint32_t sparse_step(const struct sparse_dfa *a, uint32_t s, uint8_t byte)
{
	const struct byte_edge *e = a->edges + a->edges_of[s].first;
	uint32_t i;
	LOWER_BOUND(i, 0, a->edges_of[s].n, e[i].hi < byte);
	return i < a->edges_of[s].n && e[i].lo <= byte ? e[i].to : DFA_DEAD;
}

// Elementary intervals: maximal runs of bytes that no edge tells apart.
static uint32_t intervals(const struct sparse_dfa *a, uint8_t of[256], uint8_t first[256])
{
	bits bounds[5] = {1};
	for (uint32_t s = 0; s < a->n_states; s++) {
		const struct byte_edge *e = a->edges + a->edges_of[s].first;
		for (uint32_t i = 0; i < a->edges_of[s].n; i++) bits_set(bounds, e[i].lo), bits_set(bounds, e[i].hi + 1u);
	}
	uint32_t n = 0;
	for (uint32_t b = 0; b < 256; b++) {
		if (bits_test(bounds, b)) first[n++] = (uint8_t)b;
		of[b] = (uint8_t)(n - 1);
	}
	return n;
}

#define PAIR_SLOTS 1024u

// Do the edges of a state cover only intervals that are alone in their classes? Then it tells no others apart.
static bool splits_nothing(const struct byte_edge *e, uint32_t n, const uint8_t interval_of[256],
                           const uint8_t class_of[256], const uint32_t size[256])
{
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = interval_of[e[k].lo]; i <= interval_of[e[k].hi]; i++)
			if (size[class_of[i]] > 1) return false;
	return true;
}

uint32_t dfa_byte_classes(const struct sparse_dfa *a, uint8_t class_of[256])
{
	uint8_t interval_of[256], first[256], class_now[256] = {0};
	uint32_t n = intervals(a, interval_of, first), n_classes = 1, row[256], size[256] = {n};
	struct {
		uint64_t key;
		uint32_t stamp;
		uint8_t value;
	} slot[PAIR_SLOTS];
	uint32_t slots = PAIR_SLOTS;  // as many as it takes: most automata have few intervals, and there are many of them
	while (slots > 4 * n) slots /= 2;
	memset(slot, 0, slots * sizeof *slot);
	// Refine state by state: two intervals stay together while every state sends both to the same place.
	for (uint32_t s = 0; s < a->n_states && n_classes < n; s++) {
		const struct byte_edge *e = a->edges + a->edges_of[s].first;
		if (splits_nothing(e, a->edges_of[s].n, interval_of, class_now, size)) continue;
		for (uint32_t i = 0; i < n; i++) row[i] = DFA_DEAD;
		for (uint32_t k = 0; k < a->edges_of[s].n; k++)
			for (uint32_t i = interval_of[e[k].lo]; i <= interval_of[e[k].hi]; i++) row[i] = e[k].to;
		n_classes = 0;
		for (uint32_t i = 0; i < n; i++) {
			uint64_t key = (uint64_t)row[i] << 8 | class_now[i];
			uint32_t h = (uint32_t)(hash_u64(key) >> 40) & (slots - 1);
			while (slot[h].stamp == s + 1 && slot[h].key != key) h = (h + 1) & (slots - 1);
			if (slot[h].stamp != s + 1) {
				slot[h].key = key, slot[h].stamp = s + 1;
				size[n_classes] = 0;
				slot[h].value = (uint8_t)n_classes++;
			}
			class_now[i] = slot[h].value;
			size[class_now[i]]++;
		}
	}
	for (uint32_t b = 0; b < 256; b++) class_of[b] = class_now[interval_of[b]];
	return n_classes;
}

// A partition of 0..n-1 into sets, refined by marking elements and splitting off what is marked.
struct partition {
	uint32_t n_sets;
	uint32_t *element, *location, *set_of;  // by place, by element, by element
	uint32_t *first, *past, *n_marked;      // by set
	uint32_t *touched, n_touched;
};

static void partition_init(struct partition *p, struct arena *a, uint32_t n)
{
	*p = (struct partition){.n_sets = n ? 1 : 0};
	uint32_t **arrays[] = {&p->element, &p->location, &p->set_of, &p->first, &p->past, &p->n_marked, &p->touched};
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) *arrays[i] = arena_array(a, (size_t)n + 1, 4);
	for (uint32_t i = 0; i < n; i++) p->element[i] = p->location[i] = i;
	p->past[0] = n;
}

static void mark(struct partition *p, uint32_t e)
{
	uint32_t s = p->set_of[e], i = p->location[e], j = p->first[s] + p->n_marked[s];
	p->element[i] = p->element[j];
	p->location[p->element[i]] = i;
	p->element[j] = e;
	p->location[e] = j;
	if (!p->n_marked[s]++) p->touched[p->n_touched++] = s;
}

static void split(struct partition *p)
{
	while (p->n_touched) {
		uint32_t s = p->touched[--p->n_touched], j = p->first[s] + p->n_marked[s], z = p->n_sets;
		if (j == p->past[s]) {
			p->n_marked[s] = 0;
			continue;
		}
		// The smaller half becomes the new set.
		if (p->n_marked[s] <= p->past[s] - j)
			p->first[z] = p->first[s], p->past[z] = p->first[s] = j;
		else
			p->past[z] = p->past[s], p->first[z] = p->past[s] = j;
		for (uint32_t i = p->first[z]; i < p->past[z]; i++) p->set_of[p->element[i]] = z;
		p->n_marked[s] = p->n_marked[z] = 0;
		p->n_sets++;
	}
}

struct transitions {
	uint32_t n;
	uint32_t *tail, *head;
	uint32_t label_first[257];  // sorted by label
	uint32_t n_labels;
};

// Incoming transitions of each state: in[first[q] .. first[q + 1]).
static void incoming(struct arena *a, const uint32_t *head, uint32_t n, uint32_t n_states, uint32_t **first,
                     uint32_t **in)
{
	*first = arena_array(a, (size_t)n_states + 2, 4);
	*in = arena_array(a, (size_t)n + 1, 4);
	for (uint32_t t = 0; t < n; t++) (*first)[head[t] + 1]++;
	for (uint32_t q = 0; q < n_states; q++) (*first)[q + 1] += (*first)[q];
	for (uint32_t t = n; t-- > 0;) (*in)[--(*first)[head[t] + 1]] = t;
	// The loop above moved first[q + 1] to where q's list begins.
	memmove(*first, *first + 1, n_states * sizeof **first);
	(*first)[n_states] = n;
}

// Marks in keep[] the states that are reachable and can reach an accepting one.
static void trim(struct arena *a, const struct sparse_dfa *d, uint8_t *keep)
{
	uint32_t n = d->n_states, m = 0, top = 0;
	uint32_t *stack = arena_array(a, (size_t)n + 1, 4);
	uint32_t *head = arena_array(a, (size_t)d->n_edges + 1, 4), *tail = arena_array(a, (size_t)d->n_edges + 1, 4);
	for (uint32_t v = 0; v < d->n_starts; v++) {
		uint32_t q = d->starts[v];
		if (q != DFA_DEAD && !keep[q]) keep[q] = 1, stack[top++] = q;
	}
	while (top) {
		uint32_t q = stack[--top];
		for (uint32_t i = 0; i < d->edges_of[q].n; i++) {
			uint32_t to = d->edges[d->edges_of[q].first + i].to;
			tail[m] = q, head[m++] = to;
			if (!keep[to]) keep[to] = 1, stack[top++] = to;
		}
	}
	uint32_t *first, *in;
	incoming(a, head, m, n, &first, &in);
	for (uint32_t q = 0; q < n; q++)
		if (keep[q] == 1 && d->accept[q]) keep[q] = 2, stack[top++] = q;
	while (top) {
		uint32_t q = stack[--top];
		for (uint32_t i = first[q]; i < first[q + 1]; i++)
			if (keep[tail[in[i]]] == 1) keep[tail[in[i]]] = 2, stack[top++] = tail[in[i]];
	}
	for (uint32_t q = 0; q < n; q++) keep[q] = keep[q] == 2;
}

// Removes the states that keep[] leaves out, and edges to them.
static void compact(struct arena *a, struct sparse_dfa *d, const uint8_t *keep)
{
	uint32_t *number = arena_array(a, (size_t)d->n_states + 1, 4), n = 0, m = 0;
	for (uint32_t q = 0; q < d->n_states; q++)
		if (keep[q]) number[q] = n++;
	struct sparse_dfa out = {.n_states = n, .n_starts = d->n_starts, .uses_behind = d->uses_behind};
	out.starts = arena_array(a, d->n_starts, sizeof *out.starts);
	for (uint32_t v = 0; v < d->n_starts; v++)
		out.starts[v] = d->starts[v] != DFA_DEAD && keep[d->starts[v]] ? number[d->starts[v]] : DFA_DEAD;
	out.edges_of = arena_array(a, (size_t)n + 1, sizeof *out.edges_of);
	out.edges = arena_array(a, (size_t)d->n_edges + 1, sizeof *out.edges);
	out.accept = arena_array(a, (size_t)n + 1, sizeof *out.accept);
	for (uint32_t q = 0; q < d->n_states; q++) {
		if (!keep[q]) continue;
		uint32_t k = number[q], first = m;
		out.accept[k] = d->accept[q];
		for (uint32_t i = 0; i < d->edges_of[q].n; i++) {
			struct byte_edge e = d->edges[d->edges_of[q].first + i];
			if (!keep[e.to]) continue;
			e.to = number[e.to];
			out.edges[m++] = e;
		}
		out.edges_of[k] = (struct re_span){first, m - first};
	}
	out.n_edges = m;
	*d = out;
}

static bool list_transitions(struct re_ctx *c, struct arena *a, const struct sparse_dfa *d, struct transitions *t)
{
	uint8_t class_of[256], first[256];  // bytes that are the first of their class, ascending
	bool seen[256] = {0};
	uint32_t below[257] = {0};  // [byte] how many of them are less
	t->n_labels = dfa_byte_classes(d, class_of);
	for (uint32_t b = 0; b < 256; b++) {
		below[b + 1] = below[b];
		if (!seen[class_of[b]]) seen[class_of[b]] = true, first[below[b + 1]++] = (uint8_t)b;
	}
	uint64_t n = 0;
	uint32_t count[257] = {0};
	for (uint32_t pass = 0; pass < 2; pass++) {
		for (uint32_t q = 0; q < d->n_states; q++) {
			for (uint32_t i = 0; i < d->edges_of[q].n; i++) {
				struct byte_edge e = d->edges[d->edges_of[q].first + i];
				for (uint32_t k = below[e.lo]; k < below[e.hi + 1u]; k++) {
					const uint32_t label = class_of[first[k]];
					if (pass == 0)
						n++, count[label]++;
					else
						t->tail[count[label]] = q, t->head[count[label]++] = e.to;
				}
			}
		}
		if (pass) break;
		if (n > REGEX_MAX_TRANSITIONS) {
			re_error(c, c->whole,
			         "this terminal's automaton has more than REGEX_MAX_TRANSITIONS (%u) transitions: lower the "
			         "bounds of its repetitions or simplify its alternatives",
			         REGEX_MAX_TRANSITIONS);
			return false;
		}
		if (!re_within_work(c, n)) return false;
		c->work += n;
		t->n = (uint32_t)n;
		t->tail = arena_array(a, n + 1, 4), t->head = arena_array(a, n + 1, 4);
		uint32_t at = 0;
		for (uint32_t l = 0; l < t->n_labels; l++) {
			t->label_first[l] = at;
			at += count[l];
			count[l] = t->label_first[l];
		}
		t->label_first[t->n_labels] = at;
	}
	return true;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

// One set for each kind of acceptance.
static void split_by_acceptance(struct arena *a, const struct sparse_dfa *d, struct partition *states)
{
	uint64_t *others = arena_array(a, d->n_states, sizeof *others);  // acceptance << 32 | state
	uint32_t n = 0;
	for (uint32_t q = 0; q < d->n_states; q++) {
		if (d->accept[q] == FOLLOW_ANY)
			mark(states, q);
		else if (d->accept[q])
			others[n++] = (uint64_t)d->accept[q] << 32 | q;
	}
	split(states);
	if (n) qsort(others, n, sizeof *others, by_value);
	for (uint32_t i = 0; i < n; i++) {
		mark(states, (uint32_t)others[i]);
		if (i + 1 == n || others[i] >> 32 != others[i + 1] >> 32) split(states);
	}
}

// Refines `states` until members of one set have the same future.
static void refine(struct arena *a, const struct sparse_dfa *d, const struct transitions *t, struct partition *states)
{
	struct partition moves;
	partition_init(states, a, d->n_states);
	split_by_acceptance(a, d, states);
	partition_init(&moves, a, t->n);
	moves.n_sets = 0;
	for (uint32_t l = 0; l < t->n_labels; l++) {
		if (t->label_first[l] == t->label_first[l + 1]) continue;
		uint32_t z = moves.n_sets++;
		moves.first[z] = t->label_first[l], moves.past[z] = t->label_first[l + 1];
		for (uint32_t i = moves.first[z]; i < moves.past[z]; i++) moves.set_of[i] = z;
	}
	uint32_t *first, *in;
	incoming(a, t->head, t->n, d->n_states, &first, &in);
	for (uint32_t b = 1, m = 0; m < moves.n_sets; m++) {
		for (uint32_t i = moves.first[m]; i < moves.past[m]; i++) mark(states, t->tail[moves.element[i]]);
		split(states);
		for (; b < states->n_sets; b++) {
			for (uint32_t i = states->first[b]; i < states->past[b]; i++) {
				uint32_t q = states->element[i];
				for (uint32_t k = first[q]; k < first[q + 1]; k++) mark(&moves, in[k]);
			}
			split(&moves);
		}
	}
}

// Which states are the same one.
struct classes {
	uint32_t n_sets, *set_of;  // [states]
};

// The states that no cycle leads to, each before those that its edges lead to; how many. They get left[] 0.
static uint32_t list_acyclic(const struct sparse_dfa *d, uint32_t *order, uint32_t *left)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < d->n_edges; i++) left[d->edges[i].to]++;
	for (uint32_t q = 0; q < d->n_states; q++)
		if (!left[q]) order[n++] = q;
	for (uint32_t i = 0; i < n; i++) {
		const struct re_span e = d->edges_of[order[i]];
		for (uint32_t k = e.first; k < e.first + e.n; k++)
			if (!--left[d->edges[k].to]) order[n++] = d->edges[k].to;
	}
	return n;
}

// How a state accepts, then the sets that its edges lead to and their bytes; neighbours that lead to one are one.
static uint32_t describe(const struct sparse_dfa *d, uint32_t q, const uint32_t *set_of, uint32_t *out)
{
	uint32_t n = 0;
	out[n++] = d->accept[q];
	for (uint32_t i = d->edges_of[q].first; i < d->edges_of[q].first + d->edges_of[q].n; i++) {
		const struct byte_edge e = d->edges[i];
		if (n > 1 && out[n - 2] == set_of[e.to] && out[n - 1] % 256 + 1 == e.lo)
			out[n - 1] += (uint32_t)e.hi + 1 - e.lo;
		else
			out[n++] = set_of[e.to], out[n++] = (uint32_t)e.lo << 8 | e.hi;
	}
	return n;
}

#define MOST_WORK 8u  // descriptions of all states: most automata need fewer

// States that are told apart round by round, by what they do with one byte more.
struct rounds {
	const struct sparse_dfa *d;
	struct classes *out;
	uint32_t *todo, n_todo;  // states that are not alone in their sets
	uint32_t *size, *next;   // of each set; of each state, its set behind this round
	uint32_t *some, *round;  // of each set a state, and when it was last kept
	uint64_t *slot;          // of hashes: [n_slots], 0: free
	uint32_t *number, n_slots;
	uint64_t work;  // edges
};

static struct rounds begin_rounds(struct arena *a, const struct sparse_dfa *d, struct classes *out)
{
	const size_t n = (size_t)d->n_states + 1;
	struct rounds x = {.d = d, .out = out, .n_slots = 4};
	while (x.n_slots < 2 * n) x.n_slots *= 2;
	uint32_t **arrays[] = {&x.todo, &x.size, &x.next, &x.some, &x.round, &out->set_of};
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) *arrays[i] = arena_array(a, n, 4);
	x.slot = arena_array(a, x.n_slots, sizeof *x.slot), x.number = arena_array(a, x.n_slots, 4);
	for (uint32_t q = 0; q < d->n_states; q++) x.todo[x.n_todo++] = q;
	out->n_sets = 1;
	return x;
}

// One round. False: no set has become two.
static bool tell_apart(struct rounds *x, uint32_t round)
{
	uint32_t key[1 + 2 * 256], n = 0;
	struct classes *sets = x->out;
	const uint32_t before = sets->n_sets;
	memset(x->slot, 0, x->n_slots * sizeof *x->slot);
	for (uint32_t i = 0; i < x->n_todo; i++) {
		const uint32_t q = x->todo[i], set = sets->set_of[q], len = describe(x->d, q, sets->set_of, key);
		const uint64_t hash = hash_u64(re_hash(key, len * sizeof *key) + set) | 1;
		uint32_t at = (uint32_t)(hash >> 32) & (x->n_slots - 1);
		while (x->slot[at] && x->slot[at] != hash) at = (at + 1) & (x->n_slots - 1);
		if (!x->slot[at]) x->slot[at] = hash, x->number[at] = x->round[set] == round ? sets->n_sets++ : set;
		x->round[set] = round;
		x->next[q] = x->number[at];
		x->work += x->d->edges_of[q].n + 1;
	}
	for (uint32_t i = 0; i < x->n_todo; i++) x->size[x->next[x->todo[i]]] = 0;
	for (uint32_t i = 0; i < x->n_todo; i++) {
		const uint32_t q = x->todo[i], set = sets->set_of[q] = x->next[q];
		if (!x->size[set]++) x->some[set] = q;
	}
	for (uint32_t i = 0; i < x->n_todo; i++)
		if (x->size[sets->set_of[x->todo[i]]] > 1) x->todo[n++] = x->todo[i];
	x->n_todo = n;
	return sets->n_sets > before;
}

// Are the states of each set described alike? Hashes that are equal by chance would not tell.
static bool are_alike(const struct rounds *x)
{
	uint32_t key[1 + 2 * 256], other[1 + 2 * 256];
	for (uint32_t i = 0; i < x->n_todo; i++) {
		const uint32_t q = x->todo[i], some = x->some[x->out->set_of[q]], n = describe(x->d, q, x->out->set_of, key);
		if (some != q && (n != describe(x->d, some, x->out->set_of, other) || memcmp(key, other, n * sizeof *key)))
			return false;
	}
	return true;
}

// All states at once (Moore 1956), as long as that does not take too much. False: it does.
static bool refine_at_once(struct arena *a, const struct sparse_dfa *d, struct classes *out)
{
	struct rounds x = begin_rounds(a, d, out);
	for (uint32_t round = 1; x.n_todo && x.work <= (uint64_t)MOST_WORK * (d->n_edges + d->n_states); round++)
		if (!tell_apart(&x, round)) return are_alike(&x);
	return !x.n_todo;
}

// Sets of the states that keep[] has; some[]: one of each set. What they lead to is among them.
static bool refine_cyclic(struct re_ctx *c, struct arena *a, const struct sparse_dfa *d, const uint8_t *keep,
                          struct classes *out, uint32_t *some)
{
	struct sparse_dfa part = *d;
	struct transitions t = {0};
	struct partition states;
	struct classes found;
	compact(a, &part, keep);
	if (!re_within_work(c, part.n_edges)) return false;
	c->work += part.n_edges;
	if (!refine_at_once(a, &part, &found)) {
		if (!list_transitions(c, a, &part, &t)) return false;
		refine(a, &part, &t, &states);
		found = (struct classes){states.n_sets, states.set_of};
	}
	out->n_sets = found.n_sets;
	for (uint32_t q = 0, k = 0; q < d->n_states; q++)
		if (keep[q]) out->set_of[q] = found.set_of[k++], some[out->set_of[q]] = q;
	return true;
}

static bool classify(struct re_ctx *c, struct arena *a, const struct sparse_dfa *d, struct classes *out)
{
	uint32_t *order = arena_array(a, (size_t)d->n_states + 1, 4), *left = arena_array(a, (size_t)d->n_states + 1, 4);
	uint32_t *some = arena_array(a, (size_t)d->n_states + 1, 4), key[1 + 2 * 256];
	uint8_t *keep = arena_array(a, (size_t)d->n_states + 1, 1);
	const uint32_t n = list_acyclic(d, order, left);
	*out = (struct classes){0, arena_array(a, (size_t)d->n_states + 1, 4)};
	for (uint32_t q = 0; q < d->n_states; q++) keep[q] = left[q] != 0;
	if (n < d->n_states && !refine_cyclic(c, a, d, keep, out, some)) return false;
	if (!n) return true;
	if (!re_within_work(c, d->n_edges)) return false;
	c->work += d->n_edges;
	struct intern sets = {0};
	for (uint32_t z = 0; z < out->n_sets; z++) intern_add(&sets, key, describe(d, some[z], out->set_of, key) * 4, NULL);
	for (uint32_t i = n; i-- > 0;)
		out->set_of[order[i]] = intern_add(&sets, key, describe(d, order[i], out->set_of, key) * 4, NULL);
	out->n_sets = sets.entries.n;
	intern_release(&sets);
	return true;
}

// One state per set of the partition, numbered breadth-first by bytes.
static void quotient(struct arena *a, struct sparse_dfa *d, const struct classes *p)
{
	uint32_t n = 0, m = 0, *number = arena_array(a, (size_t)p->n_sets + 1, 4);
	uint32_t *order = arena_array(a, (size_t)p->n_sets + 1, 4);  // representatives, by number
	struct sparse_dfa out = {.n_states = p->n_sets, .n_starts = d->n_starts, .uses_behind = d->uses_behind};
	out.starts = arena_array(a, d->n_starts, sizeof *out.starts);
	out.edges_of = arena_array(a, (size_t)p->n_sets + 1, sizeof *out.edges_of);
	out.edges = arena_array(a, (size_t)d->n_edges + 1, sizeof *out.edges);
	out.accept = arena_array(a, (size_t)p->n_sets + 1, sizeof *out.accept);
	memset(number, 0xFF, p->n_sets * sizeof *number);
	for (uint32_t v = 0; v < d->n_starts; v++) {
		out.starts[v] = DFA_DEAD;
		if (d->starts[v] == DFA_DEAD) continue;
		uint32_t set = p->set_of[d->starts[v]];
		if (number[set] == UINT32_MAX) number[set] = n, order[n++] = d->starts[v];
		out.starts[v] = number[set];
	}
	for (uint32_t q = 0; q < n; q++) {
		uint32_t old = order[q], first_edge = m;
		out.accept[q] = d->accept[old];
		for (uint32_t i = 0; i < d->edges_of[old].n; i++) {
			struct byte_edge e = d->edges[d->edges_of[old].first + i];
			uint32_t set = p->set_of[e.to];
			if (number[set] == UINT32_MAX) number[set] = n, order[n++] = e.to;
			e.to = number[set];
			struct byte_edge *last = m > first_edge ? &out.edges[m - 1] : NULL;
			if (last && last->to == e.to && last->hi + 1 == e.lo)
				last->hi = e.hi;
			else
				out.edges[m++] = e;
		}
		out.edges_of[q] = (struct re_span){first_edge, m - first_edge};
	}
	out.n_edges = m;
	*d = out;
}

bool minimize(struct re_ctx *c, struct sparse_dfa *d)
{
	if (!d->n_states) return true;
	struct arena a = {0};
	uint8_t *keep = arena_array(&a, (size_t)d->n_states + 1, 1);
	trim(&a, d, keep);
	bool empty = true, ok = true;
	for (uint32_t q = 0; q < d->n_states; q++) empty &= !keep[q];
	struct sparse_dfa work = *d;
	if (!empty) {
		struct classes states;
		compact(&a, &work, keep);
		ok = classify(c, &a, &work, &states);
		if (ok) {
			quotient(&c->scratch, &work, &states);
			*d = work;
		}
	} else {
		*d = (struct sparse_dfa){0};
	}
	arena_release(&a);
	return ok;
}
