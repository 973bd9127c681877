// Text -> token ids, as HuggingFace's `tokenizers` computes them.
//
// In:  tokenizer.json; texts. Out: ids.
// The stages: cut at added tokens (raw text) -> normalize -> cut at added tokens (normalized text) -> pre-tokenize ->
// BPE. Post-processing (special tokens around the text) is left out, and truncation and padding of the file are
// ignored. An encoder keeps buffers and a table of known pieces, so one encoder is for one thread. What cannot be
// computed exactly is refused when the encoder is loaded. Cost: 5 to 25 MB/s, more where words repeat.
#include "foreign.h"
#include "encoder.h"
#include "utf8.h"

struct encoder {
	struct added *added;
	struct normalizer *normalizer;
	struct splitter *splitter;
	struct bpe *bpe;
	added_list raw, normal;
	text_buffer text, part;
	piece_list pieces;
};

// An added token that is in the model's vocabulary, too, must have the same id there.
static bool check_ids(const struct encoder *e, const cJSON *root, const struct source *source, struct diag *d)
{
	const cJSON *item;
	cJSON_ArrayForEach(item, hf_member(root, "added_tokens"))
	{
		const char *text = hf_string(item, "content");
		uint32_t id = text ? bpe_find(e->bpe, text, strlen(text)) : UINT32_MAX, given;
		if (id == UINT32_MAX || !hf_integer(hf_member(item, "id"), UINT32_MAX, &given) || given == id) continue;
		diag_error(d, hf_place(source, text), "token \"%s\" has two ids: %u in model.vocab, %u in added_tokens", text,
		           id, given);
		return false;
	}
	return true;
}

// HuggingFace knows which piece is first by the original offsets of its characters, which are not kept here.
static bool check_alignment(const struct encoder *e, const struct source *source, struct diag *d)
{
	if (!splitter_needs_alignment(e->splitter) || normalizer_is_empty(e->normalizer)) return true;
	diag_error(d, hf_place(source, "prepend_scheme"),
	           "prepend_scheme \"first\" together with a normalizer is not supported; ids "
	           "cannot be computed for this tokenizer");
	return false;
}

// Branches: one refusal for what the model has, then the stages of the tokenizer one after the other.
static struct encoder *parse_tree(const cJSON *root, const struct source *source, struct diag *d)
{
	const cJSON *model = hf_member(root, "model");
	const char *type = hf_string(model, "type");
	if (!type && hf_member(model, "merges")) type = "BPE";
	if (!type || strcmp(type, "BPE")) {
		diag_error(d, hf_place(source, type ? type : "model"),
		           "the model's type is \"%s\": texts are cut with \"BPE\" only (gcdc check --greedy cuts otherwise)",
		           type ? type : "(missing)");
		return NULL;
	}
	static const char *const affixes[] = {"continuing_subword_prefix", "end_of_word_suffix"};
	for (uint32_t i = 0; i < 2; i++) {
		const char *affix = hf_string(model, affixes[i]);
		if (!affix || !*affix) continue;
		diag_error(d, hf_place(source, affixes[i]), "\"model.%s\" is \"%s\"; it is not supported", affixes[i], affix);
		return NULL;
	}
	struct encoder *e = mem_calloc(1, sizeof *e);
	if ((e->normalizer = normalizer_parse(hf_member(root, "normalizer"), source, d)) &&
	    (e->splitter = splitter_parse(hf_member(root, "pre_tokenizer"), source, d)) &&
	    (e->added = added_parse(root, e->normalizer, source, d)) &&
	    (e->bpe = bpe_parse(model, splitter_is_byte_level(e->splitter), source, d)) && check_ids(e, root, source, d) &&
	    check_alignment(e, source, d))
		return e;
	encoder_free(e);
	return NULL;
}

struct encoder *encoder_parse(const char *path, const char *json, size_t len, struct diag *d)
{
	struct source *source = arena_alloc(diag_arena(d), sizeof *source);
	uint32_t before = d->messages.n;
	*source = (struct source){.path = arena_strndup(diag_arena(d), path, strlen(path)), .text = json, .len = len};
	struct work_cleanup forget, delete;
	work_cleanup(&forget, hf_source_forget, source);
	cJSON *root = hf_json_parse(source, d);
	work_cleanup(&delete, hf_json_delete, root);
	struct encoder *e = root ? parse_tree(root, source, d) : NULL;
	work_cleanup_end(&delete);
	cJSON_Delete(root);
	// Messages may point into the text, which is the caller's.
	if (d->messages.n > before)
		source->text = arena_strndup(diag_arena(d), json, len);
	else
		source->text = NULL, source->len = 0;
	work_cleanup_end(&forget);
	return e;
}

