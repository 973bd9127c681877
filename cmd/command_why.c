// gcdc why: why is a token, or the end, allowed behind a text, or not?
//
// In:  an artifact, a prefix, a token by its text or id. Out: the verdict and its reasons (explain.h). A text that is
// no token is cut by the tokenizer when there is one, and the first token that is refused is explained; else it is
// explained as a text. Exit code 1: not allowed.
#include "explain.h"
#include "prefix.h"
#include "token_cut.h"

#include <string.h>

#define ME "why"

struct arguments {
	struct prefix_options prefix;
	const char *token, *escaped, *tokenizer;
	struct number id;
	bool eos, is_json;
};

static int tell(const struct arguments *a, const struct artifact_view *v, const struct asked_text *text,
                bool only_if_refused, bool *refused)
{
	struct explanation e;
	int code = explain(&e, v, ME, text);
	*refused = e.verdict != VERDICT_ALLOWED;
	if (!code && (*refused || !only_if_refused)) {
		struct json_writer j;
		if (a->is_json) {
			json_begin(&j, stdout);
			explain_json(&j, &e);
			json_end(&j);
		} else {
			explain_show(stdout, &e);
		}
	}
	explain_release(&e);
	return code ? code : *refused ? CODE_NO : CODE_OK;
}

// A text of several tokens: the first that is refused, or the last.
static int tell_tokens(const struct arguments *a, const struct artifact_view *v, const char *text, size_t prefix_len,
                       size_t len)
{
	struct token_cutter cutter;
	token_list tokens = {0};
	size_t stuck;
	bool refused = false;
	int code =
		token_cutter_init(&cutter, &(struct cutter_options){ME, v->artifact, v->path, a->tokenizer, CUT_TOKENIZER, 0});
	if (!code && !token_cutter_cut(&cutter, "<token>", text + prefix_len, len - prefix_len, &tokens, &stuck))
		code = cli_error(CODE_DATA, ME, "no tokens of the vocabulary spell the text");
	for (uint32_t i = 0; i < tokens.n && !code && !refused; i++) {
		uint32_t n;
		gcdc_artifact_token(v->artifact, tokens.at[i], &n);
		code = tell(
			a, v,
			&(struct asked_text){.at = text, .prefix_len = prefix_len, .len = prefix_len + n, .token = tokens.at[i]},
			i + 1 < tokens.n, &refused);
		prefix_len += n;
	}
	vec_release(&tokens);
	token_cutter_release(&cutter);
	return code;
}

// text is the prefix; the token goes behind it.
static int why(const struct arguments *a, const struct artifact_view *v, char **text, size_t len)
{
	bool refused;
	uint32_t token = EXPLAIN_NO_TOKEN, n = 0, n_eos;
	const uint32_t *eos = gcdc_artifact_eos(v->artifact, &n_eos);
	const uint8_t *bytes = NULL;
	size_t size = 0;
	if (a->eos) {
		if (!n_eos) return cli_error(CODE_USAGE, ME, "--eos: the vocabulary has no token that ends a text");
		token = eos[0];
	} else if (a->id.given) {
		if (a->id.value >= v->info->n_tokens)
			return cli_error(CODE_USAGE, ME, "--id %llu: the vocabulary has %u tokens", (unsigned long long)a->id.value,
			                 v->info->n_tokens);
		token = (uint32_t)a->id.value;
		bytes = gcdc_artifact_token(v->artifact, token, &n);
		size = n;
	}
	const char *given = a->escaped ? a->escaped : a->token;
	*text = mem_realloc(*text, len + size + (given ? strlen(given) : 0) + 1, 1);
	if (size) memcpy(*text + len, bytes, size);
	if (given) {
		size = strlen(given);
		memcpy(*text + len, given, size);
		const char *wrong = a->escaped ? prefix_unescape(given, *text + len, &size) : NULL;
		if (wrong)
			return cli_error(CODE_USAGE, ME, "--token-escaped: '\\%.1s' begins no escape here; " PREFIX_ESCAPES,
			                 wrong + 1);
		if (!size) return cli_error(CODE_USAGE, ME, "--token is empty; --eos asks for the end of the text");
		token = view_token_of(v, *text + len, size);
		if (token == EXPLAIN_NO_TOKEN && a->tokenizer) return tell_tokens(a, v, *text, len, len + size);
	}
	return tell(a, v, &(struct asked_text){.at = *text, .prefix_len = len, .len = len + size, .token = token}, false,
	            &refused);
}

int command_why(int argc, char **argv)
{
	struct arguments a = {0};
	const char *path = NULL, *vocab = NULL;
	const struct positional positionals[] = {{"ARTIFACT", POSITIONAL_ONE, &path, "what 'gcdc compile' wrote"}};
	const struct option_spec options[] = {
		PREFIX_OPTIONS(a.prefix),
		TEXT_OPTION("token", &a.token, "TEXT", "the token that has this text, or a text", .letter = 't'),
		TEXT_OPTION("token-escaped", &a.escaped, "TEXT", "the same with \\n \\t \\r \\0 \\\\ \\\" \\xHH"),
		NUMBER_OPTION("id", &a.id, "N", 0, UINT32_MAX - 1, "the token with this id"),
		FLAG_OPTION("eos", &a.eos, "the end of the text"),
		FILE_OPTION("tokenizer", &a.tokenizer, "FILE",
	                "cuts a TEXT that is no token as the model does; the first\ntoken that is refused is explained"),
		VOCAB_OPTION(&vocab),
		FLAG_OPTION("json", &a.is_json, "one JSON object"),
	};
	const struct usage usage = USAGE(ME, "Explains why a token is allowed after a text, or not.", positionals, options,
	                                 "Exit code 1: it is not allowed.");
	int code;
	if (!options_read(&usage, argc, argv, &code)) return code;
	if (!!a.token + !!a.escaped + a.id.given + a.eos != 1)
		return cli_error(CODE_USAGE, ME,
		                 "one of --token, --token-escaped, --id and --eos says which token is asked for");
	char *text = NULL;
	size_t len = 0;
	struct artifact_view view = {0};
	code = prefix_read(&a.prefix, ME, &text, &len);
	if (!code) code = view_open(&view, ME, path, vocab);
	if (!code) code = why(&a, &view, &text, len);
	view_close(&view);
	free(text);
	return code;
}
