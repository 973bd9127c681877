// What a mask allows, grouped for people by the byte that a token begins with.
//
// In:  an artifact, a mask. Out: counts, examples, a sentence. Cost: one pass over the mask's bits for each question.
#include "allowed.h"

#include "base/text_show.h"
#include "shared/control.h"

#define N_EXAMPLES 12u

uint8_t allowed_class(uint8_t b)
{
	if (b >= '0' && b <= '9') return '0';
	if (b >= 'A' && b <= 'Z') return 'A';
	if (b >= 'a' && b <= 'z') return 'a';
	if (b == ' ' || (b >= '\t' && b <= '\r')) return ' ';
	if (b < 0x20 || b == 0x7F) return 0;
	return b == CONTROL_MARK ? CONTROL_MARK : b >= 0x80 ? 0x80 : b;
}

struct class_label allowed_class_label(uint8_t c)
{
	switch (c) {
	case '0': return (struct class_label){"0-9"};
	case 'A': return (struct class_label){"A-Z"};
	case 'a': return (struct class_label){"a-z"};
	case ' ': return (struct class_label){"white space"};
	case 0: return (struct class_label){"controls"};
	case 0x80: return (struct class_label){"not ASCII"};
	case CONTROL_MARK: return (struct class_label){"control tokens"};
	default: return (struct class_label){{(char)c}};
	}
}

// The next allowed token with bytes, from t on; n_tokens at the end.
static uint32_t next_text(const struct allowed *a, uint32_t t, const uint8_t **bytes, uint32_t *len)
{
	for (; t < a->n_tokens; t++) {
		uint32_t bits = a->mask[t / 32] >> t % 32;
		if (!bits) {
			t |= 31;
			continue;
		}
		t += (uint32_t)__builtin_ctz(bits);
		if (t >= a->n_tokens) break;
		*bytes = gcdc_artifact_token(a->artifact, t, len);
		if (*len) return t;
	}
	return a->n_tokens;
}

void allowed_read(struct allowed *a, const gcdc_artifact *artifact, const uint32_t *mask, bool may_end)
{
	gcdc_info info;
	gcdc_artifact_info(artifact, &info);
	*a = (struct allowed){.artifact = artifact, .mask = mask, .n_tokens = info.n_tokens, .may_end = may_end};
	for (uint32_t w = 0; w < info.mask_words; w++) a->count += (uint32_t)__builtin_popcount(mask[w]);
	const uint8_t *bytes;
	uint32_t len;
	for (uint32_t t = next_text(a, 0, &bytes, &len); t < a->n_tokens; t = next_text(a, t + 1, &bytes, &len)) {
		a->n_text++;
		a->first[bytes[0]] = true;
		a->by_class[allowed_class(bytes[0])]++;
	}
}

uint32_t allowed_examples_of(const struct allowed *a, uint8_t class_byte, uint32_t *tokens, uint32_t n)
{
	// Insertion into a short sorted list: by length, then bytes, then id.
	uint32_t have = 0, len, other_len;
	const uint8_t *bytes, *other;
	for (uint32_t t = next_text(a, 0, &bytes, &len); t < a->n_tokens; t = next_text(a, t + 1, &bytes, &len)) {
		if (allowed_class(bytes[0]) != class_byte) continue;
		uint32_t at = have;
		for (; at > 0; at--) {
			other = gcdc_artifact_token(a->artifact, tokens[at - 1], &other_len);
			if (other_len < len || (other_len == len && memcmp(other, bytes, len) <= 0)) break;
		}
		if (at == n) continue;
		if (have < n) have++;
		memmove(tokens + at + 1, tokens + at, (have - 1 - at) * sizeof *tokens);
		tokens[at] = t;
	}
	return have;
}

// Some of the tokens, the plainest of each class first, at most n. Returns how many.
static uint32_t allowed_examples(const struct allowed *a, uint32_t *tokens, uint32_t n)
{
	uint32_t have = 0, len;
	const uint8_t *bytes;
	if (a->n_text <= n) {
		for (uint32_t t = next_text(a, 0, &bytes, &len); t < a->n_tokens; t = next_text(a, t + 1, &bytes, &len))
			tokens[have++] = t;
		return have;
	}
	// The shortest token for each first byte, one class after the other; several of a class only when there is room.
	uint32_t shortest[256], least[256];
	memset(least, 0xFF, sizeof least);
	for (uint32_t t = next_text(a, 0, &bytes, &len); t < a->n_tokens; t = next_text(a, t + 1, &bytes, &len))
		if (len < least[bytes[0]]) least[bytes[0]] = len, shortest[bytes[0]] = t;
	bool used[256] = {0};
	for (uint32_t round = 0; round < 256 && have < n; round++) {
		bool class_used[256] = {0};
		for (uint32_t i = 0; i < 256 && have < n; i++) {
			uint32_t b = (i + 0x21) % 256;  // white space and controls last
			uint8_t c = allowed_class((uint8_t)b);
			if (!a->first[b] || used[b] || class_used[c]) continue;
			used[b] = class_used[c] = true;
			tokens[have++] = shortest[b];
		}
	}
	return have;
}

void allowed_show(const struct allowed *a, FILE *out)
{
	uint32_t tokens[N_EXAMPLES], n = allowed_examples(a, tokens, N_EXAMPLES);
	if (!a->n_text)
		fputs("no token of text", out);
	else if (n == a->n_text)
		fprintf(out, "%u token%s:", n, cli_s(n));
	else
		fprintf(out, "%u tokens, such as", a->n_text);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t len;
		const uint8_t *bytes = gcdc_artifact_token(a->artifact, tokens[i], &len);
		fputc(' ', out);
		text_show(out, bytes, len, 24);
	}
	if (a->n_text > n) {
		fputs("; they begin with ", out);
		text_show_byte_set(out, a->first);
	}
	fputs(a->may_end ? "; the text may end here" : "; the text may not end here", out);
}
