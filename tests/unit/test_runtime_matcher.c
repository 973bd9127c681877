// The matcher on two hand-made artifacts: every mask against a slow oracle on texts, then each operation.
#include <criterion/criterion.h>

#include "../../lib/include/gcdc/runtime.h"
#include "../corrupt/tiny_artifact.h"

struct fixture {
	struct tiny *tiny;
	uint8_t *bytes;
	gcdc_artifact *artifact;
	gcdc_matcher *m;
	char text[65536];  // accepted so far
	size_t len;
};

static void fixture_init(struct fixture *f, struct tiny *tiny)
{
	*f = (struct fixture){.tiny = tiny};
	size_t len;
	f->bytes = tiny_encode(tiny, NULL, &len);
	gcdc_refusal why;
	cr_assert_eq(gcdc_artifact_open_memory(f->bytes, len, NULL, &f->artifact, &why), GCDC_OK, "%s", why.what);
	cr_assert_eq(gcdc_matcher_new(f->artifact, NULL, &f->m), GCDC_OK);
}

static void fixture_release(struct fixture *f)
{
	gcdc_matcher_free(f->m);
	gcdc_artifact_close(f->artifact);
	free(f->bytes);
	tiny_free(f->tiny);
}

static bool is_eos(const gcdc_artifact *a, uint32_t t)
{
	uint32_t n;
	const uint32_t *eos = gcdc_artifact_eos(a, &n);
	for (uint32_t i = 0; i < n; i++)
		if (eos[i] == t) return true;
	return false;
}

// Is token t allowed after text?
static bool oracle(const struct fixture *f, const char *text, size_t len, uint32_t t)
{
	if (is_eos(f->artifact, t)) return f->tiny->judge(text, len) == 2;
	uint32_t n;
	const uint8_t *bytes = gcdc_artifact_token(f->artifact, t, &n);
	char all[sizeof f->text + 64];
	memcpy(all, text, len);
	memcpy(all + len, bytes, n);
	return n && f->tiny->judge(all, len + n) > 0;
}

// Every way to ask for the mask of m after text gives what the oracle says.
static void check_mask(const struct fixture *f, gcdc_matcher *m, const char *text, size_t len)
{
	gcdc_info info;
	gcdc_artifact_info(f->artifact, &info);
	uint32_t mask[8], united[8] = {0};
	memset(mask, 0xAA, sizeof mask);
	gcdc_fill_info fill;
	cr_assert_eq(gcdc_matcher_fill(m, mask, 8, &fill), GCDC_OK, "after '%.*s'", (int)len, text);
	gcdc_mask_sets parts;
	cr_assert_eq(gcdc_matcher_mask_sets(m, &parts), GCDC_OK);
	cr_assert(parts.n_sets > 0 && parts.n_sets == fill.n_sets && parts.n_tokens == 0);
	for (uint32_t i = 0; i < parts.n_sets; i++) {
		gcdc_set set;
		cr_assert(gcdc_artifact_set(f->artifact, parts.sets[i], &set));
		uint32_t one[8] = {0};
		if (set.bits) memcpy(one, set.bits, info.mask_words * 4);
		for (uint32_t k = 0; k < set.n; k++) one[set.tokens[k] / 32] ^= 1u << set.tokens[k] % 32;
		for (uint32_t w = 0; w < 8; w++) united[w] |= one[w];
		for (uint32_t k = 0; k < i; k++) cr_assert_neq(parts.sets[k], parts.sets[i]);
	}
	cr_assert_arr_eq(mask, united, sizeof mask);
	if (parts.row) cr_assert_arr_eq(mask, parts.row, info.mask_words * 4);
	cr_assert_eq(parts.row, gcdc_artifact_row(f->artifact, fill.row));
	for (uint32_t t = 0; t < 256; t++) {
		bool want = t < info.n_tokens && oracle(f, text, len, t), have = mask[t / 32] >> t % 32 & 1;
		cr_assert_eq(have, want, "token %u after '%.*s': mask %d, oracle %d", t, (int)len, text, have, want);
		cr_assert_eq(gcdc_matcher_allowed(m, t), want);
	}
	cr_assert_eq(gcdc_matcher_is_completed(m), f->tiny->judge(text, len) == 2);
	cr_assert_eq(fill.may_end, f->tiny->judge(text, len) == 2);
	cr_assert(fill.needs_apply);
}

