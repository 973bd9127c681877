// Token sets as mask rows and sparse words.
//
// In:  the tokensets that starts and edges name. Out: SET, DENSE, SPARSE; starts and edges renamed to rows of SET.
// A small set is a list of tokens; a large one is a dense row, or a dense row that is there already and the tokens in
// which it differs from it. The runtime copies one row and flips a few bits.
// Cost: rows compared with the dense ones; most comparisons end early.
#include "pack.h"

#include "../base/map64.h"

#include "../../formats/artifact.h"

#define MAX_SPARSE 160u  // tokens of a set without a row, and of the flips of one with: rows cost bytes, flips time
#define MAX_BASES 2048u  // dense rows tried as a base
static_assert(MAX_SPARSE <= ARTIFACT_MAX_FLIPS, "what the format allows");

#define MANY_RANGES 512u

struct kept_set {
	set_id set;
	const uint32_t *row;
};

struct packer {
	const struct vocab *v;
	uint32_t words;  // a mask row
	VEC(struct artifact_set) sets;
	VEC(uint32_t) dense;
	VEC(uint32_t) sparse;
	VEC(struct kept_set) kept;
	struct arena scratch;
	uint32_t *row;   // the set at hand
	uint32_t *used;  // words of `row` that are not zero
	uint32_t n_used;
	struct map64 number; // set_id -> row of SET
	struct intern lists;
	VEC(uint32_t) list_at;  // [list] in sparse
	uint32_t last_base;  // found for the set before: its neighbours are much alike
};

static void scatter(const struct packer *p, const struct rank_range *r, uint32_t n, uint32_t *row)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t rank = r[i].from; rank < r[i].to && rank < p->v->n_ranks; rank++) {
			token_id id = p->v->token_of[rank];
			row[id / 32] |= 1u << (id % 32);
		}
}

// The row of a set with many ranges, scattered once and kept: the large sets that others are made of are few.
static const uint32_t *kept_row(struct packer *p, set_id s, const struct rank_range *r, uint32_t n)
{
	for (uint32_t i = 0; i < p->kept.n; i++)
		if (p->kept.at[i].set == s) return p->kept.at[i].row;
	uint32_t *row = arena_array(&p->scratch, p->words, sizeof *row);
	scatter(p, r, n, row);
	vec_push(&p->kept, ((struct kept_set){s, row}));
	return row;
}

// p->row |= the set. A union is taken apart again: ORing rows is far cheaper than scattering ranks.
static void add_to_row(struct packer *p, const struct tokensets *t, set_id s)
{
	uint32_t n, n_parts;
	const set_id *parts = tokensets_parts(t, s, &n_parts);
	for (uint32_t i = 0; i < n_parts; i++) add_to_row(p, t, parts[i]);
	if (n_parts) return;
	const struct rank_range *r = tokensets_get(t, s, &n);
	if (n < MANY_RANGES) {
		scatter(p, r, n, p->row);
	} else {
		const uint32_t *row = kept_row(p, s, r, n);
		for (uint32_t w = 0; w < p->words; w++) p->row[w] |= row[w];
	}
}

// The set as a mask row; its count; whether the text may end.
static struct artifact_set unpack(struct packer *p, const struct tokensets *t, set_id s)
{
	struct artifact_set x = {.dense = ARTIFACT_NONE};
	memset(p->row, 0, p->words * sizeof *p->row);
	add_to_row(p, t, s);
	uint32_t n;
	const struct rank_range *r = tokensets_get(t, s, &n);
	for (uint32_t i = 0; i < n; i++) {
		if (r[i].from > p->v->n_ranks || r[i].to <= p->v->n_ranks) continue;
		x.flags |= SET_EOS;
		for (uint32_t e = 0; e < p->v->n_eos; e++) p->row[p->v->eos[e] / 32] |= 1u << (p->v->eos[e] % 32);
	}
	p->n_used = 0;
	for (uint32_t w = 0; w < p->words; w++)
		if (p->row[w]) {
			p->used[p->n_used++] = w;
			x.count += (uint32_t)__builtin_popcount(p->row[w]);
		}
	return x;
}

// Words in which two rows differ, counted until `enough`.
static uint32_t differences(const uint32_t *a, const uint32_t *b, uint32_t n, uint32_t enough)
{
	uint32_t found = 0, i = 0;
	for (; i + 64 <= n && found < enough; i += 64) {
		uint32_t here = 0;
		for (uint32_t j = i; j < i + 64; j++) here += a[j] != b[j];
		found += here;
	}
	for (; i < n && found < enough; i++) found += a[i] != b[i];
	return found;
}

