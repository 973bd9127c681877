// unevaluatedProperties, unevaluatedItems: what no other keyword of the schema looked at.
//
// In:  a schema. Out: the value that the keyword takes. Which keys (items) are evaluated depends on which subschemas
// hold: their formulas are conditions. Keys that the same conditions evaluate are one set: one of these conditions
// holds, or the keyword's schema speaks of the set. Of items each way in which conditions can turn out has its own
// rest.
// Cost: of keys the sets, times the conditions; of items 2^conditions, at most SCHEMA_MAX_UNEVALUATED of them.
#include "keywords.h"

// Something that evaluates keys, or items, when a condition holds.
struct evaluated {
	formula condition;
	uint32_t set;    // keys
	uint32_t items;  // the first so many; UINT32_MAX: all
	atom contains;   // ATOM_FALSE: none
};
typedef VEC(struct evaluated) evaluated_list;

// What is gathered: of keys or of items.
struct gathering {
	struct schema *s;
	bool keys;
	evaluated_list *out;
};

static bool collect(const struct gathering *g, struct json *node, uint32_t scope, formula condition, uint32_t depth);

static formula both(struct schema *s, formula a, formula b) { return formula_and(s, (formula[]){a, b}, 2); }

static formula own_formula(const struct gathering *g, const struct value *v) { return g->keys ? v->object : v->array; }

// The same of a subschema that need not hold: where it does.
static bool collect_if(const struct gathering *g, struct context *x, struct json *node, formula condition,
                       uint32_t depth)
{
	struct value v;
	if (node->kind != JSON_OBJECT) return true;
	if (!value_in_place(x, node, &v)) return false;
	return collect(g, node, x->scope, both(g->s, condition, own_formula(g, &v)), depth);
}

// The keys that properties and patternProperties name; none: neither stands here.
static bool named_keys(struct context *x, uint32_t *set)
{
	uint32_t others;
	*set = keyset_of(x->s, false, NULL, 0, NULL, 0);
	if (!json_get(x->node, "properties") && !json_get(x->node, "patternProperties")) return true;
	if (!other_keys(x, &others)) return false;
	struct keyset k = x->s->keyset.at[others];
	*set = keyset_of(x->s, false, k.keys, k.n_keys, k.patterns, k.n_patterns);
	return true;
}

static bool collect_keys(const struct gathering *g, struct context *x, formula condition)
{
	uint32_t all, nothing = keyset_of(g->s, false, NULL, 0, NULL, 0);
	if (json_get(x->node, "additionalProperties") || json_get(x->node, "unevaluatedProperties"))
		all = keyset_of(g->s, true, NULL, 0, NULL, 0);
	else if (!named_keys(x, &all))
		return false;
	if (all != nothing) vec_push(g->out, ((struct evaluated){condition, all, 0, ATOM_FALSE}));
	return true;
}

// Items that items, prefixItems and additionalItems look at: the first so many; UINT32_MAX: all.
static uint32_t named_items(struct context *x)
{
	const struct json *items = json_get(x->node, "items");
	bool rest = items && (items->kind != JSON_ARRAY || json_get(x->node, "additionalItems"));
	return rest ? UINT32_MAX : prefix_length(x);
}

static void collect_items(const struct gathering *g, struct context *x, formula condition)
{
	uint32_t n = json_get(x->node, "unevaluatedItems") ? UINT32_MAX : named_items(x);
	struct json *contains = x->draft == DRAFT_2020 ? json_get(x->node, "contains") : NULL;
	if (n || contains)
		vec_push(g->out, ((struct evaluated){condition, 0, n, contains ? child_atom(x, contains) : ATOM_FALSE}));
}

static bool collect_lists(const struct gathering *g, struct context *x, formula condition, uint32_t depth)
{
	static const char *const lists[] = {"allOf", "anyOf", "oneOf"};
	for (size_t k = 0; k < 3; k++) {
		const struct json *j = json_get(x->node, lists[k]);
		for (uint32_t i = 0; j && j->kind == JSON_ARRAY && i < j->n; i++)
			if (!(k == 0 ? collect(g, j->items[i], x->scope, condition, depth)
			             : collect_if(g, x, j->items[i], condition, depth)))
				return false;
	}
	return true;
}

