// A vocabulary from HuggingFace's tokenizer.json.
//
// In:  tokenizer.json (BPE, Unigram or WordPiece), optionally tokenizer_config.json and generation_config.json.
// Out: struct vocab, or errors.
// What is text (docs/tokenizers.md has the reasons): entries of model.vocab and added tokens whose "special" flag is
// false; control: added tokens whose flag is true, the model's unk_token, the EOS ids, and a bos_token or unk_token
// of the configuration that is an added token. Bytes are those of the file's decoder (hf_decoder.h); an added token
// of a byte-level vocabulary that is not in model.vocab, too, is literal text.
// EOS: vocab_options, or else eos_token of the configuration and eos_token_id of the generation configuration.
// Cost: cJSON's parse is two thirds of it; merges are not looked at.
#include "hf_vocab.h"

#include "hf_decoder.h"

#include "../base/guess.h"
#include "../base/intern.h"

#define MAX_SHOWN 8u  // control tokens in a message

struct entry {
	const char *text;  // NULL: a gap
	uint32_t len;
	uint8_t kind;  // enum token_kind
	bool in_model, is_added;
};

struct load {
	const struct source *source;
	struct diag *d;
	VEC(struct entry) entries;  // by id
	VEC(uint32_t) added;        // ids of added tokens that are not in model.vocab
	struct {
		uint32_t at[VOCAB_MAX_EOS], n;
	} eos;
};

static struct entry *entry_at(struct load *l, uint32_t id)
{
	vec_reserve(&l->entries, (uint64_t)id + 1);
	while (l->entries.n <= id) vec_push(&l->entries, (struct entry){0});
	return &l->entries.at[id];
}

static bool conflict(struct load *l, uint32_t id, const char *old, const char *new)
{
	diag_error(l->d, hf_place(l->source, new), "id %u is given to two tokens, \"%s\" and \"%s\"", id, old, new);
	return false;
}

static bool bad_id(struct load *l, const char *token, const cJSON *id)
{
	if (cJSON_IsNumber(id))
		diag_error(l->d, hf_place(l->source, token),
		           "the id of token \"%s\" is %.17g; expected an integer from 0 to %u "
		           "(VOCAB_MAX_TOKENS)",
		           token, id->valuedouble, VOCAB_MAX_TOKENS - 1);
	else
		diag_error(l->d, hf_place(l->source, token), "the id of token \"%s\" is %s; expected an integer", token,
		           hf_type_name(id));
	return false;
}

// A list of [token, score], in the order of ids.
static bool read_unigram_vocab(struct load *l, const cJSON *model)
{
	const cJSON *vocab = hf_member(model, "vocab"), *item;
	if (!cJSON_IsArray(vocab)) {
		diag_error(l->d, hf_place(l->source, "vocab"), "\"model.vocab\" is %s; expected an array of [token, score]",
		           hf_type_name(vocab));
		return false;
	}
	uint32_t id = 0;
	cJSON_ArrayForEach(item, vocab)
	{
		const char *text = cJSON_IsArray(item) ? cJSON_GetStringValue(item->child) : NULL;
		if (!text || id >= VOCAB_MAX_TOKENS) {
			diag_error(l->d, hf_place(l->source, "vocab"), "item %u of \"model.vocab\" is no [token, score]", id);
			return false;
		}
		*entry_at(l, id++) =
			(struct entry){.text = text, .len = (uint32_t)strlen(text), .kind = TOKEN_TEXT, .in_model = true};
	}
	uint32_t unknown;
	if (hf_integer(hf_member(model, "unk_id"), id ? id - 1 : 0, &unknown) && id)
		l->entries.at[unknown].kind = TOKEN_CONTROL;
	return true;
}

static bool read_model_vocab(struct load *l, const cJSON *model)
{
	const char *type = hf_string(model, "type");
	if (type && !strcmp(type, "Unigram")) return read_unigram_vocab(l, model);
	const cJSON *vocab = hf_member(model, "vocab"), *item;
	if (!cJSON_IsObject(vocab)) {
		diag_error(l->d, hf_place(l->source, "vocab"), "\"model.vocab\" is %s; expected an object of token: id",
		           hf_type_name(vocab));
		return false;
	}
	cJSON_ArrayForEach(item, vocab)
	{
		uint32_t id;
		if (!hf_integer(item, VOCAB_MAX_TOKENS - 1, &id)) return bad_id(l, item->string, item);
		struct entry *e = entry_at(l, id);
		if (e->text) return conflict(l, id, e->text, item->string);
		*e = (struct entry){
			.text = item->string, .len = (uint32_t)strlen(item->string), .kind = TOKEN_TEXT, .in_model = true};
	}
	return true;
}

