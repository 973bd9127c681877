// Bodies of rules -> productions.
//
// In:  resolved definitions with their terms built. Out: struct expansion: terminals (named ones in order, then
//      anonymous ones), nonterminals (rules in order, then template instances and helpers as they came up),
//      productions.
// A body becomes a list of alternatives, each a string of symbols (as Lark's EBNF_to_BNF and SimplifyRule):
//   (a|b) c   a c | b c         written out, so that no decision is forced before it is due
//   x? [x]    x | nothing
//   x+        h, h: x | h x     one h for equal x in the whole grammar; x*: h | nothing
//   x~n..m    n, n+1, ... m times x; from REPEAT_WRITTEN_OUT on by helpers of 2 to 5 parts (see repeat_large)
// Where writing out passes EXPAND_MAX_ALTERNATIVES, the rest goes into helper rules.
// An empty alternative inside + and ~ moves outside: (x?)+ is (x+)?, which has one reading instead of many.
// Templates: an instance per distinct arguments, expanded when its turn comes, never recursively.
// Cost: the size of the output, which EXPAND_MAX_SYMBOLS limits.
#include "lark_alternatives.h"

#define REPEAT_WRITTEN_OUT 50u        // Lark's REPEAT_BREAK_THRESHOLD: fewer states below, no conflicts above
#define REPEAT_FACTOR 5u              // Lark's SMALL_FACTOR_THRESHOLD
#define REPEAT_MAX_MERGED (1u << 30)  // of nested repetitions that become one

struct instance {
	const struct definition *of;
	const uint32_t *arguments;
	uint32_t nonterminal;
};
struct expander {
	struct definitions *d;
	struct expansion *x;
	struct arena *terms;  // lives as long as the grammar
	struct arena *arena;
	struct anon anon;
	struct intern helpers, instances;
	VEC(uint32_t) helper_nonterminal;
	VEC(struct instance) instance_list;
	uint32_t n_helpers;
	uint32_t n_repeated;  // repetitions around what is being expanded
	struct budget budget;
	const char *rule;           // being expanded
	const uint32_t *arguments;  // of its template
	struct loc loc;
};

static bool expand(struct expander *e, const struct node *n, struct alternatives *out);

// False, after an error, once too much has been written.
static bool within_budget(struct expander *e)
{
	if (!e->budget.is_exceeded) return true;
	bool are_productions = e->x->productions.n >= EXPAND_MAX_PRODUCTIONS;
	if (!e->budget.is_reported)
		diag_error(e->d->diag, e->loc, "the grammar is too large when written out: at rule '%s' it has more than %u %s",
		           e->rule, are_productions ? EXPAND_MAX_PRODUCTIONS : EXPAND_MAX_SYMBOLS,
		           are_productions ? "productions (EXPAND_MAX_PRODUCTIONS)" : "symbols (EXPAND_MAX_SYMBOLS)");
	e->budget.is_reported = true;
	return false;
}

static void add_production(struct expander *e, uint32_t lhs, struct string s, struct loc loc)
{
	if (e->x->productions.n >= EXPAND_MAX_PRODUCTIONS) e->budget.is_exceeded = true;
	if (e->budget.is_exceeded) return;
	vec_push(&e->x->productions, ((struct x_production){lhs, s.at, s.n, loc}));
}

static uint32_t add_nonterminal(struct expander *e, const char *name, struct loc loc, enum x_origin origin)
{
	uint32_t n = e->x->nonterminals.n;
	vec_push(&e->x->nonterminals, ((struct x_nonterminal){.name = name, .loc = loc, .origin = origin, .copy_of = n}));
	return n;
}

// ---- helpers

enum helper_kind { HELPER_GROUP, HELPER_PLUS };

