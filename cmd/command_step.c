// gcdc step: a walk through the masks, one text or token after the other.
//
// In:  an artifact, lines on standard input: texts, or commands that begin with ':'. Out: after each, the place: how
// the text is read, the stacks, how many tokens are allowed, what is forced. A text that is refused is explained and
// changes nothing. At a terminal there is a prompt; through a pipe every line is printed before its answer, so that the
// output reads as a session. Cost: a mask, and the text read anew, for each line.
#include <errno.h>
#include <unistd.h>

#include "allowed.h"
#include "explain.h"
#include "prefix.h"
#include "base/text_show.h"

#define ME "step"
#define MAX_STEPS 4096u  // that can be taken back
#define MAX_FORCED 256u
#define MAX_LISTED 40u

struct session {
	struct artifact_view view;
	gcdc_matcher *matcher;
	uint32_t *mask;
	VEC(char) text;         // accepted so far; not NUL-terminated
	VEC(uint32_t) lengths;  // of each step
	VEC(uint32_t) tokens;   // of each step, GCDC_NONE for a text
	bool is_json, is_over;
};

struct shown_mask {
	gcdc_fill_info fill;
	struct allowed allowed;
	uint8_t forced[MAX_FORCED];
	size_t n_forced;
};

// Returns an exit code.
static int place_of(struct session *s, struct shown_mask *p)
{
	gcdc_status status = gcdc_matcher_fill(s->matcher, s->mask, s->view.info->mask_words, &p->fill);
	if (!status) status = gcdc_matcher_forced_bytes(s->matcher, p->forced, sizeof p->forced, &p->n_forced);
	if (status < 0) return cli_status_error(ME, s->view.path, status);
	allowed_read(&p->allowed, s->view.artifact, s->mask, p->fill.may_end);
	return CODE_OK;
}

static void print_states(const struct explanation *e)
{
	for (uint32_t i = 0; i < e->lexings.n; i++)
		for (uint32_t k = 0; k < e->lexings.at[i].stacks.n; k++) {
			const struct explained_stack *x = &e->lexings.at[i].stacks.at[k];
			printf("%slexer %u, parser %u", i || k ? "; " : "  states   ", x->lex_state,
			       x->stack.at.at[x->stack.at.n - 1]);
		}
	putchar('\n');
}

static void print_place(const struct session *s, const struct explanation *e, const struct shown_mask *p)
{
	size_t shown = s->text.n < 60 ? s->text.n : 60;
	if (s->text.n > shown) fputs("...", stdout);
	text_show(stdout, s->text.at + s->text.n - shown, shown, 0);
	putchar('\n');
	explain_readings(stdout, e);
	print_states(e);
	printf("  allowed  %u of %u tokens; the text may %send here\n", p->allowed.count, s->view.info->n_tokens,
	       p->allowed.may_end ? "" : "not ");
	if (!p->n_forced) return;
	fputs("  forced   ", stdout);
	text_show(stdout, p->forced, p->n_forced, 0);
	putchar('\n');
}

static void put_place(const struct session *s, const struct explanation *e, const struct shown_mask *p)
{
	struct json_writer j;
	json_begin(&j, stdout);
	json_object(&j);
	json_text_entry(&j, "text", s->text.at, s->text.n);
	json_uint_entry(&j, "allowed", p->allowed.count);
	json_bool_entry(&j, "may_end", p->allowed.may_end);
	json_text_entry(&j, "forced", p->forced, p->n_forced);
	json_key(&j, "place");
	explain_json(&j, e);
	json_close(&j);
	json_end(&j);
}

static int show_place(struct session *s)
{
	if (gcdc_matcher_is_terminated(s->matcher)) {
		puts("the text has ended; :undo takes the end back");
		return CODE_OK;
	}
	struct shown_mask p;
	struct explanation e;
	int code = place_of(s, &p);
	if (code) return code;
	code = explain(
		&e, &s->view, ME,
		&(struct asked_text){.at = s->text.at, .prefix_len = s->text.n, .len = s->text.n, .token = EXPLAIN_NO_TOKEN});
	if (!code) (s->is_json ? put_place : print_place)(s, &e, &p);
	explain_release(&e);
	return code;
}

// Explains what was not taken: a token, or (NO_TOKEN) bytes.
static int refuse(struct session *s, uint32_t token, const void *bytes, size_t len)
{
	struct explanation e;
	uint32_t before = s->text.n;
	vec_reserve(&s->text, (uint64_t)before + len + 1);
	memcpy(s->text.at + before, bytes, len);
	struct asked_text asked = {.at = s->text.at, .prefix_len = before, .len = before + len, .token = token};
	if (token != EXPLAIN_NO_TOKEN) {
		asked.place = s->matcher;
		asked.last = s->tokens.n ? s->tokens.at[s->tokens.n - 1] : GCDC_NONE;
	}
	int code = explain(&e, &s->view, ME, &asked);
	if (!code && s->is_json) {
		struct json_writer j;
		json_begin(&j, stdout);
		explain_json(&j, &e);
		json_end(&j);
	} else if (!code) {
		explain_show(stdout, &e);
	}
	explain_release(&e);
	return code;
}

