// The stack-reading automaton made small.
//
// In:  raw nodes. Out: t->nodes, t->edges, renamed starts, worst cases.
// 1. Nodes from which nothing more can be allowed become node 0.
// 2. A node whose edges all say the same and lead nowhere needs no reading: its tokens move up to whoever leads to it.
// 3. Where it stays small, nodes carry what was allowed on the way, so that one set at the end of the walk is the whole
//    mask: one row to copy instead of several to unite. For whole languages it does not stay small and is left out.
// 4. Partition refinement (base/refine.h) merges nodes with equal skips and edges. Numbers follow the order of the
// starts. Cost: rounds x edges.
#include "automaton.h"

#include "../base/refine.h"

// The edges of one node after the other.
struct edge_reader {
	const raw_nodes *nodes;
	struct table_edge *at;  // [lr_states] by frame
	bits *has;              // [lr_states] frames that have one
	const bits *is_met;     // [nodes] starts lead to it
	uint32_t words;
	VEC(struct table_edge) edges;  // ascending by frame
};

static void reader_init(struct edge_reader *r, const raw_nodes *nodes, uint32_t n_lr_states)
{
	*r = (struct edge_reader){.nodes = nodes, .words = BITS_WORDS(n_lr_states)};
	r->at = mem_calloc(n_lr_states, sizeof *r->at);
	r->has = mem_calloc(r->words, sizeof *r->has);
	vec_reserve(&r->edges, n_lr_states);
}

static void reader_release(struct edge_reader *r)
{
	free(r->at);
	free(r->has);
	vec_release(&r->edges);
}

// A frame has at most one edge, so each is put where it belongs.
static void read_edges(struct edge_reader *r, uint32_t node)
{
	const struct raw_node *x = &r->nodes->at[node];
	const uint16_t *frame = x->frames.at;
	memset(r->has, 0, r->words * sizeof *r->has);
	for (uint32_t k = 0; k < x->targets.n; k++)
		for (uint32_t i = 0; i < x->targets.at[k].n; i++, frame++) {
			ASSERT(!bits_test(r->has, *frame));
			bits_set(r->has, *frame);
			r->at[*frame] = (struct table_edge){*frame, x->targets.at[k].tokens, x->targets.at[k].next};
		}
	vec_clear(&r->edges);
	struct table_edge *to = r->edges.at;
	for (uint32_t w = 0; w < r->words; w++)
		for (bits left = r->has[w]; left; left &= left - 1) *to++ = r->at[w * 64 + (uint32_t)__builtin_ctzll(left)];
	r->edges.n = (uint32_t)(to - r->edges.at);
}

// Who leads to a node: edges turned round.
struct leads {
	uint32_t *first;  // [nodes + 1] into from
	uint32_t *from;   // nodes, one for each target
};

static struct leads leads_of(const raw_nodes *nodes)
{
	struct leads x = {.first = mem_calloc(nodes->n + 2, sizeof *x.first)};
	for (uint32_t n = 1; n < nodes->n; n++)
		for (uint32_t e = 0; e < nodes->at[n].targets.n; e++) x.first[nodes->at[n].targets.at[e].next + 2]++;
	for (uint32_t n = 2; n < nodes->n + 2; n++) x.first[n] += x.first[n - 1];
	x.from = mem_alloc((x.first[nodes->n + 1] + 1) * sizeof *x.from);
	for (uint32_t n = 1; n < nodes->n; n++)
		for (uint32_t e = 0; e < nodes->at[n].targets.n; e++)
			x.from[x.first[nodes->at[n].targets.at[e].next + 1]++] = n;
	return x;
}

static void leads_release(struct leads *x)
{
	free(x->first);
	free(x->from);
}

// From the nodes that allow something, backwards. hope: [nodes] all 0; then 1 where something can come.
static void drop_hopeless(raw_nodes *nodes, const struct leads *leads, uint8_t *hope, struct tables *t)
{
	VEC(uint32_t) work = {0};
	for (uint32_t n = 1; n < nodes->n; n++)
		for (uint32_t e = 0; e < nodes->at[n].targets.n && !hope[n]; e++)
			if (nodes->at[n].targets.at[e].tokens != SET_EMPTY) hope[n] = 1, vec_push(&work, n);
	while (work.n) {
		uint32_t n = vec_pop(&work);
		for (uint32_t i = leads->first[n]; i < leads->first[n + 1]; i++)
			if (!hope[leads->from[i]]) hope[leads->from[i]] = 1, vec_push(&work, leads->from[i]);
	}
	vec_release(&work);
	for (uint32_t n = 1; n < nodes->n; n++)
		for (uint32_t e = 0; e < nodes->at[n].targets.n; e++) {
			struct raw_target *x = &nodes->at[n].targets.at[e];
			if (!hope[x->next]) x->next = 0;
		}
	for (uint32_t i = 0; i < t->starts.n; i++)
		if (!hope[t->starts.at[i].node]) t->starts.at[i].node = 0;
}

