// The options of a JSON Schema, for the commands that read one.
#ifndef GCDC_CMD_SCHEMA_OPTION_H
#define GCDC_CMD_SCHEMA_OPTION_H

#include "options.h"
#include "schema/schema.h"

struct schema_option {
	const char *from, *pointer, *order, *space, *additional, *escapes, *allow_unenforced, *profile, *format, *schemas;
	const char *preset, *choice, *reasoning;
	struct number blanks, indentation;
};

// Lines of a table of options.
#define SCHEMA_OPTIONS(o)                                                                                              \
	{.name = "from",                                                                                                   \
	 .kind = OPTION_CHOICE,                                                                                            \
	 .to = &(o).from,                                                                                                  \
	 .value = "lark|json-schema|tools|gbnf|ebnf|choice|structural-tag",                                                \
	 .help = "what GRAMMAR is (by default what its name says, as\nabove; any other name: lark)"},                      \
		{.name = "pointer",                                                                                            \
	     .kind = OPTION_TEXT,                                                                                          \
	     .to = &(o).pointer,                                                                                           \
	     .value = "POINTER",                                                                                           \
	     .help = "of a schema: the part to take, as\n/components/schemas/Pet"},                                        \
		{.name = "order",                                                                                              \
	     .kind = OPTION_CHOICE,                                                                                        \
	     .to = &(o).order,                                                                                             \
	     .value = "schema|any|auto",                                                                                   \
	     .help = "of a schema: the order of keys (schema); auto: any, where\nthat takes few states"},                  \
		{.name = "space",                                                                                              \
	     .kind = OPTION_CHOICE,                                                                                        \
	     .to = &(o).space,                                                                                             \
	     .value = "any|compact|dumps|indented",                                                                        \
	     .help = "of a schema: white space as JSON allows it (any),\nnone, as Python's json.dumps, or with indent=N"}, \
		{.name = "indentation",                                                                                        \
	     .kind = OPTION_NUMBER,                                                                                        \
	     .to = &(o).indentation,                                                                                       \
	     .value = "N",                                                                                                 \
	     .least = 0,                                                                                                   \
	     .most = 16,                                                                                                   \
	     .help = "of a schema, --space indented: that N (2)"},                                                         \
		{.name = "blanks",                                                                                             \
	     .kind = OPTION_NUMBER,                                                                                        \
	     .to = &(o).blanks,                                                                                            \
	     .value = "N",                                                                                                 \
	     .least = 0,                                                                                                   \
	     .most = 1000,                                                                                                 \
	     .help = "of a schema, --space any: the most blanks in a row\n(32; 0: without end)"},                          \
		{.name = "additional",                                                                                         \
	     .kind = OPTION_CHOICE,                                                                                        \
	     .to = &(o).additional,                                                                                        \
	     .value = "open|closed",                                                                                       \
	     .help = "of a schema: may objects that do not say so have\nfurther keys? (open)"},                            \
		{.name = "escapes",                                                                                            \
	     .kind = OPTION_CHOICE,                                                                                        \
	     .to = &(o).escapes,                                                                                           \
	     .value = "written|all",                                                                                       \
	     .help = "of a schema: characters of keys and of constrained\nstrings as json.dumps writes them (written), "   \
	             "or in\n"                                                                                             \
	             "every way of JSON"},                                                                                 \
		{.name = "format",                                                                                             \
	     .kind = OPTION_CHOICE,                                                                                        \
	     .to = &(o).format,                                                                                            \
	     .value = "assert|known|annotation",                                                                           \
	     .help = "of a schema: format is enforced, an unknown one is\nan error (assert), is ignored (known); "         \
	             "none is enforced"},                                                                                  \
		{.name = "schemas",                                                                                            \
	     .kind = OPTION_TEXT,                                                                                          \
	     .to = &(o).schemas,                                                                                           \
	     .value = "FOLDER",                                                                                            \
	     .help = "of a schema: documents that references by URI\nmean, by $id or as HOST/PATH"},                       \
		{.name = "allow-unenforced",                                                                                   \
	     .kind = OPTION_TEXT,                                                                                          \
	     .to = &(o).allow_unenforced,                                                                                  \
	     .value = "KEY,...",                                                                                           \
	     .help =                                                                                                       \
	         "of a schema: these keywords may stay unenforced where\nthey cannot be: uniqueItems, format:color, all"}, \
		{.name = "profile",                                                                                            \
	     .kind = OPTION_CHOICE,                                                                                        \
	     .to = &(o).profile,                                                                                           \
	     .value = "openai",                                                                                            \
	     .help = "of a schema: refuse what this hosted service refuses"},                                              \
		{.name = "preset",                                                                                             \
	     .kind = OPTION_TEXT,                                                                                          \
	     .to = &(o).preset,                                                                                            \
	     .value = "NAME",                                                                                              \
	     .help = "of tools: text with calls as a chat template writes\nthem: qwen, hermes, llama3, mistral, "          \
	             "mistral-args,\ndeepseek, deepseek-v3.1, harmony"},                                                   \
		{.name = "choice",                                                                                             \
	     .kind = OPTION_TEXT,                                                                                          \
	     .to = &(o).choice,                                                                                            \
	     .value = "CHOICE",                                                                                            \
	     .help = "of a preset: auto, none, required, or a tool's name"},                                               \
	{                                                                                                                  \
		.name = "reasoning", .kind = OPTION_CHOICE, .to = &(o).reasoning, .value = "none|optional|required|opened",    \
		.help = "of a preset: <think>...</think> before the answer;\nopened: the prompt has the opening tag"           \
	}

// Reads the grammar, whatever it is.
bool load_grammar_or_schema(const char *path, const struct schema_option *o, const struct grammar_options *grammar,
                            struct diag *d, struct grammar *g);

#endif
