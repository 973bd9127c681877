// The finished grammar: productions that no text needs are left out, the others are numbered anew.
//
// In:  terminals and productions in the making. Out: struct grammar, whose start is nonterminal 0.
// Cost: linear, and sorting the productions of each nonterminal.
#include "rules.h"

static void find_productive(const struct rules *r, uint8_t *productive)
{
	// By how many symbols of each rule are not known yet.
	uint32_t *missing = mem_calloc((size_t)r->rules.n + 1, sizeof *missing), n = r->nonterminals.n;
	uint32_t *first = mem_calloc((size_t)n + 2, sizeof *first);
	for (uint32_t i = 0; i < r->symbols.n; i++)
		if (r->symbols.at[i] & 1) first[(r->symbols.at[i] >> 1) + 1]++;
	for (uint32_t i = 0; i < n; i++) first[i + 1] += first[i];
	uint32_t *uses = mem_calloc((size_t)r->symbols.n + 1, sizeof *uses), *at = mem_calloc((size_t)n + 1, sizeof *at);
	memcpy(at, first, n * sizeof *at);
	u32_list queue = {0};
	for (uint32_t i = 0; i < r->rules.n; i++) {
		const struct rule *x = &r->rules.at[i];
		for (uint32_t k = 0; k < x->n; k++)
			if (r->symbols.at[x->first + k] & 1) uses[at[r->symbols.at[x->first + k] >> 1]++] = i, missing[i]++;
		if (!missing[i]) vec_push(&queue, x->lhs >> 1);
	}
	for (uint32_t i = 0; i < queue.n; i++) {
		uint32_t a = queue.at[i];
		if (productive[a]) continue;
		productive[a] = 1;
		for (uint32_t k = first[a]; k < first[a + 1]; k++)
			if (!--missing[uses[k]]) vec_push(&queue, r->rules.at[uses[k]].lhs >> 1);
	}
	vec_release(&queue);
	free(missing), free(first), free(uses), free(at);
}

// Nonterminals that are one symbol and nothing else stand for it.
static void find_aliases(const struct rules *r, const uint8_t *live, symbol *alias, symbol start)
{
	uint32_t n = r->nonterminals.n, *count = mem_calloc((size_t)n + 1, sizeof *count);
	symbol *only = mem_calloc((size_t)n + 1, sizeof *only);
	for (uint32_t i = 0; i < r->rules.n; i++) {
		if (!live[i]) continue;
		const struct rule *x = &r->rules.at[i];
		count[x->lhs >> 1]++;
		only[x->lhs >> 1] = x->n == 1 ? r->symbols.at[x->first] : NO_SYMBOL;
	}
	for (uint32_t a = 0; a < n; a++) {
		symbol x = a * 2 + 1;
		for (uint32_t hops = 0; hops < n; hops++) {
			uint32_t b = x >> 1;
			if (!(x & 1) || x == start || count[b] != 1 || only[b] == NO_SYMBOL || only[b] == x) break;
			x = only[b];
		}
		alias[a] = x;
	}
	free(count), free(only);
}

static int compare_rules(const void *a, const void *b)
{
	const struct production *x = a, *y = b;
	if (x->lhs != y->lhs) return x->lhs < y->lhs ? -1 : 1;
	uint32_t n = x->n_rhs < y->n_rhs ? x->n_rhs : y->n_rhs;
	for (uint32_t i = 0; i < n; i++)
		if (x->rhs[i] != y->rhs[i]) return x->rhs[i] < y->rhs[i] ? -1 : 1;
	return (x->n_rhs > y->n_rhs) - (x->n_rhs < y->n_rhs);
}

uint32_t rules_sort_productions(struct production *at, uint32_t n)
{
	uint32_t kept = 0;
	if (n) qsort(at, n, sizeof *at, compare_rules);
	for (uint32_t k = 0; k < n; k++)
		if (!k || compare_rules(&at[k], &at[kept - 1])) at[kept++] = at[k];
	return kept;
}

static struct term *copy_term(struct arena *a, const struct term *t)
{
	struct term *c = arena_alloc(a, sizeof *c);
	*c = *t;
	if (t->text) {
		void *text = arena_alloc(a, t->text_len + 1);
		memcpy(text, t->text, t->text_len);
		c->text = text;
	}
	if (t->n_children) c->children = arena_array(a, t->n_children, sizeof *c->children);
	for (uint32_t i = 0; i < t->n_children; i++) c->children[i] = copy_term(a, t->children[i]);
	return c;
}

