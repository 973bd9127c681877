// SHA-256: what names a file so that nobody can make another one of the same name. Where only changes are to be
// noticed, XXH3 is a hundred times faster.
#ifndef GCDC_BASE_SHA256_H
#define GCDC_BASE_SHA256_H

#include "../shared/sha256.h"

// Of len bytes, in lower-case hexadecimal with a NUL. About 4 ns a byte.
void sha256_hex(const void *bytes, size_t len, char hex[SHA256_HEX]);

#endif
