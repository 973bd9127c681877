// The grammar in the making: terminals and productions.
//
// In:  what values, arrays and objects ask for. Out: symbols; what matches the same is one terminal.
// Cost: linear, but for the automata of strings and numbers (regex/language.c).
#include "rules.h"

#include "../../formats/artifact.h"

struct rules *rules_new(struct schema *s)
{
	struct rules *r = mem_calloc(1, sizeof *r);
	r->s = s, r->arena = s->arena;
	return r;
}

void rules_free(struct rules *r)
{
	if (!r) return;
	for (uint32_t i = 0; i < r->places.n; i++)
		map64_release(&r->places.at[i]->of), vec_release(&r->places.at[i]->truths),
			vec_release(&r->places.at[i]->asked);
	vec_release(&r->terminals), vec_release(&r->nonterminals), vec_release(&r->rules), vec_release(&r->symbols);
	vec_release(&r->places), vec_release(&r->wanted), vec_release(&r->value);
	vec_release(&r->inner), map64_release(&r->pairs);
	vec_release(&r->alternatives), vec_release(&r->alternative_symbols);
	intern_release(&r->choices), vec_release(&r->choice_symbols);
	intern_release(&r->terminal_names), intern_release(&r->place_names), intern_release(&r->values);
	free(r);
}

symbol rules_nonterminal(struct rules *r, const char *name, struct loc loc)
{
	vec_push(&r->nonterminals, ((struct nonterminal){.name = name, .loc = loc}));
	vec_push(&r->inner, INNER_NO);
	return (r->nonterminals.n - 1) * 2 + 1;
}

symbol rules_inner(struct rules *r, const char *name, struct loc loc)
{
	symbol x = rules_nonterminal(r, name, loc);
	r->inner.at[x >> 1] = INNER_STEP;
	return x;
}

symbol rules_pair(struct rules *r, symbol key, symbol value)
{
	uint64_t both = (uint64_t)key << 32 | value, known = map64_get(&r->pairs, both);
	if (known != MAP64_NONE) return (symbol)known;
	struct nonterminal same = {.name = "entry"};
	if (value & 1) same = r->nonterminals.at[value >> 1];
	symbol x = rules_nonterminal(r, same.name, same.loc);
	r->inner.at[x >> 1] = INNER_PAIR;
	map64_put(&r->pairs, both, x);
	const symbol rhs[] = {key, rules_sign(r, ':'), value};
	rules_add(r, x, rhs, 3);
	return x;
}

symbol rules_any_of(struct rules *r, const symbol *list, uint32_t n)
{
	bool is_new;
	uint32_t number = intern_add(&r->choices, list, n * sizeof *list, &is_new);
	if (!is_new) return r->choice_symbols.at[number];
	const struct nonterminal first = r->nonterminals.at[list[0] >> 1];
	symbol x = rules_nonterminal(r, first.name, first.loc);
	vec_push(&r->choice_symbols, x);
	for (uint32_t i = 0; i < n; i++) rules_add(r, x, &list[i], 1);
	return x;
}

void rules_add(struct rules *r, symbol lhs, const symbol *rhs, uint32_t n)
{
	vec_push(&r->rules, ((struct rule){lhs, r->symbols.n, n}));
	for (uint32_t i = 0; i < n; i++) vec_push(&r->symbols, rhs[i]);
	if (r->rules.n > SCHEMA_MAX_PRODUCTIONS) work_too_large("SCHEMA_MAX_PRODUCTIONS", SCHEMA_MAX_PRODUCTIONS);
	if (r->rules.n % 256 == 0) work_check();
}

static struct term *new_term(struct rules *r, enum term_kind kind)
{
	struct term *t = arena_alloc(r->arena, sizeof *t);
	t->kind = kind;
	return t;
}

static struct term *text_term(struct rules *r, enum term_kind kind, const char *text, size_t len)
{
	struct term *t = new_term(r, kind);
	t->text = arena_strndup(r->arena, text, len), t->text_len = (uint32_t)len;
	return t;
}

static symbol add_terminal(struct rules *r, const char *key, size_t len, const char *name, struct term *pattern)
{
	uint32_t id = intern_add(&r->terminal_names, key, len, NULL);
	ASSERT(id == r->terminals.n);
	vec_push(&r->terminals,
	         ((struct terminal){.name = name, .pattern = pattern, .is_literal = pattern->kind == TERM_TEXT}));
	return id * 2;
}

