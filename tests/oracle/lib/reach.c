// With how many tokens can a stack's text be completed, exactly? Reachability in a pushdown system, to the end.
//
// In:  a configuration of parses that are stacks. Out: the fewest tokens of the vocabulary to a complete text, or that
// none lead to one. What a parse does next depends on its lexeme and on the top of its stack; what lies below matters
// once the top is gone. So a *piece* is a moment of a parse of which only the top is known:
//     READS(node, reading)    within tokens, at a node of their trie (the root: between two); the reading's stack is
//     its top SHIFTS(t, after, s)     lexeme t has ended with s on top: all that the automaton can do under t; `after`
//     says what the
//                             lexer is at then, node included
//     MEETS(t, after, A, s)   A was reduced down to s: push what s goes to by A
// A piece has ways on: to another piece of the same stack, to a piece on top of this one's stack, to the end of the
// text, or out of the known part of the stack (an *exit*: under t, A is reduced and so many states more are popped).
// Its answer is the fewest tokens to the end of the text, and to each exit. Answers begin with "never" and are improved
// until none can be: numbers only go down, so that ends; it is the least solution, which is what runs of the parse do.
// A piece on a whole pile needs what its answer says, or what its exits meet below: smaller piles.
// Not for columns and brackets, which are stacks of their own (viable.c searches). Cost: pieces x ways x rounds, once
// for each grammar and vocabulary; past REACH_MAX_WORK no answer is given, and that is counted.
#include "../oracle.h"

#define REACH_MAX_WORK 60000000u
#define WHOLE_OPEN (UINT32_MAX - 1)

enum piece_kind { READS, SHIFTS, MEETS };
enum way_kind { TO_SAME, TO_ABOVE, TO_EXIT, TO_END };

struct way {
	enum way_kind kind;
	uint32_t to, tokens;
};  // to: a piece, or an exit
struct outcome {
	uint32_t exit, tokens;
};

struct piece {
	bool is_open, is_queued;  // its ways are known; it is to be looked at
	lr_state top;
	VEC(struct way) ways;
	VEC(struct outcome) exits;  // its answer
	uint32_t end;
	VEC(uint32_t) users;  // pieces whose answers use this one's
};

// What of a piece is said by numbers; READS: node, config. SHIFTS: t, after, s. MEETS: t, after, s, A.
struct piece_key {
	uint32_t kind, a, b, c, d;
};
struct after_key {
	uint32_t node, pending, view, held;
	formula f;
};
struct exit_key {
	uint32_t t, after, lhs, pops;
};

struct reach {
	struct intern keys, afters, exits;
	struct intern wholes;       // (piece, pile) ->
	VEC(uint32_t) whole_costs;  // the fewest tokens, or WHOLE_OPEN
	VEC(uint32_t) asked;
	VEC(struct piece *) pieces;
	VEC(uint32_t) queue;
	VEC(uint32_t) next;  // of the tokens' trie: [node * n_alphabet + letter], 0: none
	VEC(uint8_t) ends;   // [node] a token ends here
	VEC(uint8_t) goes_on;
	uint64_t work;
	bool has_given_up;
};

bool oracle_reaches(const struct oracle *o)
{
	return o->parses.are == PARSES_STACKS && !o->grammar->indentation.on && !o->grammar->has_scope;
}

static uint32_t new_node(struct reach *w, uint32_t n_alphabet)
{
	for (uint32_t i = 0; i < n_alphabet; i++) vec_push(&w->next, 0);
	vec_push(&w->ends, 0);
	vec_push(&w->goes_on, 0);
	return w->ends.n - 1;
}

static void build_trie(const struct oracle *o, struct reach *w)
{
	const struct vocab *v = o->vocab;
	new_node(w, o->n_alphabet);
	for (uint32_t i = 0; i < o->tries.n; i++) {
		uint32_t node = 0;
		for (uint32_t k = v->offset[o->tries.at[i]]; k < v->offset[o->tries.at[i] + 1]; k++) {
			size_t at = (size_t)node * o->n_alphabet + o->letter[v->bytes[k]];
			w->goes_on.at[node] = 1;
			if (!w->next.at[at]) {
				uint32_t fresh = new_node(w, o->n_alphabet);
				w->next.at[at] = fresh;
			}
			node = w->next.at[at];
		}
		w->ends.at[node] = 1;
	}
}

