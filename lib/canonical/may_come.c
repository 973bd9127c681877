// Which bytes may come in a lexer state, whatever the stack.
//
// In:  a grammar's starts, nodes and sets. Out: wide, nodes (ASCII characters), bytes (the others) of struct
// unsettled_tables; struct start_chars, with LIVE_END where the text may end. A byte may come when its token is in the
// mask (masks hold the beginnings of what they hold). What all stacks have that can be read from a start is in its set,
// or in what all targets of its node have, and so on: a greatest fixpoint, as only chains of nodes that end count. A
// way on which nothing at all is allowed is no stack's: what was accepted is viable. With columns, the start rows of
// lines come beside; where a line is pending nothing is left out on that ground. Cost: targets and edges, a few times.
#include "unsettled.h"
#include "../shared/search.h"

struct wide {
	const struct grammar_tables *m;
	uint32_t n_single, token[512], byte[512];  // tokens that are one byte
	struct sure_bytes *of_set;                 // [n_sets]
	uint8_t *any;                              // [n_sets] something is allowed
	struct sure_bytes *node[2], *target[2];    // [n_nodes], [n_targets]; [1]: something was allowed before
};

static bool set_has(const struct grammar_tables *m, const struct artifact_set *s, uint32_t token)
{
	bool has =
		s->dense != ARTIFACT_NONE && m->dense[(uint64_t)s->dense * m->info.mask_words + token / 32] >> token % 32 & 1;
	return has ^ number_among(&m->sparse[s->at], s->n, token);
}

static const struct sure_bytes all_chars = {
	{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}};

static bool meet(struct sure_bytes *to, struct sure_bytes with)
{
	uint32_t fell = 0;
	for (uint32_t i = 0; i < 8; i++) fell |= to->word[i] & ~with.word[i], to->word[i] &= with.word[i];
	return fell;
}

// What a set, and then a node, have for all stacks.
static struct sure_bytes read_on(const struct wide *x, uint32_t set, uint32_t next, bool before)
{
	bool any = before || x->any[set];
	if (!any && !next) return all_chars;
	struct sure_bytes c = x->of_set[set];
	for (uint32_t i = 0; i < 8 && next; i++) c.word[i] |= x->node[any][next].word[i];
	return c;
}

static void find_sets(struct wide *x)
{
	const struct artifact_info *i = &x->m->info;
	for (uint32_t t = 0; t < i->n_tokens && x->n_single < 512; t++) {
		uint8_t b = x->m->token_bytes[x->m->token_offset[t]];
		if (x->m->token_offset[t + 1] - x->m->token_offset[t] != 1 || b == LIVE_END) continue;
		x->token[x->n_single] = t, x->byte[x->n_single++] = b;
	}
	for (uint32_t s = 1; s < i->n_sets; s++) {
		const struct artifact_set *set = &x->m->sets[s];
		x->any[s] = set->count || set->maybe;
		for (uint32_t k = 0; k < x->n_single && set->count; k++)
			if (set_has(x->m, set, x->token[k])) x->of_set[s].word[x->byte[k] / 32] |= 1u << x->byte[k] % 32;
		if (set->flags & SET_EOS) x->of_set[s].word[LIVE_END / 32] |= 1u << LIVE_END % 32;
	}
}

static void find_nodes(struct wide *x)
{
	const struct artifact_info *i = &x->m->info;
	for (uint32_t any = 0; any < 2; any++) memset(x->node[any], 0xff, i->n_nodes * sizeof *x->node[any]);
	for (bool fell = true; fell;) {
		fell = false;
		for (uint32_t any = 0; any < 2; any++) {
			for (uint32_t k = 0; k < i->n_targets; k++)
				x->target[any][k] = read_on(x, x->m->targets[k].set, x->m->targets[k].next, any);
			for (uint32_t n = 1; n < i->n_nodes; n++) {
				const struct artifact_node *node = &x->m->nodes[n];
				fell |= meet(&x->node[any][n], x->target[any][node->other]);
				for (uint32_t e = node->first; e < node->first + node->n; e++)
					fell |= meet(&x->node[any][n], x->target[any][x->m->edges[e]]);
			}
		}
	}
}

