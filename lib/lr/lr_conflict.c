// A conflict, told so that a person can mend the grammar: the terminal, the rules, the shortest text that meets it.
//
// In:  canonical states and what the prover kept of each merged cell. Out: a list of conflicts: one for each terminal
//      between the same rules, with its places counted.
// The example is the path by which the state was first reached (breadth-first, so shortest in symbols), each
// nonterminal replaced by its shortest sentence. Cost: only paid when there is a conflict.
#include "lr_items.h"

#define EXAMPLE_MAX 60  // terminals shown
#define WAYS_MAX 8      // items shown that go on with the same terminal

typedef VEC(uint32_t) item_list;

// A terminal as a person would write it: a literal in quotes, else its name.
static const char *terminal_text(const struct grammar *g, terminal_id t, struct arena *arena)
{
	if (t == g->n_terminals) return "end of text";
	const struct term *x = g->terminals[t].pattern;
	if (!x || x->kind != TERM_TEXT || x->text_len > 20) return g->terminals[t].name;
	for (uint32_t i = 0; i < x->text_len; i++)
		if ((unsigned char)x->text[i] <= ' ' || x->text[i] == 127) return g->terminals[t].name;
	return arena_printf(arena, "\"%.*s\"", (int)x->text_len, x->text);
}

// The number of terminals in the shortest sentence of each nonterminal, and the production that gives it.
static void shortest_sentences(const struct grammar *g, uint32_t *length, uint32_t *production)
{
	for (uint32_t a = 0; a < g->n_nonterminals; a++) length[a] = UINT32_MAX;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t p = 0; p < g->n_productions; p++) {
			const struct production *r = &g->productions[p];
			uint64_t sum = 0;
			for (uint32_t i = 0; i < r->n_rhs; i++)
				sum += r->rhs[i] < g->n_terminals ? 1 : length[r->rhs[i] - g->n_terminals];
			if (sum < length[r->lhs]) length[r->lhs] = (uint32_t)sum, production[r->lhs] = p, changed = true;
		}
	}
}

static char *example(const struct lr_canon *c, const uint32_t *length, const uint32_t *production, uint32_t state,
                     terminal_id t, struct arena *arena)
{
	const struct grammar *g = c->g;
	// `todo` is a stack; pushing the path from its end back to its start leaves the first symbol on top.
	VEC(symbol_id) todo = {0};
	for (uint32_t s = state; s != 0; s = c->reached_from.at[s]) vec_push(&todo, c->reached_by.at[s]);
	char *text = arena_printf(arena, "%s", "");
	uint32_t shown = 0;
	while (todo.n) {
		symbol_id s = vec_pop(&todo);
		if (s < g->n_terminals) {
			if (shown++ < EXAMPLE_MAX) text = arena_printf(arena, "%s%s ", text, terminal_text(g, s, arena));
			continue;
		}
		if (length[s - g->n_terminals] == UINT32_MAX) continue;
		const struct production *r = &g->productions[production[s - g->n_terminals]];
		for (uint32_t i = r->n_rhs; i-- > 0;) vec_push(&todo, r->rhs[i]);
	}
	vec_release(&todo);
	return arena_printf(arena, "%s%s\xE2\x80\xA2 %s", text, shown > EXAMPLE_MAX ? "... " : "",
	                    terminal_text(g, t, arena));
}

// "rule: a b . c" with the dot where it stands.
static char *item_text(const struct lr_canon *c, uint32_t item, struct arena *arena)
{
	const struct grammar *g = c->g;
	uint32_t p = c->production_of[item], dot = item - c->item_at[p];
	if (p == g->n_productions) return arena_printf(arena, "the whole text ends");
	char *text = arena_printf(arena, "%s:", g->nonterminals[g->productions[p].lhs].name);
	for (uint32_t i = 0; i < g->productions[p].n_rhs; i++)
		text =
			arena_printf(arena, "%s%s %s", text, i == dot ? " \xE2\x80\xA2" : "",
		                 g->productions[p].rhs[i] < g->n_terminals ? terminal_text(g, g->productions[p].rhs[i], arena)
		                                                           : grammar_symbol_name(g, g->productions[p].rhs[i]));
	return dot == g->productions[p].n_rhs ? arena_printf(arena, "%s \xE2\x80\xA2", text) : text;
}

