// Two artifacts made by hand, for tests of the writer and the runtime: no compiler is involved, so a test that fails
// accuses the runtime. Each comes with a slow oracle on texts.
//
//   parens:  start: "(" start ")" | /[0-9]+/      ignored: / +/
//            Whether ")))" is allowed depends on the stack; EOS where all is closed.
//   fallback: start: INT "." | FLOAT              INT /[0-9]+/, FLOAT /[0-9]+\.[0-9]+/
//            After "1." there are two readings: FLOAT goes on, or INT DOT is complete.
#ifndef GCDC_TESTS_TINY_ARTIFACT_H
#define GCDC_TESTS_TINY_ARTIFACT_H

#include "../../lib/base/mem.h"
#include "../../lib/writer/artifact_image.h"

struct tiny {
	struct arena arena;
	struct artifact_image image;
	// Is the text a prefix of the language (1), a text of it (2), neither (0)?
	int (*judge)(const char *text, size_t len);
};

#define TINY_SYMBOL __attribute__((unused)) static

// ---- Vocabularies.
TINY_SYMBOL void tiny_vocab(struct tiny *t, uint32_t v, const char *const *texts, uint32_t n, const uint32_t *eos,
                            uint32_t n_eos)
{
	struct artifact_image *m = &t->image;
	uint32_t *offset = arena_array(&t->arena, v + 1, 4), longest = 0;
	char *bytes = arena_alloc(&t->arena, 4096);
	for (uint32_t i = 0; i < v; i++) {
		uint32_t len = i < n ? (uint32_t)strlen(texts[i]) : 0;
		memcpy(bytes + offset[i], i < n ? texts[i] : "", len);
		offset[i + 1] = offset[i] + len;
		if (len > longest) longest = len;
	}
	uint32_t *ids = arena_array(&t->arena, n_eos, 4);
	memcpy(ids, eos, n_eos * 4);
	m->token_offset = offset;
	m->token_bytes = (uint8_t *)bytes;
	m->eos = ids;
	m->info.n_tokens = v;
	m->info.mask_words = (v + 31) / 32;
	m->info.n_eos = n_eos;
	m->info.max_token_len = longest;
}

// ---- Sets: interned by content; every other one is a list, some are both.
struct tiny_sets {
	struct artifact_set *sets;
	uint32_t *dense;
	uint32_t *sparse;
	uint32_t (*content)[8];
	uint32_t n, n_dense, n_sparse;
};
#define TINY_MAX_SETS 256

TINY_SYMBOL void tiny_sets_init(struct tiny *t, struct tiny_sets *s)
{
	uint32_t words = t->image.info.mask_words;
	ASSERT(words <= 8);
	*s = (struct tiny_sets){
		.sets = arena_array(&t->arena, TINY_MAX_SETS, sizeof *s->sets),
		.dense = arena_array(&t->arena, TINY_MAX_SETS * words, 4),
		.sparse = arena_array(&t->arena, TINY_MAX_SETS * words * 32, sizeof *s->sparse),
		.content = arena_array(&t->arena, TINY_MAX_SETS, sizeof *s->content),
		.n = 1,
	};
	s->sets[0].dense = ARTIFACT_NONE;
}

