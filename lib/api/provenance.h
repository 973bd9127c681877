// What an artifact was made from, as a text inside it (formats/artifact.md, 6).
#ifndef GCDC_API_PROVENANCE_H
#define GCDC_API_PROVENANCE_H

#include <stdbool.h>

#include "../base/sha256.h"
#include "../grammar/grammar.h"
#include "../vocab/vocab.h"

enum provenance_role { ROLE_GRAMMAR, ROLE_TOKENIZER };
struct provenance_file {
	enum provenance_role role;
	const char *name;  // without folders
	char sha256[SHA256_HEX];
};
typedef VEC(struct provenance_file) provenance_list;

// A tokenizer's files, by path (NULL: the one that is built in), appended. False with an error in d.
bool provenance_tokenizer(const char *path, struct arena *a, provenance_list *files, struct diag *d);
// One file, whose bytes are these, appended.
void provenance_file(enum provenance_role role, const char *path, const void *bytes, size_t len, struct arena *a,
                     provenance_list *files);
// A grammar's files, each once, appended.
void provenance_grammar(const source_list *sources, struct arena *a, provenance_list *files);

// A vocabulary's origin (formats/vocab.md, ORIGIN): its files, and the options in lines.
const char *provenance_origin(struct arena *a, const provenance_list *files, const char *options);
// The reverse: files appended, options' lines returned.
const char *provenance_read_origin(struct arena *a, const char *origin, provenance_list *files);

// The document. zstd: its version.
const char *provenance_write(struct arena *a, const provenance_list *files, const char *options, const char *zstd);

struct provenance {
	const char *text;  // the document
	provenance_list files;
	const char *options;  // lines
	const char *version, *zstd;
};
// From an artifact's file, which has been opened without complaint before. False when it has none, or a damaged one:
// then *wrong says how.
bool provenance_read(const char *path, struct arena *a, struct provenance *p, const char **wrong);
// The value of "--name VALUE" among lines of options, or NULL; `from` (may be NULL) is where to begin, and is moved
// behind it.
const char *provenance_option(struct arena *a, const char *options, const char *name, const char **from);

#endif
