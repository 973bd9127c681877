// Is there a canonical way on behind a token? The search that knows the stack.
//
// In:  a position, a token of its mask.  Out: found; the frames of the stack that the answer rests on.
// Steps over the token. What lies there is proved to lead on (live.c), or may end, or its mask's canonical
// tokens are gone on with, depth first; first the one that led on from a place like it. The answer is exact, or
// CANON_PROBE_DEPTH or CANON_PROBE_MAX has been passed, and is_cut says so; or the searches of the mask at hand have
// together done all work of a mask, which is counted, not timed. The depth of the deepest frame that it read is noted
// (frame_note), so that answers can be kept for all stacks with the same frames on top. Cost: 0.3 microseconds where
// the first look proves it, else some microseconds for each token gone on with.
#include "far.h"
#include "found_cache.h"

#define SEARCH_LISTED 256u  // tokens of sets that are tried without a row of them
#define SEARCH_LOOKS 2u     // tokens that the mask is asked for, for one of work
#define SEARCH_FEW 24u      // tokens of a mask that are tried before it is found which of it are canonical

// The frames that reading the sets of a simple position's one reading takes, and whether one of them leads on.
struct stack_walk {
	uint32_t set, node, frame;
};

static void walk_begin(const struct gcdc_matcher *m, struct reading r, struct stack_walk *w)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct artifact_lr_state *top = &a->lr_states[m->pool->at[r.frame].lr_state];
	const uint32_t base = artifact_start_base(a, r.lex_state, top->context);
	*w = (struct stack_walk){.frame = r.frame};
	if (base == ARTIFACT_NONE) return;
	w->set = a->starts[base + top->rank].set, w->node = a->starts[base + top->rank].node;
}

static bool walk_next(const struct gcdc_matcher *m, struct stack_walk *w)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct artifact_node *n = &a->nodes[w->node];
	if (!w->node || n->skip >= frame_depth(m->pool, w->frame)) return false;
	for (uint32_t k = 0; k <= n->skip; k++) w->frame = m->pool->at[w->frame].parent;
	frame_note(m->pool, w->frame);
	const struct artifact_target *to = artifact_target_of(a, n, m->pool->at[w->frame].lr_state);
	w->set = to->set, w->node = to->next;
	return true;
}

static bool is_unsure(const struct gcdc_artifact *a, uint32_t set) { return a->sets[set].maybe; }

// What is looked for: what leads on (NULL: nothing is known to), the text's end; and what has been seen.
struct sought {
	const struct canonical_live *live;
	bool ends;    // the text may end here as far as the tokenizer is asked
	bool only;    // there is no other reading
	bool simple;  // the sets have been looked at, and are all there is
	bool found;
};

// What one simple stack allows for sure, set after set, down to the first that leads on.
static gcdc_status look_at(struct gcdc_matcher *m, struct reading r, struct sought *s)
{
	struct stack_walk w;
	gcdc_status status = GCDC_OK;
	walk_begin(m, r, &w);
	bool any = !s->only;  // another reading may be the one that is viable
	do {
		s->simple &= !is_unsure(m->artifact, w.set);
		s->found = s->ends && m->artifact->sets[w.set].flags & SET_EOS;
		if (!s->found && s->live) status = canonical_live_from(m, s->live, w.set, w.node, any, &s->found);
		any |= m->artifact->sets[w.set].count || is_unsure(m->artifact, w.set);
	} while (!status && !s->found && walk_next(m, &w));
	s->simple &= !takes_line(m, &m->artifact->lex_states[r.lex_state], r.frame);
	return status;
}

// The same of all readings, where each is by itself.
static gcdc_status look(struct gcdc_matcher *m, const struct position *p, struct sought *s)
{
	gcdc_status status = GCDC_OK;
	s->simple = true;
	for (uint32_t i = 0; i < p->n; i++) s->simple &= !(m->pool->at[p->at[i].frame].depth & FRAME_BRANCHED);
	bool is_each = s->simple;
	for (uint32_t i = 0; i < p->n && is_each && !s->found && !status; i++) status = look_at(m, p->at[i], s);
	return status;
}

static gcdc_status search(struct gcdc_matcher *m, const struct position *from, uint32_t token,
                          const struct canonical_place *behind, uint32_t depth, bool *found);