TINY_SYMBOL uint32_t tiny_set(struct tiny *t, struct tiny_sets *s, const uint32_t *mask)
{
	uint32_t words = t->image.info.mask_words, count = 0, flags = 0;
	for (uint32_t w = 0; w < words; w++) count += (uint32_t)__builtin_popcount(mask[w]);
	for (uint32_t i = 0; i < s->n; i++)
		if (memcmp(s->content[i], mask, words * 4) == 0) return i;
	for (uint32_t i = 0; i < t->image.info.n_eos; i++)
		if (mask[t->image.eos[i] / 32] >> t->image.eos[i] % 32 & 1) flags = SET_EOS;
	ASSERT(s->n < TINY_MAX_SETS);
	uint32_t id = s->n++,
			 kind = id % 3;  // 0: row, 1: list, 2: row with its first word the other way round, and flips for that
	memcpy(s->content[id], mask, words * 4);
	s->sets[id] = (struct artifact_set){.dense = ARTIFACT_NONE, .at = s->n_sparse, .flags = flags, .count = count};
	uint32_t *row = &s->dense[s->n_dense * words];
	if (kind != 1) {
		memcpy(row, mask, words * 4);
		if (kind == 2) row[0] = ~mask[0] & (words == 1 ? (1u << t->image.info.n_tokens % 32) - 1 : ~0u);
		s->sets[id].dense = s->n_dense++;
	}
	for (uint32_t k = 0; k < t->image.info.n_tokens; k++)
		if (kind == 2 ? k < 32 : kind == 1 && (mask[k / 32] >> k % 32 & 1)) s->sparse[s->n_sparse++] = k;
	s->sets[id].n = s->n_sparse - s->sets[id].at;
	return id;
}

TINY_SYMBOL void tiny_sets_done(struct tiny *t, const struct tiny_sets *s)
{
	struct artifact_image *m = &t->image;
	m->sets = s->sets;
	m->dense = s->dense;
	m->sparse = s->sparse;
	m->info.n_sets = s->n;
	m->info.n_dense = s->n_dense;
	m->info.n_sparse = s->n_sparse;
}

// A table as cells, each row where it would begin if it were alone.
TINY_SYMBOL const struct artifact_cell *tiny_cells(struct tiny *t, const uint32_t *x, uint32_t n_rows,
                                                   uint32_t n_columns, uint32_t none)
{
	struct artifact_cell *cells = arena_array(&t->arena, (size_t)n_rows * n_columns, sizeof *cells);
	for (uint32_t k = 0; k < n_rows * n_columns; k++)
		cells[k] =
			x[k] == none ? (struct artifact_cell){ARTIFACT_NONE, 0} : (struct artifact_cell){k % n_columns, x[k]};
	return cells;
}

// ---- parens
enum { P_LPAR, P_RPAR, P_N, P_WS, P_TERMINALS };
enum { P_WANT, P_AFTER, P_NUMBER };  // what comes next
enum { PQ_DEAD, PQ_WANT, PQ_AFTER, PQ_END, PQ_L, PQ_R, PQ_N, PQ_W, PQ_STATES };
#define P_CAP 3  // closing parentheses in one token
#define P_LR 11
#define P_V 70

static const char *const parens_tokens[] = {
	"(", ")",  "0",   "1",   "2",           "3",  "4",  "5",  "6",     "7",  "8",   "9",
	" ", "))", ")))", "((",  "(((",         "(1", "1)", "12", ") )",   " )", "( (", "1))",
	"x", "()", ")(",  "1 2", "((((((((((7", "  ", "1 ", ") ", "33)))", "1",
};
#define P_TOKENS (sizeof parens_tokens / sizeof *parens_tokens)
static const uint32_t parens_eos[] = {40, 69};

// From (phase, open parentheses) over a text; false: not a prefix.
TINY_SYMBOL bool parens_run(int *phase, int *open, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char c = text[i];
		if (c >= '0' && c <= '9') {
			if (*phase == P_AFTER) return false;
			*phase = P_NUMBER;
		} else if (c == ' ') {
			if (*phase == P_NUMBER) *phase = P_AFTER;
		} else if (c == '(') {
			if (*phase != P_WANT) return false;
			++*open;
		} else if (c == ')') {
			if (*phase == P_WANT || --*open < 0) return false;
			*phase = P_AFTER;
		} else {
			return false;
		}
	}
	return true;
}

TINY_SYMBOL int parens_judge(const char *text, size_t len)
{
	int phase = P_WANT, open = 0;
	if (!parens_run(&phase, &open, text, len)) return 0;
	return phase != P_WANT && open == 0 ? 2 : 1;
}