// The finished grammar: what is reached from the start, numbered anew.
struct finishing {
	const struct rules *r;
	struct grammar *g;
	uint8_t *live, *used;  // [rule], [terminal]
	symbol *alias;         // [nonterminal]
	uint32_t *by, *first;  // rules by left side: by[first[a] .. first[a + 1])
	uint32_t *number;      // [nonterminal] in the grammar; UINT32_MAX: not reached
	uint32_t *terminal;    // [terminal] in the grammar
	u32_list order;        // nonterminals as they are reached
};

static void finishing_init(struct finishing *f, const struct rules *r, struct grammar *g)
{
	const size_t n = (size_t)r->nonterminals.n + 1, n_rules = (size_t)r->rules.n + 1;
	const size_t n_terminals = (size_t)r->terminals.n + 1;
	*f = (struct finishing){.r = r,
	                        .g = g,
	                        .live = mem_calloc(n_rules, 1),
	                        .used = mem_calloc(n_terminals, 1),
	                        .alias = mem_calloc(n, sizeof *f->alias),
	                        .by = mem_calloc(n_rules, sizeof *f->by),
	                        .first = mem_calloc(n + 1, sizeof *f->first),
	                        .number = mem_alloc(n * sizeof *f->number),
	                        .terminal = mem_calloc(n_terminals, sizeof *f->terminal)};
	memset(f->number, 0xFF, n * sizeof *f->number);
}

static void finishing_release(struct finishing *f)
{
	vec_release(&f->order);
	free(f->live), free(f->used), free(f->alias), free(f->by), free(f->first), free(f->number), free(f->terminal);
}

// Rules that have a text, and say something.
static void find_live(struct finishing *f, const uint8_t *productive)
{
	const struct rules *r = f->r;
	for (uint32_t i = 0; i < r->rules.n; i++) {
		const struct rule *x = &r->rules.at[i];
		f->live[i] = 1;
		for (uint32_t k = 0; k < x->n; k++) {
			symbol y = r->symbols.at[x->first + k];
			if ((y & 1) && !productive[y >> 1]) f->live[i] = 0;
			if (x->n == 1 && y == x->lhs) f->live[i] = 0;
		}
	}
}

static void sort_by_left_side(struct finishing *f)
{
	const struct rules *r = f->r;
	const uint32_t n = r->nonterminals.n;
	for (uint32_t i = 0; i < r->rules.n; i++) f->first[(r->rules.at[i].lhs >> 1) + 1]++;
	for (uint32_t i = 0; i < n; i++) f->first[i + 1] += f->first[i];
	uint32_t *at = mem_calloc((size_t)n + 1, sizeof *at);
	memcpy(at, f->first, n * sizeof *at);
	for (uint32_t i = 0; i < r->rules.n; i++) f->by[at[r->rules.at[i].lhs >> 1]++] = i;
	free(at);
}

static void reach(struct finishing *f, uint32_t a)
{
	if (f->number[a] != UINT32_MAX) return;
	f->number[a] = f->order.n;
	vec_push(&f->order, a);
}

static symbol symbol_of(const struct finishing *f, const struct rule *x, uint32_t k)
{
	symbol y = f->r->symbols.at[x->first + k];
	return y & 1 ? f->alias[y >> 1] : y;
}

static void find_reachable(struct finishing *f, uint32_t start)
{
	reach(f, start);
	for (uint32_t i = 0; i < f->order.n; i++) {
		uint32_t a = f->order.at[i];
		for (uint32_t k = f->first[a]; k < f->first[a + 1]; k++) {
			const struct rule *x = &f->r->rules.at[f->by[k]];
			for (uint32_t j = 0; f->live[f->by[k]] && j < x->n; j++) {
				symbol y = symbol_of(f, x, j);
				if (y & 1)
					reach(f, y >> 1);
				else
					f->used[y >> 1] = 1;
			}
		}
	}
}

static void add_blanks(const struct rules *r, struct grammar *g, uint32_t at)
{
	uint32_t most = r->s->o->blanks ? r->s->o->blanks : SCHEMA_BLANKS;
	const bool once = r->s->o->blanks_once;  // else another may follow, and the pattern itself says that none does
	const char *text = most == UINT32_MAX
	                       ? "[ \\t\\n\\r]+"
	                       : arena_printf(&g->arena, "[ \\t\\n\\r]{1,%u}%s", most, once ? "" : "(?![ \\t\\n\\r])");
	struct term *t = arena_alloc(&g->arena, sizeof *t);
	*t = (struct term){.kind = TERM_REGEX, .text = text, .text_len = (uint32_t)strlen(text)};
	bool held = false;
	for (uint32_t i = 0; i < at; i++) held |= g->terminals[i].holds;
	struct terminal *blanks = &g->terminals[at];
	*blanks = (struct terminal){.name = "WS", .pattern = t, .is_ignored = !held, .is_held = held, .comes_once = once};
}

