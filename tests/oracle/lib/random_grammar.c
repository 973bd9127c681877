// Random Lark grammars: small rules over terminals that get in each other's way.
//
// In:  a generator of random numbers. Out: definitions that can be dropped one by one (struct lark) and their text.
// Terminals come in themes, each the smallest form of a known difficulty, and as random regexes over the theme's
// alphabet. Rules mix fixed shapes (lists, nesting, operators, optional parts) with random ones; the kinds of
// grammars that parsers find hard (random_kinds.c) start from a skeleton with holes.
#include "../random.h"

uint64_t rng_next(struct rng *r)
{
	// splitmix64
	uint64_t z = r->x += 0x9E3779B97F4A7C15u;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}

static const struct random_theme themes[] = {
	{"ab ", {"IF: \"ab\"", "NAME: /[ab]+/", "OP: \"b\""}, "WS: / +/"},
	{"ab ", {"IF: \"a\"", "IN: \"ab\"", "NAME: /a[ab]*/"}, "WS: \" \""},
	{"01.", {"INT: /[01]+/", "RANGE: \"..\"", "FLOAT: /[01]+\\.[01]*/", "DOT: \".\""}, NULL},
	{"01.,", {"INT: /[01]+/", "NUM: /[01]+(\\.[01]+)?/", "DOT: \".\"", "COMMA: \",\""}, NULL},
	{"1e+", {"NUM: /1+(e\\+?1+)?/", "NAME: /e+/", "PLUS: \"+\""}, NULL},
	{"-a>", {"MINUS: \"-\"", "DEC: \"--\"", "ARROW: \"->\"", "GT: \">\"", "NAME: /a+/"}, NULL},
	{".x", {"DOT: \".\"", "ELLIPSIS: \"...\"", "NAME: /x+/"}, NULL},
	{"/*a", {"SLASH: \"/\"", "STAR: \"*\"", "NAME: /a+/"}, "COMMENT: /\\/\\*[\\s\\S]*?\\*\\//"},
	{"/*a\n", {"SLASH: \"/\"", "DIV: \"//\"", "NAME: /a+/", "NL: /\\n/"}, "LINE: /\\/\\/[^\\n]*/"},
	{"/*a", {"SLASH: \"/\"", "STAR: \"*\"", "NAME: /a/"}, "COMMENT: /\\/\\*([^*]|\\*+[^*\\/])*\\*+\\//"},
	{"\"a", {"STR: /\"[^\"]*\"/", "LONG: /\"\"\"[\\s\\S]*?\"\"\"/", "NAME: \"a\""}, NULL},
	{"#a\n", {"NAME: /a+/", "NL: \"\\n\"", "BANG: \"#\""}, "HASH: /#[^\\n]*/"},
	{"\xC3\xA9\xBC"
     "a",
     {"E: \"\xC3\xA9\"", "WORD: /[\xC3\xA9-\xC3\xBC]+/", "NOTA: /[^a]/", "A: \"a\""},
     NULL},
	{"\xC3\xA9\"a", {"STR: /\"[^\"]*\"/", "ANY: /./", "A: /[a\xC3\xA9]+/"}, NULL},
	{"aAb", {"KW: \"ab\"i", "NAME: /[a-b]+/i", "A: \"A\""}, NULL},
	{"ab", {"A.2: \"a\"", "B.1: /[ab]/", "C.-1: \"ab\"", "D: /ab?/"}, NULL},
	{"ab", {"LAZY: /a[ab]*?b/", "A: \"a\"", "BB: \"bb\""}, NULL},
	{"(a)", {"LP: \"(\"", "RP: \")\"", "A: \"a\""}, NULL},
	{"ab", {"A: /a+/", "B: /a/", "C: \"b\""}, NULL},
	{"ab-", {"OPEN: /-a*-/", "DASH: \"-\"", "NAME: /a+b/", "A: \"a\""}, NULL},
	{"a \n", {"NL: /\\n+/", "A: \"a\"", "INDENT: /\\n /"}, "WS: /[ \\n]+/"},
	{"ab<>", {"TAG: \"<\" /[ab]+/ \">\"", "LT: \"<\"", "GT: \">\"", "NAME: /[ab]/"}, NULL},
	{"0xa", {"HEX: /0x[0a]+/", "ZERO: \"0\"", "NAME: /[xa]+/"}, NULL},
};

