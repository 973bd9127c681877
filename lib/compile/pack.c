// Names, lexer, parser and automaton in the artifact's layout.
//
// In:  the compiler's tables. Out: arrays of the structs of formats/artifact.h, in out->arena.
// Equal LR rows are stored once. Nodes' edges share one array by displacement (first fit, largest node first; Tarjan
// and Yao 1979): edge[base + frame], owned by its node. Cost: linear but for the fit.
#include "pack.h"

#include "../base/map64.h"

#include "../base/majority.h"
#include "../base/text_out.h"

// The texts of STRINGS, one after the other; equal ones once.
struct strings {
	struct intern seen;
	VEC(char) text;
	VEC(uint32_t) at_of;
};

static uint32_t add_string(struct strings *s, const char *text)
{
	bool is_new;
	size_t n = strlen(text) + 1;
	uint32_t id = intern_add(&s->seen, text, n, &is_new);
	if (is_new) {
		vec_push(&s->at_of, s->text.n);
		vec_reserve(&s->text, s->text.n + (uint64_t)n);
		memcpy(s->text.at + s->text.n, text, n);
		s->text.n += (uint32_t)n;
	}
	return s->at_of.at[id];
}

#define PATTERN_MAX 400u  // bytes of a pattern that are kept for people

// A pattern as one readable line, cut between code points.
static const char *pattern_text(const struct term *t, struct arena *arena)
{
	struct text_out x;
	text_open(&x);
	if (t) grammar_print_pattern(t, x.f);
	text_end(&x);
	size_t shown = x.len <= PATTERN_MAX ? x.len : PATTERN_MAX;
	while (shown < x.len && shown > 0 && ((unsigned char)x.text[shown] & 0xC0) == 0x80) shown--;
	const char *line = arena_printf(arena, "%.*s%s", (int)shown, x.text, shown < x.len ? "..." : "");
	text_drop(&x);
	return line;
}

static bool lists_numbers(const struct terminal *t)
{
	bool lists = t->shape[SHAPE_FLAGS] & SHAPE_NUMBERS;
	for (uint32_t i = 0; i < t->shape[SHAPE_N_KEYS]; i++)
		lists |= (t->shape[SHAPE_HEAD + i * KEY_WORDS] & SHAPE_NUMBERS) != 0;
	return lists;
}

// Shapes behind the places where they begin: 0 where items are endless.
static void pack_shapes(const struct grammar *g, const uint32_t *unique, struct compiled *out)
{
	struct artifact_uniques *u = &out->image.unique_info;
	VEC(uint32_t) words = {0};
	uint32_t n_shaped = 0;
	u->any_kind = 1;
	for (uint32_t k = 0; k < u->n_terminals; k++) vec_push(&words, 0);
	for (uint32_t k = 0; k < u->n_terminals; k++) {
		const struct terminal *t = &g->terminals[unique[k]];
		if (!t->n_shape) continue;
		n_shaped++, words.at[k] = words.n;
		if (lists_numbers(t) && u->any_kind < 2) u->any_kind = 2;
		if (t->shape[SHAPE_FLAGS] & SHAPE_TELLS) u->any_kind = UNIQUE_KIND_TELLS;
		for (uint32_t i = 0; i < t->n_shape; i++) vec_push(&words, t->shape[i]);
	}
	u->n_shape_words = n_shaped ? words.n : 0;
	uint32_t *shapes = arena_array(&out->arena, (size_t)words.n + 1, sizeof *shapes);
	if (words.n) memcpy(shapes, words.at, words.n * sizeof *shapes);
	out->image.unique_shapes = shapes;
	vec_release(&words);
}

