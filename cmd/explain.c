// Why a token, or the end, is allowed or not behind a text.
//
// In:  an artifact, a text, a token. Out: the verdict (the runtime's), and for each way to read the text up to the byte
// where it stops: its lexemes, its stacks, and for each stack what stops it.
// The verdict and the place come from the runtime's own decisions; what is found out here, with the same tables, is
// only their reason: can the lexeme go on with the byte, can it end before it, as what, and what does the parser want
// then? Each stack reads for itself, so the reason is its own. Where all of it can be read and the text is not viable
// all the same, it is a dead end (docs/algorithm.md, 4). Cost: O(text) steps, O(log token) masks, a few pushes for each
// stack.
#include "explain.h"

#include "canonical_text.h"
#include "schema_refusal.h"

#include <string.h>

// How the lexeme of a reading can end, and what comes then.
struct ending {
	const struct artifact_view *v;
	const struct place_stack *stack;
	uint32_t lex_state;
	const char *hand;  // the lexeme at hand, `at` bytes into the text
	size_t hand_at, hand_len;
	uint32_t column;
	const terminal_set *columns;  // open
	bool is_end;                  // of the text, else before `byte`
	bool is_open;                 // neither: any byte may follow
	uint8_t byte;
};

static uint32_t top_of(const struct place_stack *s) { return s->at.at[s->at.n - 1]; }

// May the lexeme end here, as the lexer has it, by the way of lex_state q?
static bool may_end(const struct ending *e, uint32_t q)
{
	const struct artifact_lex_state *lex = view_lex_state(e->v, q);
	if (lex->terminal == ARTIFACT_NONE) return false;
	return e->is_end || e->is_open ? lex->flags & LEX_MAY_END : view_lex_next(e->v, q, e->byte) & LEX_CUT;
}

// Can what is lexed at this lex_state become something that the parser wants on the stack?
static bool is_wanted(const struct artifact_view *v, uint32_t lex_state, const struct place_stack *s)
{
	terminal_set terminals = {0};
	lex_wanted(v, lex_state, s, &terminals);
	bool wanted = terminals.n > 0;
	vec_release(&terminals);
	return wanted;
}

static bool starts_wanted(const struct ending *e, uint32_t obligation, const struct place_stack *s)
{
	uint32_t start = view_lex_start(e->v, obligation, view_context_of(e->v, top_of(s)));
	return start && is_wanted(e->v, view_lex_next(e->v, start, e->byte) & LEX_STATE_MASK, s);
}

// What would follow the lexeme that ended as `lex` says.
// Branches: what follows a lexeme is decided by the parser, by the column, by the end of the text or by what begins
// next.
static enum stop follow(const struct ending *e, const struct artifact_lex_state *lex, struct explained_stack *out)
{
	stack_list after = {0};
	enum stop stop = e->is_end ? STOP_END : STOP_PARSER;
	place_push(e->v, e->stack, lex->terminal, &after);
	ids_add(&out->ends_as, lex->terminal);
	if (!after.n) {
		const stack_list here = {.at = (struct place_stack *)(uintptr_t)e->stack, .n = 1};
		place_wanted(e->v, &here, &out->wanted);
		return STOP_UNWANTED;
	}
	bool is_line = lex->flags & LEX_LINE && place_takes_line(e->v, e->stack, lex->terminal);
	if (e->is_open) {
		if (is_line)
			place_wanted_line(e->v, &after, e->columns, e->column, &out->wanted);
		else
			place_wanted(e->v, &after, &out->wanted);
		out->has_column = out->column_is_open = is_line;
		place_release(&after);
		return STOP_NOT;
	}
	if (is_line) {
		out->has_column = true;
		if (e->column == GCDC_NONE)
			stop = STOP_TAB;
		else
			place_push_column(e->v, &after, e->columns, e->column);
		if (!after.n && stop != STOP_TAB) stop = STOP_COLUMN;
	}
	place_wanted(e->v, &after, &out->wanted);
	while (e->is_end && after.n && stop != STOP_NOT) {  // blocks that are open end with the text
		const uint32_t *actions;
		for (uint32_t i = 0; i < after.n; i++)
			if (view_actions(e->v, top_of(&after.at[i]), e->v->info->n_terminals, &actions)) stop = STOP_NOT;
		if (e->v->info->n_lines)
			place_push_all(e->v, &after, e->v->info->dedent);
		else
			place_release(&after);
	}
	for (uint32_t i = 0; i < after.n && stop != STOP_NOT && !e->is_end; i++) {
		if (starts_wanted(e, lex->obligation, &after.at[i]))
			stop = STOP_NOT;
		else if (starts_wanted(e, 0, &after.at[i]))
			stop = STOP_LONGER;
	}
	place_release(&after);
	return stop;
}