// Terminals keep their order.
static void take_terminals(struct finishing *f)
{
	const struct rules *r = f->r;
	struct grammar *g = f->g;
	uint32_t n = 0;
	for (uint32_t t = 0; t < r->terminals.n; t++)
		if (f->used[t]) f->terminal[t] = n++;
	bool blanks = r->s->o->space == SCHEMA_SPACE_ANY;
	g->terminals = arena_array(&g->arena, (size_t)n + 1, sizeof *g->terminals);
	g->n_terminals = n + blanks;
	for (uint32_t t = 0; t < r->terminals.n; t++) {
		if (!f->used[t]) continue;
		struct terminal *to = &g->terminals[f->terminal[t]];
		*to = r->terminals.at[t];
		to->name = arena_strndup(&g->arena, to->name, strlen(to->name));
		to->pattern = copy_term(&g->arena, to->pattern);
		to->shape = words_copy(to->shape, to->n_shape, &g->arena);
	}
	if (blanks) add_blanks(r, g, n);
}

static void take_nonterminals(struct finishing *f)
{
	struct grammar *g = f->g;
	g->n_nonterminals = f->order.n;
	g->nonterminals = arena_array(&g->arena, f->order.n, sizeof *g->nonterminals);
	for (uint32_t i = 0; i < f->order.n; i++) {
		g->nonterminals[i] = f->r->nonterminals.at[f->order.at[i]];
		const char *name = g->nonterminals[i].name;
		g->nonterminals[i].name = arena_strndup(&g->arena, name, strlen(name));
	}
}

typedef VEC(struct production) production_list;

// Those of nonterminal i, sorted, each once.
static void take_productions(struct finishing *f, uint32_t i, production_list *out)
{
	struct grammar *g = f->g;
	const uint32_t a = f->order.at[i], from = out->n;
	for (uint32_t k = f->first[a]; k < f->first[a + 1]; k++) {
		if (!f->live[f->by[k]]) continue;
		const struct rule *x = &f->r->rules.at[f->by[k]];
		symbol_id *rhs = arena_array(&g->arena, (size_t)x->n + 1, sizeof *rhs);
		for (uint32_t j = 0; j < x->n; j++) {
			symbol y = symbol_of(f, x, j);
			rhs[j] = y & 1 ? g->n_terminals + f->number[y >> 1] : f->terminal[y >> 1];
		}
		if (x->n == 1 && rhs[0] == g->n_terminals + i) continue;
		vec_push(out, ((struct production){.lhs = i, .rhs = rhs, .n_rhs = x->n, .loc = g->nonterminals[i].loc}));
	}
	out->n = from + rules_sort_productions(out->at + from, out->n - from);
}

static void take_all(struct finishing *f)
{
	struct grammar *g = f->g;
	production_list productions = {0};
	take_terminals(f);
	take_nonterminals(f);
	for (uint32_t i = 0; i < f->order.n; i++) take_productions(f, i, &productions);
	g->n_productions = productions.n;
	g->productions = arena_array(&g->arena, productions.n, sizeof *g->productions);
	memcpy(g->productions, productions.at, productions.n * sizeof *g->productions);
	vec_release(&productions);
	g->start = 0;
	rules_merge(g);
	grammar_set_hash(g);
}

// All that some production names; those that wait come behind all others.
static bool build_places(struct rules *r)
{
	VEC(struct place_info *) waiting = {0};
	bool ok = true;
	for (uint32_t next = 0; ok && (r->n_built < r->wanted.n || next < waiting.n);) {
		const bool waited = r->n_built == r->wanted.n;
		struct place_info *p = waited ? waiting.at[next++] : r->wanted.at[r->n_built++];
		if (!waited && !p->is_built && p->waits && !p->is_settled)
			vec_push(&waiting, p);
		else if (!p->is_built)
			ok = place_build(r, p);
	}
	vec_release(&waiting);
	return ok;
}

bool rules_finish(struct rules *r, symbol start, struct grammar *g)
{
	if (!build_places(r)) return false;
	if (r->s->failed) return false;
	uint8_t *productive = mem_calloc((size_t)r->nonterminals.n + 1, 1);
	find_productive(r, productive);
	bool ok = productive[start >> 1];
	if (ok) {
		struct finishing f;
		finishing_init(&f, r, g);
		find_live(&f, productive);
		ok = told_apart_check(r, f.live, start);
		struct rule_set all = {r->rules.at, r->rules.n, r->nonterminals.n, &r->symbols, f.live, r->inner.at, start};
		rules_shorten(&all);
		sort_by_left_side(&f);
		find_aliases(r, f.live, f.alias, start);
		find_reachable(&f, start >> 1);
		take_all(&f);
		finishing_release(&f);
	}
	free(productive);
	return ok;
}
