// Syntax tree to NFA over bytes (Thompson 1968, with whole byte automata as leaves).
//
// In:  a tree. Out: a program of epsilon instructions between sets; each occurrence of a set owns one id per node
//      of the set's byte automaton (regex_utf8.c), whose edges are shared, not copied.
// Built backwards: emit(node, next) returns where to begin so that after node one is at `next`. x{n,m} becomes n
// copies and then m - n nested options that each skip straight to the end, so that closures stay short. A part that
// ends at its first match is a piece too: the states of its automaton, compiled before, are ids.
// The size is counted before anything is built. Cost: linear in the ids.
#include "regex_internal.h"

// Ids that a node will take (at least one, so that instructions are bounded with them); saturates. Reports the
// innermost node that is too large.
// Branches: one case for each kind of node.
static uint64_t measure(struct re_ctx *c, struct re_node *n)
{
	uint64_t size = 1;
	switch (n->kind) {
	case RE_SET:
		re_set_build(c, n->set);
		if (c->sets.at[n->set].n_nodes) size = c->sets.at[n->set].n_nodes;
		break;
	case RE_SEQ:
	case RE_ALT:
		size = 0;
		for (uint32_t i = 0; i < n->n_kids && !c->failed; i++) size += measure(c, n->kids[i]);
		break;
	case RE_REPEAT: {
		uint64_t copies = n->max == TERM_UNBOUNDED ? (n->min ? n->min : 1) : n->max;
		size = measure(c, n->kids[0]) * copies;
		break;
	}
	case RE_CUT:
		if (re_compile_cut(c, n)) size = n->dfa->n_states + 1;
		break;
	case RE_EMPTY:
	case RE_LOOK: break;
	}
	if (size > REGEX_MAX_NFA && !c->failed)
		re_error(c, n->loc,
		         n->kind == RE_REPEAT ? "this repetition needs %llu byte positions; the limit is REGEX_MAX_NFA (%u): "
		                                "lower its bounds, or leave the upper one out"
		                              : "this pattern needs %llu byte positions; the limit is REGEX_MAX_NFA (%u)",
		         (unsigned long long)size, REGEX_MAX_NFA);
	return size;
}

static uint32_t instr(struct nfa *f, enum re_op op, uint32_t x, uint32_t y)
{
	vec_push(&f->prog, ((struct re_instr){op, x, y}));
	return f->prog.n - 1;
}

static uint32_t emit_set(struct re_ctx *c, struct nfa *f, uint32_t set, uint32_t next)
{
	const struct re_set *s = &c->sets.at[set];
	if (!s->n_nodes) return instr(f, OP_FAIL, 0, 0);
	uint32_t base = f->ids.n;
	for (uint32_t i = 0; i < s->n_nodes; i++)
		vec_push(&f->ids, ((struct nfa_id){c->nodes.at[s->first_node + i], base, next, FOLLOW_NEVER, FOLLOW_NEVER, 0}));
	return instr(f, OP_SET, next, f->ids.n - 1);
}

// An id per state of the cut's automaton; an accepting one may be left for `next`.
static uint32_t emit_cut(struct nfa *f, const struct re_node *n, uint32_t next)
{
	const struct sparse_dfa *a = n->dfa;
	uint32_t base = f->ids.n;
	for (uint32_t q = 0; q < a->n_states; q++) {
		struct re_span of = {n->first_edge + a->edges_of[q].first, a->edges_of[q].n};
		vec_push(&f->ids, ((struct nfa_id){of, base, next, FOLLOW_NEVER, a->accept[q], 0}));
		f->has_looks |= a->accept[q] > FOLLOW_ANY;
	}
	f->uses_behind |= a->uses_behind;
	if (!a->n_states) return instr(f, OP_FAIL, 0, 0);
	vec_push(&f->cuts, a);
	return instr(f, OP_CUT, base, f->cuts.n - 1);
}

static uint32_t emit(struct re_ctx *c, struct nfa *f, const struct re_node *n, uint32_t next);

static bool takes_any(const struct re_ctx *c, const struct re_node *n)
{
	if (n->kind != RE_SET) return false;
	const struct cp_set s = c->sets.at[n->set].cps;
	return s.n == 2 && !s.at[0].lo && s.at[0].hi == 0xD7FF && s.at[1].lo == 0xE000 && s.at[1].hi == MAX_CODE_POINT;
}

