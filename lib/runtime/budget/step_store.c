// The store of steps: its blocks, who holds it, what readers see of it; lists of words, each once.
//
// In:  an artifact; steps as they are made.  Out: the store that all matchers of the artifact share.
// The artifact has one home, made once; the home's lock says which store is the newest, and counts who holds one. A
// block has a head, by which it is copied when it is outgrown and freed with the store. Doubling makes the outgrown
// blocks together no larger than those in use. Cost: taking a store is a lock that is mostly free.
#include "step_store.h"

#include "step_build.h"

#include <stddef.h>

#define SHOWN_AT_FIRST 64u
#define BLOCK_HEAD ((sizeof(struct store_block) + 15) / 16 * 16)

struct step_home {
	pthread_mutex_t lock;
	struct step_store *newest;  // held
	uint32_t n_sites;           // of all stores; changed atomically
};

// ---- Blocks. They are asked for and given back in a turn.
static void give_back(struct step_store *s, void *block)
{
	bool is_shown = block == s->shown_words || block == s->shown_at || block == s->shown_parts || block == s->shown;
	if (!block || is_shown) return;
	struct store_block *b = (struct store_block *)((uint8_t *)block - BLOCK_HEAD);
	*(b->before ? &b->before->next : &s->blocks) = b->next;
	if (b->next) b->next->before = b->before;
	memory_free(s->from, b);
}

static void *resize_kept(void *context, void *block, size_t size)
{
	struct step_store *s = context;
	struct store_block *b = NULL;
	if (size && size <= SIZE_MAX - BLOCK_HEAD) b = memory_resize(s->from, NULL, 1, BLOCK_HEAD + size);
	if (size && !b) return NULL;
	if (b) {
		*b = (struct store_block){s->blocks, NULL, size};
		if (s->blocks) s->blocks->before = b;
		s->blocks = b;
	}
	void *at = b ? (uint8_t *)b + BLOCK_HEAD : NULL;
	if (at && block) {
		const struct store_block *old = (const struct store_block *)((const uint8_t *)block - BLOCK_HEAD);
		memcpy(at, block, old->size < size ? old->size : size);
	}
	give_back(s, block);
	return at;
}

static void store_free(struct step_store *s)
{
	const gcdc_memory *memory = s->from;
	for (struct store_block *b = s->blocks, *next; b; b = next) {
		next = b->next;
		memory_free(memory, b);
	}
	pthread_mutex_destroy(&s->turn);
	memory_free(memory, s);
}

static struct shown_steps *shown_new(struct step_store *s, uint32_t cap)
{
	struct shown_steps *x = memory_resize(&s->memory, NULL, 1, sizeof *x + (size_t)cap * sizeof *x->at);
	if (!x) return NULL;
	memset(x, 0, sizeof *x + (size_t)cap * sizeof *x->at);
	x->cap = cap;
	return x;
}

uint32_t step_line_state(const struct gcdc_artifact *a)
{
	uint32_t state = 0;
	for (uint32_t q = 1; q < a->info.n_lex_states && a->info.n_lines == 1; q++)
		if (a->lex_states[q].flags & LEX_LINE && !a->lex_states[q].also) state = q;
	return state;
}

static struct step_store *store_new(const struct gcdc_artifact *a, struct step_home *home)
{
	struct step_store *s = memory_resize(&a->memory, NULL, 1, sizeof *s);
	if (!s) return NULL;
	*s = (struct step_store){.from = &a->memory, .holders = 1, .n_sites = &home->n_sites};
	s->memory = (gcdc_memory){resize_kept, s};
	s->nodes.words = s->conts.words = s->groups.words = s->parts.words = s->expressions.words = &s->words;
	s->line_state = step_line_state(a);
	if (pthread_mutex_init(&s->turn, NULL)) {
		memory_free(&a->memory, s);
		return NULL;
	}
	s->shown = shown_new(s, SHOWN_AT_FIRST);
	if (s->shown) return s;
	store_free(s);
	return NULL;
}