static void accept_text(struct fixture *f, const char *text)
{
	size_t n = strlen(text);
	cr_assert_eq(gcdc_matcher_accept_bytes(f->m, text, n), GCDC_OK, "%s", text);
	memcpy(f->text + f->len, text, n);
	f->len += n;
}

// From every position reachable in `depth` tokens: the mask, and accept of every token.
static void explore(struct fixture *f, int depth)
{
	check_mask(f, f->m, f->text, f->len);
	if (!depth) return;
	gcdc_info info;
	gcdc_artifact_info(f->artifact, &info);
	for (uint32_t t = 0; t < info.n_tokens + 2; t++) {
		bool want = t < info.n_tokens && oracle(f, f->text, f->len, t);
		cr_assert_eq(gcdc_matcher_accept(f->m, t), want ? GCDC_OK : GCDC_REJECTED);
		if (!want) continue;
		uint32_t n;
		const uint8_t *bytes = gcdc_artifact_token(f->artifact, t, &n);
		cr_assert_eq(gcdc_matcher_is_terminated(f->m), is_eos(f->artifact, t));
		if (!gcdc_matcher_is_terminated(f->m)) {
			memcpy(f->text + f->len, bytes, n);
			f->len += n;
			explore(f, depth - 1);
			f->len -= n;
		}
		cr_assert_eq(gcdc_matcher_rollback(f->m, 1), GCDC_OK);
	}
	check_mask(f, f->m, f->text, f->len);
}

Test(runtime, masks_equal_the_oracle_everywhere_in_parens)
{
	struct fixture f;
	fixture_init(&f, tiny_parens());
	explore(&f, 3);
	fixture_release(&f);
}

Test(runtime, masks_equal_the_oracle_everywhere_in_fallback)
{
	struct fixture f;
	fixture_init(&f, tiny_fallback());
	explore(&f, 4);
	fixture_release(&f);
}

Test(runtime, two_readings_live_until_the_text_decides)
{
	struct fixture f;
	fixture_init(&f, tiny_fallback());
	uint32_t lex_state, stack[4], depth;
	accept_text(&f, "1");
	cr_assert_eq(gcdc_matcher_reading(f.m, 0, &lex_state, stack, 4, &depth), 1);
	accept_text(&f, ".");
	cr_assert_eq(gcdc_matcher_reading(f.m, 0, &lex_state, stack, 4, &depth), 2);
	cr_assert(gcdc_matcher_is_completed(f.m));
	check_mask(&f, f.m, f.text, f.len);
	accept_text(&f, "5");
	cr_assert_eq(gcdc_matcher_reading(f.m, 0, &lex_state, stack, 4, &depth), 1);
	cr_assert_eq(lex_state, FQ_FLOAT);
	cr_assert_eq(depth, 1);
	cr_assert_eq(stack[0], 1);
	cr_assert_eq(gcdc_matcher_rollback(f.m, 1), GCDC_OK);
	cr_assert_eq(gcdc_matcher_reading(f.m, 1, &lex_state, stack, 4, &depth), 2);
	fixture_release(&f);
}

Test(runtime, the_split_into_tokens_does_not_matter)
{
	struct fixture f;
	fixture_init(&f, tiny_parens());
	const char *text = "( ((12 ) )";
	gcdc_matcher *bytewise;
	cr_assert_eq(gcdc_matcher_new(f.artifact, NULL, &bytewise), GCDC_OK);
	for (size_t i = 0; i < strlen(text); i++) {
		cr_assert_eq(gcdc_matcher_accept_bytes(bytewise, text + i, 1), GCDC_OK);
		gcdc_matcher_reset(f.m);
		f.len = 0;
		char prefix[32] = {0};
		memcpy(prefix, text, i + 1);
		accept_text(&f, prefix);
		check_mask(&f, f.m, text, i + 1);
		check_mask(&f, bytewise, text, i + 1);
	}
	gcdc_matcher_free(bytewise);
	fixture_release(&f);
}

