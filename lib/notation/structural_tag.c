// XGrammar's structural tags -> rules over pieces.
//
// In:  the JSON text, in its newer form ({"type": "structural_tag", "format": ...}) or its older one ("structures" and
// "triggers"). Out: rules whose texts are those that XGrammar takes (docs/tools.md). Each format becomes a piece. Free
// text ends where a trigger does (free_text.c). Schemas, regexes and EBNF are read by their own front ends and put in
// with names of their own (embed.c). What is not read is refused by name. Recursion over the document,
// NOTATION_MAX_NESTING deep. Cost: linear, but for the parts' own.
#include "embed.h"
#include "parameters.h"
#include "pattern.h"
#include "structural_tag_internal.h"

static piece_id any_text(struct tags *x, const cJSON *f, const struct end_strings *ends)
{
	struct end_strings excludes = strings_join(&x->parts, tags_strings(x, f, "excludes"), x->around);
	const struct free_most most = {tags_count(x, f, "max_chars"), tags_count(x, f, "max_tokens")};
	const uint32_t limit = free_text_most(&x->parts, excludes, ends ? *ends : (struct end_strings){0});
	if (most.chars > limit)
		return fail(
			x,
			"\"max_chars\" above %u is not supported with these strings (FREE_TEXT_MAX_STATES, %u): lower it, or "
			"bound the tokens with \"max_tokens\"",
			limit, FREE_TEXT_MAX_STATES);
	if (ends) return free_text_until(&x->parts, excludes, *ends, most);
	return free_text(&x->parts, excludes, most);
}

static piece_id tags_with_separator(struct tags *x, const cJSON *f)
{
	const char *separator = tags_string(x, f, "separator");
	bool least_one = tags_flag(x, f, "at_least_one"), once = tags_flag(x, f, "stop_after_first");
	piece_id one = format_tags(x, tags_list(x, f, "tags")), p = one;
	if (!once)
		p = parts_seq(&x->parts, one,
		              piece_repeat(x->r, parts_seq(&x->parts, parts_text(&x->parts, separator), one), 0, TERM_UNBOUNDED,
		                           tags_loc(x)));
	return least_one ? p : parts_alt(&x->parts, p, parts_empty(&x->parts));
}

static piece_id parameters(struct tags *x, const struct parameters *p)
{
	const char *why = NULL;
	piece_id out;
	if (!parameters_known(p->style)) return fail(x, "the style \"%s\" is not supported", p->style);
	if (parameters_read(&x->parts, p, &out, &why)) return out;
	if (why) fail(x, "%s", why);
	x->failed = true;
	return parts_nothing(&x->parts);
}