// Each branch of if, and the schemas that a key brings with it.
static bool collect_conditional(const struct gathering *g, struct context *x, formula condition, uint32_t depth)
{
	struct json *j = json_get(x->node, "if"), *then = json_get(x->node, "then"), *otherwise = json_get(x->node, "else");
	if (j && j->kind == JSON_OBJECT) {
		struct value c;
		if (!value_in_place(x, j, &c)) return false;
		formula yes = own_formula(g, &c), with = both(g->s, condition, yes);
		formula without = both(g->s, condition, formula_not(g->s, yes));
		if (!collect(g, j, x->scope, with, depth)) return false;
		if (then && !collect(g, then, x->scope, with, depth)) return false;
		if (otherwise && !collect(g, otherwise, x->scope, without, depth)) return false;
	}
	j = g->keys ? json_get(x->node, "dependentSchemas") : NULL;
	for (uint32_t i = 0; j && j->kind == JSON_OBJECT && i < j->n; i++) {
		formula has = has_key(x, key_number(g->s, j->members[i].key, j->members[i].key_len));
		if (!collect(g, j->members[i].value, x->scope, both(g->s, condition, has), depth)) return false;
	}
	return true;
}

// The outermost schema on the way here that takes a dynamic reference over; else `target`.
static struct json *taken_over(struct context *x, const struct json *reference, bool by_anchor, struct json *target)
{
	struct schema *s = x->s;
	uint32_t len = 0;
	const uint32_t *in = s->has_dynamic && x->scope ? intern_get(&s->scopes, x->scope, &len) : NULL;
	const char *hash = strchr(reference->text, '#'), *name = hash ? hash + 1 : "";
	for (uint32_t i = 0; i < len / 4; i++) {
		const struct resource *r = &s->resources.at[in[i]];
		struct json *found = by_anchor             ? schema_anchor(s, in[i], name, strlen(name), true)
		                     : r->recursive_anchor ? r->root
		                                           : NULL;
		if (found) return found;
	}
	return target;
}

static bool collect_references(const struct gathering *g, struct context *x, formula condition, uint32_t depth)
{
	static const char *const references[] = {"$ref", "$dynamicRef", "$recursiveRef"};
	for (size_t k = 0; k < 3; k++) {
		const struct json *r = json_get(x->node, references[k]);
		if (!r || r->kind != JSON_STRING) continue;
		struct json *target = schema_resolve(g->s, r, x->resource);
		if (!target) return false;
		if (k) target = taken_over(x, r, k == 1, target);
		uint32_t inner = scope_enter(g->s, x->scope, schema_resource(g->s, target));
		if (!collect(g, target, inner, condition, depth)) return false;
	}
	return true;
}

// What the schema at node evaluates, given that it holds.
static bool collect(const struct gathering *g, struct json *node, uint32_t scope, formula condition, uint32_t depth)
{
	if (node->kind != JSON_OBJECT || condition == FORMULA_FALSE) return true;
	if (depth > SCHEMA_MAX_IN_PLACE) work_too_large("SCHEMA_MAX_IN_PLACE", SCHEMA_MAX_IN_PLACE);
	struct context x = context_of(g->s, node, scope);
	if (!g->keys)
		collect_items(g, &x, condition);
	else if (!collect_keys(g, &x, condition))
		return false;
	return collect_lists(g, &x, condition, depth + 1) && collect_conditional(g, &x, condition, depth + 1) &&
	       collect_references(g, &x, condition, depth + 1);
}

// ---- keys ----

static uint32_t union_of(struct schema *s, uint32_t a, uint32_t b)
{
	struct keyset k = s->keyset.at[a], m = s->keyset.at[b];
	u32_list names = {0}, patterns = {0};
	for (uint32_t j = 0; j < k.n_keys; j++) vec_push(&names, k.keys[j]);
	for (uint32_t j = 0; j < m.n_keys; j++) vec_push(&names, m.keys[j]);
	for (uint32_t j = 0; j < k.n_patterns; j++) vec_push(&patterns, k.patterns[j]);
	for (uint32_t j = 0; j < m.n_patterns; j++) vec_push(&patterns, m.patterns[j]);
	uint32_t all = keyset_of(s, false, names.at, names.n, patterns.at, patterns.n);
	vec_release(&names), vec_release(&patterns);
	return all;
}

// Keys, and the conditions that evaluate them: places in the list, ascending.
struct key_set {
	u32_list keys;
	language texts;  // of keys that have no name here
	const uint32_t *conditions;
	uint32_t n_conditions;
};

