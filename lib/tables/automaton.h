// The stack-reading automaton while it is built: nodes with edges apart, before they are merged and packed.
//
// Builders share what they read (lexer, LR tables, vocabulary, lines), so each may have a thread of its own;
// automaton_join then adds what one has found to another. A node is known by its items, and these by what they ask, so
// the joined automaton does not depend on who built what. The edges of a node that several have found are made by one
// (automaton_claims.c).
#ifndef GCDC_TABLES_AUTOMATON_H
#define GCDC_TABLES_AUTOMATON_H

#include "../base/digest.h"
#include "frame_sets.h"
#include "indent.h"
#include "summaries.h"

// Most frames of a node have one of a few answers: an edge for each would take five times the memory.
struct raw_target {
	set_id tokens;
	uint32_t next, n;  // so many of the node's frames
};

struct raw_node {
	uint32_t skip;
	VEC(struct raw_target) targets;  // one answer may have several
	VEC(uint16_t) frames;            // the first target's, then the next one's; each frame once, in any order
	uint32_t above;             // the last frames read before this node: what may lie below follows; of builder.frames
	struct grown_frames grown;  // more that have been met since
	uint32_t below;             // frames whose edges are made; of builder.frames
	bool queued;
	bool is_own;    // its edges are made here
	uint32_t lent;  // 1 + place in builder.lent: another builder makes them; 0: not so
};
typedef VEC(struct raw_node) raw_nodes;

// A node whose edges are made by another builder, and which node it is there.
struct lent_node {
	uint32_t node, builder, there;
};
typedef VEC(struct lent_node) lent_nodes;

// What the builders of one automaton tell one another.
struct claims;
struct claims *claims_new(uint32_t n_builders);
void claims_free(struct claims *c);

// The last start that was made on a top.
struct top_start {
	uint32_t alike;  // 1 + struct inside's; 0: none
	bool is_known;   // false: it is being made, or asks frames that may differ
	struct table_start start;
};

// What most terminals make a parser state do.
struct top_reduction {
	bool is_made;
	lr_state to;        // the top that it leaves, if it is a reduction behind which all frames go to one; else 0
	uint32_t first, n;  // the other terminals, in builder.others
};

// Cuts parted: those that end as one terminal, and the others.
struct parted {
	uint32_t cuts;
	terminal_id odd;
	struct inside those, others;
};

// A step of builder_read_below, and the tokens that it gave.
struct below_step {
	uint64_t key;  // in builder.read_below, or MAP64_NONE
	set_id tokens;
};

#define DEPTH_APART 2u  // how deep answers are looked at one by one (automaton_starts.c)

struct builder {
	const struct lexer *lexer;
	const struct lr *lr;
	struct tokensets *sets;
	struct walker whole;        // over the vocabulary
	struct walker byte_walker;  // over single bytes, when the vocabulary has all that matter
	struct viability viable;
	struct summaries summaries;
	struct map64 node_of;        // items, skip -> node
	VEC(uint32_t) node_by_list;  // [items, as they come up] node, or 0
	raw_nodes nodes;             // [0] unused
	VEC(item_list) items;        // [node]
	struct frame_sets frames;
	struct map64 below_of;  // set above, frames to skip -> set below
	VEC(uint32_t) queue;
	uint32_t state_words;
	bool reads_below;                 // frames of which all that are possible do the same are read at once
	VEC(uint32_t) starts_of_kind;     // [kind] (summaries.h) -> the first of its starts
	struct top_start *on_top;         // [lr_state]
	struct top_reduction *reduction;  // [lr_state]
	VEC(terminal_id) others;
	uint32_t noted_cuts;      // whose terminals are in cut_terminals
	bool cuts_reduce;         // none of them is ignored
	bits *cut_terminals;      // [lr.context_words]
	struct parted parted;     // the last ones
	VEC(lr_state) chain;      // scratch of builder_start_on
	frame_list below, next;   // scratch: frames so many below
	bits *is_below;           // [lr_states] and of frames; all 0 in between
	struct map64 goto_below;  // top, nonterminal, depth -> place in gotos: how many; where the frames there go
	VEC(uint32_t) gotos;      // [0] 0: too deep
	struct map64 frames_of;   // top, depth -> the frames there, in frames
	struct map64 read_below[DEPTH_APART + 1];  // [n_apart] items, frames -> tokens of all behind, or that these differ
	VEC(struct below_step) way;                // scratch of builder_read_below
	uint32_t n_apart;                          // how deep it is
	struct claims *claims;                     // NULL: it is alone
	uint32_t number;                           // among the builders
	struct arena told;                         // what others read: claims and messages
	lent_nodes lent;
	VEC(struct digest) of_remainder, of_continuation, of_list;  // [each] what it says, whoever numbers it
	VEC(uint64_t) node_words;                                   // scratch
};

