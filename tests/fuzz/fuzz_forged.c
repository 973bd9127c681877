// Artifacts with forged fields and right checksums: refused, or used without harm.
//
// In:  a byte that chooses the artifact; the rest, as a number, all that is forged in it and done with it.
// Artifacts of every kind are made when first asked for: plain, with choices, with columns, with costs, canonical. Each
// is forged raw and compressed; those of the last kinds take their tokens from a compiled vocabulary, which is forged
// instead, or as well. Cost: some tenths of a millisecond an input. At the end of the program it prints what became of
// them, kind by kind.
#define _GNU_SOURCE
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "forged_walk.h"
#include "../corrupt/kept_steps.h"
#include "../corrupt/toy_shape.h"
#include "../corrupt/toy_tokenizer.h"
#include "../../lib/canonical/canonical.h"
#include "../../lib/compile/compile.h"
#include "../../lib/schema/schema.h"

#ifdef __has_feature
#define HAS_ASAN __has_feature(address_sanitizer)  // clang
#elif defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#else
#define HAS_ASAN 0
#endif
#if HAS_ASAN
#include <sanitizer/asan_interface.h>
// Traces of where blocks came from cost half of the time; ASAN_OPTIONS brings them back.
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "malloc_context_size=1:quarantine_size_mb=16"; }
#else
#define ASAN_POISON_MEMORY_REGION(at, n) ((void)(at), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(at, n) ((void)(at), (void)(n))
#endif

#define SLOW_SECONDS 4.0  // of CPU, for one forged file under sanitizers

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char plain[] =
	"start: \"[\" list? \"]\" | NAME\nlist: start (\",\" start)*\nNAME: /[a-d]+/\n%ignore / +/\n";
static const char control[] =
	"start: \"[\" list? <[2]> | NAME | <[2-4]>\nlist: start (<[20]> start)*\nNAME: /[a-d]+/\n%ignore / +/\n";
static const char choices_kept[] =
	"start: e\ne: e \"+\" e | e \"-\" e | NAME | \"(\" e \")\" | c\nc: NAME \":\" \nNAME: /[a-d]+/\n%ignore / +/\n";
static const char lines[] = "start: s+\ns: NAME NL | NAME \":\" NL IN s+ DE\nNAME: /[a-d]+/\nNL: /(\\n[ \\t]*)+/\n"
							"%indent newline=NL indent=IN dedent=DE tab=8\n%ignore / +/\n";
static const char letters[] = "start: \"a\" start? \"c\" | B\nB: /b+a/\n";
static const char munch[] =
	"start: INT \".\" | FLOAT | NAME \".\" NAME\nINT: /[0-9]+/\nFLOAT: /[0-9]+\\.[0-9]+/\nNAME: /[a-d]+/\n";
static const char counted[] =
	"start: \"[\" S \"]\" | \"a\" T\nS: /\\([a-d]{0,300}\\)/\nT: /\\([a-d]{2,400}\\)/\n%ignore / +/\n";
// A schema; its vocabulary has all bytes, as strings that share states need.
static const char shared[] =
	"{\"type\":\"array\",\"items\":{\"type\":\"string\",\"pattern\":\"^[a-d]*$\",\"maxLength\":401}}";
static const char tokens_bounded[] =
	"start: \"[\" text | NAME other \"a\"\ntext[stop=\"]]\", max_tokens=3]: /[a-d,]*/\n"
	"other[max_tokens=9]: /[b-d.]+/\nNAME: /[a-d]/\n%ignore \" \"\n";
// Behind the place of one terminal.
static const uint32_t shape[] = {1, TOY_SHAPE(SHAPE_REQUIRED | SHAPE_SIMPLE | SHAPE_NUMBERS)};
static const char unique[] = "start: \"[\" [v (\",\" v)*] \"]\"\nv: S | \"{\" [S \":\" S] \"}\"\nS: "
							 "/\"([a-d]|\\\\u00[0-9]{2})*\"/\n%ignore / +/\n";
