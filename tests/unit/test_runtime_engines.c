// What inference engines ask of the runtime beside masks: stop tokens, copies, many tokens and many matchers at once,
// forced tokens, heads of files, live tokenizers, masks on logits. On artifacts made by hand (tests/corrupt/).
#include <criterion/criterion.h>
#include <math.h>

#include "../../lib/include/gcdc/runtime.h"
#include "../corrupt/tiny_artifact.h"

#define WORDS 8
enum { STOP = 60, OTHER_STOP = 61, LPAR = 0, RPAR = 1, ONE = 3, EOS = 40 };  // of tiny_parens

struct fixture {
	struct tiny *tiny;
	uint8_t *bytes;
	size_t len;
	gcdc_artifact *artifact;
	gcdc_matcher *m;
};

static struct fixture fixture_new(struct tiny *tiny)
{
	struct fixture f = {.tiny = tiny};
	gcdc_refusal why;
	f.bytes = tiny_encode(tiny, NULL, &f.len);
	cr_assert_eq(gcdc_artifact_open_memory(f.bytes, f.len, NULL, &f.artifact, &why), GCDC_OK, "%s", why.what);
	cr_assert_eq(gcdc_matcher_new(f.artifact, NULL, &f.m), GCDC_OK);
	return f;
}

static void fixture_release(struct fixture *f)
{
	gcdc_matcher_free(f->m);
	gcdc_artifact_close(f->artifact);
	free(f->bytes);
	tiny_free(f->tiny);
}

static bool bit(const uint32_t *mask, uint32_t t) { return mask[t / 32] >> t % 32 & 1; }

// Every way to ask says the same of every token, and stop tokens are allowed exactly where EOS is.
static void check_agreement(gcdc_matcher *m)
{
	uint32_t mask[WORDS], united[WORDS] = {0};
	gcdc_fill_info info;
	gcdc_mask_sets parts;
	gcdc_status status = gcdc_matcher_fill(m, mask, WORDS, &info);
	cr_assert(status == GCDC_OK || status == GCDC_TERMINATED);
	cr_assert_eq(bit(mask, STOP), bit(mask, EOS));
	cr_assert_eq(bit(mask, STOP), gcdc_matcher_is_completed(m));
	for (uint32_t t = 0; t < 32 * WORDS; t++) {
		cr_assert_eq(gcdc_matcher_allowed(m, t), bit(mask, t), "token %u", t);
		size_t n;
		if (status) continue;
		cr_assert_eq(gcdc_matcher_validate(m, &t, 1, &n), GCDC_OK);
		cr_assert_eq(n, bit(mask, t), "token %u", t);
		gcdc_status taken = gcdc_matcher_accept(m, t);
		cr_assert_eq(taken, bit(mask, t) ? GCDC_OK : GCDC_REJECTED, "token %u", t);
		if (!taken) cr_assert_eq(gcdc_matcher_rollback(m, 1), GCDC_OK);
	}
	if (status) return;
	cr_assert_eq(gcdc_matcher_mask_sets(m, &parts), GCDC_OK);
	cr_assert_eq(parts.n_tokens, info.n_tokens);
	cr_assert_eq(parts.row, gcdc_artifact_row(gcdc_matcher_artifact(m), info.row));
	for (uint32_t i = 0; i < parts.n_sets; i++) {
		gcdc_set set;
		uint32_t one[WORDS] = {0};
		cr_assert(gcdc_artifact_set(gcdc_matcher_artifact(m), parts.sets[i], &set));
		if (set.bits) memcpy(one, set.bits, 3 * sizeof *one);
		for (uint32_t k = 0; k < set.n; k++) one[set.tokens[k] / 32] ^= 1u << set.tokens[k] % 32;
		for (uint32_t w = 0; w < WORDS; w++) united[w] |= one[w];
	}
	for (uint32_t i = 0; i < parts.n_tokens; i++) united[parts.tokens[i] / 32] |= 1u << parts.tokens[i] % 32;
	cr_assert_arr_eq(mask, united, sizeof mask);
}

