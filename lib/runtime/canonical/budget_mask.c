// Budgets in hard canonical mode: masks of tokens after which a canonical completion fits; completions that positions
// carry.
//
// In:  a position with tokens left, its mask of canonical successors.  Out: the mask without those that lead to no
// completion, or to none that is short enough. A token stays when a completion behind it is at hand: so what is allowed
// can always be finished, and dead ends need no search of their own. Each position carries one (frames of tokens,
// shared by forks and kept for rolling back like stacks); its next token is allowed whatever searches say. So no mask
// is empty, whatever limits are passed; a token that a search has given up on is refused, and counted
// (gcdc_matcher_unpriced). One search serves many tokens: those that stay in the lexeme (budget_inner.c), and those
// that lead to one place (probe_cache.c). These have completions in common, which a few steps of the tokenizer's
// automaton prove for each; they are kept by lexer state and stack. Verdicts are kept by all that they depend on but
// for the token before, as two rows: known, yes. From SLACK_FAR tokens above the plain price on all budgets share them,
// so far budgets cost two rows a mask. Places behind tokens, and what a completion does there, are found once for each
// class of tokens (token_classes.h). Cost: 1 to 3 microseconds where verdicts are known; else 0.1 for each token, and
// the searches.
#include "budget_mask.h"
#include "far.h"
#include "token_classes.h"

#define SLACK_FAR 12u

static void tokens_free(const gcdc_memory *memory, struct hard_tokens *x)
{
	for (uint32_t i = 0; i < INNER; i++)
		for (uint32_t k = 0; k < INNER_TO; k++) memory_free(memory, x->inner[i].row[k]);
	for (uint32_t i = 0; i < ENDS_KEPT; i++) memory_free(memory, x->ends[i].to);
	for (uint32_t i = 0; i < APART_ROWS; i++)
		memory_free(memory, x->apart_from[i].known), memory_free(memory, x->apart_from[i].yes);
	memory_free(memory, x->join_time);
	memory_free(memory, x);
}

static struct hard_tokens *tokens_of(struct canonical_cache *cache)
{
	if (cache->tokens) return cache->tokens;
	cache->tokens = memory_resize(cache->memory, NULL, 1, sizeof *cache->tokens);
	if (cache->tokens) memset(cache->tokens, 0, sizeof *cache->tokens);
	cache->free_tokens = tokens_free;
	return cache->tokens;
}

static void masks_free(const gcdc_memory *memory, struct hard_masks *x)
{
	if (!x) return;
	for (uint32_t i = 0; i < VERDICTS; i++)
		memory_free(memory, x->verdicts[i].known), memory_free(memory, x->verdicts[i].yes),
			memory_free(memory, x->verdicts[i].joint);
	for (uint32_t i = 0; i < COLUMNS; i++)
		memory_free(memory, x->columns[i].known), memory_free(memory, x->columns[i].yes);
	for (uint32_t i = 0; i < TOLD; i++) memory_free(memory, x->told[i].row);
	probe_cache_free(memory, &x->probe_cache);
	memory_free(memory, x->here.at);
	memory_free(memory, x->after.at);
	memory_free(memory, x->group);
	memory_free(memory, x->tokens.at);
	hard_replay_free(memory, &x->replay);
	memory_free(memory, x->count);
	memory_free(memory, x->behind);
	memory_free(memory, x->does);
	memory_free(memory, x->remainder);
	memory_free(memory, x->near);
	memory_free(memory, x->apart);
	memory_free(memory, x);
}

// Stacks have other numbers from now on.
static void masks_forget(struct hard_masks *x)
{
	for (uint32_t i = 0; i < VERDICTS && x; i++) x->verdicts[i].used = 0;
	for (uint32_t i = 0; i < TOLD && x; i++) x->told[i].used = 0;
}

