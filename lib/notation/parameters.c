// A schema's properties as tags: <parameter=city>Ulm</parameter>, and the other styles of tool calls that XGrammar has.
//
// In:  the schema of an object, a style. Out: a piece.
// A property is white space, what opens it with its name, its value, and what closes it. They come in the order of the
// schema, then further ones where the schema allows them. Values that are strings stand without quotes and hold no
// closing; other values are JSON, read by the schema's front end, with white space around. In cohere_xml and
// minimax_m3_xml objects and lists in values are tags, too: each is a rule, so a schema may lead back to itself. Which
// cases a value has is read off the schema: its type, enum, const, anyOf, oneOf and references. What that cannot say is
// refused by name. Recursion over the schema, NOTATION_MAX_NESTING deep. Cost: linear, but for the JSON values' own;
// with a bound of the number of properties quadratic in them.
#include "parameters.h"

#include <cjson/cJSON.h>

#include "../base/map64.h"
#include "../schema/schema.h"
#include "embed.h"
#include "pattern.h"

// What stands between a property's name and its value.
enum says {
	SAYS_NOTHING,
	SAYS_STRING,  // `true">` or `false">`: is it one?
	SAYS_TYPE,    // JSON's name of its type
	SAYS_FORM,    // `raw">`, `json">`, `dict">` or `list">`
};
struct style {
	const char *name, *open, *behind_name, *before_value, *close;
	enum says says;
	bool has_tags_inside;  // objects and lists in values are tags, too
	bool closes_by_name;   // behind close `</NAME>`
};
#define DSML                                                                                                           \
	"\xEF\xBD\x9C"                                                                                                     \
	"DSML"                                                                                                             \
	"\xEF\xBD\x9C"
