// Reads programs on real stacks: the unions of a mask under a budget.
//
// In:  stacks, a lexer state, how many tokens may still come.  Out: unions, whose union is what fits.
// From a program to the next as the automaton of plain masks is read (matcher_sets.c): each program asks its frames
// below, once for each pair of frame and question; each expression then has a value, and as many of its thresholds fit
// as have a base within what remains. The union of these thresholds is a union, kept under (program, thresholds), so
// that masks take it as it is. Cost: for each program a look-up, its pairs (a look-up each, price.c) and its
// expressions; a union is united once.
#include "step_table.h"

#include "price.h"

#define ROW_AT_LEAST 512u  // tokens that are worth a row

struct step_table *step_table_new(const struct gcdc_artifact *a)
{
	struct step_table *x = memory_resize(&a->memory, NULL, 1, sizeof *x);
	if (!x) return NULL;
	*x = (struct step_table){.memory = &a->memory, .era = 1, .max_bytes = STEP_TABLE_MAX_BYTES};
	for (uint32_t q = 1; q < a->info.n_lex_states && a->info.n_lines == 1; q++)
		if (a->lex_states[q].flags & LEX_LINE && !a->lex_states[q].also) x->line_state = q;
	return x;
}

static void free_rows(struct step_table *x)
{
	for (uint32_t i = 0; i < x->unions.n; i++) memory_free(x->memory, x->unions.at[i].row);
	x->unions.n = 0;
	x->bytes_of_rows = 0;
}

void step_table_free(struct step_table *x)
{
	if (!x) return;
	free_rows(x);
	step_scratch_free(x->memory, x->scratch);
	void *blocks[] = {x->unions.words.at, x->at,          x->of_place.at, x->of_outcome.at,   x->nodes.list,
	                  x->nodes.table,     x->slots.list,  x->slots.table, x->union_keys.list, x->union_keys.table,
	                  x->joins.list,      x->joins.table, x->unions.at,   x->tokens.at,       x->of_line.at,
	                  x->tried.at,        x->held.at,     x->todo.at,     x->values.at,       x->key.at,
	                  x->frames.at,       x->below.at,    x->seen.at};
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) memory_free(x->memory, blocks[i]);
	memory_free(x->memory, x);
}

// ---- Lists of words.
uint32_t words_hash(const uint32_t *key, uint32_t n)
{
	uint64_t h = n;
	for (uint32_t i = 0; i < n; i++) h = hash_add_fold(h, key[i]);
	return (uint32_t)h;
}

static bool larger_table(struct step_table *x, struct word_lists *t)
{
	uint32_t cap = t->table_cap ? t->table_cap * 2 : 64;
	uint32_t *table = cap < t->table_cap ? NULL : memory_resize(x->memory, NULL, cap, sizeof *table);
	if (!table) return false;
	memset(table, 0, cap * sizeof *table);
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t k = t->list[i].hash & (cap - 1);
		while (table[k]) k = (k + 1) & (cap - 1);
		table[k] = i + 1;
	}
	memory_free(x->memory, t->table);
	t->table = table, t->table_cap = cap;
	return true;
}

uint32_t word_lists_add(struct step_table *x, struct word_lists *t, const uint32_t *key, uint32_t n, bool *is_new)
{
	uint32_t hash = words_hash(key, n);
	*is_new = false;
	if (UNLIKELY(2 * (uint64_t)t->n >= t->table_cap) && !larger_table(x, t)) return ARTIFACT_NONE;
	uint32_t k = hash & (t->table_cap - 1);
	for (; t->table[k]; k = (k + 1) & (t->table_cap - 1)) {
		const struct word_list *l = &t->list[t->table[k] - 1];
		if (l->hash == hash && l->n == n && !memcmp(&x->unions.words.at[l->at], key, n * sizeof *key))
			return t->table[k] - 1;
	}
	if (t->n == t->cap) {
		uint32_t cap = t->cap ? t->cap * 2 : 32;
		struct word_list *list = memory_resize(x->memory, t->list, cap, sizeof *list);
		if (!list) return ARTIFACT_NONE;
		t->list = list, t->cap = cap;
	}
	struct word_list l = {x->unions.words.n, n, hash, ARTIFACT_NONE};
	for (uint32_t i = 0; i < n; i++)
		if (!vec32_push(x->memory, &x->unions.words, key[i])) return ARTIFACT_NONE;
	t->list[t->n] = l;
	t->table[k] = ++t->n;
	*is_new = true;
	return t->n - 1;
}

