// A pre-tokenizer's regular expression -> a program of ordered choices.
//
// In:  an expression in the syntax that lib/vocab/encoder_regex.c lets through, or a string. Out: instructions.
// Backtracking tries alternatives in order and takes the first that matches; so threads of a program, kept in the order
// of their priority, say the same (Pike's machine). A parser of four levels makes a tree, which is written out from the
// end: each part knows where to go on. What looks at more than the next character (lookbehind, lookahead of several
// characters, atomic groups) is refused: the model of pieces has no place for it. Cost: linear in the program.
#include "pattern.h"

#define UNBOUNDED UINT32_MAX

enum kind { EMPTY, ITEM, SEQUENCE, CHOICE, REPEAT, LOOK };
struct node {
	enum kind kind;
	uint32_t a, b;      // parts; ITEM, LOOK: a is the item
	uint32_t min, max;  // REPEAT
	bool lazy, negated;
};

struct parser {
	const char *p, *begin;
	bool fold;
	uint32_t depth;
	struct pattern_items *items;
	struct arena *arena;
	struct diag *d;
	VEC(struct node) nodes;
	struct split_pattern *out;
};

static bool fail(struct parser *s, const char *why)
{
	diag_error(s->d, (struct loc){0},
	           "the pre-tokenizer's expression \"%s\" has %s at \"%.20s\"; canonical tokenization cannot be "
	           "modelled for this tokenizer",
	           s->begin, why, s->p);
	return false;
}

static uint32_t add_node(struct parser *s, struct node n)
{
	vec_push(&s->nodes, n);
	return s->nodes.n - 1;
}

static bool add_item(struct parser *s, const char *text, size_t len, uint32_t *node)
{
	struct pattern_items *x = s->items;
	uint32_t i = 0;
	while (i < x->n && (strlen(x->at[i].text) != len || memcmp(x->at[i].text, text, len) || x->at[i].fold != s->fold))
		i++;
	if (i == PATTERN_MAX_ITEMS) return fail(s, "more than 64 (PATTERN_MAX_ITEMS) different characters and classes");
	if (i == x->n) x->at[x->n++] = (struct pattern_item){.text = arena_strndup(s->arena, text, len), .fold = s->fold};
	*node = add_node(s, (struct node){.kind = ITEM, .a = i});
	return true;
}

static bool parse_choice(struct parser *s, uint32_t *node);

// A class up to its ], an escape or a character.
// Branches: a class, an escape of four forms, or one character.
static bool parse_item(struct parser *s, uint32_t *node)
{
	const char *begin = s->p, *p = begin;
	if (*p == '[') {
		for (p++; *p && *p != ']'; p++)
			if (*p == '\\' && p[1]) p++;
		if (!*p) return fail(s, "a class without end");
		p++;
	} else if (*p == '\\') {
		bool braced = p[1] && strchr("pPx", p[1]) && p[2] == '{';
		if (braced) p = strchr(p, '}');
		if (!p || !p[1]) return fail(s, "an escape without end");
		if (!braced && p[1] == 'x') p += 2;
		if (!braced && p[1] == 'u') p += 4;
		p += braced ? 1 : 2;
	} else {
		for (p++; (*p & 0xC0) == 0x80; p++) continue;
	}
	s->p = p;
	return add_item(s, begin, (size_t)(p - begin), node);
}

static bool parse_group(struct parser *s, uint32_t *node)
{
	bool before = s->fold, look = false, negated = false;
	if (++s->depth > PATTERN_MAX_DEPTH) return fail(s, "groups nested deeper than PATTERN_MAX_DEPTH");
	s->p++;
	if (s->p[0] == '?') {
		if (!strncmp(s->p, "?:", 2))
			s->p += 2;
		else if (!strncmp(s->p, "?i:", 3))
			s->p += 3, s->fold = true;
		else if (!strncmp(s->p, "?!", 2) || !strncmp(s->p, "?=", 2))
			look = true, negated = s->p[1] == '!', s->p += 2;
		else
			return fail(s, "a lookbehind or an atomic group");
	}
	if (!parse_choice(s, node)) return false;
	if (*s->p != ')') return fail(s, "a group without end");
	s->p++, s->depth--;
	s->fold = before;
	if (!look) return true;
	struct node n = s->nodes.at[*node];
	if (n.kind != ITEM) return fail(s, "a lookahead over more than one character just before this place");
	*node = add_node(s, (struct node){.kind = LOOK, .a = n.a, .negated = negated});
	return true;
}

