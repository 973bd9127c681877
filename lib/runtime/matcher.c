// A matcher's life: new, fork, clone, reset, accept, rollback.
//
// A matcher is a position (its readings of the text: stack and lexer state each) and a ring of earlier positions. All
// of it is one block, made when the matcher is made. Accepting builds the new position beside the old one, so that a
// refused token leaves nothing to undo; the old position then moves into the ring.
// Cost: accept O(bytes of the token + frames popped); rollback O(steps); fork O(steps kept); clone O(frames).
#include "runtime_internal.h"

#define SETS_AT_FIRST 32u

void position_release(struct gcdc_matcher *m, struct position *p)
{
	for (uint32_t i = 0; i < p->n; i++) frame_unref(m->pool, p->at[i].frame);
	p->n = 0;
}

void position_copy(struct gcdc_matcher *m, struct position *to, const struct position *from)
{
	to->n = from->n;
	to->terminated = from->terminated;
	for (uint32_t i = 0; i < from->n; i++) {
		to->at[i] = from->at[i];
		frame_ref(m->pool, from->at[i].frame);
	}
}

void position_start(struct gcdc_matcher *m, struct position *p)
{
	p->n = 1;
	p->terminated = 0;
	p->at[0] = (struct reading){FRAME_BOTTOM, m->artifact->info.start_lex_state};
	frame_ref(m->pool, FRAME_BOTTOM);
}

// The block of a matcher without a pool: positions empty.
static struct gcdc_matcher *matcher_block(const struct gcdc_artifact *a, uint32_t max_rollback, uint32_t max_depth)
{
	size_t stride = sizeof(struct position) + a->info.max_threads * sizeof(struct reading);
	size_t size = sizeof(struct gcdc_matcher) + (3 + (size_t)max_rollback) * stride;
	struct gcdc_matcher *m = memory_resize(&a->memory, NULL, 1, size);
	if (!m) return NULL;
	*m = (struct gcdc_matcher){.artifact = a, .max_readings = a->info.max_threads, .max_rollback = max_rollback,
	                           .max_depth = max_depth, .stride = stride};
	uint8_t *room = (uint8_t *)(m + 1);
	m->now = (struct position *)(void *)room;
	m->work = (struct position *)(void *)(room + stride);
	m->next = (struct position *)(void *)(room + 2 * stride);
	m->history = room + 3 * stride;
	m->now->n = m->work->n = m->next->n = 0;
	m->sets.at = memory_resize(&a->memory, NULL, SETS_AT_FIRST, sizeof *m->sets.at);
	m->probe.at = memory_resize(&a->memory, NULL, SETS_AT_FIRST, sizeof *m->probe.at);
	if (!m->sets.at || !m->probe.at) {
		gcdc_matcher_free(m);
		return NULL;
	}
	m->sets.cap = m->probe.cap = SETS_AT_FIRST;
	return m;
}

gcdc_status gcdc_matcher_new(const gcdc_artifact *a, const gcdc_matcher_options *o, gcdc_matcher **matcher)
{
	if (matcher) *matcher = NULL;
	if (!a || !matcher) return GCDC_ERR_ARGUMENT;
	uint32_t max_rollback = o && o->max_rollback ? o->max_rollback : GCDC_DEFAULT_ROLLBACK;
	uint32_t max_depth = o && o->max_depth ? o->max_depth : GCDC_DEFAULT_DEPTH;
	if (max_rollback > GCDC_MAX_ROLLBACK) return GCDC_ERR_ARGUMENT;
	struct gcdc_matcher *m = matcher_block(a, max_rollback, max_depth);
	if (!m) return GCDC_ERR_MEMORY;
	m->pool = frame_pool_new(&a->memory, max_depth);
	if (!m->pool) {
		gcdc_matcher_free(m);
		return GCDC_ERR_MEMORY;
	}
	position_start(m, m->now);
	*matcher = m;
	return GCDC_OK;
}

// Entry i steps ago, 1 = the newest.
static struct position *history_back(const struct gcdc_matcher *m, uint32_t i)
{
	return history_entry(m, (m->history_at + m->max_rollback - i) % m->max_rollback);
}

