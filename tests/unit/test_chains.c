// Walks of the vocabulary. Chains of bounded repetitions (lexer_chains.c, walk_template.c): a walker that uses them
// finds what one finds that does not. Cuts (walk.c): only before what can begin something.
#include <criterion/criterion.h>

#include "../../lib/tables/walk.h"
#include "lexer_testing.h"

static uint64_t state = 20261122;
static uint32_t random_below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

struct fixture {
	struct lexer_fixture l;
	struct vocab v;
	uint64_t steps, plain_steps, merged_steps;  // of the walks that were compared
};

#define N_TOKENS 600u

static void random_vocab(const char *alphabet, struct vocab *v)
{
	static uint8_t text[N_TOKENS][16];
	const uint8_t *bytes[N_TOKENS + 1];
	uint32_t len[N_TOKENS + 1];
	uint8_t kind[N_TOKENS + 1];
	for (uint32_t i = 0; i < N_TOKENS; i++) {
		len[i] = 1 + random_below(i % 8 ? 4 : 16), kind[i] = TOKEN_TEXT, bytes[i] = text[i];
		for (uint32_t k = 0; k < len[i]; k++) text[i][k] = (uint8_t)alphabet[random_below((uint32_t)strlen(alphabet))];
	}
	uint32_t eos = N_TOKENS;
	bytes[eos] = (const uint8_t *)"", len[eos] = 0, kind[eos] = TOKEN_CONTROL;
	vocab_build(&(struct vocab_tokens){N_TOKENS + 1, bytes, len, kind, 1, &eos}, v);
}

// What each token of the vocabulary does, for rank r: [r * 2] the state it ends in, [r * 2 + 1] the cuts it meets,
// summed.
static void tell(struct walker *w, lex_state q, remainder_id remainder, uint64_t *does)
{
	struct outcomes o = walker_outcomes(w, q, remainder);
	for (uint32_t i = 0; i < o.n_stays; i++) {
		uint32_t n;
		rank_ranges buffer = {0};
		const struct rank_range *r = tokensets_get(w->sets, o.stays[i].tokens, &buffer, &n);
		for (uint32_t k = 0; k < n; k++)
			for (uint32_t rank = r[k].from; rank < r[k].to; rank++) {
				cr_assert_eq(does[rank * 2], 0, "a token stays twice");
				does[rank * 2] = outcomes_to(&o, i);
			}
		vec_release(&buffer);
	}
	for (uint32_t i = 0; i < o.n_cuts; i++) {
		uint32_t n;
		const trie_node *nodes = walker_nodes(w, o.cuts[i].remainder, &n);
		for (uint32_t k = 0; k < n; k++) {
			if (k) cr_assert_lt(nodes[k - 1], nodes[k]);
			uint64_t what = (uint64_t)o.cuts[i].terminal << 32 | walker_obligation(w, o.cuts[i].remainder);
			for (uint32_t rank = w->trie->rank[nodes[k]]; rank < w->trie->rank[w->trie->end[nodes[k]]]; rank++)
				does[rank * 2 + 1] += (what + 1) * 0x9e3779b97f4a7c15u * (nodes[k] + 1);
		}
	}
}

// And of what remains of tokens behind their first byte, from each state.
static void compare_rest(struct walker *w, struct walker *v, uint32_t n_states, uint64_t *want, uint64_t *got)
{
	size_t size = ((size_t)w->trie->rank[w->trie->n_nodes] + 1) * 2 * sizeof *got;
	VEC(trie_node) nodes = {0};
	for (trie_node n = 1; n < w->trie->n_nodes; n = w->trie->end[n])
		for (trie_node c = n + 1; c < w->trie->end[n]; c = w->trie->end[c]) vec_push(&nodes, c);
	remainder_id of_w = walker_remainder(w, 0, false, nodes.at, nodes.n),
				 of_v = walker_remainder(v, 0, false, nodes.at, nodes.n);
	for (lex_state q = 1; q < n_states; q++) {
		memset(want, 0, size), memset(got, 0, size);
		tell(v, q, of_v, want);
		tell(w, q, of_w, got);
		cr_assert(!memcmp(want, got, size), "state %u, behind the first byte", q);
	}
	vec_release(&nodes);
}

// States of a few classes. Some of them have one class only.
static lex_state *random_classes(const struct lexer *x)
{
	lex_state *class_of = mem_calloc(x->n_states, sizeof *class_of), first[4] = {0};
	const uint32_t n = random_below(2) ? 1 : 4;
	for (lex_state q = 1; q < x->n_states; q++) {
		lex_state *class = &first[random_below(n)];
		if (!*class) *class = q;
		class_of[q] = *class;
	}
	return class_of;
}

