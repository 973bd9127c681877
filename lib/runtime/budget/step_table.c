// The table of steps as a store: lists of words, each once; unions of sets; room, and how all of it is freed.
//
// In:  words, sets.  Out: their numbers; unions as rows or tokens.
// What the words mean is known above: they are made in step_build.c and step_write.c, read in step_read.c.
// Cost: a hash for each list; a union is united once, as a mask is filled.
#include "step_table.h"

#define ROW_AT_LEAST 512u  // tokens that are worth a row

static struct step_table *table_new(const struct gcdc_artifact *a)
{
	struct step_table *x = memory_resize(&a->memory, NULL, 1, sizeof *x);
	if (!x) return NULL;
	*x = (struct step_table){.artifact = a, .memory = &a->memory, .store = step_store_take(a), .era = 1};
	if (!x->store) {
		memory_free(&a->memory, x);
		return NULL;
	}
	pthread_mutex_lock(&x->store->turn);
	if (!x->store->is_begun) step_load_kept(a, x->store);  // before a mask waits for it
	pthread_mutex_unlock(&x->store->turn);
	x->slots.words = x->union_keys.words = x->masks.words = x->token_lists.words = x->columns.words = &x->unions.words;
	for (uint32_t i = 0; i < STEPS_FOUND; i++) x->found[i].node = ARTIFACT_NONE;
	return x;
}

static void free_rows(struct step_table *x)
{
	for (uint32_t i = 0; i < x->unions.n; i++)
		if (!x->unions.at[i].shares_row) memory_free(x->memory, x->unions.at[i].row);
	x->unions.n = 0;
	pair_map_clear(&x->of_row);
	x->bytes_of_rows = 0;
}

static void table_free(struct step_table *x)
{
	free_rows(x);
	step_store_leave(x->artifact, x->store);
	void *blocks[] = {x->unions.words.at,   x->unions.at,        x->slots.list,    x->slots.table,
	                  x->union_keys.list,   x->union_keys.table, x->masks.list,    x->masks.table,
	                  x->tokens.at,         x->columns.list,     x->columns.table, x->token_lists.list,
	                  x->token_lists.table, x->of_line.at,       x->line_words.at, x->tried.at,
	                  x->held.at,           x->todo.at,          x->values.at,     x->key.at,
	                  x->frames.at,         x->below.at,         x->seen.at,       x->marked.at,
	                  x->spread.at,         x->fitted.at,        x->of_row.at};
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) memory_free(x->memory, blocks[i]);
	memory_free(x->memory, x);
}

// ---- Tables whose family has ended, for the next one to begin with. A slot of the artifact is emptied or filled in
// one step, so threads need no lock, and a table is one family's at a time.
static struct step_table **parked_of(const struct gcdc_artifact *a)
{
	return ((struct gcdc_artifact *)(uintptr_t)a)->steps_parked;
}

static struct step_table *take_parked(const struct gcdc_artifact *a)
{
	struct step_table **slot = parked_of(a), *x = NULL;
	for (uint32_t i = 0; i < STEPS_PARKED && !x; i++) x = __atomic_exchange_n(&slot[i], NULL, __ATOMIC_ACQUIRE);
	return x;
}

struct step_table *step_table_take(const struct gcdc_artifact *a)
{
	struct step_table *x = take_parked(a);
	if (!x) x = table_new(a);
	if (x) x->max_bytes = STEP_STORE_MAX_BYTES, x->max_union_bytes = STEP_UNIONS_MAX_BYTES;
	return x;
}

