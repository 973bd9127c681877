// The compiler's middle: token sets, walks over the trie, viability, the shape of the automaton.
#include <criterion/criterion.h>

#include "../../formats/artifact.h"
#include "../../lib/compile/compile.h"
#include "../../lib/tables/costs_solve.h"
#include "../../lib/tables/frame_sets.h"
#include "../../lib/tables/goto_columns.h"
#include "../../lib/tables/lex_edges.h"
#include "../../lib/tables/live_pairs.h"
#include "../../lib/tables/tokenset.h"
#include "../../lib/tables/walk.h"

static uint64_t state = 20261121;
static uint32_t random_below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

// --- Token sets ----------------------------------------------------------------------------------------------------

#define UNIVERSE 200u  // ranks of the sets of few ranges: some are lists, some are bits

static void set_bits(const struct tokensets *t, set_id s, uint8_t *seen)
{
	uint32_t n, n_words, end = 0;
	rank_ranges buffer = {0};
	const struct rank_range *r = tokensets_get(t, s, &buffer, &n);
	for (uint32_t i = 0; i < n; i++) {
		cr_assert_lt(r[i].from, r[i].to);
		if (i) cr_assert_lt(r[i - 1].to, r[i].from, "ranges touch");
		for (uint32_t k = r[i].from; k < r[i].to; k++) seen[k] = 1;
		end = r[i].to;
	}
	cr_assert_eq(tokensets_end(t, s), end);
	cr_assert_eq(tokensets_n_ranges(t, s), n);
	cr_assert_eq(tokensets_bits(t, s, &n_words) != NULL, n > BITS_WORDS(end), "not in the smaller form");
	vec_release(&buffer);
}

Test(tokenset, unions_are_unions)
{
	fprintf(stderr, "seed %llu\n", (unsigned long long)state);
	struct tokensets t;
	tokensets_init(&t);
	for (int round = 0; round < 2000; round++) {
		set_id ids[20];
		uint8_t want[UNIVERSE] = {0}, got[UNIVERSE] = {0};
		uint32_t n = 1 + random_below(20);
		for (uint32_t i = 0; i < n; i++) {
			struct rank_range r[8];
			uint32_t m = random_below(8);
			for (uint32_t j = 0; j < m; j++) {
				r[j].from = random_below(UNIVERSE - 20);
				r[j].to = r[j].from + 1 + random_below(19);
			}
			ids[i] = m ? tokensets_add(&t, r, m) : SET_EMPTY;
			set_bits(&t, ids[i], want);
		}
		set_id u = tokensets_union(&t, ids, n);
		set_bits(&t, u, got);
		cr_assert_arr_eq(want, got, UNIVERSE);
	}
	tokensets_release(&t);
}

#define MANY_RANKS 5000u  // a set of thousands of ranges, and others that close its gaps

// Every second rank, but for stretches; its bits, and sets of few ranges beside it.
Test(tokenset, a_large_set_and_some_ranges_are_united)
{
	fprintf(stderr, "seed %llu\n", (unsigned long long)state);
	struct tokensets t;
	tokensets_init(&t);
	for (int round = 0; round < 300; round++) {
		static struct rank_range large[MANY_RANKS];
		static uint8_t want[MANY_RANKS], got[MANY_RANKS];
		set_id ids[4];
		uint32_t n_large = 0, n = 2 + random_below(3);
		memset(want, 0, sizeof want), memset(got, 0, sizeof got);
		for (uint32_t k = random_below(64); k + 3 < MANY_RANKS - 700;
		     k += 1 + (random_below(100) ? 1 : random_below(200))) {
			large[n_large++] = (struct rank_range){k, k + 1};
			k += !random_below(9);
		}
		ids[0] = tokensets_add(&t, large, n_large);
		set_bits(&t, ids[0], want);
		for (uint32_t i = 1; i < n; i++) {
			struct rank_range r[3];
			const uint32_t m = 1 + random_below(3), most = random_below(2) ? 3 : 300;
			for (uint32_t j = 0; j < m; j++) {
				r[j].from = random_below(MANY_RANKS - 300);
				r[j].to = r[j].from + 1 + random_below(most);
			}
			ids[i] = tokensets_add(&t, r, m);
			set_bits(&t, ids[i], want);
		}
		const set_id u = tokensets_union(&t, ids, n);
		set_bits(&t, u, got);
		cr_assert_arr_eq(want, got, MANY_RANKS);
	}
	tokensets_release(&t);
}

