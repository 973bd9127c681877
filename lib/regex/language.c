// The store of regular languages, and the languages that texts, regexes, lengths and automata give; see regex.h.
//
// In:   texts, a pattern, bounds of a length, or edges.
// Out:  the language's number. Equal languages have equal numbers: a language is the text of its minimal automaton
//       (grammar.h), interned.
// How:  an automaton in the making is minimised (regex_min.c), then numbered.
// Cost: of minimising: n log n of the edges.
#include "language_internal.h"

static void making_release(struct automaton_draft *m)
{
	vec_release(&m->edges_of);
	vec_release(&m->edges);
	vec_release(&m->accept);
}

void making_check(const struct automaton_draft *m)
{
	if (m->edges_of.n > LANGUAGE_MAX_STATES) work_too_large("LANGUAGE_MAX_STATES", LANGUAGE_MAX_STATES);
	if (m->edges.n > LANGUAGE_MAX_EDGES) work_too_large("LANGUAGE_MAX_EDGES", LANGUAGE_MAX_EDGES);
}

uint32_t making_add_state(struct automaton_draft *m, uint32_t accept)
{
	making_check(m);
	vec_push(&m->edges_of, ((struct re_span){0, 0}));
	vec_push(&m->accept, accept);
	return m->edges_of.n - 1;
}

void making_add_edge(struct automaton_draft *m, uint32_t first, uint32_t to, uint32_t lo, uint32_t hi)
{
	struct byte_edge *last = m->edges.n > first ? &m->edges.at[m->edges.n - 1] : NULL;
	if (last && last->to == to && last->hi + 1u == lo)
		last->hi = (uint8_t)hi;
	else
		vec_push(&m->edges, ((struct byte_edge){to, (uint8_t)lo, (uint8_t)hi}));
}