#define M3 "]<]minimax[>["
static const struct style styles[] = {
	{"qwen_xml", "<parameter=", ">", "", "</parameter>", SAYS_NOTHING, false, false},
	{"minimax_xml", "<parameter name=\"", "\">", "", "</parameter>", SAYS_NOTHING, false, false},
	{"minimax_m3_xml", M3 "<", ">", "", M3, SAYS_NOTHING, true, true},
	{"glm_xml", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", SAYS_NOTHING, false, false},
	{"deepseek_xml", "<" DSML "parameter name=\"", "\" string=\"", "", "</" DSML "parameter>", SAYS_STRING, false,
     false},
	{"deepseek_v4_1_xml", "<" DSML " parameter name=\"", "\" string=\"", "", "</" DSML " parameter>", SAYS_STRING,
     false, false},
	{"kimi_k3_xml", "<|open|>argument key=\"", "\" type=\"", "\"<|sep|>", "<|close|>argument<|sep|>", SAYS_TYPE, false,
     false},
	{"cohere_xml", "<cofl:value name=\"", "\" type=\"", "", "</cofl:value>", SAYS_FORM, true, false},
};
#define N_STYLES (sizeof styles / sizeof *styles)
static const char *const types[] = {"string", "number", "integer", "boolean", "object", "array", "null"};
#define N_TYPES (sizeof types / sizeof *types)

// A value that a property may have.
struct value_case {
	piece_id piece;
	bool is_string;
	const char *type;  // NULL: of any
};
typedef VEC(struct value_case) value_cases;

struct writing {
	struct parts *x;
	const struct parameters *p;
	const struct style *style;
	piece_id space, any_name, unquoted;
	uint32_t nesting;
	struct map64 seen;     // schemas that are among the alternatives of the value at hand
	language allowed;      // what strings and names may be; LANGUAGE_NOTHING: anything
	struct map64 written;  // rules of the objects and lists inside, by schema and kind
	const char *why;
	bool failed;
};

static const cJSON *get(const cJSON *o, const char *key) { return cJSON_GetObjectItemCaseSensitive(o, key); }

#define fail(w, ...) fail_as((w), arena_printf(&(w)->x->r->arena, __VA_ARGS__))
static void fail_as(struct writing *w, const char *why)
{
	if (!w->failed) w->why = why;
	w->failed = true;
}

static piece_id text(struct writing *w, const char *s) { return parts_text(w->x, s); }

static bool is_m3(const struct writing *w) { return w->style->closes_by_name; }

// ---- Schemas

// Has it a keyword that is none of these and no annotation? Then its name.
static const char *further(const cJSON *schema, const char *const *known)
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
static const cJSON *resolved(struct writing *w, const cJSON *schema)
{
	for (uint32_t n = 0; cJSON_IsObject(schema); n++) {
		const char *ref = cJSON_GetStringValue(get(schema, "$ref"));
		const cJSON *all = get(schema, "allOf");
		bool one = cJSON_GetArraySize(all) == 1;
		if (!ref && !one) break;
		const char *more = further(schema, (const char *const[]){ref ? "$ref" : "allOf", NULL});
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

bool schema_has_keyword(const cJSON *schema, const char *keyword)
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
		if (schema_has_keyword(schema, keywords[i])) return keywords[i];
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

static uint32_t bound_of(struct writing *w, const cJSON *schema, const char *key, uint32_t otherwise)
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
	struct rules *r = w->x->r;
	const char *pattern = cJSON_GetStringValue(get(schema, "pattern"));
	const char *const *known = (const char *const[]){"type", "pattern", "minLength", "maxLength", "format", NULL};
	const char *more = further(schema, is_m3(w) ? (const char *const[]){"type", "format", NULL} : known);
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
		uint32_t least = bound_of(w, schema, "minLength", 0), most = bound_of(w, schema, "maxLength", TERM_UNBOUNDED);
		p = piece_repeat(r, piece_set(r, &(code_ranges){0}, true, w->x->loc), least, most, w->x->loc);
	}
	add_case(to, p, true, "string");
}

static piece_id inside(struct writing *w, const cJSON *schema, const char *type);

static void add_typed(struct writing *w, const cJSON *schema, const char *type, value_cases *to)
{
	uint32_t i = 0;
	while (i < N_TYPES && strcmp(types[i], type) != 0) i++;
	if (i == N_TYPES)
		fail(w, "\"%s\" is no type", type);
	else if (i == 0)
		add_string(w, schema, to);
	else if (w->style->has_tags_inside && (!strcmp(type, "object") || !strcmp(type, "array")))
		add_case(to, inside(w, schema, type), false, type);
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

static piece_id literal_inside(struct writing *w, const cJSON *value);

// Has the text none of the excluded strings? NULL has none.
static bool is_allowed(const struct writing *w, const char *said)
{
	for (uint32_t i = 0; said && i < w->p->excludes.n; i++)
		if (strstr(said, w->p->excludes.at[i])) return false;
	return true;
}

// A value as JSON writes it, a string without quotes.
static piece_id literal_text(struct writing *w, const cJSON *value)
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
	piece_id p = is_m3(w) ? literal_inside(w, value) : literal_text(w, value);
	if (!is_allowed(w, cJSON_GetStringValue(value))) p = parts_nothing(w->x);
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
		add_case(to, inside(w, NULL, "object"), false, "object");
		add_case(to, inside(w, NULL, "array"), false, "array");
		return;
	}
	add_json_text(w, "{\"type\":\"object\",\"additionalProperties\":true}", "object", to);
	add_json_text(w, "{\"type\":\"array\"}", "array", to);
}

static void add_cases(struct writing *w, const cJSON *schema, value_cases *to);

static void add_alternatives(struct writing *w, const cJSON *schema, const char *key, value_cases *to)
{
	const char *more = further(schema, (const char *const[]){key, NULL});
	const cJSON *one;
	if (more) fail(w, "\"%s\" beside \"%s\" is not supported in a style of tags", more, key);
	cJSON_ArrayForEach(one, get(schema, key)) if (!w->failed) add_cases(w, one, to);
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
	} else if (!further(schema, (const char *const[]){NULL})) {
		add_any(w, to);
	} else if (!further(schema, of_object)) {
		add_typed(w, schema, "object", to);
	} else
		fail(w, "a value without \"type\" that has \"%s\" is not supported in a style of tags",
		     further(schema, of_object));
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
static void add_cases(struct writing *w, const cJSON *schema, value_cases *to)
{
	if (++w->nesting > NOTATION_MAX_NESTING)
		fail(w, "schemas nest deeper than %u (NOTATION_MAX_NESTING)", NOTATION_MAX_NESTING);
	schema = resolved(w, schema);
	if (w->failed) return;
	if (map64_get(&w->seen, (uintptr_t)schema) == MAP64_NONE) {
		map64_put(&w->seen, (uintptr_t)schema, 1);
		add_schema(w, schema, to);
	}
	w->nesting--;
}

