// Which rules are regular languages, and their pieces with no rule in them.
//
// In:  rules over pieces. Out: for each rule a piece without references, or PIECE_NONE; bodies with these put in.
// A rule is regular when all rules that it names are, or when it names itself at the end of alternatives only: X: P X |
// B is P* B. Rules are done in the order in which what they name is done (Kahn 1962). Cost: linear in the bodies; a
// regular rule that is too large or too deep for a terminal stays a rule.
#include "regular.h"

struct solving {
	struct notation_rules *r;
	piece_id *whole;       // [rules]
	uint32_t *memo_stamp;  // [pieces at that time], see grown
	piece_id *memo;
	uint32_t n_memo, stamp;
};

static void remember(struct solving *s, piece_id p, piece_id is)
{
	if (p >= s->n_memo) {
		uint32_t n = 2 * (p + 64);
		s->memo = mem_realloc(s->memo, n, sizeof *s->memo);
		s->memo_stamp = mem_realloc(s->memo_stamp, n, sizeof *s->memo_stamp);
		for (uint32_t i = s->n_memo; i < n; i++) s->memo_stamp[i] = 0;
		s->n_memo = n;
	}
	s->memo[p] = is, s->memo_stamp[p] = s->stamp;
}

// With regular rules put in, units as they are.
static piece_id put_in(struct solving *s, piece_id p)
{
	struct rule_piece x = s->r->pieces.at[p];
	if (x.is_regular || x.kind < PIECE_RULE) return p;
	if (x.kind == PIECE_RULE) return s->whole[x.rule] == PIECE_NONE ? p : s->whole[x.rule];
	if (p < s->n_memo && s->memo_stamp[p] == s->stamp) return s->memo[p];
	piece_ids children = {0};
	for (uint32_t i = 0; i < x.n; i++) {
		piece_id c = put_in(s, x.child[i]);
		vec_push(&children, c);
	}
	piece_id is = piece_like(s->r, &x, children.at);
	vec_release(&children);
	remember(s, p, is);
	return is;
}

// p = prefix rule | rest, either of which may be the nothing. False: the rule stands elsewhere than at the end.
// Branches: one case for each kind of piece, each with its own way to take the last rule off.
static bool split_tail(struct notation_rules *r, piece_id p, uint32_t rule, piece_id *prefix, piece_id *rest)
{
	const struct rule_piece x = r->pieces.at[p];
	piece_id never = piece_set(r, &(code_ranges){0}, false, x.loc), empty = piece_seq(r, NULL, 0, x.loc);
	*prefix = never, *rest = never;
	if (x.is_regular || x.kind == PIECE_TERM) {
		*rest = p;
		return true;
	}
	if (x.kind == PIECE_RULE) {
		*prefix = empty;
		return x.rule == rule;
	}
	if (x.kind == PIECE_SEQ) {
		for (uint32_t i = 0; i + 1 < x.n; i++)
			if (!r->pieces.at[x.child[i]].is_regular) return false;
		piece_id last[2], both[2];
		if (!split_tail(r, x.child[x.n - 1], rule, &last[0], &last[1])) return false;
		both[0] = piece_seq(r, x.child, x.n - 1, x.loc);
		both[1] = last[0], *prefix = piece_seq(r, both, 2, x.loc);
		both[1] = last[1], *rest = piece_seq(r, both, 2, x.loc);
		return true;
	}
	if (x.kind == PIECE_REPEAT) {
		piece_id both[2];
		if (x.min != 0 || x.max != 1 || !split_tail(r, x.child[0], rule, prefix, &both[0])) return false;
		both[1] = empty, *rest = piece_alt(r, both, 2, x.loc);
		return true;
	}
	piece_ids prefixes = {0}, rests = {0};
	bool ok = true;
	for (uint32_t i = 0; ok && i < x.n; i++) {
		piece_id a, b;
		ok = split_tail(r, x.child[i], rule, &a, &b);
		if (ok) vec_push(&prefixes, a), vec_push(&rests, b);
	}
	if (ok) *prefix = piece_alt(r, prefixes.at, prefixes.n, x.loc), *rest = piece_alt(r, rests.at, rests.n, x.loc);
	vec_release(&prefixes), vec_release(&rests);
	return ok;
}

