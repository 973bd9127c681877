// Tools and the form of a chat template -> a structural tag.
//
// In:  a list of tools as vendors' APIs take it (JSON), the name of a preset, how tools may be called, whether the
//      model thinks first. Out: rules, by way of the document that structural_tag.c reads.
// Most templates write calls one way: an opening (perhaps), then before each call's name, between name and arguments,
// behind the arguments; a separator; a closing. These are rows of a table. OpenAI's Harmony is a stream of messages,
// and written out. Cost: linear in the tools, but for their schemas.
#include <cjson/cJSON.h>

#include "../base/guess.h"
#include "../base/work.h"
#include "pieces.h"

struct preset {
	const char *name;
	const char *open, *close;  // around all calls, with `separator` between; NULL: each call stands in the text alone
	const char *before, *between, *behind, *separator;
	const char *also_behind;    // in the place of `behind`: this, nine letters or digits, then `id_end`
	const char *id_end, *mark;  // `mark`: calls may also begin with it
};
static const struct preset presets[] = {
	{.name = "qwen",
     .before = "<tool_call>\n{\"name\": \"",
     .between = "\", \"arguments\": ",
     .behind = "}\n</tool_call>"},
	{.name = "hermes",
     .before = "<tool_call>\n{\"name\": \"",
     .between = "\", \"arguments\": ",
     .behind = "}\n</tool_call>"},
	{.name = "llama3",
     .before = "{\"name\": \"",
     .between = "\", \"parameters\": ",
     .behind = "}",
     .mark = "<|python_tag|>"},
	{.name = "mistral",
     .open = "[TOOL_CALLS][",
     .before = "{\"name\": \"",
     .between = "\", \"arguments\": ",
     .behind = "}",
     .also_behind = ", \"id\": \"",
     .id_end = "\"}",
     .separator = ", ",
     .close = "]"},
	{.name = "mistral-args", .before = "[TOOL_CALLS]", .between = "[ARGS]", .behind = ""},
	{.name = "deepseek",
     .open = "<｜tool▁calls▁begin｜>",
     .before = "<｜tool▁call▁begin｜>function<｜tool▁sep｜>",
     .between = "\n```json\n",
     .behind = "\n```<｜tool▁call▁end｜>",
     .separator = "\n",
     .close = "<｜tool▁calls▁end｜>"},
	{.name = "deepseek-v3.1",
     .open = "<｜tool▁calls▁begin｜>",
     .before = "<｜tool▁call▁begin｜>",
     .between = "<｜tool▁sep｜>",
     .behind = "<｜tool▁call▁end｜>",
     .separator = "",
     .close = "<｜tool▁calls▁end｜>"},
	{.name = "harmony"},
};
#define N_PRESETS (sizeof presets / sizeof *presets)

static const char *const reasonings[] = {"none", "optional", "required", "opened"};
enum { REASONING_NONE, REASONING_OPTIONAL, REASONING_REQUIRED, REASONING_OPENED, N_REASONINGS };

struct tool {
	const char *name;
	const cJSON *parameters;  // NULL: the tool takes none
};

struct tool_list {
	struct notation_rules *r;
	const struct preset *preset;
	const struct tool_options *o;
	int reasoning;
	bool may_call, must_call;
	VEC(struct tool) tools;
};

static bool refuse(const struct tool_list *x, const char *what)
{
	diag_error(x->r->diag, (struct loc){x->r->source, 0, 0}, "%s", what);
	return false;
}
#define refuse_as(x, ...) refuse((x), arena_printf(&(x)->r->arena, __VA_ARGS__))

// ---- What is asked for

static bool find_preset(struct tool_list *x)
{
	const char *names[N_PRESETS], *known = "";
	for (uint32_t i = 0; i < N_PRESETS; i++) {
		names[i] = presets[i].name;
		known = arena_printf(&x->r->arena, "%s%s%s", known, i ? ", " : "", names[i]);
		if (!strcmp(names[i], x->o->preset)) x->preset = &presets[i];
	}
	if (x->preset) return true;
	const char *near = guess_name(x->o->preset, names, N_PRESETS);
	return refuse_as(x, "there is no preset \"%.60s\"%s%s%s Presets are %s", x->o->preset,
	                 near ? "; did you mean " : "", near ? near : "", near ? "?" : ".", known);
}