void pack_names(const struct grammar *g, struct compiled *out)
{
	struct artifact_image *m = &out->image;
	struct strings s = {0};
	struct arena scratch = {0};
	struct artifact_terminal *terminals = arena_array(&out->arena, g->n_terminals, sizeof *terminals);
	uint32_t *nonterminals = arena_array(&out->arena, g->n_nonterminals, sizeof *nonterminals);
	add_string(&s, "");
	for (terminal_id t = 0; t < g->n_terminals; t++) {
		const struct terminal *x = &g->terminals[t];
		terminals[t] = (struct artifact_terminal){.name = add_string(&s, x->name),
		                                          .flags = (x->is_ignored ? TERMINAL_IGNORED : 0u) |
		                                                   (x->is_literal ? TERMINAL_LITERAL : 0u) |
		                                                   (x->pattern ? 0u : TERMINAL_DECLARED),
		                                          .priority = x->priority,
		                                          .pattern = add_string(&s, pattern_text(x->pattern, &scratch)),
		                                          .rank = grammar_tie_rank(g, t)};
	}
	for (uint32_t a = 0; a < g->n_nonterminals; a++) nonterminals[a] = add_string(&s, g->nonterminals[a].name);
	uint32_t n_unique = 0, *unique = arena_array(&out->arena, g->n_terminals + (size_t)1, sizeof *unique);
	for (terminal_id t = 0; t < g->n_terminals; t++)
		if (g->terminals[t].opens_unique) unique[n_unique++] = t;
	m->unique_terminals = unique, m->unique_info.n_terminals = n_unique;
	pack_shapes(g, unique, out);
	m->strings = memcpy(arena_alloc(&out->arena, s.text.n), s.text.at, s.text.n);
	m->terminals = terminals, m->nonterminals = nonterminals;
	m->info.n_strings = s.text.n, m->info.n_terminals = g->n_terminals, m->info.n_nonterminals = g->n_nonterminals;
	intern_release(&s.seen);
	vec_release(&s.text);
	vec_release(&s.at_of);
	arena_release(&scratch);

	struct artifact_production *productions = arena_array(&out->arena, g->n_productions, sizeof *productions);
	uint32_t n_symbols = 0;
	for (uint32_t p = 0; p < g->n_productions; p++) {
		productions[p] = (struct artifact_production){g->productions[p].lhs, g->productions[p].n_rhs, n_symbols, 0};
		n_symbols += g->productions[p].n_rhs;
	}
	uint32_t *symbols = arena_array(&out->arena, n_symbols, sizeof *symbols);
	for (uint32_t p = 0; p < g->n_productions; p++)
		if (g->productions[p].n_rhs)
			memcpy(symbols + productions[p].symbols, g->productions[p].rhs, g->productions[p].n_rhs * sizeof *symbols);
	m->productions = productions, m->symbols = symbols;
	m->info.n_productions = g->n_productions, m->info.n_symbols = n_symbols;
}

static int by_end(const void *a, const void *b)
{
	const struct lexer_counter *x = *(const struct lexer_counter *const *)a,
							   *y = *(const struct lexer_counter *const *)b;
	return (x->to > y->to) - (x->to < y->to);
}

// Repetitions that are counted, by the states to which they lead; steps that count are marked in `next`.
static void pack_counters(const struct lexer *x, uint32_t *next, struct compiled *out)
{
	const struct lexer_counters *k = &x->counters;
	if (!k->n) return;
	struct artifact_image *m = &out->image;
	struct artifact_counter *counters = arena_array(&out->arena, k->n, sizeof *counters);
	struct artifact_counted *states = arena_array(&out->arena, k->n_states, sizeof *states);
	const struct lexer_counter **by = mem_alloc(k->n * sizeof *by);
	uint32_t *place = mem_alloc(k->n * sizeof *place);
	uint32_t *of_end = mem_calloc(x->n_states, sizeof *of_end);  // number of a counter + 1
	for (uint32_t i = 0; i < k->n; i++) by[i] = &k->counter[i];
	qsort(by, k->n, sizeof *by, by_end);
	for (uint32_t i = 0; i < k->n; i++) {
		counters[i] = (struct artifact_counter){by[i]->from, by[i]->to, by[i]->more};
		place[by[i] - k->counter] = i, of_end[by[i]->to] = (uint32_t)(by[i] - k->counter) + 1;
	}
	for (uint32_t i = 0; i < k->n_states; i++) {
		const uint32_t terminal = k->counter[k->state[i].counter].terminal;
		states[i] = (struct artifact_counted){k->state[i].state, place[k->state[i].counter]};
		uint32_t *row = next + (size_t)states[i].lex_state * x->n_classes;
		for (uint32_t c = 0; c < x->n_classes; c++) {
			const uint32_t end = of_end[row[c] & LEX_STATE_MASK];
			if (end && k->counter[end - 1].terminal == terminal) row[c] |= LEX_CUT | LEX_COUNTED;
		}
	}
	free(by), free(place), free(of_end);
	m->counter_info =
		(struct artifact_counters){.n_counters = k->n,
	                               .n_states = k->n_states,
	                               .flags = (k->shares ? COUNTERS_SHARED : 0u) | (k->is_far ? COUNTERS_FAR : 0u)};
	m->counter_list = counters, m->counter_states = states;
}

