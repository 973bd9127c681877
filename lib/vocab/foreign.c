// Vocabularies from files other than tokenizer.json: SentencePiece's model, Mistral's tekken.json, tiktoken's list.
//
// In:  the bytes of such a file, told apart by what they begin with (foreign_kind).
// Out: struct vocab: the bytes of every token as the reference library has them.
//   SentencePiece (a protocol buffer, sentencepiece_model.proto): pieces in the order of their ids. A normal or
//     user-defined piece is its text with a space for U+2581, a byte piece <0xHH> its byte; control and unknown pieces
//     are control, unused ones unused. EOS: trainer_spec.eos_id. Behind the pieces stand trainer_spec and
//     normalizer_spec; a file with neither was cut between two pieces, which nothing else in it shows.
//   tekken.json: config.default_num_special_tokens control tokens (</s>, 2, ends a text), behind them the first
//     default_vocab_size - that many entries of "vocab", by rank; token_bytes in base64.
//   tiktoken: lines of base64 and rank; nothing is known to end a text.
// Cost: linear.
#define _GNU_SOURCE  // memmem
#include "foreign.h"
#include "hf_json.h"
#include "../shared/hex.h"

struct foreign {
	const struct source *source;
	struct diag *d;
	struct foreign_entry {
		uint32_t at, len;  // in bytes
		uint8_t kind;
		const char *name;  // of a control token, or NULL
	} * entry;
	uint32_t n;
	VEC(uint8_t) bytes;
	struct arena arena;
	uint32_t eos;  // UINT32_MAX: none is known
};

static bool fail_at(const struct foreign *f, size_t at, const char *what)
{
	diag_error(f->d, (struct loc){0}, "\"%s\": byte %zu: %s", f->source->path, at, what);
	return false;
}

static void grow(struct foreign *f, uint32_t n)
{
	if (n <= f->n) return;
	f->entry = mem_realloc(f->entry, n, sizeof *f->entry);
	memset(f->entry + f->n, 0, (n - f->n) * sizeof *f->entry);
	f->n = n;
}

static bool put(struct foreign *f, uint32_t id, const void *bytes, size_t len, uint8_t kind)
{
	if (len > VOCAB_MAX_TOKEN_LEN || (uint64_t)f->bytes.n + len > VOCAB_MAX_BYTES) {
		diag_error(f->d, (struct loc){0},
		           "\"%s\": token %u is longer than %u bytes (VOCAB_MAX_TOKEN_LEN), or all tokens than %u "
		           "(VOCAB_MAX_BYTES)",
		           f->source->path, id, VOCAB_MAX_TOKEN_LEN, VOCAB_MAX_BYTES);
		return false;
	}
	grow(f, id + 1);
	f->entry[id] = (struct foreign_entry){.at = f->bytes.n, .len = (uint32_t)len, .kind = kind};
	vec_reserve(&f->bytes, (uint64_t)f->bytes.n + len);
	if (len) memcpy(f->bytes.at + f->bytes.n, bytes, len);
	f->bytes.n += (uint32_t)len;
	return true;
}

static void put_control(struct foreign *f, uint32_t id, const char *name, size_t len)
{
	grow(f, id + 1);
	f->entry[id] = (struct foreign_entry){.kind = TOKEN_CONTROL, .name = arena_strndup(&f->arena, name, len)};
}

// ---- base64

static int digit64(uint8_t c)
{
	return c >= 'A' && c <= 'Z'   ? c - 'A'
	       : c >= 'a' && c <= 'z' ? c - 'a' + 26
	       : c >= '0' && c <= '9' ? c - '0' + 52
	       : c == '+'             ? 62
	       : c == '/'             ? 63
	                              : -1;
}

