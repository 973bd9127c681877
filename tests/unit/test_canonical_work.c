// Hard canonical masks: the searches of one mask have a limit together, and what they find does not depend on it.
#include <criterion/criterion.h>

#include "../../lib/runtime/core/runtime_internal.h"
#include "../../lib/runtime/canonical/budget_mask.h"
#include "../../lib/runtime/canonical/canonical.h"

#include "hard_testing.h"

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

static void open_grammar(const char *text) { open_with(text, COMPILE_COSTS_OFF); }

static void setup(void) { open_grammar(hard_grammar); }

// max_work: 0: the default.
static gcdc_matcher *behind_within(const char *text, uint32_t max_work)
{
	gcdc_matcher *m;
	uint32_t *ids, n;
	cr_assert_eq(gcdc_matcher_new(artifact, &(gcdc_matcher_options){.max_work = max_work}, &m), GCDC_OK);
	cr_assert(encoder_encode(e, (struct encoder_text){text, strlen(text), true}, &ids, &n, &d));
	for (uint32_t i = 0; i < n; i++) cr_assert_eq(gcdc_matcher_accept(m, ids[i]), GCDC_OK);
	free(ids);
	return m;
}

static gcdc_matcher *behind(const char *text) { return behind_within(text, 0); }

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

static gcdc_status fill_anew(gcdc_matcher *m, uint32_t *mask)
{
	return gcdc_matcher_fill(m, mask, artifact->info.mask_words, NULL);
}

// Half of the work that a mask takes is not enough, for the matcher, its fork and its clone; twice is.
Test(canonical_work, the_caller_bounds_the_work_of_a_mask, .init = setup, .fini = teardown)
{
	static const char text[] = "好007\"'ll's一";
	gcdc_matcher *m = behind(text), *less, *fork, *clone, *none;
	uint32_t *mask = mem_calloc(artifact->info.mask_words, 4);
	cr_assert_eq(fill_anew(m, mask), GCDC_OK);
	const uint32_t units = m->cache->work * CANON_WORK_UNIT;
	cr_assert_gt(units, 1000);
	less = behind_within(text, units / 2);
	cr_assert_eq(gcdc_matcher_fork(less, &fork), GCDC_OK);
	cr_assert_eq(gcdc_matcher_clone(less, &clone), GCDC_OK);
	cr_expect_eq(fill_anew(less, mask), GCDC_ERR_SEARCH);
	cr_expect_eq(fill_anew(clone, mask), GCDC_ERR_SEARCH);
	cr_expect_eq(fork->cache, less->cache);
	cr_expect_eq(gcdc_matcher_copy(m, less), GCDC_ERR_ARGUMENT);
	cr_expect_eq(gcdc_matcher_copy(clone, less), GCDC_OK);
	gcdc_matcher_free(m), gcdc_matcher_free(less), gcdc_matcher_free(fork), gcdc_matcher_free(clone);
	canonical_caches_free(artifact);
	m = behind_within(text, 2 * units);
	cr_expect_eq(fill_anew(m, mask), GCDC_OK);
	gcdc_matcher_free(m);
	m = behind(text);  // takes over what the last one kept, not its limit
	cr_assert(canonical_cache_of(m));
	cr_expect_eq(m->cache->afford_most, GCDC_DEFAULT_WORK);
	gcdc_matcher_free(m);
	const gcdc_matcher_options wrong = {.max_work = GCDC_MAX_WORK + 1};
	cr_expect_eq(gcdc_matcher_new(artifact, &wrong, &none), GCDC_ERR_ARGUMENT);
	free(mask);
}

