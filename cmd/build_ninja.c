// struct build -> build.ninja.
//
// In:  the plan and the digests of its inputs. Out: files that Ninja reads.
// Ninja compares times, and the command line that made a file with the one that would make it now. Here the command
// lines hold digests of all that the step reads (--expect, the vocabulary's file name), and the inputs themselves are
// order-only (||): Ninja and whoever distributes the steps know them, but their times decide nothing. Each step looks
// at its digest again: a file that changed since the plan is an error, not a wrong artifact. An artifact that has
// checks is compiled under a staged name; the step that checks it puts it into its place. build.ninja has one step
// more, which makes it again when something that the plan depends on is newer (a depfile lists it). `gcdc build` does
// without Ninja; steps tell its record what they have made, where the plan knows all that it is made of.
#include "build_ninja.h"

#include <unistd.h>

#include "base/file.h"
#include "cli.h"
#include "depfile.h"
#include "vocab/vocab.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

// A path in a build line.
static void put_path(FILE *f, const char *path)
{
	fputc(' ', f);
	for (const char *c = path; *c; c++) {
		if (strchr("$: |", *c)) fputc('$', f);
		fputc(*c, f);
	}
}

// A word of a command line in a variable's value: quoted for the shell, then for Ninja.
static void put_word(FILE *f, const char *word)
{
	fputc(' ', f);
	bool plain = *word != 0;
	for (const char *c = word; *c && plain; c++)
		plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
		        strchr("_-./+=:,@%", *c);
	if (!plain) fputc('\'', f);
	for (const char *c = word; *c; c++) {
		if (*c == '$')
			fputs("$$", f);
		else if (*c == '\'')
			fputs("'\\''", f);
		else
			fputc(*c, f);
	}
	if (!plain) fputc('\'', f);
}

static void put_variable(FILE *f, const char *name, const char *word)
{
	fprintf(f, "  %s =", name);
	put_word(f, word);
	fputc('\n', f);
}

// Where this program is.
static const char *program(struct build *b)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
	return n > 0 ? arena_strndup(&b->arena, path, (size_t)n) : "gcdc";
}

static void put_head(struct build *b, FILE *f)
{
	fprintf(f, "# Made by gcdc build from %s. Times of inputs decide nothing here: digests in the commands do.\n",
	        b->manifest);
	fputs("ninja_required_version = 1.11\nbuilddir =", f);
	put_path(f, b->folder);
	fputs("\ngcdc =", f);
	put_word(f, program(b));
	fputs("\nmanifest =", f);
	put_word(f, b->manifest);
	if (b->output_given) fputs(" --output", f), put_word(f, b->output_given);
	fputs("\n\nrule vocab\n"
	      "  command = $gcdc vocab $from --quiet --output $to $options --provenance --expect $digest\n"
	      "  description = vocabulary $name\n"
	      "rule compile\n"
	      "  command = $gcdc compile $from --quiet --output $to --tokenizer $vocab $options --provenance --expect "
	      "$digest $record\n"
	      "  description = compile $name\n"
	      "rule check\n"
	      "  command = $gcdc build $manifest --check $name --staged $staged --stamp $to $options --expect "
	      "$digest\n"
	      "  description = check $name\n",
	      f);
}

static void put_vocab(struct build *b, uint32_t i, FILE *f)
{
	const struct plan_tokenizer *t = &b->plan.tokenizers.at[i];
	const struct vocab_step *step = &b->vocabs[i];
	const char *files[VOCAB_MAX_FILES];
	uint32_t n = t->file ? vocab_files(t->file, &b->arena, files) : 0;
	fputs("\nbuild", f);
	put_path(f, step->output);
	fputs(": vocab", f);
	for (uint32_t k = 0; k < n; k++) {
		if (!k) fputs(" ||", f);
		put_path(f, files[k]);
	}
	fputc('\n', f);
	put_variable(f, "name", t->name);
	if (t->file) put_variable(f, "from", t->file);
	put_variable(f, "to", step->output);
	fprintf(f, "  digest = %s\n", step->digest);
	if (!t->n_eos && !t->n_eos_names && !t->no_eos && !t->vocab_size && !step->is_canonical) return;
	fputs("  options =", f);
	if (step->is_canonical) fputs(" --canonical", f);
	for (uint32_t k = 0; k < t->n_eos; k++) fprintf(f, " --eos %u", t->eos[k]);
	for (uint32_t k = 0; k < t->n_eos_names; k++) fputs(" --eos", f), put_word(f, t->eos_names[k]);
	if (t->no_eos) fputs(" --no-eos", f);
	if (t->vocab_size) fprintf(f, " --vocab-size %u", t->vocab_size);
	fputc('\n', f);
}

