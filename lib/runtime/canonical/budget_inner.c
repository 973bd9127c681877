// Tokens that stay in the lexeme, under a budget in hard canonical mode.
//
// In:   a mask while it is made (struct hard_making).
// Out:  the mask without the tokens that no completion fits behind, and its remainder without those that are known.
// How:  such tokens come to few lexer states: rows, kept by lexer state. A completion found for one token of a row does
//       for another when its first token is canonical behind that, too, and leads to the same place: a column of
//       tokens, kept by first token and sets of the tokenizer's states. One token of each class is asked
//       (token_classes.h); where it matters whether merges join the two, each is.
// Cost: up to three searches a row; then a pass over the row, 1 ns a token, 100 where merges count.
#include "budget_mask.h"
#include "token_classes.h"

#define INNER_LEAST 32u         // tokens of a row
#define PROBE_CACHE_PLACES 16u  // places that tokens of a row leave behind
#define ALIKE_NODES 1024u       // for all places of a row: more make no other mask

// ---- Tokens that stay in the lexeme.
// The lexer states that most tokens come to, with their tokens.
// Branches: found again, or made in two passes over the vocabulary: which ends are frequent, their rows.
static gcdc_status inner_of(struct gcdc_matcher *m, struct hard_masks *x, uint32_t lex_state, const struct inner **out)
{
	const struct gcdc_artifact *a = m->artifact;
	const uint16_t *ends;
	struct inner *at = &x->kept->inner[0];
	for (uint32_t i = 0; i < INNER; i++) {
		if (x->kept->inner[i].used && x->kept->inner[i].lex_state == lex_state) {
			x->kept->inner[i].used = ++x->kept->clock;
			return *out = &x->kept->inner[i], GCDC_OK;
		}
		if (x->kept->inner[i].used < at->used) at = &x->kept->inner[i];
	}
	at->used = 0, at->n = 0, at->lex_state = lex_state;
	gcdc_status status = hard_ends_of(m, x, lex_state, ARTIFACT_NONE, &ends);
	if (status) return status;
	if (!ends) return *out = at, GCDC_OK;  // without rows
	hard_work(m->cache->prices, WORK_ROW, a->info.n_tokens);
	memset(x->count, 0, a->info.n_lex_states * sizeof *x->count);
	for (uint32_t t = 0; t < a->info.n_tokens; t++) x->count[ends[t]]++;
	x->count[0] = 0;
	while (at->n < INNER_TO) {
		uint32_t most = 0;
		for (uint32_t q = 1; q < a->info.n_lex_states; q++)
			if (x->count[q] > x->count[most]) most = q;
		if (x->count[most] < INNER_LEAST) break;
		uint32_t **row = &at->row[at->n];
		if (!*row && !(*row = canonical_row_new(m->cache))) return GCDC_ERR_MEMORY;
		hard_work(m->cache->prices, WORK_ROW, a->info.n_tokens);
		memset(*row, 0, m->cache->words * sizeof **row);
		for (uint32_t t = 0; t < a->info.n_tokens; t++)
			if (ends[t] == most) row_add(*row, t);
		at->to[at->n++] = most, x->count[most] = 0;
	}
	at->used = ++x->kept->clock;
	*out = at;
	return GCDC_OK;
}

bool hard_place_same(const struct canonical_place *a, const struct canonical_place *b)
{
	return a->last == b->last && a->left == b->left && a->combining == b->combining && a->n_ways == b->n_ways &&
	       a->n_live == b->n_live && a->n_begun == b->n_begun && a->by_bytes == b->by_bytes &&
	       !memcmp(a->begun, b->begun, a->n_begun) && !memcmp(a->way, b->way, a->n_ways * sizeof *a->way) &&
	       !memcmp(a->live, b->live, a->n_live * sizeof *a->live);
}

// The place behind a token of a mask whichever the token before it: as the first of a piece, else as a later one.
// False: neither.
bool hard_step_first(const struct gcdc_artifact *a, const struct canonical_place *p, uint32_t token,
                     struct canonical_place *after)
{
	*after = *p;
	if (canonical_step_as(a, after, token, 0)) return true;
	*after = *p;
	return canonical_step_as(a, after, token, 1);
}

