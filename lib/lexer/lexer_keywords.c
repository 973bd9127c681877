// What competes in a context: more than what is viable.
//
// In:  terminals' DFAs, contexts as sets of viable terminals. Out: contexts as sets of terminals that compete.
// %keywords: the words of a terminal N are N and the terminals all of whose texts N matches: keywords, where N matches
// names. Where one of them is viable all of them compete, but for soft ones that are not viable, so a word is lexed
// alike wherever it stands: `iffy` is never `if` and `fy`, and `class` no name. One that wins and is not viable ends
// the reading. Inclusion is found on pairs of DFA states; terminals that look around are no words. Contexts are few
// when they are large: a terminal of few and short texts that can preempt nothing of what competes in a context
// (lexer_preemption.c) may compete there as well, unless it begins as something goes on that has matched already. Where
// it wins, nothing that is viable would have matched: the reading is dead either way. Whole languages have hundreds of
// contexts and a dozen of these. So that lex_states stay few as well, one that begins like another of long texts
// competes beside it only where the two compete anyway, somewhere. (An object's keys in order, and "any other key": a
// key is viable up to its place, and all may compete at every place.)
// Cost: for each N, the terminals' DFA states; contexts x terminals.
#include "../base/map64.h"
#include "byte_set.h"
#include "lexer.h"

// Does n match every text of t?
// Branches: a walk over pairs of states that ends at the first byte with which a text is lost.
static bool includes(const struct byte_dfa *n, const struct byte_dfa *t)
{
	if (!n->n_states || !t->n_states || n->follow || t->follow || n->before.n_states || t->before.n_states)
		return false;
	struct map64 met = {0};
	VEC(uint64_t) work = {0};
	bool all = true;
	vec_push(&work, 0);
	map64_put(&met, 0, 1);
	while (work.n && all) {
		uint64_t pair = vec_pop(&work);
		for (int b = 0; b < 256 && all; b++) {
			uint32_t to = dfa_step(t, (uint32_t)pair, (uint8_t)b),
					 in_n = dfa_step(n, (uint32_t)(pair >> 32), (uint8_t)b);
			if (to == DFA_DEAD) continue;
			all = in_n != DFA_DEAD && (n->accept[in_n] || !t->accept[to]);
			uint64_t next = (uint64_t)in_n << 32 | to;
			if (!all || map64_get(&met, next) != MAP64_NONE) continue;
			map64_put(&met, next, 1);
			vec_push(&work, next);
		}
	}
	map64_release(&met);
	vec_release(&work);
	return all;
}

// Branches: terminals without words, of other parts, ignored or soft are left out, each in its own loop.
bits *lexer_words(const struct grammar *g, const struct byte_dfa *dfa, bits *viable, uint32_t n_contexts,
                  uint32_t words, struct arena *arena)
{
	bits *competing = viable, *group = mem_calloc(words + 1, sizeof *group);
	for (terminal_id n = 0; n < g->n_terminals; n++) {
		if (!g->terminals[n].has_words || g->terminals[n].is_scoped || g->terminals[n].is_held) continue;
		memset(group, 0, words * sizeof *group);
		bits_set(group, n);
		for (terminal_id t = 0; t < g->n_terminals; t++) {
			const struct terminal *x = &g->terminals[t];
			bool is_ignored = x->is_ignored || x->is_blank || x->is_scoped || x->is_held;
			if (!is_ignored && x->part == g->terminals[n].part && includes(&dfa[n], &dfa[t])) bits_set(group, t);
		}
		if (competing == viable) {
			competing = arena_array(arena, (size_t)n_contexts * words + 1, sizeof *competing);
			memcpy(competing, viable, (size_t)n_contexts * words * sizeof *competing);
		}
		for (uint32_t c = 0; c < n_contexts; c++) {
			bits *row = competing + (size_t)c * words;
			bool some = false;
			for (uint32_t w = 0; w < words; w++) some |= (viable[(size_t)c * words + w] & group[w]) != 0;
			for (terminal_id t = 0; t < g->n_terminals && some; t++)
				if (bits_test(group, t) && !g->terminals[t].is_soft) bits_set(row, t);
		}
	}
	free(group);
	return competing;
}