void pack_lexer(const struct lexer *x, const struct lr *lr, struct compiled *out)
{
	struct artifact_image *m = &out->image;
	struct artifact_lex_state *states = arena_array(&out->arena, x->n_states, sizeof *states);
	uint32_t n_lines = 0;
	for (lex_state s = 0; s < x->n_states; s++)
		states[s] = (struct artifact_lex_state){.terminal = x->info[s].terminal,
		                                        .obligation = x->info[s].obligation,
		                                        .flags = x->info[s].flags,
		                                        .line = x->info[s].flags & LEX_LINE ? n_lines++ : 0,
		                                        .also = x->info[s].also};
	size_t n_next = (size_t)x->n_states * x->n_classes, n_start = (size_t)x->n_obligations * x->n_contexts;
	uint32_t words = (lr->n_terminals + 31) / 32;
	uint32_t *contexts = arena_array(&out->arena, (size_t)lr->n_contexts * words, sizeof *contexts);
	for (uint32_t c = 0; c < lr->n_contexts; c++)
		for (terminal_id t = 0; t < lr->n_terminals; t++)
			if (bits_test(lr->context + (size_t)c * lr->context_words, t))
				contexts[(size_t)c * words + t / 32] |= 1u << (t % 32);
	uint32_t *next = memcpy(arena_array(&out->arena, n_next, 4), x->next, n_next * 4);
	pack_counters(x, next, out);
	m->lex_next = next;
	m->lex_start = memcpy(arena_array(&out->arena, n_start, 4), x->start, n_start * 4);
	m->lex_states = states, m->contexts = contexts;
	m->info.n_classes = x->n_classes, m->info.n_lex_states = x->n_states, m->info.n_obligations = x->n_obligations;
	m->info.n_contexts = x->n_contexts, m->info.start_lex_state = x->initial, m->info.max_readings = x->max_readings;
	memcpy(m->info.class_of, x->class_of, sizeof m->info.class_of);
}

// The most frames that one terminal can add: its own, and one for each empty production on the way. Read off as the
// number of states, which no chain of empty reductions without a shift can pass in an LR automaton without conflicts.
static uint32_t most_pushes(const struct lr *lr)
{
	for (uint32_t p = 0; p < lr->n_productions; p++)
		if (lr->production[p].length == 0) return lr->n_states;
	return 1;
}

// The reduction that most terminals of its context make state s do, or 0. The other actions become its row of `apart`.
static uint32_t take_reduction(const struct lr *lr, lr_state s, struct lr_table *apart)
{
	uint32_t n, n_viable = 0, n_apart = apart->at[s];
	struct majority m = {0};
	const struct lr_cell *row = lr_row(&lr->action, s, &n);
	const bits *context = lr->context + (size_t)lr->context_of[s] * lr->context_words;
	for (uint32_t i = 0; i < n; i++) {
		if (row[i].by == lr->n_terminals || !bits_test(context, row[i].by)) continue;
		majority_vote(&m, row[i].to);
		n_viable++;
	}
	// Each terminal of the context must have an action: a reduction must not stand for none.
	const bool is_whole = n_viable == bits_count(context, lr->context_words);
	const uint32_t most = is_whole && !(m.most >> 31) && !(m.most & 1) ? m.most : 0;
	for (uint32_t i = 0; i < n; i++) {
		const bool is_viable = row[i].by != lr->n_terminals && bits_test(context, row[i].by);
		if (!most || row[i].to != most || !is_viable) apart->cell[n_apart++] = row[i];
	}
	apart->at[s + 1] = n_apart;
	return most;
}

void pack_lr(const struct lr *lr, const struct tables *t, struct compiled *out)
{
	struct artifact_image *m = &out->image;
	uint32_t *action_of = mem_calloc(lr->n_states, sizeof *action_of), *go_of = mem_calloc(lr->n_states, sizeof *go_of);
	struct lr_table apart = {.at = mem_calloc((size_t)lr->n_states + 1, sizeof *apart.at)};
	uint32_t *reduction = mem_calloc(lr->n_states, sizeof *reduction);
	apart.cell = mem_alloc(((size_t)lr->action.at[lr->n_states] + 1) * sizeof *apart.cell);
	for (lr_state s = 0; s < lr->n_states; s++) reduction[s] = take_reduction(lr, s, &apart);
	const struct packed_table actions = pack_table(&out->arena, &apart, lr->n_states, lr->n_terminals + 1, action_of),
							  gotos = pack_table(&out->arena, &lr->go, lr->n_states, lr->n_nonterminals, go_of);
	m->lr_action = actions.cells, m->info.n_action_cells = actions.n;
	m->lr_goto = gotos.cells, m->info.n_goto_cells = gotos.n;
	struct artifact_lr_state *states = arena_array(&out->arena, lr->n_states, sizeof *states);
	for (lr_state s = 0; s < lr->n_states; s++)
		states[s] =
			(struct artifact_lr_state){lr->context_of[s], t->rank_in_context[s], action_of[s], go_of[s], reduction[s]};
	uint32_t *choice = arena_array(&out->arena, lr->n_choice, sizeof *choice);
	if (lr->n_choice) memcpy(choice, lr->choice, lr->n_choice * sizeof *choice);
	m->choice = choice, m->info.n_choice = lr->n_choice;
	m->lr_states = states;
	m->info.n_lr_states = lr->n_states;
	m->info.max_pushes = most_pushes(lr);
	free(action_of), free(go_of), free(reduction);
	free(apart.at), free(apart.cell);
}