// The symbol of a helper with these alternatives (PLUS: one or more times); makes it when there is none.
static uint32_t helper(struct expander *e, enum helper_kind kind, const char *label, const struct alternatives *a,
                       struct loc loc)
{
	byte_vec key = {0};
	alternatives_bytes(a, (uint8_t)kind, &key);
	bool is_new;
	uint32_t id = intern_add(&e->helpers, key.at, key.n, &is_new);
	vec_release(&key);
	if (!is_new) return e->helper_nonterminal.at[id];
	const char *name = arena_printf(e->arena, "__%s_%s_%u", e->rule, label, e->n_helpers++);
	uint32_t lhs = add_nonterminal(e, name, loc, X_HELPER), symbol = lhs | X_NONTERMINAL;
	vec_push(&e->helper_nonterminal, symbol);
	for (uint32_t i = 0; i < a->list.n; i++) add_production(e, lhs, a->list.at[i], loc);
	for (uint32_t i = 0; kind == HELPER_PLUS && i < a->list.n; i++)
		add_production(e, lhs, string_join(e->arena, &e->budget, (struct string){&symbol, 1}, a->list.at[i]), loc);
	return symbol;
}

static void add_symbol(struct expander *e, struct alternatives *out, uint32_t symbol)
{
	alternatives_add(out, string_join(e->arena, &e->budget, (struct string){&symbol, 1}, (struct string){0}));
}

static void into_group(struct expander *e, struct alternatives *a, struct loc loc)
{
	uint32_t symbol = helper(e, HELPER_GROUP, "group", a, loc);
	alternatives_clear(a);
	add_symbol(e, a, symbol);
}

// ---- repetition

static struct string repeated(struct expander *e, struct string a, uint32_t n_a, struct string b, uint32_t n_b)
{
	struct string s = {0};
	s.n = a.n * n_a + b.n * n_b;
	uint32_t *to = string_room(e->arena, &e->budget, s.n);
	if (!to) return (struct string){0};
	s.at = to;
	for (uint32_t i = 0; i < n_a; i++, to += a.n)
		if (a.n) memcpy(to, a.at, a.n * sizeof *to);
	for (uint32_t i = 0; i < n_b; i++, to += b.n)
		if (b.n) memcpy(to, b.at, b.n * sizeof *to);
	return s;
}

// All strings of n parts, each from a.
static void written_out(struct expander *e, const struct alternatives *a, uint32_t n, struct alternatives *out)
{
	uint32_t digit[REPEAT_WRITTEN_OUT] = {0};
	for (;;) {
		uint32_t len = 0;
		for (uint32_t i = 0; i < n; i++) len += a->list.at[digit[i]].n;
		uint32_t *to = string_room(e->arena, &e->budget, len);
		if (!to) return;
		struct string s = {to, len};
		for (uint32_t i = 0; i < n; i++) {
			struct string part = a->list.at[digit[i]];
			if (part.n) memcpy(to, part.at, part.n * sizeof *to);
			to += part.n;
		}
		alternatives_add(out, s);
		uint32_t i = n;
		while (i > 0 && digit[i - 1] + 1 == a->list.n) digit[--i] = 0;
		if (i == 0) return;
		digit[i - 1]++;
	}
}

// n = (...((f0 * a1 + b1) * a2 + b2)...): all factors small. Returns how many steps; step 0 is {f0, 0}.
static uint32_t small_factors(uint32_t n, uint32_t (*steps)[2])
{
	uint32_t count = 0, reversed[32][2];
	while (n > REPEAT_FACTOR) {
		uint32_t a = REPEAT_FACTOR;
		while (a + n % a > REPEAT_FACTOR) a--;
		reversed[count][0] = a, reversed[count++][1] = n % a;
		n /= a;
	}
	steps[0][0] = n, steps[0][1] = 0;
	for (uint32_t i = 0; i < count; i++) {
		steps[i + 1][0] = reversed[count - 1 - i][0];
		steps[i + 1][1] = reversed[count - 1 - i][1];
	}
	return count + 1;
}

static struct string one(struct expander *e, uint32_t symbol)
{
	uint32_t *to = string_room(e->arena, &e->budget, 1);
	if (!to) return (struct string){0};
	*to = symbol;
	return (struct string){to, 1};
}

