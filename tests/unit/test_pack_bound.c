// For which grammars there is a bound of bytes to the text's end (lib/compile/pack_bound.c), for hard masks under
// budgets that are far away.
#include <criterion/criterion.h>

#include "../../lib/canonical/canonical.h"
#include "../../lib/compile/compile.h"
#include "../../lib/writer/artifact_image.h"

static const struct {
	const char *grammar, *what;
	bool has_bound;
} cases[] = {
	{"start: list\nlist: \"[\" [item (\",\" item)*] \"]\"\nitem: list | W\nW: /[a-z ]*;/\n", "lists", true},
	{"start: s+\ns: NAME NL | NAME \":\" NL IN s+ DE\nNAME: /[a-z]+/\nNL: /(\\n *)+/\n"
     "%indent newline=NL indent=IN dedent=DE tab=8\n",
     "columns", false},
	{"start: \"<a>\" | \"<b\" \">\"\n", "a sign that ends an added token, behind others", true},
	{"start: \"<a|>\" | \"<b\" \"]\"\n", "what added tokens end in, in a lexeme", false},
	{"start: \"a|\" \">\" | \"b]\"\n", "the same of two lexemes", false},
	{"start: \"a|\" \" >\" | \"b]\"\n", "two lexemes with a blank between them", true},
	{"start: \"[\" /[^\\]]+/ \"]\"\n", "a lexeme that others end", true},
	{"start: \"[\" | \"<\" \"é\"\n", "a character beyond ASCII", false},
};

Test(pack_bound, is_there_for_these_grammars)
{
	struct vocab v;
	struct diag d = {0};
	struct canonical tables;
	struct canon_section sections[CANON_SECTIONS];
	struct encoder *e = NULL;
	cr_assert(vocab_load_default(NULL, &d, &v) && (e = encoder_load_default(&d)));
	cr_assert(canonical_build(e, &v, &d, &tables, NULL));
	canonical_sections(&tables, sections);
	struct artifact_canon info = tables.info;
	info.mode = CANON_HARD, sections[0].bytes = &info;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct grammar g;
		struct compiled c;
		const struct compile_options options = {.canonical = sections, .costs = COMPILE_COSTS_ALIGNED};
		cr_assert(grammar_parse("g.lark", cases[i].grammar, strlen(cases[i].grammar), NULL, &d, &g), "%s",
		          diag_text(&d));
		cr_assert(compile_image(&g, &v, &options, &d, &c), "%s: %s", cases[i].what, diag_text(&d));
		cr_expect_eq(c.image.n_far != 0, cases[i].has_bound, "%s", cases[i].what);
		compile_release(&c);
		grammar_release(&g);
	}
	canonical_release(&tables);
	encoder_free(e);
	vocab_release(&v);
	diag_release(&d);
}
