// Makes steps: pricing where only the upper part of a stack is known.
//
// In:  an artifact with tables of costs; a lexer state with the state of the top, or a node with the state of the frame
// that it reads.  Out: the step for them (step_store.h). The same as pricing group by group on a stack
// (budget.c), except that the stack is a few known states above unknown frames. Terminals are pushed on the
// known states; a reduction that goes below them is an item of the next node. A group with several ways to end is
// allowed by any of them, so each is a threshold of its own: nothing waits for what a deeper frame says.
// What follows a terminal depends on the top that it makes, and on frames below it in a few ways only. So that is a
// *summary*, made once for each list of continuations and top (Sharir, Pnueli 1981): a step whose frame is left to be
// asked. Items that wait for one nonterminal are a *group*, and have a summary for each state that it leads to. A step
// is put together from summaries on its known states; one that is not there yet is made before (make_steps). Cost: for
// each summary its questions on the known states; tokens are walked only where a summary is new: Python's step of a
// statement's beginning takes hundreds of summaries for 12,000 groups. Bounded by STEP_FUEL, KNOWN_MAX and
// DEPTH_MAX.
#include "step_build.h"

#include <stdlib.h>

#include "price.h"

// ---- Continuations of an outcome, by terminal: in .words (terminal, list) each, ended by END. Lists: step_build.h.
static inline const uint32_t *conts_at(const struct step_builder *b, uint32_t list, uint32_t *n)
{
	const struct stored_words *l = &b->x->conts.list[list];
	*n = l->n / (CONT_WORDS - 1);
	return b->x->words.at + l->at;
}

static uint32_t kinds_of(const struct step_builder *b, uint32_t list)
{
	uint32_t n;
	const uint32_t *c = conts_at(b, list, &n);
	return conts_kinds(c, n);
}

// Those in .conts go to .words, by terminal; within one in their order.
// Branches: a counting sort whose every push may fail.
static bool write_conts(struct step_builder *b, uint32_t *at)
{
	struct vec32 *c = &b->s->conts, *words = &b->x->words, *first = &b->s->first, *key = &b->s->key;
	uint32_t n_terminals = b->a->info.n_terminals + 1,
			 n = c->n / CONT_WORDS;  // one more: the pending newline; then NONE
	bool ok, is_new;
	first->n = key->n = 0;  // key: those in order, then (terminal, list)
	if (!vec32_more(b->memory, first, n_terminals + 2) || !vec32_more(b->memory, key, (CONT_WORDS - 1) * n + 1))
		return false;
	key->n--;
	memset(first->at, 0, first->n * sizeof *first->at);
#define OF(i) (c->at[(i)*CONT_WORDS] < n_terminals ? c->at[(i)*CONT_WORDS] : n_terminals)
	for (uint32_t i = 0; i < n; i++) first->at[OF(i) + 1]++;
	for (uint32_t t = 1; t < n_terminals + 2; t++) first->at[t] += first->at[t - 1];
	ok = true;
	for (uint32_t i = 0; i < n; i++)
		memcpy(key->at + (CONT_WORDS - 1) * first->at[OF(i)]++, c->at + i * CONT_WORDS + 1,
		       (CONT_WORDS - 1) * sizeof *c->at);
#undef OF
	uint32_t pairs = key->n;
	for (uint32_t t = 0, from = 0; t <= n_terminals && ok; from = first->at[t++]) {
		if (first->at[t] == from) continue;
		uint32_t list = word_lists_add(b->memory, &b->x->conts, key->at + (CONT_WORDS - 1) * from,
		                               (CONT_WORDS - 1) * (first->at[t] - from), &is_new);
		if (is_new) b->x->conts.list[list].value = kinds_of(b, list);
		ok = list != ARTIFACT_NONE && vec32_push(b->memory, key, t < n_terminals ? t : ARTIFACT_NONE) &&
		     vec32_push(b->memory, key, list);
	}
	*at = words->n;
	for (uint32_t i = pairs; i < key->n && ok; i++) ok = vec32_push(b->memory, words, key->at[i]);
	return ok && vec32_push(b->memory, words, END);
}

