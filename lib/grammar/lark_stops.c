// Stops that come twice.
//
// In:  the statements, and the rules among them whose texts a `stop` ends. Out: an error where what may stand behind
//      such a rule begins with its stop again, as a string or as a regex does that begins with these characters.
//      llguidance hides a stop: there the text that follows may be the stop itself, and one text is both; here the stop
//      is the text's, and it would come twice. `suffix` says that.
// What stands behind a name is looked for from there outwards: the rest of the sequence, as far as that may be empty,
// the next round of a repetition, and at the end of a rule all that stands behind the rule's name.
// Cost: the nodes of the grammar, once for each rule with a stop, and once more for each rule that may be empty.
#include "lark_parser.h"

#include "../base/intern.h"

typedef VEC(const struct node *) node_list;

struct place {
	const struct node *node;
	uint32_t around, index;  // the place of the node that has it, and which of its children it is; NONE: a rule's body
	uint32_t name;           // of the rule
	uint32_t next;           // NAME: another place that names the same, or NONE
};
#define NONE UINT32_MAX

struct stops {
	struct parser *p;
	struct intern names;            // of rules and terminals
	VEC(const struct node *) body;  // by name, of the last definition
	VEC(struct place) places;
	uint32_t *first;        // by name: a place that names it, or NONE
	uint8_t *may_be_empty;  // by name
	const struct text_stop *stop;
	uint32_t *asked;      // by name: the last stop, + 1, for which its beginnings were looked through
	uint32_t *ended;      // by name: the same of what stands behind it
	VEC(uint32_t) to_do;  // names behind which is to be looked
	uint32_t number;
	node_list list;  // what may stand behind the stop
};

static uint32_t name_of(const struct stops *x, const struct node *n)
{
	return n->kind == N_NAME ? intern_find(&x->names, n->text, n->text_len) : INTERN_NONE;
}

// Recursion over a rule's body, as deep as the parser lets it be.
static bool may_be_empty(const struct stops *x, const struct node *n)
{
	const uint32_t name = name_of(x, n);
	bool all = true, some = false;
	if (n->kind == N_REPEAT && !n->lo) return true;
	if (name != INTERN_NONE) return x->may_be_empty[name];
	if (n->kind != N_REPEAT && n->kind != N_SEQ && n->kind != N_ALT) return n->kind == N_STRING && !n->text_len;
	for (uint32_t i = 0; i < n->n_children; i++) {
		const bool is_empty = may_be_empty(x, n->children[i]);
		all &= is_empty, some |= is_empty;
	}
	return n->kind == N_ALT ? some : all;
}

static void find_empty(struct stops *x)
{
	for (uint32_t b = 0; b < x->body.n; b++) vec_push(&x->to_do, b);
	while (x->to_do.n) {
		const uint32_t name = vec_pop(&x->to_do);
		work_check();
		if (x->may_be_empty[name] || !may_be_empty(x, x->body.at[name])) continue;
		x->may_be_empty[name] = true;
		for (uint32_t i = x->first[name]; i != NONE; i = x->places.at[i].next)
			vec_push(&x->to_do, x->places.at[i].name);
	}
}

static bool begins_with_stop(const struct stops *x, const struct node *n)
{
	const struct node *stop = x->stop->text;
	return (n->kind == N_STRING || n->kind == N_REGEX) && n->text_len >= stop->text_len &&
	       !memcmp(n->text, stop->text, stop->text_len);
}

// The string at the beginning of what is on the list that begins with the stop, or NULL. Empties the list.
static const struct node *begins_again(struct stops *x)
{
	const struct node *found = NULL;
	while (x->list.n) {
		const struct node *n = vec_pop(&x->list);
		if (begins_with_stop(x, n)) found = n;
		for (uint32_t i = 0; (n->kind == N_REPEAT || n->kind == N_ALT || n->kind == N_SEQ) && i < n->n_children; i++) {
			vec_push(&x->list, n->children[i]);
			if (n->kind == N_SEQ && !may_be_empty(x, n->children[i])) break;
		}
		const uint32_t name = name_of(x, n);
		if (name == INTERN_NONE || x->asked[name] == x->number) continue;
		x->asked[name] = x->number;
		vec_push(&x->list, x->body.at[name]);
	}
	return found;
}

