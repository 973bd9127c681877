// Added tokens spelled in a text.
//
// In:  "added_tokens"; a text. Out: the text cut at them.
// Leftmost-longest: at each place the longest added token that begins there wins, special ones before others of the
// same text; then the flags: single_word (no word character beside it, else it is text), lstrip and rstrip (it takes
// the white space beside it along). Those with normalized = false are looked for in the raw text, the others, their
// content normalized, in the normalized text. The tokens lie in a trie (struct trie of a small vocabulary), entered
// through a table over the first byte. Cost: a byte a step where no added token begins with it.
#include "encoder.h"
#include "utf8.h"

#include <utf8proc.h>

struct token {
	uint32_t id;
	bool special, single_word, lstrip, rstrip;
};

struct added_group {     // of one kind of `normalized`
	struct vocab words;  // token number -> content
	struct token *tokens;
	trie_node first[256];  // 0: none
};

struct added {
	struct arena arena;
	struct added_group group[2];  // by normalized
};

static bool is_space(uint32_t c)
{
	return (c >= 9 && c <= 13) || c == ' ' || c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
	       c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

// \w of Rust's regex: Alphabetic, marks, decimal digits, connector punctuation, join controls.
// Branches: one case for each category of Unicode, and the letters that no category tells.
static bool is_word(uint32_t c)
{
	switch (utf8proc_category((utf8proc_int32_t)c)) {
	case UTF8PROC_CATEGORY_LU:
	case UTF8PROC_CATEGORY_LL:
	case UTF8PROC_CATEGORY_LT:
	case UTF8PROC_CATEGORY_LM:
	case UTF8PROC_CATEGORY_LO:
	case UTF8PROC_CATEGORY_MN:
	case UTF8PROC_CATEGORY_MC:
	case UTF8PROC_CATEGORY_ME:
	case UTF8PROC_CATEGORY_ND:
	case UTF8PROC_CATEGORY_NL:
	case UTF8PROC_CATEGORY_PC: return true;
	default:
		return c == 0x200C || c == 0x200D || (c >= 0x24B6 && c <= 0x24E9) || (c >= 0x1F130 && c <= 0x1F149) ||
		       (c >= 0x1F150 && c <= 0x1F169) || (c >= 0x1F170 && c <= 0x1F189);
	}
}

static uint32_t char_before(const char *text, uint32_t at, uint32_t *begin)
{
	uint32_t i = at - 1, n;
	while (i && ((unsigned char)text[i] & 0xC0) == 0x80) i--;
	*begin = i;
	return utf8_get(text + i, at - i, &n);
}

static uint32_t spaces_before(const char *text, uint32_t at)
{
	uint32_t begin;
	while (at && is_space(char_before(text, at, &begin))) at = begin;
	return at;
}

static uint32_t spaces_after(const char *text, uint32_t len, uint32_t at)
{
	uint32_t n;
	while (at < len && is_space(utf8_get(text + at, len - at, &n))) at += n;
	return at;
}

static bool is_single_word(const char *text, uint32_t len, uint32_t begin, uint32_t end)
{
	uint32_t n;
	if (begin && is_word(char_before(text, begin, &n))) return false;
	return end == len || !is_word(utf8_get(text + end, len - end, &n));
}

static trie_node child(const struct trie *t, trie_node parent, uint8_t byte)
{
	for (trie_node c = parent + 1; c < t->end[parent]; c = t->end[c])
		if (t->byte[c] >= byte) return t->byte[c] == byte ? c : 0;
	return 0;
}

// The longest token that begins at text, or NULL.
static const struct token *longest(const struct added_group *g, const char *text, uint32_t len, uint32_t *matched)
{
	const struct trie *t = &g->words.trie;
	const struct token *best = NULL;
	trie_node node = g->first[(uint8_t)*text];
	for (uint32_t i = 1; node; i++) {
		if (t->rank[node + 1] > t->rank[node]) best = &g->tokens[g->words.token_of[t->rank[node]]], *matched = i;
		node = i < len ? child(t, node, (uint8_t)text[i]) : 0;
	}
	return best;
}

void added_split(const struct added *a, bool normalized, bool no_special, const char *text, uint32_t len,
                 added_list *out)
{
	const struct added_group *g = &a->group[normalized];
	uint32_t covered = 0;
	for (uint32_t i = 0, n = 0; i < len; i += n) {
		const struct token *t = g->first[(uint8_t)text[i]] ? longest(g, text + i, len - i, &n) : NULL;
		if (!t) {
			n = 1;
			continue;
		}
		uint32_t begin = i, end = i + n;
		if (no_special && t->special) continue;
		if (t->single_word && !is_single_word(text, len, begin, end)) continue;
		if (t->lstrip && (begin = spaces_before(text, begin)) < covered) begin = covered;
		if (t->rstrip) end = spaces_after(text, len, end);
		if (begin > covered) vec_push(out, ((struct added_match){{covered, begin}, ADDED_NONE}));
		// Where an rstrip before took this token's characters, HuggingFace does this, too: with lstrip the token
		// vanishes, else it comes all the same, and what it does not cover is read again.
		if (begin < end) vec_push(out, ((struct added_match){{begin, end}, t->id}));
		covered = end;
	}
	if (covered < len) vec_push(out, ((struct added_match){{covered, len}, ADDED_NONE}));
}

struct collect {
	VEC(const uint8_t *) bytes;
	VEC(uint32_t) len;
	VEC(struct token) tokens;
};

static bool collect_one(struct added *a, struct collect *c, const cJSON *item, struct normalizer *normalizer,
                        const struct source *source, struct diag *d)
{
	const char *content = hf_string(item, "content");
	struct token t = {.special = hf_flag(item, "special", false),
	                  .single_word = hf_flag(item, "single_word", false),
	                  .lstrip = hf_flag(item, "lstrip", false),
	                  .rstrip = hf_flag(item, "rstrip", false)};
	if (!content || !hf_integer(hf_member(item, "id"), VOCAB_MAX_TOKENS - 1, &t.id)) {
		diag_error(d, hf_place(source, "added_tokens"), "an added token lacks its content or id");
		return false;
	}
	uint32_t len = (uint32_t)strlen(content);
	if (!len) return true;
	text_buffer text = {0};
	if (normalizer) {
		if (!normalizer_run(normalizer, content, len, &text, d)) return vec_release(&text), false;
		content = text.at, len = text.n;
	}
	if (len > VOCAB_MAX_TOKEN_LEN) {
		diag_error(d, hf_place(source, "added_tokens"), "an added token is longer than VOCAB_MAX_TOKEN_LEN (%u bytes)",
		           VOCAB_MAX_TOKEN_LEN);
		vec_release(&text);
		return false;
	}
	if (len) {
		vec_push(&c->bytes, (const uint8_t *)arena_strndup(&a->arena, content, len));
		vec_push(&c->len, len);
		vec_push(&c->tokens, t);
	}
	vec_release(&text);
	return true;
}

static bool read_group(struct added *a, bool normalized, const cJSON *list, struct normalizer *normalizer,
                       const struct source *source, struct diag *d)
{
	struct added_group *g = &a->group[normalized];
	struct collect c = {0};
	bool good = true;
	const cJSON *item;
	// Special ones first: of two with the same text the first wins.
	for (uint32_t special = 2; special-- > 0 && good;) cJSON_ArrayForEach(item, list)
		{
			if (hf_flag(item, "special", false) != (special == 1) || hf_flag(item, "normalized", true) != normalized)
				continue;
			if (!(good = collect_one(a, &c, item, normalized ? normalizer : NULL, source, d))) break;
		}
	if (good && c.bytes.n > ENCODER_MAX_ADDED) {
		diag_error(d, hf_place(source, "added_tokens"), "more than %u added tokens (ENCODER_MAX_ADDED)",
		           ENCODER_MAX_ADDED);
		good = false;
	}
	if (good) {
		vocab_build(&(struct vocab_tokens){c.bytes.n, c.bytes.at, c.len.at, NULL, 0, NULL}, &g->words);
		g->tokens = arena_array(&a->arena, c.tokens.n, sizeof *g->tokens);
		if (c.tokens.n) memcpy(g->tokens, c.tokens.at, c.tokens.n * sizeof *g->tokens);
		const struct trie *t = &g->words.trie;
		for (trie_node k = 0; k < t->n_nodes; k++)
			if (t->rank[k + 1] - t->rank[k] > 1)
				diag_warning(d, hf_place(source, "added_tokens"),
				             "two added tokens are the same text%s (ids %u and %u); the first is used, "
				             "HuggingFace uses any [same-added]",
				             normalized ? " when normalized" : "", g->tokens[g->words.token_of[t->rank[k]]].id,
				             g->tokens[g->words.token_of[t->rank[k] + 1]].id);
		for (trie_node k = 1; k < t->n_nodes; k = t->end[k]) g->first[t->byte[k]] = k;
	}
	vec_release(&c.bytes), vec_release(&c.len), vec_release(&c.tokens);
	return good;
}

struct added *added_parse(const cJSON *root, struct normalizer *n, const struct source *source, struct diag *d)
{
	struct added *a = mem_calloc(1, sizeof *a);
	const cJSON *list = hf_member(root, "added_tokens");
	if (read_group(a, false, list, n, source, d) && read_group(a, true, list, n, source, d)) return a;
	added_free(a);
	return NULL;
}

void added_describe(const struct added *a, struct encoder_model *m)
{
	for (uint32_t normalized = 0; normalized < 2; normalized++) {
		const struct added_group *g = &a->group[normalized];
		for (uint32_t i = 0; i < g->words.n_tokens; i++) {
			const struct token *t = &g->tokens[i];
			uint32_t len = g->words.offset[i + 1] - g->words.offset[i];
			vec_push(&m->added, ((struct encoder_added){.text = (const char *)g->words.bytes + g->words.offset[i],
			                                            .len = len,
			                                            .id = t->id,
			                                            .special = t->special,
			                                            .lstrip = t->lstrip,
			                                            .rstrip = t->rstrip,
			                                            .single_word = t->single_word,
			                                            .normalized = normalized}));
		}
	}
}

void added_free(struct added *a)
{
	if (!a) return;
	vocab_release(&a->group[0].words), vocab_release(&a->group[1].words);
	arena_release(&a->arena);
	free(a);
}
