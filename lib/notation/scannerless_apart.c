// Taking apart what a lexer could not tell: sets of characters, of control tokens and of whole tokens, and patterns.
//
// In:  pieces. Out: classes that the grammar does not tell apart, as pieces. Sets of characters are swept over the
// edges of their ranges; tokens are keyed by the sets that have them. Cost: n log n in ranges; tokens times
// sets.
#include "../base/bitset.h"
#include "scannerless_internal.h"

static void collect_broken_sets(struct scannerless *m, piece_ids *out)
{
	for (piece_id p = 0; p < m->broken.n; p++)
		if (m->broken.at[p] && m->r->pieces.at[p].kind == PIECE_SET) vec_push(out, p);
}

struct edge {
	uint32_t at, set;
	bool begins;
};
static int by_place(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : (x->set > y->set) - (x->set < y->set);
}

// A sweep over the ranges' edges.
void scannerless_make_atoms(struct scannerless *m)
{
	piece_ids sets = {0};
	vec_clear(&m->atoms);
	collect_broken_sets(m, &sets);
	VEC(struct edge) edges = {0};
	for (uint32_t i = 0; i < sets.n; i++) {
		const struct rule_piece *p = &m->r->pieces.at[sets.at[i]];
		for (uint32_t k = 0; k < p->n; k++) {
			vec_push(&edges, ((struct edge){p->range[k].lo, i, true}));
			vec_push(&edges, ((struct edge){p->range[k].hi + 1, i, false}));
		}
	}
	if (edges.n) qsort(edges.at, edges.n, sizeof *edges.at, by_place);
	uint32_t words = BITS_WORDS(sets.n);
	bits *in = mem_calloc((size_t)words + 1, sizeof *in);
	struct intern classes = {0};
	VEC(code_ranges) members = {0};
	for (uint32_t i = 0, k; i < edges.n; i = k) {
		for (k = i; k < edges.n && edges.at[k].at == edges.at[i].at; k++)
			if (edges.at[k].begins)
				bits_set(in, edges.at[k].set);
			else
				bits_reset(in, edges.at[k].set);
		// a set whose ranges touch is one range, so no set both ends and begins here
		if (k == edges.n || !bits_count(in, words)) continue;
		bool is_new;
		uint32_t c = intern_add(&classes, in, words * sizeof *in, &is_new);
		if (is_new) vec_push(&members, ((code_ranges){0}));
		vec_push(&members.at[c], ((struct code_range){edges.at[i].at, edges.at[k].at - 1}));
	}
	for (uint32_t c = 0; c < members.n; c++) {
		piece_id atom = piece_set(m->r, &members.at[c], false, m->r->pieces.at[sets.at[0]].loc);
		vec_push(&m->atoms, atom);
		vec_release(&members.at[c]);
	}
	vec_release(&members), vec_release(&edges), vec_release(&sets);
	intern_release(&classes);
	free(in);
}

static uint32_t control_id(const struct term *t, uint32_t i)
{
	uint32_t id;
	memcpy(&id, t->text + (size_t)4 * i, sizeof id);
	return id;
}

