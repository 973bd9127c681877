// DirectMerge: each merge of a table is done to the automaton of the language itself.
//
// In:  an automaton over first symbols, all of whose states are relevant; merges, ascending. Out: the automaton of the
// token sequences that merging makes of its texts. Algorithms 1 (a before another b) and 2 (a before a) of Tran-Thien,
// Fast, High-Fidelity LLM Decoding with Regex Constraints, 2024. Behind a state S with a way in by a and a way out by b
// the two become one edge ab, and S is split so that no b follows an a: S' takes the edges by a. With a = b runs of a
// count: states are first split by the parity of the run before them. What the paper leaves open, and what is right
// (the tests say so): the states are listed first and looked at again one by one; edges ab are there before "other
// edges" are asked for, and go to S', too; in Algorithm 2 all S' are made first, and lines 15 to 17 stand behind the
// loop over S_y. One merge after the other is what BPE does only where ranks ascend and no token is made twice;
// docs/how_canonical_works.md. Cost: a merge costs the edges by its two tokens, and by a = a the whole automaton.
#include "token_automaton.h"

#include "../../lib/base/bitset.h"
#include "../../lib/base/map64.h"

#define GONE (UINT64_MAX >> 1)  // as value of `edge_of`: there was one

struct edge {
	uint32_t from, token, to;
	bool is_gone;
};
typedef VEC(uint32_t) list;
struct node {
	list in, out;
	bool accepts;
};
struct machine {
	VEC(struct edge) edges;
	VEC(struct node) states;
	VEC(list) by_token;    // edges, gone ones among them
	struct map64 edge_of;  // state, token
	uint32_t start;
};

static uint32_t new_state(struct machine *m, bool accepts)
{
	vec_reserve(&m->states, m->states.n + 1ull);
	memset(&m->states.at[m->states.n], 0, sizeof *m->states.at);
	m->states.at[m->states.n].accepts = accepts;
	return m->states.n++;
}

static struct edge *find(const struct machine *m, uint32_t from, uint32_t token)
{
	uint64_t e = map64_get(&m->edge_of, (uint64_t)from << 32 | token);
	return e == MAP64_NONE || e == GONE ? NULL : &m->edges.at[e];
}

static void add(struct machine *m, uint32_t from, uint32_t token, uint32_t to)
{
	ASSERT(!find(m, from, token));
	struct edge e = {from, token, to, false};
	uint32_t id = m->edges.n;
	vec_push(&m->edges, e);
	while (m->by_token.n <= token) vec_push(&m->by_token, (list){0});
	vec_push(&m->by_token.at[token], id);
	vec_push(&m->states.at[from].out, id), vec_push(&m->states.at[to].in, id);
	map64_put(&m->edge_of, (uint64_t)from << 32 | token, id);
}

static void drop(struct machine *m, struct edge *e)
{
	e->is_gone = true;
	map64_put(&m->edge_of, (uint64_t)e->from << 32 | e->token, GONE);
}

// Leaves out what is gone.
static list *tidy(struct machine *m, list *l)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < l->n; i++)
		if (!m->edges.at[l->at[i]].is_gone) l->at[n++] = l->at[i];
	l->n = n;
	return l;
}

static bool has_other(struct machine *m, list *l, uint32_t token)
{
	tidy(m, l);
	for (uint32_t i = 0; i < l->n; i++)
		if (m->edges.at[l->at[i]].token != token) return true;
	return false;
}

// States with an edge by the token that comes in, into *out.
static void sources(struct machine *m, uint32_t s, uint32_t token, list *out)
{
	list *in = tidy(m, &m->states.at[s].in);
	vec_clear(out);
	for (uint32_t i = 0; i < in->n; i++)
		if (m->edges.at[in->at[i]].token == token) vec_push(out, m->edges.at[in->at[i]].from);
}

static void turn(struct machine *m, uint32_t from, uint32_t token, uint32_t to)
{
	drop(m, find(m, from, token));
	add(m, from, token, to);
}

