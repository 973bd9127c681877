// Keywords to values: what a schema says, in the algebra of value.c.
//
// In:  a schema's JSON. Out: its value. Schemas of members and items are atoms, which are evaluated when an automaton
// needs them: so recursion through them is no loop. Keywords that a draft does not have are ignored in it, as it says;
// where the draft is not known those of all drafts count. Every assertion is here, or refused by name.
#include "keywords.h"

atom child_atom(struct context *x, struct json *node)
{
	if (node->kind != JSON_OBJECT && node->kind != JSON_TRUE && node->kind != JSON_FALSE) {
		schema_error(x->s, node, "a schema is an object or true or false");
		return ATOM_FALSE;
	}
	return schema_atom(x->s, node, x->scope);
}

bool keyword_wrong(struct context *x, const struct json *at, const char *keyword, const char *expected)
{
	x->is_dropped =
		schema_unenforced(x->s, at, keyword, NULL, arena_printf(x->s->arena, "%s must be %s", keyword, expected));
	return false;
}

bool keyword_count(struct context *x, const struct json *v, const char *keyword, uint32_t *out)
{
	struct decimal d;
	if (v->kind != JSON_NUMBER || !decimal_read(v->text, v->len, &d) || d.negative || !decimal_is_integer(&d))
		return keyword_wrong(x, v, keyword, "a whole number that is not negative");
	if (!decimal_to_uint(&d, 1u << 30, out)) *out = 1u << 30;  // as good as without end
	return true;
}

bool keyword_number(struct context *x, const struct json *v, const char *keyword, struct decimal *out)
{
	if (v->kind != JSON_NUMBER) return keyword_wrong(x, v, keyword, "a number");
	if (decimal_read(v->text, v->len, out)) return true;
	return too_many_digits(x->s, v);
}

struct value value_of_numbers(struct numbers n)
{
	struct value v = value_any();
	v.numbers = n.of, v.numbers_plain = n.is_plain;
	return v;
}

struct value value_of_object(formula f)
{
	struct value v = value_any();
	v.object = f;
	return v;
}

struct value value_of_array(formula f)
{
	struct value v = value_any();
	v.array = f;
	return v;
}

formula all_of_keys(struct context *x, uint32_t set, atom a)
{
	const struct keyset *k = &x->s->keyset.at[set];
	if (a == ATOM_TRUE || (!k->negated && !k->n_keys && !k->n_patterns)) return FORMULA_TRUE;
	return formula_prim(x->s, PRIM_ALL, set, a, 0);
}

formula has_key(struct context *x, uint32_t key) { return formula_prim(x->s, PRIM_HAS, key, 0, 0); }

formula items_from(struct context *x, uint32_t from, uint32_t to, atom a)
{
	return a == ATOM_TRUE ? FORMULA_TRUE : formula_prim(x->s, PRIM_ITEMS, from, to, a);
}

formula length_at_least(struct context *x, uint32_t n)
{
	return n ? formula_prim(x->s, PRIM_LENGTH, n, 0, 0) : FORMULA_TRUE;
}

// Keys that match a pattern; patterns that are plain words need no automaton of their own.
bool pattern_of_key(struct context *x, const struct json_member *m, language *out)
{
	const char *why;
	*out = pattern_language(x->s, m->key, m->key_len, &why);
	if (*out == LANGUAGE_ERROR) schema_error(x->s, m->value, "%s", why);
	return *out != LANGUAGE_ERROR;
}

struct context context_of(struct schema *s, struct json *node, uint32_t scope)
{
	uint32_t resource = schema_resource(s, node);
	schema_read_metaschema(s, resource);
	return (struct context){.s = s,
	                        .node = node,
	                        .resource = resource,
	                        .scope = scope_enter(s, scope, resource),
	                        .draft = s->resources.at[resource].draft,
	                        .is_lenient = s->resources.at[resource].is_lenient,
	                        .is_draft_3 = s->resources.at[resource].is_draft_3,
	                        .is_openapi_3 = s->resources.at[resource].is_openapi_3,
	                        .no_validation = s->resources.at[resource].no_validation};
}