Test(runtime, refused_bytes_change_nothing)
{
	struct fixture f;
	fixture_init(&f, tiny_parens());
	accept_text(&f, "((1");
	cr_assert_eq(gcdc_matcher_accept_bytes(f.m, ")))", 3), GCDC_REJECTED);
	cr_assert_eq(gcdc_matcher_accept_bytes(f.m, "x", 1), GCDC_REJECTED);
	check_mask(&f, f.m, f.text, f.len);
	cr_assert_eq(gcdc_matcher_accept_bytes(f.m, NULL, 0), GCDC_OK);
	check_mask(&f, f.m, f.text, f.len);
	cr_assert_eq(gcdc_matcher_steps(f.m), 2);
	fixture_release(&f);
}

Test(runtime, eos_ends_and_rollback_undoes_it)
{
	struct fixture f;
	fixture_init(&f, tiny_parens());
	cr_assert_eq(gcdc_matcher_accept(f.m, parens_eos[0]), GCDC_REJECTED);
	accept_text(&f, "(7)");
	uint32_t mask[3], terminated[3] = {0};
	for (int k = 0; k < 2; k++) {
		terminated[parens_eos[k] / 32] |= 1u << parens_eos[k] % 32;
	}
	for (int k = 0; k < 2; k++) {
		cr_assert_eq(gcdc_matcher_accept(f.m, parens_eos[k]), GCDC_OK);
		cr_assert(gcdc_matcher_is_terminated(f.m));
		cr_assert(gcdc_matcher_is_completed(f.m));
		cr_assert_eq(gcdc_matcher_accept(f.m, parens_eos[k]), GCDC_TERMINATED);
		cr_assert_eq(gcdc_matcher_accept_bytes(f.m, " ", 1), GCDC_TERMINATED);
		cr_assert_eq(gcdc_matcher_fill(f.m, mask, 3, NULL), GCDC_TERMINATED);
		cr_assert_arr_eq(mask, terminated, sizeof mask);
		cr_assert(gcdc_matcher_allowed(f.m, parens_eos[1]));
		cr_assert_not(gcdc_matcher_allowed(f.m, 12));
		cr_assert_eq(gcdc_matcher_rollback(f.m, 1), GCDC_OK);
		cr_assert_not(gcdc_matcher_is_terminated(f.m));
		check_mask(&f, f.m, f.text, f.len);
	}
	cr_assert_eq(gcdc_matcher_accept(f.m, parens_eos[0]), GCDC_OK);
	gcdc_matcher_reset(f.m);
	check_mask(&f, f.m, "", 0);
	fixture_release(&f);
}

Test(runtime, rollback_goes_back_as_far_as_the_ring_and_no_further)
{
	struct fixture f;
	fixture_init(&f, tiny_parens());
	gcdc_matcher *m;
	cr_assert_eq(gcdc_matcher_new(f.artifact, &(gcdc_matcher_options){.max_rollback = 5}, &m), GCDC_OK);
	memset(f.text, '(', 100);
	cr_assert_eq(gcdc_matcher_rollback(m, 1), GCDC_ERR_ROLLBACK);
	cr_assert_eq(gcdc_matcher_rollback(m, 0), GCDC_OK);
	for (int i = 0; i < 23; i++) cr_assert_eq(gcdc_matcher_accept(m, 0), GCDC_OK);
	cr_assert_eq(gcdc_matcher_steps(m), 5);
	cr_assert_eq(gcdc_matcher_rollback(m, 6), GCDC_ERR_ROLLBACK);
	check_mask(&f, m, f.text, 23);
	cr_assert_eq(gcdc_matcher_rollback(m, 3), GCDC_OK);
	check_mask(&f, m, f.text, 20);
	cr_assert_eq(gcdc_matcher_rollback(m, 3), GCDC_ERR_ROLLBACK);
	for (int i = 0; i < 4; i++) cr_assert_eq(gcdc_matcher_accept(m, 0), GCDC_OK);
	cr_assert_eq(gcdc_matcher_rollback(m, 5), GCDC_OK);
	check_mask(&f, m, f.text, 19);
	uint32_t depth;
	gcdc_matcher_reading(m, 0, NULL, NULL, 0, &depth);
	cr_assert_eq(depth, 19);  // the bottom, and 18 shifted; the last one is pending
	gcdc_matcher_free(m);
	fixture_release(&f);
}