static gcdc_status masks_of(struct gcdc_matcher *m, struct hard_prices **prices, struct hard_masks **out)
{
	gcdc_status status = hard_prices_of(m, prices);
	if (status) return status;
	hard_trim(*prices);
	if (LIKELY((*prices)->masks != NULL)) return *out = (*prices)->masks, GCDC_OK;
	const gcdc_memory *memory = &m->artifact->memory;
	struct hard_masks *x = memory_resize(memory, NULL, 1, sizeof *x);
	if (!x) return GCDC_ERR_MEMORY;
	memset(x, 0, sizeof *x);
	x->count = memory_resize(memory, NULL, m->artifact->info.n_lex_states + 1ull, sizeof *x->count);
	x->behind = memory_resize(memory, NULL, TOKEN_CLASSES, sizeof *x->behind);
	x->does = memory_resize(memory, NULL, CLOSES, sizeof *x->does);
	if (x->does) memset(x->does, 0, CLOSES * sizeof *x->does);
	if (!hard_replay_new(m, &x->replay) || !(x->kept = tokens_of(m->cache)) || !x->count || !x->behind || !x->does ||
	    !(x->remainder = canonical_row_new(m->cache))) {
		masks_free(memory, x);
		return GCDC_ERR_MEMORY;
	}
	(*prices)->free_masks = masks_free, (*prices)->forget_masks = masks_forget;
	*out = (*prices)->masks = x;
	return GCDC_OK;
}

// The tokens of a mask are asked for in rounds: first those of which prices promise a completion; then, with few nodes
// and with more, one of all that come to one place and are of one class, as what a search finds does for most of them;
// at last each. So the nodes of a mask are there for many.
enum round { ROUND_PROMISED, ROUND_FEW, ROUND_MORE, ROUND_EACH, ROUNDS };
static const uint32_t nodes_of_round[] = {
	HARD_TOKEN_NODES,
	HARD_TOKEN_NODES / 8,
	HARD_TOKEN_NODES,
	HARD_TOKEN_NODES,
};

// A token asked for: is there a completion of `most` tokens behind it, found with so many nodes? is_cut: not found out.
// class: NO_CLASS where it is looked at by itself. how: as canonical_step_as. is_put_off: a later round asks again.
struct probed {
	uint32_t token, class, how, most, nodes;
	enum round round;
	bool yes, is_cut, is_put_off;
};

// *after: the place behind the token, by its class where there is one. False: it is not canonical so.
static bool step_probed(struct hard_making *k, const struct probed *t, struct canonical_place *after)
{
	if (t->class != NO_CLASS) return hard_step_class(k, t->token, t->class, t->how, after);
	*after = k->p->canonical;
	return canonical_step_as(k->m->artifact, after, t->token, t->how);
}

// hard_closes behind the token, for a completion of this mask; by its class where there is one.
static bool closes_probed(struct hard_making *k, const struct probed *t, const struct canonical_place *after,
                          uint32_t first, uint32_t n)
{
	const struct gcdc_artifact *a = k->m->artifact;
	const uint32_t *tokens = &k->x->tokens.at[first], class = t->class << 1 | t->how;
	if (t->class == NO_CLASS || !n) return hard_closes(a, after, tokens, n);
	struct hard_does *d = &k->x->does[hash_pair(first, class) >> 40 & (CLOSES - 1)];
	if (d->stamp != k->x->does_stamp || d->completion != first || d->class != class) {
		*d = (struct hard_does){.completion = first, .class = class, .stamp = k->x->does_stamp};
		for (uint32_t how = 0; how < 2; how++) {
			struct canonical_place at = *after;
			if (canonical_step_as(a, &at, *tokens, how) && hard_closes(a, &at, tokens + 1, n - 1))
				d->bits |= (uint8_t)(1u << how);
		}
	}
	if (!d->bits || d->bits == 3) return d->bits;
	return d->bits >> hard_is_apart(k->m, k->x, t->token, *tokens) & 1;
}

// Is there no way on at all, however long?
static gcdc_status is_dead_end(struct hard_making *k, uint32_t token, const struct canonical_place *after, bool *yes)
{
	bool found = true;
	struct canonical_cache *cache = k->m->cache;
	struct hard_prices *prices = cache->prices;
	gcdc_status status = GCDC_OK;
	const uint32_t most = cache->work_most;
	*yes = false;
	if (hard_is_spent(prices) || !canonical_is_unsettled(k->m, k->p, token)) return GCDC_OK;
	cache->work = 0;
	if ((prices->work_end - prices->work) / CANON_WORK_UNIT < most)
		cache->work_most = (uint32_t)((prices->work_end - prices->work) / CANON_WORK_UNIT);
	status = canonical_search(k->m, k->p, token, after, &found);
	prices->work += (uint64_t)cache->work * CANON_WORK_UNIT;
	cache->work_most = most;
	*yes = !status && !found;
	return status == GCDC_ERR_SEARCH ? GCDC_OK : status;
}

