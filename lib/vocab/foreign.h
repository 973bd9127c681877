// Vocabularies from files other than tokenizer.json. (foreign.c)
#ifndef GCDC_VOCAB_FOREIGN_H
#define GCDC_VOCAB_FOREIGN_H

#include "internal.h"

enum foreign_kind { FOREIGN_NONE, FOREIGN_SENTENCEPIECE, FOREIGN_TEKKEN, FOREIGN_TIKTOKEN };
struct raw_bytes {
	uint8_t *at;
	uint32_t n, cap;
};  // a VEC with a name

#define FOREIGN_HEAD 512u
// By the first FOREIGN_HEAD bytes of a file.
enum foreign_kind foreign_kind(const void *head, size_t len);
// source->text is the whole file, NUL-terminated. On false d holds at least one error.
bool foreign_load(enum foreign_kind kind, const struct source *source, const struct vocab_options *o, struct diag *d,
                  struct vocab *v);

#endif
