// The tables as sections of a file.
//
// In:  struct canonical. Out: the sections of the groups CANON and TOKENIZER (formats/sections.def), in the order of
// their ids; the bytes stay the tables'. And the reverse.
#include "canonical.h"

uint32_t canonical_sections(const struct canonical *c, struct canon_section out[CANON_SECTIONS])
{
	const struct artifact_canon *k = &c->info;
	const struct {
		uint32_t n_tokens;
	} info = {c->n_tokens}, *i = &info;
	const struct canon_section all[CANON_SECTIONS] = {
		{SECTION_CANON, k, sizeof *k},
#define SECTIONS_OF SECTIONS_TOKENIZER
#define SECTION(id, NAME, member, type, count, ...) {id, c->member, (count) * sizeof(type)},
#include "../../formats/sections.def"
	};
	memcpy(out, all, sizeof all);
	return CANON_SECTIONS;
}

void canonical_view(const struct canon_section in[CANON_SECTIONS], uint32_t n_tokens, struct canonical *c)
{
	*c = (struct canonical){.n_tokens = n_tokens};
	memcpy(&c->info, in[0].bytes, sizeof c->info);
#define SECTIONS_OF SECTIONS_TOKENIZER
#define SECTION(id, NAME, member, ...) c->member = in[(id)-SECTION_CANON].bytes;
#include "../../formats/sections.def"
}
