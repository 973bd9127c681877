// What a build makes: a manifest (gcdc.yaml) as pure data.
//
// In:  the manifest's text, and the names of the files that its patterns match.
// Out: struct plan: tokenizers, grammars, and an artifact for each pair of them that is wanted, with its options and
//      checks. Nothing is compiled, and no file but the manifest is opened.
#ifndef GCDC_MANIFEST_MANIFEST_H
#define GCDC_MANIFEST_MANIFEST_H

#include "../base/diag.h"

// Limits; the message that stops at one names it.
#define MANIFEST_MAX_BYTES (4u << 20)
#define MANIFEST_MAX_ARTIFACTS 100000u
#define MANIFEST_MAX_FOLDERS 100000u  // that one pattern looks into
#define MANIFEST_MAX_EOS 64u

// ---- Options: those of `gcdc compile` that a manifest may set, under the same names. One line in manifest_options.c
// makes another one known here and passes it on.
enum manifest_option_kind { MANIFEST_FLAG, MANIFEST_NUMBER, MANIFEST_TEXT, MANIFEST_CHOICE };
struct manifest_option {
	const char *name;
	enum manifest_option_kind kind;
	uint64_t least, most;  // NUMBER
	const char *choices;   // CHOICE: "a|b|c"
};
#define MANIFEST_MAX_OPTIONS 32u
extern const struct manifest_option manifest_options[];
extern const uint32_t n_manifest_options;

struct option_value {
	bool given;
	bool flag;
	uint64_t number;
	const char *text;
};

// ---- Checks: what an artifact must be like, or the build fails.
enum check_limit { LIMIT_SIZE, LIMIT_FRAMES, LIMIT_SETS, LIMIT_READINGS, N_CHECK_LIMITS };
extern const char *const check_limit_name[N_CHECK_LIMITS];  // in a manifest: "max-size", ...

struct check_text {
	bool accept;       // or it must be refused
	const char *file;  // NULL: `text`
	const char *text;
	size_t len;
	struct loc loc;
};
struct check_limit_value {
	bool given;
	uint64_t most;
	struct loc loc;
};
struct plan_checks {
	VEC(struct check_text) texts;
	struct check_limit_value limits[N_CHECK_LIMITS];
};

struct plan_tokenizer {
	const char *name;
	const char *file;     // NULL: the one that is built in
	const uint32_t *eos;  // NULL: what the tokenizer's files say
	uint32_t n_eos;
	const char *const *eos_names;  // more of them, as the tokenizer's file spells them
	uint32_t n_eos_names;
	bool no_eos;          // no token ends a text
	uint32_t vocab_size;  // 0: largest id + 1
	struct loc loc;
};
struct plan_grammar {
	const char *name, *file;
	struct loc loc;
};
struct plan_artifact {
	const char *name;    // "json-llama3"
	const char *output;  // the file
	uint32_t grammar, tokenizer;
	struct option_value options[MANIFEST_MAX_OPTIONS];  // [n_manifest_options]
	struct plan_checks checks;
};

// Paths are as the manifest says them: relative to its folder.
struct plan {
	struct arena arena;
	const char *output;  // folder
	VEC(struct plan_tokenizer) tokenizers;
	VEC(struct plan_grammar) grammars;
	VEC(struct plan_artifact) artifacts;
	VEC(const char *) folders;  // that patterns looked into: what is in them decides, too
};

struct manifest_options_given {
	const char *output;  // a folder instead of the manifest's, or NULL
};

// source is the manifest; its text must outlive the plan. The working directory is the manifest's folder. On false d
// holds at least one error, and *p is empty.
bool manifest_plan(const struct source *source, const struct manifest_options_given *given, struct diag *d,
                   struct plan *p);
void plan_release(struct plan *p);
// Appends the options as words of a command line ("--level", "3"). Text is not quoted.
typedef VEC(const char *) option_words;
void plan_option_words(struct arena *a, const struct option_value *values, option_words *words);

#endif
