// What an inference engine does around masks: finds the artifact of its tokenizer, sets a request's stop tokens,
// verifies drafts for a batch, applies masks to logits, copies a state for a beam, jumps over tokens that are forced.
//
//     engine ARTIFACT [OTHER ARTIFACT ...]        of one grammar or several; e.g. JSON with the built-in tokenizer
//
// The model is a table of random numbers. Exit code 1 if anything comes out wrong: a text that is not whole, a logit
// that survived its mask, a row of drafts that differs from filling and accepting one by one.
#include <gcdc/runtime.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEQUENCES 8
#define DRAFTS 3

static void need(int ok, const char *what)
{
	if (ok) return;
	fprintf(stderr, "engine: %s\n", what);
	exit(1);
}

static uint64_t state = 1;
static uint32_t random_below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state >> 33) % n);
}

// The first file whose tokens are the engine's, told by its head alone.
static gcdc_artifact *choose(int n, char **paths, const uint64_t *vocab_hash)
{
	for (int i = 0; i < n; i++) {
		gcdc_head head;
		gcdc_refusal why;
		gcdc_artifact *artifact;
		if (gcdc_artifact_head(paths[i], &head, &why)) {
			fprintf(stderr, "%s: %s\n", paths[i], why.what);
			continue;
		}
		if (vocab_hash && memcmp(head.vocab_hash, vocab_hash, sizeof head.vocab_hash) != 0) continue;
		if (gcdc_artifact_open(paths[i], NULL, &artifact, &why)) need(0, why.what);
		return artifact;
	}
	need(0, "no artifact for this tokenizer");
	return NULL;
}

// The tokenizer that the engine runs is the artifact's, id by id.
static void check_tokenizer(const gcdc_artifact *artifact, uint32_t n)
{
	uint64_t *offsets = calloc(n + 1, sizeof *offsets);
	uint8_t *bytes = calloc(n, 64);
	uint32_t differ[4];
	size_t n_differ;
	for (uint32_t t = 0; t < n; t++) {  // yours: convert_ids_to_tokens, or what your tokenizer calls it
		uint32_t len;
		const uint8_t *token = gcdc_artifact_token(artifact, t, &len);
		if (len) memcpy(bytes + offsets[t], token, len);
		offsets[t + 1] = offsets[t] + len;
	}
	const gcdc_token_texts live = {bytes, offsets, n};
	need(gcdc_vocab_check(artifact, &live, differ, 4, &n_differ) == GCDC_OK, "another tokenizer");
	bytes[offsets[n / 2]] ^= 1;
	need(gcdc_vocab_check(artifact, &live, differ, 4, &n_differ) == GCDC_ERR_VOCAB && n_differ == 1,
	     "a changed token was not seen");
	free(bytes);
	free(offsets);
}

// Masks of a step with drafts, rows one behind the other, are those of filling and accepting one by one.
static void verify_drafts(gcdc_matcher **batch, uint32_t words, uint32_t n_tokens)
{
	uint32_t drafts[SEQUENCES * DRAFTS], accepted[SEQUENCES];
	size_t first[SEQUENCES + 1];
	for (uint32_t i = 0; i <= SEQUENCES; i++) first[i] = i * DRAFTS;
	uint32_t *masks = calloc((size_t)SEQUENCES * (DRAFTS + 1) * words, sizeof *masks);
	uint32_t *mask = calloc(words, sizeof *mask);
	for (uint32_t i = 0; i < SEQUENCES * DRAFTS; i++) drafts[i] = random_below(n_tokens);
	for (uint32_t i = 0; i < SEQUENCES; i++) {  // the first draft of each is a good one
		need(gcdc_matcher_fill(batch[i], mask, words, NULL) >= 0, "no mask");
		while (!(mask[drafts[i * DRAFTS] / 32] >> drafts[i * DRAFTS] % 32 & 1))
			drafts[i * DRAFTS] = (drafts[i * DRAFTS] + 1) % n_tokens;
	}
	const gcdc_draft_chains chains = {drafts, first};
	const gcdc_mask_rows rows = {masks, words, NULL};
	need(gcdc_fill_drafts_batch(batch, SEQUENCES, &chains, &rows, NULL, accepted) == GCDC_OK, "drafts");
	for (uint32_t i = 0; i < SEQUENCES; i++) {
		size_t taken;
		for (uint32_t row = 0; row <= DRAFTS; row++) {
			gcdc_status status = gcdc_matcher_fill(batch[i], mask, words, NULL);
			need(status >= 0 && !memcmp(mask, masks + (i * (DRAFTS + 1) + row) * words, words * sizeof *mask),
			     "a row of drafts differs");
			if (row < accepted[i]) need(gcdc_matcher_accept(batch[i], drafts[i * DRAFTS + row]) == GCDC_OK, "a draft");
		}
		need(gcdc_matcher_rollback(batch[i], accepted[i]) == GCDC_OK, "no way back");
		if (gcdc_matcher_accept_tokens(batch[i], drafts + i * DRAFTS, DRAFTS, &taken) < 0) need(0, "an error");
		need(taken == accepted[i], "drafts are taken as they were verified");
	}
	free(mask);
	free(masks);
}

