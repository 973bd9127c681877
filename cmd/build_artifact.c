// The steps of a build, done in this process: a vocabulary, an artifact.
//
// In:  a plan, an artifact's action. Out: the file under its final name, a line of the record.
// An artifact is checked in memory and written once. One that does not pass is written under its staged name, so that
// the next build, with other checks, need not compile it again. Order: the file's final name, then the record: killed
// in between, the file is made once more. Cost: that of compiling; a vocabulary is opened once a process.
#include "build_artifact.h"

#include <errno.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sha256.h"
#include "build_check.h"
#include "cli.h"
#include "command_compile.h"

#define ME "build"

static int said(struct diag *d, bool ok)
{
	diag_print(d, stderr);
	diag_release(d);
	return ok ? CODE_OK : CODE_IO;
}

static int run_words(option_words *words, int (*run)(int argc, char **argv, const struct compile_use *use),
                     const struct compile_use *use)
{
	const int n = (int)words->n;
	vec_push(words, NULL);
	int code = run(n, (char **)(uintptr_t)words->at, use);
	vec_release(words);
	return code;
}

static int run_vocab(int argc, char **argv, const struct compile_use *use)
{
	(void)use;
	return command_vocab(argc, argv);
}

int build_make_vocab(struct build_bench *bench, uint32_t tokenizer)
{
	option_words words = {0};
	struct diag d = {0};
	const struct vocab_step *step = &bench->build->vocabs[tokenizer];
	digest_forget();
	build_vocab_words(bench->build, tokenizer, &words);
	int code = run_words(&words, run_vocab, NULL);
	const struct record_line line = {.of = step->digest,
	                                 .check = RECORD_NO_CHECKS,
	                                 .sum = RECORD_NO_SUM,
	                                 .path = build_from_output(bench->build, step->output)};
	if (!code) code = said(&d, record_append(bench->build->plan.output, &line, &d));
	return code;
}

static int open_vocab(struct build_bench *bench, uint32_t tokenizer)
{
	const struct vocab_step *step = &bench->build->vocabs[tokenizer];
	if (bench->vocabs[tokenizer]) return CODE_OK;
	const gcdc_vocab_options options = {.canonical = step->is_canonical, .provenance = true};
	gcdc_diagnostics *diagnostics;
	gcdc_status status = gcdc_vocab_open(step->output, &options, &bench->vocabs[tokenizer], &diagnostics);
	fputs(gcdc_diagnostics_text(diagnostics), stderr);
	gcdc_diagnostics_free(diagnostics);
	return status ? cli_status_code(status) : CODE_OK;
}

// The texts to check may have changed since the plan, too.
static bool checks_are_planned(const struct plan_artifact *a, const char *expected)
{
	char digest[DIGEST_HEX];
	digest_forget();
	build_check_digest(a, digest);
	return digest_is_expected(ME, a->name, expected, digest);
}

struct making {
	struct build *build;
	const struct plan_artifact *a;
	const struct artifact_step *step;
	bool is_compiled;
};

static const char *vocab_of(struct making *m)
{
	return build_keeps_no_vocab(m->a) ? m->build->vocabs[m->a->tokenizer].output : NULL;
}

static int check_bytes(struct making *m, const void *bytes, size_t len)
{
	const struct gcdc_open_options options = {.vocab_path = vocab_of(m), .trusted = true};
	gcdc_artifact *artifact;
	gcdc_refusal why;
	if (!build_has_checks(m->a)) return CODE_OK;
	if (!checks_are_planned(m->a, m->step->check)) return CODE_DATA;
	if (gcdc_artifact_open_memory(bytes, len, &options, &artifact, &why))
		return cli_error(CODE_INTERNAL, ME, "%s: %s", m->a->output, why.what);
	int code = build_check(m->a, artifact, m->a->output);
	gcdc_artifact_close(artifact);
	return code;
}

// What the artifact was made of besides what the plan knows, for the record.
static void more_sources(struct making *m, const gcdc_compiled *c, struct record_line *line)
{
	gcdc_source s;
	VEC(const char *) more = {0};
	for (size_t i = m->build->grammars[m->a->grammar].n_files; gcdc_compiled_source(c, i, &s); i++)
		vec_push(&more, arena_printf(&m->build->arena, "%s", s.path));
	if (more.n)
		line->more =
			memcpy(arena_array(&m->build->arena, more.n, sizeof *line->more), more.at, more.n * sizeof *more.at);
	line->n_more = more.n;
	vec_release(&more);
}