// P* B.
piece_id without_itself(struct notation_rules *r, piece_id body, uint32_t rule)
{
	if (r->pieces.at[body].is_regular) return body;
	piece_id prefix, rest;
	if (!split_tail(r, body, rule, &prefix, &rest)) return PIECE_NONE;
	struct loc loc = r->pieces.at[body].loc;
	piece_id both[2] = {piece_repeat(r, prefix, 0, TERM_UNBOUNDED, loc), rest};
	piece_id whole = piece_seq(r, both, 2, loc);
	return r->pieces.at[whole].is_regular ? whole : PIECE_NONE;
}

// Adds the rules that a piece names, each once.
static void named(const struct notation_rules *r, piece_id p, struct intern *seen, piece_ids *out)
{
	const struct rule_piece *x = &r->pieces.at[p];
	if (x->is_regular) return;
	bool is_new;
	intern_add(seen, &p, sizeof p, &is_new);
	if (!is_new) return;
	if (x->kind == PIECE_RULE) vec_push(out, x->rule);
	for (uint32_t i = 0; x->kind > PIECE_RULE && i < x->n; i++) named(r, x->child[i], seen, out);
}

struct use {
	uint32_t from, to;  // rule `from` is named by `to`
};

piece_id *regular_rules(struct notation_rules *r, struct arena *arena)
{
	uint32_t n = r->rule.n;
	struct solving s = {.r = r, .whole = arena_array(arena, n, sizeof *s.whole)};
	uint32_t *waits = mem_calloc(n, sizeof *waits);
	VEC(struct use) uses = {0};
	piece_ids ready = {0};
	for (uint32_t i = 0; i < n; i++) {
		struct intern seen = {0};
		piece_ids list = {0};
		s.whole[i] = PIECE_NONE;
		named(r, r->rule.at[i].body, &seen, &list);
		for (uint32_t k = 0; k < list.n; k++)
			if (list.at[k] != i) {
				vec_push(&uses, ((struct use){list.at[k], i}));
				waits[i]++;
			}
		if (!waits[i]) vec_push(&ready, i);
		intern_release(&seen);
		vec_release(&list);
	}
	uint32_t *begin = mem_calloc((size_t)n + 1, sizeof *begin), *user = mem_calloc(uses.n, sizeof *user);
	for (uint32_t i = 0; i < uses.n; i++) begin[uses.at[i].from + 1]++;
	for (uint32_t i = 0; i < n; i++) begin[i + 1] += begin[i];
	uint32_t *next = mem_calloc(n, sizeof *next);
	for (uint32_t i = 0; i < uses.n; i++) user[begin[uses.at[i].from] + next[uses.at[i].from]++] = uses.at[i].to;
	while (ready.n) {
		uint32_t rule = vec_pop(&ready);
		s.stamp++;
		piece_id whole = without_itself(r, put_in(&s, r->rule.at[rule].body), rule);
		if (whole == PIECE_NONE) continue;
		s.whole[rule] = whole;
		if (!r->pieces.at[whole].name) r->pieces.at[whole].name = r->rule.at[rule].name;
		for (uint32_t u = begin[rule]; u < begin[rule + 1]; u++)
			if (--waits[user[u]] == 0) vec_push(&ready, user[u]);
	}
	for (uint32_t i = 0; i < n; i++) {
		s.stamp++;
		if (s.whole[i] == PIECE_NONE) r->rule.at[i].body = put_in(&s, r->rule.at[i].body);
	}
	vec_release(&uses), vec_release(&ready);
	free(waits), free(begin), free(user), free(next), free(s.memo), free(s.memo_stamp);
	return s.whole;
}
