// Front ends: which kinds of texts are read, by whom.
//
// In:  a text or file, its kind, its settings. Out: the module that reads it.
// The one table: a new kind is a row here, a value in <gcdc/compile.h>, and its settings' names.
#include "../base/file.h"
#include "../base/guess.h"
#include "../compile/compile.h"
#include "../notation/notation.h"
#include "../schema/schema.h"
#include "api.h"

// Grammars inside Lark grammars.
static bool read_nested(const struct nested_text *n, struct diag *d, struct grammar *g)
{
	const struct grammar_options o = {.control = n->control, .nested = n->reader, .depth = n->depth};
	const struct schema_options schema = {.space = SCHEMA_SPACE_ANY, .blanks_once = true, .whole_strings = true};
	const char *name = arena_printf(diag_arena(d), "%s, in %%%s", n->path, n->kind);  // messages say its own lines
	*g = (struct grammar){0};
	if (!strcmp(n->kind, "json")) return schema_parse(name, n->text, n->len, &schema, d, g);
	if (!strcmp(n->kind, "lark")) return grammar_parse(name, n->text, n->len, &o, d, g);
	if (!strcmp(n->kind, "gbnf"))
		return notation_parse(NOTATION_GBNF, (struct notation_text){name, n->text, n->len}, &o, d, g);
	if (!strcmp(n->kind, "ebnf"))
		return notation_parse(NOTATION_EBNF, (struct notation_text){name, n->text, n->len}, &o, d, g);
	diag_error(d, (struct loc){0}, "%%%s {...} is not supported: write a regex, /.../", n->kind);
	return false;
}
const struct nested_reader front_nested = {read_nested};

struct control_tokens front_control(const struct vocab *v, struct arena *a)
{
	struct control_token *at = arena_array(a, v->n_added, sizeof *at);
	for (uint32_t i = 0, e = 0; i < v->n_added; i++) {
		while (e < v->n_eos && v->eos[e] < v->added[i].id) e++;
		at[i] = (struct control_token){.id = v->added[i].id,
		                               .name = v->added[i].name,
		                               .is_eos = e < v->n_eos && v->eos[e] == v->added[i].id,
		                               .is_special = v->kind[v->added[i].id] == TOKEN_CONTROL};
	}
	return (struct control_tokens){.n = v->n_added,
	                               .n_tokens = v->n_tokens,
	                               .at = at,
	                               .tokenizer = *v->name ? v->name : "given",
	                               .bytes = v->bytes,
	                               .offset = v->offset};
}

// The value of a setting, or NULL.
static const char *front_setting(const gcdc_input *input, const char *name)
{
	const char *value = NULL;
	for (size_t i = 0; i < input->n_settings; i++)
		if (!strcmp(input->settings[i].name, name)) value = input->settings[i].value;
	return value;
}

static struct grammar_options lark_options(const struct front_input *in)
{
	return (struct grammar_options){.start = front_setting(in->input, "start"),
	                                .indent = front_setting(in->input, "indent"),
	                                .import_folder = front_setting(in->input, "import-path"),
	                                .sources = in->sources,
	                                .control = in->control,
	                                .nested = &front_nested};
}

static bool read_lark(const struct front_input *in, struct diag *d, struct grammar *g)
{
	const gcdc_input *i = in->input;
	const struct grammar_options o = lark_options(in);
	return i->text ? grammar_parse(i->path ? i->path : "<grammar>", i->text, i->len, &o, d, g)
	               : grammar_load(i->path, &o, d, g);
}

#define MAX_PATTERN ((size_t)1 << 20)

