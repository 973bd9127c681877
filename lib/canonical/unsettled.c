// Tokens behind which not every stack surely has a canonical way on, for each lexer state.
//
// In:  a grammar's tables; the canonical tables; the vocabulary. Out: struct unsettled_tables. Twice: for whatever set
// of states of the tokenizer the token comes in, and for calm ones, which nearly all are: the lists for those are much
// shorter, as no text may have to end in a newline. A token ends inside the lexeme that is pending, or cuts it (once,
// or several times) and ends inside another one. The lexer alone says in which lexer states it can end: a cut as
// terminal t goes on in the start state of any context that t leads to. That is an automaton of sets, made on the way
// (subset construction), and the vocabulary's trie is walked once for each lexer state. Where for some top of the
// stack the characters that may come in such a state, whatever lies below (may_come.c), have none that leads on behind
// the token whichever token came before it (live.c), the token is in the list: the runtime asks for it. A text with
// several parses needs one that leads on, so nothing else is asked for there. Cost: lexer states x nodes of the trie
// that they reach.
#include "unsettled.h"

#include "../base/intern.h"
#include "../base/map64.h"
#include "../shared/search.h"

#define EMPTY 0u
#define MEMO_NODES 64u     // subtrees of so many nodes are walked once for each (lexer state, group)
#define MEMO_LEVELS 8u     // and not deeper in the trie
#define THROUGH_TRIES 64u  // ways to end a character that are looked at

struct asks {
	const struct grammar_tables *m;
	const struct unsettled_tables *known;  // wide and bytes are there
	const struct vocab *v;
	const struct leads *leads;
	bits *after;  // [n_terminals * context_words] contexts once the terminal is on the stack
	uint32_t context_words;
	struct start_chars *starts;
	bits **narrow_of;    // [n_lex_states] classes of leads that do not lead on behind some stack
	VEC(bits *) narrow;  // the same for what may come: characters, and those behind a blank
	uint32_t class_words;
	struct intern wides;                         // two numbers of start_chars.sets -> row of narrow
	struct intern groups;                        // ascending lexer states; 0: EMPTY
	VEC(bits *) group_narrow;                    // NULL: not made yet
	struct map64 step_of, restart_of, union_of;  // (group, class), (member, class), (group, group) -> group
	struct map64 begun_of;                       // (lexer state, number in leads->begun) -> asks
	VEC(uint32_t) work;
	// [max_token_len + 2] along the trie: the lexer state that was not cut; a group; the end of the subtree
	struct place {
		uint32_t own, others;
		trie_node end;
	} * places;
	struct map64 pair_of, subtree_of;  // (own, others) -> number; (node, that) -> number in lists
	struct intern lists;
	VEC(uint32_t) found;
	struct arena arena;
};

static int by_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static uint32_t group_of(struct asks *x)
{
	bool is_new;
	uint32_t n = 0, *at = x->work.at;
	if (x->work.n) qsort(at, x->work.n, sizeof *at, by_u32);
	for (uint32_t i = 0; i < x->work.n; i++)
		if (!n || at[n - 1] != at[i]) at[n++] = at[i];
	uint32_t id = intern_add(&x->groups, at, n * sizeof *at, &is_new);
	if (is_new) vec_push(&x->group_narrow, NULL);
	return id;
}

static const uint32_t *members(const struct asks *x, uint32_t group, uint32_t *n)
{
	const uint32_t *at = intern_get(&x->groups, group, n);
	*n /= 4;
	return at;
}

static uint32_t unite(struct asks *x, uint32_t a, uint32_t b)
{
	if (a == b || b == EMPTY) return a;
	if (a == EMPTY) return b;
	uint64_t key = (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a), known = map64_get(&x->union_of, key);
	if (known != MAP64_NONE) return (uint32_t)known;
	vec_clear(&x->work);
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t n;
		const uint32_t *at = members(x, i ? b : a, &n);
		for (uint32_t k = 0; k < n; k++) vec_push(&x->work, at[k]);
	}
	uint32_t group = group_of(x);
	map64_put(&x->union_of, key, group);
	return group;
}

