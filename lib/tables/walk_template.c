// One walk for a whole stretch of a chain (lexer.h): what its first state finds, and for how far it holds.
//
// In:  a walker, a stretch, a rest. Out: outcomes of each state of the stretch. The first state's walk is made once.
// Beside each trie node stands for which states of the stretch the path there holds, moved along by as many places: of
// each step the lexer's run tells that, and a path holds as far as its steps do. So tokens are grouped by what they do
// and by this limit. A state takes the groups that hold for it; where a step does not hold (a *gap*: mostly a bound is
// passed and nothing goes on), it walks below that node itself. Far from the bounds there are no gaps, and states share
// one record.
// Below a place where each character moves along by one link, tokens are not walked but counted (walk_chars.c).
// Nothing is guessed: what is taken over has been compared, class by class, by find_runs in lexer_chains.c.
// Cost: trie nodes, once for a stretch; then the nodes at gaps and the groups for each state near a bound.
#include "../../formats/artifact.h"
#include "../base/sort_records.h"
#include "../shared/utf8_kinds.h"
#include "walk_internal.h"

enum kind { MOVED, STAYED, CUT };

#define COUNT_MIN 4u  // tokens below a node: fewer are walked

struct level {
	trie_node end;
	lex_state at;
	uint32_t limit;
	bool moves;
	uint32_t n_chars;  // that have begun on the way here
};

struct making {
	struct walker *w;
	struct walk_template *t;
	uint32_t length;  // places of the stretch
	bool is_whole;    // whole tokens are walked, not what remains of them
	struct chain_steps steps;
	VEC(uint32_t) path;       // scratch: steps, by characters
	struct map64 group_of;    // kind, what, limit -> what follows
	VEC(uint64_t) keys;       // [group]
	VEC(rank_ranges) ranges;  // [group]
	VEC(node_list) nodes;     // [group]
	VEC(struct level) levels;
	uint64_t last_key;
	uint32_t last;
};

static uint32_t group(struct making *m, enum kind kind, uint32_t what, uint32_t limit)
{
	uint64_t key = (uint64_t)kind << 62 | (uint64_t)what << 32 | limit;
	if (key == m->last_key && m->keys.n) return m->last;
	uint64_t known = map64_get(&m->group_of, key);
	if (known == MAP64_NONE) {
		known = m->keys.n;
		map64_put(&m->group_of, key, known);
		vec_push(&m->keys, key);
		vec_push(&m->ranges, (rank_ranges){0});
		vec_push(&m->nodes, (node_list){0});
	}
	m->last_key = key;
	return m->last = (uint32_t)known;
}

bool chain_ends(const struct walker *w, uint32_t place, uint32_t class, uint32_t from, uint32_t to)
{
	const struct lexer *x = w->lexer;
	bool is_dead = to - from <= 4;
	for (uint32_t i = from; i < to && is_dead; i++)
		is_dead = x->next[(size_t)x->chains.members[place + i] * x->n_classes + class] == LEX_DEAD;
	return is_dead;
}

// The path does not hold for states moved by [from, to). Nothing to note where nothing goes on.
static void note_gap(struct making *m, uint32_t from, uint32_t to, uint32_t place, trie_node node)
{
	const uint32_t class = m->w->lexer->class_of[m->w->trie->byte[node]];
	if (!chain_ends(m->w, place, class, from, to < m->length ? to : m->length))
		vec_push(&m->t->gaps, ((struct template_gap){from, to, place, node}));
}

// The steps behind 0, 1, .. `most` characters of these kinds, into the path, as far as they lead anywhere. False: they
// do not all move alike.
static bool follow(struct making *m, uint32_t step, uint64_t kinds, uint32_t most)
{
	vec_clear(&m->path);
	vec_push(&m->path, step);
	for (uint32_t i = 0; i < most; i++) {
		const enum chain_fate fate = chain_fate(m->w, &m->steps, step, kinds);
		if (fate == CHAIN_DIES) break;
		if (fate == CHAIN_DIFFERS) return false;
		step = chain_next(&m->steps, step);
		vec_push(&m->path, step);
	}
	return true;
}

