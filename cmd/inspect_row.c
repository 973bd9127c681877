// Rows of inspect's tables: one set of calls, two forms (aligned words for people, JSON).
//
// In:  keys and values in order. Out: "key value  key value" lines, or objects of an array.
#include "inspect.h"
#include "text_show.h"

bool row_begin(struct inspect *x)
{
	x->n_rows++;
	if (x->limit.value && x->n_shown >= x->limit.value) return false;
	x->n_shown++;
	if (x->is_json) json_object(&x->json);
	x->needs_space = false;
	return true;
}

void row_end(struct inspect *x)
{
	if (x->is_json) json_close(&x->json);
	else putchar('\n');
}

static void put_key(struct inspect *x, const char *key)
{
	if (x->is_json) {
		if (key) json_key(&x->json, key);
		return;
	}
	if (x->needs_space) fputs(key ? "  " : " ", stdout);
	if (key) printf("%s ", key);
	x->needs_space = true;
}

void row_uint(struct inspect *x, const char *key, uint64_t value)
{
	put_key(x, key);
	if (x->is_json) json_uint(&x->json, value);
	else printf("%llu", (unsigned long long)value);
}

void row_int(struct inspect *x, const char *key, int64_t value)
{
	put_key(x, key);
	if (x->is_json) json_int(&x->json, value);
	else printf("%lld", (long long)value);
}

void row_id(struct inspect *x, const char *key, uint32_t value)
{
	if (value != ARTIFACT_NONE) {
		row_uint(x, key, value);
		return;
	}
	put_key(x, key);
	if (x->is_json) json_null(&x->json);
	else putchar('-');
}

void row_flag(struct inspect *x, const char *key, bool value)
{
	if (x->is_json) {
		json_bool_entry(&x->json, key, value);
	} else if (value) {
		if (x->needs_space) fputs("  ", stdout);
		fputs(key, stdout);
		x->needs_space = true;
	}
}

void row_string(struct inspect *x, const char *key, const char *value)
{
	put_key(x, key);
	if (x->is_json) json_string(&x->json, value);
	else fputs(value, stdout);
}

void row_bytes(struct inspect *x, const char *key, const void *bytes, size_t len)
{
	if (x->is_json && key) {
		json_text_entry(&x->json, key, bytes, len);
		return;
	}
	put_key(x, key);
	if (x->is_json) json_bytes(&x->json, bytes, len);
	else text_show(stdout, bytes, len, 0);
}

void row_list(struct inspect *x, const char *key)
{
	put_key(x, key);
	if (x->is_json) json_array(&x->json);
	else putchar('[');
	x->needs_space = false;
}

void row_group(struct inspect *x)
{
	if (x->is_json) {
		json_object(&x->json);
		return;
	}
	fputs(x->needs_space ? "; " : "", stdout);
	x->needs_space = false;
}

void row_close(struct inspect *x, bool is_list)
{
	if (x->is_json) json_close(&x->json);
	else if (is_list) putchar(']');
	x->needs_space = true;
}

void row_tokens(struct inspect *x, const char *key, const uint32_t *tokens, uint32_t n)
{
	row_list(x, key);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t len;
		const uint8_t *bytes = gcdc_artifact_token(x->artifact, tokens[i], &len);
		if (x->is_json) {
			json_object(&x->json);
			json_uint_entry(&x->json, "id", tokens[i]);
			json_text_entry(&x->json, "text", bytes, len);
			json_close(&x->json);
		} else {
			put_key(x, NULL);
			if (len) text_show(stdout, bytes, len, 40);
			else printf("<%u>", tokens[i]);
		}
	}
	row_close(x, true);
}

bool set_has(const struct inspect *x, uint32_t set, uint32_t token)
{
	gcdc_set s;
	if (!gcdc_artifact_set(x->artifact, set, &s)) return false;
	bool has = s.bits && s.bits[token / 32] >> token % 32 & 1;
	for (uint32_t i = 0; i < s.n; i++) has ^= s.tokens[i] == token;
	return has;
}

// A set's tokens in ascending order: the row's, in which the listed ones are flipped.
void row_set_tokens(struct inspect *x, uint32_t set, uint32_t max)
{
	gcdc_set s;
	if (!gcdc_artifact_set(x->artifact, set, &s)) return;
	VEC(uint32_t) tokens = {0};
	uint32_t i = 0;
	for (uint32_t w = 0; w < x->info->mask_words && (!max || tokens.n < max); w++) {
		uint32_t bits = s.bits ? s.bits[w] : 0;
		for (; i < s.n && s.tokens[i] / 32 == w; i++) bits ^= 1u << s.tokens[i] % 32;
		for (; bits && (!max || tokens.n < max); bits &= bits - 1) vec_push(&tokens, w * 32 + (uint32_t)__builtin_ctz(bits));
	}
	row_tokens(x, "tokens", tokens.at, tokens.n);
	vec_release(&tokens);
}

const char *terminal_name(const struct inspect *x, uint32_t t)
{
	return t < x->info->n_terminals ? x->strings + x->terminals[t].name : "$end";
}

const char *symbol_name(const struct inspect *x, uint32_t symbol)
{
	if (symbol < x->info->n_terminals) return terminal_name(x, symbol);
	return x->strings + x->nonterminals[symbol - x->info->n_terminals];
}
