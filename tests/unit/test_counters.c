// Repetitions that are counted at run time (lib/lexer/lexer_counters.c, lib/runtime/core/counters.c): every mask, with
// budgets and without, is the one of an artifact in which all repetitions are spelled out.
#include <criterion/criterion.h>

#include "../corrupt/artifact_abuse.h"
#include "../../lib/compile/compile.h"
#include "../../lib/include/gcdc/runtime.h"
#include "../../lib/schema/schema.h"
#include "../../lib/writer/artifact_image.h"

#include <limits.h>
#include <stdio.h>

static uint64_t state;
static uint32_t random_below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

struct side {
	uint8_t *bytes;
	size_t len;
	gcdc_artifact *artifact;
	gcdc_matcher *matcher;
	uint32_t n_lex_states, n_counters;
	bool shares;
};

static struct diag d;

static void open_with(struct side *s, const char *grammar, const struct vocab *v, const struct compile_options *options)
{
	struct grammar g;
	struct compiled c;
	gcdc_refusal why;
	const struct schema_options escapes = {.all_escapes = grammar[0] == ' '};
	const bool is_schema = strchr("{ ", grammar[0]) != NULL;
	cr_assert(is_schema ? schema_parse("s.json", grammar, strlen(grammar), &escapes, &d, &g)
	                    : grammar_parse("g.lark", grammar, strlen(grammar), NULL, &d, &g),
	          "%s", diag_text(&d));
	cr_assert(compile_image(&g, v, options, &d, &c), "%s", diag_text(&d));
	s->n_lex_states = c.image.info.n_lex_states, s->n_counters = c.image.counter_info.n_counters;
	s->shares = c.image.counter_info.flags & COUNTERS_SHARED;
	cr_assert(artifact_encode(&c.image, &(struct artifact_write_options){.raw = true}, &d, &s->bytes, &s->len));
	cr_assert_eq(gcdc_artifact_open_memory(s->bytes, s->len, NULL, &s->artifact, &why), GCDC_OK, "%s", why.what);
	const gcdc_matcher_options with = {.max_rollback = 64};
	cr_assert_eq(gcdc_matcher_new(s->artifact, &with, &s->matcher), GCDC_OK);
	compile_release(&c);
	grammar_release(&g);
}

static void open_side(struct side *s, const char *grammar, const struct vocab *v, bool spell_out,
                      enum compile_costs costs)
{
	open_with(s, grammar, v,
	          &(struct compile_options){.costs = costs, .spell_out = spell_out, .share_from = UINT32_MAX});
}

static void close_side(struct side *s)
{
	gcdc_matcher_free(s->matcher);
	gcdc_artifact_close(s->artifact);
	free(s->bytes);
}

static uint32_t vocab_token_len(const struct vocab *v, uint32_t token)
{
	return v->offset[token + 1] - v->offset[token];
}

#define WORDS 256
static void compare(struct side side[2], uint32_t *mask, size_t words, const char *grammar, uint64_t seed, uint32_t at)
{
	uint32_t other[WORDS];
	gcdc_status a = gcdc_matcher_fill(side[0].matcher, mask, words, NULL),
				b = gcdc_matcher_fill(side[1].matcher, other, words, NULL);
	cr_assert_eq(a, b, "%s seed %llu position %u: %d and %d", grammar, (unsigned long long)seed, at, a, b);
	for (size_t w = 0; w < words && !a; w++)
		cr_assert_eq(mask[w], other[w], "%s seed %llu position %u word %zu: %08x and %08x", grammar,
		             (unsigned long long)seed, at, w, mask[w], other[w]);
	uint32_t least[2] = {0, 0};
	a = gcdc_matcher_min_tokens(side[0].matcher, true, &least[0]);
	b = gcdc_matcher_min_tokens(side[1].matcher, true, &least[1]);
	cr_assert(a == b && least[0] == least[1], "%s seed %llu position %u: least %u and %u", grammar,
	          (unsigned long long)seed, at, least[0], least[1]);
}

