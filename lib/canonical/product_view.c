// The nodes of a product, for people and for writing it down.
//
// In:  struct product. Out: counts, lists of tokens with the nodes that they lead to.
// Cost: the groups of a node.
#include "product.h"

struct product_counts product_count(const struct product *p) { return p->counts; }

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
