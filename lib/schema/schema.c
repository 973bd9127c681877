// The front end as one call: text of a JSON Schema -> struct grammar. See schema.h.
//
// The stages are those of internal.h. Texts live in the diag's arena, since messages point into them; what *g holds
// lives in its own.
#include <errno.h>
#include <stdio.h>

#include "../base/file.h"
#include "../base/text_out.h"
#include "internal.h"

struct loading {
	const char *path, *text;
	size_t len;
	const struct schema_options *o;
	struct diag *d;
	struct grammar g;
	bool ok;
	uint32_t n_sources;  // of the caller, before
};

static struct source *make_source(struct diag *d, const char *path, const char *text, size_t len)
{
	struct source *s = arena_alloc(diag_arena(d), sizeof *s);
	*s =
		(struct source){arena_strndup(diag_arena(d), path, strlen(path)), arena_strndup(diag_arena(d), text, len), len};
	return s;
}

static const struct source *read_source(struct loading *x)
{
	if (x->text) return make_source(x->d, x->path, x->text, x->len);
	char *text;
	size_t len;
	if (!file_read(x->path, SCHEMA_MAX_BYTES, &text, &len)) {
		diag_error(x->d, (struct loc){0}, "cannot read %s: %s", x->path, strerror(errno));
		return NULL;
	}
	const struct source *s = make_source(x->d, x->path, text, len);
	free(text);
	return s;
}

static void release(struct schema *s)
{
	rules_free(s->rules);
	lengths_free(s->lengths);
	documents_release(s);
	if (s->languages != s->o->languages) languages_free(s->languages);
	vec_release(&s->resources), vec_release(&s->doubts), vec_release(&s->settled), vec_release(&s->anchors),
		vec_release(&s->references), vec_release(&s->resource_of), vec_release(&s->keyset);
	vec_release(&s->atoms), vec_release(&s->unenforced);
	intern_release(&s->scopes), intern_release(&s->keys), intern_release(&s->keysets), intern_release(&s->orders);
	intern_release(&s->truths), intern_release(&s->tuples);
	intern_release(&s->atom_names), intern_release(&s->texts), intern_release(&s->prim_names), intern_release(&s->said),
		intern_release(&s->formula_names), intern_release(&s->bounded);
	vec_release(&s->formula_notes), vec_release(&s->formula_words), vec_release(&s->joined);
	map64_release(&s->answers);
}

// A tool as vendors' APIs take it: {"type": "function", "function": {"name", "parameters"}}, {"name", "parameters"},
// {"name", "input_schema"} (Anthropic), {"name", "inputSchema"} (MCP), {"name", "parametersJsonSchema"} (Gemini),
// {"toolSpec": {"name", "inputSchema": {"json"}}} (Bedrock). Adds its alternative to the text.
static bool add_tool(struct schema *s, const struct json *tool, uint32_t number, FILE *out)
{
	static const char *const keys[] = {"parameters", "input_schema", "inputSchema", "parametersJsonSchema",
	                                   "parameters_json_schema"};
	const struct json *inner = json_get(tool, "function"), *spec = json_get(tool, "toolSpec");
	if (inner || spec) tool = inner ? inner : spec;
	const struct json *name = json_get(tool, "name");
	struct json *parameters = NULL;
	for (size_t i = 0; i < sizeof keys / sizeof *keys && !parameters; i++) {
		parameters = json_get(tool, keys[i]);
		if (spec) parameters = json_get(parameters, "json");
		if (parameters && parameters->kind == JSON_NULL) parameters = NULL;
	}
	if (!name || name->kind != JSON_STRING) {
		schema_error(s, tool,
		             "a tool needs a name, and its arguments' schema under \"parameters\", \"input_schema\" or "
		             "\"inputSchema\"");
		return false;
	}
	fprintf(out, "{\"type\":\"object\",\"properties\":{\"name\":{\"const\":%.*s},\"arguments\":", (int)name->loc.len,
	        name->loc.source->text + name->loc.offset);
	if (parameters) {
		const char *uri = arena_printf(s->arena, "tool:%u", number);
		schema_make_root(s, parameters, uri);
		if (!profile_check(s, parameters)) return false;
		fprintf(out, "{\"$ref\":\"%s\"}", uri);
	} else {
		fputs("{\"type\":\"object\",\"additionalProperties\":false}", out);
	}
	fputs("},\"required\":[\"name\",\"arguments\"],\"additionalProperties\":false}", out);
	return true;
}

