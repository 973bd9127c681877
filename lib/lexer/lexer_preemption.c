// Which terminals can preempt a lexeme of another one?
//
// In:  terminals' DFAs, the bytes that can follow each terminal. Out: for each terminal x the terminals u that it
// preempts. x preempts u when some lexeme of u is also one of x and x wins the tie, or when x can match more of a text
// of which u has matched a part, while u itself matches no more of it before, and something can begin with what stands
// behind u. (`==` does not preempt `=` when no text has an `=` behind an `=`.) Found on pairs of DFA states. What
// stands before and behind is not looked at: lookbehinds may hold, lookaheads may or may not. So where it says no, it
// makes no difference for u's lexemes whether x competes. Cost: pairs of terminals x pairs of their states; next
// to nothing for pairs of texts, and for half of those of a text in quotes, as JSON's keys are, with a string.
#include "../base/intern.h"
#include "../base/map64.h"
#include "byte_set.h"
#include "lexer.h"

#define THIN 4u  // bytes that go on from a state, at most, of a thin terminal: literals and such

// The bytes that go on from each state of a thin terminal; first == NULL: it is not thin.
struct thin {
	uint32_t *first;  // [states + 1] into bytes
	uint8_t *bytes;
};

// What one pair of terminals after the other uses.
struct scratch {
	VEC(uint64_t) met, work;  // pairs of states
	struct map64 met_many;    // where `met` is long; made for the pair
	uint32_t n_joint;         // a byte of each class that the two tell apart; 0: not looked at yet
	uint8_t joint[256];
};

static bool is_thin(const struct byte_dfa *d)
{
	uint32_t size[256] = {0};  // [class] bytes
	for (int b = 0; b < 256; b++) size[d->class_of[b]]++;
	for (uint32_t s = 0; s < d->n_states; s++) {
		uint32_t n = 0;
		for (uint32_t c = 0; c < d->n_classes; c++) n += d->next[s * d->n_classes + c] != DFA_DEAD ? size[c] : 0;
		if (n > THIN) return false;
	}
	return d->n_states != 0;
}

static struct thin thin_of(const struct byte_dfa *d)
{
	struct thin t = {0};
	if (!is_thin(d)) return t;
	t.first = mem_calloc(d->n_states + 1, sizeof *t.first), t.bytes = mem_calloc(d->n_states * (size_t)THIN, 1);
	for (uint32_t s = 0; s < d->n_states; s++) {
		t.first[s + 1] = t.first[s];
		for (int b = 0; b < 256; b++)
			if (dfa_step(d, s, (uint8_t)b) != DFA_DEAD) t.bytes[t.first[s + 1]++] = (uint8_t)b;
	}
	return t;
}

// Two terminals, of which x may preempt u.
struct two {
	const struct byte_dfa *u, *x;
	const struct thin *thin_u, *thin_x;
	const uint8_t *can_follow;  // [256] behind u
	struct scratch *scratch;
};

static void find_joint_bytes(const struct two *t)
{
	bits *met = mem_calloc(BITS_WORDS(2 * t->u->n_classes * t->x->n_classes), sizeof *met);
	for (int b = 0; b < 256; b++) {
		uint32_t k = 2 * (t->u->class_of[b] * t->x->n_classes + t->x->class_of[b]) + t->can_follow[b];
		if (!bits_test(met, k)) bits_set(met, k), t->scratch->joint[t->scratch->n_joint++] = (uint8_t)b;
	}
	free(met);
}

// Bytes that are enough to try where only those matter with which a state goes on: that of x, or (s_u is not DFA_DEAD)
// those of both.
static const uint8_t *bytes_from(const struct two *t, uint32_t s_u, uint32_t s_x, uint32_t *n)
{
	const struct thin *thin = t->thin_x->first ? t->thin_x : s_u != DFA_DEAD && t->thin_u->first ? t->thin_u : NULL;
	if (thin) {
		uint32_t s = thin == t->thin_x ? s_x : s_u;
		*n = thin->first[s + 1] - thin->first[s];
		return thin->bytes + thin->first[s];
	}
	if (!t->scratch->n_joint) find_joint_bytes(t);
	*n = t->scratch->n_joint;
	return t->scratch->joint;
}

#define MET_FEW 24u

static void forget_pairs(struct scratch *s)
{
	vec_clear(&s->met);
	map64_release(&s->met_many);
}

