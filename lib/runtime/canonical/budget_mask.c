// Budgets in hard canonical mode: masks of tokens after which a canonical closing fits; closings that positions carry.
//
// In:  a position with tokens left, its mask of canonical successors.  Out: the mask without those that lead to no
// closing, or to none that is short enough. A token stays when a closing behind it is at hand: so what is allowed can
// always be finished, and dead ends need no search of their own. Each position carries one (frames of tokens, shared by
// forks and kept for rolling back like stacks); its next token is allowed whatever searches say. So no mask is empty,
// whatever limits are passed; a token that a search has given up on is refused, and counted (gcdc_matcher_unpriced).
// One search serves many tokens: those that stay in the lexeme (budget_inner.c), and those that lead to one place
// (probe_cache.c). These have closings in common, which a few steps of the tokenizer's automaton prove for each;
// they are kept by lexer state and stack. Verdicts are kept by all that they depend on but for the token before, as
// two rows: known, yes. From SLACK_FAR tokens above the plain price on all budgets share them, so far budgets cost two
// rows a mask. Places behind tokens, and what a closing does there, are found once for each class of tokens
// (token_classes.h). Cost: 1 to 3 microseconds where verdicts are known; else 0.1 for each token, and the searches.
#include "budget_mask.h"
#include "token_classes.h"

#define SLACK_FAR 12u

static void masks_free(const gcdc_memory *memory, struct hard_masks *x)
{
	if (!x) return;
	for (uint32_t i = 0; i < VERDICTS; i++)
		memory_free(memory, x->verdicts[i].known), memory_free(memory, x->verdicts[i].yes),
			memory_free(memory, x->verdicts[i].joint);
	for (uint32_t i = 0; i < COLUMNS; i++)
		memory_free(memory, x->columns[i].known), memory_free(memory, x->columns[i].yes);
	for (uint32_t i = 0; i < INNER; i++)
		for (uint32_t k = 0; k < INNER_TO; k++) memory_free(memory, x->inner[i].row[k]);
	for (uint32_t i = 0; i < TOLD; i++) memory_free(memory, x->told[i].row);
	probe_cache_free(memory, &x->probe_cache);
	memory_free(memory, x->here.at);
	memory_free(memory, x->after.at);
	memory_free(memory, x->group);
	memory_free(memory, x->tokens.at);
	memory_free(memory, x->ends.at);
	memory_free(memory, x->count);
	memory_free(memory, x->behind);
	memory_free(memory, x->does);
	memory_free(memory, x->remainder);
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
	if (!x->count || !x->behind || !x->does || !(x->remainder = canonical_row_new(m->cache))) {
		masks_free(memory, x);
		return GCDC_ERR_MEMORY;
	}
	(*prices)->free_masks = masks_free, (*prices)->forget_masks = masks_forget;
	*out = (*prices)->masks = x;
	return GCDC_OK;
}

static gcdc_status group_new(const struct gcdc_matcher *m, struct hard_masks *x)
{
	if (x->n_groups == x->groups_cap) {
		uint32_t cap = x->groups_cap ? x->groups_cap * 2 : 64;
		struct hard_group *at = memory_resize(&m->artifact->memory, x->group, cap, sizeof *at);
		if (!at) return GCDC_ERR_MEMORY;
		x->group = at, x->groups_cap = cap;
	}
	x->group[x->n_groups++] = (struct hard_group){.n = ARTIFACT_NONE};
	return GCDC_OK;
}

// The tokens of a group have their position in common: the first is in x->after.
static gcdc_status group_of(struct gcdc_matcher *m, struct hard_masks *x, uint32_t token, struct hard_group **g)
{
	struct probe_cache_entry *entry;
	gcdc_status status = probe_cache_find(m, &x->probe_cache, token, &x->after, &entry);
	if (status) return status;
	if (entry->value == ALIKE_UNKNOWN) {
		entry->value = x->n_groups;
		status = group_new(m, x);
	}
	*g = &x->group[entry->value];
	return status;
}

static gcdc_status is_too_dear(struct gcdc_matcher *m, const struct position *p, uint32_t most, bool *yes)
{
	uint32_t price = PRICE_NEVER;
	gcdc_status status = p->n ? position_price(m, p, &price) : GCDC_OK;
	*yes = hard_least(m->artifact, price) > most;
	return status;
}

// A token asked for: is there a closing of `most` tokens behind it, found with so many nodes? is_cut: not found out.
// class: NO_CLASS where it is looked at by itself. how: as canonical_step_as.
struct probed {
	uint32_t token, class, how, most, nodes;
	bool yes, is_cut;
};