// Branches: the four quantifiers, their bounds, and the forms that are refused.
static bool parse_repeat(struct parser *s, uint32_t *node)
{
	if (!(*s->p == '(' ? parse_group(s, node) : parse_item(s, node))) return false;
	while (*s->p && strchr("?*+{", *s->p)) {
		struct node n = {.kind = REPEAT, .a = *node, .max = UNBOUNDED};
		bool counted = *s->p == '{';
		if (counted) {
			char *end;
			n.min = n.max = (uint32_t)strtoul(s->p + 1, &end, 10);
			if (*end == ',') n.max = end[1] == '}' ? (end++, UNBOUNDED) : (uint32_t)strtoul(end + 1, &end, 10);
			if (*end != '}' || n.min > 100 || (n.max != UNBOUNDED && (n.max > 100 || n.max < n.min)))
				return fail(s, "a repetition that is not understood");
			s->p = end + 1;
		} else {
			if (*s->p == '+') n.min = 1;
			if (*s->p == '?') n.max = 1;
			s->p++;
		}
		if (*s->p == '+' || (counted && *s->p == '?')) return fail(s, "a possessive or lazy repetition");
		if (*s->p == '?') n.lazy = true, s->p++;
		*node = add_node(s, n);
	}
	return true;
}

static bool parse_sequence(struct parser *s, uint32_t *node)
{
	uint32_t next;
	*node = add_node(s, (struct node){.kind = EMPTY});
	while (*s->p && *s->p != '|' && *s->p != ')') {
		if (strchr("?*+{", *s->p)) return fail(s, "a repetition of nothing");
		if (!parse_repeat(s, &next)) return false;
		bool is_first = s->nodes.at[*node].kind == EMPTY;
		*node = is_first ? next : add_node(s, (struct node){.kind = SEQUENCE, .a = *node, .b = next});
	}
	return true;
}

static bool parse_choice(struct parser *s, uint32_t *node)
{
	uint32_t next;
	if (!parse_sequence(s, node)) return false;
	if (*s->p != '|') return true;
	s->p++;
	if (!parse_choice(s, &next)) return false;
	*node = add_node(s, (struct node){.kind = CHOICE, .a = *node, .b = next});
	return true;
}

// --- writing -----------------------------------------------------------------------------------------------------
static uint32_t put(struct parser *s, struct instruction x)
{
	vec_push(&s->out->code, x);
	return s->out->code.n - 1;
}

static uint32_t put_choice(struct parser *s, uint32_t first, uint32_t second, bool swap)
{
	return put(s, (struct instruction){.op = OP_EITHER, .a = swap ? second : first, .b = swap ? first : second});
}

// Where the node's code begins when it goes on at `next`.
static uint32_t put_node(struct parser *s, uint32_t node, uint32_t next)
{
	struct node n = s->nodes.at[node];
	if (s->out->code.n > PATTERN_MAX_PROGRAM) return next;  // told by the caller
	switch (n.kind) {
	case EMPTY: return next;
	case ITEM: return put(s, (struct instruction){.op = OP_ITEM, .item = n.a, .a = next});
	case LOOK: return put(s, (struct instruction){.op = n.negated ? OP_REFUTE : OP_ASSERT, .item = n.a, .a = next});
	case SEQUENCE: return put_node(s, n.a, put_node(s, n.b, next));
	case CHOICE: {
		uint32_t b = put_node(s, n.b, next);
		return put_choice(s, put_node(s, n.a, next), b, false);
	}
	case REPEAT: break;
	}
	uint32_t at = next;
	if (n.max == UNBOUNDED) {
		uint32_t loop = put(s, (struct instruction){.op = OP_EITHER});
		uint32_t body = put_node(s, n.a, loop);
		s->out->code.at[loop].a = n.lazy ? next : body, s->out->code.at[loop].b = n.lazy ? body : next;
		at = loop;
	} else {
		for (uint32_t i = n.min; i < n.max; i++) at = put_choice(s, put_node(s, n.a, at), next, n.lazy);
	}
	for (uint32_t i = 0; i < n.min; i++) at = put_node(s, n.a, at);
	return at;
}

bool pattern_parse(const struct encoder_cut *cut, struct pattern_items *items, struct arena *arena, struct diag *d,
                   struct split_pattern *p)
{
	struct parser s = {.p = cut->pattern, .begin = cut->pattern, .items = items, .arena = arena, .d = d, .out = p};
	uint32_t root = 0;
	bool good = true;
	*p = (struct split_pattern){0};
	if (cut->is_regex) {
		good = parse_choice(&s, &root) && (!*s.p || fail(&s, "a ) too many"));
	} else {
		root = add_node(&s, (struct node){.kind = EMPTY});
		while (good && *s.p) {
			uint32_t len = 1, next;
			while ((s.p[len] & 0xC0) == 0x80) len++;
			bool special = len == 1 && strchr("\\[](){}?*+|.^$/-", *s.p);
			char text[8] = "\\";
			memcpy(text + special, s.p, len);
			good = add_item(&s, text, len + special, &next);
			s.p += len;
			if (good) root = add_node(&s, (struct node){.kind = SEQUENCE, .a = root, .b = next});
		}
	}
	if (good) {
		p->start = put_node(&s, root, put(&s, (struct instruction){.op = OP_MATCH}));
		if (p->code.n > PATTERN_MAX_PROGRAM) good = fail(&s, "more than PATTERN_MAX_PROGRAM (4096) instructions");
	}
	vec_release(&s.nodes);
	return good;
}

void pattern_release(struct split_pattern *p) { vec_release(&p->code); }