// A search from the place `after` the token; a group keeps the completion that it finds (keeps: it is one).
// Branches: the token may be a dead end, have too high a price in the first round, and have a completion or none.
static gcdc_status probe_search(struct hard_making *k, struct probed *t, const struct canonical_place *after,
                                struct hard_group *g, bool keeps)
{
	struct gcdc_matcher *m = k->m;
	struct hard_prices *prices = m->cache->prices;
	struct hard_masks *x = k->x;
	bool goes, is_dead = false;
	uint32_t nodes = t->nodes, price = 0;
	gcdc_status status = hard_enter_token(k, t->token, &goes);
	if (goes && t->round == ROUND_PROMISED && !status) status = is_dead_end(k, t->token, after, &is_dead);
	if (is_dead || status) return status;
	x->after.canonical = *after, x->after.left = GCDC_NONE;
	prices->is_cut = prices->by_place = false;
	if (goes && t->round == ROUND_PROMISED && !status) status = position_price(m, &x->after, &price);
	if (price > t->most) nodes = 0;
	if (goes && !status) status = hard_find_completion(m, &x->after, t->most, nodes, &t->yes);
	t->is_cut = prices->is_cut;
	const bool is_last = t->round == ROUND_EACH || (t->round == ROUND_PROMISED && price <= t->most);
	t->is_put_off |= !is_last && !t->yes && t->is_cut;
	g->is_dead |= !t->yes && !status && t->most == x->most && !prices->is_cut && !prices->by_place;
	if (!t->yes || !keeps) return status;
	g->first = x->tokens.n, g->n = prices->found.n;
	for (uint32_t i = 0; i < g->n && !status; i++)
		if (!vec32_push(&m->artifact->memory, &x->tokens, prices->found.at[i])) status = GCDC_ERR_MEMORY;
	return status;
}

// t->yes, t->is_cut; the place behind the token is `after`.
static gcdc_status probe_token(struct hard_making *k, struct probed *t, const struct canonical_place *after)
{
	struct gcdc_matcher *m = k->m;
	const struct gcdc_artifact *a = m->artifact;
	struct hard_masks *x = k->x;
	struct hard_group none = {.n = ARTIFACT_NONE}, *g = &none;
	gcdc_status status = GCDC_OK;
	t->yes = t->is_cut = false;
	hard_work(m->cache->prices, WORK_PROBE, 1);
	if (!a->info.n_lines) status = hard_group_of(m, x, t->token, &g);
	t->yes = !status && g->n != ARTIFACT_NONE && g->n <= t->most && closes_probed(k, t, after, g->first, g->n);
	if (!status && !g->is_dead && !t->yes) status = probe_search(k, t, after, g, g != &none);
	position_release(m, &x->after);
	if (status == GCDC_ERR_STACKS || status == GCDC_ERR_LIMIT) return t->is_cut = true, t->yes = false, GCDC_OK;
	return status;
}

static gcdc_status verdicts_of(struct gcdc_matcher *m, struct hard_masks *x, const struct hard_key *key, uint32_t slack,
                               uint32_t most, struct verdicts **out)
{
	uint32_t at = (uint32_t)(hard_hash(key) + slack * 0x9E3779B9u) % VERDICTS & ~3u;
	struct verdicts *v = &x->verdicts[at];
	for (uint32_t i = at; i < at + 4; i++) {
		struct verdicts *o = &x->verdicts[i];
		if (o->used && o->slack == slack && !memcmp(&o->key, key, sizeof *key)) {
			for (uint32_t w = 0; w < m->cache->words && most > o->most; w++) o->known[w] = o->yes[w];
			if (most > o->most) o->most = most;
			return o->used = ++x->clock, *out = o, GCDC_OK;
		}
		if (o->used < v->used) v = o;
	}
	v->used = 0;
	if (!hard_rows_clear(m->cache, &v->known, &v->yes) || !hard_rows_clear(m->cache, &v->joint, &v->known))
		return GCDC_ERR_MEMORY;
	v->has_joint = false, v->most = most, v->key = *key, v->slack = slack, v->used = ++x->clock;
	*out = v;
	return GCDC_OK;
}

