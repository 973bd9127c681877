// Bodies of terminals -> struct term, nested terminals put in.
//
// In:  resolved bodies (node->body of each name). Out: body->term, built once and shared wherever the name stands.
// Depth-first over the bodies; a body met while under construction is a cycle. The trees share nodes, so their
// size as trees, which later stages pay for, is counted and limited (TERM_MAX_SIZE), and so is their depth, which
// bounds every recursion over them (TERM_MAX_DEPTH). Cost: linear in the bodies.
#include "lark.h"

struct building {
	struct arena *arena;
	struct diag *diag;
	VEC(const struct body *) path;  // under construction, outermost first
	uint32_t level;                 // of the recursion
};
struct built {
	struct term *term;  // NULL after an error
	uint32_t depth, size;
};

static struct term *new_term(struct arena *a, enum term_kind kind, struct loc loc)
{
	struct term *t = arena_alloc(a, sizeof *t);
	t->kind = kind, t->loc = loc;
	return t;
}

// Any `most` bytes at most: a chain of states.
static struct term *bytes_term(const struct node *n, struct arena *a)
{
	struct term *t = new_term(a, TERM_AUTOMATON, n->loc);
	uint32_t most = n->hi, words = term_automaton_words(most + 1, most);
	uint32_t *w = arena_array(a, words, sizeof *w), *state = w + 2, *edge = state + most + 2;
	w[0] = most + 1, w[1] = most;
	for (uint32_t q = 0; q <= most; q++) state[q] = q << 1 | 1;
	state[most + 1] = most << 1;
	for (uint32_t q = 0; q < most; q++) edge[2 * q] = q + 1, edge[2 * q + 1] = 0xFFu << 8;
	t->text = (const char *)w, t->text_len = words * (uint32_t)sizeof *w;
	return t;
}

struct term *lark_term_leaf(const struct node *n, struct arena *a)
{
	if (n->kind == N_BYTES) return bytes_term(n, a);
	static const enum term_kind kinds[] = {
		[N_STRING] = TERM_TEXT, [N_REGEX] = TERM_REGEX, [N_RANGE] = TERM_RANGE, [N_CONTROL] = TERM_CONTROL};
	struct term *t = new_term(a, kinds[n->kind], n->loc);
	t->flags = n->flags, t->lo = n->lo, t->hi = n->hi, t->text_loc = n->text_loc;
	if (n->kind == N_CONTROL) t->text = memcpy(arena_alloc(a, n->text_len), n->text, n->text_len);
	if (n->kind == N_STRING || n->kind == N_REGEX) t->text = arena_strndup(a, n->text, n->text_len);
	t->text_len = n->text_len;
	return t;
}

static void report_cycle(struct building *c, const struct node *n)
{
	diag_error(c->diag, n->loc, "terminal '%s' contains itself; only rules may be recursive", n->body->name);
	uint32_t i = c->path.n;
	while (c->path.at[i - 1] != n->body) i--;
	for (uint32_t shown = 0; i < c->path.n && shown < 5; i++, shown++)
		diag_note(c->diag, c->path.at[i]->loc, "through '%s'", c->path.at[i]->name);
}

static struct built build(struct building *c, const struct node *n);

static bool build_body(struct building *c, struct body *b)
{
	if (b->progress) return b->progress == 2;
	b->progress = 1;
	const struct node *root = b->root;
	if (root->n_children == 1 && root->children[0]->kind == N_SEQ && root->children[0]->n_children == 0) {
		diag_error(c->diag, b->loc, "terminal '%s' has no pattern", b->name);
		b->progress = 3;
		return false;
	}
	vec_push(&c->path, b);
	struct built r = build(c, root);
	(void)vec_pop(&c->path);
	b->term = r.term, b->depth = r.depth, b->size = r.size;
	b->progress = r.term ? 2 : 3;
	return r.term != NULL;
}

static struct built build_name(struct building *c, const struct node *n)
{
	if (!n->body) return (struct built){0};  // reported when it was resolved
	if (n->body->progress == 1) {
		report_cycle(c, n);
		return (struct built){0};
	}
	if (!build_body(c, n->body)) return (struct built){0};
	return (struct built){n->body->term, n->body->depth + 1, n->body->size};
}