// Appends to *out; false: it is no base64 (RFC 4648, padded).
static bool base64(const char *text, size_t len, struct raw_bytes *out)
{
	out->n = 0;
	if (len % 4 || !len) return len == 0;
	uint32_t pad = (uint32_t)(text[len - 1] == '=') + (uint32_t)(text[len - 2] == '=');
	for (size_t i = 0; i < len; i += 4) {
		uint32_t word = 0;
		for (uint32_t k = 0; k < 4; k++) {
			bool is_pad = i + k >= len - pad;
			int d = is_pad ? 0 : digit64((uint8_t)text[i + k]);
			if (d < 0) return false;
			word = word << 6 | (uint32_t)d;
		}
		uint32_t n = i + 4 == len ? 3 - pad : 3;
		for (uint32_t k = 0; k < n; k++) vec_push(out, (uint8_t)(word >> (16 - 8 * k)));
	}
	return true;
}

// ---- SentencePiece

struct wire {
	const uint8_t *at, *end;
	bool failed;
};

static uint64_t varint(struct wire *w)
{
	uint64_t v = 0;
	for (uint32_t shift = 0; shift < 64; shift += 7) {
		if (w->at >= w->end) break;
		uint8_t b = *w->at++;
		v |= (uint64_t)(b & 127) << shift;
		if (!(b & 128)) return v;
	}
	w->failed = true;
	return 0;
}

// The next field: its number; a number in *value or bytes in *bytes. 0: the end, or failed.
static uint32_t field(struct wire *w, uint64_t *value, struct wire *bytes)
{
	if (w->at >= w->end || w->failed) return 0;
	uint64_t key = varint(w), len = 0;
	*value = 0, *bytes = (struct wire){0};
	switch (key & 7) {
	case 0: *value = varint(w); break;
	case 1: len = 8; break;
	case 2: len = varint(w); break;
	case 5: len = 4; break;
	default: w->failed = true;
	}
	if (w->failed || len > (uint64_t)(w->end - w->at) || key >> 3 > UINT32_MAX || !(key >> 3)) {
		w->failed = true;
		return 0;
	}
	*bytes = (struct wire){w->at, w->at + len, false};
	w->at += len;
	return (uint32_t)(key >> 3);
}

enum piece_type { PIECE_NORMAL = 1, PIECE_UNKNOWN, PIECE_CONTROL, PIECE_USER_DEFINED, PIECE_UNUSED, PIECE_BYTE };

// Branches: one case for each kind of piece of a SentencePiece model.
static bool put_piece(struct foreign *f, struct wire w)
{
	uint64_t value, type = PIECE_NORMAL;
	struct wire bytes, text = {0};
	for (uint32_t number; (number = field(&w, &value, &bytes));) {
		if (number == 1) text = bytes;
		if (number == 3) type = value;
	}
	size_t len = (size_t)(text.end - text.at);
	uint32_t id = f->n;
	if (w.failed) return fail_at(f, 0, "a piece of this SentencePiece model cannot be read: fetch the file again");
	if (id >= VOCAB_MAX_TOKENS) return fail_at(f, 0, "this model has too many pieces (VOCAB_MAX_TOKENS)");
	if (type == PIECE_CONTROL || type == PIECE_UNKNOWN) {
		put_control(f, id, len ? (const char *)text.at : "", len);
		return true;
	}
	if (type == PIECE_UNUSED) {
		grow(f, id + 1);
		return true;
	}
	if (type == PIECE_BYTE) {
		int hi = len == 6 ? hex_digit(text.at[3]) : -1, lo = len == 6 ? hex_digit(text.at[4]) : -1;
		if (hi < 0 || lo < 0 || memcmp(text.at, "<0x", 3) || text.at[5] != '>')
			return fail_at(f, 0, "a byte piece of this SentencePiece model is not written <0xHH>");
		uint8_t byte = (uint8_t)(hi * 16 + lo);
		return put(f, id, &byte, 1, TOKEN_TEXT);
	}
	uint8_t *plain = mem_alloc(len + 1);
	size_t n = 0;
	for (size_t i = 0; i < len;) {
		bool is_space = len - i >= 3 && !memcmp(text.at + i, "\xE2\x96\x81", 3);
		plain[n++] = is_space ? ' ' : text.at[i];
		i += is_space ? 3 : 1;
	}
	bool good = put(f, id, plain, n, TOKEN_TEXT);
	free(plain);
	return good;
}

