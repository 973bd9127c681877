// Anchors, as the lookarounds that they are.
//
// In:  ^ $ \A \Z \b \B. Out: nodes of lookbehinds and lookaheads with Python's meaning:
//   \A is (?<![\s\S]), \Z is (?![\s\S]), ^ is \A and under flag m also (?<=\n), $ is \Z|(?=\n\Z) and under flag m
//   \Z|(?=\n), \b is (?<=\w)(?!\w)|(?<!\w)(?=\w), \B is (?<=\w)(?=\w)|(?<!\w)(?!\w).
// The text is the whole text, as for Lark's lexer: \A holds at its first byte, \Z at its end.
#include "regex_internal.h"

static struct re_node *any(struct re_parser *p, struct loc loc)
{
	return re_new_set(p->c, cp_complement(&p->c->scratch, (struct cp_set){0}), loc);
}

static struct re_node *newline(struct re_parser *p, struct loc loc)
{
	struct cp_set s = {arena_alloc(&p->c->scratch, sizeof(struct cp_range)), 1};
	s.at[0] = (struct cp_range){'\n', '\n'};
	return re_new_set(p->c, s, loc);
}

static struct re_node *two(struct re_parser *p, enum re_kind kind, struct re_node *x, struct re_node *y, struct loc loc)
{
	return x && y ? re_new_list(p->c, kind, (struct re_node *[]){x, y}, 2, loc) : NULL;
}

static struct re_node *look(struct re_parser *p, struct re_node *body, bool behind, bool negative, struct loc loc)
{
	return body ? re_new_look(p->c, body, behind, negative, loc) : NULL;
}

// What stands before is a word character or not; what follows is or not.
static struct re_node *edge(struct re_parser *p, struct re_node *word, bool before, bool after, struct loc loc)
{
	return two(p, RE_SEQ, look(p, word, true, !before, loc), look(p, word, false, !after, loc), loc);
}

struct re_node *re_anchor(struct re_parser *p, char which, uint32_t from)
{
	struct loc loc = re_here(p, from);
	bool lines = p->flags & TERM_M;
	if (p->in_behind) {
		re_error(p->c, loc, "an anchor inside a lookbehind is not supported; write its cases as alternatives outside");
		return NULL;
	}
	struct re_node *end = NULL, *word = NULL;
	if (which == '$' || which == 'Z') end = look(p, any(p, loc), false, true, loc);
	if (which == 'b' || which == 'B') word = re_new_set(p->c, re_word_set(p), loc);
	switch (which) {
	case 'Z': return end;
	case '$': {
		struct re_node *last = newline(p, loc);
		if (!lines) last = two(p, RE_SEQ, last, end, loc);
		return two(p, RE_ALT, end, look(p, last, false, false, loc), loc);
	}
	case 'b':
	case 'B':
		return two(p, RE_ALT, edge(p, word, true, which == 'B', loc), edge(p, word, false, which == 'b', loc), loc);
	default: {
		struct re_node *start = look(p, any(p, loc), true, true, loc);
		if (which == 'A' || !lines) return start;
		return two(p, RE_ALT, start, look(p, newline(p, loc), true, false, loc), loc);
	}
	}
}
