// Reads steps on real stacks: the unions of a mask under a budget.
//
// In:  stacks, a lexer state, how many tokens may still come.  Out: unions, whose union is what fits.
// From a step to the next as the automaton of plain masks is read (matcher_sets.c): each step asks its frames
// below, once for each pair of frame and question; each expression then has a value, and as many of its thresholds fit
// as have a base within what remains. The union of these thresholds is a union, kept under (step, thresholds), so
// that masks take it as it is. Cost: for each step a look-up, its pairs (a look-up each, price_book.c) and its
// expressions; a union is united once (step_table.c).
#include "step_table.h"

#include "price.h"

// The words of .marked in which there are bits.
struct marked_range {
	uint32_t first, end;
};

// Sets mark their bits; parts go onto the list.
static bool mark_members(struct step_table *x, const uint32_t *members, uint32_t n, struct vec32 *parts,
                         struct marked_range *r)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t member = members[i], w = member / 32;
		if (member & SET_PART) {
			if (!vec32_push(x->memory, parts, member)) return false;
			continue;
		}
		x->marked.at[w] |= 1u << member % 32;
		if (w < r->first) r->first = w;
		if (w >= r->end) r->end = w + 1;
	}
	return true;
}

static bool reserve_marks(const struct gcdc_artifact *a, struct step_table *x)
{
	while (x->marked.n < a->info.n_sets / 32 + 1)
		if (!vec32_push(x->memory, &x->marked, 0)) return false;
	return true;
}

// The sets that are marked, ascending; none is then.
static bool take_marked(struct step_table *x, struct marked_range r, struct vec32 *sets)
{
	bool ok = true;
	sets->n = 0;
	for (uint32_t w = r.first; w < r.end; w++) {
		for (uint32_t bits = x->marked.at[w]; bits && ok; bits &= bits - 1)
			ok = vec32_push(x->memory, sets, w * 32 + (uint32_t)__builtin_ctz(bits));
		x->marked.at[w] = 0;
	}
	return ok;
}

// Sets and parts become sets, ascending, each once: each marks its bit.
static bool spread_parts(const struct gcdc_artifact *a, struct step_table *x, struct vec32 *sets)
{
	const uint32_t *words = step_words(x->store);
	const struct stored_words *parts = __atomic_load_n(&x->store->shown_parts, __ATOMIC_ACQUIRE);
	uint32_t stamp = ++x->n_spread;
	bool ok = reserve_marks(a, x);
	struct marked_range r = {x->marked.n, 0};
	while (sets->n && ok) {
		uint32_t set = sets->at[--sets->n], part = set & ~SET_PART;
		if (!(set & SET_PART)) {
			ok = mark_members(x, &set, 1, sets, &r);
			continue;
		}
		while (x->spread.n <= part && ok) ok = vec32_push(x->memory, &x->spread, 0);
		if (!ok || x->spread.at[part] == stamp) continue;
		x->spread.at[part] = stamp;
		ok = mark_members(x, words + parts[part].at, parts[part].n, sets, &r);
	}
	return take_marked(x, r, sets) && ok;
}

// The union of sets and parts. Half of them come from another step as they are: those are kept under their words.
static gcdc_status union_of_parts(const struct gcdc_artifact *a, struct step_table *x, struct vec32 *sets,
                                  uint32_t *union_id)
{
	bool is_new;
	uint32_t key = word_lists_add(x->memory, &x->union_keys, sets->at, sets->n, &is_new);
	if (key == ARTIFACT_NONE) return GCDC_ERR_MEMORY;
	*union_id = x->union_keys.list[key].value;
	if (*union_id != ARTIFACT_NONE) return GCDC_OK;
	if (!spread_parts(a, x, sets)) return GCDC_ERR_MEMORY;
	gcdc_status status = step_table_union_of(a, x, sets, union_id);
	if (!status) x->union_keys.list[key].value = *union_id;
	return status;
}