static bool read_sentencepiece(struct foreign *f)
{
	struct wire w = {(const uint8_t *)f->source->text, (const uint8_t *)f->source->text + f->source->len, false};
	uint64_t value;
	struct wire bytes;
	int32_t eos = 2;
	bool has_specs = false;
	for (uint32_t number; (number = field(&w, &value, &bytes));) {
		if (number == 1 && !put_piece(f, bytes)) return false;
		has_specs |= number == 2 || number == 3;
		if (number != 2) continue;
		struct wire inner;
		for (uint32_t k; (k = field(&bytes, &value, &inner));)
			if (k == 42) eos = (int32_t)value;
		if (bytes.failed) w.failed = true;
	}
	if (w.failed || !f->n)
		return fail_at(f, (size_t)(w.at - (const uint8_t *)f->source->text),
		               "this is a SentencePiece model that ends too early or is damaged here: fetch the file again");
	if (!has_specs)
		return fail_at(f, f->source->len,
		               "this SentencePiece model ends behind a piece, without the settings that follow all pieces "
		               "(trainer_spec, normalizer_spec): it was cut; fetch the file again");
	if (eos >= 0 && (uint32_t)eos < f->n && f->entry[eos].kind == TOKEN_CONTROL) f->eos = (uint32_t)eos;
	return true;
}

// ---- tekken.json

static bool bad_tekken(struct foreign *f, const char *key, const char *what)
{
	diag_error(f->d, hf_root_place(f->source, key), "this tekken.json has %s", what);
	return false;
}

// Branches: special tokens and ordinary ones have each their own list, and each field of an entry may be wrong.
static bool tekken_tree(struct foreign *f, const cJSON *root)
{
	const cJSON *config = hf_member(root, "config"), *vocab = hf_member(root, "vocab"), *item;
	const cJSON *specials = hf_member(root, "special_tokens");
	uint32_t n_special, size;
	if (!hf_integer(hf_member(config, "default_num_special_tokens"), VOCAB_MAX_TOKENS - 1, &n_special) ||
	    !hf_integer(hf_member(config, "default_vocab_size"), VOCAB_MAX_TOKENS - 1, &size) || size < n_special)
		return bad_tekken(f, "config", "no default_num_special_tokens and default_vocab_size that fit");
	if (!cJSON_IsArray(vocab)) return bad_tekken(f, "vocab", "no array \"vocab\"");
	grow(f, size);
	for (uint32_t id = 0; id < n_special; id++) {
		const char *name = arena_printf(&f->arena, "<SPECIAL_%u>", id);
		put_control(f, id, name, strlen(name));
	}
	for (item = cJSON_IsArray(specials) ? specials->child : NULL; item; item = item->next) {
		uint32_t rank;
		const char *name = hf_string(item, "token_str");
		if (!hf_integer(hf_member(item, "rank"), VOCAB_MAX_TOKENS - 1, &rank) || rank >= n_special || !name)
			return bad_tekken(f, "special_tokens", "a special token without a rank and a name that fit");
		put_control(f, rank, name, strlen(name));
	}
	if (n_special > 2 && (!specials || !strcmp(f->entry[2].name, "</s>"))) f->eos = 2;
	if (n_special > 2 && !specials) f->entry[2].name = "</s>";
	struct raw_bytes one = {0};
	bool good = true;
	cJSON_ArrayForEach(item, vocab)
	{
		uint32_t rank;
		const char *text = hf_string(item, "token_bytes");
		if (!text || !hf_integer(hf_member(item, "rank"), VOCAB_MAX_TOKENS - 1, &rank) ||
		    !base64(text, strlen(text), &one)) {
			good = bad_tekken(f, "vocab", "an entry without a rank and token_bytes in base64");
			break;
		}
		if (rank >= size - n_special) continue;
		uint32_t id = rank + n_special;
		if (f->entry[id].kind != TOKEN_UNUSED) {
			good = bad_tekken(f, "vocab", "two entries of one rank");
			break;
		}
		good = put(f, id, one.at, one.n, TOKEN_TEXT);
		if (!good) break;
	}
	vec_release(&one);
	return good;
}

