// 128 bits that stand for some bytes: equal bytes have equal digests, and other bytes other ones by all experience.
// Whoever takes equal digests for equal bytes checks that later. Not against somebody who looks for two that are equal
// (sha256.h is).
#ifndef GCDC_BASE_DIGEST_H
#define GCDC_BASE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct digest {
	uint64_t at[2];
};

struct digest digest_of(const void *bytes, size_t len);
static inline bool digest_is(const struct digest *a, const struct digest *b)
{
	return a->at[0] == b->at[0] && a->at[1] == b->at[1];
}
// Of the members of a set, in any order: their digests added up.
static inline void digest_add(struct digest *sum, const struct digest *member)
{
	sum->at[0] += member->at[0], sum->at[1] += member->at[1];
}

#endif
