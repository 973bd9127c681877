// Canonical modes: which control tokens they take; what hard mode knows beforehand of a grammar and a tokenizer.
//
// In:  the tokenizer's tables; the image with all of its own. Out: an error, or image.canon_*. The analysis is
// lib/canonical's (unsettled.c). Cost: of control tokens each name against all added ones.
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

static const char *name_of(const struct vocab *v, uint32_t id)
{
	uint32_t k = 0;
	while (k < v->n_added && v->added[k].id != id) k++;
	return k < v->n_added ? v->added[k].name : NULL;
}

// Could a text behind or before the token spell `other` together with it? The tokenizer would not cut there.
static bool meets(const char *name, const char *other)
{
	for (uint32_t from = 0; other[from]; from++) {
		uint32_t n = 0;
		while (name[n] && name[n] == other[from + n]) n++;
		if (n && (!name[n] || !other[from + n])) return true;
	}
	return false;
}

// Why the tokenizer does not cut its texts at a token, whatever stands beside it; NULL: it does.
static const char *no_cut(const struct canonical *c, const struct vocab *v, uint32_t id, struct arena *arena)
{
	const char *name = name_of(v, id);
	if (c->info.flags & CANON_PREFIX) return "the tokenizer puts a character before every text behind such a token";
	if (c->class_of[id] != CANON_CLASS_ADDED)
		return "the tokenizer drops blanks beside it (lstrip, rstrip), or merges make it, too; or the vocabulary was "
			   "compiled by an older gcdc";
	if (!name) return "the vocabulary does not hold its name";
	for (uint32_t k = 0; k < v->n_added; k++)
		if (v->added[k].id != id && v->added[k].name && meets(name, v->added[k].name))
			return arena_printf(arena, "the tokenizer may read a part of it as one of \"%s\"", v->added[k].name);
	return NULL;
}

bool canonical_control(const struct canon_section *tables, const struct vocab *v, const struct grammar *g,
                       const control_ids *ids, struct diag *d)
{
	struct canonical c;
	struct arena arena = {0};
	bool ok = true;
	canonical_view(tables, v->n_tokens, &c);
	for (uint32_t i = 0; i < ids->n && ok; i++) {
		const uint32_t id = ids->at[i];
		const char *why = id < v->n_tokens ? no_cut(&c, v, id, &arena) : NULL;
		if (!why) continue;
		diag_error(d, grammar_control_loc(g, id),
		           "the grammar names the control token %u, which canonical modes do not take: %s; compile without "
		           "--canonical",
		           id, why);
		ok = false;
	}
	arena_release(&arena);
	return ok;
}