static const char *regex_of(struct rng *r, struct arena *arena, const char *letters, uint32_t depth)
{
	uint32_t n = (uint32_t)strlen(letters);
	char a = letters[rng_below(r, n)], b = letters[rng_below(r, n)];
	if (!depth || rng_percent(r, 30)) {
		switch (rng_below(r, 6)) {
		case 0: return arena_printf(arena, "[\\x%02x\\x%02x]", (unsigned char)a, (unsigned char)b);
		case 1: return arena_printf(arena, "[^\\x%02x]", (unsigned char)a);
		default: return arena_printf(arena, "\\x%02x", (unsigned char)a);
		}
	}
	const char *x = regex_of(r, arena, letters, depth - 1);
	switch (rng_below(r, 7)) {
	case 0: return arena_printf(arena, "(%s)+", x);
	case 1: return arena_printf(arena, "(%s)*", x);
	case 2: return arena_printf(arena, "(%s)?", x);
	case 3: return arena_printf(arena, "(%s){1,2}", x);
	case 4: return arena_printf(arena, "(%s|%s)", x, regex_of(r, arena, letters, depth - 1));
	default: return arena_printf(arena, "%s%s", x, regex_of(r, arena, letters, depth - 1));
	}
}

// A literal or a regex over ASCII letters of the alphabet.
static const char *random_pattern(struct rng *r, struct arena *arena, const char *alphabet)
{
	char letters[8];
	uint32_t n = 0;
	for (const char *c = alphabet; *c && n < 4; c++)
		if (*c > ' ' && *c < 127) letters[n++] = *c;
	letters[n] = 0;
	if (rng_percent(r, 40)) {
		char text[4] = {0};
		uint32_t len = 1 + rng_below(r, 3);
		for (uint32_t i = 0; i < len; i++) do
				text[i] = letters[rng_below(r, n)];
			while (text[i] == '"' || text[i] == '\\');
		return arena_printf(arena, "\"%s\"", text);
	}
	const char *body = regex_of(r, arena, letters, 2);
	// At least one character, at most once in a while lazy.
	char first = letters[rng_below(r, n)];
	if (rng_percent(r, 15)) return arena_printf(arena, "/\\x%02x(%s)*?\\x%02x/", first, body, letters[rng_below(r, n)]);
	return arena_printf(arena, "/\\x%02x%s/", first, body);
}

static struct lark_line *add_line(struct lark *l, const char *head)
{
	vec_push(&l->lines, ((struct lark_line){.head = head}));
	return &l->lines.at[l->lines.n - 1];
}

// What holes are filled with.
struct pick {
	struct rng *r;
	struct arena *arena;
	const char *const *terminals;
	uint32_t n_terminals, rule, n_rules, turn;
};

static const char *pick_terminal(struct pick *p) { return p->terminals[rng_below(p->r, p->n_terminals)]; }

static const char *rule_name(struct pick *p, uint32_t i) { return i == 0 ? "start" : arena_printf(p->arena, "r%u", i); }

static const char *pick_symbol(struct pick *p, char kind)
{
	if (kind == 'R') return rule_name(p, rng_below(p->r, p->n_rules));
	if (kind == 'r' && p->rule + 1 < p->n_rules && rng_percent(p->r, 70))
		return rule_name(p, p->rule + 1 + rng_below(p->r, p->n_rules - p->rule - 1));
	if (kind == 'S') return rule_name(p, p->rule);
	if (kind >= 'A' && kind <= 'F') return p->terminals[(p->turn + (uint32_t)(kind - 'A')) % p->n_terminals];
	return pick_terminal(p);
}

// Shapes: T terminal, r later rule or terminal, R any rule, S this rule; each may have a quantifier after it.
static const char *const shapes[] = {
	"S T r | r",
	"r S | r",
	"T S* T | T",
	"T r? T",
	"r*",
	"r+ T",
	"T R T | T",
	"T",
	"r r",
	"T T | T r",
	"r | r T",
	"T S T | r",
	"r T r",
	"T? r",
	"r r?",
	"T+ | r",
	"",
	"T r T | T r T r",
	"S r | T",
	"T r | T r T",
	"R T | T",
	"( r T )* r",
	"( T | r )+",
	"T ( T r )?",
	"T r* T",
	"r? r? T",
	"T | S T | T S T",
	"T R? T",
};

