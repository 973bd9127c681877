// Proves that an artifact's sections are sound, once, so that stepping and masking check nothing.
//
// In:  the sections, their lengths already equal to what the counts say.
// Out: GCDC_OK, or the first number that is not what formats/artifact.md demands.
// First the counts, then every entry by itself (section_bounds.c), then what ties entries together: here, and in
// validate_costs.c, open.c and regex.c. What is proved is safety (no read out of bounds,
// no endless loop), not truth: a forged artifact may give wrong masks. Cost: O(entries), about 4 GB/s.
#include "runtime_internal.h"

#define AT(array, i) ((uint64_t)(i) * sizeof *(array))

static gcdc_status check_line_info(const struct artifact_info *i, gcdc_refusal *why)
{
	uint32_t most = i->newline > i->indent ? i->newline : i->indent;
	if (i->dedent > most) most = i->dedent;
	if (most >= i->n_terminals || i->newline == i->indent || i->indent == i->dedent || i->dedent == i->newline)
		return refuse_number(why, SECTION_INFO, offsetof(struct artifact_info, newline),
		                     "terminals of lines (three of them)", most, i->n_terminals);
	if (i->n_blanks < 2 * (uint64_t)i->n_widths)
		return refuse_number(why, SECTION_INFO, offsetof(struct artifact_info, n_blanks), "rows of blanks", i->n_blanks,
		                     2 * (uint64_t)i->n_widths);
	return GCDC_OK;
}

static gcdc_status check_info(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct artifact_info *i = &a->info;
	const struct count_rule rules[] = {
#define RULE(field, least, most, what) {offsetof(struct artifact_info, field), i->field, least, most, what}
		RULE(n_tokens, 1, UINT32_MAX - 31, "number of tokens"),
		RULE(n_eos, 0, i->n_tokens, "number of EOS tokens"),
		RULE(n_terminals, 0, LEX_STATE_MASK - 1, "number of terminals"),
		RULE(n_nonterminals, 0, LEX_STATE_MASK - 1, "number of nonterminals"),
		RULE(n_productions, 0, LEX_STATE_MASK - 1, "number of productions"),
		RULE(n_classes, 1, 256, "number of byte classes"),
		RULE(n_lex_states, 2, LEX_STATE_MASK, "number of lexer states"),
		RULE(n_obligations, 1, UINT32_MAX, "number of obligations"),
		RULE(n_contexts, 1, UINT32_MAX, "number of contexts"),
		RULE(n_lr_states, 2, 1u << 16, "number of parser states"),
		RULE(n_nodes, 1, UINT32_MAX, "number of nodes"),
		RULE(n_sets, 1, UINT32_MAX, "number of sets"),
		RULE(n_strings, 1, UINT32_MAX, "bytes of strings"),
		RULE(start_lex_state, 1, (uint64_t)i->n_lex_states - 1, "first lexer state"),
		RULE(max_readings, 1, ARTIFACT_MAX_READINGS, "readings at once (ARTIFACT_MAX_READINGS)"),
		RULE(max_pushes, 0, i->n_lr_states < ARTIFACT_MAX_PUSHES ? i->n_lr_states : ARTIFACT_MAX_PUSHES,
	         "frames that a terminal pushes (parser states, ARTIFACT_MAX_PUSHES)"),
		RULE(flags, 0, INFO_ALL_BYTES | INFO_CHOICES | INFO_TOKEN_ENDS, "flags"),
		RULE(n_lines, 0, i->n_lex_states, "lexer states that end lines"),
		RULE(n_widths, i->n_lines ? 1 : 0, i->n_lines ? ARTIFACT_MAX_BLANKS : 0, "widths of blanks"),
		RULE(n_blanks, 0, i->n_lines ? ARTIFACT_MAX_BLANKS : 0, "rows of blanks (ARTIFACT_MAX_BLANKS)"),
		RULE(n_line_tops, 0, i->n_lines ? i->n_lr_states : 0, "tops behind lines"),
		RULE(tab, i->n_lines ? 1 : 0, i->n_lines ? ARTIFACT_MAX_COLUMN : 0, "columns of a tab"),
		RULE(tab_rule, 0, ARTIFACT_TAB_REFUSED, "rule for tabs"),
		RULE(end_newline, 0, 1, "is a last newline supplied"),
#undef RULE
	};
	gcdc_status status = counts_validate(rules, sizeof rules / sizeof *rules, SECTION_INFO, why);
	if (status) return status;
	if ((uint64_t)i->n_lr_states * i->n_nonterminals > ARTIFACT_MAX_CELLS)
		return refuse_number(why, SECTION_INFO, offsetof(struct artifact_info, n_nonterminals),
		                     "parser states x nonterminals (ARTIFACT_MAX_CELLS)",
		                     (uint64_t)i->n_lr_states * i->n_nonterminals, ARTIFACT_MAX_CELLS);
	if (i->n_lines && (status = check_line_info(i, why))) return status;
	for (uint32_t b = 0; b < 256; b++)
		if (i->class_of[b] >= i->n_classes)
			return refuse_number(why, SECTION_INFO, offsetof(struct artifact_info, class_of) + b, "class of a byte",
			                     i->class_of[b], i->n_classes);
	return GCDC_OK;
}

