// Scopes: what is inside brackets, where some terminals are ignored.
//
// In:  the expansion, what %indent and `%ignore X inside ...` say. Out: the same expansion, in which
// - terminals know whether they are brackets, ignored inside, or made of columns;
// - each nonterminal that is used both inside and outside is two: productions of the copy (x_nonterminal.inside) begin
//   inside. So an LR state knows whether it is inside from its items alone, and no depth is counted at run time.
// - productions that need a terminal where it is ignored, or an indent or dedent inside, are gone: no text has them.
// Every right side must be balanced; then the innermost open bracket of a place in a text is the same for all items,
// and the columns that are open are the indents on the parser's stack.
// Method: pairs (nonterminal, inside?) from the start, as a work list. Cost: linear; at most twice the productions.
#include "lark.h"

#define NOT_FOUND UINT32_MAX

struct scoping {
	struct definitions *d;
	struct diag *diag;
	struct expansion *x;
	bool has_brackets;
};

static bool is_text(const struct x_terminal *t, const struct terminal_ref *ref)
{
	return t->pattern && t->pattern->kind == TERM_TEXT && t->pattern->flags == 0 &&
	       t->pattern->text_len == ref->text_len && memcmp(t->pattern->text, ref->text, ref->text_len) == 0;
}

// Strings mean what they mean in rules: of several terminals of one text the last, those of the main grammar first.
static uint32_t find(const struct scoping *s, const struct terminal_ref *ref)
{
	uint32_t found = NOT_FOUND;
	for (uint32_t i = 0; i < s->x->terminals.n; i++) {
		const struct x_terminal *t = &s->x->terminals.at[i];
		if (!ref->is_text && strcmp(t->name, ref->text) == 0) return i;
		bool is_better = found == NOT_FOUND || s->x->terminals.at[found].is_imported || !t->is_imported;
		if (ref->is_text && is_text(t, ref) && is_better && strncmp(t->name, "__IGNORE", 8) != 0) found = i;
	}
	return found;
}

static uint32_t resolve(const struct scoping *s, const struct terminal_ref *ref)
{
	uint32_t i = find(s, ref);
	if (i != NOT_FOUND) return i;
	diag_error(s->diag, ref->loc,
	           ref->is_text ? "no terminal of the grammar is this string" : "the grammar has no terminal '%s'",
	           ref->text);
	return i;
}

static void resolve_brackets(struct scoping *s, const struct bracket_ref *refs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t t = resolve(s, &refs[i].terminal);
		if (t == NOT_FOUND) continue;
		struct x_terminal *b = &s->x->terminals.at[t];
		if (b->bracket != BRACKET_NONE && b->bracket != refs[i].bracket)
			diag_error(s->diag, refs[i].terminal.loc, "terminal '%s' cannot be two kinds of bracket", b->name);
		b->bracket = refs[i].bracket;
		s->has_brackets = true;
	}
}

// Places are inside for all scoped terminals or for none: two statements must name the same brackets.
static bool same_brackets(const struct scoping *s, const struct bracket_ref *refs, uint32_t n)
{
	uint8_t *mine = mem_calloc(s->x->terminals.n, 1);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t t = find(s, &refs[i].terminal);
		if (t != NOT_FOUND) mine[t] = 1;
	}
	bool same = true;
	for (uint32_t i = 0; i < s->x->terminals.n; i++) same &= mine[i] == (s->x->terminals.at[i].bracket != BRACKET_NONE);
	free(mine);
	return same;
}

static void warn_unused(const struct scoping *s, uint32_t t, const struct terminal_ref *ref)
{
	for (uint32_t i = 0; i < s->x->productions.n; i++)
		for (uint32_t k = 0; k < s->x->productions.at[i].n_rhs; k++)
			if (s->x->productions.at[i].rhs[k] == t) return;
	diag_warning(s->diag, ref->loc, "no rule uses '%s': no text can be indented [no-indent]", ref->text);
}

