// Keywords to values: what a schema says, in the algebra of value.c.
//
// In:  a schema's JSON. Out: its value. Schemas of members and items are atoms, which are evaluated when an automaton
// needs them: so recursion through them is no loop. Keywords that a draft does not have are ignored in it, as it says;
// where the draft is not known those of all drafts count. Every assertion is here, or refused by name.
#include "internal.h"

struct context {
	struct schema *s;
	struct json *node;
	uint32_t resource, scope;
	enum draft draft;
	bool is_lenient, no_validation;
};

static bool evaluate(struct schema *s, struct json *node, uint32_t scope, struct value *out);

// ---- atoms ----

// Keywords that say nothing about which values there are.
static bool is_annotation(const char *key)
{
	static const char *const known[] = {"$schema",
	                                    "$id",
	                                    "id",
	                                    "$comment",
	                                    "title",
	                                    "description",
	                                    "default",
	                                    "examples",
	                                    "readOnly",
	                                    "writeOnly",
	                                    "deprecated",
	                                    "definitions",
	                                    "$defs",
	                                    "$anchor",
	                                    "$dynamicAnchor",
	                                    "$vocabulary",
	                                    "example",
	                                    "externalDocs",
	                                    "xml",
	                                    "contentEncoding",
	                                    "contentMediaType",
	                                    "contentSchema",
	                                    "$recursiveAnchor"};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(known[i], key) == 0) return true;
	return strncmp(key, "x-", 2) == 0;
}

static bool is_trivial(const struct json *node)
{
	for (uint32_t i = 0; i < node->n; i++)
		if (!is_annotation(node->members[i].key)) return false;
	return true;
}

static atom intern_atom(struct schema *s, const uint32_t *words, uint32_t n, const struct atom_info *info)
{
	bool is_new;
	atom a = intern_add(&s->atom_names, words, n * sizeof *words, &is_new);
	if (is_new) {
		struct atom_info *copy = arena_alloc(s->arena, sizeof *copy);
		*copy = *info;
		vec_push(&s->atoms, copy);
	}
	return a;
}

static void first_atoms(struct schema *s)
{
	if (s->atoms.n) return;
	intern_atom(s, (uint32_t[]){ATOM_KIND_TRUE}, 1,
	            &(struct atom_info){.kind = ATOM_KIND_TRUE, .is_known = true, .value = value_any()});
	intern_atom(s, (uint32_t[]){ATOM_KIND_FALSE}, 1,
	            &(struct atom_info){.kind = ATOM_KIND_FALSE, .is_known = true, .value = value_none()});
}

typedef VEC(char) text_list;
#define TEXT_MAX 2000u  // longer ones are not compared

static void put_bytes(text_list *out, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n && out->n <= TEXT_MAX; i++) vec_push(out, ((const char *)bytes)[i]);
}

// What a schema says, as a text that only equal ones have; annotations at its own level are left out.
static void put_json(text_list *out, const struct json *v, bool is_schema)
{
	const uint32_t head[] = {v->kind, is_schema ? 0 : v->n, v->len};
	put_bytes(out, head, sizeof head);
	if (v->kind == JSON_NUMBER || v->kind == JSON_STRING) put_bytes(out, v->text, v->len);
	for (uint32_t i = 0; v->kind == JSON_ARRAY && i < v->n && out->n <= TEXT_MAX; i++)
		put_json(out, v->items[i], false);
	for (uint32_t i = 0; v->kind == JSON_OBJECT && i < v->n && out->n <= TEXT_MAX; i++) {
		const struct json_member *m = &v->members[i];
		if (is_schema && is_annotation(m->key)) continue;
		put_bytes(out, "k", 1);
		put_bytes(out, &m->key_len, sizeof m->key_len);
		put_bytes(out, m->key, m->key_len);
		bool maps = strcmp(m->key, "properties") == 0;
		if (is_schema && maps && m->value->kind == JSON_OBJECT) {
			for (uint32_t k = 0; k < m->value->n && out->n <= TEXT_MAX; k++) {
				put_bytes(out, &m->value->members[k].key_len, sizeof(uint32_t));
				put_bytes(out, m->value->members[k].key, m->value->members[k].key_len);
				put_json(out, m->value->members[k].value, true);
			}
			put_bytes(out, "e", 1);
			continue;
		}
		put_json(out, m->value, is_schema && strcmp(m->key, "items") == 0);
	}
	if (v->kind == JSON_OBJECT) put_bytes(out, "e", 1);
}

// UINT32_MAX: too long, or with a name of its own.
static uint32_t text_number(struct schema *s, const struct json *node)
{
	if (s->has_dynamic || json_get(node, "$id") || json_get(node, "id")) return UINT32_MAX;
	text_list text = {0};
	put_json(&text, node, true);
	uint32_t n = text.n > TEXT_MAX ? UINT32_MAX : intern_add(&s->texts, text.at, text.n, NULL);
	vec_release(&text);
	return n;
}

atom schema_atom(struct schema *s, struct json *node, uint32_t scope)
{
	first_atoms(s);
	if (node->kind == JSON_TRUE) return ATOM_TRUE;
	if (node->kind == JSON_FALSE) return ATOM_FALSE;
	if (node->kind == JSON_OBJECT && is_trivial(node) && !s->o->closed) return ATOM_TRUE;
	// A reference alone is what it leads to.
	for (uint32_t hops = 0; node->kind == JSON_OBJECT && node->n == 1 && !s->has_dynamic && hops < 100; hops++) {
		const struct json *reference = json_get(node, "$ref");
		if (!reference || reference->kind != JSON_STRING) break;
		struct json *target = schema_resolve(s, reference, schema_resource(s, node));
		if (!target) return ATOM_FALSE;
		node = target;
		if (node->kind == JSON_TRUE) return ATOM_TRUE;
		if (node->kind == JSON_FALSE) return ATOM_FALSE;
	}
	// Schemas of one document that say the same are one.
	uint32_t text = text_number(s, node);
	const uint32_t words[] = {text == UINT32_MAX ? ATOM_KIND_NODE : 1000 + schema_resource(s, node),
	                          text == UINT32_MAX ? node->number : text, scope};
	return intern_atom(s, words, 3, &(struct atom_info){.kind = ATOM_KIND_NODE, .node = node, .scope = scope});
}

