// Memoised evaluation, from the top of the stack down.
//
// A token's rest is lexed on the top frame: what stays inside the lexeme is decided by the lexer and viability; what is
// cut goes to the parser as a terminal. A shift that needs no frame below goes on with the rest on the new top, and the
// answer is then read down through the frames that are known; a reduction that reaches below them becomes an item.
// Recursion is as deep as lexemes in a token, since each cut leaves a shorter rest, times the reductions that one
// terminal makes without popping more than it pushed.
// Where a newline decides columns (lexer.h, LEX_LINE), these are not known here: what follows the newline that is
// pending when the token begins is left to the rows of indent.h; tokens with a whole newline in them and more behind it
// are to be tried. Inside brackets, where the newline is ignored, all is as ever. Cost: a table look-up for what is
// known, and a union of sets and of items for what is not.
#include "summaries_internal.h"

#include "../../formats/artifact.h"

static uint32_t alike_of(struct summaries *a, const struct inside *x)
{
	vec_clear(&a->look_key);
	vec_push(&a->look_key, x->allowed);
	vec_push(&a->look_key, x->maybe);
	vec_push(&a->look_key, x->cuts);
	for (uint32_t i = 0; i < x->n_conditional; i++) {
		vec_push(&a->look_key, a->stays.at[x->conditional + i].to);
		vec_push(&a->look_key, a->stays.at[x->conditional + i].tokens);
	}
	return intern_add(&a->alike, a->look_key.at, a->look_key.n * sizeof *a->look_key.at, NULL);
}

void summaries_init(struct summaries *a, uint32_t n_ranks)
{
	a->part = n_ranks + 1;
	a->last_key = a->start_key = a->outcomes_key = UINT64_MAX;
	a->end_set = tokensets_add(a->sets, &(struct rank_range){n_ranks, n_ranks + 1}, 1);
	a->place = mem_calloc(a->lr->n_states, sizeof *a->place);
	intern_add(&a->lists, NULL, 0, NULL);               // ITEMS_NONE
	intern_add(&a->continuation_lists, NULL, 0, NULL);  // CONTINUATIONS_NONE
	struct inside none = {.cuts = CONTINUATIONS_NONE};
	none.alike = alike_of(a, &none);
	vec_push(&a->insides, none);  // INSIDE_NONE
}

void summaries_forget(struct summaries *a)
{
	map64_release(&a->on);
	map64_release(&a->cut_list);
	map64_release(&a->continuation);
	map64_release(&a->continuation_list);
	map64_release(&a->read);
	map64_release(&a->inside_of);
	map64_release(&a->controls_on);
	map64_release(&a->kind_of);
	intern_release(&a->looks);
	vec_release(&a->look_inside);
	vec_release(&a->skipped);
}

void summaries_release(struct summaries *a)
{
	summaries_forget(a);
	intern_release(&a->continuations);
	intern_release(&a->continuation_lists);
	intern_release(&a->continuation_unions);
	vec_release(&a->continuation_union_of);
	intern_release(&a->controls);
	vec_release(&a->controls_read);
	vec_release(&a->conditions);
	intern_release(&a->condition_numbers);
	vec_release(&a->told);
	intern_release(&a->lists);
	vec_release(&a->stays);
	vec_release(&a->insides);
	vec_release(&a->look_key);
	vec_release(&a->safe_rows);
	intern_release(&a->alike);
	vec_release(&a->shorter);
	map64_release(&a->shifted);
	vec_release(&a->tokens_of);
	vec_release(&a->set_stack);
	vec_release(&a->item_stack);
	vec_release(&a->same);
	vec_release(&a->gathered);
	vec_release(&a->actions);
	free(a->place);
	vec_release(&a->gathered_list);
	vec_release(&a->steps);
	arena_release(&a->scratch);
}

// --- Parts of sets
// ----------------------------------------------------------------------------------------------------

// The tokens of a set, to be stepped over.
static set_id maybe(struct summaries *a, set_id s)
{
	if (s == SET_EMPTY) return s;
	uint64_t known = map64_get(&a->shifted, s);
	if (known != MAP64_NONE) return (set_id)known;
	set_id shifted = tokensets_shift(a->sets, s, PART_MAYBE * a->part);
	map64_put(&a->shifted, s, shifted);
	return shifted;
}

