// Strings whose characters are counted by number alone: which tokens a mask leaves out, by how many may still come.
//
// In:  an artifact with COUNTERS_SHARED, opened. Out: artifact->limits; of a position, list->keep or list->without.
// Lexer states of such a string are the same for all numbers, and so are their sets, as if more and more characters
// might come. A token leads on where its characters, and those from there to the nearest end of the string, are not
// more than are left. Opening follows the bytes from state to state, which proves that each state stands at one place
// of a character (json_character.h), and that steps count where a character ends; then it finds nearest ends from the
// ends backwards, a level of as many characters at a time (breadth first). What each token needs: counted_tables.c.
// Cost: opening: the counted states' steps. A mask: one pass over a row, or at most LIMIT_TOKENS single tokens.
#include "unique.h"

#include "../../shared/json_character.h"

#define NO_KIND UINT8_MAX

static gcdc_status refuse_step(gcdc_refusal *why, uint32_t state, uint32_t byte)
{
	return refuse_number(why, SECTION_COUNTED, state, "a step within a character, by byte", byte, 256);
}

// Gives each counted state that steps from `at` lead to its place in a character. Those that are new go to todo[*n..].
static gcdc_status follow(const struct gcdc_artifact *a, uint32_t at, uint32_t *todo, uint32_t *n, gcdc_refusal *why)
{
	uint8_t *kind = a->limits->kind;
	const uint32_t *place = a->limits->place;
	const uint32_t *row = &a->lex_next[(uint64_t)a->counter_states[at].lex_state * a->info.n_classes];
	for (uint32_t b = 0; b < 256; b++) {
		const uint32_t x = row[a->info.class_of[b]], to = place[x & LEX_STATE_MASK];
		const bool ends = kind[at] == JSON_BETWEEN && b == '"';
		if (!(x & ~LEX_CUT)) continue;
		const uint32_t next = json_character_step(kind[at], (uint8_t)b);
		if (ends != (to == NOT_COUNTED)) return refuse_step(why, at, b);
		if (ends) continue;
		if ((next == JSON_BETWEEN) != !!(x & LEX_COUNTED)) return refuse_step(why, at, b);
		if (kind[to] != NO_KIND && kind[to] != next) return refuse_step(why, at, b);
		if (kind[to] == NO_KIND) todo[(*n)++] = to;
		kind[to] = (uint8_t)next;
	}
	return GCDC_OK;
}

// The place in a character of each counted state of a shared counter.
static gcdc_status find_kinds(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const uint32_t n_states = a->counter_info->n_states;
	uint8_t *kind = a->limits->kind;
	uint32_t *todo = memory_resize(&a->memory, NULL, n_states, sizeof *todo), n = 0;
	if (!todo) return refuse(why, GCDC_ERR_MEMORY, GCDC_NONE, 0, "no memory");
	memset(kind, NO_KIND, n_states);
	for (uint32_t i = 0; i < n_states; i++) a->limits->place[a->counter_states[i].lex_state] = i;
	for (uint32_t i = 0; i < n_states; i++) {
		const struct artifact_counter *k = &a->counter_list[a->counter_states[i].counter];
		if (counter_is_shared(k) && k->from == a->counter_states[i].lex_state) kind[i] = JSON_BETWEEN, todo[n++] = i;
	}
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < n && !status; i++) status = follow(a, todo[i], todo, &n, why);
	for (uint32_t i = 0; i < n_states && !status; i++)
		if ((kind[i] != NO_KIND) != counter_is_shared(&a->counter_list[a->counter_states[i].counter]))
			status = refuse_number(why, SECTION_COUNTED, i * sizeof *a->counter_states, "a state within a character",
			                       a->counter_states[i].lex_state, a->info.n_lex_states);
	memory_free(&a->memory, todo);
	return status;
}

// Steps into each counted state: source * 2 + 1 where the step ends a character.
struct steps_into {
	uint32_t *first, *from;
};