static uint32_t next_of(const struct asks *x, uint32_t from, uint32_t class)
{
	return x->m->lex_next[(uint64_t)from * x->m->info.n_classes + class];
}

// Where the text stands once the lexeme of a member has been cut before this class, and it is read.
static uint32_t restart(struct asks *x, uint32_t member, uint32_t class)
{
	uint64_t key = (uint64_t)member << 32 | class, known = map64_get(&x->restart_of, key);
	if (known != MAP64_NONE) return (uint32_t)known;
	vec_clear(&x->work);
	for (uint32_t way = member; way; way = x->m->lex_states[way].also) {
		uint32_t t = x->m->lex_states[way].terminal;
		if (t == ARTIFACT_NONE) continue;
		const bits *after = x->after + (size_t)t * x->context_words;
		for (uint32_t c = bits_next(after, x->context_words, 0); c != UINT32_MAX;
		     c = bits_next(after, x->context_words, c + 1)) {
			uint32_t start = x->m->lex_start[(uint64_t)x->m->lex_states[way].obligation * x->m->info.n_contexts + c];
			uint32_t q = start ? next_of(x, start, class) & LEX_STATE_MASK : 0;
			if (q) vec_push(&x->work, q);
		}
	}
	uint32_t group = group_of(x);
	map64_put(&x->restart_of, key, group);
	return group;
}

static uint32_t step_group(struct asks *x, uint32_t group, uint32_t class)
{
	if (group == EMPTY) return EMPTY;
	uint64_t key = (uint64_t)group << 32 | class, known = map64_get(&x->step_of, key);
	if (known != MAP64_NONE) return (uint32_t)known;
	uint32_t n, on = EMPTY;
	const uint32_t *at = members(x, group, &n);
	for (uint32_t i = 0; i < n; i++)
		if (next_of(x, at[i], class) & LEX_CUT) on = unite(x, on, restart(x, at[i], class)), at = members(x, group, &n);
	vec_clear(&x->work);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t next = next_of(x, at[i], class) & LEX_STATE_MASK;
		if (next) vec_push(&x->work, next);
	}
	on = unite(x, on, group_of(x));
	map64_put(&x->step_of, key, on);
	return on;
}

// ---- What leads on.
static void find_contexts(struct asks *x)
{
	const struct grammar_tables *m = x->m;
	const struct artifact_info *i = &m->info;
	x->context_words = BITS_WORDS(i->n_contexts);
	x->after = arena_array(&x->arena, (size_t)i->n_terminals * x->context_words + 1, sizeof *x->after);
	for (uint32_t s = 1; s < i->n_lr_states; s++)
		for (uint32_t t = 0; t < i->n_terminals; t++) {
			bits *row = x->after + (size_t)t * x->context_words;
			uint32_t one = m->lr_action[m->lr_states[s].action_row * ((uint64_t)i->n_terminals + 1) + t], n = 1;
			const uint32_t *actions = &one;
			if (ACTION_IS_CHOICE(one)) actions = m->choice + (one & ACTION_CHOICE_MASK), n = *actions++;
			if (m->terminals[t].flags & TERMINAL_IGNORED) bits_set(row, m->lr_states[s].context);
			for (uint32_t k = 0; k < n; k++)
				if (ACTION_IS_SHIFT(actions[k]) || actions[k] == ACTION_SKIP)
					bits_set(row, m->lr_states[actions[k] == ACTION_SKIP ? s : actions[k] / 2].context);
		}
	if (!i->n_lines) return;
	bits *newline = x->after + (size_t)i->newline * x->context_words;
	bits_union(newline, x->after + (size_t)i->indent * x->context_words, x->context_words);
	bits_union(newline, x->after + (size_t)i->dedent * x->context_words, x->context_words);
}

