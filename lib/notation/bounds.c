// Rules that end early: `lazy`, `max_chars` and `max_tokens` of XGrammar's EBNF.
//
// In:  rules, some with these attributes. Out: their bodies as patterns. A lazy rule ends where it first may: its texts
// none of whose beginnings is one. With max_chars=N it has those of at most N characters. (Where a text could not end
// behind N characters XGrammar goes on if nothing else is left of the whole text's readings; such a rule is refused.)
// Both need the rule's texts as a regular language: what it names is put in. Rules that name themselves at their end
// only are regular, too. Recursion over rules, NOTATION_MAX_NESTING deep. Cost: the automata's.
#include "regular.h"

enum { NEW, BEGUN, DONE };
struct bounding {
	struct notation_rules *r;
	uint8_t *state;   // [rules]
	piece_id *whole;  // [rules] DONE: without references
	uint32_t nesting, of;
	uint32_t inside;    // the rule whose body is read
	bool names_itself;  // it does, and the name stands there still
	bool failed;
};

static piece_id refuse(struct bounding *x, const char *why)
{
	const struct notation_rule *rule = &x->r->rule.at[x->of];
	if (!x->failed)
		diag_error(x->r->diag, rule->loc, "the rule '%s' with the attribute %s %s: that is not supported", rule->name,
		           rule->is_lazy    ? "lazy"
		           : rule->has_most ? "max_chars"
		                            : "max_tokens",
		           why);
	x->failed = true;
	return piece_seq(x->r, NULL, 0, rule->loc);
}

static bool has_control(const struct term *t)
{
	for (uint32_t i = 0; i < t->n_children; i++)
		if (has_control(t->children[i])) return true;
	return t->kind == TERM_CONTROL;
}

static piece_id whole_of(struct bounding *x, uint32_t rule);

// The piece with what it names put in.
static piece_id put_in(struct bounding *x, piece_id p)
{
	const struct rule_piece from = x->r->pieces.at[p];
	if (x->failed || from.kind == PIECE_SET) return p;
	if (from.kind == PIECE_TERM && term_reads_token_ends(from.term)) return refuse(x, "names whole tokens");
	if (from.kind == PIECE_TERM) return has_control(from.term) ? refuse(x, "names control tokens") : p;
	if (from.kind == PIECE_RULE && from.rule == x->inside) return x->names_itself = true, p;
	if (from.kind == PIECE_RULE) return whole_of(x, from.rule);
	piece_ids parts = {0};
	for (uint32_t i = 0; i < from.n; i++) {
		piece_id c = put_in(x, from.child[i]);
		vec_push(&parts, c);
	}
	piece_id made = piece_like(x->r, &from, parts.at);
	vec_release(&parts);
	return made;
}

// The rule's texts as it ends early.
static piece_id bounded(struct bounding *x, const struct notation_rule *rule, piece_id p)
{
	struct languages *s = rules_languages(x->r);
	struct diag unheard = {0};
	if (piece_is_nothing(x->r, p)) return p;
	if (rule->has_most && rule->most_chars > NOTATION_MAX_REPEAT)
		return refuse(x, "counts more than 65535 characters (NOTATION_MAX_REPEAT)");
	language l = language_of_term(s, piece_pattern(x->r, p), rule->name, &unheard);
	diag_release(&unheard);
	if (l == LANGUAGE_ERROR) return refuse(x, "is too large for one pattern");
	if (rule->has_most) {
		uint32_t n = rule->most_chars;
		language whole = language_and(s, language_beginnings(s, l), language_of_lengths(s, n, n));
		if (language_minus(s, whole, l) != LANGUAGE_NOTHING)
			return refuse(x, "has texts that cannot end after so many characters");
		l = language_and(s, l, language_of_lengths(s, 0, n));
	}
	if (rule->is_lazy) l = language_first(s, l);
	if (rule->has_tokens && !rule->most_tokens) l = language_and(s, l, LANGUAGE_EMPTY);
	if (l == LANGUAGE_NOTHING) return piece_set(x->r, &(code_ranges){0}, false, rule->loc);
	if (l == LANGUAGE_EMPTY) return piece_seq(x->r, NULL, 0, rule->loc);
	struct term *t = language_term(s, l, rule->loc, &x->r->arena);
	if (rule->has_tokens) {
		struct term *most = arena_alloc(&x->r->arena, sizeof *most), **only = arena_alloc(&x->r->arena, sizeof *only);
		*only = t;
		*most = (struct term){.kind = TERM_TOKENS, .hi = rule->most_tokens, .children = only, .n_children = 1};
		most->loc = rule->loc, t = most;
	}
	return piece_term(x->r, t, language_has(s, l, "", 0), rule->loc);
}

static piece_id whole_of(struct bounding *x, uint32_t rule)
{
	if (x->state[rule] == DONE) return x->whole[rule];
	if (x->state[rule] == BEGUN) return refuse(x, "leads back to itself");
	if (++x->nesting > NOTATION_MAX_NESTING) return refuse(x, "names rules deeper than NOTATION_MAX_NESTING");
	const uint32_t around = x->inside;
	const bool around_names = x->names_itself;
	x->state[rule] = BEGUN, x->inside = rule, x->names_itself = false;
	piece_id p = put_in(x, x->r->rule.at[rule].body);
	if (x->names_itself) p = without_itself(x->r, p, rule);
	x->inside = around, x->names_itself = around_names;
	if (p == PIECE_NONE) return refuse(x, "leads back to itself, and not at its end alone");
	struct notation_rule *of = &x->r->rule.at[rule];
	if (!x->failed && (of->is_lazy || of->has_most || of->has_tokens)) {
		if (x->nesting > 1) return refuse(x, "names another such rule");
		p = of->body = bounded(x, of, p);
	}
	x->whole[rule] = p;
	x->state[rule] = DONE;
	x->nesting--;
	return p;
}

bool rules_bound(struct notation_rules *r)
{
	struct bounding x = {.r = r, .inside = UINT32_MAX};
	x.state = mem_calloc(r->rule.n, 1), x.whole = mem_calloc(r->rule.n, sizeof *x.whole);
	for (x.of = 0; x.of < r->rule.n && !x.failed; x.of++)
		if (r->rule.at[x.of].is_lazy || r->rule.at[x.of].has_most || r->rule.at[x.of].has_tokens) whole_of(&x, x.of);
	free(x.state), free(x.whole);
	return !x.failed;
}