// *after: the place behind the token, by its class where there is one. False: it is not canonical so.
static bool step_probed(struct hard_making *k, const struct probed *t, struct canonical_place *after)
{
	const struct gcdc_artifact *a = k->m->artifact;
	*after = k->p->canonical;
	if (t->class == NO_CLASS) return canonical_step_as(a, after, t->token, t->how);
	struct hard_behind *b = &k->x->behind[t->class];
	if (b->is[t->how] == BEHIND_UNKNOWN) {
		b->after[t->how] = *after;
		b->is[t->how] = canonical_step_as(a, &b->after[t->how], t->token, t->how) ? BEHIND_PLACE : BEHIND_NONE;
	}
	if (b->is[t->how] == BEHIND_NONE) return false;
	return *after = b->after[t->how], after->last = t->token, true;
}

// hard_closes behind the token, for a closing of this mask; by its class where there is one.
static bool closes_probed(struct hard_making *k, const struct probed *t, const struct canonical_place *after,
                          uint32_t first, uint32_t n)
{
	const struct gcdc_artifact *a = k->m->artifact;
	const uint32_t *tokens = &k->x->tokens.at[first], class = t->class << 1 | t->how;
	if (t->class == NO_CLASS || !n) return hard_closes(a, after, tokens, n);
	struct hard_does *d = &k->x->does[hash_pair(first, class) >> 40 & (CLOSES - 1)];
	if (d->stamp != k->x->does_stamp || d->closing != first || d->class != class) {
		*d = (struct hard_does){.closing = first, .class = class, .stamp = k->x->does_stamp};
		for (uint32_t how = 0; how < 2; how++) {
			struct canonical_place at = *after;
			if (canonical_step_as(a, &at, *tokens, how) && hard_closes(a, &at, tokens + 1, n - 1))
				d->bits |= (uint8_t)(1u << how);
		}
	}
	if (!d->bits || d->bits == 3) return d->bits;
	return d->bits >> canonical_adjacent(&a->canonical, t->token, *tokens) & 1;
}

// x->after becomes the position behind the token, if group_of has not made it so. *goes: some text leads on.
static gcdc_status enter_token(struct hard_making *k, uint32_t token, bool *goes)
{
	const struct gcdc_artifact *a = k->m->artifact;
	struct position *after = &k->x->after;
	uint32_t begin = a->token_offset[token];
	*goes = true;
	if (after->n) return GCDC_OK;
	gcdc_status status = position_copy(k->m, after, k->p);
	if (!status) status = position_step(k->m, after, a->token_bytes + begin, a->token_offset[token + 1] - begin);
	if (!status) position_drop_unstarted(k->m, after);
	*goes = !status && after->n;
	return status;
}

// A search from the place `after` the token; a group keeps the closing that it finds (keeps: it is one).
static gcdc_status probe_search(struct hard_making *k, struct probed *t, const struct canonical_place *after,
                                struct hard_group *g, bool keeps)
{
	struct gcdc_matcher *m = k->m;
	struct hard_prices *prices = m->cache->prices;
	struct hard_masks *x = k->x;
	bool goes;
	gcdc_status status = enter_token(k, t->token, &goes);
	x->after.canonical = *after, x->after.left = GCDC_NONE;
	prices->is_cut = prices->by_place = false;
	if (goes) status = hard_find_completion(m, &x->after, t->most, t->nodes, &t->yes);
	t->is_cut = prices->is_cut;
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
	if (!a->info.n_lines) status = group_of(m, x, t->token, &g);
	if (!status && x->after.n) {  // new
		position_drop_unstarted(m, &x->after);
		status = is_too_dear(m, &x->after, x->most, &g->is_dead);
	}
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
	if (status || (!*yes && !t->nodes)) return status;  // not looked at
	row_add(v->known, t->token);
	if (*yes) row_add(v->yes, t->token);
	if (*yes && as_first && !alone) row_add(v->joint, t->token), v->has_joint = true;
	return status;
}

// One token of the remainder: a search for it, where one is needed, may take so many nodes.
static gcdc_status probe_one(struct hard_making *k, uint32_t token, bool is_plain, uint32_t nodes, bool *yes,
                             bool *is_cut)
{
	const struct gcdc_artifact *a = k->m->artifact;
	const struct canonical_place *from = &k->p->canonical;
	const struct token_classes *classes = k->m->cache->classes;
	struct probed t = {.token = token, .most = k->x->most, .nodes = nodes};
	struct canonical_place after;
	*yes = *is_cut = false;
	t.class = token_class_at(a, classes, from, is_plain, token);
	if (t.class != NO_CLASS && classes->is_begun[t.class]) t.class = NO_CLASS;
	if (k->v) return judge(k, &t, yes, is_cut);
	t.how = from->last != ARTIFACT_NONE && canonical_adjacent(&a->canonical, from->last, token);
	if (!step_probed(k, &t, &after)) return GCDC_OK;
	gcdc_status status = probe_token(k, &t, &after);
	*yes = t.yes, *is_cut = t.is_cut;
	return status;
}