// The lexeme cannot end as `terminal` before the byte: is it by its own lookahead, whatever was read before?
static bool looks_ahead(const struct ending *e, uint32_t terminal)
{
	const struct artifact_view *v = e->v;
	uint32_t q = e->hand_at ? view_lex_start(v, 0, view_context_of(v, top_of(e->stack))) : v->info->start_lex_state;
	for (size_t i = 0; i < e->hand_len && q; i++) q = view_lex_next(v, q, (uint8_t)e->hand[i]) & LEX_STATE_MASK;
	while (q && view_lex_state(v, q)->terminal != terminal) q = view_lex_state(v, q)->also;
	return q && !(view_lex_next(v, q, e->byte) & LEX_CUT);
}

// Why one stack by itself cannot go on.
// Branches: the ways in which a lexeme ends are tried one after the other, and the reason that says most is kept.
static void explain_stack(const struct ending *e, struct explained_stack *out)
{
	const struct artifact_lex_state *lex = view_lex_state(e->v, e->lex_state);
	const stack_list here = {.at = (struct place_stack *)(uintptr_t)e->stack, .n = 1};
	bool goes_on = !e->is_end && !e->is_open &&
	               is_wanted(e->v, view_lex_next(e->v, e->lex_state, e->byte) & LEX_STATE_MASK, e->stack);
	if (lex->flags & LEX_INITIAL && lex->terminal == ARTIFACT_NONE) {
		const uint32_t *actions;
		place_wanted(e->v, &here, &out->wanted);
		out->stop = goes_on || e->is_open ? STOP_NOT : e->is_end ? STOP_END : STOP_BEGINS;
		if (e->is_end && view_actions(e->v, top_of(e->stack), e->v->info->n_terminals, &actions)) out->stop = STOP_NOT;
		return;
	}
	out->stop = e->is_end && lex->flags & LEX_UNFAILABLE ? STOP_OPEN : STOP_UNFINISHED;
	bool ended = false;
	for (uint32_t q = e->lex_state; q; q = view_lex_state(e->v, q)->also) {
		const struct artifact_lex_state *way = view_lex_state(e->v, q);
		if (way->terminal == ARTIFACT_NONE) continue;
		if (may_end(e, q)) {
			enum stop stop = follow(e, way, out);
			if (!ended || stop == STOP_NOT) out->stop = stop;
			ended = true;
		} else if (!ended) {
			bool is_own = e->is_end || looks_ahead(e, way->terminal);
			out->stop = e->is_end && way->flags & LEX_UNFAILABLE ? STOP_OPEN : is_own ? STOP_LOOKAHEAD : STOP_LONGER;
			if (!e->is_open) ids_add(&out->ends_as, way->terminal);
		}
		if (out->stop == STOP_NOT) break;
	}
	if (goes_on) out->stop = STOP_NOT;
}

// behind: the place is behind all that can be read, and `stop` is known.
static void explain_reading(struct explanation *e, struct explained_lexing *lexing, uint32_t i, const stack_list *read,
                            bool behind, enum stop stop)
{
	gcdc_shown_reading r;
	if (!gcdc_show_reading(e->shown->matcher, i, &r)) return;
	stack_list stacks = {0};
	const gcdc_matcher *m = e->shown->matcher;
	terminal_set columns = {0};
	uint32_t column = place_columns(m, i, &columns);
	lexing->has_more |= !place_stacks(e->view, m, i, read, &stacks);
	for (uint32_t k = 0; k < stacks.n; k++) {
		struct explained_stack x = {.stack = stacks.at[k], .lex_state = r.lex_state, .column = column};
		ids_copy(&x.columns, &columns);
		bool is_end = !behind && e->at == e->len;
		struct ending ending = {.v = e->view,
		                        .stack = &x.stack,
		                        .lex_state = r.lex_state,
		                        .column = x.column,
		                        .hand = e->text + lexing->lexing->begin,
		                        .hand_at = lexing->lexing->begin,
		                        .hand_len = e->shown->at - lexing->lexing->begin,
		                        .columns = &columns,
		                        .is_end = is_end,
		                        .is_open = behind,
		                        .byte = is_end || behind ? 0 : (uint8_t)e->text[e->at]};
		explain_stack(&ending, &x);
		if (behind) x.stop = stop;
		vec_push(&lexing->stacks, x);
	}
	vec_release(&stacks);  // the stacks themselves are taken over
	vec_release(&columns);
}

