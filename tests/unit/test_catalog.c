// gcdc/catalog.h: what is found, what is refused, what a refresh changes.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/random.h"
#include "base/sha256.h"
#include "gcdc/catalog.h"
#include "gcdc/compile.h"

static char folder[64];
static uint64_t hash[2];

static const char *in_folder(const char *name)
{
	static char path[4][256];
	static unsigned next;
	char *to = path[next++ % 4];
	snprintf(to, sizeof path[0], "%s/%s", folder, name);
	return to;
}

static void write_file(const char *name, const void *bytes, size_t len)
{
	FILE *f = fopen(in_folder("new"), "wb");
	cr_assert(f && fwrite(bytes, 1, len, f) == len && !fclose(f));
	cr_assert(!rename(in_folder("new"), in_folder(name)));
}

static void write_text(const char *text) { write_file("gcdc.catalog", text, strlen(text)); }

// An artifact of a regular expression at NAME.gcdc, its line of the catalog appended to *text.
static void put_artifact(const char *name, const char *pattern, bool no_vocab, char *text)
{
	gcdc_vocab *vocab;
	gcdc_compiled *c;
	char hex[SHA256_HEX], path[64];
	size_t len;
	cr_assert(!gcdc_vocab_open(NULL, NULL, &vocab, NULL));
	gcdc_vocab_hash(vocab, hash);
	const gcdc_input input = {.kind = GCDC_KIND_REGEX, .text = pattern, .len = strlen(pattern)};
	const gcdc_compile_options options = {.no_vocab = no_vocab};
	cr_assert(!gcdc_compile(vocab, &input, &options, &c, NULL));
	const void *bytes = gcdc_compiled_bytes(c, &len);
	snprintf(path, sizeof path, "%s.gcdc", name);
	write_file(path, bytes, len);
	sha256_hex(bytes, len, hex);
	sprintf(text + strlen(text), "artifact\t%s\tbuiltin\t%016llx%016llx\t%s\t%s\t%s\n", name,
	        (unsigned long long)hash[1], (unsigned long long)hash[0], hex, path, no_vocab ? "v.gcdv" : "-");
	gcdc_compiled_free(c);
	if (no_vocab) cr_assert(!gcdc_vocab_write(vocab, in_folder("v.gcdv"), NULL));
	gcdc_vocab_close(vocab);
}

static void begin(void)
{
	strcpy(folder, "/tmp/test_catalog.XXXXXX");
	cr_assert(mkdtemp(folder));
}

static void end(void)
{
	char command[128];
	snprintf(command, sizeof command, "rm -rf %s", folder);
	cr_assert(!system(command));
}

static bool accepts(const gcdc_artifact *a, const char *text)
{
	gcdc_matcher *m;
	cr_assert(!gcdc_matcher_new(a, NULL, &m));
	const bool yes = gcdc_matcher_accept_bytes(m, text, strlen(text)) == GCDC_OK && gcdc_matcher_is_completed(m);
	gcdc_matcher_free(m);
	return yes;
}

TestSuite(catalog, .init = begin, .fini = end);

Test(catalog, finds_by_grammar_and_tokenizer_and_a_refresh_finds_the_new_ones)
{
	char text[4096] = "gcdc catalog 1\n";
	gcdc_catalog *c;
	gcdc_artifact *old, *same, *a;
	gcdc_refusal why;
	bool changed;
	put_artifact("keys", "[a-z]+", false, text);
	put_artifact("numbers", "[0-9]+", true, text);
	sprintf(text + strlen(text), "vocabulary\tbuiltin\t%016llx%016llx\t%064d\tv.gcdv\nend\t3\n",
	        (unsigned long long)hash[1], (unsigned long long)hash[0], 0);
	write_text(text);
	cr_assert_eq(gcdc_catalog_open(folder, NULL, &c, &why), GCDC_OK, "%s", why.what);
	cr_assert_eq(gcdc_catalog_count(c), 2);
	gcdc_catalog_entry entry;
	cr_assert(gcdc_catalog_at(c, 1, &entry) && !strcmp(entry.grammar, "numbers") &&
	          !strcmp(entry.tokenizer, "builtin"));
	cr_assert(!gcdc_catalog_at(c, 2, &entry));
	cr_assert_eq(gcdc_catalog_get(c, "numbers", hash, &old, &why), GCDC_OK, "%s", why.what);
	cr_assert(accepts(old, "12") && !accepts(old, "ab"));
	cr_assert_eq(gcdc_catalog_get(c, "numbers", hash, &same, NULL), GCDC_OK);
	cr_assert_eq(old, same);
	gcdc_artifact_close(same);
	cr_assert_eq(gcdc_catalog_get(c, "number", hash, &a, &why), GCDC_REJECTED);
	cr_assert(!a && strstr(why.what, "no artifact of number"));
	const uint64_t other[2] = {hash[0] ^ 1, hash[1]};
	cr_assert_eq(gcdc_catalog_get(c, "numbers", other, &a, &why), GCDC_REJECTED);
	cr_assert_eq(gcdc_catalog_refresh(c, &changed, &why), GCDC_OK);
	cr_assert(!changed);

	char next[4096] = "gcdc catalog 1\n";
	put_artifact("numbers", "[0-9]{3}", false, next);
	put_artifact("words", "[a-z ]+", false, next);
	strcat(next, "end\t2\n");
	write_text(next);
	cr_assert_eq(gcdc_catalog_refresh(c, &changed, &why), GCDC_OK, "%s", why.what);
	cr_assert(changed);
	cr_assert_eq(gcdc_catalog_get(c, "keys", hash, &a, NULL), GCDC_REJECTED);
	cr_assert_eq(gcdc_catalog_get(c, "numbers", hash, &a, NULL), GCDC_OK);
	cr_assert(!accepts(a, "12") && accepts(a, "123"));
	cr_assert(accepts(old, "12"), "the artifact that was handed out has changed");
	gcdc_artifact_close(a);
	gcdc_artifact_close(old);
	gcdc_catalog_trim(c);

	write_text("gcdc catalog 1\nhalf of it");
	cr_assert_eq(gcdc_catalog_refresh(c, &changed, &why), GCDC_ERR_FORMAT);
	cr_assert_eq(gcdc_catalog_get(c, "numbers", hash, &a, NULL), GCDC_OK,
	             "a damaged catalog has taken the old one's place");
	gcdc_artifact_close(a);
	gcdc_catalog_close(c);
}

