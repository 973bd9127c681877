// Proves of the steps that texts have made what reading them and making others from them relies on.
//
// In:  the sections KEPT_*, their lengths equal to what the counts say.  Out: GCDC_OK, or the first word that is wrong.
// Every list and step lies within the words and fills them; every number in them is one of the artifact's own, or of a
// list that there is; bases and ends of thresholds ascend; a part holds earlier parts only. That the steps are those of
// this grammar is not proved: forged ones make other masks, as forged sets do. Cost: O(words), one pass.
#include "step_build.h"

#include <stddef.h>

struct kept_reader {
	const struct gcdc_artifact *a;
	gcdc_refusal *why;
	uint32_t at;
	bool has_lines;   // some lexer state decides columns
	uint32_t number;  // of the list at hand
};

static gcdc_status wrong_at(const struct kept_reader *r, const uint32_t *w, const char *what, uint64_t limit)
{
	return refuse_number(r->why, SECTION_KEPT_WORD, (uint64_t)(w - r->a->kept_words) * 4, what, *w, limit);
}

// n words more, or NULL.
static const uint32_t *take(struct kept_reader *r, uint64_t n)
{
	const uint32_t left = r->a->kept_info->n_words - r->at;
	if (n > left) return NULL;
	r->at += (uint32_t)n;
	return r->a->kept_words + r->at - n;
}

static gcdc_status ends_early(const struct kept_reader *r)
{
	return refuse(r->why, GCDC_ERR_FORMAT, SECTION_KEPT_WORD, (uint64_t)r->at * 4,
	              "section %u, byte %llu: the words end in the middle", SECTION_KEPT_WORD,
	              (unsigned long long)r->at * 4);
}

static gcdc_status check_below(const struct kept_reader *r, const uint32_t *w, uint64_t limit, const char *what)
{
	return *w < limit ? GCDC_OK : wrong_at(r, w, what, limit);
}

// A set that a mask may take as it is: without EOS ids, which end the text.
static gcdc_status check_set(const struct kept_reader *r, const uint32_t *w)
{
	gcdc_status status = check_below(r, w, r->a->info.n_sets, "set");
	if (!status && r->a->sets[*w].flags & SET_EOS) status = wrong_at(r, w, "set with EOS ids, which end the text", 0);
	return status;
}

static gcdc_status check_set_or_part(const struct kept_reader *r, const uint32_t *w, uint32_t n_parts)
{
	if (!(*w & SET_PART)) return check_set(r, w);
	return (*w & ~SET_PART) < n_parts ? GCDC_OK : wrong_at(r, w, "part", SET_PART | n_parts);
}

static gcdc_status check_question(const struct kept_reader *r, const uint32_t *w)
{
	if (*w == COST_AT_END && !r->a->info.n_lines) return GCDC_OK;
	return check_below(r, w, r->a->cost_info->n_controls, "control");
}

// ---- Entries of lists.
static gcdc_status check_continuation(const struct kept_reader *r, const uint32_t *w)
{
	const struct artifact_cost_info *c = r->a->cost_info;
	if (w[0] == CUT) {
		gcdc_status status = check_below(r, w + 1, c->n_remainders, "remainder");
		return status ? status : check_below(r, w + 2, r->a->info.n_sets, "set");
	}
	if (w[0] == LINE && r->has_lines) return check_set(r, w + 1);
	gcdc_status status = check_below(r, w, (uint64_t)c->most + 1, "tokens");
	if (!status) status = check_question(r, w + 1);
	return status ? status : check_set(r, w + 2);
}

static gcdc_status check_item(const struct kept_reader *r, const uint32_t *w)
{
	gcdc_status status = check_below(r, w, r->a->info.n_terminals, "terminal");
	return status ? status : check_below(r, w + 1, r->a->kept_info->n_continuations, "list of continuations");
}

static gcdc_status check_waiting(const struct kept_reader *r, const uint32_t *w)
{
	gcdc_status status = w[0] ? check_below(r, w, COST_MAX_POP + 1, "frames down (1 to COST_MAX_POP)")
	                          : wrong_at(r, w, "frames down (1 to COST_MAX_POP)", 1);
	if (!status) status = check_below(r, w + 1, r->a->info.n_nonterminals, "nonterminal");
	return status ? status : check_below(r, w + 2, r->a->kept_info->n_groups, "group");
}

static gcdc_status check_member(const struct kept_reader *r, const uint32_t *w)
{
	return check_set_or_part(r, w, r->number);
}

static gcdc_status check_term(const struct kept_reader *r, const uint32_t *w)
{
	gcdc_status status = check_below(r, w, COST_MAX_POP + 1, "frames down (COST_MAX_POP)");
	if (!status) status = check_question(r, w + 1);
	return status ? status : check_below(r, w + 2, COST_NEVER, "tokens");
}

