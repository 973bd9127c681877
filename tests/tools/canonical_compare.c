// canonical_compare ARTIFACT TOKENIZER.json pairs N SEED          random pairs of text tokens
// canonical_compare ARTIFACT TOKENIZER.json texts N SEED FILE...  texts cut at random, and cut otherwise at one place
//
// Holds what the runtime says of sequences of tokens against the encoder: canonical exactly when encoding the text
// gives the tokens back. ARTIFACT: any text, --canonical=soft. texts also checks that no prefix of a canonical sequence
// is refused.
#include <stdio.h>
#include <stdlib.h>

#include "../../lib/include/gcdc/runtime.h"
#include "../../lib/vocab/vocab.h"

struct setup {
	gcdc_artifact *artifact;
	gcdc_matcher *m;
	struct encoder *e;
	struct vocab v;
	struct diag d;
	uint32_t skip;  // tokens of `before`
	const char
		*before;  // what is put before every text: nothing, or a newline where the tokenizer puts something there
	uint64_t x, n_checked, n_canonical, n_wrong;
};

static uint32_t pick(struct setup *s, uint32_t n)
{
	s->x ^= s->x << 13, s->x ^= s->x >> 7, s->x ^= s->x << 17;
	return (uint32_t)((s->x >> 32) * n >> 32);
}

typedef VEC(uint32_t) id_list;
typedef VEC(char) text_list;

static bool encode(struct setup *s, const char *text, uint32_t len, id_list *out)
{
	text_list all = {0};
	uint32_t *ids, n, before = (uint32_t)strlen(s->before);
	vec_clear(out);
	vec_reserve(&all, (uint64_t)before + len + 1);
	memcpy(all.at, s->before, before);
	if (len) memcpy(all.at + before, text, len);
	bool good = encoder_encode(s->e, (struct encoder_text){all.at, before + len, false}, &ids, &n, &s->d);
	vec_release(&all);
	if (!good) {
		s->d.messages.n = s->d.n_errors = 0;
		return false;
	}
	for (uint32_t i = s->skip; i < n; i++) vec_push(out, ids[i]);
	free(ids);
	return true;
}

// Tokens accepted as canonical, one after the other; *whole: and the text may end behind them. A control token, which
// the text spells, is a new beginning.
static uint32_t accepted(struct setup *s, const uint32_t *ids, uint32_t n, bool *whole)
{
	uint32_t n_eos, i = 0;
	const uint32_t *eos = gcdc_artifact_eos(s->artifact, &n_eos);
	gcdc_matcher_reset(s->m);
	for (; i < n; i++) {
		if (s->v.offset[ids[i]] == s->v.offset[ids[i] + 1])
			gcdc_matcher_reset(s->m);
		else if (!gcdc_matcher_is_canonical_next(s->m, ids[i]) || gcdc_matcher_accept(s->m, ids[i]))
			break;
	}
	*whole = i == n && gcdc_matcher_is_canonical_next(s->m, eos[0]);
	return i;
}

static void show(const struct setup *s, const char *what, const uint32_t *ids, uint32_t n)
{
	printf("%s:", what);
	for (uint32_t i = 0; i < n; i++) {
		printf(" %u=\"", ids[i]);
		for (uint32_t k = s->v.offset[ids[i]]; k < s->v.offset[ids[i] + 1]; k++)
			printf(s->v.bytes[k] < 32 || s->v.bytes[k] > 126 ? "\\x%02x" : "%c", s->v.bytes[k]);
		printf("\"");
	}
	printf("\n");
}

static void check(struct setup *s, const uint32_t *ids, uint32_t n)
{
	text_list text = {0};
	id_list want = {0};
	bool got;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = s->v.offset[ids[i]]; k < s->v.offset[ids[i] + 1]; k++) vec_push(&text, (char)s->v.bytes[k]);
	if (encode(s, text.at, text.n, &want)) {
		bool same = want.n == n && !memcmp(want.at, ids, n * sizeof *ids);
		accepted(s, ids, n, &got);
		s->n_checked++, s->n_canonical += same;
		if (got != same && s->n_wrong++ < 10) {
			show(s, got ? "accepted, but not canonical" : "canonical, but refused", ids, n);
			show(s, "  the tokenizer gives", want.at, want.n);
		}
	}
	vec_release(&text), vec_release(&want);
}

static void compare_pairs(struct setup *s, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		uint32_t pair[2] = {s->v.token_of[pick(s, s->v.n_ranks)], s->v.token_of[pick(s, s->v.n_ranks)]};
		check(s, pair, 2);
	}
}

