// Subset construction over (obligation, scan, observed).
//
// In:  terminal DFAs, contexts. Out: raw tables, handed to lexer_minimise.
// An obligation O is what must not (with lookahead: or must) come any more, a scan q what the pending lexeme may
// become:
// sets of items, lexer_items.c. Observed is the state of all terminals' observers: what stood before, where some
// terminal looks behind its start; it chooses where terminals begin.
// From (O, q) on byte class c:
//   O' = step(O, c), unless that is violated: then the reading is dead.
//   q' = step(q, c) without the items of O' (what those could match, O' forbids).
// (O, q) ends as a terminal that q accepts, leaving the obligation O + (items of q that can go on); it may be cut
// before class c when step(obligation, c) is not violated. The terminal is the best by rank whose lookahead holds, so
// for each accepted one, best first, up to the first that asks for nothing: obligation + "its lookahead holds" + "those
// of the better ones do not". Nearly always one of these obligations can be satisfied at most; the others become
// lex_info.also.
// Source: maximal munch as in language.md; obligations are the obligations of a priority NFA turned to longest match.
// Cost: states x classes x items a state; a few hundred states for whole languages.
#include "lexer_raw.h"

#include "../../formats/artifact.h"
#include "../base/work.h"

// A way for a lexeme to end here.
struct way {
	terminal_id terminal;
	item_set obligation;
	bool may_end, may_cut;
};

struct builder {
	const struct grammar *g;
	const struct byte_dfa *dfa;
	const struct lexer_context_map *m;
	const uint32_t *rank;
	struct newline_states newlines;
	struct items x;
	struct intern states;         // lex_state - 1 -> struct raw
	struct intern obligations;    // obligation -> {set, observed}; 0 = nothing, at the text's start
	struct intern observed;       // -> [observers] states
	VEC(terminal_id) observers;   // terminals that look behind their start
	VEC(uint32_t) observed_next;  // [observed * n_classes], filled when needed; UNKNOWN
	VEC(uint32_t) next;           // raw rows
	VEC(struct lex_info) info;
	VEC(uint32_t) start;   // [obligation * n_contexts]
	VEC(struct way) ways;  // scratch
	VEC(uint32_t) ending;  // scratch: items of a scan that may end, best terminal first
	VEC(uint32_t) scans;   // [observed * n_contexts] context_scan + 1, or 0
	VEC(uint32_t) row_of;  // [item_set] of large scans: row of `rows` + 1; 0: none
	VEC(item_set) rows;    // [row * (n_classes + 1)] its steps where nothing is forbidden; behind them: is it quiet?
	bool clash;            // `also` is needed and not taken: by these
	terminal_id clashing[2];
};

// Lower wins: higher priority, grammar over ignored, literal over regex, earlier.
static uint32_t *rank_terminals(const struct grammar *g, struct arena *arena)
{
	uint32_t n = g->n_terminals;
	uint32_t *rank = arena_array(arena, n + 1, sizeof *rank);
	for (terminal_id t = 0; t < n; t++)
		for (terminal_id u = 0; u < n; u++) {
			const struct terminal *x = &g->terminals[t], *y = &g->terminals[u];
			bool y_wins = x->priority != y->priority ? y->priority > x->priority
			              : (x->is_ignored || x->is_blank) != (y->is_ignored || y->is_blank)
			                  ? x->is_ignored || x->is_blank
			              : x->is_literal != y->is_literal ? y->is_literal
			                                               : u < t;
			rank[t] += y_wins;
		}
	return rank;
}

#define OBSERVED_UNKNOWN (UINT32_MAX - 1)

static uint32_t intern_observed(struct builder *b, const uint32_t *states)
{
	bool is_new;
	uint32_t id = intern_add(&b->observed, states, b->observers.n * sizeof *states, &is_new);
	for (uint32_t c = 0; is_new && c < b->x.n_classes; c++) vec_push(&b->observed_next, OBSERVED_UNKNOWN);
	return id;
}

static void begin_observing(struct builder *b)
{
	for (terminal_id t = 0; t < b->g->n_terminals; t++)
		if (b->dfa[t].before.n_states) vec_push(&b->observers, t);
	uint32_t *states = mem_calloc(b->observers.n + 1, sizeof *states);
	intern_observed(b, states);
	free(states);
}

