// What a build has made, and of what: decides what the next one has to make.
//
// In:  OUTPUT/.gcdc/built. Out: for each file the digests that it was made with.
// A text: a first line that names the format and the gcdc that wrote it, then lines of fields between tabs: digest,
// digest of checks, sum of the bytes, path, further sources. Lines are appended by one write each, after the file that
// they tell of has its final name: a build that is killed in between makes that file once more, to the same bytes. The
// last line of a path counts. The file is written anew when half of it is old. Cost: linear.
#include "build_record.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "build_steps.h"
#include "cli.h"

#define FIRST "gcdc record 1"
#define MAX_BYTES ((size_t)1 << 30)

static char *record_path(struct arena *a, const char *output)
{
	return arena_printf(a, "%s/" BUILD_FOLDER "/built", output);
}

// The text up to the next tab; *rest is what follows, NULL at the end.
static char *field(char **rest)
{
	char *begin = *rest, *tab = begin ? strchr(begin, '\t') : NULL;
	if (tab) *tab = 0;
	*rest = tab ? tab + 1 : NULL;
	return begin;
}

static void take_line(struct record *r, char *text)
{
	struct record_line line = {0};
	VEC(const char *) more = {0};
	line.of = field(&text), line.check = field(&text), line.sum = field(&text), line.path = field(&text);
	if (!line.path || strlen(line.of) != DIGEST_HEX - 1) return;
	for (char *source; (source = field(&text));) vec_push(&more, source);
	line.n_more = more.n;
	if (more.n)
		line.more = memcpy(arena_array(&r->arena, more.n, sizeof *line.more), more.at, more.n * sizeof *more.at);
	vec_release(&more);
	bool is_new;
	uint32_t id = intern_add(&r->paths, line.path, strlen(line.path), &is_new);
	if (is_new)
		vec_push(&r->lines, line);
	else
		r->lines.at[id] = line;
	r->n_read++;
}

void record_read(const char *output, struct record *r)
{
	*r = (struct record){.program = "", .version = ""};
	char *bytes, *end;
	size_t len;
	if (!file_read(record_path(&r->arena, output), MAX_BYTES, &bytes, &len)) return;
	char *text = arena_strndup(&r->arena, bytes, len);
	free(bytes);
	if (!(end = strchr(text, '\n'))) return;
	*end = 0;
	char *rest = text, *format = field(&rest), *program = field(&rest), *version = field(&rest);
	if (strcmp(format, FIRST) != 0 || !version) return;
	r->program = program, r->version = version;
	for (text = end + 1; (end = strchr(text, '\n')); text = end + 1) {
		*end = 0;
		take_line(r, text);
	}
	r->is_torn = *text != 0;
}

const struct record_line *record_find(const struct record *r, const char *path)
{
	uint32_t id = intern_find(&r->paths, path, strlen(path));
	return id == INTERN_NONE ? NULL : &r->lines.at[id];
}

// False: a name does not fit into a line.
static bool put_line(FILE *f, const struct record_line *line)
{
	if (strpbrk(line->path, "\t\n")) return false;
	for (uint32_t i = 0; i < line->n_more; i++)
		if (strpbrk(line->more[i], "\t\n")) return false;
	fprintf(f, "%s\t%s\t%s\t%s", line->of, line->check, line->sum, line->path);
	for (uint32_t i = 0; i < line->n_more; i++) fprintf(f, "\t%s", line->more[i]);
	fputc('\n', f);
	return true;
}

bool record_write(const char *output, const struct record *r, const bool *keep, struct diag *d)
{
	struct arena arena = {0};
	char *text = NULL, program[DIGEST_HEX];
	size_t len;
	FILE *f = text_stream(&text, &len);
	digest_program(program);
	fprintf(f, FIRST "\t%s\t" GCDC_VERSION "\n", program);
	for (uint32_t i = 0; i < r->lines.n; i++)
		if (keep[i]) put_line(f, &r->lines.at[i]);
	fclose(f);
	bool ok = file_replace(record_path(&arena, output), text, len, d);
	free(text);
	arena_release(&arena);
	return ok;
}

bool record_append(const char *output, const struct record_line *line, struct diag *d)
{
	struct arena arena = {0};
	char *text = NULL;
	size_t len;
	FILE *f = text_stream(&text, &len);
	bool fits = put_line(f, line), ok = true;
	fclose(f);
	if (fits) {
		const char *path = record_path(&arena, output);
		int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
		ok = fd >= 0 && write(fd, text, len) == (ssize_t)len;
		if (!ok) diag_error(d, (struct loc){0}, "cannot write %s: %s", path, strerror(errno));
		if (fd >= 0) close(fd);
	}
	free(text);
	arena_release(&arena);
	return ok;
}

void record_release(struct record *r)
{
	intern_release(&r->paths);
	vec_release(&r->lines);
	arena_release(&r->arena);
	*r = (struct record){0};
}
