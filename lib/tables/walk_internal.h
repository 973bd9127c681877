// Shared by walk.c and walk_template.c.
#ifndef GCDC_TABLES_WALK_INTERNAL_H
#define GCDC_TABLES_WALK_INTERNAL_H

#include "../base/sort.h"
#include "walk.h"

#define MOVE_ANY UINT32_MAX

// Tokens that do one thing, from a state that moved along its chain by less than `limit`.
struct template_group {
	uint32_t what;      // a place of the chain (lexer.h), which moves along; a lex_state; a cut key
	uint32_t limit;     // MOVE_ANY: however far
	uint32_t first, n;  // cuts: trie nodes, ascending, in `nodes`
	set_id tokens;      // else
};

// Where the walk from the first state does not tell what one does that moved by [from, to): the trie nodes, ascending.
struct template_gap {
	uint32_t from, to;
	uint32_t place;  // of the state before the node's byte
	trie_node node;
};

struct walk_template {
	uint32_t limit;             // states that moved by less: `inside`
	struct outcomes inside;     // of the first state
	bool is_full;               // what follows is there
	uint32_t n_moved, n_stays;  // groups: of places, of lex_states; then of cut keys
	VEC(struct template_group) groups;
	VEC(trie_node) nodes;
	VEC(struct template_gap) gaps;  // by `from`
};

// The nodes first..stop, which are whole subtrees, from `at`, into w->found. (walk.c)
void walker_walk(struct walker *w, lex_state at, trie_node first, trie_node stop);
// What lies below a trie's root, of what `at` is behind its byte; until the next call. (walk.c)
const struct walk_fragment *walker_fragment(struct walker *w, lex_state at, trie_node root);
// Adds a piece's ranges to *out, behind what is there. (walk.c)
void walker_piece_ranges(const struct walker *w, const struct walk_piece *piece, rank_ranges *out);
// The set of what a walk has found for a state; SET_EMPTY where sets are not wanted. Clears it. (walk.c)
set_id walker_take(struct walker *w, rank_ranges *found);
// Where a path through a chain leads: to a place, or out of it to a lex_state; and how far it holds.
struct chain_point {
	bool moves;   // in the chain
	uint32_t at;  // place, or lex_state
	uint32_t limit;
};
// Such a point, and where each character of some kinds leads from there.
struct chain_step {
	struct chain_point here;
	uint64_t known;           // kinds that were asked for
	uint64_t leads;           // kinds (shared/utf8_kinds.h) of which each character leads to the next point
	uint64_t dies;            // of which each leads nowhere
	struct chain_point then;  // limit 0: not known yet
	uint32_t holds;           // links for which all bytes that were read do alike
	uint32_t next;            // the step there; UINT32_MAX: not asked for yet
	uint32_t group;           // of tokens that end here; UINT32_MAX: none yet
};
struct chain_steps {
	uint32_t length;      // places of the stretch
	struct map64 number;  // point -> at
	VEC(struct chain_step) at;
};
// The step of a point; made when it is first asked for. (walk_chars.c)
uint32_t chain_step(struct chain_steps *steps, struct chain_point here);
// Do all characters of these kinds lead to one point, or all nowhere? (walk_chars.c)
enum chain_fate { CHAIN_DIFFERS, CHAIN_LEADS, CHAIN_DIES };
enum chain_fate chain_fate(const struct walker *w, struct chain_steps *steps, uint32_t step, uint64_t kinds);
// The step there, behind one that leads on. (walk_chars.c)
uint32_t chain_next(struct chain_steps *steps, uint32_t step);
// Does nothing go on where the path to a byte does not hold, for states moved by [from, to)? (walk_template.c)
bool chain_ends(const struct walker *w, uint32_t place, uint32_t class, uint32_t from, uint32_t to);
// Can a lexeme begin with a byte of this class behind the cut, whatever the parser wants?
static inline bool walker_may_begin(const struct walker *w, uint32_t cut_key, uint32_t class)
{
	return bits_test(w->begins + (size_t)cut_key * WALK_CLASS_WORDS, class);
}
// The cut before these nodes, which ascend and may repeat. (walk.c)
struct outcome_cut walker_cut(struct walker *w, uint32_t key, const trie_node *nodes, uint32_t n);
// The first bytes of characters, one for each kind and byte class. (walk_pass.c)
void walker_find_first_bytes(struct walker *w);
// What walks may pass over from each state. (walk_pass.c)
void walker_find_keeps(struct walker *w);
// Do all tokens below the node, where a character begins, end in this state's class, whatever comes before?
static inline bool walker_passes(const struct walker *w, lex_state s, trie_node n, const struct trie_row *row)
{
	return w->keeps && row->end > n + 1 && !(row->byte_root_below & TRIE_ROW_BELOW & ~w->keeps[s]);
}
// What a source knows of the template that begins at place `first`, not full. False: nothing. (walk.c)
bool walker_learned_template(struct walker *w, uint32_t first, remainder_id remainder, struct walk_template *t);

// What the state at `place`, which is in a stretch, does with a rest, when the stretch's template tells.
// (walk_template.c)
bool walker_inside_template(struct walker *w, uint32_t place, remainder_id remainder, struct outcomes *o);
// And when it does not: what the template tells, and walks for the rest. (walk_template.c)
struct outcomes walker_beyond_template(struct walker *w, uint32_t place, remainder_id remainder);
void walk_template_release(struct walk_template *t);

#endif