// Edges beside their frames, ascending within a node, so that a search finds them; equal targets are stored once.
// Where edges lead, each once, in the order in which they come up.
struct targets {
	VEC(struct artifact_target) at;
	struct map64 number;
};

static uint64_t target_key(uint32_t tokens, uint32_t next) { return (uint64_t)next << 32 | tokens; }

static uint32_t target_number(struct targets *x, uint32_t tokens, uint32_t next)
{
	const uint64_t key = target_key(tokens, next), known = map64_get(&x->number, key);
	if (known != MAP64_NONE) return (uint32_t)known;
	map64_put(&x->number, key, x->at.n);
	vec_push(&x->at, ((struct artifact_target){tokens, next}));
	return x->at.n - 1;
}

#define EDGES_AHEAD 8u

void pack_automaton(const struct tables *t, struct compiled *out)
{
	struct artifact_image *m = &out->image;
	struct targets known = {0};
	struct artifact_node *nodes = arena_array(&out->arena, t->nodes.n, sizeof *nodes);
	uint16_t *frames = arena_array(&out->arena, t->edges.n, sizeof *frames);
	uint32_t *edges = arena_array(&out->arena, t->edges.n, sizeof *edges);
	for (uint32_t n = 0; n < t->nodes.n; n++) {
		const struct table_node *x = &t->nodes.at[n];
		nodes[n] =
			(struct artifact_node){x->first_edge, x->n_edges, x->skip, target_number(&known, x->tokens, x->next)};
	}
	for (uint32_t e = 0; e < t->edges.n; e++) {
		const struct table_edge *later = &t->edges.at[e + EDGES_AHEAD < t->edges.n ? e + EDGES_AHEAD : e];
		map64_expect(&known.number, target_key(later->tokens, later->next));
		frames[e] = (uint16_t)t->edges.at[e].frame;
		edges[e] = target_number(&known, t->edges.at[e].tokens, t->edges.at[e].next);
	}
	struct artifact_target *targets = arena_array(&out->arena, known.at.n, sizeof *targets);
	memcpy(targets, known.at.at, known.at.n * sizeof *targets);
	m->nodes = nodes, m->edge_frames = frames, m->edges = edges, m->targets = targets;
	m->info.n_nodes = t->nodes.n, m->info.n_edges = t->edges.n, m->info.n_targets = known.at.n;
	vec_release(&known.at);
	map64_release(&known.number);

	m->info.worst_frames = t->worst_frames, m->info.worst_sets = t->worst_sets;
}

typedef VEC(struct lr_cell) lr_cells;

// Start rows on their way into the artifact.
struct start_packer {
	const struct tables *t;
	const uint32_t *n_tops;  // [context]
	uint32_t n_contexts;
	struct intern blocks, live;
	VEC(uint32_t) base_of;  // [block]
	VEC(struct artifact_start) starts;
	struct last_block {  // asked last: neighbours are mostly equal
		uint32_t start, n, base;
	} last;
	uint32_t *bases, *is_live;  // scratch: [live pair of one lexer state], and a bitmap of its contexts
};

// Contexts whose rows are equal share them.
static uint32_t base_in(struct start_packer *p, uint32_t start, uint32_t context)
{
	bool is_new;
	const struct table_start *rows = p->t->starts.at + start;
	const uint32_t n = p->n_tops[context];
	if (n && n == p->last.n && !memcmp(rows, p->t->starts.at + p->last.start, n * sizeof *rows)) return p->last.base;
	const uint32_t block = intern_add(&p->blocks, rows, n * sizeof *rows, &is_new);
	if (is_new) vec_push(&p->base_of, p->starts.n);
	for (uint32_t i = 0; i < n && is_new; i++)
		vec_push(&p->starts, ((struct artifact_start){rows[i].tokens, rows[i].node}));
	p->last = (struct last_block){start, n, p->base_of.at[block]};
	return p->last.base;
}