// The dense row with the fewest words to flip, and not too many bits; ARTIFACT_NONE when none is near.
static uint32_t find_base(struct packer *p)
{
	uint32_t n_dense = p->words ? p->dense.n / p->words : 0, best = ARTIFACT_NONE, best_n = MAX_SPARSE + 1;
	uint32_t first = n_dense > MAX_BASES ? n_dense - MAX_BASES : 0;
	for (uint32_t i = first; i <= n_dense; i++) {
		uint32_t at = i == first ? p->last_base : i - 1;
		if (at >= n_dense) continue;
		uint32_t n = differences(p->dense.at + (size_t)at * p->words, p->row, p->words, best_n);
		if (n < best_n) best = at, best_n = n;
	}
	if (best == ARTIFACT_NONE) return best;
	uint32_t flips = 0;
	for (uint32_t w = 0; w < p->words; w++)
		flips += (uint32_t)__builtin_popcount(p->dense.at[(size_t)best * p->words + w] ^ p->row[w]);
	p->last_base = best;
	return flips <= ARTIFACT_MAX_FLIPS ? best : ARTIFACT_NONE;
}

static void push_tokens(struct packer *p, uint32_t word, uint32_t these)
{
	for (; these; these &= these - 1) vec_push(&p->sparse, word * 32 + (uint32_t)__builtin_ctz(these));
}

static uint32_t add_set(struct packer *p, const struct tokensets *t, set_id s)
{
	struct artifact_set x = unpack(p, t, s);
	x.at = p->sparse.n;
	if (x.count > MAX_SPARSE || x.count > p->words / 2) {
		x.dense = find_base(p);
		if (x.dense == ARTIFACT_NONE) {
			x.dense = p->dense.n / p->words;
			for (uint32_t w = 0; w < p->words; w++) vec_push(&p->dense, p->row[w]);
		}
	}
	const uint32_t *base = x.dense == ARTIFACT_NONE ? NULL : p->dense.at + (size_t)x.dense * p->words;
	for (uint32_t i = 0; i < p->n_used && !base; i++) push_tokens(p, p->used[i], p->row[p->used[i]]);
	for (uint32_t w = 0; w < p->words && base; w++) push_tokens(p, w, base[w] ^ p->row[w]);
	x.n = p->sparse.n - x.at;
	// Equal lists are stored once.
	bool is_new;
	uint32_t list = intern_add(&p->lists, p->sparse.at + x.at, x.n * sizeof *p->sparse.at, &is_new);
	if (is_new) vec_push(&p->list_at, x.at);
	else p->sparse.n = x.at, x.at = p->list_at.at[list];
	vec_push(&p->sets, x);
	return p->sets.n - 1;
}

// The row of SET for a set; made when it is asked for first.
static uint32_t number_of(struct packer *p, struct tokensets *t, set_id s)
{
	uint64_t known = map64_get(&p->number, s);
	if (known != MAP64_NONE) return (uint32_t)known;
	uint32_t n, part = p->v->n_ranks + 1, even = 0, alone = 0, maybe = 0;
	const struct rank_range *r = tokensets_get(t, s, &n);
	if (n && r[n - 1].to > part) {
		even = number_of(p, t, tokensets_part(t, s, PART_EVEN * part, PART_ALONE * part));
		alone = number_of(p, t, tokensets_part(t, s, PART_ALONE * part, PART_MAYBE * part));
		maybe = number_of(p, t, tokensets_part(t, s, PART_MAYBE * part, N_PARTS * part));
	}
	uint32_t k = add_set(p, t, s);
	p->sets.at[k].even = even, p->sets.at[k].alone = alone, p->sets.at[k].maybe = maybe;
	map64_put(&p->number, s, k);
	return k;
}

void pack_sets(struct tables *t, const struct vocab *v, struct compiled *out)
{
	struct packer p = {.v = v, .words = (v->n_tokens + 31) / 32};
	p.row = mem_calloc(p.words, sizeof *p.row);
	p.used = mem_calloc(p.words, sizeof *p.used);
	number_of(&p, &t->sets, SET_EMPTY);
	for (uint32_t i = 0; i < t->starts.n; i++) t->starts.at[i].tokens = number_of(&p, &t->sets, t->starts.at[i].tokens);
	for (uint32_t i = 0; i < t->edges.n; i++) t->edges.at[i].tokens = number_of(&p, &t->sets, t->edges.at[i].tokens);
	for (uint32_t i = 0; i < t->nodes.n; i++) t->nodes.at[i].tokens = number_of(&p, &t->sets, t->nodes.at[i].tokens);
	struct artifact_image *m = &out->image;
	m->info.n_sets = p.sets.n, m->info.n_sparse = p.sparse.n;
	m->info.n_dense = p.words ? p.dense.n / p.words : 0;
	m->sets = memcpy(arena_array(&out->arena, p.sets.n, sizeof *p.sets.at), p.sets.at, p.sets.n * sizeof *p.sets.at);
	uint32_t *dense = arena_array(&out->arena, p.dense.n, sizeof *dense);
	uint32_t *sparse = arena_array(&out->arena, p.sparse.n, sizeof *sparse);
	if (p.dense.n) memcpy(dense, p.dense.at, p.dense.n * sizeof *dense);
	if (p.sparse.n) memcpy(sparse, p.sparse.at, p.sparse.n * sizeof *sparse);
	m->dense = dense, m->sparse = sparse;
	vec_release(&p.kept);
	arena_release(&p.scratch);
	vec_release(&p.sets);
	vec_release(&p.dense);
	vec_release(&p.sparse);
	free(p.row);
	free(p.used);
	map64_release(&p.number);
	intern_release(&p.lists);
	vec_release(&p.list_at);
}