atom atom_const(struct schema *s, struct json *value)
{
	first_atoms(s);
	const uint32_t words[] = {ATOM_KIND_CONST, value->number};
	return intern_atom(s, words, 2, &(struct atom_info){.kind = ATOM_KIND_CONST, .node = value});
}

atom atom_any_of(struct schema *s, const atom *list, uint32_t n)
{
	first_atoms(s);
	u32_list words = {0};
	vec_push(&words, ATOM_KIND_ANY_OF);
	for (uint32_t i = 0; i < n; i++) {
		if (list[i] == ATOM_TRUE) {
			vec_release(&words);
			return ATOM_TRUE;
		}
		if (list[i] != ATOM_FALSE) vec_push(&words, list[i]);
	}
	atom a = ATOM_FALSE;
	if (words.n == 2) a = words.at[1];
	if (words.n > 2) {
		uint32_t *copy = arena_array(s->arena, words.n - 1, sizeof *copy);
		memcpy(copy, words.at + 1, (words.n - 1) * sizeof *copy);
		a = intern_atom(s, words.at, words.n,
		                &(struct atom_info){.kind = ATOM_KIND_ANY_OF, .list = copy, .n = words.n - 1});
	}
	vec_release(&words);
	return a;
}

const struct json *atom_place(const struct schema *s, atom a)
{
	const struct atom_info *i = s->atoms.at[a];
	return i->kind == ATOM_KIND_ANY_OF ? atom_place(s, i->list[0]) : i->node;
}

const struct value *atom_value(struct schema *s, atom a)
{
	struct atom_info *i = s->atoms.at[a];
	if (i->is_known) return &i->value;
	struct value v = value_none();
	if (i->kind == ATOM_KIND_CONST) {
		v = value_of_json(s, i->node);
	} else if (i->kind == ATOM_KIND_NODE) {
		if (!evaluate(s, i->node, i->scope, &v)) return NULL;
	} else {
		for (uint32_t k = 0; k < i->n; k++) {
			const struct value *one = atom_value(s, i->list[k]);
			if (!one) return NULL;
			v = value_or(s, v, *one);
		}
	}
	i->value = v, i->is_known = true;
	return &i->value;
}

// ---- helpers ----

static atom child(struct context *x, struct json *node)
{
	if (node->kind != JSON_OBJECT && node->kind != JSON_TRUE && node->kind != JSON_FALSE) {
		schema_error(x->s, node, "a schema is an object or true or false");
		return ATOM_FALSE;
	}
	return schema_atom(x->s, node, x->scope);
}

static bool wrong(struct context *x, const struct json *at, const char *keyword, const char *expected)
{
	schema_error(x->s, at, "%s must be %s", keyword, expected);
	return false;
}

static bool read_count(struct context *x, const struct json *v, const char *keyword, uint32_t *out)
{
	struct decimal d;
	if (v->kind != JSON_NUMBER || !decimal_read(v->text, v->len, &d) || d.negative || !decimal_is_integer(&d))
		return wrong(x, v, keyword, "a whole number that is not negative");
	if (!decimal_to_uint(&d, 1u << 30, out)) *out = 1u << 30;  // as good as without end
	return true;
}

static bool read_number(struct context *x, const struct json *v, const char *keyword, struct decimal *out)
{
	if (v->kind != JSON_NUMBER) return wrong(x, v, keyword, "a number");
	if (decimal_read(v->text, v->len, out)) return true;
	schema_error(x->s, v, "%s: more digits than SCHEMA_MAX_DIGITS (%u)", keyword, SCHEMA_MAX_DIGITS);
	return false;
}

static struct value with_numbers(struct numbers n)
{
	struct value v = value_any();
	v.numbers = n.of, v.numbers_plain = n.is_plain;
	return v;
}

static struct value with_object(formula f)
{
	struct value v = value_any();
	v.object = f;
	return v;
}

static struct value with_array(formula f)
{
	struct value v = value_any();
	v.array = f;
	return v;
}

static formula all_of_keys(struct context *x, uint32_t set, atom a)
{
	const struct keyset *k = &x->s->keyset.at[set];
	if (a == ATOM_TRUE || (!k->negated && !k->n_keys && !k->n_patterns)) return FORMULA_TRUE;
	return formula_prim(x->s, PRIM_ALL, set, a, 0);
}

static formula has_key(struct context *x, uint32_t key) { return formula_prim(x->s, PRIM_HAS, key, 0, 0); }

static formula items_from(struct context *x, uint32_t from, uint32_t to, atom a)
{
	return a == ATOM_TRUE ? FORMULA_TRUE : formula_prim(x->s, PRIM_ITEMS, from, to, a);
}

static formula length_at_least(struct context *x, uint32_t n)
{
	return n ? formula_prim(x->s, PRIM_LENGTH, n, 0, 0) : FORMULA_TRUE;
}

// Keys that match a pattern; patterns that are plain words need no automaton of their own.
static bool pattern_of_key(struct context *x, const struct json_member *m, language *out)
{
	*out = pattern_language(x->s, m->value, m->key, m->key_len);
	return *out != LANGUAGE_ERROR;
}

// ---- keywords of one value each ----

static bool type_value(struct context *x, const struct json *t, struct value *out)
{
	static const char *const names[] = {"null", "boolean", "object", "array", "number", "string", "integer"};
	if (t->kind == JSON_OBJECT && x->draft == DRAFT_4) return wrong(x, t, "type", "a name or a list of names");
	uint32_t k = 0;
	while (k < 7 && !json_is(t, names[k])) k++;
	struct value v = value_none();
	switch (k) {
	case 0: v.simple = SIMPLE_NULL; break;
	case 1: v.simple = SIMPLE_TRUE | SIMPLE_FALSE; break;
	case 2: v.object = FORMULA_TRUE; break;
	case 3: v.array = FORMULA_TRUE; break;
	case 4: v.numbers = LANGUAGE_ANY; break;
	case 5: v.strings.of = LANGUAGE_ANY; break;
	case 6: v.numbers = numbers_integer(x->s, x->draft == DRAFT_4).of; break;
	default:
		if (json_is(t, "any")) {
			*out = value_any();
			return true;
		}
		return wrong(x, t, "type",
		             "\"null\", \"boolean\", \"object\", \"array\", \"number\", \"string\" or \"integer\"");
	}
	*out = v;
	return true;
}

