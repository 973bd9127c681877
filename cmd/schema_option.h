// The options of a JSON Schema, for the commands that read one.
#ifndef GCDC_CMD_SCHEMA_OPTION_H
#define GCDC_CMD_SCHEMA_OPTION_H

#include "options.h"
#include "schema/schema.h"

struct schema_option {
	const char *from, *pointer, *order, *space, *additional, *escapes, *allow_unenforced, *profile, *format, *schemas,
		*unique;
	const char *preset, *choice, *reasoning;
	struct number blanks, indentation;
};

// Lines of a table of options.
#define SCHEMA_OPTIONS(o)                                                                                              \
	CHOICE_OPTION("from", &(o).from, "lark|json-schema|tools|gbnf|ebnf|choice|structural-tag",                         \
	              "what GRAMMAR is (by default what its name says, as\nabove; any other name: lark)"),                 \
		TEXT_OPTION("pointer", &(o).pointer, "POINTER", "of a schema: the part to take, as\n/components/schemas/Pet"), \
		CHOICE_OPTION("order", &(o).order, "schema|any|auto",                                                          \
	                  "of a schema: the order of keys (schema); auto: any, where\nthat takes few states"),             \
		CHOICE_OPTION(                                                                                                 \
			"space", &(o).space, "any|compact|dumps|indented",                                                         \
			"of a schema: white space as JSON allows it (any),\nnone, as Python's json.dumps, or with indent=N"),      \
		NUMBER_OPTION("indentation", &(o).indentation, "N", 0, 16, "of a schema, --space indented: that N (2)"),       \
		NUMBER_OPTION("blanks", &(o).blanks, "N", 0, 1000,                                                             \
	                  "of a schema, --space any: the most blanks in a row\n(32; 0: without end)"),                     \
		CHOICE_OPTION("additional", &(o).additional, "open|closed",                                                    \
	                  "of a schema: may objects that do not say so have\nfurther keys? (open)"),                       \
		CHOICE_OPTION("escapes", &(o).escapes, "written|all",                                                          \
	                  "of a schema: characters of keys and of constrained\nstrings as json.dumps writes them "         \
	                  "(written), or in\nevery way of JSON"),                                                          \
		CHOICE_OPTION("format", &(o).format, "assert|known|annotation",                                                \
	                  "of a schema: format is enforced, an unknown one is\nan error (assert), is ignored (known); "    \
	                  "none is enforced"),                                                                             \
		TEXT_OPTION("schemas", &(o).schemas, "FOLDER",                                                                 \
	                "of a schema: documents that references by URI\nmean, by $id or as HOST/PATH"),                    \
		TEXT_OPTION(                                                                                                   \
			"allow-unenforced", &(o).allow_unenforced, "KEY,...",                                                      \
			"of a schema: these keywords may stay unenforced where\nthey cannot be: uniqueItems, format:NAME, all"),   \
		CHOICE_OPTION("unique", &(o).unique, "exact|everywhere",                                                       \
	                  "of a schema: uniqueItems in one of several alternatives\nis refused (exact), or asked of all "  \
	                  "(everywhere)"),                                                                                 \
		CHOICE_OPTION("profile", &(o).profile, "openai|anthropic",                                                     \
	                  "of a schema: refuse what this hosted service refuses"),                                         \
		TEXT_OPTION("preset", &(o).preset, "NAME",                                                                     \
	                "of tools: text with calls as a chat template writes\nthem: qwen, hermes, llama3, mistral, "       \
	                "mistral-args,\ndeepseek, deepseek-v3.1, harmony"),                                                \
		TEXT_OPTION("choice", &(o).choice, "CHOICE", "of a preset: auto, none, required, or a tool's name"),           \
		CHOICE_OPTION("reasoning", &(o).reasoning, "none|optional|required|opened",                                    \
	                  "of a preset: <think>...</think> before the answer;\nopened: the prompt has the opening tag")

// Reads the grammar, whatever it is.
bool load_grammar_or_schema(const char *path, const struct schema_option *o, const struct grammar_options *grammar,
                            struct diag *d, struct grammar *g);

#endif
