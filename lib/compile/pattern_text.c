// Prints a pattern tree in Lark's own notation, not further than PATTERN_TEXT_MAX bytes.
#include "pattern_text.h"

static bool full(FILE *out) { return ftell(out) > (long)PATTERN_TEXT_MAX; }

static void put_byte(unsigned char c, FILE *out)
{
	if (c == '"' || c == '\\') fprintf(out, "\\%c", c);
	else if (c == '\n') fputs("\\n", out);
	else if (c == '\t') fputs("\\t", out);
	else if (c == '\r') fputs("\\r", out);
	else if (c < 32 || c == 127) fprintf(out, "\\x%02x", c);
	else fputc(c, out);
}

static void put_code_point(uint32_t c, FILE *out)
{
	if (c >= 32 && c < 127) fprintf(out, "\"%c\"", (int)c);
	else fprintf(out, "U+%04X", c);
}

static void put_flags(uint32_t flags, FILE *out)
{
	for (uint32_t i = 0; i < 6; i++)
		if (flags & 1u << i) fputc("imsxua"[i], out);
}

// Depth is bounded by the front end's nesting limit, length by `full`.
static void put(const struct term *t, FILE *out)
{
	if (full(out)) return;
	switch (t->kind) {
	case TERM_TEXT:
		fputc('"', out);
		for (uint32_t i = 0; i < t->text_len && !full(out); i++) put_byte((unsigned char)t->text[i], out);
		fputc('"', out);
		put_flags(t->flags & TERM_I, out);
		break;
	case TERM_REGEX:
		fprintf(out, "/%.*s/", (int)(t->text_len < PATTERN_TEXT_MAX ? t->text_len : PATTERN_TEXT_MAX), t->text);
		put_flags(t->flags, out);
		break;
	case TERM_RANGE:
		put_code_point(t->lo, out);
		fputs("..", out);
		put_code_point(t->hi, out);
		break;
	case TERM_SEQ:
	case TERM_ALT:
		fputc('(', out);
		for (uint32_t i = 0; i < t->n_children; i++) {
			if (i) fputs(t->kind == TERM_SEQ ? " " : " | ", out);
			put(t->children[i], out);
		}
		fputc(')', out);
		break;
	case TERM_REPEAT:
		put(t->children[0], out);
		if (t->lo == 0 && t->hi == 1) fputc('?', out);
		else if (t->lo == 0 && t->hi == TERM_UNBOUNDED) fputc('*', out);
		else if (t->lo == 1 && t->hi == TERM_UNBOUNDED) fputc('+', out);
		else if (t->hi == TERM_UNBOUNDED) fprintf(out, "~%u..", t->lo);
		else fprintf(out, "~%u..%u", t->lo, t->hi);
		break;
	}
}

char *pattern_text(const struct term *t)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	ASSERT(out);
	if (t) put(t, out);
	fclose(out);
	if (len > PATTERN_TEXT_MAX) {
		size_t cut = PATTERN_TEXT_MAX;
		while (cut > 0 && ((unsigned char)text[cut] & 0xC0) == 0x80) cut--;
		text = mem_realloc(text, cut + 4, 1);
		memcpy(text + cut, "...", 4);
	}
	return text;
}
