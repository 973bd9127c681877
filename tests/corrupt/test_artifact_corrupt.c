// Damaged and forged artifacts: refused, or harmless. Meant to run under AddressSanitizer.
#include "tiny_artifact.h"
#include "toy_image.h"

enum { TINY_PARENS, TINY_FALLBACK, STACKS, LINES };

static uint8_t *encoded_grammar(const char *grammar, const char *const *tokens, uint32_t n, bool raw, size_t *len)
{
	struct vocab v = {0};
	struct compiled c;
	toy_vocab(tokens, n, &v);
	toy_compile(grammar, &v, &(struct compile_options){0}, &c);
	uint8_t *out = toy_encode(&c, raw, len);
	vocab_release(&v);
	return out;
}
#define ENCODED_GRAMMAR(grammar, tokens, raw, len)                                                                     \
	encoded_grammar(grammar, tokens, sizeof tokens / sizeof *tokens, raw, len)

// Ambiguous: choices, stacks that compete, tokens to try, empty productions on the right.
static uint8_t *encoded_stacks(bool raw, size_t *len)
{
	const char *grammar = "start: s | p \"c\" INT DOT INT n | q \"c\" FLOAT n n | q \"c\" INT DOT DOT\n"
						  "s: \"a\" s \"a\" | \"b\" s \"b\" n | \"a\" | \"b\" |\nn: \"b\" |\np: \"-\"\nq: \"-\"\n"
						  "INT: /[01]+/\nDOT: \".\"\nFLOAT: /[01]+\\.[01]+/\n%ignore / +/\n";
	static const char *const tokens[] = {"",  "a", "b", "ab", "ba", "-c", "-", "c",
	                                     "1", "0", ".", "1.", ".1", "..", " ", "a b"};
	return ENCODED_GRAMMAR(grammar, tokens, raw, len);
}

// Lines with columns: blanks of three kinds.
static uint8_t *encoded_lines(bool raw, size_t *len)
{
	const char *grammar = "start: (NAME _NL | NAME \":\" _NL _IN start _OUT)+\nNAME: /[ab]+/\n_NL: /(\\n[ \\t]*)+/\n"
						  "%indent newline=_NL indent=_IN dedent=_OUT tab=8 end=text\n";
	static const char *const tokens[] = {"",   "a",    "b",    ":",   "\n",   " ",     "  ",  "  a",
	                                     "\t", " \ta", "\n  ", "\na", "a:\n", "    b", "\t b"};
	return ENCODED_GRAMMAR(grammar, tokens, raw, len);
}

static uint8_t *encoded(int which, bool raw, size_t *len)
{
	if (which == STACKS) return encoded_stacks(raw, len);
	if (which == LINES) return encoded_lines(raw, len);
	struct tiny *t = which == TINY_PARENS ? tiny_parens() : tiny_fallback();
	uint8_t *bytes = tiny_encode(t, &(struct artifact_write_options){.raw = raw}, len);
	tiny_free(t);
	return bytes;
}

// A copy in a block of exactly its size, so that the sanitizer sees every read past it.
static uint8_t *exactly(const uint8_t *bytes, size_t len)
{
	uint8_t *copy = malloc(len ? len : 1);
	memcpy(copy, bytes, len);
	return copy;
}

static gcdc_status try_open(const uint8_t *bytes, size_t len, gcdc_refusal *why)
{
	gcdc_artifact *a;
	const gcdc_open_options options = {.threads = 1 + len % 3};  // the answer is the same
	gcdc_status status = gcdc_artifact_open_memory(bytes, len, &options, &a, why);
	if (status) {
		cr_assert_null(a);
		cr_assert(why->what[0] != 0, "a refusal without a reason");
	}
	gcdc_artifact_close(a);
	return status;
}

static bool same_sections(const gcdc_artifact *a, const gcdc_artifact *b)
{
	for (uint32_t id = 0; id < 64; id++) {
		size_t n, m;
		const void *x = gcdc_artifact_section(a, id, &n), *y = gcdc_artifact_section(b, id, &m);
		if (n != m || (n && memcmp(x, y, n) != 0)) return false;
	}
	return true;
}

// In a raw artifact every bit is checked. A bit inside a zstd frame that zstd does not look at may go unseen; then
// what was decoded is the same.
Test(artifact_corrupt, every_flipped_byte_is_refused)
{
	for (int which = TINY_PARENS; which <= TINY_FALLBACK; which++)
		for (int raw = 0; raw < 2; raw++) {
			size_t len;
			uint8_t *good = encoded(which, raw, &len), *bytes = exactly(good, len);
			gcdc_artifact *a, *b;
			cr_assert_eq(gcdc_artifact_open_memory(good, len, NULL, &a, NULL), GCDC_OK);
			for (size_t i = 0; i < len; i++) {
				static const uint8_t flips[] = {1, 0x80, 0xff};
				for (int k = 0; k < 3; k++) {
					bytes[i] ^= flips[k];
					gcdc_refusal why;
					gcdc_status status = gcdc_artifact_open_memory(bytes, len, NULL, &b, &why);
					cr_assert(status || !raw, "byte %zu of %zu ^ %u", i, len, flips[k]);
					cr_assert(status || same_sections(a, b), "byte %zu of %zu ^ %u", i, len, flips[k]);
					gcdc_artifact_close(b);
					bytes[i] ^= flips[k];
				}
			}
			gcdc_artifact_close(a);
			free(bytes);
			free(good);
		}
}

