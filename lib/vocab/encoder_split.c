// The "pre_tokenizer" section: cuts the normalized text into the pieces that BPE sees.
//
// In:  one stretch of text without added tokens. Out: pieces, in order.
// Steps: Split (string or regular expression; all five behaviours; invert), ByteLevel (GPT-2's expression), Digits,
// WhitespaceSplit, Metaspace, Sequence. Each step cuts every piece of the one before by itself, as HuggingFace does:
// look-around does not see over a piece's end. ByteLevel's alphabet is left to BPE, so it must be the last step.
#include "encoder.h"
#include "utf8.h"

enum behaviour { REMOVED, ISOLATED, CONTIGUOUS, WITH_PREVIOUS, WITH_NEXT };

struct step {
	enum { SPLIT, BYTE_LEVEL, METASPACE } what;
	enum behaviour behaviour;  // SPLIT
	bool invert;
	struct hf_regex *regex;                 // SPLIT, BYTE_LEVEL with use_regex; else NULL
	const char *pattern;                    // its text; a copy
	const char *find;                       // SPLIT by string, METASPACE's mark; a copy
	bool prefix;                            // BYTE_LEVEL: add_prefix_space
	enum { ALWAYS, FIRST, NEVER } prepend;  // METASPACE
	bool cut;                               // METASPACE: split
};

// One match or one stretch between matches.
struct part {
	uint32_t begin, end;
	bool match;
};

struct splitter {
	struct arena arena;
	uint32_t n;
	struct step step[ENCODER_MAX_STEPS];
	bool byte_level;
	VEC(struct part) parts;
	piece_list next;
	text_buffer changed;
};

static bool set_regex(struct splitter *s, struct step *step, const char *pattern, const struct source *source,
                      struct diag *d)
{
	step->pattern = arena_strndup(&s->arena, pattern, strlen(pattern));
	return (step->regex = hf_regex_compile(pattern, source, d)) != NULL;
}

static bool refuse(const struct source *s, struct diag *d, const char *type, const char *why)
{
	diag_error(d, hf_place(s, type),
	           "the pre-tokenizer \"%s\" %s; supported: Split, ByteLevel, Digits, Metaspace, "
	           "WhitespaceSplit, Sequence; ids cannot be computed for this tokenizer",
	           type, why);
	return false;
}

#define GPT2_REGEX "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"

static bool parse_split(struct splitter *s, struct step *step, const cJSON *section, const struct source *source,
                        struct diag *d)
{
	static const char *const names[] = {"Removed", "Isolated", "Contiguous", "MergedWithPrevious", "MergedWithNext"};
	const char *behaviour = hf_string(section, "behavior");
	const cJSON *pattern = hf_member(section, "pattern");
	const char *find = hf_string(pattern, "String"), *regex = hf_string(pattern, "Regex");
	uint32_t k = 0;
	while (k < 5 && (!behaviour || strcmp(behaviour, names[k]))) k++;
	if (k == 5) return refuse(source, d, "Split", "has an unknown behavior");
	if (find ? !*find : !regex) return refuse(source, d, "Split", "has no pattern");
	*step = (struct step){.what = SPLIT, .behaviour = (enum behaviour)k, .invert = hf_flag(section, "invert", false)};
	if (find) step->find = arena_strndup(&s->arena, find, strlen(find));
	return find || set_regex(s, step, regex, source, d);
}

static bool parse_metaspace(struct splitter *s, struct step *step, const cJSON *section, const struct source *source,
                            struct diag *d)
{
	const char *mark = hf_string(section, "replacement"), *scheme = hf_string(section, "prepend_scheme");
	if (!mark || !*mark || utf8_len(*mark) != strlen(mark))
		return refuse(source, d, "Metaspace", "has no replacement character");
	*step = (struct step){.what = METASPACE,
	                      .find = arena_strndup(&s->arena, mark, strlen(mark)),
	                      .cut = hf_flag(section, "split", true)};
	if (!scheme) scheme = hf_flag(section, "add_prefix_space", true) ? "always" : "never";
	if (!strcmp(scheme, "always"))
		step->prepend = ALWAYS;
	else if (!strcmp(scheme, "first"))
		step->prepend = FIRST;
	else if (!strcmp(scheme, "never"))
		step->prepend = NEVER;
	else
		return refuse(source, d, "Metaspace", "has an unknown prepend_scheme");
	return true;
}