Test(runtime, forks_and_clones_go_their_own_ways)
{
	struct fixture f;
	fixture_init(&f, tiny_parens());
	accept_text(&f, "((");
	accept_text(&f, "(4");
	gcdc_matcher *fork, *clone, *second;
	cr_assert_eq(gcdc_matcher_fork(f.m, &fork), GCDC_OK);
	cr_assert_eq(gcdc_matcher_clone(f.m, &clone), GCDC_OK);
	cr_assert_eq(gcdc_matcher_fork(fork, &second), GCDC_OK);
	cr_assert_eq(gcdc_matcher_accept_bytes(fork, "))", 2), GCDC_OK);
	cr_assert_eq(gcdc_matcher_accept_bytes(clone, ")))", 3), GCDC_OK);
	cr_assert_eq(gcdc_matcher_accept_bytes(second, " ", 1), GCDC_OK);
	check_mask(&f, f.m, "(((4", 4);
	check_mask(&f, fork, "(((4))", 6);
	check_mask(&f, clone, "(((4)))", 7);
	check_mask(&f, second, "(((4 ", 5);
	gcdc_matcher_free(f.m);
	f.m = NULL;
	cr_assert_eq(gcdc_matcher_rollback(clone, 2), GCDC_OK);
	cr_assert_eq(gcdc_matcher_rollback(fork, 3), GCDC_OK);
	check_mask(&f, clone, "((", 2);
	check_mask(&f, fork, "", 0);
	check_mask(&f, second, "(((4 ", 5);
	cr_assert_eq(gcdc_matcher_rollback(clone, 1), GCDC_OK);
	check_mask(&f, clone, "", 0);
	gcdc_matcher_free(clone);
	gcdc_matcher_free(fork);
	cr_assert_eq(gcdc_matcher_accept_bytes(second, "))", 2), GCDC_OK);
	check_mask(&f, second, "(((4 ))", 7);
	gcdc_matcher_free(second);
	fixture_release(&f);
}

Test(runtime, depth_is_bounded_by_the_option_only)
{
	struct fixture f;
	fixture_init(&f, tiny_parens());
	for (int i = 0; i < 20000; i++) cr_assert_eq(gcdc_matcher_accept(f.m, 16), GCDC_OK);  // "((("
	cr_assert_eq(gcdc_matcher_accept(f.m, 2), GCDC_OK);
	for (int i = 0; i < 20000; i++) cr_assert_eq(gcdc_matcher_accept(f.m, 14), GCDC_OK, "%d", i);  // ")))"
	cr_assert(gcdc_matcher_is_completed(f.m));
	cr_assert_eq(gcdc_matcher_accept(f.m, 1), GCDC_REJECTED);
	gcdc_matcher *m;
	cr_assert_eq(gcdc_matcher_new(f.artifact, &(gcdc_matcher_options){.max_depth = 10}, &m), GCDC_OK);
	for (int i = 0; i < 11; i++) cr_assert_eq(gcdc_matcher_accept(m, 0), GCDC_OK);  // the last one is pending
	memset(f.text, '(', 100);
	check_mask(&f, m, f.text, 11);
	cr_assert_eq(gcdc_matcher_accept(m, 0), GCDC_ERR_LIMIT);
	check_mask(&f, m, f.text, 11);
	cr_assert_eq(gcdc_matcher_rollback(m, 11), GCDC_OK);
	gcdc_matcher_free(m);
	fixture_release(&f);
}

