// Random regexes against PCRE2 and against obvious algorithms. Every failure names its seed; GCDC_SEED=n runs one
// seed again, GCDC_ROUNDS=n changes how many are run.
//
// Membership: every text up to a length over a small alphabet of one to four bytes per code point.
// Lookaround: within such a text, every piece of it as a lexeme, with the rest of the text on both sides.
// Path cover: for each arc a text over it that is accepted, and for each missing arc texts that must not be.
// Laziness: a text is in when some alternative matches it and, for a lazy one, matches none of its proper prefixes.
#include <criterion/criterion.h>

#include "regex_testing.h"
#include "rng.h"

static const char *const LETTER[] = {
	"a", "b", "B", "k", "\xC3\xA9", "\xC3\x89", "\xE2\x84\xAA", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\n", "7", "_"};
#define N_LETTERS (sizeof LETTER / sizeof *LETTER)
#define ALPHABET 4
#define LONGEST 5

struct gen {
	struct rng r;
	char text[4096];
	size_t n;
	const char *letter[ALPHABET];
	bool looks, lazy, in_behind;
};

static void put(struct gen *g, const char *s)
{
	size_t n = strlen(s);
	if (g->n + n < sizeof g->text) memcpy(g->text + g->n, s, n + 1), g->n += n;
}

static void put_class(struct gen *g)
{
	static const char *const named[] = {"\\d", "\\w", "\\W", "\\D", "\\p{L}", "a-c", "\xC3\xA0-\xC3\xBF", "A-Z", "\\n"};
	put(g, pick(&g->r, 3) ? "[" : "[^");
	for (uint32_t i = pick(&g->r, 3) + 1; i; i--)
		put(g, pick(&g->r, 3) ? g->letter[pick(&g->r, ALPHABET)] : named[pick(&g->r, 9)]);
	put(g, "]");
}

static void put_alternatives(struct gen *g, uint32_t depth);

static void put_atom(struct gen *g, uint32_t depth);

static void put_look(struct gen *g, uint32_t depth)
{
	static const char *const look[] = {"(?=", "(?!", "(?<=", "(?<!"};
	static const char *const anchor[] = {"\\b", "\\B", "^", "$", "\\A", "\\Z", "(?m:^)", "(?m:$)"};
	uint32_t which = pick(&g->r, depth ? 6 : 2);
	if (which < 2) {
		put(g, anchor[pick(&g->r, 8)]);
		return;
	}
	put(g, look[which - 2]);
	if (which < 4) {
		put_alternatives(g, depth - 1);
	} else {
		g->in_behind = true;
		for (uint32_t i = pick(&g->r, 3); i; i--) put_atom(g, 0);
		g->in_behind = false;
	}
	put(g, ")");
}

static void put_atom(struct gen *g, uint32_t depth)
{
	uint32_t kind = pick(&g->r, depth ? 10 : 7);
	if (g->looks && !g->in_behind && pick(&g->r, 6) == 0) {
		put_look(g, depth);
	} else if (kind < 4) {
		put(g, g->letter[pick(&g->r, ALPHABET)]);
	} else if (kind == 4) {
		put(g, ".");
	} else if (kind < 7) {
		put_class(g);
	} else {
		put(g, pick(&g->r, 3) ? "(?:" : pick(&g->r, 2) ? "(?i:" : "(");
		put_alternatives(g, depth - 1);
		put(g, ")");
	}
}

static void put_alternatives(struct gen *g, uint32_t depth)
{
	static const char *const quantifier[] = {"*", "+", "?", "{2}", "{1,2}", "{0,2}", "{2,}", "{,2}"};
	for (uint32_t k = pick(&g->r, 3) ? 1 : 2; k; k--) {
		for (uint32_t i = pick(&g->r, 4); i; i--) {
			size_t at = g->n;
			put_atom(g, depth);
			bool is_look = (g->text[at] == '(' && g->text[at + 1] == '?' && strchr("=!<m", g->text[at + 2])) ||
			               strchr("^$", g->text[at]) || (g->text[at] == '\\' && strchr("bBAZ", g->text[at + 1]));
			if (pick(&g->r, 3) || is_look) continue;
			put(g, quantifier[pick(&g->r, 8)]);
			if (g->lazy && pick(&g->r, 3) == 0) put(g, "?");
		}
		if (k > 1) put(g, "|");
	}
}

// Some are to be found in a text: any text may stand before and behind.
static void put_pattern(struct gen *g, uint32_t depth)
{
	const uint32_t around = pick(&g->r, 8);
	if (around < 3) put(g, around ? "[\\s\\S]*(?:" : "(?:");
	put_alternatives(g, depth);
	if (around < 3) put(g, ")[\\s\\S]*");
}

static void gen_init(struct gen *g, uint64_t seed)
{
	*g = (struct gen){.r = {seed * 0x9E3779B97F4A7C15u + 1}};
	for (int i = 0; i < ALPHABET; i++) g->letter[i] = LETTER[pick(&g->r, N_LETTERS)];
}

// PCRE2 10.42 does not know {,n}; its \Z is not Python's.
static void to_pcre(const char *s, char *out)
{
	for (char before = 0; *s; before = *s++) {
		*out++ = *s == 'Z' && before == '\\' ? 'z' : *s;
		if (s[0] == '{' && s[1] == ',') *out++ = '0';
	}
	*out = 0;
}

struct judge {
	pcre2_code *re;
	pcre2_match_data *m;
	pcre2_match_context *limits;
};

static bool judge_open(struct judge *j, const char *body, uint32_t flags)
{
	char text[8192];
	to_pcre(body, text);
	int code;
	size_t offset;
	// PCRE2 10.42's start optimisations miss matches: /(?=7)(?:[\w]?[b7]{0,2})(?:7|7)/ does not find "7".
	// Without ALT_CIRCUMFLEX its (?m:^) does not hold at the end after a newline; Python's does.
	uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_NO_START_OPTIMIZE | PCRE2_ALT_CIRCUMFLEX;
	options |= (flags & TERM_I ? PCRE2_CASELESS : 0) | (flags & TERM_S ? PCRE2_DOTALL : 0);
	j->re = pcre2_compile((PCRE2_SPTR)text, strlen(text), options, &code, &offset, NULL);
	if (!j->re) return false;
	pcre2_jit_compile(j->re, PCRE2_JIT_COMPLETE);
	j->m = pcre2_match_data_create(1, NULL);
	j->limits = pcre2_match_context_create(NULL);
	pcre2_set_match_limit(j->limits, 200000);
	return true;
}

static void judge_close(struct judge *j)
{
	pcre2_code_free(j->re), pcre2_match_data_free(j->m), pcre2_match_context_free(j->limits);
}

// 1 matches as a whole, 0 does not, -1 not valid UTF-8 or PCRE2 gave up.
static int judge(const struct judge *j, const char *s, size_t n)
{
	int rc = pcre2_match(j->re, (PCRE2_SPTR)s, n, 0, PCRE2_ANCHORED | PCRE2_ENDANCHORED, j->m, j->limits);
	return rc >= 0 ? 1 : rc == PCRE2_ERROR_NOMATCH ? 0 : -1;
}

// Is text[from..to) a match within text[0..n)? One judge for each number of code points that follow.
#define RESTS (LONGEST + 1)
static bool judges_open(struct judge j[RESTS], const char *body, uint32_t flags)
{
	for (int k = 0; k < RESTS; k++) {
		char text[8300];
		snprintf(text, sizeof text, "(?:%.8000s)(?=(?s:.){%d}\\Z)", body, k);
		if (!judge_open(&j[k], text, flags)) return false;
	}
	return true;
}

static int judge_within(const struct judge j[RESTS], const char *s, size_t from, size_t to, size_t n)
{
	int rest = 0;
	for (size_t i = to; i < n; i++) rest += (s[i] & 0xC0) != 0x80;
	const struct judge *one = &j[rest];
	int rc = pcre2_match(one->re, (PCRE2_SPTR)s, n, from, PCRE2_ANCHORED, one->m, one->limits);
	return rc >= 0 ? 1 : rc == PCRE2_ERROR_NOMATCH ? 0 : -1;
}

static uint64_t env_number(const char *name, uint64_t otherwise)
{
	const char *s = getenv(name);
	return s && *s ? strtoull(s, NULL, 10) : otherwise;
}

// Calls back for every text of at most LONGEST letters, the empty one included.
typedef void visit(void *side, const char *s, size_t n);
static void all_texts(const struct gen *g, void *side, visit *v)
{
	char text[LONGEST * 4] = "";
	size_t length[LONGEST + 1] = {0};
	int choice[LONGEST + 1] = {0}, depth = 0;
	v(side, text, 0);
	while (depth >= 0) {
		if (depth < LONGEST && choice[depth] < ALPHABET) {
			const char *l = g->letter[choice[depth]++];
			memcpy(text + length[depth], l, strlen(l));
			length[depth + 1] = length[depth] + strlen(l);
			depth++;
			choice[depth] = 0;
			v(side, text, length[depth]);
		} else {
			depth--;
		}
	}
}

struct comparison {
	const struct byte_dfa *dfa;
	const struct judge *j;
	uint64_t n;
	char wrong[LONGEST * 4 + 1];
	bool failed;
};

static void compare(void *side, const char *s, size_t n)
{
	struct comparison *c = side;
	if (!n || c->failed) return;
	int want = judge(c->j, s, n);
	c->n++;
	if (want < 0 || want == rx_accepts(c->dfa, s, n)) return;
	c->failed = true;
	memcpy(c->wrong, s, n), c->wrong[n] = 0;
}

// A shortest text to each state and from each state to an accepting one.
struct paths {
	char **to, **from;
	uint32_t *to_n, *from_n;
	struct arena a;
};

static void find_paths(const struct byte_dfa *d, struct paths *p)
{
	uint32_t n = d->n_states;
	p->to = arena_array(&p->a, n, sizeof(char *)), p->from = arena_array(&p->a, n, sizeof(char *));
	p->to_n = arena_array(&p->a, n, 4), p->from_n = arena_array(&p->a, n, 4);
	p->to[0] = "";
	for (bool grew = true; grew;) {
		grew = false;
		for (uint32_t q = 0; q < n; q++) {
			if (d->accept[q] && !p->from[q]) p->from[q] = "", grew = true;
			for (uint32_t b = 0; b < 256; b++) {
				uint32_t to = dfa_step(d, q, (uint8_t)b);
				if (to == DFA_DEAD) continue;
				if (p->to[q] && !p->to[to]) {
					p->to_n[to] = p->to_n[q] + 1;
					p->to[to] = arena_strndup(&p->a, p->to[q], p->to_n[to]);
					p->to[to][p->to_n[to] - 1] = (char)b;
					grew = true;
				}
				if (p->from[to] && !p->from[q]) {
					p->from_n[q] = p->from_n[to] + 1;
					p->from[q] = arena_alloc(&p->a, p->from_n[q] + 1);
					p->from[q][0] = (char)b;
					memcpy(p->from[q] + 1, p->from[to], p->from_n[to]);
					grew = true;
				}
			}
		}
	}
}

static const char *const TAIL[] = {"",
                                   "\x80",
                                   "\xBF",
                                   "\x80\x80",
                                   "\xBF\xBF",
                                   "\x9F\x80\x80",
                                   "a",
                                   ("\xBF"
                                    "ab")};

// NULL, or the text that DFA and PCRE2 disagree on.
static const char *cover_paths(const struct byte_dfa *d, const struct judge *j, uint64_t *judged, size_t *len)
{
	static char text[1024];
	struct paths p = {0};
	find_paths(d, &p);
	const char *wrong = NULL;
	for (uint32_t q = 0; q < d->n_states && !wrong; q++) {
		bool seen[256] = {0};
		for (uint32_t b = 0; b < 256 && !wrong; b++) {
			uint32_t to = dfa_step(d, q, (uint8_t)b), n = p.to_n[q];
			if (seen[d->class_of[b]] && b % 16) continue;
			seen[d->class_of[b]] = true;
			if (n > 400 || (to != DFA_DEAD && p.from_n[to] > 400)) continue;
			memcpy(text, p.to[q], n);
			text[n++] = (char)b;
			for (uint32_t t = 0; t < (to == DFA_DEAD ? 8 : 1) && !wrong; t++) {
				uint32_t more = to == DFA_DEAD ? (uint32_t)strlen(TAIL[t]) : p.from_n[to];
				memcpy(text + n, to == DFA_DEAD ? TAIL[t] : p.from[to], more);
				int got = judge(j, text, n + more);
				++*judged;
				*len = n + more;
				if (to == DFA_DEAD ? got == 1 : got != 1 && got != -1) wrong = text;
				// A text that is accepted must be valid UTF-8: PCRE2 refuses only what is not.
				if (to != DFA_DEAD && got == -1) wrong = text;
			}
		}
	}
	arena_release(&p.a);
	return wrong;
}

static char *visible(const char *s, size_t n)
{
	static char out[4096];
	size_t k = 0;
	for (size_t i = 0; i < n && k + 5 < sizeof out; i++)
		k += (size_t)(s[i] > 32 && s[i] < 127 ? sprintf(out + k, "%c", s[i])
		                                      : sprintf(out + k, "\\x%02X", (unsigned char)s[i]));
	out[k] = 0;
	return out;
}

static uint32_t random_flags(struct gen *g) { return (pick(&g->r, 4) ? 0 : TERM_I) | (pick(&g->r, 4) ? 0 : TERM_S); }

static bool expected_refusal(struct rx *r)
{
	const char *text = diag_text(&r->d);
	return strstr(text, "matches the empty text") || strstr(text, "matches no text") || strstr(text, "REGEX_MAX_");
}

static void against_pcre2(const char *what, uint64_t rounds)
{
	uint64_t first = env_number("GCDC_SEED", 1), texts = 0, arcs = 0, compiled = 0;
	rounds = env_number("GCDC_ROUNDS", getenv("GCDC_SEED") ? 1 : rounds);
	struct regex_cache *cache = regex_cache_new();
	for (uint64_t seed = first; seed < first + rounds; seed++) {
		struct gen g;
		gen_init(&g, seed);
		uint32_t flags = random_flags(&g);
		put_pattern(&g, 3);
		struct judge j;
		if (!judge_open(&j, g.text, flags)) continue;
		struct rx r;
		rx_open_n(&r, g.text, g.n, flags, cache);
		if (!r.ok) {
			cr_expect(expected_refusal(&r), "%s, seed %llu: /%s/ is refused: %s", what, (unsigned long long)seed,
			          g.text, diag_text(&r.d));
		} else {
			compiled++;
			const char *broken = rx_check(&r.dfa);
			cr_expect(!broken, "%s, seed %llu: /%s/ flags %u: %s", what, (unsigned long long)seed, g.text, flags,
			          broken);
			struct comparison c = {.dfa = &r.dfa, .j = &j};
			all_texts(&g, &c, compare);
			texts += c.n;
			cr_expect(!c.failed, "%s, seed %llu: /%s/ flags %u: PCRE2 disagrees on \"%s\"", what,
			          (unsigned long long)seed, g.text, flags, visible(c.wrong, strlen(c.wrong)));
			size_t len = 0;
			const char *wrong = r.dfa.n_states < 600 ? cover_paths(&r.dfa, &j, &arcs, &len) : NULL;
			cr_expect(!wrong, "%s, seed %llu: /%s/ flags %u: PCRE2 disagrees on the path \"%s\"", what,
			          (unsigned long long)seed, g.text, flags, wrong ? visible(wrong, len) : "");
		}
		judge_close(&j);
		rx_close(&r);
	}
	regex_cache_free(cache);
	cr_log_info("%s: seeds %llu..%llu, %llu compiled, %llu texts, %llu paths", what, (unsigned long long)first,
	            (unsigned long long)(first + rounds - 1), (unsigned long long)compiled, (unsigned long long)texts,
	            (unsigned long long)arcs);
	cr_expect(rounds < 100 || compiled > rounds / 3, "%s: only %llu compiled", what, (unsigned long long)compiled);
}

Test(regex_random, plain_regexes_match_as_pcre2_does, .timeout = 300) { against_pcre2("plain", 300); }

struct within {
	const struct byte_dfa *dfa;
	const struct judge *j;
	char wrong[LONGEST * 4 + 1];
	size_t from, to;
	uint64_t n, matches;
	bool failed;
};

static void compare_within(void *side, const char *s, size_t n)
{
	struct within *c = side;
	for (size_t from = 0; from < n; from++) {
		for (size_t to = from + 1; to <= n && !c->failed; to++) {
			if ((s[from] & 0xC0) == 0x80 || (to < n && (s[to] & 0xC0) == 0x80)) continue;
			int want = judge_within(c->j, s, from, to, n);
			c->n++, c->matches += want == 1;
			if (want < 0 || want == rx_matches(c->dfa, s, from, to, n)) continue;
			c->failed = true;
			memcpy(c->wrong, s, n), c->wrong[n] = 0;
			c->from = from, c->to = to;
		}
	}
}

// The random alternatives alone are mostly shorter than what stands around them.
Test(regex_random, lookarounds_match_as_pcre2_does, .timeout = 300)
{
	uint64_t first = env_number("GCDC_SEED", 1), rounds = env_number("GCDC_ROUNDS", getenv("GCDC_SEED") ? 1 : 500);
	uint64_t compiled = 0, follows = 0, befores = 0, pieces = 0, matches = 0;
	struct regex_cache *cache = regex_cache_new();
	for (uint64_t seed = first; seed < first + rounds; seed++) {
		struct gen g;
		gen_init(&g, seed);
		g.looks = true;
		uint32_t flags = random_flags(&g);
		if (pick(&g.r, 3) == 0) put_look(&g, 2);
		put(&g, pick(&g.r, 2) ? "(?:" : ".(?:");
		put_pattern(&g, 2);
		put(&g, ")");
		if (pick(&g.r, 2)) put_look(&g, 2);
		struct judge j[RESTS] = {0};
		struct rx r;
		if (judges_open(j, g.text, flags)) {
			rx_open_n(&r, g.text, g.n, flags, cache);
			if (!r.ok)
				cr_expect(expected_refusal(&r), "seed %llu: /%s/ is refused: %s", (unsigned long long)seed, g.text,
				          diag_text(&r.d));
			const char *broken = r.ok ? rx_check(&r.dfa) : NULL;
			cr_expect(!broken, "seed %llu: /%s/ flags %u: %s", (unsigned long long)seed, g.text, flags, broken);
			struct within c = {.dfa = &r.dfa, .j = j};
			if (r.ok && !broken) {
				compiled++, follows += r.dfa.follow != NULL, befores += r.dfa.before.n_states > 0;
				all_texts(&g, &c, compare_within);
				pieces += c.n, matches += c.matches;
			}
			cr_expect(!c.failed, "seed %llu: /%s/ flags %u: PCRE2 disagrees on \"%s\", bytes %zu to %zu",
			          (unsigned long long)seed, g.text, flags, visible(c.wrong, strlen(c.wrong)), c.from, c.to);
			rx_close(&r);
		}
		for (int k = 0; k < RESTS; k++)
			if (j[k].re) judge_close(&j[k]);
	}
	regex_cache_free(cache);
	fprintf(stderr,
	        "lookarounds: seeds %llu..%llu, %llu compiled, %llu ask what follows, %llu what stood before, %llu pieces, "
	        "%llu match\n",
	        (unsigned long long)first, (unsigned long long)(first + rounds - 1), (unsigned long long)compiled,
	        (unsigned long long)follows, (unsigned long long)befores, (unsigned long long)pieces,
	        (unsigned long long)matches);
	cr_expect(rounds < 100 || (compiled > rounds / 4 && follows > rounds / 20 && befores > rounds / 20));
}

// Alternatives "X l? T" with X and T free of quantifiers that vary: the last quantifier is l.
struct lazy_alt {
	struct judge j[RESTS];
	bool lazy, valid;
};
struct lazy_case {
	struct lazy_alt alt[3];
	uint32_t n;
	const struct byte_dfa *dfa;
	char wrong[LONGEST * 4 + 1];
	bool failed;
};

static size_t next_code_point(const char *s, size_t n, size_t at)
{
	for (at++; at < n && (s[at] & 0xC0) == 0x80; at++) {
	}
	return at;
}

static bool lazy_matches(const struct lazy_case *c, const char *s, size_t from, size_t to, size_t n)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const struct lazy_alt *alt = &c->alt[i];
		if (judge_within(alt->j, s, from, to, n) != 1) continue;
		bool first = true;
		for (size_t at = next_code_point(s, n, from); at < to && first && alt->lazy; at = next_code_point(s, n, at))
			first = judge_within(alt->j, s, from, at, n) != 1;
		if (first) return true;
	}
	return false;
}

