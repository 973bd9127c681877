// Memoised evaluation, from the top of the stack down.
//
// A token's rest is lexed on the top frame: what stays inside the lexeme is decided by the lexer and viability; what is
// cut goes to the parser as a terminal. A shift that needs no frame below goes on with the rest on the new top, and the
// answer is then read down through the frames that are known; a reduction that reaches below them becomes an item.
// Recursion is as deep as lexemes in a token, since each cut leaves a shorter rest.
// Where a newline decides columns (lexer.h, LEX_LINE), these are not known here: what follows the newline that is pending
// when the token begins is left to the rows of lines.h; tokens with a whole newline in them and more behind it are to be
// tried. Inside brackets, where the newline is ignored, all is as ever.
// Cost: a table look-up for what is known, and a union of sets and of items for what is not.
#include "answers.h"

#include "../../formats/artifact.h"

void answers_init(struct answers *a, const struct lexer *lexer, const struct lr *lr, struct walker *whole,
                  const struct coupling *coupling, struct viability *viable, struct tokensets *sets, uint32_t n_ranks)
{
	*a = (struct answers){.lexer = lexer, .lr = lr, .whole = whole, .coupling = coupling, .viable = viable,
	                      .sets = sets, .part = n_ranks + 1, .line_mode = UINT32_MAX};
	a->end_set = tokensets_add(sets, &(struct rank_range){n_ranks, n_ranks + 1}, 1);
	intern_add(&a->lists, NULL, 0, NULL);  // ITEMS_NONE
}

void answers_release(struct answers *a)
{
	intern_release(&a->items);
	intern_release(&a->lists);
	intern_release(&a->cuts);
	intern_release(&a->cut_lists);
	vec_release(&a->stays);
	vec_release(&a->insides);
	vec_release(&a->less);
	map64_release(&a->inside_of);
	map64_release(&a->on);
	map64_release(&a->cut);
	map64_release(&a->cut_list);
	map64_release(&a->below);
	map64_release(&a->read);
	map64_release(&a->shifted);
	vec_release(&a->tokens_of);
	vec_release(&a->set_stack);
	vec_release(&a->item_stack);
	vec_release(&a->steps);
	arena_release(&a->scratch);
}

// --- Items ----------------------------------------------------------------------------------------------------------

static const struct item *item_get(const struct answers *a, item_id i) { return intern_get(&a->items, i, NULL); }

static item_id item_of(struct answers *a, struct item x) { return intern_add(&a->items, &x, sizeof x, NULL); }

static item_id item_less(struct answers *a, item_id i, uint32_t n)
{
	if (n == 0) return i;
	if (n == 1 && i < a->less.n && a->less.at[i] != UINT32_MAX) return a->less.at[i];
	struct item x = *item_get(a, i);
	x.pop -= n;
	item_id y = item_of(a, x);
	if (n > 1) return y;
	while (a->less.n <= i) vec_push(&a->less, UINT32_MAX);
	return a->less.at[i] = y;
}

const item_id *answers_items(const struct answers *a, item_list items, uint32_t *n)
{
	const item_id *list = intern_get(&a->lists, items, n);
	*n /= (uint32_t)sizeof *list;
	return list;
}

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static uint32_t sort_unique(uint32_t *list, uint32_t n)
{
	bool sorted = true;
	for (uint32_t i = 1; i < n && sorted; i++) sorted = list[i - 1] < list[i];
	if (sorted) return n;
	qsort(list, n, sizeof *list, compare_u32);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < n; i++)
		if (!kept || list[kept - 1] != list[i]) list[kept++] = list[i];
	return kept;
}

item_list answers_skip(struct answers *a, item_list items, uint32_t *skip)
{
	uint32_t n, least = UINT32_MAX;
	const item_id *list = answers_items(a, items, &n);
	for (uint32_t i = 0; i < n && least; i++)
		if (item_get(a, list[i])->pop < least) least = item_get(a, list[i])->pop;
	*skip = n ? least : 0;
	if (!n || least == 0) return items;
	VEC(item_id) shorter = {0};
	for (uint32_t i = 0; i < n; i++) vec_push(&shorter, item_less(a, list[i], least));
	shorter.n = sort_unique(shorter.at, shorter.n);
	item_list result = intern_add(&a->lists, shorter.at, shorter.n * sizeof *shorter.at, NULL);
	vec_release(&shorter);
	return result;
}

