// Masks under budgets in hard mode: common completions, which did at other places, tried behind all tokens.
//
// In:  a mask while it is made.  Out: the tokens behind which a completion at hand does.
// How: a completion does behind a token if it is canonical there, and ends the text for the grammar. The first is asked
//      once for all tokens of a class (token_classes.h), but for whether merges join token and completion. The second
//      depends on the stack and the lexer state that the token leads to; and of this state only on where the completion
//      ends its lexeme, and as what. So the parser is asked once for each completion, stack and way to end the lexeme,
//      the tokenizer once for each completion and class, and tokens are looked up by pairs of place and class. Tokens
//      that end at most the position's lexeme, and then ignored ones, lead to two stacks; where they lead depends on no
//      stack, and is kept. The others are in groups (budget_groups.c).
// Cost: 10 ns a token; 1 microsecond for each way to end a lexeme, .3 for each pair.
#include "budget_mask.h"
#include "token_classes.h"

// How a completion ends the lexeme of a lexer state: behind so many bytes (NONE: not before the text's end).
static bool end_of(const struct gcdc_artifact *a, const struct hard_common *c, uint32_t q, struct replay_end *end)
{
	*end = (struct replay_end){.at = ARTIFACT_NONE};
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->n && end->at == ARTIFACT_NONE; i++)
		for (uint32_t at = a->token_offset[c->tokens[i]]; at < a->token_offset[c->tokens[i] + 1]; at++, n++) {
			const uint32_t x = a->lex_next[(uint64_t)q * a->info.n_classes + a->info.class_of[a->token_bytes[at]]];
			if (!x) return false;
			if (x & LEX_CUT) {
				end->at = n, end->next = x;
				break;
			}
			q = x;
		}
	const struct artifact_lex_state *lex = &a->lex_states[q];
	end->terminal = lex->terminal, end->obligation = lex->obligation, end->flags = lex->flags, end->line = lex->line,
	end->also = lex->also;
	return true;
}

// x->after becomes the place that a token leads to; it stays empty where nothing may follow.
static gcdc_status enter_place(struct hard_making *k, uint32_t place, uint32_t token)
{
	const uint32_t n = k->m->artifact->info.n_lex_states;
	bool goes;
	if (k->x->after.n) return GCDC_OK;  // it is there
	if (place >= REPLAY_BASES * n) return hard_enter_token(k, token, &goes);
	return hard_enter_row(k->m, k->x, &k->x->replay.base[place / n].at, place % n, &k->p->canonical);
}

// Does completion i end the text behind the place?
static gcdc_status asks_parser(struct hard_making *k, uint32_t place, uint32_t token, uint32_t i, bool *yes)
{
	struct gcdc_matcher *m = k->m;
	struct hard_masks *x = k->x;
	struct hard_prices *prices = m->cache->prices;
	const struct hard_common *c = &prices->common[i];
	const uint32_t n = m->artifact->info.n_lex_states, group = place - REPLAY_BASES * n;
	const bool is_group = place >= REPLAY_BASES * n;
	const bool has_number = !is_group || x->group[group].stack;
	struct replay_end end = {0};
	*yes = false;
	if (has_number && !end_of(m->artifact, c, is_group ? x->group[group].lex_state : place % n, &end)) return GCDC_OK;
	static_assert(sizeof end % 8 == 0, "hashed by 8 bytes");
	end.completion = i, end.stack = is_group ? REPLAY_BASES + x->group[group].stack : place / n;
	end.era = prices->common_era;
	struct replay_known *known = &x->replay.ends[hash_words(&end, sizeof end / 8) >> 32 & (REPLAY_ENDS - 1)];
	if (has_number && !memcmp(&known->end, &end, sizeof end)) return *yes = known->yes, GCDC_OK;
	gcdc_status status = enter_place(k, place, token);
	if (!status && x->after.n) status = hard_ends_behind(m, &x->after, c->tokens, c->n, yes);
	if (!status && has_number) known->end = end, known->yes = *yes;
	return status;
}

