// One terminal's pattern to its minimal DFA: the stages in order. See regex.h, docs/regex.md.
//
// In:  struct terminal. Out: struct byte_dfa, or errors with places.
// Each part that must stop at its first match (regex_lazy.c) is compiled, cut, and united with the rest.
// Cost: below 20 us for a keyword, 15 ms for the first Unicode class a cache is asked for.
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
	diag_error(c->d, loc, "terminal %s: %s", c->t->name ? c->t->name : "?", text);
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

bool re_compile_node(struct re_ctx *c, struct re_node *node, struct sparse_dfa *out)
{
	struct nfa f;
	if (!nfa_build(c, node, &f)) return false;
	bool ok = determinize(c, &f, out) && minimize(c, out);
	nfa_release(&f);
	return ok;
}

// The automata that lookarounds run: the body, for lookbehind after any text. Inner lookaheads come first.
static bool compile_looks(struct re_ctx *c)
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

// Greedy parts as one alternation, lazy ones each by itself, cut at their first match; then all united.
static bool compile_parts(struct re_ctx *c, const re_parts *parts, struct sparse_dfa *out)
{
	struct re_node **greedy = mem_alloc(parts->n * sizeof *greedy);
	struct sparse_dfa *dfas = mem_calloc(parts->n, sizeof *dfas);
	uint32_t n_greedy = 0, n = 0;
	bool ok = true;
	for (uint32_t i = 0; i < parts->n && ok; i++) {
		if (!parts->at[i].lazy) {
			greedy[n_greedy++] = parts->at[i].node;
			continue;
		}
		ok = re_compile_node(c, parts->at[i].node, &dfas[n]);
		if (!ok) break;
		ok = dfa_stop_at_first_match(c, &dfas[n]) && minimize(c, &dfas[n]);
		n++;
	}
	if (ok && n_greedy) ok = re_compile_node(c, re_new_list(c, RE_ALT, greedy, n_greedy, c->whole), &dfas[n++]);
	if (ok && n == 1) *out = dfas[0];
	else if (ok) ok = dfa_unite(c, dfas, n, out);
	free(greedy);
	free(dfas);
	return ok;
}

static bool compile(struct re_ctx *c, struct arena *arena, struct follow_dfa *after, struct sparse_dfa *out)
{
	struct re_node *root = re_from_term(c, c->t->pattern, 0);
	re_parts parts = {0};
	bool ok = root && re_split_lazy(c, root, &parts) && compile_looks(c) && compile_parts(c, &parts, out) &&
	          follow_finish(c, out, arena, after);
	vec_release(&parts);
	if (!ok) return false;
	if (!out->n_states) re_error(c, c->whole, "matches no text at all");
	for (uint32_t v = 0; v < out->n_starts && !c->failed; v++)
		if (out->starts[v] != DFA_DEAD && out->accept[out->starts[v]])
			re_error(c, c->whole,
			         "matches the empty text; a lexeme needs at least one byte: make one part required, and the terminal "
			         "optional (?) where it is used");
	return !c->failed;
}

bool regex_compile_cached(const struct terminal *t, struct regex_cache *cache, struct arena *arena, struct diag *d,
                          struct byte_dfa *out)
{
	*out = (struct byte_dfa){0};
	struct re_ctx c = {.d = d, .cache = cache, .t = t, .whole = t->loc};
	if (!t->pattern) {
		diag_error(d, t->loc, "terminal %s has no pattern", t->name ? t->name : "?");
		return false;
	}
	if (t->pattern->loc.source) c.whole = t->pattern->loc;
	struct sparse_dfa a;
	bool ok = compile(&c, arena, &out->after, &a) && dfa_output(&c, &a, arena, out);
	vec_release(&c.sets);
	re_index_release(&c.set_index);
	vec_release(&c.nodes);
	vec_release(&c.edges);
	vec_release(&c.looks);
	intern_release(&c.follow);
	arena_release(&c.scratch);
	return ok;
}

bool regex_compile(const struct terminal *t, struct arena *arena, struct diag *d, struct byte_dfa *out)
{
	struct regex_cache *cache = regex_cache_new();
	bool ok = regex_compile_cached(t, cache, arena, d, out);
	regex_cache_free(cache);
	return ok;
}
