// Which tokenizer a command line means.
#ifndef GCDC_CMD_TOKENIZER_PATH_H
#define GCDC_CMD_TOKENIZER_PATH_H

#include "api/provenance.h"
#include "options.h"
#include "vocab/vocab.h"

// `given`: a tokenizer.json, a folder that holds one, a .gcdv, or NULL: the one that is built in. Returns an exit code;
// on failure everything is said, on success *v is loaded. Warnings are printed.
int tokenizer_load(const char *command, const char *given, const struct vocab_options *o, struct vocab *v);
// What --eos, --no-eos and --vocab-size say, for commands that write artifacts and vocabularies: a vocabulary without
// EOS is an error there, unless it is asked for. Returns an exit code.
int tokenizer_options(const char *command, const struct token_options *eos, bool no_eos, const struct number *size,
                      struct vocab_options *o);
// The file that `given` (not NULL) means, in the arena; NULL after a message.
const char *tokenizer_file(const char *command, const char *given, struct arena *arena);
// Its files (NULL: the one that is built in) for a provenance, appended. False after a message.
bool tokenizer_provenance(const char *command, const char *path, struct arena *arena, provenance_list *files);

#endif
