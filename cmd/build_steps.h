// A plan with what decides about its steps: digests of their inputs, and where intermediate files lie.
#ifndef GCDC_CMD_BUILD_STEPS_H
#define GCDC_CMD_BUILD_STEPS_H

#include "input_digest.h"
#include "manifest/manifest.h"

#define BUILD_FOLDER ".gcdc"  // in the output folder: vocabularies, stamps, Ninja's files

struct vocab_step {
	char digest[DIGEST_HEX];
	const char *output;  // its name holds a digest of all that the vocabulary is made of
	bool is_canonical;   // some artifact needs its canonical tables
};
struct grammar_step {
	char digest[DIGEST_HEX];
	const char **files;  // the grammar's and those that it imports
	uint32_t n_files;
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
};

// Reads a manifest, goes into its folder. Returns an exit code, after a message.
int build_load(struct build *b, const char *manifest, const char *output);
// Digests of all inputs. O(their bytes).
void build_digest(struct build *b);
void build_release(struct build *b);

// The stamp of an artifact's checks, or NULL when it has none.
const char *build_stamp(struct build *b, const struct plan_artifact *a);
// Where an artifact that has checks lies until it has passed them, and afterwards under a second name.
const char *build_staged(struct build *b, const struct plan_artifact *a);
bool build_has_checks(const struct plan_artifact *a);
// Of the checks, and the files in them.
void build_check_digest(const struct plan_artifact *a, char hex[DIGEST_HEX]);

#endif
