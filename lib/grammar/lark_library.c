// Grammars that %import finds without a file: "common", "unicode" and the terminals of "python".
//
// In:  a name. Out: its text, or NULL.
// Names and languages are those of the grammars of the same names that come with Lark 1.3; the text is our
// own. The rules of Lark's "python" are left out: a whole Python is grammars/python. Where Lark's patterns rely on a
// regex engine that backtracks (a lookbehind in the strings, a lazy quantifier in C_COMMENT), these say the same with
// classes, so that no more than an automaton is needed.
#include "lark.h"

static const char common[] =
	"DIGIT: \"0\"..\"9\"\n"
	"HEXDIGIT: \"a\"..\"f\" | \"A\"..\"F\" | DIGIT\n"
	"INT: DIGIT+\n"
	"SIGNED_INT: [\"+\" | \"-\"] INT\n"
	"DECIMAL: INT \".\" INT? | \".\" INT\n"
	"_EXP: (\"e\" | \"E\") SIGNED_INT\n"
	"FLOAT: INT _EXP | DECIMAL _EXP?\n"
	"SIGNED_FLOAT: [\"+\" | \"-\"] FLOAT\n"
	"NUMBER: FLOAT | INT\n"
	"SIGNED_NUMBER: [\"+\" | \"-\"] NUMBER\n"
	"\n"
	"# The inner ones are lazy: a terminal that puts a quote after them ends at the first quote that counts.\n"
	"_STRING_INNER: /.*?/\n"
	"_STRING_ESC_INNER: /([^\\\\\\n]|\\\\[^\\n])*?/\n"
	"ESCAPED_STRING: /\"([^\"\\\\\\n]|\\\\[^\\n])*\"/\n"
	"\n"
	"LCASE_LETTER: \"a\"..\"z\"\n"
	"UCASE_LETTER: \"A\"..\"Z\"\n"
	"LETTER: UCASE_LETTER | LCASE_LETTER\n"
	"WORD: LETTER+\n"
	"CNAME: (\"_\" | LETTER) (\"_\" | LETTER | DIGIT)*\n"
	"\n"
	"WS_INLINE: (\" \" | \"\\t\")+\n"
	"WS: /[ \\t\\f\\r\\n]/+\n"
	"CR: \"\\r\"\n"
	"LF: \"\\n\"\n"
	"NEWLINE: (CR? LF)+\n"
	"\n"
	"SH_COMMENT: /#[^\\n]*/\n"
	"CPP_COMMENT: /\\/\\/[^\\n]*/\n"
	"C_COMMENT: /\\/\\*[^*]*\\*+([^\\/*][^*]*\\*+)*\\//\n"
	"SQL_COMMENT: /--[^\\n]*/\n";

static const char unicode[] = "WS_INLINE: /[ \\t\\xa0]/+\n"
							  "WS: /[ \\t\\xa0\\f\\r\\n]/+\n";

static const char python[] =
	"SLASH: \"/\"\n"
	"ASYNC: \"async\"\n"
	"AWAIT: \"await\"\n"
	"NAME: /[^\\W\\d]\\w*/\n"
	"COMMENT: /#[^\\n]*/\n"
	"_NEWLINE: (/\\r?\\n[\\t ]*/ | COMMENT)+\n"
	"STRING: /([ubf]?r?|r[ubf])(\"(?!\"\")([^\"\\\\\\n]|\\\\[^\\n])*\"|'(?!'')([^'\\\\\\n]|\\\\[^\\n])*')/i\n"
	"LONG_STRING: /([ubf]?r?|r[ubf])(\"\"\"([^\\\\]|\\\\.)*?\"\"\"|'''([^\\\\]|\\\\.)*?''')/is\n"
	"_SPECIAL_DEC: /[0-9](_?[0-9])*/\n"
	"DEC_NUMBER: /[1-9](_?[0-9])*|0(_?0)*(?![1-9])/\n"
	"HEX_NUMBER.2: /0[xX](_?[0-9a-fA-F])+/\n"
	"OCT_NUMBER.2: /0[oO](_?[0-7])+/\n"
	"BIN_NUMBER.2: /0[bB](_?[01])+/\n"
	"_EXP: /[eE][+-]?/ _SPECIAL_DEC\n"
	"DECIMAL: \".\" _SPECIAL_DEC | _SPECIAL_DEC \".\" _SPECIAL_DEC?\n"
	"FLOAT_NUMBER.2: _SPECIAL_DEC _EXP | DECIMAL _EXP?\n"
	"IMAG_NUMBER.2: (_SPECIAL_DEC | FLOAT_NUMBER) /[jJ]/\n";

const char *lark_library(const char *name)
{
	if (strcmp(name, "common") == 0) return common;
	if (strcmp(name, "unicode") == 0) return unicode;
	if (strcmp(name, "python") == 0) return python;
	return NULL;
}
