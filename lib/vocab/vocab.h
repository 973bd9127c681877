// A model's vocabulary: every token's exact bytes, what may be text, what ends a text, and a trie over it.
//
// In:  HuggingFace tokenizer.json (+ tokenizer_config.json beside it), or a compiled vocabulary (.gcdv).
// Out: struct vocab. Tokens that are text are sorted by bytes (then id); a *rank* is a place in that order.
//      Token sets inside the compiler are sets of ranks.
#ifndef GCDC_VOCAB_VOCAB_H
#define GCDC_VOCAB_VOCAB_H

#include "../../formats/artifact.h"
#include "../base/diag.h"

#define VOCAB_MAX_TOKENS 4000000u                // ids are below this
#define VOCAB_MAX_TOKEN_LEN ((uint32_t)1 << 16)  // bytes of one token
#define VOCAB_MAX_BYTES ((uint32_t)1 << 28)      // bytes of all tokens
#define VOCAB_MAX_EOS 1024u

typedef uint32_t token_id;
typedef uint32_t trie_node;

enum token_kind {
	TOKEN_UNUSED,   // a gap in the ids, or padding up to --vocab-size: never allowed
	TOKEN_TEXT,     // ordinary text: bytes that may be generated
	TOKEN_CONTROL,  // special or added control token: never text, never allowed (EOS aside)
};

#define TRIE_ROOT_SIZES 4u  // fragments of a trie lie in each other so deep at most

// The trie in preorder: node 0 is the root (no byte). A node's first child is node + 1 when end[node] > node + 1,
// its next sibling is end[node]; children are in ascending order of byte. The tokens whose bytes end at a node are
// ranks [rank[node], rank[node + 1]); those in its whole subtree are [rank[node], rank[end[node]]).
struct trie {
	uint32_t n_nodes;
	const uint8_t *byte;           // [n_nodes]
	const uint32_t *end;           // [n_nodes] one past the subtree
	const uint32_t *rank;          // [n_nodes + 1]
	const struct trie_row *rows;   // [n_nodes + 1] the same and more, for walks (trie_rows.c)
	const uint32_t *chars;         // [ranks] how many characters begin in a token; NULL: no row knows its kinds below
	const uint64_t *roots;         // [n_nodes] as bits: which rows have TRIE_ROW_ROOT
	const uint32_t *roots_before;  // [words of roots] how many there are in the words before
	const struct trie_children *children;  // [roots]
	const trie_node *child;                // of all roots, one after the other
};

// All that a walk asks of a node lies in one place: it jumps from node to node, and each jump waits for memory.
struct trie_row {
	uint64_t byte_root_below;
	uint32_t end, rank;
};
#define TRIE_ROW_ROOT ((uint64_t)1 << 55)         // what lies below is walked as a whole (a fragment)
#define TRIE_ROW_BELOW (((uint64_t)1 << 55) - 1)  // kinds of the characters below, as bits (shared/utf8_kinds.h)

// Of a root: which bytes its children have, and the first one's place in `child`.
struct trie_children {
	uint64_t bytes[4];
	uint32_t first;
};

static inline uint8_t trie_row_byte(const struct trie_row *r) { return (uint8_t)(r->byte_root_below >> 56); }
// Rows without kinds and roots. (trie_rows.c)
struct trie_row *trie_plain_rows(struct arena *arena, const struct trie *t);

// A token that stands beside the model's own: special, or added. A grammar may name it (docs/language.md).
struct vocab_added {
	token_id id;
	const char *name;  // as the tokenizer spells it; NULL: not known
};

