// Hard canonical masks: the searches of one mask have a limit together, and what they find does not depend on it.
#include <criterion/criterion.h>

#include "../../lib/runtime/core/runtime_internal.h"
#include "../../lib/runtime/canonical/canonical.h"

#include "../../lib/canonical/canonical.h"
#include "../../lib/compile/compile.h"
#include "../../lib/writer/artifact_image.h"

// Overlapping terminals, after each of which nearly every token has to be searched for.
static const char hard_grammar[] = "start: r0\n"
								   "T0: /[ \\t\\n]+/\n"
								   "T1: /[一-龥]{1,4}/\n"
								   "T2: /[0-9]+/\n"
								   "T3: \"好\"\n"
								   "T4: \"007\\\"'ll's\"\n"
								   "T5: /[a-z]{1,5}/\n"
								   "r0: r0 r1 T1 r0* | T3\n"
								   "r1: T4 T1 T5 r0+ | T1 | T1\n"
								   "r2: T3 T4? T2* T0+ | T3\n"
								   "r3: r1+ T2+ T5 T3+ | T5+ r1 | T3+ T5 T3 | T4\n";

static struct vocab v;
static struct encoder *e;
static struct canonical tables;
static struct diag d;
static uint8_t *bytes;
static gcdc_artifact *artifact;

static void open_grammar(const char *text)
{
	struct grammar g;
	struct compiled c;
	struct canon_section sections[CANON_SECTIONS];
	struct artifact_canon info;
	size_t len;
	gcdc_refusal why;
	cr_assert(vocab_load_default(NULL, &d, &v) && (e = encoder_load_default(&d)));
	cr_assert(canonical_build(e, &v, &d, &tables, NULL));
	cr_assert(grammar_parse("hard.lark", text, strlen(text), NULL, &d, &g), "%s", diag_text(&d));
	canonical_sections(&tables, sections);
	info = tables.info, info.mode = CANON_HARD, sections[0].bytes = &info;
	struct compile_options options = {.canonical = sections, .costs = COMPILE_COSTS_OFF};
	cr_assert(compile_image(&g, &v, &options, &d, &c), "%s", diag_text(&d));
	cr_assert(artifact_encode(&c.image, &(struct artifact_write_options){.raw = true}, &d, &bytes, &len));
	cr_assert_eq(gcdc_artifact_open_memory(bytes, len, NULL, &artifact, &why), GCDC_OK, "%s", why.what);
	compile_release(&c);
	grammar_release(&g);
}

static void setup(void) { open_grammar(hard_grammar); }

static void teardown(void)
{
	gcdc_artifact_close(artifact);
	free(bytes);
	canonical_release(&tables);
	encoder_free(e);
	vocab_release(&v);
	diag_release(&d);
}

static gcdc_matcher *behind(const char *text)
{
	gcdc_matcher *m;
	uint32_t *ids, n;
	cr_assert_eq(gcdc_matcher_new(artifact, NULL, &m), GCDC_OK);
	cr_assert(encoder_encode(e, (struct encoder_text){text, strlen(text), true}, &ids, &n, &d));
	for (uint32_t i = 0; i < n; i++) cr_assert_eq(gcdc_matcher_accept(m, ids[i]), GCDC_OK);
	free(ids);
	return m;
}

// Work that the first mask behind a text takes. With half of it there is an error, and a mask of zeros; then, with
// enough of it, the same mask.
static uint32_t work_of(const char *text)
{
	gcdc_info info;
	gcdc_artifact_info(artifact, &info);
	uint32_t *mask = mem_calloc(info.mask_words, 4), *again = mem_calloc(info.mask_words, 4), any = 0;
	canonical_caches_free(artifact);  // nothing is known
	gcdc_matcher *m = behind(text), *late = behind(text);
	cr_assert_eq(gcdc_matcher_fill(m, mask, info.mask_words, NULL), GCDC_OK);
	uint32_t work = m->cache->work;
	if (work > 100) {
		cr_assert(canonical_cache_of(late));
		late->cache->work_most = work / 2;
		cr_expect_eq(gcdc_matcher_fill(late, again, info.mask_words, NULL), GCDC_ERR_SEARCH, "behind \"%s\"", text);
		for (uint32_t w = 0; w < info.mask_words; w++) any |= again[w];
		cr_expect_eq(any, 0);
		late->cache->work_most = CANON_WORK_MAX;
	}
	cr_expect_eq(gcdc_matcher_fill(late, again, info.mask_words, NULL), GCDC_OK);
	cr_expect_arr_eq(mask, again, info.mask_words * 4, "another mask behind \"%s\"", text);
	gcdc_matcher_free(m);
	gcdc_matcher_free(late);
	free(mask), free(again);
	return work;
}