static bool read_regex(const struct front_input *in, struct diag *d, struct grammar *g)
{
	const gcdc_input *i = in->input;
	const struct grammar_options o = lark_options(in);
	char *text = NULL;
	size_t len = i->len;
	*g = (struct grammar){0};
	if (!i->text && !file_read(i->path, MAX_PATTERN, &text, &len)) {
		diag_error(d, (struct loc){0}, "\"%s\" cannot be read, or has more than %zu bytes", i->path, MAX_PATTERN);
		return false;
	}
	const char *from = text ? text : i->text;
	// The file's, not the pattern's: a byte order mark, the end of the last line.
	if (text && len >= 3 && !memcmp(from, "\xef\xbb\xbf", 3)) from += 3, len -= 3;
	if (text && len && from[len - 1] == '\n') {
		len--;
		if (len && from[len - 1] == '\r') len--;
	}
	bool ok = false;
	if (memchr(from, 0, len)) {
		diag_error(d, (struct loc){0}, "the pattern holds a NUL byte; write \\x00");
	} else {
		char *pattern = mem_alloc(len + 1);
		memcpy(pattern, from, len);
		pattern[len] = 0;
		ok = regex_grammar(i->path ? i->path : "<regex>", pattern, &o, d, g);
		free(pattern);
	}
	free(text);
	return ok;
}

static bool read_scannerless(enum notation n, const struct front_input *in, struct diag *d, struct grammar *g)
{
	const gcdc_input *i = in->input;
	const struct grammar_options o = lark_options(in);
	return i->text
	           ? notation_parse(n, (struct notation_text){i->path ? i->path : "<grammar>", i->text, i->len}, &o, d, g)
	           : notation_load(n, i->path, &o, d, g);
}

static bool read_gbnf(const struct front_input *in, struct diag *d, struct grammar *g)
{
	return read_scannerless(NOTATION_GBNF, in, d, g);
}

static bool read_ebnf(const struct front_input *in, struct diag *d, struct grammar *g)
{
	return read_scannerless(NOTATION_EBNF, in, d, g);
}

static bool read_choice(const struct front_input *in, struct diag *d, struct grammar *g)
{
	return read_scannerless(NOTATION_CHOICE, in, d, g);
}

static bool read_structural_tag(const struct front_input *in, struct diag *d, struct grammar *g)
{
	return read_scannerless(NOTATION_STRUCTURAL_TAG, in, d, g);
}

// The place of a setting's value among words, "a|b|c"; 0 where it is not given. False with an error in d.
static bool choose(const gcdc_input *i, const char *name, const char *words, uint32_t *chosen, struct diag *d)
{
	const char *value = front_setting(i, name);
	size_t len = value ? strlen(value) : 0;
	*chosen = 0;
	if (!value) return true;
	for (const char *at = words; *at; ++*chosen) {
		size_t n = strcspn(at, "|");
		if (n == len && !memcmp(at, value, n)) return true;
		at += n + (at[n] == '|');
	}
	diag_error(d, (struct loc){0}, "the setting %s is one of %s, not \"%.100s\"", name, words, value);
	return false;
}

// A setting that is a number; where it is not given *out stays. False with an error in d.
static bool number(const gcdc_input *i, const char *name, uint32_t most, uint32_t *out, struct diag *d)
{
	const char *text = front_setting(i, name);
	char *end = NULL;
	if (!text) return true;
	unsigned long n = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || n > most) {
		diag_error(d, (struct loc){0}, "the setting %s is a number up to %u, not \"%.100s\"", name, most, text);
		return false;
	}
	*out = (uint32_t)n;
	return true;
}

