// What makes a grammar hard, one kind after the other: skeletons of rules and sets of terminals.
//
// In:  a kind. Out: a skeleton with holes (random_grammar.c fills them) and terminals, or NULL where the kind has
// nothing of its own. A..F are terminals of the grammar (one letter, one terminal; two letters may be the same terminal
// when there are few), T any terminal, R any of the random rules behind the skeleton: so one skeleton is many
// languages.
#include "../random.h"

const char *const random_kind_names[N_KINDS] = {
	"any",        "mixed",       "ambiguous", "lr(2)",         "palindrome", "right",
	"left",       "hidden-left", "nullable",  "cyclic",        "competing",  "ignored",
	"lookaround", "indent",      "parses",    "indent-parses", "brackets",   "blanks",
};

enum random_kind random_kind_named(const char *name)
{
	enum random_kind kind = N_KINDS;
	while (--kind && strcmp(name, random_kind_names[kind]) != 0) {
	}
	return kind;
}

// Percent; what is left is KIND_MIXED.
static const uint8_t shares[N_KINDS] = {
	[KIND_AMBIGUOUS] = 10,  [KIND_LOOK_TWO] = 7, [KIND_PALINDROME] = 6, [KIND_RIGHT] = 5,         [KIND_LEFT] = 5,
	[KIND_HIDDEN_LEFT] = 7, [KIND_NULLABLE] = 7, [KIND_CYCLIC] = 7,     [KIND_COMPETING] = 7,     [KIND_IGNORED] = 6,
	[KIND_LOOKAROUND] = 7,  [KIND_INDENT] = 6,   [KIND_PARSES] = 8,     [KIND_INDENT_PARSES] = 3, [KIND_BRACKETS] = 4,
};

enum random_kind random_kind(struct rng *r)
{
	uint32_t at = rng_below(r, 100);
	for (uint32_t k = 0; k < N_KINDS; k++) {
		if (at < shares[k]) return (enum random_kind)k;
		at -= shares[k];
	}
	return KIND_MIXED;
}

#define LIST(...)                                                                                                      \
	(const char *const[]) { __VA_ARGS__, NULL }