// Tokens below the node, whose byte led to `then`, by their number of characters. False: they do not all move alike.
static bool count_below(struct making *m, const struct level *then, trie_node n)
{
	const struct trie *trie = m->w->trie;
	const uint32_t from = trie->rank[n + 1], to = trie->rank[then->end];
	if (!m->is_whole || !trie->chars || to - from < COUNT_MIN) return false;
	const struct chain_point here = {true, m->w->lexer->chains.place[then->at], then->limit};
	const uint32_t first = chain_step(&m->steps, here);
	const uint64_t kinds = trie->rows[n].byte_root_below & TRIE_ROW_BELOW;
	if (chain_fate(m->w, &m->steps, first, kinds) != CHAIN_LEADS) return false;
	uint32_t most = 0;
	for (uint32_t r = from; r < to; r++)
		if (trie->chars[r] > most) most = trie->chars[r];
	if (!follow(m, first, kinds, most - then->n_chars)) return false;
	for (uint32_t r = from, end; r < to; r = end) {
		const uint32_t chars = trie->chars[r] - then->n_chars;
		for (end = r + 1; end < to && trie->chars[end] == trie->chars[r];) end++;
		if (chars >= m->path.n) continue;
		struct chain_step *s = &m->steps.at.at[m->path.at[chars]];
		if (s->group == UINT32_MAX)
			s->group = s->here.moves ? group(m, MOVED, s->here.at, s->here.limit)
			                         : group(m, STAYED, m->w->class_of[s->here.at], s->here.limit);
		rank_ranges_push(&m->ranges.at[s->group], r, end);
	}
	m->w->steps += to - from;
	return true;
}

// What lies below a node where the path has left the chain: it is the same for all states for which the path holds.
static void take_fragment(struct making *m, const struct walk_fragment *f, uint32_t limit)
{
	m->w->steps += f->n_stays + f->n_cuts;
	for (uint32_t i = 0; i < f->n_stays; i++) {
		const uint32_t k = group(m, STAYED, f->pieces[i].what, limit);
		walker_piece_ranges(m->w, &f->pieces[i], &m->ranges.at[k]);
	}
	for (uint32_t i = f->n_stays; i < f->n_stays + f->n_cuts; i++) {
		const struct walk_piece *piece = &f->pieces[i];
		const trie_node *nodes = piece->n == 1 ? &piece->node : piece->list;
		const uint32_t k = group(m, CUT, piece->what, limit);
		for (uint32_t j = 0; j < piece->n; j++) vec_push(&m->nodes.at[k], nodes[j]);
	}
}

