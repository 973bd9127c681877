// Command lines of the oracles. In: argv and a table. Out: the places that the table points at.
#include "../options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_known(const struct oracle_option *options, uint32_t n, const char *name, const struct oracle_option **o)
{
	for (*o = options; *o < options + n; (*o)++)
		if (!strcmp((*o)->name, name)) return true;
	return false;
}

bool oracle_options(int argc, char **argv, const struct oracle_option *options, uint32_t n)
{
	for (int i = 1; i < argc; i++) {
		const struct oracle_option *o;
		if (!is_known(options, n, argv[i], &o) || (!o->flag && i + 1 == argc)) {
			fprintf(stderr, "what is %s? Options:", argv[i]);
			for (uint32_t k = 0; k < n; k++) fprintf(stderr, " %s%s", options[k].name, options[k].flag ? "" : " VALUE");
			fputc('\n', stderr);
			return false;
		}
		if (o->flag)
			*o->flag = true;
		else if (o->number)
			*o->number = strtoull(argv[++i], NULL, 10);
		else if (o->text)
			*o->text = argv[++i];
		else
			vec_push(o->texts, argv[++i]);
	}
	return true;
}