Test(runtime, forced_bytes_stop_where_there_is_a_choice_or_an_end)
{
	struct fixture f;
	fixture_init(&f, tiny_parens());
	uint8_t bytes[16];
	size_t n;
	cr_assert_eq(gcdc_matcher_forced_bytes(f.m, bytes, sizeof bytes, &n), GCDC_OK);
	cr_assert_eq(n, 0);  // "(", a digit, a space
	accept_text(&f, "(1");
	cr_assert_eq(gcdc_matcher_forced_bytes(f.m, bytes, sizeof bytes, &n), GCDC_OK);
	cr_assert_eq(n, 0);
	fixture_release(&f);

	// After "1", of the tokens "a" no other than the point: cut the digits out of the masks by cutting them from
	// the vocabulary. "1." may end, so the point is all that is forced.
	struct tiny *tiny = tiny_fallback();
	const char *texts[] = {"", "", "", ".", "1", "", ".55", ".5", "1", ".56"};
	tiny_vocab(tiny, F_V, texts, 10, fallback_eos, 1);
	uint32_t after_1[8] = {1u << 3 | 1u << 6 | 1u << 7 | 1u << 9}, start[8] = {1u << 4 | 1u << 8};
	struct tiny_sets s;
	tiny_sets_init(tiny, &s);
	struct artifact_start *starts = (struct artifact_start *)(uintptr_t)tiny->image.starts;
	starts[0].set = tiny_set(tiny, &s, start);
	starts[1].set = tiny_set(tiny, &s, after_1);
	starts[2].set = tiny_set(tiny, &s, (uint32_t[8]){1u << 4});
	starts[3].set = starts[4].set = tiny_set(tiny, &s, (uint32_t[8]){0, 1});
	tiny_sets_done(tiny, &s);
	fixture_init(&f, tiny);
	// Not every byte is a token: "1" alone is sure, it is all that the first tokens are; then "." for all.
	cr_assert_eq(gcdc_matcher_forced_bytes(f.m, bytes, sizeof bytes, &n), GCDC_OK);
	cr_assert_eq(n, 2);
	cr_assert_arr_eq(bytes, "1.", 2);
	cr_assert_eq(gcdc_matcher_forced_bytes(f.m, bytes, 1, &n), GCDC_OK);
	cr_assert_eq(n, 1);
	cr_assert_eq(gcdc_matcher_accept(f.m, 4), GCDC_OK);
	cr_assert_eq(gcdc_matcher_forced_bytes(f.m, bytes, sizeof bytes, &n), GCDC_OK);
	cr_assert_eq(n, 1);
	cr_assert_eq(bytes[0], '.');
	fixture_release(&f);
}

// Tokens "1" and "1." share "1"; what follows it is known only when every text can be spelled from there on.
Test(runtime, forced_bytes_go_on_behind_a_common_beginning_when_all_bytes_are_tokens)
{
	for (int all_bytes = 0; all_bytes < 2; all_bytes++) {
		struct tiny *tiny = tiny_fallback();
		for (int c = '0'; c <= '9' && all_bytes; c++)
			if (c != '1' && c != '2') tiny->image.info.class_of[c] = 0;
		struct tiny_sets s;
		tiny_sets_init(tiny, &s);
		struct artifact_start *starts = (struct artifact_start *)(uintptr_t)tiny->image.starts;
		starts[0].set = tiny_set(tiny, &s, (uint32_t[8]){1u << 0 | 1u << 4});
		starts[1].set = tiny_set(tiny, &s, (uint32_t[8]){1u << 3});
		starts[2].set = 0;
		starts[3].set = starts[4].set = tiny_set(tiny, &s, (uint32_t[8]){0, 1});
		tiny_sets_done(tiny, &s);
		struct fixture f;
		fixture_init(&f, tiny);
		uint8_t bytes[8];
		size_t n;
		cr_assert_eq(gcdc_matcher_forced_bytes(f.m, bytes, sizeof bytes, &n), GCDC_OK);
		cr_assert_eq(n, all_bytes ? 2 : 1);
		cr_assert_arr_eq(bytes, "1.", n);
		cr_assert_eq(gcdc_matcher_steps(f.m), 0);
		fixture_release(&f);
	}
}

Test(runtime, validate_counts_and_changes_nothing)
{
	struct fixture f;
	fixture_init(&f, tiny_parens());
	const uint32_t good[] = {0, 15, 3, 13, 1, 40, 0}, bad[] = {0, 15, 3, 14, 1, 0};
	size_t n;
	cr_assert_eq(gcdc_matcher_validate(f.m, good, 7, &n), GCDC_OK);
	cr_assert_eq(n, 6);  // nothing after EOS
	cr_assert_eq(gcdc_matcher_validate(f.m, bad, 6, &n), GCDC_OK);
	cr_assert_eq(n, 4);
	cr_assert_eq(gcdc_matcher_validate(f.m, good, 0, &n), GCDC_OK);
	cr_assert_eq(n, 0);
	check_mask(&f, f.m, "", 0);
	cr_assert_eq(gcdc_matcher_steps(f.m), 0);
	fixture_release(&f);
}

