// gcdc compile: a grammar and a tokenizer become an artifact, through <gcdc/compile.h>.
//
// In:  the grammar's file, the tokenizer's. Out: the artifact, written atomically: a path that held an artifact before
// an error holds it afterwards. On stderr: messages, a line of summary, and progress when it is a terminal.
#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/parallel.h"
#include "base/trace.h"
#include "canonical_option.h"
#include "cli.h"
#include "command_compile.h"
#include "compile_report.h"
#include "depfile.h"
#include "gcdc/compile.h"
#include "input_digest.h"
#include "json_text.h"
#include "options.h"
#include "schema_option.h"
#include "text_files.h"
#include "tokenizer_path.h"

struct arguments {
	const char *grammar, *regex, *tokenizer, *out, *start, *indent, *import_path, *expect, *depfile, *budget,
		*canonical, *werror, *texts;
	struct token_options eos;
	struct vocab_options vocab;
	struct schema_option schema;
	struct number vocab_size, level, jobs, max_seconds, max_memory, texts_limit;
	bool raw, no_vocab, no_eos, stats, report, deterministic, json, quiet, provenance, no_prove;
	const struct compile_use *use;  // NULL: the command line's
};

// "compiling: lexer" on a terminal, on one line that the end wipes away.
struct progress {
	bool is_shown;
	const char *stage;
};

static bool show_progress(const gcdc_progress *now, void *user)
{
	struct progress *p = user;
	if (p->is_shown && p->stage != now->stage) fprintf(stderr, "\r\033[Kcompiling: %s", now->stage);
	p->stage = now->stage;
	return true;
}

// A line of what GCDC_TRACE asks for. The library has no output of its own.
static void show_trace(const char *stage, const char *line, void *user)
{
	struct progress *p = user;
	if (p->is_shown && p->stage) fputs("\r\033[K", stderr);
	fprintf(stderr, "%s: %s\n", stage, line);
	p->stage = NULL;  // progress begins a line of its own
}

static uint64_t peak_kb(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_maxrss;
}

static void print_stats(const struct arguments *a, const gcdc_compiled *c, double vocabulary)
{
	static const char *const stages[] = {"grammar", "vocabulary", "parser", "terminals", "lexer",
	                                     "tables",  "pack",       "prove",  "write",     "total"};
	const size_t n_stages = sizeof stages / sizeof *stages;
	gcdc_figure f;
	struct json_writer j;
	if (a->json) {
		json_begin(&j, stdout);
		json_object(&j);
		json_key(&j, "ms");
		json_object(&j);
	}
	for (size_t i = 0; i < n_stages; i++) {
		bool here = !strcmp(stages[i], "vocabulary"), all = !strcmp(stages[i], "total");
		double ms = 1e3 * (here ? vocabulary : figure_seconds(c, stages[i]) + (all ? vocabulary : 0));
		if (a->json)
			json_real_entry(&j, stages[i], ms);
		else
			printf("%-20s %12.2f ms\n", stages[i], ms);
	}
	if (a->json) json_close(&j);
	for (size_t i = 0; gcdc_compiled_figure(c, i, &f); i++) {
		if (f.is_seconds || f.is_detail) continue;
		if (a->json)
			json_uint_entry(&j, f.name, f.count);
		else
			printf("%-20s %12llu\n", f.name, (unsigned long long)f.count);
	}
	const uint64_t canonical = (uint64_t)(figure_seconds(c, "canonical") * 1e3), peak = peak_kb();
	if (!a->json) {
		printf("%-20s %12llu\n%-20s %12llu\n", "canonical_ms", (unsigned long long)canonical, "peak_rss_kb",
		       (unsigned long long)peak);
		return;
	}
	json_uint_entry(&j, "canonical_ms", canonical);
	json_uint_entry(&j, "peak_rss_kb", peak);
	if (a->report) report_json(c, &j);
	json_close(&j);
	json_end(&j);
}

static const char *cost_model_name(uint64_t model) { return model == 2 ? "exact" : model == 1 ? "aligned" : "off"; }

