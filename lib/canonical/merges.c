// Merges of one token, of two tokens, and the table that answers for all pairs.
//
// In:  merges with ranks, each token's first symbols. Out: struct merges; the arrays of JOIN, PLACE and the like.
//
// BPE merges the leftmost of the pairs with the lowest rank until there is none. Until a merge crosses the border
// between two tokens, each of them does what it does by itself; so a sequence is canonical exactly when each token by
// itself is, and each two neighbours are, for any ranks (theorem and proof: how_canonical_works.md). Two neighbours are
// tested by playing their two runs at once (merges_pair).
//
// The table: if x and y stand side by side and merge, that is the last merge of the text xy by itself, so every token z
// has one pair of parts (L(z), R(z)) that counts, and a time T(z), the highest rank on the way to it. With ascending
// ranks a and b do not go together exactly when some z = x y has x on a's right edge and y on b's left edge (a chain of
// R from a, of L from b), both still there at T(z): T(z) < T(of the link before x), T(z) <= T(of the link before y). In
// preorder of the tree of left parts, children by descending time, the b's with y on the edge and a late enough link
// before it are an interval: y and its first children's subtrees. Tokens whose ranks do not ascend are compared with
// merges_pair where they could meet, and differences are listed (patches).
// Cost: O(tokens x length²) hash look-ups for the runs, then linear but for sorting.
#include "merges.h"
#include "../shared/hash.h"
#include "../shared/search.h"

static const struct slot *find(const struct merges *m, uint32_t left, uint32_t right)
{
	uint64_t pair = (uint64_t)left << 32 | right;
	uint32_t i = (uint32_t)hash_add_fold(0, pair) & m->mask;
	while (m->slots[i].id != MERGES_NONE && m->slots[i].pair != pair) i = (i + 1) & m->mask;
	return &m->slots[i];
}

static uint32_t rank_of(const struct merges *m, uint32_t left, uint32_t right)
{
	const struct slot *s = find(m, left, right);
	return s->id == MERGES_NONE ? MERGES_NONE : s->rank;
}

static void put_merges(struct merges *m, const struct encoder_merge *merge, uint32_t n)
{
	uint32_t size = 16;
	while (size < 2 * (uint64_t)n) size *= 2;
	m->mask = size - 1;
	m->slots = arena_array(&m->arena, size, sizeof *m->slots);
	for (uint32_t i = 0; i < size; i++) m->slots[i].id = MERGES_NONE;
	for (uint32_t i = 0; i < n; i++) {
		struct slot *s = &m->slots[find(m, merge[i].left, merge[i].right) - m->slots];
		*s = (struct slot){(uint64_t)merge[i].left << 32 | merge[i].right, merge[i].rank, merge[i].id};
	}
}

// Runs the merges over one text, s[0 .. n), in place; returns how many symbols are left. Adds the run's steps.
static uint32_t run(struct merges *m, uint32_t *s, uint32_t *rank, uint32_t n, uint32_t token, bool *ascends)
{
	uint32_t before = 0, *left = &m->left[token], *right = &m->right[token], *time = &m->time[token];
	*time = 0, *ascends = true, *left = *right = MERGES_NONE;
	for (uint32_t i = 0; i + 1 < n; i++) rank[i] = rank_of(m, s[i], s[i + 1]);
	for (;;) {
		uint32_t best = MERGES_NONE, k = 0;
		for (uint32_t i = 0; i + 1 < n; i++)
			if (rank[i] < best) best = rank[i], k = i;
		vec_push(&m->steps, ((struct merge_step){best, s[0], s[n - 1]}));
		if (best == MERGES_NONE) return n;
		if (best < before) *ascends = false;
		before = best;
		if (best + 1 > *time) *time = best + 1;
		*left = s[k], *right = s[k + 1];
		s[k] = find(m, s[k], s[k + 1])->id;
		n--;
		for (uint32_t i = k + 1; i < n; i++) s[i] = s[i + 1], rank[i] = rank[i + 1];
		if (k) rank[k - 1] = rank_of(m, s[k - 1], s[k]);
		if (k + 1 < n) rank[k] = rank_of(m, s[k], s[k + 1]);
	}
}