// DFA_DEAD: the bytes are no UTF-8.
static uint32_t observe(struct builder *b, uint32_t observed, uint32_t class)
{
	if (!b->observers.n) return 0;
	uint32_t at = observed * b->x.n_classes + class;
	if (b->observed_next.at[at] != OBSERVED_UNKNOWN) return b->observed_next.at[at];
	uint32_t *states = mem_calloc(b->observers.n, sizeof *states), to = 0;
	const uint32_t *from = intern_get(&b->observed, observed, NULL);
	for (uint32_t i = 0; i < b->observers.n && to != DFA_DEAD; i++) {
		const struct observer_dfa *o = &b->dfa[b->observers.at[i]].before;
		states[i] = o->next[from[i] * o->n_classes + o->class_of[b->x.sample[class]]];
		if (states[i] == DFA_DEAD) to = DFA_DEAD;
	}
	if (to != DFA_DEAD) to = intern_observed(b, states);
	b->observed_next.at[at] = to;
	free(states);
	return to;
}

// What b->x.work has and the obligation does not forbid, as a scan.
static item_set scan_of_work(struct builder *b, item_set obligation)
{
	struct items *x = &b->x;
	uint32_t kept = 0, n_forbidden;
	items_get(x, obligation, &n_forbidden);
	for (uint32_t i = 0; i < x->work.n && n_forbidden; i++)
		if (!items_has(x, obligation, x->work.at[i])) x->work.at[kept++] = x->work.at[i];
	if (n_forbidden) x->work.n = kept;
	return items_intern(x);
}

static item_set scan_step(struct builder *b, item_set q, uint32_t class, item_set obligation)
{
	vec_clear(&b->x.work);
	items_push_step(&b->x, q, class);
	return scan_of_work(b, obligation);
}

#define MANY_ITEMS 64u        // of a scan: its steps are kept, as many obligations stand before it
#define ROWS_KEPT (1u << 20)  // entries

// The steps of a large scan; NULL: they are not kept.
static const item_set *kept_row(struct builder *b, item_set scan)
{
	struct items *x = &b->x;
	uint32_t n, n_row = x->n_classes + 1;
	const uint32_t *items = items_get(x, scan, &n);
	if (n < MANY_ITEMS) return NULL;
	while (b->row_of.n <= scan) vec_push(&b->row_of, 0);
	if (!b->row_of.at[scan] && b->rows.n < ROWS_KEPT) {
		bool quiet = true;
		for (uint32_t i = 0; i < n; i++)
			quiet &= !item_unfailable(x, items[i]) && item_follow(x, items[i]) == FOLLOW_NEVER;
		items_spread(x, scan);
		for (uint32_t c = 0; c < x->n_classes; c++) {
			vec_clear(&x->work);
			for (uint32_t i = 0; i < x->spread[c].n; i++) vec_push(&x->work, x->spread[c].at[i]);
			vec_push(&b->rows, x->work.n ? items_intern(x) : UINT32_MAX);
		}
		vec_push(&b->rows, quiet);
		b->row_of.at[scan] = b->rows.n / n_row;
	}
	const uint32_t row = b->row_of.at[scan];
	return row ? b->rows.at + (size_t)(row - 1) * n_row : NULL;
}

// A step of a large scan without what the obligation forbids; UINT32_MAX: nothing is left.
static item_set kept_step(struct builder *b, item_set step, item_set obligation)
{
	struct items *x = &b->x;
	uint32_t n, n_items, some = 0;
	const uint32_t *forbidden = items_get(x, obligation, &n);
	for (uint32_t i = 0; i < n && step != UINT32_MAX; i++) some += items_has(x, step, forbidden[i]);
	if (!some) return step;
	const uint32_t *items = items_get(x, step, &n_items);
	if (some == n_items) return UINT32_MAX;
	vec_clear(&x->work);
	for (uint32_t i = 0; i < n_items; i++) vec_push(&x->work, items[i]);
	return scan_of_work(b, obligation);
}

