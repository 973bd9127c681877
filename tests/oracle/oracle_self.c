// The oracle tested by itself, without the engine: each fast-ish form against a slower and more obvious one.
//
// 1. Earley: sentences and prefixes against enumerated derivations.
// 2. Lexing byte by byte against lexing a whole text by definition.
// 3. The viability search against an exhaustive walk over tokens that knows only oracle_in_language.
// 4. unfailable, computed here, against lib/regex.
// 5. Patterns: our own reader of them against lib/regex.
// 6. The JSON recogniser against texts judged by hand.
// 7. Stacks of the LR(1) automaton, all conflicts that stay included, against Earley.
// 8. Where no conflict stays: texts and viability with stacks against the same with Earley sets.
// 9. Where some stay: the same with each stack by itself.
// 10. The fewest tokens to a complete text, by reachability, against a search by breadth.
// In: --seed S, --grammars N, --kind NAME. Out: exit status 0 when all hold.
#include <stdio.h>

#include "options.h"
#include "lib/json.h"
#include "random.h"

static uint64_t n_own, n_whole, passed, failed, n_viable, n_dead, n_unknown, n_conflicts, n_stacks, n_same, n_costs,
	n_lone;

#define CHECK(c, ...) ((c) ? (void)passed++ : (failed++, printf("FAILED: " __VA_ARGS__), (void)putchar('\n')))

// ---- 1. Earley ----

#define MAX_SENTENCE 6
#define MAX_WORK 2000000

// What each nonterminal derives, up to MAX_SENTENCE terminals, as a least fixpoint of sets of strings; gives that of
// the start. False when it is too much work.
static bool enumerate(const struct earley *e, struct intern *sentences)
{
	struct intern *of = mem_calloc(e->n_nonterminals + 1, sizeof *of);
	uint64_t work = 0;
	for (bool again = true; again && work < MAX_WORK;) {
		again = false;
		for (uint32_t p = 0; p < e->productions.n && work < MAX_WORK; p++) {
			const struct earley_production *q = &e->productions.at[p];
			struct intern strings = {0};
			intern_add(&strings, "", 0, NULL);
			for (uint32_t i = 0; i < q->n_rhs; i++) {
				struct intern longer = {0};
				symbol_id s = q->rhs[i], text[MAX_SENTENCE];
				uint32_t room = MAX_SENTENCE - q->rest[i + 1],
						 n_tails = s < e->n_terminals ? 1 : of[s - e->n_terminals].entries.n;
				for (uint32_t x = 0; q->rest[i + 1] <= MAX_SENTENCE && x < strings.entries.n && work < MAX_WORK; x++)
					for (uint32_t y = 0; y < n_tails; y++, work++) {
						uint32_t n, more = sizeof s;
						const void *head = intern_get(&strings, x, &n), *tail = &s;
						if (s >= e->n_terminals) tail = intern_get(&of[s - e->n_terminals], y, &more);
						if (n + more > room * sizeof *text) continue;
						if (n) memcpy(text, head, n);
						if (more) memcpy((uint8_t *)text + n, tail, more);
						intern_add(&longer, text, n + more, NULL);
					}
				intern_release(&strings);
				strings = longer;
			}
			for (uint32_t x = 0; x < strings.entries.n; x++) {
				uint32_t n;
				const void *string = intern_get(&strings, x, &n);
				bool is_new;
				intern_add(&of[q->lhs], string, n, &is_new);
				again |= is_new;
			}
			intern_release(&strings);
		}
	}
	*sentences = of[e->n_nonterminals];
	for (uint32_t a = 0; a < e->n_nonterminals; a++) intern_release(&of[a]);
	free(of);
	return work < MAX_WORK;
}