// The thresholds of a step that fit, as a union; they are in x->key, behind the step's number.
static gcdc_status slot_of(const struct gcdc_artifact *a, struct step_table *x, const struct step *p,
                           uint32_t *union_id)
{
	bool is_new;
	uint32_t slot = word_lists_add(x->memory, &x->slots, x->key.at, x->key.n, &is_new);
	if (UNLIKELY(slot == ARTIFACT_NONE)) return GCDC_ERR_MEMORY;
	*union_id = x->slots.list[slot].value;
	if (LIKELY(*union_id != ARTIFACT_NONE)) return GCDC_OK;
	struct vec32 *sets = &x->values;  // no more used
	sets->n = 0;
	const uint32_t *w = step_words(x->store) + p->body;
	w += 1 + 2 * w[0];
	uint32_t n_expressions = *w++;
	for (uint32_t e = 0; e < n_expressions; e++) {
		w += 1 + 2 * w[0];
		uint32_t n_bases = w[0], n_sets = w[1], fits = x->key.at[1 + e], end = fits ? w[2 + 2 * (fits - 1) + 1] : 0;
		w += 2 + 2 * n_bases;
		for (uint32_t i = 0; i < end; i++)
			if (!vec32_push(x->memory, sets, w[i])) return GCDC_ERR_MEMORY;
		w += n_sets;
	}
	gcdc_status status = union_of_parts(a, x, sets, union_id);
	if (!status) x->slots.list[slot].value = *union_id;
	return status;
}

// The sets of a site that fits.
static gcdc_status union_of_site(struct step_table *x, uint32_t at, uint32_t *union_id)
{
	struct site site;
	memcpy(&site, step_words(x->store) + at, sizeof site);
	const uint32_t *sets = step_words(x->store) + at + sizeof site / 4 + site.height;
	return step_table_union_of_sets(x->artifact, x, sets, site.n_sets, union_id);
}

// ---- Reading.
// The least that the frames `down` below f answer.
static gcdc_status step_table_ask(struct gcdc_matcher *m, uint32_t f, uint32_t down, uint32_t control, uint32_t *value)
{
	struct step_table *x = m->pool->step_table;
	const struct frame *frames = m->pool->at;
	*value = PRICE_NEVER;
	if (LIKELY(!(frames[f].depth & FRAME_BRANCHED))) {
		for (; down && f; down--) f = frames[f].parent;
		return f ? price_frame(m, f, control, value) : GCDC_OK;
	}
	gcdc_status status = price_go_down(m, f, down, &x->frames, &x->below);
	for (uint32_t i = 0; i < x->frames.n && !status; i++) {
		uint32_t one;
		status = price_frame(m, x->frames.at[i], control, &one);
		if (!status && one < *value) *value = one;
	}
	return status;
}

// The thresholds of a step that fit on a frame, if there are any: onto .fitted. *all: false where some do not; one that
// no number of tokens fits is none of the plain mask.
// Branches: the loops of the stored step (pairs, expressions, terms, bases) stand in the order of its words.
static gcdc_status take_step(struct gcdc_matcher *m, struct step_table *x, uint32_t number, uint32_t f, uint32_t enough,
                             bool *all)
{
	const struct step *p = step_at_number(x->store, number);
	const uint32_t *w = step_words(x->store) + p->body;
	uint32_t n_pairs = *w++, any = 0;
	x->values.n = x->key.n = 0;
	for (uint32_t i = 0; i < n_pairs; i++, w += 2) {
		uint32_t value;
		gcdc_status status = step_table_ask(m, f, w[0], w[1], &value);
		if (UNLIKELY(status)) return status;
		if (!vec32_push(x->memory, &x->values, value)) return GCDC_ERR_MEMORY;
	}
	uint32_t n_expressions = *w++;
	if (!n_expressions) return GCDC_OK;
	bool ok = vec32_push(x->memory, &x->key, number);
	for (uint32_t e = 0; e < n_expressions && ok; e++) {
		uint32_t n_terms = *w++, least = n_terms ? PRICE_NEVER : 0, fits = 0;
		for (uint32_t i = 0; i < n_terms; i++, w += 2) {
			assert(w[0] < n_pairs);
			uint32_t value = price_sum(x->values.at[w[0]], w[1]);
			if (value < least) least = value;
		}
		uint32_t n_bases = w[0], n_sets = w[1];
		w += 2;
		for (uint32_t i = 1; i < n_bases; i++) assert(w[2 * i - 2] < w[2 * i]);  // thresholds ascend
		while (least <= enough && fits < n_bases && w[2 * fits] <= enough - least) fits++;
		w += 2 * n_bases + n_sets;
		any |= fits;
		*all &= fits == n_bases || least == PRICE_NEVER;
		ok = vec32_push(x->memory, &x->key, fits);
	}
	if (!any || !ok) return ok ? GCDC_OK : GCDC_ERR_MEMORY;
	ok = vec32_push(x->memory, &x->fitted, x->key.n);
	for (uint32_t i = 0; i < x->key.n && ok; i++) ok = vec32_push(x->memory, &x->fitted, x->key.at[i]);
	return ok ? GCDC_OK : GCDC_ERR_MEMORY;
}

