// Tokens that leave a newline pending whose column will decide: which of them fit.
//
// In:  a *site*, found while a step was made: states to be put on the frame read, and a set of tokens that end there
// in the lexer state of a pending newline.  Out: the union of the set that fits. What such a token costs depends on its
// column alone: the columns that are open (and one deeper) each have a price, and blanks lead to them, perhaps after
// one more newline (price.c). So the set is cut into groups of one column, once; columns deeper than the deepest open
// one cost the same. Mostly one more newline is cheap enough, and the whole set fits. A token without a newline in it
// moves the column of the text by its width, or to what its first tab makes of the column. Cost: a push for each open
// column; for each site where something does not fit, the columns that are open.
#include "step_table.h"

#include <stdlib.h>

#include "price_book.h"

// In .line_words: n_groups; groups; tokens by group.
// moves: 0 to this column; 1 by so much; AT_TAB and more: so many blanks, a tab that goes to the next stop, and so much
// more.
enum { AT_TAB = 2 };
struct move {
	uint32_t moves, column;
};
struct group {
	struct move opens, ends;
	uint32_t first, n;
};  // opens: where tokens open a column, before they end behind a newline
struct line_token {
	struct move opens, ends;
	uint32_t token;
};
#define GROUP_WORDS ((uint32_t)sizeof(struct group) / 4)

static int compare_moves(const struct line_token *x, const struct line_token *y)
{
	return memcmp(x, y, 2 * sizeof(struct move));
}
static int compare_token(const void *a, const void *b)
{
	const struct line_token *x = a, *y = b;
	int order = compare_moves(x, y);
	return order ? order : (x->token > y->token) - (x->token < y->token);
}

// What blanks do to a column; behind a newline they do it to 0.
static struct move move_of(const struct gcdc_artifact *a, const uint8_t *begin, const uint8_t *end, bool is_behind)
{
	struct move m = {!is_behind, text_column(a, 0, begin, end)};
	const uint8_t *tab = begin;
	while (tab < end && *tab == ' ') tab++;
	if (is_behind || tab == end || a->info.tab_rule == ARTIFACT_TAB_COUNTS) return m;
	if (a->info.tab_rule == ARTIFACT_TAB_REFUSED) return (struct move){0, m.column};  // a bad one
	return (struct move){AT_TAB + (uint32_t)(tab - begin), text_column(a, 0, tab + 1, end)};
}

static struct line_token line_token(const struct gcdc_artifact *a, uint32_t token, bool opens)
{
	const uint8_t *begin = a->token_bytes + a->token_offset[token], *end = a->token_bytes + a->token_offset[token + 1],
				  *at = begin, *last = end;
	while (at < end && (*at == ' ' || *at == '\t')) at++;
	while (last > at && (last[-1] == ' ' || last[-1] == '\t')) last--;
	struct line_token t = {{0, 0}, move_of(a, at < end ? last : begin, end, at < end), token};
	if (opens) t.opens = move_of(a, begin, at, false);
	return t;
}

// Where a column is moved to. A bad one stays so.
static uint32_t moved(const struct gcdc_artifact *a, struct move x, uint32_t column)
{
	if (!x.moves) return x.column;
	if (column > ARTIFACT_MAX_COLUMN) return column;
	if (x.moves >= AT_TAB) column = ((column + x.moves - AT_TAB) / a->info.tab + 1) * a->info.tab;
	return column + x.column;
}

