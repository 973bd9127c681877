// Canonical sequences of regular languages: CartesianMerge and DirectMerge against the encoder, text by text.
//
// Random merge tables, as tokenizer.json: ranks that ascend, shuffled ones, several merges for one token,
// ignore_merges, pre-tokenizers, added tokens; random regular expressions. CANONICAL_REGULAR=N: that many of each kind.
#include "token_automaton.h"
#include "../../lib/canonical/merges.h"
#include "regex_testing.h"

#include <criterion/criterion.h>

#define MAX_TOKENS 64u
#define MAX_TEXT 32u
#define MAX_LENGTH 12u  // of texts that are looked at, all of them

struct random {
	uint64_t x;
};
static uint32_t pick(struct random *r, uint32_t n)
{
	r->x ^= r->x << 13, r->x ^= r->x >> 7, r->x ^= r->x << 17;
	return (uint32_t)(r->x >> 33) % n;
}

enum { DUPLICATES = 1, SHUFFLED = 2, WHOLE_PIECES = 4, CUTS = 8, ADDED = 16, KINDS = 32 };
struct toy {
	uint32_t kind, n_letters, n_tokens, n_merges;
	uint64_t added;  // tokens that are
	char text[MAX_TOKENS][2 * MAX_TEXT];
	struct encoder_merge merge[MAX_TOKENS];  // by rank
	struct encoder *e;
	struct vocab v;
	struct canonical c;
	struct diag d;
};

static uint32_t token_of(const struct toy *t, const char *text)
{
	for (uint32_t i = 0; i < t->n_tokens; i++)
		if (!strcmp(t->text[i], text)) return i;
	return UINT32_MAX;
}

static void random_merges(struct toy *t, struct random *r)
{
	for (uint32_t i = 0; i < t->n_letters; i++) t->text[t->n_tokens++][0] = (char)('a' + i);
	uint32_t want = 1 + pick(r, 14);
	for (uint32_t tries = 0; tries < 100 && t->n_merges < want; tries++) {
		uint32_t a = pick(r, t->n_tokens), b = pick(r, t->n_tokens);
		char text[4 * MAX_TEXT];
		snprintf(text, sizeof text, "%s%s", t->text[a], t->text[b]);
		if (strlen(text) > 8) continue;
		bool known = false;
		for (uint32_t i = 0; i < t->n_merges; i++) known |= t->merge[i].left == a && t->merge[i].right == b;
		uint32_t id = token_of(t, text);
		if (known || (id != UINT32_MAX && !(t->kind & DUPLICATES))) continue;
		if (id == UINT32_MAX) memcpy(t->text[id = t->n_tokens++], text, strlen(text) + 1);
		t->merge[t->n_merges] = (struct encoder_merge){a, b, id, t->n_merges};
		t->n_merges++;
	}
	for (uint32_t i = t->n_merges; t->kind & SHUFFLED && i > 1; i--) {
		uint32_t k = pick(r, i);
		struct encoder_merge m = t->merge[i - 1];
		t->merge[i - 1] = t->merge[k], t->merge[k] = m;
	}
	for (uint32_t i = 0; i < t->n_merges; i++) t->merge[i].rank = i;
}

// Added tokens that are looked for in texts, some of them the beginning of others or tokens of merges as well.
static void random_added(struct toy *t, struct random *r)
{
	for (uint32_t want = 1 + pick(r, 4); want; want--) {
		char text[8] = "";
		for (uint32_t i = 0, n = 2 + pick(r, 3); i < n; i++) text[i] = (char)('a' + pick(r, t->n_letters));
		uint32_t id = token_of(t, text);
		if (id == UINT32_MAX) memcpy(t->text[id = t->n_tokens++], text, sizeof text);
		t->added |= 1ull << id;
	}
}

static const char *const cuts[] = {"a+|[^a]+",    "a?b+|a+|c+",  "b(?!b)|a+|b+|c",
                                   "[ab]{1,3}|c", "ab|a|b+c?|c", "a*b|[ac]+"};

