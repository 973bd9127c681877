// Texts that schemas take, and texts that they do not: strings that conditions tell apart (lib/schema/places.c).
#include <criterion/criterion.h>
#include <stdio.h>

#include "gcdc/compile.h"

struct texts {
	const char *schema;          // of k and x, a member of which is below "allOf"
	const char *k[4];            // its values
	uint32_t least[4], most[4];  // what x may be beside each
};

// An object of a string k, and of x from 1 to 6, which conditions on k bound.
#define CONDITION(k, x) "{\"if\":{\"properties\":{\"k\":" k "}},\"then\":{\"properties\":{\"x\":" x "}}}"
#define OBJECT(k, conditions)                                                                                          \
	"{\"type\":\"object\",\"properties\":{\"k\":" k ",\"x\":{\"enum\":[1,2,3,4,5,6]}},\"required\":[\"k\",\"x\"],"     \
	"\"additionalProperties\":false,\"allOf\":[" conditions "]}"
#define ANY_STRING "{\"type\":\"string\"}"

// What a condition lists is taken from all other strings, before and behind conditions that are no lists.
static const struct texts told_apart[] = {
	{OBJECT(ANY_STRING,
            CONDITION("{\"const\":\"a\"}", "{\"const\":1}") "," CONDITION(
				"{\"pattern\":\"^a\"}", "{\"maximum\":5}") "," CONDITION("{\"const\":\"bc\"}", "{\"const\":2}")),
     {"a", "bc", "ab", "b"},
     {1, 2, 1, 1},
     {1, 2, 5, 6}},
	// Nothing is left of the other strings.
	{OBJECT("{\"enum\":[\"a\",\"bc\"]}",
            CONDITION("{\"const\":\"a\"}", "{\"const\":1}") "," CONDITION("{\"const\":\"bc\"}", "{\"const\":2}")),
     {"a", "bc", "ab", "b"},
     {1, 2, 1, 1},
     {1, 2, 0, 0}},
	// One text, twice.
	{OBJECT(ANY_STRING,
            CONDITION("{\"const\":\"a\"}", "{\"minimum\":2}") "," CONDITION(
				"{\"enum\":[\"a\",1]}", "{\"maximum\":3}") "," CONDITION("{\"const\":\"bc\"}", "{\"const\":2}")),
     {"a", "bc", "ab", "b"},
     {2, 2, 1, 1},
     {3, 2, 6, 6}},
	// Of what two patterns share only the listed text is there: nothing else is left of it.
	{OBJECT(ANY_STRING, CONDITION("{\"const\":\"a\"}", "{\"const\":1}") "," CONDITION(
							"{\"pattern\":\"^(a|b)$\"}",
							"{\"maximum\":5}") "," CONDITION("{\"pattern\":\"^(a|ab)$\"}",
                                                             "{\"maximum\":4}") "," CONDITION("{\"const\":\"bc\"}",
                                                                                              "{\"const\":2}")),
     {"a", "bc", "ab", "b"},
     {1, 2, 1, 1},
     {1, 2, 4, 5}},
};

static bool takes(gcdc_artifact *a, const char *text)
{
	gcdc_matcher *m;
	cr_assert_eq(gcdc_matcher_new(a, NULL, &m), GCDC_OK);
	const bool ok = gcdc_matcher_accept_bytes(m, text, strlen(text)) == GCDC_OK && gcdc_matcher_is_completed(m);
	gcdc_matcher_free(m);
	return ok;
}

static void check_texts(gcdc_artifact *a, const struct texts *x)
{
	for (uint32_t i = 0; i < 4; i++)
		for (uint32_t value = 1; value <= 6; value++) {
			char text[2][40];
			snprintf(text[0], sizeof text[0], "{\"k\": \"%s\", \"x\": %u}", x->k[i], value);
			snprintf(text[1], sizeof text[1], "{\"x\": %u, \"k\": \"%s\"}", value, x->k[i]);
			const bool want = x->least[i] <= value && value <= x->most[i];
			for (uint32_t k = 0; k < 2; k++) cr_expect_eq(takes(a, text[k]), want, "%s of %s", text[k], x->schema);
		}
}

Test(schema_texts, listed_strings_are_told_from_all_others)
{
	const gcdc_setting any_order = {"order", "any"};
	gcdc_vocab *v;
	cr_assert_eq(gcdc_vocab_open(NULL, NULL, &v, NULL), GCDC_OK);
	for (uint32_t i = 0; i < sizeof told_apart / sizeof *told_apart; i++) {
		const char *schema = told_apart[i].schema;
		const gcdc_input in = {.kind = GCDC_KIND_JSON_SCHEMA,
		                       .text = schema,
		                       .len = strlen(schema),
		                       .settings = &any_order,
		                       .n_settings = 1};
		gcdc_compiled *c;
		gcdc_diagnostics *d;
		gcdc_artifact *a;
		size_t len;
		cr_assert_eq(gcdc_compile(v, &in, &(gcdc_compile_options){.costs = GCDC_COSTS_OFF}, &c, &d), GCDC_OK, "%s",
		             gcdc_diagnostics_text(d));
		const void *bytes = gcdc_compiled_bytes(c, &len);
		cr_assert_eq(gcdc_artifact_open_memory(bytes, len, NULL, &a, NULL), GCDC_OK);
		check_texts(a, &told_apart[i]);
		gcdc_artifact_close(a);
		gcdc_compiled_free(c);
		gcdc_diagnostics_free(d);
	}
	gcdc_vocab_close(v);
}
