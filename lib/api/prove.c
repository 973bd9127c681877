// The proof at the end of a compilation: the artifact's own masks and its own matcher agree.
//
// In:  the artifact's bytes. Out: a status; an error that shows the text that led to a contradiction.
// The first mask must be there. Then texts at random, from a fixed seed: at each place a few tokens whose bit is set
// must be accepted, and lead to a place whose mask is there and not empty; a few whose bit is not set must be refused;
// EOS must be accepted where its bit is set. Texts are closed with the tables of costs, where there are any: what they
// say must be accepted, EOS behind it. A limit that the caller sets (max_stacks, max_depth) is no contradiction behind
// the first mask: the walk ends there. Masks of the mode soft where the artifact's is hard: a hard one may search for
// long. Cost: bounded by PROVE_*, not by the clock; about 4 masks a step, a few milliseconds.
#include "prove.h"

#include "api.h"

#include "../base/random.h"
#include "../base/text_out.h"
#include "../base/text_show.h"

#define SHOWN 200u  // bytes of the text in a message
#define SEED 0x6763646370726f76u

struct walk {
	const gcdc_artifact *artifact;
	gcdc_matcher *matcher;
	gcdc_info info;
	gcdc_cost_model costs;
	uint32_t eos;            // GCDC_NONE: there is none
	uint32_t *mask, *other;  // of this place, of the one behind a token
	VEC(uint32_t) tokens;    // of the text so far
	uint64_t random, readings;
	bool has_ended;  // a limit was met
	struct diag *diag;
	struct proof *out;
};

static bool allowed_has(const uint32_t *mask, uint32_t token) { return mask[token / 32] >> token % 32 & 1; }

// The text of the tokens, shown; in the diag's arena.
static const char *shown(struct walk *w, const uint32_t *tokens, uint32_t n)
{
	VEC(uint8_t) text = {0};
	struct text_out line;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t n_bytes;
		const uint8_t *bytes = gcdc_artifact_token(w->artifact, tokens[i], &n_bytes);
		for (uint32_t k = 0; k < n_bytes; k++) vec_push(&text, bytes[k]);
	}
	text_open(&line);
	text_show(line.f, text.at, text.n, SHOWN);
	const char *kept = text_close(&line, diag_arena(w->diag));
	vec_release(&text);
	return kept;
}

// A contradiction: what it is, and where. token: GCDC_NONE, or the one that shows it. status: GCDC_OK, or the one that
// came.
static bool contradicts(struct walk *w, const char *what, uint32_t token, gcdc_status status)
{
	const char *ids = "";
	uint32_t from = w->tokens.n > 20 ? w->tokens.n - 20 : 0;
	for (uint32_t i = from; i < w->tokens.n; i++)
		ids = arena_printf(diag_arena(w->diag), "%s %u", ids, w->tokens.at[i]);
	diag_error(w->diag, (struct loc){0},
	           "the new artifact contradicts itself: %s%s%s. This is a bug in gcdc; nothing was written", what,
	           status ? ": " : "", status ? gcdc_status_text(status) : "");
	if (w->tokens.n)
		diag_note(w->diag, (struct loc){0}, "it happens behind the text %s, tokens%s%s",
		          shown(w, w->tokens.at, w->tokens.n), from ? " ..." : "", ids);
	else
		diag_note(w->diag, (struct loc){0}, "it happens at the beginning of the text");
	if (token != GCDC_NONE) diag_note(w->diag, (struct loc){0}, "with token %u, %s", token, shown(w, &token, 1));
	diag_note(w->diag, (struct loc){0},
	          "please report it with the grammar, the tokenizer and this message; --no-prove writes the artifact all "
	          "the same");
	return false;
}

static bool is_limit(gcdc_status status) { return status == GCDC_ERR_STACKS || status == GCDC_ERR_LIMIT; }

// A mask must be here. False: it is not, or a limit was met.
static bool fill(struct walk *w, uint32_t *mask, const char *what, uint32_t token)
{
	gcdc_status status = gcdc_matcher_fill(w->matcher, mask, w->info.mask_words, NULL);
	if (status == GCDC_ERR_MEMORY) work_out_of_memory(0);
	work_look();
	uint32_t some = 0;
	for (uint32_t i = 0; i < w->info.mask_words && !some; i++) some = mask[i];
	if (status >= 0 && some) return true;
	if (w->eos == GCDC_NONE && gcdc_matcher_is_completed(w->matcher)) return true;  // complete, and nothing can say so
	w->has_ended = is_limit(status);
	return w->has_ended ? false : contradicts(w, what, token, status);
}

