// One compilation, from a text to an artifact's bytes.
//
// In:  a vocabulary, a text of some kind, options. Out: gcdc_compiled: the artifact's bytes, proved; what was read;
// figures; conflicts. The stages: front end -> grammar, lib/compile -> image, lib/writer -> bytes, the proof (prove.h).
// Cost: that of the stages; what is returned takes the artifact's size and that of the grammar's texts.
#include <sys/stat.h>

#include "../base/file.h"
#include "../base/parallel.h"
#include "../base/trace.h"
#include "../compile/compile.h"
#include "api.h"
#include "prove.h"
#include "provenance.h"
#include "texts.h"
#include "trace_bytes.h"

#define MAX_FIGURES 72u

struct gcdc_compiled {
	struct arena arena;  // all but the bytes
	uint8_t *bytes;
	size_t len;
	gcdc_source *sources;
	size_t n_sources;
	gcdc_figure figures[MAX_FIGURES];
	size_t n_figures;
	struct gcdc_conflict *conflicts;
	size_t n_conflicts;
};

struct compiling {
	struct call call;
	const gcdc_vocab *vocab;
	const gcdc_input *input;
	const gcdc_compile_options *o;
	source_list sources;
	double reading, building, writing;
	struct proof proof;
	struct texts_kept texts;
	struct product_counts product;
	struct trace trace;
	gcdc_compiled *out;
};

// ---- Sources, figures, conflicts

static void keep_sources(struct compiling *x, gcdc_compiled *out)
{
	struct arena *a = &out->arena;
	out->sources = arena_array(a, x->sources.n, sizeof *out->sources);
	for (uint32_t i = 0; i < x->sources.n; i++) {
		const struct source *s = x->sources.at[i];
		out->sources[out->n_sources++] = (gcdc_source){.path = arena_strndup(a, s->path, strlen(s->path)),
		                                               .text = arena_strndup(a, s->text, s->len),
		                                               .len = s->len};
	}
}

static void add_seconds(gcdc_compiled *out, const char *name, double seconds)
{
	ASSERT(out->n_figures < MAX_FIGURES);
	out->figures[out->n_figures++] = (gcdc_figure){.name = name, .is_seconds = true, .seconds = seconds};
}

struct count {
	const char *name;
	uint64_t value;
};

static void add_count(gcdc_compiled *out, const struct count *c, bool is_detail)
{
	ASSERT(out->n_figures < MAX_FIGURES);
	out->figures[out->n_figures++] = (gcdc_figure){.name = c->name, .count = c->value, .is_detail = is_detail};
}

