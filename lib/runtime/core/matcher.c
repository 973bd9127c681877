// A matcher's life: new, fork, clone, reset, accept, rollback.
//
// A matcher is a position (its readings of the text: stack and lexer state each) and a ring of earlier positions, whose
// readings stand one after the other in a ring of their own, since most have one and few have many. Accepting builds
// the new position beside the old one, so that a refused token leaves nothing to undo; the old position then moves into
// the ring.
// Cost: accept O(bytes of the token + frames popped); rollback O(steps); fork O(steps kept); clone O(frames).
#include "../../shared/control.h"
#include "matcher_step.h"

#define SETS_AT_FIRST 32u
#define READINGS_AT_LEAST 64u  // that may be alive, whatever max_stacks is
#define STACKS_PER_READING 64u

// ---- The ring of earlier positions. Entry i steps ago, 1 = the newest.
static struct past *history_back(const struct gcdc_matcher *m, uint32_t i)
{
	uint32_t k = m->history_at >= i ? m->history_at - i : m->history_at + m->max_rollback - i;
	return &m->history[k];
}
static struct reading *log_at(const struct gcdc_matcher *m, uint32_t i) { return &m->log[i & (m->log_cap - 1)]; }

static void past_unref(struct gcdc_matcher *m, const struct past *x)
{
	for (uint32_t i = 0; i < x->n; i++) reading_unref(m->pool, log_at(m, x->at + i));
	if (UNLIKELY(x->completion != 0)) frame_unref(m->pool, x->completion);
}

static uint32_t log_used(const struct gcdc_matcher *m)
{
	return m->n_history ? m->log_end - history_back(m, m->n_history)->at : 0;
}

// Room for n more readings in the log.
static bool log_reserve(struct gcdc_matcher *m, uint32_t n)
{
	uint32_t used = log_used(m), cap = m->log_cap;
	if (LIKELY(used + n <= cap)) return true;
	while (cap && used + n > cap) cap *= 2;
	struct reading *log = cap ? memory_resize(&m->artifact->memory, NULL, cap, sizeof *log) : NULL;
	if (!log) return false;
	for (uint32_t i = m->log_end - used; i != m->log_end; i++) log[i & (cap - 1)] = *log_at(m, i);
	memory_free(&m->artifact->memory, m->log);
	m->log = log;
	m->log_cap = cap;
	return true;
}

// Masks that leave tokens out name them, or are made in a row.
static bool room_to_leave_out(struct gcdc_matcher *m)
{
	const gcdc_memory *memory = &m->artifact->memory;
	struct vec32 *lists[] = {&m->sets.without, &m->probe.without};
	m->row = memory_resize(memory, NULL, m->artifact->info.mask_words, sizeof *m->row);
	bool ok = m->row;
	for (int i = 0; i < 2 && ok; i++) {
		lists[i]->at = memory_resize(memory, NULL, LIMIT_TOKENS, sizeof *lists[i]->at);
		ok = lists[i]->at;
		lists[i]->cap = ok ? LIMIT_TOKENS : 0;
	}
	return ok;
}

// ---- The matcher without a pool: positions empty.
static bool matcher_fill_in(struct gcdc_matcher *m)
{
	const gcdc_memory *memory = &m->artifact->memory;
	m->now = &m->room[0], m->work = &m->room[1], m->next = &m->room[2];
	for (int i = 0; i < 3; i++)
		if (!position_reserve(m, &m->room[i], m->artifact->info.max_readings + 1)) return false;
	uint32_t log_cap = 1;
	while (log_cap < m->max_rollback) log_cap *= 2;
	m->log = memory_resize(memory, NULL, log_cap, sizeof *m->log);
	m->sets.at = memory_resize(memory, NULL, SETS_AT_FIRST, sizeof *m->sets.at);
	m->probe.at = memory_resize(memory, NULL, SETS_AT_FIRST, sizeof *m->probe.at);
	if (!m->log || !m->sets.at || !m->probe.at) return false;
	if (m->artifact->canonical.info && !(m->places = memory_resize(memory, NULL, m->max_rollback, sizeof *m->places)))
		return false;
	m->log_cap = log_cap;
	m->sets.cap = m->probe.cap = SETS_AT_FIRST;
	return m->artifact->limits || m->artifact->unique_info ? room_to_leave_out(m) : true;
}

