// What an artifact's bytes hold, told to who watches: the file's size, and section by section the bytes before and
// behind compression.
//
// In:  the encoded artifact.  Out: lines. Cost: linear in the number of sections.
#include "trace_bytes.h"

#include <string.h>

#include "../../formats/artifact.h"
#include "../include/gcdc/show.h"

void trace_bytes(struct trace *t, const uint8_t *bytes, size_t len)
{
	if (!trace_wants(t, TRACE_WRITE)) return;
	struct artifact_header head;
	memcpy(&head, bytes, sizeof head);
	trace_line(t, TRACE_WRITE, "%zu bytes, %u sections, %.4f s", len, head.n_sections, trace_seconds(t));
	uint32_t most = trace_most(t, TRACE_WRITE_SECTIONS);
	for (uint32_t i = 0; i < head.n_sections && i < most; i++) {
		struct artifact_section s;
		memcpy(&s, bytes + sizeof head + i * sizeof s, sizeof s);
		const char *name = gcdc_section_name(s.id);
		trace_line(t, TRACE_WRITE, "  %s: %llu bytes, %llu in the file", name ? name : "(unknown)",
		           (unsigned long long)s.size, (unsigned long long)s.stored);
	}
	trace_rest(t, TRACE_WRITE_SECTIONS, head.n_sections);
}
