// gcdc sample: random texts that an artifact allows.
//
// In:  an artifact, a seed. Out: texts, on stdout, as JSON, or each in a file. The same seed gives the same texts; the
// i-th text depends on seed and i alone. Each finished text is walked once more from the beginning, token by token,
// to EOS: what is called complete has been accepted.
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "canonical_text.h"
#include "json_text.h"
#include "options.h"
#include "sample_walk.h"
#include "base/text_show.h"
#include "token_cut.h"

#define ME "sample"

#define NOT_ASKED UINT64_MAX  // no budget, or no hard canonical masks

struct arguments {
	struct number count, seed, max_tokens, budget;
	const char *out, *extension;
	bool is_json;
};

struct text {
	uint8_t *bytes;
	size_t len;
};

static struct text spell(const gcdc_artifact *artifact, const sampled_tokens *tokens)
{
	struct text t = {0};
	uint32_t len;
	for (uint32_t i = 0; i < tokens->n; i++) {
		gcdc_artifact_token(artifact, tokens->at[i], &len);
		t.len += len;
	}
	uint8_t *to = t.bytes = mem_alloc(t.len);
	for (uint32_t i = 0; i < tokens->n; i++) {
		const uint8_t *bytes = gcdc_artifact_token(artifact, tokens->at[i], &len);
		memcpy(to, bytes, len);
		to += len;
	}
	return t;
}

// Is this text accepted to its end?
static bool is_accepted(const gcdc_artifact *artifact, gcdc_matcher *m, const sampled_tokens *tokens)
{
	uint32_t n_eos;
	const uint32_t *eos = gcdc_artifact_eos(artifact, &n_eos);
	gcdc_matcher_reset(m);
	bool ok = true;
	for (uint32_t i = 0; ok && i < tokens->n; i++) ok = canonical_accept_end(artifact, m, tokens->at[i]) == GCDC_OK;
	// The shortest end need not be one that soft masks prefer.
	bool is_soft = gcdc_artifact_canonical(artifact) == GCDC_CANONICAL_SOFT;
	ok = ok && (!is_soft || gcdc_matcher_set_canonical(m, GCDC_CANONICAL_OFF) == GCDC_OK);
	ok = ok && gcdc_matcher_is_completed(m) && (!n_eos || gcdc_matcher_accept(m, eos[0]) == GCDC_OK);
	return ok && (!is_soft || gcdc_matcher_set_canonical(m, GCDC_CANONICAL_SOFT) == GCDC_OK);
}

static int write_file(const struct arguments *a, uint64_t i, const struct text *t)
{
	char *path;
	int n = asprintf(&path, "%s/%06" PRIu64 "%s", a->out, i, a->extension);
	ASSERT(n > 0);
	FILE *f = fopen(path, "wb");
	bool ok = f && fwrite(t->bytes, 1, t->len, f) == t->len;
	if (f && fclose(f)) ok = false;
	int code = ok ? CODE_OK : cli_error(CODE_IO, ME, "%s: %s", path, strerror(errno));
	free(path);
	return code;
}

struct sample {
	uint64_t number;
	struct text text;
	const sampled_tokens *tokens;
	bool complete;
	uint64_t unpriced;  // NOT_ASKED
};

static int put_sample(const struct arguments *a, struct json_writer *j, const struct sample *s)
{
	const struct text *t = &s->text;
	const sampled_tokens *tokens = s->tokens;
	if (a->is_json) {
		json_object(j);
		json_text_entry(j, "text", t->bytes, t->len);
		json_key(j, "tokens");
		json_array(j);
		for (uint32_t k = 0; k < tokens->n; k++) json_uint(j, tokens->at[k]);
		json_close(j);
		json_bool_entry(j, "complete", s->complete);
		if (s->unpriced != NOT_ASKED) json_uint_entry(j, "unpriced", s->unpriced);
		json_close(j);
	} else if (!a->out) {
		text_show(stdout, t->bytes, t->len, 0);
		fputs(s->complete ? "\n" : "  (unfinished)\n", stdout);
	}
	return a->out ? write_file(a, s->number, t) : CODE_OK;
}

