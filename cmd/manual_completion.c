// The tables of all commands as completions for bash, zsh and fish.
//
// In:  struct usage of each command. Out: a script that completes commands, options, choices and files.
#include "manual.h"

const char *const shell_name[N_SHELLS] = {[SHELL_BASH] = "bash", [SHELL_ZSH] = "zsh", [SHELL_FISH] = "fish"};

// On one line, in what single quotes can hold in all three shells; `special` gets a backslash.
static void put_quoted(FILE *out, const char *text, const char *special)
{
	for (const char *c = text; *c; c++) {
		if (*c == '\'') {
			fputs("\xE2\x80\x99", out);
			continue;
		}
		if (strchr(special, *c)) fputc('\\', out);
		fputc(*c == '\n' ? ' ' : *c, out);
	}
}

// "accept|reject" with other separators.
static void put_choices(FILE *out, const char *choices)
{
	for (const char *c = choices; *c; c++) fputc(*c == '|' ? ' ' : *c, out);
}

// ---- bash

static void bash_command(FILE *out, const struct command *c, const struct usage *u)
{
	fprintf(out, "\t%s)\n\t\toptions='", c->name);
	for (uint32_t i = 0; i < u->n_options; i++) {
		if (u->options[i].letter) fprintf(out, "-%c ", u->options[i].letter);
		fprintf(out, "--%s ", u->options[i].name);
	}
	fputs("--help'\n\t\tcase $before in\n", out);
	for (uint32_t i = 0; i < u->n_options; i++) {
		const struct option_spec *o = &u->options[i];
		if (o->kind == OPTION_FLAG || o->kind == OPTION_LIST) continue;
		fprintf(out, "\t\t--%s", o->name);
		if (o->letter) fprintf(out, "|-%c", o->letter);
		if (o->kind == OPTION_CHOICE) {
			fputs(") words='", out);
			put_choices(out, o->value);
			fputs("' ;;\n", out);
		} else {
			fputs(o->kind == OPTION_FILE ? ") return ;;\n" : ") COMPREPLY=(''); return ;;\n", out);
		}
	}
	fputs("\t\tesac ;;\n", out);
}

// ---- zsh

static void zsh_command(FILE *out, const struct command *c, const struct usage *u)
{
	fprintf(out, "\t%s)\n\t\t_arguments -s \\\n", c->name);
	for (uint32_t i = 0; i < u->n_options; i++) {
		const struct option_spec *o = &u->options[i];
		const char *times = o->kind == OPTION_TOKENS ? "*" : "";
		if (o->letter && !*times)
			fprintf(out, "\t\t\t'(-%c --%s)'{-%c,--%s}'[", o->letter, o->name, o->letter, o->name);
		else
			fprintf(out, "\t\t\t'%s--%s[", times, o->name);
		put_quoted(out, o->help, "[]\\");
		fputc(']', out);
		if (o->kind == OPTION_CHOICE) {
			fputs(":choice:(", out);
			put_choices(out, o->value);
			fputc(')', out);
		} else if (o->kind != OPTION_FLAG && o->kind != OPTION_LIST) {
			fputc(':', out);
			put_quoted(out, o->value, ":\\");
			fputs(o->kind == OPTION_FILE ? ":_files" : ":", out);
		}
		fputs("' \\\n", out);
	}
	fputs("\t\t\t'--help[a summary of these]' \\\n\t\t\t'*:file:_files' ;;\n", out);
}

// ---- fish

static void fish_command(FILE *out, const struct command *c, const struct usage *u)
{
	fprintf(out, "complete -c gcdc -n __fish_use_subcommand -f -a %s -d '", c->name);
	put_quoted(out, c->summary, "\\");
	fputs("'\n", out);
	for (uint32_t i = 0; i < u->n_options; i++) {
		const struct option_spec *o = &u->options[i];
		fprintf(out, "complete -c gcdc -n '__fish_seen_subcommand_from %s' -l %s", c->name, o->name);
		if (o->letter) fprintf(out, " -s %c", o->letter);
		if (o->kind == OPTION_CHOICE) {
			fputs(" -x -a '", out);
			put_choices(out, o->value);
			fputc('\'', out);
		} else if (o->kind != OPTION_FLAG && o->kind != OPTION_LIST) {
			fputs(o->kind == OPTION_FILE ? " -r -F" : " -x", out);
		}
		fputs(" -d '", out);
		put_quoted(out, o->help, "\\");
		fputs("'\n", out);
	}
}

void completion_begin(FILE *out, enum shell shell, const struct command *all, uint32_t n)
{
	switch (shell) {
	case SHELL_BASH:
		fputs("# bash completion for gcdc, made by 'gcdc manual'\n_gcdc()\n{\n"
		      "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words='' options=''\n"
		      "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\tCOMPREPLY=($(compgen -W '",
		      out);
		for (uint32_t i = 0; i < n; i++) fprintf(out, "%s ", all[i].name);
		fputs("--help --version' -- \"$word\"))\n\t\treturn\n\tfi\n\tcase ${COMP_WORDS[1]} in\n", out);
		break;
	case SHELL_ZSH:
		fputs("#compdef gcdc\n# zsh completion for gcdc, made by 'gcdc manual'\n"
		      "if (( CURRENT == 2 )); then\n\tlocal -a commands=(\n",
		      out);
		for (uint32_t i = 0; i < n; i++) {
			fprintf(out, "\t\t'%s:", all[i].name);
			put_quoted(out, all[i].summary, ":\\");
			fputs("'\n", out);
		}
		fputs("\t)\n\t_describe command commands\n\treturn\nfi\nlocal command=$words[2]\n"
		      "words=(\"gcdc $command\" \"${(@)words[3,-1]}\")\n(( CURRENT-- ))\ncase $command in\n",
		      out);
		break;
	case SHELL_FISH:
		fputs("# fish completion for gcdc, made by 'gcdc manual'\n"
		      "complete -c gcdc -n __fish_use_subcommand -f -l help -d 'the commands'\n"
		      "complete -c gcdc -n __fish_use_subcommand -f -l version -d 'the version'\n",
		      out);
		break;
	case N_SHELLS: break;
	}
}

void completion_command(FILE *out, enum shell shell, const struct command *c, const struct usage *u)
{
	if (shell == SHELL_BASH)
		bash_command(out, c, u);
	else if (shell == SHELL_ZSH)
		zsh_command(out, c, u);
	else
		fish_command(out, c, u);
}

void completion_end(FILE *out, enum shell shell)
{
	if (shell == SHELL_BASH)
		fputs("\tesac\n\tif [ -n \"$words\" ]; then\n\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
		      "\telif [[ $word == -* ]]; then\n\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n\tfi\n}\n"
		      "complete -o default -F _gcdc gcdc\n",
		      out);
	else if (shell == SHELL_ZSH)
		fputs("esac\n", out);
}
