// Control tokens that the grammar names.
//
// In:  an artifact with its vocabulary's tokens, the sections of control tokens, if any.
// Out: the tokens as lexemes are made of them: named control tokens by their private spelling (shared/control.h), none
// with its first byte in its text; where tokens are counted, TOKEN_END behind each. Else they stay the vocabulary's.
// Cost: a copy of the tokens' bytes; nothing where the grammar names none.
#include "../../shared/control.h"
#include "runtime_internal.h"

// The first token that is out of order, no token, or EOS; n_tokens of the list when there is none.
static uint32_t first_wrong(const struct gcdc_artifact *a)
{
	const uint32_t *token = a->control_tokens, n = a->control_info->n_tokens;
	uint32_t e = 0, i = 0;
	for (; i < n; i++) {
		if (token[i] >= a->info.n_tokens || (i && token[i] <= token[i - 1])) break;
		while (e < a->info.n_eos && a->eos[e] < token[i]) e++;
		if (e < a->info.n_eos && a->eos[e] == token[i]) break;
	}
	return i;
}

static gcdc_status check(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct artifact_control *x = a->control_info;
	uint32_t n_names = 0, wrong;
	if (x->reserved[0] || x->reserved[1] || !x->n_tokens)
		return refuse(why, GCDC_ERR_FORMAT, SECTION_CONTROL, 0, "control tokens: a count or a reserved field is wrong");
	if ((wrong = first_wrong(a)) < x->n_tokens)
		return refuse_number(why, SECTION_CONTROL_TOKEN, wrong * 4ull, "token, in a list that ascends, without EOS",
		                     a->control_tokens[wrong], a->info.n_tokens);
	for (uint32_t i = 0; i < x->n_names; i++) n_names += !a->control_names[i];
	if (n_names != x->n_tokens || a->control_names[x->n_names - 1])
		return refuse_number(why, SECTION_CONTROL_NAME, 0, "names", n_names, x->n_tokens);
	return GCDC_OK;
}

static gcdc_status spell(struct gcdc_artifact *a, gcdc_refusal *why)
{
	const uint32_t n = a->info.n_tokens, *from = a->token_offset;
	const uint32_t n_control = a->control_info ? a->control_info->n_tokens : 0;
	const bool ends = a->info.flags & INFO_TOKEN_ENDS;
	const uint64_t words = (uint64_t)n + 1, room = from[n] + (uint64_t)n_control * CONTROL_LEN + (ends ? n : 0);
	if (room >= UINT32_MAX) return refuse(why, GCDC_ERR_LIMIT, SECTION_CONTROL, 0, "too many bytes of tokens");
	uint32_t *offset = memory_resize(&a->memory, NULL, words * sizeof *offset + room, 1), at = 0;
	if (!offset) return refuse(why, GCDC_ERR_MEMORY, 0, 0, "no memory to spell control tokens");
	uint8_t *bytes = (uint8_t *)(offset + words);
	a->spelled = offset;
	for (uint32_t t = 0, k = 0; t < n; t++) {
		const uint8_t *s = a->token_bytes + from[t];
		uint32_t len = from[t + 1] - from[t];
		offset[t] = at;
		if (k < n_control && a->control_tokens[k] == t) {
			control_spell(t, bytes + at);
			at += CONTROL_LEN, k++;
		} else if (len && !memchr(s, CONTROL_MARK, len) && !(ends && memchr(s, TOKEN_END, len))) {
			memcpy(bytes + at, s, len);
			at += len;
		}
		if (ends && at > offset[t]) bytes[at++] = TOKEN_END;
	}
	offset[n] = at;
	a->token_offset = offset, a->token_bytes = bytes;
	a->section[SECTION_TOKEN_OFFSET] = offset, a->section_size[SECTION_TOKEN_OFFSET] = words * sizeof *offset;
	a->section[SECTION_TOKEN_BYTES] = bytes, a->section_size[SECTION_TOKEN_BYTES] = at;
	return GCDC_OK;
}

static gcdc_status take_named(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why)
{
	const struct artifact_control *x = a->control_info;
	const struct section_row rows[] = {
#define HEAD(...)
#define SECTIONS_OF SECTIONS_CONTROL
#define SECTION(id, NAME, member, type, count, ...) {id, &a->control_##member, count, sizeof(type)},
#include "../../../formats/sections.def"
	};
	gcdc_status status = section_take(a, f, rows, sizeof rows / sizeof *rows, why);
	if (!status && a->info.max_token_len < CONTROL_LEN)
		status = refuse_number(why, SECTION_INFO, offsetof(struct artifact_info, max_token_len), "longest token",
		                       a->info.max_token_len, CONTROL_LEN);
	return status ? status : check(a, why);
}

gcdc_status control_take(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why)
{
	const struct section_row head = {SECTION_CONTROL, &a->control_info, 1, sizeof *a->control_info};
	const bool ends = a->info.flags & INFO_TOKEN_ENDS;
	a->vocab_offset = a->token_offset, a->vocab_bytes = a->token_bytes;
	gcdc_status status = section_take_head(a, f, &head, why);
	if (status || (!a->control_info && !ends)) return status;
	if (ends && (a->info.n_lines || a->info.end_newline || f->at[SECTION_CANON]))
		return refuse(why, GCDC_ERR_FORMAT, SECTION_INFO, offsetof(struct artifact_info, flags),
		              "tokens are counted beside columns of lines or canonical tables");
	// The offsets are proved here, too: they are used before all else is.
	status = token_offsets_validate(a->token_offset, a->info.n_tokens, a->section_size[SECTION_TOKEN_BYTES],
	                                a->info.max_token_len, why);
	if (!status && a->control_info) status = take_named(a, f, why);
	return status ? status : spell(a, why);
}