// All tokens of a rest.
static set_id tokens_of(struct summaries *a, remainder_id remainder)
{
	if (remainder_is_end(remainder)) return a->end_set;
	while (a->tokens_of.n <= remainder) vec_push(&a->tokens_of, UINT32_MAX);
	if (a->tokens_of.at[remainder] != UINT32_MAX) return a->tokens_of.at[remainder];
	uint32_t n;
	const trie_node *nodes = walker_nodes(a->whole, remainder, &n);
	const struct trie *trie = a->whole->trie;
	rank_ranges ranges = {0};
	for (uint32_t i = 0; i < n; i++)
		vec_push(&ranges, ((struct rank_range){trie->rank[nodes[i]], trie->rank[trie->end[nodes[i]]]}));
	set_id s = n ? tokensets_add(a->sets, ranges.at, n) : SET_EMPTY;
	vec_release(&ranges);
	return a->tokens_of.at[remainder] = s;
}

#define INSIDE_NONE 0u  // of no lex_state

// --- Evaluation -----------------------------------------------------------------------------------------------------

static struct summary remainder_on(struct summaries *a, remainder_id remainder, lr_state s);
static struct summary continue_on(struct summaries *a, uint32_t continuation, lr_state s);

// Would a newline be taken with s on top, not ignored?
static bool takes_lines(const struct summaries *a, lr_state s)
{
	if (!columns(a)) return false;
	uint32_t x = lr_action(a->lr, s, columns(a)->newline);
	return x != 0 && x != ACTION_SKIP;
}

// At the end of the text a dedent comes for each column that is open.
static void end_of_text(struct summaries *a, lr_state s)
{
	if (lr_viable(a->lr, s, a->lr->n_terminals)) add_set(a, a->end_set);
	if (columns(a) && lr_viable(a->lr, s, columns(a)->dedent))
		add_summary(a, continue_on(a, summaries_continuation(a, columns(a)->dedent, REMAINDER_END), s));
}

// The parser took the terminal or wants to look below, in each of the ways above the mark of a->steps.
static void take_steps(struct summaries *a, uint32_t first, terminal_id t, remainder_id remainder)
{
	for (uint32_t i = first; i < a->steps.n; i++) {
		struct frame_step step = a->steps.at[i];
		if (step.kind == STEP_BELOW) {
			uint32_t one = summaries_continuation(a, t, remainder);
			vec_push(&a->item_stack,
			         parse_of(step.pop, step.lhs, intern_add(&a->continuation_lists, &one, sizeof one, NULL)));
		} else if (remainder == REMAINDER_END && !columns(a)) {
			end_of_text(a, step.top->state);
		} else {
			struct summary x = remainder_on(a, remainder, step.top->state);
			for (const struct partial_frame *f = step.top->below; f && x.items != ITEMS_IMPOSSIBLE; f = f->below) {
				struct summary y = summaries_read_on(a, x.items, f->state);
				if (x.tokens != SET_EMPTY) y.tokens = tokensets_union(a->sets, (set_id[]){x.tokens, y.tokens}, 2);
				x = y;
			}
			if (x.items != ITEMS_IMPOSSIBLE) add_summary(a, x);
		}
	}
	a->steps.n = first;
}

// The lexeme ends as the continuation's terminal, with s on top.
static struct summary continue_on(struct summaries *a, uint32_t continuation, lr_state s)
{
	uint64_t key = (uint64_t)continuation << 32 | s;
	uint64_t memo = map64_get(&a->continuation, key);
	if (memo != MAP64_NONE) return recall(memo);
	struct continuation x = continuation_get(a, continuation);
	struct mark m = begin(a);
	uint32_t first = a->steps.n;
	if (columns(a) && x.terminal == columns(a)->newline && walker_is_line(a->whole, x.remainder) && takes_lines(a, s)) {
		add_set(a, maybe(a, tokens_of(a, x.remainder)));
	} else {
		partial_stack_shift(a->lr, &a->scratch, partial_stack_push(&a->scratch, NULL, s), x.terminal, &a->steps);
		take_steps(a, first, x.terminal, x.remainder);
	}
	return remember(a, &a->continuation, key, summaries_finish(a, m));
}

