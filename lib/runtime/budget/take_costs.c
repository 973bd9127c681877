// Takes the sections of costs, and of masks under a budget, from an opened file.
//
// In:  the file's sections.  Out: the artifact's pointers to them, their lengths equal to what the counts say; or what
// is missing. Cost: O(sections).
#include "../core/runtime_internal.h"

static gcdc_status take_costs(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why)
{
	const struct section_row head = {SECTION_COST_INFO, &a->cost_info, 1, sizeof *a->cost_info};
	gcdc_status status = section_take_head(a, f, &head, why);
	if (status || !a->cost_info) return status;
	const struct artifact_info *i = &a->info;
	const struct artifact_cost_info *c = a->cost_info;
	const struct section_row rows[] = {
#define HEAD(...)
#define SECTIONS_OF SECTIONS_COST
#define SECTION(id, NAME, member, type, count, ...) {id, &a->cost_##member, count, sizeof(type)},
#include "../../../formats/sections.def"
	};
	return section_take(a, f, rows, sizeof rows / sizeof *rows, why);
}

static gcdc_status take_steps(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why)
{
	const struct section_row head = {SECTION_STEP_INFO, &a->step_info, 1, sizeof *a->step_info};
	gcdc_status status = section_take_head(a, f, &head, why);
	if (status || !a->step_info) return status;
	if (!a->cost_info)
		return refuse(why, GCDC_ERR_FORMAT, SECTION_STEP_INFO, 0, "section %u without section %u", SECTION_STEP_INFO,
		              SECTION_COST_INFO);
	const struct artifact_info *i = &a->info;
	const struct artifact_step_info *s = a->step_info;
	const struct section_row rows[] = {
#define HEAD(...)
#define SECTIONS_OF SECTIONS_STEP
#define SECTION(id, NAME, member, type, count, ...) {id, &a->step_##member, count, sizeof(type)},
#include "../../../formats/sections.def"
	};
	return section_take(a, f, rows, sizeof rows / sizeof *rows, why);
}

static gcdc_status take_kept(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why)
{
	const struct section_row head = {SECTION_KEPT_INFO, &a->kept_info, 1, sizeof *a->kept_info};
	gcdc_status status = section_take_head(a, f, &head, why);
	if (status || !a->kept_info) return status;
	if (!a->cost_info)
		return refuse(why, GCDC_ERR_FORMAT, SECTION_KEPT_INFO, 0, "section %u without section %u", SECTION_KEPT_INFO,
		              SECTION_COST_INFO);
	const struct artifact_kept_info *e = a->kept_info;
	const struct section_row rows[] = {
#define HEAD(...)
#define SECTIONS_OF SECTIONS_KEPT
#define SECTION(id, NAME, member, type, count, ...) {id, &a->kept_##member, count, sizeof(type)},
#include "../../../formats/sections.def"
	};
	return section_take(a, f, rows, sizeof rows / sizeof *rows, why);
}

gcdc_status costs_take(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why)
{
	gcdc_status status = take_costs(a, f, why);
	if (!status) status = take_steps(a, f, why);
	return status ? status : take_kept(a, f, why);
}