struct vocab {
	struct arena arena;
	uint32_t n_tokens;       // V: the model's vocabulary size, ids are < n_tokens
	const uint32_t *offset;  // [n_tokens + 1] into bytes
	const uint8_t *bytes;    // token t is bytes[offset[t] .. offset[t+1]); empty unless TOKEN_TEXT
	const uint8_t *kind;     // [n_tokens] enum token_kind
	uint32_t n_eos;
	const token_id *eos;       // ascending
	uint32_t n_ranks;          // tokens that are TOKEN_TEXT and not empty
	const token_id *token_of;  // [n_ranks] rank -> id; ascending by (bytes, id)
	const uint32_t *place_of;  // [n_tokens] a token's rank; of one that has none n_ranks + id
	struct trie trie;
	uint32_t max_token_len;  // bytes
	uint64_t hash[2];        // XXH3-128 of ids, bytes, kinds and EOS
	const char *name;        // from the file, for messages ("llama3")
	uint32_t n_added;
	const struct vocab_added *added;  // ascending by id; every TOKEN_CONTROL is one
	uint32_t n_canonical;  // CANON_SECTIONS or 0: tables of canonical tokenization that a .gcdv holds, or shall hold
	struct canon_section canonical[CANON_SECTIONS];
	const uint32_t *rows;  // standard rows that a .gcdv holds, or shall hold: n_rows bitmaps of tokens; NULL: none
	uint32_t n_rows, n_lists;
	const uint8_t *lists;     // standard lists that a .gcdv holds, or shall hold: n_lists bytes; NULL: none
	uint64_t standard_check;  // of a .gcdv: the sum of the checks of both sections
	const char *origin;       // of a .gcdv: what it was made from (formats/vocab.md, ORIGIN); or NULL
	void *mapping;            // of a .gcdv, or NULL
	size_t mapping_len;
};

enum vocab_ends {
	VOCAB_ENDS_ANY,     // as many EOS as are known, perhaps none
	VOCAB_ENDS_NEEDED,  // none is an error, which says how to give some
	VOCAB_ENDS_NONE,    // none, whatever the files say
};
struct vocab_options {
	const uint32_t *eos;  // with eos_names: instead of what the configuration says, when there are any
	uint32_t n_eos;
	uint32_t vocab_size;           // 0: largest id + 1
	const char *const *eos_names;  // tokens as the tokenizer's file spells them: "<|eot_id|>"
	uint32_t n_eos_names;
	enum vocab_ends ends;
};

// Any of the two kinds of file, told apart by their first bytes. On false diag holds at least one error.
bool vocab_load(const char *path, const struct vocab_options *o, struct diag *d, struct vocab *v);
// The files that vocab_load(path) reads: path, then those beside it that say what ends a text. Returns how many.
#define VOCAB_MAX_FILES 3u
uint32_t vocab_files(const char *path, struct arena *arena, const char *files[VOCAB_MAX_FILES]);
// From memory. path names it in messages; config may be NULL (the text of tokenizer_config.json).
struct vocab_texts {
	const char *path;
	const void *bytes;
	size_t len;
	const char *config;
	size_t config_len;
};
bool vocab_parse(const struct vocab_texts *t, const struct vocab_options *o, struct diag *d, struct vocab *v);
// From explicit tokens: what tests use. bytes[i] of length len[i] is token i; kind may be NULL (all TOKEN_TEXT).
struct vocab_tokens {
	uint32_t n;
	const uint8_t *const *bytes;
	const uint32_t *len;
	const uint8_t *kind;
	uint32_t n_eos;
	const uint32_t *eos;
};
void vocab_build(const struct vocab_tokens *tokens, struct vocab *v);
// The small tokenizer that is built in (tokenizers/default).
bool vocab_load_default(const struct vocab_options *o, struct diag *d, struct vocab *v);
// Its tokenizer.json, static; NULL where none was built in.
const char *vocab_default_json(size_t *len);
// Any of the two kinds of file from memory, nothing of which is used afterwards.
bool vocab_load_memory(const struct vocab_texts *t, const struct vocab_options *o, struct diag *d, struct vocab *v);
bool vocab_is_compiled(const void *bytes, size_t len);  // a .gcdv, by its first bytes
void vocab_unmap(void *vocab);                          // what release does that free does not: for work_cleanup
// A compiled vocabulary from memory; nothing of data is used afterwards.
bool vocab_open_memory(const void *data, size_t len, struct diag *d, struct vocab *v);
// Writes a compiled vocabulary, atomically. False with a message in diag.
bool vocab_write(const struct vocab *v, const char *path, struct diag *d);
// The same tokens as the compiler reads them where a grammar names some as control tokens: these are text of a private
// spelling (shared/control.h), and have no other; tokens with its first byte are never text. ids ascend. The hash stays
// v's; *out points into v. Cost: a copy of the bytes, and the trie.
void vocab_with_control(const struct vocab *v, const uint32_t *ids, uint32_t n, bool ends, struct vocab *out);
void vocab_release(struct vocab *v);
const char *vocab_check(const struct vocab *v);

