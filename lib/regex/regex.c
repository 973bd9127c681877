// One terminal's pattern to its minimal DFA: the stages in order. See regex.h, docs/regex.md.
//
// In:  struct terminal. Out: struct byte_dfa, or errors with places.
// A part that ends at its first match (regex_lazy.c) is compiled and cut first; its automaton becomes a piece of the
// whole. Cost: below 20 us for a keyword, 15 ms for the first Unicode class a cache is asked for.
#include "regex_internal.h"

#include <stdarg.h>

void re_error(struct re_ctx *c, struct loc loc, const char *fmt, ...)
{
	c->failed = true;
	va_list args;
	va_start(args, fmt);
	char text[512];
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	if (!loc.source) loc = c->whole;
	diag_error(c->d, loc, "terminal %s: %s", grammar_show_terminal(c->t, diag_arena(c->d)), text);
}

bool re_within_work(struct re_ctx *c, uint64_t more)
{
	if (c->work + more > REGEX_MAX_WORK && !c->failed)
		re_error(
			c, c->whole,
			"this terminal's automaton takes more than REGEX_MAX_WORK (%u) steps to build: lower the bounds of its "
			"repetitions or simplify its alternatives",
			REGEX_MAX_WORK);
	return !c->failed;
}

static bool compile_tree(struct re_ctx *c, struct re_node *node, bool ordered, struct sparse_dfa *out)
{
	struct nfa f;
	if (!nfa_build(c, node, &f)) return false;
	f.ordered = ordered;
	bool ok = determinize(c, &f, out) && minimize(c, out);
	nfa_release(&f);
	return ok;
}

bool re_compile_cut(struct re_ctx *c, struct re_node *cut)
{
	if (cut->dfa) return true;
	struct sparse_dfa *a = arena_alloc(&c->scratch, sizeof *a);
	if (!compile_tree(c, cut->kids[0], !cut->whole, a)) return false;
	if (cut->whole && (!dfa_stop_at_first_match(c, a) || !minimize(c, a))) return false;
	cut->first_edge = c->edges.n;
	for (uint32_t e = 0; e < a->n_edges; e++) vec_push(&c->edges, a->edges[e]);
	cut->dfa = a;
	return true;
}

bool re_compile_node(struct re_ctx *c, struct re_node *node, struct sparse_dfa *out)
{
	if (node->kind == RE_CUT) {
		if (!re_compile_cut(c, node)) return false;
		*out = *node->dfa;
		return true;
	}
	return compile_tree(c, node, false, out);
}

// The automata that lookarounds run: the body, for lookbehind after any text. Inner lookaheads come first.
bool re_compile_looks(struct re_ctx *c)
{
	follow_init(c);
	c->observer = (struct re_observer){.n = 1};
	for (uint32_t pass = 0; pass < 2; pass++) {
		bool behind = pass == 0;
		for (uint32_t i = 0; i < c->looks.n; i++) {
			const struct re_look *k = &c->looks.at[i];
			if (k->behind != behind) continue;
			struct re_node *body = k->body;
			if (behind) {
				struct re_node *any = re_new_set(c, cp_complement(&c->scratch, (struct cp_set){0}), k->loc);
				struct re_node *two[] = {re_new_repeat(c, any, 0, TERM_UNBOUNDED, false, k->loc), body};
				body = re_new_list(c, RE_SEQ, two, 2, k->loc);
			}
			struct sparse_dfa *a = arena_alloc(&c->scratch, sizeof *a);
			if (!re_compile_node(c, body, a)) return false;
			c->looks.at[i].dfa = a;
		}
		if (behind && !observer_build(c)) return false;
	}
	return true;
}