static void check_walk(gcdc_matcher *m, int depth)
{
	uint32_t mask[WORDS];
	check_agreement(m);
	if (!depth || gcdc_matcher_fill(m, mask, WORDS, NULL)) return;
	for (uint32_t t = 0; t < 34; t++) {
		if (!bit(mask, t)) continue;
		cr_assert_eq(gcdc_matcher_accept(m, t), GCDC_OK);
		check_walk(m, depth - 1);
		cr_assert_eq(gcdc_matcher_rollback(m, 1), GCDC_OK);
	}
}

Test(engines, stop_tokens_end_the_text_where_eos_does)
{
	struct fixture f = fixture_new(tiny_parens());
	const uint32_t stops[] = {OTHER_STOP, STOP, EOS, STOP};
	uint32_t n;
	cr_assert_eq(gcdc_matcher_set_stop_tokens(f.m, stops, 4), GCDC_OK);
	const uint32_t *kept = gcdc_matcher_stop_tokens(f.m, &n);
	cr_assert(n == 2 && kept[0] == STOP && kept[1] == OTHER_STOP);
	check_walk(f.m, 2);
	cr_assert_eq(gcdc_matcher_accept(f.m, ONE), GCDC_OK);
	gcdc_matcher *fork, *clone;
	cr_assert_eq(gcdc_matcher_fork(f.m, &fork), GCDC_OK);
	cr_assert_eq(gcdc_matcher_clone(f.m, &clone), GCDC_OK);
	gcdc_matcher *all[] = {f.m, fork, clone};
	for (int i = 0; i < 3; i++) {
		cr_assert_eq(gcdc_matcher_accept(all[i], STOP), GCDC_OK);
		cr_assert(gcdc_matcher_is_terminated(all[i]));
		check_agreement(all[i]);
		cr_assert_eq(gcdc_matcher_rollback(all[i], 1), GCDC_OK);
		check_agreement(all[i]);
	}
	cr_assert_eq(gcdc_matcher_set_stop_tokens(f.m, NULL, 0), GCDC_OK);
	cr_assert_not(gcdc_matcher_allowed(f.m, STOP));
	cr_assert(gcdc_matcher_allowed(fork, STOP));
	gcdc_matcher_free(fork);
	gcdc_matcher_free(clone);
	fixture_release(&f);
}

Test(engines, stop_tokens_of_a_batch_are_those_of_each)
{
	struct fixture f = fixture_new(tiny_parens());
	const uint32_t stop = STOP, wrong[] = {STOP, LPAR};
	gcdc_status statuses[3];
	gcdc_matcher *other, *batch[3] = {f.m, NULL};
	cr_assert_eq(gcdc_matcher_new(f.artifact, NULL, &other), GCDC_OK);
	batch[2] = other;
	cr_assert_eq(gcdc_set_stop_tokens_batch(batch, 3, &stop, 1, statuses), GCDC_OK);
	for (int i = 0; i < 3; i += 2) {
		cr_assert_eq(statuses[i], GCDC_OK);
		check_agreement(batch[i]);
		cr_assert_eq(gcdc_matcher_accept(batch[i], ONE), GCDC_OK);
		cr_assert(gcdc_matcher_allowed(batch[i], STOP));
	}
	cr_assert_eq(gcdc_set_stop_tokens_batch(batch, 3, wrong, 2, statuses), GCDC_ERR_ARGUMENT);
	cr_assert(statuses[0] == GCDC_ERR_ARGUMENT && statuses[1] == GCDC_OK && gcdc_matcher_allowed(other, STOP));
	cr_assert_eq(gcdc_set_stop_tokens_batch(NULL, 1, &stop, 1, NULL), GCDC_ERR_ARGUMENT);
	cr_assert_eq(gcdc_set_stop_tokens_batch(batch, 3, NULL, 1, NULL), GCDC_ERR_ARGUMENT);
	gcdc_matcher_free(other);
	fixture_release(&f);
}

