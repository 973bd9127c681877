// gcdc verify FOLDER: is all of it there, and what was built?
//
// In:  a folder with a catalog, or an OCI image layout. Out: an exit code, a message for each file that is not as the
// catalog says. The catalog's signature is checked first: what it names is as good as itself.
// Cost: SHA-256 of all files, opening each artifact.
#include "verify_folder.h"

#include <errno.h>

#include "base/file.h"
#include "cli.h"
#include "folder_catalog.h"
#include "minisign.h"

static int verify_item(const char *command, struct folder_catalog *c, const struct catalog_item *item)
{
	const char *path = folder_catalog_file(c, item);
	char *bytes, sha256[SHA256_HEX];
	size_t len;
	if (!file_read(path, UINT32_MAX, &bytes, &len)) return cli_error(CODE_IO, command, "%s: %s", path, strerror(errno));
	sha256_hex(bytes, len, sha256);
	free(bytes);
	if (strcmp(sha256, item->sha256) != 0)
		return cli_error(CODE_DATA, command,
		                 "%s: other bytes than the catalog says: expected the SHA-256\n  %s, it is\n  %s", path,
		                 item->sha256, sha256);
	if (!item->grammar) return CODE_OK;
	gcdc_artifact *artifact;
	int code = cli_open(command, path, folder_catalog_vocab(c, item), &artifact);
	if (code) return code;
	gcdc_info info;
	char hash[33];
	gcdc_artifact_info(artifact, &info);
	gcdc_artifact_close(artifact);
	snprintf(hash, sizeof hash, "%016llx%016llx", (unsigned long long)info.vocab_hash[1],
	         (unsigned long long)info.vocab_hash[0]);
	if (!strcmp(hash, item->hash)) return CODE_OK;
	return cli_error(CODE_DATA, command, "%s: made for the tokenizer %s, the catalog says %s", path, hash, item->hash);
}

static int verify_signature(const char *command, struct folder_catalog *c, const char *key, char **comment)
{
	*comment = NULL;
	if (!key) return CODE_OK;
	if (!c->signature) {
		int code = cli_error(CODE_NO, command, "%s is not signed: there is no " SIGNATURE_FILE, c->folder);
		cli_note(command, "minisign -Sm " CATALOG_FILE " signs all files of the folder");
		return code;
	}
	return minisign_check(command, key, c->text, c->len, c->signature, comment);
}

int verify_folder(const char *command, const char *folder, const char *key, bool quiet)
{
	struct folder_catalog c;
	char *comment = NULL;
	uint32_t n_wrong = 0;
	int code = folder_catalog_open(command, folder, &c);
	if (!code) code = verify_signature(command, &c, key, &comment);
	for (uint32_t i = 0; i < c.items.n && !code; i++) n_wrong += verify_item(command, &c, &c.items.at[i]) != CODE_OK;
	if (!code && n_wrong)
		code = cli_error(CODE_DATA, command, "%s: %u of %u file%s not what was built", folder, n_wrong, c.items.n,
		                 n_wrong == 1 ? " is" : "s are");
	if (!code && !quiet) {
		const uint32_t n_vocabs = c.items.n - c.n_artifacts;
		printf("%s: %u artifact%s and %u vocabular%s, whole, as the catalog says", folder, c.n_artifacts,
		       cli_s(c.n_artifacts), n_vocabs, n_vocabs == 1 ? "y" : "ies");
		if (comment) printf("; signed: %s", comment);
		putchar('\n');
	}
	free(comment);
	folder_catalog_release(&c);
	return code;
}