// Text -> ids exactly as HuggingFace `tokenizers` gives them (no special tokens added around the text).
struct encoder;
struct encoder *encoder_load(const char *tokenizer_json_path, struct diag *d);  // NULL on error
struct encoder *encoder_load_default(struct diag *d);
// From memory. path is for messages.
struct encoder *encoder_parse(const char *path, const char *json, size_t len, struct diag *d);
// Any bytes. Control tokens spelled in the text are ordinary text when `no_special` is set, else they become their ids
// as HuggingFace does.
struct encoder_text {
	const char *at;
	size_t len;
	bool no_special;
};
// Parses a text (invalid UTF-8 is an error). *ids is malloc'd. One encoder is for one thread.
bool encoder_encode(struct encoder *e, struct encoder_text text, uint32_t **ids, uint32_t *n, struct diag *d);
void encoder_free(struct encoder *e);

// --- The encoder's parts, for those who reason about it (lib/canonical). ---
struct encoder_merge {
	uint32_t left, right, id, rank;
};
// A step that cuts, and what becomes of matches and of the text between them, as HuggingFace's Split names it.
enum encoder_cut_kind { CUT_REMOVED, CUT_ISOLATED, CUT_CONTIGUOUS, CUT_WITH_PREVIOUS, CUT_WITH_NEXT };
struct encoder_cut {
	const char *pattern;
	bool is_regex;  // in Oniguruma's syntax; else a string
	bool invert;    // what lies between matches counts as the match
	enum encoder_cut_kind kind;
};
struct encoder_added {
	const char *text;  // as it is looked for
	uint32_t len, id;
	bool special, lstrip, rstrip, single_word, normalized;
};
struct encoder_joint {
	uint32_t left, right;
};  // code points

struct encoder_model {
	struct arena arena;
	bool byte_level, ignore_merges, byte_fallback;
	bool adds_prefix;                    // a character is put before every text
	bool has_form;                       // NFC or the like
	const char *obstacle;                // what of it is not told here, a static text, or NULL
	VEC(struct encoder_merge) merges;    // ascending by rank; no pair twice
	VEC(struct encoder_cut) cuts;        // in the order they are done
	VEC(struct encoder_joint) replaced;  // characters that the encoder reads as others
	VEC(struct encoder_added) added;
	uint32_t n_ids;
	const char *const *spelling;  // [n_ids] as the model spells the token; NULL: none
	const uint32_t *spelling_len;
	const uint32_t *char_id;  // [0x110000] id + 1 of the token that is this character; 0: none
	uint32_t byte_id[256];    // of "<0xHH>", or UINT32_MAX
};
// Texts belong to the encoder, the rest to *m. O(tokens + merges).
void encoder_describe(const struct encoder *e, struct encoder_model *m);
void encoder_model_release(struct encoder_model *m);
// The code points that one item of a regular expression (a character, class or escape; `fold`: under (?i:)) matches, as
// the encoder's own expressions do: members has 0x110000 / 64 words. False: an error in d.
bool encoder_members(const char *item, bool fold, uint64_t *members, struct diag *d);
// Do the encoder's normal forms leave this text as it is?
bool encoder_keeps(struct encoder *e, const char *text, size_t len);
// Canonical combining class, as the encoder's normal forms see it.
uint8_t encoder_combining(uint32_t c);
// Pairs of characters, each kept by itself, that are not kept when nothing, or only characters of combining classes
// between 0 and the second's, stands between them. *pairs is malloc'd.
void encoder_joints(struct encoder *e, struct encoder_joint **pairs, uint32_t *n);

#endif