static bool is_in_chain(const struct lexer *x, lex_state q)
{
	const uint32_t place = x->chains.n ? x->chains.place[q] : UINT32_MAX;
	return place != UINT32_MAX && x->chains.first[place] != UINT32_MAX;
}

// What one walk tells of a whole stretch: where they do not move along the chain, tokens stay in the first of a class.
static void check_stays(struct walker *merged, lex_state q)
{
	const struct outcomes o = walker_outcomes(merged, q, REMAINDER_WHOLE);
	for (uint32_t i = o.n_moved; i < o.n_stays && o.moved; i++)
		cr_assert_eq(merged->class_of[o.stays[i].to], o.stays[i].to, "state %u", q);
}

// The number of states whose outcomes came from a template.
static uint32_t compare(struct fixture *f)
{
	struct lexer plain = f->l.x;
	struct trie plain_trie = f->v.trie;
	plain.chains = (struct lexer_chains){0};
	plain_trie.chars = NULL;
	struct tokensets sets, plain_sets;
	struct walker w, v, learned, merged;
	tokensets_init(&sets), tokensets_init(&plain_sets);
	walker_init(&w, &f->l.x, &f->v.trie, &sets);
	walker_init(&v, &plain, &plain_trie, &plain_sets);
	walker_init(&learned, &f->l.x, &f->v.trie, &sets);
	walker_learn(&learned, (struct walker_source){.walker = &w});
	walker_init(&merged, &f->l.x, &f->v.trie, &sets);
	lex_state *class_of = random_classes(&f->l.x);
	walker_merge_stays(&merged, class_of);
	free(class_of);
	uint32_t n_ranks = f->v.trie.rank[f->v.trie.n_nodes], n_chained = 0;
	uint64_t *got = mem_alloc((n_ranks + 1) * 2 * sizeof *got), *want = mem_alloc((n_ranks + 1) * 2 * sizeof *want);
	size_t size = (n_ranks + 1) * 2 * sizeof *got;
	for (lex_state i = 1; i < f->l.x.n_states; i++) {
		lex_state q = i % 2 ? i : f->l.x.n_states - i;  // far ends of chains early, too
		memset(want, 0, size), memset(got, 0, size);
		tell(&v, q, REMAINDER_WHOLE, want);
		tell(&w, q, REMAINDER_WHOLE, got);
		cr_assert(!memcmp(want, got, size), "state %u", q);
		memset(got, 0, size);
		tell(&learned, q, REMAINDER_WHOLE, got);
		cr_assert(!memcmp(want, got, size), "state %u, learned", q);
		memset(got, 0, size);
		tell(&merged, q, REMAINDER_WHOLE, got);
		for (uint32_t rank = 0; rank < n_ranks; rank++) {
			want[rank * 2] = merged.class_of[want[rank * 2]];
			got[rank * 2] = merged.class_of[got[rank * 2]];
		}
		cr_assert(!memcmp(want, got, size), "state %u, merged", q);
		check_stays(&merged, q);
		n_chained += is_in_chain(&f->l.x, q);
	}
	f->steps = w.steps, f->plain_steps = v.steps, f->merged_steps = merged.steps;
	compare_rest(&w, &v, f->l.x.n_states, want, got);
	free(got), free(want);
	walker_release(&merged), walker_release(&learned), walker_release(&v), walker_release(&w);
	tokensets_release(&sets), tokensets_release(&plain_sets);
	return n_chained;
}