// A token of the mask; short ones more often than not, so that texts come to their bounds slowly and fast.
static uint32_t choose(const struct vocab *v, const uint32_t *mask, uint32_t style)
{
	uint32_t best = UINT32_MAX, n = 0;
	for (uint32_t t = 0; t < v->n_tokens; t++) {
		if (!(mask[t / 32] >> t % 32 & 1)) continue;
		uint32_t len = vocab_token_len(v, t);
		bool better = style == 0 || best == UINT32_MAX ||
		              (style == 1 ? len >= vocab_token_len(v, best) : len <= vocab_token_len(v, best));
		if (better && random_below(++n) == 0) best = t;
		if (better && style && len != vocab_token_len(v, best)) best = t, n = 1;
	}
	return best;
}

// Each byte is taken, or not, by both.
static void compare_bytes(struct side side[2], const char *grammar, uint64_t seed, uint32_t at)
{
	for (uint32_t b = 0; b < 256; b++) {
		const uint8_t byte = (uint8_t)b;
		gcdc_status status[2];
		for (int k = 0; k < 2; k++) {
			status[k] = gcdc_matcher_accept_bytes(side[k].matcher, &byte, 1);
			if (!status[k]) cr_assert_eq(gcdc_matcher_rollback(side[k].matcher, 1), GCDC_OK);
		}
		cr_assert_eq(status[0], status[1], "%s seed %llu position %u byte %u: %d and %d", grammar,
		             (unsigned long long)seed, at, b, status[0], status[1]);
	}
}

static void walk(struct side side[2], const struct vocab *v, const char *grammar, uint64_t seed, bool budget)
{
	uint32_t mask[WORDS];
	size_t words = (v->n_tokens + 31) / 32;
	cr_assert(words <= WORDS);
	state = seed;
	for (int i = 0; i < 2; i++) gcdc_matcher_reset(side[i].matcher);
	for (uint32_t at = 0; at < 700; at++) {
		if (budget && random_below(40) == 0) {
			uint32_t least = 0, more = random_below(4);
			cr_assert_eq(gcdc_matcher_min_tokens(side[0].matcher, true, &least), GCDC_OK);
			for (int i = 0; i < 2; i++)
				cr_assert_eq(gcdc_matcher_set_budget(side[i].matcher, least + more, true, NULL), GCDC_OK);
		}
		compare(side, mask, words, grammar, seed, at);
		if (!budget && random_below(8) == 0) compare_bytes(side, grammar, seed, at);
		if (random_below(30) == 0) {
			uint32_t n = random_below(20);
			gcdc_status a = gcdc_matcher_rollback(side[0].matcher, n), b = gcdc_matcher_rollback(side[1].matcher, n);
			cr_assert_eq(a, b);
			continue;
		}
		if (!budget && random_below(5) == 0) {  // allowed or not
			const uint32_t any = random_below(v->n_tokens);
			const uint8_t *bytes = v->bytes + v->offset[any];
			const gcdc_status a = gcdc_matcher_accept_bytes(side[0].matcher, bytes, vocab_token_len(v, any)),
							  b = gcdc_matcher_accept_bytes(side[1].matcher, bytes, vocab_token_len(v, any));
			cr_assert_eq(a, b, "%s seed %llu position %u bytes of %u: %d and %d", grammar, (unsigned long long)seed, at,
			             any, a, b);
			continue;
		}
		uint32_t token = choose(v, mask, random_below(3));
		if (token == UINT32_MAX) break;
		gcdc_status a = gcdc_matcher_accept(side[0].matcher, token), b = gcdc_matcher_accept(side[1].matcher, token);
		cr_assert(a == b && a == GCDC_OK, "%s seed %llu position %u token %u: %d and %d", grammar,
		          (unsigned long long)seed, at, token, a, b);
		if (gcdc_matcher_is_terminated(side[0].matcher)) break;
	}
}

#define AS_50 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define AS_200 AS_50 AS_50 AS_50 AS_50