static const char *const *const skeletons[N_KINDS] = {
	[KIND_AMBIGUOUS] =
		LIST("start: e; e: e A e | B", "start: e; e: e e | A", "start: e; e: e A e | e B e | C e | D",
             "start: s; s: A s | A s B s | C", "start: e C; e: e A e B e | D", "start: e; e: e e | A e B | C",
             "start: e; e: e A e | B e C | R", "start: x | y; x: A+ B; y: A C*", "start: a a?; a: A+ | R",
             "start: (l | m)*; l: A A | B; m: A | A B", "start: e; e: e e e | e e | A",
             "start: x C | y D; x: A x B | ; y: A y B B | ", "start: e; e: R e | e R | A"),
	[KIND_LOOK_TWO] =
		LIST("start: x A B | y A C; x: D; y: D", "start: s*; s: A B p*; p: A", "start: s+; s: A C l; l: | l A D | l A",
             "start: x A A B | y A A C; x: D | ; y: D | ", "start: x* y; x: A B; y: A C",
             "start: x T | y T; x: A R; y: A R", "start: a b; a: A* ; b: A B | A C", "start: (n A B)+ n A C?; n: D?",
             "start: c (A c)* A?; c: B | B D", "start: v | f; v: i A; f: j A B; i: C; j: C"),
	[KIND_PALINDROME] =
		LIST("start: s; s: A s A | B s B | C", "start: s; s: A s A | B s B | ", "start: s; s: A s A | A",
             "start: s; s: A s A | A | B", "start: s B?; s: A s A | ", "start: s; s: A s A | B s B | R",
             "start: s s; s: A s A | B", "start: s; s: A s B | A s | C"),
	[KIND_RIGHT] = LIST("start: s; s: A s | B", "start: s; s: A s | ", "start: s; s: A B s | A C s | D",
                        "start: s; s: A u | B; u: B s | C u | ", "start: s A; s: T s | R s | B",
                        "start: (A start B | A start)?", "start: s; s: A s n | B; n: | C n"),
	[KIND_LEFT] = LIST("start: s; s: s A | B", "start: s; s: s A | ", "start: s B; s: s A B | s A C | D",
                       "start: s; s: u A | B; u: s B | u C | C", "start: s; s: s T | s R | B",
                       "start: s; s: s n A | B; n: n C | "),
	[KIND_HIDDEN_LEFT] =
		LIST("start: s; s: n s A | B; n: | C", "start: s; s: n s A | B; n: ", "start: s; s: n n s A | B; n: C?",
             "start: s; s: n u A | B; u: n s | C; n: D | ", "start: s; s: n s | A; n: | B",
             "start: s; s: n s A s | B; n: | C", "start: s; s: A? s B | C", "start: s; s: A* s B | C",
             "start: s; s: n s n | B; n: A | ", "start: s D; s: n s T | R; n: n A | "),
	[KIND_NULLABLE] =
		LIST("start: n n A; n: | B", "start: s; s: A n m; n: | B; m: | n C", "start: s; s: A s n | ; n: | B",
             "start: s; s: A s n n | B | ; n: | C n", "start: n* A?; n: B? C?", "start: (n m)+ ; n: A? ; m: B? n",
             "start: a; a: b c d; b: A | ; c: B | b; d: C | c | ",
             "start: s; s: A u; u: s n | B; n: ", "start: s; s: A s B n | A s n | ; n: C | ", "start: R? R? T?"),
	[KIND_CYCLIC] =
		LIST("start: a; a: a | A", "start: a; a: b | A; b: a | B", "start: a B?; a: n a n | A; n: | B",
             "start: a; a: a a | A | ", "start: a; a: b c; b: a | A; c: a | ", "start: s; s: s s | A s B | ",
             "start: a; a: b A? ; b: c | B; c: a | C", "start: n* ; n: m* ; m: A?", "start: a; a: (a | A)* B?",
             "start: a C; a: a n | n a | A; n: | B"),
	[KIND_INDENT] = LIST(
		"start: (stmt | NL)*; stmt: simple | block; simple: x NL; block: K x COLON suite; suite: simple | NL IN stmt+ "
		"DE; x: NAME | LP x RP",
		"start: stmt+; stmt: x NL | K COLON NL IN stmt+ DE; x: NAME x? | LP x? RP",
		"start: item*; item: NAME NL (IN item+ DE)?", "start: NL? item; item: NAME NL IN item+ DE | NAME NL | K NL",
		"start: b; b: s*; s: NAME NL | K NL IN b DE (K NL IN b DE)?",
		"start: stmt*; stmt: x NL | K suite; suite: x NL | NL IN stmt stmt* DE | COLON; x: NAME (COLON NAME)* | LP (x "
		"| NL)* RP",
		"start: s+; s: NAME NL | K NL IN s+ DE | COLON NL IN t DE; t: LP NL IN s DE | NAME COLON NL IN t DE NAME NL",
		"start: s+; s: NAME NL | K t; t: NAME NL | NL IN c+ DE; c: COLON NL IN s DE | LP c RP NL"),
	// What one terminal was is open for some time; until then each parse reads on with terminals of its own.
	[KIND_PARSES] = LIST("start: x A B C | y A D C; x: E; y: E", "start: ( x A B | y A C )+; x: D; y: D",
                         "start: x A R | y A R; x: B; y: B", "start: s; s: x A s | y A B | C; x: D; y: D",
                         "start: s; s: x s A | y s B | C; x: D; y: D", "start: l+; l: p A B* | q A C*; p: D; q: D",
                         "start: p A w | q A v; p: B; q: B; w: C w | D; v: E v | D C", "start: a b; a: A*; b: A B C?",
                         "start: s s; s: A s B | A s C | A", "start: e; e: x A e B | y A e | C; x: A; y: A",
                         "start: x A T T | y A T r; x: B? C; y: B? C", "start: ( p T )+ A | ( q T )+ B; p: C; q: C"),
	[KIND_INDENT_PARSES] = LIST(
		"start: s+; s: p COLON NL IN w+ DE | q COLON NL IN v+ DE | NAME NL; p: K; q: K; w: NAME NL; v: NAME NAME NL",
		"start: s+; s: p NAME NL IN s DE | q NAME NL K NL | NAME NL; p: K; q: K",
		"start: s+; s: p COLON NAME NL | q COLON NAME NL IN s+ DE | NAME NL; p: K; q: K",
		"start: b; b: s+; s: NAME NL | p NL IN b DE | q NL IN b DE COLON NL; p: K; q: K",
		"start: s+; s: p t NL | q t NL IN s DE | NAME NL; p: K; q: K; t: NAME LP x RP; x: NAME (COLON NAME)*",
		"start: s+; s: p NL IN s DE | q NL K | NAME NL; p: K NAME; q: K NAME"),
	// Newlines are ignored between LP and RP, and not between LB and RB inside of them.
	[KIND_BRACKETS] = LIST("start: s*; s: x NL; x: NAME | LP x RP | LB s* RB",
                           "start: x NL; x: NAME x? | LP x? RP | LB s RB; s: x NL | NAME",
                           "start: (x | NL)*; x: NAME | LP x RP | LP LB NL RB x RP | LB NL x RB",
                           "start: s+; s: LP NAME LB x NL RB NAME RP | x NL; x: NAME | LB x RB | LP x LB NL RB RP",
                           "start: LB s RB | LP x RP; s: NL s? | NAME; x: LB s RB x? | NAME",
                           "start: x x; x: LP NL RP | y; y: LB NL RB | NAME y?",
                           "start: s s; s: x NL | ; x: NAME | LP y RP; y: LB s RB | LP x RP",
                           "start: x; x: LP x x RP | LB n x n RB | NAME; n: NL? NAME"),
	// Up to so many blanks in a row: the states that count them have the masks of the first, less some tokens.
	[KIND_BLANKS] = LIST(
		"start: w x; w: W?; x: NAME w | LB w (x (COMMA w x)*)? RB w", "start: NAME (W NAME)* W?",
		"start: x; x: LB W? x W? RB | NAME (W NAME)*", "start: LB w y* RB; w: W | ; y: NAME w COMMA w | NAME w",
		"start: x | NAME W NAME; x: LB W x RB | LB W NAME RB", "start: a W b | c W COMMA; a: LB; c: LB; b: RB W NAME",
		"start: s; s: NAME W s COMMA | NAME W? RB | LB W", "start: n n NAME; n: W COMMA | "),
};

