// Control tokens: every bit of masks of random grammars that name some, against the oracle, which knows none.
//
// In:  --seed S, --grammars N (--bits N: until masks have N bits), --only I. Out: counts; exit 1 at a difference.
// Each random grammar is written twice. In the one that gcdc compiles some symbols of its rules are control tokens,
// <[7]>. In the one that the oracle reads they are terminals of a character of their own (U+10F000 and on), which no
// other terminal matches: classes that say what they do not have leave these out, too. The vocabulary of the first has
// the control tokens, that of the second tokens of these characters in their place. By docs/language.md both have the
// same masks, and the same costs. Nothing is unfailable among control tokens; nor is it in the second grammar, where
// the characters make any lexeme fail.
#include "engine.h"
#include "options.h"
#include "random.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_CONTROL 3u
#define PRIVATE "\xF4\x8F\x80"  // and 0x80 + k: U+10F000 + k
#define BUDGET 3000
#define STEPS 10
#define WALKS 4

struct tally {
	uint64_t grammars, skipped, positions, bits, control_bits, costs, unknown, failures;
};

static uint32_t first_control;  // its id in this vocabulary

// "<[12-13]>", or the characters. A token of several sets is read as each of them: so in the twin each token is a
// terminal, and a set of several a rule (set_rules).
static const char *symbol(struct arena *a, uint32_t from, uint32_t to, bool twin)
{
	if (!twin && from == to) return arena_printf(a, "<[%u]>", first_control + from);
	if (!twin) return arena_printf(a, "<[%u-%u]>", first_control + from, first_control + to);
	if (from == to) return arena_printf(a, "/[" PRIVATE "%c]/", (char)(0x80 + from));
	return arena_printf(a, "set_%u_%u", from, to);
}

// The rules of the sets that the text names.
static const char *set_rules(struct arena *a, const char *text)
{
	const char *rules = "";
	for (uint32_t from = 0; from + 1 < N_CONTROL; from++) {
		const char *name = symbol(a, from, from + 1, true);
		if (!strstr(text, name)) continue;
		rules = arena_printf(a, "%s%s: %s | %s\n", rules, name, symbol(a, from, from, true),
		                     symbol(a, from + 1, from + 1, true));
	}
	return rules;
}

static bool is_terminal_line(const struct lark_line *l)
{
	return isupper((unsigned char)l->head[0]) || l->head[0] == '%';
}

// Symbols of rules by lot: the same in both.
static void put_control(struct rng *r, struct lark *l, bool twin)
{
	for (uint32_t i = 0; i < l->lines.n; i++) {
		struct lark_line *line = &l->lines.at[i];
		for (uint32_t k = 0; k < line->n_alternatives && !is_terminal_line(line); k++)
			for (uint32_t s = 0; s < line->alternatives[k].n_symbols; s++) {
				uint32_t lot = rng_below(r, 100), from = rng_below(r, N_CONTROL), to = from;
				if (lot % 3 == 0 && from + 1 < N_CONTROL) to++;
				const char **at = &line->alternatives[k].symbols[s];
				if (strchr(*at, '(') || strchr(*at, ')')) continue;
				const char *c = symbol(&l->arena, from, to, twin);
				if (lot < 15)
					*at = c;
				else if (lot < 30)
					*at = arena_printf(&l->arena, "%s %s", c, *at);
			}
		bool ignores = line->n_alternatives == 0 && !strncmp(line->head, "%ignore ", 8);
		if (ignores && rng_below(r, 100) < 10)
			line->head = arena_printf(&l->arena, "%%ignore %s", symbol(&l->arena, 0, 0, twin));
	}
}

static const char *replaced(struct arena *a, const char *text, const char *what, const char *by)
{
	const char *at;
	const char *out = "";
	for (; (at = strstr(text, what)); text = at + strlen(what))
		out = arena_printf(a, "%s%.*s%s", out, (int)(at - text), text, by);
	return arena_printf(a, "%s%s", out, text);
}