// ---- Properties

static piece_id around(struct writing *w, piece_id value)
{
	return parts_seq(w->x, w->space, parts_seq(w->x, value, w->space));
}

static piece_id closed(struct writing *w, piece_id value) { return parts_seq(w->x, value, text(w, w->style->close)); }

// Free text up to and with the closing.
static piece_id string_closed(struct writing *w)
{
	const struct strings close = {&w->style->close, 1};
	if (free_text_obstacle(w->x, close)) return closed(w, w->unquoted);
	return free_text_until(w->x, strings_join(w->x, close, w->p->excludes), close, FREE_ANY);
}

static bool is_plain_string(const cJSON *schema)
{
	const char *type = cJSON_GetStringValue(get(schema, "type"));
	return type && !strcmp(type, "string") && !further(schema, (const char *const[]){"type", NULL});
}

static const char *mark(const struct writing *w, const struct value_case *c)
{
	if (w->style->says == SAYS_STRING) return c->is_string ? "true\">" : "false\">";
	if (c->is_string) return "raw\">";
	bool is_list = c->type && !strcmp(c->type, "array"), is_object = c->type && !strcmp(c->type, "object");
	return is_list ? "list\">" : is_object ? "dict\">" : "json\">";
}

// What tells each case by itself: `string="true">value</...>`, `type="raw">value</...>`.
static piece_id cases_marked(struct writing *w, const value_cases *cases)
{
	piece_id all = parts_nothing(w->x);
	for (uint32_t i = 0; i < cases->n; i++) {
		const struct value_case *c = &cases->at[i];
		bool has_space = c->piece != w->unquoted && (!c->is_string || w->style->says == SAYS_FORM);
		piece_id p = has_space                 ? closed(w, around(w, c->piece))
		             : c->piece == w->unquoted ? string_closed(w)
		                                       : closed(w, c->piece);
		all = parts_alt(w->x, all, parts_seq(w->x, text(w, mark(w, c)), p));
	}
	return all;
}

// The type of all cases, where the schema says it itself; else any type's name.
static piece_id type_piece(struct writing *w, const cJSON *schema, const value_cases *cases)
{
	bool says_it = get(schema, "const") || get(schema, "enum") || cJSON_IsString(get(schema, "type"));
	const char *type = cases->n ? cases->at[0].type : NULL;
	for (uint32_t i = 0; i < cases->n && type; i++)
		if (!cases->at[i].type || strcmp(cases->at[i].type, type) != 0) type = NULL;
	if (type && says_it) return text(w, type);
	piece_id p = parts_nothing(w->x);
	for (uint32_t i = 0; i < N_TYPES; i++) p = parts_alt(w->x, p, text(w, types[i]));
	return p;
}

// What the style writes for a sign of a property's name, NULL: itself.
static const char *escape(const struct writing *w, char c)
{
	bool is_form = w->style->says == SAYS_FORM;
	if (w->style->says != SAYS_TYPE && !is_form) return NULL;
	if (c == '&') return "&amp;";
	if (c == '"') return "&quot;";
	return !is_form ? NULL : c == '<' ? "&lt;" : c == '>' ? "&gt;" : NULL;
}

static const char *escaped(struct writing *w, const char *name)
{
	const char *out = "";
	for (const char *c = name; *c; c++) {
		const char *e = escape(w, *c);
		out = e ? arena_printf(&w->x->r->arena, "%s%s", out, e) : arena_printf(&w->x->r->arena, "%s%c", out, *c);
	}
	return out;
}

static piece_id name_piece(struct writing *w, const char *name)
{
	if (is_m3(w) && (!name[strspn(name, " \t\n\r\f\v")] || *name == '/' || strchr(name, '>')))
		fail(w, "\"%s\" cannot be the name of a tag of the style %s", name, w->style->name);
	const char *said = escaped(w, name);
	return is_allowed(w, said) ? piece_text(w->x->r, said, strlen(said), w->x->loc) : parts_nothing(w->x);
}