// "token_str", which is not looked at, may hold \u0000, which the JSON reader refuses: it reads \u0001 there.
static bool read_tekken(struct foreign *f)
{
	const struct source *from = f->source;
	struct source *plain = arena_alloc(diag_arena(f->d), sizeof *plain);
	char *text = mem_alloc(from->len + 1), *at = text;
	memcpy(text, from->text, from->len);
	text[from->len] = 0;
	for (size_t left = from->len; (at = memmem(at, left, "\\u0000", 6)); left = from->len - (size_t)(at - text))
		at[5] = '1';
	*plain = (struct source){.path = from->path, .text = text, .len = from->len};
	f->source = plain;
	uint32_t before = f->d->messages.n;
	cJSON *root = hf_json_parse(plain, f->d);
	bool good = root && tekken_tree(f, root);
	cJSON_Delete(root);
	f->source = from;
	plain->text = f->d->messages.n > before ? arena_strndup(diag_arena(f->d), text, from->len) : NULL;
	if (!plain->text) plain->len = 0;
	free(text);
	return good;
}

// ---- tiktoken

// Branches: a line is cut into bytes and a rank by hand, and may be empty, broken or a second one of its rank.
static bool read_tiktoken(struct foreign *f)
{
	struct raw_bytes one = {0};
	const char *text = f->source->text;
	bool good = true;
	uint32_t line = 1;
	for (size_t at = 0; at < f->source->len && good; line++) {
		const char *end = memchr(text + at, '\n', f->source->len - at);
		size_t stop = end ? (size_t)(end - text) : f->source->len, next = stop + (end != NULL);
		if (stop > at && text[stop - 1] == '\r') stop--;
		size_t space = at;
		while (space < stop && text[space] != ' ') space++;
		uint64_t rank = 0;
		bool digits = space + 1 < stop && stop - space <= 10;
		for (size_t i = space + 1; i < stop && digits; i++) {
			digits = text[i] >= '0' && text[i] <= '9';
			rank = rank * 10 + (uint64_t)(text[i] - '0');
		}
		if (stop > at && (!digits || rank >= VOCAB_MAX_TOKENS || space == at || !base64(text + at, space - at, &one))) {
			diag_error(f->d, (struct loc){f->source, (uint32_t)at, (uint32_t)(stop - at)},
			           "line %u of this tiktoken file is not base64, a blank and a rank", line);
			good = false;
		} else if (stop > at && rank < f->n && f->entry[rank].kind != TOKEN_UNUSED) {
			diag_error(f->d, (struct loc){f->source, (uint32_t)at, (uint32_t)(stop - at)},
			           "line %u of this tiktoken file gives rank %u a second time", line, (uint32_t)rank);
			good = false;
		} else if (stop > at)
			good = put(f, (uint32_t)rank, one.at, one.n, TOKEN_TEXT);
		at = next;
	}
	vec_release(&one);
	return good && (f->n || fail_at(f, 0, "this tiktoken file has no tokens"));
}

// ---- all of them

