// gcdc inspect: what is in an artifact.
//
// In:  an artifact, perhaps the name of a table and filters. Out: a summary (sizes, counts, hashes, worst cases), a
// table's rows as text or JSON, an automaton for Graphviz, or one HTML page with all of it. The artifact is opened as
// everywhere: what inspect shows has passed all checks. A new table is a line in inspect.h.
#include "inspect.h"

#define ME "inspect"
#define LIMIT_DEFAULT 200u
#define LIMIT_PAGE 20000u          // rows of a table in the HTML page
#define LIMIT_PAGE_BYTES 1800000u  // of JSON in all its tables; with the rest of the page: 2 MB

// By name, or by number; ARTIFACT_NONE: there is none.
static uint32_t terminal_of(const struct inspect *x, const char *name)
{
	for (uint32_t t = 0; t <= x->info->n_terminals; t++)
		if (!strcmp(view_terminal_name(&x->view, t), name)) return t;
	char *end;
	unsigned long n = strtoul(name, &end, 10);
	bool is_number = *name >= '0' && *name <= '9' && !*end;
	return is_number && n <= x->info->n_terminals ? (uint32_t)n : ARTIFACT_NONE;
}

static bool is_past(struct number n, uint32_t limit) { return n.given && (!n.value || n.value >= limit); }

// --text names a token, too; the table of tokens shows every one that has it.
static int read_text(struct inspect *x, const struct inspect_table *table)
{
	if (!x->text || !table || table->run == inspect_vocabulary) return CODE_OK;
	uint32_t token = view_token_of(&x->view, x->text, strlen(x->text));
	if (x->token.given) return cli_error(CODE_USAGE, ME, "--token and --text exclude each other");
	if (token == GCDC_NONE) return cli_error(CODE_USAGE, ME, "--text: no token of the vocabulary is exactly this text");
	x->token = (struct number){true, token};
	return CODE_OK;
}

// --terminal takes a name or a number; --state, --lr and --token must exist.
static int read_filters(struct inspect *x, const struct inspect_table *table)
{
	x->terminal = x->terminal_name ? terminal_of(x, x->terminal_name) : ARTIFACT_NONE;
	if (x->terminal_name && x->terminal == ARTIFACT_NONE)
		return cli_error(CODE_USAGE, ME, "there is no terminal '%s' ('gcdc inspect %s terminals' lists them)",
		                 x->terminal_name, x->view.path);
	int code = read_text(x, table);
	if (code) return code;
	if (x->token.given && x->token.value >= x->info->n_tokens)
		return cli_error(CODE_USAGE, ME, "--token %llu: the vocabulary has %u tokens",
		                 (unsigned long long)x->token.value, x->info->n_tokens);
	if (is_past(x->lr, x->info->n_lr_states))
		return cli_error(CODE_USAGE, ME, "--lr %llu: there are parser states 1 to %u", (unsigned long long)x->lr.value,
		                 x->info->n_lr_states - 1);
	if (table && table->flags & TABLE_BY_LEX_STATE && is_past(x->row, x->info->n_lex_states))
		return cli_error(CODE_USAGE, ME, "--state %llu: there are lexer states 1 to %u",
		                 (unsigned long long)x->row.value, x->info->n_lex_states - 1);
	return CODE_OK;
}

static int show(struct inspect *x, const struct inspect_table *table, bool is_dot)
{
	if (is_dot) return inspect_dot(x, table);
	if (x->is_json) json_begin(&x->json, stdout);
	int code = table ? inspect_run(x, table) : inspect_summary(x);
	if (x->is_json) json_end(&x->json);
	if (x->n_shown < x->n_rows)
		cli_note(ME, "%llu of %llu rows are shown; --limit 0 shows all", (unsigned long long)x->n_shown,
		         (unsigned long long)x->n_rows);
	return code;
}

