// Places: where a value stands, and what of it has to be told apart.
//
// In:  the schemas that all hold there, and those that are told apart. Out: a symbol for each truth of these.
// Values of simple types, strings and numbers become terminals, one for each truth that is possible, disjoint; arrays
// and objects are automata. Places are built one after the other from a queue, so that recursion in schemas is none
// here.
// Cost: the truths that are possible times the schemas told apart; where a value contains itself, 2^(SCHEMA_MAX_SPLIT)
// truths at most.
#include "../base/sort.h"
#include "rules.h"

// ---- places ----

static uint32_t value_number(struct rules *r, const struct value *v)
{
	bool is_new;
	uint32_t n = intern_add(&r->values, v, sizeof *v, &is_new);
	if (is_new) vec_push(&r->value, *v);
	return n;
}

// Does uniqueItems tell its arrays apart?
static bool asks_unique(struct schema *s, const struct place_info *p)
{
	bool asks = false;
	u32_list prims = {0};
	struct map64 seen = {0};
	for (uint32_t k = 0; k < p->n_split; k++) formula_prims(s, &p->split[k]->array, 1, &seen, &prims);
	for (uint32_t i = 0; i < prims.n && !asks; i++) asks = prim_of(s, prims.at[i]).kind == PRIM_UNIQUE;
	vec_release(&prims), map64_release(&seen);
	return asks;
}

static struct place_info *add_place(struct schema *s, const struct place *p, const uint32_t *words)
{
	struct rules *r = s->rules;
	const uint32_t n = p->n_must + p->n_split;
	struct place_info *i = arena_alloc(s->arena, sizeof *i);
	const struct json *at = NULL;
	for (uint32_t k = 0; k < n && !at; k++) at = atom_place(s, k < p->n_must ? p->must[k] : p->split[k - p->n_must]);
	i->n_must = p->n_must, i->n_split = p->n_split, i->level = r->level, i->order = p->order;
	i->must = arena_array(s->arena, (size_t)n + 1, sizeof *i->must), i->split = i->must + p->n_must;
	for (uint32_t k = 0; k < n; k++) {
		const struct value *v = arena_alloc(s->arena, sizeof *v);
		memcpy((void *)v, &r->value.at[words[k]], sizeof *v);
		i->must[k] = v;
	}
	i->name = at ? json_pointer(at, s->arena) : "any value";
	if (!*i->name) i->name = "value";
	i->only = n == 1 ? at : NULL;
	if (at) i->loc = at->loc;
	i->waits = asks_unique(s, i);
	vec_push(&r->places, i);
	return i;
}

// What it is known by: its values and level. False: an error.
static bool name_place(struct schema *s, const struct place *p, u32_list *words)
{
	bool ok = true;
	vec_push(words, p->n_must);
	for (uint32_t i = 0; i < p->n_must + p->n_split && ok; i++) {
		const struct value *v = atom_value(s, i < p->n_must ? p->must[i] : p->split[i - p->n_must]);
		if ((ok = v)) vec_push(words, value_number(s->rules, v));
	}
	if (ok) sort_u32(words->at + 1, p->n_must);  // split keeps its order: truths are by place
	vec_push(words, s->rules->level), vec_push(words, p->order);
	return ok;
}

// The one of all truths that are asked for together.
static uint32_t find_settled(struct schema *s, const struct place *p, u32_list *words)
{
	bool is_new;
	for (uint32_t i = 0; i < p->asked->n; i++) vec_push(words, p->asked->at[i]);
	vec_push(words, UINT32_MAX);
	const uint32_t id = intern_add(&s->rules->place_names, words->at, words->n * sizeof *words->at, &is_new);
	if (!is_new) return id;
	struct place_info *i = add_place(s, p, words->at + 1);
	i->is_settled = true;
	for (uint32_t k = 0; k < p->asked->n; k++) vec_push(&i->asked, p->asked->at[k]);
	return id;
}

// The place by number; UINT32_MAX after an error. Where uniqueItems tells truths apart, there is one for each list of
// truths that are asked for together.
uint32_t find_place(struct schema *s, const struct place *p)
{
	struct rules *r = s->rules;
	u32_list words = {0};
	bool is_new;
	uint32_t id = UINT32_MAX;
	if (name_place(s, p, &words)) {
		id = intern_add(&r->place_names, words.at, words.n * sizeof *words.at, &is_new);
		if (is_new) add_place(s, p, words.at + 1);
		const bool settles = p->asked && p->n_split && (s->settles || r->places.at[id]->waits);
		if (settles && !schema_may_drop(s, "uniqueItems")) id = find_settled(s, p, &words);
	}
	vec_release(&words);
	return id;
}

