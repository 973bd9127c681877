// The tokens of an artifact, with a trie over them; and lists of tokens.
#ifndef GCDC_CMD_TOKEN_VOCAB_H
#define GCDC_CMD_TOKEN_VOCAB_H

#include "gcdc/runtime.h"
#include "vocab/vocab.h"

typedef VEC(uint32_t) token_list;

// vocab_release frees it.
void token_vocab_of(const gcdc_artifact *artifact, struct vocab *v);

#endif