// A place: base * n_lex_states + the lexer state; behind those the groups.
static struct replay_lexeme *lexeme_of(struct hard_making *k, uint32_t place)
{
	const uint32_t n = REPLAY_BASES * k->m->artifact->info.n_lex_states;
	struct replay_lexeme *x = place < n ? &k->x->replay.lexemes[place] : &k->x->group[place - n].closes;
	const uint32_t era = k->m->cache->prices->common_era;
	if (UNLIKELY(x->era != era)) *x = (struct replay_lexeme){.era = era};
	return x;
}

static gcdc_status closes_lexeme(struct hard_making *k, uint32_t place, uint32_t token, uint32_t i, bool *yes)
{
	struct replay_lexeme *x = lexeme_of(k, place);
	const uint64_t bit = 1ull << i;
	if (LIKELY(x->known & bit)) return *yes = x->yes & bit, GCDC_OK;
	gcdc_status status = asks_parser(k, place, token, i, yes);
	if (!status) x->known |= bit, x->yes |= *yes ? bit : 0;
	return status;
}

// Is a completion canonical behind tokens that leave `after`? Bit 0: as the first of a piece; bit 1: if merges leave
// the two apart.
static uint8_t closes_place(const struct gcdc_artifact *a, const struct hard_common *c,
                            const struct canonical_place *after)
{
	uint8_t does = 0;
	if (!c->n) return canonical_ends(&a->canonical, after) ? 3 : 0;
	for (uint32_t how = 0; how < 2; how++) {
		struct canonical_place at = *after;
		if (canonical_step_as(a, &at, *c->tokens, how) && hard_closes(a, &at, c->tokens + 1, c->n - 1))
			does |= (uint8_t)(1u << how);
	}
	return does;
}

// The place behind tokens of a pair. False: they are not canonical.
static bool place_behind(struct hard_making *k, const struct replay_pair *pair, uint32_t token,
                         struct canonical_place *after)
{
	for (uint32_t how = 0; how < 2; how++) {
		*after = k->p->canonical;
		if (pair->begun || pair->class == NO_CLASS ? canonical_step_as(k->m->artifact, after, token, how)
		                                           : hard_step_class(k, token, pair->class, how, after))
			return true;
	}
	return false;
}

// Looks at completions that the pair has not been asked for yet.
// Branches: a completion may be too long, not canonical, or none for the grammar; tokens inside characters have their
// own.
static gcdc_status look_at_pair(struct hard_making *k, struct replay_pair *pair, uint32_t token)
{
	struct hard_prices *prices = k->m->cache->prices;
	struct canonical_place after;
	gcdc_status status = GCDC_OK;
	const bool any = place_behind(k, pair, token, &after), is_own = pair->begun || pair->class == NO_CLASS;
	for (; any && pair->n_seen < prices->n_common && !pair->is_sure && !status && !hard_is_spent(prices);
	     pair->n_seen++) {
		const uint32_t i = pair->n_seen;
		hard_work(prices, WORK_COMMON, 1);
		bool yes = false;
		if (prices->common[i].n > k->near) continue;
		uint8_t none = REPLAY_UNKNOWN, *does = is_own ? &none : &k->x->replay.does[pair->class * HARD_COMMON + i];
		if (!*does) continue;
		status = closes_lexeme(k, pair->place, token, i, &yes);
		if (yes && *does == REPLAY_UNKNOWN) *does = closes_place(k->m->artifact, &prices->common[i], &after);
		yes = yes && *does;
		if (!yes) continue;
		pair->is_sure = *does == 3;
		if (*does != 3 && pair->n_some < REPLAY_SOME) pair->some[pair->n_some++] = (uint8_t)(i << 2 | *does);
		prices->common[i].hits++;
	}
	if (!any) pair->n_seen = prices->n_common;
	return status;
}

