// Arrays: conditions on items to an automaton, and that to productions.
//
// In:  a formula that must hold, formulas that have to be told apart. Out: productions of the arrays.
// A state is what is left of the formulas after the items so far, how many there were (as far as it matters), how
// many of them were in each schema that is counted, and, for uniqueItems, which values of a finite set there were.
//     L(q'): Y(q) value        Y(q): "[" or L(q) ","
// Cost: states x truths of an item; states: the largest bound, times the counts, times the sets of values.
#include "internal.h"

struct state {
	uint32_t at;
	const uint32_t *key;  // counts, seen (two words), then the diagrams
	symbol list, next;
};

struct machine {
	struct schema *s;
	const struct wanted *w;
	struct bdds b;
	uint32_t most;     // items beyond it are alike
	u32_list counted;  // atoms
	u32_list most_of;  // of each
	u32_list values;   // atoms of the values that are unique
	uint32_t unique;   // variable, or UINT32_MAX
	bool is_finite;
	struct intern state_names;
	VEC(struct state) states;
	u32_list queue;
	symbol open, close, comma;
};

#define WORDS(m) ((m)->counted.n + 2 + 1 + (m)->w->n_split)
#define LEFT(m, key) ((key) + (m)->counted.n + 2)

static struct prim prim_at(const struct machine *m, uint32_t var) { return prim_of(m->s, m->b.prims.at[var]); }

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
	for (uint32_t i = 0; i < 1 + m->w->n_split; i++) left[i] = bdd_restrict(&m->b, left[i], var, value);
}

