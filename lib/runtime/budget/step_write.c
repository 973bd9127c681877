// Steps into words: thresholds, pairs, sites, nodes.
//
// In:  what step_build.c found, in the scratch.  Out: a step, whose lists are in .words as step_read.c reads
// them. Levels that others imply go; the rest is put in order by expression and base. Bases are small, so they are
// counted rather than compared. Items that are the same make one node, so that equal nodes share what is read below
// them. Cost: linear in what was found, but for items and sites, which are sorted.
#include "step_build.h"

#include <stddef.h>
#include <stdlib.h>

#include "price.h"

#define FEW_ROWS 12u  // that are sorted in place
#define FEW_WORDS 4u  // of one of them

// In order; a few are inserted one by one.
static void sort_few(void *at, uint32_t n, uint32_t words, int compare(const void *, const void *))
{
	uint32_t *w = at, x[FEW_WORDS];
	if (n > FEW_ROWS) {
		qsort(at, n, words * sizeof *w, compare);
		return;
	}
	for (uint32_t i = 1, k; i < n; i++) {
		memcpy(x, w + i * words, words * sizeof *w);
		for (k = i; k && compare(x, w + (k - 1) * words) < 0; k--)
			memcpy(w + k * words, w + (k - 1) * words, words * sizeof *w);
		memcpy(w + k * words, x, words * sizeof *w);
	}
}

static int compare_item(const void *a, const void *b) { return compare_words(a, b, 4); }
static int compare_waiting(const void *a, const void *b) { return compare_words(a, b, 3); }
static int compare_threshold(const void *a, const void *b) { return compare_words(a, b, 3); }

// By expression and base.
static void insert_thresholds(struct build_threshold *l, uint32_t n)
{
	for (uint32_t i = 1, k; i < n; i++) {
		const struct build_threshold x = l[i];
		for (k = i; k; k--) {
			if (l[k - 1].expression != x.expression ? l[k - 1].expression < x.expression : l[k - 1].base <= x.base)
				break;
			l[k] = l[k - 1];
		}
		l[k] = x;
	}
}

// Levels by expression, base and set. Mostly bases are small: then they are counted, and sets are left as they came.
// Branches: small bases are counted and large ones compared: a counting sort in two passes whose pushes may fail.
static bool sort_thresholds(struct step_builder *b)
{
	struct step_scratch *s = b->s;
	struct vec32 *first = &s->first;
	uint32_t most = 0, n = s->thresholds.n, n_expressions = s->expressions.n;
	if (n <= FEW_THRESHOLDS) {
		insert_thresholds(s->thresholds.at, n);
		return true;
	}
	for (uint32_t i = 0; i < n; i++) most = s->thresholds.at[i].base > most ? s->thresholds.at[i].base : most;
	if (most >= n + FEW_BASES || n_expressions >= n + FEW_BASES) {
		if (n) qsort(s->thresholds.at, n, sizeof *s->thresholds.at, compare_threshold);
		return true;
	}
	while (s->sorted.cap < n)
		if (!vector_grow(b->memory, (void **)&s->sorted.at, &s->sorted.cap, sizeof *s->sorted.at)) return false;
	for (int by_base = 1; by_base >= 0; by_base--) {
		const struct build_threshold *from = by_base ? s->thresholds.at : s->sorted.at;
		struct build_threshold *to = by_base ? s->sorted.at : s->thresholds.at;
		first->n = 0;
		if (!vec32_more(b->memory, first, by_base ? most + 2 : n_expressions + 1)) return false;
		memset(first->at, 0, first->n * sizeof *first->at);
		for (uint32_t i = 0; i < n; i++) first->at[(by_base ? from[i].base : from[i].expression) + 1]++;
		for (uint32_t i = 1; i < first->n; i++) first->at[i] += first->at[i - 1];
		for (uint32_t i = 0; i < n; i++) to[first->at[by_base ? from[i].base : from[i].expression]++] = from[i];
	}
	return true;
}

// Levels that others imply go: a set once for each expression, and not where it costs less without.
static bool thin_thresholds(struct step_builder *b)
{
	struct step_scratch *s = b->s;
	struct build_threshold *l = s->thresholds.at;
	uint32_t n = 0, n_fixed = 0;
	for (uint32_t i = 0; i < s->thresholds.n; i++) n_fixed += !l[i].expression;
	for (uint32_t i = 0; i < s->thresholds.n && n_fixed; i++) {
		bool is_new;
		if (!l[i].expression) continue;
		const uint32_t *fixed = pair_map_put(b->memory, &s->threshold_of, 0, l[i].set, &is_new);
		if (!fixed) return false;
		if (*fixed && l[*fixed - 1].base <= l[i].base) l[i].base = PRICE_NEVER;
	}
	for (uint32_t i = 0; i < s->thresholds.n; i++)
		if (!l[i].expression || l[i].base != PRICE_NEVER) l[n++] = l[i];
	s->thresholds.n = n;
	return sort_thresholds(b);
}

