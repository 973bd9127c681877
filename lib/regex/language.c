// Regular languages as values; see regex.h.
//
// A language is the text of its minimal automaton (grammar.h), interned. An operation makes a
// sparse_dfa over the pairs of states that are reachable, which regex_min.c minimises.
#include "regex.h"

#include "../base/map64.h"
#include "regex_internal.h"

struct languages {
	struct intern automata;
	struct regex_cache *cache;
	struct map64 memo;      // operation << 60 | a << 30 | b -> language
	struct intern regexes;  // flags, text
	VEC(language) of_regex;
};

enum operation { OP_AND, OP_OR, OP_MINUS, OP_SPELLED };

// An automaton in the making: edges of a state are added together, in ascending order.
struct making {
	VEC(struct re_span) edges_of;
	VEC(struct byte_edge) edges;
	VEC(uint32_t) accept;
};

static void making_release(struct making *m)
{
	vec_release(&m->edges_of);
	vec_release(&m->edges);
	vec_release(&m->accept);
}

static void guard(const struct making *m)
{
	if (m->edges_of.n > LANGUAGE_MAX_STATES) work_too_large("LANGUAGE_MAX_STATES", LANGUAGE_MAX_STATES);
	if (m->edges.n > LANGUAGE_MAX_EDGES) work_too_large("LANGUAGE_MAX_EDGES", LANGUAGE_MAX_EDGES);
}

static uint32_t add_state(struct making *m, uint32_t accept)
{
	guard(m);
	vec_push(&m->edges_of, ((struct re_span){0, 0}));
	vec_push(&m->accept, accept);
	return m->edges_of.n - 1;
}

static void add_edge(struct making *m, uint32_t first, uint32_t to, uint32_t lo, uint32_t hi)
{
	struct byte_edge *last = m->edges.n > first ? &m->edges.at[m->edges.n - 1] : NULL;
	if (last && last->to == to && last->hi + 1u == lo)
		last->hi = (uint8_t)hi;
	else
		vec_push(&m->edges, ((struct byte_edge){to, (uint8_t)lo, (uint8_t)hi}));
}

// A minimal automaton by number.
static language intern_automaton(struct languages *s, const struct sparse_dfa *a)
{
	uint32_t n = term_automaton_words(a->n_states, a->n_edges), m = 0;
	uint32_t *w = mem_alloc((size_t)n * sizeof *w), *state = w + 2, *edge = w + 2 + a->n_states + 1;
	w[0] = a->n_states, w[1] = a->n_edges;
	for (uint32_t q = 0; q < a->n_states; q++) {
		state[q] = m << 1 | (a->accept[q] != FOLLOW_NEVER);
		for (uint32_t i = 0; i < a->edges_of[q].n; i++, m++) {
			struct byte_edge e = a->edges[a->edges_of[q].first + i];
			edge[2 * m] = e.to, edge[2 * m + 1] = e.lo | (uint32_t)e.hi << 8;
		}
	}
	state[a->n_states] = m << 1;
	language l = intern_add(&s->automata, w, (size_t)n * sizeof *w, NULL);
	free(w);
	return l;
}

// Minimises an automaton whose states accept always or never.
static language finish(struct languages *s, struct re_ctx *c, struct sparse_dfa *a)
{
	if (!minimize(c, a)) work_too_large("REGEX_MAX_TRANSITIONS", REGEX_MAX_TRANSITIONS);
	return intern_automaton(s, a);
}

static language finish_making(struct languages *s, struct making *m)
{
	struct diag unheard = {0};
	const struct terminal t = {.name = "language"};
	struct re_ctx c = {.d = &unheard, .cache = s->cache, .t = &t};
	struct sparse_dfa a = {.n_states = m->edges_of.n,
	                       .n_edges = m->edges.n,
	                       .edges_of = m->edges_of.at,
	                       .edges = m->edges.at,
	                       .accept = m->accept.at,
	                       .starts = &(uint32_t){0},
	                       .n_starts = 1};
	language l = finish(s, &c, &a);
	re_ctx_release(&c);
	diag_release(&unheard);
	making_release(m);
	return l;
}

static struct term_automaton view(const struct languages *s, language a)
{
	return term_automaton_read(intern_get(&s->automata, a, NULL));
}

struct languages *languages_new(void)
{
	struct languages *s = mem_calloc(1, sizeof *s);
	s->cache = regex_cache_new();
	struct making none = {0}, any = {0}, empty = {0};
	language l = finish_making(s, &none);
	ASSERT(l == LANGUAGE_NOTHING);
	add_state(&any, FOLLOW_ANY);
	for (uint32_t p = 1; p < UTF8_POSITIONS; p++) add_state(&any, FOLLOW_NEVER);
	for (uint32_t p = 0; p < UTF8_POSITIONS; p++) {
		uint32_t first = any.edges.n;
		for (uint32_t b = 0; b < 256; b++) {
			uint8_t to = utf8_step((uint8_t)p, (uint8_t)b);
			if (to != UTF8_BAD) add_edge(&any, first, to, b, b);
		}
		any.edges_of.at[p] = (struct re_span){first, any.edges.n - first};
	}
	l = finish_making(s, &any);
	ASSERT(l == LANGUAGE_ANY);
	add_state(&empty, FOLLOW_ANY);
	l = finish_making(s, &empty);
	ASSERT(l == LANGUAGE_EMPTY);
	return s;
}