void step_table_leave(struct step_table *x)
{
	if (!x) return;
	struct step_table **slot = parked_of(x->artifact);
	for (uint32_t i = 0; i < STEPS_PARKED; i++) {
		struct step_table *none = NULL;
		if (__atomic_compare_exchange_n(&slot[i], &none, x, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) return;
	}
	table_free(x);
}

void steps_free(struct gcdc_artifact *a)
{
	for (struct step_table *x; (x = take_parked(a));) table_free(x);
	step_home_free(a);
}

// ---- Room.
static void clear_lists(struct word_lists *t)
{
	t->n = 0;
	if (t->table) memset(t->table, 0, t->table_cap * sizeof *t->table);
}

static void forget_unions(struct step_table *x)
{
	free_rows(x);
	x->unions.words.n = x->n_joined = 0;
	clear_lists(&x->slots), clear_lists(&x->union_keys), clear_lists(&x->masks);
	clear_lists(&x->token_lists), clear_lists(&x->columns);
	pair_map_clear(&x->of_line);
	x->line_words.n = 0;
	x->era++;
}

gcdc_status step_table_trim(struct step_table *x)
{
	const size_t word = sizeof(uint32_t), list = sizeof(struct stored_words);
	size_t unions = x->bytes_of_rows + ((size_t)x->unions.words.n + x->line_words.n) * word +
	                x->unions.n * sizeof *x->unions.at + x->of_row.n * sizeof *x->of_row.at +
	                ((size_t)x->slots.n + x->union_keys.n + x->masks.n + x->token_lists.n + x->columns.n) * list;
	if (UNLIKELY(unions > x->max_union_bytes)) forget_unions(x);
	if (LIKELY(step_store_bytes(x->store) <= x->max_bytes)) return GCDC_OK;
	forget_unions(x);  // slots and parts are of steps
	x->spread.n = 0;
	return step_store_renew(x->artifact, &x->store);
}

// ---- Unions.
static gcdc_status new_row(const struct gcdc_artifact *a, struct step_table *x, struct set_union *p)
{
	p->row = memory_resize(x->memory, NULL, a->info.mask_words, sizeof *p->row);
	if (p->row) x->bytes_of_rows += a->info.mask_words * sizeof *p->row;
	return p->row ? GCDC_OK : GCDC_ERR_MEMORY;
}

// Four sums at a time, as each waits for its last multiplication. Words that are left over are compared only.
static uint64_t hash_row(const uint32_t *row, uint32_t n)
{
	uint64_t hash[4] = {1, 2, 3, 4}, word[4];
	for (uint32_t i = 0; i + 8 <= n; i += 8) {
		memcpy(word, row + i, sizeof word);
		for (uint32_t k = 0; k < 4; k++) hash[k] = hash_add_fold(hash[k], word[k]);
	}
	return hash_words(hash, 4);
}

// Unions of many sets often come to one row: it is kept once.
static gcdc_status share_row(struct step_table *x, struct set_union *p)
{
	const uint32_t words = x->artifact->info.mask_words;
	uint64_t hash = hash_row(p->row, words);
	bool is_new;
	uint32_t *known = pair_map_add(x->memory, &x->of_row, (uint32_t)(hash >> 32), (uint32_t)hash, &is_new);
	if (!known) return GCDC_ERR_MEMORY;
	if (is_new) *known = x->unions.n;
	if (*known >= x->unions.n) return GCDC_OK;
	uint32_t *row = x->unions.at[*known].row;
	if (!row || memcmp(row, p->row, words * sizeof *row) != 0) return GCDC_OK;
	memory_free(x->memory, p->row);
	x->bytes_of_rows -= words * sizeof *row;
	p->row = row, p->shares_row = true;
	return GCDC_OK;
}

// x->tokens become the union's.
static gcdc_status keep_tokens(struct step_table *x, struct set_union *p)
{
	bool ok = true;
	step_sort(&x->tokens);
	p->tokens = x->unions.words.n, p->n_tokens = x->tokens.n;
	for (uint32_t i = 0; i < x->tokens.n && ok; i++) ok = vec32_push(x->memory, &x->unions.words, x->tokens.at[i]);
	return ok ? GCDC_OK : GCDC_ERR_MEMORY;
}

// What the sets of a union come to.
static gcdc_status unite_union(const struct gcdc_artifact *a, struct step_table *x, struct set_union *p,
                               const struct vec32 *sets)
{
	uint64_t n = 0;
	bool ok = true;
	*p = (struct set_union){0};
	for (uint32_t i = 0; i < sets->n; i++) n += a->sets[sets->at[i]].count;
	if (n >= ROW_AT_LEAST) {
		gcdc_status status = new_row(a, x, p);
		if (status) return status;
		sets_fill(a, &(struct set_list){.at = sets->at, .n = sets->n}, p->row);
		return share_row(x, p);
	}
	x->tokens.n = 0;
	for (uint32_t i = 0; i < sets->n; i++)
		for (struct set_words w = set_words(a, &a->sets[sets->at[i]]); set_words_next(a, &w);)
			for (uint32_t b = w.bits; b && ok; b &= b - 1)
				ok = vec32_push(x->memory, &x->tokens, w.word * 32 + (uint32_t)__builtin_ctz(b));
	return ok ? keep_tokens(x, p) : GCDC_ERR_MEMORY;
}

static gcdc_status add_union(struct step_table *x, const struct set_union *p, uint32_t *union_id)
{
	if (x->unions.n == x->unions.cap) {
		uint32_t cap = x->unions.cap ? x->unions.cap * 2 : 32;
		struct set_union *more = memory_resize(x->memory, x->unions.at, cap, sizeof *more);
		if (!more) return GCDC_ERR_MEMORY;
		x->unions.at = more, x->unions.cap = cap;
	}
	*union_id = x->unions.n;
	x->unions.at[x->unions.n++] = *p;
	return GCDC_OK;
}

gcdc_status step_table_union_of_tokens(struct step_table *x, uint32_t *union_id)
{
	bool is_new;
	uint32_t n = 0;
	step_sort(&x->tokens);
	for (uint32_t i = 0; i < x->tokens.n; i++)
		if (!n || x->tokens.at[i] != x->tokens.at[n - 1]) x->tokens.at[n++] = x->tokens.at[i];
	uint32_t list = word_lists_add(x->memory, &x->token_lists, x->tokens.at, n, &is_new);
	if (list == ARTIFACT_NONE) return GCDC_ERR_MEMORY;
	*union_id = x->token_lists.list[list].value;
	if (*union_id != ARTIFACT_NONE) return GCDC_OK;
	const struct set_union p = {.tokens = x->token_lists.list[list].at, .n_tokens = n};
	gcdc_status status = add_union(x, &p, union_id);
	if (!status) x->token_lists.list[list].value = *union_id;
	return status;
}

gcdc_status step_table_union_of(const struct gcdc_artifact *a, struct step_table *x, const struct vec32 *sets,
                                uint32_t *union_id)
{
	bool is_new;
	uint32_t key = word_lists_add(x->memory, &x->union_keys, sets->at, sets->n, &is_new);
	if (key == ARTIFACT_NONE) return GCDC_ERR_MEMORY;
	*union_id = x->union_keys.list[key].value;
	if (*union_id != ARTIFACT_NONE) return GCDC_OK;
	struct set_union p;
	gcdc_status status = unite_union(a, x, &p, sets);
	p.sets = x->union_keys.list[key].at, p.n_sets = sets->n;
	if (!status) status = add_union(x, &p, union_id);
	if (status && !p.shares_row) memory_free(x->memory, p.row);
	if (!status) x->union_keys.list[key].value = *union_id;
	return status;
}

gcdc_status step_table_union_of_sets(const struct gcdc_artifact *a, struct step_table *x, const uint32_t *sets,
                                     uint32_t n, uint32_t *union_id)
{
	x->values.n = 0;
	for (uint32_t i = 0; i < n; i++)
		if (!vec32_push(x->memory, &x->values, sets[i])) return GCDC_ERR_MEMORY;
	return step_table_union_of(a, x, &x->values, union_id);
}

gcdc_status step_table_put_union(struct step_table *x, uint32_t union_id, struct vec32 *unions)
{
	if (UNLIKELY(!x->unions.at[union_id].row && !x->unions.at[union_id].n_tokens))
		return GCDC_OK;  // of a forged file: a set without any
	for (uint32_t i = 0; i < unions->n; i++)
		if (unions->at[i] == union_id) return GCDC_OK;
	return vec32_push(x->memory, unions, union_id) ? GCDC_OK : GCDC_ERR_MEMORY;
}