static bool read_added_tokens(struct load *l, const cJSON *root)
{
	const cJSON *added = hf_member(root, "added_tokens"), *item;
	if (!added) return true;
	if (!cJSON_IsArray(added)) {
		diag_error(l->d, hf_root_place(l->source, "added_tokens"), "\"added_tokens\" is %s; expected an array",
		           hf_type_name(added));
		return false;
	}
	cJSON_ArrayForEach(item, added)
	{
		const char *content = hf_string(item, "content");
		uint32_t id;
		if (!content) {
			diag_error(l->d, hf_root_place(l->source, "added_tokens"),
			           "an added token has no \"content\" that is a string");
			return false;
		}
		if (!hf_integer(hf_member(item, "id"), VOCAB_MAX_TOKENS - 1, &id))
			return bad_id(l, content, hf_member(item, "id"));
		struct entry *e = entry_at(l, id);
		if (e->text && strcmp(e->text, content)) return conflict(l, id, e->text, content);
		e->text = content, e->len = (uint32_t)strlen(content);
		e->kind = hf_flag(item, "special", false) ? TOKEN_CONTROL : TOKEN_TEXT;
		e->is_added = true;
		if (!e->in_model) vec_push(&l->added, id);
	}
	return true;
}

// An added token that is also in model.vocab, but under another id: which is meant cannot be known.
static bool check_added(struct load *l)
{
	struct intern texts = {0};
	bool good = true;
	for (uint32_t i = 0; i < l->added.n; i++) {
		const struct entry *e = &l->entries.at[l->added.at[i]];
		intern_add(&texts, e->text, e->len, NULL);
	}
	for (uint32_t id = 0; id < l->entries.n && texts.entries.n && good; id++) {
		const struct entry *e = &l->entries.at[id];
		if (!e->in_model || intern_find(&texts, e->text, e->len) == INTERN_NONE) continue;
		diag_error(l->d, hf_place(l->source, e->text),
		           "token \"%s\" has two ids: %u in model.vocab and another in added_tokens", e->text, id);
		good = false;
	}
	intern_release(&texts);
	return good;
}

// The id that the tokenizer gives to this text, or UINT32_MAX. Added tokens come before the model's.
static uint32_t find_token(const struct load *l, const cJSON *root, const char *text, bool *is_added)
{
	const cJSON *item;
	uint32_t id;
	*is_added = true;
	cJSON_ArrayForEach(item, hf_member(root, "added_tokens"))
	{
		const char *content = hf_string(item, "content");
		if (content && !strcmp(content, text) && hf_integer(hf_member(item, "id"), VOCAB_MAX_TOKENS - 1, &id))
			return id;
	}
	*is_added = false;
	for (id = 0; id < l->entries.n; id++)
		if (l->entries.at[id].in_model && !strcmp(l->entries.at[id].text, text)) return id;
	return UINT32_MAX;
}

// A special token in a configuration is a string or an object with the string as "content".
static const char *named_token(const cJSON *value)
{
	return cJSON_IsObject(value) ? hf_string(value, "content") : cJSON_GetStringValue(value);
}

static void add_eos(struct load *l, uint32_t id)
{
	for (uint32_t i = 0; i < l->eos.n; i++)
		if (l->eos.at[i] == id) return;
	if (l->eos.n < VOCAB_MAX_EOS) l->eos.at[l->eos.n++] = id;
}

static void add_named_eos(struct load *l, const cJSON *root, const cJSON *value)
{
	bool is_added;
	const char *text = named_token(value);
	uint32_t id = text ? find_token(l, root, text, &is_added) : UINT32_MAX;
	if (id != UINT32_MAX)
		add_eos(l, id);
	else if (text)
		diag_warning(l->d, (struct loc){0}, "eos_token \"%s\" of the configuration is not in \"%s\" [unknown-eos]",
		             text, l->source->path);
}

