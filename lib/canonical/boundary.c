// The pre-tokenizer as an automaton over characters and borders.
//
// In:  the programs of the steps that cut, groups of characters. Out: STEP, SET, the start set.
//
// A state is one way to have cut the text so far, for each step: whether the running part is a match or lies between
// matches, the threads that can still end it, by priority, and the threads that must not match any more. When a
// character comes, each step has these choices:
//   the part goes on: its threads step, those behind a thread that has just matched are dropped;
//   the part ends before the character: some thread has just matched. All threads before it would have been
//   preferred, so they become obligations: they may never match. A new part begins: a match, or text between matches,
//   and then the attempt to match from here becomes an obligation, as it does at each of its characters.
// Steps cut the pieces of the steps before them, so where one of those ends a piece, those behind see the end of the
// text. The text's end is like a character that nothing matches. A state from which no text can end is dropped. What is
// left has exactly one way to the end for each text, and it is the tokenizer's (the idea: docs/canonical.md). Tokens do
// not know the way, so the runtime holds a set of states: the subset construction over "a border is before the
// character", "none is", "either" is done here. Cost: states x groups x threads; some hundred states.
#include "boundary.h"

#include "../base/sort.h"
#include "../base/intern.h"

#define MAX_THREADS 512u

enum mode { BETWEEN, MATCH };

// One step's part of a state. Threads stand behind characters already read: looks are judged with the next one.
struct part {
	uint16_t mode, n, n_owed;
	uint16_t thread[MAX_THREADS];  // n by priority
	uint16_t owed[MAX_THREADS];    // n_owed, ascending
};

struct arc {
	uint32_t group, to, begins;
};  // begins: a border stands before the character
typedef VEC(struct arc) arc_list;

struct boundary_builder {
	const struct encoder_model *model;
	const struct split_pattern *patterns;
	const uint64_t *group_items;
	uint32_t n_groups, n_cuts;
	struct intern states;  // u16 is_fresh, then for each part: mode, n, n_owed, threads, owed
	VEC(uint32_t) first;   // by state, into arcs
	arc_list arcs;
	bool too_many, is_empty;  // more threads than MAX_THREADS; an expression that matches nothing
	uint8_t seen[PATTERN_MAX_PROGRAM];
};

#define TEXT_END UINT64_MAX  // no character comes

// What threads come to before the next character: OP_ITEM and OP_MATCH instructions by priority.
struct closure {
	uint32_t n;
	uint16_t at[PATTERN_MAX_PROGRAM];
};

static void close_over(struct boundary_builder *b, const struct split_pattern *p, uint32_t pc, uint64_t next,
                       struct closure *c)
{
	if (b->seen[pc]) return;
	b->seen[pc] = 1;
	const struct instruction *x = &p->code.at[pc];
	bool is_next = next != TEXT_END && x->item < 64 && next >> x->item & 1;
	switch (x->op) {
	case OP_ITEM:
	case OP_MATCH: c->at[c->n++] = (uint16_t)pc; break;
	case OP_EITHER: close_over(b, p, x->a, next, c), close_over(b, p, x->b, next, c); break;
	case OP_ASSERT:
		if (is_next) close_over(b, p, x->a, next, c);
		break;
	case OP_REFUTE:
		if (!is_next) close_over(b, p, x->a, next, c);
		break;
	}
}

static void closure_of(struct boundary_builder *b, const struct split_pattern *p, const uint16_t *threads, uint32_t n,
                       uint64_t next, struct closure *c)
{
	memset(b->seen, 0, p->code.n);
	c->n = 0;
	for (uint32_t i = 0; i < n; i++) close_over(b, p, threads[i], next, c);
}

// How many of the closure stand before its first match; UINT32_MAX: it has none.
static uint32_t before_match(const struct split_pattern *p, const struct closure *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (p->code.at[c->at[i]].op == OP_MATCH) return i;
	return UINT32_MAX;
}

static void add_thread(struct boundary_builder *b, uint16_t *list, uint16_t *n, uint32_t pc)
{
	for (uint32_t i = 0; i < *n; i++)
		if (list[i] == pc) return;
	if (*n == MAX_THREADS)
		b->too_many = true;
	else
		list[(*n)++] = (uint16_t)pc;
}

// What reads the character goes on in the part's threads, or as what is owed.
static void step(struct boundary_builder *b, const struct split_pattern *p, const struct closure *c, uint64_t next,
                 struct part *to, bool is_owed)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const struct instruction *x = &p->code.at[c->at[i]];
		if (x->op != OP_ITEM || !(next >> x->item & 1)) continue;
		add_thread(b, is_owed ? to->owed : to->thread, is_owed ? &to->n_owed : &to->n, x->a);
	}
}

