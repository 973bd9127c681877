// Can tokens of this vocabulary complete the text? By search.
//
// In:  a configuration. Out: viable (a completion is known), dead (every configuration that tokens can reach was
// looked at, none may end), or unknown: nesting can make infinitely many configurations, and the budget ran out.
// Looks in two orders by turns: first found first, and fewest terminals to the end of a sentence first (the one finds
// short completions, the other the way out of deep nesting). What is found is kept. Where parses are stacks, each
// reading is searched from alone; reach.c decides without a search where it can.
#include "../oracle.h"

// A configuration with more readings, or with more items in an Earley set than these and some for each production, is
// not looked at; then nothing is called dead.
#define MAX_READINGS 40
#define MAX_ITEMS 200
#define MAX_ITEMS_PER_PRODUCTION 8
#define LARGE_BUDGET 10000
#define MAX_WORK 500  // Earley items added for each configuration of the budget

struct search {
	VEC(uint64_t) heap;  // terminals to the end << 32 | UINT32_MAX - place in seen: the newest of the nearest
	VEC(uint32_t) seen;  // in order of discovery
	uint32_t next;       // in seen
};

static void heap_push(struct search *s, uint64_t x)
{
	vec_push(&s->heap, x);
	uint32_t i = s->heap.n - 1;
	for (; i && s->heap.at[(i - 1) / 2] > x; i = (i - 1) / 2) s->heap.at[i] = s->heap.at[(i - 1) / 2];
	s->heap.at[i] = x;
}

static uint64_t heap_pop(struct search *s)
{
	uint64_t top = s->heap.at[0], x = vec_pop(&s->heap);
	uint32_t i = 0, n = s->heap.n;
	for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && s->heap.at[child + 1] < s->heap.at[child]) child++;
		if (s->heap.at[child] >= x) break;
		s->heap.at[i] = s->heap.at[child];
	}
	if (n) s->heap.at[i] = x;
	return top;
}

static void visit_one(struct oracle *o, struct search *s, uint32_t id, uint32_t parent, uint32_t token)
{
	struct config *c = o->configs.at[id];
	if (c->stamp == o->stamp) return;
	c->stamp = o->stamp, c->parent = parent, c->parent_token = token;
	vec_push(&s->seen, id);
	heap_push(s, (uint64_t)c->to_end << 32 | (UINT32_MAX - (s->seen.n - 1)));
}

// Is `wide` what `narrow` is, but for one blank more at the beginning of a line that is deeper than all open columns
// already? Then it need not be looked at, where every byte is a token: what completes it completes `narrow`, if the
// lines that have the same width as this one are written as wide as `narrow` is.
static bool is_only_wider(const struct oracle *o, const struct config *narrow, const struct config *wide)
{
	const struct indentation *in = &o->grammar->indentation;
	if (!in->on || !o->by_bytes || in->tab_rule == TAB_REFUSED || narrow->n_readings != wide->n_readings ||
	    narrow->column >= COLUMN_REFUSED || wide->column <= narrow->column || wide->column >= COLUMN_REFUSED ||
	    narrow->pending != wide->pending || narrow->view != wide->view)
		return false;
	const uint32_t *a = narrow->readings, *b = wide->readings;
	for (uint32_t i = 0; i < narrow->n_readings; i++) {
		const struct reading *x = (const struct reading *)a, *y = (const struct reading *)b;
		uint32_t words = (uint32_t)(sizeof *x / 4 + 2 * x->n_alive);
		if (x->n_alive != y->n_alive || x->parse != y->parse || x->is_fresh != y->is_fresh ||
		    x->has_line != y->has_line || x->scopes != y->scopes || x->held != y->held || x->f != y->f ||
		    memcmp(x->alive, y->alive, x->n_alive * sizeof *x->alive) != 0)
			return false;
		const uint32_t *open = intern_get(&o->lists, x->columns, NULL),
					   *open_wide = intern_get(&o->lists, y->columns, NULL);
		// This line opened its column, or has not been compared yet.
		bool opened = open[0] == narrow->column && open_wide[0] == wide->column && open[1] == open_wide[1];
		if (!opened && (x->columns != y->columns || open[0] >= narrow->column)) return false;
		a += words, b += words;
	}
	return true;
}