// Walks along the masks themselves, again and again in one family, so that masks are kept: each is as a family that
// knows nothing makes it. n_memos, memo_bytes: so much is kept.
static void expect_finished_masks(uint32_t n_memos, uint32_t memo_bytes, uint32_t walks)
{
	gcdc_info info;
	uint64_t random = 7;
	uint32_t n_kept = 0;
	gcdc_artifact_info(artifact, &info);
	uint32_t *mask = mem_calloc(info.mask_words, 4), *again = mem_calloc(info.mask_words, 4);
	gcdc_matcher *m, *fresh;
	cr_assert_eq(gcdc_matcher_new(artifact, NULL, &m), GCDC_OK);
	cr_assert(canonical_cache_of(m));
	m->cache->n_memos = n_memos, m->cache->memo_bytes_most = memo_bytes;
	for (uint32_t walk = 0; walk < walks; walk++) {
		uint32_t ids[6], n = 0;
		gcdc_matcher_reset(m);
		while (n < 6) {
			const gcdc_status status = gcdc_matcher_fill(m, mask, info.mask_words, NULL);
			if (status == GCDC_TERMINATED) break;
			cr_assert_eq(status, GCDC_OK);
			cr_assert_leq(m->cache->memo_bytes, memo_bytes);
			cr_assert_eq(gcdc_matcher_new(artifact, NULL, &fresh), GCDC_OK);
			for (uint32_t i = 0; i < n; i++) cr_assert_eq(gcdc_matcher_accept(fresh, ids[i]), GCDC_OK);
			cr_assert_eq(gcdc_matcher_fill(fresh, again, info.mask_words, NULL), GCDC_OK);
			cr_assert_arr_eq(mask, again, info.mask_words * 4, "walk %u at %u", walk, n);
			gcdc_matcher_free(fresh);
			canonical_caches_free(artifact);
			uint32_t found = 0;
			for (uint32_t w = 0; w < info.mask_words; w++)  // one of the first four: walks meet
				for (uint32_t left = mask[w]; left && found < 4; left &= left - 1) {
					random = random * 6364136223846793005u + 1442695040888963407u;
					if ((random >> 33) % ++found == 0) ids[n] = w * 32 + (uint32_t)__builtin_ctz(left);
				}
			if (!found || gcdc_matcher_accept(m, ids[n])) break;
			n++;
		}
	}
	for (uint32_t i = 0; i < CANON_MEMOS && m->cache->memos[MEMO_FAR]; i++)
		n_kept += m->cache->tags[MEMO_FAR][i].is_made && m->cache->memos[MEMO_FAR][i].content;
	cr_expect_gt(n_kept, 3, "nothing has a number");
	gcdc_matcher_free(m);
	free(mask), free(again);
}

Test(canonical_work, finished_masks_are_those_made_anew, .init = setup, .fini = teardown)
{
	expect_finished_masks(CANON_MEMOS, CANON_MEMO_BYTES, 60);
}

static void setup_nested(void)
{
	open_grammar("start: r\nr: \"(\" r+ \")\" | \"[\" r+ \"]\" | \"<\" r \">\" | T1 | T5 T2 | T4 T1\n"
	             "T1: /[一-龥]{1,4}/\nT2: /[0-9]+/\nT4: \"007\\\"'ll's\"\nT5: /[a-z]{1,5}/\n");
}

// A memo that takes the place of another one must not take its number as well: masks were those of the other memo.
Test(canonical_work, finished_masks_are_those_made_anew_where_memos_give_way, .init = setup_nested, .fini = teardown)
{
	expect_finished_masks(MEMO_PLACES, CANON_MEMO_BYTES, 100);
}

