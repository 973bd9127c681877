// Keywords of objects: what their keys and entries have to be, as formulas over prims (internal.h).
//
// In:  a keyword's JSON. Out: the value that it takes; false after an error. Schemas of entries are atoms.
#include "keywords.h"

bool properties_value(struct context *x, const struct json *p, struct value *out)
{
	if (p->kind != JSON_OBJECT) return keyword_wrong(x, p, "properties", "an object");
	formula *f = mem_alloc((2 * (size_t)p->n + 1) * sizeof *f);
	uint32_t *keys = mem_alloc(((size_t)p->n + 1) * sizeof *keys), n = p->n;
	for (uint32_t i = 0; i < p->n; i++) {
		keys[i] = key_number(x->s, p->members[i].key, p->members[i].key_len);
		const struct json *required = x->is_draft_3 ? json_get(p->members[i].value, "required") : NULL;
		if (required && required->kind == JSON_TRUE) f[n++] = has_key(x, keys[i]);
		f[i] = all_of_keys(x, keyset_of(x->s, false, &keys[i], 1, NULL, 0), child_atom(x, p->members[i].value));
	}
	*out = value_of_object(formula_and(x->s, f, n));
	out->order = order_of(x->s, keys, p->n);
	free(f), free(keys);
	return !x->s->failed;
}

// Gemini's annotation: in which order the properties come.
uint32_t properties_ordered(struct context *x)
{
	const struct json *list = json_get(x->node, "propertyOrdering"), *properties = json_get(x->node, "properties");
	if (!list) list = json_get(x->node, "property_ordering");
	if (!list || list->kind != JSON_ARRAY || !list->n) return 0;
	uint32_t *keys = mem_alloc(list->n * sizeof *keys), n = 0;
	for (uint32_t i = 0; i < list->n; i++)
		if (list->items[i]->kind == JSON_STRING && json_get(properties, list->items[i]->text))
			keys[n++] = key_number(x->s, list->items[i]->text, list->items[i]->len);
	const uint32_t order = order_of(x->s, keys, n);
	free(keys);
	return order;
}

bool pattern_properties_value(struct context *x, const struct json *p, struct value *out)
{
	if (p->kind != JSON_OBJECT) return keyword_wrong(x, p, "patternProperties", "an object");
	*out = value_any();
	for (uint32_t i = 0; i < p->n; i++) {
		language l;
		if (!pattern_of_key(x, &p->members[i], &l)) return false;
		formula f = all_of_keys(x, keyset_of(x->s, false, NULL, 0, &l, 1), child_atom(x, p->members[i].value));
		*out = value_and(x->s, *out, value_of_object(f));
	}
	return !x->s->failed;
}

// Keys that neither properties nor patternProperties beside it name.
bool other_keys(struct context *x, uint32_t *set)
{
	const struct json *p = json_get(x->node, "properties"), *q = json_get(x->node, "patternProperties");
	u32_list keys = {0}, patterns = {0};
	bool ok = true;
	for (uint32_t i = 0; p && p->kind == JSON_OBJECT && i < p->n; i++)
		vec_push(&keys, key_number(x->s, p->members[i].key, p->members[i].key_len));
	for (uint32_t i = 0; q && q->kind == JSON_OBJECT && i < q->n && ok; i++) {
		language l;
		ok = pattern_of_key(x, &q->members[i], &l);
		vec_push(&patterns, l);
	}
	if (ok) *set = keyset_of(x->s, true, keys.at, keys.n, patterns.at, patterns.n);
	vec_release(&keys), vec_release(&patterns);
	return ok;
}

bool additional_value(struct context *x, struct json *v, struct value *out)
{
	uint32_t set;
	if (!other_keys(x, &set)) return false;
	*out = value_of_object(all_of_keys(x, set, child_atom(x, v)));
	return !x->s->failed;
}

bool names_value(struct context *x, struct json *v, struct value *out)
{
	// Keys outside of the names' language have values of no kind.
	const struct value *names = atom_value(x->s, child_atom(x, v));
	if (!names || x->s->failed) return false;
	*out = value_any();
	const struct strings n = strings_regular(x->s, names->strings);
	language l = strings_language(x->s, n);
	if (n.syntax) vec_push(&x->s->doubts, ((struct doubt){l, language_minus(x->s->languages, n.upper, l)}));
	if (l != LANGUAGE_ANY)
		out->object = formula_prim(x->s, PRIM_ALL, keyset_of(x->s, true, NULL, 0, &l, 1), ATOM_FALSE, 0);
	return true;
}

bool required_value(struct context *x, const struct json *v, struct value *out)
{
	*out = value_any();
	if (x->is_draft_3 && (v->kind == JSON_TRUE || v->kind == JSON_FALSE)) return true;  // of the object around it
	if (v->kind == JSON_TRUE || v->kind == JSON_FALSE) {
		schema_dropped(x->s, v, "required", NULL,
		               "a Boolean is draft 3's: in this draft it says nothing; list the key in "
		               "\"required\" of the object around it");
		return true;
	}
	if (v->kind != JSON_ARRAY) return keyword_wrong(x, v, "required", "a list of keys");
	formula *f = mem_alloc(((size_t)v->n + 1) * sizeof *f);
	uint32_t *keys = mem_alloc(((size_t)v->n + 1) * sizeof *keys), n = 0;
	for (uint32_t i = 0; i < v->n; i++) {
		if (v->items[i]->kind != JSON_STRING) {
			keyword_wrong(x, v->items[i], "required", "a list of keys");
			break;
		}
		keys[n] = key_number(x->s, v->items[i]->text, v->items[i]->len);
		f[n] = has_key(x, keys[n]), n++;
	}
	*out = value_of_object(formula_and(x->s, f, n));
	out->order = order_of(x->s, keys, n);
	free(f), free(keys);
	return !x->s->failed;
}

bool count_value(struct context *x, const struct json *v, bool least, struct value *out)
{
	uint32_t n;
	if (!keyword_count(x, v, least ? "minProperties" : "maxProperties", &n)) return false;
	*out = value_any();
	if (least)
		out->object = n ? formula_prim(x->s, PRIM_COUNT, n, 0, 0) : FORMULA_TRUE;
	else if (n < 1u << 30)
		out->object = formula_not(x->s, formula_prim(x->s, PRIM_COUNT, n + 1, 0, 0));
	return true;
}

// dependentRequired, dependentSchemas, dependencies (either).
bool dependent_value(struct context *x, const struct json *v, const char *keyword, struct value *out)
{
	struct schema *s = x->s;
	*out = value_any();
	if (v->kind != JSON_OBJECT) return keyword_wrong(x, v, keyword, "an object");
	for (uint32_t i = 0; i < v->n; i++) {
		struct json *to = v->members[i].value;
		uint32_t key = key_number(s, v->members[i].key, v->members[i].key_len);
		struct value then = value_any(), lacks = value_any();
		if (to->kind == JSON_ARRAY) {
			if (!required_value(x, to, &then)) return false;
			then.order = 0;
		} else if (to->kind == JSON_STRING) {
			then = value_of_object(has_key(x, key_number(s, to->text, to->len)));
		} else {
			const struct value *known = atom_value(s, child_atom(x, to));
			if (!known || s->failed) return false;
			then = *known;
		}
		lacks.object = formula_not(s, has_key(x, key));
		// Objects with the key are in `then`; what is no object is free.
		struct value one = value_any();
		one.object = formula_or(s, (formula[]){lacks.object, then.object}, 2);
		one.order = then.order;
		*out = value_and(s, *out, one);
	}
	return true;
}
