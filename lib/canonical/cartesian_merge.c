// CartesianMerge: the canonical sequences of a regular language as a product, relevant states only.
//
// In:  the language's DFA over bytes, a tokenizer's tables. Out: struct product.
// The paper's Algorithm 5 (Tran-Thien, Fast, High-Fidelity LLM Decoding with Regex Constraints, 2024) multiplies the
// DFA of all spellings with that of all canonical sequences, and keeps what the start leads to and what leads to an
// end. Here the second factor is itself a product: the interval table of pairs (by the last token), and the automaton
// of pieces with what stands beside it (struct piece_state). A node is a state of the DFA with a place, a state of the
// product a node with the last token. Forward: a node's edges do not depend on the last token, but for "joined to it or
// not"; each token waits at its node until some last token lets it through, and nearly always the first one does.
// Backward: a state lives when it may end, or when some token leads on to one that lives; searched from the last nodes
// to the first until nothing changes. Cost: nodes x groups of tokens, and a pair test or two a state.
#include <time.h>

#include "characters.h"
#include "product.h"

struct waiting {
	uint32_t token, to;
};
struct work {
	VEC(uint32_t) fresh;  // last tokens not looked at yet
	VEC(struct waiting)
	apart, together;  // tokens that wait for a last token to which merges would join them; for one to which not
	bool is_queued;
};

struct merge_builder {
	struct product *p;
	VEC(struct work) work;  // by node
	uint64_t work_done;
	VEC(uint32_t) queue;
	bits *row;  // scratch: what is joined to one last token
	const char *problem;
};

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint32_t node_of(struct merge_builder *b, uint32_t lex_state, struct piece_state *place)
{
	struct product *p = b->p;
	struct {
		uint32_t lex_state;
		struct piece_state place;
	} key;
	bool is_new;
	product_forget(p, lex_state, place);
	key.lex_state = lex_state, key.place = *place;
	uint32_t id = intern_add(&p->node_ids, &key, sizeof key, &is_new);
	if (!is_new) return id;
	struct product_node n = {.lex_state = lex_state, .place = *place, .first_target = SIZE_MAX};
	n.accepts = p->dfa->accepts[lex_state] && place_ends(&p->places, place);
	vec_push(&p->nodes, n);
	vec_push(&b->work, (struct work){0});
	p->bytes += sizeof n + sizeof(struct work);
	if (p->nodes.n > PRODUCT_MAX_NODES) b->problem = "the product has too many nodes (PRODUCT_MAX_NODES)";
	return id;
}

static void reach(struct merge_builder *b, uint32_t node, uint32_t last)
{
	struct product *p = b->p;
	struct product_node *n = &p->nodes.at[node];
	struct work *w = &b->work.at[node];
	if (!n->reached) {
		n->reached = arena_array(&p->arena, p->words, sizeof(bits)),
		n->live = arena_array(&p->arena, p->words, sizeof(bits));
		p->bytes += 2ull * p->words * sizeof(bits);
		if (p->bytes > PRODUCT_MAX_BYTES) b->problem = "the product is too large (PRODUCT_MAX_BYTES)";
	}
	if (bits_test(n->reached, last)) return;
	bits_set(n->reached, last);
	n->n_reached++;
	vec_push(&w->fresh, last);
	if (!w->is_queued) vec_push(&b->queue, node);
	w->is_queued = true;
}

static void work(struct merge_builder *b, uint32_t n)
{
	b->work_done += n;
	if (b->work_done > PRODUCT_MAX_WORK) b->problem = "the product takes too long (PRODUCT_MAX_WORK)";
}

static struct product_targets *new_targets(struct product *p, uint32_t n)
{
	if (p->targets.n + n > p->targets.cap) {
		p->targets.cap = 2 * (p->targets.n + n);
		p->targets.at = mem_realloc(p->targets.at, p->targets.cap, sizeof *p->targets.at);
	}
	p->bytes += n * sizeof *p->targets.at;
	p->targets.n += n;
	return p->targets.at + p->targets.n - n;
}

