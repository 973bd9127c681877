// May some texts of a format stand for all of them?
//
// In:  the schemas that are read. Out: whether `format: regex`, a time, or a format of which masks leave out texts
// (format.c) can be reached from the one that is compiled through a keyword that denies what a schema says, or decides
// by it: not, oneOf, if, disallow, maxContains, unevaluated.... If it is only ever asked for, fewer strings than all
// make fewer values, each valid: so one automaton of some regular expressions (regex_syntax.c), or of some leap seconds
// (times.c), may stand for all. Where it is denied, other strings would slip in: those between two automata are left
// out, then (value.c).
// A reference that is found at run time may lead to each schema that has a name. Cost: linear in the schemas, once.
#include "internal.h"

struct step {
	struct json *node;
	bool denied;
};
typedef VEC(struct step) step_list;

static bool is_one_of(const char *key, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(key, list[i]) == 0) return true;
	return false;
}
#define IS_ONE_OF(key, list) is_one_of(key, list, sizeof(list) / sizeof *(list))

static void push(step_list *todo, struct json *node, bool denied)
{
	if (node->kind == JSON_OBJECT || node->kind == JSON_ARRAY) vec_push(todo, ((struct step){node, denied}));
}

static void push_parts(step_list *todo, struct json *v, bool denied)
{
	for (uint32_t i = 0; v->kind == JSON_ARRAY && i < v->n; i++) push(todo, v->items[i], denied);
	for (uint32_t i = 0; v->kind == JSON_OBJECT && i < v->n; i++) push(todo, v->members[i].value, denied);
}

// Where a reference leads; one that is found at run time: all schemas that have names.
static void push_targets(struct schema *s, step_list *todo, const struct json *node, bool denied)
{
	const struct json *reference = json_get(node, "$ref");
	struct json *target =
		reference && reference->kind == JSON_STRING ? schema_resolve(s, reference, schema_resource(s, node)) : NULL;
	if (target) push(todo, target, denied);
	if (!json_get(node, "$dynamicRef") && !json_get(node, "$recursiveRef")) return;
	for (uint32_t i = 0; i < s->resources.n; i++) push(todo, s->resources.at[i].root, denied);
	for (uint32_t i = 0; i < s->anchors.n; i++) push(todo, s->anchors.at[i].target, denied);
}

// Keywords that are no schemas are passed over, maps of schemas entered.
static void push_schema(struct schema *s, step_list *todo, struct json *node, bool denied)
{
	static const char *const no_schemas[] = {"enum", "const", "default", "examples", "$defs", "definitions"};
	static const char *const maps[] = {"properties", "patternProperties", "dependentSchemas", "dependencies"};
	static const char *const denying[] = {"not", "oneOf", "if", "disallow"};
	const bool all = denied || json_get(node, "unevaluatedProperties") || json_get(node, "unevaluatedItems");
	push_targets(s, todo, node, all);
	for (uint32_t i = 0; i < node->n; i++) {
		const char *key = node->members[i].key;
		struct json *v = node->members[i].value;
		const bool counts = strcmp(key, "contains") == 0 && json_get(node, "maxContains");
		if (IS_ONE_OF(key, no_schemas)) continue;
		if (IS_ONE_OF(key, maps))
			push_parts(todo, v, all);
		else
			push(todo, v, all || counts || IS_ONE_OF(key, denying));
	}
}

static uint32_t denied_format(const struct json *format)
{
	if (!format) return 0;
	return json_is(format, "regex")                                  ? DENIED_REGEX
	       : json_is(format, "time") || json_is(format, "date-time") ? DENIED_TIME
	       : format_is_narrow(format)                                ? DENIED_NARROW
	                                                                 : 0;
}

static uint32_t find_denied(struct schema *s)
{
	step_list todo = {0};
	struct map64 seen = {0};
	uint32_t found = 0;
	push(&todo, s->root, false);
	while (todo.n && found != DENIED_ALL) {
		const struct step x = vec_pop(&todo);
		const uint64_t key = (uint64_t)x.node->number * 2 + x.denied;
		if (map64_get(&seen, key) != MAP64_NONE) continue;
		map64_put(&seen, key, 1);
		if (x.node->kind == JSON_ARRAY) {
			push_parts(&todo, x.node, x.denied);
			continue;
		}
		if (x.denied) found |= denied_format(json_get(x.node, "format"));
		push_schema(s, &todo, x.node, x.denied);
	}
	vec_release(&todo), map64_release(&seen);
	return s->failed ? DENIED_ALL : found;
}

bool format_is_denied(struct schema *s, uint32_t which)
{
	if (!s->root) return false;  // a format's name outside of schemas
	if (!s->denied) s->denied = DENIED_KNOWN | find_denied(s);
	return s->denied & which;
}