// The classes that do not lead on where these characters may come, and those behind a blank.
static uint32_t narrow_of_chars(struct asks *x, uint32_t chars, uint32_t behind_blank)
{
	bool is_new;
	uint32_t key[2] = {chars, behind_blank}, id = intern_add(&x->wides, key, sizeof key, &is_new);
	if (!is_new) return id;
	bits *row = arena_array(&x->arena, x->class_words, sizeof *row);
	uint64_t one[LIVE_WORDS], two[LIVE_WORDS] = {0};
	uint32_t n;
	memcpy(one, intern_get(&x->starts->sets, chars, &n), sizeof one);
	if (behind_blank != ARTIFACT_NONE) memcpy(two, intern_get(&x->starts->sets, behind_blank, &n), sizeof two);
	for (uint32_t k = LIVE_PLAIN; k < x->leads->classes.n; k++)
		if (!live_on(x->leads, k, one, two)) bits_set(row, k);
	vec_push(&x->narrow, row);
	return id;
}

// For each top, as what leads on may be another character for each.
static void find_narrow(struct asks *x)
{
	const struct grammar_tables *m = x->m;
	const struct artifact_info *i = &m->info;
	x->class_words = BITS_WORDS(x->leads->classes.n);
	x->narrow_of = arena_array(&x->arena, i->n_lex_states, sizeof *x->narrow_of);
	uint32_t *ranks = start_rows(m), blank = i->class_of[' '];
	for (uint32_t q = 0; q < i->n_lex_states; q++) {
		bits *row = x->narrow_of[q] = arena_array(&x->arena, x->class_words, sizeof *row);
		uint32_t next = q ? next_of(x, q, blank) : 0, seen = UINT32_MAX;
		if (next & LEX_CUT) next = 0;
		for (uint32_t c = 0; c < i->n_contexts && q; c++) {
			uint32_t base = m->start_base[(uint64_t)q * i->n_contexts + c];
			uint32_t base_next = next ? m->start_base[(uint64_t)next * i->n_contexts + c] : ARTIFACT_NONE;
			for (uint32_t r = 0; r < ranks[c] && base != ARTIFACT_NONE; r++) {
				bool line = m->lex_states[q].flags & LEX_LINE && i->n_lines,
					 line_next = next && m->lex_states[next].flags & LEX_LINE && i->n_lines;
				uint32_t n, chars = x->starts->of[line][base + r], then = ARTIFACT_NONE;
				const struct artifact_canon_chars *one = intern_get(&x->starts->sets, chars, &n);
				bool may_be_blank = one->word[' ' / 32] >> ' ' % 32 & 1;
				if (base_next != ARTIFACT_NONE && may_be_blank) then = x->starts->of[line_next][base_next + r];
				uint32_t id = narrow_of_chars(x, chars, then);
				if (id != seen) bits_union(row, x->narrow.at[id], x->class_words);
				seen = id;
			}
		}
	}
	free(ranks);
}

static const bits *narrow_of_group(struct asks *x, uint32_t group)
{
	if (x->group_narrow.at[group]) return x->group_narrow.at[group];
	uint32_t n;
	const uint32_t *at = members(x, group, &n);
	bits *row = arena_array(&x->arena, x->class_words, sizeof *row);
	for (uint32_t i = 0; i < n; i++) bits_union(row, x->narrow_of[at[i]], x->class_words);
	return x->group_narrow.at[group] = row;
}

