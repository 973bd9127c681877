// Starts: what a lex_state allows with one lr_state on top.
//
// In:  answers (summaries.h). Out: tokens, and the node that asks for what is still open.
// Frames that are the only ones possible are read at once where nearly all are such (`reads_known`): a grammar without
// recursion needs no nodes then. There, too, tops share what they allow. When every terminal that a token may end as
// makes the parser reduce one symbol to another first, above the only frame that can lie there, the start is that of
// the top which the reduction leaves. So of n optional keys, in order, each is asked once where it is shifted, and not
// once more for each key that may stand before it. Cost: a step along the chain of reductions to the first top that
// has the answer; each top of the chain then has it.
#include "automaton.h"

#define WAYS_DOWN 8u

void builder_starts_release(struct builder *b)
{
	free(b->on_top);
	vec_release(&b->chain);
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

// Where each frame that is looked at is the only one that can lie there, the items are asked at once. False: they are
// not, and x is as it was.
static bool read_all_below(struct builder *b, struct summary *x, lr_state s)
{
	const struct lr *lr = b->lr;
	struct summary y = *x;
	while (y.items != ITEMS_NONE) {
		uint32_t skip;
		item_list items = summaries_skip(&b->summaries, y.items, &skip);
		s = only_below(lr, s, skip + 1);
		if (s == LR_NONE_BELOW) return false;
		struct summary z = summaries_read_on(&b->summaries, items, s);
		if (z.items == ITEMS_IMPOSSIBLE) z = (struct summary){SET_EMPTY, ITEMS_NONE};
		y = (struct summary){tokensets_union(b->sets, (set_id[]){y.tokens, z.tokens}, 2), z.items};
	}
	*x = y;
	return true;
}

struct table_start builder_start(struct builder *b, struct summary x, lr_state s)
{
	if (b->reads_known && x.items != ITEMS_NONE && read_all_below(b, &x, s)) return (struct table_start){x.tokens, 0};
	return (struct table_start){x.tokens, builder_ask(b, x.items, &s, 1)};
}

// Where each of these cuts makes the parser reduce one production first, above the only frame that can lie there: the
// top that this leaves. 0: not so.
static lr_state reduced(const struct builder *b, uint32_t cuts, lr_state s)
{
	const struct lr_production *p = summaries_reduce_all(&b->summaries, cuts, s);
	if (!p || p->length == 0) return 0;
	const lr_state below = only_below(b->lr, s, p->length);
	return below == LR_NONE_BELOW ? 0 : lr_goto(b->lr, below, p->lhs);
}

// The start on the top behind the chain of reductions, where it asks no frames but the only ones possible. False: some.
static bool start_behind(struct builder *b, const struct inside *x, lr_state s, struct table_start *start)
{
	struct summary y;
	if (!summaries_plain_on(&b->summaries, x, s, &y) || !read_all_below(b, &y, s)) return false;
	*start = (struct table_start){y.tokens, 0};
	return true;
}

struct table_start builder_start_on(struct builder *b, lex_state q, lr_state s)
{
	struct summaries *a = &b->summaries;
	const struct inside *x = b->reads_known ? summaries_plain(a, q, s) : NULL;
	if (!x) return builder_start(b, summaries_start(a, q, s), s);
	const uint32_t alike = x->alike + 1;
	lr_state top = s;
	vec_clear(&b->chain);
	for (lr_state to; b->on_top[top].alike != alike && (to = reduced(b, x->cuts, top)) != 0; top = to) {
		b->on_top[top] = (struct top_start){.alike = alike};
		vec_push(&b->chain, top);
	}
	struct top_start *end = &b->on_top[top];
	if (end->alike != alike) {
		struct table_start start = {0};
		const bool is_known = start_behind(b, x, top, &start);
		*end = (struct top_start){alike, is_known, start};
	}
	for (uint32_t i = 0; i < b->chain.n; i++) b->on_top[b->chain.at[i]] = *end;
	return end->is_known ? end->start : builder_start(b, summaries_start(a, q, s), s);
}
