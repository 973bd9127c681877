// A token's bytes, as the file's own decoder makes them.
//
// In:  the "decoder" section; then token texts one by one. Out: bytes.
// A decoder maps a list of tokens to text. It gives each token bytes of its own when every step is local to a token
// up to the place where they are fused. After "Fuse" a "Replace" of one character is still local: no two tokens make
// one, byte tokens aside, of which it warns. A "Strip" there acts on the start or end of the whole text: it is no
// property of a token, and is left out (bytes are what a token adds in the middle of a text). The same holds for
// Metaspace's first space. Everything else is refused, never guessed.
#define _GNU_SOURCE  // memmem
#include "hf_decoder.h"

#include "byte_level.h"
#include "utf8.h"
#include "../shared/hex.h"

static bool refuse(const struct source *s, struct diag *d, const char *key, const char *why)
{
	diag_error(d, !strcmp(key, "decoder") ? hf_root_place(s, key) : hf_place(s, key),
	           "the decoder %s; gcdc cannot give each token exact bytes then", why);
	return false;
}

struct parse {
	const struct source *source;
	struct diag *d;
	struct hf_decoder *out;
	bool fused, ended;  // a Fuse was seen; a ByteLevel was
	bool joins_bytes;   // a ByteFallback was seen: what follows sees byte tokens in a row as one text
};

// Several tokens as one text: only what is one character is found inside of one token.
static bool replaces_inside_tokens(const struct parse *p, const char *from)
{
	if (!p->fused && !p->joins_bytes) return true;
	if (from[utf8_len(*from)])
		return refuse(p->source, p->d, "Replace", "replaces across tokens, after they are fused");
	if (p->joins_bytes && (uint8_t)*from >= 0x80)
		diag_warning(
			p->d, hf_place(p->source, "Replace"),
			"this decoder also replaces \"%s\" where byte tokens spell it one after the other; masks take them "
			"as the bytes that they spell [spelled-replace]",
			from);
	return true;
}

static bool parse_replace(struct parse *p, const cJSON *step)
{
	const char *from = hf_string(hf_member(step, "pattern"), "String"), *to = hf_string(step, "content");
	if (!from || !*from || !to) return refuse(p->source, p->d, "Replace", "replaces by a regular expression");
	if (!replaces_inside_tokens(p, from)) return false;
	p->out->step[p->out->n_steps++] = (struct hf_decoder_step){.what = STEP_REPLACE,
	                                                           .from = from,
	                                                           .from_len = (uint32_t)strlen(from),
	                                                           .to = to,
	                                                           .to_len = (uint32_t)strlen(to)};
	return true;
}

static void add_step(struct parse *p, struct hf_decoder_step step) { p->out->step[p->out->n_steps++] = step; }

static bool parse_byte_level(struct parse *p, const cJSON *step)
{
	(void)step;
	if (p->out->n_steps || p->fused) return refuse(p->source, p->d, "ByteLevel", "has other steps before ByteLevel");
	return p->out->byte_level = p->ended = true;
}

static bool parse_fuse(struct parse *p, const cJSON *step)
{
	(void)step;
	return p->fused = true;
}

static bool parse_byte_fallback(struct parse *p, const cJSON *step)
{
	(void)step;
	if (p->fused) return refuse(p->source, p->d, "ByteFallback", "has ByteFallback after Fuse");
	add_step(p, (struct hf_decoder_step){.what = STEP_BYTE_FALLBACK});
	return p->joins_bytes = true;
}

static bool parse_metaspace(struct parse *p, const cJSON *step)
{
	const char *mark = hf_string(step, "replacement");
	if (!mark || !*mark) mark = "\xE2\x96\x81";
	add_step(p, (struct hf_decoder_step){
					.what = STEP_REPLACE, .from = mark, .from_len = (uint32_t)strlen(mark), .to = " ", .to_len = 1});
	return true;
}

