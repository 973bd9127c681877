// Keywords that speak of one simple value: types, lists of values, bounds, lengths.
//
// In:  a keyword's JSON. Out: the value that it takes (internal.h); false after an error.
#include "keywords.h"

// Gemini's API has the same names in capitals.
#define N_TYPES 7u
static uint32_t type_number(const struct json *t)
{
	static const char *const names[] = {"null", "boolean", "object", "array", "number", "string", "integer",
	                                    "NULL", "BOOLEAN", "OBJECT", "ARRAY", "NUMBER", "STRING", "INTEGER"};
	uint32_t k = 0;
	while (k < 2 * N_TYPES && !json_is(t, names[k])) k++;
	return k;
}

bool null_is_added(const struct json *node)
{
	const struct json *said = json_get(node, "nullable"), *list;
	if (!said || said->kind != JSON_TRUE) return false;
	while ((list = json_get(node, "anyOf")) && list->kind == JSON_ARRAY && list->n) node = list->items[0];
	const uint32_t k = type_number(json_get(node, "type"));
	return k >= N_TYPES && k < 2 * N_TYPES;
}

static bool type_value(struct context *x, const struct json *t, struct value *out)
{
	if (t->kind == JSON_OBJECT && x->draft == DRAFT_4) return keyword_wrong(x, t, "type", "a name or a list of names");
	const uint32_t k = type_number(t);
	struct value v = value_none();
	switch (k < 2 * N_TYPES ? k % N_TYPES : k) {
	case 0: v.simple = SIMPLE_NULL; break;
	case 1: v.simple = SIMPLE_TRUE | SIMPLE_FALSE; break;
	case 2: v.object = FORMULA_TRUE; break;
	case 3: v.array = FORMULA_TRUE; break;
	case 4: v.numbers = LANGUAGE_ANY; break;
	case 5: v.strings.of = LANGUAGE_ANY; break;
	case 6: v.numbers = numbers_integer(x->s, x->draft == DRAFT_4).of; break;
	default:
		if (json_is(t, "any")) {
			*out = value_any();
			return true;
		}
		return keyword_wrong(x, t, "type",
		                     "\"null\", \"boolean\", \"object\", \"array\", \"number\", \"string\" or \"integer\"");
	}
	*out = v;
	return true;
}

// OpenAPI 3.0's `nullable`, which counts beside `type` alone. JSON Schema has no such keyword.
static void and_nullable(struct context *x, struct value *out)
{
	const struct json *said = json_get(x->node, "nullable");
	if (!said || said->kind != JSON_TRUE || out->simple & SIMPLE_NULL || null_is_added(x->node)) return;
	if (x->is_openapi_3)
		out->simple |= SIMPLE_NULL;
	else
		schema_warning(
			x->s, said->loc,
			"\"nullable\" is a keyword of OpenAPI 3.0, not of JSON Schema: null is none of the values; list the "
			"type \"null\", or write \"openapi\": \"3.0.3\" into the document [schema-nullable]");
}

bool types_value(struct context *x, const struct json *t, struct value *out)
{
	if (t->kind == JSON_STRING) {
		if (!type_value(x, t, out)) return false;
		and_nullable(x, out);
		return true;
	}
	if (t->kind != JSON_ARRAY) return keyword_wrong(x, t, "type", "a name or a list of names");
	*out = value_none();
	for (uint32_t i = 0; i < t->n; i++) {
		struct value one;
		bool is_schema = x->is_draft_3 && t->items[i]->kind == JSON_OBJECT;
		if (!(is_schema ? value_in_place(x, t->items[i], &one) : type_value(x, t->items[i], &one))) return false;
		*out = value_or(x->s, *out, one);
	}
	return true;
}

bool enum_value(struct context *x, const struct json *list, struct value *out)
{
	if (list->kind != JSON_ARRAY) return keyword_wrong(x, list, "enum", "a list");
	VEC(struct language_text) texts = {0};
	VEC(struct value) others = {0};
	for (uint32_t i = 0; i < list->n; i++) {
		const struct json *j = list->items[i];
		if (j->kind == JSON_STRING)
			vec_push(&texts, ((struct language_text){j->text, j->len}));
		else
			vec_push(&others, value_of_json(x->s, j));
	}
	struct value v = value_any_of(x->s, others.at, others.n);
	vec_release(&others);
	if (texts.n) v.strings.of = language_of_texts(x->s->languages, texts.at, texts.n);
	vec_release(&texts);
	*out = v;
	return true;
}

bool bound_value(struct context *x, const struct json *v, const char *keyword, enum number_bound kind,
                 struct value *out)
{
	struct decimal d;
	if (!keyword_number(x, v, keyword, &d)) return false;
	if (!decimal_is_short(&d)) return too_many_digits(x->s, v);
	*out = value_of_numbers(numbers_bound(x->s, kind, &d));
	return true;
}

// exclusiveMaximum, exclusiveMinimum: numbers, or flags of maximum and minimum (draft 4, and what generators write into
// schemas of other drafts).
bool exclusive_value(struct context *x, const struct json *v, bool is_least, struct value *out)
{
	const char *keyword = is_least ? "exclusiveMinimum" : "exclusiveMaximum";
	if (v->kind == JSON_TRUE || v->kind == JSON_FALSE) {
		const struct json *bound = json_get(x->node, is_least ? "minimum" : "maximum");
		*out = value_any();
		if (v->kind == JSON_FALSE || !bound) return true;
		return bound_value(x, bound, keyword, is_least ? NUMBER_MORE : NUMBER_LESS, out);
	}
	return bound_value(x, v, keyword, is_least ? NUMBER_MORE : NUMBER_LESS, out);
}

bool multiple_value(struct context *x, const struct json *v, struct value *out)
{
	struct decimal d;
	struct numbers n;
	*out = value_any();
	if (!keyword_number(x, v, "multipleOf", &d)) return false;
	if (!d.n || d.negative) return keyword_wrong(x, v, "multipleOf", "more than 0");
	if (!numbers_multiple(x->s, &d, &n))
		return schema_unenforced(x->s, v, "multipleOf", NULL,
		                         "multipleOf: as a whole number the divisor, without the zeros at its end, passes "
		                         "SCHEMA_MAX_MODULUS (100000)");
	*out = value_of_numbers(n);
	return true;
}

bool length_value(struct context *x, const struct json *v, bool least, struct value *out)
{
	uint32_t n;
	const char *keyword = least ? "minLength" : "maxLength";
	if (!keyword_count(x, v, keyword, &n)) return false;
	*out = value_any();
	if (least)
		out->strings.least = n;
	else if (n < 1u << 30)
		out->strings.most = n;
	return true;
}
