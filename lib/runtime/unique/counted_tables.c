// What each token needs in strings whose characters are counted by number alone: tables for masks near the bound.
//
// In:  an artifact with its limits (counted_limits.c). Out: limits->tables, made before the first step.
// A token needs, in a counted state, the characters that it reads, the one that is begun and one that it leaves open
// among them, and those from where it leads to the nearest end of the string. Many states differ in nothing of that:
// so they are put into classes. Two states go together where they have as many characters to the end and stand at one
// place of a character, and where a byte leads on from both, the states that it leads to go together, too. What one
// allows and the other does not is no matter: sets say that. States are tried one after the other against the classes
// so far, and what has gone together is taken back where a pair does not (merging with folding: Oncina, Garcia 1992).
// The classes are an automaton; each token is read by it once from each class. Rows and lists are made from the
// tokens with most characters down.
// Cost: counted states x classes x their steps, at most FOLD_WORK for each entry of their rows, then no more go
// together; for each class the bytes of the tokens whose first byte leads on; a row, or a list, for each number that
// limits.
#include "unique.h"

#include "../../shared/json_character.h"

#define NONE UINT32_MAX
#define FOLD_WORK 64u

// What merging has changed, to take it back.
struct change {
	uint32_t *at, before;
};

struct fold {
	const struct gcdc_artifact *a;
	uint32_t n, width;
	uint32_t *row;     // [n * width] the states that bytes lead to, by class of bytes; NONE
	uint32_t *parent;  // [n] a tree for each class: those of fewer states hang below those of more
	uint32_t *size;    // [n]
	struct vec32 pairs;
	struct change *changes;
	uint32_t n_changes, cap_changes;
	uint64_t work;  // that is left
	bool no_memory;
};

static uint32_t root_of(const struct fold *f, uint32_t q)
{
	while (f->parent[q] != q) q = f->parent[q];
	return q;
}

static void change(struct fold *f, uint32_t *at, uint32_t to)
{
	if (f->n_changes == f->cap_changes) {
		const uint32_t cap = f->cap_changes ? f->cap_changes * 2 : 256;
		struct change *more = memory_resize(&f->a->memory, f->changes, cap, sizeof *more);
		if (!more) {
			f->no_memory = true;
			return;
		}
		f->changes = more, f->cap_changes = cap;
	}
	f->changes[f->n_changes++] = (struct change){at, *at};
	*at = to;
}

// One class hangs below the other; where both lead on, those states have to go together, too.
static void hang(struct fold *f, uint32_t above, uint32_t below)
{
	uint32_t *to = f->row + (size_t)above * f->width;
	const uint32_t *from = f->row + (size_t)below * f->width;
	change(f, &f->parent[below], above);
	change(f, &f->size[above], f->size[above] + f->size[below]);
	for (uint32_t c = 0; c < f->width; c++) {
		if (from[c] == NONE || from[c] == to[c]) continue;
		if (to[c] == NONE) {
			change(f, &to[c], from[c]);
			continue;
		}
		f->no_memory |= !vec32_push(&f->a->memory, &f->pairs, to[c]);
		f->no_memory |= !vec32_push(&f->a->memory, &f->pairs, from[c]);
	}
	f->work -= f->work < f->width ? f->work : f->width;
}

// Do two states go together? If not, all is as it was.
static bool merge(struct fold *f, uint32_t p, uint32_t q)
{
	const struct counted_limits *x = f->a->limits;
	bool ok = true;
	f->n_changes = f->pairs.n = 0;
	f->no_memory |= !vec32_push(&f->a->memory, &f->pairs, p) || !vec32_push(&f->a->memory, &f->pairs, q);
	while (f->pairs.n && ok && !f->no_memory) {
		const uint32_t a = root_of(f, f->pairs.at[f->pairs.n - 2]), b = root_of(f, f->pairs.at[f->pairs.n - 1]);
		f->pairs.n -= 2;
		if (a == b) continue;
		ok = x->kind[a] == x->kind[b] && x->end[a] == x->end[b] && f->work;
		if (ok) hang(f, f->size[a] < f->size[b] ? b : a, f->size[a] < f->size[b] ? a : b);
	}
	while (!ok && f->n_changes) f->n_changes--, *f->changes[f->n_changes].at = f->changes[f->n_changes].before;
	return ok;
}