// A start that accepts is replaced by one that does not, and is never come back to. Does the empty text match?
static bool drop_empty(struct re_ctx *c, struct sparse_dfa *a)
{
	uint32_t n = a->n_states, most = n + a->n_starts, n_edges = a->n_edges, more = 0;
	uint32_t follow = a->n_starts && a->starts[0] != DFA_DEAD ? a->accept[a->starts[0]] : FOLLOW_NEVER;
	for (uint32_t v = 0; v < a->n_starts; v++)
		if (a->starts[v] != DFA_DEAD) more += a->edges_of[a->starts[v]].n;
	struct re_span *edges_of = arena_array(&c->scratch, most, sizeof *edges_of);
	struct byte_edge *edges = arena_array(&c->scratch, n_edges + more, sizeof *edges);
	uint32_t *accept = arena_array(&c->scratch, most, sizeof *accept);
	memcpy(edges_of, a->edges_of, n * sizeof *edges_of);
	memcpy(accept, a->accept, n * sizeof *accept);
	if (n_edges) memcpy(edges, a->edges, n_edges * sizeof *edges);
	for (uint32_t v = 0; v < a->n_starts; v++) {
		if (a->starts[v] == DFA_DEAD || !a->accept[a->starts[v]]) continue;
		struct re_span old = a->edges_of[a->starts[v]];
		if (old.n) memcpy(edges + n_edges, edges + old.first, old.n * sizeof *edges);
		edges_of[n] = (struct re_span){n_edges, old.n}, accept[n] = FOLLOW_NEVER;
		n_edges += old.n, a->starts[v] = n++;
	}
	a->n_states = n, a->n_edges = n_edges, a->edges_of = edges_of, a->edges = edges, a->accept = accept;
	return follow_at_end(c, follow);
}

static struct re_node *read_tree(struct re_ctx *c)
{
	struct re_node *root = re_from_term(c, c->t->pattern, 0);
	if (root) root = re_place_cuts(c, root);
	return root && re_compile_looks(c) ? root : NULL;
}

// Branches: a counter may shorten the terminal, the empty text may be dropped, and each step may fail.
static bool compile(struct re_ctx *c, struct re_count *counted, struct arena *arena, struct byte_dfa *dfa,
                    struct sparse_dfa *out)
{
	struct re_node *root = read_tree(c);
	if (!root) return false;
	if (counted && c->t->pattern->kind != TERM_STRING && re_count_find(c, root, 1, counted) &&
	    counted->node->max > counted->most) {
		dfa->counter = arena_alloc(arena, sizeof *dfa->counter);
		*dfa->counter = (struct dfa_counter){.more = counted->node->max - counted->most};
		counted->node->max = counted->is_shared ? TERM_UNBOUNDED : counted->most;
	}
	if (!re_compile_node(c, root, out)) return false;
	if (c->t->drops_empty && out->n_states) {
		dfa->dropped_empty = drop_empty(c, out);
		if (!minimize(c, out)) return false;
	}
	if (!follow_finish(c, out, arena, &dfa->after)) return false;
	if (!out->n_states)
		re_error(c, c->whole, dfa->dropped_empty ? "matches no text but the empty one" : "matches no text at all");
	for (uint32_t v = 0; v < out->n_starts && !c->failed; v++)
		if (out->starts[v] != DFA_DEAD && out->accept[out->starts[v]])
			re_error(
				c, c->whole,
				"matches the empty text; a lexeme needs at least one byte: make one part required, and the terminal "
				"optional (?) where it is used");
	return !c->failed;
}

void re_ctx_release(struct re_ctx *c)
{
	vec_release(&c->sets);
	re_index_release(&c->set_index);
	vec_release(&c->nodes);
	vec_release(&c->edges);
	vec_release(&c->looks);
	intern_release(&c->follow);
	arena_release(&c->scratch);
}

// A string beside a pattern with fewer characters, and where it counts them.
static bool compile_string(const struct terminal *t, struct regex_cache *cache, struct regex_count count,
                           struct arena *arena, struct diag *d, struct byte_dfa *out)
{
	struct term pattern = *t->pattern;
	struct terminal shorter = *t;
	if (pattern.hi <= count.most) return false;
	pattern.hi = count.is_shared ? TERM_UNBOUNDED : count.most, shorter.pattern = &pattern;
	if (!regex_compile_cached(&shorter, cache, arena, d, out)) return false;
	struct dfa_counter *counter = arena_alloc(arena, sizeof *counter);
	*counter = (struct dfa_counter){.more = t->pattern->hi - count.most};
	if (count.is_shared ? re_string_share(arena, out, counter)
	                    : re_string_count(t->pattern, count.place, arena, out, counter))
		out->counter = counter;
	return out->counter != NULL;
}

