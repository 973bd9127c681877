// How many bytes a text needs at most to end, for hard masks under budgets that are far away.
//
// In:  lexer, LR tables, places where tokens can end, the vocabulary. Out: image.canon_far, or nothing.
// Costs are solved once more, with single ASCII bytes as tokens, so prices are bytes (of which: bound_spelling.c).
// costs_most.c bounds them, for frames and for what is still pushed; bound_ends.c counts what tokens may push. There is
// a bound where every stack has a price from every lexer state that can stand between characters: where such bytes can
// end each lexeme as all bytes can, or as costs_total.c proves. None for columns, and where lexemes can end inside
// characters; nothing is counted in canonical modes. docs/how_canonical_works.md has the proof. Cost: that of an
// aligned model, twice where pairs of bytes must not stand together and may; some 0.2 s for whole languages.
#include "../base/sort.h"
#include "bound.h"
#include "pack.h"

// [lexer states] as bits: those that can stand between characters. False: a lexeme can end inside one, or a byte is no
// part of a character.
// Branches: the kinds of bytes, and what each does between characters and inside one.
static bool find_between(const struct artifact_image *m, bits *between)
{
	const uint32_t n_states = m->info.n_lex_states, n_classes = m->info.n_classes;
	VEC(uint32_t) todo = {0};
	uint8_t *met = mem_calloc(n_states, sizeof *met);  // bits: so many bytes of a character are to come
	bool ok = true;
	for (uint32_t i = 0; i < m->info.n_obligations * m->info.n_contexts; i++)
		if (m->lex_start[i] && !met[m->lex_start[i]]) met[m->lex_start[i]] = 1, vec_push(&todo, m->lex_start[i] * 4);
	while (todo.n && ok) {
		const uint32_t at = vec_pop(&todo), q = at / 4, missing = at % 4;
		for (uint32_t b = 0; b < 256 && ok; b++) {
			const uint32_t cell = m->lex_next[(uint64_t)q * n_classes + m->info.class_of[b]],
						   next = cell & LEX_STATE_MASK;
			const bool goes_on = b >= 0x80 && b < 0xC0;
			uint32_t left = b < 0x80 ? 0 : b < 0xE0 ? 1 : b < 0xF0 ? 2 : 3;
			if (!cell) continue;
			ok = missing ? !(cell & LEX_CUT) && (goes_on || !next) : !next || (!goes_on && b < 0xF8);
			if (missing) left = missing - 1;
			if (!ok || !next || met[next] >> left & 1) continue;
			met[next] |= (uint8_t)(1u << left);
			vec_push(&todo, next * 4 + left);
		}
	}
	for (uint32_t q = 0; q < n_states; q++)
		if (met[q] & 1) bits_set(between, q);
	vec_release(&todo);
	free(met);
	return ok;
}

// What the bound is of.
struct bound_of {
	const struct lexer *lexer;
	const struct lr *lr;
	const struct live_pairs *live;
};

// False: a stack may have no end that is spelled so, or one has no bound.
static bool find_bounds(const struct bound_of *of, const bool has[ASCII], bool spells_all, struct cost_byte_bounds *out)
{
	uint8_t byte[ASCII];
	const uint8_t *at[ASCII];
	uint32_t len[ASCII], n = 0;
	for (uint32_t b = 0; b < ASCII; b++)
		if (has[b]) byte[n] = (uint8_t)b, at[n] = &byte[n], len[n++] = 1;
	struct vocab bytes;
	struct costs costs;
	vocab_build(&(struct vocab_tokens){.n = n, .bytes = at, .len = len}, &bytes);
	const struct cost_inputs in = {
		.lexer = of->lexer, .lr = of->lr, .trie = &bytes.trie, .live = of->live, .max_column = COSTS_MAX_COLUMN};
	bool ok = costs_build_aligned(&in, &costs);
	ok = ok && (costs.is_total || (spells_all && !costs.rows.capped)) && costs_byte_bounds(&costs, of->lr, out);
	costs_release(&costs);
	vocab_release(&bytes);
	return ok;
}

// ---- Numbers, as the file has them.
struct numbers {
	uint32_t n, cap;
	char *at;
};

static void put(struct numbers *to, uint32_t x)
{
	for (; x >= 128; x >>= 7) vec_push(to, (char)(x | 128));
	vec_push(to, (char)x);
}