static int take(struct session *s, gcdc_status status, uint32_t token, const void *bytes, size_t len)
{
	if (status == GCDC_TERMINATED) return show_place(s);
	if (status == GCDC_REJECTED) return refuse(s, token, bytes, len);
	if (status) return cli_status_error(ME, s->view.path, status);
	for (size_t i = 0; i < len; i++) vec_push(&s->text, ((const char *)bytes)[i]);
	vec_push(&s->lengths, (uint32_t)len);
	vec_push(&s->tokens, token == EXPLAIN_NO_TOKEN ? GCDC_NONE : token);
	return show_place(s);
}

static int take_text(struct session *s, const void *bytes, size_t len)
{
	return take(s, gcdc_matcher_accept_bytes(s->matcher, bytes, len), EXPLAIN_NO_TOKEN, bytes, len);
}

static int take_token(struct session *s, uint32_t token)
{
	uint32_t len;
	const uint8_t *bytes = gcdc_artifact_token(s->view.artifact, token, &len);
	return take(s, gcdc_matcher_accept(s->matcher, token), token, bytes, len);
}

// ---- Commands. Each gets what stands behind its name.
static int do_undo(struct session *s, const char *rest)
{
	uint32_t n = *rest ? (uint32_t)strtoul(rest, NULL, 10) : 1;
	if (!n || n > s->lengths.n || gcdc_matcher_rollback(s->matcher, n)) {
		printf("%u step%s can be taken back\n", gcdc_matcher_steps(s->matcher), cli_s(gcdc_matcher_steps(s->matcher)));
		return CODE_OK;
	}
	while (n--) s->text.n -= vec_pop(&s->lengths), (void)vec_pop(&s->tokens);
	return show_place(s);
}

static int do_token(struct session *s, const char *rest)
{
	char *end;
	unsigned long token = strtoul(rest, &end, 10);
	if (end == rest || *end || token >= s->view.info->n_tokens) {
		printf("a token is a number below %u; :list shows those that are allowed\n", s->view.info->n_tokens);
		return CODE_OK;
	}
	return take_token(s, (uint32_t)token);
}

static int do_end(struct session *s, const char *rest)
{
	(void)rest;
	uint32_t n;
	const uint32_t *eos = gcdc_artifact_eos(s->view.artifact, &n);
	if (n) return take_token(s, eos[0]);
	puts("the vocabulary has no token that ends a text");
	return CODE_OK;
}

static int do_force(struct session *s, const char *rest)
{
	(void)rest;
	struct shown_mask p;
	int code = place_of(s, &p);
	if (code || p.n_forced) return code ? code : take_text(s, p.forced, p.n_forced);
	puts("nothing is forced");
	return CODE_OK;
}

// Allowed tokens that begin with a text, the first of them.
static int do_list(struct session *s, const char *rest)
{
	struct shown_mask p;
	int code = place_of(s, &p);
	uint32_t n = 0;
	for (uint32_t t = 0; t < s->view.info->n_tokens && !code; t++) {
		uint32_t len;
		const uint8_t *bytes = gcdc_artifact_token(s->view.artifact, t, &len);
		if (!allowed_has(s->mask, t) || len < strlen(rest) || memcmp(bytes, rest, strlen(rest)) != 0 ||
		    n++ >= MAX_LISTED)
			continue;
		printf("%8u ", t);
		if (len)
			text_show(stdout, bytes, len, 0);
		else
			fputs("EOS", stdout);
		putchar('\n');
	}
	if (n > MAX_LISTED)
		printf("  and %u more; ':list TEXT' lists those that begin with TEXT\n", n - MAX_LISTED);
	else if (!n && !code)
		puts("none");
	return code;
}

static int do_why(struct session *s, const char *rest)
{
	uint32_t n, token = *rest ? view_token_of(&s->view, rest, strlen(rest)) : EXPLAIN_NO_TOKEN;
	const uint32_t *eos = gcdc_artifact_eos(s->view.artifact, &n);
	if (!*rest && n) token = eos[0];
	return refuse(s, token, rest, strlen(rest));
}

static int do_show(struct session *s, const char *rest)
{
	(void)rest;
	return show_place(s);
}

static int do_reset(struct session *s, const char *rest)
{
	(void)rest;
	gcdc_matcher_reset(s->matcher);
	vec_clear(&s->text);
	vec_clear(&s->lengths), vec_clear(&s->tokens);
	return show_place(s);
}

