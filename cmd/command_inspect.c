// gcdc inspect: what is in an artifact.
//
// In:  an artifact, perhaps the name of a table and filters. Out: a summary (sizes, counts, hashes, worst cases), or
// the table's rows, as text or JSON. The artifact is opened as everywhere: what inspect shows has passed all checks.
#include <errno.h>

#include "inspect.h"

#define ME "inspect"
#define LIMIT_DEFAULT 200u

static const struct table {
	const char *name;
	int (*run)(struct inspect *);
	const char *about;
} tables[] = {
	{"terminals", inspect_terminals, "names, patterns, priorities"},
	{"productions", inspect_productions, "the grammar as the parser has it"},
	{"contexts", inspect_contexts, "sets of terminals that compete, and where the lexer then starts"},
	{"lexer", inspect_lexer, "lexer states and their transitions by bytes"},
	{"lr", inspect_lr, "parser states: actions and gotos"},
	{"transducer", inspect_transducer, "what each token emits from a lexer state (--state), and where it leads"},
	{"sequences", inspect_sequences, "sequences of terminals that tokens emit (--state, --lr)"},
	{"spanner", inspect_spanner, "(lexer state, terminals) -> tokens: the transducer's inverse"},
	{"always", inspect_always, "tokens allowed whatever lies below the top: (lexer state, parser state) -> set"},
	{"dependent", inspect_dependent, "tokens that depend on the stack below: nodes that read it"},
	{"sets", inspect_sets, "token sets"},
	{"vocabulary", inspect_vocabulary, "tokens and their bytes (--token, --text)"},
	{"eos", inspect_eos, "tokens that end a text"},
};
#define N_TABLES (sizeof tables / sizeof *tables)

static const char *const section_name[] = {
	[SECTION_INFO] = "info", [SECTION_STRINGS] = "strings", [SECTION_TERMINAL] = "terminals",
	[SECTION_NONTERMINAL] = "nonterminals", [SECTION_PRODUCTION] = "productions", [SECTION_SYMBOL] = "symbols",
	[SECTION_LEX_NEXT] = "lex_next", [SECTION_LEX_STATE] = "lex_states", [SECTION_LEX_START] = "lex_start",
	[SECTION_CONTEXT] = "contexts", [SECTION_LR_STATE] = "lr_states", [SECTION_LR_ACTION] = "lr_action",
	[SECTION_LR_GOTO] = "lr_goto", [SECTION_CHOICE] = "choice", [SECTION_START_BASE] = "start_base", [SECTION_START] = "starts",
	[SECTION_NODE] = "nodes", [SECTION_EDGE_FRAME] = "edge_frames",
	[SECTION_EDGE] = "edges", [SECTION_TARGET] = "targets", [SECTION_SET] = "sets", [SECTION_DENSE] = "dense",
	[SECTION_SPARSE] = "sparse", [SECTION_BLANK] = "blanks", [SECTION_LINE_TOP] = "line_tops", [SECTION_EOS] = "eos", [SECTION_TOKEN_OFFSET] = "token_offset",
	[SECTION_TOKEN_BYTES] = "token_bytes",
};
static const char *const codec_name[] = {
    [ARTIFACT_RAW] = "raw", [ARTIFACT_ZSTD] = "zstd", [ARTIFACT_ZSTD_DELTA] = "zstd_delta",
    [ARTIFACT_ZSTD_PLANES] = "zstd_planes"};

static const char *name_of(const char *const *names, size_t n, uint32_t i)
{
	return i < n && names[i] ? names[i] : "?";
}
#define NAME_OF(names, i) name_of(names, sizeof(names) / sizeof *(names), i)

// The file's section table, which opening has found to be right.
static uint32_t read_section_table(const char *path, struct artifact_section *sections)
{
	struct artifact_header header;
	uint32_t n = 0;
	FILE *f = fopen(path, "rb");
	if (!f) return 0;
	if (fread(&header, sizeof header, 1, f) == 1 && header.n_sections <= ARTIFACT_MAX_SECTIONS)
		n = (uint32_t)fread(sections, sizeof *sections, header.n_sections, f);
	fclose(f);
	return n;
}

