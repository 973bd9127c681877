// Sets of control tokens that share some become sets that share none, so that no two of them tie.
//
// In:  the expansion. Out: the same language, where a token that several sets have, of one priority, is read as each of
// them: a set of which others have a part is a nonterminal whose alternatives are classes of tokens, those that the
// same sets have. A class stands where the first set that has it stood, so ties with other terminals are as before.
// Cost: the ids of all sets, sorted.
#include "lark.h"

#include "../base/intern.h"

struct member {
	int32_t priority;
	uint32_t id, set;  // the set: a terminal
	uint32_t class;
};

struct parting {
	struct expansion *x;
	struct arena *terms;  // of patterns
	VEC(struct member) members;
	VEC(uint32_t) class_size;
	uint32_t *number;     // [terminals] in the new order
	uint8_t *is_parted;   // [terminals]
	uint32_t *symbol[2];  // [terminals] outside, inside: its nonterminal, + 1; 0: none yet
};

bool lark_is_control_set(const struct x_terminal *t)
{
	return t->pattern && t->pattern->kind == TERM_CONTROL && !t->is_ignored && !t->is_blank && !t->is_scoped &&
	       !t->is_held && !t->holds && !t->has_words && t->bracket == BRACKET_NONE;
}

static int by_token(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	if (x->priority != y->priority) return x->priority < y->priority ? -1 : 1;
	if (x->id != y->id) return x->id < y->id ? -1 : 1;
	return (x->set > y->set) - (x->set < y->set);
}