static void lexing_release(struct explained_lexing *l)
{
	for (uint32_t k = 0; k < l->stacks.n; k++) {
		struct explained_stack *s = &l->stacks.at[k];
		vec_release(&s->stack.at);
		vec_release(&s->stack.symbols);
		vec_release(&s->ends_as);
		vec_release(&s->wanted);
		vec_release(&s->columns);
	}
	vec_release(&l->stacks);
	vec_release(&l->may_become);
}

static void lexings_release(struct explanation *e)
{
	for (uint32_t i = 0; i < e->lexings.n; i++) lexing_release(&e->lexings.at[i]);
	vec_release(&e->lexings);
}

// Those that nothing wanted can come of go, where others are left.
static void drop_unwanted(struct explanation *e)
{
	uint32_t n = 0;
	bool any = false;
	for (uint32_t i = 0; i < e->lexings.n; i++) any |= !e->lexings.at[i].is_unwanted;
	for (uint32_t i = 0; i < e->lexings.n && any; i++) {
		if (e->lexings.at[i].is_unwanted)
			lexing_release(&e->lexings.at[i]);
		else
			e->lexings.at[n++] = e->lexings.at[i];
	}
	if (any) e->lexings.n = n;
}

// Every way to read the text up to `at`. dead_end: it can be read further, in vain.
static void explain_lexings(struct explanation *e, bool dead_end)
{
	bool allowed = e->verdict == VERDICT_ALLOWED;
	for (size_t i = 0; i < e->shown->n_lexings; i++) {
		struct explained_lexing lexing = {.lexing = &e->shown->lexings[i]};
		gcdc_shown_reading r;
		stack_list read = {0};
		place_read(e->view, e->text, lexing.lexing, &read);
		for (uint32_t k = 0; gcdc_show_reading(e->shown->matcher, k, &r); k++) {
			if (r.lexing != lexing.lexing->lexing) continue;
			uint32_t first = lexing.stacks.n;
			explain_reading(e, &lexing, k, &read, dead_end || allowed, dead_end ? STOP_DEAD_END : STOP_NOT);
			for (uint32_t n = first; n < lexing.stacks.n && lexing.lexing->begin < e->shown->at; n++)
				lex_wanted(e->view, r.lex_state, &lexing.stacks.at[n].stack, &lexing.may_become);
		}
		place_release(&read);
		lexing.is_unwanted = !lexing.may_become.n && lexing.lexing->begin < e->shown->at;
		for (uint32_t k = 0; k < lexing.stacks.n && lexing.is_unwanted; k++)
			lex_may_become(e->view, lexing.stacks.at[k].lex_state, &lexing.may_become);
		vec_push(&e->lexings, lexing);
	}
	drop_unwanted(e);
}

// ---- Ways that were given up.
// Does the lexing of a longer text begin with x?
static bool goes_on(const gcdc_lexing *x, const gcdc_lexing *longer)
{
	if (longer->n < x->n || longer->begin < x->begin) return false;
	for (size_t i = 0; i < x->n; i++)
		if (x->lexemes[i].terminal != longer->lexemes[i].terminal || x->lexemes[i].end != longer->lexemes[i].end)
			return false;
	return longer->n > x->n ? true : longer->begin == x->begin;
}

