// What the stages of the regex compiler hand to each other.
//
// term tree -> re_node (regex_tree, regex_parse, regex_class) -> nfa (regex_nfa, regex_utf8)
//   -> sparse_dfa (regex_dfa, regex_look) -> minimal (regex_min) -> byte_dfa (regex_out).
#ifndef GCDC_REGEX_INTERNAL_H
#define GCDC_REGEX_INTERNAL_H

#include "regex.h"

// Limits; messages name them.
#define REGEX_MAX_NESTING 250       // parentheses within one regex
#define REGEX_MAX_TERM_DEPTH 1000   // terminals within terminals
#define REGEX_MAX_LENGTH (1u << 20) // bytes of one regex
#define REGEX_MAX_NFA 200000u       // byte positions
#define REGEX_MAX_DFA 50000u        // before minimisation
#define REGEX_MAX_ITEMS (6u << 20)  // positions in all DFA states together
#define REGEX_MAX_WORK (16u << 20)  // positions visited and transitions minimised, per terminal
#define REGEX_MAX_TRANSITIONS (4u << 20)
#define REGEX_MAX_LAZY 200u         // alternatives that must be judged one by one
#define REGEX_MAX_LAZY_STEPS 20000u // of finding them
#define REGEX_MAX_LOOKS 64u         // lookarounds in one terminal

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
	uint32_t *slot; // number + 1, 0 = free
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
	uint32_t first_node, n_nodes; // into re_ctx.nodes; n_nodes == 0: not built yet or the empty set
	bool built;
};

enum re_kind { RE_EMPTY, RE_SET, RE_SEQ, RE_ALT, RE_REPEAT, RE_LOOK };
// What the last quantifier of a node is (regex_tree.c explains the use).
enum re_last { LAST_NONE, LAST_GREEDY, LAST_LAZY, LAST_MIXED };

struct re_node {
	enum re_kind kind;
	enum re_last last;
	bool has_lazy;
	bool lazy;             // REPEAT
	bool behind, negative; // LOOK
	uint32_t set;          // SET: index into re_ctx.sets
	uint32_t min, max;     // REPEAT; TERM_UNBOUNDED
	uint32_t look;         // LOOK: index into re_ctx.looks
	struct re_node **kids; // SEQ, ALT; REPEAT and LOOK: one
	uint32_t n_kids;
	struct loc loc;
};

// A lookaround: the automaton that watches for its body.
struct sparse_dfa;
struct re_look {
	struct re_node *body;
	bool behind, negative;
	struct loc loc;
	struct sparse_dfa *dfa; // ahead: body; behind: anything, then body
	uint32_t offset;        // ahead: its states' first number among all lookaheads' states
};

struct re_ctx {
	struct arena scratch;
	struct diag *d;
	struct regex_cache *cache;
	const struct terminal *t;
	struct loc whole; // where errors without a better place go
	bool failed;      // an error was reported; every stage checks and leaves
	bool looks_past_end;
	uint32_t lazy_steps;
	uint64_t work; // of all automata of this terminal
	VEC(struct re_set) sets;
	struct re_index set_index;
	VEC(struct re_span) nodes;   // of all sets
	VEC(struct byte_edge) edges; // of all nodes
	VEC(struct re_look) looks;
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
	uint32_t look_depth;
	struct loc base;
};
struct loc re_here(const struct re_parser *p, uint32_t from); // [from, at)
// At a '[' or an escape that is a set. Leave p after it; NULL after an error.
struct re_node *re_parse_class(struct re_parser *p);
struct re_node *re_parse_escape(struct re_parser *p);
struct re_node *re_literal(struct re_parser *p, uint32_t cp, uint32_t from);

// regex_tree.c
struct re_node *re_new(struct re_ctx *c, enum re_kind kind, struct loc loc);
struct re_node *re_new_set(struct re_ctx *c, struct cp_set s, struct loc loc);
struct re_node *re_new_list(struct re_ctx *c, enum re_kind kind, struct re_node *const *kids, uint32_t n,
                            struct loc loc);