static bool add_cont(struct step_builder *b, uint32_t terminal, uint32_t x, uint32_t y, uint32_t z)
{
	uint32_t *to = vec32_more(b->memory, &b->s->conts, CONT_WORDS);
	if (!to) return false;
	to[0] = terminal, to[1] = x, to[2] = y, to[3] = z;
	return true;
}

// Branches: three kinds of continuations (a pending line, emissions of a row, cuts), and every push may fail.
static gcdc_status conts_of(struct step_builder *b, uint32_t outcome, uint32_t *at)
{
	bool is_new;
	uint32_t *known = pair_map_put(b->memory, &b->x->of_outcome, outcome, 0, &is_new);
	if (!known) return GCDC_ERR_MEMORY;
	*at = *known;
	if (!is_new && *known) return GCDC_OK;
	if (!b->x->words.n && !vec32_push(b->memory, &b->x->words, 0)) return GCDC_ERR_MEMORY;  // 0: not known
	const struct artifact_cost_outcome *o = &b->a->cost_outcomes[outcome];
	bool ok = true;
	b->s->conts.n = 0;
	for (uint32_t i = 0; i < o->n_stays && ok; i++) {
		const struct artifact_cost_stay *stay = &b->a->cost_stays[o->first_stay + i];
		uint32_t row = stay->row;
		if (row == ARTIFACT_NONE) {
			if (!b->x->line_state) continue;
			ok = add_cont(b, b->a->info.newline, LINE, stay->set, 0);
			row = b->a->cost_row_of[b->x->line_state];
		}
		for (uint32_t k = b->a->cost_rows[row]; k < b->a->cost_rows[row + 1] && ok; k++) {
			const struct artifact_cost_emit *e = &b->a->cost_emits[k];
			ok = add_cont(b, e->terminal, e->weight, e->control, stay->set);
		}
	}
	for (uint32_t i = 0; i < o->n_cuts && ok; i++) {
		const struct artifact_cost_cut *cut = &b->a->cost_cuts[o->first_cut + i];
		ok = add_cont(b, cut->terminal, CUT, cut->remainder, cut->set);
	}
	if (!ok || !write_conts(b, at)) return GCDC_ERR_MEMORY;
	*known = *at;
	return GCDC_OK;
}

// ---- Pushing.
// The stack with a state more, on a list.
static gcdc_status add_known(struct step_builder *b, uint32_t below, uint32_t lr_state, struct vec32 *list)
{
	struct step_scratch *s = b->s;
	bool is_new;
	uint32_t *known = pair_map_put(b->memory, &s->known_of, below, lr_state, &is_new),
			 height = s->known.at[below].height + 1;
	if (!known) return GCDC_ERR_MEMORY;
	if (is_new && (s->known.n == KNOWN_MAX || height == HEIGHT_MAX)) {
		s->open = true;
		return GCDC_OK;
	}
	if (is_new) *known = s->known.n;
	if (!vec32_push(b->memory, list, *known)) return GCDC_ERR_MEMORY;
	return !is_new || PUSH(b->memory, &s->known, (struct build_known){below, lr_state, height}) ? GCDC_OK
	                                                                                            : GCDC_ERR_MEMORY;
}

// Does the action in a known state; ones to be gone on with are put on `ways`, shifted ones on `tops`.
static gcdc_status act(struct step_builder *b, uint32_t top, uint32_t t, uint32_t conts, uint32_t action)
{
	struct step_scratch *s = b->s;
	uint32_t below = top, lhs = 0, to = 0;
	struct vec32 *list = &s->tops;
	if (action == ACTION_SKIP) return vec32_push(b->memory, list, top) ? GCDC_OK : GCDC_ERR_MEMORY;
	if (ACTION_IS_SHIFT(action)) {
		to = action >> 1;
	} else {
		const struct artifact_production *p = &b->a->productions[(action >> 1) - 1];
		lhs = p->lhs;
		if (p->length > s->known.at[top].height)
			return PUSH(b->memory, &s->items, (struct build_item){p->length - s->known.at[top].height, lhs, t, conts})
			           ? GCDC_OK
			           : GCDC_ERR_MEMORY;
		for (uint32_t k = p->length; k; k--) below = s->known.at[below].below;
		to = artifact_goto(b->a, s->known.at[below].lr_state, lhs);
		if (!to) return GCDC_ERR_INTERNAL;
		list = &s->ways;
	}
	return add_known(b, below, to, list);
}