static bool compile_terminal(const struct terminal *t, struct regex_cache *cache, struct re_count *counted,
                             struct arena *arena, struct diag *d, struct byte_dfa *out)
{
	*out = (struct byte_dfa){0};
	struct re_ctx c = {.d = d, .cache = cache, .t = t, .whole = t->loc};
	if (t->pattern && t->pattern->kind == TERM_TOKENS) return re_compile_tokens(t, cache, arena, d, out);
	if (term_reads_token_ends(t->pattern)) return re_compile_whole_tokens(t, cache, arena, d, out);
	if (!t->pattern) {
		diag_error(d, t->loc, "terminal %s has no pattern: it matches no text", t->name ? t->name : "?");
		return false;
	}
	if (t->pattern->loc.source) c.whole = t->pattern->loc;
	struct sparse_dfa a;
	bool ok = compile(&c, counted, arena, out, &a) && dfa_output(&c, &a, arena, out);
	if (ok && out->counter)
		ok = counted->is_shared ? re_string_share(arena, out, out->counter)
		                        : re_count_states(counted, arena, out, out->counter);
	if (!ok) out->counter = NULL;
	re_ctx_release(&c);
	return ok;
}

bool regex_compile_cached(const struct terminal *t, struct regex_cache *cache, struct arena *arena, struct diag *d,
                          struct byte_dfa *out)
{
	return compile_terminal(t, cache, NULL, arena, d, out);
}

bool regex_compile_counted(const struct terminal *t, struct regex_cache *cache, struct regex_count count,
                           struct arena *arena, struct diag *d, struct byte_dfa *out)
{
	if (t->pattern->kind == TERM_STRING) return compile_string(t, cache, count, arena, d, out);
	struct re_count counted = {.place = count.place, .most = count.most, .is_shared = count.is_shared};
	return compile_terminal(t, cache, &counted, arena, d, out) && out->counter;
}

static bool find_string(const struct term *t, struct regex_counted *out)
{
	struct string_count string = {0};
	const bool found = re_string_find(t, &string);
	*out = (struct regex_counted){
		.least = found ? string.place : t->hi, .most = t->hi, .is_string = true, .reach = string.reach};
	out->n_shared = re_string_shared(t, out->needs);
	return found || out->n_shared;
}

bool regex_find_counted(const struct terminal *t, struct regex_cache *cache, uint32_t least_more, struct arena *arena,
                        struct regex_counted *out)
{
	if (t->pattern && t->pattern->kind == TERM_STRING) return find_string(t->pattern, out);
	struct diag silent = {0};
	struct re_ctx c = {.d = &silent, .cache = cache, .t = t, .whole = t->loc};
	struct re_count counted = {0};
	struct re_node *root = t->pattern ? read_tree(&c) : NULL;
	bool found = root && re_count_find(&c, root, least_more, &counted);
	if (found) {
		regex_words kind = {0};
		for (uint32_t i = 0; i < 3; i++) re_put_automaton(&counted.part[i], &kind);
		*out = (struct regex_counted){.least = counted.node->min, .most = counted.node->max, .n_kind = kind.n};
		out->kind = arena_array(arena, kind.n, sizeof *out->kind);
		memcpy(out->kind, kind.at, kind.n * sizeof *out->kind);
		vec_release(&kind);
		if (re_count_is_string(&counted) && counted.node->min < STRING_MAX_FAR)
			out->n_shared = (counted.node->min + 1) * counted.part[1].n_states;
		for (uint32_t n = 0; n < STRING_NEEDS; n++) out->needs[n] = n < out->least ? out->least : n;
	}
	re_ctx_release(&c);
	diag_release(&silent);
	return found;
}

bool regex_compile(const struct terminal *t, struct arena *arena, struct diag *d, struct byte_dfa *out)
{
	struct regex_cache *cache = regex_cache_new();
	bool ok = regex_compile_cached(t, cache, arena, d, out);
	regex_cache_free(cache);
	return ok;
}
