// Depth-first over trie nodes in preorder, one lex_state a level, no recursion.
//
// In:  a lex_state and trie nodes to start from. Out: tokens grouped by the lex_state they end in, and the nodes before
// whose byte the lexeme may be cut, grouped by (terminal, obligation). Source: the token spanner of GreatGramma
// (section 3.2, Algorithm 4), one lexeme at a time. Walks that come to the same lex_state at a trie node share what
// lies below it (*fragments*, of a few sizes that lie in each other). What a fragment has for a lex_state is a list of
// ranges, a *rope*, and equal ropes are one. So where many states go on alike, as those of one regular expression do,
// sets are found by the names of a few ropes, not made of ten thousand ranges each time. Where all characters below
// keep a state as it is, nothing is walked (walk_pass.c). A cut before a byte that begins nothing, whatever the parser
// wants, is none: remainders are smaller, and more of them are equal. Cost: one table look-up a node; a dead byte skips
// its subtree.
#include "../../formats/artifact.h"
#include "walk_internal.h"

#define REMAINDER_LINE 0x80000000u  // in the obligation of a rest's key

static void sink_init(const struct walker *w, struct walk_sink *s)
{
	s->stay = mem_calloc(w->lexer->n_states, sizeof *s->stay);
	s->cut = mem_calloc(w->cut_keys.entries.n + 1, sizeof *s->cut);
}

static void sink_release(const struct walker *w, struct walk_sink *s)
{
	for (lex_state q = 0; q < w->lexer->n_states; q++)  // most are empty
		if (s->stay[q].at) vec_release(&s->stay[q]);
	for (uint32_t k = 0; k < w->cut_keys.entries.n; k++) vec_release(&s->cut[k]);
	free(s->stay);
	free(s->cut);
	vec_release(&s->touched);
	vec_release(&s->touched_cuts);
	vec_release(&s->levels);
}

#define FRAGMENTS_MAX_BYTES                                                                                            \
	(32u << 20)  // of their pieces: then all are forgotten, and made again where they are wanted

// Of each cut, what some context's start state takes: of each obligation once, and each start state once for it.
static void find_begins(struct walker *w)
{
	const struct lexer *x = w->lexer;
	uint32_t *seen = mem_calloc(x->n_states, sizeof *seen);           // [lex_state] cut key + 1
	uint32_t *key_of = mem_calloc(x->n_obligations, sizeof *key_of);  // [obligation] its first cut key + 1
	w->begins = mem_calloc((size_t)w->cut_keys.entries.n * WALK_CLASS_WORDS + 1, sizeof *w->begins);
	for (uint32_t k = 0; k < w->cut_keys.entries.n; k++) {
		uint32_t pair[2];
		memcpy(pair, intern_get(&w->cut_keys, k, NULL), sizeof pair);
		const uint32_t obligation = pair[1] & ~REMAINDER_LINE;
		bits *begins = w->begins + (size_t)k * WALK_CLASS_WORDS;
		if (key_of[obligation]) {
			memcpy(begins, w->begins + (size_t)(key_of[obligation] - 1) * WALK_CLASS_WORDS,
			       WALK_CLASS_WORDS * sizeof *begins);
			continue;
		}
		key_of[obligation] = k + 1;
		const lex_state *start = x->start + (size_t)obligation * x->n_contexts;
		for (uint32_t c = 0; c < x->n_contexts; c++) {
			if (start[c] == LEX_DEAD || seen[start[c]] == k + 1) continue;
			seen[start[c]] = k + 1;
			for (uint32_t class = 0; class < x->n_classes; class ++)
				if (x->next[(size_t)start[c] * x->n_classes + class]) bits_set(begins, class);
		}
	}
	free(seen);
	free(key_of);
}