static symbol truth_symbol(struct rules *r, struct place_info *p, truth t)
{
	uint64_t known = map64_get(&p->of, t);
	if (known != MAP64_NONE) return (symbol)known;
	symbol x = rules_nonterminal(r, p->name, p->loc);
	map64_put(&p->of, t, x);
	if (!p->is_wanted) vec_push(&r->wanted, p);
	p->is_wanted = true;
	return x;
}

static void add_truth(u32_list *out, truth t)
{
	for (uint32_t i = 0; i < out->n; i++)
		if (out->at[i] == t) return;
	vec_push(out, t);
}

symbol place_symbol(struct schema *s, const struct place *p, truth of)
{
	uint32_t n = find_place(s, p);
	if (n == UINT32_MAX) return NO_SYMBOL;
	struct place_info *place = s->rules->places.at[n];
	const uint32_t n_asked = place->asked.n;
	add_truth(&place->asked, of);
	if (place->left_out && place->asked.n > n_asked)
		schema_unenforced(s, place->left_out, "uniqueItems", NULL, UNIQUE_UNDECIDED);
	return truth_symbol(s->rules, place, of);
}

#define EAGER_SPLIT 3u   // conditions that are taken as both true and false without a look
#define EAGER_DEPTH 40u  // places that are built inside each other

// Truths that formulas may have, by what they are when nothing is read: each undecided one is both.
// Branches: a formula is true, false, open or the same as one before, and only an open one doubles the list.
static void formula_truths(struct schema *s, const struct place_info *p, bool object, u32_list *out)
{
	u32_list list = {0};
	vec_push(&list, 0);
	for (uint32_t i = 0; i < p->n_must; i++)
		if ((object ? p->must[i]->object : p->must[i]->array) == FORMULA_FALSE) vec_clear(&list);
	for (uint32_t k = 0; k < p->n_split && list.n; k++) {
		formula f = object ? p->split[k]->object : p->split[k]->array;
		uint32_t n = list.n, same = 0;
		while (same < k && (object ? p->split[same]->object : p->split[same]->array) != f) same++;
		for (uint32_t i = 0; i < n; i++) {
			if (same < k) {
				if (truth_has(s, list.at[i], same)) list.at[i] = truth_with(s, list.at[i], k);
			} else if (f == FORMULA_TRUE) {
				list.at[i] = truth_with(s, list.at[i], k);
			} else if (f != FORMULA_FALSE) {
				if (list.n >= 1u << SCHEMA_MAX_SPLIT) work_too_large("SCHEMA_MAX_SPLIT", SCHEMA_MAX_SPLIT);
				vec_push(&list, truth_with(s, list.at[i], k));
			}
		}
	}
	for (uint32_t i = 0; i < list.n; i++) add_truth(out, list.at[i]);
	vec_release(&list);
}

struct cell {
	struct strings strings;
	struct numbers numbers;
	truth of;
	bool is_wide;  // strings, more than one text
};
typedef VEC(struct cell) cells;

// What is not in x: up to two of them. Lengths outside of bounds stay lengths.
static uint32_t strings_outside(struct schema *s, struct strings x, struct strings *out)
{
	struct value v = value_none();
	v.strings = x;
	out[0] = (struct strings){LANGUAGE_ANY, 0, x.least - 1, SYNTAX_NONE, 0};
	out[1] = (struct strings){LANGUAGE_ANY, x.most + 1, TERM_UNBOUNDED, SYNTAX_NONE, 0};
	if (x.of == LANGUAGE_ANY && !x.syntax && x.least && x.most != TERM_UNBOUNDED) return 2;
	out[0] = value_not(s, v).strings;
	return 1;
}

// A condition that lists hundreds of texts, as the names of tasks, tells each of them apart. What is left of the other
// strings is found once for all of them, not text by text: texts are kept that are still to be taken away.
struct taken {
	struct arena arena;
	language_texts texts;
	u32_list of;  // each as a language
};

