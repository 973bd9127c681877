// A text in some notation -> struct grammar, as one call. See notation.h.
#include "notation.h"

#include "../base/file.h"
#include "pieces.h"

#include <errno.h>

const char *const notation_name[N_NOTATIONS] = {"lark", "gbnf", "ebnf", "choice", "structural-tag"};

enum notation notation_of_path(const char *path)
{
	static const char *const end[N_NOTATIONS] = {".lark", ".gbnf", ".ebnf", ".choice.json", ".structural_tag.json"};
	size_t len = strlen(path);
	for (uint32_t n = 0; n < N_NOTATIONS; n++) {
		size_t k = strlen(end[n]);
		if (len > k && strcmp(path + len - k, end[n]) == 0) return (enum notation)n;
	}
	return N_NOTATIONS;
}

enum notation notation_named(const char *name)
{
	uint32_t n = 0;
	while (n < N_NOTATIONS && strcmp(notation_name[n], name) != 0) n++;
	return (enum notation)n;
}

struct notation_job {
	enum notation notation;
	const char *path, *text;  // text NULL: what the file at path holds
	size_t len;
	const struct grammar_options *o;
	struct diag *d;
	struct grammar g;
	bool ok;
};

static struct source *source_of(struct notation_job *x)
{
	struct arena *a = diag_arena(x->d);
	struct source *s = arena_alloc(a, sizeof *s);
	s->path = arena_strndup(a, x->path, strlen(x->path));
	if (x->text && x->len <= NOTATION_MAX_BYTES) {
		s->text = arena_strndup(a, x->text, x->len), s->len = x->len;
		return s;
	}
	char *bytes;
	errno = EFBIG;
	if (x->text || !file_read(x->path, NOTATION_MAX_BYTES, &bytes, &s->len)) {
		if (errno == EFBIG)
			diag_error(x->d, (struct loc){0}, "%s is longer than %u bytes (NOTATION_MAX_BYTES)", x->path,
			           NOTATION_MAX_BYTES);
		else
			diag_error(x->d, (struct loc){0}, "cannot read %s: %s", x->path, strerror(errno));
		return NULL;
	}
	s->text = arena_strndup(a, bytes, s->len);
	free(bytes);
	return s;
}

static void run_reading(void *context)
{
	struct notation_job *x = context;
	work_stage("grammar");
	struct source *s = source_of(x);
	if (!s) return;
	if (x->o && x->o->sources) {
		if (!x->o->sources->at) x->o->sources->at = mem_keep(8 * sizeof *x->o->sources->at), x->o->sources->cap = 8;
		vec_push(x->o->sources, s);
	}
	size_t bad = utf8_invalid(s->text, s->len);
	const char *nul = memchr(s->text, 0, s->len);
	if (bad < s->len || nul) {
		size_t at = bad < s->len ? bad : (size_t)(nul - s->text);
		diag_error(x->d, (struct loc){s, (uint32_t)at, 1}, "this is not text in UTF-8 (byte 0x%02X)",
		           (uint8_t)s->text[at]);
		return;
	}
	struct notation_rules r = {.diag = x->d, .source = s, .control = x->o ? x->o->control : NULL};
	const char *start = x->o ? x->o->start : NULL;
	if (x->notation == NOTATION_GBNF)
		x->ok = gbnf_read(&r, start);
	else if (x->notation == NOTATION_EBNF)
		x->ok = ebnf_read(&r, start);
	else if (x->notation == NOTATION_TOOLS)
		x->ok = tools_read(&r, x->o->tools);
	else if (x->notation == NOTATION_STRUCTURAL_TAG)
		x->ok = structural_tag_read(&r);
	else
		x->ok = choice_read(&r);
	x->ok = x->ok && scannerless_grammar(&r, &x->g);
	pieces_release(&r);
}

static bool read_in_work(struct notation_job *x, struct grammar *g)
{
	struct work_result r;
	bool done = work_run(NULL, run_reading, x, &r);
	if (!done)
		diag_given_up(x->d, &r, "lower the bounds of its repetitions, or make its rules differ in how they begin");
	*g = done && x->ok ? x->g : (struct grammar){0};
	return done && x->ok;
}

bool notation_load(enum notation n, const char *path, const struct grammar_options *o, struct diag *d,
                   struct grammar *g)
{
	if (n == NOTATION_LARK) return grammar_load(path, o, d, g);
	return read_in_work(&(struct notation_job){.notation = n, .path = path, .o = o, .d = d}, g);
}

bool notation_parse(enum notation n, struct notation_text text, const struct grammar_options *o, struct diag *d,
                    struct grammar *g)
{
	if (n == NOTATION_LARK) return grammar_parse(text.path, text.at, text.len, o, d, g);
	struct notation_job in = {
		.notation = n, .path = text.path, .text = text.at ? text.at : "", .len = text.len, .o = o, .d = d};
	return read_in_work(&in, g);
}
