// gcdc: the program. Picks a subcommand from the table; everything else is in command_*.c.
//
// In:  argv. Out: an exit code of cli.h. What a command prints is complete on stdout, or the code says that it is not.
#include "cli.h"
#include "options.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

static const struct command commands[] = {
	{"build", "a manifest's grammars and tokenizers become artifacts", command_build},
	{"compile", "a grammar, schema, regex or list of tools becomes an artifact", command_compile},
	{"check", "does the artifact accept these files?", command_check},
	{"mask", "what may come after this text?", command_mask},
	{"close", "the fewest tokens that complete this text", command_close},
	{"sample", "random texts that the artifact allows", command_sample},
	{"bench", "how long masks take, measured on these files", command_bench},
	{"inspect", "what is in an artifact, table by table", command_inspect},
	{"why", "why is this token allowed here, or not?", command_why},
	{"verify", "is the artifact whole, and made from these files?", command_verify},
	{"step", "a walk through the masks, typed line by line", command_step},
	{"diff", "what changed from one artifact to another", command_diff},
	{"vocab", "a tokenizer becomes a compiled vocabulary", command_vocab},
	{"bundle", "a folder of artifacts becomes an OCI artifact, for a registry", command_bundle},
	{"manual", "manual pages and shell completions", command_manual},
};
#define N_COMMANDS (sizeof commands / sizeof *commands)

const struct command *cli_commands(uint32_t *n)
{
	*n = N_COMMANDS;
	return commands;
}

static void print_help(FILE *out)
{
	fputs("gcdc compiles a grammar or schema into exact token masks for constrained decoding.\n\n"
	      "usage: gcdc COMMAND ...\n\n",
	      out);
	for (size_t i = 0; i < N_COMMANDS; i++) fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].summary);
	fputs("\n'gcdc COMMAND --help' tells what a command accepts; 'gcdc --version' the version.\n\n"
	      "A first try, with the tokenizer that is built in:\n"
	      "  gcdc compile grammars/json/json.lark -o json.gcdc\n"
	      "  gcdc mask json.gcdc --prefix '{\"a\": '\n\n"
	      "Exit codes: 0 done; 1 the answer is no (a text was refused); 2 wrong command line;\n"
	      "65 wrong input (grammar, tokenizer, artifact); 70 an internal error, or no memory;\n"
	      "74 a file cannot be opened, read or written.\n",
	      out);
}

static int run(int argc, char **argv)
{
	if (argc < 2) {
		print_help(stderr);
		return CODE_USAGE;
	}
	const char *name = argv[1];
	if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
		print_help(stdout);
		return CODE_OK;
	}
	if (!strcmp(name, "--version")) {
		puts("gcdc " GCDC_VERSION);
		return CODE_OK;
	}
	const char *names[N_COMMANDS];
	for (size_t i = 0; i < N_COMMANDS; i++) {
		if (!strcmp(name, commands[i].name)) return commands[i].run(argc - 1, argv + 1);
		names[i] = commands[i].name;
	}
	const char *guess = options_guess(name, names, (uint32_t)N_COMMANDS);
	fprintf(stderr, "gcdc: error: there is no command '%s'", name);
	if (guess) fprintf(stderr, "; did you mean '%s'?", guess);
	fputs("\nRun 'gcdc --help' for the commands.\n", stderr);
	return CODE_USAGE;
}

struct call {
	int argc;
	char **argv;
	int code;
};

static void run_call(void *context)
{
	struct call *c = context;
	c->code = run(c->argc, c->argv);
}

// Where memory runs out outside of what a command guards itself.
static int run_or_say(int argc, char **argv)
{
	struct call c = {argc, argv, CODE_INTERNAL};
	struct work_result r;
	if (!work_run(NULL, run_call, &c, &r)) fputs("gcdc: error: out of memory\n", stderr);
	return c.code;
}

// ASSERT has said what is wrong; the exit code is the documented one.
static void on_abort(int signal_number)
{
	(void)signal_number;
	_exit(CODE_INTERNAL);
}

int main(int argc, char **argv)
{
	signal(SIGABRT, on_abort);
	signal(SIGXFSZ, SIG_IGN);  // a file over the process's limit is a write that fails, not the process's end
	int code = run_or_say(argc, argv);
	errno = 0;
	if ((fflush(stdout) || ferror(stdout)) && code != CODE_IO) {
		fprintf(stderr, "gcdc: error: standard output: %s\n", errno ? strerror(errno) : "cannot be written");
		code = CODE_IO;
	}
	return code;
}