static bool read_json(enum schema_kind kind, const struct front_input *in, struct diag *d, struct grammar *g)
{
	const gcdc_input *i = in->input;
	uint32_t order, space, additional, escapes, unique, profile, format;
	uint32_t blanks = 0, indentation = SCHEMA_INDENTATION;
	*g = (struct grammar){0};
	if (!choose(i, "order", "schema|any|auto", &order, d) ||
	    !choose(i, "space", "any|compact|dumps|indented", &space, d) ||
	    !choose(i, "additional", "open|closed", &additional, d) || !choose(i, "escapes", "written|all", &escapes, d) ||
	    !choose(i, "unique", "exact|everywhere", &unique, d) ||
	    !choose(i, "profile", "openai|anthropic", &profile, d) ||
	    !choose(i, "format", "assert|known|annotation", &format, d))
		return false;
	if (!number(i, "blanks", 1000, &blanks, d) || !number(i, "indentation", 16, &indentation, d)) return false;
	if (front_setting(i, "blanks") && !blanks) blanks = UINT32_MAX;
	const struct schema_options o = {.kind = kind,
	                                 .pointer = front_setting(i, "pointer"),
	                                 .space = (enum schema_space)space,
	                                 .blanks = blanks,
	                                 .indentation = indentation,
	                                 .order = (enum schema_order)order,
	                                 .closed = additional == 1,
	                                 .all_escapes = escapes == 1,
	                                 .format = (enum schema_format)format,
	                                 .schemas = front_setting(i, "schemas"),
	                                 .allow_unenforced = front_setting(i, "allow-unenforced"),
	                                 .unique_everywhere = unique == 1,
	                                 .profile = front_setting(i, "profile"),
	                                 .counts_parts = in->spells_out,
	                                 .sources = in->sources};
	return i->text ? schema_parse(i->path ? i->path : "<schema>", i->text, i->len, &o, d, g)
	               : schema_load(i->path, &o, d, g);
}

static bool read_schema(const struct front_input *in, struct diag *d, struct grammar *g)
{
	return read_json(SCHEMA_KIND_SCHEMA, in, d, g);
}