// Why strings of this schema cannot be told to be regular expressions (regex_syntax.c); NULL: they can.
static const char *no_regex_here(const struct context *x)
{
	const struct schema_options *o = x->s->o;
	if (o->format == SCHEMA_FORMAT_KNOWN)
		return "format \"regex\" is enforced by --format assert alone, which refuses schemas with other conditions for "
			   "the string";
	if (o->whole_strings || o->all_escapes)
		return "format \"regex\" is not supported in structural tags and with --escapes all, as its groups nest";
	return NULL;
}

static bool format_or_refuse(struct context *x, const struct json *v, struct value *out)
{
	if (v->kind != JSON_STRING) return keyword_wrong(x, v, "format", "a name");
	*out = value_any();
	if (x->s->o->format == SCHEMA_FORMAT_ANNOTATION) return true;
	const char *why = json_is(v, "regex") ? no_regex_here(x) : NULL;
	if (!why && format_value(x->s, v, out)) return true;
	*out = value_any();
	if (!why) why = arena_printf(x->s->arena, "there is no format \"%s\" that gcdc knows", v->text);
	if (x->s->o->format == SCHEMA_FORMAT_KNOWN) return schema_dropped(x->s, v, "format", v->text, why), true;
	return schema_unenforced(x->s, v, "format", v->text, why);
}

static bool pattern_value(struct context *x, const struct json *v, struct value *out)
{
	const char *why;
	uint32_t least, most;
	if (v->kind != JSON_STRING) return keyword_wrong(x, v, "pattern", "a regular expression");
	*out = value_any();
	const char *counted = pattern_counted(x->s, v->text, v->len, &least, &most);
	if (counted) out->strings.of = pattern_language(x->s, counted, (uint32_t)strlen(counted), &why);
	if (counted && out->strings.of != LANGUAGE_ERROR) {
		out->strings.least = least, out->strings.most = most;
		return true;
	}
	out->strings.of = pattern_language(x->s, v->text, v->len, &why);
	if (out->strings.of == LANGUAGE_NOTHING) x->s->no_text = v;
	if (out->strings.of != LANGUAGE_ERROR) return true;
	out->strings.of = LANGUAGE_ANY;
	return schema_unenforced(x->s, v, "pattern", NULL, why);
}

// Of the vocabulary of validation: a metaschema of the user's own may leave it out.
static bool is_validation(const char *key)
{
	static const char *const known[] = {"type",
	                                    "enum",
	                                    "const",
	                                    "multipleOf",
	                                    "maximum",
	                                    "minimum",
	                                    "minLength",
	                                    "maxLength",
	                                    "exclusiveMaximum",
	                                    "exclusiveMinimum",
	                                    "pattern",
	                                    "maxItems",
	                                    "minItems",
	                                    "uniqueItems",
	                                    "required",
	                                    "maxProperties",
	                                    "minProperties",
	                                    "dependentRequired"};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(known[i], key) == 0) return true;
	return false;
}

