// Masks: the union of the sets that a position allows, and single bits of it.
//
// In:  a position's sets (matcher_sets.c).  Out: the mask as bits; as ids of sets; single bits (sets.c).
// A set is a row and the few tokens in which it differs from it. One is copied and its tokens flipped. Of several the
// rows are united in one pass where all but one differ in a few tokens only; else each further one is added in a pass
// of its own. Rows of few words (short_rows.c) are added word by word then. Lists follow, then single tokens.
// Cost: filling moves (rows + 1) * V / 8 bytes, three times as many in passes; two words for each listed token.
#include "matcher_step.h"

// ---- Passes over rows, which are only 4-aligned: registers as wide as the machine has them.
#define PASS(name, lanes, op, attributes)                                                                              \
	attributes static void name(uint32_t *to, const uint32_t *a, const uint32_t *b, uint32_t n)                        \
	{                                                                                                                  \
		typedef uint32_t chunk __attribute__((vector_size(4 * (lanes))));                                              \
		uint32_t i = 0;                                                                                                \
		for (; i + 2 * (lanes) <= n; i += 2 * (lanes)) {                                                               \
			chunk x, y, z, w;                                                                                          \
			memcpy(&x, a + i, sizeof x), memcpy(&z, a + i + (lanes), sizeof z);                                        \
			memcpy(&y, b + i, sizeof y), memcpy(&w, b + i + (lanes), sizeof w);                                        \
			x = x op y, z = z op w;                                                                                    \
			memcpy(to + i, &x, sizeof x), memcpy(to + i + (lanes), &z, sizeof z);                                      \
		}                                                                                                              \
		for (; i < n; i++) to[i] = a[i] op b[i];                                                                       \
	}
PASS(unite_narrow, 4, |, )
PASS(keep_narrow, 4, &, )
PASS(remove_narrow, 4, &~, )
#define PASS_OF_THREE(name, lanes, attributes)                                                                         \
	attributes static void name(uint32_t *to, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t n)     \
	{                                                                                                                  \
		typedef uint32_t chunk __attribute__((vector_size(4 * (lanes))));                                              \
		uint32_t i = 0;                                                                                                \
		for (; i + (lanes) <= n; i += (lanes)) {                                                                       \
			chunk x, y, z;                                                                                             \
			memcpy(&x, a + i, sizeof x), memcpy(&y, b + i, sizeof y), memcpy(&z, c + i, sizeof z);                     \
			x = x | y | z;                                                                                             \
			memcpy(to + i, &x, sizeof x);                                                                              \
		}                                                                                                              \
		for (; i < n; i++) to[i] = a[i] | b[i] | c[i];                                                                 \
	}
PASS_OF_THREE(unite_three_narrow, 4, )
#if defined(__x86_64__)
PASS(unite_wide, 8, |, __attribute__((target("avx2"))))
PASS(keep_wide, 8, &, __attribute__((target("avx2"))))
PASS(remove_wide, 8, &~, __attribute__((target("avx2"))))
PASS_OF_THREE(unite_three_wide, 8, __attribute__((target("avx2"))))
#define WIDEST(name) (__builtin_cpu_supports("avx2") ? name##_wide : name##_narrow)
#else
#define WIDEST(name) name##_narrow
#endif

static void unite(uint32_t *mask, const uint32_t *row, uint32_t words) { WIDEST(unite)(mask, mask, row, words); }

void mask_keep(uint32_t *mask, const uint32_t *row, uint32_t words) { WIDEST(keep)(mask, mask, row, words); }

// The first row, of which `keep` leaves some where there is one.
static void put_row(uint32_t *mask, const uint32_t *row, const uint32_t *keep, uint32_t words)
{
	if (UNLIKELY(keep != NULL))
		WIDEST(keep)(mask, row, keep, words);
	else
		memcpy(mask, row, words * sizeof *mask);
}

static inline bool has_bit(const uint32_t *row, uint32_t token) { return row[token / 32] >> token % 32 & 1; }

// Most masks keep all: their loop asks nothing.
static void add_tokens(uint32_t *mask, const uint32_t *keep, const uint32_t *token, uint32_t n)
{
	if (LIKELY(!keep))
		for (uint32_t k = 0; k < n; k++) mask[token[k] / 32] |= 1u << token[k] % 32;
	else
		for (uint32_t k = 0; k < n; k++) mask[token[k] / 32] |= keep[token[k] / 32] & 1u << token[k] % 32;
}