// --- An answer in the making: sets and items above a mark of the two stacks ------------------------------------------

struct mark {
	uint32_t sets, items;
};

static struct mark begin(struct answers *a)
{
	a->depth++;
	return (struct mark){a->set_stack.n, a->item_stack.n};
}

// Doubts about tokens that are allowed already are none.
static uint32_t drop_settled(const struct answers *a, const set_id *sets, uint32_t n_sets, item_id *items, uint32_t n)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct item *x = item_get(a, items[i]);
		bool settled = false;
		for (uint32_t j = 0; j < n_sets && x->kind == ITEM_DOUBT && !settled; j++) settled = sets[j] == x->tokens;
		if (!settled) items[kept++] = items[i];
	}
	return kept;
}

static struct answer finish(struct answers *a, struct mark m)
{
	set_id *sets = a->set_stack.at + m.sets;
	item_id *items = a->item_stack.at + m.items;
	uint32_t n_sets = a->set_stack.n - m.sets, n = a->item_stack.n - m.items;
	n = sort_unique(items, n);
	if (a->viable->variables.n) n = drop_settled(a, sets, n_sets, items, n);
	struct answer x = {tokensets_union(a->sets, sets, n_sets),
	                   n ? intern_add(&a->lists, items, n * sizeof *items, NULL) : ITEMS_NONE};
	a->set_stack.n = m.sets, a->item_stack.n = m.items;
	if (--a->depth == 0 && a->scratch.used > 1 << 20) arena_release(&a->scratch);
	return x;
}

static struct answer recall(uint64_t memo) { return (struct answer){(set_id)(memo >> 32), (item_list)memo}; }

static struct answer remember(struct answers *a, struct map64 *memo, uint64_t key, struct answer x)
{
	map64_put(memo, key, (uint64_t)x.tokens << 32 | x.items);
	a->n_evaluated++;
	return x;
}

static void add_set(struct answers *a, set_id s)
{
	if (s != SET_EMPTY) vec_push(&a->set_stack, s);
}

static void add_answer(struct answers *a, struct answer x)
{
	add_set(a, x.tokens);
	uint32_t n;
	const item_id *list = answers_items(a, x.items, &n);
	for (uint32_t i = 0; i < n; i++) vec_push(&a->item_stack, list[i]);
}

static void add_doubts(struct answers *a, const control_list *controls, set_id tokens)
{
	for (uint32_t i = 0; i < controls->n; i++) {
		struct item x = {.kind = ITEM_DOUBT, .pop = viability_pop(a->viable, controls->at[i]), .tokens = tokens};
		x.control = viability_skip(a->viable, controls->at[i], x.pop);
		vec_push(&a->item_stack, item_of(a, x));
	}
}

// --- Parts of sets ----------------------------------------------------------------------------------------------------

static set_id in_part(struct answers *a, set_id s, uint32_t part)
{
	if (part == PART_SURE || s == SET_EMPTY) return s;
	uint64_t key = (uint64_t)s << 3 | part;
	uint64_t known = map64_get(&a->shifted, key);
	if (known != MAP64_NONE) return (set_id)known;
	set_id shifted = tokensets_shift(a->sets, s, part * a->part);
	map64_put(&a->shifted, key, shifted);
	return shifted;
}

static uint32_t part_of(uint32_t mode)
{
	return mode & MODE_ALONE ? PART_ALONE : mode & MODE_EVEN ? PART_EVEN : PART_SURE;
}

// The mode in which what follows is known when another stack may undo it.
static uint32_t unsure(uint32_t mode)
{
	if (mode & MODE_FIRST) return MODE_EVEN;
	return mode & MODE_SPLIT ? mode | MODE_TRY : mode | MODE_ALONE;
}

