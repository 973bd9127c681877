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

bool profile_check(struct schema *s, const struct json *root)
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
	uint32_t properties = 0, values = 0;
	if (!s->o->profile) return true;
	if (root->kind != JSON_OBJECT || !json_is(json_get(root, "type"), "object") || json_get(root, "anyOf"))
		schema_error(s, root, "--profile openai: the root must be an object, and no anyOf");
	VEC(struct place_in) stack = {0};
	vec_push(&stack, ((struct place_in){root, 0}));
	while (stack.n) {
		struct place_in x = vec_pop(&stack);
		const struct json *node = x.node, *inner = json_get(node, "properties");
		if (node->kind != JSON_OBJECT) continue;
		if (x.depth > PROFILE_DEPTH) schema_error(s, node, "--profile openai: nested deeper than 10 levels");
		for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
			if (json_get(node, refused[i]))
				schema_error(s, json_get(node, refused[i]), "--profile openai: %s is not taken", refused[i]);
		if (inner || json_is(json_get(node, "type"), "object")) {
			const struct json *more = json_get(node, "additionalProperties");
			if (!more || more->kind != JSON_FALSE)
				schema_error(s, node, "--profile openai: every object needs \"additionalProperties\": false");
			if (!requires_all(node, inner)) schema_error(s, node, "--profile openai: every property must be required");
		}
		const struct json *list = json_get(node, "enum");
		if (list && list->kind == JSON_ARRAY) values += list->n;
		for (uint32_t i = 0; inner && inner->kind == JSON_OBJECT && i < inner->n; i++, properties++)
			vec_push(&stack, ((struct place_in){inner->members[i].value, x.depth + 1}));
		static const char *const maps[] = {"$defs", "definitions"};
		for (size_t k = 0; k < 2; k++) {
			const struct json *map = json_get(node, maps[k]);
			for (uint32_t i = 0; map && map->kind == JSON_OBJECT && i < map->n; i++)
				vec_push(&stack, ((struct place_in){map->members[i].value, x.depth + 1}));
		}
		if (json_get(node, "items")) vec_push(&stack, ((struct place_in){json_get(node, "items"), x.depth + 1}));
		list = json_get(node, "anyOf");
		for (uint32_t i = 0; list && list->kind == JSON_ARRAY && i < list->n; i++)
			vec_push(&stack, ((struct place_in){list->items[i], x.depth}));
	}
	vec_release(&stack);
	if (properties > PROFILE_PROPERTIES) schema_error(s, root, "--profile openai: more than 5,000 properties");
	if (values > PROFILE_ENUM) schema_error(s, root, "--profile openai: more than 1,000 values of enums");
	return !s->failed;
}
