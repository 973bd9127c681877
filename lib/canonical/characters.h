// What each character is to the tokenizer: group of the pre-tokenizer's items, normal form, whether a token spells it.
#ifndef GCDC_CANONICAL_CHARACTERS_H
#define GCDC_CANONICAL_CHARACTERS_H

#include "pattern.h"

#define CHARACTERS_MAX_GROUPS 256u

// Fills pages, chars, kinds, joints; *group_items (info.n_groups of them) is in out's arena.
bool characters_build(struct encoder *e, const struct encoder_model *model, struct pattern_items *items, struct diag *d,
                      struct canonical *out, const uint64_t **group_items);
static inline const struct artifact_canon_kind *character_kind(const struct canonical *c, uint32_t code_point)
{
	return &c->kinds[c->chars[c->pages[code_point / CANON_PAGE_SIZE] * CANON_PAGE_SIZE + code_point % CANON_PAGE_SIZE]];
}

// Normal forms: the last character that others may join, and the combining class behind it.
struct joining {
	uint16_t left;
	uint8_t combining;
};
// False: the character joins the text before it, or stands in a wrong order.
static inline bool joining_step(const struct canonical *c, struct joining *j, const struct artifact_canon_kind *k)
{
	bool adjacent = j->combining == 0 || j->combining < k->combining;
	if (k->combining && j->combining > k->combining) return false;
	if (adjacent && k->right && c->joints[j->left * c->info.n_right_words + k->right / 32] >> k->right % 32 & 1)
		return false;
	if (!k->combining) j->left = k->left;
	j->combining = k->combining;
	return true;
}

#endif