// All tokens of a rest.
static set_id tokens_of(struct answers *a, rest_id rest)
{
	if (rest_is_end(rest)) return a->end_set;
	while (a->tokens_of.n <= rest) vec_push(&a->tokens_of, UINT32_MAX);
	if (a->tokens_of.at[rest] != UINT32_MAX) return a->tokens_of.at[rest];
	uint32_t n;
	const trie_node *nodes = walker_nodes(a->whole, rest, &n);
	const struct trie *trie = a->whole->trie;
	rank_ranges ranges = {0};
	for (uint32_t i = 0; i < n; i++)
		vec_push(&ranges, ((struct rank_range){trie->rank[nodes[i]], trie->rank[trie->end[nodes[i]]]}));
	set_id s = n ? tokensets_add(a->sets, ranges.at, n) : SET_EMPTY;
	vec_release(&ranges);
	return a->tokens_of.at[rest] = s;
}

// --- Evaluation -----------------------------------------------------------------------------------------------------

static struct answer rest_on(struct answers *a, rest_id rest, lr_state s, uint32_t mode);
static struct answer cut_on(struct answers *a, uint32_t cut, lr_state s, uint32_t mode);

static const struct indentation *columns(const struct answers *a) { return a->lexer->indentation; }

// Would a newline be taken with s on top, not ignored?
static bool takes_lines(const struct answers *a, lr_state s)
{
	if (!columns(a)) return false;
	uint32_t x = lr_action(a->lr, s, columns(a)->newline);
	return x != 0 && x != ACTION_SKIP;
}

// At the end of the text a dedent comes for each column that is open.
static void end_of_text(struct answers *a, lr_state s, uint32_t mode)
{
	if (lr_viable(a->lr, s, a->lr->n_terminals)) add_set(a, in_part(a, a->end_set, part_of(mode)));
	if (columns(a) && lr_viable(a->lr, s, columns(a)->dedent))
		add_answer(a, cut_on(a, intern_add(&a->cuts, (uint32_t[]){columns(a)->dedent, REST_END}, 8, NULL), s, mode));
}

// The parser took the terminal or wants to look below, in each of the ways above the mark of a->steps.
static void take_steps(struct answers *a, uint32_t first, terminal_id t, rest_id rest, uint32_t mode)
{
	if (a->steps.n > first + 1) mode |= MODE_SPLIT;
	for (uint32_t i = first; i < a->steps.n; i++) {
		struct frame_step step = a->steps.at[i];
		if (step.kind == STEP_BELOW) {
			struct item x = {.kind = ITEM_PARSE, .pop = step.pop, .lhs = step.lhs, .terminal = t, .rest = rest,
			                 .mode = mode};
			vec_push(&a->item_stack, item_of(a, x));
		} else if (mode & MODE_TRY) {
			add_set(a, in_part(a, tokens_of(a, rest), PART_MAYBE));
		} else if (rest == REST_END && !columns(a)) {
			end_of_text(a, step.top->state, mode);
		} else {
			struct answer x = rest_on(a, rest, step.top->state, mode);
			for (const struct frame *f = step.top->below; f && x.items != ITEMS_IMPOSSIBLE; f = f->below) {
				struct answer y = answers_read(a, x.items, f->state);
				if (x.tokens != SET_EMPTY) y.tokens = tokensets_union(a->sets, (set_id[]){x.tokens, y.tokens}, 2);
				x = y;
			}
			if (x.items != ITEMS_IMPOSSIBLE) add_answer(a, x);
		}
	}
	a->steps.n = first;
}

// The lexeme ends as this cut says, with s on top.
static struct answer cut_on(struct answers *a, uint32_t cut, lr_state s, uint32_t mode)
{
	uint64_t key = ((uint64_t)cut << 5 | mode) << 32 | s;
	uint64_t memo = map64_get(&a->cut, key);
	if (memo != MAP64_NONE) return recall(memo);
	uint32_t pair[2];
	memcpy(pair, intern_get(&a->cuts, cut, NULL), sizeof pair);
	struct mark m = begin(a);
	uint32_t first = a->steps.n;
	if (columns(a) && pair[0] == columns(a)->newline && walker_is_line(a->whole, pair[1]) && takes_lines(a, s)) {
		add_set(a, in_part(a, tokens_of(a, pair[1]), PART_MAYBE));
	} else {
		frames_shift(a->lr, &a->scratch, frames_push(&a->scratch, NULL, s), pair[0], &a->steps);
		take_steps(a, first, pair[0], pair[1], mode);
	}
	return remember(a, &a->cut, key, finish(a, m));
}