static const char regular[] = "start: /aab?(c|ba){1,2}/\n";
static const char *const text_tokens[] = {
	"",      "[",    "]",           "a",     "b",   ",",   " ",  "]]",  "[a", "],",    "ab",    "\n",
	"\n ",   ":",    ":\n",         "  ",    "c",   "+",   "-",  "a+",  "(",  ")",     "(a",    "\n\n",
	"\n\t",  "\t",   "\n  a",       "a\n",   " b",  "0",   "1",  ".",   "0.", "1.1",   "d",     "d.",
	"cd:",   "\n d", "  a",         ":\n  ", "+b",  "a-b", "[[", "],[", "\"", "\"a\"", "\",\"", "[\"a\",\"a\"]",
	"\\u00", "62",   "\"a\",\"b\"", "a\"",   "61\""};
enum costs { NO_COSTS = COMPILE_COSTS_OFF, ALIGNED = COMPILE_COSTS_ALIGNED, EXACT = COMPILE_COSTS_EXACT };
static const struct kind {
	const char *name, *grammar;
	enum costs costs;
	enum canon_mode canonical;
	bool product, outside, patched;
	bool kept;  // steps of texts
} kinds[] = {
	{"plain", plain, NO_COSTS, .canonical = CANON_OFF},
	{"maximal munch", munch, NO_COSTS, .canonical = CANON_OFF},
	{"choices", choices_kept, NO_COSTS, .canonical = CANON_OFF},
	{"columns", lines, NO_COSTS, .canonical = CANON_OFF},
	{"exact costs", plain, EXACT, .canonical = CANON_OFF},
	{"aligned costs", plain, ALIGNED, .canonical = CANON_OFF},
	{"choices, costs", choices_kept, EXACT, .canonical = CANON_OFF},
	{"columns, costs", lines, EXACT, .canonical = CANON_OFF},
	{"columns, aligned", lines, ALIGNED, .canonical = CANON_OFF},
	{"soft", letters, NO_COSTS, .canonical = CANON_SOFT},
	{"soft, costs", letters, EXACT, .canonical = CANON_SOFT, .patched = true},
	{"hard", letters, NO_COSTS, .canonical = CANON_HARD},
	{"hard, costs", letters, EXACT, .canonical = CANON_HARD},
	{"hard, aligned", letters, ALIGNED, .canonical = CANON_HARD, .patched = true},
	{"hard, product", regular, NO_COSTS, .canonical = CANON_HARD, .product = true},
	{".gcdv", plain, EXACT, .canonical = CANON_OFF, .outside = true},
	{".gcdv, hard", letters, NO_COSTS, .canonical = CANON_HARD, .outside = true},
	{"control tokens", control, EXACT, .canonical = CANON_OFF},
	{".gcdv, control tokens", control, NO_COSTS, .canonical = CANON_OFF, .outside = true},
	{"counters", counted, NO_COSTS, .canonical = CANON_OFF},
	{"counters, costs", counted, EXACT, .canonical = CANON_OFF},
	{"max_tokens", tokens_bounded, NO_COSTS, .canonical = CANON_OFF},
	{"max_tokens, costs", tokens_bounded, EXACT, .canonical = CANON_OFF},
	{"unique items", unique, NO_COSTS, .canonical = CANON_OFF},
	{"shared counters", shared, NO_COSTS, .canonical = CANON_OFF},
	{"columns, kept steps", lines, EXACT, .canonical = CANON_OFF, .kept = true},
	{"kept steps", plain, EXACT, .canonical = CANON_OFF, .kept = true},
	{"shared counters, exact", shared, EXACT, .canonical = CANON_OFF},
	{"shared counters, aligned", shared, ALIGNED, .canonical = CANON_OFF},
};
#define N_KINDS (sizeof kinds / sizeof *kinds)

static struct made {
	struct good raw, packed, vocab;
	uint64_t forged, opened, places;
	double slowest;
} made[N_KINDS];
static ZSTD_CCtx *zstd;
static int vocab_file = -1;
static char vocab_path[64];

static void must(bool ok, struct diag *d, const char *what)
{
	if (ok) return;
	fprintf(stderr, "%s: %s\n", what, diag_text(d));
	abort();
}