static uint32_t leads_to(const struct gcdc_artifact *a, const struct replay_base *base, uint32_t token)
{
	return base->ends ? base->ends[token] : hard_stays(a, base->lex_state, base->context, token);
}

// Where a token leads that ends at most the position's lexeme and ignored ones; ARTIFACT_NONE: elsewhere.
static uint32_t place_of(const struct hard_making *k, uint32_t token)
{
	const struct gcdc_artifact *a = k->m->artifact;
	const struct replay_base *base = k->x->replay.base;
	uint32_t to = base[0].is_there ? leads_to(a, &base[0], token) : 0;
	if (to) return to;
	if (!base[1].is_there) return ARTIFACT_NONE;
	if (!k->x->replay.ends_lexeme[a->token_bytes[a->token_offset[token]]]) return ARTIFACT_NONE;
	to = leads_to(a, &base[1], token);
	return to ? a->info.n_lex_states + to : ARTIFACT_NONE;
}

// The bytes of the character that a token ends inside of.
static uint32_t bytes_begun(const struct gcdc_artifact *a, uint32_t token)
{
	uint32_t bytes = 0;
	for (uint32_t at = a->token_offset[token + 1]; at > a->token_offset[token];) {
		const uint8_t byte = a->token_bytes[--at];
		bytes = bytes << 8 | byte;
		if (byte >= 0xc0) break;
	}
	return bytes;
}

// *pair: what tokens like this have in common; NULL: it is looked at by itself.
static gcdc_status pair_of(struct hard_making *k, uint32_t token, bool is_plain, struct replay_pair **pair)
{
	const struct gcdc_artifact *a = k->m->artifact;
	const struct token_classes *classes = k->m->cache->classes;
	const uint32_t class = token_class_at(a, classes, &k->p->canonical, is_plain, token);
	const uint32_t era = k->m->cache->prices->common_era;
	*pair = NULL;
	uint32_t place = place_of(k, token);
	gcdc_status status = place == ARTIFACT_NONE && k->has_groups ? hard_group_place(k, token, &place) : GCDC_OK;
	if (place == ARTIFACT_NONE || status) return status;
	const uint32_t begun = class == NO_CLASS ? token : classes->is_begun[class] ? bytes_begun(a, token) : 0;
	struct replay_pair *x = &k->x->replay.pairs[hash_pair(place, class) >> 40 & (REPLAY_PAIRS - 1)];
	if (UNLIKELY(x->era != era || x->place != place || x->class != class || x->begun != begun))
		*x = (struct replay_pair){.era = era, .place = place, .class = class, .begun = begun};
	*pair = x;
	return GCDC_OK;
}

gcdc_status hard_replay_failed(struct hard_making *k, uint32_t token, bool is_plain, uint32_t nodes)
{
	struct replay_pair *pair;
	gcdc_status status = pair_of(k, token, is_plain, &pair);
	position_release(k->m, &k->x->after);
	if (pair) pair->nodes = nodes;
	return status;
}

// Common completions have got other numbers since.
static void renumber(struct hard_making *k)
{
	struct replay *x = &k->x->replay;
	if (LIKELY(x->era == k->m->cache->prices->common_era)) return;
	x->era = k->m->cache->prices->common_era;
	memset(x->does, REPLAY_UNKNOWN, k->m->cache->classes->n * HARD_COMMON);
}

gcdc_status hard_replay_token(struct hard_making *k, uint32_t token, bool is_plain, bool *yes, struct replay_pair **out)
{
	struct hard_prices *prices = k->m->cache->prices;
	*yes = false;
	hard_work(prices, WORK_TOKEN, 1);
	renumber(k);
	gcdc_status status = pair_of(k, token, is_plain, out);
	struct replay_pair *pair = *out;
	if (pair && !status && !pair->is_sure && pair->n_seen < prices->n_common) status = look_at_pair(k, pair, token);
	position_release(k->m, &k->x->after);
	if (!pair || status) return status;
	*yes = pair->is_sure;
	for (uint32_t i = 0; i < pair->n_some && !*yes && !status; i++)
		*yes = (pair->some[i] & 3u) >> hard_is_apart(k->m, k->x, token, *prices->common[pair->some[i] >> 2].tokens) & 1;
	if (*yes && k->v) row_add(k->v->known, token), row_add(k->v->yes, token);
	if (*yes) row_drop(k->remainder, token);
	return status;
}

