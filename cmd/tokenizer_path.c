// From what --tokenizer says to a vocabulary.
//
// In:  a path or NULL. Out: struct vocab. A folder means the tokenizer.json in it.
#include "tokenizer_path.h"

#include <errno.h>
#include <sys/stat.h>

#include "cli.h"

const char *tokenizer_file(const char *command, const char *given, struct arena *arena)
{
	struct stat s;
	if (!stat(given, &s) && S_ISDIR(s.st_mode)) {
		size_t len = strlen(given);
		while (len > 1 && given[len - 1] == '/') len--;
		const char *path = arena_printf(arena, "%.*s/tokenizer.json", (int)len, given);
		if (!stat(path, &s)) return cli_readable(command, path) ? path : NULL;
		cli_error(CODE_IO, command, "the folder %s has no tokenizer.json (%s)", given, strerror(errno));
		if (!stat(arena_printf(arena, "%.*s/models/tokenizer.json", (int)len, given), &s))
			cli_note(command, "there is one in %.*s/models", (int)len, given);
		return NULL;
	}
	return cli_readable(command, given) ? given : NULL;
}

int tokenizer_options(const char *command, const struct token_options *eos, bool no_eos, const struct number *size,
                      struct vocab_options *o)
{
	*o = (struct vocab_options){.eos = eos->at,
	                            .n_eos = eos->n,
	                            .eos_names = eos->names,
	                            .n_eos_names = eos->n_names,
	                            .vocab_size = (uint32_t)size->value,
	                            .ends = no_eos ? VOCAB_ENDS_NONE : VOCAB_ENDS_NEEDED};
	if (no_eos && eos->n + eos->n_names) return cli_error(CODE_USAGE, command, "--eos and --no-eos exclude each other");
	return CODE_OK;
}

// The same with its messages in d instead of printed.
static int tokenizer_load_into(const char *command, const char *given, const struct vocab_options *o, struct diag *d,
                               struct vocab *v)
{
	struct arena arena = {0};
	int code = CODE_OK;
	*v = (struct vocab){0};
	const char *path = given ? tokenizer_file(command, given, &arena) : NULL;
	if (given && !path)
		code = CODE_IO;
	else if (!(given ? vocab_load(path, o, d, v) : vocab_load_default(o, d, v)))
		code = CODE_DATA;
	arena_release(&arena);
	return code;
}

int tokenizer_load(const char *command, const char *given, const struct vocab_options *o, struct vocab *v)
{
	struct diag d = {0};
	int code = tokenizer_load_into(command, given, o, &d, v);
	fflush(stdout);
	diag_print(&d, stderr);
	diag_release(&d);
	return code;
}

bool tokenizer_provenance(const char *command, const char *path, struct arena *arena, provenance_list *files)
{
	struct diag d = {0};
	bool ok = provenance_tokenizer(path, arena, files, &d);
	if (!ok) cli_error(CODE_IO, command, "%s", d.messages.at[0].text);
	diag_release(&d);
	return ok;
}