// The verdict on a token for all tokens that may be before it: as the first of a piece it is never more than as a later
// one. Asked with t->nodes; *yes, *is_cut.
// Branches: a token is probed as the first and as a later one of its piece, near and far, and each verdict is kept in
// its own row.
static gcdc_status judge(struct hard_making *k, struct probed *t, bool *yes, bool *is_cut)
{
	struct verdicts *v = k->v;
	bool as_first = true, alone = false;
	gcdc_status status = GCDC_OK;
	*yes = *is_cut = false;
	for (t->most = k->near; !*yes && !status; t->most = k->x->most) {
		struct canonical_place first, later;
		t->how = 0;
		bool may_first = step_probed(k, t, &first), may_later = false;
		t->yes = t->is_cut = false;
		if (may_first) status = probe_token(k, t, &first);
		alone = *yes = t->yes, *is_cut |= t->is_cut;
		t->how = 1;
		if (!*yes && !status) may_later = step_probed(k, t, &later) && !(may_first && hard_place_same(&first, &later));
		if (may_later) status = probe_token(k, t, &later);
		*yes = t->yes, *is_cut |= t->is_cut, as_first = may_first;
		if (*yes && t->most > k->near) return status;  // farther than what is kept
		if (t->most == k->x->most) break;
	}
	if (status || (!*yes && (!t->nodes || t->is_put_off || hard_is_spent(k->m->cache->prices))))
		return status;  // not looked at
	row_add(v->known, t->token);
	if (*yes) row_add(v->yes, t->token);
	if (*yes && as_first && !alone) row_add(v->joint, t->token), v->has_joint = true;
	return status;
}

// One token of the remainder: a search for it, where one is needed, may take t->nodes. t->yes, t->is_cut,
// t->is_put_off.
static gcdc_status probe_one(struct hard_making *k, struct probed *t, bool is_plain)
{
	const struct gcdc_artifact *a = k->m->artifact;
	const struct canonical_place *from = &k->p->canonical;
	const struct token_classes *classes = k->m->cache->classes;
	struct canonical_place after;
	gcdc_status status = GCDC_OK;
	bool yes = false, is_cut = false;
	t->class = token_class_at(a, classes, from, is_plain, t->token);
	if (t->class != NO_CLASS && classes->is_begun[t->class]) t->class = NO_CLASS;
	if (k->v) {
		status = judge(k, t, &yes, &is_cut);
		t->yes = yes, t->is_cut = is_cut;
	} else {
		t->how = from->last != ARTIFACT_NONE && canonical_adjacent(&a->canonical, from->last, t->token);
		if (step_probed(k, t, &after)) status = probe_token(k, t, &after);
	}
	t->is_put_off &= !t->yes;
	return status;
}

// Has a search proved that the grammar has no completion there?
static gcdc_status is_in_dead_group(struct hard_making *k, const struct replay_pair *pair, uint32_t token, bool *yes)
{
	struct hard_group *g;
	const uint32_t first = REPLAY_BASES * k->m->artifact->info.n_lex_states;
	*yes = pair && pair->place >= first && k->x->group[pair->place - first].is_dead;
	if (pair && pair->place >= first) return GCDC_OK;
	if (!k->has_groups) return GCDC_OK;
	gcdc_status status = hard_group_of(k->m, k->x, token, &g);
	position_release(k->m, &k->x->after);
	if (status == GCDC_ERR_STACKS || status == GCDC_ERR_LIMIT) return GCDC_OK;
	*yes = !status && g->is_dead;
	return status;
}

