// Rows of inspect's tables: one set of calls, two forms (columns for people, JSON).
//
// In:  keys and values in order. Out: objects of an array, or aligned columns under a line of keys. Columns appear in
// the order of their first value; flags share one. Rows are printed by the thousand, so that memory does not grow with
// the table; columns keep at least the width that they had. Cost: O(output).
#include "inspect.h"
#include "base/text_show.h"

#define ROWS_AT_ONCE 1000u
#define MAX_PAD 40u  // a longer cell pushes the rest of its own row, not of all
#define MAX_COLUMNS 32u
#define FLAGS "flags"

struct cells {
	const char *key[MAX_COLUMNS];
	uint32_t width[MAX_COLUMNS], n_columns;
	VEC(char *) text;  // MAX_COLUMNS a row; NULL: empty
	uint32_t n_rows;
	bool has_heading;
	// The cell being written; lists and groups are one cell.
	char *open;
	size_t open_size;
	FILE *stream;
	uint32_t column, depth;
	bool needs_space;
};

static uint32_t text_width(const char *text)  // code points: near enough
{
	uint32_t n = 0;
	for (; *text; text++) n += (*text & 0xC0) != 0x80;
	return n;
}

static void print_cells(struct inspect *x, char *const *text, const struct cells *c)
{
	uint32_t last = 0;
	for (uint32_t k = 0; k < c->n_columns; k++)
		if (text[k] && *text[k]) last = k;
	for (uint32_t k = 0; k <= last; k++) {
		const char *cell = text[k] ? text[k] : "";
		fputs(cell, x->out);
		if (k == last) break;
		for (uint32_t w = text_width(cell); w < c->width[k]; w++) fputc(' ', x->out);
		fputs("  ", x->out);
	}
	fputc('\n', x->out);
}

static void print_rows(struct inspect *x)
{
	struct cells *c = x->cells;
	for (uint32_t k = 0; k < c->n_columns; k++) {
		uint32_t *w = &c->width[k], heading = text_width(c->key[k]);
		if (heading > *w) *w = heading;
		for (uint32_t r = 0; r < c->n_rows; r++) {
			const char *cell = c->text.at[r * MAX_COLUMNS + k];
			uint32_t n = cell ? text_width(cell) : 0;
			if (n > MAX_PAD) n = MAX_PAD;
			if (n > *w) *w = n;
		}
	}
	if (!c->has_heading && c->n_rows) {
		char *keys[MAX_COLUMNS];
		for (uint32_t k = 0; k < c->n_columns; k++) keys[k] = (char *)(uintptr_t)c->key[k];
		print_cells(x, keys, c);
		c->has_heading = true;
	}
	for (uint32_t r = 0; r < c->n_rows; r++) print_cells(x, c->text.at + r * MAX_COLUMNS, c);
	for (uint32_t i = 0; i < c->text.n; i++) free(c->text.at[i]);
	vec_clear(&c->text);
	c->n_rows = 0;
}

void rows_finish(struct inspect *x)
{
	if (!x->cells) return;
	print_rows(x);
	vec_release(&x->cells->text);
	free(x->cells);
	x->cells = NULL;
}

bool row_begin(struct inspect *x)
{
	x->n_rows++;
	if (x->limit.value && x->n_shown >= x->limit.value) return false;
	if (x->most_bytes && (uint64_t)ftell(x->out) - x->at_first > x->most_bytes) return false;
	x->n_shown++;
	if (x->is_json) {
		json_object(&x->json);
		return true;
	}
	if (!x->cells) x->cells = mem_calloc(1, sizeof *x->cells);
	struct cells *c = x->cells;
	if (c->n_rows == ROWS_AT_ONCE) print_rows(x);
	for (uint32_t k = 0; k < MAX_COLUMNS; k++) vec_push(&c->text, NULL);
	c->n_rows++;
	return true;
}

void row_end(struct inspect *x)
{
	if (x->is_json) json_close(&x->json);
}

static uint32_t column_of(struct cells *c, const char *key)
{
	uint32_t k = 0;
	while (k < c->n_columns && strcmp(c->key[k], key) != 0) k++;
	if (k == c->n_columns) {
		ASSERT(k < MAX_COLUMNS);
		c->key[c->n_columns++] = key;
	}
	return k;
}

static void open_cell(struct cells *c, const char *key)
{
	c->column = column_of(c, key);
	c->stream = text_stream(&c->open, &c->open_size);
	c->needs_space = false;
}

static void close_cell(struct cells *c)
{
	fclose(c->stream);
	char **to = &c->text.at[(c->n_rows - 1) * MAX_COLUMNS + c->column];
	free(*to);
	*to = c->open;
}

// Text: where the value goes, after what stands before it. A value of a group has its key before it.
static FILE *text_begin(struct inspect *x, const char *key)
{
	struct cells *c = x->cells;
	if (!c->depth) {
		open_cell(c, key);
		return c->stream;
	}
	if (c->needs_space) fputc(' ', c->stream);
	if (key) fprintf(c->stream, "%s ", key);
	c->needs_space = true;
	return c->stream;
}
static void text_end(struct inspect *x)
{
	if (!x->cells->depth) close_cell(x->cells);
}

void row_uint(struct inspect *x, const char *key, uint64_t value)
{
	if (x->is_json) {
		if (key) json_key(&x->json, key);
		json_uint(&x->json, value);
		return;
	}
	fprintf(text_begin(x, key), "%llu", (unsigned long long)value);
	text_end(x);
}