// 1: done, 0: an error, -1: not one of these.
// Branches: one line for each keyword, with the drafts of JSON Schema that have it.
static int keyword_value(struct context *x, const char *key, struct json *v, struct value *out)
{
#define KEY(name) (strcmp(key, name) == 0)
	enum draft draft = x->draft;
	bool old = draft <= DRAFT_7 || x->is_lenient, is_2019 = draft >= DRAFT_2019;
	if (KEY("type")) return types_value(x, v, out);
	if (KEY("enum")) return enum_value(x, v, out);
	if (KEY("const") && draft >= DRAFT_6) return *out = value_of_json(x->s, v), true;
	if (KEY("minimum")) return bound_value(x, v, key, NUMBER_LEAST, out);
	if (KEY("maximum")) return bound_value(x, v, key, NUMBER_MOST, out);
	if (KEY("exclusiveMinimum")) return exclusive_value(x, v, true, out);
	if (KEY("exclusiveMaximum")) return exclusive_value(x, v, false, out);
	if (KEY("multipleOf") || (KEY("divisibleBy") && x->is_lenient)) return multiple_value(x, v, out);
	if (KEY("minLength")) return length_value(x, v, true, out);
	if (KEY("maxLength")) return length_value(x, v, false, out);
	if (KEY("pattern")) return pattern_value(x, v, out);
	if (KEY("format")) return format_or_refuse(x, v, out);
	if (KEY("properties")) return properties_value(x, v, out);
	if (KEY("patternProperties")) return pattern_properties_value(x, v, out);
	if (KEY("additionalProperties")) return additional_value(x, v, out);
	if (KEY("propertyNames") && draft >= DRAFT_6) return names_value(x, v, out);
	if (KEY("minProperties")) return count_value(x, v, true, out);
	if (KEY("maxProperties")) return count_value(x, v, false, out);
	if (KEY("dependencies") && old) return dependent_value(x, v, key, out);
	if ((KEY("dependentRequired") || KEY("dependentSchemas")) && is_2019) return dependent_value(x, v, key, out);
	if (KEY("minItems")) return items_count_value(x, v, true, out);
	if (KEY("maxItems")) return items_count_value(x, v, false, out);
	if (KEY("uniqueItems")) return unique_value(x, v, out);
	if (KEY("prefixItems") && draft == DRAFT_2020) {
		if (v->kind != JSON_ARRAY) return keyword_wrong(x, v, key, "a list of schemas");
		return tuple_value(x, v, out);
	}
	if (KEY("items")) return items_value(x, v, out);
	if (KEY("additionalItems") && (draft <= DRAFT_2019 || x->is_lenient)) {
		const struct json *items = json_get(x->node, "items");
		*out = value_any();
		if (!items || items->kind != JSON_ARRAY) return true;
		*out = value_of_array(items_from(x, items->n, UINT32_MAX, child_atom(x, v)));
		return !x->s->failed;
	}
	if (KEY("contains") && draft >= DRAFT_6) return contains_value(x, v, out);
	if (KEY("allOf") || KEY("anyOf") || KEY("oneOf")) return list_value(x, v, key, out);
	if (KEY("not")) {
		if (!value_in_place(x, v, out)) return false;
		*out = value_not(x->s, *out);
		return true;
	}
	if (KEY("extends") && x->is_draft_3) return extends_value(x, v, out);
	if (KEY("disallow") && x->is_draft_3) return disallow_value(x, v, out);
	if (KEY("if") && draft >= DRAFT_7) return if_value(x, v, out);
	if (KEY("$ref") || (KEY("$dynamicRef") && draft == DRAFT_2020) || (KEY("$recursiveRef") && draft == DRAFT_2019))
		return reference_value(x, v, key, out);
#undef KEY
	return -1;
}

// With --closed, an object that says nothing of others takes none.
static bool close_object(struct context *x, struct value *v)
{
	struct json *node = x->node;
	bool speaks = json_get(node, "properties") && !json_get(node, "additionalProperties") &&
	              !json_get(node, "unevaluatedProperties") && !json_get(node, "patternProperties");
	uint32_t set;
	if (!x->s->o->closed || !speaks) return true;
	if (!other_keys(x, &set)) return false;
	*v = value_and(x->s, *v, value_of_object(all_of_keys(x, set, ATOM_FALSE)));
	return true;
}

static bool and_unevaluated(struct context *x, const char *keyword, bool keys, struct value *v)
{
	struct json *rest = x->draft >= DRAFT_2019 ? json_get(x->node, keyword) : NULL;
	struct value one;
	if (!rest) return true;
	if (!unevaluated_value(x, rest, keys, &one)) return false;
	*v = value_and(x->s, *v, one);
	return true;
}

// As strings_settled makes them.
static bool fit_otherwise(struct schema *s, struct strings a)
{
	if (strings_are_counted(s, a)) return true;
	a.of = without_long_leap_seconds(s, a.of);
	return strings_fit(s, a);
}