// One after the other those of the remainder: what fits stays in the mask.
static gcdc_status probe_rest(struct hard_making *k)
{
	struct gcdc_matcher *m = k->m;
	const struct gcdc_artifact *a = m->artifact;
	struct hard_prices *prices = m->cache->prices;
	struct hard_masks *x = k->x;
	uint64_t begin = prices->n_all_nodes;
	const bool is_far = k->near < x->most, is_plain = place_is_plain(&k->p->canonical);
	uint64_t most_nodes = a->cost_info->model == COST_EXACT || is_far ? HARD_MASK_NODES : HARD_MASK_NODES / 8;
	x->n_groups = x->tokens.n = 0, x->does_stamp++;
	for (uint32_t i = 0; i < m->cache->classes->n; i++) x->behind[i].is[0] = x->behind[i].is[1] = BEHIND_UNKNOWN;
	gcdc_status status = a->info.n_lines ? GCDC_OK : probe_cache_begin(m, &x->probe_cache, k->p);
	for (uint32_t w = 0; w < a->info.mask_words && !status; w++)
		for (uint32_t bits = k->remainder[w]; bits && !status; bits &= bits - 1) {
			const uint32_t t = w * 32 + (uint32_t)__builtin_ctz(bits);
			bool yes, is_cut;
			status = probe_one(k, t, is_plain, prices->n_all_nodes - begin < most_nodes ? HARD_TOKEN_NODES : 0, &yes,
			                   &is_cut);
			prices->n_refused += !yes && is_cut;
			if (!yes) row_drop(k->mask, t);
		}
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
	bool any = true;
	gcdc_status status = position_price(m, p, &base);
	base = hard_least(a, base);
	if (status || base == PRICE_NEVER || base > most + 1) {  // but for the closing at hand
		memset(mask, 0, a->info.mask_words * sizeof *mask);
		return status == GCDC_ERR_STACKS ? GCDC_OK : status;
	}
	uint32_t slack = most + 1 - base;
	if (slack >= SLACK_FAR) slack = SLACK_FAR, k.near = base + SLACK_FAR - 1;
	if (hard_key_of(m, p, &key) && !c->n_live && !c->left && !c->combining)
		status = take_known(&k, &key, slack, most, &any);
	else
		memcpy(x->remainder, mask, a->info.mask_words * sizeof *mask);
	if (status) return status;
	if (LIKELY(!any)) return drop_apart(a, c, k.v, mask), GCDC_OK;
	x->most = most;
	status = drop_dear(&k, prices, most);
	if (k.v && !status && !c->n_begun) status = hard_take_inner(&k);
	if (!status) status = probe_rest(&k);
	if (k.v) drop_apart(a, c, k.v, mask);
	return status;
}

// Where the position's mask is kept, or is to be; NULL: nowhere. The closings that searches find are kept, and one of
// them may do for a token that was refused before, because a limit was passed, prices are aligned, or the file is
// forged: without this a mask could differ from the one before it.
static struct told *told_of(struct gcdc_matcher *m, struct hard_masks *x, const struct position *p, uint32_t next)
{
	struct hard_key key;
	struct told *oldest = x->told;
	if (!hard_key_of(m, p, &key)) return NULL;
	for (struct told *t = x->told; t < x->told + TOLD; t++) {
		if (t->used && t->left == p->left && t->eos == m->budget_counts_eos && t->next == next &&
		    !memcmp(&t->key, &key, sizeof key))
			return t;
		if (t->used < oldest->used) oldest = t;
	}
	if (!oldest->row && !(oldest->row = canonical_row_new(m->cache))) return NULL;
	oldest->key = key, oldest->used = 0, oldest->left = p->left, oldest->eos = m->budget_counts_eos,
	oldest->next = next;
	return oldest;
}

// Branches: EOS and the next token of the completion are in the mask whatever the search finds, which may be kept.
gcdc_status hard_afford(struct gcdc_matcher *m, const struct position *p, uint32_t *mask, bool *empty)
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
	if (told && told->used) {
		told->used = ++x->clock, *empty = false;
		return memcpy(mask, told->row, a->info.mask_words * sizeof *mask), GCDC_OK;
	}
	if (p->left > eos)
		status = keep_affordable(m, prices, x, p, p->left - eos - 1, mask);
	else
		memset(mask, 0, a->info.mask_words * sizeof *mask);
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