Test(artifact_corrupt, every_truncation_and_extension_is_refused)
{
	for (int raw = 0; raw < 2; raw++) {
		size_t len;
		uint8_t *good = encoded(TINY_PARENS, raw, &len);
		gcdc_refusal why;
		for (size_t n = 0; n < len; n += n < 2000 ? 1 : 97) {
			uint8_t *bytes = exactly(good, n);
			cr_assert_neq(try_open(bytes, n, &why), GCDC_OK, "%zu of %zu bytes", n, len);
			if (n >= sizeof(struct artifact_header)) {  // a header that admits to it
				((struct artifact_header *)(void *)bytes)->file_size = n;
				abuse_seal(bytes, n, false);
				cr_assert_neq(try_open(bytes, n, &why), GCDC_OK, "%zu of %zu bytes, sealed", n, len);
			}
			free(bytes);
		}
		uint8_t *longer = calloc(1, len + 64);
		memcpy(longer, good, len);
		((struct artifact_header *)(void *)longer)->file_size = len + 64;
		abuse_seal(longer, len + 64, false);
		cr_assert_eq(try_open(longer, len + 64, &why), GCDC_ERR_FORMAT);
		free(longer);
		free(good);
	}
}

// ---- Field by field: what is written there, and how it is refused.
struct edit {
	const char *name;
	uint32_t section;  // 0: header; ROW + id: its row of the table
	size_t at, size;
	uint64_t value;
	gcdc_status status;
	uint32_t refused;   // section named by the refusal
	const char *words;  // in its text
};
#define ROW 1000
#define HEADER(field) 0, offsetof(struct artifact_header, field), sizeof((struct artifact_header *)0)->field
#define TABLE(id, field) ROW + id, offsetof(struct artifact_section, field), sizeof((struct artifact_section *)0)->field
#define INFO(field) SECTION_INFO, offsetof(struct artifact_info, field), 4