static inline const uint32_t *row_of(const struct gcdc_artifact *a, const struct artifact_set *s)
{
	assert(s->dense != ARTIFACT_NONE && s->n <= ARTIFACT_MAX_FLIPS);
	return &a->dense[(uint64_t)s->dense * a->info.mask_words];
}

// A row that is short, instead of a copy.
static void put_short(const struct gcdc_artifact *a, const struct short_row *x, const uint32_t *row, uint32_t *mask)
{
	const struct short_word *word = &a->short_words[x->first];
	assert(x->rest == 0 || x->rest == UINT32_MAX);
	memset(mask, x->rest ? UCHAR_MAX : 0, a->info.mask_words * sizeof *mask);
	memcpy(mask, row, x->begin * sizeof *mask);
	for (uint32_t k = 0; k < x->n; k++) mask[word[k].at] = word[k].bits;
}

// The first set, which has a row: the mask becomes it.
static void put_set(const struct gcdc_artifact *a, const struct artifact_set *s, const uint32_t *keep, uint32_t *mask)
{
	const uint32_t *token = &a->sparse[s->at], n = s->n;
	const struct short_row *x = LIKELY(!keep && a->short_rows) ? &a->short_rows[s->dense] : NULL;
	if (x && short_row_cost(x) <= a->info.mask_words / SHORT_ROW_PART)
		put_short(a, x, row_of(a, s), mask);
	else
		put_row(mask, row_of(a, s), keep, a->info.mask_words);
	if (LIKELY(!keep))
		for (uint32_t k = 0; k < n; k++) mask[token[k] / 32] ^= 1u << token[k] % 32;
	else
		for (uint32_t k = 0; k < n; k++) mask[token[k] / 32] ^= keep[token[k] / 32] & 1u << token[k] % 32;
}

// One more; `listed`: its row, where that is few words, or NULL. In a token in which the set differs from its row, what
// the mask had before the row was added decides: what it had stays, of the rest the set has what the row has not. No
// look at any other set.
static void add_set(const struct gcdc_artifact *a, const struct artifact_set *s, const struct short_row *listed,
                    uint32_t *mask)
{
	const uint32_t *token = &a->sparse[s->at];
	uint32_t before[ARTIFACT_MAX_FLIPS];
	for (uint32_t k = 0; k < s->n; k++) before[k] = mask[token[k] / 32];
	unite(mask, row_of(a, s), listed ? listed->begin : a->info.mask_words);
	if (listed) {
		const struct short_word *word = &a->short_words[listed->first];
		for (uint32_t k = 0; k < listed->n; k++) mask[word[k].at] |= word[k].bits;
	}
	for (uint32_t k = 0; k < s->n; k++) mask[token[k] / 32] ^= ~before[k] & 1u << token[k] % 32;
}

// The rows, then tokens.
static void fill_parts(const struct gcdc_artifact *a, const struct set_list *list, const uint32_t *keep, uint32_t *mask)
{
	const struct set_unions *x = list->unions_of;
	uint32_t words = a->info.mask_words, n_rows = 0;
	for (uint32_t i = 0; i < list->unions.n; i++) {
		const struct set_union *p = &x->at[list->unions.at[i]];
		if (!p->row) continue;
		if (n_rows++)
			unite(mask, p->row, words);
		else
			put_row(mask, p->row, keep, words);
	}
	if (!n_rows) memset(mask, 0, words * sizeof *mask);
	if (n_rows > 1 && keep) mask_keep(mask, keep, words);
	for (uint32_t i = 0; i < list->unions.n; i++) {
		const struct set_union *p = &x->at[list->unions.at[i]];
		add_tokens(mask, keep, &x->words.at[p->tokens], p->n_tokens);
	}
	add_tokens(mask, keep, list->extra.at, list->extra.n);
}

