// What a position allows: sets of tokens, and single tokens that had to be tried.
//
// In:  a position.  Out: ids of token sets whose union is the mask, with a few tokens besides.
// For a lexer state, what is allowed depends on the stack alone. The start row of (lex_state, top) holds what is
// allowed whatever lies below, and a node of the automaton that reads the stack downwards; each edge adds a set. The
// mask is the union over the walk, over the stacks of a reading, and over the readings (docs/algorithm.md, 3).
// That is exact for one stack by itself. Where stacks compete, another one's terminals may lex the rest of a token
// differently: such tokens stand in sets apart (artifact_set.alone, .maybe) and are tried (matcher_try.c). While a ghost lives
// every token of its group is first held against it; nearly always the first byte settles that.
// Cost: a few nanoseconds per frame read.
#include "matcher_step.h"

bool set_list_push(struct gcdc_matcher *m, struct set_list *list, uint32_t set)
{
	if (UNLIKELY(list->n == list->cap)) {
		uint32_t cap = list->cap ? list->cap * 2 : 32;
		uint32_t *at = memory_resize(&m->artifact->memory, list->at, cap, sizeof *at);
		if (!at) return false;
		list->at = at;
		list->cap = cap;
	}
	list->at[list->n++] = set;
	return true;
}

// Adds a set that is not there yet.
static bool list_add(struct gcdc_matcher *m, struct set_list *list, uint32_t set)
{
	for (uint32_t i = 0; i < list->n; i++)
		if (list->at[i] == set) return true;
	return set_list_push(m, list, set);
}

void set_list_release(const gcdc_memory *memory, struct set_list *list)
{
	memory_free(memory, list->at);
	memory_free(memory, list->extra.at);
	memory_free(memory, list->open.at);
	memory_free(memory, list->doubt.at);
	memory_free(memory, list->parts.at);
}

static bool add_open(struct gcdc_matcher *m, struct set_list *list, uint32_t set)
{
	for (uint32_t i = 0; i < list->open.n; i++)
		if (list->open.at[i] == set) return true;
	return numbers_push(&m->artifact->memory, &list->open, set);
}

struct reader {
	struct gcdc_matcher *m;
	struct set_list *list;
	bool is_alone;   // one stack, no competition
	bool is_even;    // all stacks in one lex_state, no ghosts
	bool any;        // something was there
	uint32_t column; // of the text
};

// A set whose tokens are sure, or to be tried.
static bool take_part(struct reader *r, uint32_t set, bool sure)
{
	if (!r->m->artifact->sets[set].count) return true;
	return sure ? list_add(r->m, r->list, set) : add_open(r->m, r->list, set);
}

static gcdc_status take_unsure(struct reader *r, const struct artifact_set *s)
{
	r->any = true;
	bool ok = take_part(r, s->even, r->is_even) && take_part(r, s->alone, r->is_alone) && take_part(r, s->maybe, false);
	return ok ? GCDC_OK : GCDC_ERR_MEMORY;
}

static inline gcdc_status take_set(struct reader *r, uint32_t set)
{
	const struct artifact_set *s = &r->m->artifact->sets[set];
	if (s->count) {
		r->any = true;
		if (UNLIKELY(!list_add(r->m, r->list, set))) return GCDC_ERR_MEMORY;
	}
	return UNLIKELY(s->even | s->alone | s->maybe) ? take_unsure(r, s) : GCDC_OK;
}

static gcdc_status take_graph(struct reader *r, uint32_t frame, uint32_t node)
{
	const struct numbers *sets;
	gcdc_status status = graph_read(r->m, frame, node, &sets);
	for (uint32_t i = 0; !status && i < sets->n; i++) status = take_set(r, sets->at[i]);
	return status;
}

// What a start says of the stacks below f.
static inline gcdc_status take_start(struct reader *r, uint32_t f, const struct artifact_start *start)
{
	const struct gcdc_artifact *a = r->m->artifact;
	const struct frame *frames = r->m->pool->at;
	uint32_t set = start->set, node = start->node;
	for (;;) {
		gcdc_status status = take_set(r, set);
		if (!node || UNLIKELY(status)) return status;
		if (UNLIKELY(frames[f].depth & FRAME_BRANCHED)) return take_graph(r, f, node);
		const struct artifact_node *n = &a->nodes[node];
		if (UNLIKELY(n->skip >= frames[f].depth)) return GCDC_ERR_INTERNAL;
		f = frames[f].parent;
		for (uint32_t k = n->skip; k; k--) f = frames[f].parent;
		frame_note(r->m->pool, f);
		const struct artifact_target *e = artifact_target_of(a, n, frames[f].lr_state);
		set = e->set;
		node = e->next;
	}
}

