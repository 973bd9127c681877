// Strings whose characters are counted by number alone: which tokens a mask leaves out, by how many may still come.
//
// In:  an artifact with COUNTERS_SHARED, opened. Out: artifact->limits; of a position, list->keep or list->without.
// Lexer states of such a string are the same for all numbers, and so are their sets, as if more and more characters
// might come. A mask is what they allow, less the tokens with more characters than are left. How many a token has
// depends on what of a character has been read (json_character.h), and on nothing else. So opening follows the bytes
// from state to state, which proves that each state stands at one place of a character, and that steps count where a
// character ends; and it counts the characters of each token from each such place, to the quote that ends the string.
// Cost: opening: bytes of the tokens, for each place of a character; a row, or a list, for each number that limits.
// A mask: one pass over a row, or at most LIMIT_TOKENS single tokens.
#include "unique.h"

#include "../../shared/json_character.h"

#define NO_KIND UINT8_MAX
#define LEAVES UINT32_MAX

static_assert(JSON_CHARACTER_STATES == COUNTED_KINDS, "a list for each place in a character");

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
		if (ends != (to == LEAVES)) return refuse_step(why, at, b);
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

// The characters that a token reads from a place in one, the one that is begun and one that is not ended among them.
// 0: it cannot stand there.
static uint32_t count_characters(const uint8_t *bytes, uint32_t len, uint32_t kind)
{
	uint32_t n = 0, at = kind;
	for (uint32_t i = 0; i < len && !(at == JSON_BETWEEN && bytes[i] == '"'); i++) {
		if (!json_character_takes(at, bytes[i])) return 0;
		at = json_character_step(at, bytes[i]);
		n += at == JSON_BETWEEN;
	}
	return n + (at != JSON_BETWEEN);
}

// The tokens by how many characters they have; those with the same number ascend.
struct by_count {
	uint32_t *count, *token;                 // [n_tokens]
	uint32_t first[COUNTERS_MAX_TOKEN + 3];  // of those with so many
	uint32_t most;
};

static void sort_tokens(const struct gcdc_artifact *a, uint32_t kind, struct by_count *by)
{
	memset(by->first, 0, sizeof by->first);
	by->most = 0;
	for (uint32_t t = 0; t < a->info.n_tokens; t++) {
		const uint32_t from = a->token_offset[t], len = a->token_offset[t + 1] - from;
		const uint32_t n = count_characters(a->token_bytes + from, len, kind);
		by->count[t] = len ? n : 0;
		if (by->count[t] > by->most) by->most = by->count[t];
		by->first[by->count[t] + 2]++;
	}
	for (uint32_t n = 2; n < COUNTERS_MAX_TOKEN + 3; n++) by->first[n] += by->first[n - 1];
	for (uint32_t t = 0; t < a->info.n_tokens; t++) by->token[by->first[by->count[t] + 1]++] = t;
}

// The row of tokens with `left` characters at most; the one before is of one fewer.
static bool add_row(struct gcdc_artifact *a, const struct by_count *by, uint32_t left)
{
	struct counted_limits *x = a->limits;
	const size_t words = a->info.mask_words;
	uint32_t *rows = memory_resize(&a->memory, x->rows, (x->n_rows + (size_t)1) * words, sizeof *rows);
	if (!rows) return false;
	x->rows = rows;
	uint32_t *row = rows + x->n_rows++ * words;
	if (left)
		memcpy(row, row - words, words * sizeof *row);
	else
		memset(row, 0, words * sizeof *row);
	for (uint32_t i = by->first[left]; i < by->first[left + 1]; i++) row[by->token[i] / 32] |= 1u << by->token[i] % 32;
	return true;
}

static bool add_list(struct gcdc_artifact *a, const struct by_count *by, uint32_t left)
{
	struct vec32 *tokens = &a->limits->tokens, here = {NULL, 0, 0};
	const uint32_t first = tokens->n;
	for (uint32_t i = by->first[left + 1]; i < a->info.n_tokens; i++)
		if (!vec32_push(&a->memory, tokens, by->token[i])) return false;
	here.at = tokens->at + first, here.n = tokens->n - first;
	vec32_sort(&here);
	return true;
}

