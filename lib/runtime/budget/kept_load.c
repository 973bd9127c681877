// What a store of steps begins with: the steps that the artifact holds, made by the compiler from texts.
//
// In:  an artifact's sections KEPT_* (formats/artifact.md, 6), proved when it was opened (kept_check.c).  Out: the
// store as it was when they were written, but for what is only of use to make steps. Words are copied at once; lists
// are told by where they stand, and hashed. Cost: O(words), some milliseconds for those of a whole language; once for a
// store.
#include "step_build.h"

struct kept_cursor {
	const uint32_t *words;  // the store's
	uint32_t at;
};

static bool load_lists(struct step_store *s, struct word_lists *t, uint32_t n, struct kept_cursor *c)
{
	bool ok = true;
	for (uint32_t i = 0; i < n && ok; i++) {
		const uint32_t n_words = c->words[c->at++];
		ok = word_lists_put(&s->memory, t, c->at, n_words);
		c->at += n_words;
	}
	return ok;
}

// The words of a step's sites, which get numbers of their own.
static void number_sites(struct step_store *s, const struct step *p, struct kept_cursor *c)
{
	for (uint32_t i = 0; i < p->n_sites; i++) {
		struct site site;
		memcpy(&site, c->words + c->at, sizeof site);
		site.number = __atomic_fetch_add(s->n_sites, 1, __ATOMIC_RELAXED);
		memcpy(s->words.at + c->at, &site, sizeof site);
		c->at += (uint32_t)sizeof site / 4 + site.height + site.n_sets;
	}
}

static bool load_step(struct step_store *s, const struct artifact_kept_step *k, struct kept_cursor *c)
{
	struct step p = {.n_body = k->n_body,
	                 .n_tries = k->n_tries,
	                 .n_tried = k->n_tried,
	                 .n_sites = k->n_sites,
	                 .node = k->node,
	                 .skip = k->skip};
	bool is_new;
	p.body = c->at, c->at += k->n_body;
	p.tries = c->at, c->at += k->n_tries;
	p.tried = c->at, c->at += k->n_tried;
	p.sites = c->at;
	number_sites(s, &p, c);
	s->at[s->n++] = p;
	uint32_t *known = pair_map_put(&s->memory, &s->of_place, k->place, k->lr_state, &is_new);
	if (known) *known = s->n;
	return known != NULL;
}

static bool load_all(const struct gcdc_artifact *a, struct step_store *s)
{
	const struct artifact_kept_info *e = a->kept_info;
	uint32_t *words = vec32_more(&s->memory, &s->words, e->n_words + 1);
	s->at = words ? memory_resize(&s->memory, NULL, e->n_steps, sizeof *s->at) : NULL;
	if (!s->at) return false;
	s->cap = e->n_steps;
	words[0] = 0;  // of .of_outcome: not known
	if (e->n_words) memcpy(words + 1, a->kept_words, e->n_words * sizeof *words);
	struct kept_cursor c = {words, 1};
	bool ok = load_lists(s, &s->conts, e->n_continuations, &c) && load_lists(s, &s->groups, e->n_groups, &c) &&
	          load_lists(s, &s->nodes, e->n_nodes, &c) && load_lists(s, &s->parts, e->n_parts, &c) &&
	          load_lists(s, &s->expressions, e->n_expressions, &c);
	for (uint32_t i = 0; i < s->conts.n && ok; i++) {
		struct stored_words *l = &s->conts.list[i];
		l->value = conts_kinds(words + l->at, l->n / (CONT_WORDS - 1));
	}
	for (uint32_t i = 0; i < e->n_steps && ok; i++) ok = load_step(s, &a->kept_steps[i], &c);
	return ok;
}

static void forget_lists(struct word_lists *t)
{
	t->n = 0;
	if (t->table) memset(t->table, 0, t->table_cap * sizeof *t->table);
}

void step_load_kept(const struct gcdc_artifact *a, struct step_store *s)
{
	s->is_begun = true;
	if (!a->kept_info) return;
	if (!load_all(a, s)) {
		struct word_lists *lists[] = {&s->conts, &s->groups, &s->nodes, &s->parts, &s->expressions};
		for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) forget_lists(lists[i]);
		s->words.n = s->n = 0;
		pair_map_clear(&s->of_place);
		return;
	}
	for (uint32_t i = 0; i < s->n; i++) {
		const struct artifact_kept_step *k = &a->kept_steps[i];
		if (!is_summary(k->place) && !step_store_show(s, k->place, k->lr_state, i)) return;
	}
}
