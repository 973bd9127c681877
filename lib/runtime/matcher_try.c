// Tokens that have to be tried.
//
// In:  a position, the tokens of which the tables do not tell whether it allows them. Out: those that it does.
// A token is stepped over; the position behind it must be viable, that is, allow some token itself. Nearly always that is seen
// at once, by the sets of the tables. Where they say nothing but "try" again, the search goes on, breadth-first: a text to
// the end is short where there is one, and a position that has been come through, or tokens that come to the same place
// (matcher_alike.c), need no second look. So it ends with "no" when nothing new is left.
// Bounds: TRY_MAX places looked at behind tried ones for one mask, TRY_QUEUE positions for one token; past them, or where a
// position past max_stacks might have been the one, GCDC_ERR_STACKS.
// Cost: a token tried costs about as much as accepting it.
#include "matcher_step.h"

#define TRY_MAX (1u << 16)
#define TRY_QUEUE 2048u

struct trying {
	struct alike here, behind;           // tokens tried at the position of the mask; at one of the queue
	struct position after;
	struct set_list sets, of_queue;
	struct position *queue;              // what the search has come through
	uint32_t n_queue, queue_cap, n_looked_at;
};

enum verdict { NO, YES, UNKNOWN };

void trying_free(const gcdc_memory *memory, struct trying *x)
{
	if (!x) return;
	alike_free(memory, &x->here);
	alike_free(memory, &x->behind);
	set_list_release(memory, &x->sets);
	set_list_release(memory, &x->of_queue);
	for (uint32_t i = 0; i < x->queue_cap; i++) memory_free(memory, x->queue[i].at);
	memory_free(memory, x->queue);
	memory_free(memory, x->after.at);
	memory_free(memory, x);
}

// By the tables alone.
static gcdc_status look(struct gcdc_matcher *m, struct position *p, struct set_list *sets, enum verdict *verdict)
{
	gcdc_status status = collect_sets(m, p, sets, m->artifact->info.flags & INFO_SETTLES);
	bool any = sets->n || sets->extra.n;
	*verdict = status || !p->n ? NO : any ? YES : sets->open.n || sets->doubt.n ? UNKNOWN : NO;
	return status;
}

// p becomes the last of the queue, if it is not in it.
static gcdc_status enqueue(struct gcdc_matcher *m, struct trying *x, const struct position *p)
{
	for (uint32_t i = 0; i < x->n_queue; i++)
		if (position_same(m, &x->queue[i], p)) return GCDC_OK;
	if (x->n_queue == TRY_QUEUE) return GCDC_ERR_STACKS;
	if (x->n_queue == x->queue_cap) {
		uint32_t cap = x->queue_cap ? x->queue_cap * 2 : 16;
		struct position *at = memory_resize(&m->artifact->memory, x->queue, cap, sizeof *at);
		if (!at) return GCDC_ERR_MEMORY;
		memset(at + x->queue_cap, 0, (cap - x->queue_cap) * sizeof *at);
		x->queue = at;
		x->queue_cap = cap;
	}
	return position_copy(m, &x->queue[x->n_queue++], p);
}

// x->after becomes the position behind a token. *entry, with alike: whose value tells whether it has been looked at.
static gcdc_status step(struct gcdc_matcher *m, struct trying *x, struct alike *alike, const struct position *p, uint32_t token,
                        struct alike_entry **entry)
{
	const struct gcdc_artifact *a = m->artifact;
	if (alike) return alike_find(m, alike, token, &x->after, entry);
	uint32_t begin = a->token_offset[token];
	gcdc_status status = position_copy(m, &x->after, p);
	return status ? status : position_step(m, &x->after, a->token_bytes + begin, a->token_offset[token + 1] - begin);
}

