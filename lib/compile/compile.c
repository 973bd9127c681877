// The whole compiler in one screen: each stage takes what the one before made.
//
// In:  grammar, vocabulary. Out: artifact image. A stage that fails has said why in `d`.
#include "compile.h"

#include <time.h>

#include "../lexer/lexer.h"
#include "../lr/lr.h"
#include "../regex/regex.h"
#include "../tables/tables.h"
#include "counted.h"
#include "glued.h"
#include "pack.h"
#include "parts.h"
#include "spelled.h"
#include "trace_stages.h"

static_assert((int)COMPILE_COSTS_EXACT == (int)COSTS_EXACT && (int)COMPILE_COSTS_ALIGNED == (int)COSTS_ALIGNED,
              "one order");

const char *const compile_stage_name[N_STAGES] = {"parser", "terminals", "lexer", "tables", "pack"};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct run {
	const struct grammar *g;
	const struct vocab *v;
	const struct compile_options *o;
	struct diag *d;
	struct compiled *out;
	_Atomic int stage;
	double since;
	bool ok;
};

static bool go_on(void *context)
{
	struct run *r = context;
	int stage = r->stage;
	return stage == N_STAGES || !r->o || !r->o->progress || r->o->progress((enum compile_stage)stage, r->o->user);
}

static void enter(struct run *r, enum compile_stage stage)
{
	double t = now();
	if (r->since != 0) r->out->stats.seconds[r->stage] += t - r->since;
	r->stage = (int)stage;
	r->since = t;
	work_stage(stage < N_STAGES ? compile_stage_name[stage] : NULL);
	if (!go_on(r)) work_cancel();
}

// What else may help when a stage takes too much.
static const char *advice(int stage)
{
	switch (stage) {
	case STAGE_PARSER:
		return "states of the parser multiply where rules repeat others a bounded number of times, or where many rules "
			   "differ "
			   "in what may follow them: lower such bounds, or write the parts that do not nest as terminals";
	case STAGE_TERMINALS: return "lower the bounds of the terminal's repetitions, or simplify its alternatives";
	case STAGE_LEXER:
		return "terminals with large bounds that compete at one place multiply: lower the bounds, or make the "
			   "terminals differ in how they begin";
	case STAGE_TABLES:
		return "tables grow with bounded repetitions in terminals and with conflicts (gcdc compile --report lists "
			   "them): lower "
			   "the bounds, or resolve the conflicts; --budget off takes less";
	default: return NULL;
	}
}

static bool reads_token_ends(const struct grammar *g)
{
	bool reads = false;
	for (terminal_id t = 0; t < g->n_terminals; t++) reads |= term_reads_token_ends(g->terminals[t].pattern);
	return reads;
}

// A terminal of a grammar that counts tokens.
static bool pass_token_ends(const struct terminal *t, struct arena *arena, struct diag *d, struct byte_dfa *dfa)
{
	if (dfa->after.n_states || dfa->before.n_states) {
		diag_error(
			d, t->loc,
			"terminal '%s' has a lookahead or a lookbehind, and the grammar counts tokens: both together are not "
			"supported. Write the text that must stand beside it into the rules",
			grammar_show_terminal(t, diag_arena(d)));
		return false;
	}
	if (!term_reads_token_ends(t->pattern)) regex_pass_token_ends(dfa, arena);
	return true;
}

// All terminals are tried, so that all their errors are told. Those that `plan` counts cannot fail: they are the plan's
// as they are the grammar's. False without a message: a counted one is not as it was expected to be.
static bool compile_terminals(const struct grammar *g, struct regex_cache *cache, const struct counted_plan *plan,
                              struct arena *arena, struct diag *d, struct byte_dfa *dfa)
{
	bool ok = true;
	const bool ends = reads_token_ends(g);
	for (terminal_id t = 0; t < g->n_terminals; t++)
		if (g->terminals[t].pattern) {
			work_on("terminal", grammar_show_terminal(&g->terminals[t], arena), g->terminals[t].loc);
			const bool counts = plan && (plan[t].most || plan[t].is_shared);
			struct regex_count count = {0};
			if (counts) count = (struct regex_count){plan[t].place, plan[t].most, plan[t].is_shared};
			bool good = counts ? regex_compile_counted(&g->terminals[t], cache, count, arena, d, &dfa[t])
			                   : regex_compile_cached(&g->terminals[t], cache, arena, d, &dfa[t]);
			if (good && g->terminals[t].among_control && (dfa[t].after.n_states || dfa[t].before.n_states)) {
				diag_error(d, g->terminals[t].loc,
				           "terminal '%s' has a lookahead or a lookbehind, and the grammar names control tokens: both "
				           "together are not supported. Write the text that must stand beside it into the rules",
				           grammar_show_terminal(&g->terminals[t], diag_arena(d)));
				good = false;
			}
			if (good && ends) good = pass_token_ends(&g->terminals[t], arena, d, &dfa[t]);
			ok &= good;
		}
	return ok;
}