static bool parse_strip(struct parse *p, const cJSON *step)
{
	if (p->fused) return true;
	if (p->joins_bytes) return refuse(p->source, p->d, "Strip", "strips byte tokens in a row as if they were one");
	struct hf_decoder_step strip = {.what = STEP_STRIP, .from = hf_string(step, "content")};
	if (!strip.from || !*strip.from || !hf_integer(hf_member(step, "start"), UINT32_MAX, &strip.n_start) ||
	    !hf_integer(hf_member(step, "stop"), UINT32_MAX, &strip.n_stop))
		return refuse(p->source, p->d, "Strip", "has a Strip without \"content\", \"start\" and \"stop\"");
	strip.from_len = (uint32_t)strlen(strip.from);
	add_step(p, strip);
	return true;
}

static bool parse_word_piece(struct parse *p, const cJSON *step)
{
	const char *prefix = hf_string(step, "prefix");
	if (p->out->n_steps || p->fused || !prefix || !*prefix)
		return refuse(p->source, p->d, "WordPiece", "has WordPiece behind other steps, or without a \"prefix\"");
	add_step(p, (struct hf_decoder_step){.what = STEP_WORD_PIECE,
	                                     .from = prefix,
	                                     .from_len = (uint32_t)strlen(prefix),
	                                     .cleans_up = hf_flag(step, "cleanup", false)});
	return p->ended = true;
}

static bool parse_step(struct parse *p, const cJSON *step)
{
	static const struct {
		const char *type;
		bool (*parse)(struct parse *p, const cJSON *step);
	} steps[] = {{"ByteLevel", parse_byte_level}, {"Fuse", parse_fuse},           {"ByteFallback", parse_byte_fallback},
	             {"Replace", parse_replace},      {"Metaspace", parse_metaspace}, {"Strip", parse_strip},
	             {"WordPiece", parse_word_piece}};
	const char *type = hf_string(step, "type");
	if (!type) return refuse(p->source, p->d, "decoder", "has a step without a \"type\"");
	if (p->out->n_steps == HF_MAX_DECODER_STEPS)
		return refuse(p->source, p->d, "decoder", "has more than HF_MAX_DECODER_STEPS (16) steps");
	if (p->ended) return refuse(p->source, p->d, type, "goes on after ByteLevel or WordPiece");
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		if (!strcmp(type, steps[i].type)) return steps[i].parse(p, step);
	diag_error(
		p->d, hf_place(p->source, type),
		"the decoder step \"%s\" is not supported; supported: ByteLevel, WordPiece, or a Sequence of Replace (of a "
		"string), ByteFallback, Metaspace, Strip, Fuse",
		type);
	return false;
}

bool hf_decoder_parse(const cJSON *root, const struct source *source, struct diag *d, struct hf_decoder *out)
{
	*out = (struct hf_decoder){0};
	struct parse p = {.source = source, .d = d, .out = out};
	const cJSON *decoder = hf_member(root, "decoder");
	if (!decoder) {
		diag_error(d, hf_root_place(source, "decoder"),
		           "\"%s\" has no \"decoder\": its tokens would be joined with spaces, and gcdc "
		           "cannot give each token exact bytes then",
		           source->path);
		return false;
	}
	const char *type = hf_string(decoder, "type");
	if (!type || strcmp(type, "Sequence")) return parse_step(&p, decoder);
	const cJSON *steps = hf_member(decoder, "decoders"), *step;
	if (!cJSON_IsArray(steps)) return refuse(source, d, "decoder", "is a Sequence without \"decoders\"");
	cJSON_ArrayForEach(step, steps) if (!parse_step(&p, step)) return false;
	return true;
}

static void put(struct hf_text *v, const void *s, size_t len)
{
	if (!len) return;
	vec_reserve(v, (uint64_t)v->n + len);
	memcpy(v->at + v->n, s, len);
	v->n += (uint32_t)len;
}

