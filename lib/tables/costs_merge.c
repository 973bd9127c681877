// Questions that every frame answers alike are one.
//
// In:  costs with all questions and answers. Out: the same with fewer of both, prices unchanged.
// Two questions are alike if the same states answer both, their ends cost the same, and what they ask of the frames
// below is alike, in as many tokens: the coarsest such partition (base/refine.h) of questions and lists together. Where
// a list asks alike questions of one frame the cheapest stays; then lists may be alike that were not, so all is done
// again while it helps. Three fifths of a schema's questions go, since they tell rows of lookaheads apart in which
// their own states tell nothing. Cost: the refinement's, two or three times.
#include "../base/refine.h"
#include "costs_solve.h"

// An answer by its question. capacity COSTS_NONE: of COST_TRANSITION.
struct answer {
	uint32_t capacity, state, list;
};

struct merger {
	struct costs *c;
	uint32_t *answer_at;  // [n_controls + 1]
	struct answer *answers;
	uint32_t *class_of;  // [n_controls + lists]
};

static void count_answer(uint32_t *at, uint32_t control) { at[control + 2]++; }

static void find_answers(struct merger *m)
{
	const struct costs *c = m->c;
	uint32_t *at = m->answer_at = mem_calloc((size_t)c->n_controls + 2, sizeof *at);
	m->answers = mem_calloc((size_t)c->transitions.n + c->low.n + 1, sizeof *m->answers);
	for (uint32_t i = 0; i < c->transitions.n; i++) count_answer(at, c->transitions.at[i].control);
	for (uint32_t i = 0; i < c->low.n; i++) count_answer(at, c->low.at[i].control);
	for (uint32_t k = 0; k < c->n_controls; k++) at[k + 1] += at[k];
	for (uint32_t i = 0; i < c->transitions.n; i++) {
		const struct cost_transition *t = &c->transitions.at[i];
		m->answers[at[t->control + 1]++] = (struct answer){COSTS_NONE, t->state, t->list};
	}
	for (uint32_t i = 0; i < c->low.n; i++) {
		const struct cost_low *x = &c->low.at[i];
		m->answers[at[x->control + 1]++] = (struct answer){x->capacity, x->state, x->list};
	}
}

// Nodes: the questions, then the lists.
static void describe(void *user, uint32_t node, struct refine_node *out)
{
	const struct merger *m = user;
	const struct costs *c = m->c;
	if (node < c->n_controls) {
		vec_push(&out->label, node < c->n_resumes);
		for (uint32_t i = m->answer_at[node]; i < m->answer_at[node + 1]; i++) {
			vec_push(&out->label, m->answers[i].capacity);
			vec_push(&out->label, m->answers[i].state);
			vec_push(&out->successors, c->n_controls + m->answers[i].list);
		}
		return;
	}
	const struct cost_list *list = &c->lists.at[node - c->n_controls];
	vec_push(&out->label, 2);
	vec_push(&out->label, list->final);
	for (uint32_t i = list->first; i < list->first + list->n; i++) {
		vec_push(&out->label, c->steps.at[i].pop);
		vec_push(&out->label, c->steps.at[i].weight);
		vec_push(&out->successors, c->steps.at[i].control);
	}
}

static int compare_question(const void *a, const void *b)
{
	const struct cost_step *x = a, *y = b;
	if (x->pop != y->pop) return x->pop < y->pop ? -1 : 1;
	if (x->control != y->control) return x->control < y->control ? -1 : 1;
	return (x->weight > y->weight) - (x->weight < y->weight);
}
SORT_RECORDS(sort_questions, struct cost_step, compare_question)

// A list's steps, asking classes: of alike questions to one frame the cheapest.
static void merge_steps(struct merger *m, struct cost_list *list)
{
	struct cost_step *s = m->c->steps.at + list->first;
	uint32_t n = 0;
	for (uint32_t i = 0; i < list->n; i++) s[i].control = m->class_of[s[i].control];
	sort_questions(s, list->n);
	for (uint32_t i = 0; i < list->n; i++)
		if (!n || s[n - 1].pop != s[i].pop || s[n - 1].control != s[i].control) s[n++] = s[i];
	list->n = n;
	cost_steps_sort(s, n);
}

// The first list of each class stays.
static void merge_lists(struct merger *m, uint32_t n_controls)
{
	struct costs *c = m->c;
	const uint32_t *class_of = m->class_of + c->n_controls;
	uint32_t n_lists = 0, n_steps = 0;
	for (uint32_t k = 0; k < c->lists.n; k++) {
		struct cost_list list = c->lists.at[k];
		if (class_of[k] != n_controls + n_lists) continue;  // classes are numbered by their first ones
		merge_steps(m, &list);
		if (list.n) memmove(c->steps.at + n_steps, c->steps.at + list.first, list.n * sizeof *c->steps.at);
		list.first = n_steps, n_steps += list.n;
		c->lists.at[n_lists++] = list;
	}
	c->lists.n = n_lists, c->steps.n = n_steps;
}

static void merge_answers(struct merger *m, uint32_t n_controls)
{
	struct costs *c = m->c;
	const uint32_t *list_of = m->class_of + c->n_controls;
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->transitions.n; i++) {
		struct cost_transition *t = &c->transitions.at[i];
		t->control = m->class_of[t->control], t->list = list_of[t->list] - n_controls;
	}
	cost_transitions_sort(c->transitions.at, c->transitions.n);
	for (uint32_t i = 0; i < c->transitions.n; i++)
		if (!n || cost_transition_compare(&c->transitions.at[n - 1], &c->transitions.at[i]))
			c->transitions.at[n++] = c->transitions.at[i];
	c->transitions.n = n, n = 0;
	for (uint32_t i = 0; i < c->low.n; i++) {
		struct cost_low *x = &c->low.at[i];
		x->control = m->class_of[x->control], x->list = list_of[x->list] - n_controls;
	}
	cost_lows_sort(c->low.at, c->low.n);
	for (uint32_t i = 0; i < c->low.n; i++)
		if (!n || cost_low_compare(&c->low.at[n - 1], &c->low.at[i])) c->low.at[n++] = c->low.at[i];
	c->low.n = n;
}

#define FEW_MERGED 8u  // done again only where more than one of so many went

// Once; false: little is alike.
static bool merge(struct costs *c)
{
	struct merger m = {.c = c};
	const uint32_t n = c->n_controls + c->lists.n, n_steps = c->steps.n;
	m.class_of = mem_calloc((size_t)n + 1, sizeof *m.class_of);
	find_answers(&m);
	refine_partition(n, describe, &m, m.class_of);
	uint32_t n_controls = 0, n_resumes = 0;
	for (uint32_t k = 0; k < c->n_controls; k++) {
		if (m.class_of[k] == n_controls) n_controls++;
		if (k + 1 == c->n_resumes) n_resumes = n_controls;
	}
	merge_lists(&m, n_controls);
	merge_answers(&m, n_controls);
	for (uint32_t i = 0; i < c->resume_of.cap; i++)
		if (c->resume_of.at[i].value != MAP64_NONE) c->resume_of.at[i].value = m.class_of[c->resume_of.at[i].value];
	c->n_controls = n_controls, c->n_resumes = n_resumes;
	free(m.answer_at);
	free(m.answers);
	free(m.class_of);
	return (n_steps - c->steps.n) > n_steps / FEW_MERGED;
}

void costs_merge(struct costs *c)
{
	while (c->n_controls && merge(c)) {
	}
}