static void hash_text(char text[33], const uint64_t hash[2])
{
	snprintf(text, 33, "%016llx%016llx", (unsigned long long)hash[1], (unsigned long long)hash[0]);
}

static int summarize(struct inspect *x)
{
	const struct artifact_info *i = x->info;
	gcdc_info info;
	gcdc_artifact_info(x->artifact, &info);
	char grammar_hash[33], vocab_hash[33];
	hash_text(grammar_hash, info.grammar_hash);
	hash_text(vocab_hash, info.vocab_hash);
	struct artifact_section sections[ARTIFACT_MAX_SECTIONS];
	uint32_t n_sections = read_section_table(x->path, sections);
	const struct { const char *name; uint64_t value; } counts[] = {
		{"format_version", info.version}, {"file_bytes", info.file_size}, {"decoded_bytes", info.decoded_size},
		{"tokens", i->n_tokens}, {"mask_words", i->mask_words}, {"eos", i->n_eos}, {"max_token_len", i->max_token_len},
		{"terminals", i->n_terminals}, {"nonterminals", i->n_nonterminals}, {"productions", i->n_productions},
		{"contexts", i->n_contexts}, {"lex_states", i->n_lex_states - 1}, {"byte_classes", i->n_classes},
		{"residues", i->n_residues}, {"lr_states", i->n_lr_states - 1}, {"starts", i->n_starts},
		{"nodes", i->n_nodes - 1}, {"edges", i->n_edges}, {"sets", i->n_sets}, {"set_rows", i->n_dense},
		{"set_tokens", i->n_sparse}, {"start_lex_state", i->start_lex_state}};
	const struct { const char *name, *about; uint32_t value; } worst[] = {
		{"worst_frames", "stack frames one mask reads at most, per reading", i->worst_frames},
		{"worst_sets", "sets one mask unites at most, per reading", i->worst_sets},
		{"max_readings", "readings of one text alive at once", i->max_threads},
		{"max_pushes", "frames one terminal adds at most", i->max_pushes}};
	const size_t n_counts = sizeof counts / sizeof *counts, n_worst = sizeof worst / sizeof *worst;
	if (!x->is_json) {
		printf("%s: token masks of a grammar for a vocabulary of %u tokens\n\n", x->path, i->n_tokens);
		printf("%-16s %s\n%-16s %s\n", "grammar_hash", grammar_hash, "vocab_hash", vocab_hash);
		for (size_t k = 0; k < n_counts; k++) printf("%-16s %llu\n", counts[k].name, (unsigned long long)counts[k].value);
		for (size_t k = 0; k < n_worst; k++) {
			if (worst[k].value == ARTIFACT_NONE) printf("%-16s unbounded (%s)\n", worst[k].name, worst[k].about);
			else printf("%-16s %u (%s)\n", worst[k].name, worst[k].value, worst[k].about);
		}
		printf("\n%-14s %-12s %12s %12s\n", "section", "codec", "stored", "decoded");
		for (uint32_t k = 0; k < n_sections; k++) {
			const struct artifact_section *s = &sections[k];
			printf("%-14s %-12s %12llu %12llu\n", NAME_OF(section_name, s->id), NAME_OF(codec_name, s->codec),
			       (unsigned long long)s->stored, (unsigned long long)s->size);
		}
		puts("\n'gcdc inspect ARTIFACT TABLE' shows a table; 'gcdc inspect --help' names them.");
		return CODE_OK;
	}
	struct json *j = &x->json;
	json_object(j);
	json_string_entry(j, "grammar_hash", grammar_hash);
	json_string_entry(j, "vocab_hash", vocab_hash);
	for (size_t k = 0; k < n_counts; k++) json_uint_entry(j, counts[k].name, counts[k].value);
	for (size_t k = 0; k < n_worst; k++) {
		json_key(j, worst[k].name);
		if (worst[k].value == ARTIFACT_NONE) json_null(j);
		else json_uint(j, worst[k].value);
	}
	json_key(j, "sections");
	json_array(j);
	for (uint32_t k = 0; k < n_sections; k++) {
		const struct artifact_section *s = &sections[k];
		json_object(j);
		json_uint_entry(j, "id", s->id);
		json_string_entry(j, "name", NAME_OF(section_name, s->id));
		json_string_entry(j, "codec", NAME_OF(codec_name, s->codec));
		json_uint_entry(j, "stored", s->stored);
		json_uint_entry(j, "decoded", s->size);
		json_close(j);
	}
	json_close(j);
	json_close(j);
	return CODE_OK;
}

