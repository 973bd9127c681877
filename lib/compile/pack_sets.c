// Token sets as mask rows and sparse words.
//
// In:  the tokensets that starts and edges name. Out: SET, DENSE, SPARSE; starts and edges renamed to rows of SET.
// A small set is a list of tokens; a large one is a dense row, or a dense row that is there already and the tokens in
// which it differs from it. The runtime copies one row and flips a few bits.
// Sets are taken in batches: they are compared with the dense rows there are by several threads, then one after the
// other with those that the batch itself has added. Batches do not depend on the number of threads, nor does the
// result. All are compared by ranks: sets of few ranges (tokenset.h) as ranges, others bit by bit. Rows are written by
// the numbers of tokens at the end, and only those that are dense.
// Cost: sets compared with the dense rows of about the same size whose profiles (set_profile.h) are near.
#include "pack.h"
#include "set_profile.h"

#include "../base/bitset.h"
#include "../base/parallel.h"
#include "../base/sort.h"
#include "../base/work.h"

#include "../../formats/artifact.h"

#define MAX_SPARSE 160u  // tokens of a set without a row: rows cost bytes, flips time
#define MAX_FLIPS 192u   // of a set with one
#define MAX_BASES 2048u  // dense rows tried as a base
#define BATCH 256u
#define MAX_RANGES 512u  // of a set that is compared as ranges
static_assert(MAX_SPARSE <= ARTIFACT_MAX_FLIPS && MAX_FLIPS <= ARTIFACT_MAX_FLIPS, "what the format allows");

typedef VEC(uint32_t) words;

#define JOB_NONE UINT32_MAX
#define NEAR_TOKENS 32u  // in which a set may differ from the one that it is told from

// A set on its way into the artifact.
struct job {
	set_id set;
	uint32_t near;                // a job before it that differs in a few tokens, or JOB_NONE
	bool is_near;                 // so it is: `tokens` are those in which it differs from that one
	struct artifact_set x;        // its parts; then all of it
	struct set_profile *profile;  // the batch's
	uint32_t base_n;              // tokens in which it differs from row x.dense
	bool is_small;                // a list of tokens
	bits *ranks;                  // NULL: small, or of few ranges
	words tokens;                 // the list, or the flips
};

// What a dense row is.
struct dense_set {
	set_id set;
	uint32_t flags, count;
	struct set_profile profile;
};

// What one thread needs.
struct maker {
	rank_ranges ranges;         // scratch
	bits *has, *some;           // scratch of a sort: [tokens], [words of has], all 0 in between; NULL: not used yet
	uint32_t n_noted;           // tokens in it
	uint16_t apart[MAX_BASES];  // [row - the first that is tried] ranks in which a set differs from it, at least
};

struct packer {
	const struct vocab *v;
	const struct tokensets *t;
	uint32_t words;  // a mask row
	uint32_t rank_words;
	uint32_t n_threads;
	struct maker *maker;
	VEC(struct job) jobs;
	uint32_t first, end;          // the batch
	struct set_profile *profile;  // of its sets
	uint32_t shift;               // of profiles
	VEC(uint32_t) number;         // [set_id] job, or JOB_NONE; those behind its end have none
	VEC(struct artifact_set) sets;
	VEC(bits) dense;  // ranks
	VEC(struct dense_set) dense_sets;
	uint32_t *rows;  // the same by numbers of tokens
	struct intern lists;
	VEC(uint32_t) list_at;  // [list] in SPARSE
	VEC(uint32_t) list_of;  // [set]
	uint32_t n_sparse;
};

// --- Bases -----------------------------------------------------------------------------------------------------------

#define BLOCK 32u  // words that are compared at once

// Ranks in which two sets differ, counted until `enough`.
static uint32_t differences(const bits *a, const bits *b, uint32_t n, uint32_t enough)
{
	uint32_t found = 0;
	for (uint32_t from = 0; from < n && found < enough; from += BLOCK) {
		const uint32_t to = n - from < BLOCK ? n : from + BLOCK;
		for (uint32_t i = from; i < to; i++) found += bits_of_word(a[i] ^ b[i]);
	}
	return found;
}