bool hard_replay_has_places(const struct hard_making *k)
{
	for (const struct replay_base *base = k->x->replay.base; base < k->x->replay.base + REPLAY_BASES; base++)
		if (base->is_there && !base->ends) return false;
	return true;
}

bool hard_replay_is_sure(const struct hard_making *k, uint32_t token, bool is_plain)
{
	const struct gcdc_artifact *a = k->m->artifact;
	const uint32_t class = token_class_at(a, k->m->cache->classes, &k->p->canonical, is_plain, token);
	if (class == NO_CLASS || k->m->cache->classes->is_begun[class]) return false;
	const uint32_t place = place_of(k, token);
	const struct replay_pair *x = &k->x->replay.pairs[hash_pair(place, class) >> 40 & (REPLAY_PAIRS - 1)];
	return place != ARTIFACT_NONE && x->era == k->m->cache->prices->common_era && x->place == place &&
	       x->class == class && !x->begun && x->is_sure;
}

gcdc_status hard_replay_dear(struct hard_making *k, const struct replay_pair *pair, uint32_t token, bool *yes)
{
	struct gcdc_matcher *m = k->m;
	struct replay_lexeme *x = lexeme_of(k, pair->place);
	gcdc_status status = GCDC_OK;
	if (!x->has_price) {
		hard_work(m->cache->prices, WORK_GROUP, 1);
		x->price = PRICE_NEVER;
		status = enter_place(k, pair->place, token);
		if (!status && k->x->after.n) status = position_price(m, &k->x->after, &x->price);
		position_release(m, &k->x->after);
		x->has_price = !status;
	}
	*yes = x->price > k->x->most;
	return status;
}

gcdc_status hard_replay(struct hard_making *k, bool is_plain)
{
	struct replay_base *base = k->x->replay.base;
	gcdc_status status = GCDC_OK;
	bool yes;
	struct replay_pair *pair;
	for (uint32_t i = 0; i < REPLAY_BASES && !status; i++)
		if (base[i].is_there) status = hard_ends_of(k->m, k->x, base[i].lex_state, base[i].context, &base[i].ends);
	for (uint32_t w = 0; w < k->m->artifact->info.mask_words && base[0].is_there; w++)
		for (uint32_t bits = k->remainder[w]; bits && !status && !hard_is_spent(k->m->cache->prices); bits &= bits - 1)
			status = hard_replay_token(k, w * 32 + (uint32_t)__builtin_ctz(bits), is_plain, &yes, &pair);
	return status;
}

static uint32_t context_of(const struct gcdc_matcher *m, const struct position *p)
{
	return m->artifact->lr_states[m->pool->at[p->at[0].frame].lr_state].context;
}

// x->after tells the stack.
static gcdc_status begin_second_base(struct hard_making *k, uint32_t obligation)
{
	struct replay_base *base = &k->x->replay.base[1];
	base->context = context_of(k->m, &k->x->after);
	base->lex_state = hard_lex_start(k->m->artifact, obligation, base->context);
	if (!base->lex_state) return GCDC_OK;
	gcdc_status status = position_copy(k->m, &base->at, &k->x->after);
	base->is_there = !status;
	return status;
}