Test(engines, a_session_gives_matchers_to_its_lanes_in_turn)
{
	struct fixture f = fixture_new(tiny_parens());
	gcdc_session *s = NULL;
	gcdc_matcher *m[5];
	gcdc_matcher_options wrong = {.max_rollback = GCDC_MAX_ROLLBACK + 1};
	cr_assert_eq(gcdc_session_new(f.artifact, &wrong, 2, &s), GCDC_ERR_ARGUMENT);
	cr_assert_eq(gcdc_session_new(f.artifact, NULL, GCDC_MAX_LANES + 1, &s), GCDC_ERR_ARGUMENT);
	cr_assert_null(s);
	cr_assert_eq(gcdc_session_new(f.artifact, NULL, 3, &s), GCDC_OK);
	for (uint32_t i = 0; i < 5; i++) {
		cr_assert_eq(gcdc_session_matcher(s, &m[i]), GCDC_OK);
		cr_assert_eq(gcdc_matcher_lane(m[i]), i % 3);
		cr_assert_eq(gcdc_matcher_set_stop_tokens(m[i], (const uint32_t[]){STOP}, 1), GCDC_OK);
		check_walk(m[i], 2);
	}
	gcdc_matcher_free(m[1]), gcdc_matcher_free(m[4]);  // lane 1 is empty now
	cr_assert_eq(gcdc_session_matcher(s, &m[1]), GCDC_OK);
	cr_assert_eq(gcdc_matcher_lane(m[1]), 1);
	// Turns may be nested; a copy from another lane keeps the turns of its own.
	gcdc_matcher_enter(m[0]), gcdc_matcher_enter(m[3]), gcdc_matcher_enter(m[1]);
	cr_assert_eq(gcdc_matcher_accept(m[0], LPAR), GCDC_OK);
	cr_assert_eq(gcdc_matcher_copy(m[1], m[0]), GCDC_OK);
	cr_assert(gcdc_matcher_lane(m[1]) == 1 && gcdc_matcher_steps(m[1]) == 1);
	check_walk(m[1], 2);
	gcdc_matcher_leave(m[1]), gcdc_matcher_leave(m[3]), gcdc_matcher_leave(m[0]);
	cr_assert_eq(gcdc_matcher_lane(f.m), GCDC_NONE);
	gcdc_matcher_enter(f.m), gcdc_matcher_leave(f.m), gcdc_matcher_enter(NULL), gcdc_matcher_leave(NULL);
	gcdc_session_free(s), gcdc_session_free(NULL);
	for (int i = 0; i < 4; i++) gcdc_matcher_free(m[i]);
	fixture_release(&f);
}

Test(engines, a_stop_token_that_is_text_is_refused_and_nothing_changes)
{
	struct fixture f = fixture_new(tiny_parens());
	const uint32_t good = STOP, text[] = {OTHER_STOP, ONE}, far = 70;
	cr_assert_eq(gcdc_matcher_set_stop_tokens(f.m, &good, 1), GCDC_OK);
	cr_assert_eq(gcdc_matcher_set_stop_tokens(f.m, text, 2), GCDC_ERR_ARGUMENT);
	cr_assert_eq(gcdc_matcher_set_stop_tokens(f.m, &far, 1), GCDC_ERR_ARGUMENT);
	cr_assert_eq(gcdc_matcher_set_stop_tokens(f.m, NULL, 1), GCDC_ERR_ARGUMENT);
	check_walk(f.m, 1);
	fixture_release(&f);
}

