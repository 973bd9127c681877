// Why the artifact of a schema refuses a text, in the words of JSON.
//
// In:  a text and the offset from which it is wrong. Out: the JSON pointer of the value where that is, and what could
// stand there. The text before the offset is read as JSON, by itself: which value, key or sign stands there, where it
// begins. What could stand there is what the parser wants behind the text up to that place. Cost: O(offset).
#include "schema_refusal.h"

#include "base/mem.h"
#include "place.h"

#include <cJSON.h>
#include <string.h>

// An array or an object that is open: where its key stands, or how many items came before.
struct level {
	bool is_object;
	size_t begin;         // its bracket
	size_t key, key_len;  // between the quotes
	uint64_t item;
};

enum part { PART_VALUE, PART_KEY, PART_SIGN };
struct reading {
	VEC(struct level) levels;
	enum part part;  // what stands at the offset, or has to
	size_t begin;    // where that begins
};

// The end of what begins at `at`: a string, a number or a word; the offset, if it does not end before.
static size_t skip_scalar(const char *text, size_t at, size_t offset)
{
	size_t i = at + 1;
	if (text[at] == '"') {
		for (; i < offset && text[i] != '"'; i++) i += text[i] == '\\';
		return i < offset ? i + 1 : offset;
	}
	while (i < offset && !strchr(" \t\n\r,:]}", text[i])) i++;
	return i;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Reads the text up to the offset, which is wrong behind it.
// Branches: a reader of JSON by hand: what is wanted next (a value, a key, a colon, a comma) times the signs that may
// stand there.
static void read_prefix(struct reading *r, const char *text, size_t len, size_t offset)
{
	enum { VALUE, KEY, COLON, MORE } want = VALUE;
	bool first = true;  // of an array's or object's entries: it may end
	for (size_t i = 0;;) {
		while (i < offset && is_blank(text[i])) i++;
		struct level *top = r->levels.n ? &r->levels.at[r->levels.n - 1] : NULL;
		r->begin = i;
		r->part = want == VALUE ? PART_VALUE : want == KEY ? PART_KEY : PART_SIGN;
		if (i >= offset) {
			// An end where an entry was wanted is about the entries there are.
			bool ends = i < len && (text[i] == '}' || text[i] == ']') && top && first;
			if (ends) r->part = PART_SIGN;
			return;
		}
		char c = text[i];
		if ((c == '}' || c == ']') && top) {
			r->levels.n--;
			i++, want = MORE;
			continue;
		}
		if (want == COLON) {
			i++, want = VALUE;
			continue;
		}
		if (want == MORE) {
			if (top && !top->is_object) top->item++;
			i++, want = top && top->is_object ? KEY : VALUE, first = false;
			continue;
		}
		if (c == '{' || c == '[') {
			vec_push(&r->levels, ((struct level){.is_object = c == '{', .begin = i}));
			i++, want = c == '{' ? KEY : VALUE, first = true;
			continue;
		}
		size_t end = skip_scalar(text, i, offset);
		if (end >= offset && !(c == '"' && end == offset && offset > i + 1 && text[offset - 1] == '"')) return;
		if (want == KEY) top->key = i + 1, top->key_len = end - i - 2;
		i = end, want = want == KEY ? COLON : MORE;
	}
}

static void print_pointer(FILE *f, const struct reading *r, const char *text)
{
	// At a key or a sign the value in question is the one around it.
	size_t n = r->levels.n - (r->part != PART_VALUE && r->levels.n ? 1 : 0);
	for (size_t i = 0; i < n; i++) {
		const struct level *l = &r->levels.at[i];
		if (!l->is_object) {
			fprintf(f, "/%llu", (unsigned long long)l->item);
			continue;
		}
		fputc('/', f);
		for (size_t k = 0; k < l->key_len; k++) {
			char c = text[l->key + k];
			if (c == '~' || c == '/')
				fputs(c == '~' ? "~0" : "~1", f);
			else
				fputc(c, f);
		}
	}
	if (!n) fputs("the value", f);
}

// The terminals that can stand at r->begin, ignored ones aside.
static bool find_wanted(const struct artifact_view *v, gcdc_matcher *m, const char *text, size_t at, terminal_set *out)
{
	gcdc_matcher_reset(m);
	if (at && gcdc_matcher_accept_bytes(m, text, at) != GCDC_OK) return false;
	gcdc_shown_reading reading;
	for (uint32_t i = 0; gcdc_show_reading(m, i, &reading); i++) {
		stack_list stacks = {0};
		place_stacks(v, m, i, NULL, &stacks);
		uint32_t t = view_lex_state(v, reading.lex_state)->terminal;
		if (at && t != ARTIFACT_NONE) place_push_all(v, &stacks, t);
		place_wanted(v, &stacks, out);
		place_release(&stacks);
	}
	return true;
}

static bool wants(const struct artifact_view *v, const terminal_set *wanted, const char *sign)
{
	for (uint32_t i = 0; i < wanted->n; i++)
		if (wanted->at[i] < v->info->n_terminals &&
		    strncmp(view_terminal_name(v, wanted->at[i]), sign, strlen(sign)) == 0)
			return true;
	return false;
}

// Does the terminal stand for values that are listed, `"a" | "b"`, null or true?
static bool is_constant(const char *name)
{
	return *name == '"' || strcmp(name, "null") == 0 || strcmp(name, "true") == 0 || strcmp(name, "false") == 0;
}

#define SHOWN 12u      // of a list
#define KEY_SHOWN 60u  // bytes of a key

// Branches: signs are named in words, constants are joined by commas, other terminals by "or", and a long list is cut.
static void print_values(FILE *f, const struct artifact_view *v, const terminal_set *wanted, bool is_value)
{
	static const char *const signs[][2] = {{"\"{\"", "an object"}, {"\"[\"", "an array"}};
	bool all_constant = wanted->n > 0;
	uint32_t n = 0;
	for (uint32_t i = 0; i < wanted->n; i++) {
		const char *name = wanted->at[i] < v->info->n_terminals ? view_terminal_name(v, wanted->at[i]) : "";
		bool sign = strcmp(name, signs[0][0]) == 0 || strcmp(name, signs[1][0]) == 0;
		all_constant &= is_constant(name) && !sign;
	}
	bool listed = all_constant && is_value;
	fputs(listed ? "not one of " : "expected ", f);
	for (uint32_t i = 0; i < wanted->n; i++) {
		if (wanted->at[i] >= v->info->n_terminals) continue;
		const char *name = view_terminal_name(v, wanted->at[i]);
		for (size_t k = 0; k < 2; k++)
			if (strcmp(name, signs[k][0]) == 0) name = signs[k][1];
		if (strcmp(name, "\"]\"") == 0) continue;
		if (++n > SHOWN) continue;
		fputs(n == 1 ? "" : listed ? ", " : " or ", f);
		for (const char *c = name; *c; c++) {
			bool bar = strncmp(c, " | ", 3) == 0;
			fputs(bar ? ", " : (char[2]){*c, 0}, f);
			c += bar ? 2 : 0;
		}
	}
	if (n > SHOWN) fprintf(f, " ... (%u more)", n - SHOWN);
}

// Lists the keys that may come, behind the words. False: none may.
static bool print_keys(FILE *f, const struct artifact_view *v, const terminal_set *wanted, const char *words)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < wanted->n; i++) {
		const char *name = wanted->at[i] < v->info->n_terminals ? view_terminal_name(v, wanted->at[i]) : "\"}\"";
		if (strcmp(name, "\"}\"") == 0 || strcmp(name, "\",\"") == 0) continue;
		if (++n <= SHOWN) fprintf(f, "%s%s", n == 1 ? words : ", ", name);
	}
	if (n > SHOWN) fprintf(f, " ... (%u more)", n - SHOWN);
	return n > 0;
}