// The base where the position's lexeme has ended. Bytes before which it ends otherwise than before the first such, or
// before which it may also go on, are not of it.
// Branches: each class of bytes ends the lexeme, on one stack, on the same as the others, or not.
static gcdc_status find_second_base(struct hard_making *k)
{
	struct gcdc_matcher *m = k->m;
	const struct gcdc_artifact *a = m->artifact;
	struct replay *x = &k->x->replay;
	struct replay_base *base = &x->base[1];
	struct position *at = &k->x->after;
	const struct artifact_lex_state *lex = &a->lex_states[k->p->at[0].lex_state];
	struct hard_key first = {0}, key;
	const bool is_simple = !lex->also && !a->parts->several;  // all end it alike
	gcdc_status status = GCDC_OK;
	memset(x->ends_lexeme, 0, sizeof x->ends_lexeme);
	if (lex->terminal == ARTIFACT_NONE) return GCDC_OK;
	for (uint32_t byte = 0; byte < 256 && !status; byte++) {
		const uint8_t one = (uint8_t)byte;
		const uint32_t class = a->info.class_of[byte];
		if (a->lex_next[(uint64_t)k->p->at[0].lex_state * a->info.n_classes + class] != LEX_CUT) continue;
		x->ends_lexeme[byte] = is_simple && base->is_there;
		if (is_simple && base->is_there) continue;
		status = position_copy(m, at, k->p);
		if (!status) status = position_step(m, at, &one, 1);
		if (!status && at->n == 1 && hard_key_of(m, at, &key)) {
			if (!base->is_there) first = key, status = begin_second_base(k, lex->obligation);
			x->ends_lexeme[byte] =
				base->is_there && key.stack == first.stack && key.columns == first.columns &&
				key.lex_state == (a->lex_next[(uint64_t)base->lex_state * a->info.n_classes + class] & LEX_STATE_MASK);
		}
		position_release(m, at);
		if (status == GCDC_ERR_STACKS || status == GCDC_ERR_LIMIT) status = GCDC_OK;
	}
	return status;
}

gcdc_status hard_replay_begin(struct hard_making *k)
{
	struct gcdc_matcher *m = k->m;
	struct replay *x = &k->x->replay;
	for (uint32_t i = 0; i < REPLAY_BASES; i++) x->base[i].is_there = false, x->base[i].ends = NULL;
	hard_sort_common(m->cache->prices);
	if (!k->v || k->p->canonical.n_begun || m->artifact->counter_info || m->artifact->info.n_lines) return GCDC_OK;
	gcdc_status status = position_copy(m, &x->base[0].at, k->p);
	if (status) return status;
	x->base[0].context = context_of(m, k->p), x->base[0].lex_state = k->p->at[0].lex_state, x->base[0].is_there = true;
	return find_second_base(k);
}

void hard_replay_end(struct hard_making *k)
{
	for (uint32_t i = 0; i < REPLAY_BASES; i++) position_release(k->m, &k->x->replay.base[i].at);
}

bool hard_replay_new(const struct gcdc_matcher *m, struct replay *x)
{
	const gcdc_memory *memory = &m->artifact->memory;
	const size_t n = (size_t)REPLAY_BASES * m->artifact->info.n_lex_states;
	x->lexemes = memory_resize(memory, NULL, n + 1ull, sizeof *x->lexemes);
	x->ends = memory_resize(memory, NULL, REPLAY_ENDS, sizeof *x->ends);
	x->pairs = memory_resize(memory, NULL, REPLAY_PAIRS, sizeof *x->pairs);
	x->does = memory_resize(memory, NULL, TOKEN_CLASSES * HARD_COMMON, sizeof *x->does);
	if (!x->lexemes || !x->ends || !x->pairs || !x->does) return false;
	memset(x->lexemes, 0, (n + 1ull) * sizeof *x->lexemes);
	memset(x->ends, 0, REPLAY_ENDS * sizeof *x->ends);
	memset(x->pairs, 0, REPLAY_PAIRS * sizeof *x->pairs);
	return true;
}

void hard_replay_free(const gcdc_memory *memory, struct replay *x)
{
	for (uint32_t i = 0; i < REPLAY_BASES; i++) memory_free(memory, x->base[i].at.at);
	memory_free(memory, x->lexemes);
	memory_free(memory, x->ends);
	memory_free(memory, x->pairs);
	memory_free(memory, x->does);
}