static int load_tables(struct inspect *x)
{
	const struct { uint32_t id; const void *to; } wanted[] = {
		{SECTION_INFO, &x->info}, {SECTION_STRINGS, &x->strings}, {SECTION_TERMINAL, &x->terminals},
		{SECTION_NONTERMINAL, &x->nonterminals}, {SECTION_PRODUCTION, &x->productions}, {SECTION_SYMBOL, &x->symbols},
		{SECTION_LEX_NEXT, &x->lex_next}, {SECTION_LEX_STATE, &x->lex_states}, {SECTION_LEX_START, &x->lex_start},
		{SECTION_CONTEXT, &x->contexts}, {SECTION_LR_STATE, &x->lr_states}, {SECTION_LR_ACTION, &x->lr_action},
		{SECTION_LR_GOTO, &x->lr_goto}, {SECTION_START_BASE, &x->start_base}, {SECTION_START, &x->starts},
		{SECTION_NODE, &x->nodes}, {SECTION_EDGE_FRAME, &x->edge_frames},
		{SECTION_EDGE, &x->edges}, {SECTION_TARGET, &x->targets}, {SECTION_SET, &x->sets}};
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		size_t size;
		const void *at = gcdc_artifact_section(x->artifact, wanted[i].id, &size);
		memcpy((void *)(uintptr_t)wanted[i].to, &at, sizeof at);
	}
	return x->info ? CODE_OK : cli_error(CODE_INTERNAL, ME, "%s: the artifact does not show its tables", x->path);
}

// --terminal takes a name or a number; --state, --lr and --token must exist.
static int read_filters(struct inspect *x, const struct table *table)
{
	x->terminal = ARTIFACT_NONE;
	if (x->terminal_name) {
		char *end;
		unsigned long n = strtoul(x->terminal_name, &end, 10);
		for (uint32_t t = 0; t <= x->info->n_terminals && x->terminal == ARTIFACT_NONE; t++)
			if (!strcmp(terminal_name(x, t), x->terminal_name)) x->terminal = t;
		if (x->terminal == ARTIFACT_NONE && *x->terminal_name >= '0' && *x->terminal_name <= '9' && !*end &&
		    n <= x->info->n_terminals)
			x->terminal = (uint32_t)n;
		if (x->terminal == ARTIFACT_NONE)
			return cli_error(CODE_USAGE, ME, "there is no terminal '%s' ('gcdc inspect %s terminals' lists them)",
			                 x->terminal_name, x->path);
	}
	if (x->token.given && x->token.value >= x->info->n_tokens)
		return cli_error(CODE_USAGE, ME, "--token %llu: the vocabulary has %u tokens", (unsigned long long)x->token.value,
		                 x->info->n_tokens);
	if (x->lr.given && (!x->lr.value || x->lr.value >= x->info->n_lr_states))
		return cli_error(CODE_USAGE, ME, "--lr %llu: there are parser states 1 to %u", (unsigned long long)x->lr.value,
		                 x->info->n_lr_states - 1);
	bool is_lex = table && (table->run == inspect_transducer || table->run == inspect_spanner ||
	                        table->run == inspect_always || table->run == inspect_sequences ||
	                        table->run == inspect_lexer);
	if (is_lex && x->row.given && (!x->row.value || x->row.value >= x->info->n_lex_states))
		return cli_error(CODE_USAGE, ME, "--state %llu: there are lexer states 1 to %u", (unsigned long long)x->row.value,
		                 x->info->n_lex_states - 1);
	return CODE_OK;
}

