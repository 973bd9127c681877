// Random grammars x random vocabularies: every bit of every mask on random walks, against the oracle.
//
// In:  --seed S, --grammars N, --only I (one grammar of the seed), --verbose. Out: exit status 0 when all bits agree.
// A disagreement is made smaller (rules, alternatives, symbols, tokens and prefix are dropped while any disagreement
// remains) and printed as a Lark grammar, a vocabulary, a prefix and a token.
// A 1 bit must have a completion, which is checked against the definition; a 0 bit must have none, which is exact
// when the reachable configurations could be exhausted and otherwise holds up to BUDGET of them (counted).
#include <stdio.h>

#include "engine.h"
#include "random.h"

#define BUDGET 1500       // configurations looked at before a 0 bit is believed
#define BUDGET_FOR_1 50000  // before a 1 bit is called unproven
#define WALKS 6
#define WALK_TOKENS 14

struct tally {
	uint64_t grammars, compiled, unreadable, conflicts, empty, refused, positions, bits, exact, bounded, failures;
};

struct trial {
	struct lark lark;
	struct words words;
	VEC(struct word) prefix;
};

enum outcome { SAME, DIFFERENT, SKIPPED };

// What one trial's disagreement is, in words.
struct report {
	char text[1200];
	VEC(struct word) prefix;
};

static void print_bytes(FILE *out, const uint8_t *bytes, size_t len)
{
	fputc('"', out);
	for (size_t i = 0; i < len; i++)
		if (bytes[i] >= 32 && bytes[i] < 127 && bytes[i] != '"' && bytes[i] != '\\') fputc(bytes[i], out);
		else fprintf(out, "\\x%02X", bytes[i]);
	fputc('"', out);
}

// A grammar, a vocabulary, both sides built.
struct bench {
	struct grammar grammar;
	struct vocab vocab;
	struct oracle oracle;
	struct engine engine;
	struct arena arena;
	struct diag diag;
	bool has_grammar, has_oracle;
	enum engine_result result;
	uint32_t *mask, mask_words;
};

static void bench_release(struct bench *b)
{
	if (b->has_oracle) oracle_release(&b->oracle);
	engine_release(&b->engine);
	if (b->has_grammar) grammar_release(&b->grammar);
	vocab_release(&b->vocab);
	diag_release(&b->diag);
	arena_release(&b->arena);
	free(b->mask);
}

static bool bench_grammar(struct bench *b, const struct lark *l)
{
	*b = (struct bench){0};
	char *text = lark_text(l, &b->arena);
	b->has_grammar = grammar_parse("random.lark", text, strlen(text), NULL, &b->diag, &b->grammar);
	return b->has_grammar;
}

static bool bench_engine(struct bench *b, const struct words *w)
{
	words_vocab(w, &b->vocab);
	b->has_oracle = oracle_init(&b->oracle, &b->grammar, &b->vocab, &b->diag);
	if (!b->has_oracle) return false;
	b->result = engine_compile(&b->grammar, &b->vocab, &b->diag, &b->engine);
	b->mask_words = (b->vocab.n_tokens + 31) / 32;
	b->mask = mem_calloc(b->mask_words, sizeof *b->mask);
	return true;
}

static bool mentions(struct diag *d, const char *what) { return strstr(diag_text(d), what) != NULL; }