struct encoder *encoder_load(const char *path, struct diag *d)
{
	size_t len;
	char *json = vocab_read_file(path, d, &len);
	if (!json) return NULL;
	struct encoder *e = NULL;
	if (gcdv_is(json, len))
		diag_error(d, (struct loc){0},
		           "\"%s\" is a compiled vocabulary, which does not say how texts are cut: give the tokenizer.json "
		           "that it was made from",
		           path);
	else if (foreign_kind(json, len < FOREIGN_HEAD ? len : FOREIGN_HEAD))
		diag_error(d, (struct loc){0},
		           "\"%s\" gives tokens their bytes, but gcdc does not cut texts with it: give a tokenizer.json of the "
		           "same model, or cut otherwise (gcdc check --greedy)",
		           path);
	else
		e = encoder_parse(path, json, len, d);
	free(json);
	return e;
}

void encoder_free(struct encoder *e)
{
	if (!e) return;
	added_free(e->added), normalizer_free(e->normalizer), splitter_free(e->splitter), bpe_free(e->bpe);
	vec_release(&e->raw), vec_release(&e->normal), vec_release(&e->text), vec_release(&e->part),
		vec_release(&e->pieces);
	free(e);
}

struct encoder_parts encoder_parts(const struct encoder *e)
{
	return (struct encoder_parts){e->added, e->normalizer, e->splitter, e->bpe};
}

// Text without added tokens, normalized.
static bool encode_plain(struct encoder *e, bool at_start, const char *text, uint32_t len, id_list *ids, struct diag *d)
{
	vec_clear(&e->part);
	text_put(&e->part, text, len);
	if (!splitter_run(e->splitter, at_start, &e->part, &e->pieces, d)) return false;
	for (uint32_t i = 0; i < e->pieces.n; i++) {
		struct piece p = e->pieces.at[i];
		bpe_encode(e->bpe, e->part.at + p.begin, p.end - p.begin, ids);
	}
	return true;
}

// Text without added tokens that are looked for before normalization.
static bool encode_raw(struct encoder *e, bool at_start, struct encoder_text text, id_list *ids, struct diag *d)
{
	vec_clear(&e->text), vec_clear(&e->normal);
	if (!normalizer_run(e->normalizer, text.at, (uint32_t)text.len, &e->text, d)) return false;
	if (!e->text.n) return true;
	added_split(e->added, true, text.no_special, e->text.at, e->text.n, &e->normal);
	for (uint32_t i = 0; i < e->normal.n; i++) {
		const struct added_match *m = &e->normal.at[i];
		if (m->id != ADDED_NONE)
			vec_push(ids, m->id);
		else if (!encode_plain(e, at_start && m->piece.begin == 0, e->text.at + m->piece.begin,
		                       m->piece.end - m->piece.begin, ids, d))
			return false;
	}
	return true;
}

static struct encoder_text part_of(struct encoder_text text, struct piece p)
{
	return (struct encoder_text){text.at + p.begin, p.end - p.begin, text.no_special};
}

bool encoder_encode(struct encoder *e, struct encoder_text text, uint32_t **ids, uint32_t *n, struct diag *d)
{
	const size_t len = text.len;
	*ids = NULL, *n = 0;
	if (len > ENCODER_MAX_TEXT) {
		diag_error(d, (struct loc){0}, "the text has %zu bytes; the limit (ENCODER_MAX_TEXT) is %zu", len,
		           ENCODER_MAX_TEXT);
		return false;
	}
	size_t bad = utf8_check(text.at, len);
	if (bad < len) {
		diag_error(d, (struct loc){0}, "the text is not valid UTF-8: byte 0x%02X at offset %zu",
		           (unsigned char)text.at[bad], bad);
		return false;
	}
	id_list out = {0};
	bool good = true;
	vec_clear(&e->raw);
	if (len) added_split(e->added, false, text.no_special, text.at, (uint32_t)len, &e->raw);
	for (uint32_t i = 0; i < e->raw.n && good; i++) {
		const struct added_match *m = &e->raw.at[i];
		if (m->id != ADDED_NONE)
			vec_push(&out, m->id);
		else
			good = encode_raw(e, m->piece.begin == 0, part_of(text, m->piece), &out, d);
	}
	if (!good) {
		vec_release(&out);
		return false;
	}
	*ids = out.at, *n = out.n;
	if (!out.at) *ids = mem_alloc(sizeof **ids);
	return true;
}
