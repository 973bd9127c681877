// Newlines that decide columns (grammar.h, struct indentation): which lex_states end one, and what must hold of them.
//
// In:  the newline terminal's DFA. Out: the same language in a DFA whose states also know what stood since the last
// '\n' of the lexeme: none yet, blanks (' ' and '\t') only, other bytes. A lexeme that ends after blanks only is
// *line-ending*: lex_states that end it carry LEX_LINE, and the width of those blanks is a column.
// With end=newline, DFAs of terminals that can end in '\n' know whether they do (LEX_NEWLINE): none is supplied then.
// The tables count on lines that begin with any number of blanks, and on lexemes that a further '\n' and blanks may
// follow: so a column that no open one equals is no end, a blank line can come yet. lexer_check_lines refuses a grammar
// where they cannot. Cost: three times the newline's states; for the checks lex_states that end a line x lex_states of
// the newline.
#include "lexer_raw.h"

#include "../../formats/artifact.h"

// What stood since the last '\n' of a lexeme; JUST_LINE: nothing, and the text may end with it.
enum phase { NO_LINE, JUST_LINE, BLANKS, OTHERS, N_PHASES };

static bool is_blank(uint8_t byte) { return byte == ' ' || byte == '\t'; }

static bool is_accepting(const struct byte_dfa *a, uint32_t s) { return s != DFA_DEAD && a->accept[s]; }

// The newline ends lines, which is to be known; of the others, and of the newline where it cannot end, only whether
// one more '\n' would be the second.
struct split {
	const struct byte_dfa *from;
	bool is_newline, end_newline;
};

// Behind `byte`, which has led to state s.
static enum phase phase_after(const struct split *x, enum phase phase, uint8_t byte, uint32_t s)
{
	if (byte == '\n') {
		bool ends = is_accepting(x->from, s), next = is_accepting(x->from, dfa_step(x->from, s, '\n'));
		if (x->end_newline && (ends ? !x->is_newline : next)) return JUST_LINE;
		return x->is_newline ? BLANKS : NO_LINE;
	}
	if (!x->is_newline || phase == NO_LINE) return NO_LINE;
	return phase == OTHERS || !is_blank(byte) ? OTHERS : BLANKS;
}

// Bytes of one class act alike, and none of '\n', blanks and the rest share one.
static void split_classes(const struct byte_dfa *from, struct byte_dfa *to, uint8_t *sample)
{
	uint32_t number[256][3];
	memset(number, 0xff, sizeof number);
	to->n_classes = 0;
	for (uint32_t b = 0; b < 256; b++) {
		uint32_t *n = &number[from->class_of[b]][b == '\n' ? 0 : is_blank((uint8_t)b) ? 1 : 2];
		if (*n == UINT32_MAX) *n = to->n_classes++, sample[*n] = (uint8_t)b;
		to->class_of[b] = (uint8_t)*n;
	}
}

// The product with phases; returns each state's.
static const uint8_t *split_dfa(const struct split *x, struct byte_dfa *to, struct arena *arena)
{
	const struct byte_dfa *from = x->from;
	uint8_t sample[256], *phases;
	split_classes(from, to, sample);
	// (state, phase) in the order in which they are found; those where a lexeme can begin come first.
	uint32_t most = from->n_states * N_PHASES, n = 0;
	uint32_t *number = mem_alloc((size_t)most * sizeof *number), *pair = mem_alloc((size_t)most * sizeof *pair);
	memset(number, 0xff, (size_t)most * sizeof *number);
	if (from->n_states) number[0] = n, pair[n++] = 0;
	to->before.start = arena_array(arena, from->before.n_states, sizeof *to->before.start);
	for (uint32_t o = 0; o < from->before.n_states; o++) {
		uint32_t s = from->before.start[o];
		if (s != DFA_DEAD && number[s * N_PHASES] == UINT32_MAX) number[s * N_PHASES] = n, pair[n++] = s * N_PHASES;
		to->before.start[o] = s == DFA_DEAD ? DFA_DEAD : number[s * N_PHASES];
	}
	to->next = arena_array(arena, (size_t)most * to->n_classes, sizeof *to->next);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t c = 0; c < to->n_classes; c++) {
			uint32_t s = dfa_step(from, pair[i] / N_PHASES, sample[c]), *slot = &to->next[i * to->n_classes + c];
			*slot = DFA_DEAD;
			if (s == DFA_DEAD) continue;
			uint32_t p = s * N_PHASES + phase_after(x, pair[i] % N_PHASES, sample[c], s);
			if (number[p] == UINT32_MAX) number[p] = n, pair[n++] = p;
			*slot = number[p];
		}
	to->n_states = n;
	to->accept = arena_alloc(arena, n), to->unfailable = arena_alloc(arena, n), phases = arena_alloc(arena, n);
	if (from->follow) to->follow = arena_array(arena, n, sizeof *to->follow);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t s = pair[i] / N_PHASES;
		to->accept[i] = from->accept[s], to->unfailable[i] = from->unfailable[s];
		if (from->follow) to->follow[i] = from->follow[s];
		phases[i] = (uint8_t)(pair[i] % N_PHASES);
	}
	free(number);
	free(pair);
	return phases;
}