// Why the byte behind `shown` ended this lexing: STOP_NOT: for a reason that is told elsewhere.
static enum stop why_given_up(struct explanation *e, const gcdc_shown_text *shown, const gcdc_lexing *x)
{
	gcdc_shown_reading r;
	enum stop stop = STOP_NOT;
	for (uint32_t k = 0; gcdc_show_reading(shown->matcher, k, &r); k++) {
		if (r.lexing != x->lexing) continue;
		stack_list stacks = {0};
		terminal_set columns = {0};
		uint32_t column = place_columns(shown->matcher, k, &columns);
		place_stacks(e->view, shown->matcher, k, NULL, &stacks);
		for (uint32_t i = 0; i < stacks.n; i++) {
			struct explained_stack y = {0};
			struct ending ending = {.v = e->view,
			                        .stack = &stacks.at[i],
			                        .lex_state = r.lex_state,
			                        .columns = &columns,
			                        .hand = e->text + x->begin,
			                        .hand_at = x->begin,
			                        .hand_len = shown->at - x->begin,
			                        .column = column,
			                        .byte = (uint8_t)e->text[shown->at]};
			explain_stack(&ending, &y);
			if (y.stop == STOP_LONGER || y.stop == STOP_LOOKAHEAD) stop = y.stop;
			vec_release(&y.ends_as);
			vec_release(&y.wanted);
		}
		place_release(&stacks);
		vec_release(&columns);
	}
	return stop;
}

// Looks for them from where the lexemes at hand begin.
static gcdc_status find_given_up(struct explanation *e)
{
	size_t from = e->shown->at;
	for (size_t i = 0; i < e->shown->n_lexings; i++)
		if (e->shown->lexings[i].begin < from) from = e->shown->lexings[i].begin;
	if (e->shown->at - from > EXPLAIN_LOOK_BACK || (e->shown->at - from) * e->shown->at > EXPLAIN_REREAD)
		return GCDC_OK;
	const gcdc_shown_text *behind = e->shown;
	for (size_t at = e->shown->at; at > from && e->given_up.n < EXPLAIN_GIVEN_UP; at--) {
		gcdc_shown_text *shown;
		gcdc_status status = gcdc_show_text(e->view->artifact, NULL, e->text, at - 1, &shown);
		if (status) return status;
		vec_push(&e->looked_at, shown);
		for (size_t i = 0; i < shown->n_lexings && e->given_up.n < EXPLAIN_GIVEN_UP; i++) {
			bool lives = false;
			for (size_t k = 0; k < behind->n_lexings; k++) lives |= goes_on(&shown->lexings[i], &behind->lexings[k]);
			enum stop stop = lives ? STOP_NOT : why_given_up(e, shown, &shown->lexings[i]);
			if (stop != STOP_NOT) vec_push(&e->given_up, ((struct given_up){shown, &shown->lexings[i], stop}));
		}
		behind = shown;
	}
	return GCDC_OK;
}

// The longest beginning of the text, of more than `good` bytes, that is viable; below `bad` bytes.
static gcdc_status find_place(gcdc_matcher *m, const char *text, size_t good, size_t bad, size_t *place)
{
	while (bad - good > 1) {  // every beginning of a viable text is viable
		size_t middle = good + (bad - good) / 2;
		gcdc_matcher_reset(m);
		gcdc_status status = gcdc_matcher_accept_bytes(m, text, middle);
		if (status < 0) return status;
		*(status ? &bad : &good) = middle;
	}
	*place = good;
	return GCDC_OK;
}

// Branches: a prefix, an end, a text and a token are judged each in its own way.
static gcdc_status judge(struct explanation *e, gcdc_matcher *m, const struct asked_text *asked)
{
	uint32_t last = asked->last;
	gcdc_status status = asked->place ? GCDC_OK : canonical_accept(m, e->text, e->prefix_len, &last);
	if (status < 0) return status;
	if (status) {
		e->verdict = VERDICT_PREFIX;
		return find_place(m, e->text, 0, e->prefix_len, &e->at);
	}
	if (e->is_end || e->token == EXPLAIN_NO_TOKEN) {
		bool yes = e->is_end && gcdc_matcher_is_completed(m);
		if (!e->is_end) {
			status = gcdc_matcher_accept_bytes(m, e->text + e->prefix_len, e->len - e->prefix_len);
			if (status < 0) return status;
			yes = !status;
		}
		e->verdict = yes ? VERDICT_ALLOWED : VERDICT_FORBIDDEN;
	} else {
		status = gcdc_matcher_accept(m, e->token);
		if (status < 0) return status;
		if (status && (e->canonical = canonical_reason(m, last, e->token))) {
			e->verdict = VERDICT_CANONICAL, e->at = e->len;
			return GCDC_OK;
		}
		e->verdict = !status ? VERDICT_ALLOWED : e->len == e->prefix_len ? VERDICT_CONTROL : VERDICT_FORBIDDEN;
	}
	e->at = e->len;
	if (e->verdict != VERDICT_FORBIDDEN || e->is_end) return GCDC_OK;
	return find_place(m, e->text, e->prefix_len, e->len, &e->at);
}