void merges_build(const struct encoder_merge *merge, uint32_t n_merges, uint32_t n_tokens, const uint32_t *symbols,
                  const uint32_t *at, struct merges *m)
{
	*m = (struct merges){.n_tokens = n_tokens};
	put_merges(m, merge, n_merges);
	m->first = arena_array(&m->arena, (size_t)n_tokens + 1, 4),
	m->first_part = arena_array(&m->arena, (size_t)n_tokens + 1, 4);
	m->left = arena_array(&m->arena, n_tokens, 4), m->right = arena_array(&m->arena, n_tokens, 4);
	m->time = arena_array(&m->arena, n_tokens, 4), m->kind = arena_array(&m->arena, n_tokens, 1);
	uint32_t s[MERGES_MAX_SYMBOLS], rank[MERGES_MAX_SYMBOLS];
	for (uint32_t t = 0; t < n_tokens; t++) {
		uint32_t n = at[t + 1] - at[t];
		bool ascends;
		m->first[t] = m->steps.n, m->first_part[t] = m->parts.n;
		m->left[t] = m->right[t] = MERGES_NONE;
		if (!n) continue;
		ASSERT(n <= MERGES_MAX_SYMBOLS);
		memcpy(s, symbols + at[t], n * sizeof *s);
		n = run(m, s, rank, n, t, &ascends);
		if (n == 1 && s[0] == t) {
			m->kind[t] = ascends ? MERGED_REGULAR : MERGED_IRREGULAR;
			m->n_irregular += !ascends;
			continue;
		}
		m->kind[t] = MERGED_OTHERWISE, m->left[t] = m->right[t] = MERGES_NONE;
		m->steps.n = m->first[t];
		for (uint32_t i = 0; i < n; i++) vec_push(&m->parts, s[i]);
	}
	m->first[n_tokens] = m->steps.n, m->first_part[n_tokens] = m->parts.n;
}

void merges_release(struct merges *m)
{
	vec_release(&m->steps), vec_release(&m->parts);
	arena_release(&m->arena);
}

bool merges_pair(const struct merges *m, uint32_t a, uint32_t b)
{
	const struct merge_step *x = m->steps.at + m->first[a], *y = m->steps.at + m->first[b];
	for (;;) {
		uint32_t crossing = rank_of(m, x->right, y->left);
		if (crossing < x->rank && crossing <= y->rank) return false;
		if (x->rank == MERGES_NONE && y->rank == MERGES_NONE) return true;
		if (x->rank <= y->rank)
			x++;
		else
			y++;
	}
}

// --- the table ---------------------------------------------------------------------------------------------------

// Children by parent, in the order of `order`.
struct tree {
	uint32_t *first, *child;  // child[first[t] .. first[t + 1])
};

static struct tree make_tree(struct arena *arena, const uint32_t *parent, const uint32_t *order, uint32_t n_order,
                             uint32_t n)
{
	struct tree t = {arena_array(arena, (size_t)n + 1, 4), arena_array(arena, n_order, 4)};
	uint32_t *next = arena_array(arena, (size_t)n + 1, 4), sum = 0;
	for (uint32_t i = 0; i < n_order; i++)
		if (parent[order[i]] != MERGES_NONE) next[parent[order[i]]]++;
	for (uint32_t i = 0; i <= n; i++) {
		uint32_t count = next[i];
		t.first[i] = next[i] = sum;
		sum += count;
	}
	for (uint32_t i = 0; i < n_order; i++)
		if (parent[order[i]] != MERGES_NONE) t.child[next[parent[order[i]]]++] = order[i];
	return t;
}

struct by_time {
	uint32_t time, token;
};
static int latest_first(const void *a, const void *b)
{
	const struct by_time *x = a, *y = b;
	if (x->time != y->time) return x->time < y->time ? 1 : -1;
	return (x->token > y->token) - (x->token < y->token);
}

struct table {
	const struct merges *m;
	struct arena arena;
	uint32_t *order;  // tokens of merges, latest first
	uint32_t n;
	struct tree by_left, by_right;
	uint32_t *place, *end;  // [n_tokens]
};

static void number_places(struct table *t, uint32_t *at)
{
	const struct merges *m = t->m;
	VEC(uint32_t) todo = {0};
	uint32_t n = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		if (m->left[t->order[i]] != MERGES_NONE) continue;
		vec_push(&todo, t->order[i]);
		while (todo.n) {
			uint32_t x = vec_pop(&todo);
			if (x & 0x80000000u) {  // its subtree is done
				t->end[x & 0x7fffffffu] = n;
				continue;
			}
			at[n] = x, t->place[x] = n++;
			vec_push(&todo, x | 0x80000000u);
			for (uint32_t k = t->by_left.first[x + 1]; k-- > t->by_left.first[x];) vec_push(&todo, t->by_left.child[k]);
		}
	}
	ASSERT(n == t->n);
	vec_release(&todo);
}

