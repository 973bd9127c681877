// What the compiler is told of branches that are nearly always, or hardly ever, taken.
#ifndef GCDC_RUNTIME_BRANCH_HINTS_H
#define GCDC_RUNTIME_BRANCH_HINTS_H

#define LIKELY(c) __builtin_expect(!!(c), 1)
#define UNLIKELY(c) __builtin_expect(!!(c), 0)
#define OUT_OF_LINE __attribute__((noinline))  // so that what calls it on a rare way needs no registers saved

#endif
