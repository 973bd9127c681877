// A manifest's file -> the plan, and digests of everything that its steps read.
//
// In:  the path of a manifest. Out: struct build; the working directory is the manifest's folder from then on, so that
// the paths in it mean what they say.
// A vocabulary's file name holds the digest of what it is made of: so it decides about the artifacts that are made with
// it, and two versions of a tokenizer never share a file.
#include "build_steps.h"

#include <errno.h>
#include <unistd.h>

#include "base/file.h"
#include "cli.h"
#include "gcdc/compile.h"
#include "text_files.h"
#include "grammar/grammar.h"
#include "vocab/vocab.h"

#define ME "build"

// A path given on the command line, made absolute.
static bool from_here(struct build *b, const char **path)
{
	if (!*path || **path == '/') return true;
	char *here = getcwd(NULL, 0);
	if (!here) return false;
	*path = arena_printf(&b->arena, "%s/%s", here, *path);
	free(here);
	return true;
}

// The folder part of path becomes the working directory.
static bool enter_folder(struct build *b, const char *manifest, const char **output, const char **merge)
{
	const char *slash = strrchr(manifest, '/');
	b->manifest = slash ? slash + 1 : manifest;
	if (!slash) return true;
	if (!from_here(b, output) || !from_here(b, merge)) return false;
	return chdir(slash == manifest ? "/" : arena_strndup(&b->arena, manifest, (size_t)(slash - manifest))) == 0;
}

int build_load(struct build *b, const char *manifest, const char **output, const char **merge)
{
	*b = (struct build){0};
	if (!cli_read_file(ME, manifest, &b->text, &b->source.len)) {
		if (errno == ENOENT)
			cli_note(ME, "a manifest says which grammars are compiled for which tokenizers; docs/build.md shows one");
		return CODE_IO;
	}
	b->source.path = manifest, b->source.text = b->text;
	if (!enter_folder(b, manifest, output, merge))
		return cli_error(CODE_IO, ME, "%s: its folder: %s", manifest, strerror(errno));
	b->output_given = *output;
	const struct manifest_options_given given = {.output = b->output_given};
	bool ok = manifest_plan(&b->source, &given, &b->diag, &b->plan);
	diag_print(&b->diag, stderr);
	if (!ok) return CODE_DATA;
	b->folder = arena_printf(&b->arena, "%s/%s", b->plan.output, BUILD_FOLDER);
	return CODE_OK;
}

static void digest_vocab(struct build *b, uint32_t i)
{
	const struct plan_tokenizer *t = &b->plan.tokenizers.at[i];
	struct vocab_step *step = &b->vocabs[i];
	char all[DIGEST_HEX];
	struct input_digest d;
	digest_tokenizer(t->file, step->digest);
	digest_begin(&d);
	digest_text(&d, step->digest);
	digest_bytes(&d, t->eos, t->n_eos * sizeof *t->eos);
	for (uint32_t k = 0; k < t->n_eos_names; k++) digest_text(&d, t->eos_names[k]);
	if (t->no_eos) digest_text(&d, "no-eos");
	digest_bytes(&d, &t->vocab_size, sizeof t->vocab_size);
	if (step->is_canonical) digest_text(&d, "canonical");
	digest_end(&d, all);
	step->output = arena_printf(&b->arena, "%s/%s-%.16s.gcdv", b->folder, t->name, all);
}

static const struct option_value *option_of(const struct plan_artifact *a, const char *name)
{
	for (uint32_t i = 0; i < n_manifest_options; i++)
		if (!strcmp(manifest_options[i].name, name)) return a->options[i].given ? &a->options[i] : NULL;
	return NULL;
}

static bool is_canonical(const struct plan_artifact *a)
{
	const struct option_value *o = option_of(a, "canonical");
	return o && strcmp(o->text, "off") != 0;
}

bool build_keeps_no_vocab(const struct plan_artifact *a)
{
	const struct option_value *o = option_of(a, "no-vocab");
	return o && o->flag;
}

