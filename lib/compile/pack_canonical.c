// Hard canonical mode: what is known beforehand of a grammar and a tokenizer, into the image.
//
// In:  the image with all its tables, image.canonical. Out: image.canon_*. The analysis is lib/canonical's
// (unsettled.c).
#include "pack.h"

static struct grammar_tables tables_of(const struct artifact_image *m)
{
	struct grammar_tables g = {.info = m->info, .token_offset = m->token_offset, .token_bytes = m->token_bytes};
#define HEAD(...)
#define SECTIONS_OF SECTIONS_CORE
#define SECTION(id, NAME, member, ...) g.member = m->member;
#include "../../formats/sections.def"
	return g;
}

void pack_canonical(const struct vocab *v, struct compiled *out)
{
	struct artifact_image *m = &out->image;
	struct canonical tables;
	struct unsettled_tables u;
	canonical_view(m->canonical, v->n_tokens, &tables);
	const struct grammar_tables g = tables_of(m);
	unsettled_build(&g, v, &tables, &out->arena, &u);
	m->canon_wide = u.wide, m->canon_bytes = u.bytes, m->canon_nodes = u.nodes;
	m->canon_restartable = u.restartable;
	m->canon_unsettled_at = u.at[0], m->canon_unsettled_restartable = u.at[1];
	m->canon_unsettled = u.all, m->n_canon_unsettled = u.n;
}
