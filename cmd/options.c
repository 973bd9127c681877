// Reads a command line by its table, and prints the table as --help.
//
// In:  struct usage, argv. Out: values behind the table's pointers, or a message that names the option.
// Accepted: --name value, --name=value, -x value, -xvalue, flags without values, "--" before positionals that begin
// with a dash; "-" is a positional. Nothing is allocated: positionals are moved to the front of argv.
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/guess.h"
#include "cli.h"

#define MAX_SEEN 64u

void (*options_printer)(const struct usage *u);

const char *options_guess(const char *text, const char *const *names, uint32_t n) { return guess_name(text, names, n); }

static void print_synopsis(const struct usage *u, FILE *out)
{
	fprintf(out, "usage: gcdc %s", u->command);
	for (uint32_t i = 0; i < u->n_positionals; i++) {
		const struct positional *p = &u->positionals[i];
		fprintf(out, p->kind == POSITIONAL_OPTIONAL ? " [%s]" : p->kind == POSITIONAL_MANY ? " %s..." : " %s", p->name);
	}
	for (uint32_t i = 0; i < u->n_options; i++) {
		const struct option_spec *o = &u->options[i];
		if (!o->required) continue;
		if (o->letter)
			fprintf(out, " -%c %s", o->letter, o->value);
		else
			fprintf(out, " --%s %s", o->name, o->value);
	}
	fputs(" [options]\n", out);
}

static void print_entry(FILE *out, const char *left, const char *help)
{
	fprintf(out, "  %-26s", left);
	if (strlen(left) > 26) fprintf(out, "\n  %-26s", "");
	for (const char *line = help;;) {
		const char *end = strchr(line, '\n');
		if (!end) {
			fprintf(out, " %s\n", line);
			return;
		}
		fprintf(out, " %.*s\n  %-26s", (int)(end - line), line, "");
		line = end + 1;
	}
}

static void print_help(const struct usage *u)
{
	print_synopsis(u, stdout);
	printf("\n%s\n\n", u->about);
	for (uint32_t i = 0; i < u->n_positionals; i++) print_entry(stdout, u->positionals[i].name, u->positionals[i].help);
	for (uint32_t i = 0; i < u->n_options; i++) {
		const struct option_spec *o = &u->options[i];
		char left[96];
		int n = o->letter ? snprintf(left, sizeof left, "-%c, ", o->letter) : 0;
		const char *joint = !o->value ? "" : o->kind == OPTION_LIST ? "[=" : " ";
		snprintf(left + n, sizeof left - (size_t)n, "--%s%s%s%s", o->name, joint, o->value ? o->value : "",
		         o->kind == OPTION_LIST ? "]" : "");
		print_entry(stdout, left, o->help);
	}
	print_entry(stdout, "--help", "this text");
	if (u->notes) printf("\n%s\n", u->notes);
}

static bool usage_error(const struct usage *u, int *code)
{
	fprintf(stderr, "Run 'gcdc %s --help' for what it accepts.\n", u->command);
	*code = CODE_USAGE;
	return false;
}

static bool parse_number(const char *text, uint64_t *value)
{
	if (*text < '0' || *text > '9') return false;
	char *end;
	errno = 0;
	unsigned long long v = strtoull(text, &end, 10);
	*value = v;
	return !*end && !errno;
}

static bool is_choice(const char *choices, const char *text)
{
	size_t len = strlen(text);
	for (const char *c = choices; len; c++) {
		const char *end = strchr(c, '|');
		size_t n = end ? (size_t)(end - c) : strlen(c);
		if (n == len && !memcmp(c, text, n)) return true;
		if (!end) return false;
		c = end;
	}
	return false;
}

static const struct option_spec *find_option(const struct usage *u, const char *name, size_t len)
{
	for (uint32_t i = 0; i < u->n_options; i++)
		if (strlen(u->options[i].name) == len && !memcmp(u->options[i].name, name, len)) return &u->options[i];
	return NULL;
}

static bool unknown_option(const struct usage *u, const char *arg, size_t len)
{
	const char *names[MAX_SEEN + 1];
	char given[GUESS_MAX + 1];
	uint32_t n = 0;
	for (; n < u->n_options && n < MAX_SEEN; n++) names[n] = u->options[n].name;
	names[n++] = "help";
	const char *guess = NULL;
	if (len > 2 && len - 2 <= GUESS_MAX && arg[1] == '-') {
		snprintf(given, sizeof given, "%.*s", (int)len - 2, arg + 2);
		guess = options_guess(given, names, n);
	}
	if (guess)
		cli_error(CODE_USAGE, u->command, "there is no option %.*s; did you mean --%s?", (int)len, arg, guess);
	else
		cli_error(CODE_USAGE, u->command, "there is no option %.*s", (int)len, arg);
	return false;
}

