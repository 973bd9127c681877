// gcdc build --merge: what other machines have built is looked up, and completeness is checked.
//
// In:  a plan, a folder whose folders are outputs of the same manifest (gcdc build --shard). Out: where each artifact
// lies. A file counts when its folder's record says that it is made of exactly what this plan would make it of, by the
// same gcdc, and has passed the same checks. So a part that was built from another commit, or by another version, is
// noticed here; a damaged file when it is taken. Cost: reading the records, a look at each artifact.
#include "build_merge.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

#define ME "build"
#define NAMED_MOST 10u  // artifacts that are named in a message

static int add_part(struct build *b, const char *folder)
{
	struct build_part part = {.folder = folder};
	char program[DIGEST_HEX];
	if (access(arena_printf(&b->arena, "%s/" BUILD_FOLDER "/built", folder), F_OK)) return CODE_OK;
	record_read(folder, &part.record);
	vec_push(&b->parts, part);
	digest_program(program);
	if (!strcmp(part.record.program, program)) return CODE_OK;
	cli_error(CODE_DATA, ME,
	          "%s was built by another gcdc: its version is %s, its digest %.16s, this one's %s and %.16s", folder,
	          *part.record.version ? part.record.version : "unknown", part.record.program, GCDC_VERSION, program);
	cli_note(ME, "build all parts with the same program");
	return CODE_DATA;
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static int find_parts(struct build *b, const char *folder)
{
	DIR *dir = opendir(folder);
	if (!dir) return cli_error(CODE_IO, ME, "%s: %s", folder, strerror(errno));
	VEC(const char *) names = {0};
	for (struct dirent *e; (e = readdir(dir));)
		if (strcmp(e->d_name, "..") != 0) vec_push(&names, arena_printf(&b->arena, "%s/%s", folder, e->d_name));
	closedir(dir);
	if (names.n) qsort(names.at, names.n, sizeof *names.at, by_text);
	int code = CODE_OK;
	for (uint32_t i = 0; i < names.n && !code; i++) code = add_part(b, names.at[i]);
	vec_release(&names);
	if (code || b->parts.n) return code;
	code = cli_error(CODE_DATA, ME,
	                 "%s: in none of the folders there is what a build has made (" BUILD_FOLDER "/built)", folder);
	cli_note(ME, "copy whole output folders, with the folder " BUILD_FOLDER " in them");
	return code;
}

static bool find_artifact(struct build *b, uint32_t i)
{
	const struct plan_artifact *a = &b->plan.artifacts.at[i];
	struct artifact_step *step = &b->steps[i];
	struct stat s;
	for (uint32_t k = 0; k < b->parts.n; k++) {
		const struct build_part *part = &b->parts.at[k];
		const struct record_line *line = record_find(&part->record, build_from_output(b, a->output));
		if (!line || strcmp(line->check, step->check) != 0 || !build_line_holds(b, a, line)) continue;
		step->from = arena_printf(&b->arena, "%s/%s", part->folder, line->path);
		if (stat(step->from, &s)) continue;
		step->action = ACTION_TAKE, step->taken = line;
		return true;
	}
	return false;
}

int build_merge(struct build *b, const char *folder, const bool *selected)
{
	uint32_t n_missing = 0, n = 0;
	int code = find_parts(b, folder);
	for (uint32_t i = 0; i < b->plan.artifacts.n && !code; i++) {
		n += selected[i];
		if (!selected[i] || b->steps[i].action == ACTION_NONE || find_artifact(b, i)) continue;
		if (n_missing++ < NAMED_MOST) cli_note(ME, "missing: %s", b->plan.artifacts.at[i].name);
	}
	if (n_missing) {
		code = cli_error(CODE_DATA, ME,
		                 "%u of %u artifacts are in none of the %u output folders in %s, made of what there is here",
		                 n_missing, n, b->parts.n, folder);
		cli_note(ME, "a part is missing, has failed, or was built from other files; nothing was taken");
	}
	return code;
}