static bool write_depfile(const struct arguments *a, const gcdc_compiled *c, struct diag *d)
{
	struct arena arena = {0};
	char *text = NULL;
	size_t len;
	gcdc_source source;
	FILE *f = text_stream(&text, &len);
	depfile_target(f, a->out);
	for (size_t i = 0; !a->regex && gcdc_compiled_source(c, i, &source); i++)
		if (strcmp(source.path, "-") != 0) depfile_input(f, source.path);
	const char *tokenizer = a->tokenizer ? tokenizer_file("compile", a->tokenizer, &arena) : NULL,
			   *files[VOCAB_MAX_FILES];
	uint32_t n = tokenizer ? vocab_files(tokenizer, &arena, files) : 0;
	for (uint32_t i = 0; i < n; i++) depfile_input(f, files[i]);
	text_file_list texts = {0};
	if (a->texts && text_files(a->texts, &arena, &texts)) depfile_input(f, a->texts);
	for (uint32_t i = 0; i < texts.n; i++)
		if (strcmp(texts.at[i], a->texts) != 0) depfile_input(f, texts.at[i]);
	vec_release(&texts);
	depfile_end(f);
	fclose(f);
	bool ok = file_replace(a->depfile, text, len, d);
	free(text);
	arena_release(&arena);
	return ok;
}

void compiled_digest(const gcdc_compiled *c, size_t most, char digest[DIGEST_HEX])
{
	VEC(struct source) all = {0};
	VEC(const struct source *) list = {0};
	gcdc_source s;
	for (size_t i = 0; i < most && gcdc_compiled_source(c, i, &s); i++)
		vec_push(&all, ((struct source){.path = s.path, .text = s.text, .len = s.len}));
	for (uint32_t i = 0; i < all.n; i++) vec_push(&list, &all.at[i]);
	digest_sources(list.at, list.n, digest);
	vec_release(&all), vec_release(&list);
}

// Are the files that were read those that a build was planned with? A plan knows what a Lark grammar imports; of other
// kinds it knows the grammar itself.
static bool is_expected(const struct arguments *a, gcdc_kind kind, const gcdc_compiled *c)
{
	char digest[DIGEST_HEX];
	compiled_digest(c, kind == GCDC_KIND_LARK ? SIZE_MAX : 1, digest);
	return digest_is_expected("compile", a->regex ? "--regex" : a->grammar, a->expect, digest);
}

static void say(gcdc_diagnostics *said)
{
	fflush(stdout);
	fputs(gcdc_diagnostics_text(said), stderr);
	gcdc_diagnostics_free(said);
}

// Why an artifact has no budgets that were not asked to be off.
static void tell_budgets(const struct arguments *a, const gcdc_compiled *c)
{
	if (a->budget && strcmp(a->budget, "off") == 0) return;
	if (figure_count(c, "compared_arrays"))
		cli_note("compile", "items of uniqueItems arrays are compared at run time: budgets are off");
	if (figure_count(c, "shared_counters") && !figure_count(c, "cost_model"))
		cli_note("compile", "characters of long strings of a large class are counted at run time: budgets are off");
}

// What the texts were good for.
static void tell_texts(const struct arguments *a, const gcdc_compiled *c)
{
	const uint64_t n = figure_count(c, "texts_positions"), served = figure_count(c, "texts_served");
	if (!a->texts) return;
	if (!figure_count(c, "texts_steps"))
		cli_note("compile", "--texts %s: nothing was kept; %s", a->texts,
		         n ? "masks under a budget need nothing of them" : "there are no masks under a budget");
	else
		cli_note("compile",
		         "--texts %s: %llu steps are kept, %llu of them summaries, in %llu bytes; they serve %llu of "
		         "%llu places (%.1f %%)",
		         a->texts, (unsigned long long)figure_count(c, "texts_steps"),
		         (unsigned long long)figure_count(c, "texts_summaries"),
		         (unsigned long long)figure_count(c, "texts_bytes"), (unsigned long long)served, (unsigned long long)n,
		         100.0 * (double)served / (double)n);
}

