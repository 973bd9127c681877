// Tokens that leave a newline pending whose column will decide: which of them fit.
//
// In:  a *site*, found while a program was made: states to be put on the frame read, and a set of tokens that end there in
// the lexer state of a pending newline.  Out: the part of the set that fits.
// What such a token costs depends on its column alone: the columns that are open (and one deeper) each have a price, and blanks lead
// to them, perhaps after one more newline (price.c). So the set is cut into groups of one column, once; columns deeper than the
// deepest open one cost the same. Mostly one more newline is cheap enough, and the whole set fits.
// A token without a newline in it moves the column of the text by its width. Those with tabs are tried.
// Cost: a push for each open column; for each site where something does not fit, the columns that are open.
#include "programs.h"

#include <stdlib.h>

#include "price.h"

// In .words: n_groups, n_tried; groups of four; tokens by group; tokens to be tried.
struct group { uint32_t moves, column, first, n; };   // moves: column is a width
struct line_token { uint32_t moves, column, token; };

static int compare_token(const void *a, const void *b)
{
	const struct line_token *x = a, *y = b;
	if (x->moves != y->moves) return x->moves < y->moves ? -1 : 1;
	if (x->column != y->column) return x->column < y->column ? -1 : 1;
	return (x->token > y->token) - (x->token < y->token);
}

// The groups of a set: where in .words.
static gcdc_status groups_of(const struct gcdc_artifact *a, struct programs *x, uint32_t set, uint32_t *at)
{
	bool is_new, ok = true;
	uint32_t *known = pairs_add(x->memory, &x->of_line, set, 0, &is_new), n = 0, n_tried = 0, n_groups = 0;
	if (!known) return GCDC_ERR_MEMORY;
	*at = *known;
	if (!is_new && *known) return GCDC_OK;
	uint32_t count = a->sets[set].count;
	struct line_token *t = memory_resize(x->memory, NULL, (size_t)count + 1, sizeof *t);
	uint32_t *tried = memory_resize(x->memory, NULL, (size_t)count + 1, sizeof *tried);
	ok = t && tried;
	for (struct set_words w = set_words(a, &a->sets[set]); ok && set_words_next(a, &w);)
		for (uint32_t b = w.bits; b; b &= b - 1) {
			uint32_t token = w.word * 32 + (uint32_t)__builtin_ctz(b), begin = a->token_offset[token], end = a->token_offset[token + 1];
			uint32_t column = text_column(a, 0, a->token_bytes + begin, a->token_bytes + end);
			bool moves = true, has_tab = false;
			for (uint32_t i = begin; i < end; i++) {
				moves &= a->token_bytes[i] == ' ' || a->token_bytes[i] == '\t';
				has_tab |= a->token_bytes[i] == '\t';
			}
			if (moves && has_tab) tried[n_tried++] = token;
			else t[n++] = (struct line_token){moves, column, token};
		}
	if (ok && n) qsort(t, n, sizeof *t, compare_token);
	for (uint32_t i = 0; i < n; i++) n_groups += !i || t[i].moves != t[i - 1].moves || t[i].column != t[i - 1].column;
	if (ok && !x->words.n) ok = numbers_push(x->memory, &x->words, 0);
	*at = x->words.n;
	ok = ok && numbers_push(x->memory, &x->words, n_groups) && numbers_push(x->memory, &x->words, n_tried);
	for (uint32_t i = 0, end; i < n && ok; i = end) {
		for (end = i; end < n && t[end].moves == t[i].moves && t[end].column == t[i].column;) end++;
		const uint32_t group[] = {t[i].moves, t[i].column, i, end - i};
		for (int k = 0; k < 4 && ok; k++) ok = numbers_push(x->memory, &x->words, group[k]);
	}
	for (uint32_t i = 0; i < n && ok; i++) ok = numbers_push(x->memory, &x->words, t[i].token);
	for (uint32_t i = 0; i < n_tried && ok; i++) ok = numbers_push(x->memory, &x->words, tried[i]);
	memory_free(x->memory, t);
	memory_free(x->memory, tried);
	if (!ok) return GCDC_ERR_MEMORY;
	*known = *at;
	return GCDC_OK;
}

// The groups whose bit is set in x->key, as a part.
static gcdc_status part_of_groups(struct programs *x, uint32_t at, uint32_t *part)
{
	bool is_new;
	uint32_t slot = word_lists_add(x, &x->slots, x->key.at, x->key.n, &is_new);
	if (slot == ARTIFACT_NONE) return GCDC_ERR_MEMORY;
	*part = x->slots.list[slot].value;
	if (*part != ARTIFACT_NONE) return GCDC_OK;
	uint32_t n_groups = x->words.at[at], tokens = at + 2 + 4 * n_groups;
	x->tokens.n = 0;
	for (uint32_t i = 0; i < n_groups; i++) {
		uint32_t first = x->words.at[at + 2 + 4 * i + 2], n = x->words.at[at + 2 + 4 * i + 3];
		for (uint32_t k = 0; k < n && x->key.at[1 + i / 32] >> i % 32 & 1; k++)
			if (!numbers_push(x->memory, &x->tokens, x->words.at[tokens + first + k])) return GCDC_ERR_MEMORY;
	}
	gcdc_status status = programs_add_tokens(x, part);
	if (!status) x->slots.list[slot].value = *part;
	return status;
}