static gcdc_status take_line(void *to, uint32_t top, const struct artifact_start *start, bool forks)
{
	struct reader *r = to;
	bool was_alone = r->is_alone;
	r->is_alone &= !forks && !(r->m->pool->at[top].depth & FRAME_BRANCHED);
	gcdc_status status = take_start(r, top, start);
	r->is_alone = was_alone;
	return status;
}

// The sets of one reading.
static gcdc_status take_reading(struct reader *r, struct reading x)
{
	const struct gcdc_artifact *a = r->m->artifact;
	const struct artifact_lr_state *top = &a->lr_states[r->m->pool->at[x.frame].lr_state];
	uint32_t base = a->start_base[(uint64_t)x.lex_state * a->info.n_contexts + top->context];
	if (base == ARTIFACT_NONE) return GCDC_OK;
	gcdc_status status = take_start(r, x.frame, &a->starts[base + top->rank]);
	const struct artifact_lex_state *lex = &a->lex_states[x.lex_state];
	if (LIKELY(!(lex->flags & LEX_LINE)) || status || !takes_line(r->m, lex, x.frame)) return status;
	struct line_reader lines = {lex->line, take_line, r, NULL, 0, false};
	return lines_read(r->m, x.frame, x.columns, r->column, &lines);
}

// ---- Tokens one by one.
static gcdc_status push_tokens(const struct gcdc_artifact *a, uint32_t set, struct numbers *out)
{
	for (struct set_words w = set_words(a, &a->sets[set]); set_words_next(a, &w);)
		for (uint32_t bits = w.bits; bits; bits &= bits - 1)
			if (!numbers_push(&a->memory, out, w.word * 32 + (uint32_t)__builtin_ctz(bits))) return GCDC_ERR_MEMORY;
	return GCDC_OK;
}

enum fate { HARMLESS, WRONG, ALIVE };  // what the ghosts of a group are after a token

static enum fate ghosts_after(const struct gcdc_artifact *a, const struct reading *r, uint32_t n, uint32_t token)
{
	enum fate fate = HARMLESS;
	uint32_t begin = a->token_offset[token], end = a->token_offset[token + 1];
	for (uint32_t i = 0; i < n; i++) {
		if (r[i].frame) continue;
		if (begin == end) {   // EOS
			if (!ghost_may_end(a, r[i].lex_state)) return WRONG;
			continue;
		}
		uint32_t q = r[i].lex_state;
		for (uint32_t k = begin; k < end && q; k++) {
			q = ghost_next(a, q, a->info.class_of[a->token_bytes[k]]);
			if (q == GHOST_WRONG) return WRONG;
		}
		if (q) fate = ALIVE;
	}
	return fate;
}

// The sets that a group with ghosts brought, from these places on, become single tokens.
static gcdc_status guard(struct gcdc_matcher *m, struct set_list *list, const struct reading *r, uint32_t n, uint32_t sets,
                         uint32_t open)
{
	const struct gcdc_artifact *a = m->artifact;
	struct numbers *tokens = &m->frames;   // free at this time
	for (int is_open = 0; is_open < 2; is_open++) {
		gcdc_status status = GCDC_OK;
		tokens->n = 0;
		if (is_open)
			for (uint32_t i = open; i < list->open.n && !status; i++) status = push_tokens(a, list->open.at[i], tokens);
		else
			for (uint32_t i = sets; i < list->n && !status; i++) status = push_tokens(a, list->at[i], tokens);
		for (uint32_t i = 0; i < tokens->n && !status; i++) {
			enum fate fate = ghosts_after(a, r, n, tokens->at[i]);
			if (fate == WRONG) continue;
			struct numbers *to = fate == ALIVE || is_open ? &list->doubt : &list->extra;
			if (!numbers_push(&a->memory, to, tokens->at[i])) status = GCDC_ERR_MEMORY;
		}
		if (status) return status;
	}
	list->n = sets;
	list->open.n = open;
	return GCDC_OK;
}