// `from`: the one that the token leads from, or NULL.
static void visit(struct oracle *o, struct search *s, uint32_t id, const struct config *from, uint32_t parent,
                  uint32_t token)
{
	uint32_t one[1] = {id}, n = 1;
	const uint32_t *alone = one;
	if (o->parses.are == PARSES_STACKS) alone = config_alone(o, id), n = o->configs.at[id]->n_readings;
	for (uint32_t i = 0; i < n; i++)
		if (!from || !is_only_wider(o, from, o->configs.at[alone[i]])) visit_one(o, s, alone[i], parent, token);
}

// The next configuration to look at, or ORACLE_NONE.
static uint32_t choose(struct oracle *o, struct search *s, bool oldest)
{
	for (;;) {
		uint32_t id;
		if (oldest && s->next < s->seen.n)
			id = s->seen.at[s->next++];
		else if (s->heap.n)
			id = s->seen.at[UINT32_MAX - (uint32_t)heap_pop(s)];
		else
			return ORACLE_NONE;
		struct config *c = o->configs.at[id];
		if (c->expanded == o->stamp) continue;
		c->expanded = o->stamp;
		return id;
	}
}

// It is for what the engine promises: then it may take longer.
static bool is_too_large(const struct oracle *o, const struct config *c, uint32_t budget)
{
	uint32_t times = budget >= LARGE_BUDGET ? 2 : 1;
	if (c->n_readings > times * MAX_READINGS) return true;
	if (o->parses.are == PARSES_STACKS) return false;
	const struct earley *e = &o->parses.earley;
	const uint32_t *at = c->readings;
	for (uint32_t i = 0; i < c->n_readings; i++) {
		const struct reading *r = (const struct reading *)at;
		if (e->sets.at[r->parse].n_items > times * (MAX_ITEMS + MAX_ITEMS_PER_PRODUCTION * e->productions.n))
			return true;
		at += sizeof *r / 4 + 2 * r->n_alive;
	}
	return false;
}

enum verdict oracle_viable(struct oracle *o, uint32_t config, uint32_t budget)
{
	if (config == CONFIG_DEAD) return VERDICT_DEAD;
	struct config *first = o->configs.at[config];
	if (first->verdict != VERDICT_UNKNOWN) return (enum verdict)first->verdict;
	if (oracle_reaches(o)) {
		uint32_t cost;
		if (oracle_cost(o, config, &cost)) return cost == ORACLE_NONE ? VERDICT_DEAD : VERDICT_VIABLE;
		o->n_unreached++;  // too much work: what follows may find a completion, or that there is none
	}
	if (first->searched >= budget) return VERDICT_UNKNOWN;
	bool is_worth_it = o->by_bytes ? !first->searched : budget >= LARGE_BUDGET;
	if (is_worth_it && oracle_hint(o, config)) return VERDICT_VIABLE;
	struct search s = {0};
	enum verdict verdict = VERDICT_DEAD;
	bool is_partial = first->is_cut;
	uint64_t work = o->parses.earley.work;
	o->stamp++;
	visit(o, &s, config, NULL, ORACLE_NONE, 0);
	uint32_t id;
	for (uint32_t expanded = 0; (id = choose(o, &s, expanded % 2)) != ORACLE_NONE; expanded++) {
		if (expanded == budget || o->parses.earley.work - work > (uint64_t)MAX_WORK * budget) {
			verdict = VERDICT_UNKNOWN;
			break;
		}
		o->n_expanded++;
		struct config *c = o->configs.at[id];
		if (c->verdict == VERDICT_DEAD) continue;
		if (c->verdict != VERDICT_VIABLE && is_too_large(o, c, budget)) {
			is_partial = true;
			continue;
		}
		if (c->verdict == VERDICT_VIABLE || oracle_complete(o, id)) {
			// Everything on the way here is viable.
			for (uint32_t i = id; i != ORACLE_NONE; i = o->configs.at[i]->parent)
				o->configs.at[i]->verdict = VERDICT_VIABLE;
			first->verdict = verdict = VERDICT_VIABLE;
			break;
		}
		for (uint32_t i = 0; i < o->tries.n; i++) {
			token_id t = o->tries.at[i];
			const struct vocab *v = o->vocab;
			uint32_t to = oracle_step(o, id, v->bytes + v->offset[t], v->offset[t + 1] - v->offset[t]);
			if (to == CONFIG_DEAD || o->configs.at[to]->stamp == o->stamp) continue;
			is_partial |= o->configs.at[to]->is_cut;
			visit(o, &s, to, c, id, t);
		}
	}
	o->was_partial = is_partial;
	if (verdict == VERDICT_DEAD && is_partial) verdict = VERDICT_UNKNOWN;
	if (verdict == VERDICT_DEAD) {
		for (uint32_t i = 0; i < s.seen.n; i++) o->configs.at[s.seen.at[i]]->verdict = VERDICT_DEAD;
		first->verdict = VERDICT_DEAD;
		o->n_exhausted++;
	} else if (verdict == VERDICT_UNKNOWN) {
		first->searched = budget;
		o->n_bounded++;
	}
	vec_release(&s.heap);
	vec_release(&s.seen);
	return verdict;
}

