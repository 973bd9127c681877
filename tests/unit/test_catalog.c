// gcdc/catalog.h: what is found, what is refused, what a refresh changes.
#include <cJSON.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../formats/vocab_file.h"
#include "../../lib/runtime/layout.h"
#include "base/file.h"
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

// The vocabulary's line.
static void put_vocab(char *text)
{
	char hex[SHA256_HEX], *bytes;
	size_t len;
	cr_assert(file_read(in_folder("v.gcdv"), 1 << 24, &bytes, &len));
	sha256_hex(bytes, len, hex);
	sprintf(text + strlen(text), "vocabulary\tbuiltin\t%016llx%016llx\t%s\tv.gcdv\n", (unsigned long long)hash[1],
	        (unsigned long long)hash[0], hex);
	free(bytes);
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
	put_vocab(text);
	strcat(text, "end\t3\n");
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

// ---- Layouts of bundles

#define OURS "\"artifactType\":\"application/vnd.gcdc.bundle.v1\""

static void put_blob(const char *text, char hex[SHA256_HEX])
{
	char name[100];
	sha256_hex(text, strlen(text), hex);
	snprintf(name, sizeof name, "blobs/sha256/%s", hex);
	write_file(name, text, strlen(text));
}

static void make_layout(void)
{
	write_file("oci-layout", "{}", 2);
	cr_assert(!mkdir(in_folder("blobs"), 0777) && !mkdir(in_folder("blobs/sha256"), 0777));
}

// A manifest of these layers behind another program's, in the index.
static void put_index(const char *type, const char *layers)
{
	char text[2048], other[SHA256_HEX], hex[SHA256_HEX];
	put_blob("{\"layers\":[{\"mediaType\":\"application/vnd.gcdc.catalog.v1\",\"digest\":\"sha256:0\"}]}", other);
	snprintf(text, sizeof text, "{\"schemaVersion\":2, %s, \"layers\":%s}", type, layers);
	put_blob(text, hex);
	snprintf(text, sizeof text,
	         "{\"schemaVersion\":2,\"x\":[[],{},[{\"a\\\"\":-1.5e3}],null],\"manifests\":[{\"digest\":\"sha256:%s\"},\n"
	         "{\"size\":1,\"digest\":\"sha256:%s\"}]}",
	         other, hex);
	write_file("index.json", text, strlen(text));
}

static void put_bundle(const char *catalog)
{
	char hex[SHA256_HEX], layers[512];
	put_blob(catalog, hex);
	snprintf(layers, sizeof layers,
	         "[{\"mediaType\":\"x\",\"digest\":\"sha256:\\u0030\"},"
	         "{\"mediaType\":\"application/vnd.gcdc.catalog.v1\",\"size\":1,\"digest\":\"sha256:%s\"}]",
	         hex);
	put_index(OURS, layers);
}

static void move_to_blobs(const char *name, const char *line)
{
	char blob[100];
	const char *path = strstr(line, name);
	cr_assert(path);
	snprintf(blob, sizeof blob, "blobs/sha256/%.64s", path - 65);
	cr_assert(!rename(in_folder(name), in_folder(blob)), "%s", blob);
}

Test(catalog, a_pulled_bundle_is_opened_by_its_sums)
{
	char text[4096] = "gcdc catalog 1\n", next[4096] = "gcdc catalog 1\n", hex[SHA256_HEX];
	gcdc_catalog *c;
	gcdc_artifact *a;
	gcdc_refusal why;
	bool changed;
	make_layout();
	put_artifact("keys", "[a-z]+", true, text);
	put_vocab(text);
	move_to_blobs("keys.gcdc", text);
	move_to_blobs("v.gcdv", strstr(text, "vocabulary"));
	strcat(text, "end\t2\n");
	write_text("gcdc catalog 1\nend\t0\n");  // of another bundle that lay here
	cr_assert_eq(gcdc_catalog_open(folder, NULL, &c, &why), GCDC_ERR_IO, "no index");
	put_bundle(text);
	cr_assert_eq(gcdc_catalog_open(folder, NULL, &c, &why), GCDC_OK, "%s", why.what);
	cr_assert_eq(gcdc_catalog_get(c, "keys", hash, &a, &why), GCDC_OK, "%s", why.what);
	cr_assert(accepts(a, "abc"));
	gcdc_artifact_close(a);

	put_artifact("keys", "[0-9]+", false, next);
	move_to_blobs("keys.gcdc", next);
	strcat(next, "end\t1\n");
	put_bundle(next);
	cr_assert_eq(gcdc_catalog_refresh(c, &changed, &why), GCDC_OK, "%s", why.what);
	cr_assert(changed);
	cr_assert_eq(gcdc_catalog_get(c, "keys", hash, &a, &why), GCDC_OK, "%s", why.what);
	cr_assert(accepts(a, "12"));
	gcdc_artifact_close(a);
	cr_assert_eq(gcdc_catalog_refresh(c, &changed, &why), GCDC_OK, "%s", why.what);
	cr_assert(!changed);

	// A blob with other bytes than its name says.
	char path[100];
	sha256_hex(text, strlen(text), hex);
	put_bundle(text);
	snprintf(path, sizeof path, "blobs/sha256/%s", hex);
	write_file(path, next, strlen(next));
	cr_assert_eq(gcdc_catalog_refresh(c, &changed, &why), GCDC_ERR_FORMAT);
	cr_assert(!changed && strstr(why.what, "other bytes than the catalog says"), "%s", why.what);
	gcdc_catalog_close(c);
}

Test(catalog, a_layout_without_a_bundle_is_refused)
{
	static const struct {
		const char *type, *layers, *words;
	} bad[] = {
		{"\"x\":1", "[]", "no manifest of the type"},
		{"\"artifactType\":7", "[]", "no manifest of the type"},
		{OURS, "[]", "no layer"},
		{OURS, "{}", "no layer"},
		{OURS, "[{\"mediaType\":\"application/vnd.gcdc.catalog.v1\"}]", "not JSON"},
		{OURS, "[{\"mediaType\":\"application/vnd.gcdc.catalog.v1\",\"digest\":\"sha256:../../x\"}]", "not JSON"},
		{OURS, "[{\"mediaType\":\"application/vnd.gcdc.catalog.v\\u0031\"}]", "not JSON"},
		{OURS, "[{\"media\\u0054ype\":\"application/vnd.gcdc.catalog.v1\"}]", "not JSON"},
		{"\"\\u0061rtifactType\":\"x\"", "[]", "not JSON"},
		{OURS, "[{\"a\":]}]", "not JSON"},
		{OURS, "[[[}]]]", "not JSON"},
		{OURS, "[\"x", "not JSON"},
	};
	gcdc_catalog *c;
	gcdc_refusal why;
	make_layout();
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		put_index(bad[i].type, bad[i].layers);
		cr_assert_eq(gcdc_catalog_open(folder, NULL, &c, &why), GCDC_ERR_FORMAT, "%zu", i);
		cr_assert(!c && strstr(why.what, bad[i].words), "%zu: %s", i, why.what);
	}
	char deep[400] = "{\"x\":";
	memset(deep + 5, '[', 200), deep[205] = 0;
	write_file("index.json", deep, strlen(deep));
	cr_assert_eq(gcdc_catalog_open(folder, NULL, &c, &why), GCDC_ERR_FORMAT);
	cr_assert(strstr(why.what, "not JSON"), "%s", why.what);
}

