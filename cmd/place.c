// A place in a text, for people.
//
// In:  a matcher's readings, an artifact's tables. Out: stacks as the symbols that made them, sets of terminals.
// Terminals are pushed on whole stacks, a copy for each way beside the first that the parser may go: slow and obvious,
// as explanations may be. Cost: a push O(reductions), O(depth) for a copy; lex_may_become O(lexer); lex_found
// O(contexts * bytes).
#include "place.h"

#include <string.h>

#define MAX_REDUCTIONS 100000u  // of one push, all ways together; a grammar's are far fewer

void ids_add(terminal_set *l, uint32_t id)
{
	uint32_t k = l->n;
	while (k > 0 && l->at[k - 1] > id) k--;
	if (k > 0 && l->at[k - 1] == id) return;
	vec_push(l, 0u);
	memmove(l->at + k + 1, l->at + k, (l->n - 1 - k) * sizeof *l->at);
	l->at[k] = id;
}

void ids_copy(terminal_set *to, const terminal_set *from)
{
	vec_clear(to);
	for (uint32_t i = 0; i < from->n; i++) vec_push(to, from->at[i]);
}

const char *terminal_show(const struct artifact_view *v, uint32_t t)
{
	if (t >= v->info->n_terminals) return "the end of the text";
	const char *name = view_terminal_name(v, t);
	bool by_pattern =
		view_terminal(v, t)->flags & TERMINAL_LITERAL || !strncmp(name, "__", 2);  // or the compiler's name
	return by_pattern ? view_terminal_pattern(v, t) : name;
}

void terminals_show(FILE *out, const struct artifact_view *v, const terminal_set *l, uint32_t max)
{
	if (!l->n) fputs("nothing", out);
	for (uint32_t i = 0; i < l->n && i < max; i++)
		fprintf(out, "%s%s", !i ? "" : l->at[i] < v->info->n_terminals ? " " : " or ", terminal_show(v, l->at[i]));
	if (l->n > max) fprintf(out, " ... (%u more)", l->n - max);
}

// ---- Stacks.
static void stack_release(struct place_stack *s)
{
	vec_release(&s->at);
	vec_release(&s->symbols);
}

void place_release(stack_list *l)
{
	for (uint32_t i = 0; i < l->n; i++) stack_release(&l->at[i]);
	vec_release(l);
}

static struct place_stack stack_copy(const struct place_stack *s)
{
	struct place_stack c = {.is_cut = s->is_cut};
	ids_copy(&c.at, &s->at);
	ids_copy(&c.symbols, &s->symbols);
	return c;
}

static uint32_t top_of(const struct place_stack *s) { return s->at.at[s->at.n - 1]; }

static void stack_add(struct place_stack *s, uint32_t lr_state, uint32_t symbol)
{
	vec_push(&s->at, lr_state);
	vec_push(&s->symbols, symbol);
}

struct taker {
	const struct artifact_view *v;
	const stack_list *read;
	stack_list *out;
};

static bool same_states(const terminal_set *a, const terminal_set *b)
{
	return a->n == b->n && !memcmp(a->at, b->at, a->n * sizeof *a->at);
}

static void take_stack(void *to, const gcdc_shown_stack *shown)
{
	struct taker *t = to;
	struct place_stack s = {.is_cut = shown->is_cut};
	for (uint32_t i = shown->n; i-- > 0;) vec_push(&s.at, shown->lr_states[i]);
	for (uint32_t i = 0; t->read && i < t->read->n && !s.symbols.n; i++)
		if (same_states(&t->read->at[i].at, &s.at)) ids_copy(&s.symbols, &t->read->at[i].symbols);
	for (uint32_t i = s.symbols.n + 1; i < s.at.n; i++)
		vec_push(&s.symbols, view_symbol_between(t->v, s.at.at[i - 1], s.at.at[i]));
	vec_push(t->out, s);
}

bool place_stacks(const struct artifact_view *v, const gcdc_matcher *m, uint32_t i, const stack_list *read,
                  stack_list *out)
{
	bool all;
	struct taker t = {v, read, out};
	gcdc_status status =
		gcdc_show_stacks(m, i, (gcdc_show_limits){PLACE_MAX_STACKS, PLACE_MAX_DEPTH}, take_stack, &t, &all);
	ASSERT(!status);
	return all;
}

uint32_t place_columns(const gcdc_matcher *m, uint32_t number, terminal_set *columns)
{
	uint32_t column, n = gcdc_matcher_columns(m, number, NULL, 0, &column);
	vec_clear(columns);
	vec_reserve(columns, n);
	gcdc_matcher_columns(m, number, columns->at, n, NULL);
	columns->n = n ? n - 1 : 0;
	return column;
}

