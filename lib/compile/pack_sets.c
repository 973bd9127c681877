// Token sets as mask rows and sparse words.
//
// In:  the tokensets that starts and edges name. Out: SET, DENSE, SPARSE; starts and edges renamed to rows of SET.
// A small set is a list of (word, bits); a large one is a dense row, or a dense row that is there already and lies
// inside it, plus the words where it has more. The runtime copies one row and ORs a few words.
// Cost: rows compared with the last MAX_BASES dense ones.
#include "pack.h"

#include "../../formats/artifact.h"

#define MAX_SPARSE 256u  // words; ORing so many costs about as much as copying a row of 16 KB
#define MAX_BASES 128u   // dense rows tried as a base
#define MAX_EXTRA 24u     // words a set may have beyond its base: more rows would cost bytes, more words time

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
	VEC(struct artifact_sparse) sparse;
	VEC(struct kept_set) kept;
	struct arena scratch;
	uint32_t *row;   // the set at hand
	uint32_t *used;  // words of `row` that are not zero
	uint32_t n_used;
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
	if (n && r[n - 1].to > p->v->n_ranks) {
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

// A dense row inside the set, with the fewest words to add; ARTIFACT_NONE when none is near.
static uint32_t find_base(const struct packer *p)
{
	uint32_t n_dense = p->words ? p->dense.n / p->words : 0, best = ARTIFACT_NONE, best_extra = MAX_EXTRA + 1;
	for (uint32_t i = n_dense > MAX_BASES ? n_dense - MAX_BASES : 0; i < n_dense; i++) {
		const uint32_t *base = p->dense.at + (size_t)i * p->words;
		uint32_t extra = 0;
		for (uint32_t w = 0; w < p->words && extra < best_extra; w++)
			extra = base[w] & ~p->row[w] ? UINT32_MAX : extra + (base[w] != p->row[w]);
		if (extra < best_extra) best = i, best_extra = extra;
	}
	return best;
}

static uint32_t add_set(struct packer *p, const struct tokensets *t, set_id s)
{
	struct artifact_set x = unpack(p, t, s);
	x.at = p->sparse.n;
	if (p->n_used > MAX_SPARSE || p->n_used > p->words / 2) {
		x.dense = find_base(p);
		if (x.dense == ARTIFACT_NONE) {
			x.dense = p->dense.n / p->words;
			for (uint32_t w = 0; w < p->words; w++) vec_push(&p->dense, p->row[w]);
		}
	}
	const uint32_t *base = x.dense == ARTIFACT_NONE ? NULL : p->dense.at + (size_t)x.dense * p->words;
	for (uint32_t i = 0; i < p->n_used; i++) {
		uint32_t w = p->used[i];
		if (!base || base[w] != p->row[w]) vec_push(&p->sparse, ((struct artifact_sparse){w, p->row[w]}));
	}
	x.n = p->sparse.n - x.at;
	vec_push(&p->sets, x);
	return p->sets.n - 1;
}

void pack_sets(struct tables *t, const struct vocab *v, struct compiled *out)
{
	struct packer p = {.v = v, .words = (v->n_tokens + 31) / 32};
	p.row = mem_calloc(p.words, sizeof *p.row);
	p.used = mem_calloc(p.words, sizeof *p.used);
	uint32_t *number = mem_calloc(t->sets.sets.entries.n, sizeof *number);
	memset(number, 0xff, t->sets.sets.entries.n * sizeof *number);
	number[SET_EMPTY] = add_set(&p, &t->sets, SET_EMPTY);
	for (uint32_t i = 0; i < t->starts.n; i++) {
		set_id *s = &t->starts.at[i].tokens;
		if (number[*s] == UINT32_MAX) number[*s] = add_set(&p, &t->sets, *s);
		*s = number[*s];
	}
	for (uint32_t i = 0; i < t->edges.n; i++) {
		set_id *s = &t->edges.at[i].tokens;
		if (number[*s] == UINT32_MAX) number[*s] = add_set(&p, &t->sets, *s);
		*s = number[*s];
	}
	struct artifact_image *m = &out->image;
	m->info.n_sets = p.sets.n, m->info.n_sparse = p.sparse.n;
	m->info.n_dense = p.words ? p.dense.n / p.words : 0;
	m->sets = memcpy(arena_array(&out->arena, p.sets.n, sizeof *p.sets.at), p.sets.at, p.sets.n * sizeof *p.sets.at);
	uint32_t *dense = arena_array(&out->arena, p.dense.n, sizeof *dense);
	struct artifact_sparse *sparse = arena_array(&out->arena, p.sparse.n, sizeof *sparse);
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
	free(number);
}