// Tokens of the subtree of x that this era has not seen, into list.
typedef VEC(uint32_t) token_list;
static void add_subtree(const struct tree *tree, uint32_t x, uint32_t *seen, uint32_t era, token_list *list)
{
	uint32_t i = list->n;
	if (seen[x] == era) return;
	vec_push(list, x);
	for (seen[x] = era; i < list->n; i++) {
		uint32_t y = list->at[i];
		for (uint32_t k = tree->first[y]; k < tree->first[y + 1]; k++) {
			uint32_t z = tree->child[k];
			if (seen[z] != era) vec_push(list, z);
			seen[z] = era;
		}
	}
}

static int by_pair(const void *a, const void *b)
{
	const struct artifact_canon_pair *x = a, *y = b;
	if (x->left != y->left) return x->left < y->left ? -1 : 1;
	return (x->right > y->right) - (x->right < y->right);
}

static uint32_t edge_of(const struct merges *m, uint32_t step, int side)
{
	return side ? m->steps.at[step].left : m->steps.at[step].right;
}

// Tokens that may be on the other side of an irregular token x in a pair on which the intervals are wrong.
struct patching {
	const struct table *t;
	uint32_t *seen, era;  // [n_tokens + 1]
	token_list other;
};

// While the irregular token has this edge no merge of a rank above `link` can come.
static void add_joined(struct patching *p, uint32_t edge, uint32_t link, int side)
{
	const struct merges *m = p->t->m;
	const struct tree *joined = side ? &p->t->by_right : &p->t->by_left;
	for (uint32_t c = joined->first[edge]; c < joined->first[edge + 1]; c++) {
		uint32_t z = joined->child[c];
		if (rank_of(m, m->left[z], m->right[z]) > link) continue;
		add_subtree(joined, side ? m->left[z] : m->right[z], p->seen, p->era, &p->other);
	}
}

static void find_other(struct patching *p, uint32_t x, int side)
{
	const struct merges *m = p->t->m;
	vec_clear(&p->other);
	p->era++;
	for (uint32_t k = m->first[x], end; k < m->first[x + 1]; k = end) {
		uint32_t edge = edge_of(m, k, side), link = MERGES_NONE;
		for (end = k + 1; end < m->first[x + 1] && edge_of(m, end, side) == edge; end++) continue;
		if (end < m->first[x + 1]) link = m->time[edge_of(m, end, side)];
		// No merge of a higher rank can come while this edge stands, by either test.
		for (uint32_t j = k; j < end && link != MERGES_NONE; j++)
			if (m->steps.at[j].rank > link) link = m->steps.at[j].rank;
		add_joined(p, edge, link, side);
	}
}

// Pairs with an irregular token on which the intervals are wrong.
static void find_patches(const struct table *t, struct canonical *out)
{
	const struct merges *m = t->m;
	VEC(struct artifact_canon_pair) patches = {0};
	struct patching p = {.t = t, .seen = mem_calloc((size_t)m->n_tokens + 1, sizeof *p.seen)};
	for (uint32_t i = 0; i < t->n && m->n_irregular; i++) {
		uint32_t x = t->order[i];
		if (m->kind[x] != MERGED_IRREGULAR) continue;
		for (int side = 0; side < 2; side++) {
			find_other(&p, x, side);
			for (uint32_t k = 0; k < p.other.n; k++) {
				uint32_t a = side ? p.other.at[k] : x, b = side ? x : p.other.at[k];
				if (canonical_pair(out, a, b) != merges_pair(m, a, b))
					vec_push(&patches, ((struct artifact_canon_pair){a, b}));
			}
		}
	}
	if (patches.n) qsort(patches.at, patches.n, sizeof *patches.at, by_pair);
	uint32_t n = 0;
	for (uint32_t i = 0; i < patches.n; i++)
		if (!i || by_pair(&patches.at[i], &patches.at[n - 1])) patches.at[n++] = patches.at[i];
	struct artifact_canon_pair *all = arena_array(&out->arena, n, sizeof *all);
	if (n) memcpy(all, patches.at, n * sizeof *all);
	out->patches = all, out->info.n_patches = n;
	vec_release(&patches), vec_release(&p.other);
	free(p.seen);
}