struct key_sets {
	struct context *x;
	const evaluated_list *list;
	struct intern conditions;  // lists of places; a set's number
	VEC(struct key_set) of;    // by that number
	uint32_t base;             // keys that are evaluated in any case
	uint32_t n_texts;
};

static bool is_sure(const struct evaluated *e) { return e->condition == FORMULA_TRUE; }

static struct key_set *set_of(struct key_sets *q, const u32_list *conditions)
{
	const uint32_t n = intern_add(&q->conditions, conditions->at, conditions->n * sizeof *conditions->at, NULL);
	if (n == q->of.n) {
		const uint32_t *kept = intern_get(&q->conditions, n, NULL);
		vec_push(&q->of, ((struct key_set){.conditions = kept, .n_conditions = conditions->n}));
	}
	return &q->of.at[n];
}

// Keys that a condition names, and none but conditions evaluate.
static void add_names(struct key_sets *q, u32_list *names)
{
	struct schema *s = q->x->s;
	struct map64 seen = {0};
	u32_list conditions = {0};
	for (uint32_t i = 0; i < q->list->n; i++) {
		const struct keyset k = s->keyset.at[q->list->at[i].set];
		for (uint32_t j = 0; j < k.n_keys && !is_sure(&q->list->at[i]); j++) {
			if (map64_get(&seen, k.keys[j]) != MAP64_NONE || keyset_has(s, q->base, k.keys[j])) continue;
			map64_put(&seen, k.keys[j], 1);
			vec_clear(&conditions);
			for (uint32_t c = 0; c < q->list->n; c++)
				if (!is_sure(&q->list->at[c]) && keyset_has(s, q->list->at[c].set, k.keys[j])) vec_push(&conditions, c);
			vec_push(&set_of(q, &conditions)->keys, k.keys[j]);
			vec_push(names, k.keys[j]);
		}
	}
	map64_release(&seen);
	vec_release(&conditions);
}

// All other keys, split from condition i on by the patterns that conditions have.
static void add_others(struct key_sets *q, uint32_t i, language texts, u32_list *conditions)
{
	struct schema *s = q->x->s;
	if (texts == LANGUAGE_NOTHING) return;
	while (i < q->list->n && is_sure(&q->list->at[i])) i++;
	if (i == q->list->n) {
		struct key_set *set = set_of(q, conditions);
		if (++q->n_texts > SCHEMA_MAX_CLASSES) work_too_large("SCHEMA_MAX_CLASSES", SCHEMA_MAX_CLASSES);
		set->texts = language_or(s->languages, set->texts, texts);
		return;
	}
	const struct keyset k = s->keyset.at[q->list->at[i].set];
	language in = k.negated ? LANGUAGE_ANY : LANGUAGE_NOTHING;
	for (uint32_t j = 0; j < k.n_patterns; j++) in = language_or(s->languages, in, k.patterns[j]);
	add_others(q, i + 1, language_minus(s->languages, texts, in), conditions);
	vec_push(conditions, i);
	add_others(q, i + 1, language_and(s->languages, texts, in), conditions);
	(void)vec_pop(conditions);
}

// Keys that the set has not.
static language texts_besides(struct schema *s, struct keyset k)
{
	VEC(struct language_text) texts = {0};
	for (uint32_t i = 0; i < k.n_keys; i++) {
		uint32_t len;
		const char *text = intern_get(&s->keys, k.keys[i], &len);
		vec_push(&texts, ((struct language_text){text, len}));
	}
	language all = language_of_texts(s->languages, texts.at, texts.n);
	for (uint32_t i = 0; i < k.n_patterns; i++) all = language_or(s->languages, all, k.patterns[i]);
	vec_release(&texts);
	return language_not(s->languages, all);
}

// The set's keys are in `a`, or one of its conditions holds.
static formula left_of_set(const struct key_sets *q, const struct key_set *set, atom a)
{
	struct schema *s = q->x->s;
	const uint32_t keys = keyset_of(s, false, set->keys.at, set->keys.n, &set->texts, set->texts != LANGUAGE_NOTHING);
	formula *f = mem_alloc(((size_t)set->n_conditions + 1) * sizeof *f);
	f[set->n_conditions] = all_of_keys(q->x, keys, a);
	for (uint32_t i = 0; i < set->n_conditions; i++) f[i] = q->list->at[set->conditions[i]].condition;
	const formula any = formula_or(s, f, set->n_conditions + 1);
	free(f);
	return any;
}

