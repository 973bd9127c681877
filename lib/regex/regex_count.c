// A bounded repetition that the lexer counts instead of spelling out.
//
// In:  a terminal's tree: before A{least,most} behind, all of it read from left to right in one way only. Out: where
// that is; and, of the terminal's automaton with fewer repetitions, the states in which one of them is at hand.
// One way only: no text of `before` begins another one, none of A does, and no byte begins both an A and what is
// behind. Then after any text that goes on, the number of As is known, and states that differ in it alone differ in
// nothing but how many As may still come.
// Cost: the automata of the three parts.
#include "../shared/json_character.h"
#include "regex_internal.h"

// The parts of a terminal, flat: members of sequences within sequences.
typedef VEC(struct re_node *) node_list;

static void flatten(struct re_node *root, node_list *out)
{
	node_list todo = {0};
	vec_push(&todo, root);
	while (todo.n) {
		struct re_node *x = todo.at[--todo.n];
		if (x->kind == RE_SEQ)
			for (uint32_t i = x->n_kids; i-- > 0;) vec_push(&todo, x->kids[i]);
		else
			vec_push(out, x);
	}
	vec_release(&todo);
}

// Does no text of it begin another one, and is the empty one none?
static bool is_prefix_free(const struct sparse_dfa *a)
{
	if (!a->n_states || a->accept[0] != FOLLOW_NEVER) return false;
	for (uint32_t q = 0; q < a->n_states; q++)
		if (a->accept[q] != FOLLOW_NEVER && a->edges_of[q].n) return false;
	return true;
}

static bool begin_alike(const struct sparse_dfa *a, const struct sparse_dfa *b)
{
	for (uint32_t byte = 0; byte < 256; byte++)
		if (sparse_step(a, 0, (uint8_t)byte) != DFA_DEAD && b->n_states && sparse_step(b, 0, (uint8_t)byte) != DFA_DEAD)
			return true;
	return false;
}

// An automaton as bytes that only equal ones have.
void re_put_automaton(const struct sparse_dfa *a, regex_words *out)
{
	vec_push(out, a->n_states);
	for (uint32_t q = 0; q < a->n_states; q++) {
		vec_push(out, a->accept[q]);
		vec_push(out, a->edges_of[q].n);
		for (uint32_t i = 0; i < a->edges_of[q].n; i++) {
			struct byte_edge e = a->edges[a->edges_of[q].first + i];
			vec_push(out, e.to), vec_push(out, e.lo | (uint32_t)e.hi << 8);
		}
	}
}

static struct re_node *find_repetition(struct re_ctx *c, struct re_node *root, uint32_t least_more)
{
	node_list parts = {0};
	flatten(root, &parts);
	struct re_node *found = NULL;
	for (uint32_t i = 0; i < parts.n; i++) {
		struct re_node *x = parts.at[i];
		bool is_long = x->kind == RE_REPEAT && x->max != TERM_UNBOUNDED && x->max - x->min >= least_more;
		if (is_long && (!found || x->max - x->min > found->max - found->min)) found = x;
	}
	vec_release(&parts);
	return found && !root->has_lazy && !c->looks.n ? found : NULL;
}

// The automata of what stands before, of one A, and of what is behind. False: there is more than one way to read it, or
// an error.
static bool compile_parts(struct re_ctx *c, struct re_node *root, struct re_count *out)
{
	node_list parts = {0};
	uint32_t at = 0;
	flatten(root, &parts);
	while (parts.at[at] != out->node) at++;
	struct re_node *node[3] = {re_new_list(c, RE_SEQ, parts.at, at, root->loc), out->node->kids[0],
	                           re_new_list(c, RE_SEQ, parts.at + at + 1, parts.n - at - 1, root->loc)};
	bool ok = true;
	for (uint32_t i = 0; i < 3 && ok; i++) ok = re_compile_node(c, node[i], &out->part[i]);
	const struct sparse_dfa *part = out->part;
	out->has_before = at > 0;
	ok = ok && (!at || is_prefix_free(&part[0])) && is_prefix_free(&part[1]) && !begin_alike(&part[1], &part[2]);
	vec_release(&parts);
	return ok;
}

// Where a shortest text of a leads from `state` of the terminal's automaton; DFA_DEAD: nowhere.
static uint32_t over_shortest(const struct sparse_dfa *a, const struct byte_dfa *whole, uint32_t state)
{
	uint32_t *from = mem_alloc(((size_t)a->n_states + 1) * sizeof *from),
			 *queue = mem_alloc(a->n_states * sizeof *queue);
	uint8_t *byte = mem_alloc(a->n_states);
	uint32_t n = 1, end = DFA_DEAD;
	memset(from, 0xff, a->n_states * sizeof *from);
	queue[0] = 0, from[0] = 0;
	for (uint32_t i = 0; i < n && end == DFA_DEAD; i++) {
		uint32_t q = queue[i];
		if (a->accept[q] != FOLLOW_NEVER) end = q;
		for (uint32_t e = 0; e < a->edges_of[q].n && end == DFA_DEAD; e++) {
			struct byte_edge edge = a->edges[a->edges_of[q].first + e];
			if (from[edge.to] != UINT32_MAX) continue;
			from[edge.to] = q, byte[edge.to] = edge.lo, queue[n++] = edge.to;
		}
	}
	uint32_t len = 0;
	for (uint32_t q = end; end != DFA_DEAD && q; q = from[q]) queue[len++] = byte[q];
	for (uint32_t i = len; i-- > 0;) state = dfa_step(whole, state, (uint8_t)queue[i]);
	free(from), free(queue), free(byte);
	return state;
}