// The sets of all readings; drops groups that have none. Nothing is tried yet. as_alone: as if no stacks met.
gcdc_status collect_sets(struct gcdc_matcher *m, struct position *p, struct set_list *list, bool as_alone)
{
	list->n = list->extra.n = list->open.n = list->doubt.n = list->parts.n = 0;
	list->valid = false;
	uint32_t n = 0;
	gcdc_status status = GCDC_OK;
	if (LIKELY(p->n == 1)) {
		struct reader r = {.m = m, .list = list, .column = p->column, .is_even = true,
		                   .is_alone = as_alone || !(m->pool->at[p->at[0].frame].depth & FRAME_BRANCHED)};
		status = take_reading(&r, p->at[0]);
		if (UNLIKELY(!r.any) && !status) position_release(m, p);
		return status;
	}
	for (uint32_t i = 0, end; i < p->n; i = end) {
		end = group_end(p, i);
		bool has_ghosts = !p->at[end - 1].frame;
		uint32_t sets = list->n, open = list->open.n;
		struct reader r = {.m = m, .list = list, .column = p->column};
		r.is_even = true;
		for (uint32_t k = i + 1; k < end && !as_alone; k++) r.is_even &= p->at[k].frame && p->at[k].lex_state == p->at[i].lex_state;
		r.is_alone = as_alone || (end == i + 1 && !(m->pool->at[p->at[i].frame].depth & FRAME_BRANCHED));
		for (uint32_t k = i; k < end && !status; k++)
			if (p->at[k].frame) status = take_reading(&r, p->at[k]);
		if (UNLIKELY(has_ghosts) && !status) status = guard(m, list, p->at + i, end - i, sets, open);
		for (uint32_t k = i; k < end; k++) {
			if (r.any || status) p->at[n++] = p->at[k];
			else reading_unref(m->pool, &p->at[k]);
		}
	}
	p->n = n;
	return status;
}

static bool is_sure(const struct gcdc_artifact *a, const struct set_list *list, uint32_t token)
{
	for (uint32_t i = 0; i < list->n; i++)
		if (artifact_set_has(a, &a->sets[list->at[i]], token)) return true;
	return false;
}

// The tokens to try, into `doubt`: ascending, those that are sure left out.
gcdc_status list_doubts(const struct gcdc_artifact *a, struct set_list *list)
{
	struct numbers *d = &list->doubt;
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < list->open.n && !status; i++) status = push_tokens(a, list->open.at[i], d);
	numbers_sort(&list->extra);
	numbers_sort(d);
	uint32_t n = 0, e = 0;
	for (uint32_t i = 0; i < list->extra.n; i++)
		if (!is_sure(a, list, list->extra.at[i])) list->extra.at[n++] = list->extra.at[i];
	list->extra.n = n;
	n = 0;
	for (uint32_t i = 0; i < d->n; i++) {
		while (e < list->extra.n && list->extra.at[e] < d->at[i]) e++;
		bool is_extra = e < list->extra.n && list->extra.at[e] == d->at[i];
		if (!is_extra && !is_sure(a, list, d->at[i])) d->at[n++] = d->at[i];
	}
	d->n = n;
	return status;
}

gcdc_status position_sets(struct gcdc_matcher *m, struct position *p, struct set_list *list)
{
	const struct gcdc_artifact *a = m->artifact;
	gcdc_status status = collect_sets(m, p, list, false);
	if (UNLIKELY(list->open.n || list->doubt.n || list->extra.n) && !status) status = try_doubts(m, p, list);
	if (UNLIKELY(status)) return status;
	if (UNLIKELY(!list->n && !list->extra.n)) return GCDC_REJECTED;
	// Hard canonical masks under budgets begin with all sets (canonical_budget.c).
	bool is_hard = m->canonical_mode == GCDC_CANONICAL_HARD;
	if (UNLIKELY(p->left != GCDC_NONE) && !is_hard && budget_is_near(m, p) && (status = budget_restrict(m, p, list))) return status;
	uint32_t flags = 0;
	list->all = false;
	for (uint32_t i = 0; i < list->n; i++) {
		flags |= a->sets[list->at[i]].flags;
		list->all |= a->sets[list->at[i]].count == a->info.n_tokens;
	}
	list->may_end = flags & SET_EOS || (list->extra.n && a->info.n_eos && sets_have(a, list, a->eos[0]));
	list->valid = true;
	return GCDC_OK;
}
