// One regular expression as a grammar.
//
// In:  the expression. Out: the grammar `start: /PATTERN/`. Messages have their places in the expression, as in a file
// named path. Terminals have no empty lexeme: where the expression matches the empty text, the terminal leaves that
// match out, and the rule may be empty. To know that, the terminal is compiled once more. Cost: grammar_parse twice,
// regex_compile.
#include "compile.h"

#include "../regex/regex.h"

struct asking {
	const struct source *pattern;
	const struct grammar_options *o;
	struct diag *d;
	struct grammar *g;
	VEC(char) text;        // the grammar
	VEC(uint32_t) origin;  // of each of its bytes: the place in the pattern
	bool good;
};

static void put(struct asking *x, char c, size_t origin)
{
	vec_push(&x->text, c);
	vec_push(&x->origin, (uint32_t)origin);
}

static void put_all(struct asking *x, const char *text, size_t origin)
{
	for (; *text; text++) put(x, *text, origin);
}

static bool refuse_backslash(const struct asking *x, size_t at)
{
	diag_error(x->d, (struct loc){x->pattern, (uint32_t)at, 1},
	           "a backslash ends the regex; write \\\\ for the character itself");
	return false;
}

// `start: /PATTERN/`, and where the text may be empty `start: /PATTERN/ |`. False: no regex ends so.
static bool write_grammar(struct asking *x, bool may_be_empty)
{
	const char *p = x->pattern->text;
	size_t n = x->pattern->len;
	x->text.n = x->origin.n = 0;
	put_all(x, n ? "start: /" : "start: /(?:)", 0);
	for (size_t i = 0; i < n; i++) {
		const bool escapes = p[i] == '\\' && i + 1 < n;
		if (escapes)
			put(x, '\\', i++);
		else if (p[i] == '\\')
			return refuse_backslash(x, i);
		else if (p[i] == '/' || p[i] == '\n')
			put(x, '\\', i);
		put(x, p[i] == '\n' ? 'n' : p[i], i);
	}
	put_all(x, may_be_empty ? "/ |\n" : "/\n", n);
	put(x, 0, n);
	x->text.n--;
	return true;
}

// A place in the grammar -> the same in the pattern.
static struct loc in_pattern(const struct asking *x, struct loc loc)
{
	if (!loc.source || loc.source == x->pattern) return loc;
	uint32_t end = loc.offset + loc.len, last = x->origin.n - 1;
	uint32_t from = x->origin.at[loc.offset < last ? loc.offset : last], to = x->origin.at[end < last ? end : last];
	return (struct loc){x->pattern, from, to - from};
}

// Of the messages since there were n_before.
static void move_places(struct asking *x, uint32_t n_before)
{
	for (uint32_t i = n_before; i < x->d->messages.n; i++) {
		struct loc *loc = &x->d->messages.at[i].loc;
		*loc = in_pattern(x, *loc);
	}
}

// The pattern as it is written: Lark's notation has no newlines in it, which flag (?x) tells from \n.
static void set_pattern(const struct asking *x, struct term *t)
{
	const struct source *p = x->pattern;
	t->flags |= TERM_WHOLE;
	if (!p->len) return;
	t->text = arena_strndup(&x->g->arena, p->text, p->len), t->text_len = (uint32_t)p->len;
	t->text_loc = (struct loc){p, 0, (uint32_t)p->len};
}

static bool parse(struct asking *x, bool may_be_empty)
{
	bool good =
		write_grammar(x, may_be_empty) && grammar_parse(x->pattern->path, x->text.at, x->text.n, x->o, x->d, x->g);
	if (!good) return false;
	for (uint32_t t = 0; t < x->g->n_terminals; t++) {
		x->g->terminals[t].drops_empty = true;
		set_pattern(x, x->g->terminals[t].pattern);
	}
	grammar_set_hash(x->g);
	return true;
}

