// What the stages of the regex compiler hand to each other.
//
// term tree -> re_node (regex_tree, regex_parse, regex_class) -> nfa (regex_nfa, regex_utf8)
//   -> sparse_dfa (regex_dfa, regex_follow, regex_behind) -> minimal (regex_min) -> byte_dfa (regex_out).
#ifndef GCDC_REGEX_INTERNAL_H
#define GCDC_REGEX_INTERNAL_H

#include "../base/bitset.h"
#include "../base/intern.h"
#include "../shared/control.h"
#include "regex.h"

// Limits; messages name them.
#define REGEX_MAX_NESTING 250        // parentheses within one regex
#define REGEX_MAX_TERM_DEPTH 1000    // terminals within terminals
#define REGEX_MAX_LENGTH (1u << 20)  // bytes of one regex
#define REGEX_MAX_NFA 200000u        // byte positions
#define REGEX_MAX_DFA 180000u        // before minimisation
#define REGEX_MAX_ITEMS (6u << 20)   // positions in all DFA states together
#define REGEX_MAX_WORK (32u << 20)   // positions visited and transitions minimised, per terminal
#define REGEX_MAX_TRANSITIONS (4u << 20)
#define REGEX_MAX_LAZY 200u          // alternatives that must be judged one by one
#define REGEX_MAX_LAZY_STEPS 20000u  // of finding them
#define REGEX_MAX_LOOKS 64u          // different lookarounds in one terminal
#define REGEX_MAX_BEHIND 5000u       // states that its lookbehinds take together
#define REGEX_MAX_FOLLOW 20000u      // states that what must follow takes, before minimisation

#define MAX_CODE_POINT 0x10FFFFu

// A set of code points: sorted, disjoint, not adjacent; never a surrogate once finished.
struct cp_range {
	uint32_t lo, hi;
};
struct cp_set {
	struct cp_range *at;
	uint32_t n;
};
typedef VEC(struct cp_range) cp_ranges;

// regex_set.c. Sorts, joins, removes surrogates; the result lives in the arena. The vector is left as scratch.
struct cp_set cp_finish(struct arena *a, cp_ranges *r);
struct cp_set cp_complement(struct arena *a, struct cp_set s);
void cp_add(cp_ranges *r, uint32_t lo, uint32_t hi);
void cp_add_set(cp_ranges *r, struct cp_set s);

// An open-addressed index of numbers; the caller says what each number's content is.
struct re_index {
	uint32_t *slot;  // number + 1, 0 = free
	uint64_t *hash;
	uint32_t cap, n;
};
typedef bool re_same(const void *side, uint32_t number);
// The number whose content is `side`'s, or UINT32_MAX after noting that `fresh` will be it.
uint32_t re_index_get(struct re_index *ix, uint64_t hash, re_same *same, const void *side, uint32_t fresh);
void re_index_release(struct re_index *ix);
uint64_t re_hash(const void *bytes, size_t len);

// The byte automaton of one code point set: nodes in which every edge leads to a later-built node or, with
// the last byte, out (RE_DONE). The root is the last node. See regex_utf8.c.
#define RE_DONE UINT32_MAX
struct byte_edge {
	uint32_t to;
	uint8_t lo, hi;
};
struct re_span {
	uint32_t first, n;
};
struct re_set {
	struct cp_set cps;
	uint32_t first_node, n_nodes;  // into re_ctx.nodes; n_nodes == 0: not built yet or the empty set
	bool built;
};

enum re_kind { RE_EMPTY, RE_SET, RE_SEQ, RE_ALT, RE_REPEAT, RE_LOOK, RE_CUT };
// What the last quantifier of a node is (regex_tree.c explains the use).
enum re_last { LAST_NONE, LAST_GREEDY, LAST_LAZY, LAST_MIXED };

struct re_node {
	enum re_kind kind;
	enum re_last last;
	bool has_lazy;
	bool optional;          // matches the empty text, whatever is around: it cannot fail
	bool lazy;              // REPEAT
	bool behind, negative;  // LOOK
	uint32_t set;           // SET: index into re_ctx.sets
	uint32_t min, max;      // REPEAT; TERM_UNBOUNDED
	uint32_t look;          // LOOK: index into re_ctx.looks
	struct re_node **kids;  // SEQ, ALT; REPEAT, LOOK and CUT: one
	uint32_t n_kids;
	struct loc loc;
	struct re_node *placed;  // the same with cuts in it, once made (regex_lazy.c)
	bool whole;              // CUT: an alternative of the whole terminal
	struct sparse_dfa *dfa;  // CUT: the matches of its member that count; NULL: not compiled yet
	uint32_t first_edge;     // CUT: where re_ctx.edges has its edges
};