// Where the groups lead. Nodes may move.
static void expand(struct merge_builder *b, uint32_t node)
{
	struct product *p = b->p;
	const struct product_node from = p->nodes.at[node];
	uint32_t row_number = product_row_of(p, from.lex_state, &from.place);
	struct product_row row = p->rows.at[row_number];
	size_t first = (size_t)(new_targets(p, row_groups(&row)) - p->targets.at);
	p->nodes.at[node].row = row_number, p->nodes.at[node].first_target = first;
	for (uint32_t i = 0; i < row_groups(&row) && !b->problem; i++) {
		const struct product_group *g = row_group(p, &row, i);
		struct product_targets t = {PRODUCT_NONE, PRODUCT_NONE};
		uint32_t to = g->to, k = g->first;
		while (k < g->first + g->n && !row_counts(p, &row, i, p->tokens.at[k])) k++;
		if (k == g->first + g->n) {
			p->targets.at[first + i] = t;
			continue;
		}
		uint32_t token = p->tokens.at[k];
		work(b, 2);
		bool has_place = !(p->effect_flags.at[g->effect] & EFFECT_NO_PLACE);
		for (int together = 0; together < 1 + has_place; together++) {
			struct piece_state place = from.place;
			uint32_t *target = together ? &t.goes_on : &t.begins;
			if (place_step(&p->places, &place, token, together)) *target = node_of(b, to, &place);
		}
		p->targets.at[first + i] = t;
	}
}

static void start_waiting(struct merge_builder *b, uint32_t node)
{
	struct product *p = b->p;
	const struct product_row row = p->rows.at[p->nodes.at[node].row];
	const size_t first = p->nodes.at[node].first_target;
	for (uint32_t i = 0; i < row_groups(&row); i++) {
		const struct product_group *g = row_group(p, &row, i);
		const struct product_targets t = p->targets.at[first + i];
		bool is_free = group_is_free(p, g, &t);
		for (uint32_t k = g->first; k < g->first + g->n && (t.begins != PRODUCT_NONE || t.goes_on != PRODUCT_NONE);
		     k++) {
			uint32_t token = p->tokens.at[k];
			if (!row_counts(p, &row, i, token)) continue;
			if (is_free)
				reach(b, t.begins, group_last(p, g, token));
			else {
				if (t.begins != PRODUCT_NONE) vec_push(&b->work.at[node].apart, ((struct waiting){token, t.begins}));
				if (t.goes_on != PRODUCT_NONE)
					vec_push(&b->work.at[node].together, ((struct waiting){token, t.goes_on}));
			}
		}
	}
}

// Tokens that merges would join to the last one.
static void joined_row(const struct product *p, uint32_t last, bits *row)
{
	const struct canonical *c = p->places.c;
	uint32_t until = UINT32_MAX;
	memset(row, 0, p->words * sizeof *row);
	for (uint32_t x = last; x != ARTIFACT_NONE; until = c->time[x], x = c->parts[x].right)
		for (uint32_t k = c->first[x]; k < c->first[x + 1]; k++) {
			if (c->joins[k].time >= until) continue;
			for (uint32_t i = c->joins[k].begin; i < c->joins[k].end; i++) bits_set(row, c->at[i]);
		}
	for (uint32_t k = 0; k < c->info.n_patches; k++) {
		if (c->patches[k].left != last) continue;
		if (canonical_pair(c, last, c->patches[k].right))
			bits_reset(row, c->patches[k].right);
		else
			bits_set(row, c->patches[k].right);
	}
}

#define FEW 48u  // so many pairs are tested one by one; more with the row of the last token
struct joined {
	struct merge_builder *b;
	uint32_t last;
	bool has_place, has_row;
};