static const struct edit edits[] = {
	{"magic", HEADER(magic), 0, GCDC_ERR_FORMAT, 0, "magic"},
	{"version 0", HEADER(version), 0, GCDC_ERR_VERSION, 0, "version 0"},
	{"version 12", HEADER(version), 12, GCDC_ERR_VERSION, 0, "version 12"},
	{"version 14", HEADER(version), 14, GCDC_ERR_VERSION, 0, "version 14"},
	{"flags", HEADER(flags), 3, GCDC_ERR_VERSION, 0, "flags"},
	{"reserved", HEADER(reserved), 1, GCDC_ERR_FORMAT, 0, "reserved"},
	{"file size", HEADER(file_size), 77, GCDC_ERR_FORMAT, 0, "77"},
	{"sections 129", HEADER(n_sections), 129, GCDC_ERR_LIMIT, 0, "ARTIFACT_MAX_SECTIONS"},
	{"sections 0", HEADER(n_sections), 0, GCDC_ERR_FORMAT, 0, "follow"},
	{"sections 25", HEADER(n_sections), 25, GCDC_ERR_FORMAT, SECTION_INFO, "begins at"},
	{"tokens not announced", HEADER(flags), 0, GCDC_ERR_FORMAT, SECTION_TOKEN_OFFSET, "holds tokens"},
	{"id descends", TABLE(SECTION_NODE, id), 5, GCDC_ERR_FORMAT, 5, "ascend"},
	{"id unknown", TABLE(SECTION_TOKEN_BYTES, id), 9999, GCDC_ERR_VERSION, 9999, "unknown"},
	{"id unknown, low", TABLE(SECTION_INFO, id), 0, GCDC_ERR_VERSION, 0, "unknown"},
	{"id skipped", TABLE(SECTION_TOKEN_BYTES, id), 1 << 16, GCDC_ERR_FORMAT, SECTION_TOKEN_BYTES, "missing"},
	{"codec", TABLE(SECTION_SET, codec), 9, GCDC_ERR_FORMAT, SECTION_SET, "codec"},
	{"codec planes", TABLE(SECTION_SET, codec), 3, GCDC_ERR_FORMAT, SECTION_SET, "zstd"},
	{"codec planes of bytes", TABLE(SECTION_STRINGS, codec), 3, GCDC_ERR_FORMAT, SECTION_STRINGS, "32-bit"},
	{"codec columns", TABLE(SECTION_SET, codec), 4, GCDC_ERR_FORMAT, SECTION_SET, "no rows of"},
	{"codec lists", TABLE(SECTION_SET, codec), 6, GCDC_ERR_FORMAT, SECTION_SET, "no rows of"},
	{"codec of older versions", TABLE(SECTION_SET, codec), 7, GCDC_ERR_FORMAT, SECTION_SET, "unknown codec"},
	{"codec zstd", TABLE(SECTION_SET, codec), 1, GCDC_ERR_FORMAT, SECTION_SET, "zstd"},
	{"offset odd", TABLE(SECTION_SET, offset), 4097, GCDC_ERR_FORMAT, SECTION_SET, "begins at"},
	{"offset overlaps", TABLE(SECTION_SET, offset), 1024, GCDC_ERR_FORMAT, SECTION_SET, "begins at"},
	{"offset far", TABLE(SECTION_SET, offset), ~63ull, GCDC_ERR_FORMAT, SECTION_SET, "begins at"},
	{"stored past the end", TABLE(SECTION_TOKEN_BYTES, stored), 1ull << 40, GCDC_ERR_FORMAT, SECTION_TOKEN_BYTES,
     "past the end"},
	{"stored wraps", TABLE(SECTION_TOKEN_BYTES, stored), ~0ull, GCDC_ERR_FORMAT, SECTION_TOKEN_BYTES, "past the end"},
	{"size", TABLE(SECTION_SET, size), 4, GCDC_ERR_FORMAT, SECTION_SET, "raw"},
	{"check", TABLE(SECTION_SET, check), 4, GCDC_ERR_FORMAT, SECTION_SET, "checksum"},
	{"tokens 0", INFO(n_tokens), 0, GCDC_ERR_FORMAT, SECTION_INFO, "tokens"},
	{"tokens 71", INFO(n_tokens), 71, GCDC_ERR_FORMAT, SECTION_TOKEN_OFFSET, "counts"},
	{"tokens 2^32 - 1", INFO(n_tokens), UINT32_MAX, GCDC_ERR_FORMAT, SECTION_INFO, "mask"},
	{"mask words", INFO(mask_words), 4, GCDC_ERR_FORMAT, SECTION_INFO, "mask"},
	{"eos count", INFO(n_eos), 3, GCDC_ERR_FORMAT, SECTION_EOS, "counts"},
	{"longest token", INFO(max_token_len), 2, GCDC_ERR_FORMAT, SECTION_TOKEN_OFFSET, "longest"},
	{"terminals", INFO(n_terminals), UINT32_MAX, GCDC_ERR_FORMAT, SECTION_TERMINAL, "counts"},
	{"classes", INFO(n_classes), 257, GCDC_ERR_FORMAT, SECTION_LEX_NEXT, "counts"},
	{"lex states", INFO(n_lex_states), UINT32_MAX, GCDC_ERR_FORMAT, SECTION_LEX_NEXT, "counts"},
	{"contexts", INFO(n_contexts), UINT32_MAX, GCDC_ERR_FORMAT, SECTION_LEX_START, "counts"},
	{"start lex state", INFO(start_lex_state), 0, GCDC_ERR_FORMAT, SECTION_INFO, "first lexer state"},
	{"start lex state high", INFO(start_lex_state), PQ_STATES, GCDC_ERR_FORMAT, SECTION_INFO, "first lexer state"},
	{"readings 0", INFO(max_readings), 0, GCDC_ERR_FORMAT, SECTION_INFO, "MAX_READINGS"},
	{"readings 65", INFO(max_readings), 65, GCDC_ERR_FORMAT, SECTION_INFO, "MAX_READINGS"},
	{"pushes", INFO(max_pushes), 1 << 17, GCDC_ERR_FORMAT, SECTION_INFO, "MAX_PUSHES"},
	{"pushes more than states", INFO(max_pushes), P_LR + 1, GCDC_ERR_FORMAT, SECTION_INFO, "MAX_PUSHES"},
	{"info flags", INFO(flags), 8, GCDC_ERR_FORMAT, SECTION_INFO, "flags"},
	{"class", SECTION_INFO, offsetof(struct artifact_info, class_of) + 9, 1, 5, GCDC_ERR_FORMAT, SECTION_INFO, "class"},
	{"strings' end", SECTION_STRINGS, 20, 1, 'x', GCDC_ERR_FORMAT, SECTION_STRINGS, "NUL"},
	{"terminal's name", SECTION_TERMINAL, 0, 4, 21, GCDC_ERR_FORMAT, SECTION_TERMINAL, "name"},
	{"terminal's flags", SECTION_TERMINAL, 4, 4, 8, GCDC_ERR_FORMAT, SECTION_TERMINAL, "flags"},
	{"terminal's pattern", SECTION_TERMINAL, 12, 4, 21, GCDC_ERR_FORMAT, SECTION_TERMINAL, "pattern"},
	{"terminal's rank", SECTION_TERMINAL, 16, 4, 4, GCDC_ERR_FORMAT, SECTION_TERMINAL, "rank"},
	{"nonterminal", SECTION_NONTERMINAL, 0, 4, 21, GCDC_ERR_FORMAT, SECTION_NONTERMINAL, "name"},
	{"production's left side", SECTION_PRODUCTION, 0, 4, 1, GCDC_ERR_FORMAT, SECTION_PRODUCTION, "left"},
	{"production's length", SECTION_PRODUCTION, 4, 4, UINT32_MAX, GCDC_ERR_FORMAT, SECTION_PRODUCTION, "right"},
	{"production reserved", SECTION_PRODUCTION, 12, 4, 1, GCDC_ERR_FORMAT, SECTION_PRODUCTION, "reserved"},
	{"symbol", SECTION_SYMBOL, 4, 4, 5, GCDC_ERR_FORMAT, SECTION_SYMBOL, "symbol"},
	{"lex next", SECTION_LEX_NEXT, 24, 4, PQ_STATES, GCDC_ERR_FORMAT, SECTION_LEX_NEXT, "lexer state"},
	{"lex next cuts nothing", SECTION_LEX_NEXT, 24, 4, LEX_CUT, GCDC_ERR_FORMAT, SECTION_LEX_NEXT, "without terminal"},
	{"lex terminal", SECTION_LEX_STATE, PQ_L * 36, 4, 4, GCDC_ERR_FORMAT, SECTION_LEX_STATE, "terminal"},
	{"lex obligation", SECTION_LEX_STATE, PQ_L * 36 + 4, 4, 1, GCDC_ERR_FORMAT, SECTION_LEX_STATE, "obligation"},
	{"lex flags", SECTION_LEX_STATE, 8, 4, 8, GCDC_ERR_FORMAT, SECTION_LEX_STATE, "flags"},
	{"lex line", SECTION_LEX_STATE, 12, 4, 4, GCDC_ERR_FORMAT, SECTION_LEX_STATE, "number of the line"},
	{"lex also", SECTION_LEX_STATE, 16, 4, PQ_STATES, GCDC_ERR_FORMAT, SECTION_LEX_STATE, "another way to end"},
	{"last start rows of most contexts", SECTION_LEX_STATE, PQ_L * 36 + 24, 4, 20, GCDC_OK, 0, NULL},
	{"start rows past the end", SECTION_LEX_STATE, PQ_L * 36 + 24, 4, 21, GCDC_ERR_FORMAT, SECTION_LEX_STATE,
     "end of the start rows"},
	{"lex also of none", SECTION_LEX_STATE, 16, 4, PQ_L, GCDC_ERR_FORMAT, SECTION_LEX_STATE, "higher rank"},
	{"lex also cycle", SECTION_LEX_STATE, PQ_L * 36 + 16, 4, PQ_L, GCDC_ERR_FORMAT, SECTION_LEX_STATE, "higher rank"},
	{"lex state 0 with a terminal", SECTION_LEX_STATE, 0, 4, P_N, GCDC_ERR_FORMAT, SECTION_LEX_STATE, "not dead"},
	{"lex state 0 with flags", SECTION_LEX_STATE, 8, 4, LEX_MAY_END, GCDC_ERR_FORMAT, SECTION_LEX_STATE, "not dead"},
	{"lex state 0 goes on", SECTION_LEX_NEXT, 4, 4, PQ_N, GCDC_ERR_FORMAT, SECTION_LEX_NEXT, "not dead"},
	{"lex start", SECTION_LEX_START, 0, 4, PQ_STATES, GCDC_ERR_FORMAT, SECTION_LEX_START, "lexer state"},
	{"context bits", SECTION_CONTEXT, 0, 4, 16, GCDC_ERR_FORMAT, SECTION_CONTEXT, "past the terminals"},
	{"lr context", SECTION_LR_STATE, 20, 4, 3, GCDC_ERR_FORMAT, SECTION_LR_STATE, "context"},
	{"lr rank", SECTION_LR_STATE, 24, 4, P_LR, GCDC_ERR_FORMAT, SECTION_LR_STATE, "rank"},
	{"lr rank without start row", SECTION_LR_STATE, 4 * 20 + 4, 4, 10, GCDC_ERR_FORMAT, SECTION_START_BASE,
     "start rows"},
	{"lr action row", SECTION_LR_STATE, 28, 4, 1000, GCDC_ERR_FORMAT, SECTION_LR_STATE, "action row"},
	{"lr goto row", SECTION_LR_STATE, 32, 4, P_LR, GCDC_ERR_FORMAT, SECTION_LR_STATE, "goto row"},
	{"lr reduction", SECTION_LR_STATE, 36, 4, ACTION_REDUCE(2), GCDC_ERR_FORMAT, SECTION_LR_STATE, "reduction of most"},
	{"lr reduction that shifts", SECTION_LR_STATE, 36, 4, ACTION_SHIFT(2), GCDC_ERR_FORMAT, SECTION_LR_STATE,
     "reduction of most"},
	{"shift", SECTION_LR_ACTION, 44, 4, ACTION_SHIFT(P_LR), GCDC_ERR_FORMAT, SECTION_LR_ACTION, "shift"},
	{"shift to nothing", SECTION_LR_ACTION, 44, 4, 1, GCDC_ERR_FORMAT, SECTION_LR_ACTION, "shift"},
	{"reduce", SECTION_LR_ACTION, 44, 4, ACTION_REDUCE(2), GCDC_ERR_FORMAT, SECTION_LR_ACTION, "reduction"},
	{"accept before the end", SECTION_LR_ACTION, 44, 4, ACTION_ACCEPT, GCDC_ERR_FORMAT, SECTION_LR_ACTION, "shift"},
	{"skip at the end", SECTION_LR_ACTION, 24 * 8 + 4, 4, ACTION_SKIP, GCDC_ERR_FORMAT, SECTION_LR_ACTION, "reduction"},
	{"choice", SECTION_LR_ACTION, 44, 4, ACTION_CHOICE(0), GCDC_ERR_FORMAT, SECTION_LR_ACTION, "choice"},
	{"action of a terminal", SECTION_LR_ACTION, 40, 4, P_TERMINALS + 1, GCDC_ERR_FORMAT, SECTION_LR_ACTION, "terminal"},
	{"goto", SECTION_LR_GOTO, 20, 4, P_LR, GCDC_ERR_FORMAT, SECTION_LR_GOTO, "parser state"},
	{"goto with a nonterminal", SECTION_LR_GOTO, 16, 4, 1, GCDC_ERR_FORMAT, SECTION_LR_GOTO, "nonterminal"},
	{"start row", SECTION_LEX_STATE, 36 + 20, 4, 1000, GCDC_ERR_FORMAT, SECTION_LEX_STATE, "row of starts"},
	{"most starts", SECTION_LEX_STATE, 36 + 24, 4, 1000, GCDC_ERR_FORMAT, SECTION_LEX_STATE, "start"},
	{"most starts near the end", SECTION_LEX_STATE, PQ_L * 36 + 24, 4, 22, GCDC_ERR_FORMAT, SECTION_LEX_STATE,
     "start rows"},
	{"live contexts", SECTION_LEX_STATE, 36 + 28, 4, 2, GCDC_ERR_FORMAT, SECTION_LEX_STATE, "row of contexts"},
	{"start in a context", SECTION_START_BASE, 24, 4, 3, GCDC_ERR_FORMAT, SECTION_START_BASE, "context"},
	{"start base", SECTION_START_BASE, 28, 4, 1 << 20, GCDC_ERR_FORMAT, SECTION_START_BASE, "start rows"},
	{"start base wraps", SECTION_START_BASE, 28, 4, UINT32_MAX - 1, GCDC_ERR_FORMAT, SECTION_START_BASE, "start rows"},
	{"start set", SECTION_START, 0, 4, 1000, GCDC_ERR_FORMAT, SECTION_START, "set"},
	{"start node", SECTION_START, 4, 4, 1000, GCDC_ERR_FORMAT, SECTION_START, "node"},
	{"node's first edge", SECTION_NODE, 16, 4, UINT32_MAX, GCDC_ERR_FORMAT, SECTION_NODE, "edges"},
	{"node's number of edges", SECTION_NODE, 20, 4, UINT32_MAX, GCDC_ERR_FORMAT, SECTION_NODE, "edges"},
	{"node's edges not ascending", SECTION_NODE, 20, 4, 4, GCDC_ERR_FORMAT, SECTION_NODE, "ascend"},
	{"node's other target", SECTION_NODE, 28, 4, 1000, GCDC_ERR_FORMAT, SECTION_NODE, "target"},
	{"edge frame", SECTION_EDGE_FRAME, 0, 2, P_LR, GCDC_ERR_FORMAT, SECTION_EDGE_FRAME, "parser state"},
	{"edge", SECTION_EDGE, 0, 4, 1000, GCDC_ERR_FORMAT, SECTION_EDGE, "target"},
	{"target's set", SECTION_TARGET, 0, 4, 1000, GCDC_ERR_FORMAT, SECTION_TARGET, "set"},
	{"target's next node", SECTION_TARGET, 4, 4, 1000, GCDC_ERR_FORMAT, SECTION_TARGET, "next"},
	{"set 0", SECTION_SET, 12, 4, SET_EOS, GCDC_ERR_FORMAT, SECTION_SET, "set 0"},
	{"set row", SECTION_SET, 24, 4, 1000, GCDC_ERR_FORMAT, SECTION_SET, "row"},
	{"set entries", SECTION_SET, 28, 4, UINT32_MAX, GCDC_ERR_FORMAT, SECTION_SET, "entries"},
	{"set entries not ascending", SECTION_SET, 32, 4, 50, GCDC_ERR_FORMAT, SECTION_SET, "ascend"},
	{"set flags", SECTION_SET, 36, 4, 2, GCDC_ERR_FORMAT, SECTION_SET, "flags"},
	{"set count", SECTION_SET, 40, 4, 71, GCDC_ERR_FORMAT, SECTION_SET, "count"},
	{"set count 0", SECTION_SET, 40, 4, 0, GCDC_ERR_FORMAT, SECTION_SET, "count"},
	{"set maybe", SECTION_SET, 44, 4, 1000, GCDC_ERR_FORMAT, SECTION_SET, "to try"},
	{"row past the tokens", SECTION_DENSE, 8, 4, 1 << 6, GCDC_ERR_FORMAT, SECTION_DENSE, "past the tokens"},
	{"listed token", SECTION_SPARSE, 0, 4, 70, GCDC_ERR_FORMAT, SECTION_SPARSE, "token"},
	{"eos", SECTION_EOS, 4, 4, 70, GCDC_ERR_FORMAT, SECTION_EOS, "token"},
	{"eos twice", SECTION_EOS, 4, 4, 40, GCDC_ERR_FORMAT, SECTION_EOS, "ascend"},
	{"token offset", SECTION_TOKEN_OFFSET, 8, 4, 0, GCDC_ERR_FORMAT, SECTION_TOKEN_OFFSET, "ascend"},
	{"first token offset", SECTION_TOKEN_OFFSET, 0, 4, 1, GCDC_ERR_FORMAT, SECTION_TOKEN_OFFSET, "ascend"},
	{"last token offset", SECTION_TOKEN_OFFSET, 70 * 4, 4, 1 << 30, GCDC_ERR_FORMAT, SECTION_TOKEN_BYTES, "counts"},
};

