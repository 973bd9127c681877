// What each stage of the compiler tells of what it made, when somebody watches (base/trace.h).
//
// In:  what a stage returned.  Out: lines: counts, sizes, seconds of CPU; entries one by one where asked for.
// Numbers are those of gcdc inspect, but for nodes of the stack automaton and token sets, which get theirs later.
// Cost: none when nobody watches; else linear in what is told.
#include "trace_stages.h"

#include "../base/text_show.h"

// For "%u token%s".
#define COUNT(n) (n), (n) == 1 ? "" : "s"

// A terminal as a person would write it: literals without a name of their own as their text.
static void tell_name(const struct grammar *g, terminal_id t, FILE *out)
{
	if (t >= g->n_terminals)
		fputs("$end", out);
	else if (g->terminals[t].is_literal && strncmp(g->terminals[t].name, "__", 2) == 0)
		grammar_print_pattern(g->terminals[t].pattern, out);
	else
		fputs(g->terminals[t].name, out);
}

static double kib(size_t bytes) { return (double)bytes / 1024; }

// ---- The grammar as it was read

static void tell_terminal(struct trace *t, const struct grammar *g, terminal_id a)
{
	const struct terminal *x = &g->terminals[a];
	struct trace_text text;
	FILE *out = trace_text_begin(&text);
	if (!out) return;
	fprintf(out, "  %s%s%s: ", x->name, x->is_ignored ? ", ignored" : "", x->is_literal ? ", a literal" : "");
	if (x->pattern)
		grammar_print_pattern(x->pattern, out);
	else
		fputs("no text", out);
	trace_text_end(&text, t, TRACE_GRAMMAR);
}

static void tell_production(struct trace *t, const struct grammar *g, uint32_t p)
{
	const struct production *x = &g->productions[p];
	struct trace_text text;
	FILE *out = trace_text_begin(&text);
	if (!out) return;
	fprintf(out, "  %u %s:", p, g->nonterminals[x->lhs].name);
	for (uint32_t i = 0; i < x->n_rhs; i++) fprintf(out, " %s", grammar_symbol_name(g, x->rhs[i]));
	trace_text_end(&text, t, TRACE_GRAMMAR);
}

void trace_grammar(struct trace *t, const struct grammar *g)
{
	if (!trace_wants(t, TRACE_GRAMMAR)) return;
	trace_line(t, TRACE_GRAMMAR, "%u terminal%s, %u nonterminal%s, %u production%s, %.4f s", COUNT(g->n_terminals),
	           COUNT(g->n_nonterminals), COUNT(g->n_productions), trace_seconds(t));
	uint32_t most = trace_most(t, TRACE_GRAMMAR_TERMINALS);
	for (terminal_id a = 0; a < g->n_terminals && a < most; a++) tell_terminal(t, g, a);
	trace_rest(t, TRACE_GRAMMAR_TERMINALS, g->n_terminals);
	most = trace_most(t, TRACE_GRAMMAR_PRODUCTIONS);
	for (uint32_t p = 0; p < g->n_productions && p < most; p++) tell_production(t, g, p);
	trace_rest(t, TRACE_GRAMMAR_PRODUCTIONS, g->n_productions);
}

// ---- The parser

static void tell_action(const struct grammar *g, FILE *out, uint32_t action)
{
	if (action == ACTION_SKIP)
		fputs("ignored", out);
	else if (action == ACTION_ACCEPT)
		fputs("accept", out);
	else if (ACTION_IS_SHIFT(action))
		fprintf(out, "go to %u", action / 2);
	else
		fprintf(out, "reduce %s/%u", g->nonterminals[g->productions[action / 2 - 1].lhs].name,
		        g->productions[action / 2 - 1].n_rhs);
}

static void tell_lr_state(struct trace *t, const struct grammar *g, const struct lr *lr, lr_state s)
{
	struct trace_text x;
	FILE *out = trace_text_begin(&x);
	if (!out) return;
	fprintf(out, "  state %u, context %u%s:", s, lr->context_of[s],
	        lr->between_lexemes[s] ? "" : ", amid reductions only");
	const char *between = " ";
	uint32_t n_cells, n;
	const struct lr_cell *cell = lr_row(&lr->action, s, &n_cells);
	for (uint32_t c = 0; c < n_cells; c++) {
		const uint32_t *action = lr_actions_of(lr, &cell[c].to, &n);
		fputs(between, out);
		between = "; ";
		tell_name(g, cell[c].by, out);
		fputs(": ", out);
		for (uint32_t i = 0; i < n; i++) {
			if (i) fputs(" or ", out);
			tell_action(g, out, action[i]);
		}
	}
	trace_text_end(&x, t, TRACE_LR);
}