// The same of what completions at hand do not decide. Put off: nothing is known yet.
// Branches: each round puts something off, and without nodes only what others have found decides.
static gcdc_status ask_one(struct hard_making *k, struct probed *t, bool is_plain)
{
	struct hard_prices *prices = k->m->cache->prices;
	struct replay_pair *pair;
	bool is_dead = false;
	gcdc_status status = hard_replay_token(k, t->token, is_plain, &t->yes, &pair);
	if (t->yes || status) return status;
	if (pair && t->round == ROUND_PROMISED) status = hard_replay_dear(k, pair, t->token, &t->is_put_off);
	if (pair && (t->round == ROUND_FEW || t->round == ROUND_MORE)) t->is_put_off = pair->nodes >= t->nodes;
	if (t->round != ROUND_PROMISED && !status) status = is_in_dead_group(k, pair, t->token, &is_dead);
	if (is_dead && k->v) row_add(k->v->known, t->token);
	if (is_dead) return t->is_put_off = false, GCDC_OK;
	if (t->round != ROUND_PROMISED && !t->nodes) t->is_put_off = t->round != ROUND_EACH, t->is_cut = true;
	if (t->is_put_off || t->is_cut || status) return status;
	prices->without_common = pair != NULL;
	const uint32_t nodes = t->nodes;
	status = probe_one(k, t, is_plain);
	prices->without_common = false;
	if (pair && t->is_put_off && !status) status = hard_replay_failed(k, t->token, is_plain, nodes);
	return status;
}

// One after the other those of the remainder: what fits stays in the mask. All of them together may take so many nodes.
static gcdc_status ask_round(struct hard_making *k, enum round round, uint64_t most_nodes)
{
	struct hard_prices *prices = k->m->cache->prices;
	const bool is_plain = place_is_plain(&k->p->canonical);
	const uint64_t begin = prices->n_all_nodes;
	gcdc_status status = GCDC_OK;
	for (uint32_t w = 0; w < k->m->artifact->info.mask_words && !status; w++)
		for (uint32_t bits = k->remainder[w]; bits && !status && !hard_is_spent(prices); bits &= bits - 1) {
			struct probed t = {.token = w * 32 + (uint32_t)__builtin_ctz(bits), .most = k->x->most, .round = round};
			t.nodes = prices->n_all_nodes - begin < most_nodes ? nodes_of_round[round] : 0;
			status = ask_one(k, &t, is_plain);
			if (status || (!t.yes && (t.is_put_off || hard_is_spent(prices)))) continue;
			row_drop(k->remainder, t.token);
			prices->n_refused += !t.yes && t.is_cut;
			if (!t.yes) row_drop(k->mask, t.token);
		}
	return status;
}

// In rounds: those of which prices promise a completion do not share their nodes with the others.
static gcdc_status probe_rest(struct hard_making *k)
{
	struct gcdc_matcher *m = k->m;
	const struct gcdc_artifact *a = m->artifact;
	struct hard_prices *prices = m->cache->prices;
	struct hard_masks *x = k->x;
	const bool is_narrow = a->cost_info->model != COST_EXACT && k->near == x->most;
	x->n_groups = x->tokens.n = 0, x->does_stamp++;
	gcdc_status status = a->info.n_lines ? GCDC_OK : probe_cache_begin(m, &x->probe_cache, k->p);
	k->has_groups = !a->info.n_lines && !status;
	if (!status) status = ask_round(k, ROUND_PROMISED, HARD_MASK_NODES);
	const uint64_t begin = prices->n_all_nodes, most = is_narrow ? HARD_MASK_NODES / 8 : HARD_MASK_NODES;
	for (enum round round = ROUND_FEW; round < ROUNDS && !status; round++) {
		const uint64_t part = round == ROUND_FEW ? most / 2 : most, used = prices->n_all_nodes - begin;
		status = ask_round(k, round, used < part ? part - used : 0);
	}
	k->has_groups = false;
	if (!a->info.n_lines) probe_cache_end(m, &x->probe_cache);
	return status;
}