static int by_number(const void *a, const void *b) { return *(const uint16_t *)a - *(const uint16_t *)b; }

// What is owed reads the character; false: it has matched.
static bool step_owed(struct boundary_builder *b, const struct split_pattern *p, const struct part *from, uint64_t next,
                      struct part *to)
{
	struct closure c;
	closure_of(b, p, from->owed, from->n_owed, next, &c);
	if (before_match(p, &c) != UINT32_MAX) return false;
	step(b, p, &c, next, to, true);
	return true;
}

// A part begins with the character; *to has what is owed already. False: it cannot.
static bool begin(struct boundary_builder *b, uint32_t cut, enum mode mode, uint64_t next, struct part *to)
{
	const struct split_pattern *p = &b->patterns[cut];
	const struct encoder_cut *how = &b->model->cuts.at[cut];
	struct closure c;
	uint16_t start = (uint16_t)p->start;
	if (mode == BETWEEN && how->kind == CUT_REMOVED) return false;  // inverted: what lies between vanishes
	closure_of(b, p, &start, 1, next, &c);
	if (before_match(p, &c) != UINT32_MAX) b->is_empty = true;
	to->mode = (uint16_t)mode, to->n = 0;
	step(b, p, &c, next, to, mode != MATCH);
	return mode == BETWEEN || to->n;
}

static bool goes_on(struct boundary_builder *b, uint32_t cut, const struct part *from, uint64_t next, struct part *to)
{
	const struct split_pattern *p = &b->patterns[cut];
	struct closure c;
	*to = (struct part){.mode = from->mode};
	if (!step_owed(b, p, from, next, to)) return false;
	if (from->mode == BETWEEN) return begin(b, cut, BETWEEN, next, to);
	closure_of(b, p, from->thread, from->n, next, &c);
	uint32_t match = before_match(p, &c);
	if (match < c.n) c.n = match;
	step(b, p, &c, next, to, false);
	return to->n;
}

// The part ends and another one begins.
static bool ends_and_begins(struct boundary_builder *b, uint32_t cut, const struct part *from, enum mode mode,
                            uint64_t next, struct part *to)
{
	const struct split_pattern *p = &b->patterns[cut];
	struct closure c;
	*to = (struct part){0};
	if (from->mode == BETWEEN && mode == BETWEEN) return false;
	if (!step_owed(b, p, from, next, to)) return false;
	if (from->mode == MATCH) {
		closure_of(b, p, from->thread, from->n, next, &c);
		uint32_t match = before_match(p, &c);
		if (match == UINT32_MAX) return false;
		c.n = match;
		step(b, p, &c, next, to, true);
	}
	return begin(b, cut, mode, next, to);
}

static bool may_end(struct boundary_builder *b, uint32_t cut, const struct part *from)
{
	const struct split_pattern *p = &b->patterns[cut];
	struct closure c;
	closure_of(b, p, from->owed, from->n_owed, TEXT_END, &c);
	if (before_match(p, &c) != UINT32_MAX) return false;
	if (from->mode == BETWEEN) return true;
	closure_of(b, p, from->thread, from->n, TEXT_END, &c);
	return before_match(p, &c) != UINT32_MAX;
}

// Is the border between two parts one between pieces?
static bool is_cut(const struct encoder_cut *how, enum mode before, enum mode after)
{
	bool a = (before == MATCH) != how->invert, z = (after == MATCH) != how->invert;
	switch (how->kind) {
	case CUT_CONTIGUOUS: return a != z;
	case CUT_WITH_PREVIOUS: return a || !z;
	case CUT_WITH_NEXT: return !a || z;
	case CUT_REMOVED:
	case CUT_ISOLATED: break;
	}
	return true;
}

// --- states ------------------------------------------------------------------------------------------------------
struct state {
	bool is_fresh;
	struct part part[BOUNDARY_MAX_CUTS];
};

static uint32_t add_state(struct boundary_builder *b, const struct state *s)
{
	static uint16_t buffer[1 + BOUNDARY_MAX_CUTS * (3 + 2 * MAX_THREADS)];
	uint32_t n = 0;
	buffer[n++] = s->is_fresh;
	for (uint32_t i = 0; i < b->n_cuts && !s->is_fresh; i++) {
		const struct part *p = &s->part[i];
		buffer[n++] = p->mode, buffer[n++] = p->n, buffer[n++] = p->n_owed;
		memcpy(buffer + n, p->thread, p->n * sizeof *buffer), n += p->n;
		memcpy(buffer + n, p->owed, p->n_owed * sizeof *buffer), n += p->n_owed;
	}
	return intern_add(&b->states, buffer, n * sizeof *buffer, NULL);
}