// The same for the scan that b->x.spread is of; UINT32_MAX: it goes nowhere.
static item_set spread_step(struct builder *b, uint32_t class, item_set obligation)
{
	struct items *x = &b->x;
	if (!x->spread[class].n) return UINT32_MAX;
	vec_clear(&x->work);
	for (uint32_t i = 0; i < x->spread[class].n; i++) vec_push(&x->work, x->spread[class].at[i]);
	uint32_t n;
	item_set scan = scan_of_work(b, obligation);
	items_get(x, scan, &n);
	return n ? scan : UINT32_MAX;
}

static lex_state state_of(struct builder *b, struct raw raw)
{
	return intern_add(&b->states, &raw, sizeof raw, NULL) + 1;
}

// What a lexeme that starts in this context may become: the start of every terminal that competes.
static item_set context_scan(struct builder *b, uint32_t context, uint32_t observed)
{
	uint64_t all = (observed + (uint64_t)1) * b->m->n_contexts;
	if (all > LEXER_MAX_STARTS) work_too_large("LEXER_MAX_STARTS", LEXER_MAX_STARTS);
	uint32_t known = observed * b->m->n_contexts + context;
	while (b->scans.n <= known) vec_push(&b->scans, 0);
	if (b->scans.at[known]) return b->scans.at[known] - 1;
	vec_clear(&b->x.work);
	const bits *row = b->m->context + (size_t)context * b->m->context_words;
	const uint32_t *seen = intern_get(&b->observed, observed, NULL);
	uint32_t observer = 0;
	for (terminal_id t = 0; t < b->g->n_terminals; t++) {
		const struct byte_dfa *a = &b->dfa[t];
		uint32_t start = a->before.n_states ? a->before.start[seen[observer++]] : 0;
		if (!a->n_states || start == DFA_DEAD) continue;
		if (b->g->terminals[t].is_ignored || bits_test(row, t)) vec_push(&b->x.work, b->x.offset[t] + start);
	}
	item_set scan = items_intern(&b->x);
	b->scans.at[known] = scan + 1;
	return scan;
}

static uint32_t obligation_of(struct builder *b, item_set s, uint32_t observed)
{
	uint32_t r = intern_add(&b->obligations, (uint32_t[]){s, observed}, 8, NULL);
	uint64_t n = (r + (uint64_t)1) * b->m->n_contexts;
	if (n > LEXER_MAX_STARTS) work_too_large("LEXER_MAX_STARTS", LEXER_MAX_STARTS);
	while (b->start.n < n) vec_push(&b->start, LEX_DEAD);
	return r;
}

// Can a lexeme begin with this class, in some context after terminal t?
static bool some_begin(struct builder *b, terminal_id t, uint32_t observed, uint32_t class, item_set obligation)
{
	const bits *after = b->m->after + (size_t)t * b->m->after_words;
	for (uint32_t c = bits_next(after, b->m->after_words, 0); c != UINT32_MAX;
	     c = bits_next(after, b->m->after_words, c + 1)) {
		uint32_t n;
		items_get(&b->x, scan_step(b, context_scan(b, c, observed), class, obligation), &n);
		if (n) return true;
	}
	return false;
}

// Is a cut with this obligation right for some text? Asked only where ways compete.
static bool way_can_cut(struct builder *b, const struct way *w, uint32_t observed)
{
	for (uint32_t c = 0; c < b->x.n_classes; c++) {
		item_set to = obligation_step(&b->x, w->obligation, c);
		if (to != SET_VIOLATED && some_begin(b, w->terminal, observed, c, to)) return true;
	}
	return false;
}

// The obligation after a lexeme that ends as `item`, when the better ones in better[0..n) do not count.
static item_set obligation_after(struct builder *b, const struct raw *raw, uint32_t item, const uint32_t *better,
                                 uint32_t n_better)
{
	struct items *x = &b->x;
	uint32_t n, n_old, f = item_follow(x, item);
	const uint32_t *q = items_get(x, raw->scan, &n), *old;
	vec_clear(&x->work);
	for (uint32_t i = 0; i < n; i++)
		if (x->can_go_on[q[i]]) vec_push(&x->work, q[i]);
	for (uint32_t i = 0; i < n_better; i++)
		vec_push(&x->work, follow_item(x, x->terminal_of.at[better[i]], item_follow(x, better[i]), false));
	old = items_get(x, raw->obligation, &n_old);
	for (uint32_t i = 0; i < n_old; i++) vec_push(&x->work, old[i]);
	if (f != FOLLOW_ANY) vec_push(&x->work, follow_item(x, x->terminal_of.at[item], f, true));
	return obligation_intern(x);
}

