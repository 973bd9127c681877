// A lane of a session, as the matcher and the session see it.
#ifndef GCDC_RUNTIME_LANE_H
#define GCDC_RUNTIME_LANE_H

#include "runtime_internal.h"

#include <pthread.h>

struct session_lane {
	pthread_mutex_t turn;  // whose the family is; the same thread may take it again
	struct gcdc_session *session;
	gcdc_matcher *first;  // at the beginning of a text, kept; NULL until the lane has had a matcher; under `turn`
	uint32_t n;           // matchers beside it; under the session's lock
};

struct gcdc_session {
	const gcdc_artifact *artifact;  // held
	gcdc_matcher_options options;
	void (*destroy)(struct gcdc_session *s);  // session.c, which is above
	pthread_mutex_t lock;  // of what follows; taken inside a turn or outside, never the other way round
	uint32_t holders;      // who made it, and its matchers
	uint32_t n_lanes;      // whose locks were made
	struct session_lane lane[];
};

// One holder fewer, who was in a lane or in none (NULL): the last one's leave destroys it.
void session_leave(struct gcdc_session *s, struct session_lane *lane);

#endif