// The verdict on the compiler's refusal or consent.
static enum outcome judge_compile(struct bench *b, struct tally *t, struct report *r, bool verbose)
{
	if (b->result == ENGINE_REFUSED && mentions(&b->diag, "conflict")) {
		t->conflicts++;
		return SKIPPED;
	}
	uint32_t budget = b->result == ENGINE_OK ? BUDGET_FOR_1 : BUDGET;
	enum verdict v = oracle_viable(&b->oracle, oracle_start(&b->oracle), budget);
	if (b->result == ENGINE_BROKEN) {
		snprintf(r->text, sizeof r->text, "broken artifact: %s", diag_text(&b->diag));
		return DIFFERENT;
	}
	if (b->result == ENGINE_OK) {
		t->compiled++;
		if (v == VERDICT_VIABLE) return SAME;
		snprintf(r->text, sizeof r->text, "compiled, but the language is empty (%s)",
		         v == VERDICT_DEAD ? "proved" : "no text found");
		return DIFFERENT;
	}
	if (v != VERDICT_VIABLE) {
		t->empty++;
		return SKIPPED;
	}
	if (mentions(&b->diag, "limit")) {
		t->refused++;
		if (verbose) printf("refused: %s", diag_text(&b->diag));
		return SKIPPED;
	}
	size_t len;
	const uint8_t *text = oracle_completion(&b->oracle, oracle_start(&b->oracle), &len);
	snprintf(r->text, sizeof r->text, "refused, but '%.*s' is in the language: %.700s", (int)len, (const char *)text,
	         diag_text(&b->diag));
	return DIFFERENT;
}

// Every bit of the mask here. False, and a report, at the first disagreement.
static bool same_mask(struct bench *b, gcdc_matcher *m, uint32_t config, struct tally *t, struct report *r)
{
	struct oracle *o = &b->oracle;
	const struct vocab *v = &b->vocab;
	gcdc_status status = gcdc_matcher_fill(m, b->mask, b->mask_words, NULL);
	t->positions++;
	if (status != GCDC_OK) {
		snprintf(r->text, sizeof r->text, "no mask: %s", gcdc_status_text(status));
		return false;
	}
	for (token_id x = 0; x < b->mask_words * 32; x++) {
		bool allowed = mask_bit(b->mask, x), is_eos = false;
		for (uint32_t i = 0; i < v->n_eos; i++) is_eos |= v->eos[i] == x;
		t->bits++;
		if (is_eos) {
			t->exact++;
			if (allowed == oracle_complete(o, config)) continue;
			snprintf(r->text, sizeof r->text, "EOS %u: engine %d, oracle %d", x, allowed, !allowed);
			return false;
		}
		if (x >= v->n_tokens || v->kind[x] != TOKEN_TEXT) {
			t->exact++;
			if (!allowed) continue;
			snprintf(r->text, sizeof r->text, "token %u is no text, but allowed", x);
			return false;
		}
		uint32_t to = oracle_step(o, config, v->bytes + v->offset[x], v->offset[x + 1] - v->offset[x]);
		enum verdict verdict = oracle_viable(o, to, allowed ? BUDGET_FOR_1 : BUDGET);
		if (verdict == VERDICT_UNKNOWN) t->bounded++;
		else t->exact++;
		if (allowed == (verdict == VERDICT_VIABLE)) continue;
		if (!allowed && verdict == VERDICT_UNKNOWN) continue;
		size_t len = 0;
		const uint8_t *more = verdict == VERDICT_VIABLE ? oracle_completion(o, to, &len) : NULL;
		char *shown = NULL;
		size_t n_shown = 0;
		FILE *f = open_memstream(&shown, &n_shown);
		ASSERT(f);
		fprintf(f, "token %u ", x);
		print_bytes(f, v->bytes + v->offset[x], v->offset[x + 1] - v->offset[x]);
		fprintf(f, ": engine %d, oracle %s", allowed,
		        verdict == VERDICT_VIABLE ? "1: complete it with " : verdict == VERDICT_DEAD ? "0 (proved)"
		                                                                                      : "0 (nothing found)");
		if (more) print_bytes(f, more, len);
		fclose(f);
		snprintf(r->text, sizeof r->text, "%s", shown);
		free(shown);
		return false;
	}
	return true;
}