static bool is_list(const struct packer *p, set_id s)
{
	uint32_t n;
	return !tokensets_bits(p->t, s, &n);
}

// The ranks that one of two sets has and the other has not, range by range: both are lists. An edge is where a range
// begins or ends, so behind an odd number of edges one is inside.
struct apart {
	const uint32_t *a, *b;  // edges, ascending
	uint32_t n_a, n_b, i, k;
	uint32_t at, end;  // ranks below `at` are done; end of them all
};

static struct apart apart_of(const struct packer *p, set_id a, set_id b)
{
	struct apart x = {.end = p->v->n_ranks};
	x.a = &tokensets_get(p->t, a, NULL, &x.n_a)->from, x.n_a *= 2;
	x.b = &tokensets_get(p->t, b, NULL, &x.n_b)->from, x.n_b *= 2;
	return x;
}

// How many numbers two lists have alike at their beginnings, of n at most. Four are compared at once.
static uint32_t alike(const uint32_t *a, const uint32_t *b, uint32_t n)
{
	uint32_t i = 0;
	for (bits x[2], y[2]; n - i >= 4; i += 4) {
		memcpy(x, a + i, sizeof x), memcpy(y, b + i, sizeof y);
		if ((x[0] ^ y[0]) | (x[1] ^ y[1])) break;
	}
	while (i < n && a[i] == b[i]) i++;
	return i;
}

static bool apart_next(struct apart *x, struct rank_range *r)
{
	while (x->at < x->end) {
		const bool is_apart = (x->i ^ x->k) & 1;
		const uint32_t left_a = x->n_a - x->i, left_b = x->n_b - x->k,
					   same = is_apart ? 0 : alike(x->a + x->i, x->b + x->k, left_a < left_b ? left_a : left_b);
		x->i += same, x->k += same;
		const uint32_t a = x->i < x->n_a ? x->a[x->i] : UINT32_MAX, b = x->k < x->n_b ? x->b[x->k] : UINT32_MAX,
					   from = x->at, edge = a < b ? a : b;
		x->i += a == edge, x->k += b == edge;
		x->at = edge;
		if (!is_apart) continue;
		*r = (struct rank_range){from, edge < x->end ? edge : x->end};
		return true;
	}
	return false;
}

static uint32_t apart_ranks(const struct packer *p, const struct job *j, const struct dense_set *d, uint32_t enough)
{
	struct apart x = apart_of(p, j->set, d->set);
	struct rank_range r;
	uint32_t found = 0;
	while (found < enough && apart_next(&x, &r)) found += r.to - r.from;
	return found;
}

static void make_ranks(const struct packer *p, struct maker *m, struct job *j)
{
	uint32_t n;
	const struct rank_range *r = tokensets_get(p->t, j->set, &m->ranges, &n);
	j->ranks = mem_calloc(p->rank_words, sizeof *j->ranks);
	for (uint32_t i = 0; i < n && r[i].from < p->v->n_ranks; i++)
		bits_set_range(j->ranks, r[i].from, r[i].to < p->v->n_ranks ? r[i].to : p->v->n_ranks);
}

static const bits *dense_ranks(const struct packer *p, uint32_t at) { return p->dense.at + (size_t)at * p->rank_words; }

// Takes dense row `at` as the job's base if fewer tokens are to be flipped, of equal ones the first.
static bool try_base(const struct packer *p, struct maker *m, struct job *j, uint32_t at)
{
	const struct dense_set *d = &p->dense_sets.at[at];
	uint32_t a = d->count, b = j->x.count, limit = j->base_n + (at < j->x.dense ? 1 : 0);
	if ((a > b ? a - b : b - a) >= limit) return false;
	if (!j->ranks && !is_list(p, d->set)) make_ranks(p, m, j);
	uint32_t n = (j->x.flags ^ d->flags) & SET_EOS ? p->v->n_eos : 0;  // EOS tokens have no ranks
	if (n >= limit) return false;
	n += j->ranks ? differences(dense_ranks(p, at), j->ranks, p->rank_words, limit - n)
	              : apart_ranks(p, j, d, limit - n);
	if (n >= limit) return false;
	j->x.dense = at, j->base_n = n;
	return true;
}

