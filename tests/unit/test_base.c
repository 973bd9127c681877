// lib/base: sums, files, guesses, bits, maps.
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <sys/stat.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bitset.h"
#include "base/file.h"
#include "base/guess.h"
#include "base/map64.h"
#include "base/sha256.h"
#include "base/sort_records.h"
#include "rng.h"

// FIPS 180-4's examples, and lengths around the end of a block (sums by coreutils).
Test(sha256, is_that_of_the_standard)
{
	static char many[1000000];
	memset(many, 'a', sizeof many);
	const struct {
		const char *text;
		size_t len;
		const char *sum;
	} cases[] = {
		{"", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
	     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
		{many, 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
		{many, 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
		{many, sizeof many, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char hex[SHA256_HEX];
		sha256_hex(cases[i].text, cases[i].len, hex);
		cr_assert_str_eq(hex, cases[i].sum, "case %zu", i);
	}
}

Test(file, a_replacement_is_whole_and_leaves_nothing_beside_it)
{
	char folder[] = "/tmp/gcdc-file-XXXXXX", path[64], *bytes;
	size_t len;
	struct diag d = {0};
	bool changed;
	cr_assert(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/x", folder);
	cr_assert(file_replace(path, "one", 3, &d));
	cr_assert(file_update(path, "one", 3, &changed, &d) && !changed);
	cr_assert(file_update(path, "o", 1, &changed, &d) && changed);
	cr_assert(file_update(path, "other", 5, &changed, &d) && changed);
	cr_assert(file_read(path, 5, &bytes, &len) && len == 5 && !strcmp(bytes, "other"));
	free(bytes);
	cr_assert(!file_read(path, 4, &bytes, &len) && errno == EFBIG);
	cr_assert_eq(d.n_errors, 0);
	cr_assert(!unlink(path) && !rmdir(folder), "something is left beside it");
	diag_release(&d);
}

Test(file, a_new_file_has_the_mode_that_the_umask_says)
{
	char folder[] = "/tmp/gcdc-file-XXXXXX", path[64];
	struct diag d = {0};
	struct stat s;
	cr_assert(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/x", folder);
	static const mode_t masks[] = {022, 0137, 0};
	for (size_t i = 0; i < 3; i++) {
		umask(masks[i]);
		cr_assert(file_replace(path, "one", 3, &d) && !stat(path, &s));
		cr_assert_eq(s.st_mode & 0777, 0666 & ~masks[i]);
	}
	cr_assert(!unlink(path) && !rmdir(folder));
	diag_release(&d);
}

Test(file, a_device_is_not_replaced)
{
	struct diag d = {0};
	cr_assert(!file_replace("/dev/null", "x", 1, &d));
	cr_assert(strstr(diag_text(&d), "no regular file"));
	diag_release(&d);
}

Test(file, temporary_names_are_known)
{
	cr_assert(file_is_temporary("a.gcdc.Ab12Cd", "a.gcdc"));
	cr_assert(!file_is_temporary("a.gcdc.Ab12C", "a.gcdc"));
	cr_assert(!file_is_temporary("a.gcdc.Ab12C_", "a.gcdc"));
	cr_assert(!file_is_temporary("b.gcdc.Ab12Cd", "a.gcdc"));
	cr_assert(!file_is_temporary("a.gcdc", "a.gcdc"));
}

Test(guess, is_the_nearest_name)
{
	const char *const names[] = {"level", "raw", "start"};
	cr_assert_str_eq(guess_name("strat", names, 3), "start");
	cr_assert_str_eq(guess_name("levle", names, 3), "level");
	cr_assert_null(guess_name("budget", names, 3));
	cr_assert_null(guess_name("x", names, 3));
	cr_assert_str_eq(guess_within(1, "arw", names, 3), "raw", "neighbours that changed places are one edit");
	cr_assert_null(guess_within(1, "wr", names, 3));
	cr_assert_null(guess_within(1, "strat_", names, 3));
}

Test(guess, may_lack_half_as_many_characters_as_there_are)
{
	const char *const names[] = {"<|begin_of_text|>", "<|eom_id|>", "<|eot_id|>"};
	cr_assert_str_eq(guess_name("<|eot|>", names, 3), "<|eot_id|>");
	cr_assert_null(guess_name("<|ot|>", names, 3), "four are lacking, of six");
}

Test(bitset, a_range_is_its_bits)
{
	for (uint32_t from = 0; from < 200; from++)
		for (uint32_t to = from + 1; to <= 200; to++) {
			bits all[4] = {0}, each[4] = {0};
			bits_set_range(all, from, to);
			for (uint32_t i = from; i < to; i++) bits_set(each, i);
			cr_assert(!memcmp(all, each, sizeof all), "%u..%u", from, to);
			uint32_t n = 0;
			for (uint32_t w = 0; w < 4; w++) n += bits_of_word(all[w]);
			cr_assert_eq(n, to - from);
		}
}

Test(map64, keeps_what_it_is_given_and_always_has_room)
{
	struct map64 m = {0};
	const uint32_t n = MAP64_LARGE + 100000;
	for (uint32_t i = 0; i < n; i++) {
		map64_put(&m, (uint64_t)i * i << 3 | (i & 7), i);
		cr_assert(m.n < m.cap - m.cap / 4);
	}
	for (uint32_t i = 0; i < n; i++) cr_assert_eq(map64_get(&m, (uint64_t)i * i << 3 | (i & 7)), i);
	cr_assert_eq(m.n, n);
	cr_assert_eq(map64_get(&m, 5), MAP64_NONE);
	map64_release(&m);
}

struct record {
	uint32_t key, place;
};

static int compare_keys(const void *a, const void *b)
{
	const struct record *x = a, *y = b;
	return (x->key > y->key) - (x->key < y->key);
}
SORT_RECORDS(sort_by_key, struct record, compare_keys)

static int compare_both(const void *a, const void *b)
{
	const struct record *x = a, *y = b;
	return compare_keys(x, y) ? compare_keys(x, y) : (x->place > y->place) - (x->place < y->place);
}

// Random ones, runs that ascend, and lists that are in order or in reverse.
Test(sort_records, keeps_the_order_of_equal_ones)
{
	static struct record is[700], wanted[700];
	struct rng r = {20261129};
	fprintf(stderr, "seed %llu\n", (unsigned long long)r.x);
	for (uint32_t round = 0; round < 2000; round++) {
		const uint32_t n = pick(&r, round % 2 ? 700 : 40), keys = 1 + pick(&r, 2 * n + 2), kind = pick(&r, 4);
		for (uint32_t i = 0; i < n; i++) {
			const uint32_t key = pick(&r, keys);
			is[i].key = kind == 0 ? key : kind == 1 ? i % (1 + keys / 3) : kind == 2 ? i / 3 : (n - i) / 2;
			is[i].place = i;
		}
		memcpy(wanted, is, sizeof is);
		if (n) qsort(wanted, n, sizeof *wanted, compare_both);
		sort_by_key(is, n);
		cr_assert(!memcmp(is, wanted, n * sizeof *is), "round %u: %u records", round, n);
	}
}
