// Starts: what a lex_state allows with one lr_state on top.
//
// In:  answers (summaries.h). Out: tokens, and the node that asks for what is still open.
// Frames that are the only ones possible, or all do the same, are read at once where nearly all are such
// (`reads_below`), as in schemas: an object that many keys refer to needs no node for each of them. There, too, tops
// share what they allow. When every terminal that a token may end as makes the parser reduce one production first, and
// all frames below go to one place with it, the start is that of the top which the reduction leaves. So of n optional
// keys, in order, each is asked once where it is shifted, and not once more for each key that may stand before it. Cuts
// of one terminal that is shifted at once, as "any other key" is, are answered apart. Of several items, or several
// places that one leads to, each is followed to its end, DEPTH_APART deep: mostly all come to one answer.
// Cost: a step along the chain of reductions to the first top that has the answer; each top of the chain then has it.
#include "automaton.h"

#include "../base/majority.h"

#include "../../formats/artifact.h"

#define WAYS_DOWN 8u
#define GOTO_FRAMES 2048u  // that are asked where they go
#define GOTO_DEPTH 4096u   // of the stack
#define GOTO_PLACES 8u     // where they go
#define MAX_APART 4u       // items that are read one by one
#define READ_FAILED ((uint64_t)UINT32_MAX)
#define NO_TERMINAL UINT32_MAX

void builder_starts_release(struct builder *b)
{
	free(b->on_top), free(b->is_below), free(b->reduction), free(b->cut_terminals);
	vec_release(&b->others);
	vec_release(&b->chain), vec_release(&b->below), vec_release(&b->next);
	vec_release(&b->gotos), vec_release(&b->way);
	map64_release(&b->frames_of);
	for (uint32_t i = 0; i <= DEPTH_APART; i++) map64_release(&b->read_below[i]);
	map64_release(&b->goto_below);
}

// The only frame that can lie so many below s; LR_NONE_BELOW: there are several. Those between may be any.
#define LR_NONE_BELOW UINT32_MAX
static lr_state only_below(const struct lr *lr, lr_state s, uint32_t depth)
{
	for (; depth && lr->pred_at[s + 1] - lr->pred_at[s] == 1; depth--) s = lr->pred[lr->pred_at[s]];
	lr_state now[WAYS_DOWN] = {s}, next[WAYS_DOWN];
	uint32_t n = 1;
	for (uint32_t i = 0; i < depth; i++) {
		uint32_t m = 0;
		for (uint32_t k = 0; k < n; k++)
			for (uint32_t j = lr->pred_at[now[k]]; j < lr->pred_at[now[k] + 1]; j++) {
				uint32_t known = 0;
				while (known < m && next[known] != lr->pred[j]) known++;
				if (known < m) continue;
				if (m == WAYS_DOWN) return LR_NONE_BELOW;
				next[m++] = lr->pred[j];
			}
		memcpy(now, next, m * sizeof *now);
		n = m;
	}
	return n == 1 ? now[0] : LR_NONE_BELOW;
}

// The frames that can lie so many below s, into b->below from *first on. False: there are too many of them.
static bool frames_at(struct builder *b, lr_state s, uint32_t depth, uint32_t *first)
{
	vec_clear(&b->below);
	vec_push(&b->below, s);
	*first = 0;
	for (uint32_t i = 0; i < depth; i++) {
		const uint32_t last = b->below.n;
		if (last - *first > GOTO_FRAMES) return false;
		for (uint32_t k = *first; k < last; k++) builder_add_below(b, b->below.at[k], &b->below);
		for (uint32_t k = last; k < b->below.n; k++) bits_reset(b->is_below, b->below.at[k]);
		*first = last;
	}
	return b->below.n - *first <= GOTO_FRAMES;
}