static void read_indent(struct scoping *s)
{
	const struct indent_spec *spec = &s->d->indent;
	struct indentation *to = &s->x->indentation;
	if (!spec->is_given) return;
	*to = (struct indentation){
		.on = true, .tab_rule = spec->tab_rule, .tab = spec->tab, .end_newline = spec->end_newline};
	to->newline = resolve(s, &spec->newline), to->indent = resolve(s, &spec->indent),
	to->dedent = resolve(s, &spec->dedent);
	if (to->newline != NOT_FOUND && !s->x->terminals.at[to->newline].pattern)
		diag_error(s->diag, spec->newline.loc, "the newline terminal '%s' has no pattern: texts hold newlines",
		           spec->newline.text);
	const struct terminal_ref *made[] = {&spec->indent, &spec->dedent};
	for (int i = 0; i < 2; i++) {
		uint32_t t = i ? to->dedent : to->indent;
		if (t == NOT_FOUND) continue;
		if (s->x->terminals.at[t].pattern)
			diag_error(s->diag, made[i]->loc,
			           "terminal '%s' has a pattern, but an indent or dedent has no text: name it in %%declare "
			           "instead",
			           made[i]->text);
		s->x->terminals.at[t].is_made = true;
		warn_unused(s, t, made[i]);
	}
	if (to->indent == to->dedent && to->indent != NOT_FOUND)
		diag_error(s->diag, spec->dedent.loc, "indent and dedent are one terminal: give each a terminal of its own");
	resolve_brackets(s, spec->brackets.at, spec->brackets.n);
	if (to->newline != NOT_FOUND && spec->brackets.n) s->x->terminals.at[to->newline].is_scoped = true;
}

static void compare_brackets(const struct scoping *s)
{
	const struct definitions *d = s->d;
	if (d->indent.is_given && d->indent.brackets.n && !same_brackets(s, d->indent.brackets.at, d->indent.brackets.n))
		diag_error(s->diag, d->indent.loc, "%%indent and '%%ignore ... inside' must name the same brackets");
	for (uint32_t i = 0; i < d->ignored.n; i++) {
		const struct ignored *one = &d->ignored.at[i];
		if (one->n_brackets && !same_brackets(s, one->brackets, one->n_brackets))
			diag_error(s->diag, one->loc,
			           "each '%%ignore ... inside' must name the same brackets: this one names fewer than another");
	}
}

// `unless after`: all such statements must name the same terminals.
static void read_holders(struct scoping *s)
{
	const struct ignored *first = NULL;
	for (uint32_t i = 0; i < s->d->ignored.n; i++) {
		const struct ignored *one = &s->d->ignored.at[i];
		struct x_terminal *t = &s->x->terminals.at[one->definition->index];
		if (!one->n_holders) continue;
		if (t->is_ignored || one->n_brackets)
			diag_error(s->diag, one->loc, "'%s' is ignored in another way as well: 'unless after' changes nothing",
			           t->name);
		t->is_held = true;
		uint32_t n = 0, before = 0;
		for (uint32_t k = 0; k < s->x->terminals.n; k++) before += s->x->terminals.at[k].holds;
		for (uint32_t k = 0; k < one->n_holders; k++) {
			uint32_t of = resolve(s, &one->holders[k]);
			if (of != NOT_FOUND) n += !s->x->terminals.at[of].holds, s->x->terminals.at[of].holds = true;
		}
		if (first && (n || before != one->n_holders))
			diag_error(s->diag, one->loc,
			           "each '%%ignore ... unless after' must name the same terminals: this one names others");
		first = one;
	}
}

static void read_scopes(struct scoping *s)
{
	const struct definitions *d = s->d;
	uint32_t errors = s->diag->n_errors;
	for (uint32_t i = 0; i < d->ignored.n; i++) {
		const struct ignored *one = &d->ignored.at[i];
		struct x_terminal *t = &s->x->terminals.at[one->definition->index];
		if (!one->n_brackets) continue;
		if (t->is_ignored)
			diag_error(s->diag, one->loc, "'%s' is ignored everywhere: 'inside' changes nothing", t->name);
		t->is_scoped = true;
		resolve_brackets(s, one->brackets, one->n_brackets);
	}
	read_holders(s);
	if (s->diag->n_errors == errors) compare_brackets(s);
	for (uint32_t i = 0; i < s->x->terminals.n; i++) {
		const struct x_terminal *t = &s->x->terminals.at[i];
		if (t->bracket != BRACKET_NONE && (t->is_scoped || t->is_made || t->is_ignored || !t->pattern))
			diag_error(s->diag, t->loc, "terminal '%s' cannot be a bracket: %s", t->name,
			           t->is_scoped || t->is_ignored ? "it is ignored" : "it has no pattern");
	}
}