static bool step_replace(const struct hf_decoder_step *step, struct hf_bytes *b)
{
	const uint8_t *at = b->bytes.at, *end = at + b->bytes.n, *hit;
	vec_clear(&b->spare);
	while (at < end && (hit = memmem(at, (size_t)(end - at), step->from, step->from_len))) {
		if (b->spare.n + (size_t)(hit - at) + step->to_len > VOCAB_MAX_TOKEN_LEN) return false;
		put(&b->spare, at, (size_t)(hit - at));
		put(&b->spare, step->to, step->to_len);
		at = hit + step->from_len;
	}
	put(&b->spare, at, (size_t)(end - at));
	struct hf_text old = b->bytes;
	b->bytes = b->spare, b->spare = old;
	return true;
}

// In a word the token without its prefix; else behind a blank. HuggingFace's clean-up is done on each token by itself,
// in this order.
static bool step_word_piece(const struct hf_decoder_step *step, struct hf_bytes *b)
{
	static const char *const cleaned[][2] = {{" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
	                                         {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
	                                         {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
	bool inside = b->bytes.n >= step->from_len && !memcmp(b->bytes.at, step->from, step->from_len);
	vec_clear(&b->spare);
	if (!inside) put(&b->spare, " ", 1);
	put(&b->spare, b->bytes.at + (inside ? step->from_len : 0), b->bytes.n - (inside ? step->from_len : 0));
	struct hf_text old = b->bytes;
	b->bytes = b->spare, b->spare = old;
	for (uint32_t i = 0; step->cleans_up && i < sizeof cleaned / sizeof *cleaned; i++) {
		const struct hf_decoder_step one = {.from = cleaned[i][0],
		                                    .from_len = (uint32_t)strlen(cleaned[i][0]),
		                                    .to = cleaned[i][1],
		                                    .to_len = (uint32_t)strlen(cleaned[i][1])};
		if (!step_replace(&one, b)) return false;
	}
	return true;
}

static void step_strip(const struct hf_decoder_step *step, struct hf_bytes *b)
{
	uint32_t w = step->from_len, from = 0, to = b->bytes.n;
	for (uint32_t k = 0; k < step->n_start && to - from >= w && !memcmp(b->bytes.at + from, step->from, w); k++)
		from += w;
	for (uint32_t k = 0; k < step->n_stop && to - from >= w && !memcmp(b->bytes.at + to - w, step->from, w); k++)
		to -= w;
	if (from) memmove(b->bytes.at, b->bytes.at + from, to - from);
	b->bytes.n = to - from;
}

// Branches: one case for each step of a decoder, and bytes that are no characters end the chain.
bool hf_decoder_bytes(const struct hf_decoder *decoder, const char *text, size_t len, struct hf_bytes *b)
{
	vec_clear(&b->bytes);
	vec_reserve(&b->bytes, len);
	if (decoder->byte_level) {
		// A token with one character that is not in the alphabet is raw UTF-8, all of it.
		size_t n;
		if (byte_level_decode(text, len, b->bytes.at, &n)) return b->bytes.n = (uint32_t)n, n <= VOCAB_MAX_TOKEN_LEN;
	}
	put(&b->bytes, text, len);
	for (uint32_t i = 0; i < decoder->n_steps; i++) {
		const struct hf_decoder_step *step = &decoder->step[i];
		const uint8_t *s = b->bytes.at;
		if (step->what == STEP_REPLACE) {
			if (!step_replace(step, b)) return false;
		} else if (step->what == STEP_STRIP) {
			step_strip(step, b);
		} else if (step->what == STEP_WORD_PIECE) {
			if (!step_word_piece(step, b)) return false;
		} else if (b->bytes.n == 6 && s[0] == '<' && s[1] == '0' && s[2] == 'x' && hex_digit(s[3]) >= 0 &&
		           hex_digit(s[4]) >= 0 && s[5] == '>') {
			b->bytes.at[0] = (uint8_t)(hex_digit(s[3]) << 4 | hex_digit(s[4]));
			b->bytes.n = 1;
			if (b->bytes.at[0] >= 0x80) break;  // no text by itself
		}
	}
	return b->bytes.n <= VOCAB_MAX_TOKEN_LEN;
}