// Branches: a sample may meet the budget, an error or the check of the sampler, and its text goes to three places.
static int run(const struct arguments *a, const gcdc_artifact *artifact)
{
	struct sampler s;
	sampler_init(&s, artifact);
	sampled_tokens tokens = {0};
	struct json_writer j;
	if (a->is_json) json_begin(&j, stdout), json_array(&j);
	int code = CODE_OK;
	uint64_t n_complete = 0, unpriced = 0;
	bool is_hard = a->budget.given && gcdc_artifact_canonical(artifact) == GCDC_CANONICAL_HARD;
	for (uint64_t i = 0; i < a->count.value && !code; i++) {
		uint64_t seed = a->seed.value;
		seed = random_next(&seed) + i;
		seed = random_next(&seed);
		bool complete = true;
		uint32_t least = 0;
		gcdc_status status = a->budget.given ? sampler_run_budget(&s, seed, (uint32_t)a->budget.value, &least, &tokens)
		                                     : sampler_run(&s, seed, (uint32_t)a->max_tokens.value, &tokens, &complete);
		if (status == GCDC_ERR_BUDGET && least != GCDC_NONE && least > a->budget.value) {
			code = cli_error(CODE_NO, ME, "--budget %" PRIu64 ": the shortest text needs %u token%s, EOS counted",
			                 a->budget.value, least, cli_s(least));
			break;
		}
		uint64_t before = unpriced;
		if (is_hard) unpriced = gcdc_matcher_unpriced(s.matcher);  // the samples so far, and this one
		struct text t = spell(artifact, &tokens);
		if (!status && complete && !is_accepted(artifact, s.matcher, &tokens)) status = GCDC_ERR_INTERNAL;
		if (status) {
			code =
				cli_error(cli_status_code(status), ME, "sample %" PRIu64 ": %s, after:", i, gcdc_status_text(status));
			text_show(stderr, t.bytes, t.len, 0);
			fputc('\n', stderr);
		} else {
			const struct sample sample = {i, t, &tokens, complete, is_hard ? unpriced - before : NOT_ASKED};
			code = put_sample(a, &j, &sample);
			n_complete += complete;
		}
		free(t.bytes);
	}
	if (a->is_json)
		json_close(&j), json_end(&j);
	else if (!code && a->out)
		printf("%" PRIu64 " text%s in %s, %" PRIu64 " of them complete\n", a->count.value, cli_s(a->count.value),
		       a->out, n_complete);
	if (unpriced && !a->is_json) cli_note(ME, "%s", cli_unpriced(unpriced, (char[CLI_UNPRICED]){0}));
	vec_release(&tokens);
	sampler_release(&s);
	return code;
}

int command_sample(int argc, char **argv)
{
	struct arguments a = {.count = {.value = 10}, .max_tokens = {.value = 100}, .extension = ".txt"};
	const char *path = NULL, *vocab = NULL;
	const struct positional positionals[] = {{"ARTIFACT", POSITIONAL_ONE, &path, "what 'gcdc compile' wrote"}};
	const struct option_spec options[] = {
		NUMBER_OPTION("count", &a.count, "N", 0, 1u << 30, "how many texts (10)", .letter = 'n'),
		NUMBER_OPTION("seed", &a.seed, "S", 0, UINT64_MAX, "other texts for another seed (0)"),
		NUMBER_OPTION("max-tokens", &a.max_tokens, "M", 1, 1u << 24, "tokens of a text at most, EOS counted (100)"),
		NUMBER_OPTION("budget", &a.budget, "N", 1, 1u << 24,
	                  "follow masks that keep a budget of N tokens, EOS\ncounted: every text is complete"),
		FILE_OPTION("out", &a.out, "DIR", "a file for each text, 000000.txt and so on", .letter = 'o'),
		TEXT_OPTION("extension", &a.extension, ".EXT", "of these files (.txt)"),
		VOCAB_OPTION(&vocab),
		FLAG_OPTION("json", &a.is_json, "an array of {\"text\", \"tokens\", \"complete\"}"),
	};
	const struct usage usage =
		USAGE(ME, "Makes random texts that follow the masks to EOS.", positionals, options,
	          "Half of the tokens are drawn by lot, then the text is brought to an end. A text that\n"
	          "could not be ended within M tokens is unfinished. 'tokens' do not include EOS.");
	int code;
	if (!options_read(&usage, argc, argv, &code)) return code;
	if (strchr(a.extension, '/')) return cli_error(CODE_USAGE, ME, "--extension must not hold a slash");
	if (a.out && mkdir(a.out, 0777) && errno != EEXIST) return cli_error(CODE_IO, ME, "%s: %s", a.out, strerror(errno));
	gcdc_artifact *artifact;
	code = cli_open(ME, path, vocab, &artifact);
	if (!code) code = run(&a, artifact);
	gcdc_artifact_close(artifact);
	return code;
}