static struct loc item_loc(const struct lr_canon *c, uint32_t item)
{
	uint32_t p = c->production_of[item];
	return p == c->g->n_productions ? (struct loc){0} : c->g->productions[p].loc;
}

static struct lr_way way_of(const struct lr_canon *c, uint32_t item, bool shifts, struct arena *arena)
{
	return (struct lr_way){item_text(c, item, arena), item_loc(c, item), shifts, false};
}

// The items that go on with t: those the shift leads to, a place back.
static void shift_items(const struct lr_canon *c, uint32_t state, terminal_id t, item_list *out)
{
	vec_clear(out);
	uint32_t n, to = UINT32_MAX, len;
	const struct lr_move *moves = lr_moves(c, state, &n);
	for (uint32_t i = 0; i < n && t < c->g->n_terminals; i++)
		if (moves[i].by == t) to = moves[i].to;
	if (to == UINT32_MAX) return;
	size_t size = sizeof(uint64_t) + c->words * sizeof(bits);
	const uint8_t *kernel = intern_get(&c->states, to, &len);
	for (size_t at = 0; at < len && out->n < WAYS_MAX; at += size) {
		uint64_t item;
		memcpy(&item, kernel + at, sizeof item);
		vec_push(out, (uint32_t)item - 1);
	}
}

// The item that reduces by `p`, or by a production that does the same to a stack, under t.
static uint32_t reduce_item(const struct lr_canon *c, uint32_t state, terminal_id t, uint32_t p)
{
	uint32_t len;
	size_t size = sizeof(uint64_t) + c->words * sizeof(bits);
	const uint8_t *kernel = intern_get(&c->states, state, &len);
	for (size_t at = 0; at < len; at += size) {
		uint64_t item;
		bits look;
		memcpy(&item, kernel + at, sizeof item);
		memcpy(&look, kernel + at + sizeof item + t / 64 * sizeof look, sizeof look);
		uint32_t q = c->production_of[item];
		if (item + 1 == c->item_at[q + 1] && c->same_as[q] == p && look >> t % 64 & 1) return (uint32_t)item;
	}
	return c->item_at[p + 1] - 1;  // an empty one, which no kernel has
}

struct reporting {
	const struct lr_canon *c;
	const struct lr_proof *proof;
	struct intern cells;  // (lr_state, terminal) -> index into proof->cell
	struct intern known;  // conflicts: terminal, reductions, shifted items
	VEC(struct lr_conflict) found;
	item_list shifted, key;
	uint32_t *length, *production;  // shortest sentences
	struct arena *arena;
};