// The step that checks the staged artifact and puts it into its place. What the artifact is made of is part of the
// command: its time alone would not do.
static void put_check(struct build *b, const struct plan_artifact *a, const char *check, const char *of, FILE *f)
{
	const char *stamp = build_stamp(b, a), *made = build_staged(b, a);
	fputs("build", f);
	put_path(f, stamp);
	put_path(f, a->output);
	fputs(": check ||", f);
	put_path(f, made);
	put_path(f, b->manifest);
	for (uint32_t k = 0; k < a->checks.texts.n; k++)
		if (a->checks.texts.at[k].file) put_path(f, a->checks.texts.at[k].file);
	fputc('\n', f);
	put_variable(f, "name", a->name);
	put_variable(f, "to", stamp);
	put_variable(f, "staged", made);
	fprintf(f, "  digest = %s\n", check);
	const char *vocab = build_keeps_no_vocab(a) ? b->vocabs[a->tokenizer].output : NULL;
	if (!of && !vocab) return;
	fputs("  options =", f);
	if (of) fprintf(f, " --of %s", of);
	if (vocab) fputs(" --vocab", f), put_word(f, vocab);
	fputc('\n', f);
}

static void put_artifact(struct build *b, uint32_t i, FILE *f)
{
	const struct plan_artifact *a = &b->plan.artifacts.at[i];
	const struct grammar_step *g = &b->grammars[a->grammar];
	const char *vocab = b->vocabs[a->tokenizer].output;
	char of[DIGEST_HEX];
	option_words words = {0};
	plan_option_words(&b->arena, a->options, &words);
	const char *stamp = build_stamp(b, a), *made = stamp ? build_staged(b, a) : a->output;
	build_of(b, a, g->digest, of);
	fputs("\nbuild", f);
	put_path(f, made);
	fputs(": compile ||", f);
	put_path(f, vocab);
	for (uint32_t k = 0; k < g->n_files; k++) put_path(f, g->files[k]);
	fputc('\n', f);
	put_variable(f, "name", a->name);
	put_variable(f, "from", b->plan.grammars.at[a->grammar].file);
	put_variable(f, "to", made);
	put_variable(f, "vocab", vocab);
	fprintf(f, "  digest = %s\n", g->digest);
	if (words.n) fputs("  options =", f);
	for (uint32_t k = 0; k < words.n; k++) put_word(f, words.at[k]);
	if (words.n) fputc('\n', f);
	if (!stamp && g->is_whole) {
		fprintf(f, "  record = && printf '%%s\\t-\\t-\\t%%s\\n' %s", of);
		put_word(f, build_from_output(b, a->output));
		fprintf(f, " >>"), put_word(f, arena_printf(&b->arena, "%s/built", b->folder)), fputc('\n', f);
	}
	if (stamp) put_check(b, a, b->steps[i].check, g->is_whole ? of : NULL, f);
	fputs("build", f);
	put_path(f, a->name);
	fputs(": phony", f);
	put_path(f, a->output);
	if (stamp) put_path(f, stamp);
	fputc('\n', f);
	vec_release(&words);
}

static void put_steps(struct build *b, FILE *f)
{
	put_head(b, f);
	for (uint32_t i = 0; i < b->plan.tokenizers.n; i++)
		if (b->vocabs[i].output) put_vocab(b, i, f);
	for (uint32_t i = 0; i < b->plan.artifacts.n; i++) put_artifact(b, i, f);
	fputs("\nbuild all: phony", f);
	for (uint32_t i = 0; i < b->plan.artifacts.n; i++) put_path(f, b->plan.artifacts.at[i].name);
	fputs("\ndefault all\n", f);
}

