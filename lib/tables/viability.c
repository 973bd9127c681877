// On-demand saturation over variables T(control, lr_state) = controls that are left once that frame has been read.
//
// A variable is one of
//   LEXING  lex_state at a token's end, on a frame
//   RESUME  a rest (the middle of a token, a fresh lexeme), on a frame
//   BELOW   a control whose frames are popped, on the frame then seen
//   READ    what is left of another variable once one more frame has been read
// and its value grows to the least fixpoint. A variable is evaluated once: each outcome of the walk runs through the
// frames that the parser pushed and ends in "$end is viable: always", in controls that ask for frames below, or in
// other variables that it holds. From then on only what is new is told, along the edges "holds" and "reads", each
// control once (semi-naive evaluation; the worklist of Esparza, Hansel, Rossmanith, Schwoon 2000). "Every stack below
// decides for viable" is a greatest fixpoint over the states that can lie there: stacks are finite, so a claim that
// only rests on claims further down is true. Lex_states from which a lexeme can end in the same ways are one (`alike`):
// inside a string they all are. Cost: (variables x controls) x edges, of those that are asked for; JSON needs a few
// hundred variables.
#include "viability.h"
#include "../base/work.h"

#include "../../formats/artifact.h"

enum kind { LEXING, RESUME, BELOW, READ };

struct control {
	uint32_t pop, lhs;
	terminal_id terminal;
	remainder_id remainder;
};

// What a lexeme that is here can end as, and before which bytes.
static uint32_t way_of(const struct lexer *x, lex_state q, struct intern *ways)
{
	uint32_t key[4 + 256 / 32] = {x->info[q].terminal, x->info[q].obligation,
	                              x->info[q].flags & (LEX_MAY_END | LEX_INITIAL | LEX_LINE), x->info[q].also};
	bool ends = (key[2] & (LEX_MAY_END | LEX_INITIAL)) != 0;
	for (uint32_t c = 0; c < x->n_classes; c++) {
		if (!(x->next[(size_t)q * x->n_classes + c] & LEX_CUT)) continue;
		key[4 + c / 32] |= 1u << c % 32;
		ends = true;
	}
	return ends ? intern_add(ways, key, sizeof key, NULL) : INTERN_NONE;
}

// Fills v->reach with the ways to end that each lex_state leads to, byte by byte, and v->alike.
static void find_equivalent(struct viability *v, const struct lex_edges *edges)
{
	const struct lexer *x = v->lexer;
	struct intern ways = {0}, sets = {0};
	uint32_t *way = mem_calloc(x->n_states, sizeof *way);
	lex_state *alike = mem_calloc(x->n_states, sizeof *alike);
	for (lex_state q = 0; q < x->n_states; q++) {
		way[q] = q ? way_of(x, q, &ways) : INTERN_NONE;
		if (v->sample.n < ways.entries.n) vec_push(&v->sample, q);
	}
	uint32_t words = BITS_WORDS(ways.entries.n + 1);
	bits *reach = mem_calloc((size_t)x->n_states * words, sizeof *reach);
	for (lex_state q = 0; q < x->n_states; q++)
		if (way[q] != INTERN_NONE) bits_set(reach + (size_t)q * words, way[q]);
	lex_edges_spread_back(x, edges, true, reach, words);
	VEC(lex_state) first = {0};
	for (lex_state q = 1; q < x->n_states; q++) {
		bool is_new;
		uint32_t set = intern_add(&sets, reach + (size_t)q * words, words * sizeof *reach, &is_new);
		if (is_new) vec_push(&first, q);
		alike[q] = first.at[set];
	}
	vec_release(&first);
	intern_release(&ways);
	intern_release(&sets);
	free(way);
	v->alike = alike, v->reach = reach, v->reach_words = words;
}