static bool is_plain(struct strings x)
{
	return !x.syntax && !x.least && x.most == TERM_UNBOUNDED && x.of != LANGUAGE_NOTHING;
}

// Is it one text? Then it is appended.
static bool one_text(const struct schema *s, struct strings x, struct taken *taken)
{
	if (!is_plain(x) || !language_is_text(s->languages, x.of)) return false;
	return language_list(s->languages, x.of, taken->texts.n + 1, &taken->arena, &taken->texts);
}

static bool has_taken(const struct taken *taken, language text)
{
	for (uint32_t i = 0; i < taken->of.n; i++)
		if (taken->of.at[i] == text) return true;
	return false;
}

static void keep_some(struct schema *s, cells *out)
{
	uint32_t m = 0;
	for (uint32_t i = 0; i < out->n; i++) {  // bounds beside a language may leave nothing of it
		const struct strings x = out->at[i].strings;
		if (strings_are_some(s, x)) out->at[m++] = out->at[i];
	}
	out->n = m;
}

// Cells that hold more than a text lose those.
static void take_away(struct schema *s, struct taken *taken, cells *out)
{
	if (!taken->of.n) return;
	const language all = language_of_texts(s->languages, taken->texts.at, taken->texts.n);
	for (uint32_t i = 0; i < out->n; i++)
		if (out->at[i].is_wide) out->at[i].strings.of = language_minus(s->languages, out->at[i].strings.of, all);
	vec_clear(&taken->texts), vec_clear(&taken->of);
	keep_some(s, out);
}

// Condition k is the text that was appended last. Cells that have it are parted.
static void take_text(struct schema *s, struct taken *taken, cells *out, uint32_t k, struct strings text)
{
	const struct language_text t = taken->texts.at[taken->texts.n - 1];
	const bool is_known = has_taken(taken, text.of);
	for (uint32_t i = 0, n = out->n; i < n; i++) {
		struct cell *x = &out->at[i];
		x->is_wide = !language_is_text(s->languages, x->strings.of);
		if (x->is_wide ? is_known || !language_has(s->languages, x->strings.of, t.text, t.len)
		               : x->strings.of != text.of)
			continue;
		if (!x->is_wide) x->strings.of = LANGUAGE_NOTHING;
		const struct cell in = {text, x->numbers, truth_with(s, x->of, k), false};
		vec_push(out, in);
	}
	vec_push(&taken->of, text.of);
}

static bool are_plain(const cells *list)
{
	for (uint32_t i = 0; i < list->n; i++)
		if (!is_plain(list->at[i].strings)) return false;
	return true;
}

static void string_cells(struct schema *s, const struct place_info *p, cells *out)
{
	struct taken taken = {0};
	struct cell all = {.strings = {LANGUAGE_ANY, 0, TERM_UNBOUNDED, SYNTAX_NONE, 0}};
	for (uint32_t i = 0; i < p->n_must; i++) all.strings = strings_and(s, all.strings, p->must[i]->strings);
	vec_clear(out);
	// Bounds beside a language may leave nothing of it.
	all.strings = strings_settled(s, strings_certain(all.strings));
	if (all.strings.of) vec_push(out, all);
	for (uint32_t k = 0; k < p->n_split; k++) {
		struct strings in = strings_regular(s, p->split[k]->strings), outside[2];
		if (are_plain(out) && one_text(s, in, &taken)) {
			take_text(s, &taken, out, k, in);
			keep_some(s, out);
			continue;
		}
		take_away(s, &taken, out);
		const uint32_t n_outside = strings_outside(s, in, outside);
		for (uint32_t i = 0, n = out->n; i < n; i++) {
			struct cell whole = out->at[i], cell = whole;
			for (uint32_t j = 0; j < n_outside; j++) {
				cell.strings = strings_certain(strings_and(s, whole.strings, outside[j]));
				if (!j)
					out->at[i] = cell;
				else if (cell.strings.of)
					vec_push(out, cell);
			}
			cell.strings = strings_certain(strings_and(s, whole.strings, in)), cell.of = truth_with(s, cell.of, k);
			if (cell.strings.of) vec_push(out, cell);
		}
		keep_some(s, out);
	}
	take_away(s, &taken, out);
	arena_release(&taken.arena), vec_release(&taken.texts), vec_release(&taken.of);
}