// Branches: a step may be cut, lead nowhere, end a token, pass over what lies below, or go down; and each may move.
static void walk(struct making *m, lex_state at, trie_node first, trie_node stop)
{
	struct walker *w = m->w;
	const struct lexer *x = w->lexer;
	const struct trie_row *node = w->trie->rows;
	struct level now = {stop, at, MOVE_ANY, true, 0};
	vec_clear(&m->levels);
	for (trie_node n = first; n < stop;) {
		while (n >= now.end) now = vec_pop(&m->levels);
		w->steps++;
		const struct trie_row at_n = node[n];
		const uint8_t byte = trie_row_byte(&at_n);
		uint32_t class = x->class_of[byte], next = x->next[(size_t)now.at * x->n_classes + class];
		struct level then = {at_n.end, next & LEX_STATE_MASK, now.limit, false, now.n_chars + !utf8_continues(byte)};
		if (now.moves) {
			uint32_t place = x->chains.place[now.at], run = x->chains.run[(size_t)place * x->n_classes + class];
			uint32_t holds = (run & ~CHAIN_MOVES) + 1;
			then.moves = run & CHAIN_MOVES;
			if (holds < m->length && holds < now.limit) {
				note_gap(m, holds, now.limit, place, n);
				then.limit = holds;
			}
		}
		if (next & LEX_CUT)
			for (lex_state way = now.at; way; way = x->info[way].also) {
				if (!walker_may_begin(w, w->cut_key_of[way], class)) continue;
				uint32_t k = group(m, CUT, w->cut_key_of[way], then.limit);
				vec_push(&m->nodes.at[k], n);
			}
		if (then.at == LEX_DEAD) {
			n = then.end;
			continue;
		}
		const bool passes = !then.moves && walker_passes(w, then.at, n, &at_n);
		const uint32_t past = node[passes ? then.end : n + 1].rank;
		if (at_n.rank != past) {
			uint32_t k = then.moves ? group(m, MOVED, x->chains.place[then.at], then.limit)
			                        : group(m, STAYED, w->class_of[then.at], then.limit);
			rank_ranges_push(&m->ranges.at[k], at_n.rank, past);
		}
		if (passes || (then.moves && count_below(m, &then, n))) {
			n = then.end;
			continue;
		}
		if (!then.moves && at_n.byte_root_below & TRIE_ROW_ROOT) {
			take_fragment(m, walker_fragment(w, then.at, n), then.limit);
			n = then.end;
			continue;
		}
		if (then.end > n + 1) {
			vec_push(&m->levels, now);
			now = then;
		}
		n++;
	}
}

// By kind, then what, then the farthest limit first.
static int compare_key(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a ^ UINT32_MAX, y = *(const uint64_t *)b ^ UINT32_MAX;
	return (x > y) - (x < y);
}

// By `from`, which is less than the stretch's length: counted, not compared. Nodes ascend as they were met.
static void sort_gaps(const struct making *m)
{
	struct template_gap *gaps = m->t->gaps.at;
	const uint32_t n = m->t->gaps.n;
	if (n < 2) return;
	uint32_t *at = mem_calloc((size_t)m->length + 1, sizeof *at);
	struct template_gap *sorted = mem_alloc(n * sizeof *sorted);
	for (uint32_t i = 0; i < n; i++) at[gaps[i].from + 1]++;
	for (uint32_t from = 0; from < m->length; from++) at[from + 1] += at[from];
	for (uint32_t i = 0; i < n; i++) sorted[at[gaps[i].from]++] = gaps[i];
	memcpy(gaps, sorted, n * sizeof *gaps);
	free(at), free(sorted);
}

static void keep_groups(struct making *m)
{
	struct walk_template *t = m->t;
	if (m->keys.n) qsort(m->keys.at, m->keys.n, sizeof *m->keys.at, compare_key);
	t->limit = t->gaps.n ? t->gaps.at[0].from : MOVE_ANY;
	for (uint32_t i = 0; i < m->keys.n; i++) {
		uint64_t key = m->keys.at[i];
		enum kind kind = (enum kind)(key >> 62);
		uint32_t from = (uint32_t)map64_get(&m->group_of, key);
		struct template_group g = {.what = key >> 32 & 0x3fffffff, .limit = (uint32_t)key, .first = t->nodes.n};
		if (g.limit < t->limit) t->limit = g.limit;
		rank_ranges *r = &m->ranges.at[from];
		node_list *nodes = &m->nodes.at[from];
		g.tokens = kind != CUT && m->w->sets ? tokensets_add(m->w->sets, r->at, r->n) : SET_EMPTY;
		for (uint32_t k = 0; k < nodes->n; k++) vec_push(&t->nodes, nodes->at[k]);
		g.n = t->nodes.n - g.first;
		vec_push(&t->groups, g);
		t->n_moved += kind == MOVED;
		t->n_stays += kind != CUT;
		vec_release(r);
		vec_release(nodes);
	}
}