// ---- copies

struct copying {
	struct scoping *s;
	uint32_t *order, *end;  // productions by left side; of lhs a: order[end[a - 1] .. end[a])
	uint32_t *copy;         // nonterminal -> its copy, 0: none yet
	uint8_t *reached;       // outside
	uint8_t *gone;          // production
	VEC(uint32_t) work;     // nonterminals, originals and copies
	VEC(uint8_t) open;      // scratch: the kinds of the brackets that are open
	struct loc warned;
	uint32_t n_warnings;
};

static uint32_t copy_of(struct copying *c, uint32_t a)
{
	struct expansion *x = c->s->x;
	if (!c->copy[a]) {
		struct x_nonterminal n = x->nonterminals.at[a];
		n.inside = true, n.copy_of = a;
		c->copy[a] = x->nonterminals.n;
		vec_push(&x->nonterminals, n);
		vec_push(&c->work, c->copy[a]);
	}
	return c->copy[a];
}

static void reach(struct copying *c, uint32_t a)
{
	if (c->reached[a]) return;
	c->reached[a] = 1;
	vec_push(&c->work, a);
}

// Follows the brackets of a right side; false when they are not balanced.
static bool step_bracket(struct copying *c, enum bracket b)
{
	if (b == BRACKET_OPEN || b == BRACKET_OPEN_AGAIN) {
		vec_push(&c->open, (uint8_t)b);
	} else if (b != BRACKET_NONE) {
		enum bracket wanted = b == BRACKET_CLOSE ? BRACKET_OPEN : BRACKET_OPEN_AGAIN;
		return c->open.n && vec_pop(&c->open) == wanted;
	}
	return true;
}

enum verdict { KEPT, NEVER, BAD_BRACKETS, BAD_INDENTS };

// Can some text have this production, begun inside or not?
static enum verdict judge(struct copying *c, const struct x_production *p, bool inside)
{
	const struct indentation *indent = &c->s->x->indentation;
	bool never = false;
	int64_t indents = 0, least = 0;
	vec_clear(&c->open);
	for (uint32_t k = 0; k < p->n_rhs; k++) {
		if (p->rhs[k] & X_NONTERMINAL) continue;
		const struct x_terminal *t = &c->s->x->terminals.at[p->rhs[k]];
		bool is_inside = c->open.n ? c->open.at[c->open.n - 1] == BRACKET_OPEN : inside;
		never |= is_inside && (t->is_scoped || t->is_made);
		if (!step_bracket(c, t->bracket)) return BAD_BRACKETS;
		if (t->is_made) indents += p->rhs[k] == indent->indent ? 1 : -1;
		if (indents < least) least = indents;
	}
	return c->open.n ? BAD_BRACKETS : never ? NEVER : indents || least ? BAD_INDENTS : KEPT;
}

static const uint32_t *scoped_rhs(struct copying *c, const struct x_production *p, bool inside)
{
	uint32_t *rhs = arena_array(c->s->x->arena, p->n_rhs, sizeof *rhs);
	vec_clear(&c->open);
	for (uint32_t k = 0; k < p->n_rhs; k++) {
		bool is_inside = c->open.n ? c->open.at[c->open.n - 1] == BRACKET_OPEN : inside;
		rhs[k] = p->rhs[k];
		if (!(rhs[k] & X_NONTERMINAL))
			step_bracket(c, c->s->x->terminals.at[rhs[k]].bracket);
		else if (is_inside)
			rhs[k] = copy_of(c, rhs[k] & ~X_NONTERMINAL) | X_NONTERMINAL;
		else
			reach(c, rhs[k] & ~X_NONTERMINAL);
	}
	return rhs;
}