// What stands where a key has to, as far as it is one.
static void print_wrong_key(FILE *f, const struct artifact_view *v, const terminal_set *wanted, const char *text,
                            size_t len)
{
	size_t end = 1;
	while (end < len && end <= KEY_SHOWN && text[end] != '"' && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
	bool is_long = end > KEY_SHOWN, is_key = len && *text == '"' && (is_long || (end < len && text[end] == '"'));
	if (is_key)
		fprintf(f, "the key %.*s%s may not stand here; ", (int)(is_long ? KEY_SHOWN : end + 1), text,
		        is_long ? "..." : "");
	if (!print_keys(f, v, wanted, is_key ? "expected " : "expected the key ")) fputs("no further key may come", f);
}

// Where the value ends that the byte at the offset ends, or tells (a word, a zero), as far as that is written.
static size_t value_end(const struct reading *r, const char *text, size_t len, size_t offset)
{
	const char c = text[offset];
	if (r->begin == offset && (c == 't' || c == 'f' || c == 'n')) return skip_scalar(text, offset, len);
	return c == '"' || c == '}' || (c == ']' && r->begin == offset) ? offset + 1 : offset;
}

// The value that ends or is told at the offset, an item of an array: the item before it that is equal; items are
// counted from 0. False: there is none. Of each text the array's is read with its end supplied.
static bool find_equal(const struct reading *r, const char *text, size_t len, size_t offset, uint64_t equal[2])
{
	const char c = offset < len ? text[offset] : 0;
	const bool closes = c && r->begin == offset && (c == '}' || c == ']');
	if (!c || r->levels.n < 1 + (size_t)closes || r->part == PART_KEY) return false;
	const struct level *array = &r->levels.at[r->levels.n - 1 - closes];
	const size_t end = value_end(r, text, len, offset), n = end - array->begin;
	if (array->is_object) return false;
	char *items = mem_alloc(n + 2);
	memcpy(items, text + array->begin, n);
	memcpy(items + n, "]", 2);
	cJSON *all = cJSON_Parse(items);
	const cJSON *last = cJSON_GetArrayItem(all, (int)array->item);
	bool found = false;
	for (int i = 0; last && i < (int)array->item && !found; i++) {
		found = cJSON_Compare(cJSON_GetArrayItem(all, i), last, true);
		equal[0] = (uint64_t)i, equal[1] = array->item;
	}
	cJSON_Delete(all);
	free(items);
	return found;
}

// The keys that may come where an object may not end yet: behind a comma, but for the first one.
static void print_missing(FILE *f, const struct artifact_view *v, gcdc_matcher *m, const char *text, size_t at)
{
	terminal_set keys = {0};
	char *next = mem_alloc(at + 1);
	memcpy(next, text, at);
	next[at] = ',';
	if (!find_wanted(v, m, next, at + 1, &keys)) find_wanted(v, m, text, at, &keys);
	print_keys(f, v, &keys, "; expected ");
	free(next);
	vec_release(&keys);
}

// True: an object ends too early.
static bool print_sign(FILE *f, const struct artifact_view *v, const terminal_set *wanted, const struct reading *r,
                       char c)
{
	bool in_object = r->levels.n && r->levels.at[r->levels.n - 1].is_object;
	const char *end = in_object ? "\"}" : "\"]";
	bool early = r->levels.n && (c == '}' || c == ']') && !wants(v, wanted, end);
	if (!r->levels.n)
		fputs("the value has ended, and something follows it", f);
	else if (early)
		fprintf(f, "it may not end here: %s", in_object ? "a key is missing" : "there are too few items");
	else if (c == ',' && !wants(v, wanted, "\","))
		fprintf(f, "no further %s may come", in_object ? "key" : "item");
	else
		print_values(f, v, wanted, false);
	return early && in_object;
}

// A number or a word that ends at the offset: is it whole, so that what follows is wrong?
static bool is_whole(gcdc_matcher *m, const char *text, size_t len, size_t offset, size_t begin)
{
	static const char after[] = " ,]}";
	if (offset >= len || offset == begin || text[begin] == '"' || !strchr(" \t\n\r,:]}", text[offset])) return false;
	for (size_t i = 0; after[i]; i++) {
		gcdc_matcher_reset(m);
		if (gcdc_matcher_accept_bytes(m, text, offset) == GCDC_OK &&
		    gcdc_matcher_accept_bytes(m, &after[i], 1) == GCDC_OK)
			return true;
	}
	return false;
}

bool schema_equal_items(const gcdc_artifact *artifact, const char *text, size_t len, size_t offset, uint64_t equal[2])
{
	struct reading r = {0};
	if (!gcdc_artifact_section(artifact, SECTION_UNIQUES, NULL)) return false;
	read_prefix(&r, text, len, offset);
	const bool is_equal = find_equal(&r, text, len, offset, equal);
	vec_release(&r.levels);
	return is_equal;
}

char *schema_refusal(const char *path, gcdc_artifact *artifact, gcdc_matcher *matcher, const char *text, size_t len,
                     size_t offset)
{
	struct reading r = {0};
	struct artifact_view v;
	terminal_set wanted = {0};
	char *out = NULL;
	size_t size;
	read_prefix(&r, text, len, offset);
	if (r.part == PART_VALUE && is_whole(matcher, text, len, offset, r.begin)) r.part = PART_SIGN, r.begin = offset;
	uint64_t equal[2];
	const bool are_equal =
		gcdc_artifact_section(artifact, SECTION_UNIQUES, NULL) && find_equal(&r, text, len, offset, equal);
	if (view_of(&v, path, artifact) && find_wanted(&v, matcher, text, r.begin, &wanted)) {
		FILE *f = text_stream(&out, &size);
		print_pointer(f, &r, text);
		fputs(": ", f);
		if (are_equal)
			fprintf(f, "items %llu and %llu are equal, and uniqueItems lets no two of them be",
			        (unsigned long long)equal[0], (unsigned long long)equal[1]);
		else if (r.part == PART_VALUE)
			print_values(f, &v, &wanted, true);
		else if (r.part == PART_KEY)
			print_wrong_key(f, &v, &wanted, text + r.begin, len - r.begin);
		else if (print_sign(f, &v, &wanted, &r, offset < len ? text[offset] : 0))
			print_missing(f, &v, matcher, text, r.begin);
		fclose(f);
	}
	gcdc_matcher_reset(matcher);
	vec_release(&wanted), vec_release(&r.levels);
	return out;
}