static void keep_figures(const struct compiling *x, const struct compiled *c, gcdc_compiled *out)
{
	const struct artifact_info *i = &c->image.info;
	const struct artifact_cost_info *costs = &c->image.cost_info;
	add_seconds(out, "grammar", x->reading);
	for (int s = 0; s < N_STAGES; s++) add_seconds(out, compile_stage_name[s], c->stats.seconds[s]);
	add_seconds(out, "prove", x->proof.seconds);
	add_seconds(out, "write", x->writing);
	add_seconds(out, "canonical", x->product.seconds);
	add_seconds(out, "total", api_now() - x->call.begin);
	const struct count counts[] = {
		{"tokens", i->n_tokens},
		{"eos", i->n_eos},
		{"terminals", i->n_terminals},
		{"nonterminals", i->n_nonterminals},
		{"productions", i->n_productions},
		{"lr_states_canonical", c->stats.canonical_states},
		{"lr_states", i->n_lr_states},
		{"contexts", i->n_contexts},
		{"lex_states_raw", c->stats.lex_raw_states},
		{"lex_states", i->n_lex_states},
		{"byte_classes", i->n_classes},
		{"obligations", i->n_obligations},
		{"readings_max", i->max_readings},
		{"walk_steps", c->stats.walk_steps},
		{"starts", i->n_starts},
		{"nodes_raw", c->stats.raw_nodes},
		{"nodes", i->n_nodes},
		{"edges", i->n_edges},
		{"edge_targets", i->n_targets},
		{"sets", i->n_sets},
		{"cost_model", costs->model},
		{"compared_arrays", c->image.unique_info.n_terminals},
		{"shared_counters", c->image.counter_info.flags & COUNTERS_SHARED},
		{"cost_flags", costs->flags},
		{"cost_solved", c->stats.cost_solved},
		{"cost_rows", costs->n_rows},
		{"cost_emits", costs->n_emits},
		{"cost_controls", costs->n_controls},
		{"cost_transitions", costs->n_transitions},
		{"cost_lists", costs->n_lists},
		{"cost_steps", costs->n_steps},
		{"sets_dense_rows", i->n_dense},
		{"sets_listed_tokens", i->n_sparse},
		{"artifact_bytes", out->len},
		{"canonical_nodes", x->product.nodes},
		{"canonical_states_reached", x->product.reached},
		{"canonical_states", x->product.states},
		{"canonical_candidates", x->product.candidates},
		{"proof_steps", x->proof.n_steps},
		{"proof_texts", x->proof.n_texts},
		{"proof_closed", x->proof.n_closed},
	};
	const struct count details[] = {
		{"conflicts", c->report.n_conflicts},
		{"conflicts_kept", c->report.n_kept},
		{"conflicts_limited", c->report.n_unproved},
		{"stacks_most", c->report.may_grow ? UINT32_MAX : c->report.most_stacks},
		{"loops_rewritten", c->had_loops},
		{"costs_not_exact", c->stats.gave_up_exact_costs},
		{"costs_far", c->stats.costs_far},
		{"peak_bytes", c->stats.peak_bytes},
		{"lines", i->n_lines},
		{"texts_positions", x->texts.n_positions},
		{"texts_served", x->texts.n_served},
		{"texts_steps", x->texts.n_steps},
		{"texts_summaries", x->texts.n_summaries},
		{"texts_bytes", x->texts.bytes},
	};
	for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) add_count(out, &counts[k], false);
	for (size_t k = 0; k < sizeof details / sizeof *details; k++) add_count(out, &details[k], true);
}

static void keep_conflicts(const struct lr_report *r, gcdc_compiled *out)
{
	struct arena *a = &out->arena;
	out->conflicts = arena_array(a, r->n_conflicts, sizeof *out->conflicts);
	for (uint32_t i = 0; i < r->n_conflicts; i++) {
		const struct lr_conflict *c = &r->conflicts[i];
		gcdc_conflict_way *ways = arena_array(a, c->n_ways, sizeof *ways);
		for (uint32_t k = 0; k < c->n_ways; k++) {
			const struct lr_way *w = &c->ways[k];
			ways[k] = (gcdc_conflict_way){
				.goes_on = w->shifts, .kept = w->kept, .rule = arena_strndup(a, w->text, strlen(w->text)), .path = ""};
			if (!w->loc.source) continue;
			ways[k].path = arena_strndup(a, w->loc.source->path, strlen(w->loc.source->path));
			source_position(w->loc.source, w->loc.offset, &ways[k].line, &ways[k].column);
		}
		out->conflicts[out->n_conflicts++] = (gcdc_conflict){
			.terminal = arena_strndup(a, c->terminal_text, strlen(c->terminal_text)),
			.example = arena_strndup(a, c->example, strlen(c->example)),
			.n_states = c->n_cells,
			.n_kept = c->n_kept,
			.n_ways = c->n_ways,
			.ways = ways,
		};
	}
}

// ---- Stages