// Branches: one case for each kind of pre-tokenizer.
static bool parse_step(struct splitter *s, const cJSON *section, const struct source *source, struct diag *d)
{
	const char *type = hf_string(section, "type");
	if (!type) return refuse(source, d, "pre_tokenizer", "has no type");
	if (s->n == ENCODER_MAX_STEPS) return refuse(source, d, type, "is one step too many (ENCODER_MAX_STEPS is 16)");
	if (s->byte_level) return refuse(source, d, type, "comes after ByteLevel, which must be the last step");
	struct step *step = &s->step[s->n];
	if (!strcmp(type, "Split")) {
		if (!parse_split(s, step, section, source, d)) return false;
	} else if (!strcmp(type, "ByteLevel")) {
		*step = (struct step){
			.what = BYTE_LEVEL, .prefix = hf_flag(section, "add_prefix_space", true), .behaviour = ISOLATED};
		if (hf_flag(section, "use_regex", true) && !set_regex(s, step, GPT2_REGEX, source, d)) return false;
		s->byte_level = true;
	} else if (!strcmp(type, "Metaspace")) {
		if (!parse_metaspace(s, step, section, source, d)) return false;
	} else if (!strcmp(type, "Digits")) {
		*step = (struct step){.what = SPLIT,
		                      .behaviour = hf_flag(section, "individual_digits", false) ? ISOLATED : CONTIGUOUS};
		if (!set_regex(s, step, "\\p{N}", source, d)) return false;
	} else if (!strcmp(type, "WhitespaceSplit")) {
		*step = (struct step){.what = SPLIT, .behaviour = REMOVED};
		if (!set_regex(s, step, "\\s", source, d)) return false;
	} else {
		return refuse(source, d, type, "is not supported");
	}
	s->n++;
	return true;
}

struct splitter *splitter_parse(const cJSON *section, const struct source *source, struct diag *d)
{
	struct splitter *s = mem_calloc(1, sizeof *s);
	const char *type = hf_string(section, "type");
	bool good = true;
	if (type && !strcmp(type, "Sequence")) {
		const cJSON *steps = hf_member(section, "pretokenizers"), *step;
		if (!cJSON_IsArray(steps)) good = refuse(source, d, type, "has no pretokenizers");
		cJSON_ArrayForEach(step, steps) good = good && parse_step(s, step, source, d);
	} else if (section && !cJSON_IsNull(section)) {
		good = parse_step(s, section, source, d);
	}
	if (good) return s;
	splitter_free(s);
	return NULL;
}

bool splitter_needs_alignment(const struct splitter *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->step[i].what == METASPACE && s->step[i].prepend == FIRST) return true;
	return false;
}

bool splitter_is_byte_level(const struct splitter *s) { return s->byte_level; }

static int next_match(const struct step *step, const char *text, uint32_t len, uint32_t from, uint32_t *begin,
                      uint32_t *end)
{
	if (step->regex) return hf_regex_next(step->regex, text, len, from, begin, end);
	size_t n = strlen(step->find);
	for (const char *p = text + from, *stop = text + len; p < stop && (p = memchr(p, *step->find, (size_t)(stop - p)));
	     p++)
		if ((size_t)(stop - p) >= n && !memcmp(p, step->find, n))
			return *begin = (uint32_t)(p - text), *end = *begin + (uint32_t)n, 1;
	return 0;
}

// Matches and what lies between them, the whole piece without gaps. An empty match cuts, but not right after a match.
static bool find_parts(struct splitter *s, const struct step *step, const char *text, uint32_t len, struct diag *d)
{
	uint32_t covered = 0, from = 0, begin, end;
	bool any = false;
	vec_clear(&s->parts);
	while (from <= len) {
		int found = next_match(step, text, len, from, &begin, &end);
		if (found < 0) {
			diag_error(d, (struct loc){0}, "a regular expression of the pre-tokenizer failed on this text: %s",
			           hf_regex_problem(step->regex));
			return false;
		}
		if (!found) break;
		bool again = begin == end && any && begin == covered;
		if (!again) {
			if (begin > covered) vec_push(&s->parts, ((struct part){covered, begin, step->invert}));
			vec_push(&s->parts, ((struct part){begin, end, !step->invert}));
			covered = end, any = true;
		}
		from = end > begin ? end : end < len ? end + utf8_len(text[end]) : end + 1;
	}
	if (covered < len) vec_push(&s->parts, ((struct part){covered, len, step->invert}));
	return true;
}

static void put_piece(struct splitter *s, uint32_t base, uint32_t begin, uint32_t end)
{
	if (end > begin) vec_push(&s->next, ((struct piece){base + begin, base + end}));
}

static void put_parts(struct splitter *s, enum behaviour behaviour, uint32_t base)
{
	const struct part *p = s->parts.at;
	uint32_t n = s->parts.n;
	for (uint32_t i = 0, j; i < n; i = j) {
		j = i + 1;
		if (behaviour == REMOVED && p[i].match) continue;
		if (behaviour == CONTIGUOUS)
			while (j < n && p[j].match == p[i].match) j++;
		// A match joins its neighbour, unless that is a match, too, which then ended a pair.
		if (behaviour == WITH_PREVIOUS && !p[i].match && j < n && p[j].match) j++;
		if (behaviour == WITH_NEXT && p[i].match && j < n && !p[j].match) j++;
		put_piece(s, base, p[i].begin, p[j - 1].end);
	}
}

static bool cut_piece(struct splitter *s, const struct step *step, const char *text, struct piece piece, struct diag *d)
{
	if (!find_parts(s, step, text + piece.begin, piece.end - piece.begin, d)) return false;
	put_parts(s, step->behaviour, piece.begin);
	return true;
}

