// Looking ahead without moving: forced bytes, validation of drafts, trees of drafts.
//
// In:  a matcher, tokens or a buffer.  Out: answers; the matcher is where it was.
// All of it works on positions beside the matcher's own, with the same step and the same sets as accepting and filling.
// Forced bytes: the longest common beginning of the allowed tokens. When every byte of the language is a token of its
// own, every continuation can be spelled from any byte on, so the search goes on behind the common beginning;
// otherwise only when all allowed tokens are the common beginning itself.
// Cost: forced bytes O(allowed tokens that agree) a byte; drafts as accepting and filling.
#include "runtime_internal.h"

struct common {
	const uint8_t *bytes;   // of some allowed token
	uint32_t len;           // all share so many
	bool exact;             // and none is longer
	bool any;
};

// Takes the tokens of one mask word; false: nothing is common any more.
static bool common_word(const struct gcdc_artifact *a, uint32_t word, uint32_t bits, struct common *c)
{
	for (; bits; bits &= bits - 1) {
		uint32_t t = word * 32 + (uint32_t)__builtin_ctz(bits);
		const uint8_t *bytes = a->token_bytes + a->token_offset[t];
		uint32_t len = a->token_offset[t + 1] - a->token_offset[t], n = 0;
		if (!c->any) {
			*c = (struct common){.bytes = bytes, .len = len, .exact = true, .any = true};
			continue;
		}
		while (n < len && n < c->len && bytes[n] == c->bytes[n]) n++;
		c->exact &= n == len && n == c->len;
		c->len = n;
		if (!n) return false;
	}
	return true;
}

static struct common common_beginning(const struct gcdc_artifact *a, const struct set_list *list)
{
	struct common c = {0};
	for (uint32_t i = 0; i < list->n; i++) {
		const struct artifact_set *s = &a->sets[list->at[i]];
		if (s->dense != ARTIFACT_NONE) {
			const uint32_t *row = &a->dense[(uint64_t)s->dense * a->info.mask_words];
			for (uint32_t w = 0; w < a->info.mask_words; w++)
				if (row[w] && !common_word(a, w, row[w], &c)) return c;
		}
		for (uint32_t k = 0; k < s->n; k++)
			if (!common_word(a, a->sparse[s->at + k].word, a->sparse[s->at + k].bits, &c)) return c;
	}
	return c;
}

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
	position_copy(m, m->work, m->now);
	while (done < cap && !list->may_end) {
		struct common c = common_beginning(a, list);
		if (!c.len) break;
		size_t take = c.len < cap - done ? c.len : cap - done;
		memcpy(bytes + done, c.bytes, take);
		done += take;
		if (take < c.len || !(c.exact || a->info.flags & INFO_ALL_BYTES)) break;
		list = &m->probe;
		status = position_step(m, m->work, c.bytes, c.len);
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
	if (artifact_is_eos(a, token)) {
		p->terminated = 1;
		return GCDC_OK;
	}
	uint32_t begin = a->token_offset[token], end = a->token_offset[token + 1];
	gcdc_status status = position_step(m, p, a->token_bytes + begin, end - begin);
	if (status) return status;
	return p->n && begin != end ? GCDC_OK : GCDC_ERR_INTERNAL;
}