static bool open_toy(struct toy *t, struct random *r, uint32_t kind)
{
	char json[16384],
		pre[512] = "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"trim_offsets\":false,\"use_regex\":false}";
	*t = (struct toy){.kind = kind, .n_letters = 1 + pick(r, 3)};
	if (kind & CUTS) t->n_letters = 3;
	random_merges(t, r);
	if (kind & ADDED) random_added(t, r);
	if (kind & CUTS) {
		char bytes[256];
		memcpy(bytes, pre, strlen(pre) + 1);
		snprintf(pre, sizeof pre,
		         "{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Split\",\"pattern\":{\"Regex\":\"%s\"},"
		         "\"behavior\":\"Isolated\","
		         "\"invert\":false},%s]}",
		         cuts[pick(r, sizeof cuts / sizeof *cuts)], bytes);
	}
	int n = snprintf(json, sizeof json, "{\"added_tokens\":[");
	for (uint32_t i = 0, first = 1; i < t->n_tokens; i++)
		if (t->added >> i & 1)
			n += snprintf(json + n, sizeof json - (size_t)n,
			              "%s{\"id\":%u,\"content\":\"%s\",\"single_word\":false,\"lstrip\":false,\"rstrip\":false,"
			              "\"normalized\":false,\"special\":false}",
			              first ? "" : ",", i, t->text[i]),
				first = 0;
	n += snprintf(json + n, sizeof json - (size_t)n,
	              "],\"normalizer\":null,\"pre_tokenizer\":%s,\"decoder\":{\"type\":\"ByteLevel\"},"
	              "\"model\":{\"type\":\"BPE\",\"ignore_merges\":%s,\"vocab\":{",
	              pre, kind & WHOLE_PIECES ? "true" : "false");
	for (uint32_t i = 0; i < t->n_tokens; i++)
		n += snprintf(json + n, sizeof json - (size_t)n, "%s\"%s\":%u", i ? "," : "", t->text[i], i);
	n += snprintf(json + n, sizeof json - (size_t)n, "},\"merges\":[");
	for (uint32_t i = 0; i < t->n_merges; i++)
		n += snprintf(json + n, sizeof json - (size_t)n, "%s\"%s %s\"", i ? "," : "", t->text[t->merge[i].left],
		              t->text[t->merge[i].right]);
	n += snprintf(json + n, sizeof json - (size_t)n, "]}}");
	const uint8_t *bytes[MAX_TOKENS];
	uint32_t len[MAX_TOKENS];
	for (uint32_t i = 0; i < t->n_tokens; i++)
		bytes[i] = (const uint8_t *)t->text[i], len[i] = (uint32_t)strlen(t->text[i]);
	vocab_build(&(struct vocab_tokens){t->n_tokens, bytes, len, NULL, 0, NULL}, &t->v);
	t->e = encoder_parse("toy", json, (size_t)n, &t->d);
	bool good = t->e && canonical_build(t->e, &t->v, &t->d, &t->c, NULL);
	if (!good) diag_print(&t->d, stderr);
	return good;
}

static void close_toy(struct toy *t)
{
	canonical_release(&t->c);
	if (t->e) encoder_free(t->e);
	vocab_release(&t->v);
	diag_release(&t->d);
}

// --- random regular expressions
// ----------------------------------------------------------------------------------------
static void put_regex(struct random *r, uint32_t n_letters, int depth, bool finite, char *out, size_t size)
{
	char a[128] = "", b[128] = "";
	uint32_t kind = depth ? pick(r, finite ? 5 : 7) : pick(r, 2);
	if (kind >= 2) put_regex(r, n_letters, depth - 1, finite, a, sizeof a);
	if (kind == 2 || kind == 3) put_regex(r, n_letters, depth - 1, finite, b, sizeof b);
	switch (kind) {
	case 0: snprintf(out, size, "%c", 'a' + (int)pick(r, n_letters)); break;
	case 1:
		snprintf(out, size, n_letters == 1 ? "a" : "[%c%c]", 'a' + (int)pick(r, n_letters),
		         'a' + (int)pick(r, n_letters));
		break;
	case 2: snprintf(out, size, "%.100s%.100s", a, b); break;
	case 3: snprintf(out, size, "(%.60s|%.60s)", a, b); break;
	case 4: snprintf(out, size, "(%.100s){1,%u}", a, 2 + pick(r, 2)); break;
	default: snprintf(out, size, "(%.100s)%c", a, kind == 5 ? '+' : '*'); break;
	}
}

struct language {
	struct rx rx;
	struct byte_automaton dfa;
	uint32_t *next;
	uint8_t *accepts;
};

