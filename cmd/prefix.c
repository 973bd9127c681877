// --prefix, --prefix-escaped, --prefix-file: the text so far.
//
// In:  what was given. Out: the text in memory. Escapes are those of C that people know, and nothing else. Cost:
// O(text).
#include "prefix.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "shared/control.h"
#include "shared/hex.h"
#include "cli.h"

const char *prefix_unescape(const char *text, char *out, size_t *len)
{
	static const char names[] = "ntr0\\\"'", values[] = "\n\t\r\0\\\"'";
	*len = 0;
	for (const char *c = text; *c; c++) {
		if (*c != '\\') {
			out[(*len)++] = *c;
			continue;
		}
		c++;
		const char *name = *c ? strchr(names, *c) : NULL;
		if (name) {
			out[(*len)++] = values[name - names];
		} else if (*c == 'x' && hex_digit(c[1]) >= 0 && hex_digit(c[2]) >= 0) {
			out[(*len)++] = (char)(hex_digit(c[1]) * 16 + hex_digit(c[2]));
			c += 2;
		} else if (*c == '[') {
			char *end;
			unsigned long id = strtoul(c + 1, &end, 10);
			if (c[1] < '0' || c[1] > '9' || *end != ']' || end < c + 3 || id >= 1u << 22) return c - 1;
			control_spell((uint32_t)id, (uint8_t *)out + *len);  // no longer than what was read
			*len += CONTROL_LEN;
			c = end;
		} else {
			return c - 1;
		}
	}
	return NULL;
}

int prefix_read(const struct prefix_options *p, const char *command, char **text, size_t *len)
{
	*text = NULL;
	if (!!p->text + !!p->escaped + !!p->file > 1)
		return cli_error(CODE_USAGE, command, "--prefix, --prefix-escaped and --prefix-file exclude each other");
	if (p->file) return cli_read_file(command, p->file, text, len) ? CODE_OK : CODE_IO;
	const char *given = p->escaped ? p->escaped : p->text ? p->text : "";
	*len = strlen(given);
	*text = mem_alloc(*len + 1);
	memcpy(*text, given, *len + 1);
	const char *wrong = p->escaped ? prefix_unescape(given, *text, len) : NULL;
	if (!wrong) return CODE_OK;
	return cli_error(CODE_USAGE, command, "--prefix-escaped: '\\%.1s' begins no escape here; " PREFIX_ESCAPES,
	                 wrong + 1);
}
