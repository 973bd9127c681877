// Conflicts: what the prover drops changes no language, checked by brute force; what it must be able to drop; loops.
//
// Random: small grammars over three terminals, most of them ambiguous, nullable, cyclic. Every string up to a length is
// judged three ways: by the sets of strings that productions derive (of the grammar as written), by an LR parser with
// all choices, by one with what the prover keeps; and the two parsers must call the same terminals viable after every
// prefix. GCDC_SEED=n runs one seed again, GCDC_ROUNDS=n changes how many are run (20,000 take some minutes),
// GCDC_LONGEST=n the strings' length.
#include <criterion/criterion.h>

#include "../../lib/lr/lr.h"
#include "../../lib/lr/lr_report.h"
#include "../support/grammar_text.h"
#include "rng.h"

static uint32_t longest = 5;  // of strings; GCDC_LONGEST, at most 7
#define N_LETTERS 3u
#define MAX_STACKS 400u  // of one string; beyond it the string's continuations are not looked at
#define MAX_DEPTH 60u

static void random_grammar(struct rng *r, char *text)
{
	static const char *const name[] = {"start", "p", "q", "r"};
	static const char *const letter[] = {"\"a\"", "\"b\"", "\"c\""};
	uint32_t n = 1 + pick(r, 4), nullable = pick(r, 3);
	for (uint32_t a = 0; a < n; a++) {
		text += sprintf(text, "%s:", name[a]);
		uint32_t alternatives = 1 + pick(r, 4);
		for (uint32_t i = 0; i < alternatives; i++) {
			if (i) text += sprintf(text, " |");
			uint32_t length = nullable || i ? pick(r, 5) : 1 + pick(r, 4);
			if (!length && !nullable) length = 1;
			for (uint32_t k = 0; k < length; k++)
				text += sprintf(text, " %s", pick(r, 2) ? letter[pick(r, N_LETTERS)] : name[pick(r, n)]);
		}
		text += sprintf(text, "\n");
	}
}

// --- strings as numbers: those of length n begin at first[n] ---

static const uint32_t first[] = {0, 1, 4, 13, 40, 121, 364, 1093, 3280};
#define N_STRINGS 3280u

static uint32_t length_of(uint32_t s)
{
	uint32_t n = 0;
	while (s >= first[n + 1]) n++;
	return n;
}
static uint32_t power(uint32_t n) { return first[n + 1] - first[n]; }

// sets[a]: the strings that nonterminal a derives. Least fixpoint.
static void derive(const struct grammar *g, uint8_t (*sets)[N_STRINGS])
{
	uint8_t *now = malloc(N_STRINGS), *next = malloc(N_STRINGS);
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t p = 0; p < g->n_productions; p++) {
			memset(now, 0, N_STRINGS);
			now[0] = 1;
			for (uint32_t k = 0; k < g->productions[p].n_rhs; k++) {
				symbol_id s = g->productions[p].rhs[k];
				memset(next, 0, N_STRINGS);
				for (uint32_t x = 0; x < N_STRINGS; x++) {
					if (!now[x]) continue;
					uint32_t n = length_of(x);
					for (uint32_t m = 0; n + m <= longest; m++)
						for (uint32_t y = first[m]; y < first[m + 1]; y++) {
							bool in = s < g->n_terminals ? m == 1 && y - first[1] == s : sets[s - g->n_terminals][y];
							if (in) next[first[n + m] + (x - first[n]) * power(m) + (y - first[m])] = 1;
						}
				}
				uint8_t *swap = now;
				now = next, next = swap;
			}
			for (uint32_t x = 0; x < N_STRINGS; x++)
				if (now[x] && !sets[g->productions[p].lhs][x]) sets[g->productions[p].lhs][x] = 1, changed = true;
		}
	}
	free(now), free(next);
}

// --- an LR parser that takes every choice ---

struct stack {
	uint32_t n;
	lr_state s[MAX_DEPTH];
};
struct stacks_of {
	uint32_t n;
	bool overflow, accepts;
	struct stack at[MAX_STACKS];
};