// Branches: one look at the head of the file for each foreign format.
enum foreign_kind foreign_kind(const void *head, size_t len)
{
	const uint8_t *b = head;
	// A piece (field 1, bytes), in it its text (field 1, bytes).
	if (len >= 4 && b[0] == 0x0A && b[2] == 0x0A && b[3] < b[1]) return FOREIGN_SENTENCEPIECE;
	size_t i = 0;
	while (i < len && (digit64(b[i]) >= 0 || b[i] == '=')) i++;
	if (i >= 4 && i % 4 == 0 && i + 1 < len && b[i] == ' ' && b[i + 1] >= '0' && b[i + 1] <= '9')
		return FOREIGN_TIKTOKEN;
	// {"config": {... or {"vocab": [: its members in any order, but never those of tokenizer.json first
	for (i = 0; i < len && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n'); i++) continue;
	if (i == len || b[i] != '{') return FOREIGN_NONE;
	static const char *const first[] = {"\"config\"", "\"default_num_special_tokens\"", "\"token_bytes\""};
	for (uint32_t k = 0; k < 3; k++)
		for (size_t n = strlen(first[k]), at = i; at + n <= len; at++)
			if (!memcmp(b + at, first[k], n)) return FOREIGN_TEKKEN;
	return FOREIGN_NONE;
}

static bool find_named_eos(struct foreign *f, struct vocab_options *o, struct arena *arena)
{
	uint32_t *ids = arena_array(arena, (size_t)o->n_eos + o->n_eos_names, sizeof *ids), n = o->n_eos;
	if (n) memcpy(ids, o->eos, n * sizeof *ids);
	for (uint32_t i = 0; i < o->n_eos_names; i++) {
		uint32_t id = 0;
		while (id < f->n && (!f->entry[id].name || strcmp(f->entry[id].name, o->eos_names[i]) != 0)) id++;
		if (id == f->n) {
			diag_error(f->d, (struct loc){0}, "\"%s\" has no control token \"%s\" that could end a text; give it by id",
			           f->source->path, o->eos_names[i]);
			return false;
		}
		ids[n++] = id;
	}
	o->eos = ids, o->n_eos = n;
	return true;
}

static bool finish(struct foreign *f, const struct vocab_options *given, struct vocab *v)
{
	struct vocab_options o = given ? *given : (struct vocab_options){0};
	if (!find_named_eos(f, &o, &v->arena)) return false;
	if (o.n_eos || o.ends == VOCAB_ENDS_NONE) f->eos = UINT32_MAX;
	uint32_t *eos = arena_array(&v->arena, 1, sizeof *eos),
			 *offset = arena_array(&v->arena, (size_t)f->n + 1, sizeof *offset);
	uint8_t *kind = arena_array(&v->arena, f->n, 1), *bytes = arena_array(&v->arena, f->bytes.n, 1);
	eos[0] = f->eos, v->n_eos = f->eos != UINT32_MAX, v->eos = eos;
	for (uint32_t id = 0; id < f->n; id++) {
		const struct foreign_entry *e = &f->entry[id];
		kind[id] = e->kind;
		if (e->len) memcpy(bytes + offset[id], f->bytes.at + e->at, e->len);
		offset[id + 1] = offset[id] + e->len;
	}
	v->n_tokens = f->n, v->offset = offset, v->kind = kind, v->bytes = bytes;
	struct vocab_added *added = arena_array(&v->arena, f->n, sizeof *added);
	v->added = added;
	for (uint32_t id = 0; id < f->n; id++) {
		const char *name = f->entry[id].name;
		if (kind[id] != TOKEN_CONTROL) continue;
		added[v->n_added++] = (struct vocab_added){id, name ? arena_strndup(&v->arena, name, strlen(name)) : NULL};
	}
	vocab_set_name(v, f->source->path);
	vocab_finish(v);
	if (!vocab_override(&o, f->d, v)) return false;
	if (v->n_eos || o.ends != VOCAB_ENDS_NEEDED) return true;
	diag_error(f->d, (struct loc){0}, "no token of \"%s\" is known to end a text", f->source->path);
	diag_note(
		f->d, (struct loc){0},
		"give it by id: --eos 2 (in a manifest eos: [2]), with --vocab-size where it lies behind the file's tokens; "
		"or say --no-eos (no-eos: true) where no token shall end a text");
	return false;
}

bool foreign_load(enum foreign_kind kind, const struct source *source, const struct vocab_options *o, struct diag *d,
                  struct vocab *v)
{
	struct foreign f = {.source = source, .d = d, .eos = UINT32_MAX};
	*v = (struct vocab){0};
	bool good = kind == FOREIGN_SENTENCEPIECE ? read_sentencepiece(&f)
	            : kind == FOREIGN_TEKKEN      ? read_tekken(&f)
	                                          : read_tiktoken(&f);
	good = good && finish(&f, o, v);
	if (!good) vocab_release(v);
	free(f.entry);
	vec_release(&f.bytes);
	arena_release(&f.arena);
	return good;
}
