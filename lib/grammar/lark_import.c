// Statements of a grammar and of the files it imports -> one list of definitions.
//
// In:  a source. Out: struct definitions: every rule and terminal under its full name, in order; what is ignored.
// As Lark does it (GrammarBuilder.load_grammar): an imported file is read for itself, its names get the prefix
// "file__" (a leading _ stays in front), but for those that were asked for; of its definitions those stay that
// the asked-for ones need. All imports of a file come first, then its other statements in order. One file
// imported from two places is read twice, under two prefixes. %ignore, %start and the like count in the main grammar
// only. Order: an imported definition stands where its %import stands, what came along with it before it. Cost: linear
// in the text of all files, counted as often as they are imported (IMPORT_MAX_FILES).
#include "lark.h"

#include <errno.h>

#include "../base/file.h"

typedef VEC(struct definition *) definition_vec;

// What one importing file wants of one imported grammar.
struct request {
	const char *name, *alias;
	bool is_terminal;
	const struct statement *statement;
	struct loc loc;
	struct definition *found;
};
struct import_group {
	const char *key;     // dotted, with the leading dot of a relative one
	const char *prefix;  // a__b
	bool is_relative;
	const struct statement *first;
	struct intern names;  // of what is asked for: id = index in requests
	VEC(struct request) requests;
	definition_vec list;
};
typedef VEC(struct import_group) group_vec;
struct scope {
	const struct scope *parent;        // the file that imports this one
	const struct import_group *group;  // as what; NULL: the main grammar
	const char *path;
	const struct source *source;
	uint32_t depth;
};

static void load_scope(struct definitions *d, const struct scope *scope, definition_vec *out);

// The full name of a name in a file.
static const char *full_name(struct definitions *d, const struct scope *scope, const char *name)
{
	for (; scope->group; scope = scope->parent) {
		const struct import_group *g = scope->group;
		uint32_t id = intern_find(&g->names, name, strlen(name));
		if (id != INTERN_NONE)
			name = g->requests.at[id].alias;
		else if (name[0] == '_')
			name = arena_printf(d->arena, "_%s__%s", g->prefix, name + 1);
		else
			name = arena_printf(d->arena, "%s__%s", g->prefix, name);
	}
	return name;
}

const char *definitions_name(const struct definitions *d, uint32_t symbol)
{
	uint32_t len;
	const char *name = intern_get(&d->names, symbol, &len);
	return arena_strndup(d->arena, name, len);
}

static uint32_t symbol_of(struct definitions *d, const char *full)
{
	bool is_new;
	uint32_t id = intern_add(&d->names, full, strlen(full), &is_new);
	if (is_new) vec_push(&d->by_symbol, NULL);
	return id;
}

static struct definition *defined_as(struct definitions *d, const char *full)
{
	uint32_t id = symbol_of(d, full);  // may move the table
	return d->by_symbol.at[id];
}

void lark_each_name(struct node *n, void (*visit)(struct node *, void *), void *context)
{
	if (n->kind == N_NAME || n->kind == N_CALL) visit(n, context);
	for (uint32_t i = 0; i < n->n_children; i++) lark_each_name(n->children[i], visit, context);
}

struct naming {
	struct definitions *d;
	const struct scope *scope;
};

static void name_symbol(struct node *n, void *context)
{
	struct naming *c = context;
	n->symbol = symbol_of(c->d, full_name(c->d, c->scope, n->text));
}

static const char *kind_name(bool is_terminal) { return is_terminal ? "terminal" : "rule"; }

// ---- definitions of one file

static struct definition *new_definition(struct definitions *d, const char *full, struct loc loc, definition_vec *out)
{
	struct definition *n = arena_alloc(d->arena, sizeof *n);
	n->name = full, n->symbol = symbol_of(d, full), n->loc = loc;
	d->by_symbol.at[n->symbol] = n;
	vec_push(out, n);
	return n;
}

static struct body *new_body(struct definitions *d, const struct definition *of, struct node *root)
{
	struct body *b = arena_alloc(d->arena, sizeof *b);
	b->root = root, b->name = of->name, b->loc = of->loc;
	return b;
}

