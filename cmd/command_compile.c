// gcdc compile: a Lark grammar and a tokenizer become an artifact.
//
// In:  the grammar's file, the tokenizer's. Out: the artifact, written atomically: a path that held an artifact before
// an error holds it afterwards. On stderr: messages, a line of summary, and progress when it is a terminal.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/parallel.h"
#include "canonical_option.h"
#include "cli.h"
#include "compile/compile.h"
#include "compile_report.h"
#include "depfile.h"
#include "input_digest.h"
#include "json_text.h"
#include "options.h"
#include "api/prove.h"
#include "api/provenance.h"
#include "schema_option.h"
#include "tokenizer_path.h"

struct arguments {
	const char *grammar, *regex, *tokenizer, *out, *start, *indent, *import_path, *expect, *depfile, *budget,
		*canonical, *werror;
	struct token_options eos;
	struct vocab_options vocab;
	struct schema_option schema;
	struct number vocab_size, level, jobs, max_seconds, max_memory;
	bool raw, no_vocab, no_eos, stats, report, deterministic, json, quiet, provenance, no_prove;
};

struct times {
	double grammar, vocab, compile, prove, write, total;
	struct proof proof;
};

// "compiling: lexer" on a terminal, on one line that the end wipes away.
struct progress {
	bool is_shown;
	int stage;
};

static bool show_progress(enum compile_stage stage, void *user)
{
	struct progress *p = user;
	if (p->is_shown && p->stage != (int)stage) fprintf(stderr, "\r\033[Kcompiling: %s", compile_stage_name[stage]);
	p->stage = (int)stage;
	return true;
}

static uint64_t peak_kb(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_maxrss;
}

struct count {
	const char *name;
	uint64_t value;
};

static void print_stats(const struct arguments *a, const struct compiled *c, const struct times *t,
                        const struct product_counts *products, uint64_t size)
{
	const struct artifact_info *i = &c->image.info;
	const struct artifact_cost_info *i_costs = &c->image.cost_info;
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
		{"residues", i->n_residues},
		{"readings_max", i->max_threads},
		{"walk_steps", c->stats.walk_steps},
		{"starts", i->n_starts},
		{"nodes_raw", c->stats.raw_nodes},
		{"nodes", i->n_nodes},
		{"edges", i->n_edges},
		{"edge_targets", i->n_targets},
		{"sets", i->n_sets},
		{"cost_model", i_costs->model},
		{"cost_flags", i_costs->flags},
		{"cost_facts", c->stats.cost_facts},
		{"cost_rows", i_costs->n_rows},
		{"cost_emits", i_costs->n_emits},
		{"cost_questions", i_costs->n_questions},
		{"cost_asks", i_costs->n_asks},
		{"cost_lists", i_costs->n_lists},
		{"cost_steps", i_costs->n_steps},
		{"sets_dense_rows", i->n_dense},
		{"sets_listed_tokens", i->n_sparse},
		{"artifact_bytes", size},
		{"canonical_nodes", products->nodes},
		{"canonical_states_reached", products->reached},
		{"canonical_states", products->states},
		{"canonical_suspects", products->suspects},
		{"canonical_ms", (uint64_t)(products->seconds * 1e3)},
		{"proof_steps", t->proof.n_steps},
		{"proof_texts", t->proof.n_texts},
		{"proof_closed", t->proof.n_closed},
		{"peak_rss_kb", peak_kb()},
	};
	const struct {
		const char *name;
		double seconds;
	} more[] = {{"grammar", t->grammar},
	            {"vocabulary", t->vocab},
	            {"prove", t->prove},
	            {"write", t->write},
	            {"total", t->total}};
	if (a->json) {
		struct json j;
		json_begin(&j, stdout);
		json_object(&j);
		json_key(&j, "ms");
		json_object(&j);
		for (size_t k = 0; k < 2; k++) json_real_entry(&j, more[k].name, more[k].seconds * 1e3);
		for (int s = 0; s < N_STAGES; s++) json_real_entry(&j, compile_stage_name[s], c->stats.seconds[s] * 1e3);
		for (size_t k = 2; k < sizeof more / sizeof *more; k++)
			json_real_entry(&j, more[k].name, more[k].seconds * 1e3);
		json_close(&j);
		for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
			json_uint_entry(&j, counts[k].name, counts[k].value);
		if (a->report) report_json(c, &j);
		json_close(&j);
		json_end(&j);
		return;
	}
	for (size_t k = 0; k < 2; k++) printf("%-20s %12.2f ms\n", more[k].name, more[k].seconds * 1e3);
	for (int s = 0; s < N_STAGES; s++) printf("%-20s %12.2f ms\n", compile_stage_name[s], c->stats.seconds[s] * 1e3);
	for (size_t k = 2; k < sizeof more / sizeof *more; k++)
		printf("%-20s %12.2f ms\n", more[k].name, more[k].seconds * 1e3);
	for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
		printf("%-20s %12llu\n", counts[k].name, (unsigned long long)counts[k].value);
}

