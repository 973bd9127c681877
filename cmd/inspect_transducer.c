// inspect: what tokens do to the lexer (transducer), its inverse (spanner), and with the parser (sequences).
//
// In:  an artifact's tables. Out: for a lex_state, the terminals that each token emits and the lex_state it reaches.
// The trie over the tokens is walked once per lex_state with all *paths* of the text so far: (terminals emitted,
// lex_state, stack). Without an lr_state the parser is not asked: after terminal t the lexer may start in any context
// that some state after t has. With one (sequences --lr), a stack that holds that state and nothing known below is
// carried along; a reduction that goes below ends the path, marked "...". Sequences and stacks are interned lists.
// Source: GreatGramma (sections 3.2, 3.3): the determinized transducer, realizable terminal sequences, and the inverse
// token spanner table. Cost: trie nodes the lexer survives, times the paths there (at most MAX_PATHS).
#include "base/intern.h"
#include "inspect.h"
#include "token_cut.h"

#define MAX_PATHS 256u    // at one trie node; past it paths are dropped, and the output says so
#define NO_STACK 0u       // nothing is known below
#define BELOW UINT32_MAX  // as lex_state: the stack below decides

struct link {
	uint32_t parent, value;
};  // of an interned list: 0 is the empty one, id + 1 the others
struct lists {
	struct intern links;
};

static uint32_t list_add(struct lists *l, uint32_t parent, uint32_t value)
{
	return intern_add(&l->links, &(struct link){parent, value}, sizeof(struct link), NULL) + 1;
}
static struct link list_at(const struct lists *l, uint32_t id)
{
	struct link x;
	memcpy(&x, intern_get(&l->links, id - 1, NULL), sizeof x);
	return x;
}

struct path {
	uint32_t emitted, lex_state, stack;
};
struct path_set {
	uint32_t n;
	struct path at[MAX_PATHS];
};

struct group_key {
	uint32_t from, emitted, to;
};
struct edge_group {
	uint32_t count, n_sample, sample[INSPECT_SAMPLE];
};

struct walk {
	struct inspect *x;
	struct vocab vocab;
	struct lists emitted, stacks;
	bool *after;  // [(n_terminals) * n_contexts] contexts that may follow a terminal
	bool has_parser, is_cut;
	struct intern keys;  // group_key
	VEC(struct edge_group) groups;
	struct path_set *levels;  // one a depth of the trie
	trie_node *level_end;
};

static void add_path(struct walk *w, struct path_set *to, struct path p)
{
	for (uint32_t i = 0; i < to->n; i++)
		if (!memcmp(&to->at[i], &p, sizeof p)) return;
	if (to->n == MAX_PATHS)
		w->is_cut = true;
	else
		to->at[to->n++] = p;
}

// Pushes t; the new stack, NO_STACK when a reduction goes below what is known, or UINT32_MAX: t is not viable.
static uint32_t push_terminal(struct walk *w, uint32_t stack, uint32_t t)
{
	const struct inspect *x = w->x;
	for (uint32_t fuel = 4 * (x->info->n_lr_states + x->info->n_nonterminals); fuel; fuel--) {
		const uint32_t *actions;
		uint32_t n = view_actions(&x->view, list_at(&w->stacks, stack).value, t, &actions);
		if (!n || *actions == ACTION_ACCEPT) return UINT32_MAX;
		if (n > 1) return NO_STACK;
		uint32_t action = *actions;
		if (action == ACTION_SKIP) return stack;
		if (action & 1) return list_add(&w->stacks, stack, action >> 1);
		struct view_production p = view_production(&x->view, (action >> 1) - 1);
		for (uint32_t i = 0; i < p.n; i++) {
			stack = list_at(&w->stacks, stack).parent;
			if (stack == NO_STACK) return NO_STACK;
		}
		uint32_t to = view_goto(&x->view, list_at(&w->stacks, stack).value, p.left);
		if (!to) return UINT32_MAX;
		stack = list_add(&w->stacks, stack, to);
	}
	return NO_STACK;
}

// The lexeme of p ends before `byte` in one way: paths that go on are added.
static void cut(struct walk *w, const struct path *p, const struct artifact_lex_state *lex, uint8_t byte,
                struct path_set *to)
{
	const struct inspect *x = w->x;
	const struct artifact_info *info = x->info;
	uint32_t t = lex->terminal, emitted = list_add(&w->emitted, p->emitted, t), stack = p->stack;
	uint32_t context = ARTIFACT_NONE;
	if (w->has_parser) {
		if (!view_is_ignored(&x->view, t)) stack = push_terminal(w, stack, t);
		if (stack == UINT32_MAX) return;
		if (stack == NO_STACK) {
			add_path(w, to, (struct path){emitted, BELOW, NO_STACK});
			return;
		}
		context = view_context_of(&x->view, list_at(&w->stacks, stack).value);
	}
	for (uint32_t c = 0; c < info->n_contexts; c++) {
		if (w->has_parser ? c != context : !w->after[(size_t)t * info->n_contexts + c]) continue;
		uint32_t start = view_lex_start(&x->view, lex->obligation, c);
		uint32_t next = start ? view_lex_next(&x->view, start, byte) & LEX_STATE_MASK : 0;
		if (next) add_path(w, to, (struct path){emitted, next, stack});
	}
}

