// Terminals whose patterns look around them, as a small program over code points (pattern.c), and what is true of a
// text while it is read (looking.c). Used for terminals with lookaround only; the others are byte DFAs.
#ifndef GCDC_TESTS_PATTERN_H
#define GCDC_TESTS_PATTERN_H

#include "../../../lib/base/intern.h"
#include "../../../lib/grammar/grammar.h"

#define PATTERN_NONE UINT32_MAX

struct range {
	uint32_t lo, hi;
};
struct cp_set {
	uint32_t n;
	const struct range *at;
};  // ascending, not touching

enum op { OP_SET, OP_SPLIT, OP_LOOK, OP_CUT, OP_MATCH };

struct inst {
	enum op op;
	uint32_t to, or_to;  // SPLIT: both; SET, LOOK, CUT: to
	uint32_t set;        // SET
	uint32_t look;       // LOOK
	uint32_t body;       // CUT: a part that ends at its first match begins here
	bool negative;
};

struct look {
	bool behind;
	uint32_t start;
};  // its body, without looks inside

struct pattern {
	bool looks;
	uint32_t start;
	bool is_lazy;   // all of it is one part that ends at its first match
	bool has_cuts;  // something inside it is
};

struct stretch {
	uint32_t lo, letter;
};

struct program {
	struct arena arena;
	VEC(struct inst) code;
	VEC(struct cp_set) sets;
	VEC(struct look) looks;
	struct pattern *of;             // [terminals]
	VEC(uint32_t) letters;          // one code point for each class of code points that no set tells apart
	VEC(struct stretch) stretches;  // ascending: code points from `lo` to the next one's are of one class
	struct intern begun;            // (class, place in the encoding) -> the first such beginning of a code point
	VEC(uint32_t) begun_as;
};

// Only terminals with looks are compiled (of[t].looks). False: a pattern with looks is written as this reader does not
// know.
bool program_build(struct program *p, const struct grammar *g, struct diag *d);
// All terminals, whether they look around or not.
bool program_build_all(struct program *p, const struct grammar *g, struct diag *d);
void program_release(struct program *p);
bool program_has(const struct program *p, uint32_t set, uint32_t cp);

// Bytes to code points, one after the other. False: not UTF-8. *cp: the code point that ends here, or PATTERN_NONE.
bool utf8_feed(uint32_t *pending, uint8_t byte, uint32_t *cp);
// The code point that stands for all of cp's class.
uint32_t program_letter(const struct program *p, uint32_t cp);
// The same for the beginning of one: what stands for all that can only become code points of the same class.
uint32_t program_pending(struct program *p, uint32_t pending, uint32_t lo, uint32_t hi);

#endif
