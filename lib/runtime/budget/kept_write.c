// The steps that masks under a budget have made, as the artifact's sections KEPT_*: what the compiler keeps of texts.
//
// In:  an artifact whose matchers have made masks.  Out: its newest store's first steps in the order in which they were
// made, and the lists that these name (formats/artifact.md, 6). Steps of which the tables do not tell are left out:
// they are made anew. Cost: O(words).
#include "gcdc/show.h"
#include "step_build.h"

#include <stddef.h>

// How many of each list are named.
struct named {
	uint32_t conts, groups, nodes, parts, expressions;
};

struct kept_writer {
	const struct step_store *s;
	const gcdc_memory *memory;
	uint32_t *places;  // of each step: place, lr_state
	struct named n;
	struct vec32 steps, words;
};

static void name(uint32_t *n, uint32_t list)
{
	if (list >= *n) *n = list + 1;
}

static void name_parts(struct kept_writer *w, const uint32_t *sets, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (sets[i] & SET_PART) name(&w->n.parts, sets[i] & ~SET_PART);
}

static void name_body(struct kept_writer *w, const struct step *p, bool is_of_summary)
{
	const uint32_t *at = w->s->words.at + p->body;
	if (!is_of_summary) at += 1 + 2 * *at;
	for (uint32_t n = *at++; n; n--) {
		if (is_of_summary && *at) name(&w->n.expressions, *at - 1);
		at += is_of_summary ? 1 : 1 + 2 * *at;
		const uint32_t n_bases = at[0], n_sets = at[1];
		at += 2 + 2 * n_bases;
		name_parts(w, at, n_sets);
		at += n_sets;
	}
}

static void name_lists(struct kept_writer *w, uint32_t place, const struct step *p)
{
	if (is_summary(place))
		name(kind_of(place) == GROUP ? &w->n.groups : &w->n.conts, (place & ~PLACE_SUMMARY) >> KIND_BITS);
	else if (!(place & PLACE_OUTCOME))
		name(&w->n.nodes, place);
	if (p->node != ARTIFACT_NONE) name(&w->n.nodes, p->node);
	name_body(w, p, is_summary(place));
}

// What lists name: nodes groups, groups continuations. A part's own parts are before it.
static void name_further(struct kept_writer *w)
{
	const struct step_store *s = w->s;
	const uint32_t *words = s->words.at;
	for (uint32_t i = 0; i < w->n.nodes; i++)
		for (uint32_t k = 0; k < s->nodes.list[i].n; k += WAITING_WORDS)
			name(&w->n.groups, words[s->nodes.list[i].at + k + offsetof(struct waiting, group) / 4]);
	for (uint32_t i = 0; i < w->n.groups; i++)
		for (uint32_t k = 0; k < s->groups.list[i].n; k += 2) name(&w->n.conts, words[s->groups.list[i].at + k + 1]);
}

static bool put_words(struct kept_writer *w, uint32_t at, uint32_t n)
{
	uint32_t *to = vec32_more(w->memory, &w->words, n);
	if (to && n) memcpy(to, w->s->words.at + at, n * sizeof *to);
	return to || !n;
}

static bool put_lists(struct kept_writer *w, const struct word_lists *t, uint32_t n)
{
	bool ok = true;
	for (uint32_t i = 0; i < n && ok; i++)
		ok = vec32_push(w->memory, &w->words, t->list[i].n) && put_words(w, t->list[i].at, t->list[i].n);
	return ok;
}

static uint32_t site_words(const struct kept_writer *w, const struct step *p)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < p->n_sites; i++) {
		struct site site;
		memcpy(&site, w->s->words.at + p->sites + n, sizeof site);
		n += (uint32_t)sizeof site / 4 + site.height + site.n_sets;
	}
	return n;
}

// The numbers of sites are of this process.
static void forget_numbers(const struct step *p, uint32_t *at)
{
	for (uint32_t i = 0; i < p->n_sites; i++) {
		struct site site;
		memcpy(&site, at, sizeof site);
		at[offsetof(struct site, number) / 4] = 0;
		at += sizeof site / 4 + site.height + site.n_sets;
	}
}

static bool put_step(struct kept_writer *w, uint32_t i)
{
	const struct step *p = &w->s->at[i];
	const struct artifact_kept_step k = {w->places[2 * i], w->places[2 * i + 1], p->n_body, p->n_tries,
	                                     p->n_tried,       p->n_sites,           p->node,   p->skip};
	const uint32_t n = site_words(w, p);
	uint32_t *to = vec32_more(w->memory, &w->steps, sizeof k / 4);
	if (!to) return false;
	memcpy(to, &k, sizeof k);
	bool ok = put_words(w, p->body, p->n_body) && put_words(w, p->tries, p->n_tries) &&
	          put_words(w, p->tried, p->n_tried) && put_words(w, p->sites, n);
	if (ok) forget_numbers(p, w->words.at + w->words.n - n);
	return ok;
}

