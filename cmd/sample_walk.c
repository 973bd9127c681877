// Random texts that come to an end.
//
// In:  an artifact, a seed. Out: tokens; every one was in the mask at its place.
// First half: mostly, a class of first bytes (digits, letters, one punctuation mark, ...) by lot, then a token of the
// class, so that rare structure is as likely as common letters; one time in three, a token that leaves the lexeme in a
// state where it may end (so strings get closed). Ending, where the text may, is a choice like a class, and one time
// in five at least; a token that completes the text is mostly drawn again, so that texts grow.
// Second half: a search for the end, best first by (depth of the parser's stack, steps), over the shortest token of
// each first byte (over all tokens where few are allowed); past CLOSE_AT_FIRST places the tables of costs say the rest.
// When the end is too far, the search starts again from an earlier place: half as many tokens, and so on to none. It
// looks ahead with soft masks in hard canonical mode; what it finds is in the hard ones, which the caller sees by
// taking the tokens. Cost: a mask a token; the search is limited to CLOSE_MAX_PLACES masks, and where a text has many
// parses to CLOSE_MAX_LINKS.
#include "sample_walk.h"

#include "../formats/artifact.h"
#include "allowed.h"
#include "gcdc/show.h"
#include "token_cut.h"

#define CLOSE_MAX_PLACES 3000u
#define CLOSE_AT_FIRST 300u         // then tables of costs are asked, where there are any
#define CLOSE_MAX_LINKS (1u << 22)  // of graphs of stacks: then they are asked, too, and it ends behind twice as many
// In hard canonical mode the search meets dead ends, which soft masks do not tell: it is shorter, and the tables are
// asked sooner.
#define CLOSE_MAX_PLACES_HARD 600u
#define CLOSE_AT_FIRST_HARD 30u
#define TRIES 8u
#define FEW_TOKENS 64u
#define MAX_REFUSALS 8u

struct drawn {
	uint32_t class_byte, byte, len, token;
};

static int by_class(const void *a, const void *b)
{
	const struct drawn *x = a, *y = b;
	if (x->class_byte != y->class_byte) return x->class_byte < y->class_byte ? -1 : 1;
	return x->token < y->token ? -1 : x->token > y->token;
}

static int by_byte(const void *a, const void *b)
{
	const struct drawn *x = a, *y = b;
	if (x->byte != y->byte) return x->byte < y->byte ? -1 : 1;
	if (x->len != y->len) return x->len < y->len ? -1 : 1;
	return x->token < y->token ? -1 : x->token > y->token;
}

// The tokens in an order, and where in it each class, or each byte, begins.
static const uint32_t *order_of(struct sampler *s, struct drawn *all, uint32_t n,
                                int (*order)(const void *, const void *), uint32_t begin[257])
{
	uint32_t *tokens = arena_array(&s->arena, n + 1, sizeof *tokens), at = 0;
	qsort(all, n, sizeof *all, order);
	for (uint32_t b = 0; b < 256; b++) {
		begin[b] = at;
		while (at < n && (order == by_class ? all[at].class_byte : all[at].byte) == b) tokens[at] = all[at].token, at++;
	}
	begin[256] = at;
	return tokens;
}

void sampler_init(struct sampler *s, const gcdc_artifact *artifact)
{
	*s = (struct sampler){.artifact = artifact};
	gcdc_artifact_info(artifact, &s->info);
	uint8_t *class_of = arena_alloc(&s->arena, s->info.n_tokens);
	struct drawn *all = mem_calloc(s->info.n_tokens + 1, sizeof *all);
	uint32_t n = 0;
	for (uint32_t t = 0; t < s->info.n_tokens; t++) {
		uint32_t len;
		const uint8_t *bytes = gcdc_artifact_token(artifact, t, &len);
		if (!len) continue;
		class_of[t] = allowed_class(bytes[0]);
		all[n++] = (struct drawn){class_of[t], bytes[0], len, t};
	}
	s->by_class = order_of(s, all, n, by_class, s->class_begin);
	s->by_byte = order_of(s, all, n, by_byte, s->byte_begin);
	free(all);
	size_t size;
	const struct artifact_lex_state *lex = gcdc_artifact_section(artifact, SECTION_LEX_STATE, &size);
	uint8_t *whole = arena_alloc(&s->arena, s->info.n_lex_states + 1);
	for (uint32_t q = 0; lex && q < s->info.n_lex_states; q++) whole[q] = lex[q].terminal != ARTIFACT_NONE;
	s->class_of = class_of, s->may_be_whole = whole;
	s->mask = arena_array(&s->arena, s->info.mask_words, sizeof *s->mask);
}

