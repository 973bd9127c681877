// Arrays: conditions on items to an automaton, and that to productions.
//
// In:  a formula that must hold, formulas that have to be told apart. Out: productions of the arrays.
// A state is what is left of the formulas after the items so far, how many there were (as far as it matters), how
// many of them were in each schema that is counted, and, for uniqueItems, which values of a finite set there were.
//     L(q'): Y(q) value        Y(q): "[" or L(q) ","
// Cost: states x truths of an item; states: the largest bound, times the counts, times the sets of values.
#include "../base/sort.h"
#include "keywords.h"

struct state {
	uint32_t at;
	const uint32_t *key;  // counts, seen (two words), then the diagrams
	symbol list, next;
};

// Where it is told: certainly some item leads from one state to the other.
struct edge {
	uint32_t from, to;
};

struct machine {
	struct schema *s;
	const struct wanted *w;
	struct bdds b;
	uint32_t most;           // items beyond it are alike
	u32_list counted;        // atoms
	u32_list most_of;        // of each
	u32_list values;         // atoms of the values that are unique
	u32_list unique;         // variables, one for each place that says it: they are one condition
	bool is_finite, is_few;  // few: a list of values that the parser remembers
	bool is_compared;        // items, at run time
	bool is_told;            // by the matcher, when the array ends: whether items are equal
	const char *undecided;   // what to say where alternatives allow equal items; NULL
	const char *uncounted;   // where an order of keys is in the way; NULL
	word_list shape;         // of these, where they are not endless
	atom spelled;            // they are, too: shapes.c
	uint32_t order;          // of their keys; 0: as the option says
	struct intern state_names;
	VEC(struct state) states;
	u32_list queue;
	symbol open, close, comma;
	symbol close_equal;  // where it is told: behind equal items
	VEC(struct edge) edges;
};

#define ITEMS_MANY 24u  // items that are alike: from here on they are counted in digits

#define WORDS(m) ((m)->counted.n + 2 + 1 + (m)->w->n_split)
#define LEFT(m, key) ((key) + (m)->counted.n + 2)

static struct prim prim_at(const struct machine *m, uint32_t var) { return m->b.prim.at[var]; }

static uint32_t state_number(struct machine *m, uint32_t at, const uint32_t *key)
{
	uint32_t n = WORDS(m), *whole = mem_alloc((n + 1) * sizeof *whole);
	whole[0] = at;
	memcpy(whole + 1, key, n * sizeof *whole);
	bool is_new;
	uint32_t q = intern_add(&m->state_names, whole, (n + 1) * sizeof *whole, &is_new);
	free(whole);
	if (is_new) {
		if (q >= SCHEMA_MAX_STATES) work_too_large("SCHEMA_MAX_STATES", SCHEMA_MAX_STATES);
		const uint32_t *kept = intern_get(&m->state_names, q, NULL);
		vec_push(&m->states, ((struct state){.at = at, .key = kept + 1}));
	}
	return q;
}

static symbol new_symbol(struct machine *m) { return rules_inner(m->s->rules, m->w->name, m->w->loc); }

static symbol next_symbol(struct machine *m, uint32_t q)
{
	if (!m->states.at[q].next) {
		m->states.at[q].next = new_symbol(m);
		vec_push(&m->queue, q);
	}
	return m->states.at[q].next;
}

static void restrict_all(struct machine *m, bdd *left, uint32_t var, bool value)
{
	left_restrict(&m->b, m->w, left, var, value);
}

static uint32_t counter_of(const struct machine *m, atom a)
{
	uint32_t i = 0;
	while (i < m->counted.n && m->counted.at[i] != a) i++;
	return i;
}

static bool prim_at_end(const void *user, struct prim p)
{
	const struct state *q = user;
	return p.kind == PRIM_ITEMS || p.kind == PRIM_UNIQUE || (p.kind == PRIM_LENGTH && q->at >= p.a);
}

static bool truth_at_end(const struct machine *m, const struct state *q, truth *out)
{
	return left_truth(&m->b, m->w, LEFT(m, q->key), prim_at_end, q, out);
}

static bool prim_at_equal_end(const void *user, struct prim p) { return p.kind != PRIM_UNIQUE && prim_at_end(user, p); }

