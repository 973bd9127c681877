// gcdc mask: what may come after a text?
//
// In:  an artifact, a prefix. Out: how many tokens are allowed, whether the text may end, what is forced, the tokens by
// the byte they begin with. A prefix that no text of the language begins with is refused, with the place (binary
// search: every beginning of a viable prefix is viable).
#include "allowed.h"
#include "canonical_text.h"
#include "json_text.h"
#include "prefix.h"
#include "trace_show.h"
#include "base/text_show.h"

#define ME "mask"
#define MAX_FORCED 256u
#define N_EXAMPLES 10u

struct arguments {
	struct prefix_options prefix;
	bool is_json, all, trace;
	struct number limit, budget;
};

// Says which byte is the first that cannot follow, and what could.
static int refuse(gcdc_matcher *m, const struct source *s, uint32_t *mask, uint32_t words)
{
	size_t good = 0, bad = s->len;  // viable, not viable
	gcdc_status status;
	while (bad - good > 1) {
		size_t middle = good + (bad - good) / 2;
		gcdc_matcher_reset(m);
		status = gcdc_matcher_accept_bytes(m, s->text, middle);
		if (status < 0) return cli_status_error(ME, s->path, status);
		*(status ? &bad : &good) = middle;
	}
	struct diag d = {0};
	diag_error(&d, (struct loc){s, (uint32_t)good, (uint32_t)(bad - good)},
	           "this byte cannot follow: no text of the language begins so");
	gcdc_matcher_reset(m);
	gcdc_fill_info fill;
	status = gcdc_matcher_accept_bytes(m, s->text, good);
	if (!status && !gcdc_matcher_fill(m, mask, words, &fill)) {
		struct allowed a;
		char *text = NULL;
		size_t size;
		FILE *f = text_stream(&text, &size);
		allowed_read(&a, gcdc_matcher_artifact(m), mask, fill.may_end);
		allowed_show(&a, f);
		fclose(f);
		diag_note(&d, (struct loc){0}, "allowed here: %s", text);
		free(text);
	}
	diag_print(&d, stderr);
	diag_release(&d);
	return CODE_NO;
}

// With a budget: what the text needs; after which tokens how much is asked of m.
struct costs {
	gcdc_matcher *matcher;
	uint32_t least;
	bool is_hard;
	uint64_t unpriced;  // tokens that the mask has not because a search gave up, in hard canonical mode
};

static uint32_t needed_after(const struct costs *costs, uint32_t token)
{
	uint32_t n;
	return gcdc_matcher_min_after(costs->matcher, token, &n) ? GCDC_NONE : n;
}

static void print_json(const struct arguments *arguments, const struct source *s, const struct allowed *a,
                       const struct costs *costs, const uint8_t *forced, size_t n_forced)
{
	struct json_writer j;
	json_begin(&j, stdout);
	json_object(&j);
	json_text_entry(&j, "prefix", s->text, s->len);
	json_uint_entry(&j, "allowed_count", a->count);
	json_bool_entry(&j, "may_end", a->may_end);
	if (costs->matcher)
		json_uint_entry(&j, "budget", arguments->budget.value), json_uint_entry(&j, "needed", costs->least);
	if (costs->is_hard) json_uint_entry(&j, "unpriced", costs->unpriced);
	json_text_entry(&j, "forced", forced, n_forced);
	json_key(&j, "tokens");
	json_array(&j);
	uint64_t left = arguments->all ? UINT64_MAX : arguments->limit.value;
	for (uint32_t t = 0; t < a->n_tokens && left; t++) {
		uint32_t len;
		const uint8_t *bytes = gcdc_artifact_token(a->artifact, t, &len);
		if (!allowed_has(a->mask, t)) continue;
		json_object(&j);
		json_uint_entry(&j, "id", t);
		json_text_entry(&j, "text", bytes, len);
		if (!len) json_bool_entry(&j, "eos", true);
		if (costs->matcher) json_uint_entry(&j, "needed_after", needed_after(costs, t));
		json_close(&j);
		left--;
	}
	json_close(&j);
	json_close(&j);
	json_end(&j);
}

// The first `left` allowed tokens, a line each.
static void print_tokens(const struct allowed *a, const struct costs *costs, uint64_t left)
{
	for (uint32_t t = 0; t < a->n_tokens; t++) {
		uint32_t len;
		const uint8_t *bytes = gcdc_artifact_token(a->artifact, t, &len);
		if (!allowed_has(a->mask, t)) continue;
		if (!left--) {
			puts("     ...  (--all shows every token)");
			break;
		}
		printf("%8u ", t);
		if (costs->matcher) printf("%4u ", needed_after(costs, t));
		if (len)
			text_show(stdout, bytes, len, 0);
		else
			fputs("EOS", stdout);
		fputc('\n', stdout);
	}
}

// How many of the allowed tokens begin with which class of bytes, with examples.
static void print_classes(const struct allowed *a)
{
	for (uint32_t c = 0; c < 256; c++) {
		if (!a->by_class[c]) continue;
		printf("  %-12s %7u ", allowed_class_label((uint8_t)c).text, a->by_class[c]);
		uint32_t tokens[N_EXAMPLES], n = allowed_examples_of(a, (uint8_t)c, tokens, N_EXAMPLES);
		for (uint32_t i = 0; i < n; i++) {
			uint32_t len;
			const uint8_t *bytes = gcdc_artifact_token(a->artifact, tokens[i], &len);
			fputc(' ', stdout);
			text_show(stdout, bytes, len, 24);
		}
		if (n < a->by_class[c]) fputs(" ...", stdout);
		fputc('\n', stdout);
	}
	if (a->may_end) printf("  %-12s %7u\n", "end of text", a->count - a->n_text);
}

