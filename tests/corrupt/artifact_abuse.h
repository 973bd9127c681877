// Ways to damage an encoded artifact, and to use whatever still opens.
#ifndef GCDC_TESTS_ARTIFACT_ABUSE_H
#define GCDC_TESTS_ARTIFACT_ABUSE_H

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../../formats/artifact.h"
#include "../../lib/include/gcdc/show.h"

#define ABUSE __attribute__((unused)) static

ABUSE struct artifact_section *abuse_row(uint8_t *bytes, uint32_t id)
{
	struct artifact_header *h = (struct artifact_header *)(void *)bytes;
	struct artifact_section *s = (struct artifact_section *)(void *)(bytes + sizeof *h);
	for (uint32_t i = 0; i < h->n_sections; i++)
		if (s[i].id == id) return &s[i];
	return NULL;
}

// Makes the checksums right again; sections must be raw, and inside the file, for theirs to be.
ABUSE void abuse_seal(uint8_t *bytes, size_t len, bool sections)
{
	struct artifact_header *h = (struct artifact_header *)(void *)bytes;
	struct artifact_section *s = (struct artifact_section *)(void *)(bytes + sizeof *h);
	if (len < sizeof *h || h->n_sections > ARTIFACT_MAX_SECTIONS || len < sizeof *h + h->n_sections * sizeof *s) return;
	for (uint32_t i = 0; sections && i < h->n_sections; i++)
		if (s[i].codec == ARTIFACT_RAW && s[i].offset <= len && s[i].size <= len - s[i].offset)
			s[i].check = XXH3_64bits(bytes + s[i].offset, s[i].size);
	h->table_check = 0;
	h->table_check = XXH3_64bits(bytes, sizeof *h + h->n_sections * sizeof *s);
}

// A copy of a raw file with section `id` so many bytes longer (zeros) or shorter; all: without it. To be freed.
enum { ABUSE_ALL = INT32_MIN };
ABUSE uint8_t *abuse_resized(const uint8_t *bytes, size_t len, uint32_t id, int32_t more, size_t *new_len)
{
	struct artifact_header h;
	struct artifact_section s[ARTIFACT_MAX_SECTIONS];
	memcpy(&h, bytes, sizeof h);
	memcpy(s, bytes + sizeof h, h.n_sections * sizeof *s);
	uint8_t *out = calloc(1, len + 4096);
	uint32_t n = h.n_sections - (more == ABUSE_ALL), to = 0;
	size_t end = sizeof h + n * sizeof *s;
	for (uint32_t i = 0; i < h.n_sections; i++) {
		uint64_t from = s[i].offset, keep = s[i].size;
		if (s[i].id == id && more == ABUSE_ALL) continue;
		if (s[i].id == id) s[i].stored = s[i].size = (uint64_t)((int64_t)keep + more);
		end = (end + ARTIFACT_ALIGN - 1) / ARTIFACT_ALIGN * ARTIFACT_ALIGN;
		memcpy(out + end, bytes + from, keep < s[i].size ? keep : s[i].size);
		s[i].offset = end, end += s[i].size;
		s[to++] = s[i];
	}
	h.n_sections = n, h.file_size = end;
	memcpy(out, &h, sizeof h);
	memcpy(out + sizeof h, s, n * sizeof *s);
	abuse_seal(out, end, true);
	*new_len = end;
	return out;
}

ABUSE void abuse_look(void *to, const gcdc_shown_stack *s)
{
	for (uint32_t i = 0; i < s->n; i++) *(uint32_t *)to += s->lr_states[i];
}

// Reads data as a text, and looks at all that there is to see of it.
ABUSE void abuse_show(const gcdc_artifact *a, const gcdc_matcher_options *options, const uint8_t *data, size_t n)
{
	gcdc_shown_text *text;
	gcdc_shown_reading r;
	uint32_t sum = 0, columns[4];
	bool all;
	if (gcdc_show_text(a, options, data, n, &text)) return;
	for (uint32_t i = 0; gcdc_show_reading(text->matcher, i, &r); i++) {
		sum += gcdc_matcher_columns(text->matcher, i, columns, 4, NULL);
		if (gcdc_show_stacks(text->matcher, i, (gcdc_show_limits){20, data[0]}, abuse_look, &sum, &all)) break;
	}
	for (size_t i = 0; i < text->n_lexings; i++)
		for (size_t k = 0; k < text->lexings[i].n; k++) sum += text->lexings[i].lexemes[k].terminal;
	gcdc_show_text_free(text);
}

// Uses a matcher in every way, led by the bytes of `data`. Results are of no interest, crashes are.
ABUSE void abuse_drive(const gcdc_artifact *a, const uint8_t *data, size_t n)
{
	gcdc_info info;
	gcdc_artifact_info(a, &info);
	if (info.n_tokens > 1u << 20) return;
	uint32_t *mask = calloc(info.mask_words, 4);
	gcdc_matcher *m = NULL, *other = NULL;
	const gcdc_matcher_options options = {.max_rollback = 8, .max_depth = 200, .max_stacks = 2000};
	gcdc_status status = gcdc_matcher_new(a, &options, &m);
	for (size_t i = 0; i < n && status == GCDC_OK; i++) {
		uint8_t forced[32];
		size_t len;
		uint32_t token = data[i] % info.n_tokens, lexed, stack[8], depth;
		gcdc_fill_info fill;
		gcdc_status s = gcdc_matcher_fill(m, mask, info.mask_words, &fill);
		if (s == GCDC_OK && data[i] % 2) {  // a token that is allowed
			uint32_t w = data[i] % info.mask_words;
			for (uint32_t k = 0; k < info.mask_words && !mask[w]; k++) w = (w + 1) % info.mask_words;
			if (mask[w]) token = w * 32 + (uint32_t)__builtin_ctz(mask[w]);
		}
		switch (data[i] / 2 % 16) {
		case 0: s = gcdc_matcher_rollback(m, data[i] / 32); break;
		case 1: s = gcdc_matcher_accept_bytes(m, &data[i], n - i < 3 ? n - i : 3); break;
		case 2: s = gcdc_matcher_forced_bytes(m, forced, sizeof forced, &len); break;
		case 3: s = gcdc_matcher_validate(m, &token, 1, &len); break;
		case 4:
			gcdc_matcher_free(other);
			s = data[i] & 32 ? gcdc_matcher_fork(m, &other) : gcdc_matcher_clone(m, &other);
			break;
		case 5:
			if (other) s = gcdc_matcher_accept(other, token);
			break;
		case 6: gcdc_matcher_reading(m, 0, &lexed, stack, 8, &depth); break;
		case 7: gcdc_matcher_is_completed(m); break;
		case 9: abuse_show(a, &options, data + i, n - i); break;
		case 8: {
			const int64_t next[] = {1, 2, -1}, sibling[] = {-1, -1, -1}, tokens[] = {0, token, data[i]};
			uint32_t *rows = calloc(3 * (size_t)info.mask_words, 4);
			s = gcdc_matcher_fill_draft_tree(m, &(gcdc_draft_tree){next, sibling, tokens, 3}, rows, info.mask_words,
			                                 NULL);
			free(rows);
			break;
		}
		default: s = gcdc_matcher_accept(m, token); break;
		}
		(void)s;
	}
	gcdc_matcher_free(other);
	gcdc_matcher_free(m);
	free(mask);
}

#endif