Test(tokenset, equal_sets_are_one_number)
{
	struct tokensets t;
	tokensets_init(&t);
	struct rank_range a[] = {{5, 7}, {1, 3}}, b[] = {{1, 2}, {2, 3}, {5, 7}}, c[] = {{1, 3}, {5, 8}};
	set_id x = tokensets_add(&t, a, 2);
	cr_expect_eq(x, tokensets_add(&t, b, 3));
	cr_expect_neq(x, tokensets_add(&t, c, 2));
	// Made in other ways: by ranges, by bits.
	struct rank_range many[40], odd[40], one[1];
	set_id ones[40];
	for (uint32_t i = 0; i < 40; i++) many[i] = (struct rank_range){2 * i, 2 * i + 1}, odd[i] = many[i];
	for (uint32_t i = 0; i < 40; i++) one[0] = many[i], ones[i] = tokensets_add(&t, one, 1);
	set_id all = tokensets_add(&t, many, 40), united = ones[0];
	cr_expect_eq(tokensets_union(&t, ones, 40), all);
	for (uint32_t i = 1; i < 40; i++)
		one[0] = odd[i], united = tokensets_union(&t, (set_id[]){united, tokensets_add(&t, one, 1)}, 2);
	cr_expect_eq(united, all);
	cr_expect_eq(tokensets_union(&t, (set_id[]){all, tokensets_add(&t, (struct rank_range[]){{1, 80}}, 1)}, 2),
	             tokensets_add(&t, (struct rank_range[]){{0, 80}}, 1), "a list again");
	cr_expect_eq(tokensets_part(&t, all, 0, 1), tokensets_add(&t, (struct rank_range[]){{0, 1}}, 1));
	tokensets_release(&t);
}

// --- Sets of frames --------------------------------------------------------------------------------------------------

#define N_FRAMES 1100u  // sets of fewer than 72 are lists

// Some states, each once, in any order.
static uint32_t random_frames(lr_state *frames, uint8_t *is_in)
{
	const uint32_t most = random_below(3) ? 100 : 500;
	uint32_t n = 0;
	memset(is_in, 0, N_FRAMES);
	for (uint32_t k = random_below(most); k; k--) {
		const lr_state s = random_below(N_FRAMES);
		if (!is_in[s]) frames[n++] = s, is_in[s] = 1;
	}
	return n;
}

Test(frame_sets, hold_what_was_put_into_them)
{
	fprintf(stderr, "seed %llu\n", (unsigned long long)state);
	struct frame_sets sets;
	frame_sets_init(&sets, N_FRAMES);
	cr_assert_eq(frame_sets_add(&sets, NULL, 0), FRAMES_NONE);
	for (int round = 0; round < 2000; round++) {
		lr_state frames[N_FRAMES], turned[N_FRAMES];
		uint8_t is_in[N_FRAMES];
		const uint32_t n = random_frames(frames, is_in), set = frame_sets_add(&sets, frames, n);
		for (uint32_t i = 0; i < n; i++) turned[i] = frames[n - 1 - i];
		cr_assert_eq(frame_sets_add(&sets, turned, n), set, "the order counts");
		frame_list list = {0};
		vec_push(&list, 7777);
		frame_sets_list(&sets, set, &list);
		cr_assert_eq(list.n, n + 1);
		cr_assert_eq(list.at[0], 7777);
		for (uint32_t i = 1; i < list.n; i++) {
			cr_assert(is_in[list.at[i]]);
			if (i > 1) cr_assert_lt(list.at[i - 1], list.at[i]);
		}
		for (lr_state s = 0; s < N_FRAMES; s++) cr_assert_eq(frame_sets_has(&sets, set, s), is_in[s]);
		vec_release(&list);
	}
	frame_sets_release(&sets);
}

