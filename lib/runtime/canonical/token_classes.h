// Tokens that do the same to a place of the tokenizer, whatever the place is.
#ifndef GCDC_CANONICAL_TOKEN_CLASSES_H
#define GCDC_CANONICAL_TOKEN_CLASSES_H

#include "canonical.h"

#define TOKEN_CLASSES 1024u  // tokens that would make more of them are in NO_CLASS
#define TOKEN_MAPS 512u      // of sets of states, by the characters of a token
#define NO_CLASS UINT16_MAX  // the token is looked at by itself

struct token_classes {
	uint16_t *of;                      // [n_tokens] the class, or NO_CLASS
	uint32_t n, first[TOKEN_CLASSES];  // one token of each
	bool is_begun[TOKEN_CLASSES];      // its tokens end inside a character, which is all that they differ by
	// Row: tokens behind which it still matters, for normal forms, what the character before them was. They are of
	// marks alone, or begin a character that may be one.
	uint32_t *joins;
};

// Does every place outside characters answer tokens of a class alike? Else those that are not alone there.
static inline bool place_is_plain(const struct canonical_place *p)
{
	bool plain = !p->n_live && !p->n_begun;
	for (uint32_t i = 0; i < p->n_ways; i++) plain = plain && !p->way[i].split;
	return plain;
}
// The token may go on in an added token's text or in a split that began before p, or p is inside a character.
bool token_is_alone(const struct gcdc_artifact *a, const struct canonical_place *p, uint32_t token);

// Its class where tokens of one are answered alike behind p, else NO_CLASS. is_plain: place_is_plain(p).
static inline uint32_t token_class_at(const struct gcdc_artifact *a, const struct token_classes *x,
                                      const struct canonical_place *p, bool is_plain, uint32_t token)
{
	return __builtin_expect(is_plain, 1) || !token_is_alone(a, p, token) ? x->of[token] : NO_CLASS;
}

// NULL: no memory.
struct token_classes *token_classes_new(const struct gcdc_artifact *a);
void token_classes_free(const gcdc_memory *memory, struct token_classes *x);

#endif