// The same where two items are equal.
static bool truth_at_equal_end(const struct machine *m, const struct state *q, truth *out)
{
	return left_truth(&m->b, m->w, LEFT(m, q->key), prim_at_equal_end, q, out);
}

// Where the keyword stands of which these items are.
static const struct json *unique_place(const struct machine *m)
{
	const struct schema *s = m->s;
	const uint32_t number = prim_at(m, m->unique.at[m->unique.n - 1]).a;
	for (uint32_t k = 0; k < s->atoms.n; k++) {
		const struct json *node = s->atoms.at[k]->kind == ATOM_KIND_NODE ? s->atoms.at[k]->node : NULL;
		const struct json *found = node ? json_get(node, "uniqueItems") : NULL;
		if (found && found->number == number) return found;
	}
	return NULL;
}

static bdd *copy_left(const struct machine *m, const bdd *left)
{
	const size_t n = 1 + (size_t)m->w->n_split;
	return memcpy(mem_alloc(n * sizeof *left), left, n * sizeof *left);
}

static void restrict_unique(struct machine *m, bdd *left, bool value)
{
	for (uint32_t i = 0; i < m->unique.n; i++) restrict_all(m, left, m->unique.at[i], value);
}

static bool depends_on_unique(struct machine *m, const bdd *left)
{
	bool depends = false;
	for (uint32_t i = 0; i < m->unique.n && !depends; i++) depends = left_depends(&m->b, m->w, left, m->unique.at[i]);
	return depends;
}

// May items be equal, as some alternative says nothing of it?
static bool may_be_equal(struct machine *m, const bdd *left)
{
	bdd equal = left[0];
	for (uint32_t i = 0; i < m->unique.n; i++) equal = bdd_restrict(&m->b, equal, m->unique.at[i], false);
	return equal;
}

#define UNCOUNTED                                                                                                      \
	"uniqueItems: it cannot be told how many values are left for an item. Compared are strings by length or pattern, " \
	"numbers, true, false, null, lists (enum) of these, objects that may have other keys, closed ones of such values " \
	"in --order schema or auto, arrays without maxItems, and at most 10 arrays that prefixItems lists; with --space "  \
	"indented strings and numbers only. contains may not stand beside. maxItems 1 makes it needless"

// False: an error.
static bool refuse_unique(struct machine *m, const char *why)
{
	return schema_unenforced(m->s, unique_place(m), "uniqueItems", NULL, why);
}

// Nothing says whether the next item is new.
static bool give_up_unique(struct machine *m, bdd *left)
{
	if (!refuse_unique(m, m->undecided ? m->undecided : m->uncounted ? m->uncounted : UNCOUNTED)) return false;
	restrict_unique(m, left, true);
	return true;
}

// The items at one place: those of a state that may come next.
struct items {
	uint32_t at;
	u32_list vars;  // that what is left depends on
	struct entry entry;
	bool is_unique;
	uint32_t first_value;  // of entry.split: values that are told apart, as they may come once
};

// What the conditions on this place say of the item. False: nothing may stand here.
static bool sort_atoms(struct machine *m, struct items *x, bdd *left)
{
	bdd_support(&m->b, left, 1 + m->w->n_split, &x->vars);
	for (uint32_t i = 0; i < x->vars.n; i++) {
		const uint32_t var = x->vars.at[i];
		const struct prim p = prim_at(m, var);
		const bool is_items = p.kind == PRIM_ITEMS;
		if (is_items ? x->at < p.a || x->at >= p.b : p.kind != PRIM_CONTAINS) continue;
		const atom a = is_items ? p.c : p.b;
		if (is_items && a == ATOM_FALSE) {
			restrict_all(m, left, var, false);
			if (!left[0]) return false;
		} else if (a != ATOM_TRUE && a != ATOM_FALSE) {  // else counted without a look
			entry_atom(&x->entry, a, is_items && bdd_refuted(&m->b, left[0], var, false));
		}
	}
	if (m->is_compared && m->spelled != ATOM_TRUE) entry_atom(&x->entry, m->spelled, true);
	// Only such objects are counted, with --order auto, too.
	x->entry.order = m->is_compared ? m->order : 0;
	entry_settle(&x->entry);
	return true;
}