static int take_compiled(const gcdc_compiled *c, void *context)
{
	struct making *m = context;
	struct diag d = {0};
	size_t len;
	const void *bytes = gcdc_compiled_bytes(c, &len);
	char digest[DIGEST_HEX], of[DIGEST_HEX], sum[SHA256_HEX];
	m->is_compiled = true;
	int code = check_bytes(m, bytes, len);
	const char *staged = build_staged(m->build, m->a), *made = code ? staged : m->a->output;
	compiled_digest(c, SIZE_MAX, digest);
	build_of(m->build, m->a, digest, of);
	sha256_hex(bytes, len, sum);
	struct record_line line = {.of = of,
	                           .check = code ? RECORD_NO_CHECKS : m->step->check,
	                           .sum = sum,
	                           .path = build_from_output(m->build, made)};
	more_sources(m, c, &line);
	int written = said(&d, file_replace(made, bytes, len, &d) && record_append(m->build->plan.output, &line, &d));
	if (!code && !written) unlink(staged);
	return code ? code : written;
}

static int compile(struct build_bench *bench, struct making *m)
{
	option_words words = {0};
	int code = open_vocab(bench, m->a->tokenizer);
	if (code) return code;
	const struct compile_use use = {.vocab = bench->vocabs[m->a->tokenizer], .take = take_compiled, .context = m};
	build_compile_words(m->build, m->a, m->a->output, &words);
	vec_push(&words, "--jobs"), vec_push(&words, arena_printf(&m->build->arena, "%u", bench->threads));
	return run_words(&words, command_compile_with, &use);
}

// A file that there is already, in its place or staged.
static int check_file(struct making *m, const char *path)
{
	gcdc_artifact *artifact;
	if (!checks_are_planned(m->a, m->step->check)) return CODE_DATA;
	int code = cli_open(ME, path, vocab_of(m), &artifact);
	if (code) return code;
	code = build_check(m->a, artifact, path);
	gcdc_artifact_close(artifact);
	return code;
}

// A file of another folder: whole, and the very bytes that were built?
static int look_at_taken(struct making *m)
{
	const struct artifact_step *step = m->step;
	gcdc_artifact *artifact;
	char *bytes, sum[SHA256_HEX];
	size_t len;
	int code = cli_open(ME, step->from, vocab_of(m), &artifact);
	if (code) return code;
	gcdc_artifact_close(artifact);
	if (!strcmp(step->taken->sum, RECORD_NO_SUM)) return CODE_OK;
	if (!file_read(step->from, UINT32_MAX, &bytes, &len))
		return cli_error(CODE_IO, ME, "%s: %s", step->from, strerror(errno));
	sha256_hex(bytes, len, sum);
	free(bytes);
	if (!strcmp(sum, step->taken->sum)) return CODE_OK;
	return cli_error(CODE_DATA, ME, "%s: its bytes are not those that were built: expected the SHA-256 %s, it is %s",
	                 step->from, step->taken->sum, sum);
}

int build_make_artifact(struct build_bench *bench, uint32_t artifact)
{
	struct build *b = bench->build;
	struct making m = {.build = b, .a = &b->plan.artifacts.at[artifact], .step = &b->steps[artifact]};
	const char *from = m.a->output, *old = NULL;
	struct diag d = {0};
	struct record_line line;
	int code;
	switch (m.step->action) {
	case ACTION_NONE: return CODE_OK;
	case ACTION_COMPILE: code = compile(bench, &m); return code | (m.is_compiled ? (int)STEP_COMPILED : 0);
	case ACTION_CHECK: old = m.a->output; break;
	case ACTION_CHECK_STAGED: old = from = build_staged(b, m.a); break;
	case ACTION_TAKE: from = m.step->from; break;
	}
	line = old ? *record_find(&b->record, build_from_output(b, old)) : *m.step->taken;
	if ((code = old ? check_file(&m, from) : look_at_taken(&m))) return code;
	line.path = build_from_output(b, m.a->output), line.check = m.step->check;
	bool ok = file_publish(from, m.a->output, UINT32_MAX, &d) && record_append(b->plan.output, &line, &d);
	if (ok && m.step->action == ACTION_CHECK_STAGED) unlink(from);
	return said(&d, ok);
}
