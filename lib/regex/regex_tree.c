// Syntax nodes, and the tree of a terminal's pattern.
//
// In:  struct term: texts, regexes, ranges, and what the grammar builds of them. Out: one re_node tree.
// Constructors simplify as they go (lists of one are their member, x{1} is x), so groups and singletons never
// stand between a node and its meaning. Each node knows what its last quantifier is: see regex_lazy.c.
#include "regex_internal.h"

struct re_node *re_new(struct re_ctx *c, enum re_kind kind, struct loc loc)
{
	struct re_node *n = arena_alloc(&c->scratch, sizeof *n);
	n->kind = kind, n->loc = loc, n->optional = kind == RE_EMPTY;
	return n;
}

struct re_node *re_new_set(struct re_ctx *c, struct cp_set s, struct loc loc)
{
	struct re_node *n = re_new(c, RE_SET, loc);
	n->set = re_set_intern(c, s);
	return n;
}

static enum re_last last_of_list(enum re_kind kind, struct re_node *const *kids, uint32_t n)
{
	enum re_last last = kids[n - 1]->last;
	if (kind == RE_SEQ) {
		for (uint32_t i = n - 1; i-- > 0 && last == LAST_NONE;) last = kids[i]->last;
		return last;
	}
	for (uint32_t i = 0; i < n; i++)
		if (kids[i]->last != last) return LAST_MIXED;
	return last;
}

struct re_node *re_new_list(struct re_ctx *c, enum re_kind kind, struct re_node *const *kids, uint32_t n,
                            struct loc loc)
{
	if (!n) return re_new(c, RE_EMPTY, loc);
	if (n == 1) return kids[0];
	struct re_node *l = re_new(c, kind, loc);
	l->kids = arena_array(&c->scratch, n, sizeof(struct re_node *));
	memcpy(l->kids, kids, n * sizeof(struct re_node *));
	l->n_kids = n;
	l->last = last_of_list(kind, kids, n);
	l->optional = kind == RE_SEQ;
	for (uint32_t i = 0; i < n; i++) {
		l->has_lazy |= kids[i]->has_lazy;
		if (kids[i]->optional != l->optional) l->optional = kind == RE_ALT;
	}
	return l;
}

struct re_node *re_new_repeat(struct re_ctx *c, struct re_node *kid, uint32_t min, uint32_t max, bool lazy,
                              struct loc loc)
{
	if (max == 0) return re_new(c, RE_EMPTY, loc);
	if (min == 1 && max == 1) return kid;
	struct re_node *r = re_new(c, RE_REPEAT, loc);
	r->kids = arena_alloc(&c->scratch, sizeof(struct re_node *));
	r->kids[0] = kid, r->n_kids = 1;
	r->min = min, r->max = max, r->lazy = lazy;
	r->optional = !min || kid->optional;
	r->last = min == max ? kid->last : lazy ? LAST_LAZY : LAST_GREEDY;
	r->has_lazy = kid->has_lazy || (lazy && min != max);
	return r;
}

static bool is_same_part(const struct re_node *a, const struct re_node *b)
{
	if (a == b) return true;
	if (a->kind != b->kind) return false;
	return a->kind == RE_SET ? a->set == b->set
	                         : a->kind == RE_LOOK && a->look == b->look && a->negative == b->negative;
}

// Do lookarounds with these bodies surely say the same? Told of sets, and of lists of sets and lookarounds, as `$` is.
static bool is_same_body(const struct re_node *a, const struct re_node *b)
{
	if (is_same_part(a, b)) return true;
	if (a->kind != b->kind || (a->kind != RE_SEQ && a->kind != RE_ALT) || a->n_kids != b->n_kids) return false;
	for (uint32_t i = 0; i < a->n_kids; i++)
		if (!is_same_part(a->kids[i], b->kids[i])) return false;
	return true;
}

// The lookaround with this body, which may be there already.
static uint32_t find_look(struct re_ctx *c, const struct re_node *body, bool behind)
{
	uint32_t i = 0;
	for (; i < c->looks.n; i++) {
		const struct re_look *k = &c->looks.at[i];
		if (k->behind == behind && is_same_body(k->body, body)) break;
	}
	return i;
}

