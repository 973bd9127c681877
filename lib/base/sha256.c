// SHA-256, once for all of the compiler (shared/sha256.h).
#include "sha256.h"

void sha256_hex(const void *bytes, size_t len, char hex[SHA256_HEX]) { sha256_hex_of(bytes, len, hex); }
