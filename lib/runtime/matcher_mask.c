// Masks: the sets that a position allows, and their union.
//
// In:  a position.  Out: ids of token sets; the mask as bits; single bits.
// For a lexer state, what is allowed depends on the stack alone. The start row of (lex_state, top) holds what is
// allowed whatever lies below, and a node of the automaton that reads the stack downwards; each edge adds a set. The
// mask is the union over the walk, and over the readings (docs/algorithm.md, 3).
// The union is written in one pass: rows are united while they are copied, lists follow.
// Cost: a few nanoseconds per frame read; filling moves (1 + rows) * V / 8 bytes.
#include "runtime_internal.h"

// Adds a set that is not empty and not there yet.
static bool list_add(struct gcdc_matcher *m, struct set_list *list, uint32_t set)
{
	for (uint32_t i = 0; i < list->n; i++)
		if (list->at[i] == set) return true;
	if (UNLIKELY(list->n == list->cap)) {
		uint32_t *at = memory_resize(&m->artifact->memory, list->at, (size_t)list->cap * 2, sizeof *at);
		if (!at) return false;
		list->at = at;
		list->cap *= 2;
	}
	list->at[list->n++] = set;
	return true;
}

// The sets of one reading.
static gcdc_status reading_sets(struct gcdc_matcher *m, struct reading r, struct set_list *list, bool *any)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct frame *frames = m->pool->at;
	const struct artifact_lr_state *top = &a->lr_states[frames[r.frame].lr_state];
	uint32_t base = a->start_base[(uint64_t)r.lex_state * a->info.n_contexts + top->context];
	*any = false;
	if (base == ARTIFACT_NONE) return GCDC_OK;
	const struct artifact_start *start = &a->starts[base + top->rank];
	uint32_t set = start->set, node = start->node, f = r.frame;
	for (;;) {
		if (a->sets[set].count) {
			*any = true;
			if (!list_add(m, list, set)) return GCDC_ERR_MEMORY;
		}
		if (!node) return GCDC_OK;
		struct artifact_node x = a->nodes[node];
		if (UNLIKELY(x.skip >= frames[f].depth)) return GCDC_ERR_INTERNAL;
		f = frames[f].parent;
		for (uint32_t k = x.skip; k; k--) f = frames[f].parent;
		const struct artifact_edge *e = &a->edges[x.base + frames[f].lr_state];
		if (UNLIKELY(e->owner != node)) return GCDC_ERR_INTERNAL;
		set = e->set;
		node = e->next;
	}
}

gcdc_status position_sets(struct gcdc_matcher *m, struct position *p, struct set_list *list)
{
	const struct artifact_set *sets = m->artifact->sets;
	list->n = 0;
	list->valid = false;
	uint32_t n = 0;
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < p->n; i++) {
		bool any = false;
		if (LIKELY(!status)) status = reading_sets(m, p->at[i], list, &any);
		if (any || status) p->at[n++] = p->at[i];
		else frame_unref(m->pool, p->at[i].frame);
	}
	p->n = n;
	if (UNLIKELY(status)) return status;
	if (UNLIKELY(!n)) return GCDC_REJECTED;
	uint32_t flags = 0;
	list->all = false;
	for (uint32_t i = 0; i < list->n; i++) {
		flags |= sets[list->at[i]].flags;
		list->all |= sets[list->at[i]].count == m->artifact->info.n_tokens;
	}
	list->may_end = flags & SET_EOS;
	list->valid = true;
	return GCDC_OK;
}

// ---- Single bits.
static bool set_has(const struct gcdc_artifact *a, const struct artifact_set *s, uint32_t token)
{
	uint32_t word = token / 32, bit = token % 32;
	if (s->dense != ARTIFACT_NONE && a->dense[(uint64_t)s->dense * a->info.mask_words + word] >> bit & 1) return true;
	const struct artifact_sparse *at = &a->sparse[s->at];
	uint32_t n = s->n;
	if (!n) return false;
	while (n > 1) {   // the last entry whose word is <= word
		uint32_t half = n / 2;
		at = at[half].word <= word ? at + half : at;
		n -= half;
	}
	return at->word == word && at->bits >> bit & 1;
}

bool sets_have(const struct gcdc_artifact *a, const struct set_list *list, uint32_t token)
{
	if (UNLIKELY(token >= a->info.n_tokens)) return false;
	for (uint32_t i = 0; i < list->n; i++)
		if (set_has(a, &a->sets[list->at[i]], token)) return true;
	return false;
}

bool artifact_is_eos(const struct gcdc_artifact *a, uint32_t token)
{
	uint32_t low = 0, high = a->info.n_eos;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (a->eos[mid] < token) low = mid + 1;
		else high = mid;
	}
	return low < a->info.n_eos && a->eos[low] == token;
}

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

static void unite_4(uint32_t *to, const uint32_t *a, const uint32_t *b, const uint32_t *c, const uint32_t *d, uint32_t n)
{
	uint32_t i = 0;
	for (; i + 4 <= n; i += 4) store(to + i, (load(a + i) | load(b + i)) | (load(c + i) | load(d + i)));
	for (; i < n; i++) to[i] = a[i] | b[i] | c[i] | d[i];
}

// to becomes the union of n rows (1 to 4).
static void unite(uint32_t *to, const uint32_t *const *row, uint32_t n, uint32_t words)
{
	switch (n) {
	case 1: memcpy(to, row[0], words * sizeof *to); break;
	case 2: unite_2(to, row[0], row[1], words); break;
	case 3: unite_3(to, row[0], row[1], row[2], words); break;
	default: unite_4(to, row[0], row[1], row[2], row[3], words); break;
	}
}