static enum compile_costs costs_of(const char *word)
{
	if (!word || strcmp(word, "exact") == 0) return COMPILE_COSTS_EXACT;
	return strcmp(word, "off") == 0 ? COMPILE_COSTS_OFF : COMPILE_COSTS_ALIGNED;
}

static const char *cost_model_name(uint32_t model)
{
	return model == COST_EXACT ? "exact" : model == COST_ALIGNED ? "aligned" : "off";
}

// Of the bytes that will be written; without tokens in them, of the same tables with tokens. Before anything is
// written: the old file stays.
static int prove(const struct arguments *a, const struct compiled *c, const uint8_t *bytes, size_t len, struct times *t,
                 struct diag *d)
{
	uint8_t *with_vocab = NULL;
	if (a->no_vocab && !artifact_encode(&c->image, &(struct artifact_write_options){.raw = true}, d, &with_vocab, &len))
		return CODE_IO;
	int code = cli_status_code(
		prove_artifact(with_vocab ? with_vocab : bytes, len, !a->no_prove, c->report.n_kept > 0, d, &t->proof));
	t->prove = t->proof.seconds;
	free(with_vocab);
	return code;
}

// The bytes of the artifact, proved and written. An exit code.
static int write_proved(const struct arguments *a, const struct compiled *c, struct times *t, struct diag *d)
{
	const struct artifact_write_options options = {
		.raw = a->raw, .no_vocab = a->no_vocab, .level = (int)a->level.value};
	uint8_t *bytes;
	size_t len;
	double begin = cli_seconds();
	if (!artifact_encode(&c->image, &options, d, &bytes, &len)) return CODE_IO;
	t->write = cli_seconds() - begin;
	int code = prove(a, c, bytes, len, t, d);
	begin = cli_seconds();
	if (!code && !file_replace(a->out, bytes, len, d)) code = CODE_IO;
	t->write += cli_seconds() - begin;
	free(bytes);
	return code;
}

// provenance: the text to put in, or NULL.
static int compile_to_file(const struct arguments *a, const struct grammar *g, const struct vocab *v,
                           const char *provenance, const struct canonical_option *canonical, struct times *t,
                           struct diag *d)
{
	struct progress progress = {.is_shown = !a->quiet && isatty(STDERR_FILENO), .stage = -1};
	struct compiled c;
	double begin = cli_seconds();
	bool ok = compile_image(
		g, v,
		&(struct compile_options){.progress = show_progress,
	                              .user = &progress,
	                              .deterministic = a->deterministic,
	                              .costs = costs_of(a->budget),
	                              .canonical = canonical->n ? canonical->section : NULL,
	                              .max_seconds = COMPILE_ANY_SECONDS,
	                              .max_bytes = COMPILE_ANY_BYTES,
	                              .threads = a->jobs.given ? (uint32_t)a->jobs.value : parallel_processors()},
		d, &c);
	t->compile = cli_seconds() - begin;
	if (progress.is_shown) fputs("\r\033[K", stderr);
	if (!ok || (a->werror && !diag_warnings_are_errors(d, a->werror))) {
		compile_release(&c);
		return CODE_DATA;
	}
	c.image.provenance = provenance;
	if (c.product.problem && !a->quiet)
		cli_note("compile", "%s: dead ends are searched for when masks are asked for", c.product.problem);
	int code = write_proved(a, &c, t, d);
	ok = !code;
	t->total = t->grammar + t->vocab + t->compile + t->prove + t->write;
	struct stat s = {0};
	if (ok && stat(a->out, &s))
		ok = false, code = CODE_IO, diag_error(d, (struct loc){0}, "%s: cannot be read back", a->out);
	if (ok && (a->stats || a->json)) {
		const struct product_counts counts =
			c.product.product ? product_count(c.product.product) : (struct product_counts){0};
		print_stats(a, &c, t, &counts, (uint64_t)s.st_size);
	}
	if (ok && a->report && !a->json) report_print(&c, stdout);
	if (ok && !a->report && !a->quiet && c.report.n_kept)
		cli_note("compile", "%u conflict%s kept (several parses are carried); see --report", c.report.n_kept,
		         cli_s(c.report.n_kept));
	if (ok && !a->quiet && c.stats.gave_up_exact_costs)
		cli_note("compile", "costs of tokens are %s: %s", cost_model_name(c.image.cost_info.model),
		         g->indentation.on ? "lines have columns" : "exact ones would be too large");
	if (ok && !a->quiet) {
		const struct artifact_info *i = &c.image.info;
		fprintf(stderr, "%s: %lld bytes, %u tokens, %u terminal%s, %u production%s, %u token sets, %.2f s\n", a->out,
		        (long long)s.st_size, i->n_tokens, i->n_terminals, cli_s(i->n_terminals), i->n_productions,
		        cli_s(i->n_productions), i->n_sets, t->total);
	}
	compile_release(&c);
	return code;
}

