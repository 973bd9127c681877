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
#include "grammar/grammar.h"
#include "vocab/vocab.h"

#define ME "build"

// The folder part of path becomes the working directory; relative paths given on the command line are made absolute.
static bool enter_folder(struct build *b, const char *manifest, const char *output)
{
	const char *slash = strrchr(manifest, '/');
	b->manifest = slash ? slash + 1 : manifest;
	b->output_given = output;
	if (!slash) return true;
	if (output && *output != '/') {
		char *here = getcwd(NULL, 0);
		if (!here) return false;
		b->output_given = arena_printf(&b->arena, "%s/%s", here, output);
		free(here);
	}
	return chdir(slash == manifest ? "/" : arena_strndup(&b->arena, manifest, (size_t)(slash - manifest))) == 0;
}

int build_load(struct build *b, const char *manifest, const char *output)
{
	*b = (struct build){0};
	if (!cli_read_file(ME, manifest, &b->text, &b->source.len)) {
		if (errno == ENOENT)
			cli_note(ME, "a manifest says which grammars are compiled for which tokenizers; docs/build.md shows one");
		return CODE_IO;
	}
	b->source.path = manifest, b->source.text = b->text;
	if (!enter_folder(b, manifest, output))
		return cli_error(CODE_IO, ME, "%s: its folder: %s", manifest, strerror(errno));
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

static bool is_canonical(const struct plan_artifact *a)
{
	for (uint32_t i = 0; i < n_manifest_options; i++)
		if (!strcmp(manifest_options[i].name, "canonical"))
			return a->options[i].given && strcmp(a->options[i].text, "off") != 0;
	return false;
}

static void digest_grammar(struct build *b, uint32_t i)
{
	struct grammar_step *step = &b->grammars[i];
	struct diag d = {0};
	source_list sources = {0};
	grammar_files(b->plan.grammars.at[i].file, &d, &sources);
	digest_sources(sources.at, sources.n, step->digest);
	step->files = arena_array(&b->arena, sources.n + 1, sizeof *step->files);
	for (uint32_t k = 0; k < sources.n; k++)
		step->files[step->n_files++] = arena_printf(&b->arena, "%s", sources.at[k]->path);
	if (!sources.n) step->files[step->n_files++] = b->plan.grammars.at[i].file;
	vec_release(&sources);
	diag_release(&d);
}

void build_digest(struct build *b)
{
	const struct plan *p = &b->plan;
	b->vocabs = arena_array(&b->arena, p->tokenizers.n, sizeof *b->vocabs);
	b->grammars = arena_array(&b->arena, p->grammars.n, sizeof *b->grammars);
	for (uint32_t i = 0; i < p->artifacts.n; i++)
		b->vocabs[p->artifacts.at[i].tokenizer].is_canonical |= is_canonical(&p->artifacts.at[i]);
	for (uint32_t i = 0; i < p->artifacts.n; i++) {
		const struct plan_artifact *a = &p->artifacts.at[i];
		if (!b->vocabs[a->tokenizer].output) digest_vocab(b, a->tokenizer);
		if (!b->grammars[a->grammar].files) digest_grammar(b, a->grammar);
	}
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
	plan_release(&b->plan);
	diag_release(&b->diag);
	arena_release(&b->arena);
	free(b->text);
}