static bool has_conditions(const struct summaries *a, item_list items)
{
	uint32_t n;
	const pending_item *list = summaries_items(a, items, &n);
	for (uint32_t i = 0; i < n; i++)
		if (list[i] & ITEM_CONDITION) return true;
	return false;
}

// The same where the terminal is simply put on s: asked too often, of too many pairs, for a memo of its own.
static struct summary shifted_on(struct summaries *a, uint32_t continuation, lr_state to, lr_state s)
{
	struct continuation x = continuation_get(a, continuation);
	if (x.remainder == REMAINDER_END && !columns(a)) return continue_on(a, continuation, s);
	struct summary y = remainder_on(a, x.remainder, to);
	if (y.items == ITEMS_NONE) return y;
	struct summary z = summaries_read_on(a, y.items, s);
	ASSERT(z.items != ITEMS_IMPOSSIBLE);
	if (a->viable->variables.n && has_conditions(a, z.items))
		return continue_on(a, continuation, s);  // some may be settled
	if (y.tokens != SET_EMPTY) z.tokens = tokensets_union(a->sets, (set_id[]){y.tokens, z.tokens}, 2);
	return z;
}

// The same, and most of them only reduce: a list of their own would be made for each, and united with the others'. So
// these are gathered above a mark of a->gathered.
static void gather_continuation(struct summaries *a, uint32_t continuation, terminal_id t, uint32_t action, lr_state s)
{
	if (action == 0 || action == ACTION_ACCEPT) return;
	bool reduces = !ACTION_IS_CHOICE(action) && action != ACTION_SKIP && !(action & 1),
		 decides = columns(a) && t == columns(a)->newline;
	if (ACTION_IS_SHIFT(action) && !decides) {
		add_summary(a, shifted_on(a, continuation, action / 2, s));
	} else if (reduces && !decides && a->lr->production[action / 2 - 1].length > 0) {
		struct lr_production p = a->lr->production[action / 2 - 1];
		vec_push(&a->gathered, parse_of(p.length - 1, p.lhs, continuation));
	} else {
		add_summary(a, continue_on(a, continuation, s));
	}
}

// What the parser does under each continuation of a list, above the mark of a->actions. What is left of the tokens
// behind those that are shifted will be asked for soon.
static void look_ahead(struct summaries *a, const uint32_t *list, uint32_t n, lr_state s)
{
	vec_reserve(&a->actions, (uint64_t)a->actions.n + n);
	for (uint32_t i = 0; i < n; i++) {
		const struct continuation x = continuation_get(a, list[i]);
		const uint32_t action = lr_action(a->lr, s, x.terminal);
		if (ACTION_IS_SHIFT(action)) map64_expect(&a->on, (uint64_t)x.remainder << 32 | action / 2);
		a->actions.at[a->actions.n++] = action;
	}
}

// A reduction has put s on top: all continuations behind it.
struct summary summaries_continue_on(struct summaries *a, uint32_t continuations, lr_state s)
{
	uint64_t key = (uint64_t)continuations << 32 | s;
	uint64_t memo = map64_get(&a->continuation_list, key);
	if (memo != MAP64_NONE) return recall(memo);
	struct mark m = begin(a);
	uint32_t n;
	const uint32_t *list = intern_get(&a->continuation_lists, continuations, &n);
	const uint32_t first = a->gathered.n, actions = a->actions.n;
	n /= (uint32_t)sizeof *list;
	look_ahead(a, list, n, s);
	for (uint32_t i = 0; i < n; i++)
		gather_continuation(a, list[i], continuation_get(a, list[i]).terminal, a->actions.at[actions + i], s);
	a->actions.n = actions;
	summaries_add_gathered(a, first);
	return remember(a, &a->continuation_list, key, summaries_finish(a, m));
}