static void release_all(struct gcdc_matcher *m)
{
	position_release(m, m->now);
	for (uint32_t i = 1; i <= m->n_history; i++) position_release(m, history_back(m, i));
	m->n_history = m->history_at = 0;
	m->sets.valid = false;
}

void gcdc_matcher_free(gcdc_matcher *m)
{
	if (!m) return;
	const gcdc_memory *memory = &m->artifact->memory;
	if (m->pool) {
		if (m->pool->users > 1) release_all(m);
		frame_pool_leave(m->pool);
	}
	memory_free(memory, m->sets.at);
	memory_free(memory, m->probe.at);
	memory_free(memory, m->tree);
	memory_free(memory, m);
}

void gcdc_matcher_reset(gcdc_matcher *m)
{
	if (!m) return;
	release_all(m);
	position_start(m, m->now);
}

gcdc_status gcdc_matcher_fork(gcdc_matcher *m, gcdc_matcher **fork)
{
	if (fork) *fork = NULL;
	if (!m || !fork) return GCDC_ERR_ARGUMENT;
	struct gcdc_matcher *f = matcher_block(m->artifact, m->max_rollback, m->max_depth);
	if (!f) return GCDC_ERR_MEMORY;
	f->pool = m->pool;
	f->pool->users++;
	position_copy(f, f->now, m->now);
	for (uint32_t i = m->n_history; i >= 1; i--)
		position_copy(f, history_entry(f, m->n_history - i), history_back(m, i));
	f->n_history = m->n_history;
	f->history_at = m->n_history % m->max_rollback;
	*fork = f;
	return GCDC_OK;
}

// ---- Clone: the frames that the matcher reaches, renumbered into a pool of their own.
static void mark_stacks(const struct frame_pool *pool, const struct position *p, uint32_t *to)
{
	for (uint32_t i = 0; i < p->n; i++)
		for (uint32_t f = p->at[i].frame; !to[f]; f = pool->at[f].parent) to[f] = 1;
}

static void move_position(struct gcdc_matcher *c, struct position *to, const struct position *from, const uint32_t *map)
{
	*to = *from;
	for (uint32_t i = 0; i < from->n; i++) {
		to->at[i] = (struct reading){map[from->at[i].frame], from->at[i].lex_state};
		frame_ref(c->pool, to->at[i].frame);
	}
}

static gcdc_status clone_frames(const struct gcdc_matcher *m, struct gcdc_matcher *c, uint32_t *map)
{
	const struct frame_pool *from = m->pool;
	map[FRAME_BOTTOM] = 1;
	mark_stacks(from, m->now, map);
	for (uint32_t i = 1; i <= m->n_history; i++) mark_stacks(from, history_back(m, i), map);
	uint32_t n = FRAME_BOTTOM;
	for (uint32_t f = FRAME_BOTTOM; f < from->n; f++)
		if (map[f]) map[f] = n++;
	if (!frame_reserve(c->pool, n)) return GCDC_ERR_MEMORY;
	struct frame_pool *to = c->pool;
	to->n = n;
	for (uint32_t f = FRAME_BOTTOM + 1; f < from->n; f++)
		if (map[f]) to->at[map[f]] = (struct frame){map[from->at[f].parent], from->at[f].lr_state, 0, from->at[f].depth};
	for (uint32_t f = FRAME_BOTTOM + 1; f < n; f++) frame_ref(to, to->at[f].parent);
	move_position(c, c->now, m->now, map);
	for (uint32_t i = m->n_history; i >= 1; i--)
		move_position(c, history_entry(c, m->n_history - i), history_back(m, i), map);
	c->n_history = m->n_history;
	c->history_at = m->n_history % m->max_rollback;
	return GCDC_OK;
}