// ProcessState.
static void process(struct machine *m, uint32_t s, uint32_t a, uint32_t b, uint32_t ab)
{
	list from = {0};
	const struct edge *out = find(m, s, b);
	sources(m, s, a, &from);
	if (out && from.n) {
		uint32_t s_b = out->to;
		for (uint32_t i = 0; i < from.n; i++) add(m, from.at[i], ab, s_b);
		bool is_reached = s == m->start || has_other(m, &m->states.at[s].in, a);
		bool leads_on = m->states.at[s].accepts || has_other(m, &m->states.at[s].out, b);
		if (is_reached && leads_on) {
			uint32_t copy = new_state(m, m->states.at[s].accepts);
			for (uint32_t i = 0; i < from.n; i++) turn(m, from.at[i], a, copy);
			list *l = tidy(m, &m->states.at[s].out);
			for (uint32_t i = 0, n = l->n; i < n; i++) {
				struct edge e = m->edges.at[m->states.at[s].out.at[i]];
				if (e.token != b) add(m, copy, e.token, e.to);
			}
		} else if (is_reached) {
			for (uint32_t i = 0; i < from.n; i++) drop(m, find(m, from.at[i], a));
		} else {
			drop(m, find(m, s, b));
			for (uint32_t i = 0; i < from.n && !leads_on; i++) drop(m, find(m, from.at[i], a));  // S goes
		}
	}
	vec_release(&from);
}

// States with a way in by a and a way out by b, each once.
static void list_affected(struct machine *m, uint32_t a, uint32_t b, list *out)
{
	struct map64 seen = {0};
	vec_clear(out);
	list *by_a = tidy(m, &m->by_token.at[a]);
	for (uint32_t i = 0; i < by_a->n; i++) {
		uint32_t s = m->edges.at[by_a->at[i]].to;
		if (!find(m, s, b) || map64_get(&seen, s) != MAP64_NONE) continue;
		map64_put(&seen, s, out->n);
		vec_push(out, s);
	}
	map64_release(&seen);
}

static void keep_relevant(struct machine *m)
{
	uint32_t n = m->states.n;
	uint8_t *mark = mem_calloc(n, 1);  // 1: reached, 2: leads to an end
	list todo = {0};
	vec_push(&todo, m->start);
	mark[m->start] = 1;
	while (todo.n) {
		list *out = tidy(m, &m->states.at[vec_pop(&todo)].out);
		for (uint32_t i = 0; i < out->n; i++) {
			uint32_t to = m->edges.at[out->at[i]].to;
			if (!mark[to]) mark[to] = 1, vec_push(&todo, to);
		}
	}
	for (uint32_t s = 0; s < n; s++)
		if (mark[s] && m->states.at[s].accepts) mark[s] |= 2, vec_push(&todo, s);
	while (todo.n) {
		list *in = tidy(m, &m->states.at[vec_pop(&todo)].in);
		for (uint32_t i = 0; i < in->n; i++) {
			uint32_t from = m->edges.at[in->at[i]].from;
			if (mark[from] == 1) mark[from] |= 2, vec_push(&todo, from);
		}
	}
	for (uint32_t i = 0; i < m->edges.n; i++) {
		struct edge *e = &m->edges.at[i];
		if (!e->is_gone && (mark[e->from] != 3 || mark[e->to] != 3)) drop(m, e);
	}
	free(mark);
	vec_release(&todo);
}