Test(runtime, draft_trees_get_a_mask_per_node)
{
	struct fixture f;
	fixture_init(&f, tiny_parens());
	accept_text(&f, "(");
	// 0 root; children 1 "(", 2 ")" (refused), 3 "1". Below 1: 4 "12". Below 2: 5. Below 3: 6 ")"; below 6: 7 EOS; 8
	// below 7.
	const int64_t next[] = {1, 4, 5, 6, -1, -1, 7, 8, -1}, sibling[] = {-1, 2, 3, -1, -1, -1, -1, -1, -1};
	const int64_t tokens[] = {-1, 0, 1, 3, 19, 3, 1, 40, 0};
	const char *texts[] = {"(", "((", NULL, "(1", "((12", NULL, "(1)"};
	enum { N = 9, STRIDE = 4 };
	uint32_t masks[N][STRIDE];
	uint8_t reached[N];
	memset(masks, 0x55, sizeof masks);
	cr_assert_eq(
		gcdc_matcher_fill_draft_tree(f.m, &(gcdc_draft_tree){next, sibling, tokens, N}, masks[0], STRIDE, reached),
		GCDC_OK);
	for (int i = 0; i < 7; i++) {
		cr_assert_eq(reached[i], texts[i] != NULL);
		gcdc_matcher *m;
		cr_assert_eq(gcdc_matcher_new(f.artifact, NULL, &m), GCDC_OK);
		uint32_t want[STRIDE] = {0x55555555, 0x55555555, 0x55555555, 0x55555555};
		if (texts[i]) {
			cr_assert_eq(gcdc_matcher_accept_bytes(m, texts[i], strlen(texts[i])), GCDC_OK);
			cr_assert_eq(gcdc_matcher_fill(m, want, STRIDE, NULL), GCDC_OK);
		}
		cr_assert_arr_eq(masks[i], want, sizeof want, "node %d", i);
		gcdc_matcher_free(m);
	}
	cr_assert(reached[7]);
	const uint32_t eos_only[] = {0, 1u << 8, 1u << 5, 0};
	cr_assert_arr_eq(masks[7], eos_only, sizeof eos_only);
	cr_assert_not(reached[8]);
	check_mask(&f, f.m, f.text, f.len);
	const int64_t cycle[] = {1, 2, 1}, none[] = {-1, -1, -1}, outside[] = {3, -1, -1}, to_root[] = {1, 0, -1},
				  t[] = {0, 0, 0};
	cr_assert_eq(gcdc_matcher_fill_draft_tree(f.m, &(gcdc_draft_tree){cycle, none, t, 3}, masks[0], STRIDE, NULL),
	             GCDC_ERR_ARGUMENT);
	cr_assert_eq(gcdc_matcher_fill_draft_tree(f.m, &(gcdc_draft_tree){outside, none, t, 3}, masks[0], STRIDE, NULL),
	             GCDC_ERR_ARGUMENT);
	cr_assert_eq(gcdc_matcher_fill_draft_tree(f.m, &(gcdc_draft_tree){to_root, none, t, 3}, masks[0], STRIDE, NULL),
	             GCDC_ERR_ARGUMENT);
	check_mask(&f, f.m, f.text, f.len);
	fixture_release(&f);
}

Test(runtime, batches_do_each_row)
{
	struct fixture f;
	fixture_init(&f, tiny_parens());
	gcdc_matcher *m[3] = {f.m, NULL, NULL};
	cr_assert_eq(gcdc_matcher_new(f.artifact, NULL, &m[2]), GCDC_OK);
	const uint32_t tokens[] = {0, 0, 1}, rows[] = {2, 0, 1};
	gcdc_status status[3];
	cr_assert_eq(gcdc_accept_batch(m, tokens, 3, status), GCDC_REJECTED);
	cr_assert(status[0] == GCDC_OK && status[1] == GCDC_OK && status[2] == GCDC_REJECTED);
	uint32_t masks[3][5], want[5];
	memset(masks, 0x11, sizeof masks);
	bool apply[3];
	cr_assert_eq(gcdc_fill_rows(m, 3, &(gcdc_mask_rows){masks[0], 5, rows}, status, apply), GCDC_OK);
	cr_assert_eq(masks[0][0], 0x11111111);
	cr_assert(apply[0] && !apply[1] && apply[2]);
	cr_assert_eq(gcdc_matcher_fill(m[0], want, 5, NULL), GCDC_OK);
	cr_assert_arr_eq(masks[2], want, sizeof want);
	cr_assert_eq(gcdc_matcher_fill(m[2], want, 5, NULL), GCDC_OK);
	cr_assert_arr_eq(masks[1], want, sizeof want);
	cr_assert_eq(gcdc_fill_batch(m, 3, NULL, masks[0], 2, NULL, NULL), GCDC_ERR_ARGUMENT);
	gcdc_matcher_free(m[2]);
	fixture_release(&f);
}