// Where items must be unique, their values are told apart, if they are few; else nothing says so. False: an error.
static bool tell_values_apart(struct machine *m, struct items *x, bdd *left)
{
	struct entry *e = &x->entry;
	if (!m->is_finite) m->values.n = 0;
	for (uint32_t i = 0; i < e->must.n && !m->is_finite; i++)
		m->is_finite = listed_atoms(m->s, e->must.at[i], &m->values);
	bool few = m->is_finite && m->values.n <= SCHEMA_MAX_UNIQUE;
	x->first_value = e->split.n;
	for (uint32_t i = 0; few && i < m->values.n; i++) vec_push(&e->split, m->values.at[i]);
	e->is_exact = few;
	if (few && !entry_truths(m->s, e)) return false;
	for (uint32_t i = 0; few && i < e->truths.n; i++)
		few = truth_from(m->s, e->truths.at[i], x->first_value) != 0;  // all are listed
	x->is_unique = few;
	if (few) return true;
	e->split.n = x->first_value;
	return x->at < 1 || give_up_unique(m, left);  // a second item may come
}

// The values of items at this place, if schemas that must hold say them. False: others tell items apart.
static bool values_of_items(struct machine *m, uint32_t at, const bdd *left, struct value *all, bool *may_come)
{
	struct items x = {.at = at};
	bdd *copy = copy_left(m, left);
	bool ok = true;
	*all = value_any();
	if ((*may_come = sort_atoms(m, &x, copy))) {
		sort_u32(x.entry.must.at, x.entry.must.n);  // as the order of keys is found (places.c)
		for (uint32_t i = 0; i < x.entry.must.n && ok; i++) {
			const struct value *one = atom_value(m->s, x.entry.must.at[i]);
			if ((ok = one)) *all = value_and(m->s, *all, *one);
		}
		ok = ok && !x.entry.split.n;
	}
	entry_release(&x.entry), vec_release(&x.vars), free(copy);
	return ok;
}

// Where brackets stand on lines of their own, the line's end tells of one before it comes.
static bool are_told(const struct machine *m, const struct value *all)
{
	return (all->array == FORMULA_FALSE && all->object == FORMULA_FALSE) || m->s->o->space != SCHEMA_SPACE_INDENTED;
}

// What is left behind an item with this truth: of conditions on places here, on counts below. False: it may not come.
static bool restrict_by_item(struct machine *m, const struct items *x, truth t, uint32_t *key)
{
	bdd *left = LEFT(m, key);
	u32_list fail = {0}, hold = {0};
	for (uint32_t i = 0; i < x->vars.n; i++) {
		const uint32_t var = x->vars.at[i];
		const struct prim p = prim_at(m, var);
		const bool is_items = p.kind == PRIM_ITEMS, is_here = is_items && x->at >= p.a && x->at < p.b;
		const bool is_over = is_items && p.b != UINT32_MAX && x->at + 1 >= p.b;
		if (is_here && !entry_is_in(m->s, &x->entry, p.c, t))
			vec_push(&fail, var);
		else if (is_over || (p.kind == PRIM_LENGTH && x->at + 1 >= p.a))
			vec_push(&hold, var);
	}
	bdds_restrict(&m->b, left, 1 + m->w->n_split, fail.at, fail.n, false);
	bdds_restrict(&m->b, left, 1 + m->w->n_split, hold.at, hold.n, true);
	vec_release(&fail), vec_release(&hold);
	return left[0];
}

static bool is_none_but_simple(const struct value *v)
{
	return !v->strings.of && !v->numbers && v->array == FORMULA_FALSE && v->object == FORMULA_FALSE;
}

// The values of items with this truth. False: after an error.
static bool value_of_truth(struct machine *m, const struct entry *e, truth t, struct value *all)
{
	*all = value_any();
	for (uint32_t i = 0; i < e->must.n + e->split.n; i++) {
		const bool is_split = i >= e->must.n;
		const uint32_t k = is_split ? i - e->must.n : i;
		const struct value *one = atom_value(m->s, is_split ? e->split.at[k] : e->must.at[k]);
		if (!one) return false;
		*all = value_and(m->s, *all, !is_split || truth_has(m->s, t, k) ? *one : value_not(m->s, *one));
	}
	return true;
}