struct list_rule {
	uint32_t n, words;  // lists; words of an entry
	gcdc_status (*check)(const struct kept_reader *r, const uint32_t *w);
};
static gcdc_status check_lists(struct kept_reader *r, const struct list_rule *rule)
{
	gcdc_status status = GCDC_OK;
	for (r->number = 0; r->number < rule->n && !status; r->number++) {
		const uint32_t *n = take(r, 1), *w = n ? take(r, *n) : NULL;
		if (!w) return ends_early(r);
		if (!*n || *n % rule->words) return wrong_at(r, n, "words of a list, whose entries have", rule->words);
		for (uint32_t i = 0; i < *n && !status; i += rule->words) status = rule->check(r, w + i);
	}
	return status;
}

// ---- Steps.
// How far the sets of each base go, the last one's to the end.
static gcdc_status check_bases(const struct kept_reader *r, const uint32_t *bases, uint32_t n, uint32_t n_sets)
{
	uint32_t end = 0;
	for (uint32_t i = 0; i < n; i++, end = bases[2 * i - 1]) {
		const uint32_t *x = bases + 2 * i;
		if (x[0] == COST_NEVER || (i && x[0] <= x[-2])) return wrong_at(r, x, "bases must ascend", i ? x[-2] : 0);
		if (x[1] <= end || x[1] > n_sets) return wrong_at(r, x + 1, "end of the sets of a base", n_sets);
	}
	return end == n_sets ? GCDC_OK : wrong_at(r, bases - 1, "sets, of which the bases say otherwise", end);
}

static gcdc_status check_thresholds(struct kept_reader *r)
{
	const uint32_t *head = take(r, 2), *bases = head ? take(r, 2 * (uint64_t)head[0]) : NULL,
				   *sets = bases ? take(r, head[1]) : NULL;
	if (!sets) return ends_early(r);
	gcdc_status status = check_bases(r, bases, head[0], head[1]);
	for (uint32_t i = 0; i < head[1] && !status; i++) status = check_set_or_part(r, sets + i, r->a->kept_info->n_parts);
	return status;
}

static gcdc_status check_pairs(struct kept_reader *r, uint32_t *n_pairs)
{
	const uint32_t *n = take(r, 1), *w = n ? take(r, 2 * (uint64_t)*n) : NULL;
	gcdc_status status = GCDC_OK;
	if (!w) return ends_early(r);
	for (uint32_t i = 0; i < *n && !status; i++) {
		status = check_below(r, w + 2 * i, COST_MAX_POP + 1, "frames down (COST_MAX_POP)");
		if (!status) status = check_question(r, w + 2 * i + 1);
	}
	*n_pairs = *n;
	return status;
}

static gcdc_status check_terms(struct kept_reader *r, uint32_t n_pairs)
{
	const uint32_t *n = take(r, 1), *w = n ? take(r, 2 * (uint64_t)*n) : NULL;
	gcdc_status status = GCDC_OK;
	if (!w) return ends_early(r);
	for (uint32_t i = 0; i < *n && !status; i++) status = check_below(r, w + 2 * i, n_pairs, "question of a step");
	return status;
}

static gcdc_status check_body(struct kept_reader *r, bool is_of_summary)
{
	uint32_t n_pairs = 0;
	gcdc_status status = is_of_summary ? GCDC_OK : check_pairs(r, &n_pairs);
	const uint32_t *n = status ? NULL : take(r, 1);
	if (!n) return status ? status : ends_early(r);
	for (uint32_t i = 0; i < *n && !status; i++) {
		const uint32_t *expression = is_of_summary ? take(r, 1) : NULL;
		if (is_of_summary && !expression) return ends_early(r);
		status = is_of_summary ? check_below(r, expression, (uint64_t)r->a->kept_info->n_expressions + 1, "expression")
		                       : check_terms(r, n_pairs);
		if (!status) status = check_thresholds(r);
	}
	return status;
}

static gcdc_status check_site(struct kept_reader *r)
{
	struct site site;
	const uint32_t *w = take(r, sizeof site / 4);
	if (!w) return ends_early(r);
	memcpy(&site, w, sizeof site);
	const uint32_t *states = take(r, site.height), *sets = states ? take(r, site.n_sets) : NULL;
	if (!sets) return ends_early(r);
	gcdc_status status = r->has_lines ? check_below(r, w + offsetof(struct site, height) / 4, HEIGHT_MAX,
	                                                "states of a site (HEIGHT_MAX)")
	                                  : wrong_at(r, w, "a site where lines have no columns", 0);
	for (uint32_t i = 0; i < site.height && !status; i++)
		status = check_below(r, states + i, r->a->info.n_lr_states, "parser state");
	for (uint32_t i = 0; i < site.n_sets && !status; i++) status = check_set(r, sets + i);
	return status;
}

