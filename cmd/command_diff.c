// gcdc diff: what changed from one artifact to another.
//
// In:  two artifacts. Out: counts and sections that differ, terminals and productions added, removed or changed, tokens
// that are not the same, and shortest texts that one allows and the other does not (diff_search.h). Exit code as
// diff(1): 0 nothing differs, 1 something does. Cost: O(names log names), O(vocabulary), and the search.
#include "artifact_view.h"
#include "diff_search.h"
#include "json_text.h"
#include "options.h"
#include "base/text_show.h"

#include <string.h>

#define ME "diff"
#define N_EXAMPLES 5u

// A list of lines of each artifact, sorted; what stands in one alone has changed.
struct line {
	const char *key, *text;
};  // lines with one key belong together
struct lines {
	struct line *at;
	uint32_t n;
};

struct diff {
	struct artifact_view view[2];
	struct arena arena;
	struct json_writer json;
	bool is_json, differs;
	bool has_heading;
	const char *heading;
};

// ---- Output: a heading comes with the first line below it.
static void begin_part(struct diff *d, const char *key, const char *heading)
{
	d->heading = heading;
	d->has_heading = false;
	if (d->is_json) json_key(&d->json, key);
}
static void need_heading(struct diff *d)
{
	d->differs = true;
	if (!d->has_heading && !d->is_json) printf("\n%s\n", d->heading);
	d->has_heading = true;
}

// ARTIFACT_NONE: no bound.
static void put_number(struct diff *d, const char *key, uint64_t value)
{
	json_key(&d->json, key);
	if (value == ARTIFACT_NONE)
		json_null(&d->json);
	else
		json_uint(&d->json, value);
}

static void tell_number(struct diff *d, const char *name, uint64_t a, uint64_t b)
{
	if (a == b) return;
	need_heading(d);
	if (d->is_json) {
		json_object(&d->json);
		json_string_entry(&d->json, "name", name);
		put_number(d, "a", a);
		put_number(d, "b", b);
		json_close(&d->json);
		return;
	}
	bool bounded = a != ARTIFACT_NONE && b != ARTIFACT_NONE;
	char text[2][24];
	for (int k = 0; k < 2; k++) {
		uint64_t value = k ? b : a;
		if (value == ARTIFACT_NONE)
			snprintf(text[k], sizeof text[k], "unbounded");
		else
			snprintf(text[k], sizeof text[k], "%llu", (unsigned long long)value);
	}
	printf("  %-16s %12s -> %12s", name, text[0], text[1]);
	if (bounded) printf("  %+lld", (long long)(b - a));
	putchar('\n');
}

static void diff_counts(struct diff *d)
{
	const struct artifact_info *a = d->view[0].info, *b = d->view[1].info;
	const struct {
		const char *name;
		uint64_t a, b;
	} counts[] = {
#define COUNT(field) {#field, a->field, b->field}
		{"tokens", a->n_tokens, b->n_tokens},
		{"eos", a->n_eos, b->n_eos},
		{"terminals", a->n_terminals, b->n_terminals},
		{"nonterminals", a->n_nonterminals, b->n_nonterminals},
		{"productions", a->n_productions, b->n_productions},
		{"lex_states", a->n_lex_states - 1, b->n_lex_states - 1},
		{"byte_classes", a->n_classes, b->n_classes},
		{"obligations", a->n_obligations, b->n_obligations},
		{"contexts", a->n_contexts, b->n_contexts},
		{"lr_states", a->n_lr_states - 1, b->n_lr_states - 1},
		{"starts", a->n_starts, b->n_starts},
		{"nodes", a->n_nodes - 1, b->n_nodes - 1},
		{"edges", a->n_edges, b->n_edges},
		{"sets", a->n_sets, b->n_sets},
		{"set_rows", a->n_dense, b->n_dense},
		{"set_tokens", a->n_sparse, b->n_sparse},
		{"blanks", a->n_blanks, b->n_blanks},
		COUNT(worst_frames),
		COUNT(worst_sets),
		{"max_readings", a->max_readings, b->max_readings},
		COUNT(max_pushes)};
#undef COUNT
	begin_part(d, "counts", "counts");
	if (d->is_json) json_array(&d->json);
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		tell_number(d, counts[i].name, counts[i].a, counts[i].b);
	if (d->is_json) json_close(&d->json);
}