// What a reader of all of JSON finds in an index of one manifest: the same digest, or the text is none.
static const char *digest_by_cjson(const cJSON *index)
{
	const cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(index, "manifests"), 0);
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(first, "digest"));
}

Test(catalog, no_text_names_one_bundle_here_and_another_one_to_other_readers)
{
	static const char *const parts[] = {"{",  "}",         "[",           "]",  ",",    ":",      "\"",
	                                    "\\", " ",         "\"digest\":", "{}", "null", "\"a\":", "1",
	                                    "[]", "\\u0064ig", "\"a\",",      "x",  "\n"};
	char layers[512], hex[2][SHA256_HEX], text[4096], good[4096], found[SHA256_HEX], base[80];
	uint64_t seed = 11;
	uint32_t n_found = 0, n_other = 0;
	make_layout();
	snprintf(base, sizeof base, "%s/", folder);
	// Two manifests, whose catalogs have the digests 00... and 11...; the index names the first.
	for (int i = 0; i < 2; i++) {
		snprintf(layers, sizeof layers,
		         "{" OURS ",\"layers\":[{\"mediaType\":\"application/vnd.gcdc.catalog.v1\",\"digest\":\"sha256:");
		const size_t n = strlen(layers);
		memset(layers + n, '0' + i, 64), layers[n + 64] = 0;
		strcat(layers, "\"}]}");
		put_blob(layers, hex[i]);
	}
	snprintf(good, sizeof good,
	         "{\"a\":{\"b\":[\"c\\\\\",1]},\"manifests\":[{\"d\":[1,[2,{}]],\"digest\":\"sha256:%s\",\"digest\":"
	         "\"sha256:%s\"}]}",
	         hex[0], hex[1]);
	for (int i = 0; i < 6000; i++) {
		strcpy(text, good);
		for (uint32_t k = 0; k <= i % 3u; k++) {
			const char *part = parts[random_below(&seed, sizeof parts / sizeof *parts)];
			char *at = text + random_below(&seed, (uint32_t)strlen(text) + 1);
			const size_t gone = random_below(&seed, 3), rest = strlen(at);
			memmove(at + strlen(part), at + (gone < rest ? gone : rest), rest - (gone < rest ? gone : rest) + 1);
			memcpy(at, part, strlen(part));
		}
		write_file("index.json", text, strlen(text));
		if (layout_find_catalog(base, found, NULL)) continue;
		n_found++;
		cJSON *index = cJSON_ParseWithLength(text, strlen(text));
		const char *digest = digest_by_cjson(index);
		cr_assert(!index || (digest && !strcmp(digest + 7, hex[*found - '0'])), "%s: %s", found, text);
		n_other += *found == '1';
		cJSON_Delete(index);
	}
	cr_assert(n_found > 200 && n_other > 5, "%u found, %u the second: the texts show nothing", n_found, n_other);
}

