// Bodies of a Lark grammar's definitions: alternatives, sequences, operators, calls of templates.
//
// In:  the tokens behind a definition's colon. Out: a tree of struct node.
// Recursive descent over the grammar that lark/load_grammar.py gives for itself; it recurses only on brackets, at most
// LARK_MAX_NESTING deep. Cost: linear.
#include "lark_parser.h"

struct node *lark_node(struct arena *a, enum node_kind kind, struct loc loc)
{
	struct node *n = arena_alloc(a, sizeof *n);
	n->kind = kind, n->loc = loc, n->param = NO_PARAM;
	return n;
}

struct node *lark_parent(struct parser *p, enum node_kind kind, struct loc loc, struct node *const *child, uint32_t n)
{
	struct node *made = lark_node(p->arena, kind, loc);
	made->children = arena_array(p->arena, n, sizeof(struct node *));
	memcpy(made->children, child, n * sizeof *child);
	made->n_children = n;
	return made;
}

static bool enter(struct parser *p, const struct token *open)
{
	if (p->depth++ < LARK_MAX_NESTING) return true;
	diag_error(p->diag, parser_place(p, open), "brackets nest deeper than %u (LARK_MAX_NESTING)", LARK_MAX_NESTING);
	return false;
}

// <|python_tag|>
static struct node *parse_control(struct parser *p)
{
	const struct token *t = p->at++;
	struct node *n = lark_node(p->arena, N_CONTROL, parser_place(p, t));
	control_ids ids = {0};
	n->is_wrong = !control_parse(p->control, parser_text(p, t) + 1, t->len - 2, n->loc, p->diag, &ids);
	if (n->is_wrong) vec_clear(&ids), vec_push(&ids, 0);
	n->text_len = ids.n * (uint32_t)sizeof *ids.at;
	n->text = memcpy(arena_array(p->arena, ids.n, sizeof *ids.at), ids.at, n->text_len);
	vec_release(&ids);
	return n;
}

// %json {...}
static struct node *parse_nested(struct parser *p)
{
	const struct token *t = p->at++;
	const char *text = parser_text(p, t), *open = memchr(text, '{', t->len);
	uint32_t word = (uint32_t)strcspn(text + 1, " \t{"), at = (uint32_t)(open - text) + 1;
	struct node *n = lark_node(p->arena, N_NESTED, (struct loc){p->source, t->offset, word + 1});
	n->word = arena_strndup(p->arena, text + 1, word);
	n->text_loc = (struct loc){p->source, t->offset + at, t->len - at - 1};
	n->text = text + at, n->text_len = t->len - at - 1;
	if (!strcmp(n->word, "json")) n->text--, n->text_len += 2, n->text_loc.offset--;  // the braces are the schema's
	if (!p->in_terminal) return n;
	diag_error(p->diag, n->loc,
	           "a grammar inside another, such as %%json {...}, stands in rules: the texts of a terminal are regular");
	return NULL;
}

// llguidance's {2}, {2,} and {2,3}, the same as ~2..3.
static bool begins_bounds(const struct parser *p) { return p->at->kind == T_LBRACE && p->at[1].kind == T_NUMBER; }

// From ~ or { on.
static bool parse_bounds(struct parser *p, int64_t *min, int64_t *max)
{
	bool in_braces = p->at++->kind == T_LBRACE;
	const struct number_bounds bounds = {0, LARK_MAX_REPEAT, " (LARK_MAX_REPEAT)"};
	if (!parser_take_number(p, "the number of repetitions", bounds, min)) return false;
	*max = *min;
	if (p->at->kind == (in_braces ? T_COMMA : T_DOTDOT)) {
		p->at++;
		if (in_braces && p->at->kind == T_RBRACE)
			*max = TERM_UNBOUNDED;
		else if (!parser_take_number(p, "the largest number of repetitions", bounds, max))
			return false;
		if (*max < *min) {
			diag_error(p->diag, parser_place(p, p->at - 1), "repeat from %d to %d: the second must not be smaller",
			           (int)*min, (int)*max);
			return false;
		}
	}
	return !in_braces || parser_take(p, T_RBRACE, "'}'");
}