Test(frame_sets, grow_frame_by_frame)
{
	fprintf(stderr, "seed %llu\n", (unsigned long long)state);
	struct frame_sets sets;
	frame_sets_init(&sets, N_FRAMES);
	for (int round = 0; round < 500; round++) {
		struct grown_frames grown = {0};
		uint8_t is_in[N_FRAMES] = {0};
		uint32_t n = 0;
		for (uint32_t k = random_below(random_below(2) ? 2 * GROWN_FEW : 400); k; k--) {
			const lr_state s = random_below(N_FRAMES);
			cr_assert_eq(grown_frames_add(&grown, &sets, s), !is_in[s]);
			n += !is_in[s], is_in[s] = 1;
			cr_assert_eq(grown.n, n);
		}
		frame_list list = {0};
		grown_frames_take(&grown, &sets, &list);
		cr_assert_eq(list.n, n);
		cr_assert(!grown.at && !grown.n);
		for (uint32_t i = 0; i < n; i++) {
			cr_assert(is_in[list.at[i]]);
			if (i) cr_assert_lt(list.at[i - 1], list.at[i]);
		}
		vec_release(&list);
	}
	frame_sets_release(&sets);
}

// --- A whole compilation --------------------------------------------------------------------------------------------

// *v must outlive the image.
static bool compile(const char *grammar, const char *const *tokens, struct diag *d, struct vocab *v,
                    struct compiled *out)
{
	struct grammar g;
	const uint8_t *bytes[300];
	uint32_t len[300], n = 0;
	uint8_t kind[300];
	for (; tokens[n]; n++)
		bytes[n] = (const uint8_t *)tokens[n], len[n] = (uint32_t)strlen(tokens[n]), kind[n] = TOKEN_TEXT;
	bytes[n] = (const uint8_t *)"", len[n] = 0, kind[n] = TOKEN_CONTROL;
	uint32_t eos = n++;
	bool ok = grammar_parse("test.lark", grammar, strlen(grammar), NULL, d, &g);
	cr_assert(ok, "%s", diag_text(d));
	vocab_build(&(struct vocab_tokens){n, bytes, len, kind, 1, &eos}, v);
	ok = compile_image(&g, v, NULL, d, out);
	grammar_release(&g);
	return ok;
}

// --- Gotos -----------------------------------------------------------------------------------------------------------

// Columns of all lengths, by sets of frames of all sizes, against the rows.
Test(goto_columns, say_what_rows_say)
{
	enum { N = 400, LHS = 60 };
	struct lr lr = {.n_states = N, .n_nonterminals = LHS};
	uint32_t at[N + 1] = {0}, n = 0, wrong = 0, searched = 0;
	struct lr_cell *cell = mem_alloc(N * LHS * sizeof *cell);
	lr.go = (struct lr_table){at, cell};
	fprintf(stderr, "seed %llu\n", (unsigned long long)state);
	for (lr_state s = 0; s < N; at[++s] = n)
		for (uint32_t lhs = 0; lhs < LHS && s >= LR_BOTTOM; lhs++)
			if (!random_below(lhs * lhs / 8 + 1)) cell[n++] = (struct lr_cell){lhs, 1 + random_below(N - 1)};
	struct goto_columns columns;
	goto_columns_init(&columns, &lr);
	lr_state frame[N], to[N];
	for (uint32_t round = 0; round < 2000; round++) {
		uint32_t lhs = random_below(LHS), one_of = 1 + random_below(40), n_frames = 0;
		for (lr_state s = LR_BOTTOM; s < N; s++)
			if (!random_below(one_of)) frame[n_frames++] = s;
		goto_columns_find(&columns, lhs, frame, n_frames, to);
		for (uint32_t i = 0; i < n_frames; i++) wrong += to[i] != lr_goto(&lr, frame[i], lhs);
		searched += !columns.all[lhs];
	}
	cr_expect_eq(wrong, 0);
	cr_expect(searched > 100 && searched < 1900, "%u of 2000 were searched", searched);
	goto_columns_release(&columns);
	mem_free(cell);
}

// --- Steps of the lexer ----------------------------------------------------------------------------------------------

#define EDGE_STATES 40u
#define EDGE_CLASSES 3u

// Rows closed by whole rounds, until nothing grows.
static void spread_by_definition(const struct lexer *x, bool also, bits *rows)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (lex_state q = 1; q < x->n_states; q++) {
			for (uint32_t c = 0; c < x->n_classes; c++) {
				const lex_state to = x->next[q * x->n_classes + c] & LEX_STATE_MASK;
				if (to != LEX_DEAD) changed |= bits_union(rows + 2 * q, rows + 2 * to, 2);
			}
			if (also && x->info[q].also) changed |= bits_union(rows + 2 * q, rows + 2 * x->info[q].also, 2);
		}
	}
}

