// Lazy quantifiers inside a terminal against PCRE2's own choice, on random patterns.
//
// Patterns for which the longest lexeme and the match that a backtracking engine prefers must be the same: in loops and
// alternatives that the first letter (a or b, c in an inner loop) decides, P X*? Q, then optional letters (d). From
// each place of every short text the longest lexeme must end where PCRE2's match ends. A failure names its seed;
// GCDC_SEED=n runs one seed again, GCDC_ROUNDS=n changes how many are run.
#include <criterion/criterion.h>

#include "regex_testing.h"

#define LONGEST 6
static const char LETTERS[] = "abcd";

struct gen {
	uint64_t x;
	char text[1024];
	size_t n;
};

static uint32_t pick(struct gen *g, uint32_t n)
{
	g->x = g->x * 6364136223846793005u + 1442695040888963407u;
	uint64_t z = (g->x ^ g->x >> 29) * 0x9E3779B97F4A7C15u;
	return (uint32_t)((z >> 32) % n);
}

static void put(struct gen *g, const char *s)
{
	size_t n = strlen(s);
	if (g->n + n < sizeof g->text) memcpy(g->text + g->n, s, n + 1), g->n += n;
}

static void put_one(struct gen *g)
{
	static const char *const one[] = {"a", "b", "c", "d", "[ab]", "[cd]", "[^a]", "."};
	put(g, one[pick(g, 8)]);
}

// Taking an optional letter greedily never costs length.
static void put_rest(struct gen *g)
{
	static const char *const some[] = {"d?", "d*", "d{0,2}"};
	for (uint32_t i = pick(g, 3); i; i--) put(g, some[pick(g, 3)]);
}

// Begins with `first`: P X*? Q, maybe Q+, then what is optional: letters, maybe a loop again.
static void put_part(struct gen *g, const char *first, uint32_t depth);

static void put_loop(struct gen *g, bool optional, uint32_t depth)
{
	static const char *const loop[] = {"*", "?", "{0,2}", "+", "{1,2}"};
	put(g, "(?:");
	put_part(g, depth ? "a" : "c", depth);
	if (depth) put(g, "|"), put_part(g, "b", depth);
	put(g, ")");
	put(g, loop[pick(g, optional ? 3 : 5)]);
}

static void put_part(struct gen *g, const char *first, uint32_t depth)
{
	static const char *const lazy[] = {"*?", "+?", "??", "{0,2}?", "{1,}?"};
	put(g, first);
	if (pick(g, 4)) {
		if (pick(g, 3) == 0) put_one(g);
		put_one(g), put(g, lazy[pick(g, 5)]);
		for (uint32_t i = pick(g, 3); i; i--) put_one(g);
		uint32_t end = pick(g, 5);
		if (end == 0) put(g, "d+");
		if (end == 1) put(g, pick(g, 2) ? "(?!b)" : "(?<!c)");
	}
	put_rest(g);
	if (depth && pick(g, 3) == 0) put_loop(g, true, depth - 1);
}

struct judge {
	pcre2_code *re;
	pcre2_match_data *m;
	const struct byte_dfa *dfa;
	char wrong[LONGEST + 1];
	uint64_t judged;
};

static void compare(struct judge *j, const char *s, size_t n)
{
	for (size_t from = 0; from < n && !*j->wrong; from++) {
		int r = pcre2_match(j->re, (PCRE2_SPTR)s, n, from, PCRE2_ANCHORED | PCRE2_NOTEMPTY, j->m, NULL);
		size_t end = r > 0 ? pcre2_get_ovector_pointer(j->m)[1] : from, longest = from;
		for (size_t to = from + 1; to <= n; to++)
			if (rx_matches(j->dfa, s, from, to, n)) longest = to;
		j->judged++;
		if (longest != end) memcpy(j->wrong, s, n + 1);
	}
}

static void all_texts(struct judge *j)
{
	char text[LONGEST + 1] = "";
	uint32_t total = 1;
	for (size_t n = 1; n <= LONGEST; n++) {
		total *= 4;
		for (uint32_t k = 0; k < total && !*j->wrong; k++) {
			for (size_t i = 0; i < n; i++) text[i] = LETTERS[k >> 2 * i & 3];
			text[n] = 0;
			compare(j, text, n);
		}
	}
}

static uint64_t env_number(const char *name, uint64_t otherwise)
{
	const char *s = getenv(name);
	return s ? strtoull(s, NULL, 10) : otherwise;
}

Test(regex_lazy, the_longest_lexeme_is_what_pcre2_prefers, .timeout = 300)
{
	uint64_t first = env_number("GCDC_SEED", 1), rounds = env_number("GCDC_ROUNDS", getenv("GCDC_SEED") ? 1 : 200);
	uint64_t judged = 0, compiled = 0;
	for (uint64_t seed = first; seed < first + rounds; seed++) {
		struct gen g = {.x = seed * 0x9E3779B97F4A7C15u + 1};
		if (pick(&g, 2))
			put_part(&g, "a", 2);
		else
			put_loop(&g, false, 1);
		put(&g, "d?");  // the whole does not end lazily
		struct rx r;
		rx_open(&r, g.text, 0);
		if (!r.ok) {  // matches nothing, or the empty text
			rx_close(&r);
			continue;
		}
		compiled++;
		const char *broken = rx_check(&r.dfa);
		cr_expect(!broken, "seed %llu: /%s/: %s", (unsigned long long)seed, g.text, broken);
		int code;
		PCRE2_SIZE at;
		struct judge j = {.dfa = &r.dfa};
		j.re = pcre2_compile((PCRE2_SPTR)g.text, g.n, 0, &code, &at, NULL);
		cr_assert(j.re);
		j.m = pcre2_match_data_create_from_pattern(j.re, NULL);
		all_texts(&j);
		cr_expect(!*j.wrong, "seed %llu: /%s/: wrong on \"%s\"", (unsigned long long)seed, g.text, j.wrong);
		judged += j.judged;
		pcre2_match_data_free(j.m), pcre2_code_free(j.re);
		rx_close(&r);
	}
	fprintf(stderr, "lazy: seeds %llu..%llu, %llu compiled, %llu places\n", (unsigned long long)first,
	        (unsigned long long)(first + rounds - 1), (unsigned long long)compiled, (unsigned long long)judged);
	cr_expect(rounds < 100 || compiled > rounds / 2);
}