// Branches: leaves, lists, repetitions and what stands for its only child become terms in one pass that also measures
// them.
static struct built build_inner(struct building *c, const struct node *n)
{
	if (n->kind == N_NAME) return build_name(c, n);
	if (n->kind == N_CALL) return (struct built){0};  // refused when it was resolved
	if (n->kind == N_STRING || n->kind == N_REGEX || n->kind == N_RANGE || n->kind == N_CONTROL || n->kind == N_BYTES)
		return (struct built){lark_term_leaf(n, c->arena), 1, 1 + n->text_len};
	bool is_child = n->kind == N_REPEAT ? n->lo == 1 && n->hi == 1 : n->kind != N_NOT && n->kind != N_TOKENS;
	if (n->n_children == 1 && is_child) return build(c, n->children[0]);
	static const enum term_kind kinds[] = {[N_SEQ] = TERM_SEQ, [N_ALT] = TERM_ALT, [N_REPEAT] = TERM_REPEAT,
	                                       [N_AND] = TERM_AND, [N_NOT] = TERM_NOT, [N_TOKENS] = TERM_TOKENS};
	enum term_kind kind = kinds[n->kind];
	struct built r = {new_term(c->arena, kind, n->loc), 0, 1};
	r.term->lo = n->kind == N_REPEAT ? n->lo : 0;
	r.term->hi = n->kind == N_REPEAT || n->kind == N_TOKENS ? n->hi : 0;
	r.term->n_children = n->n_children;
	r.term->children = arena_array(c->arena, n->n_children, sizeof *r.term->children);
	bool ok = true;
	for (uint32_t i = 0; i < n->n_children; i++) {
		struct built child = build(c, n->children[i]);
		ok = ok && child.term;
		r.term->children[i] = child.term;
		if (child.depth > r.depth) r.depth = child.depth;
		r.size = r.size + child.size > 2 * TERM_MAX_SIZE ? 2 * TERM_MAX_SIZE : r.size + child.size;
	}
	r.depth++;
	if (!ok) r.term = NULL;
	return r;
}

static struct built build(struct building *c, const struct node *n)
{
	struct built r = {0};
	const char *name = c->path.at[c->path.n - 1]->name;
	bool is_deep = c->level >= 2 * TERM_MAX_DEPTH;
	if (!is_deep) {
		c->level++;
		r = build_inner(c, n);
		c->level--;
		is_deep = r.term && r.depth > TERM_MAX_DEPTH;
	}
	if (is_deep)
		diag_error(c->diag, n->loc, "terminal '%s', with the terminals in it, nests deeper than %u (TERM_MAX_DEPTH)",
		           name, TERM_MAX_DEPTH);
	else if (r.term && r.size > TERM_MAX_SIZE)
		diag_error(c->diag, n->loc, "terminal '%s', with the terminals in it, is larger than %u (TERM_MAX_SIZE)", name,
		           TERM_MAX_SIZE);
	else
		return r;
	return (struct built){0};
}

// The pattern of a definition's body, nested terminals put in. NULL after an error. Shared, not copied.
static struct term *lark_term(struct body *b, struct arena *a, struct diag *d)
{
	struct building c = {.arena = a, .diag = d};
	build_body(&c, b);
	vec_release(&c.path);
	return b->term;
}

bool lark_all_terms(const struct definitions *d, struct arena *a)
{
	bool ok = true;
	uint64_t total = 0;
	for (uint32_t i = 0; i < d->list.n; i++) {
		const struct definition *n = d->list.at[i];
		if (!n->is_terminal || !n->body) continue;
		if (!lark_term(n->body, a, d->diag)) ok = false;
		total += n->body->size;
	}
	if (ok && total > TERM_MAX_TOTAL) {
		diag_error(d->diag, (struct loc){0},
		           "the terminals, each with those in it, are larger than %u (TERM_MAX_TOTAL)", TERM_MAX_TOTAL);
		return false;
	}
	return ok;
}

static void put(byte_vec *out, const void *bytes, uint32_t n)
{
	vec_reserve(out, (uint64_t)out->n + n);
	if (n) memcpy(out->at + out->n, bytes, n);
	out->n += n;
}

static void put_number(byte_vec *out, uint32_t v)
{
	uint8_t bytes[4] = {(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24)};
	put(out, bytes, 4);
}

// Branches: each kind of term in its own way.
void lark_term_bytes(const struct term *t, byte_vec *out)
{
	put_number(out, (uint32_t)t->kind);
	switch (t->kind) {
	case TERM_TEXT:
	case TERM_REGEX:
	case TERM_AUTOMATON:
	case TERM_STRING:
	case TERM_CONTROL:
	case TERM_WHOLE_TOKEN:
		put_number(out, t->flags);
		if (t->kind == TERM_STRING || t->kind == TERM_WHOLE_TOKEN) put_number(out, t->lo), put_number(out, t->hi);
		put_number(out, t->text_len);
		put(out, t->text, t->text_len);
		return;
	case TERM_RANGE: put_number(out, t->lo), put_number(out, t->hi); return;
	case TERM_REPEAT: put_number(out, t->lo), put_number(out, t->hi); break;
	case TERM_SEQ:
	case TERM_ALT:
	case TERM_AND:
	case TERM_NOT:
	case TERM_TO_TOKEN_END: put_number(out, t->n_children); break;
	case TERM_TOKENS: put_number(out, t->hi), put_number(out, t->n_children); break;
	}
	for (uint32_t i = 0; i < t->n_children; i++) lark_term_bytes(t->children[i], out);
}