// Tokens that fit only together with the one before go unless they are.
static void drop_apart(const struct gcdc_artifact *a, const struct canonical_place *p, const struct verdicts *v,
                       uint32_t *mask)
{
	for (uint32_t w = 0; w < a->info.mask_words && v->has_joint; w++)
		for (uint32_t bits = mask[w] & v->joint[w]; bits; bits &= bits - 1) {
			uint32_t t = w * 32 + (uint32_t)__builtin_ctz(bits);
			if (p->last == ARTIFACT_NONE || !canonical_adjacent(&a->canonical, p->last, t)) row_drop(mask, t);
		}
}

// What is known of the position's tokens goes into the mask; *any: of some nothing is known. Else all is done.
static gcdc_status take_known(struct hard_making *k, struct hard_key *key, uint32_t slack, uint32_t most, bool *any)
{
	const uint32_t words = k->m->artifact->info.mask_words;
	uint32_t *mask = k->mask, unknown = 0;
	struct verdicts *v;
	key->last = ARTIFACT_NONE;
	gcdc_status status = verdicts_of(k->m, k->x, key, slack, most, &v);
	if (status) return status;
	k->key = key, k->v = v;
	for (uint32_t w = 0; w < words; w++) unknown |= mask[w] & ~v->known[w];
	for (uint32_t w = 0; w < words && unknown; w++)
		k->remainder[w] = mask[w] & ~v->known[w], mask[w] &= v->yes[w] | ~v->known[w];
	for (uint32_t w = 0; w < words && !unknown; w++) mask[w] &= v->yes[w];
	*any = unknown != 0;
	return GCDC_OK;
}

// The mask and the remainder lose what the prices of texts, not only canonical ones, are too high for.
static gcdc_status drop_dear(struct hard_making *k, const struct hard_prices *prices, uint32_t most)
{
	struct hard_masks *x = k->x;
	bool some = false;
	gcdc_status status = position_copy(k->m, &x->here, k->p);
	x->here.left = GCDC_NONE;
	if (!status) status = hard_fill(k->m, &x->here, most, prices->mask, &some);
	position_release(k->m, &x->here);
	for (uint32_t w = 0; w < k->m->artifact->info.mask_words && !status; w++) {
		uint32_t out = some ? k->remainder[w] & ~prices->mask[w] : k->remainder[w];
		k->mask[w] &= ~out, k->remainder[w] &= ~out;
		if (k->v) k->v->known[w] |= out;
	}
	return status;
}

bool hard_has_many(const struct hard_making *k)
{
	uint32_t n = 0;
	for (uint32_t w = 0; w < k->m->artifact->info.mask_words && n < k->m->cache->many; w++)
		n += k->remainder[w] ? (uint32_t)__builtin_popcount(k->remainder[w]) : 0;
	return n >= k->m->cache->many;
}

// The work of the mask is done: what is left is refused, but for what others like it have proved.
static void give_up(struct hard_making *k)
{
	const bool is_plain = place_is_plain(&k->p->canonical), asks = hard_replay_has_places(k) || !hard_has_many(k);
	for (uint32_t w = 0; w < k->m->artifact->info.mask_words; w++) {
		for (uint32_t bits = asks ? k->remainder[w] : 0; bits; bits &= bits - 1) {
			const uint32_t t = w * 32 + (uint32_t)__builtin_ctz(bits);
			if (!hard_replay_is_sure(k, t, is_plain)) continue;
			if (k->v) row_add(k->v->known, t), row_add(k->v->yes, t);
			row_drop(k->remainder, t);
		}
		k->m->cache->prices->n_refused += (uint32_t)__builtin_popcount(k->remainder[w]);
		k->mask[w] &= ~k->remainder[w];
	}
}

// What is known decides, and searches do. k->v NULL: nothing is kept.
static gcdc_status keep_by_search(struct hard_making *k, struct hard_prices *prices, uint32_t most)
{
	struct hard_masks *x = k->x;
	const struct canonical_place *c = &k->p->canonical;
	x->most = most;
	gcdc_status status = drop_dear(k, prices, most);
	for (uint32_t i = 0; i < k->m->cache->classes->n; i++) x->behind[i].is[0] = x->behind[i].is[1] = BEHIND_UNKNOWN;
	if (!status) status = hard_replay_begin(k);
	if (k->v && !status && !c->n_begun && hard_has_many(k)) status = hard_take_inner(k);
	if (!status && hard_has_many(k)) status = hard_replay(k, place_is_plain(c));
	if (!status) status = probe_rest(k);
	if (hard_is_spent(prices)) give_up(k);
	hard_replay_end(k);
	return status;
}

