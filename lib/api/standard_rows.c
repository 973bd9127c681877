// The rows that most artifacts of a vocabulary have, kept once in the compiled vocabulary.
//
// In:  a vocabulary. Out: bitmaps of tokens. They are the rows of a few schemas that have what schemas have: strings,
// of any and of bounded length, numbers, dates, identifiers, open objects. A row that differs from one that is there in
// few tokens is left out: an artifact is told from the one that is there (section_encode.c).
// An artifact names rows by their place in the file, and its own checksum tells whether they were the right ones: so
// nothing but its length depends on which rows there are. Cost: that of compiling the schemas, once a file.
#include "standard_rows.h"

#include "../../formats/vocab_file.h"
#include "../compile/compile.h"
#include "../schema/schema.h"

#define MIN_TOKENS 4096u    // with fewer, rows cost next to nothing
#define MAX_ROWS 192u       // of 16 KB each for 128,000 tokens
#define NEAR_FLIPS 64u      // tokens in which a row differs that is left out
#define LONGEST_BOUND "70"  // characters: more than nearly all tokens have

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

// text: a schema with ' for ".
static void take_schema(const struct vocab *v, const char *text, word_list *rows)
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
			compile_release(&c);
		}
		grammar_release(&g);
	}
	diag_release(&d);
	free(json);
}

const uint32_t *standard_rows(const struct vocab *v, struct arena *arena, uint32_t *n)
{
	*n = 0;
	if (v->n_tokens < MIN_TOKENS) return NULL;
	word_list rows = {0};
	for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++) take_schema(v, schemas[i], &rows);
	uint32_t *out = NULL;
	if (rows.n) out = memcpy(arena_array(arena, rows.n, sizeof *out), rows.at, rows.n * sizeof *out);
	*n = rows.n / (uint32_t)BITMAP_WORDS(v->n_tokens);
	vec_release(&rows);
	return out;
}