// What there is to say of an artifact that has been written.
static int tell(const struct arguments *a, const gcdc_compiled *c, double vocabulary)
{
	struct stat s = {0};
	if (stat(a->out, &s)) return cli_error(CODE_IO, "compile", "%s: cannot be read back", a->out);
	if (a->stats || a->json) print_stats(a, c, vocabulary);
	if (a->report && !a->json) report_print(c, stdout);
	fflush(stdout);
	const uint64_t kept = figure_count(c, "conflicts_kept");
	if (a->quiet) return CODE_OK;
	if (!a->report && kept)
		cli_note("compile", "%llu conflict%s kept (several parses are carried); see --report", (unsigned long long)kept,
		         cli_s(kept));
	if (figure_count(c, "costs_not_exact"))
		cli_note("compile", "costs of tokens are %s: %s", cost_model_name(figure_count(c, "cost_model")),
		         figure_count(c, "lines")             ? "lines have columns"
		         : figure_count(c, "shared_counters") ? "lengths of strings are counted; --budget exact spells them out"
		         : figure_count(c, "costs_far") ? "a part of the grammar needs more than 60000 tokens, which have "
		                                          "no price"
		                                        : "exact ones would be too large");
	tell_budgets(a, c);
	tell_texts(a, c);
	const uint64_t terminals = figure_count(c, "terminals"), productions = figure_count(c, "productions");
	fprintf(stderr, "%s: %lld bytes, %llu tokens, %llu terminal%s, %llu production%s, %llu token sets, %.2f s\n",
	        a->out, (long long)s.st_size, (unsigned long long)figure_count(c, "tokens"), (unsigned long long)terminals,
	        cli_s(terminals), (unsigned long long)productions, cli_s(productions),
	        (unsigned long long)figure_count(c, "sets"), figure_seconds(c, "total") + vocabulary);
	return CODE_OK;
}

// The options of this command that are the grammar's own: those that some kind of grammar knows by this name.
typedef VEC(gcdc_setting) setting_list;

static bool is_setting(const char *name)
{
	gcdc_kind kind;
	const char *known;
	for (size_t i = 0; (kind = gcdc_kind_at(i)) != GCDC_KIND_AUTO; i++)
		for (size_t k = 0; (known = gcdc_kind_setting(kind, k)); k++)
			if (!strcmp(known, name)) return true;
	return false;
}

static void collect_settings(const struct usage *usage, struct arena *arena, setting_list *list)
{
	for (uint32_t i = 0; i < usage->n_options; i++) {
		const struct option_spec *o = &usage->options[i];
		const char *value = is_setting(o->name) ? options_value(o, arena) : NULL;
		if (value) vec_push(list, ((gcdc_setting){o->name, value}));
	}
}

static gcdc_costs costs_of(const char *word)
{
	if (!word) return GCDC_COSTS_BEST;
	if (strcmp(word, "exact") == 0) return GCDC_COSTS_ALL_EXACT;
	return strcmp(word, "off") == 0 ? GCDC_COSTS_OFF : GCDC_COSTS_ONLY_ALIGNED;
}

// To the file, or to what uses it in place of one; then the dependencies, and what is told.
static int deliver(const struct arguments *a, const gcdc_compiled *c, double vocabulary)
{
	struct diag d = {0};
	int code;
	if (a->use) {
		code = a->use->take(c, a->use->context);
	} else {
		gcdc_diagnostics *written;
		code = cli_status_code(gcdc_compiled_write(c, a->out, &written));
		say(written);
	}
	if (!code && a->depfile && !write_depfile(a, c, &d)) code = CODE_IO;
	if (!code && !a->use) code = tell(a, c, vocabulary);
	diag_print(&d, stderr);
	diag_release(&d);
	return code;
}

static bool is_stdin(const struct arguments *a) { return a->grammar && !strcmp(a->grammar, "-"); }

static gcdc_kind kind_of(const struct arguments *a)
{
	if (a->regex) return GCDC_KIND_REGEX;
	gcdc_kind kind = a->schema.from ? gcdc_kind_named(a->schema.from) : gcdc_kind_of_path(a->grammar);
	if (kind == GCDC_KIND_AUTO) kind = GCDC_KIND_LARK;
	if (kind != GCDC_KIND_LARK && !a->quiet) cli_note("compile", "%s is read as %s", a->grammar, gcdc_kind_name(kind));
	return kind;
}