// Tokens behind which the character before them still matters go from the mask into x->apart. *any: there are some.
static gcdc_status take_joining(struct hard_making *k, bool *any)
{
	const uint32_t *joins = k->m->cache->classes->joins;
	*any = false;
	if (!k->x->apart && !(k->x->apart = canonical_row_new(k->m->cache))) return GCDC_ERR_MEMORY;
	for (uint32_t w = 0; w < k->m->artifact->info.mask_words; w++) {
		k->x->apart[w] = k->mask[w] & joins[w], k->mask[w] &= ~joins[w];
		*any |= k->x->apart[w] != 0;
	}
	return GCDC_OK;
}

// Those that can be afforded come back.
static gcdc_status keep_joining(struct hard_making *k, struct hard_prices *prices, uint32_t most)
{
	struct hard_making own = *k;
	const size_t size = k->m->artifact->info.mask_words * sizeof *k->mask;
	own.v = NULL, own.key = NULL, own.mask = k->x->apart;
	memcpy(own.remainder, own.mask, size);
	gcdc_status status = keep_by_search(&own, prices, most);
	for (uint32_t w = 0; w < k->m->artifact->info.mask_words; w++) k->mask[w] |= k->x->apart[w];
	return status;
}

// `most` may follow each token.
// Branches: nothing, all or some of the mask can be afforded, and only places that have a key are looked up.
static gcdc_status keep_affordable(struct gcdc_matcher *m, struct hard_prices *prices, struct hard_masks *x,
                                   const struct position *p, uint32_t most, uint32_t *mask)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct canonical_place *c = &p->canonical;
	struct hard_making k = {.m = m, .x = x, .p = p, .near = most, .mask = mask, .remainder = x->remainder};
	uint32_t base;
	struct hard_key key;
	bool any = true, any_joins = false;
	gcdc_status status = position_price(m, p, &base);
	base = hard_least(a, base);
	if (status || base == PRICE_NEVER || base > most + 1) {  // but for the completion at hand
		memset(mask, 0, a->info.mask_words * sizeof *mask);
		return status == GCDC_ERR_STACKS ? GCDC_OK : status;
	}
	uint32_t slack = most + 1 - base;
	if (slack >= SLACK_FAR) slack = SLACK_FAR, k.near = base + SLACK_FAR - 1;
	const bool has_mark = c->left || c->combining;
	if (hard_key_of(m, p, &key) && !c->n_live && !(has_mark && c->n_begun)) {
		key.marks = 0;
		if (has_mark) status = take_joining(&k, &any_joins);
		if (!status) status = take_known(&k, &key, slack, most, &any);
	} else {
		memcpy(x->remainder, mask, a->info.mask_words * sizeof *mask);
	}
	if (!status && any) status = keep_by_search(&k, prices, most);
	if (k.v && !status) drop_apart(a, c, k.v, mask);
	if (any_joins && !status) status = keep_joining(&k, prices, most);
	return status;
}

// What tells the position. False: it has too many readings.
static bool told_key(struct gcdc_matcher *m, const struct position *p, struct told *x)
{
	const struct frame_cost *cost = m->pool->cost;
	memset(x, 0, sizeof *x);
	if (hard_key_of(m, p, &x->key)) return true;
	if (p->n > TOLD_READINGS) return false;
	x->key = (struct hard_key){0}, x->n = p->n, x->column = p->column, x->place = p->canonical;
	for (uint32_t i = 0; i < p->n; i++) {
		const struct reading *r = &p->at[i];
		x->reading[i] = (struct told_reading){r->lex_state, r->frame, cost[r->frame].stamp, r->columns,
		                                      r->columns ? cost[r->columns].stamp : 0};
	}
	return true;
}

static bool told_same(const struct told *a, const struct told *b)
{
	return a->left == b->left && a->eos == b->eos && a->next == b->next && a->n == b->n && a->column == b->column &&
	       !memcmp(&a->key, &b->key, sizeof a->key) && !memcmp(a->reading, b->reading, sizeof a->reading) &&
	       (!a->n || hard_place_same(&a->place, &b->place));
}