static struct gcdc_matcher *matcher_block(const struct gcdc_artifact *a, const gcdc_matcher_options *o)
{
	const size_t past = (size_t)o->max_rollback * sizeof(struct past);
	const size_t no_end = a->info.end_newline ? NO_ENDS * sizeof(uint64_t) : 0;
	struct gcdc_matcher *m = memory_resize(&a->memory, NULL, 1, sizeof *m + no_end + past);
	if (!m) return NULL;
	artifact_hold(a);
	*m = (struct gcdc_matcher){.artifact = a,
	                           .max_stacks = o->max_stacks,
	                           .most_links = UINT64_MAX,
	                           .max_rollback = o->max_rollback,
	                           .max_depth = o->max_depth,
	                           .max_work = o->max_work,
	                           .canonical_mode = (uint8_t)gcdc_artifact_canonical(a),
	                           .max_readings = o->max_stacks / STACKS_PER_READING};
	if (m->max_readings < READINGS_AT_LEAST) m->max_readings = READINGS_AT_LEAST;
	if (m->max_readings < a->info.max_readings + 1) m->max_readings = a->info.max_readings + 1;
	m->no_end = no_end ? memset(m + 1, 0, no_end) : NULL;
	m->history = (struct past *)(void *)((char *)(m + 1) + no_end);
	if (matcher_fill_in(m)) return m;
	gcdc_matcher_free(m);
	return NULL;
}

static struct gcdc_matcher *matcher_like(const struct gcdc_matcher *m)
{
	struct gcdc_matcher *like = matcher_block(m->artifact, &(gcdc_matcher_options){.max_rollback = m->max_rollback,
	                                                                               .max_depth = m->max_depth,
	                                                                               .max_stacks = m->max_stacks,
	                                                                               .max_work = m->max_work});
	if (!like) return NULL;
	like->canonical_mode = m->canonical_mode;
	if (stops_copy(like, m)) return like;
	gcdc_matcher_free(like);
	return NULL;
}

static gcdc_matcher_options with_defaults(const gcdc_matcher_options *o)
{
	gcdc_matcher_options all = o ? *o : (gcdc_matcher_options){0};
	if (!all.max_rollback) all.max_rollback = GCDC_DEFAULT_ROLLBACK;
	if (!all.max_depth) all.max_depth = GCDC_DEFAULT_DEPTH;
	if (!all.max_stacks) all.max_stacks = GCDC_DEFAULT_STACKS;
	if (!all.max_work) all.max_work = GCDC_DEFAULT_WORK;
	return all;
}

gcdc_status gcdc_matcher_new(const gcdc_artifact *a, const gcdc_matcher_options *o, gcdc_matcher **matcher)
{
	if (matcher) *matcher = NULL;
	if (!a || !matcher) return GCDC_ERR_ARGUMENT;
	const gcdc_matcher_options all = with_defaults(o);
	if (all.max_rollback > GCDC_MAX_ROLLBACK || all.max_stacks > GCDC_MAX_STACKS || all.max_work > GCDC_MAX_WORK)
		return GCDC_ERR_ARGUMENT;
	struct gcdc_matcher *m = matcher_block(a, &all);
	if (!m) return GCDC_ERR_MEMORY;
	m->pool = frame_pool_new(&a->memory, all.max_depth);
	if (!m->pool) {
		gcdc_matcher_free(m);
		return GCDC_ERR_MEMORY;
	}
	position_start(m, m->now);
	if (m->canonical_mode && !a->parts->canonical->mask_row(m)) {  // the cache: here, not in the first mask
		gcdc_matcher_free(m);
		return GCDC_ERR_MEMORY;
	}
	*matcher = m;
	return GCDC_OK;
}

static void release_all(struct gcdc_matcher *m)
{
	position_release(m, m->now);
	for (uint32_t i = 1; i <= m->n_history; i++) past_unref(m, history_back(m, i));
	m->n_history = m->history_at = m->log_end = 0;
	m->sets.valid = false;
}