static void compare_lazy(void *side, const char *s, size_t n)
{
	struct lazy_case *c = side;
	for (size_t from = 0; from < n && !c->failed; from = next_code_point(s, n, from))
		for (size_t to = next_code_point(s, n, from); to <= n && !c->failed; to = next_code_point(s, n, to)) {
			if (lazy_matches(c, s, from, to, n) == rx_matches(c->dfa, s, from, to, n)) continue;
			c->failed = true;
			memcpy(c->wrong, s, n), c->wrong[n] = 0;
		}
}

Test(regex_random, lazy_alternatives_stop_at_their_first_match, .timeout = 300)
{
	uint64_t first = env_number("GCDC_SEED", 1), rounds = env_number("GCDC_ROUNDS", getenv("GCDC_SEED") ? 1 : 200);
	uint64_t compiled = 0;
	struct regex_cache *cache = regex_cache_new();
	for (uint64_t seed = first; seed < first + rounds; seed++) {
		struct gen g;
		gen_init(&g, seed + 1000003);
		uint32_t flags = random_flags(&g);
		struct lazy_case c = {.n = 1 + pick(&g.r, 3)};
		bool usable = true;
		for (uint32_t i = 0; i < c.n; i++) {
			static const char *const last[] = {"*", "+", "{1,}", "?", "{0,2}"};
			size_t from = g.n;
			g.lazy = c.alt[i].lazy = pick(&g.r, 3);  // within a greedy one it would cut: test_regex_lazy.c
			put(&g, g.letter[pick(&g.r, ALPHABET)]);
			put(&g, pick(&g.r, 2) ? "(?:" : "(");
			if (pick(&g.r, 2)) put_pattern(&g, 1);
			put(&g, ")");
			put_atom(&g, 0);
			put(&g, last[pick(&g.r, 5)]);
			if (c.alt[i].lazy) put(&g, "?");
			for (uint32_t k = pick(&g.r, 3); k; k--) put_atom(&g, 0);
			g.looks = seed % 2;
			if (g.looks && pick(&g.r, 2)) put_look(&g, 1);
			g.looks = false;
			c.alt[i].valid = judges_open(c.alt[i].j, g.text + from, flags);
			usable &= c.alt[i].valid;
			if (i + 1 < c.n) put(&g, "|");
		}
		struct rx r = {0};
		if (usable) rx_open_n(&r, g.text, g.n, flags, cache);
		if (r.ok) {
			compiled++;
			c.dfa = &r.dfa;
			const char *broken = rx_check(&r.dfa);
			cr_expect(!broken, "lazy, seed %llu: /%s/: %s", (unsigned long long)seed, g.text, broken);
			all_texts(&g, &c, compare_lazy);
			cr_expect(!c.failed, "lazy, seed %llu: /%s/ flags %u: wrong on \"%s\"", (unsigned long long)seed, g.text,
			          flags, visible(c.wrong, strlen(c.wrong)));
		}
		for (uint32_t i = 0; i < c.n; i++)
			for (int k = 0; k < RESTS; k++)
				if (c.alt[i].j[k].re) judge_close(&c.alt[i].j[k]);
		rx_close(&r);
	}
	regex_cache_free(cache);
	cr_expect(rounds < 100 || compiled > rounds / 3, "only %llu compiled", (unsigned long long)compiled);
}