static void clear_lists(struct word_lists *t)
{
	t->n = 0;
	if (t->table) memset(t->table, 0, t->table_cap * sizeof *t->table);
}

void step_table_trim(struct step_table *x)
{
	size_t lists = ((size_t)x->nodes.n + x->slots.n + x->union_keys.n + x->joins.n) * sizeof(struct word_list);
	size_t bytes = x->bytes_of_rows + x->unions.words.n * sizeof *x->unions.words.at + x->n * sizeof *x->at + lists +
	               x->unions.n * sizeof *x->unions.at;
	if (LIKELY(bytes <= x->max_bytes)) return;
	free_rows(x);
	x->unions.words.n = x->n = 0;
	pair_map_clear(&x->of_place), pair_map_clear(&x->of_outcome), pair_map_clear(&x->of_line);
	clear_lists(&x->nodes), clear_lists(&x->slots), clear_lists(&x->union_keys), clear_lists(&x->joins);
	x->n_joined = 0;
	x->era++;
}

// ---- Parts.
static gcdc_status new_row(const struct gcdc_artifact *a, struct step_table *x, struct set_union *p)
{
	p->row = memory_resize(x->memory, NULL, a->info.mask_words, sizeof *p->row);
	if (p->row) x->bytes_of_rows += a->info.mask_words * sizeof *p->row;
	return p->row ? GCDC_OK : GCDC_ERR_MEMORY;
}

// x->tokens become the union's.
static gcdc_status keep_tokens(struct step_table *x, struct set_union *p)
{
	bool ok = true;
	vec32_sort(&x->tokens);
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
		if (!status) sets_fill(a, &(struct set_list){.at = sets->at, .n = sets->n}, p->row);
		return status;
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

gcdc_status step_table_add_tokens(struct step_table *x, uint32_t *union_id)
{
	struct set_union p = {0};
	gcdc_status status = keep_tokens(x, &p);
	return status ? status : add_union(x, &p, union_id);
}

// The union of these sets: ascending, each once.
static gcdc_status union_of(const struct gcdc_artifact *a, struct step_table *x, const struct vec32 *sets,
                            uint32_t *union_id)
{
	bool is_new;
	uint32_t key = word_lists_add(x, &x->union_keys, sets->at, sets->n, &is_new);
	if (key == ARTIFACT_NONE) return GCDC_ERR_MEMORY;
	*union_id = x->union_keys.list[key].value;
	if (*union_id != ARTIFACT_NONE) return GCDC_OK;
	struct set_union p;
	gcdc_status status = unite_union(a, x, &p, sets);
	p.sets = x->union_keys.list[key].at, p.n_sets = sets->n;
	if (!status) status = add_union(x, &p, union_id);
	if (status)
		memory_free(x->memory, p.row);
	else
		x->union_keys.list[key].value = *union_id;
	return status;
}

gcdc_status step_table_union_of_sets(const struct gcdc_artifact *a, struct step_table *x, uint32_t sets, uint32_t n,
                                     uint32_t *union_id)
{
	x->values.n = 0;
	for (uint32_t i = 0; i < n; i++)
		if (!vec32_push(x->memory, &x->values, x->unions.words.at[sets + i])) return GCDC_ERR_MEMORY;
	return union_of(a, x, &x->values, union_id);
}

gcdc_status step_table_put_union(struct step_table *x, uint32_t union_id, struct vec32 *unions)
{
	if (UNLIKELY(!x->unions.at[union_id].row && !x->unions.at[union_id].n_tokens))
		return GCDC_OK;  // of a forged file: a set without any
	for (uint32_t i = 0; i < unions->n; i++)
		if (unions->at[i] == union_id) return GCDC_OK;
	return vec32_push(x->memory, unions, union_id) ? GCDC_OK : GCDC_ERR_MEMORY;
}

// Parts that come together again and again are one.
#define SEEN_ONCE (ARTIFACT_NONE - 1)
gcdc_status step_table_join(const struct gcdc_artifact *a, struct step_table *x, struct vec32 *unions)
{
	bool is_new;
	uint32_t n = 0;  // those of tokens of their own stay apart, behind
	for (uint32_t i = 0; i < unions->n; i++)
		if (x->unions.at[unions->at[i]].n_sets) {
			uint32_t t = unions->at[n];
			unions->at[n++] = unions->at[i], unions->at[i] = t;
		}
	if (n < 2) return GCDC_OK;
	struct vec32 of_sets = {.at = unions->at, .n = n};
	vec32_sort(&of_sets);
	uint32_t key = word_lists_add(x, &x->joins, unions->at, n, &is_new), union_id;
	if (key == ARTIFACT_NONE) return GCDC_ERR_MEMORY;
	union_id = x->joins.list[key].value;
	if (union_id >= SEEN_ONCE) {
		x->joins.list[key].value = SEEN_ONCE;
		if (union_id == ARTIFACT_NONE || x->n_joined == JOINED_MAX) return GCDC_OK;
		struct vec32 *sets = &x->values;
		bool ok = true;
		sets->n = 0;
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t k = 0; k < x->unions.at[unions->at[i]].n_sets && ok; k++)
				ok = vec32_push(x->memory, sets, x->unions.words.at[x->unions.at[unions->at[i]].sets + k]);
		if (!ok) return GCDC_ERR_MEMORY;
		vec32_sort(sets);
		uint32_t before = x->unions.n;
		gcdc_status status = union_of(a, x, sets, &union_id);
		if (status) return status;
		x->joins.list[key].value = union_id;
		x->n_joined += x->unions.n != before;
	}
	unions->at[0] = union_id;
	memmove(unions->at + 1, unions->at + n, (unions->n - n) * sizeof *unions->at);
	unions->n -= n - 1;
	return GCDC_OK;
}