// Of a summary: the sets of one expression and base become one, a part. Thresholds are in order of these.
static bool join_thresholds(struct step_builder *b)
{
	struct step_store *x = b->x;
	struct build_threshold *l = b->s->thresholds.at;
	struct vec32 *key = &b->s->key;
	uint32_t n = 0;
	for (uint32_t i = 0, end; i < b->s->thresholds.n; i = end) {
		for (end = i + 1; end < b->s->thresholds.n; end++)
			if (l[end].expression != l[i].expression || l[end].base != l[i].base) break;
		l[n] = l[i];
		if (end - i > 1) {
			bool is_new;
			key->n = 0;
			if (!vec32_more(b->memory, key, end - i)) return false;
			for (uint32_t k = i; k < end; k++) key->at[k - i] = l[k].set;
			step_sort(key);
			uint32_t part = word_lists_add(b->memory, &x->parts, key->at, key->n, &is_new);
			if (part == ARTIFACT_NONE) return false;
			l[n].set = SET_PART | part;
		}
		n++;
	}
	b->s->thresholds.n = n;
	return true;
}

// Where the pair (down, question) of a term stands in a list of them; its end: nowhere. Expressions of a step that is
// whole are over the frame below [0], and it counts from [0].
static uint32_t pair_of(const struct vec32 *pairs, struct build_term t)
{
	uint32_t p = 0;
	while (p < pairs->n && (pairs->at[p] != t.down + 1 || pairs->at[p + 1] != t.control)) p += 2;
	return p;
}

// How many terms an expression of the step has, and one of them.
static uint32_t count_terms(const struct step_builder *b, uint32_t number)
{
	uint32_t expression = b->s->expressions.at[number];
	return expression ? b->x->expressions.list[expression - 1].n / TERM_WORDS : 0;
}
static struct build_term term_at(const struct step_builder *b, uint32_t number, uint32_t i)
{
	struct build_term t;
	uint32_t at = b->x->expressions.list[b->s->expressions.at[number] - 1].at;
	memcpy(&t, b->x->words.at + at + i * TERM_WORDS, sizeof t);
	return t;
}

// The pairs that the expressions of .thresholds ask for, each once; *n_used: how many expressions these are.
static bool list_pairs(struct step_builder *b, struct vec32 *pairs, uint32_t *n_used)
{
	struct step_scratch *s = b->s;
	const struct build_threshold *l = s->thresholds.at;
	pairs->n = 0, *n_used = 0;
	for (uint32_t i = 0; i < s->thresholds.n; i++) {
		if (i && l[i].expression == l[i - 1].expression) continue;
		++*n_used;
		for (uint32_t k = 0; s->puts_answers && k < count_terms(b, l[i].expression); k++) {
			const struct build_term t = term_at(b, l[i].expression, k);
			if (pair_of(pairs, t) < pairs->n) continue;
			if (!vec32_push(b->memory, pairs, t.down + 1) || !vec32_push(b->memory, pairs, t.control)) return false;
		}
	}
	return true;
}

// The terms of an expression.
static bool write_terms(struct step_builder *b, const struct vec32 *pairs, uint32_t number)
{
	struct vec32 *w = &b->x->words;
	uint32_t n = count_terms(b, number);
	bool ok = vec32_push(b->memory, w, n);
	for (uint32_t k = 0; k < n && ok; k++) {
		const struct build_term t = term_at(b, number, k);
		ok = vec32_push(b->memory, w, pair_of(pairs, t) / 2) && vec32_push(b->memory, w, t.weight);
	}
	return ok;
}

// Thresholds of one expression, [i, end): bases and how far each one's sets go, sets.
static bool write_thresholds(struct step_builder *b, uint32_t i, uint32_t end)
{
	struct vec32 *w = &b->x->words;
	const struct build_threshold *l = b->s->thresholds.at;
	uint32_t n_bases = 0;
	for (uint32_t k = i; k < end; k++) n_bases += k == i || l[k].base != l[k - 1].base;
	uint32_t *to = vec32_more(b->memory, w, 2 + 2 * n_bases + end - i);
	if (!to) return false;
	*to++ = n_bases, *to++ = end - i;
	for (uint32_t k = i; k < end; k++)
		if (k + 1 == end || l[k + 1].base != l[k].base) *to++ = l[k].base, *to++ = k + 1 - i;
	for (uint32_t k = i; k < end; k++) *to++ = l[k].set;
	return true;
}

// Body of a step: pairs (down, question), then expressions as terms with their thresholds; step_read.c reads it. Of a
// summary: expressions with their thresholds; step_answers.c reads it.
static bool write_body(struct step_builder *b)
{
	struct step_scratch *s = b->s;
	struct vec32 *w = &b->x->words, *pairs = &s->key;
	uint32_t n_used, n_pairs;
	bool ok = list_pairs(b, pairs, &n_used);
	n_pairs = s->puts_answers ? pairs->n : 0;
	if (s->puts_answers) ok = ok && vec32_push(b->memory, w, n_pairs / 2);
	for (uint32_t i = 0; i < n_pairs && ok; i++) ok = vec32_push(b->memory, w, pairs->at[i]);
	ok = ok && vec32_push(b->memory, w, n_used);
	for (uint32_t i = 0, end; i < s->thresholds.n && ok; i = end) {
		const struct build_threshold *l = s->thresholds.at;
		for (end = i; end < s->thresholds.n && l[end].expression == l[i].expression;) end++;
		ok = s->puts_answers ? write_terms(b, pairs, l[i].expression)
		                     : vec32_push(b->memory, w, s->expressions.at[l[i].expression]);
		ok = ok && write_thresholds(b, i, end);
	}
	return ok;
}

