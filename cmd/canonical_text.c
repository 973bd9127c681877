// What commands say about texts and tokens where masks are canonical.
//
// In:  an artifact, a text; or a matcher and a token that it refuses. Out: tokens; a reason in words.
// Of the tokens that a text goes on with the longest is tried first, and taken back when nothing follows it: a
// canonical sequence is one of few there are. A pair's reason is the merge that would cross it: a part on the right
// edge of one token, a part on the left edge of the other, early enough (formats/canonical.md). Cost: tokens tried,
// mostly one or two a token.
#include "canonical_text.h"

#include "gcdc/show.h"
#include "base/text_show.h"

// Either of them: with the grammar, or without it.
struct text_walk {
	gcdc_matcher *matcher;
	gcdc_canonical_walk *walk;
};

static bool goes_on(const struct text_walk *w, uint32_t token)
{
	if (w->walk) return gcdc_canonical_walk_push(w->walk, token) == GCDC_OK;
	return gcdc_matcher_is_canonical_next(w->matcher, token) && gcdc_matcher_accept(w->matcher, token) == GCDC_OK;
}

static bool goes_back(const struct text_walk *w)
{
	if (w->walk) return gcdc_canonical_walk_pop(w->walk), true;
	return gcdc_matcher_rollback(w->matcher, 1) == GCDC_OK;
}

struct tried {
	size_t at;
	uint32_t n, next;
	uint32_t tokens[256];
};  // tokens that fit, the longest first

static void list_fits(const struct vocab *v, const char *text, size_t len, struct tried *t)
{
	trie_node node = 0;
	VEC(uint32_t) all = {0};
	for (size_t i = t->at; i < len; i++) {
		trie_node c = node + 1;
		while (c < v->trie.end[node] && v->trie.byte[c] != (uint8_t)text[i]) c = v->trie.end[c];
		if (c >= v->trie.end[node]) break;
		node = c;
		for (uint32_t r = v->trie.rank[node]; r < v->trie.rank[node + 1]; r++) vec_push(&all, v->token_of[r]);
	}
	t->n = t->next = 0;
	while (all.n && t->n < 256) t->tokens[t->n++] = vec_pop(&all);
	vec_release(&all);
}

static bool cut(const gcdc_artifact *a, const struct vocab *v, const struct text_walk *w, const char *text, size_t len,
                token_list *out)
{
	VEC(struct tried) open = {0};
	const size_t most = len > CANONICAL_CUT_TRIES / 8 ? len * 8 : CANONICAL_CUT_TRIES;
	size_t tries = 0;
	struct tried first = {0};
	bool done = !len;
	out->n = 0;
	list_fits(v, text, len, &first);
	vec_push(&open, first);
	while (open.n && !done && tries < most) {
		struct tried *t = &open.at[open.n - 1];
		if (t->next == t->n) {
			if (--open.n && !goes_back(w)) break;
			if (open.n) out->n--;
			continue;
		}
		uint32_t token = t->tokens[t->next++], size;
		tries++;
		if (!goes_on(w, token)) continue;
		gcdc_artifact_token(a, token, &size);
		vec_push(out, token);
		struct tried next = {.at = t->at + size};
		done = next.at == len && (!w->walk || gcdc_canonical_walk_may_end(w->walk));
		list_fits(v, text, len, &next);
		vec_push(&open, next);
	}
	vec_release(&open);
	return done;
}

static bool canonical_cut(const gcdc_artifact *a, const char *text, size_t len, token_list *out)
{
	struct text_walk w = {0};
	struct vocab v;
	if (gcdc_artifact_canonical(a) == GCDC_CANONICAL_OFF || len >= UINT32_MAX) return false;
	if (gcdc_matcher_new(a, &(gcdc_matcher_options){.max_rollback = (uint32_t)len + 1}, &w.matcher)) return false;
	token_vocab_of(a, &v);
	bool done = cut(a, &v, &w, text, len, out);
	vocab_release(&v);
	gcdc_matcher_free(w.matcher);
	return done;
}

bool canonical_cut_any(const gcdc_artifact *a, const struct vocab *v, const char *text, size_t len, token_list *out)
{
	struct text_walk w = {0};
	if (gcdc_artifact_canonical(a) == GCDC_CANONICAL_OFF || len >= UINT32_MAX) return false;
	if (gcdc_canonical_walk_new(a, &w.walk)) return false;
	bool done = cut(a, v, &w, text, len, out);
	gcdc_canonical_walk_free(w.walk);
	return done;
}

