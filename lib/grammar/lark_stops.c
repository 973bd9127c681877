// Stops that come twice.
//
// In:  the statements, and the rules among them whose texts a `stop` ends. Out: an error where what stands behind such
//      a rule begins with its stop again. llguidance hides a stop: there the text that follows may be the stop itself,
//      and one text is both; here the stop is the text's, and it would come twice. `suffix` says that.
// Cost: the nodes of the grammar, once for each rule with a stop.
#include "lark_parser.h"

#include "../base/intern.h"

typedef VEC(const struct node *) node_list;

struct stops {
	struct parser *p;
	struct intern names;            // of rules and terminals
	VEC(const struct node *) body;  // by name, of the last definition
	const struct text_stop *stop;
	uint32_t *asked;  // by name: the last stop, + 1, for which its beginnings were looked through
	uint32_t number;
};

static const struct node *name_under(const struct node *n)
{
	while (n->kind == N_REPEAT) n = n->children[0];
	return n->kind == N_NAME ? n : NULL;
}

// The string at the beginning of what is on the list that begins with the stop, or NULL. Empties the list.
static const struct node *begins_again(struct stops *x, node_list *list)
{
	const struct node *stop = x->stop->text, *found = NULL;
	while (list->n) {
		const struct node *n = vec_pop(list);
		if (n->kind == N_STRING && n->text_len >= stop->text_len && !memcmp(n->text, stop->text, stop->text_len))
			found = n;
		if (n->kind == N_REPEAT || n->kind == N_ALT)
			for (uint32_t i = 0; i < n->n_children; i++) vec_push(list, n->children[i]);
		for (uint32_t i = 0; n->kind == N_SEQ && i < n->n_children; i++) {
			vec_push(list, n->children[i]);
			if (n->children[i]->kind != N_REPEAT || n->children[i]->lo) break;
		}
		uint32_t name = n->kind == N_NAME ? intern_find(&x->names, n->text, n->text_len) : INTERN_NONE;
		if (name == INTERN_NONE || x->asked[name] == x->number) continue;
		x->asked[name] = x->number;
		vec_push(list, x->body.at[name]);
	}
	return found;
}

static void check_sequence(struct stops *x, const struct node *s, node_list *list)
{
	for (uint32_t i = 0; i + 1 < s->n_children; i++) {
		const struct node *of = name_under(s->children[i]);
		const size_t len = strlen(x->stop->rule);
		if (!of || of->text_len != len || memcmp(of->text, x->stop->rule, len) != 0) continue;
		for (uint32_t k = i + 1; k < s->n_children; k++) {
			vec_push(list, s->children[k]);
			if (s->children[k]->kind != N_REPEAT || s->children[k]->lo) break;
		}
		const struct node *again = begins_again(x, list);
		if (!again) continue;
		diag_error(x->p->diag, again->loc,
		           "the text of '%s' has its stop in it already, and this begins with it once more. llguidance reads "
		           "one for both: leave it out here, or write suffix instead of stop where it comes twice",
		           x->stop->rule);
		return;
	}
}

void lark_check_stops(struct parser *p)
{
	struct stops x = {.p = p};
	node_list open = {0}, list = {0};
	for (uint32_t i = 0; p->out->stops.n && i < p->out->list.n; i++) {
		const struct statement *s = &p->out->list.at[i];
		bool is_new;
		if (s->kind != S_RULE && s->kind != S_TERMINAL) continue;
		uint32_t n = intern_add(&x.names, s->name.text, strlen(s->name.text), &is_new);
		if (is_new) vec_push(&x.body, s->body);
		x.body.at[n] = s->body;
	}
	x.asked = mem_calloc(x.body.n + 1, sizeof *x.asked);
	for (uint32_t i = 0; i < p->out->stops.n; i++) {
		x.stop = &p->out->stops.at[i], x.number = i + 1;
		for (uint32_t b = 0; b < x.body.n; b++) {
			work_check();
			vec_push(&open, x.body.at[b]);
			while (open.n) {
				const struct node *n = vec_pop(&open);
				if (n->kind == N_SEQ) check_sequence(&x, n, &list);
				for (uint32_t c = 0; c < n->n_children; c++) vec_push(&open, n->children[c]);
			}
		}
	}
	vec_release(&open), vec_release(&list), vec_release(&x.body);
	intern_release(&x.names);
	free(x.asked);
}
