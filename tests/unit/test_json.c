// The reader of JSON: strings at every place of a word, keys that come twice, texts that end too early.
#include <criterion/criterion.h>

#include "../../lib/schema/json.h"

struct reading {
	struct arena arena;
	struct diag d;
	struct source source;
	struct json *root;
};

static void read_text(struct reading *x, const char *text, size_t len)
{
	*x = (struct reading){.source = {"t.json", text, len}};
	struct json_store store = {.arena = &x->arena, .d = &x->d};
	x->root = json_read(&store, &x->source);
}

static void forget(struct reading *x)
{
	arena_release(&x->arena);
	diag_release(&x->d);
}

static void expect_string(const char *text, size_t len, const char *value, size_t n)
{
	struct reading x;
	read_text(&x, text, len);
	cr_assert_not_null(x.root, "%.*s: %s", (int)len, text, diag_text(&x.d));
	cr_assert_eq(x.root->kind, JSON_STRING);
	cr_assert(x.root->len == n && memcmp(x.root->text, value, n) == 0, "%.*s", (int)len, text);
	cr_assert(x.root->loc.offset == 0 && x.root->loc.len == len);
	forget(&x);
}

static void expect_message(const char *text, size_t len, const char *message)
{
	char *copy = memcpy(mem_alloc(len + 1), text, len);  // nothing behind it: a read there is seen
	copy = mem_realloc(copy, len ? len : 1, 1);
	struct reading x;
	read_text(&x, copy, len);
	cr_assert_null(x.root, "%.*s", (int)len, text);
	cr_assert_not_null(strstr(diag_text(&x.d), message), "%.*s: %s", (int)len, text, diag_text(&x.d));
	forget(&x);
	free(copy);
}

// Each piece behind 0 to 20 plain characters, and before as many.
Test(json, pieces_of_strings_at_every_place)
{
	static const struct {
		const char *written, *read;
		uint32_t n;
	} pieces[] = {{"", "", 0},
	              {"\\n", "\n", 1},
	              {"\\\"", "\"", 1},
	              {"\\\\", "\\", 1},
	              {"\\\\\\\"", "\\\"", 2},
	              {"\\u0000", "\0", 1},
	              {"\\u20AC", "\xE2\x82\xAC", 3},
	              {"\\ud83d\\ude00", "\xF0\x9F\x98\x80", 4},
	              {"\\ud83d", "\xED\xA0\xBD", 3},
	              {"\xC3\xA9", "\xC3\xA9", 2},
	              {"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80", 4},
	              {"\x7F", "\x7F", 1},
	              {" {[,:]} ", " {[,:]} ", 8}};
	static const char plain[] = "abcdefgh ijklmnopqrs";
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		for (uint32_t before = 0; before <= 20; before++)
			for (uint32_t behind = 0; behind <= 20; behind += 4) {
				char text[80], value[80];
				const int len = snprintf(text, sizeof text, "\"%.*s%s%.*s\"", (int)before, plain, pieces[i].written,
				                         (int)behind, plain);
				memcpy(value, plain, before);
				memcpy(value + before, pieces[i].read, pieces[i].n);
				memcpy(value + before + pieces[i].n, plain, behind);
				expect_string(text, (size_t)len, value, before + pieces[i].n + behind);
			}
}

// Bytes that no string may hold, and texts that end inside of one, at every place of a word.
Test(json, broken_strings_at_every_place)
{
	static const struct {
		const char *piece, *message;
	} broken[] = {{"\n\"", "a control character"}, {"\x1F\"", "a control character"}, {"\xFF\"", "not UTF-8"},
	              {"\xC3\"", "not UTF-8"},         {"\x80\"", "not UTF-8"},           {"\x9F\"", "not UTF-8"},
	              {"\\x\"", "no such escape"},     {"\\u12\"", "no such escape"},     {"", "does not end"},
	              {"\\\"", "does not end"},        {"\\", "no such escape"},          {"\\u12", "no such escape"},
	              {"\xE2\x82", "not UTF-8"}};
	static const char plain[] = "abcdefghijklmnopqrst";
	for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
		for (uint32_t before = 0; before <= 20; before++) {
			char text[80];
			const int len = snprintf(text, sizeof text, "\"%.*s%s", (int)before, plain, broken[i].piece);
			expect_message(text, (size_t)len, broken[i].message);
		}
}

// Of n keys, key number `twice` once more at the end: the last counts, at the place of the first.
Test(json, of_equal_keys_the_last_counts)
{
	for (uint32_t n = 1; n <= 40; n++)
		for (uint32_t twice = 0; twice < n; twice += 3) {
			char text[1000];
			size_t len = 0;
			text[len++] = '{';
			for (uint32_t i = 0; i <= n; i++)
				len += (size_t)snprintf(text + len, sizeof text - len, "%s\"k%u\": [%u, {\"k0\": %u}]", i ? ", " : "",
				                        i < n ? i : twice, i, i);
			text[len++] = '}';
			struct reading x;
			read_text(&x, text, len);
			cr_assert_not_null(x.root, "%.*s: %s", (int)len, text, diag_text(&x.d));
			cr_assert_eq(x.root->n, n);
			for (uint32_t i = 0; i < n; i++) {
				char number[8];
				snprintf(number, sizeof number, "%u", i == twice ? n : i);
				const struct json *v = x.root->members[i].value;
				cr_assert(v->kind == JSON_ARRAY && v->n == 2 && v->up == x.root);
				cr_assert_str_eq(v->items[0]->text, number);
				cr_assert_str_eq(json_get(v->items[1], "k0")->text, number);
			}
			cr_assert_not_null(strstr(diag_text(&x.d), "comes twice"));
			cr_assert_eq(json_get(x.root, "k1") != NULL, n > 1);
			forget(&x);
		}
}