Test(lex_edges, rows_spread_back_as_far_as_steps_lead)
{
	fprintf(stderr, "seed %llu\n", (unsigned long long)state);
	for (int round = 0; round < 3000; round++) {
		uint32_t next[EDGE_STATES * EDGE_CLASSES] = {0};
		struct lex_info info[EDGE_STATES] = {{0}};
		struct lexer x = {
			.n_states = 2 + random_below(EDGE_STATES - 1), .n_classes = EDGE_CLASSES, .next = next, .info = info};
		bits want[2 * EDGE_STATES] = {0}, got[2 * EDGE_STATES];
		const bool also = random_below(2);
		for (lex_state q = 1; q < x.n_states; q++) {
			for (uint32_t c = 0; c < EDGE_CLASSES; c++)
				next[q * EDGE_CLASSES + c] =
					random_below(3) ? random_below(x.n_states) | (random_below(4) ? 0 : LEX_CUT) : LEX_DEAD;
			if (!random_below(4)) info[q].also = random_below(x.n_states);
			if (!random_below(3)) bits_set(want + 2 * q, random_below(128));
		}
		memcpy(got, want, sizeof got);
		struct lex_edges edges;
		lex_edges_find(&x, &edges);
		lex_edges_spread_back(&x, &edges, also, got, 2);
		spread_by_definition(&x, also, want);
		cr_assert_arr_eq(got, want, sizeof want, "round %d", round);
		lex_edges_release(&edges);
	}
}

#define PAIR_TERMINALS 70u
#define PAIR_CONTEXTS 80u
#define PAIR_OBLIGATIONS 2u

// Each pair by itself, from each lexeme's beginning.
static void live_by_definition(const struct viability *v, bool live[EDGE_STATES][PAIR_CONTEXTS])
{
	static uint32_t work[(PAIR_OBLIGATIONS + EDGE_STATES) * PAIR_CONTEXTS + 1][2];
	const struct lexer *x = v->lexer;
	uint32_t n = 0;
	for (uint32_t i = 0; i < x->n_obligations * x->n_contexts; i++)
		if (x->start[i]) work[n][0] = x->start[i], work[n++][1] = i % x->n_contexts;
	work[n][0] = x->initial, work[n][1] = v->lr->context_of[LR_BOTTOM];
	live[work[n][0]][work[n][1]] = true, n++;
	while (n--) {
		const lex_state q = work[n][0];
		const uint32_t context = work[n][1];
		for (uint32_t c = 0; c < x->n_classes; c++) {
			const lex_state to = x->next[q * x->n_classes + c] & LEX_STATE_MASK;
			if (!to || live[to][context] || viability_is_hopeless(v, to, context)) continue;
			live[to][context] = true;
			work[n][0] = to, work[n++][1] = context;
		}
	}
}

static void compare_live_pairs(int round)
{
	uint32_t next[EDGE_STATES * EDGE_CLASSES] = {0}, only_end[EDGE_STATES];
	struct lex_info info[EDGE_STATES] = {{0}};
	lex_state start[PAIR_OBLIGATIONS * PAIR_CONTEXTS];
	bits context[2 * PAIR_CONTEXTS] = {0}, ends[2 * EDGE_STATES] = {0}, ignored[2] = {0};
	uint32_t context_of[LR_BOTTOM + 1] = {0};
	bool want[EDGE_STATES][PAIR_CONTEXTS] = {{false}};
	struct lexer x = {.n_states = 2 + random_below(EDGE_STATES - 1),
	                  .n_classes = EDGE_CLASSES,
	                  .next = next,
	                  .info = info,
	                  .n_obligations = PAIR_OBLIGATIONS,
	                  .n_contexts = 1 + random_below(PAIR_CONTEXTS),
	                  .start = start};
	const struct lr lr = {.n_terminals = PAIR_TERMINALS,
	                      .n_contexts = x.n_contexts,
	                      .context_words = 2,
	                      .context = context,
	                      .context_of = context_of};
	const struct viability v = {.lexer = &x, .lr = &lr, .ends = ends, .ignored = ignored, .only_end = only_end};
	x.initial = 1 + random_below(x.n_states - 1);
	info[x.initial].flags = LEX_INITIAL;
	context_of[LR_BOTTOM] = random_below(x.n_contexts);
	for (uint32_t i = 0; i < PAIR_OBLIGATIONS * x.n_contexts; i++)
		start[i] = random_below(9) ? LEX_DEAD : random_below(x.n_states);
	for (uint32_t c = 0; c < x.n_contexts; c++)
		for (uint32_t i = random_below(9); i; i--) bits_set(context + 2 * c, random_below(PAIR_TERMINALS));
	if (!random_below(3)) bits_set(ignored, random_below(PAIR_TERMINALS));
	for (lex_state q = 1; q < x.n_states; q++) {
		for (uint32_t c = 0; c < EDGE_CLASSES; c++)
			if (random_below(2))
				next[q * EDGE_CLASSES + c] = random_below(x.n_states) | (random_below(4) ? 0 : LEX_CUT);
		if (!random_below(3)) bits_set(ends + 2 * q, random_below(PAIR_TERMINALS));
	}
	struct lex_edges edges;
	lex_edges_find(&x, &edges);
	lex_edges_spread_back(&x, &edges, false, ends, 2);
	lex_edges_release(&edges);
	for (lex_state q = 1; q < x.n_states; q++)
		only_end[q] = bits_count(ends + 2 * q, 2) == 1 && q != x.initial ? bits_next(ends + 2 * q, 2, 0) : UINT32_MAX;
	live_by_definition(&v, want);
	struct live_pairs found;
	live_pairs_find(&x, &lr, &v, &found);
	for (lex_state q = 0; q < x.n_states; q++)
		for (uint32_t c = 0; c < x.n_contexts; c++)
			cr_assert_eq(live_pairs_start(&found, q, c) != LIVE_NO_START, want[q][c], "round %d: %u in %u", round, q,
			             c);
	live_pairs_release(&found);
}

