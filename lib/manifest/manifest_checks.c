// The checks of a manifest: texts that must be accepted or refused, limits that an artifact must keep.
//
// In:  a mapping `checks:`. Out: struct plan_checks; patterns of files have become files.
#include "manifest_internal.h"

const char *const check_limit_name[N_CHECK_LIMITS] = {
	[LIMIT_SIZE] = "max-size",
	[LIMIT_FRAMES] = "worst-frames",
	[LIMIT_SETS] = "worst-sets",
	[LIMIT_READINGS] = "max-readings",
};

struct taking {
	struct plan_checks *checks;
	bool accept, failed;
};

static void take_text(struct manifest_reader *r, const char *text, struct loc loc, void *context)
{
	(void)r;
	struct taking *t = context;
	vec_push(&t->checks->texts,
	         ((struct check_text){.accept = t->accept, .text = text, .len = strlen(text), .loc = loc}));
}

static void take_files(struct manifest_reader *r, const char *pattern, struct loc loc, void *context)
{
	struct taking *t = context;
	path_list files = {0};
	if (!glob_files(r, pattern, loc, &files)) t->failed = true;
	for (uint32_t i = 0; i < files.n; i++)
		vec_push(&t->checks->texts, ((struct check_text){.accept = t->accept, .file = files.at[i], .loc = loc}));
	vec_release(&files);
}

bool checks_parse(struct manifest_reader *r, struct manifest_value v, struct plan_checks *checks)
{
	static const char *const keys[] = {"accept",   "refuse",       "accept-files", "refuse-files",
	                                   "max-size", "worst-frames", "worst-sets",   "max-readings"};
	bool ok = map_keys(r, v, "checks", keys, sizeof keys / sizeof *keys);
	if (!is_map(v)) return false;
	for (uint32_t i = 0; i < 4; i++) {
		struct manifest_value given = map_get(r, v, keys[i]);
		struct taking t = {checks, i % 2 == 0, false};
		if (given.node && (!value_each(r, given, keys[i], i < 2, i < 2 ? take_text : take_files, &t) || t.failed))
			ok = false;
	}
	for (uint32_t i = 0; i < N_CHECK_LIMITS; i++) {
		struct manifest_value given = map_get(r, v, check_limit_name[i]);
		if (!given.node) continue;
		struct check_limit_value x = {.given = true, .loc = value_loc(r, given)};
		if (i == LIMIT_SIZE ? value_size(r, given, check_limit_name[i], &x.most)
		                    : value_number(r, given, check_limit_name[i], 0, UINT32_MAX - 1, &x.most))
			checks->limits[i] = x;
		else
			ok = false;
	}
	return ok;
}

void checks_over(struct plan_checks *to, const struct plan_checks *from)
{
	for (uint32_t i = 0; i < from->texts.n; i++) vec_push(&to->texts, from->texts.at[i]);
	for (uint32_t i = 0; i < N_CHECK_LIMITS; i++)
		if (from->limits[i].given) to->limits[i] = from->limits[i];
}
