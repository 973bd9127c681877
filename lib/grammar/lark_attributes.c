// Attributes of rules, as llguidance writes them: name[stop="x", max_chars=9]: ...
//
// In:  the attributes and the rule's body. Out: a rule with stop, suffix, lazy, exclude or a bound is a terminal:
// one regular expression, made from the body by intersection and complement, so that the lexer ends it. A bound of
// tokens stands around it (TERM_TOKENS). Linear.
#include "lark_parser.h"

static bool refuse_attribute(struct parser *p, const struct token *name, const char *what)
{
	diag_error(p->diag, parser_place(p, name), "the attribute %.*s is not supported: %s", (int)name->len,
	           parser_text(p, name), what);
	return false;
}

// Past a value that changes no text: a string, or a number with its fraction.
static void pass_value(struct parser *p)
{
	if (p->at->kind != T_EQUALS) return;
	do p->at++;
	while (p->at->kind == T_STRING || p->at->kind == T_NUMBER || p->at->kind == T_DOT);
}

// max_chars=9, max_bytes=9
static bool parse_most(struct parser *p, struct attributes *a, const char *what, uint32_t *to)
{
	int64_t most;
	struct number_bounds bounds = {1, LARK_MAX_REPEAT, " (LARK_MAX_REPEAT)"};
	a->is_text = true;
	if (!parser_take(p, T_EQUALS, "'='") || !parser_take_number(p, what, bounds, &most)) return false;
	*to = (uint32_t)most;
	return true;
}

// stop="x", suffix="x", exclude="x"
static bool parse_border(struct parser *p, const struct token *name, bool stops, struct attributes *a)
{
	a->is_text = true;
	if (!parser_take(p, T_EQUALS, "'='")) return false;
	if (p->at->kind != T_STRING && p->at->kind != T_REGEX) return parser_expected(p, "a string or a regex"), false;
	if (stops && a->stop)
		return refuse_attribute(p, name, "one text has one stop; write a regex that matches each of them");
	struct node *value = lark_literal(p);
	if (stops)
		a->stop = value;
	else
		vec_push(&a->exclude, value);
	return value && !value->is_wrong;
}

static bool parse_attribute(struct parser *p, struct attributes *a)
{
	const struct token *name = p->at++;
	if (parser_is_word(p, name, "capture") || parser_is_word(p, name, "temperature")) return pass_value(p), true;
	if (parser_is_word(p, name, "lazy")) return a->is_text = a->is_lazy = true;
	if (parser_is_word(p, name, "max_chars")) return parse_most(p, a, "the number of characters", &a->max_chars);
	if (parser_is_word(p, name, "max_tokens")) return parse_most(p, a, "the number of tokens", &a->max_tokens);
	if (parser_is_word(p, name, "max_bytes")) return parse_most(p, a, "the number of bytes", &a->max_bytes);
	if (parser_is_word(p, name, "exclude")) return parse_border(p, name, false, a);
	if (parser_is_word(p, name, "suffix")) return parse_border(p, name, true, a);
	if (parser_is_word(p, name, "stop")) return a->is_hidden = true, parse_border(p, name, true, a);
	return refuse_attribute(p, name,
	                        "there are stop, suffix, lazy, exclude, max_chars, max_bytes, max_tokens, capture "
	                        "and temperature");
}

bool lark_attributes(struct parser *p, struct attributes *a)
{
	bool ok = !p->in_terminal;
	a->max_chars = a->max_bytes = a->max_tokens = UINT32_MAX;
	if (!ok) diag_error(p->diag, parser_place(p, p->at), "attributes belong to rules; a terminal has none");
	do {
		p->at++;
		if (p->at->kind != T_RULE) parser_expected(p, "the name of an attribute"), ok = false;
		ok = ok && parse_attribute(p, a);
	} while (ok && p->at->kind == T_COMMA);
	return ok && parser_take(p, T_RSQB, "',' or ']'");
}

// Any text of least to most characters.
static struct node *any_text(struct parser *p, struct loc loc, uint32_t least, uint32_t most)
{
	struct node *one = lark_node(p->arena, N_REGEX, loc);
	one->text = "(?s:.)", one->text_len = 6, one->text_loc = loc;
	struct node *all = lark_parent(p, N_REPEAT, loc, &one, 1);
	all->lo = least, all->hi = most;
	return all;
}

static struct node *at_most_bytes(struct parser *p, struct node *text, uint32_t most)
{
	struct node *all = lark_node(p->arena, N_BYTES, text->loc);
	all->hi = most;
	return lark_parent(p, N_AND, text->loc, (struct node *[]){text, all}, 2);
}

// Texts of `a` that are not before, `what`, behind.
static struct node *without(struct parser *p, struct node *a, struct node *what, uint32_t least_behind)
{
	struct loc loc = what->loc;
	struct node *parts[] = {any_text(p, loc, 0, TERM_UNBOUNDED), what, any_text(p, loc, least_behind, TERM_UNBOUNDED)};
	struct node *has = lark_parent(p, N_SEQ, loc, parts, 3);
	return lark_parent(p, N_AND, loc, (struct node *[]){a, lark_parent(p, N_NOT, loc, &has, 1)}, 2);
}

// Texts of which no beginning is one.
static struct node *first(struct parser *p, struct node *text)
{
	struct node *parts[] = {text, any_text(p, text->loc, 1, TERM_UNBOUNDED)};
	struct node *longer = lark_parent(p, N_SEQ, text->loc, parts, 2);
	return lark_parent(p, N_AND, text->loc, (struct node *[]){text, lark_parent(p, N_NOT, text->loc, &longer, 1)}, 2);
}

// The rule is a terminal of its own: the body's texts within the bounds, then what stops them, of which nothing stands
// before the end.
void lark_make_text(struct parser *p, struct statement *s, const struct attributes *a)
{
	struct node *text = s->body;
	struct loc loc = s->body->loc;
	for (uint32_t i = 0; i < a->exclude.n; i++) text = without(p, text, a->exclude.at[i], 0);
	if (a->max_chars != UINT32_MAX)
		text = lark_parent(p, N_AND, loc, (struct node *[]){text, any_text(p, loc, 0, a->max_chars)}, 2);
	if (a->max_bytes != UINT32_MAX) text = at_most_bytes(p, text, a->max_bytes);
	if (a->is_lazy && !a->stop) text = first(p, text);  // a stop ends the text at the first one, too
	if (a->stop) text = without(p, lark_parent(p, N_SEQ, loc, (struct node *[]){text, a->stop}, 2), a->stop, 1);
	if (a->max_tokens != UINT32_MAX) {
		text = lark_parent(p, N_TOKENS, loc, (struct node *[]){text, a->stop}, a->stop ? 2 : 1);
		text->hi = a->max_tokens;
	}
	struct statement made = {.kind = S_TERMINAL, .mode = s->mode, .loc = s->loc, .name = s->name};
	made.name.text = arena_printf(p->arena, "__TEXT_%s", s->name.text), made.name.is_terminal = true;
	made.body = lark_parent(p, N_ALT, loc, &text, 1);
	vec_push(&p->out->list, made);
	if (a->is_hidden && a->stop->kind == N_STRING && a->stop->text_len)
		vec_push(&p->out->stops, ((struct text_stop){s->name.text, a->stop}));
	struct node *name = lark_node(p->arena, N_NAME, s->name.loc);
	name->text = made.name.text, name->text_len = (uint32_t)strlen(name->text), name->is_terminal = true;
	s->body = lark_parent(p, N_ALT, loc, &name, 1);
}