// The dense rows from `first` on. The one whose profile is nearest is compared first: then most others need not be.
static bool try_bases(const struct packer *p, struct maker *m, struct job *j, uint32_t first)
{
	const struct dense_set *d = p->dense_sets.at + first;
	const uint32_t n = p->dense_sets.n - first;
	uint32_t nearest = 0;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t more = d[i].count > j->x.count ? d[i].count - j->x.count : j->x.count - d[i].count;
		m->apart[i] = more > j->base_n ? UINT16_MAX : (uint16_t)set_profile_apart(j->profile, &d[i].profile);
		if (m->apart[i] < m->apart[nearest]) nearest = i;
	}
	bool better = n && try_base(p, m, j, first + nearest);
	for (uint32_t i = 0; i < n; i++)
		if (m->apart[i] <= j->base_n) better |= try_base(p, m, j, first + i);
	return better;
}

// Tokens are noted as bits, which put them in order.
static void note_token(struct maker *m, token_id id)
{
	m->n_noted += !bits_test(m->has, id);
	bits_set(m->has, id), bits_set(m->some, id / 64);
}

static void note_ranks(const struct packer *p, struct maker *m, struct rank_range r)
{
	for (uint32_t rank = r.from; rank < r.to && rank < p->v->n_ranks; rank++) note_token(m, p->v->token_of[rank]);
}

static void note_eos(const struct packer *p, struct maker *m)
{
	for (uint32_t e = 0; e < p->v->n_eos; e++) note_token(m, p->v->eos[e]);
}

static void begin_tokens(const struct packer *p, struct maker *m)
{
	const uint32_t n_words = BITS_WORDS(p->v->n_tokens);
	if (!m->has)
		m->has = mem_calloc(n_words + 1, sizeof *m->has),
		m->some = mem_calloc(BITS_WORDS(n_words) + 1, sizeof *m->some);
}

// Gives the job the tokens that were noted.
static void take_tokens(const struct packer *p, struct maker *m, struct job *j)
{
	vec_clear(&j->tokens);
	vec_reserve(&j->tokens, m->n_noted);
	uint32_t *to = j->tokens.at;
	j->tokens.n = m->n_noted, m->n_noted = 0;
	for (uint32_t s = 0, n_some = BITS_WORDS(BITS_WORDS(p->v->n_tokens)); s < n_some; m->some[s++] = 0)
		for (bits words_left = m->some[s]; words_left; words_left &= words_left - 1) {
			const uint32_t w = s * 64 + (uint32_t)__builtin_ctzll(words_left);
			for (bits left = m->has[w]; left; left &= left - 1) *to++ = w * 64 + (uint32_t)__builtin_ctzll(left);
			m->has[w] = 0;
		}
}

static void find_flips(const struct packer *p, struct maker *m, struct job *j)
{
	const struct dense_set *d = &p->dense_sets.at[j->x.dense];
	begin_tokens(p, m);
	if ((j->x.flags ^ d->flags) & SET_EOS) note_eos(p, m);
	if (j->ranks) {
		const bits *base = dense_ranks(p, j->x.dense);
		for (uint32_t w = 0; w < p->rank_words; w++)
			for (bits apart = base[w] ^ j->ranks[w]; apart; apart &= apart - 1)
				note_token(m, p->v->token_of[w * 64 + (uint32_t)__builtin_ctzll(apart)]);
	} else {
		struct apart x = apart_of(p, j->set, d->set);
		struct rank_range r;
		while (apart_next(&x, &r)) note_ranks(p, m, r);
	}
	take_tokens(p, m, j);
}

// --- Batches ---------------------------------------------------------------------------------------------------------