Test(canonical_work, searches_of_one_mask_have_a_limit_together, .init = setup, .fini = teardown)
{
	static const char *const texts[] = {"", "好", "好007\"'ll's", "好007\"'ll's一", "好007\"'ll's一abc", "好一"};
	uint32_t most = 0;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		uint32_t work = work_of(texts[i]);
		if (work > most) most = work;
	}
	cr_expect_gt(most, 1000, "nothing was searched for (%u)", most);
	cr_expect_lt(most, CANON_WORK_MAX / 2, "%u", most);
}

// Work of all masks on the way through a text; the last of them.
static uint64_t read_text(uint32_t *mask, uint32_t words)
{
	static const char text[] = "好007\"'ll's一abc";
	gcdc_matcher *m;
	uint32_t *ids, n;
	uint64_t work = 0;
	cr_assert_eq(gcdc_matcher_new(artifact, NULL, &m), GCDC_OK);
	cr_assert(encoder_encode(e, (struct encoder_text){text, strlen(text), true}, &ids, &n, &d));
	for (uint32_t i = 0; i <= n; i++) {
		cr_assert_eq(gcdc_matcher_fill(m, mask, words, NULL), GCDC_OK);
		work += m->cache->work;
		if (i < n) cr_assert_eq(gcdc_matcher_accept(m, ids[i]), GCDC_OK);
	}
	gcdc_matcher_free(m);
	free(ids);
	return work;
}

// The second visit of a place finds nearly all known, and the same mask. `visit` returns its work.
static void second_visit_is_cheap(uint64_t (*visit)(uint32_t *mask, uint32_t words))
{
	gcdc_info info;
	gcdc_artifact_info(artifact, &info);
	uint32_t *mask = mem_calloc(info.mask_words, 4), *again = mem_calloc(info.mask_words, 4);
	uint64_t first = visit(mask, info.mask_words), second = visit(again, info.mask_words);
	cr_expect_gt(first, 1000);
	cr_expect_lt(second, first / 10, "%llu of %llu", (unsigned long long)second, (unsigned long long)first);
	cr_expect_arr_eq(mask, again, info.mask_words * 4);
	free(mask), free(again);
}

Test(canonical_work, a_family_begins_with_what_an_ended_one_has_found_out, .init = setup, .fini = teardown)
{
	second_visit_is_cheap(read_text);
}

Test(canonical_work, an_artifact_keeps_few_caches, .init = setup, .fini = teardown)
{
	gcdc_matcher *m[CANON_PARKED + 2];
	const struct canonical_cache *cache[CANON_PARKED + 2];
	uint32_t n = 0;
	for (uint32_t i = 0; i < CANON_PARKED + 2; i++) m[i] = behind("好"), cache[i] = m[i]->cache;
	for (uint32_t i = 0; i < CANON_PARKED + 2; i++)
		for (uint32_t k = 0; k < i; k++) cr_expect_neq(cache[i], cache[k], "two families have one cache");
	for (uint32_t i = 0; i < CANON_PARKED + 2; i++) gcdc_matcher_free(m[i]);
	for (uint32_t i = 0; i < CANON_PARKED; i++) n += artifact->canonical_parked[i] != NULL;
	cr_expect_eq(n, CANON_PARKED);
}

