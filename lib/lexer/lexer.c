// Subset construction over (residue, scan) pairs.
//
// In:  terminal DFAs, contexts. Out: raw tables, handed to lexer_minimise.
// A *thing* is (terminal, its DFA's state), numbered through; a set of things is a sorted array, interned.
// From (O, q) on byte class c:
//   O' = step(O, c): a thing of O' that accepts, or that nothing can make fail, kills the reading.
//   q' = step(q, c) without the things of O' (where those accept, O' has killed the reading already).
// (O, q) ends as the best terminal that q accepts, leaving the residue O + (things of q that can go on); it may be
// cut before class c when step(residue, c) kills nothing.
// Source: maximal munch as in language.md; residues are the obligations of a priority NFA turned to longest match.
// Cost: states x classes x things a state; a few hundred states for whole languages.
#include "lexer_raw.h"

#include "../../formats/artifact.h"

typedef uint32_t set_id;

struct builder {
	const struct grammar *g;
	const struct byte_dfa *dfa;
	const struct lexer_context_map *m;
	uint32_t n_classes;
	uint8_t class_of[256];
	uint8_t sample[256];      // a byte of each class
	uint32_t *offset;         // [n_terminals + 1] first thing of a terminal
	uint32_t *terminal_of;    // [things]
	uint8_t *can_go_on;       // [things] some byte leads on
	uint32_t *rank_of;        // [n_terminals] tie order, lower wins
	struct intern sets;       // set_id -> things ascending
	struct intern pairs;      // lex_state - 1 -> {O, q, initial}
	struct intern residues;   // residue -> set_id; 0 = the empty set
	VEC(uint32_t) next;       // raw rows
	VEC(struct lex_info) info;
	VEC(uint32_t) start;      // [residue * n_contexts]
	VEC(uint32_t) work;       // scratch set
};

// Lower wins: higher priority, grammar over ignored, literal over regex, earlier.
static void rank_terminals(struct builder *b)
{
	uint32_t n = b->g->n_terminals;
	b->rank_of = mem_calloc(n, sizeof *b->rank_of);
	for (terminal_id t = 0; t < n; t++)
		for (terminal_id u = 0; u < n; u++) {
			const struct terminal *x = &b->g->terminals[t], *y = &b->g->terminals[u];
			bool y_wins = x->priority != y->priority       ? y->priority > x->priority
			              : x->is_ignored != y->is_ignored ? x->is_ignored
			              : x->is_literal != y->is_literal ? y->is_literal
			                                               : u < t;
			b->rank_of[t] += y_wins;
		}
}

// Bytes that act alike in every DFA are one class; classes are numbered by their first byte.
static void classify_bytes(struct builder *b)
{
	struct intern rows = {0};
	uint8_t *row = mem_calloc(b->g->n_terminals + 1, 1);
	for (int byte = 0; byte < 256; byte++) {
		for (terminal_id t = 0; t < b->g->n_terminals; t++) row[t] = b->dfa[t].class_of[byte];
		bool is_new;
		uint32_t class = intern_add(&rows, row, b->g->n_terminals, &is_new);
		b->class_of[byte] = (uint8_t)class;
		if (is_new) b->sample[class] = (uint8_t)byte;
	}
	b->n_classes = rows.entries.n;
	free(row);
	intern_release(&rows);
}

static void number_things(struct builder *b)
{
	uint32_t n = b->g->n_terminals;
	b->offset = mem_calloc(n + 1, sizeof *b->offset);
	for (terminal_id t = 0; t < n; t++) b->offset[t + 1] = b->offset[t] + b->dfa[t].n_states;
	b->terminal_of = mem_calloc(b->offset[n], sizeof *b->terminal_of);
	b->can_go_on = mem_calloc(b->offset[n], 1);
	for (terminal_id t = 0; t < n; t++)
		for (uint32_t s = 0; s < b->dfa[t].n_states; s++) {
			b->terminal_of[b->offset[t] + s] = t;
			for (uint32_t c = 0; c < b->dfa[t].n_classes; c++)
				b->can_go_on[b->offset[t] + s] |= b->dfa[t].next[s * b->dfa[t].n_classes + c] != DFA_DEAD;
		}
}

static const uint32_t *set_get(const struct builder *b, set_id s, uint32_t *n)
{
	const uint32_t *things = intern_get(&b->sets, s, n);
	*n /= (uint32_t)sizeof(uint32_t);
	return things;
}

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

// Interns b->work as a set.
static set_id set_finish(struct builder *b)
{
	uint32_t n = 0;
	if (b->work.n) qsort(b->work.at, b->work.n, sizeof *b->work.at, compare_u32);
	for (uint32_t i = 0; i < b->work.n; i++)
		if (!n || b->work.at[n - 1] != b->work.at[i]) b->work.at[n++] = b->work.at[i];
	return intern_add(&b->sets, b->work.at, n * sizeof(uint32_t), NULL);
}