static int by_begin(const void *a, const void *b)
{
	const struct artifact_canon_join *x = a, *y = b;
	return (x->begin > y->begin) - (x->begin < y->begin);
}

void merges_table(const struct merges *m, struct canonical *out)
{
	struct table t = {.m = m};
	uint32_t n_tokens = m->n_tokens;
	struct by_time *order = mem_alloc((n_tokens + 1) * sizeof *order);
	for (uint32_t x = 0; x < n_tokens; x++)
		if (m->kind[x] >= MERGED_REGULAR) order[t.n++] = (struct by_time){m->time[x], x};
	qsort(order, t.n, sizeof *order, latest_first);
	t.order = arena_array(&t.arena, t.n, 4);
	for (uint32_t i = 0; i < t.n; i++) t.order[i] = order[i].token;
	free(order);
	t.by_left = make_tree(&t.arena, m->left, t.order, t.n, n_tokens);
	t.by_right = make_tree(&t.arena, m->right, t.order, t.n, n_tokens);
	t.place = arena_array(&out->arena, n_tokens, 4), t.end = arena_array(&t.arena, n_tokens, 4);
	memset(t.place, 0xff, n_tokens * 4ull);
	uint32_t *at = arena_array(&out->arena, t.n, 4);
	struct artifact_canon_pair *parts = arena_array(&out->arena, n_tokens, sizeof *parts);
	uint32_t *time = arena_array(&out->arena, n_tokens, 4), *first = arena_array(&out->arena, (size_t)n_tokens + 1, 4);
	number_places(&t, at);
	if (n_tokens) memcpy(time, m->time, n_tokens * 4ull);
	struct artifact_canon_join *joins = arena_array(&out->arena, t.by_left.first[n_tokens], sizeof *joins);
	uint32_t n = 0;
	for (uint32_t x = 0; x < n_tokens; x++) {
		first[x] = n;
		parts[x] = (struct artifact_canon_pair){m->left[x], m->right[x]};
		for (uint32_t k = t.by_left.first[x]; k < t.by_left.first[x + 1]; k++) {
			uint32_t z = t.by_left.child[k], y = m->right[z], end = t.place[y] + 1;
			for (uint32_t c = t.by_left.first[y];
			     c < t.by_left.first[y + 1] && m->time[t.by_left.child[c]] >= m->time[z]; c++)
				end = t.end[t.by_left.child[c]];
			joins[n++] = (struct artifact_canon_join){t.place[y], end, m->time[z]};
		}
		if (n > first[x]) qsort(joins + first[x], n - first[x], sizeof *joins, by_begin);
	}
	first[n_tokens] = n;
	out->n_tokens = n_tokens;
	out->info.n_places = t.n, out->info.n_joins = n;
	out->place = t.place, out->at = at, out->parts = parts, out->time = time, out->first = first, out->joins = joins;
	find_patches(&t, out);
	arena_release(&t.arena);
}

// The merge of x and y, or NULL.
static const struct artifact_canon_join *join_of(const struct canonical *c, uint32_t x, uint32_t y)
{
	uint32_t i, end = c->first[x + 1], begin = c->place[y];
	LOWER_BOUND(i, c->first[x], end, c->joins[i].begin < begin);
	return i < end && c->joins[i].begin == begin ? &c->joins[i] : NULL;
}

bool canonical_pair(const struct canonical *c, uint32_t a, uint32_t b)
{
	uint32_t until = UINT32_MAX, i, n = c->info.n_patches;
	bool good = true;
	for (uint32_t x = a; x != MERGES_NONE && good; until = c->time[x], x = c->parts[x].right)
		for (uint32_t y = b; y != MERGES_NONE && good && c->first[x] < c->first[x + 1]; y = c->parts[y].left) {
			const struct artifact_canon_join *j = join_of(c, x, y);
			good = !j || j->time >= until || c->place[b] >= j->end;
		}
	LOWER_BOUND(i, 0, n, by_pair(&c->patches[i], &(struct artifact_canon_pair){a, b}) < 0);
	bool is_patched = i < n && c->patches[i].left == a && c->patches[i].right == b;
	return good != is_patched;
}