static bool write_depfile(const struct arguments *a, const source_list *sources, struct diag *d)
{
	struct arena arena = {0};
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	ASSERT(f);
	depfile_target(f, a->out);
	for (uint32_t i = 0; i < sources->n && !a->regex; i++) depfile_input(f, sources->at[i]->path);
	const char *tokenizer = a->tokenizer ? tokenizer_file("compile", a->tokenizer, &arena) : NULL,
			   *files[VOCAB_MAX_FILES];
	uint32_t n = tokenizer ? vocab_files(tokenizer, &arena, files) : 0;
	for (uint32_t i = 0; i < n; i++) depfile_input(f, files[i]);
	depfile_end(f);
	fclose(f);
	bool ok = file_replace(a->depfile, text, len, d);
	free(text);
	arena_release(&arena);
	return ok;
}

// Of the grammar as it was read and of the tokenizer, as its .gcdv says or as its files are. False after a message.
static bool describe(const struct arguments *a, const struct usage *usage, const source_list *sources,
                     const struct vocab *v, struct arena *arena, const char **text)
{
	static const char *const shapeless[] = {"output",      "tokenizer",  "expect",     "depfile",     "jobs",
	                                        "max-seconds", "max-memory", "stats",      "report",      "json",
	                                        "quiet",       "no-prove",   "provenance", "import-path", "werror"};
	provenance_list files = {0};
	char *given = options_given(usage, shapeless, sizeof shapeless / sizeof *shapeless);
	const char *options = "";
	provenance_grammar(sources, arena, &files);
	const char *path = a->tokenizer ? tokenizer_file("compile", a->tokenizer, arena) : NULL;
	bool ok = true;
	if (v->origin)
		options = provenance_read_origin(arena, v->origin, &files);
	else
		ok = tokenizer_provenance("compile", path, arena, &files);
	*text = ok ? provenance_write(arena, &files, arena_printf(arena, "%s%s", options, given), artifact_zstd_version())
	           : NULL;
	free(given);
	vec_release(&files);
	return ok;
}

// All that the limits are for.
struct whole {
	const struct arguments *a;
	const struct usage *usage;
	struct diag d;
	source_list sources;
	int code;
};

static void run_compile(void *context)
{
	struct whole *w = context;
	const struct arguments *a = w->a;
	struct diag *d = &w->d;
	struct times t = {0};
	struct grammar g = {0};
	struct vocab v = {0};
	double begin = cli_seconds();
	const struct grammar_options grammar_options = {
		.start = a->start, .indent = a->indent, .import_folder = a->import_path, .sources = &w->sources};
	const char *kind = a->regex ? "lark" : grammar_kind(a->grammar, &a->schema);
	if (strcmp(kind, "lark") != 0 && !a->quiet) cli_note("compile", "%s is read as %s", a->grammar, kind);
	bool is_read = a->regex ? regex_grammar("--regex", a->regex, &grammar_options, d, &g)
	                        : load_grammar_or_schema(a->grammar, &a->schema, &grammar_options, d, &g);
	int code = is_read ? CODE_OK : CODE_DATA;
	if (!code && a->expect) {
		char digest[DIGEST_HEX];
		digest_sources(w->sources.at, w->sources.n, digest);
		if (!digest_is_expected("compile", a->regex ? "--regex" : a->grammar, a->expect, digest)) code = CODE_DATA;
	}
	t.grammar = cli_seconds() - begin;
	if (!code) {
		begin = cli_seconds();
		code = tokenizer_load_into("compile", a->tokenizer, &a->vocab, d, &v);
		t.vocab = cli_seconds() - begin;
		struct arena arena = {0};
		const char *provenance = NULL;
		struct canonical_option canonical = {0};
		enum canon_mode mode = (enum canon_mode)canonical_mode(a->canonical);
		if (!code && a->provenance && !describe(a, w->usage, &w->sources, &v, &arena, &provenance)) code = CODE_IO;
		if (!code && mode) code = canonical_load("compile", a->tokenizer, &v, mode, &canonical);
		if (!code) code = compile_to_file(a, &g, &v, provenance, &canonical, &t, d);
		if (!code && a->depfile && !write_depfile(a, &w->sources, d)) code = CODE_IO;
		canonical_option_release(&canonical);
		arena_release(&arena);
		vocab_release(&v);
	}
	grammar_release(&g);
	w->code = code;
}

