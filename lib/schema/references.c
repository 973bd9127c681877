// Documents, the names of their parts, and what references lead to.
//
// In:  the text of a schema; paths of others that it refers to. Out: each value's resource (base URI, draft), anchors,
// and the value that a reference names: by URI of a resource, by JSON pointer (RFC 6901), by anchor, by a path beside
// the document. Nothing is ever fetched from a network. Cost: linear in the documents; a reference is looked up.
#include <stdarg.h>
#include <stdio.h>

#include "internal.h"

// "uniqueItems: ..." below a pointer that ends in "/uniqueItems" needs no second name.
static const char *behind_keyword(const char *pointer, const char *text)
{
	const char *slash = strrchr(pointer, '/'), *keyword = slash ? slash + 1 : "";
	const size_t n = strlen(keyword);
	return n && strncmp(text, keyword, n) == 0 && strncmp(text + n, ": ", 2) == 0 ? text + n + 2 : text;
}

void schema_error(struct schema *s, const struct json *at, const char *fmt, ...)
{
	char text[600];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	s->failed = true;
	const char *pointer = at ? json_pointer(at, s->arena) : "";
	diag_error(s->d, at ? at->loc : (struct loc){0}, "%s%s%s", pointer, *pointer ? ": " : "",
	           behind_keyword(pointer, text));
}

// Is `keyword` (or "keyword:detail") in the list of those that may stay unenforced?
static bool is_listed(const char *list, const char *keyword, const char *detail)
{
	size_t n = strlen(keyword), m = detail ? strlen(detail) : 0;
	for (const char *c = list; c && *c;) {
		const char *end = strchr(c, ',');
		size_t len = end ? (size_t)(end - c) : strlen(c);
		if (len == 3 && memcmp(c, "all", 3) == 0) return true;
		if (len == n && memcmp(c, keyword, n) == 0) return true;
		if (detail && len == n + 1 + m && memcmp(c, keyword, n) == 0 && c[n] == ':' &&
		    memcmp(c + n + 1, detail, m) == 0)
			return true;
		c = end ? end + 1 : NULL;
	}
	return false;
}

bool schema_may_drop(const struct schema *s, const char *keyword)
{
	return is_listed(s->o->allow_unenforced, keyword, NULL);
}

void schema_warning(struct schema *s, struct loc loc, const char *fmt, ...)
{
	va_list args, again;
	va_start(args, fmt);
	va_copy(again, args);
	const int len = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	ASSERT(len >= 0);
	char *text = arena_alloc(s->arena, (size_t)len + 1);
	vsnprintf(text, (size_t)len + 1, fmt, again);
	va_end(again);
	const char *key = arena_printf(s->arena, "%p:%u %s", (const void *)loc.source, loc.offset, text);
	bool is_new;
	intern_add(&s->said, key, strlen(key), &is_new);
	if (is_new) diag_warning(s->d, loc, "%s", text);
}

bool schema_unenforced(struct schema *s, const struct json *at, const char *keyword, const char *detail,
                       const char *why)
{
	const char *name = detail ? arena_printf(s->arena, "%s:%s", keyword, detail) : keyword;
	if (!is_listed(s->o->allow_unenforced, keyword, detail)) {
		schema_error(s, at, "%s; to compile without it: --allow-unenforced %s", why, name);
		return false;
	}
	schema_dropped(s, at, keyword, detail, why);
	return true;
}

void schema_dropped(struct schema *s, const struct json *at, const char *keyword, const char *detail, const char *why)
{
	const char *name = detail ? arena_printf(s->arena, "%s:%s", keyword, detail) : keyword;
	const char *pointer = json_pointer(at, s->arena);
	schema_warning(s, at->loc, "%s%s%s: not enforced [schema-unenforced]", pointer, *pointer ? ": " : "",
	               behind_keyword(pointer, why));
	const char *line = arena_printf(s->arena, "%s %s", name, pointer);
	bool is_new;
	intern_add(&s->said, line, strlen(line), &is_new);
	if (is_new) vec_push(&s->unenforced, line);
}