// Are items of these kinds, behind this key, always still one of infinitely many values, true, false and null aside?
// Then one can become unlike any others. All kinds that may come are looked at together, or each has to be so: where it
// is not known which truths are asked for, and so which kinds of items.
static bool are_endless(struct machine *m, const struct items *x, const uint32_t *key)
{
	uint32_t *behind = mem_alloc(WORDS(m) * sizeof *behind);
	struct value any = value_none(), one;
	const bool all_may_come = !m->w->n_split || m->w->is_asked_only;
	bool ok = true, each = true, some = false;
	for (uint32_t i = 0; i < x->entry.truths.n && ok; i++) {
		const truth t = x->entry.truths.at[i];
		memcpy(behind, key, WORDS(m) * sizeof *behind);
		if (!restrict_by_item(m, x, t, behind)) continue;
		some = true;
		ok = value_of_truth(m, &x->entry, t, &one);
		if (!ok) continue;
		if (is_none_but_simple(&one)) {
			each = each && all_may_come;
			continue;
		}
		any = value_or(m->s, any, one);
		each = each && value_is_endless(m->s, &one);
	}
	free(behind);
	if (!some) return true;  // none may come
	if (!ok || is_none_but_simple(&any) || !are_told(m, &any)) return false;
	return each || (all_may_come && value_is_endless(m->s, &any));
}

// Is an item at this place, if any may come, endless?
static bool is_comparable(struct machine *m, uint32_t at, const bdd *left)
{
	struct items x = {.at = at};
	uint32_t *key = mem_calloc(WORDS(m), sizeof *key);
	memcpy(LEFT(m, key), left, (1 + (size_t)m->w->n_split) * sizeof *left);
	const bool may_come = sort_atoms(m, &x, LEFT(m, key));
	const bool is = !may_come || (entry_truths(m->s, &x.entry) && are_endless(m, &x, key));
	entry_release(&x.entry), vec_release(&x.vars), free(key);
	return is;
}

// Are there few enough of them for the parser's states?
static bool are_few(struct machine *m, const bdd *left)
{
	struct items x = {.at = 1};
	bdd *copy = copy_left(m, left);
	bool are = false;
	m->values.n = 0;
	if (sort_atoms(m, &x, copy))
		for (uint32_t i = 0; i < x.entry.must.n && !are; i++) are = listed_atoms(m->s, x.entry.must.at[i], &m->values);
	are = are && m->values.n <= SCHEMA_MAX_UNIQUE;
	m->values.n = 0;
	entry_release(&x.entry), vec_release(&x.vars), free(copy);
	return are;
}

// Another order of the items' keys may do.
static void say_what_order(struct machine *m, const struct value *all)
{
	const uint32_t key = shape_wants_last(m->s, all);
	uint32_t len;
	if (key == UINT32_MAX) return;
	const char *name = intern_get(&m->s->keys, key, &len);
	m->uncounted =
		arena_printf(m->s->arena,
	                 "uniqueItems: with an item's keys in the schema's order it cannot be told how many values "
	                 "are left for it, with \"%.*s\" behind all others it can: --order auto puts it there",
	                 (int)len, name);
}

// Can the values that are left be counted? All places are alike, and more items are asked for nowhere than there are.
static bool is_countable(struct machine *m, const bdd *left)
{
	struct value all;
	bool may_come;
	if (are_few(m, left) || !values_of_items(m, 1, left, &all, &may_come) || !may_come || !are_told(m, &all))
		return false;
	const uint64_t n = shape_of(m->s, &all, &m->shape, &m->spelled, &m->order);
	bool ok = n;
	for (uint32_t var = 0; var < m->b.prims.n && ok; var++) {
		const struct prim p = prim_at(m, var);
		if (p.kind == PRIM_ITEMS) ok = p.c == ATOM_FALSE || (!p.a && p.b == UINT32_MAX);
		if (p.kind == PRIM_LENGTH) ok = p.a <= n || !bdd_restrict(&m->b, left[0], var, true);
	}
	if (!ok) m->shape.n = 0, m->spelled = ATOM_TRUE, m->order = 0;
	if (!n) say_what_order(m, &all);
	return ok;
}