// Behind a number "x" can begin, and nothing else: of the tokens that cut it, remainders hold those with an "x". Where
// nothing may follow there is no cut at all: `/[a-z ]*a[a-z ]{12}/` had a remainder of thousands of nodes a state.
static void check_cuts(const char *grammar, bool follows)
{
	static const char *const text[] = {"0", "x", "y", "0x", "0y", "00xy", "00yx"};
	enum { N = sizeof text / sizeof *text };
	struct fixture f;
	cr_assert(lexer_of(&f.l, grammar, follows), "%s", diag_text(&f.l.d));
	vocab_build(
		&(struct vocab_tokens){N, (const uint8_t *const *)text, (const uint32_t[]){1, 1, 1, 2, 2, 4, 4}, NULL, 0, NULL},
		&f.v);
	struct tokensets sets;
	struct walker w;
	tokensets_init(&sets);
	walker_init(&w, &f.l.x, &f.v.trie, &sets);
	lex_state q = lexer_next(&f.l.x, f.l.x.start[0], '0') & LEX_STATE_MASK;
	struct outcomes o = walker_outcomes(&w, q, REMAINDER_WHOLE);
	cr_assert_eq(o.n_cuts, follows ? 1 : 0, "%s: %u cuts", grammar, o.n_cuts);
	uint32_t n = 0;
	const trie_node *nodes = follows ? walker_nodes(&w, o.cuts[0].remainder, &n) : NULL;
	cr_assert_eq(n, follows ? 3 : 0, "%s: %u nodes", grammar, n);
	for (uint32_t i = 0; i < n; i++) cr_assert_eq(f.v.trie.byte[nodes[i]], 'x');
	walker_release(&w);
	tokensets_release(&sets);
	vocab_release(&f.v);
	lexer_release(&f.l);
}

Test(walks, cuts_are_before_what_can_begin)
{
	check_cuts("start: A \"x\"\nA: /[0-9]+/\n", true);
	check_cuts("start: A\nA: /[0-9]+/\n", false);
}

#define N_WORDS 3000u

// Words of whole characters, a few of which end in the middle of one, or begin there.
static void words_vocab(struct vocab *v)
{
	static const char *const letters[] = {"a",
	                                      "b",
	                                      "k",
	                                      "Z",
	                                      "7",
	                                      " ",
	                                      ".",
	                                      "\n",
	                                      "\t",
	                                      "\"",
	                                      "\\",
	                                      "\xc3\xa4",
	                                      "\xc2\x80",
	                                      "\xe0\xa0\x80",
	                                      "\xe2\x82\xac",
	                                      "\xed\x9f\xbf",
	                                      "\xf0\x90\x80\x80",
	                                      "\xf4\x8f\xbf\xbf",
	                                      "\xed\xa0\x80",
	                                      "\xc0",
	                                      "\xff"};
	static uint8_t text[N_WORDS][40];
	static const uint8_t *bytes[N_WORDS];
	static uint32_t len[N_WORDS];
	for (uint32_t i = 0; i < N_WORDS; i++) {
		bytes[i] = text[i], len[i] = 0;
		for (uint32_t n = 1 + random_below(6); n; n--) {
			const uint32_t some = random_below(20) ? 5 + random_below(2) * 13 : sizeof letters / sizeof *letters;
			const char *letter = letters[random_below(some)];
			memcpy(text[i] + len[i], letter, strlen(letter));
			len[i] += (uint32_t)strlen(letter);
		}
		const uint32_t off = random_below(30) ? 0 : 1;
		if (off && random_below(2)) bytes[i]++;
		if (len[i] > 1) len[i] -= off;
	}
	vocab_build(&(struct vocab_tokens){N_WORDS, bytes, len, NULL, 0, NULL}, v);
}

Test(walks, what_is_passed_over_does_what_walks_tell)
{
	static const char *const grammars[] = {"start: S\nS: \"\\\"\" /[^\"\\\\\\x00-\\x1f]*/ \"\\\"\"\n",
	                                       "start: A+\nA: /[^.]*[.]/\n",
	                                       "start: A+\nA: /[a-z]+/\n%ignore /[^a-z]/\n",
	                                       "start: A\nA: /[^\xc3\xa4k]*k/\n",
	                                       "start: A\nA: /[ -\xc2\x80]*[.]/\n",
	                                       "start: A B\nA: /[^7]*7/\nB: /(a|[^a])+/\n",
	                                       "start: A\nA: /[a-zA-Z0-9]*[.]/\n",
	                                       "start: A\nA: /[^.]*kab[^.]*[.]/\n"};
	fprintf(stderr, "seed %llu\n", (unsigned long long)state);
	for (uint32_t i = 0; i < sizeof grammars / sizeof *grammars; i++) {
		struct fixture f;
		cr_assert(lexer_of(&f.l, grammars[i], true), "%s", diag_text(&f.l.d));
		words_vocab(&f.v);
		compare(&f);
		cr_expect_lt(f.steps, f.plain_steps, "%s: nothing was passed over", grammars[i]);
		vocab_release(&f.v);
		lexer_release(&f.l);
	}
}

#define LONGEST 10u