gcdc_status sets_flatten(const struct gcdc_artifact *a, struct set_list *list)
{
	bool ok = true;
	struct vec32 sets = {list->at, 0, list->cap};
	if (!list->unions.n) return GCDC_OK;
	for (uint32_t i = 0; i < list->unions.n; i++) {
		const struct set_union *p = &list->unions_of->at[list->unions.at[i]];
		for (uint32_t k = 0; k < p->n_sets && ok; k++)
			ok = vec32_push(&a->memory, &sets, list->unions_of->words.at[p->sets + k]);
		for (uint32_t k = 0; k < p->n_tokens && ok && !p->n_sets; k++)
			ok = vec32_push(&a->memory, &list->extra, list->unions_of->words.at[p->tokens + k]);
	}
	vec32_sort(&sets);
	list->at = sets.at, list->n = sets.n, list->cap = sets.cap;
	list->unions.n = 0;
	vec32_sort(&list->extra);
	uint32_t n = 0, extra = list->extra.n;
	list->extra.n = 0;  // what the sets have is not told twice
	for (uint32_t i = 0; i < extra; i++)
		if (!sets_have(a, list, list->extra.at[i])) list->extra.at[n++] = list->extra.at[i];
	list->extra.n = n;
	list->valid &= ok;
	return ok ? GCDC_OK : GCDC_ERR_MEMORY;
}

// ---- Several sets, their rows united in one pass.
#define ROWS_AT_ONCE 3u
#define FLIPS_ASKED                                                                                                    \
	12u  // tokens in which all but the first differ from their rows: each is looked up in the other sets
struct dense_sets {
	const struct artifact_set *at[ROWS_AT_ONCE];  // the first differs most from its row
	uint32_t n, n_flips;                          // more than ROWS_AT_ONCE: not all are in `at`
};

static inline void put_bit(uint32_t *mask, uint32_t token, bool yes)
{
	uint32_t *word = &mask[token / 32], bit = 1u << token % 32;
	*word = (*word & ~bit) | (yes ? bit : 0);
}

// In a token in which the first differs from its row the other rows decide, unless another set differs in it, too.
// Those are looked at last, and ask all.
static void put_at_once(const struct gcdc_artifact *a, const struct dense_sets *x, uint32_t *mask)
{
	const uint32_t words = a->info.mask_words, *row[ROWS_AT_ONCE];
	for (uint32_t i = 0; i < x->n; i++) row[i] = row_of(a, x->at[i]);
	if (x->n == 2)
		WIDEST(unite)(mask, row[0], row[1], words);
	else
		WIDEST(unite_three)(mask, row[0], row[1], row[2], words);
	const uint32_t *token = &a->sparse[x->at[0]->at], *third = row[x->n - 1];
	for (uint32_t k = 0; k < x->at[0]->n; k++) {
		uint32_t w = token[k] / 32, bit = 1u << token[k] % 32;
		mask[w] = (mask[w] & ~bit) | ((~row[0][w] | row[1][w] | third[w]) & bit);
	}
	for (uint32_t i = 1; i < x->n; i++)
		for (uint32_t k = 0; k < x->at[i]->n; k++) {
			uint32_t t = a->sparse[x->at[i]->at + k];
			bool yes = !has_bit(row[i], t);
			for (uint32_t j = 0; j < x->n && !yes; j++) yes = j != i && artifact_set_has(a, x->at[j], t);
			put_bit(mask, t, yes);
		}
}

// The row of a set that has one, as the few words that it adds to another one, or NULL.
static inline const struct short_row *listed_row(const struct gcdc_artifact *a, const struct artifact_set *s)
{
	const struct short_row *x = a->short_rows ? &a->short_rows[s->dense] : NULL;
	return x && !x->rest ? x : NULL;
}

static void add_dense(struct dense_sets *x, const struct artifact_set *s)
{
	uint32_t last = x->n++;
	x->n_flips += s->n;
	if (last >= ROWS_AT_ONCE) return;
	x->at[last] = s;
	if (last && s->n > x->at[0]->n) x->at[last] = x->at[0], x->at[0] = s;
}

