// A schema's properties as tags: <parameter=city>Ulm</parameter>, and the other styles of tool calls that XGrammar has.
//
// In:  the schema of an object, a style. Out: a piece.
// A property is white space, what opens it with its name, its value (parameters_values.c), and what closes it. They
// come in the order of the schema, then further ones where the schema allows them. Strings as values hold no closing.
// In cohere_xml and minimax_m3_xml objects and lists in values are tags, too: each is a rule, so a schema may lead back
// to itself. What a style cannot say is refused by name. Recursion over the schema, NOTATION_MAX_NESTING deep. Cost:
// linear; with a bound of the number of properties quadratic in them.
#include "parameters_internal.h"
#include "pattern.h"

#define DSML                                                                                                           \
	"\xEF\xBD\x9C"                                                                                                     \
	"DSML"                                                                                                             \
	"\xEF\xBD\x9C"
#define M3 "]<]minimax[>["
static const struct style styles[] = {
	{"qwen_xml", "<parameter=", ">", "", "</parameter>", SAYS_NOTHING, false, false},
	{"minimax_xml", "<parameter name=\"", "\">", "", "</parameter>", SAYS_NOTHING, false, false},
	{"minimax_m3_xml", M3 "<", ">", "", M3, SAYS_NOTHING, true, true},
	{"glm_xml", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", SAYS_NOTHING, false, false},
	{"deepseek_xml", "<" DSML "parameter name=\"", "\" string=\"", "", "</" DSML "parameter>", SAYS_STRING, false,
     false},
	{"deepseek_v4_1_xml", "<" DSML " parameter name=\"", "\" string=\"", "", "</" DSML " parameter>", SAYS_STRING,
     false, false},
	{"kimi_k3_xml", "<|open|>argument key=\"", "\" type=\"", "\"<|sep|>", "<|close|>argument<|sep|>", SAYS_TYPE, false,
     false},
	{"cohere_xml", "<cofl:value name=\"", "\" type=\"", "", "</cofl:value>", SAYS_FORM, true, false},
};
#define N_STYLES (sizeof styles / sizeof *styles)

// ---- Properties

static piece_id around(struct writing *w, piece_id value)
{
	return parts_seq(w->x, w->space, parts_seq(w->x, value, w->space));
}

static piece_id closed(struct writing *w, piece_id value) { return parts_seq(w->x, value, text(w, w->style->close)); }

// Free text up to and with the closing.
static piece_id string_closed(struct writing *w)
{
	const struct end_strings close = {&w->style->close, 1};
	if (free_text_obstacle(w->x, close)) return closed(w, w->unquoted);
	return free_text_until(w->x, strings_join(w->x, close, w->p->excludes), close, FREE_ANY);
}

static bool is_plain_string(const cJSON *schema)
{
	const char *type = cJSON_GetStringValue(get(schema, "type"));
	return type && !strcmp(type, "string") && !parameters_further(schema, (const char *const[]){"type", NULL});
}

static const char *mark(const struct writing *w, const struct value_case *c)
{
	if (w->style->says == SAYS_STRING) return c->is_string ? "true\">" : "false\">";
	if (c->is_string) return "raw\">";
	bool is_list = c->type && !strcmp(c->type, "array"), is_object = c->type && !strcmp(c->type, "object");
	return is_list ? "list\">" : is_object ? "dict\">" : "json\">";
}

// What tells each case by itself: `string="true">value</...>`, `type="raw">value</...>`.
static piece_id cases_marked(struct writing *w, const value_cases *cases)
{
	piece_id all = parts_nothing(w->x);
	for (uint32_t i = 0; i < cases->n; i++) {
		const struct value_case *c = &cases->at[i];
		bool has_space = c->piece != w->unquoted && (!c->is_string || w->style->says == SAYS_FORM);
		piece_id p = has_space                 ? closed(w, around(w, c->piece))
		             : c->piece == w->unquoted ? string_closed(w)
		                                       : closed(w, c->piece);
		all = parts_alt(w->x, all, parts_seq(w->x, text(w, mark(w, c)), p));
	}
	return all;
}

// The type of all cases, where the schema says it itself; else any type's name.
static piece_id type_piece(struct writing *w, const cJSON *schema, const value_cases *cases)
{
	bool says_it = get(schema, "const") || get(schema, "enum") || cJSON_IsString(get(schema, "type"));
	const char *type = cases->n ? cases->at[0].type : NULL;
	for (uint32_t i = 0; i < cases->n && type; i++)
		if (!cases->at[i].type || strcmp(cases->at[i].type, type) != 0) type = NULL;
	if (type && says_it) return text(w, type);
	piece_id p = parts_nothing(w->x);
	for (uint32_t i = 0; i < N_TYPES; i++) p = parts_alt(w->x, p, text(w, parameters_types[i]));
	return p;
}

// What the style writes for a sign of a property's name, NULL: itself.
static const char *escape(const struct writing *w, char c)
{
	bool is_form = w->style->says == SAYS_FORM;
	if (w->style->says != SAYS_TYPE && !is_form) return NULL;
	if (c == '&') return "&amp;";
	if (c == '"') return "&quot;";
	return !is_form ? NULL : c == '<' ? "&lt;" : c == '>' ? "&gt;" : NULL;
}

static const char *escaped(struct writing *w, const char *name)
{
	const char *out = "";
	for (const char *c = name; *c; c++) {
		const char *e = escape(w, *c);
		out = e ? arena_printf(&w->x->r->arena, "%s%s", out, e) : arena_printf(&w->x->r->arena, "%s%c", out, *c);
	}
	return out;
}

static piece_id name_piece(struct writing *w, const char *name)
{
	if (is_m3(w) && (!name[strspn(name, " \t\n\r\f\v")] || *name == '/' || strchr(name, '>')))
		fail(w, "\"%s\" cannot be the name of a tag of the style %s", name, w->style->name);
	const char *said = escaped(w, name);
	return parameters_allowed(w, said) ? piece_text(w->x->r, said, strlen(said), w->x->loc) : parts_nothing(w->x);
}

// The name of a further property. Names of the schema's are none in a style whose names are escaped text.
static piece_id any_name(struct writing *w, const cJSON *properties)
{
	struct languages *store = rules_languages(w->x->r);
	if (w->style->says != SAYS_FORM) return w->any_name;
	static const char pattern[] = "([^\"&<>]|&amp;|&lt;|&gt;|&quot;)+";
	const struct regex_text said = {pattern, sizeof pattern - 1, 0, w->x->loc, "name"};
	language l = language_of_regex(store, &said, w->x->r->diag);
	uint32_t n = 0;
	struct language_text *names =
		arena_array(&w->x->r->arena, (size_t)cJSON_GetArraySize(properties) + 1, sizeof *names);
	const cJSON *one;
	cJSON_ArrayForEach(one, properties)
	{
		const char *name = escaped(w, one->string);
		names[n++] = (struct language_text){name, strlen(name)};
	}
	return parts_language(w->x, n ? language_minus(store, l, language_of_texts(store, names, n)) : l);
}

// A value behind `opened`, up to and with what closes it: `name` is the tag's that closes_by_name.
static piece_id valued(struct writing *w, piece_id opened, const char *name, const cJSON *schema)
{
	value_cases cases = {0};
	struct parts *x = w->x;
	struct map64 around_it = w->seen;  // of the value that this one is inside of
	w->seen = (struct map64){0};
	parameters_add_cases(w, schema, &cases);
	map64_release(&w->seen);
	w->seen = around_it;
	piece_id p = opened;
	if (w->style->says == SAYS_STRING || w->style->says == SAYS_FORM) {
		p = parts_seq(x, p, cases_marked(w, &cases));
	} else {
		if (w->style->says == SAYS_TYPE) p = parts_seq(x, p, type_piece(w, schema, &cases));
		if (!strcmp(w->style->name, "glm_xml")) p = parts_seq(x, p, w->space);
		p = parts_seq(x, p, text(w, w->style->before_value));
		piece_id value = parts_nothing(x);
		for (uint32_t i = 0; i < cases.n; i++) value = parts_alt(x, value, cases.at[i].piece);
		if (!is_m3(w)) value = around(w, value);
		p = parts_seq(x, p, is_plain_string(schema) ? string_closed(w) : closed(w, value));
	}
	if (is_m3(w)) p = parts_seq(x, p, text(w, arena_printf(&x->r->arena, "</%s>", name)));
	vec_release(&cases);
	return p;
}

static piece_id opening(struct writing *w, piece_id name)
{
	return parts_seq(w->x, parts_seq(w->x, text(w, w->style->open), name), text(w, w->style->behind_name));
}

static piece_id property(struct writing *w, piece_id name, const char *said, const cJSON *schema)
{
	piece_id p = parts_seq(w->x, w->space, valued(w, opening(w, name), said, schema));
	return parts_named(w->x, "property", p);
}

static bool is_required(const cJSON *object, const char *name)
{
	const cJSON *one;
	cJSON_ArrayForEach(one,
	                   get(object, "required")) if (cJSON_IsString(one) && !strcmp(one->valuestring, name)) return true;
	return false;
}

// The properties of an object, in the order of the schema.
struct members {
	const piece_id *own;
	const bool *must;
	uint32_t n;
	piece_id more;         // further ones, or nothing
	uint32_t least, most;  // how many; most: TERM_UNBOUNDED
};

// Those behind so many, for each number up to the last that makes a difference: the next one is there or not, and at
// the end further ones make up the number.
static piece_id counted_members(struct writing *w, const struct members *m)
{
	struct parts *x = w->x;
	bool is_endless = m->most == TERM_UNBOUNDED;
	uint32_t last = is_endless && m->least < m->n ? m->least : m->n;
	piece_id *rest = arena_array(&x->r->arena, (size_t)last + 1, sizeof *rest);
	for (uint32_t count = 0; count <= last; count++) {
		uint32_t least = m->least > count ? m->least - count : 0;
		rest[count] = count > m->most
		                  ? parts_nothing(x)
		                  : piece_repeat(x->r, m->more, least, is_endless ? m->most : m->most - count, x->loc);
	}
	for (uint32_t i = m->n; i-- > 0;)
		for (uint32_t count = 0; count <= (i < last ? i : last); count++) {
			piece_id with = parts_seq(x, m->own[i], rest[count < last ? count + 1 : last]);
			rest[count] = parts_named(x, "members", m->must[i] ? with : parts_alt(x, with, rest[count]));
		}
	return rest[0];
}

static piece_id plain_members(struct writing *w, const struct members *m)
{
	struct parts *x = w->x;
	piece_id p = parts_empty(x);
	for (uint32_t i = 0; i < m->n; i++)
		p = parts_seq(x, p, m->must[i] ? m->own[i] : parts_alt(x, m->own[i], parts_empty(x)));
	return parts_seq(x, p, piece_repeat(x->r, m->more, 0, TERM_UNBOUNDED, x->loc));
}

// Further properties: those of patterns, and others where there are properties of their own.
static piece_id more_members(struct writing *w, const cJSON *schema, bool is_open)
{
	const cJSON *patterns = get(schema, "patternProperties"), *properties = get(schema, "properties"), *one;
	piece_id p = parts_nothing(w->x);
	cJSON_ArrayForEach(one, patterns)
	{
		const struct pattern said = {.text = one->string, .len = strlen(one->string), .loc = w->x->loc};
		piece_id name = p;
		if (is_m3(w)) fail(w, "\"patternProperties\" is not supported in the style %s", w->style->name);
		if (w->failed || !pattern_read(w->x->r, &said, w->x->r->diag, &name)) w->failed = true;
		if (!w->failed) p = parts_alt(w->x, p, property(w, name, "", one));
	}
	if (!is_open || w->failed || (patterns && !properties)) return p;
	return parts_alt(w->x, p, property(w, any_name(w, properties), "", get(schema, "additionalProperties")));
}

// Branches: which properties there are, how many, in which order, and the empty object.
static piece_id object(struct writing *w, const cJSON *schema)
{
	static const char *const known[] = {"type",          "properties",    "required",          "additionalProperties",
	                                    "minProperties", "maxProperties", "patternProperties", NULL};
	const cJSON *properties = get(schema, "properties"), *further_of = get(schema, "additionalProperties"), *one;
	const char *more = parameters_further(schema, known);
	struct parts *x = w->x;
	if (more) fail(w, "\"%s\" of the object is not supported in a style of tags", more);
	bool is_open =
		further_of ? !cJSON_IsFalse(further_of) : !parameters_further(schema, (const char *const[]){"type", NULL});
	if (is_open && is_m3(w) && further_of)
		fail(w, "the style %s has no further properties: set \"additionalProperties\" to false", w->style->name);
	size_t n = (size_t)cJSON_GetArraySize(properties);
	piece_id *own = arena_array(&x->r->arena, n, sizeof *own), any;
	bool *must = arena_array(&x->r->arena, n, sizeof *must);
	struct members m = {.own = own, .must = must, .more = more_members(w, schema, is_open && !is_m3(w))};
	m.least = parameters_bound(w, schema, "minProperties", 0);
	m.most = parameters_bound(w, schema, "maxProperties", TERM_UNBOUNDED);
	any = m.more;
	uint32_t required = 0;
	cJSON_ArrayForEach(one, properties)
	{
		if (w->failed) return any;
		own[m.n] = property(w, name_piece(w, one->string), one->string, one);
		must[m.n] = is_required(schema, one->string);
		required += must[m.n];
		any = parts_alt(x, any, own[m.n++]);
	}
	bool may_be_empty = !m.least && !required;
	if (is_m3(w) && !m.least) m.least = 1;
	if (w->p->any_order && required > m.least) m.least = required;
	piece_id p = w->p->any_order                       ? piece_repeat(x->r, any, m.least, m.most, x->loc)
	             : m.least || m.most != TERM_UNBOUNDED ? counted_members(w, &m)
	                                                   : plain_members(w, &m);
	p = parts_seq(x, p, w->space);
	return is_m3(w) && may_be_empty ? parts_alt(x, p, parts_empty(x)) : p;  // without white space there
}

// ---- Objects and lists inside, where these are tags

static piece_id item(struct writing *w, const cJSON *schema)
{
	if (!is_m3(w)) return valued(w, text(w, "<cofl:value type=\""), "", schema);
	return parts_seq(w->x, w->space, valued(w, opening(w, text(w, "item")), "item", schema));
}

// Branches: which items there are, how many, and what the two styles do otherwise.
static piece_id list(struct writing *w, const cJSON *schema)
{
	static const char *const known[] = {"type", "items", "prefixItems", "minItems", "maxItems", NULL};
	const cJSON *items = get(schema, "items"), *first = get(schema, "prefixItems"), *one;
	const char *more = parameters_further(schema, known);
	struct parts *x = w->x;
	if (more) fail(w, "\"%s\" of a list is not supported in the style %s", more, w->style->name);
	bool is_open = items ? !cJSON_IsFalse(items) : !parameters_further(schema, (const char *const[]){"type", NULL});
	if (is_m3(w) && !items) is_open = false;
	uint32_t least = parameters_bound(w, schema, "minItems", 0),
			 most = parameters_bound(w, schema, "maxItems", TERM_UNBOUNDED);
	uint32_t n = (uint32_t)cJSON_GetArraySize(first), k = 0;
	if (least > most || n > most)
		fail(w, "no number of items satisfies \"minItems\", \"maxItems\" and \"prefixItems\" together");
	if (w->failed) return parts_nothing(x);
	// cohere_xml has all of prefixItems. Of minimax_m3_xml a list that has some has at least minItems of them, and no
	// white space is in an empty one.
	uint32_t fewest = is_m3(w) && !least ? 1 : least;
	piece_id *each = arena_array(&x->r->arena, n, sizeof *each);
	cJSON_ArrayForEach(one, first) each[k++] = item(w, one);
	piece_id rest = is_open ? item(w, items) : parts_nothing(x);
	piece_id p =
		piece_repeat(x->r, rest, fewest > n ? fewest - n : 0, most == TERM_UNBOUNDED ? most : most - n, x->loc);
	while (k--) {
		p = parts_seq(x, each[k], p);
		if (is_m3(w) && k >= fewest) p = parts_alt(x, p, parts_empty(x));
		p = parts_named(x, "items", p);
	}
	if (!is_m3(w)) return parts_seq(x, w->space, parts_seq(x, p, w->space));
	p = parts_seq(x, p, w->space);
	return least ? p : parts_alt(x, p, parts_empty(x));
}

// A value of minimax_m3_xml that the schema writes out.
piece_id parameters_literal_inside(struct writing *w, const cJSON *value)
{
	struct parts *x = w->x;
	bool is_list = cJSON_IsArray(value);
	piece_id p = parts_empty(x);
	const cJSON *one;
	if (++w->nesting > NOTATION_MAX_NESTING)
		fail(w, "values nest deeper than %u (NOTATION_MAX_NESTING)", NOTATION_MAX_NESTING);
	if (cJSON_IsString(value) && strstr(value->valuestring, M3)) fail(w, "a string of the schema has %s in it", M3);
	if (w->failed) return p;
	if (is_list || cJSON_IsObject(value)) {
		cJSON_ArrayForEach(one, value)
		{
			const char *name = is_list ? "item" : one->string;
			piece_id open = opening(w, name_piece(w, name));
			p = parts_seq(x, p, parts_seq(x, open, parameters_literal_inside(w, one)));
			p = parts_seq(x, p, text(w, arena_printf(&x->r->arena, M3 "</%s>", name)));
		}
	} else {
		p = parameters_literal_text(w, value);
	}
	w->nesting--;
	return p;
}

piece_id parameters_inside(struct writing *w, const cJSON *schema, const char *type)
{
	bool is_list = !strcmp(type, "array");
	uint64_t key = (uint64_t)(uintptr_t)schema * 2 + is_list;
	uint64_t known = map64_get(&w->written, key);
	uint32_t rule = (uint32_t)known;
	if (known == MAP64_NONE) {
		const char *name =
			arena_printf(&w->x->r->arena, "%s%s_%u", w->x->prefix ? w->x->prefix : "", type, w->x->n_named++);
		rule = rule_number(w->x->r, name, strlen(name), w->x->loc);
		map64_put(&w->written, key, rule);
		piece_id body = is_list ? list(w, schema) : object(w, schema);
		w->x->r->rule.at[rule].body = body;
	}
	return piece_rule(w->x->r, rule, w->x->loc);
}

static piece_id whole(struct writing *w, const cJSON *schema)
{
	static const char *const either[] = {"anyOf", "oneOf"};
	const cJSON *one;
	if (++w->nesting > NOTATION_MAX_NESTING)
		fail(w, "schemas nest deeper than %u (NOTATION_MAX_NESTING)", NOTATION_MAX_NESTING);
	schema = parameters_resolved(w, schema);
	if (w->failed) return parts_nothing(w->x);
	const char *type = cJSON_GetStringValue(get(schema, "type"));
	for (uint32_t i = 0; i < 2; i++) {
		if (!get(schema, either[i])) continue;
		const char *more = parameters_further(schema, (const char *const[]){either[i], NULL});
		if (more) fail(w, "\"%s\" beside \"%s\" is not supported in a style of tags", more, either[i]);
		piece_id p = parts_nothing(w->x);
		cJSON_ArrayForEach(one, get(schema, either[i])) p = parts_alt(w->x, p, whole(w, one));
		w->nesting--;
		return p;
	}
	if (type && strcmp(type, "object") != 0) fail(w, "a style of tags needs the schema of an object, not of %s", type);
	w->nesting--;
	return object(w, schema);
}

bool parameters_known(const char *style)
{
	for (uint32_t i = 0; i < N_STYLES; i++)
		if (!strcmp(styles[i].name, style)) return true;
	return false;
}

// Strings and names without the excluded strings.
static void exclude(struct writing *w)
{
	struct languages *store = rules_languages(w->x->r);
	static const char name[] = "[a-zA-Z_][a-zA-Z0-9_]*";
	const struct regex_text said = {name, sizeof name - 1, 0, w->x->loc, "name"};
	const char *keyword = excludes_obstacle(w->p->schema);
	for (uint32_t i = 0; i < w->p->excludes.n; i++) {
		const char *one = w->p->excludes.at[i];
		if (strchr(" \t\r\n", *one) || strchr(" \t\r\n", one[strlen(one) - 1]))
			fail(w, "\"%s\" begins or ends with white space, which a style of tags cannot exclude", one);
	}
	if (w->style->has_tags_inside) fail(w, "\"excludes\" is not supported in the style %s", w->style->name);
	if (keyword) fail(w, "\"excludes\" beside \"%s\" is not supported", keyword);
	w->allowed = free_text_language(w->x, w->p->excludes);
	w->any_name = parts_language(w->x, language_and(store, language_of_regex(store, &said, w->x->r->diag), w->allowed));
}

bool parameters_read(struct parts *x, const struct parameters *p, piece_id *out, const char **why)
{
	struct writing w = {.x = x, .p = p, .style = styles};
	while (strcmp(w.style->name, p->style) != 0) w.style++;
	code_ranges blank = {0}, first = {0}, rest = {0};
	for (const char *c = "\t\n\r "; *c; c++) vec_push(&blank, ((struct code_range){(uint8_t)*c, (uint8_t)*c}));
	for (uint32_t i = 0; i < 4; i++) {
		const char *range = &"AZaz__09"[2 * i];
		const struct code_range both = {(uint8_t)range[0], (uint8_t)range[1]};
		if (i < 3) vec_push(&first, both);
		vec_push(&rest, both);
	}
	w.space = piece_repeat(x->r, piece_set(x->r, &blank, false, x->loc), 0,
	                       p->most_blanks == UINT32_MAX ? TERM_UNBOUNDED : p->most_blanks, x->loc);
	w.any_name = parts_seq(x, piece_set(x->r, &first, false, x->loc),
	                       piece_repeat(x->r, piece_set(x->r, &rest, false, x->loc), 0, TERM_UNBOUNDED, x->loc));
	vec_release(&blank), vec_release(&first), vec_release(&rest);
	if (p->excludes.n) exclude(&w);
	w.unquoted = free_text(x, strings_join(x, (struct end_strings){&w.style->close, 1}, p->excludes), FREE_ANY);
	*out = whole(&w, p->schema);
	map64_release(&w.written);
	*why = w.why;
	return !w.failed;
}