typedef VEC(struct json *) json_list;

// Each tool, also in Gemini's lists of functions inside the list.
static void list_tools(const struct json *list, json_list *out)
{
	for (uint32_t i = 0; list && list->kind == JSON_ARRAY && i < list->n; i++) {
		const struct json *group = json_get(list->items[i], "functionDeclarations");
		if (!group) group = json_get(list->items[i], "function_declarations");
		if (group && group->kind == JSON_ARRAY)
			for (uint32_t k = 0; k < group->n; k++) vec_push(out, group->items[k]);
		else
			vec_push(out, list->items[i]);
	}
}

// The schema of "any of these tools": a document of its own that refers to theirs.
static struct json *tools_schema(struct schema *s, struct json *root)
{
	struct json *made = NULL;
	json_list tools = {0};
	list_tools(root->kind == JSON_OBJECT ? json_get(root, "tools") : root, &tools);
	if (!tools.n) {
		schema_error(s, root, "a list of tools was expected, or an object with one under \"tools\"");
		return NULL;
	}
	struct text_out x;
	text_open(&x);
	fputs("{\"anyOf\":[", x.f);
	bool ok = true;
	for (uint32_t i = 0; i < tools.n && ok; i++) {
		if (i) fputc(',', x.f);
		ok = add_tool(s, tools.at[i], i, x.f);
	}
	vec_release(&tools);
	fputs("]}", x.f);
	text_end(&x);
	if (ok) ok = schema_open_made(s, make_source(s->d, "tools", x.text, x.len), "tools", &made);
	text_drop(&x);
	return ok ? made : NULL;
}

// What the artifact tells of it: "KEYWORD POINTER" for each, a NUL behind it.
static void tell_unenforced(struct schema *s, struct grammar *g)
{
	size_t n = 0;
	for (uint32_t i = 0; i < s->unenforced.n; i++) n += strlen(s->unenforced.at[i]) + 1;
	char *to = arena_alloc(&g->arena, n + 1);
	*to = 0;
	g->unenforced = to, g->n_unenforced = (uint32_t)n;
	for (uint32_t i = 0; i < s->unenforced.n; i++) {
		size_t len = strlen(s->unenforced.at[i]) + 1;
		memcpy(to, s->unenforced.at[i], len);
		to += len;
	}
}

// The productions of what is compiled. False: an error, or no value has a text, or they are made again (s->settles).
static bool make_rules(struct schema *s, const struct json *node, atom a, struct grammar *g)
{
	rules_free(s->rules), lengths_free(s->lengths);
	s->rules = rules_new(s), s->lengths = NULL, s->n_order_steps = 0;
	const struct place place = {&a, NULL, 1, 0, 0, NULL};
	const symbol inner = place_symbol(s, &place, 0);
	if (inner == NO_SYMBOL) return false;
	const symbol start = rules_nonterminal(s->rules, "start", node->loc);
	rules_add(s->rules, start, &inner, 1);
	return rules_finish(s->rules, start, g);
}

// ---- Why no value satisfies a schema

#define EMPTY_STEPS 64u

struct empty {
	struct schema *s;
	struct json *node;
	uint32_t scope;
};

// To a schema that a value has to satisfy, too, if none does.
static bool step_into(struct empty *x, struct json *node)
{
	if (!node) return false;
	const uint32_t scope = scope_enter(x->s, x->scope, schema_resource(x->s, node));
	const atom a = schema_atom(x->s, node, scope);
	struct grammar g = {0};
	const bool has_texts = make_rules(x->s, node, a, &g);
	if (has_texts) grammar_release(&g);
	if (has_texts || x->s->failed) return false;
	x->node = node, x->scope = scope;
	return true;
}