gcdc_status canonical_accept_end(const gcdc_artifact *a, gcdc_matcher *m, uint32_t token)
{
	uint32_t len;
	gcdc_status status = gcdc_matcher_accept(m, token);
	if (status != GCDC_REJECTED || gcdc_artifact_canonical(a) != GCDC_CANONICAL_SOFT) return status;
	const uint8_t *text = gcdc_artifact_token(a, token, &len);
	return len ? gcdc_matcher_accept_bytes(m, text, len) : status;
}

gcdc_status canonical_accept(gcdc_matcher *m, const char *text, size_t len, uint32_t *last)
{
	token_list tokens = {0};
	gcdc_status status = GCDC_OK;
	*last = GCDC_NONE;
	if (canonical_cut(gcdc_matcher_artifact(m), text, len, &tokens)) {
		for (uint32_t i = 0; i < tokens.n && !status; i++) status = gcdc_matcher_accept(m, *last = tokens.at[i]);
	} else {
		status = gcdc_matcher_accept_bytes(m, text, len);
	}
	vec_release(&tokens);
	return status;
}

static void show_token(FILE *out, const gcdc_artifact *a, uint32_t token)
{
	uint32_t len;
	const uint8_t *bytes = gcdc_artifact_token(a, token, &len);
	text_show(out, bytes, len, 40);
}

// The merge that joins what stands at the border of the two; false: none does.
static bool crossing_merge(const gcdc_artifact *a, uint32_t left, uint32_t right, uint32_t *x, uint32_t *y)
{
	const struct artifact_canon *info = gcdc_artifact_section(a, SECTION_CANON, NULL);
	const struct artifact_canon_pair *parts = gcdc_artifact_section(a, SECTION_CANON_PARTS, NULL);
	const uint32_t *time = gcdc_artifact_section(a, SECTION_CANON_TIME, NULL),
				   *place = gcdc_artifact_section(a, SECTION_CANON_PLACE, NULL);
	const uint32_t *first = gcdc_artifact_section(a, SECTION_CANON_FIRST, NULL);
	const struct artifact_canon_join *joins = gcdc_artifact_section(a, SECTION_CANON_JOIN, NULL);
	if (!info || !parts || place[left] == ARTIFACT_NONE || place[right] == ARTIFACT_NONE) return false;
	uint32_t until = UINT32_MAX;
	for (*x = left; *x != ARTIFACT_NONE; until = time[*x], *x = parts[*x].right)
		for (*y = right; *y != ARTIFACT_NONE; *y = parts[*y].left)
			for (uint32_t k = first[*x]; k < first[*x + 1]; k++)
				if (joins[k].begin == place[*y] && joins[k].time < until && place[right] < joins[k].end) return true;
	return false;
}

char *canonical_reason(gcdc_matcher *m, uint32_t last, uint32_t token)
{
	const gcdc_artifact *a = gcdc_matcher_artifact(m);
	uint32_t len, x, y, n_eos;
	const uint8_t *bytes = gcdc_artifact_token(a, token, &len);
	const uint32_t *eos = gcdc_artifact_eos(a, &n_eos);
	bool is_eos = false;
	for (uint32_t i = 0; i < n_eos; i++) is_eos |= eos[i] == token;
	if (gcdc_artifact_canonical(a) == GCDC_CANONICAL_OFF || is_eos || !len) return NULL;
	bool is_next = gcdc_matcher_is_canonical_next(m, token);
	gcdc_matcher *copy;
	if (gcdc_matcher_fork(m, &copy)) return NULL;
	bool reads = gcdc_matcher_accept_bytes(copy, bytes, len) == GCDC_OK;
	gcdc_matcher_free(copy);
	if (!reads) return NULL;
	char *text = NULL;
	size_t size;
	FILE *f = text_stream(&text, &size);
	if (is_next) {
		fputs("not canonical: no text of the grammar that goes on so is one that the tokenizer writes with this token",
		      f);
	} else {
		fputs("not canonical", f);
		if (last != GCDC_NONE) {
			fprintf(f, " after token %u ", last);
			show_token(f, a, last);
		}
		if (last != GCDC_NONE && crossing_merge(a, last, token, &x, &y)) {
			fputs(": the tokenizer would merge ", f);
			show_token(f, a, x);
			fputs(" and ", f);
			show_token(f, a, y);
		} else if (last == GCDC_NONE)
			fputs(": the tokenizer would not begin so", f);
		else
			fputs(": the tokenizer would cut this text otherwise", f);
	}
	fclose(f);
	return text;
}