// ---- The home, and who holds a store.
static struct step_home *home_of(const struct gcdc_artifact *a)
{
	struct step_home **slot = &((struct gcdc_artifact *)(uintptr_t)a)->step_home;
	struct step_home *home = __atomic_load_n(slot, __ATOMIC_ACQUIRE), *none = NULL;
	if (home) return home;
	home = memory_resize(&a->memory, NULL, 1, sizeof *home);
	if (!home) return NULL;
	*home = (struct step_home){0};
	if (pthread_mutex_init(&home->lock, NULL)) {
		memory_free(&a->memory, home);
		return NULL;
	}
	if (__atomic_compare_exchange_n(slot, &none, home, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return home;
	pthread_mutex_destroy(&home->lock);
	memory_free(&a->memory, home);
	return none;  // another thread's
}

struct step_store *step_store_take(const struct gcdc_artifact *a)
{
	struct step_home *home = home_of(a);
	if (!home) return NULL;
	pthread_mutex_lock(&home->lock);
	if (!home->newest) home->newest = store_new(a, home);
	struct step_store *s = home->newest;
	if (s) s->holders++;
	pthread_mutex_unlock(&home->lock);
	return s;
}

void step_store_leave(const struct gcdc_artifact *a, struct step_store *s)
{
	pthread_mutex_lock(&a->step_home->lock);
	bool is_last = --s->holders == 0;
	pthread_mutex_unlock(&a->step_home->lock);
	if (is_last) store_free(s);
}

gcdc_status step_store_renew(const struct gcdc_artifact *a, struct step_store **s)
{
	struct step_home *home = a->step_home;
	struct step_store *old = *s;
	gcdc_status status = GCDC_OK;
	uint32_t left = 1;
	pthread_mutex_lock(&home->lock);
	if (old == home->newest) {
		struct step_store *made = store_new(a, home);
		if (made)
			home->newest = made, old->holders--;
		else
			status = GCDC_ERR_MEMORY;
	}
	if (!status) {
		*s = home->newest;
		home->newest->holders++;
		left = --old->holders;
	}
	pthread_mutex_unlock(&home->lock);
	if (!left) store_free(old);
	return status;
}

void step_home_free(struct gcdc_artifact *a)
{
	struct step_home *home = a->step_home;
	if (!home) return;
	if (home->newest) store_free(home->newest);
	pthread_mutex_destroy(&home->lock);
	memory_free(&a->memory, home);
}

// ---- What readers see.
static void put_shown(struct shown_steps *x, struct shown_step p)
{
	uint32_t i = (uint32_t)(hash_pair(p.place, p.lr_state) >> 32) & (x->cap - 1);
	while (x->at[i].number) i = (i + 1) & (x->cap - 1);
	x->at[i].place = p.place, x->at[i].lr_state = p.lr_state;
	__atomic_store_n(&x->at[i].number, p.number, __ATOMIC_RELEASE);
	x->n++;
}

static size_t bytes_in_use(const struct step_store *s)
{
	const size_t word = sizeof(uint32_t), list = sizeof(struct stored_words);
	return s->words.n * word + s->n * sizeof *s->at + ((size_t)s->of_place.n + s->lowered_of.n) * 8 * word +
	       s->n_lowered * sizeof *s->lowered +
	       ((size_t)s->nodes.n + s->conts.n + s->groups.n + s->parts.n + s->expressions.n) * list;
}

bool step_store_show(struct step_store *s, uint32_t place, uint32_t lr_state, uint32_t number)
{
	struct shown_steps *x = s->shown, *larger = x;
	__atomic_store_n(&s->shown_words, s->words.at, __ATOMIC_RELEASE);
	__atomic_store_n(&s->shown_at, s->at, __ATOMIC_RELEASE);
	__atomic_store_n(&s->shown_parts, s->parts.list, __ATOMIC_RELEASE);
	__atomic_store_n(&s->bytes, bytes_in_use(s), __ATOMIC_RELAXED);
	if (2 * x->n >= x->cap) {
		larger = x->cap > UINT32_MAX / 2 ? NULL : shown_new(s, 2 * x->cap);
		if (!larger) return false;
		for (uint32_t i = 0; i < x->cap; i++)
			if (x->at[i].number) put_shown(larger, x->at[i]);
		__atomic_store_n(&s->shown, larger, __ATOMIC_RELEASE);
	}
	put_shown(larger, (struct shown_step){place, lr_state, number + 1});
	return true;
}

// ---- Lists of words.
static uint32_t words_hash(const uint32_t *key, uint32_t n)
{
	uint64_t h = n;
	uint32_t i = 0;
	for (; i + 2 <= n; i += 2) h = hash_add_fold(h, (uint64_t)key[i] << 32 | key[i + 1]);
	return (uint32_t)(i < n ? hash_add_fold(h, key[i]) : h);
}

static bool larger_table(const gcdc_memory *memory, struct word_lists *t)
{
	uint32_t cap = t->table_cap ? t->table_cap * 2 : 64;
	uint32_t *table = cap < t->table_cap ? NULL : memory_resize(memory, NULL, cap, sizeof *table);
	if (!table) return false;
	memset(table, 0, cap * sizeof *table);
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t k = t->list[i].hash & (cap - 1);
		while (table[k]) k = (k + 1) & (cap - 1);
		table[k] = i + 1;
	}
	memory_free(memory, t->table);
	t->table = table, t->table_cap = cap;
	return true;
}

// The next id, by its place in the table.
static bool list_more(const gcdc_memory *memory, struct word_lists *t, struct stored_words l, uint32_t k)
{
	if (t->n == t->cap) {
		uint32_t cap = t->cap ? t->cap * 2 : 32;
		struct stored_words *list = memory_resize(memory, t->list, cap, sizeof *list);
		if (!list) return false;
		t->list = list, t->cap = cap;
	}
	t->list[t->n] = l;
	t->table[k] = ++t->n;
	return true;
}

bool word_lists_put(const gcdc_memory *memory, struct word_lists *t, uint32_t at, uint32_t n)
{
	const struct stored_words l = {at, n, words_hash(t->words->at + at, n), ARTIFACT_NONE};
	if (2 * (uint64_t)t->n >= t->table_cap && !larger_table(memory, t)) return false;
	uint32_t k = l.hash & (t->table_cap - 1);
	while (t->table[k]) k = (k + 1) & (t->table_cap - 1);
	return list_more(memory, t, l, k);
}

uint32_t word_lists_add(const gcdc_memory *memory, struct word_lists *t, const uint32_t *key, uint32_t n, bool *is_new)
{
	uint32_t hash = words_hash(key, n);
	*is_new = false;
	if (UNLIKELY(2 * (uint64_t)t->n >= t->table_cap) && !larger_table(memory, t)) return ARTIFACT_NONE;
	uint32_t k = hash & (t->table_cap - 1);
	for (; t->table[k]; k = (k + 1) & (t->table_cap - 1)) {
		const struct stored_words *l = &t->list[t->table[k] - 1];
		if (l->hash == hash && l->n == n && !memcmp(&t->words->at[l->at], key, n * sizeof *key)) return t->table[k] - 1;
	}
	const uint32_t at = t->words->n;
	uint32_t *to = vec32_more(memory, t->words, n);
	if (!to && n) return ARTIFACT_NONE;
	if (n) memcpy(to, key, n * sizeof *key);
	if (!list_more(memory, t, (struct stored_words){at, n, hash, ARTIFACT_NONE}, k)) return ARTIFACT_NONE;
	*is_new = true;
	return t->n - 1;
}