void sampler_release(struct sampler *s)
{
	gcdc_matcher_free(s->matcher);
	arena_release(&s->arena);
	*s = (struct sampler){0};
}

static bool is_allowed(const struct sampler *s, uint32_t t) { return s->mask[t / 32] >> t % 32 & 1; }

static bool has_class(const struct sampler *s, uint32_t c)
{
	for (uint32_t i = s->class_begin[c]; i < s->class_begin[c + 1]; i++)
		if (is_allowed(s, s->by_class[i])) return true;
	return false;
}

// One of the allowed tokens of a class, which has some, by lot.
static uint32_t pick(struct sampler *s, uint32_t c)
{
	uint32_t n = 0, i = s->class_begin[c];
	for (; i < s->class_begin[c + 1]; i++) n += is_allowed(s, s->by_class[i]);
	uint32_t k = random_below(&s->random, n) + 1;
	for (i = s->class_begin[c]; (k -= is_allowed(s, s->by_class[i])); i++) continue;
	return s->by_class[i];
}

#define END_WEIGHT 3u
// White space a third as often as others: few texts are better for more of it.
static uint32_t weight_of(uint32_t class_byte) { return class_byte == ' ' ? 1 : 3; }

static uint32_t random_token(struct sampler *s, bool is_first, bool may_end, bool *ends)
{
	bool has[256];
	uint32_t total = 0;
	for (uint32_t c = 0; c < 256; c++) total += (has[c] = has_class(s, c)) ? weight_of(c) : 0;
	// Empty texts are all alike: one in twenty will do.
	uint32_t least = random_below(&s->random, is_first ? 20 : 5), weight = is_first && total ? 0 : END_WEIGHT;
	*ends = may_end && (least == 0 || random_below(&s->random, total + END_WEIGHT) < weight);
	if (*ends || !total) return GCDC_NONE;
	uint32_t lot = random_below(&s->random, total), c = 0;
	for (;; c++) {
		if (!has[c]) continue;
		if (lot < weight_of(c)) break;
		lot -= weight_of(c);
	}
	return pick(s, c);
}

// The shortest allowed token of each first byte; returns their number.
static uint32_t plain_tokens(const struct sampler *s, uint32_t tokens[256])
{
	uint32_t n = 0;
	for (uint32_t b = 0; b < 256; b++)
		for (uint32_t i = s->byte_begin[b]; i < s->byte_begin[b + 1]; i++)
			if (is_allowed(s, s->by_byte[i])) {
				tokens[n++] = s->by_byte[i];
				break;
			}
	return n;
}

// Where few tokens are allowed all of them, else the plain ones.
static uint32_t closing_tokens(const struct sampler *s, uint32_t tokens[256])
{
	uint32_t n = 0, len;
	for (uint32_t w = 0; w < s->info.mask_words; w++)
		for (uint32_t bits = s->mask[w]; bits; bits &= bits - 1) {
			uint32_t t = w * 32 + (uint32_t)__builtin_ctz(bits);
			gcdc_artifact_token(s->artifact, t, &len);
			if (!len) continue;
			if (n == FEW_TOKENS) return plain_tokens(s, tokens);
			tokens[n++] = t;
		}
	return n;
}

static bool is_hard(const struct sampler *s) { return gcdc_artifact_canonical(s->artifact) == GCDC_CANONICAL_HARD; }

// A fork that looks ahead: without hard mode's proof that something goes on behind each token, which costs most there.
static gcdc_status soft_fork(const struct sampler *s, gcdc_matcher *m, gcdc_matcher **fork)
{
	gcdc_status status = gcdc_matcher_fork(m, fork);
	if (!status && is_hard(s)) status = gcdc_matcher_set_canonical(*fork, GCDC_CANONICAL_SOFT);
	return status;
}