static bool types_value(struct context *x, const struct json *t, struct value *out)
{
	if (t->kind == JSON_STRING) return type_value(x, t, out);
	if (t->kind != JSON_ARRAY) return wrong(x, t, "type", "a name or a list of names");
	*out = value_none();
	for (uint32_t i = 0; i < t->n; i++) {
		struct value one;
		if (!type_value(x, t->items[i], &one)) return false;
		*out = value_or(x->s, *out, one);
	}
	return true;
}

static bool enum_value(struct context *x, const struct json *list, struct value *out)
{
	if (list->kind != JSON_ARRAY) return wrong(x, list, "enum", "a list");
	struct value v = value_none();
	VEC(struct language_text) texts = {0};
	for (uint32_t i = 0; i < list->n; i++) {
		const struct json *j = list->items[i];
		if (j->kind == JSON_STRING)
			vec_push(&texts, ((struct language_text){j->text, j->len}));
		else
			v = value_or(x->s, v, value_of_json(x->s, j));
	}
	if (texts.n) v.strings.of = language_of_texts(x->s->languages, texts.at, texts.n);
	vec_release(&texts);
	*out = v;
	return true;
}

static bool bound_value(struct context *x, const struct json *v, const char *keyword, enum number_bound kind,
                        struct value *out)
{
	struct decimal d;
	if (!read_number(x, v, keyword, &d)) return false;
	*out = with_numbers(numbers_bound(x->s, kind, &d));
	return true;
}

// exclusiveMaximum, exclusiveMinimum: numbers, or (draft 4) flags of maximum and minimum.
static bool exclusive_value(struct context *x, const struct json *v, bool is_least, struct value *out)
{
	const char *keyword = is_least ? "exclusiveMinimum" : "exclusiveMaximum";
	if (v->kind == JSON_TRUE || v->kind == JSON_FALSE) {
		const struct json *bound = json_get(x->node, is_least ? "minimum" : "maximum");
		*out = value_any();
		if (x->draft > DRAFT_4 && !x->is_lenient) return wrong(x, v, keyword, "a number");
		if (v->kind == JSON_FALSE || !bound) return true;
		return bound_value(x, bound, keyword, is_least ? NUMBER_MORE : NUMBER_LESS, out);
	}
	return bound_value(x, v, keyword, is_least ? NUMBER_MORE : NUMBER_LESS, out);
}

static bool multiple_value(struct context *x, const struct json *v, struct value *out)
{
	struct decimal d;
	struct numbers n;
	*out = value_any();
	if (!read_number(x, v, "multipleOf", &d)) return false;
	if (!d.n || d.negative) return wrong(x, v, "multipleOf", "more than 0");
	if (!numbers_multiple(x->s, &d, &n))
		return schema_unenforced(x->s, v, "multipleOf", NULL,
		                         "multipleOf: as a whole number the divisor passes SCHEMA_MAX_MODULUS (20000)");
	*out = with_numbers(n);
	return true;
}

static bool properties_value(struct context *x, const struct json *p, struct value *out)
{
	if (p->kind != JSON_OBJECT) return wrong(x, p, "properties", "an object");
	formula *f = mem_alloc(((size_t)p->n + 1) * sizeof *f);
	uint32_t *keys = mem_alloc(((size_t)p->n + 1) * sizeof *keys);
	for (uint32_t i = 0; i < p->n; i++) {
		keys[i] = key_number(x->s, p->members[i].key, p->members[i].key_len);
		f[i] = all_of_keys(x, keyset_of(x->s, false, &keys[i], 1, NULL, 0), child(x, p->members[i].value));
	}
	*out = with_object(formula_and(x->s, f, p->n));
	out->order = order_of(x->s, keys, p->n);
	free(f), free(keys);
	return !x->s->failed;
}

static bool pattern_properties_value(struct context *x, const struct json *p, struct value *out)
{
	if (p->kind != JSON_OBJECT) return wrong(x, p, "patternProperties", "an object");
	*out = value_any();
	for (uint32_t i = 0; i < p->n; i++) {
		language l;
		if (!pattern_of_key(x, &p->members[i], &l)) return false;
		formula f = all_of_keys(x, keyset_of(x->s, false, NULL, 0, &l, 1), child(x, p->members[i].value));
		*out = value_and(x->s, *out, with_object(f));
	}
	return !x->s->failed;
}

// Keys that neither properties nor patternProperties beside it name.
static bool other_keys(struct context *x, uint32_t *set)
{
	const struct json *p = json_get(x->node, "properties"), *q = json_get(x->node, "patternProperties");
	u32_list keys = {0}, patterns = {0};
	bool ok = true;
	for (uint32_t i = 0; p && p->kind == JSON_OBJECT && i < p->n; i++)
		vec_push(&keys, key_number(x->s, p->members[i].key, p->members[i].key_len));
	for (uint32_t i = 0; q && q->kind == JSON_OBJECT && i < q->n && ok; i++) {
		language l;
		ok = pattern_of_key(x, &q->members[i], &l);
		vec_push(&patterns, l);
	}
	if (ok) *set = keyset_of(x->s, true, keys.at, keys.n, patterns.at, patterns.n);
	vec_release(&keys), vec_release(&patterns);
	return ok;
}

static bool additional_value(struct context *x, struct json *v, struct value *out)
{
	uint32_t set;
	if (!other_keys(x, &set)) return false;
	*out = with_object(all_of_keys(x, set, child(x, v)));
	return !x->s->failed;
}

static bool names_value(struct context *x, struct json *v, struct value *out)
{
	// Keys outside of the names' language have values of no kind.
	const struct value *names = atom_value(x->s, child(x, v));
	if (!names || x->s->failed) return false;
	language l = strings_language(x->s, names->strings);
	*out = value_any();
	if (l != LANGUAGE_ANY)
		out->object = formula_prim(x->s, PRIM_ALL, keyset_of(x->s, true, NULL, 0, &l, 1), ATOM_FALSE, 0);
	return true;
}

static bool required_value(struct context *x, const struct json *v, struct value *out)
{
	*out = value_any();
	if (x->is_lenient && (v->kind == JSON_TRUE || v->kind == JSON_FALSE)) return true;  // draft 3
	if (v->kind != JSON_ARRAY) return wrong(x, v, "required", "a list of keys");
	formula *f = mem_alloc(((size_t)v->n + 1) * sizeof *f);
	uint32_t *keys = mem_alloc(((size_t)v->n + 1) * sizeof *keys), n = 0;
	for (uint32_t i = 0; i < v->n; i++) {
		if (v->items[i]->kind != JSON_STRING) {
			wrong(x, v->items[i], "required", "a list of keys");
			break;
		}
		keys[n] = key_number(x->s, v->items[i]->text, v->items[i]->len);
		f[n] = has_key(x, keys[n]), n++;
	}
	*out = with_object(formula_and(x->s, f, n));
	out->order = order_of(x->s, keys, n);
	free(f), free(keys);
	return !x->s->failed;
}

