// Grammars without a lexer, against a slow reading of the same tree: every text of up to N characters.
//
//   oracle_notation [--seed S] [--grammars N] [--length L] [--only K]
//
// A random tree of rules is written as GBNF and as EBNF and compiled. The oracle reads the tree itself: for each rule
// and place the set of places where it can end, and whether the rest of the text begins a text of the rule, both as a
// least fixpoint. For every text over the alphabet that is short enough gcdc must say the same, and every bit of every
// mask must be what the oracle says of the text with that token. One letter stands for all characters that no grammar
// names, so that the bits of all 256 bytes are known.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "options.h"
#include "random.h"
#include "../../lib/notation/notation.h"

#define MAX_LENGTH 8
#define N_RULES 4

static const char *const alphabet[] = {"a", "b", "\xD0\xB6", "z"};  // one of two bytes; one that no grammar names
#define N_NAMED 3
#define N_ALPHABET 4
enum { LETTER_A, LETTER_B, LETTER_TWO_BYTES, LETTER_OTHER };
#define FIRST_BYTE 0xD0u  // of the letter of two bytes
#define SECOND_BYTE 0xB6u

// Tokens behind the 256 bytes and EOS, as letters of the alphabet.
static const struct {
	const char *bytes;
	uint8_t n, letter[2];
} longer[] = {{"ab", 2, {LETTER_A, LETTER_B}},
              {"bb", 2, {LETTER_B, LETTER_B}},
              {"\xD0\xB6", 1, {LETTER_TWO_BYTES}},
              {"a\xD0\xB6", 2, {LETTER_A, LETTER_TWO_BYTES}},
              {"zb", 2, {LETTER_OTHER, LETTER_B}}};
#define N_LONGER (sizeof longer / sizeof *longer)
#define EOS 256u
#define N_TOKENS (257u + (uint32_t)N_LONGER)
#define MASK_WORDS ((N_TOKENS + 31) / 32)
#define LONGEST 2u  // letters of a token

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
		for (uint32_t i = 0; i < t->n; i++) t->letter[i] = (uint8_t)rng_below(r, N_NAMED);
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
		for (uint32_t i = 0; i < N_NAMED; i++)
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
	bool begins[N_RULES][MAX_LENGTH + 1];  // the text from there on, and perhaps more, is one of the rule
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

// Is the text from `from` on, and perhaps more behind it, a text of t?
static bool begins_in(const struct attempt *x, const struct tree *t, uint32_t from)
{
	uint32_t now = 1u << from, n = t->n;
	bool some = false;
	switch (t->kind) {
	case TREE_TEXT:
		for (uint32_t i = 0; i < n && from + i < x->len; i++)
			if (x->text[from + i] != t->letter[i]) return false;
		return x->len - from <= n;
	case TREE_SET: return from == x->len || (from + 1 == x->len && ends_of(x, t, from));
	case TREE_RULE: return x->begins[t->rule][from];
	case TREE_ALT:
		for (uint32_t i = 0; i < n; i++) some |= begins_in(x, t->child[i], from);
		return some;
	case TREE_SEQ:
	case TREE_REPEAT: break;
	}
	uint32_t times = t->kind == TREE_SEQ ? n : t->max == UINT32_MAX ? t->min + MAX_LENGTH + 1 : t->max;
	for (uint32_t i = 0; i < times && now; i++) {
		const struct tree *one = t->child[t->kind == TREE_SEQ ? i : 0];
		if (t->kind == TREE_REPEAT && i >= t->min && now >> x->len & 1) return true;
		bool goes_on = true;  // what stands behind it has texts
		for (uint32_t k = i + 1; t->kind == TREE_SEQ && k < n; k++) goes_on &= begins_in(x, t->child[k], x->len);
		uint32_t next = 0;
		for (uint32_t k = 0; k <= x->len; k++) {
			if (!(now >> k & 1)) continue;
			if (goes_on && begins_in(x, one, k)) return true;
			next |= ends_of(x, one, k);
		}
		now = next;
	}
	return false;
}

struct said {
	bool accepts, begins;
};

static struct said oracle_says(struct attempt *x, struct tree *const *rules)
{
	memset(x->ends, 0, sizeof x->ends), memset(x->begins, 0, sizeof x->begins);
	for (bool grew = true; grew;) {
		grew = false;
		for (uint32_t r = 0; r < N_RULES; r++)
			for (uint32_t k = 0; k <= x->len; k++) {
				uint32_t e = ends_of(x, rules[r], k);
				grew |= e != x->ends[r][k], x->ends[r][k] = e;
			}
	}
	for (bool grew = true; grew;) {
		grew = false;
		for (uint32_t r = 0; r < N_RULES; r++)
			for (uint32_t k = 0; k <= x->len; k++) {
				bool b = begins_in(x, rules[r], k);
				grew |= b != x->begins[r][k], x->begins[r][k] = b;
			}
	}
	return (struct said){x->ends[0][0] >> x->len & 1, x->begins[0][0]};
}

