// Grammars without a lexer, against a slow reading of the same tree: every text of up to N characters.
//
//   oracle_notation [--seed S] [--grammars N] [--length L] [--only K]
//
// A random tree of rules is written as GBNF and as EBNF and compiled. The oracle reads the tree itself: for each rule
// and place the set of places where it can end, as a least fixpoint. For every text over the alphabet that is short
// enough both must say the same.
// What the mask of a prefix has to hold is the business of the other oracles: these grammars are grammars as any.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "options.h"
#include "random.h"
#include "../../lib/notation/notation.h"

#define MAX_LENGTH 8
#define N_RULES 4

static const char *const alphabet[] = {"a", "b", "\xD0\xB6"};  // one of two bytes
#define N_ALPHABET 3

enum tree_kind { TREE_TEXT, TREE_SET, TREE_RULE, TREE_SEQ, TREE_ALT, TREE_REPEAT };
struct tree {
	enum tree_kind kind;
	uint32_t n;  // TEXT: letters; SEQ, ALT: children; SET: members as bits
	uint8_t letter[4];
	bool is_negated;
	uint32_t rule, min, max;
	struct tree *child[3];
};

static struct tree *random_tree(struct rng *r, struct arena *a, uint32_t depth)
{
	struct tree *t = arena_alloc(a, sizeof *t);
	uint32_t k = rng_below(r, 100);
	if (!depth || k < 30) {
		t->kind = TREE_TEXT, t->n = rng_percent(r, 5) ? 0 : 1 + rng_below(r, 3);
		for (uint32_t i = 0; i < t->n; i++) t->letter[i] = (uint8_t)rng_below(r, N_ALPHABET);
	} else if (k < 42)
		t->kind = TREE_SET, t->n = 1 + rng_below(r, 7), t->is_negated = rng_percent(r, 20);
	else if (k < 57)
		t->kind = TREE_RULE, t->rule = rng_below(r, N_RULES);
	else if (k < 90) {
		t->kind = k < 80 ? TREE_SEQ : TREE_ALT, t->n = 2 + rng_below(r, 2);
		for (uint32_t i = 0; i < t->n; i++) t->child[i] = random_tree(r, a, depth - 1);
	} else {
		static const uint32_t bounds[][2] = {{0, 1}, {0, UINT32_MAX}, {1, UINT32_MAX}, {2, 3}, {0, 4}};
		const uint32_t *b = bounds[rng_below(r, 5)];
		t->kind = TREE_REPEAT, t->min = b[0], t->max = b[1], t->n = 1;
		t->child[0] = random_tree(r, a, depth - 1);
	}
	return t;
}

static void write_tree(const struct tree *t, FILE *out)
{
	switch (t->kind) {
	case TREE_TEXT:
		fputc('"', out);
		for (uint32_t i = 0; i < t->n; i++) fputs(alphabet[t->letter[i]], out);
		fputc('"', out);
		break;
	case TREE_SET:
		fputs(t->is_negated ? "[^" : "[", out);
		for (uint32_t i = 0; i < N_ALPHABET; i++)
			if (t->n >> i & 1) fputs(alphabet[i], out);
		fputc(']', out);
		break;
	case TREE_RULE: fprintf(out, t->rule ? "r%u" : "root", t->rule); break;
	case TREE_SEQ:
	case TREE_ALT:
		fputc('(', out);
		for (uint32_t i = 0; i < t->n; i++) {
			if (i) fputs(t->kind == TREE_SEQ ? " " : " | ", out);
			write_tree(t->child[i], out);
		}
		fputc(')', out);
		break;
	case TREE_REPEAT:
		fputc('(', out);
		write_tree(t->child[0], out);
		fputc(')', out);
		if (t->max == UINT32_MAX)
			fprintf(out, t->min ? "+" : "*");
		else
			fprintf(out, "{%u,%u}", t->min, t->max);
		break;
	}
}

// Ends as bits: bit j of the answer: a match from `from` can end before letter j.
struct attempt {
	uint8_t text[MAX_LENGTH];
	uint32_t len;
	uint32_t ends[N_RULES][MAX_LENGTH + 1];
};

static uint32_t ends_of(const struct attempt *x, const struct tree *t, uint32_t from)
{
	uint32_t now = 1u << from, all = 0;
	switch (t->kind) {
	case TREE_TEXT:
		for (uint32_t i = 0; i < t->n; i++)
			if (from + i >= x->len || x->text[from + i] != t->letter[i]) return 0;
		return 1u << (from + t->n);
	case TREE_SET: return from < x->len && (t->n >> x->text[from] & 1) != t->is_negated ? 1u << (from + 1) : 0;
	case TREE_RULE: return x->ends[t->rule][from];
	case TREE_ALT:
		for (uint32_t i = 0; i < t->n; i++) all |= ends_of(x, t->child[i], from);
		return all;
	case TREE_SEQ:
	case TREE_REPEAT: break;
	}
	uint32_t times = t->kind == TREE_SEQ ? t->n : t->max == UINT32_MAX ? t->min + MAX_LENGTH + 1 : t->max;
	for (uint32_t i = 0;; i++) {
		if (t->kind == TREE_SEQ ? i == t->n : i >= t->min) all |= now;
		if (i == times || !now) return all;
		uint32_t next = 0;
		for (uint32_t k = 0; k <= x->len; k++)
			if (now >> k & 1) next |= ends_of(x, t->child[t->kind == TREE_SEQ ? i : 0], k);
		now = next;
	}
}

