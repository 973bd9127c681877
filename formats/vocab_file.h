// A compiled vocabulary's bytes (.gcdv). Specification: vocab.md.
// Little-endian, fixed width, no pointers; each struct below is literally the bytes in the file.
#ifndef GCDC_FORMATS_VOCAB_FILE_H
#define GCDC_FORMATS_VOCAB_FILE_H

#include "artifact.h"

#define VOCAB_MAGIC "\x8fGCDV\r\n\x1a"
#define VOCAB_VERSION 3u
#define VOCAB_OLDEST_VERSION 1u
#define VOCAB_MAX_ROWS 1024u
#define VOCAB_MAX_LISTS (1u << 20)  // bytes

// The section table (struct artifact_section, codec ARTIFACT_RAW only) follows the header.
struct vocab_file_header {
	uint8_t magic[8];
	uint32_t version;
	uint32_t flags;  // 0; an unknown bit is refused
	uint32_t n_sections;
	uint32_t reserved;  // 0
	uint64_t file_size;
	uint64_t vocab_hash[2];  // XXH3-128 of the vocabulary (vocab.md says of which bytes); low half first
	uint64_t table_check;    // XXH3-64 of header (this field 0) and section table
	uint64_t reserved2;      // 0
};
static_assert(sizeof(struct vocab_file_header) == 64, "layout");

// Ascending in the table, each at most once; those below 2^16 are required. An unknown id below 2^16 is refused, one
// from 2^16 up is skipped. Those that artifacts have, too, have the same number there.
enum vocab_section_id {
	VOCAB_SECTION_INFO = 1,           // struct vocab_file_info
	VOCAB_SECTION_NAME = 2,           // UTF-8 without NUL
	VOCAB_SECTION_EOS = 50,           // u32 token ids, ascending [n_eos]
	VOCAB_SECTION_TOKEN_OFFSET = 51,  // u32 [n_tokens + 1]
	VOCAB_SECTION_TOKEN_BYTES = 52,   // u8 [n_bytes]
	VOCAB_SECTION_KIND = 60,          // u8 [n_tokens]: enum vocab_file_kind
	VOCAB_SECTION_TOKEN_OF = 61,      // u32 token ids by rank [n_ranks]
	VOCAB_SECTION_TRIE_BYTE = 62,     // u8 [n_nodes]
	VOCAB_SECTION_TRIE_END = 63,      // u32 [n_nodes]
	VOCAB_SECTION_TRIE_RANK = 64,     // u32 [n_nodes + 1]
	VOCAB_SECTION_ROWS = 65,          // optional: bitmaps of tokens, each of BITMAP_WORDS(n_tokens) u32
	VOCAB_SECTION_LISTS = 66,         // optional: what ARTIFACT_ZSTD_LISTS has of standard lists of tokens
	VOCAB_SECTION_ORIGIN = 65596,     // optional: UTF-8 without NUL, what the vocabulary was made from (vocab.md)
	VOCAB_SECTION_ADDED = 65597,      // optional: u32 n, u32 0, struct vocab_file_added [n], then their names
};

// A token beside the model's own: special or added. Its name ends at `end` of the names.
struct vocab_file_added {
	uint32_t id, end;
};

enum vocab_file_kind { VOCAB_KIND_UNUSED = 0, VOCAB_KIND_TEXT = 1, VOCAB_KIND_CONTROL = 2 };

struct vocab_file_info {
	uint32_t n_tokens;
	uint32_t n_eos;
	uint32_t n_ranks;
	uint32_t n_nodes;
	uint32_t n_bytes;
	uint32_t max_token_len;
	uint32_t reserved[2];  // 0
};
static_assert(sizeof(struct vocab_file_info) == 32, "layout");

#endif
