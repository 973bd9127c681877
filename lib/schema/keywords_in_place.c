// Keywords whose schemas apply to the same value: allOf, anyOf, oneOf, if, references.
//
// In:  a keyword's JSON. Out: the value that it takes; false after an error. oneOf: branches that a key with listed
// values tells apart need no look at each other, so only the others are counted. Cost: pairs of branches.
#include "keywords.h"

bool value_in_place(struct context *x, struct json *node, struct value *out)
{
	const struct value *v = atom_value(x->s, child_atom(x, node));
	if (!v || x->s->failed) return false;
	*out = *v;
	return true;
}

// The values that a schema lists for one of its keys; false: it does not.
static bool listed_values(struct schema *s, atom a, struct json ***values, uint32_t *n)
{
	struct atom_info *i = s->atoms.at[a];
	if (i->kind == ATOM_KIND_CONST) return *values = &i->node, *n = 1, true;
	if (i->kind != ATOM_KIND_NODE || i->node->kind != JSON_OBJECT || json_get(i->node, "$ref")) return false;
	const struct resource *r = &s->resources.at[schema_resource(s, i->node)];
	if (r->draft == DRAFT_4 || r->no_validation) return false;
	for (uint32_t k = 0; k < i->node->n; k++) {
		struct json_member *m = &i->node->members[k];
		if (strcmp(m->key, "const") == 0) return *values = &m->value, *n = 1, true;
		if (strcmp(m->key, "enum") == 0 && m->value->kind == JSON_ARRAY)
			return *values = m->value->items, *n = m->value->n, true;
	}
	return false;
}

static bool share_a_value(struct json **a, uint32_t n, struct json **b, uint32_t m)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < m; k++)
			if (json_equal(a[i], b[k])) return true;
	return false;
}

// Keys that an object needs, and whose values are listed: what tells branches apart.
struct discriminator {
	uint32_t key, n;
	struct json **values;
};
typedef VEC(struct discriminator) discriminators;

static void find_discriminators(struct schema *s, formula object, discriminators *out)
{
	u32_list prims = {0};
	formula_positive(s, object, &prims);
	for (uint32_t i = 0; i < prims.n; i++) {
		struct prim p = prim_of(s, prims.at[i]);
		struct discriminator x = {0};
		if (p.kind != PRIM_ALL) continue;
		const struct keyset *k = &s->keyset.at[p.a];
		if (k->negated || k->n_keys != 1 || k->n_patterns || !listed_values(s, p.b, &x.values, &x.n)) continue;
		x.key = k->keys[0];
		bool needed = false;
		for (uint32_t j = 0; j < prims.n && !needed; j++) {
			struct prim q = prim_of(s, prims.at[j]);
			needed = q.kind == PRIM_HAS && q.a == x.key;
		}
		if (needed) vec_push(out, x);
	}
	vec_release(&prims);
}

// No value is in both? false: not known.
static bool are_disjoint(struct schema *s, const struct value *a, const struct value *b, const discriminators *da,
                         const discriminators *db)
{
	if ((a->simple & b->simple) || strings_may_be_some(strings_and(s, a->strings, b->strings))) return false;
	struct numbers x = {a->numbers, a->numbers_plain}, y = {b->numbers, b->numbers_plain};
	if (numbers_and(s, x, y).of) return false;
	if (a->array != FORMULA_FALSE && b->array != FORMULA_FALSE) return false;
	if (a->object == FORMULA_FALSE || b->object == FORMULA_FALSE) return true;
	for (uint32_t i = 0; i < da->n; i++)
		for (uint32_t k = 0; k < db->n; k++) {
			const struct discriminator *p = &da->at[i], *q = &db->at[k];
			if (p->key == q->key && !share_a_value(p->values, p->n, q->values, q->n)) return true;
		}
	return false;
}

// Exactly one of the branches whose group this is.
static struct value exactly_one(struct schema *s, const struct value *branch, const uint32_t *group, uint32_t n,
                                uint32_t which)
{
	struct value v = value_none(), none = value_any();
	for (uint32_t i = 0; i < n; i++) {
		if (group[i] != which) continue;
		// Exactly one so far; none so far.
		struct value others = value_not(s, branch[i]);
		v = value_or(s, value_and(s, v, others), value_and(s, none, branch[i]));
		none = value_and(s, none, others);
	}
	return v;
}

#define ONE_OF_MAX 500u  // branches that are compared in pairs