#define PLAIN_STATES 64u  // of a terminal that competes everywhere: it must not multiply lex_states

// No state leads back to itself, and there are few. States are numbered breadth-first, so they are looked at by rounds.
static bool is_plain(const struct byte_dfa *d)
{
	if (!d->n_states || d->n_states > PLAIN_STATES || d->follow || d->before.n_states) return false;
	uint64_t ends = 0;  // states that only lead to such states
	for (uint64_t before = 1; before != ends;) {
		before = ends;
		for (uint32_t s = 0; s < d->n_states; s++) {
			bool all = true;
			for (uint32_t c = 0; c < d->n_classes; c++) {
				uint32_t to = d->next[s * d->n_classes + c];
				all &= to == DFA_DEAD || (ends >> to & 1);
			}
			if (all) ends |= (uint64_t)1 << s;
		}
	}
	return ends == (d->n_states == 64 ? ~(uint64_t)0 : ((uint64_t)1 << d->n_states) - 1);
}

// The bytes that it does not read as the one before them.
static struct byte_set stretches_of(const struct byte_dfa *d)
{
	struct byte_set s = {{0}};
	for (uint32_t b = 0; b < 256; b++)
		if (!b || d->class_of[b] != d->class_of[b - 1]) bits_set(s.at, b);
	return s;
}

// Bytes from which on, up to the next one, both do the same; 256 behind them. How many there are.
static uint32_t list_stretches(const struct byte_set *u, const struct byte_set *y, uint32_t first[257])
{
	uint32_t n = 0;
	for (uint32_t w = 0; w < 4; w++)
		for (bits left = u->at[w] | y->at[w]; left; left &= left - 1)
			first[n++] = w * 64 + (uint32_t)__builtin_ctzll(left);
	first[n] = 256;
	return n;
}

#define MET_FEW 24u     // pairs of states: searched one by one
#define BYTE_NONE 256u  // or several

// What one pair of terminals after the other uses.
struct pairs {
	VEC(uint64_t) met, work;
	struct map64 many;   // where `met` is long
	VEC(uint32_t) only;  // [state of the first one] BYTE_NONE, or the only byte that counts
};

static void meet_pair(struct pairs *p, uint64_t pair)
{
	for (uint32_t i = 0; i < p->met.n && p->met.n <= MET_FEW; i++)
		if (p->met.at[i] == pair) return;
	if (p->met.n == MET_FEW)
		for (uint32_t i = 0; i < p->met.n; i++) map64_put(&p->many, p->met.at[i], 1);
	if (p->met.n >= MET_FEW) {
		if (map64_get(&p->many, pair) != MAP64_NONE) return;
		map64_put(&p->many, pair, 1);
	}
	vec_push(&p->met, pair), vec_push(&p->work, pair);
}

// [state] the only byte with which it goes on, of states that do not match; else BYTE_NONE.
static void list_only_bytes(const struct byte_dfa *u, struct pairs *p)
{
	vec_reserve(&p->only, u->n_states);
	uint32_t *only = p->only.at;
	uint32_t size[256] = {0}, byte_of[256];  // [class]
	for (uint32_t b = 0; b < 256; b++) size[u->class_of[b]]++, byte_of[u->class_of[b]] = b;
	for (uint32_t s = 0; s < u->n_states; s++) {
		uint32_t n = 0;
		only[s] = BYTE_NONE;
		for (uint32_t c = 0; c < u->n_classes; c++)
			if (u->next[s * u->n_classes + c] != DFA_DEAD) n += size[c], only[s] = byte_of[c];
		if (n != 1 || u->accept[s]) only[s] = BYTE_NONE;
	}
}

