// The "normalizer" section: steps that rewrite the text before it is cut.
//
// In:  valid UTF-8. Out: valid UTF-8.
// Steps: NFC, NFD, NFKC, NFKD (utf8proc), Prepend, Replace (a string or a regular expression), Sequence. HuggingFace
// normalizes with the tables of Unicode 9; characters assigned since then are boundaries for it: they decompose,
// compose and reorder with nothing. So the text is normalized in the stretches between them (young_character).
// ASCII is copied. Cost: 100 MB/s on ASCII, 20 MB/s on the rest.
#include "encoder.h"
#include "utf8.h"
#include "../shared/search.h"

#include <utf8proc.h>

struct step {
	enum { FORM, PREPEND, REPLACE } what;
	int form;          // utf8proc options
	const char *text;  // PREPEND, or REPLACE's new text; a copy
	const char *find;  // REPLACE; NULL: regex
	struct hf_regex *regex;
};

struct normalizer {
	struct arena arena;
	uint32_t n;
	struct step step[ENCODER_MAX_STEPS];
	text_buffer spare[2];
};

static bool refuse(const struct source *s, struct diag *d, const char *type)
{
	diag_error(d, hf_place(s, type),
	           "the normalizer \"%s\" is not supported (or lacks a field); supported: NFC, NFD, NFKC, "
	           "NFKD, Prepend, Replace, Sequence; ids cannot be computed for this tokenizer",
	           type);
	return false;
}

static bool parse_one(struct normalizer *n, const cJSON *section, const struct source *source, struct diag *d)
{
	const char *type = hf_string(section, "type");
	if (!type) return refuse(source, d, "normalizer");
	if (n->n == ENCODER_MAX_STEPS) {
		diag_error(d, hf_place(source, "normalizer"), "the normalizer has more than %u steps (ENCODER_MAX_STEPS)",
		           ENCODER_MAX_STEPS);
		return false;
	}
	static const struct {
		const char *type;
		int form;
	} forms[] = {{"NFC", UTF8PROC_STABLE | UTF8PROC_COMPOSE},
	             {"NFD", UTF8PROC_STABLE | UTF8PROC_DECOMPOSE},
	             {"NFKC", UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT},
	             {"NFKD", UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT}};
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (!strcmp(type, forms[i].type))
			return n->step[n->n++] = (struct step){.what = FORM, .form = forms[i].form}, true;
	if (!strcmp(type, "Prepend")) {
		const char *text = hf_string(section, "prepend");
		if (!text) return refuse(source, d, type);
		n->step[n->n++] = (struct step){.what = PREPEND, .text = arena_strndup(&n->arena, text, strlen(text))};
		return true;
	}
	if (strcmp(type, "Replace")) return refuse(source, d, type);
	const char *text = hf_string(section, "content"), *find = hf_string(hf_member(section, "pattern"), "String");
	const char *regex = hf_string(hf_member(section, "pattern"), "Regex");
	if (!text || (find ? !*find : !regex)) return refuse(source, d, type);
	struct step *step = &n->step[n->n];
	*step = (struct step){.what = REPLACE, .text = arena_strndup(&n->arena, text, strlen(text))};
	if (find)
		step->find = arena_strndup(&n->arena, find, strlen(find));
	else if (!(step->regex = hf_regex_compile(regex, source, d)))
		return false;
	n->n++;
	return true;
}

struct normalizer *normalizer_parse(const cJSON *section, const struct source *source, struct diag *d)
{
	struct normalizer *n = mem_calloc(1, sizeof *n);
	const char *type = hf_string(section, "type");
	bool good = true;
	if (type && !strcmp(type, "Sequence")) {
		const cJSON *steps = hf_member(section, "normalizers"), *step;
		if (!cJSON_IsArray(steps)) good = refuse(source, d, type);
		cJSON_ArrayForEach(step, steps) good = good && parse_one(n, step, source, d);
	} else if (section && !cJSON_IsNull(section)) {
		good = parse_one(n, section, source, d);
	}
	if (good) return n;
	normalizer_free(n);
	return NULL;
}