// Must its items differ, and can they be compared at run time? A second item may come; where conditions on items begin
// or end, places are looked at. Who lets the keyword stay unenforced wants none of what this costs: no budgets, no
// canonical modes. left: what is left where they differ.
// Branches: one for each way in which conditions on items are no plain list of strings.
static bool compares_items(struct machine *m, const bdd *left)
{
	if (schema_may_drop(m->s, "uniqueItems") || !left[0]) return false;
	const bool is_endless = is_comparable(m, 1, left);
	if (!is_endless && !is_countable(m, left)) return false;
	for (uint32_t var = 0; var < m->b.prims.n; var++) {
		const struct prim p = prim_at(m, var);
		if (p.kind == PRIM_CONTAINS) return false;
		if (p.kind == PRIM_LENGTH && p.a <= 2 && !bdd_restrict(&m->b, left[0], var, true)) return false;
		if (p.kind == PRIM_ITEMS && p.c == ATOM_FALSE && p.a <= 1) return false;
		if (is_endless && p.kind == PRIM_ITEMS && p.a > 1 && !is_comparable(m, p.a, left)) return false;
		if (is_endless && p.kind == PRIM_ITEMS && p.b > 1 && p.b != UINT32_MAX && !is_comparable(m, p.b, left))
			return false;
	}
	return true;
}

static bool count_item(struct machine *m, const struct items *x, truth t, uint32_t *key)
{
	bdd *left = LEFT(m, key);
	for (uint32_t c = 0; c < m->counted.n && left[0]; c++) {
		const atom a = m->counted.at[c];
		const bool is_in = a == ATOM_TRUE || entry_is_in(m->s, &x->entry, a, t) == 1;
		if (is_in && key[c] < m->most_of.at[c]) key[c]++;
		for (uint32_t i = 0; i < x->vars.n; i++) {
			const struct prim p = prim_at(m, x->vars.at[i]);
			if (p.kind == PRIM_CONTAINS && p.b == a && key[c] >= p.a) restrict_all(m, left, x->vars.at[i], true);
		}
	}
	return left[0];
}

// Its value is one that was not there yet. What nothing asks for any more is forgotten.
static bool note_value(struct machine *m, const struct items *x, truth t, uint32_t *key)
{
	bdd *left = LEFT(m, key);
	uint32_t *seen = &key[m->counted.n];
	const uint32_t now = x->is_unique ? truth_from(m->s, t, x->first_value) : 0;
	if (*seen & now) restrict_unique(m, left, false);
	*seen |= now;
	if (left[0] && m->unique.n && !depends_on_unique(m, left)) *seen = 0;
	return left[0];
}

// L(to): rhs; where L(to) is new, what may follow it.
static void add_items_to(struct machine *m, const symbol *rhs, uint32_t n, uint32_t to)
{
	struct rules *r = m->s->rules;
	const bool is_new = !m->states.at[to].list;
	if (is_new) m->states.at[to].list = new_symbol(m);
	const symbol list = m->states.at[to].list;
	const symbol whole[] = {list, m->close}, more[] = {list, m->comma};
	truth end;
	rules_add(r, list, rhs, n);
	if (!is_new) return;
	if (truth_at_end(m, &m->states.at[to], &end)) rules_add(r, m->w->result(m->w->user, end), whole, 2);
	rules_add(r, next_symbol(m, to), more, 2);
	if (!m->is_told || !truth_at_equal_end(m, &m->states.at[to], &end)) return;
	const symbol equal[] = {list, m->close_equal};
	rules_add(r, m->w->result(m->w->user, end), equal, 2);
}

// How many items behind this place are alike, if they leave what is left as it is: no condition begins or ends there.
static uint32_t n_alike(const struct machine *m, const struct items *x)
{
	uint32_t bound = UINT32_MAX;
	for (uint32_t i = 0; i < x->vars.n; i++) {
		const struct prim p = prim_at(m, x->vars.at[i]);
		const bool ends = p.kind == PRIM_ITEMS && p.b != UINT32_MAX;
		if (p.kind != PRIM_ITEMS && p.kind != PRIM_LENGTH) continue;
		if (p.a > x->at && p.a < bound) bound = p.a;
		if (ends && p.b > x->at && p.b < bound) bound = p.b;
	}
	return bound == UINT32_MAX ? 0 : bound - 1 - x->at;
}

static symbol closing(struct repeats *x, uint64_t least, uint64_t most)
{
	(void)least, (void)most;  // all is counted
	return x->tail_symbol;
}