// Reductions under t and its shift, for what is on `ways`; `tops` are what comes out.
static gcdc_status push_ways(struct step_builder *b, uint32_t t, uint32_t conts)
{
	struct step_scratch *s = b->s;
	gcdc_status status = GCDC_OK;
	s->tops.n = 0;
	while (s->ways.n && !status && burn(b)) {
		uint32_t top = s->ways.at[--s->ways.n];
		uint32_t action = artifact_action(b->a, s->known.at[top].lr_state, t);
		if (!action) continue;
		if (!ACTION_IS_CHOICE(action)) {
			status = act(b, top, t, conts, action);
			continue;
		}
		const uint32_t *list = &b->a->choice[action & ACTION_CHOICE_MASK];
		for (uint32_t k = 1; k <= list[0] && !status; k++) status = act(b, top, t, conts, list[k]);
	}
	s->ways.n = 0;
	return status;
}

// What tokens do on [0], once for each outcome: those behind blanks often come to the same.
static bool add_place(struct step_builder *b, uint32_t outcome)
{
	bool is_new;
	return pair_map_put(b->memory, &b->s->called, ARTIFACT_NONE, outcome, &is_new) &&
	       (!is_new || vec32_push(b->memory, &b->s->places, outcome));
}

// A token goes on to be lexed on the top.
static gcdc_status add_rest(struct step_builder *b, uint32_t remainder)
{
	const struct gcdc_artifact *a = b->a;
	uint32_t context = a->lr_states[b->s->known.at[0].lr_state].context;
	uint32_t q = a->lex_start[(uint64_t)a->cost_obligations[remainder] * a->info.n_contexts + context];
	if (!q) return GCDC_OK;
	const struct artifact_cost_way *way = price_way(a, q, remainder);
	if (!way) {
		b->s->open = true;
		return GCDC_OK;
	}
	return add_place(b, way->outcome) ? GCDC_OK : GCDC_ERR_MEMORY;
}

// Something of the step at hand is as a summary says, on this top.
static gcdc_status call(struct step_builder *b, uint32_t top, uint32_t list, enum summary_kind kind)
{
	bool is_new;
	if (kind == SHIFTED && !(b->x->conts.list[list].value & GO_ON)) kind = ENDS;
	uint32_t place = summary_place(list, kind);
	if (!pair_map_put(b->memory, &b->s->called, top, place, &is_new)) return GCDC_ERR_MEMORY;
	bool ok = !is_new || (vec32_push(b->memory, &b->s->calls, top) && vec32_push(b->memory, &b->s->calls, place));
	return ok ? GCDC_OK : GCDC_ERR_MEMORY;
}

// Continuations on [0], which is the top that the terminal has made, or left as it was.
static gcdc_status take_conts(struct step_builder *b, uint32_t conts, enum taken how)
{
	gcdc_status status = how == UNPRICED ? GCDC_OK : call(b, 0, conts, ENDS);
	for (uint32_t i = 0, n = 1; i < n && !status && !b->s->open; i++) {
		const uint32_t *c = conts_at(b, conts, &n) + (CONT_WORDS - 1) * i;
		if (!goes_on(c, how)) continue;
		if (c[0] == CUT)
			status = add_rest(b, c[1]);
		else if (!PUSH(b->memory, &b->s->sites, (struct site_set){0, c[1]}))
			return GCDC_ERR_MEMORY;
	}
	return status;
}

// Those that end, on [0].
static gcdc_status take_ends(struct step_builder *b, uint32_t conts)
{
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0, n = 1; i < n && !status && !b->s->open; i++) {
		const uint32_t *c = conts_at(b, conts, &n) + (CONT_WORDS - 1) * i;  // thresholds may move the words
		if (c[0] != LINE && c[0] != CUT && burn(b)) status = step_add_threshold(b, c[1], c[0], c[2]);
	}
	return status;
}

