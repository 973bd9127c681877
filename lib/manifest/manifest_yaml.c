// A manifest's text as a document of typed nodes, each with its place.
//
// In:  the text. Out: mappings, lists and scalars (libyaml's document), read by small functions that say what was found
// and what was expected, at the node's place.
// libyaml counts places in characters, messages in bytes: lines are looked up in a table, columns walked. Aliases make
// the document a graph that may have cycles; readers go as deep as the manifest's notation does and no deeper.
// Cost: linear in the text; libyaml bounds the nesting itself.
#include "manifest_internal.h"

#include <errno.h>

#include "../base/guess.h"

#define MAX_KEYS 32u

// The byte offset of libyaml's mark.
static uint32_t offset_of(const struct manifest_reader *r, yaml_mark_t mark)
{
	const struct source *s = r->source;
	uint32_t line = (uint32_t)(mark.line < r->line.n ? mark.line : r->line.n - 1);
	uint32_t at = r->line.at[line];
	if (line == 0 && s->len >= 3 && !memcmp(s->text, "\xEF\xBB\xBF", 3)) at = 3;
	for (size_t i = 0; i < mark.column && at < s->len && s->text[at] != '\n'; i++) {
		at++;
		while (at < s->len && ((unsigned char)s->text[at] & 0xC0) == 0x80) at++;
	}
	return at;
}

static struct loc loc_of(const struct manifest_reader *r, yaml_mark_t from, yaml_mark_t to)
{
	uint32_t at = offset_of(r, from), end = offset_of(r, to);
	const char *newline = memchr(r->source->text + at, '\n', r->source->len - at);
	if (newline && end > (uint32_t)(newline - r->source->text)) end = (uint32_t)(newline - r->source->text);
	return (struct loc){r->source, at, end > at ? end - at : 1};
}

struct loc value_loc(const struct manifest_reader *r, struct manifest_value v)
{
	ASSERT(v.node);
	return loc_of(r, v.node->start_mark, v.node->end_mark);
}

static void find_lines(struct manifest_reader *r)
{
	vec_push(&r->line, 0);
	for (uint32_t i = 0; i < r->source->len; i++)
		if (r->source->text[i] == '\n') vec_push(&r->line, i + 1);
}

bool reader_open(struct manifest_reader *r)
{
	yaml_parser_t parser;
	find_lines(r);
	if (!yaml_parser_initialize(&parser)) work_out_of_memory(sizeof parser);
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&parser, (const unsigned char *)r->source->text, r->source->len);
	bool ok = yaml_parser_load(&parser, &r->document);
	if (!ok) {
		struct loc loc = loc_of(r, parser.problem_mark, parser.problem_mark);
		if (parser.error == YAML_READER_ERROR) {  // before any mark: bytes that are no text
			loc = (struct loc){r->source, (uint32_t)parser.problem_offset, 1};
			diag_error(r->diag, loc, "the manifest is not UTF-8 text: %s", parser.problem);
		} else {
			diag_error(r->diag, loc, "this is not YAML: %s", parser.problem ? parser.problem : "it cannot be read");
			if (loc.offset < r->source->len && r->source->text[loc.offset] == '\t')
				diag_note(r->diag, loc, "this is a tab; YAML indents with spaces");
			if (parser.context && parser.context_mark.index != parser.problem_mark.index)
				diag_note(r->diag, loc_of(r, parser.context_mark, parser.context_mark), "%s that begins here",
				          parser.context);
		}
	} else {
		yaml_document_t second;
		if (yaml_parser_load(&parser, &second)) {
			yaml_node_t *root = yaml_document_get_root_node(&second);
			if (root)
				diag_error(r->diag, loc_of(r, root->start_mark, root->start_mark),
				           "a second document; a manifest is one");
			ok = !root;
			yaml_document_delete(&second);
		} else {
			diag_error(r->diag, loc_of(r, parser.problem_mark, parser.problem_mark), "this is not YAML: %s",
			           parser.problem ? parser.problem : "it cannot be read");
			ok = false;
		}
		if (!ok) yaml_document_delete(&r->document);
	}
	yaml_parser_delete(&parser);
	return ok;
}