// Branches: one case for each kind of option, with the refusals that only this kind has.
static bool set_value(const struct usage *u, const struct option_spec *o, const char *value)
{
	uint64_t number = 0;
	bool is_number =
		o->kind == OPTION_NUMBER || (o->kind == OPTION_TOKENS && strspn(value, "+-0123456789") == strlen(value));
	if (is_number && !parse_number(value, &number)) {
		cli_error(CODE_USAGE, u->command, "--%s needs a whole number, not '%s'", o->name, value);
		return false;
	}
	switch (o->kind) {
	case OPTION_LIST:
	case OPTION_FLAG: break;
	case OPTION_TEXT: *(const char **)o->to = value; break;
	case OPTION_FILE: {
		const char *equals = strchr(value, '=');
		size_t len = equals ? (size_t)(equals - value) : strlen(value);
		if (!len || (len > 2 && value[0] == '-' && value[1] == '-' && find_option(u, value + 2, len - 2))) {
			cli_error(CODE_USAGE, u->command, "--%s needs a file's name, not '%s'", o->name, value);
			return false;
		}
		*(const char **)o->to = value;
		break;
	}
	case OPTION_CHOICE:
		if (!is_choice(o->value, value)) {
			cli_error(CODE_USAGE, u->command, "--%s must be one of %s, not '%s'", o->name, o->value, value);
			return false;
		}
		*(const char **)o->to = value;
		break;
	case OPTION_NUMBER:
		if (number < o->least || number > o->most) {
			cli_error(CODE_USAGE, u->command, "--%s %llu is out of range: %llu to %llu", o->name,
			          (unsigned long long)number, (unsigned long long)o->least, (unsigned long long)o->most);
			return false;
		}
		*(struct number *)o->to = (struct number){true, number};
		break;
	case OPTION_TOKENS: {
		struct token_options *ids = o->to;
		if (number >= UINT32_MAX) {
			cli_error(CODE_USAGE, u->command, "--%s %llu is no token id: ids are below %u", o->name,
			          (unsigned long long)number, UINT32_MAX);
			return false;
		}
		if (ids->n + ids->n_names == OPTIONS_MAX_IDS) {
			cli_error(CODE_USAGE, u->command, "--%s is given more than %u times", o->name, OPTIONS_MAX_IDS);
			return false;
		}
		if (is_number)
			ids->at[ids->n++] = (uint32_t)number;
		else
			ids->names[ids->n_names++] = value;
		break;
	}
	}
	return true;
}

struct option_reader {
	const struct usage *u;
	int argc, at;
	char **argv;
	bool seen[MAX_SEEN];
};

// One option, argv[at]; false after a message.
// Branches: long and short names, flags, lists and values are taken apart in the order of the command line.
static bool read_option(struct option_reader *r)
{
	const struct usage *u = r->u;
	const char *arg = r->argv[r->at], *value = NULL;
	const struct option_spec *o = NULL;
	if (arg[1] == '-') {
		const char *equals = strchr(arg, '=');
		size_t len = equals ? (size_t)(equals - arg) : strlen(arg);
		o = find_option(u, arg + 2, len - 2);
		if (!o) return unknown_option(u, arg, len);
		if (equals) value = equals + 1;
	} else {
		for (uint32_t i = 0; i < u->n_options && !o; i++)
			if (u->options[i].letter == arg[1]) o = &u->options[i];
		if (!o) return unknown_option(u, arg, strlen(arg));
		if (arg[2]) value = arg + 2;
	}
	bool *seen = &r->seen[o - u->options];
	if (*seen && o->kind != OPTION_TOKENS && o->kind != OPTION_FLAG) {
		cli_error(CODE_USAGE, u->command, "--%s is given twice", o->name);
		return false;
	}
	*seen = true;
	if (o->kind == OPTION_FLAG) {
		if (value)
			cli_error(CODE_USAGE, u->command, "--%s takes no value", o->name);
		else
			*(bool *)o->to = true;
		return !value;
	}
	if (o->kind == OPTION_LIST) {
		*(const char **)o->to = value ? value : "all";
		return true;
	}
	if (!value && r->at + 1 < r->argc) value = r->argv[++r->at];
	if (!value) {
		cli_error(CODE_USAGE, u->command, "--%s needs a value: --%s %s", o->name, o->name, o->value);
		return false;
	}
	return set_value(u, o, value);
}