static bool find_reasoning(struct tool_list *x)
{
	const char *asked = x->o->reasoning ? x->o->reasoning : "none";
	while (x->reasoning < N_REASONINGS && strcmp(reasonings[x->reasoning], asked) != 0) x->reasoning++;
	if (x->reasoning < N_REASONINGS) return true;
	return refuse_as(x, "reasoning is none, optional, required or opened, not \"%.60s\"", asked);
}

// Where the names of a vendor lie; Bedrock has one more object in the schema's place.
static const cJSON *parameters_of(const cJSON *tool, bool is_spec)
{
	static const char *const keys[] = {"parameters", "input_schema", "inputSchema", "parametersJsonSchema",
	                                   "parameters_json_schema"};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const cJSON *p = cJSON_GetObjectItemCaseSensitive(tool, keys[i]);
		if (is_spec) p = cJSON_GetObjectItemCaseSensitive(p, "json");
		if (p && !cJSON_IsNull(p)) return p;
	}
	return NULL;
}

static bool add_tool(struct tool_list *x, const cJSON *tool, const char *only)
{
	const cJSON *inner = cJSON_GetObjectItemCaseSensitive(tool, "function"),
				*spec = cJSON_GetObjectItemCaseSensitive(tool, "toolSpec");
	if (cJSON_IsObject(inner) || cJSON_IsObject(spec)) tool = cJSON_IsObject(inner) ? inner : spec;
	const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(tool, "name"));
	const struct tool t = {.name = name, .parameters = parameters_of(tool, tool == spec)};
	if (!name || !*name) return refuse(x, "a tool needs a \"name\", and its arguments' schema under \"parameters\"");
	for (const char *c = name; *c; c++)
		if ((uint8_t)*c <= ' ' || strchr("\"\\<>{}", *c))
			return refuse_as(x, "the tool's name \"%.60s\" holds a blank, a quote, a bracket or a backslash", name);
	for (uint32_t i = 0; i < x->tools.n; i++)
		if (!strcmp(x->tools.at[i].name, name)) return refuse_as(x, "two tools are called \"%.60s\"", name);
	if (!only || !strcmp(only, name)) vec_push(&x->tools, t);
	return true;
}

// Gemini's list of tools has lists of functions.
static bool add_tools(struct tool_list *x, const cJSON *tool, const char *only)
{
	const cJSON *group = cJSON_GetObjectItemCaseSensitive(tool, "functionDeclarations"), *one;
	if (!group) group = cJSON_GetObjectItemCaseSensitive(tool, "function_declarations");
	if (!cJSON_IsArray(group)) return add_tool(x, tool, only);
	cJSON_ArrayForEach(one, group)
	{
		if (!add_tool(x, one, only)) return false;
	}
	return true;
}

static bool read_list(struct tool_list *x, const cJSON *root)
{
	const cJSON *list = cJSON_IsObject(root) ? cJSON_GetObjectItemCaseSensitive(root, "tools") : root, *tool;
	const char *choice = x->o->choice ? x->o->choice : "auto";
	bool is_auto = !strcmp(choice, "auto"), is_none = !strcmp(choice, "none"),
		 is_required = !strcmp(choice, "required");
	x->may_call = !is_none, x->must_call = !is_auto && !is_none;
	if (!cJSON_IsArray(list)) return refuse(x, "a list of tools was expected, or an object with one under \"tools\"");
	cJSON_ArrayForEach(tool, list)
	{
		if (!add_tools(x, tool, is_auto || is_none || is_required ? NULL : choice)) return false;
	}
	if (!x->tools.n && cJSON_GetArraySize(list) && x->must_call)
		return refuse_as(x, "no tool is called \"%.60s\"; the choice is auto, none, required or a tool's name", choice);
	if (!x->tools.n && x->must_call) return refuse(x, "the list has no tool, and one is required");
	x->may_call &= x->tools.n > 0;
	return true;
}

// ---- The document

static cJSON *of_type(const char *type)
{
	cJSON *f = cJSON_CreateObject();
	cJSON_AddStringToObject(f, "type", type);
	return f;
}

