// Messages, files and artifacts for all subcommands.
//
// In:  names of files. Out: their bytes, or opened artifacts, or one line for people and the exit code that goes with
// it. Cost: reading a file once.
#include "base/file.h"
#include "formats/artifact.h"
#include "formats/vocab_file.h"
#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <time.h>

static void say(const char *command, const char *kind, const char *fmt, va_list args)
{
	fflush(stdout);
	fprintf(stderr, "gcdc %s: %s", command, kind);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
}

int cli_error(int code, const char *command, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	say(command, "error: ", fmt, args);
	va_end(args);
	return code;
}

void cli_note(const char *command, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	say(command, "note: ", fmt, args);
	va_end(args);
}

const char *cli_s(uint64_t n) { return n == 1 ? "" : "s"; }

const char *cli_unpriced(uint64_t n, char to[CLI_UNPRICED])
{
	snprintf(to, CLI_UNPRICED, "%llu token%s left out, as searches for a canonical end within the budget gave up",
	         (unsigned long long)n, n == 1 ? " is" : "s are");
	return to;
}

bool cli_readable(const char *command, const char *path)
{
	const char *why = NULL;
	FILE *f = file_open(path, &why);
	bool ok = f && (fgetc(f) != EOF || !ferror(f));
	if (!ok) cli_error(CODE_IO, command, "%s: %s", path, f ? strerror(errno) : why);
	if (f) fclose(f);
	return ok;
}

bool cli_read_file(const char *command, const char *path, char **text, size_t *len)
{
	bool is_stdin = !strcmp(path, "-");
	const char *why = NULL;
	FILE *f = is_stdin ? stdin : !strcmp(path, "/dev/null") ? fopen(path, "rb") : file_open(path, &why);
	*text = NULL, *len = 0;
	if (!f) {
		cli_error(CODE_IO, command, "%s: %s", path, why ? why : strerror(errno));
		return false;
	}
	size_t cap = 1 << 16, n = 0;
	char *bytes = mem_alloc(cap);
	for (size_t got; (got = fread(bytes + n, 1, cap - n, f)) > 0;) {
		n += got;
		if (n > CLI_MAX_TEXT) break;
		if (n == cap) bytes = mem_realloc(bytes, cap *= 2, 1);
	}
	bool failed = ferror(f);
	int reason = errno;
	if (!is_stdin) fclose(f);
	if (failed)
		cli_error(CODE_IO, command, "%s: %s", path, strerror(reason));
	else if (n > CLI_MAX_TEXT)
		cli_error(CODE_DATA, command, "%s: longer than %zu MiB, the longest text that is read", path,
		          CLI_MAX_TEXT >> 20);
	if (failed || n > CLI_MAX_TEXT) {
		free(bytes);
		return false;
	}
	*text = bytes, *len = n;
	return true;
}

gcdc_status cli_fill(gcdc_matcher *m, uint32_t *mask, size_t n_words, gcdc_fill_info *fill)
{
	gcdc_status status = gcdc_matcher_fill(m, mask, n_words, fill);
	return status == GCDC_TERMINATED && fill->may_end ? GCDC_OK : status;
}

int cli_status_code(gcdc_status status)
{
	switch (status) {
	case GCDC_OK: return CODE_OK;
	case GCDC_REJECTED:
	case GCDC_TERMINATED:
	case GCDC_ERR_BUDGET: return CODE_NO;
	case GCDC_ERR_IO: return CODE_IO;
	case GCDC_ERR_FORMAT:
	case GCDC_ERR_VERSION:
	case GCDC_ERR_LIMIT:
	case GCDC_ERR_VOCAB:
	case GCDC_ERR_COSTS:
	case GCDC_ERR_NO_CANONICAL:
	case GCDC_ERR_GRAMMAR:
	case GCDC_ERR_CANCELLED: return CODE_DATA;
	default: return CODE_INTERNAL;
	}
}

int cli_status_error(const char *command, const char *what, gcdc_status status)
{
	return cli_error(cli_status_code(status), command, "%s: %s", what, gcdc_status_text(status));
}

int cli_least_unknown(const char *command, const char *what)
{
	return cli_error(CODE_NO, command, "%s: the fewest tokens to the end are not known from here (docs/budget.md)",
	                 what);
}

// What was given instead of an artifact, where that can be told.
static void note_foreign(const char *command, const char *path, bool is_vocab)
{
	char head[FILE_FOREIGN_BYTES];
	const char *why, *foreign;
	FILE *f = file_open(path, &why);
	size_t n = f ? fread(head, 1, sizeof head, f) : 0;
	if (f) fclose(f);
	foreign = file_foreign(head, n);
	bool is_expected = n >= 8 && !memcmp(head, is_vocab ? VOCAB_MAGIC : ARTIFACT_MAGIC, 8);
	if (foreign && !is_expected)
		cli_note(command, "%s is %s", path, foreign);
	else if (n && head[0] == '{')
		cli_note(command, "%s is JSON, perhaps a tokenizer.json", path);
	if (is_vocab)
		cli_note(command, "a compiled vocabulary is what 'gcdc vocab' writes; make it again");
	else if (n >= 8 && !memcmp(head, VOCAB_MAGIC, 8))
		cli_note(command, "--vocab takes it; an artifact is what 'gcdc compile' writes");
	else
		cli_note(command, "an artifact is what 'gcdc compile' makes of a grammar; compile it again");
}

int cli_open(const char *command, const char *path, const char *vocab_path, gcdc_artifact **artifact)
{
	*artifact = NULL;
	if (!cli_readable(command, path) || (vocab_path && !cli_readable(command, vocab_path))) return CODE_IO;
	gcdc_refusal why = {0};
	gcdc_open_options options = {.vocab_path = vocab_path};
	gcdc_status status = gcdc_artifact_open(path, &options, artifact, &why);
	if (!status) return CODE_OK;
	const char *what = why.what[0] ? why.what : gcdc_status_text(status);
	if (!strncmp(what, path, strlen(path)))
		cli_error(0, command, "%s", what);
	else
		cli_error(0, command, "%s: %s", path, what);
	if (status == GCDC_ERR_VOCAB && !vocab_path)
		cli_note(command, "give it with --vocab FILE.gcdv; 'gcdc vocab TOKENIZER -o FILE.gcdv' makes it");
	else if (status == GCDC_ERR_VOCAB)
		cli_note(command, "the vocabulary that was given is %s", vocab_path);
	else if (status == GCDC_ERR_FORMAT) {
		bool is_vocab = vocab_path && strstr(what, "vocabulary") && !strstr(what, "not a gcdc artifact");
		note_foreign(command, is_vocab ? vocab_path : path, is_vocab);
	}
	return cli_status_code(status);
}

double cli_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