// Numbers of the conditions before one, as unions of 1, 2, 4 ... of them: so each is in few that are made.
struct seen_numbers {
	language of[32];
};

// Adds a condition's numbers; true: no earlier one has any of them.
static bool see_numbers(struct schema *s, struct seen_numbers *seen, language l)
{
	bool is_new = true;
	uint32_t to = 0;
	for (uint32_t i = 0; i < 32 && is_new; i++)
		is_new = !seen->of[i] || language_and(s->languages, seen->of[i], l) == LANGUAGE_NOTHING;
	for (; seen->of[to]; to++) l = language_or(s->languages, seen->of[to], l), seen->of[to] = LANGUAGE_NOTHING;
	seen->of[to] = l;
	return is_new;
}

static void number_cells(struct schema *s, const struct place_info *p, cells *out)
{
	struct cell all = {.numbers = {LANGUAGE_ANY, false}};
	struct seen_numbers seen = {0};
	for (uint32_t i = 0; i < p->n_must; i++)
		all.numbers = numbers_and(s, all.numbers, (struct numbers){p->must[i]->numbers, p->must[i]->numbers_plain});
	vec_clear(out);
	if (all.numbers.of) vec_push(out, all);
	for (uint32_t k = 0; k < p->n_split; k++) {
		struct numbers v = {p->split[k]->numbers, p->split[k]->numbers_plain}, other = numbers_not(s, v);
		if (!v.of) continue;
		const bool is_new = see_numbers(s, &seen, v.of);
		for (uint32_t i = 0, n = out->n; i < n; i++) {
			struct cell in = out->at[i];
			if (is_new && in.of) continue;  // numbers of an earlier condition
			out->at[i].numbers = numbers_and(s, in.numbers, other);
			in.numbers = numbers_and(s, in.numbers, v), in.of = truth_with(s, in.of, k);
			if (in.numbers.of) vec_push(out, in);
		}
		uint32_t m = 0;
		for (uint32_t i = 0; i < out->n; i++)
			if (out->at[i].numbers.of) out->at[m++] = out->at[i];
		out->n = m;
	}
}

static bool simple_truth(struct schema *s, const struct place_info *p, uint32_t bit, truth *out)
{
	*out = 0;
	for (uint32_t i = 0; i < p->n_must; i++)
		if (!(p->must[i]->simple & bit)) return false;
	for (uint32_t k = 0; k < p->n_split; k++)
		if (p->split[k]->simple & bit) *out = truth_with(s, *out, k);
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

uint32_t place_undecided(struct schema *s, const struct place *p)
{
	uint32_t n = find_place(s, p);
	return n == UINT32_MAX ? n : count_undecided(s->rules->places.at[n]);
}

bool place_truths(struct schema *s, const struct place *q, bool is_exact, u32_list *out)
{
	uint32_t n = find_place(s, q);
	if (n == UINT32_MAX) return false;
	struct place_info *p = s->rules->places.at[n];
	// Built first, a place knows; one that holds itself cannot be, nor one below too many others.
	const bool is_eager = is_exact || count_undecided(p) > EAGER_SPLIT;
	if (is_eager && !p->is_built && !p->is_open && s->rules->depth < EAGER_DEPTH) {
		p->is_early = true;
		if (!place_build(s->rules, p)) return false;
	}
	if (p->is_built && !p->left_out) {
		vec_clear(out);
		for (uint32_t i = 0; i < p->truths.n; i++) vec_push(out, p->truths.at[i]);
		return true;
	}
	truth t;
	cells list = {0};
	vec_clear(out);
	for (uint32_t bit = 1; bit <= SIMPLE_FALSE; bit *= 2)
		if (simple_truth(s, p, bit, &t)) add_truth(out, t);
	string_cells(s, p, &list);
	for (uint32_t i = 0; i < list.n; i++) add_truth(out, list.at[i].of);
	number_cells(s, p, &list);
	for (uint32_t i = 0; i < list.n; i++) add_truth(out, list.at[i].of);
	vec_release(&list);
	formula_truths(s, p, false, out);
	formula_truths(s, p, true, out);
	return true;
}

struct result {
	struct rules *r;
	struct place_info *p;
};

static symbol result_of(void *user, truth t)
{
	struct result *x = user;
	add_truth(&x->p->truths, t);
	return truth_symbol(x->r, x->p, t);
}

static void truths_left_out(void *user, const struct json *at)
{
	const struct result *x = user;
	x->p->left_out = at;
}

static void truths_told(void *user, const struct json *at)
{
	const struct result *x = user;
	x->p->told = at;
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
		if (list->at[i].strings.of != LANGUAGE_ANY || list->at[i].strings.syntax) return false;
		is_long |= rules_longest(list->at[i].strings) > SCHEMA_MAX_LENGTH;
	}
	return is_long && !s->o->whole_strings && !(list->n == 1 && rules_is_terminal(s, list->at[0].strings));
}