// What .fitted says, as unions.
static gcdc_status list_unions(struct step_table *x, struct vec32 *unions)
{
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0, n; i < x->fitted.n && !status; i += n) {
		uint32_t union_id = x->fitted.at[i + 1] & ~FITTED_UNION;
		bool ok = true;
		n = x->fitted.at[i++];
		x->key.n = 0;
		for (uint32_t k = 0; k < n && ok; k++) ok = vec32_push(x->memory, &x->key, x->fitted.at[i + k]);
		if (!ok) return GCDC_ERR_MEMORY;
		if (x->key.at[0] & FITTED_SITE)
			status = union_of_site(x, x->key.at[0] & ~FITTED_SITE, &union_id);
		else if (!(x->key.at[0] & FITTED_UNION))
			status = slot_of(x->artifact, x, step_at_number(x->store, x->key.at[0]), &union_id);
		if (!status) status = step_table_put_union(x, union_id, unions);
	}
	return status;
}

// Unions of sets become one; those of tokens of their own stay apart, behind.
static gcdc_status join(struct step_table *x, struct vec32 *unions)
{
	struct vec32 *sets = &x->values;
	uint32_t n = 0, before = x->unions.n, union_id;
	for (uint32_t i = 0; i < unions->n; i++) {
		if (!x->unions.at[unions->at[i]].n_sets) continue;
		union_id = unions->at[n];
		unions->at[n++] = unions->at[i], unions->at[i] = union_id;
	}
	if (n < 2 || x->n_joined == JOINED_MAX) return GCDC_OK;
	if (!reserve_marks(x->artifact, x)) return GCDC_ERR_MEMORY;
	struct marked_range r = {x->marked.n, 0};
	bool ok = true;
	for (uint32_t i = 0; i < n && ok; i++) {
		const struct set_union *p = &x->unions.at[unions->at[i]];
		ok = mark_members(x, x->unions.words.at + p->sets, p->n_sets, sets, &r);  // none is a part
	}
	if (!take_marked(x, r, sets) || !ok) return GCDC_ERR_MEMORY;
	gcdc_status status = step_table_union_of(x->artifact, x, sets, &union_id);
	if (status) return status;
	x->n_joined += x->unions.n != before;
	unions->at[0] = union_id;
	memmove(unions->at + 1, unions->at + n, (unions->n - n) * sizeof *unions->at);
	unions->n -= n - 1;
	return GCDC_OK;
}

// What comes a second time is kept, its unions joined.
#define SEEN_ONCE (ARTIFACT_NONE - 1)
gcdc_status step_table_unite(struct step_table *x, struct vec32 *unions)
{
	bool is_new, ok = true;
	if (!x->fitted.n) return GCDC_OK;
	uint32_t mask = word_lists_add(x->memory, &x->masks, x->fitted.at, x->fitted.n, &is_new);
	if (UNLIKELY(mask == ARTIFACT_NONE)) return GCDC_ERR_MEMORY;
	uint32_t at = x->masks.list[mask].value;
	if (LIKELY(at < SEEN_ONCE)) {
		for (uint32_t i = 1; i <= x->unions.words.at[at] && ok; i++)
			ok = vec32_push(x->memory, unions, x->unions.words.at[at + i]);
		return ok ? GCDC_OK : GCDC_ERR_MEMORY;
	}
	gcdc_status status = list_unions(x, unions);
	if (at == ARTIFACT_NONE) {
		x->masks.list[mask].value = SEEN_ONCE;
		return status;
	}
	if (!status) status = join(x, unions);
	at = x->unions.words.n;
	ok = vec32_push(x->memory, &x->unions.words, unions->n);
	for (uint32_t i = 0; i < unions->n && ok; i++) ok = vec32_push(x->memory, &x->unions.words, unions->at[i]);
	if (!ok || status) return status ? status : GCDC_ERR_MEMORY;
	x->masks.list[mask].value = at;
	return GCDC_OK;
}