static void add(struct stacks_of *x, const struct stack *s)
{
	for (uint32_t i = 0; i < x->n; i++)
		if (x->at[i].n == s->n && memcmp(x->at[i].s, s->s, s->n * sizeof *s->s) == 0) return;
	if (x->n == MAX_STACKS)
		x->overflow = true;
	else
		x->at[x->n++] = *s;
}

static void push_terminal(const struct lr *lr, const struct stacks_of *from, terminal_id t, struct stacks_of *to)
{
	static struct stacks_of open;
	open.n = from->n, open.overflow = false;
	memcpy(open.at, from->at, from->n * sizeof *from->at);
	to->n = 0, to->overflow = to->accepts = false;
	for (uint32_t i = 0; i < open.n && !open.overflow; i++) {
		uint32_t n, one;
		const uint32_t *a = lr_actions(lr, open.at[i].s[open.at[i].n - 1], t, &n, &one);
		for (uint32_t k = 0; k < n; k++) {
			struct stack s = open.at[i];
			if (a[k] == ACTION_ACCEPT) {
				to->accepts = true;
				continue;
			}
			lr_state push = a[k] / 2;
			if (!ACTION_IS_SHIFT(a[k])) {
				struct lr_production p = lr->production[a[k] / 2 - 1];
				cr_assert_gt(s.n, p.length);
				s.n -= p.length;
				push = lr_goto(lr, s.s[s.n - 1], p.lhs);
				cr_assert_neq(push, 0);
			}
			if (s.n == MAX_DEPTH) {
				to->overflow = true;
				return;
			}
			s.s[s.n++] = push;
			add(ACTION_IS_SHIFT(a[k]) ? to : &open, &s);
		}
	}
	to->overflow |= open.overflow;
}

static uint32_t viable(const struct lr *lr, const struct stacks_of *x)
{
	uint32_t set = 0;
	for (uint32_t i = 0; i < x->n; i++)
		for (terminal_id t = 0; t <= lr->n_terminals; t++)
			set |= (uint32_t)lr_viable(lr, x->at[i].s[x->at[i].n - 1], t) << t;
	return set;
}

struct judged {
	const char *text;
	uint64_t seed;
	uint32_t n_letters;
	const struct lr *all, *cut;
	const uint8_t *derived;  // in the numbers of the grammar's own terminals
	uint32_t checked, skipped;
};

static void judge(struct judged *j, uint32_t string, const struct stacks_of *all, const struct stacks_of *cut)
{
	uint32_t n = length_of(string);
	struct stacks_of *a = malloc(sizeof *a), *c = malloc(sizeof *c);
	cr_assert_eq(viable(j->all, all), viable(j->cut, cut), "seed %llu, string %u: viable %x, cut %x\n%s",
	             (unsigned long long)j->seed, string, viable(j->all, all), viable(j->cut, cut), j->text);
	push_terminal(j->all, all, j->n_letters, a);
	push_terminal(j->cut, cut, j->n_letters, c);
	if (!a->overflow && !c->overflow) {
		cr_assert_eq(a->accepts, j->derived[string], "seed %llu, string %u\n%s", (unsigned long long)j->seed, string,
		             j->text);
		cr_assert_eq(c->accepts, j->derived[string], "seed %llu, string %u, cut\n%s", (unsigned long long)j->seed,
		             string, j->text);
		j->checked++;
	}
	for (terminal_id t = 0; t < j->n_letters && n < longest; t++) {
		push_terminal(j->all, all, t, a);
		push_terminal(j->cut, cut, t, c);
		if (a->overflow || c->overflow) {
			j->skipped++;
			continue;
		}
		cr_assert_eq(a->n > 0, c->n > 0, "seed %llu, string %u\n%s", (unsigned long long)j->seed, string, j->text);
		if (a->n) judge(j, first[n + 1] + (string - first[n]) * N_LETTERS + t, a, c);
	}
	free(a), free(c);
}