// All cuts of a list, with s on top.
static struct summary cuts_on(struct summaries *a, uint32_t cuts, lr_state s)
{
	uint32_t len;
	const uint32_t *only = intern_get(&a->continuation_lists, cuts, &len);
	if (len == 0) return (struct summary){SET_EMPTY, ITEMS_NONE};
	if (len == sizeof *only) {  // most lists: no memo is faster than the answer
		terminal_id t = continuation_get(a, *only).terminal;
		uint32_t action = lr_action(a->lr, s, t);
		if (!a->lexer->is_ignored[t] && !(columns(a) && t == columns(a)->newline)) {
			if (action == 0) return (struct summary){SET_EMPTY, ITEMS_NONE};
			if (ACTION_IS_SHIFT(action)) return shifted_on(a, *only, action / 2, s);
		}
	}
	uint64_t key = (uint64_t)cuts << 32 | s;
	uint64_t memo = map64_get(&a->cut_list, key);
	if (memo != MAP64_NONE) return recall(memo);
	struct mark m = begin(a);
	uint32_t n;
	const uint32_t *list = intern_get(&a->continuation_lists, cuts, &n);
	const uint32_t first = a->gathered.n, actions = a->actions.n;
	n /= (uint32_t)sizeof *list;
	look_ahead(a, list, n, s);
	for (uint32_t i = 0; i < n; i++) {
		struct continuation x = continuation_get(a, list[i]);
		if (!a->lexer->is_ignored[x.terminal])
			gather_continuation(a, list[i], x.terminal, a->actions.at[actions + i], s);
		else if (x.remainder == REMAINDER_END)
			end_of_text(a, s);
		else
			add_summary(a, remainder_on(a, x.remainder, s));
	}
	a->actions.n = actions;
	summaries_add_gathered(a, first);
	return remember(a, &a->cut_list, key, summaries_finish(a, m));
}

// The tokens of a set that end in '\n', or the others.
static set_id by_last_byte(struct summaries *a, set_id s, bool newline)
{
	const struct trie *trie = a->whole->trie;
	uint32_t n, i = 0;
	rank_ranges kept = {0}, buffer = {0};
	const struct rank_range *r = tokensets_get(a->sets, s, &buffer, &n);
	for (trie_node t = 1; t < trie->n_nodes && i < n; t++)
		for (uint32_t rank = trie->rank[t]; rank < trie->rank[t + 1]; rank++) {
			while (i < n && r[i].to <= rank) i++;
			if (i < n && r[i].from <= rank && (trie->byte[t] == '\n') == newline)
				rank_ranges_push(&kept, rank, rank + 1);
		}
	set_id result = kept.n ? tokensets_add(a->sets, kept.at, kept.n) : SET_EMPTY;
	vec_release(&kept), vec_release(&buffer);
	return result;
}

// A cut of the newline that is pending when the token begins, without the nodes that only blanks lead to: behind these
// the column is known, indent.h. REMAINDER_END when nothing is left.
static remainder_id later_lines(struct summaries *a, remainder_id remainder)
{
	uint32_t n;
	const trie_node *nodes = walker_nodes(a->whole, remainder, &n);
	VEC(trie_node) kept = {0};
	for (uint32_t i = 0; i < n; i++)
		if (!bits_test(a->blank_path, nodes[i])) vec_push(&kept, nodes[i]);
	remainder_id later = kept.n
	                         ? walker_remainder(a->whole, walker_obligation(a->whole, remainder), true, kept.at, kept.n)
	                         : REMAINDER_END;
	vec_release(&kept);
	return later;
}

static void add_conditional(struct summaries *a, uint32_t first, struct outcome_stay stay)
{
	for (uint32_t i = first; i < a->stays.n; i++) {
		if (a->stays.at[i].to != stay.to) continue;
		a->stays.at[i].tokens = tokensets_union(a->sets, (set_id[]){a->stays.at[i].tokens, stay.tokens}, 2);
		return;
	}
	vec_push(&a->stays, stay);
}

// What the context decides of the outcomes of a lex_state and a rest, two bits each, into a->look_key: where that is
// the same, contexts look alike from there.
static void push_look(struct summaries *a, const struct outcomes *o, uint32_t context)
{
	const bits *viable = a->lr->context + (size_t)context * a->lr->context_words;
	uint32_t word = 0;
	for (uint32_t i = 0; i < o->n_stays + o->n_cuts; i++) {
		uint32_t decided;
		if (i < o->n_stays) {
			const lex_state to = outcomes_to(o, i);
			const bool hopeless = viability_is_hopeless(a->viable, to, context);
			decided = hopeless ? 0 : viability_is_safe(a->viable, to, context) ? 1 : 2;
		} else {
			const terminal_id t = o->cuts[i - o->n_stays].terminal;
			decided = a->lexer->is_ignored[t] || bits_test(viable, t);
		}
		word |= decided << i % 16 * 2;
		if (i % 16 == 15) vec_push(&a->look_key, word), word = 0;
	}
	vec_push(&a->look_key, word);
}