static void test_earley(struct earley *e, struct rng *r, uint64_t name)
{
	if (e->is_empty) return;
	struct intern sentences = {0}, prefixes = {0};
	bool is_whole = enumerate(e, &sentences);
	n_whole += is_whole;
	for (uint32_t i = 0; i < sentences.entries.n; i++) {
		uint32_t len, set = 0;
		const symbol_id *s = intern_get(&sentences, i, &len);
		len /= sizeof *s;
		for (uint32_t k = 0; k <= len; k++) {
			intern_add(&prefixes, s, k * sizeof *s, NULL);
			CHECK(e->sets.at[set].to_end <= len - k, "grammar %lu: to_end too large", (unsigned long)name);
			if (k == len) break;
			CHECK(earley_viable(e, set, s[k]), "grammar %lu: sentence %u not viable at %u", (unsigned long)name, i, k);
			if (!earley_viable(e, set, s[k])) break;
			set = earley_step(e, set, s[k]);
		}
		CHECK(e->sets.at[set].accepting, "grammar %lu: sentence %u is not accepted", (unsigned long)name, i);
	}
	// Random sequences of viable terminals: what Earley accepts was enumerated; what it promises exists.
	for (uint32_t walk = 0; walk < 40 && is_whole; walk++) {
		symbol_id seq[MAX_SENTENCE];
		uint32_t n = 0, set = 0;
		for (;;) {
			const struct earley_set *s = &e->sets.at[set];
			if (s->accepting)
				CHECK(intern_find(&sentences, seq, n * sizeof *seq) != INTERN_NONE,
				      "grammar %lu: accepted, but not derived", (unsigned long)name);
			if (n + s->to_end <= MAX_SENTENCE)
				CHECK(intern_find(&prefixes, seq, n * sizeof *seq) != INTERN_NONE,
				      "grammar %lu: viable, but no sentence begins so", (unsigned long)name);
			if (n == MAX_SENTENCE) break;
			uint32_t viable = bits_count(s->viable, e->terminal_words), pick;
			if (!viable) break;
			pick = bits_next(s->viable, e->terminal_words, 0);
			for (uint32_t skip = rng_below(r, viable); skip; skip--)
				pick = bits_next(s->viable, e->terminal_words, pick + 1);
			seq[n++] = pick;
			set = earley_step(e, set, pick);
		}
	}
	intern_release(&sentences);
	intern_release(&prefixes);
}

// ---- 2. lexing ----

static uint32_t random_text(struct rng *r, const struct words *w, const char *alphabet, uint8_t *text)
{
	uint32_t len = 0;
	for (uint32_t n = rng_below(r, 6); n; n--) {
		if (rng_percent(r, 50)) {
			const struct word *x = &w->at.at[rng_below(r, w->at.n)];
			memcpy(text + len, x->bytes, x->len), len += x->len;
		} else
			text[len++] = (uint8_t)alphabet[rng_below(r, (uint32_t)strlen(alphabet))];
	}
	return len;
}

static void test_lexing(struct oracle *o, struct rng *r, const struct words *w, const char *alphabet, uint64_t name)
{
	for (uint32_t i = 0; i < 60; i++) {
		uint8_t text[256];
		uint32_t len = random_text(r, w, alphabet, text), config = oracle_start(o);
		for (uint32_t k = 0; k <= len; k++) {
			int by_bytes = config != CONFIG_DEAD && oracle_complete(o, config),
				by_words = oracle_in_language(o, text, k);
			if (by_words >= 0)
				CHECK(by_bytes == by_words, "grammar %lu: '%.*s' by bytes %d", (unsigned long)name, (int)k,
				      (const char *)text, by_bytes);
			if (k < len) config = oracle_step(o, config, text + k, 1);
		}
	}
}

// ---- 3. viability ----

#define BRUTE_TEXTS 3000

// Is some concatenation of at most `left` tokens after text in the language? Counts down *texts.
static bool brute(struct oracle *o, uint8_t *text, uint32_t len, uint32_t left, uint32_t *texts)
{
	if (!*texts) return false;
	--*texts;
	if (oracle_in_language(o, text, len) == 1) return true;
	const struct vocab *v = o->vocab;
	for (uint32_t i = 0; left && i < o->tries.n; i++) {
		token_id t = o->tries.at[i];
		uint32_t n = v->offset[t + 1] - v->offset[t];
		memcpy(text + len, v->bytes + v->offset[t], n);
		if (brute(o, text, len + n, left - 1, texts)) return true;
	}
	return false;
}