void walker_init(struct walker *w, const struct lexer *lexer, const struct trie *trie, struct tokensets *sets)
{
	*w = (struct walker){.lexer = lexer, .trie = trie, .sets = sets};
	w->cut_key_of = mem_calloc(lexer->n_states, sizeof *w->cut_key_of);
	for (lex_state s = 0; s < lexer->n_states; s++) {
		const struct lex_info *i = &lexer->info[s];
		w->cut_key_of[s] =
			i->terminal == UINT32_MAX
				? UINT32_MAX
				: intern_add(&w->cut_keys,
		                     (uint32_t[]){i->terminal, i->obligation | (i->flags & LEX_LINE ? REMAINDER_LINE : 0)}, 8,
		                     NULL);
	}
	w->class_of = mem_calloc(lexer->n_states, sizeof *w->class_of);
	for (lex_state s = 0; s < lexer->n_states; s++) w->class_of[s] = s;
	walker_find_first_bytes(w);
	find_begins(w);
	for (uint32_t i = 0; i <= TRIE_ROOT_SIZES; i++) sink_init(w, &w->found[i]);
	intern_add(&w->remainders, NULL, 0, NULL);  // REMAINDER_END
	vec_push(&w->remainder_key, 0);
	for (trie_node n = 1; n < trie->n_nodes; n = trie->end[n]) {
		vec_push(&w->remainder_key, n);
		w->root_of[trie->byte[n]] = n;
	}
	w->bytes_of = mem_calloc((size_t)lexer->n_classes * WALK_BYTE_WORDS, sizeof *w->bytes_of);
	w->live = mem_calloc((size_t)lexer->n_states * WALK_BYTE_WORDS, sizeof *w->live);
	for (uint32_t b = 0; b < 256; b++) bits_set(w->bytes_of + lexer->class_of[b] * WALK_BYTE_WORDS, b);
	remainder_id whole = intern_add(&w->remainders, w->remainder_key.at, w->remainder_key.n * sizeof(uint32_t), NULL);
	uint32_t line = REMAINDER_LINE;
	remainder_id line_end = intern_add(&w->remainders, &line, sizeof line, NULL);
	ASSERT(whole == REMAINDER_WHOLE && line_end == REMAINDER_LINE_END);
}

void walker_merge_stays(struct walker *w, const lex_state *class_of)
{
	memcpy(w->class_of, class_of, w->lexer->n_states * sizeof *class_of);
}

#define ROPE 0x80000000u  // in place of a range's first rank: with the number of a rope
#define ROPE_FROM 64u     // ranges in a row; fewer are copied

// The number of a list of ranges and ropes.
static uint32_t rope_of(struct walker *w, const rank_ranges *r)
{
	bool is_new;
	const uint32_t rope = intern_add(&w->ropes, r->at, r->n * sizeof *r->at, &is_new);
	if (is_new) vec_push(&w->set_of_rope, SET_EMPTY);
	return rope;
}

// Behind what *to holds; the first may go on where that ends.
static void append_ranges(rank_ranges *to, const struct rank_range *r, uint32_t n)
{
	rank_ranges_push(to, r->from, r->to);
	vec_reserve(to, (uint64_t)to->n + n - 1);
	memcpy(to->at + to->n, r + 1, (n - 1) * sizeof *r);
	to->n += n - 1;
}

// The ranges of a list, in order. Ropes lie in each other as fragments do.
static void flatten(const struct walker *w, const rank_ranges *r, rank_ranges *out)
{
	struct {
		const struct rank_range *at, *end;
	} way[TRIE_ROOT_SIZES + 1] = {{r->at, r->at + r->n}};
	for (uint32_t depth = 0;;) {
		if (way[depth].at == way[depth].end) {
			if (!depth--) return;
			continue;
		}
		const struct rank_range *x = way[depth].at, *end = way[depth].end, *rope = x;
		while (rope < end && !(rope->from & ROPE)) rope++;
		if (rope > x) append_ranges(out, x, (uint32_t)(rope - x));
		way[depth].at = rope < end ? rope + 1 : end;
		if (rope == end) continue;
		uint32_t len;
		const struct rank_range *list = intern_get(&w->ropes, rope->from & ~ROPE, &len);
		ASSERT(depth < TRIE_ROOT_SIZES);
		depth++, way[depth].at = list, way[depth].end = list + len / sizeof *list;
	}
}