void reach_release(struct oracle *o)
{
	struct reach *w = o->reach;
	if (!w) return;
	for (uint32_t i = 0; i < w->pieces.n; i++) {
		vec_release(&w->pieces.at[i]->ways);
		vec_release(&w->pieces.at[i]->exits);
		vec_release(&w->pieces.at[i]->users);
		free(w->pieces.at[i]);
	}
	intern_release(&w->keys);
	intern_release(&w->afters);
	intern_release(&w->exits);
	intern_release(&w->wholes);
	vec_release(&w->whole_costs);
	vec_release(&w->asked);
	vec_release(&w->pieces);
	vec_release(&w->queue);
	vec_release(&w->next);
	vec_release(&w->ends);
	vec_release(&w->goes_on);
	free(w);
	o->reach = NULL;
}

static void enqueue(struct reach *w, uint32_t piece)
{
	if (w->pieces.at[piece]->is_queued) return;
	w->pieces.at[piece]->is_queued = true;
	vec_push(&w->queue, piece);
}

static uint32_t piece_of(struct reach *w, struct piece_key key, lr_state top)
{
	bool is_new;
	uint32_t id = intern_add(&w->keys, &key, sizeof key, &is_new);
	if (is_new) {
		struct piece *p = mem_calloc(1, sizeof *p);
		p->top = top, p->end = ORACLE_NONE;
		vec_push(&w->pieces, p);
		enqueue(w, id);
	}
	return id;
}

// A reading between two bytes; its stack is one state.
static uint32_t piece_reads(struct oracle *o, uint32_t node, uint32_t config)
{
	const struct reading *r = (const struct reading *)o->configs.at[config]->readings;
	return piece_of(o->reach, (struct piece_key){READS, node, config, 0, 0}, parse_top(&o->parses, r->parse));
}

static uint32_t piece_shifts(struct reach *w, terminal_id t, uint32_t after, lr_state s)
{
	return piece_of(w, (struct piece_key){SHIFTS, t, after, s, 0}, s);
}

static uint32_t piece_meets(struct reach *w, const struct exit_key *x, lr_state s)
{
	return piece_of(w, (struct piece_key){MEETS, x->t, x->after, s, x->lhs}, s);
}

static void add_way(struct reach *w, struct piece *p, enum way_kind kind, uint32_t to, uint32_t tokens)
{
	vec_push(&p->ways, ((struct way){kind, to, tokens}));
	w->work++;
}

static void add_exit_way(struct reach *w, struct piece *p, struct exit_key x)
{
	add_way(w, p, TO_EXIT, intern_add(&w->exits, &x, sizeof x, NULL), 0);
}

// ---- ways ----

// A reading that stands at a node of the trie: in the token, and where one ends here, between two.
static void add_reads(struct oracle *o, struct piece *p, uint32_t node, uint32_t config, bool is_inside_too)
{
	struct reach *w = o->reach;
	if (config == CONFIG_DEAD) return;
	if (w->ends.at[node]) add_way(w, p, TO_SAME, piece_reads(o, 0, config), 1);
	if (is_inside_too && w->goes_on.at[node]) add_way(w, p, TO_SAME, piece_reads(o, node, config), 0);
}

// The lexeme may have ended as t, at a node.
static void add_ending(struct oracle *o, struct piece *p, const struct reading *r, uint32_t node, struct lexeme_end at,
                       struct ending x)
{
	struct reach *w = o->reach;
	struct place here = {r->parse, r->columns, r->scopes, r->held};
	if (oracle_place_ignores(o, &here, x.t)) {
		add_reads(o, p, node, config_fresh(o, here, at, x.f), true);
		return;
	}
	if (!stack_viable(&o->parses, p->top, x.t)) return;
	struct after_key after = {0, at.pending, at.view, o->grammar->terminals[x.t].holds, x.f};
	if (w->ends.at[node]) {
		uint32_t id = intern_add(&w->afters, &after, sizeof after, NULL);
		add_way(w, p, TO_SAME, piece_shifts(w, x.t, id, p->top), 1);
	}
	if (w->goes_on.at[node]) {
		after.node = node;
		uint32_t id = intern_add(&w->afters, &after, sizeof after, NULL);
		add_way(w, p, TO_SAME, piece_shifts(w, x.t, id, p->top), 0);
	}
}