#define ALL_PRIVATE PRIVATE "\x80-" PRIVATE "\xBF"

// The text that the oracle reads; NULL: one with a dot, whose meaning would take a parser to change.
static const char *without_private(struct arena *a, const char *text)
{
	text = replaced(a, text, "/./", "/[^\\n]/");
	for (const char *c = text; (c = strchr(c, '/')); c++) {
		for (c++; *c && *c != '/' && *c != '\n'; c += 1 + (*c == '\\'))
			if (*c == '.') return NULL;
		if (!*c) break;
	}
	if (strstr(text, "\\W") || strstr(text, "\\D") || strstr(text, "\\b") || strstr(text, "\\B")) return NULL;
	text = replaced(a, text, "[\\s\\S]", "[^]");
	text = replaced(a, text, "[^", "[^" ALL_PRIVATE);
	if (strstr(text, "\\S")) return NULL;
	return text;
}

struct both {
	struct grammar grammar, twin;
	struct vocab vocab, twin_vocab;
	struct oracle oracle;
	struct engine engine, twin_engine;
	struct diag diag;
	struct arena arena;
	bool has_grammar, has_twin, has_oracle, has_costs;
};

static void build_vocabs(struct both *b, const struct words *w)
{
	const uint8_t *bytes[256] = {(const uint8_t *)""};
	static uint8_t own[N_CONTROL][4];
	uint32_t len[256] = {0}, n = 1, eos = 0;
	uint8_t kind[256] = {TOKEN_CONTROL};
	for (uint32_t i = 0; i < w->at.n && n < 200; i++) {
		const struct word *x = &w->at.at[i];
		if (memchr(x->bytes, 0xF4, x->len)) continue;
		bytes[n] = x->bytes, len[n] = x->len, kind[n++] = TOKEN_TEXT;
	}
	ASSERT(first_control >= n);
	for (; n < first_control; n++) kind[n] = TOKEN_UNUSED, bytes[n] = bytes[0];
	for (uint32_t k = 0; k < N_CONTROL; k++, n++) {
		memcpy(own[k], PRIVATE, 3), own[k][3] = (uint8_t)(0x80 + k);
		bytes[n] = own[k], len[n] = 4, kind[n] = TOKEN_TEXT;
	}
	vocab_build(&(struct vocab_tokens){n, bytes, len, kind, 1, &eos}, &b->twin_vocab);
	for (uint32_t k = first_control; k < n; k++) kind[k] = TOKEN_CONTROL, len[k] = 0;
	vocab_build(&(struct vocab_tokens){n, bytes, len, kind, 1, &eos}, &b->vocab);
}