static bool is_small(const struct packer *p, uint32_t count) { return count <= MAX_SPARSE && count <= p->words / 2; }

static void make_small(const struct packer *p, struct maker *m, struct job *j, const struct rank_range *r, uint32_t n)
{
	j->is_small = true;
	begin_tokens(p, m);
	for (uint32_t i = 0; i < n; i++) note_ranks(p, m, r[i]);
	if (j->x.flags & SET_EOS) note_eos(p, m);
	take_tokens(p, m, j);
}

// May the text end here, as its set says?
static bool may_end(const struct packer *p, const struct rank_range *r, uint32_t n)
{
	while (n && r[n - 1].from > p->v->n_ranks) n--;
	return n && r[n - 1].to > p->v->n_ranks;
}

// The tokens in which it differs from the job that it is near to, where these are few.
static bool make_near(const struct packer *p, struct maker *m, struct job *j)
{
	if (j->near == JOB_NONE || !is_list(p, j->set) || !is_list(p, p->jobs.at[j->near].set)) return false;
	uint32_t n;
	const struct rank_range *r = tokensets_get(p->t, p->jobs.at[j->near].set, NULL, &n);
	if (may_end(p, r, n) != !!(j->x.flags & SET_EOS)) return false;
	struct apart x = apart_of(p, j->set, p->jobs.at[j->near].set);
	struct rank_range apart;
	begin_tokens(p, m);
	for (n = 0; n <= NEAR_TOKENS && apart_next(&x, &apart); n += apart.to - apart.from)
		if (n + apart.to - apart.from <= NEAR_TOKENS) note_ranks(p, m, apart);
	take_tokens(p, m, j);
	return n <= NEAR_TOKENS;
}

// Its list, or its ranks where it has many ranges; and the nearest of the dense rows before this batch.
static void make_alone(const struct packer *p, struct maker *m, struct job *j)
{
	uint32_t n, n_dense = p->dense_sets.n;
	const struct rank_range *r = tokensets_get(p->t, j->set, &m->ranges, &n);
	j->x.dense = ARTIFACT_NONE, j->base_n = MAX_FLIPS + 1;
	if (is_small(p, j->x.count)) {
		make_small(p, m, j, r, n);
		return;
	}
	if (n > MAX_RANGES || !is_list(p, j->set)) make_ranks(p, m, j);
	if (try_bases(p, m, j, n_dense > MAX_BASES ? n_dense - MAX_BASES : 0)) find_flips(p, m, j);
}

// The set's count, whether the text may end, and its tokens.
static void make(const struct packer *p, struct maker *m, struct job *j)
{
	uint32_t n, n_ranks = p->v->n_ranks;
	const struct rank_range *r = tokensets_get(p->t, j->set, &m->ranges, &n);
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t to = r[i].to < n_ranks ? r[i].to : n_ranks;
		if (r[i].from < n_ranks) {
			j->x.count += to - r[i].from;
			set_profile_add(j->profile, p->shift, r[i].from, to);
		}
		if (r[i].from <= n_ranks && r[i].to > n_ranks) j->x.flags |= SET_EOS;
	}
	if (j->x.flags & SET_EOS) j->x.count += p->v->n_eos;  // control tokens: in no range
	j->is_near = make_near(p, m, j);
	if (!j->is_near) make_alone(p, m, j);
}

static void make_batch(void *context, uint32_t i)
{
	const struct packer *p = context;
	uint32_t n = p->end - p->first, from = p->first + n * i / p->n_threads, to = p->first + n * (i + 1) / p->n_threads;
	for (uint32_t k = from; k < to; k++) make(p, &p->maker[i], &p->jobs.at[k]);
}