// A random token that text begins with.
static uint32_t random_token(struct setup *s, const char *text, uint32_t len)
{
	uint32_t found = UINT32_MAX, n = 0;
	const struct trie *t = &s->v.trie;
	trie_node node = 0;
	for (uint32_t i = 0; i < len && i < s->v.max_token_len; i++) {
		trie_node c = node + 1;
		while (c < t->end[node] && t->byte[c] != (uint8_t)text[i]) c = t->end[c];
		if (c >= t->end[node]) break;
		node = c;
		for (uint32_t r = t->rank[node]; r < t->rank[node + 1]; r++)
			if (!pick(s, ++n)) found = s->v.token_of[r];
	}
	return found;
}

static void compare_texts(struct setup *s, uint64_t n, const char *text, uint32_t len)
{
	id_list ids = {0}, other = {0};
	bool whole;
	if (encode(s, text, len, &ids)) {
		// One long sequence: no prefix of it is refused.
		uint32_t done = accepted(s, ids.at, ids.n, &whole);
		if (!whole) {
			s->n_wrong++;
			printf("refused at token %u of %u\n", done, ids.n);
			uint32_t from = done > 6 ? done - 6 : 0;
			show(s, "  there", ids.at + from, (done + 3 < ids.n ? done + 3 : ids.n) - from);
		}
		s->n_canonical += ids.n;
	}
	for (uint64_t i = 0; i < n; i++) {
		uint32_t begin = pick(s, len), size = 1 + pick(s, 40);
		while (begin < len && (text[begin] & 0xC0) == 0x80) begin++;
		if (size > len - begin) size = len - begin;
		while (size && begin + size < len && (text[begin + size] & 0xC0) == 0x80) size--;
		if (!size || !encode(s, text + begin, size, &ids) || !ids.n) continue;
		vec_clear(&other);
		uint32_t from = pick(s, ids.n), to = from + 1 + pick(s, 4), bytes = 0, at = 0;
		if (to > ids.n) to = ids.n;
		for (uint32_t k = 0; k < from; k++) vec_push(&other, ids.at[k]);
		char part[4096];
		for (uint32_t k = from; k < to; k++)
			for (uint32_t b = s->v.offset[ids.at[k]]; b < s->v.offset[ids.at[k] + 1] && bytes < sizeof part; b++)
				part[bytes++] = (char)s->v.bytes[b];
		while (at < bytes) {
			uint32_t t = random_token(s, part + at, bytes - at);
			if (t == UINT32_MAX) break;
			vec_push(&other, t);
			at += s->v.offset[t + 1] - s->v.offset[t];
		}
		for (uint32_t k = to; k < ids.n; k++) vec_push(&other, ids.at[k]);
		check(s, other.at, other.n);
	}
	vec_release(&ids), vec_release(&other);
}

int main(int argc, char **argv)
{
	static struct setup s;
	gcdc_refusal why;
	if (argc < 6) return 2;
	if (!vocab_load(argv[2], NULL, &s.d, &s.v) || !(s.e = encoder_load(argv[2], &s.d)))
		return diag_print(&s.d, stderr), 1;
	if (gcdc_artifact_open(argv[1], NULL, &s.artifact, &why)) return fprintf(stderr, "%s\n", why.what), 1;
	if (gcdc_matcher_new(s.artifact, &(gcdc_matcher_options){.max_rollback = 1}, &s.m)) return 1;
	s.x = strtoull(argv[5], NULL, 10) * 0x9E3779B97F4A7C15u + 1;
	s.before = "";
	id_list ids = {0}, longer = {0};
	encode(&s, "a", 1, &ids);
	if (ids.n && s.v.offset[ids.at[0] + 1] - s.v.offset[ids.at[0]] > 1) {  // it put something there
		s.before = "\n";
		encode(&s, "", 0, &longer);
		s.skip = longer.n;
	}
	uint64_t n = strtoull(argv[4], NULL, 10);
	if (!strcmp(argv[3], "pairs")) {
		compare_pairs(&s, n);
	} else {
		for (int i = 6; i < argc; i++) {
			FILE *f = fopen(argv[i], "rb");
			text_list text = {0};
			if (!f) return perror(argv[i]), 1;
			for (int c; (c = getc(f)) != EOF;) vec_push(&text, (char)c);
			fclose(f);
			compare_texts(&s, n, text.at, text.n);
			vec_release(&text);
		}
	}
	printf("%llu checked, %llu canonical, %llu wrong\n", (unsigned long long)s.n_checked,
	       (unsigned long long)s.n_canonical, (unsigned long long)s.n_wrong);
	vec_release(&ids), vec_release(&longer);
	gcdc_matcher_free(s.m);
	gcdc_artifact_close(s.artifact);
	encoder_free(s.e);
	vocab_release(&s.v);
	diag_release(&s.d);
	return s.n_wrong != 0;
}