static struct joined joined_to(struct merge_builder *b, uint32_t last, uint32_t n_tests)
{
	const struct product *p = b->p;
	struct joined j = {b, last, last != p->n_tokens && p->places.c->place[last] != ARTIFACT_NONE, n_tests > FEW};
	if (j.has_place && j.has_row) joined_row(p, last, b->row);
	return j;
}
// May the token, which has a place, be a later one of a piece?
static bool is_together(const struct joined *j, uint32_t token)
{
	if (!j->has_place) return false;
	return j->has_row ? !bits_test(j->b->row, token) : canonical_pair(j->b->p->places.c, j->last, token);
}

static void visit(struct merge_builder *b, uint32_t node)
{
	struct product *p = b->p;
	b->work.at[node].is_queued = false;
	if (p->nodes.at[node].first_target == SIZE_MAX) {
		expand(b, node);
		if (b->problem) return;
		start_waiting(b, node);
	}
	while (b->work.at[node].fresh.n && !b->problem) {
		uint32_t last = vec_pop(&b->work.at[node].fresh);
		if (!b->work.at[node].apart.n && !b->work.at[node].together.n) continue;
		struct joined j = joined_to(b, last, b->work.at[node].apart.n + b->work.at[node].together.n);
		work(b, 1 + (b->work.at[node].apart.n + b->work.at[node].together.n) / 8);
		for (int together = 0; together < 2; together++) {
			uint32_t left = 0;
			for (uint32_t i = 0;; i++) {
				struct work *w = &b->work.at[node];  // may move
				uint32_t n = together ? w->together.n : w->apart.n;
				struct waiting *list = together ? w->together.at : w->apart.at;
				if (i == n) {
					if (together)
						w->together.n = left;
					else
						w->apart.n = left;
					break;
				}
				struct waiting x = list[i];
				if (is_together(&j, x.token) == (together != 0))
					reach(b, x.to, x.token);
				else
					list[left++] = x;
			}
		}
	}
}

// --- backward ------------------------------------------------------------------------------------------------------
// A free edge to a state that lives?
static bool lives_freely(const struct product *p, const struct product_node *n)
{
	if (n->accepts) return true;
	const struct product_row row = p->rows.at[n->row];
	for (uint32_t i = 0; i < row_groups(&row); i++) {
		const struct product_group *g = row_group(p, &row, i);
		const struct product_targets *t = &p->targets.at[n->first_target + i];
		if (t->begins == PRODUCT_NONE || !group_is_free(p, g, t) || !p->nodes.at[t->begins].n_live) continue;
		for (uint32_t k = g->first; k < g->first + g->n; k++)
			if (product_lives(p, t->begins, group_last(p, g, p->tokens.at[k])) &&
			    row_counts(p, &row, i, p->tokens.at[k]))
				return true;
	}
	return false;
}

// Tokens of a node that lead to states that live: apart from the token before, or joined to it.
struct ways_on {
	VEC(uint32_t) apart, together;
};

static void collect_ways(const struct product *p, const struct product_node *n, struct ways_on *w)
{
	const struct product_row row = p->rows.at[n->row];
	for (uint32_t i = 0; i < row_groups(&row); i++) {
		const struct product_group *g = row_group(p, &row, i);
		const struct product_targets *t = &p->targets.at[n->first_target + i];
		if (group_is_free(p, g, t)) continue;
		for (uint32_t k = g->first; k < g->first + g->n; k++) {
			uint32_t token = p->tokens.at[k];
			if (!row_counts(p, &row, i, token)) continue;
			if (product_lives(p, t->begins, token)) vec_push(&w->apart, token);
			if (product_lives(p, t->goes_on, token)) vec_push(&w->together, token);
		}
	}
}

// Does one of the first `most` ways of either kind lead on behind the last token of j?
static bool some_way(const struct ways_on *w, const struct joined *j, uint32_t most)
{
	for (uint32_t i = 0; i < w->together.n && i < most; i++)
		if (is_together(j, w->together.at[i])) return true;
	for (uint32_t i = 0; i < w->apart.n && i < most; i++)
		if (!is_together(j, w->apart.at[i])) return true;
	return false;
}