static bool has_ropes(const rank_ranges *r)
{
	uint32_t all = 0;  // no jump: several are looked at at once
	for (uint32_t i = 0; i < r->n; i++) all |= r->at[i].from;
	return (all & ROPE) != 0;
}

set_id walker_take(struct walker *w, rank_ranges *found)
{
	set_id set = SET_EMPTY;
	if (w->sets && w->found[0].has_ropes && has_ropes(found)) {
		const uint32_t rope = rope_of(w, found);
		set = w->set_of_rope.at[rope];
		if (set == SET_EMPTY) {
			vec_clear(&w->flat);
			flatten(w, found, &w->flat);
			set = w->set_of_rope.at[rope] = tokensets_add(w->sets, w->flat.at, w->flat.n);
		}
	} else if (w->sets) {
		set = tokensets_add(w->sets, found->at, found->n);
	}
	vec_clear(found);
	return set;
}

static void forget_fragments(struct walker *w)
{
	map64_release(&w->fragment_of);
	vec_clear(&w->fragments);
	arena_release(&w->fragment_arena);
}

// Between walks: fragments name ropes.
static void forget_ropes(struct walker *w)
{
	forget_fragments(w);
	intern_release(&w->ropes);
	vec_clear(&w->set_of_rope);
}

void walker_release(struct walker *w)
{
	if (!w->lexer) return;
	for (uint32_t i = 0; i <= TRIE_ROOT_SIZES; i++) sink_release(w, &w->found[i]);
	forget_fragments(w);
	vec_release(&w->fragments);
	free(w->cut_key_of);
	free(w->begins);
	free(w->bytes_of);
	free(w->live);
	free(w->keeps);
	free(w->class_of);
	intern_release(&w->remainders);
	map64_release(&w->result_of);
	intern_release(&w->cut_keys);
	vec_release(&w->results);
	vec_release(&w->remainder_key);
	vec_release(&w->sources);
	for (uint32_t i = 0; i < w->templates.n; i++) walk_template_release(w->templates.at[i]);
	vec_release(&w->templates);
	map64_release(&w->template_of);
	free(w->node_bits);
	intern_release(&w->ropes);
	vec_release(&w->set_of_rope), vec_release(&w->flat);
	arena_release(&w->arena);
}

uint32_t walker_obligation(const struct walker *w, remainder_id remainder)
{
	uint32_t obligation;
	memcpy(&obligation, intern_get(&w->remainders, remainder, NULL), sizeof obligation);
	return obligation & ~REMAINDER_LINE;
}

bool walker_is_line(const struct walker *w, remainder_id remainder)
{
	uint32_t len;
	const uint32_t *key = intern_get(&w->remainders, remainder, &len);
	return len && key[0] & REMAINDER_LINE;
}

const trie_node *walker_nodes(const struct walker *w, remainder_id remainder, uint32_t *n)
{
	const uint32_t *key = intern_get(&w->remainders, remainder, n);
	*n = *n ? *n / (uint32_t)sizeof *key - 1 : 0;
	return key + 1;
}

remainder_id walker_remainder(struct walker *w, uint32_t obligation, bool is_line, const trie_node *nodes, uint32_t n)
{
	vec_clear(&w->remainder_key);
	vec_push(&w->remainder_key, obligation | (is_line ? REMAINDER_LINE : 0));
	for (uint32_t i = 0; i < n; i++) vec_push(&w->remainder_key, nodes[i]);
	return intern_add(&w->remainders, w->remainder_key.at, w->remainder_key.n * sizeof(uint32_t), NULL);
}

remainder_id *walker_copy_remainders(struct walker *w, const struct walker *from)
{
	remainder_id *to = mem_calloc(from->remainders.entries.n, sizeof *to);
	for (remainder_id r = 0; r < from->remainders.entries.n; r++) {
		uint32_t len;
		const void *key = intern_get(&from->remainders, r, &len);
		to[r] = intern_add(&w->remainders, key, len, NULL);
	}
	return to;
}

static const struct walk_fragment *fragment(struct walker *w, uint32_t depth, lex_state at, trie_node root);

