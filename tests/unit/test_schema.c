// JSON Schema: which schemas become a grammar, which errors there are, and where.
#include <criterion/criterion.h>

#include "../../lib/schema/schema.h"
#include "../support/grammar_text.h"

// The messages, or "" for a grammar without a broken invariant.
static char *message_of(const char *text, const struct schema_options *o)
{
	static char out[2000];
	struct diag d = {0};
	struct grammar g;
	bool ok = schema_parse("s.json", text, strlen(text), o, &d, &g);
	cr_assert_eq(ok, d.n_errors == 0, "%s", text);
	snprintf(out, sizeof out, "%s", ok ? "" : diag_text(&d));
	const char *broken = ok ? grammar_check(&g) : NULL;
	cr_assert_null(broken, "%s: %s", text, broken);
	grammar_release(&g);
	diag_release(&d);
	return out;
}

Test(schema, become_grammars)
{
	static const char *const texts[] = {
		"true",
		"{}",
		"{\"type\": [\"integer\", \"null\"], \"multipleOf\": 0.25, \"exclusiveMaximum\": 1e3}",
		"{\"properties\": {\"a\": {\"$ref\": \"#\"}}, \"required\": [\"b\"], \"maxProperties\": 3}",
		"{\"oneOf\": [{\"required\": [\"a\"]}, {\"required\": [\"b\"]}], \"type\": \"object\"}",
		"{\"patternProperties\": {\"^x-\": {\"not\": {\"type\": \"string\"}}}, \"additionalProperties\": false}",
		"{\"items\": {\"enum\": [1, \"a\", null]}, \"uniqueItems\": true, \"type\": \"array\"}",
		"{\"uniqueItems\": true}",
		"{\"items\": {\"type\": \"string\", \"maxLength\": 9}, \"uniqueItems\": true, \"type\": \"array\"}",
		// Items of which few values may be left.
		"{\"items\": {\"type\": \"string\", \"pattern\": \"^a$|^b\"}, \"uniqueItems\": true, \"type\": \"array\"}",
		"{\"items\": {\"properties\": {\"a\": {\"type\": \"integer\"}, \"b\": {}}, \"additionalProperties\": false, "
		"\"required\": [\"a\"], \"type\": \"object\"}, \"uniqueItems\": true, \"type\": \"array\"}",
		"{\"items\": {\"type\": \"integer\"}, \"uniqueItems\": true, \"type\": \"array\"}",
		"{\"items\": {\"enum\": [1, 2, 3, 4, 5, 6, 7, 8, 1.5, \"a\", null]}, \"uniqueItems\": true}",
		"{\"items\": {\"properties\": {\"a\": {}, \"b\": {\"type\": \"integer\"}}, \"additionalProperties\": false, "
		"\"type\": \"object\"}, \"uniqueItems\": true, \"type\": \"array\"}",
		"{\"items\": {\"type\": \"object\", \"additionalProperties\": {\"type\": \"array\", \"uniqueItems\": true}, "
		"\"required\": [\"a\"]}, \"uniqueItems\": true}",
		// Unions of objects each of which may have more keys; what only stands in the way of others.
		"{\"items\": {\"oneOf\": [{\"required\": [\"a\"], \"type\": \"object\"}, {\"properties\": {\"b\": {}}, "
		"\"patternProperties\": {\"^x\": {\"type\": \"null\"}}, \"additionalProperties\": false}], "
		"\"type\": \"object\"}, \"uniqueItems\": true}",
		"{\"items\": {\"anyOf\": [{\"additionalProperties\": {\"type\": \"null\"}}, {\"minProperties\": 2}], "
		"\"type\": \"object\"}, \"uniqueItems\": true}",
		"{\"items\": {\"format\": \"regex\", \"type\": \"string\"}, \"uniqueItems\": true}",
		// Arrays of one alternative alone, where it is told by the key's value, and nothing asks for others.
		"{\"oneOf\": [{\"properties\": {\"a\": {\"type\": \"array\", \"uniqueItems\": true, \"items\": {\"type\": "
		"\"string\"}}}, \"required\": [\"a\"], \"additionalProperties\": false}, {\"properties\": {\"a\": {\"type\": "
		"\"null\"}}, \"additionalProperties\": false}], \"type\": \"object\"}",
		"{\"prefixItems\": [{\"const\": {\"a\": [1]}}], \"contains\": {\"minimum\": 5}, \"maxContains\": 2}",
		"{\"if\": {\"properties\": {\"a\": {\"const\": 1}}}, \"then\": {\"required\": [\"b\"]}, "
		"\"unevaluatedProperties\": false}",
		// A bound and a pattern that between them leave no text for one branch.
		"{\"properties\": {\"a\": {\"type\": \"string\", \"pattern\": \"^a+$\"}}, \"anyOf\": [{\"properties\": {\"a\": "
		"{\"minLength\": 1}}, \"required\": [\"b\"]}, {\"required\": [\"c\"]}]}",
		"{\"pattern\": \"(?i)^(?:a)b\"}",
		"{\"minLength\": 65536, \"maxLength\": 1000000000}",
		// Lengths that the format has anyway.
		"{\"format\": \"date\", \"maxLength\": 65535, \"minLength\": 1}",
		"{\"enum\": [\"a\", \"bc\"], \"maxLength\": 1000000}",
		// Whether items are equal is told at run time: of an array, behind it, in what it stands in.
		"{\"anyOf\": [{\"type\": \"array\", \"uniqueItems\": true}, {\"type\": \"array\", \"minItems\": 3}]}",
		"{\"anyOf\": [{\"properties\": {\"a\": {\"type\": \"array\", \"uniqueItems\": true}}}, {\"required\": "
		"[\"b\"]}]}",
		"{\"properties\": {\"x\": {\"properties\": {\"a\": true}}}, \"anyOf\": [{\"required\": [\"y\"]}, "
		"{\"properties\": {\"x\": {\"properties\": {\"a\": {\"uniqueItems\": true}}}}}]}",
		// A property that has a keyword's name is a schema like any other, and names itself.
		"{\"properties\": {\"properties\": {\"$anchor\": \"a\", \"type\": \"null\"}, \"b\": {\"$ref\": \"#a\"}}}",
		// Characters are counted by number alone, however far the nearest end.
		"{\"maxLength\": 1000000, \"pattern\": \"^(ab)*$\"}",
		"{\"allOf\": [{\"maxLength\": 1000000}, {\"pattern\": \"^(ab)*$\"}]}",
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		cr_assert_str_eq(message_of(texts[i], NULL), "", "%s: %s", texts[i], message_of(texts[i], NULL));
}

Test(schema, errors_say_where)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{"{\"type\": \"strin\"}", "s.json:1:10: error: /type: type must be"},
		{"{\"a\": [1,\n 2 3]}", "s.json:2:4: error: this is not JSON"},
		{"{\"properties\": {\"a/b\": {\"minLength\": -1}}}", "/properties/a~1b/minLength"},
		{"{\"$ref\": \"#/$defs/x\"}", "leads to nothing"},
		{"{\"$ref\": \"http://example.com/x\"}", "nothing is fetched"},
		{"{\"allOf\": [{\"$ref\": \"#\"}]}", "without end"},
		{"{\"format\": \"colour\"}", "--allow-unenforced format:colour"},
		{"{\"pattern\": \"(a*)\\\\1\"}", "not regular"},
		// Keys in order: behind "a" arrays come that are not counted, and nothing that makes up for it.
		{"{\"type\": \"array\", \"uniqueItems\": true, \"items\": {\"type\": \"object\", \"properties\": {\"a\": {}, "
	     "\"b\": {\"type\": \"array\", \"maxItems\": 3}}, \"additionalProperties\": false}}",
	     "--allow-unenforced uniqueItems"},
		// Numbers whose automaton is too large; two of them, and three items are asked for.
		{"{\"type\": \"array\", \"uniqueItems\": true, \"items\": {\"type\": \"integer\", \"multipleOf\": 9973}}",
	     "--allow-unenforced uniqueItems"},
		{"{\"type\": \"array\", \"uniqueItems\": true, \"minItems\": 3, \"items\": {\"type\": \"integer\", "
	     "\"minimum\": 1, "
	     "\"maximum\": 2}}",
	     "--allow-unenforced uniqueItems"},
		// Two values, and three items are asked for.
		{"{\"type\": \"array\", \"uniqueItems\": true, \"minItems\": 3, \"items\": {\"type\": \"string\", \"pattern\": "
	     "\"^(a|b)$\"}}",
	     "--allow-unenforced uniqueItems"},
		// Behind a string and a number all items have to differ, and behind strings alone two have to be equal.
		{"{\"oneOf\": [{\"type\": \"array\", \"uniqueItems\": true, \"items\": {\"type\": [\"string\", \"integer\"]}}, "
	     "{\"type\": \"array\", \"items\": {\"type\": \"string\"}}]}",
	     "another alternative"},
		// Two equal items need another one, and there may be none.
		{"{\"type\": \"array\", \"maxItems\": 2, \"anyOf\": [{\"uniqueItems\": true}, {\"contains\": {\"const\": 5}}]}",
	     "another alternative"},
		// With equal items the key is asked for, and no value of it is left.
		{"{\"properties\": {\"a\": true, \"b\": {\"$ref\": \"#/$defs/none\"}}, \"anyOf\": [{\"properties\": {\"a\": "
	     "{\"uniqueItems\": "
	     "true}}}, {\"required\": [\"b\"]}], \"$defs\": {\"none\": {\"type\": \"array\", \"minItems\": 1, \"items\": "
	     "{\"$ref\": \"#/$defs/none\"}}}}",
	     "another alternative"},
		{"{\"type\": \"array\", \"not\": {\"uniqueItems\": true}}", "another alternative"},
		// Behind 1 two strings may come, behind a string any.
		{"{\"type\": \"array\", \"anyOf\": [{\"uniqueItems\": true, \"prefixItems\": [{\"const\": 1}], \"items\": "
	     "{\"enum\": "
	     "[\"a\", \"b\"]}}, {\"uniqueItems\": true, \"items\": {\"type\": \"string\"}}]}",
	     "it cannot be told how many values are left"},
		{"{\"type\": \"array\", \"uniqueItems\": true, \"items\": {\"type\": \"object\", \"maxProperties\": 3}}",
	     "--allow-unenforced uniqueItems"},
		{"{\"type\": \"array\", \"uniqueItems\": true, \"items\": {\"type\": \"array\", \"maxItems\": 3}}",
	     "--allow-unenforced uniqueItems"},
		// Nothing may stand behind the first place; two values, each once.
		{"{\"uniqueItems\": true, \"items\": {\"type\": \"array\", \"prefixItems\": [{\"type\": \"null\"}, false]}}",
	     "--allow-unenforced uniqueItems"},
		{"{\"uniqueItems\": true, \"items\": {\"type\": \"array\", \"uniqueItems\": true, \"prefixItems\": "
	     "[{\"const\": 1}, "
	     "{\"const\": 1}], \"items\": {\"type\": \"string\"}}}",
	     "--allow-unenforced uniqueItems"},
		{"{\"uniqueItems\": true, \"items\": {\"type\": \"object\", \"anyOf\": [{\"maxProperties\": 2}, {\"required\": "
	     "[\"a\"]}]}}",
	     "--allow-unenforced uniqueItems"},
		// Of the kinds that may come, one has two values: others, which no alternative asks for, make up for nothing.
		{"{\"properties\": {\"x\": {\"type\": \"array\", \"uniqueItems\": true}}, \"required\": [\"x\"], \"oneOf\": "
	     "[{\"properties\": {\"x\": {\"items\": {\"type\": \"string\"}}}, \"required\": [\"y\"]}, {\"properties\": "
	     "{\"x\": "
	     "{\"items\": {\"type\": \"boolean\"}}}, \"required\": [\"z\"]}]}",
	     "it cannot be told how many values are left"},
		// Behind "a" comes one of many characters, each of which has two spellings.
		{"{\"type\": \"array\", \"uniqueItems\": true, \"items\": {\"type\": \"string\", \"pattern\": \"^a[^a]$|^b\"}}",
	     "--allow-unenforced uniqueItems"},
		// In another order of an item's keys they could be; where no key has infinitely many values, no order helps.
		{"{\"type\": \"array\", \"uniqueItems\": true, \"items\": {\"additionalProperties\": false, \"type\": "
	     "\"object\", \"properties\": {\"n\": {\"type\": \"string\"}, \"t\": {\"type\": \"array\", \"items\": true, "
	     "\"maxItems\": 2}}}}",
	     "with \"n\" behind all others it can: --order auto puts it there"},
		{"{\"type\": \"array\", \"uniqueItems\": true, \"items\": {\"additionalProperties\": false, \"type\": "
	     "\"object\", \"properties\": {\"n\": {\"type\": \"boolean\"}, \"t\": {\"type\": \"array\", \"items\": true, "
	     "\"maxItems\": 2}}}}",
	     "it cannot be told how many values are left"},
		{"{\"type\": \"string\", \"maxLength\": 1, \"pattern\": \"aa\"}", "no value satisfies"},
		{"{\"multipleOf\": 123456789}", "SCHEMA_MAX_MODULUS"},
		{"{\"maxLength\": 1000000, \"pattern\": \"^([ab]{4500})*$\"}", "/maxLength: maxLength beside a pattern"},
		{"{\"minLength\": 1000000, \"format\": \"uri\"}", "SCHEMA_MAX_BESIDE"},
		{"{\"allOf\": [{\"maxLength\": 1000000}, {\"pattern\": \"^([ab]{4500})*$\"}]}", "LANGUAGE_MAX_STATES"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *message = message_of(cases[i].text, NULL);
		cr_assert_not_null(strstr(message, cases[i].expected), "%s: %s", cases[i].text, message);
	}
}

