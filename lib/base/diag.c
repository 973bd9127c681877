// Diagnostics: accumulate, then print with the source line and a caret. See diag.h.
#include "diag.h"

#include <stdarg.h>

static void add(struct diag *d, enum diag_level level, struct loc loc, const char *fmt, va_list args)
{
	if (level == DIAG_ERROR && ++d->n_errors > DIAG_MAX_ERRORS) return;
	if (level == DIAG_NOTE && d->n_errors > DIAG_MAX_ERRORS) return;
	va_list again;
	va_copy(again, args);
	int len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	ASSERT(len >= 0);
	char *text = arena_alloc(&d->arena, (size_t)len + 1);
	vsnprintf(text, (size_t)len + 1, fmt, args);
	vec_push(&d->messages, ((struct diag_message){.level = level, .loc = loc, .text = text}));
}

#define DIAG_FUNCTION(name, level)                                    \
	void name(struct diag *d, struct loc loc, const char *fmt, ...) \
	{                                                               \
		va_list args;                                           \
		va_start(args, fmt);                                    \
		add(d, level, loc, fmt, args);                          \
		va_end(args);                                           \
	}
DIAG_FUNCTION(diag_error, DIAG_ERROR)
DIAG_FUNCTION(diag_warning, DIAG_WARNING)
DIAG_FUNCTION(diag_note, DIAG_NOTE)

static bool is_continuation(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

void source_position(const struct source *s, uint32_t offset, uint32_t *line, uint32_t *column)
{
	*line = 1, *column = 1;
	if (offset > s->len) offset = (uint32_t)s->len;
	for (uint32_t i = 0; i < offset; i++) {
		if (s->text[i] == '\n') ++*line, *column = 1;
		else if (!is_continuation(s->text[i])) ++*column;
	}
}

// Width on screen of one byte as put_byte shows it; continuation bytes have none.
static int byte_width(char c)
{
	unsigned char u = (unsigned char)c;
	return u == '\t' || (u >= 32 && u < 127) || u >= 0xC0 ? 1 : is_continuation(c) ? 0 : 4;
}

static void put_byte(char c, FILE *out)
{
	unsigned char u = (unsigned char)c;
	if (u == '\t') fputc(' ', out);
	else if (u < 32 || u == 127) fprintf(out, "\\x%02X", u);
	else fputc(c, out);
}

#define BEFORE 70  // bytes of the line shown before the place, and after its start
#define AFTER 50

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
	for (size_t i = begin; i < end; i++) put_byte(s->text[i], out);
	if (cut_right) fputs("...", out);
	fputs("\n  | ", out);
	if (cut_left) fputs("   ", out);
	for (size_t i = begin; i < at; i++)
		for (int w = byte_width(s->text[i]); w > 0; w--) fputc(' ', out);
	fputc('^', out);
	for (size_t i = at + 1; i < at + loc.len && i < end; i++)
		for (int w = byte_width(s->text[i]); w > 0; w--) fputc('~', out);
	fputc('\n', out);
}

void diag_print(const struct diag *d, FILE *out)
{
	static const char *const level_name[] = {"error", "warning", "note"};
	for (uint32_t i = 0; i < d->messages.n; i++) {
		const struct diag_message *m = &d->messages.at[i];
		if (m->loc.source) {
			uint32_t line, column;
			source_position(m->loc.source, m->loc.offset, &line, &column);
			fprintf(out, "%s:%u:%u: ", m->loc.source->path, line, column);
		}
		fprintf(out, "%s: %s\n", level_name[m->level], m->text);
		if (m->loc.source && m->loc.source->text) print_excerpt(m->loc, out);
	}
	if (d->n_errors > DIAG_MAX_ERRORS)
		fprintf(out, "(%u more errors not shown)\n", d->n_errors - DIAG_MAX_ERRORS);
}

char *diag_text(struct diag *d)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	ASSERT(f);
	diag_print(d, f);
	fclose(f);
	char *copy = arena_strndup(&d->arena, text, len);
	free(text);
	return copy;
}

void diag_release(struct diag *d)
{
	vec_release(&d->messages);
	arena_release(&d->arena);
	*d = (struct diag){0};
}