// Goes on to the frames that a node reads: they are put on x->todo.
static gcdc_status go_below(struct gcdc_matcher *m, struct step_table *x, uint32_t f, const struct step *p,
                            struct line_columns c)
{
	gcdc_status status = price_go_down(m, f, p->skip + 1, &x->frames, &x->below);
	for (uint32_t i = 0; i < x->frames.n && !status; i++) {
		bool is_new = true;
		if (m->pool->at[f].depth & FRAME_BRANCHED &&
		    !pair_map_add(x->memory, &x->seen, x->frames.at[i], p->node, &is_new))
			return GCDC_ERR_MEMORY;
		if (!is_new) continue;
		if (!step_table_go_on(x, x->frames.at[i], p->node, c.open, c.is_deeper)) return GCDC_ERR_MEMORY;
	}
	return status;
}

// Branches: a step has tries, tokens tried, a union, sites and a node below, each read in its own loop that may fail.
gcdc_status step_table_read(struct gcdc_matcher *m, const struct reading *r, uint32_t column, uint32_t enough,
                            struct step_result to, bool *told)
{
	struct step_table *x = m->pool->step_table;
	gcdc_status status = GCDC_OK;
	x->todo.n = 0;
	pair_map_clear(&x->seen);
	x->held.n = 0;
	const struct artifact_cost_way *way = price_way(m->artifact, lex_base(m->artifact, r->lex_state), 0);
	if (!way) return GCDC_OK;
	uint32_t first = PLACE_OUTCOME | (r->lex_state == x->store->line_state ? PLACE_LINE : 0) | way->outcome;
	bool is_line =
		first & PLACE_LINE && takes_line(m, &m->artifact->lex_states[lex_base(m->artifact, r->lex_state)], r->frame);
	if (!step_table_go_on(x, r->frame, first, r->columns, false)) return GCDC_ERR_MEMORY;
	if (UNLIKELY(is_line)) status = step_table_begin_lines(m, r, column, told);
	while (x->todo.n && *told && !status) {
		const uint32_t *next = &x->todo.at[x->todo.n -= 4], f = next[0], place = next[1];
		const struct line_columns columns = {next[2], next[3], column};
		uint32_t number;
		status = step_of(m->artifact, x->store, place, m->pool->at[f].lr_state, &number);
		if (UNLIKELY(status)) break;
		const struct step p = *step_at_number(x->store, number);
		const uint32_t *words = step_words(x->store);
		*told &= !p.open;
		if (!*told) break;
		*to.all &= !p.n_tries && !p.n_tried;
		for (uint32_t i = 0; i < p.n_tries && !status; i++)
			if (!vec32_push(x->memory, to.tries, words[p.tries + i])) status = GCDC_ERR_MEMORY;
		for (uint32_t i = 0; i < p.n_tried && !status; i++)
			if (!vec32_push(x->memory, &x->tried, words[p.tried + i])) status = GCDC_ERR_MEMORY;
		if (!status) status = take_step(m, x, number, f, enough, to.all);
		for (uint32_t i = 0, at = p.sites; i < p.n_sites && !status; i++) {
			status = step_table_take_site(m, at, f, columns, enough, to);
			struct site site;
			memcpy(&site, words + at, sizeof site);
			at += (uint32_t)sizeof site / 4 + site.height + site.n_sets;
		}
		if (!status && p.node != ARTIFACT_NONE) status = go_below(m, x, f, &p, columns);
	}
	release_tops(m, &x->held);
	return status;
}
