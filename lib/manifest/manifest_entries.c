// The lists `grammars:` and `tokenizers:` of a manifest -> files with names.
//
// In:  a list whose items are paths, patterns, or mappings {file, name, ...}. Out: plan_grammar and plan_tokenizer, and
// beside each what its item says for the artifacts that come of it.
// A name that is not given comes from the file's; names must be plain, since files and build steps are called by them.
// A file that an item names by itself is not taken by a pattern, so that one of many can have settings of its own.
#include "manifest_internal.h"

#include <sys/stat.h>

#include "../base/intern.h"

#define BUILT_IN "builtin"

struct item {
	struct manifest_value value;  // scalar or mapping
	const char *file;             // path or pattern
	struct loc file_loc;
	bool is_pattern;
};
typedef struct {
	VEC(struct item) list;
	struct intern files;  // that items name by themselves
} item_list;

static const char *without_dot(const char *path)
{
	while (path[0] == '.' && path[1] == '/') {
		path += 2;
		while (*path == '/') path++;
	}
	return path;
}

// A folder means the file `in_folder` in it, where that is not NULL.
static const char *file_of(struct manifest_reader *r, const char *given, const char *in_folder)
{
	struct stat s;
	const char *file = without_dot(given);
	size_t n = strlen(file);
	while (n > 1 && file[n - 1] == '/') n--;
	if (!in_folder || stat(file, &s) || !S_ISDIR(s.st_mode)) return file;
	const char *inner = arena_printf(r->arena, "%.*s/%s", (int)n, file, in_folder);
	return stat(inner, &s) ? file : inner;
}

// What a list of files names: what messages call one, its keys, and the file that a folder stands for (or NULL).
struct item_kind {
	const char *what, *const *keys;
	uint32_t n_keys;
	const char *in_folder;
};

static bool read_items(struct manifest_reader *r, struct manifest_value v, const struct item_kind *kind,
                       item_list *items)
{
	const char *what = kind->what;
	if (!is_list(v)) {
		diag_error(r->diag, value_loc(r, v), "%ss must be a list of files (- PATH), this is %s", what, value_kind(v));
		return false;
	}
	bool ok = true;
	if (!list_length(v)) diag_error(r->diag, value_loc(r, v), "there is no %s in this list", what), ok = false;
	for (uint32_t i = 0; i < list_length(v); i++) {
		struct item item = {.value = list_item(r, v, i)};
		struct manifest_value file = item.value;
		if (is_map(item.value)) {
			if (!map_keys(r, item.value, what, kind->keys, kind->n_keys)) ok = false;
			file = map_get(r, item.value, "file");
			if (!file.node) {
				diag_error(r->diag, value_loc(r, item.value), "this %s has no 'file'", what);
				ok = false;
				continue;
			}
		}
		item.file = value_text(r, file, "file", false);
		if (!item.file || strchr(item.file, '\n')) {
			if (item.file) diag_error(r->diag, value_loc(r, file), "a file's name cannot hold a line's end");
			ok = false;
			continue;
		}
		item.file = file_of(r, item.file, kind->in_folder);
		item.file_loc = value_loc(r, file), item.is_pattern = glob_is_pattern(item.file);
		vec_push(&items->list, item);
		if (!item.is_pattern) intern_add(&items->files, item.file, strlen(item.file), NULL);
	}
	return ok;
}

static void release_items(item_list *items)
{
	vec_release(&items->list);
	intern_release(&items->files);
}

// The files of an item.
static bool item_files(struct manifest_reader *r, const item_list *items, const struct item *item,
                       const char *in_folder, path_list *files)
{
	struct stat s;
	if (in_folder && !strcmp(item->file, BUILT_IN)) {
		vec_push(files, NULL);
		return true;
	}
	if (!item->is_pattern) {
		bool is_there = !stat(item->file, &s), is_folder = is_there && S_ISDIR(s.st_mode);
		if (is_there && S_ISREG(s.st_mode)) {
			vec_push(files, item->file);
			return true;
		}
		if (is_folder && in_folder)
			diag_error(r->diag, item->file_loc, "the folder '%s' holds no %s", item->file, in_folder);
		else if (is_folder)
			diag_error(r->diag, item->file_loc, "'%s' is a folder; for the files in it write %s/*.lark", item->file,
			           item->file);
		else if (is_there)
			diag_error(r->diag, item->file_loc, "'%s' is no regular file", item->file);
		else
			diag_error(r->diag, item->file_loc, "there is no file '%s'", item->file);
		return false;
	}
	path_list found = {0};
	bool ok = glob_files(r, item->file, item->file_loc, &found);
	for (uint32_t i = 0; i < found.n; i++)
		if (intern_find(&items->files, found.at[i], strlen(found.at[i])) == INTERN_NONE) vec_push(files, found.at[i]);
	vec_release(&found);
	return ok;
}