// Of the plain tokens one after which the lexeme may be whole, by lot; NONE: there is none.
static uint32_t ending_token(struct sampler *s, gcdc_matcher *at)
{
	uint32_t tokens[256], n = plain_tokens(s, tokens), kept = 0, of_class[256] = {0};
	gcdc_matcher *m;
	if (soft_fork(s, at, &m)) return GCDC_NONE;
	for (uint32_t i = 0; i < n; i++) {
		if (gcdc_matcher_accept(m, tokens[i])) continue;
		uint32_t lex_state = 0, depth;
		gcdc_matcher_reading(m, 0, &lex_state, NULL, 0, &depth);
		if (gcdc_matcher_rollback(m, 1)) break;
		// One of each class: else letters outnumber everything.
		if (s->may_be_whole[lex_state] && !of_class[s->class_of[tokens[i]]]++) tokens[kept++] = tokens[i];
	}
	gcdc_matcher_free(m);
	return kept ? tokens[random_below(&s->random, kept)] : GCDC_NONE;
}

// ---- The search for the end.

struct reached_place {
	gcdc_matcher *matcher;
	uint32_t from, token, steps, depth;
};

struct end_search {
	struct sampler *s;
	VEC(struct reached_place) places;  // all that were reached
	VEC(uint32_t) open;                // binary heap of those not yet expanded
	uint64_t *seen;                    // hash table of (lex_state, top of the stack, depth)
	uint32_t max_steps;
	uint64_t max_links;  // of the family, for now
};
#define SEEN_SLOTS (1u << 14)
#define SEEN_TOP 6u

// Order: shallow stacks, then few steps, then first come. A step and a frame weigh the same.
static bool is_before(const struct end_search *x, uint32_t a, uint32_t b)
{
	const struct reached_place *p = &x->places.at[a], *q = &x->places.at[b];
	uint32_t pk = p->depth * 2 + p->steps, qk = q->depth * 2 + q->steps;
	return pk != qk ? pk < qk : a < b;
}

static void heap_push(struct end_search *x, uint32_t place)
{
	vec_push(&x->open, place);
	for (uint32_t i = x->open.n - 1; i && is_before(x, x->open.at[i], x->open.at[(i - 1) / 2]); i = (i - 1) / 2) {
		uint32_t up = x->open.at[(i - 1) / 2];
		x->open.at[(i - 1) / 2] = x->open.at[i], x->open.at[i] = up;
	}
}

static uint32_t heap_pop(struct end_search *x)
{
	uint32_t top = x->open.at[0], last = vec_pop(&x->open), i = 0;
	if (!x->open.n) return top;
	x->open.at[0] = last;
	for (;;) {
		uint32_t least = i;
		for (uint32_t k = 2 * i + 1; k <= 2 * i + 2 && k < x->open.n; k++)
			if (is_before(x, x->open.at[k], x->open.at[least])) least = k;
		if (least == i) return top;
		uint32_t swap = x->open.at[i];
		x->open.at[i] = x->open.at[least], x->open.at[least] = swap;
		i = least;
	}
}

// Was a place like this reached before? Near the top of the stack is what decides nearly always.
// Where masks are canonical and say nothing of dead ends, the token before decides, too.
static bool is_seen(struct end_search *x, const gcdc_matcher *m, uint32_t token, uint32_t *depth)
{
	uint32_t key[2 + SEEN_TOP + 1] = {0};
	*depth = 0;
	uint64_t hash = gcdc_matcher_reading(m, 0, &key[0], key + 2, SEEN_TOP, &key[1]);
	*depth = key[1];
	if (is_hard(x->s)) key[2 + SEEN_TOP] = token;
	for (uint32_t i = 0; i < 2 + SEEN_TOP + 1; i++) {
		hash ^= key[i];
		hash = random_next(&hash);
	}
	hash |= 1;
	for (uint32_t slot = (uint32_t)hash % SEEN_SLOTS;; slot = (slot + 1) % SEEN_SLOTS) {
		if (x->seen[slot] == hash) return true;
		if (!x->seen[slot]) {
			x->seen[slot] = hash;
			return false;
		}
	}
}

// Takes over m.
static void reach(struct end_search *x, gcdc_matcher *m, uint32_t from, uint32_t token)
{
	uint32_t depth;
	if (x->places.n >= (is_hard(x->s) ? CLOSE_MAX_PLACES_HARD : CLOSE_MAX_PLACES) || is_seen(x, m, token, &depth)) {
		gcdc_matcher_free(m);
		return;
	}
	uint32_t steps = from == UINT32_MAX ? 0 : x->places.at[from].steps + 1;
	vec_push(&x->places, ((struct reached_place){m, from, token, steps, depth}));
	heap_push(x, x->places.n - 1);
}