// Fills b->ways with the ways in which (O, q) can end, best terminal first; *hopeless: something that goes on can never
// fail, so no text may follow a cut here.
static void find_ways(struct builder *b, const struct raw *raw, bool *hopeless)
{
	struct items *x = &b->x;
	uint32_t n, accepted = 0;
	const uint32_t *q = items_get(x, raw->scan, &n);
	vec_reserve(&b->ending, n);
	uint32_t *order = b->ending.at;
	*hopeless = false;
	vec_clear(&b->ways);
	for (uint32_t i = 0; i < n; i++) {
		*hopeless |= item_unfailable(x, q[i]);
		if (item_follow(x, q[i]) == FOLLOW_NEVER) continue;
		uint32_t k = accepted++;
		for (; k && b->rank[x->terminal_of.at[order[k - 1]]] > b->rank[x->terminal_of.at[q[i]]]; k--)
			order[k] = order[k - 1];
		order[k] = q[i];
	}
	for (uint32_t i = 0; i < accepted; i++) {
		struct way w = {.terminal = x->terminal_of.at[order[i]],
		                .obligation = obligation_after(b, raw, order[i], order, i)};
		w.may_end = obligation_may_end(x, w.obligation);
		w.may_cut = !*hopeless && obligation_satisfiable(x, w.obligation);
		if (w.may_end || w.may_cut) vec_push(&b->ways, w);
		if (item_follow(x, order[i]) == FOLLOW_ANY) break;  // it asks for nothing: no worse one can be right
	}
	if (b->ways.n < 2) return;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < b->ways.n; i++) {
		struct way w = b->ways.at[i];
		if (w.may_cut) w.may_cut = way_can_cut(b, &w, raw->observed);
		if (w.may_end || w.may_cut) b->ways.at[kept++] = w;
	}
	b->ways.n = kept;
}

// The start states for an obligation after a terminal, one for each context that may come.
static void open_contexts(struct builder *b, const struct lex_info *info, item_set set, uint32_t observed)
{
	const bits *after = b->m->after + (size_t)info->terminal * b->m->after_words;
	for (uint32_t c = bits_next(after, b->m->after_words, 0); c != UINT32_MAX;
	     c = bits_next(after, b->m->after_words, c + 1)) {
		uint32_t *slot = &b->start.at[info->obligation * b->m->n_contexts + c];
		if (*slot == LEX_DEAD) *slot = state_of(b, (struct raw){set, context_scan(b, c, observed), 0, observed, 0});
	}
}

// Does the newline end here with blanks only behind its last '\n'? A lexeme follows a terminal in one item at most.
static bool ends_line(const struct builder *b, item_set scan)
{
	uint32_t n;
	const uint32_t *q = items_get(&b->x, scan, &n);
	for (uint32_t i = 0; i < n; i++)
		if (b->x.terminal_of.at[q[i]] == b->g->indentation.newline) return b->newlines.is_line[item_state(&b->x, q[i])];
	return false;
}

// Was the last byte a '\n', and does it matter that no other one is supplied?
static bool has_newline(const struct builder *b, item_set scan)
{
	uint32_t n;
	const uint32_t *q = items_get(&b->x, scan, &n);
	for (uint32_t i = 0; i < n && b->newlines.is_last; i++) {
		const uint8_t *is_last = b->newlines.is_last[b->x.terminal_of.at[q[i]]];
		if (is_last && is_last[item_state(&b->x, q[i])]) return true;
	}
	return false;
}