static void get_state(const struct boundary_builder *b, uint32_t id, struct state *s)
{
	const uint16_t *x = intern_get(&b->states, id, NULL);
	s->is_fresh = *x++;
	for (uint32_t i = 0; i < b->n_cuts && !s->is_fresh; i++) {
		struct part *p = &s->part[i];
		p->mode = *x++, p->n = *x++, p->n_owed = *x++;
		memcpy(p->thread, x, p->n * sizeof *x), x += p->n;
		memcpy(p->owed, x, p->n_owed * sizeof *x), x += p->n_owed;
	}
}

struct expansion {
	const struct state *from;
	struct state to;
	uint32_t group;
	uint64_t next;
};

// Step `cut` and those behind it. ended: the piece that they cut has ended; begins: a piece begins here.
static void expand(struct boundary_builder *b, struct expansion *e, uint32_t cut, bool ended, bool begins)
{
	if (cut == b->n_cuts) {
		struct arc arc = {e->group, add_state(b, &e->to), begins};
		vec_push(&b->arcs, arc);
		return;
	}
	const struct part *from = &e->from->part[cut];
	struct part *to = &e->to.part[cut];
	if (ended && !e->from->is_fresh && !may_end(b, cut, from)) return;
	if (!ended && goes_on(b, cut, from, e->next, to)) {
		if (to->n_owed) qsort(to->owed, to->n_owed, sizeof *to->owed, by_number);
		expand(b, e, cut + 1, false, begins);
	}
	for (uint32_t mode = BETWEEN; mode <= MATCH; mode++) {
		*to = (struct part){0};
		if (!(ended ? begin(b, cut, mode, e->next, to) : ends_and_begins(b, cut, from, mode, e->next, to))) continue;
		if (to->n_owed) qsort(to->owed, to->n_owed, sizeof *to->owed, by_number);
		bool cuts = ended || is_cut(&b->model->cuts.at[cut], from->mode, mode);
		expand(b, e, cut + 1, cuts, begins || cuts);
	}
}

static bool explore(struct boundary_builder *b)
{
	struct state *from = mem_calloc(1, sizeof *from);
	struct expansion *e = mem_calloc(1, sizeof *e);
	add_state(b, &(struct state){.is_fresh = true});
	for (uint32_t s = 0; s < b->states.entries.n && s < BOUNDARY_MAX_STATES && !b->too_many; s++) {
		get_state(b, s, from);
		vec_push(&b->first, b->arcs.n);
		for (uint32_t g = 0; g < b->n_groups; g++) {
			*e = (struct expansion){.from = from, .group = g, .next = b->group_items[g]};
			expand(b, e, 0, from->is_fresh, from->is_fresh);
		}
	}
	vec_push(&b->first, b->arcs.n);
	free(from), free(e);
	return !b->too_many && b->states.entries.n <= BOUNDARY_MAX_STATES;
}

// --- which can end, and sets ---------------------------------------------------------------------------------------
static void find_live(struct boundary_builder *b, uint8_t *ends, uint8_t *live)
{
	uint32_t n = b->states.entries.n;
	struct state *s = mem_calloc(1, sizeof *s);
	for (uint32_t i = 0; i < n; i++) {
		get_state(b, i, s);
		ends[i] = 1;
		for (uint32_t k = 0; k < b->n_cuts && !s->is_fresh; k++) ends[i] = ends[i] && may_end(b, k, &s->part[k]);
		live[i] = ends[i];
	}
	free(s);
	for (bool grew = true; grew;) {
		grew = false;
		for (uint32_t i = n; i-- > 0;)
			for (uint32_t a = b->first.at[i]; a < b->first.at[i + 1] && !live[i]; a++)
				grew |= live[i] = live[b->arcs.at[a].to];
	}
}

// Where the states of set s lead by a step, ascending, in `to`: a group of characters * CANON_STEPS + how they come.
typedef VEC(uint32_t) state_list;
static void step_set(const struct boundary_builder *b, const uint8_t *live, const struct intern *sets, uint32_t s,
                     uint32_t step, state_list *to)
{
	uint32_t len, group = step / CANON_STEPS, how = step % CANON_STEPS, n = 0;
	const uint32_t *member = intern_get(sets, s, &len);
	vec_clear(to);
	for (uint32_t i = 0; i < len / 4; i++)
		for (uint32_t a = b->first.at[member[i]]; a < b->first.at[member[i] + 1]; a++) {
			const struct arc *x = &b->arcs.at[a];
			bool fits = how == CANON_STEP_EITHER || x->begins == (how == CANON_STEP_BEGIN);
			if (x->group == group && live[x->to] && fits) vec_push(to, x->to);
		}
	sort_u32(to->at, to->n);
	for (uint32_t i = 0; i < to->n; i++)
		if (!i || to->at[i] != to->at[n - 1]) to->at[n++] = to->at[i];
	to->n = n;
}

