// gcdc close: the shortest way to the end of a text.
//
// In:  an artifact with costs, a prefix. Out: the tokens that complete it, as few as can be (in the aligned model: a
// bound); with hard canonical masks behind the canonical tokens that spell the prefix. They are accepted one after the
// other before anything is printed.
#include "canonical_text.h"
#include "cli.h"
#include "json_text.h"
#include "options.h"
#include "prefix.h"
#include "base/text_show.h"

#define ME "close"

static void print_people(const gcdc_artifact *artifact, const uint32_t *tokens, size_t n)
{
	uint32_t len;
	printf("%zu token%s%s: ", n, cli_s(n), gcdc_artifact_costs(artifact) == GCDC_COSTS_EXACT ? "" : " (a bound)");
	for (size_t i = 0; i < n; i++) {
		const uint8_t *bytes = gcdc_artifact_token(artifact, tokens[i], &len);
		if (i) fputc(' ', stdout);
		text_show(stdout, bytes, len, 0);
	}
	fputs(n ? "\n" : "nothing is missing\n", stdout);
}

static void print_json(const gcdc_artifact *artifact, const struct source *s, const uint32_t *tokens, size_t n)
{
	struct json_writer j;
	uint32_t len;
	json_begin(&j, stdout);
	json_object(&j);
	json_text_entry(&j, "prefix", s->text, s->len);
	json_uint_entry(&j, "count", n);
	json_bool_entry(&j, "exact", gcdc_artifact_costs(artifact) == GCDC_COSTS_EXACT);
	json_key(&j, "tokens");
	json_array(&j);
	for (size_t i = 0; i < n; i++) {
		const uint8_t *bytes = gcdc_artifact_token(artifact, tokens[i], &len);
		json_object(&j);
		json_uint_entry(&j, "id", tokens[i]);
		json_text_entry(&j, "text", bytes, len);
		json_close(&j);
	}
	json_close(&j);
	json_close(&j);
	json_end(&j);
}

static int close_text(const gcdc_artifact *artifact, const struct source *s, bool is_json)
{
	gcdc_matcher *m;
	gcdc_status status = gcdc_matcher_new(artifact, NULL, &m);
	uint32_t n = 0, *tokens = NULL;
	size_t found = 0;
	int code = CODE_OK;
	bool is_hard = gcdc_artifact_canonical(artifact) == GCDC_CANONICAL_HARD;
	if (!status)
		status = is_hard ? canonical_accept(m, s->text, s->len, &(uint32_t){0})
		                 : gcdc_matcher_accept_bytes(m, s->text, s->len);
	if (status == GCDC_REJECTED) {
		code = cli_error(CODE_NO, ME, "%s: no text of the language begins so; 'gcdc mask' shows where", s->path);
		goto done;
	}
	if (!status) status = gcdc_matcher_min_tokens(m, false, &n);
	if (status == GCDC_ERR_BUDGET) {
		code = cli_least_unknown(ME, s->path);
		goto done;
	}
	tokens = mem_calloc(n + 1, sizeof *tokens);
	if (!status) status = gcdc_matcher_close(m, tokens, n, &found);
	for (size_t i = 0; i < found && !status; i++) status = canonical_accept_end(artifact, m, tokens[i]);
	if (!status && !gcdc_matcher_is_completed(m)) status = GCDC_ERR_INTERNAL;
	if (status)
		code = cli_status_error(ME, s->path, status < 0 ? status : GCDC_ERR_INTERNAL);
	else if (is_json)
		print_json(artifact, s, tokens, found);
	else
		print_people(artifact, tokens, found);
done:
	free(tokens);
	gcdc_matcher_free(m);
	return code;
}

int command_close(int argc, char **argv)
{
	struct prefix_options prefix = {0};
	const char *path = NULL, *vocab = NULL;
	bool is_json = false;
	const struct positional positionals[] = {{"ARTIFACT", POSITIONAL_ONE, &path, "what 'gcdc compile' wrote"}};
	const struct option_spec options[] = {
		PREFIX_OPTIONS(prefix),
		VOCAB_OPTION(&vocab),
		FLAG_OPTION("json", &is_json, "one JSON object"),
	};
	const struct usage usage = USAGE(ME, "Finds the fewest tokens that complete a text.", positionals, options,
	                                 "Exit code 1: no text of the language begins with the prefix.");
	int code;
	if (!options_read(&usage, argc, argv, &code)) return code;
	char *text = NULL;
	size_t len = 0;
	gcdc_artifact *artifact = NULL;
	code = prefix_read(&prefix, ME, &text, &len);
	if (!code) code = cli_open(ME, path, vocab, &artifact);
	if (!code) code = close_text(artifact, &(struct source){prefix_name(&prefix), text, len}, is_json);
	gcdc_artifact_close(artifact);
	free(text);
	return code;
}