// The thresholds of a program that fit, as a union; they are in x->key, behind the program's number.
static gcdc_status slot_of(const struct gcdc_artifact *a, struct step_table *x, const struct step *p,
                           uint32_t *union_id)
{
	bool is_new;
	uint32_t slot = word_lists_add(x, &x->slots, x->key.at, x->key.n, &is_new);
	if (UNLIKELY(slot == ARTIFACT_NONE)) return GCDC_ERR_MEMORY;
	*union_id = x->slots.list[slot].value;
	if (LIKELY(*union_id != ARTIFACT_NONE)) return GCDC_OK;
	struct vec32 *sets = &x->values;  // no more used
	sets->n = 0;
	const uint32_t *w = x->unions.words.at + p->body;
	w += 1 + 2 * w[0];
	uint32_t n_expressions = *w++;
	for (uint32_t e = 0; e < n_expressions; e++) {
		w += 1 + 2 * w[0];
		uint32_t n_bases = w[0], n_sets = w[1], fits = x->key.at[1 + e], end = fits ? w[2 + 2 * (fits - 1) + 1] : 0;
		w += 2 + 2 * n_bases;
		for (uint32_t i = 0; i < end; i++)
			if (!vec32_push(x->memory, sets, w[i])) return GCDC_ERR_MEMORY;
		w += n_sets;
	}
	vec32_sort(sets);
	gcdc_status status = union_of(a, x, sets, union_id);
	if (!status) x->slots.list[slot].value = *union_id;
	return status;
}

// ---- Reading.
// The least that the frames `down` below f answer.
static gcdc_status ask(struct gcdc_matcher *m, struct step_table *x, uint32_t f, uint32_t down, uint32_t control,
                       uint32_t *value)
{
	const struct frame *frames = m->pool->at;
	*value = PRICE_NEVER;
	if (LIKELY(!(frames[f].depth & FRAME_BRANCHED))) {
		for (; down && f; down--) f = frames[f].parent;
		return f ? price_frame(m, f, control, value) : GCDC_OK;
	}
	gcdc_status status = price_go_down(m, f, down, &x->frames, &x->below);
	for (uint32_t i = 0; i < x->frames.n && !status; i++) {
		uint32_t one;
		status = price_frame(m, x->frames.at[i], control, &one);
		if (!status && one < *value) *value = one;
	}
	return status;
}