// False: it has been met.
static bool meet_pair(struct scratch *s, uint64_t pair)
{
	if (s->met.n < MET_FEW) {
		for (uint32_t i = 0; i < s->met.n; i++)
			if (s->met.at[i] == pair) return false;
	} else {
		if (!s->met_many.n)
			for (uint32_t i = 0; i < s->met.n; i++) map64_put(&s->met_many, s->met.at[i], 1);
		if (map64_get(&s->met_many, pair) != MAP64_NONE) return false;
		map64_put(&s->met_many, pair, 1);
	}
	vec_push(&s->met, pair);
	return true;
}

static bool may_match(const struct byte_dfa *d, uint32_t state) { return dfa_follow(d, state) != FOLLOW_NEVER; }
static bool must_match(const struct byte_dfa *d, uint32_t state) { return dfa_follow(d, state) == FOLLOW_ANY; }

// From (a, b), u having matched there: does x match more while u does not? The first byte must be one that can follow.
static bool overtakes(const struct two *t, uint32_t a, uint32_t b)
{
	struct map64 met = {0};
	VEC(uint64_t) work = {0};
	bool found = false;
	vec_push(&work, (uint64_t)a << 32 | b);
	for (bool is_first = true; work.n && !found; is_first = false) {
		uint64_t pair = vec_pop(&work);
		uint32_t n;
		const uint8_t *bytes = bytes_from(t, DFA_DEAD, (uint32_t)pair, &n);
		for (uint32_t i = 0; i < n && !found; i++) {
			uint32_t to_b = dfa_step(t->x, (uint32_t)pair, bytes[i]);
			if (to_b == DFA_DEAD || (is_first && !t->can_follow[bytes[i]])) continue;
			uint32_t to_a = dfa_step(t->u, (uint32_t)(pair >> 32), bytes[i]);
			if (to_a != DFA_DEAD && must_match(t->u, to_a))
				continue;  // u's own longer match rules this lexeme out as well
			found = may_match(t->x, to_b) || t->x->unfailable[to_b];
			uint64_t next = (uint64_t)to_a << 32 | to_b;
			if (found || map64_get(&met, next) != MAP64_NONE) continue;
			map64_put(&met, next, 1);
			vec_push(&work, next);
		}
	}
	map64_release(&met);
	vec_release(&work);
	return found;
}

// Branches: either automaton may start in several states, and a pair of states is met, dead, or decides.
static bool preempts(const struct two *t, bool x_wins_ties)
{
	const struct byte_dfa *u = t->u, *x = t->x;
	struct scratch *s = t->scratch;
	if (!u->n_states || !x->n_states) return false;
	bool found = false;
	s->n_joint = 0;
	forget_pairs(s);
	vec_clear(&s->work);
	for (uint32_t i = 0; i < (u->before.n_states ? u->before.n_states : 1); i++)
		for (uint32_t k = 0; k < (x->before.n_states ? x->before.n_states : 1); k++) {
			uint64_t pair = (uint64_t)(u->before.n_states ? u->before.start[i] : 0) << 32 |
			                (x->before.n_states ? x->before.start[k] : 0);
			if (pair >> 32 == DFA_DEAD || (uint32_t)pair == DFA_DEAD || !meet_pair(s, pair)) continue;
			vec_push(&s->work, pair);
		}
	while (s->work.n && !found) {
		uint64_t pair = vec_pop(&s->work);
		uint32_t n;
		const uint8_t *bytes = bytes_from(t, (uint32_t)(pair >> 32), (uint32_t)pair, &n);
		for (uint32_t i = 0; i < n && !found; i++) {
			uint32_t a = dfa_step(u, (uint32_t)(pair >> 32), bytes[i]), b = dfa_step(x, (uint32_t)pair, bytes[i]);
			uint64_t next = (uint64_t)a << 32 | b;
			if (a == DFA_DEAD || b == DFA_DEAD || !meet_pair(s, next)) continue;
			vec_push(&s->work, next);
			found = may_match(u, a) && ((may_match(x, b) && x_wins_ties) || overtakes(t, a, b));
		}
	}
	return found;
}

// Where a text stands that is to be a quote, anything but a bare quote, and a quote: a backslash takes the byte behind
// it along. No such text begins another one.
enum { QUOTE_NOT, QUOTE_BEGIN, QUOTE_INSIDE, QUOTE_ESCAPED, QUOTE_END };