static bool count_value(struct context *x, const struct json *v, bool least, struct value *out)
{
	uint32_t n;
	if (!read_count(x, v, least ? "minProperties" : "maxProperties", &n)) return false;
	*out = value_any();
	if (least)
		out->object = n ? formula_prim(x->s, PRIM_COUNT, n, 0, 0) : FORMULA_TRUE;
	else if (n < 1u << 30)
		out->object = formula_not(x->s, formula_prim(x->s, PRIM_COUNT, n + 1, 0, 0));
	return true;
}

// dependentRequired, dependentSchemas, dependencies (either).
static bool dependent_value(struct context *x, const struct json *v, const char *keyword, struct value *out)
{
	struct schema *s = x->s;
	*out = value_any();
	if (v->kind != JSON_OBJECT) return wrong(x, v, keyword, "an object");
	for (uint32_t i = 0; i < v->n; i++) {
		struct json *to = v->members[i].value;
		uint32_t key = key_number(s, v->members[i].key, v->members[i].key_len);
		struct value then = value_any(), lacks = value_any();
		if (to->kind == JSON_ARRAY) {
			if (!required_value(x, to, &then)) return false;
			then.order = 0;
		} else if (to->kind == JSON_STRING) {
			then = with_object(has_key(x, key_number(s, to->text, to->len)));
		} else {
			const struct value *known = atom_value(s, child(x, to));
			if (!known || s->failed) return false;
			then = *known;
		}
		lacks.object = formula_not(s, has_key(x, key));
		// Objects with the key are in `then`; what is no object is free.
		struct value one = value_any();
		one.object = formula_or(s, (formula[]){lacks.object, then.object}, 2);
		one.order = then.order;
		*out = value_and(s, *out, one);
	}
	return true;
}

static bool length_value(struct context *x, const struct json *v, bool least, struct value *out)
{
	uint32_t n;
	if (!read_count(x, v, least ? "minLength" : "maxLength", &n)) return false;
	*out = value_any();
	if (least)
		out->strings.least = n;
	else if (n < 1u << 30)
		out->strings.most = n;
	return true;
}

static bool items_count_value(struct context *x, const struct json *v, bool least, struct value *out)
{
	uint32_t n;
	if (!read_count(x, v, least ? "minItems" : "maxItems", &n)) return false;
	*out = value_any();
	if (least)
		out->array = length_at_least(x, n);
	else if (n < 1u << 30)
		out->array = formula_not(x->s, length_at_least(x, n + 1));
	return true;
}

static uint32_t prefix_length(const struct context *x)
{
	const struct json *prefix = x->draft == DRAFT_2020 ? json_get(x->node, "prefixItems") : NULL;
	const struct json *items = json_get(x->node, "items");
	if (prefix) return prefix->n;
	return items && items->kind == JSON_ARRAY && (x->draft < DRAFT_2020 || x->is_lenient) ? items->n : 0;
}

static bool tuple_value(struct context *x, const struct json *list, struct value *out)
{
	formula *f = mem_alloc(((size_t)list->n + 1) * sizeof *f);
	for (uint32_t i = 0; i < list->n; i++) f[i] = items_from(x, i, i + 1, child(x, list->items[i]));
	*out = with_array(formula_and(x->s, f, list->n));
	free(f);
	return !x->s->failed;
}

static bool items_value(struct context *x, struct json *v, struct value *out)
{
	if (v->kind == JSON_ARRAY) {
		if (x->draft == DRAFT_2020 && !x->is_lenient) return wrong(x, v, "items", "a schema (a list is prefixItems)");
		return tuple_value(x, v, out);
	}
	*out = with_array(items_from(x, x->draft == DRAFT_2020 ? prefix_length(x) : 0, UINT32_MAX, child(x, v)));
	return !x->s->failed;
}

static bool contains_value(struct context *x, struct json *v, struct value *out)
{
	bool counts = x->draft >= DRAFT_2019;
	const struct json *min = counts ? json_get(x->node, "minContains") : NULL;
	const struct json *max = counts ? json_get(x->node, "maxContains") : NULL;
	uint32_t least = 1, most = UINT32_MAX;
	if (min && !read_count(x, min, "minContains", &least)) return false;
	if (max && !read_count(x, max, "maxContains", &most)) return false;
	atom a = child(x, v);
	formula f[2] = {FORMULA_TRUE, FORMULA_TRUE};
	if (least) f[0] = formula_prim(x->s, PRIM_CONTAINS, least, a, 0);
	if (most < 1u << 30) f[1] = formula_not(x->s, formula_prim(x->s, PRIM_CONTAINS, most + 1, a, 0));
	*out = with_array(formula_and(x->s, f, 2));
	return !x->s->failed;
}

// ---- in place: schemas that apply to the same value ----

static bool in_place(struct context *x, struct json *node, struct value *out)
{
	const struct value *v = atom_value(x->s, child(x, node));
	if (!v || x->s->failed) return false;
	*out = *v;
	return true;
}

// The values that a schema lists for one of its keys; false: it does not.
static bool listed_values(struct schema *s, atom a, struct json ***values, uint32_t *n)
{
	struct atom_info *i = s->atoms.at[a];
	if (i->kind == ATOM_KIND_CONST) return *values = &i->node, *n = 1, true;
	if (i->kind != ATOM_KIND_NODE || i->node->kind != JSON_OBJECT) return false;
	for (uint32_t k = 0; k < i->node->n; k++) {
		struct json_member *m = &i->node->members[k];
		if (strcmp(m->key, "const") == 0) return *values = &m->value, *n = 1, true;
		if (strcmp(m->key, "enum") == 0 && m->value->kind == JSON_ARRAY)
			return *values = m->value->items, *n = m->value->n, true;
	}
	return false;
}

static bool share_a_value(struct json **a, uint32_t n, struct json **b, uint32_t m)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < m; k++)
			if (json_equal(a[i], b[k])) return true;
	return false;
}