static void check_edits(const uint8_t *good, size_t len, const struct edit *all, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct edit *e = &all[i];
		uint8_t *bytes = exactly(good, len), *at = bytes + e->at;
		if (e->section >= ROW)
			at += (uint8_t *)abuse_row(bytes, e->section - ROW) - bytes;
		else if (e->section)
			at += abuse_row(bytes, e->section)->offset;
		memcpy(at, &e->value, e->size);
		abuse_seal(bytes, len, e->section > 0 && e->section < ROW);
		gcdc_refusal why;
		gcdc_status status = try_open(bytes, len, &why);
		cr_expect_eq(status, e->status, "%s: status %d, %s", e->name, status, status ? why.what : "");
		if (status) {
			cr_expect_eq(why.section, e->refused, "%s: section %u: %s", e->name, why.section, why.what);
			cr_expect(strstr(why.what, e->words), "%s: %s", e->name, why.what);
		}
		free(bytes);
	}
}

Test(artifact_corrupt, every_field_is_refused_with_its_reason)
{
	size_t len;
	uint8_t *good = encoded(TINY_PARENS, true, &len);
	check_edits(good, len, edits, sizeof edits / sizeof *edits);
	free(good);
}

// Memory is taken, and empty masks are told from others, by what sets say of themselves.
Test(artifact_corrupt, a_set_with_another_count_or_end_is_refused)
{
	for (int which = TINY_PARENS; which <= LINES; which++) {
		size_t len;
		uint8_t *good = encoded(which, true, &len);
		const uint8_t *sets = good + abuse_row(good, SECTION_SET)->offset;
		const struct artifact_info *i = (const void *)(good + abuse_row(good, SECTION_INFO)->offset);
		for (uint32_t k = 0; k < i->n_sets; k++) {
			struct artifact_set s;
			memcpy(&s, sets + k * sizeof s, sizeof s);
			const size_t at = k * sizeof s;
			const struct edit forged[] = {
				{"one more", SECTION_SET, at + offsetof(struct artifact_set, count), 4, s.count + 1, GCDC_ERR_FORMAT,
			     SECTION_SET, k ? "count" : "set 0"},
				{"one less", SECTION_SET, at + offsetof(struct artifact_set, count), 4, s.count - 1, GCDC_ERR_FORMAT,
			     SECTION_SET, k ? "count" : "set 0"},
				{"EOS", SECTION_SET, at + offsetof(struct artifact_set, flags), 4, s.flags ^ SET_EOS, GCDC_ERR_FORMAT,
			     SECTION_SET, k ? "EOS" : "set 0"},
			};
			check_edits(good, len, forged, sizeof forged / sizeof *forged);
		}
		const struct edit row = {"a row without a bit", SECTION_DENSE, 0, 4, 0, GCDC_ERR_FORMAT, SECTION_SET, "count"};
		if (i->n_dense) check_edits(good, len, &row, 1);
		free(good);
	}
}