const char *random_skeleton(struct rng *r, enum random_kind kind)
{
	if (!skeletons[kind]) return NULL;
	uint32_t n = 0;
	while (skeletons[kind][n]) n++;
	return skeletons[kind][rng_below(r, n)];
}

// Letters that do not touch each other: what is hard is the parser's alone.
static const struct random_theme plain[] = {
	{"abc", {"A: \"a\"", "B: \"b\"", "C: \"c\""}, NULL},
	{"ab+", {"A: \"a\"", "B: \"b\"", "PLUS: \"+\""}, NULL},
	{"(a)", {"LP: \"(\"", "RP: \")\"", "A: \"a\""}, NULL},
	{"abcd ", {"A: \"a\"", "B: \"b\"", "C: \"c\"", "D: \"d\""}, "WS: \" \""},
	{"ab", {"A: \"a\"", "B: \"b\""}, NULL},
	{"a+? ", {"A: /a+/", "PLUS: \"+\"", "ASK: \"?\""}, "WS: / +/"},
};

static const struct random_theme competing[] = {
	{"ab", {"A: \"a\"", "AB: \"ab\"", "ABA: \"aba\"", "ABAB: \"abab\"", "B: \"b\""}, NULL},
	{"ifn ", {"IF: \"if\"", "IFF: \"iff\"", "IN: \"in\"", "NAME: /[ifn]+/"}, "WS: \" \""},
	{"if_ ", {"IF: \"if\"", "NAME: /[if_]+/", "UNDER: /_+/"}, "WS: / +/"},
	{"ab", {"X: /a*b/", "Y: /ab*/", "Z: /[ab][ab]/"}, NULL},
	{"ab", {"X: /(ab)+/", "Y: /a(ba)*/", "Z: /b+/"}, NULL},
	{"1.e", {"INT: /1+/", "FLOAT: /1+\\.1+(e1+)?/", "DOT: \".\"", "DOTS: \"...\"", "E: /e+/"}, NULL},
	{"<>=", {"LT: \"<\"", "SHL: \"<<\"", "SHLE: \"<<=\"", "GT: \">\"", "SHR: \">>\"", "EQ: \"=\""}, NULL},
	{"<>a", {"GT: \">\"", "GG: \">>\"", "GGG: \">>>\"", "LT: \"<\"", "A: \"a\""}, NULL},
	{"/*a", {"COMMENT: /\\/\\*[\\s\\S]*?\\*\\//", "SLASH: \"/\"", "STAR: \"*\"", "DIV: /\\/+/", "A: \"a\""}, NULL},
	{"\"'a", {"D: /\"[^\"]*\"/", "S: /'[^']*'/", "DDD: /\"\"\"[\\s\\S]*?\"\"\"/", "A: \"a\"", "Q: \"'\""}, NULL},
	{"0xa", {"HEX.2: /0x[0a]*/", "DEC: /0|[a]0*/", "NAME: /[xa][0xa]*/", "DIGIT: /[0]/"}, NULL},
};

