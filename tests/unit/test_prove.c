// The proof at the end of a compilation: what holds passes, and each kind of contradiction is found and told.
#include <criterion/criterion.h>

#include "../../lib/api/prove.h"
#include "../../lib/compile/compile.h"

struct made {
	struct diag d;
	struct vocab v;
	struct compiled c;
};

// The tokens are the bytes from `first` on, n of them.
static void make_for(struct made *m, const char *text, uint8_t first, uint32_t n, bool is_language)
{
	struct grammar g;
	uint8_t bytes[256], kind[257];
	const uint8_t *at[257];
	uint32_t len[257], eos = n;
	for (uint32_t i = 0; i <= n; i++) {
		if (i < n) bytes[i] = (uint8_t)(first + i);
		at[i] = bytes + (i & 255), len[i] = i < n, kind[i] = i < n ? TOKEN_TEXT : TOKEN_CONTROL;
	}
	*m = (struct made){0};
	cr_assert(grammar_parse("<test>", text, strlen(text), NULL, &m->d, &g), "%s", diag_text(&m->d));
	vocab_build(&(struct vocab_tokens){n + 1, at, len, kind, 1, &eos}, &m->v);
	const struct compile_options options = {.costs = COMPILE_COSTS_EXACT};
	cr_assert_eq(compile_image(&g, &m->v, &options, &m->d, &m->c), is_language, "%s", diag_text(&m->d));
	grammar_release(&g);
}

static void make(struct made *m, const char *text) { make_for(m, text, 0, 256, true); }

static gcdc_status proved(struct made *m, bool may_be_empty, struct proof *proof)
{
	uint8_t *bytes;
	size_t len;
	cr_assert(artifact_encode(&m->c.image, &(struct artifact_write_options){.raw = true}, &m->d, &bytes, &len), "%s",
	          diag_text(&m->d));
	gcdc_status code = prove_artifact(bytes, len, &(struct prove_options){true, may_be_empty, 2}, &m->d, proof);
	free(bytes);
	return code;
}

static void release(struct made *m)
{
	compile_release(&m->c);
	vocab_release(&m->v);
	diag_release(&m->d);
}

#define LISTS "start: v\nv: \"[\" [v (\",\" v)*] \"]\" | N\nN: /[0-9]+(\\.[0-9]+)?/\n%ignore \" \"\n"

Test(prove, what_holds_passes)
{
	const char *const grammars[] = {
		LISTS,
		"start: \"a\"",
		"start: s\ns: \"i\" s | \"i\" s \"e\" s | \"x\"\n",  // a conflict that is kept
		("start: stmt*\nstmt: NAME _NL | NAME \":\" _NL _I stmt+ _D\nNAME: /[a-z]+/\n_NL: /(\\n *)+/\n%indent "
	     "newline=_NL indent=_I dedent=_D\n"),
	};
	for (size_t i = 0; i < sizeof grammars / sizeof *grammars; i++) {
		struct made m;
		struct proof proof;
		make(&m, grammars[i]);
		cr_expect_eq(proved(&m, false, &proof), GCDC_OK, "%s", diag_text(&m.d));
		cr_expect_geq(proof.n_steps, 300, "%zu: %u steps", i, proof.n_steps);
		release(&m);
	}
}

Test(prove, texts_are_closed_with_the_tables_of_costs)
{
	struct made m;
	struct proof proof;
	make(&m, LISTS);
	cr_expect_eq(proved(&m, false, &proof), GCDC_OK, "%s", diag_text(&m.d));
	cr_expect_gt(proof.n_closed, 0);
	release(&m);
}

Test(prove, a_mask_that_allows_too_much_is_found_and_the_text_is_shown)
{
	struct made m;
	struct proof proof;
	make(&m, LISTS);
	const struct artifact_info *i = &m.c.image.info;
	cr_assert_gt(i->n_dense, 0);
	// `@` becomes allowed where it was not, in the place of a digit: opening proves how many tokens a set has.
	struct artifact_image *image = &m.c.image;
	uint32_t *dense = mem_alloc((size_t)i->n_dense * i->mask_words * 4 + 4);
	memcpy(dense, image->dense, (size_t)i->n_dense * i->mask_words * 4);
	for (uint32_t k = 0; k < i->n_dense; k++) {
		uint32_t *row = dense + k * i->mask_words;
		bool has_sign = row['@' / 32] >> '@' % 32 & 1, has_digit = row['1' / 32] >> '1' % 32 & 1;
		if (has_sign == has_digit) continue;
		row['@' / 32] ^= 1u << '@' % 32, row['1' / 32] ^= 1u << '1' % 32;
	}
	image->dense = dense;
	cr_expect_eq(proved(&m, false, &proof), GCDC_ERR_INTERNAL);
	const char *said = diag_text(&m.d);
	cr_expect(strstr(said, "error: the new artifact contradicts itself: "), "%s", said);
	cr_expect(strstr(said, "This is a bug in gcdc; nothing was written"), "%s", said);
	cr_expect(strstr(said, "please report it"), "%s", said);
	free(dense);
	release(&m);
}

// NAME takes every "x" behind it, whichever parse it is.
Test(prove, an_empty_language_with_conflicts_is_refused)
{
	struct made m;
	make_for(&m, "start: s\ns: s s | s NAME \"x\" | NAME \"x\"\nNAME: /[a-z]+/\n", 0, 256, false);
	cr_expect(strstr(diag_text(&m.d), "error: no text is in this language"), "%s", diag_text(&m.d));
	release(&m);
}

// With the token "a" alone only `aaa` and longer texts can be spelled: the last "a" is T0 for the parse that wants
// nothing else there.
Test(prove, what_one_parse_alone_can_read_is_a_language)
{
	struct made m;
	struct proof proof;
	make_for(&m, "T0:\"a\"..\"c\"\nstart:[r3\"a\"]T0\nr3:\"a\"|(r3)+r3\n", 'a', 1, true);
	cr_expect_eq(proved(&m, true, &proof), GCDC_OK, "%s", diag_text(&m.d));
	cr_expect_gt(proof.n_steps, 0);
	release(&m);
}