Test(runtime, arguments_that_break_promises_are_answered)
{
	struct fixture f;
	fixture_init(&f, tiny_parens());
	uint32_t mask[2];
	gcdc_mask_sets parts;
	gcdc_matcher *m;
	cr_assert_eq(gcdc_matcher_fill(f.m, mask, 2, NULL), GCDC_ERR_ARGUMENT);
	cr_assert_eq(gcdc_matcher_fill(NULL, mask, 2, NULL), GCDC_ERR_ARGUMENT);
	cr_assert_eq(gcdc_matcher_mask_sets(f.m, NULL), GCDC_ERR_ARGUMENT);
	cr_assert_eq(gcdc_matcher_mask_sets(NULL, &parts), GCDC_ERR_ARGUMENT);
	cr_assert_eq(gcdc_matcher_new(NULL, NULL, &m), GCDC_ERR_ARGUMENT);
	cr_assert_eq(gcdc_matcher_new(f.artifact, &(gcdc_matcher_options){.max_rollback = GCDC_MAX_ROLLBACK + 1}, &m),
	             GCDC_ERR_ARGUMENT);
	cr_assert_null(m);
	cr_assert_eq(gcdc_matcher_accept(NULL, 0), GCDC_ERR_ARGUMENT);
	cr_assert_eq(gcdc_matcher_accept(f.m, UINT32_MAX), GCDC_REJECTED);
	gcdc_matcher_free(NULL);
	gcdc_artifact_close(NULL);
	cr_assert_null(gcdc_artifact_row(f.artifact, GCDC_NONE));
	cr_assert_null(gcdc_artifact_section(f.artifact, 9999, NULL));
	for (int s = -20; s < 20; s++) cr_assert_not_null(gcdc_status_text((gcdc_status)s));
	fixture_release(&f);
}

// Long random walks with rollback and forks beside the oracle's text.
Test(runtime, random_walks_agree_with_the_oracle)
{
	struct fixture f;
	fixture_init(&f, tiny_parens());
	uint64_t seed = 20240601;
	cr_log_info("seed %llu", (unsigned long long)seed);
	size_t lens[257] = {0};
	uint32_t steps = 0;
	for (int i = 0; i < 20000; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		uint32_t r = (uint32_t)(seed >> 33);
		if (r % 16 == 0 && steps) {
			uint32_t back = r / 16 % steps + 1;
			if (back > 256) back = 256;
			if (back > gcdc_matcher_steps(f.m)) back = gcdc_matcher_steps(f.m);
			cr_assert_eq(gcdc_matcher_rollback(f.m, back), GCDC_OK);
			for (; back; back--) f.len = lens[--steps % 257];
		} else if (r % 50 == 1) {
			gcdc_matcher *other;
			cr_assert_eq(r % 100 == 1 ? gcdc_matcher_fork(f.m, &other) : gcdc_matcher_clone(f.m, &other), GCDC_OK);
			gcdc_matcher_free(f.m);
			f.m = other;
		} else {
			uint32_t t = r / 16 % P_TOKENS, n;
			const uint8_t *bytes = gcdc_artifact_token(f.artifact, t, &n);
			bool want = oracle(&f, f.text, f.len, t);
			cr_assert_eq(gcdc_matcher_accept(f.m, t), want ? GCDC_OK : GCDC_REJECTED, "step %d", i);
			if (want) {
				lens[steps++ % 257] = f.len;
				memcpy(f.text + f.len, bytes, n);
				f.len += n;
			}
		}
		if (f.len > 2000) {
			gcdc_matcher_reset(f.m);
			f.len = steps = 0;
		}
		if (i % 16 == 0) check_mask(&f, f.m, f.text, f.len);
	}
	fixture_release(&f);
}

// --- Memory ------------------------------------------------------------------------------------------------------