// The groups of a set: where in .line_words.
// Branches: tokens are listed, sorted, counted as groups and written, and every push may fail.
static gcdc_status groups_of(const struct gcdc_artifact *a, struct step_table *x, uint32_t set, bool opens,
                             uint32_t *at)
{
	bool is_new, ok = true;
	uint32_t *known = pair_map_add(x->memory, &x->of_line, set, opens, &is_new), n = 0, n_groups = 0;
	if (!known) return GCDC_ERR_MEMORY;
	*at = *known;
	if (!is_new && *known) return GCDC_OK;
	struct line_token *t = memory_resize(x->memory, NULL, (size_t)a->sets[set].count + 1, sizeof *t);
	if (!t) return GCDC_ERR_MEMORY;
	for (struct set_words w = set_words(a, &a->sets[set]); set_words_next(a, &w);)
		for (uint32_t b = w.bits; b; b &= b - 1)
			t[n++] = line_token(a, w.word * 32 + (uint32_t)__builtin_ctz(b), opens);
	if (n) qsort(t, n, sizeof *t, compare_token);
	for (uint32_t i = 0; i < n; i++) n_groups += !i || compare_moves(&t[i], &t[i - 1]);
	if (!x->line_words.n) ok = vec32_push(x->memory, &x->line_words, 0);
	*at = x->line_words.n;
	ok = ok && vec32_push(x->memory, &x->line_words, n_groups);
	for (uint32_t i = 0, end; i < n && ok; i = end) {
		for (end = i; end < n && !compare_moves(&t[end], &t[i]);) end++;
		const uint32_t group[] = {t[i].opens.moves, t[i].opens.column, t[i].ends.moves, t[i].ends.column, i, end - i};
		for (uint32_t k = 0; k < GROUP_WORDS && ok; k++) ok = vec32_push(x->memory, &x->line_words, group[k]);
	}
	for (uint32_t i = 0; i < n && ok; i++) ok = vec32_push(x->memory, &x->line_words, t[i].token);
	memory_free(x->memory, t);
	if (!ok) return GCDC_ERR_MEMORY;
	*known = *at;
	return GCDC_OK;
}

// Which columns fit: each on its own, but for deeper ones that leave room enough (price_capacity.c), which are alike.
struct fitting {
	struct gcdc_matcher *m;
	struct line_columns of;
	uint32_t top, open, enough;
	uint64_t known[2], fits[2];
};
static bool column_fits(struct fitting *f, uint32_t column)
{
	const struct artifact_cost_info *c = f->m->artifact->cost_info;
	if (column > f->open && column <= ARTIFACT_MAX_COLUMN && column + c->top_capacity <= c->n_blanks)
		column = f->open + 1;
	uint64_t bit = 1ull << column % 64;
	if (column >= 128) return price_of_column(f->m, f->m->pool->step_table->store->line_state, column) <= f->enough;
	if (!(f->known[column / 64] & bit)) {
		f->known[column / 64] |= bit;
		if (price_of_column(f->m, f->m->pool->step_table->store->line_state, column) <= f->enough)
			f->fits[column / 64] |= bit;
	}
	return f->fits[column / 64] & bit;
}

// Now the column that tokens open is known.
static enum push with_column(struct fitting *f, uint32_t column)
{
	struct frame_pool *pool = f->m->pool;
	if (!frame_reserve(pool, 1)) return push_of(GCDC_ERR_MEMORY);
	uint32_t inside = frame_push(pool, f->of.open, column);
	enum push pushed = price_lines(f->m, f->top, inside, false, pool->step_table->store->line_state, true);
	frame_unref(pool, inside);
	*f = (struct fitting){f->m, f->of, f->top, column, f->enough, {0}, {0}};
	return pushed;
}

// One set of a site some of whose columns do not fit: a bit for each of its groups is added to .key. Where a column
// more is open, the tokens open it first. PUSH_FORKS: nothing is told of it.
static enum push take_groups(struct fitting *f, uint32_t set)
{
	const struct gcdc_artifact *a = f->m->artifact;
	const uint32_t column = f->of.column;
	const bool opens = f->of.is_deeper;
	struct step_table *x = f->m->pool->step_table;
	uint32_t at, bits = x->key.n;
	gcdc_status status = groups_of(a, x, set, opens, &at);
	if (status) return push_of(status);
	uint32_t n_groups = x->line_words.at[at];
	for (uint32_t i = 0; i < n_groups / 32 + 1; i++)
		if (!vec32_push(x->memory, &x->key, 0)) return push_of(GCDC_ERR_MEMORY);
	for (uint32_t i = 0; i < n_groups; i++) {
		struct group g;
		memcpy(&g, x->line_words.at + at + 1 + GROUP_WORDS * i, sizeof g);
		uint32_t opened = moved(a, g.opens, column);
		enum push pushed = opens && opened != f->open ? with_column(f, opened) : PUSH_DONE;
		if (pushed == PUSH_FORKS) x->key.n = bits;
		if (pushed) return pushed;
		if (column_fits(f, moved(a, g.ends, column))) x->key.at[bits + i / 32] |= 1u << i % 32;
	}
	return PUSH_DONE;
}

