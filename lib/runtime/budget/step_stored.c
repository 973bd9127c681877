// Masks under a budget by the steps that the artifact holds: nothing is made, nothing is kept but frames' classes.
//
// In:  a stack, a lexer state, how many tokens may still come.  Out: sets of the artifact, whose union is what fits.
// The stack is read as plain masks read it (matcher_sets.c): a node and the class of a frame tell a step. Each of its
// parts has a ladder of sets: the last that is left room for is taken. A frame's class and its least price come from
// those of the frame below (lib/tables/budget_classes.c): a push looks them up once. A frame that several stacks share
// has several, which are kept with what it answers (price_book.h).
// Cost: for each new frame and each frame read a binary search; one ladder or two.
#include "step_table.h"

#include "price_book.h"

static uint32_t find_step(const struct gcdc_artifact *a, uint32_t node, uint32_t class)
{
	const struct artifact_step_node *x = &a->step_nodes[node];
	if (!x->n) return x->other;
	uint32_t first = x->first;
	LAST_AT_MOST(first, x->n, a->step_edge_classes[first] <= class);
	return a->step_edge_classes[first] == class ? a->step_edges[first] : x->other;
}

// The search's loads wait for each other, and the same few are asked for again and again: the last ones are kept.
static inline const struct artifact_mask_step *step_at(struct gcdc_matcher *m, uint32_t node, uint32_t class)
{
	struct found_step *x = &m->pool->step_table->found[(node * 29 + class) % STEPS_FOUND];
	if (UNLIKELY(x->node != node || x->class != class))
		*x = (struct found_step){node, class, m->artifact->step_steps[find_step(m->artifact, node, class)]};
	return &x->step;
}

// A frame of this state on one of the class: its class, 0 where no text has such a stack.
static uint32_t push_class(const struct gcdc_artifact *a, uint32_t class, uint32_t lr_state, uint32_t *least)
{
	const struct artifact_step_class *x = &a->step_classes[class];
	uint32_t first = x->first;
	LAST_AT_MOST(first, x->n, a->step_pushes[first].lr_state <= lr_state);
	if (!x->n || a->step_pushes[first].lr_state != lr_state) return 0;
	*least = price_sum(*least, a->step_pushes[first].weight);
	return a->step_pushes[first].to;
}

// Of a frame that no others share, and all frames below it that are not known: in .class and .least of its costs. The
// bottom's are known (prices_open).
static OUT_OF_LINE gcdc_status find_new_class(struct gcdc_matcher *m, uint32_t f)
{
	struct frame_pool *pool = m->pool;
	struct vec32 *todo = &pool->prices->jobs;
	for (todo->n = 0; !pool->cost[f].class; f = pool->at[f].parent)
		if (!vec32_push(&m->artifact->memory, todo, f)) return GCDC_ERR_MEMORY;
	uint32_t class = pool->cost[f].class, least = pool->cost[f].least;
	while (todo->n) {
		f = todo->at[--todo->n];
		class = push_class(m->artifact, class, pool->at[f].lr_state, &least);
		pool->cost[f].class = class, pool->cost[f].least = least;
	}
	return GCDC_OK;
}

static inline gcdc_status find_class(struct gcdc_matcher *m, uint32_t f)
{
	return LIKELY(m->pool->cost[f].class) ? GCDC_OK : find_new_class(m, f);
}

// ---- Frames that several stacks share: keys of the price book behind those of rows.
static uint32_t key_of(const struct gcdc_matcher *m, uint32_t i)
{
	return m->artifact->cost_info->n_controls + m->artifact->cost_info->n_rows + i;
}

// The classes of a frame below and their least prices with f's state on them: into .values. *known: false where that
// one is asked first.
// Branches: a frame has one class or, where stacks branch, a list of them, and equal classes are joined.
static gcdc_status push_classes(struct gcdc_matcher *m, uint32_t f, uint32_t below, bool *known)
{
	const struct gcdc_artifact *a = m->artifact;
	struct frame_pool *pool = m->pool;
	struct vec32 *out = &pool->step_table->values;
	bool shared = pool->at[below].depth & FRAME_BRANCHED;
	uint32_t n = 1, class = 0, least = 0;
	gcdc_status status = shared ? GCDC_OK : find_class(m, below);
	if (shared) *known = price_known(pool, below, key_of(m, 0), &n);
	for (uint32_t i = 0; i < n && *known && !status; i++) {
		class = pool->cost[below].class, least = pool->cost[below].least;
		if (shared && (!price_known(pool, below, key_of(m, 1 + 2 * i), &class) ||
		               !price_known(pool, below, key_of(m, 2 + 2 * i), &least)))
			return GCDC_ERR_INTERNAL;
		class = push_class(a, class, pool->at[f].lr_state, &least);
		uint32_t k = 0;
		while (k < out->n && out->at[k] != class) k += 2;
		if (k < out->n)
			out->at[k + 1] = least < out->at[k + 1] ? least : out->at[k + 1];
		else if (class && (!vec32_push(&a->memory, out, class) || !vec32_push(&a->memory, out, least)))
			status = GCDC_ERR_MEMORY;
	}
	return status;
}

static gcdc_status find_classes_of(struct gcdc_matcher *m, uint32_t f, bool *known)
{
	struct frame_pool *pool = m->pool;
	struct step_table *x = pool->step_table;
	gcdc_status status = GCDC_OK;
	x->values.n = 0;
	*known = true;
	for (struct below b = frame_below(pool, f); b.frame && !status; below_next(pool, &b)) {
		bool one = true;
		status = push_classes(m, f, b.frame, &one);
		if (!one && !vec32_push(&m->artifact->memory, &x->below, b.frame)) status = GCDC_ERR_MEMORY;
		*known &= one;
	}
	for (uint32_t i = 0; i < x->values.n && *known && !status; i++)
		status = price_keep(pool, f, key_of(m, 1 + i), x->values.at[i]);
	return *known && !status ? price_keep(pool, f, key_of(m, 0), x->values.n / 2) : status;
}