// Lengths beside a pattern, format or list of strings: those that it keeps anyway say nothing, and others are told
// apart as one automaton with it, within bounds.
static bool tidy_lengths(struct context *x, struct strings *a)
{
	struct schema *s = x->s;
	const bool has_most = a->most != TERM_UNBOUNDED;
	uint64_t size;
	if (!a->of || a->of == LANGUAGE_ANY || a->syntax || (!has_most && !a->least)) return true;
	const uint32_t longest = language_longest(s, a->of, has_most ? a->most : a->least, &size);
	if (has_most && longest <= a->most) a->most = TERM_UNBOUNDED;
	if (size <= SCHEMA_MAX_BESIDE || fit_otherwise(s, *a)) return true;
	const char *keyword = a->most == TERM_UNBOUNDED ? "minLength" : "maxLength";
	const struct json *at = json_get(x->node, keyword);
	const char *why = arena_printf(s->arena,
	                               "%s beside a pattern, format or list: the automaton of both has more steps than "
	                               "SCHEMA_MAX_BESIDE (%u)",
	                               keyword, SCHEMA_MAX_BESIDE);
	if (!at) return true;  // another schema says so, and has looked
	if (!schema_unenforced(s, at, keyword, NULL, why)) return false;
	if (a->most == TERM_UNBOUNDED)
		a->least = 0;
	else
		a->most = TERM_UNBOUNDED;
	return true;
}

// Branches: a reference alone, a metaschema without validation, and three keywords that come behind all others.
static bool evaluate_keywords(struct context *x, struct value *out)
{
	struct schema *s = x->s;
	struct json *node = x->node, *reference = json_get(node, "$ref");
	struct value v = value_any(), one;
	struct json *required = json_get(node, "required");
	bool only_reference = reference && ((x->draft <= DRAFT_7 && !x->is_lenient) || x->is_openapi_3);
	if (only_reference) return reference_value(x, reference, "$ref", out);
	if (x->no_validation) required = NULL;
	v.order = properties_ordered(x);
	for (uint32_t i = 0; i < node->n; i++) {
		if (x->no_validation && is_validation(node->members[i].key)) continue;
		x->is_dropped = false;
		int done = keyword_value(x, node->members[i].key, node->members[i].value, &one);
		if (!done && x->is_dropped) continue;
		if (!done) return false;
		if (done > 0) v = value_and(s, v, one);
	}
	// Their keys come behind those that something says more about.
	x->is_dropped = false;
	bool is_said = required && required_value(x, required, &one);
	if (required && !is_said && !x->is_dropped) return false;
	if (is_said) v = value_and(s, v, one);
	if (!and_unevaluated(x, "unevaluatedProperties", true, &v)) return false;
	if (!and_unevaluated(x, "unevaluatedItems", false, &v)) return false;
	if (!close_object(x, &v) || !tidy_lengths(x, &v.strings)) return false;
	if (null_is_added(node)) v.simple |= SIMPLE_NULL;
	*out = v;
	return !s->failed;
}

bool schema_evaluate(struct schema *s, struct json *node, uint32_t scope, struct value *out)
{
	struct atom_info *info = s->atoms.at[schema_atom(s, node, scope)];
	if (node->kind == JSON_TRUE || node->kind == JSON_FALSE) {
		*out = node->kind == JSON_TRUE ? value_any() : value_none();
		return true;
	}
	if (node->kind != JSON_OBJECT) {
		schema_error(s, node, "a schema is an object or true or false");
		return false;
	}
	if (info->is_open) {
		schema_error(s, node, "this schema applies itself to the same value again, without end");
		return false;
	}
	if (s->depth >= SCHEMA_MAX_IN_PLACE) work_too_large("SCHEMA_MAX_IN_PLACE", SCHEMA_MAX_IN_PLACE);
	s->depth++;
	info->is_open = true;
	struct context x = context_of(s, node, scope);
	bool ok = evaluate_keywords(&x, out);
	info->is_open = false;
	s->depth--;
	return ok;
}