Test(live_pairs, are_those_that_a_search_of_each_pair_meets)
{
	fprintf(stderr, "seed %llu\n", (unsigned long long)state);
	for (int round = 0; round < 2000; round++) compare_live_pairs(round);
}

Test(tables, empty_language_is_an_error)
{
	// trap 23: "abx" is one NAME; nothing can ever be an "x".
	struct diag d = {0};
	struct vocab v;
	struct compiled c;
	cr_assert_not(compile("start: NAME \"x\"\nNAME: /[a-z]+/", (const char *const[]){"a", "x", NULL}, &d, &v, &c));
	cr_expect(strstr(diag_text(&d), "no text is in this language"), "%s", diag_text(&d));
	vocab_release(&v);
	diag_release(&d);
}

Test(tables, language_that_the_vocabulary_cannot_spell_is_an_error)
{
	struct diag d = {0};
	struct vocab v;
	struct compiled c;
	cr_assert_not(compile("start: \"a\" \"b\"", (const char *const[]){"a", "c", NULL}, &d, &v, &c));
	cr_expect(strstr(diag_text(&d), "no text is in this language"), "%s", diag_text(&d));
	vocab_release(&v);
	diag_release(&d);
}

Test(tables, same_input_gives_same_image)
{
	const char *grammar = "start: v\nv: \"[\" [v (\",\" v)*] \"]\" | N\nN: /[0-9]+(\\.[0-9]+)?/\n%ignore \" \"";
	const char *const tokens[] = {"[", "]", ",", " ", "1", "2", ".", "[[", "]]", "1,", ", 2", "],[", "1.", NULL};
	struct diag d = {0};
	struct vocab v, w;
	struct compiled a, b;
	cr_assert(compile(grammar, tokens, &d, &v, &a), "%s", diag_text(&d));
	cr_assert(compile(grammar, tokens, &d, &w, &b), "%s", diag_text(&d));
	uint8_t *x, *y;
	size_t n, m;
	struct artifact_write_options o = {.raw = true};
	cr_assert(artifact_encode(&a.image, &o, &d, &x, &n), "%s", diag_text(&d));
	cr_assert(artifact_encode(&b.image, &o, &d, &y, &m), "%s", diag_text(&d));
	cr_assert_eq(n, m);
	cr_assert_arr_eq(x, y, n);
	free(x);
	free(y);
	vocab_release(&v);
	vocab_release(&w);
	compile_release(&a);
	compile_release(&b);
	diag_release(&d);
}

Test(tables, one_production_grammars_read_no_stack)
{
	struct diag d = {0};
	struct vocab v;
	struct compiled c;
	cr_assert(
		compile("start: \"a\" \"b\" \"c\"", (const char *const[]){"a", "b", "c", "ab", "bc", "abc", NULL}, &d, &v, &c),
		"%s", diag_text(&d));
	cr_expect_eq(c.image.info.n_nodes, 1);
	cr_expect_eq(c.image.info.worst_frames, 1);
	vocab_release(&v);
	compile_release(&c);
	diag_release(&d);
}