static gcdc_status show_again(struct explanation *e, size_t len)
{
	lexings_release(e);
	gcdc_show_text_free(e->shown);
	return gcdc_show_text(e->view->artifact, NULL, e->text, len, &e->shown);
}

static bool some_go_on(const struct explanation *e)
{
	for (uint32_t i = 0; i < e->lexings.n; i++)
		for (uint32_t k = 0; k < e->lexings.at[i].stacks.n; k++)
			if (e->lexings.at[i].stacks.at[k].stop == STOP_NOT) return true;
	return false;
}

// Stacks go on with the byte, and the text is refused all the same: are it two items of an array that it makes equal?
static void explain_equal(struct explanation *e)
{
	if (!schema_equal_items(e->view->artifact, e->text, e->len, e->at, e->equal)) return;
	for (uint32_t i = 0; i < e->lexings.n; i++)
		for (uint32_t k = 0; k < e->lexings.at[i].stacks.n; k++) {
			enum stop *stop = &e->lexings.at[i].stacks.at[k].stop;
			if (*stop == STOP_NOT) *stop = STOP_EQUAL;
		}
}

static gcdc_status explain_place(struct explanation *e)
{
	gcdc_status status = gcdc_show_text(e->view->artifact, NULL, e->text, e->len, &e->shown);
	if (status) return status;
	bool stops = e->verdict == VERDICT_FORBIDDEN || e->verdict == VERDICT_PREFIX;
	bool can_be_read = stops && !e->is_end && e->shown->at > e->at;
	if (e->shown->at != e->at) status = show_again(e, e->at);
	if (status) return status;
	if (stops && e->at < e->len)
		e->found_len = lex_found(e->view, (const uint8_t *)e->text + e->at, e->len - e->at, &e->found);
	explain_lexings(e, false);
	if (can_be_read && some_go_on(e)) {  // a dead end is told from behind the byte that leads into it
		status = show_again(e, e->at + 1);
		if (status) return status;
		explain_lexings(e, true);
	} else if (stops) {
		explain_equal(e);
	}
	return stops ? find_given_up(e) : GCDC_OK;
}

int explain(struct explanation *e, const struct artifact_view *v, const char *command, const struct asked_text *text)
{
	*e = (struct explanation){
		.view = v, .text = text->at, .prefix_len = text->prefix_len, .len = text->len, .token = text->token};
	uint32_t n;
	const uint32_t *eos = gcdc_artifact_eos(v->artifact, &n);
	for (uint32_t i = 0; i < n; i++) e->is_end |= eos[i] == text->token;
	gcdc_matcher *m;
	gcdc_status status = text->place ? gcdc_matcher_clone(text->place, &m) : gcdc_matcher_new(v->artifact, NULL, &m);
	if (status) return cli_status_error(command, "matcher", status);
	status = judge(e, m, text);
	gcdc_matcher_free(m);
	if (!status && e->verdict != VERDICT_CONTROL) status = explain_place(e);
	return status ? cli_status_error(command, v->path, status) : CODE_OK;
}

void explain_release(struct explanation *e)
{
	free(e->canonical);
	lexings_release(e);
	for (uint32_t i = 0; i < e->looked_at.n; i++) gcdc_show_text_free(e->looked_at.at[i]);
	vec_release(&e->looked_at);
	vec_release(&e->given_up);
	vec_release(&e->found);
	gcdc_show_text_free(e->shown);
	e->shown = NULL;
}