static const struct inspect_table *find_table(const char *name, int *code)
{
	const char *names[INSPECT_MAX_TABLES];
	if (!strcmp(name, "lr")) name = "stacks";
	for (size_t i = 0; i < inspect_n_tables; i++) {
		if (!strcmp(name, inspect_tables[i].name)) return &inspect_tables[i];
		names[i] = inspect_tables[i].name;
	}
	const char *guess = options_guess(name, names, inspect_n_tables);
	*code = guess ? cli_error(CODE_USAGE, ME, "there is no table '%s'; did you mean '%s'?", name, guess)
	              : cli_error(CODE_USAGE, ME, "there is no table '%s'", name);
	fputs("Run 'gcdc inspect --help' for the tables.\n", stderr);
	return NULL;
}

// Branches: options that exclude each other, then one way to show for a page, a table and a summary.
int command_inspect(int argc, char **argv)
{
	struct inspect x = {.limit = {.value = LIMIT_DEFAULT}, .out = stdout};
	const char *path = NULL, *name = NULL, *vocab = NULL, *html = NULL, *tokenizer = NULL;
	bool is_dot = false;
	const struct positional positionals[] = {
		{"ARTIFACT", POSITIONAL_ONE, &path, "what 'gcdc compile' wrote"},
		{"TABLE", POSITIONAL_OPTIONAL, &name, "one of the tables below; without it: a summary"},
	};
	const struct option_spec options[] = {
		NUMBER_OPTION("state", &x.row, "N", 0, UINT32_MAX - 1,
	                  "only the row of this number: a lexer state (lexer,\ntransducer, sequences, spanner, always, "
	                  "lines), a parser\nstate (stacks), a node (dependent), a set, ..."),
		NUMBER_OPTION("lr", &x.lr, "N", 0, UINT32_MAX - 1,
	                  "only this parser state (always, dependent, lines), or:\nask the parser, with this state on top "
	                  "(sequences)"),
		TEXT_OPTION("terminal", &x.terminal_name, "NAME", "only rows with this terminal (name or number)"),
		NUMBER_OPTION("token", &x.token, "ID", 0, UINT32_MAX - 1, "only rows with this token"),
		TEXT_OPTION("text", &x.text, "TEXT",
	                "only rows with the token of exactly this text;\n--html: an example to walk through"),
		NUMBER_OPTION("limit", &x.limit, "N", 0, UINT32_MAX,
	                  "rows to show (200; --html: what fits into a page of 2 MB);\n0: all"),
		VOCAB_OPTION(&vocab),
		FLAG_OPTION("json", &x.is_json, "an object (summary) or an array of rows"),
		FLAG_OPTION("dot", &is_dot, "an automaton for Graphviz: lexer, stacks, dependent, automaton"),
		FILE_OPTION("html", &html, "FILE", "one page with everything, needing no network"),
		FILE_OPTION("tokenizer", &tokenizer, "FILE", "--html: cuts --text into tokens as the model does"),
	};
	char notes[4096] = "Tables:";
	size_t len = strlen(notes);
	for (size_t i = 0; i < inspect_n_tables; i++)
		len += (size_t)snprintf(notes + len, sizeof notes - len, "\n  %-12s %s", inspect_tables[i].name,
		                        inspect_tables[i].about);
	const struct usage usage = USAGE(ME, "Shows what is in an artifact.", positionals, options, notes);
	int code;
	if (!options_read(&usage, argc, argv, &code)) return code;
	const struct inspect_table *table = name ? find_table(name, &code) : NULL;
	if (name && !table) return code;
	if (is_dot + !!html + x.is_json > 1)
		return cli_error(CODE_USAGE, ME, "--json, --dot and --html exclude each other");
	if (html && (name || x.row.given || x.lr.given || x.token.given || x.terminal_name))
		return cli_error(CODE_USAGE, ME,
		                 "--html shows every table whole: no TABLE, --state, --lr, --token, --terminal");
	if (html && !x.limit.given) x.limit.value = LIMIT_PAGE, x.most_bytes = LIMIT_PAGE_BYTES;
	code = view_open(&x.view, ME, path, vocab);
	x.info = x.view.info;
	if (!code) code = read_filters(&x, table);
	if (!code) code = html ? inspect_html(&x, html, tokenizer) : show(&x, table, is_dot);
	view_close(&x.view);
	return code;
}
