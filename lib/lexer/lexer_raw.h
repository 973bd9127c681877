// The lexer before minimisation; see lexer.c.
#ifndef GCDC_LEXER_LEXER_RAW_H
#define GCDC_LEXER_LEXER_RAW_H

#include "../base/intern.h"
#include "lexer.h"

typedef uint32_t thing_set;
#define SET_VIOLATED UINT32_MAX

// What a residue or a scan is made of. A *thing* is a number: first come (terminal, its DFA's state), then, for
// terminals that ask what follows, two for each state of that DFA: it must hold (even), it must not (odd).
struct things {
	const struct grammar *g;
	const struct byte_dfa *dfa;
	uint32_t n_classes;
	uint8_t class_of[256];
	uint8_t sample[256];        // a byte of each class
	uint32_t n_scan;            // things of the first kind
	uint32_t *offset;           // [n_terminals + 1] first thing of a terminal
	uint32_t *follow_offset;    // [n_terminals] of the second kind
	VEC(uint32_t) terminal_of;  // [things]
	uint8_t *can_go_on;         // [n_scan] some byte leads on
	bool has_follow;
	struct intern sets;  // thing_set -> things ascending
	VEC(uint32_t) work;  // scratch set
	VEC(uint8_t) known;  // [thing_set] is it satisfiable: enum in lexer_things.c
};

void things_init(struct things *x, const struct grammar *g, const struct byte_dfa *dfa);
void things_release(struct things *x);
const uint32_t *things_get(const struct things *x, thing_set s, uint32_t *n);
thing_set things_intern(struct things *x);  // interns x->work
bool things_has(const struct things *x, thing_set s, uint32_t thing);
// Appends to x->work where the things of a scan are after a byte of this class.
void things_push_step(struct things *x, thing_set scan, uint32_t class);
// Residues. SET_VIOLATED: no text goes on so.
thing_set residue_step(struct things *x, thing_set s, uint32_t class);
bool residue_may_end(const struct things *x, thing_set s);
bool residue_satisfiable(struct things *x, thing_set s);
// The thing that the text from here on does (not) satisfy state f of terminal t's follow_dfa.
uint32_t follow_thing(const struct things *x, terminal_id t, uint32_t f, bool must);

static inline uint32_t thing_state(const struct things *x, uint32_t thing)
{
	return thing - x->offset[x->terminal_of.at[thing]];
}
static inline uint32_t thing_follow(const struct things *x, uint32_t thing)
{
	return dfa_follow(&x->dfa[x->terminal_of.at[thing]], thing_state(x, thing));
}
static inline bool thing_unfailable(const struct things *x, uint32_t thing)
{
	return x->dfa[x->terminal_of.at[thing]].unfailable[thing_state(x, thing)];
}

// The DFAs, the newline's split by what stood since its last '\n'; (*is_line)[its state]: blanks only. NULL: no
// columns.
const struct byte_dfa *lexer_split_lines(const struct grammar *g, const struct byte_dfa *dfa, struct arena *arena,
                                         const uint8_t **is_line);
// After minimisation; fills what x says of lines. False with an error when columns cannot be spelled, or not be left.
// dfa, is_line: of lexer_split_lines.
bool lexer_check_lines(const struct grammar *g, const struct byte_dfa *dfa, const uint8_t *is_line, struct diag *d,
                       struct lexer *x);

// Merges lex_states and residues that behave alike, jointly; numbers them breadth-first; fills the rest of *x.
// On entry *x holds raw tables with the same meaning in `next`, `info`, `start`, `initial`.
void lexer_minimise(struct lexer *x, struct arena *arena);
// Fills x->chains. (lexer_chains.c)
void lexer_find_chains(struct lexer *x, struct arena *arena);
// The most readings that one text can have at once; LEXER_MAX_THREADS + 1 when it is more than the limit.
uint32_t lexer_count_threads(const struct lexer *x, const struct lexer_context_map *m);

#endif
