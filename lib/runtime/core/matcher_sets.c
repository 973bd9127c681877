// What a position allows: sets of tokens, and single tokens of which columns decide.
//
// In:  a position.  Out: ids of token sets whose union is the mask, with a few tokens besides.
// For a lexer state, what is allowed depends on the stack alone. The start row of (lex_state, top) holds what is
// allowed whatever lies below, and a node of the automaton that reads the stack downwards; each edge adds a set. The
// mask is the union over the walk, over the stacks of a reading, and over the readings (docs/algorithm.md, 3).
// Tokens with a whole newline in them and more behind it depend on the columns that are open: such tokens stand in sets
// apart (artifact_set.maybe) and are stepped over (probe.c).
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
	memory_free(memory, list->unions.at);
	memory_free(memory, list->without.at);
}

static bool add_open(struct gcdc_matcher *m, struct set_list *list, uint32_t set)
{
	for (uint32_t i = 0; i < list->open.n; i++)
		if (list->open.at[i] == set) return true;
	return vec32_push(&m->artifact->memory, &list->open, set);
}

struct stack_reader {
	struct gcdc_matcher *m;
	struct set_list *list;
	bool any;         // a token was there
	bool may_end;     // the text's end was, to be tried: a last newline may be lacking
	bool is_read;     // the mask will be made of these sets
	uint32_t column;  // of the text
};

static gcdc_status take_maybe(struct stack_reader *r, const struct artifact_set *s)
{
	const struct gcdc_artifact *a = r->m->artifact;
	const struct artifact_set *maybe = &a->sets[s->maybe];
	bool has_end = maybe->flags & SET_EOS;
	r->may_end |= has_end;
	r->any |= maybe->count > (has_end ? a->info.n_eos : 0);
	if (!maybe->count && !has_end) return GCDC_OK;
	return add_open(r->m, r->list, s->maybe) ? GCDC_OK : GCDC_ERR_MEMORY;
}

#define LINE_WORDS 16u  // of the processor's cache
#define FETCH_ROW 64u   // of a row: the processor sees where it goes on
#define FETCH_EDGES 128u

// What a mask will read of a set comes while the walk goes on.
static inline void fetch_set(const struct gcdc_artifact *a, const struct artifact_set *s)
{
	for (uint32_t k = 0; k < s->n; k += LINE_WORDS) __builtin_prefetch(&a->sparse[s->at + k]);
	if (s->dense == ARTIFACT_NONE) return;
	if (a->short_rows) __builtin_prefetch(&a->short_rows[s->dense]);
	const uint32_t *row = &a->dense[(uint64_t)s->dense * a->info.mask_words];
	for (uint32_t w = 0; w < FETCH_ROW && w < a->info.mask_words; w += LINE_WORDS) __builtin_prefetch(row + w);
}

// Where a node leads, while the frame is looked for: the frames that it knows, which are searched, are read first.
static inline void fetch_targets(const struct gcdc_artifact *a, const struct artifact_node *n)
{
	__builtin_prefetch(&a->targets[n->other]);
	for (uint32_t k = 0; k < n->n && k < FETCH_EDGES; k += 2 * LINE_WORDS)
		__builtin_prefetch(&a->edge_frames[n->first + k]);
}

static inline gcdc_status take_set(struct stack_reader *r, uint32_t set)
{
	const struct artifact_set *s = &r->m->artifact->sets[set];
	assert(set < r->m->artifact->info.n_sets);
	if (s->count) {
		if (LIKELY(r->is_read)) fetch_set(r->m->artifact, s);
		r->any = true;
		if (UNLIKELY(!list_add(r->m, r->list, set))) return GCDC_ERR_MEMORY;
	}
	return UNLIKELY(s->maybe) ? take_maybe(r, s) : GCDC_OK;
}

static gcdc_status take_graph(struct stack_reader *r, uint32_t frame, uint32_t node)
{
	const struct vec32 *sets;
	gcdc_status status = r->m->artifact->parts->several->read(r->m, frame, node, &sets);
	for (uint32_t i = 0; !status && i < sets->n; i++) status = take_set(r, sets->at[i]);
	return status;
}

// What a start says of the stacks below f.
static inline gcdc_status take_start(struct stack_reader *r, uint32_t f, const struct artifact_start *start)
{
	const struct gcdc_artifact *a = r->m->artifact;
	const struct frame *frames = r->m->pool->at;
	uint32_t set = start->set, node = start->node;
	for (;;) {
		__builtin_prefetch(&a->nodes[node]);  // a set's tokens are waited for below
		gcdc_status status = take_set(r, set);
		if (!node || UNLIKELY(status)) return status;
		assert(node < a->info.n_nodes);
		if (UNLIKELY(frames[f].depth & FRAME_BRANCHED)) return take_graph(r, f, node);
		const struct artifact_node *n = &a->nodes[node];
		fetch_targets(a, n);
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
	(void)forks;
	return take_start(to, top, start);
}

// What the tables say of a lexer state and the top of a stack; NULL: nothing can follow.
static inline const struct artifact_start *start_of(const struct gcdc_matcher *m, const struct reading *x)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct artifact_lr_state *top = &a->lr_states[m->pool->at[x->frame].lr_state];
	const uint32_t base = artifact_start_base(a, lex_base(a, x->lex_state), top->context);
	return base == ARTIFACT_NONE ? NULL : &a->starts[base + top->rank];
}