static bool open_both(struct both *b, uint64_t seed, struct tally *y, const char **text)
{
	*b = (struct both){0};
	struct rng r = {seed};
	struct lark l = {0}, twin = {0};
	first_control = 200;
	for (int i = 0; i < 3; i++) rng_next(&r);
	struct rng again = r;
	random_grammar(&r, &l), random_grammar(&again, &twin);
	struct rng lots = r;
	put_control(&r, &l, false), put_control(&lots, &twin, true);
	*text = lark_text(&l, &b->arena);
	const char *other = lark_text(&twin, &b->arena);
	other = without_private(&b->arena, arena_printf(&b->arena, "%s%s", other, set_rules(&b->arena, other)));
	bool ok = other && strstr(*text, "<[");
	if (ok) ok = b->has_grammar = grammar_parse("a.lark", *text, strlen(*text), NULL, &b->diag, &b->grammar);
	if (ok) ok = b->has_twin = grammar_parse("b.lark", other, strlen(other), NULL, &b->diag, &b->twin);
	// What no rule reaches is not in the grammar; then this one names none.
	control_ids ids = {0};
	if (ok) grammar_control(&b->grammar, &ids), ok = ids.n != 0;
	vec_release(&ids);
	if (ok) {
		struct words w;
		random_words(&r, &twin, &b->twin, &w);
		build_vocabs(b, &w);
		vec_release(&w.at);
		ok = b->has_oracle = oracle_init(&b->oracle, &b->twin, &b->twin_vocab, &b->diag);
	}
	if (ok) {
		enum engine_result result = engine_compile(&b->grammar, &b->vocab, &b->diag, &b->engine);
		ok = result == ENGINE_OK;
		if (result == ENGINE_BROKEN && ++y->failures) printf("broken: %s\n%s\n", diag_text(&b->diag), *text);
		if (result == ENGINE_REFUSED && strstr(diag_text(&b->diag), "no text is in this language") &&
		    oracle_viable(&b->oracle, oracle_start(&b->oracle), BUDGET) == VERDICT_VIABLE && ++y->failures)
			printf("refused as empty:\n%s\n", *text);
	}
	// Costs of both as gcdc has them: oracle_budget.c judges those without control tokens.
	b->has_costs = ok && engine_compile(&b->twin, &b->twin_vocab, &b->diag, &b->twin_engine) == ENGINE_OK;
	lark_release(&l), lark_release(&twin);
	return ok;
}

static void release_both(struct both *b)
{
	if (b->has_oracle) oracle_release(&b->oracle);
	if (b->has_twin) grammar_release(&b->twin);
	if (b->has_grammar) grammar_release(&b->grammar);
	engine_release(&b->engine), engine_release(&b->twin_engine);
	vocab_release(&b->vocab), vocab_release(&b->twin_vocab);
	diag_release(&b->diag);
	arena_release(&b->arena);
}

// Every bit here. *next: a token by lot among those allowed; 0: none.
static bool compare(struct both *b, gcdc_matcher *m, uint32_t config, struct rng *r, struct tally *y, uint32_t *next)
{
	uint32_t mask[8] = {0}, words = (b->vocab.n_tokens + 31) / 32, n = 0;
	gcdc_status status = gcdc_matcher_fill(m, mask, words, NULL);
	*next = 0, y->positions++;
	if (status) {
		printf("no mask: %s\n", gcdc_status_text(status));
		return false;
	}
	for (uint32_t t = 0; t < b->vocab.n_tokens; t++) {
		const struct vocab *v = &b->twin_vocab;
		bool allowed = mask_bit(mask, t), is_text = v->kind[t] == TOKEN_TEXT;
		uint32_t len = v->offset[t + 1] - v->offset[t];
		if (is_text && t >= first_control) y->control_bits++;
		y->bits++;
		if (!t || !is_text || !len) {
			bool wanted = !t && oracle_complete(&b->oracle, config);
			if (allowed != wanted && !(allowed && b->oracle.configs.at[config]->is_cut)) {
				printf("token %u: engine %d, oracle %d\n", t, allowed, wanted);
				return false;
			}
			continue;
		}
		uint32_t to = oracle_step(&b->oracle, config, v->bytes + v->offset[t], len);
		enum verdict verdict = to == CONFIG_DEAD ? VERDICT_DEAD : oracle_viable(&b->oracle, to, BUDGET);
		if (verdict == VERDICT_UNKNOWN) {
			y->unknown++;
		} else if ((verdict == VERDICT_VIABLE) != allowed) {
			printf("token %u '%.*s': engine %d, oracle %d\n", t, (int)len, (const char *)v->bytes + v->offset[t],
			       allowed, !allowed);
			return false;
		}
		if (allowed && rng_below(r, ++n) == 0) *next = t;
	}
	for (uint32_t t = 0; t < b->vocab.n_tokens; t++) {
		status = gcdc_matcher_accept(m, t);
		if ((status == GCDC_OK) != mask_bit(mask, t) || (!status && gcdc_matcher_rollback(m, 1))) {
			printf("accept(%u): %s\n", t, gcdc_status_text(status));
			return false;
		}
	}
	return true;
}