void languages_free(struct languages *s)
{
	if (!s) return;
	intern_release(&s->automata);
	regex_cache_free(s->cache);
	map64_release(&s->memo);
	intern_release(&s->regexes), vec_release(&s->of_regex);
	free(s);
}

// A trie, level by level; equal futures become one when it is minimised. Texts are sorted, so those that share a
// prefix lie together.
static int by_bytes(const void *a, const void *b)
{
	const struct language_text *x = a, *y = b;
	int o = memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);
	return o ? o : (x->len > y->len) - (x->len < y->len);
}

language language_of_texts(struct languages *s, const struct language_text *texts, uint32_t n)
{
	struct making m = {0};
	struct span {
		uint32_t lo, hi, depth;
	};
	VEC(struct span) of = {0};
	struct language_text *sorted = mem_alloc(((size_t)n + 1) * sizeof *sorted);
	if (n) memcpy(sorted, texts, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, by_bytes);
	if (n) vec_push(&of, ((struct span){0, n, 0})), add_state(&m, FOLLOW_NEVER);
	for (uint32_t q = 0; q < of.n; q++) {
		struct span x = of.at[q];
		uint32_t first = m.edges.n, i = x.lo;
		for (; i < x.hi && sorted[i].len == x.depth; i++) m.accept.at[q] = FOLLOW_ANY;
		while (i < x.hi) {
			uint8_t byte = (uint8_t)sorted[i].text[x.depth];
			uint32_t from = i;
			while (i < x.hi && (uint8_t)sorted[i].text[x.depth] == byte) i++;
			vec_push(&of, ((struct span){from, i, x.depth + 1}));
			add_edge(&m, first, add_state(&m, FOLLOW_NEVER), byte, byte);
		}
		m.edges_of.at[q] = (struct re_span){first, m.edges.n - first};
	}
	free(sorted);
	vec_release(&of);
	return finish_making(s, &m);
}

// The texts that a pattern matches as a whole; what its lookarounds ask of the text around is asked of nothing.
static language of_pattern(struct languages *s, const struct term *pattern, const char *name, struct diag *d)
{
	const struct terminal t = {.name = name};
	struct re_ctx c = {.d = d, .cache = s->cache, .t = &t, .whole = pattern->loc};
	struct sparse_dfa a;
	struct re_node *root = re_from_term(&c, pattern, 0);
	language l = LANGUAGE_ERROR;
	if (root && re_compile_looks(&c) && re_compile_node(&c, root, &a)) {
		for (uint32_t q = 0; q < a.n_states; q++)
			a.accept[q] = follow_at_end(&c, a.accept[q]) ? FOLLOW_ANY : FOLLOW_NEVER;
		if (a.n_starts > 1) a.n_starts = 1;
		if (a.n_states && a.starts[0] == DFA_DEAD) a.n_states = 0, a.n_edges = 0;
		a.uses_behind = false;
		l = finish(s, &c, &a);
	}
	re_ctx_release(&c);
	return l;
}

language language_of_regex(struct languages *s, const struct regex_text *x, struct diag *d)
{
	const uint32_t len = x->len, flags = x->flags;
	if (!len) return LANGUAGE_EMPTY;
	struct term leaf = {
		.kind = TERM_REGEX, .flags = flags, .text = x->at, .text_len = len, .loc = x->loc, .text_loc = x->loc};
	char *key = mem_alloc(sizeof flags + (size_t)len);
	memcpy(key, &flags, sizeof flags), memcpy(key + sizeof flags, x->at, len);
	uint32_t known = intern_find(&s->regexes, key, sizeof flags + len);
	language l = known == INTERN_NONE ? of_pattern(s, &leaf, x->name, d) : s->of_regex.at[known];
	if (known == INTERN_NONE && l != LANGUAGE_ERROR) {
		intern_add(&s->regexes, key, sizeof flags + len, NULL);
		vec_push(&s->of_regex, l);
	}
	free(key);
	return l;
}

language language_of_term(struct languages *s, const struct term *pattern, const char *name, struct diag *d)
{
	if (pattern->kind != TERM_AND && pattern->kind != TERM_NOT) return of_pattern(s, pattern, name, d);
	language all = LANGUAGE_ANY;
	for (uint32_t i = 0; i < pattern->n_children; i++) {
		language one = language_of_term(s, pattern->children[i], name, d);
		if (one == LANGUAGE_ERROR) return LANGUAGE_ERROR;
		all = pattern->kind == TERM_NOT ? language_not(s, one) : language_and(s, all, one);
	}
	return all;
}