// Keys that an object needs, and whose values are listed: what tells branches apart.
struct discriminator {
	uint32_t key, n;
	struct json **values;
};
typedef VEC(struct discriminator) discriminators;

static void find_discriminators(struct schema *s, formula object, discriminators *out)
{
	u32_list prims = {0};
	formula_positive(s, object, &prims);
	for (uint32_t i = 0; i < prims.n; i++) {
		struct prim p = prim_of(s, prims.at[i]);
		struct discriminator x = {0};
		if (p.kind != PRIM_ALL) continue;
		const struct keyset *k = &s->keyset.at[p.a];
		if (k->negated || k->n_keys != 1 || k->n_patterns || !listed_values(s, p.b, &x.values, &x.n)) continue;
		x.key = k->keys[0];
		bool needed = false;
		for (uint32_t j = 0; j < prims.n && !needed; j++) {
			struct prim q = prim_of(s, prims.at[j]);
			needed = q.kind == PRIM_HAS && q.a == x.key;
		}
		if (needed) vec_push(out, x);
	}
	vec_release(&prims);
}

// No value is in both? false: not known.
static bool are_disjoint(struct schema *s, const struct value *a, const struct value *b, const discriminators *da,
                         const discriminators *db)
{
	if ((a->simple & b->simple) || strings_and(s, a->strings, b->strings).of) return false;
	struct numbers x = {a->numbers, a->numbers_plain}, y = {b->numbers, b->numbers_plain};
	if (numbers_and(s, x, y).of) return false;
	if (a->array != FORMULA_FALSE && b->array != FORMULA_FALSE) return false;
	if (a->object == FORMULA_FALSE || b->object == FORMULA_FALSE) return true;
	for (uint32_t i = 0; i < da->n; i++)
		for (uint32_t k = 0; k < db->n; k++) {
			const struct discriminator *p = &da->at[i], *q = &db->at[k];
			if (p->key == q->key && !share_a_value(p->values, p->n, q->values, q->n)) return true;
		}
	return false;
}

// Exactly one of the branches whose group this is.
static struct value exactly_one(struct schema *s, const struct value *branch, const uint32_t *group, uint32_t n,
                                uint32_t which)
{
	struct value v = value_none(), none = value_any();
	for (uint32_t i = 0; i < n; i++) {
		if (group[i] != which) continue;
		// Exactly one so far; none so far.
		struct value others = value_not(s, branch[i]);
		v = value_or(s, value_and(s, v, others), value_and(s, none, branch[i]));
		none = value_and(s, none, others);
	}
	return v;
}

#define ONE_OF_MAX 500u  // branches that are compared in pairs

// Branches that no value can share with one of another group need no look at that: groups are joined by `or`.
static struct value one_of(struct schema *s, const struct value *branch, uint32_t n)
{
	uint32_t *group = mem_calloc((size_t)n + 1, sizeof *group);
	discriminators *by = mem_calloc((size_t)n + 1, sizeof *by);
	for (uint32_t i = 0; i < n; i++) find_discriminators(s, branch[i].object, &by[i]);
	for (uint32_t i = 0; i < n; i++) {
		group[i] = n <= ONE_OF_MAX ? i : 0;
		for (uint32_t k = 0; k < i && n <= ONE_OF_MAX; k++) {
			uint32_t from = group[i], to = group[k];
			if (from == to || are_disjoint(s, &branch[i], &branch[k], &by[i], &by[k])) continue;
			for (uint32_t j = 0; j <= i; j++)
				if (group[j] == from) group[j] = to;
		}
	}
	struct value v = value_none();
	uint32_t order = 0;
	for (uint32_t g = 0; g < n; g++) v = value_or(s, v, exactly_one(s, branch, group, n, g));
	for (uint32_t i = 0; i < n; i++) order = order_join(s, order, branch[i].order), vec_release(&by[i]);
	v.order = order;
	free(group), free(by);
	return v;
}

static bool list_value(struct context *x, const struct json *list, const char *keyword, struct value *out)
{
	struct schema *s = x->s;
	bool all = strcmp(keyword, "allOf") == 0, one = strcmp(keyword, "oneOf") == 0, ok = true;
	if (list->kind != JSON_ARRAY) return wrong(x, list, keyword, "a list of schemas");
	struct value v = all ? value_any() : value_none(), *branch = mem_calloc((size_t)list->n + 1, sizeof *branch);
	for (uint32_t i = 0; i < list->n && ok; i++) {
		ok = in_place(x, list->items[i], &branch[i]);
		if (ok && !one) v = all ? value_and(s, v, branch[i]) : value_or(s, v, branch[i]);
	}
	if (ok && one) v = one_of(s, branch, list->n);
	free(branch);
	*out = v;
	return ok;
}

static bool if_value(struct context *x, struct json *condition, struct value *out)
{
	struct json *then = json_get(x->node, "then"), *otherwise = json_get(x->node, "else");
	struct value c, t = value_any(), e = value_any();
	*out = value_any();
	if (!then && !otherwise) return in_place(x, condition, &c);
	if (!in_place(x, condition, &c) || (then && !in_place(x, then, &t)) || (otherwise && !in_place(x, otherwise, &e)))
		return false;
	struct value no = value_not(x->s, c);
	*out = value_or(x->s, value_and(x->s, c, t), value_and(x->s, no, e));
	out->order = order_join(x->s, order_join(x->s, c.order, t.order), e.order);
	return true;
}

// The target of $ref, $dynamicRef, $recursiveRef.
static bool reference_value(struct context *x, const struct json *reference, const char *keyword, struct value *out)
{
	struct schema *s = x->s;
	if (reference->kind != JSON_STRING) return wrong(x, reference, keyword, "a reference");
	struct json *target = schema_resolve(s, reference, x->resource);
	if (!target) return false;
	bool dynamic = strcmp(keyword, "$dynamicRef") == 0, recursive = strcmp(keyword, "$recursiveRef") == 0;
	const char *hash = strchr(reference->text, '#');
	const char *name = hash ? hash + 1 : "";
	uint32_t first = schema_resource(s, target);
	// The outermost resource on the way here that has such an anchor.
	const struct json *own = dynamic ? json_get(target, "$dynamicAnchor") : NULL;
	bool follows = (own && json_is(own, name)) || (recursive && s->resources.at[first].recursive_anchor);
	uint32_t len;
	const uint32_t *scope = x->scope ? intern_get(&s->scopes, x->scope, &len) : NULL;
	for (uint32_t i = 0; follows && scope && i < len / 4; i++) {
		struct json *found = dynamic ? schema_anchor(s, scope[i], name, strlen(name), true)
		                     : s->resources.at[scope[i]].recursive_anchor ? s->resources.at[scope[i]].root
		                                                                  : NULL;
		if (!found) continue;
		target = found;
		break;
	}
	uint32_t inner = scope_enter(s, x->scope, schema_resource(s, target));
	const struct value *v = atom_value(s, schema_atom(s, target, inner));
	if (!v || s->failed) return false;
	*out = *v;
	return true;
}