static void find_ends(struct viability *v, const struct lex_edges *edges)
{
	const struct lexer *x = v->lexer;
	uint32_t words = v->lr->context_words;
	v->ends = mem_calloc((size_t)x->n_states * words + 1, sizeof *v->ends);
	for (lex_state q = 1; q < x->n_states; q++)
		for (const struct lex_info *way = &x->info[q]; way; way = lexer_also(x, way))
			if (way->terminal != UINT32_MAX) bits_set(v->ends + (size_t)q * words, way->terminal);
	lex_edges_spread_back(x, edges, false, v->ends, words);
	v->only_end = mem_calloc(x->n_states, sizeof *v->only_end);
	for (lex_state q = 1; q < x->n_states; q++) {
		const bits *ends = v->ends + (size_t)q * words;
		const bool is_only = bits_count(ends, words) == 1 && !(x->info[q].flags & LEX_INITIAL);
		v->only_end[q] = is_only ? bits_next(ends, words, 0) : UINT32_MAX;
	}
}

bool viability_is_hopeless(const struct viability *v, lex_state at, uint32_t context)
{
	const uint32_t words = v->lr->context_words, only = v->only_end[at];
	const bits *ends = v->ends + (size_t)at * words, *viable = v->lr->context + (size_t)context * words;
	if (only != UINT32_MAX) return !bits_test(viable, only) && !bits_test(v->ignored, only);
	if (v->lexer->info[at].flags & LEX_INITIAL) return false;
	for (uint32_t w = 0; w < words; w++)
		if (ends[w] & (viable[w] | v->ignored[w])) return false;
	return true;
}

bool viability_ends_alike(const struct viability *v, lex_state at, uint32_t context, uint32_t other)
{
	const uint32_t words = v->lr->context_words;
	const bits *ends = v->ends + (size_t)at * words, *x = v->lr->context + (size_t)context * words,
			   *y = v->lr->context + (size_t)other * words;
	bits differ = 0;  // no jump: several are compared at once
	for (uint32_t w = 0; w < words; w++) differ |= ends[w] & (x[w] ^ y[w]);
	return !differ;
}

lex_state viability_equivalent(const struct viability *v, lex_state at) { return v->alike ? v->alike[at] : at; }

void viability_init(struct viability *v, const struct lr *lr, const struct lexer *lexer, struct walker *walker,
                    bool by_bytes)
{
	*v = (struct viability){.lr = lr, .lexer = lexer, .walker = walker};
	struct lex_edges edges;
	lex_edges_find(lexer, &edges);
	if (by_bytes) separable_build(lexer, lr, &edges, &v->safe);
	v->ignored = mem_calloc(lr->context_words + 1, sizeof *v->ignored);
	for (terminal_id t = 0; t < lr->n_terminals; t++)
		if (lexer->is_ignored[t]) bits_set(v->ignored, t);
	find_ends(v, &edges);
	if (by_bytes) find_equivalent(v, &edges);
	lex_edges_release(&edges);
}

void viability_release(struct viability *v)
{
	for (uint32_t i = 0; i < v->variables.n; i++) {
		vec_release(&v->variables.at[i].value);
		vec_release(&v->variables.at[i].supersets);
		vec_release(&v->variables.at[i].readings);
	}
	safe_states_release(&v->safe);
	free(v->ends);
	free(v->only_end);
	free(v->ignored);
	free(v->alike);
	free(v->reach);
	vec_release(&v->sample);
	vec_release(&v->variables);
	vec_release(&v->queue);
	vec_release(&v->claim);
	intern_release(&v->controls);
	intern_release(&v->keys);
	intern_release(&v->edges);
	map64_release(&v->has);
	intern_release(&v->claims);
	arena_release(&v->arena);
}

bool viability_is_safe(const struct viability *v, lex_state at, uint32_t context)
{
	return v->safe.row_of && bits_test(v->safe.row + (size_t)v->safe.row_of[at] * v->safe.words, context);
}

static bool is_safe(const struct viability *v, lex_state at, lr_state s)
{
	return viability_is_safe(v, at, v->lr->context_of[s]);
}

static struct control control_get(const struct viability *v, control_id c)
{
	struct control x;
	memcpy(&x, intern_get(&v->controls, c, NULL), sizeof x);
	return x;
}

static control_id control_of(struct viability *v, struct control x)
{
	return intern_add(&v->controls, &x, sizeof x, NULL);
}

// --- Values
// -----------------------------------------------------------------------------------------------------------