// All words of two letters.
static void all_words(struct vocab *v)
{
	static uint8_t text[2 << LONGEST][LONGEST];
	static const uint8_t *bytes[2 << LONGEST];
	static uint32_t len[2 << LONGEST];
	uint32_t n = 0;
	for (uint32_t l = 1; l <= LONGEST; l++)
		for (uint32_t word = 0; word < 1u << l; word++, n++) {
			for (uint32_t k = 0; k < l; k++) text[n][k] = word >> k & 1 ? 'a' : 'b';
			bytes[n] = text[n], len[n] = l;
		}
	vocab_build(&(struct vocab_tokens){n, bytes, len, NULL, 0, NULL}, v);
}

// Three states that letters lead round: each finds the sets that the others find, of other states.
Test(walks, states_that_go_on_alike_find_what_steps_find)
{
	struct fixture f;
	struct tokensets sets;
	struct walker w;
	fprintf(stderr, "seed %llu\n", (unsigned long long)state);
	cr_assert(lexer_of(&f.l, "start: A\nA: /([ab][ab][ab])*7/\n", true), "%s", diag_text(&f.l.d));
	all_words(&f.v);
	tokensets_init(&sets);
	walker_init(&w, &f.l.x, &f.v.trie, &sets);
	uint64_t *does = mem_alloc(f.v.n_ranks * 2 * sizeof *does);
	for (lex_state q = 1; q < f.l.x.n_states; q++) {
		memset(does, 0, f.v.n_ranks * 2 * sizeof *does);
		tell(&w, q, REMAINDER_WHOLE, does);
		for (uint32_t rank = 0; rank < f.v.n_ranks; rank++) {
			const token_id t = f.v.token_of[rank];
			lex_state at = q;
			for (uint32_t k = f.v.offset[t]; k < f.v.offset[t + 1] && at; k++)
				at = lexer_next(&f.l.x, at, f.v.bytes[k]) & LEX_STATE_MASK;
			cr_assert_eq(does[rank * 2], at, "state %u, token %u", q, t);
		}
	}
	cr_expect_gt(w.ropes.entries.n, 3, "nothing was shared");
	free(does);
	walker_release(&w);
	tokensets_release(&sets);
	vocab_release(&f.v);
	lexer_release(&f.l);
}

struct kind {
	const char *grammar, *alphabet;
	uint32_t least;  // percent of the states that chains are made of
};

static const struct kind kinds[] = {
	{"start: S\nS: \"\\\"\" C~0..60 \"\\\"\"\n"
     "C: /[^\"\\\\]/ | \"\\\\\" (/[\"nt]/ | \"u\" /[0-9a-f]{4}/)",
     "ab\"\\u0\xc3\xa4\xe2\x82\xac", 90},
	{"start: S\nS: \"\\\"\" /[a-z]/~20..60 \"\\\"\"", "ab\"\"c", 60},
	{"start: A B\nA: /[a-f]{1,40}/\nB: /[a-c]{2,30}x/\n%ignore \" \"", "abcdx ", 50},
	{"start: A+\nA: /(([a-z]{1,9} ){1,8}\\.){1,6}/", "ab .", 50},
	{"start: A+\nA: /([0-9a-f][0-9a-f]:){3,50}/", "0a1:", 50},
	{"start: A\nA: /x{64}/\n", "xy", 30},
	{"start: A \"ab\"\nA: /a{1,50}b{0,40}/\n%ignore /[^a]{1,50}/", "abc ", 50},
	{"start: (A | B)+\nA: /a(?=[^b]|$)[a-d]{0,40}/\nB: /[ab]{1,45}/", "abcd", 0},
};

Test(chains, tell_what_walks_tell)
{
	fprintf(stderr, "seed %llu\n", (unsigned long long)state);
	for (uint32_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct fixture f;
		cr_assert(lexer_of(&f.l, kinds[i].grammar, true), "%s", diag_text(&f.l.d));
		random_vocab(kinds[i].alphabet, &f.v);
		uint32_t n = compare(&f);
		cr_expect_geq(100 * n, kinds[i].least * f.l.x.n_states, "%s: %u of %u states in chains", kinds[i].grammar, n,
		              f.l.x.n_states);
		vocab_release(&f.v);
		lexer_release(&f.l);
	}
}

// Random repetitions of random classes, one in the other.
static void random_regex(char *to, size_t size, uint32_t depth)
{
	static const char *const classes[] = {"[ab]", "a", "[^ab]", "(ab|c)", "[bc]", "c"};
	to[0] = 0;
	for (uint32_t n = 1 + random_below(3); n; n--) {
		char inner[200], piece[260];
		if (depth && !random_below(2))
			random_regex(inner, 60, depth - 1);
		else
			snprintf(inner, sizeof inner, "%s", classes[random_below(6)]);
		uint32_t least = random_below(2) ? random_below(6) : 0, most = least + 1 + random_below(depth ? 3 : 24);
		snprintf(piece, sizeof piece, "(%s){%u,%u}", inner, least, most);
		if (strlen(to) + strlen(piece) + 1 < size) strcat(to, piece);
	}
}