static bool oracle_accepts(struct attempt *x, struct tree *const *rules)
{
	memset(x->ends, 0, sizeof x->ends);
	for (bool grew = true; grew;) {
		grew = false;
		for (uint32_t r = 0; r < N_RULES; r++)
			for (uint32_t k = 0; k <= x->len; k++) {
				uint32_t e = ends_of(x, rules[r], k);
				grew |= e != x->ends[r][k], x->ends[r][k] = e;
			}
	}
	return x->ends[0][0] >> x->len & 1;
}

struct tally {
	uint64_t grammars, texts, accepted, failures, several, empty;
};

static void bytes_of(const struct attempt *x, char *to)
{
	*to = 0;
	for (uint32_t i = 0; i < x->len; i++) strcat(to, alphabet[x->text[i]]);
}

static void compare(struct engine *e, struct tree *const *rules, uint32_t length, const char *text, struct tally *y)
{
	gcdc_matcher *m;
	if (gcdc_matcher_new(e->artifact, NULL, &m)) abort();
	for (uint32_t len = 0; len <= length; len++) {
		uint32_t n = 1;
		for (uint32_t i = 0; i < len; i++) n *= N_ALPHABET;
		for (uint32_t k = 0; k < n; k++) {
			struct attempt x = {.len = len};
			for (uint32_t i = 0, rest = k; i < len; i++, rest /= N_ALPHABET) x.text[i] = (uint8_t)(rest % N_ALPHABET);
			char bytes[2 * MAX_LENGTH + 1];
			bytes_of(&x, bytes);
			bool expected = oracle_accepts(&x, rules);
			gcdc_matcher_reset(m);
			bool viable = !gcdc_matcher_accept_bytes(m, bytes, strlen(bytes));
			bool said = viable && gcdc_matcher_is_completed(m);
			y->texts++, y->accepted += expected;
			if (said == expected) continue;
			if (y->failures++ < 10) printf("\"%s\": oracle %d, gcdc %d, of\n%s\n", bytes, expected, said, text);
		}
	}
	gcdc_matcher_free(m);
}

static void one(uint64_t seed, uint32_t k, uint32_t length, const struct vocab *v, struct tally *y)
{
	struct rng r = {seed * 1000003 + k};
	for (int i = 0; i < 5; i++) rng_next(&r);
	struct arena arena = {0};
	struct tree *rules[N_RULES];
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	uint32_t depth = 1 + rng_below(&r, 3);
	for (uint32_t i = 0; i < N_RULES; i++) {
		rules[i] = random_tree(&r, &arena, depth);
		fprintf(f, i ? "r%u ::= " : "root ::= ", i);
		write_tree(rules[i], f);
		fputc('\n', f);
	}
	fclose(f);
	for (enum notation n = NOTATION_GBNF; n <= NOTATION_EBNF; n++) {
		struct diag d = {0};
		struct grammar g;
		struct engine e;
		if (!notation_parse(n, (struct notation_text){"random", text, len}, NULL, &d, &g)) {
			// an empty language; none of the texts may be in it
			y->empty++;
			struct attempt x = {.len = 0};
			for (; x.len <= 4; x.len++) {
				uint32_t all = 1;
				for (uint32_t i = 0; i < x.len; i++) all *= N_ALPHABET;
				for (uint32_t q = 0; q < all; q++) {
					for (uint32_t i = 0, rest = q; i < x.len; i++, rest /= N_ALPHABET)
						x.text[i] = (uint8_t)(rest % N_ALPHABET);
					if (!oracle_accepts(&x, rules)) continue;
					if (y->failures++ < 10) printf("refused, but not empty: %s%s\n", text, diag_text(&d));
				}
			}
		} else {
			y->grammars++;
			bool several = false;
			for (uint32_t t = 0; t < g.n_terminals; t++) {
				const struct term *p = g.terminals[t].pattern;
				several |= p->kind == TERM_SEQ || p->kind == TERM_REPEAT || (p->kind == TERM_TEXT && p->text_len > 2);
			}
			y->several += several;
			if (engine_compile(&g, v, &d, &e) != ENGINE_OK) {
				if (y->failures++ < 10) printf("%s does not compile:\n%s%s\n", notation_name[n], text, diag_text(&d));
			} else {
				compare(&e, rules, length, text, y);
				engine_release(&e);
			}
			grammar_release(&g);
		}
		diag_release(&d);
	}
	free(text);
	arena_release(&arena);
}

int main(int argc, char **argv)
{
	uint64_t seed = 1, grammars = 60, length = 5, only = UINT64_MAX;
	if (!ORACLE_OPTIONS(argc, argv, {"--seed", .number = &seed}, {"--grammars", .number = &grammars},
	                    {"--length", .number = &length}, {"--only", .number = &only}))
		return 2;
	const uint8_t *tokens[257];  // the last one is EOS
	static uint8_t byte[257];
	uint32_t lengths[257], eos = 256;
	for (uint32_t b = 0; b <= 256; b++) byte[b] = (uint8_t)b, tokens[b] = &byte[b], lengths[b] = 1;
	struct vocab v;
	vocab_build(&(struct vocab_tokens){257, tokens, lengths, NULL, 1, &eos}, &v);
	struct tally y = {0};
	for (uint32_t k = 0; k < grammars; k++)
		if (only == UINT64_MAX || only == k) one(seed, k, length < MAX_LENGTH ? (uint32_t)length : MAX_LENGTH, &v, &y);
	vocab_release(&v);
	printf(
		"seed %llu: %llu grammars (%llu with terminals of several characters, %llu empty), %llu texts, %llu accepted, "
		"%llu failures\n",
		(unsigned long long)seed, (unsigned long long)y.grammars, (unsigned long long)y.several,
		(unsigned long long)y.empty, (unsigned long long)y.texts, (unsigned long long)y.accepted,
		(unsigned long long)y.failures);
	return y.failures || !y.accepted;
}
