// How many bytes a text needs at most to end, for hard masks under budgets that are far away.
//
// In:  lexer, LR tables, places where tokens can end, the vocabulary. Out: image.canon_bound, or nothing.
// Costs are solved once more, with single bytes as tokens, so prices are bytes. Not all bytes: ASCII that has a token
// of its own, and none that ends the text of an added token. A text of such bytes has tokens, spells no added token
// (whatever stood before it), no normal form changes it, and it has at most as many tokens as bytes. There is a bound
// where every stack has a price from every lexer state that can stand between characters: where such bytes can end
// each lexeme as all bytes can, or as costs_total.c proves. None for columns, and where lexemes can end inside
// characters; nothing is counted in canonical modes. docs/how_canonical_works.md has the proof. Cost: that of an
// aligned model; some 0.2 s for whole languages.
#include "pack.h"

#define ASCII 128u

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

// The bytes of which texts are made that end the text. False: an added token's text is not known.
static bool find_bytes(const struct vocab *v, bool has[ASCII])
{
	memset(has, 0, ASCII * sizeof *has);
	for (uint32_t t = 0; t < v->n_tokens; t++)
		if (v->offset[t + 1] - v->offset[t] == 1 && v->bytes[v->offset[t]] < ASCII) has[v->bytes[v->offset[t]]] = true;
	for (uint32_t k = 0; k < v->n_added; k++) {
		const char *name = v->added[k].name;
		const uint32_t id = v->added[k].id, n = name ? (uint32_t)strlen(name) : 0;
		if (!n) return false;
		if ((uint8_t)name[n - 1] < ASCII) has[(uint8_t)name[n - 1]] = false;
		if (id >= v->n_tokens || v->offset[id] == v->offset[id + 1]) continue;
		const uint8_t last = v->bytes[v->offset[id + 1] - 1];
		if (last < ASCII) has[last] = false;
	}
	return true;
}

// [lexer states] rows of bits: as what the lexeme can end from here on, by bytes of which `has_class` is said.
static bits *find_ends(const struct artifact_image *m, const bool *has_class, const uint32_t *own, uint32_t words)
{
	const uint32_t n_states = m->info.n_lex_states, n_classes = m->info.n_classes;
	bits *ends = mem_calloc((size_t)n_states * words, sizeof *ends);
	for (uint32_t q = 0; q < n_states; q++)
		if (own[q] != ARTIFACT_NONE) bits_set(ends + (size_t)q * words, own[q]);
	for (bool grows = true, up = false; grows; up = !up) {
		grows = false;
		for (uint32_t i = 0; i < n_states; i++) {
			const uint32_t q = up ? i : n_states - 1 - i;
			bits *to = ends + (size_t)q * words;
			for (uint32_t c = 0; c < n_classes; c++) {
				const uint32_t next = m->lex_next[(uint64_t)q * n_classes + c] & LEX_STATE_MASK;
				const bits *from = ends + (size_t)next * words;
				if (!next || !has_class[c]) continue;
				for (uint32_t w = 0; w < words; w++) grows |= from[w] & ~to[w], to[w] |= from[w];
			}
		}
	}
	return ends;
}

// Can each lexeme end by such bytes as whatever it can end by any, from each state between characters? Then they spell
// a text wherever there is one: end by end, the same terminals and obligations.
static bool spell_all(const struct artifact_image *m, const bool has[ASCII], const bits *between)
{
	const uint32_t n_states = m->info.n_lex_states;
	struct intern kinds = {0};
	VEC(uint32_t) kind = {0};
	uint32_t *own = mem_alloc(n_states * sizeof *own);
	bool *all = mem_calloc(m->info.n_classes, sizeof *all), *some = mem_calloc(m->info.n_classes, sizeof *some);
	for (uint32_t q = 0; q < n_states; q++) {
		vec_clear(&kind);
		for (uint32_t way = q; way; way = m->lex_states[way].also)
			if (m->lex_states[way].terminal != ARTIFACT_NONE)
				vec_push(&kind, m->lex_states[way].terminal), vec_push(&kind, m->lex_states[way].obligation);
		own[q] = kind.n ? intern_add(&kinds, kind.at, kind.n * sizeof *kind.at, NULL) : ARTIFACT_NONE;
	}
	for (uint32_t b = 0; b < 256; b++)
		all[m->info.class_of[b]] = true, some[m->info.class_of[b]] |= b < ASCII && has[b];
	const uint32_t words = BITS_WORDS(kinds.entries.n + 1);
	bits *by_all = find_ends(m, all, own, words), *by_some = find_ends(m, some, own, words);
	bool yes = true;
	for (uint32_t q = 1; q < n_states && yes; q++)
		yes = !bits_test(between, q) ||
		      !memcmp(by_all + (size_t)q * words, by_some + (size_t)q * words, words * sizeof *by_all);
	free(by_all), free(by_some), free(own), free(all), free(some);
	vec_release(&kind);
	intern_release(&kinds);
	return yes;
}

// What the bound is of.
struct bound_of {
	const struct lexer *lexer;
	const struct lr *lr;
	const struct tables *tables;
	uint32_t max_token_len;
};

static bool find_bound(const struct bound_of *of, const struct live_pairs *live, const bool has[ASCII], bool spells_all,
                       struct cost_simple_bound *out)
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
		.lexer = of->lexer, .lr = of->lr, .trie = &bytes.trie, .live = live, .max_column = COSTS_MAX_COLUMN};
	bool ok = costs_build_aligned(&in, &costs);
	if (ok)
		ok = (costs.is_total || (spells_all && !costs.rows.capped)) &&
		     costs_simple_bound(&costs, of->lr, &of->tables->costs, of->max_token_len, out);
	costs_release(&costs);
	vocab_release(&bytes);
	return ok;
}

void pack_bound(const struct lexer *x, const struct lr *lr, const struct tables *t, const struct vocab *v,
                struct compiled *out)
{
	struct artifact_image *m = &out->image;
	const struct bound_of of = {x, lr, t, m->info.max_token_len};
	struct cost_simple_bound bound;
	bool has[ASCII];
	if (t->costs.model == COSTS_OFF || x->indentation || !find_bytes(v, has)) return;
	bits *between = mem_calloc(BITS_WORDS(x->n_states), sizeof *between);
	struct live_pairs live = {.at = mem_calloc(x->n_states + 1, sizeof *live.at)};
	const bool ok = find_between(m, between);
	for (lex_state q = 0; q < x->n_states && ok; q++) {
		for (uint32_t i = t->live.at[q]; i < t->live.at[q + 1] && bits_test(between, q); i++)
			vec_push(&live.pair, t->live.pair.at[i]);
		live.at[q + 1] = live.pair.n;
	}
	if (ok && find_bound(&of, &live, has, spell_all(m, has, between), &bound)) {
		const char *text =
			arena_printf(&out->arena, "%u %u %u %u", bound.frame, bound.terminal, bound.lexeme, bound.token);
		char *texts = arena_strndup(&out->arena, text, strlen(text));
		for (char *c = texts; *c; c++) *c = *c == ' ' ? '\0' : *c;
		m->canon_bound = texts, m->n_bound = (uint32_t)strlen(text) + 1;
	}
	live_pairs_release(&live);
	free(between);
}