// Items as alike as these: counted in digits, not by a state each.
//     result: Y(q) value rest "]"      L(q + n): Y(q) value n - 1 of ("," value)
static void add_alike(struct machine *m, uint32_t q, symbol value, uint32_t n)
{
	struct rules *r = m->s->rules;
	const symbol more[] = {m->comma, value}, unit = new_symbol(m), from = m->states.at[q].next;
	const struct state inside = {.at = m->states.at[q].at + 1, .key = m->states.at[q].key};
	struct repeats x;
	symbol_list rhs = {0};
	truth end;
	rules_add(r, unit, more, 2);
	repeats_init(&x, m->s, unit, 1);
	x.name = "items", x.tail = closing, x.tail_symbol = m->close;
	if (truth_at_end(m, &inside, &end)) {
		const symbol whole[] = {from, value, repeats_between(&x, 0, n - 2)};
		rules_add(r, m->w->result(m->w->user, end), whole, 3);
	}
	vec_push(&rhs, from), vec_push(&rhs, value);
	repeats_exactly(&x, n - 1, &rhs);
	add_items_to(m, rhs.at, rhs.n, state_number(m, inside.at + n - 1, inside.key));
	vec_release(&rhs);
	repeats_release(&x);
}

// The key behind an item with this truth. False: it may not come.
static bool key_behind(struct machine *m, const struct items *x, truth t, const uint32_t *base, uint32_t *key)
{
	memcpy(key, base, WORDS(m) * sizeof *key);
	return restrict_by_item(m, x, t, key) && count_item(m, x, t, key) && note_value(m, x, t, key);
}

// Does any item that may come leave what is left as it is?
static bool items_change_nothing(struct machine *m, const struct items *x, uint32_t q, uint32_t *base, uint32_t *key)
{
	const uint32_t bytes = WORDS(m) * (uint32_t)sizeof *key;
	bool same = !memcmp(base, m->states.at[q].key, bytes);
	for (uint32_t t = 0; t < x->entry.truths.n && same; t++)
		same = !key_behind(m, x, x->entry.truths.at[t], base, key) || !memcmp(key, base, bytes);
	return same;
}

// One item with this truth. False: an error.
static bool add_item(struct machine *m, uint32_t q, const struct items *x, truth t, symbol value, const uint32_t *key)
{
	const uint32_t to = state_number(m, x->at < m->most ? x->at + 1 : x->at, key);
	struct value all;
	add_items_to(m, (symbol[]){m->states.at[q].next, value}, 2, to);
	if (!m->is_told) return true;
	if (!value_of_truth(m, &x->entry, t, &all)) return false;
	if (value_is_inhabited(m->s, &all)) vec_push(&m->edges, ((struct edge){q, to}));
	return true;
}

// The values of items with these truths, one behind state q or (any: their symbol) as many as are alike.
static bool put_items(struct machine *m, uint32_t q, const struct items *x, const u32_list *asked, symbol any,
                      uint32_t *base)
{
	uint32_t *key = base + WORDS(m);
	struct place place = entry_place(&x->entry);
	symbol_list values = {0};
	bool ok = true;
	place.asked = asked;
	for (uint32_t i = 0; i < asked->n && ok; i++) {
		const symbol value = place_symbol(m->s, &place, asked->at[i]);
		ok = value != NO_SYMBOL && key_behind(m, x, asked->at[i], base, key);
		vec_push(&values, value);
		if (ok && any) rules_add(m->s->rules, any, &value, 1);
		if (ok && !any) ok = add_item(m, q, x, asked->at[i], value, key);
	}
	if (ok && !any) told_apart_note(m->s, &place, m->states.at[q].next, values.at, values.n);
	vec_release(&values);
	return ok;
}

// Items behind state q, which have been sorted: one, or as many as are alike.
static bool add_sorted(struct machine *m, uint32_t q, const struct items *x, uint32_t *base)
{
	uint32_t *key = base + WORDS(m);
	uint32_t n = m->is_told ? 1 : n_alike(m, x);
	if (n < ITEMS_MANY || !items_change_nothing(m, x, q, base, key)) n = 1;
	const symbol any = n > 1 ? new_symbol(m) : 0;
	u32_list asked = {0};
	for (uint32_t t = 0; t < x->entry.truths.n; t++)
		if (key_behind(m, x, x->entry.truths.at[t], base, key)) vec_push(&asked, x->entry.truths.at[t]);
	const bool ok = put_items(m, q, x, &asked, any, base);
	if (ok && any && asked.n) add_alike(m, q, any, n);
	vec_release(&asked);
	return ok;
}