static bool read_grammar(struct compiling *x, struct grammar *g)
{
	const gcdc_input *i = x->input;
	const char *why;
	call_phase(&x->call, "options", GCDC_ERR_ARGUMENT);
	call_stage(&x->call, "grammar");
	const struct front_end *f = front_end_of(i, &x->call);
	if (!f) return false;
	if (!i->text) {
		call_phase(&x->call, "file", GCDC_ERR_IO);
		FILE *file = file_open(i->path, &why);
		if (!file) return call_error(&x->call, GCDC_ERR_IO, "%s: %s", i->path, why), false;
		fclose(file);
	}
	call_phase(&x->call, "grammar", GCDC_ERR_GRAMMAR);
	struct arena arena = {0};
	const struct control_tokens control = front_control(&x->vocab->v, &arena);
	const struct front_input in = {
		.input = i, .sources = &x->sources, .control = &control, .spells_out = x->o->canonical != 0};
	bool ok = f->read(&in, &x->call.d, g);
	arena_release(&arena);
	return ok;
}

// What the caller wants to watch; false after an error.
static bool read_trace(struct compiling *x)
{
	char problem[TRACE_PROBLEM];
	x->trace.take = x->o->trace_line;
	x->trace.user = x->o->user;
	if (!x->o->trace || !x->o->trace_line || trace_read(&x->trace, x->o->trace, problem)) return true;
	call_phase(&x->call, "options", GCDC_ERR_ARGUMENT);
	call_error(&x->call, GCDC_ERR_ARGUMENT, "trace: %s", problem);
	return false;
}

static bool tell_stage(enum compile_stage stage, void *compiling)
{
	struct compiling *x = compiling;
	if (atomic_load(&x->call.stage) != compile_stage_name[stage]) call_stage(&x->call, compile_stage_name[stage]);
	return true;
}

static const char *describe(struct compiling *x, struct arena *a)
{
	provenance_list files = {0};
	const char *more = x->o->provenance_options ? x->o->provenance_options : "";
	provenance_grammar(&x->sources, a, &files);
	const char *options = provenance_read_origin(a, x->vocab->origin, &files);
	const char *text = provenance_write(a, &files, arena_printf(a, "%s%s", options, more), artifact_zstd_version());
	vec_release(&files);
	return text;
}

// Of the bytes that the caller gets; without tokens in them, of the same tables with tokens.
static bool prove(struct compiling *x, const struct compiled *c, const uint8_t *bytes, size_t len)
{
	uint8_t *with_vocab = NULL;
	struct diag *d = &x->call.d;
	if (x->o->no_vocab && !artifact_encode(&c->image, &(struct artifact_write_options){.raw = true, .checked = true}, d,
	                                       &with_vocab, &len))
		return false;
	call_phase(&x->call, "grammar", GCDC_ERR_GRAMMAR);
	call_stage(&x->call, "prove");
	const struct prove_options options = {!x->o->no_proof, c->report.n_kept > 0, x->o->threads};
	gcdc_status status = prove_artifact(with_vocab ? with_vocab : bytes, len, &options, d, &x->proof);
	free(with_vocab);
	if (status) x->call.status = status;
	return !status;
}

// What the texts need of masks under a budget becomes a part of the image.
static bool keep_texts(struct compiling *x, struct compiled *c, const struct artifact_write_options *options)
{
	const struct texts_input in = {x->o->texts, x->o->n_texts, x->o->texts_limit, &x->vocab->v, options};
	call_phase(&x->call, "texts", GCDC_ERR_GRAMMAR);
	call_stage(&x->call, "texts");
	gcdc_status status = texts_keep(&in, &c->image, &c->arena, &x->call.d, &x->texts);
	if (status) x->call.status = status;
	return !status;
}

