// Takes the tokens of an artifact that was compiled without its vocabulary from a compiled vocabulary (.gcdv).
//
// In:  an artifact without tokens, the path of a .gcdv (formats/vocab_file.h).
// Out: token_offset and token_bytes point into the vocabulary's mapping.
// The two files belong together exactly when the vocabulary's hash is the one in the artifact's header; then the counts
// are equal, too, which is checked all the same because later code relies on it.
#include "../../../formats/vocab_file.h"
#include "runtime_internal.h"

#define AT(field) offsetof(struct vocab_file_header, field)

static gcdc_status check_header(const uint8_t *bytes, size_t len, struct vocab_file_header *h, gcdc_refusal *why)
{
	if (len < sizeof *h || memcmp(bytes, VOCAB_MAGIC, sizeof h->magic) != 0)
		return refuse(why, GCDC_ERR_FORMAT, GCDC_NONE, 0,
		              len >= sizeof *h && !memcmp(bytes, ARTIFACT_MAGIC, sizeof h->magic)
		                  ? "what is given as the vocabulary is an artifact, not a compiled vocabulary (.gcdv)"
		                  : "the vocabulary is not a compiled one (.gcdv)");
	memcpy(h, bytes, sizeof *h);
	if (h->version < VOCAB_OLDEST_VERSION || h->version > VOCAB_VERSION)
		return refuse(why, GCDC_ERR_VERSION, 0, AT(version),
		              "the vocabulary has format version %u, this runtime reads %u to %u", h->version,
		              VOCAB_OLDEST_VERSION, VOCAB_VERSION);
	if (h->flags || h->reserved || h->reserved2)
		return refuse(why, GCDC_ERR_VERSION, 0, AT(flags), "the vocabulary has unknown flags: 0x%x", h->flags);
	if (h->file_size != len)
		return refuse(why, GCDC_ERR_FORMAT, 0, AT(file_size), "the vocabulary has %zu bytes, its header says %llu", len,
		              (unsigned long long)h->file_size);
	if (h->n_sections > ARTIFACT_MAX_SECTIONS || len < sizeof *h + h->n_sections * sizeof(struct artifact_section))
		return refuse(why, GCDC_ERR_FORMAT, 0, AT(n_sections),
		              "the vocabulary has %u sections: too many for it, or for any (%u)", h->n_sections,
		              ARTIFACT_MAX_SECTIONS);
	if (section_file_table_check(bytes, sizeof *h, AT(table_check), h->n_sections) != h->table_check)
		return refuse(why, GCDC_ERR_FORMAT, 0, AT(table_check), "the vocabulary's header or table is damaged");
	return GCDC_OK;
}

static gcdc_status attach(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why)
{
	const struct artifact_info *i = &a->info;
	const struct vocab_file_info *info = f->at[VOCAB_SECTION_INFO];
	const uint32_t *offset = f->at[VOCAB_SECTION_TOKEN_OFFSET];
	if (!info || f->size[VOCAB_SECTION_INFO] != sizeof *info || info->n_tokens != i->n_tokens)
		return refuse(why, GCDC_ERR_VOCAB, VOCAB_SECTION_INFO, 0,
		              "the vocabulary does not have the artifact's %u tokens", i->n_tokens);
	if (!offset || f->size[VOCAB_SECTION_TOKEN_OFFSET] != ((uint64_t)i->n_tokens + 1) * 4 ||
	    !f->at[VOCAB_SECTION_TOKEN_BYTES] || offset[i->n_tokens] != f->size[VOCAB_SECTION_TOKEN_BYTES])
		return refuse(why, GCDC_ERR_FORMAT, VOCAB_SECTION_TOKEN_OFFSET, 0,
		              "the vocabulary's sections have other lengths than its counts say");
	a->token_offset = offset;
	a->token_bytes = f->at[VOCAB_SECTION_TOKEN_BYTES];
	for (uint32_t id = SECTION_TOKEN_OFFSET; id <= SECTION_TOKEN_BYTES; id++) {
		a->section[id] = f->at[id];
		a->section_size[id] = f->size[id];
	}
	return GCDC_OK;
}

static const uint64_t canon_ids = 0
#define SECTIONS_OF SECTIONS_CANON
#define SECTION(id, ...) | ID_BIT(id)
#include "../../../formats/sections.def"
#define SECTIONS_OF SECTIONS_TOKENIZER
#define SECTION(id, ...) | ID_BIT(id)
#include "../../../formats/sections.def"
	;