static const struct {
	const char *grammar;
	bool counts, counts_priced;  // without tables of costs, and with them
} cases[] = {
	{"start: S\nS: /\"[^\"\\\\\\x00-\\x1f]{0,330}\"/\n", true, true},
	{"start: A B?\nA: /x(ab|cd){3,340}y/\nB: /[0-9]{0,3}z/\n", true, true},
	{"start: \"a\" S | \"b\" T | \"c\" U\nS: /\"[^\"]{0,300}\"/\nT: /\"[^\"]{2,360}\"/\nU: /\"[^\"]{1,40}\"/\n", true,
     true},
	{"start: \"[\" S (\",\" S)* \"]\"\nS: /\"[^\"]{0,330}\"/\n%ignore /[ ]{1,10}(?![ ])/\n", true, true},
	{"start: (S | \"<if>\" | \"<then>\" | \" \")+\nS: /<[a-z]{1,330}>/\n", true, true},
	{"start: /(é|a|\\U0001F600){0,300};/ \"x\"\n", true, true},
	// Nothing stands behind the last one: a n_rows lexeme ends otherwise than others, and that has a price.
	{"start: W (\".\" W)*\nW: /[a-z]{1,300}/\n", true, false},
	{"start: (ID \";\")+\nID: /[a-z]{1,300}/\n%ignore /[ ]{1,10}(?![ ])/\n", true, false},
	// Another one is read beside it at any length.
	{"start: (A | B \"!\")+\nA: /[ab]{2,300}c/\nB: /[ab]*d/\n", false, false},
	// An A may be longer than another one: how many there are is not known.
	{"start: /<(a|ab){0,300}>/\n", false, false},
	// What competes sees whether the number is even.
	{"start: (A \".\" | B \"!\")+\nA: /a{1,300}/\nB: /(aa)+/\n", false, false},
	// The same, where they do not compete.
	{"start: \"x\" A \".\" | \"y\" B\nA: /a{1,300}/\nB: /(aa)+/\n", true, false},
	// One place reads it alone, another one beside the other.
	{"start: \"x\" A \".\" | \"y\" (A \".\" | B \"!\")\nA: /a{1,300}/\nB: /(aa)+/\n", false, false},
	// What must not match is read beside it in one place only.
	{"start: \"x\" A \".\" | \"y\" B A \".\"\nA: /a{1,300}/\nB: /b(?!(aa)+c)/\n", false, false},
	// A literal of another place that only the pattern matches, not what is spelled out of it.
	{"start: \"x\" A \".\" | \"y\" B\nA: /[ab]{1,300}/\nB: \"" AS_200 "\"\n", true, false},
	// What stood before a lexeme, or what follows it, is asked for beside a counted one.
	{"start: (A \".\" | B)+\nA: /[ab]{1,300}/\nB: /(?<=b\\.)c/\n", false, false},
	{"start: (A | B \"!\")+\nA: /[ab]{2,300}c/\nB: /\\bab/\n", false, false},
	{"start: (A | B)+\nA: /[ab]{2,300}c/\nB: /d(?![ab]{200})/\n", false, false},
	// Schemas: characters beside a pattern. A blank before the brace: all escapes.
	{"{\"type\":\"string\",\"pattern\":\"^x\",\"maxLength\":470}", true, true},
	{"{\"type\":\"string\",\"pattern\":\"^[a-z]+(-[a-z]+)*$\",\"minLength\":3,\"maxLength\":500}", true, true},
	{"{\"type\":\"string\",\"pattern\":\"^[a-d]*(-?[0-9]{2,9})?$\",\"minLength\":30,\"maxLength\":520}", true, true},
	{"{\"type\":\"string\",\"pattern\":\"\xC3\xA9.*\xF0\x9F\x98\x80$\",\"maxLength\":480}", true, true},
	{" {\"type\":\"string\",\"pattern\":\"\xC3\xA9.*\xF0\x9F\x98\x80$\",\"maxLength\":480}", true, true},
	{"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"pattern\":\"^arn:(aws)?:\",\"maxLength\":480},"
     "\"b\":{\"type\":\"string\",\"maxLength\":600},\"c\":{\"type\":\"string\",\"pattern\":\"^[0-9 ]+$\","
     "\"maxLength\":500}},\"additionalProperties\":false}",
     true, true},
	// A tail that needs more characters than a token has.
	{"{\"type\":\"string\",\"pattern\":\"^[a-d]*(-[0-9]{90})?$\",\"maxLength\":540}", true, true},
	// States of the pattern that only texts tell apart which are longer than what is spelled out.
	{"{\"type\":\"string\",\"pattern\":\"^a*(b([a-z]{0,60}|[a-z]{60}c[a-z]*))?$\",\"maxLength\":480}", false, false},
	// Whether their number is even is never settled; and a pattern of two states that differ only far away.
	{"{\"type\":\"string\",\"pattern\":\"^([a-z][0-9])*$\",\"maxLength\":480}", false, false},
	{"{\"type\":\"string\",\"pattern\":\"^([a-z]|[a-z]{3}-)*$\",\"maxLength\":490}", true, true},
};