static int compare_site(const void *a, const void *b) { return compare_words(a, b, 2); }

static bool write_sites(struct step_builder *b, struct step *p)
{
	struct step_scratch *s = b->s;
	struct vec32 *w = &b->x->words;
	const struct site_set *x = s->sites.at;
	bool ok = true;
	p->sites = w->n, p->n_sites = 0;
	sort_few(s->sites.at, s->sites.n, sizeof *x / 4, compare_site);
	for (uint32_t i = 0, end; i < s->sites.n && ok; i = end) {
		uint32_t height = s->known.at[x[i].top].height, at = w->n, n = 0;
		const struct site site = {__atomic_fetch_add(b->x->n_sites, 1, __ATOMIC_RELAXED), height, 0};
		for (uint32_t k = 0; k < sizeof site / 4 + height && ok; k++)
			ok = vec32_push(b->memory, w, k < sizeof site / 4 ? ((const uint32_t *)&site)[k] : 0);
		if (!ok) break;
		for (uint32_t k = x[i].top, to = w->n; k; k = s->known.at[k].below) w->at[--to] = s->known.at[k].lr_state;
		for (end = i; end < s->sites.n && x[end].top == x[i].top && ok; end++) {
			if (end > i && x[end].set == x[end - 1].set) continue;
			ok = vec32_push(b->memory, w, x[end].set);
			n++;
		}
		w->at[at + offsetof(struct site, n_sets) / 4] = n;
		p->n_sites++;
	}
	return ok;
}

// Items that wait for one nonterminal become a group.
static bool group_items(struct step_builder *b)
{
	struct step_scratch *s = b->s;
	struct vec32 *key = &s->key;
	struct build_item *x = s->items.at;
	sort_few(x, s->items.n, sizeof *x / 4, compare_item);
	for (uint32_t i = 0, end; i < s->items.n; i = end) {
		bool ok = true, is_new;
		key->n = 0;
		for (end = i; end < s->items.n && x[end].pop == x[i].pop && x[end].lhs == x[i].lhs && ok; end++) {
			if (end > i && !compare_item(&x[end - 1], &x[end])) continue;
			ok = vec32_push(b->memory, key, x[end].terminal) && vec32_push(b->memory, key, x[end].conts);
		}
		uint32_t group = ok ? word_lists_add(b->memory, &b->x->groups, key->at, key->n, &is_new) : ARTIFACT_NONE;
		if (group == ARTIFACT_NONE) return false;
		if (!PUSH(b->memory, &s->waiting, (struct waiting){x[i].pop, x[i].lhs, group})) return false;
	}
	return true;
}

static bool write_node(struct step_builder *b, struct step *p)
{
	struct step_scratch *s = b->s;
	p->node = ARTIFACT_NONE, p->skip = 0;
	if (!group_items(b)) return false;
	if (!s->waiting.n) return true;
	struct waiting *x = s->waiting.at;
	sort_few(x, s->waiting.n, WAITING_WORDS, compare_waiting);
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->waiting.n; i++)
		if (!n || compare_waiting(&x[n - 1], &x[i])) x[n++] = x[i];
	p->skip = x[0].pop - 1;
	for (uint32_t i = 0; i < n; i++) x[i].pop -= p->skip;
	bool is_new;
	p->node = word_lists_add(b->memory, &b->x->nodes, (const uint32_t *)x, n * WAITING_WORDS, &is_new);
	return p->node != ARTIFACT_NONE;
}

gcdc_status step_write(struct step_builder *b, struct step *p)
{
	struct step_scratch *s = b->s;
	struct vec32 *w = &b->x->words;
	if (!thin_thresholds(b) || (!b->s->puts_answers && !join_thresholds(b))) return GCDC_ERR_MEMORY;
	step_sort(&s->tries);
	*p = (struct step){.node = ARTIFACT_NONE, .open = s->open, .body = w->n};
	if (s->open) return GCDC_OK;
	bool ok = write_body(b);
	p->n_body = w->n - p->body;
	p->tries = w->n, p->n_tries = s->tries.n;
	for (uint32_t i = 0; i < s->tries.n && ok; i++) ok = vec32_push(b->memory, w, s->tries.at[i]);
	p->tried = w->n, p->n_tried = s->tried.n;
	for (uint32_t i = 0; i < s->tried.n && ok; i++) ok = vec32_push(b->memory, w, s->tried.at[i]);
	ok = ok && write_sites(b, p);
	return ok && write_node(b, p) ? GCDC_OK : GCDC_ERR_MEMORY;
}
