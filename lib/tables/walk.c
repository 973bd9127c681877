// Depth-first over trie nodes in preorder, one lex_state a level, no recursion.
//
// In:  a lex_state and trie nodes to start from. Out: tokens grouped by the lex_state they end in, and the nodes before
// whose byte the lexeme may be cut, grouped by (terminal, residue). Source: the token spanner of GreatGramma (section
// 3.2, Algorithm 4), one lexeme at a time. Cost: one table look-up a node; a dead byte skips its subtree.
#include "walk.h"

#include "../../formats/artifact.h"

#define REST_LINE 0x80000000u  // in the residue of a rest's key

void walker_init(struct walker *w, const struct lexer *lexer, const struct trie *trie, struct tokensets *sets)
{
	*w = (struct walker){.lexer = lexer, .trie = trie, .sets = sets};
	w->cut_key_of = mem_calloc(lexer->n_states, sizeof *w->cut_key_of);
	for (lex_state s = 0; s < lexer->n_states; s++) {
		const struct lex_info *i = &lexer->info[s];
		w->cut_key_of[s] = i->terminal == UINT32_MAX
		                       ? UINT32_MAX
		                       : intern_add(&w->cut_keys, (uint32_t[]){i->terminal, i->residue | (i->flags & LEX_LINE ? REST_LINE : 0)}, 8, NULL);
	}
	w->stay = mem_calloc(lexer->n_states, sizeof *w->stay);
	w->cut = mem_calloc(w->cut_keys.entries.n + 1, sizeof *w->cut);
	intern_add(&w->rests, NULL, 0, NULL);  // REST_END
	vec_push(&w->rest_key, 0);
	for (trie_node n = 1; n < trie->n_nodes; n = trie->end[n]) vec_push(&w->rest_key, n);
	rest_id whole = intern_add(&w->rests, w->rest_key.at, w->rest_key.n * sizeof(uint32_t), NULL);
	uint32_t line = REST_LINE;
	rest_id line_end = intern_add(&w->rests, &line, sizeof line, NULL);
	ASSERT(whole == REST_WHOLE && line_end == REST_LINE_END);
}

void walker_release(struct walker *w)
{
	if (!w->lexer) return;
	for (lex_state s = 0; s < w->lexer->n_states; s++) vec_release(&w->stay[s]);
	for (uint32_t k = 0; k < w->cut_keys.entries.n; k++) vec_release(&w->cut[k]);
	free(w->stay);
	free(w->cut);
	free(w->cut_key_of);
	intern_release(&w->rests);
	map64_release(&w->result_of);
	intern_release(&w->cut_keys);
	vec_release(&w->results);
	vec_release(&w->touched);
	vec_release(&w->touched_cuts);
	vec_release(&w->levels);
	vec_release(&w->rest_key);
	vec_release(&w->sources);
	arena_release(&w->arena);
}

uint32_t walker_residue(const struct walker *w, rest_id rest)
{
	uint32_t residue;
	memcpy(&residue, intern_get(&w->rests, rest, NULL), sizeof residue);
	return residue & ~REST_LINE;
}

bool walker_is_line(const struct walker *w, rest_id rest)
{
	uint32_t len;
	const uint32_t *key = intern_get(&w->rests, rest, &len);
	return len && key[0] & REST_LINE;
}

const trie_node *walker_nodes(const struct walker *w, rest_id rest, uint32_t *n)
{
	const uint32_t *key = intern_get(&w->rests, rest, n);
	*n = *n ? *n / (uint32_t)sizeof *key - 1 : 0;
	return key + 1;
}

rest_id walker_rest(struct walker *w, uint32_t residue, bool is_line, const trie_node *nodes, uint32_t n)
{
	vec_clear(&w->rest_key);
	vec_push(&w->rest_key, residue | (is_line ? REST_LINE : 0));
	for (uint32_t i = 0; i < n; i++) vec_push(&w->rest_key, nodes[i]);
	return intern_add(&w->rests, w->rest_key.at, w->rest_key.n * sizeof(uint32_t), NULL);
}

rest_id *walker_copy_rests(struct walker *w, const struct walker *from)
{
	rest_id *to = mem_calloc(from->rests.entries.n, sizeof *to);
	for (rest_id r = 0; r < from->rests.entries.n; r++) {
		uint32_t len;
		const void *key = intern_get(&from->rests, r, &len);
		to[r] = intern_add(&w->rests, key, len, NULL);
	}
	return to;
}

// The subtree of `root`, whose own byte is read first, from `at`. The hot loop of the compiler.
static void walk_subtree(struct walker *w, lex_state at, trie_node root)
{
	const uint8_t *byte = w->trie->byte, *class_of = w->lexer->class_of;
	const uint32_t *end_of = w->trie->end, *rank = w->trie->rank, *next = w->lexer->next;
	const size_t n_classes = w->lexer->n_classes;
	const trie_node stop = end_of[root];
	vec_clear(&w->levels);
	lex_state s = at;
	const uint32_t *row = next + s * n_classes;
	trie_node end = stop;  // one past the subtree in which s holds
	for (trie_node n = root; n < stop;) {
		if (n >= end) {
			do end = w->levels.at[--w->levels.n].end;
			while (n >= end);
			s = w->levels.at[w->levels.n].at, row = next + s * n_classes;
		}
		w->steps++;
		uint32_t to = row[class_of[byte[n]]];
		if (to & LEX_CUT) {
			for (lex_state way = s; way; way = w->lexer->info[way].also) {
				uint32_t key = w->cut_key_of[way];
				if (!w->cut[key].n) vec_push(&w->touched_cuts, key);
				vec_push(&w->cut[key], n);
			}
		}
		to &= LEX_STATE_MASK;
		if (to == LEX_DEAD) {
			n = end_of[n];
			continue;
		}
		if (rank[n] != rank[n + 1]) {
			rank_ranges *stay = &w->stay[to];
			if (!stay->n) vec_push(&w->touched, to);
			rank_ranges_push(stay, rank[n], rank[n + 1]);
		}
		if (end_of[n] > n + 1 && s != to) {
			vec_push(&w->levels, ((struct walk_level){end, s}));
			s = to, end = end_of[n], row = next + s * n_classes;
		}
		n++;
	}
}

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