static int show(struct inspect *x, const struct table *table)
{
	if (x->is_json) json_begin(&x->json, stdout);
	int code;
	if (!table) {
		code = summarize(x);
	} else {
		if (x->is_json) json_array(&x->json);
		code = table->run(x);
		if (x->is_json) json_close(&x->json);
		if (x->n_shown < x->n_rows)
			cli_note(ME, "%llu of %llu rows are shown; --limit 0 shows all", (unsigned long long)x->n_shown,
			         (unsigned long long)x->n_rows);
	}
	if (x->is_json) json_end(&x->json);
	return code;
}

int command_inspect(int argc, char **argv)
{
	struct inspect x = {.limit = {.value = LIMIT_DEFAULT}};
	const char *name = NULL, *vocab = NULL;
	const struct positional positionals[] = {
		{"ARTIFACT", POSITIONAL_ONE, &x.path, "what 'gcdc compile' wrote"},
		{"TABLE", POSITIONAL_OPTIONAL, &name, "one of the tables below; without it: a summary"},
	};
	const struct option_spec options[] = {
		{.name = "state", .kind = OPTION_NUMBER, .to = &x.row, .value = "N", .most = UINT32_MAX - 1,
		 .help = "only the row of this number: a lexer state (lexer,\ntransducer, sequences, spanner, always), a parser\n"
		         "state (lr), a node (dependent), a set, ..."},
		{.name = "lr", .kind = OPTION_NUMBER, .to = &x.lr, .value = "N", .most = UINT32_MAX - 1,
		 .help = "only this parser state (always, dependent), or: ask\nthe parser, with this state on top (sequences)"},
		{.name = "terminal", .kind = OPTION_TEXT, .to = &x.terminal_name, .value = "NAME",
		 .help = "only rows with this terminal (name or number)"},
		{.name = "token", .kind = OPTION_NUMBER, .to = &x.token, .value = "ID", .most = UINT32_MAX - 1,
		 .help = "only rows with this token"},
		{.name = "text", .kind = OPTION_TEXT, .to = &x.text, .value = "TEXT",
		 .help = "only tokens that are this text (vocabulary)"},
		{.name = "limit", .kind = OPTION_NUMBER, .to = &x.limit, .value = "N", .most = UINT32_MAX,
		 .help = "rows to show (200); 0: all"},
		{.name = "vocab", .kind = OPTION_FILE, .to = &vocab, .value = "FILE.gcdv",
		 .help = "for an artifact that was compiled with --no-vocab"},
		{.name = "json", .kind = OPTION_FLAG, .to = &x.is_json, .help = "an object (summary) or an array of rows"},
	};
	const char *names[N_TABLES];
	char notes[2048] = "Tables:";
	size_t len = strlen(notes);
	for (size_t i = 0; i < N_TABLES; i++) {
		names[i] = tables[i].name;
		len += (size_t)snprintf(notes + len, sizeof notes - len, "\n  %-12s %s", tables[i].name, tables[i].about);
	}
	const struct usage usage = {.command = ME, .about = "Shows what is in an artifact.",
	                            USAGE_TABLES(positionals, options), .notes = notes};
	int code;
	if (!options_read(&usage, argc, argv, &code)) return code;
	const struct table *table = NULL;
	for (size_t i = 0; name && i < N_TABLES; i++)
		if (!strcmp(name, tables[i].name)) table = &tables[i];
	if (name && !table) {
		const char *guess = options_guess(name, names, N_TABLES);
		if (guess) cli_error(CODE_USAGE, ME, "there is no table '%s'; did you mean '%s'?", name, guess);
		else cli_error(CODE_USAGE, ME, "there is no table '%s'", name);
		fputs("Run 'gcdc inspect --help' for the tables.\n", stderr);
		return CODE_USAGE;
	}
	code = cli_open(ME, x.path, vocab, &x.artifact);
	if (!code) code = load_tables(&x);
	if (!code) code = read_filters(&x, table);
	if (!code) code = show(&x, table);
	gcdc_artifact_close(x.artifact);
	return code;
}