static void use_fragment(struct walker *w, struct walk_sink *to, const struct walk_fragment *f)
{
	w->steps += f->n_stays + f->n_cuts;
	to->has_ropes |= f->has_ropes;
	for (uint32_t i = 0; i < f->n_stays; i++) {
		const struct rank_range *r = f->pieces[i].n == 1 ? &f->pieces[i].range : f->pieces[i].list;
		rank_ranges *stay = &to->stay[f->pieces[i].what];
		if (!stay->n) vec_push(&to->touched, f->pieces[i].what);
		append_ranges(stay, r, f->pieces[i].n);
	}
	for (uint32_t i = f->n_stays; i < f->n_stays + f->n_cuts; i++) {
		node_list *cut = &to->cut[f->pieces[i].what];
		if (!cut->n) vec_push(&to->touched_cuts, f->pieces[i].what);
		vec_reserve(cut, (uint64_t)cut->n + f->pieces[i].n);
		const trie_node *nodes = f->pieces[i].n == 1 ? &f->pieces[i].node : f->pieces[i].list;
		memcpy(cut->at + cut->n, nodes, f->pieces[i].n * sizeof *cut->at);
		cut->n += f->pieces[i].n;
	}
}

// The lexeme may be cut before the node's byte, in each of its ways.
static inline void note_cuts(const struct walker *w, struct walk_sink *to, lex_state s, trie_node n, uint32_t class)
{
	for (lex_state way = s; way; way = w->lexer->info[way].also) {
		uint32_t key = w->cut_key_of[way];
		if (!walker_may_begin(w, key, class)) continue;
		if (!to->cut[key].n) vec_push(&to->touched_cuts, key);
		vec_push(&to->cut[key], n);
	}
}

// The nodes first..stop, which are whole subtrees, from `at`, into the sink of this depth of fragments in each other.
// The hot loop of the compiler.
static void walk_nodes(struct walker *w, uint32_t depth, lex_state at, trie_node first, trie_node stop)
{
	struct walk_sink *to_sink = &w->found[depth];
	const struct trie_row *node = w->trie->rows;
	const uint8_t *class_of = w->lexer->class_of;
	const uint32_t *next = w->lexer->next;
	const lex_state *class_of_state = w->class_of;
	const size_t n_classes = w->lexer->n_classes;
	vec_clear(&to_sink->levels);
	lex_state s = at;
	const uint32_t *row = next + s * n_classes;
	trie_node end = stop;  // one past the subtree in which s holds
	uint64_t steps = 0;
	for (trie_node n = first; n < stop;) {
		if (n >= end) {
			do end = to_sink->levels.at[--to_sink->levels.n].end;
			while (n >= end);
			s = to_sink->levels.at[to_sink->levels.n].at, row = next + s * n_classes;
		}
		steps++;
		const struct trie_row at_n = node[n];
		__builtin_prefetch(&node[at_n.end]);
		const uint32_t class = class_of[trie_row_byte(&at_n)];
		uint32_t to = row[class];
		if (to & LEX_CUT) note_cuts(w, to_sink, s, n, class);
		to &= LEX_STATE_MASK;
		if (to == LEX_DEAD) {
			n = at_n.end;
			continue;
		}
		const bool passes = walker_passes(w, to, n, &at_n);
		const uint32_t past = node[passes ? at_n.end : n + 1].rank;
		if (at_n.rank != past) {
			rank_ranges *stay = &to_sink->stay[class_of_state[to]];
			if (!stay->n) vec_push(&to_sink->touched, class_of_state[to]);
			rank_ranges_push(stay, at_n.rank, past);
		}
		if (passes) {
			n = at_n.end;
			continue;
		}
		if (at_n.byte_root_below & TRIE_ROW_ROOT) {
			use_fragment(w, to_sink, fragment(w, depth + 1, to, n));
			n = at_n.end;
			continue;
		}
		if (at_n.end > n + 1 && s != to) {
			vec_push(&to_sink->levels, ((struct walk_level){end, s}));
			s = to, end = at_n.end, row = next + s * n_classes;
		}
		n++;
	}
	w->steps += steps;
}