// A terminal is pushed on the known states of .ways; summaries say what follows.
static gcdc_status push_and_call(struct step_builder *b, uint32_t t, uint32_t conts)
{
	gcdc_status status = push_ways(b, t, conts);
	for (uint32_t i = 0; i < b->s->tops.n && !status && !b->s->open; i++)
		status = call(b, b->s->tops.at[i], conts, SHIFTED);
	return status;
}

// Items of a group, on the nonterminal that they waited for, which is this top.
static gcdc_status take_group(struct step_builder *b, uint32_t top, uint32_t group)
{
	const struct stored_words *l = &b->x->groups.list[group];
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < l->n && !status && !b->s->open; i += 2) {
		const uint32_t *item = b->x->words.at + l->at + i;
		if (!vec32_push(b->memory, &b->s->ways, top)) return GCDC_ERR_MEMORY;
		status = push_and_call(b, item[0], item[1]);
	}
	return status;
}

// A group on this top: it waits for a frame below, or the known states have what it goes on with.
static gcdc_status take_waiting(struct step_builder *b, uint32_t top, struct waiting w)
{
	struct step_scratch *s = b->s;
	const struct gcdc_artifact *a = b->a;
	uint32_t height = s->known.at[top].height;
	if (w.pop > height) {
		w.pop -= height;
		return PUSH(b->memory, &s->waiting, w) ? GCDC_OK : GCDC_ERR_MEMORY;
	}
	for (; w.pop; w.pop--) top = s->known.at[top].below;
	const uint32_t to = artifact_goto(a, s->known.at[top].lr_state, w.lhs);
	if (!to) return GCDC_ERR_INTERNAL;
	s->tops.n = 0;
	gcdc_status status = add_known(b, top, to, &s->tops);
	if (status || s->open) return status;
	top = s->tops.at[0];
	return b->x->groups.list[w.group].n <= 2 * FEW_ITEMS ? take_group(b, top, w.group) : call(b, top, w.group, GROUP);
}

// The node's groups, on this top. skip: frames that the step leaves out; known: those that are taken off already.
static gcdc_status take_node(struct step_builder *b, uint32_t top, uint32_t node, uint32_t skip, uint32_t known)
{
	const struct stored_words l = b->x->nodes.list[node];
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < l.n && !status && !b->s->open; i += WAITING_WORDS) {
		struct waiting w;
		memcpy(&w, b->x->words.at + l.at + i, sizeof w);
		w.pop += skip - known;
		status = take_waiting(b, top, w);
	}
	return status;
}

static gcdc_status take_sites_on(struct step_builder *b, uint32_t top, const struct step *p)
{
	const struct vec32 *words = &b->x->words;
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0, at = p->sites; i < p->n_sites && !status && !b->s->open; i++) {
		struct site site;
		memcpy(&site, words->at + at, sizeof site);
		at += (uint32_t)sizeof site / 4;
		uint32_t to = top;
		for (uint32_t k = 0; k < site.height && !status && !b->s->open; k++) {
			b->s->tops.n = 0;
			status = add_known(b, to, words->at[at + k], &b->s->tops);
			if (!status && !b->s->open) to = b->s->tops.at[0];
		}
		at += site.height;
		for (uint32_t k = 0; k < site.n_sets && !status; k++)
			if (!PUSH(b->memory, &b->s->sites, (struct site_set){to, words->at[at + k]})) status = GCDC_ERR_MEMORY;
		at += site.n_sets;
	}
	return status;
}

// What a summary says on this top, but for its body.
static gcdc_status take_summary(struct step_builder *b, uint32_t top, const struct step *p)
{
	gcdc_status status = GCDC_OK;
	b->s->open |= p->open;
	if (p->open) return GCDC_OK;
	for (uint32_t i = 0; i < p->n_tries && !status; i++)
		if (!vec32_push(b->memory, &b->s->tries, b->x->words.at[p->tries + i])) status = GCDC_ERR_MEMORY;
	if (!status) status = take_sites_on(b, top, p);
	return status || p->node == ARTIFACT_NONE ? status : take_node(b, top, p->node, p->skip, 0);
}