static bool is_eos(const struct walk *w, uint32_t token)
{
	uint32_t n;
	const uint32_t *eos = gcdc_artifact_eos(w->artifact, &n);
	for (uint32_t i = 0; i < n; i++)
		if (eos[i] == token) return true;
	return false;
}

// The first of [from, to) whose bit is `bit`, or `to`.
static uint32_t next_of(const struct walk *w, uint32_t from, uint32_t to, bool bit)
{
	for (uint32_t k = from / 32; k * 32 < to; k++) {
		uint32_t these = bit ? w->mask[k] : ~w->mask[k];
		if (k == from / 32) these &= UINT32_MAX << from % 32;
		if (!these) continue;
		uint32_t t = k * 32 + (uint32_t)__builtin_ctz(these);
		return t < to ? t : to;
	}
	return to;
}

// From a random id on, the first whose bit is `bit`; GCDC_NONE: there is none.
static uint32_t draw(struct walk *w, bool bit)
{
	uint32_t n = w->info.n_tokens, from = random_below(&w->random, n);
	uint32_t t = next_of(w, from, n, bit);
	if (t == n) t = next_of(w, 0, from, bit);
	return t == from && allowed_has(w->mask, t) != bit ? GCDC_NONE : t;
}

// Takes a token of the mask and looks at the place behind it. False: a contradiction, or a limit.
static bool take(struct walk *w, uint32_t token)
{
	gcdc_status status = gcdc_matcher_accept(w->matcher, token);
	if (status) {
		w->has_ended = is_limit(status);
		return w->has_ended
		           ? false
		           : contradicts(w, "a token that the mask allows is refused", token, status < 0 ? status : GCDC_OK);
	}
	if (gcdc_matcher_is_terminated(w->matcher) != is_eos(w, token))
		return contradicts(w, "the text ends without EOS, or does not with it", token, GCDC_OK);
	return gcdc_matcher_is_terminated(w->matcher) ||
	       fill(w, w->other, "behind a token that the mask allows there is no mask", token);
}

static bool sample(struct walk *w)
{
	bool ok = true;
	for (uint32_t i = 0; i < PROVE_SAMPLES && ok; i++) {
		uint32_t no = draw(w, false), yes = draw(w, true);
		if (no != GCDC_NONE) {
			gcdc_status status = gcdc_matcher_accept(w->matcher, no);
			if (is_limit(status))
				w->has_ended = true, ok = false;
			else if (status != GCDC_REJECTED)
				ok = contradicts(w, "a token that the mask forbids is accepted", no, status < 0 ? status : GCDC_OK);
		}
		if (!ok || yes == GCDC_NONE) continue;
		ok = take(w, yes);
		gcdc_status status = ok ? gcdc_matcher_rollback(w->matcher, 1) : GCDC_OK;
		if (status) ok = contradicts(w, "a token cannot be taken back", yes, status);
	}
	return ok;
}

// With the tables of costs to the text's end. Aligned ones may know of no way.
static bool close_text(struct walk *w)
{
	uint32_t tokens[256];
	size_t n = 0;
	if (w->costs == GCDC_COSTS_NONE || w->eos == GCDC_NONE) return true;
	gcdc_status status = gcdc_matcher_close(w->matcher, tokens, 256, &n);
	if (is_limit(status) || status == GCDC_ERR_BUDGET || n > 256) {
		w->has_ended = is_limit(status);
		if (w->has_ended || status != GCDC_ERR_BUDGET || w->costs == GCDC_COSTS_ALIGNED) return !w->has_ended;
	}
	if (status) return contradicts(w, "the tables of costs know of no end", GCDC_NONE, status);
	for (size_t i = 0; i < n; i++) {
		if (!take(w, tokens[i])) return false;
		vec_push(&w->tokens, tokens[i]);
	}
	if (!take(w, w->eos)) return false;
	w->out->n_closed++;
	return true;
}

static void begin(struct walk *w)
{
	gcdc_matcher_reset(w->matcher);
	vec_clear(&w->tokens);
	w->out->n_texts++;
}

// One text. False: a contradiction, or a limit.
static bool walk_text(struct walk *w)
{
	bool is_filled = false;  // the mask, by the step before
	begin(w);
	while (w->tokens.n < PROVE_LENGTH && w->out->n_steps < PROVE_STEPS && w->readings < PROVE_READINGS) {
		if (!is_filled && !fill(w, w->mask, "there is no mask", GCDC_NONE)) return false;
		w->readings += 1 + gcdc_matcher_reading(w->matcher, 0, NULL, NULL, 0, NULL);
		if (!sample(w)) return false;
		bool ends = w->eos != GCDC_NONE && allowed_has(w->mask, w->eos) && random_below(&w->random, 4) == 0;
		uint32_t token = ends ? w->eos : draw(w, true);
		if (token == GCDC_NONE) return true;
		if (!take(w, token)) return false;
		w->out->n_steps++;
		if (gcdc_matcher_is_terminated(w->matcher)) return true;
		vec_push(&w->tokens, token);
		uint32_t *next = w->other;
		w->other = w->mask, w->mask = next, is_filled = true;
	}
	return close_text(w);
}