struct counted {
	uint32_t calls;  // that asked for memory
	size_t largest;  // block asked for
	size_t bytes;    // asked for in all calls
};

static void *counting_resize(void *context, void *block, size_t size)
{
	struct counted *c = context;
	if (!size) {
		free(block);
		return NULL;
	}
	c->calls++;
	if (size > c->largest) c->largest = size;
	c->bytes += size;
	return realloc(block, size);
}

static void open_counted(struct fixture *f, struct tiny *tiny, struct counted *counted)
{
	*f = (struct fixture){.tiny = tiny};
	size_t len;
	f->bytes = tiny_encode(tiny, NULL, &len);
	const gcdc_memory memory = {counting_resize, counted};
	const gcdc_open_options options = {.memory = &memory};
	gcdc_refusal why;
	cr_assert_eq(gcdc_artifact_open_memory(f->bytes, len, &options, &f->artifact, &why), GCDC_OK, "%s", why.what);
	cr_assert_eq(gcdc_matcher_new(f->artifact, NULL, &f->m), GCDC_OK);
}

// trap 27: nothing is built when it is first asked for.
Test(runtime, the_first_mask_and_token_ask_for_no_memory)
{
	struct fixture f;
	struct counted counted = {0};
	uint32_t mask[8];
	open_counted(&f, tiny_parens(), &counted);
	uint32_t before = counted.calls;
	cr_assert_gt(before, 0);
	cr_assert_eq(gcdc_matcher_fill(f.m, mask, 8, NULL), GCDC_OK);
	cr_assert_eq(gcdc_matcher_accept_bytes(f.m, "(", 1), GCDC_OK);
	cr_assert_eq(gcdc_matcher_fill(f.m, mask, 8, NULL), GCDC_OK);
	cr_expect_eq(counted.calls, before);
	fixture_release(&f);
}

// Many requests share one artifact; each has a matcher, with what 256 steps back take.
Test(runtime, each_of_10000_matchers_takes_at_most_16_KB)
{
	enum { N = 10000 };
	struct fixture f;
	struct counted counted = {0};
	uint32_t mask[8];
	open_counted(&f, tiny_parens(), &counted);
	size_t before = counted.bytes;
	gcdc_matcher **m = calloc(N, sizeof(gcdc_matcher *));
	cr_assert(m);
	for (uint32_t i = 0; i < N; i++) {
		cr_assert_eq(gcdc_matcher_new(f.artifact, NULL, &m[i]), GCDC_OK);
		cr_assert_eq(gcdc_matcher_accept_bytes(m[i], "(7", 2), GCDC_OK);
		cr_assert_eq(gcdc_matcher_fill(m[i], mask, 8, NULL), GCDC_OK);
	}
	cr_expect_leq((counted.bytes - before) / N, 16384);
	for (uint32_t i = 0; i < N; i++) gcdc_matcher_free(m[i]);
	free(m);
	fixture_release(&f);
}

// trap 22: a text of any length needs the memory of its depth, not of its length.
Test(runtime, memory_does_not_grow_with_the_text)
{
	struct fixture f;
	struct counted counted = {0};
	uint32_t mask[8];
	open_counted(&f, tiny_parens(), &counted);
	for (uint32_t i = 0; i < 3000; i++) cr_assert_eq(gcdc_matcher_accept_bytes(f.m, "( ", 2), GCDC_OK);
	cr_assert_eq(gcdc_matcher_fill(f.m, mask, 8, NULL), GCDC_OK);
	uint32_t before = counted.calls;
	cr_assert_eq(gcdc_matcher_accept_bytes(f.m, "7", 1), GCDC_OK);
	for (uint32_t i = 0; i < 1000000; i++) {
		cr_assert_eq(gcdc_matcher_accept_bytes(f.m, "7", 1), GCDC_OK);
		if (i % 1000 == 0) cr_assert_eq(gcdc_matcher_fill(f.m, mask, 8, NULL), GCDC_OK);
	}
	for (uint32_t i = 0; i < 3000; i++) cr_assert_eq(gcdc_matcher_accept_bytes(f.m, " )", 2), GCDC_OK);
	cr_expect(gcdc_matcher_is_completed(f.m));
	cr_expect_eq(counted.calls, before, "%u more blocks", counted.calls - before);
	fixture_release(&f);
}