// A new dense row, or the nearest one.
static void take_base(struct packer *p, struct job *j, uint32_t first_new)
{
	if (try_bases(p, &p->maker[0], j, first_new)) find_flips(p, &p->maker[0], j);
	if (j->x.dense != ARTIFACT_NONE) return;
	if (!j->ranks) make_ranks(p, &p->maker[0], j);
	j->x.dense = p->dense_sets.n, j->tokens.n = 0;
	vec_reserve(&p->dense, (uint64_t)p->dense.n + p->rank_words);
	memcpy(p->dense.at + p->dense.n, j->ranks, p->rank_words * sizeof *j->ranks);
	p->dense.n += p->rank_words;
	vec_push(&p->dense_sets, ((struct dense_set){j->set, j->x.flags, j->x.count, *j->profile}));
}

// The numbers that are in one of two ascending lists only, ascending, into `to`, which has room for both; how many.
static uint32_t list_differences(uint32_t *to, const uint32_t *a, uint32_t n_a, const uint32_t *b, uint32_t n_b)
{
	uint32_t i = 0, made = 0;
	for (uint32_t k = 0; k < n_b; k++) {
		while (i < n_a && a[i] < b[k]) to[made++] = a[i++];
		if (i < n_a && a[i] == b[k])
			i++;
		else
			to[made++] = b[k];
	}
	if (i < n_a) memcpy(to + made, a + i, (n_a - i) * sizeof *to);
	return made + n_a - i;
}

// The row and the list of the set that it is near to, but for the tokens in which they differ. False: these are too
// many flips, or only one of the two has a row.
static bool take_near(struct packer *p, struct job *j)
{
	const struct artifact_set *near = &p->sets.at[j->near];
	const bool is_list = near->dense == ARTIFACT_NONE;
	if (is_list != is_small(p, j->x.count)) return false;
	const uint32_t *a = intern_get(&p->lists, p->list_of.at[j->near], NULL), *b = j->tokens.at, n_a = near->n,
				   n_b = j->tokens.n;
	words tokens = {0};
	vec_reserve(&tokens, (uint64_t)n_a + n_b);
	tokens.n = list_differences(tokens.at, a, n_a, b, n_b);
	if (tokens.n > (is_list ? MAX_SPARSE : MAX_FLIPS)) {
		vec_release(&tokens);
		return false;
	}
	vec_release(&j->tokens);
	j->tokens = tokens, j->x.dense = near->dense;
	return true;
}

// Equal lists are stored once.
static uint32_t add_list(struct packer *p, const words *tokens)
{
	bool is_new;
	const uint32_t list = intern_add(&p->lists, tokens->at, tokens->n * sizeof *tokens->at, &is_new);
	if (is_new) vec_push(&p->list_at, p->n_sparse);
	if (is_new && __builtin_add_overflow(p->n_sparse, tokens->n, &p->n_sparse)) work_out_of_memory(SIZE_MAX);
	return list;
}

static void emit(struct packer *p, struct job *j, uint32_t first_new)
{
	const bool is_near = j->is_near && take_near(p, j);
	if (j->is_near && !is_near) make_alone(p, &p->maker[0], j);
	if (!is_near && !j->is_small) take_base(p, j, first_new);
	const uint32_t list = add_list(p, &j->tokens);
	j->x.at = p->list_at.at[list], j->x.n = j->tokens.n;
	vec_push(&p->list_of, list);
	vec_push(&p->sets, j->x);
	vec_release(&j->tokens);
	free(j->ranks);
}

// All jobs that are not made yet.
static void make_jobs(struct packer *p)
{
	for (; p->first < p->jobs.n; p->first = p->end) {
		uint32_t first_new = p->dense_sets.n;
		p->end = p->jobs.n - p->first > BATCH ? p->first + BATCH : p->jobs.n;
		memset(p->profile, 0, (p->end - p->first) * sizeof *p->profile);
		for (uint32_t k = p->first; k < p->end; k++) p->jobs.at[k].profile = &p->profile[k - p->first];
		parallel_run(p->n_threads, make_batch, p);
		for (uint32_t k = p->first; k < p->end; k++) emit(p, &p->jobs.at[k], first_new);
	}
}