static void normalise(char *path)
{
	// "/a/b/../c" and "/./": segments are dropped (RFC 3986, 5.2.4).
	char *from = path, *to = path;
	while (*from) {
		if (strncmp(from, "/./", 3) == 0) {
			from += 2;
		} else if (strcmp(from, "/.") == 0) {
			from[1] = 0;
		} else if (strncmp(from, "/../", 4) == 0 || strcmp(from, "/..") == 0) {
			from += 3;
			if (!*from) *--from = '/';
			while (to > path && *--to != '/') {
			}
		} else {
			*to++ = *from++;
		}
	}
	*to = 0;
}

// Where the scheme ends ("http:"), or 0.
size_t uri_scheme_length(const char *uri)
{
	size_t n = 0;
	while ((uri[n] >= 'a' && uri[n] <= 'z') || (uri[n] >= 'A' && uri[n] <= 'Z') ||
	       (n && ((uri[n] >= '0' && uri[n] <= '9') || (uri[n] && strchr("+-.", uri[n])))))
		n++;
	return n > 1 && uri[n] == ':' ? n + 1 : 0;
}

// RFC 3986, 5.2: a reference without a fragment, against a base.
static const char *join_uri(struct arena *arena, const char *base, const char *reference, size_t len)
{
	char *r = arena_strndup(arena, reference, len);
	if (!len) return base;
	if (uri_scheme_length(r)) return r;
	size_t scheme = uri_scheme_length(base), authority = scheme;
	if (strncmp(base + scheme, "//", 2) == 0) {
		authority = scheme + 2;
		while (base[authority] && base[authority] != '/' && base[authority] != '?') authority++;
	}
	if (strncmp(r, "//", 2) == 0) return arena_printf(arena, "%.*s%s", (int)scheme, base, r);
	char *out;
	if (*r == '/') {
		out = arena_printf(arena, "%.*s%s", (int)authority, base, r);
	} else {
		size_t slash = strlen(base);
		while (slash > authority && base[slash - 1] != '/') slash--;
		bool lacks = slash == authority && authority > scheme;
		out = arena_printf(arena, "%.*s%s%s", (int)slash, base, lacks ? "/" : "", r);
	}
	if (authority < strlen(out)) normalise(out + authority);
	return out;
}

static const char *without_fragment(struct arena *arena, const char *uri)
{
	const char *hash = strchr(uri, '#');
	return hash ? arena_strndup(arena, uri, (size_t)(hash - uri)) : uri;
}

// Up to draft 7 the exact name counts: validators do not know others (https), and read them as the newest draft, where
// a $ref has siblings. So such a schema is read as one without $schema, which enforces most.
static bool find_draft(const struct json *name, enum draft *draft)
{
	static const struct {
		const char *part;
		enum draft draft;
	} known[] = {{"http://json-schema.org/draft-04/schema", DRAFT_4},
	             {"http://json-schema.org/draft-06/schema", DRAFT_6},
	             {"http://json-schema.org/draft-07/schema", DRAFT_7},
	             {"json-schema.org/draft/2019-09/", DRAFT_2019},
	             {"json-schema.org/draft/2020-12/", DRAFT_2020}};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		const size_t n = strlen(known[i].part);
		const bool is_it = known[i].draft > DRAFT_7 ? strstr(name->text, known[i].part) != NULL
		                                            : strncmp(name->text, known[i].part, n) == 0 &&
		                                                  (!name->text[n] || strcmp(name->text + n, "#") == 0);
		if (is_it) return *draft = known[i].draft, true;
	}
	return false;
}

struct walk {
	struct json *v;
	uint32_t resource;
	bool lists;  // schemas by name: no schema itself
};

static void set_resource(struct schema *s, const struct json *v, uint32_t resource)
{
	while (s->resource_of.n <= v->number) vec_push(&s->resource_of, 0);
	s->resource_of.at[v->number] = resource + 1;
}

static bool is_text(const struct json *v) { return v && v->kind == JSON_STRING; }