static uint64_t stored_of(const struct artifact_section *s, uint32_t n, uint32_t id)
{
	for (uint32_t i = 0; i < n; i++)
		if (s[i].id == id) return s[i].stored;
	return 0;
}

static void diff_sections(struct diff *d)
{
	struct artifact_section s[2][ARTIFACT_MAX_SECTIONS];
	uint32_t n[2];
	gcdc_info info[2];
	for (int k = 0; k < 2; k++) {
		n[k] = view_sections(&d->view[k], s[k]);
		gcdc_artifact_info(d->view[k].artifact, &info[k]);
	}
	begin_part(d, "bytes", "bytes in the file");
	if (d->is_json) json_array(&d->json);
	tell_number(d, "file", info[0].file_size, info[1].file_size);
	for (uint32_t i = 0; i < n[0]; i++)
		tell_number(d, view_section_name(s[0][i].id), s[0][i].stored, stored_of(s[1], n[1], s[0][i].id));
	for (uint32_t i = 0; i < n[1]; i++)
		if (!stored_of(s[0], n[0], s[1][i].id)) tell_number(d, view_section_name(s[1][i].id), 0, s[1][i].stored);
	if (d->is_json) json_close(&d->json);
}

// ---- Names.
static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int c = strcmp(x->key, y->key);
	return c ? c : strcmp(x->text, y->text);
}

static struct lines terminal_lines(struct diff *d, const struct artifact_view *v)
{
	struct lines l = {arena_array(&d->arena, v->info->n_terminals, sizeof *l.at), v->info->n_terminals};
	for (uint32_t t = 0; t < l.n; t++) {
		const struct artifact_terminal *x = view_terminal(v, t);
		const char *name = view_terminal_name(v, t);
		char *priority =
			x->priority ? arena_printf(&d->arena, ", priority %d", x->priority) : arena_printf(&d->arena, "%s", "");
		l.at[t] = (struct line){name, arena_printf(&d->arena, "%s: %s%s%s%s", name, view_terminal_pattern(v, t),
		                                           priority, x->flags & TERMINAL_IGNORED ? ", ignored" : "",
		                                           x->flags & TERMINAL_DECLARED ? ", declared" : "")};
	}
	if (l.n) qsort(l.at, l.n, sizeof *l.at, compare_lines);
	return l;
}

static struct lines production_lines(struct diff *d, const struct artifact_view *v)
{
	struct lines l = {arena_array(&d->arena, v->info->n_productions, sizeof *l.at), v->info->n_productions};
	for (uint32_t p = 0; p < l.n; p++) {
		struct view_production y = view_production(v, p);
		char *text = arena_printf(&d->arena, "%s:", view_nonterminal_name(v, y.left));
		for (uint32_t i = 0; i < y.n; i++)
			text = arena_printf(&d->arena, "%s %s", text, view_symbol_name(v, y.right[i]));
		l.at[p] = (struct line){text, text};
	}
	if (l.n) qsort(l.at, l.n, sizeof *l.at, compare_lines);
	return l;
}

static void tell_line(struct diff *d, char sign, const char *text)
{
	need_heading(d);
	if (!d->is_json) {
		printf("  %c %s\n", sign, text);
		return;
	}
	json_object(&d->json);
	json_string_entry(&d->json, "change", sign == '+' ? "added" : "removed");
	json_text_entry(&d->json, "text", text, strlen(text));
	json_close(&d->json);
}

// Both lists at once; a changed line is one that went and one that came, next to each other.
static void diff_lines(struct diff *d, const char *key, const char *heading, const struct lines *a,
                       const struct lines *b)
{
	begin_part(d, key, heading);
	if (d->is_json) json_array(&d->json);
	for (uint32_t i = 0, k = 0; i < a->n || k < b->n;) {
		int c = i == a->n ? 1 : k == b->n ? -1 : compare_lines(&a->at[i], &b->at[k]);
		if (c < 0) tell_line(d, '-', a->at[i].text);
		if (c > 0) tell_line(d, '+', b->at[k].text);
		i += c <= 0;
		k += c >= 0;
	}
	if (d->is_json) json_close(&d->json);
}