static gcdc_status column_of_token(struct gcdc_matcher *m, struct hard_masks *x, const struct hard_key *key,
                                   uint32_t token, const struct canonical_place *behind, struct column **out)
{
	struct hard_key k = *key;
	struct column *at = &x->columns[0];
	k.lex_state = k.stack = k.columns = k.column = 0;
	for (uint32_t i = 0; i < COLUMNS; i++) {
		struct column *c = &x->columns[i];
		if (c->used && c->token == token && !memcmp(&c->key, &k, sizeof k) && hard_place_same(&c->behind, behind)) {
			c->used = ++x->clock;
			return *out = c, GCDC_OK;
		}
		if (c->used < at->used) at = c;
	}
	at->used = 0;
	if (!hard_rows_clear(m->cache, &at->known, &at->yes)) return GCDC_ERR_MEMORY;
	at->key = k, at->token = token, at->behind = *behind, at->used = ++x->clock;
	*out = at;
	return GCDC_OK;
}

// The text may end behind tokens of a row.
static void spread_end(struct hard_making *k, const uint32_t *row)
{
	const struct gcdc_artifact *a = k->m->artifact;
	const struct token_classes *classes = k->m->cache->classes;
	const struct canonical_place *from = &k->p->canonical;
	const bool is_plain = place_is_plain(from);
	enum { ENDS_NOT, ENDS, ENDS_UNKNOWN };
	uint8_t ends[TOKEN_CLASSES + 1];  // the last one: of a token by itself
	memset(ends, ENDS_UNKNOWN, sizeof ends);
	for (uint32_t w = 0; w < a->info.mask_words; w++)
		for (uint32_t bits = k->remainder[w] & row[w]; bits; bits &= bits - 1) {
			struct canonical_place at;
			const uint32_t t = w * 32 + (uint32_t)__builtin_ctz(bits);
			const uint32_t class = token_class_at(a, classes, from, is_plain, t);
			hard_work(k->m->cache->prices, WORK_ROW, 1);
			uint8_t *e = &ends[class == NO_CLASS ? TOKEN_CLASSES : class];
			if (class == NO_CLASS || *e == ENDS_UNKNOWN)
				*e = hard_step_first(a, from, t, &at) && canonical_ends(&a->canonical, &at) ? ENDS : ENDS_NOT;
			if (*e == ENDS) row_add(k->v->known, t), row_add(k->v->yes, t), row_drop(k->remainder, t);
		}
}

// Does a completion's first token lead from behind a token to the same place: as the first of a piece; if merges leave
// the two apart?
enum does { DOES_NOT, DOES_ONLY_BEGIN = 1, DOES_ONLY_ON = 2, DOES = 3, DOES_UNKNOWN };
struct completion_first {
	const struct canonical_place *from;
	uint32_t token;
	struct canonical_place behind;
	uint8_t does[TOKEN_CLASSES];  // enum does of tokens of a class
};

static enum does does_behind(const struct gcdc_artifact *a, const struct completion_first *c, uint32_t t)
{
	struct canonical_place begins, goes_on;
	if (!hard_step_first(a, c->from, t, &begins)) return DOES_NOT;
	goes_on = begins;
	bool yes = canonical_step_as(a, &begins, c->token, 0) && hard_place_same(&begins, &c->behind);
	bool on = canonical_step_as(a, &goes_on, c->token, 1) && hard_place_same(&goes_on, &c->behind);
	return (yes ? DOES_ONLY_BEGIN : 0) | (on ? DOES_ONLY_ON : 0);
}

// The same of all tokens of a class, but for those that stand alone.
static enum does does_behind_class(const struct gcdc_artifact *a, const struct token_classes *classes,
                                   struct completion_first *c, uint32_t t, uint32_t class)
{
	if (UNLIKELY(class == NO_CLASS)) return does_behind(a, c, t);
	if (LIKELY(c->does[class] != DOES_UNKNOWN)) return c->does[class];
	if (classes->is_begun[class] && a->canonical.class_of[c->token] == CANON_CLASS_INSIDE) return does_behind(a, c, t);
	return c->does[class] = (uint8_t)does_behind(a, c, t);
}