static void release_makers(struct packer *p)
{
	for (uint32_t i = 0; i < p->n_threads; i++) {
		vec_release(&p->maker[i].ranges);
		free(p->maker[i].has), free(p->maker[i].some);
	}
	free(p->maker);
}

// --- Out -------------------------------------------------------------------------------------------------------------

static uint32_t *row_at(const struct packer *p, uint32_t at) { return p->rows + (size_t)at * p->words; }

// The row from `first` on whose profile is nearest to that of row k, which is behind it.
static uint32_t nearest_row(const struct packer *p, uint32_t first, uint32_t k)
{
	uint32_t nearest = first, least = UINT32_MAX;
	for (uint32_t i = first; i < k; i++) {
		const uint32_t apart = set_profile_apart(&p->dense_sets.at[i].profile, &p->dense_sets.at[k].profile);
		if (apart < least) least = apart, nearest = i;
	}
	return nearest;
}

static void flip_token(uint32_t *row, token_id id) { row[id / 32] ^= 1u << (id % 32); }

// A share of the dense rows, each from the nearest one before it in the share; the first from no tokens.
static void write_rows(void *context, uint32_t i)
{
	const struct packer *p = context;
	const uint32_t n = p->dense_sets.n, first = n * i / p->n_threads;
	for (uint32_t k = first; k < n * (i + 1) / p->n_threads; k++) {
		const uint32_t near = nearest_row(p, first, k);
		const bits *ranks = dense_ranks(p, k), *near_ranks = dense_ranks(p, near);
		uint32_t *row = row_at(p, k), eos = p->dense_sets.at[k].flags;
		if (k > first) {
			memcpy(row, row_at(p, near), p->words * sizeof *row);
			eos ^= p->dense_sets.at[near].flags;
		}
		for (uint32_t w = 0; w < p->rank_words; w++)
			for (bits left = k > first ? ranks[w] ^ near_ranks[w] : ranks[w]; left; left &= left - 1)
				flip_token(row, p->v->token_of[w * 64 + (uint32_t)__builtin_ctzll(left)]);
		for (uint32_t e = 0; e < p->v->n_eos && eos & SET_EOS; e++) flip_token(row, p->v->eos[e]);
	}
}

static const uint32_t *write_lists(const struct packer *p, struct compiled *out)
{
	uint32_t *sparse = arena_array(&out->arena, p->n_sparse, sizeof *sparse);
	for (uint32_t list = 0; list < p->list_at.n; list++) {
		uint32_t len;
		const void *tokens = intern_get(&p->lists, list, &len);
		memcpy(sparse + p->list_at.at[list], tokens, len);
	}
	return sparse;
}

static void write_sets(const struct packer *p, struct compiled *out)
{
	struct artifact_image *m = &out->image;
	struct artifact_set *sets = arena_array(&out->arena, p->sets.n, sizeof *sets);
	m->sets = memcpy(sets, p->sets.at, p->sets.n * sizeof *sets);
	m->info.n_sets = p->sets.n, m->info.n_sparse = p->n_sparse;
}

static uint32_t known_number(const struct packer *p, set_id s) { return s < p->number.n ? p->number.at[s] : JOB_NONE; }

// The row of SET that a set will have; its parts come before it.
// `near`: the row of one that differs from it in few tokens, or JOB_NONE.
static uint32_t number_of(struct packer *p, struct tokensets *t, set_id s, uint32_t near)
{
	const uint32_t known = known_number(p, s);
	if (known != JOB_NONE) return known;
	struct job j = {.set = s, .near = near};
	const uint32_t part = p->v->n_ranks + 1;
	if (tokensets_end(t, s) > part) {
		set_id maybe = tokensets_part(t, s, PART_MAYBE * part, N_PARTS * part);
		j.x.maybe =
			number_of(p, t, tokensets_without(t, maybe, s), JOB_NONE);  // what is allowed in any case need not be tried
	}
	while (p->number.n <= s) vec_push(&p->number, JOB_NONE);
	p->number.at[s] = p->jobs.n;
	vec_push(&p->jobs, j);
	return p->jobs.n - 1;
}

