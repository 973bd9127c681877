// Schemas of many alike parts compile in about the time that their number asks for: each of these took minutes, or was
// refused, while some part of the work grew with its square or faster.
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/mem.h"
#include "gcdc/compile.h"

#define MOST_SECONDS 60  // with sanitizers, on a machine that does other things as well; some seconds are usual

// What stands around the parts, and one part by its number.
struct family {
	const char *begin, *part, *end;
	uint32_t n;
};

static char *written(const struct family *x, size_t *len)
{
	char *text;
	FILE *f = text_stream(&text, len);
	fputs(x->begin, f);
	for (uint32_t i = 0; i < x->n; i++) {
		if (i) fputc(',', f);
		for (const char *c = x->part; *c; c++)
			if (*c == '#')
				fprintf(f, "%u", i);
			else
				fputc(*c, f);
	}
	fputs(x->end, f);
	fclose(f);
	return text;
}

static void expect_soon(const struct family *x)
{
	gcdc_vocab *v;
	gcdc_compiled *c;
	gcdc_diagnostics *d;
	cr_assert_eq(gcdc_vocab_open(NULL, NULL, &v, NULL), GCDC_OK);
	gcdc_input in = {.kind = GCDC_KIND_JSON_SCHEMA, .path = "many.json"};
	char *text = written(x, &in.len);
	in.text = text;
	const gcdc_compile_options o = {.max_seconds = MOST_SECONDS, .costs = GCDC_COSTS_OFF, .no_proof = true};
	cr_expect_eq(gcdc_compile(v, &in, &o, &c, &d), GCDC_OK, "%s...: %s", x->part, gcdc_diagnostics_text(d));
	gcdc_diagnostics_free(d);
	gcdc_compiled_free(c);
	gcdc_vocab_close(v);
	free(text);
}

Test(schema_growth, lists_of_arrays_and_objects)
{
	expect_soon(&(struct family){"{\"enum\": [", "[#, \"a\", [#]]", "]}", 1500});
	expect_soon(&(struct family){"{\"enum\": [", "{\"id\": #, \"name\": \"item #\"}", "]}", 1000});
}

Test(schema_growth, many_alternatives_with_one_key_each)
{
	expect_soon(&(struct family){"{\"oneOf\": [",
	                             "{\"type\": \"object\", \"properties\": {\"key#\": {\"type\": \"string\"}}, "
	                             "\"required\": [\"key#\"], \"additionalProperties\": false}",
	                             "]}", 400});
}

Test(schema_growth, many_alternatives_of_a_kind)
{
	expect_soon(&(struct family){"{\"oneOf\": [",
	                             "{\"type\": \"object\", \"properties\": {\"kind\": {\"const\": \"k#\"}, \"value\": "
	                             "{\"type\": \"integer\"}, \"own#\": {\"type\": \"string\"}}, \"required\": "
	                             "[\"kind\"], \"additionalProperties\": false}",
	                             "]}", 800});
	expect_soon(&(struct family){"{\"oneOf\": [", "{\"const\": {\"id\": #, \"is\": true}}", "]}", 700});
}

Test(schema_growth, many_patterns_of_keys)
{
	expect_soon(&(struct family){"{\"allOf\": [",
	                             "{\"properties\": {\"a#\": {\"type\": \"integer\"}, \"b#\": {\"type\": \"integer\"}, "
	                             "\"c#\": {\"type\": \"integer\"}}, \"patternProperties\": {\"^x#-\": {\"type\": "
	                             "\"string\"}}}",
	                             "]}", 90});
}

Test(schema_growth, many_multiples)
{
	expect_soon(&(struct family){"{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {",
	                             "\"key#\": {\"type\": \"integer\", \"multipleOf\": 1#}", "}}", 200});
}