Test(engines, accept_tokens_counts_and_ignores_what_is_behind_the_end)
{
	struct fixture f = fixture_new(tiny_parens());
	const uint32_t good[] = {LPAR, ONE, RPAR, EOS, ONE, ONE}, bad[] = {LPAR, ONE, LPAR};
	size_t n;
	cr_assert_eq(gcdc_matcher_accept_tokens(f.m, bad, 3, &n), GCDC_REJECTED);
	cr_assert_eq(n, 2);
	cr_assert_eq(gcdc_matcher_rollback(f.m, 2), GCDC_OK);
	cr_assert_eq(gcdc_matcher_accept_tokens(f.m, good, 6, &n), GCDC_OK);
	cr_assert_eq(n, 4);
	cr_assert(gcdc_matcher_is_terminated(f.m));
	cr_assert_eq(gcdc_matcher_accept_tokens(f.m, good, 1, &n), GCDC_TERMINATED);
	cr_assert_eq(n, 0);
	cr_assert_eq(gcdc_matcher_accept_tokens(f.m, NULL, 0, &n), GCDC_OK);
	cr_assert_eq(gcdc_matcher_accept_tokens(f.m, NULL, 1, &n), GCDC_ERR_ARGUMENT);
	fixture_release(&f);
}

Test(engines, a_copy_is_where_the_other_is_with_its_steps)
{
	struct fixture f = fixture_new(tiny_parens());
	gcdc_matcher *fork, *other;
	uint32_t mine[WORDS], theirs[WORDS];
	cr_assert_eq(gcdc_matcher_fork(f.m, &fork), GCDC_OK);
	cr_assert_eq(gcdc_matcher_new(f.artifact, NULL, &other), GCDC_OK);
	cr_assert_eq(gcdc_matcher_accept(other, ONE), GCDC_OK);
	const uint32_t stop = STOP, path[] = {LPAR, LPAR, ONE, RPAR};
	size_t n;
	cr_assert_eq(gcdc_matcher_set_stop_tokens(f.m, &stop, 1), GCDC_OK);
	cr_assert_eq(gcdc_matcher_accept_tokens(f.m, path, 4, &n), GCDC_OK);
	gcdc_matcher *to[] = {fork, other};
	for (int i = 0; i < 2; i++) {
		cr_assert_eq(gcdc_matcher_copy(to[i], f.m), GCDC_OK);
		cr_assert_eq(gcdc_matcher_steps(to[i]), 4);
		for (int back = 0; back <= 4; back++) {
			gcdc_matcher *a;
			cr_assert_eq(gcdc_matcher_clone(f.m, &a), GCDC_OK);
			cr_assert_eq(gcdc_matcher_rollback(a, (uint32_t)back), GCDC_OK);
			cr_assert_eq(gcdc_matcher_fill(a, mine, WORDS, NULL), GCDC_OK);
			gcdc_matcher_free(a);
			cr_assert_eq(gcdc_matcher_fill(to[i], theirs, WORDS, NULL), GCDC_OK);
			cr_assert_arr_eq(mine, theirs, sizeof mine);
			check_agreement(to[i]);
			if (back < 4) cr_assert_eq(gcdc_matcher_rollback(to[i], 1), GCDC_OK);
		}
	}
	gcdc_matcher_free(f.m);  // who was copied may go
	f.m = NULL;
	for (int i = 0; i < 2; i++) check_agreement(to[i]);
	const gcdc_matcher_options options = {.max_rollback = 3};
	cr_assert_eq(gcdc_matcher_new(f.artifact, &options, &f.m), GCDC_OK);
	cr_assert_eq(gcdc_matcher_copy(f.m, fork), GCDC_ERR_ARGUMENT);
	cr_assert_eq(gcdc_matcher_copy(fork, fork), GCDC_OK);
	cr_assert_eq(gcdc_matcher_copy(NULL, fork), GCDC_ERR_ARGUMENT);
	gcdc_matcher_free(fork);
	gcdc_matcher_free(other);
	fixture_release(&f);
}

Test(engines, an_artifact_lives_as_long_as_somebody_holds_it)
{
	struct fixture f = fixture_new(tiny_parens());
	uint32_t mask[WORDS];
	cr_assert_eq(gcdc_artifact_retain(f.artifact), f.artifact);
	gcdc_artifact_close(f.artifact);
	gcdc_artifact_close(f.artifact);  // both gone; the matcher is left
	cr_assert_eq(gcdc_matcher_fill(f.m, mask, WORDS, NULL), GCDC_OK);
	cr_assert_null(gcdc_artifact_retain(NULL));
	f.artifact = NULL;
	fixture_release(&f);
}