// A row that is empty, of a set that says so: GCDC_OK with a mask of zeros.
Test(artifact_corrupt, a_row_without_tokens_is_refused)
{
	struct tiny *t = tiny_parens();
	struct artifact_set *sets = (struct artifact_set *)(uintptr_t)t->image.sets;
	uint32_t k = 1;
	while (sets[k].dense == ARTIFACT_NONE || sets[k].n) k++;
	memset((uint32_t *)(uintptr_t)t->image.dense + sets[k].dense * t->image.info.mask_words, 0,
	       t->image.info.mask_words * 4);
	size_t len;
	uint8_t *bytes = tiny_encode(t, &(struct artifact_write_options){.raw = true}, &len);
	uint8_t *set = bytes + abuse_row(bytes, SECTION_SET)->offset + k * sizeof *sets;
	memset(set + offsetof(struct artifact_set, flags), 0, 8);  // and count
	abuse_seal(bytes, len, true);
	gcdc_refusal why;
	cr_assert_eq(try_open(bytes, len, &why), GCDC_ERR_FORMAT);
	cr_assert(why.section == SECTION_SET && strstr(why.what, "without tokens"), "%s", why.what);
	free(bytes);
	tiny_free(t);
}

// Reductions under one terminal are bounded by states and nonterminals: few bytes must not make them last.
Test(artifact_corrupt, more_reductions_than_any_grammar_has_are_refused)
{
	struct tiny *t = tiny_parens();
	const uint32_t n_states = 1u << 15, n = ARTIFACT_MAX_CELLS / n_states + 1;
	struct artifact_lr_state *lr = calloc(n_states, sizeof *lr);
	struct artifact_cell *zeros = calloc(n, sizeof *zeros);
	memcpy(lr, t->image.lr_states, P_LR * sizeof *lr);
	for (uint32_t s = 0; s < n_states; s++) lr[s].goto_row = 0;
	t->image.info.n_lr_states = n_states, t->image.lr_states = lr;
	t->image.info.n_nonterminals = t->image.info.n_goto_cells = n;
	t->image.nonterminals = &zeros->column, t->image.lr_goto = zeros;
	size_t len;
	uint8_t *bytes = tiny_encode(t, NULL, &len);
	gcdc_refusal why;
	cr_expect_eq(try_open(bytes, len, &why), GCDC_ERR_FORMAT);
	cr_expect(why.section == SECTION_INFO && strstr(why.what, "ARTIFACT_MAX_CELLS"), "%s", why.what);
	free(bytes);
	free(zeros), free(lr);
	tiny_free(t);
}