static void find_starts(const struct wide *x, struct start_chars *starts)
{
	const struct artifact_info *i = &x->m->info;
	*starts = (struct start_chars){0};
	for (uint32_t line = 0; line < 2; line++) {
		starts->of[line] = mem_calloc(i->n_starts + 1, sizeof **starts->of);
		for (uint32_t k = 0; k < i->n_starts && (!line || i->n_lines); k++) {
			struct sure_bytes c = read_on(x, x->m->starts[k].set, x->m->starts[k].node, line);
			starts->of[line][k] = intern_add(&starts->sets, &c, sizeof c, NULL);
		}
	}
}

uint32_t *start_rows(const struct grammar_tables *m)
{
	uint32_t *rows = mem_calloc(m->info.n_contexts, sizeof *rows);
	for (uint32_t s = 1; s < m->info.n_lr_states; s++) {
		uint32_t *r = &rows[m->lr_states[s].context];
		if (*r <= m->lr_states[s].rank) *r = m->lr_states[s].rank + 1;
	}
	return rows;
}

// Branches: lines and other lexer states are met over contexts and ranks, with a start met before read only once.
void find_may_come(const struct grammar_tables *m, struct start_chars *starts, struct arena *arena,
                   struct unsettled_tables *out)
{
	const struct artifact_info *i = &m->info;
	struct wide x = {.m = m, .of_set = mem_calloc(i->n_sets, sizeof *x.of_set), .any = mem_calloc(i->n_sets, 1)};
	for (uint32_t any = 0; any < 2; any++) {
		x.node[any] = mem_calloc(i->n_nodes, sizeof *x.node[any]);
		x.target[any] = mem_calloc(i->n_targets + 1, sizeof *x.target[any]);
	}
	find_sets(&x);
	find_nodes(&x);
	find_starts(&x, starts);
	uint32_t *ranks = start_rows(m);
	struct artifact_canon_chars *wide = arena_array(arena, i->n_lex_states, sizeof *wide);
	struct artifact_canon_chars *bytes = arena_array(arena, i->n_lex_states, sizeof *bytes);
	struct sure_bytes *of_base = mem_calloc(i->n_starts + 1, sizeof *of_base);  // not of lines
	uint8_t *known = mem_calloc(i->n_starts + 1, 1);
	for (uint32_t q = 1; q < i->n_lex_states; q++) {
		bool is_line = m->lex_states[q].flags & LEX_LINE && i->n_lines;
		struct sure_bytes in_all = all_chars;
		for (uint32_t c = 0; c < i->n_contexts; c++) {
			const uint32_t base = artifact_start_base_of(&m->lex_states[q], m->start_base, m->live, i->n_contexts, c);
			if (base == ARTIFACT_NONE) continue;
			struct sure_bytes all = all_chars;
			if (!is_line && known[base] && known[base] == (ranks[c] < 255 ? ranks[c] : 0))
				all = of_base[base];
			else
				for (uint32_t r = 0; r < ranks[c]; r++)
					meet(&all, read_on(&x, m->starts[base + r].set, m->starts[base + r].node, is_line));
			if (!is_line) of_base[base] = all, known[base] = ranks[c] < 255 ? (uint8_t)ranks[c] : 0;
			meet(&in_all, all);
		}
		in_all.word[LIVE_END / 32] &= ~(1u << LIVE_END % 32);
		memcpy(&wide[q], in_all.word, sizeof wide[q]), memcpy(&bytes[q], in_all.word + 4, sizeof bytes[q]);
	}
	out->wide = wide, out->bytes = bytes;
	struct artifact_canon_chars *nodes = arena_array(arena, 2ull * i->n_nodes, sizeof *nodes);
	for (uint32_t n = 1; n < i->n_nodes; n++)
		for (uint32_t any = 0; any < 2; any++) memcpy(&nodes[2 * n + any], x.node[any][n].word, sizeof *nodes);
	out->nodes = nodes;
	for (uint32_t any = 0; any < 2; any++) free(x.node[any]), free(x.target[any]);
	free(x.of_set), free(x.any), free(ranks), free(of_base), free(known);
}
