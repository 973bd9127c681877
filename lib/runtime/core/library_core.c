// The runtime's core alone: libgcdc_runtime_core, for artifacts without kept conflicts, indents and canonical tables.
//
// In:  what callers of gcdc_artifact_open give. Out: the core's answer; an artifact that needs more is refused by name.
// Costs are left undecoded: masks are those without a budget. Functions for budgets, canonical tokenization and for
// showing what a matcher holds are not in this library.
#include "parts.h"

static const struct runtime_parts none;

gcdc_status gcdc_artifact_open(const char *path, const gcdc_open_options *o, gcdc_artifact **artifact,
                               gcdc_refusal *why)
{
	return artifact_open_file(&none, path, o, artifact, why);
}

gcdc_status gcdc_artifact_open_memory(const void *bytes, size_t len, const gcdc_open_options *o,
                                      gcdc_artifact **artifact, gcdc_refusal *why)
{
	return artifact_open_bytes(&none, bytes, len, o, artifact, why);
}