// Branches that no value can share with one of another group need no look at that: groups are joined by `or`.
static struct value one_of(struct schema *s, const struct value *branch, uint32_t n)
{
	uint32_t *group = mem_calloc((size_t)n + 1, sizeof *group);
	discriminators *by = mem_calloc((size_t)n + 1, sizeof *by);
	for (uint32_t i = 0; i < n; i++) find_discriminators(s, branch[i].object, &by[i]);
	for (uint32_t i = 0; i < n; i++) {
		group[i] = n <= ONE_OF_MAX ? i : 0;
		for (uint32_t k = 0; k < i && n <= ONE_OF_MAX; k++) {
			uint32_t from = group[i], to = group[k];
			if (from == to || are_disjoint(s, &branch[i], &branch[k], &by[i], &by[k])) continue;
			for (uint32_t j = 0; j <= i; j++)
				if (group[j] == from) group[j] = to;
		}
	}
	struct value v = value_none();
	uint32_t order = 0;
	for (uint32_t g = 0; g < n; g++) v = value_or(s, v, exactly_one(s, branch, group, n, g));
	for (uint32_t i = 0; i < n; i++) order = order_join(s, order, branch[i].order), vec_release(&by[i]);
	v.order = order;
	free(group), free(by);
	return v;
}

bool list_value(struct context *x, const struct json *list, const char *keyword, struct value *out)
{
	struct schema *s = x->s;
	bool all = strcmp(keyword, "allOf") == 0, one = strcmp(keyword, "oneOf") == 0, ok = true;
	if (list->kind != JSON_ARRAY) return keyword_wrong(x, list, keyword, "a list of schemas");
	struct value v = all ? value_any() : value_none(), *branch = mem_calloc((size_t)list->n + 1, sizeof *branch);
	for (uint32_t i = 0; i < list->n && ok; i++) {
		ok = value_in_place(x, list->items[i], &branch[i]);
		if (ok && !one) v = all ? value_and(s, v, branch[i]) : value_or(s, v, branch[i]);
	}
	if (ok && one) v = one_of(s, branch, list->n);
	free(branch);
	*out = v;
	return ok;
}

bool extends_value(struct context *x, struct json *v, struct value *out)
{
	return v->kind == JSON_ARRAY ? list_value(x, v, "allOf", out) : value_in_place(x, v, out);
}

bool disallow_value(struct context *x, const struct json *v, struct value *out)
{
	if (!types_value(x, v, out)) return false;
	*out = value_not(x->s, *out);
	return true;
}

bool if_value(struct context *x, struct json *condition, struct value *out)
{
	struct json *then = json_get(x->node, "then"), *otherwise = json_get(x->node, "else");
	struct value c, t = value_any(), e = value_any();
	*out = value_any();
	if (!then && !otherwise) return value_in_place(x, condition, &c);
	if (!value_in_place(x, condition, &c) || (then && !value_in_place(x, then, &t)) ||
	    (otherwise && !value_in_place(x, otherwise, &e)))
		return false;
	struct value no = value_not(x->s, c);
	*out = value_or(x->s, value_and(x->s, c, t), value_and(x->s, no, e));
	out->order = order_join(x->s, order_join(x->s, c.order, t.order), e.order);
	return true;
}

// The target of $ref, $dynamicRef, $recursiveRef.
// Branches: the three kinds of references differ in whether, and where, an outer resource takes over.
bool reference_value(struct context *x, const struct json *reference, const char *keyword, struct value *out)
{
	struct schema *s = x->s;
	if (reference->kind != JSON_STRING) return keyword_wrong(x, reference, keyword, "a reference");
	struct json *target = schema_resolve(s, reference, x->resource);
	if (!target) return false;
	bool dynamic = strcmp(keyword, "$dynamicRef") == 0, recursive = strcmp(keyword, "$recursiveRef") == 0;
	const char *hash = strchr(reference->text, '#');
	const char *name = hash ? hash + 1 : "";
	uint32_t first = schema_resource(s, target);
	// The outermost resource on the way here that has such an anchor.
	const struct json *own = dynamic ? json_get(target, "$dynamicAnchor") : NULL;
	bool follows = (own && json_is(own, name)) || (recursive && s->resources.at[first].recursive_anchor);
	uint32_t len;
	const uint32_t *scope = x->scope ? intern_get(&s->scopes, x->scope, &len) : NULL;
	for (uint32_t i = 0; follows && scope && i < len / 4; i++) {
		struct json *found = dynamic ? schema_anchor(s, scope[i], name, strlen(name), true)
		                     : s->resources.at[scope[i]].recursive_anchor ? s->resources.at[scope[i]].root
		                                                                  : NULL;
		if (!found) continue;
		target = found;
		break;
	}
	uint32_t inner = scope_enter(s, x->scope, schema_resource(s, target));
	const struct value *v = atom_value(s, schema_atom(s, target, inner));
	if (!v || s->failed) return false;
	*out = *v;
	return true;
}
