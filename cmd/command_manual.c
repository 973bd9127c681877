// gcdc manual: manual pages and shell completions.
//
// In:  the table of commands. Out: man pages and scripts, on stdout or as a tree of files that an installation copies.
// Each command is run with --help, and its table comes here instead of being printed: what a command accepts is written
// down once.
#include "manual.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/file.h"

#define ME "manual"

// What to do with the table of the command that is asked; options_printer has no argument for it.
static struct {
	FILE *out;
	const struct command *command;
	enum shell shell;  // N_SHELLS: a page
	bool came;
} asked;

static void take_usage(const struct usage *u)
{
	asked.came = true;
	if (asked.shell == N_SHELLS)
		manual_page(asked.out, asked.command, u, NULL, 0);
	else
		completion_command(asked.out, asked.shell, asked.command, u);
}

static void ask(FILE *out, const struct command *c, enum shell shell)
{
	char name[64], help[] = "--help";
	snprintf(name, sizeof name, "%s", c->name);
	char *argv[] = {name, help, NULL};
	asked.out = out, asked.command = c, asked.shell = shell, asked.came = false;
	options_printer = take_usage;
	c->run(2, argv);
	options_printer = NULL;
	ASSERT(asked.came);  // the command read its options by a table
}

static void write_completion(FILE *out, enum shell shell, const struct command *all, uint32_t n)
{
	completion_begin(out, shell, all, n);
	for (uint32_t i = 0; i < n; i++) ask(out, &all[i], shell);
	completion_end(out, shell);
}

static void write_page(FILE *out, const struct command *c, const struct command *all, uint32_t n)
{
	if (c)
		ask(out, c, N_SHELLS);
	else
		manual_page(out, NULL, NULL, all, n);
}

struct text {
	char *at;
	size_t len;
	FILE *f;
};

static bool finish(struct text *t, const char *path, struct diag *d)
{
	fclose(t->f);
	bool ok = file_update(path, t->at, t->len, NULL, d);
	free(t->at);
	return ok;
}

static void begin(struct text *t)
{
	*t = (struct text){0};
	t->f = text_stream(&t->at, &t->len);
}

static int write_tree(const char *folder, const struct command *all, uint32_t n)
{
	static const char *const folders[] = {"", "/man1", "/bash", "/zsh", "/fish"};
	static const char *const files[N_SHELLS] = {
		[SHELL_BASH] = "bash/gcdc", [SHELL_ZSH] = "zsh/_gcdc", [SHELL_FISH] = "fish/gcdc.fish"};
	struct arena arena = {0};
	struct diag d = {0};
	bool ok = true;
	for (size_t i = 0; i < sizeof folders / sizeof *folders && ok; i++) {
		const char *path = arena_printf(&arena, "%s%s", folder, folders[i]);
		if (mkdir(path, 0777) && errno != EEXIST)
			diag_error(&d, (struct loc){0}, "cannot make the folder %s: %s", path, strerror(errno)), ok = false;
	}
	for (uint32_t i = 0; i <= n && ok; i++) {
		struct text t;
		begin(&t);
		write_page(t.f, i < n ? &all[i] : NULL, all, n);
		ok = finish(&t,
		            i < n ? arena_printf(&arena, "%s/man1/gcdc-%s.1", folder, all[i].name)
		                  : arena_printf(&arena, "%s/man1/gcdc.1", folder),
		            &d);
	}
	for (int s = 0; s < N_SHELLS && ok; s++) {
		struct text t;
		begin(&t);
		write_completion(t.f, (enum shell)s, all, n);
		ok = finish(&t, arena_printf(&arena, "%s/%s", folder, files[s]), &d);
	}
	diag_print(&d, stderr);
	diag_release(&d);
	arena_release(&arena);
	return ok ? CODE_OK : CODE_IO;
}

int command_manual(int argc, char **argv)
{
	const char *name = NULL, *shell = NULL, *folder = NULL;
	const struct positional positionals[] = {
		{"COMMAND", POSITIONAL_OPTIONAL, &name, "the page of this command (default: of gcdc itself)"},
	};
	const struct option_spec options[] = {
		CHOICE_OPTION("completion", &shell, "bash|zsh|fish", "completions for this shell instead of a page"),
		FILE_OPTION("output", &folder, "FOLDER", "all pages and completions, as a tree of files", .letter = 'o'),
	};
	const struct usage usage =
		USAGE(ME, "Prints a manual page (man(7) source) or shell completions.", positionals, options,
	          "gcdc manual compile | man -l -\nsource <(gcdc manual --completion bash)");
	int code;
	if (!options_read(&usage, argc, argv, &code)) return code;
	uint32_t n;
	const struct command *all = cli_commands(&n), *command = NULL;
	if (folder) return write_tree(folder, all, n);
	for (int s = 0; s < N_SHELLS; s++)
		if (shell && !strcmp(shell, shell_name[s])) write_completion(stdout, (enum shell)s, all, n);
	if (shell) return CODE_OK;
	for (uint32_t i = 0; i < n; i++)
		if (name && !strcmp(all[i].name, name)) command = &all[i];
	if (name && !command) return cli_error(CODE_USAGE, ME, "there is no command '%s'; 'gcdc --help' shows them", name);
	write_page(stdout, command, all, n);
	return CODE_OK;
}