// The sets with rows; how many. Some at once, or that which differs most from its row, which is the cheapest place for
// it; then the others, one after the other.
static uint32_t fill_rows(const struct gcdc_artifact *a, const struct set_list *list, const uint32_t *keep,
                          uint32_t *mask)
{
	struct dense_sets x = {.n = 0}, listed = {.n = 0};
	for (uint32_t i = 0; i < list->n; i++) {
		const struct artifact_set *s = &a->sets[list->at[i]];
		if (s->dense != ARTIFACT_NONE) add_dense(listed_row(a, s) ? &listed : &x, s);
	}
	const uint32_t n = x.n + listed.n;
	uint32_t n_there = n != 0;
	const struct artifact_set *const *there = x.n ? x.at : listed.at;
	if (!n) {
		memset(mask, 0, a->info.mask_words * sizeof *mask);
	} else if (x.n > 1 && x.n <= ROWS_AT_ONCE && x.n_flips - x.at[0]->n <= FLIPS_ASKED) {
		put_at_once(a, &x, mask);
		n_there = x.n;
	} else {
		put_set(a, there[0], keep, mask);
	}
	for (uint32_t i = 0; n > n_there && i < list->n; i++) {
		const struct artifact_set *s = &a->sets[list->at[i]];
		bool is_new = s->dense != ARTIFACT_NONE;
		for (uint32_t k = 0; k < n_there; k++) is_new &= s != there[k];
		if (is_new) add_set(a, s, listed_row(a, s), mask);
	}
	return n;
}

// First the sets that have rows, then lists and single tokens.
static void fill_all(const struct gcdc_artifact *a, const struct set_list *list, const uint32_t *keep, uint32_t *mask)
{
	if (fill_rows(a, list, keep, mask) > 1 && keep) mask_keep(mask, keep, a->info.mask_words);
	for (uint32_t i = 0; i < list->n; i++) {
		const struct artifact_set *s = &a->sets[list->at[i]];
		if (s->dense == ARTIFACT_NONE) add_tokens(mask, keep, &a->sparse[s->at], s->n);
	}
	add_tokens(mask, keep, list->extra.at, list->extra.n);
}

// Takes a set's tokens away. Where it differs from its row, the set's own bit decides.
static void remove_set(const struct gcdc_artifact *a, const struct artifact_set *s, uint32_t *mask)
{
	const uint32_t *token = &a->sparse[s->at], *row = s->dense != ARTIFACT_NONE ? row_of(a, s) : NULL;
	const struct short_row *listed = row ? listed_row(a, s) : NULL;
	uint32_t before[ARTIFACT_MAX_FLIPS];
	for (uint32_t k = 0; k < s->n && row; k++) before[k] = mask[token[k] / 32];
	if (row) WIDEST(remove)(mask, mask, row, listed ? listed->begin : a->info.mask_words);
	for (uint32_t k = 0; listed && k < listed->n; k++) {
		const struct short_word *word = &a->short_words[listed->first + k];
		mask[word->at] &= ~word->bits;
	}
	for (uint32_t k = 0; k < s->n; k++) {
		const uint32_t bit = 1u << token[k] % 32, kept = row && has_bit(row, token[k]) ? before[k] & bit : 0;
		mask[token[k] / 32] = (mask[token[k] / 32] & ~bit) | kept;
	}
}

void sets_fill_kept(const struct gcdc_artifact *a, const struct set_list *list, const uint32_t *keep, uint32_t *mask)
{
	if (UNLIKELY(list->unions.n))
		fill_parts(a, list, keep, mask);
	else
		fill_all(a, list, keep, mask);
	for (uint32_t i = 0; i < list->without.n; i++) put_bit(mask, list->without.at[i], false);
	if (UNLIKELY(list->left_out)) remove_set(a, &a->sets[list->left_out], mask);
}

void sets_fill(const struct gcdc_artifact *a, const struct set_list *list, uint32_t *mask)
{
	sets_fill_kept(a, list, list->keep, mask);
}

void mask_eos(const struct gcdc_matcher *m, uint32_t *mask, size_t n_words)
{
	const struct gcdc_artifact *a = m->artifact;
	memset(mask, 0, n_words * sizeof *mask);
	for (uint32_t i = 0; i < a->info.n_eos; i++) mask[a->eos[i] / 32] |= 1u << a->eos[i] % 32;
	if (UNLIKELY(m->stops.n)) stops_fill(m, mask);
}

// The row that is exactly the union, or NONE.
static inline uint32_t only_row(const struct set_list *list)
{
	return list->alone && !list->alone->n ? list->alone->dense : ARTIFACT_NONE;
}

// A set, and nothing besides.
static inline void fill_alone(const struct gcdc_artifact *a, const struct artifact_set *s, uint32_t *mask)
{
	if (LIKELY(s->dense != ARTIFACT_NONE)) {
		put_set(a, s, NULL, mask);
	} else {
		memset(mask, 0, a->info.mask_words * sizeof *mask);
		add_tokens(mask, NULL, &a->sparse[s->at], s->n);
	}
}