// Ids whose bytes are not the same.
// Branches: the differences stand in JSON or as lines for people, and both stop after some examples.
static void diff_tokens(struct diff *d)
{
	uint32_t most =
		d->view[0].info->n_tokens > d->view[1].info->n_tokens ? d->view[0].info->n_tokens : d->view[1].info->n_tokens;
	uint32_t changed = 0, examples[N_EXAMPLES];
	for (uint32_t t = 0; t < most; t++) {
		uint32_t len[2];
		const uint8_t *bytes[2];
		for (int k = 0; k < 2; k++) bytes[k] = gcdc_artifact_token(d->view[k].artifact, t, &len[k]);
		if (bytes[0] && bytes[1] && len[0] == len[1] && !memcmp(bytes[0], bytes[1], len[0])) continue;
		if (changed < N_EXAMPLES) examples[changed] = t;
		changed++;
	}
	begin_part(d, "tokens", "vocabulary");
	if (changed) need_heading(d);
	if (d->is_json) {
		json_object(&d->json);
		json_uint_entry(&d->json, "changed", changed);
		json_key(&d->json, "examples");
		json_array(&d->json);
	} else if (changed) {
		printf("  %u token%s not the same bytes, such as\n", changed, changed == 1 ? " has" : "s have");
	}
	for (uint32_t i = 0; i < changed && i < N_EXAMPLES; i++) {
		uint32_t len[2];
		const uint8_t *bytes[2];
		for (int k = 0; k < 2; k++) bytes[k] = gcdc_artifact_token(d->view[k].artifact, examples[i], &len[k]);
		if (d->is_json) {
			json_object(&d->json);
			json_uint_entry(&d->json, "id", examples[i]);
			json_text_entry(&d->json, "a", bytes[0], len[0]);
			json_text_entry(&d->json, "b", bytes[1], len[1]);
			json_close(&d->json);
			continue;
		}
		printf("  %8u ", examples[i]);
		text_show(stdout, bytes[0], len[0], 40);
		fputs(" -> ", stdout);
		text_show(stdout, bytes[1], len[1], 40);
		putchar('\n');
	}
	if (d->is_json) {
		json_close(&d->json);
		json_close(&d->json);
	}
}

// ---- Texts.
static void tell_text(struct diff *d, const struct diff_text *t)
{
	if (d->is_json) {
		json_object(&d->json);
		json_string_entry(&d->json, "only", t->only_first ? "a" : "b");
		json_text_entry(&d->json, "text", t->text, t->len);
		json_uint_entry(&d->json, "common", t->prefix);
		json_bool_entry(&d->json, "whole", t->is_whole);
		json_close(&d->json);
		return;
	}
	printf("  only %s  ", t->only_first ? "a" : "b");
	text_show(stdout, t->text, t->len, 0);
	if (t->is_end)
		fputs("  (the other can read it, but it is not a whole text there)", stdout);
	else {
		fputs("  (the other cannot read ", stdout);
		text_show(stdout, t->text + t->prefix, 1, 0);
		printf(" behind %zu byte%s%s)", t->prefix, cli_s(t->prefix), t->is_whole ? "" : "; no end of it is near");
	}
	putchar('\n');
}

static int diff_texts(struct diff *d, const struct diff_bounds *bounds)
{
	struct diff_result r;
	int code = diff_search(&r, ME, &d->view[0], &d->view[1], bounds);
	if (code) {
		diff_result_release(&r);
		if (d->is_json) json_null(&d->json);
		return code;
	}
	if (r.texts.n) d->differs = true;
	if (d->is_json) {
		json_object(&d->json);
		json_key(&d->json, "found");
		json_array(&d->json);
	} else {
		puts("\ntexts");
	}
	for (uint32_t i = 0; i < r.texts.n; i++) tell_text(d, &r.texts.at[i]);
	if (d->is_json) {
		json_close(&d->json);
		json_uint_entry(&d->json, "places", r.n_places);
		json_uint_entry(&d->json, "longest", r.longest);
		json_bool_entry(&d->json, "complete", r.is_complete);
		json_close(&d->json);
	} else if (r.is_complete) {
		printf("  %s: all %llu places were looked at\n",
		       r.texts.n ? "nothing else differs" : "both allow the same texts", (unsigned long long)r.n_places);
	} else if (!r.texts.n) {
		printf("  no difference in %llu places, texts of up to %zu bytes (--places %llu, --bytes %llu)\n",
		       (unsigned long long)r.n_places, r.longest, (unsigned long long)bounds->places,
		       (unsigned long long)bounds->bytes);
	} else {
		printf("  the search stopped after %llu places, texts of up to %zu bytes (--texts %llu, --places %llu, --bytes "
		       "%llu)\n",
		       (unsigned long long)r.n_places, r.longest, (unsigned long long)bounds->texts,
		       (unsigned long long)bounds->places, (unsigned long long)bounds->bytes);
	}
	diff_result_release(&r);
	return CODE_OK;
}