// Does a text match before which, and behind which, nothing stands?
static bool matches_alone(const struct byte_dfa *a, struct arena *arena)
{
	const uint32_t start = a->before.n_states ? a->before.start[0] : 0;
	uint32_t *reached = arena_array(arena, a->n_states, sizeof *reached), n = 0;
	bool *is_reached = arena_array(arena, a->n_states, sizeof *is_reached);
	if (start == DFA_DEAD) return false;
	is_reached[start] = true, reached[n++] = start;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t q = reached[i];
		if (a->follow ? a->after.at_end[a->follow[q]] == FOLLOW_YES : a->accept[q]) return true;
		for (uint32_t k = 0; k < a->n_classes; k++) {
			const uint32_t to = a->next[q * a->n_classes + k];
			if (to != DFA_DEAD && !is_reached[to]) is_reached[to] = true, reached[n++] = to;
		}
	}
	return false;
}

// Can the text be empty? x->good: the pattern could be compiled, and some text matches.
static bool may_be_empty(struct asking *x)
{
	struct arena arena = {0};
	struct byte_dfa dfa;
	work_stage(compile_stage_name[STAGE_TERMINALS]);
	x->good = regex_compile(&x->g->terminals[0], &arena, x->d, &dfa);
	const bool is_dropped = x->good && dfa.dropped_empty;
	if (x->good && !is_dropped && !matches_alone(&dfa, &arena)) {
		const char *where = !dfa.before.n_states ? "behind" : dfa.follow ? "before or behind" : "before";
		const char *what = !dfa.before.n_states ? "lookahead" : dfa.follow ? "lookaround" : "lookbehind";
		diag_error(x->d, (struct loc){x->pattern, 0, (uint32_t)x->pattern->len},
		           "no text matches this regex: it is the whole text, and nothing stands %s it, where a %s looks; "
		           "leave the %s out",
		           where, what, what);
		x->good = false;
	}
	arena_release(&arena);
	return is_dropped;
}

// The grammar's own places: later messages speak of the pattern as a whole.
static void place_grammar(struct asking *x)
{
	const struct loc whole = {x->pattern, 0, (uint32_t)x->pattern->len};
	struct grammar *g = x->g;
	for (uint32_t t = 0; t < g->n_terminals; t++) g->terminals[t].loc = g->terminals[t].pattern->loc = whole;
	for (uint32_t n = 0; n < g->n_nonterminals; n++) g->nonterminals[n].loc = whole;
	for (uint32_t p = 0; p < g->n_productions; p++) g->productions[p].loc = whole;
}

// A terminal has no empty lexeme: where PATTERN matches the empty text, the rule does.
static void run(void *context)
{
	struct asking *x = context;
	const uint32_t before = x->d->messages.n;
	bool is_read = parse(x, true);
	bool is_optional = is_read && may_be_empty(x);
	move_places(x, before);
	if (x->good && !is_optional) {
		const uint32_t once = x->d->messages.n;
		grammar_release(x->g);
		x->good = parse(x, false);
		x->d->messages.n = once;  // the same warnings again
	}
	if (x->good) place_grammar(x);
	vec_release(&x->text);
	vec_release(&x->origin);
}

bool regex_grammar(const char *path, const char *pattern, const struct grammar_options *o, struct diag *d,
                   struct grammar *g)
{
	struct grammar made = {0};
	struct source *source = arena_alloc(diag_arena(d), sizeof *source);
	const size_t len = strlen(pattern);
	*source = (struct source){arena_strndup(diag_arena(d), path, strlen(path)),
	                          arena_strndup(diag_arena(d), pattern, len), len};
	struct asking x = {.pattern = source, .o = o, .d = d, .g = &made};
	struct work_result r;
	bool done = work_run(NULL, run, &x, &r);
	if (!done) diag_given_up(d, &r, "lower the bounds of its repetitions, or simplify its alternatives");
	*g = done && x.good ? made : (struct grammar){0};
	return done && x.good;
}