// bytes: the trie of single bytes, or NULL when the vocabulary itself decides viability.
void builder_init(struct builder *b, const struct lexer *lexer, const struct lr *lr, const struct vocab *vocab,
                  const struct trie *bytes, struct tokensets *sets);
void builder_release(struct builder *b);
void raw_nodes_release(raw_nodes *nodes);
// The node of these items (none of which has `skip` frames more to pass over); made when new, without edges.
uint32_t builder_node(struct builder *b, item_list items, uint32_t skip);
// The node that asks these items; `above` are the last frames read on the ways to it. 0 when there are no items.
uint32_t builder_ask(struct builder *b, item_list items, const lr_state *above, uint32_t n);
// The frames that can lie right below s, those that are not marked in is_below yet, behind what *to holds; they are
// marked then.
void builder_add_below(struct builder *b, lr_state s, frame_list *to);
// Are most frames the only ones possible, or do they go to the same places? Then builder_read_below is worth it.
bool builder_may_read_below(struct builder *b, bool is_schema);
// Where each frame that is looked at is the only one that can lie there, or all that can do the same, the items of an
// answer on top s are asked at once. False: they are not, and x is as it was.
bool builder_read_below(struct builder *b, struct summary *x, lr_state s);
// What an answer on top s allows, and the node that asks its items.
struct table_start builder_start(struct builder *b, struct summary x, lr_state s);
// The start of tokens begun in lex_state q with s on top.
struct table_start builder_start_on(struct builder *b, lex_state q, lr_state s);
void builder_starts_release(struct builder *b);
// Which lexer states share their starts, and what each leaves out, as sets of the builder (shared_starts.c).
void builder_share_starts(struct builder *b, const struct live_pairs *live, struct shared_starts *out);
// Then, of finished tables: only tokens that some mask of the first state has are left out. top_at: [contexts + 1],
// tops by context, as starts have them.
void shared_starts_narrow(struct tables *t, const uint32_t *top_at);
// Adds edges until nothing is left to ask, here or by others so far. False when a limit is passed, see builder_limit.
bool builder_close(struct builder *b);
// The same until no builder has anything left to ask. All of them begin before any of them may end.
void builder_begin(struct builder *b);
bool builder_end(struct builder *b);
// Notes that a node is found below more frames, which another builder has packed.
void builder_come_from(struct builder *b, uint32_t node, const void *above, uint32_t len);
// Are the edges of a node made by another builder? Then that one hears of the frames.
bool builder_lends(struct builder *b, uint32_t node);
// Takes what others have told. False: nothing.
bool builder_hear(struct builder *b);
void builder_stop_all(struct builder *b);
// The name of a limit that is passed, or NULL.
const char *builder_limit(const struct builder *b);

// Adds all that `from` has to `into`, and says what its sets and nodes are there: [all of each].
void automaton_join(struct builder *into, const struct builder *from, set_id *set_to, uint32_t *node_to);

// Drops nodes that allow nothing, and moves tokens up. Adds sets.
void automaton_settle(raw_nodes *nodes, struct tables *t);
// Then merges nodes that behave alike (Moore), writes t->nodes and t->edges, renames the nodes of t->starts, and finds
// the worst cases. Frees the raw nodes. t->sets is not looked at.
void automaton_merge(raw_nodes *nodes, uint32_t n_lr_states, struct tables *t);

#endif
