// A pattern as rules over single characters.
//
// In:  a pattern. Out: a rule a state of its minimal automaton, whose texts are those that lead there: N -> M c for
//      each step from M by c, N -> c for each step from the start. So a parser's stack does not grow with the text, and
//      nothing empty is reduced. The pattern's texts are those of the rules of its accepting states.
// Cost: linear in the automaton.
#include "characters.h"

static bool has_control(const struct term *t)
{
	if (t->kind == TERM_CONTROL) return true;
	for (uint32_t i = 0; i < t->n_children; i++)
		if (has_control(t->children[i])) return true;
	return false;
}

struct state_rules {
	struct notation_rules *r;
	struct languages *s;
	language l;
	uint32_t *rule;  // [states of the automaton] those between characters; UINT32_MAX: none
	VEC(uint32_t) order;
	struct loc loc;
};

static uint32_t rule_of(struct state_rules *x, uint32_t state)
{
	if (x->rule[state] == UINT32_MAX) {
		const char *name = arena_printf(&x->r->arena, "characters_%u", x->r->rule.n);
		x->rule[state] = rule_number(x->r, name, strlen(name), x->loc);
		x->r->rule.at[x->rule[state]].body = piece_set(x->r, &(code_ranges){0}, false, x->loc);
		vec_push(&x->order, state);
	}
	return x->rule[state];
}

// All steps from `state`; from_start: without what has been read before.
static void write_steps(struct state_rules *x, uint32_t state, bool from_start)
{
	language_steps steps = {0};
	language_steps_from(x->s, x->l, state, &steps);
	for (uint32_t i = 0; i < steps.n; i++) {
		code_ranges set = {0};
		uint32_t to = steps.at[i].to;
		bool is_done = false;
		for (uint32_t k = 0; k < i && !is_done; k++) is_done = steps.at[k].to == to;
		for (uint32_t k = i; k < steps.n && !is_done; k++)
			if (steps.at[k].to == to) vec_push(&set, ((struct code_range){steps.at[k].lo, steps.at[k].hi}));
		if (is_done) continue;
		piece_id p = piece_set(x->r, &set, false, x->loc);
		vec_release(&set);
		if (!from_start) p = piece_seq(x->r, (piece_id[]){piece_rule(x->r, x->rule[state], x->loc), p}, 2, x->loc);
		uint32_t rule = rule_of(x, to);
		piece_id *body = &x->r->rule.at[rule].body;
		*body = piece_alt(x->r, (piece_id[]){*body, p}, 2, x->loc);
	}
	vec_release(&steps);
}

piece_id characters_of(struct notation_rules *r, struct languages *s, const struct term *pattern, struct loc loc)
{
	if (has_control(pattern)) return PIECE_NONE;
	struct diag unheard = {0};
	struct state_rules x = {.r = r, .s = s, .loc = loc};
	x.l = language_of_term(s, pattern, "pattern", &unheard);
	diag_release(&unheard);
	if (x.l == LANGUAGE_ERROR || language_states(s, x.l) > CHARACTERS_MAX_STATES) return PIECE_NONE;
	x.rule = mem_alloc(language_states(s, x.l) * sizeof *x.rule + 1);
	for (uint32_t q = 0; q < language_states(s, x.l); q++) x.rule[q] = UINT32_MAX;
	write_steps(&x, 0, true);
	for (uint32_t i = 0; i < x.order.n; i++) write_steps(&x, x.order.at[i], false);
	piece_ids ends = {0};
	for (uint32_t i = 0; i < x.order.n; i++)
		if (language_ends_in(s, x.l, x.order.at[i])) {
			piece_id p = piece_rule(r, x.rule[x.order.at[i]], loc);
			vec_push(&ends, p);
		}
	piece_id p = piece_alt(r, ends.at, ends.n, loc);
	vec_release(&ends), vec_release(&x.order);
	free(x.rule);
	return p;
}