static void note_first(struct definitions *d, const struct definition *first)
{
	if (first->is_imported)
		diag_note(d->diag, first->import_loc, "the first one is imported here");
	else
		diag_note(d->diag, first->loc, "the first one is here");
}

static void declare(struct definitions *d, const struct scope *scope, const struct statement *s, definition_vec *out)
{
	for (uint32_t i = 0; i < s->n_list; i++) {
		const struct name *name = &s->list[i];
		if (!name->is_terminal) {
			diag_error(d->diag, name->loc, "only terminals can be declared, '%s' is a rule's name", name->text);
			continue;
		}
		const char *full = full_name(d, scope, name->text);
		struct definition *old = defined_as(d, full);
		if (old) {
			diag_error(d->diag, name->loc, "terminal '%s' is defined twice", name->text);
			note_first(d, old);
			continue;
		}
		struct definition *n = new_definition(d, full, name->loc, out);
		n->is_terminal = n->is_declared = true;
	}
}

static bool same_parameters(const struct definition *a, const struct statement *b)
{
	if (a->n_params != b->n_list) return false;
	for (uint32_t i = 0; i < a->n_params; i++)
		if (strcmp(a->params[i].text, b->list[i].text) != 0) return false;
	return true;
}

static void extend(struct definitions *d, struct definition *old, const struct statement *s)
{
	if (old->is_declared) {
		diag_error(d->diag, s->loc, "terminal '%s' cannot be extended: %%declare gives it no pattern", s->name.text);
		diag_note(d->diag, old->loc, "declared here");
	} else if (!same_parameters(old, s)) {
		diag_error(d->diag, s->loc, "%%extend must repeat the parameters of '%s'", s->name.text);
		diag_note(d->diag, old->loc, "defined here");
	} else {
		struct node *root = old->body->root;
		uint32_t n = root->n_children + s->body->n_children;
		if (n > root->hi) {  // room in children; doubled, so that many %extend stay linear
			root->hi = 2 * n;
			struct node **all = arena_array(d->arena, root->hi, sizeof *all);
			memcpy(all, root->children, root->n_children * sizeof *all);
			root->children = all;
		}
		memcpy(root->children + root->n_children, s->body->children, s->body->n_children * sizeof *root->children);
		root->n_children = n;
	}
}

static void define(struct definitions *d, const struct scope *scope, struct statement *s, definition_vec *out)
{
	static const char *const verbs[] = {"", "%override", "%extend"};
	const char *full = full_name(d, scope, s->name.text);
	struct definition *old = defined_as(d, full);
	lark_each_name(s->body, name_symbol, &(struct naming){d, scope});
	if (s->mode == MODE_DEFINE && old) {
		if (old->is_broken) return;
		diag_error(d->diag, s->loc, "%s '%s' is defined twice", kind_name(s->name.is_terminal), s->name.text);
		if (scope->group) diag_note(d->diag, scope->group->first->path[0].loc, "its file is imported here");
		note_first(d, old);
		return;
	}
	if (s->mode != MODE_DEFINE && !old) {
		if (!d->has_gaps)
			diag_error(d->diag, s->loc, "%s needs a %s '%s' that is defined or imported before it", verbs[s->mode],
			           kind_name(s->name.is_terminal), s->name.text);
		old = new_definition(d, full, s->loc, out);  // so that uses of it are no errors, too
		old->is_terminal = s->name.is_terminal, old->is_broken = true;
		return;
	}
	if (old && old->is_broken) return;
	if (s->mode == MODE_EXTEND) {
		extend(d, old, s);
		return;
	}
	struct definition *n = old ? old : new_definition(d, full, s->loc, out);
	n->is_terminal = s->name.is_terminal, n->is_declared = false, n->loc = s->loc;
	n->params = s->list, n->n_params = s->n_list, n->priority = s->priority;
	n->body = new_body(d, n, s->body);
}