static bool is_kept(const struct kept_writer *w, uint32_t i)
{
	return !w->s->at[i].open && w->places[2 * i] != ARTIFACT_NONE;
}

static bool find_places(struct kept_writer *w)
{
	const struct pair_map *p = &w->s->of_place;
	w->places = memory_resize(w->memory, NULL, 2 * (size_t)w->s->n + 1, sizeof *w->places);
	if (!w->places) return false;
	memset(w->places, 0xff, 2 * w->s->n * sizeof *w->places);
	for (uint32_t i = 0; i < p->cap; i++) {
		const struct pair *x = &p->at[i];
		if (x->era != p->era || !x->value || x->value == STEP_BEGUN) continue;
		w->places[2 * (x->value - 1)] = x->a, w->places[2 * (x->value - 1) + 1] = x->b;
	}
	return true;
}

static uint64_t words_of(const struct word_lists *t)
{
	uint64_t n = t->n;
	for (uint32_t i = 0; i < t->n; i++) n += t->list[i].n;
	return n;
}

// So many of the first steps are within the format's limits.
static uint32_t fitting(const struct kept_writer *w, uint32_t most)
{
	const struct step_store *s = w->s;
	const struct word_lists *lists[] = {&s->conts, &s->groups, &s->nodes, &s->parts, &s->expressions};
	uint64_t n_words = 0;
	uint32_t i = 0, n = 0;
	for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
		n_words += words_of(lists[k]);
		if (lists[k]->n > KEPT_MAX_LISTS) return 0;
	}
	for (; i < most && i < s->n && n < KEPT_MAX_STEPS; i++) {
		const struct step *p = &s->at[i];
		if (!is_kept(w, i)) continue;
		n_words += (uint64_t)p->n_body + p->n_tries + p->n_tried + site_words(w, p);
		n += n_words <= KEPT_MAX_WORDS;
		if (n_words > KEPT_MAX_WORDS) break;
	}
	return i;
}

static bool write_all(struct kept_writer *w, uint32_t n, struct artifact_kept_info *info, uint32_t *n_summaries)
{
	const struct step_store *s = w->s;
	for (uint32_t i = 0; i < n; i++)
		if (is_kept(w, i)) name_lists(w, w->places[2 * i], &s->at[i]);
	name_further(w);
	bool ok = put_lists(w, &s->conts, w->n.conts) && put_lists(w, &s->groups, w->n.groups) &&
	          put_lists(w, &s->nodes, w->n.nodes) && put_lists(w, &s->parts, w->n.parts) &&
	          put_lists(w, &s->expressions, w->n.expressions);
	for (uint32_t i = 0; i < n && ok; i++) {
		if (!is_kept(w, i)) continue;
		ok = put_step(w, i);
		*n_summaries += is_summary(w->places[2 * i]);
	}
	*info = (struct artifact_kept_info){.n_steps = w->steps.n / (uint32_t)(sizeof(struct artifact_kept_step) / 4),
	                                    .n_words = w->words.n,
	                                    .n_continuations = w->n.conts,
	                                    .n_groups = w->n.groups,
	                                    .n_nodes = w->n.nodes,
	                                    .n_parts = w->n.parts,
	                                    .n_expressions = w->n.expressions};
	return ok;
}

gcdc_status gcdc_show_steps(const gcdc_artifact *a, uint32_t most,
                            void (*take)(void *context, const gcdc_shown_steps *steps), void *context)
{
	gcdc_shown_steps shown = {0};
	if (!a || !take) return GCDC_ERR_ARGUMENT;
	if (!a->cost_info) return GCDC_ERR_COSTS;
	struct step_store *s = step_store_take(a);
	if (!s) return GCDC_ERR_MEMORY;
	struct kept_writer w = {.s = s, .memory = &a->memory};
	struct artifact_kept_info info = {0};
	pthread_mutex_lock(&s->turn);
	if (!s->is_begun) step_load_kept(a, s);
	bool ok = !most || find_places(&w);
	if (ok && most) ok = write_all(&w, fitting(&w, most), &info, &shown.n_summaries);
	shown.n_made = s->n;
	shown.bytes = step_store_bytes(s);
	pthread_mutex_unlock(&s->turn);
	step_store_leave(a, s);
	shown.info = &info, shown.steps = w.steps.at, shown.words = w.words.at;
	if (ok) take(context, &shown);
	memory_free(&a->memory, w.places);
	memory_free(&a->memory, w.steps.at);
	memory_free(&a->memory, w.words.at);
	return ok ? GCDC_OK : GCDC_ERR_MEMORY;
}