// All cuts of a list, with s on top.
static struct answer cuts_on(struct answers *a, uint32_t cuts, lr_state s, uint32_t mode)
{
	uint64_t key = ((uint64_t)cuts << 5 | mode) << 32 | s;
	uint64_t memo = map64_get(&a->cut_list, key);
	if (memo != MAP64_NONE) return recall(memo);
	struct mark m = begin(a);
	uint32_t n;
	const uint32_t *list = intern_get(&a->cut_lists, cuts, &n);
	for (uint32_t i = 0; i < n / sizeof *list; i++) {
		uint32_t pair[2];
		memcpy(pair, intern_get(&a->cuts, list[i], NULL), sizeof pair);
		uint32_t sure = coupling_undoes(a->coupling, s, pair[0]) ? unsure(mode) : mode & ~(uint32_t)MODE_FIRST;
		if (!a->lexer->is_ignored[pair[0]]) add_answer(a, cut_on(a, list[i], s, sure));
		else if (sure & MODE_TRY) add_set(a, in_part(a, tokens_of(a, pair[1]), PART_MAYBE));
		else if (pair[1] == REST_END) end_of_text(a, s, sure);
		else add_answer(a, rest_on(a, pair[1], s, sure));
	}
	return remember(a, &a->cut_list, key, finish(a, m));
}

// The tokens of a set that end in '\n', or the others.
static set_id by_last_byte(struct answers *a, set_id s, bool newline)
{
	const struct trie *trie = a->whole->trie;
	uint32_t n, i = 0;
	const struct rank_range *r = tokensets_get(a->sets, s, &n);
	rank_ranges kept = {0};
	for (trie_node t = 1; t < trie->n_nodes && i < n; t++)
		for (uint32_t rank = trie->rank[t]; rank < trie->rank[t + 1]; rank++) {
			while (i < n && r[i].to <= rank) i++;
			if (i < n && r[i].from <= rank && (trie->byte[t] == '\n') == newline) rank_ranges_push(&kept, rank, rank + 1);
		}
	set_id result = kept.n ? tokensets_add(a->sets, kept.at, kept.n) : SET_EMPTY;
	vec_release(&kept);
	return result;
}

// A cut of the newline that is pending when the token begins, without the nodes that only blanks lead to: behind these
// the column is known, lines.h. REST_END when nothing is left.
static rest_id later_lines(struct answers *a, rest_id rest)
{
	uint32_t n;
	const trie_node *nodes = walker_nodes(a->whole, rest, &n);
	VEC(trie_node) kept = {0};
	for (uint32_t i = 0; i < n; i++)
		if (!bits_test(a->blank_path, nodes[i])) vec_push(&kept, nodes[i]);
	rest_id later = kept.n ? walker_rest(a->whole, walker_residue(a->whole, rest), true, kept.at, kept.n) : REST_END;
	vec_release(&kept);
	return later;
}

static void add_doubtful(struct answers *a, uint32_t first, struct outcome_stay stay)
{
	for (uint32_t i = first; i < a->stays.n; i++) {
		if (a->stays.at[i].to != stay.to) continue;
		a->stays.at[i].tokens = tokensets_union(a->sets, (set_id[]){a->stays.at[i].tokens, stay.tokens}, 2);
		return;
	}
	vec_push(&a->stays, stay);
}