gcdc_status gcdc_matcher_validate(gcdc_matcher *m, const uint32_t *tokens, size_t n, size_t *accepted)
{
	if (accepted) *accepted = 0;
	if (!m || !accepted || (!tokens && n)) return GCDC_ERR_ARGUMENT;
	if (m->now->terminated) return GCDC_TERMINATED;
	gcdc_status status = matcher_sets(m);
	if (status) return status;
	const struct set_list *list = &m->sets;
	size_t done = 0;
	position_copy(m, m->work, m->now);
	while (done < n && sets_have(m->artifact, list, tokens[done])) {
		status = take_token(m, m->work, tokens[done]);
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

// ---- Draft trees, depth first. The path is a list of levels: the node whose children are being visited, the child to
// look at next, and the position after the node.
struct level {
	uint64_t node;
	int64_t child;
};

static bool tree_reserve(struct gcdc_matcher *m, size_t levels)
{
	size_t size = levels * (m->stride + sizeof(struct level));
	if (size <= m->tree_size) return true;
	uint8_t *tree = memory_resize(&m->artifact->memory, m->tree, 2, size);
	if (!tree) return false;
	m->tree = tree;
	m->tree_size = 2 * size;
	return true;
}

static struct level *tree_level(const struct gcdc_matcher *m, size_t i)
{
	return (struct level *)(void *)(m->tree + i * (m->stride + sizeof(struct level)));
}
static struct position *tree_position(const struct gcdc_matcher *m, size_t i)
{
	return (struct position *)(void *)(tree_level(m, i) + 1);
}

struct draft {
	const int64_t *next_token, *next_sibling, *tokens;
	size_t n;
	uint32_t *masks;
	size_t stride;
	uint8_t *reached;
};

// The row of a node whose position is at level i.
static gcdc_status draft_row(struct gcdc_matcher *m, const struct draft *d, uint64_t node, size_t i)
{
	const struct artifact_info *info = &m->artifact->info;
	uint32_t *row = d->masks + node * d->stride;
	struct position *p = tree_position(m, i);
	if (d->reached) d->reached[node] = 1;
	if (p->terminated) {
		mask_eos(m->artifact, row, d->stride);
		return GCDC_OK;
	}
	gcdc_status status = position_sets(m, p, &m->probe);
	if (status) {
		memset(row, 0, d->stride * sizeof *row);
		return status == GCDC_REJECTED ? GCDC_ERR_INTERNAL : status;
	}
	sets_fill(m->artifact, &m->probe, row);
	memset(row + info->mask_words, 0, (d->stride - info->mask_words) * sizeof *row);
	return GCDC_OK;
}

// Visits children of level *top's node until one is allowed; it becomes the new top. False: none left.
static gcdc_status draft_child(struct gcdc_matcher *m, const struct draft *d, size_t *top, size_t *visited, bool *found)
{
	if (!tree_reserve(m, *top + 2)) return GCDC_ERR_MEMORY;
	struct level *l = tree_level(m, *top);
	const uint32_t *row = d->masks + l->node * d->stride;
	*found = false;
	while (l->child != -1) {
		uint64_t node = (uint64_t)l->child;
		// A tree of n nodes has n - 1 ways into a node that is not the root; a cycle never ends.
		if (node == 0 || node >= d->n || ++*visited == d->n) return GCDC_ERR_ARGUMENT;
		int64_t token = d->tokens[node];
		l->child = d->next_sibling[node];
		bool allowed = token >= 0 && token < m->artifact->info.n_tokens && !tree_position(m, *top)->terminated &&
		               row[token / 32] >> token % 32 & 1;
		if (!allowed) continue;
		struct position *p = tree_position(m, *top + 1);
		position_copy(m, p, tree_position(m, *top));
		*tree_level(m, *top + 1) = (struct level){node, d->next_token[node]};
		++*top;
		*found = true;
		gcdc_status status = take_token(m, p, (uint32_t)token);
		return status ? status : draft_row(m, d, node, *top);
	}
	return GCDC_OK;
}

gcdc_status gcdc_matcher_traverse_draft_tree(gcdc_matcher *m, const int64_t *next_token, const int64_t *next_sibling,
                                             const int64_t *tokens, size_t n, uint32_t *masks, size_t stride,
                                             uint8_t *reached)
{
	if (!m || !next_token || !next_sibling || !tokens || !masks || !n || stride < m->artifact->info.mask_words)
		return GCDC_ERR_ARGUMENT;
	if (!tree_reserve(m, 1)) return GCDC_ERR_MEMORY;
	const struct draft d = {next_token, next_sibling, tokens, n, masks, stride, reached};
	if (reached) memset(reached, 0, n);
	position_copy(m, tree_position(m, 0), m->now);
	*tree_level(m, 0) = (struct level){0, next_token[0]};
	size_t top = 0, visited = 0;
	gcdc_status status = draft_row(m, &d, 0, 0);
	for (;;) {
		bool found = false;
		if (!status) status = draft_child(m, &d, &top, &visited, &found);
		if (found) continue;
		position_release(m, tree_position(m, top));
		if (top-- == 0) break;
	}
	return status;
}

uint32_t gcdc_matcher_reading(const gcdc_matcher *m, uint32_t i, uint32_t *lex_state, uint32_t *lr_states, uint32_t cap,
                              uint32_t *depth)
{
	if (!m) return 0;
	if (i >= m->now->n) return m->now->n;
	const struct frame *frames = m->pool->at;
	uint32_t f = m->now->at[i].frame, n = frames[f].depth + 1;
	if (lex_state) *lex_state = m->now->at[i].lex_state;
	if (depth) *depth = n;
	for (uint32_t k = 0; lr_states && k < n && k < cap; k++, f = frames[f].parent) lr_states[k] = frames[f].lr_state;
	return m->now->n;
}
