// Random grammars x random vocabularies: every bit of every mask on random walks, against the oracle.
//
// In:  --seed S, --grammars N, --kind NAME, --only I (one grammar of the seed), --bits N (stop behind so many),
// --conflicts (only grammars that keep some), --stacks (no Earley sets: fast), --walks N, --verbose. Out: exit status 0
// when all bits agree, no grammar took more than 5 s to compile, and every refusal names a limit. Each grammar is
// judged in a process of its own: one that crashes, hangs or asks for too much memory is a failure, too. A disagreement
// is made smaller (rules, alternatives, symbols, tokens and prefix are dropped while any disagreement remains) and
// printed as a Lark grammar, a vocabulary, a prefix and a token. A 1 bit must have a completion, a 0 bit none. Where
// parses are stacks that is decided (reach.c); with Earley sets by a search, which is exact when the reachable
// configurations could be exhausted. What it leaves open within BUDGET is decided by stacks, too, and where both decide
// they must agree; what is still open is counted. A conflict is no reason to refuse; an empty language is, and so is a
// limit that the message names.
#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "engine.h"
#include "options.h"
#include "random.h"

#define BUDGET 1500         // configurations looked at before a 0 bit is believed
#define BUDGET_FOR_1 50000  // before a 1 bit is called unproven
#define WALKS 6
#define WALK_TOKENS 14
#define MAX_SECONDS 5.0   // a compilation, without sanitizers
#define CHILD_SECONDS 60  // a grammar, all in all
#define CHILD_BYTES (1ull << 30)
#define CRASH_SECONDS 60  // to make one smaller
#define FILL_BUCKETS 160  // of durations, four for each doubling of nanoseconds
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

struct tally {
	uint64_t grammars, compiled, unreadable, conflicts, empty, refused, positions, bits, exact, bounded, failures,
		stacks;
	uint64_t keeps_conflicts, several, both, cut,
		too_much;  // grammars; positions with several parses; verdicts in two ways; limits of the oracle
	uint64_t fills[FILL_BUCKETS];  // masks by how long they took
	// of one grammar
	uint64_t kind;
	double seconds;  // to compile
};

static struct tally all, of_kind[N_KINDS];
static double slowest;         // seconds to compile
static bool refuse_conflicts;  // --conflicts-refused: count them instead
static bool only_conflicts, only_stacks;
static uint64_t n_walks = WALKS;

struct trial {
	struct lark lark;
	struct words words;
	VEC(struct word) prefix;
	enum fault {
		FAULT_ANY,
		FAULT_REFUSED,
		FAULT_BITS,
		FAULT_OTHER
	} fault;       // what is wrong with it, while it is made smaller
	bool crashes;  // that
	time_t until;  // then it is small enough
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
		if (bytes[i] >= 32 && bytes[i] < 127 && bytes[i] != '"' && bytes[i] != '\\')
			fputc(bytes[i], out);
		else
			fprintf(out, "\\x%02X", bytes[i]);
	fputc('"', out);
}

// A grammar, a vocabulary, both sides built.
struct bench {
	struct grammar grammar;
	struct vocab vocab;
	struct oracle oracle;
	struct oracle stacks;  // where the oracle's parses are Earley sets: the same with stacks
	struct engine engine;
	struct arena arena;
	struct diag diag;
	bool has_grammar, has_oracle, has_stacks;
	enum engine_result result;
	uint32_t *mask, mask_words;
	double seconds;  // to compile
};

static void bench_release(struct bench *b)
{
	if (b->has_oracle) oracle_release(&b->oracle);
	if (b->has_stacks) oracle_release(&b->stacks);
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
	struct diag limit = {0};  // of an automaton that the compiler refuses, too
	b->has_oracle = only_stacks && oracle_init_as(&b->oracle, &b->grammar, &b->vocab, PARSES_STACKS, &limit);
	if (!b->has_oracle) b->has_oracle = oracle_init(&b->oracle, &b->grammar, &b->vocab, &b->diag);
	if (!b->has_oracle) return false;
	b->has_stacks = b->oracle.parses.are == PARSES_EARLEY &&
	                oracle_init_as(&b->stacks, &b->grammar, &b->vocab, PARSES_STACKS, &limit);
	diag_release(&limit);
	struct timespec from, to;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	b->result = engine_compile(&b->grammar, &b->vocab, &b->diag, &b->engine);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	b->seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9;
	b->mask_words = (b->vocab.n_tokens + 31) / 32;
	b->mask = mem_calloc(b->mask_words, sizeof *b->mask);
	return true;
}

