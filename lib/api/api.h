// The compiler as a library: what the functions of <gcdc/compile.h> share.
//
// In:  texts, vocabularies, options. Out: artifacts' bytes, diagnostics.
// Each public function runs as one work (base/work.h) with the caller's limits: whatever ends it, what it allocated is
// freed, and the diag says why. What it returns outlives the work. No state is kept between calls.
#ifndef GCDC_API_API_H
#define GCDC_API_API_H

#include <stdatomic.h>

#include "../canonical/canonical.h"
#include "../grammar/grammar.h"
#include "../include/gcdc/compile.h"
#include "../vocab/vocab.h"

#ifndef GCDC_VERSION
#define GCDC_VERSION "unknown"
#endif

// ---- A call: diagnostics, limits, progress (call.c).

#define CALL_PHASES 6u
struct call {
	struct diag d;
	gcdc_status status;  // of what went wrong, when the diag has an error
	struct {
		uint32_t first;    // of the messages that are of this phase
		const char *code;  // theirs
	} phase[CALL_PHASES];
	uint32_t n_phases;
	double begin;
	gcdc_cancel *cancel;
	bool (*progress)(const gcdc_progress *progress, void *user);
	void *user;
	_Atomic(const char *) stage;
};

struct call_limits {
	double max_seconds;
	uint64_t max_memory;
	gcdc_cancel *cancel;
	bool (*progress)(const gcdc_progress *progress, void *user);
	void *user;
};

// Runs it within the limits. Its status: what the call says went wrong, or why it was given up.
gcdc_status call_run(struct call *c, const struct call_limits *limits, void (*run)(void *context), void *context);
// Messages from now on are of this code; errors without a status of their own have this one.
void call_phase(struct call *c, const char *code, gcdc_status status);
// A stage begins: the caller is told. Gives the work up when he cancels.
void call_stage(struct call *c, const char *stage);
// An error, and the status that the call ends with.
void call_error(struct call *c, gcdc_status status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
// The messages as the caller gets them (out may be NULL), and the end of the call: returns `status`, or
// GCDC_ERR_MEMORY when there is no memory for messages of success.
gcdc_status call_end(struct call *c, gcdc_status status, gcdc_diagnostics **out);

double api_now(void);  // a monotonic clock

// ---- Vocabularies (vocabulary.c).

struct gcdc_vocab {
	struct vocab v;
	struct arena arena;
	struct canonical tables;  // made here; empty where the .gcdv has them, or nobody asked
	struct canon_section canonical[CANON_SECTIONS];
	uint32_t n_canonical;  // CANON_SECTIONS, or 0: none
	const char *origin;    // provenance.h; NULL: not known
};

// ---- Front ends: from a text of some kind to a grammar (front_ends.c).

struct front_input {
	const gcdc_input *input;
	source_list *sources;                  // where to append the files read
	const struct control_tokens *control;  // that grammars may name
	bool spells_out;                       // no repetition is counted at run time: canonical modes
};
struct front_end {
	gcdc_kind kind;
	const char *name;             // "lark"
	const char *const *endings;   // of files, NULL at the end
	const char *const *settings;  // names of its options, NULL at the end
	bool may_refer;               // its text may name other files
	// On false an error in d, and *g is empty.
	bool (*read)(const struct front_input *in, struct diag *d, struct grammar *g);
};
extern const struct front_end front_ends[];  // ends with a kind GCDC_KIND_AUTO
// Reads grammars inside Lark grammars.
extern const struct nested_reader front_nested;
// The tokens of a vocabulary that a grammar may name; in the arena.
struct control_tokens front_control(const struct vocab *v, struct arena *a);
// The input's, or NULL with an error in the call.
const struct front_end *front_end_of(const gcdc_input *input, struct call *c);

#endif
