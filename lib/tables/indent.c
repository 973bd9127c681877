// Blanks at the beginning of tokens, by the column they lead to. See indent.h.
//
// Blanks without tabs (or with tabs that count for a fixed number of columns) move the column by their width; so do
// tabs to stops once one has been met: the column is then a stop and more. So the rows are few: the widths of blanks in
// the vocabulary that something follows. Cost: trie nodes below blanks, for each lex_state that ends a line; the rows
// for each top that can follow.
#include "indent.h"

#include "../../formats/artifact.h"

#define NONE UINT32_MAX

// Blanks: `spaces` columns; with a tab (BLANK_TAB): then to the next stop, then `rest` columns more.
struct blanks {
	uint32_t kind, spaces, rest;
};

struct line_start {
	struct blanks blanks;
	trie_node node;  // whose byte is no blank
};

static bool add_blank(const struct indentation *columns, uint8_t byte, struct blanks *b)
{
	if (byte == '\t' && columns->tab_rule == TAB_REFUSED) return false;
	uint32_t width = byte == ' ' ? 1 : columns->tab;
	if (byte == '\t' && columns->tab_rule == TAB_STOPS && b->kind != ARTIFACT_BLANK_TAB)
		b->kind = ARTIFACT_BLANK_TAB;
	else if (b->kind != ARTIFACT_BLANK_TAB)
		b->spaces += width;
	else
		b->rest += byte == ' ' ? 1 : columns->tab - b->rest % columns->tab;
	return true;
}

static int compare_place(const void *a, const void *b)
{
	const struct line_start *x = a, *y = b;
	int by_blanks = 0;
	if (x->blanks.kind != y->blanks.kind)
		by_blanks = x->blanks.kind > y->blanks.kind ? 1 : -1;
	else if (x->blanks.spaces != y->blanks.spaces)
		by_blanks = x->blanks.spaces > y->blanks.spaces ? 1 : -1;
	else if (x->blanks.rest != y->blanks.rest)
		by_blanks = x->blanks.rest > y->blanks.rest ? 1 : -1;
	return by_blanks ? by_blanks : (x->node > y->node) - (x->node < y->node);
}

typedef VEC(struct line_start) places;

// Preorder; `open` are the nodes above the one at hand, all blanks.
static void find_places(const struct lexer *x, const struct trie *t, struct lines *l, places *out)
{
	VEC(struct {
		trie_node end;
		struct blanks blanks;
		bool counts;
	})
	open = {0};
	for (trie_node n = 1; n < t->n_nodes;) {
		while (open.n && n >= open.at[open.n - 1].end) open.n--;
		struct blanks b = {ARTIFACT_BLANK_WIDTH, 0, 0};
		bool counts = true;
		if (open.n) b = open.at[open.n - 1].blanks, counts = open.at[open.n - 1].counts;
		bits_set(l->blank_path, n);
		if (x->is_blank[t->byte[n]]) {
			counts = counts && add_blank(x->indentation, t->byte[n], &b);
			vec_push(&open, ((__typeof__(*open.at)){t->end[n], b, counts}));
			n++;
		} else {
			if (counts) vec_push(out, ((struct line_start){b, n}));
			n = t->end[n];
		}
	}
	vec_release(&open);
	if (out->n) qsort(out->at, out->n, sizeof *out->at, compare_place);
}

static bool same_blanks(const struct line_start *a, const struct line_start *b)
{
	return a->blanks.kind == b->blanks.kind && a->blanks.spaces == b->blanks.spaces && a->blanks.rest == b->blanks.rest;
}

static void find_rows(const places *p, struct line_tables *out)
{
	vec_push(&out->rows, ((struct artifact_blank){ARTIFACT_BLANK_WIDTH, 0, 0}));
	for (uint32_t i = 0; i < p->n; i++)
		if (p->at[i].blanks.kind == ARTIFACT_BLANK_WIDTH &&
		    p->at[i].blanks.spaces != out->rows.at[out->rows.n - 1].spaces)
			vec_push(&out->rows, ((struct artifact_blank){ARTIFACT_BLANK_WIDTH, p->at[i].blanks.spaces, 0}));
	out->n_widths = out->rows.n;
	for (uint32_t i = 0; i < out->n_widths; i++)
		vec_push(&out->rows, ((struct artifact_blank){ARTIFACT_BLANK_OR_MORE, out->rows.at[i].spaces, 0}));
	for (uint32_t i = 0; i < p->n; i++)
		if (p->at[i].blanks.kind == ARTIFACT_BLANK_TAB && (i == 0 || !same_blanks(&p->at[i - 1], &p->at[i])))
			vec_push(&out->rows,
			         ((struct artifact_blank){ARTIFACT_BLANK_TAB, p->at[i].blanks.spaces, p->at[i].blanks.rest}));
}