// Parser states of which the same is said are one kind; the commonest kinds have the shortest numbers.
static void put_states(struct numbers *to, const struct lr *lr, const struct cost_byte_bounds *by)
{
	struct intern kinds = {0};
	VEC(uint32_t) count = {0};
	uint32_t *of_state = mem_alloc(lr->n_states * sizeof *of_state);
	for (lr_state s = 0; s < lr->n_states; s++) {
		uint32_t kind[FAR_NEEDS + 1] = {by->frame[s]};
		bool is_new;
		for (uint32_t k = 1; k <= FAR_NEEDS && lr->between_lexemes[s]; k++) kind[k] = by->need[k][s];
		of_state[s] = intern_add(&kinds, kind, sizeof kind, &is_new);
		if (is_new) vec_push(&count, 0);
		count.at[of_state[s]]++;
	}
	const uint32_t n = kinds.entries.n;
	uint64_t *order = mem_alloc((n + 1) * sizeof *order);
	for (uint32_t i = 0; i < n; i++) order[i] = (uint64_t)(UINT32_MAX - count.at[i]) << 32 | i;
	sort_u64(order, n);
	put(to, n);
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t *kind = intern_get(&kinds, (uint32_t)order[i], NULL);
		for (uint32_t k = 0; k <= FAR_NEEDS; k++) put(to, kind[k]);
		count.at[(uint32_t)order[i]] = i;
	}
	for (lr_state s = 0; s < lr->n_states; s++) put(to, count.at[of_state[s]]);
	free(of_state), free(order);
	intern_release(&kinds);
	vec_release(&count);
}

// Tokens that may end more lexemes than most do, by how many more; the last list has it for each.
static void put_ends(struct numbers *to, const uint8_t *ends, uint32_t n_tokens)
{
	uint32_t n_of[256] = {0}, base = 0, above = n_tokens, most = 0;
	for (uint32_t t = 0; t < n_tokens; t++) n_of[ends[t]]++, most = ends[t] > most ? ends[t] : most;
	while (base < most && (above -= n_of[base]) > n_tokens / 4) base++;
	put(to, base);
	put(to, most);
	for (uint32_t i = 1; i <= FAR_ENDS; i++) {
		const uint32_t least = base + i, last = i < FAR_ENDS ? least : UINT8_MAX;
		uint32_t n = 0, before = 0;
		for (uint32_t e = least; e <= last; e++) n += n_of[e];
		put(to, n);
		for (uint32_t t = 0; t < n_tokens; t++)
			if (ends[t] >= least && ends[t] <= last) {
				put(to, t - before), before = t;
				if (i == FAR_ENDS) put(to, ends[t] - least);
			}
	}
}

static void put_all(const struct bound_of *of, const struct cost_byte_bounds *by, struct next_starts *starts,
                    const struct vocab *v, struct compiled *out)
{
	struct numbers bytes = {0};
	uint8_t *ends = mem_calloc(v->n_tokens + 1, sizeof *ends);
	put(&bytes, by->terminal);
	put(&bytes, bound_ends(starts, v, ends));
	for (uint32_t k = FAR_NEEDS + 1; k <= FAR_NEEDS + FAR_MORE_NEEDS; k++) {
		uint32_t most = 0;
		for (lr_state s = 0; s < of->lr->n_states; s++)
			if (of->lr->between_lexemes[s] && by->need[k][s] > most) most = by->need[k][s];
		put(&bytes, most);
	}
	put_states(&bytes, of->lr, by);
	put_ends(&bytes, ends, v->n_tokens);
	vec_push(&bytes, '\0');
	out->image.canon_far = memcpy(arena_array(&out->arena, bytes.n, 1), bytes.at, bytes.n);
	out->image.n_far = bytes.n;
	vec_release(&bytes);
	free(ends);
}

// Branches: lexer states, then the ways to spell texts, each of which may fail to spell them or have no bound.
void pack_bound(const struct lexer *x, const struct lr *lr, const struct tables *t, const struct vocab *v,
                struct compiled *out)
{
	struct artifact_image *m = &out->image;
	if (t->costs.model == COSTS_OFF || x->indentation) return;
	bits *between = mem_calloc(BITS_WORDS(x->n_states), sizeof *between);
	struct live_pairs live = {.at = mem_calloc(x->n_states + 1, sizeof *live.at)};
	struct next_starts starts;
	bool found = false;
	const bool ok = find_between(m, between);
	for (lex_state q = 0; q < x->n_states && ok; q++) {
		for (uint32_t i = t->live.at[q]; i < t->live.at[q + 1] && bits_test(between, q); i++)
			vec_push(&live.pair, t->live.pair.at[i]);
		live.at[q + 1] = live.pair.n;
	}
	const struct bound_of of = {x, lr, &live};
	next_starts_open(x, lr, &starts);
	for (uint32_t by_pairs = 2; by_pairs-- && ok && !found;) {
		struct cost_byte_bounds by = {0};
		struct bound_bytes s;
		if (!spelling_find(v, by_pairs, &s)) break;
		if (s.has_pairs && !spelling_keeps_apart(x, &s, &starts)) continue;
		const struct spelled spelled = spelling_of_lexemes(m, &s, between);
		found = spelled.as_soon && find_bounds(&of, s.has, spelled.all, &by);
		if (found) put_all(&of, &by, &starts, v, out);
		cost_byte_bounds_release(&by);
		if (!s.has_pairs) break;
	}
	next_starts_release(&starts);
	live_pairs_release(&live);
	free(between);
}