static void test_viability(struct oracle *o, struct rng *r, const struct words *w, const char *alphabet, uint64_t name)
{
	for (uint32_t i = 0; i < 20; i++) {
		uint8_t text[1024];
		uint32_t len = random_text(r, w, alphabet, text), config = oracle_step(o, oracle_start(o), text, len);
		enum verdict v = oracle_viable(o, config, 2000);
		if (v == VERDICT_VIABLE)
			n_viable++;
		else if (v == VERDICT_DEAD)
			n_dead++;
		else
			n_unknown++;
		if (v == VERDICT_VIABLE) {
			size_t more;
			const uint8_t *completion = oracle_completion(o, config, &more);
			memcpy(text + len, completion, more < 600 ? more : 0);
			CHECK(more < 600 && oracle_in_language(o, text, len + more) != 0,
			      "grammar %lu: '%.*s' is not completed by '%.*s'", (unsigned long)name, (int)len, (const char *)text,
			      (int)more, (const char *)completion);
		} else {
			uint32_t texts = BRUTE_TEXTS;
			bool found = false;
			for (uint32_t depth = 0; depth < 6 && texts && !found; depth++) found = brute(o, text, len, depth, &texts);
			CHECK(!found, "grammar %lu: '%.*s' can be completed, verdict %d", (unsigned long)name, (int)len,
			      (const char *)text, v);
		}
	}
}

// ---- 4. unfailable ----

static void test_unfailable(struct oracle *o, uint64_t name)
{
	for (terminal_id t = 0; t < o->grammar->n_terminals; t++)
		for (uint32_t s = 0; s < o->dfa[t].n_states; s++)
			if (!o->dfa[t].accept[s])  // n_states is 0 where the terminal looks around
				CHECK(o->dfa[t].unfailable[s] == o->unfailable[t][s],
				      "grammar %lu, %s, DFA state %u: unfailable %d here", (unsigned long)name,
				      o->grammar->terminals[t].name, s, o->unfailable[t][s]);
}

// ---- 5. patterns ----

static void test_patterns(struct oracle *o, struct rng *r, const struct words *w, const char *alphabet, uint64_t name)
{
	struct oracle own;
	struct diag d = {0};
	if (oracle_init_own(&own, o->grammar, o->vocab, &d)) {
		n_own++;
		for (uint32_t i = 0; i < 40; i++) {
			uint8_t text[256];
			uint32_t len = random_text(r, w, alphabet, text), a = oracle_start(o), b = oracle_start(&own);
			for (uint32_t k = 0; k <= len; k++) {
				bool x = oracle_complete(o, a), y = oracle_complete(&own, b);
				CHECK(x == y, "grammar %lu: '%.*s' by lib/regex %d, by our own patterns %d", (unsigned long)name,
				      (int)k, (const char *)text, x, y);
				if (k < len) a = oracle_step(o, a, text + k, 1), b = oracle_step(&own, b, text + k, 1);
			}
		}
		oracle_release(&own);
	}
	diag_release(&d);
}

// ---- 6. JSON ----

static void test_json(void)
{
	static const char *const good[] = {"0",
	                                   "-0.5e+10",
	                                   " [ ] ",
	                                   "{}",
	                                   "{\"a\":1}",
	                                   "[1,2 , {\"x\":[null]}]",
	                                   "\"\"",
	                                   "\"\\u12aF\\n\\\"\"",
	                                   "true",
	                                   "\t\nfalse\r ",
	                                   "\"\xC3\xA9\xF0\x9F\x98\x80\"",
	                                   "1E5",
	                                   "[[],{}]",
	                                   "\"\x7F\"",
	                                   "\"\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF\"",
	                                   "[0]",
	                                   "[-1.0e-0 ]"};
	static const char *const open[] = {
		"",    "-",      "1.",      "1e",         "1e+",        "[",       "[1",   "[1,",   "{",
		"{\"", "{\"a\"", "{\"a\":", "{\"a\":1",   "{\"a\":1,",  "\"",      "\"\\", "\"\\u", "\"\\u12",
		"tru", " ",      "\"\xC3",  "\"\xE0\xA0", "\"\xF4\x8F", "{\"a\" ", "[[[["};
	static const char *const dead[] = {"01",         "1..",        "[,",     "[1,]",   "{,",         "{\"a\",",
	                                   "{\"a\":}",   "{1",         "+",      ".5",     "1.e",        "tra",
	                                   "nulL",       "]",          "[}",     "{]",     "1 1",        "\"\n",
	                                   "\"\\x",      "\"\\ug",     "\"\xC0", "\"\xC1", "\"\xE0\x80", "\"\xED\xA0",
	                                   "\"\xF0\x80", "\"\xF4\x90", "\"\xF5", "\"\x80", "\"\xC3\"",   "\xEF\xBB\xBF",
	                                   "'a'",        "{\"a\":1,}", "--1",    "1e5.",   "[1 2",       "\f1"};
	const struct {
		const char *const *at;
		uint32_t n;
		bool is_alive, is_complete;
	} groups[] = {
		{good, sizeof good / sizeof *good, true, true},
		{open, sizeof open / sizeof *open, true, false},
		{dead, sizeof dead / sizeof *dead, false, false},
	};
	for (uint32_t g = 0; g < 3; g++)
		for (uint32_t i = 0; i < groups[g].n; i++) {
			struct json j;
			json_start(&j);
			bool is_alive = true;
			for (const char *c = groups[g].at[i]; *c; c++) is_alive = json_step(&j, (uint8_t)*c);
			CHECK(is_alive == groups[g].is_alive, "JSON '%s' alive: %d", groups[g].at[i], is_alive);
			CHECK((is_alive && json_is_complete(&j)) == groups[g].is_complete, "JSON '%s' complete", groups[g].at[i]);
		}
}

