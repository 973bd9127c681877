// What a text needs at most to end, for hard masks under budgets that are far away: pack_bound.c and its stages.
#ifndef GCDC_COMPILE_BOUND_H
#define GCDC_COMPILE_BOUND_H

#include "../base/intern.h"
#include "../base/map64.h"
#include "../lexer/lexer.h"
#include "../lr/lr.h"
#include "../vocab/vocab.h"
#include "../writer/artifact_image.h"

// Where lexing may begin behind a terminal with an obligation, in any context that it leads to. (bound_ends.c)
struct next_starts {
	const struct lexer *lexer;
	uint32_t context_words;
	bits *after;         // [terminal * context_words] contexts behind it
	struct map64 known;  // terminal, obligation -> index in starts: how many, then they
	VEC(lex_state) starts;
};
void next_starts_open(const struct lexer *lexer, const struct lr *lr, struct next_starts *x);
void next_starts_release(struct next_starts *x);
const lex_state *next_starts_of(struct next_starts *x, terminal_id t, uint32_t obligation, uint32_t *n);
// [n_tokens] how many lexemes that are not ignored each may end, 255: as many or more. Returns the same of a blank and
// a character.
uint32_t bound_ends(struct next_starts *starts, const struct vocab *v, uint8_t *of_token);

#define ASCII 128u
// Of which bytes texts are made that end the text: has. What must not stand together: not_then[x][y], as bits.
struct bound_bytes {
	bool has[ASCII], has_pairs;
	bits not_then[ASCII][BITS_WORDS(ASCII)];
};

// By pairs where an added token's text allows that, else by bytes. False: such a text is not known.
bool spelling_find(const struct vocab *v, bool by_pairs, struct bound_bytes *s);
// Does no lexeme begin with the second byte of a pair right behind one that ends with the first?
bool spelling_keeps_apart(const struct lexer *lexer, const struct bound_bytes *s, struct next_starts *starts);
// What such bytes do to lexemes, from each state between characters: can each end by them as whatever it can end by
// any? Then they spell a text wherever there is one: end by end, the same terminals and obligations. As soon as by the
// bytes without regard to pairs, of which costs are solved?
struct spelled {
	bool all, as_soon;
};

struct spelled spelling_of_lexemes(const struct artifact_image *m, const struct bound_bytes *s, const bits *between);

#endif