// The counted states' rows, without the steps that leave the string.
static bool fold_begin(struct fold *f)
{
	const struct gcdc_artifact *a = f->a;
	f->n = a->counter_info->n_states, f->width = a->info.n_classes;
	f->work = (uint64_t)FOLD_WORK * f->n * f->width;
	f->row = memory_resize(&a->memory, NULL, (size_t)f->n * f->width, sizeof *f->row);
	f->parent = memory_resize(&a->memory, NULL, f->n, sizeof *f->parent);
	f->size = memory_resize(&a->memory, NULL, f->n, sizeof *f->size);
	if (!f->row || !f->parent || !f->size) return false;
	for (uint32_t q = 0; q < f->n; q++) {
		const uint32_t state = a->counter_states[q].lex_state;
		const bool is_shared = a->limits->place[state] != NOT_COUNTED;
		for (uint32_t c = 0; c < f->width; c++) {
			const uint32_t to = a->lex_next[(uint64_t)state * f->width + c] & LEX_STATE_MASK;
			f->row[(size_t)q * f->width + c] = is_shared ? a->limits->place[to] : NONE;  // NOT_COUNTED is NONE
		}
		f->parent[q] = q, f->size[q] = 1;
	}
	return true;
}

static void fold_end(struct fold *f)
{
	const gcdc_memory *memory = &f->a->memory;
	memory_free(memory, f->row), memory_free(memory, f->parent), memory_free(memory, f->size);
	memory_free(memory, f->pairs.at), memory_free(memory, f->changes);
}

static_assert(NOT_COUNTED == NONE, "both say that a state is not there");

// Puts all states into classes; first[0 .. *n) is a state of each.
static bool fold_all(struct fold *f, uint32_t *first, uint32_t *n)
{
	*n = 0;
	for (uint32_t q = 0; q < f->n && !f->no_memory; q++) {
		if (f->a->limits->place[f->a->counter_states[q].lex_state] == NOT_COUNTED) continue;
		bool is_in = false;
		for (uint32_t i = 0; i < *n && !is_in && !f->no_memory; i++)
			is_in = root_of(f, first[i]) == root_of(f, q) || merge(f, first[i], q);
		if (!is_in) first[(*n)++] = q;
	}
	return !f->no_memory;
}

// The classes as an automaton over bytes. A step is the class that it leads to, twice, and 1 more where it ends a
// character.
#define ENDS_STRING (UINT32_MAX - 1)
#define NO_STEP UINT32_MAX
static bool read_classes(const struct fold *f, struct counted_tables *x, uint32_t *first, uint8_t **kind)
{
	const struct gcdc_artifact *a = f->a;
	x->step = memory_resize(&a->memory, NULL, (size_t)x->n * 256 + 1, sizeof *x->step);
	x->classes = memory_resize(&a->memory, NULL, (size_t)x->n + 1, sizeof *x->classes);
	*kind = memory_resize(&a->memory, NULL, (size_t)x->n + 1, 1);
	if (x->classes) memset(x->classes, 0, x->n * sizeof *x->classes);
	if (!x->step || !x->classes || !*kind) return false;
	for (uint32_t q = 0; q < f->n; q++) x->class_of[q] = NONE;
	for (uint32_t i = 0; i < x->n; i++) x->class_of[first[i] = root_of(f, first[i])] = i;
	for (uint32_t q = 0; q < f->n; q++) x->class_of[q] = x->class_of[root_of(f, q)];
	uint32_t farthest = 0;
	for (uint32_t i = 0; i < x->n; i++) {
		x->classes[i] = (struct counted_class){.least = a->limits->end[first[i]], .served_by = i};
		if (x->classes[i].least > farthest) farthest = x->classes[i].least;
		(*kind)[i] = a->limits->kind[first[i]];
		for (uint32_t b = 0; b < 256; b++) {
			const uint32_t to = f->row[(size_t)first[i] * f->width + a->info.class_of[b]];
			const bool ends = to != NONE && a->limits->kind[to] == JSON_BETWEEN;
			x->step[i * 256 + b] = to == NONE ? NO_STEP : x->class_of[to] * 2 + ends;
		}
		if ((*kind)[i] == JSON_BETWEEN) x->step[i * 256 + '"'] = ENDS_STRING;
	}
	x->reach = a->info.max_token_len + farthest + 1;
	return true;
}