// A file that lies beside tokenizer.json; *c deletes it when the work is given up. NULL after an error.
static cJSON *parse_beside(struct load *l, const char *path, const char *text, size_t len, struct work_cleanup *c)
{
	struct source *source = arena_alloc(diag_arena(l->d), sizeof *source);
	uint32_t before = l->d->messages.n;
	*source = (struct source){.path = path, .text = text, .len = len};
	cJSON *root = hf_json_parse(source, l->d);
	work_cleanup(c, hf_json_delete, root);
	if (l->d->messages.n > before) source->text = arena_strndup(diag_arena(l->d), text, len);
	if (!root) work_cleanup_end(c);
	return root;
}

static bool read_config(struct load *l, const cJSON *root, const char *text, size_t len)
{
	if (!text) return true;
	struct work_cleanup c;
	cJSON *config = parse_beside(l, "tokenizer_config.json", text, len, &c);
	if (!config) return false;
	const cJSON *eos = hf_member(config, "eos_token"), *item;
	if (cJSON_IsArray(eos)) {
		cJSON_ArrayForEach(item, eos) add_named_eos(l, root, item);
	} else if (eos) {
		add_named_eos(l, root, eos);
	}
	static const char *const controls[] = {"bos_token", "unk_token"};
	for (uint32_t i = 0; i < 2; i++) {
		const char *name = named_token(hf_member(config, controls[i]));
		bool is_added = false;
		uint32_t id = name ? find_token(l, root, name, &is_added) : UINT32_MAX;
		if (id != UINT32_MAX && is_added) l->entries.at[id].kind = TOKEN_CONTROL;
	}
	work_cleanup_end(&c);
	cJSON_Delete(config);
	return true;
}

static bool read_generation(struct load *l, const char *text, size_t len)
{
	if (!text) return true;
	struct work_cleanup c;
	uint32_t id;
	cJSON *config = parse_beside(l, "generation_config.json", text, len, &c);
	if (!config) return false;
	const cJSON *eos = hf_member(config, "eos_token_id"), *item = cJSON_IsArray(eos) ? eos->child : eos;
	for (; item; item = cJSON_IsArray(eos) ? item->next : NULL) {
		if (hf_integer(item, VOCAB_MAX_TOKENS - 1, &id) && id < l->entries.n)
			add_eos(l, id);
		else
			diag_warning(l->d, (struct loc){0},
			             "an eos_token_id of generation_config.json is not in the vocabulary [unknown-eos]");
	}
	work_cleanup_end(&c);
	cJSON_Delete(config);
	return true;
}

static bool is_supported(struct load *l, const cJSON *root, const cJSON *model)
{
	if (!cJSON_IsObject(model)) {
		diag_error(l->d, hf_root_place(l->source, "model"),
		           "\"model\" of \"%s\" is %s; expected an object; is this a tokenizer.json?", l->source->path,
		           hf_type_name(hf_member(root, "model")));
		return false;
	}
	// Old files leave the type out; then it is BPE when there are merges.
	const char *type = hf_string(model, "type");
	if (!type && hf_member(model, "merges")) type = "BPE";
	if (type && (!strcmp(type, "Unigram") || !strcmp(type, "WordPiece"))) return true;  // the decoder decides
	if (!type || strcmp(type, "BPE")) {
		diag_error(l->d, hf_place(l->source, type ? type : "model"),
		           "the model's type is \"%s\"; \"BPE\", \"Unigram\" and \"WordPiece\" are supported",
		           type ? type : "(missing)");
		return false;
	}
	static const char *const affixes[] = {"continuing_subword_prefix", "end_of_word_suffix"};
	for (uint32_t i = 0; i < 2; i++) {
		const char *affix = hf_string(model, affixes[i]);
		if (!affix || !*affix) continue;
		diag_error(l->d, hf_place(l->source, affixes[i]),
		           "\"model.%s\" is \"%s\": such tokens have other bytes inside a word than outside; not supported",
		           affixes[i], affix);
		return false;
	}
	return true;
}

static bool too_long(struct load *l, const struct entry *e, uint32_t id)
{
	diag_error(l->d, (struct loc){0},
	           "token %u of \"%s\" (\"%.40s…\") is longer than %u bytes (VOCAB_MAX_TOKEN_LEN), or all "
	           "tokens than %u (VOCAB_MAX_BYTES)",
	           id, l->source->path, e->text, VOCAB_MAX_TOKEN_LEN, VOCAB_MAX_BYTES);
	return false;
}