Test(counters, masks_are_those_of_repetitions_spelled_out)
{
	struct vocab v;
	cr_assert(vocab_load_default(NULL, &d, &v));
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (uint32_t costs = 0; costs < 2; costs++) {
			struct side side[2] = {0};
			for (int k = 0; k < 2; k++)
				open_side(&side[k], cases[i].grammar, &v, k, costs ? COMPILE_COSTS_EXACT : COMPILE_COSTS_OFF);
			bool counts = costs ? cases[i].counts_priced : cases[i].counts;
			cr_expect_eq(side[0].n_counters > 0, counts, "%s costs %u", cases[i].grammar, costs);
			cr_expect_eq(side[1].n_counters, 0);
			if (counts) cr_expect(side[0].n_lex_states < side[1].n_lex_states);
			for (uint64_t seed = 1; seed <= 6; seed++) walk(side, &v, cases[i].grammar, seed, costs && seed > 2);
			for (int k = 0; k < 2; k++) close_side(&side[k]);
		}
	vocab_release(&v);
	diag_release(&d);
}

// Strings of which all numbers of characters share the states. A blank before the brace: all escapes.
static const struct {
	const char *schema;
	bool shares;
} shared[] = {
	{"{\"type\":\"string\",\"pattern\":\"^[a-e]*$\",\"maxLength\":401}", true},
	{"{\"type\":\"string\",\"pattern\":\"^[a-z \xC3\xA9\\\\n\xE2\x82\xAC-\xE3\x82\xAC]+$\",\"maxLength\":402}", true},
	{" {\"type\":\"string\",\"pattern\":\"^[a-c\xC3\xA9\xF0\x9F\x98\x80-\xF0\x9F\x98\x82]*$\",\"maxLength\":410}",
     true},
	{"{\"type\":\"string\",\"pattern\":\"^arn:(aws|x-[0-9]{3}):[a-z]{2}[a-z:]*$\",\"minLength\":14,"
     "\"maxLength\":450}",
     true},
	{"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"pattern\":\"^[a-z,:]*$\",\"maxLength\":400},"
     "\"b\":{\"type\":\"string\",\"pattern\":\"^[0-9 ]+$\",\"maxLength\":400},\"c\":{\"type\":\"array\",\"items\":{"
     "\"type\":\"string\",\"pattern\":\"^x\",\"maxLength\":450}}},\"additionalProperties\":false}",
     true},
	// No end at any number of characters.
	{"{\"type\":\"string\",\"pattern\":\"^[a-z]+(-[a-z]+)*$\",\"maxLength\":80}", true},
	{"{\"type\":\"string\",\"pattern\":\"^([a-z][0-9])*$\",\"maxLength\":81}", true},
	{"{\"type\":\"string\",\"pattern\":\"^([a-z]{3}|[0-9]{5}:|Ã©[\\nð]{2})*$\",\"maxLength\":90}", true},
	{" {\"type\":\"string\",\"pattern\":\"^(aÃ©|ð[a-c]\\n)*$\",\"maxLength\":60}", true},
	// Behind ab the nearest end depends on whether x or y stands before; a quote is a character behind a backslash.
	{"{\"type\":\"string\",\"pattern\":\"^(x(aa|abccccc)|y(c|aa|ab))*$\",\"maxLength\":40}", true},
	{"{\"type\":\"string\",\"pattern\":\"^([a-z\\\"\\\\n]{2})*$\",\"maxLength\":88}", true},
	{"{\"type\":\"string\",\"pattern\":\"^([a-z\\\"\\\\n/]{3})*$\",\"maxLength\":89}", true},
	// Formats; a least number; quotes.
	{"{\"type\":\"string\",\"format\":\"email\",\"maxLength\":100}", true},
	{"{\"type\":\"string\",\"format\":\"email\",\"minLength\":20,\"maxLength\":60}", true},
	{"{\"type\":\"string\",\"format\":\"uri\",\"maxLength\":48}", true},
	{"{\"type\":\"string\",\"format\":\"hostname\",\"maxLength\":70}", true},
	{"{\"type\":\"string\",\"maxLength\":40}", true},
	{" {\"type\":\"string\",\"maxLength\":40}", true},
	{"{\"type\":\"string\",\"minLength\":30,\"maxLength\":50}", true},
	{"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"maxLength\":40},\"b\":{\"type\":\"string\","
     "\"format\":\"email\",\"maxLength\":64},\"c\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"minLength\":3,"
     "\"maxLength\":64}}}}",
     true},
	// An end that is too far away from most places, and one that is just near enough.
	{"{\"type\":\"string\",\"pattern\":\"^x([0-9]*|[0-9]{395}-[0-9]{20})$\",\"maxLength\":410}", true},
	// The nearest end is too far once a token has begun the string.
	{"{\"type\":\"string\",\"pattern\":\"^([a-z]{30})*$\",\"maxLength\":20}", false},
	// Too near to the least number for a token that begins the string.
	{"{\"type\":\"string\",\"minLength\":3,\"maxLength\":5}", false},
	{"{\"type\":\"string\",\"pattern\":\"^[0-9]{399,}$\",\"maxLength\":400}", true},
	// Read beside another string.
	{"{\"anyOf\":[{\"type\":\"string\",\"pattern\":\"^[a-e]*$\",\"maxLength\":400},{\"const\":\"abc-\"}]}", false},
};