void place_stack_show(FILE *out, const struct artifact_view *v, const struct place_stack *s, uint32_t max)
{
	if (!s->symbols.n) fputs("empty", out);
	uint32_t first = s->symbols.n > max ? s->symbols.n - max : 0;
	if (first || s->is_cut) fputs("... ", out);
	for (uint32_t i = first; i < s->symbols.n; i++) {
		uint32_t x = s->symbols.at[i];
		const char *name = x == ARTIFACT_NONE         ? "?"
		                   : x < v->info->n_terminals ? terminal_show(v, x)
		                                              : view_symbol_name(v, x);
		fprintf(out, "%s%s", i > first ? " " : "", name);
	}
}

// What one action makes of a stack, which is used up: shifted or kept, into out; reduced, into todo.
static void act(const struct artifact_view *v, struct place_stack s, uint32_t action, uint32_t t, stack_list *todo,
                stack_list *out)
{
	if (action == ACTION_SKIP || ACTION_IS_SHIFT(action)) {
		if (action != ACTION_SKIP) stack_add(&s, action >> 1, t);
		vec_push(out, s);
		return;
	}
	struct view_production p = view_production(v, (action >> 1) - 1);
	uint32_t to = 0;
	if (p.n < s.at.n) {  // else it goes below what is known
		s.at.n -= p.n;
		s.symbols.n -= p.n;
		to = view_goto(v, top_of(&s), p.left);
	}
	if (!to) {
		stack_release(&s);
		return;
	}
	stack_add(&s, to, v->info->n_terminals + p.left);
	vec_push(todo, s);
}

// Uses s up; only ways beside the last one are copies.
static void push_stack(const struct artifact_view *v, struct place_stack s, uint32_t t, stack_list *out)
{
	stack_list todo = {0};
	bool is_kept = view_is_ignored(v, t);
	if (out->n >= PLACE_MAX_STACKS)
		stack_release(&s);
	else if (is_kept)
		vec_push(out, s);
	else
		vec_push(&todo, s);
	for (uint32_t fuel = MAX_REDUCTIONS; todo.n && fuel; fuel--) {
		struct place_stack x = vec_pop(&todo);
		const uint32_t *actions;
		uint32_t n = view_actions(v, top_of(&x), t, &actions);
		for (uint32_t i = n; i-- > 1;)
			if (out->n + todo.n + 1 < PLACE_MAX_STACKS) act(v, stack_copy(&x), actions[i], t, &todo, out);
		if (n && actions[0] != ACTION_ACCEPT)
			act(v, x, actions[0], t, &todo, out);
		else
			stack_release(&x);
	}
	place_release(&todo);
}

void place_push(const struct artifact_view *v, const struct place_stack *s, uint32_t t, stack_list *out)
{
	push_stack(v, stack_copy(s), t, out);
}

void place_push_all(const struct artifact_view *v, stack_list *stacks, uint32_t t)
{
	stack_list next = {0};
	for (uint32_t i = 0; i < stacks->n; i++) push_stack(v, stacks->at[i], t, &next);
	vec_release(stacks);  // the stacks themselves are used up
	*stacks = next;
}

void place_push_column(const struct artifact_view *v, stack_list *stacks, const terminal_set *columns, uint32_t column)
{
	uint32_t inner = columns->n ? columns->at[0] : 0;
	if (column > inner) {
		place_push_all(v, stacks, v->info->indent);
		return;
	}
	for (uint32_t k = 0; column < inner; k++) {
		place_push_all(v, stacks, v->info->dedent);
		inner = k + 1 < columns->n ? columns->at[k + 1] : 0;
	}
	if (column != inner) place_release(stacks);
}

bool place_takes_line(const struct artifact_view *v, const struct place_stack *s, uint32_t terminal)
{
	const uint32_t *actions;
	return v->info->n_lines && terminal == v->info->newline && view_actions(v, top_of(s), terminal, &actions) &&
	       *actions != ACTION_SKIP;
}

// The column behind a newline's last line break, or NONE: something else than blanks stands there.
static uint32_t column_of(const struct artifact_info *i, const char *text, const gcdc_lexeme *x)
{
	size_t at = x->end;
	uint32_t column = 0;
	while (at > x->begin && (text[at - 1] == ' ' || text[at - 1] == '\t')) at--;
	if (at == x->begin || text[at - 1] != '\n') return GCDC_NONE;
	for (; at < x->end; at++) {
		if (text[at] == ' ')
			column++;
		else
			column = i->tab_rule == ARTIFACT_TAB_COUNTS ? column + i->tab : (column / i->tab + 1) * i->tab;
	}
	return column;
}