// A helper for a times target, b times atom.
static struct string times(struct expander *e, uint32_t a, uint32_t b, struct string target, struct string atom,
                           struct loc loc)
{
	if (a == 1 && b == 0) return target;
	struct alternatives list = {0};
	alternatives_add(&list, repeated(e, target, a, atom, b));
	struct string s = one(e, helper(e, HELPER_GROUP, "repeat", &list, loc));
	alternatives_release(&list);
	return s;
}

// target stands for n atoms, target_opt for 0 to n - 1: a helper for 0 to step[0] * n + step[1] - 1 atoms. No conflicts
// of shift and reduce: each alternative begins with as many targets as fit (Lark's _add_repeat_opt_rule).
static struct string times_opt(struct expander *e, const uint32_t step[2], struct string target,
                               struct string target_opt, struct string atom, struct loc loc)
{
	const uint32_t a = step[0], b = step[1];
	struct alternatives list = {0};
	for (uint32_t i = 0; i < a; i++) alternatives_add(&list, repeated(e, target, i, target_opt, 1));
	for (uint32_t i = 0; i < b; i++) alternatives_add(&list, repeated(e, target, a, atom, i));
	struct string s = one(e, helper(e, HELPER_GROUP, "repeat_opt", &list, loc));
	alternatives_release(&list);
	return s;
}

// x~min..max as x~min x~0..max-min, either by helpers that multiply: depth and number of helpers are O(log max).
static void repeat_large(struct expander *e, struct string x, uint32_t min, uint32_t max, struct loc loc,
                         struct alternatives *out)
{
	uint32_t steps[32][2];
	struct string fixed = {0}, target = x, optional = {0};
	if (!min && e->n_repeated) {  // the empty text goes outside of what repeats this
		alternatives_add(out, fixed);
		min = 1;
	}
	if (min) {
		uint32_t n = small_factors(min, steps);
		fixed = x;
		for (uint32_t i = 0; i < n; i++) fixed = times(e, steps[i][0], steps[i][1], fixed, x, loc);
	}
	if (max > min) {
		uint32_t n = small_factors(max - min + 1, steps);
		for (uint32_t i = 0; i < n; i++) {
			optional = times_opt(e, steps[i], target, optional, x, loc);
			if (i + 1 < n) target = times(e, steps[i][0], steps[i][1], target, x, loc);
		}
	}
	alternatives_add(out, string_join(e->arena, &e->budget, fixed, optional));
}

static void repeat_bounded(struct expander *e, struct alternatives *x, uint32_t min, uint32_t max, struct loc loc,
                           struct alternatives *out)
{
	uint64_t total = 0, power = 1;
	for (uint32_t n = 0; n <= max && n < REPEAT_WRITTEN_OUT && total <= EXPAND_MAX_ALTERNATIVES; n++) {
		if (n >= min) total += power;
		power = power > EXPAND_MAX_ALTERNATIVES ? power : power * x->list.n;
	}
	if (total > EXPAND_MAX_ALTERNATIVES || (max >= REPEAT_WRITTEN_OUT && x->list.n > 1)) into_group(e, x, loc);
	if (max >= REPEAT_WRITTEN_OUT) {
		repeat_large(e, x->list.at[0], min, max, loc, out);
		return;
	}
	for (uint32_t n = min; n <= max && !e->budget.is_exceeded; n++) written_out(e, x, n, out);
}

// (x~a..b)~c..d is x~a*c..b*d, where no number between is left out. Written out one within the other, a text would have
// a parse for each way to share it out.
static const struct node *merged_repeat(struct expander *e, const struct node *outer)
{
	const struct node *n = outer->children[0];
	while ((n->kind == N_SEQ || n->kind == N_ALT) && n->n_children == 1) n = n->children[0];
	if (n->kind != N_REPEAT || n->hi == 0 || n->hi == TERM_UNBOUNDED || outer->hi < 2 || outer->hi == TERM_UNBOUNDED)
		return NULL;
	uint64_t a = n->lo, b = n->hi, c = outer->lo, d = outer->hi, first = c ? c : 1;
	bool has_none = c > 0 || a <= 1, has_no_gap = d == first || a <= 1 + first * (b - a);
	if (!has_none || !has_no_gap || b * d > REPEAT_MAX_MERGED) return NULL;
	struct node *both = arena_alloc(e->arena, sizeof *both);
	*both = *n;
	both->lo = (uint32_t)(a * c), both->hi = (uint32_t)(b * d), both->loc = outer->loc;
	return both;
}