// What the lex_state ends as, in its way; *left: the obligation for cuts, or SET_VIOLATED.
static struct lex_info describe(struct builder *b, const struct raw *raw, item_set *left)
{
	struct lex_info info = {.terminal = UINT32_MAX, .flags = raw->initial ? LEX_INITIAL : 0};
	bool hopeless = false;
	const item_set *row = kept_row(b, raw->scan);
	vec_clear(&b->ways);
	if (!row || !row[b->x.n_classes]) find_ways(b, raw, &hopeless);  // no item of a quiet scan ends
	if (has_newline(b, raw->scan)) info.flags |= LEX_NEWLINE;
	if (hopeless) info.flags |= LEX_UNFAILABLE;
	*left = SET_VIOLATED;
	if (raw->way >= b->ways.n) return info;
	struct way w = b->ways.at[raw->way];
	info.terminal = w.terminal;
	if (w.may_end) info.flags |= LEX_MAY_END;
	if (b->newlines.is_line && w.terminal == b->g->indentation.newline && ends_line(b, raw->scan))
		info.flags |= LEX_LINE;
	if (raw->way + 1 < b->ways.n) {
		b->clashing[0] = w.terminal, b->clashing[1] = b->ways.at[raw->way + 1].terminal;
		b->clash = true;
		struct raw other = *raw;
		other.way++;
		info.also = state_of(b, other);
	}
	// Of several ways another may be the one that can be cut: then this one leads to dead start states only.
	if (!w.may_cut && b->ways.n > 1) info.obligation = obligation_of(b, SET_VIOLATED, 0);
	if (!w.may_cut) return info;
	*left = w.obligation;
	info.obligation = obligation_of(b, w.obligation, raw->observed);
	open_contexts(b, &info, w.obligation, raw->observed);
	return info;
}

// What must not match any more behind a byte of this class. is_free: nothing is forbidden.
static item_set obligation_behind(struct builder *b, item_set obligation, bool is_free, uint32_t class)
{
	return is_free ? obligation : obligation_step(&b->x, obligation, class);
}

// Branches: a class leads nowhere, as the one before it did, or elsewhere; and the lexeme may be cut before it.
static void explore(struct builder *b, lex_state s)
{
	struct raw raw;
	memcpy(&raw, intern_get(&b->states, s - 1, NULL), sizeof raw);
	item_set left;
	struct lex_info info = describe(b, &raw, &left);
	vec_push(&b->info, info);
	const item_set *row = kept_row(b, raw.scan);
	if (!row) items_spread(&b->x, raw.scan);
	uint32_t n_forbidden;
	items_get(&b->x, raw.obligation, &n_forbidden);
	const bool is_plain = !row && !n_forbidden && !b->observers.n && left == SET_VIOLATED;
	struct raw before = {SET_VIOLATED, 0, 0, 0, 0};  // of the class before, where that led; most classes do as it does
	lex_state last = 0;
	vec_reserve(&b->next, (uint64_t)b->next.n + b->x.n_classes);
	for (uint32_t c = 0; c < b->x.n_classes; c++) {
		if (is_plain && !b->x.spread[c].n) {  // most classes lead nowhere
			b->next.at[b->next.n++] = last = 0;
			continue;
		}
		uint32_t to = 0, observed = observe(b, raw.observed, c);
		item_set obligation =
			raw.way || observed == DFA_DEAD ? SET_VIOLATED : obligation_behind(b, raw.obligation, !n_forbidden, c);
		if (obligation != SET_VIOLATED) {
			const bool same = obligation == before.obligation && observed == before.observed &&
			                  (row ? row[c] == row[c - 1] : items_spread_alike(&b->x, c));
			item_set scan = same ? UINT32_MAX : row ? kept_step(b, row[c], obligation) : spread_step(b, c, obligation);
			if (same)
				to = last;
			else if (scan != UINT32_MAX)
				to = state_of(b, (struct raw){obligation, scan, 0, observed, 0});
		}
		before.obligation = obligation, before.observed = observed, last = to;
		if (left != SET_VIOLATED && obligation_step(&b->x, left, c) != SET_VIOLATED) to |= LEX_CUT;
		b->next.at[b->next.n++] = to;
	}
}