static uint8_t quote_step(uint8_t at, uint8_t byte)
{
	if (at == QUOTE_BEGIN) return byte == '"' ? QUOTE_INSIDE : QUOTE_NOT;
	if (at == QUOTE_ESCAPED) return QUOTE_INSIDE;
	if (at != QUOTE_INSIDE) return QUOTE_NOT;
	return byte == '"' ? QUOTE_END : byte == '\\' ? QUOTE_ESCAPED : QUOTE_INSIDE;
}

static bool is_mark(int byte) { return byte == '"' || byte == '\\'; }

// Are all of its texts such, and is each of its states in one place of them? `at`: a byte for each state.
static bool is_quoted(const struct byte_dfa *d, uint8_t *at)
{
	if (!d->n_states || d->before.n_states) return false;
	memset(at, QUOTE_NOT, d->n_states);
	at[0] = QUOTE_BEGIN;
	VEC(uint32_t) work = {0};
	bool ok = true;
	uint8_t bytes[256];
	uint32_t n = 0;  // bytes that may not act as the one below does
	for (int b = 0; b < 256; b++)
		if (!b || d->class_of[b] != d->class_of[b - 1] || is_mark(b) || is_mark(b - 1)) bytes[n++] = (uint8_t)b;
	vec_push(&work, 0);
	while (work.n && ok) {
		uint32_t s = vec_pop(&work);
		ok = may_match(d, s) == (at[s] == QUOTE_END);
		for (uint32_t i = 0; i < n && ok; i++) {
			uint32_t to = dfa_step(d, s, bytes[i]);
			uint8_t place = quote_step(at[s], bytes[i]);
			if (to == DFA_DEAD) continue;
			if (at[to] == QUOTE_NOT) vec_push(&work, to), at[to] = place;
			ok = place != QUOTE_NOT && at[to] == place;
		}
	}
	vec_release(&work);
	return ok;
}

static void find_quoted(const struct byte_dfa *dfa, uint32_t n, bits *quoted)
{
	uint32_t most = 1;
	for (terminal_id t = 0; t < n; t++)
		if (dfa[t].n_states > most) most = dfa[t].n_states;
	uint8_t *at = mem_alloc(most);
	for (terminal_id t = 0; t < n; t++)
		if (is_quoted(&dfa[t], at)) bits_set(quoted, t);
	free(at);
}

// The number of the only text that matches; UINT32_MAX: there may be several.
static uint32_t text_of(const struct byte_dfa *d, const struct thin *thin, struct intern *texts)
{
	if (!thin->first || d->before.n_states) return UINT32_MAX;
	VEC(uint8_t) text = {0};
	uint32_t s = 0;
	for (; thin->first[s + 1] - thin->first[s] == 1 && !may_match(d, s) && text.n < d->n_states;
	     s = dfa_step(d, s, thin->bytes[thin->first[s]]))
		vec_push(&text, thin->bytes[thin->first[s]]);
	const bool ends = thin->first[s + 1] == thin->first[s] && may_match(d, s);
	const uint32_t number = ends ? intern_add(texts, text.at, text.n, NULL) : UINT32_MAX;
	vec_release(&text);
	return number;
}

static bool matches(const struct byte_dfa *d, const uint8_t *text, uint32_t len)
{
	uint32_t s = 0;
	for (uint32_t i = 0; i < len && s != DFA_DEAD; i++) s = dfa_step(d, s, text[i]);
	return s != DFA_DEAD && may_match(d, s);
}

// The bytes that it begins with, from any state that it may start in.
static struct byte_set first_bytes(const struct byte_dfa *d)
{
	struct byte_set first = {{0}};
	const uint32_t n = !d->n_states ? 0 : d->before.n_states ? d->before.n_states : 1;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t s = d->before.n_states ? d->before.start[i] : 0;
		if (s != DFA_DEAD) byte_set_add_steps(&first, d, s);
	}
	return first;
}

// The bytes that it reads anywhere.
static struct byte_set bytes_inside(const struct byte_dfa *d)
{
	struct byte_set inside = {{0}};
	bool reads[256] = {false};
	for (uint32_t s = 0; s < d->n_states; s++)
		for (uint32_t c = 0; c < d->n_classes; c++) reads[c] |= d->next[s * d->n_classes + c] != DFA_DEAD;
	for (uint32_t b = 0; b < 256; b++)
		if (reads[d->class_of[b]]) bits_set(inside.at, b);
	return inside;
}