static void queue(struct viability *v, uint32_t i)
{
	struct via_variable *x = &v->variables.at[i];
	if (x->queued) return;
	x->queued = true;
	vec_push(&v->queue, i);
}

// The variable's index; made and queued when new.
static uint32_t variable(struct viability *v, enum kind kind, uint32_t what, lr_state s)
{
	bool is_new;
	if (kind == LEXING) what = viability_equivalent(v, what);
	uint32_t i = intern_add(&v->keys, (uint32_t[]){kind, what, s}, 12, &is_new);
	if (!is_new) return i;
	vec_push(&v->variables, (struct via_variable){0});
	queue(v, i);
	return i;
}

static bool is_always(const struct viability *v, uint32_t i) { return v->variables.at[i].always; }

static void add_control(struct viability *v, uint32_t to, control_id c)
{
	uint64_t key = (uint64_t)to << 32 | c;
	if (is_always(v, to) || map64_get(&v->has, key) != MAP64_NONE) return;
	map64_put(&v->has, key, 1);
	vec_push(&v->variables.at[to].value, c);
	queue(v, to);
}

static void add_always(struct viability *v, uint32_t to)
{
	struct via_variable *x = &v->variables.at[to];
	if (x->always) return;
	x->always = true;
	x->n_spread = 0;
	vec_release(&x->value);
	queue(v, to);
}

// All that `from` is, now and later, `to` is, too.
static void add_subset(struct viability *v, uint32_t from, uint32_t to)
{
	bool is_new;
	if (from == to || is_always(v, to)) return;
	if (is_always(v, from)) {
		add_always(v, to);
		return;
	}
	intern_add(&v->edges, (uint32_t[]){from, to}, 8, &is_new);
	if (!is_new) return;
	vec_push(&v->variables.at[from].supersets, to);
	for (uint32_t i = 0; i < v->variables.at[from].n_spread; i++) add_control(v, to, v->variables.at[from].value.at[i]);
}

// What is left of a variable once the frame s below has been read.
static uint32_t reading(struct viability *v, uint32_t of, lr_state s)
{
	uint32_t n = v->variables.n, r = variable(v, READ, of, s);
	if (r < n) return r;
	if (is_always(v, of)) add_always(v, r);
	vec_push(&v->variables.at[of].readings, r);
	return r;
}

// Control c, on frame s, adds to the reading.
static void read_control(struct viability *v, uint32_t to, control_id c, lr_state s)
{
	struct control x = control_get(v, c);
	if (x.pop > 0) {
		x.pop--;
		add_control(v, to, control_of(v, x));
	} else {
		add_subset(v, variable(v, BELOW, c, s), to);
	}
}

// The variable of what is left of a token's end, or of a rest, after all known frames have been read.
static uint32_t on_frames(struct viability *v, enum kind kind, uint32_t what, const struct partial_frame *top)
{
	uint32_t now = variable(v, kind, what, top->state);
	for (const struct partial_frame *f = top->below; f; f = f->below) now = reading(v, now, f->state);
	return now;
}

// --- Evaluation: once for each variable, what it is and which others it holds
// ------------------------------------------

static void run_terminal(struct viability *v, terminal_id t, remainder_id remainder, const struct partial_frame *top,
                         uint32_t self);

// Columns come behind the newline, or behind a dedent: whatever they make is possible, since the text can spell any.
// At the end of the text a dedent for each open column comes by itself. No step is deeper than the known frames: each
// dedent's block is closed by the next one.
static void run_columns(struct viability *v, terminal_id t, remainder_id remainder, const struct partial_frame *top,
                        uint32_t self)
{
	const struct indentation *columns = v->lexer->indentation;
	bool is_line = columns && walker_is_line(v->walker, remainder);
	if (is_line && t == columns->newline) run_terminal(v, columns->indent, remainder, top, self);
	if (columns && (remainder_is_end(remainder) || (is_line && (t == columns->newline || t == columns->dedent))))
		run_terminal(v, columns->dedent, remainder, top, self);
}

static void end_on(struct viability *v, lr_state s, uint32_t self)
{
	if (lr_viable(v->lr, s, v->lr->n_terminals)) add_always(v, self);
}