// The bytes with which a state goes on, or is cut.
static const bits *live_bytes(struct walker *w, lex_state at)
{
	bits *live = w->live + (size_t)at * WALK_BYTE_WORDS;
	if (live[0] | live[1] | live[2] | live[3]) return live;
	const uint32_t n_classes = w->lexer->n_classes, *row = w->lexer->next + (size_t)at * n_classes;
	for (uint32_t class = 0; class < n_classes; class ++)
		for (uint32_t k = 0; row[class] && k < WALK_BYTE_WORDS; k++)
			live[k] |= w->bytes_of[class * WALK_BYTE_WORDS + k];
	return live;
}

static const struct trie_children *children_of(const struct trie *t, trie_node root)
{
	const uint64_t before = t->roots[root / 64] & (((uint64_t)1 << root % 64) - 1);
	return &t->children[t->roots_before[root / 64] + bits_of_word(before)];
}

// The children of a root with whose byte the state goes on. Neighbours are one stretch of the trie.
static void walk_children(struct walker *w, uint32_t depth, lex_state at, trie_node root)
{
	const struct trie_children *children = children_of(w->trie, root);
	const bits *live = live_bytes(w, at);
	const trie_node *child = w->trie->child + children->first;
	trie_node first = 0;  // of the stretch that is open; 0: none
	for (uint32_t k = 0; k < WALK_BYTE_WORDS; k++)
		for (bits left = children->bytes[k]; left; left &= left - 1, child++) {
			const bool is_live = (left & -left & live[k]) != 0;
			if (is_live == (first != 0)) continue;
			if (!is_live) walk_nodes(w, depth, at, first, *child);
			first = is_live ? *child : 0;
		}
	if (first) walk_nodes(w, depth, at, first, w->trie->end[root]);
}

// What lies below the node `root`, whose byte has been read; `at` is where it led.
static const struct walk_fragment *fragment(struct walker *w, uint32_t depth, lex_state at, trie_node root)
{
	uint64_t key = (uint64_t)root << 32 | at, known = map64_get(&w->fragment_of, key);
	if (known != MAP64_NONE) return &w->fragments.at[known];
	struct walk_sink *in = &w->found[depth];
	if (w->fragment_arena.used > FRAGMENTS_MAX_BYTES) forget_fragments(w);
	walk_children(w, depth, at, root);
	struct walk_fragment f = {.n_stays = in->touched.n, .n_cuts = in->touched_cuts.n};
	struct walk_piece *pieces = arena_array(&w->fragment_arena, f.n_stays + f.n_cuts, sizeof *pieces);
	for (uint32_t i = 0; i < f.n_stays; i++) {
		rank_ranges *r = &in->stay[in->touched.at[i]];
		if (r->n >= ROPE_FROM) {
			r->at[0] = (struct rank_range){ROPE | rope_of(w, r), UINT32_MAX};
			r->n = 1, in->has_ropes = true;
		}
		pieces[i] = (struct walk_piece){in->touched.at[i], r->n, {.range = r->at[0]}};
		if (r->n > 1) pieces[i].list = arena_copy(&w->fragment_arena, r->at, r->n * sizeof *r->at);
		vec_clear(r);
	}
	for (uint32_t i = 0; i < f.n_cuts; i++) {
		node_list *c = &in->cut[in->touched_cuts.at[i]];
		struct walk_piece *piece = &pieces[f.n_stays + i];
		*piece = (struct walk_piece){in->touched_cuts.at[i], c->n, {.node = c->at[0]}};
		if (c->n > 1) piece->list = arena_copy(&w->fragment_arena, c->at, c->n * sizeof *c->at);
		vec_clear(c);
	}
	vec_clear(&in->touched);
	vec_clear(&in->touched_cuts);
	f.pieces = pieces, f.has_ropes = in->has_ropes;
	in->has_ropes = false;
	map64_put(&w->fragment_of, key, w->fragments.n);
	vec_push(&w->fragments, f);
	return &w->fragments.at[w->fragments.n - 1];
}