void sets_fill(const struct gcdc_artifact *a, const struct set_list *list, uint32_t *mask)
{
	uint32_t words = a->info.mask_words, n = 0;
	const uint32_t *row[4];
	bool written = false;
	for (uint32_t i = 0; i < list->n; i++) {
		const struct artifact_set *s = &a->sets[list->at[i]];
		if (s->dense == ARTIFACT_NONE) continue;
		if (n == 4) {   // what is written so far is one of the next four
			unite(mask, row, n, words);
			row[0] = mask;
			n = 1;
		}
		row[n++] = &a->dense[(uint64_t)s->dense * words];
		written = true;
	}
	if (written) unite(mask, row, n, words);
	else memset(mask, 0, words * sizeof *mask);
	for (uint32_t i = 0; i < list->n; i++) {
		const struct artifact_set *s = &a->sets[list->at[i]];
		const struct artifact_sparse *at = &a->sparse[s->at];
		for (uint32_t k = 0; k < s->n; k++) mask[at[k].word] |= at[k].bits;
	}
}

void mask_eos(const struct gcdc_artifact *a, uint32_t *mask, size_t n_words)
{
	memset(mask, 0, n_words * sizeof *mask);
	for (uint32_t i = 0; i < a->info.n_eos; i++) mask[a->eos[i] / 32] |= 1u << a->eos[i] % 32;
}

// The row that is exactly the union, or NONE.
static uint32_t only_row(const struct gcdc_artifact *a, const struct set_list *list)
{
	if (list->n != 1) return ARTIFACT_NONE;
	const struct artifact_set *s = &a->sets[list->at[0]];
	return s->n ? ARTIFACT_NONE : s->dense;
}

gcdc_status gcdc_matcher_fill(gcdc_matcher *m, uint32_t *mask, size_t n_words, gcdc_fill_info *info)
{
	if (UNLIKELY(!m || !mask || n_words < m->artifact->info.mask_words)) return GCDC_ERR_ARGUMENT;
	const struct gcdc_artifact *a = m->artifact;
	if (UNLIKELY(m->now->terminated)) {
		mask_eos(a, mask, n_words);
		if (info) *info = (gcdc_fill_info){.needs_apply = true, .may_end = true, .row = GCDC_NONE};
		return GCDC_TERMINATED;
	}
	gcdc_status status = matcher_sets(m);
	if (UNLIKELY(status)) {
		memset(mask, 0, n_words * sizeof *mask);
		if (info) *info = (gcdc_fill_info){.needs_apply = true, .row = GCDC_NONE};
		return status;
	}
	sets_fill(a, &m->sets, mask);
	if (UNLIKELY(n_words > a->info.mask_words))
		memset(mask + a->info.mask_words, 0, (n_words - a->info.mask_words) * sizeof *mask);
	if (info)
		*info = (gcdc_fill_info){.needs_apply = !m->sets.all, .may_end = m->sets.may_end, .n_sets = m->sets.n,
		                         .row = only_row(a, &m->sets)};
	return GCDC_OK;
}

gcdc_status gcdc_matcher_mask_sets(gcdc_matcher *m, const uint32_t **sets, uint32_t *n, const uint32_t **row)
{
	if (sets) *sets = NULL;
	if (n) *n = 0;
	if (row) *row = NULL;
	if (!m || !sets || !n) return GCDC_ERR_ARGUMENT;
	if (m->now->terminated) return GCDC_TERMINATED;
	gcdc_status status = matcher_sets(m);
	if (UNLIKELY(status)) return status;
	*sets = m->sets.at;
	*n = m->sets.n;
	if (row) {
		uint32_t id = only_row(m->artifact, &m->sets);
		if (id != ARTIFACT_NONE) *row = &m->artifact->dense[(uint64_t)id * m->artifact->info.mask_words];
	}
	return GCDC_OK;
}

bool gcdc_matcher_allowed(gcdc_matcher *m, uint32_t token)
{
	if (!m) return false;
	if (m->now->terminated) return artifact_is_eos(m->artifact, token);
	return matcher_sets(m) == GCDC_OK && sets_have(m->artifact, &m->sets, token);
}

bool gcdc_matcher_is_completed(gcdc_matcher *m)
{
	return m && (m->now->terminated || (matcher_sets(m) == GCDC_OK && m->sets.may_end));
}

gcdc_status gcdc_fill_batch(gcdc_matcher *const *matchers, size_t n, const uint32_t *rows, uint32_t *masks,
                            size_t stride, gcdc_status *statuses, bool *needs_apply)
{
	if (n && (!matchers || !masks)) return GCDC_ERR_ARGUMENT;
	gcdc_status first = GCDC_OK;
	for (size_t i = 0; i < n; i++) {
		gcdc_fill_info info = {.needs_apply = false};
		gcdc_status status = GCDC_OK;
		if (matchers[i]) {
			// Words past the mask, when rows are longer, are part of the row.
			status = gcdc_matcher_fill(matchers[i], masks + (rows ? rows[i] : i) * stride, stride, &info);
			if (status < 0 && !first) first = status;
		}
		if (statuses) statuses[i] = status;
		if (needs_apply) needs_apply[i] = info.needs_apply;
	}
	return first;
}

gcdc_status gcdc_accept_batch(gcdc_matcher *const *matchers, const uint32_t *tokens, size_t n, gcdc_status *statuses)
{
	if (n && (!matchers || !tokens)) return GCDC_ERR_ARGUMENT;
	gcdc_status first = GCDC_OK;
	for (size_t i = 0; i < n; i++) {
		gcdc_status status = matchers[i] ? gcdc_matcher_accept(matchers[i], tokens[i]) : GCDC_OK;
		if (status && !first) first = status;
		if (statuses) statuses[i] = status;
	}
	return first;
}