// The outcomes sorted by what the context decides; for the whole vocabulary, also the text's end. `lines`: a newline would
// decide columns.
static const struct inside *look_inside(struct answers *a, lex_state at, rest_id rest, uint32_t context, bool lines)
{
	bool pending = lines && a->lexer->info[at].flags & LEX_LINE;  // the only way: lexer_check_lines
	uint32_t index;
	struct outcomes o = walker_outcomes(a->whole, at, rest, &index);
	uint64_t key = (uint64_t)index << 32 | (uint32_t)lines << 31 | context;
	uint64_t known = map64_get(&a->inside_of, key);
	if (known != MAP64_NONE) return &a->insides.at[known];
	struct inside x = {.doubtful = a->stays.n};
	VEC(set_id) alone = {0};
	struct mark m = begin(a);
	for (uint32_t i = 0; i < o.n_stays; i++) {
		if (viability_is_hopeless(a->viable, o.stays[i].to, context)) continue;
		bool safe = viability_is_safe(a->viable, o.stays[i].to, context);
		set_id tokens = o.stays[i].tokens;
		if (lines && !a->lexer->lines_repeat && a->lexer->info[o.stays[i].to].flags & LEX_LINE) {
			x.maybe = tokensets_union(a->sets, (set_id[]){x.maybe, by_last_byte(a, o.stays[i].tokens, false)}, 2);
			tokens = by_last_byte(a, o.stays[i].tokens, true);
		}
		bool together = safe && (!a->coupling->undone || a->coupling->settles ||
		                             viability_is_safe_together(a->viable, o.stays[i].to, context));
		if (together) add_set(a, tokens);
		else if (safe) vec_push(&alone, tokens);
		else if (tokens != SET_EMPTY) add_doubtful(a, x.doubtful, (struct outcome_stay){viability_alike(a->viable, o.stays[i].to), tokens});
	}
	x.n_doubtful = a->stays.n - x.doubtful;
	x.allowed = finish(a, m).tokens;
	x.allowed_alone = tokensets_union(a->sets, alone.at, alone.n);
	vec_release(&alone);
	VEC(uint32_t) list = {0};
	const bits *viable = a->lr->context + (size_t)context * a->lr->context_words;
	for (const struct lex_info *way = &a->lexer->info[at]; way && rest == REST_WHOLE; way = lexer_also(a->lexer, way))
		if (way->flags & LEX_MAY_END && !pending)
			vec_push(&list, intern_add(&a->cuts, (uint32_t[]){way->terminal, REST_END}, 8, NULL));
	for (uint32_t i = 0; i < o.n_cuts; i++) {
		terminal_id t = o.cuts[i].terminal;
		if (!a->lexer->is_ignored[t] && !bits_test(viable, t)) continue;
		rest_id then = o.cuts[i].rest;
		if (pending && t == columns(a)->newline && walker_is_line(a->whole, then)) then = later_lines(a, then);
		if (then != REST_END) vec_push(&list, intern_add(&a->cuts, (uint32_t[]){t, then}, 8, NULL));
	}
	x.cuts = intern_add(&a->cut_lists, list.at, list.n * sizeof *list.at, NULL);
	vec_release(&list);
	vec_push(&a->insides, x);
	map64_put(&a->inside_of, key, a->insides.n - 1);
	return &a->insides.at[a->insides.n - 1];
}

static void add_inside(struct answers *a, struct inside x, lr_state s, uint32_t mode)
{
	uint32_t after = a->coupling->undone ? unsure(mode & ~(uint32_t)MODE_FIRST) : mode;  // where nothing is proved for several stacks
	uint32_t part = after & MODE_TRY ? PART_MAYBE : part_of(after);
	add_set(a, in_part(a, x.allowed, part_of(mode)));
	add_set(a, in_part(a, x.allowed_alone, part));
	add_set(a, in_part(a, x.maybe, PART_MAYBE));
	add_answer(a, cuts_on(a, x.cuts, s, mode));
	if (!x.n_doubtful) return;
	control_list controls = {0};
	const struct frame *top = frames_push(&a->scratch, NULL, s);
	for (uint32_t i = 0; i < x.n_doubtful; i++) {
		struct outcome_stay stay = a->stays.at[x.doubtful + i];
		enum verdict v = viability_ask(a->viable, stay.to, top, &controls);
		set_id tokens = in_part(a, stay.tokens, part);
		if (v == VIABLE_ALWAYS) add_set(a, tokens);
		else if (v == VIABLE_DEPENDS) add_doubts(a, &controls, tokens);
	}
	vec_release(&controls);
}