// Maps the file, once, and looks whether it is the artifact's.
static gcdc_status map_vocab(struct gcdc_artifact *a, const char *path, struct vocab_file_header *h, gcdc_refusal *why)
{
	if (!path)
		return refuse(why, GCDC_ERR_VOCAB, GCDC_NONE, 0,
		              "the artifact was compiled without its vocabulary: give the compiled vocabulary (.gcdv), too");
	if (!a->mapping[1]) {
		const void *bytes;
		size_t len;
		gcdc_status status = file_map(path, &bytes, &len, why);
		if (status) return status;
		a->mapping[1] = (void *)(uintptr_t)bytes;
		a->mapping_len[1] = len;
	}
	gcdc_status status = check_header(a->mapping[1], a->mapping_len[1], h, why);
	if (status) return status;
	if (memcmp(h->vocab_hash, a->header.vocab_hash, sizeof h->vocab_hash) != 0)
		return refuse(why, GCDC_ERR_VOCAB, 0, AT(vocab_hash),
		              "the vocabulary is not the artifact's: its hash is %016llx%016llx, expected %016llx%016llx",
		              (unsigned long long)h->vocab_hash[1], (unsigned long long)h->vocab_hash[0],
		              (unsigned long long)a->header.vocab_hash[1], (unsigned long long)a->header.vocab_hash[0]);
	return GCDC_OK;
}

// Ids of compiled vocabularies. wanted: those to be read.
static struct section_file vocab_sections(const struct gcdc_artifact *a, const struct vocab_file_header *h,
                                          uint64_t wanted, uint64_t wanted_high)
{
	const uint64_t tokens = ID_BIT(VOCAB_SECTION_TOKEN_OFFSET) | ID_BIT(VOCAB_SECTION_TOKEN_BYTES);
	const uint64_t others = ID_BIT(VOCAB_SECTION_INFO) | ID_BIT(VOCAB_SECTION_NAME) | ID_BIT(VOCAB_SECTION_EOS) |
	                        0xfull << VOCAB_SECTION_KIND;
	return (struct section_file){.bytes = a->mapping[1],
	                             .len = a->mapping_len[1],
	                             .header_size = sizeof *h,
	                             .n_sections = h->n_sections,
	                             .known = {tokens | others, ID_BIT(VOCAB_SECTION_TRIE_RANK) |
	                                                            ID_BIT(VOCAB_SECTION_ROWS) |
	                                                            ID_BIT(VOCAB_SECTION_LISTS) | canon_ids},
	                             .wanted = {wanted, wanted_high}};
}

gcdc_status vocab_rows(struct gcdc_artifact *a, const char *path, struct section_file *f, gcdc_refusal *why)
{
	struct vocab_file_header h;
	gcdc_status status = map_vocab(a, path, &h, why);
	if (status) return status;
	struct section_file of = vocab_sections(a, &h, ID_BIT(VOCAB_SECTION_INFO) | ID_BIT(VOCAB_SECTION_TOKEN_OF),
	                                        ID_BIT(VOCAB_SECTION_ROWS) | ID_BIT(VOCAB_SECTION_LISTS));
	// What is made of the rows, lists and places has a checksum of its own.
	status = section_file_read(&of, true, &a->memory, why);
	const struct vocab_file_info *info = of.at[VOCAB_SECTION_INFO];
	bool known = !status && info && of.size[VOCAB_SECTION_INFO] == sizeof *info && info->n_tokens;
	if (known && !of.decoded) {  // stored as they are: used where they lie
		f->rows.words = (uint32_t)BITMAP_WORDS(info->n_tokens);
		f->rows.at = of.at[VOCAB_SECTION_ROWS];
		f->rows.n = of.size[VOCAB_SECTION_ROWS] / (4 * (uint64_t)f->rows.words);
		f->rows.places.token_of = of.at[VOCAB_SECTION_TOKEN_OF];
		f->rows.places.n = (uint32_t)(of.size[VOCAB_SECTION_TOKEN_OF] / 4);
		f->lists = of.at[VOCAB_SECTION_LISTS], f->n_lists = of.size[VOCAB_SECTION_LISTS];
		f->standard = section_standard(section_file_check(&of, VOCAB_SECTION_ROWS) +
		                               section_file_check(&of, VOCAB_SECTION_LISTS));
	}
	memory_free(&a->memory, of.decoded);
	return status;
}

gcdc_status vocab_attach(struct gcdc_artifact *a, const char *path, bool trusted, gcdc_refusal *why)
{
	struct vocab_file_header h;
	gcdc_status status = map_vocab(a, path, &h, why);
	if (status) return status;
	const uint64_t wanted =
		ID_BIT(VOCAB_SECTION_INFO) | ID_BIT(VOCAB_SECTION_TOKEN_OFFSET) | ID_BIT(VOCAB_SECTION_TOKEN_BYTES);
	struct section_file f = vocab_sections(a, &h, wanted, a->section[SECTION_CANON] ? canon_ids : 0);
	status = section_file_read(&f, trusted, &a->memory, why);
	a->decoded[1] = f.decoded;
	a->decoded_size += f.decoded_size;
	if (!status) status = attach(a, &f, why);
	return status || !a->section[SECTION_CANON] ? status : a->parts->canonical->attach(a, &f, why);
}