// ---- Bytes and memory

static void write_changed(const char *name, const char *bytes, size_t len, size_t at)
{
	char *copy = malloc(len);
	cr_assert(copy);
	memcpy(copy, bytes, len);
	copy[at] ^= 1;
	write_file(name, copy, len);
	free(copy);
}

Test(catalog, other_bytes_than_the_catalog_says_are_refused)
{
	char text[4096] = "gcdc catalog 1\n", ignored[4096] = "", *bytes;
	size_t len;
	gcdc_catalog *c;
	gcdc_artifact *first, *a;
	gcdc_refusal why;
	put_artifact("keys", "[a-z]+", true, text);
	put_artifact("more", "[a-z]{2}", true, text);
	put_artifact("words", "[a-z ]+", false, text);
	put_vocab(text);
	strcat(text, "end\t4\n");
	write_text(text);
	put_artifact("words", "[A-Z ]+", false, ignored);  // a good artifact, but another one
	cr_assert_eq(gcdc_catalog_open(folder, NULL, &c, &why), GCDC_OK, "%s", why.what);
	cr_assert_eq(gcdc_catalog_get(c, "words", hash, &a, &why), GCDC_ERR_FORMAT);
	cr_assert(!a && strstr(why.what, "words.gcdc: other bytes than the catalog says"), "%s", why.what);

	// A byte of the vocabulary that opening does not look at; before another artifact has it open, and after that.
	cr_assert(file_read(in_folder("v.gcdv"), 1 << 24, &bytes, &len));
	char vocab_path[128];
	snprintf(vocab_path, sizeof vocab_path, "%s/v.gcdv", folder);
	const gcdc_open_options options = {.vocab_path = vocab_path};
	const struct artifact_section *section = (const void *)(bytes + sizeof(struct vocab_file_header));
	while (section->id != VOCAB_SECTION_NAME) section++;
	write_changed("v.gcdv", bytes, len, section->offset);
	cr_assert(!gcdc_artifact_open(in_folder("keys.gcdc"), &options, &a, NULL));
	gcdc_artifact_close(a);
	for (int i = 0; i < 2; i++) {
		write_changed("v.gcdv", bytes, len, section->offset);
		cr_assert_eq(gcdc_catalog_get(c, "keys", hash, &a, &why), GCDC_ERR_FORMAT);
		cr_assert(!a && strstr(why.what, "v.gcdv: other bytes than the catalog says"), "%s", why.what);
		write_file("v.gcdv", bytes, len);
		if (i == 0) cr_assert_eq(gcdc_catalog_get(c, "more", hash, &first, &why), GCDC_OK, "%s", why.what);
	}
	cr_assert_eq(gcdc_catalog_get(c, "keys", hash, &a, &why), GCDC_OK, "%s", why.what);
	gcdc_artifact_close(a);
	gcdc_artifact_close(first);

	// The same artifact with another vocabulary file is opened anew.
	write_changed("v.gcdv", bytes, len, section->offset);
	strcpy(strstr(text, "vocabulary"), "");
	put_vocab(text);
	strcat(text, "end\t4\n");
	write_text(text);
	cr_assert_eq(gcdc_catalog_get(c, "keys", hash, &first, &why), GCDC_OK);
	cr_assert_eq(gcdc_catalog_refresh(c, NULL, &why), GCDC_OK, "%s", why.what);
	cr_assert_eq(gcdc_catalog_get(c, "keys", hash, &a, &why), GCDC_OK, "%s", why.what);
	cr_assert_neq(a, first);
	gcdc_artifact_close(a);
	gcdc_artifact_close(first);
	gcdc_catalog_close(c);
	free(bytes);
}

