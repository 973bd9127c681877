// The options of a JSON Schema as words of a command line; and which front end a file is for.
#include "schema_option.h"

#include <string.h>

#include "notation/notation.h"

// What the file at path is to be read as: a word of --from, or what its name says.
static const char *grammar_kind(const char *path, const struct schema_option *o)
{
	size_t n = strlen(path);
	if (o->from) return o->from;
	enum notation notation = notation_of_path(path);
	if (notation != N_NOTATIONS) return notation_name[notation];
	return n > 5 && strcmp(path + n - 5, ".json") == 0 ? "json-schema" : "lark";
}

static bool is(const char *word, const char *text) { return word && strcmp(word, text) == 0; }

static struct schema_options schema_option_read(const struct schema_option *o)
{
	return (struct schema_options){
		.kind = is(o->from, "tools") ? SCHEMA_KIND_TOOLS : SCHEMA_KIND_SCHEMA,
		.pointer = o->pointer,
		.space = is(o->space, "compact")    ? SCHEMA_SPACE_COMPACT
	             : is(o->space, "dumps")    ? SCHEMA_SPACE_DUMPS
	             : is(o->space, "indented") ? SCHEMA_SPACE_INDENTED
	                                        : SCHEMA_SPACE_ANY,
		.indentation = o->indentation.given ? (uint32_t)o->indentation.value : SCHEMA_INDENTATION,
		.blanks = !o->blanks.given  ? 0
	              : o->blanks.value ? (uint32_t)o->blanks.value
	                                : UINT32_MAX,
		.order = is(o->order, "any")    ? SCHEMA_ORDER_ANY
	             : is(o->order, "auto") ? SCHEMA_ORDER_AUTO
	                                    : SCHEMA_ORDER_SCHEMA,
		.closed = is(o->additional, "closed"),
		.all_escapes = is(o->escapes, "all"),
		.format = is(o->format, "known")        ? SCHEMA_FORMAT_KNOWN
	              : is(o->format, "annotation") ? SCHEMA_FORMAT_ANNOTATION
	                                            : SCHEMA_FORMAT_ASSERT,
		.schemas = o->schemas,
		.allow_unenforced = o->allow_unenforced,
		.unique_everywhere = is(o->unique, "everywhere"),
		.profile = o->profile,
	};
}

bool load_grammar_or_schema(const char *path, const struct schema_option *o, const struct grammar_options *grammar,
                            struct diag *d, struct grammar *g)
{
	enum notation notation = notation_named(grammar_kind(path, o));
	const struct tool_options tools = {o->preset, o->choice, o->reasoning};
	if (o->preset && !strcmp(grammar_kind(path, o), "tools")) {
		struct grammar_options with = *grammar;
		with.tools = &tools;
		return notation_load(NOTATION_TOOLS, path, &with, d, g);
	}
	if (notation != N_NOTATIONS) return notation_load(notation, path, grammar, d, g);
	struct schema_options options = schema_option_read(o);
	options.sources = grammar->sources;
	return schema_load(path, &options, d, g);
}