// kind: L, or U for one that opens an array whose items are compared.
static symbol literal_of(struct rules *r, char kind, const char *text, size_t len, const char *name)
{
	char *key = arena_printf(r->arena, "%c%.*s", kind, (int)len, text);
	uint32_t known = intern_find(&r->terminal_names, key, len + 1);
	if (known != INTERN_NONE) return known * 2;
	symbol x = add_terminal(r, key, len + 1, name, text_term(r, TERM_TEXT, text, len));
	r->terminals.at[x >> 1].opens_unique = kind == 'U';
	return x;
}

static symbol literal(struct rules *r, const char *text, size_t len, const char *name)
{
	return literal_of(r, 'L', text, len, name);
}

// A sign with the line's end and the blanks that json.dumps(indent=N) writes beside it.
static symbol indented_sign(struct rules *r, char sign)
{
	const char *name = arena_printf(r->arena, "\"%c\"", sign), *text;
	int inside = (int)(r->level * r->s->o->indentation), outside = inside - (int)r->s->o->indentation;
	if (sign == ':')
		text = ": ";
	else if (sign == ']' || sign == '}')
		text = arena_printf(r->arena, "\n%*s%c", outside, "", sign);
	else
		text = arena_printf(r->arena, "%c\n%*s", sign, inside, "");
	return literal(r, text, strlen(text), name);
}

symbol rules_sign(struct rules *r, char sign)
{
	if (r->s->o->space == SCHEMA_SPACE_INDENTED) return indented_sign(r, sign);
	bool dumps = r->s->o->space == SCHEMA_SPACE_DUMPS;
	const char text[3] = {sign, ' ', 0};
	size_t len = dumps && (sign == ',' || sign == ':') ? 2 : 1;
	return literal(r, text, len, arena_printf(r->arena, "\"%.*s\"", (int)len, text));
}

symbol rules_unique_bracket(struct rules *r, const uint32_t *shape, uint32_t n)
{
	const struct terminal plain = r->terminals.at[rules_sign(r, '[') >> 1];
	if (!n) return literal_of(r, 'U', plain.pattern->text, plain.pattern->text_len, plain.name);
	const uint32_t len = plain.pattern->text_len, size = n * (uint32_t)sizeof *shape;
	char *key = arena_alloc(r->arena, 1 + len + size);
	key[0] = 'U';
	memcpy(key + 1, plain.pattern->text, len), memcpy(key + 1 + len, shape, size);
	uint32_t known = intern_find(&r->terminal_names, key, 1 + len + size);
	if (known != INTERN_NONE) return known * 2;
	symbol x = add_terminal(r, key, 1 + len + size, plain.name,
	                        text_term(r, TERM_TEXT, plain.pattern->text, plain.pattern->text_len));
	struct terminal *t = &r->terminals.at[x >> 1];
	t->opens_unique = true, t->shape = words_copy(shape, n, r->arena), t->n_shape = n;
	return x;
}

// A control character that no text has: the matcher reads it in place of the bracket.
symbol rules_equal_bracket(struct rules *r)
{
	const struct term *plain = r->terminals.at[rules_sign(r, ']') >> 1].pattern;
	const char *text =
		arena_printf(r->arena, "%.*s\\x%02x", (int)plain->text_len - 1, plain->text, (unsigned)SHAPE_EQUAL_MARK);
	return rules_part(r, "\"]\" behind equal items", text, false);
}

symbol rules_told_bracket(struct rules *r)
{
	static const uint32_t tells[SHAPE_HEAD] = {[SHAPE_FLAGS] = SHAPE_TELLS};
	return rules_unique_bracket(r, tells, SHAPE_HEAD);
}

void rules_add_empty(struct rules *r, symbol lhs, bool object)
{
	const char *both = object ? "{}" : "[]";
	if (r->s->o->space == SCHEMA_SPACE_INDENTED) {
		const symbol whole = literal(r, both, 2, object ? "\"{}\"" : "\"[]\"");
		rules_add(r, lhs, &whole, 1);
	} else {
		const symbol rhs[] = {rules_sign(r, both[0]), rules_sign(r, both[1])};
		rules_add(r, lhs, rhs, 2);
	}
}

