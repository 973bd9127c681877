// Canonical tables for compile and vocab.
//
// In:  the tokenizer as it was given, its vocabulary. Out: sections with the mode set.
// A compiled vocabulary brings them along (gcdc vocab --canonical); from a tokenizer.json they are made.
#include "canonical_option.h"

#include "cli.h"
#include "tokenizer_path.h"

int canonical_mode(const char *text)
{
	static const char *const names[] = {"off", "soft", "hard"};
	for (int i = 0; i < 3; i++)
		if (!text || !strcmp(text, names[i])) return text ? i : CANON_OFF;
	return -1;
}

static int build(const char *command, const char *given, const struct vocab *v, struct canonical_option *o)
{
	struct diag d = {0};
	struct arena arena = {0};
	const char *path = given ? tokenizer_file(command, given, &arena) : NULL;
	int code = given && !path ? CODE_IO : CODE_OK;
	size_t len = path ? strlen(path) : 0;
	if (!code && len > 5 && !strcmp(path + len - 5, ".gcdv"))
		code =
			cli_error(CODE_DATA, command, "%s has no canonical tables; make it anew with gcdc vocab --canonical", path);
	if (!code) {
		struct encoder *e = given ? encoder_load(path, &d) : encoder_load_default(&d);
		if (!e || !canonical_build(e, v, &d, &o->tables, &o->stats)) code = CODE_DATA;
		encoder_free(e);
	}
	fflush(stdout);
	diag_print(&d, stderr);
	diag_release(&d);
	arena_release(&arena);
	return code;
}

int canonical_load(const char *command, const char *given, const struct vocab *v, enum canon_mode mode,
                   struct canonical_option *o)
{
	*o = (struct canonical_option){0};
	if (v->n_canonical) {
		const char *broken = canonical_check(v->canonical, v->n_tokens);
		if (broken) return cli_error(CODE_DATA, command, "%s: the canonical tables are damaged: %s", given, broken);
		memcpy(o->section, v->canonical, sizeof o->section);
		o->n = v->n_canonical;
	} else {
		int code = build(command, given, v, o);
		if (code) return code;
		o->n = canonical_sections(&o->tables, o->section);
	}
	memcpy(&o->info, o->section[0].bytes, sizeof o->info);
	o->info.mode = mode;
	o->section[0].bytes = &o->info;
	return CODE_OK;
}

void canonical_option_release(struct canonical_option *o)
{
	canonical_release(&o->tables);
	*o = (struct canonical_option){0};
}