Test(engines, chains_of_drafts_are_fills_and_accepts_and_repeat_the_last_row)
{
	struct fixture f = fixture_new(tiny_parens());
	gcdc_matcher *other;
	cr_assert_eq(gcdc_matcher_fork(f.m, &other), GCDC_OK);
	cr_assert_eq(gcdc_matcher_accept(other, LPAR), GCDC_OK);
	gcdc_matcher *all[] = {f.m, NULL, other, f.m};
	const uint32_t drafts[] = {LPAR, ONE, LPAR, ONE, ONE, ONE, RPAR, EOS, ONE};
	const size_t first[] = {0, 4, 5, 9, 9};
	uint32_t masks[13 * WORDS], accepted[4], mask[WORDS];
	gcdc_status statuses[4];
	memset(masks, 0x55, sizeof masks);
	cr_assert_eq(gcdc_fill_drafts_batch(all, 4, &(gcdc_draft_chains){drafts, first},
	                                    &(gcdc_mask_rows){masks, WORDS, NULL}, statuses, accepted),
	             GCDC_OK);
	cr_assert(accepted[0] == 2 && accepted[1] == 0 && accepted[2] == 3 && accepted[3] == 0);
	for (uint32_t w = 0; w < 2 * WORDS; w++) cr_assert_eq(masks[5 * WORDS + w], 0x55555555u);
	for (int i = 0; i < 4; i++) {
		size_t steps = 0;
		for (size_t k = first[i]; all[i] && k <= first[i + 1]; k++) {
			gcdc_status status = gcdc_matcher_fill(all[i], mask, WORDS, NULL);
			cr_assert(status == GCDC_OK || status == GCDC_TERMINATED);
			cr_assert_arr_eq(mask, masks + (k + (size_t)i) * WORDS, sizeof mask, "matcher %d, row %zu", i, k);
			if (k < first[i + 1] && steps == k - first[i]) steps += gcdc_matcher_accept(all[i], drafts[k]) == GCDC_OK;
		}
		cr_assert_eq(steps, accepted[i]);
		if (all[i]) cr_assert_eq(gcdc_matcher_rollback(all[i], (uint32_t)steps), GCDC_OK);
	}
	const uint32_t rest[] = {ONE, RPAR, EOS};
	for (uint32_t i = 0; i < 3; i++) cr_assert_eq(gcdc_matcher_accept(other, rest[i]), GCDC_OK);
	cr_assert_eq(gcdc_fill_drafts_batch(all, 4, &(gcdc_draft_chains){drafts, first},
	                                    &(gcdc_mask_rows){masks, WORDS, NULL}, statuses, accepted),
	             GCDC_OK);
	cr_assert(statuses[0] == GCDC_OK && statuses[2] == GCDC_TERMINATED && statuses[3] == GCDC_OK, "as gcdc_fill_rows");
	cr_assert_eq(accepted[2], 0);
	const size_t falling[] = {2, 1};
	cr_assert_eq(gcdc_fill_drafts_batch(all, 1, &(gcdc_draft_chains){drafts, falling},
	                                    &(gcdc_mask_rows){masks, WORDS, NULL}, NULL, NULL),
	             GCDC_ERR_ARGUMENT);
	cr_assert_eq(gcdc_fill_drafts_batch(all, 1, &(gcdc_draft_chains){NULL, first},
	                                    &(gcdc_mask_rows){masks, WORDS, NULL}, NULL, NULL),
	             GCDC_ERR_ARGUMENT);
	cr_assert_eq(gcdc_fill_drafts_batch(all, 1, &(gcdc_draft_chains){drafts, first}, &(gcdc_mask_rows){masks, 2, NULL},
	                                    NULL, NULL),
	             GCDC_ERR_ARGUMENT);
	gcdc_matcher_free(other);
	fixture_release(&f);
}