// One set of a site some of whose columns do not fit.
static gcdc_status take_groups(struct gcdc_matcher *m, uint32_t set, uint32_t column, uint32_t enough, struct numbers *parts)
{
	struct programs *x = m->pool->programs;
	uint32_t at, part, any = 0;
	gcdc_status status = groups_of(m->artifact, x, set, &at);
	if (status) return status;
	uint32_t n_groups = x->words.at[at], n_tried = x->words.at[at + 1];
	x->key.n = 0;
	bool ok = numbers_push(x->memory, &x->key, PLACE_OUTCOME | at);
	for (uint32_t i = 0; i < n_groups / 32 + 1 && ok; i++) ok = numbers_push(x->memory, &x->key, 0);
	for (uint32_t i = 0; i < n_groups && ok; i++) {
		struct group g;
		memcpy(&g, x->words.at + at + 2 + 4 * i, sizeof g);
		uint32_t c = !g.moves ? g.column : column > ARTIFACT_MAX_COLUMN ? column : column + g.column;   // a bad column stays so
		if (price_of_column(m, x->line_state, c) > enough) continue;
		x->key.at[1 + i / 32] |= 1u << i % 32;
		any = 1;
	}
	uint32_t tried = at + 2 + 4 * n_groups, n_tokens = n_groups ? x->words.at[tried - 2] + x->words.at[tried - 1] : 0;
	for (uint32_t i = n_tokens; i < n_tokens + n_tried && ok; i++) ok = numbers_push(x->memory, &x->tried, x->words.at[tried + i]);
	if (!ok) return GCDC_ERR_MEMORY;
	if (!any) return GCDC_OK;
	status = part_of_groups(x, at, &part);
	return status ? status : programs_put_part(x, part, parts);
}

gcdc_status programs_take_site(struct gcdc_matcher *m, uint32_t at, uint32_t f, struct line_columns columns, uint32_t enough,
                               struct numbers *parts, struct numbers *tries)
{
	struct programs *x = m->pool->programs;
	struct site s;
	uint32_t part, top;
	memcpy(&s, x->words.at + at, sizeof s);
	uint32_t states = at + (uint32_t)sizeof s / 4, sets = states + s.height;
	gcdc_status status = price_raise(m, f, s.number, x->words.at + states, s.height, &top);
	if (status) return status;
	status = price_lines(m, top, columns.open, columns.is_deeper, x->line_state, false);
	bool forks = status == PUSH_FORKS, fits = !status && price_of_any_column(m, x->line_state) <= enough;
	if (!status && !fits && !columns.is_deeper) status = price_lines(m, top, columns.open, false, x->line_state, true);
	frame_unref(m->pool, top);
	if (status && !forks) return status;
	if (fits) {
		status = programs_part_of_sets(m->artifact, x, sets, s.n_sets, &part);
		return status ? status : programs_put_part(x, part, parts);
	}
	status = GCDC_OK;
	for (uint32_t i = 0; i < s.n_sets && !status; i++) {
		uint32_t set = x->words.at[sets + i];
		if (!forks && !columns.is_deeper) status = take_groups(m, set, columns.column, enough, parts);
		else if (!numbers_push(x->memory, tries, set)) status = GCDC_ERR_MEMORY;
	}
	return status;
}

// ---- A newline is pending: blanks, and then tokens go on behind it.
struct line_places {
	struct gcdc_matcher *m;
	const struct line_reader *lines;
	bool *told;
};

static gcdc_status add_line_place(void *to, uint32_t top, const struct artifact_start *start, bool forks)
{
	struct line_places *p = to;
	struct gcdc_matcher *m = p->m;
	const struct gcdc_artifact *a = m->artifact;
	struct programs *x = m->pool->programs;
	uint64_t number = (uint64_t)(start - a->starts) - a->info.line_start;
	uint32_t rest = a->cost_lines[number / a->info.n_line_tops], context = a->lr_states[m->pool->at[top].lr_state].context;
	uint32_t q = a->lex_start[(uint64_t)a->cost_residues[rest] * a->info.n_contexts + context];
	if (!q) return GCDC_OK;
	const struct artifact_cost_way *way = price_way(a, q, rest);
	if (!way || forks) {
		*p->told = false;
		return GCDC_OK;
	}
	if (!programs_go_on(x, top, PLACE_OUTCOME | way->outcome, p->lines->columns, p->lines->is_deeper) || !numbers_push(x->memory, &x->held, top)) return GCDC_ERR_MEMORY;
	frame_ref(m->pool, top);
	return GCDC_OK;
}

gcdc_status programs_begin_lines(struct gcdc_matcher *m, const struct reading *r, uint32_t column, bool *told)
{
	struct line_places places = {m, NULL, told};
	struct line_reader lines = {m->artifact->lex_states[r->lex_state].line, add_line_place, &places, price_push_tops, 0, false};
	places.lines = &lines;
	return lines_read(m, r->frame, r->columns, column, &lines);
}