static void release(struct builder *b)
{
	items_release(&b->x);
	intern_release(&b->states);
	intern_release(&b->obligations);
	intern_release(&b->observed);
	vec_release(&b->observers);
	vec_release(&b->observed_next);
	vec_release(&b->next);
	vec_release(&b->info);
	vec_release(&b->start);
	vec_release(&b->ways);
	vec_release(&b->ending);
	vec_release(&b->scans);
	vec_release(&b->row_of), vec_release(&b->rows);
}

// The likeliest to blame for too many states.
static terminal_id largest_terminal(const struct builder *b)
{
	terminal_id most = 0;
	for (terminal_id t = 0; t < b->g->n_terminals; t++)
		if (b->x.dfa[t].n_states > b->x.dfa[most].n_states) most = t;
	return most;
}

static bool explore_all(struct builder *b, struct diag *d)
{
	// Row 0 of next and info is the dead state.
	for (uint32_t c = 0; c < b->x.n_classes; c++) vec_push(&b->next, 0);
	vec_push(&b->info, ((struct lex_info){.terminal = UINT32_MAX}));
	for (lex_state s = 1; s <= b->states.entries.n; s++) {
		explore(b, s);
		if (b->states.entries.n > LEXER_MAX_STATES) {
			const struct terminal *x = &b->g->terminals[largest_terminal(b)];
			diag_error(
				d, x->loc,
				"the lexer needs more than %u states (limit LEXER_MAX_STATES); %s is the largest terminal: bound "
				"its repetitions lower, or make a rule of it",
				LEXER_MAX_STATES, grammar_show_terminal(x, diag_arena(d)));
			return false;
		}
		if (b->clash && !b->m->takes_also) {
			const struct terminal *x = &b->g->terminals[b->clashing[0]], *y = &b->g->terminals[b->clashing[1]];
			diag_error(
				d, x->loc,
				"terminals %s and %s can match the same text, and which of them it is depends on the text that "
				"follows; this is not supported yet: make one terminal of them, or move what follows into a rule",
				grammar_show_terminal(x, diag_arena(d)), grammar_show_terminal(y, diag_arena(d)));
			return false;
		}
	}
	return true;
}

// Who looks at the first way sees that some way may be cut.
static void gather_cuts(struct builder *b)
{
	for (lex_state s = b->info.n; s-- > 1;) {
		lex_state also = b->info.at[s].also;
		for (uint32_t c = 0; also && c < b->x.n_classes; c++)
			b->next.at[s * b->x.n_classes + c] |= b->next.at[also * b->x.n_classes + c] & LEX_CUT;
	}
}

// Which obligations let the text end.
static uint8_t *obligations_that_end(struct builder *b, struct arena *arena)
{
	uint8_t *may_end = arena_alloc(arena, b->obligations.entries.n);
	for (uint32_t r = 0; r < b->obligations.entries.n; r++) {
		item_set s = *(const uint32_t *)intern_get(&b->obligations, r, NULL);
		may_end[r] = s != SET_VIOLATED && obligation_may_end(&b->x, s);
	}
	return may_end;
}

static void refuse_readings(const struct grammar *g, terminal_id cut, bool by_sets, struct diag *d)
{
	diag_error(
		d, g->terminals[cut].loc,
		"a text can be cut into lexemes in more than %u %s, here where %s ends: terminals whose longest match is "
		"known late compete; make them differ in how they begin",
		by_sets ? LEXER_MAX_READING_SETS : LEXER_MAX_READINGS,
		by_sets ? "combinations of ways (limit LEXER_MAX_READING_SETS)" : "ways at once (limit LEXER_MAX_READINGS)",
		grammar_show_terminal(&g->terminals[cut], diag_arena(d)));
}