struct re_node *re_new_look(struct re_ctx *c, struct re_node *body, bool behind, bool negative, struct loc loc)
{
	uint32_t look = find_look(c, body, behind);
	if (look == REGEX_MAX_LOOKS) {
		re_error(c, loc, "more than REGEX_MAX_LOOKS (%u) different lookarounds in one terminal", REGEX_MAX_LOOKS);
		return NULL;
	}
	struct re_node *n = re_new(c, RE_LOOK, loc);
	n->kids = arena_alloc(&c->scratch, sizeof(struct re_node *));
	n->kids[0] = body, n->n_kids = 1;
	n->behind = behind, n->negative = negative;
	n->look = look;
	if (look == c->looks.n) vec_push(&c->looks, ((struct re_look){.body = body, .behind = behind, .loc = loc}));
	return n;
}

static struct re_node *from_text(struct re_ctx *c, const struct term *t)
{
	VEC(struct re_node *) kids = {0};
	bool ok = true;
	for (uint32_t at = 0; at < t->text_len && ok;) {
		struct cp_set s = {arena_alloc(&c->scratch, sizeof(struct cp_range)), 1};
		uint32_t n = utf8_decode(t->text + at, t->text_len - at, &s.at[0].lo);
		if (!n) {
			re_error(c, t->loc, "this text is not valid UTF-8 (byte 0x%02X)", (unsigned char)t->text[at]);
			ok = false;
			break;
		}
		s.at[0].hi = s.at[0].lo;
		if (t->flags & TERM_I) s = unicode_fold(c->cache, &c->scratch, s, t->flags & TERM_A);
		vec_push(&kids, re_new_set(c, s, t->loc));
		at += n;
	}
	struct re_node *out = ok ? re_new_list(c, RE_SEQ, kids.at, kids.n, t->loc) : NULL;
	vec_release(&kids);
	return out;
}

static struct re_node *from_range(struct re_ctx *c, const struct term *t)
{
	if (t->lo > t->hi || t->hi > MAX_CODE_POINT) {
		re_error(c, t->loc, "this range is empty: its end (U+%04X) comes before its start (U+%04X)", t->hi, t->lo);
		return NULL;
	}
	cp_ranges r = {0};
	cp_add(&r, t->lo, t->hi);
	struct cp_set s = cp_finish(&c->scratch, &r);
	vec_release(&r);
	return re_new_set(c, s, t->loc);
}

// A piece that is compiled already.
static struct re_node *from_automaton(struct re_ctx *c, const struct term *t)
{
	struct term_automaton from = term_automaton_read(t->text);
	struct sparse_dfa *a = arena_alloc(&c->scratch, sizeof *a);
	*a = (struct sparse_dfa){.n_states = from.n_states, .n_edges = from.n_edges, .n_starts = 1};
	a->starts = arena_alloc(&c->scratch, sizeof *a->starts);
	a->edges_of = arena_array(&c->scratch, (size_t)from.n_states + 1, sizeof *a->edges_of);
	a->edges = arena_array(&c->scratch, (size_t)from.n_edges + 1, sizeof *a->edges);
	a->accept = arena_array(&c->scratch, (size_t)from.n_states + 1, sizeof *a->accept);
	struct re_node *n = re_new(c, RE_CUT, t->loc);
	n->dfa = a, n->first_edge = c->edges.n;
	for (uint32_t q = 0; q < from.n_states; q++) {
		uint32_t first = term_automaton_first(&from, q);
		a->edges_of[q] = (struct re_span){first, term_automaton_first(&from, q + 1) - first};
		a->accept[q] = term_automaton_accepts(&from, q) ? FOLLOW_ANY : FOLLOW_NEVER;
	}
	for (uint32_t e = 0; e < from.n_edges; e++) {
		a->edges[e] =
			(struct byte_edge){term_automaton_to(&from, e), term_automaton_lo(&from, e), term_automaton_hi(&from, e)};
		vec_push(&c->edges, a->edges[e]);
	}
	n->optional = from.n_states && a->accept[0];
	return n;
}

// A pattern of & and ~: the automaton of its language, as a piece.
static struct re_node *from_operators(struct re_ctx *c, const struct term *t)
{
	struct languages *s = languages_new();
	language l = language_of_term(s, t, c->t->name, c->d);
	struct re_node *n = l == LANGUAGE_ERROR ? NULL : from_automaton(c, language_term(s, l, t->loc, &c->scratch));
	languages_free(s);
	c->failed |= !n;
	return n;
}