// A line of a skeleton: words are symbols; one capital letter is a hole (A..F: always the same terminal, T: any one, R:
// any rule, S: this rule, r: a later one).
static void add_shape(struct lark *l, struct pick *p, const char *head, const char *shape, size_t len)
{
	struct lark_line line = {.head = head, .n_alternatives = 1};
	bool in_group = false;
	for (size_t i = 0; i < len; i++) {
		struct lark_alternative *a = &line.alternatives[line.n_alternatives - 1];
		char c = shape[i];
		if (c == ' ') continue;
		if (c == '|' && !in_group) {
			ASSERT(line.n_alternatives < 6);
			line.n_alternatives++;
			continue;
		}
		bool was_in_group = in_group;
		in_group = c == '(' ? true : c == ')' ? false : in_group;
		if (strchr("?*+", c) && a->n_symbols) {
			const char **last = &a->symbols[a->n_symbols - 1];
			*last = arena_printf(p->arena, "%s%c", *last, c);
			continue;
		}
		size_t n = 1;
		while (i + n < len && strchr("abcdefghijklmnopqrstuvwxyz_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", c) &&
		       strchr("abcdefghijklmnopqrstuvwxyz_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", shape[i + n]))
			n++;
		const char *text =
			n == 1 && strchr("TrRSABCDEF", c) ? pick_symbol(p, c) : arena_strndup(p->arena, shape + i, n);
		i += n - 1;
		// A group is one symbol, so that dropping symbols keeps the brackets together.
		if (was_in_group && a->n_symbols) {
			const char **last = &a->symbols[a->n_symbols - 1];
			*last = arena_printf(p->arena, "%s %s", *last, text);
			continue;
		}
		ASSERT(a->n_symbols < 8);
		a->symbols[a->n_symbols++] = text;
	}
	vec_push(&l->lines, line);
}

static void add_rule(struct lark *l, struct pick *p)
{
	const char *shape = shapes[rng_below(p->r, sizeof shapes / sizeof *shapes)];
	add_shape(l, p, rule_name(p, p->rule), shape, strlen(shape));
}

// "start: e; e: e A e | B", then rules that its R holes may name.
static void add_skeleton(struct lark *l, struct pick *p, const char *skeleton)
{
	while (*skeleton) {
		const char *colon = strstr(skeleton, ": ");
		size_t n = strcspn(skeleton, ";");
		ASSERT(colon && colon < skeleton + n);
		add_shape(l, p, arena_strndup(p->arena, skeleton, (size_t)(colon - skeleton)), colon + 2,
		          (size_t)(skeleton + n - colon - 2));
		skeleton += n;
		skeleton += strspn(skeleton, "; ");
	}
}

static const char *name_of(struct arena *arena, const char *definition, const char **pattern)
{
	const char *colon = strstr(definition, ": ");
	*pattern = colon + 2;
	return arena_strndup(arena, definition, (size_t)(colon - definition));
}

static void add_terminal(struct lark *l, const char *head, const char *pattern)
{
	struct lark_line *line = add_line(l, head);
	line->n_alternatives = 1;
	line->alternatives[0].n_symbols = 1;
	line->alternatives[0].symbols[0] = pattern;
}

static const char *without_priority(struct arena *arena, const char *head)
{
	const char *dot = strchr(head, '.');
	return dot ? arena_strndup(arena, head, (size_t)(dot - head)) : head;
}

