// Grammars inside grammars: a part in another notation, put in with names of its own. (embed.c)
#ifndef GCDC_NOTATION_EMBED_H
#define GCDC_NOTATION_EMBED_H

#include "../regex/regex.h"
#include "pieces.h"

struct embedding {
	const char *name;      // of the part: its rule X is NAME.X; no other part has it, and it has no dot
	const char *text;      // kept
	uint32_t most_blanks;  // of a schema: white space in a row between what JSON calls tokens; UINT32_MAX: any
	bool any_order;        // of a schema: properties in any order, each once
	// Of a schema: strings and names have these texts between their quotes, as they are written; LANGUAGE_NOTHING: any.
	language strings;
};
// A JSON Schema; objects that do not say so take no further keys. s: the store of all schemas put in. False after an
// error.
bool embed_schema(struct notation_rules *r, struct languages *s, const struct embedding *e, piece_id *out);
// XGrammar's EBNF, from its rule root.
bool embed_ebnf(struct notation_rules *r, const struct embedding *e, piece_id *out);

#endif