Test(catalog, a_bundle_is_opened_by_its_sums)
{
	char text[4096] = "gcdc catalog 1\n", sum[65] = {0}, name[100];
	gcdc_catalog *c;
	gcdc_artifact *a;
	gcdc_refusal why;
	put_artifact("keys", "[a-z]+", false, text);
	memcpy(sum, strstr(text, "\tkeys.gcdc") - 64, 64);
	strcat(text, "end\t1\n");
	write_text(text);
	write_file("oci-layout", "{}", 2);
	cr_assert(!mkdir(in_folder("blobs"), 0777) && !mkdir(in_folder("blobs/sha256"), 0777));
	snprintf(name, sizeof name, "blobs/sha256/%s", sum);
	cr_assert(!rename(in_folder("keys.gcdc"), in_folder(name)));
	cr_assert_eq(gcdc_catalog_open(folder, NULL, &c, &why), GCDC_OK, "%s", why.what);
	cr_assert_eq(gcdc_catalog_get(c, "keys", hash, &a, &why), GCDC_OK, "%s", why.what);
	cr_assert(accepts(a, "abc"));
	gcdc_artifact_close(a);
	gcdc_catalog_close(c);
}

Test(catalog, what_is_no_catalog_is_refused)
{
	char good[2048] = "gcdc catalog 1\n", twice[4096], text[4096];
	put_artifact("keys", "[a-z]+", false, good);
	const char *line = good + 15;
	const int n = (int)strlen(line);
	snprintf(twice, sizeof twice, "gcdc catalog 1\n%s%send\t2\n", line, line);
	snprintf(text, sizeof text, "gcdc catalog 1\n%.*s\t../keys.gcdc\t-\nend\t1\n",
	         (int)(strstr(line, "\tkeys.gcdc") - line), line);
	const char *const bad[] = {
		"",
		"gcdc catalog 1\n",
		"gcdc catalog 1\nend\t1\n",
		"gcdc catalog 1\nend\t0\nend\t0\n",
		"gcdc catalog 1\nend\t0x\n",
		"gcdc catalog 1\nartifact\tx\nend\t1\n",
		"catalog",
		"gcdc catalog 1\nend\t-1\n",
		"gcdc catalog 1\nnothing\ta\tb\tc\td\nend\t1\n",
		"gcdc catalog 1\nvocabulary\tt\t0\t1\tx\nend\t1\n",
		twice,
		text,
		"gcdc catalog 1\n\t\t\t\t\nend\t1\n",
	};
	gcdc_catalog *c;
	gcdc_refusal why;
	cr_assert_eq(gcdc_catalog_open(folder, NULL, &c, &why), GCDC_ERR_IO);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		write_text(bad[i]);
		cr_assert_eq(gcdc_catalog_open(folder, NULL, &c, &why), GCDC_ERR_FORMAT, "%zu: %s", i, bad[i]);
		cr_assert_null(c);
		cr_assert(*why.what);
	}
	write_text("gcdc catalog 2\nend\t0\n");
	cr_assert_eq(gcdc_catalog_open(folder, NULL, &c, &why), GCDC_ERR_VERSION);
	cr_assert_eq(gcdc_catalog_open("/nowhere/at/all", NULL, &c, &why), GCDC_ERR_IO);
	// Changed bytes: refused, or another name or sum; never read out of bounds.
	uint64_t seed = 5;
	sprintf(good + strlen(good), "end\t1\n");
	for (int i = 0; i < 2000; i++) {
		strcpy(text, good);
		for (uint32_t k = 0; k <= i % 3u; k++)
			text[random_below(&seed, (uint32_t)strlen(good))] = (char)random_below(&seed, 256);
		write_file("gcdc.catalog", text, strlen(good));
		if (gcdc_catalog_open(folder, NULL, &c, &why)) continue;
		gcdc_artifact *a;
		if (!gcdc_catalog_get(c, "keys", hash, &a, &why)) gcdc_artifact_close(a);
		gcdc_catalog_close(c);
	}
	(void)n;
}

Test(catalog, an_artifact_for_another_tokenizer_than_it_says_is_refused)
{
	char text[2048] = "gcdc catalog 1\n";
	gcdc_catalog *c;
	gcdc_artifact *a;
	gcdc_refusal why;
	put_artifact("keys", "[a-z]+", false, text);
	char *hex = strstr(text, "builtin\t") + 8;
	hex[31] = hex[31] == '0' ? '1' : '0';
	hash[0] = hash[0] ^ 0;
	strcat(text, "end\t1\n");
	write_text(text);
	cr_assert_eq(gcdc_catalog_open(folder, NULL, &c, NULL), GCDC_OK);
	gcdc_catalog_entry entry;
	cr_assert(gcdc_catalog_at(c, 0, &entry));
	cr_assert_eq(gcdc_catalog_get(c, "keys", entry.vocab_hash, &a, &why), GCDC_ERR_VOCAB);
	cr_assert(strstr(why.what, "another tokenizer"));
	gcdc_catalog_close(c);
}
