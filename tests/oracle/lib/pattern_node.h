// The tree between pattern.c, which reads it and makes the program, and pattern_cuts.c.
#ifndef GCDC_TESTS_PATTERN_NODE_H
#define GCDC_TESTS_PATTERN_NODE_H

#include "pattern.h"

enum node_kind { NODE_SET, NODE_SEQ, NODE_ALT, NODE_REPEAT, NODE_LOOK, NODE_CUT };

struct node {
	enum node_kind kind;
	uint32_t set, min, max;
	bool lazy, behind, negative;
	uint32_t n_kids;
	struct node **kids;
};

struct reader {
	struct program *p;
	const char *at, *end;
	uint32_t flags;
	bool failed, has_looks, in_look;
	const char *why;
};

struct node *node_new(struct reader *r, enum node_kind kind);
void node_add(struct reader *r, struct node *n, struct node *kid);
// n with its cuts, given that nothing that comes after it can fail.
struct node *place_cuts(struct reader *r, struct node *n);
bool has_cut(const struct node *n);

#endif