// Where it may be denied that a string is a regular expression, two automata stand for all: one within, one around.
Test(schema, regex_may_be_denied)
{
	static const char *const texts[] = {
		"{\"not\": {\"format\": \"regex\"}, \"type\": \"string\"}",
		"{\"not\": {\"format\": \"regex\", \"maxLength\": 3}}",
		"{\"oneOf\": [{\"properties\": {\"a\": {\"format\": \"regex\", \"maxLength\": 3}}}, {\"type\": \"null\"}]}",
		"{\"if\": {\"allOf\": [{\"$ref\": \"#/$defs/a\"}]}, \"then\": {\"maxProperties\": 1}, \"$defs\": {\"a\": "
		"{\"propertyNames\": {\"format\": \"regex\"}}}}",
		"{\"contains\": {\"format\": \"regex\", \"maxLength\": 3}, \"maxContains\": 2}",
		"{\"properties\": {\"a\": {\"format\": \"regex\", \"maxLength\": 3}}, \"unevaluatedProperties\": false}",
		"{\"$dynamicAnchor\": \"a\", \"properties\": {\"a\": {\"format\": \"regex\", \"pattern\": \"a\"}, \"b\": "
		"{\"not\": {\"$dynamicRef\": \"#a\"}}}}",
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		cr_assert_str_eq(message_of(texts[i], NULL), "", "%s: %s", texts[i], message_of(texts[i], NULL));
	// Keys that are called like such keywords, and a condition that says nothing of the format, deny nothing.
	static const char taken[] =
		"{\"properties\": {\"not\": {\"format\": \"regex\", \"maxLength\": 3, \"not\": {\"const\": "
		"\"a\"}}}}";
	cr_assert_str_eq(message_of(taken, NULL), "");
}

// All minutes and all offsets: a leap second is one where it is 23:59:60 in UTC, in zones of quarters of an hour.
Test(schema, leap_seconds_of_all_zones)
{
	struct languages *store = languages_new();
	struct diag d = {0};
	const language times = schema_format_language(store, "time", &d);
	cr_assert_neq(times, LANGUAGE_ERROR);
	for (uint32_t t = 0; t < 1440; t++)
		for (uint32_t o = 0; o < 1440; o++)
			for (uint32_t west = 0; west < 2; west++) {
				char text[40];
				const bool leaps = (west ? t + o : t + 1440 - o) % 1440 == 1439 && o % 15 == 0;
				int n = snprintf(text, sizeof text, "%02u:%02u:60%s%c%02u:%02u", t / 60, t % 60, t % 2 ? ".5" : "",
				                 west ? '-' : '+', o / 60, o % 60);
				cr_assert_eq(language_has(store, times, text, (size_t)n), leaps, "%s", text);
				text[6] = '5', text[7] = '9';
				cr_assert(language_has(store, times, text, (size_t)n), "%s", text);
			}
	languages_free(store);
	diag_release(&d);
}

// Addresses of each number of zero bits at the end, with each length: a network has no other bits behind its length.
Test(schema, networks_of_all_lengths)
{
	struct languages *store = languages_new();
	struct diag d = {0};
	const language four = schema_format_language(store, "ipv4network", &d);
	const language six = schema_format_language(store, "ipv6network", &d);
	cr_assert(four != LANGUAGE_ERROR && six != LANGUAGE_ERROR);
	for (uint32_t bits = 0; bits <= 128; bits++)
		for (uint32_t length = 0; length < 140; length++) {
			char text[80];
			const uint32_t address = bits && bits <= 32 ? 0xffffffffu << (32 - bits) : 0;
			int n = snprintf(text, sizeof text, "%u.%u.%u.%u/%u", address >> 24, address >> 16 & 255,
			                 address >> 8 & 255, address & 255, length);
			if (bits <= 32)
				cr_assert_eq(language_has(store, four, text, (size_t)n), bits <= length && length <= 32, "%s", text);
			if (bits > 112) continue;
			n = 0;
			for (uint32_t left = bits; left; left -= left < 16 ? left : 16)
				n += snprintf(text + n, sizeof text - (size_t)n, "%s%x", n ? ":" : "",
				              left < 16 ? 0xffffu << (16 - left) & 0xffff : 0xffff);
			n += snprintf(text + n, sizeof text - (size_t)n, "::/%u", length);
			cr_assert_eq(language_has(store, six, text, (size_t)n), bits <= length && length <= 128, "%s", text);
		}
	languages_free(store);
	diag_release(&d);
}

// A keyword with a value that no draft has is an error, unless it may stay unenforced.
Test(schema, wrong_values_may_be_let_pass)
{
	static const char *const texts[] = {
		"{\"type\": \"String\"}",
		"{\"type\": [\"null\", \"date\"]}",
		"{\"minLength\": null}",
		"{\"properties\": null}",
		"{\"enum\": \"a\"}",
		"{\"required\": \"a\"}",
		"{\"required\": [\"a\", null]}",
		"{\"dependencies\": {\"a\": [1]}}",
		"{\"pattern\": \"(a*)\\\\1\"}",
		"{\"pattern\": 1}",
	};
	const struct schema_options let_pass = {.allow_unenforced = "all"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		cr_assert_not_null(strstr(message_of(texts[i], NULL), "--allow-unenforced"), "%s", texts[i]);
		cr_assert_str_eq(message_of(texts[i], &let_pass), "", "%s", texts[i]);
	}
	// What is let pass once is no leave for what is wrong behind it.
	cr_assert_not_null(strstr(message_of("{\"required\": [1], \"$ref\": \"#/x\"}", &let_pass), "leads to nothing"));
	// Draft 3's Boolean says nothing in others.
	cr_assert_str_eq(message_of("{\"$schema\": \"http://json-schema.org/draft-07/schema#\", \"required\": true}", NULL),
	                 "");
}

// Keys whose sets are too many come in order, with a warning; with any order that is an error.
Test(schema, order_is_chosen)
{
	char text[1000] = "{\"required\": [\"a\"";
	for (int i = 1; i < 24; i++) sprintf(text + strlen(text), ", \"%c\"", 'a' + i);
	strcat(text, "]}");
	static const enum schema_order orders[] = {SCHEMA_ORDER_SCHEMA, SCHEMA_ORDER_AUTO, SCHEMA_ORDER_ANY};
	static const char *const expected[] = {"", "required come in the schema's order", "SCHEMA_MAX_"};
	for (size_t i = 0; i < 3; i++) {
		const struct schema_options o = {.order = orders[i]};
		struct diag d = {0};
		struct grammar g;
		bool ok = schema_parse("s.json", text, strlen(text), &o, &d, &g);
		cr_assert_eq(ok, i < 2);
		cr_assert_eq(d.messages.n, i, "%s", diag_text(&d));
		cr_assert_not_null(strstr(i ? diag_text(&d) : "", expected[i]), "%s", diag_text(&d));
		grammar_release(&g);
		diag_release(&d);
	}
}

// What is hostile ends in an error that names a limit.
Test(schema, limits)
{
	char *deep = malloc(40000);
	size_t n = 0;
	for (int i = 0; i < 2000; i++) n += (size_t)sprintf(deep + n, "{\"not\":");
	strcpy(deep + n, "{}");
	cr_assert_not_null(strstr(message_of(deep, NULL), "SCHEMA_MAX_NESTING"));
	free(deep);
	cr_assert_not_null(strstr(message_of("{\"type\": \"array\", \"contains\": {}, \"minContains\": 999999}", NULL),
	                          "SCHEMA_MAX_STATES"));
	cr_assert_not_null(strstr(message_of("{\"minimum\": 1e99999}", NULL), "SCHEMA_MAX_DIGITS"));
	char patterns[2000] = "{\"type\": \"object\", \"patternProperties\": {";
	n = strlen(patterns);
	for (int i = 0; i < 20; i++)
		n += (size_t)sprintf(patterns + n, "%s\"%c.*%c\": {\"minimum\": %d}", i ? ", " : "", 'a' + i, 'a' + i * 7 % 26,
		                     i);
	strcpy(patterns + n, "}}");
	cr_assert_not_null(strstr(message_of(patterns, NULL), "SCHEMA_MAX_CLASSES"));
}

// Seventy closed objects of forty keys each, told apart by the first one: none waits for the keys of the others.
Test(schema, many_closed_alternatives)
{
	const struct schema_options o = {.order = SCHEMA_ORDER_SCHEMA};
	char *text = malloc(200000);
	size_t n = (size_t)sprintf(text, "{\"oneOf\": [");
	for (int i = 0; i < 70; i++) {
		n += (size_t)sprintf(text + n, "%s{\"type\": \"object\", \"properties\": {\"kind\": {\"const\": %d}",
		                     i ? ", " : "", i);
		for (int k = 0; k < 40; k++) n += (size_t)sprintf(text + n, ", \"k%d-%d\": {\"type\": \"null\"}", i, k);
		n += (size_t)sprintf(text + n, "}, \"required\": [\"kind\"], \"additionalProperties\": false}");
	}
	strcpy(text + n, "]}");
	cr_assert_str_eq(message_of(text, &o), "");
	free(text);
}

Test(schema, profile_of_a_hosted_service)
{
	const struct schema_options o = {.profile = "openai"};
	const char *good = "{\"type\": \"object\", \"properties\": {\"a\": {\"type\": \"string\"}}, \"required\": [\"a\"], "
					   "\"additionalProperties\": false}";
	cr_assert_str_eq(message_of(good, &o), "");
	cr_assert_not_null(strstr(message_of("{\"type\": \"object\", \"properties\": {}}", &o), "additionalProperties"));
	cr_assert_not_null(strstr(message_of("{\"type\": \"string\"}", &o), "root must be an object"));
}

// The message about {"a": PROPERTY} as a closed object; "": none.
static const char *profile_says(const char *profile, const char *property)
{
	char text[400];
	const struct schema_options o = {.profile = profile};
	snprintf(
		text, sizeof text,
		"{\"type\": \"object\", \"properties\": {\"a\": %s}, \"required\": [\"a\"], \"additionalProperties\": false, "
		"\"$defs\": {\"d\": {\"type\": \"string\"}}}",
		property);
	return message_of(text, &o);
}

// As the clients of these services rewrite schemas (openai 3.57, anthropic 2.14, pydantic-ai 2.68).
Test(schema, profiles_take_what_their_services_take)
{
	static const struct {
		const char *property, *openai, *anthropic;  // NULL: taken
	} cases[] = {
		{"{\"type\": \"string\", \"format\": \"uuid\", \"pattern\": \"^(a|\\\\(?=)+\"}", NULL, NULL},
		{"{\"type\": \"string\", \"format\": \"uri\"}", "/properties/a/format: --profile openai", NULL},
		{"{\"type\": \"string\", \"format\": \"byte\"}", "this format", "this format"},
		{"{\"type\": \"string\", \"maxLength\": 3}", "maxLength is not", "maxLength is not"},
		{"{\"type\": \"string\", \"pattern\": \"^(?!a)\"}", "ahead or behind", "ahead or behind"},
		{"{\"type\": \"integer\", \"minimum\": 3}", NULL, "minimum is not"},
		{"{\"type\": \"integer\", \"default\": 3}", "default is not", NULL},
		{"{\"type\": \"object\", \"additionalProperties\": false, \"minProperties\": 0}", "minProperties",
	     "minProperties"},
		{"{\"allOf\": [{\"type\": \"string\"}, {\"minLength\": 1}]}", "allOf is not", "/allOf/1/minLength: "},
		{"{\"$ref\": \"#/$defs/d\"}", NULL, NULL},
		{"{\"$ref\": \"#/$defs/d\", \"description\": \"D\"}", "beside $ref", NULL},
		{"{\"type\": \"array\"}", "say their type", NULL},
		{"{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/d\"}, \"minItems\": 1}", NULL, NULL},
		{"{\"type\": \"array\", \"items\": {\"type\": \"null\"}, \"minItems\": 2}", NULL, "0 or 1"},
		{"{\"type\": \"array\", \"items\": {\"type\": \"null\"}, \"maxItems\": 2}", NULL, "maxItems is not"},
		{"{\"enum\": [1, [2]]}", NULL, "no objects and arrays"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int k = 0; k < 2; k++) {
			const char *wanted = k ? cases[i].anthropic : cases[i].openai;
			const char *got = profile_says(k ? "anthropic" : "openai", cases[i].property);
			cr_expect(wanted ? strstr(got, wanted) != NULL : !*got, "%s: %s", cases[i].property, got);
		}
}

// n numbers as an enum, or n properties, of an object's only value.
static const char *sizes_say(const char *profile, bool is_enum, uint32_t n)
{
	static char text[200000], part[150000];
	const struct schema_options o = {.profile = profile};
	size_t len = 0;
	for (uint32_t i = 0; i < n; i++)
		len += (size_t)snprintf(part + len, sizeof part - len, is_enum ? "%s%u" : "%s\"%u\": {\"type\": \"null\"}",
		                        i ? ", " : "", i);
	snprintf(text, sizeof text,
	         "{\"type\": \"object\", \"additionalProperties\": false, \"required\": [\"a\"], \"properties\": {\"a\": "
	         "%s%s%s}}",
	         is_enum ? "{\"enum\": [" : "{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {",
	         part, is_enum ? "]}" : "}}");
	return message_of(text, &o);
}

Test(schema, profiles_count_properties_and_values)
{
	cr_expect_str_eq(sizes_say("openai", true, 1000), "");
	cr_expect(strstr(sizes_say("openai", true, 1001), "more than 1,000 values of enums"));
	cr_expect_str_eq(sizes_say("anthropic", true, 1001), "");
	cr_expect(!strstr(sizes_say("openai", false, 4999), "more than 5,000 properties"));
	cr_expect(strstr(sizes_say("openai", false, 5000), "more than 5,000 properties"));  // and the object's own one
}
