// The grammar in the making: terminals, productions, places.
//
// In:  what the automata of arrays and objects add. Out: struct grammar, without what no text needs.
// A place is where a value stands: the schemas that all hold there, and those that have to be told apart. Its values of
// simple types, strings and numbers become terminals, one for each truth that is possible, disjoint; arrays and objects
// are automata. Places are built one after the other from a queue, so that recursion in schemas is none here.
#include <stdio.h>

#include "internal.h"

struct place_info {
	const struct value **must, **split;
	uint32_t n_must, n_split;
	const char *name;
	const struct json *only;  // the one schema that says what may stand here; NULL: several do
	struct loc loc;
	struct map64 of;  // truth -> symbol
	u64_list truths;  // that its values have, once it is built
	uint32_t level;   // brackets around it, where they are counted
	bool is_open, is_built;
};

struct rules {
	struct schema *s;
	struct arena *arena;
	VEC(struct terminal) terminals;
	struct intern terminal_names;  // what it matches -> terminal
	VEC(struct nonterminal) nonterminals;
	VEC(struct rule) rules;
	symbol_list symbols;
	VEC(uint8_t) inner;  // of each nonterminal
	struct map64 pairs;  // key << 32 | value -> symbol
	struct intern place_names, values;
	VEC(struct value) value;
	VEC(struct place_info *) places;
	uint32_t n_built, depth;
	uint32_t level;  // of what is inside the place that is being built: brackets around it, where they are counted
};

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
		map64_release(&r->places.at[i]->of), vec_release(&r->places.at[i]->truths);
	vec_release(&r->terminals), vec_release(&r->nonterminals), vec_release(&r->rules), vec_release(&r->symbols);
	vec_release(&r->places), vec_release(&r->value);
	vec_release(&r->inner), map64_release(&r->pairs);
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

static symbol literal(struct rules *r, const char *text, size_t len, const char *name)
{
	char *key = arena_printf(r->arena, "L%.*s", (int)len, text);
	uint32_t known = intern_find(&r->terminal_names, key, len + 1);
	if (known != INTERN_NONE) return known * 2;
	return add_terminal(r, key, len + 1, name, text_term(r, TERM_TEXT, text, len));
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

static symbol rules_word(struct rules *r, const char *word) { return literal(r, word, strlen(word), word); }

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
		if ((uint8_t)text[i] < 0x20 || (uint8_t)text[i] >= 0x80 || text[i] == '"' || text[i] == '\\') return false;
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
	if (x.most == TERM_UNBOUNDED) return arena_printf(r->arena, "string of at least %u characters", x.least);
	return arena_printf(r->arena, "string of %u to %u characters", x.least, x.most);
}

static uint32_t longest(struct strings x) { return x.most == TERM_UNBOUNDED ? x.least : x.most; }

// Can strings of any characters be one terminal?
static bool is_terminal(const struct schema *s, struct strings x)
{
	bool few = x.least <= SCHEMA_MAX_LENGTH && (x.most <= SCHEMA_MAX_COUNTED || x.most == TERM_UNBOUNDED);
	return longest(x) <= SCHEMA_MAX_LENGTH || (few && !s->o->counts_parts);
}

// A terminal for a part of a string.
static symbol part(struct rules *r, const char *key, const char *name, struct term *pattern, bool holds)
{
	uint32_t known = intern_find(&r->terminal_names, key, strlen(key));
	symbol x = known != INTERN_NONE ? known * 2 : add_terminal(r, key, strlen(key), name, pattern);
	r->terminals.at[x >> 1].holds = holds;
	return x;
}

symbol rules_quote(struct rules *r, struct strings x, bool alone)
{
	const char *name = alone ? bounds_name(r, x) : "string";
	return part(r, arena_printf(r->arena, "Q%s", name), name, characters(r, true, 0, 0, false), true);
}

symbol rules_chunk(struct rules *r, uint32_t n)
{
	const char *name = arena_printf(r->arena, "%u characters", n);
	return part(r, arena_printf(r->arena, "C%s", name), name, characters(r, false, n, n, false), true);
}