// The ids from `first` on are `copies` copies of one part. A chain within the part stays what it is.
static void add_chain(struct nfa *f, uint32_t first, uint32_t copies, bool is_last_most)
{
	if (copies < 2 || f->ids.n == first) return;
	const uint32_t size = (f->ids.n - first) / copies;
	vec_push(&f->chains, ((struct nfa_chain){first, size, copies, f->n_places, is_last_most}));
	f->n_places += size;
	for (uint32_t i = first; i < f->ids.n; i++)
		if (!f->ids.at[i].chain) f->ids.at[i].chain = f->chains.n;
}

// x*, or the end of x{n,}: one copy, which may come again.
static uint32_t emit_loop(struct re_ctx *c, struct nfa *f, const struct re_node *n, uint32_t next)
{
	const struct re_node *kid = n->kids[0];
	const uint32_t loop = instr(f, OP_SPLIT, 0, next), first = f->ids.n;
	const uint32_t body = emit(c, f, kid, loop);
	if (!n->min && next == f->match && takes_any(c, kid))
		f->tail = first, f->n_tail = f->ids.n - first, f->tail_loop = loop + 1;
	f->prog.at[loop].x = n->lazy ? next : body, f->prog.at[loop].y = n->lazy ? body : next;
	return n->min ? body : loop;
}

static uint32_t emit_repeat(struct re_ctx *c, struct nfa *f, const struct re_node *n, uint32_t next)
{
	const struct re_node *kid = n->kids[0];
	const uint32_t first = f->ids.n;
	const bool is_endless = n->max == TERM_UNBOUNDED, is_before_tail = f->tail_loop && next == f->tail_loop - 1;
	uint32_t entry = next, copies = n->min;
	if (is_endless) {
		entry = emit_loop(c, f, n, next);
		copies -= copies > 0;
	} else if (n->max > n->min) {
		for (uint32_t i = n->min; i < n->max; i++) {
			uint32_t body = emit(c, f, kid, entry);
			entry = n->lazy ? instr(f, OP_SPLIT, next, body) : instr(f, OP_SPLIT, body, next);
		}
		if (copies) entry = emit(c, f, kid, entry);
		if (!is_before_tail) add_chain(f, first, n->max - n->min + (copies > 0), false);
		copies -= copies > 0;
	}
	while (copies--) entry = emit(c, f, kid, entry);
	if (is_before_tail) add_chain(f, first, is_endless ? n->min : n->max, true);
	return entry;
}

static uint32_t emit(struct re_ctx *c, struct nfa *f, const struct re_node *n, uint32_t next)
{
	switch (n->kind) {
	case RE_SET: return emit_set(c, f, n->set, next);
	case RE_SEQ:
		for (uint32_t i = n->n_kids; i-- > 0;) next = emit(c, f, n->kids[i], next);
		return next;
	case RE_ALT: {
		uint32_t entry = emit(c, f, n->kids[n->n_kids - 1], next);
		for (uint32_t i = n->n_kids - 1; i-- > 0;) {
			uint32_t first = emit(c, f, n->kids[i], next);
			entry = instr(f, OP_SPLIT, first, entry);
		}
		return entry;
	}
	case RE_REPEAT: return emit_repeat(c, f, n, next);
	case RE_CUT: return emit_cut(f, n, next);
	case RE_LOOK:
		f->has_looks = true;
		f->uses_behind |= n->behind || (c->looks.at[n->look].dfa && c->looks.at[n->look].dfa->uses_behind);
		return instr(f, OP_LOOK, next, n->look * 2 + n->negative);
	case RE_EMPTY: break;
	}
	return next;
}

bool nfa_build(struct re_ctx *c, struct re_node *root, struct nfa *f)
{
	*f = (struct nfa){0};
	measure(c, root);
	if (c->failed) return false;
	vec_push(&f->ids, ((struct nfa_id){.accept = FOLLOW_ANY}));
	f->match = instr(f, OP_MATCH, 0, 0);
	f->start = emit(c, f, root, f->match);
	if (f->cuts.n) f->n_tail = 0;  // their automata are not by characters
	f->edges = c->edges.at;
	return true;
}

void nfa_release(struct nfa *f)
{
	vec_release(&f->ids);
	vec_release(&f->prog);
	vec_release(&f->cuts);
	vec_release(&f->chains);
}
