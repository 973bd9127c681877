// The grammar in the making: what rules.c, places.c and rules_finish.c share.
#ifndef GCDC_SCHEMA_RULES_H
#define GCDC_SCHEMA_RULES_H

#include <stdio.h>

#include "internal.h"

struct place_info {
	const struct value **must, **split;
	uint32_t n_must, n_split;
	const char *name;
	const struct json *only;  // the one schema that says what may stand here; NULL: several do
	struct loc loc;
	struct map64 of;              // truth -> symbol
	u32_list truths;              // that its values have, once it is built
	u32_list asked;               // that productions name
	const struct json *left_out;  // what keeps it from having others, once it is built; NULL
	uint32_t level;               // brackets around it, where they are counted
	bool is_wanted, is_open, is_built;
	bool is_early;            // built before all is known that asks for it
	uint32_t order;           // of keys of its objects, whatever the option says; 0: as that says
	bool waits;               // uniqueItems tells its truths apart
	bool is_settled;          // its `asked` is all that its values may be
	const struct json *told;  // the uniqueItems of which it is told at run time whether arrays satisfy it; NULL
};

// Behind `from` symbols of the list come, from `first` on: truths of one place.
struct truths_behind {
	const struct place_info *place;
	symbol from;
	uint32_t first, n;
};

struct rules {
	struct schema *s;
	struct arena *arena;
	VEC(struct terminal) terminals;
	struct intern terminal_names;  // what it matches -> terminal
	VEC(struct nonterminal) nonterminals;
	VEC(struct rule) rules;
	symbol_list symbols;
	VEC(uint8_t) inner;          // of each nonterminal
	struct map64 pairs;          // key << 32 | value -> symbol
	struct intern choices;       // lists of symbols
	symbol_list choice_symbols;  // [choice]
	struct intern place_names, values;
	VEC(struct value) value;
	VEC(struct place_info *) places;
	VEC(struct place_info *) wanted;  // those that some production names
	VEC(struct truths_behind) alternatives;
	symbol_list alternative_symbols;
	uint32_t n_built, depth;  // the first so many of them
	uint32_t level;  // of what is inside the place that is being built: brackets around it, where they are counted
	symbol regex_text, regex_some;  // regex_syntax.c; 0: not made
};

// places.c: UINT32_MAX after an error.
uint32_t find_place(struct schema *s, const struct place *p);
// told_apart.c: false after an error. live: of each rule.
bool told_apart_check(struct rules *r, const uint8_t *live, symbol start);
// rules.c: terminals.
symbol rules_word(struct rules *r, const char *word);
symbol rules_numbers(struct rules *r, struct numbers x, const char *called);
// A part of a string; `holds`: no blank may follow it.
symbol rules_part(struct rules *r, const char *name, const char *regex, bool holds);
// The same of a language; no blank may follow it.
symbol rules_language_part(struct rules *r, const char *name, language l);
// regex_syntax.c: strings that are regular expressions.
symbol regex_syntax_symbol(struct rules *r, bool may_be_empty);
// The longest text that is told apart by its length.
static inline uint32_t rules_longest(struct strings x) { return x.most == TERM_UNBOUNDED ? x.least : x.most; }
// Can strings of any characters be one terminal?
bool rules_is_terminal(const struct schema *s, struct strings x);
// places.c: its values become terminals, arrays and objects. False after an error.
bool place_build(struct rules *r, struct place_info *p);

#endif