// unfailable by rounds over all pairs, with UTF-8 validity judged by PCRE2's own check on real texts' bytes: the
// positions are named by how a valid sequence goes on.
static bool valid_next(const char *prefix, size_t n, uint8_t b, const struct judge *utf)
{
	// Valid when some continuation makes prefix + b valid UTF-8; only the last, unfinished code point matters.
	static const char *const tails[] = {"", "\x80", "\x80\x80", "\x80\x80\x80", "\x90\x80", "\x90\x80\x80", "\xA0\x80"};
	char text[16];
	size_t start = n;
	while (start > 0 && n - start < 3 && (prefix[start - 1] & 0xC0) == 0x80) start--;
	if (start > 0 && (prefix[start - 1] & 0xC0) == 0xC0) start--;
	memcpy(text, prefix + start, n - start);
	text[n - start] = (char)b;
	for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
		size_t t = strlen(tails[i]);
		memcpy(text + n - start + 1, tails[i], t);
		if (judge(utf, text, n - start + 1 + t) >= 0) return true;
	}
	return false;
}

Test(regex_random, unfailable_is_the_greatest_fixpoint, .timeout = 300)
{
	uint64_t first = env_number("GCDC_SEED", 1), rounds = env_number("GCDC_ROUNDS", getenv("GCDC_SEED") ? 1 : 100);
	// Prefixes that stand for the eight positions inside UTF-8.
	static const char *const position[] = {"", "\xC3", "\xE1", "\xF1", "\xE0", "\xED", "\xF0", "\xF4"};
	enum { P = 8 };
	struct judge utf;
	cr_assert(judge_open(&utf, ".*", TERM_S));
	uint8_t step[P][256];
	for (int p = 0; p < P; p++)
		for (uint32_t b = 0; b < 256; b++) {
			step[p][b] = 255;
			if (!valid_next(position[p], strlen(position[p]), (uint8_t)b, &utf)) continue;
			char text[8];
			size_t n = strlen(position[p]);
			memcpy(text, position[p], n), text[n++] = (char)b;
			for (int k = 0; k < P; k++) {  // the position that allows the same next bytes, two deep
				bool same = true;
				for (uint32_t x = 0; x < 256 && same; x++) {
					same = valid_next(text, n, (uint8_t)x, &utf) ==
					       valid_next(position[k], strlen(position[k]), (uint8_t)x, &utf);
				}
				size_t left_k = k == 0 ? 0 : k == 1 ? 1 : k == 3 || k >= 6 ? 3 : 2;
				size_t left = p == 0 ? (b < 0x80   ? 0
				                        : b < 0xE0 ? 1
				                        : b < 0xF0 ? 2
				                                   : 3)
				                     : (p == 1             ? 0
				                        : p == 3 || p >= 6 ? 2
				                                           : 1);
				if (same && left == left_k) step[p][b] = (uint8_t)k;
			}
			cr_assert(step[p][b] != 255);
		}
	struct regex_cache *cache = regex_cache_new();
	uint64_t unfailable = 0, compiled = 0;
	for (uint64_t seed = first; seed < first + rounds; seed++) {
		struct gen g;
		gen_init(&g, seed + 2000003);
		uint32_t flags = random_flags(&g);
		g.lazy = true;
		put(&g, pick(&g.r, 2) ? "a(?:" : "(?:");
		put_pattern(&g, 2);
		put(&g, pick(&g.r, 2) ? ")[\\s\\S]*?b" : ")[^b]*");
		struct rx r;
		rx_open_n(&r, g.text, g.n, flags, cache);
		uint32_t n = r.dfa.n_states;
		if (r.ok && n < 400) {
			compiled++;
			bool(*occurs)[P] = mem_calloc(n, sizeof *occurs), (*good)[P] = mem_calloc(n, sizeof *good);
			occurs[0][0] = true;
			for (bool grew = true; grew;) {
				grew = false;
				for (uint32_t q = 0; q < n; q++)
					for (uint32_t p = 0; p < P; p++)
						for (uint32_t b = 0; occurs[q][p] && b < 256; b++) {
							uint32_t to = dfa_step(&r.dfa, q, (uint8_t)b);
							if (to == DFA_DEAD || step[p][b] == 255 || occurs[to][step[p][b]]) continue;
							occurs[to][step[p][b]] = grew = true;
						}
			}
			memset(good, 1, n * sizeof *good);
			for (bool shrank = true; shrank;) {
				shrank = false;
				for (uint32_t q = 0; q < n; q++)
					for (uint32_t p = 0; p < P; p++)
						for (uint32_t b = 0; good[q][p] && b < 256; b++) {
							uint32_t to = dfa_step(&r.dfa, q, (uint8_t)b);
							if (step[p][b] == 255 || (to != DFA_DEAD && (r.dfa.accept[to] || good[to][step[p][b]])))
								continue;
							good[q][p] = false, shrank = true;
						}
			}
			for (uint32_t q = 0; q < n; q++) {
				bool want = true;
				for (uint32_t p = 0; p < P; p++) want &= !occurs[q][p] || good[q][p];
				cr_expect(want == r.dfa.unfailable[q], "unfailable, seed %llu: /%s/ flags %u: state %u",
				          (unsigned long long)seed, g.text, flags, q);
				unfailable += want;
			}
			free(occurs), free(good);
		}
		rx_close(&r);
	}
	regex_cache_free(cache);
	judge_close(&utf);
	cr_expect(rounds < 100 || (compiled > rounds / 3 && unfailable > rounds), "%llu compiled, %llu unfailable states",
	          (unsigned long long)compiled, (unsigned long long)unfailable);
}

