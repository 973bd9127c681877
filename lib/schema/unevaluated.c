// unevaluatedProperties, unevaluatedItems: what no other keyword of the schema looked at.
//
// In:  a schema. Out: the value that the keyword takes. Which keys (items) are evaluated depends on which subschemas
// hold: their formulas are conditions, and each way in which they can turn out has its own rest.
// Cost: 2^conditions, at most SCHEMA_MAX_UNEVALUATED of them.
#include "keywords.h"

// Something that evaluates keys, or items, when a condition holds.
struct evaluated {
	formula condition;
	uint32_t set;    // keys
	uint32_t items;  // the first so many; UINT32_MAX: all
	atom contains;   // ATOM_FALSE: none
};
typedef VEC(struct evaluated) evaluated_list;

// What is gathered: of keys or of items.
struct gathering {
	struct schema *s;
	bool keys;
	evaluated_list *out;
};

static bool collect(const struct gathering *g, struct json *node, uint32_t scope, formula condition, uint32_t depth);

static formula both(struct schema *s, formula a, formula b) { return formula_and(s, (formula[]){a, b}, 2); }

static formula own_formula(const struct gathering *g, const struct value *v) { return g->keys ? v->object : v->array; }

// The same of a subschema that need not hold: where it does.
static bool collect_if(const struct gathering *g, struct context *x, struct json *node, formula condition,
                       uint32_t depth)
{
	struct value v;
	if (node->kind != JSON_OBJECT) return true;
	if (!value_in_place(x, node, &v)) return false;
	return collect(g, node, x->scope, both(g->s, condition, own_formula(g, &v)), depth);
}

// The keys that properties and patternProperties name; none: neither stands here.
static bool named_keys(struct context *x, uint32_t *set)
{
	uint32_t others;
	*set = keyset_of(x->s, false, NULL, 0, NULL, 0);
	if (!json_get(x->node, "properties") && !json_get(x->node, "patternProperties")) return true;
	if (!other_keys(x, &others)) return false;
	struct keyset k = x->s->keyset.at[others];
	*set = keyset_of(x->s, false, k.keys, k.n_keys, k.patterns, k.n_patterns);
	return true;
}

static bool collect_keys(const struct gathering *g, struct context *x, formula condition)
{
	uint32_t all, nothing = keyset_of(g->s, false, NULL, 0, NULL, 0);
	if (json_get(x->node, "additionalProperties") || json_get(x->node, "unevaluatedProperties"))
		all = keyset_of(g->s, true, NULL, 0, NULL, 0);
	else if (!named_keys(x, &all))
		return false;
	if (all != nothing) vec_push(g->out, ((struct evaluated){condition, all, 0, ATOM_FALSE}));
	return true;
}

// Items that items, prefixItems and additionalItems look at: the first so many; UINT32_MAX: all.
static uint32_t named_items(struct context *x)
{
	const struct json *items = json_get(x->node, "items");
	bool rest = items && (items->kind != JSON_ARRAY || json_get(x->node, "additionalItems"));
	return rest ? UINT32_MAX : prefix_length(x);
}

static void collect_items(const struct gathering *g, struct context *x, formula condition)
{
	uint32_t n = json_get(x->node, "unevaluatedItems") ? UINT32_MAX : named_items(x);
	struct json *contains = x->draft == DRAFT_2020 ? json_get(x->node, "contains") : NULL;
	if (n || contains)
		vec_push(g->out, ((struct evaluated){condition, 0, n, contains ? child_atom(x, contains) : ATOM_FALSE}));
}

static bool collect_lists(const struct gathering *g, struct context *x, formula condition, uint32_t depth)
{
	static const char *const lists[] = {"allOf", "anyOf", "oneOf"};
	for (size_t k = 0; k < 3; k++) {
		const struct json *j = json_get(x->node, lists[k]);
		for (uint32_t i = 0; j && j->kind == JSON_ARRAY && i < j->n; i++)
			if (!(k == 0 ? collect(g, j->items[i], x->scope, condition, depth)
			             : collect_if(g, x, j->items[i], condition, depth)))
				return false;
	}
	return true;
}