// The outcomes sorted by what the context decides; for the whole vocabulary, also the text's end. `lines`: a newline
// would decide columns.
// Branches: stays are hopeless, safe or conditional, cuts are viable or not, and both differ where columns decide.
static struct inside make_inside(struct summaries *a, lex_state at, remainder_id remainder, struct outcomes o,
                                 uint32_t context, bool lines)
{
	bool pending = lines && a->lexer->info[at].flags & LEX_LINE;  // the only way: lexer_check_lines
	struct inside x = {.conditional = a->stays.n};
	struct mark m = begin(a);
	for (uint32_t i = 0; i < o.n_stays; i++) {
		if (viability_is_hopeless(a->viable, outcomes_to(&o, i), context)) continue;
		bool safe = viability_is_safe(a->viable, outcomes_to(&o, i), context);
		set_id tokens = o.stays[i].tokens;
		if (lines && !a->lexer->lines_repeat && a->lexer->info[outcomes_to(&o, i)].flags & LEX_LINE) {
			x.maybe = tokensets_union(a->sets, (set_id[]){x.maybe, by_last_byte(a, o.stays[i].tokens, false)}, 2);
			tokens = by_last_byte(a, o.stays[i].tokens, true);
		}
		if (safe)
			add_set(a, tokens);
		else if (tokens != SET_EMPTY)
			add_conditional(a, x.conditional,
			                (struct outcome_stay){viability_equivalent(a->viable, outcomes_to(&o, i)), tokens});
	}
	x.n_conditional = a->stays.n - x.conditional;
	x.allowed = summaries_finish(a, m).tokens;
	VEC(uint32_t) list = {0};
	const bits *viable = a->lr->context + (size_t)context * a->lr->context_words;
	for (const struct lex_info *way = &a->lexer->info[at]; way && remainder == REMAINDER_WHOLE;
	     way = lexer_also(a->lexer, way))
		if (way->flags & LEX_MAY_END && !pending)
			vec_push(&list, summaries_continuation(a, way->terminal, REMAINDER_END));
	for (uint32_t i = 0; i < o.n_cuts; i++) {
		terminal_id t = o.cuts[i].terminal;
		if (!a->lexer->is_ignored[t] && !bits_test(viable, t)) continue;
		remainder_id then = o.cuts[i].remainder;
		if (pending && t == columns(a)->newline && walker_is_line(a->whole, then)) then = later_lines(a, then);
		if (then != REMAINDER_END) vec_push(&list, summaries_continuation(a, t, then));
	}
	x.cuts = summaries_continuations(a, list.at, list.n);
	vec_release(&list);
	x.alike = alike_of(a, &x);
	return x;
}

static void find_safe_rows(struct summaries *a, const struct outcomes *o)
{
	const struct safe_states *safe = &a->viable->safe;
	vec_clear(&a->safe_rows);
	for (uint32_t i = 0; i < o->n_stays && safe->row_of; i++) {
		const uint32_t row = safe->row_of[outcomes_to(o, i)];
		uint32_t k = 0;
		while (k < a->safe_rows.n && a->safe_rows.at[k] != row) k++;
		if (k == a->safe_rows.n) vec_push(&a->safe_rows, row);
	}
}

// Does the context decide of the outcomes what the one asked last did? True only where that is seen at once: neighbours
// differ in a key or two, and few lexer states are on the way to these.
static bool looks_as_last(const struct summaries *a, lex_state at, uint32_t context)
{
	const struct safe_states *safe = &a->viable->safe;
	if (!viability_ends_alike(a->viable, at, context, a->last_context)) return false;
	for (uint32_t i = 0; i < a->safe_rows.n; i++) {
		const bits *row = safe->row + (size_t)a->safe_rows.at[i] * safe->words;
		if (bits_test(row, context) != bits_test(row, a->last_context)) return false;
	}
	return true;
}

