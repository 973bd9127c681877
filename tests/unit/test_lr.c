// The parser generator: what it accepts, that its tops know what is viable, and how it tells conflicts.
#include <criterion/criterion.h>

#include "../../formats/artifact.h"
#include "../../lib/lr/lr.h"
#include "../../lib/notation/notation.h"

struct fixture {
	struct grammar g;
	struct arena arena;
	struct diag d;
	struct lr lr;
	bool ok;
};

static struct fixture build(const char *text)
{
	struct fixture f = {0};
	f.ok = grammar_parse("test.lark", text, strlen(text), NULL, &f.d, &f.g);
	if (f.ok) f.ok = lr_build(&f.g, &(struct lr_options){.deterministic = true}, &f.arena, &f.d, &f.lr);
	if (f.ok) cr_assert_null(lr_check(&f.lr), "%s", lr_check(&f.lr));
	return f;
}

static void release(struct fixture *f)
{
	arena_release(&f->arena);
	grammar_release(&f->g);
	diag_release(&f->d);
}

static terminal_id terminal(const struct fixture *f, char literal)
{
	for (terminal_id t = 0; t < f->g.n_terminals; t++) {
		const struct term *p = f->g.terminals[t].pattern;
		if (p && p->kind == TERM_TEXT && p->text_len == 1 && p->text[0] == literal) return t;
	}
	cr_assert_fail("no terminal '%c'", literal);
	return 0;
}

// Runs one terminal; false when it is refused.
static bool shift(const struct lr *lr, lr_state *stack, uint32_t *n, terminal_id t)
{
	for (;;) {
		uint32_t a = lr_action(lr, stack[*n - 1], t);
		if (a == 0) return false;
		if (a == ACTION_ACCEPT) return true;
		if (a & 1) return stack[(*n)++] = a / 2, true;
		*n -= lr->production[a / 2 - 1].length;
		stack[*n] = lr_goto(lr, stack[*n - 1], lr->production[a / 2 - 1].lhs);
		(*n)++;
	}
}

static bool accepts(const struct fixture *f, const char *text)
{
	lr_state stack[200] = {LR_BOTTOM};
	uint32_t n = 1;
	for (; *text; text++)
		if (!shift(&f->lr, stack, &n, terminal(f, *text))) return false;
	return shift(&f->lr, stack, &n, f->lr.n_terminals);
}

struct acceptance {
	const char *grammar, *yes, *no;  // texts of one-letter terminals, separated by blanks; "-" is the empty text
};

static void check_texts(const struct fixture *f, const char *texts, bool expected)
{
	char copy[400];
	snprintf(copy, sizeof copy, "%s", texts);
	for (char *w = strtok(copy, " "); w; w = strtok(NULL, " ")) {
		const char *text = strcmp(w, "-") == 0 ? "" : w;
		cr_expect_eq(accepts(f, text), expected, "\"%s\" should be %s", text, expected ? "accepted" : "refused");
	}
}

