// inspect --html: an example text, token by token.
//
// In:  an artifact, a text, perhaps a tokenizer. Out, as JSON: the place before each token and behind the last: its
// readings with their stacks (explain.h), how many tokens are allowed, in groups by first byte, and as coverage of the
// vocabulary. Stops at a token that is refused, with the explanation. Cost: a mask and a reading of the text so far for
// each token.
#include "allowed.h"
#include "explain.h"
#include "inspect.h"
#include "token_cut.h"

#define ME "inspect"
#define MAX_TOKENS 1000u  // more would make the page heavy; a note says so
#define MAX_FORCED 64u
#define N_EXAMPLES 6u

void coverage_add(const struct artifact_view *v, struct coverage *c, uint32_t token)
{
	uint32_t len;
	const uint8_t *bytes = gcdc_artifact_token(v->artifact, token, &len);
	c->by_id[(uint64_t)token * COVERAGE_BUCKETS / v->info->n_tokens]++;
	if (len) c->by_byte[bytes[0]]++;
}

struct coverage coverage_all(const struct artifact_view *v)
{
	struct coverage all = {0};
	for (uint32_t t = 0; t < v->info->n_tokens; t++) coverage_add(v, &all, t);
	return all;
}

static void put_strip(struct inspect *x, const char *key, const uint32_t *part, const uint32_t *all)
{
	char strip[COVERAGE_BUCKETS + 1];
	for (uint32_t i = 0; i < COVERAGE_BUCKETS; i++)
		strip[i] = "0123456789abcdef"[!part[i] ? 0 : part[i] == all[i] ? 15 : 1 + part[i] * 14ull / all[i]];
	strip[COVERAGE_BUCKETS] = 0;
	json_string_entry(&x->json, key, strip);
}

void coverage_put(struct inspect *x, const struct coverage *c, const struct coverage *all)
{
	put_strip(x, "by_id", c->by_id, all->by_id);
	put_strip(x, "by_byte", c->by_byte, all->by_byte);
}

static void put_groups(struct inspect *x, const struct allowed *a)
{
	struct json_writer *j = &x->json;
	json_key(j, "groups");
	json_array(j);
	for (uint32_t c = 0; c < 256; c++) {
		if (!a->by_class[c]) continue;
		const struct class_label label = allowed_class_label((uint8_t)c);
		json_object(j);
		json_text_entry(j, "class", label.text, strlen(label.text));
		json_uint_entry(j, "count", a->by_class[c]);
		json_key(j, "examples");
		json_array(j);
		uint32_t tokens[N_EXAMPLES], n = allowed_examples_of(a, (uint8_t)c, tokens, N_EXAMPLES);
		for (uint32_t i = 0; i < n; i++) {
			uint32_t len;
			const uint8_t *bytes = gcdc_artifact_token(a->artifact, tokens[i], &len);
			json_bytes(j, bytes, len);
		}
		json_close(j);
		json_close(j);
	}
	json_close(j);
}

struct walk {
	struct inspect *x;
	gcdc_matcher *matcher;
	uint32_t *mask;
	struct coverage all;
	const char *text;
};

// The place behind `at` bytes.
static int put_place(struct walk *w, size_t at)
{
	struct inspect *x = w->x;
	struct json_writer *j = &x->json;
	gcdc_fill_info fill;
	uint8_t forced[MAX_FORCED];
	size_t n_forced;
	gcdc_status status = gcdc_matcher_fill(w->matcher, w->mask, x->info->mask_words, &fill);
	if (!status) status = gcdc_matcher_forced_bytes(w->matcher, forced, sizeof forced, &n_forced);
	if (status) return cli_status_error(ME, "--text", status);
	struct allowed a;
	allowed_read(&a, x->view.artifact, w->mask, fill.may_end);
	struct coverage c = {0};
	for (uint32_t t = 0; t < x->info->n_tokens; t++)
		if (allowed_has(w->mask, t)) coverage_add(&x->view, &c, t);
	json_uint_entry(j, "allowed", a.count);
	json_bool_entry(j, "may_end", a.may_end);
	json_text_entry(j, "forced", forced, n_forced);
	put_groups(x, &a);
	coverage_put(x, &c, &w->all);
	struct explanation e;
	int code = explain(&e, &x->view, ME,
	                   &(struct asked_text){.at = w->text, .prefix_len = at, .len = at, .token = EXPLAIN_NO_TOKEN});
	if (!code) {
		json_key(j, "place");
		explain_json(j, &e);
	}
	explain_release(&e);
	return code;
}

static int put_refusal(struct walk *w, size_t at, uint32_t len, uint32_t token)
{
	struct explanation e;
	int code = explain(&e, &w->x->view, ME,
	                   &(struct asked_text){.at = w->text, .prefix_len = at, .len = at + len, .token = token});
	if (!code) {
		json_key(&w->x->json, "refused");
		explain_json(&w->x->json, &e);
	}
	explain_release(&e);
	return code;
}

static int put_steps(struct walk *w, const token_list *tokens)
{
	struct json_writer *j = &w->x->json;
	size_t at = 0;
	int code = CODE_OK;
	uint32_t n = tokens->n < MAX_TOKENS ? tokens->n : MAX_TOKENS, refused = GCDC_NONE, len = 0;
	if (n < tokens->n) cli_note(ME, "--text: the walk ends after %u of %u tokens", n, tokens->n);
	json_key(j, "steps");
	json_array(j);
	for (uint32_t i = 0; i <= n && !code && refused == GCDC_NONE; i++) {
		json_object(j);
		json_uint_entry(j, "at", at);
		code = put_place(w, at);
		if (i < n && !code) {
			const uint8_t *bytes = gcdc_artifact_token(w->x->view.artifact, tokens->at[i], &len);
			json_uint_entry(j, "token", tokens->at[i]);
			json_text_entry(j, "text", bytes, len);
			gcdc_status status = gcdc_matcher_accept(w->matcher, tokens->at[i]);
			if (status < 0)
				code = cli_status_error(ME, "--text", status);
			else if (status)
				refused = tokens->at[i];
			else
				at += len;
		}
		json_close(j);
	}
	json_close(j);
	return refused == GCDC_NONE || code ? code : put_refusal(w, at, len, refused);
}

int inspect_walk(struct inspect *x, const char *tokenizer)
{
	struct token_cutter cutter;
	token_list tokens = {0};
	size_t len = strlen(x->text), stuck;
	struct walk w = {.x = x, .text = x->text, .all = coverage_all(&x->view)};
	int code = token_cutter_init(
		&cutter, &(struct cutter_options){ME, x->view.artifact, x->view.path, tokenizer, CUT_TOKENIZER, 0});
	if (!code && !token_cutter_cut(&cutter, "--text", x->text, len, &tokens, &stuck))
		code = cli_error(CODE_DATA, ME, "--text: no tokens of the vocabulary spell it from byte %zu on", stuck);
	gcdc_status status = code ? GCDC_OK : gcdc_matcher_new(x->view.artifact, NULL, &w.matcher);
	if (status) code = cli_status_error(ME, "matcher", status);
	w.mask = mem_calloc(x->info->mask_words, sizeof *w.mask);
	json_object(&x->json);
	json_text_entry(&x->json, "text", x->text, len);
	if (!code) code = put_steps(&w, &tokens);
	json_close(&x->json);
	free(w.mask);
	gcdc_matcher_free(w.matcher);
	vec_release(&tokens);
	token_cutter_release(&cutter);
	return code;
}