// All bytes that go on from a node, as long as the lexeme does.
static void open_reads(struct oracle *o, struct piece *p, uint32_t from_node, uint32_t from_config)
{
	struct reach *w = o->reach;
	const struct config *c = o->configs.at[from_config];
	const struct reading *r = (const struct reading *)c->readings;
	terminal_id end = o->grammar->n_terminals;
	if (!from_node && !c->pending && r->is_fresh && formula_at_end(o, r->f) && stack_viable(&o->parses, p->top, end))
		add_way(w, p, TO_SAME, piece_shifts(w, end, 0, p->top), 0);
	VEC(struct after_key) open = {0};  // node and, as f, a configuration
	vec_push(&open, ((struct after_key){.node = from_node, .f = from_config}));
	while (open.n) {
		struct after_key x = vec_pop(&open);
		for (uint32_t b = 0; b < 256; b++) {
			if (o->letter[b] == o->n_alphabet) continue;
			uint32_t node = w->next.at[(size_t)x.node * o->n_alphabet + o->letter[b]];
			if (!node) continue;
			endings ends = {0};
			struct lexeme_end at;
			uint32_t config = config_lex(o, x.f, (uint8_t)b, &ends, &at);
			add_reads(o, p, node, config, false);
			if (config != CONFIG_DEAD && w->goes_on.at[node])
				vec_push(&open, ((struct after_key){.node = node, .f = config}));
			for (uint32_t i = 0; i < ends.n; i++) add_ending(o, p, r, node, at, ends.at[i]);
			vec_release(&ends);
			w->work++;
		}
	}
	vec_release(&open);
}

static void open_shifts(struct oracle *o, struct piece *p, terminal_id t, uint32_t after)
{
	struct reach *w = o->reach;
	uint32_t n, one;
	const uint32_t *a = lr_actions(&o->parses.lr, p->top, t, &n, &one);
	for (uint32_t i = 0; i < n; i++) {
		if (a[i] == ACTION_SKIP) continue;
		if (a[i] == ACTION_ACCEPT)
			add_way(w, p, TO_END, 0, 0);
		else if (ACTION_IS_SHIFT(a[i])) {
			struct after_key x = *(const struct after_key *)intern_get(&w->afters, after, NULL);
			struct place above = oracle_place_start(o);
			above.parse = parse_bottom(&o->parses, a[i] / 2), above.held = x.held;
			uint32_t config = config_fresh(o, above, (struct lexeme_end){x.pending, x.view}, x.f);
			if (config != CONFIG_DEAD) add_way(w, p, TO_ABOVE, piece_reads(o, x.node, config), 0);
		} else {
			struct lr_production made = o->parses.lr.production[a[i] / 2 - 1];
			struct exit_key x = {t, after, made.lhs, made.length};
			if (made.length)
				add_exit_way(w, p, x);
			else
				add_way(w, p, TO_SAME, piece_meets(w, &x, p->top), 0);
		}
	}
}

static void open_piece(struct oracle *o, uint32_t id)
{
	struct reach *w = o->reach;
	struct piece *p = w->pieces.at[id];
	struct piece_key key = *(const struct piece_key *)intern_get(&w->keys, id, NULL);
	p->is_open = true;
	switch ((enum piece_kind)key.kind) {
	case READS: open_reads(o, p, key.a, key.b); break;
	case SHIFTS: open_shifts(o, p, key.a, key.b); break;
	case MEETS: {
		lr_state to = lr_goto(&o->parses.lr, p->top, key.d);
		if (to) add_way(w, p, TO_ABOVE, piece_shifts(w, key.a, key.b, to), 0);
	}
	}
	for (uint32_t i = 0; i < p->ways.n; i++)
		if (p->ways.at[i].kind <= TO_ABOVE) vec_push(&w->pieces.at[p->ways.at[i].to]->users, id);
}