static int run(struct diff *d, const struct diff_bounds *bounds)
{
	gcdc_info info[2];
	for (int k = 0; k < 2; k++) gcdc_artifact_info(d->view[k].artifact, &info[k]);
	bool same_grammar = !memcmp(info[0].grammar_hash, info[1].grammar_hash, sizeof info[0].grammar_hash);
	bool same_vocab = !memcmp(info[0].vocab_hash, info[1].vocab_hash, sizeof info[0].vocab_hash);
	if (d->is_json) {
		json_begin(&d->json, stdout);
		json_object(&d->json);
		json_string_entry(&d->json, "a", d->view[0].path);
		json_string_entry(&d->json, "b", d->view[1].path);
		json_bool_entry(&d->json, "same_grammar", same_grammar);
		json_bool_entry(&d->json, "same_vocab", same_vocab);
	} else {
		printf("a: %s\nb: %s\n", d->view[0].path, d->view[1].path);
		printf("%s grammar, %s vocabulary\n", same_grammar ? "the same" : "another",
		       same_vocab ? "the same" : "another");
	}
	struct lines a, b;
	diff_counts(d);
	diff_sections(d);
	a = terminal_lines(d, &d->view[0]), b = terminal_lines(d, &d->view[1]);
	diff_lines(d, "terminals", "terminals", &a, &b);
	a = production_lines(d, &d->view[0]), b = production_lines(d, &d->view[1]);
	diff_lines(d, "productions", "productions", &a, &b);
	diff_tokens(d);
	begin_part(d, "texts", "texts");
	int code = CODE_OK;
	if (bounds->places && !(same_grammar && same_vocab))
		code = diff_texts(d, bounds);
	else if (d->is_json)
		json_null(&d->json);
	if (d->is_json) {
		json_bool_entry(&d->json, "same", !d->differs);
		json_close(&d->json);
		json_end(&d->json);
	} else if (!d->differs) {
		puts("nothing differs");
	}
	return code ? code : d->differs ? CODE_NO : CODE_OK;
}

int command_diff(int argc, char **argv)
{
	struct diff d = {0};
	const char *path[2] = {0}, *vocab = NULL;
	struct number places = {.value = 10000}, bytes = {.value = 64}, texts = {.value = 3};
	const struct positional positionals[] = {{"A", POSITIONAL_ONE, &path[0], "what 'gcdc compile' wrote"},
	                                         {"B", POSITIONAL_ONE, &path[1], "the same, later"}};
	const struct option_spec options[] = {
		NUMBER_OPTION("texts", &texts, "N", 1, 1000, "texts to look for, of each that only one allows (3)"),
		NUMBER_OPTION("places", &places, "N", 0, 1u << 24,
	                  "places to look at in search of them (10000); 0: do\nnot search"),
		NUMBER_OPTION("bytes", &bytes, "N", 1, 1u << 16, "bytes of such a text at most (64)"),
		FILE_OPTION("vocab", &vocab, "FILE.gcdv", "for artifacts that were compiled with --no-vocab"),
		FLAG_OPTION("json", &d.is_json, "one JSON object"),
	};
	const struct usage usage = USAGE(ME, "Shows what changed from one artifact to another.", positionals, options,
	                                 "Exit code 1: something differs.");
	int code;
	if (!options_read(&usage, argc, argv, &code)) return code;
	for (int k = 0; k < 2 && !code; k++) code = view_open(&d.view[k], ME, path[k], vocab);
	if (!code) code = run(&d, &(struct diff_bounds){places.value, bytes.value, texts.value});
	for (int k = 0; k < 2; k++) view_close(&d.view[k]);
	arena_release(&d.arena);
	return code;
}