static cJSON *const_string(const char *value)
{
	cJSON *f = of_type("const_string");
	cJSON_AddStringToObject(f, "value", value);
	return f;
}

static cJSON *regex(const char *pattern)
{
	cJSON *f = of_type("regex");
	cJSON_AddStringToObject(f, "pattern", pattern);
	return f;
}

// A sequence or a choice; takes the parts.
static cJSON *elements(const char *type, cJSON *const *part, uint32_t n)
{
	cJSON *f = of_type(type), *all = cJSON_AddArrayToObject(f, "elements");
	for (uint32_t i = 0; i < n; i++) cJSON_AddItemToArray(all, part[i]);
	return f;
}
#define sequence(...) elements("sequence", (cJSON *[]){__VA_ARGS__}, sizeof((cJSON *[]){__VA_ARGS__}) / sizeof(cJSON *))

static cJSON *with_content(const char *type, cJSON *content)
{
	cJSON *f = of_type(type);
	cJSON_AddItemToObject(f, "content", content);
	return f;
}

static cJSON *tag(const char *begin, cJSON *content, const char *end)
{
	cJSON *f = with_content("tag", content);
	cJSON_AddStringToObject(f, "begin", begin);
	cJSON_AddStringToObject(f, "end", end);
	return f;
}

static cJSON *arguments(const struct tool *t)
{
	cJSON *f = of_type("json_schema");
	cJSON_AddStringToObject(f, "name", t->name);
	cJSON_AddItemToObject(f, "json_schema", t->parameters ? cJSON_Duplicate(t->parameters, true) : of_type("object"));
	return f;
}

// One call; `mark` before it.
static cJSON *call(const struct tool_list *x, const struct tool *t, const char *mark)
{
	const struct preset *p = x->preset;
	cJSON *content = arguments(t);
	const char *end = p->behind;
	if (p->also_behind) {
		cJSON *id = sequence(const_string(p->also_behind), regex("[0-9A-Za-z]{9}"), const_string(p->id_end));
		content = sequence(content, elements("or", (cJSON *[]){const_string(p->behind), id}, 2));
		end = "";
	}
	return tag(arena_printf(&x->r->arena, "%s%s%s%s", mark, p->before, t->name, p->between), content, end);
}

static cJSON *all_calls(const struct tool_list *x, cJSON *f)
{
	cJSON *tags = cJSON_AddArrayToObject(f, "tags");
	for (uint32_t i = 0; i < x->tools.n; i++) cJSON_AddItemToArray(tags, call(x, &x->tools.at[i], ""));
	for (uint32_t i = 0; i < x->tools.n && x->preset->mark && !x->preset->open; i++)
		cJSON_AddItemToArray(tags, call(x, &x->tools.at[i], x->preset->mark));
	return f;
}

static void exclude_thinking(const struct tool_list *x, cJSON *f)
{
	static const char *const words[] = {"<think>", "</think>"};
	if (x->reasoning != REASONING_NONE) cJSON_AddItemToObject(f, "excludes", cJSON_CreateStringArray(words, 2));
}

// Text, with calls in it where they may be.
static cJSON *answer(const struct tool_list *x)
{
	const struct preset *p = x->preset;
	cJSON *f = of_type(x->may_call ? "triggered_tags" : "any_text");
	exclude_thinking(x, f);
	if (!x->may_call) return f;
	const char *triggers[2] = {p->open ? p->open : p->before, p->mark};
	cJSON_AddItemToObject(f, "triggers", cJSON_CreateStringArray(triggers, p->mark ? 2 : 1));
	if (!p->open) {
		if (x->must_call) cJSON_AddTrueToObject(f, "at_least_one");
		return all_calls(x, f);
	}
	cJSON *section = of_type("tags_with_separator"), *whole;
	cJSON_AddStringToObject(section, "separator", p->separator);
	cJSON_AddTrueToObject(section, "at_least_one");
	whole = tag(p->open, all_calls(x, section), p->close);
	if (x->must_call) {
		cJSON_Delete(f);
		return whole;
	}
	cJSON_AddItemToArray(cJSON_AddArrayToObject(f, "tags"), whole);
	return f;
}

