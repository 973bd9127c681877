// Is this text in the language? By the words of docs/language.md, rules 1 to 3, parse by parse and lexeme by lexeme,
// each scan from its first byte over the whole text.
//
// In:  a text. Out: yes, no, or -1 where a terminal with lookaround has inner parts that end at their first match.
// Terminals that look around are judged by PCRE2, which sees the whole text: pcre2_dfa_match gives every length that
// matches at a place. The others are byte DFAs. Cost: terminals x length for each lexeme.
#define PCRE2_CODE_UNIT_WIDTH 8
#include "../oracle.h"

#include <pcre2.h>
#include <stdio.h>

#define MAX_LENGTHS 256
#define MAX_PARSES 100000  // of one text, at all its places

// The pattern as PCRE2 reads it.
static void spell(const struct term *t, FILE *out)
{
	static const char *const flags[] = {"", "i", "m", "im", "s", "is", "ms", "ims"};
	switch (t->kind) {
	case TERM_TEXT:
		fprintf(out, "(?%s:", flags[t->flags & 7]);
		for (uint32_t i = 0; i < t->text_len; i++) {
			uint8_t c = (uint8_t)t->text[i];
			if (c < 128)
				fprintf(out, "\\x{%x}", c);
			else
				fputc(c, out);
		}
		fputc(')', out);
		break;
	case TERM_REGEX: fprintf(out, "(?%s:%.*s)", flags[t->flags & 7], (int)t->text_len, t->text); break;
	case TERM_RANGE: fprintf(out, "[\\x{%x}-\\x{%x}]", t->lo, t->hi); break;
	default:
		fputs("(?:", out);
		for (uint32_t i = 0; i < t->n_children; i++) {
			if (i && t->kind == TERM_ALT) fputc('|', out);
			spell(t->children[i], out);
		}
		fputc(')', out);
		if (t->kind == TERM_REPEAT && t->hi == TERM_UNBOUNDED)
			fprintf(out, "{%u,}", t->lo);
		else if (t->kind == TERM_REPEAT)
			fprintf(out, "{%u,%u}", t->lo, t->hi);
	}
}

static pcre2_code *code_of(const struct term *t)
{
	char *pattern = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&pattern, &len);
	ASSERT(f);
	spell(t, f);
	fclose(f);
	int error;
	PCRE2_SIZE offset;
	pcre2_code *code =
		pcre2_compile((PCRE2_SPTR)pattern, len,
	                  PCRE2_UTF | PCRE2_UCP | PCRE2_NO_AUTO_POSSESS | PCRE2_NO_START_OPTIMIZE | PCRE2_DUPNAMES, &error,
	                  &offset, NULL);
	free(pattern);
	return code;
}

// The ends of all matches of t at `at`, in any order; for a lazy terminal only the first. -1: not judged.
static int ends_of(struct oracle *o, terminal_id t, const uint8_t *text, size_t len, size_t at, size_t *ends)
{
	if (!o->program.of[t].looks) {
		int n = 0;
		uint32_t s = 0;
		for (size_t i = at; i < len; i++) {
			s = dfa_step(&o->dfa[t], s, text[i]);
			if (s == DFA_DEAD) break;
			if (o->dfa[t].accept[s]) ends[n % MAX_LENGTHS] = i + 1, n++;  // the longest ones stay
		}
		return n < MAX_LENGTHS ? n : MAX_LENGTHS;
	}
	const struct pattern *q = &o->program.of[t];
	if (q->has_cuts) return -1;
	if (!o->judges[t]) o->judges[t] = code_of(o->grammar->terminals[t].pattern);
	const pcre2_code *code = o->judges[t];
	if (!code) return -1;
	if (!o->judge_match) o->judge_match = pcre2_match_data_create(MAX_LENGTHS, NULL);
	pcre2_match_data *match = o->judge_match;
	static int workspace[4000];  // off the stack, where AddressSanitizer would mark it at each call
	int n = pcre2_dfa_match(code, text, len, at, PCRE2_ANCHORED, match, NULL, workspace, 4000);
	PCRE2_SIZE *found = pcre2_get_ovector_pointer(match);
	int kept = n == PCRE2_ERROR_NOMATCH ? 0 : n <= 0 ? -1 : 0;
	size_t first = len + 1;
	for (int i = 0; i < n; i++) {
		if (found[2 * i + 1] == at) continue;
		if (found[2 * i + 1] < first) first = found[2 * i + 1];
		ends[kept++] = found[2 * i + 1];
	}
	if (kept > 0 && q->is_lazy) ends[0] = first, kept = 1;
	return kept;
}