void place_read(const struct artifact_view *v, const char *text, const gcdc_lexing *lexing, stack_list *out)
{
	struct place_stack bottom = {0};
	terminal_set columns = {0};  // outermost first
	vec_push(&bottom.at, 1u);
	vec_push(out, bottom);
	for (size_t i = 0; i < lexing->n && out->n && out->at[0].at.n <= PLACE_MAX_DEPTH; i++) {
		const gcdc_lexeme *x = &lexing->lexemes[i];
		uint32_t column = place_takes_line(v, &out->at[0], x->terminal) ? column_of(v->info, text, x) : GCDC_NONE;
		place_push_all(v, out, x->terminal);
		if (column == GCDC_NONE) continue;
		terminal_set inner_first = {0};
		for (uint32_t k = columns.n; k-- > 0;) vec_push(&inner_first, columns.at[k]);
		place_push_column(v, out, &inner_first, column);
		vec_release(&inner_first);
		while (columns.n && columns.at[columns.n - 1] > column) columns.n--;
		if (column && (!columns.n || columns.at[columns.n - 1] < column)) vec_push(&columns, column);
	}
	vec_release(&columns);
}

void place_wanted(const struct artifact_view *v, const stack_list *l, terminal_set *terminals)
{
	for (uint32_t i = 0; i < l->n; i++) {
		const uint32_t *actions;
		for (uint32_t t = 0; t <= v->info->n_terminals; t++)
			if (view_actions(v, top_of(&l->at[i]), t, &actions) && *actions != ACTION_SKIP) ids_add(terminals, t);
	}
}

// ---- Lexemes.
void lex_may_become(const struct artifact_view *v, uint32_t lex_state, terminal_set *terminals)
{
	uint8_t byte_of[256];  // one byte for each class
	memset(byte_of, 0, sizeof byte_of);
	for (uint32_t b = 256; b-- > 0;) byte_of[v->info->class_of[b]] = (uint8_t)b;
	bool *seen = mem_calloc(v->info->n_lex_states, sizeof *seen);
	terminal_set todo = {0};
	vec_push(&todo, lex_state);
	seen[lex_state] = true;
	while (todo.n) {
		uint32_t q = vec_pop(&todo);
		const struct artifact_lex_state *lex = view_lex_state(v, q);
		if (lex->terminal != ARTIFACT_NONE) ids_add(terminals, lex->terminal);
		if (lex->also && !seen[lex->also]) seen[lex->also] = true, vec_push(&todo, lex->also);
		for (uint32_t c = 0; c < v->info->n_classes; c++) {
			uint32_t to = view_lex_next(v, q, byte_of[c]) & LEX_STATE_MASK;
			if (!to || seen[to]) continue;
			seen[to] = true;
			vec_push(&todo, to);
		}
	}
	vec_release(&todo);
	free(seen);
}

void lex_wanted(const struct artifact_view *v, uint32_t lex_state, const struct place_stack *s, terminal_set *terminals)
{
	terminal_set all = {0};
	const uint32_t *actions;
	if (lex_state) lex_may_become(v, lex_state, &all);
	for (uint32_t i = 0; i < all.n; i++)
		if (view_is_ignored(v, all.at[i]) || view_actions(v, top_of(s), all.at[i], &actions))
			ids_add(terminals, all.at[i]);
	vec_release(&all);
}

size_t lex_found(const struct artifact_view *v, const uint8_t *bytes, size_t len, terminal_set *terminals)
{
	size_t best = 0;
	terminal_set begun = {0};
	bool *seen = mem_calloc(v->info->n_lex_states, sizeof *seen);
	for (uint32_t k = 0; k < v->info->n_obligations * v->info->n_contexts; k++) {
		uint32_t q = view_lex_start(v, k / v->info->n_contexts, k % v->info->n_contexts);
		if (seen[q]) continue;
		seen[q] = true;
		for (size_t i = 0; i < len && q; i++) {
			q = view_lex_next(v, q, bytes[i]) & LEX_STATE_MASK;
			uint32_t t = q ? view_lex_state(v, q)->terminal : ARTIFACT_NONE;
			if (t == ARTIFACT_NONE || i + 1 < best) continue;
			if (i + 1 > best) vec_clear(terminals);
			best = i + 1;
			ids_add(terminals, t);
		}
		if (q && !best) lex_may_become(v, q, &begun);
	}
	if (!best) ids_copy(terminals, &begun);
	vec_release(&begun);
	free(seen);
	return best;
}

void place_wanted_line(const struct artifact_view *v, const stack_list *stacks, const terminal_set *columns,
                       uint32_t column, terminal_set *terminals)
{
	// Every column makes what one of these does: each that is open, and one deeper than all.
	for (uint32_t k = 0; k <= columns->n + 1; k++) {
		uint32_t at = k == 0 ? UINT32_MAX : k <= columns->n ? columns->at[k - 1] : 0;
		stack_list copy = {0};
		for (uint32_t i = 0; i < stacks->n; i++) vec_push(&copy, stack_copy(&stacks->at[i]));
		if (at >= column) place_push_column(v, &copy, columns, at);
		if (at >= column) place_wanted(v, &copy, terminals);
		place_release(&copy);
	}
	uint32_t n = 0;  // a column that would make an indent or dedents was another one of these
	for (uint32_t i = 0; i < terminals->n; i++)
		if (terminals->at[i] != v->info->indent && terminals->at[i] != v->info->dedent)
			terminals->at[n++] = terminals->at[i];
	terminals->n = n;
}
