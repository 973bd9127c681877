// A vocabulary from a file or from memory, whatever its format.
//
// In:   a path, or texts.
// Out:  struct vocab, or errors.
// How:  the first bytes choose the reader: of a compiled vocabulary (gcdv.c), of tokenizer.json and the files beside it
//       (hf_vocab.c), of another engine's format (foreign.c). The text of a source is kept only where a message points
//       into it.
// Cost: the reader's.
#include <sys/stat.h>

#include "../base/file.h"
#include "foreign.h"
#include "hf_vocab.h"

// A source for messages; its text is copied when the first message may point into it (see keep_text).
static struct source *new_source(struct diag *d, const char *path, const char *text, size_t len)
{
	struct source *s = arena_alloc(diag_arena(d), sizeof *s);
	*s = (struct source){.path = arena_strndup(diag_arena(d), path, strlen(path)), .text = text, .len = len};
	return s;
}

static void keep_text(struct source *s, struct diag *d, uint32_t messages_before)
{
	if (d->messages.n > messages_before)
		s->text = arena_strndup(diag_arena(d), s->text, s->len);
	else
		s->text = NULL, s->len = 0;
}

bool vocab_parse(const struct vocab_texts *t, const struct vocab_options *o, struct diag *d, struct vocab *v)
{
	struct source *source = new_source(d, t->path, t->bytes, t->len);
	uint32_t before = d->messages.n;
	struct hf_input in = {.source = source, .config = t->config, .config_len = t->config_len};
	struct work_cleanup c;
	work_cleanup(&c, hf_source_forget, source);
	bool good = hf_vocab_parse(&in, o, d, v);
	keep_text(source, d, before);
	work_cleanup_end(&c);
	return good;
}

// The path of the file `name` beside path, or in the parent when path is in a folder "models"; NULL when there is none.
static char *find_neighbour(const char *path, const char *name, struct arena *arena)
{
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash - path + 1) : 0;
	bool in_models =
		folder >= 7 && !memcmp(path + folder - 7, "models/", 7) && (folder == 7 || path[folder - 8] == '/');
	for (uint32_t up = 0; up < (in_models ? 2u : 1u); up++) {
		char *try = arena_printf(arena, "%.*s%s%s", folder, path, up ? "../" : "", name);
		struct stat s;
		if (stat(try, &s) == 0) return try;
	}
	return NULL;
}

static char *read_neighbour(const char *path, const char *name, struct diag *d, size_t *len, bool *failed)
{
	struct arena arena = {0};
	char *file = find_neighbour(path, name, &arena), *text = file ? vocab_read_file(file, d, len) : NULL;
	*failed = file && !text;
	arena_release(&arena);
	return text;
}

uint32_t vocab_files(const char *path, struct arena *arena, const char *files[VOCAB_MAX_FILES])
{
	uint8_t head[8] = {0};
	uint32_t n = 0;
	const char *why;
	FILE *f = file_open(path, &why);
	size_t got = f ? fread(head, 1, sizeof head, f) : 0;
	if (f) fclose(f);
	files[n++] = path;
	static const char *const neighbours[] = {"tokenizer_config.json", "generation_config.json"};
	for (uint32_t i = 0; i < 2 && !gcdv_is(head, got); i++)
		if ((files[n] = find_neighbour(path, neighbours[i], arena))) n++;
	return n;
}

static bool load_json(const char *path, const struct vocab_options *o, struct diag *d, struct vocab *v)
{
	struct hf_input in = {0};
	size_t len;
	char *json = vocab_read_file(path, d, &len), *config = NULL, *generation = NULL;
	if (!json) return false;
	bool failed = false, good = false;
	config = read_neighbour(path, "tokenizer_config.json", d, &in.config_len, &failed);
	if (!failed) generation = read_neighbour(path, "generation_config.json", d, &in.generation_len, &failed);
	if (!failed) {
		struct source *source = new_source(d, path, json, len);
		uint32_t before = d->messages.n;
		in.source = source, in.config = config, in.generation = generation;
		struct work_cleanup c;
		work_cleanup(&c, hf_source_forget, source);
		good = hf_vocab_parse(&in, o, d, v);
		keep_text(source, d, before);
		work_cleanup_end(&c);
	}
	free(json), free(config), free(generation);
	return good;
}