static bool take_positionals(const struct usage *u, char **argv, uint32_t n)
{
	uint32_t taken = 0;
	for (uint32_t i = 0; i < u->n_positionals; i++) {
		const struct positional *p = &u->positionals[i];
		if (taken == n && p->kind != POSITIONAL_OPTIONAL) {
			cli_error(CODE_USAGE, u->command, "%s is missing: %s", p->name, p->help);
			return false;
		}
		if (taken == n) continue;
		if (p->kind == POSITIONAL_MANY) {
			*(struct file_list *)p->to = (struct file_list){argv + taken, n - taken};
			taken = n;
		} else {
			*(const char **)p->to = argv[taken++];
		}
	}
	if (taken < n) cli_error(CODE_USAGE, u->command, "one argument too many: '%s'", argv[taken]);
	return taken == n;
}

// Branches: --help wins over everything, "--" ends the options, and what is required is asked for last.
bool options_read(const struct usage *u, int argc, char **argv, int *code)
{
	ASSERT(u->n_options <= MAX_SEEN);
	struct option_reader r = {.u = u, .argc = argc, .argv = argv};
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			if (options_printer)
				options_printer(u);
			else
				print_help(u);
			*code = CODE_OK;
			return false;
		}
	uint32_t n = 0;
	bool only_positionals = false;
	for (r.at = 1; r.at < argc; r.at++) {
		char *arg = argv[r.at];
		if (only_positionals || arg[0] != '-' || !arg[1])
			argv[n++] = arg;
		else if (!strcmp(arg, "--"))
			only_positionals = true;
		else if (!read_option(&r))
			return usage_error(u, code);
	}
	if (!take_positionals(u, argv, n)) return usage_error(u, code);
	for (uint32_t i = 0; i < u->n_options; i++)
		if (u->options[i].required && !r.seen[i]) {
			cli_error(CODE_USAGE, u->command, "--%s %s is missing: %s", u->options[i].name, u->options[i].value,
			          u->options[i].help);
			return usage_error(u, code);
		}
	return true;
}

// Branches: one way to write for each kind of option, only if it was given.
static void show_given(FILE *f, const struct option_spec *o)
{
	const struct number *number = o->to;
	const struct token_options *ids = o->to;
	const char *text =
		o->kind == OPTION_LIST || o->kind == OPTION_TEXT || o->kind == OPTION_FILE || o->kind == OPTION_CHOICE
			? *(const char *const *)o->to
			: NULL;
	switch (o->kind) {
	case OPTION_FLAG:
		if (*(const bool *)o->to) fprintf(f, "--%s\n", o->name);
		break;
	case OPTION_LIST:
	case OPTION_TEXT:
	case OPTION_FILE:
	case OPTION_CHOICE:
		if (!text) break;
		fprintf(f, "--%s ", o->name);
		for (; *text; text++) fputc(*text == '\n' ? ' ' : *text, f);
		fputc('\n', f);
		break;
	case OPTION_NUMBER:
		if (number->given) fprintf(f, "--%s %llu\n", o->name, (unsigned long long)number->value);
		break;
	case OPTION_TOKENS:
		for (uint32_t i = 0; i < ids->n; i++) fprintf(f, "--%s %u\n", o->name, ids->at[i]);
		for (uint32_t i = 0; i < ids->n_names; i++) fprintf(f, "--%s %s\n", o->name, ids->names[i]);
		break;
	}
}

char *options_given(const struct usage *u, const char *const *but, uint32_t n)
{
	char *text = NULL;
	size_t len;
	FILE *f = text_stream(&text, &len);
	for (uint32_t i = 0; i < u->n_options; i++) {
		bool left_out = false;
		for (uint32_t k = 0; k < n; k++) left_out |= !strcmp(but[k], u->options[i].name);
		if (!left_out) show_given(f, &u->options[i]);
	}
	fclose(f);
	return text;
}

const char *options_value(const struct option_spec *o, struct arena *arena)
{
	switch (o->kind) {
	case OPTION_FLAG: return *(const bool *)o->to ? "true" : NULL;
	case OPTION_TEXT:
	case OPTION_FILE:
	case OPTION_CHOICE:
	case OPTION_LIST: return *(const char *const *)o->to;
	case OPTION_NUMBER: {
		const struct number *n = o->to;
		return n->given ? arena_printf(arena, "%llu", (unsigned long long)n->value) : NULL;
	}
	case OPTION_TOKENS: break;
	}
	return NULL;
}
