// A schema's properties as tags: <parameter=city>Ulm</parameter>, and the other styles of tool calls that XGrammar has.
//
// In:  the schema of an object, a style. Out: a piece.
// A property is white space, what opens it with its name, its value, and what closes it. They come in the order of the
// schema, then further ones where the schema allows them. Values that are strings stand without quotes and hold no
// closing; other values are JSON, read by the schema's front end, with white space around. Which cases a value has is
// read off the schema: its type, enum, const, anyOf, oneOf and references. What that cannot say is refused by name.
// Recursion over the schema, NOTATION_MAX_NESTING deep. Cost: linear, but for the JSON values' own.
#include "parameters.h"

#include <cjson/cJSON.h>

#include "../base/map64.h"
#include "embed.h"
#include "pattern.h"

struct style {
	const char *name, *open, *behind_name, *before_value, *close;
	bool says_string;  // before_value is ` string="true">` or ` string="false">`
	bool says_type;    // before_value stands behind a type
};
#define DSML                                                                                                           \
	"\xEF\xBD\x9C"                                                                                                     \
	"DSML"                                                                                                             \
	"\xEF\xBD\x9C"
static const struct style styles[] = {
	{"qwen_xml", "<parameter=", ">", "", "</parameter>", false, false},
	{"minimax_xml", "<parameter name=\"", "\">", "", "</parameter>", false, false},
	{"glm_xml", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", false, false},
	{"deepseek_xml", "<" DSML "parameter name=\"", "\" string=\"", "", "</" DSML "parameter>", true, false},
	{"deepseek_v4_1_xml", "<" DSML " parameter name=\"", "\" string=\"", "", "</" DSML " parameter>", true, false},
	{"kimi_k3_xml", "<|open|>argument key=\"", "\" type=\"", "\"<|sep|>", "<|close|>argument<|sep|>", false, true},
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
	struct map64 seen;  // schemas that are among the alternatives of the value at hand
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

// Does the keyword `properties` stand in the schema or one inside it? Names of properties and values are no keywords.
static bool has_objects(const char *said)
{
	static const char *const values[] = {"const", "enum", "default", "examples"};
	static const char *const by_name[] = {"patternProperties", "$defs", "definitions", "dependentSchemas"};
	cJSON *root = cJSON_Parse(said);
	VEC(const cJSON *) schemas = {0};
	bool found = false;
	vec_push(&schemas, root);
	for (uint32_t i = 0; i < schemas.n; i++) {
		const cJSON *key, *inner;
		cJSON_ArrayForEach(key, schemas.at[i])
		{
			bool is_list = cJSON_IsArray(schemas.at[i]);
			found |= !is_list && !strcmp(key->string, "properties");
			bool is_value = false, names = false;
			for (uint32_t k = 0; k < 4 && !is_list; k++) {
				is_value |= !strcmp(key->string, values[k]);
				names |= !strcmp(key->string, by_name[k]);
			}
			if (names) {
				cJSON_ArrayForEach(inner, key) vec_push(&schemas, inner);
			} else if (!is_value) {
				vec_push(&schemas, key);
			}
		}
	}
	vec_release(&schemas);
	cJSON_Delete(root);
	return found;
}

static void add_json_text(struct writing *w, const char *said, const char *type, value_cases *to)
{
	const struct embedding e = {.name = arena_printf(&w->x->r->arena, "value_%u", w->x->n_named++),
	                            .text = said,
	                            .most_blanks = w->p->most_blanks};
	piece_id p;
	if (w->p->any_order && has_objects(said)) {
		fail(w, "\"any_order\" with objects inside objects is not supported");
		return;
	}
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

static void add_string(struct writing *w, const cJSON *schema, value_cases *to)
{
	struct rules *r = w->x->r;
	const char *pattern = cJSON_GetStringValue(get(schema, "pattern"));
	const char *more =
		further(schema, (const char *const[]){"type", "pattern", "minLength", "maxLength", "enum", "const", NULL});
	if (more) fail(w, "\"%s\" of a string is not supported in a style of tags", more);
	piece_id p = w->unquoted;
	if (pattern) {
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

static void add_typed(struct writing *w, const cJSON *schema, const char *type, value_cases *to)
{
	uint32_t i = 0;
	while (i < N_TYPES && strcmp(types[i], type) != 0) i++;
	if (i == N_TYPES)
		fail(w, "\"%s\" is no type", type);
	else if (i == 0)
		add_string(w, schema, to);
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

static void add_literal(struct writing *w, const cJSON *value, value_cases *to)
{
	struct rules *r = w->x->r;
	const char *string = cJSON_GetStringValue(value);
	char *said = string ? NULL : cJSON_PrintUnformatted(value);
	if (!string && !said) work_out_of_memory(0);
	const char *kept = arena_strndup(&r->arena, string ? string : said, strlen(string ? string : said));
	cJSON_free(said);
	add_case(to, piece_text(r, kept, strlen(kept), w->x->loc), string != NULL, literal_type(value));
}

static void add_any(struct writing *w, value_cases *to)
{
	add_case(to, w->unquoted, true, NULL);
	if (w->style->says_string) {
		add_json_text(w, "{\"type\":\"number\"}", "number", to);
		add_json_text(w, "{\"type\":\"boolean\"}", "boolean", to);
		add_json_text(w, "{\"type\":\"null\"}", "null", to);
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
		add_json(w, schema, "object", to);
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
	return free_text_until(w->x, close, close, FREE_ANY);
}

static bool is_plain_string(const cJSON *schema)
{
	const char *type = cJSON_GetStringValue(get(schema, "type"));
	return type && !strcmp(type, "string") && !further(schema, (const char *const[]){"type", NULL});
}

// What tells each case by itself: `string="true">value</...>`.
static piece_id cases_marked(struct writing *w, const value_cases *cases)
{
	piece_id all = parts_nothing(w->x);
	for (uint32_t i = 0; i < cases->n; i++) {
		const struct value_case *c = &cases->at[i];
		piece_id p = !c->is_string             ? closed(w, around(w, c->piece))
		             : c->piece == w->unquoted ? string_closed(w)
		                                       : closed(w, c->piece);
		all = parts_alt(w->x, all, parts_seq(w->x, text(w, c->is_string ? "true\">" : "false\">"), p));
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

// A property's name; where it stands in quotes behind a type (kimi_k3_xml) they are escaped.
static piece_id name_piece(struct writing *w, const char *name)
{
	struct parts *x = w->x;
	piece_id p = parts_empty(x);
	for (const char *c = name; *c;) {
		size_t n = w->style->says_type ? strcspn(c, "\"&") : strlen(c);
		p = parts_seq(x, p, piece_text(x->r, c, n, x->loc));
		c += n;
		if (!*c) break;
		p = parts_seq(x, p, text(w, *c == '&' ? "&amp;" : "&quot;"));
		c++;
	}
	return p;
}

static piece_id property(struct writing *w, piece_id name, const cJSON *schema)
{
	value_cases cases = {0};
	struct parts *x = w->x;
	add_cases(w, schema, &cases);
	map64_release(&w->seen);
	piece_id p = parts_seq(x, parts_seq(x, w->space, text(w, w->style->open)), name);
	p = parts_seq(x, p, text(w, w->style->behind_name));
	if (w->style->says_string) {
		p = parts_seq(x, p, cases_marked(w, &cases));
	} else {
		if (w->style->says_type) p = parts_seq(x, p, type_piece(w, schema, &cases));
		if (!strcmp(w->style->name, "glm_xml")) p = parts_seq(x, p, w->space);
		p = parts_seq(x, p, text(w, w->style->before_value));
		piece_id value = parts_nothing(x);
		for (uint32_t i = 0; i < cases.n; i++) value = parts_alt(x, value, cases.at[i].piece);
		p = parts_seq(x, p, is_plain_string(schema) ? string_closed(w) : closed(w, around(w, value)));
	}
	vec_release(&cases);
	return parts_named(x, "property", p);
}

static bool is_required(const cJSON *object, const char *name)
{
	const cJSON *one;
	cJSON_ArrayForEach(one,
	                   get(object, "required")) if (cJSON_IsString(one) && !strcmp(one->valuestring, name)) return true;
	return false;
}

static piece_id object(struct writing *w, const cJSON *schema)
{
	static const char *const known[] = {"type", "properties", "required", "additionalProperties", NULL};
	const cJSON *properties = get(schema, "properties"), *further_of = get(schema, "additionalProperties"), *one;
	const char *more = further(schema, known);
	struct parts *x = w->x;
	if (more) fail(w, "\"%s\" of the object is not supported in a style of tags", more);
	bool is_open = further_of ? !cJSON_IsFalse(further_of) : !properties;
	piece_id more_of = !is_open || w->failed ? parts_nothing(x) : property(w, w->any_name, further_of);
	piece_id p = parts_empty(x), any = more_of;
	uint32_t least = 0;
	cJSON_ArrayForEach(one, properties)
	{
		if (w->failed) break;
		piece_id own = property(w, name_piece(w, one->string), one);
		bool must = is_required(schema, one->string);
		p = parts_seq(x, p, must ? own : parts_alt(x, own, parts_empty(x)));
		any = parts_alt(x, any, own);
		least += must;
	}
	if (w->p->any_order) return parts_seq(x, piece_repeat(x->r, any, least, TERM_UNBOUNDED, x->loc), w->space);
	p = parts_seq(x, p, piece_repeat(x->r, more_of, 0, TERM_UNBOUNDED, x->loc));
	return parts_seq(x, p, w->space);
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
	w.unquoted = free_text(x, (struct strings){&w.style->close, 1}, FREE_ANY);
	*out = whole(&w, p->schema);
	*why = w.why;
	return !w.failed;
}
