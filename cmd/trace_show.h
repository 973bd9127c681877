// A matcher's trace (gcdc/runtime.h), as lines for people.
#ifndef GCDC_CMD_TRACE_SHOW_H
#define GCDC_CMD_TRACE_SHOW_H

#include "artifact_view.h"

struct trace_show {
	const struct artifact_view *view;
	FILE *out;
};
// The gcdc_trace_fn; user: a struct trace_show.
void trace_show(const gcdc_trace_event *e, void *user);

#endif
