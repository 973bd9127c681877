// When a budget is far away in hard canonical mode (lib/runtime/canonical/far.c): each part of the bound.
#include <criterion/criterion.h>

#include "../../lib/runtime/core/runtime_internal.h"
#include "../../lib/runtime/canonical/far.h"

#include "../../lib/canonical/canonical.h"
#include "../../lib/compile/compile.h"
#include "../../lib/writer/artifact_image.h"

static struct vocab v;
static struct encoder *e;
static struct canonical tables;
static struct diag d;
static uint8_t *bytes;
static gcdc_artifact *artifact;
static gcdc_matcher *m;

static void setup(void)
{
	static const char text[] = "start: list\nlist: \"[\" [item (\",\" item)*] \"]\"\nitem: list | W\nW: /[a-z ]*;/\n";
	struct grammar g;
	struct compiled c;
	struct canon_section sections[CANON_SECTIONS];
	struct artifact_canon info;
	size_t len;
	gcdc_refusal why;
	cr_assert(vocab_load_default(NULL, &d, &v) && (e = encoder_load_default(&d)));
	cr_assert(canonical_build(e, &v, &d, &tables, NULL));
	cr_assert(grammar_parse("far.lark", text, strlen(text), NULL, &d, &g), "%s", diag_text(&d));
	canonical_sections(&tables, sections);
	info = tables.info, info.mode = CANON_HARD, sections[0].bytes = &info;
	struct compile_options options = {.canonical = sections, .costs = COMPILE_COSTS_ALIGNED};
	cr_assert(compile_image(&g, &v, &options, &d, &c), "%s", diag_text(&d));
	cr_assert(artifact_encode(&c.image, &(struct artifact_write_options){.raw = true}, &d, &bytes, &len));
	cr_assert_eq(gcdc_artifact_open_memory(bytes, len, NULL, &artifact, &why), GCDC_OK, "%s", why.what);
	cr_assert_eq(gcdc_matcher_new(artifact, NULL, &m), GCDC_OK);
	cr_assert(canonical_cache_of(m) && artifact->canonical.bound.is_there);
	compile_release(&c);
	grammar_release(&g);
}

static void teardown(void)
{
	gcdc_matcher_free(m);
	gcdc_artifact_close(artifact);
	free(bytes);
	canonical_release(&tables);
	encoder_free(e);
	vocab_release(&v);
	diag_release(&d);
}

static uint32_t least(void) { return far_least(m, m->now); }

static void check_parts(void)
{
	const struct canonical_bound *b = &artifact->canonical.bound;
	struct canonical_ahead *ahead = &m->cache->ahead;
	*ahead = (struct canonical_ahead){0};
	const uint32_t one = least(), text = b->frame + b->token + (FAR_CHARACTERS + 1) * b->terminal + b->lexeme;
	cr_expect_eq(one, text + FAR_AHEAD + FAR_CHARACTERS);
	ahead->steps = 5;
	cr_expect_eq(least(), one + 4);
	*ahead = (struct canonical_ahead){.inside = FAR_AHEAD + 7};
	cr_expect_eq(least(), one + 7);
	*ahead = (struct canonical_ahead){.more = b->token + 9};
	cr_expect_eq(least(), one + 9);
	*ahead = (struct canonical_ahead){0};
	cr_assert_eq(gcdc_matcher_accept_bytes(m, "[[", 2), GCDC_OK);  // the second one pends
	cr_expect_eq(least(), one + b->frame);
}

static void check_unknown(void)
{
	struct canonical_ahead *ahead = &m->cache->ahead;
	gcdc_matcher_reset(m);
	struct frame *top = &m->pool->at[m->now->at[0].frame];
	*ahead = (struct canonical_ahead){.inside = FAR_MOST};
	cr_expect_neq(least(), ARTIFACT_NONE);
	*ahead = (struct canonical_ahead){.inside = FAR_MOST + 1};
	cr_expect_eq(least(), ARTIFACT_NONE);
	*ahead = (struct canonical_ahead){.more = FAR_NEVER};
	cr_expect_eq(least(), ARTIFACT_NONE);
	*ahead = (struct canonical_ahead){0};
	const uint32_t depth = top->depth;
	top->depth |= FRAME_BRANCHED;
	cr_expect_eq(least(), ARTIFACT_NONE, "several stacks");
	top->depth = depth;
	artifact->info.n_lines = 1;
	cr_expect_eq(least(), ARTIFACT_NONE, "columns");
	artifact->info.n_lines = 0;
	artifact->regex.info = (const void *)artifact;
	cr_expect_eq(least(), ARTIFACT_NONE, "one regular expression");
	artifact->regex.info = NULL;
	artifact->canonical.bound.is_there = false;
	cr_expect_eq(least(), ARTIFACT_NONE);
	artifact->canonical.bound.is_there = true;
	cr_expect_neq(least(), ARTIFACT_NONE);
}

// The end of the text may be one token more.
static void check_end(void)
{
	for (uint32_t eos = 0; eos < 2; eos++) {
		m->budget_counts_eos = eos;
		m->now->left = least() + eos;
		cr_expect(!far_is(m, m->now));
		m->now->left++;
		cr_expect(far_is(m, m->now));
	}
	m->now->left = GCDC_NONE;
}

Test(far, budgets_are_far_by_each_part_of_the_bound, .init = setup, .fini = teardown)
{
	check_parts();
	check_unknown();
	check_end();
}
