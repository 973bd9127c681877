// Lanes: whose turn it is with a family of matchers, and how many hold a session.
//
// In:  a matcher of a session.  Out: its family is this thread's, or no longer.
// Below the matcher, which joins and leaves lanes; the session that makes them is above (session.c).
// Cost: a lock that is mostly free.
#include "lane.h"

void session_leave(struct gcdc_session *s, struct session_lane *lane)
{
	pthread_mutex_lock(&s->lock);
	if (lane) lane->n--;
	bool is_last = --s->holders == 0;
	pthread_mutex_unlock(&s->lock);
	if (is_last) s->destroy(s);
}

void lane_join(struct session_lane *lane)
{
	pthread_mutex_lock(&lane->session->lock);
	lane->n++;
	lane->session->holders++;
	pthread_mutex_unlock(&lane->session->lock);
}

void lane_enter(struct session_lane *lane) { pthread_mutex_lock(&lane->turn); }

void lane_leave(struct session_lane *lane, bool for_good)
{
	pthread_mutex_unlock(&lane->turn);
	if (for_good) session_leave(lane->session, lane);
}

uint32_t gcdc_matcher_lane(const gcdc_matcher *m)
{
	return m && m->lane ? (uint32_t)(m->lane - m->lane->session->lane) : GCDC_NONE;
}

void gcdc_matcher_enter(const gcdc_matcher *m)
{
	if (m && m->lane) lane_enter(m->lane);
}

void gcdc_matcher_leave(const gcdc_matcher *m)
{
	if (m && m->lane) lane_leave(m->lane, false);
}