// So no chain of lexer states has a cycle.
static bool is_of_higher_rank(const struct gcdc_artifact *a, uint32_t also, uint32_t terminal)
{
	return terminal != ARTIFACT_NONE && also < a->info.n_terminals &&
	       a->terminals[also].rank > a->terminals[terminal].rank;
}

static gcdc_status check_lex_state(const struct gcdc_artifact *a, uint32_t q, gcdc_refusal *why)
{
	const struct artifact_info *i = &a->info;
	const struct artifact_lex_state *x = &a->lex_states[q];
	if (x->terminal != ARTIFACT_NONE && x->obligation >= i->n_obligations)
		return refuse_number(why, SECTION_LEX_STATE, AT(x, q) + 4, "obligation", x->obligation, i->n_obligations);
	uint32_t line = i->n_lines && x->terminal == i->newline ? LEX_LINE : 0;
	uint32_t flags = LEX_MAY_END | LEX_INITIAL | LEX_UNFAILABLE | line | (i->end_newline ? LEX_NEWLINE : 0u);
	if (x->flags & ~flags) return refuse_number(why, SECTION_LEX_STATE, AT(x, q) + 8, "flags", x->flags, flags);
	if (x->flags & LEX_LINE ? x->line >= i->n_lines : x->line)
		return refuse_number(why, SECTION_LEX_STATE, AT(x, q) + 12, "number of the line (0 where there is none)",
		                     x->line, i->n_lines);
	if (x->also && !is_of_higher_rank(a, a->lex_states[x->also].terminal, x->terminal))
		return refuse_number(why, SECTION_LEX_STATE, AT(x, q) + 16,
		                     "lexer state of another way to end: its terminal is none of higher "
		                     "rank",
		                     x->also, 0);
	if (x->terminal != ARTIFACT_NONE) return GCDC_OK;
	const uint32_t *row = &a->lex_next[(uint64_t)q * i->n_classes];
	uint32_t any = 0;
	for (uint32_t c = 0; c < i->n_classes; c++) any |= row[c] & LEX_COUNTED ? 0 : row[c];
	if (any & LEX_CUT)
		return refuse_number(why, SECTION_LEX_NEXT, AT(row, (uint64_t)q * i->n_classes),
		                     "a lexeme ends in a lexer state without terminal", q, 0);
	return GCDC_OK;
}

// What masks leave out is left out for the only reading of a text, and never its end.
static gcdc_status check_without(const struct gcdc_artifact *a, uint32_t q, gcdc_refusal *why)
{
	const struct artifact_info *i = &a->info;
	const struct artifact_lex_state *x = &a->lex_states[q];
	const struct artifact_set *s = &a->sets[x->without];
	if (x->without && (s->maybe || s->flags || i->n_choice || i->n_lines || i->max_readings > 1))
		return refuse_number(why, SECTION_LEX_STATE, AT(x, 0) + offsetof(struct artifact_lex_state, without),
		                     "left out, a set with ends of texts, or beside several readings", x->without, i->n_sets);
	return GCDC_OK;
}