// Starts as they are numbered.
struct numbering {
	struct packer *p;
	struct tables *t;
	const struct lexer *x;
	bits *done;  // [starts]
};

// The state behind q in its stretch of a chain (lexer.h), or LEX_DEAD.
static lex_state next_in_chain(const struct lexer *x, lex_state q)
{
	const struct lexer_chains *h = &x->chains;
	const uint32_t place = h->n ? h->place[q] : UINT32_MAX;
	if (place == UINT32_MAX || place + 1 >= h->n || h->first[place] == UINT32_MAX) return LEX_DEAD;
	return h->first[place] == h->first[place + 1] ? h->members[place + 1] : LEX_DEAD;
}

// Starts along a chain differ in few tokens: these come one after the other. base: of q in context c.
static void number_chain(struct numbering *n, lex_state q, uint32_t c, uint32_t base, uint32_t rank)
{
	uint32_t near = JOB_NONE;
	while (base != LIVE_NO_START && !bits_test(n->done, base + rank)) {
		struct table_start *start = &n->t->starts.at[base + rank];
		bits_set(n->done, base + rank);
		near = start->tokens = number_of(n->p, &n->t->sets, start->tokens, near);
		q = next_in_chain(n->x, q);
		base = q != LEX_DEAD ? live_pairs_start(&n->t->live, q, c) : LIVE_NO_START;
	}
}

// Those that are of a lexer state and of a top first, then those of lines.
static void number_starts(struct packer *p, struct tables *t, const struct lexer *x, const struct lr *lr)
{
	uint32_t *n_tops = mem_calloc(x->n_contexts, sizeof *n_tops);
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s++) n_tops[lr->context_of[s]] += lr->between_lexemes[s];
	struct numbering n = {p, t, x, mem_calloc(BITS_WORDS(t->starts.n) + 1, sizeof *n.done)};
	for (lex_state q = 1; q < x->n_states; q++)
		for (uint32_t i = t->live.at[q]; i < t->live.at[q + 1]; i++) {
			const struct live_pair here = t->live.pair.at[i];
			for (uint32_t rank = 0; rank < n_tops[here.context]; rank++)
				number_chain(&n, q, here.context, here.start, rank);
		}
	for (uint32_t i = 0; i < t->starts.n; i++)
		if (!bits_test(n.done, i)) t->starts.at[i].tokens = number_of(p, &t->sets, t->starts.at[i].tokens, JOB_NONE);
	free(n.done);
	free(n_tops);
}

// What masks leave out: along a chain few tokens more from state to state.
static void number_without(struct packer *p, struct tables *t, uint32_t n_states)
{
	uint32_t near = JOB_NONE;
	set_id *without = t->shared.without;
	for (lex_state q = 1; q < n_states && without; q++)
		if (without[q] != SET_EMPTY) near = without[q] = number_of(p, &t->sets, without[q], near);
}

// The sets of a step under a budget; those of the step before it in a chain, part by part, differ from them in few
// tokens.
static void number_step(struct packer *p, struct tables *t, const struct budget_step *x,
                        const struct budget_step *before)
{
	const struct budget_steps *b = &t->budget_steps;
	for (uint32_t k = 0; k < x->n_parts; k++) {
		const struct budget_ladder none = {0}, here = b->ladders.at[b->parts.at[x->first_part + k].ladder],
								   last = before->n_parts == x->n_parts
		                                      ? b->ladders.at[b->parts.at[before->first_part + k].ladder]
		                                      : none;
		for (uint32_t i = 0; i < here.n; i++) {
			const set_id near = last.n == here.n ? b->levels.at[last.first + i].tokens : SET_EMPTY;
			number_of(p, &t->sets, b->levels.at[here.first + i].tokens,
			          near == SET_EMPTY ? JOB_NONE : known_number(p, near));
		}
	}
}