// The texts that are given, with their names; false after a message.
typedef VEC(gcdc_text) text_list;
static bool read_texts(const struct arguments *a, struct arena *arena, text_list *texts)
{
	text_file_list files = {0};
	bool ok = !a->texts || text_files(a->texts, arena, &files);
	if (!ok) cli_error(CODE_IO, "compile", "--texts %s: %s", a->texts, strerror(errno));
	if (ok && a->texts && !files.n) {
		cli_error(CODE_IO, "compile", "--texts %s: there are no files in it", a->texts);
		ok = false;
	}
	for (uint32_t i = 0; i < files.n && ok; i++) {
		gcdc_text text = {.path = files.at[i]};
		char *bytes;
		ok = cli_read_file("compile", files.at[i], &bytes, &text.len);
		text.text = bytes;
		if (ok) vec_push(texts, text);
	}
	vec_release(&files);
	return ok;
}

static void free_texts(text_list *texts)
{
	for (uint32_t i = 0; i < texts->n; i++) free((char *)(uintptr_t)texts->at[i].text);
	vec_release(texts);
}

// Branches: each option of the library is an option that was given or its default, and any step may fail.
static int compile_with(const struct arguments *a, const struct usage *usage, const gcdc_vocab *vocab,
                        double max_seconds, double vocabulary)
{
	static const char *const shapeless[] = {"output",      "tokenizer",  "expect",     "depfile",     "jobs",
	                                        "max-seconds", "max-memory", "stats",      "report",      "json",
	                                        "quiet",       "no-prove",   "provenance", "import-path", "werror"};
	struct arena arena = {0};
	setting_list settings = {0};
	struct progress progress = {.is_shown = !a->quiet && isatty(STDERR_FILENO)};
	char *given = a->provenance ? options_given(usage, shapeless, sizeof shapeless / sizeof *shapeless) : NULL;
	text_list texts = {0};
	collect_settings(usage, &arena, &settings);
	char *from_stdin = NULL;
	size_t len = a->regex ? strlen(a->regex) : 0;
	bool has_texts =
		read_texts(a, &arena, &texts) && (!is_stdin(a) || cli_read_file("compile", "-", &from_stdin, &len));
	const gcdc_input input = {.kind = kind_of(a),
	                          .path = a->regex ? "--regex" : a->grammar,
	                          .text = a->regex ? a->regex : from_stdin,
	                          .len = len,
	                          .settings = settings.at,
	                          .n_settings = settings.n};
	const gcdc_compile_options options = {
		.max_seconds = max_seconds,
		.max_memory = a->max_memory.given ? a->max_memory.value << 20 : 0,
		.threads = a->jobs.given ? (uint32_t)a->jobs.value : parallel_processors(),
		.progress = show_progress,
		.user = &progress,
		.costs = costs_of(a->budget),
		.canonical = (gcdc_canonical_mode)canonical_mode(a->canonical),
		.deterministic = a->deterministic,
		.warnings_are_errors = a->werror,
		.no_vocab = a->no_vocab,
		.raw = a->raw,
		.level = (int)a->level.value,
		.no_proof = a->no_prove,
		.provenance = a->provenance,
		.provenance_options = given,
		.conflicts = a->report,
		.texts = texts.at,
		.n_texts = texts.n,
		.texts_limit = a->texts_limit.given ? a->texts_limit.value << 10 : 0,
		.trace = getenv("GCDC_TRACE"),
		.trace_line = show_trace,
	};
	gcdc_compiled *c = NULL;
	gcdc_diagnostics *said = NULL;
	gcdc_status status = has_texts ? gcdc_compile(vocab, &input, &options, &c, &said) : GCDC_ERR_IO;
	if (progress.is_shown) fputs("\r\033[K", stderr);
	int code = cli_status_code(status);
	if (!code && a->expect && !is_expected(a, input.kind, c)) code = CODE_DATA;
	if (!code && a->use) say(said), said = NULL;
	if (!code) code = deliver(a, c, vocabulary);
	say(said);
	gcdc_compiled_free(c);
	free(given);
	free(from_stdin);
	vec_release(&settings);
	free_texts(&texts);
	arena_release(&arena);
	return code;
}