// Tokens allowed in (phase, open); with EOS when exact.
TINY_SYMBOL uint32_t parens_set(struct tiny *t, struct tiny_sets *s, int phase, int open, bool exact)
{
	uint32_t mask[8] = {0};
	for (uint32_t k = 0; k < P_TOKENS; k++) {
		int p = phase, o = open;
		if (open >= 0 && parens_run(&p, &o, parens_tokens[k], strlen(parens_tokens[k]))) mask[k / 32] |= 1u << k % 32;
	}
	if (exact && open == 0 && phase != P_WANT)
		for (uint32_t k = 0; k < 2; k++) mask[parens_eos[k] / 32] |= 1u << parens_eos[k] % 32;
	return tiny_set(t, s, mask);
}

TINY_SYMBOL void parens_parser(struct tiny *t)
{
	struct artifact_image *m = &t->image;
	// 1 bottom, 2 "(" outermost, 3 "(" within, 4 done, 5 "(" E outermost, 6 "(" E within, 7 ")" outermost, 8 ")"
	// within, 9 number alone, 10 number within. Contexts: 0 {LPAR N}, 1 {RPAR}, 2 {} ($end).
	static const uint32_t context[P_LR] = {0, 0, 0, 0, 2, 1, 1, 2, 1, 2, 1},
						  rank[P_LR] = {0, 0, 1, 2, 0, 0, 1, 1, 2, 2, 3};
	struct artifact_lr_state *lr = arena_array(&t->arena, P_LR, sizeof *lr);
	uint32_t(*action)[P_TERMINALS + 1] = arena_array(&t->arena, P_LR, sizeof *action);
	uint32_t *go = arena_array(&t->arena, P_LR, 4);
	for (uint32_t s = 0; s < P_LR; s++)
		lr[s] = (struct artifact_lr_state){context[s], rank[s], s * (P_TERMINALS + 1), s, 0};
	lr[8].reduction = ACTION_REDUCE(0);  // under P_RPAR
	action[1][P_LPAR] = ACTION_SHIFT(2), action[1][P_N] = ACTION_SHIFT(9);
	action[2][P_LPAR] = action[3][P_LPAR] = ACTION_SHIFT(3), action[2][P_N] = action[3][P_N] = ACTION_SHIFT(10);
	action[4][P_TERMINALS] = ACTION_ACCEPT;
	action[5][P_RPAR] = ACTION_SHIFT(7), action[6][P_RPAR] = ACTION_SHIFT(8);
	action[7][P_TERMINALS] = ACTION_REDUCE(0);
	action[9][P_TERMINALS] = action[10][P_RPAR] = ACTION_REDUCE(1);
	go[1] = 4, go[2] = 5, go[3] = 6;
	static const struct artifact_production productions[] = {{.lhs = 0, .length = 3, .symbols = 0},
	                                                         {.lhs = 0, .length = 1, .symbols = 3}};
	static const uint32_t symbols[] = {P_LPAR, P_TERMINALS, P_RPAR, P_N}, names[] = {0};
	static const char strings[] = "start\0LPAR\0RPAR\0N\0WS";
	static const struct artifact_terminal terminals[] = {{6, TERMINAL_LITERAL, 0, 6, 0},
	                                                     {11, TERMINAL_LITERAL, 0, 11, 1},
	                                                     {16, 0, 0, 16, 2},
	                                                     {18, TERMINAL_IGNORED, 0, 18, 3}};
	static const uint32_t contexts[] = {1u << P_LPAR | 1u << P_N, 1u << P_RPAR, 0};
	m->lr_states = lr, m->productions = productions, m->symbols = symbols;
	m->lr_action = tiny_cells(t, action[0], P_LR, P_TERMINALS + 1, 0), m->lr_goto = tiny_cells(t, go, P_LR, 1, 0);
	m->nonterminals = names, m->strings = strings, m->terminals = terminals, m->contexts = contexts;
	m->info.n_strings = sizeof strings, m->info.n_terminals = P_TERMINALS, m->info.n_nonterminals = 1;
	m->info.n_productions = 2, m->info.n_symbols = 4, m->info.n_contexts = 3, m->info.n_lr_states = P_LR;
	m->info.n_action_cells = P_LR * (P_TERMINALS + 1), m->info.n_goto_cells = P_LR, m->info.max_pushes = 1;
}

