// The tables as sections of a file.
//
// In:  struct canonical. Out: the sections of formats/canonical.h, in the order of their ids; the bytes stay the
// tables'.
#include "canonical.h"

uint32_t canonical_sections(const struct canonical *c, struct canon_section out[CANON_SECTIONS])
{
	const struct artifact_canon *i = &c->info;
	const uint64_t V = c->n_tokens;
	const enum artifact_codec z = ARTIFACT_ZSTD, planes = ARTIFACT_ZSTD_PLANES, delta = ARTIFACT_ZSTD_DELTA;
	const struct canon_section all[CANON_SECTIONS] = {
		{SECTION_CANON, z, i, sizeof *i},
		{SECTION_CANON_PARTS, planes, c->parts, V * sizeof *c->parts},
		{SECTION_CANON_TIME, planes, c->time, V * 4},
		{SECTION_CANON_PLACE, planes, c->place, V * 4},
		{SECTION_CANON_AT, planes, c->at, i->n_places * 4ull},
		{SECTION_CANON_FIRST, delta, c->first, (V + 1) * 4},
		{SECTION_CANON_JOIN, planes, c->joins, i->n_joins * sizeof *c->joins},
		{SECTION_CANON_PATCH, planes, c->patches, i->n_patches * sizeof *c->patches},
		{SECTION_CANON_CLASS, z, c->class_of, V * 2},
		{SECTION_CANON_PAGE, z, c->pages, CANON_PAGES * 2ull},
		{SECTION_CANON_CHAR, z, c->chars, i->n_pages * (uint64_t)CANON_PAGE_SIZE * 2},
		{SECTION_CANON_KIND, z, c->kinds, i->n_kinds * sizeof *c->kinds},
		{SECTION_CANON_STEP, z, c->steps, (uint64_t)i->n_sets * i->n_groups * CANON_STEPS * 2},
		{SECTION_CANON_SET, planes, c->sets, i->n_sets * 4ull},
		{SECTION_CANON_ALLOW, z, c->allow, (uint64_t)i->n_sets * i->n_classes},
		{SECTION_CANON_ADDED, planes, c->added, i->n_added * sizeof *c->added},
		{SECTION_CANON_SPLIT, planes, c->splits, i->n_splits * sizeof *c->splits},
		{SECTION_CANON_BAD, planes, c->bad, i->n_bad * 4ull},
		{SECTION_CANON_JOINT, planes, c->joints, (uint64_t)i->n_left * i->n_right_words * 4},
		{SECTION_CANON_MARK, planes, c->marks, i->n_left * sizeof *c->marks},
	};
	memcpy(out, all, sizeof all);
	return CANON_SECTIONS;
}

void canonical_view(const struct canon_section in[CANON_SECTIONS], uint32_t n_tokens, struct canonical *c)
{
	*c = (struct canonical){.n_tokens = n_tokens};
	memcpy(&c->info, in[0].bytes, sizeof c->info);
	const void *const to[CANON_SECTIONS - 1] = {&c->parts,  &c->time,    &c->place,    &c->at,    &c->first,
	                                            &c->joins,  &c->patches, &c->class_of, &c->pages, &c->chars,
	                                            &c->kinds,  &c->steps,   &c->sets,     &c->allow, &c->added,
	                                            &c->splits, &c->bad,     &c->joints,   &c->marks};
	for (uint32_t k = 1; k < CANON_SECTIONS; k++)
		memcpy((void *)(uintptr_t)to[k - 1], &in[k].bytes, sizeof in[k].bytes);
}
