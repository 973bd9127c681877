// The rows and lists that most artifacts of a vocabulary have, kept once in the compiled vocabulary.
//
// In:  a vocabulary. Out: bitmaps of tokens, and lists as SPARSE's codec has them, for zstd. They are those of a few
// schemas that have what schemas have: strings, of any and of bounded length, numbers, dates, identifiers, open
// objects. A row that differs from one that is there in few tokens is left out: an artifact is told from the one that
// is there (section_encode.c).
// An artifact names rows by their place in the file, and its own checksum tells whether they were the right ones: so
// nothing but its length depends on which rows and lists there are. Cost: that of compiling the schemas, once a file.
#include "standard_rows.h"

#include "../../formats/vocab_file.h"
#include "../compile/compile.h"
#include "../schema/schema.h"

#define MIN_TOKENS 4096u       // with fewer, rows cost next to nothing
#define MAX_ROWS 192u          // of 16 KB each for 128,000 tokens
#define MAX_LISTS (64u << 10)  // bytes
#define NEAR_FLIPS 64u         // tokens in which a row differs that is left out
#define LONGEST_BOUND "70"     // characters: more than nearly all tokens have

static const char *const schemas[] = {
	"{'type':'object','properties':{'name':{'type':'string'},'count':{'type':'integer'},'price':{'type':'number'},"
	"'ok':{'type':'boolean'},'none':{'type':'null'},'tags':{'type':'array','items':{'type':'string'}},"
	"'kind':{'enum':['first','second']},'inner':{'type':'object','properties':{'id':{'type':'string'}},"
	"'additionalProperties':false}},'required':['name','kind'],'additionalProperties':false}",
	"{'type':'object','properties':{'name':{'type':'string'},'size':{'type':'integer'}},'required':['name']}",
	"{'type':'object','properties':{'code':{'type':'string','maxLength':" LONGEST_BOUND
	"},'text':{'type':'string','minLength':1}},'required':['code','text'],'additionalProperties':false}",
	"{'type':'object','properties':{'day':{'type':'string','format':'date'},'at':{'type':'string','format':'date-time'}"
	","
	"'id':{'type':'string','format':'uuid'},'mail':{'type':'string','format':'email'},"
	"'link':{'type':'string','format':'uri'},'share':{'type':'integer','minimum':0,'maximum':100}},"
	"'required':['day','at','id','mail','link'],'additionalProperties':false}",
};

typedef VEC(uint32_t) word_list;
typedef VEC(uint8_t) byte_list;

static uint32_t flips(const uint32_t *a, const uint32_t *b, uint32_t words)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < words && n <= NEAR_FLIPS; i++) n += (uint32_t)__builtin_popcount(a[i] ^ b[i]);
	return n;
}

static void take_rows(const struct artifact_image *m, word_list *rows)
{
	const uint32_t words = m->info.mask_words;
	for (uint32_t i = 0; i < m->info.n_dense; i++) {
		const uint32_t *row = m->dense + (size_t)i * words;
		bool is_near = false;
		for (uint32_t k = 0; k < rows->n && !is_near; k += words)
			is_near = flips(row, rows->at + k, words) <= NEAR_FLIPS;
		if (is_near || rows->n / words == MAX_ROWS) continue;
		for (uint32_t k = 0; k < words; k++) vec_push(rows, row[k]);
	}
}

static void take_lists(const struct artifact_image *m, const struct vocab *v, byte_list *lists)
{
	uint64_t n;
	uint8_t *own = artifact_lists(m, v->place_of, &n);
	for (uint64_t i = 0; i < n && lists->n < MAX_LISTS; i++) vec_push(lists, own[i]);
	free(own);
}

// text: a schema with ' for ".
static void take_schema(const struct vocab *v, const char *text, word_list *rows, byte_list *lists)
{
	size_t len = strlen(text);
	char *json = mem_alloc(len + 1);
	for (size_t i = 0; i <= len; i++) json[i] = text[i] == '\'' ? '"' : text[i];
	struct diag d = {0};
	struct grammar g;
	struct compiled c;
	const struct schema_options options = {0};
	const struct compile_options how = {.threads = 1, .costs = COMPILE_COSTS_EXACT, .spell_priced = true};
	if (schema_parse("<standard>", json, len, &options, &d, &g)) {
		if (compile_image(&g, v, &how, &d, &c)) {
			take_rows(&c.image, rows);
			take_lists(&c.image, v, lists);
			compile_release(&c);
		}
		grammar_release(&g);
	}
	diag_release(&d);
	free(json);
}

void standard_rows(struct vocab *v, struct arena *arena)
{
	if (v->n_tokens < MIN_TOKENS || (v->n_rows && v->n_lists)) return;
	word_list rows = {0};
	byte_list lists = {0};
	for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++) take_schema(v, schemas[i], &rows, &lists);
	if (rows.n && !v->n_rows) {
		v->rows = memcpy(arena_array(arena, rows.n, sizeof *v->rows), rows.at, rows.n * sizeof *v->rows);
		v->n_rows = rows.n / (uint32_t)BITMAP_WORDS(v->n_tokens);
	}
	if (lists.n && !v->n_lists)
		v->lists = memcpy(arena_array(arena, lists.n, 1), lists.at, lists.n), v->n_lists = lists.n;
	vec_release(&rows);
	vec_release(&lists);
}