// Where the frames that can lie so many below s go with a nonterminal; *n 0: to more than GOTO_PLACES places. Cost: the
// frames, once for each place that is asked.
static const lr_state *gotos_below(struct builder *b, lr_state s, uint32_t depth, uint32_t lhs, uint32_t *n)
{
	const uint64_t key = ((uint64_t)depth * b->lr->n_states + s) * b->lr->n_nonterminals + lhs;
	uint64_t known = depth < GOTO_DEPTH ? map64_get(&b->goto_below, key) : 0;
	if (known == MAP64_NONE) {
		uint32_t first, found = 0;
		lr_state to[GOTO_PLACES];
		bool ok = frames_at(b, s, depth, &first);
		for (uint32_t k = first; k < b->below.n && ok; k++) {
			const lr_state here = lr_goto(b->lr, b->below.at[k], lhs);  // 0: no stack has that frame there
			uint32_t i = 0;
			while (i < found && to[i] != here) i++;
			if (!here || i < found) continue;
			ok = found < GOTO_PLACES;
			if (ok) to[found++] = here;
		}
		known = b->gotos.n;
		vec_push(&b->gotos, ok ? found : 0);
		for (uint32_t i = 0; i < found && ok; i++) vec_push(&b->gotos, to[i]);
		map64_put(&b->goto_below, key, known);
	}
	*n = b->gotos.at[known];
	return b->gotos.at + known + 1;
}

#define ASKED_STATES 256u    // of an automaton, to know whether its frames go together
#define KNOWN_FROM 75u       // percent of states below which one state only can lie: nearly all, without recursion
#define TOGETHER_PLACES 2u   // one place or two: all frames go there together
#define TOGETHER_FROM 93u    // percent of reductions behind which they do; languages have fewer, and would take longer
#define TOGETHER_SCHEMA 85u  // of a JSON Schema

// The reductions that state s makes: how many there are, and of how many the frames go together.
static void count_together(struct builder *b, lr_state s, uint32_t *all, uint32_t *together)
{
	uint32_t n, n_places, last = 0;
	const struct lr_cell *row = lr_row(&b->lr->action, s, &n);
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t action = row[i].to;
		if (action == last || action >= ACTION_SKIP || ACTION_IS_CHOICE(action) || ACTION_IS_SHIFT(action)) continue;
		last = action;
		const struct lr_production *p = &b->lr->production[action / 2 - 1];
		if (!p->length) continue;
		gotos_below(b, s, p->length, p->lhs, &n_places);
		++*all, *together += n_places && n_places <= TOGETHER_PLACES;
	}
}

bool builder_may_read_below(struct builder *b, bool is_schema)
{
	const struct lr *lr = b->lr;
	const uint32_t from = is_schema ? TOGETHER_SCHEMA : TOGETHER_FROM;
	uint32_t n_known = 0, all = 0, together = 0;
	for (lr_state s = 0; s < lr->n_states; s++) n_known += lr->pred_at[s + 1] - lr->pred_at[s] <= 1;
	if ((uint64_t)n_known * 100 >= (uint64_t)lr->n_states * KNOWN_FROM) return true;
	for (lr_state s = LR_BOTTOM; s < lr->n_states; s += lr->n_states / ASKED_STATES + 1)
		count_together(b, s, &all, &together);
	return (uint64_t)together * 100 >= (uint64_t)all * from;
}

// What a parse becomes on the frames that can lie so many below s, where that is the same on all. False: it is not.
static bool parse_below(struct builder *b, pending_item i, lr_state s, uint32_t depth, struct summary *x)
{
	uint32_t n;
	const lr_state *to = gotos_below(b, s, depth, item_lhs(i), &n);
	for (uint32_t k = 0; k < n; k++) {
		const struct summary y = summaries_continue_on(&b->summaries, item_continuations(i), to[k]);
		if (k && (y.tokens != x->tokens || y.items != x->items)) return false;
		*x = y;
	}
	return n;
}

