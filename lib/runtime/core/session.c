// Sessions: families of matchers that threads take turns in.
//
// In:  an artifact, a number of lanes.  Out: matchers, each in a lane.
// What masks of canonical modes and under budgets keep belongs to a family of matchers, but for steps, and a family to
// one thread at a time. A lane is a family with a lock: any thread may use any matcher of the session, and what one
// request has worked out the next one finds. A new matcher is a fork of the lane's first one, in the lane that has the
// fewest.
// Cost: a new matcher is a look at each lane and a fork.
#include "lane.h"

static void session_destroy(struct gcdc_session *s)
{
	const gcdc_artifact *a = s->artifact;
	for (uint32_t i = 0; i < s->n_lanes; i++) {
		gcdc_matcher_free(s->lane[i].first);
		pthread_mutex_destroy(&s->lane[i].turn);
	}
	pthread_mutex_destroy(&s->lock);
	memory_free(&a->memory, s);
	artifact_drop(a);
}

static bool make_locks(struct gcdc_session *s, uint32_t lanes)
{
	pthread_mutexattr_t again;
	if (pthread_mutexattr_init(&again)) return false;
	bool made = !pthread_mutexattr_settype(&again, PTHREAD_MUTEX_RECURSIVE);
	for (; s->n_lanes < lanes && made; s->n_lanes += made) {
		s->lane[s->n_lanes] = (struct session_lane){.session = s};
		made = !pthread_mutex_init(&s->lane[s->n_lanes].turn, &again);
	}
	pthread_mutexattr_destroy(&again);
	return made;
}

gcdc_status gcdc_session_new(const gcdc_artifact *a, const gcdc_matcher_options *o, uint32_t lanes,
                             gcdc_session **session)
{
	if (session) *session = NULL;
	if (!a || !session || lanes > GCDC_MAX_LANES) return GCDC_ERR_ARGUMENT;
	if (!lanes) lanes = GCDC_DEFAULT_LANES;
	struct gcdc_session *s = memory_resize(&a->memory, NULL, 1, sizeof *s + lanes * sizeof *s->lane);
	if (!s) return GCDC_ERR_MEMORY;
	*s = (struct gcdc_session){.artifact = a, .destroy = session_destroy, .holders = 1};
	if (o) s->options = *o;
	if (pthread_mutex_init(&s->lock, NULL)) {
		memory_free(&a->memory, s);
		return GCDC_ERR_MEMORY;
	}
	artifact_hold(a);
	gcdc_matcher *first = NULL;  // says whether the options are in order
	gcdc_status status = make_locks(s, lanes) ? gcdc_matcher_new(a, o, &first) : GCDC_ERR_MEMORY;
	if (status) {
		session_destroy(s);
		return status;
	}
	s->lane[0].first = first;
	*session = s;
	return GCDC_OK;
}

void gcdc_session_free(gcdc_session *s)
{
	if (s) session_leave(s, NULL);
}

// The lane with the fewest matchers, which has one more from now on.
static struct session_lane *choose_lane(struct gcdc_session *s)
{
	struct session_lane *best = s->lane;
	pthread_mutex_lock(&s->lock);
	for (uint32_t i = 1; i < s->n_lanes; i++)
		if (s->lane[i].n < best->n) best = &s->lane[i];
	best->n++;
	s->holders++;
	pthread_mutex_unlock(&s->lock);
	return best;
}

gcdc_status gcdc_session_matcher(gcdc_session *s, gcdc_matcher **matcher)
{
	if (matcher) *matcher = NULL;
	if (!s || !matcher) return GCDC_ERR_ARGUMENT;
	struct session_lane *lane = choose_lane(s);
	gcdc_status status = GCDC_OK;
	lane_enter(lane);
	if (!lane->first) status = gcdc_matcher_new(s->artifact, &s->options, &lane->first);
	if (!status) status = gcdc_matcher_fork(lane->first, matcher);
	if (!status) (*matcher)->lane = lane;
	lane_leave(lane, false);
	if (status) session_leave(s, lane);
	return status;
}