// The tokens of the groups whose bits are set in .key, to .tokens.
static gcdc_status list_groups(const struct fitting *f, const uint32_t *sets, uint32_t n)
{
	struct step_table *x = f->m->pool->step_table;
	uint32_t bits = 1, at;
	x->tokens.n = 0;
	for (uint32_t s = 0; s < n; s++) {
		gcdc_status status = groups_of(f->m->artifact, x, sets[s], f->of.is_deeper, &at);
		if (status) return status;
		uint32_t n_groups = x->line_words.at[at], tokens = at + 1 + GROUP_WORDS * n_groups;
		for (uint32_t i = 0; i < n_groups; i++) {
			struct group g;
			memcpy(&g, x->line_words.at + at + 1 + GROUP_WORDS * i, sizeof g);
			for (uint32_t k = 0; k < g.n && x->key.at[bits + i / 32] >> i % 32 & 1; k++)
				if (!vec32_push(x->memory, &x->tokens, x->line_words.at[tokens + g.first + k])) return GCDC_ERR_MEMORY;
		}
		bits += n_groups / 32 + 1;
	}
	return GCDC_OK;
}

// By how much a price is within what is left: 0: it is not; else one more. More than all blanks is as good as any.
static uint32_t slack(const struct gcdc_artifact *a, uint32_t price, uint32_t enough)
{
	if (price > enough) return 0;
	uint32_t more = enough - price, most = a->cost_info->n_blanks + 1;
	return 1 + (more < most ? more : most);
}

// All that price_of_column goes by, into .key: what fits of the site follows from it.
static bool key_of_columns(struct step_table *x, const struct priced_lines *b, uint32_t at, uint32_t column,
                           uint32_t enough)
{
	const struct gcdc_artifact *a = x->artifact;
	const uint32_t head[] = {at, column, b->open, b->deeper_ends};
	bool ok = true;
	x->key.n = 0;
	for (uint32_t i = 0; i < sizeof head / sizeof *head && ok; i++) ok = vec32_push(x->memory, &x->key, head[i]);
	for (uint32_t capacity = 0; capacity <= a->cost_info->top_capacity && ok; capacity++)
		ok = vec32_push(x->memory, &x->key, slack(a, b->deeper[capacity], enough));
	for (uint32_t i = 0; i < b->targets.n && ok; i += 3)
		ok = vec32_push(x->memory, &x->key, b->targets.at[i]) &&
		     vec32_push(x->memory, &x->key, slack(a, b->targets.at[i + 1], enough)) &&
		     vec32_push(x->memory, &x->key, b->targets.at[i + 2]);
	return ok;
}

// What fits of the sets of a site that stands here. Where stacks fork they are left to be tried, from the one where
// that shows.
static gcdc_status take_sets(struct fitting *f, uint32_t at, enum push pushed, struct vec32 *tries, uint32_t *union_id)
{
	struct step_table *x = f->m->pool->step_table;
	struct site site;
	bool is_new;
	memcpy(&site, step_words(x->store) + at, sizeof site);
	const uint32_t *sets = step_words(x->store) + at + sizeof site / 4 + site.height;
	uint32_t n = 0, key;
	x->key.n = 0;
	if (!vec32_push(x->memory, &x->key, FITTED_SITE | at)) return GCDC_ERR_MEMORY;
	for (; n < site.n_sets && !pushed; n += !pushed) pushed = take_groups(f, sets[n]);
	if (pushed && pushed != PUSH_FORKS) return push_status(pushed);
	for (uint32_t i = n; i < site.n_sets; i++)
		if (!vec32_push(x->memory, tries, sets[i])) return GCDC_ERR_MEMORY;
	key = word_lists_add(x->memory, &x->columns, x->key.at, x->key.n, &is_new);
	if (key == ARTIFACT_NONE) return GCDC_ERR_MEMORY;
	*union_id = x->columns.list[key].value;
	if (*union_id != ARTIFACT_NONE) return GCDC_OK;
	gcdc_status status = list_groups(f, sets, n);
	*union_id = FITTED_UNION;
	if (!status && x->tokens.n) status = step_table_union_of_tokens(x, union_id);
	if (!status) x->columns.list[key].value = *union_id;
	return status;
}