// Branches: a grid of lengths and places inside UTF-8, with the last column open or closed.
language language_of_lengths(struct languages *s, uint32_t least, uint32_t most)
{
	if (least > most) return LANGUAGE_NOTHING;
	if (!least && most == TERM_UNBOUNDED) return LANGUAGE_ANY;
	uint32_t n = most == TERM_UNBOUNDED ? least : most;
	if (n >= LANGUAGE_MAX_STATES / UTF8_POSITIONS) work_too_large("LANGUAGE_MAX_STATES", LANGUAGE_MAX_STATES);
	struct making m = {0};
	for (uint32_t k = 0; k <= n; k++)
		for (uint32_t p = 0; p < UTF8_POSITIONS; p++) add_state(&m, p == 0 && k >= least ? FOLLOW_ANY : FOLLOW_NEVER);
	for (uint32_t k = 0; k <= n; k++)
		for (uint32_t p = 0; p < UTF8_POSITIONS; p++) {
			uint32_t first = m.edges.n, q = k * UTF8_POSITIONS + p;
			// What begins a code point counts it.
			uint32_t next = p ? k : k < n ? k + 1 : most == TERM_UNBOUNDED ? k : UINT32_MAX;
			for (uint32_t b = 0; b < 256 && next != UINT32_MAX; b++) {
				uint8_t to = utf8_step((uint8_t)p, (uint8_t)b);
				if (to != UTF8_BAD) add_edge(&m, first, next * UTF8_POSITIONS + to, b, b);
			}
			m.edges_of.at[q] = (struct re_span){first, m.edges.n - first};
		}
	return finish_making(s, &m);
}

// ---- products ----

struct product {
	struct making m;
	struct map64 number;  // pair of states, + 1 each, 0: dead
	VEC(uint64_t) pairs;
	struct term_automaton a, b;
	enum operation op;
};

#define DEAD UINT32_MAX

static bool is_lost(enum operation op, uint32_t p, uint32_t q)
{
	return op == OP_AND ? p == DEAD || q == DEAD : op == OP_OR ? p == DEAD && q == DEAD : p == DEAD;
}

static uint32_t pair_number(struct product *x, uint32_t p, uint32_t q)
{
	uint64_t key = (uint64_t)(p + 1) << 32 | (q + 1), found = map64_get(&x->number, key);
	if (found != MAP64_NONE) return (uint32_t)found;
	bool in_a = p != DEAD && term_automaton_accepts(&x->a, p), in_b = q != DEAD && term_automaton_accepts(&x->b, q);
	bool in = x->op == OP_AND ? in_a && in_b : x->op == OP_OR ? in_a || in_b : in_a && !in_b;
	uint32_t n = add_state(&x->m, in ? FOLLOW_ANY : FOLLOW_NEVER);
	map64_put(&x->number, key, n);
	vec_push(&x->pairs, key);
	return n;
}

// The edges of both, cut where either changes.
// Branches: two sorted lists of edges are merged, and each may have ended, begin later or cover the byte.
static void expand_pair(struct product *x, uint32_t n)
{
	uint32_t p = (uint32_t)(x->pairs.at[n] >> 32) - 1, q = (uint32_t)x->pairs.at[n] - 1, first = x->m.edges.n;
	uint32_t i = p == DEAD ? 0 : term_automaton_first(&x->a, p),
			 i_end = p == DEAD ? 0 : term_automaton_first(&x->a, p + 1);
	uint32_t j = q == DEAD ? 0 : term_automaton_first(&x->b, q),
			 j_end = q == DEAD ? 0 : term_automaton_first(&x->b, q + 1);
	for (uint32_t byte = 0; byte < 256;) {
		while (i < i_end && term_automaton_hi(&x->a, i) < byte) i++;
		while (j < j_end && term_automaton_hi(&x->b, j) < byte) j++;
		if (i == i_end && (j == j_end || x->op != OP_OR)) break;
		uint32_t end = 256, to_p = DEAD, to_q = DEAD;
		if (i < i_end && term_automaton_lo(&x->a, i) > byte) end = term_automaton_lo(&x->a, i);
		if (i < i_end && term_automaton_lo(&x->a, i) <= byte)
			to_p = term_automaton_to(&x->a, i), end = term_automaton_hi(&x->a, i) + 1u;
		uint32_t limit = 256;
		if (j < j_end && term_automaton_lo(&x->b, j) > byte) limit = term_automaton_lo(&x->b, j);
		if (j < j_end && term_automaton_lo(&x->b, j) <= byte)
			to_q = term_automaton_to(&x->b, j), limit = term_automaton_hi(&x->b, j) + 1u;
		if (limit < end) end = limit;
		if (!is_lost(x->op, to_p, to_q)) add_edge(&x->m, first, pair_number(x, to_p, to_q), byte, end - 1);
		byte = end;
	}
	x->m.edges_of.at[n] = (struct re_span){first, x->m.edges.n - first};
	guard(&x->m);
}

