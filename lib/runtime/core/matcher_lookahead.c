// Looking ahead without moving: forced bytes, validation of drafts, trees of drafts.
//
// In:  a matcher, tokens or a buffer.  Out: answers; the matcher is where it was.
// All of it works on positions beside the matcher's own, with the same step and the same sets as accepting and filling.
// Forced bytes: the longest common beginning of the allowed tokens. When every byte of the language is a token of its
// own, every continuation can be spelled from any byte on, so the search goes on behind the common beginning;
// otherwise only when all allowed tokens are the common beginning itself.
// They end where a control token may come: it is no text. Forced tokens tell it.
// Cost: forced bytes O(allowed tokens that agree) a byte; drafts as accepting and filling.
#include "../../shared/control.h"
#include "matcher_step.h"

struct common {
	const uint8_t *bytes;  // of some allowed token
	uint32_t len;          // all share so many
	bool exact;            // and none is longer
	bool any;
};

// Takes the tokens of one mask word; false: nothing is common any more.
static bool common_word(const struct gcdc_artifact *a, uint32_t word, uint32_t bits, struct common *c)
{
	for (; bits; bits &= bits - 1) {
		uint32_t t = word * 32 + (uint32_t)__builtin_ctz(bits);
		const uint8_t *bytes = a->token_bytes + a->token_offset[t];
		uint32_t len = a->token_offset[t + 1] - a->token_offset[t], n = 0;
		if (len && a->info.flags & INFO_TOKEN_ENDS) len--;
		if (len && bytes[0] == CONTROL_MARK) len = 0;  // no text comes before such a token
		if (!c->any) {
			*c = (struct common){.bytes = bytes, .len = len, .exact = true, .any = true};
			if (!len) return false;
			continue;
		}
		while (n < len && n < c->len && bytes[n] == c->bytes[n]) n++;
		c->exact &= n == len && n == c->len;
		c->len = n;
		if (!n) return false;
	}
	return true;
}

static struct common common_beginning(const struct gcdc_artifact *a, const struct set_list *list, const uint32_t *row)
{
	struct common c = {0};
	for (uint32_t w = 0; row && w < a->info.mask_words; w++)
		if (!common_word(a, w, row[w], &c)) break;
	if (row) return c;
	for (uint32_t i = 0; i < list->n; i++) {
		for (struct set_words w = set_words(a, &a->sets[list->at[i]]); set_words_next(a, &w);)
			if (!common_word(a, w.word, w.bits, &c)) return c;
	}
	for (uint32_t i = 0; i < list->extra.n; i++)
		if (!common_word(a, list->extra.at[i] / 32, 1u << list->extra.at[i] % 32, &c)) return c;
	return c;
}

// Branches: the common bytes end where the text may end, the room ends, a budget counts tokens, or a token is longer
// than they are.
gcdc_status gcdc_matcher_forced_bytes(gcdc_matcher *m, uint8_t *bytes, size_t cap, size_t *n)
{
	if (n) *n = 0;
	if (!m || !n || (!bytes && cap)) return GCDC_ERR_ARGUMENT;
	if (m->now->terminated) return GCDC_TERMINATED;
	const struct gcdc_artifact *a = m->artifact;
	gcdc_status status = matcher_sets(m);
	if (status) return status;
	size_t done = 0;
	struct set_list *list = &m->sets;
	status = position_copy(m, m->work, m->now);
	if (status) return status;
	while (done < cap && !list->may_end) {
		status = sets_flatten(a, list);
		if (status) break;
		uint32_t *row;
		if ((status = sets_row(m, list, &row))) break;
		struct common c = common_beginning(a, list, row);
		if (!c.len) break;
		size_t take = c.len < cap - done ? c.len : cap - done;
		memcpy(bytes + done, c.bytes, take);
		done += take;
		if (m->now->left != GCDC_NONE) break;  // how many tokens these bytes are is not known
		if (take < c.len || !(c.exact || a->info.flags & INFO_ALL_BYTES)) break;
		list = &m->probe;
		// Tokens are counted only where all that are allowed end here (exact): then their end is passed, too.
		status = position_step(m, m->work, c.bytes, c.len + (a->info.flags & INFO_TOKEN_ENDS ? 1 : 0));
		if (!status && m->work->n) status = position_sets(m, m->work, list);
		if (status || !m->work->n) break;
	}
	position_release(m, m->work);
	if (status < 0) return status;
	*n = done;
	return GCDC_OK;
}