// The stages behind know states, not terminals: which one is the likeliest to blame?
static void name_largest(const struct grammar *g, const struct byte_dfa *dfa)
{
	terminal_id most = 0;
	for (terminal_id t = 0; t < g->n_terminals; t++)
		if (dfa[t].n_states > dfa[most].n_states) most = t;
	if (g->n_terminals) work_on("largest terminal", g->terminals[most].name, g->terminals[most].loc);
}

// Which contexts can the stack be in once a terminal is on it?
static struct lexer_context_map map_contexts(const struct grammar *g, const struct lr *lr, struct arena *arena)
{
	struct lexer_context_map m = {.n_contexts = lr->n_contexts,
	                              .context_words = lr->context_words,
	                              .after_words = BITS_WORDS(lr->n_contexts),
	                              .takes_also = true,
	                              .initial = lr->context_of[LR_BOTTOM]};
	bits *after = arena_array(arena, (size_t)g->n_terminals * m.after_words + 1, sizeof *after);
	for (terminal_id t = 0; t < g->n_terminals; t++) {
		bits *row = after + (size_t)t * m.after_words;
		for (lr_state s = LR_BOTTOM; s < lr->n_states && g->terminals[t].is_ignored; s++)
			if (lr->between_lexemes[s]) bits_set(row, lr->context_of[s]);
		for (uint32_t i = lr->step_at[t]; i < lr->step_at[t + 1]; i++) {
			const struct lr_step x = lr->step[i];
			const lr_state to = x.action == ACTION_SKIP ? x.from : x.action / 2;
			if (lr->between_lexemes[to]) bits_set(row, lr->context_of[to]);
		}
	}
	// Indents and dedents have no text: what they leave on top is what a lexeme behind the newline begins with.
	if (g->indentation.on) {
		bits *newline = after + (size_t)g->indentation.newline * m.after_words;
		bits_union(newline, after + (size_t)g->indentation.indent * m.after_words, m.after_words);
		bits_union(newline, after + (size_t)g->indentation.dedent * m.after_words, m.after_words);
	}
	m.after = after;
	return m;
}

// One regular expression in hard mode: its dead ends go into the artifact. Any other grammar is left as it is.
static void add_dead_ends(const struct vocab *v, struct compiled *out)
{
	struct artifact_image *m = &out->image;
	const struct artifact_canon *canon = m->canonical[0].bytes;
	if (canon->mode != CANON_HARD || m->info.n_terminals != 1) return;
	const struct regex_parts parts = {&m->info, m->productions, m->terminals, m->lex_states, m->lex_next};
	regex_product_build(&parts, m->canonical, v, &out->product);
	if (out->product.product) m->n_regex = product_sections(out->product.product, out->regex), m->regex = out->regex;
}

// [terminal * 256] bytes with which something can begin behind it.
static uint8_t *bytes_behind(const struct grammar *g, const struct lexer_context_map *m, const bits *competing,
                             const struct byte_dfa *dfa, struct arena *arena)
{
	uint8_t *first = mem_calloc((size_t)m->n_contexts * 256 + 1, 1),
			*behind = arena_array(arena, (size_t)g->n_terminals * 256 + 1, 1);
	for (terminal_id t = 0; t < g->n_terminals; t++)
		for (int b = 0; b < 256 && dfa[t].n_states; b++) {
			bool begins = dfa[t].before.n_states != 0;  // may begin in any of its states
			begins |= dfa_step(&dfa[t], 0, (uint8_t)b) != DFA_DEAD;
			for (uint32_t c = 0; c < m->n_contexts && begins; c++)
				first[c * 256 + (uint32_t)b] |=
					g->terminals[t].is_ignored || bits_test(competing + (size_t)c * m->context_words, t);
		}
	for (terminal_id t = 0; t < g->n_terminals; t++) {
		const bits *after = m->after + (size_t)t * m->after_words;
		for (uint32_t c = bits_next(after, m->after_words, 0); c != UINT32_MAX;
		     c = bits_next(after, m->after_words, c + 1))
			for (int b = 0; b < 256; b++) behind[t * 256 + (uint32_t)b] |= first[c * 256 + (uint32_t)b];
	}
	free(first);
	return behind;
}

