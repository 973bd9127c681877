// Keywords of arrays: what their items have to be, as formulas over prims (internal.h).
//
// In:  a keyword's JSON. Out: the value that it takes; false after an error. Schemas of items are atoms.
#include "keywords.h"

bool items_count_value(struct context *x, const struct json *v, bool least, struct value *out)
{
	uint32_t n;
	if (!keyword_count(x, v, least ? "minItems" : "maxItems", &n)) return false;
	*out = value_any();
	if (least)
		out->array = length_at_least(x, n);
	else if (n < 1u << 30)
		out->array = formula_not(x->s, length_at_least(x, n + 1));
	return true;
}

uint32_t prefix_length(const struct context *x)
{
	const struct json *prefix = x->draft == DRAFT_2020 ? json_get(x->node, "prefixItems") : NULL;
	const struct json *items = json_get(x->node, "items");
	if (prefix) return prefix->n;
	return items && items->kind == JSON_ARRAY && (x->draft < DRAFT_2020 || x->is_lenient) ? items->n : 0;
}

bool tuple_value(struct context *x, const struct json *list, struct value *out)
{
	formula *f = mem_alloc(((size_t)list->n + 1) * sizeof *f);
	for (uint32_t i = 0; i < list->n; i++) f[i] = items_from(x, i, i + 1, child_atom(x, list->items[i]));
	*out = value_of_array(formula_and(x->s, f, list->n));
	free(f);
	return !x->s->failed;
}

bool items_value(struct context *x, struct json *v, struct value *out)
{
	if (v->kind == JSON_ARRAY) {
		if (x->draft == DRAFT_2020 && !x->is_lenient)
			return keyword_wrong(x, v, "items", "a schema (a list is prefixItems)");
		return tuple_value(x, v, out);
	}
	*out = value_of_array(items_from(x, x->draft == DRAFT_2020 ? prefix_length(x) : 0, UINT32_MAX, child_atom(x, v)));
	return !x->s->failed;
}

bool contains_value(struct context *x, struct json *v, struct value *out)
{
	bool counts = x->draft >= DRAFT_2019;
	const struct json *min = counts ? json_get(x->node, "minContains") : NULL;
	const struct json *max = counts ? json_get(x->node, "maxContains") : NULL;
	uint32_t least = 1, most = UINT32_MAX;
	if (min && !keyword_count(x, min, "minContains", &least)) return false;
	if (max && !keyword_count(x, max, "maxContains", &most)) return false;
	atom a = child_atom(x, v);
	formula f[2] = {FORMULA_TRUE, FORMULA_TRUE};
	if (least) f[0] = formula_prim(x->s, PRIM_CONTAINS, least, a, 0);
	if (most < 1u << 30) f[1] = formula_not(x->s, formula_prim(x->s, PRIM_CONTAINS, most + 1, a, 0));
	*out = value_of_array(formula_and(x->s, f, 2));
	return !x->s->failed;
}

bool unique_value(struct context *x, const struct json *v, struct value *out)
{
	*out = value_any();
	if (v->kind == JSON_FALSE) return true;
	if (v->kind != JSON_TRUE) return keyword_wrong(x, v, "uniqueItems", "true or false");
	out->array = formula_prim(x->s, PRIM_UNIQUE, v->number, 0, 0);
	return true;
}