// The sets of one reading.
static gcdc_status take_reading(struct stack_reader *r, struct reading x)
{
	const struct gcdc_artifact *a = r->m->artifact;
	const struct artifact_start *start = start_of(r->m, &x);
	if (!start) return GCDC_OK;
	gcdc_status status = take_start(r, x.frame, start);
	const struct artifact_lex_state *lex = &a->lex_states[lex_base(a, x.lex_state)];
	if (LIKELY(!(lex->flags & LEX_LINE)) || status || !takes_line(r->m, lex, x.frame)) return status;
	struct line_reader lines = {lex->line, take_line, r, NULL, 0, false};
	return a->parts->lines->read(r->m, x.frame, x.columns, r->column, &lines);
}

static inline void list_clear(struct set_list *list)
{
	list->n = list->extra.n = list->open.n = list->unions.n = list->without.n = list->left_out = 0;
	list->valid = list->ends = list->is_lazy = false;
	list->keep = NULL;
	list->alone = NULL;
}

// The sets of all readings; drops readings that have none. Nothing is stepped over yet.
gcdc_status collect_sets(struct gcdc_matcher *m, struct position *p, struct set_list *list)
{
	list_clear(list);
	uint32_t n = 0;
	gcdc_status status = GCDC_OK;
	struct stack_reader r = {.m = m, .list = list, .is_read = p->left >= p->near, .column = p->column};
	for (uint32_t i = 0; i < p->n; i++) {
		r.any = r.may_end = false;
		if (!status) status = take_reading(&r, p->at[i]);
		if (UNLIKELY(!r.any) && !status && (r.may_end || !m->artifact->info.n_eos)) {  // no EOS is in the sets
			struct position alone = *p;
			alone.at = &p->at[i], alone.n = 1;
			status = position_ends(m, &alone, &r.any);
		}
		if (LIKELY(r.any) || status)
			p->at[n++] = p->at[i];
		else
			reading_unref(m->pool, &p->at[i]);
	}
	p->n = n;
	return status;
}

// All of the plain mask. GCDC_REJECTED: nothing can follow.
static gcdc_status collect_plain(struct gcdc_matcher *m, struct position *p, struct set_list *list)
{
	const struct gcdc_artifact *a = m->artifact;
	gcdc_status status = collect_sets(m, p, list);
	if (UNLIKELY(list->open.n != 0) && !status) status = a->parts->lines->probe_open(m, p, list);
	bool is_over = !status && !list->n && !list->extra.n && (!p->n || a->info.n_eos);
	return UNLIKELY(is_over) ? GCDC_REJECTED : status;
}

gcdc_status list_collect(struct gcdc_matcher *m, struct position *p, struct set_list *list)
{
	return list->is_lazy ? collect_plain(m, p, list) : GCDC_OK;
}

// Under a budget that is near. A forged file's prices may leave sets in which there is no token: that is no mask.
static gcdc_status keep_affordable(struct gcdc_matcher *m, struct position *p, struct set_list *list)
{
	gcdc_status status = m->artifact->parts->budget->restrict_sets(m, p, list);
	if (status == GCDC_REJECTED &&
	    !m->artifact->info.n_eos) {  // the budget is used up, and no token says that this is all
		status = position_ends(m, p, &list->ends);
		return status || list->ends ? status : GCDC_ERR_INTERNAL;
	}
	uint32_t count = list->extra.n | list->unions.n;
	for (uint32_t i = 0; i < list->n; i++) count |= m->artifact->sets[list->at[i]].count;
	return !status && !count && m->artifact->info.n_eos ? GCDC_ERR_INTERNAL : status;
}

// Is one of the tokens of a word in the list?
static bool word_has(const struct gcdc_artifact *a, const struct set_list *list, uint32_t word, uint32_t bits)
{
	bool some = false;
	for (; bits && !some; bits &= bits - 1) some = sets_have(a, list, word * 32 + (uint32_t)__builtin_ctz(bits));
	return some;
}

// Is the text's end in the mask? A set that is left out never holds it (artifact_validate.c).
static bool keeps_end(const struct gcdc_artifact *a, const struct set_list *list)
{
	return a->info.n_eos && (list->ends || (list->may_end && !list->without.n && !list->keep));
}

static bool union_has(const struct gcdc_artifact *a, const struct set_list *list, const struct set_union *p)
{
	bool some = false;
	for (uint32_t k = 0; k < p->n_tokens && !p->row && !some; k++)
		some = sets_have(a, list, list->unions_of->words.at[p->tokens + k]);
	for (uint32_t w = 0; w < a->info.mask_words && p->row && !some; w++) some = word_has(a, list, w, p->row[w]);
	return some;
}