// Before the answer what the model thinks, free until it closes.
static cJSON *with_reasoning(const struct tool_list *x, cJSON *rest)
{
	if (x->reasoning == REASONING_NONE) return rest;
	cJSON *think = tag(x->reasoning == REASONING_OPENED ? "" : "<think>", of_type("any_text"), "</think>");
	// A call that must come stands behind blanks; other answers may begin with any text.
	if (x->must_call) think = sequence(think, regex("[ \\n]*"));
	if (x->reasoning == REASONING_OPTIONAL) think = with_content("optional", think);
	return sequence(think, rest);
}

// ---- Harmony

static bool ends_texts(const struct notation_rules *r, const char *name)
{
	for (uint32_t i = 0; r->control && i < r->control->n; i++)
		if (r->control->at[i].is_eos && r->control->at[i].name && !strcmp(r->control->at[i].name, name)) return true;
	return false;
}

// A message; `end` is nothing where it is the end of the text for this tokenizer.
static cJSON *message(const struct tool_list *x, const char *head, cJSON *content, const char *end)
{
	const char *begin = arena_printf(&x->r->arena, "%s<|message|>", head);
	if (ends_texts(x->r, end)) return sequence(const_string(begin), content);
	return tag(begin, content, end);
}

static cJSON *harmony(const struct tool_list *x)
{
	static const char *const heads[] = {"<|channel|>commentary to=functions.%s <|constrain|>json",
	                                    "<|channel|>commentary to=functions.%s<|constrain|>json",
	                                    " to=functions.%s<|channel|>commentary <|constrain|>json",
	                                    " to=functions.%s<|channel|>commentary json"};
	cJSON *last = of_type("or"), *ways = cJSON_AddArrayToObject(last, "elements");
	for (uint32_t i = 0; x->may_call && i < x->tools.n; i++)
		for (uint32_t k = 0; k < sizeof heads / sizeof *heads; k++) {
			const char *at = strstr(heads[k], "%s");
			const char *head =
				arena_printf(&x->r->arena, "%.*s%s%s", (int)(at - heads[k]), heads[k], x->tools.at[i].name, at + 2);
			cJSON_AddItemToArray(ways, message(x, head, arguments(&x->tools.at[i]), "<|call|>"));
		}
	if (!x->must_call) cJSON_AddItemToArray(ways, message(x, "<|channel|>final", of_type("any_text"), "<|return|>"));
	cJSON *between = of_type("or"), *texts = cJSON_AddArrayToObject(between, "elements");
	if (x->reasoning != REASONING_NONE || !x->o->reasoning)
		cJSON_AddItemToArray(texts, message(x, "<|channel|>analysis", of_type("any_text"), "<|end|>"));
	cJSON_AddItemToArray(texts, message(x, "<|channel|>commentary", of_type("any_text"), "<|end|>"));
	cJSON *before = with_content("star", sequence(between, const_string("<|start|>assistant")));
	return sequence(before, last);
}

static void delete_document(void *document) { cJSON_Delete(document); }

bool tools_read(struct notation_rules *r, const struct tool_options *o)
{
	struct tool_list x = {.r = r, .o = o};
	const char *stopped = NULL;
	cJSON *root = cJSON_ParseWithLengthOpts(r->source->text, r->source->len + 1, &stopped, true), *f = NULL;
	struct work_cleanup of_root, of_document;
	work_cleanup(&of_root, delete_document, root);
	bool ok = find_preset(&x) && find_reasoning(&x);
	if (ok && !root) {
		diag_error(r->diag, (struct loc){r->source, (uint32_t)(stopped ? stopped - r->source->text : 0), 1},
		           "a list of tools is JSON: [{\"type\": \"function\", \"function\": {\"name\", \"parameters\"}}]");
		ok = false;
	}
	if (ok) ok = read_list(&x, root);
	if (ok) {
		cJSON *document = of_type("structural_tag");
		f = strcmp(x.preset->name, "harmony") == 0 ? harmony(&x) : with_reasoning(&x, answer(&x));
		cJSON_AddItemToObject(document, "format", f);
		work_cleanup(&of_document, delete_document, document);
		ok = structural_tag_of(r, document);
		work_cleanup_end(&of_document);
		cJSON_Delete(document);
	}
	vec_release(&x.tools);
	work_cleanup_end(&of_root);
	cJSON_Delete(root);
	return ok;
}