// State 0 is dead: readings without a lexeme (prices of groups) have it.
static gcdc_status check_dead_state(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct artifact_info *i = &a->info;
	struct artifact_lex_state dead = {.terminal = ARTIFACT_NONE};
	dead.start_row = a->lex_states[0].start_row, dead.start_most = a->lex_states[0].start_most;
	dead.live = a->lex_states[0].live;
	if (memcmp(a->lex_states, &dead, sizeof dead))
		return refuse_number(why, SECTION_LEX_STATE, 0, "lexer state 0 is not dead", a->lex_states[0].terminal, 0);
	for (uint32_t c = 0; c < i->n_classes; c++)
		if (a->lex_next[c])
			return refuse_number(why, SECTION_LEX_NEXT, AT(a->lex_next, c), "lexer state 0 is not dead", a->lex_next[c],
			                     0);
	return GCDC_OK;
}

// Lexer states, and the names before them.
static gcdc_status check_lexer(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct artifact_info *i = &a->info;
	if (a->strings[i->n_strings - 1] != 0)
		return refuse_number(why, SECTION_STRINGS, i->n_strings - 1, "the last byte is not NUL",
		                     (uint8_t)a->strings[i->n_strings - 1], 0);
	gcdc_status status = GCDC_OK;
	for (uint32_t q = 0; q < i->n_lex_states && !status; q++) status = check_lex_state(a, q, why);
	for (uint32_t q = 0; q < i->n_lex_states && !status; q++) status = check_without(a, q, why);
	if (!status) status = check_dead_state(a, why);
	if (status || i->n_terminals % 32 == 0) return status;
	uint64_t words = BITMAP_WORDS(i->n_terminals);
	for (uint64_t c = 0; c < i->n_contexts; c++)
		if (a->contexts[c * words + words - 1] >> i->n_terminals % 32)
			return refuse_number(why, SECTION_CONTEXT, AT(a->contexts, c * words + words - 1),
			                     "bits past the terminals", a->contexts[c * words + words - 1], i->n_terminals);
	return GCDC_OK;
}

// A shift, a reduction, or ACCEPT at the end of the text.
static bool is_plain(const struct artifact_info *i, uint32_t x, bool end)
{
	if (x == ACTION_ACCEPT) return end;
	if (x & 1) return !end && x >> 1 != 0 && x >> 1 < i->n_lr_states;
	return x != 0 && (x >> 1) - 1 < i->n_productions;
}

enum choice_place { AT_END = 1, AT_TERMINAL = 2 };

// The lists of CHOICE, one after the other; place[k]: the columns in which a list that begins at k may stand.
static gcdc_status check_choices(const struct gcdc_artifact *a, uint32_t *place, gcdc_refusal *why)
{
	const struct artifact_info *i = &a->info;
	memset(place, 0, i->n_choice * sizeof *place);
	for (uint64_t at = 0, n; at < i->n_choice; at += n + 1) {
		n = a->choice[at];
		if (n < 2 || n >= i->n_choice - at)
			return refuse_number(why, SECTION_CHOICE, AT(a->choice, at), "length of a choice", n, i->n_choice - at);
		place[at] = AT_END | AT_TERMINAL;
		for (uint64_t j = at + 1; j <= at + n; j++) {
			uint32_t x = a->choice[j];
			if (!is_plain(i, x, true)) place[at] &= ~(uint32_t)AT_END;
			if (!is_plain(i, x, false)) place[at] &= ~(uint32_t)AT_TERMINAL;
			if (!place[at] || (j > at + 1 && x <= a->choice[j - 1]))
				return refuse_number(why, SECTION_CHOICE, AT(a->choice, j),
				                     "action of a choice (plain ones, ascending)", x, ACTION_ACCEPT);
		}
	}
	return GCDC_OK;
}