struct tally {
	uint64_t grammars, texts, accepted, bits, failures, several, empty;
};

static void bytes_of(const struct attempt *x, char *to)
{
	*to = 0;
	for (uint32_t i = 0; i < x->len; i++) strcat(to, alphabet[x->text[i]]);
}

// What the oracle says of a text; those of one length are numbered, the first letter being the lowest digit. Behind one
// that begins no text nothing is looked at.
struct verdicts {
	struct said *at[MAX_LENGTH + 1];
	uint32_t number[MAX_LENGTH + 1];  // of texts of each length
};

static bool is_looked_at(const struct verdicts *v, uint32_t len, uint32_t k)
{
	return !len || v->at[len - 1][k % v->number[len - 1]].begins;
}

static bool begins_with(const struct verdicts *v, const struct attempt *x, uint32_t n, const uint8_t *letters)
{
	uint32_t k = 0, scale = 1;
	for (uint32_t i = 0; i < x->len; i++) k += x->text[i] * scale, scale *= N_ALPHABET;
	for (uint32_t i = 0; i < n; i++) k += letters[i] * scale, scale *= N_ALPHABET;
	return v->at[x->len + n][k].begins;
}

// May the token stand behind the text, as the oracle says?
static bool token_may_follow(const struct verdicts *v, const struct attempt *x, uint32_t token, bool is_accepted)
{
	if (token == EOS) return is_accepted;
	if (token > EOS) return begins_with(v, x, longer[token - EOS - 1].n, longer[token - EOS - 1].letter);
	static const uint8_t letter[] = {LETTER_A, LETTER_B, LETTER_TWO_BYTES, LETTER_OTHER};
	const bool is_other = begins_with(v, x, 1, &letter[LETTER_OTHER]);
	if (token == 'a' || token == 'b') return begins_with(v, x, 1, &letter[token - 'a']);
	if (token == FIRST_BYTE) return is_other || begins_with(v, x, 1, &letter[LETTER_TWO_BYTES]);
	bool begins_character = token < 0x80 || (token >= 0xC2 && token <= 0xF4);
	return is_other && begins_character;
}

// Behind the first byte of the letter of two.
static bool token_may_finish(const struct verdicts *v, const struct attempt *x, uint32_t token)
{
	const uint8_t letter[] = {LETTER_TWO_BYTES, LETTER_OTHER};
	return token >= 0x80 && token < 0xC0 && begins_with(v, x, 1, &letter[token != SECOND_BYTE]);
}

static void compare_mask(gcdc_matcher *m, const struct verdicts *v, const struct attempt *x, bool is_accepted,
                         const char *grammar, struct tally *y)
{
	uint32_t mask[MASK_WORDS];
	bool is_half = !gcdc_matcher_accept_bytes(m, (const uint8_t[]){FIRST_BYTE}, 1);
	if (is_half != token_may_follow(v, x, FIRST_BYTE, is_accepted)) y->failures++;
	for (uint32_t half = is_half; half != UINT32_MAX; half--) {
		if (gcdc_matcher_fill(m, mask, MASK_WORDS, NULL)) y->failures++;
		for (uint32_t t = 0; t < N_TOKENS; t++) {
			bool expected = half ? token_may_finish(v, x, t) : token_may_follow(v, x, t, is_accepted);
			y->bits++;
			if (expected == (mask[t / 32] >> t % 32 & 1)) continue;
			char bytes[2 * MAX_LENGTH + 1];
			bytes_of(x, bytes);
			if (y->failures++ < 10)
				printf("\"%s%s\", token %u: oracle %d, of\n%s\n", bytes, half ? "\\xD0" : "", t, expected, grammar);
		}
		if (half && gcdc_matcher_rollback(m, 1)) abort();
	}
}