// A lookaround, of either sign: the automaton that watches for its body.
struct sparse_dfa;
struct re_look {
	struct re_node *body;
	bool behind;
	struct loc loc;
	struct sparse_dfa *dfa;  // ahead: body; behind: anything, then body. NULL: not compiled yet
};

// All lookbehinds of a terminal, run together over the whole text before. State 0: the text's start.
struct re_observer {
	uint32_t n;  // 1 when there are no lookbehinds; then there is nothing else
	uint32_t n_intervals;
	uint8_t interval_of[256];
	uint32_t *next;    // [n * n_intervals] or DFA_DEAD
	uint64_t *holds;   // [n] bit k: the body of lookbehind k ends here
	uint8_t *between;  // [n] between code points: a lexeme may begin here
};

struct re_ctx {
	struct arena scratch;
	struct diag *d;
	struct regex_cache *cache;
	const struct terminal *t;
	struct loc whole;  // where errors without a better place go
	bool failed;       // an error was reported; every stage checks and leaves
	uint32_t lazy_steps, n_cuts;
	uint64_t work;  // of all automata of this terminal
	VEC(struct re_set) sets;
	struct re_index set_index;
	VEC(struct re_span) nodes;    // of all sets
	VEC(struct byte_edge) edges;  // of all nodes
	VEC(struct re_look) looks;
	struct re_observer observer;
	struct intern follow;  // obligations, see regex_follow.c
};

