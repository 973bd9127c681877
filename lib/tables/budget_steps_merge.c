// Steps made small: equal nodes are one, the step that most frames of a node lead to is told once.
//
// In:  steps by class, nodes with an edge for each class of frames that can lie there.  Out: struct budget_steps.
// Nodes whose edges lead to the same steps, but for those to the commonest one, are one node; what becomes equal by
// that is found in the next pass, until nothing changes. Frames that cannot lie there do not count: a node's other
// step is right for all of its own frames that have no edge. Numbers are given in the order in which starts meet them,
// so neighbours are alike, which is what the file's codecs like.
// Cost: edges, once for each pass; as many passes as nodes follow one another, at most PASSES.
#include "budget_steps.h"

#include "../base/sort.h"
#include "../base/sort_records.h"

#define PASSES 64u

struct merger {
	const struct raw_steps *raw;
	uint32_t *edge_at;           // [n_nodes + 1]
	struct raw_edge *edge;       // by node, then by frame
	uint32_t *node_class;        // [n_nodes] a node that is the same
	uint32_t *other;             // [n_nodes] raw step
	uint32_t *step_class;        // [raw steps]
	uint32_t *step_node;         // [raw steps] where it leads, as its class says
	bool *has_moved;             // [raw steps] its class is another than in the pass before
	struct intern steps, nodes;  // struct raw_step with classes; (other, frame, step, ...)
	VEC(uint32_t) key, sorted;
	VEC(uint32_t) of_node;  // [signature] its node
	struct budget_steps *out;
	uint32_t *node_number, *step_number;  // STEPS_NONE: not yet
	uint32_t *list_at;                    // [part lists] first part
	uint32_t *ladder_number;              // [lists]
	VEC(uint32_t) todo;
};

static int compare_edge(const void *a, const void *b)
{
	const struct raw_edge *x = a, *y = b;
	return (x->frame > y->frame) - (x->frame < y->frame);
}
SORT_RECORDS(sort_edges_of_node, struct raw_edge, compare_edge)

static void sort_edges(struct merger *m)
{
	const struct raw_steps *raw = m->raw;
	m->edge_at = mem_calloc(raw->n_nodes + 2, sizeof *m->edge_at);
	m->edge = mem_calloc(raw->edges.n + 1, sizeof *m->edge);
	for (uint32_t i = 0; i < raw->edges.n; i++) m->edge_at[raw->edge_node.at[i] + 2]++;
	for (uint32_t k = 0; k < raw->n_nodes; k++) m->edge_at[k + 1] += m->edge_at[k];
	for (uint32_t i = 0; i < raw->edges.n; i++) m->edge[m->edge_at[raw->edge_node.at[i] + 1]++] = raw->edges.at[i];
	for (uint32_t k = 0; k < raw->n_nodes; k++)
		sort_edges_of_node(m->edge + m->edge_at[k], m->edge_at[k + 1] - m->edge_at[k]);
}

// The step that most of a node's edges lead to. Chosen once, before any nodes are one: what stands for it must be right
// for the frames of all nodes that become this one.
static uint32_t commonest(struct merger *m, uint32_t node)
{
	uint32_t best = 0, most = 0;
	vec_clear(&m->sorted);
	for (uint32_t i = m->edge_at[node]; i < m->edge_at[node + 1]; i++) vec_push(&m->sorted, m->edge[i].step);
	sort_u32(m->sorted.at, m->sorted.n);
	for (uint32_t i = 0, end; i < m->sorted.n; i = end) {
		for (end = i; end < m->sorted.n && m->sorted.at[end] == m->sorted.at[i];) end++;
		if (end - i > most) most = end - i, best = m->sorted.at[i];
	}
	return best;
}

static void sign(struct merger *m, uint32_t node)
{
	uint32_t other = m->step_class[m->other[node]];
	vec_clear(&m->key);
	vec_push(&m->key, other);
	for (uint32_t i = m->edge_at[node]; i < m->edge_at[node + 1]; i++) {
		uint32_t step = m->step_class[m->edge[i].step];
		if (step == other) continue;
		vec_push(&m->key, m->edge[i].frame);
		vec_push(&m->key, step);
	}
}

// Steps get the classes that nodes have now. Those that lead to a node which has become another move to another class.
static void classify_steps(struct merger *m)
{
	const struct raw_steps *raw = m->raw;
	for (uint32_t i = 0; i < raw->steps.entries.n; i++) {
		struct raw_step s;
		const uint32_t node = m->step_node[i];
		m->has_moved[i] = node != STEPS_NONE && m->node_class[node] != node;
		if (!m->has_moved[i]) continue;
		memcpy(&s, intern_get(&raw->steps, i, NULL), sizeof s);
		s.node = m->step_node[i] = m->node_class[node];
		m->step_class[i] = intern_add(&m->steps, &s, sizeof s, NULL);
	}
}

static void classify_first(struct merger *m)
{
	for (uint32_t i = 0; i < m->raw->steps.entries.n; i++) {
		struct raw_step s;
		memcpy(&s, intern_get(&m->raw->steps, i, NULL), sizeof s);
		m->step_node[i] = s.node;
		m->step_class[i] = intern_add(&m->steps, &s, sizeof s, NULL);
		m->has_moved[i] = true;
	}
}

static bool has_moved(const struct merger *m, uint32_t node)
{
	for (uint32_t i = m->edge_at[node]; i < m->edge_at[node + 1]; i++)
		if (m->has_moved[m->edge[i].step]) return true;
	return false;
}