bool lexer_build(const struct grammar *g, const struct byte_dfa *dfa, const struct lexer_context_map *m,
                 struct arena *arena, struct diag *d, struct lexer *out)
{
	struct builder b = {.g = g, .m = m, .rank = rank_terminals(g, arena)};
	b.dfa = dfa = lexer_split_lines(g, dfa, arena, &b.newlines);
	items_init(&b.x, g, dfa);
	begin_observing(&b);
	item_set nothing = items_intern(&b.x);
	obligation_of(&b, nothing, 0);
	lex_state initial = state_of(&b, (struct raw){nothing, context_scan(&b, m->initial, 0), 1, 0, 0});
	bool ok = explore_all(&b, d);
	if (ok) {
		*out = (struct lexer){.n_classes = b.x.n_classes,
		                      .n_states = b.states.entries.n + 1,
		                      .next = b.next.at,
		                      .info = b.info.at,
		                      .n_obligations = b.obligations.entries.n,
		                      .n_contexts = m->n_contexts,
		                      .start = b.start.at,
		                      .initial = initial,
		                      .rank = b.rank};
		memcpy(out->class_of, b.x.class_of, sizeof out->class_of);
		out->n_raw_states = out->n_states;
		gather_cuts(&b);
		lexer_find_counters(&b.x, &b.states, arena, out);
		out->may_end = obligations_that_end(&b, arena);
		uint8_t *ignored = arena_alloc(arena, g->n_terminals + 1);
		for (terminal_id t = 0; t < g->n_terminals; t++) ignored[t] = g->terminals[t].is_ignored;
		out->is_ignored = ignored;
		lexer_minimise(out, arena);
		ASSERT(!lexer_check(out));
		lexer_limit_counters(out);
		lexer_find_chains(out, arena);
		terminal_id cut = 0;
		out->max_readings = lexer_count_readings(out, m, &cut);
		if (out->max_readings > LEXER_MAX_READINGS) refuse_readings(g, cut, out->max_readings == UINT32_MAX, d);
		ok = out->max_readings <= LEXER_MAX_READINGS && lexer_check_lines(g, dfa, b.newlines.is_line, d, out);
	}
	release(&b);
	return ok;
}

// What a state ends as: only what ends something is cut or has another way, and other ways do not read on.
static const char *check_ends(const struct lexer *x, lex_state s)
{
	const struct lex_info *info = &x->info[s];
	const uint32_t *row = x->next + (size_t)s * x->n_classes;
	bool is_cut = false;
	if (info->also >= x->n_states) return "also out of range";
	for (uint32_t c = 0; c < x->n_classes; c++) is_cut |= (row[c] & LEX_CUT) != 0;
	if (info->terminal == UINT32_MAX)
		return is_cut                      ? "cut without a terminal"
		       : info->flags & LEX_MAY_END ? "the text may end in a lexeme that does not"
		       : info->also                ? "another way to end without a first one"
		                                   : NULL;
	if (info->obligation >= x->n_obligations) return "obligation out of range";
	for (uint32_t c = 0; c < x->n_classes && info->also; c++)
		if (x->next[(size_t)info->also * x->n_classes + c] & LEX_STATE_MASK) return "another way to end reads on";
	return NULL;
}

static const char *check_counters(const struct lexer *x)
{
	const struct lexer_counters *k = &x->counters;
	for (uint32_t i = 0; i < k->n_states; i++) {
		if (i && k->state[i - 1].state > k->state[i].state) return "counted states do not ascend";
		if (k->state[i].state >= x->n_states || k->state[i].counter >= k->n) return "counted state out of range";
	}
	for (uint32_t i = 0; i < k->n; i++)
		if (k->counter[i].from >= x->n_states || k->counter[i].to >= x->n_states) return "counter out of range";
	return NULL;
}

const char *lexer_check(const struct lexer *x)
{
	for (size_t i = 0; i < (size_t)x->n_states * x->n_classes; i++)
		if ((x->next[i] & LEX_STATE_MASK) >= x->n_states) return "next out of range";
	for (lex_state s = 0; s < x->n_states; s++) {
		const char *wrong = check_ends(x, s);
		if (wrong) return wrong;
	}
	for (size_t i = 0; i < (size_t)x->n_obligations * x->n_contexts; i++) {
		if (x->start[i] >= x->n_states) return "start out of range";
		if (x->start[i] && x->info[x->start[i]].terminal != UINT32_MAX) return "a fresh state ends a lexeme";
	}
	if (x->initial >= x->n_states) return "initial out of range";
	if (!(x->info[x->initial].flags & LEX_INITIAL)) return "the text's start has read something";
	return check_counters(x);
}