// Algorithm 2.
static void merge_run(struct machine *m, uint32_t a, uint32_t aa)
{
	list affected = {0}, from = {0};
	struct map64 odd = {0};  // S -> S'
	list_affected(m, a, a, &affected);
	for (uint32_t i = 0; i < affected.n; i++)
		map64_put(&odd, affected.at[i], new_state(m, m->states.at[affected.at[i]].accepts));
	for (uint32_t i = 0; i < affected.n; i++) {
		uint32_t s = affected.at[i], s_odd = (uint32_t)map64_get(&odd, s);
		list *out = tidy(m, &m->states.at[s].out);
		for (uint32_t k = 0, n = out->n; k < n; k++) {
			struct edge e = m->edges.at[m->states.at[s].out.at[k]];
			uint64_t to_odd = e.token == a ? map64_get(&odd, e.to) : MAP64_NONE;
			if (to_odd != MAP64_NONE) turn(m, s, a, (uint32_t)to_odd);
			add(m, s_odd, e.token, e.to);
		}
		// Edges from states outside, which turn to S'; those from inside have been or will be turned above.
		sources(m, s, a, &from);
		for (uint32_t k = 0; k < from.n; k++)
			if (map64_get(&odd, from.at[k]) == MAP64_NONE && from.at[k] < m->states.n - affected.n)
				turn(m, from.at[k], a, s_odd);
	}
	for (uint32_t i = 0; i < affected.n; i++) process(m, (uint32_t)map64_get(&odd, affected.at[i]), a, a, aa);
	if (affected.n) keep_relevant(m);
	vec_release(&affected), vec_release(&from);
	map64_release(&odd);
}

static void write_out(struct machine *m, struct token_automaton *out)
{
	uint32_t n = m->states.n, n_edges = 0;
	for (uint32_t i = 0; i < m->edges.n; i++) n_edges += !m->edges.at[i].is_gone;
	uint32_t *first = arena_array(&out->arena, n + 1ull, 4);
	struct token_edge *edges = arena_array(&out->arena, n_edges, sizeof *edges);
	uint8_t *accepts = arena_array(&out->arena, n, 1);
	uint32_t at = 0;
	for (uint32_t s = 0; s < n; s++) {
		list *l = tidy(m, &m->states.at[s].out);
		first[s] = at, accepts[s] = m->states.at[s].accepts;
		for (uint32_t i = 0; i < l->n; i++)
			edges[at++] = (struct token_edge){m->edges.at[l->at[i]].token, m->edges.at[l->at[i]].to};
		for (uint32_t i = first[s] + 1; i < at; i++)  // in order of tokens
			for (uint32_t k = i; k > first[s] && edges[k - 1].token > edges[k].token; k--) {
				struct token_edge e = edges[k];
				edges[k] = edges[k - 1], edges[k - 1] = e;
			}
	}
	first[n] = at;
	out->n_states = n, out->start = m->start, out->n_edges = at, out->first = first, out->edges = edges,
	out->accepts = accepts;
}

bool direct_merge(const struct token_automaton *letters, const struct encoder_merge *merges, uint32_t n_merges,
                  struct token_automaton *out)
{
	struct machine m = {.start = letters->start};
	list affected = {0};
	bool good = true;
	*out = (struct token_automaton){0};
	for (uint32_t s = 0; s < letters->n_states; s++) new_state(&m, letters->accepts[s]);
	for (uint32_t s = 0; s < letters->n_states; s++)
		for (uint32_t k = letters->first[s]; k < letters->first[s + 1]; k++)
			add(&m, s, letters->edges[k].token, letters->edges[k].to);
	for (uint32_t i = 0; i < n_merges && good; i++) {
		uint32_t a = merges[i].left, b = merges[i].right;
		if (a >= m.by_token.n || b >= m.by_token.n || !m.by_token.at[a].n || !m.by_token.at[b].n) continue;
		if (a == b)
			merge_run(&m, a, merges[i].id);
		else {
			list_affected(&m, a, b, &affected);
			for (uint32_t k = 0; k < affected.n; k++) process(&m, affected.at[k], a, b, merges[i].id);
		}
		good = m.states.n <= AUTOMATON_MAX_STATES && m.edges.n <= AUTOMATON_MAX_EDGES;
	}
	if (good) keep_relevant(&m), write_out(&m, out);
	for (uint32_t s = 0; s < m.states.n; s++) vec_release(&m.states.at[s].in), vec_release(&m.states.at[s].out);
	for (uint32_t t = 0; t < m.by_token.n; t++) vec_release(&m.by_token.at[t]);
	vec_release(&m.states), vec_release(&m.by_token), vec_release(&m.edges), vec_release(&affected);
	map64_release(&m.edge_of);
	return good;
}