void gcdc_matcher_free(gcdc_matcher *m)
{
	if (!m) return;
	const struct gcdc_artifact *a = m->artifact;
	const gcdc_memory *memory = &a->memory;
	struct session_lane *lane = m->lane;
	if (lane) lane_enter(lane);
	if (m->pool) {
		if (m->unique) m->artifact->parts->unique->free(m);
		if (m->pool->users > 1 || FRAMES_ARE_COUNTED) release_all(m);
		frame_pool_leave(m->pool);
	}
	for (int i = 0; i < 3; i++) memory_free(memory, m->room[i].at);
	memory_free(memory, m->ending.at);
	set_list_release(memory, &m->sets);
	set_list_release(memory, &m->probe);
	const struct runtime_parts *parts = m->artifact->parts;
	if (m->graph) parts->several->free(memory, m->graph);
	if (m->prober) parts->lines->free(memory, m->prober);
	memory_free(memory, m->frames.at);
	memory_free(memory, m->cuts.at);
	memory_free(memory, m->tops.at);
	memory_free(memory, m->tops_inside.at);
	memory_free(memory, m->tree.at);
	memory_free(memory, m->stops.at);
	memory_free(memory, m->stops_extra.at);
	memory_free(memory, m->row);
	if (m->pricing) parts->budget->free(memory, m->pricing);
	memory_free(memory, m->log);
	memory_free(memory, m->places);
	if (m->cache) parts->canonical->cache_leave(m->artifact, m->cache);
	memory_free(memory, m);
	if (lane) lane_leave(lane, true);
	artifact_drop(a);
}

void gcdc_matcher_reset(gcdc_matcher *m)
{
	if (!m) return;
	release_all(m);
	position_start(m, m->now);
	m->n_relaxed = 0;
}

// ---- Fork and clone: the same positions, their frames renamed by `map` (NULL: the same).
static uint32_t renamed(const uint32_t *map, uint32_t f) { return map ? map[f] : f; }

static void take_reading(struct gcdc_matcher *c, struct reading *to, const struct reading *from, const uint32_t *map)
{
	*to = *from;
	to->frame = renamed(map, from->frame);
	if (from->columns) to->columns = renamed(map, from->columns);
	reading_ref(c->pool, to);
}

static gcdc_status take_positions(struct gcdc_matcher *c, const struct gcdc_matcher *m, const uint32_t *map)
{
	if (!position_reserve(c, c->now, m->now->n) || !log_reserve(c, log_used(m))) return GCDC_ERR_MEMORY;
	c->now->n = m->now->n;
	c->now->terminated = m->now->terminated;
	c->now->column = m->now->column;
	c->now->left = m->now->left;
	c->now->near = m->now->near;
	if (m->now->completion) frame_ref(c->pool, c->now->completion = renamed(map, m->now->completion));
	c->budget_counts_eos = m->budget_counts_eos;
	c->now->canonical = m->now->canonical;
	c->n_relaxed = m->n_relaxed;
	for (uint32_t i = 0; i < m->now->n; i++) take_reading(c, &c->now->at[i], &m->now->at[i], map);
	for (uint32_t i = m->n_history; i >= 1; i--) {
		const struct past *x = history_back(m, i);
		struct past *copy = &c->history[m->n_history - i];
		*copy = *x;
		copy->at = c->log_end;
		copy->completion = x->completion ? renamed(map, x->completion) : 0;
		if (x->completion) frame_ref(c->pool, copy->completion);
		if (m->places) c->places[m->n_history - i] = m->places[x - m->history];
		for (uint32_t k = 0; k < x->n; k++) take_reading(c, log_at(c, c->log_end++), log_at(m, x->at + k), map);
	}
	c->n_history = m->n_history;
	c->history_at = m->n_history % m->max_rollback;
	return GCDC_OK;
}

gcdc_status gcdc_matcher_fork(gcdc_matcher *m, gcdc_matcher **fork)
{
	if (fork) *fork = NULL;
	if (!m || !fork) return GCDC_ERR_ARGUMENT;
	struct gcdc_matcher *f = matcher_like(m);
	if (!f) return GCDC_ERR_MEMORY;
	f->pool = m->pool;
	f->pool->users++;
	if ((f->lane = m->lane)) lane_join(m->lane);
	if (m->artifact->canonical.info) {
		m->artifact->parts->canonical->mask_row(m);  // made now, it is shared
		m->artifact->parts->canonical->cache_join(f->cache = m->cache);
	}
	gcdc_status status = take_positions(f, m, NULL);
	if (status)
		gcdc_matcher_free(f);
	else
		*fork = f;
	return status;
}