// The same, made once for all contexts that look alike.
static uint32_t look_inside(struct summaries *a, lex_state at, remainder_id remainder, uint32_t context, bool lines)
{
	const uint64_t from = (uint64_t)at << 32 | remainder;
	if (from != a->outcomes_key) {
		a->outcomes = walker_outcomes(a->whole, at, remainder), a->outcomes_key = from;
		find_safe_rows(a, &a->outcomes);
	} else if (a->last_look < a->looks.entries.n && lines == a->last_lines && looks_as_last(a, at, context)) {
		return a->look_inside.at[a->last_look];
	}
	a->last_context = context, a->last_lines = lines;
	const struct outcomes o = a->outcomes;
	bool is_new;
	vec_clear(&a->look_key);
	vec_push(&a->look_key, at);
	vec_push(&a->look_key, remainder << 1 | lines);
	push_look(a, &o, context);
	const size_t len = a->look_key.n * sizeof *a->look_key.at;
	if (a->last_look < a->looks.entries.n) {  // neighbours mostly look alike
		uint32_t last_len;
		const void *last = intern_get(&a->looks, a->last_look, &last_len);
		if (last_len == len && memcmp(last, a->look_key.at, len) == 0) return a->look_inside.at[a->last_look];
	}
	const uint32_t look = a->last_look = intern_add(&a->looks, a->look_key.at, len, &is_new);
	if (!is_new) return a->look_inside.at[look];
	vec_push(&a->insides, make_inside(a, at, remainder, o, context, lines));
	vec_push(&a->look_inside, a->insides.n - 1);
	return a->insides.n - 1;
}

// The same, kept: for tokens that begin in lex_state q, or (q is LEX_DEAD) for a rest where a new lexeme begins.
static struct inside inside_of(struct summaries *a, lex_state q, remainder_id remainder, uint32_t context, bool lines)
{
	uint64_t from = q != LEX_DEAD ? (uint64_t)q << 1 | 1 : (uint64_t)remainder << 1;
	uint64_t key = (from << 30 | context) << 1 | lines;
	if (key == a->last_key) return a->last;
	if (q != LEX_DEAD && !columns(a)) {  // nearly all are asked for once
		if (key == a->start_key) return a->start;
		const uint32_t i = look_inside(a, q, remainder, context, lines);
		a->start_key = key;
		return a->start = a->insides.at[i];
	}
	uint64_t known = map64_get(&a->inside_of, key);
	if (known == MAP64_NONE) {
		if (q == LEX_DEAD) q = a->lexer->start[walker_obligation(a->whole, remainder) * a->lexer->n_contexts + context];
		known = q == LEX_DEAD ? INSIDE_NONE : look_inside(a, q, remainder, context, lines);
		map64_put(&a->inside_of, key, known);
	}
	a->last_key = key, a->last = a->insides.at[known];
	return a->last;
}

static void add_inside(struct summaries *a, struct inside x, lr_state s)
{
	add_set(a, x.allowed);
	add_set(a, maybe(a, x.maybe));
	add_summary(a, cuts_on(a, x.cuts, s));
	if (!x.n_conditional) return;
	control_list controls = {0};
	const struct partial_frame *top = partial_stack_push(&a->scratch, NULL, s);
	for (uint32_t i = 0; i < x.n_conditional; i++) {
		struct outcome_stay stay = a->stays.at[x.conditional + i];
		enum verdict v = viability_decide(a->viable, stay.to, top, &controls);
		if (v == VIABLE_ALWAYS)
			add_set(a, stay.tokens);
		else if (v == VIABLE_DEPENDS)
			summaries_add_conditions(a, &controls, stay.tokens);
	}
	vec_release(&controls);
}

// What remains of tokens, with s on top of the stack, where a new lexeme begins.
static struct summary remainder_on(struct summaries *a, remainder_id remainder, lr_state s)
{
	uint64_t key = (uint64_t)remainder << 32 | s;
	uint64_t memo = map64_get(&a->on, key);
	if (memo != MAP64_NONE) return recall(memo);
	struct mark m = begin(a);
	if (remainder_is_end(remainder))
		end_of_text(a, s);
	else
		add_inside(a, inside_of(a, LEX_DEAD, remainder, a->lr->context_of[s], takes_lines(a, s)), s);
	return remember(a, &a->on, key, summaries_finish(a, m));
}

