// The keys of what is kept for positions in hard mode: memos of dead ends (hard.c), finished masks (finished.c).
//
// In:  a position, its sets.  Out: all that decides what becomes of its tokens, but for the token before and what lies
// below the frames: words, compared whole. Three levels differ in how much of the stack they hold. Cost: some 10 ns.
#include "memo_key.h"

// What a position's keys have in common: the lexer state, the ways. False: the position is none that is kept.
bool memo_key_begin(const struct position *p, struct memo_key *key)
{
	const struct canonical_place *c = &p->canonical;
	if (p->n != 1 || c->n_ways > MEMO_WAYS) return false;
	uint32_t *to = key->word;
	*to++ = p->at[0].lex_state;
	*to++ = c->n_ways | (uint32_t)c->n_begun << 4 | (uint32_t)c->by_bytes << 8;
	*to++ = 0;  // of the rest
	for (uint32_t i = 0; i < c->n_ways; i++)
		*to++ = (uint32_t)c->way[i].set << 16 | c->way[i].pending, *to++ = c->way[i].split;
	for (uint32_t i = 0; i < c->n_begun; i++) *to++ = c->begun[i];
	key->n_head = (uint32_t)(to - key->word);
	return true;
}

// The text's column and those that are open. False: too many.
static bool put_columns(const struct frame_pool *pool, const struct position *p, uint32_t **to, uint32_t *n)
{
	*(*to)++ = p->column;
	for (uint32_t f = p->at[0].columns; f && f != FRAME_BOTTOM; f = pool->at[f].parent) {
		if ((*n)++ == MEMO_COLUMNS) return false;
		*(*to)++ = column_of(pool, f);
	}
	return true;
}

// The rest: for MEMO_NEAR the top of the stack; for the others frames, the position's sets, open columns. False: there
// is no such key.
// Branches: the three depths of a key have different parts of the stack, of the sets and of the columns.
bool memo_key_deepen(const struct gcdc_matcher *m, const struct position *p, const struct set_list *list,
                     enum memo_level level, struct memo_key *key)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct reading *r = &p->at[0];
	const uint32_t most = level == MEMO_NEAR ? 1 : level == MEMO_FAR ? MEMO_FRAMES : MEMO_STACK;
	uint32_t *to = key->word + key->n_head, n_columns = 0;
	key->n_frames = 0, key->by_columns = false;
	if (level != MEMO_NEAR && m->pool->at[r->frame].depth & FRAME_BRANCHED) return false;
	for (uint32_t f = r->frame; key->n_frames < most; f = m->pool->at[f].parent) {
		*to++ = m->pool->at[f].lr_state;
		key->n_frames++;
		if (f == FRAME_BOTTOM) break;
	}
	if (level != MEMO_NEAR) {
		if (p->left != GCDC_NONE || list->n > MEMO_SETS || list->extra.n > MEMO_EXTRA) return false;
		for (uint32_t i = 0; i < list->n; i++) *to++ = list->at[i];
		for (uint32_t i = 0; i < list->extra.n; i++) *to++ = list->extra.at[i];
		key->by_columns = a->info.n_lines && (level == MEMO_WHOLE || a->lex_states[r->lex_state].flags & LEX_LINE);
	}
	if (key->by_columns && !put_columns(m->pool, p, &to, &n_columns)) return false;
	key->word[2] = key->n_frames | (level == MEMO_NEAR ? 0 : list->n << 8 | list->extra.n << 16) | n_columns << 24;
	key->n = (uint32_t)(to - key->word);
	return true;
}

uint64_t memo_key_hash(const struct memo_key *key)
{
	uint64_t hash = key->n;
	for (uint32_t i = 0; i < key->n; i += 2) {
		uint64_t two = key->word[i] | (uint64_t)(i + 1 < key->n ? key->word[i + 1] : 0) << 32;
		hash = hash_add_fold(hash, two);
	}
	return hash;
}