// Marks the records below those of `todo`, which are marked.
static bool mark_below(const struct gcdc_matcher *m, struct vec32 *todo, uint32_t *map)
{
	while (todo->n) {
		const struct frame *x = &m->pool->at[todo->at[--todo->n]];
		const uint32_t below[] = {x->parent & ~FRAME_LIST, x->lr_state & FRAME_CELL ? x->lr_state & ~FRAME_CELL : 0};
		for (int k = 0; k < 2; k++) {
			if (!below[k] || map[below[k]]) continue;
			map[below[k]] = 1;
			if (!vec32_push(&m->artifact->memory, todo, below[k])) return false;
		}
	}
	return true;
}

static bool mark_reading(const struct gcdc_matcher *m, const struct reading *r, struct vec32 *todo, uint32_t *map)
{
	const uint32_t begin[] = {r->frame, r->columns};
	for (int k = 0; k < 2; k++) {
		if (!begin[k] || map[begin[k]]) continue;
		map[begin[k]] = 1;
		if (!vec32_push(&m->artifact->memory, todo, begin[k]) || !mark_below(m, todo, map)) return false;
	}
	return true;
}

static bool mark_stacks(const struct gcdc_matcher *m, struct vec32 *todo, uint32_t *map)
{
	map[FRAME_BOTTOM] = 1;
	for (uint32_t i = 0; i <= m->n_history; i++)
		if (!mark_reading(m, &(struct reading){.columns = i ? history_back(m, i)->completion : m->now->completion},
		                  todo, map))
			return false;
	for (uint32_t i = 0; i < m->now->n; i++)
		if (!mark_reading(m, &m->now->at[i], todo, map)) return false;
	for (uint32_t i = m->log_end - log_used(m); i != m->log_end; i++)
		if (!mark_reading(m, log_at(m, i), todo, map)) return false;
	return true;
}

// The frames that the matcher reaches, renumbered into a pool of their own.
static gcdc_status clone_frames(const struct gcdc_matcher *m, struct gcdc_matcher *c, uint32_t *map)
{
	const struct frame_pool *from = m->pool;
	struct frame_pool *to = c->pool;
	uint32_t n = FRAME_BOTTOM;
	for (uint32_t f = FRAME_BOTTOM; f < from->n; f++)
		if (map[f]) map[f] = n++;
	if (!frame_reserve(to, n)) return GCDC_ERR_MEMORY;
	to->n = n;
	for (uint32_t f = FRAME_BOTTOM + 1; f < from->n; f++) {
		if (!map[f]) continue;
		struct frame x = from->at[f];
		x.parent = (x.parent & FRAME_LIST) | map[x.parent & ~FRAME_LIST];
		if (x.lr_state & FRAME_CELL && x.lr_state != FRAME_CELL)
			x.lr_state = FRAME_CELL | map[x.lr_state & ~FRAME_CELL];
		x.refs = 1;  // until the positions have theirs
		to->at[map[f]] = x;
	}
	for (uint32_t f = FRAME_BOTTOM + 1; f < n; f++) {
		frame_ref(to, to->at[f].parent & ~FRAME_LIST);
		if (to->at[f].lr_state & FRAME_CELL && to->at[f].lr_state != FRAME_CELL)
			frame_ref(to, to->at[f].lr_state & ~FRAME_CELL);
	}
	const gcdc_status status = take_positions(c, m, map);
	for (uint32_t f = FRAME_BOTTOM + 1; f < n; f++) to->at[f].refs--;
	return status;
}

gcdc_status gcdc_matcher_clone(const gcdc_matcher *m, gcdc_matcher **clone)
{
	if (clone) *clone = NULL;
	if (!m || !clone) return GCDC_ERR_ARGUMENT;
	const gcdc_memory *memory = &m->artifact->memory;
	struct gcdc_matcher *c = matcher_like(m);
	uint32_t *map = memory_resize(memory, NULL, m->pool->n, sizeof *map);
	struct vec32 todo = {0};
	gcdc_status status = GCDC_ERR_MEMORY;
	if (c && map && (c->pool = frame_pool_new(memory, m->max_depth))) {
		memset(map, 0, m->pool->n * sizeof *map);
		if (mark_stacks(m, &todo, map)) status = clone_frames(m, c, map);
	}
	memory_free(memory, todo.at);
	memory_free(memory, map);
	if (status)
		gcdc_matcher_free(c);
	else
		*clone = c;
	return status;
}