// The tokens' bytes, in o's arena.
static const uint8_t *spell(struct oracle *o, const token_id *tokens, uint32_t n, size_t *len)
{
	const struct vocab *v = o->vocab;
	VEC(uint8_t) text = {0};
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = v->offset[tokens[k]]; i < v->offset[tokens[k] + 1]; i++) vec_push(&text, v->bytes[i]);
	uint8_t *out = arena_alloc(&o->arena, text.n ? text.n : 1);
	if (text.n) memcpy(out, text.at, text.n);
	*len = text.n;
	vec_release(&text);
	return out;
}

// Each token makes the cost one less.
static const uint8_t *go_down(struct oracle *o, uint32_t config, size_t *len)
{
	VEC(token_id) way = {0};
	uint32_t cost = 0;
	bool goes_on = oracle_cost(o, config, &cost);
	while (goes_on && cost && cost != ORACLE_NONE) {
		goes_on = false;
		for (uint32_t i = 0; i < o->tries.n && !goes_on; i++) {
			token_id t = o->tries.at[i];
			const struct vocab *v = o->vocab;
			uint32_t to = oracle_step(o, config, v->bytes + v->offset[t], v->offset[t + 1] - v->offset[t]), after;
			if (to == CONFIG_DEAD || !oracle_cost(o, to, &after) || after + 1 != cost) continue;
			vec_push(&way, t);
			config = to, cost = after, goes_on = true;
		}
	}
	const uint8_t *out = spell(o, way.at, way.n, len);
	vec_release(&way);
	return out;
}

// By breadth through viable configurations only.
static const uint8_t *search_down(struct oracle *o, uint32_t config, size_t *len)
{
	VEC(uint32_t) queue = {0};
	VEC(token_id) way = {0}, forth = {0};
	o->stamp++;
	o->configs.at[config]->stamp = o->stamp, o->configs.at[config]->parent = ORACLE_NONE;
	vec_push(&queue, config);
	for (uint32_t q = 0; q < queue.n; q++) {
		uint32_t id = queue.at[q];
		const struct vocab *v = o->vocab;
		if (oracle_complete(o, id)) {
			for (uint32_t i = id; o->configs.at[i]->parent != ORACLE_NONE; i = o->configs.at[i]->parent)
				vec_push(&way, o->configs.at[i]->parent_token);
			while (way.n) vec_push(&forth, vec_pop(&way));
			break;
		}
		for (uint32_t i = 0; i < o->tries.n; i++) {
			token_id t = o->tries.at[i];
			uint32_t to = oracle_step(o, id, v->bytes + v->offset[t], v->offset[t + 1] - v->offset[t]), n = 1;
			if (to == CONFIG_DEAD) continue;
			const uint32_t *alone = &to;
			if (o->parses.are == PARSES_STACKS) alone = config_alone(o, to), n = o->configs.at[to]->n_readings;
			for (uint32_t k = 0; k < n; k++) {
				struct config *c = o->configs.at[alone[k]];
				if (c->stamp == o->stamp || c->verdict != VERDICT_VIABLE) continue;
				c->stamp = o->stamp, c->parent = id, c->parent_token = t;
				vec_push(&queue, alone[k]);
			}
		}
	}
	const uint8_t *out = spell(o, forth.at, forth.n, len);
	vec_release(&queue);
	vec_release(&way);
	vec_release(&forth);
	return out;
}

const uint8_t *oracle_completion(struct oracle *o, uint32_t config, size_t *len)
{
	return oracle_reaches(o) ? go_down(o, config, len) : search_down(o, config, len);
}