// BLANK and LINE_TOP, and what the header of lines says of them. Rows: width 0, width w, ..., then "or more", then
// tabs.
Test(artifact_corrupt, every_field_of_lines_is_refused_with_its_reason)
{
	size_t len;
	uint8_t *good = encoded(LINES, true, &len);
	const struct artifact_info *i = (const void *)(good + abuse_row(good, SECTION_INFO)->offset);
	cr_assert(i->n_lines && i->n_widths >= 3 && i->n_blanks > 2 * i->n_widths && i->n_line_tops,
	          "the grammar has too little");
	enum { SIZE = sizeof(struct artifact_blank) };
	const size_t more = i->n_widths * SIZE, tab = 2 * more;
	const struct edit lines[] = {
		{"blank's kind", SECTION_BLANK, 0, 4, ARTIFACT_BLANK_TAB, GCDC_ERR_FORMAT, SECTION_BLANK, "kind"},
		{"blank's kind past all", SECTION_BLANK, tab, 4, 3, GCDC_ERR_FORMAT, SECTION_BLANK, "kind"},
		{"or more among widths", SECTION_BLANK, SIZE, 4, ARTIFACT_BLANK_OR_MORE, GCDC_ERR_FORMAT, SECTION_BLANK,
	     "kind"},
		{"first width", SECTION_BLANK, 4, 4, 1, GCDC_ERR_FORMAT, SECTION_BLANK, "columns"},
		{"widths not ascending", SECTION_BLANK, 2 * SIZE + 4, 4, 0, GCDC_ERR_FORMAT, SECTION_BLANK, "columns"},
		{"width too large", SECTION_BLANK, more - SIZE + 4, 4, ARTIFACT_MAX_COLUMN + 1, GCDC_ERR_FORMAT, SECTION_BLANK,
	     "columns"},
		{"or more of another width", SECTION_BLANK, more + SIZE + 4, 4, 1000, GCDC_ERR_FORMAT, SECTION_BLANK,
	     "columns"},
		{"tab too far", SECTION_BLANK, tab + 4, 4, ARTIFACT_MAX_COLUMN + 1, GCDC_ERR_FORMAT, SECTION_BLANK, "columns"},
		{"remainder of a width", SECTION_BLANK, 8, 4, 1, GCDC_ERR_FORMAT, SECTION_BLANK, "behind the tab"},
		{"rest too large", SECTION_BLANK, tab + 8, 4, ARTIFACT_MAX_COLUMN + 1, GCDC_ERR_FORMAT, SECTION_BLANK,
	     "behind the tab"},
		{"line top", SECTION_LINE_TOP, 4, 4, i->n_line_tops, GCDC_ERR_FORMAT, SECTION_LINE_TOP, "top"},
		{"line top far", SECTION_LINE_TOP, (i->n_lr_states - 1) * 4, 4, UINT32_MAX - 1, GCDC_ERR_FORMAT,
	     SECTION_LINE_TOP, "top"},
		{"blanks", INFO(n_blanks), i->n_blanks + 1, GCDC_ERR_FORMAT, SECTION_BLANK, "counts"},
		{"widths 0", INFO(n_widths), 0, GCDC_ERR_FORMAT, SECTION_INFO, "widths"},
		{"widths without or more", INFO(n_widths), i->n_blanks, GCDC_ERR_FORMAT, SECTION_INFO, "blanks"},
		{"lines", INFO(n_lines), 0, GCDC_ERR_FORMAT, SECTION_LINE_TOP, "counts"},
		{"line start", INFO(line_start), i->n_starts, GCDC_ERR_FORMAT, SECTION_INFO, "starts of lines"},
		{"newline", INFO(newline), i->indent, GCDC_ERR_FORMAT, SECTION_INFO, "terminals of lines"},
		{"tab 0", INFO(tab), 0, GCDC_ERR_FORMAT, SECTION_INFO, "tab"},
		{"tab rule", INFO(tab_rule), 3, GCDC_ERR_FORMAT, SECTION_INFO, "tabs"},
		{"end newline", INFO(end_newline), 2, GCDC_ERR_FORMAT, SECTION_INFO, "newline"},
	};
	check_edits(good, len, lines, sizeof lines / sizeof *lines);
	free(good);
}

