// A piece as a pattern of a terminal.
//
// In:  a piece without references to rules. Out: a term: characters in a row are one text, and a long list of texts is
// an automaton. Cost: linear in the piece, and a sort of such a list.
#include "pieces.h"

static struct term *new_term(struct notation_rules *r, enum term_kind kind, struct loc loc, uint32_t n)
{
	struct term *t = arena_alloc(&r->arena, sizeof *t);
	t->kind = kind, t->loc = t->text_loc = loc, t->n_children = n;
	t->children = arena_array(&r->arena, n, sizeof(struct term *));
	return t;
}

// Characters in a row as one text.
static struct term *text_term(struct notation_rules *r, const piece_id *child, uint32_t n, struct loc loc)
{
	struct term *t = new_term(r, TERM_TEXT, loc, 0);
	char *text = arena_array(&r->arena, 4 * (size_t)n + 1, 1);
	for (uint32_t i = 0; i < n; i++) t->text_len += utf8_write(text + t->text_len, r->pieces.at[child[i]].range[0].lo);
	t->text = text;
	return t;
}

struct term *texts_pattern(struct notation_rules *r, const language_texts *texts, struct loc loc)
{
	struct languages *s = rules_languages(r);
	return language_term(s, language_of_texts(s, texts->at, texts->n), loc, &r->arena);
}

static void put_text(const struct notation_rules *r, piece_id id, char *to, uint32_t *len)
{
	const struct rule_piece *p = &r->pieces.at[id];
	if (p->kind == PIECE_SET) *len += utf8_write(to + *len, p->range[0].lo);
	for (uint32_t i = 0; p->kind == PIECE_SEQ && i < p->n; i++) put_text(r, p->child[i], to, len);
}

static struct term *many_texts(struct notation_rules *r, const struct rule_piece *p)
{
	language_texts texts = {0};
	for (uint32_t i = 0; i < p->n; i++) {
		const struct rule_piece *c = &r->pieces.at[p->child[i]];
		if (c->kind != PIECE_SET) {
			char *text = arena_array(&r->arena, 4 * (size_t)c->size, 1);
			uint32_t len = 0;
			put_text(r, p->child[i], text, &len);
			vec_push(&texts, ((struct language_text){text, len}));
		}
		for (uint32_t k = 0; c->kind == PIECE_SET && k < c->n; k++)
			for (uint32_t point = c->range[k].lo; point <= c->range[k].hi; point++) {
				char *text = arena_array(&r->arena, 4, 1);
				vec_push(&texts, ((struct language_text){text, utf8_write(text, point)}));
			}
	}
	struct term *t = texts_pattern(r, &texts, p->loc);
	vec_release(&texts);
	return t;
}

// Branches: one case for each kind of piece, and many texts.
struct term *piece_pattern(struct notation_rules *r, piece_id id)
{
	const struct rule_piece p = r->pieces.at[id];
	if (p.kind == PIECE_TERM) return (struct term *)(uintptr_t)p.term;
	if (p.size > PIECE_MAX_SIZE && piece_is_texts(r, &p)) return many_texts(r, &p);
	if (piece_is_char(&p)) return text_term(r, &id, 1, p.loc);
	if (p.kind == PIECE_SET) {
		struct term *t = new_term(r, TERM_ALT, p.loc, p.n);
		for (uint32_t i = 0; i < p.n; i++) {
			t->children[i] = new_term(r, TERM_RANGE, p.loc, 0);
			t->children[i]->lo = p.range[i].lo, t->children[i]->hi = p.range[i].hi;
		}
		return p.n == 1 ? t->children[0] : t;
	}
	if (p.kind == PIECE_REPEAT) {
		struct term *t = new_term(r, TERM_REPEAT, p.loc, 1);
		t->lo = p.min, t->hi = p.max;
		t->children[0] = piece_pattern(r, p.child[0]);
		return t;
	}
	struct term *t = new_term(r, p.kind == PIECE_SEQ ? TERM_SEQ : TERM_ALT, p.loc, p.n);
	uint32_t n = 0;
	for (uint32_t i = 0, k; i < p.n; i = k) {
		for (k = i; p.kind == PIECE_SEQ && k < p.n && piece_is_char(&r->pieces.at[p.child[k]]); k++) continue;
		t->children[n++] = k > i ? text_term(r, p.child + i, k - i, p.loc) : piece_pattern(r, p.child[i]);
		if (k == i) k++;
	}
	t->n_children = n;
	return n == 1 ? t->children[0] : t;
}

piece_id piece_to_token_end(struct notation_rules *r, piece_id p)
{
	struct term *t = arena_alloc(&r->arena, sizeof *t);
	*t = (struct term){.kind = TERM_TO_TOKEN_END, .n_children = 1, .loc = r->pieces.at[p].loc};
	t->children = arena_array(&r->arena, 1, sizeof(struct term *));
	t->children[0] = piece_pattern(r, p);
	return piece_term(r, t, false, t->loc);
}