static set_id add_tokens(struct tables *t, set_id a, set_id b)
{
	return tokensets_union(&t->sets, (set_id[]){a, b}, 2);
}

// The target is a flat node: it says what that says.
static void take_up(const raw_nodes *nodes, struct tables *t, struct raw_target *x)
{
	if (!x->next) return;
	x->tokens = add_tokens(t, x->tokens, nodes->at[x->next].targets.at[0].tokens);
	x->next = 0;
}

// Do all targets say the same, and lead nowhere?
static bool is_flat(const struct raw_node *x)
{
	bool same = x->targets.n != 0;
	for (uint32_t e = 0; e < x->targets.n && same; e++)
		same = x->targets.at[e].tokens == x->targets.at[0].tokens && x->targets.at[e].next == 0;
	return same;
}

// A node is looked at again once all that it leads to is flat. To nodes without hope nothing leads any more, though
// `leads` still says so.
static void push_up(raw_nodes *nodes, const struct leads *leads, const uint8_t *hope, struct tables *t)
{
	uint8_t *flat = mem_calloc(nodes->n, 1);
	uint32_t *onward = mem_calloc(nodes->n, sizeof *onward);  // [node] targets that are not known to be flat
	VEC(uint32_t) work = {0};
	for (uint32_t n = 1; n < nodes->n; n++) {
		if (!hope[n]) continue;
		for (uint32_t e = 0; e < nodes->at[n].targets.n; e++) onward[n] += nodes->at[n].targets.at[e].next != 0;
		if (is_flat(&nodes->at[n])) flat[n] = 1, vec_push(&work, n);
	}
	while (work.n) {
		uint32_t n = vec_pop(&work);
		for (uint32_t i = leads->first[n]; i < leads->first[n + 1]; i++) {
			uint32_t from = leads->from[i];
			if (--onward[from]) continue;
			for (uint32_t e = 0; e < nodes->at[from].targets.n; e++) take_up(nodes, t, &nodes->at[from].targets.at[e]);
			if (is_flat(&nodes->at[from])) flat[from] = 1, vec_push(&work, from);
		}
	}
	for (uint32_t n = 1; n < nodes->n; n++)
		for (uint32_t e = 0; e < nodes->at[n].targets.n; e++)
			if (flat[nodes->at[n].targets.at[e].next]) take_up(nodes, t, &nodes->at[n].targets.at[e]);
	vec_release(&work);
	for (uint32_t i = 0; i < t->starts.n; i++) {
		struct table_start *x = &t->starts.at[i];
		if (!flat[x->node]) continue;
		x->tokens = add_tokens(t, x->tokens, nodes->at[x->node].targets.at[0].tokens);
		x->node = 0;
	}
	free(flat);
	free(onward);
}

#define ACCUMULATE_MAX_NODES 4096u
#define ACCUMULATE_MAX_SETS 400u

// A node together with the tokens allowed before it.
struct loaded {
	uint32_t node;
	set_id before;
};

struct accumulation {
	struct intern keys;    // struct loaded -> new node - 1
	struct intern totals;  // whole masks met
	bool small;
	struct loaded last;  // asked last: neighbours are mostly equal
	uint32_t last_node;  // what stands for it
};

// The node that stands for (node, before), or 0 at the end of a walk, where `before` is the whole mask.
static uint32_t load_node(struct accumulation *a, uint32_t node, set_id before)
{
	if (node) return intern_add(&a->keys, &(struct loaded){node, before}, sizeof(struct loaded), NULL) + 1;
	intern_add(&a->totals, &before, sizeof before, NULL);
	a->small &= a->totals.entries.n <= ACCUMULATE_MAX_SETS;
	return 0;
}

static uint32_t load_start(struct accumulation *a, struct table_start x)
{
	if (x.node != a->last.node || x.tokens != a->last.before)
		a->last = (struct loaded){x.node, x.tokens}, a->last_node = load_node(a, x.node, x.tokens);
	return a->last_node;
}