// What $id says: a name of its own within the document, or another one for the whole of it. Returns the resource.
static uint32_t note_id(struct schema *s, struct json *v, const struct json *id, uint32_t resource, enum draft draft,
                        bool is_lenient)
{
	struct resource r = s->resources.at[resource];
	const char *hash = strchr(id->text, '#');
	size_t n = hash ? (size_t)(hash - id->text) : id->len;
	if (hash && hash[1] && (draft <= DRAFT_7 || is_lenient))
		vec_push(&s->anchors, ((struct anchor){resource, hash + 1, false, v}));
	if (!n) return resource;
	r.uri = join_uri(s->arena, r.uri, id->text, n);
	if (r.root != v)
		r.root = v, r.draft = draft, r.is_lenient = is_lenient,
		r.recursive_anchor = false;  // else it is known by its path, too
	vec_push(&s->resources, r);
	return s->resources.n - 1;
}

static void note_anchors(struct schema *s, struct json *v, uint32_t resource)
{
	const struct json *anchor = json_get(v, "$anchor"), *dynamic = json_get(v, "$dynamicAnchor");
	const struct json *recursive = json_get(v, "$recursiveAnchor");
	if (is_text(anchor)) vec_push(&s->anchors, ((struct anchor){resource, anchor->text, false, v}));
	if (is_text(dynamic)) vec_push(&s->anchors, ((struct anchor){resource, dynamic->text, true, v}));
	if (recursive && recursive->kind == JSON_TRUE) s->resources.at[resource].recursive_anchor = true;
}

static void note_references(struct schema *s, const struct json *v, uint32_t resource)
{
	static const char *const references[] = {"$ref", "$dynamicRef"};
	s->has_dynamic |= json_get(v, "$dynamicRef") || json_get(v, "$recursiveRef");
	for (size_t i = 0; i < 2; i++) {
		const struct json *to = json_get(v, references[i]);
		if (is_text(to) && *to->text != '#') vec_push(&s->references, ((struct reference){to, resource}));
	}
}

static bool has_names(const struct json *v)
{
	for (uint32_t i = 0; i < v->n; i++)
		if (*v->members[i].key == '$' || strcmp(v->members[i].key, "id") == 0) return true;
	return false;
}

// Notes the names in an object: $id, anchors. Returns its resource.
// Branches: drafts differ in which keyword names a schema, and where that counts.
static uint32_t note_names(struct schema *s, struct json *v, uint32_t resource)
{
	if (!has_names(v)) return resource;
	const struct json *version = json_get(v, "$schema");
	enum draft draft = s->resources.at[resource].draft;
	bool is_root = s->resources.at[resource].root == v, is_lenient = s->resources.at[resource].is_lenient;
	bool said = is_text(version) && find_draft(version, &draft);
	if (said) is_lenient = false;
	const struct json *id = json_get(v, draft == DRAFT_4 ? "id" : "$id");
	if (!id && is_lenient) id = json_get(v, "id");
	bool sibling = draft <= DRAFT_7 && json_get(v, "$ref") && !is_root;
	if (is_text(id) && !sibling) resource = note_id(s, v, id, resource, draft, is_lenient);
	if (said) s->resources.at[resource].draft = draft, s->resources.at[resource].is_lenient = false;
	bool is_3 = is_text(version) && strstr(version->text, "json-schema.org/draft-03/");
	if (is_3) s->resources.at[resource].draft = DRAFT_4, s->resources.at[resource].is_draft_3 = true;
	if (is_text(version) && !said && !is_3 && !strstr(version->text, "json-schema.org/draft-0"))
		s->resources.at[resource].own_metaschema = version;
	note_anchors(s, v, resource);
	note_references(s, v, resource);
	return resource;
}