static bool accepts(const struct builder *b, uint32_t thing)
{
	terminal_id t = b->terminal_of[thing];
	return b->dfa[t].accept[thing - b->offset[t]];
}

static bool unfailable(const struct builder *b, uint32_t thing)
{
	terminal_id t = b->terminal_of[thing];
	return b->dfa[t].unfailable[thing - b->offset[t]];
}

// Pushes step(s, class) onto b->work.
static void push_step(struct builder *b, set_id s, uint32_t class)
{
	uint32_t n;
	const uint32_t *things = set_get(b, s, &n);
	for (uint32_t i = 0; i < n; i++) {
		terminal_id t = b->terminal_of[things[i]];
		uint32_t to = dfa_step(&b->dfa[t], things[i] - b->offset[t], b->sample[class]);
		if (to != DFA_DEAD) vec_push(&b->work, b->offset[t] + to);
	}
}

// step(residue, class), or UINT32_MAX when that kills the reading.
static set_id residue_step(struct builder *b, set_id s, uint32_t class)
{
	uint32_t kept = 0;
	vec_clear(&b->work);
	push_step(b, s, class);
	for (uint32_t i = 0; i < b->work.n; i++) {
		uint32_t thing = b->work.at[i];
		if (accepts(b, thing) || unfailable(b, thing)) return UINT32_MAX;
		if (b->can_go_on[thing]) b->work.at[kept++] = thing;
	}
	b->work.n = kept;
	return set_finish(b);
}

static set_id scan_step(struct builder *b, set_id q, uint32_t class, set_id residue)
{
	vec_clear(&b->work);
	push_step(b, q, class);
	uint32_t n, kept = 0;
	const uint32_t *gone = set_get(b, residue, &n);
	for (uint32_t i = 0; i < b->work.n; i++)
		if (!n || !bsearch(&b->work.at[i], gone, n, sizeof *gone, compare_u32)) b->work.at[kept++] = b->work.at[i];
	b->work.n = kept;
	return set_finish(b);
}

static lex_state state_of(struct builder *b, set_id residue, set_id scan, uint32_t initial)
{
	return intern_add(&b->pairs, (uint32_t[]){residue, scan, initial}, 12, NULL) + 1;
}

// What a lexeme that starts in this context may become: the start of every terminal that competes.
static set_id context_scan(struct builder *b, uint32_t context)
{
	vec_clear(&b->work);
	const bits *row = b->m->context + (size_t)context * b->m->context_words;
	for (terminal_id t = 0; t < b->g->n_terminals; t++)
		if (b->dfa[t].n_states && (b->g->terminals[t].is_ignored || bits_test(row, t)))
			vec_push(&b->work, b->offset[t]);
	return set_finish(b);
}

static uint32_t residue_of(struct builder *b, set_id s)
{
	uint32_t r = intern_add(&b->residues, &s, sizeof s, NULL);
	while (b->start.n < (r + 1) * b->m->n_contexts) vec_push(&b->start, LEX_DEAD);
	return r;
}

// (O, q) ends here: as which terminal, leaving which residue. Makes the start states that may follow.
static struct lex_info describe(struct builder *b, set_id residue, set_id scan, bool initial, bool *may_cut)
{
	struct lex_info info = {.terminal = UINT32_MAX, .flags = initial ? LEX_INITIAL : 0};
	uint32_t n, n_old;
	const uint32_t *q = set_get(b, scan, &n);
	bool hopeless = false;  // something that goes on can never fail: no text may follow a cut here
	for (uint32_t i = 0; i < n; i++) {
		terminal_id t = b->terminal_of[q[i]];
		if (accepts(b, q[i]) && (info.terminal == UINT32_MAX || b->rank_of[t] < b->rank_of[info.terminal]))
			info.terminal = t;
		hopeless |= unfailable(b, q[i]);
	}
	*may_cut = info.terminal != UINT32_MAX && !hopeless;
	if (info.terminal != UINT32_MAX) info.flags |= LEX_MAY_END;
	if (!*may_cut) return info;
	vec_clear(&b->work);
	for (uint32_t i = 0; i < n; i++)
		if (b->can_go_on[q[i]]) vec_push(&b->work, q[i]);
	const uint32_t *old = set_get(b, residue, &n_old);
	for (uint32_t i = 0; i < n_old; i++) vec_push(&b->work, old[i]);
	info.residue = residue_of(b, set_finish(b));
	return info;
}

// The start states for a residue after a terminal, one for each context that may come.
static void open_contexts(struct builder *b, const struct lex_info *info)
{
	uint32_t set;
	memcpy(&set, intern_get(&b->residues, info->residue, NULL), sizeof set);
	const bits *after = b->m->after + (size_t)info->terminal * b->m->after_words;
	for (uint32_t c = bits_next(after, b->m->after_words, 0); c != UINT32_MAX;
	     c = bits_next(after, b->m->after_words, c + 1)) {
		uint32_t *slot = &b->start.at[info->residue * b->m->n_contexts + c];
		if (*slot == LEX_DEAD) *slot = state_of(b, set, context_scan(b, c), 0);
	}
}