struct re_node *re_new_repeat(struct re_ctx *c, struct re_node *kid, uint32_t min, uint32_t max, bool lazy,
                              struct loc loc);
struct re_node *re_new_look(struct re_ctx *c, struct re_node *body, bool behind, bool negative, struct loc loc);
struct re_node *re_from_term(struct re_ctx *c, const struct term *t, uint32_t depth);
// regex_lazy.c. One part of a terminal whose language is judged by itself.
struct re_part {
	struct re_node *node;
	bool lazy;
};
typedef VEC(struct re_part) re_parts;
bool re_split_lazy(struct re_ctx *c, struct re_node *root, re_parts *out);

// The NFA: ids are byte positions; a program of epsilon instructions joins them.
enum re_op { OP_SPLIT, OP_SET, OP_LOOK, OP_FAIL, OP_MATCH };
struct re_instr {
	enum re_op op;
	uint32_t x, y; // SPLIT: both; LOOK: x next, y look; SET: x next, y the root's id; MATCH: y the id
};
struct nfa_id {
	struct re_span edges;
	uint32_t base; // added to an edge's target
	uint32_t out;  // instruction to go on with after RE_DONE
	bool accept;
};
struct nfa {
	VEC(struct nfa_id) ids;
	VEC(struct re_instr) prog;
	const struct byte_edge *edges;
	uint32_t *starts; // ids, or NULL: begin at instruction `start`
	uint32_t n_starts, start;
	bool has_looks;
};
bool nfa_build(struct re_ctx *c, const struct re_node *root, struct nfa *out);
void nfa_release(struct nfa *n);

// A DFA with the edges of each state as sorted byte ranges. Start is state 0.
struct sparse_dfa {
	uint32_t n_states, n_edges;
	struct re_span *edges_of;
	struct byte_edge *edges;
	uint8_t *accept;
};
// All of these allocate in c->scratch. determinize reports limits; false then.
bool determinize(struct re_ctx *c, const struct nfa *n, struct sparse_dfa *out);
// Names the limit when c->work and `more` pass it.
bool re_within_work(struct re_ctx *c, uint64_t more);
// Trims, minimises, numbers breadth-first. n_states == 0: the empty language. false: a limit, reported.
bool minimize(struct re_ctx *c, struct sparse_dfa *a);
void dfa_stop_at_first_match(struct sparse_dfa *a);
bool dfa_unite(struct re_ctx *c, const struct sparse_dfa *parts, uint32_t n, struct sparse_dfa *out);
uint32_t sparse_step(const struct sparse_dfa *a, uint32_t s, uint8_t byte);
// Classes of bytes that act alike in every state, numbered by their first byte; returns how many.
uint32_t dfa_byte_classes(const struct sparse_dfa *a, uint8_t class_of[256]);
void dfa_output(const struct sparse_dfa *a, struct arena *arena, struct byte_dfa *out);
// node -> minimal DFA, without regard to laziness.
bool re_compile_node(struct re_ctx *c, struct re_node *node, struct sparse_dfa *out);

// regex_look.c: sets of pending lookaheads, while a determinize runs.
#define LOOK_FAIL UINT32_MAX
struct look_sets;
struct look_sets *look_sets_new(struct re_ctx *c);
void look_sets_free(struct look_sets *l);
uint32_t look_begin(struct look_sets *l, uint32_t pending, uint32_t look); // -> pending or LOOK_FAIL
uint32_t look_step(struct look_sets *l, uint32_t pending, uint8_t byte);   // -> pending or LOOK_FAIL
bool look_end(struct look_sets *l, uint32_t pending, bool *undecided);     // may a lexeme end here?
uint32_t look_pair(struct look_sets *l, uint32_t id, uint32_t pending);    // -> item
void look_unpair(const struct look_sets *l, uint32_t item, uint32_t *id, uint32_t *pending);
uint64_t look_sets_cost(const struct look_sets *l); // work and memory so far

#endif
