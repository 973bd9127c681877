// Diagnostics: accumulate, then print with the source line and a caret. See diag.h.
#include "diag.h"

#include <stdarg.h>

#include "text_out.h"

static void add(struct diag *d, enum diag_level level, struct loc loc, const char *fmt, va_list args)
{
	if (level == DIAG_ERROR && ++d->n_errors > DIAG_MAX_ERRORS) return;
	if (level == DIAG_NOTE && d->n_errors > DIAG_MAX_ERRORS) return;
	va_list again;
	va_copy(again, args);
	int len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	ASSERT(len >= 0);
	char *text = arena_alloc(diag_arena(d), (size_t)len + 1);
	vsnprintf(text, (size_t)len + 1, fmt, args);
	if (!d->messages.at) d->messages.at = mem_keep(8 * sizeof *d->messages.at), d->messages.cap = 8;
	vec_push(&d->messages, ((struct diag_message){.level = level, .loc = loc, .text = text}));
}

#define DIAG_FUNCTION(name, level)                                                                                     \
	void name(struct diag *d, struct loc loc, const char *fmt, ...)                                                    \
	{                                                                                                                  \
		va_list args;                                                                                                  \
		va_start(args, fmt);                                                                                           \
		add(d, level, loc, fmt, args);                                                                                 \
		va_end(args);                                                                                                  \
	}
DIAG_FUNCTION(diag_error, DIAG_ERROR)
DIAG_FUNCTION(diag_warning, DIAG_WARNING)
DIAG_FUNCTION(diag_note, DIAG_NOTE)

struct arena *diag_arena(struct diag *d)
{
	d->arena.kept = true;
	return &d->arena;
}

void diag_given_up(struct diag *d, const struct work_result *r, const char *advice)
{
	char where[3 * WORK_NAME + 8];
	snprintf(where, sizeof where, "%s%s%s%s%s", *r->stage ? r->stage : "this", *r->kind ? ", " : "", r->kind,
	         *r->name ? " " : "", r->name);
	unsigned long long most = (unsigned long long)r->max_bytes, mib = (most + (1u << 20) - 1) >> 20;
	if (r->end != WORK_FAILED) d->given_up = r->end;
	switch (r->end) {
	case WORK_DONE:
	case WORK_FAILED: return;
	case WORK_CANCELLED: diag_error(d, r->loc, "cancelled (at %s)", where); return;
	case WORK_NO_MEMORY: diag_error(d, r->loc, "out of memory (at %s)", where); break;
	case WORK_MAX_MEMORY:
		diag_error(d, r->loc, "%s takes more than %llu MiB of memory (limit max-memory)", where, mib);
		break;
	case WORK_MAX_SECONDS:
		diag_error(d, r->loc, "%s takes longer than %g seconds (limit max-seconds)", where, r->max_seconds);
		break;
	case WORK_TOO_LARGE:
		diag_error(d, r->loc, "%s takes more than %llu steps (limit %s)", where, most, r->limit);
		break;
	case WORK_BUG:
		diag_error(d, r->loc, "internal error at %s:%llu: %s (at %s). This is a bug in gcdc, not in your input",
		           r->file, most, r->limit, where);
		return;
	}
	if (r->advice) advice = r->advice;
	if (advice) diag_note(d, (struct loc){0}, "%s", advice);
}