const struct walk_fragment *walker_fragment(struct walker *w, lex_state at, trie_node root)
{
	return fragment(w, 1, at, root);
}

void walker_piece_ranges(const struct walker *w, const struct walk_piece *piece, rank_ranges *out)
{
	struct rank_range one = piece->range;
	const struct rank_range *r = piece->n == 1 ? &one : piece->list;
	for (uint32_t i = 0; i < piece->n; i++) {
		if (r[i].from & ROPE)
			flatten(w, &(rank_ranges){.at = (struct rank_range *)(uintptr_t)&r[i], .n = 1}, out);
		else
			rank_ranges_push(out, r[i].from, r[i].to);
	}
}

struct outcome_cut walker_cut(struct walker *w, uint32_t key, const trie_node *nodes, uint32_t n)
{
	uint32_t pair[2];
	memcpy(pair, intern_get(&w->cut_keys, key, NULL), sizeof pair);
	vec_clear(&w->remainder_key);
	vec_push(&w->remainder_key, pair[1]);
	for (uint32_t i = 0; i < n; i++)
		if (!i || nodes[i] != nodes[i - 1]) vec_push(&w->remainder_key, nodes[i]);
	return (struct outcome_cut){
		pair[0], intern_add(&w->remainders, w->remainder_key.at, w->remainder_key.n * sizeof(uint32_t), NULL)};
}

// All tokens whose first byte the state goes on with: most go on with a few. Neighbours are one stretch of the trie.
static void walk_vocabulary(struct walker *w, lex_state at)
{
	const bits *live = live_bytes(w, at);
	trie_node first = 0, stop = 0;
	for (uint32_t b = bits_next(live, WALK_BYTE_WORDS, 0); b != UINT32_MAX;
	     b = bits_next(live, WALK_BYTE_WORDS, b + 1)) {
		if (!w->root_of[b]) continue;
		if (w->root_of[b] != stop) {
			walk_nodes(w, 0, at, first, stop);
			first = w->root_of[b];
		}
		stop = w->trie->end[w->root_of[b]];
	}
	walk_nodes(w, 0, at, first, stop);
}

static void walk_remainder(struct walker *w, lex_state at, remainder_id remainder)
{
	uint32_t n;
	const trie_node *nodes = walker_nodes(w, remainder, &n);
	for (uint32_t i = 0, last; i < n; i = last + 1) {
		for (last = i; last + 1 < n && nodes[last + 1] == w->trie->end[nodes[last]];) last++;
		walk_nodes(w, 0, at, nodes[i], w->trie->end[nodes[last]]);
	}
}

void walker_walk(struct walker *w, lex_state at, trie_node first, trie_node stop) { walk_nodes(w, 0, at, first, stop); }

// In ascending order of lex_state and cut key.
static struct outcomes walker_collect(struct walker *w)
{
	struct walk_sink *found = &w->found[0];
	sort_u32(found->touched.at, found->touched.n);
	sort_u32(found->touched_cuts.at, found->touched_cuts.n);
	struct outcome_stay *stays = arena_array(&w->arena, found->touched.n, sizeof *stays);
	struct outcome_cut *cuts = arena_array(&w->arena, found->touched_cuts.n, sizeof *cuts);
	for (uint32_t i = 0; i < found->touched.n; i++) {
		const set_id tokens = walker_take(w, &found->stay[found->touched.at[i]]);
		stays[i] = (struct outcome_stay){found->touched.at[i], tokens};
	}
	for (uint32_t i = 0; i < found->touched_cuts.n; i++) {
		uint32_t key = found->touched_cuts.at[i];
		sort_u32(found->cut[key].at, found->cut[key].n);
		cuts[i] = walker_cut(w, key, found->cut[key].at, found->cut[key].n);
		vec_clear(&found->cut[key]);
	}
	struct outcomes o = {.stays = stays, .cuts = cuts, .n_stays = found->touched.n, .n_cuts = found->touched_cuts.n};
	vec_clear(&found->touched);
	vec_clear(&found->touched_cuts);
	found->has_ropes = false;
	return o;
}

void walker_learn(struct walker *w, struct walker_source source) { vec_push(&w->sources, source); }