struct tally {
	uint32_t grammars, with_loops, with_conflicts, dropped, kept, strings, skipped;
};

static void check_seed(uint64_t seed, struct tally *tally)
{
	struct rng r = {seed * 0x9E3779B97F4A7C15u + 1};
	char text[4096];
	random_grammar(&r, text);
	struct diag d = {0};
	struct grammar g = {0};
	if (grammar_parse("random.lark", text, strlen(text), NULL, &d, &g) && g.n_terminals <= N_LETTERS) {
		uint8_t(*sets)[N_STRINGS] = calloc(g.n_nonterminals, N_STRINGS);
		uint8_t *derived = malloc(N_STRINGS);
		derive(&g, sets);
		memcpy(derived, sets[g.start], N_STRINGS);
		bool changed;
		cr_assert(grammar_remove_loops(&g, &d, &changed), "seed %llu\n%s", (unsigned long long)seed, diag_text(&d));
		cr_assert_not(grammar_has_loops(&g));
		cr_assert_null(grammar_check(&g), "seed %llu: %s\n%s", (unsigned long long)seed, grammar_check(&g), text);
		struct arena arena = {0};
		struct lr all = {0}, cut = {0};
		struct lr_report told = {0};
		cr_assert(lr_build(&g, &(struct lr_options){.keep_all = true}, &arena, &d, &all));
		cr_assert(lr_build(&g, &(struct lr_options){.report = &told, .report_arena = &arena}, &arena, &d, &cut));
		cr_assert_null(lr_check(&cut));
		tally->grammars++;
		tally->with_loops += changed;
		tally->with_conflicts += told.n_conflicts > 0;
		tally->kept += told.n_kept, tally->dropped += told.n_conflicts - told.n_kept;
		struct judged j = {text, seed, g.n_terminals, &all, &cut, derived, 0, 0};
		struct stacks_of *begin = calloc(1, sizeof *begin);
		begin->n = 1, begin->at[0] = (struct stack){1, {LR_BOTTOM}};
		judge(&j, 0, begin, begin);
		tally->strings += j.checked, tally->skipped += j.skipped;
		free(begin), free(sets), free(derived);
		arena_release(&arena);
	}
	grammar_release(&g);
	diag_release(&d);
}

Test(lr_prove, random_grammars_keep_their_language, .timeout = 3600)
{
	const char *seed = getenv("GCDC_SEED"), *rounds = getenv("GCDC_ROUNDS");
	struct tally t = {0};
	if (getenv("GCDC_LONGEST")) longest = (uint32_t)strtoul(getenv("GCDC_LONGEST"), NULL, 10);
	cr_assert_leq(longest, 7);
	if (seed)
		check_seed(strtoull(seed, NULL, 10), &t);
	else
		for (uint64_t i = 1; i <= (rounds ? strtoull(rounds, NULL, 10) : 100); i++) check_seed(i, &t);
	if (rounds || seed)
		fprintf(stderr,
		        "%u grammars, %u rewritten, %u with conflicts: %u settled, %u kept; %u strings, %u places skipped\n",
		        t.grammars, t.with_loops, t.with_conflicts, t.dropped, t.kept, t.strings, t.skipped);
	if (!seed && !rounds) cr_expect_gt(t.dropped, 30);
}

// --- what must be proved, what must not ---

static struct lr_report report(const char *text, const struct lr_options *given, struct arena *arena, bool *ok,
                               char **message)
{
	struct diag d = {0};
	struct grammar g = {0};
	struct lr lr = {0};
	struct lr_report r = {0};
	struct lr_options o = given ? *given : (struct lr_options){0};
	o.report = &r, o.report_arena = arena;
	cr_assert(grammar_parse("test.lark", text, strlen(text), NULL, &d, &g), "%s", diag_text(&d));
	*ok = lr_build(&g, &o, arena, &d, &lr);
	if (message) *message = arena_printf(arena, "%s", diag_text(&d));
	diag_release(&d);
	grammar_release(&g);
	return r;
}