// The control tokens and their names, into the image.
static void pack_control(const struct vocab *v, const control_ids *ids, struct compiled *out)
{
	VEC(char) names = {0};
	for (uint32_t i = 0, k = 0; i < ids->n; i++) {
		while (k < v->n_added && v->added[k].id < ids->at[i]) k++;
		const char *name = k < v->n_added && v->added[k].id == ids->at[i] ? v->added[k].name : NULL;
		for (const char *c = name ? name : ""; *c; c++) vec_push(&names, *c);
		vec_push(&names, 0);
	}
	struct artifact_image *m = &out->image;
	m->control_info = (struct artifact_control){.n_tokens = ids->n, .n_names = names.n};
	m->control_tokens = memcpy(arena_array(&out->arena, ids->n, sizeof *ids->at), ids->at, ids->n * sizeof *ids->at);
	m->control_names = memcpy(arena_alloc(&out->arena, names.n), names.at, names.n);
	vec_release(&names);
}

static bool may_count_tokens(const struct run *run)
{
	const bool has_columns = run->g->indentation.on;
	if (!has_columns && !(run->o && run->o->canonical)) return true;
	terminal_id counted = 0;
	while (!term_reads_token_ends(run->g->terminals[counted].pattern)) counted++;
	diag_error(run->d, grammar_terminal_loc(run->g, counted), "the grammar counts tokens, which %s not take: %s",
	           has_columns ? "columns of lines (%indent) do" : "canonical modes do",
	           has_columns ? "bound its characters with max_chars" : "compile without --canonical");
	return false;
}

// Those that the grammar names; *v becomes the vocabulary in which they are spelled. False after an error.
// Branches: a named token may end texts or be missing; then what is spelled, control tokens or the ends of all.
static bool take_control(const struct run *run, struct arena *arena, const struct vocab **v)
{
	control_ids ids = {0};
	grammar_control(run->g, &ids);
	const bool ends = reads_token_ends(run->g);
	bool ok = !ends || may_count_tokens(run);
	if (run->o && run->o->canonical) ok = canonical_control(run->o->canonical, run->v, run->g, &ids, run->d) && ok;
	for (uint32_t i = 0; i < ids.n && ok; i++) {
		bool is_eos = false;
		for (uint32_t e = 0; e < run->v->n_eos; e++) is_eos |= run->v->eos[e] == ids.at[i];
		if (ids.at[i] < run->v->n_tokens && !is_eos) continue;
		diag_error(run->d, grammar_control_loc(run->g, ids.at[i]), "the grammar names token %u, which %s", ids.at[i],
		           is_eos ? "ends the text (EOS): no rule names it, it comes behind whole texts by itself"
		                  : "the vocabulary does not have: give the tokenizer that the grammar was written for");
		ok = false;
	}
	if (ok && (ids.n || ends)) {
		struct vocab *spelled = arena_alloc(arena, sizeof *spelled);
		vocab_with_control(run->v, ids.at, ids.n, ends, spelled);
		*v = spelled;
		if (ids.n) pack_control(run->v, &ids, run->out);
		if (ends) run->out->image.info.flags |= INFO_TOKEN_ENDS;
	}
	vec_release(&ids);
	return ok;
}

// What the stages hand on to one another.
struct stages {
	struct run *run;
	const struct vocab *v;  // the run's, or with control tokens spelled
	struct trace *trace;
	struct grammar plain;  // without endless reductions
	struct arena arena;
	struct lr lr;
	struct lexer lexer;
	struct tables tables;
	struct byte_dfa *dfa;
	enum { COUNT_SHARED, COUNT_SHARED_AFTER_LITERALS, COUNT_EARLY, COUNT_AFTER_LITERALS, COUNT_NOTHING } count;
	uint32_t threads;
	uint32_t share_from;
	bits *by_number;            // [n_terminals] strings whose prices depend on the number: their states are spelled out
	struct counted_plan *plan;  // [n_terminals]
	bool has_warned, has_uniques;
};

