// A plan, for people and for other build systems.
//
// In:  the plan, and for JSON which files each step reads. Out: stdout. Checks are those of a manifest with this one
// artifact, under a manifest's names: gcdc.bzl writes such a manifest, so that `gcdc build --check` needs no other
// files. Cost: linear.
#include "build_list.h"

#include "json_text.h"
#include "vocab/vocab.h"

void build_list(struct build *b)
{
	for (uint32_t i = 0; i < b->plan.artifacts.n; i++) {
		const struct plan_artifact *a = &b->plan.artifacts.at[i];
		option_words words = {0};
		plan_option_words(&b->arena, a->options, &words);
		printf("%s\t%s", a->name, a->output);
		for (uint32_t k = 0; k < words.n; k++) printf("%s%s", k ? " " : "\t", words.at[k]);
		putchar('\n');
		vec_release(&words);
	}
}

static void put_texts(struct json_writer *j, const char *key, const char *const *texts, uint32_t n)
{
	json_key(j, key);
	json_array(j);
	for (uint32_t i = 0; i < n; i++) json_string(j, texts[i]);
	json_close(j);
}

static void put_tokenizer(struct build *b, uint32_t i, struct json_writer *j)
{
	const struct plan_tokenizer *t = &b->plan.tokenizers.at[i];
	const char *files[VOCAB_MAX_FILES];
	option_words words = {0};
	json_object(j);
	json_string_entry(j, "name", t->name);
	put_texts(j, "files", files, t->file ? vocab_files(t->file, &b->arena, files) : 0);
	build_vocab_options(b, i, &words);
	put_texts(j, "options", words.at, words.n);
	json_close(j);
	vec_release(&words);
}

static void put_check_texts(const struct plan_checks *c, bool accept, bool is_file, struct json_writer *j)
{
	static const char *const keys[2][2] = {{"refuse", "refuse-files"}, {"accept", "accept-files"}};
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->texts.n; i++) {
		const struct check_text *t = &c->texts.at[i];
		if (t->accept != accept || (t->file != NULL) != is_file) continue;
		if (!n++) json_key(j, keys[accept][is_file]), json_array(j);
		if (is_file)
			json_string(j, t->file);
		else
			json_bytes(j, t->text, t->len);
	}
	if (n) json_close(j);
}

static void put_artifact(struct build *b, const struct plan_artifact *a, struct json_writer *j)
{
	const struct grammar_step *g = &b->grammars[a->grammar];
	option_words words = {0};
	plan_option_words(&b->arena, a->options, &words);
	json_object(j);
	json_string_entry(j, "name", a->name);
	json_string_entry(j, "grammar", b->plan.grammars.at[a->grammar].name);
	put_texts(j, "files", g->files, g->n_files);
	json_string_entry(j, "tokenizer", b->plan.tokenizers.at[a->tokenizer].name);
	put_texts(j, "options", words.at, words.n);
	json_key(j, "checks");
	json_object(j);
	for (int k = 0; k < 4; k++) put_check_texts(&a->checks, k & 1, k & 2, j);
	for (uint32_t k = 0; k < N_CHECK_LIMITS; k++)
		if (a->checks.limits[k].given) json_uint_entry(j, check_limit_name[k], a->checks.limits[k].most);
	json_close(j);
	json_close(j);
	vec_release(&words);
}

void build_list_json(struct build *b)
{
	struct json_writer j;
	build_digest(b);
	json_begin(&j, stdout);
	json_object(&j);
	json_key(&j, "tokenizers");
	json_array(&j);
	for (uint32_t i = 0; i < b->plan.tokenizers.n; i++)
		if (b->vocabs[i].output) put_tokenizer(b, i, &j);
	json_close(&j);
	json_key(&j, "artifacts");
	json_array(&j);
	for (uint32_t i = 0; i < b->plan.artifacts.n; i++) put_artifact(b, &b->plan.artifacts.at[i], &j);
	json_close(&j);
	json_close(&j);
	json_end(&j);
}