// The terminals that %indent makes need no %declare.
static void declare_indents(struct definitions *d, definition_vec *out)
{
	const struct terminal_ref *refs[] = {&d->indent.indent, &d->indent.dedent};
	for (int i = 0; i < 2; i++) {
		if (!refs[i]->text || refs[i]->is_text || defined_as(d, refs[i]->text)) continue;
		struct definition *n = new_definition(d, refs[i]->text, refs[i]->loc, out);
		n->is_terminal = n->is_declared = true;
	}
}

// %ignore X names a terminal; any other pattern becomes a terminal of its own.
static void ignore(struct definitions *d, const struct scope *scope, struct statement *s, definition_vec *out)
{
	if (scope->group) return;
	lark_each_name(s->body, name_symbol, &(struct naming){d, scope});
	struct node *only = s->body->n_children == 1 ? s->body->children[0] : NULL;
	struct ignored one = {.brackets = s->brackets,
	                      .n_brackets = s->n_brackets,
	                      .rules = s->rules,
	                      .n_rules = s->n_rules,
	                      .holders = s->holders,
	                      .n_holders = s->n_holders,
	                      .loc = only ? only->loc : s->body->loc};
	if (only && only->kind == N_NAME) {
		one.symbol = only->symbol;  // perhaps defined further down
	} else {
		const char *name = arena_printf(d->arena, "__IGNORE_%u", d->ignored.n);
		struct definition *of = new_definition(d, name, s->body->loc, out);
		of->is_terminal = true;
		of->body = new_body(d, of, s->body);
		one.symbol = of->symbol;
	}
	vec_push(&d->ignored, one);
}

static void resolve_ignored(struct definitions *d)
{
	for (uint32_t i = 0; i < d->ignored.n; i++) {
		struct ignored *one = &d->ignored.at[i];
		one->definition = d->by_symbol.at[one->symbol];
		if (!one->definition && d->has_gaps) continue;
		const char *name = definitions_name(d, one->symbol);
		if (!one->definition)
			diag_error(d->diag, one->loc, "%%ignore: '%s' is not defined", name);
		else if (!one->definition->is_terminal) {
			diag_error(d->diag, one->loc, "%%ignore takes terminals, '%s' is a rule", name);
			diag_note(d->diag, one->definition->loc, "defined here");
		}
	}
}

// ---- imports

static struct import_group *find_group(struct definitions *d, group_vec *groups, const struct statement *s)
{
	char *key = arena_strndup(d->arena, ".", s->is_relative), *prefix = NULL;
	for (uint32_t i = 0; i < s->n_path; i++) {
		const char *part = s->path[i].text;
		key = i ? arena_printf(d->arena, "%s.%s", key, part) : arena_printf(d->arena, "%s%s", key, part);
		prefix = i ? arena_printf(d->arena, "%s__%s", prefix, part) : arena_strndup(d->arena, part, strlen(part));
	}
	for (uint32_t i = 0; i < groups->n; i++)
		if (strcmp(groups->at[i].key, key) == 0) return &groups->at[i];
	if (groups->n > IMPORT_MAX_FILES) return NULL;  // load_group reports the one too many
	vec_push(groups, ((struct import_group){.key = key, .prefix = prefix, .is_relative = s->is_relative, .first = s}));
	return &groups->at[groups->n - 1];
}

static void add_requests(struct definitions *d, struct import_group *g, const struct statement *s)
{
	for (uint32_t i = 0; i < s->n_list; i++) {
		const struct name *name = &s->list[i];
		const char *alias = s->name.text ? s->name.text : name->text;
		if (s->name.text && s->name.is_terminal != name->is_terminal) {
			diag_error(d->diag, s->name.loc, "the new name of a %s is a %s's", kind_name(name->is_terminal),
			           kind_name(s->name.is_terminal));
			alias = name->text;
		}
		bool is_new;
		uint32_t id = intern_add(&g->names, name->text, strlen(name->text), &is_new);
		if (is_new)
			vec_push(&g->requests, ((struct request){name->text, alias, name->is_terminal, s, name->loc, NULL}));
		else if (strcmp(g->requests.at[id].alias, alias) != 0) {
			diag_error(d->diag, name->loc, "'%s' is imported under two names", name->text);
			diag_note(d->diag, g->requests.at[id].loc, "the first import is here");
		}
	}
}

