// Vocabularies of <gcdc/compile.h>: opened once, then only read.
//
// In:  a path, the bytes of a file, or tokens. Out: gcdc_vocab: struct vocab, tables of canonical tokenization if asked
// for, what it was made from if asked for. Cost: vocab_load's; canonical_build's; SHA-256 of the files.
#include <errno.h>
#include <sys/stat.h>

#include "../base/file.h"
#include "api.h"
#include "standard_rows.h"
#include "provenance.h"

struct opening {
	struct call call;
	const gcdc_vocab_options *o;
	const char *path;  // NULL: built in, or from memory
	const void *bytes;
	size_t len;
	const gcdc_token *tokens;  // n of them
	size_t n;
	gcdc_vocab *out;
};

static const gcdc_vocab_options defaults;

static bool ends_with(const char *text, const char *ending)
{
	size_t n = strlen(text), m = strlen(ending);
	return n >= m && !strcmp(text + n - m, ending);
}

// A folder means the tokenizer.json in it. NULL with an error.
static const char *file_of(struct opening *x, struct arena *a)
{
	struct stat s;
	const char *why, *path = x->path;
	if (!stat(path, &s) && S_ISDIR(s.st_mode)) {
		size_t len = strlen(path);
		while (len > 1 && path[len - 1] == '/') len--;
		path = arena_printf(a, "%.*s/tokenizer.json", (int)len, x->path);
		if (stat(path, &s)) {
			call_error(&x->call, GCDC_ERR_IO, "the folder %s has no tokenizer.json (%s)", x->path, strerror(errno));
			return NULL;
		}
	}
	FILE *f = file_open(path, &why);
	if (f) {
		fclose(f);
		return path;
	}
	call_error(&x->call, GCDC_ERR_IO, "%s: %s", path, why);
	return NULL;
}

// Branches: one refusal for each limit that a caller's tokens may pass.
static bool build_tokens(struct opening *x, struct vocab *v)
{
	const gcdc_vocab_options *o = x->o;
	uint64_t total = 0;
	uint32_t n = (uint32_t)x->n, all = o->vocab_size > n ? o->vocab_size : n;
	struct call *c = &x->call;
	if (x->n > VOCAB_MAX_TOKENS || all > VOCAB_MAX_TOKENS)
		return call_error(c, GCDC_ERR_VOCAB, "%zu tokens are given; the limit (VOCAB_MAX_TOKENS) is %u",
		                  x->n > all ? x->n : all, VOCAB_MAX_TOKENS),
		       false;
	if (o->n_eos_names)
		return call_error(c, GCDC_ERR_VOCAB, "tokens given as bytes have no names: give the ids that end a text"),
		       false;
	if (!o->n_eos && !o->no_eos)
		return call_error(c, GCDC_ERR_VOCAB, "no token ends a text: give the ids that do, or say that there are none"),
		       false;
	if (o->n_eos > VOCAB_MAX_EOS)
		return call_error(c, GCDC_ERR_VOCAB, "%zu EOS ids are given; the limit (VOCAB_MAX_EOS) is %u", o->n_eos,
		                  VOCAB_MAX_EOS),
		       false;
	for (size_t i = 0; i < o->n_eos; i++)
		if (o->eos[i] >= all)
			return call_error(c, GCDC_ERR_VOCAB, "EOS id %u is not in the vocabulary, whose ids are 0 to %u", o->eos[i],
			                  all ? all - 1 : 0),
			       false;
	const uint8_t **bytes = mem_calloc(all, sizeof *bytes);
	uint32_t *len = mem_calloc(all, sizeof *len);
	uint8_t *kind = mem_calloc(all, 1);
	for (uint32_t t = 0; t < n; t++) {
		const gcdc_token *k = &x->tokens[t];
		kind[t] = k->kind == GCDC_TOKEN_TEXT      ? TOKEN_TEXT
		          : k->kind == GCDC_TOKEN_CONTROL ? TOKEN_CONTROL
		                                          : TOKEN_UNUSED;
		if (kind[t] != TOKEN_TEXT) continue;
		if (k->len > VOCAB_MAX_TOKEN_LEN || (k->len && !k->bytes) || (total += k->len) > VOCAB_MAX_BYTES)
			return call_error(c, GCDC_ERR_VOCAB,
			                  "token %u has %zu bytes; the limits are %u for one (VOCAB_MAX_TOKEN_LEN) and %u for all "
			                  "(VOCAB_MAX_BYTES)",
			                  t, k->len, VOCAB_MAX_TOKEN_LEN, VOCAB_MAX_BYTES),
			       false;
		bytes[t] = k->bytes, len[t] = (uint32_t)k->len;
	}
	vocab_build(&(struct vocab_tokens){all, bytes, len, kind, o->no_eos ? 0 : (uint32_t)o->n_eos, o->eos}, v);
	free(bytes), free(len), free(kind);
	return true;
}

