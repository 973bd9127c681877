// inspect: the lexer's states, the always-accepted and the context-dependent table, sets, lines, tokens.
//
// In:  an artifact's tables. Out: a row each; --state picks the row's first number. Cost: O(rows), with samples of
// sets.
#include "inspect.h"
#include "base/text_show.h"

// The bytes that lead on in one way, as ranges.
static void put_byte_set(struct inspect *x, const bool set[256])
{
	char *text = NULL;
	size_t size;
	FILE *f = text_stream(&text, &size);
	text_show_byte_set(f, set);
	fclose(f);
	row_string(x, "on", text);
	free(text);
}

static void put_transitions(struct inspect *x, uint32_t q)
{
	bool done[256] = {0};
	row_list(x, "next");
	for (uint32_t b = 0; b < 256; b++) {
		uint32_t to = view_lex_next(&x->view, q, (uint8_t)b);
		if (done[b] || !to) continue;
		bool set[256] = {0};
		for (uint32_t c = b; c < 256; c++)
			if (view_lex_next(&x->view, q, (uint8_t)c) == to) set[c] = done[c] = true;
		row_group(x);
		put_byte_set(x, set);
		if (to & LEX_STATE_MASK) row_uint(x, "to", to & LEX_STATE_MASK);
		row_flag(x, "cut", to & LEX_CUT);
		row_close(x, false);
	}
	row_close(x, true);
}

int inspect_lexer(struct inspect *x)
{
	for (uint32_t q = 1; q < x->info->n_lex_states; q++) {
		const struct artifact_lex_state *y = view_lex_state(&x->view, q);
		if ((x->row.given && x->row.value != q) || (x->terminal != ARTIFACT_NONE && x->terminal != y->terminal))
			continue;
		if (!row_begin(x)) continue;
		row_uint(x, "lex_state", q);
		row_flag(x, "start", q == x->info->start_lex_state);
		if (y->terminal != ARTIFACT_NONE) {
			row_string(x, "terminal", view_terminal_name(&x->view, y->terminal));
			row_uint(x, "obligation", y->obligation);
		}
		if (y->also) row_uint(x, "also", y->also);
		if (y->without) row_uint(x, "without", y->without);
		row_flag(x, "may_end", y->flags & LEX_MAY_END);
		row_flag(x, "initial", y->flags & LEX_INITIAL);
		row_flag(x, "unfailable", y->flags & LEX_UNFAILABLE);
		put_transitions(x, q);
		row_end(x);
	}
	return CODE_OK;
}

int inspect_always(struct inspect *x)
{
	for (uint32_t q = 1; q < x->info->n_lex_states; q++) {
		if (x->row.given && x->row.value != q) continue;
		for (uint32_t s = 1; s < x->info->n_lr_states; s++) {
			struct artifact_start start;
			if ((x->lr.given && x->lr.value != s) || !view_start(&x->view, q, s, &start)) continue;
			if (x->token.given && !view_set_has(&x->view, start.set, (uint32_t)x->token.value)) continue;
			if (!row_begin(x)) continue;
			row_uint(x, "lex_state", q);
			row_uint(x, "lr_state", s);
			row_uint(x, "node", start.node);
			row_set(x, start.set, INSPECT_SAMPLE);
			row_end(x);
		}
	}
	return CODE_OK;
}

static void put_target(struct inspect *x, struct artifact_target to)
{
	row_set(x, to.set, 0);
	row_uint(x, "next", to.next);
	row_close(x, false);
}

int inspect_dependent(struct inspect *x)
{
	for (uint32_t i = 1; i < x->info->n_nodes; i++) {
		if ((x->row.given && x->row.value != i) || !row_begin(x)) continue;
		struct view_node node = view_node(&x->view, i);
		row_uint(x, "node", i);
		row_uint(x, "skip", node.skip);
		row_list(x, "edges");
		for (uint32_t k = 0; k < node.n_edges; k++) {
			struct view_edge e = view_edge(&x->view, i, k);
			if (x->lr.given && x->lr.value != e.lr_state) continue;
			if (x->token.given && !view_set_has(&x->view, e.to.set, (uint32_t)x->token.value)) continue;
			row_group(x);
			row_uint(x, "lr_state", e.lr_state);
			put_target(x, e.to);
		}
		row_close(x, true);
		row_list(x, "else");
		row_group(x);
		put_target(x, node.other);
		row_close(x, true);
		row_end(x);
	}
	return CODE_OK;
}