static void encode_and_prove(struct compiling *x, struct compiled *c)
{
	const gcdc_compile_options *o = x->o;
	const struct artifact_write_options options = {.raw = o->raw,
	                                               .no_vocab = o->no_vocab,
	                                               .place_of = x->vocab->v.place_of,
	                                               .n_ranks = x->vocab->v.n_ranks,
	                                               .rows = x->vocab->v.rows,
	                                               .n_rows = x->vocab->v.n_rows,
	                                               .lists = x->vocab->v.lists,
	                                               .n_lists = x->vocab->v.n_lists,
	                                               .standard_check = x->vocab->v.standard_check,
	                                               .level = o->level,
	                                               .threads = o->threads};
	uint8_t *bytes;
	size_t len;
	if (o->n_texts && !keep_texts(x, c, &options)) return;
	call_phase(&x->call, "artifact", GCDC_ERR_INTERNAL);
	call_stage(&x->call, "write");
	double begin = api_now();
	trace_begin(&x->trace);
	if (!artifact_encode(&c->image, &options, &x->call.d, &bytes, &len)) return;
	x->writing = api_now() - begin;
	trace_bytes(&x->trace, bytes, len);
	trace_begin(&x->trace);
	if (!prove(x, c, bytes, len)) {
		free(bytes);
		return;
	}
	if (trace_wants(&x->trace, TRACE_PROVE))
		trace_line(&x->trace, TRACE_PROVE, "%llu random steps, %llu texts, %llu of them closed, %.4f s",
		           (unsigned long long)x->proof.n_steps, (unsigned long long)x->proof.n_texts,
		           (unsigned long long)x->proof.n_closed, trace_seconds(&x->trace));
	gcdc_compiled *out = mem_calloc(1, sizeof *out);
	out->bytes = bytes, out->len = len;
	keep_sources(x, out);
	keep_figures(x, c, out);
	if (o->conflicts) keep_conflicts(&c->report, out);
	x->out = out;
}

static void build(struct compiling *x, const struct grammar *g)
{
	const gcdc_compile_options *o = x->o;
	const gcdc_vocab *v = x->vocab;
	struct artifact_canon info;
	struct canon_section canonical[CANON_SECTIONS];
	struct compiled c;
	struct arena arena = {0};
	memcpy(canonical, v->canonical, sizeof canonical);
	if (o->canonical) {
		memcpy(&info, canonical[0].bytes, sizeof info);
		info.mode = (uint32_t)o->canonical;
		canonical[0].bytes = &info;
	}
	static const enum compile_costs costs[] = {
		[GCDC_COSTS_BEST] = COMPILE_COSTS_EXACT,
		[GCDC_COSTS_ONLY_ALIGNED] = COMPILE_COSTS_ALIGNED,
		[GCDC_COSTS_OFF] = COMPILE_COSTS_OFF,
		[GCDC_COSTS_ALL_EXACT] = COMPILE_COSTS_EXACT,
	};
	const struct compile_options options = {.progress = tell_stage,
	                                        .user = x,
	                                        .deterministic = o->deterministic,
	                                        .canonical = o->canonical ? canonical : NULL,
	                                        .threads = o->threads ? o->threads : 1,
	                                        .trace = &x->trace,
	                                        .costs = costs[o->costs],
	                                        .spell_priced = o->costs == GCDC_COSTS_ALL_EXACT,
	                                        .max_seconds = COMPILE_ANY_SECONDS,
	                                        .max_bytes = COMPILE_ANY_BYTES};
	double begin = api_now();
	if (!compile_image(g, &v->v, &options, &x->call.d, &c)) return;
	x->building = api_now() - begin;
	bool ok = !o->warnings_are_errors || diag_warnings_are_errors(&x->call.d, o->warnings_are_errors);
	if (c.product.product) x->product = product_count(c.product.product);
	if (c.product.problem)
		diag_warning(&x->call.d, (struct loc){0},
		             "%s: hard masks search at run time instead, which takes longer [no-product]", c.product.problem);
	if (ok && o->provenance) c.image.provenance = describe(x, &arena);
	if (ok) encode_and_prove(x, &c);
	arena_release(&arena);
	compile_release(&c);
}

static void run_compile(void *context)
{
	struct compiling *x = context;
	struct grammar g;
	x->sources.at = mem_keep(8 * sizeof *x->sources.at), x->sources.cap = 8;
	trace_begin(&x->trace);
	if (read_trace(x) && read_grammar(x, &g)) {
		x->reading = api_now() - x->call.begin;
		build(x, &g);
		grammar_release(&g);
	}
}