static void count_cell(struct reporting *r, uint32_t state, lr_state merged, terminal_id t)
{
	const struct lr_canon *c = r->c;
	uint32_t n_red;
	const uint32_t *red = lr_reductions(c, state, t, &n_red);
	shift_items(c, state, t, &r->shifted);
	if (n_red + (r->shifted.n > 0) < 2) return;
	vec_clear(&r->key);
	vec_push(&r->key, t);
	vec_push(&r->key, n_red);
	for (uint32_t i = 0; i < n_red; i++) vec_push(&r->key, reduce_item(c, state, t, red[i]));
	for (uint32_t i = 0; i < r->shifted.n; i++) vec_push(&r->key, r->shifted.at[i]);
	bool is_new;
	uint32_t id = intern_add(&r->known, r->key.at, r->key.n * sizeof *r->key.at, &is_new);
	if (is_new) {
		struct lr_conflict x = {.terminal = t,
		                        .terminal_text = arena_printf(r->arena, "%s", terminal_text(c->g, t, r->arena))};
		x.example = example(c, r->length, r->production, state, t, r->arena);
		x.ways = arena_array(r->arena, n_red + r->shifted.n, sizeof *x.ways);
		for (uint32_t i = 0; i < r->shifted.n; i++) x.ways[x.n_ways++] = way_of(c, r->shifted.at[i], true, r->arena);
		for (uint32_t i = 0; i < n_red; i++)
			x.ways[x.n_ways++] = way_of(c, reduce_item(c, state, t, red[i]), false, r->arena);
		vec_push(&r->found, x);
	}
	// A cell's actions, ascending: those of the proof are in the same order as the codes.
	struct lr_conflict *x = &r->found.at[id];
	uint32_t index = intern_find(&r->cells, (uint32_t[]){merged, t}, 8);
	ASSERT(index != INTERN_NONE);
	const struct lr_cell_proof *cell = &r->proof->cell[index];
	uint32_t stay = 0;
	for (uint32_t i = 0; i < cell->n; i++) {
		if (i < 32 && !(cell->keep >> i & 1)) continue;
		stay++;
		for (uint32_t w = 0; w < x->n_ways; w++) {
			uint32_t k = w - r->shifted.n;  // of a reduction
			if (x->ways[w].shifts
			        ? ACTION_IS_SHIFT(cell->action[i])
			        : cell->action[i] == (red[k] == c->g->n_productions ? ACTION_ACCEPT : ACTION_REDUCE(red[k])))
				x->ways[w].kept = true;
		}
	}
	x->n_cells++;
	x->n_kept += stay > 1;
}

void lr_report_conflicts(const struct lr_canon *c, const uint32_t *class_of, const struct lr_proof *proof,
                         struct arena *arena, struct lr_report *out)
{
	struct arena scratch = {0};
	struct reporting r = {.c = c, .proof = proof, .arena = arena};
	r.length = arena_array(&scratch, c->g->n_nonterminals, sizeof *r.length);
	r.production = arena_array(&scratch, c->g->n_nonterminals, sizeof *r.production);
	shortest_sentences(c->g, r.length, r.production);
	for (uint32_t i = 0; i < proof->n_cells; i++)
		intern_add(&r.cells, (uint32_t[]){proof->cell[i].s, proof->cell[i].t}, 8, NULL);
	for (uint32_t s = 0; s < c->states.entries.n && proof->n_cells; s++)
		for (terminal_id t = 0; t <= c->g->n_terminals; t++) count_cell(&r, s, class_of[s] + 1, t);
	*out = (struct lr_report){.n_conflicts = r.found.n, .n_unproved = proof->limits, .work = proof->work};
	out->conflicts = arena_array(arena, r.found.n + 1, sizeof *out->conflicts);
	for (uint32_t i = 0; i < r.found.n; i++) {
		out->conflicts[i] = r.found.at[i];
		out->n_kept += r.found.at[i].n_kept > 0;
	}
	vec_release(&r.found), vec_release(&r.shifted), vec_release(&r.key);
	intern_release(&r.cells), intern_release(&r.known);
	arena_release(&scratch);
}

void lr_conflict_refuse(const struct lr_conflict *c, struct diag *d)
{
	bool shifts = c->ways[0].shifts;
	diag_error(d, c->ways[0].loc, "%s conflict: after the terminals before the dot, %s has two meanings:\n    %s",
	           shifts ? "shift/reduce" : "reduce/reduce", c->terminal_text, c->example);
	for (uint32_t i = 0; i < c->n_ways; i++)
		diag_note(d, c->ways[i].loc, "%s %s %s", i == 0 ? "either it" : "or it",
		          c->ways[i].shifts ? "goes on with" : "first finishes", c->ways[i].text);
	diag_note(d, (struct loc){0},
	          "without --deterministic both meanings are carried; else rewrite the rules so that one terminal "
	          "of lookahead decides");
}