// Those of all steps that a node has, beside a node before it in a chain. done: [nodes]
static void number_steps(struct packer *p, struct tables *t, uint32_t node, uint32_t before, bits *done)
{
	const struct budget_steps *b = &t->budget_steps;
	if (bits_test(done, node)) return;
	bits_set(done, node);
	const struct budget_node *x = &b->nodes.at[node], *y = &b->nodes.at[before];
	number_step(p, t, &b->steps.at[x->other], &b->steps.at[y->other]);
	for (uint32_t i = x->first, k = y->first; i < x->first + x->n; i++) {
		while (k < y->first + y->n && b->edges.at[k].class < b->edges.at[i].class) k++;
		const bool is_there = k < y->first + y->n && b->edges.at[k].class == b->edges.at[i].class;
		number_step(p, t, &b->steps.at[b->edges.at[i].step], &b->steps.at[is_there ? b->edges.at[k].step : y->other]);
	}
}

static void number_chains_of_steps(struct packer *p, struct tables *t, const struct lexer *x)
{
	const uint32_t *start = t->budget_steps.start;
	bits *done = mem_calloc(BITS_WORDS(t->budget_steps.nodes.n) + 1, sizeof *done);
	for (lex_state q = 1, next; q < x->n_states && start; q++) {
		if ((next = next_in_chain(x, q)) == LEX_DEAD || start[q] == STEPS_NONE || start[next] == STEPS_NONE) continue;
		number_steps(p, t, start[q], start[q], done);
		number_steps(p, t, start[next], start[q], done);
	}
	free(done);
}

void pack_sets(struct tables *t, const struct lexer *x, const struct lr *lr, const struct vocab *v, uint32_t n_threads,
               struct compiled *out)
{
	struct packer p = {.v = v, .t = &t->sets, .words = (v->n_tokens + 31) / 32, .n_threads = n_threads};
	p.rank_words = BITS_WORDS(v->n_ranks), p.shift = set_profile_shift(v->n_ranks);
	number_of(&p, &t->sets, SET_EMPTY, JOB_NONE);
	number_starts(&p, t, x, lr);
	number_without(&p, t, x->n_states);
	for (uint32_t i = 0; i < t->edges.n; i++)
		t->edges.at[i].tokens = number_of(&p, &t->sets, t->edges.at[i].tokens, JOB_NONE);
	for (uint32_t i = 0; i < t->nodes.n; i++)
		t->nodes.at[i].tokens = number_of(&p, &t->sets, t->nodes.at[i].tokens, JOB_NONE);
	struct cost_groups *g = &t->costs.groups;
	for (uint32_t i = 0; i < g->stays.n; i++)
		g->stays.at[i].tokens = number_of(&p, &t->sets, g->stays.at[i].tokens, JOB_NONE);
	for (uint32_t i = 0; i < g->cuts.n; i++)
		g->cuts.at[i].tokens = number_of(&p, &t->sets, g->cuts.at[i].tokens, JOB_NONE);
	struct budget_steps *b = &t->budget_steps;
	number_chains_of_steps(&p, t, x);
	for (uint32_t i = 0; i < b->levels.n; i++)
		b->levels.at[i].tokens = number_of(&p, &t->sets, b->levels.at[i].tokens, JOB_NONE);
	p.maker = mem_calloc(n_threads, sizeof *p.maker);
	p.profile = mem_alloc(BATCH * sizeof *p.profile);
	make_jobs(&p);
	release_makers(&p);
	free(p.profile);
	struct artifact_image *m = &out->image;
	m->info.n_dense = p.dense_sets.n;
	write_sets(&p, out);
	p.rows = arena_array(&out->arena, (size_t)p.dense_sets.n * p.words, sizeof *p.rows);
	parallel_run(n_threads, write_rows, &p);
	m->dense = p.rows, m->sparse = write_lists(&p, out);
	vec_release(&p.jobs);
	vec_release(&p.sets);
	vec_release(&p.dense);
	vec_release(&p.dense_sets);
	vec_release(&p.number);
	intern_release(&p.lists);
	vec_release(&p.list_at);
	vec_release(&p.list_of);
}