// The same language written differently: a|b as b|a, x as (?:x), + as {1,}, through groups and back.
Test(regex_random, rewritten_regexes_give_equal_bytes, .timeout = 300)
{
	uint64_t first = env_number("GCDC_SEED", 1), rounds = env_number("GCDC_ROUNDS", getenv("GCDC_SEED") ? 1 : 100);
	struct regex_cache *cache = regex_cache_new();
	for (uint64_t seed = first; seed < first + rounds; seed++) {
		struct gen g;
		gen_init(&g, seed + 3000017);
		uint32_t flags = random_flags(&g);
		char one[400], two[400], first_way[1024], other[2400];
		put_pattern(&g, 2), snprintf(one, sizeof one, "%.390s", g.text);
		g.n = 0, g.text[0] = 0;
		put_pattern(&g, 2), snprintf(two, sizeof two, "%.390s", g.text);
		g.n = 0;
		snprintf(first_way, sizeof first_way, "a(?:%s|%s)+", one, two);
		snprintf(other, sizeof other, "a(?:(?:%s)|(%s)|(?:%s))(?:(?:%s)|(?:%s))*", two, one, two, one, two);
		struct rx a, b;
		rx_open_n(&a, first_way, strlen(first_way), flags, cache);
		rx_open_n(&b, other, strlen(other), flags, cache);
		cr_expect(a.ok == b.ok || strstr(diag_text(a.ok ? &b.d : &a.d), "REGEX_MAX_"),
		          "canonical, seed %llu: /%s/ and /%s/", (unsigned long long)seed, first_way, other);
		if (a.ok && b.ok) {
			size_t bytes = (size_t)a.dfa.n_states * a.dfa.n_classes * 4;
			cr_expect(a.dfa.n_states == b.dfa.n_states && a.dfa.n_classes == b.dfa.n_classes &&
			              !memcmp(a.dfa.next, b.dfa.next, bytes) && !memcmp(a.dfa.class_of, b.dfa.class_of, 256) &&
			              !memcmp(a.dfa.accept, b.dfa.accept, a.dfa.n_states) &&
			              !memcmp(a.dfa.unfailable, b.dfa.unfailable, a.dfa.n_states),
			          "canonical, seed %llu: /%s/ and /%s/ flags %u", (unsigned long long)seed, first_way, other,
			          flags);
		}
		rx_close(&a), rx_close(&b);
	}
	regex_cache_free(cache);
}
