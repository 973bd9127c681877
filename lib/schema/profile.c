// What a hosted service refuses, checked before anything else.
//
// In:  a schema's JSON. Out: an error at each place that the service would refuse. OpenAI's structured outputs: the
// root is an object and no anyOf; every object closes itself and requires all of its properties; arrays say what their
// items are; at most PROFILE_PROPERTIES properties, PROFILE_DEPTH levels and PROFILE_ENUM values of enums in all.
// Anthropic's: every object closes itself; enums list no objects and arrays. Both take some keywords and formats.
#include "internal.h"

#define PROFILE_PROPERTIES 5000u
#define PROFILE_DEPTH 10u
#define PROFILE_ENUM 1000u

#define REFUSED                                                                                                        \
	"oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "dependencies",                     \
		"patternProperties", "propertyNames", "minProperties", "maxProperties", "unevaluatedProperties",               \
		"unevaluatedItems", "contains", "minContains", "maxContains", "uniqueItems", "prefixItems", "minLength",       \
		"maxLength"
#define FORMATS "date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"

struct profile {
	const char *name;
	const char *const *refused, *const *formats;  // to NULL
};
static const struct profile profiles[] = {
	{"openai", (const char *const[]){REFUSED, "allOf", "default", NULL}, (const char *const[]){FORMATS, NULL}},
	{"anthropic",
     (const char *const[]){REFUSED, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
                           "maxItems", NULL},
     (const char *const[]){FORMATS, "uri", NULL}},
};

struct place_in {
	const struct json *node;
	uint32_t depth;
};

static bool requires_all(const struct json *node, const struct json *properties)
{
	const struct json *required = json_get(node, "required");
	for (uint32_t i = 0; properties && i < properties->n; i++) {
		bool found = false;
		for (uint32_t k = 0; required && required->kind == JSON_ARRAY && k < required->n; k++)
			found |= json_is(required->items[k], properties->members[i].key);
		if (!found) return false;
	}
	return true;
}

typedef VEC(struct place_in) place_list;

#define refuse(s, at, ...)                                                                                             \
	schema_error(s, at, "--profile %s: %s", (s)->o->profile, arena_printf((s)->arena, __VA_ARGS__))

static bool is_among(const struct json *text, const char *const *list)
{
	while (*list && !json_is(text, *list)) list++;
	return *list;
}

static bool says_type(const struct json *node)
{
	static const char *const keywords[] = {"type", "$ref", "anyOf", "enum", "const"};
	bool says = false;
	for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) says |= json_get(node, keywords[i]) != NULL;
	return says;
}

// Has the pattern an assertion that looks around?
static bool looks_around(const struct json *pattern)
{
	if (!pattern || pattern->kind != JSON_STRING) return false;
	for (const char *c = pattern->text; *c; c++) {
		if (*c == '\\' && c[1])
			c++;
		else if (!strncmp(c, "(?=", 3) || !strncmp(c, "(?!", 3) || !strncmp(c, "(?<=", 4) || !strncmp(c, "(?<!", 4))
			return true;
	}
	return false;
}

static void check_openai(struct schema *s, struct place_in x)
{
	const struct json *node = x.node, *inner = json_get(node, "properties"), *reference = json_get(node, "$ref");
	if (x.depth > PROFILE_DEPTH) refuse(s, node, "nested deeper than 10 levels");
	if ((inner || json_is(json_get(node, "type"), "object")) && !requires_all(node, inner))
		refuse(s, node, "every property must be required");
	if (json_is(json_get(node, "type"), "array") && !says_type(json_get(node, "items")))
		refuse(s, node, "every array needs \"items\" that say their type");
	if (reference && node->n > 1 && x.depth) refuse(s, reference, "nothing may stand beside $ref");
}

static void check_anthropic(struct schema *s, struct place_in x)
{
	const struct json *list = json_get(x.node, "enum"), *least = json_get(x.node, "minItems");
	if (least && !(least->kind == JSON_NUMBER && least->len == 1 && strchr("01", *least->text)))
		refuse(s, least, "minItems is 0 or 1");
	for (uint32_t i = 0; list && list->kind == JSON_ARRAY && i < list->n; i++)
		if (list->items[i]->kind >= JSON_ARRAY) refuse(s, list->items[i], "enum lists no objects and arrays");
}

// What one schema may not say.
static void check_node(struct schema *s, const struct profile *p, struct place_in x)
{
	const struct json *node = x.node, *format = json_get(node, "format"), *pattern = json_get(node, "pattern");
	const bool is_object = json_get(node, "properties") || json_is(json_get(node, "type"), "object");
	const struct json *more = json_get(node, "additionalProperties");
	for (const char *const *k = p->refused; *k; k++)
		if (json_get(node, *k)) refuse(s, json_get(node, *k), "%s is not supported there", *k);
	if (is_object && (!more || more->kind != JSON_FALSE))
		refuse(s, node, "every object needs \"additionalProperties\": false");
	if (format && !is_among(format, p->formats)) refuse(s, format, "this format is not supported there");
	if (looks_around(pattern)) refuse(s, pattern, "patterns may not look ahead or behind");
	(p == profiles ? check_openai : check_anthropic)(s, x);
}

// The schemas in a map of them; returns how many.
static uint32_t push_members(place_list *stack, const struct json *map, uint32_t depth)
{
	if (!map || map->kind != JSON_OBJECT) return 0;
	for (uint32_t i = 0; i < map->n; i++) vec_push(stack, ((struct place_in){map->members[i].value, depth}));
	return map->n;
}

// Schemas in a list of them.
static void push_items(place_list *stack, const struct json *list, uint32_t depth)
{
	for (uint32_t i = 0; list && list->kind == JSON_ARRAY && i < list->n; i++)
		vec_push(stack, ((struct place_in){list->items[i], depth}));
}

// Branches: where in a schema others stand, and what is counted over all.
bool profile_check(struct schema *s, const struct json *root)
{
	uint32_t properties = 0, values = 0;
	if (!s->o->profile) return true;
	const bool is_openai = !strcmp(s->o->profile, "openai");
	const struct profile *p = &profiles[is_openai ? 0 : 1];
	if (is_openai &&
	    (root->kind != JSON_OBJECT || !json_is(json_get(root, "type"), "object") || json_get(root, "anyOf")))
		refuse(s, root, "the root must be an object, and no anyOf");
	place_list stack = {0};
	vec_push(&stack, ((struct place_in){root, 0}));
	while (stack.n) {
		struct place_in x = vec_pop(&stack);
		if (x.node->kind != JSON_OBJECT) continue;
		check_node(s, p, x);
		const struct json *items = json_get(x.node, "items"), *list = json_get(x.node, "enum");
		if (list && list->kind == JSON_ARRAY) values += list->n;
		properties += push_members(&stack, json_get(x.node, "properties"), x.depth + 1);
		push_members(&stack, json_get(x.node, "$defs"), x.depth + 1);
		push_members(&stack, json_get(x.node, "definitions"), x.depth + 1);
		if (items) vec_push(&stack, ((struct place_in){items, x.depth + 1}));
		push_items(&stack, json_get(x.node, "anyOf"), x.depth);
		push_items(&stack, json_get(x.node, "allOf"), x.depth);
	}
	vec_release(&stack);
	if (is_openai && properties > PROFILE_PROPERTIES) refuse(s, root, "more than 5,000 properties");
	if (is_openai && values > PROFILE_ENUM) refuse(s, root, "more than 1,000 values of enums");
	return !s->failed;
}