gcdc_status gcdc_matcher_clone(const gcdc_matcher *m, gcdc_matcher **clone)
{
	if (clone) *clone = NULL;
	if (!m || !clone) return GCDC_ERR_ARGUMENT;
	const gcdc_memory *memory = &m->artifact->memory;
	struct gcdc_matcher *c = matcher_block(m->artifact, m->max_rollback, m->max_depth);
	uint32_t *map = memory_resize(memory, NULL, m->pool->n, sizeof *map);
	gcdc_status status = GCDC_ERR_MEMORY;
	if (c && map && (c->pool = frame_pool_new(memory, m->max_depth))) {
		memset(map, 0, m->pool->n * sizeof *map);
		status = clone_frames(m, c, map);
	}
	memory_free(memory, map);
	if (status) gcdc_matcher_free(c);
	else *clone = c;
	return status;
}

// ---- Accepting.
// work becomes now, now the newest entry of the history. The oldest entry makes room.
static void commit(struct gcdc_matcher *m)
{
	struct position *entry = history_entry(m, m->history_at);
	if (m->n_history == m->max_rollback) position_release(m, entry);
	else m->n_history++;
	if (++m->history_at == m->max_rollback) m->history_at = 0;
	memcpy(entry, m->now, sizeof *entry + m->now->n * sizeof *entry->at);
	struct position *old = m->now;
	m->now = m->work;
	m->work = old;
	old->n = 0;
	m->sets.valid = false;
}

gcdc_status gcdc_matcher_accept(gcdc_matcher *m, uint32_t token)
{
	if (UNLIKELY(!m)) return GCDC_ERR_ARGUMENT;
	if (UNLIKELY(m->now->terminated)) return GCDC_TERMINATED;
	gcdc_status status = matcher_sets(m);
	if (UNLIKELY(status)) return status;
	const struct gcdc_artifact *a = m->artifact;
	if (!sets_have(a, &m->sets, token)) return GCDC_REJECTED;
	position_copy(m, m->work, m->now);
	uint32_t begin = a->token_offset[token], end = a->token_offset[token + 1];
	if (UNLIKELY(artifact_is_eos(a, token))) {
		m->work->terminated = 1;
	} else {
		status = position_step(m, m->work, a->token_bytes + begin, end - begin);
		if (UNLIKELY(status)) return status;
		position_drop_unstarted(m, m->work);
		// The mask allowed the token, so it has a reading; a token without bytes is none.
		if (UNLIKELY(!m->work->n || begin == end)) {
			position_release(m, m->work);
			return GCDC_ERR_INTERNAL;
		}
	}
	commit(m);
	return GCDC_OK;
}

gcdc_status gcdc_matcher_accept_bytes(gcdc_matcher *m, const void *bytes, size_t len)
{
	if (!m || (!bytes && len)) return GCDC_ERR_ARGUMENT;
	if (m->now->terminated) return GCDC_TERMINATED;
	position_copy(m, m->work, m->now);
	gcdc_status status = position_step(m, m->work, bytes, len);
	if (status) return status;
	if (!m->work->n) return GCDC_REJECTED;
	status = position_sets(m, m->work, &m->probe);
	if (status) {
		position_release(m, m->work);
		return status;
	}
	commit(m);
	struct set_list sets = m->sets;
	m->sets = m->probe;
	m->probe = sets;
	return GCDC_OK;
}

gcdc_status gcdc_matcher_rollback(gcdc_matcher *m, uint32_t n)
{
	if (!m) return GCDC_ERR_ARGUMENT;
	if (n > m->n_history) return GCDC_ERR_ROLLBACK;
	if (!n) return GCDC_OK;
	position_release(m, m->now);
	for (uint32_t i = 1; i < n; i++) position_release(m, history_back(m, i));
	const struct position *to = history_back(m, n);
	memcpy(m->now, to, sizeof *to + to->n * sizeof *to->at);
	m->n_history -= n;
	m->history_at = (m->history_at + m->max_rollback - n) % m->max_rollback;
	m->sets.valid = false;
	return GCDC_OK;
}

uint32_t gcdc_matcher_steps(const gcdc_matcher *m) { return m ? m->n_history : 0; }
bool gcdc_matcher_is_terminated(const gcdc_matcher *m) { return m && m->now->terminated; }
const gcdc_artifact *gcdc_matcher_artifact(const gcdc_matcher *m) { return m ? m->artifact : NULL; }