TINY_SYMBOL void parens_lexer(struct tiny *t)
{
	struct artifact_image *m = &t->image;
	enum { OTHER, LEFT, RIGHT, DIGIT, SPACE, CLASSES };
	m->info.class_of['('] = LEFT, m->info.class_of[')'] = RIGHT, m->info.class_of[' '] = SPACE;
	for (int c = '0'; c <= '9'; c++) m->info.class_of[c] = DIGIT;
	uint32_t(*next)[CLASSES] = arena_array(&t->arena, PQ_STATES, sizeof *next);
	struct artifact_lex_state *lex = arena_array(&t->arena, PQ_STATES, sizeof *lex);
	for (uint32_t q = 0; q < PQ_STATES; q++) lex[q].terminal = ARTIFACT_NONE;
	next[PQ_WANT][LEFT] = PQ_L, next[PQ_WANT][DIGIT] = PQ_N, next[PQ_WANT][SPACE] = PQ_W;
	next[PQ_AFTER][RIGHT] = PQ_R, next[PQ_AFTER][SPACE] = next[PQ_END][SPACE] = PQ_W;
	static const uint32_t terminal_of[PQ_STATES] = {[PQ_L] = P_LPAR, [PQ_R] = P_RPAR, [PQ_N] = P_N, [PQ_W] = P_WS};
	for (uint32_t q = PQ_L; q <= PQ_W; q++) {
		lex[q].terminal = terminal_of[q];
		lex[q].flags = LEX_MAY_END;
		for (uint32_t c = LEFT; c < CLASSES; c++) next[q][c] = LEX_CUT;
	}
	next[PQ_N][DIGIT] = PQ_N, next[PQ_W][SPACE] = PQ_W;
	lex[PQ_WANT].flags = LEX_INITIAL;
	static const uint32_t start[] = {PQ_WANT, PQ_AFTER, PQ_END};
	m->lex_next = next[0], m->lex_states = lex, m->lex_start = start;
	m->info.n_classes = CLASSES, m->info.n_lex_states = PQ_STATES, m->info.n_obligations = 1;
	m->info.start_lex_state = PQ_WANT, m->info.max_readings = 1;
}

// Nodes: (phase, open so far, -1 .. CAP - 1), once reading the next frame, once skipping two (below a finished "(" E
// ")").
TINY_SYMBOL uint32_t parens_node(int phase, int open, bool skip)
{
	return 1 + (uint32_t)((phase * (P_CAP + 1) + open + 1) * 2 + skip);
}

