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
		cli_error(CODE_IO, command, "%s: a folder without a tokenizer.json (%s)", given, strerror(errno));
		return NULL;
	}
	return cli_readable(command, given) ? given : NULL;
}

int tokenizer_load(const char *command, const char *given, const struct vocab_options *o, struct vocab *v)
{
	struct arena arena = {0};
	struct diag d = {0};
	int code = CODE_OK;
	*v = (struct vocab){0};
	const char *path = given ? tokenizer_file(command, given, &arena) : NULL;
	if (given && !path) code = CODE_IO;
	else if (!(given ? vocab_load(path, o, &d, v) : vocab_load_default(o, &d, v))) code = CODE_DATA;
	fflush(stdout);
	diag_print(&d, stderr);
	diag_release(&d);
	arena_release(&arena);
	return code;
}
