// Bounds of the entries of sections, as data: who proves some of them fills an array by bound_rows.h.
#ifndef GCDC_SECTION_BOUNDS_H
#define GCDC_SECTION_BOUNDS_H

#include "runtime_internal.h"

enum bound_kind { BOUND_FIELD, BOUND_OR_NONE, BOUND_PART };
struct bound {
	uint8_t section, entry;  // bytes of an entry
	uint8_t at, width;       // of the number in it
	uint8_t n_at;            // PART: of the second number
	uint8_t kind;            // enum bound_kind
	uint32_t mask, least;
	uint64_t limit;
	const char *what;
};

// The first entry that is out of its bounds is refused. threads: that look, at most.
gcdc_status section_bounds_check(const struct gcdc_artifact *a, uint32_t threads, const struct bound *bounds, size_t n,
                                 gcdc_refusal *why);

#define SECTION(id, NAME, member, type, ...) typedef type entry_##NAME;
#include "../../../formats/sections.def"
#define WIDTH(NAME, field) sizeof(((entry_##NAME *)NULL)->field)

#endif
