// A text in quotes, as GBNF and EBNF have it. See cursor.h. Cost: linear.
#include "cursor.h"

piece_id cursor_read_text(struct cursor *p, size_t from, uint32_t (*read_char)(struct cursor *p, size_t from))
{
	piece_ids chars = {0};
	p->at++;
	while (!p->failed && peek(p) != '"') {
		size_t begin = p->at;
		uint32_t c = read_char(p, from);
		if (p->failed) break;
		if (is_no_character(c))
			diag_warning(p->r->diag, cursor_loc(p, begin, p->at),
			             "U+%04X is no character, so no text matches this literal [no-character]", c);
		vec_push(&chars, piece_char(p->r, c, cursor_loc(p, from, p->at)));
	}
	p->at += !p->failed;
	piece_id whole = piece_seq(p->r, chars.at, chars.n, cursor_loc(p, from, p->at));
	vec_release(&chars);
	return whole;
}