static bool open_language(struct language *l, const char *pattern)
{
	*l = (struct language){0};
	rx_open(&l->rx, pattern, 0);
	if (!l->rx.ok) return false;  // matches the empty text
	const struct byte_dfa *d = &l->rx.dfa;
	l->next = malloc(d->n_states * 256ull * 4), l->accepts = malloc(d->n_states);
	for (uint32_t q = 0; q < d->n_states; q++) {
		l->accepts[q] = d->accept[q];
		for (uint32_t b = 0; b < 256; b++)
			l->next[q * 256 + b] = dfa_step(d, q, (uint8_t)b);  // DFA_DEAD: ARTIFACT_NONE
	}
	l->dfa = (struct byte_automaton){d->n_states, 0, l->next, l->accepts};
	return true;
}

static void close_language(struct language *l)
{
	free(l->next), free(l->accepts);
	arena_release(&l->rx.arena);
	diag_release(&l->rx.d);
}

// --- text by text --------------------------------------------------------------------------------------------------
// The state behind the encoding of a text, UINT32_MAX: refused.
static uint32_t walk(const struct token_automaton *a, const uint32_t *ids, uint32_t n)
{
	uint32_t s = a->start;
	for (uint32_t i = 0; i < n && s != UINT32_MAX; i++) {
		uint32_t to = UINT32_MAX;
		for (uint32_t k = a->first[s]; k < a->first[s + 1]; k++)
			if (a->edges[k].token == ids[i]) to = a->edges[k].to;
		s = to;
	}
	return s;
}

// Sequences whose text has at most MAX_LENGTH bytes.
static uint64_t count_sequences(const struct token_automaton *a, const struct vocab *v)
{
	uint64_t *ways = calloc((size_t)a->n_states * (MAX_LENGTH + 1), sizeof *ways), sum = 0;
	if (a->n_states) ways[a->start] = 1;
	for (uint32_t len = 0; len <= MAX_LENGTH; len++)
		for (uint32_t s = 0; s < a->n_states; s++) {
			uint64_t n = ways[(size_t)len * a->n_states + s];
			sum += a->accepts[s] ? n : 0;
			for (uint32_t k = a->first[s]; k < a->first[s + 1] && n; k++) {
				uint32_t t = a->edges[k].token, longer = len + v->offset[t + 1] - v->offset[t];
				if (longer <= MAX_LENGTH) ways[(size_t)longer * a->n_states + a->edges[k].to] += n;
			}
		}
	free(ways);
	return sum;
}

// Every text of the language up to MAX_LENGTH is accepted as the encoder has it, and nothing else is. Texts looked at.
struct comparison {
	const struct toy *t;
	const struct language *l;
	const struct token_automaton *a;
	const char *pattern;
	uint64_t n_texts;
	char text[MAX_LENGTH + 1];
};
static void compare_from(struct comparison *x, uint32_t q, uint32_t len)
{
	if (x->l->accepts[q]) {
		uint32_t *ids, n;
		struct diag d = {0};
		cr_assert(encoder_encode(x->t->e, (struct encoder_text){x->text, len, true}, &ids, &n, &d));
		uint32_t s = walk(x->a, ids, n);
		cr_assert(s != UINT32_MAX && x->a->accepts[s], "/%s/ kind %u: the encoding of %.*s is refused", x->pattern,
		          x->t->kind, (int)len, x->text);
		free(ids);
		x->n_texts++;
	}
	for (uint32_t i = 0; i < x->t->n_letters && len < MAX_LENGTH; i++) {
		uint32_t to = x->l->next[q * 256 + 'a' + i];
		x->text[len] = (char)('a' + i);
		if (to != DFA_DEAD) compare_from(x, to, len + 1);
	}
}

static uint64_t compare(const struct toy *t, const struct language *l, const struct token_automaton *a,
                        const char *pattern)
{
	struct comparison x = {.t = t, .l = l, .a = a, .pattern = pattern};
	compare_from(&x, 0, 0);
	cr_assert_eq(count_sequences(a, &t->v), x.n_texts, "/%s/ kind %u: %llu sequences for %llu texts", pattern, t->kind,
	             (unsigned long long)count_sequences(a, &t->v), (unsigned long long)x.n_texts);
	return x.n_texts;
}