// What only a program can get wrong.
// Branches: one rule for each argument that only a program can get wrong.
static gcdc_status check(const gcdc_vocab *v, const gcdc_input *i, const gcdc_compile_options *o)
{
	if (!v || !i || (!i->text && (i->len || !i->path)) || (i->n_settings && !i->settings)) return GCDC_ERR_ARGUMENT;
	if ((unsigned)o->costs > GCDC_COSTS_ALL_EXACT || (unsigned)o->canonical > GCDC_CANONICAL_HARD || o->level < 0 ||
	    o->level > 19)
		return GCDC_ERR_ARGUMENT;
	if (o->canonical && !v->n_canonical) return GCDC_ERR_CANONICAL;
	for (size_t k = 0; k < o->n_texts; k++)
		if (!o->texts || (!o->texts[k].text && o->texts[k].len) || o->texts[k].len >= UINT32_MAX)
			return GCDC_ERR_ARGUMENT;
	return o->provenance && !v->origin ? GCDC_ERR_ARGUMENT : GCDC_OK;
}

gcdc_status gcdc_compile(const gcdc_vocab *vocab, const gcdc_input *input, const gcdc_compile_options *options,
                         gcdc_compiled **compiled, gcdc_diagnostics **diagnostics)
{
	static const gcdc_compile_options defaults;
	struct compiling x = {.vocab = vocab, .input = input, .o = options ? options : &defaults};
	if (compiled) *compiled = NULL;
	if (diagnostics) *diagnostics = NULL;
	gcdc_status status = compiled ? check(vocab, input, x.o) : GCDC_ERR_ARGUMENT;
	if (status) return status;
	const struct call_limits limits = {.max_seconds = x.o->max_seconds,
	                                   .max_memory = x.o->max_memory,
	                                   .cancel = x.o->cancel,
	                                   .progress = x.o->progress,
	                                   .user = x.o->user};
	status = call_run(&x.call, &limits, run_compile, &x);
	if (status) x.out = NULL;  // freed
	status = call_end(&x.call, status, diagnostics);
	vec_release(&x.sources);  // kept: also when the work is given up
	if (status)
		gcdc_compiled_free(x.out);
	else
		*compiled = x.out;
	return status;
}

void gcdc_compiled_free(gcdc_compiled *c)
{
	if (!c) return;
	arena_release(&c->arena);
	free(c->bytes);
	free(c);
}

const void *gcdc_compiled_bytes(const gcdc_compiled *c, size_t *len)
{
	*len = c->len;
	return c->bytes;
}

struct writing {
	struct call call;
	const gcdc_compiled *c;
	const char *path;
};

static void run_write(void *context)
{
	struct writing *x = context;
	call_phase(&x->call, "file", GCDC_ERR_IO);
	(void)file_replace(x->path, x->c->bytes, x->c->len, &x->call.d);
}

gcdc_status gcdc_compiled_write(const gcdc_compiled *compiled, const char *path, gcdc_diagnostics **diagnostics)
{
	struct writing x = {.c = compiled, .path = path};
	if (diagnostics) *diagnostics = NULL;
	if (!compiled || !path) return GCDC_ERR_ARGUMENT;
	gcdc_status status = call_run(&x.call, &(struct call_limits){0}, run_write, &x);
	return call_end(&x.call, status, diagnostics);
}

bool gcdc_compiled_source(const gcdc_compiled *c, size_t i, gcdc_source *source)
{
	if (i >= c->n_sources) return false;
	*source = c->sources[i];
	return true;
}

bool gcdc_compiled_figure(const gcdc_compiled *c, size_t i, gcdc_figure *figure)
{
	if (i >= c->n_figures) return false;
	*figure = c->figures[i];
	return true;
}

bool gcdc_compiled_conflict(const gcdc_compiled *c, size_t i, gcdc_conflict *conflict)
{
	if (i >= c->n_conflicts) return false;
	*conflict = c->conflicts[i];
	return true;
}