// Of a frame that several stacks share: in the price book.
static gcdc_status find_classes(struct gcdc_matcher *m, uint32_t f, uint32_t *n)
{
	struct vec32 *todo = &m->pool->step_table->below;
	gcdc_status status = GCDC_OK;
	todo->n = 0;
	if (!vec32_push(&m->artifact->memory, todo, f)) return GCDC_ERR_MEMORY;
	while (todo->n && !status) {
		bool known;
		uint32_t at = todo->n - 1;
		status = find_classes_of(m, todo->at[at], &known);
		if (known) todo->n = at;
	}
	return status || price_known(m->pool, f, key_of(m, 0), n) ? status : GCDC_ERR_INTERNAL;
}

// ---- Steps.
static inline bool take_set(struct gcdc_matcher *m, uint32_t set, struct vec32 *sets)
{
	for (uint32_t i = 0; i < sets->n; i++)
		if (sets->at[i] == set) return true;
	return vec32_push(&m->artifact->memory, sets, set);
}

// What may still come, and the sets that fit; *all: false where one might be allowed with more.
struct fitting {
	uint32_t enough;
	struct vec32 *sets;
	bool *all;
};

static gcdc_status take_parts(struct gcdc_matcher *m, const struct artifact_mask_step *s, uint32_t least,
                              const struct fitting *x)
{
	const struct gcdc_artifact *a = m->artifact;
	for (const struct artifact_step_part *p = a->step_parts + s->first_part, *end = p + s->n_parts; p < end; p++) {
		const struct artifact_step_ladder *ladder = &a->step_ladders[p->ladder];
		const struct artifact_step_level *l = a->step_levels + ladder->first;
		uint32_t need = price_sum(p->above ? least : 0, p->base), fits = ladder->n;
		while (fits && price_sum(need, l[fits - 1].base) > x->enough) fits--, *x->all = false;
		if (fits && UNLIKELY(!take_set(m, l[fits - 1].set, x->sets))) return GCDC_ERR_MEMORY;
	}
	return GCDC_OK;
}

// The step of a frame that several stacks share has the parts of each of its classes; what it reads next is the same.
static gcdc_status take_shared(struct gcdc_matcher *m, uint32_t node, uint32_t f, const struct fitting *x,
                               const struct artifact_mask_step **s)
{
	uint32_t n = 0, class, least;
	gcdc_status status = find_classes(m, f, &n);
	*s = &m->artifact->step_steps[0];
	for (uint32_t i = 0; i < n && !status; i++) {
		if (!price_known(m->pool, f, key_of(m, 1 + 2 * i), &class) ||
		    !price_known(m->pool, f, key_of(m, 2 + 2 * i), &least))
			return GCDC_ERR_INTERNAL;
		*s = step_at(m, node, class);
		status = take_parts(m, *s, least, x);
	}
	return status;
}

// The frames that a step's node reads, of a stack that others share: onto .todo, each with a node once.
static gcdc_status go_below(struct gcdc_matcher *m, const struct artifact_mask_step *s, uint32_t f)
{
	struct step_table *x = m->pool->step_table;
	gcdc_status status = price_go_down(m, f, s->skip + 1, &x->frames, &x->below);
	for (uint32_t i = 0; i < x->frames.n && !status; i++) {
		bool is_new;
		if (!pair_map_add(x->memory, &x->seen, x->frames.at[i], s->node, &is_new)) return GCDC_ERR_MEMORY;
		if (is_new && !step_table_go_on(x, x->frames.at[i], s->node, 0, 0)) return GCDC_ERR_MEMORY;
	}
	return status;
}

gcdc_status step_stored_read(struct gcdc_matcher *m, const struct reading *r, uint32_t enough, struct vec32 *sets,
                             bool *all)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct frame *frames = m->pool->at;
	struct step_table *x = m->pool->step_table;
	uint32_t f = r->frame, node = a->step_starts[lex_base(a, r->lex_state)];
	const struct fitting fitting = {enough, sets, all};
	if (node == ARTIFACT_NONE) return GCDC_OK;
	x->todo.n = 0;
	pair_map_clear(&x->seen);
	for (;;) {
		const struct artifact_mask_step *s;
		gcdc_status status;
		bool shared = frames[f].depth & FRAME_BRANCHED;
		if (LIKELY(!shared)) {
			status = find_class(m, f);
			s = step_at(m, node, m->pool->cost[f].class);
			if (s->n_parts && !status) status = take_parts(m, s, m->pool->cost[f].least, &fitting);
		} else {
			status = take_shared(m, node, f, &fitting, &s);
		}
		if (UNLIKELY(status)) return status;
		if (s->node != ARTIFACT_NONE && LIKELY(!shared)) {
			node = s->node;
			for (uint32_t down = s->skip + 1; down && f; down--) f = frames[f].parent;
			if (LIKELY(f != 0)) continue;
		} else if (s->node != ARTIFACT_NONE) {
			status = go_below(m, s, f);
			if (status) return status;
		}
		if (LIKELY(!x->todo.n)) return GCDC_OK;
		x->todo.n -= 4;
		f = x->todo.at[x->todo.n], node = x->todo.at[x->todo.n + 1];
	}
}