const char *build_vocab_beside(struct build *b, uint32_t tokenizer)
{
	return b->vocabs[tokenizer].is_shared
	           ? arena_printf(&b->arena, "%s/%s.gcdv", b->plan.output, b->plan.tokenizers.at[tokenizer].name)
	           : NULL;
}

// Of the grammar's files: of a Lark grammar with all that it imports, of other kinds the file itself.
static void digest_grammar(struct build *b, uint32_t i, const struct plan_artifact *a)
{
	struct grammar_step *step = &b->grammars[i];
	const struct option_value *from = option_of(a, "from");
	const char *file = b->plan.grammars.at[i].file;
	const gcdc_kind kind = from ? gcdc_kind_named(from->text) : gcdc_kind_of_path(file);
	if (kind != GCDC_KIND_AUTO && kind != GCDC_KIND_LARK) {
		step->files = arena_array(&b->arena, 1, sizeof *step->files);
		step->files[step->n_files++] = file;
		digest_files(step->files, 1, step->digest);
		return;
	}
	struct diag d = {0};
	source_list sources = {0};
	grammar_files(file, &d, &sources);
	digest_sources(sources.at, sources.n, step->digest);
	step->files = arena_array(&b->arena, sources.n + 1, sizeof *step->files);
	for (uint32_t k = 0; k < sources.n; k++)
		step->files[step->n_files++] = arena_printf(&b->arena, "%s", sources.at[k]->path);
	if (!sources.n) step->files[step->n_files++] = file;
	step->is_whole = true;
	vec_release(&sources);
	diag_release(&d);
}

void build_digest(struct build *b)
{
	const struct plan *p = &b->plan;
	b->vocabs = arena_array(&b->arena, p->tokenizers.n, sizeof *b->vocabs);
	b->grammars = arena_array(&b->arena, p->grammars.n, sizeof *b->grammars);
	for (uint32_t i = 0; i < p->artifacts.n; i++) {
		struct vocab_step *step = &b->vocabs[p->artifacts.at[i].tokenizer];
		step->is_canonical |= is_canonical(&p->artifacts.at[i]);
		step->is_shared |= build_keeps_no_vocab(&p->artifacts.at[i]);
	}
	for (uint32_t i = 0; i < p->artifacts.n; i++) {
		const struct plan_artifact *a = &p->artifacts.at[i];
		if (!b->vocabs[a->tokenizer].output) digest_vocab(b, a->tokenizer);
		if (!b->grammars[a->grammar].files) digest_grammar(b, a->grammar, a);
	}
	b->steps = arena_array(&b->arena, p->artifacts.n, sizeof *b->steps);
	for (uint32_t i = 0; i < p->artifacts.n; i++) {
		if (build_has_checks(&p->artifacts.at[i]))
			build_check_digest(&p->artifacts.at[i], b->steps[i].check);
		else
			strcpy(b->steps[i].check, RECORD_NO_CHECKS);
	}
}

const char *build_from_output(const struct build *b, const char *path) { return path + strlen(b->plan.output) + 1; }

void build_of(struct build *b, const struct plan_artifact *a, const char *digest, char hex[DIGEST_HEX])
{
	struct input_digest d;
	option_words words = {0};
	digest_begin(&d);
	digest_text(&d, digest), digest_text(&d, strrchr(b->vocabs[a->tokenizer].output, '/'));
	plan_option_words(&b->arena, a->options, &words);
	for (uint32_t k = 0; k < words.n; k++) digest_text(&d, words.at[k]);
	vec_release(&words);
	text_file_list texts = {0};
	const struct option_value *given = option_of(a, "texts");
	if (given) (void)text_files(given->text, &b->arena, &texts);  // one that is not there is the compiler's to say
	for (uint32_t k = 0; k < texts.n; k++) digest_file(&d, texts.at[k]);
	vec_release(&texts);
	digest_end(&d, hex);
}