Test(engines, forced_tokens_are_those_that_are_alone_in_their_masks)
{
	struct fixture f = fixture_new(tiny_fallback());
	uint32_t tokens[4], mask[WORDS];
	size_t n;
	for (uint32_t t = 0; t < 12; t++) {
		if (gcdc_matcher_accept(f.m, t)) continue;
		cr_assert_eq(gcdc_matcher_forced_tokens(f.m, tokens, 4, &n), GCDC_OK);
		for (size_t i = 0; i < n; i++) {
			uint32_t bits = 0;
			cr_assert_eq(gcdc_matcher_fill(f.m, mask, WORDS, NULL), GCDC_OK);
			for (int w = 0; w < WORDS; w++) bits += (uint32_t)__builtin_popcount(mask[w]);
			cr_assert(bits == 1 && bit(mask, tokens[i]));
			cr_assert_eq(gcdc_matcher_accept(f.m, tokens[i]), GCDC_OK);
		}
		gcdc_matcher_reset(f.m);
	}
	cr_assert_eq(gcdc_matcher_forced_tokens(f.m, NULL, 1, &n), GCDC_ERR_ARGUMENT);
	fixture_release(&f);
}

Test(engines, the_head_says_what_opening_says_and_damage_is_refused)
{
	struct fixture f = fixture_new(tiny_parens());
	gcdc_head head;
	gcdc_info info;
	gcdc_refusal why;
	cr_assert_eq(gcdc_artifact_head_memory(f.bytes, f.len, &head, &why), GCDC_OK, "%s", why.what);
	gcdc_artifact_info(f.artifact, &info);
	cr_assert_eq(head.n_tokens, info.n_tokens);
	cr_assert_eq(head.mask_words, info.mask_words);
	cr_assert_eq(head.n_eos, info.n_eos);
	cr_assert_eq(head.file_size, f.len);
	cr_assert_eq(head.version, info.version);
	cr_assert_arr_eq(head.grammar_hash, info.grammar_hash, sizeof head.grammar_hash);
	cr_assert_arr_eq(head.vocab_hash, info.vocab_hash, sizeof head.vocab_hash);
	cr_assert(head.has_vocab && head.costs == GCDC_COSTS_NONE && head.canonical == GCDC_CANONICAL_OFF);
	for (size_t i = 0; i < 80; i++) {
		f.bytes[i] ^= 1;
		cr_assert_lt(gcdc_artifact_head_memory(f.bytes, f.len, &head, &why), 0, "byte %zu", i);
		cr_assert(head.n_tokens == 0 && why.what[0]);
		f.bytes[i] ^= 1;
	}
	for (size_t len = 0; len < f.len; len++)
		cr_assert_lt(gcdc_artifact_head_memory(f.bytes, len, &head, NULL), 0, "%zu bytes", len);
	cr_assert_eq(gcdc_artifact_head("/nonexistent/x.gcdc", &head, &why), GCDC_ERR_IO);
	cr_assert_eq(gcdc_artifact_head(NULL, &head, &why), GCDC_ERR_ARGUMENT);
	fixture_release(&f);
}