// One token for each sequence: logits, masks, the largest logit.
static void step(gcdc_matcher **batch, float *logits, uint32_t *masks, uint32_t words, uint32_t n_tokens)
{
	uint32_t tokens[SEQUENCES];
	const gcdc_logits where = {logits, GCDC_LOGITS_F32, n_tokens, n_tokens};
	for (size_t i = 0; i < (size_t)SEQUENCES * n_tokens; i++) logits[i] = (float)random_below(1000);
	const gcdc_mask_rows rows = {masks, words, NULL};
	need(gcdc_fill_rows(batch, SEQUENCES, &rows, NULL, NULL) == GCDC_OK, "masks");
	need(gcdc_apply_masks(&where, masks, words, words, NULL, SEQUENCES) == GCDC_OK, "masks on logits");
	for (uint32_t i = 0; i < SEQUENCES; i++) {
		const float *row = logits + (size_t)i * n_tokens;
		tokens[i] = 0;
		for (uint32_t t = 0; t < n_tokens; t++) {
			need((isinf(row[t]) != 0) == !(masks[i * words + t / 32] >> t % 32 & 1), "a logit that its mask forbids");
			if (row[t] > row[tokens[i]]) tokens[i] = t;
		}
	}
	for (uint32_t i = 0; i < SEQUENCES; i++)
		if (!gcdc_matcher_is_terminated(batch[i]))
			need(gcdc_matcher_accept(batch[i], tokens[i]) == GCDC_OK, "a token of the mask was refused");
}

int main(int argc, char **argv)
{
	gcdc_info info;
	gcdc_matcher *batch[SEQUENCES];
	need(argc > 1, "usage: engine ARTIFACT [OTHER ARTIFACT ...]");
	gcdc_artifact *artifact = choose(argc - 1, argv + 1, NULL);
	gcdc_artifact_info(artifact, &info);
	gcdc_artifact *same = choose(argc - 1, argv + 1, info.vocab_hash);
	gcdc_artifact_close(same);
	check_tokenizer(artifact, info.n_tokens);

	// Stop tokens of the request: control tokens that the grammar does not know, here those without bytes.
	uint32_t stops[4], n_stops = 0, n_eos, len;
	const uint32_t *eos = gcdc_artifact_eos(artifact, &n_eos);
	for (uint32_t t = 0; t < info.n_tokens && n_stops < 4; t++) {
		gcdc_artifact_token(artifact, t, &len);
		if (!len && t != eos[0]) stops[n_stops++] = t;
	}
	for (uint32_t i = 0; i < SEQUENCES; i++) {
		need(gcdc_matcher_new(artifact, NULL, &batch[i]) == GCDC_OK, "no memory");
		need(gcdc_matcher_set_budget(batch[i], 30 + i, true, NULL) == GCDC_OK, "too small a budget");
	}
	need(gcdc_set_stop_tokens_batch(batch, SEQUENCES, stops, n_stops, NULL) == GCDC_OK, "stop tokens");
	need(gcdc_matcher_set_stop_tokens(batch[SEQUENCES - 1], stops, n_stops / 2) == GCDC_OK, "stop tokens of its own");
	gcdc_artifact *kept = gcdc_artifact_retain(artifact);  // for the next requests: a hold of its own
	gcdc_artifact_close(artifact);                         // the matchers hold it, too

	float *logits = calloc((size_t)SEQUENCES * info.n_tokens, sizeof *logits);
	uint32_t *masks = calloc((size_t)SEQUENCES * info.mask_words, sizeof *masks), forced[8], n_running = SEQUENCES;
	size_t n_forced = 0, n_jumped = 0;
	verify_drafts(batch, info.mask_words, info.n_tokens);
	need(gcdc_matcher_copy(batch[1], batch[0]) == GCDC_OK, "a beam takes the place of another");
	need(gcdc_matcher_steps(batch[1]) == gcdc_matcher_steps(batch[0]), "a copy has the other's steps");
	for (uint32_t k = 0; k < 64 && n_running; k++) {
		step(batch, logits, masks, info.mask_words, info.n_tokens);
		n_running = 0;
		for (uint32_t i = 0; i < SEQUENCES; i++) {
			if (gcdc_matcher_is_terminated(batch[i])) continue;
			n_running++;
			need(gcdc_matcher_forced_tokens(batch[i], forced, 8, &n_forced) == GCDC_OK, "forced tokens");
			size_t taken;
			need(!gcdc_matcher_accept_tokens(batch[i], forced, n_forced, &taken), "a forced token was refused");
			n_jumped += taken;
		}
	}
	need(n_running == 0, "a text was cut off");
	printf("%u texts, all whole; %u stop tokens; %zu tokens were forced\n", SEQUENCES, n_stops, n_jumped);
	for (uint32_t i = 0; i < SEQUENCES; i++) gcdc_matcher_free(batch[i]);
	gcdc_artifact_close(kept);
	free(masks);
	free(logits);
	return 0;
}
