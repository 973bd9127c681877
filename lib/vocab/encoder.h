// The encoder's parts: added tokens, normalizer, pre-tokenizer, BPE. Only this module's files use it.
#ifndef GCDC_VOCAB_ENCODER_H
#define GCDC_VOCAB_ENCODER_H

#include "hf_json.h"

#define ENCODER_MAX_TEXT ((size_t)256 << 20)  // bytes of one text, before and after normalization
#define ENCODER_MAX_STEPS 16u                 // of a normalizer or pre-tokenizer
#define ENCODER_MAX_ADDED 100000u

typedef VEC(char) text_buffer;
static inline void text_put(text_buffer *b, const char *s, size_t len)
{
	vec_reserve(b, (uint64_t)b->n + len);
	if (len) memcpy(b->at + b->n, s, len), b->n += (uint32_t)len;
}

// A part of a text: bytes [begin, end) of a buffer.
struct piece {
	uint32_t begin, end;
};
typedef VEC(struct piece) piece_list;

// --- regex.c: the regular expressions of tokenizer.json, matched as Oniguruma matches them ---
struct hf_regex;
struct hf_regex *hf_regex_compile(const char *pattern, const struct source *source, struct diag *d);  // NULL on error
// The next match at or after *from: 1 and [*begin, *end); 0 when there is none; -1 when PCRE2 gave up (a limit).
int hf_regex_next(struct hf_regex *r, const char *text, uint32_t len, uint32_t from, uint32_t *begin, uint32_t *end);
const char *hf_regex_problem(const struct hf_regex *r);  // after -1
void hf_regex_free(struct hf_regex *r);

// --- encoder_normal.c ---
struct normalizer;
struct normalizer *normalizer_parse(const cJSON *section, const struct source *source, struct diag *d);
// Appends the normalized text; false with an error when it grows beyond ENCODER_MAX_TEXT.
bool normalizer_run(struct normalizer *n, const char *text, size_t len, text_buffer *out, struct diag *d);
bool normalizer_is_empty(const struct normalizer *n);
void normalizer_free(struct normalizer *n);
// Fills prefix, forms and replaced characters of a model, or its obstacle.
void normalizer_describe(const struct normalizer *n, struct encoder_model *m);
// Do its normal forms alone leave the text as it is?
bool normalizer_keeps(const struct normalizer *n, const char *text, size_t len);

// --- encoder_split.c ---
struct splitter;
struct splitter *splitter_parse(const cJSON *section, const struct source *source, struct diag *d);
// Cuts one text (a piece of the whole, already normalized) into *pieces of *text, both replaced. at_start: the piece
// begins where the whole text begins.
bool splitter_run(struct splitter *s, bool at_start, text_buffer *text, piece_list *pieces, struct diag *d);
// Does it ask which piece is the first of the original text? (Metaspace with prepend_scheme "first".)
bool splitter_needs_alignment(const struct splitter *s);
bool splitter_is_byte_level(const struct splitter *s);
void splitter_free(struct splitter *s);
void splitter_describe(const struct splitter *s, struct encoder_model *m);

// --- encoder_bpe.c ---
struct bpe;
struct bpe *bpe_parse(const cJSON *model, bool byte_level, const struct source *source, struct diag *d);
typedef VEC(uint32_t) id_list;
void bpe_encode(struct bpe *b, const char *piece, uint32_t len, id_list *out);
// The id of a token by its text, or UINT32_MAX.
uint32_t bpe_find(const struct bpe *b, const char *text, size_t len);
void bpe_free(struct bpe *b);
void bpe_describe(const struct bpe *b, struct encoder_model *m);

// --- encoder_added.c ---
struct added;
struct added *added_parse(const cJSON *root, struct normalizer *n, const struct source *source, struct diag *d);
struct added_match {
	struct piece piece;
	uint32_t id;  // of the added token, or ADDED_NONE: text between them
};
#define ADDED_NONE UINT32_MAX
typedef VEC(struct added_match) added_list;
// Cuts text at the added tokens that are looked for in it before (normalized false) or after normalization.
void added_split(const struct added *a, bool normalized, bool no_special, const char *text, uint32_t len,
                 added_list *out);
void added_free(struct added *a);
void added_describe(const struct added *a, struct encoder_model *m);

// The encoder's parts, for encoder_model.c.
struct encoder_parts {
	const struct added *added;
	const struct normalizer *normalizer;
	const struct splitter *splitter;
	const struct bpe *bpe;
};
struct encoder_parts encoder_parts(const struct encoder *e);

#endif