// A token that ends inside a character: some rest of it must lead on.
static bool unsettled_begun(struct asks *x, uint32_t from, uint32_t begun)
{
	uint64_t key = (uint64_t)from << 32 | begun, known = map64_get(&x->begun_of, key);
	if (known != MAP64_NONE) return known;
	bool found = false;
	uint32_t tries = 0;
	for (uint32_t i = 0; i < x->leads->inside.n && !found && tries < THROUGH_TRIES; i++) {
		uint32_t remainder = x->leads->inside.at[i], q = from;
		for (uint32_t k = x->v->offset[remainder]; k < x->v->offset[remainder + 1] && q; k++) {
			uint8_t byte = x->v->bytes[k];  // from 128 on; and what comes behind it must come for every stack
			bool may_come = x->known->bytes[q].word[byte / 32 % 4] >> byte % 32 & 1;
			q = may_come ? next_of(x, q, x->m->info.class_of[byte]) & LEX_STATE_MASK : 0;
		}
		if (!q) continue;
		uint64_t chars[LIVE_WORDS];
		memcpy(chars, &x->known->wide[q], sizeof chars);
		tries++;
		found = live_through(x->leads, &x->leads->begun.at[begun], remainder, chars);
	}
	map64_put(&x->begun_of, key, !found);
	return !found;
}

static bool asks_for(struct asks *x, uint32_t token, uint32_t own, uint32_t others)
{
	uint32_t class = x->leads->class_of[token], n, begun;
	const uint32_t *at = members(x, others, &n);
	if (class == LIVE_NEVER || (!own && others == EMPTY)) return false;
	if (class >= LIVE_PLAIN)
		return (own && bits_test(x->narrow_of[own], class)) ||
		       (others != EMPTY && bits_test(narrow_of_group(x, others), class));
	LOWER_BOUND(begun, 0, x->leads->begun.n, x->leads->begun.at[begun].token < token);
	if (begun == x->leads->begun.n || x->leads->begun.at[begun].token != token) return true;
	bool asks = own && unsettled_begun(x, own, begun);
	for (uint32_t i = 0; i < n && !asks; i++) asks = unsettled_begun(x, at[i], begun);
	return asks;
}

// ---- The walk.
// Appends what is to be asked for of the tokens at node w and below it; own and others: where the text stands there.
static void add_subtree(struct asks *x, trie_node w, uint32_t own, uint32_t others, uint32_t level);

static void scan_subtree(struct asks *x, trie_node top, uint32_t own, uint32_t others, uint32_t level)
{
	const struct trie *trie = &x->v->trie;
	uint32_t depth = level;  // places of the levels above are taken
	struct place *place = x->places;
	place[depth] = (struct place){own, others, trie->end[top]};
	for (trie_node w = top;;) {
		for (uint32_t r = trie->rank[w]; r < trie->rank[w + 1]; r++)
			if (asks_for(x, x->v->token_of[r], place[depth].own, place[depth].others))
				vec_push(&x->found, x->v->token_of[r]);
		bool is_read = false;
		for (w++; w < trie->end[top] && !is_read;) {
			while (w >= place[depth].end) depth--;
			uint32_t class = x->m->info.class_of[trie->byte[w]];
			own = place[depth].own, others = step_group(x, place[depth].others, class);
			if (own) {
				uint32_t next = next_of(x, own, class);
				if (next & LEX_CUT) others = unite(x, others, restart(x, own, class));
				own = next & LEX_STATE_MASK;
			}
			if (!own && others == EMPTY) {
				w = trie->end[w];
			} else if (trie->end[w] - w >= MEMO_NODES && level < MEMO_LEVELS) {
				uint32_t kept = depth;
				add_subtree(x, w, own, others, depth + 1);
				depth = kept, w = trie->end[w];
			} else {
				place[++depth] = (struct place){own, others, trie->end[w]};
				is_read = true;
			}
		}
		if (!is_read) return;
	}
}
static void add_subtree(struct asks *x, trie_node w, uint32_t own, uint32_t others, uint32_t level)
{
	uint64_t pair = (uint64_t)own << 32 | others, number = map64_get(&x->pair_of, pair), list;
	if (number == MAP64_NONE) map64_put(&x->pair_of, pair, number = x->pair_of.n);
	uint64_t key = number << 32 | w;
	if ((list = map64_get(&x->subtree_of, key)) != MAP64_NONE) {
		uint32_t n;
		const uint32_t *at = intern_get(&x->lists, (uint32_t)list, &n);
		for (uint32_t i = 0; i < n / 4; i++) vec_push(&x->found, at[i]);
		return;
	}
	uint32_t from = x->found.n;
	scan_subtree(x, w, own, others, level);
	map64_put(&x->subtree_of, key,
	          intern_add(&x->lists, x->found.at + from, (x->found.n - from) * sizeof *x->found.at, NULL));
}