// Each row has a cell for each of its columns.
static gcdc_status check_rows(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct artifact_info *i = &a->info;
	for (uint32_t s = 0; s < i->n_lr_states; s++) {
		const uint64_t action = (uint64_t)a->lr_states[s].action_row + i->n_terminals + 1,
					   go = (uint64_t)a->lr_states[s].goto_row + i->n_nonterminals;
		if (action > i->n_action_cells)
			return refuse_number(why, SECTION_LR_STATE, AT(a->lr_states, s), "end of the action row", action,
			                     i->n_action_cells);
		if (go > i->n_goto_cells)
			return refuse_number(why, SECTION_LR_STATE, AT(a->lr_states, s), "end of the goto row", go,
			                     i->n_goto_cells);
		const uint32_t reduction = a->lr_states[s].reduction;
		if (reduction && (reduction & 1 || !is_plain(i, reduction, false)))
			return refuse_number(why, SECTION_LR_STATE, AT(a->lr_states, s), "reduction of most terminals",
			                     (reduction >> 1) - 1, i->n_productions);
	}
	for (uint32_t q = 0; q < i->n_lex_states; q++) {
		const uint64_t end = (uint64_t)a->lex_states[q].start_row + i->n_contexts;
		if (end > i->n_start_cells)
			return refuse_number(why, SECTION_LEX_STATE, AT(a->lex_states, q), "end of the row of starts", end,
			                     i->n_start_cells);
	}
	return GCDC_OK;
}

static gcdc_status check_parser(const struct gcdc_artifact *a, const uint32_t *place, gcdc_refusal *why)
{
	const struct artifact_info *i = &a->info;
	for (uint32_t k = 0; k < i->n_action_cells; k++) {
		const uint32_t x = a->lr_action[k].value;
		const bool end = a->lr_action[k].column == i->n_terminals;
		if (x == 0 || (x == ACTION_SKIP && !end) || is_plain(i, x, end)) continue;
		if (!ACTION_IS_CHOICE(x))
			return refuse_number(why, SECTION_LR_ACTION, AT(a->lr_action, k) + 4,
			                     x & 1 ? "shift to state" : "reduction", x & 1 ? x >> 1 : (x >> 1) - 1,
			                     x & 1 ? i->n_lr_states : i->n_productions);
		uint32_t at = x & ACTION_CHOICE_MASK;
		if (at >= i->n_choice || !(place[at] & (end ? AT_END : AT_TERMINAL)))
			return refuse_number(why, SECTION_LR_ACTION, AT(a->lr_action, k) + 4, "choice", at, i->n_choice);
	}
	return GCDC_OK;
}

static gcdc_status check_starts(const struct gcdc_artifact *a, uint32_t *scratch, gcdc_refusal *why)
{
	const struct artifact_info *i = &a->info;
	uint32_t *ranks = scratch, most = 0;  // by context: one past the highest rank: what a base must leave room for
	memset(ranks, 0, i->n_contexts * sizeof *ranks);
	for (uint32_t s = 1; s < i->n_lr_states; s++) {
		uint32_t *r = &ranks[a->lr_states[s].context];
		if (*r <= a->lr_states[s].rank) *r = a->lr_states[s].rank + 1;
		if (*r > most) most = *r;
	}
	for (uint32_t k = 0; k < i->n_start_cells; k++) {
		const struct artifact_cell *x = &a->start_base[k];
		if (x->column != ARTIFACT_NONE && x->value != ARTIFACT_NONE &&
		    (uint64_t)x->value + ranks[x->column] > i->n_starts)
			return refuse_number(why, SECTION_START_BASE, AT(a->start_base, k) + 4, "end of the start rows",
			                     (uint64_t)x->value + ranks[x->column], i->n_starts);
	}
	for (uint32_t q = 0; q < i->n_lex_states; q++) {
		const struct artifact_lex_state *x = &a->lex_states[q];
		const uint32_t room = i->n_starts - x->start_most;  // it is below n_starts, or NONE
		if (x->start_most == ARTIFACT_NONE || most <= room) continue;
		for (uint32_t c = 0; c < i->n_contexts; c++)
			if (ranks[c] > room && artifact_start_base(a, q, c) == x->start_most)
				return refuse_number(why, SECTION_LEX_STATE, AT(a->lex_states, q), "end of the start rows",
				                     (uint64_t)x->start_most + ranks[c], i->n_starts);
	}
	return GCDC_OK;
}