static void complain(struct copying *c, const struct x_production *p, enum verdict v)
{
	const struct x_nonterminal *a = &c->s->x->nonterminals.at[p->lhs];
	if (a->inside && c->reached[a->copy_of]) return;  // said of the original
	if (v == BAD_BRACKETS)
		diag_error(c->s->diag, p->loc,
		           "the brackets in an alternative of '%s' are not balanced: what one opens, the same "
		           "alternative must close, since terminals are ignored inside",
		           a->name);
	else
		diag_error(c->s->diag, p->loc,
		           "an alternative of '%s' has an indent without its dedent: what one opens, the same "
		           "alternative must close",
		           a->name);
}

// The user's own alternative needs what never comes there. In copies that is as it should be.
static void warn_never(struct copying *c, const struct x_production *p)
{
	const struct x_nonterminal *a = &c->s->x->nonterminals.at[p->lhs];
	bool is_same = p->loc.source == c->warned.source && p->loc.offset == c->warned.offset;
	if (a->is_imported || is_same || c->n_warnings++ >= REDUCE_MAX_WARNINGS) return;
	c->warned = p->loc;
	diag_warning(c->s->diag, p->loc,
	             "an alternative of '%s' is left out: it needs a terminal inside brackets that is "
	             "ignored there, or that columns make outside [dead-alternative]",
	             a->name);
}

static void split(struct copying *c, uint32_t a, const struct x_production *original, uint32_t n_originals)
{
	struct expansion *x = c->s->x;
	bool inside = x->nonterminals.at[a].inside;
	uint32_t from = x->nonterminals.at[a].copy_of;
	for (uint32_t i = from ? c->end[from - 1] : 0; i < c->end[from]; i++) {
		ASSERT(c->order[i] < n_originals);
		struct x_production p = original[c->order[i]];
		p.lhs = a;
		enum verdict v = judge(c, &p, inside);
		if (v == BAD_BRACKETS || v == BAD_INDENTS) complain(c, &p, v);
		if (v == NEVER && !inside) warn_never(c, &p);
		if (v == KEPT) p.rhs = scoped_rhs(c, &p, inside);
		if (inside && v == KEPT) vec_push(&x->productions, p);
		if (!inside) x->productions.at[c->order[i]] = p, c->gone[c->order[i]] = v != KEPT;
	}
}

static void make_copies(struct scoping *s)
{
	struct expansion *x = s->x;
	struct arena scratch = {0};
	uint32_t n = x->productions.n, n_nonterminals = x->nonterminals.n;
	struct copying c = {.s = s};
	c.order = arena_array(&scratch, n, sizeof *c.order), c.end = arena_array(&scratch, n_nonterminals, sizeof *c.end);
	c.copy = arena_array(&scratch, n_nonterminals, sizeof *c.copy);
	c.reached = arena_array(&scratch, n_nonterminals, 1), c.gone = arena_array(&scratch, n, 1);
	struct x_production *original = arena_array(&scratch, n, sizeof *original);
	if (n) memcpy(original, x->productions.at, n * sizeof *original);
	for (uint32_t i = 0; i < n; i++) c.end[original[i].lhs]++;
	for (uint32_t a = 0, sum = 0; a < n_nonterminals; a++) {
		uint32_t count = c.end[a];
		c.end[a] = sum, sum += count;
	}
	for (uint32_t i = 0; i < n; i++) c.order[c.end[original[i].lhs]++] = i;
	reach(&c, x->start);
	while (c.work.n) split(&c, vec_pop(&c.work), original, n);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < x->productions.n; i++)
		if (i >= n || !c.gone[i]) x->productions.at[kept++] = x->productions.at[i];
	x->productions.n = kept;
	vec_release(&c.work);
	vec_release(&c.open);
	arena_release(&scratch);
}

bool lark_scope(struct definitions *d, struct expansion *x)
{
	uint32_t errors = d->diag->n_errors;
	struct scoping s = {.d = d, .diag = d->diag, .x = x};
	read_indent(&s);
	read_scopes(&s);
	if (d->diag->n_errors == errors && (s.has_brackets || x->indentation.on)) make_copies(&s);
	return d->diag->n_errors == errors;
}