// Are items of arrays compared at run time? False: the matcher cannot do that beside what else it has to.
static bool take_uniques(struct stages *x)
{
	const struct grammar *g = x->run->g;
	const struct compile_options *o = x->run->o;
	terminal_id t = 0;
	while (t < g->n_terminals && !g->terminals[t].opens_unique) t++;
	x->has_uniques = t < g->n_terminals;
	const char *beside = o && o->canonical                                 ? "canonical modes"
	                     : g->indentation.on                               ? "indentation"
	                     : x->lr.n_choice                                  ? "kept conflicts"
	                     : x->run->out->image.info.flags & INFO_TOKEN_ENDS ? "texts of so many tokens"
	                                                                       : NULL;
	if (!x->has_uniques || !beside) return true;
	diag_error(x->run->d, grammar_terminal_loc(g, t),
	           "items of uniqueItems arrays are compared at run time, which does not go together with %s yet: compile "
	           "the schema with --allow-unenforced uniqueItems",
	           beside);
	return false;
}

static bool make_parser(struct stages *x)
{
	struct run *run = x->run;
	const struct lr_options options = {.deterministic = run->o && run->o->deterministic,
	                                   .report = &run->out->report,
	                                   .report_arena = &run->out->arena,
	                                   .made = run->g->parser};
	enter(run, STAGE_PARSER);
	x->plain = *run->g;
	x->plain.arena = (struct arena){0};
	trace_grammar(x->trace, run->g);
	trace_begin(x->trace);
	if (!grammar_remove_loops(&x->plain, run->d, &run->out->had_loops) ||
	    !lr_build(&x->plain, &options, &x->arena, run->d, &x->lr))
		return false;
	ASSERT(!lr_check(&x->lr));
	trace_lr(x->trace, &x->plain, &x->lr, &run->out->report);
	return true;
}

static bool make_terminals(struct stages *x)
{
	enter(x->run, STAGE_TERMINALS);
	trace_begin(x->trace);
	struct regex_cache *cache = regex_cache_new();
	bool ok = false;
	struct counted_plan *plan = x->plan = arena_array(&x->arena, x->plain.n_terminals + (size_t)1, sizeof *plan);
	const bool is_early = x->count == COUNT_SHARED || x->count == COUNT_EARLY,
			   may_share = x->count < COUNT_EARLY && !x->lr.n_choice;
	const struct counted_room room = {.first = is_early ? 1 : counted_after_literals(&x->plain),
	                                  .keep = x->v->max_token_len + COUNTED_KEPT,
	                                  .shared_states = x->share_from,
	                                  .shared = may_share ? x->v : NULL,
	                                  .spelled = x->by_number};
	if (x->count != COUNT_NOTHING && counted_plan(&x->plain, cache, room, plan)) {
		struct diag silent = {0};
		ok = compile_terminals(&x->plain, cache, plan, &x->arena, &silent, x->dfa);
		diag_release(&silent);
	} else
		x->count = COUNT_NOTHING;
	if (!ok) x->count = COUNT_NOTHING;
	if (!ok) ok = compile_terminals(&x->plain, cache, NULL, &x->arena, x->run->d, x->dfa);
	regex_cache_free(cache);
	if (!ok) return false;
	trace_terminals(x->trace, &x->plain, x->dfa);
	return true;
}

// Do strings share states where texts have several readings? A mask leaves tokens out for one reading.
static bool shares_beside_others(const struct stages *x)
{
	return x->lexer.counters.shares && (x->lr.n_choice || x->lexer.max_readings > 1);
}

static bool make_lexer(struct stages *x)
{
	const struct grammar *g = &x->plain;
	const struct byte_dfa *dfa = x->dfa;
	struct lr *lr = &x->lr;
	struct diag *d = x->run->d;
	struct arena *arena = &x->arena;
	enter(x->run, STAGE_LEXER);
	trace_begin(x->trace);
	name_largest(g, dfa);
	const bits *competing = lexer_words(g, dfa, lr->context, lr->n_contexts, lr->context_words, arena);
	struct lexer_context_map contexts = map_contexts(g, lr, arena);
	const uint8_t *behind = bytes_behind(g, &contexts, competing, dfa, arena);
	if (has_scannerless_parts(g) && !parts_are_told(g, lr, dfa, competing, behind, d)) return false;
	const bits *preempted_by = lexer_preempted_by(g, dfa, behind, arena);
	contexts.context = lexer_widened(g, dfa, (struct lexer_contexts){competing, lr->n_contexts, lr->context_words},
	                                 preempted_by, arena);
	if (!lexer_build(g, dfa, &contexts, arena, d, &x->lexer)) return false;
	x->lexer.counters.clash |= shares_beside_others(x);
	x->lexer.counters.clash |= !counted_begin_short(&x->lexer, x->v, x->plan);
	if (x->lexer.counters.clash) return true;  // made again
	if (!x->has_warned) {
		warn_glued(g, lr, dfa, competing, d);
		warn_unspelled(g, dfa, x->v, d);
		x->has_warned = true;
	}
	trace_lexer(x->trace, g, &x->lexer);
	return true;
}