symbol rules_word(struct rules *r, const char *word) { return literal(r, word, strlen(word), word); }

#define FREE_STRING "\"([^\"\\\\\\x00-\\x1f]|\\\\([\"\\\\\\/bfnrt]|u[0-9A-Fa-f]{4}))*\""
// A character, written in any way: a pair of escaped surrogates is one.
#define CHARACTER                                                                                                      \
	"[^\"\\\\\\x00-\\x1f]|\\\\(?:[\"\\\\\\/"                                                                           \
	"bfnrt]|u(?:[0-9A-CE-Fa-ce-f][0-9A-Fa-f]{3}|[Dd][0-7][0-9A-Fa-f]{2}|[Dd][89ABab]"                                  \
	"[0-9A-Fa-f]{2}\\\\u[Dd][C-Fc-f][0-9A-Fa-f]{2}))"

// One text that is written in one way?
static bool is_plain_text(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((uint8_t)text[i] < 0x20 || (uint8_t)text[i] >= 0x7F || text[i] == '"' || text[i] == '\\') return false;
	return true;
}

// Characters between bounds, behind a quote and before one.
static struct term *characters(struct rules *r, bool opens, uint32_t least, uint32_t most, bool closes)
{
	struct term *repeat = new_term(r, TERM_REPEAT), *quote = text_term(r, TERM_TEXT, "\"", 1);
	repeat->children = arena_alloc(r->arena, sizeof *repeat->children);
	repeat->children[0] = text_term(r, TERM_REGEX, CHARACTER, strlen(CHARACTER));
	repeat->n_children = 1, repeat->lo = least, repeat->hi = most;
	struct term *all = new_term(r, TERM_SEQ);
	all->children = arena_array(r->arena, 3, sizeof *all->children);
	if (opens) all->children[all->n_children++] = quote;
	if (most) all->children[all->n_children++] = repeat;
	if (closes) all->children[all->n_children++] = quote;
	return all;
}

static const char *bounds_name(struct rules *r, struct strings x)
{
	const char *s = x.least == 1 ? "" : "s";
	if (x.most == TERM_UNBOUNDED) return arena_printf(r->arena, "string of at least %u character%s", x.least, s);
	if (x.most == x.least) return arena_printf(r->arena, "string of %u character%s", x.least, s);
	return arena_printf(r->arena, "string of %u to %u character%s", x.least, x.most, x.most == 1 ? "" : "s");
}

bool rules_is_terminal(const struct schema *s, struct strings x)
{
	bool few = x.least <= SCHEMA_MAX_LENGTH && (x.most <= SCHEMA_MAX_COUNTED || x.most == TERM_UNBOUNDED);
	return rules_longest(x) <= SCHEMA_MAX_LENGTH || (few && !s->o->counts_parts);
}

// A terminal for a part of a string.
static symbol part(struct rules *r, const char *key, const char *name, struct term *pattern, bool holds)
{
	uint32_t known = intern_find(&r->terminal_names, key, strlen(key));
	symbol x = known != INTERN_NONE ? known * 2 : add_terminal(r, key, strlen(key), name, pattern);
	r->terminals.at[x >> 1].holds = holds;
	return x;
}

symbol rules_part(struct rules *r, const char *name, const char *regex, bool holds)
{
	return part(r, arena_printf(r->arena, "P%s", name), name, text_term(r, TERM_REGEX, regex, strlen(regex)), holds);
}

symbol rules_language_part(struct rules *r, const char *name, language l)
{
	struct term *pattern = language_term(r->s->languages, l, (struct loc){0}, r->arena);
	return part(r, arena_printf(r->arena, "P%s", name), name, pattern, true);
}

symbol rules_quote(struct rules *r, struct strings x, bool alone)
{
	const char *name = alone ? bounds_name(r, x) : "string";
	return part(r, arena_printf(r->arena, "Q%s", name), name, characters(r, true, 0, 0, false), true);
}

symbol rules_chunk(struct rules *r, uint32_t n)
{
	const char *name = arena_printf(r->arena, "%u character%s", n, n == 1 ? "" : "s");
	return part(r, arena_printf(r->arena, "C%s", name), name, characters(r, false, n, n, false), true);
}