Test(artifact_corrupt, a_later_section_is_skipped)
{
	size_t len;
	uint8_t *good = encoded(TINY_PARENS, true, &len);
	// One more row moves everything by an alignment step at most; so: into the room after the last section.
	struct artifact_header *h = (struct artifact_header *)(void *)good;
	size_t old_head = sizeof *h + h->n_sections * sizeof(struct artifact_section),
		   head = old_head + sizeof(struct artifact_section);
	size_t shift = ((head + 63) & ~(size_t)63) - ((old_head + 63) & ~(size_t)63),
		   end = (len + shift + 63) & ~(size_t)63;
	uint8_t *bytes = calloc(1, end + 10);
	memcpy(bytes, good, old_head);
	size_t first = (old_head + 63) & ~(size_t)63;
	memcpy(bytes + first + shift, good + first, len - first);
	h = (struct artifact_header *)(void *)bytes;
	struct artifact_section *s = (struct artifact_section *)(void *)(h + 1);
	for (uint32_t i = 0; i < h->n_sections; i++) s[i].offset += shift;
	s[h->n_sections++] = (struct artifact_section){
		.id = 1 << 16, .codec = ARTIFACT_ZSTD, .offset = end, .stored = 10, .size = 1ull << 60};
	h->file_size = end + 10;
	abuse_seal(bytes, end + 10, false);
	gcdc_refusal why;
	cr_assert_eq(try_open(bytes, end + 10, &why), GCDC_OK, "%s", why.what);
	free(bytes);
	free(good);
}