Test(counters, shared_states_have_the_masks_of_characters_spelled_out, .timeout = 240)
{
	struct vocab v;
	cr_assert(vocab_load_default(NULL, &d, &v));
	for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
		struct side side[2] = {0};
		open_with(&side[0], shared[i].schema, &v, &(struct compile_options){.share_from = 1});
		open_with(&side[1], shared[i].schema, &v, &(struct compile_options){.spell_out = true});
		cr_expect_eq(side[0].shares, shared[i].shares, "%s", shared[i].schema);
		cr_expect(!side[1].shares);
		for (uint64_t seed = 1; seed <= 12; seed++) walk(side, &v, shared[i].schema, seed, false);
		for (int k = 0; k < 2; k++) close_side(&side[k]);
	}
	vocab_release(&v);
	diag_release(&d);
}

// The same under budgets, near the least and near the bound.
Test(counters, shared_states_have_the_prices_of_characters_spelled_out, .timeout = 600)
{
	struct vocab v;
	uint32_t n_exact = 0, n_shared = 0;
	cr_assert(vocab_load_default(NULL, &d, &v));
	for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
		for (uint32_t exact = 0; exact < 2; exact++) {
			struct side side[2] = {0};
			const enum compile_costs costs = exact ? COMPILE_COSTS_EXACT : COMPILE_COSTS_ALIGNED;
			open_with(&side[0], shared[i].schema, &v, &(struct compile_options){.costs = costs, .share_from = 1});
			open_with(&side[1], shared[i].schema, &v, &(struct compile_options){.costs = costs, .spell_out = true});
			n_shared += side[0].shares;
			const gcdc_cost_model of = gcdc_artifact_costs(side[0].artifact),
								  exactly = gcdc_artifact_costs(side[1].artifact);
			// Shared states have bounds; the fewest tokens of this vocabulary all fit them.
			const bool same = of == exactly || (exact && side[0].shares && of == GCDC_COSTS_ALIGNED);
			n_exact += same && exact;
			for (uint64_t seed = 1; seed <= 8 && same; seed++) walk(side, &v, shared[i].schema, seed, true);
			for (int k = 0; k < 2; k++) close_side(&side[k]);
		}
	cr_expect(n_exact > 10 && n_shared > 20, "%u, %u share", n_exact, n_shared);
	vocab_release(&v);
	diag_release(&d);
}

