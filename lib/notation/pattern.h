// XGrammar's regular expressions as pieces. (pattern.c)
#ifndef GCDC_NOTATION_PATTERN_H
#define GCDC_NOTATION_PATTERN_H

#include "pieces.h"

// XGrammar has two readers that differ in a few signs.
enum pattern_dialect {
	PATTERN_FORMAT,  // of the format "regex" in structural tags
	PATTERN_MACRO    // of Regex("...") in EBNF
};

struct pattern {
	const char *text;
	size_t len;
	enum pattern_dialect dialect;
	bool folds;           // ASCII letters match in both cases
	bool dot_ends_lines;  // . does not match \n
	bool in_json_string;  // no character is ", \ or a control character
	struct loc loc;
};

// False after an error.
bool pattern_read(struct notation_rules *r, const struct pattern *p, struct diag *d, piece_id *out);

#endif