static language product(struct languages *s, enum operation op, language a, language b)
{
	uint64_t key = (uint64_t)op << 60 | (uint64_t)a << 30 | b, known = map64_get(&s->memo, key);
	if (known != MAP64_NONE) return (language)known;
	struct product x = {.a = view(s, a), .b = view(s, b), .op = op};
	uint32_t p = x.a.n_states ? 0 : DEAD, q = x.b.n_states ? 0 : DEAD;
	if (!is_lost(op, p, q)) pair_number(&x, p, q);
	for (uint32_t n = 0; n < x.pairs.n; n++) expand_pair(&x, n);
	map64_release(&x.number);
	vec_release(&x.pairs);
	language l = finish_making(s, &x.m);
	map64_put(&s->memo, key, l);
	return l;
}

language language_of_automaton(struct languages *s, uint32_t n_states, const bool *accept,
                               const struct language_edge *edges, uint32_t n_edges)
{
	struct making m = {0};
	for (uint32_t q = 0, e = 0; q < n_states; q++) {
		uint32_t first = m.edges.n;
		add_state(&m, accept[q] ? FOLLOW_ANY : FOLLOW_NEVER);
		for (; e < n_edges && edges[e].from == q; e++) add_edge(&m, first, edges[e].to, edges[e].lo, edges[e].hi);
		m.edges_of.at[q] = (struct re_span){first, m.edges.n - first};
	}
	language l = finish_making(s, &m);
	// Every language of a store is valid UTF-8: language_and takes that for granted.
	return l == LANGUAGE_NOTHING || l == LANGUAGE_ANY ? l : product(s, OP_AND, LANGUAGE_ANY, l);
}

language language_and(struct languages *s, language a, language b)
{
	if (a == b || b == LANGUAGE_ANY) return a;
	if (a == LANGUAGE_ANY) return b;
	if (!a || !b) return LANGUAGE_NOTHING;
	return a < b ? product(s, OP_AND, a, b) : product(s, OP_AND, b, a);
}

language language_or(struct languages *s, language a, language b)
{
	if (a == b || !b) return a;
	if (!a) return b;
	if (a == LANGUAGE_ANY || b == LANGUAGE_ANY) return LANGUAGE_ANY;
	return a < b ? product(s, OP_OR, a, b) : product(s, OP_OR, b, a);
}

language language_minus(struct languages *s, language a, language b)
{
	if (!a || a == b || b == LANGUAGE_ANY) return LANGUAGE_NOTHING;
	return b ? product(s, OP_MINUS, a, b) : a;
}

language language_not(struct languages *s, language a) { return language_minus(s, LANGUAGE_ANY, a); }

static void copy_states(struct making *m, const struct term_automaton *a, uint32_t shift, uint32_t end, uint32_t to)
{
	for (uint32_t q = 0; q < a->n_states; q++) {
		uint32_t first = m->edges.n;
		add_state(m, end == UINT32_MAX && term_automaton_accepts(a, q) ? FOLLOW_ANY : FOLLOW_NEVER);
		for (uint32_t e = term_automaton_first(a, q); e < term_automaton_first(a, q + 1); e++) {
			uint32_t next = term_automaton_to(a, e);
			add_edge(m, first, next == end ? to : next + shift, term_automaton_lo(a, e), term_automaton_hi(a, e));
		}
		m->edges_of.at[q + shift] = (struct re_span){first, m->edges.n - first};
	}
}

language language_then(struct languages *s, language a, language b)
{
	if (!a || !b) return LANGUAGE_NOTHING;
	if (a == LANGUAGE_EMPTY) return b;
	struct term_automaton x = view(s, a), y = view(s, b);
	uint32_t end = UINT32_MAX;  // minimal, it has one state that accepts and leads nowhere
	for (uint32_t q = 0; q < x.n_states; q++) {
		if (!term_automaton_accepts(&x, q)) continue;
		ASSERT(end == UINT32_MAX && term_automaton_first(&x, q) == term_automaton_first(&x, q + 1));
		end = q;
	}
	struct making m = {0};
	copy_states(&m, &x, 0, end, x.n_states);
	copy_states(&m, &y, x.n_states, UINT32_MAX, 0);
	return finish_making(s, &m);
}

// a's states, those that accept without edges, or all accepting.
static language cut(struct languages *s, language a, bool is_first)
{
	struct term_automaton x = view(s, a);
	struct making m = {0};
	for (uint32_t q = 0; q < x.n_states; q++) {
		uint32_t first = m.edges.n;
		bool accepts = term_automaton_accepts(&x, q), ends = is_first && accepts;
		add_state(&m, accepts || !is_first ? FOLLOW_ANY : FOLLOW_NEVER);
		for (uint32_t e = term_automaton_first(&x, q); !ends && e < term_automaton_first(&x, q + 1); e++)
			add_edge(&m, first, term_automaton_to(&x, e), term_automaton_lo(&x, e), term_automaton_hi(&x, e));
		m.edges_of.at[q] = (struct re_span){first, m.edges.n - first};
	}
	return finish_making(s, &m);
}