// One limit for each number of characters that some token exceeds.
static bool add_limits(struct gcdc_artifact *a, struct by_count *by, uint32_t kind)
{
	struct counted_limits *x = a->limits;
	sort_tokens(a, kind, by);
	x->first[kind] = x->n, x->n_of[kind] = by->most;
	if (!by->most) return true;
	struct counted_limit *at = memory_resize(&a->memory, x->at, (size_t)x->n + by->most, sizeof *at);
	if (!at) return false;
	x->at = at;
	for (uint32_t left = 0; left < by->most; left++) {
		const uint32_t n = a->info.n_tokens - by->first[left + 1];
		x->at[x->n] = (struct counted_limit){.row = GCDC_NONE, .tokens = x->tokens.n, .n_tokens = n};
		if (n > LIMIT_TOKENS) x->at[x->n].row = x->n_rows, x->at[x->n].n_tokens = 0;
		x->n++;
		if (!(n > LIMIT_TOKENS ? add_row(a, by, left) : add_list(a, by, left))) return false;
	}
	return true;
}

gcdc_status counted_limits_find(struct gcdc_artifact *a, gcdc_refusal *why)
{
	if (!a->counter_info || !(a->counter_info->flags & COUNTERS_SHARED)) return GCDC_OK;
	const uint32_t n_states = a->counter_info->n_states;
	struct counted_limits *x = a->limits = memory_resize(&a->memory, NULL, 1, sizeof *x);
	if (!x) return refuse(why, GCDC_ERR_MEMORY, GCDC_NONE, 0, "no memory");
	memset(x, 0, sizeof *x);
	x->kind = memory_resize(&a->memory, NULL, n_states, 1);
	x->place = memory_resize(&a->memory, NULL, a->info.n_lex_states, sizeof *x->place);
	struct by_count by = {.count = memory_resize(&a->memory, NULL, a->info.n_tokens, sizeof *by.count),
	                      .token = memory_resize(&a->memory, NULL, a->info.n_tokens, sizeof *by.token)};
	gcdc_status status = GCDC_OK;
	if (!x->kind || !x->place || !by.count || !by.token) {
		status = refuse(why, GCDC_ERR_MEMORY, GCDC_NONE, 0, "no memory");
	} else {
		memset(x->place, 0xff, a->info.n_lex_states * sizeof *x->place);
		status = find_kinds(a, why);
	}
	for (uint32_t kind = 0; kind < JSON_CHARACTER_STATES && !status; kind++)
		if (memchr(x->kind, (int)kind, n_states) && !add_limits(a, &by, kind))
			status = refuse(why, GCDC_ERR_MEMORY, GCDC_NONE, 0, "no memory");
	memory_free(&a->memory, by.count);
	memory_free(&a->memory, by.token);
	return status;
}

void counted_limits_free(struct gcdc_artifact *a)
{
	struct counted_limits *x = a->limits;
	if (!x) return;
	memory_free(&a->memory, x->kind);
	memory_free(&a->memory, x->place);
	memory_free(&a->memory, x->tokens.at);
	memory_free(&a->memory, x->rows);
	memory_free(&a->memory, x->at);
	memory_free(&a->memory, x);
}

gcdc_status counted_limits_take(const struct gcdc_artifact *a, uint32_t lex_state, struct set_list *list)
{
	const struct counted_limits *x = a->limits;
	const uint32_t place = x->place[lex_base(a, lex_state)];
	if (place == LEAVES || x->kind[place] == NO_KIND) return GCDC_OK;
	const uint32_t left = a->counter_list[a->counter_states[place].counter].more - lex_counted(a, lex_state);
	if (left >= x->n_of[x->kind[place]]) return GCDC_OK;
	const struct counted_limit *limit = &x->at[x->first[x->kind[place]] + left];
	if (limit->row != GCDC_NONE) list->keep = x->rows + (size_t)limit->row * a->info.mask_words;
	for (uint32_t i = 0; i < limit->n_tokens; i++)
		if (!vec32_push(&a->memory, &list->without, x->tokens.at[limit->tokens + i])) return GCDC_ERR_MEMORY;
	return GCDC_OK;
}