// What the lexeme and the top of the one reading's stack tell; *verdict: found, or that nothing can be.
static gcdc_status look_inside(struct gcdc_matcher *m, const struct position *p, enum canonical_verdict *verdict)
{
	*verdict = CANON_UNKNOWN;
	if (p->n != 1) return GCDC_OK;
	return canonical_inside(m, p->at[0].lex_state, m->pool->at[p->at[0].frame].lr_state, &p->canonical, verdict);
}

// One token of a row after the other, none twice, `most` of them, until one leads on.
static gcdc_status search_row(struct gcdc_matcher *m, uint32_t depth, uint32_t most, uint32_t *hint, bool *found)
{
	const struct gcdc_artifact *a = m->artifact;
	struct canonical_probe *at = &m->cache->tries[depth];
	for (uint32_t w = 0; w < a->info.mask_words; w++)
		for (uint32_t bits = at->mask[w]; bits; bits &= bits - 1) {
			uint32_t t = w * 32 + (uint32_t)__builtin_ctz(bits);
			if (!most--) return GCDC_OK;
			row_drop(at->mask, t);
			gcdc_status status = search(m, &at->after, t, NULL, depth + 1, found);
			if (*found) *hint = t;
			if (*found || status) return status;
		}
	return GCDC_OK;
}

// Tokens of a list, one after the other, until one leads on.
static gcdc_status search_list(struct gcdc_matcher *m, uint32_t depth, const uint32_t *tokens, uint32_t n,
                               uint32_t *hint, bool *found)
{
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < n && !*found && !status; i++) {
		if (artifact_is_eos(m->artifact, tokens[i])) continue;  // the text cannot end here
		status = search(m, &m->cache->tries[depth].after, tokens[i], NULL, depth + 1, found);
		if (*found) *hint = tokens[i];
	}
	return status;
}

// How many tokens sets list; SEARCH_LISTED + 1: too many, or not all that they have.
static uint32_t count_listed(const struct gcdc_artifact *a, const struct set_list *list)
{
	uint32_t n = list->extra.n;
	bool all = !list->unions.n && !list->without.n;
	for (uint32_t i = 0; i < list->n && all && n <= SEARCH_LISTED; i++)
		all = a->sets[list->at[i]].dense == ARTIFACT_NONE, n += a->sets[list->at[i]].n;
	return all && n <= SEARCH_LISTED ? n : SEARCH_LISTED + 1;
}

// Sets of few tokens need no row of them.
static gcdc_status search_listed(struct gcdc_matcher *m, uint32_t depth, uint32_t n, uint32_t *hint, bool *found)
{
	const struct gcdc_artifact *a = m->artifact;
	const struct set_list *list = &m->cache->tries[depth].sets;
	gcdc_status status = canonical_work(m->cache, n);
	for (uint32_t i = 0; i < list->n && !*found && !status; i++) {
		const struct artifact_set *s = &a->sets[list->at[i]];
		status = search_list(m, depth, a->sparse + s->at, s->n, hint, found);
	}
	return *found || status ? status : search_list(m, depth, list->extra.at, list->extra.n, hint, found);
}

// Inside a character: the tokens that may go on in it.
static gcdc_status search_inside(struct gcdc_matcher *m, uint32_t depth, uint32_t *hint, bool *found)
{
	const struct canonical_cache *cache = m->cache;
	const struct canonical_probe *at = &cache->tries[depth];
	gcdc_status status = GCDC_OK;
	for (uint32_t i = 0; i < cache->n_inside && !*found && !status; i++) {
		uint32_t t = cache->inside_tokens[i];
		if (i % SEARCH_LOOKS == SEARCH_LOOKS - 1) status = canonical_work(m->cache, 1);
		if (status || !sets_have(m->artifact, &at->sets, t)) continue;
		status = search(m, &at->after, t, NULL, depth + 1, found);
		if (*found) *hint = t;
	}
	return status;
}