static bool make_bytes(struct load *l, const struct hf_decoder *decoder, struct vocab *v)
{
	uint32_t n = l->entries.n;
	uint32_t *offset = arena_array(&v->arena, (size_t)n + 1, sizeof *offset);
	uint8_t *kind = arena_array(&v->arena, n, 1);
	struct hf_bytes one = {0};
	VEC(uint8_t) all = {0};
	static const struct hf_decoder literal = {0};
	bool good = true;
	for (uint32_t id = 0; id < n && good; id++) {
		const struct entry *e = &l->entries.at[id];
		offset[id] = all.n, kind[id] = e->kind;
		if (e->kind != TOKEN_TEXT) continue;
		bool as_it_is = decoder->byte_level && !e->in_model;
		if (!hf_decoder_bytes(as_it_is ? &literal : decoder, e->text, e->len, &one) ||
		    (uint64_t)all.n + one.bytes.n > VOCAB_MAX_BYTES) {
			good = too_long(l, e, id);
		} else if (one.bytes.n) {
			vec_reserve(&all, (uint64_t)all.n + one.bytes.n);
			memcpy(all.at + all.n, one.bytes.at, one.bytes.n);
			all.n += one.bytes.n;
		}
	}
	offset[n] = all.n;
	uint8_t *bytes = arena_array(&v->arena, all.n, 1);
	if (all.n) memcpy(bytes, all.at, all.n);
	v->n_tokens = n, v->offset = offset, v->kind = kind, v->bytes = bytes;
	vec_release(&all), vec_release(&one.bytes), vec_release(&one.spare);
	return good;
}

// A key that stands twice in model.vocab with two ids: which is meant cannot be known.
static bool has_double_key(struct load *l, const struct vocab *v)
{
	for (uint32_t r = 1; r < v->n_ranks; r++) {
		const struct entry *a = &l->entries.at[v->token_of[r - 1]], *b = &l->entries.at[v->token_of[r]];
		if (a->len != b->len || memcmp(a->text, b->text, a->len)) continue;
		diag_error(l->d, hf_place(l->source, a->text), "token \"%s\" has two ids, %u and %u", a->text,
		           v->token_of[r - 1], v->token_of[r]);
		return true;
	}
	return false;
}

// "4095 \"<|end|>\", ...": some control tokens, which are what may end a text.
static const char *control_tokens(struct load *l)
{
	const char *text = "";
	uint32_t shown = 0;
	for (uint32_t id = 0; id < l->entries.n && shown <= MAX_SHOWN; id++) {
		const struct entry *e = &l->entries.at[id];
		if (e->kind != TOKEN_CONTROL || !e->text) continue;
		if (shown++ == MAX_SHOWN)
			text = arena_printf(&l->d->arena, "%s, ...", text);
		else
			text = arena_printf(&l->d->arena, "%s%s%u \"%s\"", text, shown > 1 ? ", " : "", id, e->text);
	}
	return text;
}

static void note_control_tokens(struct load *l)
{
	const char *some = control_tokens(l);
	if (*some) diag_note(l->d, (struct loc){0}, "its control tokens are %s", some);
}

// EOS by name become ids, which are appended to those of *o. False after a message.
static bool find_named_eos(struct load *l, const cJSON *root, struct vocab_options *o, struct arena *arena)
{
	if (!o->n_eos_names) return true;
	uint32_t *ids = arena_array(arena, (size_t)o->n_eos + o->n_eos_names, sizeof *ids), n = o->n_eos;
	if (n) memcpy(ids, o->eos, n * sizeof *ids);
	for (uint32_t i = 0; i < o->n_eos_names; i++) {
		bool is_added;
		uint32_t id = find_token(l, root, o->eos_names[i], &is_added);
		if (id == UINT32_MAX) {
			VEC(const char *) names = {0};
			const cJSON *item;
			cJSON_ArrayForEach(item, hf_member(root, "added_tokens")) if (hf_string(item, "content"))
				vec_push(&names, hf_string(item, "content"));
			const char *guess = guess_name(o->eos_names[i], names.at, names.n);
			diag_error(l->d, (struct loc){0}, "\"%s\" has no token \"%s\" that could end a text%s%s%s", l->source->path,
			           o->eos_names[i], guess ? "; did you mean \"" : "", guess ? guess : "", guess ? "\"?" : "");
			vec_release(&names);
			if (!guess) note_control_tokens(l);
			return false;
		}
		ids[n++] = id;
	}
	o->eos = ids, o->n_eos = n;
	return true;
}