// The mask is the union of its sets: nobody watches, and no token is taken away or stands for another.
static inline bool is_plain(const struct gcdc_matcher *m)
{
	return LIKELY(!m->trace && !m->canonical_mode && !m->stops.n);
}

static gcdc_status canonical_fill(struct gcdc_matcher *m, uint32_t *mask, size_t n_words, gcdc_fill_info *info)
{
	const struct gcdc_artifact *a = m->artifact;
	bool relaxed;
	gcdc_status status = m->artifact->parts->canonical->filter(m, m->now, &m->sets, mask, &relaxed);
	memset(mask + a->info.mask_words, 0, (n_words - a->info.mask_words) * sizeof *mask);
	bool stops = m->stops.n && stops_fill(m, mask);
	if (info)
		*info = (gcdc_fill_info){.needs_apply = true,
		                         .n_sets = m->sets.n,
		                         .n_tokens = m->sets.extra.n + (stops ? m->stops.n : 0),
		                         .row = GCDC_NONE,
		                         .may_end = a->info.n_eos && mask[a->eos[0] / 32] >> a->eos[0] % 32 & 1};
	return status;
}

bool sets_are_over(const struct gcdc_matcher *m, const struct set_list *list)
{
	return !m->artifact->info.n_eos && !list->n && !list->extra.n && !list->unions.n && !m->stops.n;
}

// With the status that finding the sets had.
static OUT_OF_LINE gcdc_status fill_any(struct gcdc_matcher *m, gcdc_status status, uint32_t *mask, size_t n_words,
                                        gcdc_fill_info *info)
{
	const struct gcdc_artifact *a = m->artifact;
	if (UNLIKELY(!status && sets_are_over(m, &m->sets))) status = GCDC_TERMINATED;
	if (UNLIKELY(status)) {
		memset(mask, 0, n_words * sizeof *mask);
		if (info) *info = (gcdc_fill_info){.needs_apply = true, .may_end = status == GCDC_TERMINATED, .row = GCDC_NONE};
		return status;
	}
	if (UNLIKELY(m->trace != NULL)) trace_mask(m);
	if (UNLIKELY(m->canonical_mode)) return canonical_fill(m, mask, n_words, info);
	sets_fill(a, &m->sets, mask);
	if (UNLIKELY(n_words > a->info.mask_words))
		memset(mask + a->info.mask_words, 0, (n_words - a->info.mask_words) * sizeof *mask);
	bool stops = UNLIKELY(m->stops.n != 0) && stops_fill(m, mask);
	if (info)
		*info = (gcdc_fill_info){.needs_apply = !m->sets.all,
		                         .may_end = m->sets.may_end,
		                         .n_sets = m->sets.n + m->sets.unions.n,
		                         .row = stops ? GCDC_NONE : only_row(&m->sets),
		                         .n_tokens = m->sets.extra.n + (stops ? m->stops.n : 0)};
	return GCDC_OK;
}

gcdc_status gcdc_matcher_fill(gcdc_matcher *m, uint32_t *mask, size_t n_words, gcdc_fill_info *info)
{
	if (UNLIKELY(!m || !mask || n_words < m->artifact->info.mask_words)) return GCDC_ERR_ARGUMENT;
	if (UNLIKELY(m->now->terminated)) {
		mask_eos(m, mask, n_words);
		if (info) *info = (gcdc_fill_info){.needs_apply = true, .may_end = true, .row = GCDC_NONE};
		return GCDC_TERMINATED;
	}
	gcdc_status status = matcher_sets(m);
	if (status || !m->sets.alone || !is_plain(m) || n_words > m->artifact->info.mask_words)
		return fill_any(m, status, mask, n_words, info);
	fill_alone(m->artifact, m->sets.alone, mask);
	if (info)
		*info = (gcdc_fill_info){
			.needs_apply = !m->sets.all, .may_end = m->sets.may_end, .n_sets = 1, .row = only_row(&m->sets)};
	return GCDC_OK;
}

