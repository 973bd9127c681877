// Signatures in minisign's format (https://jedisct1.github.io/minisign/), checked.
#ifndef GCDC_CMD_MINISIGN_H
#define GCDC_CMD_MINISIGN_H

#include <stddef.h>

// Is `signature` (the text of a .minisig) one of these bytes by this key? key: a file that minisign -G wrote, or the
// key itself in base64. *comment: the signature's trusted comment, malloc'd. An exit code, after a message.
int minisign_check(const char *command, const char *key, const void *bytes, size_t len, const char *signature,
                   char **comment);

#endif
