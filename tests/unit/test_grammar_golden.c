// Tiny grammars, each named for its one point, against the text that they must become.
//
// tests/golden/grammar/*.lark must load, errors/*.lark must not; beside each lies a .txt with its messages and,
// when it loads, its dump. GCDC_UPDATE_GOLDEN=1 writes the .txt files anew: read the difference.
#include <criterion/criterion.h>
#include <dirent.h>

#include "../support/grammar_text.h"

#define FOLDER "tests/golden/grammar"

static char *whole_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	if (!f) return NULL;
	char *text = NULL;
	size_t n = 0, got;
	do {
		text = mem_realloc(text, n + 65536, 1);
		n += got = fread(text + n, 1, 65535, f);
	} while (got);
	text[n] = 0;
	fclose(f);
	return text;
}

static int is_lark(const struct dirent *e)
{
	size_t n = strlen(e->d_name);
	return n > 5 && strcmp(e->d_name + n - 5, ".lark") == 0;
}

static char *result_of(const char *path, bool *ok)
{
	struct diag d = {0};
	struct grammar g;
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	*ok = grammar_load(path, NULL, &d, &g);
	diag_print(&d, f);
	if (*ok) {
		const char *wrong = grammar_check(&g);
		cr_expect_null(wrong, "%s: %s", path, wrong);
		grammar_dump(&g, f);
		grammar_release(&g);
	}
	cr_expect_eq(*ok, d.n_errors == 0, "%s: errors and result disagree", path);
	diag_release(&d);
	fclose(f);
	return text;
}

static void run_folder(const char *folder, bool must_load)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, is_lark, alphasort);
	cr_assert_gt(n, 0, "%s: no grammars", folder);
	for (int i = 0; i < n; i++) {
		char path[600], golden[600];
		snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
		snprintf(golden, sizeof golden, "%.*s.txt", (int)strlen(path) - 5, path);
		bool ok;
		char *got = result_of(path, &ok);
		cr_expect_eq(ok, must_load, "%s: %s", path, got);
		if (getenv("GCDC_UPDATE_GOLDEN")) {
			FILE *f = fopen(golden, "wb");
			cr_assert_not_null(f);
			fputs(got, f);
			fclose(f);
		}
		char *expected = whole_file(golden);
		cr_expect(expected && strcmp(got, expected) == 0, "%s: got\n%s\nexpected\n%s", path, got,
		          expected ? expected : "(no such file)");
		free(expected);
		free(got);
		free(entries[i]);
	}
	free(entries);
}

Test(grammar_golden, grammars_become_what_they_should) { run_folder(FOLDER, true); }
Test(grammar_golden, errors_say_what_they_should) { run_folder(FOLDER "/errors", false); }

Test(grammar_golden, a_grammar_loads_twice_to_the_same)
{
	struct dirent **entries;
	int n = scandir(FOLDER, &entries, is_lark, alphasort);
	cr_assert_gt(n, 0);
	for (int i = 0; i < n; i++) {
		char path[600];
		snprintf(path, sizeof path, FOLDER "/%s", entries[i]->d_name);
		struct diag d = {0};
		struct grammar a, b;
		cr_assert(grammar_load(path, NULL, &d, &a) && grammar_load(path, NULL, &d, &b));
		cr_expect(a.hash[0] == b.hash[0] && a.hash[1] == b.hash[1], "%s", path);
		grammar_release(&a), grammar_release(&b);
		diag_release(&d);
		free(entries[i]);
	}
	free(entries);
}