void trace_lr(struct trace *t, const struct grammar *g, const struct lr *lr, const struct lr_report *r)
{
	if (!trace_wants(t, TRACE_LR)) return;
	trace_line(t, TRACE_LR,
	           "%u state%s (%u before merging), %u context%s, %u production%s, %.1f KiB of actions, %.4f s",
	           COUNT(lr->n_states - 1), lr->n_canonical, COUNT(lr->n_contexts), COUNT(lr->n_productions),
	           kib(lr->action.at[lr->n_states] * sizeof *lr->action.cell), trace_seconds(t));
	trace_line(t, TRACE_LR, "%u conflict%s, %u kept", COUNT(r->n_conflicts), r->n_kept);
	uint32_t most = trace_most(t, TRACE_LR_STATES);
	for (lr_state s = LR_BOTTOM; s < lr->n_states && s - LR_BOTTOM < most; s++) tell_lr_state(t, g, lr, s);
	trace_rest(t, TRACE_LR_STATES, lr->n_states - LR_BOTTOM);
}

// ---- Terminals and the lexer

void trace_terminals(struct trace *t, const struct grammar *g, const struct byte_dfa *dfa)
{
	if (!trace_wants(t, TRACE_TERMINALS)) return;
	uint64_t n = 0;
	for (terminal_id a = 0; a < g->n_terminals; a++) n += dfa[a].n_states;
	trace_line(t, TRACE_TERMINALS, "%u terminal%s, %llu states of their automata, %.4f s", COUNT(g->n_terminals),
	           (unsigned long long)n, trace_seconds(t));
	uint32_t most = trace_most(t, TRACE_TERMINALS_AUTOMATA);
	for (terminal_id a = 0; a < g->n_terminals && a < most; a++)
		trace_line(t, TRACE_TERMINALS, "  %s: %u state%s, %u class%s of bytes, rank %u in ties%s%s%s",
		           g->terminals[a].name, COUNT(dfa[a].n_states), dfa[a].n_classes, dfa[a].n_classes == 1 ? "" : "es",
		           grammar_tie_rank(g, a), g->terminals[a].is_ignored ? ", ignored" : "",
		           dfa[a].follow ? ", looks ahead" : "", dfa[a].before.n_states ? ", looks behind" : "");
	trace_rest(t, TRACE_TERMINALS_AUTOMATA, g->n_terminals);
}

static void tell_ways(const struct grammar *g, const struct lexer *x, const struct lex_info *way, FILE *out)
{
	fputs("ends as ", out);
	tell_name(g, way->terminal, out);
	fprintf(out, ", leaving obligation %u", way->obligation);
	while ((way = lexer_also(x, way))) {
		fputs(", or as ", out);
		tell_name(g, way->terminal, out);
	}
}

static void tell_target(uint32_t to, FILE *out)
{
	if (to & LEX_CUT) fputs(" cut", out);
	if (to & LEX_STATE_MASK) fprintf(out, "%s to %u", to & LEX_CUT ? " or go on" : "", to & LEX_STATE_MASK);
}

// "; a-z to 17; ...; any other cut": targets in the order of their first byte, the one of most bytes last where there
// is no byte that is dead.
static void tell_bytes(const struct lexer *x, lex_state q, FILE *out)
{
	bool done[256] = {false};
	uint32_t other = 0, n_live = 0;
	for (int b = 0; b < 256; b++) n_live += lexer_next(x, q, (uint8_t)b) != 0;
	for (int b = 0; b < 256; b++) {
		uint32_t to = lexer_next(x, q, (uint8_t)b), n = 0;
		if (!to || done[b]) continue;
		bool set[256];
		for (int c = 0; c < 256; c++) {
			set[c] = lexer_next(x, q, (uint8_t)c) == to;
			done[c] |= set[c];
			n += set[c];
		}
		if (n_live == 256 && n > 128) {
			other = to;
			continue;
		}
		fputs("; ", out);
		text_show_byte_set(out, set);
		tell_target(to, out);
	}
	if (!other) return;
	fputs("; any other", out);
	tell_target(other, out);
}