// Branches: what is a schema has names, what is a list of properties has none, and constants are not looked into.
bool schema_open(struct schema *s, const struct source *source, const char *uri, struct json **root)
{
	*root = json_read(&s->store, source);
	if (!*root) return false;
	if (s->o->sources) vec_push(s->o->sources, source);
	const char *slash = strrchr(source->path, '/');
	struct resource r = {.uri = uri, .root = *root, .draft = DRAFT_2020, .is_lenient = true};
	const struct json *version = (*root)->kind == JSON_OBJECT ? json_get(*root, "openapi") : NULL;
	r.is_openapi_3 = version && version->kind == JSON_STRING && strncmp(version->text, "3.0", 3) == 0;
	r.folder = slash ? arena_strndup(s->arena, source->path, (size_t)(slash + 1 - source->path)) : "";
	vec_push(&s->resources, r);
	VEC(struct walk) stack = {0};
	vec_push(&stack, ((struct walk){*root, s->resources.n - 1, false}));
	while (stack.n) {
		struct walk w = vec_pop(&stack);
		if (w.v->kind == JSON_OBJECT && !w.lists) w.resource = note_names(s, w.v, w.resource);
		set_resource(s, w.v, w.resource);
		for (uint32_t i = w.v->n; w.v->kind == JSON_ARRAY && i-- > 0;)
			vec_push(&stack, ((struct walk){w.v->items[i], w.resource, false}));
		for (uint32_t i = w.v->n; w.v->kind == JSON_OBJECT && i-- > 0;) {
			const char *key = w.v->members[i].key;
			bool opaque = !w.lists && (strcmp(key, "enum") == 0 || strcmp(key, "const") == 0 ||
			                           strcmp(key, "default") == 0 || strcmp(key, "examples") == 0);
			const bool lists = !w.lists && (strcmp(key, "properties") == 0 || strcmp(key, "patternProperties") == 0);
			// What is no schema has no names, but may be pointed to.
			if (!opaque) vec_push(&stack, ((struct walk){w.v->members[i].value, w.resource, lists}));
		}
	}
	vec_release(&stack);
	return true;
}

bool schema_open_made(struct schema *s, const struct source *source, const char *uri, struct json **root)
{
	struct schema_options without = *s->o;
	without.sources = NULL;
	const struct schema_options *all = s->o;
	s->o = &without;
	bool ok = schema_open(s, source, uri, root);
	s->o = all;
	return ok;
}

void schema_make_root(struct schema *s, struct json *node, const char *uri)
{
	uint32_t from = schema_resource(s, node), to = s->resources.n;
	struct resource r = s->resources.at[from];
	r.uri = uri, r.root = node;
	const struct json *version = json_get(node, "$schema");
	if (version && version->kind == JSON_STRING && find_draft(version, &r.draft)) r.is_lenient = false;
	vec_push(&s->resources, r);
	VEC(struct json *) stack = {0};
	vec_push(&stack, node);
	while (stack.n) {
		struct json *v = vec_pop(&stack);
		if (v->number < s->resource_of.n && s->resource_of.at[v->number] == from + 1) set_resource(s, v, to);
		for (uint32_t i = 0; v->kind == JSON_ARRAY && i < v->n; i++) vec_push(&stack, v->items[i]);
		for (uint32_t i = 0; v->kind == JSON_OBJECT && i < v->n; i++) vec_push(&stack, v->members[i].value);
	}
	vec_release(&stack);
}

uint32_t schema_resource(struct schema *s, const struct json *v)
{
	for (; v; v = v->up)
		if (v->number < s->resource_of.n && s->resource_of.at[v->number]) return s->resource_of.at[v->number] - 1;
	return 0;
}

void schema_read_metaschema(struct schema *s, uint32_t resource)
{
	const struct json *version = s->resources.at[resource].own_metaschema;
	if (!version) return;
	s->resources.at[resource].own_metaschema = NULL;
	const char *uri = without_fragment(s->arena, version->text);
	const struct resource *found = schema_find_resource(s, uri);
	if (!found && documents_load(s, &s->resources.at[resource], version->text, strlen(uri), uri))
		found = schema_find_resource(s, uri);
	if (!found) return;
	struct resource *r = &s->resources.at[resource];
	const struct json *vocabulary = json_get(found->root, "$vocabulary");
	r->draft = found->draft, r->is_lenient = found->is_lenient;
	bool has = !vocabulary;
	for (uint32_t i = 0; vocabulary && vocabulary->kind == JSON_OBJECT && i < vocabulary->n; i++)
		has |= strstr(vocabulary->members[i].key, "/vocab/validation") != NULL;
	r->no_validation = !has;
}

