// Lookaheads inside a lexeme: what a thread of the NFA still owes.
//
// In:  the automata of the lookaheads' bodies. Out: for the subset construction, "pending" numbers: sets of
//      (lookahead, place in its automaton) that one thread carries along, interned; 0 owes nothing.
// A positive lookahead is paid when its automaton accepts and kills the thread when it dies; a negative one the
// other way round. Where the lexeme ends first, a positive one fails and a negative one holds: a terminal is a
// set of texts and sees nothing beyond its lexeme. (This is intersection, and complement, of regular languages,
// done thread by thread: compare the derivatives of Owens, Reppy, Turon 2009.)
// Cost: one set step per thread and byte; the sets are short unless lookaheads overlap themselves.
#include "regex_internal.h"

struct look_sets {
	struct re_ctx *c;
	struct re_span *of; // pending -> its places in `places`
	uint32_t n, cap;
	VEC(uint32_t) places;  // numbers of automaton states over all lookaheads, sorted
	VEC(uint32_t) look_of; // place -> lookahead
	struct re_index index;
	VEC(uint64_t) pairs; // item -> id | pending << 32
	struct re_index pair_index;
	VEC(uint32_t) work;
	uint64_t steps; // places visited so far
};

struct set_side {
	const struct look_sets *l;
	const uint32_t *at;
	uint32_t n;
};

static bool same_places(const void *side, uint32_t number)
{
	const struct set_side *k = side;
	struct re_span s = k->l->of[number];
	return s.n == k->n && !memcmp(k->l->places.at + s.first, k->at, k->n * sizeof *k->at);
}

static bool same_pair(const void *side, uint32_t number)
{
	const struct set_side *k = side;
	uint64_t pair;
	memcpy(&pair, k->at, sizeof pair);
	return k->l->pairs.at[number] == pair;
}

// Interns l->work as a pending number.
static uint32_t intern_work(struct look_sets *l)
{
	uint32_t *at = l->work.at, n = l->work.n;
	for (uint32_t i = 1; i < n; i++)
		for (uint32_t k = i; k && at[k] < at[k - 1]; k--) {
			uint32_t x = at[k];
			at[k] = at[k - 1], at[k - 1] = x;
		}
	uint32_t unique = 0;
	for (uint32_t i = 0; i < n; i++)
		if (!i || at[i] != at[i - 1]) at[unique++] = at[i];
	struct set_side side = {l, at, unique};
	uint32_t found = re_index_get(&l->index, re_hash(at, unique * sizeof *at), same_places, &side, l->n);
	if (found != UINT32_MAX) return found;
	vec_reserve(&l->places, (uint64_t)l->places.n + unique);
	if (l->n == l->cap) {
		l->cap = l->cap ? l->cap * 2 : 16;
		l->of = mem_realloc(l->of, l->cap, sizeof *l->of);
	}
	l->of[l->n] = (struct re_span){l->places.n, unique};
	for (uint32_t i = 0; i < unique; i++) vec_push(&l->places, at[i]);
	return l->n++;
}

struct look_sets *look_sets_new(struct re_ctx *c)
{
	struct look_sets *l = mem_calloc(1, sizeof *l);
	l->c = c;
	for (uint32_t i = 0; i < c->looks.n; i++) {
		struct re_look *k = &c->looks.at[i];
		if (k->behind) continue;
		k->offset = l->look_of.n;
		for (uint32_t s = 0; s < k->dfa->n_states; s++) vec_push(&l->look_of, i);
	}
	vec_clear(&l->work);
	uint32_t none = intern_work(l);
	ASSERT(none == 0);
	return l;
}

void look_sets_free(struct look_sets *l)
{
	if (!l) return;
	free(l->of);
	vec_release(&l->places);
	vec_release(&l->look_of);
	vec_release(&l->pairs);
	vec_release(&l->work);
	re_index_release(&l->index);
	re_index_release(&l->pair_index);
	free(l);
}

uint64_t look_sets_cost(const struct look_sets *l) { return (uint64_t)l->places.n + l->pairs.n + l->steps; }

static void load(struct look_sets *l, uint32_t pending)
{
	vec_clear(&l->work);
	l->steps += l->of[pending].n;
	for (uint32_t i = 0; i < l->of[pending].n; i++) {
		uint32_t place = l->places.at[l->of[pending].first + i];
		vec_push(&l->work, place);
	}
}

uint32_t look_begin(struct look_sets *l, uint32_t pending, uint32_t look)
{
	const struct re_look *k = &l->c->looks.at[look];
	bool never = !k->dfa->n_states, at_once = !never && k->dfa->accept[0];
	if (never) return k->negative ? pending : LOOK_FAIL;
	if (at_once) return k->negative ? LOOK_FAIL : pending;
	load(l, pending);
	vec_push(&l->work, k->offset);
	return intern_work(l);
}

uint32_t look_step(struct look_sets *l, uint32_t pending, uint8_t byte)
{
	if (!pending) return 0;
	load(l, pending);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < l->work.n; i++) {
		uint32_t place = l->work.at[i];
		const struct re_look *k = &l->c->looks.at[l->look_of.at[place]];
		uint32_t to = sparse_step(k->dfa, place - k->offset, byte);
		bool dead = to == DFA_DEAD, done = !dead && k->dfa->accept[to];
		if (k->negative ? done : dead) return LOOK_FAIL;
		if (!done && !dead) l->work.at[kept++] = k->offset + to;
	}
	l->work.n = kept;
	return intern_work(l);
}

bool look_end(struct look_sets *l, uint32_t pending, bool *undecided)
{
	bool ok = true;
	for (uint32_t i = 0; i < l->of[pending].n; i++) {
		uint32_t place = l->places.at[l->of[pending].first + i];
		*undecided = true;
		ok &= l->c->looks.at[l->look_of.at[place]].negative;
	}
	return ok;
}

uint32_t look_pair(struct look_sets *l, uint32_t id, uint32_t pending)
{
	uint64_t pair = id | (uint64_t)pending << 32;
	uint32_t key[2];
	memcpy(key, &pair, sizeof key);
	struct set_side side = {l, key, 2};
	uint32_t found = re_index_get(&l->pair_index, re_hash(key, sizeof key), same_pair, &side, l->pairs.n);
	if (found != UINT32_MAX) return found;
	vec_push(&l->pairs, pair);
	return l->pairs.n - 1;
}

void look_unpair(const struct look_sets *l, uint32_t item, uint32_t *id, uint32_t *pending)
{
	*id = (uint32_t)l->pairs.at[item];
	*pending = (uint32_t)(l->pairs.at[item] >> 32);
}