// Branches: one case for each thing that a rule may hold, and a template's arguments.
static struct node *parse_value(struct parser *p)
{
	if (p->at->kind == T_NESTED) return parse_nested(p);
	if (p->at->kind == T_CONTROL) return parse_control(p);
	if (p->at->kind == T_STRING || p->at->kind == T_REGEX) return lark_literal(p);
	if (!parser_is_name(p)) return parser_expected(p, "a rule, a terminal, a string or a regex"), NULL;
	const struct token *name = p->at++;
	struct node *n = lark_node(p->arena, N_NAME, parser_place(p, name));
	n->text = arena_strndup(p->arena, parser_text(p, name), name->len), n->text_len = name->len;
	n->is_terminal = name->kind == T_TERMINAL;
	if (p->at->kind != T_LBRACE || begins_bounds(p)) return n;
	if (n->is_terminal) {
		diag_error(p->diag, parser_place(p, p->at), "a terminal takes no arguments: only rules are templates");
		return NULL;
	}
	const struct token *open = p->at++;
	if (!enter(p, open)) return NULL;
	node_vec args = {0};
	bool ok;
	do {
		struct node *arg = parse_value(p);
		ok = arg != NULL;
		if (ok) vec_push(&args, arg);
	} while (ok && p->at->kind == T_COMMA && p->at++);
	ok = ok && parser_take(p, T_RBRACE, "',' or '}'");
	n->n_children = args.n;
	n->children = PARSER_FREEZE(p, args);
	n->kind = N_CALL, n->loc = parser_upto(n->loc, p);
	p->depth--;
	return ok ? n : NULL;
}

static struct node *parse_atom(struct parser *p)
{
	const struct token *open = p->at;
	if (open->kind != T_LPAR && open->kind != T_LSQB) return parse_value(p);
	p->at++;
	if (!enter(p, open)) return NULL;
	struct node *n = lark_body(p);
	p->depth--;
	if (!n) return NULL;
	if (p->at->kind != (open->kind == T_LPAR ? T_RPAR : T_RSQB)) {
		if (p->at->kind == T_NEWLINE)
			diag_error(p->diag, parser_place(p, open),
			           "'%c' is not closed on its line; only a line that begins with | goes on", *parser_text(p, open));
		else
			parser_expected(p,
			                open->kind == T_LPAR ? "')', '|' or something to match" : "']', '|' or something to match");
		return NULL;
	}
	p->at++;
	if (open->kind == T_LPAR) return n;
	struct node *optional = lark_parent(p, N_REPEAT, parser_upto(parser_place(p, open), p), &n, 1);
	optional->lo = 0, optional->hi = 1;
	return optional;
}

static struct node *repeat_node(struct parser *p, struct loc loc, struct node *of, int64_t min, int64_t max)
{
	struct node *repeat = lark_parent(p, N_REPEAT, loc, &of, 1);
	repeat->lo = (uint32_t)min, repeat->hi = (uint32_t)max;
	return repeat;
}

static struct node *parse_expr(struct parser *p)
{
	const struct token *first = p->at;
	struct node *n = parse_atom(p);
	if (!n) return NULL;
	int64_t min, max;
	if (p->at->kind == T_OP) {
		char op = *parser_text(p, p->at++);
		min = op == '+', max = op == '?' ? 1 : TERM_UNBOUNDED;
	} else if (p->at->kind == T_TILDE || begins_bounds(p)) {
		if (!parse_bounds(p, &min, &max)) return NULL;
	} else
		return n;
	struct loc whole = parser_upto(parser_place(p, first), p);
	bool goes_on = min > 1 && max == TERM_UNBOUNDED;  // x{2,} is x{2} x*
	struct node *repeat = repeat_node(p, whole, n, min, goes_on ? min : max);
	if (goes_on) repeat = lark_parent(p, N_SEQ, whole, (struct node *[]){repeat, repeat_node(p, whole, n, 0, max)}, 2);
	if (p->at->kind == T_OP || p->at->kind == T_TILDE || begins_bounds(p)) {
		diag_error(p->diag, parser_place(p, p->at), "an operator cannot follow another: put the first in parentheses");
		return NULL;
	}
	return repeat;
}