static bool mentions(struct diag *d, const char *what) { return strstr(diag_text(d), what) != NULL; }

// The name of a limit, as in LEXER_MAX_STATES.
static bool names_a_limit(struct diag *d)
{
	for (const char *at = diag_text(d); (at = strstr(at, "_MAX_")) != NULL; at++)
		if (at > diag_text(d) && isupper((unsigned char)at[-1]) && isupper((unsigned char)at[5])) return true;
	return false;
}

// Where the oracles are: the same text.
struct where {
	uint32_t config, twin;
};

static struct where where_start(struct bench *b)
{
	return (struct where){oracle_start(&b->oracle), b->has_stacks ? oracle_start(&b->stacks) : CONFIG_DEAD};
}

static struct where where_after(struct bench *b, struct where at, const uint8_t *bytes, size_t len)
{
	return (struct where){oracle_step(&b->oracle, at.config, bytes, len),
	                      b->has_stacks ? oracle_step(&b->stacks, at.twin, bytes, len) : CONFIG_DEAD};
}

static bool contradicts_itself;

static enum verdict verdict_of(struct bench *b, struct where at, uint32_t budget, struct tally *t)
{
	enum verdict v = oracle_viable(&b->oracle, at.config, budget), twin = VERDICT_UNKNOWN;
	if (b->has_stacks) twin = oracle_viable(&b->stacks, at.twin, budget);
	if (v != VERDICT_UNKNOWN && twin != VERDICT_UNKNOWN) {
		t->both++;
		contradicts_itself |= v != twin;
	}
	return v == VERDICT_UNKNOWN ? twin : v;
}

static const uint8_t *completion_of(struct bench *b, struct where at, size_t *len)
{
	bool is_own = oracle_viable(&b->oracle, at.config, BUDGET) == VERDICT_VIABLE;
	return is_own ? oracle_completion(&b->oracle, at.config, len) : oracle_completion(&b->stacks, at.twin, len);
}

// Do several parses live here? Two readings that ask the same of the rest and stand alike in their lexemes; those that
// differ there are one parse, of which the rest of the text decides where its lexeme ended.
static bool has_several(const struct oracle *o, uint32_t config)
{
	if (config == CONFIG_DEAD || o->parses.are != PARSES_STACKS) return false;
	const struct config *c = o->configs.at[config];
	const uint32_t *at = c->readings;
	for (uint32_t i = 0; i < c->n_readings; i++) {
		const struct reading *x = (const struct reading *)at, *y;
		if (parse_is_several(&o->parses, x->parse)) return true;
		const uint32_t *other = at += sizeof *x / 4 + 2 * x->n_alive;
		for (uint32_t k = i + 1; k < c->n_readings; k++, other += sizeof *y / 4 + 2 * y->n_alive) {
			y = (const struct reading *)other;
			if (x->parse != y->parse && x->is_fresh == y->is_fresh && x->f == y->f) return true;
		}
	}
	return false;
}