// What scratch remembers of a pool is forgotten with it.
static void leave_family(struct gcdc_matcher *m)
{
	const gcdc_memory *memory = &m->artifact->memory;
	if (m->unique) m->artifact->parts->unique->free(m);
	frame_pool_leave(m->pool);
	const struct runtime_parts *parts = m->artifact->parts;
	if (m->graph) parts->several->free(memory, m->graph);
	if (m->prober) parts->lines->free(memory, m->prober);
	if (m->pricing) parts->budget->free(memory, m->pricing);
	if (m->cache) parts->canonical->cache_leave(m->artifact, m->cache);
	m->pool = NULL, m->graph = NULL, m->prober = NULL, m->pricing = NULL, m->cache = NULL;
}

// Branches: matchers of one family share frames, others clone them; after the first release a failure puts `to` at its
// start.
gcdc_status gcdc_matcher_copy(gcdc_matcher *to, const gcdc_matcher *from)
{
	if (!to || !from || to->artifact != from->artifact || to->max_rollback != from->max_rollback ||
	    to->max_depth != from->max_depth || to->max_stacks != from->max_stacks || to->max_work != from->max_work)
		return GCDC_ERR_ARGUMENT;
	if (to == from) return GCDC_OK;
	const gcdc_memory *memory = &to->artifact->memory;
	bool family = to->pool == from->pool;
	struct frame_pool *pool = family ? NULL : frame_pool_new(memory, to->max_depth);
	uint32_t *map = family ? NULL : memory_resize(memory, NULL, from->pool->n, sizeof *map);
	struct vec32 todo = {0};
	gcdc_status status = GCDC_ERR_MEMORY;
	if (map) memset(map, 0, from->pool->n * sizeof *map);
	if ((family || (pool && map && mark_stacks(from, &todo, map))) && stops_copy(to, from)) {
		release_all(to);
		if (pool) {
			leave_family(to);
			to->pool = pool, pool = NULL;
		}
		to->canonical_mode = from->canonical_mode;
		status = family ? take_positions(to, from, NULL) : clone_frames(from, to, map);
		if (status) gcdc_matcher_reset(to);
	}
	if (pool) frame_pool_leave(pool);
	memory_free(memory, todo.at);
	memory_free(memory, map);
	return status;
}

// ---- Accepting.
// work becomes now, now the newest entry of the history. The oldest entry makes room. Fails only for lack of memory,
// work then being released.
static gcdc_status commit(struct gcdc_matcher *m)
{
	struct position *old = m->now;
	assert(m->work != old && m->n_history <= m->max_rollback && m->history_at < m->max_rollback);
	if (m->n_history == m->max_rollback) past_unref(m, history_back(m, m->n_history--));
	if (UNLIKELY(!log_reserve(m, old->n))) {
		position_release(m, m->work);
		return GCDC_ERR_MEMORY;
	}
	m->history[m->history_at] = (struct past){
		m->log_end, old->n & (UINT32_MAX >> 1), old->terminated & 1, old->column, old->left, old->completion};
	if (m->places) m->places[m->history_at] = old->canonical;
	for (uint32_t i = 0; i < old->n; i++) *log_at(m, m->log_end++) = old->at[i];
	m->n_history++;
	if (++m->history_at == m->max_rollback) m->history_at = 0;
	m->now = m->work;
	m->work = old;
	old->n = 0, old->completion = 0;
	m->sets.valid = false;
	return GCDC_OK;
}

