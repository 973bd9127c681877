// What a hosted service refuses, checked before anything else.
//
// In:  a schema's JSON. Out: an error at each place that the service would refuse. OpenAI's structured outputs: the
// root is an object and no anyOf; every object closes itself and requires all of its properties; some keywords are not
// taken; at most PROFILE_PROPERTIES properties, PROFILE_DEPTH levels and PROFILE_ENUM values of enums in all.
#include "internal.h"

#define PROFILE_PROPERTIES 5000u
#define PROFILE_DEPTH 10u
#define PROFILE_ENUM 1000u

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

// What one schema may not say.
static void check_node(struct schema *s, struct place_in x)
{
	static const char *const refused[] = {"allOf",
	                                      "oneOf",
	                                      "not",
	                                      "if",
	                                      "then",
	                                      "else",
	                                      "dependentRequired",
	                                      "dependentSchemas",
	                                      "dependencies",
	                                      "patternProperties",
	                                      "propertyNames",
	                                      "unevaluatedProperties",
	                                      "unevaluatedItems",
	                                      "contains",
	                                      "uniqueItems",
	                                      "prefixItems"};
	const struct json *node = x.node, *inner = json_get(node, "properties");
	if (x.depth > PROFILE_DEPTH) schema_error(s, node, "--profile openai: nested deeper than 10 levels");
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		if (json_get(node, refused[i]))
			schema_error(s, json_get(node, refused[i]), "--profile openai: %s is not supported there", refused[i]);
	if (!inner && !json_is(json_get(node, "type"), "object")) return;
	const struct json *more = json_get(node, "additionalProperties");
	if (!more || more->kind != JSON_FALSE)
		schema_error(s, node, "--profile openai: every object needs \"additionalProperties\": false");
	if (!requires_all(node, inner)) schema_error(s, node, "--profile openai: every property must be required");
}

// The schemas in a map of them; returns how many.
static uint32_t push_members(place_list *stack, const struct json *map, uint32_t depth)
{
	if (!map || map->kind != JSON_OBJECT) return 0;
	for (uint32_t i = 0; i < map->n; i++) vec_push(stack, ((struct place_in){map->members[i].value, depth}));
	return map->n;
}

bool profile_check(struct schema *s, const struct json *root)
{
	uint32_t properties = 0, values = 0;
	if (!s->o->profile) return true;
	if (root->kind != JSON_OBJECT || !json_is(json_get(root, "type"), "object") || json_get(root, "anyOf"))
		schema_error(s, root, "--profile openai: the root must be an object, and no anyOf");
	place_list stack = {0};
	vec_push(&stack, ((struct place_in){root, 0}));
	while (stack.n) {
		struct place_in x = vec_pop(&stack);
		if (x.node->kind != JSON_OBJECT) continue;
		check_node(s, x);
		const struct json *items = json_get(x.node, "items"), *list = json_get(x.node, "enum");
		if (list && list->kind == JSON_ARRAY) values += list->n;
		properties += push_members(&stack, json_get(x.node, "properties"), x.depth + 1);
		push_members(&stack, json_get(x.node, "$defs"), x.depth + 1);
		push_members(&stack, json_get(x.node, "definitions"), x.depth + 1);
		if (items) vec_push(&stack, ((struct place_in){items, x.depth + 1}));
		list = json_get(x.node, "anyOf");
		for (uint32_t i = 0; list && list->kind == JSON_ARRAY && i < list->n; i++)
			vec_push(&stack, ((struct place_in){list->items[i], x.depth}));
	}
	vec_release(&stack);
	if (properties > PROFILE_PROPERTIES) schema_error(s, root, "--profile openai: more than 5,000 properties");
	if (values > PROFILE_ENUM) schema_error(s, root, "--profile openai: more than 1,000 values of enums");
	return !s->failed;
}