// ---- 7. stacks and Earley ----

#define WALK_TERMINALS 12

// The stacks behind all of `from`.
static void shift_all(struct parses *p, const struct intern *from, terminal_id t, struct intern *to, uint64_t name)
{
	for (uint32_t i = 0; i < from->entries.n; i++) {
		uint32_t stack = *(const uint32_t *)intern_get(from, i, NULL);
		struct parse_results x = parse_shift(p, stack, t);
		CHECK(parse_viable(p, stack, t) == (x.n > 0),
		      "grammar %lu: terminal %u is viable on a stack: %d, stacks behind it: %u", (unsigned long)name, t,
		      x.n == 0, x.n);
		for (uint32_t k = 0; k < x.n; k++) intern_add(to, &p->results.at[x.first + k], sizeof(uint32_t), NULL);
	}
}

static void test_stacks(struct parses *p, struct rng *r, uint64_t name)
{
	struct earley *e = &p->earley;
	if (e->is_empty) return;
	n_conflicts += p->lr.n_choice != 0;
	for (uint32_t walk = 0; walk < 30; walk++) {
		struct intern stacks = {0};
		intern_add(&stacks, &p->start, sizeof p->start, NULL);
		uint32_t set = 0;
		for (uint32_t n = 0; n < WALK_TERMINALS && stacks.entries.n < 300; n++) {
			const struct earley_set *s = &e->sets.at[set];
			bool accepts = false;
			for (uint32_t i = 0; i < stacks.entries.n; i++)
				accepts |= parse_accepts(p, *(const uint32_t *)intern_get(&stacks, i, NULL));
			CHECK(accepts == s->accepting, "grammar %lu: Earley accepts: %d, the stacks: %d", (unsigned long)name,
			      s->accepting, accepts);
			for (terminal_id t = 0; t < e->n_terminals; t++) {
				bool viable = false;
				for (uint32_t i = 0; i < stacks.entries.n; i++)
					viable |= parse_viable(p, *(const uint32_t *)intern_get(&stacks, i, NULL), t);
				CHECK(viable == bits_test(s->viable, t), "grammar %lu: terminal %u is viable: Earley %d, the stacks %d",
				      (unsigned long)name, t, bits_test(s->viable, t), viable);
			}
			n_stacks += stacks.entries.n > 1;
			uint32_t viable = bits_count(s->viable, e->terminal_words);
			if (!viable) break;
			terminal_id pick = bits_next(s->viable, e->terminal_words, 0);
			for (uint32_t skip = rng_below(r, viable); skip; skip--)
				pick = bits_next(s->viable, e->terminal_words, pick + 1);
			struct intern next = {0};
			shift_all(p, &stacks, pick, &next, name);
			intern_release(&stacks);
			stacks = next;
			set = earley_step(e, set, pick);
		}
		intern_release(&stacks);
	}
}

// ---- 8. one parse, said in two ways ----

