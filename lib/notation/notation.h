// Grammars that have no lexer: llama.cpp's GBNF, XGrammar's EBNF, and a list of strings to choose from.
//
// In:  a text in one of these notations.
// Out: struct grammar, as from a Lark grammar: exactly the texts that the notation's own engine accepts.
// Such notations know characters only. A part of the grammar becomes a terminal where no way of reading a text is lost
// by that (scannerless.c); elsewhere each character is a terminal.
#ifndef GCDC_NOTATION_NOTATION_H
#define GCDC_NOTATION_NOTATION_H

#include "../grammar/grammar.h"

enum notation {
	NOTATION_LARK,            // lib/grammar reads it
	NOTATION_GBNF,            // llama.cpp's grammars/README.md
	NOTATION_EBNF,            // XGrammar's: GBNF with its own escapes, regular expressions and lookahead assertions
	NOTATION_CHOICE,          // a JSON array of strings: a text is one of them
	NOTATION_STRUCTURAL_TAG,  // XGrammar's structural tags, as engines send them
	N_NOTATIONS,
	NOTATION_TOOLS,  // a list of tools in the form of a preset (o->tools); no name of its own
};
// What `--from` calls them: "lark", "gbnf", "ebnf", "choice".
extern const char *const notation_name[N_NOTATIONS];

// How a list of tools becomes a grammar (tools.c, docs/tools.md).
struct tool_options {
	const char *preset;     // "qwen", "llama3", ...: the form that a chat template gives calls
	const char *choice;     // NULL or "auto", "none", "required", or the name of the tool that must be called
	const char *reasoning;  // NULL or "none", "optional", "required"; "opened": the prompt has the opening tag
};

#define NOTATION_MAX_BYTES (16u << 20)  // of a text
#define NOTATION_MAX_NESTING 200u       // of brackets inside each other
#define NOTATION_MAX_PIECES 2000000u    // sets, sequences, alternatives and repetitions of one grammar
#define NOTATION_MAX_REPEAT 65535u      // in {n,m}

// The notation that a file's name says by its end: .lark, .gbnf, .ebnf, .choice.json; N_NOTATIONS: it says none.
enum notation notation_of_path(const char *path);
// By the name that notation_name has; N_NOTATIONS: there is none of this name.
enum notation notation_named(const char *name);

// Reads a grammar from a file, or from memory (path names it in messages). o->start: the rule of whole texts, NULL for
// `root`; o->indent and o->import_folder are Lark's alone. On false, d holds at least one error and *g is empty. Cost:
// linear in the text, then some builds of the parser's automaton (scannerless.c).
bool notation_load(enum notation n, const char *path, const struct grammar_options *o, struct diag *d,
                   struct grammar *g);
struct notation_text {
	const char *path, *at;
	size_t len;
};
bool notation_parse(enum notation n, struct notation_text text, const struct grammar_options *o, struct diag *d,
                    struct grammar *g);

#endif
