// What a matcher needs of the product: the dead ends.
//
// In:  struct product. Out: the sections REGEX of an artifact.
// A matcher knows the grammar's mask and the pairs; the only thing that it does not know is which tokens lead to a
// state from where no text can be ended. These states are listed by key, a hash of (state of the DFA, place, last
// token) with a seed for which no relevant state has the key of a dead one, so that a look-up is exact. By state of the
// DFA the tokens are listed that lead to a dead state from any place (candidates). formats/canonical.md has the hash.
// Cost: a hash for each state of the product.
#include "product.h"
#include "../shared/search.h"

static uint64_t mix(uint64_t x)
{
	x ^= x >> 30, x *= 0xBF58476D1CE4E5B9u;
	x ^= x >> 27, x *= 0x94D049BB133111EBu;
	return x ^ x >> 31;
}

// Of all but the last token.
static uint64_t place_sum(const struct product_node *n, bool no_mark)
{
	const struct piece_state *p = &n->place;
	uint64_t sum = 0;
	for (uint32_t i = 0; i < p->n_ways; i++)
		sum +=
			mix((1ull << 60) + ((uint64_t)p->way[i].set << 40) + ((uint64_t)p->way[i].pending << 32) + p->way[i].split);
	for (uint32_t i = 0; i < p->n_live; i++) sum += mix((2ull << 60) + p->live[i]);
	if (p->n_begun) {  // the bytes are those of a representative
		uint32_t size = p->begun[0] < 0xE0 ? 2 : p->begun[0] < 0xF0 ? 3 : 4, x = p->begun[0] & (0x7Fu >> size);
		for (uint32_t i = 1; i < p->n_begun; i++) x = x << 6 | (p->begun[i] & 63u);
		sum += mix((3ull << 60) + ((uint64_t)p->by_bytes << 32) + (size << 28 | (size - p->n_begun) << 24 | x));
	}
	if (!no_mark) sum += mix((4ull << 60) + ((uint64_t)p->left << 8) + p->combining);
	return sum;
}

static uint64_t key_of(uint64_t seed, uint32_t lex_state, uint32_t last, uint64_t sum)
{
	return mix(mix(seed + ((uint64_t)lex_state << 32 | last)) + sum);
}