void reader_close(struct manifest_reader *r) { yaml_document_delete(&r->document); }

struct manifest_value reader_root(struct manifest_reader *r)
{
	return (struct manifest_value){yaml_document_get_root_node(&r->document)};
}

bool is_map(struct manifest_value v) { return v.node && v.node->type == YAML_MAPPING_NODE; }
bool is_list(struct manifest_value v) { return v.node && v.node->type == YAML_SEQUENCE_NODE; }
static bool is_scalar(struct manifest_value v) { return v.node && v.node->type == YAML_SCALAR_NODE; }

const char *value_kind(struct manifest_value v)
{
	if (is_map(v)) return "a mapping";
	if (is_list(v)) return "a list";
	return v.node->data.scalar.length ? "a text" : "nothing";
}

uint32_t list_length(struct manifest_value v)
{
	return (uint32_t)(v.node->data.sequence.items.top - v.node->data.sequence.items.start);
}

struct manifest_value list_item(struct manifest_reader *r, struct manifest_value v, uint32_t i)
{
	return (struct manifest_value){yaml_document_get_node(&r->document, v.node->data.sequence.items.start[i])};
}

static bool is_key(const yaml_node_t *key, const char *name)
{
	return key->type == YAML_SCALAR_NODE && key->data.scalar.length == strlen(name) &&
	       !memcmp(key->data.scalar.value, name, key->data.scalar.length);
}

struct manifest_value map_get(struct manifest_reader *r, struct manifest_value map, const char *key)
{
	for (yaml_node_pair_t *p = map.node->data.mapping.pairs.start; p < map.node->data.mapping.pairs.top; p++)
		if (is_key(yaml_document_get_node(&r->document, p->key), key))
			return (struct manifest_value){yaml_document_get_node(&r->document, p->value)};
	return (struct manifest_value){NULL};
}

static void unknown_key(struct manifest_reader *r, struct manifest_value key, const char *what, const char *const *keys,
                        uint32_t n)
{
	char list[512];
	size_t len = 0;
	for (uint32_t i = 0; i < n; i++)
		len += (size_t)snprintf(list + len, sizeof list - len, "%s%s", i ? ", " : "", keys[i]);
	if (!is_scalar(key)) {
		diag_error(r->diag, value_loc(r, key), "a key must be a word; %s has the keys %s", what, list);
		return;
	}
	const char *name = (const char *)key.node->data.scalar.value, *guess = guess_name(name, keys, n);
	if (guess)
		diag_error(r->diag, value_loc(r, key), "%s has no key '%s'; did you mean '%s'?", what, name, guess);
	else
		diag_error(r->diag, value_loc(r, key), "%s has no key '%s'; it has %s", what, name, list);
}

bool map_keys(struct manifest_reader *r, struct manifest_value map, const char *what, const char *const *keys,
              uint32_t n)
{
	ASSERT(n <= MAX_KEYS);
	if (!is_map(map)) {
		diag_error(r->diag, value_loc(r, map), "%s must be a mapping (key: value), this is %s", what, value_kind(map));
		return false;
	}
	yaml_node_t *seen[MAX_KEYS] = {NULL};
	bool ok = true;
	for (yaml_node_pair_t *p = map.node->data.mapping.pairs.start; p < map.node->data.mapping.pairs.top; p++) {
		struct manifest_value key = {yaml_document_get_node(&r->document, p->key)};
		uint32_t i = 0;
		while (i < n && !is_key(key.node, keys[i])) i++;
		if (i == n) {
			unknown_key(r, key, what, keys, n);
			ok = false;
		} else if (seen[i]) {
			diag_error(r->diag, value_loc(r, key), "'%s' is given twice", keys[i]);
			diag_note(r->diag, value_loc(r, (struct manifest_value){seen[i]}), "the first time is here");
			ok = false;
		} else {
			seen[i] = key.node;
		}
	}
	return ok;
}