// accept() and the mask are one decision, for every id; what is taken back leaves no trace.
static bool same_accept(struct bench *b, gcdc_matcher *m, struct report *r)
{
	uint32_t *again = mem_calloc(b->mask_words, sizeof *again);
	bool same = true;
	for (token_id x = 0; x < b->mask_words * 32 && same; x++) {
		gcdc_status status = gcdc_matcher_accept(m, x);
		if ((status == GCDC_OK) != mask_bit(b->mask, x) || (status != GCDC_OK && status != GCDC_REJECTED)) {
			snprintf(r->text, sizeof r->text, "accept(%u): %s; the mask: %d", x, gcdc_status_text(status), mask_bit(b->mask, x));
			same = false;
		} else if (status == GCDC_OK && gcdc_matcher_rollback(m, 1) != GCDC_OK) {
			snprintf(r->text, sizeof r->text, "no rollback after accept(%u)", x);
			same = false;
		}
	}
	if (same && (gcdc_matcher_fill(m, again, b->mask_words, NULL) != GCDC_OK ||
	             memcmp(again, b->mask, b->mask_words * sizeof *again) != 0)) {
		snprintf(r->text, sizeof r->text, "another mask after accept and rollback");
		same = false;
	}
	free(again);
	return same;
}

// By id where the word is a token, else as bytes (the reducer drops tokens).
static gcdc_status take(const struct bench *b, gcdc_matcher *m, const struct word *w)
{
	const struct vocab *v = &b->vocab;
	for (token_id x = 0; x < v->n_tokens; x++)
		if (v->kind[x] == TOKEN_TEXT && v->offset[x + 1] - v->offset[x] == w->len &&
		    memcmp(v->bytes + v->offset[x], w->bytes, w->len) == 0)
			return gcdc_matcher_accept(m, x);
	return gcdc_matcher_accept_bytes(m, w->bytes, w->len);
}

// Follows the prefix; compares before each token and at the end, and once more with the prefix in one piece.
static enum outcome follow(struct bench *b, const struct word *prefix, uint32_t n, struct tally *t, struct report *r)
{
	gcdc_matcher *m, *whole;
	if (gcdc_matcher_new(b->engine.artifact, NULL, &m) || gcdc_matcher_new(b->engine.artifact, NULL, &whole)) return SKIPPED;
	enum outcome outcome = SAME;
	uint32_t config = oracle_start(&b->oracle);
	vec_clear(&r->prefix);
	uint8_t text[4096];
	size_t len = 0;
	for (uint32_t i = 0; outcome == SAME; i++) {
		if (!same_mask(b, m, config, t, r) || !same_accept(b, m, r)) outcome = DIFFERENT;
		if (outcome != SAME || i == n) break;
		const struct word *w = &prefix[i];
		vec_push(&r->prefix, *w);
		memcpy(text + len, w->bytes, w->len), len += w->len;
		uint32_t to = oracle_step(&b->oracle, config, w->bytes, w->len);
		gcdc_status status = take(b, m, w);
		bool is_viable = oracle_viable(&b->oracle, to, status ? BUDGET : BUDGET_FOR_1) == VERDICT_VIABLE;
		if ((status == GCDC_OK) != is_viable) {
			snprintf(r->text, sizeof r->text, "the prefix: %s, oracle %d", gcdc_status_text(status), is_viable);
			outcome = DIFFERENT;
		} else if (!is_viable) outcome = SKIPPED;
		config = to;
	}
	if (outcome == SAME && len) {
		gcdc_status status = gcdc_matcher_accept_bytes(whole, text, len);
		if (status) {
			snprintf(r->text, sizeof r->text, "the prefix in one piece: %s", gcdc_status_text(status));
			outcome = DIFFERENT;
		} else if (!same_mask(b, whole, config, t, r)) {
			size_t at = strlen(r->text);
			snprintf(r->text + at, sizeof r->text - at, " (prefix taken in one piece)");
			outcome = DIFFERENT;
		}
	}
	gcdc_matcher_free(m);
	gcdc_matcher_free(whole);
	return outcome;
}