static void release(struct asks *x)
{
	intern_release(&x->wides), intern_release(&x->groups), intern_release(&x->lists);
	map64_release(&x->step_of), map64_release(&x->restart_of), map64_release(&x->union_of), map64_release(&x->begun_of);
	map64_release(&x->pair_of), map64_release(&x->subtree_of);
	vec_release(&x->narrow), vec_release(&x->group_narrow), vec_release(&x->work), vec_release(&x->found);
	free(x->places);
	arena_release(&x->arena);
}

struct continuation_lists {
	struct intern known;
	VEC(struct artifact_canon_list) of_list;
	VEC(uint32_t) all;
};

// The list of each lexer state, with the leads of x.
static struct artifact_canon_list *add_lists(struct asks *x, struct continuation_lists *lists, struct arena *arena)
{
	const struct grammar_tables *m = x->m;
	x->places = mem_calloc(x->v->max_token_len + 2, sizeof *x->places);
	intern_add(&x->groups, NULL, 0, NULL);
	vec_push(&x->group_narrow, NULL);
	find_contexts(x);
	find_narrow(x);
	struct artifact_canon_list *at = arena_array(arena, m->info.n_lex_states, sizeof *at);
	for (uint32_t q = 1; q < m->info.n_lex_states; q++) {
		bool is_new;
		vec_clear(&x->found);
		scan_subtree(x, 0, q, EMPTY, 0);
		if (x->found.n) qsort(x->found.at, x->found.n, sizeof *x->found.at, by_u32);
		uint32_t list = intern_add(&lists->known, x->found.at, x->found.n * sizeof *x->found.at, &is_new);
		if (is_new) {
			vec_push(&lists->of_list, ((struct artifact_canon_list){lists->all.n, x->found.n}));
			for (uint32_t k = 0; k < x->found.n; k++) vec_push(&lists->all, x->found.at[k]);
		}
		at[q] = lists->of_list.at[list];
	}
	return at;
}

void unsettled_build(const struct grammar_tables *m, const struct vocab *v, const struct canonical *tables,
                     struct arena *arena, struct unsettled_tables *out)
{
	struct start_chars starts;
	struct continuation_lists lists = {0};
	find_may_come(m, &starts, arena, out);
	uint8_t *restartable = arena_array(arena, tables->info.n_sets, 1);
	for (uint32_t s = 1; s < tables->info.n_sets; s++) restartable[s] = live_restartable(tables, s);
	out->restartable = restartable;
	for (int only_restartable = 0; only_restartable < 2; only_restartable++) {
		struct leads leads;
		live_build(tables, v, only_restartable, &leads);
		struct asks x = {.m = m, .known = out, .v = v, .leads = &leads, .starts = &starts};
		out->at[only_restartable] = add_lists(&x, &lists, arena);
		release(&x);
		live_release(&leads);
	}
	uint32_t *all = arena_array(arena, lists.all.n, sizeof *all);
	if (lists.all.n) memcpy(all, lists.all.at, lists.all.n * sizeof *all);
	out->all = all, out->n = lists.all.n;
	intern_release(&lists.known);
	vec_release(&lists.of_list), vec_release(&lists.all);
	intern_release(&starts.sets);
	free(starts.of[0]), free(starts.of[1]);
}