// A token of a soft mask on the way to the end: hard ones have it, if it is no relaxation.
static bool in_hard_mask(const struct sampler *s, const gcdc_matcher *m, uint32_t token)
{
	return !is_hard(s) || gcdc_matcher_is_canonical_next(m, token);
}

static bool is_long(const struct end_search *x) { return gcdc_show_links(x->s->matcher) > x->max_links; }

static gcdc_status expand(struct end_search *x, uint32_t at, bool *is_end)
{
	struct reached_place p = x->places.at[at];
	gcdc_fill_info fill;
	gcdc_status status = cli_fill(p.matcher, x->s->mask, x->s->info.mask_words, &fill);
	if (status) return status;
	uint32_t n_eos;
	const uint32_t *eos = gcdc_artifact_eos(x->s->artifact, &n_eos);
	*is_end = fill.may_end && (!n_eos || in_hard_mask(x->s, p.matcher, eos[0]));
	if (*is_end || p.steps >= x->max_steps) return GCDC_OK;
	uint32_t tokens[256], n = closing_tokens(x->s, tokens);
	for (uint32_t i = 0; i < n && !is_long(x); i++) {
		if (!in_hard_mask(x->s, p.matcher, tokens[i])) continue;
		gcdc_matcher *next;
		status = gcdc_matcher_fork(p.matcher, &next);
		if (!status) status = gcdc_matcher_accept(next, tokens[i]);
		if (status) {
			gcdc_matcher_free(next);
			return status;
		}
		reach(x, next, at, tokens[i]);
	}
	return GCDC_OK;
}

// Appends the fewest tokens from m to a place where the text may end, if the tables of costs know at most max_steps.
static gcdc_status close_by_costs(gcdc_matcher *m, uint32_t max_steps, sampled_tokens *tokens, bool *found)
{
	uint32_t least;
	if (gcdc_matcher_min_tokens(m, false, &least) || least > max_steps) return GCDC_OK;
	uint32_t *way = mem_calloc(least + 1, sizeof *way);
	size_t n = 0;
	gcdc_status status = gcdc_matcher_close(m, way, least, &n);
	*found = !status && n <= least;
	for (size_t i = 0; i < n && *found; i++) vec_push(tokens, way[i]);
	free(way);
	return status == GCDC_ERR_BUDGET || status == GCDC_ERR_STACKS ? GCDC_OK : status;
}

// Appends the shortest way found from m to a place where the text may end; false: none of at most max_steps tokens.
// Branches: a best-first search that asks for prices once when it has grown, then reads the way back.
static gcdc_status close_text(struct sampler *s, gcdc_matcher *m, uint32_t max_steps, sampled_tokens *tokens,
                              bool *found)
{
	struct end_search x = {.s = s, .max_steps = max_steps, .seen = mem_calloc(SEEN_SLOTS, sizeof *x.seen)};
	gcdc_matcher *first = NULL;
	gcdc_status status = soft_fork(s, m, &first);
	*found = false;
	if (!status) reach(&x, first, UINT32_MAX, 0);
	uint32_t end = UINT32_MAX, at_first = is_hard(s) ? CLOSE_AT_FIRST_HARD : CLOSE_AT_FIRST;
	bool asked = false;
	x.max_links = gcdc_show_links(m) + CLOSE_MAX_LINKS;
	while (!status && x.open.n && end == UINT32_MAX && !(asked && is_long(&x))) {
		if ((x.places.n >= at_first || is_long(&x)) && !asked) {
			asked = true;
			status = close_by_costs(m, max_steps, tokens, found);
			if (*found || status) break;
			x.max_links = gcdc_show_links(m) + CLOSE_MAX_LINKS;
		}
		bool is_end = false;
		uint32_t at = heap_pop(&x);
		status = expand(&x, at, &is_end);
		if (is_end) end = at;
	}
	if (!status && end != UINT32_MAX) {
		*found = true;
		uint32_t n = x.places.at[end].steps, begin = tokens->n;
		for (uint32_t i = 0; i < n; i++) vec_push(tokens, 0);
		for (uint32_t at = end; x.places.at[at].from != UINT32_MAX; at = x.places.at[at].from)
			tokens->at[begin + --n] = x.places.at[at].token;
	}
	for (uint32_t i = 0; i < x.places.n; i++) gcdc_matcher_free(x.places.at[i].matcher);
	vec_release(&x.places);
	vec_release(&x.open);
	free(x.seen);
	return status;
}