static bool begins_expr(enum lark_token_kind k)
{
	return k == T_LPAR || k == T_LSQB || k == T_STRING || k == T_REGEX || k == T_RULE || k == T_TERMINAL ||
	       k == T_CONTROL || k == T_NESTED;
}

// An operand of &, or of | where there is no &.
static struct node *parse_sequence(struct parser *p)
{
	struct node *seq = lark_node(p->arena, N_SEQ, parser_place(p, p->at));
	node_vec parts = {0};
	bool ok = true;
	while (ok && begins_expr(p->at->kind) && !(p->in_ignore && p->depth == 0 && parser_scope_word(p))) {
		struct node *part = parse_expr(p);
		ok = part != NULL;
		if (ok) vec_push(&parts, part);
	}
	if (parts.n)
		seq->loc = parser_upto(seq->loc, p);
	else
		seq->loc.len = 1;
	seq->n_children = parts.n;
	seq->children = PARSER_FREEZE(p, parts);
	return !ok ? NULL : seq->n_children == 1 ? seq->children[0] : seq;
}

static bool only_in_terminals(struct parser *p)
{
	if (p->in_terminal) return true;
	diag_error(p->diag, parser_place(p, p->at),
	           "%s belongs to terminals, whose texts are regular: write it in a terminal's definition and use its name",
	           parser_describe(p, p->at));
	return false;
}

// ~x: the texts that x does not match.
static struct node *parse_operand(struct parser *p)
{
	if (p->at->kind != T_TILDE) return parse_sequence(p);
	if (!only_in_terminals(p)) return NULL;
	struct loc loc = parser_place(p, p->at++);
	if (p->at->kind == T_TILDE) {
		diag_error(p->diag, parser_place(p, p->at), "an operator cannot follow another: put the second in parentheses");
		return NULL;
	}
	struct node *child = parse_expr(p);
	if (!child) return NULL;
	if (begins_expr(p->at->kind)) {
		diag_error(p->diag, parser_place(p, p->at),
		           "~ stands before one pattern, and nothing beside it: put ~ and the pattern in parentheses");
		return NULL;
	}
	return lark_parent(p, N_NOT, parser_upto(loc, p), &child, 1);
}

// Operands with & between them; one alone is itself.
static struct node *parse_operands(struct parser *p)
{
	struct loc loc = parser_place(p, p->at);
	node_vec operands = {0};
	struct node *both;
	bool ok;
	do {
		struct node *operand = parse_operand(p);
		ok = operand != NULL;
		if (ok) vec_push(&operands, operand);
		ok = ok && (p->at->kind != T_AND || only_in_terminals(p));
		if (ok && (p->at->kind == T_AND || operands.n > 1) && operand->kind == N_SEQ && !operand->n_children)
			parser_expected(p, "a pattern beside '&'"), ok = false;
	} while (ok && p->at->kind == T_AND && p->at++);
	if (operands.n == 1) {
		both = operands.at[0];
		vec_release(&operands);
	} else {
		both = lark_node(p->arena, N_AND, loc);
		if (ok) both->loc = parser_upto(loc, p);
		both->n_children = operands.n;
		both->children = PARSER_FREEZE(p, operands);
	}
	return ok ? both : NULL;
}

static struct node *parse_alternative(struct parser *p)
{
	struct node *n = parse_operands(p);
	if (!n || p->at->kind != T_TO) return n;
	const struct token *to = p->at++;
	if (p->in_terminal) {
		diag_error(p->diag, parser_place(p, to), "a terminal has no aliases (-> belongs to rules)");
		return NULL;
	}
	return parser_take(p, T_RULE, "a lower-case name for the alias") ? n : NULL;
}

struct node *lark_body(struct parser *p)
{
	struct node *alt = lark_node(p->arena, N_ALT, parser_place(p, p->at));
	node_vec choices = {0};
	bool ok;
	do {
		struct node *choice = parse_alternative(p);
		ok = choice != NULL;
		if (ok) vec_push(&choices, choice);
	} while (ok && p->at->kind == T_OR && p->at++);
	alt->n_children = choices.n;
	alt->children = PARSER_FREEZE(p, choices);
	if (ok && p->at[-1].offset >= alt->loc.offset) alt->loc = parser_upto(alt->loc, p);
	return ok ? alt : NULL;
}