static bool has_end(struct load *l, const struct vocab_options *o, const struct vocab *v)
{
	if (v->n_eos || o->ends != VOCAB_ENDS_NEEDED) return true;
	diag_error(l->d, (struct loc){0},
	           "no token of \"%s\" is known to end a text: nothing beside it says one "
	           "(tokenizer_config.json: eos_token, generation_config.json: eos_token_id)",
	           l->source->path);
	diag_note(l->d, (struct loc){0},
	          "give it by id or by name: --eos 2 or --eos '</s>' (in a manifest eos: [2, '</s>']); or say "
	          "--no-eos (no-eos: true) where no token shall end a text");
	note_control_tokens(l);
	return false;
}

static void name_added(const struct load *l, struct vocab *v)
{
	struct vocab_added *added = arena_array(&v->arena, l->entries.n, sizeof *added);
	v->added = added;
	for (uint32_t id = 0; id < l->entries.n; id++) {
		const struct entry *e = &l->entries.at[id];
		if (!e->text || (!e->is_added && e->kind != TOKEN_CONTROL)) continue;
		added[v->n_added++] = (struct vocab_added){id, arena_strndup(&v->arena, e->text, e->len)};
	}
}

// Branches: the parts of a tokenizer's files are read in the order in which they override each other; any may be
// refused.
static bool load_tree(struct load *l, const cJSON *root, const struct hf_input *in,
                      const struct vocab_options *given_options, struct vocab *v)
{
	struct vocab_options own = given_options ? *given_options : (struct vocab_options){0}, *o = &own;
	const cJSON *model = hf_member(root, "model");
	struct hf_decoder decoder;
	if (!is_supported(l, root, model) || !hf_decoder_parse(root, l->source, l->d, &decoder) ||
	    !read_model_vocab(l, model) || !read_added_tokens(l, root) || !check_added(l))
		return false;
	if (!l->entries.n) {
		diag_error(l->d, hf_place(l->source, "vocab"), "\"model.vocab\" is empty");
		return false;
	}
	const char *unknown = hf_string(model, "unk_token");
	bool is_added;
	uint32_t id = unknown ? find_token(l, root, unknown, &is_added) : UINT32_MAX;
	if (id != UINT32_MAX) l->entries.at[id].kind = TOKEN_CONTROL;
	if (!read_config(l, root, in->config, in->config_len) || !read_generation(l, in->generation, in->generation_len))
		return false;
	if (!find_named_eos(l, root, o, &v->arena)) return false;
	if (o->n_eos || o->ends == VOCAB_ENDS_NONE) l->eos.n = 0;
	uint32_t *eos = arena_array(&v->arena, l->eos.n, sizeof *eos);
	for (uint32_t i = 0; i < l->eos.n; i++) {
		eos[i] = l->eos.at[i];
		l->entries.at[eos[i]].kind = TOKEN_CONTROL;
	}
	v->n_eos = vocab_sort_eos(eos, l->eos.n), v->eos = eos;
	if (!make_bytes(l, &decoder, v)) return false;
	name_added(l, v);
	vocab_set_name(v, l->source->path);
	vocab_finish(v);
	if (has_double_key(l, v)) return false;
	if (!vocab_override(o, l->d, v)) return false;
	return has_end(l, o, v);
}

bool hf_vocab_parse(const struct hf_input *in, const struct vocab_options *o, struct diag *d, struct vocab *v)
{
	*v = (struct vocab){0};
	cJSON *root = hf_json_parse(in->source, d);
	if (!root) return false;
	struct work_cleanup c;
	work_cleanup(&c, hf_json_delete, root);
	struct load *l = mem_calloc(1, sizeof *l);
	l->source = in->source, l->d = d;
	bool good = load_tree(l, root, in, o, v);
	vec_release(&l->entries), vec_release(&l->added);
	free(l);
	work_cleanup_end(&c);
	cJSON_Delete(root);
	if (!good) vocab_release(v);
	return good;
}