// The verdict on the compiler's refusal or consent.
static enum outcome judge_compile(struct bench *b, struct tally *t, struct report *r, bool verbose)
{
	if (b->seconds > MAX_SECONDS && !IS_SANITIZED) {
		snprintf(r->text, sizeof r->text, "%.1f s to compile", b->seconds);
		return DIFFERENT;
	}
	if (b->result == ENGINE_REFUSED && refuse_conflicts && mentions(&b->diag, "conflict")) {
		t->conflicts++;
		return SKIPPED;
	}
	uint32_t budget = b->result == ENGINE_OK ? BUDGET_FOR_1 : BUDGET;
	enum verdict v = verdict_of(b, where_start(b), budget, t);
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
	// With indentation every column must be possible to spell: refused are vocabularies without the bytes for it, and
	// grammars whose other terminals take the blanks of a line for theirs.
	bool is_indent = b->grammar.indentation.on && (mentions(&b->diag, "lacks tokens for single bytes") ||
	                                               mentions(&b->diag, "must take any number of blanks"));
	if (names_a_limit(&b->diag) || is_indent ||
	    mentions(&b->diag, "but it is ignored there: name the terminal before it behind '%ignore")) {
		t->refused++;
		if (verbose) printf("refused: %s", diag_text(&b->diag));
		return SKIPPED;
	}
	if (v != VERDICT_VIABLE &&
	    (mentions(&b->diag, "no text") || mentions(&b->diag, "empty") || mentions(&b->diag, "no line has a column"))) {
		t->empty++;
		return SKIPPED;
	}
	if (v != VERDICT_VIABLE) {
		snprintf(r->text, sizeof r->text,
		         "refused, not for an empty language (which it is) nor for a named limit: %.700s", diag_text(&b->diag));
		return DIFFERENT;
	}
	size_t len;
	const uint8_t *text = completion_of(b, where_start(b), &len);
	snprintf(r->text, sizeof r->text, "refused, but '%.*s' is in the language: %.700s", (int)len, (const char *)text,
	         diag_text(&b->diag));
	return DIFFERENT;
}

// More parses at once than the matcher was given room for: an error that the contract allows.
static bool is_past_stacks(gcdc_status status)
{
	return status < 0 && strstr(gcdc_status_text(status), "too many parses");
}

static uint32_t fill_bucket(uint64_t ns)
{
	if (ns < 4) return 0;
	uint32_t log = 63 - (uint32_t)__builtin_clzll(ns), bucket = log * 4 + (uint32_t)(ns >> (log - 2) & 3);
	return bucket < FILL_BUCKETS ? bucket : FILL_BUCKETS - 1;
}

// The end of a bucket, in microseconds.
static double bucket_us(uint32_t bucket) { return (double)(5 + bucket % 4) * (double)(1ull << bucket / 4) / 4e3; }

// Less than so many microseconds took `of` of a thousand masks.
static double fills_below(const struct tally *t, uint64_t of)
{
	uint64_t n = 0, sum = 0;
	for (uint32_t k = 0; k < FILL_BUCKETS; k++) n += t->fills[k];
	for (uint32_t k = 0; k < FILL_BUCKETS; k++)
		if ((sum += t->fills[k]) && sum * 1000 >= n * of) return bucket_us(k);
	return 0;
}

// Fills a clone's mask first, which has none of the matcher's caches: so the process's own first steps (pages that are
// copied behind fork) are not counted, and the matcher's are.
static gcdc_status timed_fill(struct bench *b, gcdc_matcher *m, struct tally *t)
{
	struct timespec from, to;
	gcdc_matcher *clone;
	if (!gcdc_matcher_clone(m, &clone)) {
		if (gcdc_matcher_fill(clone, b->mask, b->mask_words, NULL)) b->mask[0] = 0;
		gcdc_matcher_free(clone);
	}
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	gcdc_status status = gcdc_matcher_fill(m, b->mask, b->mask_words, NULL);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	t->fills[fill_bucket((uint64_t)((to.tv_sec - from.tv_sec) * 1000000000ll + to.tv_nsec - from.tv_nsec))]++;
	return status;
}