static gcdc_status put_fitted(struct step_table *x, uint32_t word)
{
	return vec32_push(x->memory, &x->fitted, 1) && vec32_push(x->memory, &x->fitted, word) ? GCDC_OK : GCDC_ERR_MEMORY;
}

// Branches: a site fits as a whole, by its columns, which are known or not, or is left to be tried where stacks fork.
gcdc_status step_table_take_site(struct gcdc_matcher *m, uint32_t at, uint32_t f, struct line_columns columns,
                                 uint32_t enough, struct step_result to)
{
	struct step_table *x = m->pool->step_table;
	struct site s;
	uint32_t union_id = ARTIFACT_NONE, top, key = ARTIFACT_NONE;
	bool is_new;
	memcpy(&s, step_words(x->store) + at, sizeof s);
	const uint32_t *states = step_words(x->store) + at + sizeof s / 4;
	gcdc_status status = price_raise(m, f, s.number, states, s.height, &top);
	if (status) return status;
	enum push pushed = price_lines(m, top, columns.open, columns.is_deeper, x->store->line_state, false);
	bool fits = !pushed && price_of_any_column(m, x->store->line_state) <= enough;
	if (!pushed && !fits && !columns.is_deeper)
		pushed = price_lines(m, top, columns.open, false, x->store->line_state, true);
	if (pushed < 0) status = push_status(pushed);
	*to.all &= fits;
	if (!pushed && !fits && !columns.is_deeper) {
		if (!key_of_columns(x, m->pool->prices->line, at, columns.column, enough)) status = GCDC_ERR_MEMORY;
		if (!status) key = word_lists_add(x->memory, &x->columns, x->key.at, x->key.n, &is_new);
		if (key != ARTIFACT_NONE) union_id = x->columns.list[key].value;
	}
	struct fitting fitting = {m,      columns, top, columns.is_deeper ? COLUMN_BAD : column_of(m->pool, columns.open),
	                          enough, {0},     {0}};
	if (!status && !fits && union_id == ARTIFACT_NONE) {
		status = take_sets(&fitting, at, pushed, to.tries, &union_id);
		if (!status && key != ARTIFACT_NONE) x->columns.list[key].value = union_id;
	}
	frame_unref(m->pool, top);
	if (status) return status;
	if (fits) return put_fitted(x, FITTED_SITE | at);
	return union_id == FITTED_UNION ? GCDC_OK : put_fitted(x, FITTED_UNION | union_id);
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
	struct step_table *x = m->pool->step_table;
	uint64_t number = (uint64_t)(start - a->starts) - a->info.line_start;
	uint32_t remainder = a->cost_lines[number / a->info.n_line_tops],
			 context = a->lr_states[m->pool->at[top].lr_state].context;
	uint32_t q = a->lex_start[(uint64_t)a->cost_obligations[remainder] * a->info.n_contexts + context];
	if (!q) return GCDC_OK;
	const struct artifact_cost_way *way = price_way(a, q, remainder);
	if (!way || forks) {
		*p->told = false;
		return GCDC_OK;
	}
	if (!step_table_go_on(x, top, PLACE_OUTCOME | way->outcome, p->lines->columns, p->lines->is_deeper) ||
	    !vec32_push(x->memory, &x->held, top))
		return GCDC_ERR_MEMORY;
	frame_ref(m->pool, top);
	return GCDC_OK;
}

gcdc_status step_table_begin_lines(struct gcdc_matcher *m, const struct reading *r, uint32_t column, bool *told)
{
	struct line_places places = {m, NULL, told};
	struct line_reader lines = {
		m->artifact->lex_states[r->lex_state].line, add_line_place, &places, price_push_tops, 0, false};
	places.lines = &lines;
	return lines_read(m, r->frame, r->columns, column, &lines);
}
