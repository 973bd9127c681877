// A command's table as a manual page.
//
// In:  struct usage. Out: man(7) source. No date and no path: the same program gives the same pages.
#include "manual.h"

// A text in roff: a dash is a minus that can be copied, no line begins with a request. Lines are joined.
static void put_text(FILE *out, const char *text)
{
	bool at_begin = true;
	for (const char *c = text; *c; c++) {
		if (at_begin && (*c == '.' || *c == '\'')) fputs("\\&", out);
		if (*c == '-')
			fputs("\\-", out);
		else if (*c == '\\')
			fputs("\\e", out);
		else
			fputc(*c == '\n' ? ' ' : *c, out);
		at_begin = false;
	}
}

static void put_line(FILE *out, const char *text)
{
	put_text(out, text);
	fputc('\n', out);
}

// A text whose line breaks and indents stay.
static void put_lines(FILE *out, const char *text)
{
	fputs(".nf\n", out);
	for (const char *line = text;;) {
		const char *end = strchr(line, '\n');
		char *one = strndup(line, end ? (size_t)(end - line) : strlen(line));
		ASSERT(one);
		put_line(out, one);
		free(one);
		if (!end) break;
		line = end + 1;
	}
	fputs(".fi\n", out);
}

static void put_head(FILE *out, const char *title, const char *summary)
{
	fputs(".TH ", out);
	for (const char *c = title; *c; c++) fputc(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c, out);
	fprintf(out, " 1 \"\" \"gcdc %s\" \"gcdc manual\"\n.SH NAME\n", GCDC_VERSION);
	put_text(out, title);
	fputs(" \\- ", out);
	put_line(out, summary);
}

static void put_synopsis(FILE *out, const struct usage *u)
{
	fprintf(out, ".SH SYNOPSIS\n.B gcdc %s\n", u->command);
	for (uint32_t i = 0; i < u->n_positionals; i++) {
		const struct positional *p = &u->positionals[i];
		fprintf(out,
		        p->kind == POSITIONAL_OPTIONAL ? "[\\fI%s\\fR]\n"
		        : p->kind == POSITIONAL_MANY   ? "\\fI%s\\fR ...\n"
		                                       : "\\fI%s\\fR\n",
		        p->name);
	}
	for (uint32_t i = 0; i < u->n_options; i++)
		if (u->options[i].required)
			fprintf(out, "\\fB\\-\\-%s\\fR \\fI%s\\fR\n", u->options[i].name, u->options[i].value);
	fputs("[options]\n", out);
}

static void put_option(FILE *out, const struct option_spec *o)
{
	fputs(".TP\n", out);
	if (o->letter) fprintf(out, "\\fB\\-%c\\fR, ", o->letter);
	fputs("\\fB", out);
	put_text(out, "--");
	put_text(out, o->name);
	fputs("\\fR", out);
	if (o->value) {
		fputs(o->kind == OPTION_LIST ? "[=\\fI" : " \\fI", out);
		put_text(out, o->value);
		fputs(o->kind == OPTION_LIST ? "\\fR]" : "\\fR", out);
	}
	fputc('\n', out);
	put_line(out, o->help);
}

static void put_exit_codes(FILE *out)
{
	static const struct {
		const char *code, *text;
	} codes[] = {
		{"0", "done"},
		{"1", "nothing is wrong, the answer is no"},
		{"2", "the command line is wrong"},
		{"65", "wrong input: a grammar, a tokenizer, an artifact, a manifest; or a limit, which the message names"},
		{"70", "an internal error, or no memory"},
		{"74", "a file cannot be opened, read or written"},
	};
	fputs(".SH EXIT STATUS\n", out);
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
		fprintf(out, ".TP\n.B %s\n", codes[i].code);
		put_line(out, codes[i].text);
	}
}

static void put_command_page(FILE *out, const struct command *c, const struct usage *u)
{
	struct arena arena = {0};
	put_head(out, arena_printf(&arena, "gcdc-%s", c->name), c->summary);
	arena_release(&arena);
	put_synopsis(out, u);
	fputs(".SH DESCRIPTION\n", out);
	put_line(out, u->about);
	for (uint32_t i = 0; i < u->n_positionals; i++) {
		fprintf(out, ".TP\n.I %s\n", u->positionals[i].name);
		put_line(out, u->positionals[i].help);
	}
	fputs(".SH OPTIONS\n", out);
	for (uint32_t i = 0; i < u->n_options; i++) put_option(out, &u->options[i]);
	fputs(".TP\n\\fB\\-\\-help\\fR\nPrints a summary of these.\n", out);
	if (u->notes) {
		fputs(".SH NOTES\n", out);
		put_lines(out, u->notes);
	}
	put_exit_codes(out);
	fputs(".SH SEE ALSO\n.BR gcdc (1)\n", out);
}

void manual_page(FILE *out, const struct command *c, const struct usage *u, const struct command *all, uint32_t n)
{
	if (c) {
		put_command_page(out, c, u);
		return;
	}
	put_head(out, "gcdc", "exact token masks for constrained decoding, compiled offline");
	fputs(".SH SYNOPSIS\n.B gcdc\n\\fICOMMAND\\fR ...\n.SH DESCRIPTION\n", out);
	put_line(
		out,
		"Compiles a grammar or a JSON Schema and a tokenizer.json into one file, the artifact. From it a small runtime "
		"library says after every token exactly which tokens may come next.");
	fputs(".SH COMMANDS\n", out);
	for (uint32_t i = 0; i < n; i++) {
		fprintf(out, ".TP\n.BR gcdc\\-%s (1)\n", all[i].name);
		put_line(out, all[i].summary);
	}
	put_exit_codes(out);
	fputs(".SH EXAMPLES\n.nf\n"
	      "gcdc compile json.lark \\-\\-tokenizer tokenizer.json \\-o json.gcdc\n"
	      "gcdc mask json.gcdc \\-\\-prefix \\(aq{\"a\": \\(aq\n"
	      "gcdc build gcdc.yaml\n.fi\n.SH SEE ALSO\n",
	      out);
	for (uint32_t i = 0; i < n; i++) fprintf(out, ".BR gcdc\\-%s (1)%s\n", all[i].name, i + 1 < n ? "," : "");
}