// Blocks of hundreds of kilobytes, which canonical masks take, are kept: mapping them anew would take most of the time.
// Those that nobody has are poisoned.
#define LARGE_BLOCK (128u << 10)
#define LARGE_KEPT 64u
static struct large {
	void *block;
	size_t size;
	bool used;
} large[LARGE_KEPT];
static void *take_block(void *context, void *block, size_t size)
{
	(void)context;
	struct large *is = NULL, *free_one = NULL, *none = NULL;
	for (uint32_t i = 0; i < LARGE_KEPT; i++) {
		if (block && large[i].block == block) is = &large[i];
		if (large[i].block && !large[i].used && large[i].size == size) free_one = &large[i];
		if (!large[i].block) none = &large[i];
	}
	if (is && !size) {
		ASAN_POISON_MEMORY_REGION(is->block, is->size);
		is->used = false;
		return NULL;
	}
	if (is || size < LARGE_BLOCK || block || (!free_one && !none)) {  // as libc does it
		if (is) ASAN_UNPOISON_MEMORY_REGION(is->block, is->size), *is = (struct large){0};
		if (size) return realloc(block, size);
		free(block);
		return NULL;
	}
	if (!free_one) *(free_one = none) = (struct large){malloc(size), size, true};
	free_one->used = true;
	ASAN_UNPOISON_MEMORY_REGION(free_one->block, free_one->size);
	return free_one->block;
}
static void free_large(void)
{
	for (uint32_t i = 0; i < LARGE_KEPT; i++)
		if (large[i].block) ASAN_UNPOISON_MEMORY_REGION(large[i].block, large[i].size), free(large[i].block);
}

// ---- Valid files.
static void make_vocab(const char *const *tokens, uint32_t n, struct vocab *v)
{
	const uint8_t *bytes[WALK_TOKENS];
	uint32_t lens[WALK_TOKENS], eos = 0;
	uint8_t kind[WALK_TOKENS];
	ASSERT(n <= WALK_TOKENS);
	for (uint32_t t = 0; t < n; t++)
		bytes[t] = (const uint8_t *)tokens[t], lens[t] = (uint32_t)strlen(tokens[t]),
		kind[t] = t ? TOKEN_TEXT : TOKEN_CONTROL;
	vocab_build(&(struct vocab_tokens){n, bytes, lens, kind, 1, &eos}, v);
}

// All bytes, and texts of up to 40 characters.
static void make_bytes(struct vocab *v)
{
	static char text[256][2], long_text[40][48];
	const char *tokens[300] = {""};
	uint32_t n = 1;
	for (uint32_t b = 1; b < 256; b++) text[b][0] = (char)b, tokens[n++] = text[b];
	for (uint32_t k = 2; k < 40; k++) {
		for (uint32_t i = 0; i < k; i++) long_text[k][i] = (char)('a' + (i + k) % 4);
		if (k % 3 == 0) memcpy(long_text[k] + k, "\",\"ab", 5);
		tokens[n++] = long_text[k];
	}
	make_vocab(tokens, n, v);
}

static void take_encoded(const struct artifact_image *image, const struct vocab *v, bool raw, struct good *g,
                         struct diag *d)
{
	// v: that of an artifact without tokens; NULL: they are inside.
	const struct artifact_write_options o = {
		.raw = raw, .no_vocab = v, .place_of = v ? v->place_of : NULL, .n_ranks = v ? v->n_ranks : 0};
	const struct section_places places = {v ? v->token_of : NULL, o.n_ranks};
	uint8_t *bytes;
	size_t len;
	must(artifact_encode(image, &o, d, &bytes, &len), d, "encoding");
	good_take(bytes, len, &places, g);
	free(bytes);
}

static void take_vocab(struct vocab *v, struct good *g, struct diag *d)
{
	char path[] = "/tmp/gcdc-forged-XXXXXX";
	int f = mkstemp(path);
	ASSERT(f >= 0);
	must(vocab_write(v, path, d), d, "writing the vocabulary");
	close(f);
	FILE *file = fopen(path, "rb");
	ASSERT(file);
	static uint8_t bytes[1 << 20];
	size_t len = fread(bytes, 1, sizeof bytes, file);
	fclose(file);
	unlink(path);
	good_take(bytes, len, NULL, g);
}