// Those that are called, and those that these call, up to one that is not made yet: *missing then. Bodies last: they
// are most of the work.
static gcdc_status take_calls(struct step_builder *b, struct step_job *missing)
{
	struct step_scratch *s = b->s;
	struct vec32 *calls = &s->calls;
	gcdc_status status = GCDC_OK;
	for (; s->n_taken < calls->n && !status && !s->open && burn(b); s->n_taken += 2) {
		uint32_t top = calls->at[s->n_taken], place = calls->at[s->n_taken + 1];
		uint32_t lr_state = kind_of(place) == ENDS ? 0 : s->known.at[top].lr_state;
		const uint32_t *known = pair_map_get(&b->x->of_place, place, lr_state);
		if (known && *known == STEP_BEGUN) return GCDC_ERR_INTERNAL;  // of a forged file: tokens without end
		if (!known || !*known) {
			*missing = (struct step_job){place, lr_state};
			return GCDC_OK;
		}
		const struct step p = b->x->at[*known - 1];
		calls->at[s->n_taken + 1] = p.body;
		status = take_summary(b, top, &p);
	}
	for (uint32_t i = 0; i < calls->n && !status && !s->open; i += 2)
		status = step_add_body(b, calls->at[i], calls->at[i + 1]);
	return status;
}

// Of tokens that go on behind a pending newline: does this one end it elsewhere than behind its blanks? Those are not
// in the rows of blanks.
static bool ends_later(const struct gcdc_artifact *a, uint32_t line_state, uint32_t token)
{
	const uint32_t *next = a->lex_next + (uint64_t)line_state * a->info.n_classes;
	uint32_t q = line_state;
	bool in_blanks = true;
	for (uint32_t at = a->token_offset[token]; at < a->token_offset[token + 1] && q; at++) {
		uint8_t byte = a->token_bytes[at];
		bool is_blank = byte == ' ' || byte == '\t';
		uint32_t x = q == line_state ? next[a->info.class_of[byte]]
		                             : a->lex_next[(uint64_t)q * a->info.n_classes + a->info.class_of[byte]];
		if (q == line_state && x & LEX_CUT && (is_blank || !in_blanks)) return true;
		in_blanks &= is_blank;
		q = x & LEX_STATE_MASK;
	}
	return false;
}

// Found once for each set.
static bool probe_newlines(struct step_builder *b, uint32_t set)
{
	const struct gcdc_artifact *a = b->a;
	struct vec32 *words = &b->x->words;
	bool is_new;
	uint32_t *known = pair_map_put(b->memory, &b->x->of_line, set, 0, &is_new);
	if (!known) return false;
	uint32_t at = *known;
	if (is_new || !at) {
		at = words->n;
		if (!vec32_push(b->memory, words, 0)) return false;
		for (struct set_words w = set_words(a, &a->sets[set]); set_words_next(a, &w);)
			for (uint32_t bits = w.bits; bits; bits &= bits - 1) {
				uint32_t token = w.word * 32 + (uint32_t)__builtin_ctz(bits);
				if (ends_later(a, b->x->line_state, token) && !vec32_push(b->memory, words, token)) return false;
			}
		words->at[at] = words->n - at - 1;
		*known = at;
	}
	for (uint32_t i = 1; i <= words->at[at]; i++)
		if (!vec32_push(b->memory, &b->s->tried, words->at[at + i])) return false;
	return true;
}

