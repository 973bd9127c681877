// Styles of tags: the values that a schema allows.
//
// In:  a schema inside the arguments. Out: its cases (parameters_internal.h): strings as they stand, all else as JSON,
// objects and lists as tags where the style has these inside. A type, enum, const, anyOf, oneOf or reference says which
// cases there are. Each schema is looked at once among the alternatives of a value. Recursion over the schema,
// NOTATION_MAX_NESTING deep. Cost: linear, but for the JSON values' own.
#include "../schema/schema.h"
#include "parameters_internal.h"
#include "pattern.h"

const char *const parameters_types[N_TYPES] = {"string", "number", "integer", "boolean", "object", "array", "null"};

void parameters_fail(struct writing *w, const char *why)
{
	if (!w->failed) w->why = why;
	w->failed = true;
}

// ---- Schemas

// Has it a keyword that is none of these and no annotation? Then its name.
const char *parameters_further(const cJSON *schema, const char *const *known)
{
	static const char *const annotation[] = {"title",    "description", "default", "examples", "deprecated",
	                                         "$defs",    "$id",         "$schema", "$comment", "definitions",
	                                         "readOnly", "writeOnly",   NULL};
	const cJSON *member;
	cJSON_ArrayForEach(member, schema)
	{
		bool is_known = false;
		for (uint32_t i = 0; annotation[i] && !is_known; i++) is_known = !strcmp(member->string, annotation[i]);
		for (uint32_t i = 0; known[i] && !is_known; i++) is_known = !strcmp(member->string, known[i]);
		if (!is_known) return member->string;
	}
	return NULL;
}

// #/$defs/NAME; NULL after an error.
static const cJSON *referred(struct writing *w, const char *ref)
{
	static const char *const places[] = {"$defs", "definitions"};
	if (!strcmp(ref, "#")) return w->p->schema;
	for (uint32_t i = 0; i < 2; i++) {
		size_t n = strlen(places[i]);
		if (strncmp(ref, "#/", 2) != 0 || strncmp(ref + 2, places[i], n) != 0 || ref[2 + n] != '/') continue;
		const cJSON *at = get(get(w->p->schema, places[i]), ref + 3 + n);
		if (at) return at;
	}
	fail(w, "the reference \"%s\" in a style of tags must be #/$defs/NAME", ref);
	return NULL;
}

// A schema without its one reference, or its allOf of one.
const cJSON *parameters_resolved(struct writing *w, const cJSON *schema)
{
	for (uint32_t n = 0; cJSON_IsObject(schema); n++) {
		const char *ref = cJSON_GetStringValue(get(schema, "$ref"));
		const cJSON *all = get(schema, "allOf");
		bool one = cJSON_GetArraySize(all) == 1;
		if (!ref && !one) break;
		const char *more = parameters_further(schema, (const char *const[]){ref ? "$ref" : "allOf", NULL});
		if (more) fail(w, "\"%s\" beside \"%s\" is not supported in a style of tags", more, ref ? "$ref" : "allOf");
		if (n > NOTATION_MAX_NESTING) fail(w, "references lead back to themselves");
		schema = w->failed ? NULL : ref ? referred(w, ref) : all->child;
	}
	return schema;
}

// ---- Values

static void add_case(value_cases *to, piece_id p, bool is_string, const char *type)
{
	vec_push(to, ((struct value_case){p, is_string, type}));
}

// Does a keyword stand in the schema or one inside it? Names of properties and values are no keywords.
static bool has_keyword(const cJSON *schema, const char *keyword)
{
	static const char *const values[] = {"const", "enum", "default", "examples"};
	static const char *const by_name[] = {"properties", "patternProperties", "$defs", "definitions",
	                                      "dependentSchemas"};
	VEC(const cJSON *) schemas = {0};
	bool found = false;
	vec_push(&schemas, schema);
	for (uint32_t i = 0; i < schemas.n && !found; i++) {
		const cJSON *key, *inner;
		cJSON_ArrayForEach(key, schemas.at[i])
		{
			bool is_list = cJSON_IsArray(schemas.at[i]);
			found |= !is_list && !strcmp(key->string, keyword);
			bool is_value = false, names = false;
			for (uint32_t k = 0; k < 4 && !is_list; k++) is_value |= !strcmp(key->string, values[k]);
			for (uint32_t k = 0; k < 5 && !is_list; k++) names |= !strcmp(key->string, by_name[k]);
			if (names) {
				cJSON_ArrayForEach(inner, key) vec_push(&schemas, inner);
			} else if (!is_value) {
				vec_push(&schemas, key);
			}
		}
	}
	vec_release(&schemas);
	return found;
}