static bool depends(struct machine *m, const bdd *left, uint32_t var)
{
	for (uint32_t i = 0; i < 1 + m->w->n_split; i++)
		if (bdd_restrict(&m->b, left[i], var, false) != bdd_restrict(&m->b, left[i], var, true)) return true;
	return false;
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

static bool truth_at_end(const struct machine *m, const struct state *q, uint64_t *truth)
{
	*truth = 0;
	for (uint32_t i = 0; i < 1 + m->w->n_split; i++) {
		bool f = bdd_value(&m->b, LEFT(m, q->key)[i], prim_at_end, q);
		if (!i && !f) return false;
		if (i && f) *truth |= (uint64_t)1 << (i - 1);
	}
	return true;
}

// The values of items that a schema lists, as atoms; false: they are not listed.
// Branches: a schema lists its values by const, by enum, by a type, or not at all.
static bool list_values(struct machine *m, atom a, u32_list *out)
{
	struct schema *s = m->s;
	const struct atom_info *i = s->atoms.at[a];
	if (i->kind == ATOM_KIND_CONST) {
		vec_push(out, a);
		return true;
	}
	if (i->kind != ATOM_KIND_NODE || i->node->kind != JSON_OBJECT) return false;
	const struct json *list = json_get(i->node, "enum"), *type = json_get(i->node, "type");
	struct json *one = json_get(i->node, "const");
	if (one) {
		vec_push(out, atom_const(s, one));
		return true;
	}
	bool simple = json_is(type, "boolean") || json_is(type, "null");
	static const enum json_kind kinds[] = {JSON_TRUE, JSON_FALSE, JSON_NULL};
	for (uint32_t k = 0; simple && k < 3; k++) {
		if ((kinds[k] == JSON_NULL) != json_is(type, "null")) continue;
		struct json *v = arena_alloc(s->arena, sizeof *v);
		v->kind = kinds[k], v->number = SCHEMA_MAX_VALUES + k;
		vec_push(out, atom_const(s, v));
	}
	if (simple) return true;
	if (!list || list->kind != JSON_ARRAY) return false;
	for (uint32_t k = 0; k < list->n; k++) {
		bool known = false;
		for (uint32_t j = 0; j < k && !known; j++) known = json_equal(list->items[j], list->items[k]);
		if (!known) vec_push(out, atom_const(s, list->items[k]));
	}
	return true;
}

// Nothing says whether the next item is new.
static bool give_up_unique(struct machine *m, bdd *left)
{
	struct schema *s = m->s;
	const struct json *place = NULL;
	uint32_t number = prim_at(m, m->unique).a;
	for (uint32_t k = 0; k < s->atoms.n && !place; k++) {
		const struct json *node = s->atoms.at[k]->kind == ATOM_KIND_NODE ? s->atoms.at[k]->node : NULL;
		const struct json *found = node ? json_get(node, "uniqueItems") : NULL;
		if (found && found->number == number) place = found;
	}
	const char *why = m->is_finite ? "uniqueItems: the items have more than SCHEMA_MAX_UNIQUE (10) different values"
	                               : "uniqueItems: the items are not from a short list of values (enum, const, "
	                                 "boolean), and no grammar compares texts of any length; maxItems 1 makes it "
	                                 "needless";
	if (!schema_unenforced(s, place, "uniqueItems", NULL, why)) return false;
	restrict_all(m, left, m->unique, true);
	return true;
}

// Items behind state q.
static bool add_items(struct machine *m, uint32_t q)
{
	struct schema *s = m->s;
	uint32_t at = m->states.at[q].at, n = WORDS(m), i;
	symbol from = m->states.at[q].next;
	uint32_t *base = mem_alloc(2 * n * sizeof *base), *key = base + n;
	memcpy(base, m->states.at[q].key, n * sizeof *base);
	bdd *left = LEFT(m, base);
	u32_list must = {0}, split = {0}, vars = {0};
	u64_list truths = {0};
	bool ok = true, dead = false;
	bdd_support(&m->b, left, 1 + m->w->n_split, &vars);
	for (i = 0; i < vars.n && !dead; i++) {
		uint32_t var = vars.at[i];
		struct prim p = prim_at(m, var);
		if (p.kind == PRIM_ITEMS && (at < p.a || at >= p.b)) continue;
		if (p.kind != PRIM_ITEMS && p.kind != PRIM_CONTAINS) continue;
		atom a = p.kind == PRIM_ITEMS ? p.c : p.b;
		if (p.kind == PRIM_ITEMS && a == ATOM_FALSE) {
			restrict_all(m, left, var, false);
			dead = !left[0];
			continue;
		}
		if (a == ATOM_TRUE || a == ATOM_FALSE) continue;  // counted without a look
		bool forced = p.kind == PRIM_ITEMS && !bdd_restrict(&m->b, left[0], var, false);
		u32_list *list = forced ? &must : &split;
		bool known = false;
		for (uint32_t k = 0; k < list->n; k++) known |= list->at[k] == a;
		if (!known) vec_push(list, a);
	}
	bool is_unique = m->unique != UINT32_MAX && depends(m, left, m->unique);
	uint32_t first_value = 0;
	for (uint32_t k = 0; k < split.n;) {
		bool known = false;
		for (i = 0; i < must.n; i++) known |= must.at[i] == split.at[k];
		if (known)
			split.at[k] = split.at[--split.n];
		else
			k++;
	}
	if (is_unique && !dead) {
		if (!m->is_finite) {
			m->values.n = 0;
			for (i = 0; i < must.n && !m->is_finite; i++) m->is_finite = list_values(m, must.at[i], &m->values);
		}
		bool few = m->is_finite && m->values.n <= SCHEMA_MAX_UNIQUE;
		first_value = split.n;
		for (i = 0; few && i < m->values.n; i++) vec_push(&split, m->values.at[i]);
		if (few) {
			// Is every item in the list here?
			struct place listed = {must.at, split.at, must.n, split.n};
			ok = place_truths(s, &listed, &truths);
			for (i = 0; i < truths.n; i++) few &= truths.at[i] >> first_value != 0;
			vec_clear(&truths);
			if (!few) split.n = first_value;
		}
		if (!few && at >= 1 && ok) ok = give_up_unique(m, left);  // a second item may come
		is_unique = few;
	}
	struct place place = {must.at, split.at, must.n, split.n};
	if (!dead && ok && split.n)
		ok = place_truths(s, &place, &truths);
	else if (!dead && ok)
		vec_push(&truths, 0);
	for (uint32_t t = 0; t < truths.n && ok; t++) {
		uint64_t truth = truths.at[t];
		memcpy(key, base, n * sizeof *key);
		bdd *then = LEFT(m, key);
		uint32_t to_at = at < m->most ? at + 1 : at;
		for (i = 0; i < vars.n && then[0]; i++) {
			uint32_t var = vars.at[i];
			struct prim p = prim_at(m, var);
			if (p.kind == PRIM_ITEMS) {
				uint32_t k = 0;
				while (k < split.n && split.at[k] != p.c) k++;
				if (at >= p.a && at < p.b && k < split.n && !(truth >> k & 1)) restrict_all(m, then, var, false);
				if (p.b != UINT32_MAX && at + 1 >= p.b) restrict_all(m, then, var, true);
			} else if (p.kind == PRIM_LENGTH) {
				if (at + 1 >= p.a) restrict_all(m, then, var, true);
			}
		}
		for (uint32_t c = 0; c < m->counted.n && then[0]; c++) {
			atom a = m->counted.at[c];
			uint32_t k = 0;
			while (k < split.n && split.at[k] != a) k++;
			bool in = a == ATOM_TRUE;
			if (k < split.n) in = truth >> k & 1;
			for (i = 0; i < must.n; i++) in |= must.at[i] == a;
			if (in && key[c] < m->most_of.at[c]) key[c]++;
			for (i = 0; i < vars.n; i++) {
				struct prim p = prim_at(m, vars.at[i]);
				if (p.kind == PRIM_CONTAINS && p.b == a && key[c] >= p.a) restrict_all(m, then, vars.at[i], true);
			}
		}
		if (is_unique) {
			uint64_t seen = key[m->counted.n], now = truth >> first_value;
			if (seen & now) restrict_all(m, then, m->unique, false);
			key[m->counted.n] |= (uint32_t)now;
		}
		if (!then[0]) continue;
		// What nothing asks for any more is forgotten.
		if (m->unique != UINT32_MAX && !depends(m, then, m->unique)) key[m->counted.n] = 0;
		symbol value = place_symbol(s, &place, truth);
		ok = value != NO_SYMBOL;
		if (!ok) break;
		uint32_t to = state_number(m, to_at, key);
		bool is_new = !m->states.at[to].list;
		if (is_new) m->states.at[to].list = new_symbol(m);
		const symbol list = m->states.at[to].list, rhs[] = {from, value};
		rules_add(s->rules, list, rhs, 2);
		if (is_new) {
			uint64_t end;
			if (truth_at_end(m, &m->states.at[to], &end)) {
				const symbol whole[] = {list, m->close};
				rules_add(s->rules, m->w->result(m->w->user, end), whole, 2);
			}
			const symbol more[] = {list, m->comma};
			rules_add(s->rules, next_symbol(m, to), more, 2);
		}
	}
	free(base);
	vec_release(&must), vec_release(&split), vec_release(&truths), vec_release(&vars);
	return ok;
}

// Items by place first, then counts: so a list of items is a chain.
struct ranked {
	uint64_t rank;
	uint32_t prim;
};
static int by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
	return (x->prim > y->prim) - (x->prim < y->prim);
}