// Where the position's mask is kept, or is to be; NULL: nowhere. The completions that searches find are kept, and one
// of them may do for a token that was refused before, because a limit was passed, prices are aligned, or the file is
// forged: without this a mask could differ from the one before it.
static struct told *told_of(struct gcdc_matcher *m, struct hard_masks *x, const struct position *p, uint32_t next)
{
	struct told own;
	struct told *oldest = x->told;
	if (!told_key(m, p, &own)) return NULL;
	own.left = p->left, own.eos = m->budget_counts_eos, own.next = next;
	for (struct told *t = x->told; t < x->told + TOLD; t++) {
		if (t->used && told_same(t, &own)) return t;
		if (t->used < oldest->used) oldest = t;
	}
	if (!(own.row = oldest->row) && !(own.row = canonical_row_new(m->cache))) return NULL;
	*oldest = own;
	return oldest;
}

// What p's budget leaves; what surely fits is not searched for. `most` may follow each token.
static gcdc_status keep_near(struct hard_making *k, const struct far_fewer *fewer, uint32_t most)
{
	const uint32_t words = k->m->artifact->info.mask_words;
	struct hard_masks *x = k->x;
	if (!fewer) return keep_affordable(k->m, k->m->cache->prices, x, k->p, most, k->mask);
	if (!x->near && !(x->near = canonical_row_new(k->m->cache))) return GCDC_ERR_MEMORY;
	far_near(k->m, *fewer, k->mask, x->near);
	if (row_is_empty(x->near, words)) return GCDC_OK;
	for (uint32_t w = 0; w < words; w++) k->mask[w] &= ~x->near[w];
	gcdc_status status = keep_affordable(k->m, k->m->cache->prices, x, k->p, most, x->near);
	for (uint32_t w = 0; w < words; w++) k->mask[w] |= x->near[w];
	return status;
}

// Branches: EOS and the next token of the completion are in the mask whatever the search finds, which may be kept.
gcdc_status hard_afford(struct gcdc_matcher *m, const struct position *p, const struct far_fewer *fewer, uint32_t *mask,
                        bool *empty)
{
	const struct gcdc_artifact *a = m->artifact;
	struct hard_prices *prices;
	struct hard_masks *x;
	uint32_t eos = m->budget_counts_eos, next = hard_next_of_completion(m, p), any = 0;
	bool ends = false;
	gcdc_status status = masks_of(m, &prices, &x);
	if (status) return status;
	for (uint32_t i = 0; i < a->info.n_eos; i++) ends |= row_has(mask, a->eos[i]), row_drop(mask, a->eos[i]);
	if (next != ARTIFACT_NONE && !row_has(mask, next)) return GCDC_ERR_INTERNAL;  // a forged file
	struct told *told = told_of(m, x, p, next);
	prices->gave_up = false;
	if (told && told->used) {
		told->used = ++x->clock, *empty = false;
		return memcpy(mask, told->row, a->info.mask_words * sizeof *mask), GCDC_OK;
	}
	prices->work = 0, prices->work_end = m->cache->afford_most;
	if (p->left > eos)
		status = keep_near(&(struct hard_making){.m = m, .x = x, .p = p, .mask = mask}, fewer, p->left - eos - 1);
	else
		memset(mask, 0, a->info.mask_words * sizeof *mask);
	prices->gave_up = hard_is_spent(prices), prices->work_end = UINT64_MAX;
	if (next != ARTIFACT_NONE) row_add(mask, next);
	for (uint32_t i = 0; i < a->info.n_eos && ends && p->left >= eos; i++) row_add(mask, a->eos[i]);
	for (uint32_t w = 0; w < a->info.mask_words; w++) any |= mask[w];
	*empty = !any;
	if (told && !status && any) told->used = ++x->clock, memcpy(told->row, mask, a->info.mask_words * sizeof *mask);
	return status;
}

uint64_t gcdc_matcher_unpriced(const gcdc_matcher *m)
{
	return m && m->cache && m->cache->prices ? m->cache->prices->n_refused : 0;
}