// A terminal was (or is being) shifted, then comes `remainder`. Takes the steps, which it frees.
static void run_steps(struct viability *v, frame_steps *steps, terminal_id t, remainder_id remainder, uint32_t self)
{
	for (uint32_t i = 0; i < steps->n && !is_always(v, self); i++) {
		struct frame_step step = steps->at[i];
		if (step.kind == STEP_BELOW)
			add_control(v, self, control_of(v, (struct control){step.pop, step.lhs, t, remainder}));
		else if (remainder_is_end(remainder))
			end_on(v, step.top->state, self);
		else
			add_subset(v, on_frames(v, RESUME, remainder, step.top), self);
		if (step.kind == STEP_SHIFTED && !is_always(v, self)) run_columns(v, t, remainder, step.top, self);
	}
	vec_release(steps);
}

static void run_terminal(struct viability *v, terminal_id t, remainder_id remainder, const struct partial_frame *top,
                         uint32_t self)
{
	frame_steps steps = {0};
	partial_stack_shift(v->lr, &v->arena, top, t, &steps);
	run_steps(v, &steps, t, remainder, self);
}

// The lexeme on frame s ends as t, then comes `remainder`.
static void run_cut(struct viability *v, terminal_id t, remainder_id remainder, lr_state s, uint32_t self)
{
	const struct partial_frame *top = partial_stack_push(&v->arena, NULL, s);
	if (!v->lexer->is_ignored[t]) {
		run_terminal(v, t, remainder, top, self);
	} else if (remainder == REMAINDER_END) {
		end_on(v, s, self);
		if (!is_always(v, self)) run_columns(v, t, remainder, top, self);
	} else {
		add_subset(v, variable(v, RESUME, remainder, s), self);
	}
}

static void evaluate_outcomes(struct viability *v, struct outcomes o, lr_state s, uint32_t self)
{
	for (uint32_t i = 0; i < o.n_cuts && !is_always(v, self); i++)
		run_cut(v, o.cuts[i].terminal, o.cuts[i].remainder, s, self);
	for (uint32_t i = 0; i < o.n_stays && !is_always(v, self); i++)
		add_subset(v, variable(v, LEXING, outcomes_to(&o, i), s), self);
}

// A lexeme here ends, or goes on (not asked when only_ends).
static void evaluate_lexing(struct viability *v, lex_state q, lr_state s, uint32_t self, bool only_ends)
{
	const struct lex_info *info = &v->lexer->info[q];
	if (info->flags & LEX_INITIAL) end_on(v, s, self);
	for (const struct lex_info *way = info; way && !is_always(v, self); way = lexer_also(v->lexer, way))
		if (way->flags & LEX_MAY_END)
			run_cut(v, way->terminal, way->flags & LEX_LINE ? REMAINDER_LINE_END : REMAINDER_END, s, self);
	if (is_always(v, self)) return;
	struct outcomes o = walker_outcomes(v->walker, q, REMAINDER_WHOLE);
	if (only_ends) o.n_stays = 0;
	evaluate_outcomes(v, o, s, self);
}

static void evaluate_reach(struct viability *v, lex_state q, lr_state s, uint32_t self)
{
	const bits *ways = v->reach + (size_t)q * v->reach_words;
	for (uint32_t w = bits_next(ways, v->reach_words, 0); w != UINT32_MAX && !is_always(v, self);
	     w = bits_next(ways, v->reach_words, w + 1))
		evaluate_lexing(v, v->sample.at[w], s, self, true);
}