// A random walk of at most n tokens; *may_stop: it chose to end where the text may.
static gcdc_status wander(struct sampler *s, gcdc_matcher *m, uint32_t n, sampled_tokens *tokens, bool *may_stop)
{
	*may_stop = false;
	uint32_t refusals = 0;
	while (tokens->n < n) {
		gcdc_fill_info fill;
		gcdc_status status = cli_fill(m, s->mask, s->info.mask_words, &fill);
		if (status) return status;
		uint32_t token = random_token(s, tokens->n == 0, fill.may_end, may_stop);
		*may_stop |= token == GCDC_NONE && fill.may_end;  // nothing may follow
		if (*may_stop) return GCDC_OK;
		if (random_below(&s->random, 3) == 0) {
			uint32_t ending = ending_token(s, m);
			if (ending != GCDC_NONE) token = ending;
		}
		if (token == GCDC_NONE) return GCDC_ERR_INTERNAL;
		status = gcdc_matcher_accept(m, token);
		if (status) return status < 0 ? status : GCDC_ERR_INTERNAL;
		if (refusals < MAX_REFUSALS && gcdc_matcher_is_completed(m) && random_below(&s->random, 4)) {
			if (gcdc_matcher_rollback(m, 1)) return GCDC_ERR_INTERNAL;
			refusals++;
			continue;
		}
		refusals = 0;
		vec_push(tokens, token);
	}
	return GCDC_OK;
}

static gcdc_status matcher_of(struct sampler *s)
{
	return s->matcher ? GCDC_OK
	                  : gcdc_matcher_new(s->artifact, &(gcdc_matcher_options){.max_rollback = 4}, &s->matcher);
}

gcdc_status sampler_run(struct sampler *s, uint64_t seed, uint32_t max_tokens, sampled_tokens *tokens, bool *complete)
{
	*complete = false;
	vec_clear(tokens);
	gcdc_status status = matcher_of(s);
	if (status) return status;
	gcdc_matcher *m = s->matcher;
	uint32_t room = max_tokens - 1;  // EOS takes one
	uint32_t walk = room / 2;
	const uint64_t most_links = gcdc_show_links(m) + 4 * CLOSE_MAX_LINKS;
	for (uint32_t i = 0; i < TRIES && !status && !*complete; i++) {
		if (gcdc_show_links(m) > most_links) i = TRIES - 1;
		// The same walk again, stopped earlier; the last try stops at once.
		s->random = seed;
		gcdc_matcher_reset(m);
		vec_clear(tokens);
		status = wander(s, m, i == TRIES - 1 ? 0 : walk, tokens, complete);
		if (!status && !*complete) status = close_text(s, m, room - tokens->n, tokens, complete);
		walk /= 2;
	}
	// None ends in time: the longest walk there is, as it is.
	if (!status && !*complete) {
		s->random = seed;
		gcdc_matcher_reset(m);
		vec_clear(tokens);
		status = wander(s, m, max_tokens, tokens, complete);
	}
	return status;
}

gcdc_status sampler_run_budget(struct sampler *s, uint64_t seed, uint32_t budget, uint32_t *least,
                               sampled_tokens *tokens)
{
	gcdc_matcher *m;
	vec_clear(tokens);
	gcdc_status status = matcher_of(s);  // the caller may want it
	if (status) return status;
	gcdc_matcher_reset(s->matcher);
	status = gcdc_matcher_fork(s->matcher, &m);  // it shares what masks under budgets need
	if (status) return status;
	s->random = seed;
	status = gcdc_matcher_set_budget(m, budget, true, least);
	for (;;) {
		gcdc_fill_info fill;
		bool ends = false;
		if (!status) status = cli_fill(m, s->mask, s->info.mask_words, &fill);
		if (status) break;
		uint32_t token = random_token(s, tokens->n == 0, fill.may_end, &ends);
		if (ends || (token == GCDC_NONE && fill.may_end)) break;
		status = token == GCDC_NONE ? GCDC_ERR_INTERNAL : gcdc_matcher_accept(m, token);
		if (status) break;
		vec_push(tokens, token);
	}
	gcdc_matcher_free(m);
	return status > 0 ? GCDC_ERR_INTERNAL : status;
}