// "grammars/json.lark" -> "json"; ".../tokenizer-llama3/models/tokenizer.json" -> "llama3".
// Branches: folders that say nothing (models, tokenizer-) are passed on the way from a path to a name.
static const char *name_of(struct manifest_reader *r, const char *file)
{
	if (!file) return "default";
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *end = strrchr(base, '.');
	if (!strcmp(base, "tokenizer.json") && slash) {
		end = slash;
		for (base = end; base > file && base[-1] != '/';) base--;
		if (end - base == 6 && !memcmp(base, "models", 6) && base > file) {
			end = base - 1;
			for (base = end; base > file && base[-1] != '/';) base--;
		}
		if (end - base > 10 && !memcmp(base, "tokenizer-", 10)) base += 10;
	}
	return arena_strndup(r->arena, base, end && end > base ? (size_t)(end - base) : strlen(base));
}

static bool is_plain(const char *name)
{
	for (const char *c = name; *c; c++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-", *c)) return false;
	return *name && *name != '.' && *name != '-';
}

// The name of an item's file, given or made. NULL after an error.
static const char *item_name(struct manifest_reader *r, const struct item *item, uint32_t n_files, const char *file)
{
	struct manifest_value given = is_map(item->value) ? map_get(r, item->value, "name") : (struct manifest_value){NULL};
	const char *name = given.node ? value_text(r, given, "name", false) : name_of(r, file);
	if (!name) return NULL;
	struct loc loc = given.node ? value_loc(r, given) : item->file_loc;
	if (given.node && n_files > 1) {
		diag_error(r->diag, loc, "one name for %u files; without 'name' each is called by its file", n_files);
		return NULL;
	}
	if (is_plain(name)) return name;
	diag_error(r->diag, loc, "'%s' cannot be a name: letters, digits and _ . + - only, not beginning with . or -",
	           name);
	if (!given.node)
		diag_note(r->diag, loc, "it comes from the file '%s'; give another one: {file: ..., name: ...}", file);
	return NULL;
}

static bool item_extra(struct manifest_reader *r, const struct item *item, struct entry_extra *extra)
{
	if (!is_map(item->value)) return true;
	struct manifest_value options = map_get(r, item->value, "options"), checks = map_get(r, item->value, "checks");
	bool ok = !options.node || options_parse(r, options, extra->options);
	return (!checks.node || checks_parse(r, checks, &extra->checks)) && ok;
}

static void twice(struct manifest_reader *r, const char *what, const char *name, struct loc loc, struct loc first)
{
	diag_error(r->diag, loc, "two %ss are called '%s'", what, name);
	diag_note(r->diag, first, "the first one is here; give one of them another 'name'");
}

bool entries_grammars(struct manifest_reader *r, struct manifest_value v, extra_list *extra)
{
	static const char *const keys[] = {"file", "name", "options", "checks"};
	struct plan *p = r->plan;
	item_list items = {0};
	struct intern names = {0};
	VEC(struct loc) first_loc = {0};  // by the name's id
	bool ok = read_items(r, v, &(struct item_kind){"grammar", keys, 4, NULL}, &items);
	for (uint32_t i = 0; i < items.list.n; i++) {
		const struct item *item = &items.list.at[i];
		path_list files = {0};
		struct entry_extra x = {0};
		if (!item_files(r, &items, item, NULL, &files)) ok = false;
		for (uint32_t k = 0; k < files.n; k++) {
			const char *name = item_name(r, item, files.n, files.at[k]);
			x = (struct entry_extra){0};
			if (!name || !item_extra(r, item, &x)) {
				ok = false;
				vec_release(&x.checks.texts);
				break;
			}
			bool is_new;
			const uint32_t first = intern_add(&names, name, strlen(name), &is_new);
			if (!is_new) twice(r, "grammar", name, item->file_loc, first_loc.at[first]), ok = false;
			if (is_new) vec_push(&first_loc, item->file_loc);
			vec_push(&p->grammars, ((struct plan_grammar){name, files.at[k], item->file_loc}));
			vec_push(extra, x);
		}
		vec_release(&files);
	}
	release_items(&items);
	intern_release(&names);
	vec_release(&first_loc);
	return ok;
}

static bool read_eos(struct manifest_reader *r, struct manifest_value v, struct plan_tokenizer *t)
{
	uint32_t n = is_list(v) ? list_length(v) : 1;
	if (n == 0 || n > MANIFEST_MAX_EOS || is_map(v)) {
		diag_error(r->diag, value_loc(r, v),
		           "eos must be a token's id or name, or a list of at most %u (MANIFEST_MAX_EOS)", MANIFEST_MAX_EOS);
		if (!n) diag_note(r->diag, value_loc(r, v), "where no token shall end a text say no-eos: true");
		return false;
	}
	uint32_t *eos = arena_array(r->arena, n, sizeof *eos);
	const char **names = arena_array(r->arena, n, sizeof *names);
	for (uint32_t i = 0; i < n; i++) {
		struct manifest_value item = is_list(v) ? list_item(r, v, i) : v;
		uint64_t id;
		const char *text = value_text(r, item, "eos", false);
		if (!text) return false;
		if (strchr(text, '\n')) {
			diag_error(r->diag, value_loc(r, item), "a token's name cannot hold a line's end here; give its id");
			return false;
		}
		if (strspn(text, "+-.0123456789") < strlen(text))
			names[t->n_eos_names++] = text;
		else if (!value_number(r, item, "eos", 0, UINT32_MAX / 2, &id))
			return false;
		else
			eos[t->n_eos++] = (uint32_t)id;
	}
	t->eos = eos, t->eos_names = names;
	return true;
}

// Branches: one check for each key of a tokenizer, and a name that stands twice is told with both places.
bool entries_tokenizers(struct manifest_reader *r, struct manifest_value v, extra_list *extra)
{
	static const char *const keys[] = {"file", "name", "eos", "no-eos", "vocab-size", "options", "checks"};
	struct plan *p = r->plan;
	item_list items = {0};
	bool ok = read_items(r, v, &(struct item_kind){"tokenizer", keys, 7, "tokenizer.json"}, &items);
	for (uint32_t i = 0; i < items.list.n; i++) {
		const struct item *item = &items.list.at[i];
		path_list files = {0};
		struct entry_extra x = {0};
		if (!item_files(r, &items, item, "tokenizer.json", &files)) ok = false;
		for (uint32_t k = 0; k < files.n; k++) {
			struct plan_tokenizer t = {.file = files.at[k], .loc = item->file_loc};
			t.name = item_name(r, item, files.n, files.at[k]);
			x = (struct entry_extra){0};
			bool good = t.name && item_extra(r, item, &x);
			struct manifest_value eos = {NULL}, no_eos = {NULL}, size = {NULL};
			uint64_t number = 0;
			if (is_map(item->value))
				eos = map_get(r, item->value, "eos"), no_eos = map_get(r, item->value, "no-eos"),
				size = map_get(r, item->value, "vocab-size");
			if (good && eos.node) good = read_eos(r, eos, &t);
			if (good && no_eos.node) good = value_flag(r, no_eos, "no-eos", &t.no_eos);
			if (good && eos.node && t.no_eos) {
				diag_error(r->diag, value_loc(r, no_eos), "eos and no-eos exclude each other");
				good = false;
			}
			if (good && size.node) good = value_number(r, size, "vocab-size", 1, UINT32_MAX / 2, &number);
			if (!good) {
				ok = false;
				vec_release(&x.checks.texts);
				break;
			}
			t.vocab_size = (uint32_t)number;
			for (uint32_t j = 0; j < p->tokenizers.n; j++)
				if (!strcmp(p->tokenizers.at[j].name, t.name))
					twice(r, "tokenizer", t.name, item->file_loc, p->tokenizers.at[j].loc), ok = false;
			vec_push(&p->tokenizers, t);
			vec_push(extra, x);
		}
		vec_release(&files);
	}
	release_items(&items);
	return ok;
}

void extra_release(extra_list *extra)
{
	for (uint32_t i = 0; i < extra->n; i++) vec_release(&extra->at[i].checks.texts);
	vec_release(extra);
}