// The name of a further property. Names of the schema's are none in a style whose names are escaped text.
static piece_id any_name(struct writing *w, const cJSON *properties)
{
	struct languages *store = rules_languages(w->x->r);
	if (w->style->says != SAYS_FORM) return w->any_name;
	static const char pattern[] = "([^\"&<>]|&amp;|&lt;|&gt;|&quot;)+";
	const struct regex_text said = {pattern, sizeof pattern - 1, 0, w->x->loc, "name"};
	language l = language_of_regex(store, &said, w->x->r->diag);
	uint32_t n = 0;
	struct language_text *names =
		arena_array(&w->x->r->arena, (size_t)cJSON_GetArraySize(properties) + 1, sizeof *names);
	const cJSON *one;
	cJSON_ArrayForEach(one, properties)
	{
		const char *name = escaped(w, one->string);
		names[n++] = (struct language_text){name, strlen(name)};
	}
	return parts_language(w->x, n ? language_minus(store, l, language_of_texts(store, names, n)) : l);
}

// A value behind `opened`, up to and with what closes it: `name` is the tag's that closes_by_name.
static piece_id valued(struct writing *w, piece_id opened, const char *name, const cJSON *schema)
{
	value_cases cases = {0};
	struct parts *x = w->x;
	struct map64 around_it = w->seen;  // of the value that this one is inside of
	w->seen = (struct map64){0};
	add_cases(w, schema, &cases);
	map64_release(&w->seen);
	w->seen = around_it;
	piece_id p = opened;
	if (w->style->says == SAYS_STRING || w->style->says == SAYS_FORM) {
		p = parts_seq(x, p, cases_marked(w, &cases));
	} else {
		if (w->style->says == SAYS_TYPE) p = parts_seq(x, p, type_piece(w, schema, &cases));
		if (!strcmp(w->style->name, "glm_xml")) p = parts_seq(x, p, w->space);
		p = parts_seq(x, p, text(w, w->style->before_value));
		piece_id value = parts_nothing(x);
		for (uint32_t i = 0; i < cases.n; i++) value = parts_alt(x, value, cases.at[i].piece);
		if (!is_m3(w)) value = around(w, value);
		p = parts_seq(x, p, is_plain_string(schema) ? string_closed(w) : closed(w, value));
	}
	if (is_m3(w)) p = parts_seq(x, p, text(w, arena_printf(&x->r->arena, "</%s>", name)));
	vec_release(&cases);
	return p;
}

static piece_id opening(struct writing *w, piece_id name)
{
	return parts_seq(w->x, parts_seq(w->x, text(w, w->style->open), name), text(w, w->style->behind_name));
}

static piece_id property(struct writing *w, piece_id name, const char *said, const cJSON *schema)
{
	piece_id p = parts_seq(w->x, w->space, valued(w, opening(w, name), said, schema));
	return parts_named(w->x, "property", p);
}

static bool is_required(const cJSON *object, const char *name)
{
	const cJSON *one;
	cJSON_ArrayForEach(one,
	                   get(object, "required")) if (cJSON_IsString(one) && !strcmp(one->valuestring, name)) return true;
	return false;
}

// The properties of an object, in the order of the schema.
struct members {
	const piece_id *own;
	const bool *must;
	uint32_t n;
	piece_id more;         // further ones, or nothing
	uint32_t least, most;  // how many; most: TERM_UNBOUNDED
};

// Those behind so many, for each number up to the last that makes a difference: the next one is there or not, and at
// the end further ones make up the number.
static piece_id counted_members(struct writing *w, const struct members *m)
{
	struct parts *x = w->x;
	bool is_endless = m->most == TERM_UNBOUNDED;
	uint32_t last = is_endless && m->least < m->n ? m->least : m->n;
	piece_id *rest = arena_array(&x->r->arena, (size_t)last + 1, sizeof *rest);
	for (uint32_t count = 0; count <= last; count++) {
		uint32_t least = m->least > count ? m->least - count : 0;
		rest[count] = count > m->most
		                  ? parts_nothing(x)
		                  : piece_repeat(x->r, m->more, least, is_endless ? m->most : m->most - count, x->loc);
	}
	for (uint32_t i = m->n; i-- > 0;)
		for (uint32_t count = 0; count <= (i < last ? i : last); count++) {
			piece_id with = parts_seq(x, m->own[i], rest[count < last ? count + 1 : last]);
			rest[count] = parts_named(x, "members", m->must[i] ? with : parts_alt(x, with, rest[count]));
		}
	return rest[0];
}