// ---- Classes whose tokens are limited as those of a class nearer to the end are, as behind fewer characters of a
// least number. Such a class needs no tables: with as many characters as its own nearest end takes, or more, the
// other's say the same.
// Bytes until a character is over, at most.
static uint32_t rank_of(uint32_t kind)
{
	switch (kind) {
	case JSON_BETWEEN: return 12;
	case JSON_ESCAPE: return 11;
	case JSON_UNIT: return 10;
	case JSON_UNIT_D: return 9;
	case JSON_LOW_ESCAPE: return 6;
	case JSON_LOW_U: return 5;
	default: return kind > JSON_HIGH_HEX ? 6 + kind - JSON_HIGH_HEX : kind > JSON_HEX ? kind - JSON_HEX : kind;
	}
}
#define RANKS 13u
static size_t key_of(const struct counted_tables *x, const uint8_t *kind, uint32_t class)
{
	return (size_t)x->classes[class].least * RANKS + rank_of(kind[class]);
}

// Does `nearer` do for `class`? Each byte leads both on, to one class or to one that the other does for, and what is
// read there takes as much: the end behind it is the same, or the nearest of `class`, less what has been read.
static bool serves(const struct counted_tables *x, uint32_t class, uint32_t nearer)
{
	const uint32_t *a = x->step + (size_t) class * 256, *b = x->step + (size_t)nearer * 256;
	const uint32_t least = x->classes[class].least;
	for (uint32_t byte = 0; byte < 256; byte++) {
		if (a[byte] >= ENDS_STRING) continue;
		if (b[byte] >= ENDS_STRING) return false;
		const uint32_t to = a[byte] >> 1, other = b[byte] >> 1, rest = least - (a[byte] & 1);
		const uint32_t end = x->classes[other].least > rest ? x->classes[other].least : rest;
		if (x->classes[to].least != end || (to != other && x->classes[to].served_by != other)) return false;
	}
	return true;
}

// The classes, those with nearest ends first, and of these the places behind which fewest bytes end a character: so
// what a class leads to has been seen.
static uint32_t *in_order(const struct gcdc_artifact *a, const struct counted_tables *x, const uint8_t *kind)
{
	const size_t n_keys = (COUNTERS_MAX_FAR + (size_t)1) * RANKS + 1;
	uint32_t *order = memory_resize(&a->memory, NULL, (size_t)x->n + 1, sizeof *order);
	uint32_t *first = memory_resize(&a->memory, NULL, n_keys, sizeof *first);
	const bool ok = order && first;
	if (ok) memset(first, 0, n_keys * sizeof *first);
	for (uint32_t k = 0; k < x->n && ok; k++) first[key_of(x, kind, k) + 1]++;
	for (size_t i = 1; i < n_keys && ok; i++) first[i] += first[i - 1];
	for (uint32_t k = 0; k < x->n && ok; k++) order[first[key_of(x, kind, k)]++] = k;
	memory_free(&a->memory, first);
	if (!ok) memory_free(&a->memory, order);
	return ok ? order : NULL;
}

static bool find_served(const struct gcdc_artifact *a, struct counted_tables *x, const uint8_t *kind)
{
	uint32_t *order = in_order(a, x, kind), n = 0;
	for (uint32_t i = 0; i < x->n && order; i++) {
		const uint32_t k = order[i];
		for (uint32_t j = 0; j < n && x->classes[k].served_by == k; j++)
			if (kind[order[j]] == kind[k] && x->classes[order[j]].least < x->classes[k].least && serves(x, k, order[j]))
				x->classes[k].served_by = order[j];
		if (x->classes[k].served_by == k) order[n++] = k;  // the first n of `order` are now those that serve
	}
	memory_free(&a->memory, order);
	return order != NULL;
}