int command_compile(int argc, char **argv)
{
	struct arguments a = {0};
	const struct positional positionals[] = {
		{"GRAMMAR", POSITIONAL_OPTIONAL, &a.grammar,
	     "a grammar (.lark, .gbnf, .ebnf, .choice.json), or a\nJSON Schema (.json)"},
	};
	const struct option_spec options[] = {
		{.name = "output",
	     .letter = 'o',
	     .kind = OPTION_FILE,
	     .to = &a.out,
	     .value = "OUT",
	     .required = true,
	     .help = "the artifact to write"},
		{.name = "regex",
	     .kind = OPTION_TEXT,
	     .to = &a.regex,
	     .value = "PATTERN",
	     .help = "instead of GRAMMAR: texts that this regular expression\nmatches as a whole"},
		{.name = "tokenizer",
	     .kind = OPTION_FILE,
	     .to = &a.tokenizer,
	     .value = "FILE",
	     .help = "tokenizer.json, a folder that holds one, or a .gcdv\n(default: the tokenizer that is built in)"},
		{.name = "start",
	     .kind = OPTION_TEXT,
	     .to = &a.start,
	     .value = "RULE",
	     .help = "the rule of whole texts (start)"},
		{.name = "indent",
	     .kind = OPTION_TEXT,
	     .to = &a.indent,
	     .value = "SETTINGS",
	     .help = "what %indent would say, for Lark's grammars:\nnewline=_NL indent=_INDENT dedent=_DEDENT\n"
	             "open=LPAR,LSQB close=RPAR,RSQB tab=8 end=text"},
		{.name = "import-path",
	     .kind = OPTION_FILE,
	     .to = &a.import_path,
	     .value = "FOLDER",
	     .help = "where %import looks first (Lark's import_paths), then\nbeside the file that imports"},
		SCHEMA_OPTIONS(a.schema),
		{.name = "eos",
	     .kind = OPTION_TOKENS,
	     .to = &a.eos,
	     .value = "TOKEN",
	     .help = "a token that ends a text, by id or by name; repeat\nfor several (default: what the tokenizer's files "
	             "say)"},
		{.name = "no-eos", .kind = OPTION_FLAG, .to = &a.no_eos, .help = "no token ends a text"},
		{.name = "vocab-size",
	     .kind = OPTION_NUMBER,
	     .to = &a.vocab_size,
	     .value = "N",
	     .least = 1,
	     .most = UINT32_MAX / 2,
	     .help = "width of the model's logits, when it is more than\nthe tokenizer's largest id + 1"},
		{.name = "canonical",
	     .kind = OPTION_TEXT,
	     .to = &a.canonical,
	     .value = "MODE",
	     .help = "only what the tokenizer itself would write:\noff, soft (where the grammar lets it), or hard"},
		{.name = "raw", .kind = OPTION_FLAG, .to = &a.raw, .help = "no compression: a larger file, mapped as it is"},
		{.name = "level",
	     .kind = OPTION_NUMBER,
	     .to = &a.level,
	     .value = "N",
	     .least = 1,
	     .most = 19,
	     .help = "zstd level"},
		{.name = "jobs",
	     .letter = 'j',
	     .kind = OPTION_NUMBER,
	     .to = &a.jobs,
	     .value = "N",
	     .least = 1,
	     .most = PARALLEL_MAX_THREADS,
	     .help = "threads (the processors that there are); the bytes\nare the same for any number"},
		{.name = "no-vocab",
	     .kind = OPTION_FLAG,
	     .to = &a.no_vocab,
	     .help = "leave the tokens' bytes out: the artifact needs\n--vocab FILE.gcdv wherever it is opened"},
		{.name = "max-seconds",
	     .kind = OPTION_NUMBER,
	     .to = &a.max_seconds,
	     .value = "N",
	     .least = 1,
	     .most = 1000000000,
	     .help = "give up after so long (600)"},
		{.name = "max-memory",
	     .kind = OPTION_NUMBER,
	     .to = &a.max_memory,
	     .value = "MIB",
	     .least = 1,
	     .most = 1u << 30,
	     .help = "give up rather than use more (4096)"},
		{.name = "depfile",
	     .kind = OPTION_FILE,
	     .to = &a.depfile,
	     .value = "FILE",
	     .help = "write which files OUT was made from, for Make, Ninja\nand CMake"},
		{.name = "expect",
	     .kind = OPTION_TEXT,
	     .to = &a.expect,
	     .value = "DIGEST",
	     .help = "fail when the grammar's files are not those that a\nbuild was planned with (gcdc build)"},
		{.name = "provenance",
	     .kind = OPTION_FLAG,
	     .to = &a.provenance,
	     .help = "put in what the artifact is made from: SHA-256 of all\nfiles, versions, options ('gcdc verify' reads "
	             "it)"},
		{.name = "stats", .kind = OPTION_FLAG, .to = &a.stats, .help = "milliseconds a stage, and sizes of tables"},
		{.name = "report",
	     .kind = OPTION_FLAG,
	     .to = &a.report,
	     .help = "the grammar's conflicts: rules, an example, whether\nproved away or kept"},
		{.name = "budget",
	     .kind = OPTION_CHOICE,
	     .to = &a.budget,
	     .value = "exact|aligned|off",
	     .help = "tables for token budgets; aligned ones are smaller and\ngive an upper bound. exact, the default, "
	             "becomes\naligned where it would be too large"},
		{.name = "deterministic",
	     .kind = OPTION_FLAG,
	     .to = &a.deterministic,
	     .help = "a conflict that would be kept is an error"},
		{.name = "no-prove",
	     .kind = OPTION_FLAG,
	     .to = &a.no_prove,
	     .help = "write the artifact without the walk that proves that\nits masks and its matcher agree"},
		{.name = "werror",
	     .kind = OPTION_LIST,
	     .to = &a.werror,
	     .value = "NAME,...",
	     .help =
	         "warnings are errors: all, or those of these names\n(a warning's name stands at its end, in brackets)"},
		{.name = "json", .kind = OPTION_FLAG, .to = &a.json, .help = "--stats (and --report) as one JSON object"},
		{.name = "quiet", .letter = 'q', .kind = OPTION_FLAG, .to = &a.quiet, .help = "no summary, no progress"},
	};
	const struct usage usage = {.command = "compile",
	                            .about = "Compiles a grammar for a tokenizer's vocabulary into an artifact.",
	                            USAGE_TABLES(positionals, options),
	                            .notes = "OUT is replaced when all went well, and not touched otherwise."};
	int code;
	if (!options_read(&usage, argc, argv, &code)) return code;
	if (canonical_mode(a.canonical) < 0)
		return cli_error(CODE_USAGE, "compile", "--canonical is off, soft or hard, not '%s'", a.canonical);
	if (!a.grammar == !a.regex)
		return cli_error(CODE_USAGE, "compile",
		                 a.regex ? "GRAMMAR and --regex exclude each other"
		                         : "GRAMMAR is missing (or --regex PATTERN)");
	if ((code = tokenizer_options("compile", &a.eos, a.no_eos, &a.vocab_size, &a.vocab))) return code;
	if (a.grammar && !cli_readable("compile", a.grammar)) return CODE_IO;

	struct whole w = {.a = &a, .usage = &usage, .code = CODE_OK};
	const struct work_limits limits = {.max_seconds =
	                                       a.max_seconds.given ? (double)a.max_seconds.value : COMPILE_MAX_SECONDS,
	                                   .max_bytes = a.max_memory.given ? a.max_memory.value << 20 : COMPILE_MAX_BYTES};
	struct work_result r;
	if (!work_run(&limits, run_compile, &w, &r)) {
		diag_given_up(&w.d, &r, NULL);
		w.code = CODE_DATA;
	}
	if (w.d.given_up == WORK_NO_MEMORY) w.code = CODE_INTERNAL;
	fflush(stdout);
	diag_print(&w.d, stderr);
	vec_release(&w.sources);
	diag_release(&w.d);
	return w.code;
}
