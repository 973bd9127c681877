// What an opened artifact tells about itself: counts, tokens, rows, sets, sections, and the texts of statuses.
//
// In:  an artifact.  Out: copies of numbers, pointers into its sections. Nothing is computed; O(1).
#include "../../shared/control.h"
#include "runtime_internal.h"

#include <string.h>

// Branches: one sentence for each status that the runtime returns.
const char *gcdc_status_text(gcdc_status status)
{
	switch (status) {
	case GCDC_OK: return "done";
	case GCDC_REJECTED: return "the grammar forbids it here";
	case GCDC_TERMINATED: return "the text has ended: EOS was accepted";
	case GCDC_ERR_ARGUMENT: return "an argument is not what the function asks for";
	case GCDC_ERR_MEMORY: return "out of memory";
	case GCDC_ERR_IO: return "a file cannot be opened or read";
	case GCDC_ERR_FORMAT: return "not a gcdc artifact, or a damaged one";
	case GCDC_ERR_VERSION: return "made by another version of gcdc than this runtime reads";
	case GCDC_ERR_LIMIT: return "a limit was met: size of decoded sections, or depth of the parser's stack";
	case GCDC_ERR_VOCAB: return "the vocabulary is missing or is not the artifact's";
	case GCDC_ERR_ROLLBACK: return "more steps to roll back than are kept";
	case GCDC_ERR_CANONICAL: return "no canonical sequence of tokens goes on to a text of the grammar";
	case GCDC_ERR_NO_CANONICAL: return "the artifact has no canonical tables: it was compiled without --canonical";
	case GCDC_ERR_GRAMMAR: return "the grammar is refused";
	case GCDC_ERR_CANCELLED: return "cancelled";
	case GCDC_ERR_SEARCH: return "the search for a canonical end came to its limit";
	case GCDC_ERR_STACKS: return "the text has too many parses at once (max_stacks)";
	case GCDC_ERR_DEVICE: return "the CUDA runtime refused (gcdc_cuda_error says why)";
	case GCDC_ERR_UNSUPPORTED:
		return "this library, the matcher on the device, or the artifact has no part for what is asked";
	case GCDC_ERR_COSTS:
		return "the artifact has no costs: it was compiled with --budget off, or gcdc compile said why budgets are off";
	case GCDC_ERR_BUDGET: return "the budget has fewer tokens than the text still needs";
	case GCDC_ERR_INTERNAL: return "the artifact's tables contradict each other";
	}
	return "unknown status";
}

bool gcdc_artifact_is_schema(const gcdc_artifact *a) { return a && a->unenforced; }

const char *gcdc_artifact_unenforced(const gcdc_artifact *a, uint32_t i)
{
	if (!a || !a->unenforced) return NULL;
	const char *at = a->unenforced, *end = at + a->unenforced_size;
	while (i-- && at < end) at += strlen(at) + 1;
	return at < end ? at : NULL;
}

void gcdc_artifact_info(const gcdc_artifact *a, gcdc_info *info)
{
	if (!a || !info) return;
	const struct artifact_info *i = &a->info;
	const struct artifact_header *h = &a->header;
	*info = (gcdc_info){
		.n_tokens = i->n_tokens,
		.mask_words = i->mask_words,
		.n_eos = i->n_eos,
		.n_terminals = i->n_terminals,
		.n_nonterminals = i->n_nonterminals,
		.n_productions = i->n_productions,
		.n_lex_states = i->n_lex_states,
		.n_contexts = i->n_contexts,
		.n_lr_states = i->n_lr_states,
		.n_rows = i->n_dense,
		.n_sets = i->n_sets,
		.max_token_len = i->max_token_len,
		.worst_frames = i->worst_frames,
		.worst_sets = i->worst_sets,
		.max_readings = i->max_readings,
		.version = h->version,
		.grammar_hash = {h->grammar_hash[0], h->grammar_hash[1]},
		.vocab_hash = {h->vocab_hash[0], h->vocab_hash[1]},
		.file_size = h->file_size,
		.decoded_size = a->decoded_size,
		.has_choices = i->flags & INFO_CHOICES,
	};
}

const uint32_t *gcdc_artifact_eos(const gcdc_artifact *a, uint32_t *n)
{
	if (n) *n = a ? a->info.n_eos : 0;
	return a ? a->eos : NULL;
}

const uint8_t *gcdc_artifact_token(const gcdc_artifact *a, uint32_t token, uint32_t *len)
{
	bool ok = a && token < a->info.n_tokens;
	uint32_t n = ok ? a->token_offset[token + 1] - a->token_offset[token] : 0;
	if (n && a->info.flags & INFO_TOKEN_ENDS) n--;
	if (len) *len = n;
	return ok ? a->token_bytes + a->token_offset[token] : NULL;
}

const char *gcdc_artifact_control(const gcdc_artifact *a, uint32_t i, uint32_t *token)
{
	uint32_t n = a && a->control_info ? a->control_info->n_tokens : 0;
	if (i >= n) return NULL;
	const char *name = a->control_names;
	for (uint32_t k = 0; k < i; k++) name += strlen(name) + 1;
	if (token) *token = a->control_tokens[i];
	return name;
}

size_t gcdc_control_bytes(uint32_t token, uint8_t bytes[5])
{
	control_spell(token, bytes);
	return CONTROL_LEN;
}

const uint32_t *gcdc_artifact_row(const gcdc_artifact *a, uint32_t row)
{
	return a && row < a->info.n_dense ? &a->dense[(uint64_t)row * a->info.mask_words] : NULL;
}

bool gcdc_artifact_set(const gcdc_artifact *a, uint32_t id, gcdc_set *set)
{
	if (!a || !set || id >= a->info.n_sets) return false;
	const struct artifact_set *s = &a->sets[id];
	*set = (gcdc_set){.row = s->dense,
	                  .n = s->n,
	                  .count = s->count,
	                  .may_end = s->flags & SET_EOS,
	                  .bits = gcdc_artifact_row(a, s->dense),
	                  .tokens = s->n ? &a->sparse[s->at] : NULL};
	return true;
}

const void *gcdc_artifact_section(const gcdc_artifact *a, uint32_t id, size_t *size)
{
	bool ok = a && id < SECTION_IDS && a->section[id];
	if (size) *size = ok ? a->section_size[id] : 0;
	return ok ? a->section[id] : NULL;
}

gcdc_canonical_mode gcdc_artifact_canonical(const gcdc_artifact *a)
{
	return a && a->canonical.info ? (gcdc_canonical_mode)a->canonical.info->mode : GCDC_CANONICAL_OFF;
}