// The name of a schema's part: its "name" (tools.c gives the tool's), or the word behind the trigger of the tag around
// it, as far as that is letters, digits, _ and -. The number makes it unique.
static const char *part_name(struct tags *x, const cJSON *f)
{
	static const char signs[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	const char *said = cJSON_GetStringValue(tags_get(f, "name")), *word = said ? said : x->behind_trigger;
	int n = word ? (int)strspn(word, signs) : 0;
	return arena_printf(&x->r->arena, "%.*s_%u", n ? n : 6, n ? word : "schema", x->parts.n_named++);
}

static piece_id json_schema(struct tags *x, const cJSON *f, const cJSON *schema, const char *style)
{
	const char *said = cJSON_GetStringValue(tags_get(f, "style"));
	if (said) style = said;
	const struct end_strings excludes = tags_strings(x, f, "excludes");
	int64_t most = tags_count(x, f, "max_whitespace_cnt");
	if (!cJSON_IsObject(schema) && !cJSON_IsBool(schema)) return fail(x, "\"json_schema\" must be a schema");
	const struct parameters given = {style, schema, most < 0 ? UINT32_MAX : (uint32_t)most,
	                                 tags_flag(x, f, "any_order"), excludes};
	if (x->failed) return parts_nothing(&x->parts);
	if (strcmp(style, "json") != 0) return parameters(x, &given);
	const char *keyword = excludes.n ? excludes_obstacle(schema) : NULL;
	if (keyword) return fail(x, "\"excludes\" beside \"%s\" is not supported", keyword);
	char *s = cJSON_PrintUnformatted(schema);
	if (!s) work_out_of_memory(0);
	const struct embedding e = {.name = part_name(x, f),
	                            .text = arena_strndup(&x->r->arena, s, strlen(s)),
	                            .most_blanks = given.most_blanks,
	                            .any_order = given.any_order,
	                            .strings = excludes.n ? free_text_language(&x->parts, excludes) : LANGUAGE_NOTHING};
	cJSON_free(s);
	const char *key = arena_printf(&x->r->arena, "%u %u %d %s", e.most_blanks, e.strings, e.any_order, e.text);
	bool is_new;
	piece_id p = parts_nothing(&x->parts);
	uint32_t n = intern_add(&x->schemas, key, strlen(key), &is_new);
	if (!is_new) return x->schema_piece.at[n];
	if (!embed_schema(x->r, rules_languages(x->r), &e, &p)) x->failed = true;
	vec_push(&x->schema_piece, p);
	return x->failed ? parts_nothing(&x->parts) : p;
}

// What XGrammar refuses is read as the regexes of Lark grammars are (docs/regex.md).
static piece_id regex(struct tags *x, const cJSON *f)
{
	const char *text = tags_string(x, f, "pattern");
	const struct pattern pattern = {.text = text, .len = strlen(text), .loc = tags_loc(x)};
	struct diag unheard = {0};
	piece_id p = parts_nothing(&x->parts);
	bool ok = x->failed || pattern_read(x->r, &pattern, &unheard, &p);
	diag_release(&unheard);
	if (ok) return p;
	const struct regex_text whole_text = {text, (uint32_t)pattern.len, 0, tags_loc(x), "regex"};
	language l = language_of_regex(rules_languages(x->r), &whole_text, x->r->diag);
	if (l == LANGUAGE_ERROR) x->failed = true;
	return x->failed ? p : parts_language(&x->parts, l);
}

static piece_id grammar(struct tags *x, const cJSON *f)
{
	const struct embedding e = {.name = arena_printf(&x->r->arena, "grammar_%u", x->parts.n_named++),
	                            .text = tags_string(x, f, "grammar")};
	piece_id p;
	if (!x->failed && !embed_ebnf(x->r, &e, &p)) x->failed = true;
	return x->failed ? parts_nothing(&x->parts) : p;
}

// Branches: an element may read the end of the tag around, alternatives may leave it behind them.
static piece_id elements(struct tags *x, const cJSON *f, bool is_or, const struct end_strings *ends)
{
	const cJSON *all = tags_list(x, f, "elements");
	piece_ids parts = {0};
	if (all && !all->child) return fail(x, "\"elements\" is empty");
	for (const cJSON *e = all ? all->child : NULL; e && !x->failed; e = e->next) {
		bool takes = ends && format_is_unlimited(e) && (is_or || !e->next);
		piece_id p = format_read(x, e, takes ? ends : NULL);
		// An alternative that ends by itself: the tag's end comes behind it.
		if (ends && is_or && !takes) {
			piece_id end = parts_nothing(&x->parts);
			for (uint32_t i = 0; i < ends->n; i++) end = parts_alt(&x->parts, end, parts_text(&x->parts, ends->at[i]));
			p = parts_seq(&x->parts, p, end);
		}
		vec_push(&parts, p);
	}
	if (!is_or) parts_before_tokens(&x->parts, parts.at, parts.n);
	piece_id p =
		is_or ? piece_alt(x->r, parts.at, parts.n, tags_loc(x)) : piece_seq(x->r, parts.at, parts.n, tags_loc(x));
	vec_release(&parts);
	return p;
}

static piece_id repeated(struct tags *x, const cJSON *f, uint32_t least, uint32_t most)
{
	piece_id p = format_read(x, tags_get(f, "content"), NULL);
	return piece_repeat(x->r, parts_named(&x->parts, "repeated", p), least, most, tags_loc(x));
}

static piece_id repeat(struct tags *x, const cJSON *f)
{
	const cJSON *least = tags_get(f, "min"), *most = tags_get(f, "max");
	if (!cJSON_IsNumber(least) || !cJSON_IsNumber(most))
		return fail(x, "\"repeat\" needs the numbers \"min\" and \"max\"");
	const double min = least->valuedouble, max = most->valuedouble;
	if (min > NOTATION_MAX_REPEAT || max > NOTATION_MAX_REPEAT)
		return fail(x, "a repetition goes up to %u (NOTATION_MAX_REPEAT)", NOTATION_MAX_REPEAT);
	if (min < 0 || max < -1 || min != (uint32_t)min || max != (int32_t)max)
		return fail(x, "\"min\" must be a whole number from 0 on, \"max\" one from -1 on (-1 is no bound)");
	if (max >= 0 && max < min) return fail(x, "\"max\" is %.0f, but \"min\" is %.0f", max, min);
	return repeated(x, f, (uint32_t)min, max < 0 ? TERM_UNBOUNDED : (uint32_t)max);
}

enum type {
	CONST_STRING,
	JSON_SCHEMA,
	ANY_TEXT,
	GRAMMAR,
	REGEX,
	SEQUENCE,
	OR,
	TAG,
	TRIGGERED,
	SEPARATED,
	OPTIONAL,
	PLUS,
	STAR,
	REPEAT,
	DISPATCH,
	TOKEN,
	ANY_TOKENS,
	EXCLUDE_TOKEN,
	TOKEN_TRIGGERED,
	TOKEN_DISPATCH,
	QWEN_XML,
	N_TYPES
};
static const char *const type_name[N_TYPES] = {"const_string",
                                               "json_schema",
                                               "any_text",
                                               "grammar",
                                               "regex",
                                               "sequence",
                                               "or",
                                               "tag",
                                               "triggered_tags",
                                               "tags_with_separator",
                                               "optional",
                                               "plus",
                                               "star",
                                               "repeat",
                                               "dispatch",
                                               "token",
                                               "any_tokens",
                                               "exclude_token",
                                               "token_triggered_tags",
                                               "token_dispatch",
                                               "qwen_xml_parameter"};

// Branches: one case for each format of structural tags.
static piece_id one_format(struct tags *x, const cJSON *f, enum type type, const struct end_strings *ends)
{
	switch (type) {
	case CONST_STRING: return parts_text(&x->parts, tags_string(x, f, "value"));
	case JSON_SCHEMA: return json_schema(x, f, tags_get(f, "json_schema"), "json");
	case QWEN_XML: return json_schema(x, f, tags_get(f, "json_schema"), "qwen_xml");
	case ANY_TEXT: return any_text(x, f, ends);
	case GRAMMAR: return grammar(x, f);
	case REGEX: return regex(x, f);
	case SEQUENCE: return elements(x, f, false, ends);
	case OR: return elements(x, f, true, ends);
	case TAG: return format_tag(x, f, NULL);
	case TRIGGERED: return format_triggered_tags(x, f, ends);
	case SEPARATED: return tags_with_separator(x, f);
	case OPTIONAL: return repeated(x, f, 0, 1);
	case PLUS: return repeated(x, f, 1, TERM_UNBOUNDED);
	case STAR: return repeated(x, f, 0, TERM_UNBOUNDED);
	case REPEAT: return repeat(x, f);
	case DISPATCH: return format_dispatch(x, f);
	case TOKEN: return format_token(x, tags_get(f, "token"));
	case ANY_TOKENS: return format_any_tokens(x, f);
	case EXCLUDE_TOKEN: return format_exclude_token(x, f);
	case TOKEN_TRIGGERED: return format_token_triggered_tags(x, f);
	case TOKEN_DISPATCH: return format_token_dispatch(x, f);
	default: return fail(x, "the format \"%s\" is not supported", cJSON_GetStringValue(tags_get(f, "type")));
	}
}

// ends: of the tag around; a format without end reads up to and with them.
piece_id format_read(struct tags *x, const cJSON *f, const struct end_strings *ends)
{
	const char *type = cJSON_GetStringValue(tags_get(f, "type")), *path = x->path;
	if (x->failed) return parts_nothing(&x->parts);
	if (!type) return fail(x, "a format needs a \"type\"");
	if (x->nesting >= NOTATION_MAX_NESTING)
		return fail(x, "formats nest deeper than %u (NOTATION_MAX_NESTING)", NOTATION_MAX_NESTING);
	uint32_t t = 0;
	while (t < N_TYPES && strcmp(type_name[t], type) != 0) t++;
	x->path = arena_printf(&x->r->arena, "%s.%.40s", path, type);
	x->nesting++;
	piece_id p = one_format(x, f, (enum type)t, ends);
	x->nesting--;
	x->path = path;
	return p;
}

// {"structures": [{"begin", "schema", "end"}], "triggers": [...]}
static piece_id older_form(struct tags *x, const cJSON *root)
{
	const cJSON *structures = tags_list(x, root, "structures");
	cJSON *f = cJSON_CreateObject(), *tags = cJSON_AddArrayToObject(f, "tags");
	cJSON_AddStringToObject(f, "type", "triggered_tags");
	cJSON_AddItemToObject(f, "triggers", cJSON_Duplicate(tags_get(root, "triggers"), true));
	for (const cJSON *s = structures ? structures->child : NULL; s; s = s->next) {
		cJSON *t = cJSON_CreateObject(), *content = cJSON_CreateObject();
		const char *schema = cJSON_GetStringValue(tags_get(s, "schema"));
		cJSON_AddStringToObject(content, "type", "json_schema");
		cJSON_AddItemToObject(content, "json_schema",
		                      schema ? cJSON_Parse(schema) : cJSON_Duplicate(tags_get(s, "schema"), true));
		cJSON_AddItemToObject(t, "begin", cJSON_Duplicate(tags_get(s, "begin"), true));
		cJSON_AddItemToObject(t, "content", content);
		cJSON_AddItemToObject(t, "end", cJSON_Duplicate(tags_get(s, "end"), true));
		cJSON_AddItemToArray(tags, t);
	}
	piece_id p = format_read(x, f, NULL);
	cJSON_Delete(f);
	return p;
}

static void delete_document(void *document) { cJSON_Delete(document); }

bool structural_tag_read(struct notation_rules *r)
{
	const char *stopped = NULL;
	cJSON *root = cJSON_ParseWithLengthOpts(r->source->text, r->source->len + 1, &stopped, true);
	if (!cJSON_IsObject(root)) {
		diag_error(r->diag, (struct loc){r->source, (uint32_t)(!root && stopped ? stopped - r->source->text : 0), 1},
		           "a structural tag is a JSON object: {\"type\": \"structural_tag\", \"format\": {...}}");
		cJSON_Delete(root);
		return false;
	}
	struct work_cleanup c;
	work_cleanup(&c, delete_document, root);
	bool ok = structural_tag_of(r, root);
	work_cleanup_end(&c);
	cJSON_Delete(root);
	return ok;
}

bool structural_tag_of(struct notation_rules *r, const cJSON *root)
{
	struct tags x = {.r = r, .path = "structural_tag", .end_token = NO_TOKEN};
	x.parts = (struct parts){.r = r, .names_tokens = true, .loc = tags_loc(&x)};
	if (tags_get(root, "type") && !format_is_type(root, "structural_tag"))
		fail(&x, "the \"type\" of the document must be \"structural_tag\"");
	piece_id body = tags_get(root, "format") ? format_read(&x, tags_get(root, "format"), NULL) : older_form(&x, root);
	uint32_t rule = rule_number(r, "structural_tag", strlen("structural_tag"), tags_loc(&x));
	r->rule.at[rule].body = body;
	intern_release(&x.schemas), vec_release(&x.schema_piece);
	return !x.failed && pieces_finish(r, "structural_tag");
}
