// Tokens behind which not every stack surely has a canonical way on, for each lexer state.
//
// In:  a grammar's tables; the canonical tables; the vocabulary. Out: struct unsettled_tables. Twice: for whatever set
// of states of the tokenizer the token comes in, and for restartable ones, which nearly all are: the lists for those
// are much shorter, as no text may have to end in a newline. A token ends inside the lexeme that is pending, or cuts it
// (once, or several times) and ends inside another one. The lexer alone says in which lexer states it can end: a cut as
// terminal t goes on in the start state of any context that t leads to, and stays with it (both are a spot; behind a
// newline, where columns may end blocks, with all). That is an automaton of sets, made on the way (subset
// construction), and the vocabulary's trie is walked once for each lexer state. Where for some top of the stack the
// characters that may come in such a state, whatever lies below (may_come.c), have none that leads on behind the token
// whichever token came before it (live.c), the token is in the list: the runtime asks for it. A text with several
// parses needs one that leads on, so nothing else is asked for there. Cost: lexer states x nodes of the trie that they
// reach.
#include "unsettled.h"

#include "../base/sort.h"
#include "../base/intern.h"
#include "../base/map64.h"
#include "../shared/search.h"

#define EMPTY 0u
#define MEMO_NODES 64u     // subtrees of so many nodes are walked once for each (lexer state, group)
#define MEMO_LEVELS 8u     // and not deeper in the trie
#define THROUGH_TRIES 64u  // ways to end a character that are looked at

// Rests of so many bytes that end a character in a lexer state, whatever the stack, and where they lead: all to one.
struct through {
	uint32_t to, first, n;
};

struct asks {
	const struct grammar_tables *m;
	const struct unsettled_tables *known;  // wide and bytes are there
	const struct vocab *v;
	const struct token_leads *leads;
	bits *after;  // [n_terminals * context_words] contexts once the terminal is on the stack
	uint32_t context_words;
	struct start_chars *starts;
	VEC(bits *) narrow;  // of what may come, characters and those behind a blank: classes of leads that do not lead on
	uint32_t class_words;
	struct ahead ahead;
	struct intern wides;                         // two sets of first bytes -> row of narrow
	struct intern groups;                        // ascending spots; 0: EMPTY
	VEC(bits *) group_narrow;                    // NULL: not made yet
	uint32_t *ranks;                             // start_rows
	struct map64 tops_of;                        // (lexer state, context, n_contexts: all of them) -> number in tops
	struct intern tops;                          // ascending numbers in narrow, each of some top
	VEC(bits *) tops_narrow;                     // classes that do not lead on behind one of these
	struct map64 step_of, restart_of, union_of;  // (group, class), (member, class), (group, group) -> group
	// Tokens that end inside a character: (lexer state, bytes missing) -> number in throughs; (group, bytes missing) ->
	// number in ends, for a lexer state that was not cut behind those of groups; (ends, number in leads->begun) -> asks
	struct map64 through_of, ends_of, begun_of;
	struct map64 ahead_of;  // (token, group) -> other tokens lead on in all its places
	VEC(struct through) throughs;
	VEC(uint32_t) rests;
	struct intern ends;  // ascending pairs (through, tops)
	VEC(uint64_t) pairs;
	VEC(uint32_t) work;
	// [max_token_len + 2] along the trie: the lexer state that was not cut; a group; the end of the subtree
	struct trie_place {
		uint32_t own, others;
		trie_node end;
	} * places;
	struct map64 pair_of, subtree_of;  // (own, others) -> number; (node, that) -> number in lists
	struct intern lists;
	VEC(uint32_t) found;
	struct arena arena;
};

// Leaves the numbers in work ascending, each once.
static uint32_t sort_work(struct asks *x)
{
	uint32_t n = 0, *at = x->work.at;
	sort_u32(at, x->work.n);
	for (uint32_t i = 0; i < x->work.n; i++)
		if (!n || at[n - 1] != at[i]) at[n++] = at[i];
	return x->work.n = n;
}

