// Proves of every entry of every section what formats/sections.def says of it; of those of costs and steps
// budget/validate_costs.c does, with what is here.
//
// In:  the sections, their lengths already equal to what the counts say; counts that are within their limits.
// Out: GCDC_OK, or the first entry with a number that is out of bounds.
// What ties several entries together is proved by artifact_validate.c and the files beside it, after this.
// Loops gather a flag and look for the culprit only when there is one, so that they vectorise where entries are single
// numbers. Cost: O(entries), about 4 GB/s.
#include "section_bounds.h"

static inline uint32_t number_at(const uint8_t *at, uint32_t width)
{
	uint32_t x = 0;
	memcpy(&x, at, width);  // little-endian
	return x;
}

// *found: what is compared with the bounds. Width and kind are constants where this matters.
static inline __attribute__((always_inline)) bool is_within(const struct bound *b, uint32_t width, enum bound_kind kind,
                                                            const uint8_t *entry, uint64_t *found)
{
	uint32_t x = number_at(entry + b->at, width);
	*found = kind == BOUND_PART ? (uint64_t)x + number_at(entry + b->n_at, 4) : x & b->mask;
	return (kind == BOUND_OR_NONE && x == ARTIFACT_NONE) | (*found - b->least < b->limit - b->least);
}

static inline __attribute__((always_inline)) bool all_within(const struct bound *b, uint32_t width,
                                                             enum bound_kind kind, const uint8_t *at, uint64_t n)
{
	const struct bound own = *b;
	const uint32_t entry = own.entry;
	bool good = true;
	uint64_t found;
	for (uint64_t i = 0; i < n; i++, at += entry) good &= is_within(&own, width, kind, at, &found);
	return good;
}

// The greatest of numbers of 32 bits, one an entry. `entry` is a constant where most bytes of an artifact are.
static inline __attribute__((always_inline)) uint32_t greatest(const uint8_t *at, uint64_t n, uint32_t entry,
                                                               uint32_t mask)
{
	uint32_t most = 0;
	for (uint64_t i = 0; i < n; i++) {
		uint32_t w = number_at(at + i * entry, 4) & mask;
		most = w > most ? w : most;
	}
	return most;
}

#define GREATEST_OF(name, attributes)                                                                                  \
	attributes static uint32_t name(const uint8_t *at, uint64_t n, uint32_t entry, uint32_t mask)                      \
	{                                                                                                                  \
		if (entry == 4) return greatest(at, n, 4, mask);                                                               \
		return entry == 8 ? greatest(at, n, 8, mask) : greatest(at, n, entry, mask);                                   \
	}
GREATEST_OF(greatest_narrow, )
#if defined(__x86_64__)
GREATEST_OF(greatest_wide, __attribute__((target("avx2"))))
#define GREATEST (__builtin_cpu_supports("avx2") ? greatest_wide : greatest_narrow)
#else
#define GREATEST greatest_narrow
#endif

static bool words_are_below(const struct bound *b, const uint8_t *at, uint64_t n)
{
	return !n || GREATEST(at + b->at, n, b->entry, b->mask) < b->limit;
}

static bool are_good(const struct bound *b, const uint8_t *at, uint64_t n)
{
	if (b->kind == BOUND_PART) return all_within(b, 4, BOUND_PART, at, n);
	if (b->kind == BOUND_OR_NONE) return all_within(b, 4, BOUND_OR_NONE, at, n);
	if (b->width == 4 && !b->least) return words_are_below(b, at, n);
	if (b->width == 4) return all_within(b, 4, BOUND_FIELD, at, n);
	return b->width == 2 ? all_within(b, 2, BOUND_FIELD, at, n) : all_within(b, 1, BOUND_FIELD, at, n);
}

static gcdc_status check_bound(const struct gcdc_artifact *a, const struct bound *b, gcdc_refusal *why)
{
	const uint8_t *at = a->section[b->section];
	uint64_t n = at ? a->section_size[b->section] / b->entry : 0, i = 0, found;
	if (LIKELY(are_good(b, at, n))) return GCDC_OK;
	while (is_within(b, b->width, b->kind, at + i * b->entry, &found)) i++;
	return refuse_number(why, b->section, i * b->entry + b->at, b->what, found, found < b->least ? b->least : b->limit);
}

struct bounds_of {
	const struct gcdc_artifact *artifact;
	const struct bound *bounds;
};

static gcdc_status check_job(void *bounds_of, uint32_t i, uint32_t worker, gcdc_refusal *why)
{
	(void)worker;
	const struct bounds_of *x = bounds_of;
	return check_bound(x->artifact, &x->bounds[i], why);
}

gcdc_status section_bounds_check(const struct gcdc_artifact *a, uint32_t threads, const struct bound *bounds, size_t n,
                                 gcdc_refusal *why)
{
	struct bounds_of x = {a, bounds};
	return jobs_run(threads, (uint32_t)n, check_job, &x, why);
}

gcdc_status counts_validate(const struct count_rule *rules, size_t n, uint32_t section, gcdc_refusal *why)
{
	for (const struct count_rule *r = rules; r < rules + n; r++)
		if (r->found < r->least || r->found > r->most)
			return refuse(why, GCDC_ERR_FORMAT, section, r->at, "%s: found %llu, expected %llu to %llu", r->what,
			              (unsigned long long)r->found, (unsigned long long)r->least, (unsigned long long)r->most);
	return GCDC_OK;
}

gcdc_status section_bounds_validate(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	// Of groups that are not there no section is looked at; their counts are 0.
	static const struct artifact_canon no_canon;
	static const struct artifact_regex no_regex;
	static const struct artifact_control no_control;
	static const struct artifact_counters no_counters;
	static const struct artifact_uniques no_uniques;
	const struct artifact_info *i = &a->info;
	const struct artifact_canon *k = a->canonical.info ? a->canonical.info : &no_canon;
	const struct artifact_regex *r = a->regex.info ? a->regex.info : &no_regex;
	const uint64_t n_unsettled = a->section_size[SECTION_CANON_UNSETTLED] / sizeof(entry_CANON_UNSETTLED);
	const struct artifact_control *x = a->control_info ? a->control_info : &no_control;
	const struct artifact_counters *t = a->counter_info ? a->counter_info : &no_counters;
	const struct artifact_uniques *u = a->unique_info ? a->unique_info : &no_uniques;
	(void)r, (void)x, (void)t, (void)u;
	const struct bound bounds[] = {
#include "bound_rows.h"
#define SECTIONS_OF SECTIONS_CORE
#include "../../../formats/sections.def"
#include "bound_rows.h"
#define SECTIONS_OF SECTIONS_CONTROL
#include "../../../formats/sections.def"
#include "bound_rows.h"
#define SECTIONS_OF SECTIONS_COUNTER
#include "../../../formats/sections.def"
#include "bound_rows.h"
#define SECTIONS_OF SECTIONS_CANON
#include "../../../formats/sections.def"
#include "bound_rows.h"
#define SECTIONS_OF SECTIONS_TOKENIZER
#include "../../../formats/sections.def"
#include "bound_rows.h"
#define SECTIONS_OF SECTIONS_LEXEMES
#include "../../../formats/sections.def"
#include "bound_rows.h"
#define SECTIONS_OF SECTIONS_REGEX
#include "../../../formats/sections.def"
#include "bound_rows.h"
#define SECTIONS_OF SECTIONS_UNIQUE
#include "../../../formats/sections.def"
	};
	return section_bounds_check(a, a->open_threads, bounds, sizeof bounds / sizeof *bounds, why);
}