const struct resource *schema_find_resource(struct schema *s, const char *uri)
{
	for (uint32_t i = 0; i < s->resources.n; i++)
		if (strcmp(s->resources.at[i].uri, uri) == 0) return &s->resources.at[i];
	// Written with an empty fragment, or with another scheme's name.
	for (uint32_t i = 0; i < s->resources.n; i++) {
		const char *known = s->resources.at[i].uri;
		size_t n = strlen(known);
		if (n && known[n - 1] == '#' && strncmp(known, uri, n - 1) == 0 && !uri[n - 1]) return &s->resources.at[i];
	}
	return NULL;
}

struct json *schema_anchor(struct schema *s, uint32_t resource, const char *name, size_t len, bool dynamic_only)
{
	for (uint32_t i = 0; i < s->anchors.n; i++) {
		const struct anchor *a = &s->anchors.at[i];
		// Two resources may be one document.
		if (s->resources.at[a->resource].root != s->resources.at[resource].root) continue;
		if (strlen(a->name) == len && memcmp(a->name, name, len) == 0 && (a->is_dynamic || !dynamic_only))
			return a->target;
	}
	return NULL;
}

// Documents are opened before schemas are evaluated: whether references are dynamic anywhere is known from then on.
static const struct resource *find_document(struct schema *s, const struct json *reference, uint32_t resource)
{
	const char *text = reference->text;
	size_t n = strcspn(text, "#");
	const struct resource *base = &s->resources.at[resource];
	if (!n) return base;
	const char *uri = without_fragment(s->arena, join_uri(s->arena, base->uri, text, n));
	const struct resource *found = schema_find_resource(s, uri);
	if (!found && documents_load(s, base, text, n, uri)) found = schema_find_resource(s, uri);
	return found;
}

bool schema_open_all(struct schema *s)
{
	for (uint32_t i = 0; i < s->references.n && !s->failed; i++)
		find_document(s, s->references.at[i].text, s->references.at[i].resource);
	return !s->failed;
}

struct json *schema_resolve(struct schema *s, const struct json *reference, uint32_t resource)
{
	const char *text = reference->text, *hash = strchr(text, '#');
	bool is_here = hash == text;
	const struct resource *found = find_document(s, reference, resource);
	if (!found && !s->failed)
		schema_error(
			s, reference,
			"the reference \"%s\" leads to no schema that is here; nothing is fetched from the network: put the "
			"document beside this one, or into a folder that --schemas names",
			text);
	if (!found) return NULL;
	struct json *root = found->root;
	uint32_t number = (uint32_t)(found - s->resources.at);
	if (!hash || !hash[1]) return root;
	char *fragment = uri_decode(s->arena, hash + 1);
	struct json *target = *fragment == '/' ? json_at(root, fragment, strlen(fragment))
	                                       : schema_anchor(s, number, fragment, strlen(fragment), false);
	// A pointer may be meant from the document's root.
	if (!target && *fragment == '/' && is_here) {
		const struct json *top = reference;
		while (top->up) top = top->up;
		target = json_at((struct json *)top, fragment, strlen(fragment));
	}
	if (!target)
		schema_error(s, reference, "the reference \"%s\" leads to nothing: there is no such %s", text,
		             *fragment == '/' ? "place in the document" : "anchor");
	return target;
}

uint32_t scope_enter(struct schema *s, uint32_t scope, uint32_t resource)
{
	if (!s->has_dynamic) return 0;
	if (!s->scopes.entries.n) intern_add(&s->scopes, "", 0, NULL);
	uint32_t len, n;
	const uint32_t *list = intern_get(&s->scopes, scope, &len);
	n = len / 4;
	for (uint32_t i = 0; i < n; i++)
		if (s->resources.at[list[i]].root == s->resources.at[resource].root) return scope;
	uint32_t *longer = mem_alloc(len + 4);
	if (n) memcpy(longer, list, len);
	longer[n] = resource;
	scope = intern_add(&s->scopes, longer, len + 4, NULL);
	free(longer);
	return scope;
}