// Characters with a decomposition, composition or combining class that Unicode 9 did not have. Found by comparing
// the two implementations on every code point; the ranges above Unicode 15 are those of whole new blocks.
static bool young_character(uint32_t c)
{
	static const struct {
		uint32_t from, to;
	} young[] = {{0x7FD, 0x7FD},     {0x897, 0x89F},     {0x8CA, 0x8D3},     {0x9FE, 0x9FE},     {0xC3C, 0xC3C},
	             {0xD3B, 0xD3C},     {0xEBA, 0xEBA},     {0x1715, 0x1715},   {0x1ABF, 0x1AFF},   {0x1DF6, 0x1DFA},
	             {0x32FF, 0x32FF},   {0xA7F1, 0xA7F4},   {0xA82C, 0xA82C},   {0xAB69, 0xAB69},   {0x105C0, 0x105FF},
	             {0x10780, 0x107BF}, {0x10D00, 0x10D8F}, {0x10EAB, 0x10EAC}, {0x10EFA, 0x10EFF}, {0x10F46, 0x10F50},
	             {0x10F82, 0x10F85}, {0x11070, 0x11070}, {0x1133B, 0x1133B}, {0x11380, 0x113FF}, {0x1145E, 0x1145E},
	             {0x11839, 0x1183A}, {0x11900, 0x1195F}, {0x119E0, 0x119E0}, {0x11A34, 0x11A34}, {0x11A47, 0x11A47},
	             {0x11A99, 0x11A99}, {0x11D42, 0x11D45}, {0x11D97, 0x11D97}, {0x11F41, 0x11F42}, {0x16100, 0x1613F},
	             {0x16D40, 0x16D7F}, {0x16FF0, 0x16FF1}, {0x1E030, 0x1E08F}, {0x1E130, 0x1E136}, {0x1E2AE, 0x1E2AE},
	             {0x1E2EC, 0x1E2EF}, {0x1E4EC, 0x1E4EF}, {0x1E5EE, 0x1E5EF}, {0x1E6C0, 0x1E6FF}, {0x1F16C, 0x1F16C},
	             {0x1FBF0, 0x1FBF9}};
	uint32_t i;
	LOWER_BOUND(i, 0, sizeof young / sizeof *young, young[i].to < c);
	return i < sizeof young / sizeof *young && young[i].from <= c;
}

static bool run_form(int form, const char *text, size_t len, text_buffer *out)
{
	if (!len) return true;
	utf8proc_uint8_t *result = NULL;
	utf8proc_ssize_t n =
		utf8proc_map((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)len, &result, (utf8proc_option_t)form);
	if (n >= 0) text_put(out, (const char *)result, (size_t)n);
	free(result);
	return n >= 0;
}

// Copied as they are: ASCII, except the last character before another (a combining mark may follow), and young
// characters. What lies between goes through utf8proc.
static bool normalize(int form, const char *text, size_t len, text_buffer *out)
{
	for (size_t i = 0, j; i < len; i = j) {
		uint32_t n, c;
		for (j = i; j < len && (unsigned char)text[j] < 0x80; j++) continue;
		if (j < len && j > i) j--;
		text_put(out, text + i, j - i);
		if ((i = j) == len) break;
		c = utf8_get(text + i, len - i, &n);
		j = i + n;
		if (young_character(c)) {
			text_put(out, text + i, n);
			continue;
		}
		for (; j < len; j += n) {
			c = utf8_get(text + j, len - j, &n);
			if (c < 0x80 ? j + 1 < len && (unsigned char)text[j + 1] < 0x80 : young_character(c)) break;
		}
		if (!run_form(form, text + i, j - i, out)) return false;
	}
	return true;
}

