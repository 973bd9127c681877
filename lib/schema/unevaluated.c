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

static bool collect(struct schema *s, struct json *node, uint32_t scope, bool keys, formula condition, uint32_t depth,
                    evaluated_list *out);

static bool collect_if(struct context *x, struct json *node, bool keys, formula condition, bool negated, uint32_t depth,
                       evaluated_list *out)
{
	struct value v;
	if (!node || (node->kind != JSON_OBJECT)) return true;
	if (!value_in_place(x, node, &v)) return false;
	formula own = keys ? v.object : v.array;
	if (negated) own = formula_not(x->s, own);
	return collect(x->s, node, x->scope, keys, formula_and(x->s, (formula[]){condition, own}, 2), depth, out);
}

// What the schema at node evaluates, given that it holds.
static bool collect(struct schema *s, struct json *node, uint32_t scope, bool keys, formula condition, uint32_t depth,
                    evaluated_list *out)
{
	if (node->kind != JSON_OBJECT || condition == FORMULA_FALSE) return true;
	if (depth > SCHEMA_MAX_IN_PLACE) work_too_large("SCHEMA_MAX_IN_PLACE", SCHEMA_MAX_IN_PLACE);
	struct context x = context_of(s, node, scope);
	struct json *j;
	uint32_t nothing = keyset_of(s, false, NULL, 0, NULL, 0), everything = keyset_of(s, true, NULL, 0, NULL, 0);
	if (keys) {
		uint32_t others, all = nothing;
		if (json_get(node, "additionalProperties") || json_get(node, "unevaluatedProperties")) {
			all = everything;
		} else if (json_get(node, "properties") || json_get(node, "patternProperties")) {
			if (!other_keys(&x, &others)) return false;
			struct keyset k = s->keyset.at[others];
			all = keyset_of(s, false, k.keys, k.n_keys, k.patterns, k.n_patterns);
		}
		if (all != nothing) vec_push(out, ((struct evaluated){condition, all, 0, ATOM_FALSE}));
	} else {
		uint32_t n = prefix_length(&x);
		struct json *items = json_get(node, "items");
		bool rest = items && items->kind != JSON_ARRAY;
		if (rest || json_get(node, "unevaluatedItems") || (json_get(node, "additionalItems") && items)) n = UINT32_MAX;
		struct json *contains = x.draft == DRAFT_2020 ? json_get(node, "contains") : NULL;
		if (n || contains)
			vec_push(out, ((struct evaluated){condition, 0, n, contains ? child_atom(&x, contains) : ATOM_FALSE}));
	}
	static const char *const lists[] = {"allOf", "anyOf", "oneOf"};
	for (size_t k = 0; k < 3; k++) {
		j = json_get(node, lists[k]);
		for (uint32_t i = 0; j && j->kind == JSON_ARRAY && i < j->n; i++)
			if (!(k == 0 ? collect(s, j->items[i], x.scope, keys, condition, depth + 1, out)
			             : collect_if(&x, j->items[i], keys, condition, false, depth + 1, out)))
				return false;
	}
	if ((j = json_get(node, "if")) && j->kind == JSON_OBJECT) {
		struct value c;
		if (!value_in_place(&x, j, &c)) return false;
		formula yes = keys ? c.object : c.array, no = formula_not(s, yes);
		struct json *then = json_get(node, "then"), *otherwise = json_get(node, "else");
		formula with = formula_and(s, (formula[]){condition, yes}, 2),
				without = formula_and(s, (formula[]){condition, no}, 2);
		if (!collect(s, j, x.scope, keys, with, depth + 1, out)) return false;
		if (then && !collect(s, then, x.scope, keys, with, depth + 1, out)) return false;
		if (otherwise && !collect(s, otherwise, x.scope, keys, without, depth + 1, out)) return false;
	}
	j = json_get(node, "dependentSchemas");
	for (uint32_t i = 0; keys && j && j->kind == JSON_OBJECT && i < j->n; i++) {
		formula has = has_key(&x, key_number(s, j->members[i].key, j->members[i].key_len));
		if (!collect(s, j->members[i].value, x.scope, keys, formula_and(s, (formula[]){condition, has}, 2), depth + 1,
		             out))
			return false;
	}
	static const char *const references[] = {"$ref", "$dynamicRef", "$recursiveRef"};
	for (size_t k = 0; k < 3; k++) {
		const struct json *r = json_get(node, references[k]);
		if (!r || r->kind != JSON_STRING) continue;
		struct json *target = schema_resolve(s, r, x.resource);
		if (!target) return false;
		if (k && s->has_dynamic && x.scope) {
			uint32_t len;
			const uint32_t *in = intern_get(&s->scopes, x.scope, &len);
			const char *hash = strchr(r->text, '#');
			for (uint32_t i = 0; i < len / 4; i++) {
				struct json *found =
					k == 1 ? schema_anchor(s, in[i], hash ? hash + 1 : "", hash ? strlen(hash + 1) : 0, true)
					: s->resources.at[in[i]].recursive_anchor ? s->resources.at[in[i]].root
															  : NULL;
				if (found) {
					target = found;
					break;
				}
			}
		}
		uint32_t inner = scope_enter(s, x.scope, schema_resource(s, target));
		if (!collect(s, target, inner, keys, condition, depth + 1, out)) return false;
	}
	return true;
}