static const struct random_theme ignored[] = {
	{"ab ", {"A: \"a\"", "B: /b+/", "SP: \" \""}, "WS: / +/"},
	{"ab ", {"A: /a+( a+)*/", "B: \"b\"", "SP: \"  \""}, "WS: \" \""},
	{"/*a ", {"DIV: \"/\"", "MUL: \"*\"", "A: \"a\""}, "C: /\\/\\*.*?\\*\\/| /"},
	{"#a\n", {"A: /a+/", "NL: /\\n+/"}, "C: /#[^\\n]*\\n?/"},
	{"\\a\n", {"A: /a/", "NL: /(\\n|#)+/"}, "CONT: /\\\\\\n/"},
	{"ab", {"A: /a/", "AB: /ab/"}, "B: /b+/"},
	{"ab", {"A: /a/", "AAA: \"aaa\""}, "SKIP: /aa|b/"},
};

static const struct random_theme lookaround[] = {
	{"if ", {"IF: /if\\b/", "NAME: /[if]+/"}, "WS: / +/"},
	{"if(", {"IF: /if(?![if])/", "NAME: /[if]+(?=\\()/", "LP: \"(\"", "WORD: /[if]+/"}, NULL},
	{"ab", {"A: /a(?!b)/", "AB: \"ab\"", "B: \"b\""}, NULL},
	{"ab", {"A: /a+(?=b)/", "B: /b/", "AA: /a/"}, NULL},
	{"ab", {"A: /(?<!a)b/", "AA: /a/", "B: /bb/"}, NULL},
	{"ab", {"A: /(?<=ab)a/", "B: /[ab]/"}, NULL},
	{"\"a", {"STR: /\"(?!\"\").*?\"/", "LONG: /\"\"\"(?<!a).*?\"\"\"/", "A: \"a\""}, NULL},
	{"\"\\a", {"STR: /\".*?(?<!\\\\)(\\\\\\\\)*?\"/", "A: \"a\"", "BS: \"\\\\\""}, NULL},
	{"01.", {"INT: /[01]+(?!\\.)/", "FLOAT: /[01]+\\.[01]*/", "DOT: /\\.(?=\\.)/", "D: \".\""}, NULL},
	{"0a_", {"NUM: /\\b0+\\b/", "NAME: /\\b[a_][a_0]*/", "U: \"_\""}, NULL},
	{"ab ", {"A: /\\Ba/", "B: /\\bb/", "AB: /[ab]/"}, "WS: \" \""},
	{"ab-", {"X: /a(?=-)/", "Y: /a(?!-b)/", "DASH: /-(?!-)/", "B: /(?<!-)b/", "BB: /b+/"}, NULL},
	{"abc", {"A: /a(?=b*c)/", "B: /b(?!b)/", "C: \"c\"", "BB: /b/"}, NULL},
	{"abc", {"A: /a(?!b*c)/", "B: /b/", "C: \"c\"", "AB: /ab(?=c)/"}, NULL},
	{"/*a", {"C: /\\/\\*((?!\\*\\/)[\\s\\S])*\\*\\//", "DIV: /\\/(?!\\*)/", "MUL: \"*\"", "A: /a/"}, NULL},
	{"ab\n", {"NL: /\\n(?=a)/", "N: /\\n/", "A: /a(?=a|\\n)/", "B: /[ab]/"}, NULL},
	{"a\xC3\xA9 ", {"W: /\\w+\\b/", "E: /\xC3\xA9(?!\xC3\xA9)/", "A: /(?<!\xC3\xA9)a/"}, "WS: \" \""},
};