// The position after a token that p's mask allows, in p itself.
static gcdc_status take_token(struct gcdc_matcher *m, struct position *p, uint32_t token)
{
	const struct gcdc_artifact *a = m->artifact;
	if (p->left != GCDC_NONE && p->left) p->left--;
	if (artifact_is_eos(a, token)) {
		p->terminated = 1;
		return m->artifact->parts->budget->spend_completion(m, p, token);
	}
	bool relaxed;
	if (a->canonical.info) a->parts->canonical->advance(a, &p->canonical, token, &relaxed);
	uint32_t begin = a->token_offset[token], end = a->token_offset[token + 1];
	gcdc_status status = position_step(m, p, a->token_bytes + begin, end - begin);
	if (status) return status;
	return p->n && begin != end ? m->artifact->parts->budget->spend_completion(m, p, token) : GCDC_ERR_INTERNAL;
}

// The only token of a list of sets, or NONE. row: as sets_row has it.
static uint32_t only_in_sets(const struct gcdc_artifact *a, const struct set_list *list, const uint32_t *row)
{
	uint32_t only = ARTIFACT_NONE;
	for (uint32_t w = 0; row && w < a->info.mask_words; w++) {
		if (!row[w]) continue;
		if (only != ARTIFACT_NONE || row[w] & (row[w] - 1)) return ARTIFACT_NONE;
		only = w * 32 + (uint32_t)__builtin_ctz(row[w]);
	}
	if (row) return only;
	for (uint32_t i = 0; i < list->n; i++) {
		for (struct set_words w = set_words(a, &a->sets[list->at[i]]); set_words_next(a, &w);) {
			uint32_t token = w.word * 32 + (uint32_t)__builtin_ctz(w.bits);
			if (w.bits & (w.bits - 1) || (only != ARTIFACT_NONE && only != token)) return ARTIFACT_NONE;
			only = token;
		}
	}
	for (uint32_t i = 0; i < list->extra.n; i++) {
		if (only != ARTIFACT_NONE && only != list->extra.at[i]) return ARTIFACT_NONE;
		only = list->extra.at[i];
	}
	return only;
}

gcdc_status forced_by_masks(struct gcdc_matcher *m, uint32_t *tokens, size_t cap, size_t *n)
{
	const struct gcdc_artifact *a = m->artifact;
	gcdc_status status = matcher_sets(m);
	if (!status) status = position_copy(m, m->work, m->now);
	if (status) return status;
	struct set_list *list = &m->sets;
	size_t done = 0;
	while (done < cap && !list->may_end) {
		status = sets_flatten(a, list);
		uint32_t *row = NULL;
		if (!status) status = sets_row(m, list, &row);
		uint32_t token = status ? ARTIFACT_NONE : only_in_sets(a, list, row);
		if (token == ARTIFACT_NONE) break;
		tokens[done++] = token;
		status = take_token(m, m->work, token);
		list = &m->probe;
		if (!status && done < cap) status = position_sets(m, m->work, list);
		if (status) break;
	}
	position_release(m, m->work);
	if (status) return status == GCDC_REJECTED ? GCDC_ERR_INTERNAL : status;
	*n = done;
	return GCDC_OK;
}

// Branches: each of the three steps of a token (allowed, taken, next mask) may end the walk with an error or without.
gcdc_status gcdc_matcher_validate(gcdc_matcher *m, const uint32_t *tokens, size_t n, size_t *accepted)
{
	if (accepted) *accepted = 0;
	if (!m || !accepted || (!tokens && n)) return GCDC_ERR_ARGUMENT;
	if (m->now->terminated) return GCDC_TERMINATED;
	gcdc_status status = matcher_sets(m);
	if (status) return status;
	const struct set_list *list = &m->sets;
	size_t done = 0;
	status = position_copy(m, m->work, m->now);
	if (status) return status;
	position_share_completion(m, m->work, m->now);
	while (done < n && sets_have(m->artifact, list, token_of(m, tokens[done]))) {
		bool allowed = true;
		uint32_t token = token_of(m, tokens[done]);
		if (m->canonical_mode) status = m->artifact->parts->canonical->allows(m, m->work, list, token, &allowed);
		if (status || !allowed) break;
		status = take_token(m, m->work, token);
		if (status) break;
		done++;
		if (m->work->terminated || done == n) break;
		status = position_sets(m, m->work, &m->probe);
		if (status) break;
		list = &m->probe;
	}
	position_release(m, m->work);
	if (status) return status == GCDC_REJECTED ? GCDC_ERR_INTERNAL : status;
	*accepted = done;
	return GCDC_OK;
}