typedef VEC(uint16_t) step_list;
// All sets that can be reached from the start's, and their steps.
static void reach_sets(const struct boundary_builder *b, const uint8_t *live, struct intern *sets, step_list *steps)
{
	state_list to = {0};
	for (uint32_t s = 0; s < sets->entries.n && sets->entries.n <= CANON_MAX_SETS; s++)
		for (uint32_t step = 0; step < b->n_groups * CANON_STEPS; step++) {
			step_set(b, live, sets, s, step, &to);
			vec_push(steps, (uint16_t)intern_add(sets, to.at, to.n * sizeof *to.at, NULL));
		}
	vec_release(&to);
}

// Ends the set's text, and each that goes on from it by whatever character, surely? A greatest fixpoint.
static void find_sure(const struct boundary_builder *b, uint32_t n_sets, const uint16_t *table, uint32_t *flags)
{
	for (bool fell = true; fell;) {
		fell = false;
		for (uint32_t s = 1; s < n_sets; s++) {
			bool sure = flags[s] & CANON_SET_ENDS;
			for (uint32_t g = 0; g < b->n_groups && sure; g++)
				sure = flags[table[(s * b->n_groups + g) * CANON_STEPS + CANON_STEP_EITHER]] & CANON_SET_SURE;
			if (sure || !(flags[s] & CANON_SET_SURE)) continue;
			flags[s] &= ~(uint32_t)CANON_SET_SURE, fell = true;
		}
	}
}

static void keep_sets(const struct boundary_builder *b, const struct intern *sets, const step_list *steps,
                      const uint8_t *ends, struct canonical *out)
{
	uint32_t n_sets = sets->entries.n, *flags = arena_array(&out->arena, n_sets, sizeof *flags);
	uint16_t *table = arena_array(&out->arena, steps->n, sizeof *table);
	memcpy(table, steps->at, steps->n * sizeof *table);
	for (uint32_t s = 1; s < n_sets; s++) {
		uint32_t len;
		const uint32_t *member = intern_get(sets, s, &len);
		flags[s] = CANON_SET_SURE;
		for (uint32_t i = 0; i < len / 4; i++) flags[s] |= ends[member[i]] ? CANON_SET_ENDS : 0;
	}
	find_sure(b, n_sets, table, flags);
	out->steps = table, out->sets = flags, out->info.n_sets = n_sets;
}

static bool make_sets(struct boundary_builder *b, struct diag *d, struct canonical *out)
{
	uint32_t n = b->states.entries.n, fresh = 0;
	uint8_t *ends = mem_calloc(n, 1), *live = mem_calloc(n, 1);
	struct intern sets = {0};
	step_list steps = {0};
	find_live(b, ends, live);
	intern_add(&sets, NULL, 0, NULL);  // set 0 is empty
	out->info.start_set = intern_add(&sets, &fresh, sizeof fresh, NULL);
	reach_sets(b, live, &sets, &steps);
	bool good = sets.entries.n <= CANON_MAX_SETS;
	if (good)
		keep_sets(b, &sets, &steps, ends, out);
	else
		diag_error(d, (struct loc){0},
		           "the pre-tokenizer needs more than %u sets of states (CANON_MAX_SETS); canonical tokenization "
		           "cannot be modelled for this tokenizer",
		           CANON_MAX_SETS);
	intern_release(&sets);
	vec_release(&steps);
	free(ends), free(live);
	return good;
}

bool boundary_build(const struct encoder_model *model, const struct split_pattern *patterns,
                    struct boundary_groups groups, struct diag *d, struct canonical *out, uint32_t *n_states)
{
	struct boundary_builder *b = mem_calloc(1, sizeof *b);
	*b = (struct boundary_builder){.model = model,
	                               .patterns = patterns,
	                               .group_items = groups.items,
	                               .n_groups = groups.n,
	                               .n_cuts = model->cuts.n};
	const char *problem = explore(b) ? NULL : "too many ways to cut a text (BOUNDARY_MAX_STATES)";
	if (b->is_empty) problem = "an expression that matches the empty text";
	if (problem)
		diag_error(d, (struct loc){0},
		           "the pre-tokenizer has %s; canonical tokenization cannot be modelled for this tokenizer", problem);
	bool good = !problem && make_sets(b, d, out);
	*n_states = b->states.entries.n;
	intern_release(&b->states);
	vec_release(&b->first), vec_release(&b->arcs);
	free(b);
	return good;
}