Test(engines, a_live_tokenizer_is_compared_id_by_id)
{
	struct fixture f = fixture_new(tiny_parens());
	uint8_t bytes[1024];
	uint64_t offsets[80] = {0};
	uint32_t differ[2];
	size_t n;
	for (uint32_t t = 0; t < 79; t++) {
		uint32_t len;
		const uint8_t *token = gcdc_artifact_token(f.artifact, t, &len);
		if (len) memcpy(bytes + offsets[t], token, len);
		offsets[t + 1] = offsets[t] + len;
	}
	cr_assert_eq(gcdc_vocab_check(f.artifact, &(gcdc_token_texts){bytes, offsets, 79}, differ, 2, &n), GCDC_OK);
	cr_assert_eq(gcdc_vocab_check(f.artifact, &(gcdc_token_texts){bytes, offsets, 40}, differ, 2, &n), GCDC_OK);
	cr_assert_eq(n, 0);
	cr_assert_eq(gcdc_vocab_check(f.artifact, &(gcdc_token_texts){bytes, offsets, 10}, differ, 2, &n), GCDC_ERR_VOCAB);
	cr_assert(n == 24 && differ[0] == 10 && differ[1] == 11);
	bytes[2] ^= 1;
	cr_assert_eq(gcdc_vocab_check(f.artifact, &(gcdc_token_texts){bytes, offsets, 79}, differ, 2, &n), GCDC_ERR_VOCAB);
	cr_assert(n == 1 && differ[0] == 2);
	offsets[5] = 1;
	cr_assert_eq(gcdc_vocab_check(f.artifact, &(gcdc_token_texts){bytes, offsets, 79}, differ, 2, &n),
	             GCDC_ERR_ARGUMENT);
	fixture_release(&f);
}

static float half_value(uint16_t x, bool is_bf16)
{
	if (is_bf16) {
		uint32_t wide = (uint32_t)x << 16;
		float value;
		memcpy(&value, &wide, sizeof value);
		return value;
	}
	return x == 0xfc00 ? -INFINITY : x;
}

Test(engines, masks_make_exactly_the_forbidden_logits_minus_infinity)
{
	enum { ROWS = 5, STRIDE = 211 };
	uint64_t seed = 1;
	for (int round = 0; round < 400; round++) {
		uint32_t masks[3 * 9];
		float floats[ROWS * STRIDE];
		uint16_t halves[ROWS * STRIDE];
		size_t width = (size_t)(round % 211), words = (size_t)(round % 9);
		gcdc_logits_type type = (gcdc_logits_type)(round % 3);
		const int64_t rows[3] = {4, round % 2 ? -1 : 2, 1};
		for (int i = 0; i < 27; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			masks[i] = seed >> 61 == 0 ? 0 : seed >> 61 == 1 ? UINT32_MAX : (uint32_t)(seed >> 20);
		}
		for (int i = 0; i < ROWS * STRIDE; i++) floats[i] = (float)(i + 1), halves[i] = (uint16_t)(i + 1);
		gcdc_logits l = {type == GCDC_LOGITS_F32 ? (void *)floats : (void *)halves, type, width, STRIDE};
		cr_assert_eq(gcdc_apply_masks(&l, masks, words, 9, rows, 3), GCDC_OK);
		for (int r = 0; r < ROWS; r++) {
			int k = r == 4 ? 0 : r == 2 && round % 2 == 0 ? 1 : r == 1 ? 2 : -1;
			for (size_t t = 0; t < STRIDE; t++) {
				bool low = k >= 0 && t < width && (t / 32 >= words || !(masks[k * 9 + (int)(t / 32)] >> t % 32 & 1));
				size_t at = (size_t)r * STRIDE + t;
				float have = type == GCDC_LOGITS_F32 ? floats[at] : half_value(halves[at], type == GCDC_LOGITS_BF16);
				cr_assert_eq(isinf(have) && have < 0, low, "round %d, row %d, token %zu", round, r, t);
				bool same = type == GCDC_LOGITS_F32 ? floats[at] == (float)(at + 1) : halves[at] == at + 1;
				cr_assert(low || same);
			}
		}
	}
	float some[8];
	gcdc_logits wrong = {some, GCDC_LOGITS_F32, 8, 7};
	uint32_t mask = 0;
	cr_assert_eq(gcdc_apply_masks(&wrong, &mask, 1, 1, NULL, 1), GCDC_ERR_ARGUMENT);
	wrong.stride = 8, wrong.type = (gcdc_logits_type)7;
	cr_assert_eq(gcdc_apply_masks(&wrong, &mask, 1, 1, NULL, 1), GCDC_ERR_ARGUMENT);
	cr_assert_eq(gcdc_apply_masks(NULL, &mask, 1, 1, NULL, 1), GCDC_ERR_ARGUMENT);
}