// Every bit of the mask here. False, and a report, at the first disagreement.
static bool same_mask(struct bench *b, gcdc_matcher *m, struct where at, struct tally *t, struct report *r)
{
	struct oracle *o = &b->oracle;
	const struct vocab *v = &b->vocab;
	gcdc_status status = timed_fill(b, m, t);
	t->positions++;
	t->several += has_several(o, at.config);
	if (is_past_stacks(status)) {
		t->stacks++;
		return false;
	}
	if (status != GCDC_OK) {
		snprintf(r->text, sizeof r->text, "no mask: %s", gcdc_status_text(status));
		return false;
	}
	for (token_id x = 0; x < b->mask_words * 32; x++) {
		bool allowed = mask_bit(b->mask, x), is_eos = false;
		for (uint32_t i = 0; i < v->n_eos; i++) is_eos |= v->eos[i] == x;
		t->bits++;
		if (is_eos) {
			bool ends = oracle_complete(o, at.config), is_open = !ends && allowed && o->configs.at[at.config]->is_cut;
			t->exact += !is_open, t->bounded += is_open;
			if (allowed == ends || is_open) continue;
			snprintf(r->text, sizeof r->text, "EOS %u: engine %d, oracle %d", x, allowed, !allowed);
			return false;
		}
		if (x >= v->n_tokens || v->kind[x] != TOKEN_TEXT) {
			t->exact++;
			if (!allowed) continue;
			snprintf(r->text, sizeof r->text, "token %u is no text, but allowed", x);
			return false;
		}
		struct where to = where_after(b, at, v->bytes + v->offset[x], v->offset[x + 1] - v->offset[x]);
		enum verdict verdict = verdict_of(b, to, allowed ? BUDGET_FOR_1 : BUDGET, t);
		if (contradicts_itself) {
			snprintf(r->text, sizeof r->text, "token %u: the oracle contradicts itself: Earley sets %d, stacks %d", x,
			         oracle_viable(o, to.config, BUDGET), oracle_viable(&b->stacks, to.twin, BUDGET));
			contradicts_itself = false;
			return false;
		}
		if (verdict == VERDICT_UNKNOWN)
			t->bounded++;
		else
			t->exact++;
		if (allowed == (verdict == VERDICT_VIABLE)) continue;
		if (verdict == VERDICT_UNKNOWN && (!allowed || o->was_partial || oracle_reaches(o))) continue;
		size_t len = 0;
		const uint8_t *more = verdict == VERDICT_VIABLE ? completion_of(b, to, &len) : NULL;
		char *shown = NULL;
		size_t n_shown = 0;
		FILE *f = open_memstream(&shown, &n_shown);
		ASSERT(f);
		fprintf(f, "token %u ", x);
		print_bytes(f, v->bytes + v->offset[x], v->offset[x + 1] - v->offset[x]);
		fprintf(f, ": engine %d, oracle %s", allowed,
		        verdict == VERDICT_VIABLE ? "1: complete it with "
		        : verdict == VERDICT_DEAD ? "0 (proved)"
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
		if (is_past_stacks(status)) continue;
		if ((status == GCDC_OK) != mask_bit(b->mask, x) || (status != GCDC_OK && status != GCDC_REJECTED)) {
			snprintf(r->text, sizeof r->text, "accept(%u): %s; the mask: %d", x, gcdc_status_text(status),
			         mask_bit(b->mask, x));
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
	if (gcdc_matcher_new(b->engine.artifact, NULL, &m) || gcdc_matcher_new(b->engine.artifact, NULL, &whole))
		return SKIPPED;
	enum outcome outcome = SAME;
	struct where at = where_start(b);
	vec_clear(&r->prefix);
	uint8_t text[4096];
	size_t len = 0;
	for (uint32_t i = 0; outcome == SAME; i++) {
		uint64_t past = t->stacks;
		if (!same_mask(b, m, at, t, r) || !same_accept(b, m, r)) outcome = t->stacks == past ? DIFFERENT : SKIPPED;
		if (outcome != SAME || i == n) break;
		const struct word *w = &prefix[i];
		vec_push(&r->prefix, *w);
		memcpy(text + len, w->bytes, w->len), len += w->len;
		struct where to = where_after(b, at, w->bytes, w->len);
		gcdc_status status = take(b, m, w);
		if (is_past_stacks(status)) {
			t->stacks++;
			outcome = SKIPPED;
			break;
		}
		enum verdict verdict = verdict_of(b, to, status ? BUDGET : BUDGET_FOR_1, t);
		bool is_open = verdict == VERDICT_UNKNOWN && (b->oracle.was_partial || oracle_reaches(&b->oracle));
		bool is_viable = verdict == VERDICT_VIABLE || (is_open && status == GCDC_OK);
		if ((status == GCDC_OK) != is_viable) {
			snprintf(r->text, sizeof r->text, "the prefix: %s, oracle %d", gcdc_status_text(status), is_viable);
			outcome = DIFFERENT;
		} else if (!is_viable)
			outcome = SKIPPED;
		at = to;
	}
	if (outcome == SAME && len) {
		gcdc_status status = gcdc_matcher_accept_bytes(whole, text, len);
		if (is_past_stacks(status))
			t->stacks++;
		else if (status) {
			snprintf(r->text, sizeof r->text, "the prefix in one piece: %s", gcdc_status_text(status));
			outcome = DIFFERENT;
		} else if (!same_mask(b, whole, at, t, r)) {
			size_t n_text = strlen(r->text);
			snprintf(r->text + n_text, sizeof r->text - n_text, " (prefix taken in one piece)");
			outcome = DIFFERENT;
		}
	}
	gcdc_matcher_free(m);
	gcdc_matcher_free(whole);
	return outcome;
}

// One walk along allowed tokens; the tokens go to prefix.
static void walk(struct bench *b, struct rng *r, struct trial *trial, struct tally *t)
{
	vec_clear(&trial->prefix);
	struct where at = where_start(b);
	for (uint32_t i = 0; i < WALK_TOKENS; i++) {
		const struct vocab *v = &b->vocab;
		VEC(token_id) can = {0};
		for (uint32_t k = 0; k < b->oracle.tries.n; k++) {
			token_id x = b->oracle.tries.at[k];
			uint32_t len = v->offset[x + 1] - v->offset[x];
			if (verdict_of(b, where_after(b, at, v->bytes + v->offset[x], len), BUDGET, t) == VERDICT_VIABLE)
				vec_push(&can, x);
		}
		if (can.n) {
			token_id x = can.at[rng_below(r, can.n)];
			struct word w = {.len = v->offset[x + 1] - v->offset[x]};
			memcpy(w.bytes, v->bytes + v->offset[x], w.len);
			vec_push(&trial->prefix, w);
			at = where_after(b, at, w.bytes, w.len);
		}
		bool none = !can.n;
		vec_release(&can);
		if (none) break;
	}
}

static enum fault fault_of(const struct report *r)
{
	static const char *const words[] = {"token ", "EOS ", "the prefix", "accept("};
	if (strncmp(r->text, "refused", 7) == 0) return FAULT_REFUSED;
	for (uint32_t i = 0; i < 4; i++)
		if (strncmp(r->text, words[i], strlen(words[i])) == 0) return FAULT_BITS;
	return FAULT_OTHER;
}

// Walks at random, as long as all agree.
static enum outcome walk_all(struct bench *b, struct rng *r, struct trial *trial, struct tally *t,
                             struct report *report)
{
	for (uint32_t w = 0; w < n_walks; w++) {
		walk(b, r, trial, t);
		// One that is cut short by a limit is no reason to stop.
		if (follow(b, trial->prefix.at, trial->prefix.n, t, report) == DIFFERENT) return DIFFERENT;
	}
	return SAME;
}

// In this process from now on: no more time and memory than a grammar may need.
static void bound_this_process(unsigned time)
{
	struct rlimit memory = {CHILD_BYTES, CHILD_BYTES};
	if (!IS_SANITIZED) setrlimit(RLIMIT_AS, &memory);
	time *= IS_SANITIZED ? 10 : 1;
	setrlimit(RLIMIT_CPU, &(struct rlimit){time, time});
	alarm(20 * time);  // a process that waits for ever
}

// Does a process that tries all of the trial end in an orderly way?
static bool crashes(const struct trial *trial)
{
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		bound_this_process(10);
		int nowhere = open("/dev/null", O_WRONLY);
		dup2(nowhere, 1), dup2(nowhere, 2);
		struct rng r = {1};
		struct tally t = {0};
		struct report report = {0};
		struct trial copy = *trial;
		struct bench b;
		copy.prefix.at = NULL, copy.prefix.n = copy.prefix.cap = 0;
		if (bench_grammar(&b, &copy.lark) && bench_engine(&b, &copy.words) &&
		    judge_compile(&b, &t, &report, false) == SAME)
			walk_all(&b, &r, &copy, &t, &report);
		_exit(0);
	}
	int status = 1;
	return child > 0 && waitpid(child, &status, 0) == child && status != 0;
}

// The whole of a trial as it is now, for the reducer: does anything disagree?
static bool still_fails(struct trial *trial, struct report *r)
{
	if (trial->crashes) return time(NULL) < trial->until && crashes(trial);
	struct bench b;
	struct tally t = {0};
	enum outcome outcome = SKIPPED;
	if (bench_grammar(&b, &trial->lark) && bench_engine(&b, &trial->words)) {
		outcome = judge_compile(&b, &t, r, false);
		if (outcome == SAME) outcome = follow(&b, trial->prefix.at, trial->prefix.n, &t, r);
	}
	bench_release(&b);
	return outcome == DIFFERENT && (trial->fault == FAULT_ANY || fault_of(r) == trial->fault);
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
			if (still_fails(trial, r))
				again = true;
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
					if (still_fails(trial, r))
						again = true, s--;
					else
						*a = before;
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
	for (uint32_t i = 0; i < r->prefix.n; i++)
		print_bytes(stdout, r->prefix.at[i].bytes, r->prefix.at[i].len), putchar(' ');
	printf("\n---- %s\n\n", r->text);
	arena_release(&arena);
}

static void add_tally(struct tally *to, const struct tally *t)
{
	uint64_t *into = (uint64_t *)to;
	const uint64_t *from = (const uint64_t *)t;
	for (uint32_t i = 0; i < offsetof(struct tally, kind) / sizeof *from; i++) into[i] += from[i];
}

// Writes the tally to `out` before anything is made smaller.
static void one_grammar(uint64_t seed, uint64_t i, enum random_kind kind, int out, bool verbose)
{
	struct tally tally = {.grammars = 1}, *t = &tally;
	struct rng r = {seed * 1000003 + i};
	struct trial trial = {.lark.kind = kind};
	struct report report = {0};
	struct bench b;
	enum outcome outcome = SKIPPED;
	random_grammar(&r, &trial.lark);
	t->kind = trial.lark.kind;
	if (verbose) printf("grammar %lu: %s\n", (unsigned long)i, random_kind_names[trial.lark.kind]);
	if (bench_grammar(&b, &trial.lark)) {
		random_words(&r, &trial.lark, &b.grammar, &trial.words);
		bool is_read = bench_engine(&b, &trial.words), keeps = is_read && b.oracle.parses.lr.n_choice;
		t->keeps_conflicts = keeps;
		if (is_read && (keeps || !only_conflicts)) outcome = judge_compile(&b, t, &report, verbose);
		t->unreadable += !is_read;
		t->seconds = b.seconds;
		if (outcome == SAME) outcome = walk_all(&b, &r, &trial, t, &report);
		t->cut = b.oracle.n_cut, t->too_much = b.oracle.n_unreached;
	} else if (mentions(&b.diag, "empty"))
		t->empty++;
	else
		t->unreadable++;
	if (verbose && (!b.has_grammar || !b.has_oracle))
		printf("grammar %lu is not read: %s", (unsigned long)i, diag_text(&b.diag));
	if (verbose && b.seconds > 0.2) printf("grammar %lu: %.2f s to compile\n", (unsigned long)i, b.seconds);
	bench_release(&b);
	t->failures = outcome == DIFFERENT;
	if (write(out, t, sizeof *t) != sizeof *t) exit(2);
	if (outcome == DIFFERENT) {
		printf("DISAGREEMENT in grammar %lu (%s) of seed %lu: %s\n", (unsigned long)i,
		       random_kind_names[trial.lark.kind], (unsigned long)seed, report.text);
		trial.prefix.n = 0;
		for (uint32_t k = 0; k < report.prefix.n; k++) vec_push(&trial.prefix, report.prefix.at[k]);
		trial.fault = fault_of(&report);
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

// A grammar whose process ended badly: the same again, made smaller.
static void tell_crash(uint64_t seed, uint64_t i, enum random_kind kind, int status, struct tally *t)
{
	struct rng r = {seed * 1000003 + i};
	struct trial trial = {.lark.kind = kind, .crashes = true, .until = time(NULL) + CRASH_SECONDS};
	struct report report = {0};
	struct bench b;
	random_grammar(&r, &trial.lark);
	*t = (struct tally){.kind = trial.lark.kind, .grammars = 1, .failures = 1};
	printf("CRASH in grammar %lu (%s) of seed %lu: %s %d\n", (unsigned long)i, random_kind_names[trial.lark.kind],
	       (unsigned long)seed, WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit status",
	       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	if (bench_grammar(&b, &trial.lark)) {
		random_words(&r, &trial.lark, &b.grammar, &trial.words);
		if (still_fails(&trial, &report)) minimise(&trial, &report);
		snprintf(report.text, sizeof report.text, "the process that compiles it and walks at random ends badly");
		print_trial(&trial, &report);
	}
	bench_release(&b);
	lark_release(&trial.lark);
	vec_release(&trial.words.at);
}

// In a process of its own.
static void judge(uint64_t seed, uint64_t i, enum random_kind kind, bool verbose)
{
	struct tally t = {0};
	struct child child;
	int status = 0;
	if (child_begin(&child)) {
		bound_this_process(CHILD_SECONDS);
		one_grammar(seed, i, kind, child.pipe, verbose);
		exit(0);
	}
	if (!child_end(&child, &t, sizeof t, &status) || (status != 0 && !t.failures))
		tell_crash(seed, i, kind, status, &t);
	if (t.seconds > slowest) slowest = t.seconds;
	add_tally(&of_kind[t.kind], &t);
	add_tally(&all, &t);
}

static void print_tally(const char *name, const struct tally *t)
{
	printf("%-12s %6lu grammars: %6lu compiled, %5lu keep conflicts, %4lu with conflicts refused, %4lu empty, %3lu "
	       "past a limit, %3lu not "
	       "read; %8lu positions, %7lu of several parses, %9lu bits, %4lu not decided; %lu failed\n",
	       name, (unsigned long)t->grammars, (unsigned long)t->compiled, (unsigned long)t->keeps_conflicts,
	       (unsigned long)t->conflicts, (unsigned long)t->empty, (unsigned long)t->refused,
	       (unsigned long)t->unreadable, (unsigned long)t->positions, (unsigned long)t->several, (unsigned long)t->bits,
	       (unsigned long)t->bounded, (unsigned long)t->failures);
}

static void print_sum(const struct tally *t)
{
	printf(
		"%lu bits compared, %lu differences; %lu not decided, %lu decided in two ways; %lu of %lu positions with "
		"several parses\n"
		"limits met: %lu walks past max_stacks; of the oracle: %lu times parses left out, %lu answers too much "
		"work, %d configurations "
		"looked at before a bit is not decided\nslowest compilation %.2f s; fill, with the clock, p50 %.1f, p99 %.1f, "
		"p99.9 %.1f, max %.1f us\n%lu passed, %lu failed\n",
		(unsigned long)t->bits, (unsigned long)t->failures, (unsigned long)t->bounded, (unsigned long)t->both,
		(unsigned long)t->several, (unsigned long)t->positions, (unsigned long)t->stacks, (unsigned long)t->cut,
		(unsigned long)t->too_much, BUDGET, slowest, fills_below(t, 500), fills_below(t, 990), fills_below(t, 999),
		fills_below(t, 1000), (unsigned long)(t->compiled - (t->failures < t->compiled ? t->failures : t->compiled)),
		(unsigned long)t->failures);
}

int main(int argc, char **argv)
{
	uint64_t seed = 1, n = 1200, only = UINT64_MAX, max_bits = UINT64_MAX;
	uint64_t max_failures = 10;
	const char *kind_name = random_kind_names[KIND_ANY];
	bool verbose = false;
	if (!ORACLE_OPTIONS(argc, argv, {"--seed", .number = &seed}, {"--grammars", .number = &n},
	                    {"--kind", .text = &kind_name}, {"--only", .number = &only},
	                    {"--max-failures", .number = &max_failures}, {"--conflicts-refused", .flag = &refuse_conflicts},
	                    {"--conflicts", .flag = &only_conflicts}, {"--stacks", .flag = &only_stacks},
	                    {"--bits", .number = &max_bits}, {"--walks", .number = &n_walks},
	                    {"--verbose", .flag = &verbose}))
		return 2;
	enum random_kind kind = random_kind_named(kind_name);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("seed %lu, %lu grammars, kind %s\n", (unsigned long)seed, (unsigned long)n, random_kind_names[kind]);
	for (uint64_t i = 0; i < n && all.failures < max_failures && all.bits < max_bits; i++)
		if (only == UINT64_MAX || i == only) judge(seed, i, kind, verbose);
	for (uint32_t k = 1; k < N_KINDS; k++)
		if (of_kind[k].grammars) print_tally(random_kind_names[k], &of_kind[k]);
	print_tally("all", &all);
	print_sum(&all);
	return all.failures != 0 || (only == UINT64_MAX && n && !all.compiled);
}
