// inspect --html: one page with everything.
//
// In:  an artifact, perhaps a text. Out: a file that needs nothing else: the page of cmd/page/ (linked into the
// program), and in it as JSON the summary, every table, how much of the vocabulary each set covers, and the walk.
// Tables that start from every lex_state take long; here they start from the first. Cost: that of all tables with
// --limit rows, twice where the page is to stay small; the sets' coverage O(their tokens).
#include "base/file.h"
#include "inspect.h"

#define ME "inspect"

// A piece of the page, by CMakeLists.txt: gcdc_embed.
#define PIECE(name) extern const char gcdc_embedded_##name[], gcdc_embedded_##name##_end[];
#define PIECES(X)                                                                                                      \
	X(page_html) X(page_css) X(page_show_js) X(page_table_js) X(page_graph_js) X(page_walk_js) X(page_main_js)
PIECES(PIECE)
#undef PIECE
static const struct {
	const char *name, *begin, *end;
} pieces[] = {
#define PIECE(name) {#name, gcdc_embedded_##name, gcdc_embedded_##name##_end},
	PIECES(PIECE)
#undef PIECE
};

struct set_coverage {
	const struct artifact_view *view;
	struct coverage coverage;
};
static bool add_token(void *to, uint32_t token)
{
	struct set_coverage *s = to;
	coverage_add(s->view, &s->coverage, token);
	return true;
}

static void put_coverage(struct inspect *x)
{
	struct coverage all = coverage_all(&x->view);
	json_array(&x->json);
	x->at_first = x->most_bytes ? (uint64_t)ftell(x->out) : 0;
	for (uint32_t i = 0; i < x->info->n_sets && (!x->limit.value || i < x->limit.value); i++) {
		if (x->most_bytes && (uint64_t)ftell(x->out) - x->at_first > x->most_bytes) break;
		struct set_coverage s = {.view = &x->view};
		view_set_tokens(&x->view, i, add_token, &s);
		json_object(&x->json);
		coverage_put(x, &s.coverage, &all);
		json_close(&x->json);
	}
	json_close(&x->json);
}

static int put_table(struct inspect *x, const struct inspect_table *table)
{
	const char *text = x->text;  // the example, not a filter
	x->text = NULL;
	if (table->flags & TABLE_FROM_START) x->row = (struct number){true, x->info->start_lex_state};
	json_key(&x->json, table->name);
	json_object(&x->json);
	json_string_entry(&x->json, "about", table->about);
	json_key(&x->json, "rows");
	int code = inspect_run(x, table);
	json_uint_entry(&x->json, "total", x->n_rows);
	json_close(&x->json);
	x->row = (struct number){0};
	x->text = text;
	return code;
}

static int put_tables(struct inspect *x)
{
	int code = CODE_OK;
	json_object(&x->json);
	for (uint32_t i = 0; i < inspect_n_tables && !code; i++) code = put_table(x, &inspect_tables[i]);
	json_close(&x->json);
	return code;
}

// The largest share that lets all sizes, none above its share, fit into `most`.
static uint64_t fair_share(const uint64_t *sizes, uint32_t n, uint64_t most)
{
	uint64_t share = most;
	for (uint64_t low = 0; low < share;) {
		uint64_t middle = share - (share - low) / 2, sum = 0;
		for (uint32_t i = 0; i < n; i++) sum += sizes[i] < middle ? sizes[i] : middle;
		if (sum <= most)
			low = middle;
		else
			share = middle - 1;
	}
	return share;
}

// The page as a whole has x->most_bytes: small tables are whole, large ones have equal shares. So each part is written
// once to see how large it is.
static int share_bytes(struct inspect *x)
{
	enum { MOST_PARTS = 64 };
	uint64_t sizes[MOST_PARTS];
	const uint64_t most = x->most_bytes;
	char *unused = NULL;
	size_t len;
	int code = CODE_OK;
	ASSERT(inspect_n_tables < MOST_PARTS);
	FILE *out = x->out;
	x->out = text_stream(&unused, &len);
	json_begin(&x->json, x->out);
	json_object(&x->json);
	for (uint32_t i = 0; i <= inspect_n_tables && !code; i++) {
		const long begin = ftell(x->out);
		if (i < inspect_n_tables)
			code = put_table(x, &inspect_tables[i]);
		else
			json_key(&x->json, "coverage"), put_coverage(x);
		sizes[i] = (uint64_t)(ftell(x->out) - begin);
	}
	json_close(&x->json);
	json_end(&x->json);
	fclose(x->out);
	free(unused);
	x->out = out;
	x->most_bytes = fair_share(sizes, inspect_n_tables + 1, most);
	return code;
}

static int put_data(struct inspect *x, const char *tokenizer)
{
	x->is_json = true;
	int code = x->most_bytes ? share_bytes(x) : CODE_OK;
	json_begin(&x->json, x->out);
	json_object(&x->json);
	json_key(&x->json, "summary");
	if (!code) code = inspect_summary(x);
	json_key(&x->json, "tables");
	if (!code)
		code = put_tables(x);
	else
		json_null(&x->json);
	json_key(&x->json, "coverage");
	put_coverage(x);
	json_key(&x->json, "walk");
	if (!code && x->text)
		code = inspect_walk(x, tokenizer);
	else
		json_null(&x->json);
	json_close(&x->json);
	json_end(&x->json);
	return code;
}

// Inside a script element '<' may begin its end; in JSON it stands only in strings.
static void put_escaped(FILE *out, const char *data, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (data[i] == '<')
			fputs("\\u003c", out);
		else
			fputc(data[i], out);
	}
}

// The page, each @NAME@ of which is a piece, or the data.
static void put_page(FILE *out, const char *data, size_t len)
{
	for (const char *at = pieces[0].begin; at < pieces[0].end;) {
		const char *mark = memchr(at, '@', (size_t)(pieces[0].end - at));
		const char *end = mark ? memchr(mark + 1, '@', (size_t)(pieces[0].end - mark - 1)) : NULL;
		if (!end) {
			fwrite(at, 1, (size_t)(pieces[0].end - at), out);
			return;
		}
		fwrite(at, 1, (size_t)(mark - at), out);
		size_t n = (size_t)(end - mark - 1);
		bool is_data = n == 4 && !memcmp(mark + 1, "data", 4), found = is_data;
		if (is_data) put_escaped(out, data, len);
		for (size_t i = 1; i < sizeof pieces / sizeof *pieces; i++) {
			if (strlen(pieces[i].name) != n || memcmp(pieces[i].name, mark + 1, n) != 0) continue;
			fwrite(pieces[i].begin, 1, (size_t)(pieces[i].end - pieces[i].begin), out);
			found = true;
		}
		ASSERT(found);
		at = end + 1;
	}
}

int inspect_html(struct inspect *x, const char *path, const char *tokenizer)
{
	char *data = NULL, *page = NULL;
	size_t data_len, page_len;
	x->out = text_stream(&data, &data_len);
	int code = put_data(x, tokenizer);
	fclose(x->out);
	x->out = stdout;
	FILE *f = text_stream(&page, &page_len);
	if (!code) put_page(f, data, data_len);
	fclose(f);
	struct diag d = {0};
	if (!code && !file_replace(path, page, page_len, &d)) code = CODE_IO;
	diag_print(&d, stderr);
	diag_release(&d);
	free(page);
	free(data);
	return code;
}