language language_first(struct languages *s, language a) { return cut(s, a, true); }

language language_beginnings(struct languages *s, language a)
{
	language l = cut(s, a, false);
	return l == LANGUAGE_NOTHING || l == LANGUAGE_ANY ? l : product(s, OP_AND, LANGUAGE_ANY, l);
}

bool language_has(const struct languages *s, language l, const char *text, size_t len)
{
	struct term_automaton a = view(s, l);
	uint32_t q = 0;
	if (!a.n_states) return false;
	for (size_t at = 0; at < len; at++) {
		uint8_t byte = (uint8_t)text[at];
		uint32_t e = term_automaton_first(&a, q), end = term_automaton_first(&a, q + 1);
		while (e < end && term_automaton_hi(&a, e) < byte) e++;
		if (e == end || term_automaton_lo(&a, e) > byte) return false;
		q = term_automaton_to(&a, e);
	}
	return term_automaton_accepts(&a, q);
}

uint32_t language_states(const struct languages *s, language a) { return view(s, a).n_states; }

// Depth first with a limit of steps: every state leads to an accepting one, so each step down is a text's.
bool language_list(const struct languages *s, language l, uint32_t most, struct arena *arena, language_texts *out)
{
	struct term_automaton a = view(s, l);
	struct place {
		uint32_t state, edge, byte;
	};
	VEC(struct place) path = {0};
	VEC(char) text = {0};
	bool ok = true;
	if (a.n_states) vec_push(&path, ((struct place){0, term_automaton_first(&a, 0), 0}));
	while (path.n && ok) {
		struct place *top = &path.at[path.n - 1];
		uint32_t end = term_automaton_first(&a, top->state + 1);
		if (top->edge == term_automaton_first(&a, top->state) && !top->byte && term_automaton_accepts(&a, top->state)) {
			ok = out->n < most;
			if (ok)
				vec_push(out, ((struct language_text){arena_strndup(arena, text.n ? text.at : "", text.n), text.n}));
		}
		if (top->edge == end) {
			path.n--;
			if (text.n) text.n--;
			continue;
		}
		uint32_t e = top->edge, byte = top->byte ? top->byte - 1 : term_automaton_lo(&a, e);
		top->byte = byte + 2;
		if (byte == term_automaton_hi(&a, e)) top->edge++, top->byte = 0;
		if (top->edge == end) top->byte = 1;  // not as it came
		vec_push(&text, (char)byte);
		uint32_t to = term_automaton_to(&a, e);
		vec_push(&path, ((struct place){to, term_automaton_first(&a, to), 0}));
		ok = ok && path.n <= a.n_states;  // a longer path has a loop
	}
	vec_release(&path);
	vec_release(&text);
	return ok;
}

struct term *language_term(const struct languages *s, language a, struct loc loc, struct arena *arena)
{
	uint32_t len;
	const void *text = intern_get(&s->automata, a, &len);
	struct term *t = arena_alloc(arena, sizeof *t);
	void *copy = arena_alloc(arena, len);
	memcpy(copy, text, len);
	*t = (struct term){.kind = TERM_AUTOMATON, .text = copy, .text_len = len, .loc = loc, .text_loc = loc};
	return t;
}

// ---- the spelling in JSON ----

// What a place between code points leads to: code points lo..hi to a state of the spelling, a's + 1.
struct lead {
	uint32_t lo, hi, to;
};
typedef VEC(struct lead) leads;

struct spelling {
	struct languages *s;
	struct making m;
	struct term_automaton a;
	struct intern tries;  // (level, leads) -> state
	VEC(uint32_t) trie_state;
	struct intern wide;  // edges of bytes beyond ASCII -> what "\\u" leads to by them; most states share them
	VEC(leads) wide_units;
	enum escapes escapes;
};

static void add_lead(leads *l, uint32_t lo, uint32_t hi, uint32_t to)
{
	struct lead *last = l->n ? &l->at[l->n - 1] : NULL;
	if (last && last->to == to && last->hi + 1 == lo)
		last->hi = hi;
	else
		vec_push(l, ((struct lead){lo, hi, to}));
}

// Code points that begin with `so_far` (of which `more` bytes are missing) from q on.
static void collect(const struct term_automaton *a, uint32_t q, uint32_t so_far, uint32_t more, leads *out)
{
	for (uint32_t e = term_automaton_first(a, q); e < term_automaton_first(a, q + 1); e++) {
		uint32_t to = term_automaton_to(a, e), lo = term_automaton_lo(a, e), hi = term_automaton_hi(a, e);
		if (more == 1)
			add_lead(out, so_far << 6 | (lo & 63), so_far << 6 | (hi & 63), to + 1);
		else
			for (uint32_t b = lo; b <= hi; b++) collect(a, to, so_far << 6 | (b & 63), more - 1, out);
	}
}