static void test_one_parse(struct oracle *o, struct oracle *stacks, struct rng *r, const struct words *w,
                           const char *alphabet, uint64_t name)
{
	for (uint32_t i = 0; i < 40; i++) {
		uint8_t text[256];
		uint32_t len = random_text(r, w, alphabet, text), a = oracle_start(o), b = oracle_start(stacks);
		for (uint32_t k = 0; k <= len; k++) {
			bool x = oracle_complete(o, a), y = oracle_complete(stacks, b);
			CHECK(x == y, "grammar %lu: '%.*s' with Earley sets %d, with stacks %d", (unsigned long)name, (int)k,
			      (const char *)text, x, y);
			enum verdict u = oracle_viable(o, a, 300), v = oracle_viable(stacks, b, 300);
			n_same += u != VERDICT_UNKNOWN && v != VERDICT_UNKNOWN;
			CHECK(u == v || u == VERDICT_UNKNOWN || v == VERDICT_UNKNOWN,
			      "grammar %lu: '%.*s', verdict with Earley sets %d, with stacks %d", (unsigned long)name, (int)k,
			      (const char *)text, u, v);
			if (k < len) a = oracle_step(o, a, text + k, 1), b = oracle_step(stacks, b, text + k, 1);
		}
	}
}

// ---- 9. several parses, each by itself ----

static void test_lone(struct oracle *o, struct rng *r, const struct words *w, const char *alphabet, uint64_t name)
{
	struct oracle lone;
	struct diag d = {0};
	bool ok = oracle_init_as(&lone, o->grammar, o->vocab, PARSES_LONE, &d);
	ASSERT(ok);
	for (uint32_t i = 0; i < 20; i++) {
		uint8_t text[256];
		uint32_t len = random_text(r, w, alphabet, text), a = oracle_start(o), b = oracle_start(&lone), x, y;
		for (uint32_t k = 0; k <= len; k++) {
			if (b != CONFIG_DEAD && (lone.configs.at[b]->is_cut || lone.configs.at[b]->n_readings > 200)) break;
			CHECK((a == CONFIG_DEAD) == (b == CONFIG_DEAD) && oracle_complete(o, a) == oracle_complete(&lone, b),
			      "grammar %lu: '%.*s', with piles of stacks %d, with lone ones %d", (unsigned long)name, (int)k,
			      (const char *)text, oracle_complete(o, a), oracle_complete(&lone, b));
			if (oracle_reaches(o) && oracle_cost(o, a, &x) && oracle_cost(&lone, b, &y)) {
				n_lone++;
				CHECK(x == y, "grammar %lu: '%.*s' costs %u with piles of stacks, %u with lone ones",
				      (unsigned long)name, (int)k, (const char *)text, x, y);
			}
			if (k < len) a = oracle_step(o, a, text + k, 1), b = oracle_step(&lone, b, text + k, 1);
		}
	}
	oracle_release(&lone);
	diag_release(&d);
}

// ---- 10. costs ----

#define COST_CONFIGS 1500

// Fewest tokens to a complete text; where that is not found, *least says how many there are at least.
static bool search_cost(struct oracle *o, uint32_t config, uint32_t *cost, uint32_t *least)
{
	struct intern met = {0};
	VEC(uint32_t) depth = {0};
	intern_add(&met, &config, sizeof config, NULL);
	vec_push(&depth, 0);
	bool is_known = false;
	*cost = ORACLE_NONE, *least = 0;
	for (uint32_t i = 0; !is_known; i++) {
		if (i == met.entries.n || i == COST_CONFIGS) {
			is_known = i == met.entries.n;
			*least = is_known ? ORACLE_NONE : depth.at[i];
			break;
		}
		uint32_t id = *(const uint32_t *)intern_get(&met, i, NULL);
		if (oracle_complete(o, id)) is_known = true, *cost = *least = depth.at[i];
		for (uint32_t k = 0; k < o->tries.n && !is_known; k++) {
			token_id t = o->tries.at[k];
			const struct vocab *v = o->vocab;
			uint32_t to = oracle_step(o, id, v->bytes + v->offset[t], v->offset[t + 1] - v->offset[t]);
			bool is_new = false;
			if (to != CONFIG_DEAD) intern_add(&met, &to, sizeof to, &is_new);
			if (is_new) vec_push(&depth, depth.at[i] + 1);
		}
	}
	intern_release(&met);
	vec_release(&depth);
	return is_known;
}