// One walk along allowed tokens; the tokens go to prefix.
static void walk(struct bench *b, struct rng *r, struct trial *trial)
{
	vec_clear(&trial->prefix);
	uint32_t config = oracle_start(&b->oracle);
	for (uint32_t i = 0; i < WALK_TOKENS; i++) {
		const struct vocab *v = &b->vocab;
		VEC(token_id) can = {0};
		for (uint32_t k = 0; k < b->oracle.tries.n; k++) {
			token_id x = b->oracle.tries.at[k];
			uint32_t len = v->offset[x + 1] - v->offset[x];
			if (oracle_viable(&b->oracle, oracle_step(&b->oracle, config, v->bytes + v->offset[x], len), BUDGET) == VERDICT_VIABLE)
				vec_push(&can, x);
		}
		if (can.n) {
			token_id x = can.at[rng_below(r, can.n)];
			struct word w = {.len = v->offset[x + 1] - v->offset[x]};
			memcpy(w.bytes, v->bytes + v->offset[x], w.len);
			vec_push(&trial->prefix, w);
			config = oracle_step(&b->oracle, config, w.bytes, w.len);
		}
		bool none = !can.n;
		vec_release(&can);
		if (none) break;
	}
}

// The whole of a trial as it is now, for the reducer: does anything disagree?
static bool still_fails(struct trial *trial, struct report *r)
{
	struct bench b;
	struct tally t = {0};
	enum outcome outcome = SKIPPED;
	if (bench_grammar(&b, &trial->lark) && bench_engine(&b, &trial->words)) {
		outcome = judge_compile(&b, &t, r, false);
		if (outcome == SAME) outcome = follow(&b, trial->prefix.at, trial->prefix.n, &t, r);
	}
	bench_release(&b);
	return outcome == DIFFERENT;
}

static bool try_drop(struct trial *trial, struct report *r, bool *flag)
{
	if (*flag) return false;
	*flag = true;
	if (still_fails(trial, r)) return true;
	*flag = false;
	return false;
}

// Drops what can be dropped while something still disagrees.
static void minimise(struct trial *trial, struct report *r)
{
	for (bool again = true; again;) {
		again = false;
		for (uint32_t i = trial->prefix.n; i-- > 0;) {
			struct word gone = trial->prefix.at[i];
			memmove(&trial->prefix.at[i], &trial->prefix.at[i + 1], (--trial->prefix.n - i) * sizeof gone);
			if (still_fails(trial, r)) again = true;
			else {
				memmove(&trial->prefix.at[i + 1], &trial->prefix.at[i], (trial->prefix.n++ - i) * sizeof gone);
				trial->prefix.at[i] = gone;
			}
		}
		for (uint32_t i = 0; i < trial->words.at.n; i++) again |= try_drop(trial, r, &trial->words.at.at[i].is_dropped);
		for (uint32_t i = trial->lark.lines.n; i-- > 0;) {
			struct lark_line *line = &trial->lark.lines.at[i];
			again |= try_drop(trial, r, &line->is_dropped);
			for (uint32_t k = 0; k < line->n_alternatives && !line->is_dropped; k++) {
				struct lark_alternative *a = &line->alternatives[k];
				again |= try_drop(trial, r, &a->is_dropped);
				for (uint32_t s = 0; s < a->n_symbols && !a->is_dropped; s++) {
					struct lark_alternative before = *a;
					memmove(&a->symbols[s], &a->symbols[s + 1], (--a->n_symbols - s) * sizeof *a->symbols);
					if (still_fails(trial, r)) again = true, s--;
					else *a = before;
				}
			}
		}
	}
}

static void print_trial(const struct trial *trial, const struct report *r)
{
	struct arena arena = {0};
	printf("---- grammar\n%s---- vocabulary (0: EOS, 1: control%s)\n", lark_text(&trial->lark, &arena),
	       trial->words.has_two_eos ? ", last: EOS" : "");
	uint32_t id = 2;
	for (uint32_t i = 0; i < trial->words.at.n; i++) {
		const struct word *w = &trial->words.at.at[i];
		if (w->is_dropped) continue;
		printf("%u ", id++);
		print_bytes(stdout, w->bytes, w->len);
		putchar(' ');
	}
	printf("\n---- prefix: ");
	for (uint32_t i = 0; i < r->prefix.n; i++) print_bytes(stdout, r->prefix.at[i].bytes, r->prefix.at[i].len), putchar(' ');
	printf("\n---- %s\n\n", r->text);
	arena_release(&arena);
}