static piece_id plain_members(struct writing *w, const struct members *m)
{
	struct parts *x = w->x;
	piece_id p = parts_empty(x);
	for (uint32_t i = 0; i < m->n; i++)
		p = parts_seq(x, p, m->must[i] ? m->own[i] : parts_alt(x, m->own[i], parts_empty(x)));
	return parts_seq(x, p, piece_repeat(x->r, m->more, 0, TERM_UNBOUNDED, x->loc));
}

// Further properties: those of patterns, and others where there are properties of their own.
static piece_id more_members(struct writing *w, const cJSON *schema, bool is_open)
{
	const cJSON *patterns = get(schema, "patternProperties"), *properties = get(schema, "properties"), *one;
	piece_id p = parts_nothing(w->x);
	cJSON_ArrayForEach(one, patterns)
	{
		const struct pattern said = {.text = one->string, .len = strlen(one->string), .loc = w->x->loc};
		piece_id name = p;
		if (is_m3(w)) fail(w, "\"patternProperties\" is not supported in the style %s", w->style->name);
		if (w->failed || !pattern_read(w->x->r, &said, w->x->r->diag, &name)) w->failed = true;
		if (!w->failed) p = parts_alt(w->x, p, property(w, name, "", one));
	}
	if (!is_open || w->failed || (patterns && !properties)) return p;
	return parts_alt(w->x, p, property(w, any_name(w, properties), "", get(schema, "additionalProperties")));
}

// Branches: which properties there are, how many, in which order, and the empty object.
static piece_id object(struct writing *w, const cJSON *schema)
{
	static const char *const known[] = {"type",          "properties",    "required",          "additionalProperties",
	                                    "minProperties", "maxProperties", "patternProperties", NULL};
	const cJSON *properties = get(schema, "properties"), *further_of = get(schema, "additionalProperties"), *one;
	const char *more = further(schema, known);
	struct parts *x = w->x;
	if (more) fail(w, "\"%s\" of the object is not supported in a style of tags", more);
	bool is_open = further_of ? !cJSON_IsFalse(further_of) : !further(schema, (const char *const[]){"type", NULL});
	if (is_open && is_m3(w) && further_of)
		fail(w, "the style %s has no further properties: set \"additionalProperties\" to false", w->style->name);
	size_t n = (size_t)cJSON_GetArraySize(properties);
	piece_id *own = arena_array(&x->r->arena, n, sizeof *own), any;
	bool *must = arena_array(&x->r->arena, n, sizeof *must);
	struct members m = {.own = own, .must = must, .more = more_members(w, schema, is_open && !is_m3(w))};
	m.least = bound_of(w, schema, "minProperties", 0);
	m.most = bound_of(w, schema, "maxProperties", TERM_UNBOUNDED);
	any = m.more;
	uint32_t required = 0;
	cJSON_ArrayForEach(one, properties)
	{
		if (w->failed) return any;
		own[m.n] = property(w, name_piece(w, one->string), one->string, one);
		must[m.n] = is_required(schema, one->string);
		required += must[m.n];
		any = parts_alt(x, any, own[m.n++]);
	}
	bool may_be_empty = !m.least && !required;
	if (is_m3(w) && !m.least) m.least = 1;
	if (w->p->any_order && required > m.least) m.least = required;
	piece_id p = w->p->any_order                       ? piece_repeat(x->r, any, m.least, m.most, x->loc)
	             : m.least || m.most != TERM_UNBOUNDED ? counted_members(w, &m)
	                                                   : plain_members(w, &m);
	p = parts_seq(x, p, w->space);
	return is_m3(w) && may_be_empty ? parts_alt(x, p, parts_empty(x)) : p;  // without white space there
}

// ---- Objects and lists inside, where these are tags

