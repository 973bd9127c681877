// Random Lark grammars and vocabularies that are small and nasty, in a form that can be made smaller.
#ifndef GCDC_TESTS_RANDOM_H
#define GCDC_TESTS_RANDOM_H

#include "oracle.h"

struct rng {
	uint64_t x;
};
uint64_t rng_next(struct rng *r);
static inline uint32_t rng_below(struct rng *r, uint32_t n) { return (uint32_t)(rng_next(r) % n); }
static inline bool rng_percent(struct rng *r, uint32_t p) { return rng_below(r, 100) < p; }

// One definition of a Lark file: "head: alternative | alternative", or "%ignore NAME" (no alternatives).
struct lark_line {
	const char *head;
	struct lark_alternative {
		const char *symbols[8];
		uint32_t n_symbols;
		bool is_dropped;
	} alternatives[6];
	uint32_t n_alternatives;
	bool is_dropped;
};

// What is hard about a grammar. KIND_ANY: drawn by random_kind.
enum random_kind {
	KIND_ANY,
	KIND_MIXED,
	KIND_AMBIGUOUS,
	KIND_LOOK_TWO,
	KIND_PALINDROME,
	KIND_RIGHT,
	KIND_LEFT,
	KIND_HIDDEN_LEFT,
	KIND_NULLABLE,
	KIND_CYCLIC,
	KIND_COMPETING,
	KIND_IGNORED,
	KIND_LOOKAROUND,
	KIND_INDENT,
	KIND_PARSES,
	KIND_INDENT_PARSES,
	KIND_BRACKETS,
	KIND_BLANKS,  // drawn by name alone
	N_KINDS
};
extern const char *const random_kind_names[N_KINDS];
enum random_kind random_kind_named(const char *name);  // KIND_ANY: none is called so
static inline bool kind_is_indent(enum random_kind k) { return k == KIND_INDENT || k == KIND_INDENT_PARSES; }
// Do its skeletons name terminals of its themes?
static inline bool kind_names_terminals(enum random_kind k) { return kind_is_indent(k) || k >= KIND_BRACKETS; }

struct lark {
	struct arena arena;
	enum random_kind kind;
	VEC(struct lark_line) lines;
	const char *alphabet;  // the bytes that its terminals are about
};

// Terminals that get in each other's way.
struct random_theme {
	const char *alphabet;
	const char *terminals[8];  // "NAME: pattern"
	const char *ignored;       // or NULL; defined and ignored in most of the grammars
};

// random_kinds.c. NULL: nothing of its own for this kind.
enum random_kind random_kind(struct rng *r);
const struct random_theme *random_theme(struct rng *r, enum random_kind kind);
const char *random_skeleton(struct rng *r, enum random_kind kind);

// l->kind says which, the rest is filled in; l->kind is then the kind that was drawn.
void random_grammar(struct rng *r, struct lark *l);
char *lark_text(const struct lark *l, struct arena *arena);
void lark_release(struct lark *l);

struct word {
	uint8_t bytes[24];
	uint32_t len;
	bool is_dropped;
};
// Tokens as text; the vocabulary has two control tokens before them, the first is EOS, and one EOS after them.
struct words {
	VEC(struct word) at;
	bool has_two_eos;
};
void random_words(struct rng *r, const struct lark *l, const struct grammar *g, struct words *w);
void words_vocab(const struct words *w, struct vocab *v);

#endif