static void evaluate(struct viability *v, uint32_t self)
{
	uint32_t key[3];
	memcpy(key, intern_get(&v->keys, self, NULL), sizeof key);
	lr_state s = key[2];
	if (key[0] == LEXING && is_safe(v, key[1], s)) {
		add_always(v, self);
	} else if (key[0] == LEXING) {
		if (v->alike)
			evaluate_reach(v, key[1], s, self);
		else
			evaluate_lexing(v, key[1], s, self, false);
	} else if (key[0] == RESUME) {
		uint32_t obligation = walker_obligation(v->walker, key[1]);
		lex_state at = v->lexer->start[obligation * v->lexer->n_contexts + v->lr->context_of[s]];
		if (at != LEX_DEAD) evaluate_outcomes(v, walker_outcomes(v->walker, at, key[1]), s, self);
	} else if (key[0] == BELOW) {
		struct control x = control_get(v, key[1]);
		frame_steps steps = {0};
		partial_stack_resume(v->lr, &v->arena, s, x.lhs, x.terminal, &steps);
		run_steps(v, &steps, x.terminal, x.remainder, self);
	} else {
		for (uint32_t i = 0; i < v->variables.at[key[1]].n_spread && !is_always(v, self); i++)
			read_control(v, self, v->variables.at[key[1]].value.at[i], s);
	}
}

// Tells all that hold the variable, or read it, what is new of it.
static void spread(struct viability *v, uint32_t i)
{
	bool always = is_always(v, i);
	if (always && v->variables.at[i].is_told) return;
	v->variables.at[i].is_told = always;
	for (uint32_t k = 0; k < v->variables.at[i].supersets.n && always; k++)
		add_always(v, v->variables.at[i].supersets.at[k]);
	for (uint32_t k = 0; k < v->variables.at[i].readings.n && always; k++)
		add_always(v, v->variables.at[i].readings.at[k]);
	while (!is_always(v, i) && v->variables.at[i].n_spread < v->variables.at[i].value.n) {
		control_id c = v->variables.at[i].value.at[v->variables.at[i].n_spread++];
		for (uint32_t k = 0; k < v->variables.at[i].supersets.n; k++)
			add_control(v, v->variables.at[i].supersets.at[k], c);
		for (uint32_t k = 0; k < v->variables.at[i].readings.n && !is_always(v, i); k++) {
			uint32_t to = v->variables.at[i].readings.at[k], key[3];
			memcpy(key, intern_get(&v->keys, to, NULL), sizeof key);
			if (v->variables.at[to].is_evaluated) read_control(v, to, c, key[2]);
		}
	}
}

static void solve(struct viability *v)
{
	while (v->queue.n) {
		uint32_t i = vec_pop(&v->queue);
		v->variables.at[i].queued = false;
		if (!v->variables.at[i].is_evaluated) {
			v->variables.at[i].is_evaluated = true;
			if (!is_always(v, i)) evaluate(v, i);
		}
		spread(v, i);
	}
}

// A set of controls; `always` swallows all of them.
struct control_set {
	control_list list;
	bool always;
};

static int compare_control(const void *a, const void *b)
{
	control_id x = *(const control_id *)a, y = *(const control_id *)b;
	return (x > y) - (x < y);
}

// What the variable is, solved: its controls ascend.
static struct control_set summary_of(struct viability *v, uint32_t i)
{
	struct control_set a = {0};
	solve(v);
	const struct via_variable *x = &v->variables.at[i];
	if ((v->n_read += 1 + (uint64_t)x->value.n) > VIABILITY_MAX_WORK)
		work_too_large("VIABILITY_MAX_WORK", VIABILITY_MAX_WORK);
	a.always = x->always;
	for (uint32_t j = 0; j < x->value.n && !a.always; j++) vec_push(&a.list, x->value.at[j]);
	if (a.list.n > 1) qsort(a.list.at, a.list.n, sizeof *a.list.at, compare_control);
	return a;
}

// What control c becomes on frame s, solved. False: no valid stack looks so.
static bool read_solved(struct viability *v, control_id c, lr_state s, struct control_set *out)
{
	struct control x = control_get(v, c);
	*out = (struct control_set){0};
	if (x.pop == 0 && !lr_goto(v->lr, s, x.lhs)) return false;
	if (x.pop == 0) {
		*out = summary_of(v, variable(v, BELOW, c, s));
		return true;
	}
	x.pop--;
	vec_push(&out->list, control_of(v, x));
	return true;
}

// --- Does every stack below decide for viable? -------------------------------------------------------------------

enum claim { CLAIM_FALSE, CLAIM_TRUE };