// The list stays when the work is given up: it is the caller's.
void lark_add_source(source_list *list, const struct source *s)
{
	if (!list->at) list->at = mem_keep(8 * sizeof *list->at), list->cap = 8;
	vec_push(list, s);
}

static void close_file(void *f) { fclose(f); }

static char *read_file(struct arena *a, const char *path, size_t *len, const char **why)
{
	struct work_cleanup c;
	FILE *f = file_open(path, why);
	if (!f) return NULL;
	work_cleanup(&c, close_file, f);
	size_t cap = 64 << 10, n = 0;
	char *text = mem_alloc(cap);
	for (size_t got; (got = fread(text + n, 1, cap - n, f)) > 0;) {
		n += got;
		if (n > LARK_MAX_BYTES) break;
		if (n == cap) text = mem_realloc(text, cap *= 2, 1);
	}
	bool bad = ferror(f);
	work_cleanup_end(&c);
	if (bad) *why = strerror(errno);
	fclose(f);
	char *copy = bad ? NULL : arena_strndup(a, text, n);
	free(text);
	*len = n;
	return copy;
}

struct source *lark_source(struct diag *d, const char *path, const char **why)
{
	struct source *s = arena_alloc(diag_arena(d), sizeof *s);
	s->path = arena_strndup(diag_arena(d), path, strlen(path));
	s->text = read_file(diag_arena(d), path, &s->len, why);
	return s->text ? s : NULL;
}

// The path of an imported grammar behind a folder that ends in '/', or is "".
static const char *path_below(struct definitions *d, const char *folder, int len, const struct import_group *g)
{
	char *path = arena_printf(d->arena, "%.*s", len, folder);
	for (uint32_t i = 0; i < g->first->n_path; i++)
		path = arena_printf(d->arena, "%s%s%s", path, i ? "/" : "", g->first->path[i].text);
	return arena_printf(d->arena, "%s.lark", path);
}

static bool is_circle(struct definitions *d, const struct scope *scope, const struct import_group *g, const char *path)
{
	const struct scope *up = scope;
	while (up && strcmp(up->path, path) != 0) up = up->parent;
	if (!up) return false;
	diag_error(d->diag, g->first->path[0].loc, "grammars import each other in a circle: %s is read already", path);
	for (const struct scope *s = scope; s != up; s = s->parent)
		diag_note(d->diag, s->group->first->path[0].loc, "%s is imported here", s->path);
	return true;
}

static const struct source *library_source(struct definitions *d, const struct import_group *g)
{
	const char *text = lark_library(g->key);
	if (!text) return NULL;
	struct source *s = arena_alloc(&d->diag->arena, sizeof *s);
	s->path = arena_printf(&d->diag->arena, "<%s.lark>", g->key), s->text = text, s->len = strlen(text);
	return s;
}

static const struct source *file_source(struct definitions *d, const char *path, const char **why)
{
	const struct source *s = lark_source(d->diag, path, why);
	if (s && d->sources) lark_add_source(d->sources, s);
	return s;
}

