// Are two positions the same thing?
//
// In:  two positions of one matcher. Out: whether everything that can follow one can follow the other, as far as that is
//      seen by comparing them piece by piece: "no" may be said of equal ones, "yes" never of others.
// A search over tokens that comes back to a position it has come through learns nothing there (matcher_sets.c). Frames are
// not unique by what they hold, so stacks are compared frame by frame, down to the part they share. Of frames that stand on
// several, the lists are compared in order, SAME_NESTING deep.
// Cost: the frames above the shared ones; mostly the first look tells.
#include "matcher_step.h"

#define SAME_NESTING 8u   // lists of frames below, one inside the other

static bool same_stack(const struct frame_pool *p, uint32_t a, uint32_t b, uint32_t nesting)
{
	for (; a != b; a = p->at[a].parent, b = p->at[b].parent) {
		const struct frame *x = &p->at[a], *y = &p->at[b];
		if (!a || !b || x->lr_state != y->lr_state || x->depth != y->depth) return false;
		if (!((x->parent | y->parent) & FRAME_LIST)) continue;
		if (!(x->parent & y->parent & FRAME_LIST) || nesting == SAME_NESTING) return false;
		uint32_t i = x->parent & ~FRAME_LIST, k = y->parent & ~FRAME_LIST;
		while (i && k) {
			if (!same_stack(p, p->at[i].parent, p->at[k].parent, nesting + 1)) return false;
			i = p->at[i].lr_state & ~FRAME_CELL;
			k = p->at[k].lr_state & ~FRAME_CELL;
		}
		return i == k;
	}
	return true;
}

bool position_same(const struct gcdc_matcher *m, const struct position *a, const struct position *b)
{
	if (a->n != b->n || a->terminated != b->terminated || a->column != b->column) return false;
	for (uint32_t i = 0; i < a->n; i++) {
		const struct reading *x = &a->at[i], *y = &b->at[i];
		bool same_group = !i || (x->group == x[-1].group) == (y->group == y[-1].group);
		if (x->lex_state != y->lex_state || !same_group) return false;
	}
	for (uint32_t i = 0; i < a->n; i++) {
		const struct reading *x = &a->at[i], *y = &b->at[i];
		if (!same_stack(m->pool, x->frame, y->frame, 0) || !same_stack(m->pool, x->columns, y->columns, 0)) return false;
	}
	return true;
}
