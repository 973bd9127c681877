// JSON Schema: from a schema's text to a grammar, as the Lark front end makes one.
//
// In:  a schema (drafts 3, 4, 6, 7, 2019-09, 2020-12), an OpenAPI 3.1 document or a list of tools; options.
// Out: struct grammar, whose texts are the JSON texts of the values that the schema takes. Each assertion keyword is
//      enforced exactly or is an error with its place and JSON pointer. docs/json-schema.md says what is what.
#ifndef GCDC_SCHEMA_SCHEMA_H
#define GCDC_SCHEMA_SCHEMA_H

#include "../grammar/grammar.h"
#include "../regex/regex.h"

// Limits; messages name them.
#define SCHEMA_MAX_BYTES (16u << 20)
#define SCHEMA_MAX_NESTING 500u         // brackets inside each other, of the schema's text
#define SCHEMA_MAX_VALUES 2000000u      // values in all of its documents
#define SCHEMA_MAX_FILES 256u           // documents that references lead to
#define SCHEMA_MAX_FOLDER 10000u        // files of the folder of schemas
#define SCHEMA_MAX_IN_PLACE 400u        // schemas that apply to one value, inside each other
#define SCHEMA_MAX_FORMULA 200000u      // nodes of one object's or array's condition
#define SCHEMA_MAX_STATES 60000u        // states of one object's or array's automaton
#define SCHEMA_MAX_ENTRIES 21845u       // of an object that are counted: each is three states or four of LR_MAX_STATES
#define SCHEMA_MAX_PRODUCTIONS 400000u  // of the grammar, before it is trimmed
#define SCHEMA_MAX_CLASSES 100u         // kinds of keys that an object's patterns tell apart
#define SCHEMA_MAX_SPLIT 12u            // arrays or objects that a value which contains itself may tell apart
#define SCHEMA_MAX_NESTED_GROUPS 3u     // of a regular expression, in each other, where other conditions stand beside
#define SCHEMA_MAX_UNIQUE 10u           // different values of the items of a uniqueItems array
#define SCHEMA_MAX_SHAPE 16384u         // edges of an automaton whose texts are counted, for such items
#define SCHEMA_MAX_UNEVALUATED 12u      // subschemas whose success decides which items are evaluated
#define SCHEMA_MAX_MODULUS 100000u      // of multipleOf, as a whole number without the zeros at its end
#define SCHEMA_MAX_LENGTH 6000u         // that one terminal counts: beyond it strings are counted in parts (lengths.c)
#define SCHEMA_MAX_COUNTED (1u << 24)   // of a maxLength that the lexer counts; longer ones the parser counts in parts
#define SCHEMA_MIN_SHARED 16u           // characters, and
#define SCHEMA_SHARED_STATES 300u  // states of a string beside a pattern, from which on numbers may share its states
#define SCHEMA_MIN_COUNTED 400u    // characters beyond which the lexer counts those beside a pattern or format
#define SCHEMA_MAX_BESIDE 900000u  // steps of the automaton of a pattern or format that counts characters, too
#define SCHEMA_MAX_DIGITS 400u     // of a number that a keyword gives

// White space between what JSON calls tokens.
enum schema_space {
	SCHEMA_SPACE_ANY,      // as JSON allows it, at most `blanks` in a row
	SCHEMA_SPACE_COMPACT,  // none: {"a":1,"b":[]}
	SCHEMA_SPACE_DUMPS,    // as Python's json.dumps: {"a": 1, "b": []}
	SCHEMA_SPACE_INDENTED  // as json.dumps(indent=N): each entry on a line of its own
};
#define SCHEMA_MAX_INDENTED 32u  // brackets inside each other, then: each level's blanks are texts of their own
#define SCHEMA_INDENTATION 2u    // blanks a level, unless said otherwise
#define SCHEMA_BLANKS 32u        // in a row, unless said otherwise

enum schema_order {
	SCHEMA_ORDER_SCHEMA,  // properties in the order in which the schema first names them; others between them
	SCHEMA_ORDER_ANY,
	SCHEMA_ORDER_AUTO,  // any, but in objects where that takes too many states required keys, or all, have an order
};

// What `format` says.
enum schema_format {
	SCHEMA_FORMAT_ASSERT,      // those of the list are enforced, any other is an error
	SCHEMA_FORMAT_KNOWN,       // those of the list are enforced, any other is an annotation
	SCHEMA_FORMAT_ANNOTATION,  // none is enforced: drafts 2019-09 and 2020-12 say so where no vocabulary asks for it
};

// What the text is.
enum schema_kind {
	SCHEMA_KIND_SCHEMA,
	SCHEMA_KIND_TOOLS,  // a list of tools: texts are {"name": NAME, "arguments": {...}} of any of them
};

struct schema_options {
	enum schema_kind kind;
	const char *pointer;  // NULL, or the JSON pointer of the schema to take: "/components/schemas/Pet"
	enum schema_space space;
	uint32_t blanks;       // 0: SCHEMA_BLANKS; UINT32_MAX: without end
	bool blanks_once;      // who reads the grammar puts at most one text of blanks between two terminals (lib/grammar)
	uint32_t indentation;  // of SCHEMA_SPACE_INDENTED: blanks a level, 0 or more
	enum schema_order order;
	bool closed;       // objects without additionalProperties take none
	bool all_escapes;  // keys and constrained strings in any spelling that JSON has
	enum schema_format format;
	const char *schemas;           // NULL, or a folder of documents that references by URI may mean
	const char *allow_unenforced;  // NULL, or keywords that may stay unenforced: "uniqueItems,format:NAME"
	bool unique_everywhere;        // uniqueItems of one of several alternatives is asked of all: fewer texts, all valid
	source_list *sources;          // NULL, or where to append the files read, as grammar_options.sources
	const char *profile;           // NULL, "openai" or "anthropic": what that hosted service refuses is an error
	bool counts_parts;             // the parser counts long strings' parts even where the lexer could count characters
	bool whole_strings;            // a string is one terminal, however long (else long ones are counted in parts)
	struct languages *languages;   // NULL, or the store of many schemas: all that is made belongs to the caller's work
};

// As grammar_load and grammar_parse. Work that is given up is said in d; with o->languages the caller's work is.
bool schema_load(const char *path, const struct schema_options *o, struct diag *d, struct grammar *g);
bool schema_parse(const char *path, const char *text, size_t len, const struct schema_options *o, struct diag *d,
                  struct grammar *g);

// The texts that a `format` takes, of strings without quotes; LANGUAGE_ERROR: it is none of the list, or no regular one
// (`regex`). One that only describes (`password`) takes all.
language schema_format_language(struct languages *store, const char *name, struct diag *d);

#endif