// Bytes with which y goes on, without a match at once, where u has just matched: two readings live on. first: n
// stretches of bytes. p->only: that of u.
static void add_lingering(const struct byte_dfa *u, const struct byte_dfa *y, const uint32_t *first, uint32_t n,
                          struct pairs *p, bool lingers[256])
{
	const uint32_t *only = p->only.at;
	vec_clear(&p->met);
	map64_release(&p->many);
	meet_pair(p, 0);
	while (p->work.n) {
		uint64_t pair = vec_pop(&p->work);
		uint32_t a = (uint32_t)(pair >> 32), s = (uint32_t)pair;
		if (only[a] != BYTE_NONE) {  // of a text, mostly: no other byte counts
			const uint32_t to_y = dfa_step(y, s, (uint8_t)only[a]);
			if (to_y != DFA_DEAD) meet_pair(p, (uint64_t)dfa_step(u, a, (uint8_t)only[a]) << 32 | to_y);
			continue;
		}
		for (uint32_t i = 0; i < n; i++) {
			uint32_t to_u = dfa_step(u, a, (uint8_t)first[i]), to_y = dfa_step(y, s, (uint8_t)first[i]);
			if (to_y == DFA_DEAD) continue;
			const bool here = pair && u->accept[a] && !(y->accept[to_y] && !y->follow);
			for (uint32_t b = first[i]; b < first[i + 1] && here; b++) lingers[b] = true;
			if (to_u != DFA_DEAD) meet_pair(p, (uint64_t)to_u << 32 | to_y);
		}
	}
}

static struct byte_set first_bytes(const struct byte_dfa *d)
{
	struct byte_set s = {{0}};
	if (d->n_states) byte_set_add_steps(&s, d, 0);
	return s;
}

struct widening {
	const struct grammar *g;
	const bits *competing, *preempted_by;
	uint32_t n_contexts, words;
	uint8_t *plain;
	bits *not_plain;         // terminals
	struct byte_set *begin;  // [terminal] first bytes
	bits *met;               // [terminal * words] of plain ones: what is not plain and competes with them somewhere
};

// [terminal * BITS_WORDS(n_contexts)] where it competes: contexts.
static bits *find_where(const struct widening *w)
{
	const uint32_t words = BITS_WORDS(w->n_contexts);
	bits *where = mem_calloc((size_t)w->g->n_terminals * words + 1, sizeof *where);
	for (uint32_t c = 0; c < w->n_contexts; c++) {
		const bits *row = w->competing + (size_t)c * w->words;
		for (terminal_id t = 0; t < w->g->n_terminals; t++)
			if (w->g->terminals[t].is_ignored || bits_test(row, t)) bits_set(where + (size_t)t * words, c);
	}
	return where;
}

// Is there a context where both compete?
static bool meet(const bits *x, const bits *y, uint32_t words)
{
	bits both = 0;
	for (uint32_t w = 0; w < words && !both; w++) both = x[w] & y[w];
	return both != 0;
}

// Which terminals are plain? None with which something may linger, and none that is counted: it is read alone.
static void find_plain(struct widening *w, const struct byte_dfa *dfa)
{
	const struct grammar *g = w->g;
	const uint32_t words = BITS_WORDS(w->n_contexts);
	bits *where = find_where(w);
	struct byte_set lingering = {{0}};
	struct byte_set *stretches = mem_calloc(g->n_terminals + (size_t)1, sizeof *stretches);
	struct pairs pairs = {0};
	uint32_t first[257];
	bool lingers[256] = {false};
	for (terminal_id t = 0; t < g->n_terminals; t++)
		w->plain[t] = is_plain(&dfa[t]), w->begin[t] = first_bytes(&dfa[t]);
	for (terminal_id t = 0; t < g->n_terminals; t++) stretches[t] = stretches_of(&dfa[t]);
	for (terminal_id u = 0; u < g->n_terminals; u++) {
		list_only_bytes(&dfa[u], &pairs);
		for (terminal_id y = 0; y < g->n_terminals; y++) {
			if (w->plain[y] || !byte_sets_meet(&w->begin[u], &w->begin[y])) continue;
			if (!meet(where + (size_t)u * words, where + (size_t)y * words, words)) continue;
			const uint32_t n = list_stretches(&stretches[u], &stretches[y], first);
			add_lingering(&dfa[u], &dfa[y], first, n, &pairs, lingers);
		}
	}
	vec_release(&pairs.only), vec_release(&pairs.met), vec_release(&pairs.work), map64_release(&pairs.many);
	free(where), free(stretches);
	for (uint32_t b = 0; b < 256; b++)
		if (lingers[b]) bits_set(lingering.at, b);
	for (terminal_id t = 0; t < g->n_terminals; t++)
		w->plain[t] =
			w->plain[t] && !g->terminals[t].is_ignored && !dfa[t].counter && !byte_sets_meet(&w->begin[t], &lingering);
}