// Nearly every state of the parser is in conflict here, and one control decides on dozens of sets of tokens: asked for
// each of them by itself, viability passes VIABILITY_MAX_WORK.
Test(tables, what_a_control_becomes_is_found_once_for_all_its_tokens)
{
	static const char grammar[] = "start: r0\n"
								  "T0: /\\S{1,4}/\n"
								  "T1: /\\w+/\n"
								  "T2: /\"[^\"]*\"/\n"
								  "T3: /[0-9]+/\n"
								  "T4: /\\S{1,4}/\n"
								  "T5: /0x[0-9a-f]+/\n"
								  "r0: \"let\" \"ab\"* r21 \"==\" | \",\"* | r12? r4 T3? \")\"+ | T5\n"
								  "r1: \"==\" r29+ r20 | T2\n"
								  "r2: r18 | \"if\" T5 r0 \";\"* | T3\n"
								  "r3: r0? r9? r28* \",\" | T1\n"
								  "r4: \"a\" | r7+ \"let\"* | T0\n"
								  "r5: r10 T5 | \"a\" \"a\" T2 r5? | T0\n"
								  "r6: T0 T2* | T4 T1 r28* \";\"+ | T1\n"
								  "r7: r23* T5 | T1\n"
								  "r8: r24 \"a\" T0 | r1 T2 T2* | T3\n"
								  "r9: r22+ | r8* r7* | \"{\"+ r11 T0* T1 | T5\n"
								  "r10: \"a\"* | T2\n"
								  "r11: \"ab\" \"let\"+ | T1\n"
								  "r12: T2* T1+ \";\"? | T5\n"
								  "r13: \"==\" \"]\" r16 T2 | T2\n"
								  "r14: T5 r3+ T4 | T5\n"
								  "r15: r14 \"==\"? | T0? | \"}\" r11 \"(\" | T1\n"
								  "r16: T3? | T5\n"
								  "r17: \";\"* r16 \"==\" T4* | r20* r24 r15? r5 | T0 | T3\n"
								  "r18: \"==\" \"=\" \"=\" \"a\" | T4 \";\"? \"{\"+ \"ab\" | \";\" r0* T3 r26+ | T3\n"
								  "r19: \"let\"+ r1* T0 T1 | \"}\"* T3 T2+ | \"if\"* T2* | T5\n"
								  "r20: r4* r11 \")\"* r20* | T5? r27? | T2\n"
								  "r21: T2+ r27 r17+ | T5\n"
								  "r22: T2 \"ab\"+ | r13* T5? \"ab\" | r14+ r16? T3 \"}\" | T0\n"
								  "r23: \"}\" | T3\n"
								  "r24: T5+ \"]\" r6 T3 | \"]\" T2 r15+ \"{\"* | \"]\" r8+ | T3\n"
								  "r25: T3 T3+ | \"if\"? \"}\" r23? r23? | T1\n"
								  "r26: r22? | r13 \"}\" \"}\"+ T2 | T5\n"
								  "r27: r22* r28 T4 | T3\n"
								  "r28: r26 \";\" r10? T1 | \"{\"+ T0 T4 | r2* r25 \"a\" | T4\n"
								  "r29: r24* | T5\n"
								  "%ignore /[ \\n]+/\n";
	static const char *const tokens[] = {
		"!",   "\"", "#",  "$",  "%",  "&",  "'",  "(",  ")",   "*",   "+",    ",",     "-",    ".",    "/",     "0",
		"1",   "2",  "3",  "4",  "5",  "6",  "7",  "8",  "9",   ":",   ";",    "<",     "=",    ">",    "?",     "@",
		"A",   "B",  "C",  "D",  "E",  "F",  "G",  "H",  "I",   "J",   "K",    "L",     "M",    "N",    "O",     "P",
		"Q",   "R",  "S",  "T",  "U",  "V",  "W",  "X",  "Y",   "Z",   "[",    "\\",    "]",    "^",    "_",     "`",
		"a",   "b",  "c",  "d",  "e",  "f",  "g",  "h",  "i",   "j",   "k",    "l",     "m",    "n",    "o",     "p",
		"q",   "r",  "s",  "t",  "u",  "v",  "w",  "x",  "y",   "z",   "{",    "|",     "}",    "~",    " ",     "\n",
		"let", "ab", "if", "==", "ae", "0x", "x1", "zz", "qqq", "\"a", "a\"",  "12",    "f1",   "\n\n", " a",    "))",
		",,",  ";;", "le", "et", "b{", "T2", "{{", "}}", "a a", "1;",  "\");", "\"b\"", "0x1f", "aaaa", "letab", NULL};
	struct diag d = {0};
	struct vocab v;
	struct compiled c;
	cr_assert(compile(grammar, tokens, &d, &v, &c), "%s", diag_text(&d));
	vocab_release(&v);
	compile_release(&c);
	diag_release(&d);
}

