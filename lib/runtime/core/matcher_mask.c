// Masks: the union of the sets that a position allows, and single bits of it.
//
// In:  a position's sets (matcher_sets.c).  Out: the mask as bits; as ids of sets; single bits (sets.c).
// The union is written in one pass: rows are united while they are copied, lists follow, then single tokens.
// Cost: filling moves (1 + rows) * V / 8 bytes.
#include "matcher_step.h"

// ---- The union. Rows are only 4-aligned.
typedef uint32_t chunk __attribute__((vector_size(16)));
static inline chunk load(const uint32_t *p)
{
	chunk x;
	memcpy(&x, p, sizeof x);
	return x;
}
static inline void store(uint32_t *p, chunk x) { memcpy(p, &x, sizeof x); }

static void unite_2(uint32_t *to, const uint32_t *a, const uint32_t *b, uint32_t n)
{
	uint32_t i = 0;
	for (; i + 8 <= n; i += 8) {
		chunk x = load(a + i) | load(b + i), y = load(a + i + 4) | load(b + i + 4);
		store(to + i, x);
		store(to + i + 4, y);
	}
	for (; i < n; i++) to[i] = a[i] | b[i];
}

static void unite_3(uint32_t *to, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t n)
{
	uint32_t i = 0;
	for (; i + 4 <= n; i += 4) store(to + i, load(a + i) | load(b + i) | load(c + i));
	for (; i < n; i++) to[i] = a[i] | b[i] | c[i];
}

static void unite_4(uint32_t *to, const uint32_t *a, const uint32_t *b, const uint32_t *c, const uint32_t *d,
                    uint32_t n)
{
	uint32_t i = 0;
	for (; i + 4 <= n; i += 4) store(to + i, (load(a + i) | load(b + i)) | (load(c + i) | load(d + i)));
	for (; i < n; i++) to[i] = a[i] | b[i] | c[i] | d[i];
}

// The same of n rows, and of that what is in `keep`.
static void unite_kept(uint32_t *to, const uint32_t *const *row, uint32_t n_rows, const uint32_t *keep, uint32_t n)
{
	const uint32_t *a = row[0], *b = row[n_rows > 1], *c = row[n_rows > 2 ? 2 : 0], *d = row[n_rows > 3 ? 3 : 0];
	uint32_t i = 0;
	if (n_rows == 1)
		for (; i + 8 <= n; i += 8) {
			chunk x = load(a + i) & load(keep + i), y = load(a + i + 4) & load(keep + i + 4);
			store(to + i, x);
			store(to + i + 4, y);
		}
	else if (n_rows == 2)
		for (; i + 4 <= n; i += 4) store(to + i, (load(a + i) | load(b + i)) & load(keep + i));
	else
		for (; i + 4 <= n; i += 4)
			store(to + i, ((load(a + i) | load(b + i)) | (load(c + i) | load(d + i))) & load(keep + i));
	for (; i < n; i++) to[i] = (a[i] | b[i] | c[i] | d[i]) & keep[i];
}

void mask_keep(uint32_t *mask, const uint32_t *row, uint32_t words)
{
	unite_kept(mask, (const uint32_t *const[]){mask}, 1, row, words);
}

// to becomes the union of n rows (1 to 4), of `keep` if there is one.
static void unite(uint32_t *to, const uint32_t *const *row, uint32_t n, const uint32_t *keep, uint32_t words)
{
	if (UNLIKELY(keep != NULL)) {
		unite_kept(to, row, n, keep, words);
		return;
	}
	switch (n) {
	case 1: memcpy(to, row[0], words * sizeof *to); break;
	case 2: unite_2(to, row[0], row[1], words); break;
	case 3: unite_3(to, row[0], row[1], row[2], words); break;
	default: unite_4(to, row[0], row[1], row[2], row[3], words); break;
	}
}

static inline bool has_bit(const uint32_t *row, uint32_t token) { return row[token / 32] >> token % 32 & 1; }

