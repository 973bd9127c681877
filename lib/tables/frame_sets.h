// Sets of parser states, each a number: frames that may lie at one place of stacks.
//
// Most hold a few of 50,000 states. So a set is the list of its states or, where that takes fewer bytes or where there
// are few states anyway, a bit for each.
#ifndef GCDC_TABLES_FRAME_SETS_H
#define GCDC_TABLES_FRAME_SETS_H

#include "../base/bitset.h"
#include "../base/intern.h"
#include "../lr/lr.h"

#define FRAMES_NONE 0u  // the empty set
_Static_assert(LR_MAX_STATES <= 1u << 16, "frames have 16 bits");

struct frame_sets {
	uint32_t words;      // of a set of bits
	struct intern sets;  // uint16_t[], ascending; or bits[words]
	bits *scratch;       // [words] all 0 in between
	bits *some;          // [BITS_WORDS(words)] which of these are not, where the set is a list
	VEC(uint16_t) few;   // scratch
};
typedef VEC(lr_state) frame_list;

void frame_sets_init(struct frame_sets *s, uint32_t n_states);
void frame_sets_release(struct frame_sets *s);
// The set of these states, each once.
uint32_t frame_sets_add(struct frame_sets *s, const lr_state *frames, uint32_t n);
// Its states, ascending, behind what *out holds.
void frame_sets_list(const struct frame_sets *s, uint32_t set, frame_list *out);
// A set's bytes, which stay where they are, and what they are in other sets of so many states.
const void *frames_packed(const struct frame_sets *s, uint32_t set, uint32_t *len);
void frames_unpack(const struct frame_sets *s, const void *packed, uint32_t len, frame_list *out);
bool frame_sets_has(const struct frame_sets *s, uint32_t set, lr_state frame);

// States in the making: a few as a list, many as bits.
#define GROWN_FEW 32u
struct grown_frames {
	void *at;    // uint16_t[], ascending; or (n is more than GROWN_FEW) bits[words of the sets]; NULL: none
	uint32_t n;  // states
};
// False: it has been there.
bool grown_frames_add(struct grown_frames *g, const struct frame_sets *s, lr_state frame);
// All of them, ascending, behind what *out holds; *g is empty then.
void grown_frames_take(struct grown_frames *g, const struct frame_sets *s, frame_list *out);

#endif