// For each way in which the conditions can turn out: what is left over is in `a`.
static formula leftover(struct context *x, const evaluated_list *l, uint32_t i, uint32_t set, uint32_t items,
                        atom contains, atom a, bool keys)
{
	struct schema *s = x->s;
	if (i == l->n) {
		if (!keys)
			return items == UINT32_MAX ? FORMULA_TRUE
			                           : items_from(x, items, UINT32_MAX, atom_any_of(s, (atom[]){a, contains}, 2));
		struct keyset k = s->keyset.at[set];
		return all_of_keys(x, keyset_of(s, !k.negated, k.keys, k.n_keys, k.patterns, k.n_patterns), a);
	}
	const struct evaluated *e = &l->at[i];
	formula no = e->condition == FORMULA_TRUE ? FORMULA_FALSE : leftover(x, l, i + 1, set, items, contains, a, keys);
	formula yes;
	if (keys) {
		struct keyset k = s->keyset.at[set], m = s->keyset.at[e->set];
		if (m.negated || k.negated) {
			yes = FORMULA_TRUE;  // all keys: the only negated set here
		} else {
			u32_list names = {0}, patterns = {0};
			for (uint32_t j = 0; j < k.n_keys; j++) vec_push(&names, k.keys[j]);
			for (uint32_t j = 0; j < m.n_keys; j++) vec_push(&names, m.keys[j]);
			for (uint32_t j = 0; j < k.n_patterns; j++) vec_push(&patterns, k.patterns[j]);
			for (uint32_t j = 0; j < m.n_patterns; j++) vec_push(&patterns, m.patterns[j]);
			uint32_t both = keyset_of(s, false, names.at, names.n, patterns.at, patterns.n);
			vec_release(&names), vec_release(&patterns);
			yes = leftover(x, l, i + 1, both, items, contains, a, keys);
		}
	} else {
		yes = leftover(x, l, i + 1, set, e->items > items ? e->items : items,
		               atom_any_of(s, (atom[]){contains, e->contains}, 2), a, keys);
	}
	return formula_if(s, e->condition, yes, no);
}

bool unevaluated_value(struct context *x, struct json *v, bool keys, struct value *out)
{
	struct schema *s = x->s;
	evaluated_list list = {0};
	*out = value_any();
	atom a = child_atom(x, v);
	// Its own keyword does not count: it is what asks.
	bool ok = collect(s, x->node, x->scope, keys, FORMULA_TRUE, 0, &list);
	if (list.n && keys && !json_get(x->node, "additionalProperties")) {
		const struct json *p = json_get(x->node, "properties"), *q = json_get(x->node, "patternProperties");
		uint32_t others, nothing = keyset_of(s, false, NULL, 0, NULL, 0);
		list.at[0].set = nothing;
		if (ok && (p || q) && (ok = other_keys(x, &others))) {
			struct keyset k = s->keyset.at[others];
			list.at[0].set = keyset_of(s, false, k.keys, k.n_keys, k.patterns, k.n_patterns);
		}
	}
	if (list.n && !keys) {
		struct json *items = json_get(x->node, "items");
		bool rest = (items && items->kind != JSON_ARRAY) || (items && json_get(x->node, "additionalItems"));
		list.at[0].items = rest ? UINT32_MAX : prefix_length(x);
	}
	uint32_t unsure = 0;
	for (uint32_t i = 0; i < list.n; i++) unsure += list.at[i].condition != FORMULA_TRUE;
	if (ok && unsure > SCHEMA_MAX_UNEVALUATED) {
		vec_release(&list);
		return schema_unenforced(s, v, keys ? "unevaluatedProperties" : "unevaluatedItems", NULL,
		                         "more than SCHEMA_MAX_UNEVALUATED (12) subschemas decide what is evaluated");
	}
	if (ok) {
		formula f = leftover(x, &list, 0, keyset_of(s, false, NULL, 0, NULL, 0), 0, ATOM_FALSE, a, keys);
		*out = keys ? value_of_object(f) : value_of_array(f);
	}
	vec_release(&list);
	return ok && !s->failed;
}