static void step(struct walk *w, const struct path_set *from, uint8_t byte, struct path_set *to)
{
	const struct inspect *x = w->x;
	to->n = 0;
	for (uint32_t i = 0; i < from->n; i++) {
		const struct path *p = &from->at[i];
		if (p->lex_state == BELOW) {
			add_path(w, to, *p);
			continue;
		}
		uint32_t next = view_lex_next(&x->view, p->lex_state, byte);
		for (uint32_t way = next & LEX_CUT ? p->lex_state : 0; way; way = view_lex_state(&x->view, way)->also)
			cut(w, p, view_lex_state(&x->view, way), byte, to);
		if (next & LEX_STATE_MASK) add_path(w, to, (struct path){p->emitted, next & LEX_STATE_MASK, p->stack});
	}
}

static bool emits(const struct walk *w, uint32_t emitted, uint32_t t)
{
	for (; emitted; emitted = list_at(&w->emitted, emitted).parent)
		if (list_at(&w->emitted, emitted).value == t) return true;
	return false;
}

static void note_token(struct walk *w, uint32_t from, const struct path_set *paths, uint32_t token)
{
	for (uint32_t i = 0; i < paths->n; i++) {
		const struct path *p = &paths->at[i];
		if (w->x->terminal != ARTIFACT_NONE && !emits(w, p->emitted, w->x->terminal)) continue;
		// Paths that differ in their stacks alone are one group: the first of them counts.
		bool is_first = true;
		for (uint32_t k = 0; k < i; k++)
			is_first &= paths->at[k].emitted != p->emitted || paths->at[k].lex_state != p->lex_state;
		if (!is_first) continue;
		bool is_new;
		struct group_key key = {from, p->emitted, p->lex_state};
		uint32_t id = intern_add(&w->keys, &key, sizeof key, &is_new);
		if (is_new) vec_push(&w->groups, (struct edge_group){0});
		struct edge_group *g = &w->groups.at[id];
		if (g->n_sample < INSPECT_SAMPLE) g->sample[g->n_sample++] = token;
		g->count++;
	}
}

static void walk_from(struct walk *w, uint32_t from, uint32_t stack)
{
	const struct trie *t = &w->vocab.trie;
	const struct number *only = &w->x->token;
	uint32_t depth = 0;
	w->levels[0].n = 1;
	w->levels[0].at[0] = (struct path){0, from, stack};
	w->level_end[0] = t->n_nodes;
	for (trie_node n = 1; n < t->n_nodes;) {
		while (n >= w->level_end[depth]) depth--;
		step(w, &w->levels[depth], t->byte[n], &w->levels[depth + 1]);
		if (!w->levels[depth + 1].n) {
			n = t->end[n];
			continue;
		}
		for (uint32_t r = t->rank[n]; r < t->rank[n + 1]; r++)
			if (!only->given || only->value == w->vocab.token_of[r])
				note_token(w, from, &w->levels[depth + 1], w->vocab.token_of[r]);
		w->level_end[++depth] = t->end[n];
		n++;
	}
}

static void walk_init(struct walk *w, struct inspect *x)
{
	*w = (struct walk){.x = x};
	token_vocab_of(x->view.artifact, &w->vocab);
	const struct artifact_info *info = x->info;
	w->after = mem_calloc((size_t)info->n_terminals * info->n_contexts + 1, sizeof *w->after);
	for (uint32_t t = 0; t < info->n_terminals; t++)
		for (uint32_t s = 1; s < info->n_lr_states; s++) {
			const uint32_t *actions;
			uint32_t n = view_actions(&x->view, s, t, &actions);
			bool *row = w->after + (size_t)t * info->n_contexts, skips = view_is_ignored(&x->view, t);
			for (uint32_t i = 0; i < n; i++) {
				if (ACTION_IS_SHIFT(actions[i])) row[view_context_of(&x->view, actions[i] >> 1)] = true;
				skips |= actions[i] == ACTION_SKIP;
			}
			if (skips) row[view_context_of(&x->view, s)] = true;
		}
	w->levels = mem_calloc(info->max_token_len + 2u, sizeof *w->levels);
	w->level_end = mem_calloc(info->max_token_len + 2u, sizeof *w->level_end);
}

static void walk_release(struct walk *w)
{
	if (w->is_cut) cli_note("inspect", "some tokens have more than %u readings; the rest is left out", MAX_PATHS);
	vocab_release(&w->vocab);
	intern_release(&w->emitted.links);
	intern_release(&w->stacks.links);
	intern_release(&w->keys);
	vec_release(&w->groups);
	free(w->after);
	free(w->levels);
	free(w->level_end);
}