// ---- Draft trees, depth first. The path is a stack of levels in m->tree, each with the readings after its node
// behind it: the node whose children are being visited, the child to look at next, where the level below begins.
struct level {
	int64_t child;
	uint64_t node;
	uint32_t below, terminated, column, left, near, n, completion;
	struct canonical_place canonical;
	struct reading at[];
};
#define LEVEL_SIZE(n) ((uint32_t)((sizeof(struct level) + (n) * sizeof(struct reading) + 7) / 8 * 2))  // in numbers

static struct level *tree_level(const struct gcdc_matcher *m, uint32_t i)
{
	return (struct level *)(void *)(m->tree.at + i);
}

// The position m->work goes on top of the tree at *top, which its readings then belong to.
static gcdc_status tree_push(struct gcdc_matcher *m, uint64_t node, int64_t child, uint32_t *top)
{
	uint32_t below = *top, at = m->tree.n, size = LEVEL_SIZE(m->work->n);
	while (m->tree.cap - at < size)
		if (!vec32_grow(&m->artifact->memory, &m->tree)) return GCDC_ERR_MEMORY;
	struct level *l = tree_level(m, at);
	*l = (struct level){child,         node,          below,      m->work->terminated, m->work->column,
	                    m->work->left, m->work->near, m->work->n, m->work->completion, m->work->canonical};
	for (uint32_t i = 0; i < m->work->n; i++) l->at[i] = m->work->at[i];
	m->work->n = 0, m->work->completion = 0;
	m->tree.n = at + size;
	*top = at;
	return GCDC_OK;
}

struct draft {
	const gcdc_draft_tree *tree;
	uint32_t *masks;
	size_t stride;
	uint8_t *reached;
};

// The row of a node whose position is m->work. GCDC_TERMINATED: as gcdc_matcher_fill.
static gcdc_status draft_row(struct gcdc_matcher *m, const struct draft *d, uint64_t node)
{
	const struct artifact_info *info = &m->artifact->info;
	uint32_t *row = d->masks + node * d->stride;
	if (d->reached) d->reached[node] = 1;
	if (m->work->terminated) {
		mask_eos(m, row, d->stride);
		return GCDC_TERMINATED;
	}
	gcdc_status status = position_sets(m, m->work, &m->probe);
	if (UNLIKELY(!status && sets_are_over(m, &m->probe))) status = GCDC_TERMINATED;
	if (status) {
		memset(row, 0, d->stride * sizeof *row);
		return status == GCDC_REJECTED ? GCDC_ERR_INTERNAL : status;
	}
	bool relaxed;
	if (m->canonical_mode)
		status = m->artifact->parts->canonical->filter(m, m->work, &m->probe, row, &relaxed);
	else
		sets_fill(m->artifact, &m->probe, row);
	if (status) {
		memset(row, 0, d->stride * sizeof *row);
		return status;
	}
	memset(row + info->mask_words, 0, (d->stride - info->mask_words) * sizeof *row);
	if (m->stops.n) stops_fill(m, row);
	return GCDC_OK;
}

// Visits children of level *top's node until one is allowed; it becomes the new top. *found false: none left.
static gcdc_status draft_child(struct gcdc_matcher *m, const struct draft *d, uint32_t *top, size_t *visited,
                               bool *found)
{
	struct level *l = tree_level(m, *top);
	const uint32_t *row = d->masks + l->node * d->stride;
	*found = false;
	while (l->child != -1) {
		uint64_t node = (uint64_t)l->child;
		// A tree of n nodes has n - 1 ways into a node that is not the root; a cycle never ends.
		if (node == 0 || node >= d->tree->n || ++*visited == d->tree->n) return GCDC_ERR_ARGUMENT;
		int64_t token = d->tree->tokens[node];
		l->child = d->tree->next_sibling[node];
		bool allowed =
			token >= 0 && token < m->artifact->info.n_tokens && !l->terminated && row[token / 32] >> token % 32 & 1;
		if (!allowed) continue;
		struct position parent = {.at = l->at,
		                          .n = l->n,
		                          .terminated = l->terminated,
		                          .column = l->column,
		                          .left = l->left,
		                          .near = l->near,
		                          .completion = l->completion,
		                          .canonical = l->canonical};
		gcdc_status status = position_copy(m, m->work, &parent);
		if (!status) position_share_completion(m, m->work, &parent);
		if (!status) status = take_token(m, m->work, token_of(m, (uint32_t)token));
		if (!status) status = draft_row(m, d, node);
		if (status == GCDC_TERMINATED) status = GCDC_OK;
		if (!status) status = tree_push(m, node, d->tree->next_token[node], top);
		if (status) position_release(m, m->work);
		*found = !status;
		return status;
	}
	return GCDC_OK;
}