static bool make_canonical(struct opening *x, const char *file, gcdc_vocab *out)
{
	if (out->v.n_canonical) return true;
	struct diag *d = &x->call.d;
	size_t default_len;
	const char *json = NULL;
	struct encoder *e = NULL;
	if (x->tokens || (file && ends_with(file, ".gcdv")) || (x->bytes && vocab_is_compiled(x->bytes, x->len)))
		call_error(&x->call, GCDC_ERR_CANONICAL,
		           "tables of canonical tokenization are made from a tokenizer.json, or lie in a .gcdv (gcdc vocab "
		           "--canonical)");
	else if (x->bytes)
		e = encoder_parse("<memory>", x->bytes, x->len, d);
	else if (file)
		e = encoder_load(file, d);
	else if ((json = vocab_default_json(&default_len)))
		e = encoder_parse("<default>", json, default_len, d);
	bool ok = e && canonical_build(e, &out->v, d, &out->tables, NULL);
	encoder_free(e);
	return ok;
}

static bool note_origin(struct opening *x, const char *file, gcdc_vocab *out)
{
	provenance_list files = {0};
	bool ok = true;
	if (out->v.origin) {
		out->origin = out->v.origin;
		return true;
	}
	if (x->tokens)
		return call_error(&x->call, GCDC_ERR_ARGUMENT,
		                  "tokens given as bytes come from no file: their provenance cannot be noted"),
		       false;
	if (x->bytes)
		provenance_file(ROLE_TOKENIZER, "tokenizer.json", x->bytes, x->len, &out->arena, &files);
	else
		ok = provenance_tokenizer(file, &out->arena, &files, &x->call.d);
	if (ok) out->origin = provenance_origin(&out->arena, &files, "");
	vec_release(&files);
	return ok;
}

// Branches: a vocabulary comes from tokens, bytes, a file or the built-in one; what options add follows, and any may
// fail.
static void run_open(void *context)
{
	struct opening *x = context;
	const gcdc_vocab_options *o = x->o;
	const struct vocab_options options = {.eos = o->eos,
	                                      .n_eos = (uint32_t)o->n_eos,
	                                      .eos_names = o->eos_names,
	                                      .n_eos_names = (uint32_t)o->n_eos_names,
	                                      .vocab_size = o->vocab_size,
	                                      .ends = o->no_eos ? VOCAB_ENDS_NONE : VOCAB_ENDS_NEEDED};
	struct diag *d = &x->call.d;
	call_phase(&x->call, "vocabulary", GCDC_ERR_VOCAB);
	call_stage(&x->call, "vocabulary");
	gcdc_vocab *out = mem_calloc(1, sizeof *out);
	const char *file = x->path ? file_of(x, &out->arena) : NULL;
	bool ok = !x->path || file;
	if (ok)
		ok = x->tokens ? build_tokens(x, &out->v)
		     : x->bytes
		         ? vocab_load_memory(&(struct vocab_texts){"<memory>", x->bytes, x->len, o->config, o->config_len},
		                             &options, d, &out->v)
		     : file ? vocab_load(file, &options, d, &out->v)
		            : vocab_load_default(&options, d, &out->v);
	struct work_cleanup c;
	work_cleanup(&c, vocab_unmap, &out->v);
	if (ok && o->canonical) call_stage(&x->call, "canonical"), ok = make_canonical(x, file, out);
	if (ok && o->provenance) ok = note_origin(x, file, out);
	const char *broken = ok && out->v.n_canonical ? canonical_check(out->v.canonical, out->v.n_tokens) : NULL;
	if (broken) call_error(&x->call, GCDC_ERR_VOCAB, "the canonical tables are damaged: %s", broken), ok = false;
	if (ok && out->v.n_canonical) {
		out->n_canonical = out->v.n_canonical;
		memcpy(out->canonical, out->v.canonical, sizeof out->canonical);
	} else if (ok && o->canonical) {
		out->n_canonical = canonical_sections(&out->tables, out->canonical);
	}
	if (!ok) work_fail();
	work_cleanup_end(&c);
	x->out = out;
}

static gcdc_status open_any(struct opening *x, const gcdc_vocab_options *o, gcdc_vocab **vocab,
                            gcdc_diagnostics **diagnostics)
{
	if (vocab) *vocab = NULL;
	if (diagnostics) *diagnostics = NULL;
	if (!o) o = &defaults;
	if (!vocab || (o->n_eos && !o->eos) || (o->n_eos_names && !o->eos_names) || (o->config_len && !o->config) ||
	    o->n_eos > VOCAB_MAX_EOS || o->n_eos_names > VOCAB_MAX_EOS)
		return GCDC_ERR_ARGUMENT;
	x->o = o;
	const struct call_limits limits = {.max_seconds = o->max_seconds, .max_memory = o->max_memory, .cancel = o->cancel};
	gcdc_status status = call_run(&x->call, &limits, run_open, x);
	if (status) x->out = NULL;  // freed
	status = call_end(&x->call, status, diagnostics);
	if (status)
		gcdc_vocab_close(x->out);
	else
		*vocab = x->out;
	mem_keep_freed();  // for the compilations to come
	return status;
}