Test(chains, tell_what_walks_tell_of_random_terminals)
{
	fprintf(stderr, "seed %llu\n", (unsigned long long)state);
	uint32_t chained = 0;
	for (uint32_t round = 0; round < 16; round++) {
		char a[240], b[240], text[600];
		random_regex(a, sizeof a, round % 3 == 0), random_regex(b, sizeof b, 0);
		snprintf(text, sizeof text, "start: (A | B)+\nA: /a?%s;/\nB: /b?%s!/\n%%ignore \" \"", a, b);
		if (strstr(text, "//")) continue;
		struct fixture f;
		if (!lexer_of(&f.l, text, true)) {
			lexer_release(&f.l);
			continue;
		}
		random_vocab("aabbc ;", &f.v);
		if (f.l.x.n_states < 2500) chained += compare(&f) != 0;
		vocab_release(&f.v);
		lexer_release(&f.l);
	}
	cr_expect_gt(chained, 4, "%u", chained);
}

// Tokens of one to 24 random characters, some of which are cut in the middle.
static void vocab_of_characters(struct vocab *v)
{
	static const char *const characters[] = {
		"a", "b", "e", "\xc3\xa9", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\"", "\\", ";"};
	static uint8_t text[N_TOKENS][128];
	const uint8_t *bytes[N_TOKENS];
	uint32_t len[N_TOKENS], n = 0, some = 2 + random_below(6);
	uint8_t kind[N_TOKENS];
	for (; n < N_TOKENS; n++) {
		len[n] = 0, kind[n] = TOKEN_TEXT, bytes[n] = text[n];
		for (uint32_t k = 1 + random_below(n % 3 ? 6 : 24); k; k--) {
			const char *c = characters[random_below(20) ? random_below(some) : random_below(10)];
			memcpy(text[n] + len[n], c, strlen(c));
			len[n] += (uint32_t)strlen(c);
		}
		if (!random_below(12) && len[n] > 1) len[n]--;
	}
	vocab_build(&(struct vocab_tokens){n, bytes, len, kind, 0, NULL}, v);
}

// Where each character moves along by one link, tokens are counted (walk_chars.c); where some do not, they are walked.
Test(chains, characters_are_counted_as_walks_tell)
{
	static const char *const classes[] = {"[^\"]",
	                                      "[^\"\\\\]",
	                                      "[a-f]",
	                                      "[ab\\u00e9]",
	                                      "[^b\"]",
	                                      "(a|\\u00e9)",
	                                      "[\\u00e0-\\u00ff]",
	                                      "(a|bb)",
	                                      "(.|\\u00e9b)",
	                                      "[^\\u00e4]",
	                                      "[a-z\\u20ac]",
	                                      "(a|b\\b)",
	                                      "[^a-f\"]",
	                                      ".",
	                                      "([a-f][a-d])",
	                                      "([^\"][^\\u00e4]e)"};
	static const char *const ends[] = {"\"", ";", "", "[ab]", "\\u00e9?"};
	fprintf(stderr, "seed %llu\n", (unsigned long long)state);
	uint32_t chained = 0;
	for (uint32_t round = 0; round < 240; round++) {
		char text[400];
		const uint32_t least = random_below(3) ? 0 : random_below(9), most = least + 5 + random_below(24);
		const char *const class = classes[random_below(16)], *const end = ends[random_below(5)];
		if (random_below(4))
			snprintf(text, sizeof text, "start: A (\";\" A)*\nA: /\"%s{%u,%u}%s/\n", class, least, most, end);
		else
			snprintf(text, sizeof text, "start: (A | B)+\nA: /\"%s{%u,%u}%s/\nB: /;%s{0,%u}!/\n", class, least, most,
			         end, classes[random_below(16)], most);
		struct fixture f;
		if (!lexer_of(&f.l, text, true)) {
			lexer_release(&f.l);
			continue;
		}
		vocab_of_characters(&f.v);
		if (f.l.x.n_states < 1200) chained += compare(&f) != 0;
		vocab_release(&f.v);
		lexer_release(&f.l);
	}
	cr_expect_gt(chained, 90, "%u", chained);
}