// The frames that can lie so many below s, as a number; FRAMES_NONE: there are too many of them.
static uint32_t frames_of(struct builder *b, lr_state s, uint32_t depth)
{
	const uint64_t key = (uint64_t)depth << 32 | s, known = map64_get(&b->frames_of, key);
	if (known != MAP64_NONE) return (uint32_t)known;
	uint32_t first, set = FRAMES_NONE;
	if (frames_at(b, s, depth, &first)) set = frame_sets_add(&b->frames, b->below.at + first, b->below.n - first);
	map64_put(&b->frames_of, key, set);
	return set;
}

// Keeps for each step from the mark on the tokens of it and of all behind it, or (ok is false) that they are not one
// answer. Returns the tokens of all.
static set_id keep_way(struct builder *b, uint32_t mark, set_id behind, bool ok)
{
	while (b->way.n > mark) {
		const struct below_step step = vec_pop(&b->way);
		if (ok) behind = tokensets_union(b->sets, (set_id[]){step.tokens, behind}, 2);
		if (step.key != MAP64_NONE) map64_put(&b->read_below[b->n_apart], step.key, ok ? behind : READ_FAILED);
	}
	return behind;
}

// The tokens of all that is behind an item, on the frames that can lie so many below s, where they go to several places
// that come to one answer in the end. False: they do not.
static bool read_apart(struct builder *b, pending_item i, lr_state s, uint32_t depth, set_id *tokens)
{
	uint32_t n;
	lr_state to[GOTO_PLACES];
	if (i & ITEM_CONDITION) return false;
	const lr_state *places = gotos_below(b, s, depth + item_pop(i), item_lhs(i), &n);
	memcpy(to, places, n * sizeof *to);  // they move where more are asked
	for (uint32_t k = 0; k < n; k++) {
		struct summary y = summaries_continue_on(&b->summaries, item_continuations(i), to[k]);
		if (y.items != ITEMS_NONE && !builder_read_below(b, &y, to[k])) return false;
		if (k && y.tokens != *tokens) return false;
		*tokens = y.tokens;
	}
	return n;
}

// The same of all items.
static bool read_each(struct builder *b, item_list items, lr_state s, uint32_t depth, set_id *behind)
{
	uint32_t n;
	pending_item list[MAX_APART];
	set_id tokens[MAX_APART];
	const pending_item *of = summaries_items(&b->summaries, items, &n);
	if (n > MAX_APART || b->n_apart == DEPTH_APART) return false;
	memcpy(list, of, n * sizeof *list);
	bool ok = true;
	b->n_apart++;
	for (uint32_t i = 0; i < n && ok; i++) ok = read_apart(b, list[i], s, depth, &tokens[i]);
	b->n_apart--;
	if (ok) *behind = tokensets_union(b->sets, tokens, n);
	return ok;
}

bool builder_read_below(struct builder *b, struct summary *x, lr_state s)
{
	struct summaries *a = &b->summaries;
	struct summary y = *x;
	const uint32_t mark = b->way.n;
	uint32_t depth = 1;  // of the next frame, below s
	bool ok = true;
	set_id behind = SET_EMPTY;
	vec_push(&b->way, ((struct below_step){MAP64_NONE, y.tokens}));
	while (y.items != ITEMS_NONE && ok) {
		uint32_t skip, n;
		const item_list items = summaries_skip(a, y.items, &skip);
		depth += skip;
		const lr_state only = only_below(b->lr, s, depth);
		if (only != LR_NONE_BELOW) {
			y = summaries_read_on(a, items, only);
			if (y.items == ITEMS_IMPOSSIBLE) y = (struct summary){SET_EMPTY, ITEMS_NONE};
			s = only, depth = 1;
			vec_push(&b->way, ((struct below_step){MAP64_NONE, y.tokens}));
			continue;
		}
		const uint32_t frames = depth < GOTO_DEPTH ? frames_of(b, s, depth) : FRAMES_NONE;
		const uint64_t key = (uint64_t)items << 32 | frames, known = map64_get(&b->read_below[b->n_apart], key);
		if (known != MAP64_NONE && frames != FRAMES_NONE) {
			ok = known != READ_FAILED;
			behind = ok ? (set_id)known : SET_EMPTY;
			break;
		}
		const pending_item *list = summaries_items(a, items, &n);
		const uint64_t kept = frames == FRAMES_NONE ? MAP64_NONE : key;
		if (n == 1 && !(list[0] & ITEM_CONDITION) && parse_below(b, list[0], s, depth, &y)) {
			vec_push(&b->way, ((struct below_step){kept, y.tokens}));
			continue;
		}
		ok = read_each(b, items, s, depth, &behind);
		vec_push(&b->way, ((struct below_step){kept, SET_EMPTY}));
		break;
	}
	behind = keep_way(b, mark, behind, ok);
	if (ok) *x = (struct summary){behind, ITEMS_NONE};
	return ok;
}