// Both match one text alone: x wins a tie, or its text goes on behind that of u with a byte that can follow.
static bool text_preempts(const struct intern *texts, uint32_t u, uint32_t x, const uint8_t *can_follow, bool wins)
{
	uint32_t n_u, n_x;
	const uint8_t *text_u = intern_get(texts, u, &n_u), *text_x = intern_get(texts, x, &n_x);
	if (u == x) return wins;
	return n_u < n_x && memcmp(text_u, text_x, n_u) == 0 && can_follow[text_x[n_u]];
}

struct terminals {
	const struct byte_dfa *dfa;
	uint32_t *rank, *text;  // text: in `texts`, or UINT32_MAX
	struct intern texts;
	struct thin *thin;
	struct byte_set *first, *inside, *follow;
	bits *quoted;
	const uint8_t *can_follow;  // [terminal * 256]
};

static bool pair_preempts(const struct terminals *t, struct scratch *scratch, terminal_id u, terminal_id x)
{
	if (u == x || !byte_sets_meet(&t->first[u], &t->first[x])) return false;
	const bool wins = t->rank[x] < t->rank[u];
	const uint8_t *can_follow = t->can_follow + 256 * (size_t)u;
	if (t->text[u] != UINT32_MAX && t->text[x] != UINT32_MAX)
		return text_preempts(&t->texts, t->text[u], t->text[x], can_follow, wins);
	if (bits_test(t->quoted, u) && bits_test(t->quoted, x)) {
		// Neither goes on where the other ends: x can only win a tie.
		const uint32_t text = t->text[x] != UINT32_MAX ? t->text[x] : t->text[u];
		if (!wins) return false;
		if (text != UINT32_MAX) {
			uint32_t len;
			const uint8_t *bytes = intern_get(&t->texts, text, &len);
			return matches(&t->dfa[t->text[x] != UINT32_MAX ? u : x], bytes, len);
		}
	}
	// x has to win a tie, or to read on where u has matched.
	if (!wins && !byte_sets_meet(&t->inside[x], &t->follow[u])) return false;
	const struct two two = {&t->dfa[u], &t->dfa[x], &t->thin[u], &t->thin[x], can_follow, scratch};
	return preempts(&two, wins);
}

bits *lexer_preempted_by(const struct grammar *g, const struct byte_dfa *dfa, const uint8_t *can_follow,
                         struct arena *arena)
{
	uint32_t n = g->n_terminals, words = BITS_WORDS(n);
	bits *preempted_by = arena_array(arena, (size_t)n * words + 1, sizeof *preempted_by);
	struct terminals all = {.dfa = dfa,
	                        .rank = mem_calloc(n + 1, sizeof *all.rank),
	                        .text = mem_calloc(n + 1, sizeof *all.text),
	                        .thin = mem_calloc(n + 1, sizeof *all.thin),
	                        .first = mem_calloc(n + 1, sizeof *all.first),
	                        .inside = mem_calloc(n + 1, sizeof *all.inside),
	                        .follow = mem_calloc(n + 1, sizeof *all.follow),
	                        .quoted = mem_calloc(words + 1, sizeof *all.quoted),
	                        .can_follow = can_follow};
	struct scratch scratch = {0};
	find_quoted(dfa, n, all.quoted);
	for (terminal_id t = 0; t < n; t++) {
		all.rank[t] = grammar_tie_rank(g, t), all.thin[t] = thin_of(&dfa[t]), all.first[t] = first_bytes(&dfa[t]);
		all.inside[t] = bytes_inside(&dfa[t]);
		for (uint32_t b = 0; b < 256; b++)
			if (can_follow[256 * (size_t)t + b]) bits_set(all.follow[t].at, b);
		all.text[t] = text_of(&dfa[t], &all.thin[t], &all.texts);
	}
	for (terminal_id u = 0; u < n; u++)
		for (terminal_id x = 0; x < n; x++)
			if (pair_preempts(&all, &scratch, u, x)) bits_set(preempted_by + (size_t)x * words, u);
	for (terminal_id t = 0; t < n; t++) free(all.thin[t].first), free(all.thin[t].bytes);
	forget_pairs(&scratch);
	vec_release(&scratch.met), vec_release(&scratch.work);
	intern_release(&all.texts);
	free(all.rank), free(all.text), free(all.thin), free(all.first), free(all.inside), free(all.follow),
		free(all.quoted);
	return preempted_by;
}