struct failing {
	long left, live;  // calls until one fails, blocks
};

static void *failing_resize(void *context, void *block, size_t size)
{
	struct failing *f = context;
	if (!size) {
		f->live -= block != NULL;
		free(block);
		return NULL;
	}
	if (f->left-- <= 0) return NULL;
	if (!block) f->live++;
	return realloc(block, size);
}

// Opens, gets, refreshes; false when memory was short.
static bool run_short_of_memory(const char *const texts[2], struct failing *f)
{
	const gcdc_memory memory = {failing_resize, f};
	gcdc_catalog *c;
	gcdc_artifact *a = NULL, *b = NULL;
	put_bundle(texts[0]);
	gcdc_status status = gcdc_catalog_open(folder, &memory, &c, NULL);
	if (!status) status = gcdc_catalog_get(c, "keys", hash, &a, NULL);
	if (!status) put_bundle(texts[1]);
	if (!status) status = gcdc_catalog_refresh(c, NULL, NULL);
	if (!status) status = gcdc_catalog_get(c, "more", hash, &b, NULL);
	cr_assert(status == GCDC_OK || status == GCDC_ERR_MEMORY, "%d", status);
	gcdc_catalog_close(c);
	gcdc_artifact_close(a);
	gcdc_artifact_close(b);
	cr_assert_eq(f->live, 0);
	return !status;
}

Test(catalog, every_allocation_may_fail)
{
	char keys[1024] = "", more[1024] = "", texts[2][4096];
	long n = 0;
	make_layout();
	put_artifact("keys", "[a-z]+", false, keys);
	put_artifact("more", "[0-9]+", true, more);
	put_vocab(more);
	move_to_blobs("keys.gcdc", keys);
	move_to_blobs("more.gcdc", more);
	move_to_blobs("v.gcdv", strstr(more, "vocabulary"));
	snprintf(texts[0], sizeof texts[0], "gcdc catalog 1\n%send\t1\n", keys);
	snprintf(texts[1], sizeof texts[1], "gcdc catalog 1\n%s%send\t3\n", keys, more);
	for (; n < 1000; n++) {
		struct failing f = {.left = n};
		if (run_short_of_memory((const char *const[]){texts[0], texts[1]}, &f)) break;
	}
	cr_assert(n > 15 && n < 1000, "%ld allocations", n);
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
	static const char zeros[] = "00000000000000000000000000000000";
	char vocabs[1024];
	snprintf(vocabs, sizeof vocabs, "gcdc catalog 1\nvocabulary\tt\t%s\t%s%s\tv\nvocabulary\tt\t%s\t%s%s\tv\nend\t2\n",
	         zeros, zeros, zeros, zeros, zeros, zeros);
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
		vocabs,
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
