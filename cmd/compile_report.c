// The conflicts of a grammar, for people and as JSON.
//
// In:  struct lr_report. Out: kept conflicts first, each with its terminal, a shortest text, and the rules with their
// places.
#include "compile_report.h"

#include "cli.h"

static void print_way(const struct lr_way *w, FILE *out)
{
	fprintf(out, "    %s %s", w->shifts ? "goes on with" : "finishes    ", w->text);
	if (w->loc.source) {
		uint32_t line, column;
		source_position(w->loc.source, w->loc.offset, &line, &column);
		fprintf(out, "  (%s:%u:%u)", w->loc.source->path, line, column);
	}
	fprintf(out, "%s\n", w->kept ? "" : "  never needed");
}

static void print_conflict(const struct lr_conflict *c, FILE *out)
{
	fprintf(out, "\n%s: %s\n", c->n_kept ? "kept" : "proved away", c->example);
	for (uint32_t i = 0; i < c->n_ways; i++) print_way(&c->ways[i], out);
	if (c->n_kept && c->n_kept < c->n_cells)
		fprintf(out, "    in %u of %u parser states; in the others it is proved away\n", c->n_kept, c->n_cells);
}

void report_print(const struct compiled *c, FILE *out)
{
	const struct lr_report *r = &c->report;
	fprintf(out, "conflicts: %u, proved away: %u, kept: %u\n", r->n_conflicts, r->n_conflicts - r->n_kept, r->n_kept);
	if (r->n_unproved)
		fprintf(out, "the search for proofs ended at its limit in %u place%s\n", r->n_unproved, cli_s(r->n_unproved));
	if (c->had_loops)
		fputs("rules that contain only themselves, or begin with themselves behind something empty, were rewritten\n",
		      out);
	if (r->may_grow)
		fputs("stacks of one text: several, and they may grow with the text (max_stacks bounds them)\n", out);
	else
		fprintf(out, "stacks of one text: at most %u\n", r->most_stacks);
	for (int kept = 1; kept >= 0; kept--)
		for (uint32_t i = 0; i < r->n_conflicts; i++)
			if ((r->conflicts[i].n_kept > 0) == kept) print_conflict(&r->conflicts[i], out);
}

void report_json(const struct compiled *c, struct json *j)
{
	const struct lr_report *r = &c->report;
	json_uint_entry(j, "conflicts_proved", r->n_conflicts - r->n_kept);
	json_uint_entry(j, "conflicts_kept", r->n_kept);
	json_uint_entry(j, "conflicts_limited", r->n_unproved);
	json_bool_entry(j, "loops_rewritten", c->had_loops);
	json_bool_entry(j, "stacks_may_grow", r->may_grow);
	if (!r->may_grow) json_uint_entry(j, "stacks_most", r->most_stacks);
	json_key(j, "conflicts");
	json_array(j);
	for (uint32_t i = 0; i < r->n_conflicts; i++) {
		const struct lr_conflict *x = &r->conflicts[i];
		json_object(j);
		json_string_entry(j, "terminal", x->terminal_text);
		json_string_entry(j, "example", x->example);
		json_uint_entry(j, "parser_states", x->n_cells);
		json_uint_entry(j, "parser_states_kept", x->n_kept);
		json_key(j, "ways");
		json_array(j);
		for (uint32_t k = 0; k < x->n_ways; k++) {
			const struct lr_way *w = &x->ways[k];
			json_object(j);
			json_string_entry(j, "does", w->shifts ? "goes on" : "finishes");
			json_string_entry(j, "rule", w->text);
			if (w->loc.source) {
				uint32_t line, column;
				source_position(w->loc.source, w->loc.offset, &line, &column);
				json_string_entry(j, "file", w->loc.source->path);
				json_uint_entry(j, "line", line);
				json_uint_entry(j, "column", column);
			}
			json_bool_entry(j, "kept", w->kept);
			json_close(j);
		}
		json_close(j);
		json_close(j);
	}
	json_close(j);
}