static void put_emitted(struct walk *w, const char *key, uint32_t emitted, bool is_open)
{
	VEC(uint32_t) terminals = {0};
	for (struct link l; emitted; emitted = l.parent) {
		l = list_at(&w->emitted, emitted);
		vec_push(&terminals, l.value);
	}
	row_list(w->x, key);
	for (uint32_t i = terminals.n; i-- > 0;) row_string(w->x, NULL, view_terminal_name(&w->x->view, terminals.at[i]));
	if (is_open) row_string(w->x, NULL, "...");
	row_close(w->x, true);
	vec_release(&terminals);
}

static uint32_t from_state(const struct inspect *x)
{
	return x->row.given ? (uint32_t)x->row.value : x->info->start_lex_state;
}

// A row for each token: all its readings from one lex_state.
int inspect_transducer(struct inspect *x)
{
	struct walk w;
	walk_init(&w, x);
	uint32_t from = from_state(x);
	struct path_set *a = &w.levels[0], *b = &w.levels[1];
	for (uint32_t t = 0; t < x->info->n_tokens; t++) {
		uint32_t len;
		const uint8_t *bytes = gcdc_artifact_token(x->view.artifact, t, &len);
		if (!len || (x->token.given && x->token.value != t)) continue;
		a->n = 1;
		a->at[0] = (struct path){0, from, NO_STACK};
		for (uint32_t i = 0; i < len && a->n; i++) {
			step(&w, a, bytes[i], b);
			struct path_set *swap = a;
			a = b, b = swap;
		}
		bool is_wanted = x->terminal == ARTIFACT_NONE;
		for (uint32_t i = 0; i < a->n; i++) is_wanted |= emits(&w, a->at[i].emitted, x->terminal);
		if (!a->n || !is_wanted || !row_begin(x)) continue;
		row_uint(x, "token", t);
		row_token_text(x, t);
		row_list(x, "readings");
		for (uint32_t i = 0; i < a->n; i++) {
			row_group(x);
			put_emitted(&w, "emits", a->at[i].emitted, false);
			row_uint(x, "to", a->at[i].lex_state);
			row_close(x, false);
		}
		row_close(x, true);
		row_end(x);
	}
	walk_release(&w);
	return CODE_OK;
}

static void put_group(struct walk *w, uint32_t id)
{
	struct inspect *x = w->x;
	struct group_key key;
	memcpy(&key, intern_get(&w->keys, id, NULL), sizeof key);
	if (!row_begin(x)) return;
	row_uint(x, "lex_state", key.from);
	put_emitted(w, "terminals", key.emitted, key.to == BELOW);
	if (key.to != BELOW) row_uint(x, "to", key.to);
	row_uint(x, "count", w->groups.at[id].count);
	row_tokens(x, "tokens", w->groups.at[id].sample, w->groups.at[id].n_sample);
	row_end(x);
}

// A row for each (lex_state, terminals emitted, lex_state reached): the tokens that do it.
int inspect_spanner(struct inspect *x)
{
	struct walk w;
	walk_init(&w, x);
	for (uint32_t q = 1; q < x->info->n_lex_states; q++)
		if (!x->row.given || x->row.value == q) walk_from(&w, q, NO_STACK);
	for (uint32_t i = 0; i < w.groups.n; i++) put_group(&w, i);
	walk_release(&w);
	return CODE_OK;
}

struct sequence {
	uint32_t emitted, is_open;
};
struct sequence_count {
	uint32_t key;
	uint64_t count;
};

static int compare_count(const void *a, const void *b)
{
	const struct sequence_count *x = a, *y = b;
	if (x->count != y->count) return x->count < y->count ? 1 : -1;
	return (x->key > y->key) - (x->key < y->key);
}

// A row for each distinct sequence of terminals: from one lex_state (and lr_state), or from all.
int inspect_sequences(struct inspect *x)
{
	struct walk w;
	walk_init(&w, x);
	w.has_parser = x->lr.given;
	uint32_t stack = x->lr.given ? list_add(&w.stacks, NO_STACK, (uint32_t)x->lr.value) : NO_STACK;
	for (uint32_t q = 1; q < x->info->n_lex_states; q++)
		if (!x->row.given || x->row.value == q) walk_from(&w, q, stack);
	struct intern keys = {0};
	VEC(struct sequence_count) counts = {0};
	for (uint32_t i = 0; i < w.groups.n; i++) {
		struct group_key key;
		memcpy(&key, intern_get(&w.keys, i, NULL), sizeof key);
		struct sequence s = {key.emitted, key.to == BELOW};
		bool is_new;
		uint32_t id = intern_add(&keys, &s, sizeof s, &is_new);
		if (is_new) vec_push(&counts, ((struct sequence_count){id, 0}));
		counts.at[id].count += w.groups.at[i].count;
	}
	if (counts.n) qsort(counts.at, counts.n, sizeof *counts.at, compare_count);
	for (uint32_t i = 0; i < counts.n; i++) {
		struct sequence s;
		memcpy(&s, intern_get(&keys, counts.at[i].key, NULL), sizeof s);
		if (!row_begin(x)) continue;
		put_emitted(&w, "terminals", s.emitted, s.is_open);
		row_uint(x, "count", counts.at[i].count);
		row_end(x);
	}
	vec_release(&counts);
	intern_release(&keys);
	walk_release(&w);
	return CODE_OK;
}
