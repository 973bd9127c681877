// The runtime with all of its parts: libgcdc_runtime. The one file that names them.
//
// In:  what callers of gcdc_artifact_open give. Out: the core's answer, with tables of the parts' functions.
#include "canonical/price.h"
#include "core/matcher_step.h"
#include "unique/unique.h"

static const struct several_part several = {.push = graph_push, .read = graph_read, .free = graph_free};
static const struct lines_part lines = {.takes_line = is_line_end,
                                        .cut = cut_line,
                                        .ends = line_ends,
                                        .ends_alone = line_ends_alone,
                                        .read = lines_read,
                                        .text_column = text_column,
                                        .probe_open = probe_open,
                                        .free = prober_free};
static const struct budget_part budget = {.take = costs_take,
                                          .validate_counts = costs_counts_validate,
                                          .validate = artifact_validate_costs,
                                          .is_near = budget_is_near,
                                          .restrict_sets = budget_restrict,
                                          .step_table_is_of = step_table_is_of,
                                          .steps_free = steps_free,
                                          .free = pricing_free,
                                          .begin_completion = hard_begin,
                                          .spend_completion = hard_spend};
static const struct canonical_part canonical = {.take = canonical_take,
                                                .take_regex = regex_take,
                                                .attach = canonical_attach,
                                                .validate = canonical_validate,
                                                .validate_regex = regex_validate,
                                                .ready = canonical_ready,
                                                .start = canonical_start,
                                                .bytes = canonical_bytes,
                                                .advance = canonical_advance,
                                                .allows = canonical_allows,
                                                .is_next = gcdc_matcher_is_canonical_next,
                                                .filter = canonical_filter,
                                                .least_completion = hard_least_completion,
                                                .min_after = hard_min_after,
                                                .take_completion = hard_take_completion,
                                                .completion_tokens = hard_completion_tokens,
                                                .no_completion = hard_no_completion,
                                                .mask_row = canonical_mask_row,
                                                .cache_join = canonical_cache_join,
                                                .cache_leave = canonical_cache_leave,
                                                .caches_free = canonical_caches_free};
static const struct unique_part unique = {.take = uniques_take,
                                          .validate = uniques_validate,
                                          .find_tokens = unique_tokens_find,
                                          .find_limits = counted_limits_find,
                                          .make_limits = counted_limits_make,
                                          .take_limits = counted_limits_take,
                                          .free_limits = counted_limits_free,
                                          .step = unique_step,
                                          .restrict_sets = unique_restrict,
                                          .free = unique_free};
static const struct runtime_parts parts = {&several, &lines, &budget, &canonical, &unique};

gcdc_status gcdc_artifact_open(const char *path, const gcdc_open_options *o, gcdc_artifact **artifact,
                               gcdc_refusal *why)
{
	return artifact_open_file(&parts, path, o, artifact, why);
}

gcdc_status gcdc_artifact_open_memory(const void *bytes, size_t len, const gcdc_open_options *o,
                                      gcdc_artifact **artifact, gcdc_refusal *why)
{
	return artifact_open_bytes(&parts, bytes, len, o, artifact, why);
}