static piece_id item(struct writing *w, const cJSON *schema)
{
	if (!is_m3(w)) return valued(w, text(w, "<cofl:value type=\""), "", schema);
	return parts_seq(w->x, w->space, valued(w, opening(w, text(w, "item")), "item", schema));
}

// Branches: which items there are, how many, and what the two styles do otherwise.
static piece_id list(struct writing *w, const cJSON *schema)
{
	static const char *const known[] = {"type", "items", "prefixItems", "minItems", "maxItems", NULL};
	const cJSON *items = get(schema, "items"), *first = get(schema, "prefixItems"), *one;
	const char *more = further(schema, known);
	struct parts *x = w->x;
	if (more) fail(w, "\"%s\" of a list is not supported in the style %s", more, w->style->name);
	bool is_open = items ? !cJSON_IsFalse(items) : !further(schema, (const char *const[]){"type", NULL});
	if (is_m3(w) && !items) is_open = false;
	uint32_t least = bound_of(w, schema, "minItems", 0), most = bound_of(w, schema, "maxItems", TERM_UNBOUNDED);
	uint32_t n = (uint32_t)cJSON_GetArraySize(first), k = 0;
	if (least > most || n > most)
		fail(w, "no list has so many items as \"minItems\", \"maxItems\" and \"prefixItems\" say");
	if (w->failed) return parts_nothing(x);
	// cohere_xml has all of prefixItems. Of minimax_m3_xml a list that has some has at least minItems of them, and no
	// white space is in an empty one.
	uint32_t fewest = is_m3(w) && !least ? 1 : least;
	piece_id *each = arena_array(&x->r->arena, n, sizeof *each);
	cJSON_ArrayForEach(one, first) each[k++] = item(w, one);
	piece_id rest = is_open ? item(w, items) : parts_nothing(x);
	piece_id p =
		piece_repeat(x->r, rest, fewest > n ? fewest - n : 0, most == TERM_UNBOUNDED ? most : most - n, x->loc);
	while (k--) {
		p = parts_seq(x, each[k], p);
		if (is_m3(w) && k >= fewest) p = parts_alt(x, p, parts_empty(x));
		p = parts_named(x, "items", p);
	}
	if (!is_m3(w)) return parts_seq(x, w->space, parts_seq(x, p, w->space));
	p = parts_seq(x, p, w->space);
	return least ? p : parts_alt(x, p, parts_empty(x));
}

// A value of minimax_m3_xml that the schema writes out.
static piece_id literal_inside(struct writing *w, const cJSON *value)
{
	struct parts *x = w->x;
	bool is_list = cJSON_IsArray(value);
	piece_id p = parts_empty(x);
	const cJSON *one;
	if (++w->nesting > NOTATION_MAX_NESTING)
		fail(w, "values nest deeper than %u (NOTATION_MAX_NESTING)", NOTATION_MAX_NESTING);
	if (cJSON_IsString(value) && strstr(value->valuestring, M3)) fail(w, "a string of the schema has %s in it", M3);
	if (w->failed) return p;
	if (is_list || cJSON_IsObject(value)) {
		cJSON_ArrayForEach(one, value)
		{
			const char *name = is_list ? "item" : one->string;
			piece_id open = opening(w, name_piece(w, name));
			p = parts_seq(x, p, parts_seq(x, open, literal_inside(w, one)));
			p = parts_seq(x, p, text(w, arena_printf(&x->r->arena, M3 "</%s>", name)));
		}
	} else {
		p = literal_text(w, value);
	}
	w->nesting--;
	return p;
}

static piece_id inside(struct writing *w, const cJSON *schema, const char *type)
{
	bool is_list = !strcmp(type, "array");
	uint64_t key = (uint64_t)(uintptr_t)schema * 2 + is_list;
	uint64_t known = map64_get(&w->written, key);
	uint32_t rule = (uint32_t)known;
	if (known == MAP64_NONE) {
		const char *name =
			arena_printf(&w->x->r->arena, "%s%s_%u", w->x->prefix ? w->x->prefix : "", type, w->x->n_named++);
		rule = rule_number(w->x->r, name, strlen(name), w->x->loc);
		map64_put(&w->written, key, rule);
		piece_id body = is_list ? list(w, schema) : object(w, schema);
		w->x->r->rule.at[rule].body = body;
	}
	return piece_rule(w->x->r, rule, w->x->loc);
}