#define MOST_ASKED 64u  // truths that become a condition

// That an array or an object is empty.
static formula none_inside(struct schema *s, bool object)
{
	return formula_not(s, formula_prim(s, object ? PRIM_COUNT : PRIM_LENGTH, 1, 0, 0));
}

// Branches: simple values, strings, numbers, arrays and objects of a place each become symbols in their own way.
static bool build_parts(struct rules *r, struct place_info *p)
{
	struct schema *s = r->s;
	static const char *const words[] = {"null", "true", "false"};
	truth t;
	for (uint32_t i = 0; i < 3; i++) {
		symbol word;
		if (!simple_truth(s, p, 1u << i, &t)) continue;
		word = rules_word(r, words[i]);
		add_truth(&p->truths, t);
		rules_add(r, truth_symbol(r, p, t), &word, 1);
	}
	cells list = {0};
	string_cells(s, p, &list);
	bool counted = counts_lengths(s, &list);
	for (uint32_t i = 0; i < list.n; i++) {
		symbol x = counted ? lengths_symbol(s, list.at[i].strings, list.n == 1)
		                   : rules_strings(r, list.at[i].strings, place_called(r, p, true));
		add_truth(&p->truths, list.at[i].of);
		rules_add(r, truth_symbol(r, p, list.at[i].of), &x, 1);
	}
	number_cells(s, p, &list);
	for (uint32_t i = 0; i < list.n; i++) {
		symbol x = rules_numbers(r, list.at[i].numbers, place_called(r, p, false));
		add_truth(&p->truths, list.at[i].of);
		rules_add(r, truth_symbol(r, p, list.at[i].of), &x, 1);
	}
	vec_release(&list);
	struct result result = {r, p};
	formula *f = mem_alloc(((size_t)p->n_must + p->n_split + 1) * sizeof *f);
	bool ok = true;
	for (uint32_t object = 0; object < 2 && ok; object++) {
		struct wanted w = {.name = p->name, .loc = p->loc, .result = result_of, .user = &result, .n_split = p->n_split};
		w.asked = p->is_early ? NULL : &p->asked, w.left_out = truths_left_out, w.told = truths_told;

		for (uint32_t i = 0; i < p->n_must; i++) f[i] = object ? p->must[i]->object : p->must[i]->array;
		w.must = formula_and(s, f, p->n_must);
		for (uint32_t i = 0; i < p->n_must; i++) w.order = order_join(s, w.order, p->must[i]->order);
		for (uint32_t i = 0; i < p->n_split; i++) {
			f[i] = object ? p->split[i]->object : p->split[i]->array;
			w.order = order_join(s, w.order, p->split[i]->order);
		}
		w.split = f;
		if (p->order) w.order = p->order, w.in_order = true;
		if (p->is_settled && p->asked.n <= MOST_ASKED) w.must = wanted_asked(s, &w), w.is_asked_only = true;
		if (p->level == SCHEMA_MAX_INDENTED) w.must = formula_and(s, (formula[]){w.must, none_inside(s, object)}, 2);
		if (w.must != FORMULA_FALSE) ok = object ? objects_build(s, &w) : arrays_build(s, &w);
	}
	free(f);
	return ok;
}

bool place_build(struct rules *r, struct place_info *p)
{
	work_on(*p->name == '/' ? "the value at" : "the whole", p->name, p->loc);
	uint32_t level = r->level;
	p->is_open = true, r->depth++;
	if (r->s->o->space == SCHEMA_SPACE_INDENTED) r->level = p->level + 1;
	bool ok = build_parts(r, p);
	p->is_open = false, p->is_built = true, r->depth--, r->level = level;
	return ok;
}