static void accumulate(raw_nodes *nodes, struct tables *t)
{
	struct accumulation a = {.small = true, .last.node = UINT32_MAX};
	raw_nodes grown = {0};
	vec_push(&grown, (struct raw_node){0});
	for (uint32_t i = 0; i < t->starts.n && a.small; i++) load_start(&a, t->starts.at[i]);
	for (uint32_t n = 0; n < a.keys.entries.n && a.small; n++) {
		struct loaded x;
		memcpy(&x, intern_get(&a.keys, n, NULL), sizeof x);
		const struct raw_node *from = &nodes->at[x.node];
		struct raw_node y = {.skip = from->skip};
		for (uint32_t k = 0; k < from->targets.n && a.small; k++) {
			struct raw_target z = from->targets.at[k];
			set_id total = add_tokens(t, x.before, z.tokens);
			z.next = load_node(&a, z.next, total);
			z.tokens = z.next ? SET_EMPTY : total;
			vec_push(&y.targets, z);
		}
		for (uint32_t i = 0; i < from->frames.n && a.small; i++) vec_push(&y.frames, from->frames.at[i]);
		vec_push(&grown, y);
		a.small &= a.keys.entries.n <= ACCUMULATE_MAX_NODES;
	}
	for (uint32_t i = 0; i < t->starts.n && a.small; i++) {
		struct table_start *x = &t->starts.at[i];
		x->node = load_start(&a, *x);
		if (x->node) x->tokens = SET_EMPTY;
	}
	raw_nodes old = *nodes;
	if (a.small) *nodes = grown, grown = old;
	raw_nodes_release(&grown);
	intern_release(&a.keys);
	intern_release(&a.totals);
}

// Nodes that starts lead to: one in five only led to what has moved up.
static bits *find_met(const raw_nodes *nodes, const struct tables *t)
{
	bits *met = mem_calloc(BITS_WORDS(nodes->n), sizeof *met);
	VEC(uint32_t) work = {0};
	bits_set(met, 0);
	for (uint32_t i = 0; i < t->starts.n; i++) {
		const uint32_t node = t->starts.at[i].node;
		if (!bits_test(met, node)) bits_set(met, node), vec_push(&work, node);
	}
	while (work.n) {
		const struct raw_node *x = &nodes->at[vec_pop(&work)];
		for (uint32_t e = 0; e < x->targets.n; e++) {
			const uint32_t next = x->targets.at[e].next;
			if (!bits_test(met, next)) bits_set(met, next), vec_push(&work, next);
		}
	}
	vec_release(&work);
	return met;
}

static void describe(void *user, uint32_t node, struct refine_node *out)
{
	struct edge_reader *r = user;
	vec_push(&out->label, node == 0);  // "nothing more to read" is alone
	if (!bits_test(r->is_met, node)) return;
	read_edges(r, node);
	vec_push(&out->label, r->nodes->at[node].skip);
	const uint32_t n = r->edges.n;
	vec_reserve(&out->label, out->label.n + 2ull * n), vec_reserve(&out->successors, n);
	uint32_t *label = out->label.at + out->label.n, *successor = out->successors.at;
	for (uint32_t e = 0; e < n; e++) {
		*label++ = r->edges.at[e].frame, *label++ = r->edges.at[e].tokens;
		*successor++ = r->edges.at[e].next;
	}
	out->label.n += 2 * n, out->successors.n = n;
}

// Where edges lead to, and how often, in an open table that one node after the other uses.
struct target {
	uint32_t tokens, next, n, first;
};  // n: 0 is free; first: edge
typedef VEC(struct target) target_table;

// The edge that most frames have, of several the one with the first frame: it need not be stored for each of them.
static const struct table_edge *most_frequent(const struct edge_reader *x, target_table *t)
{
	static const struct table_edge none;
	uint32_t size = 8;
	while (size < 2 * x->edges.n) size *= 2;
	vec_reserve(t, size);
	memset(t->at, 0, size * sizeof *t->at);
	const struct target *best = NULL;
	for (uint32_t e = 0; e < x->edges.n; e++) {
		const struct table_edge *y = &x->edges.at[e];
		uint32_t i = (y->tokens * 0x9e3779b1u ^ y->next * 0x85ebca6bu) & (size - 1);
		while (t->at[i].n && (t->at[i].tokens != y->tokens || t->at[i].next != y->next)) i = (i + 1) & (size - 1);
		if (!t->at[i].n) t->at[i] = (struct target){y->tokens, y->next, 0, e};
		t->at[i].n++;
		if (!best || t->at[i].n > best->n || (t->at[i].n == best->n && t->at[i].first < best->first)) best = &t->at[i];
	}
	return best ? &x->edges.at[best->first] : &none;
}

