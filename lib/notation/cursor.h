// The place in a text of GBNF or EBNF, for the two that read them: what is next, and an error there.
#ifndef GCDC_NOTATION_CURSOR_H
#define GCDC_NOTATION_CURSOR_H

#include "pieces.h"

struct cursor {
	struct notation_rules *r;
	const char *text;
	size_t at, begin, len;  // begin: behind a byte order mark
	uint32_t nesting;
	bool failed;
};

static inline struct cursor cursor_begin(struct notation_rules *r)
{
	const struct source *s = r->source;
	const size_t begin = s->len >= 3 && memcmp(s->text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
	return (struct cursor){.r = r, .text = s->text, .at = begin, .begin = begin, .len = s->len};
}

static inline struct loc cursor_loc(const struct cursor *p, size_t from, size_t to)
{
	return (struct loc){p->r->source, (uint32_t)from, (uint32_t)(to > from ? to - from : 1)};
}

// The first error is told: of the text from `from` to the cursor.
#define fail(p, from, ...)                                                                                             \
	do {                                                                                                               \
		if (!(p)->failed) diag_error((p)->r->diag, cursor_loc((p), (from), (p)->at), __VA_ARGS__);                     \
		(p)->failed = true;                                                                                            \
	} while (0)

// No text has it: surrogates, and what is above the last character.
static inline bool is_no_character(uint32_t c) { return c > 0x10FFFF || (c >= 0xD800 && c < 0xE000); }

// The next byte; 0 at the end.
static inline char peek(const struct cursor *p) { return p->at < p->len ? p->text[p->at] : 0; }

// A text in quotes, which began at `from`; read_char reads one character of it, or fails. (cursor.c)
piece_id cursor_read_text(struct cursor *p, size_t from, uint32_t (*read_char)(struct cursor *p, size_t from));

#endif