// Can a lexeme, or one that one more '\n' ends, end in '\n'?
static bool can_end_in_newline(const struct byte_dfa *a)
{
	for (uint32_t s = 0; s < a->n_states; s++) {
		uint32_t to = dfa_step(a, s, '\n');
		if (to != DFA_DEAD && (a->accept[to] || is_accepting(a, dfa_step(a, to, '\n')))) return true;
	}
	return false;
}

static uint8_t *states_in(const struct byte_dfa *dfa, const uint8_t *phases, uint32_t phase, struct arena *arena)
{
	uint8_t *is = arena_alloc(arena, dfa->n_states);
	for (uint32_t s = 0; s < dfa->n_states; s++) is[s] = phases[s] == phase;
	return is;
}

const struct byte_dfa *lexer_split_lines(const struct grammar *g, const struct byte_dfa *dfa, struct arena *arena,
                                         struct newline_states *out)
{
	*out = (struct newline_states){0};
	if (!g->indentation.on) return dfa;
	struct byte_dfa *all = arena_array(arena, g->n_terminals, sizeof *all);
	memcpy(all, dfa, g->n_terminals * sizeof *all);
	out->is_last = arena_array(arena, g->n_terminals, sizeof *out->is_last);
	for (terminal_id t = 0; t < g->n_terminals; t++) {
		struct split x = {&dfa[t], t == g->indentation.newline, g->indentation.end_newline};
		if (!x.is_newline && !(x.end_newline && can_end_in_newline(x.from))) continue;
		const uint8_t *phases = split_dfa(&x, &all[t], arena);
		out->is_last[t] = states_in(&all[t], phases, JUST_LINE, arena);
		if (x.is_newline) out->is_line = states_in(&all[t], phases, BLANKS, arena);
	}
	return all;
}

// Does the lexeme come back from q to q by a '\n', perhaps with other bytes? *lines: to some lex_state that ends a
// line.
static bool comes_back(const struct lexer *x, lex_state q, bool *lines)
{
	uint8_t *seen = mem_calloc(x->n_states, 2), *after_newline = seen + x->n_states;
	VEC(uint32_t) work = {0};
	vec_push(&work, q);
	while (work.n) {
		uint32_t at = vec_pop(&work);
		bool after = at >= x->n_states;
		lex_state s = after ? at - x->n_states : at;
		for (int b = 0; b < 256; b++) {
			lex_state to = lexer_next(x, s, (uint8_t)b) & LEX_STATE_MASK;
			bool then = after || b == '\n';
			uint8_t *mark = then ? &after_newline[to] : &seen[to];
			if (!to || *mark) continue;
			*mark = 1;
			*lines |= then && x->info[to].flags & LEX_LINE;
			vec_push(&work, then ? to + x->n_states : to);
		}
	}
	bool back = after_newline[q];
	vec_release(&work);
	free(seen);
	return back;
}

// In a lex_state that ends a line, a blank leads back to it and changes nothing but the column; or it is no part of
// the newline.
static bool is_regular(const struct lexer *x, lex_state q)
{
	for (uint32_t b = 0; b < 256; b++) {
		uint32_t to = lexer_next(x, q, (uint8_t)b);
		if (is_blank((uint8_t)b) && (x->is_blank[b] ? to != q : (to & LEX_STATE_MASK) != 0)) return false;
	}
	return true;
}

// Can a lexeme of the newline go on from state q to a '\n' behind which it may end, blanks only after it?
static bool dfa_takes_lines(const struct byte_dfa *n, const uint8_t *is_line, uint32_t q)
{
	uint8_t *seen = mem_calloc(n->n_states, 1);
	VEC(uint32_t) work = {0};
	bool found = false;
	vec_push(&work, q);
	while (work.n && !found) {
		uint32_t s = vec_pop(&work);
		for (uint32_t b = 0; b < 256 && !found; b++) {
			uint32_t to = dfa_step(n, s, (uint8_t)b);
			if (to == DFA_DEAD) continue;
			found = b == '\n' && is_line[to] && n->accept[to];
			if (!seen[to]) seen[to] = 1, vec_push(&work, to);
		}
	}
	vec_release(&work);
	free(seen);
	return found;
}

