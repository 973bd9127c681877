// The conflicts of a grammar, for people and as JSON.
//
// In:  a compilation that kept them. Out: kept conflicts first, each with its terminal, a shortest text, and the rules
// with their
// places.
#include "compile_report.h"

#include "cli.h"

static gcdc_figure figure_named(const gcdc_compiled *c, const char *name, bool is_seconds)
{
	gcdc_figure f;
	for (size_t i = 0; gcdc_compiled_figure(c, i, &f); i++)
		if (f.is_seconds == is_seconds && !strcmp(f.name, name)) return f;
	return (gcdc_figure){.name = name};
}

uint64_t figure_count(const gcdc_compiled *c, const char *name) { return figure_named(c, name, false).count; }
double figure_seconds(const gcdc_compiled *c, const char *name) { return figure_named(c, name, true).seconds; }

static void print_way(const gcdc_conflict_way *w, FILE *out)
{
	fprintf(out, "    %s %s", w->goes_on ? "goes on with" : "finishes    ", w->rule);
	if (w->line) fprintf(out, "  (%s:%u:%u)", w->path, w->line, w->column);
	fprintf(out, "%s\n", w->kept ? "" : "  never needed");
}

static void print_conflict(const gcdc_conflict *c, FILE *out)
{
	fprintf(out, "\n%s: %s\n", c->n_kept ? "kept" : "proved away", c->example);
	for (uint32_t i = 0; i < c->n_ways; i++) print_way(&c->ways[i], out);
	if (c->n_kept && c->n_kept < c->n_states)
		fprintf(out, "    in %u of %u parser states; in the others it is proved away\n", c->n_kept, c->n_states);
}

static bool may_grow(const gcdc_compiled *c) { return figure_count(c, "stacks_most") == UINT32_MAX; }

void report_print(const gcdc_compiled *c, FILE *out)
{
	const unsigned long long n = figure_count(c, "conflicts"), kept = figure_count(c, "conflicts_kept"),
							 unproved = figure_count(c, "conflicts_limited");
	gcdc_conflict x;
	fprintf(out, "conflicts: %llu, proved away: %llu, kept: %llu\n", n, n - kept, kept);
	if (unproved) fprintf(out, "the search for proofs ended at its limit in %llu place%s\n", unproved, cli_s(unproved));
	if (figure_count(c, "loops_rewritten"))
		fputs("rules that contain only themselves, or begin with themselves behind something empty, were rewritten\n",
		      out);
	if (may_grow(c))
		fputs("open parses of one text, each with a stack: may grow with the text (max_stacks bounds the work)\n", out);
	else
		fprintf(out, "open parses of one text, each with a stack: at most %llu\n",
		        (unsigned long long)figure_count(c, "stacks_most"));
	for (int first = 1; first >= 0; first--)
		for (size_t i = 0; gcdc_compiled_conflict(c, i, &x); i++)
			if ((x.n_kept > 0) == first) print_conflict(&x, out);
}

static void way_json(const gcdc_conflict_way *w, struct json_writer *j)
{
	json_object(j);
	json_string_entry(j, "does", w->goes_on ? "goes on" : "finishes");
	json_string_entry(j, "rule", w->rule);
	if (w->line) {
		json_string_entry(j, "file", w->path);
		json_uint_entry(j, "line", w->line);
		json_uint_entry(j, "column", w->column);
	}
	json_bool_entry(j, "kept", w->kept);
	json_close(j);
}

void report_json(const gcdc_compiled *c, struct json_writer *j)
{
	const uint64_t kept = figure_count(c, "conflicts_kept");
	gcdc_conflict x;
	json_uint_entry(j, "conflicts_proved", figure_count(c, "conflicts") - kept);
	json_uint_entry(j, "conflicts_kept", kept);
	json_uint_entry(j, "conflicts_limited", figure_count(c, "conflicts_limited"));
	json_bool_entry(j, "loops_rewritten", figure_count(c, "loops_rewritten") != 0);
	json_bool_entry(j, "stacks_may_grow", may_grow(c));
	if (!may_grow(c)) json_uint_entry(j, "stacks_most", figure_count(c, "stacks_most"));
	json_key(j, "conflicts");
	json_array(j);
	for (size_t i = 0; gcdc_compiled_conflict(c, i, &x); i++) {
		json_object(j);
		json_string_entry(j, "terminal", x.terminal);
		json_string_entry(j, "example", x.example);
		json_uint_entry(j, "parser_states", x.n_states);
		json_uint_entry(j, "parser_states_kept", x.n_kept);
		json_key(j, "ways");
		json_array(j);
		for (uint32_t k = 0; k < x.n_ways; k++) way_json(&x.ways[k], j);
		json_close(j);
		json_close(j);
	}
	json_close(j);
}
