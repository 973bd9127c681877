// A plan with what decides about its steps: digests of their inputs, and where intermediate files lie.
#ifndef GCDC_CMD_BUILD_STEPS_H
#define GCDC_CMD_BUILD_STEPS_H

#include "build_record.h"
#include "input_digest.h"
#include "manifest/manifest.h"

#define BUILD_FOLDER ".gcdc"  // in the output folder: vocabularies, the record, Ninja's files

struct vocab_step {
	char digest[DIGEST_HEX];
	const char *output;  // its name holds a digest of all that the vocabulary is made of
	bool is_canonical;   // some artifact needs its canonical tables
	bool is_shared;      // some artifact holds no tokens
};
struct grammar_step {
	char digest[DIGEST_HEX];
	const char **files;  // the grammar's and those that it imports
	uint32_t n_files;
	bool is_whole;  // it refers to no other files
};
enum build_action {
	ACTION_NONE,          // it is up to date
	ACTION_COMPILE,       // and check
	ACTION_CHECK,         // the file in its place
	ACTION_CHECK_STAGED,  // the file that did not pass the last time
	ACTION_TAKE,          // from another output folder
};
struct artifact_step {
	char check[DIGEST_HEX];  // digest, or RECORD_NO_CHECKS
	enum build_action action;
	const struct record_line *taken;  // TAKE: the line of the other folder's record
	const char *from;                 // TAKE: the file
};

// An output folder that another machine has made, and its record.
struct build_part {
	const char *folder;
	struct record record;
};

struct build {
	struct arena arena;
	struct plan plan;
	struct diag diag;  // the manifest's
	struct source source;
	char *text;
	const char *manifest;       // its name in its folder, which is the working directory
	const char *output_given;   // --output, or NULL
	const char *folder;         // OUTPUT/.gcdc
	struct vocab_step *vocabs;  // [plan.tokenizers.n]; output NULL: no artifact needs it
	struct grammar_step *grammars;
	struct artifact_step *steps;  // [plan.artifacts.n]
	struct record record;
	VEC(struct build_part) parts;  // of --merge: steps refer to their lines
};

// Reads a manifest, goes into its folder. *output (may be NULL) and *merge, folders given on the command line, are made
// paths from there. Returns an exit code, after a message.
int build_load(struct build *b, const char *manifest, const char **output, const char **merge);
// Digests of all inputs. O(their bytes).
void build_digest(struct build *b);
void build_release(struct build *b);

// The words of a command line that makes the vocabulary, the artifact; `made` is the file that it writes.
void build_vocab_words(struct build *b, uint32_t tokenizer, option_words *words);
void build_vocab_options(struct build *b, uint32_t tokenizer, option_words *words);  // those that a manifest sets
void build_compile_words(struct build *b, const struct plan_artifact *a, const char *made, option_words *words);
// A path in the output folder, from there.
const char *build_from_output(const struct build *b, const char *path);
// Digest of all that an artifact is made of; digest: of its grammar's files.
void build_of(struct build *b, const struct plan_artifact *a, const char *digest, char hex[DIGEST_HEX]);
// Does the line say that the artifact's file is made of what there is now?
bool build_line_holds(struct build *b, const struct plan_artifact *a, const struct record_line *line);
bool build_keeps_no_vocab(const struct plan_artifact *a);
// OUTPUT/TOKENIZER.gcdv, where some artifact of the tokenizer holds no tokens; or NULL.
const char *build_vocab_beside(struct build *b, uint32_t tokenizer);

// The stamp of an artifact's checks, or NULL when it has none.
const char *build_stamp(struct build *b, const struct plan_artifact *a);
// Where an artifact that has not passed its checks lies. In Ninja's build: until it has passed them, and afterwards
// under a second name.
const char *build_staged(struct build *b, const struct plan_artifact *a);
bool build_has_checks(const struct plan_artifact *a);
// Of the checks, and the files in them.
void build_check_digest(const struct plan_artifact *a, char hex[DIGEST_HEX]);

#endif