// The source of an imported grammar, or NULL after an error. The order is Lark's: the folder of imports, then for
// `%import .name` the file beside the one that imports it, for `%import name` the built-in grammar.
static const struct source *find_source(struct definitions *d, const struct scope *scope, const struct import_group *g)
{
	struct loc loc = g->first->path[0].loc;
	const struct source *s = NULL;
	if (d->import_folder) {
		const char *folder = arena_printf(d->arena, "%s/", d->import_folder);
		const char *path = path_below(d, folder, (int)strlen(folder), g);
		const char *why;
		s = file_source(d, path, &why);
		if (s) return is_circle(d, scope, g, path) ? NULL : s;
	}
	if (!g->is_relative) {
		s = library_source(d, g);
		if (s) return s;
		diag_error(d->diag, loc,
		           "there is no built-in grammar '%s' (built in are common, unicode and the terminals of python)",
		           g->key);
		diag_note(d->diag, loc, "for a file beside this one write %%import .%s", g->key);
		return NULL;
	}
	if (d->depth) {
		diag_error(d->diag, loc,
		           "a grammar inside another imports no files: import the rules outside, and say %%ignore ... inside");
		return NULL;
	}
	if (scope->path[0] == '<') {
		diag_error(d->diag, loc, "%s is no file: there is nothing beside it to import", scope->path);
		return NULL;
	}
	const char *slash = strrchr(scope->path, '/');
	const char *path = path_below(d, scope->path, slash ? (int)(slash - scope->path) + 1 : 0, g), *why = "";
	if (is_circle(d, scope, g, path)) return NULL;
	s = file_source(d, path, &why);
	if (s) return s;
	diag_error(d->diag, loc, "cannot read %s: %s", path, why);
	if (d->import_folder)
		diag_note(d->diag, loc, "nor is it in %s (--import-path)", d->import_folder);
	else
		diag_note(d->diag, loc,
		          "what begins with a dot is looked for beside the file that imports it (a.b is a/b.lark there); a "
		          "folder that "
		          "Lark knows as import_paths is told by --import-path FOLDER");
	return NULL;
}

static bool within_limits(struct definitions *d, const struct scope *scope, const struct import_group *g)
{
	struct loc loc = g->first->path[0].loc;
	if (scope->depth >= IMPORT_MAX_DEPTH)
		diag_error(d->diag, loc, "imports nest deeper than %u files (IMPORT_MAX_DEPTH)", IMPORT_MAX_DEPTH);
	else if (d->n_files == IMPORT_MAX_FILES)
		diag_error(d->diag, loc, "more than %u grammars are imported (IMPORT_MAX_FILES)", IMPORT_MAX_FILES);
	else
		return d->n_files++, true;
	return false;
}

struct needing {
	struct definitions *d;
	definition_vec work;
};

static void need(struct needing *c, struct definition *n)
{
	if (!n || n->is_needed) return;
	n->is_needed = true;
	vec_push(&c->work, n);
}

static void need_name(struct node *n, void *context)
{
	struct needing *c = context;
	need(c, c->d->by_symbol.at[n->symbol]);
}

// Of an imported file's definitions keeps those that the asked-for ones need. Terminals have their nested
// terminals already: they need nothing.
static void keep_needed(struct definitions *d, struct import_group *g)
{
	struct needing c = {.d = d};
	for (uint32_t i = 0; i < g->requests.n; i++) need(&c, g->requests.at[i].found);
	while (c.work.n) {
		struct definition *n = vec_pop(&c.work);
		if (!n->is_terminal && n->body) lark_each_name(n->body->root, need_name, &c);
	}
	vec_release(&c.work);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < g->list.n; i++) {
		struct definition *n = g->list.at[i];
		if (n->is_needed) {
			g->list.at[kept++] = n;
			n->is_needed = false, n->is_imported = true;
		} else if (d->by_symbol.at[n->symbol] == n)
			d->by_symbol.at[n->symbol] = NULL;
	}
	g->list.n = kept;
}

static void load_group(struct definitions *d, const struct scope *scope, struct import_group *g)
{
	const struct source *s = within_limits(d, scope, g) ? find_source(d, scope, g) : NULL;
	uint32_t errors = d->diag->n_errors;
	if (s) load_scope(d, &(struct scope){scope, g, s->path, s, scope->depth + 1}, &g->list);
	bool is_failed = !s || d->diag->n_errors > errors;
	for (uint32_t i = 0; i < g->list.n; i++)
		g->list.at[i]->owner = g, g->list.at[i]->is_requested = false,
		g->list.at[i]->import_loc = g->first->path[0].loc;
	for (uint32_t i = 0; i < g->requests.n; i++) {
		struct request *r = &g->requests.at[i];
		const char *full = full_name(d, scope, r->alias);
		r->found = defined_as(d, full);
		if (!r->found || r->found->owner != g) {
			if (!is_failed)
				diag_error(d->diag, r->loc, "grammar '%s' has no %s '%s'", g->key, kind_name(r->is_terminal), r->name);
			if (r->found) continue;
			r->found = new_definition(d, full, r->loc, &g->list);
			r->found->owner = g;
			r->found->is_terminal = r->is_terminal, r->found->is_broken = true;
		}
		r->found->is_requested = true, r->found->import_loc = r->loc;
	}
	keep_needed(d, g);
}