// The fewest tokens behind an object's string of so many characters "a", and bytes of another one. Tokens are all bytes
// and two more.
static uint32_t least_behind(const char *const more[2], uint32_t n_chars, const char *begun, bool shares)
{
	enum { N_BYTES = 256, LAST = N_BYTES + 2 };
	static const char schema[] = "{\"type\":\"object\",\"properties\":{\"k\":{\"type\":\"string\",\"pattern\":"
								 "\"^[a-e\xE2\x82\xAC]*$\",\"maxLength\":40}},\"required\":[\"k\"],"
								 "\"additionalProperties\":false}";
	uint8_t byte[N_BYTES], kind[LAST + 1];
	const uint8_t *bytes[LAST + 1];
	uint32_t len[LAST + 1], eos = LAST, least = 0;
	for (uint32_t b = 0; b <= LAST; b++) {
		kind[b] = b < LAST ? TOKEN_TEXT : TOKEN_CONTROL, len[b] = b < LAST ? 1 : 0;
		if (b < N_BYTES) byte[b] = (uint8_t)b;
		bytes[b] = b < N_BYTES ? &byte[b] : (const uint8_t *)"";
	}
	for (uint32_t i = 0; i < 2; i++)
		bytes[N_BYTES + i] = (const uint8_t *)more[i], len[N_BYTES + i] = (uint32_t)strlen(more[i]);
	struct vocab v;
	struct side side = {0};
	vocab_build(&(struct vocab_tokens){LAST + 1, bytes, len, kind, 1, &eos}, &v);
	open_with(&side, schema, &v, &(struct compile_options){.costs = COMPILE_COSTS_EXACT, .share_from = 1});
	cr_assert_eq(side.shares, shares);
	cr_assert_eq(gcdc_matcher_accept_bytes(side.matcher, "{\"k\":\"", 6), GCDC_OK);
	for (uint32_t i = 0; i < n_chars; i++) cr_assert_eq(gcdc_matcher_accept_bytes(side.matcher, "a", 1), GCDC_OK);
	cr_assert_eq(gcdc_matcher_accept_bytes(side.matcher, begun, strlen(begun)), GCDC_OK);
	cr_assert_eq(gcdc_matcher_min_tokens(side.matcher, false, &least), GCDC_OK);
	close_side(&side);
	vocab_release(&v);
	return least;
}

// A token of one character more makes a price depend on their number, so states are not shared; one that always fits
// does not, and the bytes of a character are one.
Test(counters, prices_near_the_bound_count_what_fits)
{
	static const char *const over[] = {"a\"}", "\x82\xAC"
	                                           "a\"}"},
							 *const fits[] = {"\"}", "\x82\xAC\"}"};
	cr_expect_eq(least_behind(over, 39, "", false), 1);
	cr_expect_eq(least_behind(over, 40, "", false), 2);
	cr_expect_eq(least_behind(over, 38, "\xE2", false), 1);
	cr_expect_eq(least_behind(over, 39, "\xE2", false), 4);
	cr_expect_eq(least_behind(fits, 40, "", true), 1);
	cr_expect_eq(least_behind(fits, 39, "\xE2", true), 1);
}

static void *counting_resize(void *context, void *block, size_t size)
{
	++*(long *)context;
	if (size) return realloc(block, size);
	free(block);
	return NULL;
}