static int run_compile(const struct arguments *a, const struct usage *usage)
{
	const struct vocab_options *v = &a->vocab;
	struct arena arena = {0};
	char problem[TRACE_PROBLEM];
	if (getenv("GCDC_TRACE") && !trace_read(&(struct trace){.take = NULL}, getenv("GCDC_TRACE"), problem))
		return cli_error(CODE_USAGE, "compile", "GCDC_TRACE: %s", problem);
	const bool found = !a->tokenizer || tokenizer_file("compile", a->tokenizer, &arena);
	arena_release(&arena);
	if (!found) return CODE_IO;
	const double begin = cli_seconds(),
				 most = a->max_seconds.given ? (double)a->max_seconds.value : GCDC_DEFAULT_SECONDS;
	if (a->use) return compile_with(a, usage, a->use->vocab, most, 0);
	const gcdc_vocab_options options = {.eos = v->eos,
	                                    .n_eos = v->n_eos,
	                                    .eos_names = v->eos_names,
	                                    .n_eos_names = v->n_eos_names,
	                                    .no_eos = v->ends == VOCAB_ENDS_NONE,
	                                    .vocab_size = v->vocab_size,
	                                    .canonical = canonical_mode(a->canonical) != CANON_OFF,
	                                    .provenance = a->provenance,
	                                    .max_seconds = most,
	                                    .max_memory = a->max_memory.given ? a->max_memory.value << 20 : 0};
	gcdc_vocab *vocab;
	gcdc_diagnostics *said;
	gcdc_status status = gcdc_vocab_open(a->tokenizer, &options, &vocab, &said);
	say(said);
	if (status) return cli_status_code(status);
	const double took = cli_seconds() - begin;
	int code = compile_with(a, usage, vocab, most > took ? most - took : 1e-9, took);
	gcdc_vocab_close(vocab);
	return code;
}

int command_compile(int argc, char **argv) { return command_compile_with(argc, argv, NULL); }