static void one_grammar(uint64_t seed, uint64_t i, struct tally *t, bool verbose)
{
	struct rng r = {seed * 1000003 + i};
	struct trial trial = {0};
	struct report report = {0};
	struct bench b;
	enum outcome outcome = SKIPPED;
	t->grammars++;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (verbose) printf("grammar %lu\n", (unsigned long)i);
	random_grammar(&r, &trial.lark);
	if (bench_grammar(&b, &trial.lark)) {
		random_words(&r, &trial.lark, &b.grammar, &trial.words);
		if (bench_engine(&b, &trial.words)) outcome = judge_compile(&b, t, &report, verbose);
		else t->unreadable++;
		for (uint32_t w = 0; w < WALKS && outcome == SAME; w++) {
			walk(&b, &r, &trial);
			outcome = follow(&b, trial.prefix.at, trial.prefix.n, t, &report);
		}
	} else t->unreadable++;
	if (verbose && (!b.has_grammar || !b.has_oracle)) printf("grammar %lu is not read: %s", (unsigned long)i, diag_text(&b.diag));
	bench_release(&b);
	if (outcome == DIFFERENT) {
		t->failures++;
		printf("DISAGREEMENT in grammar %lu of seed %lu: %s\n", (unsigned long)i, (unsigned long)seed, report.text);
		trial.prefix.n = 0;
		for (uint32_t k = 0; k < report.prefix.n; k++) vec_push(&trial.prefix, report.prefix.at[k]);
		minimise(&trial, &report);
		struct report last = {0};
		if (still_fails(&trial, &last)) print_trial(&trial, &last);
		vec_release(&last.prefix);
		fflush(stdout);
	}
	lark_release(&trial.lark);
	vec_release(&trial.words.at);
	vec_release(&trial.prefix);
	vec_release(&report.prefix);
}

int main(int argc, char **argv)
{
	uint64_t seed = 1, n = 3000, only = UINT64_MAX;
	uint64_t max_failures = 10;
	bool verbose = false;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--verbose")) verbose = true;
		else if (i + 1 < argc && !strcmp(argv[i], "--seed")) seed = strtoull(argv[++i], NULL, 10);
		else if (i + 1 < argc && !strcmp(argv[i], "--grammars")) n = strtoull(argv[++i], NULL, 10);
		else if (i + 1 < argc && !strcmp(argv[i], "--only")) only = strtoull(argv[++i], NULL, 10);
		else if (i + 1 < argc && !strcmp(argv[i], "--max-failures")) max_failures = strtoull(argv[++i], NULL, 10);
		else return fprintf(stderr, "usage: oracle_random [--seed S] [--grammars N] [--only I] [--max-failures N] [--verbose]\n"), 2;
	}
	printf("seed %lu, %lu grammars\n", (unsigned long)seed, (unsigned long)n);
	struct tally t = {0};
	for (uint64_t i = 0; i < n && t.failures < max_failures; i++)
		if (only == UINT64_MAX || i == only) one_grammar(seed, i, &t, verbose);
	printf("%lu grammars: %lu compiled, %lu with conflicts, %lu empty, %lu past a limit, %lu not read\n"
	       "%lu positions, %lu bits compared (%lu exactly, %lu zeros up to %d configurations)\n"
	       "%lu passed, %lu failed\n",
	       (unsigned long)t.grammars, (unsigned long)t.compiled, (unsigned long)t.conflicts, (unsigned long)t.empty, (unsigned long)t.refused,
	       (unsigned long)t.unreadable, (unsigned long)t.positions, (unsigned long)t.bits, (unsigned long)t.exact,
	       (unsigned long)t.bounded, BUDGET, (unsigned long)(t.compiled - (t.failures < t.compiled ? t.failures : t.compiled)),
	       (unsigned long)t.failures);
	return t.failures != 0 || (only == UINT64_MAX && n && !t.compiled);
}