struct expectation {
	const char *grammar;
	uint32_t conflicts, kept;
};

Test(lr_prove, proves_away_what_it_must)
{
	static const struct expectation cases[] = {
		{"start: e\ne: e \"+\" e | \"a\"", 1, 0},
		{"start: e\ne: e e | \"a\"", 1, 0},
		{"start: e\ne: e \"?\" e \":\" e | \"a\"", 1, 0},
		{"start: e\ne: e \"+\" e | e e | \"(\" e \")\" | \"a\"", 6, 0},
		{"start: e\ne: e \"+\" e | e \"*\" e | \"-\" e | \"(\" e \")\" | \"a\"", 6, 0},
		{"start: a | b\na: \"x\"\nb: \"x\"", 1, 0},
		// Two meanings, each with texts of its own.
		{"start: a \"y\" \"z\" | b \"y\" \"w\"\na: \"x\"\nb: \"x\"", 1, 1},
		{"start: s\ns: \"a\" s \"a\" | \"a\"", 1, 1},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct arena arena = {0};
		bool ok;
		struct lr_report r = report(cases[i].grammar, NULL, &arena, &ok, NULL);
		cr_expect(ok);
		cr_expect_eq(r.n_conflicts, cases[i].conflicts, "%s: %u conflicts", cases[i].grammar, r.n_conflicts);
		cr_expect_eq(r.n_kept, cases[i].kept, "%s: %u kept", cases[i].grammar, r.n_kept);
		arena_release(&arena);
	}
}

Test(lr_prove, report_tells_rules_example_and_outcome)
{
	struct arena arena = {0};
	bool ok;
	struct lr_report r = report("start: s\ns: \"i\" s \"e\" s\n | \"i\" s\n | \"x\"", NULL, &arena, &ok, NULL);
	cr_assert(ok);
	cr_assert_eq(r.n_conflicts, 1);
	const struct lr_conflict *c = &r.conflicts[0];
	cr_expect_str_eq(c->terminal_text, "\"e\"");
	cr_expect_str_eq(c->example, "\"i\" \"i\" \"x\" \xE2\x80\xA2 \"e\"");
	cr_assert_eq(c->n_ways, 2);
	cr_expect(c->ways[0].shifts && c->ways[0].kept);
	cr_expect_str_eq(c->ways[0].text, "s: \"i\" s \xE2\x80\xA2 \"e\" s");
	cr_expect(!c->ways[1].shifts && c->ways[1].kept);
	cr_expect_str_eq(c->ways[1].text, "s: \"i\" s \xE2\x80\xA2");
	cr_expect_eq(c->n_kept, 1);
	arena_release(&arena);
}

Test(lr_prove, deterministic_refuses_what_is_kept_and_only_that)
{
	struct arena arena = {0};
	bool ok;
	char *text;
	report("start: e\ne: e \"+\" e | \"a\"", &(struct lr_options){.deterministic = true}, &arena, &ok, &text);
	cr_expect(ok, "%s", text);
	report("start: s\ns: \"i\" s \"e\" s\n | \"i\" s\n | \"x\"", &(struct lr_options){.deterministic = true}, &arena,
	       &ok, &text);
	cr_expect_not(ok);
	cr_expect(strstr(text, "shift/reduce conflict"), "%s", text);
	cr_expect(strstr(text, "test.lark:2:4"), "%s", text);
	cr_expect(strstr(text, "test.lark:3:4"), "%s", text);
	arena_release(&arena);
}

