// inspect: what it costs, in tokens, to end the lexeme that is pending, and to finish what is open on the stack.
//
// In:  an artifact's tables of costs (formats/artifact.md, 6). Out: for each lexer state how its lexeme can end, in how
// many tokens; with --lr what a frame of that parser state answers: the fewest tokens to the end of the text, or so
// many frames down and then so many tokens more. Cost: O(rows).
#include "inspect.h"

struct cost_tables {
	const struct artifact_cost_info *info;
	const uint32_t *row_of, *rows, *transition_at;
	const struct artifact_cost_emit *emits;
	const struct artifact_cost_transition *transitions;
	const struct artifact_cost_list *lists;
	const struct artifact_cost_step *steps;
};

static bool take(const struct inspect *x, struct cost_tables *t)
{
	size_t n;
	const gcdc_artifact *a = x->view.artifact;
	t->info = gcdc_artifact_section(a, SECTION_COST_INFO, &n);
	t->row_of = gcdc_artifact_section(a, SECTION_COST_ROW_OF, &n),
	t->rows = gcdc_artifact_section(a, SECTION_COST_ROW, &n);
	t->emits = gcdc_artifact_section(a, SECTION_COST_EMIT, &n),
	t->transition_at = gcdc_artifact_section(a, SECTION_COST_TRANSITION_AT, &n);
	t->transitions = gcdc_artifact_section(a, SECTION_COST_TRANSITION, &n),
	t->lists = gcdc_artifact_section(a, SECTION_COST_LIST, &n);
	t->steps = gcdc_artifact_section(a, SECTION_COST_STEP, &n);
	return t->info != NULL;
}

// What a frame answers to each control.
static void put_answers(struct inspect *x, const struct cost_tables *t, uint32_t s)
{
	for (uint32_t i = t->transition_at[s]; i < t->transition_at[s + 1]; i++) {
		const struct artifact_cost_list *l = &t->lists[t->transitions[i].list];
		if (!row_begin(x)) continue;
		row_uint(x, "lr_state", s);
		row_uint(x, "control", t->transitions[i].control);
		row_id(x, "to_end", l->final);
		row_list(x, "steps");
		for (uint32_t k = l->first; k < l->first + l->n; k++) {
			row_group(x);
			row_uint(x, "pop", t->steps[k].pop);
			row_uint(x, "control", t->steps[k].control);
			row_uint(x, "tokens", t->steps[k].weight);
			row_close(x, false);
		}
		row_close(x, true);
		row_end(x);
	}
}

int inspect_costs(struct inspect *x)
{
	struct cost_tables t;
	if (!take(x, &t)) return CODE_OK;
	for (uint32_t s = 1; x->lr.given && s < x->info->n_lr_states; s++)
		if (x->lr.value == s) put_answers(x, &t, s);
	for (uint32_t q = 1; q < x->info->n_lex_states && !x->lr.given; q++) {
		if ((x->row.given && x->row.value != q) || !row_begin(x)) continue;
		row_uint(x, "lex_state", q);
		row_list(x, "ends");
		for (uint32_t i = t.rows[t.row_of[q]]; i < t.rows[t.row_of[q] + 1]; i++) {
			const struct artifact_cost_emit *e = &t.emits[i];
			row_group(x);
			row_string(x, "as",
			           e->terminal < x->info->n_terminals ? view_terminal_name(&x->view, e->terminal)
			           : e->terminal == ARTIFACT_NONE     ? "nothing"
			                                              : "a line's column");
			row_uint(x, "tokens", e->weight);
			row_id(x, "control", e->control);
			row_close(x, false);
		}
		row_close(x, true);
		row_end(x);
	}
	return CODE_OK;
}