// Such a string shares its states all the same, since it would have too many: then there are no prices at all.
static bool shares_by_number(const struct stages *x)
{
	bool shares = false;
	for (terminal_id t = 0; t < x->plain.n_terminals && x->lexer.counters.shares; t++)
		shares |= x->plan[t].is_shared && bits_test(x->by_number, t);
	return shares;
}

static bool make_tables(struct stages *x)
{
	const struct compile_options *o = x->run->o;
	enter(x->run, STAGE_TABLES);
	trace_begin(x->trace);
	name_largest(&x->plain, x->dfa);
	const struct artifact_canon *canon = o && o->canonical ? o->canonical[0].bytes : NULL;
	const struct tables_options how = {
		.n_threads = x->threads,
		.costs = o && !x->has_uniques && !shares_by_number(x) ? (enum cost_model)o->costs : COSTS_OFF,
		.joins = (canon && canon->mode == CANON_HARD) || (o && o->joined_costs),  // its searches count on prices
		.is_schema = x->run->g->unenforced,
		.may_share = !(o && o->canonical) && !x->lr.n_choice && x->lexer.max_readings == 1,
		.max_column = o ? o->max_column : 0};
	if (!tables_build(&x->lexer, &x->lr, x->v, &how, x->run->d, &x->tables)) return false;
	trace_tables(x->trace, &x->lexer, &x->lr, x->v, &x->tables);
	trace_costs(x->trace, &x->plain, &x->tables);
	return true;
}

// Strings whose prices depend on the number, some of which were not known to be so.
static bool add_by_number(struct stages *x)
{
	const bits *found = x->tables.costs.model == COSTS_OFF ? NULL : x->tables.costs.rows.by_number;
	bool any = false;
	for (terminal_id t = 0; found && t < x->plain.n_terminals; t++) {
		if (!bits_test(found, t)) continue;
		any |= !bits_test(x->by_number, t);
		bits_set(x->by_number, t);
	}
	return any;
}

// Is what was made of counted repetitions right?
static bool counts_hold(const struct stages *x)
{
	return counted_prices_hold(&x->lexer, x->tables.costs.rows.of_state, x->v->max_token_len);
}

static void add_canonical(struct stages *x)
{
	struct compiled *out = x->run->out;
	const struct compile_options *o = x->run->o;
	trace_begin(x->trace);
	if (o && o->canonical) {
		out->image.canonical = o->canonical, out->image.n_canonical = CANON_SECTIONS;
		pack_canonical(x->v, out);
		add_dead_ends(x->v, out);
		const struct artifact_canon *info = o->canonical[0].bytes;
		if (info->mode == CANON_HARD) pack_bound(&x->lexer, &x->lr, &x->tables, x->v, out);
	}
	trace_canonical(x->trace, out);
}

