// Atoms: schemas by number, so that formulas can name them. Those of one document that say the same are one atom.
//
// In:  a schema's JSON, a value, a list of atoms. Out: an atom; its value, evaluated (keywords.c) when it is first
// asked for: so recursion through members and items is no loop. Cost: linear in a schema's text, once.
#include "keywords.h"

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
// Branches: numbers, strings, lists, objects and schemas within objects are written each in their own way.
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

// Branches: true, false, schemas that say nothing and references alone need no atom of their own.
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

atom atom_spelled(struct schema *s, bool itself, const uint32_t *keys, uint32_t n)
{
	first_atoms(s);
	if (!itself && !n) return ATOM_TRUE;
	struct value v = value_any();
	if (itself) v.numbers = numbers_spelled(s, LANGUAGE_ANY);
	if (n) {
		const atom one = atom_spelled(s, true, NULL, 0);
		v.object = formula_prim(s, PRIM_ALL, keyset_of(s, false, keys, n, NULL, 0), one, 0);
	}
	u32_list words = {0};
	vec_push(&words, ATOM_KIND_SPELLED), vec_push(&words, itself);
	for (uint32_t i = 0; i < n; i++) vec_push(&words, keys[i]);
	const atom a =
		intern_atom(s, words.at, words.n, &(struct atom_info){.kind = ATOM_KIND_SPELLED, .is_known = true, .value = v});
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
		if (!schema_evaluate(s, i->node, i->scope, &v)) return NULL;
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