Test(counters, masks_that_leave_tokens_out_allocate_nothing)
{
	long n = 0;
	const gcdc_memory memory = {counting_resize, &n};
	struct vocab v;
	cr_assert(vocab_load_default(NULL, &d, &v));
	struct side side = {0}, counted = {0};
	open_with(&side, shared[1].schema, &v, &(struct compile_options){.share_from = 1});
	cr_assert(side.shares);
	const gcdc_open_options with = {.memory = &memory};
	cr_assert_eq(gcdc_artifact_open_memory(side.bytes, side.len, &with, &counted.artifact, NULL), GCDC_OK);
	cr_assert_eq(gcdc_matcher_new(counted.artifact, NULL, &counted.matcher), GCDC_OK);
	uint32_t mask[WORDS], n_rows = 0;
	state = 1;
	for (uint32_t at = 0; at < 600; at++) {
		gcdc_mask_sets sets;
		const long before = n;
		cr_assert_eq(gcdc_matcher_fill(counted.matcher, mask, WORDS, NULL), GCDC_OK);
		cr_assert_eq(gcdc_matcher_mask_sets(counted.matcher, &sets), GCDC_OK);
		cr_assert_eq(n, before, "%ld allocations at position %u", n - before, at);
		const uint8_t *row = (const uint8_t *)sets.row;
		n_rows += row && (row < side.bytes || row >= side.bytes + side.len);  // the matcher's own
		const uint32_t token = choose(&v, mask, 1);
		if (token == UINT32_MAX || !vocab_token_len(&v, token))  // the text ends
			gcdc_matcher_reset(counted.matcher);
		else
			cr_assert_eq(gcdc_matcher_accept(counted.matcher, token), GCDC_OK);
	}
	cr_assert(n_rows > 3, "only %u masks that leave tokens out", n_rows);
	gcdc_matcher_free(counted.matcher);
	gcdc_artifact_close(counted.artifact);
	close_side(&side);
	vocab_release(&v);
	diag_release(&d);
}

// Memory that gives out after some calls.
static void *failing_resize(void *context, void *block, size_t size)
{
	if (size && !--*(long *)context) return NULL;
	if (size) return realloc(block, size);
	free(block);
	return NULL;
}

Test(counters, tables_of_tokens_that_find_no_memory_are_made_later)
{
	long left = LONG_MAX;
	const gcdc_memory memory = {failing_resize, &left};
	struct vocab v;
	struct side side = {0};
	cr_assert(vocab_load_default(NULL, &d, &v));
	open_with(&side, "{\"type\":\"string\",\"format\":\"email\",\"maxLength\":40}", &v,
	          &(struct compile_options){.share_from = 1});
	uint32_t n_failed = 0, mask[WORDS], expected[WORDS];
	cr_assert_eq(gcdc_matcher_accept_bytes(side.matcher, "\"a@b.example.of-a-long-domain.x", 30), GCDC_OK);
	cr_assert_eq(gcdc_matcher_fill(side.matcher, expected, WORDS, NULL), GCDC_OK);
	for (long calls = 1, failed = true; failed; calls++) {
		gcdc_artifact *artifact;
		gcdc_matcher *m;
		const gcdc_open_options with = {.memory = &memory};
		left = LONG_MAX;
		cr_assert_eq(gcdc_artifact_open_memory(side.bytes, side.len, &with, &artifact, NULL), GCDC_OK);
		cr_assert_eq(gcdc_matcher_new(artifact, NULL, &m), GCDC_OK);
		left = calls;
		const gcdc_status status = gcdc_matcher_accept_bytes(m, "\"a@b.example.of-a-long-domain.x", 30);
		failed = left <= 0;
		n_failed += status == GCDC_ERR_MEMORY;
		cr_assert(status == (failed ? GCDC_ERR_MEMORY : GCDC_OK), "call %ld: %d", calls, status);
		left = LONG_MAX;
		if (failed) cr_assert_eq(gcdc_matcher_accept_bytes(m, "\"a@b.example.of-a-long-domain.x", 30), GCDC_OK);
		cr_assert_eq(gcdc_matcher_fill(m, mask, WORDS, NULL), GCDC_OK);
		cr_assert_arr_eq(mask, expected, (v.n_tokens + 31) / 32 * sizeof *mask);
		gcdc_matcher_free(m);
		gcdc_artifact_close(artifact);
	}
	cr_assert(n_failed > 10, "only %u calls failed", n_failed);
	close_side(&side);
	vocab_release(&v);
	diag_release(&d);
}