// Tokens of a random text that has two parses there.
static uint32_t tokens[64], n_tokens;
static void find_two_parses(uint32_t *mask, uint32_t words)
{
	uint64_t random = 1;
	for (uint32_t k = 0; k < 200; k++) {
		gcdc_matcher *m;
		uint32_t n = 0, n_parses = 1;
		cr_assert_eq(gcdc_matcher_new(artifact, NULL, &m), GCDC_OK);
		while (n < sizeof tokens / sizeof *tokens && n_parses == 1 && !gcdc_matcher_fill(m, mask, words, NULL)) {
			uint32_t found = 0;
			for (uint32_t w = 0; w < words; w++)
				for (uint32_t left = mask[w]; left; left &= left - 1) {
					random = random * 6364136223846793005u + 1442695040888963407u;
					if ((random >> 33) % ++found == 0) tokens[n] = w * 32 + (uint32_t)__builtin_ctz(left);
				}
			if (gcdc_matcher_accept(m, tokens[n++])) break;
			n_parses = m->now->n;
		}
		gcdc_matcher_free(m);
		n_tokens = n;
		if (n_parses > 1) return;
	}
	cr_assert_fail("none of 200 texts has two parses");
}

// Work of a mask behind them; the first visit looks for them, and forgets what that found out.
static uint64_t work_behind_two_parses(uint32_t *mask, uint32_t words)
{
	if (!n_tokens) find_two_parses(mask, words), canonical_caches_free(artifact);
	gcdc_matcher *m;
	cr_assert_eq(gcdc_matcher_new(artifact, NULL, &m), GCDC_OK);
	for (uint32_t i = 0; i < n_tokens; i++) cr_assert_eq(gcdc_matcher_accept(m, tokens[i]), GCDC_OK);
	cr_assert_gt(m->now->n, 1);
	cr_expect_eq(gcdc_matcher_fill(m, mask, words, NULL), GCDC_OK);
	uint32_t work = m->cache->work;
	gcdc_matcher_free(m);
	return work;
}

// Each parse has memos, so the second visit searches for nothing.
Test(canonical_work, masks_of_several_parses_are_kept, .init = setup, .fini = teardown)
{
	second_visit_is_cheap(work_behind_two_parses);
}

static uint32_t token_spelled(const char *text)
{
	for (uint32_t t = 0; t < v.n_tokens; t++)
		if (v.offset[t + 1] - v.offset[t] == strlen(text) && !memcmp(v.bytes + v.offset[t], text, strlen(text)))
			return t;
	cr_assert_fail("\"%s\" is no token", text);
	return 0;
}

static bool allows(const char *before, const char *token)
{
	gcdc_info info;
	gcdc_artifact_info(artifact, &info);
	uint32_t *mask = mem_calloc(info.mask_words, 4), t = token_spelled(token);
	gcdc_matcher *m = behind(before);
	cr_expect_eq(gcdc_matcher_fill(m, mask, info.mask_words, NULL), GCDC_OK);
	bool has = mask[t / 32] >> t % 32 & 1;
	gcdc_matcher_free(m);
	free(mask);
	return has;
}

// The tokenizer merges `o` with `r` before it merges two `o`: it cuts `oor` as `o` `or`, `ooor` as `oo` `or`.
static void setup_depths(void)
{
	open_grammar("start: e \"r\"\n"
	             "e: \"a\" e \"o\" | \"7\"\n");
}

// What a search has found on one stack is not taken for another that differs below the frames on top.
Test(canonical_work, verdicts_rest_on_all_frames_that_were_read, .init = setup_depths, .fini = teardown)
{
	for (uint32_t order = 0; order < 2; order++) {
		canonical_caches_free(artifact);
		if (order) cr_expect_not(allows("aaa7", "o"), "`oo` `or` is what is left to write");
		cr_expect(allows("aa7", "o"), "`o` `or` is what is left to write");
		cr_expect_not(allows("aaa7", "o"), "`oo` `or` is what is left to write");
		cr_expect(allows("aaa7", "oo"));
	}
}