static bool replace(const struct step *s, const char *text, uint32_t len, text_buffer *out, const char **problem)
{
	uint32_t at = 0, begin, end, from = 0;
	size_t find_len = s->find ? strlen(s->find) : 0, new_len = strlen(s->text);
	for (;;) {
		if (s->find) {
			const char *hit = NULL;
			for (const char *p = text + from;
			     p + find_len <= text + len && (p = memchr(p, *s->find, (size_t)(text + len - p))); p++)
				if ((size_t)(text + len - p) >= find_len && !memcmp(p, s->find, find_len)) {
					hit = p;
					break;
				}
			if (!hit) break;
			begin = (uint32_t)(hit - text), end = begin + (uint32_t)find_len;
		} else {
			int found = from > len ? 0 : hf_regex_next(s->regex, text, len, from, &begin, &end);
			if (found < 0) return *problem = hf_regex_problem(s->regex), false;
			if (!found) break;
		}
		if (out->n + (size_t)(begin - at) + new_len > ENCODER_MAX_TEXT) return false;
		text_put(out, text + at, begin - at);
		text_put(out, s->text, new_len);
		at = end;
		from = end > begin ? end : end < len ? end + utf8_len(text[end]) : end + 1;
	}
	text_put(out, text + at, len - at);
	return true;
}

bool normalizer_run(struct normalizer *n, const char *text, size_t len, text_buffer *out, struct diag *d)
{
	const char *problem = "it grows beyond ENCODER_MAX_TEXT";
	for (uint32_t i = 0; i < n->n; i++) {
		struct step *s = &n->step[i];
		text_buffer *to = i + 1 == n->n ? out : &n->spare[i % 2];
		if (i + 1 < n->n) vec_clear(to);
		uint32_t before = to->n;
		bool good = true;
		if (s->what == FORM)
			good = normalize(s->form, text, len, to);
		else if (s->what == REPLACE)
			good = replace(s, text, (uint32_t)len, to, &problem);
		else if (len)
			text_put(to, s->text, strlen(s->text)), text_put(to, text, len);
		if (!good || to->n - before > ENCODER_MAX_TEXT) {
			diag_error(d, (struct loc){0}, "the text cannot be normalized: %s", problem);
			return false;
		}
		text = to->at + before, len = to->n - before;
	}
	if (!n->n) text_put(out, text, len);
	return true;
}

void normalizer_describe(const struct normalizer *n, struct encoder_model *m)
{
	for (uint32_t i = 0; i < n->n; i++) {
		const struct step *s = &n->step[i];
		uint32_t a = 0, b = 0;
		if (s->what == PREPEND) {
			m->adds_prefix = true;
		} else if (s->what == FORM) {
			m->has_form = true;
		} else {
			size_t len = s->find ? strlen(s->find) : 0, new_len = strlen(s->text);
			uint32_t from = len ? utf8_get(s->find, len, &a) : UTF8_BAD,
					 to = new_len ? utf8_get(s->text, new_len, &b) : UTF8_BAD;
			if (from == UTF8_BAD || to == UTF8_BAD || a != len || b != new_len)
				m->obstacle = "a normalizer that replaces more than one character by another";
			else
				vec_push(&m->replaced, ((struct encoder_joint){from, to}));
		}
	}
	if (m->has_form && (m->replaced.n || m->adds_prefix))
		m->obstacle = "a normalizer with both a normal form and replacements";
}

bool normalizer_keeps(const struct normalizer *n, const char *text, size_t len)
{
	text_buffer out = {0};
	bool kept = true;
	for (uint32_t i = 0; i < n->n && kept; i++) {
		if (n->step[i].what != FORM) continue;
		vec_clear(&out);
		kept = normalize(n->step[i].form, text, len, &out) && out.n == len && !memcmp(out.at, text, len);
	}
	vec_release(&out);
	return kept;
}

uint8_t encoder_combining(uint32_t c)
{
	return young_character(c) ? 0 : (uint8_t)utf8proc_get_property((utf8proc_int32_t)c)->combining_class;
}

bool normalizer_is_empty(const struct normalizer *n) { return !n->n; }

void normalizer_free(struct normalizer *n)
{
	if (!n) return;
	for (uint32_t i = 0; i < n->n; i++) hf_regex_free(n->step[i].regex);
	vec_release(&n->spare[0]), vec_release(&n->spare[1]);
	arena_release(&n->arena);
	free(n);
}