const char *value_text(struct manifest_reader *r, struct manifest_value v, const char *what, bool may_be_empty)
{
	if (!is_scalar(v))
		diag_error(r->diag, value_loc(r, v), "%s must be a text, this is %s", what, value_kind(v));
	else if (!v.node->data.scalar.length && !may_be_empty)
		diag_error(r->diag, value_loc(r, v), "%s is empty", what);
	else if (memchr(v.node->data.scalar.value, 0, v.node->data.scalar.length))
		diag_error(r->diag, value_loc(r, v), "%s holds a NUL character", what);
	else
		return arena_strndup(r->arena, (const char *)v.node->data.scalar.value, v.node->data.scalar.length);
	return NULL;
}

bool value_flag(struct manifest_reader *r, struct manifest_value v, const char *what, bool *flag)
{
	const char *text = is_scalar(v) ? (const char *)v.node->data.scalar.value : "";
	*flag = !strcmp(text, "true");
	if (*flag || !strcmp(text, "false")) return true;
	diag_error(r->diag, value_loc(r, v), "%s must be true or false", what);
	return false;
}

static bool parse_number(const char *text, const char **end, uint64_t *number)
{
	if (*text < '0' || *text > '9') return false;
	char *after;
	errno = 0;
	*number = strtoull(text, &after, 10);
	*end = after;
	return !errno;
}

bool value_number(struct manifest_reader *r, struct manifest_value v, const char *what, uint64_t least, uint64_t most,
                  uint64_t *number)
{
	const char *text = is_scalar(v) ? (const char *)v.node->data.scalar.value : "", *end;
	if (parse_number(text, &end, number) && !*end && *number >= least && *number <= most) return true;
	diag_error(r->diag, value_loc(r, v), "%s must be a number from %llu to %llu", what, (unsigned long long)least,
	           (unsigned long long)most);
	return false;
}

bool value_size(struct manifest_reader *r, struct manifest_value v, const char *what, uint64_t *bytes)
{
	static const struct {
		const char *name;
		uint64_t factor;
	} units[] = {
		{"", 1},
		{"B", 1},
		{"kB", 1000},
		{"KB", 1000},
		{"MB", 1000000},
		{"GB", 1000000000},
		{"KiB", 1ull << 10},
		{"MiB", 1ull << 20},
		{"GiB", 1ull << 30},
	};
	const char *text = is_scalar(v) ? (const char *)v.node->data.scalar.value : "", *unit;
	uint64_t number;
	if (parse_number(text, &unit, &number)) {
		while (*unit == ' ') unit++;
		for (size_t i = 0; i < sizeof units / sizeof *units; i++)
			if (!strcmp(unit, units[i].name) && !__builtin_mul_overflow(number, units[i].factor, bytes)) return true;
	}
	diag_error(r->diag, value_loc(r, v), "%s must be a size, such as 65536, 512 KiB or 4 MB", what);
	return false;
}

bool value_each(struct manifest_reader *r, struct manifest_value v, const char *what, bool may_be_empty,
                void (*take)(struct manifest_reader *r, const char *text, struct loc loc, void *context), void *context)
{
	if (is_map(v)) {
		diag_error(r->diag, value_loc(r, v), "%s must be a text or a list of texts, this is %s", what, value_kind(v));
		return false;
	}
	bool ok = true;
	uint32_t n = is_list(v) ? list_length(v) : 1;
	for (uint32_t i = 0; i < n; i++) {
		struct manifest_value item = is_list(v) ? list_item(r, v, i) : v;
		const char *text = value_text(r, item, what, may_be_empty);
		if (text)
			take(r, text, value_loc(r, item), context);
		else
			ok = false;
	}
	return ok;
}