// Is some token of the sets, or beside them, not left out? The sets of a forged file may have none. Cost: next to
// nothing where a set has more tokens than are left out; else those of the sets.
static bool leaves_some(const struct gcdc_artifact *a, const struct set_list *list)
{
	const uint32_t most = list->without.n + a->sets[list->left_out].count;  // are left out
	bool some = list->open.n || keeps_end(a, list);
	for (uint32_t i = 0; i < list->n && !some; i++) some = a->sets[list->at[i]].count > most;
	for (uint32_t i = 0; i < list->extra.n && !some; i++) some = sets_have(a, list, list->extra.at[i]);
	for (uint32_t i = 0; i < list->n && !some; i++)
		for (struct set_words w = set_words(a, &a->sets[list->at[i]]); !some && set_words_next(a, &w);)
			some = word_has(a, list, w.word, w.bits);
	for (uint32_t i = 0; i < list->unions.n && !some; i++)
		some = union_has(a, list, &list->unions_of->at[list->unions.at[i]]);
	return some;
}

// Where blanks or strings may get too long, and where items of arrays are compared. There is one reading then, unless
// nothing is left out for it.
static gcdc_status leave_out(struct gcdc_matcher *m, const struct position *p, struct set_list *list)
{
	const struct gcdc_artifact *a = m->artifact;
	gcdc_status status = a->limits ? a->parts->unique->take_limits(a, p->at[0].lex_state, list) : GCDC_OK;
	list->left_out = a->lex_states[lex_base(a, p->at[0].lex_state)].without;
	if (a->unique_info && !status) status = a->parts->unique->restrict_sets(m, p, list);
	if (!status && (list->without.n || list->left_out) && !leaves_some(a, list)) status = GCDC_ERR_INTERNAL;
	list->all &= !list->without.n && !list->keep && !list->left_out;
	list->valid = !status;
	return status;
}

// Most masks are one set: the only reading's start has it, and asks nothing of what lies below the top. False: the mask
// may be another one.
static inline bool take_alone(const struct gcdc_matcher *m, const struct position *p, struct set_list *list)
{
	const struct gcdc_artifact *a = m->artifact;
	if (p->n != 1 || p->left != GCDC_NONE || a->unique_info) return false;
	if (UNLIKELY(a->limits != NULL) && a->limits->place[lex_base(a, p->at->lex_state)] != NOT_COUNTED) return false;
	const struct artifact_start *start = start_of(m, p->at);
	if (!start || start->node) return false;
	const struct artifact_set *s = &a->sets[start->set];
	const struct artifact_lex_state *lex = &a->lex_states[lex_base(a, p->at->lex_state)];
	if (!s->count || s->maybe || lex->flags & LEX_LINE || lex->without) return false;
	list_clear(list);
	list->at[list->n++] = start->set;
	list->alone = s;
	list->all = s->count == a->info.n_tokens;
	list->may_end = s->flags & SET_EOS && a->info.n_eos;
	list->valid = true;
	return true;
}

// Branches: errors, texts that are over, budgets, and tokens that are left out: each leaves the common way.
static OUT_OF_LINE gcdc_status take_any(struct gcdc_matcher *m, struct position *p, struct set_list *list)
{
	const struct gcdc_artifact *a = m->artifact;
	// Hard canonical masks under budgets begin with all sets (budget_mask.c).
	bool is_hard = m->canonical_mode == GCDC_CANONICAL_HARD;
	bool is_near = UNLIKELY(p->left != GCDC_NONE) && !is_hard && a->parts->budget->is_near(m, p);
	list_clear(list);
	list->is_lazy = is_near && p->n == 1 && a->info.n_eos;  // of several, those that nothing follows are dropped
	gcdc_status status = list->is_lazy ? GCDC_OK : collect_plain(m, p, list);
	if (UNLIKELY(status)) return status;
	if (UNLIKELY(!list->n && !list->extra.n && !list->is_lazy)) {
		list->all = false;  // the text is complete, nothing may follow, and no token says so
		list->may_end = list->valid = true;
		return GCDC_OK;
	}
	if (is_near && (status = keep_affordable(m, p, list))) return status;
	list->all = false;
	for (uint32_t i = 0; i < list->n; i++) list->all |= a->sets[list->at[i]].count == a->info.n_tokens;
	list->may_end = list->ends || sets_may_end(a, list);
	if (UNLIKELY(a->limits || a->unique_info || (p->n && a->lex_states[lex_base(a, p->at->lex_state)].without)))
		return leave_out(m, p, list);
	if (list->n == 1 && !list->extra.n && !list->unions.n) list->alone = &a->sets[list->at[0]];
	list->valid = true;
	return GCDC_OK;
}

gcdc_status position_sets(struct gcdc_matcher *m, struct position *p, struct set_list *list)
{
	return LIKELY(list->cap && take_alone(m, p, list)) ? GCDC_OK : take_any(m, p, list);
}