// Rows of blanks: widths from 0, ascending, then one OR_MORE for each of them, then tabs. Tops for every state that is
// entered by what makes lines; starts for every line, row and top.
// Branches: the three kinds of rows (widths, or-more, tabs) differ in their kind, their least width and their rest.
static gcdc_status check_lines(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct artifact_info *i = &a->info;
	for (uint32_t k = 0; k < i->n_blanks; k++) {
		const struct artifact_blank *x = &a->blanks[k];
		uint32_t kind = k < i->n_widths       ? ARTIFACT_BLANK_WIDTH
		                : k < 2 * i->n_widths ? ARTIFACT_BLANK_OR_MORE
		                                      : ARTIFACT_BLANK_TAB;
		if (x->kind != kind) return refuse_number(why, SECTION_BLANK, AT(x, k), "kind", x->kind, kind);
		uint32_t least = kind == ARTIFACT_BLANK_TAB || k == 0 ? 0
		                 : kind == ARTIFACT_BLANK_OR_MORE     ? a->blanks[k - i->n_widths].spaces
		                                                      : a->blanks[k - 1].spaces + 1;
		bool is_fixed = k == 0 || kind == ARTIFACT_BLANK_OR_MORE;
		if (x->spaces > ARTIFACT_MAX_COLUMN || x->spaces < least || (is_fixed && x->spaces != least))
			return refuse_number(why, SECTION_BLANK, AT(x, k) + 4, "columns", x->spaces, least);
		if (kind == ARTIFACT_BLANK_TAB ? x->rest > ARTIFACT_MAX_COLUMN : x->rest)
			return refuse_number(why, SECTION_BLANK, AT(x, k) + 8, "columns behind the tab", x->rest, 0);
	}
	uint64_t end = i->line_start + (uint64_t)i->n_lines * i->n_blanks * i->n_line_tops;
	if (end > i->n_starts)
		return refuse_number(why, SECTION_INFO, offsetof(struct artifact_info, line_start),
		                     "end of the starts of lines", end, i->n_starts);
	return GCDC_OK;
}