// Code points of one byte.
static void collect_ascii(const struct term_automaton *a, uint32_t q, leads *out)
{
	vec_clear(out);
	for (uint32_t e = term_automaton_first(a, q); e < term_automaton_first(a, q + 1); e++)
		if (term_automaton_lo(a, e) < 0x80)
			add_lead(out, term_automaton_lo(a, e), term_automaton_hi(a, e), term_automaton_to(a, e) + 1);
}

static void collect_wide(const struct term_automaton *a, uint32_t q, leads *out)
{
	for (uint32_t e = term_automaton_first(a, q); e < term_automaton_first(a, q + 1); e++) {
		uint32_t to = term_automaton_to(a, e), lo = term_automaton_lo(a, e), hi = term_automaton_hi(a, e);
		for (uint32_t b = lo; b >= 0x80 && b <= hi; b++) {
			uint32_t more = b >= 0xF0 ? 3 : b >= 0xE0 ? 2 : 1;
			collect(a, to, b & (0x3Fu >> more), more, out);
		}
	}
}

bool language_ends_in(const struct languages *s, language l, uint32_t state)
{
	const struct term_automaton a = view(s, l);
	return term_automaton_accepts(&a, state);
}

void language_steps_from(const struct languages *s, language l, uint32_t state, language_steps *out)
{
	const struct term_automaton a = view(s, l);
	leads found = {0};
	for (uint32_t wide = 0; wide < 2; wide++) {
		vec_clear(&found);
		if (wide)
			collect_wide(&a, state, &found);
		else
			collect_ascii(&a, state, &found);
		for (uint32_t i = 0; i < found.n; i++)
			vec_push(out, ((struct language_step){found.at[i].lo, found.at[i].hi, found.at[i].to - 1}));
	}
	vec_release(&found);
}

// Sorted edges of a state that is made at once.
struct edge_list {
	struct byte_edge at[64];
	uint32_t n;
};

static void put_edge(struct edge_list *l, uint32_t byte, uint32_t to)
{
	uint32_t i = l->n++;
	ASSERT(l->n <= 64);
	for (; i && l->at[i - 1].lo > byte; i--) l->at[i] = l->at[i - 1];
	l->at[i] = (struct byte_edge){to, (uint8_t)byte, (uint8_t)byte};
}

static void set_edges(struct spelling *x, uint32_t q, const struct edge_list *l)
{
	uint32_t first = x->m.edges.n;
	for (uint32_t i = 0; i < l->n; i++) add_edge(&x->m, first, l->at[i].to, l->at[i].lo, l->at[i].hi);
	x->m.edges_of.at[q] = (struct re_span){first, x->m.edges.n - first};
}

// The state before `digits` hexadecimal digits whose values are in leads.
static uint32_t hex_trie(struct spelling *x, uint32_t digits, const leads *l)
{
	VEC(uint32_t) key = {0};
	vec_push(&key, digits);
	for (uint32_t i = 0; i < l->n; i++)
		vec_push(&key, l->at[i].lo), vec_push(&key, l->at[i].hi), vec_push(&key, l->at[i].to);
	bool is_new;
	uint32_t id = intern_add(&x->tries, key.at, key.n * sizeof *key.at, &is_new);
	vec_release(&key);
	if (!is_new) return x->trie_state.at[id];
	uint32_t q = add_state(&x->m, FOLLOW_NEVER), block = 1u << 4 * (digits - 1);
	vec_push(&x->trie_state, q);
	struct edge_list edges = {.n = 0};
	for (uint32_t d = 0; d < 16; d++) {
		leads part = {0};
		for (uint32_t i = 0; i < l->n; i++) {
			uint32_t lo = l->at[i].lo, hi = l->at[i].hi;
			if (hi < d * block || lo >= (d + 1) * block) continue;
			lo = lo < d * block ? 0 : lo - d * block;
			hi = hi >= (d + 1) * block ? block - 1 : hi - d * block;
			add_lead(&part, lo, hi, l->at[i].to);
		}
		if (part.n) {
			uint32_t to = digits == 1 ? part.at[0].to : hex_trie(x, digits - 1, &part);
			put_edge(&edges, d < 10 ? '0' + d : 'a' + d - 10, to);
			if (d >= 10 && x->escapes == ESCAPES_ALL) put_edge(&edges, 'A' + d - 10, to);
		}
		vec_release(&part);
	}
	set_edges(x, q, &edges);
	return q;
}