// ---- what is unevaluated ----

// Something that evaluates keys, or items, when a condition holds.
struct evaluated {
	formula condition;
	uint32_t set;    // keys
	uint32_t items;  // the first so many; UINT32_MAX: all
	atom contains;   // ATOM_FALSE: none
};
typedef VEC(struct evaluated) evaluated_list;

static bool collect(struct schema *s, struct json *node, uint32_t scope, bool keys, formula condition, uint32_t depth,
                    evaluated_list *out);

static bool collect_if(struct context *x, struct json *node, bool keys, formula condition, bool negated, uint32_t depth,
                       evaluated_list *out)
{
	struct value v;
	if (!node || (node->kind != JSON_OBJECT)) return true;
	if (!in_place(x, node, &v)) return false;
	formula own = keys ? v.object : v.array;
	if (negated) own = formula_not(x->s, own);
	return collect(x->s, node, x->scope, keys, formula_and(x->s, (formula[]){condition, own}, 2), depth, out);
}

static struct context context_of(struct schema *s, struct json *node, uint32_t scope)
{
	uint32_t resource = schema_resource(s, node);
	schema_read_metaschema(s, resource);
	return (struct context){.s = s,
	                        .node = node,
	                        .resource = resource,
	                        .scope = scope_enter(s, scope, resource),
	                        .draft = s->resources.at[resource].draft,
	                        .is_lenient = s->resources.at[resource].is_lenient,
	                        .no_validation = s->resources.at[resource].no_validation};
}

// What the schema at node evaluates, given that it holds.
static bool collect(struct schema *s, struct json *node, uint32_t scope, bool keys, formula condition, uint32_t depth,
                    evaluated_list *out)
{
	if (node->kind != JSON_OBJECT || condition == FORMULA_FALSE) return true;
	if (depth > SCHEMA_MAX_IN_PLACE) work_too_large("SCHEMA_MAX_IN_PLACE", SCHEMA_MAX_IN_PLACE);
	struct context x = context_of(s, node, scope);
	struct json *j;
	uint32_t nothing = keyset_of(s, false, NULL, 0, NULL, 0), everything = keyset_of(s, true, NULL, 0, NULL, 0);
	if (keys) {
		uint32_t others, all = nothing;
		if (json_get(node, "additionalProperties") || json_get(node, "unevaluatedProperties")) {
			all = everything;
		} else if (json_get(node, "properties") || json_get(node, "patternProperties")) {
			if (!other_keys(&x, &others)) return false;
			struct keyset k = s->keyset.at[others];
			all = keyset_of(s, false, k.keys, k.n_keys, k.patterns, k.n_patterns);
		}
		if (all != nothing) vec_push(out, ((struct evaluated){condition, all, 0, ATOM_FALSE}));
	} else {
		uint32_t n = prefix_length(&x);
		struct json *items = json_get(node, "items");
		bool rest = items && items->kind != JSON_ARRAY;
		if (rest || json_get(node, "unevaluatedItems") || (json_get(node, "additionalItems") && items)) n = UINT32_MAX;
		struct json *contains = x.draft == DRAFT_2020 ? json_get(node, "contains") : NULL;
		if (n || contains)
			vec_push(out, ((struct evaluated){condition, 0, n, contains ? child(&x, contains) : ATOM_FALSE}));
	}
	static const char *const lists[] = {"allOf", "anyOf", "oneOf"};
	for (size_t k = 0; k < 3; k++) {
		j = json_get(node, lists[k]);
		for (uint32_t i = 0; j && j->kind == JSON_ARRAY && i < j->n; i++)
			if (!(k == 0 ? collect(s, j->items[i], x.scope, keys, condition, depth + 1, out)
			             : collect_if(&x, j->items[i], keys, condition, false, depth + 1, out)))
				return false;
	}
	if ((j = json_get(node, "if")) && j->kind == JSON_OBJECT) {
		struct value c;
		if (!in_place(&x, j, &c)) return false;
		formula yes = keys ? c.object : c.array, no = formula_not(s, yes);
		struct json *then = json_get(node, "then"), *otherwise = json_get(node, "else");
		formula with = formula_and(s, (formula[]){condition, yes}, 2),
				without = formula_and(s, (formula[]){condition, no}, 2);
		if (!collect(s, j, x.scope, keys, with, depth + 1, out)) return false;
		if (then && !collect(s, then, x.scope, keys, with, depth + 1, out)) return false;
		if (otherwise && !collect(s, otherwise, x.scope, keys, without, depth + 1, out)) return false;
	}
	j = json_get(node, "dependentSchemas");
	for (uint32_t i = 0; keys && j && j->kind == JSON_OBJECT && i < j->n; i++) {
		formula has = has_key(&x, key_number(s, j->members[i].key, j->members[i].key_len));
		if (!collect(s, j->members[i].value, x.scope, keys, formula_and(s, (formula[]){condition, has}, 2), depth + 1,
		             out))
			return false;
	}
	static const char *const references[] = {"$ref", "$dynamicRef", "$recursiveRef"};
	for (size_t k = 0; k < 3; k++) {
		const struct json *r = json_get(node, references[k]);
		if (!r || r->kind != JSON_STRING) continue;
		struct json *target = schema_resolve(s, r, x.resource);
		if (!target) return false;
		if (k && s->has_dynamic && x.scope) {
			uint32_t len;
			const uint32_t *in = intern_get(&s->scopes, x.scope, &len);
			const char *hash = strchr(r->text, '#');
			for (uint32_t i = 0; i < len / 4; i++) {
				struct json *found =
					k == 1 ? schema_anchor(s, in[i], hash ? hash + 1 : "", hash ? strlen(hash + 1) : 0, true)
					: s->resources.at[in[i]].recursive_anchor ? s->resources.at[in[i]].root
															  : NULL;
				if (found) {
					target = found;
					break;
				}
			}
		}
		uint32_t inner = scope_enter(s, x.scope, schema_resource(s, target));
		if (!collect(s, target, inner, keys, condition, depth + 1, out)) return false;
	}
	return true;
}