// The fewest tokens to an end.
static bool same_cost(gcdc_matcher *m, gcdc_matcher *twin, struct tally *y)
{
	uint32_t cost = 0, other = 0;
	gcdc_status status = gcdc_matcher_min_tokens(m, true, &cost), there = gcdc_matcher_min_tokens(twin, true, &other);
	if (status == GCDC_OK && there == GCDC_OK) y->costs++;
	if (status == there && (status || cost == other)) return true;
	printf("costs: %u (%s), twin %u (%s)\n", cost, gcdc_status_text(status), other, gcdc_status_text(there));
	return false;
}

static bool walk(struct both *b, struct rng *r, struct tally *y)
{
	gcdc_matcher *m, *twin = NULL;
	if (gcdc_matcher_new(b->engine.artifact, NULL, &m)) return false;
	if (b->has_costs && gcdc_matcher_new(b->twin_engine.artifact, NULL, &twin)) return false;
	uint32_t config = oracle_start(&b->oracle), next, path[STEPS], n = 0;
	bool same = true;
	for (; n < STEPS && same; n++) {
		same = compare(b, m, config, r, y, &next) && (!twin || same_cost(m, twin, y));
		if (!same || !next) break;
		const struct vocab *v = &b->twin_vocab;
		path[n] = next;
		config = oracle_step(&b->oracle, config, v->bytes + v->offset[next], v->offset[next + 1] - v->offset[next]);
		same = config != CONFIG_DEAD && gcdc_matcher_accept(m, next) == GCDC_OK &&
		       (!twin || gcdc_matcher_accept(twin, next) == GCDC_OK);
	}
	if (!same) {
		printf("behind:");
		for (uint32_t i = 0; i < n; i++)
			printf(" %u'%.*s'", path[i], (int)(b->vocab.offset[path[i] + 1] - b->vocab.offset[path[i]]),
			       (const char *)b->vocab.bytes + b->vocab.offset[path[i]]);
		printf("\n");
	}
	gcdc_matcher_free(m);
	if (twin) gcdc_matcher_free(twin);
	return same;
}

int main(int argc, char **argv)
{
	uint64_t seed = 1, grammars = 300, only = UINT64_MAX, most_bits = 0;
	if (!ORACLE_OPTIONS(argc, argv, {"--seed", .number = &seed}, {"--grammars", .number = &grammars},
	                    {"--only", .number = &only}, {"--bits", .number = &most_bits}))
		return 2;
	struct tally y = {0};
	engine_costs = 2;
	for (uint64_t k = 0; (most_bits ? y.bits < most_bits : k < grammars) && y.failures < 10; k++) {
		if (only != UINT64_MAX && only != k) continue;
		struct both b;
		const char *text = NULL;
		struct rng r = {seed * 1000003 + k};
		bool ok = open_both(&b, seed * 7919 + k, &y, &text);
		y.grammars += ok, y.skipped += !ok;
		for (uint32_t w = 0; w < WALKS && ok; w++) {
			ok = walk(&b, &r, &y);
			if (!ok && ++y.failures)
				printf("--seed %llu --only %llu:\n%s\n", (unsigned long long)seed, (unsigned long long)k, text);
		}
		release_both(&b);
	}
	printf("seed %llu: %llu grammars (%llu not comparable), %llu positions, %llu bits, %llu of control tokens, %llu "
	       "costs, %llu not decided, "
	       "%llu failures\n",
	       (unsigned long long)seed, (unsigned long long)y.grammars, (unsigned long long)y.skipped,
	       (unsigned long long)y.positions, (unsigned long long)y.bits, (unsigned long long)y.control_bits,
	       (unsigned long long)y.costs, (unsigned long long)y.unknown, (unsigned long long)y.failures);
	return y.failures || !y.grammars;
}