// A trie over the spellings of the tokens.
static struct re_node *from_control(struct re_ctx *c, const struct term *t)
{
	const uint32_t *id = (const void *)t->text;
	uint32_t n = t->text_len / (uint32_t)sizeof *id, level[CONTROL_LEN + 1];
	struct making_trie {
		VEC(uint32_t) from, to;
		VEC(uint8_t) byte;
	} m = {0};
	uint8_t before[CONTROL_LEN] = {0}, now[CONTROL_LEN];
	uint32_t n_states = 2;  // the first, and the one behind all spellings
	level[0] = 0;
	for (uint32_t i = 0; i < n; i++) {
		control_spell(id[i], now);
		uint32_t k = 0;
		while (i && k < CONTROL_LEN - 1 && now[k] == before[k]) k++;
		for (; k < CONTROL_LEN; k++) {
			level[k + 1] = k + 1 == CONTROL_LEN ? 1 : n_states++;
			vec_push(&m.from, level[k]), vec_push(&m.to, level[k + 1]), vec_push(&m.byte, now[k]);
		}
		memcpy(before, now, sizeof now);
	}
	// Edges by state, in ascending order: those of a state were made in it.
	uint32_t *w = arena_alloc(&c->scratch, sizeof *w * term_automaton_words(n_states, m.from.n));
	uint32_t *state = w + 2, *edge = w + 2 + n_states + 1;
	w[0] = n_states, w[1] = m.from.n;
	uint32_t *count = arena_array(&c->scratch, (size_t)n_states + 1, sizeof *count);
	for (uint32_t e = 0; e < m.from.n; e++) count[m.from.at[e] + 1]++;
	for (uint32_t q = 0; q < n_states; q++) count[q + 1] += count[q];
	for (uint32_t q = 0; q <= n_states; q++) state[q] = count[q] << 1 | (q == 1);
	for (uint32_t e = 0; e < m.from.n; e++) {
		uint32_t at = count[m.from.at[e]]++;
		edge[2 * at] = m.to.at[e], edge[2 * at + 1] = m.byte.at[e] | (uint32_t)m.byte.at[e] << 8;
	}
	vec_release(&m.from), vec_release(&m.to), vec_release(&m.byte);
	struct term made = *t;
	made.text = (const char *)w;
	return from_automaton(c, &made);
}

// Branches: one case for each kind of term, as in the grammar.
struct re_node *re_from_term(struct re_ctx *c, const struct term *t, uint32_t depth)
{
	if (depth > REGEX_MAX_TERM_DEPTH) {
		re_error(c, t->loc, "terminals nest deeper than REGEX_MAX_TERM_DEPTH (%d)", REGEX_MAX_TERM_DEPTH);
		return NULL;
	}
	switch (t->kind) {
	case TERM_TEXT: return from_text(c, t);
	case TERM_RANGE: return from_range(c, t);
	case TERM_REGEX:
		if (t->text_len > REGEX_MAX_LENGTH) {
			re_error(c, t->loc, "this regex is longer than REGEX_MAX_LENGTH (%u bytes)", REGEX_MAX_LENGTH);
			return NULL;
		}
		if (!re_judge(c, t->text, t->text_len, t->flags, t->text_loc)) return NULL;
		return re_parse(c, t->text, t->text_len, t->flags, t->text_loc);
	case TERM_REPEAT: {
		struct re_node *kid = re_from_term(c, t->children[0], depth + 1);
		if (!kid) return NULL;
		if (t->lo > t->hi) {
			re_error(c, t->loc, "the bounds of this repetition are out of order");
			return NULL;
		}
		return re_new_repeat(c, kid, t->lo, t->hi, false, t->loc);
	}
	case TERM_AUTOMATON: return from_automaton(c, t);
	case TERM_STRING: return from_automaton(c, re_string_spelled(t, &c->scratch));
	case TERM_AND:
	case TERM_NOT: return from_operators(c, t);
	case TERM_CONTROL: return from_control(c, t);
	case TERM_TOKENS:
	case TERM_WHOLE_TOKEN:
	case TERM_TO_TOKEN_END:
		re_error(c, t->loc, "a text whose tokens are counted cannot be a part of a terminal");
		return NULL;
	case TERM_SEQ:
	case TERM_ALT: break;
	}
	struct re_node **kids = mem_alloc(t->n_children * sizeof *kids);
	struct re_node *out = NULL;
	uint32_t n = 0;
	while (n < t->n_children && (kids[n] = re_from_term(c, t->children[n], depth + 1))) n++;
	if (n == t->n_children) out = re_new_list(c, t->kind == TERM_SEQ ? RE_SEQ : RE_ALT, kids, n, t->loc);
	free(kids);
	return out;
}