// Branches: a terminal is ignored, refused, decided by columns or shifted, and its token remainders are to be tried.
static gcdc_status take_terminal(struct step_builder *b, uint32_t t, uint32_t conts)
{
	const struct gcdc_artifact *a = b->a;
	struct step_scratch *s = b->s;
	bool is_line = t == a->info.n_terminals, is_newline = a->info.n_lines && t == a->info.newline;
	if (t == ARTIFACT_NONE) return take_conts(b, conts, SKIPPED);
	bool is_ignored = a->terminals[is_line ? a->info.newline : t].flags & TERMINAL_IGNORED;
	uint32_t lr_state = s->known.at[0].lr_state;
	uint32_t action = is_ignored ? ACTION_SKIP : artifact_action(a, lr_state, is_line ? a->info.newline : t);
	if (!action || (is_line && action != ACTION_SKIP)) return GCDC_OK;  // what columns decide is in sets to be tried
	if (action == ACTION_SKIP)  // a newline that is ignored where it could decide columns has a price as pending
		return take_conts(b, conts, is_ignored || !is_newline ? SKIPPED : UNPRICED);
	for (uint32_t i = 0, n = b->x->conts.list[conts].value & ARE_TRIED; i < n; i++) {
		const uint32_t *c = conts_at(b, conts, &n) + (CONT_WORDS - 1) * i;
		if (c[0] != CUT || !c[2]) continue;
		// What ends the pending newline is read by columns, step_lines.c.
		if (b->s->is_line ? !probe_newlines(b, c[2]) : !vec32_push(b->memory, &s->tries, c[2])) return GCDC_ERR_MEMORY;
	}
	return vec32_push(b->memory, &s->ways, 0) ? push_and_call(b, t, conts) : GCDC_ERR_MEMORY;
}

static gcdc_status take_places(struct step_builder *b)
{
	struct step_scratch *s = b->s;
	gcdc_status status = GCDC_OK;
	while (s->places.n && !status && !s->open && burn(b)) {
		uint32_t outcome = s->places.at[--s->places.n], at;
		const struct artifact_cost_outcome *o = &b->a->cost_outcomes[outcome];
		for (uint32_t i = 0; i < o->n_stays; i++) {
			const struct artifact_cost_stay *stay = &b->a->cost_stays[o->first_stay + i];
			if (stay->row == ARTIFACT_NONE && !b->x->line_state && !vec32_push(b->memory, &s->tries, stay->set))
				return GCDC_ERR_MEMORY;
		}
		status = conts_of(b, outcome, &at);
		for (; !status && b->x->words.at[at] != END; at += 2)
			status = take_terminal(b, b->x->words.at[at], b->x->words.at[at + 1]);
		s->is_line = false;  // for what goes on behind it, the newline is no more pending
	}
	s->places.n = 0;
	return status;
}

// What a place begins with, on the frame that is read.
static gcdc_status begin(struct step_builder *b, uint32_t place)
{
	if (place & PLACE_OUTCOME) {
		uint32_t outcome = place & ~(PLACE_OUTCOME | PLACE_LINE);
		return add_place(b, outcome) ? GCDC_OK : GCDC_ERR_MEMORY;
	}
	if (!is_summary(place)) return take_node(b, 0, place, 0, 1);
	enum summary_kind kind = kind_of(place);
	uint32_t list = (place & ~PLACE_SUMMARY) >> KIND_BITS;
	return kind == GROUP ? take_group(b, 0, list) : kind == ENDS ? take_ends(b, list) : take_conts(b, list, TAKEN);
}

// The room of one step more: what the one at hand has found so far stays where it is.
static bool go_deeper(struct step_builder *b)
{
	struct step_scratch **to = b->s ? &b->s->inner : &b->x->scratch;
	if (!*to) {
		*to = memory_resize(b->memory, NULL, 1, sizeof **to);
		if (!*to) return false;
		memset(*to, 0, sizeof **to);
		(*to)->outer = b->s;
	}
	b->s = *to;
	b->depth++;
	return true;
}

// The expression without terms has number 0.
static bool number_none(struct step_builder *b)
{
	bool is_new;
	return pair_map_put(b->memory, &b->s->expression_of, 0, 0, &is_new) && vec32_push(b->memory, &b->s->expressions, 0);
}