Test(lr_prove, tells_whether_stacks_may_grow)
{
	static const struct {
		const char *text;
		bool grows;
		uint32_t most;
	} cases[] = {
		{"start: e\ne: e \"+\" e | \"a\"", false, 1},
		{"start: a \"y\" \"z\" | b \"y\" \"w\" | \"(\" start \")\" start\na: \"x\"\nb: \"x\"", false, 2},
		{"start: s\ns: \"a\" s \"a\" | \"b\" s \"b\" |", true, 0},
		{"start: s\ns: \"i\" s | \"i\" s \"e\" s | \"x\"", true, 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct arena arena = {0};
		bool ok;
		struct lr_report r = report(cases[i].text, NULL, &arena, &ok, NULL);
		cr_assert(ok);
		cr_expect_eq(r.may_grow, cases[i].grows, "%s", cases[i].text);
		if (!cases[i].grows) cr_expect_eq(r.most_stacks, cases[i].most, "%s: %u", cases[i].text, r.most_stacks);
		arena_release(&arena);
	}
}

// More stacks than a set holds (INCLUSION_MAX_OTHERS): none of them may be lost on a left side. k covers 8 of the 12.
static void check_many_stacks(int skip)
{
	struct arena arena = {0};
	bool ok, found = false;
	char text[4000], *end = text + sprintf(text, "start:");
	for (int i = 0; i < 12; i++) {
		end += sprintf(end, "%s p%c \"y\" \"z%d\"", i ? " |" : "", 'a' + i, i);
		if ((i + skip) % 12 < 8) end += sprintf(end, " | k \"y\" \"z%d\"", i);
	}
	end += sprintf(end, "\nk: \"x\"\n");
	for (int i = 0; i < 12; i++) end += sprintf(end, "p%c: b\n", 'a' + i);
	end += sprintf(end, "b: \"x\"\n");
	struct lr_report r = report(text, NULL, &arena, &ok, NULL);
	cr_assert(ok);
	for (uint32_t i = 0; i < r.n_conflicts; i++)
		for (uint32_t k = 0; k < r.conflicts[i].n_ways; k++) {
			if (strcmp(r.conflicts[i].ways[k].text, "b: \"x\" \xE2\x80\xA2")) continue;
			found = true;
			cr_expect(r.conflicts[i].ways[k].kept, "skip %d", skip);
		}
	cr_expect(found);
	arena_release(&arena);
}

Test(lr_prove, many_stacks_on_the_left)
{
	for (int skip = 0; skip < 12; skip++) check_many_stacks(skip);
}

// --- loops ---

Test(grammar_loops, what_is_a_loop)
{
	static const struct {
		const char *text;
		bool loops;
	} cases[] = {
		{"start: \"a\" start | \"b\"", false},
		{"start: start \"a\" |", false},
		{"start: start start | \"a\"", false},
		{"start: start start | \"a\" |", true},
		{"start: p\np: q | \"a\"\nq: p | \"b\"", true},
		{"start: p start \"x\" | \"y\"\np: \"b\"?", true},  // hidden left recursion
		{"start: start p | \"y\"\np: \"b\"?", true},        // start: start, when p is empty
		{"start: \"x\" p q\np: \"b\"?\nq: \"c\"?", false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct diag d = {0};
		struct grammar g = {0};
		bool changed;
		cr_assert(grammar_parse("test.lark", cases[i].text, strlen(cases[i].text), NULL, &d, &g), "%s", diag_text(&d));
		cr_expect_eq(grammar_has_loops(&g), cases[i].loops, "%s", cases[i].text);
		cr_expect(grammar_remove_loops(&g, &d, &changed));
		cr_expect_eq(changed, cases[i].loops, "%s", cases[i].text);
		cr_expect_not(grammar_has_loops(&g), "%s", cases[i].text);
		grammar_release(&g);
		diag_release(&d);
	}
}

Test(grammar_loops, too_large_a_rewriting_names_the_limit)
{
	char text[2000], *end = text + sprintf(text, "start: p start q | \"x\"\np: \"a\"?\nq:");
	for (int i = 0; i < 25; i++) end += sprintf(end, " p");
	struct diag d = {0};
	struct grammar g = {0};
	bool changed;
	cr_assert(grammar_parse("test.lark", text, strlen(text), NULL, &d, &g));
	cr_expect_not(grammar_remove_loops(&g, &d, &changed));
	cr_expect(strstr(diag_text(&d), "LOOPS_MAX_PRODUCTIONS"));
	grammar_release(&g);
	diag_release(&d);
}