// Groups gathered by walk_subtree, in ascending order of lex_state and cut key, into an outcomes record.
static struct outcomes collect(struct walker *w)
{
	if (w->touched.n) qsort(w->touched.at, w->touched.n, sizeof(uint32_t), compare_u32);
	if (w->touched_cuts.n) qsort(w->touched_cuts.at, w->touched_cuts.n, sizeof(uint32_t), compare_u32);
	struct outcome_stay *stays = arena_array(&w->arena, w->touched.n, sizeof *stays);
	struct outcome_cut *cuts = arena_array(&w->arena, w->touched_cuts.n, sizeof *cuts);
	for (uint32_t i = 0; i < w->touched.n; i++) {
		rank_ranges *r = &w->stay[w->touched.at[i]];
		set_id tokens = w->sets ? tokensets_add(w->sets, r->at, r->n) : SET_EMPTY;
		stays[i] = (struct outcome_stay){w->touched.at[i], tokens};
		vec_clear(r);
	}
	for (uint32_t i = 0; i < w->touched_cuts.n; i++) {
		uint32_t key = w->touched_cuts.at[i], pair[2];
		memcpy(pair, intern_get(&w->cut_keys, key, NULL), sizeof pair);
		qsort(w->cut[key].at, w->cut[key].n, sizeof(uint32_t), compare_u32);
		vec_clear(&w->rest_key);
		vec_push(&w->rest_key, pair[1]);
		for (uint32_t j = 0; j < w->cut[key].n; j++)
			if (!j || w->cut[key].at[j] != w->cut[key].at[j - 1]) vec_push(&w->rest_key, w->cut[key].at[j]);
		rest_id rest = intern_add(&w->rests, w->rest_key.at, w->rest_key.n * sizeof(uint32_t), NULL);
		cuts[i] = (struct outcome_cut){pair[0], rest};
		vec_clear(&w->cut[key]);
	}
	struct outcomes o = {stays, cuts, w->touched.n, w->touched_cuts.n};
	vec_clear(&w->touched);
	vec_clear(&w->touched_cuts);
	return o;
}

void walker_learn(struct walker *w, struct walker_source source) { vec_push(&w->sources, source); }

// What a source knows of it, in this walker's ids. False: nothing.
static bool take_over(struct walker *w, const struct walker_source *source, lex_state at, rest_id rest, struct outcomes *o)
{
	const struct walker *from = source->walker;
	uint32_t len;
	const void *key = intern_get(&w->rests, rest, &len);
	uint32_t theirs = intern_find(&from->rests, key, len);
	uint64_t known = theirs == INTERN_NONE ? MAP64_NONE : map64_get(&from->result_of, (uint64_t)at << 32 | theirs);
	if (known == MAP64_NONE) return false;
	*o = from->results.at[known];
	struct outcome_stay *stays = arena_array(&w->arena, o->n_stays, sizeof *stays);
	struct outcome_cut *cuts = arena_array(&w->arena, o->n_cuts, sizeof *cuts);
	for (uint32_t i = 0; i < o->n_stays; i++) {
		set_id tokens = w->sets ? o->stays[i].tokens : SET_EMPTY;
		stays[i] = (struct outcome_stay){o->stays[i].to, source->set_to ? source->set_to[tokens] : tokens};
	}
	for (uint32_t i = 0; i < o->n_cuts; i++) {
		key = intern_get(&from->rests, o->cuts[i].rest, &len);
		cuts[i] = (struct outcome_cut){o->cuts[i].terminal, intern_add(&w->rests, key, len, NULL)};
	}
	o->stays = stays, o->cuts = cuts;
	return true;
}

struct outcomes walker_outcomes(struct walker *w, lex_state at, rest_id rest)
{
	uint64_t key = (uint64_t)at << 32 | rest, known = map64_get(&w->result_of, key);
	if (known != MAP64_NONE) return w->results.at[known];
	struct outcomes o;
	bool is_known = false;
	for (uint32_t i = 0; i < w->sources.n && !is_known; i++) is_known = take_over(w, &w->sources.at[i], at, rest, &o);
	if (!is_known) {
		uint32_t len;
		const uint32_t *nodes = intern_get(&w->rests, rest, &len);
		for (uint32_t i = 1; i < len / sizeof *nodes; i++) walk_subtree(w, at, nodes[i]);
		o = collect(w);
	}
	map64_put(&w->result_of, key, w->results.n);
	vec_push(&w->results, o);
	return o;
}