// Items behind state q.
static bool add_items(struct machine *m, uint32_t q)
{
	const uint32_t n = WORDS(m);
	struct items x = {.at = m->states.at[q].at};
	uint32_t *base = mem_alloc(2 * n * sizeof *base);  // and room for a key
	memcpy(base, m->states.at[q].key, n * sizeof *base);
	bdd *left = LEFT(m, base);
	bool ok = true, may_come = sort_atoms(m, &x, left);
	if (may_come && !m->is_told && depends_on_unique(m, left)) ok = tell_values_apart(m, &x, left);
	ok = ok && (!may_come || entry_truths(m->s, &x.entry));
	// Earlier items may have left few kinds of those that may come here.
	if (may_come && ok && x.at && m->is_compared && !m->shape.n && !are_endless(m, &x, base))
		ok = refuse_unique(m, UNCOUNTED);
	if (may_come && ok) ok = add_sorted(m, q, &x, base);
	free(base);
	entry_release(&x.entry);
	vec_release(&x.vars);
	return ok;
}

// Items by place first, then counts: so a list of items is a chain.
static uint64_t rank_of(struct prim p)
{
	switch (p.kind) {
	case PRIM_ITEMS: return p.b == UINT32_MAX ? 0 : 2 + 2 * (uint64_t)p.a;
	case PRIM_LENGTH: return 3 + 2 * (uint64_t)p.a;
	case PRIM_UNIQUE: return 1;
	default: return UINT64_MAX;
	}
}

static void count_in(struct machine *m, atom a, uint32_t most)
{
	uint32_t c = counter_of(m, a);
	if (c == m->counted.n) vec_push(&m->counted, a), vec_push(&m->most_of, 0);
	if (most > m->most_of.at[c]) m->most_of.at[c] = most;
}

static void prepare(struct machine *m)
{
	struct schema *s = m->s;
	u32_list prims = {0};
	ranked_list ranked = {0};
	wanted_prims(s, m->w, &prims);
	for (uint32_t i = 0; i < prims.n; i++)
		vec_push(&ranked, ((struct ranked){rank_of(prim_of(s, prims.at[i])), prims.at[i]}));
	bdds_number(&m->b, &ranked);
	for (uint32_t var = 0; var < ranked.n; var++) {
		struct prim p = prim_at(m, var);
		uint32_t bound = 0;
		if (p.kind == PRIM_ITEMS) bound = p.b == UINT32_MAX ? p.a : p.b;
		if (p.kind == PRIM_LENGTH) bound = p.a;
		if (p.kind == PRIM_UNIQUE) bound = 1, vec_push(&m->unique, var);
		if (p.kind == PRIM_CONTAINS) count_in(m, p.b, p.a);
		if (bound > m->most) m->most = bound;
	}
	vec_release(&prims), vec_release(&ranked);
}

// What some alternative allows is left out.
static void warn_everywhere(const struct machine *m)
{
	const struct json *place = unique_place(m);
	schema_warning(m->s, place ? place->loc : (struct loc){0},
	               "%s: another alternative allows equal items; with --unique everywhere none does [schema-unique]",
	               place ? json_pointer(place, m->s->arena) : "uniqueItems");
}

// Items differ at run time, if that can be seen there: the parser asks for nothing more.
static void compare_items(struct machine *m, bdd *left)
{
	const bool may_equal = may_be_equal(m, left);
	bdd *differ = copy_left(m, left);
	restrict_unique(m, differ, true);
	const bool can = compares_items(m, differ);
	if (can && (!may_equal || m->s->o->unique_everywhere)) {
		if (may_equal) warn_everywhere(m);
		memcpy(left, differ, (1 + (size_t)m->w->n_split) * sizeof *left);
		m->open = rules_unique_bracket(m->s->rules, m->shape.at, m->shape.n), m->is_compared = true;
	} else if (may_equal && !(differ[0] && m->s->o->unique_everywhere)) {
		// There a bracket is part of longer ones: inside the array they would be taken for it.
		m->is_told = !m->s->o->unique_everywhere && m->s->o->space != SCHEMA_SPACE_INDENTED;
		m->undecided = can ? UNIQUE_UNDECIDED "; --unique everywhere asks it of all" : UNIQUE_UNDECIDED;
	}
	m->is_few = !can && are_few(m, differ);
	m->is_told = m->is_told && !m->is_few && !schema_may_drop(m->s, "uniqueItems");
	free(differ);
}