symbol rules_tail(struct rules *r, uint32_t least, uint32_t most)
{
	const char *name = arena_printf(r->arena, "end of a %s",
	                                bounds_name(r, (struct strings){LANGUAGE_ANY, least, most, SYNTAX_NONE, 0}));
	return part(r, name, name, characters(r, false, least, most, true), false);
}

// Branches: five forms of a terminal: a counted language, any string, one by its length, one key, and a language.
symbol rules_strings(struct rules *r, struct strings x, const char *called)
{
	struct schema *s = r->s;
	struct languages *ls = s->languages;
	language_texts texts = {0};
	if (x.syntax == SYNTAX_REGEX) return regex_syntax_symbol(r, !x.least);
	x = strings_settled(s, x);
	const bool is_counted = x.of != LANGUAGE_ANY && strings_have_bounds(x);
	char *key = arena_printf(r->arena, "S%u %u %u", x.of, x.least, x.most);
	uint32_t known = intern_find(&r->terminal_names, key, strlen(key));
	if (known != INTERN_NONE) return known * 2;
	const char *name;
	struct term *pattern;
	if (is_counted) {
		const enum escapes escapes = s->o->all_escapes ? ESCAPES_ALL : ESCAPES_WRITTEN;
		name = called;
		pattern =
			language_string_term(ls, x.of, (struct string_bounds){x.least, x.most, escapes}, (struct loc){0}, r->arena);
	} else if (x.of == LANGUAGE_ANY && !x.least && x.most == TERM_UNBOUNDED) {
		name = "string", pattern = text_term(r, TERM_REGEX, FREE_STRING, strlen(FREE_STRING));
	} else if (x.of == LANGUAGE_ANY) {
		if (!rules_is_terminal(s, x)) work_too_large("SCHEMA_MAX_LENGTH", SCHEMA_MAX_LENGTH);
		name = bounds_name(r, x);
		pattern = characters(r, true, x.least, x.most, true);
	} else if (!s->o->all_escapes && language_list(ls, x.of, 1, r->arena, &texts) && texts.n == 1 &&
	           is_plain_text(texts.at[0].text, texts.at[0].len)) {
		symbol x_symbol = rules_key(r, texts.at[0].text, (uint32_t)texts.at[0].len);
		vec_release(&texts);
		return x_symbol;
	} else {
		language l = language_spelled(ls, x.of, s->o->all_escapes ? ESCAPES_ALL : ESCAPES_WRITTEN);
		pattern = language_term(ls, l, (struct loc){0}, r->arena);
		name = called;
		vec_clear(&texts);
		if (language_list(ls, x.of, 8, r->arena, &texts) && texts.n) {
			name = "";
			for (uint32_t i = 0; i < texts.n; i++)
				name = arena_printf(r->arena, "%s%s\"%.*s\"", name, i ? " | " : "", (int)texts.at[i].len,
				                    texts.at[i].text);
		}
	}
	vec_release(&texts);
	return add_terminal(r, key, strlen(key), name, pattern);
}

symbol rules_key(struct rules *r, const char *text, uint32_t len)
{
	if (!r->s->o->all_escapes && is_plain_text(text, len)) {
		const char *quoted = arena_printf(r->arena, "\"%.*s\"", (int)len, text);
		return literal(r, quoted, len + 2, quoted);
	}
	const struct language_text one = {text, len};
	const struct strings x = {language_of_texts(r->s->languages, &one, 1), 0, TERM_UNBOUNDED, SYNTAX_NONE, 0};
	return rules_strings(r, x, arena_printf(r->arena, "string %.*s", (int)len, text));
}

symbol rules_numbers(struct rules *r, struct numbers x, const char *called)
{
	char *key = arena_printf(r->arena, "N%u", x.of);
	uint32_t known = intern_find(&r->terminal_names, key, strlen(key));
	static const char any[] = "-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?";
	if (known != INTERN_NONE) return known * 2;
	if (x.of == LANGUAGE_ANY)
		return add_terminal(r, key, strlen(key), "number", text_term(r, TERM_REGEX, any, strlen(any)));
	const struct number_cache *c = &r->s->number;
	const char *const name = x.of == c->integers || x.of == c->integers_4 ? "integer"
	                         : x.of == c->integers_spelled                ? "integer as digits alone"
	                                                                      : called;
	return add_terminal(r, key, strlen(key), name, language_term(r->s->languages, x.of, (struct loc){0}, r->arena));
}
