// Control tokens in texts.
//
// In:  an artifact, a text as a chat template writes it: <|python_tag|>{"a":1}. Out: the same with spellings in place
// of the names of control tokens that the grammar names. Cost: names x text.
#include "control_text.h"

#include <string.h>

#include "base/mem.h"
#include "shared/control.h"

// The token whose name stands here, and the name's length; 0: none does.
static size_t name_at(const gcdc_artifact *artifact, const char *text, size_t len, uint32_t *token)
{
	const char *name;
	size_t longest = 0;
	uint32_t t;
	for (uint32_t i = 0; (name = gcdc_artifact_control(artifact, i, &t)); i++) {
		size_t n = strlen(name);
		if (n > longest && n <= len && !memcmp(name, text, n)) longest = n, *token = t;
	}
	return longest;
}

char *control_spelled(const gcdc_artifact *artifact, const char *text, size_t len, size_t *new_len)
{
	VEC(char) out = {0};
	uint32_t token = 0;
	for (size_t at = 0; at < len;) {
		size_t n = name_at(artifact, text + at, len - at, &token);
		uint8_t spelled[CONTROL_LEN];
		control_spell(token, spelled);
		for (uint32_t i = 0; i < CONTROL_LEN && n; i++) vec_push(&out, (char)spelled[i]);
		if (!n) vec_push(&out, text[at]);
		at += n ? n : 1;
	}
	vec_push(&out, 0);
	*new_len = out.n - 1;
	return out.at;
}

size_t control_old_place(const gcdc_artifact *artifact, const char *text, size_t len, size_t place)
{
	size_t at = 0, now = 0;
	uint32_t token;
	while (at < len && now < place) {
		size_t n = name_at(artifact, text + at, len - at, &token);
		if (n && now + CONTROL_LEN > place) break;
		now += n ? CONTROL_LEN : 1;
		at += n ? n : 1;
	}
	return at;
}
