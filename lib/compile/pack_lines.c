// Columns of lines in the artifact's layout.
//
// In:  the tables' rows of blanks and tops. Out: BLANK, LINE_TOP, what INFO says of columns.
#include "pack.h"

void pack_lines(const struct tables *t, struct compiled *out)
{
	struct artifact_image *m = &out->image;
	const struct line_tables *l = &t->lines;
	if (!l->columns) return;
	struct artifact_info *i = &m->info;
	i->newline = l->columns->newline, i->indent = l->columns->indent, i->dedent = l->columns->dedent;
	i->tab = l->columns->tab;
	i->tab_rule = l->columns->tab_rule == TAB_STOPS    ? ARTIFACT_TAB_STOPS
	              : l->columns->tab_rule == TAB_COUNTS ? ARTIFACT_TAB_COUNTS
	                                                   : ARTIFACT_TAB_REFUSED;
	i->end_newline = l->columns->end_newline;
	i->n_lines = l->n_states, i->n_blanks = l->rows.n, i->n_widths = l->n_widths, i->n_line_tops = l->n_tops;
	i->line_start = l->first_start;
	struct artifact_blank *blanks = arena_array(&out->arena, l->rows.n, sizeof *blanks);
	m->blanks = memcpy(blanks, l->rows.at, l->rows.n * sizeof *blanks);
	uint32_t *tops = arena_array(&out->arena, i->n_lr_states, sizeof *tops);
	m->line_tops = memcpy(tops, l->top_of, i->n_lr_states * sizeof *tops);
}