static void compare(gcdc_matcher *m, const struct verdicts *v, uint32_t length, const char *grammar, struct tally *y)
{
	for (uint32_t len = 0; len <= length; len++)
		for (uint32_t k = 0; k < v->number[len]; k++) {
			struct attempt x = {.len = len};
			if (!is_looked_at(v, len, k)) continue;
			for (uint32_t i = 0, rest = k; i < len; i++, rest /= N_ALPHABET) x.text[i] = (uint8_t)(rest % N_ALPHABET);
			char bytes[2 * MAX_LENGTH + 1];
			bytes_of(&x, bytes);
			struct said expected = v->at[len][k];
			gcdc_matcher_reset(m);
			bool viable = !gcdc_matcher_accept_bytes(m, bytes, strlen(bytes));
			bool said = viable && gcdc_matcher_is_completed(m);
			y->texts++, y->accepted += expected.accepts;
			if (viable && len + LONGEST <= length) compare_mask(m, v, &x, expected.accepts, grammar, y);
			if (said == expected.accepts && viable == expected.begins) continue;
			if (y->failures++ < 10)
				printf("\"%s\": oracle %d (begins %d), gcdc %d (%d), of\n%s\n", bytes, expected.accepts,
				       expected.begins, said, viable, grammar);
		}
}

// Of every text of up to `length` letters.
static void find_verdicts(struct tree *const *rules, uint32_t length, struct arena *arena, struct verdicts *v)
{
	for (uint32_t len = 0, n = 1; len <= length; len++, n *= N_ALPHABET) {
		v->number[len] = n, v->at[len] = arena_array(arena, n, sizeof *v->at[len]);
		for (uint32_t k = 0; k < n; k++) {
			struct attempt x = {.len = len};
			for (uint32_t i = 0, rest = k; i < len; i++, rest /= N_ALPHABET) x.text[i] = (uint8_t)(rest % N_ALPHABET);
			v->at[len][k] = is_looked_at(v, len, k) ? oracle_says(&x, rules) : (struct said){0};
		}
	}
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
	struct verdicts said = {0};
	find_verdicts(rules, length, &arena, &said);
	for (enum notation n = NOTATION_GBNF; n <= NOTATION_EBNF; n++) {
		struct diag d = {0};
		struct grammar g;
		struct engine e;
		if (!notation_parse(n, (struct notation_text){"random", text, len}, NULL, &d, &g)) {
			y->empty++;
			if (said.at[0][0].begins && y->failures++ < 10)
				printf("refused, but not empty: %s%s\n", text, diag_text(&d));
		} else {
			y->grammars++;
			bool several = false;
			for (uint32_t t = 0; t < g.n_terminals; t++) {
				const struct term *p = g.terminals[t].pattern;
				several |= p->kind == TERM_SEQ || p->kind == TERM_REPEAT || (p->kind == TERM_TEXT && p->text_len > 2);
			}
			y->several += several;
			gcdc_matcher *m;
			if (engine_compile(&g, v, &d, &e) != ENGINE_OK) {
				if (y->failures++ < 10) printf("%s does not compile:\n%s%s\n", notation_name[n], text, diag_text(&d));
			} else if (!gcdc_matcher_new(e.artifact, NULL, &m)) {
				compare(m, &said, length, text, y);
				gcdc_matcher_free(m);
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
	uint64_t seed = 1, grammars = 60, length = 5, only = UINT64_MAX, most_bits = 0;
	if (!ORACLE_OPTIONS(argc, argv, {"--seed", .number = &seed}, {"--grammars", .number = &grammars},
	                    {"--length", .number = &length}, {"--only", .number = &only}, {"--bits", .number = &most_bits}))
		return 2;
	const uint8_t *tokens[N_TOKENS];
	static uint8_t byte[256];
	uint32_t lengths[N_TOKENS], eos = EOS;
	for (uint32_t b = 0; b < 256; b++) byte[b] = (uint8_t)b, tokens[b] = &byte[b], lengths[b] = 1;
	tokens[EOS] = byte, lengths[EOS] = 1;
	for (uint32_t i = 0; i < N_LONGER; i++)
		tokens[EOS + 1 + i] = (const uint8_t *)longer[i].bytes,
						 lengths[EOS + 1 + i] = (uint32_t)strlen(longer[i].bytes);
	struct vocab v;
	vocab_build(&(struct vocab_tokens){N_TOKENS, tokens, lengths, NULL, 1, &eos}, &v);
	struct tally y = {0};
	for (uint32_t k = 0; most_bits ? y.bits < most_bits && y.failures < 10 : k < grammars; k++)
		if (only == UINT64_MAX || only == k) one(seed, k, length < MAX_LENGTH ? (uint32_t)length : MAX_LENGTH, &v, &y);
	vocab_release(&v);
	printf(
		"seed %llu: %llu grammars (%llu with terminals of several characters, %llu empty), %llu texts, %llu accepted, "
		"%llu bits of masks, %llu failures\n",
		(unsigned long long)seed, (unsigned long long)y.grammars, (unsigned long long)y.several,
		(unsigned long long)y.empty, (unsigned long long)y.texts, (unsigned long long)y.accepted,
		(unsigned long long)y.bits, (unsigned long long)y.failures);
	return y.failures || !y.accepted;
}
