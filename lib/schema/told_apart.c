// Alternatives that only the matcher can tell apart (arrays.c): may all of them come where one may?
//
// In:  the productions, those that have a text; the symbols of such alternatives behind another symbol. Out: an error
// where a text can go on to the end of the whole behind some of them and not behind others: what came before should
// have been masked, then.
// Cost: linear in the productions, where there are such alternatives.
#include "rules.h"

void told_apart_note(struct schema *s, const struct place *p, symbol from, const symbol *list, uint32_t n)
{
	struct rules *r = s->rules;
	if (!n) return;
	const struct place_info *place = r->places.at[find_place(s, p)];
	if (!place->is_settled) return;
	vec_push(&r->alternatives, ((struct truths_behind){place, from, r->alternative_symbols.n, n}));
	for (uint32_t i = 0; i < n; i++) vec_push(&r->alternative_symbols, list[i]);
}

bool told_apart_refuse(struct schema *s, const struct json *at, const char *why)
{
	if (s->settles) return schema_unenforced(s, at, "uniqueItems", NULL, why);
	s->must_settle = true;
	return false;
}

// Nonterminals that the start leads to.
static void find_reached(const struct rules *r, const uint8_t *live, symbol start, uint8_t *reached)
{
	const uint32_t n = r->nonterminals.n;
	uint32_t *first = mem_calloc((size_t)n + 2, sizeof *first), *by = mem_calloc((size_t)r->rules.n + 1, sizeof *by);
	u32_list queue = {0};
	for (uint32_t i = 0; i < r->rules.n; i++) first[(r->rules.at[i].lhs >> 1) + 2]++;
	for (uint32_t a = 0; a < n; a++) first[a + 2] += first[a + 1];
	for (uint32_t i = 0; i < r->rules.n; i++) by[first[(r->rules.at[i].lhs >> 1) + 1]++] = i;
	reached[start >> 1] = 1;
	vec_push(&queue, start >> 1);
	for (uint32_t k = 0; k < queue.n; k++)
		for (uint32_t i = first[queue.at[k]]; i < first[queue.at[k] + 1]; i++) {
			const struct rule *x = &r->rules.at[by[i]];
			for (uint32_t j = 0; live[by[i]] && j < x->n; j++) {
				const symbol y = r->symbols.at[x->first + j];
				if (!(y & 1) || reached[y >> 1]) continue;
				reached[y >> 1] = 1;
				vec_push(&queue, y >> 1);
			}
		}
	vec_release(&queue);
	free(first), free(by);
}

static uint64_t pair_of(symbol a, symbol b) { return (uint64_t)a << 32 | b; }

// What stands behind what, at the beginning of productions that are reached; the members of a choice as it.
static void find_followers(const struct rules *r, const uint8_t *live, const uint8_t *reached, struct map64 *follows)
{
	struct map64 choices = {0};  // of each: its first rule + 1, in rules that stand together
	for (uint32_t k = 0; k < r->choice_symbols.n; k++) map64_put(&choices, r->choice_symbols.at[k], 0);
	u32_list members = {0};  // pairs: a choice, a member
	for (uint32_t i = 0; i < r->rules.n; i++) {
		const struct rule *x = &r->rules.at[i];
		if (map64_get(&choices, x->lhs) == MAP64_NONE) continue;
		if (!map64_get(&choices, x->lhs)) map64_put(&choices, x->lhs, members.n + 1);
		vec_push(&members, x->lhs), vec_push(&members, live[i] ? r->symbols.at[x->first] : NO_SYMBOL);
	}
	for (uint32_t i = 0; i < r->rules.n; i++) {
		const struct rule *x = &r->rules.at[i];
		if (!live[i] || !reached[x->lhs >> 1] || x->n < 2) continue;
		const symbol from = r->symbols.at[x->first], to = r->symbols.at[x->first + 1];
		map64_put(follows, pair_of(from, to), 1);
		const uint64_t at = map64_get(&choices, to);
		for (uint64_t k = at == MAP64_NONE ? members.n : at - 1; k < members.n && members.at[k] == to; k += 2)
			map64_put(follows, pair_of(from, members.at[k + 1]), 1);
	}
	map64_release(&choices), vec_release(&members);
}

bool told_apart_check(struct rules *r, const uint8_t *live, symbol start)
{
	bool ok = true;
	if (!r->alternatives.n) return true;
	const uint32_t n = r->nonterminals.n;
	uint8_t *reached = mem_calloc((size_t)n + 1, 1), *has_text = mem_calloc((size_t)n + 1, 1);
	struct map64 follows = {0};
	for (uint32_t i = 0; i < r->rules.n; i++) has_text[r->rules.at[i].lhs >> 1] |= live[i];
	find_reached(r, live, start, reached);
	find_followers(r, live, reached, &follows);
	for (uint32_t i = 0; i < r->alternatives.n && ok; i++) {
		const struct truths_behind *x = &r->alternatives.at[i];
		bool some = false, all = true;
		if (!x->place->told) continue;
		for (uint32_t k = 0; k < x->n; k++) {
			const symbol y = r->alternative_symbols.at[x->first + k];
			const bool comes = map64_get(&follows, pair_of(x->from, y)) != MAP64_NONE;
			if (y & 1 && !has_text[y >> 1]) continue;  // no value is so
			some |= comes, all &= comes;
		}
		if (some && !all) ok = told_apart_refuse(r->s, x->place->told, UNIQUE_UNDECIDED);
	}
	map64_release(&follows);
	free(reached), free(has_text);
	return ok;
}