static bool expand_repeat(struct expander *e, const struct node *n, struct alternatives *out)
{
	struct alternatives x = {0};
	for (const struct node *both; (both = merged_repeat(e, n));) n = both;
	bool is_repeated = n->hi > 1;
	e->n_repeated += is_repeated;
	bool ok = expand(e, n->children[0], &x);
	e->n_repeated -= is_repeated;
	uint32_t min = n->lo;
	if (n->hi > 1 && alternatives_remove_empty(&x)) min = 0;
	const struct string nothing = {0};
	if (!ok || n->hi == 0 || x.list.n == 0)
		alternatives_add(out, nothing);
	else if (n->hi == TERM_UNBOUNDED) {
		add_symbol(e, out, helper(e, HELPER_PLUS, n->lo ? "plus" : "star", &x, n->loc));
		if (min == 0) alternatives_add(out, nothing);
	} else if (n->hi == 1) {
		alternatives_add_all(out, &x);
		if (min == 0) alternatives_add(out, nothing);
	} else
		repeat_bounded(e, &x, min, n->hi, n->loc, out);
	alternatives_release(&x);
	return ok;
}

// ---- names, templates, sequences

static const struct definition *definition_of(const struct expander *e, uint32_t name)
{
	return e->d->by_symbol.at[name];
}

static const char *symbol_name(const struct expander *e, uint32_t symbol)
{
	if (symbol & X_NONTERMINAL) return e->x->nonterminals.at[symbol & ~X_NONTERMINAL].name;
	if (symbol & X_TEMPLATE_NAME) return definition_of(e, symbol & ~X_TEMPLATE_NAME)->name;
	return e->x->terminals.at[symbol].name;
}

// The nonterminal of a template with these arguments.
static bool instantiate(struct expander *e, const struct definition *of, const uint32_t *arguments,
                        const struct node *at, uint32_t *symbol)
{
	byte_vec key = {0};
	vec_reserve(&key, (uint64_t)(of->n_params + 1) * 4);
	key.n = (of->n_params + 1) * 4;
	memcpy(key.at, &of->symbol, 4);
	memcpy(key.at + 4, arguments, of->n_params * sizeof *arguments);
	uint32_t id = intern_find(&e->instances, key.at, key.n);
	if (id == INTERN_NONE && e->instance_list.n >= TEMPLATE_MAX_INSTANCES) {
		diag_error(e->d->diag, at->loc, "more than %u template instances (TEMPLATE_MAX_INSTANCES)",
		           TEMPLATE_MAX_INSTANCES);
		e->budget.is_exceeded = e->budget.is_reported = true;
	} else if (id == INTERN_NONE) {
		size_t len = strlen(of->name) + 1;
		for (uint32_t i = 0; i < of->n_params; i++) len += strlen(symbol_name(e, arguments[i])) + 1;
		if (len > TEMPLATE_MAX_NAME) {
			diag_error(e->d->diag, at->loc,
			           "instances of template '%s' nest without end, or too deep: the name of one "
			           "is longer than %u (TEMPLATE_MAX_NAME)",
			           of->name, TEMPLATE_MAX_NAME);
			e->budget.is_exceeded = e->budget.is_reported = true;
		} else {
			char *name = arena_printf(e->arena, "%s{", of->name);
			for (uint32_t i = 0; i < of->n_params; i++)
				name = arena_printf(e->arena, "%s%s%s", name, i ? "," : "", symbol_name(e, arguments[i]));
			id = intern_add(&e->instances, key.at, key.n, NULL);
			uint32_t *copy = arena_array(e->arena, of->n_params, sizeof *copy);
			memcpy(copy, arguments, of->n_params * sizeof *copy);
			uint32_t lhs = add_nonterminal(e, arena_printf(e->arena, "%s}", name), of->loc, X_TEMPLATE);
			vec_push(&e->instance_list, ((struct instance){of, copy, lhs}));
		}
	}
	vec_release(&key);
	if (id == INTERN_NONE) return false;
	*symbol = e->instance_list.at[id].nonterminal | X_NONTERMINAL;
	return true;
}