// A completion of some token of a row is known, in found: takes it for all tokens that go on with its first token to
// the same place.
static gcdc_status spread(struct hard_making *k, const struct canonical_place *after, const uint32_t *row)
{
	struct gcdc_matcher *m = k->m;
	const struct gcdc_artifact *a = m->artifact;
	const struct token_classes *classes = m->cache->classes;
	const struct canonical_place *from = &k->p->canonical;
	uint32_t *remainder = k->remainder;
	struct verdicts *v = k->v;
	struct completion_first first = {.from = from, .behind = *after};
	struct column *c = NULL;
	if (!m->cache->prices->found.n) return spread_end(k, row), GCDC_OK;
	first.token = m->cache->prices->found.at[0];
	if (!canonical_step(a, &first.behind, first.token)) return GCDC_OK;
	const bool is_plain = place_is_plain(from);
	memset(first.does, DOES_UNKNOWN, sizeof first.does);
	gcdc_status status = column_of_token(m, k->x, k->key, first.token, &first.behind, &c);
	for (uint32_t w = 0; w < a->info.mask_words && !status; w++) {
		for (uint32_t bits = remainder[w] & row[w] & ~c->known[w]; bits; bits &= bits - 1) {
			const uint32_t t = w * 32 + (uint32_t)__builtin_ctz(bits);
			const uint32_t class = token_class_at(a, classes, from, is_plain, t);
			hard_work(m->cache->prices, WORK_ROW, 1);
			const enum does does = does_behind_class(a, classes, &first, t, class);
			const bool both = does == DOES || does == DOES_NOT;
			if (both ? does == DOES : hard_is_apart(m, k->x, t, first.token) == (does == DOES_ONLY_ON))
				row_add(c->yes, t);
		}
		c->known[w] |= remainder[w] & row[w];
		uint32_t yes = remainder[w] & row[w] & c->yes[w];
		v->known[w] |= yes, v->yes[w] |= yes, remainder[w] &= ~yes;
	}
	return status;
}

gcdc_status hard_enter_row(struct gcdc_matcher *m, struct hard_masks *x, const struct position *p, uint32_t lex_state,
                           const struct canonical_place *place)
{
	gcdc_status status = position_copy(m, &x->after, p);
	if (status) return status;
	x->after.at[0].lex_state = lex_state, x->after.canonical = *place, x->after.left = GCDC_NONE;
	position_drop_unstarted(m, &x->after);
	return GCDC_OK;
}

// The places that tokens of a row leave behind them, but for the token itself: how many leave each, and whether there
// is no completion there.
#define ALIKE_NONE PROBE_CACHE_PLACES  // not canonical, or one more place than there is room for
#define ALIKE_NEW UINT8_MAX
struct alike {
	struct canonical_place place[PROBE_CACHE_PLACES];
	uint32_t n, count[PROBE_CACHE_PLACES];
	bool dead[PROBE_CACHE_PLACES];
	uint8_t of[TOKEN_CLASSES];  // the places of classes, as far as they have been asked for
};

static uint32_t alike_place(struct hard_making *k, struct alike *x, uint32_t t)
{
	struct canonical_place after = k->p->canonical;
	uint32_t i = 0;
	if (!canonical_step_as(k->m->artifact, &after, t, 1)) return ALIKE_NONE;
	after.last = ARTIFACT_NONE;
	while (i < x->n && !hard_place_same(&x->place[i], &after)) i++;
	if (i == x->n && i < PROBE_CACHE_PLACES) x->place[i] = after, x->count[i] = 0, x->n++;
	return i;
}

// Counts the places (drop: takes the tokens of dead ones from the mask).
static void alike_pass(struct hard_making *k, const uint32_t *row, bool drop, struct alike *x)
{
	const struct gcdc_artifact *a = k->m->artifact;
	const struct token_classes *classes = k->m->cache->classes;
	const bool is_plain = place_is_plain(&k->p->canonical);
	for (uint32_t w = 0; w < a->info.mask_words; w++)
		for (uint32_t bits = k->remainder[w] & row[w]; bits; bits &= bits - 1) {
			const uint32_t t = w * 32 + (uint32_t)__builtin_ctz(bits);
			const uint32_t class = token_class_at(a, classes, &k->p->canonical, is_plain, t);
			hard_work(k->m->cache->prices, WORK_ROW, 1);
			const bool is_alone = class == NO_CLASS || classes->is_begun[class];
			uint32_t i = is_alone ? ALIKE_NEW : x->of[class];
			if (i == ALIKE_NEW) i = alike_place(k, x, t);
			if (!is_alone) x->of[class] = (uint8_t)i;
			if (i == ALIKE_NONE) continue;
			if (drop && x->dead[i]) row_add(k->v->known, t), row_drop(k->remainder, t), row_drop(k->mask, t);
			x->count[i] += !drop;
		}
}