const char *excludes_obstacle(const cJSON *schema)
{
	static const char *const keywords[] = {"pattern",       "format",    "patternProperties",
	                                       "propertyNames", "minLength", "maxLength"};
	for (uint32_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
		if (has_keyword(schema, keywords[i])) return keywords[i];
	return NULL;
}

static void add_json_text(struct writing *w, const char *said, const char *type, value_cases *to)
{
	const struct embedding e = {.name = arena_printf(&w->x->r->arena, "value_%u", w->x->n_named++),
	                            .text = said,
	                            .most_blanks = w->p->most_blanks,
	                            .any_order = w->p->any_order,
	                            .strings = w->allowed};
	piece_id p;
	if (embed_schema(w->x->r, rules_languages(w->x->r), &e, &p))
		add_case(to, p, false, !strcmp(type, "integer") ? "number" : type);
	else
		w->failed = true;
}

// JSON of the schema, with `type` instead of its types.
static void add_json(struct writing *w, const cJSON *schema, const char *type, value_cases *to)
{
	cJSON *own = cJSON_Duplicate(schema, true);
	cJSON_DeleteItemFromObjectCaseSensitive(own, "type"), cJSON_AddStringToObject(own, "type", type);
	for (uint32_t i = 0; i < 2; i++) {
		const char *place = i ? "definitions" : "$defs";
		if (get(w->p->schema, place) && !get(own, place))
			cJSON_AddItemToObject(own, place, cJSON_Duplicate(get(w->p->schema, place), true));
	}
	char *said = cJSON_PrintUnformatted(own);
	cJSON_Delete(own);
	if (!said) work_out_of_memory(0);
	const char *kept = arena_strndup(&w->x->r->arena, said, strlen(said));
	cJSON_free(said);
	add_json_text(w, kept, type, to);
}

uint32_t parameters_bound(struct writing *w, const cJSON *schema, const char *key, uint32_t otherwise)
{
	const cJSON *n = get(schema, key);
	if (!n) return otherwise;
	if (!cJSON_IsNumber(n) || n->valuedouble < 0 || n->valuedouble > NOTATION_MAX_REPEAT)
		fail(w, "\"%s\" must be a number up to %u", key, NOTATION_MAX_REPEAT);
	return w->failed ? otherwise : (uint32_t)n->valuedouble;
}

// The texts of a format; one that is an annotation has any, the closing too.
static piece_id format_piece(struct writing *w, const cJSON *schema)
{
	const char *name = cJSON_GetStringValue(get(schema, "format"));
	if (get(schema, "pattern") || get(schema, "minLength") || get(schema, "maxLength"))
		fail(w, "\"format\" beside a pattern or a bound of the length is not supported in a style of tags");
	language l =
		w->failed ? LANGUAGE_ERROR : schema_format_language(rules_languages(w->x->r), name ? name : "", w->x->r->diag);
	if (l == LANGUAGE_ERROR) {
		fail(w, "the format \"%s\" is not supported in a style of tags", name ? name : "");
		return parts_nothing(w->x);
	}
	if (w->style->has_tags_inside && l == LANGUAGE_ANY) return w->unquoted;
	if (is_m3(w)) fail(w, "the format \"%s\" is not supported in the style %s", name, w->style->name);
	return parts_language(w->x, l);
}

static void add_string(struct writing *w, const cJSON *schema, value_cases *to)
{
	struct notation_rules *r = w->x->r;
	const char *pattern = cJSON_GetStringValue(get(schema, "pattern"));
	const char *const *known = (const char *const[]){"type", "pattern", "minLength", "maxLength", "format", NULL};
	const char *more = parameters_further(schema, is_m3(w) ? (const char *const[]){"type", "format", NULL} : known);
	if (more) fail(w, "\"%s\" of a string is not supported in the style %s", more, w->style->name);
	piece_id p = w->unquoted;
	if (get(schema, "format")) {
		p = format_piece(w, schema);
	} else if (pattern) {
		const struct pattern said = {.text = pattern, .len = strlen(pattern), .loc = w->x->loc};
		if (get(schema, "minLength") || get(schema, "maxLength"))
			fail(w, "\"pattern\" beside a bound of the length is not supported in a style of tags");
		if (!w->failed && !pattern_read(r, &said, r->diag, &p)) w->failed = true;
	} else if (get(schema, "minLength") || get(schema, "maxLength")) {
		uint32_t least = parameters_bound(w, schema, "minLength", 0),
				 most = parameters_bound(w, schema, "maxLength", TERM_UNBOUNDED);
		p = piece_repeat(r, piece_set(r, &(code_ranges){0}, true, w->x->loc), least, most, w->x->loc);
	}
	add_case(to, p, true, "string");
}

static void add_typed(struct writing *w, const cJSON *schema, const char *type, value_cases *to)
{
	uint32_t i = 0;
	while (i < N_TYPES && strcmp(parameters_types[i], type) != 0) i++;
	if (i == N_TYPES)
		fail(w, "\"%s\" is no type", type);
	else if (i == 0)
		add_string(w, schema, to);
	else if (w->style->has_tags_inside && (!strcmp(type, "object") || !strcmp(type, "array")))
		add_case(to, parameters_inside(w, schema, type), false, type);
	else
		add_json(w, schema, type, to);
}

static const char *literal_type(const cJSON *value)
{
	if (cJSON_IsString(value)) return "string";
	if (cJSON_IsNumber(value)) return "number";
	if (cJSON_IsBool(value)) return "boolean";
	return cJSON_IsNull(value) ? "null" : cJSON_IsArray(value) ? "array" : "object";
}

// Has the text none of the excluded strings? NULL has none.
bool parameters_allowed(const struct writing *w, const char *said)
{
	for (uint32_t i = 0; said && i < w->p->excludes.n; i++)
		if (strstr(said, w->p->excludes.at[i])) return false;
	return true;
}

// A value as JSON writes it, a string without quotes.
piece_id parameters_literal_text(struct writing *w, const cJSON *value)
{
	const char *string = cJSON_GetStringValue(value);
	char *said = string ? NULL : cJSON_PrintUnformatted(value);
	if (!string && !said) work_out_of_memory(0);
	const char *from = string ? string : said;
	piece_id p = piece_text(w->x->r, from, strlen(from), w->x->loc);
	cJSON_free(said);
	return p;
}

static void add_literal(struct writing *w, const cJSON *value, value_cases *to)
{
	piece_id p = is_m3(w) ? parameters_literal_inside(w, value) : parameters_literal_text(w, value);
	if (!parameters_allowed(w, cJSON_GetStringValue(value))) p = parts_nothing(w->x);
	if (w->p->excludes.n && !cJSON_IsString(value) && (cJSON_IsObject(value) || cJSON_IsArray(value)))
		fail(w, "\"excludes\" beside a list or an object that the schema writes out is not supported");
	// What the schema writes out is JSON in cohere_xml, an object too.
	add_case(to, p, cJSON_IsString(value), w->style->says == SAYS_FORM ? NULL : literal_type(value));
}

static void add_any(struct writing *w, value_cases *to)
{
	if (is_m3(w)) fail(w, "the style %s needs values that say their type", w->style->name);
	if (w->failed) return;
	add_case(to, w->unquoted, true, NULL);
	if (w->style->says == SAYS_STRING || w->style->says == SAYS_FORM) {
		add_json_text(w, "{\"type\":\"number\"}", "number", to);
		add_json_text(w, "{\"type\":\"boolean\"}", "boolean", to);
		add_json_text(w, "{\"type\":\"null\"}", "null", to);
	}
	if (w->style->has_tags_inside) {
		add_case(to, parameters_inside(w, NULL, "object"), false, "object");
		add_case(to, parameters_inside(w, NULL, "array"), false, "array");
		return;
	}
	add_json_text(w, "{\"type\":\"object\",\"additionalProperties\":true}", "object", to);
	add_json_text(w, "{\"type\":\"array\"}", "array", to);
}

static void add_alternatives(struct writing *w, const cJSON *schema, const char *key, value_cases *to)
{
	const char *more = parameters_further(schema, (const char *const[]){key, NULL});
	const cJSON *one;
	if (more) fail(w, "\"%s\" beside \"%s\" is not supported in a style of tags", more, key);
	cJSON_ArrayForEach(one, get(schema, key)) if (!w->failed) parameters_add_cases(w, one, to);
}

static void add_types(struct writing *w, const cJSON *schema, value_cases *to)
{
	static const char *const of_object[] = {"properties", "required", "additionalProperties", NULL};
	const cJSON *type = get(schema, "type"), *one;
	if (cJSON_IsString(type)) {
		add_typed(w, schema, type->valuestring, to);
	} else if (cJSON_IsArray(type)) {
		cJSON_ArrayForEach(one, type) if (!w->failed)
			add_typed(w, schema, cJSON_IsString(one) ? one->valuestring : "", to);
	} else if (!parameters_further(schema, (const char *const[]){NULL})) {
		add_any(w, to);
	} else if (!parameters_further(schema, of_object)) {
		add_typed(w, schema, "object", to);
	} else
		fail(w, "a value without \"type\" that has \"%s\" is not supported in a style of tags",
		     parameters_further(schema, of_object));
}

static void add_schema(struct writing *w, const cJSON *schema, value_cases *to)
{
	const cJSON *value;
	if (!schema || cJSON_IsTrue(schema))
		add_any(w, to);
	else if (!cJSON_IsObject(schema))
		fail(w, "no value is allowed by the schema false");
	else if (get(schema, "const"))
		add_literal(w, get(schema, "const"), to);
	else if (cJSON_IsArray(get(schema, "enum")))
		cJSON_ArrayForEach(value, get(schema, "enum")) add_literal(w, value, to);
	else if (get(schema, "anyOf"))
		add_alternatives(w, schema, "anyOf", to);
	else if (get(schema, "oneOf"))
		add_alternatives(w, schema, "oneOf", to);
	else
		add_types(w, schema, to);
}

// An alternative twice is the alternative, and one that leads to itself adds nothing: each schema counts once.
void parameters_add_cases(struct writing *w, const cJSON *schema, value_cases *to)
{
	if (++w->nesting > NOTATION_MAX_NESTING)
		fail(w, "schemas nest deeper than %u (NOTATION_MAX_NESTING)", NOTATION_MAX_NESTING);
	schema = parameters_resolved(w, schema);
	if (w->failed) return;
	if (map64_get(&w->seen, (uintptr_t)schema) == MAP64_NONE) {
		map64_put(&w->seen, (uintptr_t)schema, 1);
		add_schema(w, schema, to);
	}
	w->nesting--;
}