// The symbol that a name, call or literal stands for; a template's bare name only where one may be passed on.
// Branches: a literal, a nested text, a parameter, a template and a rule each stand for a symbol, with or without
// arguments.
static bool value_symbol(struct expander *e, const struct node *n, bool is_argument, uint32_t *symbol)
{
	if (n->kind == N_NESTED) {
		uint32_t start = lark_nest(e->d, e->x, n, e->rule, e->terms);
		*symbol = start | X_NONTERMINAL;
		return start != X_NONE;
	}
	if (n->kind != N_NAME && n->kind != N_CALL) {
		*symbol = lark_anon_terminal(&e->anon, e->x, lark_term_leaf(n, e->terms), e->arena);
		return true;
	}
	uint32_t value;
	if (n->param != NO_PARAM)
		value = e->arguments[n->param];
	else {
		const struct definition *to = definition_of(e, n->symbol);
		value = to->is_terminal ? to->index : to->n_params ? X_TEMPLATE_NAME | n->symbol : to->index | X_NONTERMINAL;
	}
	bool is_template = !(value & X_NONTERMINAL) && (value & X_TEMPLATE_NAME);
	const struct definition *template = is_template ? definition_of(e, value & ~X_TEMPLATE_NAME) : NULL;
	if (n->kind == N_NAME) {
		*symbol = value;
		if (!is_template || is_argument) return true;
		diag_error(e->d->diag, n->loc, "template '%s' needs its %u arguments: %s{...}", template->name,
		           template->n_params, template->name);
		diag_note(e->d->diag, template->loc, "defined here");
		return false;
	}
	if (!is_template || template->n_params != n->n_children) {
		if (!is_template)
			diag_error(e->d->diag, n->loc, "'%s' is no template here but '%s'", n->text, symbol_name(e, value));
		else
			diag_error(e->d->diag, n->loc, "'%s' is template '%s' here, which takes %u arguments, not %u", n->text,
			           template->name, template->n_params, n->n_children);
		diag_note(e->d->diag, e->loc, "in the instance %s", e->rule);
		return false;
	}
	uint32_t arguments[LARK_MAX_PARAMETERS];
	for (uint32_t i = 0; i < n->n_children; i++)
		if (!value_symbol(e, n->children[i], true, &arguments[i])) return false;
	return instantiate(e, template, arguments, n, symbol);
}

// Products are written out while they stay small (long sequences: fewer of them); a factor that would make them
// large becomes a helper.
static bool expand_sequence(struct expander *e, const struct node *n, struct alternatives *out)
{
	struct factor_product p = {0};
	bool ok = true;
	uint32_t limit = n->n_children > 64 ? EXPAND_MAX_ALTERNATIVES * 64 / n->n_children : EXPAND_MAX_ALTERNATIVES;
	for (uint32_t i = 0; i < n->n_children && !e->budget.is_exceeded; i++) {
		struct alternatives part = {0};
		ok = expand(e, n->children[i], &part) && ok;
		if (part.list.n > 1 && p.total > 1 && part.list.n * p.total > limit) into_group(e, &part, n->children[i]->loc);
		product_add(&p, &part);
		alternatives_release(&part);
	}
	product_write(&p, e->arena, &e->budget, out);
	product_release(&p);
	return ok;
}