// Is the claim (c, s) kept by frame p below s?
static bool claim_holds_on(struct viability *v, control_id c, lr_state p)
{
	struct control_set a;
	bool possible = read_solved(v, c, p, &a), holds = !possible || a.always;
	for (uint32_t i = 0; i < a.list.n && !holds; i++) {
		uint32_t k = intern_find(&v->claims, (uint32_t[]){a.list.at[i], p}, 8);
		holds = k != INTERN_NONE && v->claim.at[k] == CLAIM_TRUE;
	}
	vec_release(&a.list);
	return holds;
}

// With control c, the last frame read being s: is every valid stack below it viable?
static bool always_below(struct viability *v, control_id c, lr_state s)
{
	bool is_new;
	uint32_t asked = intern_add(&v->claims, (uint32_t[]){c, s}, 8, &is_new);
	if (!is_new) return v->claim.at[asked] == CLAIM_TRUE;
	// All claims that this one rests on; those made before are settled and stay.
	vec_push(&v->claim, CLAIM_TRUE);
	for (uint32_t k = asked; k < v->claims.entries.n; k++) {
		uint32_t pair[2];
		memcpy(pair, intern_get(&v->claims, k, NULL), sizeof pair);
		for (uint32_t i = v->lr->pred_at[pair[1]]; i < v->lr->pred_at[pair[1] + 1]; i++) {
			struct control_set a;
			read_solved(v, pair[0], v->lr->pred[i], &a);
			for (uint32_t j = 0; j < a.list.n && !a.always; j++) {
				intern_add(&v->claims, (uint32_t[]){a.list.at[j], v->lr->pred[i]}, 8, &is_new);
				if (is_new) vec_push(&v->claim, CLAIM_TRUE);
			}
			vec_release(&a.list);
		}
	}
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t k = asked; k < v->claims.entries.n; k++) {
			uint32_t pair[2];
			memcpy(pair, intern_get(&v->claims, k, NULL), sizeof pair);
			for (uint32_t i = v->lr->pred_at[pair[1]]; i < v->lr->pred_at[pair[1] + 1] && v->claim.at[k]; i++)
				if (!claim_holds_on(v, pair[0], v->lr->pred[i])) v->claim.at[k] = CLAIM_FALSE, changed = true;
		}
	}
	return v->claim.at[asked] == CLAIM_TRUE;
}

// --- Questions ----------------------------------------------------------------------------------------------------

static enum verdict conclude(struct viability *v, struct control_set *a, lr_state last, control_list *remainder)
{
	bool always = a->always;
	for (uint32_t i = 0; i < a->list.n && !always; i++) always = always_below(v, a->list.at[i], last);
	enum verdict verdict = always ? VIABLE_ALWAYS : a->list.n ? VIABLE_DEPENDS : VIABLE_NEVER;
	vec_clear(remainder);
	for (uint32_t i = 0; i < a->list.n && verdict == VIABLE_DEPENDS; i++) vec_push(remainder, a->list.at[i]);
	vec_release(&a->list);
	return verdict;
}

enum verdict viability_decide(struct viability *v, lex_state at, const struct partial_frame *top,
                              control_list *remainder)
{
	if (is_safe(v, at, top->state)) return VIABLE_ALWAYS;
	struct control_set a = summary_of(v, on_frames(v, LEXING, at, top));
	while (top->below) top = top->below;
	return conclude(v, &a, top->state, remainder);
}

enum verdict viability_read(struct viability *v, control_id c, lr_state s, control_list *remainder)
{
	struct control_set a;
	if (!read_solved(v, c, s, &a)) return VIABLE_IMPOSSIBLE;
	return conclude(v, &a, s, remainder);
}

uint32_t viability_pop(const struct viability *v, control_id c) { return control_get(v, c).pop; }

control_id viability_skip(struct viability *v, control_id c, uint32_t n)
{
	struct control x = control_get(v, c);
	ASSERT(n <= x.pop);
	x.pop -= n;
	return control_of(v, x);
}

control_id viability_copy(struct viability *v, const struct viability *from, control_id c,
                          const remainder_id *remainder_to)
{
	struct control x = control_get(from, c);
	x.remainder = remainder_to[x.remainder];
	return control_of(v, x);
}