// Pairs each state from the counted pair's `from` on with A's; false: they do not go together.
static bool find_counted(const struct sparse_dfa *a, const struct byte_dfa *whole, struct dfa_counter *out)
{
	uint32_t *pair = mem_alloc(whole->n_states * sizeof *pair), *queue = mem_alloc(whole->n_states * sizeof *queue);
	uint32_t n = 1;
	bool good = true;
	const struct dfa_counted_pair between = out->pair[0];
	memset(pair, 0xff, whole->n_states * sizeof *pair);
	queue[0] = between.from, pair[between.from] = 0, out->counted[between.from] = 1;
	for (uint32_t i = 0; i < n && good; i++) {
		uint32_t q = queue[i];
		for (uint32_t byte = 0; byte < 256 && good; byte++) {
			uint32_t x = sparse_step(a, pair[q], (uint8_t)byte), y = dfa_step(whole, q, (uint8_t)byte);
			if (x == DFA_DEAD) {
				good = y == DFA_DEAD || !pair[q];
				continue;
			}
			if (a->accept[x] != FOLLOW_NEVER) {
				good = y == between.to;
				continue;
			}
			good = y != DFA_DEAD && y != between.to && (pair[y] == UINT32_MAX || pair[y] == x);
			if (!good || pair[y] == x) continue;
			pair[y] = x, out->counted[y] = 1, queue[n++] = y;
		}
	}
	free(pair), free(queue);
	return good;
}

bool re_count_states(const struct re_count *x, struct arena *arena, const struct byte_dfa *whole,
                     struct dfa_counter *out)
{
	uint32_t q = x->has_before ? over_shortest(&x->part[0], whole, 0) : 0;
	struct dfa_counted_pair *between = arena_alloc(arena, sizeof *between);
	*between = (struct dfa_counted_pair){DFA_DEAD, DFA_DEAD};
	out->pair = between, out->n_pairs = 1;
	out->counted = arena_array(arena, whole->n_states, sizeof *out->counted);
	for (uint32_t i = 0; i <= x->most && q != DFA_DEAD; i++) {
		if (i == x->place) between->from = q;
		if (i == x->place + 1) between->to = q;
		if (i < x->most) q = over_shortest(&x->part[1], whole, q);
	}
	if (q == DFA_DEAD || between->from == DFA_DEAD || between->to == DFA_DEAD) return false;
	return find_counted(&x->part[1], whole, out);
}

static bool is_quote(const struct sparse_dfa *a)
{
	return a->n_states == 2 && a->n_edges == 1 && sparse_step(a, 0, '"') == 1 && a->accept[1] != FOLLOW_NEVER;
}

// Each state stands at one place of a character as JSON spells it, and accepts where that ends.
static bool is_character(const struct sparse_dfa *a)
{
	uint8_t *place = mem_calloc(a->n_states, 1);
	uint32_t *queue = mem_alloc(a->n_states * sizeof *queue), n = 1;
	bool ok = sparse_step(a, 0, '"') == DFA_DEAD;
	memset(place, UINT8_MAX, a->n_states);
	place[0] = JSON_BETWEEN, queue[0] = 0;
	for (uint32_t i = 0; i < n && ok; i++)
		for (uint32_t b = 0; b < 256 && ok; b++) {
			const uint32_t q = queue[i], to = sparse_step(a, q, (uint8_t)b);
			if (to == DFA_DEAD) continue;
			const uint32_t next = json_character_step(place[q], (uint8_t)b);
			ok = to && (place[to] == UINT8_MAX || place[to] == next) &&
			     (next == JSON_BETWEEN) == (a->accept[to] != FOLLOW_NEVER);
			if (place[to] == UINT8_MAX) queue[n++] = to;
			place[to] = (uint8_t)next;
		}
	free(place), free(queue);
	return ok;
}

bool re_count_is_string(const struct re_count *x)
{
	return x->has_before && is_quote(&x->part[0]) && is_quote(&x->part[2]) && is_character(&x->part[1]);
}

bool re_count_find(struct re_ctx *c, struct re_node *root, uint32_t least_more, struct re_count *out)
{
	out->node = c->t->drops_empty ? NULL : find_repetition(c, root, least_more);
	return out->node && compile_parts(c, root, out);
}