// Each branch of if, and the schemas that a key brings with it.
static bool collect_conditional(const struct gathering *g, struct context *x, formula condition, uint32_t depth)
{
	struct json *j = json_get(x->node, "if"), *then = json_get(x->node, "then"), *otherwise = json_get(x->node, "else");
	if (j && j->kind == JSON_OBJECT) {
		struct value c;
		if (!value_in_place(x, j, &c)) return false;
		formula yes = own_formula(g, &c), with = both(g->s, condition, yes);
		formula without = both(g->s, condition, formula_not(g->s, yes));
		if (!collect(g, j, x->scope, with, depth)) return false;
		if (then && !collect(g, then, x->scope, with, depth)) return false;
		if (otherwise && !collect(g, otherwise, x->scope, without, depth)) return false;
	}
	j = g->keys ? json_get(x->node, "dependentSchemas") : NULL;
	for (uint32_t i = 0; j && j->kind == JSON_OBJECT && i < j->n; i++) {
		formula has = has_key(x, key_number(g->s, j->members[i].key, j->members[i].key_len));
		if (!collect(g, j->members[i].value, x->scope, both(g->s, condition, has), depth)) return false;
	}
	return true;
}

// The outermost schema on the way here that takes a dynamic reference over; else `target`.
static struct json *taken_over(struct context *x, const struct json *reference, bool by_anchor, struct json *target)
{
	struct schema *s = x->s;
	uint32_t len = 0;
	const uint32_t *in = s->has_dynamic && x->scope ? intern_get(&s->scopes, x->scope, &len) : NULL;
	const char *hash = strchr(reference->text, '#'), *name = hash ? hash + 1 : "";
	for (uint32_t i = 0; i < len / 4; i++) {
		const struct resource *r = &s->resources.at[in[i]];
		struct json *found = by_anchor             ? schema_anchor(s, in[i], name, strlen(name), true)
		                     : r->recursive_anchor ? r->root
		                                           : NULL;
		if (found) return found;
	}
	return target;
}

static bool collect_references(const struct gathering *g, struct context *x, formula condition, uint32_t depth)
{
	static const char *const references[] = {"$ref", "$dynamicRef", "$recursiveRef"};
	for (size_t k = 0; k < 3; k++) {
		const struct json *r = json_get(x->node, references[k]);
		if (!r || r->kind != JSON_STRING) continue;
		struct json *target = schema_resolve(g->s, r, x->resource);
		if (!target) return false;
		if (k) target = taken_over(x, r, k == 1, target);
		uint32_t inner = scope_enter(g->s, x->scope, schema_resource(g->s, target));
		if (!collect(g, target, inner, condition, depth)) return false;
	}
	return true;
}

// What the schema at node evaluates, given that it holds.
static bool collect(const struct gathering *g, struct json *node, uint32_t scope, formula condition, uint32_t depth)
{
	if (node->kind != JSON_OBJECT || condition == FORMULA_FALSE) return true;
	if (depth > SCHEMA_MAX_IN_PLACE) work_too_large("SCHEMA_MAX_IN_PLACE", SCHEMA_MAX_IN_PLACE);
	struct context x = context_of(g->s, node, scope);
	if (!g->keys)
		collect_items(g, &x, condition);
	else if (!collect_keys(g, &x, condition))
		return false;
	return collect_lists(g, &x, condition, depth + 1) && collect_conditional(g, &x, condition, depth + 1) &&
	       collect_references(g, &x, condition, depth + 1);
}

// What the keyword speaks of, and the schema that it gives for what is left.
struct asked {
	struct context *x;
	const evaluated_list *list;
	atom a;
	bool keys;
};