static bool expand(struct expander *e, const struct node *n, struct alternatives *out)
{
	bool ok = true;
	uint32_t symbol;
	switch (n->kind) {
	case N_SEQ: return expand_sequence(e, n, out);
	case N_REPEAT: return expand_repeat(e, n, out);
	case N_ALT:
		for (uint32_t i = 0; i < n->n_children && !e->budget.is_exceeded; i++)
			ok = expand(e, n->children[i], out) && ok;
		return ok;
	default:
		if (!value_symbol(e, n, false, &symbol)) return false;
		add_symbol(e, out, symbol);
		return true;
	}
}

// One rule or instance. The places of productions are those of the alternatives they come from.
static void expand_rule(struct expander *e, const struct definition *of, uint32_t lhs, const uint32_t *arguments)
{
	e->rule = e->x->nonterminals.at[lhs].name, e->arguments = arguments, e->loc = of->loc;
	const struct node *root = of->body->root;
	struct alternatives all = {0};
	for (uint32_t i = 0; i < root->n_children && within_budget(e); i++) {
		uint32_t before = all.list.n;
		expand(e, root->children[i], &all);
		for (; before < all.list.n; before++) add_production(e, lhs, all.list.at[before], root->children[i]->loc);
	}
	within_budget(e);
	alternatives_release(&all);
}

static void number_definitions(struct expander *e)
{
	struct definitions *d = e->d;
	for (uint32_t i = 0; i < d->list.n; i++) {
		struct definition *n = d->list.at[i];
		if (n->is_terminal) {
			n->index = e->x->terminals.n;
			struct term *pattern = n->body ? n->body->term : NULL;
			vec_push(&e->x->terminals, ((struct x_terminal){.name = n->name,
			                                                .pattern = pattern,
			                                                .priority = n->priority,
			                                                .is_imported = n->is_imported,
			                                                .loc = n->loc}));
		} else if (n->n_params == 0) {
			n->index = add_nonterminal(e, n->name, n->loc, X_RULE);
			e->x->nonterminals.at[n->index].is_imported = n->is_imported;
		}
	}
	for (uint32_t i = 0; i < d->ignored.n; i++)
		if (!d->ignored.at[i].n_brackets && !d->ignored.at[i].n_holders && !d->ignored.at[i].n_rules)
			e->x->terminals.at[d->ignored.at[i].definition->index].is_ignored = true;
}

// The terminals that %keywords names, and the words that it reserves.
static void take_keywords(struct expander *e)
{
	struct expansion *x = e->x;
	for (uint32_t i = 0; i < e->d->keywords.n; i++) {
		const struct keywords *k = &e->d->keywords.at[i];
		uint32_t symbol = intern_find(&e->d->names, k->words.text, k->words.text_len);
		const struct definition *of = symbol == INTERN_NONE ? NULL : e->d->by_symbol.at[symbol];
		if (!of || !of->body)
			diag_error(e->d->diag, k->words.loc, "%%keywords: '%s' is not a terminal with a pattern", k->words.text);
		else
			x->terminals.at[of->index].has_words = true, x->terminals.at[of->index].words_loc = k->words.loc;
		for (uint32_t j = 0; j < k->n_reserved + k->n_soft; j++) {
			uint32_t t = lark_anon_terminal(&e->anon, x, lark_term_leaf(k->reserved[j], e->terms), e->arena);
			if (j < k->n_reserved)
				x->terminals.at[t].is_reserved = true;
			else
				x->terminals.at[t].is_soft = true;
		}
	}
}

static void no_start(struct definitions *d, struct loc loc, const char *start)
{
	const struct definition *nearest = lark_nearest(d, start), *first = NULL;
	for (uint32_t i = 0; i < d->list.n && !first; i++)
		if (!d->list.at[i]->is_terminal && !d->list.at[i]->is_imported && !d->list.at[i]->n_params)
			first = d->list.at[i];
	if (nearest && nearest->is_terminal) nearest = NULL;
	diag_error(d->diag, loc, "there is no rule '%s' to start from", start);
	if (nearest)
		diag_note(d->diag, nearest->loc, "did you mean '%s'? (--start %s)", nearest->name, nearest->name);
	else if (first && !loc.source)
		diag_note(d->diag, first->loc,
		          "the first rule is '%s': --start %s, or %%start %s in the grammar, starts from it", first->name,
		          first->name, first->name);
	else if (!first)
		diag_note(d->diag, (struct loc){0},
		          "the grammar has no rules: a rule is written \"start: ...\", in small letters");
}