static bool is_in_row(const struct artifact_blank *row, const struct blanks *b)
{
	if (row->kind == ARTIFACT_BLANK_OR_MORE) return b->kind == ARTIFACT_BLANK_WIDTH && b->spaces >= row->spaces;
	return b->kind == row->kind && b->spaces == row->spaces && b->rest == row->rest;
}

// What follows the blanks of each row when they end the newline that is pending in q.
static void find_remainders(const struct lexer *x, struct walker *whole, const places *p, lex_state q, struct lines *l)
{
	VEC(trie_node) nodes = {0};
	for (uint32_t r = 0; r < l->out->rows.n; r++) {
		vec_clear(&nodes);
		for (uint32_t i = 0; i < p->n; i++) {
			uint32_t to = lexer_next(x, q, whole->trie->byte[p->at[i].node]);
			if (to & LEX_CUT && is_in_row(&l->out->rows.at[r], &p->at[i].blanks)) vec_push(&nodes, p->at[i].node);
		}
		// Ascending, as in other rests.
		for (uint32_t i = 1; i < nodes.n; i++)
			for (uint32_t k = i; k > 0 && nodes.at[k - 1] > nodes.at[k]; k--) {
				trie_node y = nodes.at[k];
				nodes.at[k] = nodes.at[k - 1], nodes.at[k - 1] = y;
			}
		vec_push(&l->remainders, walker_remainder(whole, x->info[q].obligation, false, nodes.at, nodes.n));
	}
	vec_release(&nodes);
}

static void find_tops(const struct lr *lr, const struct indentation *columns, struct lines *l)
{
	uint8_t *made = mem_calloc(lr->n_states, 1);
	const terminal_id entry[] = {columns->newline, columns->dedent, columns->indent};
	for (int k = 0; k < 3; k++)
		for (lr_state s = LR_BOTTOM; s < lr->n_states; s++) {
			uint32_t n, one;
			const uint32_t *a = lr_actions(lr, s, entry[k], &n, &one);
			for (uint32_t i = 0; i < n; i++)
				if (ACTION_IS_SHIFT(a[i])) made[a[i] / 2] |= k < 2 ? LINE_SAME : LINE_DEEPER;
		}
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++) {
		l->out->top_of[s] = made[s] ? l->tops.n : NONE;
		if (!made[s]) continue;
		vec_push(&l->tops, s);
		vec_push(&l->made, made[s]);
	}
	free(made);
}

void lines_build(const struct lexer *x, const struct lr *lr, struct walker *whole, struct line_tables *out,
                 struct lines *l)
{
	*l = (struct lines){.out = out};
	out->state_of = mem_calloc(x->n_states, sizeof *out->state_of);
	out->top_of = mem_calloc(lr->n_states, sizeof *out->top_of);
	memset(out->state_of, 0xff, x->n_states * sizeof *out->state_of);
	memset(out->top_of, 0xff, lr->n_states * sizeof *out->top_of);
	if (!x->indentation) return;
	out->columns = x->indentation;
	l->blank_path = mem_calloc(BITS_WORDS(whole->trie->n_nodes), sizeof *l->blank_path);
	places p = {0};
	find_places(x, whole->trie, l, &p);
	find_rows(&p, out);
	for (lex_state q = 1; q < x->n_states; q++) {
		if (!(x->info[q].flags & LEX_LINE)) continue;
		out->state_of[q] = l->states.n;
		vec_push(&l->states, q);
		find_remainders(x, whole, &p, q, l);
	}
	find_tops(lr, x->indentation, l);
	out->n_states = l->states.n, out->n_tops = l->tops.n;
	vec_release(&p);
}

void lines_release(struct lines *l)
{
	free(l->blank_path);
	vec_release(&l->states);
	vec_release(&l->tops);
	vec_release(&l->made);
	vec_release(&l->remainders);
}

bool lines_use(const struct lines *l, uint32_t row, uint32_t top)
{
	uint32_t kind = l->out->rows.at[row].kind;
	return kind == ARTIFACT_BLANK_TAB || l->made.at[top] & (kind == ARTIFACT_BLANK_OR_MORE ? LINE_DEEPER : LINE_SAME);
}