// By the name of an added token, or the text of a token; n_tokens: there is none.
static token_id find_compiled(const struct vocab *v, const char *name)
{
	size_t len = strlen(name);
	token_id id = 0;
	for (uint32_t i = 0; i < v->n_added; i++)
		if (v->added[i].name && !strcmp(v->added[i].name, name)) return v->added[i].id;
	while (id < v->n_tokens && (v->kind[id] != TOKEN_TEXT || v->offset[id + 1] - v->offset[id] != len ||
	                            memcmp(v->bytes + v->offset[id], name, len) != 0))
		id++;
	return id;
}

// A compiled vocabulary that was written before there were names knows the bytes of text tokens alone.
static bool text_named_eos(const char *path, struct vocab_options *o, const struct vocab *v, struct arena *arena,
                           struct diag *d)
{
	if (!o->n_eos_names) return true;
	uint32_t *ids = arena_array(arena, (size_t)o->n_eos + o->n_eos_names, sizeof *ids), n = o->n_eos;
	if (n) memcpy(ids, o->eos, n * sizeof *ids);
	for (uint32_t i = 0; i < o->n_eos_names; i++) {
		token_id id = find_compiled(v, o->eos_names[i]);
		if (id == v->n_tokens) {
			diag_error(d, (struct loc){0},
			           "\"%s\" is a compiled vocabulary, which does not hold the names of control tokens: give the "
			           "id of \"%s\", or name it when the vocabulary is made (gcdc vocab TOKENIZER --eos '%s')",
			           path, o->eos_names[i], o->eos_names[i]);
			return false;
		}
		ids[n++] = id;
	}
	o->eos = ids, o->n_eos = n;
	return true;
}

static bool finish_compiled(const char *path, const struct vocab_options *o, struct diag *d, struct vocab *v)
{
	struct vocab_options own = o ? *o : (struct vocab_options){0};
	struct arena arena = {0};
	struct work_cleanup c;
	work_cleanup(&c, vocab_unmap, v);
	bool good = text_named_eos(path, &own, v, &arena, d) && vocab_override(&own, d, v);
	work_cleanup_end(&c);
	arena_release(&arena);
	if (!good) vocab_release(v);
	return good;
}

static bool load_foreign(enum foreign_kind kind, const char *path, const struct vocab_options *o, struct diag *d,
                         struct vocab *v)
{
	size_t len;
	char *text = vocab_read_file(path, d, &len);
	if (!text) return false;
	struct source *source = new_source(d, path, text, len);
	uint32_t before = d->messages.n;
	bool good = foreign_load(kind, source, o, d, v);
	keep_text(source, d, before);
	free(text);
	return good;
}

bool vocab_load(const char *path, const struct vocab_options *o, struct diag *d, struct vocab *v)
{
	uint8_t head[FILE_FOREIGN_BYTES] = {0};
	const char *why, *foreign;
	*v = (struct vocab){0};
	FILE *f = file_open(path, &why);
	size_t n = f ? fread(head, 1, sizeof head, f) : 0;
	if (f) fclose(f);
	enum foreign_kind kind = gcdv_is(head, n) ? FOREIGN_NONE : foreign_kind(head, n);
	if (kind) return load_foreign(kind, path, o, d, v);
	if (!gcdv_is(head, n) && (foreign = file_foreign(head, n))) {
		diag_error(d, (struct loc){0}, "\"%s\" is no tokenizer.json: this is %s", path, foreign);
		return false;
	}
	if (!gcdv_is(head, n)) return load_json(path, o, d, v);
	if (!gcdv_map(path, d, v)) return false;
	return finish_compiled(path, o, d, v);
}

bool vocab_load_memory(const struct vocab_texts *t, const struct vocab_options *o, struct diag *d, struct vocab *v)
{
	const void *bytes = t->bytes;
	const size_t len = t->len;
	enum foreign_kind kind =
		gcdv_is(bytes, len) ? FOREIGN_NONE : foreign_kind(bytes, len < FOREIGN_HEAD ? len : FOREIGN_HEAD);
	const char *foreign = kind || gcdv_is(bytes, len) ? NULL : file_foreign(bytes, len);
	*v = (struct vocab){0};
	if (foreign) {
		diag_error(d, (struct loc){0}, "\"%s\" is no tokenizer.json: this is %s", t->path, foreign);
		return false;
	}
	if (kind) {
		struct source *source = new_source(d, t->path, bytes, len);
		uint32_t before = d->messages.n;
		bool good = foreign_load(kind, source, o, d, v);
		keep_text(source, d, before);
		return good;
	}
	if (!gcdv_is(bytes, len)) return vocab_parse(t, o, d, v);
	return vocab_open_memory(bytes, len, d, v) && finish_compiled(t->path, o, d, v);
}