// False: nothing has become equal. A node all of whose steps are where they were is told from others as before.
static bool merge_nodes(struct merger *m)
{
	bool merged = false;
	for (uint32_t k = 0; k < m->raw->n_nodes; k++) {
		bool is_new;
		if (m->edge_at[k] == m->edge_at[k + 1] || m->node_class[k] != k || !has_moved(m, k)) continue;
		sign(m, k);
		uint32_t number = intern_add(&m->nodes, m->key.at, m->key.n * sizeof *m->key.at, &is_new);
		if (is_new)
			vec_push(&m->of_node, k);
		else if (m->of_node.at[number] != k)
			m->node_class[k] = m->of_node.at[number], merged = true;
	}
	for (uint32_t k = 0; k < m->raw->n_nodes; k++) m->node_class[k] = m->node_class[m->node_class[k]];
	return merged;
}

// ---- What is left.
static uint32_t number_ladder(struct merger *m, uint32_t levels)
{
	struct budget_steps *out = m->out;
	uint32_t n, first = out->levels.n;
	const struct budget_level *l = intern_get(&m->raw->levels, levels, &n);
	if (m->ladder_number[levels] != STEPS_NONE) return m->ladder_number[levels];
	for (uint32_t i = 0; i < n / sizeof *l; i++) vec_push(&out->levels, l[i]);
	vec_push(&out->ladders, ((struct budget_ladder){first, out->levels.n - first}));
	return m->ladder_number[levels] = out->ladders.n - 1;
}

static uint32_t put_parts(struct merger *m, uint32_t list, uint32_t *n)
{
	const struct raw_part *parts = intern_get(&m->raw->part_lists, list, n);
	*n /= (uint32_t)sizeof *parts;
	if (m->list_at[list] != STEPS_NONE) return m->list_at[list];
	m->list_at[list] = m->out->parts.n;
	for (uint32_t i = 0; i < *n; i++) {
		const struct budget_step_part part = {parts[i].terms, parts[i].base, number_ladder(m, parts[i].levels)};
		vec_push(&m->out->parts, part);
	}
	return m->list_at[list];
}

static uint32_t number_node(struct merger *m, uint32_t node)
{
	node = m->node_class[node];
	if (m->node_number[node] != STEPS_NONE) return m->node_number[node];
	m->node_number[node] = m->out->nodes.n;
	vec_push(&m->out->nodes, ((struct budget_node){0}));
	vec_push(&m->todo, node);
	return m->node_number[node];
}

static uint32_t number_step(struct merger *m, uint32_t class)
{
	struct raw_step raw;
	if (m->step_number[class] != STEPS_NONE) return m->step_number[class];
	memcpy(&raw, intern_get(&m->steps, class, NULL), sizeof raw);
	struct budget_step step = {0, 0, STEPS_NONE, raw.skip};
	step.first_part = put_parts(m, raw.parts, &step.n_parts);
	if (raw.node != STEPS_NONE) step.node = number_node(m, raw.node);
	m->step_number[class] = m->out->steps.n;
	vec_push(&m->out->steps, step);
	return m->step_number[class];
}

static void put_nodes(struct merger *m)
{
	struct budget_steps *out = m->out;
	for (uint32_t next = 0; next < m->todo.n; next++) {
		uint32_t node = m->todo.at[next], at = m->node_number[node];
		sign(m, node);
		struct budget_node x = {out->edges.n, m->key.n / 2, number_step(m, m->key.at[0])};
		for (uint32_t i = 1; i < m->key.n; i += 2)
			vec_push(&out->edges, ((struct budget_edge){m->key.at[i], number_step(m, m->key.at[i + 1])}));
		out->nodes.at[at] = x;
	}
}

static uint32_t *none(uint32_t n)
{
	uint32_t *at = mem_alloc((n + 1) * sizeof *at);
	for (uint32_t i = 0; i <= n; i++) at[i] = STEPS_NONE;
	return at;
}

void budget_steps_merge(struct raw_steps *raw, uint32_t n_lex_states, uint32_t *start, struct budget_steps *out)
{
	struct merger m = {.raw = raw, .out = out};
	sort_edges(&m);
	m.node_class = mem_calloc(raw->n_nodes + 1, sizeof *m.node_class);
	m.step_class = mem_calloc(raw->steps.entries.n + 1, sizeof *m.step_class);
	m.step_node = mem_calloc(raw->steps.entries.n + 1, sizeof *m.step_node);
	m.has_moved = mem_calloc(raw->steps.entries.n + 1, sizeof *m.has_moved);
	m.other = mem_calloc(raw->n_nodes + 1, sizeof *m.other);
	for (uint32_t k = 0; k < raw->n_nodes; k++) m.node_class[k] = k, m.other[k] = commonest(&m, k);
	classify_first(&m);
	for (uint32_t pass = 0; pass < PASSES && merge_nodes(&m); pass++) classify_steps(&m);
	m.node_number = none(raw->n_nodes), m.step_number = none(m.steps.entries.n);
	m.list_at = none(raw->part_lists.entries.n);
	m.ladder_number = none(raw->levels.entries.n);
	vec_push(&out->steps, ((struct budget_step){0, 0, STEPS_NONE, 0}));
	for (uint32_t q = 0; q < n_lex_states; q++) {
		if (start[q] != STEPS_NONE && m.edge_at[start[q]] == m.edge_at[start[q] + 1]) start[q] = STEPS_NONE;
		if (start[q] != STEPS_NONE) start[q] = number_node(&m, start[q]);
	}
	put_nodes(&m);
	out->start = start;
	intern_release(&m.steps);
	intern_release(&m.nodes);
	vec_release(&m.key), vec_release(&m.sorted), vec_release(&m.of_node), vec_release(&m.todo);
	void *blocks[] = {m.other,       m.edge_at, m.edge,          m.node_class, m.step_class, m.node_number,
	                  m.step_number, m.list_at, m.ladder_number, m.step_node,  m.has_moved};
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
}