// For each way in which the conditions can turn out: what is left over is in `a`.
static formula leftover(struct context *x, const evaluated_list *l, uint32_t i, uint32_t set, uint32_t items,
                        atom contains, atom a, bool keys)
{
	struct schema *s = x->s;
	if (i == l->n) {
		if (!keys)
			return items == UINT32_MAX ? FORMULA_TRUE
			                           : items_from(x, items, UINT32_MAX, atom_any_of(s, (atom[]){a, contains}, 2));
		struct keyset k = s->keyset.at[set];
		return all_of_keys(x, keyset_of(s, !k.negated, k.keys, k.n_keys, k.patterns, k.n_patterns), a);
	}
	const struct evaluated *e = &l->at[i];
	formula no = e->condition == FORMULA_TRUE ? FORMULA_FALSE : leftover(x, l, i + 1, set, items, contains, a, keys);
	formula yes;
	if (keys) {
		struct keyset k = s->keyset.at[set], m = s->keyset.at[e->set];
		if (m.negated || k.negated) {
			yes = FORMULA_TRUE;  // all keys: the only negated set here
		} else {
			u32_list names = {0}, patterns = {0};
			for (uint32_t j = 0; j < k.n_keys; j++) vec_push(&names, k.keys[j]);
			for (uint32_t j = 0; j < m.n_keys; j++) vec_push(&names, m.keys[j]);
			for (uint32_t j = 0; j < k.n_patterns; j++) vec_push(&patterns, k.patterns[j]);
			for (uint32_t j = 0; j < m.n_patterns; j++) vec_push(&patterns, m.patterns[j]);
			uint32_t both = keyset_of(s, false, names.at, names.n, patterns.at, patterns.n);
			vec_release(&names), vec_release(&patterns);
			yes = leftover(x, l, i + 1, both, items, contains, a, keys);
		}
	} else {
		yes = leftover(x, l, i + 1, set, e->items > items ? e->items : items,
		               atom_any_of(s, (atom[]){contains, e->contains}, 2), a, keys);
	}
	return formula_if(s, e->condition, yes, no);
}

static bool unevaluated_value(struct context *x, struct json *v, bool keys, struct value *out)
{
	struct schema *s = x->s;
	evaluated_list list = {0};
	*out = value_any();
	atom a = child(x, v);
	// Its own keyword does not count: it is what asks.
	bool ok = collect(s, x->node, x->scope, keys, FORMULA_TRUE, 0, &list);
	if (list.n && keys && !json_get(x->node, "additionalProperties")) {
		const struct json *p = json_get(x->node, "properties"), *q = json_get(x->node, "patternProperties");
		uint32_t others, nothing = keyset_of(s, false, NULL, 0, NULL, 0);
		list.at[0].set = nothing;
		if (ok && (p || q) && (ok = other_keys(x, &others))) {
			struct keyset k = s->keyset.at[others];
			list.at[0].set = keyset_of(s, false, k.keys, k.n_keys, k.patterns, k.n_patterns);
		}
	}
	if (list.n && !keys) {
		struct json *items = json_get(x->node, "items");
		bool rest = (items && items->kind != JSON_ARRAY) || (items && json_get(x->node, "additionalItems"));
		list.at[0].items = rest ? UINT32_MAX : prefix_length(x);
	}
	uint32_t unsure = 0;
	for (uint32_t i = 0; i < list.n; i++) unsure += list.at[i].condition != FORMULA_TRUE;
	if (ok && unsure > SCHEMA_MAX_UNEVALUATED) {
		vec_release(&list);
		return schema_unenforced(s, v, keys ? "unevaluatedProperties" : "unevaluatedItems", NULL,
		                         "more than SCHEMA_MAX_UNEVALUATED (12) subschemas decide what is evaluated");
	}
	if (ok) {
		formula f = leftover(x, &list, 0, keyset_of(s, false, NULL, 0, NULL, 0), 0, ATOM_FALSE, a, keys);
		*out = keys ? with_object(f) : with_array(f);
	}
	vec_release(&list);
	return ok && !s->failed;
}

// ---- all keywords of a schema ----

static bool unique_value(struct context *x, const struct json *v, struct value *out)
{
	*out = value_any();
	if (v->kind == JSON_FALSE) return true;
	if (v->kind != JSON_TRUE) return wrong(x, v, "uniqueItems", "true or false");
	out->array = formula_prim(x->s, PRIM_UNIQUE, v->number, 0, 0);
	return true;
}

static bool format_or_refuse(struct context *x, const struct json *v, struct value *out)
{
	if (v->kind != JSON_STRING) return wrong(x, v, "format", "a name");
	*out = value_any();
	if (x->s->o->format == SCHEMA_FORMAT_ANNOTATION) return true;
	if (format_value(x->s, v, out)) return true;
	*out = value_any();
	const char *why = json_is(v, "regex")
	                      ? "format \"regex\" cannot be enforced: groups nest, and a string of JSON is one lexeme here"
	                      : arena_printf(x->s->arena, "there is no format \"%s\" that gcdc knows", v->text);
	if (x->s->o->format == SCHEMA_FORMAT_KNOWN) return schema_dropped(x->s, v, "format", v->text, why), true;
	return schema_unenforced(x->s, v, "format", v->text, why);
}

// Of the vocabulary of validation: a metaschema of the user's own may leave it out.
static bool is_validation(const char *key)
{
	static const char *const known[] = {"type",
	                                    "enum",
	                                    "const",
	                                    "multipleOf",
	                                    "maximum",
	                                    "minimum",
	                                    "minLength",
	                                    "maxLength",
	                                    "exclusiveMaximum",
	                                    "exclusiveMinimum",
	                                    "pattern",
	                                    "maxItems",
	                                    "minItems",
	                                    "uniqueItems",
	                                    "required",
	                                    "maxProperties",
	                                    "minProperties",
	                                    "dependentRequired"};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(known[i], key) == 0) return true;
	return false;
}