Test(artifact_corrupt, a_zip_bomb_is_refused_before_it_is_decoded)
{
	size_t len;
	uint8_t *bytes = encoded(TINY_PARENS, false, &len);
	struct artifact_section *s = abuse_row(bytes, SECTION_EDGE);
	cr_assert_eq(s->codec, ARTIFACT_ZSTD_STEPS);
	s->size = ARTIFACT_MAX_DECODED;
	abuse_seal(bytes, len, false);
	gcdc_refusal why;
	cr_assert_eq(try_open(bytes, len, &why), GCDC_ERR_LIMIT);
	cr_assert(strstr(why.what, "ARTIFACT_MAX_DECODED"), "%s", why.what);
	free(bytes);
}

// Lists are words, one a row: no other width says the same (artifact.md).
Test(artifact_corrupt, lists_of_wide_rows_are_refused)
{
	size_t len;
	uint8_t *bytes = encoded(TINY_PARENS, false, &len);
	const struct artifact_section *s = abuse_row(bytes, SECTION_SPARSE);
	const uint32_t width = (uint32_t)(s->size / 4);
	cr_assert(s->codec == ARTIFACT_ZSTD_LISTS && width > 1);
	memcpy(bytes + s->offset, &width, sizeof width);
	abuse_seal(bytes, len, false);
	gcdc_refusal why;
	cr_assert_eq(try_open(bytes, len, &why), GCDC_ERR_FORMAT);
	cr_assert(why.section == SECTION_SPARSE && strstr(why.what, "no rows of"), "%s", why.what);
	free(bytes);
}

// Forged: contents changed, checksums right. Whatever opens is used; the sanitizers judge.
Test(artifact_corrupt, forged_contents_are_refused_or_harmless, .timeout = 250)
{
	uint64_t seed = 7;
	cr_log_info("seed %llu", (unsigned long long)seed);
	uint32_t opened = 0, refused = 0;
	for (int which = TINY_PARENS; which <= LINES; which++) {
		size_t len;
		uint8_t *good = encoded(which, true, &len);
		for (int round = 0; round < (which == LINES ? 2000 : 6000); round++) {
			uint8_t *bytes = exactly(good, len), data[96];
			struct artifact_header *h = (struct artifact_header *)(void *)bytes;
			struct artifact_section *s = (struct artifact_section *)(void *)(h + 1);
			for (size_t i = 0; i < sizeof data; i++) {
				seed = seed * 6364136223846793005u + 1442695040888963407u;
				data[i] = (uint8_t)(seed >> 56);
			}
			for (int edit = 0; edit <= data[0] % 4; edit++) {
				seed = seed * 6364136223846793005u + 1442695040888963407u;
				uint32_t r = (uint32_t)(seed >> 33);
				const struct artifact_section *x = &s[r % h->n_sections];
				if (x->size < 4) continue;
				uint32_t *w = (uint32_t *)(void *)(bytes + x->offset) + r / 64 % (x->size / 4);
				static const uint32_t special[] = {0, 1, UINT32_MAX, LEX_CUT, 2, 3};
				*w = r / 4096 % 2        ? special[r / 8192 % 6]
				     : r / 4096 % 4 == 0 ? *w ^ 1u << r / 8192 % 32
				                         : r / 8192 % 12;
			}
			abuse_seal(bytes, len, true);
			gcdc_artifact *a;
			gcdc_refusal why;
			if (gcdc_artifact_open_memory(bytes, len, NULL, &a, &why) == GCDC_OK) {
				opened++;
				abuse_drive(a, data, sizeof data);
			} else {
				refused++;
			}
			gcdc_artifact_close(a);
			free(bytes);
		}
		free(good);
	}
	cr_assert(opened > 1000 && refused > 1000, "%u opened, %u refused", opened, refused);
}

// Reductions that go in a circle, valid in every index.
Test(artifact_corrupt, endless_reductions_end)
{
	for (int length = 0; length < 2; length++) {
		struct tiny *t = tiny_parens();
		struct artifact_cell(*action)[P_TERMINALS + 1] = (void *)(uintptr_t)t->image.lr_action;
		struct artifact_cell *go = (void *)(uintptr_t)t->image.lr_goto;
		struct artifact_production *p = arena_array(&t->arena, 2, sizeof *p);
		memcpy(p, t->image.productions, 2 * sizeof *p);
		p[1].length = (uint32_t)length;
		t->image.productions = p;
		t->image.info.max_pushes = P_LR;
		action[1][P_N].value = action[2][P_N].value = ACTION_REDUCE(1);
		go[1].value = go[2].value = 2;
		size_t len;
		uint8_t *bytes = tiny_encode(t, NULL, &len);
		gcdc_artifact *a;
		gcdc_matcher *m;
		cr_assert_eq(gcdc_artifact_open_memory(bytes, len, NULL, &a, NULL), GCDC_OK);
		cr_assert_eq(gcdc_matcher_new(a, &(gcdc_matcher_options){.max_depth = 5000}, &m), GCDC_OK);
		gcdc_status status = gcdc_matcher_accept_bytes(m, "(1)", 3);
		cr_assert(status == GCDC_ERR_INTERNAL || status == GCDC_ERR_LIMIT, "%d", status);
		uint32_t mask[3];
		cr_assert_eq(gcdc_matcher_fill(m, mask, 3, NULL), GCDC_OK);
		gcdc_matcher_free(m);
		gcdc_artifact_close(a);
		free(bytes);
		tiny_free(t);
	}
}