static void prepare(struct machine *m)
{
	struct schema *s = m->s;
	struct map64 seen = {0};
	u32_list prims = {0};
	formula_prims(s, &m->w->must, 1, &seen, &prims);
	formula_prims(s, m->w->split, m->w->n_split, &seen, &prims);
	VEC(struct ranked) ranked = {0};
	for (uint32_t i = 0; i < prims.n; i++) {
		struct prim p = prim_of(s, prims.at[i]);
		uint64_t rank = p.kind == PRIM_ITEMS && p.b == UINT32_MAX ? 0
		                : p.kind == PRIM_ITEMS                    ? 2 + 2 * (uint64_t)p.a
		                : p.kind == PRIM_LENGTH                   ? 3 + 2 * (uint64_t)p.a
		                : p.kind == PRIM_UNIQUE                   ? 1
		                                                          : UINT64_MAX;
		vec_push(&ranked, ((struct ranked){rank, prims.at[i]}));
	}
	if (ranked.n) qsort(ranked.at, ranked.n, sizeof *ranked.at, by_rank);
	m->unique = UINT32_MAX;
	for (uint32_t var = 0; var < ranked.n; var++) {
		struct prim p = prim_of(s, ranked.at[var].prim);
		vec_push(&m->b.prims, ranked.at[var].prim);
		map64_put(&m->b.var_of, ranked.at[var].prim, var);
		uint32_t bound = 0;
		if (p.kind == PRIM_ITEMS) bound = p.b == UINT32_MAX ? p.a : p.b;
		if (p.kind == PRIM_LENGTH) bound = p.a;
		if (p.kind == PRIM_UNIQUE) m->unique = var, bound = 1;
		if (bound > m->most) m->most = bound;
		if (p.kind == PRIM_CONTAINS) {
			uint32_t c = counter_of(m, p.b);
			if (c == m->counted.n) vec_push(&m->counted, p.b), vec_push(&m->most_of, 0);
			if (p.a > m->most_of.at[c]) m->most_of.at[c] = p.a;
		}
	}
	map64_release(&seen);
	vec_release(&prims), vec_release(&ranked);
}

bool arrays_build(struct schema *s, const struct wanted *w)
{
	struct machine m = {.s = s, .w = w};
	bdds_init(&m.b, s);
	prepare(&m);
	m.open = rules_sign(s->rules, '['), m.close = rules_sign(s->rules, ']'), m.comma = rules_sign(s->rules, ',');
	uint32_t *key = mem_calloc(WORDS(&m), sizeof *key);
	formula *all = mem_alloc(((size_t)w->n_split + 1) * sizeof *all);
	all[0] = w->must;
	if (w->n_split) memcpy(all + 1, w->split, w->n_split * sizeof *all);
	bdds_start(&m.b, all, 1 + w->n_split, LEFT(&m, key));
	free(all);
	bool ok = true;
	if (LEFT(&m, key)[0]) {
		uint32_t q = state_number(&m, 0, key);
		uint64_t truth;
		rules_add(s->rules, next_symbol(&m, q), &m.open, 1);
		if (truth_at_end(&m, &m.states.at[q], &truth)) {
			rules_add_empty(s->rules, w->result(w->user, truth), false);
		}
		for (uint32_t i = 0; ok && i < m.queue.n; i++) ok = add_items(&m, m.queue.at[i]);
	}
	free(key);
	vec_release(&m.counted), vec_release(&m.most_of), vec_release(&m.values), vec_release(&m.states),
		vec_release(&m.queue);
	intern_release(&m.state_names);
	bdds_release(&m.b);
	return ok;
}