static int do_quit(struct session *s, const char *rest)
{
	(void)rest;
	s->is_over = true;
	return CODE_OK;
}

static int do_help(struct session *s, const char *rest);
static const struct {
	const char *name, *about;
	int (*run)(struct session *, const char *);
} commands[] = {
	{"list", ":list [TEXT]   allowed tokens, those that begin with TEXT", do_list},
	{"token", ":token ID      takes a token", do_token},
	{"end", ":end           takes the end of the text (EOS)", do_end},
	{"force", ":force         takes what every continuation begins with", do_force},
	{"why", ":why [TEXT]    why TEXT may follow, or not; without TEXT: why the text may end", do_why},
	{"undo", ":undo [N]      takes the last N steps back", do_undo},
	{"reset", ":reset         back to the beginning", do_reset},
	{"show", ":show          the place again", do_show},
	{"help", ":help          this text", do_help},
	{"quit", ":quit          ends; so does the end of the input", do_quit},
};

static int do_help(struct session *s, const char *rest)
{
	(void)s, (void)rest;
	puts("Any other line is text (\\n \\t \\r \\\\ \\xHH; a line ':...' of text begins with '::').");
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) printf("  %s\n", commands[i].about);
	return CODE_OK;
}

static int run_line(struct session *s, char *line)
{
	size_t len;
	if (*line == ':' && line[1] != ':') {
		size_t n = strcspn(line + 1, " ");
		char *rest = line + 1 + n + (line[1 + n] == ' ');
		for (size_t i = 0; i < sizeof commands / sizeof *commands && n; i++) {
			if (strncmp(commands[i].name, line + 1, n) != 0) continue;  // any beginning of it will do
			const char *wrong = prefix_unescape(rest, rest, &len);
			if (wrong) break;
			rest[len] = 0;
			return commands[i].run(s, rest);
		}
		printf("there is no command '%s'; :help lists them, '::' begins a text with ':'\n", line);
		return CODE_OK;
	}
	if (*line == ':') line++;
	const char *wrong = prefix_unescape(line, line, &len);
	if (!wrong) return take_text(s, line, len);
	printf("'\\%.1s' begins no escape here; " PREFIX_ESCAPES "\n", wrong + 1);
	return CODE_OK;
}

static int run_session(struct session *s)
{
	bool is_terminal = isatty(STDIN_FILENO);
	char *line = NULL;
	size_t cap = 0;
	int code = CODE_OK;
	while (!code && !s->is_over) {
		if (is_terminal) fputs("> ", stdout);
		fflush(stdout);
		ssize_t n = getline(&line, &cap, stdin);
		if (n < 0) break;
		if (n && line[n - 1] == '\n') line[--n] = 0;
		if (n && line[n - 1] == '\r') line[--n] = 0;
		if (strlen(line) != (size_t)n) {
			code = cli_error(CODE_USAGE, ME, "a line holds a NUL; write it as \\0");
			break;
		}
		if (!is_terminal && !s->is_json) printf("\n> %s\n", line);
		code = run_line(s, line);
	}
	if (is_terminal && !s->is_over) putchar('\n');
	free(line);
	return code;
}

int command_step(int argc, char **argv)
{
	struct session s = {0};
	struct prefix_options prefix = {0};
	const char *path = NULL, *vocab = NULL;
	const struct positional positionals[] = {{"ARTIFACT", POSITIONAL_ONE, &path, "what 'gcdc compile' wrote"}};
	const struct option_spec options[] = {
		PREFIX_OPTIONS(prefix),
		VOCAB_OPTION(&vocab),
		FLAG_OPTION("json", &s.is_json, "one JSON object for each line"),
	};
	const struct usage usage = USAGE(ME, "Walks through an artifact's masks: type texts, pick tokens, go back.",
	                                 positionals, options, "Lines are text, or commands; ':help' lists them.");
	int code;
	if (!options_read(&usage, argc, argv, &code)) return code;
	char *text = NULL;
	size_t len = 0;
	code = prefix_read(&prefix, ME, &text, &len);
	if (!code) code = view_open(&s.view, ME, path, vocab);
	gcdc_status status =
		code ? GCDC_OK
			 : gcdc_matcher_new(s.view.artifact, &(gcdc_matcher_options){.max_rollback = MAX_STEPS}, &s.matcher);
	if (status) code = cli_status_error(ME, "matcher", status);
	if (!code) {
		s.mask = mem_calloc(s.view.info->mask_words, sizeof *s.mask);
		code = len ? take_text(&s, text, len) : show_place(&s);
		if (!code) code = run_session(&s);
	}
	gcdc_matcher_free(s.matcher);
	view_close(&s.view);
	vec_release(&s.text);
	vec_release(&s.lengths), vec_release(&s.tokens);
	free(s.mask);
	free(text);
	return code;
}