TINY_SYMBOL struct tiny *tiny_parens(void)
{
	struct tiny *t = mem_calloc(1, sizeof *t);
	struct artifact_image *m = &t->image;
	t->judge = parens_judge;
	tiny_vocab(t, P_V, parens_tokens, P_TOKENS, parens_eos, 2);
	parens_parser(t);
	parens_lexer(t);
	struct tiny_sets s;
	tiny_sets_init(t, &s);
	uint32_t n_nodes = parens_node(P_NUMBER, P_CAP - 1, true) + 1;
	struct artifact_node *nodes = arena_array(&t->arena, n_nodes, sizeof *nodes);
	uint32_t n_edges = n_nodes * 3, *edges = arena_array(&t->arena, n_edges, sizeof *edges);  // frames 1 to 3 each
	uint16_t *edge_frames = arena_array(&t->arena, n_edges, sizeof *edge_frames);
	struct artifact_target *targets = arena_array(&t->arena, n_edges, sizeof *targets);
	for (int phase = 0; phase < 3; phase++)
		for (int open = -1; open < P_CAP; open++)
			for (int skip = 0; skip < 2; skip++) {
				uint32_t k = parens_node(phase, open, skip);
				nodes[k] = (struct artifact_node){k * 3, 3, skip ? 2 : 0, 0};
				for (uint32_t f = 1; f <= 3; f++) {
					int now = open + (f > 1);
					bool end = f < 3 || now == P_CAP;
					uint32_t e = edges[k * 3 + f - 1] = k * 3 + f - 1;
					edge_frames[e] = (uint16_t)f;
					targets[e] = (struct artifact_target){end ? parens_set(t, &s, phase, now, f < 3) : 0,
					                                      end ? 0 : parens_node(phase, now, false)};
				}
			}
	static const uint32_t n_ranks[] = {3, 4, 3};
	static const uint32_t by_rank[3][4] = {{1, 2, 3}, {5, 6, 8, 10}, {4, 7, 9}};
	uint32_t(*base)[3] = arena_array(&t->arena, PQ_STATES, sizeof *base);
	struct artifact_start *starts = arena_array(&t->arena, PQ_STATES * 10, sizeof *starts);
	uint32_t n_starts = 0;
	struct artifact_lex_state *lex = (struct artifact_lex_state *)(uintptr_t)m->lex_states;
	static const uint32_t live[2] = {0, 1};
	for (uint32_t q = 0; q < PQ_STATES; q++)
		for (uint32_t c = 0; c < 3; c++) {
			bool used = q == PQ_W || (c == 0 && (q == PQ_WANT || q == PQ_L || q == PQ_N)) || (c == 1 && q == PQ_R);
			base[q][c] = used && q != PQ_L ? n_starts : ARTIFACT_NONE;
			if (!c) lex[q].start_row = q * 3, lex[q].start_most = ARTIFACT_NONE;
			if (used && q == PQ_L) lex[q].start_most = n_starts, lex[q].live = 1;
			for (uint32_t r = 0; used && r < n_ranks[c]; r++) {
				uint32_t top = by_rank[c][r];
				int phase = q == PQ_N ? P_NUMBER : q == PQ_R || c > 0 ? P_AFTER : P_WANT;
				int open = (q == PQ_L) - (q == PQ_R) + (top == 2 || top == 3 || top == 5);
				bool exact = top != 3 && top != 6 && top != 8 && top != 10;
				struct artifact_start *x = &starts[n_starts++];
				if (exact)
					x->set = parens_set(t, &s, phase, open, true);
				else if (open >= P_CAP)
					x->set = parens_set(t, &s, phase, P_CAP, false);
				else
					*x = (struct artifact_start){parens_set(t, &s, phase, open, false),
					                             parens_node(phase, open, top == 8)};
			}
		}
	tiny_sets_done(t, &s);
	m->nodes = nodes, m->edges = edges, m->starts = starts, m->live = live;
	m->start_base = tiny_cells(t, base[0], PQ_STATES, 3, ARTIFACT_NONE);
	m->info.n_start_cells = PQ_STATES * 3, m->info.n_live = 2;
	m->edge_frames = edge_frames, m->targets = targets;
	m->info.n_nodes = n_nodes, m->info.n_edges = m->info.n_targets = n_edges, m->info.n_starts = n_starts;
	m->info.worst_frames = P_CAP + 3, m->info.worst_sets = 2;
	m->grammar_hash[0] = 1, m->grammar_hash[1] = 2, m->vocab_hash[0] = 3, m->vocab_hash[1] = 4;
	return t;
}

// ---- fallback
enum { F_INT, F_DOT, F_FLOAT, F_TERMINALS };
enum { FQ_DEAD, FQ_START, FQ_INT, FQ_POINT, FQ_FLOAT, FQ_DOT_START, FQ_DOT, FQ_STATES };
#define F_V 33
static const char *const fallback_tokens[] = {"1", "2", "12", ".", "1.", "1.5", ".5", "5.", "x", "..", "1.5.", ".5555"};
#define F_TOKENS (sizeof fallback_tokens / sizeof *fallback_tokens)
static const uint32_t fallback_eos[] = {32};

