// What may_come.c and unsettled.c share: which characters may come behind a start.
#ifndef GCDC_CANONICAL_UNSETTLED_H
#define GCDC_CANONICAL_UNSETTLED_H

#include "../base/bitset.h"
#include "../base/intern.h"
#include "../base/map64.h"
#include "canonical.h"

struct sure_bytes {
	uint32_t word[8];
};  // a set of bytes: first its ASCII characters, as struct artifact_canon_chars; LIVE_END
struct start_chars {
	struct intern sets;  // struct sure_bytes
	uint32_t *of
		[2];  // [n_starts] number in `sets`: characters that may come whatever lies below; [1]: where a line is pending
};
// Rows of START that a base has, by context. The caller frees it.
uint32_t *start_rows(const struct grammar_tables *m);
// wide, nodes and bytes of *out. The caller releases starts: its sets and both lists.
void find_may_come(const struct grammar_tables *m, struct start_chars *starts, struct arena *arena,
                   struct unsettled_tables *out);

// ahead.c: tokens behind which other tokens surely lead on.
struct ahead {
	const struct grammar_tables *m;
	const struct vocab *v;
	const struct token_leads *leads;
	const struct start_chars *starts;
	const uint32_t *ranks;   // start_rows
	struct intern nexts;     // lexer states
	struct map64 nexts_of;   // (lexer state, number in starts->sets) -> number in nexts
	struct intern paths;     // of struct ahead_spot: what may come in a lexer state and in those behind it, on a top
	struct map64 tokens_of;  // (path, spot) -> number in lists
	VEC(struct artifact_canon_list) lists;  // of tokens
	VEC(struct ahead_token) tokens;
	struct intern tops;     // ascending numbers of paths
	struct map64 tops_of;   // (lexer state, context) -> number in tops
	struct map64 verdicts;  // (token, path) -> it leads on
	VEC(uint32_t) work, found;
	struct ahead_node *nodes;
	uint32_t tries;  // left for the token at hand
};
void ahead_open(struct ahead *s);  // all above `nexts` is there, the rest 0
// Does the token, which ends in lexer state q on tops of a context (n_contexts: of all), surely lead on?
bool ahead_leads(struct ahead *s, uint32_t token, uint32_t q, uint32_t context);
void ahead_release(struct ahead *s);

#endif
