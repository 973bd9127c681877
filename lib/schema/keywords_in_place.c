// Keywords whose schemas apply to the same value: allOf, anyOf, oneOf, if, references.
//
// In:  a keyword's JSON. Out: the value that it takes; false after an error. oneOf: branches that a key tells apart,
// by listed values or as one branch needs it and the other excludes it, need no look at each other. So only the others
// are counted. Cost: pairs of branches.
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

// A value of a list, and a number that equal ones have in common.
struct listed {
	uint64_t sum;
	struct json *value;
};

// Keys that an object needs, and whose values are listed: what tells branches apart. Values by their sums.
struct discriminator {
	uint32_t key, n;
	struct listed *values;
};

// What a branch's object needs, and what it has not.
struct told {
	bool is_inside;  // it has arrays or objects
	VEC(struct discriminator) by;
	u32_list needed, excluded;  // keys; sets of keys
};

static int by_sum(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;
	return (x->sum > y->sum) - (x->sum < y->sum);
}

static uint64_t sum_of(const struct json *v)
{
	const uint64_t kind = (uint64_t)v->kind << 32;
	uint64_t sum = kind;
	for (uint32_t i = 0; v->kind == JSON_STRING && i < v->len; i++) sum = hash_u64(sum ^ (uint8_t)v->text[i]);
	return sum;
}

static bool share_a_value(const struct discriminator *a, const struct discriminator *b)
{
	for (uint32_t i = 0, k = 0; i < a->n && k < b->n;) {
		const uint64_t x = a->values[i].sum, y = b->values[k].sum;
		for (uint32_t j = k; x == y && j < b->n && b->values[j].sum == y; j++)
			if (json_equal(a->values[i].value, b->values[j].value)) return true;
		if (x <= y) i++;
		if (y < x) k++;
	}
	return false;
}

static void add_discriminator(struct schema *s, struct told *t, uint32_t key, struct json **values, uint32_t n)
{
	struct discriminator x = {key, n, arena_array(s->arena, (size_t)n + 1, sizeof *x.values)};
	for (uint32_t i = 0; i < n; i++) x.values[i] = (struct listed){sum_of(values[i]), values[i]};
	qsort(x.values, n, sizeof *x.values, by_sum);
	vec_push(&t->by, x);
}

static bool has(const u32_list *list, uint32_t x)
{
	uint32_t i = 0;
	while (i < list->n && list->at[i] != x) i++;
	return i < list->n;
}

static void find_told(struct schema *s, const struct value *branch, struct told *t)
{
	u32_list prims = {0};
	t->is_inside = branch->array != FORMULA_FALSE || branch->object != FORMULA_FALSE;
	formula_positive(s, branch->object, &prims);
	for (uint32_t i = 0; i < prims.n; i++) {
		const struct prim p = prim_of(s, prims.at[i]);
		if (p.kind == PRIM_HAS) vec_push(&t->needed, p.a);
		if (p.kind == PRIM_ALL && p.b == ATOM_FALSE) vec_push(&t->excluded, p.a);
	}
	for (uint32_t i = 0; i < prims.n; i++) {
		const struct prim p = prim_of(s, prims.at[i]);
		struct json **values;
		uint32_t n;
		if (p.kind != PRIM_ALL) continue;
		const struct keyset *k = &s->keyset.at[p.a];
		if (k->negated || k->n_keys != 1 || k->n_patterns || !has(&t->needed, k->keys[0])) continue;
		if (listed_values(s, p.b, &values, &n)) add_discriminator(s, t, k->keys[0], values, n);
	}
	vec_release(&prims);
}

// Does a need a key that b excludes?
static bool needs_excluded(const struct schema *s, const struct told *a, const struct told *b)
{
	for (uint32_t i = 0; i < b->excluded.n; i++)
		for (uint32_t k = 0; k < a->needed.n; k++)
			if (keyset_has(s, b->excluded.at[i], a->needed.at[k])) return true;
	return false;
}

// No value is in both? false: not known.
static bool are_disjoint(struct schema *s, const struct value *a, const struct value *b, const struct told *da,
                         const struct told *db)
{
	if ((a->simple & b->simple) || strings_may_be_some(strings_and(s, a->strings, b->strings))) return false;
	struct numbers x = {a->numbers, a->numbers_plain}, y = {b->numbers, b->numbers_plain};
	if (numbers_and(s, x, y).of) return false;
	if (a->array != FORMULA_FALSE && b->array != FORMULA_FALSE) return false;
	if (a->object == FORMULA_FALSE || b->object == FORMULA_FALSE) return true;
	for (uint32_t i = 0; i < da->by.n; i++)
		for (uint32_t k = 0; k < db->by.n; k++)
			if (da->by.at[i].key == db->by.at[k].key && !share_a_value(&da->by.at[i], &db->by.at[k])) return true;
	return needs_excluded(s, da, db) || needs_excluded(s, db, da);
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

#define ONE_OF_MAX 4000u  // branches that are compared in pairs

// Branches that no value can share with one of another group need no look at that: groups are joined by `or`. Those
// without arrays and objects are languages, one group of which costs little.
static struct value one_of(struct schema *s, const struct value *branch, uint32_t n)
{
	uint32_t *group = mem_calloc((size_t)n + 1, sizeof *group);
	struct told *told = mem_calloc((size_t)n + 1, sizeof *told);
	for (uint32_t i = 0; i < n; i++) find_told(s, &branch[i], &told[i]);
	for (uint32_t i = 0; i < n; i++) {
		group[i] = n <= ONE_OF_MAX ? i : 0;
		for (uint32_t k = 0; k < i && n <= ONE_OF_MAX; k++) {
			const uint32_t from = group[i], to = group[k];
			const bool is_inside = told[i].is_inside || told[k].is_inside;
			if (from == to || (is_inside && are_disjoint(s, &branch[i], &branch[k], &told[i], &told[k]))) continue;
			for (uint32_t j = 0; j <= i; j++)
				if (group[j] == from) group[j] = to;
		}
	}
	// In the order of the branches, as they stand; of a group where its first one stands.
	struct value *each = mem_alloc(((size_t)n + 1) * sizeof *each);
	for (uint32_t i = 0; i < n; i++) {
		each[i] = group[i] == i ? exactly_one(s, branch, group, n, i) : value_none();
		each[i].order = branch[i].order;
		vec_release(&told[i].by), vec_release(&told[i].needed), vec_release(&told[i].excluded);
	}
	const struct value v = value_any_of(s, each, n);
	free(group), free(told), free(each);
	return v;
}

bool list_value(struct context *x, const struct json *list, const char *keyword, struct value *out)
{
	struct schema *s = x->s;
	bool all = strcmp(keyword, "allOf") == 0, one = strcmp(keyword, "oneOf") == 0, ok = true;
	if (list->kind != JSON_ARRAY) return keyword_wrong(x, list, keyword, "a list of schemas");
	struct value v = value_any(), *branch = mem_calloc((size_t)list->n + 1, sizeof *branch);
	for (uint32_t i = 0; i < list->n && ok; i++) {
		ok = value_in_place(x, list->items[i], &branch[i]);
		if (ok && all) v = value_and(s, v, branch[i]);
	}
	if (ok && !all) v = one ? one_of(s, branch, list->n) : value_any_of(s, branch, list->n);
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