// What remains of tokens, with s on top of the stack, where a new lexeme begins.
static struct answer rest_on(struct answers *a, rest_id rest, lr_state s, uint32_t mode)
{
	uint64_t key = ((uint64_t)rest << 5 | mode) << 32 | s;
	uint64_t memo = map64_get(&a->on, key);
	if (memo != MAP64_NONE) return recall(memo);
	struct mark m = begin(a);
	uint32_t context = a->lr->context_of[s], residue = rest_is_end(rest) ? 0 : walker_residue(a->whole, rest);
	lex_state q = a->lexer->start[residue * a->lexer->n_contexts + context];
	if (rest_is_end(rest)) end_of_text(a, s, mode);
	else if (q != LEX_DEAD) add_inside(a, *look_inside(a, q, rest, context, takes_lines(a, s)), s, mode);
	return remember(a, &a->on, key, finish(a, m));
}

struct answer answers_start(struct answers *a, lex_state q, lr_state s)
{
	struct mark m = begin(a);
	if (a->lexer->info[q].flags & LEX_INITIAL) end_of_text(a, s, 0);
	bool lines = takes_lines(a, s);
	add_inside(a, *look_inside(a, q, REST_WHOLE, a->lr->context_of[s], lines), s, MODE_FIRST);
	// A text that lacks its last newline counts as if it had it: that is tried.
	if (columns(a) && columns(a)->end_newline && lexer_next(a->lexer, q, '\n'))
		add_set(a, in_part(a, a->end_set, PART_MAYBE));
	return finish(a, m);
}

struct answer answers_line(struct answers *a, rest_id rest, bool or_end, lr_state s)
{
	struct mark m = begin(a);
	if (a->line_mode == UINT32_MAX) {
		a->line_mode = 0;
		for (lr_state t = LR_BOTTOM; t < a->lr->n_states; t++)
			if (takes_lines(a, t) && coupling_undoes(a->coupling, t, columns(a)->newline)) a->line_mode = MODE_ALONE;
	}
	add_answer(a, rest_on(a, rest, s, a->line_mode));
	if (or_end) add_answer(a, rest_on(a, REST_END, s, a->line_mode));
	return finish(a, m);
}

// One item whose frames are popped, on frame p.
static struct answer item_on(struct answers *a, item_id i, lr_state p)
{
	uint64_t key = (uint64_t)i << 32 | p;
	uint64_t memo = map64_get(&a->below, key);
	if (memo != MAP64_NONE) return recall(memo);
	struct item x = *item_get(a, i);
	struct mark m = begin(a);
	bool possible = true;
	if (x.kind == ITEM_PARSE) {
		uint32_t first = a->steps.n;
		possible = lr_goto(a->lr, p, x.lhs) != 0;
		frames_resume(a->lr, &a->scratch, p, x.lhs, x.terminal, &a->steps);
		take_steps(a, first, x.terminal, x.rest, x.mode);
	} else {
		control_list controls = {0};
		enum verdict v = viability_read(a->viable, x.control, p, &controls);
		possible = v != VIABLE_IMPOSSIBLE;
		if (v == VIABLE_ALWAYS) add_set(a, x.tokens);
		if (v == VIABLE_DEPENDS) add_doubts(a, &controls, x.tokens);
		vec_release(&controls);
	}
	struct answer y = finish(a, m);
	if (!possible) y = (struct answer){SET_EMPTY, ITEMS_IMPOSSIBLE};
	return remember(a, &a->below, key, y);
}

struct answer answers_read(struct answers *a, item_list items, lr_state p)
{
	if (items == ITEMS_NONE) return (struct answer){SET_EMPTY, ITEMS_NONE};
	uint64_t key = (uint64_t)items << 32 | p;
	uint64_t memo = map64_get(&a->read, key);
	if (memo != MAP64_NONE) return recall(memo);
	struct mark m = begin(a);
	bool possible = true;
	uint32_t n;
	const item_id *list = answers_items(a, items, &n);
	for (uint32_t i = 0; i < n && possible; i++) {
		if (i + 4 < n) map64_prefetch(&a->below, (uint64_t)list[i + 4] << 32 | p);
		if (item_get(a, list[i])->pop > 0) {
			vec_push(&a->item_stack, item_less(a, list[i], 1));
		} else {
			struct answer x = item_on(a, list[i], p);
			possible = x.items != ITEMS_IMPOSSIBLE;
			if (possible) add_answer(a, x);
		}
	}
	struct answer y = finish(a, m);
	if (!possible) y = (struct answer){SET_EMPTY, ITEMS_IMPOSSIBLE};
	return remember(a, &a->read, key, y);
}