// With a preset, calls in the form of a chat template.
static bool read_tools(const struct front_input *in, struct diag *d, struct grammar *g)
{
	static const char *const of_forms[] = {"preset", "choice", "reasoning"};
	const gcdc_input *i = in->input;
	const struct tool_options tools = {front_setting(i, of_forms[0]), front_setting(i, of_forms[1]),
	                                   front_setting(i, of_forms[2])};
	for (size_t s = 0; s < i->n_settings; s++) {
		const char *name = i->settings[s].name;
		bool of_form = !strcmp(name, of_forms[0]) || !strcmp(name, of_forms[1]) || !strcmp(name, of_forms[2]);
		if (of_form == (tools.preset != NULL)) continue;
		*g = (struct grammar){0};
		diag_error(d, (struct loc){0}, "the setting %s is for lists of tools %s a preset", name,
		           tools.preset ? "without" : "with");
		return false;
	}
	if (tools.preset) {
		struct grammar_options o = lark_options(in);
		o.tools = &tools;
		return i->text
		           ? notation_parse(NOTATION_TOOLS,
		                            (struct notation_text){i->path ? i->path : "<tools>", i->text, i->len}, &o, d, g)
		           : notation_load(NOTATION_TOOLS, i->path, &o, d, g);
	}
	return read_json(SCHEMA_KIND_TOOLS, in, d, g);
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

const struct front_end front_ends[] = {
	{GCDC_KIND_LARK, "lark", NAMES(".lark"), NAMES("start", "indent", "import-path"), true, read_lark},
	{GCDC_KIND_REGEX, "regex", NAMES(".regex"), NAMES("start", "indent", "import-path"), false, read_regex},
	{GCDC_KIND_GBNF, "gbnf", NAMES(".gbnf"), NAMES("start"), false, read_gbnf},
	{GCDC_KIND_EBNF, "ebnf", NAMES(".ebnf"), NAMES("start"), false, read_ebnf},
	{GCDC_KIND_CHOICE, "choice", NAMES(".choice.json"), NAMES("start"), false, read_choice},
	{GCDC_KIND_STRUCTURAL_TAG, "structural-tag", NAMES(".structural_tag.json"), NAMES(NULL), false,
     read_structural_tag},
	{GCDC_KIND_JSON_SCHEMA, "json-schema", NAMES(".json"),
     NAMES("pointer", "order", "space", "blanks", "indentation", "additional", "escapes", "format", "schemas",
           "allow-unenforced", "unique", "profile"),
     true, read_schema},
	{GCDC_KIND_TOOLS, "tools", NAMES(NULL),
     NAMES("pointer", "order", "space", "blanks", "indentation", "additional", "escapes", "format", "schemas",
           "allow-unenforced", "unique", "profile", "preset", "choice", "reasoning"),
     true, read_tools},
	{.kind = GCDC_KIND_AUTO},
};

const char *gcdc_kind_name(gcdc_kind kind)
{
	for (const struct front_end *f = front_ends; f->kind != GCDC_KIND_AUTO; f++)
		if (f->kind == kind) return f->name;
	return NULL;
}

gcdc_kind gcdc_kind_named(const char *name)
{
	const struct front_end *f = front_ends;
	while (f->kind != GCDC_KIND_AUTO && (!name || strcmp(f->name, name) != 0)) f++;
	return f->kind;
}

gcdc_kind gcdc_kind_at(size_t i)
{
	size_t n = 0;
	while (front_ends[n].kind != GCDC_KIND_AUTO && n < i) n++;
	return front_ends[n].kind;
}

const char *gcdc_kind_setting(gcdc_kind kind, size_t i)
{
	for (const struct front_end *f = front_ends; f->kind != GCDC_KIND_AUTO; f++)
		for (size_t k = 0; f->kind == kind && f->settings[k]; k++)
			if (k == i) return f->settings[k];
	return NULL;
}

static bool ends_with(const char *text, const char *ending)
{
	size_t n = strlen(text), m = strlen(ending);
	return n >= m && !strcmp(text + n - m, ending);
}

// The longest ending that fits decides: x.schema.json is no x.json.
static const struct front_end *by_path(const char *path)
{
	const struct front_end *best = NULL;
	size_t longest = 0;
	for (const struct front_end *f = front_ends; f->kind != GCDC_KIND_AUTO; f++)
		for (const char *const *e = f->endings; *e; e++)
			if (ends_with(path, *e) && strlen(*e) > longest) longest = strlen(*e), best = f;
	return best;
}

gcdc_kind gcdc_kind_of_path(const char *path)
{
	const struct front_end *f = path ? by_path(path) : NULL;
	return f ? f->kind : GCDC_KIND_AUTO;
}

static bool knows(const struct front_end *f, const char *name, uint32_t *n)
{
	bool found = false;
	for (*n = 0; f->settings[*n]; ++*n) found |= !strcmp(f->settings[*n], name);
	return found;
}

// Branches: the kind is given or guessed, and each setting is known to it or told with a guess.
const struct front_end *front_end_of(const gcdc_input *input, struct call *c)
{
	const struct front_end *f = front_ends;
	if (input->kind == GCDC_KIND_AUTO) {
		f = input->path ? by_path(input->path) : NULL;
		if (!f)
			call_error(
				c, GCDC_ERR_UNSUPPORTED,
				"%s%s does not say what kind of grammar it is: give the kind (lark, json-schema, regex, tools, ...)",
				input->path ? "the name of " : "", input->path ? input->path : "a text without a name");
	} else {
		while (f->kind != GCDC_KIND_AUTO && f->kind != input->kind) f++;
		if (f->kind == GCDC_KIND_AUTO) {
			call_error(c, GCDC_ERR_UNSUPPORTED, "this build of gcdc reads no grammars of the kind %d",
			           (int)input->kind);
			f = NULL;
		}
	}
	uint32_t n = 0;
	for (size_t i = 0; f && i < input->n_settings; i++) {
		const char *name = input->settings[i].name;
		if (name && input->settings[i].value && knows(f, name, &n)) continue;
		const char *guess = name ? guess_name(name, f->settings, n) : NULL;
		call_error(c, GCDC_ERR_ARGUMENT, "a grammar of the kind %s has no setting \"%.100s\"%s%s%s", f->name,
		           name ? name : "", guess ? "; did you mean \"" : "", guess ? guess : "", guess ? "\"?" : "");
		f = NULL;
	}
	return f;
}