// ---- The tokens of a class by what they need, those with the same number ascending: a counting sort.
#define NEEDS (COUNTERS_MAX_TOKEN + COUNTERS_MAX_FAR + 2u)  // a token's, at most
struct by_need {
	uint16_t *need;             // [n_tokens]; NEEDS: it cannot stand there
	uint32_t *token;            // [n_tokens]
	uint32_t first[NEEDS + 1];  // of those with so many, in `token`
	uint32_t most;
};

static uint32_t need_of(const struct counted_tables *x, uint32_t class, const uint8_t *bytes, uint32_t len)
{
	uint32_t n = 0, at = class * 2;
	for (uint32_t i = 0; i < len; i++) {
		at = x->step[(size_t)(at >> 1) * 256 + bytes[i]];
		if (at >= ENDS_STRING) return at == NO_STEP ? NEEDS : n;
		n += at & 1;
	}
	return len ? n + x->classes[at >> 1].least : NEEDS;
}

static void sort_tokens(const struct gcdc_artifact *a, const struct counted_tables *x, uint32_t class,
                        struct by_need *by)
{
	by->most = 0;
	memset(by->first, 0, sizeof by->first);
	for (uint32_t t = 0; t < a->info.n_tokens; t++) {
		const uint32_t from = a->token_offset[t];
		const uint32_t need = need_of(x, class, a->token_bytes + from, a->token_offset[t + 1] - from);
		by->need[t] = (uint16_t)need;
		if (need == NEEDS) continue;
		by->first[need + 1]++;
		if (need > by->most) by->most = need;
	}
	for (uint32_t k = 1; k <= NEEDS; k++) by->first[k] += by->first[k - 1];
	for (uint32_t t = 0; t < a->info.n_tokens; t++)
		if (by->need[t] < NEEDS) by->token[by->first[by->need[t]]++] = t;
	memmove(by->first + 1, by->first, NEEDS * sizeof *by->first);
	by->first[0] = 0;
}

// ---- Rows and lists.
// The row of tokens that need `left` characters at most; the one behind it, if any, is of one more.
static void put_row(const struct gcdc_artifact *a, const struct by_need *by, uint32_t left, uint32_t *row,
                    bool is_first)
{
	const size_t words = a->info.mask_words;
	if (is_first)
		memset(row, 0xff, words * sizeof *row);
	else
		memcpy(row, row + words, words * sizeof *row);
	for (uint32_t i = by->first[left + 1]; i < by->first[is_first ? NEEDS : left + 2]; i++)
		row[by->token[i] / 32] &= ~(1u << by->token[i] % 32);
}

// The list before, of one more, and those that need so many: two that ascend become one.
static void put_list(const struct by_need *by, uint32_t left, const uint32_t *before, uint32_t *at)
{
	const uint32_t *more = by->token + by->first[left + 1], *end = by->token + by->first[left + 2];
	const uint32_t *stop = before + by->first[NEEDS] - by->first[left + 2];
	while (more < end || before < stop) *at++ = more == end || (before < stop && *before < *more) ? *before++ : *more++;
}

// One limit for each number of characters that some token exceeds, from the largest down: first lists, then rows.
static void rows_free(const struct gcdc_artifact *a, struct counted_rows *x)
{
	if (!x) return;
	memory_free(&a->memory, x->list), memory_free(&a->memory, x->tokens), memory_free(&a->memory, x->rows);
	memory_free(&a->memory, x);
}