static bool step(struct empty *x)
{
	const struct json *node = x->node, *reference = json_get(node, "$ref"), *all = json_get(node, "allOf"),
					  *any = json_get(node, "anyOf"), *required = json_get(node, "required");
	if (reference && step_into(x, schema_resolve(x->s, reference, schema_resource(x->s, node)))) return true;
	for (uint32_t i = 0; all && all->kind == JSON_ARRAY && i < all->n; i++)
		if (step_into(x, all->items[i])) return true;
	if (any && any->kind == JSON_ARRAY && any->n && step_into(x, any->items[0])) return true;
	for (uint32_t i = 0; required && required->kind == JSON_ARRAY && i < required->n; i++)
		if (step_into(x, json_get(json_get(node, "properties"), required->items[i]->text))) return true;
	return false;
}

// A key that is required and that nothing names, where other keys may not stand; NULL: none.
static const char *refused_key(const struct json *node)
{
	const struct json *required = json_get(node, "required"), *more = json_get(node, "additionalProperties");
	if (!required || required->kind != JSON_ARRAY || !more || more->kind != JSON_FALSE) return NULL;
	for (uint32_t i = 0; i < required->n && !json_get(node, "patternProperties"); i++)
		if (!json_get(json_get(node, "properties"), required->items[i]->text)) return required->items[i]->text;
	return NULL;
}

static const char *why_empty(struct schema *s, const struct json *node)
{
	static const char *const lists[] = {"enum", "type", "anyOf", "oneOf"};
	const char *key = refused_key(node);
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		const struct json *list = json_get(node, lists[i]);
		if (list && list->kind == JSON_ARRAY && !list->n) return arena_printf(s->arena, ": %s lists none", lists[i]);
	}
	if (key) return arena_printf(s->arena, ": \"%.60s\" is required, and additionalProperties refuses it", key);
	if (s->o->space == SCHEMA_SPACE_INDENTED) return " with at most SCHEMA_MAX_INDENTED (32) brackets in each other";
	return "";
}

// At the innermost schema that none satisfies and that one would have to.
static void tell_no_value(struct schema *s, struct json *node)
{
	struct empty x = {s, node, scope_enter(s, 0, schema_resource(s, node))};
	const struct json *seen[EMPTY_STEPS];
	uint32_t n = 0;
	bool returns = false;
	do {
		for (uint32_t i = 0; i < n; i++) returns |= seen[i] == x.node;
		seen[n++] = x.node;
	} while (!returns && n < EMPTY_STEPS && step(&x));
	if (s->failed) return;
	schema_error(s, x.node, "no value satisfies this schema%s",
	             returns ? ": each would hold another one, without end" : why_empty(s, x.node));
	if (!s->no_text) return;
	diag_note(s->d, s->no_text->loc, "no string matches this pattern%s",
	          strstr(s->no_text->text, "[]")
	              ? ": in ECMA 262 [] is a class of no characters (and [^] of all); in a class a bracket is \\]"
	              : "");
}

// Each of several tools has arguments: one that has none would be left out in silence.
static void check_tools(struct schema *s, const struct json *any)
{
	for (uint32_t i = 0; any && i < any->n && !s->failed; i++) {
		const struct resource *tool = schema_find_resource(s, arena_printf(s->arena, "tool:%u", i));
		if (!tool) continue;
		const uint32_t scope = scope_enter(s, 0, schema_resource(s, tool->root));
		const struct value *v = atom_value(s, schema_atom(s, tool->root, scope));
		struct empty x = {.s = s};
		if (v && !value_is_inhabited(s, v) && step_into(&x, tool->root)) tell_no_value(s, tool->root);
	}
}