// Ascending, each once.
static void sort_nodes(struct walker *w, node_list *list)
{
	uint32_t words = BITS_WORDS(w->trie->n_nodes), n = 0;
	if (list->n < words / 32) {
		sort_u32(list->at, list->n);
		return;
	}
	if (!w->node_bits) w->node_bits = mem_calloc(words, sizeof *w->node_bits);
	for (uint32_t i = 0; i < list->n; i++) bits_set(w->node_bits, list->at[i]);
	for (uint32_t i = bits_next(w->node_bits, words, 0); i != UINT32_MAX; i = bits_next(w->node_bits, words, i + 1))
		list->at[n++] = i;
	list->n = n;
	memset(w->node_bits, 0, words * sizeof *w->node_bits);
}

static int compare_stay(const void *a, const void *b)
{
	const struct outcome_stay *x = a, *y = b;
	if (x->to != y->to) return x->to < y->to ? -1 : 1;
	return (x->tokens > y->tokens) - (x->tokens < y->tokens);
}
SORT_RECORDS(sort_stays, struct outcome_stay, compare_stay)

// One stay for each place they lead to; sorts and shortens them. Returns how many.
static uint32_t unite_stays(struct walker *w, struct outcome_stay *stays, uint32_t n)
{
	VEC(set_id) sets = {0};
	uint32_t kept = 0;
	sort_stays(stays, n);
	for (uint32_t i = 0, stop; i < n; i = stop) {
		vec_clear(&sets);
		for (stop = i; stop < n && stays[stop].to == stays[i].to; stop++) vec_push(&sets, stays[stop].tokens);
		stays[kept++] =
			(struct outcome_stay){stays[i].to, w->sets ? tokensets_union(w->sets, sets.at, sets.n) : SET_EMPTY};
	}
	vec_release(&sets);
	return kept;
}

// The cuts of the groups that hold for states moved by `by`, and of w->found, which they empty.
static void cuts_of(struct walker *w, const struct walk_template *t, uint32_t by, struct outcomes *o)
{
	for (uint32_t i = t->n_stays; i < t->groups.n; i++) {
		const struct template_group *g = &t->groups.at[i];
		if (g->limit <= by) continue;
		node_list *list = &w->found[0].cut[g->what];
		if (!list->n) vec_push(&w->found[0].touched_cuts, g->what);
		vec_reserve(list, (uint64_t)list->n + g->n);
		memcpy(list->at + list->n, t->nodes.at + g->first, g->n * sizeof *list->at);
		list->n += g->n;
	}
	sort_u32(w->found[0].touched_cuts.at, w->found[0].touched_cuts.n);
	struct outcome_cut *cuts = arena_array(&w->arena, w->found[0].touched_cuts.n, sizeof *cuts);
	for (uint32_t i = 0; i < w->found[0].touched_cuts.n; i++) {
		uint32_t key = w->found[0].touched_cuts.at[i];
		sort_nodes(w, &w->found[0].cut[key]);
		cuts[i] = walker_cut(w, key, w->found[0].cut[key].at, w->found[0].cut[key].n);
		vec_clear(&w->found[0].cut[key]);
	}
	o->cuts = cuts, o->n_cuts = w->found[0].touched_cuts.n;
	vec_clear(&w->found[0].touched_cuts);
}

// What the first state does, as it is shared with those that moved by less than the limit.
static struct outcomes first_outcomes(struct walker *w, const struct walk_template *t)
{
	struct outcome_stay *stays = arena_array(&w->arena, t->n_stays, sizeof *stays);
	for (uint32_t i = 0; i < t->n_stays; i++)
		stays[i] = (struct outcome_stay){t->groups.at[i].what, t->groups.at[i].tokens};
	struct outcomes o = {.stays = stays};
	o.n_moved = unite_stays(w, stays, t->n_moved);
	if (t->n_stays) memmove(stays + o.n_moved, stays + t->n_moved, (t->n_stays - t->n_moved) * sizeof *stays);
	o.n_stays = o.n_moved + unite_stays(w, stays + o.n_moved, t->n_stays - t->n_moved);
	cuts_of(w, t, 0, &o);
	return o;
}