// The mask is in no set of the artifact: it is written into a row of the family's.
static gcdc_status canonical_mask_sets(struct gcdc_matcher *m, gcdc_mask_sets *out)
{
	bool relaxed;
	uint32_t *mask = m->artifact->parts->canonical->mask_row(m);
	if (!mask) return GCDC_ERR_MEMORY;
	gcdc_status status = m->artifact->parts->canonical->filter(m, m->now, &m->sets, mask, &relaxed);
	if (!status && m->stops.n) stops_fill(m, mask);
	if (!status) out->row = mask;
	return status;
}

gcdc_status sets_row(struct gcdc_matcher *m, const struct set_list *list, uint32_t **row)
{
	*row = NULL;
	if (LIKELY(!list->without.n && !list->keep && !list->left_out)) return GCDC_OK;
	if (UNLIKELY(!m->row)) m->row = memory_resize(&m->artifact->memory, NULL, m->artifact->info.mask_words, 4);
	if (UNLIKELY(!m->row)) return GCDC_ERR_MEMORY;
	sets_fill(m->artifact, list, m->row);
	*row = m->row;
	return GCDC_OK;
}

// So is one with tokens taken away.
static gcdc_status row_mask_sets(struct gcdc_matcher *m, uint32_t *mask, gcdc_mask_sets *out)
{
	if (m->stops.n) stops_fill(m, mask);
	out->row = mask;
	return GCDC_OK;
}

static OUT_OF_LINE gcdc_status any_mask_sets(struct gcdc_matcher *m, gcdc_mask_sets *out)
{
	*out = (gcdc_mask_sets){0};
	if (UNLIKELY(sets_are_over(m, &m->sets))) return GCDC_TERMINATED;
	if (UNLIKELY(m->canonical_mode)) return canonical_mask_sets(m, out);
	gcdc_status status = GCDC_OK;
	if (UNLIKELY(m->sets.without.n || m->sets.keep)) {
		uint32_t *mask;
		status = sets_row(m, &m->sets, &mask);
		return status ? status : row_mask_sets(m, mask, out);
	}
	status = sets_flatten(m->artifact, &m->sets);
	if (UNLIKELY(status)) return status;
	*out = (gcdc_mask_sets){.sets = m->sets.at,
	                        .n_sets = m->sets.n,
	                        .tokens = m->sets.extra.at,
	                        .n_tokens = m->sets.extra.n,
	                        .without = m->sets.left_out,
	                        .row = gcdc_artifact_row(m->artifact, only_row(&m->sets))};
	return UNLIKELY(m->stops.n) && m->sets.may_end ? stops_add(m, out) : GCDC_OK;
}

gcdc_status gcdc_matcher_mask_sets(gcdc_matcher *m, gcdc_mask_sets *out)
{
	if (UNLIKELY(!m || !out || m->now->terminated)) {
		if (out) *out = (gcdc_mask_sets){0};
		return m && out ? GCDC_TERMINATED : GCDC_ERR_ARGUMENT;
	}
	gcdc_status status = matcher_sets(m);
	if (UNLIKELY(status)) return *out = (gcdc_mask_sets){0}, status;
	if (!m->sets.alone || !is_plain(m)) return any_mask_sets(m, out);
	bool is_row = only_row(&m->sets) != ARTIFACT_NONE;
	*out = (gcdc_mask_sets){.sets = m->sets.at, .n_sets = 1, .row = is_row ? row_of(m->artifact, m->sets.alone) : NULL};
	return GCDC_OK;
}

bool gcdc_matcher_allowed(gcdc_matcher *m, uint32_t token)
{
	if (!m) return false;
	token = token_of(m, token);
	if (m->now->terminated) return artifact_is_eos(m->artifact, token);
	if (matcher_sets(m) != GCDC_OK || !sets_have(m->artifact, &m->sets, token)) return false;
	bool allowed = true;
	const struct canonical_part *canonical = m->artifact->parts->canonical;
	if (UNLIKELY(m->canonical_mode) && canonical->allows(m, m->now, &m->sets, token, &allowed)) return false;
	return allowed;
}

bool gcdc_matcher_is_completed(gcdc_matcher *m)
{
	if (!m) return false;
	if (m->now->terminated) return true;
	gcdc_status status = matcher_sets(m);
	if (status != GCDC_OK || !m->sets.may_end) return false;
	return LIKELY(!m->canonical_mode) || !m->artifact->info.n_eos || gcdc_matcher_allowed(m, m->artifact->eos[0]);
}
