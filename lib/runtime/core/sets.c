// Is a token in the union of a list of sets, among the tokens that end a text?
//
// In:  a list of sets, a token.  Out: yes or no. The lowest file of the matcher: opening asks it, too.
// Cost: a bit of a row and a binary search in a list, a set.
#include "runtime_internal.h"

static bool parts_have(const struct set_list *list, uint32_t token)
{
	for (uint32_t i = 0; i < list->unions.n; i++) {
		const struct set_union *p = &list->unions_of->at[list->unions.at[i]];
		if (p->row ? p->row[token / 32] >> token % 32 & 1
		           : number_among(list->unions_of->words.at + p->tokens, p->n_tokens, token))
			return true;
	}
	return false;
}

bool sets_have(const struct gcdc_artifact *a, const struct set_list *list, uint32_t token)
{
	if (UNLIKELY(token >= a->info.n_tokens)) return false;
	if (UNLIKELY(list->keep != NULL) && !(list->keep[token / 32] >> token % 32 & 1)) return false;
	if (UNLIKELY(list->without.n) && number_among(list->without.at, list->without.n, token)) return false;
	if (UNLIKELY(list->left_out) && artifact_set_has(a, &a->sets[list->left_out], token)) return false;
	if (UNLIKELY(list->unions.n) && parts_have(list, token)) return true;
	for (uint32_t i = 0; i < list->n; i++)
		if (artifact_set_has(a, &a->sets[list->at[i]], token)) return true;
	return UNLIKELY(list->extra.n) && number_among(list->extra.at, list->extra.n, token);
}

// What opening has proved of flags saves a look into each set's row.
bool sets_may_end(const struct gcdc_artifact *a, const struct set_list *list)
{
	if (!a->info.n_eos) return false;
	for (uint32_t i = 0; i < list->n; i++)
		if (a->sets[list->at[i]].flags & SET_EOS) return true;
	return (UNLIKELY(list->unions.n) && parts_have(list, a->eos[0])) ||
	       (UNLIKELY(list->extra.n) && number_among(list->extra.at, list->extra.n, a->eos[0]));
}

bool artifact_is_eos(const struct gcdc_artifact *a, uint32_t token)
{
	return number_among(a->eos, a->info.n_eos, token);
}