symbol rules_tail(struct rules *r, uint32_t least, uint32_t most)
{
	const char *name =
		arena_printf(r->arena, "end of a %s", bounds_name(r, (struct strings){LANGUAGE_ANY, least, most}));
	return part(r, name, name, characters(r, false, least, most, true), false);
}

// Branches: four forms of a terminal: any string, one by its length, one key, and a language.
symbol rules_strings(struct rules *r, struct strings x, const char *called)
{
	struct schema *s = r->s;
	struct languages *ls = s->languages;
	language_texts texts = {0};
	if (x.of != LANGUAGE_ANY) x = (struct strings){strings_language(s, x), 0, TERM_UNBOUNDED};
	char *key = arena_printf(r->arena, "S%u %u %u", x.of, x.least, x.most);
	uint32_t known = intern_find(&r->terminal_names, key, strlen(key));
	if (known != INTERN_NONE) return known * 2;
	const char *name;
	struct term *pattern;
	if (x.of == LANGUAGE_ANY && !x.least && x.most == TERM_UNBOUNDED) {
		name = "STRING", pattern = text_term(r, TERM_REGEX, FREE_STRING, strlen(FREE_STRING));
	} else if (x.of == LANGUAGE_ANY) {
		if (!is_terminal(s, x)) work_too_large("SCHEMA_MAX_LENGTH", SCHEMA_MAX_LENGTH);
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
	const struct strings x = {language_of_texts(r->s->languages, &one, 1), 0, TERM_UNBOUNDED};
	return rules_strings(r, x, arena_printf(r->arena, "string %s", text));
}

static symbol rules_numbers(struct rules *r, struct numbers x, const char *called)
{
	char *key = arena_printf(r->arena, "N%u", x.of);
	uint32_t known = intern_find(&r->terminal_names, key, strlen(key));
	static const char any[] = "-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?";
	if (known != INTERN_NONE) return known * 2;
	if (x.of == LANGUAGE_ANY)
		return add_terminal(r, key, strlen(key), "NUMBER", text_term(r, TERM_REGEX, any, strlen(any)));
	bool integer = x.of == r->s->number.integers || x.of == r->s->number.integers_4;
	const char *name = integer ? "INTEGER" : called;
	return add_terminal(r, key, strlen(key), name, language_term(r->s->languages, x.of, (struct loc){0}, r->arena));
}

// ---- places ----

static uint32_t value_number(struct rules *r, const struct value *v)
{
	bool is_new;
	uint32_t n = intern_add(&r->values, v, sizeof *v, &is_new);
	if (is_new) vec_push(&r->value, *v);
	return n;
}

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

// The place by number; UINT32_MAX after an error.
static uint32_t find_place(struct schema *s, const struct place *p)
{
	struct rules *r = s->rules;
	uint32_t n = p->n_must + p->n_split, *words = mem_alloc(((size_t)n + 2) * sizeof *words);
	for (uint32_t i = 0; i < n; i++) {
		const struct value *v = atom_value(s, i < p->n_must ? p->must[i] : p->split[i - p->n_must]);
		if (!v) {
			free(words);
			return UINT32_MAX;
		}
		words[i + 1] = value_number(r, v);
	}
	qsort(words + 1, p->n_must, sizeof *words, compare_u32);  // split keeps its order: truths are by place
	words[0] = p->n_must, words[n + 1] = r->level;
	bool is_new;
	uint32_t id = intern_add(&r->place_names, words, ((size_t)n + 2) * sizeof *words, &is_new);
	if (is_new) {
		struct place_info *i = arena_alloc(s->arena, sizeof *i);
		const struct json *at = n ? atom_place(s, p->n_must ? p->must[0] : p->split[0]) : NULL;
		i->n_must = p->n_must, i->n_split = p->n_split, i->level = r->level;
		i->must = arena_array(s->arena, (size_t)n + 1, sizeof *i->must), i->split = i->must + p->n_must;
		for (uint32_t k = 0; k < n; k++) {
			const struct value *v = arena_alloc(s->arena, sizeof *v);
			memcpy((void *)v, &r->value.at[words[k + 1]], sizeof *v);
			i->must[k] = v;
		}
		i->name = at ? json_pointer(at, s->arena) : "any value";
		if (!*i->name) i->name = "value";
		i->only = n == 1 ? at : NULL;
		if (at) i->loc = at->loc;
		vec_push(&r->places, i);
	}
	free(words);
	return id;
}

static symbol truth_symbol(struct rules *r, struct place_info *p, uint64_t truth)
{
	uint64_t known = map64_get(&p->of, truth);
	if (known != MAP64_NONE) return (symbol)known;
	symbol x = rules_nonterminal(r, p->name, p->loc);
	map64_put(&p->of, truth, x);
	return x;
}

symbol place_symbol(struct schema *s, const struct place *p, uint64_t truth)
{
	uint32_t n = find_place(s, p);
	return n == UINT32_MAX ? NO_SYMBOL : truth_symbol(s->rules, s->rules->places.at[n], truth);
}

static void add_truth(u64_list *out, uint64_t truth)
{
	for (uint32_t i = 0; i < out->n; i++)
		if (out->at[i] == truth) return;
	vec_push(out, truth);
}

#define EAGER_SPLIT 3u   // conditions that are taken as both true and false without a look
#define EAGER_DEPTH 40u  // places that are built inside each other
static bool build_place(struct rules *r, struct place_info *p);

// Truths that formulas may have, by what they are when nothing is read: each undecided one is both.
// Branches: a formula is true, false, open or the same as one before, and only an open one doubles the list.
static void formula_truths(const struct place_info *p, bool object, u64_list *out)
{
	u64_list list = {0};
	vec_push(&list, 0);
	for (uint32_t i = 0; i < p->n_must; i++)
		if ((object ? p->must[i]->object : p->must[i]->array) == FORMULA_FALSE) vec_clear(&list);
	for (uint32_t k = 0; k < p->n_split && list.n; k++) {
		formula f = object ? p->split[k]->object : p->split[k]->array;
		uint32_t n = list.n, same = 0;
		while (same < k && (object ? p->split[same]->object : p->split[same]->array) != f) same++;
		for (uint32_t i = 0; i < n; i++) {
			if (same < k) {
				list.at[i] |= (list.at[i] >> same & 1) << k;
			} else if (f == FORMULA_TRUE) {
				list.at[i] |= (uint64_t)1 << k;
			} else if (f != FORMULA_FALSE) {
				if (list.n >= 1u << SCHEMA_MAX_SPLIT) work_too_large("SCHEMA_MAX_SPLIT", SCHEMA_MAX_SPLIT);
				vec_push(&list, list.at[i] | (uint64_t)1 << k);
			}
		}
	}
	for (uint32_t i = 0; i < list.n; i++) add_truth(out, list.at[i]);
	vec_release(&list);
}

struct cell {
	struct strings strings;
	struct numbers numbers;
	uint64_t truth;
};
typedef VEC(struct cell) cells;

// What is not in x: up to two of them. Lengths outside of bounds stay lengths.
static uint32_t strings_outside(struct schema *s, struct strings x, struct strings *out)
{
	struct value v = value_none();
	v.strings = x;
	out[0] = (struct strings){LANGUAGE_ANY, 0, x.least - 1};
	out[1] = (struct strings){LANGUAGE_ANY, x.most + 1, TERM_UNBOUNDED};
	if (x.of == LANGUAGE_ANY && x.least && x.most != TERM_UNBOUNDED) return 2;
	out[0] = value_not(s, v).strings;
	return 1;
}

static void string_cells(struct schema *s, const struct place_info *p, cells *out)
{
	struct cell all = {.strings = {LANGUAGE_ANY, 0, TERM_UNBOUNDED}};
	for (uint32_t i = 0; i < p->n_must; i++) all.strings = strings_and(s, all.strings, p->must[i]->strings);
	vec_clear(out);
	// Bounds beside a language may leave nothing of it.
	if (all.strings.of != LANGUAGE_ANY)
		all.strings = (struct strings){strings_language(s, all.strings), 0, TERM_UNBOUNDED};
	if (all.strings.of) vec_push(out, all);
	for (uint32_t k = 0; k < p->n_split; k++) {
		struct strings in = p->split[k]->strings, outside[2];
		uint32_t n_outside = strings_outside(s, in, outside), m = 0;
		for (uint32_t i = 0, n = out->n; i < n; i++) {
			struct cell whole = out->at[i], cell = whole;
			for (uint32_t j = 0; j < n_outside; j++) {
				cell.strings = strings_and(s, whole.strings, outside[j]);
				if (!j)
					out->at[i] = cell;
				else if (cell.strings.of)
					vec_push(out, cell);
			}
			cell.strings = strings_and(s, whole.strings, in), cell.truth |= (uint64_t)1 << k;
			if (cell.strings.of) vec_push(out, cell);
		}
		for (uint32_t i = 0; i < out->n; i++) {  // bounds beside a language may leave nothing of it
			const struct strings x = out->at[i].strings;
			if (x.of == LANGUAGE_ANY || (x.of && strings_language(s, x))) out->at[m++] = out->at[i];
		}
		out->n = m;
	}
}

static void number_cells(struct schema *s, const struct place_info *p, cells *out)
{
	struct cell all = {.numbers = {LANGUAGE_ANY, false}};
	for (uint32_t i = 0; i < p->n_must; i++)
		all.numbers = numbers_and(s, all.numbers, (struct numbers){p->must[i]->numbers, p->must[i]->numbers_plain});
	vec_clear(out);
	if (all.numbers.of) vec_push(out, all);
	for (uint32_t k = 0; k < p->n_split; k++) {
		struct numbers v = {p->split[k]->numbers, p->split[k]->numbers_plain}, other = numbers_not(s, v);
		for (uint32_t i = 0, n = out->n; i < n; i++) {
			struct cell in = out->at[i];
			out->at[i].numbers = numbers_and(s, in.numbers, other);
			in.numbers = numbers_and(s, in.numbers, v), in.truth |= (uint64_t)1 << k;
			if (in.numbers.of) vec_push(out, in);
		}
		uint32_t m = 0;
		for (uint32_t i = 0; i < out->n; i++)
			if (out->at[i].numbers.of) out->at[m++] = out->at[i];
		out->n = m;
	}
}

static bool simple_truth(const struct place_info *p, uint32_t bit, uint64_t *truth)
{
	*truth = 0;
	for (uint32_t i = 0; i < p->n_must; i++)
		if (!(p->must[i]->simple & bit)) return false;
	for (uint32_t k = 0; k < p->n_split; k++)
		if (p->split[k]->simple & bit) *truth |= (uint64_t)1 << k;
	return true;
}

// How many different conditions on objects, and on arrays, are not decided before something is read?
static uint32_t count_undecided(const struct place_info *p)
{
	uint32_t n[2] = {0, 0};
	for (uint32_t object = 0; object < 2; object++)
		for (uint32_t k = 0; k < p->n_split; k++) {
			formula f = object ? p->split[k]->object : p->split[k]->array;
			uint32_t same = 0;
			while (same < k && (object ? p->split[same]->object : p->split[same]->array) != f) same++;
			n[object] += same == k && f > FORMULA_TRUE;
		}
	return n[0] > n[1] ? n[0] : n[1];
}

bool place_truths(struct schema *s, const struct place *q, u64_list *out)
{
	uint32_t n = find_place(s, q);
	if (n == UINT32_MAX) return false;
	if (q->n_split > 62) work_too_large("SCHEMA_MAX_SPLIT", SCHEMA_MAX_SPLIT);
	struct place_info *p = s->rules->places.at[n];
	// Built first, a place knows; one that holds itself cannot be, nor one below too many others.
	bool few = count_undecided(p) <= EAGER_SPLIT;
	if (!few && !p->is_built && !p->is_open && s->rules->depth < EAGER_DEPTH && !build_place(s->rules, p)) return false;
	if (p->is_built) {
		vec_clear(out);
		for (uint32_t i = 0; i < p->truths.n; i++) vec_push(out, p->truths.at[i]);
		return true;
	}
	uint64_t truth;
	cells list = {0};
	vec_clear(out);
	for (uint32_t bit = 1; bit <= SIMPLE_FALSE; bit *= 2)
		if (simple_truth(p, bit, &truth)) add_truth(out, truth);
	string_cells(s, p, &list);
	for (uint32_t i = 0; i < list.n; i++) add_truth(out, list.at[i].truth);
	number_cells(s, p, &list);
	for (uint32_t i = 0; i < list.n; i++) add_truth(out, list.at[i].truth);
	vec_release(&list);
	formula_truths(p, false, out);
	formula_truths(p, true, out);
	return true;
}

struct result {
	struct rules *r;
	struct place_info *p;
};

static symbol result_of(void *user, uint64_t truth)
{
	struct result *x = user;
	add_truth(&x->p->truths, truth);
	return truth_symbol(x->r, x->p, truth);
}

static const char *place_called(struct rules *r, const struct place_info *p, bool is_string)
{
	return p->only ? schema_described(p->only, is_string, r->arena)
	               : arena_printf(r->arena, "%s as %s says", is_string ? "string" : "number", p->name);
}

// Are the strings of a place counted in parts? All of them or none: the first quote is one terminal. Where no others
// compete the lexer counts their characters (lexer.h).
static bool counts_lengths(const struct schema *s, const cells *list)
{
	bool is_long = false;
	for (uint32_t i = 0; i < list->n; i++) {
		if (list->at[i].strings.of != LANGUAGE_ANY) return false;
		is_long |= longest(list->at[i].strings) > SCHEMA_MAX_LENGTH;
	}
	return is_long && !s->o->whole_strings && !(list->n == 1 && is_terminal(s, list->at[0].strings));
}

// That an array or an object is empty.
static formula none_inside(struct schema *s, bool object)
{
	return formula_not(s, formula_prim(s, object ? PRIM_COUNT : PRIM_LENGTH, 1, 0, 0));
}

static bool build_parts(struct rules *r, struct place_info *p)
{
	struct schema *s = r->s;
	static const char *const words[] = {"null", "true", "false"};
	uint64_t truth;
	for (uint32_t i = 0; i < 3; i++) {
		symbol word;
		if (!simple_truth(p, 1u << i, &truth)) continue;
		word = rules_word(r, words[i]);
		add_truth(&p->truths, truth);
		rules_add(r, truth_symbol(r, p, truth), &word, 1);
	}
	cells list = {0};
	string_cells(s, p, &list);
	bool counted = counts_lengths(s, &list);
	for (uint32_t i = 0; i < list.n; i++) {
		symbol x = counted ? lengths_symbol(s, list.at[i].strings, list.n == 1)
		                   : rules_strings(r, list.at[i].strings, place_called(r, p, true));
		add_truth(&p->truths, list.at[i].truth);
		rules_add(r, truth_symbol(r, p, list.at[i].truth), &x, 1);
	}
	number_cells(s, p, &list);
	for (uint32_t i = 0; i < list.n; i++) {
		symbol x = rules_numbers(r, list.at[i].numbers, place_called(r, p, false));
		add_truth(&p->truths, list.at[i].truth);
		rules_add(r, truth_symbol(r, p, list.at[i].truth), &x, 1);
	}
	vec_release(&list);
	struct result result = {r, p};
	formula *f = mem_alloc(((size_t)p->n_must + p->n_split + 1) * sizeof *f);
	bool ok = true;
	for (uint32_t object = 0; object < 2 && ok; object++) {
		struct wanted w = {.name = p->name, .loc = p->loc, .result = result_of, .user = &result, .n_split = p->n_split};
		for (uint32_t i = 0; i < p->n_must; i++) f[i] = object ? p->must[i]->object : p->must[i]->array;
		w.must = formula_and(s, f, p->n_must);
		for (uint32_t i = 0; i < p->n_must; i++) w.order = order_join(s, w.order, p->must[i]->order);
		for (uint32_t i = 0; i < p->n_split; i++) {
			f[i] = object ? p->split[i]->object : p->split[i]->array;
			w.order = order_join(s, w.order, p->split[i]->order);
		}
		w.split = f;
		if (p->level == SCHEMA_MAX_INDENTED) w.must = formula_and(s, (formula[]){w.must, none_inside(s, object)}, 2);
		if (w.must != FORMULA_FALSE) ok = object ? objects_build(s, &w) : arrays_build(s, &w);
	}
	free(f);
	return ok;
}

static bool build_place(struct rules *r, struct place_info *p)
{
	work_on("the part", p->name, p->loc);
	uint32_t level = r->level;
	p->is_open = true, r->depth++;
	if (r->s->o->space == SCHEMA_SPACE_INDENTED) r->level = p->level + 1;
	bool ok = build_parts(r, p);
	p->is_open = false, p->is_built = true, r->depth--, r->level = level;
	return ok;
}

// ---- the finished grammar ----

static void find_productive(const struct rules *r, uint8_t *productive)
{
	// By how many symbols of each rule are not known yet.
	uint32_t *missing = mem_calloc((size_t)r->rules.n + 1, sizeof *missing), n = r->nonterminals.n;
	uint32_t *first = mem_calloc((size_t)n + 2, sizeof *first);
	for (uint32_t i = 0; i < r->symbols.n; i++)
		if (r->symbols.at[i] & 1) first[(r->symbols.at[i] >> 1) + 1]++;
	for (uint32_t i = 0; i < n; i++) first[i + 1] += first[i];
	uint32_t *uses = mem_calloc((size_t)r->symbols.n + 1, sizeof *uses), *at = mem_calloc((size_t)n + 1, sizeof *at);
	memcpy(at, first, n * sizeof *at);
	u32_list queue = {0};
	for (uint32_t i = 0; i < r->rules.n; i++) {
		const struct rule *x = &r->rules.at[i];
		for (uint32_t k = 0; k < x->n; k++)
			if (r->symbols.at[x->first + k] & 1) uses[at[r->symbols.at[x->first + k] >> 1]++] = i, missing[i]++;
		if (!missing[i]) vec_push(&queue, x->lhs >> 1);
	}
	for (uint32_t i = 0; i < queue.n; i++) {
		uint32_t a = queue.at[i];
		if (productive[a]) continue;
		productive[a] = 1;
		for (uint32_t k = first[a]; k < first[a + 1]; k++)
			if (!--missing[uses[k]]) vec_push(&queue, r->rules.at[uses[k]].lhs >> 1);
	}
	vec_release(&queue);
	free(missing), free(first), free(uses), free(at);
}

// Nonterminals that are one symbol and nothing else stand for it.
static void find_aliases(const struct rules *r, const uint8_t *live, symbol *alias, symbol start)
{
	uint32_t n = r->nonterminals.n, *count = mem_calloc((size_t)n + 1, sizeof *count);
	symbol *only = mem_calloc((size_t)n + 1, sizeof *only);
	for (uint32_t i = 0; i < r->rules.n; i++) {
		if (!live[i]) continue;
		const struct rule *x = &r->rules.at[i];
		count[x->lhs >> 1]++;
		only[x->lhs >> 1] = x->n == 1 ? r->symbols.at[x->first] : NO_SYMBOL;
	}
	for (uint32_t a = 0; a < n; a++) {
		symbol x = a * 2 + 1;
		for (uint32_t hops = 0; hops < n; hops++) {
			uint32_t b = x >> 1;
			if (!(x & 1) || x == start || count[b] != 1 || only[b] == NO_SYMBOL || only[b] == x) break;
			x = only[b];
		}
		alias[a] = x;
	}
	free(count), free(only);
}

static int compare_rules(const void *a, const void *b)
{
	const struct production *x = a, *y = b;
	if (x->lhs != y->lhs) return x->lhs < y->lhs ? -1 : 1;
	uint32_t n = x->n_rhs < y->n_rhs ? x->n_rhs : y->n_rhs;
	for (uint32_t i = 0; i < n; i++)
		if (x->rhs[i] != y->rhs[i]) return x->rhs[i] < y->rhs[i] ? -1 : 1;
	return (x->n_rhs > y->n_rhs) - (x->n_rhs < y->n_rhs);
}

static struct term *copy_term(struct arena *a, const struct term *t)
{
	struct term *c = arena_alloc(a, sizeof *c);
	*c = *t;
	if (t->text) {
		void *text = arena_alloc(a, t->text_len + 1);
		memcpy(text, t->text, t->text_len);
		c->text = text;
	}
	if (t->n_children) c->children = arena_array(a, t->n_children, sizeof *c->children);
	for (uint32_t i = 0; i < t->n_children; i++) c->children[i] = copy_term(a, t->children[i]);
	return c;
}

static void number_reachable(const struct rules *r, const uint8_t *live, const symbol *alias, uint32_t start,
                             const uint32_t *by, const uint32_t *first, uint32_t *number, uint32_t *n, uint8_t *used,
                             u32_list *order)
{
	number[start] = (*n)++;
	vec_push(order, start);
	for (uint32_t i = 0; i < order->n; i++) {
		uint32_t a = order->at[i];
		for (uint32_t k = first[a]; k < first[a + 1]; k++) {
			const struct rule *x = &r->rules.at[by[k]];
			if (!live[by[k]]) continue;
			for (uint32_t j = 0; j < x->n; j++) {
				symbol y = r->symbols.at[x->first + j];
				if (y & 1) y = alias[y >> 1];
				if (!(y & 1)) {
					used[y >> 1] = 1;
				} else if (number[y >> 1] == UINT32_MAX) {
					number[y >> 1] = (*n)++;
					vec_push(order, y >> 1);
				}
			}
		}
	}
}

static void add_blanks(struct rules *r, struct grammar *g, uint32_t at)
{
	uint32_t most = r->s->o->blanks ? r->s->o->blanks : SCHEMA_BLANKS;
	const char *text =
		most == UINT32_MAX ? "[ \\t\\n\\r]+" : arena_printf(&g->arena, "[ \\t\\n\\r]{1,%u}(?![ \\t\\n\\r])", most);
	struct term *t = arena_alloc(&g->arena, sizeof *t);
	*t = (struct term){.kind = TERM_REGEX, .text = text, .text_len = (uint32_t)strlen(text)};
	bool held = false;
	for (uint32_t i = 0; i < at; i++) held |= g->terminals[i].holds;
	g->terminals[at] = (struct terminal){.name = "WS", .pattern = t, .is_ignored = !held, .is_held = held};
}

bool rules_finish(struct rules *r, symbol start, struct grammar *g)
{
	struct schema *s = r->s;
	for (; r->n_built < r->places.n; r->n_built++)
		if (!r->places.at[r->n_built]->is_built && !build_place(r, r->places.at[r->n_built])) return false;
	if (s->failed) return false;
	uint32_t n = r->nonterminals.n;
	uint8_t *productive = mem_calloc((size_t)n + 1, 1), *live = mem_calloc((size_t)r->rules.n + 1, 1);
	uint8_t *used = mem_calloc((size_t)r->terminals.n + 1, 1);
	symbol *alias = mem_calloc((size_t)n + 1, sizeof *alias);
	uint32_t *by = mem_calloc((size_t)r->rules.n + 1, sizeof *by), *first = mem_calloc((size_t)n + 2, sizeof *first);
	uint32_t *number = mem_alloc(((size_t)n + 1) * sizeof *number), m = 0;
	u32_list order = {0};
	find_productive(r, productive);
	bool ok = productive[start >> 1];
	for (uint32_t i = 0; i < r->rules.n; i++) {
		const struct rule *x = &r->rules.at[i];
		live[i] = 1;
		for (uint32_t k = 0; k < x->n; k++) {
			symbol y = r->symbols.at[x->first + k];
			if ((y & 1) && !productive[y >> 1]) live[i] = 0;
			if (x->n == 1 && y == x->lhs) live[i] = 0;
		}
	}
	if (ok) {
		struct rule_set all = {r->rules.at, r->rules.n, n, &r->symbols, live, r->inner.at, start};
		rules_shorten(&all);
		for (uint32_t i = 0; i < r->rules.n; i++) first[(r->rules.at[i].lhs >> 1) + 1]++;
		for (uint32_t i = 0; i < n; i++) first[i + 1] += first[i];
		uint32_t *at = mem_calloc((size_t)n + 1, sizeof *at);
		memcpy(at, first, n * sizeof *at);
		for (uint32_t i = 0; i < r->rules.n; i++) by[at[r->rules.at[i].lhs >> 1]++] = i;
		free(at);
		find_aliases(r, live, alias, start);
		memset(number, 0xFF, n * sizeof *number);
		number_reachable(r, live, alias, start >> 1, by, first, number, &m, used, &order);
		// Terminals keep their order.
		uint32_t *terminal = mem_calloc((size_t)r->terminals.n + 1, sizeof *terminal), n_terminals = 0;
		for (uint32_t t = 0; t < r->terminals.n; t++)
			if (used[t]) terminal[t] = n_terminals++;
		bool blanks = s->o->space == SCHEMA_SPACE_ANY;
		g->terminals = arena_array(&g->arena, (size_t)n_terminals + 1, sizeof *g->terminals);
		g->n_terminals = n_terminals + blanks;
		for (uint32_t t = 0; t < r->terminals.n; t++) {
			if (!used[t]) continue;
			struct terminal *to = &g->terminals[terminal[t]];
			*to = r->terminals.at[t];
			to->name = arena_strndup(&g->arena, to->name, strlen(to->name));
			to->pattern = copy_term(&g->arena, to->pattern);
		}
		if (blanks) add_blanks(r, g, n_terminals);
		g->n_nonterminals = m;
		g->nonterminals = arena_array(&g->arena, m, sizeof *g->nonterminals);
		for (uint32_t i = 0; i < m; i++) {
			g->nonterminals[i] = r->nonterminals.at[order.at[i]];
			const char *name = g->nonterminals[i].name;
			g->nonterminals[i].name = arena_strndup(&g->arena, name, strlen(name));
		}
		VEC(struct production) productions = {0};
		for (uint32_t i = 0; i < m; i++) {
			uint32_t a = order.at[i], from = productions.n;
			for (uint32_t k = first[a]; k < first[a + 1]; k++) {
				if (!live[by[k]]) continue;
				const struct rule *x = &r->rules.at[by[k]];
				symbol_id *rhs = arena_array(&g->arena, (size_t)x->n + 1, sizeof *rhs);
				for (uint32_t j = 0; j < x->n; j++) {
					symbol y = r->symbols.at[x->first + j];
					if (y & 1) y = alias[y >> 1];
					rhs[j] = y & 1 ? g->n_terminals + number[y >> 1] : terminal[y >> 1];
				}
				if (x->n == 1 && rhs[0] == g->n_terminals + i) continue;
				vec_push(&productions,
				         ((struct production){.lhs = i, .rhs = rhs, .n_rhs = x->n, .loc = g->nonterminals[i].loc}));
			}
			if (productions.n > from)
				qsort(productions.at + from, productions.n - from, sizeof *productions.at, compare_rules);
			uint32_t to = from;
			for (uint32_t k = from; k < productions.n; k++)
				if (k == from || compare_rules(&productions.at[k], &productions.at[to - 1]))
					productions.at[to++] = productions.at[k];
			productions.n = to;
		}
		g->n_productions = productions.n;
		g->productions = arena_array(&g->arena, productions.n, sizeof *g->productions);
		memcpy(g->productions, productions.at, productions.n * sizeof *g->productions);
		vec_release(&productions);
		free(terminal);
		g->start = 0;
		grammar_set_hash(g);
	}
	vec_release(&order);
	free(productive), free(live), free(used), free(alias), free(by), free(first), free(number);
	return ok;
}