// A step is begun, with what the tokens themselves say.
static gcdc_status begin_job(struct step_builder *b, struct step_job job)
{
	struct step_store *x = b->x;
	bool is_new;
	uint32_t *known = pair_map_put(&x->memory, &x->of_place, job.place, job.lr_state, &is_new);
	if (!known || !go_deeper(b)) return GCDC_ERR_MEMORY;
	*known = STEP_BEGUN;
	struct step_scratch *s = b->s;
	s->job = job;
	s->known.n = s->thresholds.n = s->items.n = s->waiting.n = s->terms.n = s->expressions.n = 0;
	s->tops.n = s->ways.n = s->tries.n = s->tried.n = s->sites.n = s->places.n = s->calls.n = s->n_taken = 0;
	s->is_line = (job.place & (PLACE_OUTCOME | PLACE_LINE)) == (PLACE_OUTCOME | PLACE_LINE);
	s->puts_answers = !is_summary(job.place);
	pair_map_clear(&s->known_of), pair_map_clear(&s->expression_of), pair_map_clear(&s->threshold_of);
	pair_map_clear(&s->called), pair_map_clear(&s->number_of_control);
	s->open = false;
	bool ok = PUSH(b->memory, &s->known, (struct build_known){0, job.lr_state, 0}) && number_none(b);
	gcdc_status status = ok ? begin(b, job.place) : GCDC_ERR_MEMORY;
	return status ? status : take_places(b);
}

// All that it calls is there: it is written, and the one that waits for it goes on.
static gcdc_status end_job(struct step_builder *b)
{
	struct step_store *x = b->x;
	struct step_job job = b->s->job;
	struct step p;
	bool is_new;
	gcdc_status status = step_write(b, &p);
	uint32_t *known = status ? NULL : pair_map_put(&x->memory, &x->of_place, job.place, job.lr_state, &is_new);
	if (!known || !PUSH(&x->memory, x, p)) return GCDC_ERR_MEMORY;
	*known = x->n;
	b->s = b->s->outer;
	b->depth--;
	return GCDC_OK;
}

// Makes a step, and the summaries that it calls when it comes to them. Each of these waits where it is, with room of
// its own: nothing is done twice.
static gcdc_status make_steps(struct step_builder *b, struct step_job job)
{
	struct step_store *x = b->x;
	gcdc_status status = begin_job(b, job);
	while (b->s && !status) {
		struct step_job missing = {.place = ARTIFACT_NONE};
		status = take_calls(b, &missing);
		if (missing.place != ARTIFACT_NONE && b->depth == DEPTH_MAX) b->s->open = true, missing.place = ARTIFACT_NONE;
		if (!status) status = missing.place != ARTIFACT_NONE ? begin_job(b, missing) : end_job(b);
	}
	for (bool is_new; b->s; b->s = b->s->outer) {  // what failed begins anew the next time
		uint32_t *begun = pair_map_put(&x->memory, &x->of_place, b->s->job.place, b->s->job.lr_state, &is_new);
		if (begun && *begun == STEP_BEGUN) *begun = 0;
	}
	return status;
}

// Others may have made it since it was missed.
static gcdc_status make_step(struct step_builder *b, uint32_t place, uint32_t lr_state, uint32_t *step)
{
	struct step_store *x = b->x;
	if (UNLIKELY(!x->is_begun)) step_load_kept(b->a, x);
	*step = step_store_find(x, place, lr_state);
	if (*step != ARTIFACT_NONE) return GCDC_OK;
	gcdc_status status = make_steps(b, (struct step_job){place, lr_state});
	if (status) return status;
	const uint32_t *known = pair_map_get(&x->of_place, place, lr_state);
	if (!known || !*known) return GCDC_ERR_INTERNAL;
	*step = *known - 1;
	return step_store_show(x, place, lr_state, *step) ? GCDC_OK : GCDC_ERR_MEMORY;
}

gcdc_status step_of(const struct gcdc_artifact *a, struct step_store *x, uint32_t place, uint32_t lr_state,
                    uint32_t *step)
{
	*step = step_store_find(x, place, lr_state);
	if (LIKELY(*step != ARTIFACT_NONE)) return GCDC_OK;
	pthread_mutex_lock(&x->turn);
	struct step_builder b = {.a = a, .memory = &x->memory, .x = x, .fuel = STEP_FUEL};
	gcdc_status status = make_step(&b, place, lr_state, step);
	pthread_mutex_unlock(&x->turn);
	return status;
}