// The nonterminal of a rule to start from, X_NONE after an error. named: by %start; else the option, or nobody, names
// it.
static uint32_t start_rule(struct expander *e, const char *start, const struct name *named)
{
	struct definitions *d = e->d;
	uint32_t id = intern_find(&d->names, start, strlen(start));
	const struct definition *of = id == INTERN_NONE ? NULL : d->by_symbol.at[id];
	struct loc loc = named ? named->loc : of ? of->loc : (struct loc){0};
	if (!of)
		no_start(d, loc, start);
	else if (of->is_terminal)
		diag_error(d->diag, loc, "the start must be a rule, '%s' is a terminal", start);
	else if (of->n_params)
		diag_error(d->diag, loc, "the start must be a rule, '%s' is a template", start);
	else
		return of->index;
	if (of && named) diag_note(d->diag, of->loc, "defined here");
	return X_NONE;
}

// The start: what the option says, else the first that %start names, else the rule called start.
static void find_start(struct expander *e, const char *start)
{
	struct definitions *d = e->d;
	uint32_t n = d->starts.n;
	const struct name *of = NULL;
	for (uint32_t i = 0; i < n; i++) {
		const struct name *named = &d->starts.at[i];
		uint32_t rule = start_rule(e, named->text, named);
		if (rule != X_NONE) vec_push(&e->x->starts, rule);
		if (!of && (!start || strcmp(start, named->text) == 0)) of = named, e->x->start = rule;
		for (uint32_t k = 0; k < i; k++) {
			if (strcmp(d->starts.at[k].text, named->text) != 0) continue;
			diag_error(d->diag, named->loc, "%%start names '%s' twice", named->text);
			diag_note(d->diag, d->starts.at[k].loc, "the first time is here");
			break;
		}
	}
	if (of) return;
	if (!n) {
		e->x->start = start_rule(e, start ? start : "start", NULL);
		return;
	}
	const char *all = d->starts.at[0].text;
	for (uint32_t i = 1; i < n; i++)
		all = arena_printf(e->arena, "%s%s%s", all, i + 1 < n ? ", " : " or ", d->starts.at[i].text);
	diag_error(d->diag, d->starts.at[0].loc, "no text of this grammar starts from '%s': %%start allows %s", start, all);
}

bool lark_expand(struct definitions *d, const char *start, struct arena *terms, struct expansion *out)
{
	uint32_t errors = d->diag->n_errors;
	struct expander e = {.d = d, .x = out, .terms = terms, .arena = d->arena};
	out->arena = d->arena;
	number_definitions(&e);
	lark_anon_init(&e.anon, out);
	find_start(&e, start);
	for (uint32_t i = 0; i < d->list.n; i++) {
		const struct definition *n = d->list.at[i];
		if (!n->is_terminal && n->n_params == 0) expand_rule(&e, n, n->index, NULL);
	}
	for (uint32_t i = 0; i < e.instance_list.n && !e.budget.is_exceeded; i++) {
		struct instance one_instance = e.instance_list.at[i];
		expand_rule(&e, one_instance.of, one_instance.nonterminal, one_instance.arguments);
	}
	take_keywords(&e);
	lark_anon_release(&e.anon);
	intern_release(&e.helpers), intern_release(&e.instances);
	vec_release(&e.helper_nonterminal);
	vec_release(&e.instance_list);
	return d->diag->n_errors == errors;
}

void lark_expansion_release(struct expansion *x)
{
	vec_release(&x->terminals);
	vec_release(&x->nonterminals);
	vec_release(&x->productions);
	vec_release(&x->starts);
}
