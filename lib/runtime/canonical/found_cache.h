// Verdicts of searches, kept by the place that they are about and the frames that they rest on.
#ifndef GCDC_RUNTIME_CANONICAL_FOUND_CACHE_H
#define GCDC_RUNTIME_CANONICAL_FOUND_CACHE_H

#include "../core/matcher_step.h"
#include "canonical.h"

#define FOUND_FRAMES 6u  // of a stack: verdicts that rest on more are not kept

// Where a search stands: its canonical place and lexer state; the topmost frames.
struct found_place {
	struct inside_key key;
	uint64_t hash;
	uint32_t depth, n_frames, frame[FOUND_FRAMES];
	struct canonical_ahead ahead;  // of a verdict that something leads on: by which way
};

// All that decides of a place in a lexer state but for the stack: lr_state and home are 0. False: it is none that is
// kept.
bool canonical_place_key(uint32_t lex_state, const struct canonical_place *p, struct inside_key *key);
uint64_t canonical_place_hash(const struct inside_key *key);

// False: it is a place of which nothing is kept.
bool found_begin(const struct gcdc_matcher *m, const struct position *p, struct found_place *at);
// CANON_UNKNOWN: nothing is. Else the frames that the verdict rests on are noted.
enum canonical_verdict found_get(struct gcdc_matcher *m, struct found_place *at);
// lowest: depth of the deepest frame that the verdict rests on. Nothing is kept for lack of memory.
void found_put(struct gcdc_matcher *m, const struct found_place *at, uint32_t lowest, bool alive);

#endif