static void find_met(struct widening *w)
{
	for (terminal_id t = 0; t < w->g->n_terminals; t++)
		if (!w->plain[t]) bits_set(w->not_plain, t);
	for (uint32_t c = 0; c < w->n_contexts; c++) {
		const bits *row = w->competing + (size_t)c * w->words;
		for (uint32_t t = bits_next(row, w->words, 0); t != UINT32_MAX; t = bits_next(row, w->words, t + 1))
			for (uint32_t k = 0; w->plain[t] && k < w->words; k++)
				w->met[(size_t)t * w->words + k] |= row[k] & w->not_plain[k];
	}
}

// May x compete where these do, too? `first`: the bytes with which those of them begin that are not plain.
static bool may_join(const struct widening *w, terminal_id x, const bits *minded, const struct byte_set *first)
{
	if (!w->plain[x]) return false;
	const bits *preempted = w->preempted_by + (size_t)x * w->words;
	bits wins = 0;  // no jump: several words are looked at at once
	for (uint32_t k = 0; k < w->words; k++) wins |= preempted[k] & minded[k];
	if (wins) return false;
	if (!byte_sets_meet(&w->begin[x], first)) return true;
	const bits *met = w->met + (size_t)x * w->words;
	for (uint32_t k = 0; k < w->words; k++)
		for (bits left = minded[k] & w->not_plain[k] & ~met[k]; left; left &= left - 1)
			if (byte_sets_meet(&w->begin[x], &w->begin[k * 64 + (uint32_t)__builtin_ctzll(left)])) return false;
	return true;
}

static void widen(const struct widening *w, bits *row, bits *minded)
{
	const struct grammar *g = w->g;
	struct byte_set first = {{0}};
	memcpy(minded, row, w->words * sizeof *row);
	for (terminal_id t = 0; t < g->n_terminals; t++)
		if (g->terminals[t].is_ignored) bits_set(minded, t);
	for (terminal_id t = 0; t < g->n_terminals; t++)
		if (!w->plain[t] && bits_test(minded, t)) bits_union(first.at, w->begin[t].at, 4);
	for (terminal_id x = 0; x < g->n_terminals; x++)
		if (!bits_test(row, x) && may_join(w, x, minded, &first)) bits_set(row, x);
}

bits *lexer_widened(const struct grammar *g, const struct byte_dfa *dfa, struct lexer_contexts contexts,
                    const bits *preempted_by, struct arena *arena)
{
	const bits *competing = contexts.competing;
	const uint32_t n_contexts = contexts.n, words = contexts.words;
	size_t n = (size_t)g->n_terminals + 1;
	struct widening w = {.g = g,
	                     .competing = competing,
	                     .preempted_by = preempted_by,
	                     .n_contexts = n_contexts,
	                     .words = words,
	                     .plain = mem_calloc(n, 1),
	                     .not_plain = mem_calloc(words + 1, sizeof *w.not_plain),
	                     .begin = mem_calloc(n, sizeof *w.begin),
	                     .met = mem_calloc(n * words + 1, sizeof *w.met)};
	find_plain(&w, dfa);
	find_met(&w);
	bits *wide = arena_array(arena, (size_t)n_contexts * words + 1, sizeof *wide),
		 *minded = mem_calloc(words + 1, sizeof *minded);
	memcpy(wide, competing, (size_t)n_contexts * words * sizeof *wide);
	for (uint32_t c = 0; c < n_contexts; c++) widen(&w, wide + (size_t)c * words, minded);
	free(minded);
	free(w.plain), free(w.not_plain);
	free(w.begin);
	free(w.met);
	return wide;
}