// The state from which "\uDC00" .. lead on, as in leads of the low half.
static uint32_t low_half(struct spelling *x, const leads *l)
{
	leads moved = {0};
	for (uint32_t i = 0; i < l->n; i++) add_lead(&moved, l->at[i].lo + 0xDC00, l->at[i].hi + 0xDC00, l->at[i].to);
	uint32_t digits = hex_trie(x, 4, &moved);
	vec_release(&moved);
	uint32_t key[2] = {UINT32_MAX, digits};
	bool is_new;
	uint32_t id = intern_add(&x->tries, key, sizeof key, &is_new);
	if (!is_new) return x->trie_state.at[id];
	uint32_t u = add_state(&x->m, FOLLOW_NEVER), q = add_state(&x->m, FOLLOW_NEVER);
	struct edge_list one = {.n = 0}, two = {.n = 0};
	put_edge(&one, 'u', digits), put_edge(&two, '\\', u);
	set_edges(x, u, &one), set_edges(x, q, &two);
	vec_push(&x->trie_state, q);
	return q;
}

// Values of four digits after "\u" beyond ASCII, of state q.
// Branches: UTF-16 in three ranges: below the surrogates, pairs of them by their high half, and above.
static const leads *wide_units(struct spelling *x, uint32_t q)
{
	VEC(uint32_t) key = {0};
	for (uint32_t e = term_automaton_first(&x->a, q); e < term_automaton_first(&x->a, q + 1); e++)
		if (term_automaton_lo(&x->a, e) >= 0x80) vec_push(&key, x->a.edge[2 * e]), vec_push(&key, x->a.edge[2 * e + 1]);
	bool is_new;
	uint32_t id = intern_add(&x->wide, key.n ? key.at : (uint32_t[]){0}, key.n * sizeof *key.at, &is_new);
	vec_release(&key);
	if (!is_new) return &x->wide_units.at[id];
	leads all = {0}, high = {0}, part = {0}, units = {0};
	collect_wide(&x->a, q, &all);
	// Those beyond two bytes, by their high half.
	uint32_t from_lead = 0;
	while (from_lead < all.n && all.at[from_lead].hi < 0x10000) from_lead++;
	for (uint32_t h = 0; h < 0x400 && from_lead < all.n; h++) {
		uint32_t from = 0x10000 + (h << 10), to = from + 0x3FF;
		vec_clear(&part);
		while (from_lead < all.n && all.at[from_lead].hi < from) from_lead++;
		for (uint32_t i = from_lead; i < all.n && all.at[i].lo <= to; i++) {
			struct lead l = all.at[i];
			add_lead(&part, l.lo < from ? 0 : l.lo - from, l.hi > to ? 0x3FF : l.hi - from, l.to);
		}
		if (part.n) add_lead(&high, 0xD800 + h, 0xD800 + h, low_half(x, &part));
	}
	// Surrogates lie between the others.
	for (uint32_t i = 0; i < all.n && all.at[i].lo < 0xD800; i++)
		add_lead(&units, all.at[i].lo, all.at[i].hi, all.at[i].to);
	for (uint32_t k = 0; k < high.n; k++) add_lead(&units, high.at[k].lo, high.at[k].hi, high.at[k].to);
	for (uint32_t i = 0; i < all.n && all.at[i].lo < 0x10000; i++)
		if (all.at[i].lo > 0xD800)
			add_lead(&units, all.at[i].lo, all.at[i].hi > 0xFFFF ? 0xFFFF : all.at[i].hi, all.at[i].to);
	vec_release(&all), vec_release(&high), vec_release(&part);
	vec_push(&x->wide_units, units);
	return &x->wide_units.at[id];
}

static void add_unit_leads(struct spelling *x, const leads *ascii, const leads *wide, leads *units)
{
	static const char shorts[] = "\b\t\n\f\r\"\\";
	for (uint32_t i = 0; i < ascii->n; i++) {
		struct lead l = ascii->at[i];
		for (uint32_t c = l.lo; c <= l.hi; c++)
			if (x->escapes == ESCAPES_ALL || ((c < 0x20 || c == 0x7F) && !(c && strchr(shorts, (int)c))))
				add_lead(units, c, c, l.to);
	}
	for (uint32_t i = 0; i < wide->n; i++) add_lead(units, wide->at[i].lo, wide->at[i].hi, wide->at[i].to);
}

// The state behind a backslash; UINT32_MAX: nothing is written so.
static uint32_t backslash(struct spelling *x, const leads *all, const leads *wide)
{
	static const char letters[] = "btnfr\"\\/";
	static const uint8_t means[] = {8, 9, 10, 12, 13, '"', '\\', '/'};
	leads units = {0};
	struct edge_list edges = {.n = 0};
	add_unit_leads(x, all, wide, &units);
	for (uint32_t i = 0; i < all->n; i++)
		for (uint32_t k = 0; k < (x->escapes == ESCAPES_ALL ? 8u : 7u); k++)
			if (all->at[i].lo <= means[k] && means[k] <= all->at[i].hi)
				put_edge(&edges, (uint8_t)letters[k], all->at[i].to);
	if (units.n) put_edge(&edges, 'u', hex_trie(x, 4, &units));
	vec_release(&units);
	if (!edges.n) return UINT32_MAX;
	uint32_t q = add_state(&x->m, FOLLOW_NEVER);
	set_edges(x, q, &edges);
	return q;
}