static void explore(struct builder *b, lex_state s)
{
	uint32_t pair[3];
	memcpy(pair, intern_get(&b->pairs, s - 1, NULL), sizeof pair);
	bool may_cut;
	struct lex_info info = describe(b, pair[0], pair[1], pair[2], &may_cut);
	vec_push(&b->info, info);
	if (may_cut) open_contexts(b, &info);
	set_id left;
	memcpy(&left, intern_get(&b->residues, info.residue, NULL), sizeof left);
	for (uint32_t c = 0; c < b->n_classes; c++) {
		uint32_t to = 0;
		set_id residue = residue_step(b, pair[0], c);
		if (residue != UINT32_MAX) {
			set_id scan = scan_step(b, pair[1], c, residue);
			uint32_t n;
			set_get(b, scan, &n);
			if (n) to = state_of(b, residue, scan, 0);
		}
		if (may_cut && residue_step(b, left, c) != UINT32_MAX) to |= LEX_CUT;
		vec_push(&b->next, to);
	}
}

static void release(struct builder *b)
{
	free(b->offset);
	free(b->terminal_of);
	free(b->can_go_on);
	free(b->rank_of);
	intern_release(&b->sets);
	intern_release(&b->pairs);
	intern_release(&b->residues);
	vec_release(&b->next);
	vec_release(&b->info);
	vec_release(&b->start);
	vec_release(&b->work);
}

bool lexer_build(const struct grammar *g, const struct byte_dfa *dfa, const struct lexer_context_map *m,
                 struct arena *arena, struct diag *d, struct lexer *out)
{
	struct builder b = {.g = g, .dfa = dfa, .m = m};
	rank_terminals(&b);
	classify_bytes(&b);
	number_things(&b);
	vec_clear(&b.work);
	set_id nothing = set_finish(&b);
	residue_of(&b, nothing);
	lex_state initial = state_of(&b, nothing, context_scan(&b, m->initial), 1);
	// Row 0 of next and info is the dead state.
	for (uint32_t c = 0; c < b.n_classes; c++) vec_push(&b.next, 0);
	vec_push(&b.info, ((struct lex_info){.terminal = UINT32_MAX}));
	bool ok = true;
	for (lex_state s = 1; s <= b.pairs.entries.n && ok; s++) {
		explore(&b, s);
		if (b.pairs.entries.n > LEXER_MAX_STATES) {
			diag_error(d, (struct loc){0}, "the lexer needs more than %u states (limit LEXER_MAX_STATES)",
			           LEXER_MAX_STATES);
			ok = false;
		}
	}
	if (ok) {
		*out = (struct lexer){.n_classes = b.n_classes, .n_states = b.pairs.entries.n + 1,
		                      .next = b.next.at, .info = b.info.at, .n_residues = b.residues.entries.n,
		                      .n_contexts = m->n_contexts, .start = b.start.at, .initial = initial};
		memcpy(out->class_of, b.class_of, sizeof out->class_of);
		out->n_raw_states = out->n_states;
		uint8_t *ignored = arena_alloc(arena, g->n_terminals + 1);
		for (terminal_id t = 0; t < g->n_terminals; t++) ignored[t] = g->terminals[t].is_ignored;
		out->is_ignored = ignored;
		lexer_minimise(out, arena);
		out->max_threads = lexer_count_threads(out, m);
		if (out->max_threads > LEXER_MAX_THREADS) {
			diag_error(d, (struct loc){0},
			           "a text can have more than %u readings at once (limit LEXER_MAX_THREADS): its terminals need "
			           "too much look-back",
			           LEXER_MAX_THREADS);
			ok = false;
		}
	}
	release(&b);
	return ok;
}

const char *lexer_check(const struct lexer *x)
{
	for (size_t i = 0; i < (size_t)x->n_states * x->n_classes; i++)
		if ((x->next[i] & LEX_STATE_MASK) >= x->n_states) return "next out of range";
	for (lex_state s = 0; s < x->n_states; s++) {
		if (x->info[s].terminal != UINT32_MAX && x->info[s].residue >= x->n_residues) return "residue out of range";
		for (uint32_t c = 0; c < x->n_classes; c++)
			if (x->next[(size_t)s * x->n_classes + c] & LEX_CUT && x->info[s].terminal == UINT32_MAX)
				return "cut without a terminal";
	}
	for (size_t i = 0; i < (size_t)x->n_residues * x->n_contexts; i++) {
		if (x->start[i] >= x->n_states) return "start out of range";
		if (x->start[i] && x->info[x->start[i]].terminal != UINT32_MAX) return "a fresh state ends a lexeme";
	}
	if (x->initial >= x->n_states) return "initial out of range";
	return NULL;
}
