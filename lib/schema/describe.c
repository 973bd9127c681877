// What a schema asks of a string or a number, in its own keywords, for messages and names.
//
// In:  a schema's JSON, and which of the two. Out: "number with minimum 0, maximum 65535", "string with format "date"".
// A schema whose condition stands elsewhere too (a reference, a combination) is named by its JSON
// pointer. Cost: linear.
#include "internal.h"

#define SHOWN_BYTES 60u  // of a keyword's text

static const char *const string_keywords[] = {"format", "pattern", "minLength", "maxLength", NULL};
static const char *const number_keywords[] = {"minimum",    "exclusiveMinimum", "maximum", "exclusiveMaximum",
                                              "multipleOf", "format",           NULL};

static bool stands_alone(const struct json *node)
{
	static const char *const others[] = {"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf",
	                                     "not",  "if",          "const", "enum"};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (json_get(node, others[i])) return false;
	return node->kind == JSON_OBJECT;
}

static bool is_integer(const struct json *node)
{
	const struct json *type = json_get(node, "type");
	return type && json_is(type, "integer");
}

// Of a text at most SHOWN_BYTES, whole characters.
static int shown_length(const struct json *value)
{
	uint32_t n = value->len;
	if (n > SHOWN_BYTES)
		for (n = SHOWN_BYTES; n && ((uint8_t)value->text[n] & 0xC0) == 0x80;) n--;
	return (int)n;
}

const char *schema_described(const struct json *node, bool is_string, struct arena *arena)
{
	const char *what = is_string ? "string" : is_integer(node) ? "integer" : "number";
	const char *const *keyword = is_string ? string_keywords : number_keywords, *out = "";
	for (; stands_alone(node) && *keyword; keyword++) {
		const struct json *value = json_get(node, *keyword);
		if (!value) continue;
		bool quoted = value->kind == JSON_STRING;
		if (!quoted && value->kind != JSON_NUMBER) continue;
		int n = shown_length(value);
		const char *quote = quoted ? "\"" : "", *more = (uint32_t)n < value->len ? "..." : "";
		out = arena_printf(arena, "%s%s%s %s%.*s%s%s", out, *out ? ", " : " with ", *keyword, quote, n, value->text,
		                   more, quote);
	}
	if (*out) return arena_printf(arena, "%s%s", what, out);
	const char *pointer = json_pointer(node, arena);
	return arena_printf(arena, "%s as %s says", what, *pointer ? pointer : "the schema");
}