// Some tokens of the mask, which mostly lead on, then all that are canonical; but `first`, unless it is 0.
static gcdc_status search_mask(struct gcdc_matcher *m, uint32_t depth, uint32_t first, uint32_t *hint, bool *found)
{
	const struct gcdc_artifact *a = m->artifact;
	struct canonical_probe *at = &m->cache->tries[depth];
	bool empty = false;
	if (!at->mask && !(at->mask = canonical_row_new(m->cache))) return GCDC_ERR_MEMORY;
	sets_fill(a, &at->sets, at->mask);
	if (first) row_drop(at->mask, first);
	for (uint32_t i = 0; i < a->info.n_eos; i++) row_drop(at->mask, a->eos[i]);  // the text cannot end here
	gcdc_status status = canonical_work(m->cache, 2 * canonical_work_row(m->cache));
	if (!status) status = search_row(m, depth, SEARCH_FEW, hint, found);
	if (!status && !*found) status = canonical_keep(m, &at->after.canonical, at->mask, &empty);
	return status || *found || empty ? status : search_row(m, depth, UINT32_MAX, hint, found);
}

// First the token that led on from a place like it; then those of short lists, or of the mask.
static gcdc_status search_tokens(struct gcdc_matcher *m, uint32_t depth, bool *found)
{
	const struct gcdc_artifact *a = m->artifact;
	struct canonical_probe *at = &m->cache->tries[depth];
	const struct canonical_place *p = &at->after.canonical;
	const struct reading *r = &at->after.at[0];
	uint32_t *hint = canonical_hint(m->cache, r->lex_state, m->pool->at[r->frame].lr_state, p), first = *hint;
	gcdc_status status = GCDC_OK;
	if (first && !sets_have(a, &at->sets, first)) first = 0;
	if (first) status = search(m, &at->after, first, NULL, depth + 1, found);
	if (status || *found) return status;
	if (p->n_begun) return search_inside(m, depth, hint, found);
	const uint32_t n_listed = count_listed(a, &at->sets);
	return n_listed <= SEARCH_LISTED ? search_listed(m, depth, n_listed, hint, found)
	                                 : search_mask(m, depth, first, hint, found);
}

// What the sets of all readings tell, where the stacks did not.
static gcdc_status search_sets(struct gcdc_matcher *m, uint32_t depth, const struct sought *s, bool *found)
{
	struct canonical_probe *at = &m->cache->tries[depth];
	gcdc_status status = position_sets(m, &at->after, &at->sets);
	if (status) return status == GCDC_REJECTED ? GCDC_OK : status;
	m->cache->found_ahead = (struct canonical_ahead){0};
	if (at->sets.may_end && s->ends) return *found = true, GCDC_OK;
	for (uint32_t i = 0; i < at->sets.n && s->live && !s->simple && !*found && !status; i++)
		status = canonical_live_set(m, s->live, at->sets.at[i], found);
	if (status || *found) return status;
	if (depth + 1 == CANON_PROBE_DEPTH) return m->cache->is_cut = true, GCDC_OK;
	return search_tokens(m, depth, found);
}

// What the first look leaves open: what the stack has for sure comes before what the lexeme and its top may lead to;
// both are exact, and the first is cheap.
static gcdc_status search_behind(struct gcdc_matcher *m, uint32_t depth, const struct canonical_live *l, bool *found)
{
	const struct position *after = &m->cache->tries[depth].after;
	const struct canonical_place *p = &after->canonical;
	uint32_t lowest = m->pool->lowest;
	struct sought s = {.live = l, .ends = canonical_ends(&m->artifact->canonical, p), .only = after->n == 1};
	gcdc_status status = look(m, after, &s);
	*found = s.found;
	m->cache->found_ahead = (struct canonical_ahead){0};
	if (status || *found) return status;
	// A token of the mask leads to where something is viable: with one reading, there.
	enum canonical_verdict verdict;
	status = look_inside(m, after, &verdict);
	*found = !status && verdict == CANON_ALIVE;
	if (*found) m->cache->found_ahead.steps = m->cache->found_ahead.ends = 0;
	if (after->n == 1 && (status || verdict != CANON_UNKNOWN)) {
		m->pool->lowest = lowest;  // what the stack was looked at for has not been used
		return status;
	}
	return search_sets(m, depth, &s, found);
}