// Most tokens of a row leave few places behind them, but for the token itself. Where there is no completion whatever
// that is, all of them go.
static gcdc_status refuse_alike(struct hard_making *k, uint32_t lex_state, const uint32_t *row)
{
	struct gcdc_matcher *m = k->m;
	struct hard_masks *x = k->x;
	struct alike alike;
	bool any = false;
	uint32_t used = 0;
	gcdc_status status = GCDC_OK;
	alike.n = 0;
	memset(alike.dead, 0, sizeof alike.dead);
	memset(alike.of, ALIKE_NEW, sizeof alike.of);
	alike_pass(k, row, false, &alike);
	for (uint32_t i = 0; i < alike.n && !status; i++) {
		bool found = true;
		if (alike.count[i] < INNER_LEAST || used >= ALIKE_NODES) continue;
		status = hard_enter_row(m, x, k->p, lex_state, &alike.place[i]);
		if (!status && x->after.n) status = hard_close_loose(m, &x->after, x->most, ALIKE_NODES - used, &found);
		used += m->cache->prices->n_nodes;
		position_release(m, &x->after);
		any |= alike.dead[i] = !status && !found && !m->cache->prices->is_cut;
	}
	if (any && !status) alike_pass(k, row, true, &alike);
	return status;
}

static uint32_t count_up_to(const uint32_t *a, const uint32_t *b, uint32_t words, uint32_t most)
{
	uint32_t n = 0;
	for (uint32_t w = 0; w < words && n < most; w++) n += (uint32_t)__builtin_popcount(a[w] & b[w]);
	return n < most ? n : most;
}

// A completion behind one token of a row, taken for all tokens that it does for. Where there is none whatever the
// token, all of them go.
static gcdc_status try_inner(struct hard_making *k, const struct inner *in, uint32_t i, uint32_t t)
{
	struct gcdc_matcher *m = k->m;
	const struct gcdc_artifact *a = m->artifact;
	struct hard_prices *prices = m->cache->prices;
	struct hard_masks *x = k->x;
	const uint32_t *row = in->row[i];
	struct canonical_place after;
	bool found = false;
	if (!hard_step_first(a, &k->p->canonical, t, &after)) return GCDC_OK;
	gcdc_status status = hard_enter_row(m, x, k->p, in->to[i], &after);
	if (status) return status;
	bool goes = x->after.n;
	prices->without_common = true;  // a search finds shorter ones, that do for more
	if (goes) status = hard_find_completion(m, &x->after, k->near, HARD_TOKEN_NODES, &found);
	prices->without_common = false;
	position_release(m, &x->after);
	if (!status && found) status = spread(k, &after, row);
	// The stack and the lexer state are those of all tokens of the row.
	bool is_dead = goes && !status && !found && k->near == x->most && !prices->is_cut && !prices->by_place;
	for (uint32_t w = 0; w < a->info.mask_words && is_dead; w++) {
		uint32_t out = k->remainder[w] & row[w];
		k->v->known[w] |= out, k->remainder[w] &= ~out, k->mask[w] &= ~out;
	}
	return status;
}

// Rows of tokens that stay in the lexeme: the remainder loses those that fit, the mask those that the grammar has no
// completion for.
gcdc_status hard_take_inner(struct hard_making *k)
{
	const struct gcdc_artifact *a = k->m->artifact;
	const struct inner *in;
	gcdc_status status = inner_of(k->m, k->x, k->p->at[0].lex_state, &in);
	if (status) return status;
	for (uint32_t i = 0; i < in->n && !status && !hard_is_spent(k->m->cache->prices); i++) {
		const uint32_t *row = in->row[i];
		if (a->lex_states[in->to[i]].flags & LEX_LINE) continue;  // each has its column
		uint32_t tries = count_up_to(k->remainder, row, a->info.mask_words, INNER_LEAST) < INNER_LEAST ? 0 : 3;
		// Behind most tokens one of the first completions does; what is left is looked at by itself.
		for (uint32_t w = 0; tries && w < a->info.mask_words && !status; w++) {
			uint32_t bits = k->remainder[w] & row[w];
			if (!bits) continue;
			tries--;
			status = try_inner(k, in, i, w * 32 + (uint32_t)__builtin_ctz(bits));
		}
		if (!status && k->near == k->x->most) status = refuse_alike(k, in->to[i], row);
	}
	return status;
}