// The DFA as an automaton over the tokens that are one letter.
static void letters_of(const struct toy *t, const struct language *l, struct token_automaton *out)
{
	uint32_t n = l->dfa.n_states, at = 0, *first = arena_array(&out->arena, n + 1ull, 4);
	struct token_edge *edges = arena_array(&out->arena, n * t->n_letters, sizeof *edges);
	for (uint32_t q = 0; q < n; q++) {
		first[q] = at;
		for (uint32_t i = 0; i < t->n_letters; i++)
			if (l->next[q * 256 + 'a' + i] != DFA_DEAD)
				edges[at++] = (struct token_edge){i, l->next[q * 256 + 'a' + i]};
	}
	first[n] = at;
	out->n_states = n, out->n_edges = at, out->first = first, out->edges = edges, out->accepts = l->accepts;
}

struct totals {
	uint64_t regexes, texts, infinite;
};
static void check_toy(struct toy *t, struct random *r, bool finite, struct totals *sum)
{
	char pattern[256];
	struct language l;
	struct token_automaton written = {0}, cartesian = {0};
	const char *problem = NULL;
	put_regex(r, t->n_letters, 2 + (int)pick(r, 3), finite, pattern, sizeof pattern);
	if (!open_language(&l, pattern)) {
		close_language(&l);
		return;
	}
	struct product *p = product_build(&l.dfa, &t->v, &t->c, &problem);
	cr_assert(p, "/%s/ kind %u: %s", pattern, t->kind, problem);
	cr_assert(product_write_out(p, &written));
	// Only relevant states: all that is written out stays.
	automaton_minimise(&written, &cartesian);
	cr_assert_eq(product_count(p).states, written.n_states, "/%s/: %u states written", pattern, written.n_states);
	sum->texts += compare(t, &l, &cartesian, pattern), sum->regexes++;
	if (!(t->kind & (DUPLICATES | SHUFFLED | WHOLE_PIECES | CUTS | ADDED))) {
		struct token_automaton letters = {0}, direct = {0}, least = {0};
		letters_of(t, &l, &letters);
		cr_assert(direct_merge(&letters, t->merge, t->n_merges, &direct));
		automaton_minimise(&direct, &least);
		cr_assert(automaton_equal(&least, &cartesian), "/%s/: DirectMerge has %u states, CartesianMerge %u", pattern,
		          least.n_states, cartesian.n_states);
		automaton_release(&letters), automaton_release(&direct), automaton_release(&least);
	}
	automaton_release(&written), automaton_release(&cartesian);
	product_free(p);
	close_language(&l);
}

static uint32_t n_rounds(void)
{
	const char *n = getenv("CANONICAL_REGULAR");
	return n ? (uint32_t)strtoul(n, NULL, 10) : 2;
}

static struct totals check_kind(uint32_t kind, bool finite, uint64_t seed)
{
	struct random r = {seed};
	struct totals sum = {0};
	for (uint32_t i = 0; i < n_rounds(); i++) {
		struct toy t;
		cr_assert(open_toy(&t, &r, kind));
		for (uint32_t k = 0; k < 4; k++) check_toy(&t, &r, finite, &sum);
		close_toy(&t);
	}
	return sum;
}

Test(canonical_regular, plain_tables_both_algorithms)
{
	struct totals n = check_kind(0, false, 20261121);
	cr_log_info("seed 20261121: %llu expressions, %llu texts", (unsigned long long)n.regexes,
	            (unsigned long long)n.texts);
}

// Ranks in any order, tokens with several merges, whole pieces, pre-tokenizers, added tokens, and all of these
// together.
Test(canonical_regular, any_tables)
{
	for (uint32_t kind = 1; kind < KINDS; kind++) {
		struct totals n = check_kind(kind, false, 77 + kind);
		cr_log_info("kind %u, seed %u: %llu expressions, %llu texts", kind, 77 + kind, (unsigned long long)n.regexes,
		            (unsigned long long)n.texts);
	}
}

// Every text once: sequences are counted.
Test(canonical_regular, finite_languages_each_text_once)
{
	for (uint32_t kind = 0; kind < KINDS; kind += 4) check_kind(kind, true, 5 + kind);
}

// Rows of places with beginnings of added tokens are made out of other rows, which may move the table of rows.
Test(canonical_regular, rows_that_move) { check_kind(ADDED, false, 22); }