// The same, where it has not been found out on a stack with the same frames on top.
static gcdc_status search_once(struct gcdc_matcher *m, uint32_t depth, const struct canonical_live *l, bool *found)
{
	struct found_place at;
	const uint32_t lowest = m->pool->lowest;
	const uint64_t lines = m->n_lines_read;
	if (!found_begin(m, &m->cache->tries[depth].after, &at)) return search_behind(m, depth, l, found);
	enum canonical_verdict known = found_get(m, &at);
	*found = known == CANON_ALIVE;
	if (*found) m->cache->found_ahead = at.ahead;
	if (known != CANON_UNKNOWN) return GCDC_OK;
	m->pool->lowest = UINT32_MAX;
	gcdc_status status = search_behind(m, depth, l, found);
	at.ahead = m->cache->found_ahead;
	if (!status && (*found || !m->cache->is_cut) && m->n_lines_read == lines)
		found_put(m, &at, m->pool->lowest, *found);
	if (lowest < m->pool->lowest) m->pool->lowest = lowest;
	return status;
}

// Does the position of try `depth` lead to an end?
static gcdc_status search_on(struct gcdc_matcher *m, uint32_t depth, bool *found)
{
	const struct position *after = &m->cache->tries[depth].after;
	const struct canonical_place *p = &after->canonical;
	struct canonical_live lead, *l = p->n_begun ? NULL : &lead;
	*found = false;
	m->cache->found_ahead = (struct canonical_ahead){0};
	gcdc_status status = l ? canonical_live_begin(m, p, l) : GCDC_OK;
	if (!status && after->n == 1)
		status = canonical_first_look(m, after->at[0].lex_state, m->pool->at[after->at[0].frame].lr_state, p, l, found);
	return *found || status ? status : search_once(m, depth, l, found);
}

static gcdc_status search(struct gcdc_matcher *m, const struct position *from, uint32_t token,
                          const struct canonical_place *behind, uint32_t depth, bool *found)
{
	const struct gcdc_artifact *a = m->artifact;
	struct position *after = &m->cache->tries[depth].after;
	uint32_t begin = a->token_offset[token], end = a->token_offset[token + 1];
	*found = artifact_is_eos(a, token);
	m->cache->found_ahead = (struct canonical_ahead){0};
	if (*found || begin == end) return GCDC_OK;
	struct canonical_place place = behind ? *behind : from->canonical;
	if (!behind && !canonical_step(a, &place, token)) return GCDC_OK;
	if (m->cache->n_tries == CANON_PROBE_MAX) return m->cache->is_cut = true, GCDC_OK;
	m->cache->n_tries++;
	if (canonical_work(m->cache, CANON_WORK_TRY)) return GCDC_ERR_SEARCH;
	gcdc_status status = position_copy(m, after, from);
	if (!status) status = position_step(m, after, a->token_bytes + begin, end - begin);
	after->canonical = place, after->left = GCDC_NONE;
	if (!status && after->n) status = search_on(m, depth, found);
	if (*found) {
		const struct far_tables *far = depth ? far_tables_of(m) : NULL;
		m->cache->found_ahead.steps++;
		if (far) m->cache->found_ahead.ends += far_ends_of(far, token);
	}
	position_release(m, after);
	return status;
}

gcdc_status canonical_search(struct gcdc_matcher *m, const struct position *p, uint32_t token,
                             const struct canonical_place *behind, bool *found)
{
	struct canonical_cache *cache = m->cache;
	uint64_t lines = m->n_lines_read;
	if (UNLIKELY(!cache->tries)) {
		cache->tries = memory_resize(&m->artifact->memory, NULL, CANON_PROBE_DEPTH, sizeof *cache->tries);
		if (!cache->tries) return GCDC_ERR_MEMORY;
		memset(cache->tries, 0, CANON_PROBE_DEPTH * sizeof *cache->tries);
	}
	cache->n_tries = 0, cache->is_cut = false, m->pool->lowest = UINT32_MAX;
	gcdc_status status = search(m, p, token, behind, 0, found);
	if (*found && !status) canonical_note_ahead(cache, token);
	cache->least = m->pool->lowest, cache->read_lines = m->n_lines_read != lines;
	if (!status && !*found && cache->is_cut) status = GCDC_ERR_SEARCH;
	return status;
}