static void put_build(struct build *b, FILE *f, const char *steps, const char *depfile, uint64_t steps_hash)
{
	fprintf(f, "# Made by gcdc build from %s; its steps have the digest %016llx.\ninclude", b->manifest,
	        (unsigned long long)steps_hash);
	put_path(f, steps);
	fputs("\nrule plan\n  command = $gcdc build $manifest --ninja --quiet\n  description = plan\n  generator = 1\n"
	      "  restat = 1\n  depfile =",
	      f);
	put_path(f, depfile);
	fputs("\nbuild", f);
	put_path(f, build_ninja_file(b));
	fputs(": plan", f);
	put_path(f, b->manifest);
	fputc('\n', f);
}

static void put_depfile(struct build *b, FILE *f)
{
	const struct plan *p = &b->plan;
	depfile_target(f, build_ninja_file(b));
	depfile_input(f, b->manifest);
	for (uint32_t i = 0; i < p->folders.n; i++) depfile_input(f, p->folders.at[i]);
	for (uint32_t i = 0; i < p->grammars.n; i++)
		for (uint32_t k = 0; k < b->grammars[i].n_files; k++) depfile_input(f, b->grammars[i].files[k]);
	for (uint32_t i = 0; i < p->tokenizers.n; i++) {
		const char *files[VOCAB_MAX_FILES];
		uint32_t n = p->tokenizers.at[i].file ? vocab_files(p->tokenizers.at[i].file, &b->arena, files) : 0;
		for (uint32_t k = 0; k < n; k++) depfile_input(f, files[k]);
	}
	for (uint32_t i = 0; i < p->artifacts.n; i++)
		for (uint32_t k = 0; k < p->artifacts.at[i].checks.texts.n; k++)
			if (p->artifacts.at[i].checks.texts.at[k].file)
				depfile_input(f, p->artifacts.at[i].checks.texts.at[k].file);
	depfile_end(f);
}

static const char *build_steps_file(struct build *b) { return arena_printf(&b->arena, "%s/steps.ninja", b->folder); }
const char *build_ninja_file(struct build *b) { return arena_printf(&b->arena, "%s/build.ninja", b->plan.output); }

// Where steps tell what they have made; one of another gcdc would tell wrong things.
static bool begin_record(struct build *b, struct diag *d)
{
	struct record r;
	char program[DIGEST_HEX];
	record_read(b->plan.output, &r);
	digest_program(program);
	bool *keep = mem_calloc(r.lines.n, sizeof *keep);
	memset(keep, true, r.lines.n * sizeof *keep);
	const bool ok = (!strcmp(r.program, program) && !r.is_torn) || record_write(b->plan.output, &r, keep, d);
	free(keep);
	record_release(&r);
	return ok;
}

int build_write_ninja(struct build *b)
{
	char *steps, *build, *depfile;
	size_t steps_len, build_len, depfile_len;
	struct diag d = {0};
	const char *steps_path = build_steps_file(b),
			   *depfile_path = arena_printf(&b->arena, "%s/build.ninja.d", b->folder);
	FILE *f = text_stream(&steps, &steps_len);
	put_steps(b, f);
	fclose(f);
	f = text_stream(&build, &build_len);
	put_build(b, f, steps_path, depfile_path, XXH3_64bits(steps, steps_len));
	fclose(f);
	f = text_stream(&depfile, &depfile_len);
	put_depfile(b, f);
	fclose(f);
	bool ok = begin_record(b, &d) && file_update(steps_path, steps, steps_len, NULL, &d) &&
	          file_update(depfile_path, depfile, depfile_len, NULL, &d) &&
	          file_update(build_ninja_file(b), build, build_len, NULL, &d);
	free(steps), free(build), free(depfile);
	diag_print(&d, stderr);
	diag_release(&d);
	return ok ? CODE_OK : CODE_IO;
}