// ---- What opening says of files whose shared counters are damaged.
enum damage { NO_FLAG, UNKNOWN_FLAG, RESERVED, LONG_TOKENS, READINGS, NO_STEP, ONE_MORE_STEP, NO_END, N_DAMAGES };

// The first step from a counted state that counts, or does not.
static uint32_t *find_step(uint8_t *bytes, bool counts)
{
	const struct artifact_info *i = (void *)(bytes + abuse_row(bytes, SECTION_INFO)->offset);
	const struct artifact_counted *at = (void *)(bytes + abuse_row(bytes, SECTION_COUNTED)->offset);
	uint32_t *next = (void *)(bytes + abuse_row(bytes, SECTION_LEX_NEXT)->offset);
	const uint32_t n = (uint32_t)(abuse_row(bytes, SECTION_COUNTED)->size / sizeof *at);
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t c = 0; c < i->n_classes; c++) {
			uint32_t *step = &next[(size_t)at[k].lex_state * i->n_classes + c];
			if (*step & LEX_STATE_MASK && !!(*step & LEX_COUNTED) == counts) return step;
		}
	return NULL;
}

// No counted state has a step by a quote.
static void close_ends(uint8_t *bytes)
{
	const struct artifact_info *i = (void *)(bytes + abuse_row(bytes, SECTION_INFO)->offset);
	const struct artifact_counted *at = (void *)(bytes + abuse_row(bytes, SECTION_COUNTED)->offset);
	uint32_t *next = (void *)(bytes + abuse_row(bytes, SECTION_LEX_NEXT)->offset);
	const uint32_t n = (uint32_t)(abuse_row(bytes, SECTION_COUNTED)->size / sizeof *at);
	for (uint32_t k = 0; k < n; k++) next[(size_t)at[k].lex_state * i->n_classes + i->class_of['"']] = 0;
}

static void damage(uint8_t *bytes, enum damage how)
{
	struct artifact_counters *t = (void *)(bytes + abuse_row(bytes, SECTION_COUNTERS)->offset);
	struct artifact_info *i = (void *)(bytes + abuse_row(bytes, SECTION_INFO)->offset);
	switch (how) {
	case NO_FLAG: t->flags = 0; return;
	case UNKNOWN_FLAG: t->flags = 2; return;
	case RESERVED: t->reserved = 1; return;
	case LONG_TOKENS: i->max_token_len = COUNTERS_MAX_TOKEN + 1; return;
	case READINGS: i->max_readings = 2; return;
	case NO_STEP: *find_step(bytes, true) &= LEX_STATE_MASK; return;
	case NO_END: close_ends(bytes); return;
	default: *find_step(bytes, false) = *find_step(bytes, true); return;
	}
}

Test(counters, damaged_shared_counters_are_refused)
{
	static const char *const says[N_DAMAGES] = {"without the flag",   "a flag",
	                                            "reserved",           "bytes of a token",
	                                            "several readings",   "within a character",
	                                            "within a character", "to the nearest end"};
	struct vocab v;
	struct side side = {0};
	cr_assert(vocab_load_default(NULL, &d, &v));
	open_with(&side, shared[1].schema, &v, &(struct compile_options){.share_from = 1});
	for (enum damage how = 0; how < N_DAMAGES; how++) {
		gcdc_artifact *artifact = NULL;
		gcdc_refusal why;
		uint8_t *bytes = memcpy(malloc(side.len), side.bytes, side.len);
		damage(bytes, how);
		abuse_seal(bytes, side.len, true);
		cr_expect_eq(gcdc_artifact_open_memory(bytes, side.len, NULL, &artifact, &why), GCDC_ERR_FORMAT, "%u", how);
		cr_expect(strstr(why.what, says[how]), "%u: %s", how, why.what);
		gcdc_artifact_close(artifact);
		free(bytes);
	}
	close_side(&side);
	vocab_release(&v);
	diag_release(&d);
}