// ---- answers ----

static uint32_t sum(uint32_t a, uint32_t b) { return a == ORACLE_NONE || b == ORACLE_NONE ? ORACLE_NONE : a + b; }

static bool better_exit(struct piece *p, uint32_t exit, uint32_t tokens)
{
	for (uint32_t i = 0; i < p->exits.n; i++) {
		struct outcome *x = &p->exits.at[i];
		if (x->exit != exit) continue;
		if (x->tokens <= tokens) return false;
		x->tokens = tokens;
		return true;
	}
	vec_push(&p->exits, ((struct outcome){exit, tokens}));
	return true;
}

static bool better_end(struct piece *p, uint32_t tokens)
{
	if (tokens >= p->end) return false;
	p->end = tokens;
	return true;
}

// What leaves the piece above p's top: on to this one's own stack, or past it.
static void leave_above(struct reach *w, uint32_t id, struct piece *p, struct outcome x)
{
	struct exit_key key = *(const struct exit_key *)intern_get(&w->exits, x.exit, NULL);
	if (key.pops > 1) {
		key.pops--;
		add_exit_way(w, p, key);
	} else {
		uint32_t to = piece_meets(w, &key, p->top);
		add_way(w, p, TO_SAME, to, 0);
		vec_push(&w->pieces.at[to]->users, id);
	}
	p->ways.at[p->ways.n - 1].tokens = x.tokens;
}

// A way that leave_above added before, with more tokens.
static bool has_way(struct reach *w, struct piece *p, struct outcome x)
{
	struct exit_key key = *(const struct exit_key *)intern_get(&w->exits, x.exit, NULL);
	uint32_t to;
	enum way_kind kind = key.pops > 1 ? TO_EXIT : TO_SAME;
	if (key.pops > 1) {
		key.pops--;
		to = intern_add(&w->exits, &key, sizeof key, NULL);
	} else
		to = piece_meets(w, &key, p->top);
	for (uint32_t i = 0; i < p->ways.n; i++) {
		struct way *y = &p->ways.at[i];
		if (y->kind != kind || y->to != to) continue;
		if (x.tokens < y->tokens) y->tokens = x.tokens;
		return true;
	}
	return false;
}

static void improve(struct oracle *o, uint32_t id)
{
	struct reach *w = o->reach;
	struct piece *p = w->pieces.at[id];
	if (!p->is_open) open_piece(o, id);
	bool is_better = false;
	for (uint32_t i = 0; i < p->ways.n; i++) {
		struct way x = p->ways.at[i];
		w->work++;
		if (x.kind == TO_END) is_better |= better_end(p, x.tokens);
		if (x.kind == TO_EXIT) is_better |= better_exit(p, x.to, x.tokens);
		if (x.kind > TO_ABOVE) continue;
		const struct piece *q = w->pieces.at[x.to];
		is_better |= better_end(p, sum(q->end, x.tokens));
		for (uint32_t k = 0; k < q->exits.n; k++) {
			struct outcome y = {q->exits.at[k].exit, q->exits.at[k].tokens + x.tokens};
			w->work++;
			if (x.kind == TO_SAME)
				is_better |= better_exit(p, y.exit, y.tokens);
			else if (!has_way(w, p, y))
				leave_above(w, id, p, y);
		}
	}
	for (uint32_t i = 0; i < p->users.n && is_better; i++) enqueue(w, p->users.at[i]);
}

// The answer of a piece, improved until it cannot be. False: too much work.
static bool settle(struct oracle *o)
{
	struct reach *w = o->reach;
	while (w->queue.n && !w->has_given_up) {
		uint32_t id = vec_pop(&w->queue);
		w->pieces.at[id]->is_queued = false;
		improve(o, id);
		w->has_given_up = w->work > REACH_MAX_WORK;
	}
	return !w->has_given_up;
}