// A pair that intervals have wrong: this tokenizer has none by itself.
static void patch(struct canon_section *sections, struct artifact_canon *info)
{
	static const struct artifact_canon_pair pair = {1, 3};
	for (uint32_t k = 0; k < CANON_SECTIONS; k++)
		if (sections[k].id == SECTION_CANON_PATCH) sections[k].bytes = &pair, sections[k].size = sizeof pair;
	info->n_patches = 1;
}

// The tokenizer of canonical kinds, read once.
static struct canonical *canonical_tables(const struct vocab *v, struct diag *d)
{
	static struct canonical tables;
	if (tables.n_tokens) return &tables;
	struct encoder *e = encoder_parse("forged", toy_tokenizer, sizeof toy_tokenizer - 1, d);
	must(e && canonical_build(e, v, d, &tables, NULL), d, "the tokenizer");
	encoder_free(e);
	return &tables;
}

static void make(const struct kind *k, struct made *to)
{
	struct diag d = {0};
	struct vocab v = {0};
	struct compiled c;
	struct grammar g;
	struct canonical *tables = NULL;
	struct canon_section sections[CANON_SECTIONS];
	struct artifact_canon info;
	if (k->grammar == shared)
		make_bytes(&v);
	else if (k->canonical)
		make_vocab(toy_tokens, sizeof toy_tokens / sizeof *toy_tokens, &v);
	else
		make_vocab(text_tokens, sizeof text_tokens / sizeof *text_tokens, &v);
	if (k->canonical) {
		tables = canonical_tables(&v, &d);
		canonical_sections(tables, sections);
		if (k->outside) v.n_canonical = canonical_sections(tables, v.canonical);
		info = tables->info, info.mode = k->canonical, sections[0].bytes = &info;
		if (k->patched) patch(sections, &info);
	}
	if (k->outside) take_vocab(&v, &to->vocab, &d);
	const struct schema_options with = {0};
	const size_t len = strlen(k->grammar);
	must(k->grammar == shared ? schema_parse("forged.json", shared, len, &with, &d, &g)
	                          : grammar_parse("forged.lark", k->grammar, len, NULL, &d, &g),
	     &d, k->name);
	must(compile_image(&g, &v,
	                   &(struct compile_options){.costs = (enum compile_costs)k->costs,
	                                             .keep_groups = k->costs == EXACT,
	                                             .share_from = 1,
	                                             .canonical = k->canonical ? sections : NULL},
	                   &d, &c),
	     &d, k->name);
	must(!k->product || c.product.product, &d, "no dead ends");
	must(k->grammar != shared || c.image.counter_info.flags & COUNTERS_SHARED, &d, "nothing is shared");
	must(k->grammar != counted || c.image.counter_info.n_counters == 2, &d, "nothing is counted");
	uint32_t bracket = 0;
	while (k->grammar == unique &&
	       (g.terminals[bracket].pattern->kind != TERM_TEXT || g.terminals[bracket].pattern->text[0] != '['))
		bracket++;
	if (k->grammar == unique) {
		c.image.unique_terminals = &bracket, c.image.unique_info.n_terminals = 1;
		c.image.unique_shapes = shape, c.image.unique_info.n_shape_words = sizeof shape / sizeof *shape;
	}
	must(!k->kept || (kept_add(&c, 6, NULL) && c.image.kept_info.n_steps), &d, "no steps are kept");
	take_encoded(&c.image, k->outside ? &v : NULL, true, &to->raw, &d);
	take_encoded(&c.image, k->outside ? &v : NULL, false, &to->packed, &d);
	compile_release(&c);
	grammar_release(&g);
	vocab_release(&v);
	diag_release(&d);
}

static void print_counts(void)
{
	uint64_t forged = 0, opened = 0, places = 0;
	printf("%-18s %10s %10s %10s %10s\n", "kind", "forged", "opened", "masks", "slowest ms");
	for (size_t k = 0; k < N_KINDS; k++) {
		printf("%-18s %10llu %10llu %10llu %10.1f\n", kinds[k].name, (unsigned long long)made[k].forged,
		       (unsigned long long)made[k].opened, (unsigned long long)made[k].places, made[k].slowest * 1e3);
		forged += made[k].forged, opened += made[k].opened, places += made[k].places;
	}
	printf("%-18s %10llu %10llu %10llu\n", "all", (unsigned long long)forged, (unsigned long long)opened,
	       (unsigned long long)places);
}