static void print_people(const struct arguments *arguments, const struct source *s, const struct allowed *a,
                         const struct costs *costs, const uint8_t *forced, size_t n_forced)
{
	printf("after %zu byte%s: ", s->len, cli_s(s->len));
	size_t shown = s->len < 60 ? s->len : 60;
	if (s->len > shown) fputs("...", stdout);
	text_show(stdout, s->text + s->len - shown, shown, 0);
	printf("\n%u of %u tokens are allowed; the text may %send here\n", a->count, a->n_tokens, a->may_end ? "" : "not ");
	if (costs->matcher)
		printf("a budget of %llu token%s, of which %u %s needed, EOS counted\n",
		       (unsigned long long)arguments->budget.value, cli_s(arguments->budget.value), costs->least,
		       costs->least == 1 ? "is" : "are");
	if (costs->unpriced) puts(cli_unpriced(costs->unpriced, (char[CLI_UNPRICED]){0}));
	if (n_forced) {
		fputs("forced: ", stdout);
		text_show(stdout, forced, n_forced, 0);
		fputs("\n", stdout);
	}
	if (arguments->all || costs->matcher)
		print_tokens(a, costs, arguments->all ? UINT64_MAX : arguments->limit.value);
	else
		print_classes(a);
}

// least: tokens that the text needs more, or NONE where it is not known.
static int refuse_budget(const struct arguments *arguments, const char *path, uint32_t least)
{
	if (least == GCDC_NONE) return cli_least_unknown(ME, path);
	return cli_error(CODE_NO, ME, "--budget %llu: the text needs %u more token%s, EOS counted",
	                 (unsigned long long)arguments->budget.value, least, cli_s(least));
}

static int show_mask(const struct arguments *arguments, const struct artifact_view *view, const struct source *s)
{
	gcdc_artifact *artifact = view->artifact;
	gcdc_matcher *m;
	gcdc_status status = gcdc_matcher_new(artifact, NULL, &m);
	if (status) return cli_status_error(ME, "matcher", status);
	gcdc_info info;
	gcdc_artifact_info(artifact, &info);
	uint32_t *mask = mem_calloc(info.mask_words, sizeof *mask);
	int code = CODE_OK;
	gcdc_fill_info fill;
	uint8_t forced[MAX_FORCED];
	size_t n_forced = 0;
	struct costs costs = {.least = GCDC_NONE};
	struct trace_show trace = {.view = view, .out = stderr};
	if (arguments->trace) gcdc_matcher_set_trace(m, trace_show, &trace);
	status = canonical_accept(m, s->text, s->len, &(uint32_t){0});
	if (!status && arguments->budget.given) {
		status = gcdc_matcher_set_budget(m, (uint32_t)arguments->budget.value, true, &costs.least);
		if (status == GCDC_ERR_BUDGET) {
			code = refuse_budget(arguments, s->path, costs.least);
			goto done;
		}
		costs.matcher = m, costs.is_hard = gcdc_artifact_canonical(artifact) == GCDC_CANONICAL_HARD;
	}
	if (status == GCDC_REJECTED) gcdc_matcher_set_trace(m, NULL, NULL);
	if (status == GCDC_REJECTED)
		code = refuse(m, s, mask, info.mask_words);
	else if (!status)
		status = cli_fill(m, mask, info.mask_words, &fill);
	if (costs.is_hard) costs.unpriced = gcdc_matcher_unpriced(m);
	if (!status) status = gcdc_matcher_forced_bytes(m, forced, sizeof forced, &n_forced);
	if (status < 0) code = cli_status_error(ME, s->path, status);
	if (!status) {
		struct allowed a;
		allowed_read(&a, artifact, mask, fill.may_end);
		(arguments->is_json ? print_json : print_people)(arguments, s, &a, &costs, forced, n_forced);
	}
done:
	free(mask);
	gcdc_matcher_free(m);
	return code;
}

int command_mask(int argc, char **argv)
{
	struct arguments a = {.limit = {.value = 50}};
	const char *path = NULL, *vocab = NULL;
	const struct positional positionals[] = {{"ARTIFACT", POSITIONAL_ONE, &path, "what 'gcdc compile' wrote"}};
	const struct option_spec options[] = {
		PREFIX_OPTIONS(a.prefix),
		NUMBER_OPTION(
			"budget", &a.budget, "N", 1, UINT32_MAX - 1,
			"when N more tokens may come, EOS counted; tokens are\nlisted with what is still needed after each"),
		FLAG_OPTION("all", &a.all, "every allowed token, by id"),
		NUMBER_OPTION("limit", &a.limit, "N", 0, UINT32_MAX, "tokens that --json and --budget list (50)"),
		FLAG_OPTION("trace", &a.trace,
	                "on stderr: how the prefix is read, lexeme by lexeme,\nand what the mask unites"),
		VOCAB_OPTION(&vocab),
		FLAG_OPTION("json", &a.is_json, "one JSON object"),
	};
	const struct usage usage = USAGE(ME, "Shows what may come after a text.", positionals, options,
	                                 "Exit code 1: no text of the language begins with the prefix.");
	int code;
	if (!options_read(&usage, argc, argv, &code)) return code;
	char *text = NULL;
	size_t len = 0;
	code = prefix_read(&a.prefix, ME, &text, &len);
	struct artifact_view view = {0};
	if (!code) code = view_open(&view, ME, path, vocab);
	if (!code) {
		struct source source = {prefix_name(&a.prefix), text, len};
		code = show_mask(&a, &view, &source);
	}
	view_close(&view);
	free(text);
	return code;
}