static formula left_keys(struct context *x, const evaluated_list *list, atom a)
{
	struct schema *s = x->s;
	struct key_sets q = {.x = x, .list = list, .base = keyset_of(s, false, NULL, 0, NULL, 0)};
	bool has_patterns = false;
	for (uint32_t i = 0; i < list->n; i++) {
		const struct keyset k = s->keyset.at[list->at[i].set];
		if (is_sure(&list->at[i]) && k.negated) return FORMULA_TRUE;
		if (is_sure(&list->at[i])) q.base = union_of(s, q.base, list->at[i].set);
		has_patterns |= !is_sure(&list->at[i]) && (k.negated || k.n_patterns);
	}
	VEC(formula) all = {0};
	u32_list names = {0}, conditions = {0};
	add_names(&q, &names);
	const uint32_t named = union_of(s, q.base, keyset_of(s, false, names.at, names.n, NULL, 0));
	const struct keyset k = s->keyset.at[named];
	if (has_patterns)
		add_others(&q, 0, texts_besides(s, k), &conditions);
	else
		vec_push(&all, all_of_keys(x, keyset_of(s, true, k.keys, k.n_keys, k.patterns, k.n_patterns), a));
	for (uint32_t i = 0; i < q.of.n; i++) vec_push(&all, left_of_set(&q, &q.of.at[i], a));
	const formula f = formula_and(s, all.at, all.n);
	for (uint32_t i = 0; i < q.of.n; i++) vec_release(&q.of.at[i].keys);
	vec_release(&q.of), vec_release(&all), vec_release(&names), vec_release(&conditions);
	intern_release(&q.conditions);
	return f;
}

// ---- items ----

// What the keyword speaks of, and the schema that it gives for what is left.
struct asked {
	struct context *x;
	const evaluated_list *list;
	atom a;
};

// What has been looked at so far.
struct looked_at {
	uint32_t items;
	atom contains;
};

// For each way in which the conditions from i on can turn out: what is left over is in `a`.
static formula left_items(const struct asked *q, uint32_t i, struct looked_at so_far)
{
	struct schema *s = q->x->s;
	if (i == q->list->n)
		return so_far.items == UINT32_MAX
		           ? FORMULA_TRUE
		           : items_from(q->x, so_far.items, UINT32_MAX, atom_any_of(s, (atom[]){q->a, so_far.contains}, 2));
	const struct evaluated *e = &q->list->at[i];
	formula no = is_sure(e) ? FORMULA_FALSE : left_items(q, i + 1, so_far);
	struct looked_at more = {e->items > so_far.items ? e->items : so_far.items,
	                         atom_any_of(s, (atom[]){so_far.contains, e->contains}, 2)};
	return formula_if(s, e->condition, left_items(q, i + 1, more), no);
}

// Branches: keys and items, each after what evaluates them is gathered.
bool unevaluated_value(struct context *x, struct json *v, bool keys, struct value *out)
{
	struct schema *s = x->s;
	evaluated_list list = {0};
	*out = value_any();
	atom a = child_atom(x, v);
	const struct gathering g = {s, keys, &list};
	// Its own keyword does not count: it is what asks.
	bool ok = collect(&g, x->node, x->scope, FORMULA_TRUE, 0);
	if (list.n && keys && !json_get(x->node, "additionalProperties")) ok = named_keys(x, &list.at[0].set) && ok;
	if (list.n && !keys) list.at[0].items = named_items(x);
	uint32_t unsure = 0;
	for (uint32_t i = 0; i < list.n; i++) unsure += !is_sure(&list.at[i]);
	if (ok && !keys && unsure > SCHEMA_MAX_UNEVALUATED) {
		vec_release(&list);
		return schema_unenforced(s, v, "unevaluatedItems", NULL,
		                         "more than SCHEMA_MAX_UNEVALUATED (12) subschemas decide what is evaluated");
	}
	if (ok && keys) *out = value_of_object(left_keys(x, &list, a));
	if (ok && !keys)
		*out = value_of_array(left_items(&(struct asked){x, &list, a}, 0, (struct looked_at){0, ATOM_FALSE}));
	vec_release(&list);
	return ok && !s->failed;
}