// The union of a program on a frame, if anything fits.
static gcdc_status take_step(struct gcdc_matcher *m, struct step_table *x, uint32_t number, uint32_t f, uint32_t enough,
                             struct vec32 *unions)
{
	const struct step *p = &x->at[number];
	const uint32_t *w = x->unions.words.at + p->body;
	uint32_t n_pairs = *w++, any = 0;
	x->values.n = x->key.n = 0;
	for (uint32_t i = 0; i < n_pairs; i++, w += 2) {
		uint32_t value;
		gcdc_status status = ask(m, x, f, w[0], w[1], &value);
		if (UNLIKELY(status)) return status;
		if (!vec32_push(x->memory, &x->values, value)) return GCDC_ERR_MEMORY;
	}
	uint32_t n_expressions = *w++;
	if (!n_expressions) return GCDC_OK;
	bool ok = vec32_push(x->memory, &x->key, number);
	for (uint32_t e = 0; e < n_expressions && ok; e++) {
		uint32_t n_terms = *w++, least = n_terms ? PRICE_NEVER : 0, fits = 0;
		for (uint32_t i = 0; i < n_terms; i++, w += 2) {
			uint32_t value = price_sum(x->values.at[w[0]], w[1]);
			if (value < least) least = value;
		}
		uint32_t n_bases = w[0], n_sets = w[1];
		w += 2;
		while (least <= enough && fits < n_bases && w[2 * fits] <= enough - least) fits++;
		w += 2 * n_bases + n_sets;
		any |= fits;
		ok = vec32_push(x->memory, &x->key, fits);
	}
	if (!any || !ok) return ok ? GCDC_OK : GCDC_ERR_MEMORY;
	uint32_t union_id;
	gcdc_status status = slot_of(m->artifact, x, p, &union_id);
	return status ? status : step_table_put_union(x, union_id, unions);
}

// Goes on to the frames that a node reads: they are put on x->todo.
static gcdc_status go_below(struct gcdc_matcher *m, struct step_table *x, uint32_t f, const struct step *p,
                            struct line_columns c)
{
	gcdc_status status = price_go_down(m, f, p->skip + 1, &x->frames, &x->below);
	for (uint32_t i = 0; i < x->frames.n && !status; i++) {
		bool is_new = true;
		if (m->pool->at[f].depth & FRAME_BRANCHED &&
		    !pair_map_add(x->memory, &x->seen, x->frames.at[i], p->node, &is_new))
			return GCDC_ERR_MEMORY;
		if (!is_new) continue;
		if (!step_table_go_on(x, x->frames.at[i], p->node, c.open, c.is_deeper)) return GCDC_ERR_MEMORY;
	}
	return status;
}

gcdc_status step_table_read(struct gcdc_matcher *m, const struct reading *r, uint32_t column, uint32_t enough,
                            struct vec32 *unions, struct vec32 *tries, bool *told)
{
	struct step_table *x = m->pool->step_table;
	gcdc_status status = GCDC_OK;
	x->todo.n = 0;
	pair_map_clear(&x->seen);
	x->held.n = 0;
	const struct artifact_cost_way *way = price_way(m->artifact, r->lex_state, 0);
	if (!way) return GCDC_OK;
	uint32_t first = PLACE_OUTCOME | (r->lex_state == x->line_state ? PLACE_LINE : 0) | way->outcome;
	bool is_line = first & PLACE_LINE && takes_line(m, &m->artifact->lex_states[r->lex_state], r->frame);
	if (!step_table_go_on(x, r->frame, first, r->columns, false)) return GCDC_ERR_MEMORY;
	if (UNLIKELY(is_line)) status = step_table_begin_lines(m, r, column, told);
	while (x->todo.n && *told && !status) {
		const uint32_t *next = &x->todo.at[x->todo.n -= 4], f = next[0], place = next[1];
		const struct line_columns columns = {next[2], next[3], column};
		uint32_t number;
		status = step_of(m, place, m->pool->at[f].lr_state, &number);
		if (UNLIKELY(status)) break;
		const struct step p = x->at[number];
		*told &= !p.open;
		if (!*told) break;
		for (uint32_t i = 0; i < p.n_tries && !status; i++)
			if (!vec32_push(x->memory, tries, x->unions.words.at[p.tries + i])) status = GCDC_ERR_MEMORY;
		for (uint32_t i = 0; i < p.n_tried && !status; i++)
			if (!vec32_push(x->memory, &x->tried, x->unions.words.at[p.tried + i])) status = GCDC_ERR_MEMORY;
		if (!status) status = take_step(m, x, number, f, enough, unions);
		for (uint32_t i = 0, at = p.sites; i < p.n_sites && !status; i++) {
			status = step_table_take_site(m, at, f, columns, enough, unions, tries);
			struct site site;
			memcpy(&site, x->unions.words.at + at, sizeof site);
			at += (uint32_t)sizeof site / 4 + site.height + site.n_sets;
		}
		if (!status && p.node != ARTIFACT_NONE) status = go_below(m, x, f, &p, columns);
	}
	release_tops(m, &x->held);
	return status;
}