// A source's outcomes in this walker's ids.
static void translate(struct walker *w, const struct walker_source *source, struct outcomes *o)
{
	const struct walker *from = source->walker;
	uint32_t len;
	struct outcome_stay *stays = arena_array(&w->arena, o->n_stays, sizeof *stays);
	struct outcome_cut *cuts = arena_array(&w->arena, o->n_cuts, sizeof *cuts);
	for (uint32_t i = 0; i < o->n_stays; i++) {
		set_id tokens = w->sets ? o->stays[i].tokens : SET_EMPTY;
		stays[i] = (struct outcome_stay){o->stays[i].to, source->set_to ? source->set_to[tokens] : tokens};
	}
	for (uint32_t i = 0; i < o->n_cuts; i++) {
		const void *key = intern_get(&from->remainders, o->cuts[i].remainder, &len);
		cuts[i] = (struct outcome_cut){o->cuts[i].terminal, intern_add(&w->remainders, key, len, NULL)};
	}
	o->stays = stays, o->cuts = cuts;
}

// The source's number of a rest, or INTERN_NONE.
static uint32_t remainder_there(const struct walker *w, const struct walker *from, remainder_id remainder)
{
	uint32_t len;
	const void *key = intern_get(&w->remainders, remainder, &len);
	return intern_find(&from->remainders, key, len);
}

// What a source knows of it. False: nothing.
static bool take_over(struct walker *w, const struct walker_source *source, lex_state at, remainder_id remainder,
                      struct outcomes *o)
{
	uint32_t theirs = remainder_there(w, source->walker, remainder);
	uint64_t known =
		theirs == INTERN_NONE ? MAP64_NONE : map64_get(&source->walker->result_of, (uint64_t)at << 32 | theirs);
	if (known == MAP64_NONE) return false;
	*o = source->walker->results.at[known];
	translate(w, source, o);
	return true;
}

bool walker_learned_template(struct walker *w, uint32_t first, remainder_id remainder, struct walk_template *t)
{
	for (uint32_t i = 0; i < w->sources.n; i++) {
		const struct walker *from = w->sources.at[i].walker;
		uint32_t theirs = remainder_there(w, from, remainder);
		uint64_t known =
			theirs == INTERN_NONE ? MAP64_NONE : map64_get(&from->template_of, (uint64_t)first << 32 | theirs);
		if (known == MAP64_NONE) continue;
		*t = (struct walk_template){.limit = from->templates.at[known]->limit,
		                            .inside = from->templates.at[known]->inside};
		translate(w, &w->sources.at[i], &t->inside);
		return true;
	}
	return false;
}

// What is known, a chain's template, another walker's outcomes, or a walk.
struct outcomes walker_outcomes(struct walker *w, lex_state at, remainder_id remainder)
{
	uint64_t key = (uint64_t)at << 32 | remainder, known = map64_get(&w->result_of, key);
	if (known != MAP64_NONE) return w->results.at[known];
	const struct lexer_chains *chains = &w->lexer->chains;
	uint32_t place = chains->n ? chains->place[at] : UINT32_MAX;
	bool in_chain = place != UINT32_MAX && chains->first[place] != UINT32_MAX;
	struct outcomes o;
	if (w->trie->chars && !w->keeps) walker_find_keeps(w);
	if (in_chain && walker_inside_template(w, place, remainder, &o)) return o;
	bool is_known = false;
	for (uint32_t i = 0; i < w->sources.n && !is_known; i++)
		is_known = take_over(w, &w->sources.at[i], at, remainder, &o);
	if (!is_known && in_chain) {
		o = walker_beyond_template(w, place, remainder);
	} else if (!is_known) {
		if (w->ropes.arena.used > FRAGMENTS_MAX_BYTES) forget_ropes(w);
		if (remainder == REMAINDER_WHOLE)
			walk_vocabulary(w, at);
		else
			walk_remainder(w, at, remainder);
		o = walker_collect(w);
	}
	map64_put(&w->result_of, key, w->results.n);
	vec_push(&w->results, o);
	return o;
}