struct table_start builder_start(struct builder *b, struct summary x, lr_state s)
{
	if (b->reads_below && x.items != ITEMS_NONE && builder_read_below(b, &x, s))
		return (struct table_start){x.tokens, 0};
	return (struct table_start){x.tokens, builder_ask(b, x.items, &s, 1)};
}

// The top that a reduction on s leaves, where all frames that can lie there go to one place. 0: they do not.
static lr_state left_by(struct builder *b, lr_state s, const struct lr_production *p)
{
	uint32_t n;
	if (!p->length) return 0;
	const lr_state only = only_below(b->lr, s, p->length);
	if (only != LR_NONE_BELOW) return lr_goto(b->lr, only, p->lhs);
	const lr_state *to = gotos_below(b, s, p->length, p->lhs, &n);
	return n == 1 ? *to : 0;
}

// What a state does with most of its terminals, if that is a reduction, and with which ones it does something else.
static const struct top_reduction *reduction_of(struct builder *b, lr_state s)
{
	struct top_reduction *x = &b->reduction[s];
	if (x->is_made) return x;
	uint32_t n;
	struct majority most = {0};
	const struct lr_cell *row = lr_row(&b->lr->action, s, &n);
	for (uint32_t i = 0; i < n; i++) majority_vote(&most, row[i].to);
	const uint32_t action = most.most;
	*x = (struct top_reduction){.is_made = true, .first = b->others.n};
	if (!n || action >= ACTION_SKIP || ACTION_IS_CHOICE(action) || ACTION_IS_SHIFT(action)) return x;
	x->to = left_by(b, s, &b->lr->production[action / 2 - 1]);
	for (uint32_t i = 0; i < n; i++)
		if (row[i].to != action) vec_push(&b->others, row[i].by);
	x->n = b->others.n - x->first;
	return x;
}

// The terminals of a list of cuts, into b->cut_terminals. False: one of them is ignored, or there are none.
static bool note_cuts(struct builder *b, uint32_t cuts)
{
	if (b->noted_cuts == cuts) return b->cuts_reduce;
	const struct summaries *a = &b->summaries;
	uint32_t n;
	const uint32_t *list = intern_get(&a->continuation_lists, cuts, &n);
	memset(b->cut_terminals, 0, b->lr->context_words * sizeof *b->cut_terminals);
	b->noted_cuts = cuts, b->cuts_reduce = n > 0;
	for (uint32_t i = 0; i < n / sizeof *list; i++) {
		const terminal_id t = summaries_terminal(a, list[i]);
		b->cuts_reduce &= !b->lexer->is_ignored[t];
		bits_set(b->cut_terminals, t);
	}
	return b->cuts_reduce;
}