void random_grammar(struct rng *r, struct lark *l)
{
	enum random_kind kind = l->kind;
	if (kind == KIND_ANY) kind = random_kind(r);
	*l = (struct lark){.kind = kind};
	const struct random_theme *theme = random_theme(r, kind),
							  *other = &themes[rng_below(r, sizeof themes / sizeof *themes)];
	if (!theme) theme = other;
	const char *skeleton = random_skeleton(r, kind);
	const char *alphabet = theme->alphabet;
	// A second theme's terminals, names made distinct, in a quarter of the grammars.
	const struct random_theme *second = !kind_names_terminals(kind) && rng_percent(r, 25)
	                                        ? &themes[rng_below(r, sizeof themes / sizeof *themes)]
	                                        : NULL;
	if (second) {
		for (const char *c = second->alphabet; *c; c++)
			if (!strchr(alphabet, *c)) alphabet = arena_printf(&l->arena, "%s%c", alphabet, *c);
	}
	l->alphabet = alphabet;
	const char *names[16], *heads[16], *patterns[16];
	uint32_t n = 0, all = 0;
	while (all < 8 && theme->terminals[all]) all++;
	for (uint32_t i = 0; i < all; i++) {
		if (!kind_names_terminals(kind) && rng_percent(r, 25) && (n || i + 1 < all)) continue;
		heads[n] = name_of(&l->arena, theme->terminals[i], &patterns[n]);
		if (!strchr(heads[n], '.') && rng_percent(r, 10))
			heads[n] = arena_printf(&l->arena, "%s.%d", heads[n], (int)rng_below(r, 4) - 1);
		names[n] = without_priority(&l->arena, heads[n]);
		n++;
	}
	for (uint32_t i = 0; second && i < 8 && second->terminals[i] && n < 12; i++) {
		if (rng_percent(r, 50)) continue;
		heads[n] = arena_printf(&l->arena, "Z%s", name_of(&l->arena, second->terminals[i], &patterns[n]));
		names[n] = without_priority(&l->arena, heads[n]);
		n++;
	}
	for (uint32_t extra = rng_below(r, 3); extra; extra--) {
		heads[n] = names[n] = arena_printf(&l->arena, "X%u", extra);
		patterns[n++] = random_pattern(r, &l->arena, alphabet);
	}
	// Literals may also be written in the rules.
	const char *used[16];
	for (uint32_t i = 0; i < n; i++)
		used[i] = patterns[i][0] == '"' && !strchr(patterns[i] + 1, ' ') && !strchr(heads[i], '.') &&
		                  !kind_names_terminals(kind) && rng_percent(r, 15)
		              ? patterns[i]
		              : names[i];
	struct pick p = {r, &l->arena, used, n, 0, 1 + rng_below(r, rng_percent(r, 20) ? 8 : 4), rng_below(r, n)};
	if (skeleton) {
		p.n_rules = 2 + rng_below(r, 2);
		add_skeleton(l, &p, skeleton);
		p.rule = 1;
	}
	for (; p.rule < p.n_rules; p.rule++) add_rule(l, &p);
	uint32_t from = rng_below(r, n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = (from + i) % n;  // the order of definition decides ties
		if (used[k] == names[k]) add_terminal(l, heads[k], patterns[k]);
	}
	if (kind_is_indent(kind)) {
		static const char *const tabs[] = {"", " tab=4", " tab=+2", " tab=8", " tab=refuse"};
		bool brackets = strstr(skeleton, "LP") != NULL && rng_percent(r, 85);
		add_line(l, arena_printf(&l->arena, "%%indent newline=NL indent=IN dedent=DE%s%s%s",
		                         brackets ? " open=LP close=RP" : "", tabs[rng_below(r, 5)],
		                         rng_percent(r, 40) ? " end=newline" : ""));
	}
	if (kind == KIND_BRACKETS)
		add_line(l, rng_percent(r, 80) ? "%ignore NL inside LP RP outside LB RB" : "%ignore NL inside LP RP");
	if (theme->ignored && (kind == KIND_IGNORED || rng_percent(r, 70))) {
		const char *pattern, *head = name_of(&l->arena, theme->ignored, &pattern);
		if (rng_percent(r, 10)) pattern = random_pattern(r, &l->arena, alphabet);
		add_terminal(l, rng_percent(r, 10) ? arena_printf(&l->arena, "%s.1", head) : head, pattern);
		add_line(l, arena_printf(&l->arena, "%%ignore %s", head));
	} else if (rng_percent(r, 15)) {
		add_terminal(l, "SKIP", random_pattern(r, &l->arena, alphabet));
		add_line(l, "%ignore SKIP");
	}
	struct rng words = *r;
	rng_next(&words);
	if (rng_percent(&words, 12) && !kind_names_terminals(kind) && n > 1) {  // ignored, unless after some terminals
		uint32_t k = rng_below(&words, n), after = rng_below(&words, n);
		if (used[k] == names[k] && used[after] == names[after] && k != after)
			add_line(l, arena_printf(&l->arena, "%%ignore %s unless after %s", names[k], names[after]));
	}
	if (kind_is_indent(kind) && rng_percent(&words, 25)) {  // it ends in a newline, and ends no line
		add_terminal(l, "JOINED", rng_percent(&words, 50) ? "/:\\n[ ]*/" : "/:\\n/");
		add_line(l, "%ignore JOINED");
	}
	if (rng_percent(&words, 25)) {  // any terminal, mostly one that includes others
		uint32_t k = rng_below(&words, n);
		for (uint32_t i = 0; i < n && (used[k] != names[k] || patterns[k][0] == '"'); i++) k = (k + 1) % n;
		if (used[k] == names[k])
			add_line(l, arena_printf(&l->arena, "%%keywords %s%s", names[k],
			                         rng_percent(&words, 40) ? arena_printf(&l->arena, "%s \"%.*s\"",
			                                                                rng_percent(&words, 50) ? " soft" : "",
			                                                                (int)rng_below(&words, 2) + 1, alphabet)
			                                                 : ""));
	}
}

char *lark_text(const struct lark *l, struct arena *arena)
{
	char *text = arena_printf(arena, "%s", "");
	for (uint32_t i = 0; i < l->lines.n; i++) {
		const struct lark_line *line = &l->lines.at[i];
		if (line->is_dropped) continue;
		text = arena_printf(arena, "%s%s%s", text, line->head, line->n_alternatives ? ":" : "");
		bool is_first = true;
		for (uint32_t k = 0; k < line->n_alternatives; k++) {
			const struct lark_alternative *a = &line->alternatives[k];
			if (a->is_dropped) continue;
			if (!is_first) text = arena_printf(arena, "%s |", text);
			is_first = false;
			for (uint32_t s = 0; s < a->n_symbols; s++) text = arena_printf(arena, "%s %s", text, a->symbols[s]);
		}
		text = arena_printf(arena, "%s\n", text);
	}
	return text;
}

void lark_release(struct lark *l)
{
	vec_release(&l->lines);
	arena_release(&l->arena);
	*l = (struct lark){0};
}
