// What the parser tables say about places inside brackets: the scoped terminal is skipped exactly there.
#include <criterion/criterion.h>

#include "../../lib/lr/lr.h"

struct fixture {
	struct arena arena;
	struct diag d;
	struct grammar g;
	struct lr lr;
};

static void build(struct fixture *f, const char *text)
{
	*f = (struct fixture){0};
	cr_assert(grammar_parse("<test>", text, strlen(text), NULL, &f->d, &f->g), "%s", diag_text(&f->d));
	cr_assert(lr_build(&f->g, &(struct lr_options){0}, &f->arena, &f->d, &f->lr), "%s", diag_text(&f->d));
	cr_assert_null(lr_check(&f->lr));
}

static void release(struct fixture *f)
{
	arena_release(&f->arena);
	grammar_release(&f->g);
	diag_release(&f->d);
}

static terminal_id find(const struct grammar *g, const char *name)
{
	for (terminal_id t = 0; t < g->n_terminals; t++)
		if (strcmp(g->terminals[t].name, name) == 0) return t;
	cr_assert_fail("no terminal %s", name);
	return 0;
}

// Reads names of terminals, one a word; after each says whether `skipped` is skipped: '1', '0', or 'x' when the
// terminal was not viable.
static void read_all(const struct fixture *f, const char *words, const char *skipped, char *out)
{
	lr_state stack[100] = {LR_BOTTOM};
	uint32_t n = 1, len = 0;
	terminal_id skip = find(&f->g, skipped);
	char copy[300];
	snprintf(copy, sizeof copy, "%s", words);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
		terminal_id t = find(&f->g, word);
		uint32_t a;
		while (a = lr_action(&f->lr, stack[n - 1], t), a && !ACTION_IS_SHIFT(a) && a != ACTION_SKIP) {
			struct lr_production p = f->lr.production[a / 2 - 1];
			n -= p.length;
			stack[n] = lr_goto(&f->lr, stack[n - 1], p.lhs), n++;
		}
		if (ACTION_IS_SHIFT(a)) stack[n++] = a / 2;
		out[len++] = !a ? 'x' : lr_action(&f->lr, stack[n - 1], skip) == ACTION_SKIP ? '1' : '0';
		bool in_context = bits_test(f->lr.context + (size_t)f->lr.context_of[stack[n - 1]] * f->lr.context_words, skip);
		cr_expect(out[len - 1] != '1' || in_context, "skipped, but it does not compete: %s", words);
		if (!a) break;
	}
	out[len] = 0;
}

#define EXPECT(f, words, skipped, expected)                                                                            \
	do {                                                                                                               \
		char got_[100];                                                                                                \
		read_all(f, words, skipped, got_);                                                                             \
		cr_expect_str_eq(got_, expected, "%s: got %s", words, got_);                                                   \
	} while (0)

Test(lr_scope, newlines_are_skipped_inside_brackets)
{
	struct fixture f;
	build(&f, "start: (e NL)*\ne: X | \"(\" e (\",\" e)* \")\" | \"[\" e? \"]\"\nX: \"x\"\nNL: \"\\n\"\n"
	          "%ignore NL inside \"(\" \")\"\n");
	EXPECT(&f, "X NL X NL", "NL", "0000");
	EXPECT(&f, "LPAR X COMMA LPAR X RPAR RPAR NL", "NL", "11111100");
	EXPECT(&f, "LPAR NL NL X NL RPAR NL X", "NL", "11111000");
	EXPECT(&f, "LSQB X RSQB NL", "NL", "0000");
	EXPECT(&f, "LSQB NL", "NL", "0x");
	EXPECT(&f, "LSQB LPAR X NL RPAR RSQB NL", "NL", "0111000");
	EXPECT(&f, "LPAR LSQB NL RSQB NL RPAR NL", "NL", "1111100");
	release(&f);
}

Test(lr_scope, outside_ends_it)
{
	struct fixture f;
	build(&f, "start: s*\ns: e NL\ne: X | \"(\" e \")\" | \"{\" s* \"}\"\nX: \"x\"\nNL: \"\\n\"\nWS: \" \"\n"
	          "%ignore NL inside \"(\" \")\" outside \"{\" \"}\"\n%ignore WS inside \"(\" \")\" outside \"{\" \"}\"\n");
	EXPECT(&f, "LPAR NL LBRACE X NL RBRACE NL RPAR NL", "NL", "110001100");
	EXPECT(&f, "LPAR NL LBRACE X NL RBRACE NL RPAR NL", "WS", "110001100");
	EXPECT(&f, "LPAR LBRACE NL", "NL", "10x");
	release(&f);
}

// Every state is inside or outside for all texts that lead to it: states that differ only in that stay apart.
Test(lr_scope, states_inside_and_outside_are_not_merged)
{
	struct fixture f;
	build(&f, "start: \"a\" x | \"(\" x \")\"\nx: \"x\"\nWS: \" \"\n%ignore WS inside \"(\" \")\"\n");
	EXPECT(&f, "A X", "WS", "00");
	EXPECT(&f, "LPAR WS X WS RPAR", "WS", "11110");
	EXPECT(&f, "A WS", "WS", "0x");
	release(&f);
}