// Where each of these cuts, but for those that end as *odd, makes the parser reduce one production first, and all
// frames that can lie there go to one place: the top that this leaves. 0: not so.
static lr_state reduced(struct builder *b, uint32_t cuts, lr_state s, terminal_id *odd)
{
	*odd = NO_TERMINAL;
	if (!note_cuts(b, cuts)) return 0;
	const struct top_reduction *x = reduction_of(b, s);
	if (!x->to) return 0;
	const bits *viable = b->lr->context + (size_t)b->lr->context_of[s] * b->lr->context_words;
	bits lacking = 0;  // no jump: several words are looked at at once
	for (uint32_t i = 0; i < b->lr->context_words; i++) lacking |= b->cut_terminals[i] & ~viable[i];
	if (lacking) return 0;
	for (uint32_t i = 0; i < x->n; i++) {
		const terminal_id t = b->others.at[x->first + i];
		if (!bits_test(b->cut_terminals, t)) continue;
		if (*odd != NO_TERMINAL) return 0;
		*odd = t;
	}
	return x->to;
}

// The start on the top behind the chain of reductions, where it asks no frames but the only ones possible. False: some.
static bool start_behind(struct builder *b, const struct inside *x, lr_state s, struct table_start *start)
{
	struct summary y;
	if (!summaries_plain_on(&b->summaries, x, s, &y) || !builder_read_below(b, &y, s)) return false;
	*start = (struct table_start){y.tokens, 0};
	return true;
}

static const struct top_start *start_on_top(struct builder *b, const struct inside *x, lr_state s, bool may_part);

// The same where cuts that end as `odd` ask nothing below s, and all others leave the top `to`. False: not so.
static bool start_apart(struct builder *b, const struct inside *x, lr_state s, lr_state to, terminal_id odd,
                        struct table_start *start)
{
	struct summaries *a = &b->summaries;
	struct parted *p = &b->parted;
	struct summary y;
	if (p->cuts != x->cuts || p->odd != odd) {
		*p = (struct parted){.cuts = x->cuts, .odd = odd};
		summaries_part(a, x->cuts, odd, &p->those, &p->others);
	}
	if (p->those.cuts == x->cuts || !summaries_plain_on(a, &p->those, s, &y) || y.items != ITEMS_NONE) return false;
	const struct top_start *others = start_on_top(b, &p->others, to, false);
	if (!others->is_known) return false;
	const set_id here = tokensets_union(b->sets, (set_id[]){x->allowed, y.tokens}, 2);
	*start = (struct table_start){tokensets_union(b->sets, (set_id[]){here, others->start.tokens}, 2), 0};
	return true;
}

// What is allowed with s on top, found where its chain of reductions ends. may_part: cuts are parted if need be.
static const struct top_start *start_on_top(struct builder *b, const struct inside *x, lr_state s, bool may_part)
{
	const uint32_t alike = x->alike + 1, mark = b->chain.n;
	lr_state top = s, to = 0;
	terminal_id odd = NO_TERMINAL;
	for (; b->on_top[top].alike != alike && (to = reduced(b, x->cuts, top, &odd)) != 0; top = to) {
		if (odd != NO_TERMINAL) break;
		b->on_top[top] = (struct top_start){.alike = alike};
		vec_push(&b->chain, top);
	}
	struct top_start *end = &b->on_top[top];
	if (end->alike != alike) {
		struct table_start start = {0};
		const bool is_known =
			(to && may_part && start_apart(b, x, top, to, odd, &start)) || start_behind(b, x, top, &start);
		*end = (struct top_start){alike, is_known, start};
	}
	while (b->chain.n > mark) b->on_top[vec_pop(&b->chain)] = *end;
	return end;
}

struct table_start builder_start_on(struct builder *b, lex_state q, lr_state s)
{
	struct summaries *a = &b->summaries;
	const struct inside *x = b->reads_below ? summaries_plain(a, q, s) : NULL;
	if (!x) return builder_start(b, summaries_start(a, q, s), s);
	const struct top_start *known = start_on_top(b, x, s, true);
	return known->is_known ? known->start : builder_start(b, summaries_start(a, q, s), s);
}