// In a register, whatever the machine.
static inline uint32_t count_in_word(uint32_t x)
{
	x -= x >> 1 & 0x55555555u;
	x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
	return ((x + (x >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

static uint32_t count_by_hand(const uint32_t *row, uint32_t words)
{
	uint32_t n = 0;
	for (uint32_t w = 0; w < words; w++) n += count_in_word(row[w]);
	return n;
}

#if defined(__x86_64__)
__attribute__((target("popcnt"))) static uint32_t count_by_machine(const uint32_t *row, uint32_t words)
{
	uint32_t w = 0;
	uint64_t n = 0, x;
	for (; w + 2 <= words; w += 2) {
		memcpy(&x, row + w, sizeof x);
		n += (uint64_t)__builtin_popcountll(x);
	}
	return (uint32_t)n + (w < words ? count_in_word(row[w]) : 0);
}
#define COUNT_BITS (__builtin_cpu_supports("popcnt") ? count_by_machine : count_by_hand)
#else
#define COUNT_BITS count_by_hand
#endif

// Which entries of a list are not above the one before: a bit each, 32 in a block, and how many there are before it.
#define DESCENTS 32u
#define DESCENTS_WORDS(n) (2 * ((uint64_t)(n) / DESCENTS + 1))
struct descents {
	uint32_t bits, before;
};

// Which of the 32 words at `at` are not above the one before: a bit each.
static uint32_t descents_at(const uint32_t *at)
{
	typedef uint32_t four __attribute__((vector_size(16)));
	four bits = {0}, lane = {1, 2, 4, 8};
	for (uint32_t k = 0; k < DESCENTS; k += 4) {
		four x, before;
		memcpy(&x, at + k, sizeof x), memcpy(&before, at + k - 1, sizeof before);
		bits |= (four)(x <= before) & lane << k;
	}
	return bits[0] | bits[1] | bits[2] | bits[3];
}

// Of a list of n numbers of any width, words where they are. What is found of the first number, and behind the last, is
// asked of nobody.
#define DESCENTS_FIND(x, list, n)                                                                                      \
	for (uint32_t from = 0, before = 0; from < (n); from += DESCENTS) {                                                \
		const uint32_t left = (n)-from < DESCENTS ? (n)-from : DESCENTS;                                               \
		const void *at = (list) + from;                                                                                \
		uint32_t block[1 + DESCENTS];                                                                                  \
		if (sizeof *(list) != sizeof *block || !from || left < DESCENTS) {                                             \
			memset(block, 0, sizeof block);                                                                            \
			if (from) block[0] = (list)[from - 1];                                                                     \
			for (uint32_t k = 0; k < left; k++) block[1 + k] = (list)[from + k];                                       \
			at = block + 1;                                                                                            \
		}                                                                                                              \
		(x)[from / DESCENTS] = (struct descents){descents_at(at), before};                                             \
		before += count_in_word((x)[from / DESCENTS].bits);                                                            \
	}

static uint32_t descents_to(const struct descents *x, uint32_t k)
{
	uint32_t bits = x[k / DESCENTS].bits & (UINT32_MAX >> (DESCENTS - 1 - k % DESCENTS));
	return x[k / DESCENTS].before + count_in_word(bits);
}

// Do entries [first, first + n) ascend?
static bool ascends(const struct descents *x, uint32_t first, uint32_t n)
{
	return !n || descents_to(x, first + n - 1) == descents_to(x, first);
}

static gcdc_status check_nodes(const struct gcdc_artifact *a, struct descents *descents, gcdc_refusal *why)
{
	const struct artifact_info *i = &a->info;
	DESCENTS_FIND(descents, a->edge_frames, i->n_edges)
	for (uint32_t k = 1; k < i->n_nodes; k++) {
		const struct artifact_node *x = &a->nodes[k];
		if ((uint64_t)x->first + x->n > i->n_edges)
			return refuse_number(why, SECTION_NODE, AT(x, k), "end of the edges", (uint64_t)x->first + x->n,
			                     i->n_edges);
		if (!ascends(descents, x->first, x->n))
			return refuse_number(why, SECTION_NODE, AT(x, k), "frames of a node must ascend; first edge", x->first, 0);
		if (x->other >= i->n_targets)
			return refuse_number(why, SECTION_NODE, AT(x, k) + 12, "target", x->other, i->n_targets);
	}
	return GCDC_OK;
}

static gcdc_status check_sets(const struct gcdc_artifact *a, struct descents *descents, gcdc_refusal *why)
{
	const struct artifact_info *i = &a->info;
	uint32_t past = i->n_tokens % 32 ? UINT32_MAX << i->n_tokens % 32 : 0;
	for (uint64_t r = 0; past && r < i->n_dense; r++) {
		uint64_t last = (r + 1) * i->mask_words - 1;
		if (a->dense[last] & past)
			return refuse_number(why, SECTION_DENSE, AT(a->dense, last), "bits past the tokens", a->dense[last],
			                     i->n_tokens);
	}
	DESCENTS_FIND(descents, a->sparse, i->n_sparse)
	for (uint32_t k = 0; k < i->n_sets; k++) {
		const struct artifact_set *x = &a->sets[k];
		if (!ascends(descents, x->at, x->n))
			return refuse_number(why, SECTION_SET, AT(x, k) + 4, "tokens of a set must ascend; first entry", x->at, 0);
		if (x->dense != ARTIFACT_NONE && x->n > ARTIFACT_MAX_FLIPS)
			return refuse_number(why, SECTION_SET, AT(x, k) + 8, "tokens beside a row (ARTIFACT_MAX_FLIPS)", x->n,
			                     ARTIFACT_MAX_FLIPS);
	}
	for (uint32_t k = 0; k < i->n_eos; k++) {
		if (k && a->eos[k] <= a->eos[k - 1])
			return refuse_number(why, SECTION_EOS, AT(a->eos, k), "ids must ascend", a->eos[k], a->eos[k - 1]);
	}
	return GCDC_OK;
}

// EOS ids of a set: all of them where the text may end, else none.
static bool has_right_eos(const struct gcdc_artifact *a, const struct artifact_set *s)
{
	for (uint32_t k = 0; k < a->info.n_eos; k++)
		if (artifact_set_has(a, s, a->eos[k]) != (s->flags == SET_EOS)) return false;
	return true;
}

// The number of tokens in a set: those listed, or its row's with each flip that adds one or takes one away.
static uint32_t tokens_in(const struct gcdc_artifact *a, const struct artifact_set *x, const uint32_t *of_row)
{
	if (x->dense == ARTIFACT_NONE) return x->n;
	const uint32_t *row = &a->dense[(uint64_t)x->dense * a->info.mask_words], *flip = &a->sparse[x->at];
	uint32_t taken = 0;
	for (uint32_t f = 0; f < x->n; f++) taken += row[flip[f] / 32] >> flip[f] % 32 & 1;
	return of_row[x->dense] + x->n - 2 * taken;
}

static gcdc_status check_count(const struct gcdc_artifact *a, uint32_t k, const uint32_t *of_row, gcdc_refusal *why)
{
	const struct artifact_set *x = &a->sets[k];
	const uint32_t n = tokens_in(a, x, of_row);
	if (x->count != n)
		return refuse_number(why, SECTION_SET, AT(x, k) + 16, "count, of a set with another number of tokens", x->count,
		                     n);
	if (!n && x->dense != ARTIFACT_NONE)
		return refuse_number(why, SECTION_SET, AT(x, k), "row of a set without tokens", x->dense, 0);
	if (!has_right_eos(a, x))
		return refuse_number(why, SECTION_SET, AT(x, k) + 12, "flags, of a set whose EOS ids say otherwise", x->flags,
		                     SET_EOS);
	return GCDC_OK;
}

#define COUNT_PARTS 16u  // of the rows: those of a part stay in the processor's cache

// Counts of sets are what the sets hold, so a set with a count makes no empty mask and fits where its count says. Of a
// part of the rows all sets that have one; with the first part, those without a row. of_row: a number for each row.
static gcdc_status check_counts(const struct gcdc_artifact *a, uint32_t part, uint32_t *of_row, gcdc_refusal *why)
{
	const struct artifact_info *i = &a->info;
	const uint32_t from = (uint32_t)((uint64_t)i->n_dense * part / COUNT_PARTS),
				   to = (uint32_t)((uint64_t)i->n_dense * (part + 1) / COUNT_PARTS);
	uint32_t (*const count)(const uint32_t *, uint32_t) = COUNT_BITS;
	if (!part && (a->sets[0].count || a->sets[0].flags))
		return refuse_number(why, SECTION_SET, 0, "set 0 is not empty", a->sets[0].count, 0);
	for (uint32_t r = from; r < to; r++) of_row[r] = count(&a->dense[(uint64_t)r * i->mask_words], i->mask_words);
	gcdc_status status = GCDC_OK;
	for (uint32_t k = 0; k < i->n_sets && !status; k++) {
		const uint32_t row = a->sets[k].dense;
		if (row - from < to - from || (!part && row == ARTIFACT_NONE)) status = check_count(a, k, of_row, why);
	}
	return status;
}

gcdc_status token_offsets_validate(const uint32_t *offset, uint32_t n, uint64_t size, uint32_t max_len,
                                   gcdc_refusal *why)
{
	uint32_t longest = 0, wraps = 0;
	for (uint32_t t = 0; t < n; t++) {
		uint32_t len = offset[t + 1] - offset[t];
		longest = len > longest ? len : longest;
		wraps |= offset[t + 1] < offset[t];
	}
	if (offset[0] != 0 || offset[n] != size || wraps || longest > max_len)
		return refuse_number(why, SECTION_TOKEN_OFFSET, 0,
		                     "offsets must ascend from 0 to the end of the tokens' bytes; longest token", longest,
		                     max_len);
	return GCDC_OK;
}

// What ties the entries of several sections together. Room that the checks need.
struct tables_check {
	const struct gcdc_artifact *artifact;
	struct descents *of_edges, *of_sparse;
	uint32_t *of_contexts, *of_choice, *of_row;
};
enum { CHECK_SETS, CHECK_NODES, CHECK_PARSER, CHECK_COUNTS, CHECKS = CHECK_COUNTS + COUNT_PARTS };

static gcdc_status check_parser_tables(const struct tables_check *x, gcdc_refusal *why)
{
	const struct gcdc_artifact *a = x->artifact;
	gcdc_status status = check_choices(a, x->of_choice, why);
	if (!status) status = check_rows(a, why);
	if (!status) status = check_parser(a, x->of_choice, why);
	if (!status) status = check_starts(a, x->of_contexts, why);
	return status ? status : check_lines(a, why);
}

// The checks read entries that are in range, each by itself, and nothing that another check proves.
static gcdc_status check_table(void *check, uint32_t i, uint32_t worker, gcdc_refusal *why)
{
	(void)worker;
	const struct tables_check *x = check;
	if (i == CHECK_SETS) return check_sets(x->artifact, x->of_sparse, why);
	if (i == CHECK_NODES) return check_nodes(x->artifact, x->of_edges, why);
	if (i == CHECK_PARSER) return check_parser_tables(x, why);
	return check_counts(x->artifact, i - CHECK_COUNTS, x->of_row, why);
}

static gcdc_status check_tables(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct artifact_info *i = &a->info;
	const uint64_t words[] = {DESCENTS_WORDS(i->n_edges), DESCENTS_WORDS(i->n_sparse), i->n_contexts, i->n_choice,
	                          i->n_dense};
	uint64_t room = 0;
	for (uint32_t k = 0; k < sizeof words / sizeof *words; k++) room += words[k];
	uint32_t *scratch = memory_resize(&a->memory, NULL, room, sizeof *scratch);
	if (!scratch)
		return refuse(why, GCDC_ERR_MEMORY, 0, 0, "no memory to check %llu entries", (unsigned long long)room);
	struct tables_check x = {a, (struct descents *)(void *)scratch, NULL, NULL, NULL, NULL};
	x.of_sparse = (struct descents *)(void *)(scratch + words[0]);
	x.of_contexts = scratch + words[0] + words[1];
	x.of_choice = x.of_contexts + words[2];
	x.of_row = x.of_choice + words[3];
	gcdc_status status = jobs_run(a->open_threads, CHECKS, check_table, &x, why);
	memory_free(&a->memory, scratch);
	return status;
}

gcdc_status artifact_validate(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct artifact_info *i = &a->info;
	gcdc_status status = check_info(a, why);
	if (!status && a->parts->budget) status = a->parts->budget->validate_counts(a, why);
	if (!status) status = section_bounds_validate(a, why);
	if (!status) status = check_lexer(a, why);
	if (!status) status = counters_validate(a, why);
	if (!status) status = check_tables(a, why);
	if (!status && a->parts->budget) status = a->parts->budget->validate(a, why);
	if (!status && a->token_offset)
		status = token_offsets_validate(a->token_offset, i->n_tokens, a->section_size[SECTION_TOKEN_BYTES],
		                                i->max_token_len, why);
	return status;
}