// A shortest lexeme that ends a line and cannot run over a blank one, to be shown; NULL: there is none.
// Branches: a breadth-first search, then the bytes of its way back, written for people.
static const char *stuck_line(const struct byte_dfa *n, const uint8_t *is_line, struct arena *arena)
{
	uint32_t *from = mem_alloc((size_t)n->n_states * sizeof *from), at = UINT32_MAX;
	uint8_t *by = mem_calloc(n->n_states, 1);
	memset(from, 0xff, (size_t)n->n_states * sizeof *from);
	VEC(uint32_t) queue = {0};
	vec_push(&queue, 0);
	from[0] = 0;
	for (uint32_t i = 0; i < queue.n && at == UINT32_MAX; i++) {
		uint32_t s = queue.at[i];
		if (n->accept[s] && is_line[s] && !dfa_takes_lines(n, is_line, s)) at = s;
		for (uint32_t b = 0; b < 256; b++) {
			uint32_t to = dfa_step(n, s, (uint8_t)b);
			if (to != DFA_DEAD && from[to] == UINT32_MAX) from[to] = s, by[to] = (uint8_t)b, vec_push(&queue, to);
		}
	}
	const char *text = at == UINT32_MAX ? NULL : "";
	for (; text && at; at = from[at])
		text = by[at] == '\n'                  ? arena_printf(arena, "\\n%s", text)
		       : by[at] == '\r'                ? arena_printf(arena, "\\r%s", text)
		       : by[at] > ' ' && by[at] < 0x7f ? arena_printf(arena, "%c%s", by[at], text)
		                                       : arena_printf(arena, "\\x%02x%s", by[at], text);
	vec_release(&queue);
	free(from), free(by);
	return text;
}

static void refuse_stuck(const struct terminal *newline, const char *text, struct diag *d)
{
	if (text)
		diag_error(
			d, newline->loc,
			"the newline terminal '%s' must run over blank lines, but behind '%s' it takes no further '\\n': a column "
			"that no open one equals could not be left. Write /(\\r?\\n[\\t ]*)+/, or with comments /(\\r?\\n[\\t "
			"]*|#[^\\n]*)+/",
			newline->name, text);
	else
		diag_error(d, newline->loc,
		           "the newline terminal '%s' must run over blank lines, but another terminal or a lookaround is in "
		           "the way of "
		           "a further '\\n': a column that no open one equals could not be left",
		           newline->name);
}

// Without it a grammar has no lines: a rule for it may stand where no text comes.
static bool is_read(const struct lexer *x, terminal_id t)
{
	for (lex_state q = 1; q < x->n_states; q++)
		if (x->info[q].terminal == t) return true;
	return false;
}

// Branches: one pass finds what may be wrong with the newline; the worst of it is told, with what to do.
bool lexer_check_lines(const struct grammar *g, const struct byte_dfa *dfa, const uint8_t *is_line, struct diag *d,
                       struct lexer *x)
{
	if (!g->indentation.on) return true;
	if (!is_read(x, g->indentation.newline)) {
		const struct terminal *t = &g->terminals[g->indentation.newline];
		diag_warning(d, t->loc, "no text of the grammar has a '%s': there are no lines, and no columns [no-indent]",
		             t->name);
		return true;
	}
	const struct terminal *newline = &g->terminals[g->indentation.newline];
	bool some = false, regular = true, repeats = true;
	const struct lex_info *other = NULL;  // another way to end where a line ends
	x->indentation = &g->indentation;
	x->lines_repeat = true;
	for (lex_state q = 1; q < x->n_states; q++) {
		const struct lex_info *also = lexer_also(x, &x->info[q]);
		if (also && also->flags & LEX_LINE) other = &x->info[q];
		if (also && x->info[q].flags & LEX_LINE) other = also;
		if (!(x->info[q].flags & LEX_LINE)) continue;
		for (uint32_t b = 0; b < 256 && !some; b++)
			x->is_blank[b] = is_blank((uint8_t)b) && lexer_next(x, q, (uint8_t)b) == q;
		some = true;
		regular &= is_regular(x, q);
		bool lines = false;
		x->lines_repeat &= comes_back(x, q, &lines);
		repeats &= lines;
	}
	bool wide = x->is_blank[' '] || (x->is_blank['\t'] && g->indentation.tab_rule != TAB_REFUSED);
	if (!some)
		diag_error(d, newline->loc, "the newline terminal '%s' never ends in '\\n' and blanks: no line has a column",
		           newline->name);
	else if (other)
		diag_error(d, newline->loc,
		           "the text that follows decides whether a line ends as '%s' or as '%s': that cannot be told "
		           "together with columns; give one of them a priority",
		           newline->name, g->terminals[other->terminal].name);
	else if (!regular || !wide)
		diag_error(d, newline->loc,
		           "the newline terminal '%s' must take any number of blanks behind its '\\n', as "
		           "/\\n[ \\t]*/ does: they are the column",
		           newline->name);
	else if (!repeats)
		refuse_stuck(newline, stuck_line(&dfa[g->indentation.newline], is_line, &d->arena), d);
	return some && !other && regular && wide && repeats;
}