static int by_key(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static bool has_key(const uint64_t *keys, uint64_t n, uint64_t key)
{
	uint64_t i;
	LOWER_BOUND(i, 0, n, keys[i] < key);
	return i < n && keys[i] == key;
}

// The keys of the dead, ascending. False: a relevant state has one of them.
static bool list_keys(struct product *p, uint64_t seed, uint64_t *keys)
{
	uint64_t n = 0;
	for (int lives = 0; lives < 2; lives++) {
		for (uint32_t i = 0; i < p->nodes.n; i++) {
			const struct product_node *x = &p->nodes.at[i];
			if (!x->reached || x->n_live == (lives ? 0 : x->n_reached)) continue;
			uint64_t sum = place_sum(x, p->no_mark[x->lex_state]);
			for (uint32_t last = bits_next(x->reached, p->words, 0); last != UINT32_MAX;
			     last = bits_next(x->reached, p->words, last + 1)) {
				if (bits_test(x->live, last) != lives) continue;
				uint64_t key = key_of(seed, x->lex_state, last == p->n_tokens ? ARTIFACT_NONE : last, sum);
				if (!lives)
					keys[n++] = key;
				else if (has_key(keys, n, key))
					return false;
			}
		}
		if (n && !lives) qsort(keys, n, sizeof *keys, by_key);
	}
	return true;
}

static bool is_dead(const struct product *p, uint32_t node, uint32_t last)
{
	return node != PRODUCT_NONE && p->nodes.at[node].reached && bits_test(p->nodes.at[node].reached, last) &&
	       !bits_test(p->nodes.at[node].live, last);
}

static int by_candidate(const void *a, const void *b)
{
	const struct artifact_candidate *x = a, *y = b;
	if (x->token != y->token) return x->token < y->token ? -1 : 1;
	return (x->lex_state > y->lex_state) - (x->lex_state < y->lex_state);
}

// Branches: candidates lie five levels deep: state, node, group, token, and whether either side of it is dead.
static void list_candidates(struct product *p)
{
	uint32_t n_states = p->dfa->n_states;
	VEC(struct artifact_candidate) all = {0};
	VEC(uint32_t) order = {0};  // nodes by state of the DFA
	uint32_t *at = mem_calloc(n_states + 2ull, sizeof *at);
	struct artifact_regex_state *of = arena_array(&p->arena, n_states + 1ull, sizeof *of);
	bits *seen = mem_calloc(p->words, sizeof *seen);
	for (uint32_t i = 0; i < p->nodes.n; i++) at[p->nodes.at[i].lex_state + 2]++;
	for (uint32_t q = 0; q < n_states; q++) at[q + 2] += at[q + 1];
	vec_reserve(&order, p->nodes.n + 1ull);
	for (uint32_t i = 0; i < p->nodes.n; i++) order.at[at[p->nodes.at[i].lex_state + 1]++] = i;
	for (uint32_t q = 0; q < n_states; q++) {
		of[q].first = all.n, of[q].flags = p->no_mark[q] ? REGEX_NO_MARK : 0;
		for (uint32_t k = at[q]; k < at[q + 1]; k++) {
			const struct product_node *x = &p->nodes.at[order.at[k]];
			if (x->first_target == SIZE_MAX) continue;
			const struct product_row row = p->rows.at[x->row];
			for (uint32_t i = 0; i < row_groups(&row); i++) {
				const struct product_group *g = row_group(p, &row, i);
				const struct product_targets *t = &p->targets.at[x->first_target + i];
				for (uint32_t j = g->first; j < g->first + g->n; j++) {
					uint32_t token = p->tokens.at[j], last = group_last(p, g, token);
					if (bits_test(seen, token) || !row_counts(p, &row, i, token) ||
					    !(is_dead(p, t->begins, last) || is_dead(p, t->goes_on, last)))
						continue;
					bits_set(seen, token);
					vec_push(&all, ((struct artifact_candidate){token, g->to}));
				}
			}
		}
		for (uint32_t i = of[q].first; i < all.n; i++) bits_reset(seen, all.at[i].token);
		if (all.n > of[q].first) qsort(all.at + of[q].first, all.n - of[q].first, sizeof *all.at, by_candidate);
	}
	of[n_states].first = all.n;
	struct artifact_candidate *candidates = arena_array(&p->arena, all.n, sizeof *candidates);
	if (all.n) memcpy(candidates, all.at, all.n * sizeof *candidates);
	p->file.of = of, p->file.candidates = candidates;
	p->file.info.n_candidates = all.n, p->counts.candidates = all.n;
	vec_release(&all), vec_release(&order);
	free(at), free(seen);
}

uint32_t product_sections(struct product *p, struct canon_section out[REGEX_SECTIONS])
{
	struct artifact_regex *info = &p->file.info;
	if (!p->file.of) {
		list_candidates(p);
		p->file.dead = arena_array(&p->arena, p->counts.dead, sizeof *p->file.dead);
		while (!list_keys(p, info->seed, p->file.dead)) info->seed++;
		info->n_dead = (uint32_t)p->counts.dead, info->n_reached = p->counts.reached, info->n_nodes = p->counts.nodes;
	}
	const struct canon_section all[REGEX_SECTIONS] = {
		{SECTION_REGEX, info, sizeof *info},
		{SECTION_REGEX_STATE, p->file.of, (p->dfa->n_states + 1ull) * sizeof *p->file.of},
		{SECTION_REGEX_CANDIDATE, p->file.candidates, info->n_candidates * sizeof *p->file.candidates},
		{SECTION_REGEX_DEAD, p->file.dead, info->n_dead * sizeof *p->file.dead},
		{SECTION_REGEX_PREFIX_CLASS, p->alike, REGEX_N_PREFIX_CLASS * sizeof *p->alike},
	};
	memcpy(out, all, sizeof all);
	return REGEX_SECTIONS;
}
