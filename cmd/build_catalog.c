// The record of a build becomes the catalog of its folder.
//
// In:  a plan, the record as it is after the build. Out: gcdc.catalog (formats/catalog.md), replaced at once, after all
// files that it names are in their places.
// A tokenizer's hash is read from one of its artifacts: all of them have it. Sums come from the record; a file that
// Ninja has made is read. Cost: linear in the artifacts; a file's head for each tokenizer.
#include "build_catalog.h"

#include <errno.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sha256.h"
#include "cli.h"
#include "gcdc/runtime.h"

#define ME "build"

struct listing {
	struct build *b;
	struct record now;
	VEC(const char *) lines;
	const char **hash;  // [plan.tokenizers.n], "" where no artifact is there
};

const char *build_sum(struct build *b, const char *path)
{
	char *bytes, hex[SHA256_HEX];
	size_t len;
	if (!file_read(path, UINT32_MAX, &bytes, &len)) return NULL;
	sha256_hex(bytes, len, hex);
	free(bytes);
	return arena_strndup(&b->arena, hex, SHA256_HEX - 1);
}

static const char *sum_of(struct listing *l, const char *path)
{
	const struct record_line *line = record_find(&l->now, build_from_output(l->b, path));
	return line && strcmp(line->sum, RECORD_NO_SUM) != 0 ? line->sum : build_sum(l->b, path);
}

// Of the tokenizer, from an artifact's head; NULL after a message. Of two tokenizers with one hash the second has "".
static const char *hash_of(struct listing *l, const struct plan_artifact *a)
{
	gcdc_head head;
	gcdc_refusal why;
	if (l->hash[a->tokenizer]) return l->hash[a->tokenizer];
	if (gcdc_artifact_head(a->output, &head, &why)) {
		cli_error(CODE_IO, ME, "%s: %s", a->output, why.what);
		return NULL;
	}
	const char *hash = arena_printf(&l->b->arena, "%016llx%016llx", (unsigned long long)head.vocab_hash[1],
	                                (unsigned long long)head.vocab_hash[0]);
	for (uint32_t i = 0; i < l->b->plan.tokenizers.n; i++)
		if (l->hash[i] && !strcmp(l->hash[i], hash)) hash = "";
	return l->hash[a->tokenizer] = hash;
}

static int add_artifact(struct listing *l, const struct plan_artifact *a)
{
	struct build *b = l->b;
	const struct record_line *line = record_find(&l->now, build_from_output(b, a->output));
	if (!line || access(a->output, R_OK)) return CODE_OK;  // not built yet: --only, --shard
	const char *hash = hash_of(l, a), *sum = hash && *hash ? sum_of(l, a->output) : "";
	if (!hash || !sum) return hash ? cli_error(CODE_IO, ME, "%s: %s", a->output, strerror(errno)) : CODE_IO;
	const char *vocab = build_keeps_no_vocab(a) ? build_vocab_beside(b, a->tokenizer) : NULL;
	if (*hash && !strchr(line->path, '\t'))
		vec_push(&l->lines, arena_printf(&b->arena, "artifact\t%s\t%s\t%s\t%s\t%s\t%s\n",
		                                 b->plan.grammars.at[a->grammar].name, b->plan.tokenizers.at[a->tokenizer].name,
		                                 hash, sum, line->path, vocab ? build_from_output(b, vocab) : "-"));
	return CODE_OK;
}

static int add_vocab(struct listing *l, uint32_t tokenizer)
{
	struct build *b = l->b;
	const char *file = build_vocab_beside(b, tokenizer), *hash = l->hash[tokenizer];
	if (!file || !hash || !*hash) return CODE_OK;
	const char *sum = sum_of(l, file);
	if (!sum) return cli_error(CODE_IO, ME, "%s: %s", file, strerror(errno));
	vec_push(&l->lines, arena_printf(&b->arena, "vocabulary\t%s\t%s\t%s\t%s\n", b->plan.tokenizers.at[tokenizer].name,
	                                 hash, sum, build_from_output(b, file)));
	return CODE_OK;
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static int write_lines(struct listing *l)
{
	char *text = NULL;
	size_t len;
	struct diag d = {0};
	FILE *f = text_stream(&text, &len);
	if (l->lines.n) qsort(l->lines.at, l->lines.n, sizeof *l->lines.at, by_text);
	fputs("gcdc catalog 1\n", f);
	for (uint32_t i = 0; i < l->lines.n; i++) fputs(l->lines.at[i], f);
	fprintf(f, "end\t%u\n", l->lines.n);
	fclose(f);
	bool ok = file_update(arena_printf(&l->b->arena, "%s/" CATALOG_NAME, l->b->plan.output), text, len, NULL, &d);
	free(text);
	diag_print(&d, stderr);
	diag_release(&d);
	return ok ? CODE_OK : CODE_IO;
}

int build_catalog(struct build *b)
{
	struct listing l = {.b = b};
	int code = CODE_OK;
	record_read(b->plan.output, &l.now);
	l.hash = arena_array(&b->arena, b->plan.tokenizers.n, sizeof *l.hash);
	for (uint32_t i = 0; i < b->plan.artifacts.n && !code; i++) code = add_artifact(&l, &b->plan.artifacts.at[i]);
	for (uint32_t i = 0; i < b->plan.tokenizers.n && !code; i++) code = add_vocab(&l, i);
	if (!code) code = write_lines(&l);
	vec_release(&l.lines);
	record_release(&l.now);
	return code;
}