// Branches: each thing that only some matchers have (traces, budgets, canonical tables, completions) is passed by one
// unlikely branch.
gcdc_status gcdc_matcher_accept(gcdc_matcher *m, uint32_t token)
{
	if (UNLIKELY(!m)) return GCDC_ERR_ARGUMENT;
	if (UNLIKELY(m->now->terminated)) return GCDC_TERMINATED;
	gcdc_status status = matcher_sets(m);
	if (UNLIKELY(status)) return status;
	const struct gcdc_artifact *a = m->artifact;
	token = token_of(m, token);
	if (!sets_have(a, &m->sets, token)) return GCDC_REJECTED;
	bool relaxed = false;
	if (UNLIKELY(m->canonical_mode)) {
		bool allowed;
		status = a->parts->canonical->allows(m, m->now, &m->sets, token, &allowed);
		if (status || !allowed) return status ? status : GCDC_REJECTED;
	}
	status = position_copy(m, m->work, m->now);
	if (UNLIKELY(status)) return status;
	uint32_t begin = a->token_offset[token], end = a->token_offset[token + 1];
	if (UNLIKELY(artifact_is_eos(a, token))) {
		m->work->terminated = 1;
	} else {
		const uint8_t *bytes = a->token_bytes + begin;
		status = UNLIKELY(m->trace != NULL) ? position_step_traced(m, m->work, token, bytes, end - begin)
		                                    : position_step(m, m->work, bytes, end - begin);
		if (UNLIKELY(status)) return status;
		position_drop_unstarted(m, m->work);
		// The mask allowed the token, so it has a reading; a token without bytes is none.
		if (UNLIKELY(!m->work->n || begin == end)) {
			position_release(m, m->work);
			return GCDC_ERR_INTERNAL;
		}
		if (UNLIKELY(a->canonical.info)) a->parts->canonical->advance(a, &m->work->canonical, token, &relaxed);
	}
	if (UNLIKELY(m->work->left != GCDC_NONE && m->work->left)) m->work->left--;
	if (UNLIKELY(m->now->completion != 0)) {
		position_share_completion(m, m->work, m->now);
		status = m->artifact->parts->budget->spend_completion(m, m->work, token);
		if (status) {
			position_release(m, m->work);
			return status;
		}
	}
	status = commit(m);
	m->n_relaxed += !status && relaxed;
	return status;
}

// Where tokens are counted they are one.
static gcdc_status step_bytes(gcdc_matcher *m, const void *bytes, size_t len)
{
	gcdc_status status = UNLIKELY(m->trace != NULL) ? position_step_traced(m, m->work, GCDC_NONE, bytes, len)
	                                                : position_step(m, m->work, bytes, len);
	if (!status && len && m->artifact->info.flags & INFO_TOKEN_ENDS)
		status = position_step(m, m->work, &(uint8_t){TOKEN_END}, 1);
	return status;
}

gcdc_status gcdc_matcher_accept_bytes(gcdc_matcher *m, const void *bytes, size_t len)
{
	if (!m || (!bytes && len)) return GCDC_ERR_ARGUMENT;
	if (m->now->terminated) return GCDC_TERMINATED;
	gcdc_status status = position_copy(m, m->work, m->now);
	if (!status) status = step_bytes(m, bytes, len);
	if (status) return status;
	if (!m->work->n) return GCDC_REJECTED;
	m->work->near = GCDC_NONE;  // bytes count as no tokens
	status = position_sets(m, m->work, &m->probe);
	if (status) {
		position_release(m, m->work);
		return status;
	}
	if (m->artifact->canonical.info)
		m->artifact->parts->canonical->bytes(&m->artifact->canonical, &m->work->canonical, bytes, len);
	if (UNLIKELY(m->now->completion != 0)) status = m->artifact->parts->budget->begin_completion(m, m->work);
	if (!status)
		status = commit(m);
	else
		position_release(m, m->work);
	if (status) return status;
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
	const struct past *to = history_back(m, n);
	if (!position_reserve(m, m->now, to->n)) return GCDC_ERR_MEMORY;
	position_release(m, m->now);
	for (uint32_t i = 1; i < n; i++) past_unref(m, history_back(m, i));
	for (uint32_t i = 0; i < to->n; i++) m->now->at[i] = *log_at(m, to->at + i);
	m->now->n = to->n;
	m->now->terminated = to->terminated;
	m->now->column = to->column;
	if (m->places) m->now->canonical = m->places[to - m->history];
	m->now->left = to->left;
	m->now->near = GCDC_NONE;
	m->now->completion = to->completion;
	m->log_end = to->at;
	m->n_history -= n;
	m->history_at = (m->history_at + m->max_rollback - n) % m->max_rollback;
	m->sets.valid = false;
	return GCDC_OK;
}

uint32_t gcdc_matcher_steps(const gcdc_matcher *m) { return m ? m->n_history : 0; }
bool gcdc_matcher_is_terminated(const gcdc_matcher *m) { return m && m->now->terminated; }
const gcdc_artifact *gcdc_matcher_artifact(const gcdc_matcher *m) { return m ? m->artifact : NULL; }
