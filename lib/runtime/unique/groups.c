// Tokens whose string is known: of a list of tokens with quotes, those that end the open string as one of the text.
//
// In:  what is known of a text that is inside a string; a list whose tokens have no backslash, by their bytes up to the
// quote (tokens.c). Out: groups of tokens, alike up to their quotes, that end it as a string with a known hash.
// Each group is looked up once; hashes go on from the bytes that the group before has, too; where no string of the text
// begins so, groups with the same bytes are passed over. Cost: a look-up for each byte of a group that some string of
// the text goes on with; where none does, one for each first byte.
#include "unique.h"

void known_groups_begin(struct known_groups *w, const struct gcdc_artifact *a, const struct unique *u,
                        enum unique_list_of which)
{
	w->a = a, w->v = &u->values, w->list = &a->unique_tokens.list[which], w->g = 0;
	w->hash[0] = u->here.hash;
}

bool known_groups_next(struct known_groups *w)
{
	const struct unique_list *t = w->list;
	while (w->g < t->n_groups) {
		const struct unique_group *group = &t->groups[w->g++];
		const uint8_t *bytes = w->a->token_bytes + w->a->token_offset[t->tokens[group->first]];
		uint32_t i = group->shared < KEPT_HASHES ? group->shared : KEPT_HASHES - 1;
		uint64_t now = w->hash[i];
		while (i < group->n && values_begin_so(w->v, now = value_hash(now, bytes[i])))
			if (++i < KEPT_HASHES) w->hash[i] = now;
		if (i < group->n) {
			while (t->groups[w->g].shared > i) w->g = t->groups[w->g].next;
			continue;
		}
		uint32_t k = (uint32_t)now;
		if (values_next(w->v, now, &k) == GCDC_NONE) continue;
		w->first = group->first, w->end = group[1].first;
		return true;
	}
	return false;
}