static void look_behind_name(struct stops *x, uint32_t name)
{
	if (x->ended[name] == x->number) return;
	x->ended[name] = x->number;
	vec_push(&x->to_do, name);
}

// Onto the list: what may stand right behind the place.
static void look_behind(struct stops *x, uint32_t at)
{
	for (; x->places.at[at].around != NONE; at = x->places.at[at].around) {
		const struct node *around = x->places.at[x->places.at[at].around].node;
		if (around->kind == N_REPEAT && around->hi > 1) vec_push(&x->list, around->children[0]);
		for (uint32_t k = x->places.at[at].index + 1; around->kind == N_SEQ && k < around->n_children; k++) {
			vec_push(&x->list, around->children[k]);
			if (!may_be_empty(x, around->children[k])) return;
		}
	}
	look_behind_name(x, x->places.at[at].name);
}

static void check_stop(struct stops *x)
{
	const uint32_t rule = intern_find(&x->names, x->stop->rule, strlen(x->stop->rule));
	if (rule != INTERN_NONE) look_behind_name(x, rule);
	while (x->to_do.n) {
		const uint32_t name = vec_pop(&x->to_do);
		work_check();
		for (uint32_t i = x->first[name]; i != NONE; i = x->places.at[i].next) look_behind(x, i);
	}
	const struct node *again = begins_again(x);
	if (!again) return;
	diag_error(x->p->diag, again->loc,
	           "the text of '%s' has its stop in it already, and this begins with it once more. llguidance reads "
	           "one for both: leave it out here, or write suffix instead of stop where it comes twice",
	           x->stop->rule);
}

static void find_places(struct stops *x)
{
	x->first = mem_alloc((x->body.n + 1) * sizeof *x->first);
	for (uint32_t b = 0; b < x->body.n; b++) {
		x->first[b] = NONE;
		vec_push(&x->places, ((struct place){x->body.at[b], NONE, 0, b, NONE}));
	}
	for (uint32_t i = 0; i < x->places.n; i++) {
		const struct place of = x->places.at[i];
		const uint32_t name = name_of(x, of.node);
		if (name != INTERN_NONE) x->places.at[i].next = x->first[name], x->first[name] = i;
		for (uint32_t c = 0; c < of.node->n_children; c++)
			vec_push(&x->places, ((struct place){of.node->children[c], i, c, of.name, NONE}));
	}
}

void lark_check_stops(struct parser *p)
{
	struct stops x = {.p = p};
	for (uint32_t i = 0; p->out->stops.n && i < p->out->list.n; i++) {
		const struct statement *s = &p->out->list.at[i];
		bool is_new;
		if (s->kind != S_RULE && s->kind != S_TERMINAL) continue;
		uint32_t n = intern_add(&x.names, s->name.text, strlen(s->name.text), &is_new);
		if (is_new) vec_push(&x.body, s->body);
		x.body.at[n] = s->body;
	}
	find_places(&x);
	x.may_be_empty = mem_calloc(x.body.n + 1, 1);
	x.asked = mem_calloc(x.body.n + 1, sizeof *x.asked), x.ended = mem_calloc(x.body.n + 1, sizeof *x.ended);
	find_empty(&x);
	for (uint32_t i = 0; i < p->out->stops.n; i++) {
		x.stop = &p->out->stops.at[i], x.number = i + 1;
		check_stop(&x);
	}
	vec_release(&x.list), vec_release(&x.body), vec_release(&x.places), vec_release(&x.to_do);
	intern_release(&x.names);
	free(x.first), free(x.may_be_empty), free(x.asked), free(x.ended);
}