static void tell_lex_state(struct trace *t, const struct grammar *g, const struct lexer *x, lex_state q)
{
	const struct lex_info *i = &x->info[q];
	struct trace_text text;
	FILE *out = trace_text_begin(&text);
	if (!out) return;
	fprintf(out, "  state %u%s: ", q, q == x->initial ? " (the text's beginning)" : "");
	if (i->terminal == UINT32_MAX)
		fputs("no lexeme ends here", out);
	else
		tell_ways(g, x, i, out);
	if (i->flags & LEX_MAY_END) fputs(", so may the text", out);
	if (i->flags & LEX_UNFAILABLE) fputs(", never cut", out);
	if (i->flags & LEX_LINE) fputs(", decides a column", out);
	if (i->flags & LEX_NEWLINE) fputs(", has its last newline", out);
	tell_bytes(x, q, out);
	trace_text_end(&text, t, TRACE_LEXER);
}

void trace_lexer(struct trace *t, const struct grammar *g, const struct lexer *x)
{
	if (!trace_wants(t, TRACE_LEXER)) return;
	trace_line(
		t, TRACE_LEXER,
		"%u state%s (%u before minimising), %u class%s of bytes, %u obligation%s, %u reading%s at most, %.1f KiB of "
		"transitions, %.4f s",
		COUNT(x->n_states - 1), x->n_raw_states, x->n_classes, x->n_classes == 1 ? "" : "es", COUNT(x->n_obligations),
		COUNT(x->max_readings), kib((size_t)x->n_states * x->n_classes * sizeof *x->next), trace_seconds(t));
	uint32_t most = trace_most(t, TRACE_LEXER_STATES);
	for (lex_state q = 1; q < x->n_states && q <= most; q++) tell_lex_state(t, g, x, q);
	trace_rest(t, TRACE_LEXER_STATES, x->n_states - 1);
}

// ---- Tables

struct watched {
	struct trace *t;
	const struct tables *tables;
	uint32_t n_ranks;
};

// Ranks of a set that lie in its part.
static uint32_t count_part(const struct watched *w, uint32_t tokens, uint32_t from, uint32_t to)
{
	uint32_t n, count = 0;
	rank_ranges buffer = {0};
	const struct rank_range *r = tokensets_get(&w->tables->sets, tokens, &buffer, &n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t begin = r[i].from > from ? r[i].from : from, end = r[i].to < to ? r[i].to : to;
		if (begin < end) count += end - begin;
	}
	vec_release(&buffer);
	return count;
}

static void tell_set(const struct watched *w, FILE *out, uint32_t s)
{
	uint32_t n = w->n_ranks, sure = count_part(w, s, 0, n), maybe = count_part(w, s, n + 1, 2 * n + 2);
	fprintf(out, "%u token%s", COUNT(sure));
	if (maybe) fprintf(out, ", %u more that columns decide", maybe);
	if (count_part(w, s, n, n + 1)) fputs(", the text's end", out);
}

static void tell_start(const struct watched *w, lex_state q, lr_state top, const struct table_start *start)
{
	struct trace_text x;
	FILE *out = trace_text_begin(&x);
	if (!out) return;
	fprintf(out, "  lexer state %u, top %u: ", q, top);
	tell_set(w, out, start->tokens);
	if (start->node) fprintf(out, "; node %u reads on", start->node);
	trace_text_end(&x, w->t, TRACE_TABLES);
}

static uint64_t tell_starts(const struct watched *w, const struct lexer *x, const struct lr *lr)
{
	const struct tables *tables = w->tables;
	uint32_t most = trace_most(w->t, TRACE_TABLES_STARTS);
	uint64_t n = 0;
	for (lex_state q = 1; q < x->n_states && most; q++)
		for (lr_state s = LR_BOTTOM; s < lr->n_states; s++) {
			uint32_t base = live_pairs_start(&tables->live, q, lr->context_of[s]);
			if (!lr->between_lexemes[s] || base == LIVE_NO_START) continue;
			if (n++ < most) tell_start(w, q, s, &tables->starts.at[base + tables->rank_in_context[s]]);
		}
	return n;
}

static void tell_node(const struct watched *w, uint32_t number)
{
	const struct table_node *node = &w->tables->nodes.at[number];
	struct trace_text x;
	FILE *out = trace_text_begin(&x);
	if (!out) return;
	fprintf(out, "  node %u reads frame %u below the top:", number, node->skip + 1);
	for (uint32_t i = 0; i < node->n_edges; i++) {
		const struct table_edge *e = &w->tables->edges.at[node->first_edge + i];
		fprintf(out, " parser state %u: ", e->frame);
		tell_set(w, out, e->tokens);
		if (e->next) fprintf(out, ", node %u", e->next);
		fputc(';', out);
	}
	fputs(node->n_edges ? " any other: " : " any: ", out);
	tell_set(w, out, node->tokens);
	if (node->next) fprintf(out, ", node %u", node->next);
	trace_text_end(&x, w->t, TRACE_TABLES);
}