static bool starts_with(const char *text, struct piece p, const char *what)
{
	size_t n = strlen(what);
	return p.end - p.begin >= n && !memcmp(text + p.begin, what, n);
}

// Steps that change the text write it anew, piece by piece.
static void swap_text(struct splitter *s, text_buffer *text)
{
	text_buffer old = {.at = text->at, .n = text->n, .cap = text->cap};
	text->at = s->changed.at, text->n = s->changed.n, text->cap = s->changed.cap;
	s->changed.at = old.at, s->changed.n = old.n, s->changed.cap = old.cap;
}

static void add_prefix_spaces(struct splitter *s, text_buffer *text, piece_list *pieces)
{
	vec_clear(&s->changed);
	for (uint32_t i = 0; i < pieces->n; i++) {
		struct piece *p = &pieces->at[i];
		uint32_t begin = s->changed.n;
		if (!starts_with(text->at, *p, " ")) text_put(&s->changed, " ", 1);
		text_put(&s->changed, text->at + p->begin, p->end - p->begin);
		*p = (struct piece){begin, s->changed.n};
	}
	swap_text(s, text);
}

static void run_metaspace(struct splitter *s, const struct step *step, bool at_start, text_buffer *text,
                          piece_list *pieces)
{
	size_t mark = strlen(step->find);
	vec_clear(&s->changed);
	for (uint32_t i = 0; i < pieces->n; i++) {
		struct piece *p = &pieces->at[i];
		uint32_t begin = s->changed.n;
		bool marked = starts_with(text->at, *p, " ") || starts_with(text->at, *p, step->find);
		bool wanted = step->prepend == ALWAYS || (step->prepend == FIRST && at_start && i == 0);
		if (wanted && !marked) text_put(&s->changed, step->find, mark);
		for (uint32_t k = p->begin; k < p->end; k++) {
			if (text->at[k] == ' ')
				text_put(&s->changed, step->find, mark);
			else
				text_put(&s->changed, text->at + k, 1);
		}
		*p = (struct piece){begin, s->changed.n};
	}
	swap_text(s, text);
}

bool splitter_run(struct splitter *s, bool at_start, text_buffer *text, piece_list *pieces, struct diag *d)
{
	vec_clear(pieces);
	if (!text->n) return true;
	vec_push(pieces, ((struct piece){0, text->n}));
	for (uint32_t i = 0; i < s->n; i++) {
		struct step *step = &s->step[i];
		struct step cut = {.what = SPLIT, .behaviour = WITH_NEXT, .find = step->find};
		if (step->what == BYTE_LEVEL && step->prefix) add_prefix_spaces(s, text, pieces);
		if (step->what == METASPACE) run_metaspace(s, step, at_start, text, pieces);
		if (step->what == BYTE_LEVEL && !step->regex) continue;
		if (step->what == METASPACE && !step->cut) continue;
		if (step->what != METASPACE) cut = *step;
		vec_clear(&s->next);
		for (uint32_t k = 0; k < pieces->n; k++)
			if (!cut_piece(s, &cut, text->at, pieces->at[k], d)) return false;
		piece_list old = {.at = pieces->at, .n = pieces->n, .cap = pieces->cap};
		pieces->at = s->next.at, pieces->n = s->next.n, pieces->cap = s->next.cap;
		s->next.at = old.at, s->next.n = old.n, s->next.cap = old.cap;
	}
	return true;
}

void splitter_describe(const struct splitter *s, struct encoder_model *m)
{
	for (uint32_t i = 0; i < s->n; i++) {
		const struct step *step = &s->step[i];
		struct encoder_cut cut = {.pattern = step->pattern ? step->pattern : step->find,
		                          .is_regex = step->regex,
		                          .invert = step->invert,
		                          .kind = (enum encoder_cut_kind)step->behaviour};
		if (step->what == METASPACE) {
			uint32_t n, mark = utf8_get(step->find, strlen(step->find), &n);
			if (i) m->obstacle = "a Metaspace step behind other steps";
			vec_push(&m->replaced, ((struct encoder_joint){' ', mark}));
			m->adds_prefix |= step->prepend != NEVER;
			cut.kind = CUT_WITH_NEXT;
			if (!step->cut) continue;
		}
		if (step->what == BYTE_LEVEL && step->prefix) {
			if (i) m->obstacle = "ByteLevel with add_prefix_space behind other steps";
			m->adds_prefix = true;
		}
		if (step->what == BYTE_LEVEL && !step->regex) continue;
		vec_push(&m->cuts, cut);
	}
}

void splitter_free(struct splitter *s)
{
	if (!s) return;
	for (uint32_t i = 0; i < ENCODER_MAX_STEPS; i++) hf_regex_free(s->step[i].regex);
	vec_release(&s->parts), vec_release(&s->next), vec_release(&s->changed);
	arena_release(&s->arena);
	free(s);
}