int command_compile_with(int argc, char **argv, const struct compile_use *use)
{
	struct arguments a = {.use = use};
	const struct positional positionals[] = {
		{"GRAMMAR", POSITIONAL_OPTIONAL, &a.grammar,
	     "a grammar (.lark, .gbnf, .ebnf), a JSON Schema (.json),\na regular expression (.regex), a list of "
	     "texts\n(.choice.json), a structural tag (.structural_tag.json);\nwith --from tools: a list of tools; - with "
	     "--from:\nstandard input"},
	};
	const struct option_spec options[] = {
		FILE_OPTION("output", &a.out, "OUT", "the artifact to write", .letter = 'o', .required = true),
		TEXT_OPTION("regex", &a.regex, "PATTERN",
	                "instead of GRAMMAR: texts that this regular expression\nmatches as a whole"),
		FILE_OPTION("tokenizer", &a.tokenizer, "FILE",
	                "tokenizer.json, a folder that holds one, or a .gcdv\n(default: the tokenizer that is built in)"),
		TEXT_OPTION("start", &a.start, "RULE", "the rule of whole texts (start)"),
		TEXT_OPTION("indent", &a.indent, "SETTINGS",
	                "what %indent would say, for Lark's grammars:\nnewline=_NL indent=_INDENT "
	                "dedent=_DEDENT\nopen=LPAR,LSQB close=RPAR,RSQB tab=8 end=text"),
		FILE_OPTION("import-path", &a.import_path, "FOLDER",
	                "where %import looks first (Lark's import_paths), then\nbeside the file that imports"),
		SCHEMA_OPTIONS(a.schema),
		TOKENS_OPTION("eos", &a.eos, "TOKEN",
	                  "a token that ends a text, by id or by name; repeat\nfor several (default: what the tokenizer's "
	                  "files say)"),
		FLAG_OPTION("no-eos", &a.no_eos, "no token ends a text"),
		NUMBER_OPTION("vocab-size", &a.vocab_size, "N", 1, UINT32_MAX / 2,
	                  "width of the model's logits, when it is more than\nthe tokenizer's largest id + 1"),
		TEXT_OPTION("canonical", &a.canonical, "MODE",
	                "only what the tokenizer itself would write:\noff, soft (where the grammar lets it), or hard"),
		FLAG_OPTION("raw", &a.raw, "no compression: a larger file, mapped as it is"),
		NUMBER_OPTION("level", &a.level, "N", 1, 19, "zstd level"),
		NUMBER_OPTION("jobs", &a.jobs, "N", 1, PARALLEL_MAX_THREADS,
	                  "threads (the processors that there are); the bytes\nare the same for any number", .letter = 'j'),
		FLAG_OPTION("no-vocab", &a.no_vocab,
	                "leave the tokens' bytes out: the artifact needs\n--vocab FILE.gcdv wherever it is opened"),
		NUMBER_OPTION("max-seconds", &a.max_seconds, "N", 1, 1000000000, "give up after so long (600)"),
		NUMBER_OPTION("max-memory", &a.max_memory, "MIB", 1, 1u << 30, "give up rather than use more (4096)"),
		FILE_OPTION("depfile", &a.depfile, "FILE", "write which files OUT was made from, for Make, Ninja\nand CMake"),
		TEXT_OPTION("expect", &a.expect, "DIGEST",
	                "fail when the grammar's files are not those that a\nbuild was planned with (gcdc build)"),
		FLAG_OPTION(
			"provenance", &a.provenance,
			"put in what the artifact is made from: SHA-256 of all\nfiles, versions, options ('gcdc verify' reads it)"),
		FLAG_OPTION("stats", &a.stats, "milliseconds a stage, and sizes of tables"),
		FLAG_OPTION("report", &a.report, "the grammar's conflicts: rules, an example, whether\nproved away or kept"),
		CHOICE_OPTION("budget", &a.budget, "exact|aligned|off",
	                  "tables for token budgets; aligned ones are smaller and\ngive an upper bound. exact, the "
	                  "default, becomes\naligned where it would be too large"),
		FILE_OPTION("texts", &a.texts, "PATH",
	                "a text of the language, or a folder of some: what masks\nunder a budget need where they lead is "
	                "put in"),
		NUMBER_OPTION("texts-limit", &a.texts_limit, "KIB", 1, 1u << 20,
	                  "by how much that may make OUT larger (half of what it\nhas without)"),
		FLAG_OPTION("deterministic", &a.deterministic, "a conflict that would be kept is an error"),
		FLAG_OPTION("no-prove", &a.no_prove,
	                "write the artifact without the walk that proves that\nits masks and its matcher agree"),
		LIST_OPTION(
			"werror", &a.werror, "NAME,...",
			"warnings are errors: all, or those of these names\n(a warning's name stands at its end, in brackets)"),
		FLAG_OPTION("json", &a.json, "--stats (and --report) as one JSON object"),
		FLAG_OPTION("quiet", &a.quiet, "no summary, no progress", .letter = 'q'),
	};
	const struct usage usage =
		USAGE("compile", "Compiles a grammar or schema, for a tokenizer, into the file that masks are read from.",
	          positionals, options, "OUT is replaced when all went well, and not touched otherwise.");
	int code;
	if (!options_read(&usage, argc, argv, &code)) return code;
	if (canonical_mode(a.canonical) < 0)
		return cli_error(CODE_USAGE, "compile", "--canonical is off, soft or hard, not '%s'", a.canonical);
	if (!a.grammar == !a.regex)
		return cli_error(CODE_USAGE, "compile",
		                 a.regex ? "GRAMMAR and --regex exclude each other"
		                         : "GRAMMAR is missing (or --regex PATTERN)");
	if (is_stdin(&a) && !a.schema.from)
		return cli_error(CODE_USAGE, "compile", "-: standard input has no name that says what it is: give --from");
	if (is_stdin(&a) && a.provenance)
		return cli_error(CODE_USAGE, "compile", "--provenance names the files read, and standard input is none");
	if ((code = tokenizer_options("compile", &a.eos, a.no_eos, &a.vocab_size, &a.vocab))) return code;
	if (a.grammar && !is_stdin(&a) && !cli_readable("compile", a.grammar)) return CODE_IO;

	return run_compile(&a, &usage);
}