bool build_line_holds(struct build *b, const struct plan_artifact *a, const struct record_line *line)
{
	const struct grammar_step *g = &b->grammars[a->grammar];
	char digest[DIGEST_HEX], of[DIGEST_HEX];
	memcpy(digest, g->digest, sizeof digest);
	if (line->n_more) {
		const char **files = mem_calloc(line->n_more + 1, sizeof *files);
		files[0] = g->files[0];
		memcpy(files + 1, line->more, line->n_more * sizeof *files);
		digest_files(files, line->n_more + 1, digest);
		free(files);
	}
	build_of(b, a, digest, of);
	return !strcmp(line->of, of);
}

void build_vocab_options(struct build *b, uint32_t tokenizer, option_words *words)
{
	const struct plan_tokenizer *t = &b->plan.tokenizers.at[tokenizer];
	struct arena *a = &b->arena;
	if (b->vocabs[tokenizer].is_canonical) vec_push(words, "--canonical");
	for (uint32_t k = 0; k < t->n_eos; k++) vec_push(words, "--eos"), vec_push(words, arena_printf(a, "%u", t->eos[k]));
	for (uint32_t k = 0; k < t->n_eos_names; k++) vec_push(words, "--eos"), vec_push(words, t->eos_names[k]);
	if (t->no_eos) vec_push(words, "--no-eos");
	if (t->vocab_size) vec_push(words, "--vocab-size"), vec_push(words, arena_printf(a, "%u", t->vocab_size));
}

void build_vocab_words(struct build *b, uint32_t tokenizer, option_words *words)
{
	const struct plan_tokenizer *t = &b->plan.tokenizers.at[tokenizer];
	const struct vocab_step *step = &b->vocabs[tokenizer];
	vec_push(words, "vocab");
	if (t->file) vec_push(words, t->file);
	vec_push(words, "--quiet"), vec_push(words, "--output"), vec_push(words, step->output);
	build_vocab_options(b, tokenizer, words);
	vec_push(words, "--provenance"), vec_push(words, "--expect"), vec_push(words, step->digest);
}

void build_compile_words(struct build *b, const struct plan_artifact *a, const char *made, option_words *words)
{
	const char *const head[] = {"compile",     b->plan.grammars.at[a->grammar].file, "--quiet", "--output", made,
	                            "--tokenizer", b->vocabs[a->tokenizer].output};
	for (size_t i = 0; i < sizeof head / sizeof *head; i++) vec_push(words, head[i]);
	plan_option_words(&b->arena, a->options, words);
	vec_push(words, "--provenance"), vec_push(words, "--expect"), vec_push(words, b->grammars[a->grammar].digest);
}

bool build_has_checks(const struct plan_artifact *a)
{
	for (uint32_t i = 0; i < N_CHECK_LIMITS; i++)
		if (a->checks.limits[i].given) return true;
	return a->checks.texts.n > 0;
}

const char *build_stamp(struct build *b, const struct plan_artifact *a)
{
	return build_has_checks(a) ? arena_printf(&b->arena, "%s/%s.checked", b->folder, a->name) : NULL;
}

const char *build_staged(struct build *b, const struct plan_artifact *a)
{
	return arena_printf(&b->arena, "%s/%s.staged", b->folder, a->name);
}

void build_check_digest(const struct plan_artifact *a, char hex[DIGEST_HEX])
{
	struct input_digest d;
	digest_begin(&d);
	for (uint32_t i = 0; i < N_CHECK_LIMITS; i++) {
		const struct check_limit_value *l = &a->checks.limits[i];
		digest_bytes(&d, &l->given, sizeof l->given);
		digest_bytes(&d, &l->most, sizeof l->most);
	}
	for (uint32_t i = 0; i < a->checks.texts.n; i++) {
		const struct check_text *t = &a->checks.texts.at[i];
		digest_bytes(&d, &t->accept, sizeof t->accept);
		if (t->file)
			digest_file(&d, t->file);
		else
			digest_bytes(&d, t->text, t->len);
	}
	digest_end(&d, hex);
}

void build_release(struct build *b)
{
	record_release(&b->record);
	for (uint32_t i = 0; i < b->parts.n; i++) record_release(&b->parts.at[i].record);
	vec_release(&b->parts);
	plan_release(&b->plan);
	diag_release(&b->diag);
	arena_release(&b->arena);
	free(b->text);
}