// A few one by one; where there are more, all by the row.
static bool lives_behind(struct merge_builder *b, const struct ways_on *w, uint32_t last)
{
	struct joined j = joined_to(b, last, 0);
	if (some_way(w, &j, FEW)) return true;
	if (w->apart.n + w->together.n <= FEW) return false;
	j = joined_to(b, last, UINT32_MAX);
	return some_way(w, &j, UINT32_MAX);
}

static bool sweep_node(struct merge_builder *b, uint32_t node)
{
	struct product *p = b->p;
	struct product_node *n = &p->nodes.at[node];
	if (!n->reached || n->n_live == n->n_reached) return false;
	if (lives_freely(p, n)) {
		memcpy(n->live, n->reached, p->words * sizeof(bits));
		n->n_live = n->n_reached;
		return true;
	}
	struct ways_on w = {.apart = {0}};
	collect_ways(p, n, &w);
	uint32_t before = n->n_live;
	for (uint32_t last = bits_next(n->reached, p->words, 0); last != UINT32_MAX && (w.apart.n || w.together.n);
	     last = bits_next(n->reached, p->words, last + 1)) {
		if (bits_test(n->live, last) || !lives_behind(b, &w, last)) continue;
		bits_set(n->live, last);
		n->n_live++;
	}
	vec_release(&w.apart), vec_release(&w.together);
	return n->n_live != before;
}

struct product *product_build(const struct byte_automaton *dfa, const struct vocab *v, const struct canonical *c,
                              const char **problem)
{
	struct product *p = mem_calloc(1, sizeof *p);
	struct merge_builder *b = mem_calloc(1, sizeof *b);
	double begin = seconds();
	p->dfa = dfa, p->n_tokens = v->n_tokens, p->words = BITS_WORDS(v->n_tokens + 1);
	places_open(c, v, &p->places);
	b->p = p, b->row = mem_calloc(p->words, sizeof(bits));
	product_list_effects(p);
	product_list_prefix_classes(p);
	product_list_no_marks(p);
	struct piece_state start;
	place_start(&p->places, &start);
	reach(b, node_of(b, dfa->start, &start), p->n_tokens);
	for (uint32_t i = 0; i < b->queue.n && !b->problem; i++) visit(b, b->queue.at[i]);
	for (bool grew = !b->problem; grew;) {
		grew = false;
		for (uint32_t i = p->nodes.n; i-- > 0;) grew |= sweep_node(b, i);
	}
	for (uint32_t i = 0; i < b->work.n; i++)
		vec_release(&b->work.at[i].fresh), vec_release(&b->work.at[i].apart), vec_release(&b->work.at[i].together);
	uint8_t *has = mem_calloc(dfa->n_states, 1);
	for (uint32_t i = 0; i < p->nodes.n; i++) {
		const struct product_node *n = &p->nodes.at[i];
		p->counts.nodes += n->n_live != 0, p->counts.reached += n->n_reached, p->counts.states += n->n_live;
		p->counts.lex_states += n->n_live && !has[n->lex_state];
		has[n->lex_state] |= n->n_live != 0;
	}
	p->counts.dead = p->counts.reached - p->counts.states;
	if (!b->problem && !product_lives(p, 0, p->n_tokens))
		b->problem = "no text of the language has a canonical sequence of tokens";
	p->counts.seconds = seconds() - begin;
	if (b->problem) *problem = b->problem, product_free(p), p = NULL;
	vec_release(&b->work), vec_release(&b->queue);
	free(has), free(b->row), free(b);
	return p;
}

void product_free(struct product *p)
{
	if (!p) return;
	vec_release(&p->effect_flags), vec_release(&p->rows), vec_release(&p->row_number), vec_release(&p->groups),
		vec_release(&p->tokens);
	vec_release(&p->nodes);
	free(p->targets.at);
	intern_release(&p->node_ids), intern_release(&p->row_ids);
	arena_release(&p->arena);
	free(p);
}