// Nodes get their final numbers in the order in which starts, then edges, lead to them.
static void write_nodes(struct edge_reader *r, const uint32_t *class_of, uint32_t n_classes, struct tables *t)
{
	uint32_t *number = mem_calloc(n_classes, sizeof *number), *sample = mem_calloc(n_classes + 1, sizeof *sample);
	uint32_t n = 0;
	target_table targets = {0};
#define NUMBER(node)                                                                                                   \
	((node) == 0              ? 0                                                                                      \
	 : number[class_of[node]] ? number[class_of[node]]                                                                 \
	                          : (sample[++n] = (node), number[class_of[node]] = n))
	for (uint32_t i = 0; i < t->starts.n; i++) t->starts.at[i].node = NUMBER(t->starts.at[i].node);
	vec_push(&t->nodes, (struct table_node){0});
	for (uint32_t i = 1; i <= n; i++) {
		read_edges(r, sample[i]);
		const struct table_edge *usual = most_frequent(r, &targets);
		struct table_node y = {.skip = r->nodes->at[sample[i]].skip,
		                       .first_edge = t->edges.n,
		                       .tokens = usual->tokens,
		                       .next = NUMBER(usual->next)};
		for (uint32_t e = 0; e < r->edges.n; e++) {
			struct table_edge z = r->edges.at[e];
			z.next = NUMBER(z.next);
			if (z.tokens != y.tokens || z.next != y.next) vec_push(&t->edges, z);
		}
		y.n_edges = t->edges.n - y.first_edge;
		vec_push(&t->nodes, y);
	}
#undef NUMBER
	vec_release(&targets);
	free(number);
	free(sample);
}

// The default comes after the edges.
static struct table_edge edge_or_default(const struct tables *t, const struct table_node *x, uint32_t e)
{
	return e < x->n_edges ? t->edges.at[x->first_edge + e] : (struct table_edge){0, x->tokens, x->next};
}

// The longest way from each node, in frames and in sets; UINT32_MAX on a cycle. Depth-first with a stack of our own.
// Branches: a depth-first walk with its own stack: a node is new, on the way, or done.
static void find_worst_cases(struct tables *t)
{
	struct {
		uint32_t node, edge;
	} *stack = mem_calloc(t->nodes.n + 1, sizeof *stack);
	uint8_t *mark = mem_calloc(t->nodes.n, 1);  // 1 on the way, 2 done
	uint32_t *frames = mem_calloc(t->nodes.n, sizeof *frames), *sets = mem_calloc(t->nodes.n, sizeof *sets);
	bool cyclic = false;
	t->worst_frames = 1, t->worst_sets = 1;
	for (uint32_t root = 1; root < t->nodes.n && !cyclic; root++) {
		if (mark[root]) continue;
		uint32_t depth = 0;
		stack[0].node = root, stack[0].edge = 0, mark[root] = 1;
		while (depth != UINT32_MAX && !cyclic) {
			uint32_t n = stack[depth].node;
			const struct table_node *x = &t->nodes.at[n];
			if (stack[depth].edge > x->n_edges) {
				mark[n] = 2;
				for (uint32_t e = 0; e <= x->n_edges; e++) {
					struct table_edge y = edge_or_default(t, x, e);
					uint32_t f = x->skip + 1 + frames[y.next], s = (y.tokens != SET_EMPTY) + sets[y.next];
					if (f > frames[n]) frames[n] = f;
					if (s > sets[n]) sets[n] = s;
				}
				if (frames[n] + 1 > t->worst_frames) t->worst_frames = frames[n] + 1;
				if (sets[n] + 1 > t->worst_sets) t->worst_sets = sets[n] + 1;
				depth--;
				continue;
			}
			uint32_t next = edge_or_default(t, x, stack[depth].edge++).next;
			if (next == 0 || mark[next] == 2) continue;
			if (mark[next] == 1)
				cyclic = true;
			else
				mark[next] = 1, depth++, stack[depth].node = next, stack[depth].edge = 0;
		}
	}
	if (cyclic) t->worst_frames = t->worst_sets = UINT32_MAX;
	free(stack);
	free(mark);
	free(frames);
	free(sets);
}

void automaton_settle(raw_nodes *nodes, struct tables *t)
{
	uint8_t *hope = mem_calloc(nodes->n, 1);
	struct leads leads = leads_of(nodes);
	drop_hopeless(nodes, &leads, hope, t);
	push_up(nodes, &leads, hope, t);
	leads_release(&leads);
	free(hope);
	accumulate(nodes, t);
}

void automaton_merge(raw_nodes *nodes, uint32_t n_lr_states, struct tables *t)
{
	struct edge_reader r;
	reader_init(&r, nodes, n_lr_states);
	bits *met = find_met(nodes, t);
	r.is_met = met;
	uint32_t *class_of = mem_calloc(nodes->n, sizeof *class_of);
	uint32_t n_classes = refine_partition(nodes->n, describe, &r, class_of);
	write_nodes(&r, class_of, n_classes, t);
	free(class_of);
	free(met);
	reader_release(&r);
	raw_nodes_release(nodes);
	find_worst_cases(t);
}