void row_int(struct inspect *x, const char *key, int64_t value)
{
	if (x->is_json) {
		if (key) json_key(&x->json, key);
		json_int(&x->json, value);
		return;
	}
	fprintf(text_begin(x, key), "%lld", (long long)value);
	text_end(x);
}

void row_id(struct inspect *x, const char *key, uint32_t value)
{
	if (value != ARTIFACT_NONE) {
		row_uint(x, key, value);
	} else if (x->is_json) {
		if (key) json_key(&x->json, key);
		json_null(&x->json);
	} else {
		fputc('-', text_begin(x, key));
		text_end(x);
	}
}

void row_flag(struct inspect *x, const char *key, bool value)
{
	if (x->is_json) {
		json_bool_entry(&x->json, key, value);
		return;
	}
	struct cells *c = x->cells;
	if (c->depth) {
		if (value) fprintf(c->stream, "%s%s", c->needs_space ? " " : "", key), c->needs_space = true;
		return;
	}
	char **to = &c->text.at[(c->n_rows - 1) * MAX_COLUMNS + column_of(c, FLAGS)];
	if (!value) return;
	char *old = *to;
	size_t len = (old ? strlen(old) + 1 : 0) + strlen(key) + 1;
	*to = mem_alloc(len);
	snprintf(*to, len, "%s%s%s", old ? old : "", old ? " " : "", key);
	free(old);
}

void row_string(struct inspect *x, const char *key, const char *value)
{
	if (x->is_json) {
		if (key) json_key(&x->json, key);
		json_string(&x->json, value);
		return;
	}
	fputs(value, text_begin(x, key));
	text_end(x);
}

void row_bytes(struct inspect *x, const char *key, const void *bytes, size_t len)
{
	if (x->is_json) {
		if (key)
			json_text_entry(&x->json, key, bytes, len);
		else
			json_bytes(&x->json, bytes, len);
		return;
	}
	text_show(text_begin(x, key), bytes, len, 0);
	text_end(x);
}

void row_list(struct inspect *x, const char *key)
{
	if (x->is_json) {
		json_key(&x->json, key);
		json_array(&x->json);
		return;
	}
	FILE *out = text_begin(x, key);
	if (x->cells->depth) fputc('[', out);
	x->cells->depth++;
	x->cells->needs_space = false;
}

void row_group(struct inspect *x)
{
	if (x->is_json) {
		json_object(&x->json);
		return;
	}
	fputs(x->cells->needs_space ? "; " : "", x->cells->stream);
	x->cells->needs_space = false;
	x->cells->depth++;
}

void row_close(struct inspect *x, bool is_list)
{
	if (x->is_json) {
		json_close(&x->json);
		return;
	}
	struct cells *c = x->cells;
	if (!--c->depth) {
		if (fflush(c->stream) || !c->open_size) fputc('-', c->stream);  // an empty list
		close_cell(c);
	} else if (is_list)
		fputc(']', c->stream);
	c->needs_space = true;
}

void inspect_show_token(const struct inspect *x, FILE *out, uint32_t token, size_t max)
{
	uint32_t len;
	const uint8_t *bytes = gcdc_artifact_token(x->view.artifact, token, &len);
	if (len)
		text_show(out, bytes, len, max);
	else
		fprintf(out, "<%u>", token);
}

void row_token_text(struct inspect *x, uint32_t token)
{
	uint32_t len;
	const uint8_t *bytes = gcdc_artifact_token(x->view.artifact, token, &len);
	if (x->is_json) {
		json_text_entry(&x->json, "text", bytes, len);
		return;
	}
	inspect_show_token(x, text_begin(x, "text"), token, 0);
	text_end(x);
}

void row_tokens(struct inspect *x, const char *key, const uint32_t *tokens, uint32_t n)
{
	row_list(x, key);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t len;
		const uint8_t *bytes = gcdc_artifact_token(x->view.artifact, tokens[i], &len);
		if (x->is_json) {
			json_object(&x->json);
			json_uint_entry(&x->json, "id", tokens[i]);
			json_text_entry(&x->json, "text", bytes, len);
			json_close(&x->json);
		} else {
			inspect_show_token(x, text_begin(x, NULL), tokens[i], 40);
		}
	}
	row_close(x, true);
}

struct sample {
	VEC(uint32_t) tokens;
	uint32_t max;
};
static bool sample_add(void *to, uint32_t token)
{
	struct sample *s = to;
	vec_push(&s->tokens, token);
	return s->tokens.n < s->max;
}

void row_set(struct inspect *x, uint32_t set, uint32_t max)
{
	struct artifact_set s = view_set(&x->view, set);
	row_uint(x, "set", set);
	row_uint(x, "count", s.count);
	row_flag(x, "may_end", s.flags & SET_EOS);
	if (!max) return;
	struct sample sample = {.max = max};
	view_set_tokens(&x->view, set, sample_add, &sample);
	row_tokens(x, "tokens", sample.tokens.at, sample.tokens.n);
	vec_release(&sample.tokens);
}

void row_production(struct inspect *x, const char *key, uint32_t p)
{
	struct view_production y = view_production(&x->view, p);
	char *text = NULL;
	size_t size;
	FILE *f = text_stream(&text, &size);
	fprintf(f, "%s:", view_nonterminal_name(&x->view, y.left));
	for (uint32_t i = 0; i < y.n; i++) fprintf(f, " %s", view_symbol_name(&x->view, y.right[i]));
	fclose(f);
	row_string(x, key, text);
	free(text);
}