// Questions 0 and 1 begin, 2 to 5 are goals. Lists 1 and 2 ask alike questions in a circle, list 3 is another one; list
// 4 asks both of the circle, so that it is as list 5 once the dearer one has gone.
static void put_costs(struct costs *c)
{
	static const struct cost_list lists[] = {{7, 0, 0}, {COSTS_NONE, 0, 1}, {COSTS_NONE, 1, 1},
	                                         {3, 2, 1}, {9, 3, 2},          {9, 5, 1}};
	static const struct cost_step steps[] = {{1, 3, 4}, {1, 2, 4}, {1, 4, 4}, {2, 2, 5}, {2, 3, 6}, {2, 3, 5}};
	static const struct cost_transition answers[] = {{1, 0, 4}, {1, 1, 5}, {2, 2, 1}, {2, 3, 2}, {2, 4, 3}, {2, 5, 0}};
	*c = (struct costs){.model = COSTS_EXACT, .n_controls = 6, .n_resumes = 2};
	for (size_t i = 0; i < 6; i++) {
		vec_push(&c->lists, lists[i]);
		vec_push(&c->steps, steps[i]);
		vec_push(&c->transitions, answers[i]);
	}
	map64_put(&c->resume_of, 10, 0);
	map64_put(&c->resume_of, 11, 1);
}

Test(tables, alike_questions_are_one)
{
	struct costs c;
	put_costs(&c);
	costs_merge(&c);
	cr_assert_eq(c.n_resumes, 1);
	cr_assert_eq(c.n_controls, 4);
	cr_assert_eq(c.transitions.n, 4);
	cr_assert_eq(c.lists.n, 4);
	cr_assert_eq(c.steps.n, 3);
	cr_assert_eq(map64_get(&c.resume_of, 10), 0);
	cr_assert_eq(map64_get(&c.resume_of, 11), 0);
	const struct cost_transition *t = c.transitions.at;
	cr_assert(t[0].state == 1 && t[0].control == 0 && t[1].state == 2 && t[1].control == 1);
	const struct cost_list begin = c.lists.at[t[0].list], circle = c.lists.at[t[1].list];
	cr_assert(begin.final == 9 && begin.n == 1 && circle.final == COSTS_NONE && circle.n == 1);
	const struct cost_step first = c.steps.at[begin.first], again = c.steps.at[circle.first];
	cr_assert(first.pop == 2 && first.control == 1 && first.weight == 5);
	cr_assert(again.pop == 1 && again.control == 1 && again.weight == 4);
	costs_release(&c);
}

// What differs in anything stays: the state that answers, an end, a weight, an answer in fewer columns, the kind.
Test(tables, questions_that_differ_stay)
{
	for (uint32_t how = 0; how < 7; how++) {
		struct costs c;
		put_costs(&c);
		if (how == 0) c.transitions.at[3].state = 3;
		if (how == 1) c.lists.at[2].final = 8;
		if (how == 2) c.steps.at[1].weight = 3;
		if (how == 3) vec_push(&c.low, ((struct cost_low){1, 2, 3, 0}));
		if (how == 4) c.n_resumes = 3;
		if (how == 5) c.steps.at[1].pop = 2;
		if (how == 6)
			vec_push(&c.low, ((struct cost_low){1, 2, 2, 0})), vec_push(&c.low, ((struct cost_low){2, 2, 3, 0}));
		costs_merge(&c);
		cr_assert_eq(c.n_controls, 6, "%u: %u", how, c.n_controls);
		cr_assert_eq(c.low.n, how == 3 ? 1 : how == 6 ? 2 : 0);
		costs_release(&c);
	}
}