Test(lr, accepts_what_the_grammar_says)
{
	const struct acceptance cases[] = {
		{"start: \"a\" \"b\"", "ab", "a b ba abb -"},
		{"start: \"a\"*", "- a aa aaaa", ""},
		{"start: start \"a\" |", "- a aa aaa", ""},
		{"start: \"a\" start |", "- a aa aaa", ""},
		{"start: \"(\" start \")\" start |", "- () ()() (()) (()())", "( ) (() ())"},
		{"start: e\ne: e \"+\" t | t\nt: \"(\" e \")\" | \"n\"", "n n+n (n) n+(n+n)", "- + n+ (n nn"},
		// trap 11: a nullable tail, and r follows a.
		{"start: a \"r\"\na: \"p\" b c\nb: \"x\"\nc: | \"q\"", "pxr pxqr", "pr px pxq"},
		// trap 26: nested repetition under an optional.
		{"start: \"a\" b?\nb: c+\nc: \"x\" \"y\"", "a axy axyxy", "ax axyx xy"},
		{"start: a b\na: \"x\"?\nb: \"y\"?", "- x y xy", "yx xx"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fixture f = build(cases[i].grammar);
		cr_assert(f.ok, "%s\n%s", cases[i].grammar, diag_text(&f.d));
		check_texts(&f, cases[i].yes, true);
		check_texts(&f, cases[i].no, false);
		release(&f);
	}
}

Test(lr, takes_lr1_grammars_that_are_not_lalr)
{
	struct fixture f =
		build("start: \"a\" x \"d\" | \"b\" y \"d\" | \"a\" y \"e\" | \"b\" x \"e\"\nx: \"c\"\ny: \"c\" ");
	cr_assert(f.ok, "%s", diag_text(&f.d));
	check_texts(&f, "acd bcd ace bce", true);
	check_texts(&f, "ac bc acc", false);
	release(&f);
}

Test(lr, top_of_stack_knows_what_is_viable)
{
	// LALR merges the states after `c`: its rows would call both d and e viable after "ac".
	struct fixture f = build("start: \"a\" x \"d\" | \"b\" x \"e\"\nx: \"c\"");
	cr_assert(f.ok);
	lr_state stack[20] = {LR_BOTTOM};
	uint32_t n = 1;
	cr_assert(shift(&f.lr, stack, &n, terminal(&f, 'a')));
	cr_assert(shift(&f.lr, stack, &n, terminal(&f, 'c')));
	cr_expect(lr_viable(&f.lr, stack[n - 1], terminal(&f, 'd')));
	cr_expect_not(lr_viable(&f.lr, stack[n - 1], terminal(&f, 'e')));
	release(&f);
}

static bool leads(const struct lr *lr, lr_state s, lr_state to)
{
	bool some = false;
	for (terminal_id t = 0; t < lr->n_terminals; t++) some |= lr_action(lr, s, t) == ACTION_SHIFT(to);
	for (uint32_t a = 0; a < lr->n_nonterminals; a++) some |= lr_goto(lr, s, a) == to;
	return some;
}

// As lr_build finds them, of tables without choices.
static void set_predecessors(struct lr *lr, uint32_t *pred)
{
	lr->pred = pred;
	uint32_t n = 0;
	for (lr_state to = 0; to < lr->n_states; to++) {
		lr->pred_at[to] = n;
		for (lr_state s = LR_BOTTOM; s < lr->n_states; s++)
			if (to && leads(lr, s, to)) pred[n++] = s;
	}
	lr->pred_at[lr->n_states] = n;
}

// Every shift to every state that another symbol leads to.
Test(lr, a_terminal_that_leads_to_a_wrong_state_is_found)
{
	struct fixture f = build("start: e\ne: e \"+\" t | t\nt: \"(\" e \")\" | \"[\" e \"]\" \"!\" | \"n\"");
	cr_assert(f.ok, "%s", diag_text(&f.d));
	f.lr.grammar = &f.g;
	uint32_t n_wrong = 0, *pred = mem_calloc((size_t)f.lr.n_states * f.lr.n_states, sizeof *pred);
	for (lr_state s = LR_BOTTOM; s < f.lr.n_states; s++)
		for (terminal_id t = 0; t < f.lr.n_terminals; t++) {
			const uint32_t at = lr_find(&f.lr.action, s, t);
			if (at == UINT32_MAX) continue;
			uint32_t *cell = &f.lr.action.cell[at].to, right = *cell;
			for (lr_state to = LR_BOTTOM; ACTION_IS_SHIFT(right) && to < f.lr.n_states; to++) {
				bool is_of_t = false;
				for (lr_state x = LR_BOTTOM; x < f.lr.n_states; x++)
					is_of_t |= lr_action(&f.lr, x, t) == ACTION_SHIFT(to);
				*cell = ACTION_SHIFT(to);
				set_predecessors(&f.lr, pred);
				if (!is_of_t) cr_expect(lr_check(&f.lr), "state %u leads to %u by terminal %u", s, to, t);
				n_wrong += !is_of_t;
				*cell = right;
			}
		}
	cr_expect_gt(n_wrong, 200);
	set_predecessors(&f.lr, pred);
	cr_expect_null(lr_check(&f.lr));
	free(pred);
	release(&f);
}

Test(lr, tells_a_shift_reduce_conflict)
{
	struct fixture f = build("start: s\ns: \"i\" s \"e\" s\n | \"i\" s\n | \"x\"");
	cr_assert_not(f.ok);
	const char *text = diag_text(&f.d);
	cr_expect(strstr(text, "shift/reduce conflict"), "%s", text);
	cr_expect(strstr(text, "\"i\" \"i\" \"x\" \xE2\x80\xA2 \"e\""), "%s", text);
	cr_expect(strstr(text, "test.lark:2:4"), "%s", text);
	cr_expect(strstr(text, "test.lark:3:4"), "%s", text);
	release(&f);
}

Test(lr, tells_a_reduce_reduce_conflict)
{
	struct fixture f = build("start: a \"y\" \"z\" | b \"y\" \"w\"\na: \"x\"\nb: \"x\"");
	cr_assert_not(f.ok);
	cr_expect(strstr(diag_text(&f.d), "reduce/reduce conflict"));
	release(&f);
}

Test(lr, tells_every_conflict_once)
{
	struct fixture f = build("start: s\ns: \"a\" s \"a\" | \"b\" s \"b\" |");
	cr_assert_not(f.ok);
	cr_expect_eq(f.d.n_errors, 2, "%s", diag_text(&f.d));
	release(&f);
}

// Each of n rules with two keywords of its own, and a use of another rule.
static struct fixture many_rules(int n)
{
	char *text = malloc(100 * (size_t)n), *end = text + sprintf(text, "start: r0");
	for (int i = 1; i < n; i++) end += sprintf(end, " | r%d", i);
	for (int i = 0; i < n; i++) end += sprintf(end, "\nr%d: \"k%d\" [r%d] \"e%d\"", i, i, (i * 7 + 1) % n, i);
	struct fixture f = build(text);
	free(text);
	return f;
}

// Tables of some 15,000 states and 7,500 symbols would have 100 million cells; few of them are not empty.
Test(lr, tables_have_no_empty_cells)
{
	struct fixture f = many_rules(2500);
	cr_assert(f.ok, "%s", diag_text(&f.d));
	const uint32_t n = f.lr.n_states, cells = f.lr.action.at[n] + f.lr.go.at[n];
	cr_expect((uint64_t)n * (f.g.n_terminals + f.g.n_nonterminals) > 100000000u, "%u states", n);
	cr_expect_lt(cells, 5 * n);
	release(&f);
}

// The answer to a grammar that is too large is an error that names the limit, soon.
Test(lr, large_grammar_meets_a_named_limit)
{
	struct fixture f = many_rules(9900);
	cr_assert_not(f.ok);
	cr_expect(strstr(diag_text(&f.d), "limit LR_MAX_STATES"), "%s", diag_text(&f.d));
	release(&f);
}

// A state for each rule.
Test(lr, states_times_nonterminals_have_a_named_limit)
{
	enum { N = 46500 };
	char *text = malloc(40 * (size_t)N), *end = text + sprintf(text, "start: r0");
	for (int i = 1; i < N; i++) end += sprintf(end, " | r%d", i);
	for (int i = 0; i < N; i++) end += sprintf(end, "\nr%d: \"k%d\"", i, i);
	struct fixture f = build(text);
	cr_assert_not(f.ok, "%u states x %u nonterminals", f.lr.n_states, f.g.n_nonterminals);
	cr_expect(strstr(diag_text(&f.d), "limit ARTIFACT_MAX_CELLS"), "%s", diag_text(&f.d));
	release(&f);
	free(text);
}

// Rules that are named in the reverse order of their definition give kernels in reverse order.
Test(lr, large_kernels_in_reverse_order_cost_no_more_than_their_items)
{
	enum { N = 1500 };
	char *text = mem_alloc(N * 60), *at = text;
	at += sprintf(at, "start: r%u", N - 1);
	for (uint32_t i = N - 1; i-- > 0;) at += sprintf(at, " | r%u", i);
	for (uint32_t i = 0; i < N; i++) at += sprintf(at, "\nr%u: \"a\" \"b\"~%u \"c\"", i, i % 40 + 1);
	sprintf(at, "\n");
	struct fixture f = {0};
	cr_assert(grammar_parse("test.lark", text, strlen(text), NULL, &f.d, &f.g) &&
	              lr_build(&f.g, &(struct lr_options){0}, &f.arena, &f.d, &f.lr),
	          "%s", diag_text(&f.d));
	cr_assert_lt(f.lr.work, 400 * N, "%llu", (unsigned long long)f.lr.work);
	release(&f);
	mem_free(text);
}

// What rule r gets from the start it hands on to the rule before it, which comes before it in the closure.
Test(lr, lookaheads_go_down_a_chain_of_rules_at_once)
{
	enum { N = 400 };
	char *text = mem_alloc(N * 80), *at = text;
	at += sprintf(at, "start: r0 \"x0\"");
	for (uint32_t i = 1; i < N; i++) at += sprintf(at, " | r%u \"x%u\"", i, i);
	at += sprintf(at, "\nr0: \"t0\"");
	for (uint32_t i = 1; i < N; i++) at += sprintf(at, "\nr%u: r%u | \"t%u\"", i, i - 1, i);
	sprintf(at, "\n");
	struct fixture f = {0};
	cr_assert(grammar_parse("test.lark", text, strlen(text), NULL, &f.d, &f.g) &&
	              lr_build(&f.g, &(struct lr_options){0}, &f.arena, &f.d, &f.lr),
	          "%s", diag_text(&f.d));
	cr_assert_lt(f.lr.work, 60 * N, "%llu", (unsigned long long)f.lr.work);
	release(&f);
	mem_free(text);
}

static void expect_equal(const struct lr_table *x, const struct lr_table *y, uint32_t n_states)
{
	cr_assert_arr_eq(x->at, y->at, (n_states + 1) * sizeof *x->at);
	cr_assert_arr_eq(x->cell, y->cell, y->at[n_states] * sizeof *x->cell);
}

// lib/notation builds the automaton to check its grammar; compiling takes it as it is.
Test(lr, a_checked_grammar_hands_on_the_automaton_that_would_be_built_again)
{
	static const char text[] = "root ::= \"(\" root \")\" | word (\",\" word)*\nword ::= [a-z]+ | \"[\" root \"]\"\n";
	struct fixture f = {0};
	struct lr taken;
	struct lr_report told, anew;
	cr_assert(notation_parse(NOTATION_GBNF, (struct notation_text){"test.gbnf", text, strlen(text)}, NULL, &f.d, &f.g),
	          "%s", diag_text(&f.d));
	cr_assert_not_null(f.g.parser);
	struct lr_options o = {.made = f.g.parser, .report = &told, .report_arena = &f.arena};
	cr_assert(lr_build(&f.g, &o, &f.arena, &f.d, &taken));
	o.made = NULL, o.report = &anew;
	cr_assert(lr_build(&f.g, &o, &f.arena, &f.d, &f.lr));
	cr_assert_null(lr_check(&taken));
	cr_assert(taken.grammar == &f.g && taken.n_states == f.lr.n_states && taken.n_contexts == f.lr.n_contexts);
	expect_equal(&taken.action, &f.lr.action, f.lr.n_states);
	expect_equal(&taken.go, &f.lr.go, f.lr.n_states);
	cr_assert_arr_eq(taken.context, f.lr.context, f.lr.n_contexts * f.lr.context_words * sizeof *taken.context);
	cr_assert_arr_eq(taken.pred, f.lr.pred, f.lr.pred_at[f.lr.n_states] * sizeof *taken.pred);
	cr_assert(told.may_grow == anew.may_grow && told.most_stacks == anew.most_stacks && told.n_conflicts == 0);
	release(&f);
}

// A conflict is told with its example, so the automaton of a grammar that has some is built where it is told.
Test(lr, an_automaton_with_choices_is_not_handed_on)
{
	static const char text[] = "root ::= \"a\" root \"a\" | \"a\"\n";
	struct fixture f = {0};
	cr_assert(notation_parse(NOTATION_GBNF, (struct notation_text){"test.gbnf", text, strlen(text)}, NULL, &f.d, &f.g),
	          "%s", diag_text(&f.d));
	cr_assert_null(f.g.parser);
	release(&f);
}