static void free_good(struct good *g)
{
	for (uint32_t i = 0; i < g->n; i++) free(g->at[i].bytes), free(g->at[i].stored);
	g->n = 0;
}

static void finish(void)
{
	print_counts();
	for (size_t k = 0; k < N_KINDS; k++) free_good(&made[k].raw), free_good(&made[k].packed), free_good(&made[k].vocab);
	free_large();
	ZSTD_freeCCtx(zstd);
}

// ---- Forging.
static void use(struct made *k, const uint8_t *bytes, size_t len, struct choices *c)
{
	gcdc_artifact *a;
	gcdc_refusal why;
	struct apart apart;
	const gcdc_open_options options = {.vocab_path = vocab_path,
	                                   .memory = &(gcdc_memory){take_block, NULL},
	                                   .threads = len && bytes[len / 2] % 8 == 0 ? 3 : 1};
	gcdc_status status = gcdc_artifact_open_memory(bytes, len, &options, &a, &why);
	MUST(status <= 0 && status != GCDC_ERR_INTERNAL && status != GCDC_ERR_ARGUMENT, "opening says %d", status);
	MUST(!status || why.what[0], "refused without a word");
	if (status) return;
	k->opened++;
	set_apart(a, &apart);
	k->places += walk_forged(a, c);
	gcdc_artifact_close(a);
	apart_release(&apart);
}

// What the compiler takes of it, if anything, is a vocabulary.
static void use_vocab(const uint8_t *bytes, size_t len)
{
	struct diag d = {0};
	struct vocab v;
	if (vocab_open_memory(bytes, len, &d, &v)) {
		MUST(!vocab_check(&v), "%s", vocab_check(&v));
		for (uint32_t i = 0; i < v.n_canonical; i++) walk_read(v.canonical[i].bytes, v.canonical[i].size);
		vocab_release(&v);
	} else
		MUST(d.n_errors, "refused without a word");
	diag_release(&d);
}

static void forge_vocab(struct made *k, bool is_changed, struct choices *c)
{
	struct forgery f = {.good = &k->vocab};
	if (is_changed)
		forge(&k->vocab, c, &f);
	else
		memcpy(f.at, k->vocab.at, sizeof f.at);
	size_t len;
	uint8_t *block, *bytes = forgery_file(&f, c, zstd, &len, &block);
	if (is_changed) use_vocab(bytes, len);
	MUST(ftruncate(vocab_file, 0) == 0 && pwrite(vocab_file, bytes, len, 0) == (ssize_t)len,
	     "no room for the vocabulary");
	free(block);
	forgery_release(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!zstd) {
		zstd = ZSTD_createCCtx();
		vocab_file = memfd_create("vocab", 0);
		ASSERT(zstd && vocab_file >= 0);
		snprintf(vocab_path, sizeof vocab_path, "/proc/self/fd/%d", vocab_file);
		atexit(finish);
	}
	struct choices c = {XXH3_64bits(data, size)};
	size_t which = size ? data[0] % N_KINDS : 0;
	struct made *k = &made[which];
	if (!k->raw.n) make(&kinds[which], k);
	clock_t begin = clock();
	bool is_vocab = kinds[which].outside && choose(&c, 4);
	if (kinds[which].outside) forge_vocab(k, is_vocab, &c);
	struct forgery f = {.good = choose(&c, 3) ? &k->raw : &k->packed};
	if (!is_vocab || !choose(&c, 8))
		forge(f.good, &c, &f);
	else
		memcpy(f.at, f.good->at, sizeof f.at);
	size_t len;
	uint8_t *block, *bytes = forgery_file(&f, &c, zstd, &len, &block);
	k->forged++;
	use(k, bytes, len, &c);
	free(block);
	forgery_release(&f);
	double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
	if (seconds > k->slowest) k->slowest = seconds;
	MUST(seconds < SLOW_SECONDS, "%.1f s", seconds);
	return 0;
}