static const struct random_theme indentation[] = {
	{"ab:( )\n\r\t",
     {"NAME: /a+/", "K: \"b\"", "COLON: \":\"", "LP: \"(\"", "RP: \")\"", "NL: /(\\r?\\n[ \\t]*)+/"},
     "WS: / +/"},
	{"ab:#()\n \t",
     {"NAME: /[ab]+/", "K: \"b\"", "COLON: \":\"", "LP: \"(\"", "RP: \")\"", "NL: /((#[^\\n]*)?\\n[ \\t]*)+/"},
     "WS: / +/"},
	{"ab:)(\n\t ",
     {"NAME: /a/", "K: /b/", "COLON: \":\"", "LP: \"(\"", "RP: \")\"", "NL: /(\\n[ \\t]*)+/"},
     "WS: /[ \\t]+/"},
	{"ab:()\n ", {"NAME: /a+/", "K: /b+/", "COLON: \":\"", "LP: \"(\"", "RP: \")\"", "NL: /( *\\n)+ */"}, NULL},
};

static const struct random_theme brackets[] = {
	{"a(){}\n ", {"NAME: /a+/", "LP: \"(\"", "RP: \")\"", "LB: \"{\"", "RB: \"}\"", "NL: /\\n+/"}, "WS: / +/"},
	{"a(){}\n", {"NAME: \"a\"", "LP: \"(\"", "RP: \")\"", "LB: \"{\"", "RB: \"}\"", "NL: \"\\n\""}, NULL},
	{"a()[]\n",
     {"NAME: /a/", "LP: \"(\"", "RP: \")\"", "LB: /\\[/", "RB: /\\]/", "NL: /\\n a|\\n/"},
     "WS: /( |\\n\\n)+/"},
};

static const struct random_theme blanks[] = {
	{"a[], ", {"NAME: /a+/", "LB: \"[\"", "RB: \"]\"", "COMMA: \",\"", "W: / {1,30}(?! )/"}, NULL},
	{"a[],\n ", {"NAME: \"a\"", "LB: \"[\"", "RB: \"]\"", "COMMA: \",\"", "W: /[ \\n]{1,28}(?![ \\n])/"}, NULL},
	{"a[], ", {"NAME: /aa?/", "LB: \"[\"", "RB: \"]\"", "COMMA: \",\"", "W: / {3,36}(?! )/"}, NULL},
	{"\"[], ", {"NAME: /\"[^\"]*\"/", "LB: \"[\"", "RB: \"]\"", "COMMA: \",\"", "W: / {1,30}(?! )/"}, NULL},
	{"a[], ", {"NAME: /a+/", "LB: \"[\"", "RB: \"]\"", "COMMA: \",\"", "W: /,? {1,40}(?! )/"}, NULL},
	{"a[], ", {"NAME: /a/", "LB: \"[\"", "RB: \"]\"", "COMMA: \",\"", "W: \" \""}, "WS: / {1,33}(?! )/"},
};

#define PICK(list) &(list)[rng_below(r, sizeof(list) / sizeof *(list))]

const struct random_theme *random_theme(struct rng *r, enum random_kind kind)
{
	switch (kind) {
	case KIND_MIXED: return NULL;
	case KIND_COMPETING: return PICK(competing);
	case KIND_IGNORED: return PICK(ignored);
	case KIND_LOOKAROUND: return PICK(lookaround);
	case KIND_INDENT:
	case KIND_INDENT_PARSES: return PICK(indentation);
	case KIND_BRACKETS: return PICK(brackets);
	case KIND_BLANKS: return PICK(blanks);
	case KIND_PARSES:
		switch (rng_below(r, 4)) {
		case 0: return PICK(competing);
		case 1: return PICK(ignored);
		case 2: return PICK(lookaround);
		default: return NULL;
		}
	default: return rng_percent(r, 60) ? PICK(plain) : rng_percent(r, 50) ? PICK(competing) : NULL;
	}
}