void making_set_edges(struct automaton_draft *m, uint32_t q, uint32_t first)
{
	m->edges_of.at[q] = (struct re_span){first, m->edges.n - first};
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

language making_finish(struct languages *s, struct automaton_draft *m)
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

struct term_automaton language_view(const struct languages *s, language a)
{
	return term_automaton_read(intern_get(&s->automata, a, NULL));
}

struct languages *languages_new(void)
{
	struct languages *s = mem_calloc(1, sizeof *s);
	s->cache = regex_cache_new();
	struct automaton_draft none = {0}, any = {0}, empty = {0};
	language l = making_finish(s, &none);
	ASSERT(l == LANGUAGE_NOTHING);
	making_add_state(&any, FOLLOW_ANY);
	for (uint32_t p = 1; p < UTF8_POSITIONS; p++) making_add_state(&any, FOLLOW_NEVER);
	for (uint32_t p = 0; p < UTF8_POSITIONS; p++) {
		uint32_t first = any.edges.n;
		for (uint32_t b = 0; b < 256; b++) {
			uint8_t to = utf8_step((uint8_t)p, (uint8_t)b);
			if (to != UTF8_BAD) making_add_edge(&any, first, to, b, b);
		}
		making_set_edges(&any, p, first);
	}
	l = making_finish(s, &any);
	ASSERT(l == LANGUAGE_ANY);
	making_add_state(&empty, FOLLOW_ANY);
	l = making_finish(s, &empty);
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
	struct automaton_draft m = {0};
	struct span {
		uint32_t lo, hi, depth;
	};
	VEC(struct span) of = {0};
	struct language_text *sorted = mem_alloc(((size_t)n + 1) * sizeof *sorted);
	if (n) memcpy(sorted, texts, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, by_bytes);
	if (n) vec_push(&of, ((struct span){0, n, 0})), making_add_state(&m, FOLLOW_NEVER);
	for (uint32_t q = 0; q < of.n; q++) {
		struct span x = of.at[q];
		uint32_t first = m.edges.n, i = x.lo;
		for (; i < x.hi && sorted[i].len == x.depth; i++) m.accept.at[q] = FOLLOW_ANY;
		while (i < x.hi) {
			uint8_t byte = (uint8_t)sorted[i].text[x.depth];
			uint32_t from = i;
			while (i < x.hi && (uint8_t)sorted[i].text[x.depth] == byte) i++;
			if (of.n >= LANGUAGE_MAX_STATES)
				work_too_large_for("LANGUAGE_MAX_STATES", LANGUAGE_MAX_STATES,
				                   "it lists texts with more beginnings than that: list fewer, or allow a pattern");
			vec_push(&of, ((struct span){from, i, x.depth + 1}));
			making_add_edge(&m, first, making_add_state(&m, FOLLOW_NEVER), byte, byte);
		}
		making_set_edges(&m, q, first);
	}
	free(sorted);
	vec_release(&of);
	return making_finish(s, &m);
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

// A grid of lengths and places inside UTF-8, with the last column open or closed.
static language make_lengths(struct languages *s, uint32_t least, uint32_t most)
{
	struct automaton_draft m = {0};
	const uint32_t n = most == TERM_UNBOUNDED ? least : most;
	for (uint32_t k = 0; k <= n; k++)
		for (uint32_t p = 0; p < UTF8_POSITIONS; p++)
			making_add_state(&m, p == 0 && k >= least ? FOLLOW_ANY : FOLLOW_NEVER);
	for (uint32_t k = 0; k <= n; k++)
		for (uint32_t p = 0; p < UTF8_POSITIONS; p++) {
			uint32_t first = m.edges.n, q = k * UTF8_POSITIONS + p;
			// What begins a code point counts it.
			uint32_t next = p ? k : k < n ? k + 1 : most == TERM_UNBOUNDED ? k : UINT32_MAX;
			for (uint32_t b = 0; b < 256 && next != UINT32_MAX; b++) {
				uint8_t to = utf8_step((uint8_t)p, (uint8_t)b);
				if (to != UTF8_BAD) making_add_edge(&m, first, next * UTF8_POSITIONS + to, b, b);
			}
			making_set_edges(&m, q, first);
		}
	return making_finish(s, &m);
}

language language_of_lengths(struct languages *s, uint32_t least, uint32_t most)
{
	if (least > most) return LANGUAGE_NOTHING;
	if (!least && most == TERM_UNBOUNDED) return LANGUAGE_ANY;
	if ((most == TERM_UNBOUNDED ? least : most) >= LANGUAGE_MAX_STATES / UTF8_POSITIONS)
		work_too_large("LANGUAGE_MAX_STATES", LANGUAGE_MAX_STATES);
	const uint64_t key = (uint64_t)OP_LENGTHS << 60 | (uint64_t)least << 30 | (most & ((1u << 30) - 1)),
				   known = map64_get(&s->memo, key);
	if (known != MAP64_NONE) return (language)known;
	const language l = make_lengths(s, least, most);
	map64_put(&s->memo, key, l);
	return l;
}

language language_of_automaton(struct languages *s, uint32_t n_states, const bool *accept,
                               const struct language_edge *edges, uint32_t n_edges)
{
	struct automaton_draft m = {0};
	bool is_ascii = true;
	for (uint32_t q = 0, e = 0; q < n_states; q++) {
		uint32_t first = m.edges.n;
		making_add_state(&m, accept[q] ? FOLLOW_ANY : FOLLOW_NEVER);
		for (; e < n_edges && edges[e].from == q; e++) {
			making_add_edge(&m, first, edges[e].to, edges[e].lo, edges[e].hi);
			is_ascii &= edges[e].hi < 0x80;
		}
		making_set_edges(&m, q, first);
	}
	language l = making_finish(s, &m);
	// Every language of a store is valid UTF-8: language_and takes that for granted.
	return is_ascii || l == LANGUAGE_ANY ? l : language_product(s, OP_AND, LANGUAGE_ANY, l);
}