static uint32_t group_of(struct asks *x)
{
	bool is_new;
	uint32_t n = sort_work(x), id = intern_add(&x->groups, x->work.at, n * sizeof *x->work.at, &is_new);
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

// Where the text stands once the lexeme of a lexer state has been cut before this class, and it is read.
static uint32_t restart(struct asks *x, uint32_t from, uint32_t class)
{
	uint64_t key = (uint64_t)from << 32 | class, known = map64_get(&x->restart_of, key);
	if (known != MAP64_NONE) return (uint32_t)known;
	const uint32_t all = x->m->info.n_contexts;
	vec_clear(&x->work);
	for (uint32_t way = from; way; way = x->m->lex_states[way].also) {
		uint32_t t = x->m->lex_states[way].terminal;
		if (t == ARTIFACT_NONE) continue;
		const bits *after = x->after + (size_t)t * x->context_words;
		const bool is_line = x->m->info.n_lines && t == x->m->info.newline;  // columns may end blocks behind it
		for (uint32_t c = bits_next(after, x->context_words, 0); c != UINT32_MAX;
		     c = bits_next(after, x->context_words, c + 1)) {
			uint32_t start = x->m->lex_start[(uint64_t)x->m->lex_states[way].obligation * x->m->info.n_contexts + c];
			uint32_t q = start ? next_of(x, start, class) & LEX_STATE_MASK : 0;
			if (q) vec_push(&x->work, q * (all + 1) + (is_line ? all : c));
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
	const uint32_t contexts = x->m->info.n_contexts + 1;
	uint32_t n, on = EMPTY;
	const uint32_t *at = members(x, group, &n);
	for (uint32_t i = 0; i < n; i++)
		if (next_of(x, at[i] / contexts, class) & LEX_CUT)
			on = unite(x, on, restart(x, at[i] / contexts, class)), at = members(x, group, &n);
	vec_clear(&x->work);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t next = next_of(x, at[i] / contexts, class) & LEX_STATE_MASK;
		if (next) vec_push(&x->work, next * contexts + at[i] % contexts);
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
			uint32_t one = artifact_action_of(&m->lr_states[s], m->lr_action, m->contexts, i->n_terminals, t), n = 1;
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
	uint64_t key[2 * LIVE_WORDS] = {0};
	memcpy(key, intern_get(&x->starts->sets, chars, NULL), LIVE_WORDS * sizeof *key);
	if (behind_blank != ARTIFACT_NONE)
		memcpy(key + LIVE_WORDS, intern_get(&x->starts->sets, behind_blank, NULL), LIVE_WORDS * sizeof *key);
	for (uint32_t i = 0; i < LIVE_WORDS; i++)
		key[i] &= x->leads->some[0][i], key[LIVE_WORDS + i] &= x->leads->some[1][i];
	const uint32_t id = intern_add(&x->wides, key, sizeof key, &is_new);
	if (!is_new) return id;
	bits *row = arena_array(&x->arena, x->class_words, sizeof *row);
	for (uint32_t k = LIVE_PLAIN; k < x->leads->classes.n; k++)
		if (!live_on(x->leads, k, key, key + LIVE_WORDS)) bits_set(row, k);
	vec_push(&x->narrow, row);
	return id;
}

static uint32_t start_base_of(const struct grammar_tables *m, uint32_t lex_state, uint32_t context)
{
	return artifact_start_base_of(&m->lex_states[lex_state], m->start_base, m->live, m->info.n_contexts, context);
}

// What may come on the tops of a context, each by itself: what leads on may be another character for each. Appends
// numbers in narrow to work.
static void add_tops(struct asks *x, uint32_t q, uint32_t context)
{
	const struct grammar_tables *m = x->m;
	const struct artifact_info *i = &m->info;
	uint32_t next = next_of(x, q, i->class_of[' ']), seen = UINT32_MAX;
	if (next & LEX_CUT) next = 0;
	const uint32_t base = start_base_of(m, q, context),
				   base_next = next ? start_base_of(m, next, context) : ARTIFACT_NONE;
	bool line = m->lex_states[q].flags & LEX_LINE && i->n_lines,
		 line_next = next && m->lex_states[next].flags & LEX_LINE && i->n_lines;
	for (uint32_t r = 0; r < x->ranks[context] && base != ARTIFACT_NONE; r++) {
		uint32_t n, chars = x->starts->of[line][base + r], then = ARTIFACT_NONE;
		const struct sure_bytes *one = intern_get(&x->starts->sets, chars, &n);
		bool may_be_blank = one->word[' ' / 32] >> ' ' % 32 & 1;
		if (base_next != ARTIFACT_NONE && may_be_blank) then = x->starts->of[line_next][base_next + r];
		uint32_t id = narrow_of_chars(x, chars, then);
		if (id != seen) vec_push(&x->work, id);
		seen = id;
	}
}

// context n_contexts: all of them.
static uint32_t tops_of(struct asks *x, uint32_t q, uint32_t context)
{
	const uint32_t all = x->m->info.n_contexts;
	uint64_t key = (uint64_t)q << 32 | context, known = map64_get(&x->tops_of, key);
	if (known != MAP64_NONE) return (uint32_t)known;
	vec_clear(&x->work);
	for (uint32_t c = context < all ? context : 0; c < (context < all ? context + 1 : all); c++) add_tops(x, q, c);
	uint32_t n = sort_work(x);
	bool is_new;
	uint32_t id = intern_add(&x->tops, x->work.at, n * sizeof *x->work.at, &is_new);
	if (is_new) {
		bits *row = arena_array(&x->arena, x->class_words, sizeof *row);
		for (uint32_t i = 0; i < n; i++) bits_union(row, x->narrow.at[x->work.at[i]], x->class_words);
		vec_push(&x->tops_narrow, row);
	}
	map64_put(&x->tops_of, key, id);
	return id;
}

static const bits *narrow_of(struct asks *x, uint32_t q, uint32_t context)
{
	uint32_t tops = tops_of(x, q, context);
	return x->tops_narrow.at[tops];
}

static const bits *narrow_of_group(struct asks *x, uint32_t group)
{
	if (x->group_narrow.at[group]) return x->group_narrow.at[group];
	uint32_t n;
	const uint32_t *at = members(x, group, &n);
	bits *row = arena_array(&x->arena, x->class_words, sizeof *row);
	const uint32_t contexts = x->m->info.n_contexts + 1;
	for (uint32_t i = 0; i < n; i++) bits_union(row, narrow_of(x, at[i] / contexts, at[i] % contexts), x->class_words);
	return x->group_narrow.at[group] = row;
}

// ---- Tokens that end inside a character: some rest of it must lead on.
static uint32_t through_of(struct asks *x, uint32_t q, uint32_t missing)
{
	const uint32_t *offset = x->v->offset;
	uint64_t key = (uint64_t)q << 2 | missing, known = map64_get(&x->through_of, key);
	if (known != MAP64_NONE) return (uint32_t)known;
	struct through t = {.first = x->rests.n};
	for (uint32_t i = 0; i < x->leads->inside.n && t.n < THROUGH_TRIES; i++) {
		uint32_t rest = x->leads->inside.at[i], to = offset[rest + 1] - offset[rest] == missing ? q : 0;
		for (uint32_t k = offset[rest]; k < offset[rest + 1] && to; k++) {
			uint8_t byte = x->v->bytes[k];  // from 128 on; and what comes behind it must come for every stack
			bool may_come = x->known->bytes[to].word[byte / 32 % 4] >> byte % 32 & 1;
			to = may_come ? next_of(x, to, x->m->info.class_of[byte]) & LEX_STATE_MASK : 0;
		}
		if (!to || (t.n && to != t.to)) continue;
		t.to = to, t.n++;
		vec_push(&x->rests, rest);
	}
	map64_put(&x->through_of, key, x->throughs.n);
	vec_push(&x->throughs, t);
	return x->throughs.n - 1;
}

static void add_end(struct asks *x, uint32_t q, uint32_t context, uint32_t missing)
{
	uint32_t through = through_of(x, q, missing), to = x->throughs.at[through].to;
	vec_push(&x->pairs, (uint64_t)through << 32 | (to ? tops_of(x, to, context) : 0));
}

// Where the missing bytes lead to from a lexer state that was not cut, or from those of a group.
static uint32_t ends_of(struct asks *x, uint32_t own, uint32_t group, uint32_t missing)
{
	const uint32_t contexts = x->m->info.n_contexts + 1;
	uint64_t key = (uint64_t)own << 34 | (uint64_t)group << 2 | missing, known = map64_get(&x->ends_of, key);
	if (known != MAP64_NONE) return (uint32_t)known;
	uint32_t n, kept = 0;
	vec_clear(&x->pairs);
	if (own) add_end(x, own, contexts - 1, missing);
	members(x, group, &n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t spot = members(x, group, &n)[i];
		add_end(x, spot / contexts, spot % contexts, missing);
	}
	uint64_t *at = x->pairs.at;
	sort_u64(at, x->pairs.n);
	for (uint32_t i = 0; i < x->pairs.n; i++)
		if (!kept || at[kept - 1] != at[i]) at[kept++] = at[i];
	uint32_t id = intern_add(&x->ends, at, kept * sizeof *at, NULL);
	map64_put(&x->ends_of, key, id);
	return id;
}

// On each of the tops some rest leads on.
static bool leads_through(const struct asks *x, const struct live_begun *token, uint64_t pair)
{
	const struct through *t = &x->throughs.at[pair >> 32];
	if (!t->n) return false;
	uint32_t n, size;
	const uint32_t *narrow = intern_get(&x->tops, (uint32_t)pair, &n);
	bool found = true;
	for (uint32_t i = 0; i < n / sizeof *narrow && found; i++) {
		uint64_t chars[LIVE_WORDS];
		memcpy(chars, intern_get(&x->wides, narrow[i], &size), sizeof chars);
		found = false;
		for (uint32_t k = 0; k < t->n && !found; k++)
			found = live_through(x->leads, token, x->rests.at[t->first + k], chars);
	}
	return found;
}

static bool unsettled_begun(struct asks *x, uint32_t own, uint32_t others, uint32_t begun)
{
	const struct live_begun *token = &x->leads->begun.at[begun];
	uint32_t n, ends = ends_of(x, own, others, token->missing);
	uint64_t key = (uint64_t)ends << 32 | begun, known = map64_get(&x->begun_of, key);
	if (known != MAP64_NONE) return known;
	const uint64_t *pairs = intern_get(&x->ends, ends, &n);
	bool asks = false;
	for (uint32_t i = 0; i < n / sizeof *pairs && !asks; i++) asks = !leads_through(x, token, pairs[i]);
	map64_put(&x->begun_of, key, asks);
	return asks;
}

static bool is_narrow(struct asks *x, uint32_t token, uint32_t own, uint32_t others)
{
	uint32_t class = x->leads->class_of[token];
	if (class == LIVE_NEVER || (!own && others == EMPTY)) return false;
	if (class >= LIVE_PLAIN)
		return (own && bits_test(narrow_of(x, own, x->m->info.n_contexts), class)) ||
		       (others != EMPTY && bits_test(narrow_of_group(x, others), class));
	const struct live_begun *begun = live_begun_of(x->leads, token);
	return !begun || begun->is_split || unsettled_begun(x, own, others, (uint32_t)(begun - x->leads->begun.at));
}

// Do tokens that may come for sure lead on in each place where the token can end?
static bool leads_ahead(struct asks *x, uint32_t token, uint32_t own, uint32_t others)
{
	const uint32_t contexts = x->m->info.n_contexts + 1;
	if (own && !ahead_leads(&x->ahead, token, own, contexts - 1)) return false;
	if (others == EMPTY) return true;
	const uint64_t key = (uint64_t)token << 32 | others;
	uint64_t known = map64_get(&x->ahead_of, key);
	if (known != MAP64_NONE) return known;
	uint32_t n;
	const uint32_t *at = members(x, others, &n);
	bool leads = true;
	for (uint32_t i = 0; i < n && leads; i++) leads = ahead_leads(&x->ahead, token, at[i] / contexts, at[i] % contexts);
	map64_put(&x->ahead_of, key, leads);
	return leads;
}

static bool asks_for(struct asks *x, uint32_t token, uint32_t own, uint32_t others)
{
	return is_narrow(x, token, own, others) && !leads_ahead(x, token, own, others);
}

// ---- The walk.
// Appends what is to be asked for of the tokens at node w and below it; own and others: where the text stands there.
static void add_subtree(struct asks *x, trie_node w, uint32_t own, uint32_t others, uint32_t level);

static void scan_subtree(struct asks *x, trie_node top, uint32_t own, uint32_t others, uint32_t level)
{
	const struct trie *trie = &x->v->trie;
	uint32_t depth = level;  // places of the levels above are taken
	struct trie_place *place = x->places;
	place[depth] = (struct trie_place){own, others, trie->end[top]};
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
				place[++depth] = (struct trie_place){own, others, trie->end[w]};
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

// What the leads have to do with; the rest serves the next ones, too.
static void release_verdicts(struct asks *x)
{
	intern_release(&x->wides), intern_release(&x->lists);
	map64_release(&x->begun_of), map64_release(&x->subtree_of), map64_release(&x->ahead_of);
	map64_release(&x->tops_of), intern_release(&x->tops), vec_release(&x->tops_narrow);
	map64_release(&x->through_of), map64_release(&x->ends_of), intern_release(&x->ends);
	vec_release(&x->throughs), vec_release(&x->rests), vec_release(&x->narrow);
	for (uint32_t i = 0; i < x->group_narrow.n; i++) x->group_narrow.at[i] = NULL;
	map64_release(&x->ahead.verdicts);
}

static void release(struct asks *x)
{
	intern_release(&x->groups), vec_release(&x->group_narrow);
	map64_release(&x->step_of), map64_release(&x->restart_of), map64_release(&x->union_of), map64_release(&x->pair_of);
	vec_release(&x->pairs), vec_release(&x->work), vec_release(&x->found);
	ahead_release(&x->ahead);
	free(x->places), free(x->ranks);
	arena_release(&x->arena);
}

struct continuation_lists {
	struct intern known;
	VEC(struct artifact_canon_list) of_list;
	VEC(uint32_t) all;
};

static void asks_open(struct asks *x)
{
	x->places = mem_calloc(x->v->max_token_len + 2, sizeof *x->places);
	intern_add(&x->groups, NULL, 0, NULL);
	vec_push(&x->group_narrow, NULL);
	x->ranks = start_rows(x->m);
	x->ahead = (struct ahead){.m = x->m, .v = x->v, .starts = x->starts, .ranks = x->ranks};
	ahead_open(&x->ahead);
	find_contexts(x);
}

// The list of each lexer state, with the leads of x.
static struct artifact_canon_list *add_lists(struct asks *x, struct continuation_lists *lists, struct arena *arena)
{
	const struct grammar_tables *m = x->m;
	x->class_words = BITS_WORDS(x->leads->classes.n);
	x->ahead.leads = x->leads;
	struct artifact_canon_list *at = arena_array(arena, m->info.n_lex_states, sizeof *at);
	for (uint32_t q = 1; q < m->info.n_lex_states; q++) {
		bool is_new;
		vec_clear(&x->found);
		scan_subtree(x, 0, q, EMPTY, 0);
		sort_u32(x->found.at, x->found.n);
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
	struct asks x = {.m = m, .known = out, .v = v, .starts = &starts};
	asks_open(&x);
	for (int only_restartable = 0; only_restartable < 2; only_restartable++) {
		struct token_leads leads;
		live_build(tables, v, only_restartable, &leads);
		x.leads = &leads;
		out->at[only_restartable] = add_lists(&x, &lists, arena);
		release_verdicts(&x);
		live_release(&leads);
	}
	release(&x);
	uint32_t *all = arena_array(arena, lists.all.n, sizeof *all);
	if (lists.all.n) memcpy(all, lists.all.at, lists.all.n * sizeof *all);
	out->all = all, out->n = lists.all.n;
	intern_release(&lists.known);
	vec_release(&lists.of_list), vec_release(&lists.all);
	intern_release(&starts.sets);
	free(starts.of[0]), free(starts.of[1]);
}
