// The values that a schema lists: those of const or enum, true and false, null, and arrays whose places list theirs.
//
// In:  an atom.  Out: an atom for each value, or that the schema lists none. uniqueItems tells few of them apart by the
// parser's states (arrays.c).
// Cost: quadratic in an enum; at most SCHEMA_MAX_UNIQUE arrays, TUPLES_MAX_DEPTH of them in each other.
#include "keywords.h"

#define TUPLES_MAX_DEPTH 3u

// A JSON array of these values; the same list is the same atom.
static atom tuple_of(struct schema *s, const atom *list, uint32_t n)
{
	struct json *v = arena_alloc(s->arena, sizeof *v);
	*v = (struct json){.kind = JSON_ARRAY, .n = n, .items = arena_array(s->arena, n, sizeof *v->items)};
	for (uint32_t i = 0; i < n; i++) v->items[i] = s->atoms.at[list[i]]->node;
	v->number = SCHEMA_MAX_VALUES + 3 + intern_add(&s->tuples, list, n * sizeof *list, NULL);
	return atom_const(s, v);
}

static bool list_values(struct schema *s, atom a, uint32_t depth, u32_list *out);

// Arrays of which a schema lists the items of each place: all that these make, of each length that is possible. Few of
// them; `depth` of them in each other.
// Branches: what says how many items there are, each place, each tuple so far.
static bool list_tuples(struct schema *s, const struct atom_info *i, uint32_t depth, u32_list *out)
{
	struct context x = context_of(s, i->node, i->scope);
	const struct json *prefix = x.draft == DRAFT_2020 ? json_get(i->node, "prefixItems") : NULL;
	const struct json *places = prefix ? prefix : json_get(i->node, "items");
	const struct json *rest = json_get(i->node, prefix ? "items" : "additionalItems");
	const struct json *least = json_get(i->node, "minItems"), *most = json_get(i->node, "maxItems");
	uint32_t from = 0, to = UINT32_MAX;
	if (!depth || !places || places->kind != JSON_ARRAY || places->n > SCHEMA_MAX_UNIQUE) return false;
	if ((least && !keyword_count(&x, least, "minItems", &from)) || (most && !keyword_count(&x, most, "maxItems", &to)))
		return false;
	if (to > places->n && !(rest && rest->kind == JSON_FALSE)) return false;
	atom tuple[SCHEMA_MAX_UNIQUE][SCHEMA_MAX_UNIQUE], longer[SCHEMA_MAX_UNIQUE][SCHEMA_MAX_UNIQUE];
	const uint32_t before = out->n;
	uint32_t n = 1;
	bool ok = true;
	for (uint32_t at = 0; ok; at++) {
		for (uint32_t k = 0; k < n && at >= from; k++) vec_push(out, tuple_of(s, tuple[k], at));
		if (at == places->n || at == to) break;
		u32_list values = {0};
		ok = list_values(s, child_atom(&x, places->items[at]), depth - 1, &values) && n * values.n <= SCHEMA_MAX_UNIQUE;
		for (uint32_t k = 0; ok && k < n * values.n; k++) {
			memcpy(longer[k], tuple[k / values.n], at * sizeof *tuple[0]);
			longer[k][at] = values.at[k % values.n];
		}
		n *= values.n;
		if (ok) memcpy(tuple, longer, sizeof tuple);
		vec_release(&values);
	}
	if (!ok) out->n = before;
	return ok;
}

// The values that a schema lists, or more than it has, as atoms; false: they are not listed.
// Branches: a schema lists its values by const, by enum, by a type, by its items, or not at all.
static bool list_values(struct schema *s, atom a, uint32_t depth, u32_list *out)
{
	const struct atom_info *i = s->atoms.at[a];
	if (i->kind == ATOM_KIND_CONST) {
		vec_push(out, a);
		return true;
	}
	if (i->kind != ATOM_KIND_NODE || i->node->kind != JSON_OBJECT || null_is_added(i->node)) return false;
	const struct json *list = json_get(i->node, "enum"), *type = json_get(i->node, "type");
	struct json *one = json_get(i->node, "const");
	if (one) {
		vec_push(out, atom_const(s, one));
		return true;
	}
	bool simple = json_is(type, "boolean") || json_is(type, "null");
	static const enum json_kind kinds[] = {JSON_TRUE, JSON_FALSE, JSON_NULL};
	for (uint32_t k = 0; simple && k < 3; k++) {
		if ((kinds[k] == JSON_NULL) != json_is(type, "null")) continue;
		struct json *v = arena_alloc(s->arena, sizeof *v);
		v->kind = kinds[k], v->number = SCHEMA_MAX_VALUES + k;
		vec_push(out, atom_const(s, v));
	}
	if (simple) return true;
	if (!list && json_is(type, "array")) return list_tuples(s, i, depth, out);
	if (!list || list->kind != JSON_ARRAY) return false;
	for (uint32_t k = 0; k < list->n; k++) {
		bool known = false;
		for (uint32_t j = 0; j < k && !known; j++) known = json_equal(list->items[j], list->items[k]);
		if (!known) vec_push(out, atom_const(s, list->items[k]));
	}
	return true;
}

bool listed_atoms(struct schema *s, atom a, u32_list *out) { return list_values(s, a, TUPLES_MAX_DEPTH, out); }
