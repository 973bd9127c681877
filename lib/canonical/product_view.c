// The product from outside: walking it, and its nodes.
//
// In:  struct product. Out: steps, lists of tokens.
// As in the paper's Algorithm 6 a token goes on when the DFA has it, the pair with the last token does, and the state
// it leads to is relevant. Cost: the groups of a node for a step.
#include "product.h"

struct product_counts product_count(const struct product *p) { return p->counts; }
struct product_at product_start(const struct product *p)
{
	(void)p;
	return (struct product_at){0, ARTIFACT_NONE};
}

bool product_ends(const struct product *p, struct product_at at) { return p->nodes.at[at.node].accepts; }

void product_each(const struct product *p, struct product_at at,
                  void (*each)(void *to, uint32_t token, struct product_at next), void *to)
{
	const struct product_node *n = &p->nodes.at[at.node];
	const struct product_row row = p->rows.at[n->row];
	for (uint32_t i = 0; i < row_groups(&row); i++) {
		const struct product_group *g = row_group(p, &row, i);
		const struct product_targets *t = &p->targets.at[n->first_target + i];
		bool is_free = group_is_free(p, g, t);
		for (uint32_t k = g->first; k < g->first + g->n; k++) {
			uint32_t token = p->tokens.at[k], last = group_last(p, g, token);
			if (!row_counts(p, &row, i, token)) continue;
			bool together = !is_free && at.last != ARTIFACT_NONE && place_adjacent(&p->places, at.last, token);
			uint32_t node = together ? t->goes_on : t->begins;
			if (product_lives(p, node, last))
				each(to, token, (struct product_at){node, last == p->n_tokens ? ARTIFACT_NONE : last});
		}
	}
}

struct wanted {
	uint32_t token;
	bool found;
	struct product_at next;
};
static void take(void *to, uint32_t token, struct product_at next)
{
	struct wanted *w = to;
	if (token == w->token) w->found = true, w->next = next;
}

bool product_step(const struct product *p, struct product_at *at, uint32_t token)
{
	struct wanted w = {.token = token};
	product_each(p, *at, take, &w);
	if (w.found) *at = w.next;
	return w.found;
}

void product_edges(const struct product *p, uint32_t node, enum product_edge kind,
                   void (*each)(void *to, uint32_t token, uint32_t node), void *to_user)
{
	const struct product_node *n = &p->nodes.at[node];
	if (n->first_target == SIZE_MAX) return;
	const struct product_row row = p->rows.at[n->row];
	for (uint32_t i = 0; i < row_groups(&row); i++) {
		const struct product_group *g = row_group(p, &row, i);
		const struct product_targets *t = &p->targets.at[n->first_target + i];
		uint32_t to = kind == PRODUCT_BEGINS ? t->begins : t->goes_on;
		for (uint32_t k = g->first; k < g->first + g->n; k++)
			if (product_lives(p, to, group_last(p, g, p->tokens.at[k])) && row_counts(p, &row, i, p->tokens.at[k]))
				each(to_user, p->tokens.at[k], to);
	}
}

static void count(void *to, uint32_t token, uint32_t node)
{
	(void)token, (void)node;
	++*(uint32_t *)to;
}

struct product_node_view product_node(const struct product *p, uint32_t node)
{
	const struct product_node *n = &p->nodes.at[node];
	struct product_node_view v = {.lex_state = n->lex_state,
	                              .n_lasts = n->n_live,
	                              .n_dropped = n->n_reached - n->n_live,
	                              .ends = n->accepts,
	                              .inside = n->place.n_begun != 0,
	                              .n_sets = n->place.n_ways};
	for (uint32_t i = 0; i < n->place.n_ways; i++) v.set[i] = n->place.way[i].set;
	product_edges(p, node, PRODUCT_BEGINS, count, &v.n_begins);
	product_edges(p, node, PRODUCT_GOES_ON, count, &v.n_goes_on);
	return v;
}

uint32_t product_nodes(const struct product *p) { return p->nodes.n; }