gcdc_status gcdc_vocab_open(const char *path, const gcdc_vocab_options *options, gcdc_vocab **vocab,
                            gcdc_diagnostics **diagnostics)
{
	return open_any(&(struct opening){.path = path}, options, vocab, diagnostics);
}

gcdc_status gcdc_vocab_open_memory(const void *bytes, size_t len, const gcdc_vocab_options *options, gcdc_vocab **vocab,
                                   gcdc_diagnostics **diagnostics)
{
	return open_any(&(struct opening){.bytes = bytes ? bytes : "", .len = bytes ? len : 0}, options, vocab,
	                diagnostics);
}

gcdc_status gcdc_vocab_from_tokens(const gcdc_token *tokens, size_t n, const gcdc_vocab_options *options,
                                   gcdc_vocab **vocab, gcdc_diagnostics **diagnostics)
{
	static const gcdc_token none;
	return open_any(&(struct opening){.tokens = tokens ? tokens : &none, .n = tokens ? n : 0}, options, vocab,
	                diagnostics);
}

void gcdc_vocab_close(gcdc_vocab *v)
{
	if (!v) return;
	canonical_release(&v->tables);
	vocab_release(&v->v);
	arena_release(&v->arena);
	free(v);
}

uint32_t gcdc_vocab_size(const gcdc_vocab *v) { return v->v.n_tokens; }

const uint32_t *gcdc_vocab_eos(const gcdc_vocab *v, uint32_t *n)
{
	*n = v->v.n_eos;
	return v->v.eos;
}

const uint8_t *gcdc_vocab_token(const gcdc_vocab *v, uint32_t token, uint32_t *len)
{
	*len = 0;
	if (token >= v->v.n_tokens) return NULL;
	*len = v->v.offset[token + 1] - v->v.offset[token];
	return v->v.bytes + v->v.offset[token];
}

void gcdc_vocab_hash(const gcdc_vocab *v, uint64_t hash[2]) { memcpy(hash, v->v.hash, sizeof v->v.hash); }

gcdc_status gcdc_vocab_find(const gcdc_vocab *v, const char *name, uint32_t *token)
{
	if (!v || !name || !token) return GCDC_ERR_ARGUMENT;
	for (uint32_t i = 0; i < v->v.n_added; i++) {
		const struct vocab_added *a = &v->v.added[i];
		if (!a->name || strcmp(a->name, name) != 0) continue;
		*token = a->id;
		return GCDC_OK;
	}
	return GCDC_ERR_VOCAB;
}

gcdc_status gcdc_matcher_set_stop_names(gcdc_matcher *m, const gcdc_vocab *v, const char *const *names, size_t n)
{
	if (!m || !v || (n && !names)) return GCDC_ERR_ARGUMENT;
	gcdc_info info;
	gcdc_artifact_info(gcdc_matcher_artifact(m), &info);
	if (memcmp(info.vocab_hash, v->v.hash, sizeof info.vocab_hash) != 0) return GCDC_ERR_VOCAB;
	uint32_t *tokens = n <= SIZE_MAX / sizeof *tokens ? malloc((n ? n : 1) * sizeof *tokens) : NULL;
	gcdc_status status = tokens ? GCDC_OK : GCDC_ERR_MEMORY;
	for (size_t i = 0; i < n && !status; i++) status = gcdc_vocab_find(v, names[i], &tokens[i]);
	if (!status) status = gcdc_matcher_set_stop_tokens(m, tokens, n);
	free(tokens);
	return status;
}

const char *gcdc_vocab_name(const gcdc_vocab *v) { return v->v.name ? v->v.name : ""; }

struct writing {
	struct call call;
	const gcdc_vocab *v;
	const char *path;
};

static void run_write(void *context)
{
	struct writing *x = context;
	struct vocab v = x->v->v;  // with what was made for it
	struct arena arena = {0};
	call_phase(&x->call, "file", GCDC_ERR_IO);
	call_stage(&x->call, "write");
	v.n_canonical = x->v->n_canonical;
	memcpy(v.canonical, x->v->canonical, sizeof v.canonical);
	v.origin = x->v->origin;
	standard_rows(&v, &arena);
	(void)vocab_write(&v, x->path, &x->call.d);
	arena_release(&arena);
}

gcdc_status gcdc_vocab_write(const gcdc_vocab *vocab, const char *path, gcdc_diagnostics **diagnostics)
{
	struct writing x = {.v = vocab, .path = path};
	if (diagnostics) *diagnostics = NULL;
	if (!vocab || !path) return GCDC_ERR_ARGUMENT;
	gcdc_status status = call_run(&x.call, &(struct call_limits){0}, run_write, &x);
	return call_end(&x.call, status, diagnostics);
}