void trace_tables(struct trace *t, const struct lexer *x, const struct lr *lr, const struct vocab *v,
                  const struct tables *tables)
{
	if (!trace_wants(t, TRACE_TABLES)) return;
	const struct watched w = {t, tables, v->n_ranks};
	const uint32_t n_nodes = tables->nodes.n ? tables->nodes.n - 1 : 0;
	trace_line(t, TRACE_TABLES,
	           "%u start%s, %u node%s (the walk found %u; equal ones are one, those that carry a set have copies), "
	           "%u edge%s, %u token set%s, %llu steps of the walk, %.4f s",
	           COUNT(tables->starts.n), COUNT(n_nodes), tables->n_raw_nodes ? tables->n_raw_nodes - 1 : 0,
	           COUNT(tables->edges.n), COUNT(tables->sets.sets.entries.n), (unsigned long long)tables->walk_steps,
	           trace_seconds(t) - tables->costs_seconds);
	trace_rest(t, TRACE_TABLES_STARTS, tell_starts(&w, x, lr));
	uint32_t most = trace_most(t, TRACE_TABLES_NODES);
	for (uint32_t i = 1; i <= n_nodes && i <= most; i++) tell_node(&w, i);
	trace_rest(t, TRACE_TABLES_NODES, n_nodes);
}

// ---- Costs, canonical masks

static void tell_emit(const struct grammar *g, const struct cost_emit *e, FILE *out)
{
	if (e->terminal == COSTS_NONE)
		fputs("the end", out);
	else
		tell_name(g, e->terminal, out);
	fprintf(out, "%s in %u", e->remainder ? " with a remainder" : "", e->weight);
}

static void tell_row(struct trace *t, const struct grammar *g, const struct costs *c, row_id row)
{
	struct trace_text x;
	FILE *out = trace_text_begin(&x);
	if (!out) return;
	uint32_t n;
	const struct cost_emit *e = cost_row(&c->rows, row, &n);
	fprintf(out, "  row %u:", row);
	for (uint32_t i = 0; i < n; i++) {
		fputs(i ? "; " : " ", out);
		tell_emit(g, &e[i], out);
	}
	trace_text_end(&x, t, TRACE_COSTS);
}

void trace_costs(struct trace *t, const struct grammar *g, const struct tables *tables)
{
	const struct costs *c = &tables->costs;
	if (!trace_wants(t, TRACE_COSTS)) return;
	static const char *const model[] = {"no", "aligned", "exact"};
	uint32_t n_rows = c->model ? c->rows.rows.entries.n - 1 : 0;  // row 0 is that of no lexer state
	trace_line(t, TRACE_COSTS, "%s costs%s: %u row%s, %u control%s, %llu transitions, %u list%s, %u step%s, %.4f s",
	           model[c->model], c->gave_up_exact ? " (exact ones were given up)" : "", COUNT(n_rows),
	           COUNT(c->n_controls), (unsigned long long)c->n_transitions, COUNT(c->lists.n), COUNT(c->steps.n),
	           tables->costs_seconds);
	uint32_t most = trace_most(t, TRACE_COSTS_ROWS);
	for (row_id r = 1; r <= n_rows && r <= most; r++) tell_row(t, g, c, r);
	trace_rest(t, TRACE_COSTS_ROWS, n_rows);
}

void trace_canonical(struct trace *t, const struct compiled *c)
{
	if (!trace_wants(t, TRACE_CANONICAL)) return;
	const struct artifact_image *m = &c->image;
	if (!m->n_canonical) {
		trace_line(t, TRACE_CANONICAL, "off");
		return;
	}
	const struct artifact_canon *canon = m->canonical[0].bytes;
	trace_line(t, TRACE_CANONICAL, "%s masks, %u entries of unsettled tokens, %.4f s",
	           canon->mode == CANON_HARD ? "hard" : "soft", m->n_canon_unsettled, trace_seconds(t));
	if (c->product.problem) trace_line(t, TRACE_CANONICAL, "no table of dead ends: %s", c->product.problem);
	if (!c->product.product) return;
	struct product_counts p = product_count(c->product.product);
	trace_line(t, TRACE_CANONICAL, "dead ends: %u nodes, %llu states, %llu candidates", p.nodes,
	           (unsigned long long)p.states, (unsigned long long)p.candidates);
}