// Lexer state q: x gets what most contexts have, and in which it is live; the others become its row of `apart`.
static void pack_bases(struct start_packer *p, lex_state q, struct artifact_lex_state *x, lr_cells *apart)
{
	const struct live_pairs *live = &p->t->live;
	const struct live_pair *pair = live->pair.at + live->at[q];
	const uint32_t n = live->at[q + 1] - live->at[q];
	const size_t bytes = (size_t)BITMAP_WORDS(p->n_contexts) * sizeof *p->is_live;
	struct majority most = {.most = ARTIFACT_NONE};
	memset(p->is_live, 0, bytes);
	for (uint32_t i = 0; i < n; i++) {
		p->bases[i] = base_in(p, pair[i].start, pair[i].context);
		p->is_live[pair[i].context / 32] |= 1u << pair[i].context % 32;
		majority_vote(&most, p->bases[i]);
	}
	x->live = intern_add(&p->live, p->is_live, bytes, NULL);
	x->without = p->t->shared.of ? p->t->shared.without[q] : 0;
	x->start_most = most.most;
	for (uint32_t i = 0; i < n; i++)
		if (p->bases[i] != x->start_most) vec_push(apart, ((struct lr_cell){pair[i].context, p->bases[i]}));
}

static void pack_start_base(struct start_packer *p, struct compiled *out)
{
	struct artifact_image *m = &out->image;
	const uint32_t n = m->info.n_lex_states, words = (uint32_t)BITMAP_WORDS(p->n_contexts);
	struct artifact_lex_state *lex = (struct artifact_lex_state *)(uintptr_t)m->lex_states;
	lr_cells apart = {0};
	struct lr_table rows = {.at = mem_calloc((size_t)n + 1, sizeof *rows.at)};
	uint32_t *row_of = mem_calloc(n, sizeof *row_of);
	p->bases = mem_alloc(((size_t)p->n_contexts + 1) * sizeof *p->bases);
	p->is_live = mem_alloc(((size_t)words + 1) * sizeof *p->is_live);
	for (lex_state q = 0; q < n; q++) {
		pack_bases(p, q, &lex[q], &apart);
		rows.at[q + 1] = apart.n;
	}
	rows.cell = apart.at;
	const struct packed_table packed = pack_table(&out->arena, &rows, n, p->n_contexts, row_of);
	for (lex_state q = 0; q < n; q++) lex[q].start_row = row_of[q];
	uint32_t *live = arena_array(&out->arena, (size_t)p->live.entries.n * words, sizeof *live);
	for (uint32_t i = 0; i < p->live.entries.n && words; i++)
		memcpy(live + (size_t)i * words, intern_get(&p->live, i, NULL), words * sizeof *live);
	m->start_base = packed.cells, m->info.n_start_cells = packed.n;
	m->live = live, m->info.n_live = p->live.entries.n;
	free(row_of), free(rows.at), free(p->bases), free(p->is_live);
	vec_release(&apart);
	intern_release(&p->live);
}

// Start rows, one for each lr_state of a context. Rows of lines come last.
void pack_starts(struct tables *t, const struct lr *lr, struct compiled *out)
{
	struct artifact_image *m = &out->image;
	const uint32_t n_contexts = m->info.n_contexts;
	uint32_t *n_tops = mem_calloc(n_contexts, sizeof *n_tops);
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++) n_tops[lr->context_of[s]] += lr->between_lexemes[s];
	struct start_packer p = {.t = t, .n_tops = n_tops, .n_contexts = n_contexts};
	pack_start_base(&p, out);
	const uint32_t first_line = p.starts.n;
	for (uint32_t i = t->lines.columns ? t->lines.first_start : t->starts.n; i < t->starts.n; i++)
		vec_push(&p.starts, ((struct artifact_start){t->starts.at[i].tokens, t->starts.at[i].node}));
	t->lines.first_start = first_line;
	struct artifact_start *all = arena_array(&out->arena, p.starts.n, sizeof *all);
	m->starts = memcpy(all, p.starts.at, p.starts.n * sizeof *all);
	m->info.n_starts = p.starts.n;
	intern_release(&p.blocks);
	vec_release(&p.base_of);
	vec_release(&p.starts);
	free(n_tops);
}

void pack_vocab(const struct vocab *v, struct compiled *out)
{
	struct artifact_image *m = &out->image;
	m->eos = v->eos;
	m->token_offset = v->offset, m->token_bytes = v->bytes;
	m->info.n_tokens = v->n_tokens, m->info.mask_words = (v->n_tokens + 31) / 32;
	m->info.n_eos = v->n_eos, m->info.max_token_len = v->max_token_len;
}