static bool is_continuation(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

void source_position(const struct source *s, uint32_t offset, uint32_t *line, uint32_t *column)
{
	*line = 1, *column = 1;
	if (offset > s->len) offset = (uint32_t)s->len;
	for (uint32_t i = 0; i < offset; i++) {
		if (s->text[i] == '\n')
			++*line, *column = 1;
		else if (!is_continuation(s->text[i]))
			++*column;
	}
}

// Bytes of the well-formed UTF-8 character at s[0..n), or 0.
static size_t character(const char *s, size_t n)
{
	unsigned char c = (unsigned char)s[0];
	size_t len = c < 0x80 ? 1 : c >= 0xC2 && c < 0xE0 ? 2 : c >= 0xE0 && c < 0xF0 ? 3 : c >= 0xF0 && c < 0xF5 ? 4 : 0;
	if (len > n) return 0;
	for (size_t i = 1; i < len; i++)
		if (!is_continuation(s[i])) return 0;
	return len;
}

// Shows the character at s[0..n), or its first byte as \xHH; its bytes and its width on the screen.
static size_t show(const char *s, size_t n, FILE *out, int *width)
{
	size_t len = character(s, n);
	unsigned char c = (unsigned char)s[0];
	*width = 1;
	if (c == '\t') {
		if (out) fputc(' ', out);
		return 1;
	}
	if (len == 0 || c < 32 || c == 127) {
		if (out) fprintf(out, "\\x%02X", c);
		*width = 4;
		return 1;
	}
	if (out) fwrite(s, 1, len, out);
	return len;
}

static bool is_listed(const char *names, const char *text)
{
	const char *open = strrchr(text, '[');
	size_t len = open ? strcspn(open + 1, "]") : 0;
	if (!strcmp(names, "all")) return true;
	for (const char *at = names; open && *at;) {
		size_t n = strcspn(at, ",");
		if (n == len && !memcmp(at, open + 1, n)) return true;
		at += n + (at[n] == ',');
	}
	return false;
}

// All that diag_warning and schema_warning are called with.
static const char *const warnings[] = {
	"all",         "dead-alternative", "empty-range",  "glued-keywords",    "idle-keywords",  "matches-all",
	"no-bound",    "no-character",     "no-indent",    "no-product",        "redefined-rule", "same-added",
	"schema-key",  "schema-nullable",  "schema-order", "schema-unenforced", "schema-unique",  "spelled-replace",
	"unknown-eos", "unspelled",        "unused-rule",  "wide-class"};

static void refuse_unknown(struct diag *d, const char *names)
{
	const uint32_t n_warnings = sizeof warnings / sizeof *warnings;
	for (const char *at = names; *at;) {
		size_t n = strcspn(at, ",");
		uint32_t i = 0;
		while (i < n_warnings && (strlen(warnings[i]) != n || memcmp(warnings[i], at, n) != 0)) i++;
		if (i == n_warnings)
			diag_error(d, (struct loc){0},
			           "no warning is called '%.*s': a warning's name stands at its end, in brackets", (int)n, at);
		at += n + (at[n] == ',');
	}
}

bool diag_warnings_are_errors(struct diag *d, const char *names)
{
	uint32_t before = d->n_errors;
	refuse_unknown(d, names);
	for (uint32_t i = 0; i < d->messages.n; i++) {
		struct diag_message *m = &d->messages.at[i];
		if (m->level == DIAG_WARNING && is_listed(names, m->text)) m->level = DIAG_ERROR, d->n_errors++;
	}
	return d->n_errors == before;
}

#define BEFORE 70  // bytes of the line shown before the place, and after its start
#define AFTER 50

// Branches: a line too long is cut on both sides, at whole characters, and the caret counts what is shown.
static void print_excerpt(struct loc loc, FILE *out)
{
	const struct source *s = loc.source;
	size_t at = loc.offset < s->len ? loc.offset : s->len;
	size_t begin = at, end = at;
	while (begin > 0 && s->text[begin - 1] != '\n' && at - begin < BEFORE) begin--;
	while (begin < at && is_continuation(s->text[begin])) begin++;
	while (end < s->len && s->text[end] != '\n' && end - at < AFTER) end++;
	while (end < s->len && end > at && is_continuation(s->text[end])) end--;
	bool cut_left = begin > 0 && s->text[begin - 1] != '\n', cut_right = end < s->len && s->text[end] != '\n';
	fputs("  | ", out);
	if (cut_left) fputs("...", out);
	int width, before = cut_left ? 3 : 0, under = 0;
	for (size_t i = begin; i < end;) {
		bool left = i < at, inside = i >= at && i < at + loc.len;
		i += show(s->text + i, end - i, out, &width);
		if (left)
			before += width;
		else if (inside)
			under += width;
	}
	if (cut_right) fputs("...", out);
	fprintf(out, "\n  | %*s^", before, "");
	for (int i = 1; i < under; i++) fputc('~', out);
	fputc('\n', out);
}

void diag_print_message(const struct diag_message *m, FILE *out)
{
	static const char *const level_name[] = {"error", "warning", "note"};
	if (m->loc.source) {
		uint32_t line, column;
		source_position(m->loc.source, m->loc.offset, &line, &column);
		fprintf(out, "%s:%u:%u: ", m->loc.source->path, line, column);
	}
	fprintf(out, "%s: %s\n", level_name[m->level], m->text);
	if (m->loc.source && m->loc.source->text) print_excerpt(m->loc, out);
}

void diag_print(const struct diag *d, FILE *out)
{
	for (uint32_t i = 0; i < d->messages.n; i++) diag_print_message(&d->messages.at[i], out);
	if (d->n_errors > DIAG_MAX_ERRORS) fprintf(out, "(%u more errors not shown)\n", d->n_errors - DIAG_MAX_ERRORS);
}

char *diag_text(struct diag *d)
{
	struct text_out text;
	text_open(&text);
	diag_print(d, text.f);
	return text_close(&text, diag_arena(d));
}

void diag_release(struct diag *d)
{
	vec_release(&d->messages);
	arena_release(&d->arena);
	*d = (struct diag){0};
}