static void pack(struct stages *x)
{
	const struct grammar *g = &x->plain;
	struct compiled *out = x->run->out;
	struct tables *tables = &x->tables;
	enter(x->run, STAGE_PACK);
	memcpy(out->image.grammar_hash, g->hash, sizeof g->hash);
	memcpy(out->image.vocab_hash, x->v->hash, sizeof x->v->hash);
	out->image.unenforced = g->unenforced, out->image.n_unenforced = g->n_unenforced;
	if (tables->budget_steps.start && !(x->run->o && x->run->o->keep_groups)) cost_groups_drop(&tables->costs.groups);
	pack_names(g, out);
	pack_lexer(&x->lexer, &x->lr, out);
	pack_lr(&x->lr, tables, out);
	pack_sets(tables, &x->lexer, &x->lr, x->v, x->threads, out);
	pack_automaton(tables, out);
	pack_starts(tables, &x->lr, out);
	pack_lines(tables, out);  // starts have their places now
	pack_vocab(x->run->v, out);
	if (x->v->max_token_len > out->image.info.max_token_len) out->image.info.max_token_len = x->v->max_token_len;
	add_canonical(x);
	pack_costs(&tables->costs, &x->lexer, &x->lr, out);
	pack_steps(&tables->budget_steps, x->lexer.n_states, out);
	out->stats.canonical_states = x->lr.n_canonical;
	out->stats.lex_raw_states = x->lexer.n_raw_states;
	out->stats.raw_nodes = tables->n_raw_nodes;
	out->stats.walk_steps = tables->walk_steps;
	out->stats.cost_solved = tables->costs.n_transitions;
	out->stats.gave_up_exact_costs = tables->costs.gave_up_exact;
	out->stats.costs_far = tables->costs.is_far;
	tables_release(tables);
}

// Branches: the stages follow each other until one fails, and are tried again with fewer counters where these clash.
static void run_stages(void *context)
{
	struct run *run = context;
	const struct compile_options *o = run->o;
	struct stages x = {
		.run = run, .v = run->v, .trace = o ? o->trace : NULL, .threads = o && o->threads ? o->threads : 1};
	x.dfa = arena_array(&x.arena, run->g->n_terminals, sizeof *x.dfa);
	bool ok = take_control(run, &x.arena, &x.v);
	ok = make_parser(&x) && ok;
	ok = ok && take_uniques(&x);
	x.share_from = o && o->share_from ? o->share_from : COUNTED_FREE;
	x.by_number = arena_array(&x.arena, BITS_WORDS(x.plain.n_terminals) + (size_t)1, sizeof *x.by_number);
	if (o && o->spell_priced && o->costs != COMPILE_COSTS_OFF && !x.has_uniques)
		for (terminal_id t = 0; t < x.plain.n_terminals; t++) bits_set(x.by_number, t);
	// All terminals are tried in any case, so that all errors are told.
	const bool may_count = !(o && (o->canonical || o->spell_out)) && !run->g->indentation.on &&
	                       !reads_token_ends(run->g) && !has_scannerless_parts(run->g);
	for (uint32_t attempt = may_count ? 0 : COUNT_NOTHING; attempt <= COUNT_NOTHING; attempt++) {
		bool by_number = false;
		x.count = attempt;
		bool made = make_terminals(&x);
		ok = made && ok && make_lexer(&x);
		if (!ok ||
		    (!x.lexer.counters.clash && (ok = make_tables(&x)) && !(by_number = add_by_number(&x)) && counts_hold(&x)))
			break;
		tables_release(&x.tables);
		attempt -= by_number;
		if (attempt == COUNT_SHARED && !x.lexer.counters.shares) attempt = COUNT_EARLY;
		if (attempt == COUNT_SHARED && shares_beside_others(&x)) attempt = COUNT_SHARED_AFTER_LITERALS;
	}
	if (ok) pack(&x);
	enter(run, N_STAGES);
	if (x.v != run->v) vocab_release((struct vocab *)(uintptr_t)x.v);
	arena_release(&x.plain.arena);
	arena_release(&x.arena);
	run->ok = ok;
}

bool compile_image(const struct grammar *g, const struct vocab *v, const struct compile_options *o, struct diag *d,
                   struct compiled *out)
{
	struct run run = {.g = g, .v = v, .o = o, .d = d, .out = out};
	const struct work_limits limits = {.max_bytes = o && o->max_bytes ? o->max_bytes : COMPILE_MAX_BYTES,
	                                   .max_seconds = o && o->max_seconds > 0 ? o->max_seconds : COMPILE_MAX_SECONDS,
	                                   .go_on = go_on,
	                                   .user = &run};
	struct work_result r;
	*out = (struct compiled){0};
	bool done = work_run(&limits, run_stages, &run, &r);
	if (!done) {
		*out = (struct compiled){0};  // what it held is freed
		diag_given_up(d, &r, advice(run.stage));
		return false;
	}
	if (run.ok)
		out->stats.peak_bytes = r.peak_bytes;
	else
		compile_release(out);
	return run.ok;
}

void compile_release(struct compiled *c)
{
	regex_product_release(&c->product);
	arena_release(&c->arena);
	*c = (struct compiled){0};
}