// Steps of neighbouring classes to one state are one. With `into->from` NULL they are only counted.
static uint32_t list_steps(const struct gcdc_artifact *a, struct steps_into *into)
{
	const struct counted_limits *x = a->limits;
	uint32_t n = 0;
	for (uint32_t q = 0; q < a->counter_info->n_states; q++) {
		if (x->kind[q] == NO_KIND) continue;
		const uint32_t *row = &a->lex_next[(uint64_t)a->counter_states[q].lex_state * a->info.n_classes];
		for (uint32_t c = 0; c < a->info.n_classes; c++) {
			const uint32_t to = x->place[row[c] & LEX_STATE_MASK];
			if (to == NOT_COUNTED || (c && row[c] == row[c - 1])) continue;
			n++;
			if (into->from)
				into->from[into->first[to + 1]++] = q * 2 + !!(row[c] & LEX_COUNTED);
			else
				into->first[to + 2]++;
		}
	}
	return n;
}

// Characters to the nearest end: from 0 up, states that a step of no character leads from first.
static void settle_ends(const struct gcdc_artifact *a, const struct steps_into *into, uint32_t *queue[2])
{
	const struct counted_limits *x = a->limits;
	const uint8_t quote = a->info.class_of['"'];
	uint32_t n[2] = {0, 0};
	for (uint32_t q = 0; q < a->counter_info->n_states; q++) {
		const uint32_t state = a->counter_states[q].lex_state;
		const bool ends =
			x->kind[q] == JSON_BETWEEN && a->lex_next[(uint64_t)state * a->info.n_classes + quote] & LEX_STATE_MASK;
		x->end[q] = ends ? 0 : UINT32_MAX;
		if (ends) queue[0][n[0]++] = q;
	}
	for (uint32_t level = 0; n[level & 1]; level++) {
		uint32_t *now = queue[level & 1], *next = queue[~level & 1];
		for (uint32_t i = 0; i < n[level & 1]; i++) {
			if (x->end[now[i]] != level) continue;  // a shorter way was found behind it
			for (uint32_t k = into->first[now[i]]; k < into->first[now[i] + 1]; k++) {
				const uint32_t from = into->from[k] >> 1, end = level + (into->from[k] & 1);
				if (x->end[from] <= end) continue;
				x->end[from] = end;
				if (end == level)
					now[n[level & 1]++] = from;
				else
					next[n[~level & 1]++] = from;
			}
		}
		n[level & 1] = 0;
	}
}

static gcdc_status check_ends(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct counted_limits *x = a->limits;
	for (uint32_t q = 0; q < a->counter_info->n_states; q++) {
		if (x->kind[q] == NO_KIND) continue;
		if (x->end[q] > COUNTERS_MAX_FAR)
			return refuse_number(why, SECTION_COUNTED, q * sizeof *a->counter_states,
			                     "characters to the nearest end of a string", x->end[q], COUNTERS_MAX_FAR + 1u);
	}
	return GCDC_OK;
}

// A state is put into a queue at most twice: with one character more, and with none.
static gcdc_status find_ends(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const uint32_t n_states = a->counter_info->n_states;
	struct steps_into into = {.first = memory_resize(&a->memory, NULL, (size_t)n_states + 2, sizeof *into.first)};
	uint32_t *queue[2] = {memory_resize(&a->memory, NULL, (size_t)n_states * 2, sizeof **queue),
	                      memory_resize(&a->memory, NULL, (size_t)n_states * 2, sizeof **queue)};
	bool ok = into.first && queue[0] && queue[1];
	if (ok) {
		memset(into.first, 0, ((size_t)n_states + 2) * sizeof *into.first);
		const uint32_t n = list_steps(a, &into);
		for (uint32_t q = 2; q < n_states + 2; q++) into.first[q] += into.first[q - 1];
		into.from = memory_resize(&a->memory, NULL, (size_t)n + 1, sizeof *into.from);
		ok = into.from;
	}
	if (ok) list_steps(a, &into), settle_ends(a, &into, queue);
	memory_free(&a->memory, into.first);
	memory_free(&a->memory, into.from);
	for (int i = 0; i < 2; i++) memory_free(&a->memory, queue[i]);
	return ok ? check_ends(a, why) : refuse(why, GCDC_ERR_MEMORY, GCDC_NONE, 0, "no memory");
}