static void machine_release(struct machine *m)
{
	vec_release(&m->counted), vec_release(&m->most_of), vec_release(&m->values), vec_release(&m->unique),
		vec_release(&m->shape), vec_release(&m->states), vec_release(&m->queue), vec_release(&m->edges);
	intern_release(&m->state_names);
	bdds_release(&m->b);
}

// ---- Told by the matcher: it reads the bracket that closes the array as close_equal where two items are equal. So
// whether a text can be completed must not depend on that before: from each state, with equal items and without, an
// end is found whatever the items to come are. False: it does.
static bool ends_anyhow(struct machine *m)
{
	enum { DIFFER = 1, EQUAL = 2 };
	const uint32_t n = m->states.n;
	uint8_t *ends = mem_calloc((size_t)n + 1, 1);
	truth t;
	for (uint32_t q = 0; q < n; q++)
		ends[q] = (uint8_t)(truth_at_end(m, &m->states.at[q], &t) * DIFFER |
		                    (m->states.at[q].at && truth_at_equal_end(m, &m->states.at[q], &t)) * EQUAL);
	for (bool changes = true; changes;) {
		changes = false;
		for (uint32_t i = m->edges.n; i--;) {
			const struct edge e = m->edges.at[i];
			const uint8_t more = ends[e.to] == (DIFFER | EQUAL) ? DIFFER | EQUAL : ends[e.to] & EQUAL;
			changes |= (more & ~ends[e.from]) != 0, ends[e.from] |= more;
		}
	}
	bool are = true;
	for (uint32_t q = 0; q < n && are; q++) {
		const uint32_t at = m->states.at[q].at;
		are = at > 1 || (at && m->most == 1) ? ends[q] == (DIFFER | EQUAL) : ends[q] & DIFFER;
	}
	free(ends);
	return are;
}

static bool build(struct machine *m, uint32_t *key)
{
	struct schema *s = m->s;
	const struct wanted *w = m->w;
	if (LEFT(m, key)[0]) {
		uint32_t q = state_number(m, 0, key);
		truth t;
		rules_add(s->rules, next_symbol(m, q), &m->open, 1);
		if (truth_at_end(m, &m->states.at[q], &t)) {
			const symbol empty[] = {m->open, m->close};
			if ((m->is_compared || m->is_told) && s->o->space != SCHEMA_SPACE_INDENTED)
				rules_add(s->rules, w->result(w->user, t), empty, 2);
			else
				rules_add_empty(s->rules, w->result(w->user, t), false);
		}
	}
	bool ok = true;
	for (uint32_t i = 0; ok && i < m->queue.n; i++) ok = add_items(m, m->queue.at[i]);
	if (ok && m->is_told && !ends_anyhow(m)) ok = told_apart_refuse(m->s, unique_place(m), m->undecided);
	return ok;
}

bool arrays_build(struct schema *s, const struct wanted *w)
{
	struct machine m = {.s = s, .w = w};
	bdds_init(&m.b, s);
	prepare(&m);
	m.open = rules_sign(s->rules, '['), m.close = rules_sign(s->rules, ']'), m.comma = rules_sign(s->rules, ',');
	uint32_t *key = mem_calloc(WORDS(&m), sizeof *key);
	left_begin(&m.b, w, LEFT(&m, key));
	if (m.unique.n) compare_items(&m, LEFT(&m, key));
	// Where items cannot be compared, those of all that is asked for may be.
	const bool less = m.unique.n && !m.is_compared && !m.is_few && w->n_split && w->asked && w->asked->n &&
	                  !w->is_asked_only && !schema_may_drop(s, "uniqueItems");
	struct wanted asked = *w;
	if (!less && m.is_told) {
		m.open = rules_told_bracket(s->rules), m.close_equal = rules_equal_bracket(s->rules);
		w->told(w->user, unique_place(&m));
	}
	if (less) asked.is_asked_only = true, asked.must = wanted_asked(s, w), w->left_out(w->user, unique_place(&m));
	const bool ok = less ? arrays_build(s, &asked) : build(&m, key);
	free(key);
	machine_release(&m);
	return ok;
}
