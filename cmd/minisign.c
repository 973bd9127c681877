// minisign's signatures: Ed25519 by libsodium.
//
// In:  a public key, bytes, a signature's text. Out: whether it is one; who signed may say so in its trusted comment.
// Two kinds: "Ed" signs the bytes, "ED" their BLAKE2b-512. A second signature covers the first and the trusted comment.
// Built without libsodium this says so, and answers no question.
#include "minisign.h"

#include <errno.h>

#include "base/file.h"
#include "cli.h"

#ifdef GCDC_HAS_SODIUM
#include <sodium.h>

#define MAX_KEY 4096u
#define TRUSTED "trusted comment: "

struct packed_key {
	uint8_t kind[2], id[8], key[crypto_sign_PUBLICKEYBYTES];
};
struct packed_signature {
	uint8_t kind[2], id[8], bytes[crypto_sign_BYTES];
};

// A line of base64 that is exactly so many bytes.
static bool unpack(const char *line, size_t len, void *to, size_t size)
{
	size_t got;
	const char *end;
	return !sodium_base642bin(to, size, line, len, NULL, &got, &end, sodium_base64_VARIANT_ORIGINAL) && got == size &&
	       end == line + len;
}

// Line i of a text, from 0; its length without the line's end. NULL: there is none.
static const char *line_of(const char *text, unsigned i, size_t *len)
{
	while (i--) {
		text = strchr(text, '\n');
		if (!text++) return NULL;
	}
	*len = strcspn(text, "\r\n");
	return *text ? text : NULL;
}

static int read_key(const char *command, const char *given, struct packed_key *key)
{
	char *text;
	size_t len, n;
	if (unpack(given, strlen(given), key, sizeof *key) && !memcmp(key->kind, "Ed", 2)) return CODE_OK;
	if (!file_read(given, MAX_KEY, &text, &len)) return cli_error(CODE_IO, command, "%s: %s", given, strerror(errno));
	const char *line = line_of(text, 1, &n);
	bool ok = line && unpack(line, n, key, sizeof *key) && !memcmp(key->kind, "Ed", 2);
	free(text);
	return ok ? CODE_OK : cli_error(CODE_DATA, command, "%s: this is no public key of minisign", given);
}

static bool is_signed(const struct packed_key *key, const struct packed_signature *s, const void *bytes, size_t len)
{
	uint8_t hash[crypto_generichash_BYTES_MAX];
	if (!memcmp(s->kind, "Ed", 2)) return !crypto_sign_verify_detached(s->bytes, bytes, len, key->key);
	return !memcmp(s->kind, "ED", 2) && !crypto_generichash(hash, sizeof hash, bytes, len, NULL, 0) &&
	       !crypto_sign_verify_detached(s->bytes, hash, sizeof hash, key->key);
}

// The second signature: of the first one and the trusted comment.
static bool comment_is_signed(const struct packed_key *key, const struct packed_signature *s, const char *comment,
                              size_t len, const uint8_t global[crypto_sign_BYTES])
{
	uint8_t *both = mem_alloc(sizeof s->bytes + len);
	memcpy(both, s->bytes, sizeof s->bytes);
	memcpy(both + sizeof s->bytes, comment, len);
	const bool ok = !crypto_sign_verify_detached(global, both, sizeof s->bytes + len, key->key);
	free(both);
	return ok;
}

int minisign_check(const char *command, const char *key, const void *bytes, size_t len, const char *signature,
                   char **comment)
{
	struct packed_key k;
	struct packed_signature s;
	uint8_t global[crypto_sign_BYTES];
	size_t n[3] = {0};
	*comment = NULL;
	if (sodium_init() < 0) return cli_error(CODE_INTERNAL, command, "libsodium does not start");
	int code = read_key(command, key, &k);
	if (code) return code;
	const char *first = line_of(signature, 1, &n[0]), *text = line_of(signature, 2, &n[1]),
			   *last = line_of(signature, 3, &n[2]);
	if (!first || !text || !last || !unpack(first, n[0], &s, sizeof s) ||
	    strncmp(text, TRUSTED, strlen(TRUSTED)) != 0 || !unpack(last, n[2], global, sizeof global))
		return cli_error(CODE_DATA, command, "the signature is none in minisign's format");
	if (memcmp(s.id, k.id, sizeof s.id) != 0)
		return cli_error(
			CODE_DATA, command,
			"the signature is by another key: its id begins with %02X%02X, that of the key given with %02X%02X",
			s.id[7], s.id[6], k.id[7], k.id[6]);
	text += strlen(TRUSTED), n[1] -= strlen(TRUSTED);
	if (!is_signed(&k, &s, bytes, len) || !comment_is_signed(&k, &s, text, n[1], global))
		return cli_error(CODE_DATA, command, "the signature is not one of these bytes");
	*comment = mem_alloc(n[1] + 1);
	memcpy(*comment, text, n[1]);
	(*comment)[n[1]] = 0;
	return CODE_OK;
}

#else

int minisign_check(const char *command, const char *key, const void *bytes, size_t len, const char *signature,
                   char **comment)
{
	(void)key, (void)bytes, (void)len, (void)signature;
	*comment = NULL;
	int code = cli_error(CODE_USAGE, command, "this gcdc was built without libsodium: it cannot check signatures");
	cli_note(command, "build it where libsodium is (Debian: libsodium-dev), or check with minisign itself: "
	                  "minisign -Vm gcdc.catalog -p KEY");
	return code;
}
#endif