// Is there what the step's place names?
static bool is_place(const struct kept_reader *r, uint32_t place)
{
	const struct artifact_kept_info *e = r->a->kept_info;
	if (place & PLACE_OUTCOME)
		return (place & ~(PLACE_OUTCOME | PLACE_LINE)) < r->a->cost_info->n_outcomes &&
		       (r->has_lines || !(place & PLACE_LINE));
	if (!is_summary(place)) return place < e->n_nodes;
	const uint32_t list = (place & ~PLACE_SUMMARY) >> KIND_BITS;
	return kind_of(place) == GROUP ? list < e->n_groups : kind_of(place) <= ENDS && list < e->n_continuations;
}

static gcdc_status check_record(const struct kept_reader *r, uint32_t i)
{
	const struct artifact_kept_step *k = &r->a->kept_steps[i];
	const uint64_t at = (uint64_t)i * sizeof *k;
#define WRONG(field, what, limit)                                                                                      \
	refuse_number(r->why, SECTION_KEPT_STEP, at + offsetof(struct artifact_kept_step, field), what, k->field, limit)
	if (!is_place(r, k->place)) return WRONG(place, "place of a step", 0);
	if (k->lr_state >= r->a->info.n_lr_states) return WRONG(lr_state, "parser state", r->a->info.n_lr_states);
	if (k->node != ARTIFACT_NONE && k->node >= r->a->kept_info->n_nodes)
		return WRONG(node, "node", r->a->kept_info->n_nodes);
	if (k->skip > COST_MAX_POP) return WRONG(skip, "frames passed over (COST_MAX_POP)", COST_MAX_POP);
	return GCDC_OK;
#undef WRONG
}

static gcdc_status check_step(struct kept_reader *r, uint32_t i)
{
	const struct artifact_kept_step *k = &r->a->kept_steps[i];
	const uint32_t body = r->at;
	gcdc_status status = check_record(r, i);
	if (!status) status = check_body(r, is_summary(k->place));
	if (status) return status;
	if (r->at - body != k->n_body)
		return refuse_number(r->why, SECTION_KEPT_STEP,
		                     (uint64_t)i * sizeof *k + offsetof(struct artifact_kept_step, n_body),
		                     "words of a step, which has", k->n_body, r->at - body);
	const uint32_t *tries = take(r, k->n_tries), *tried = tries ? take(r, k->n_tried) : NULL;
	if (!tried) return ends_early(r);
	for (uint32_t t = 0; t < k->n_tries && !status; t++) status = check_below(r, tries + t, r->a->info.n_sets, "set");
	for (uint32_t t = 0; t < k->n_tried && !status; t++)
		status = check_below(r, tried + t, r->a->info.n_tokens, "token");
	for (uint32_t t = 0; t < k->n_sites && !status; t++) status = check_site(r);
	return status;
}

gcdc_status kept_counts_validate(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct artifact_kept_info *e = a->kept_info;
	const struct count_rule rules[] = {
#define RULE(field, least, most, what) {offsetof(struct artifact_kept_info, field), e->field, least, most, what}
		RULE(n_steps, 1, KEPT_MAX_STEPS, "kept steps (KEPT_MAX_STEPS)"),
		RULE(n_words, 1, KEPT_MAX_WORDS, "words of kept steps (KEPT_MAX_WORDS)"),
		RULE(n_continuations, 0, KEPT_MAX_LISTS, "lists of continuations (KEPT_MAX_LISTS)"),
		RULE(n_groups, 0, KEPT_MAX_LISTS, "groups (KEPT_MAX_LISTS)"),
		RULE(n_nodes, 0, KEPT_MAX_LISTS, "nodes of kept steps (KEPT_MAX_LISTS)"),
		RULE(n_parts, 0, KEPT_MAX_LISTS, "parts (KEPT_MAX_LISTS)"),
		RULE(n_expressions, 0, KEPT_MAX_LISTS, "expressions (KEPT_MAX_LISTS)"),
		RULE(reserved, 0, 0, "reserved field"),
#undef RULE
	};
	return counts_validate(rules, sizeof rules / sizeof *rules, SECTION_KEPT_INFO, why);
}

gcdc_status kept_validate(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct artifact_kept_info *e = a->kept_info;
	struct kept_reader r = {.a = a, .why = why, .has_lines = step_line_state(a) != 0};
	const struct list_rule rules[] = {{e->n_continuations, CONT_WORDS - 1, check_continuation},
	                                  {e->n_groups, 2, check_item},
	                                  {e->n_nodes, WAITING_WORDS, check_waiting},
	                                  {e->n_parts, 1, check_member},
	                                  {e->n_expressions, TERM_WORDS, check_term}};
	gcdc_status status = GCDC_OK;
	for (size_t i = 0; i < sizeof rules / sizeof *rules && !status; i++) status = check_lists(&r, &rules[i]);
	for (uint32_t i = 0; i < e->n_steps && !status; i++) status = check_step(&r, i);
	if (status || r.at == e->n_words) return status;
	return refuse_number(why, SECTION_KEPT_WORD, (uint64_t)r.at * 4, "words that are of no step", e->n_words - r.at, 0);
}