gcdc_status counted_limits_find(struct gcdc_artifact *a, gcdc_refusal *why)
{
	if (!a->counter_info || !(a->counter_info->flags & COUNTERS_SHARED)) return GCDC_OK;
	const uint32_t n_states = a->counter_info->n_states;
	struct counted_limits *x = a->limits = memory_resize(&a->memory, NULL, 1, sizeof *x);
	if (!x) return refuse(why, GCDC_ERR_MEMORY, GCDC_NONE, 0, "no memory");
	memset(x, 0, sizeof *x);
	x->kind = memory_resize(&a->memory, NULL, n_states, 1);
	x->end = memory_resize(&a->memory, NULL, n_states, sizeof *x->end);
	x->place = memory_resize(&a->memory, NULL, a->info.n_lex_states, sizeof *x->place);
	if (!x->kind || !x->end || !x->place) return refuse(why, GCDC_ERR_MEMORY, GCDC_NONE, 0, "no memory");
	memset(x->place, 0xff, a->info.n_lex_states * sizeof *x->place);
	gcdc_status status = find_kinds(a, why);
	if (!status) status = find_ends(a, why);
	for (uint32_t q = 0; q < n_states && !status; q++)
		if (x->kind[q] == NO_KIND) x->place[a->counter_states[q].lex_state] = NOT_COUNTED;
	return status;
}

void counted_limits_free(struct gcdc_artifact *a)
{
	struct counted_limits *x = a->limits;
	if (!x) return;
	counted_tables_free(a, x->tables);
	memory_free(&a->memory, x->kind);
	memory_free(&a->memory, x->place);
	memory_free(&a->memory, x->end);
	memory_free(&a->memory, x);
}

// The limit at a lexer state; *rows NULL: there is none. *left: characters that may come, beyond the nearest end's.
static gcdc_status find_limit(const struct gcdc_artifact *a, uint32_t lex_state, const struct counted_rows **rows,
                              uint32_t *left)
{
	const uint32_t place = a->limits->place[lex_base(a, lex_state)];
	*rows = NULL;
	if (place == NOT_COUNTED) return GCDC_OK;
	const struct counted_tables *x = counted_tables_of(a);
	if (!x) return GCDC_ERR_MEMORY;
	*left = a->counter_list[a->counter_states[place].counter].more - lex_counted(a, lex_state);
	if (*left >= x->reach) return GCDC_OK;
	const uint32_t class = x->classes[x->class_of[place]].served_by, least = x->classes[class].least;
	const struct counted_rows *found = counted_rows_of(a, x, class);
	if (!found) return GCDC_ERR_MEMORY;
	if (*left >= found->most) return GCDC_OK;
	*left = *left > least ? *left - least : 0;
	*rows = found;
	return GCDC_OK;
}

gcdc_status counted_limits_make(const struct gcdc_artifact *a, uint32_t lex_state)
{
	const struct counted_rows *rows;
	uint32_t left;
	return find_limit(a, lex_state, &rows, &left);
}

gcdc_status counted_limits_take(const struct gcdc_artifact *a, uint32_t lex_state, struct set_list *list)
{
	const struct counted_rows *rows;
	uint32_t left;
	gcdc_status status = find_limit(a, lex_state, &rows, &left);
	if (status || !rows) return status;
	if (left < rows->n_rows) {
		list->keep = rows->rows + (size_t)left * a->info.mask_words;
		return GCDC_OK;
	}
	for (uint32_t i = rows->list[left + 1]; i < rows->list[left]; i++)
		if (!vec32_push(&a->memory, &list->without, rows->tokens[i])) return GCDC_ERR_MEMORY;
	return GCDC_OK;
}