static piece_id whole(struct writing *w, const cJSON *schema)
{
	static const char *const either[] = {"anyOf", "oneOf"};
	const cJSON *one;
	if (++w->nesting > NOTATION_MAX_NESTING)
		fail(w, "schemas nest deeper than %u (NOTATION_MAX_NESTING)", NOTATION_MAX_NESTING);
	schema = resolved(w, schema);
	if (w->failed) return parts_nothing(w->x);
	const char *type = cJSON_GetStringValue(get(schema, "type"));
	for (uint32_t i = 0; i < 2; i++) {
		if (!get(schema, either[i])) continue;
		const char *more = further(schema, (const char *const[]){either[i], NULL});
		if (more) fail(w, "\"%s\" beside \"%s\" is not supported in a style of tags", more, either[i]);
		piece_id p = parts_nothing(w->x);
		cJSON_ArrayForEach(one, get(schema, either[i])) p = parts_alt(w->x, p, whole(w, one));
		w->nesting--;
		return p;
	}
	if (type && strcmp(type, "object") != 0) fail(w, "a style of tags needs the schema of an object, not of %s", type);
	w->nesting--;
	return object(w, schema);
}

bool parameters_known(const char *style)
{
	for (uint32_t i = 0; i < N_STYLES; i++)
		if (!strcmp(styles[i].name, style)) return true;
	return false;
}

// Strings and names without the excluded strings.
static void exclude(struct writing *w)
{
	struct languages *store = rules_languages(w->x->r);
	static const char name[] = "[a-zA-Z_][a-zA-Z0-9_]*";
	const struct regex_text said = {name, sizeof name - 1, 0, w->x->loc, "name"};
	const char *keyword = excludes_obstacle(w->p->schema);
	for (uint32_t i = 0; i < w->p->excludes.n; i++) {
		const char *one = w->p->excludes.at[i];
		if (strchr(" \t\r\n", *one) || strchr(" \t\r\n", one[strlen(one) - 1]))
			fail(w, "\"%s\" begins or ends with white space, which a style of tags cannot exclude", one);
	}
	if (w->style->has_tags_inside) fail(w, "\"excludes\" is not supported in the style %s", w->style->name);
	if (keyword) fail(w, "\"excludes\" beside \"%s\" is not supported", keyword);
	w->allowed = free_text_language(w->x, w->p->excludes);
	w->any_name = parts_language(w->x, language_and(store, language_of_regex(store, &said, w->x->r->diag), w->allowed));
}

bool parameters_read(struct parts *x, const struct parameters *p, piece_id *out, const char **why)
{
	struct writing w = {.x = x, .p = p, .style = styles};
	while (strcmp(w.style->name, p->style) != 0) w.style++;
	code_ranges blank = {0}, first = {0}, rest = {0};
	for (const char *c = "\t\n\r "; *c; c++) vec_push(&blank, ((struct code_range){(uint8_t)*c, (uint8_t)*c}));
	for (uint32_t i = 0; i < 4; i++) {
		const char *range = "AZaz__09" + 2 * i;
		const struct code_range both = {(uint8_t)range[0], (uint8_t)range[1]};
		if (i < 3) vec_push(&first, both);
		vec_push(&rest, both);
	}
	w.space = piece_repeat(x->r, piece_set(x->r, &blank, false, x->loc), 0,
	                       p->most_blanks == UINT32_MAX ? TERM_UNBOUNDED : p->most_blanks, x->loc);
	w.any_name = parts_seq(x, piece_set(x->r, &first, false, x->loc),
	                       piece_repeat(x->r, piece_set(x->r, &rest, false, x->loc), 0, TERM_UNBOUNDED, x->loc));
	vec_release(&blank), vec_release(&first), vec_release(&rest);
	if (p->excludes.n) exclude(&w);
	w.unquoted = free_text(x, strings_join(x, (struct strings){&w.style->close, 1}, p->excludes), FREE_ANY);
	*out = whole(&w, p->schema);
	map64_release(&w.written);
	*why = w.why;
	return !w.failed;
}