void re_error(struct re_ctx *c, struct loc loc, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

// regex_set.c, regex_utf8.c
uint32_t re_set_intern(struct re_ctx *c, struct cp_set s);
void re_set_build(struct re_ctx *c, uint32_t set);
size_t utf8_encode(uint32_t cp, uint8_t out[4]);
// Decodes one code point of valid UTF-8; 0 when the bytes are not valid.
uint32_t utf8_decode(const char *s, size_t len, uint32_t *cp);
#define UTF8_POSITIONS 8
#define UTF8_BAD 255
// Where a reader of UTF-8 stands after `byte` in position p; 0 = between code points.
uint8_t utf8_step(uint8_t p, uint8_t byte);

// regex_unicode.c. Sets that PCRE2 knows; they live as long as the cache.
// All code points that match the class body (as inside [...]); false: PCRE2 refuses it, *error says why.
bool unicode_class(struct regex_cache *k, const char *body, struct cp_set *out, char error[128]);
// s and all that differ from its members in simple case only.
struct cp_set unicode_fold(struct regex_cache *k, struct arena *a, struct cp_set s, bool ascii_only);

// regex_judge.c: PCRE2 must accept the pattern; reports and returns false when it does not.
bool re_judge(struct re_ctx *c, const char *text, uint32_t len, uint32_t flags, struct loc text_loc);

// regex_parse.c, regex_class.c
struct re_node *re_parse(struct re_ctx *c, const char *text, uint32_t len, uint32_t flags, struct loc text_loc);
struct re_parser {
	struct re_ctx *c;
	const char *text;
	uint32_t at, len;
	uint32_t flags;
	uint32_t depth;
	bool in_behind;
	struct loc base;
};
struct loc re_here(const struct re_parser *p, uint32_t from);  // [from, at)
// At a '[' or an escape that is a set. Leave p after it; NULL after an error.
struct re_node *re_parse_class(struct re_parser *p);
struct re_node *re_parse_escape(struct re_parser *p);
struct re_node *re_literal(struct re_parser *p, uint32_t cp, uint32_t from);
// regex_anchor.c: ^ $ \A \Z \b \B, by their character. p stands after it.
struct re_node *re_anchor(struct re_parser *p, char which, uint32_t from);
struct cp_set re_word_set(struct re_parser *p);  // \w

// regex_tree.c
struct re_node *re_new(struct re_ctx *c, enum re_kind kind, struct loc loc);
struct re_node *re_new_set(struct re_ctx *c, struct cp_set s, struct loc loc);
struct re_node *re_new_list(struct re_ctx *c, enum re_kind kind, struct re_node *const *kids, uint32_t n,
                            struct loc loc);
struct re_node *re_new_repeat(struct re_ctx *c, struct re_node *kid, uint32_t min, uint32_t max, bool lazy,
                              struct loc loc);
struct re_node *re_new_look(struct re_ctx *c, struct re_node *body, bool behind, bool negative, struct loc loc);
struct re_node *re_from_term(struct re_ctx *c, const struct term *t, uint32_t depth);
// regex_lazy.c. The tree with RE_CUT around each part that ends at its first match; NULL after an error.
struct re_node *re_place_cuts(struct re_ctx *c, struct re_node *root);

// The NFA: ids are byte positions; a program of epsilon instructions joins them.
enum re_op { OP_SPLIT, OP_SET, OP_CUT, OP_LOOK, OP_FAIL, OP_MATCH };
struct re_instr {
	enum re_op op;
	uint32_t x, y;  // SPLIT: both; LOOK: x next, y look * 2 + negative; SET: x next, y the root's id; MATCH: y the id;
					// CUT: x its first id, y index into nfa.cuts
};
struct nfa_id {
	struct re_span edges;
	uint32_t base;    // added to an edge's target
	uint32_t out;     // instruction to go on with after RE_DONE
	uint32_t accept;  // what must follow: FOLLOW_NEVER where nothing ends
	uint32_t leave;   // the same for going on with `out` without a byte (cuts)
	uint32_t chain;   // index into nfa.chains + 1, or 0
};
// Copies of a part, the last one first: `size` ids each. A thread in one copy takes all texts that a thread at the same
// place of another one takes. Of x?x?x?... and the x before them the first copy takes most, of xxx before the tail the
// last one.
struct nfa_chain {
	uint32_t first, size, copies;
	uint32_t places;  // of the chains before it, together
	bool is_last_most;
};
struct nfa {
	VEC(struct nfa_id) ids;
	VEC(struct re_instr) prog;
	const struct byte_edge *edges;
	VEC(const struct sparse_dfa *) cuts;
	VEC(struct nfa_chain) chains;
	uint32_t n_places;      // in a copy, of all chains
	uint32_t start, match;  // instructions
	// The ids of a last part that takes any text, [\s\S]*: what else may be at such a place takes no other texts.
	uint32_t tail, n_tail;
	uint32_t tail_loop;  // the instruction that it begins at, + 1
	bool has_looks, uses_behind;
	bool ordered;  // threads have priorities, as in a backtracking engine: a match ends those after it
};
bool nfa_build(struct re_ctx *c, struct re_node *root, struct nfa *out);
void nfa_release(struct nfa *n);

// A DFA with the edges of each state as sorted byte ranges.
struct sparse_dfa {
	uint32_t n_states, n_edges;
	struct re_span *edges_of;
	struct byte_edge *edges;
	uint32_t *accept;  // [n_states] what must follow a lexeme that ends here
	uint32_t *starts;  // [observer.n] by what stood before; DFA_DEAD: nothing begins here
	uint32_t n_starts;
	bool uses_behind;  // the starts differ, or may
};
// All of these allocate in c->scratch. determinize reports limits; false then.
bool determinize(struct re_ctx *c, const struct nfa *n, struct sparse_dfa *out);
// Names the limit when c->work and `more` pass it.
bool re_within_work(struct re_ctx *c, uint64_t more);
// Trims, minimises, numbers breadth-first. n_states == 0: the empty language. false: a limit, reported.
bool minimize(struct re_ctx *c, struct sparse_dfa *a);
// regex_stop.c
bool dfa_stop_at_first_match(struct re_ctx *c, struct sparse_dfa *a);
uint32_t sparse_step(const struct sparse_dfa *a, uint32_t s, uint8_t byte);
// Classes of bytes that act alike in every state, numbered by their first byte; returns how many.
uint32_t dfa_byte_classes(const struct sparse_dfa *a, uint8_t class_of[256]);
// Adds the bytes at which some edge begins or has ended.
void dfa_bounds(const struct sparse_dfa *a, bits bounds[5]);
// regex_out.c; out->after must be there. false: a limit, reported.
bool dfa_output(struct re_ctx *c, const struct sparse_dfa *a, struct arena *arena, struct byte_dfa *out);
bool dfa_find_unfailable(struct re_ctx *c, struct byte_dfa *a);  // regex_unfailable.c
struct dense_table {
	const uint32_t *next;  // [n * n_intervals]
	uint32_t n, n_intervals;
	const uint8_t *interval_of;  // [256]
};
// Byte classes of a dense table, and the table by class.
uint32_t *dense_output(struct arena *arena, const struct dense_table *t, uint8_t class_of[256], uint32_t *n_classes);
// node -> minimal DFA; of laziness only what RE_CUT says.
bool re_compile_node(struct re_ctx *c, struct re_node *node, struct sparse_dfa *out);
bool re_compile_looks(struct re_ctx *c);  // before re_compile_node, when the tree looks around
void re_ctx_release(struct re_ctx *c);
bool re_compile_cut(struct re_ctx *c, struct re_node *cut);  // fills in dfa and first_edge, unless they are there

// regex_follow.c: what must follow, as formulas over places in lookaheads' automata, interned in c->follow.
void follow_init(struct re_ctx *c);
uint32_t follow_begin(struct re_ctx *c, uint32_t look, bool negative, uint32_t observed);
uint32_t follow_step(struct re_ctx *c, uint32_t f, uint8_t byte);
bool follow_at_end(const struct re_ctx *c, uint32_t f);
uint32_t follow_both(struct re_ctx *c, uint32_t f, uint32_t g);
uint32_t follow_either(struct re_ctx *c, const uint32_t *of, uint32_t n);
uint32_t follow_not(struct re_ctx *c, uint32_t f);
void follow_bounds(const struct re_ctx *c, bits bounds[5]);  // bytes that a step can tell apart
// regex_follow_dfa.c: the formulas that a's states accept with, as one DFA; a->accept becomes its states.
bool follow_finish(struct re_ctx *c, struct sparse_dfa *a, struct arena *arena, struct follow_dfa *out);

// regex_count.c: a repetition that can be counted; the automata of what stands before it, of one, of what is behind.
struct re_count {
	struct re_node *node;
	struct sparse_dfa part[3];
	bool has_before;
	uint32_t place, most;  // see regex_compile_counted
	bool is_shared;
};
typedef VEC(uint32_t) regex_words;
void re_put_automaton(const struct sparse_dfa *a, regex_words *out);  // words that only equal ones have
// Is there one with at least so many optional ones?
bool re_count_find(struct re_ctx *c, struct re_node *root, uint32_t least_more, struct re_count *out);
bool re_count_is_string(const struct re_count *x);  // a string of JSON, of any characters of some kind
bool re_count_states(const struct re_count *x, struct arena *arena, const struct byte_dfa *whole,
                     struct dfa_counter *out);

// regex_string.c: a TERM_STRING.
struct term *re_string_spelled(const struct term *t, struct arena *arena);  // as a TERM_AUTOMATON
bool re_string_find(const struct term *t, struct string_count *out);        // can its characters be counted?
// whole: the automaton with fewer characters.
uint32_t re_string_shared(const struct term *t, uint32_t needs[STRING_NEEDS]);  // language_shares
// All states behind the opening quote count: a step that ends a character leads to a pair's `to`, which is its `from`.
bool re_string_share(struct arena *arena, const struct byte_dfa *whole, struct dfa_counter *out);
bool re_string_count(const struct term *t, uint32_t place, struct arena *arena, const struct byte_dfa *whole,
                     struct dfa_counter *out);

// regex_behind.c
bool observer_build(struct re_ctx *c);
static inline uint32_t observer_step(const struct re_observer *o, uint32_t at, uint8_t byte)
{
	return at == DFA_DEAD || !o->next ? at : o->next[(size_t)at * o->n_intervals + o->interval_of[byte]];
}
// What a terminal needs of the observer, given its start for each of the observer's states.
void observer_output(struct re_ctx *c, const uint32_t *starts, struct arena *arena, struct observer_dfa *out);
// Starts bounds[] with the bytes that valid UTF-8 tells apart.
void utf8_bounds(bits bounds[5]);
// Numbers the intervals between bounds; returns how many. first[] holds the first byte of each.
uint32_t number_intervals(const bits bounds[5], uint8_t interval_of[256], uint8_t first[256]);

// A terminal that counts tokens. (regex_tokens.c)
bool re_compile_tokens(const struct terminal *t, struct regex_cache *cache, struct arena *arena, struct diag *d,
                       struct byte_dfa *out);
// One that ends where a token does. (regex_whole_tokens.c)
bool re_compile_whole_tokens(const struct terminal *t, struct regex_cache *cache, struct arena *arena, struct diag *d,
                             struct byte_dfa *out);

#endif