void definition_release(struct oracle *o)
{
	for (uint32_t t = 0; o->judges && t < o->grammar->n_terminals; t++) pcre2_code_free(o->judges[t]);
	pcre2_match_data_free(o->judge_match);
}

static bool is_utf8(const uint8_t *text, size_t len)
{
	uint32_t pending = 0, cp;
	for (size_t i = 0; i < len; i++)
		if (!utf8_feed(&pending, text[i], &cp)) return false;
	return !pending;
}

// t's scan from `at` is still going on at the end of the text, and no further text could make it fail.
static bool is_unfinished(struct oracle *o, terminal_id t, const uint8_t *text, size_t len, size_t at)
{
	if (!o->program.of[t].looks) {
		uint32_t s = 0;
		for (size_t i = at; i < len && s != DFA_DEAD; i++) s = dfa_step(&o->dfa[t], s, text[i]);
		return s != DFA_DEAD && o->unfailable[t][s];
	}
	uint32_t view = view_start(o), pending = 0, scan = SCAN_NONE;
	for (size_t i = 0; i < len; i++) {
		struct moment now = {.byte = text[i]};
		formula match;
		if (i == at) scan = scan_begin(o, t, view);
		utf8_feed(&pending, text[i], &now.cp);
		now.view = view = view_step(o, view, now.cp);
		if (i >= at && scan != SCAN_NONE) scan = scan_step(o, scan, &now, &match);
	}
	return scan != SCAN_NONE && f_scan(o, t, scan, view) == F_TRUE;
}

// The lexeme of the parse that is at p where `at` bytes are read: its terminal and end. 0: nothing matches, or it is
// unfinished; -1: not judged.
static int lexeme_at(struct oracle *o, const struct place *p, const uint8_t *text, size_t len, size_t at,
                     terminal_id *best, size_t *best_end)
{
	*best = ORACLE_NONE, *best_end = at;
	for (terminal_id t = 0; t < o->grammar->n_terminals; t++) {
		if (!oracle_place_competes(o, p, t)) continue;
		static size_t ends[MAX_LENGTHS];
		int n = ends_of(o, t, text, len, at, ends);
		if (n < 0) return -1;
		for (int i = 0; i < n; i++)
			if (ends[i] > *best_end || (ends[i] == *best_end && oracle_wins(o, t, *best)))
				*best = t, *best_end = ends[i];
	}
	if (*best == ORACLE_NONE) return 0;
	for (terminal_id t = 0; *best_end < len && t < o->grammar->n_terminals; t++)
		if (oracle_place_competes(o, p, t) && is_unfinished(o, t, text, len, at)) return 0;
	return 1;
}

// A parse and what it has read.
struct met {
	struct place place;
	uint32_t at;
};

static int is_in(struct oracle *o, const uint8_t *text, size_t len)
{
	if (o->program.code.n && !is_utf8(text, len)) return 0;
	int says = 0;
	struct intern met = {0};
	struct met first = {oracle_place_start(o), 0};
	intern_add(&met, &first, sizeof first, NULL);
	for (uint32_t i = 0; i < met.entries.n && !says; i++) {
		struct met x = *(const struct met *)intern_get(&met, i, NULL);
		if (x.at == len) {
			says = oracle_place_accepts(o, x.place);
			continue;
		}
		terminal_id t;
		size_t end;
		int found = lexeme_at(o, &x.place, text, len, x.at, &t, &end);
		if (found < 0 || met.entries.n > MAX_PARSES) says = -1;
		if (found <= 0) continue;
		uint32_t column = COLUMN_TEXT;
		for (size_t k = x.at; k < end; k++) column = column_after(o, column, text[k]);
		struct places after = {0};
		oracle_place_after(o, x.place, t, column, &after);
		for (uint32_t k = 0; k < after.at.n; k++) {
			struct met next = {after.at.at[k], (uint32_t)end};
			intern_add(&met, &next, sizeof next, NULL);
		}
		if (after.is_cut) says = -1;
		vec_release(&after.at);
	}
	intern_release(&met);
	return says;
}

int oracle_in_language(struct oracle *o, const uint8_t *text, size_t len)
{
	int says = is_in(o, text, len);
	const struct indentation *in = &o->grammar->indentation;
	if (says || !in->on || !in->end_newline || (len && text[len - 1] == '\n')) return says;
	uint8_t *longer = mem_alloc(len + 1);
	if (len) memcpy(longer, text, len);
	longer[len] = '\n';
	says = is_in(o, longer, len + 1);
	free(longer);
	return says;
}