int inspect_sets(struct inspect *x)
{
	for (uint32_t i = 0; i < x->info->n_sets; i++) {
		if ((x->row.given && x->row.value != i) ||
		    (x->token.given && !view_set_has(&x->view, i, (uint32_t)x->token.value)))
			continue;
		if (!row_begin(x)) continue;
		struct artifact_set s = view_set(&x->view, i);
		row_set(x, i, x->row.given ? UINT32_MAX : INSPECT_SAMPLE);
		row_id(x, "row", s.dense);
		row_uint(x, "listed", s.n);
		row_end(x);
	}
	return CODE_OK;
}

// ---- Indentation.
static const char *const blank_kind[] = {
	[ARTIFACT_BLANK_WIDTH] = "width", [ARTIFACT_BLANK_OR_MORE] = "or_more", [ARTIFACT_BLANK_TAB] = "tab"};

int inspect_blanks(struct inspect *x)
{
	for (uint32_t i = 0; i < x->info->n_blanks; i++) {
		if ((x->row.given && x->row.value != i) || !row_begin(x)) continue;
		struct artifact_blank b = view_blank(&x->view, i);
		row_uint(x, "blank", i);
		row_string(x, "kind", blank_kind[b.kind]);
		row_uint(x, "spaces", b.spaces);
		row_uint(x, "rest", b.rest);
		row_end(x);
	}
	return CODE_OK;
}

int inspect_line_tops(struct inspect *x)
{
	for (uint32_t s = 1; s < x->info->n_lr_states; s++) {
		uint32_t top = view_line_top(&x->view, s);
		if (top == ARTIFACT_NONE || (x->row.given && x->row.value != top) || (x->lr.given && x->lr.value != s))
			continue;
		if (!row_begin(x)) continue;
		row_uint(x, "top", top);
		row_uint(x, "lr_state", s);
		row_list(x, "terminals");
		for (uint32_t t = 0; t < x->info->n_terminals; t++)
			if (view_context_has(&x->view, view_context_of(&x->view, s), t))
				row_string(x, NULL, view_terminal_name(&x->view, t));
		row_close(x, true);
		row_end(x);
	}
	return CODE_OK;
}

// A row for each (lexer state behind a newline, blanks, parser state behind the column) that allows something.
int inspect_lines(struct inspect *x)
{
	for (uint32_t q = 1; q < x->info->n_lex_states; q++) {
		const struct artifact_lex_state *lex = view_lex_state(&x->view, q);
		if (!(lex->flags & LEX_LINE) || (x->row.given && x->row.value != q)) continue;
		for (uint32_t i = 0; i < x->info->n_blanks; i++) {
			struct artifact_blank b = view_blank(&x->view, i);
			for (uint32_t s = 1; s < x->info->n_lr_states; s++) {
				uint32_t top = view_line_top(&x->view, s);
				if (top == ARTIFACT_NONE || (x->lr.given && x->lr.value != s)) continue;
				struct artifact_start start = view_line_start(&x->view, lex->line, i, top);
				if (!start.node && !view_set(&x->view, start.set).count) continue;
				if (x->token.given && !view_set_has(&x->view, start.set, (uint32_t)x->token.value)) continue;
				if (!row_begin(x)) continue;
				row_uint(x, "lex_state", q);
				row_uint(x, "blank", i);
				row_string(x, "kind", blank_kind[b.kind]);
				row_uint(x, "spaces", b.spaces);
				row_uint(x, "lr_state", s);
				row_uint(x, "node", start.node);
				row_set(x, start.set, INSPECT_SAMPLE);
				row_end(x);
			}
		}
	}
	return CODE_OK;
}

int inspect_vocabulary(struct inspect *x)
{
	size_t wanted = x->text ? strlen(x->text) : 0;
	for (uint32_t t = 0; t < x->info->n_tokens; t++) {
		uint32_t len;
		const uint8_t *bytes = gcdc_artifact_token(x->view.artifact, t, &len);
		if ((x->token.given && x->token.value != t) || (x->row.given && x->row.value != t)) continue;
		if (x->text && (len != wanted || memcmp(bytes, x->text, len))) continue;
		if (!row_begin(x)) continue;
		row_uint(x, "token", t);
		row_token_text(x, t);
		row_flag(x, "not_text", !len);
		row_end(x);
	}
	return CODE_OK;
}

int inspect_eos(struct inspect *x)
{
	uint32_t n;
	const uint32_t *eos = gcdc_artifact_eos(x->view.artifact, &n);
	for (uint32_t i = 0; i < n; i++) {
		if (!row_begin(x)) continue;
		row_uint(x, "token", eos[i]);
		row_end(x);
	}
	return CODE_OK;
}