// A text that does not end in '\n' counts as if it did: that is tried.
static bool may_lack_newline(const struct summaries *a, lex_state q)
{
	return columns(a) && columns(a)->end_newline && lexer_next(a->lexer, q, '\n') &&
	       !(a->lexer->info[q].flags & LEX_NEWLINE);
}

const struct inside *summaries_plain(struct summaries *a, lex_state q, lr_state s)
{
	if (columns(a) || a->lexer->info[q].flags & LEX_INITIAL) return NULL;
	inside_of(a, q, REMAINDER_WHOLE, a->lr->context_of[s], false);
	return a->start.n_conditional || a->start.maybe != SET_EMPTY ? NULL : &a->start;
}

bool summaries_plain_on(struct summaries *a, const struct inside *x, lr_state s, struct summary *answer)
{
	struct summary y = cuts_on(a, x->cuts, s);  // its items stay as they are
	*answer = (struct summary){tokensets_union(a->sets, (set_id[]){x->allowed, y.tokens}, 2), y.items};
	return !has_conditions(a, y.items);
}

void summaries_part(struct summaries *a, uint32_t cuts, terminal_id t, struct inside *those, struct inside *others)
{
	uint32_t n;
	const uint32_t *list = intern_get(&a->continuation_lists, cuts, &n);
	VEC(uint32_t) part[2] = {{0}, {0}};
	for (uint32_t i = 0; i < n / sizeof *list; i++)
		vec_push(&part[continuation_get(a, list[i]).terminal == t], list[i]);
	*those = (struct inside){.cuts = summaries_continuations(a, part[1].at, part[1].n)};
	*others = (struct inside){.cuts = summaries_continuations(a, part[0].at, part[0].n)};
	those->alike = alike_of(a, those), others->alike = alike_of(a, others);
	vec_release(&part[0]), vec_release(&part[1]);
}

terminal_id summaries_terminal(const struct summaries *a, uint32_t continuation)
{
	return continuation_get(a, continuation).terminal;
}

struct summary summaries_start(struct summaries *a, lex_state q, lr_state s)
{
	bool is_initial = a->lexer->info[q].flags & LEX_INITIAL;
	struct inside x = inside_of(a, q, REMAINDER_WHOLE, a->lr->context_of[s], takes_lines(a, s));
	struct summary plain;
	if (!is_initial && !may_lack_newline(a, q) && !x.n_conditional && x.maybe == SET_EMPTY &&
	    summaries_plain_on(a, &x, s, &plain))
		return plain;  // nearly all
	struct mark m = begin(a);
	if (is_initial) end_of_text(a, s);
	add_inside(a, x, s);
	if (may_lack_newline(a, q)) add_set(a, maybe(a, a->end_set));
	return summaries_finish(a, m);
}

uint32_t summaries_kind(struct summaries *a, lex_state q, uint32_t context)
{
	uint32_t alike = inside_of(a, q, REMAINDER_WHOLE, context, false).alike;
	if (columns(a)) {
		const uint32_t pair[] = {alike, inside_of(a, q, REMAINDER_WHOLE, context, true).alike};
		alike = intern_add(&a->alike, pair, sizeof pair, NULL);
	}
	const uint32_t flags = (a->lexer->info[q].flags & LEX_INITIAL ? 2 : 0) | may_lack_newline(a, q);
	const uint64_t key = (uint64_t)alike << 32 | context << 2 | flags, known = map64_get(&a->kind_of, key);
	if (known != MAP64_NONE) return (uint32_t)known;
	map64_put(&a->kind_of, key, a->n_kinds);
	return a->n_kinds++;
}

struct summary summaries_line(struct summaries *a, remainder_id remainder, bool or_end, lr_state s)
{
	struct mark m = begin(a);
	add_summary(a, remainder_on(a, remainder, s));
	if (or_end) add_summary(a, remainder_on(a, REMAINDER_END, s));
	return summaries_finish(a, m);
}