// States: 0 nothing, 1 digits, 2 digits ".", 3 digits "." digits; -1 dead.
TINY_SYMBOL int fallback_run(int at, const char *text, size_t len)
{
	for (size_t i = 0; i < len && at >= 0; i++) {
		bool digit = text[i] >= '0' && text[i] <= '9';
		at = digit ? (at < 2 ? 1 : 3) : text[i] == '.' && at == 1 ? 2 : -1;
	}
	return at;
}

TINY_SYMBOL int fallback_judge(const char *text, size_t len)
{
	int at = fallback_run(0, text, len);
	return at < 0 ? 0 : at >= 2 ? 2 : 1;
}

TINY_SYMBOL struct tiny *tiny_fallback(void)
{
	struct tiny *t = mem_calloc(1, sizeof *t);
	struct artifact_image *m = &t->image;
	t->judge = fallback_judge;
	tiny_vocab(t, F_V, fallback_tokens, F_TOKENS, fallback_eos, 1);
	// 1 bottom, 2 INT, 3 INT DOT, 4 FLOAT, 5 start. Contexts: 0 {INT FLOAT}, 1 {DOT}, 2 {} ($end).
	static const struct artifact_lr_state lr[] = {{0, 0, 0, 0, 0},  {0, 0, 4, 1, 0},  {1, 0, 8, 0, 0},
	                                              {2, 0, 12, 0, 0}, {2, 1, 16, 0, 0}, {2, 2, 20, 0, 0}};
	static const uint32_t action[6][F_TERMINALS + 1] = {[1] = {[F_INT] = ACTION_SHIFT(2), [F_FLOAT] = ACTION_SHIFT(4)},
	                                                    [2] = {[F_DOT] = ACTION_SHIFT(3)},
	                                                    [3] = {[F_TERMINALS] = ACTION_REDUCE(0)},
	                                                    [4] = {[F_TERMINALS] = ACTION_REDUCE(1)},
	                                                    [5] = {[F_TERMINALS] = ACTION_ACCEPT}};
	static const uint32_t go[] = {0, 5}, names[] = {0}, symbols[] = {F_INT, F_DOT, F_FLOAT};
	static const struct artifact_production productions[] = {{0, 2, 0, 0}, {0, 1, 2, 0}};
	static const char strings[] = "start\0INT\0DOT\0FLOAT";
	static const struct artifact_terminal terminals[] = {
		{6, 0, 0, 6, 1}, {10, TERMINAL_LITERAL, 0, 10, 0}, {14, 0, 0, 14, 2}};
	static const uint32_t contexts[] = {1u << F_INT | 1u << F_FLOAT, 1u << F_DOT, 0};
	enum { OTHER, DIGIT, POINT, CLASSES };
	for (int c = '0'; c <= '9'; c++) m->info.class_of[c] = DIGIT;
	m->info.class_of['.'] = POINT;
	static const uint32_t next[FQ_STATES][CLASSES] = {[FQ_START] = {[DIGIT] = FQ_INT},
	                                                  [FQ_INT] = {[DIGIT] = FQ_INT, [POINT] = FQ_POINT | LEX_CUT},
	                                                  [FQ_POINT] = {[DIGIT] = FQ_FLOAT},
	                                                  [FQ_FLOAT] = {[DIGIT] = FQ_FLOAT},
	                                                  [FQ_DOT_START] = {[POINT] = FQ_DOT}};
	static const struct artifact_lex_state lexer[FQ_STATES] = {
		{.terminal = ARTIFACT_NONE},
		{.terminal = ARTIFACT_NONE, .flags = LEX_INITIAL},
		{.terminal = F_INT, .obligation = 1, .flags = LEX_MAY_END},
		{.terminal = ARTIFACT_NONE},
		{.terminal = F_FLOAT, .flags = LEX_MAY_END},
		{.terminal = ARTIFACT_NONE, .flags = LEX_INITIAL},
		{.terminal = F_DOT, .obligation = 1, .flags = LEX_MAY_END}};
	static const uint32_t lex_start[2][3] = {{FQ_START, 0, 0}, {0, FQ_DOT_START, 0}};
	// Start rows: the one state of context 0 in four lexer states, that of context 1 in one.
	static const uint32_t base[FQ_STATES][3] = {{ARTIFACT_NONE, ARTIFACT_NONE, ARTIFACT_NONE},
	                                            {0, ARTIFACT_NONE, ARTIFACT_NONE},
	                                            {1, ARTIFACT_NONE, ARTIFACT_NONE},
	                                            {2, ARTIFACT_NONE, ARTIFACT_NONE},
	                                            {3, ARTIFACT_NONE, ARTIFACT_NONE},
	                                            {ARTIFACT_NONE, ARTIFACT_NONE, ARTIFACT_NONE},
	                                            {ARTIFACT_NONE, 4, ARTIFACT_NONE}};
	struct tiny_sets s;
	tiny_sets_init(t, &s);
	struct artifact_start *starts = arena_array(&t->arena, 5, sizeof *starts);
	for (int at = 0; at < 5; at++) {
		uint32_t mask[8] = {0};
		for (uint32_t k = 0; k < F_TOKENS && at < 4; k++)
			if (fallback_run(at, fallback_tokens[k], strlen(fallback_tokens[k])) >= 0) mask[k / 32] |= 1u << k % 32;
		if (at >= 3) mask[1] |= 1;  // EOS; FQ_POINT alone may not end
		starts[at].set = tiny_set(t, &s, mask);
	}
	tiny_sets_done(t, &s);
	static const struct artifact_node nodes[1];
	struct artifact_lex_state *lex = arena_array(&t->arena, FQ_STATES, sizeof *lex);
	memcpy(lex, lexer, sizeof lexer);
	for (uint32_t q = 0; q < FQ_STATES; q++) lex[q].start_row = q * 3, lex[q].start_most = ARTIFACT_NONE;
	static const uint32_t live[1];
	m->lr_states = lr, m->productions = productions, m->symbols = symbols, m->live = live;
	m->lr_action = tiny_cells(t, action[0], 6, F_TERMINALS + 1, 0), m->lr_goto = tiny_cells(t, go, 2, 1, 0);
	m->start_base = tiny_cells(t, base[0], FQ_STATES, 3, ARTIFACT_NONE);
	m->nonterminals = names, m->strings = strings, m->terminals = terminals, m->contexts = contexts;
	m->lex_next = next[0], m->lex_states = lex, m->lex_start = lex_start[0], m->starts = starts;
	m->nodes = nodes;
	m->info.n_strings = sizeof strings, m->info.n_terminals = F_TERMINALS, m->info.n_nonterminals = 1;
	m->info.n_productions = 2, m->info.n_symbols = 3, m->info.n_contexts = 3, m->info.n_lr_states = 6;
	m->info.n_action_cells = 6 * (F_TERMINALS + 1), m->info.n_goto_cells = 2, m->info.n_start_cells = FQ_STATES * 3;
	m->info.n_live = 1, m->info.max_pushes = 1;
	m->info.n_classes = CLASSES, m->info.n_lex_states = FQ_STATES, m->info.n_obligations = 2;
	m->info.start_lex_state = FQ_START, m->info.max_readings = 2, m->info.n_starts = 5, m->info.n_nodes = 1;
	m->info.worst_sets = 1;
	m->vocab_hash[0] = 5;
	return t;
}

TINY_SYMBOL void tiny_free(struct tiny *t)
{
	arena_release(&t->arena);
	free(t);
}

// Encoded; stops the program when that fails.
TINY_SYMBOL uint8_t *tiny_encode(const struct tiny *t, const struct artifact_write_options *o, size_t *len)
{
	struct diag d = {0};
	uint8_t *bytes;
	if (!artifact_encode(&t->image, o, &d, &bytes, len)) {
		diag_print(&d, stderr);
		abort();
	}
	return bytes;
}

#endif