// ---- whole piles ----

// A piece whose stack is a pile.
static uint32_t whole_of(struct reach *w, uint32_t piece, uint32_t pile)
{
	uint32_t key[2] = {piece, pile};
	bool is_new;
	uint32_t id = intern_add(&w->wholes, key, sizeof key, &is_new);
	if (is_new) vec_push(&w->whole_costs, WHOLE_OPEN);
	return id;
}

// What leaves the pile by an exit and meets those below: the least of what is known; what is not yet is asked for.
static void leave(struct oracle *o, uint32_t pile, struct outcome x, uint32_t *least)
{
	struct reach *w = o->reach;
	const struct exit_key key = *(const struct exit_key *)intern_get(&w->exits, x.exit, NULL);
	struct intern below;
	parse_pop(&o->parses, pile, key.pops, &below);
	for (uint32_t i = 0; i < below.entries.n; i++) {
		uint32_t to = *(const uint32_t *)intern_get(&below, i, NULL);
		uint32_t id = whole_of(w, piece_meets(w, &key, parse_top(&o->parses, to)), to), cost = w->whole_costs.at[id];
		if (cost == WHOLE_OPEN)
			vec_push(&w->asked, id);
		else if (sum(cost, x.tokens) < *least)
			*least = cost + x.tokens;
	}
	intern_release(&below);
}

// Those asked for last are answered first: each asks for smaller piles only. False: too much work.
static bool answer(struct oracle *o)
{
	struct reach *w = o->reach;
	while (w->asked.n) {
		uint32_t id = w->asked.at[w->asked.n - 1], at = w->asked.n;
		const uint32_t *key = intern_get(&w->wholes, id, NULL);
		if (w->whole_costs.at[id] != WHOLE_OPEN) {  // asked for twice
			w->asked.n--;
			continue;
		}
		if (!settle(o)) return false;
		const struct piece *p = w->pieces.at[key[0]];
		uint32_t least = p->end;
		for (uint32_t e = 0; e < p->exits.n; e++) leave(o, key[1], p->exits.at[e], &least);
		if (w->asked.n > at) continue;
		w->whole_costs.at[id] = least;
		w->asked.n--;
	}
	return true;
}

// One reading with all that is below it.
static bool cost_alone(struct oracle *o, uint32_t config, uint32_t *cost)
{
	uint32_t parse = ((const struct reading *)o->configs.at[config]->readings)->parse;
	uint32_t id = whole_of(o->reach, piece_reads(o, 0, config_on_top(o, config)), parse);
	vec_clear(&o->reach->asked);
	if (o->reach->whole_costs.at[id] == WHOLE_OPEN) vec_push(&o->reach->asked, id);
	if (!answer(o)) return false;
	*cost = o->reach->whole_costs.at[id];
	return true;
}

bool oracle_cost(struct oracle *o, uint32_t config, uint32_t *cost)
{
	*cost = ORACLE_NONE;
	if (config == CONFIG_DEAD) return true;
	if (!o->reach) {
		o->reach = mem_calloc(1, sizeof *o->reach);
		struct after_key none = {0};
		intern_add(&o->reach->afters, &none, sizeof none, NULL);
		build_trie(o, o->reach);
	}
	struct config *c = o->configs.at[config];
	if (c->has_cost) {
		*cost = c->cost;
		return true;
	}
	if (c->n_readings == 1 && !c->is_cut) {
		if (!cost_alone(o, config, cost)) return false;
	} else {
		const uint32_t *alone = config_alone(o, config);
		uint32_t n = c->n_readings;
		for (uint32_t i = 0; i < n; i++) {
			uint32_t one;
			if (!oracle_cost(o, alone[i], &one)) return false;
			if (one < *cost) *cost = one;
		}
		if (c->is_cut && *cost == ORACLE_NONE) return false;
	}
	c->cost = *cost, c->has_cost = true;
	c->verdict = *cost == ORACLE_NONE ? VERDICT_DEAD : VERDICT_VIABLE;
	return true;
}
