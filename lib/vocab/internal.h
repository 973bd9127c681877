// Shared by the files of this module only: the last step of every way to make a vocabulary, small helpers.
#ifndef GCDC_VOCAB_INTERNAL_H
#define GCDC_VOCAB_INTERNAL_H

#include "vocab.h"

#define VOCAB_MAX_FILE ((size_t)256 << 20)  // bytes of a tokenizer.json or .gcdv

// All that walks want to know of the trie besides, in v's arena; it is as vocab_check wants it. (trie_rows.c)
void trie_describe(struct vocab *v);
// n_tokens, offset, bytes, kind and eos are there (in v->arena); makes ranks, trie, max_token_len and hash.
void vocab_finish(struct vocab *v);
void vocab_hash_of(const struct vocab *v, uint64_t hash[2]);
// "…/tokenizer-llama3/models/tokenizer.json" -> "llama3"; in v->arena.
void vocab_set_name(struct vocab *v, const char *path);
// Overrides EOS and size of a vocabulary that is already whole; v is rebuilt when that changes it.
bool vocab_override(const struct vocab_options *o, struct diag *d, struct vocab *v);
// v's list of special and added tokens, with their names, in the arena; room for `more` behind them.
struct vocab_added *vocab_copy_added(const struct vocab *v, uint32_t more, struct arena *a);
// Sorts eos[n], drops duplicates, returns the number left.
uint32_t vocab_sort_eos(uint32_t *eos, uint32_t n);

// The whole file, NUL-terminated, malloc'd; NULL with an error in diag when it cannot be read or is too big.
char *vocab_read_file(const char *path, struct diag *d, size_t *len);
// Maps the file; v->mapping is set.
bool gcdv_map(const char *path, struct diag *d, struct vocab *v);
#define gcdv_is vocab_is_compiled

#endif