static void make(struct walker *w, uint32_t first, remainder_id remainder, struct walk_template *t)
{
	const struct lexer_chains *h = &w->lexer->chains;
	struct making m = {.w = w, .t = t};
	while (first + m.length < h->n && h->first[first + m.length] == first) m.length++;
	m.steps.length = m.length, m.is_whole = remainder == REMAINDER_WHOLE;
	uint32_t n;
	const trie_node *nodes = walker_nodes(w, remainder, &n);
	for (uint32_t i = 0; i < n; i++) walk(&m, h->members[first], nodes[i], w->trie->end[nodes[i]]);
	sort_gaps(&m);
	keep_groups(&m);
	map64_release(&m.group_of);
	vec_release(&m.keys);
	vec_release(&m.ranges);
	vec_release(&m.nodes);
	vec_release(&m.levels);
	vec_release(&m.path);
	map64_release(&m.steps.number);
	vec_release(&m.steps.at);
	t->is_full = true;
}

static struct walk_template *template_of(struct walker *w, uint32_t first, remainder_id remainder)
{
	uint64_t key = (uint64_t)first << 32 | remainder, known = map64_get(&w->template_of, key);
	if (known != MAP64_NONE) return w->templates.at[known];
	struct walk_template *t = mem_calloc(1, sizeof *t);
	if (!walker_learned_template(w, first, remainder, t)) {
		make(w, first, remainder, t);
		t->inside = first_outcomes(w, t);
	}
	map64_put(&w->template_of, key, w->templates.n);
	vec_push(&w->templates, t);
	return t;
}

bool walker_inside_template(struct walker *w, uint32_t place, remainder_id remainder, struct outcomes *o)
{
	const struct lexer_chains *h = &w->lexer->chains;
	uint32_t first = h->first[place];
	const struct walk_template *t = template_of(w, first, remainder);
	*o = t->inside;
	o->moved = h->members + (place - first);
	return place - first < t->limit;
}

struct outcomes walker_beyond_template(struct walker *w, uint32_t place, remainder_id remainder)
{
	const lex_state *members = w->lexer->chains.members;
	uint32_t first = w->lexer->chains.first[place], by = place - first;
	struct walk_template *t = template_of(w, first, remainder);
	if (!t->is_full) make(w, first, remainder, t);
	for (uint32_t i = 0; i < t->gaps.n && t->gaps.at[i].from <= by; i++) {
		struct template_gap gap = t->gaps.at[i];
		if (by < gap.to) walker_walk(w, members[gap.place + by], gap.node, w->trie->end[gap.node]);
	}
	VEC(struct outcome_stay) stays = {0};
	for (uint32_t i = 0; i < t->n_stays; i++) {
		const struct template_group *g = &t->groups.at[i];
		if (g->limit > by)
			vec_push(&stays, ((struct outcome_stay){i < t->n_moved ? members[g->what + by] : g->what, g->tokens}));
	}
	for (uint32_t i = 0; i < w->found[0].touched.n; i++) {
		const lex_state to = w->found[0].touched.at[i];
		vec_push(&stays, ((struct outcome_stay){to, walker_take(w, &w->found[0].stay[to])}));
	}
	vec_clear(&w->found[0].touched);
	w->found[0].has_ropes = false;
	struct outcomes o = {.n_stays = unite_stays(w, stays.at, stays.n)};
	if (o.n_stays)
		o.stays = memcpy(arena_array(&w->arena, o.n_stays, sizeof *stays.at), stays.at, o.n_stays * sizeof *stays.at);
	vec_release(&stays);
	cuts_of(w, t, by, &o);
	return o;
}

void walk_template_release(struct walk_template *t)
{
	vec_release(&t->groups);
	vec_release(&t->nodes);
	vec_release(&t->gaps);
	free(t);
}