static int by_set(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	if (x->set != y->set) return x->set < y->set ? -1 : 1;
	if (x->class != y->class) return x->class < y->class ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

static void collect(struct parting *p)
{
	const struct expansion *x = p->x;
	for (uint32_t t = 0; t < x->terminals.n; t++) {
		const struct x_terminal *of = &x->terminals.at[t];
		for (uint32_t i = 0; lark_is_control_set(of) && i < of->pattern->text_len / 4; i++) {
			struct member m = {.priority = of->priority, .set = t};
			memcpy(&m.id, of->pattern->text + (size_t)4 * i, sizeof m.id);
			vec_push(&p->members, m);
		}
	}
}

// Classes by the sets that have a token. Says whether some set is of several classes.
static bool find_classes(struct parting *p)
{
	struct intern classes = {0};
	VEC(uint32_t) sets = {0};
	bool some = false;
	if (p->members.n) qsort(p->members.at, p->members.n, sizeof *p->members.at, by_token);
	for (uint32_t i = 0, end; i < p->members.n; i = end) {
		const struct member *m = p->members.at;
		vec_clear(&sets);
		for (end = i; end < p->members.n && m[end].id == m[i].id && m[end].priority == m[i].priority; end++)
			vec_push(&sets, m[end].set);
		const uint32_t class = intern_add(&classes, sets.at, sets.n * sizeof *sets.at, NULL);
		if (class == p->class_size.n) vec_push(&p->class_size, 0);
		p->class_size.at[class]++;
		for (uint32_t k = i; k < end; k++) p->members.at[k].class = class;
	}
	for (uint32_t i = 0; i < p->members.n; i++) {
		const struct member *m = &p->members.at[i];
		p->is_parted[m->set] = p->class_size.at[m->class] < p->x->terminals.at[m->set].pattern->text_len / 4;
		some |= p->is_parted[m->set];
	}
	vec_release(&sets);
	intern_release(&classes);
	return some;
}

// The terminal of one class, as the set `of` has it; its tokens are n members, ascending.
static struct x_terminal class_of(const struct parting *p, const struct x_terminal *of, const struct member *m,
                                  uint32_t n)
{
	struct x_terminal class = *of;
	uint32_t *ids = arena_array(p->terms, n, sizeof *ids);
	for (uint32_t i = 0; i < n; i++) ids[i] = m[i].id;
	class.pattern = arena_alloc(p->terms, sizeof *class.pattern);
	*class.pattern = *of->pattern;
	class.pattern->text = (const char *)ids, class.pattern->text_len = n * (uint32_t)sizeof *ids;
	class.name = arena_printf(p->x->arena, "__ANON_%s_%u", of->name, m->class);
	return class;
}

static uint32_t nonterminal_of(struct parting *p, uint32_t set, bool is_inside)
{
	uint32_t *known = &p->symbol[is_inside][set];
	if (!*known) {
		const struct x_terminal *t = &p->x->terminals.at[p->number[set]];
		const uint32_t n = p->x->nonterminals.n;
		vec_push(&p->x->nonterminals,
		         ((struct x_nonterminal){
					 .name = t->name, .loc = t->loc, .origin = X_HELPER, .copy_of = n, .inside = is_inside}));
		*known = n + 1;
	}
	return (*known - 1) | X_NONTERMINAL;
}

static void rewrite(struct parting *p, struct x_production *production)
{
	const struct expansion *x = p->x;
	uint32_t *rhs = arena_array(x->arena, production->n_rhs, sizeof *rhs);
	VEC(uint8_t) around = {0};  // of the open brackets: was the place before them inside?
	bool is_inside = x->nonterminals.at[production->lhs].inside;
	for (uint32_t i = 0; i < production->n_rhs; i++) {
		const uint32_t s = production->rhs[i];
		rhs[i] = s & X_NONTERMINAL ? s : p->is_parted[s] ? nonterminal_of(p, s, is_inside) : p->number[s];
		const enum bracket b = s & X_NONTERMINAL ? BRACKET_NONE : x->terminals.at[p->number[s]].bracket;
		if (b == BRACKET_OPEN || b == BRACKET_OPEN_AGAIN) {
			vec_push(&around, is_inside);
			is_inside = b == BRACKET_OPEN;
		} else if (b != BRACKET_NONE && around.n)
			is_inside = vec_pop(&around);
	}
	vec_release(&around);
	production->rhs = rhs;
}

// The terminals in their new order: behind a set its classes, but those that an earlier one has. Each class's
// number into `of_member`.
static void place_terminals(struct parting *p, uint32_t *of_member)
{
	VEC(struct x_terminal) old = {0};
	struct intern made = {0};
	VEC(uint32_t) made_number = {0};
	for (uint32_t t = 0; t < p->x->terminals.n; t++) vec_push(&old, p->x->terminals.at[t]);
	vec_clear(&p->x->terminals);
	uint32_t i = 0;
	for (uint32_t t = 0; t < old.n; t++) {
		p->number[t] = p->x->terminals.n;
		vec_push(&p->x->terminals, old.at[t]);
		for (uint32_t end; i < p->members.n && p->members.at[i].set == t; i = end) {
			const struct member *m = &p->members.at[i];
			for (end = i; end < p->members.n && p->members.at[end].set == t && p->members.at[end].class == m->class;)
				end++;
			bool is_new;
			const uint32_t k = intern_add(&made, &m->class, sizeof m->class, &is_new);
			if (is_new) {
				vec_push(&made_number, p->is_parted[t] ? p->x->terminals.n : p->number[t]);
				if (p->is_parted[t]) vec_push(&p->x->terminals, class_of(p, &old.at[t], m, end - i));
			}
			of_member[i] = made_number.at[k];
		}
	}
	vec_release(&old), vec_release(&made_number);
	intern_release(&made);
}

static void add_productions(struct parting *p, const uint32_t *of_member)
{
	for (uint32_t i = 0; i < p->members.n; i++) {
		const struct member *m = &p->members.at[i];
		const bool is_first = !i || m[-1].set != m->set || m[-1].class != m->class;
		for (uint32_t inside = 0; inside < 2 && is_first && p->is_parted[m->set]; inside++) {
			if (!p->symbol[inside][m->set]) continue;
			uint32_t *rhs = arena_array(p->x->arena, 1, sizeof *rhs);
			*rhs = of_member[i];
			vec_push(&p->x->productions, ((struct x_production){p->symbol[inside][m->set] - 1, rhs, 1,
			                                                    p->x->terminals.at[p->number[m->set]].loc}));
		}
	}
}

void lark_part_control(struct expansion *x, struct arena *terms)
{
	struct parting p = {.x = x, .terms = terms};
	struct arena scratch = {0};
	const uint32_t n = x->terminals.n;
	p.is_parted = arena_array(&scratch, n, 1);
	p.number = arena_array(&scratch, n, sizeof *p.number);
	p.symbol[0] = arena_array(&scratch, n, sizeof **p.symbol),
	p.symbol[1] = arena_array(&scratch, n, sizeof **p.symbol);
	collect(&p);
	if (find_classes(&p)) {
		uint32_t *of_member = arena_array(&scratch, p.members.n, sizeof *of_member);
		qsort(p.members.at, p.members.n, sizeof *p.members.at, by_set);
		place_terminals(&p, of_member);
		for (uint32_t i = 0; i < x->productions.n; i++) rewrite(&p, &x->productions.at[i]);
		add_productions(&p, of_member);
		struct indentation *in = &x->indentation;
		if (in->on) in->newline = p.number[in->newline], in->indent = p.number[in->indent];
		if (in->on) in->dedent = p.number[in->dedent];
	}
	vec_release(&p.members), vec_release(&p.class_size);
	arena_release(&scratch);
}