gcdc_status draft_chain(struct gcdc_matcher *m, const uint32_t *drafts, size_t n, uint32_t *masks, size_t stride,
                        size_t *accepted)
{
	const struct draft d = {.masks = masks, .stride = stride};
	size_t done = 0;
	gcdc_status status = position_copy(m, m->work, m->now);
	if (!status) position_share_completion(m, m->work, m->now);
	if (!status) status = draft_row(m, &d, 0);
	bool is_over = status == GCDC_TERMINATED;
	while (!status && done < n && !m->work->terminated) {
		const uint32_t *row = masks + done * stride;
		uint32_t token = drafts[done];
		if (token >= m->artifact->info.n_tokens || !(row[token / 32] >> token % 32 & 1)) break;
		status = take_token(m, m->work, token_of(m, token));
		if (!status) status = draft_row(m, &d, done + 1);
		if (status == GCDC_OK || status == GCDC_TERMINATED) done++;
	}
	if (status == GCDC_TERMINATED && !is_over) status = GCDC_OK;
	position_release(m, m->work);
	for (size_t i = done + 1; i <= n; i++) memcpy(masks + i * stride, masks + done * stride, stride * sizeof *masks);
	*accepted = done;
	return status;
}

static bool has_nodes(const gcdc_draft_tree *t) { return t && t->next_token && t->next_sibling && t->tokens && t->n; }

gcdc_status gcdc_matcher_fill_draft_tree(gcdc_matcher *m, const gcdc_draft_tree *tree, uint32_t *masks, size_t stride,
                                         uint8_t *reached)
{
	if (!m || !has_nodes(tree) || !masks || stride < m->artifact->info.mask_words) return GCDC_ERR_ARGUMENT;
	const struct draft d = {tree, masks, stride, reached};
	if (reached) memset(reached, 0, tree->n);
	uint32_t top = 0;
	m->tree.n = 0;
	gcdc_status status = position_copy(m, m->work, m->now);
	if (!status) position_share_completion(m, m->work, m->now);
	if (!status) status = draft_row(m, &d, 0);
	if (status == GCDC_TERMINATED) status = GCDC_OK;
	if (!status) status = tree_push(m, 0, tree->next_token[0], &top);
	if (status) {
		position_release(m, m->work);
		return status;
	}
	for (size_t visited = 0;;) {
		bool found = false;
		if (!status) status = draft_child(m, &d, &top, &visited, &found);
		if (found) continue;
		struct level *l = tree_level(m, top);
		position_release(m, &(struct position){.at = l->at, .n = l->n, .completion = l->completion});
		if (top == 0) break;
		m->tree.n = top;
		top = l->below;
	}
	return status;
}

gcdc_status gcdc_matcher_traverse_draft_tree(gcdc_matcher *m, const int64_t *next_token, const int64_t *next_sibling,
                                             const int64_t *tokens, size_t n, uint32_t *masks, size_t stride,
                                             uint8_t *reached)
{
	const gcdc_draft_tree tree = {next_token, next_sibling, tokens, n};
	return gcdc_matcher_fill_draft_tree(m, &tree, masks, stride, reached);
}

uint32_t gcdc_matcher_reading(const gcdc_matcher *m, uint32_t i, uint32_t *lex_state, uint32_t *lr_states, uint32_t cap,
                              uint32_t *depth)
{
	if (!m) return 0;
	uint32_t n = 1;
	if (i >= m->now->n) return m->now->n;
	uint32_t top = m->now->at[i].frame;
	if (!(m->pool->at[top].depth & FRAME_BRANCHED))
		n += m->pool->at[top].depth;
	else
		for (uint32_t f = top; f != FRAME_BOTTOM; f = frame_below(m->pool, f).frame) n++;
	if (lex_state) *lex_state = lex_base(m->artifact, m->now->at[i].lex_state);
	if (depth) *depth = n;
	for (uint32_t j = 0, f = top; lr_states && j < n && j < cap; j++, f = frame_below(m->pool, f).frame)
		lr_states[j] = m->pool->at[f].lr_state;
	return m->now->n;
}

uint32_t gcdc_matcher_columns(const gcdc_matcher *m, uint32_t i, uint32_t *columns, uint32_t cap, uint32_t *column)
{
	if (!m) return 0;
	if (column) *column = m->now->column;
	uint32_t n = 0;
	if (i >= m->now->n) return 0;
	for (uint32_t f = m->now->at[i].columns; f; f = f == FRAME_BOTTOM ? 0 : m->pool->at[f].parent, n++)
		if (columns && n < cap) columns[n] = f == FRAME_BOTTOM ? 0 : m->pool->at[f].lr_state;
	return n;
}