static void test_costs(struct oracle *o, struct rng *r, const struct words *w, const char *alphabet, uint64_t name)
{
	for (uint32_t i = 0; i < 12 && oracle_reaches(o); i++) {
		uint8_t text[256];
		uint32_t len = random_text(r, w, alphabet, text), config = oracle_step(o, oracle_start(o), text, len), found,
				 cost, least;
		if (config == CONFIG_DEAD || !oracle_cost(o, config, &found)) continue;
		bool is_known = search_cost(o, config, &cost, &least);
		n_costs += is_known;
		CHECK(is_known ? found == cost : found >= least, "grammar %lu: '%.*s' costs %u, by search %s %u",
		      (unsigned long)name, (int)len, (const char *)text, found, is_known ? "exactly" : "at least", least);
	}
}

static void test_with_stacks(struct oracle *o, struct rng *r, const struct words *w, const char *alphabet,
                             uint64_t name)
{
	struct oracle stacks;
	struct diag d = {0};
	if (oracle_init_as(&stacks, o->grammar, o->vocab, PARSES_STACKS, &d)) {
		test_stacks(&stacks.parses, r, name);
		if (!stacks.parses.lr.n_choice)
			test_one_parse(o, &stacks, r, w, alphabet, name);
		else
			test_lone(&stacks, r, w, alphabet, name);
		test_costs(&stacks, r, w, alphabet, name);
		oracle_release(&stacks);
	}
	diag_release(&d);
}

int main(int argc, char **argv)
{
	uint64_t seed = 1, n = 200, read = 0;
	const char *kind_name = random_kind_names[KIND_ANY];
	if (!ORACLE_OPTIONS(argc, argv, {"--seed", .number = &seed}, {"--kind", .text = &kind_name},
	                    {"--grammars", .number = &n}))
		return 2;
	enum random_kind kind = random_kind_named(kind_name);
	printf("seed %lu, %lu grammars\n", (unsigned long)seed, (unsigned long)n);
	test_json();
	for (uint64_t i = 0; i < n && failed < 20; i++) {
		struct rng r = {seed * 1000003 + i};
		struct lark l = {.kind = kind};
		struct arena arena = {0};
		struct diag d = {0};
		struct grammar g;
		random_grammar(&r, &l);
		char *text = lark_text(&l, &arena);
		if (grammar_parse("random.lark", text, strlen(text), NULL, &d, &g)) {
			struct words w;
			struct vocab v;
			struct oracle o;
			random_words(&r, &l, &g, &w);
			words_vocab(&w, &v);
			uint64_t before = failed;
			if (oracle_init(&o, &g, &v, &d)) {
				read++;
				test_earley(&o.parses.earley, &r, i);
				test_lexing(&o, &r, &w, l.alphabet, i);
				test_viability(&o, &r, &w, l.alphabet, i);
				test_unfailable(&o, i);
				test_patterns(&o, &r, &w, l.alphabet, i);
				test_with_stacks(&o, &r, &w, l.alphabet, i);
				oracle_release(&o);
			}
			if (failed != before) printf("---- grammar %lu\n%s\n", (unsigned long)i, text);
			vocab_release(&v);
			vec_release(&w.at);
			grammar_release(&g);
		}
		diag_release(&d);
		arena_release(&arena);
		lark_release(&l);
	}
	printf("%lu grammars read, %lu with all short sentences known, %lu with our own patterns, %lu with conflicts that "
	       "stay\n"
	       "prefixes: %lu viable, %lu dead, %lu unknown; %lu times several stacks; %lu verdicts in two ways; %lu costs "
	       "with lone stacks, %lu by search\n"
	       "%lu passed, %lu failed\n",
	       (unsigned long)read, (unsigned long)n_whole, (unsigned long)n_own, (unsigned long)n_conflicts,
	       (unsigned long)n_viable, (unsigned long)n_dead, (unsigned long)n_unknown, (unsigned long)n_stacks,
	       (unsigned long)n_same, (unsigned long)n_lone, (unsigned long)n_costs, (unsigned long)passed,
	       (unsigned long)failed);
	return failed != 0 || (n && !read);
}