// One token behind a position of the queue. *skipped: it came to more stacks than are followed.
static gcdc_status look_behind(struct gcdc_matcher *m, struct trying *x, struct alike *alike, const struct position *from,
                               uint32_t token, bool *skipped, enum verdict *verdict)
{
	const struct gcdc_artifact *a = m->artifact;
	*verdict = NO;
	if (artifact_is_eos(a, token)) {
		bool ends;
		gcdc_status status = position_ends(m, from, &ends);
		*verdict = !status && ends ? YES : NO;
		return status;
	}
	if (a->token_offset[token] == a->token_offset[token + 1]) return GCDC_OK;
	struct alike_entry *entry = NULL;
	gcdc_status status = step(m, x, alike, from, token, &entry);
	if (!status && (!entry || entry->value == ALIKE_UNKNOWN)) {
		status = ++x->n_looked_at > TRY_MAX ? GCDC_ERR_STACKS : look(m, &x->after, &x->sets, verdict);
		if (entry) entry->value = *verdict;
		if (!status && *verdict == UNKNOWN) status = enqueue(m, x, &x->after);
	}
	position_release(m, &x->after);
	if (status != GCDC_ERR_STACKS || x->n_queue == TRY_QUEUE || x->n_looked_at > TRY_MAX) return status;
	*skipped = true;
	return GCDC_OK;
}

// Does some text go on from x->after, of which the tables say nothing?
static gcdc_status search(struct gcdc_matcher *m, struct trying *x, enum verdict *verdict)
{
	bool skipped = false;
	gcdc_status status = enqueue(m, x, &x->after);
	position_release(m, &x->after);
	*verdict = NO;
	for (uint32_t i = 0; i < x->n_queue && !status && *verdict != YES; i++) {
		struct position *p = &x->queue[i];   // the queue may move
		status = collect_sets(m, p, &x->of_queue, m->artifact->info.flags & INFO_SETTLES);
		if (!status) status = list_doubts(m->artifact, &x->of_queue);
		if (!status) status = alike_begin(m, &x->behind, p);
		for (uint32_t k = 0; k < x->of_queue.doubt.n && !status && *verdict != YES; k++)
			status = look_behind(m, x, &x->behind, &x->queue[i], x->of_queue.doubt.at[k], &skipped, verdict);
		alike_end(m, &x->behind);
	}
	while (x->n_queue) position_release(m, &x->queue[--x->n_queue]);
	if (*verdict != YES && !status) *verdict = NO;
	return !status && skipped && *verdict != YES ? GCDC_ERR_STACKS : status;
}

static gcdc_status try_token(struct gcdc_matcher *m, struct trying *x, const struct position *p, uint32_t token, bool by_place,
                             enum verdict *verdict)
{
	const struct gcdc_artifact *a = m->artifact;
	gcdc_status status;
	*verdict = NO;
	if (artifact_is_eos(a, token)) {
		bool ends;
		status = position_ends(m, p, &ends);
		*verdict = !status && ends ? YES : NO;
		return status;
	}
	if (a->token_offset[token] == a->token_offset[token + 1]) return GCDC_OK;
	struct alike_entry *entry = NULL;
	status = step(m, x, by_place ? &x->here : NULL, p, token, &entry);
	if (!status && entry && entry->value != ALIKE_UNKNOWN) {
		*verdict = entry->value;
	} else if (!status) {
		m->tries++;
		status = look(m, &x->after, &x->sets, verdict);
		if (!status && *verdict == UNKNOWN) status = search(m, x, verdict);
		if (entry) entry->value = *verdict;
	}
	position_release(m, &x->after);
	return status;
}

gcdc_status try_doubts(struct gcdc_matcher *m, const struct position *p, struct set_list *list)
{
	const gcdc_memory *memory = &m->artifact->memory;
	if (!m->trying) {
		m->trying = memory_resize(memory, NULL, 1, sizeof *m->trying);
		if (!m->trying) return GCDC_ERR_MEMORY;
		*m->trying = (struct trying){0};
	}
	struct trying *x = m->trying;
	gcdc_status status = list_doubts(m->artifact, list);
	m->tries = x->n_looked_at = 0;
	bool by_place = list->doubt.n > 1;
	if (by_place && !status) status = alike_begin(m, &x->here, p);
	for (uint32_t i = 0; i < list->doubt.n && !status; i++) {
		enum verdict verdict;
		status = try_token(m, x, p, list->doubt.at[i], by_place, &verdict);
		if (!status && verdict == YES && !numbers_push(memory, &list->extra, list->doubt.at[i])) status = GCDC_ERR_MEMORY;
	}
	if (by_place) alike_end(m, &x->here);
	numbers_sort(&list->extra);
	return status;
}