// 1: done, 0: an error, -1: not one of these.
static int keyword_value(struct context *x, const char *key, struct json *v, struct value *out)
{
#define KEY(name) (strcmp(key, name) == 0)
	enum draft draft = x->draft;
	bool old = draft <= DRAFT_7 || x->is_lenient, is_2019 = draft >= DRAFT_2019;
	if (KEY("type")) return types_value(x, v, out);
	if (KEY("enum")) return enum_value(x, v, out);
	if (KEY("const") && draft >= DRAFT_6) return *out = value_of_json(x->s, v), true;
	if (KEY("minimum")) return bound_value(x, v, key, NUMBER_LEAST, out);
	if (KEY("maximum")) return bound_value(x, v, key, NUMBER_MOST, out);
	if (KEY("exclusiveMinimum")) return exclusive_value(x, v, true, out);
	if (KEY("exclusiveMaximum")) return exclusive_value(x, v, false, out);
	if (KEY("multipleOf") || (KEY("divisibleBy") && x->is_lenient)) return multiple_value(x, v, out);
	if (KEY("minLength")) return length_value(x, v, true, out);
	if (KEY("maxLength")) return length_value(x, v, false, out);
	if (KEY("pattern")) {
		if (v->kind != JSON_STRING) return wrong(x, v, key, "a regular expression");
		*out = value_any();
		out->strings.of = pattern_language(x->s, v, v->text, v->len);
		return out->strings.of != LANGUAGE_ERROR;
	}
	if (KEY("format")) return format_or_refuse(x, v, out);
	if (KEY("properties")) return properties_value(x, v, out);
	if (KEY("patternProperties")) return pattern_properties_value(x, v, out);
	if (KEY("additionalProperties")) return additional_value(x, v, out);
	if (KEY("propertyNames") && draft >= DRAFT_6) return names_value(x, v, out);
	if (KEY("minProperties")) return count_value(x, v, true, out);
	if (KEY("maxProperties")) return count_value(x, v, false, out);
	if (KEY("dependencies") && old) return dependent_value(x, v, key, out);
	if ((KEY("dependentRequired") || KEY("dependentSchemas")) && is_2019) return dependent_value(x, v, key, out);
	if (KEY("minItems")) return items_count_value(x, v, true, out);
	if (KEY("maxItems")) return items_count_value(x, v, false, out);
	if (KEY("uniqueItems")) return unique_value(x, v, out);
	if (KEY("prefixItems") && draft == DRAFT_2020) {
		if (v->kind != JSON_ARRAY) return wrong(x, v, key, "a list of schemas");
		return tuple_value(x, v, out);
	}
	if (KEY("items")) return items_value(x, v, out);
	if (KEY("additionalItems") && (draft <= DRAFT_2019 || x->is_lenient)) {
		const struct json *items = json_get(x->node, "items");
		*out = value_any();
		if (!items || items->kind != JSON_ARRAY) return true;
		*out = with_array(items_from(x, items->n, UINT32_MAX, child(x, v)));
		return !x->s->failed;
	}
	if (KEY("contains") && draft >= DRAFT_6) return contains_value(x, v, out);
	if (KEY("allOf") || KEY("anyOf") || KEY("oneOf")) return list_value(x, v, key, out);
	if (KEY("not")) {
		if (!in_place(x, v, out)) return false;
		*out = value_not(x->s, *out);
		return true;
	}
	if (KEY("if") && draft >= DRAFT_7) return if_value(x, v, out);
	if (KEY("$ref") || (KEY("$dynamicRef") && draft == DRAFT_2020) || (KEY("$recursiveRef") && draft == DRAFT_2019))
		return reference_value(x, v, key, out);
#undef KEY
	return -1;
}

// With --closed, an object that says nothing of others takes none.
static bool close_object(struct context *x, struct value *v)
{
	struct json *node = x->node;
	bool speaks = json_get(node, "properties") && !json_get(node, "additionalProperties") &&
	              !json_get(node, "unevaluatedProperties") && !json_get(node, "patternProperties");
	uint32_t set;
	if (!x->s->o->closed || !speaks) return true;
	if (!other_keys(x, &set)) return false;
	*v = value_and(x->s, *v, with_object(all_of_keys(x, set, ATOM_FALSE)));
	return true;
}

static bool evaluate_keywords(struct context *x, struct value *out)
{
	struct schema *s = x->s;
	struct json *node = x->node, *reference = json_get(node, "$ref");
	struct value v = value_any(), one;
	struct json *required = json_get(node, "required");
	bool only_reference = reference && x->draft <= DRAFT_7 && !x->is_lenient;
	if (only_reference) return reference_value(x, reference, "$ref", out);
	if (x->no_validation) required = NULL;
	for (uint32_t i = 0; i < node->n; i++) {
		if (x->no_validation && is_validation(node->members[i].key)) continue;
		int done = keyword_value(x, node->members[i].key, node->members[i].value, &one);
		if (!done) return false;
		if (done > 0) v = value_and(s, v, one);
	}
	// Their keys come behind those that something says more about.
	if (required && !required_value(x, required, &one)) return false;
	if (required) v = value_and(s, v, one);
	struct json *rest = x->draft >= DRAFT_2019 ? json_get(node, "unevaluatedProperties") : NULL;
	if (rest && !unevaluated_value(x, rest, true, &one)) return false;
	if (rest) v = value_and(s, v, one);
	rest = x->draft >= DRAFT_2019 ? json_get(node, "unevaluatedItems") : NULL;
	if (rest && !unevaluated_value(x, rest, false, &one)) return false;
	if (rest) v = value_and(s, v, one);
	if (!close_object(x, &v)) return false;
	*out = v;
	return !s->failed;
}

static bool evaluate(struct schema *s, struct json *node, uint32_t scope, struct value *out)
{
	struct atom_info *info = s->atoms.at[schema_atom(s, node, scope)];
	if (node->kind == JSON_TRUE || node->kind == JSON_FALSE) {
		*out = node->kind == JSON_TRUE ? value_any() : value_none();
		return true;
	}
	if (node->kind != JSON_OBJECT) {
		schema_error(s, node, "a schema is an object or true or false");
		return false;
	}
	if (info->is_open) {
		schema_error(s, node, "this schema applies itself to the same value again, without end");
		return false;
	}
	if (s->depth >= SCHEMA_MAX_IN_PLACE) work_too_large("SCHEMA_MAX_IN_PLACE", SCHEMA_MAX_IN_PLACE);
	s->depth++;
	info->is_open = true;
	struct context x = context_of(s, node, scope);
	bool ok = evaluate_keywords(&x, out);
	info->is_open = false;
	s->depth--;
	return ok;
}