// What has been looked at so far.
struct looked_at {
	uint32_t set, items;
	atom contains;
};

static uint32_t union_of(struct schema *s, uint32_t a, uint32_t b)
{
	struct keyset k = s->keyset.at[a], m = s->keyset.at[b];
	u32_list names = {0}, patterns = {0};
	for (uint32_t j = 0; j < k.n_keys; j++) vec_push(&names, k.keys[j]);
	for (uint32_t j = 0; j < m.n_keys; j++) vec_push(&names, m.keys[j]);
	for (uint32_t j = 0; j < k.n_patterns; j++) vec_push(&patterns, k.patterns[j]);
	for (uint32_t j = 0; j < m.n_patterns; j++) vec_push(&patterns, m.patterns[j]);
	uint32_t all = keyset_of(s, false, names.at, names.n, patterns.at, patterns.n);
	vec_release(&names), vec_release(&patterns);
	return all;
}

// For each way in which the conditions from i on can turn out: what is left over is in `a`.
static formula leftover(const struct asked *q, uint32_t i, struct looked_at so_far)
{
	struct schema *s = q->x->s;
	if (i == q->list->n && q->keys) {
		struct keyset k = s->keyset.at[so_far.set];
		return all_of_keys(q->x, keyset_of(s, !k.negated, k.keys, k.n_keys, k.patterns, k.n_patterns), q->a);
	}
	if (i == q->list->n)
		return so_far.items == UINT32_MAX
		           ? FORMULA_TRUE
		           : items_from(q->x, so_far.items, UINT32_MAX, atom_any_of(s, (atom[]){q->a, so_far.contains}, 2));
	const struct evaluated *e = &q->list->at[i];
	formula no = e->condition == FORMULA_TRUE ? FORMULA_FALSE : leftover(q, i + 1, so_far);
	struct looked_at more = so_far;
	bool is_all = q->keys && (s->keyset.at[e->set].negated || s->keyset.at[so_far.set].negated);
	if (q->keys && !is_all)
		more.set = union_of(s, so_far.set, e->set);
	else if (!q->keys)
		more.items = e->items > so_far.items ? e->items : so_far.items,
		more.contains = atom_any_of(s, (atom[]){so_far.contains, e->contains}, 2);
	formula yes = is_all ? FORMULA_TRUE : leftover(q, i + 1, more);  // all keys: the only negated set here
	return formula_if(s, e->condition, yes, no);
}

bool unevaluated_value(struct context *x, struct json *v, bool keys, struct value *out)
{
	struct schema *s = x->s;
	evaluated_list list = {0};
	*out = value_any();
	atom a = child_atom(x, v);
	const struct gathering g = {s, keys, &list};
	// Its own keyword does not count: it is what asks.
	bool ok = collect(&g, x->node, x->scope, FORMULA_TRUE, 0);
	if (list.n && keys && !json_get(x->node, "additionalProperties")) ok = named_keys(x, &list.at[0].set) && ok;
	if (list.n && !keys) list.at[0].items = named_items(x);
	uint32_t unsure = 0;
	for (uint32_t i = 0; i < list.n; i++) unsure += list.at[i].condition != FORMULA_TRUE;
	if (ok && unsure > SCHEMA_MAX_UNEVALUATED) {
		vec_release(&list);
		return schema_unenforced(s, v, keys ? "unevaluatedProperties" : "unevaluatedItems", NULL,
		                         "more than SCHEMA_MAX_UNEVALUATED (12) subschemas decide what is evaluated");
	}
	if (ok) {
		const struct asked asked = {x, &list, a, keys};
		formula f = leftover(&asked, 0, (struct looked_at){keyset_of(s, false, NULL, 0, NULL, 0), 0, ATOM_FALSE});
		*out = keys ? value_of_object(f) : value_of_array(f);
	}
	vec_release(&list);
	return ok && !s->failed;
}