static struct counted_rows *make_rows(const struct gcdc_artifact *a, const struct counted_tables *x, uint32_t class,
                                      const struct by_need *by)
{
	const uint32_t least = x->classes[class].least, most = by->most > least ? by->most : least;
	const size_t words = a->info.mask_words;
	uint32_t n_rows = 0, n_tokens = 0;
	for (uint32_t left = least; left < most; left++) {
		const uint32_t n = by->first[NEEDS] - by->first[left + 1];
		if (n > LIMIT_TOKENS)
			n_rows++;
		else
			n_tokens += n;
	}
	struct counted_rows *out = memory_resize(&a->memory, NULL, 1, sizeof *out);
	if (!out) return NULL;
	*out = (struct counted_rows){.most = most,
	                             .n_rows = n_rows,
	                             .list = memory_resize(&a->memory, NULL, most - least + (size_t)1, sizeof *out->list),
	                             .tokens = memory_resize(&a->memory, NULL, n_tokens + (size_t)1, sizeof *out->tokens),
	                             .rows = memory_resize(&a->memory, NULL, n_rows * words + 1, sizeof *out->rows)};
	if (!out->list || !out->tokens || !out->rows) {
		rows_free(a, out);
		return NULL;
	}
	uint32_t at = 0;
	for (uint32_t left = most; left-- > least;) {
		const uint32_t place = left - least, n = by->first[NEEDS] - by->first[left + 1];
		out->list[place + 1] = at;
		if (place < n_rows)
			put_row(a, by, left, out->rows + place * words, place + 1 == n_rows);
		else
			put_list(by, left, out->tokens + at - (by->first[NEEDS] - by->first[left + 2]), out->tokens + at), at += n;
	}
	out->list[0] = at;
	return out;
}

// ---- Made once for an artifact: of two threads that do so at the same time, one keeps what it made.
const struct counted_rows *counted_rows_of(const struct gcdc_artifact *a, const struct counted_tables *x,
                                           uint32_t class)
{
	struct counted_rows **kept = &x->classes[class].rows, *rows = __atomic_load_n(kept, __ATOMIC_ACQUIRE), *none = NULL;
	if (rows) return rows;
	struct by_need by = {.need = memory_resize(&a->memory, NULL, a->info.n_tokens, sizeof *by.need),
	                     .token = memory_resize(&a->memory, NULL, a->info.n_tokens, sizeof *by.token)};
	if (by.need && by.token) {
		sort_tokens(a, x, class, &by);
		rows = make_rows(a, x, class, &by);
	}
	memory_free(&a->memory, by.need), memory_free(&a->memory, by.token);
	if (!rows || __atomic_compare_exchange_n(kept, &none, rows, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return rows;
	rows_free(a, rows);
	return none;
}

static struct counted_tables *make_tables(const struct gcdc_artifact *a)
{
	const uint32_t n_states = a->counter_info->n_states;
	struct counted_tables *x = memory_resize(&a->memory, NULL, 1, sizeof *x);
	if (!x) return NULL;
	*x = (struct counted_tables){.class_of = memory_resize(&a->memory, NULL, n_states, sizeof *x->class_of)};
	struct fold f = {.a = a};
	uint8_t *kind = NULL;
	uint32_t *first = memory_resize(&a->memory, NULL, n_states, sizeof *first), n = 0;
	bool ok = x->class_of && first && fold_begin(&f) && fold_all(&f, first, &n);
	x->n = ok ? n : 0;
	ok = ok && read_classes(&f, x, first, &kind) && find_served(a, x, kind);
	fold_end(&f);
	memory_free(&a->memory, first), memory_free(&a->memory, kind);
	if (ok) return x;
	x->n = x->classes ? x->n : 0;
	counted_tables_free(a, x);
	return NULL;
}

const struct counted_tables *counted_tables_of(const struct gcdc_artifact *a)
{
	struct counted_tables **kept = &a->limits->tables, *x = __atomic_load_n(kept, __ATOMIC_ACQUIRE), *none = NULL;
	if (x) return x;
	x = make_tables(a);
	if (!x || __atomic_compare_exchange_n(kept, &none, x, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return x;
	counted_tables_free(a, x);
	return none;
}

void counted_tables_free(const struct gcdc_artifact *a, struct counted_tables *x)
{
	if (!x) return;
	for (uint32_t k = 0; k < x->n; k++) rows_free(a, x->classes[k].rows);
	memory_free(&a->memory, x->class_of), memory_free(&a->memory, x->classes), memory_free(&a->memory, x->step);
	memory_free(&a->memory, x);
}