// Branches: the document is opened, pointed into, checked and compiled, and each step may end it with a message.
static bool compile(struct schema *s, const struct source *source, struct grammar *g)
{
	struct json *root;
	if (!schema_open(s, source, source->path, &root)) return false;
	struct json *node = root;
	if (s->o->kind == SCHEMA_KIND_TOOLS && !(node = root = tools_schema(s, root))) return false;
	if (s->o->pointer && *s->o->pointer) {
		node = json_at(root, s->o->pointer, strlen(s->o->pointer));
		if (!node) {
			diag_error(s->d, root->loc, "the document has nothing at the pointer \"%s\"", s->o->pointer);
			return false;
		}
	}
	if (node->kind != JSON_OBJECT && node->kind != JSON_TRUE && node->kind != JSON_FALSE) {
		schema_error(s, node, "a schema is an object or true or false%s",
		             node->kind == JSON_ARRAY ? "; a list of tools is read with --from tools" : "");
		return false;
	}
	if (!schema_open_all(s) || (s->o->kind != SCHEMA_KIND_TOOLS && !profile_check(s, node))) return false;
	s->root = node;
	uint32_t scope = scope_enter(s, 0, schema_resource(s, node));
	atom a = schema_atom(s, node, scope);
	if (s->failed || !atom_value(s, a)) return false;
	bool ok = make_rules(s, node, a, g);
	if (!ok && !s->failed && s->must_settle) {
		s->settles = true;
		ok = make_rules(s, node, a, g);
	}
	if (!ok && !s->failed) tell_no_value(s, node);
	if (ok) tell_unenforced(s, g);
	if (ok && s->o->kind == SCHEMA_KIND_TOOLS) check_tools(s, json_get(root, "anyOf"));
	return ok && !s->failed;
}

static void run_load(void *context)
{
	struct loading *x = context;
	static const struct schema_options none = {0};
	struct arena arena = {0};
	work_stage("schema");
	const struct source *source = read_source(x);
	if (!source) return;
	struct schema s = {.arena = &arena, .d = x->d, .o = x->o ? x->o : &none};
	s.languages = s.o->languages ? s.o->languages : languages_new();
	s.store = (struct json_store){.arena = &arena, .d = x->d};
	x->ok = compile(&s, source, &x->g);
	release(&s);
	arena_release(&arena);
	if (!x->ok) grammar_release(&x->g);
}

// Where too much has to be told apart with keys in any order, and the order may be chosen: again with keys in order.
static bool run_again(struct loading *x, uint32_t n_messages, struct work_result *r)
{
	struct schema_options in_order = *x->o;
	in_order.order = SCHEMA_ORDER_SCHEMA;
	x->o = &in_order;
	x->d->messages.n = n_messages;
	if (in_order.sources) in_order.sources->n = x->n_sources;
	diag_warning(x->d, (struct loc){0},
	             "%s: %s (%llu) is passed where keys come in any order: all keys come in the schema's order "
	             "[schema-order]",
	             x->path, r->limit, (unsigned long long)r->max_bytes);
	return work_run(NULL, run_load, x, r);
}

static bool load_in_work(struct loading *x, struct grammar *g)
{
	struct work_result r;
	bool done = true;
	uint32_t n_messages = x->d->messages.n;
	x->n_sources = x->o && x->o->sources ? x->o->sources->n : 0;
	if (x->o && x->o->languages) {
		run_load(x);
		work_stage("grammar");  // names of the schema are freed
	} else {
		done = work_run(NULL, run_load, x, &r);
		bool may_order = x->o && x->o->order == SCHEMA_ORDER_AUTO;
		if (!done && may_order && r.end == WORK_TOO_LARGE) done = run_again(x, n_messages, &r);
	}
	if (!done) diag_given_up(x->d, &r, "split the schema, or lower its bounds");
	*g = done && x->ok ? x->g : (struct grammar){0};
	return done && x->ok;
}

bool schema_load(const char *path, const struct schema_options *o, struct diag *d, struct grammar *g)
{
	return load_in_work(&(struct loading){.path = path, .o = o, .d = d}, g);
}

bool schema_parse(const char *path, const char *text, size_t len, const struct schema_options *o, struct diag *d,
                  struct grammar *g)
{
	return load_in_work(&(struct loading){.path = path, .text = text, .len = len, .o = o, .d = d}, g);
}