// Bytes of whole code points as they are, but for what must be escaped; a way out at the closing quote.
// Branches: quote and backslash are cut out of each edge and set in where they belong, and controls are left out.
static void spell_boundary(struct spelling *x, uint32_t q, uint32_t last, leads *scratch)
{
	collect_ascii(&x->a, q, scratch);
	uint32_t escape = backslash(x, scratch, wide_units(x, q)), first = x->m.edges.n;
	bool ends = term_automaton_accepts(&x->a, q), is_quoted = !ends, is_escaped = escape == UINT32_MAX;
	for (uint32_t e = term_automaton_first(&x->a, q);; e++) {
		bool more = e < term_automaton_first(&x->a, q + 1);
		uint32_t lo = more ? term_automaton_lo(&x->a, e) : 256, hi = more ? term_automaton_hi(&x->a, e) : 256;
		uint32_t to = more ? term_automaton_to(&x->a, e) + 1 : 0;
		while (lo <= hi) {
			if (!is_quoted && lo >= '"') add_edge(&x->m, first, last, '"', '"'), is_quoted = true;
			if (!is_escaped && lo >= '\\') add_edge(&x->m, first, escape, '\\', '\\'), is_escaped = true;
			if (!more) break;
			uint32_t end = hi;
			if (lo < 0x20) {
				lo = 0x20;
				continue;
			}
			if (lo == '"' || lo == '\\') {
				lo++;
				continue;
			}
			if (lo < '"' && end >= '"') end = '"' - 1;
			if (lo < '\\' && end >= '\\') end = '\\' - 1;
			add_edge(&x->m, first, to, lo, end);
			lo = end + 1;
		}
		if (!more) break;
	}
	x->m.edges_of.at[q + 1] = (struct re_span){first, x->m.edges.n - first};
}

// State 0 is before the first quote; state q of a is q + 1; then the one behind the last quote.
language language_spelled(struct languages *s, language l, enum escapes escapes)
{
	uint64_t key = (uint64_t)OP_SPELLED << 60 | (uint64_t)l << 30 | escapes, known = map64_get(&s->memo, key);
	if (known != MAP64_NONE) return (language)known;
	struct spelling x = {.s = s, .a = view(s, l), .escapes = escapes};
	uint32_t n = x.a.n_states;
	if (!n) return LANGUAGE_NOTHING;
	for (uint32_t q = 0; q < n + 1; q++) add_state(&x.m, FOLLOW_NEVER);
	uint32_t last = add_state(&x.m, FOLLOW_ANY);
	uint8_t *more = mem_calloc(n, 1);  // bytes that are missing of a code point
	uint8_t *seen = mem_calloc(n, 1);
	VEC(uint32_t) queue = {0};
	vec_push(&queue, 0);
	seen[0] = 1;
	leads scratch = {0};
	for (uint32_t i = 0; i < queue.n; i++) {
		uint32_t q = queue.at[i], first_edge = term_automaton_first(&x.a, q), end = term_automaton_first(&x.a, q + 1);
		for (uint32_t e = first_edge; e < end; e++) {
			uint32_t to = term_automaton_to(&x.a, e), b = term_automaton_lo(&x.a, e);
			if (seen[to]) continue;
			seen[to] = 1;
			more[to] = more[q] ? more[q] - 1 : b < 0x80 ? 0 : b < 0xE0 ? 1 : b < 0xF0 ? 2 : 3;
			vec_push(&queue, to);
		}
		if (!more[q]) {
			spell_boundary(&x, q, last, &scratch);
			continue;
		}
		uint32_t first = x.m.edges.n;
		for (uint32_t e = first_edge; e < end; e++)
			add_edge(&x.m, first, term_automaton_to(&x.a, e) + 1, term_automaton_lo(&x.a, e),
			         term_automaton_hi(&x.a, e));
		x.m.edges_of.at[q + 1] = (struct re_span){first, x.m.edges.n - first};
	}
	uint32_t first = x.m.edges.n;
	add_edge(&x.m, first, 1, '"', '"');
	x.m.edges_of.at[0] = (struct re_span){first, 1};
	free(more), free(seen);
	vec_release(&queue), vec_release(&scratch), vec_release(&x.trie_state);
	intern_release(&x.tries), intern_release(&x.wide);
	for (uint32_t i = 0; i < x.wide_units.n; i++) vec_release(&x.wide_units.at[i]);
	vec_release(&x.wide_units);
	language out = finish_making(s, &x.m);
	map64_put(&s->memo, key, out);
	return out;
}