Test(canonical_work, finished_masks_are_those_made_anew_where_memos_have_little_room, .init = setup_nested,
     .fini = teardown)
{
	expect_finished_masks(CANON_MEMOS, 1024, 100);
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

// Does a character from `from` on, before `to`, come behind the way? The slow answer.
static bool some_comes(const struct canonical_way *way, uint32_t from, uint32_t to, uint32_t flags)
{
	const struct canonical_tables *c = &artifact->canonical;
	const uint32_t how = way->pending == 1u << CANON_STEP_BEGIN ? CANON_STEP_BEGIN
	                     : way->pending == 1u << CANON_STEP_ON  ? CANON_STEP_ON
	                                                            : CANON_STEP_EITHER;
	for (uint32_t at = from; at < to && at < 0x110000; at++) {
		const uint32_t page = c->pages[at / CANON_PAGE_SIZE];
		const struct artifact_canon_kind *k = &c->kinds[c->chars[page * CANON_PAGE_SIZE + at % CANON_PAGE_SIZE]];
		if (k->flags == flags && c->steps[(way->set * c->info->n_groups + k->group) * CANON_STEPS + how]) return true;
	}
	return false;
}

// Of all places inside one character: `begun` bytes, the last of them from 128 on. Returns how many are dead ends.
static uint32_t expect_ends(gcdc_matcher *m, const uint8_t *begun, uint32_t n, uint32_t first, uint32_t shift)
{
	uint32_t n_dead = 0;
	for (uint32_t by_bytes = 0; by_bytes < 2; by_bytes++)
		for (uint32_t set = 1; set < artifact->canonical.info->n_sets; set++)
			for (uint32_t pending = 1; pending < 4; pending++) {
				struct canonical_place p = {.n_ways = 1, .n_begun = (uint8_t)n, .by_bytes = (uint8_t)by_bytes};
				p.way[0] = (struct canonical_way){.set = (uint16_t)set, .pending = (uint16_t)pending};
				memcpy(p.begun, begun, n);
				const bool may =
					some_comes(&p.way[0], first << shift, (first + 1) << shift, by_bytes ? CANON_KIND_UNKNOWN : 0);
				cr_assert_eq(canonical_may_end_character(m, &p), may, "set %u, %02x .., %u bytes", set, begun[0], n);
				n_dead += !may;
			}
	return n_dead;
}

Test(canonical_work, inside_characters_the_kinds_of_all_that_begin_so_decide, .init = setup, .fini = teardown)
{
	gcdc_matcher *m = behind("");
	uint32_t n_dead = 0;
	cr_assert(canonical_cache_of(m));
	for (uint32_t lead = 0xC2; lead <= 0xF4; lead += lead < 0xE0 ? 5 : 1) {
		const uint32_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
		uint8_t begun[3] = {(uint8_t)lead};
		uint32_t first = lead & (0x7Fu >> size);
		n_dead += expect_ends(m, begun, 1, first, 6 * (size - 1));
		for (uint32_t next = 0x80; next < 0xC0 && size > 2; next += 7) {
			begun[1] = (uint8_t)next;
			n_dead += expect_ends(m, begun, 2, first << 6 | (next & 63), 6 * (size - 2));
			begun[2] = (uint8_t)(0x80 + next % 50);
			if (size == 4) n_dead += expect_ends(m, begun, 3, (first << 6 | (next & 63)) << 6 | (begun[2] & 63), 6);
		}
	}
	cr_expect_gt(n_dead, 1000, "%u", n_dead);
	gcdc_matcher_free(m);
}

static void setup_words(void)
{
	open_grammar("start: WORD+\n"
	             "WORD: /[a-z𠀀-𪛟]+[ ]{0,3}/\n");
}

// Behind a blank no letter begins a piece. F0 may begin a character that is none, F0 A0 only letters: that is seen
// without trying the tokens of their other bytes (796 of work).
Test(canonical_work, bytes_of_characters_that_cannot_come_are_not_tried, .init = setup_words, .fini = teardown)
{
	uint32_t work = work_of("ab ");
	cr_expect_lt(work, 400, "%u", work);
}

// The tokens that the compiler has not settled behind a text, if the mask has them; and each token of the mask is one
// behind which a search finds a way on.
static uint32_t n_unsettled(const char *text)
{
	gcdc_info info;
	gcdc_artifact_info(artifact, &info);
	uint32_t *mask = mem_calloc(info.mask_words, 4);
	gcdc_matcher *m = behind(text);
	cr_assert_eq(gcdc_matcher_fill(m, mask, info.mask_words, NULL), GCDC_OK);
	for (uint32_t t = 0; t < info.n_tokens; t++) {
		bool found = true;
		if (!(mask[t / 32] >> t % 32 & 1)) continue;
		cr_expect_eq(canonical_search(m, m->now, t, NULL, &found), GCDC_OK);
		cr_expect(found, "behind \"%s\" token %u leads nowhere", text, t);
	}
	const uint32_t n = artifact->canonical.unsettled_at[m->now->at[0].lex_state].n;
	gcdc_matcher_free(m);
	free(mask);
	return n;
}

static void setup_characters(void)
{
	open_grammar("start: \"1\" WORD+\n"
	             "WORD: /[a-z]{2}[一-龥]/\n");
}

// The tokenizer joins two letters to no character behind them: without it all tokens of two letters are left.
Test(canonical_work, characters_beyond_ascii_lead_on, .init = setup_characters, .fini = teardown)
{
	uint32_t n = n_unsettled("1");
	cr_expect_leq(n, 10, "%u", n);
}

static void setup_blanks(void)
{
	open_grammar("start: \"1\" (BLANKS WORD)+\n"
	             "BLANKS: /[ ]{2}/\n"
	             "WORD: /[一-龥]/\n");
}

// The last of several blanks is one piece with the letter behind them.
Test(canonical_work, a_character_that_cannot_stand_there_does_not_lead_on, .init = setup_blanks, .fini = teardown)
{
	cr_expect_gt(n_unsettled("1"), 0);
	cr_expect_gt(n_unsettled("1 "), 0);
	cr_expect_not(allows("1", "  "));
	cr_expect(allows("1", " "));
}

static void setup_ends(void)
{
	open_grammar("start: \"1\" [\"2\"]\n"
	             "BLANKS: /[ \\n]+/\n"
	             "%ignore BLANKS\n");
}

// Behind the last lexeme nothing but blanks and the end may come: 23 tokens otherwise.
Test(canonical_work, the_end_of_the_text_leads_on, .init = setup_ends, .fini = teardown)
{
	cr_expect_leq(n_unsettled("12 "), 1);
}

static void setup_two_blanks(void)
{
	open_grammar("start: \"1\" BLANKS\n"
	             "BLANKS: /  /\n");
}

// Two tokens of one blank each are a text's only where a letter follows.
Test(canonical_work, the_end_leads_on_only_where_a_text_may_end, .init = setup_two_blanks, .fini = teardown)
{
	cr_expect(allows("1", "  "));
	cr_expect_not(allows("1", " "));
}

// Rows of a set of states, made by first and second characters, have what a look at each token finds.
Test(canonical_work, rows_of_a_set_have_the_tokens_that_surely_lead_on, .init = setup, .fini = teardown)
{
	gcdc_matcher *m = behind("");
	uint32_t n = 0;
	cr_assert(canonical_cache_of(m));
	for (uint32_t set = 1; set < artifact->canonical.info->n_sets; set++)
		for (uint32_t kind = 0; kind < ROW_KINDS; kind++) {
			const uint32_t *row = canonical_set_row(m, set, kind);
			const uint32_t how = kind == ROW_SURE ? CANON_STEP_BEGIN : CANON_STEP_EITHER;
			for (uint32_t t = 0; t < v.n_tokens; t++) {
				const bool leads = v.offset[t] < v.offset[t + 1] && canonical_surely_live(artifact, set, t, how);
				cr_assert_eq(row_has(row, t), leads, "set %u, kind %u, token %u", set, kind, t);
				n += leads;
			}
		}
	cr_expect_gt(n, 1000);
	gcdc_matcher_free(m);
}

static void setup_late_end(void) { open_with("start: \"<\" /[^é]*é/\n", COMPILE_COSTS_ALIGNED); }

// By aligned costs every token of the text may be a step towards its end, and the one that is comes late among them.
Test(canonical_work, a_search_looks_at_all_tokens_of_a_long_list, .init = setup_late_end, .fini = teardown)
{
	gcdc_matcher *m = behind("<");
	uint32_t *ids, n, least;
	cr_assert(encoder_encode(e, (struct encoder_text){"é", 2, true}, &ids, &n, &d));
	cr_assert_eq(gcdc_artifact_costs(artifact), GCDC_COSTS_ALIGNED);
	cr_assert_eq(gcdc_matcher_min_tokens(m, false, &least), GCDC_OK);
	cr_expect_eq(least, n, "%u, not %u; first token %u", least, n, ids[0]);
	cr_expect_eq(gcdc_matcher_set_budget(m, n, false, NULL), GCDC_OK);
	free(ids);
	gcdc_matcher_free(m);
}

static void setup_with(void)
{
	open_with("start: s\n"
	          "s: WITH NAME AS \"(\" s \")\" s | SELECT NAME\n"
	          "WITH: /with/i\n"
	          "AS: /as/i\n"
	          "SELECT: /select/i\n"
	          "NAME: /[a-z_é]+|\"[^\"]*\"|`[^`]*`/\n"
	          "%ignore /[ \\n\\t]+/\n"
	          "%ignore /--[^\\n]*/\n",
	          COMPILE_COSTS_ALIGNED);
}

// Only odd spellings of the word go on behind its first letter, and a quoted name takes any tokens. A search that
// allowed each position some steps that bring the end no nearer, instead of the way as a whole, found 16 tokens.
Test(canonical_work, a_straight_search_counts_the_steps_aside_of_the_whole_way, .init = setup_with, .fini = teardown)
{
	uint32_t least;
	gcdc_matcher *m = behind("w");
	cr_assert_eq(gcdc_matcher_min_tokens(m, true, &least), GCDC_OK);
	cr_expect_leq(least, 10);
	gcdc_matcher_free(m);
}

// As much as any completion needs: dead ends are all that such a budget takes from the mask. The matcher is one, so
// that completions which were found at one place are tried at others, and get other numbers.
Test(canonical_work, far_from_the_end_of_a_budget_masks_are_those_without, .init = setup_with, .fini = teardown)
{
	static const char text[] = "with ab as (select \"x y\") with `é` as (select a_b --c\n) select \"a";
	uint32_t *ids, n, words = artifact->info.mask_words, *plain = calloc(words, 4), *mask = calloc(words, 4);
	gcdc_matcher *m = behind("");
	cr_assert(plain && mask && encoder_encode(e, (struct encoder_text){text, strlen(text), true}, &ids, &n, &d));
	for (uint32_t i = 0; i <= n; i++) {
		cr_assert_eq(gcdc_matcher_set_budget(m, GCDC_NONE, false, NULL), GCDC_OK);
		cr_assert_eq(gcdc_matcher_fill(m, plain, words, NULL), GCDC_OK);
		cr_assert_eq(gcdc_matcher_set_budget(m, 1000, false, NULL), GCDC_OK);
		cr_assert_eq(gcdc_matcher_fill(m, mask, words, NULL), GCDC_OK);
		for (uint32_t t = 0; t < v.n_tokens; t++)
			cr_expect_eq(row_has(mask, t), row_has(plain, t), "position %u, token %u", i, t);
		if (i < n) cr_assert_eq(gcdc_matcher_accept(m, ids[i]), GCDC_OK);
	}
	cr_expect_eq(gcdc_matcher_unpriced(m), 0);
	gcdc_matcher_free(m);
	free(ids), free(plain), free(mask);
}

// A matcher frees its results with its family; what depends on tokens and lexer alone was made anew by each family,
// some ms in its first mask.
Test(canonical_work, where_tokens_lead_is_kept_for_the_next_family, .init = setup_with, .fini = teardown)
{
	const uint32_t words = artifact->info.mask_words;
	uint32_t *first = calloc(words, 4), *second = calloc(words, 4);
	const struct token_ordered *order = NULL;
	const struct hard_tokens *kept = NULL;
	cr_assert(first && second);
	for (uint32_t family = 0; family < 2; family++) {
		gcdc_matcher *m = behind("select a_b --");
		if (family) cr_expect(order && kept && m->cache->order == order && m->cache->tokens == kept);
		cr_assert_eq(gcdc_matcher_set_budget(m, 12, false, NULL), GCDC_OK);
		cr_assert_eq(gcdc_matcher_fill(m, family ? second : first, words, NULL), GCDC_OK);
		order = m->cache->order, kept = m->cache->tokens;
		gcdc_matcher_free(m);
	}
	cr_expect_arr_eq(first, second, words * sizeof *first);
	free(first), free(second);
}

static void setup_three(void)
{
	open_with("start: NAME NAME NAME\nNAME: /[a-z]+/\n%ignore \" \"\n", COMPILE_COSTS_ALIGNED);
}

// Aligned prices counted a blank and the name behind it as two tokens: 4.
Test(canonical_work, prices_of_hard_mode_know_tokens_of_a_blank_and_a_name, .init = setup_three, .fini = teardown)
{
	uint32_t least;
	gcdc_matcher *m = behind("q");
	cr_expect_eq(gcdc_artifact_costs(artifact), GCDC_COSTS_ALIGNED);
	cr_assert_eq(gcdc_matcher_set_canonical(m, GCDC_CANONICAL_OFF), GCDC_OK);
	cr_assert_eq(gcdc_matcher_min_tokens(m, false, &least), GCDC_OK);
	cr_expect_eq(least, 2);
	gcdc_matcher_free(m);
}

// By aligned costs: half of the price of what follows a second name fits, and completions decide.
static void setup_names(void)
{
	open_with("start: NAME | NAME NAME \";\" \"~\"\nNAME: /[a-z]+/\n%ignore \" \"\n", COMPILE_COSTS_ALIGNED);
}

// Behind a name the text may end: so a letter that goes on in it needs nothing more. A second name is the same lexeme
// on another stack, where two tokens must follow. What is known of a completion on the one does not hold on the other.
Test(canonical_work, what_completions_do_is_kept_for_each_stack, .init = setup_names, .fini = teardown)
{
	uint32_t words = artifact->info.mask_words, *mask = calloc(words, 4), least;
	gcdc_matcher *m = behind("q");
	cr_assert(mask);
	cr_assert_eq(gcdc_matcher_min_tokens(m, false, &least), GCDC_OK);
	cr_expect_eq(least, 0);
	cr_assert_eq(gcdc_matcher_set_budget(m, 2, false, NULL), GCDC_OK);
	cr_assert_eq(gcdc_matcher_fill(m, mask, words, NULL), GCDC_OK);
	cr_expect(row_has(mask, token_spelled("q")), "a longer name");
	cr_expect_not(row_has(mask, token_spelled(" q")), "a second one");
	gcdc_matcher_free(m);
	free(mask);
}

static void setup_strings(void)
{
	open_with("start: \"[\" [item (\",\" item)*] \"]\"\nitem: STRING | WORD\nSTRING: /\"[^\"]*\"/\nWORD: /[a-zé]+/\n"
	          "%ignore /[ \\n]+/\n%ignore /#[^\\n]*\\n/\n",
	          COMPILE_COSTS_EXACT);
}

static void fill_within(gcdc_matcher *m, uint32_t budget, uint32_t many, uint32_t *mask)
{
	cr_assert_eq(gcdc_matcher_set_budget(m, budget, false, NULL), GCDC_OK);
	m->cache->many = many;
	cr_assert_eq(gcdc_matcher_fill(m, mask, artifact->info.mask_words, NULL), GCDC_OK);
}

// Rows of a lexeme and completions at hand, for many tokens, against searches for each token; by exact costs.
Test(canonical_work, masks_of_many_tokens_are_those_of_single_ones, .init = setup_strings, .fini = teardown)
{
	static const char text[] = "[\"a b\" ,é #c d\n,\"x!\",ab]";
	uint32_t *ids, n, words = artifact->info.mask_words, *many = calloc(words, 4), *few = calloc(words, 4), least;
	gcdc_matcher *a = behind(""), *b = behind("");
	cr_assert(many && few && encoder_encode(e, (struct encoder_text){text, strlen(text), true}, &ids, &n, &d));
	for (uint32_t i = 0; i <= n; i++) {
		cr_assert_eq(gcdc_matcher_min_tokens(a, false, &least), GCDC_OK);
		for (uint32_t more = 0; more < 3; more++) {
			fill_within(a, least + more, 1, many), fill_within(b, least + more, UINT32_MAX, few);
			for (uint32_t t = 0; t < v.n_tokens; t++)
				cr_expect_eq(row_has(many, t), row_has(few, t), "position %u, %u more, token %u", i, more, t);
		}
		cr_assert_eq(gcdc_matcher_set_budget(a, GCDC_NONE, false, NULL), GCDC_OK);
		cr_assert_eq(gcdc_matcher_set_budget(b, GCDC_NONE, false, NULL), GCDC_OK);
		if (i == n) break;
		cr_assert_eq(gcdc_matcher_accept(a, ids[i]), GCDC_OK);
		cr_assert_eq(gcdc_matcher_accept(b, ids[i]), GCDC_OK);
	}
	cr_expect_eq(gcdc_matcher_unpriced(a) + gcdc_matcher_unpriced(b), 0);
	gcdc_matcher_free(a), gcdc_matcher_free(b);
	free(ids), free(many), free(few);
}

// Ignored text between words of any length; a lookahead decides what blanks are, another one needs two bytes, and a
// dash goes on with ignored text or ends it.
static void setup_ignored(void)
{
	open_with("start: (A | B | N | S | \"-\")+\nA: /[a-z]+/\nB: / +(?=[0-9])/\nN: /[0-9]+/\nS: /\"[^\"\\n]*\"/\n"
	          "W.2: / +(?=[a-z\"])/\n%ignore W\n%ignore /#[^\\n]*\\n/\n%ignore /=+(?=ab)/\n%ignore /\\n+(-\\n)?/\n",
	          COMPILE_COSTS_ALIGNED);
}

// Where a token leads, byte by byte, by what hard_stays promises.
static uint32_t leads_to(uint32_t q, uint32_t context, uint32_t token)
{
	uint32_t at = v.offset[token];
	for (; at < v.offset[token + 1] && q; at++) {
		const uint32_t class = artifact->info.class_of[v.bytes[at]];
		const struct artifact_lex_state *lex = &artifact->lex_states[q];
		const uint32_t next = artifact->lex_next[(size_t)q * artifact->info.n_classes + class];
		if (!(next & LEX_CUT)) {
			q = next;
			continue;
		}
		const bool is_ignored = next == LEX_CUT && lex->terminal != ARTIFACT_NONE && !lex->also &&
		                        artifact->terminals[lex->terminal].flags & TERMINAL_IGNORED;
		const uint32_t first =
			is_ignored && context != ARTIFACT_NONE ? hard_lex_start(artifact, lex->obligation, context) : 0;
		q = first ? artifact->lex_next[(size_t)first * artifact->info.n_classes + class] & LEX_STATE_MASK : 0;
	}
	return at > v.offset[token] ? q : 0;
}

// More states and contexts than are kept; some of them twice.
Test(canonical_work, where_tokens_lead_is_found_for_all_at_once, .init = setup_ignored, .fini = teardown)
{
	static struct hard_tokens kept;
	static struct hard_masks masks;
	struct hard_prices *prices;
	uint32_t n_also = 0, n_leads = 0, n_longer = 0;
	gcdc_matcher *m = behind("");
	masks.kept = &kept;
	cr_assert_eq(hard_prices_of(m, &prices), GCDC_OK);
	const uint32_t n_states = artifact->info.n_lex_states, n_contexts = artifact->info.n_contexts;
	for (uint32_t i = 0; i < n_states * (n_contexts + 1) * 9 / 8; i++) {
		const uint32_t k = i - i / 9 - (i % 9 == 8 ? 3 : 0), q = 1 + k / (n_contexts + 1) % (n_states - 1),
					   c = k % (n_contexts + 1);
		const uint32_t context = c < n_contexts ? c : ARTIFACT_NONE;
		const uint16_t *to;
		cr_assert_eq(hard_ends_of(m, &masks, q, context, &to), GCDC_OK);
		for (uint32_t t = 0; t < v.n_tokens; t++) {
			const uint32_t want = leads_to(q, context, t);
			if (to[t] != want || hard_stays(artifact, q, context, t) != want)
				cr_assert_fail("state %u, context %u, token %u: %u, not %u", q, context, t, to[t], want);
			n_leads += want != 0, n_longer += want && v.offset[t + 1] - v.offset[t] > 8;
		}
		n_also += artifact->lex_states[q].also != 0;
	}
	cr_expect(n_also && n_leads > 1000 && n_longer > 1000, "%u, %u, %u", n_also, n_leads, n_longer);
	for (uint32_t i = 0; i < ENDS_KEPT; i++) memory_free(&artifact->memory, kept.ends[i].to);
	gcdc_matcher_free(m);
}

static void setup_columns(void)
{
	open_with("start: s+\ns: NAME NL | NAME \":\" NL IN s+ DE\nNAME: /[a-z]+/\nNL: /(\\n *)+/\n"
	          "%indent newline=NL indent=IN dedent=DE tab=8\n",
	          COMPILE_COSTS_ALIGNED);
}

// What is kept of positions is of those with this key: places that differ in one thing have different keys.
Test(canonical_work, each_part_of_a_position_is_in_its_key, .init = setup_columns, .fini = teardown)
{
	enum { N = 18 };
	struct hard_prices *prices;
	struct hard_key key[N];
	uint32_t line = 1;
	gcdc_matcher *m = behind("a:\n b\n");
	cr_assert_eq(hard_prices_of(m, &prices), GCDC_OK);
	while (!(artifact->lex_states[line].flags & LEX_LINE)) line++;
	cr_assert_lt(line + 1, artifact->info.n_lex_states);
	for (uint32_t i = 0; i < N; i++) {
		struct reading r = {.frame = m->now->at[0].frame, .lex_state = line, .columns = m->now->at[0].frame};
		struct position p = {.at = &r, .n = 1, .column = 1};
		struct canonical_place *c = &p.canonical;
		*c = (struct canonical_place){.last = 1, .left = 2, .combining = 3, .n_ways = 1, .n_live = 1, .n_begun = 1};
		c->begun[0] = 0xc3, c->way[0] = (struct canonical_way){4, 5, 6}, c->live[0] = 7;
		if (i == 1) c->last = 9;
		if (i == 2) c->left = 9;
		if (i == 3) c->combining = 9;
		if (i == 4) c->n_ways = 2;
		if (i == 5) c->n_live = 2;
		if (i == 6) c->n_begun = 0;
		if (i == 7) c->begun[0] = 0xc4;
		if (i == 8) c->by_bytes = 1;
		if (i == 9) c->way[0].set = 9;
		if (i == 10) c->way[0].pending = 9;
		if (i == 11) c->way[0].split = 9;
		if (i == 12) c->live[0] = 9;
		if (i == 13) p.column = 9;
		if (i == 14) r.columns = FRAME_BOTTOM;
		if (i == 15) r.frame = FRAME_BOTTOM;
		if (i == 16) r.lex_state = line + 1;
		if (i == 17) r.columns = 0;
		cr_assert(hard_key_of(m, &p, &key[i]));
		for (uint32_t k = 0; k < i; k++) {
			cr_expect(memcmp(&key[k], &key[i], sizeof *key), "%u and %u", k, i);
			cr_expect_neq(hard_hash(&key[k]), hard_hash(&key[i]), "%u and %u", k, i);
		}
	}
	gcdc_matcher_free(m);
}

// What one step may do after the limit was reached, with the built-in tokenizer.
#define AFFORD_STEP 100000u

// The work of one mask under a budget has a limit. Half of what a mask takes: it loses tokens, which are counted, but
// not the next one of the completion, and does not change when it is asked for again.
static void fill_with_half(const char *text, uint32_t more, uint32_t *n_lost, uint32_t *n_readings)
{
	const uint32_t words = artifact->info.mask_words;
	uint32_t *all = calloc(words, 4), *half = calloc(words, 4), *again = calloc(words, 4), least;
	canonical_caches_free(artifact);
	gcdc_matcher *m = behind(text), *late = behind(text);
	cr_assert(all && half && again);
	cr_assert_eq(gcdc_matcher_min_tokens(m, false, &least), GCDC_OK);
	fill_within(m, least + more, CANON_MANY, all);
	const uint64_t work = m->cache->prices->work;
	cr_expect(work > 0 && work < m->cache->afford_most, "%lu", (unsigned long)work);
	cr_assert_eq(gcdc_matcher_set_budget(late, least + more, false, NULL), GCDC_OK);
	const uint32_t next = hard_next_of_completion(late, late->now);
	late->cache->afford_most = (uint32_t)(work / 2);
	cr_assert_eq(gcdc_matcher_fill(late, half, words, NULL), GCDC_OK);
	const uint64_t refused = gcdc_matcher_unpriced(late), done = late->cache->prices->work;
	cr_expect_leq(done, work / 2 + AFFORD_STEP, "behind \"%s\": %lu of %lu", text, (unsigned long)done,
	              (unsigned long)work);
	cr_expect(next == ARTIFACT_NONE || row_has(half, next), "behind \"%s\"", text);
	uint32_t lost = 0;
	for (uint32_t w = 0; w < words; w++) {
		cr_expect_eq(half[w] & ~all[w], 0, "behind \"%s\"", text);
		lost += (uint32_t)__builtin_popcount(all[w] & ~half[w]);
	}
	cr_expect_leq(lost, refused);
	late->cache->afford_most = GCDC_DEFAULT_WORK;
	cr_assert_eq(gcdc_matcher_fill(late, again, words, NULL), GCDC_OK);
	cr_expect_arr_eq(half, again, words * 4, "asked again behind \"%s\"", text);
	*n_lost += lost != 0, *n_readings += late->now->n > 1;
	gcdc_matcher_free(m), gcdc_matcher_free(late);
	free(all), free(half), free(again);
}

static void setup_hard_aligned(void) { open_with(hard_grammar, COMPILE_COSTS_ALIGNED); }

Test(canonical_work, masks_under_budgets_have_a_limit_of_work, .init = setup_hard_aligned, .fini = teardown)
{
	static const char *const texts[] = {"好", "好007\"'ll's", "好007\"'ll's一", "好007\"'ll's一abc", "好一"};
	uint32_t n_lost = 0, n_readings = 0;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		for (uint32_t more = 1; more < 4; more++) fill_with_half(texts[i], more, &n_lost, &n_readings);
	cr_expect_gt(n_lost, 4);
}

// Until the mark at the end two parses go on.
static void setup_marks(void)
{
	open_with("start: (some \";\" | other \"!\")+\nsome: (p (\"=\" | \"-\" | \"+\" | \"(\" NAME \")\"))+\n"
	          "other: (q (\"=\" | \"-\" | \"+\" | \"(\" NAME \")\"))+\np: NAME \".\"\nq: NAME \".\"\n"
	          "NAME: /[a-zé]+/\n%ignore /[ \\n]+/\n",
	          COMPILE_COSTS_ALIGNED);
}

Test(canonical_work, the_limit_of_work_holds_for_several_parses, .init = setup_marks, .fini = teardown)
{
	static const char *const texts[] = {"a.=b", "a.=b.", "a.-bcd.=", "a.(b)c.=", "a. =b.\n+"};
	uint32_t n_lost = 0, n_readings = 0;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		for (uint32_t more = 1; more < 4; more++) fill_with_half(texts[i], more, &n_lost, &n_readings);
	cr_expect(n_lost > 4 && n_readings > 4, "%u, %u", n_lost, n_readings);
}

// With hardly any work each run ends within its budget: what a position carries is always allowed.
Test(canonical_work, runs_with_hardly_any_work_end_within_their_budget, .init = setup_ignored, .fini = teardown)
{
	const uint32_t words = artifact->info.mask_words;
	uint32_t *mask = calloc(words, 4), least;
	uint64_t random = 5, n_refused = 0;
	cr_assert(mask);
	for (uint32_t run = 0; run < 40; run++) {
		gcdc_matcher *m = behind_within("", 1000u << run % 8);
		cr_assert_eq(gcdc_matcher_min_tokens(m, true, &least), GCDC_OK);
		cr_assert_eq(gcdc_matcher_set_budget(m, least + 6, true, NULL), GCDC_OK);
		uint32_t n = 0;
		while (!gcdc_matcher_is_terminated(m) && n++ <= least + 6) {
			uint32_t found = 0, token = 0;
			cr_assert_eq(gcdc_matcher_fill(m, mask, words, NULL), GCDC_OK);
			for (uint32_t t = 0; t < v.n_tokens; t++) {
				random = random * 6364136223846793005u + 1442695040888963407u;
				if (row_has(mask, t) && (random >> 33) % ++found == 0) token = t;
			}
			cr_assert_gt(found, 0, "run %u", run);
			cr_assert_eq(gcdc_matcher_accept(m, token), GCDC_OK, "run %u, token %u", run, token);
		}
		cr_expect(gcdc_matcher_is_terminated(m), "run %u", run);
		n_refused += gcdc_matcher_unpriced(m);
		gcdc_matcher_free(m);
	}
	cr_expect_gt(n_refused, 0);
	free(mask);
}