static void emit_imported(struct definitions *d, group_vec *groups, const struct statement *s, definition_vec *out)
{
	struct import_group *g = find_group(d, groups, s);
	if (!g) return;
	if (g->first == s)
		for (uint32_t i = 0; i < g->list.n; i++)
			if (!g->list.at[i]->is_requested) vec_push(out, g->list.at[i]);
	for (uint32_t i = 0; i < s->n_list; i++) {
		uint32_t id = intern_find(&g->names, s->list[i].text, strlen(s->list[i].text));
		struct request *r = &g->requests.at[id];
		if (r->statement != s || !r->found || !r->found->is_requested) continue;
		r->found->is_requested = false;  // once
		vec_push(out, r->found);
	}
}

// Branches: one case for each kind of statement, some of which count only in the main grammar.
static void load_scope(struct definitions *d, const struct scope *scope, definition_vec *out)
{
	struct tokens tokens = {0};
	struct statements statements = {0};
	group_vec groups = {0};
	uint32_t errors = d->diag->n_errors;
	if (lark_lex(scope->source, d->diag, &tokens))
		lark_parse(scope->source, &tokens, d->control, d->arena, d->diag, &statements);
	if (d->diag->n_errors > errors) d->has_gaps = true;
	vec_release(&tokens.list);
	uint32_t n = statements.list.n;
	struct statement *all = arena_array(d->arena, n, sizeof *all);  // names keep pointers to them
	if (n) memcpy(all, statements.list.at, n * sizeof *all);
	vec_release(&statements.list), vec_release(&statements.stops);

	for (uint32_t i = 0; i < n; i++)
		if (all[i].kind == S_IMPORT) {
			struct import_group *g = find_group(d, &groups, &all[i]);
			if (g)
				add_requests(d, g, &all[i]);
			else
				d->has_gaps = true;
		}
	for (uint32_t i = 0; i < groups.n; i++) load_group(d, scope, &groups.at[i]);
	for (uint32_t i = 0; i < n; i++) switch (all[i].kind) {
		case S_RULE:
		case S_TERMINAL: define(d, scope, &all[i], out); break;
		case S_IGNORE: ignore(d, scope, &all[i], out); break;
		case S_DECLARE: declare(d, scope, &all[i], out); break;
		case S_KEYWORDS:
			if (!scope->group)
				vec_push(&d->keywords,
				         ((struct keywords){all[i].words, all[i].reserved, all[i].n_reserved, all[i].n_soft}));
			break;
		case S_START:
			for (uint32_t k = 0; k < all[i].n_list && !scope->group; k++) vec_push(&d->starts, all[i].list[k]);
			break;
		case S_INDENT:
			if (!scope->group) lark_indent(d, all[i].text_loc);
			break;
		case S_IMPORT: emit_imported(d, &groups, &all[i], out); break;
		}
	if (!scope->group) {
		declare_indents(d, out);
		resolve_ignored(d);
	}
	lark_resolve_terminals(d, out->at, out->n);
	for (uint32_t i = 0; i < groups.n; i++) {
		intern_release(&groups.at[i].names);
		vec_release(&groups.at[i].requests);
		vec_release(&groups.at[i].list);
	}
	vec_release(&groups);
}

void lark_import(struct definitions *d, const struct source *s)
{
	definition_vec list = {0};
	load_scope(d, &(struct scope){.path = s->path, .source = s}, &list);
	d->list.at = list.at, d->list.n = list.n, d->list.cap = list.cap;
	lark_resolve_rules(d);
}

void lark_definitions_release(struct definitions *d)
{
	intern_release(&d->names);
	vec_release(&d->by_symbol);
	vec_release(&d->list);
	vec_release(&d->ignored);
	vec_release(&d->indent.brackets);
	vec_release(&d->keywords);
	vec_release(&d->starts);
}