static bool has_id(const struct term *t, uint32_t id)
{
	uint32_t lo = 0, hi = t->text_len / 4;
	while (lo < hi) {
		uint32_t middle = (lo + hi) / 2;
		if (control_id(t, middle) < id)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo < t->text_len / 4 && control_id(t, lo) == id;
}

static bool is_control(const struct rule_piece *p) { return p->kind == PIECE_TERM && p->term->kind == TERM_CONTROL; }

// Those of a set of control tokens that are of one class, as a piece.
static piece_id control_class(struct scannerless *m, piece_id p, const uint32_t *class_of, uint32_t class)
{
	const struct term *t = m->r->pieces.at[p].term;
	VEC(char) ids = {0};
	for (uint32_t i = 0; i < t->text_len / 4; i++) {
		if (class_of[i] != class) continue;
		const char *id = arena_printf(&m->keep, "%c%u", ids.n ? ',' : '[', control_id(t, i));
		for (; *id; id++) vec_push(&ids, *id);
	}
	vec_push(&ids, ']');
	piece_id one = p;
	piece_control(m->r, ids.at, ids.n, m->r->pieces.at[p].loc, &one);
	vec_release(&ids);
	return one;
}

// A set of control tokens as classes of them: those that the same of the grammar's other sets have. PIECE_NONE: it is
// one class.
static piece_id control_apart(struct scannerless *m, piece_id p)
{
	const struct term *t = m->r->pieces.at[p].term;
	uint32_t n = t->text_len / 4, *class_of = mem_calloc((size_t)n + 1, sizeof *class_of);
	struct intern classes = {0};
	piece_ids sets = {0}, parts = {0};
	for (piece_id q = 0; q < m->r->pieces.n; q++)
		if (is_control(&m->r->pieces.at[q])) vec_push(&sets, q);
	uint32_t words = BITS_WORDS(sets.n);
	bits *in = mem_calloc(words, sizeof *in);
	for (uint32_t i = 0; i < n; i++) {
		memset(in, 0, words * sizeof *in);
		for (uint32_t k = 0; k < sets.n; k++)
			if (has_id(m->r->pieces.at[sets.at[k]].term, control_id(t, i))) bits_set(in, k);
		class_of[i] = intern_add(&classes, in, words * sizeof *in, NULL);
	}
	for (uint32_t c = 0; c < classes.entries.n && classes.entries.n > 1; c++) {
		piece_id one = control_class(m, p, class_of, c);
		vec_push(&parts, one);
	}
	piece_id whole = parts.n ? piece_alt(m->r, parts.at, parts.n, m->r->pieces.at[p].loc) : PIECE_NONE;
	vec_release(&sets), vec_release(&parts);
	intern_release(&classes);
	free(class_of), free(in);
	return whole;
}

static bool is_whole(const struct rule_piece *p) { return p->kind == PIECE_TERM && p->term->kind == TERM_WHOLE_TOKEN; }

// The bytes of a token in a set of whole ones; *at moves to the next.
static const char *whole_bytes(const struct term *t, uint32_t *at, uint32_t *len)
{
	memcpy(len, t->text + *at, sizeof *len);
	const char *bytes = t->text + *at + sizeof *len;
	*at += (uint32_t)sizeof *len + *len;
	return bytes;
}

// Tokens that are listed in some set of whole ones, and the sets that have them: n_words a token.
struct whole_tokens {
	piece_ids sets;
	struct intern tokens, classes;  // classes: of the sets that a token is in; the first: of tokens that none lists
	VEC(uint32_t) class_of;
};

static void find_whole_tokens(struct scannerless *m, struct whole_tokens *x)
{
	for (piece_id q = 0; q < m->r->pieces.n; q++)
		if (is_whole(&m->r->pieces.at[q])) vec_push(&x->sets, q);
	const uint32_t words = BITS_WORDS(x->sets.n);
	VEC(bits) in = {0};
	for (uint32_t k = 0; k < x->sets.n; k++) {
		const struct term *t = m->r->pieces.at[x->sets.at[k]].term;
		for (uint32_t at = 0, len; at < t->text_len;) {
			const char *bytes = whole_bytes(t, &at, &len);
			const uint32_t token = intern_add(&x->tokens, bytes, len, NULL);
			while (in.n < (token + 1) * words) vec_push(&in, 0);
			bits_set(in.at + (size_t)token * words, k);
		}
	}
	bits *unlisted = mem_calloc(words + 1, sizeof *unlisted);
	for (uint32_t k = 0; k < x->sets.n; k++)
		if (!m->r->pieces.at[x->sets.at[k]].term->lo) bits_set(unlisted, k);
	intern_add(&x->classes, unlisted, words * sizeof *unlisted, NULL);
	for (uint32_t token = 0; token < x->tokens.entries.n; token++) {
		bits *of = in.at + (size_t)token * words;  // listed: it is in the set, or left out of one
		for (uint32_t i = 0; i < words; i++) of[i] ^= unlisted[i];
		vec_push(&x->class_of, intern_add(&x->classes, of, words * sizeof *of, NULL));
	}
	free(unlisted);
	vec_release(&in);
}

// The tokens of one class as a set: those of class 0 are all but those of others.
static piece_id whole_class(struct scannerless *m, const struct whole_tokens *x, piece_id like, uint32_t class)
{
	struct term *t = arena_alloc(&m->r->arena, sizeof *t);
	VEC(char) text = {0};
	for (uint32_t token = 0; token < x->tokens.entries.n; token++) {
		uint32_t len;
		const char *bytes = intern_get(&x->tokens, token, &len);
		if ((x->class_of.at[token] == class) != (class != 0)) continue;
		for (uint32_t k = 0; k < sizeof len; k++) vec_push(&text, ((const char *)&len)[k]);
		for (uint32_t k = 0; k < len; k++) vec_push(&text, bytes[k]);
	}
	*t = *m->r->pieces.at[like].term;
	t->lo = class != 0, t->text_len = text.n;
	t->text = arena_strndup(&m->r->arena, text.n ? text.at : "", text.n);
	vec_release(&text);
	piece_id one = piece_term(m->r, t, false, m->r->pieces.at[like].loc);
	m->r->pieces.at[one].name = m->r->pieces.at[like].name;
	return one;
}

// A set of whole tokens as classes of them. PIECE_NONE: it is one class.
static piece_id whole_apart(struct scannerless *m, piece_id p)
{
	struct whole_tokens x = {0};
	piece_ids parts = {0};
	find_whole_tokens(m, &x);
	uint32_t at = 0;
	while (x.sets.at[at] != p) at++;
	for (uint32_t c = 0; c < x.classes.entries.n; c++) {
		if (!bits_test(intern_get(&x.classes, c, NULL), at)) continue;
		piece_id one = whole_class(m, &x, p, c);
		vec_push(&parts, one);
	}
	piece_id whole = parts.n > 1 ? piece_alt(m->r, parts.at, parts.n, m->r->pieces.at[p].loc) : PIECE_NONE;
	vec_release(&x.sets), vec_release(&x.class_of), vec_release(&parts);
	intern_release(&x.tokens), intern_release(&x.classes);
	return whole;
}

bool scannerless_take_apart(struct scannerless *m, piece_id p)
{
	if (!m->languages) m->languages = languages_new();
	const struct rule_piece from = m->r->pieces.at[p];
	piece_id is = is_control(&from) ? control_apart(m, p)
	              : is_whole(&from) ? whole_apart(m, p)
	                                : characters_of(m->r, m->languages, from.term, from.loc);
	while (m->apart.n <= p) vec_push(&m->apart, PIECE_NONE);
	m->apart.at[p] = is;
	return is != PIECE_NONE;
}