// A row's own tokens that its set takes away: off again, unless another set has them.
static void take_away(const struct gcdc_artifact *a, const struct set_list *list, uint32_t own, uint32_t *mask)
{
	const struct artifact_set *s = &a->sets[list->at[own]];
	const uint32_t *row = &a->dense[(uint64_t)s->dense * a->info.mask_words], *flip = &a->sparse[s->at];
	for (uint32_t k = 0; k < s->n; k++) {
		if (!has_bit(row, flip[k])) continue;
		bool kept = false;
		for (uint32_t i = 0; i < list->n && !kept; i++) {
			const struct artifact_set *other = &a->sets[list->at[i]];
			if (i == own || other->dense == ARTIFACT_NONE) continue;
			kept = has_bit(&a->dense[(uint64_t)other->dense * a->info.mask_words], flip[k]) &&
			       artifact_set_has(a, other, flip[k]);
		}
		if (!kept) mask[flip[k] / 32] &= ~(1u << flip[k] % 32);
	}
}

static inline void add_bit(uint32_t *mask, const uint32_t *keep, uint32_t token)
{
	if (!keep || has_bit(keep, token)) mask[token / 32] |= 1u << token % 32;
}

// The rows in one pass, then tokens.
static void fill_parts(const struct gcdc_artifact *a, const struct set_list *list, const uint32_t *keep, uint32_t *mask)
{
	const struct set_unions *x = list->unions_of;
	uint32_t words = a->info.mask_words, n = 0;
	const uint32_t *row[4];
	for (uint32_t i = 0; i < list->unions.n; i++) {
		const struct set_union *p = &x->at[list->unions.at[i]];
		if (!p->row) continue;
		if (n == 4) {
			unite(mask, row, n, NULL, words);
			row[0] = mask;
			n = 1;
		}
		row[n++] = p->row;
	}
	if (!n)
		memset(mask, 0, words * sizeof *mask);
	else
		unite(mask, row, n, keep, words);
	for (uint32_t i = 0; i < list->unions.n; i++) {
		const struct set_union *p = &x->at[list->unions.at[i]];
		const uint32_t *token = &x->words.at[p->tokens];
		for (uint32_t k = 0; k < p->n_tokens; k++) add_bit(mask, keep, token[k]);
	}
	for (uint32_t i = 0; i < list->extra.n; i++) add_bit(mask, keep, list->extra.at[i]);
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

// First the rows as they are, all in one pass; then what their sets take away; then what they add, which needs no look
// at any other set; then lists and single tokens.
void sets_fill_kept(const struct gcdc_artifact *a, const struct set_list *list, const uint32_t *keep, uint32_t *mask)
{
	uint32_t words = a->info.mask_words, n = 0, n_rows = 0;
	const uint32_t *row[4];
	if (UNLIKELY(list->unions.n)) {
		fill_parts(a, list, keep, mask);
		return;
	}
	for (uint32_t i = 0; i < list->n; i++) {
		const struct artifact_set *s = &a->sets[list->at[i]];
		if (s->dense == ARTIFACT_NONE) continue;
		n_rows++;
		if (n == 4) {  // what is written so far is one of the next four
			unite(mask, row, n, NULL, words);
			row[0] = mask;
			n = 1;
		}
		row[n++] = &a->dense[(uint64_t)s->dense * words];
	}
	if (!n)
		memset(mask, 0, words * sizeof *mask);
	else
		unite(mask, row, n, keep, words);
	for (uint32_t i = 0; i < list->n; i++) {
		const struct artifact_set *s = &a->sets[list->at[i]];
		if (s->dense != ARTIFACT_NONE && s->n && n_rows > 1) take_away(a, list, i, mask);
	}
	for (uint32_t i = 0; i < list->n && n_rows; i++) {
		const struct artifact_set *s = &a->sets[list->at[i]];
		const uint32_t *token = &a->sparse[s->at];
		if (s->dense == ARTIFACT_NONE) continue;
		if (n_rows == 1) {  // the mask is as yet its row
			for (uint32_t k = 0; k < s->n; k++)
				if (!keep || has_bit(keep, token[k])) mask[token[k] / 32] ^= 1u << token[k] % 32;
			continue;
		}
		const uint32_t *base = &a->dense[(uint64_t)s->dense * words];
		for (uint32_t k = 0; k < s->n; k++)
			if (!has_bit(base, token[k])) add_bit(mask, keep, token[k]);
	}
	for (uint32_t i = 0; i < list->n; i++) {
		const struct artifact_set *s = &a->sets[list->at[i]];
		const uint32_t *token = &a->sparse[s->at];
		if (s->dense != ARTIFACT_NONE) continue;
		for (uint32_t k = 0; k < s->n; k++) add_bit(mask, keep, token[k]);
	}
	for (uint32_t i = 0; i < list->extra.n; i++) add_bit(mask, keep, list->extra.at[i]);
}

void sets_fill(const struct gcdc_artifact *a, const struct set_list *list, uint32_t *mask)
{
	sets_fill_kept(a, list, NULL, mask);
}

void mask_eos(const struct gcdc_matcher *m, uint32_t *mask, size_t n_words)
{
	const struct gcdc_artifact *a = m->artifact;
	memset(mask, 0, n_words * sizeof *mask);
	for (uint32_t i = 0; i < a->info.n_eos; i++) mask[a->eos[i] / 32] |= 1u << a->eos[i] % 32;
	if (UNLIKELY(m->stops.n)) stops_fill(m, mask);
}

// The row that is exactly the union, or NONE.
static uint32_t only_row(const struct gcdc_artifact *a, const struct set_list *list)
{
	if (list->n != 1 || list->extra.n || list->unions.n) return ARTIFACT_NONE;
	const struct artifact_set *s = &a->sets[list->at[0]];
	return s->n ? ARTIFACT_NONE : s->dense;
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

gcdc_status gcdc_matcher_fill(gcdc_matcher *m, uint32_t *mask, size_t n_words, gcdc_fill_info *info)
{
	if (UNLIKELY(!m || !mask || n_words < m->artifact->info.mask_words)) return GCDC_ERR_ARGUMENT;
	const struct gcdc_artifact *a = m->artifact;
	if (UNLIKELY(m->now->terminated)) {
		mask_eos(m, mask, n_words);
		if (info) *info = (gcdc_fill_info){.needs_apply = true, .may_end = true, .row = GCDC_NONE};
		return GCDC_TERMINATED;
	}
	gcdc_status status = matcher_sets(m);
	if (UNLIKELY(status)) {
		memset(mask, 0, n_words * sizeof *mask);
		if (info) *info = (gcdc_fill_info){.needs_apply = true, .row = GCDC_NONE};
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
		                         .row = stops ? GCDC_NONE : only_row(a, &m->sets),
		                         .n_tokens = m->sets.extra.n + (stops ? m->stops.n : 0)};
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

gcdc_status gcdc_matcher_mask_sets(gcdc_matcher *m, gcdc_mask_sets *out)
{
	if (out) *out = (gcdc_mask_sets){0};
	if (!m || !out) return GCDC_ERR_ARGUMENT;
	if (m->now->terminated) return GCDC_TERMINATED;
	gcdc_status status = matcher_sets(m);
	if (UNLIKELY(status)) return status;
	if (UNLIKELY(m->canonical_mode)) return canonical_mask_sets(m, out);
	status = sets_flatten(m->artifact, &m->sets);
	if (UNLIKELY(status)) return status;
	uint32_t row = only_row(m->artifact, &m->sets);
	*out = (gcdc_mask_sets){.sets = m->sets.at,
	                        .n_sets = m->sets.n,
	                        .tokens = m->sets.extra.at,
	                        .n_tokens = m->sets.extra.n,
	                        .row = gcdc_artifact_row(m->artifact, row)};
	return UNLIKELY(m->stops.n) && m->sets.may_end ? stops_add(m, out) : GCDC_OK;
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