static gcdc_status prove(struct walk *w, bool walk, bool may_be_empty)
{
	begin(w);
	gcdc_status status = gcdc_matcher_fill(w->matcher, w->mask, w->info.mask_words, NULL);
	if (may_be_empty && status == GCDC_ERR_INTERNAL) {
		grammar_refuse_empty(w->diag);
		return GCDC_ERR_GRAMMAR;
	}
	if (!walk) return GCDC_OK;
	if (is_limit(status)) {
		diag_error(w->diag, (struct loc){0}, "the artifact would have no first mask: %s. Nothing was written",
		           gcdc_status_text(status));
		diag_note(
			w->diag, (struct loc){0},
			"conflicts that are kept give a text many parses: --report lists them, with the rules that cause them");
		return GCDC_ERR_GRAMMAR;
	}
	if (status && !(w->eos == GCDC_NONE && gcdc_matcher_is_completed(w->matcher)))
		return contradicts(w, "there is no first mask", GCDC_NONE, status), GCDC_ERR_INTERNAL;
	w->out->n_texts = 0;
	while (w->out->n_steps < PROVE_STEPS && w->out->n_texts < PROVE_STEPS && w->readings < PROVE_READINGS &&
	       !w->has_ended)
		if (!walk_text(w) && !w->has_ended) return GCDC_ERR_INTERNAL;
	return GCDC_OK;
}

static void close_artifact(void *artifact) { gcdc_artifact_close(artifact); }
static void free_matcher(void *matcher) { gcdc_matcher_free(matcher); }

static gcdc_status prove_opened(struct walk *w, bool walk, bool may_be_empty)
{
	struct work_cleanup c;
	gcdc_artifact_info(w->artifact, &w->info);
	gcdc_status status = gcdc_matcher_new(w->artifact, NULL, &w->matcher);
	if (status == GCDC_ERR_MEMORY) work_out_of_memory(0);
	if (!status) work_cleanup(&c, free_matcher, w->matcher);
	uint32_t n;
	const uint32_t *eos = gcdc_artifact_eos(w->artifact, &n);
	if (n) w->eos = eos[0];
	w->costs =
		gcdc_artifact_canonical(w->artifact) == GCDC_CANONICAL_OFF ? gcdc_artifact_costs(w->artifact) : GCDC_COSTS_NONE;
	if (!status && gcdc_artifact_canonical(w->artifact) == GCDC_CANONICAL_HARD)
		status = gcdc_matcher_set_canonical(w->matcher, GCDC_CANONICAL_SOFT);
	if (status) {
		diag_error(w->diag, (struct loc){0}, "the new artifact has no matcher: %s. Nothing was written",
		           gcdc_status_text(status));
	} else {
		w->mask = mem_calloc(w->info.mask_words + 1, sizeof *w->mask),
		w->other = mem_calloc(w->info.mask_words + 1, sizeof *w->other);
		status = prove(w, walk, may_be_empty);
		vec_release(&w->tokens);
		free(w->mask), free(w->other);
	}
	if (w->matcher) work_cleanup_end(&c);
	gcdc_matcher_free(w->matcher);
	return status;
}

gcdc_status prove_artifact(const void *bytes, size_t len, const struct prove_options *o, struct diag *d,
                           struct proof *out)
{
	*out = (struct proof){0};
	double begin = api_now();
	struct walk w = {.random = SEED, .diag = d, .out = out, .eos = GCDC_NONE};
	gcdc_artifact *artifact;
	gcdc_refusal why;
	struct work_cleanup c;
	const struct gcdc_open_options options = {.threads = o->threads};
	gcdc_status status = gcdc_artifact_open_memory(bytes, len, &options, &artifact, &why);
	if (status == GCDC_ERR_MEMORY) work_out_of_memory(len);
	if (status) {
		diag_error(d, (struct loc){0}, "the new artifact cannot be opened: %s. Nothing was written", why.what);
		return status;
	}
	work_cleanup(&c, close_artifact, artifact);
	w.artifact = artifact;
	status = prove_opened(&w, o->walk, o->may_be_empty);
	work_cleanup_end(&c);
	gcdc_artifact_close(artifact);
	out->seconds = api_now() - begin;
	return status;
}
