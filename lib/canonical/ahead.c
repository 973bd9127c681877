// Tokens behind which no character leads on for sure, but other tokens do.
//
// In:  a grammar's tables, what live.c and may_come.c know. Out: does a token that ends in a lexer state lead on?
// In the middle of a keyword few characters may come, and merges join most of them to what stands there: behind " AL"
// come "T" or "L", and " ALT", " ALL" are tokens. A text goes on there with a longer token, "TER". So the tokens that
// may come are looked at as runtime searches look at them: what may come on a top of the stack, whatever lies below, is
// known of each lexer state, and as long as no lexeme ends the top stays. The lexer states that are reached so, each
// with what may come in it, are a path; most tops have the same few. A token leads on by a path when from each place of
// the tokenizer that it may leave some of the path's tokens, AHEAD_DEPTH at most, lead to one from which a character
// leads on. Inside a character a rest of it comes first. Cost: one path a top for each lexer state in which such a
// token ends; for each path and token at most AHEAD_TRIES tokens.
#include "unsettled.h"

#include "../base/sort.h"

#define AHEAD_SPOTS 24u    // lexer states of a path
#define AHEAD_BYTES 64u    // where more may come a character leads on, and only what stays there is gone on with
#define AHEAD_TOKENS 256u  // of a spot
#define AHEAD_NODES 4096u  // of the trie, looked at for them
#define AHEAD_DEPTH 3u     // tokens, one behind the other; FAR_AHEAD counts on it
#define AHEAD_TRIES 512u   // all together, for a token on a path

// On a top of the stack: a lexer state, what may come in it, and behind a blank. Numbers in starts->sets, or NONE.
struct ahead_spot {
	uint32_t lex_state, bytes, behind_blank;
};
// Where it ends: a spot of the same path.
struct ahead_token {
	uint32_t token, spot;
};
struct ahead_node {
	trie_node end;
	uint32_t spot;
};

void ahead_open(struct ahead *s) { s->nodes = mem_calloc(s->v->max_token_len + 2, sizeof *s->nodes); }

void ahead_release(struct ahead *s)
{
	intern_release(&s->nexts), map64_release(&s->nexts_of), intern_release(&s->paths), map64_release(&s->tokens_of);
	vec_release(&s->lists), vec_release(&s->tokens);
	intern_release(&s->tops), map64_release(&s->tops_of), map64_release(&s->verdicts);
	vec_release(&s->work), vec_release(&s->found);
	free(s->nodes);
}

static uint32_t next_of(const struct ahead *s, uint32_t from, uint8_t byte)
{
	uint32_t next = s->m->lex_next[(uint64_t)from * s->m->info.n_classes + s->m->info.class_of[byte]];
	return next & LEX_CUT ? 0 : next & LEX_STATE_MASK;
}

static bool has_byte(const struct ahead *s, uint32_t bytes, uint8_t byte)
{
	const struct sure_bytes *at = intern_get(&s->starts->sets, bytes, NULL);
	return at->word[byte / 32] >> byte % 32 & 1;
}

static bool is_line(const struct ahead *s, uint32_t q)
{
	return s->m->info.n_lines && s->m->lex_states[q].flags & LEX_LINE;
}

// What may come in a lexer state on a top: a context and a rank in it.
static uint32_t bytes_of(const struct ahead *s, uint32_t q, uint32_t context, uint32_t rank)
{
	const struct grammar_tables *m = s->m;
	uint32_t base = artifact_start_base_of(&m->lex_states[q], m->start_base, m->live, m->info.n_contexts, context);
	return base == ARTIFACT_NONE ? ARTIFACT_NONE : s->starts->of[is_line(s, q)][base + rank];
}

static struct ahead_spot spot_of(const struct ahead *s, uint32_t q, uint32_t context, uint32_t rank)
{
	struct ahead_spot spot = {q, bytes_of(s, q, context, rank), ARTIFACT_NONE};
	uint32_t next = next_of(s, q, ' ');
	if (next && spot.bytes != ARTIFACT_NONE && has_byte(s, spot.bytes, ' '))
		spot.behind_blank = bytes_of(s, next, context, rank);
	return spot;
}

// Lexer states behind one byte that may come in a spot; none where too many may, and where columns may end blocks and
// so change the top.
static const uint32_t *nexts_of(struct ahead *s, struct ahead_spot spot, uint32_t *n)
{
	*n = 0;
	if (spot.bytes == ARTIFACT_NONE || is_line(s, spot.lex_state)) return NULL;
	uint64_t key = (uint64_t)spot.lex_state << 32 | spot.bytes, list = map64_get(&s->nexts_of, key);
	if (list == MAP64_NONE) {
		uint32_t n_bytes = 0, is_loop = 0;
		vec_clear(&s->work);
		for (uint32_t b = 0; b < 256; b++) {
			uint32_t next = has_byte(s, spot.bytes, (uint8_t)b) ? next_of(s, spot.lex_state, (uint8_t)b) : 0, k = 0;
			if (!next) continue;
			n_bytes++, is_loop |= next == spot.lex_state;
			while (k < s->work.n && s->work.at[k] != next) k++;
			if (k == s->work.n) vec_push(&s->work, next);
		}
		if (n_bytes > AHEAD_BYTES) vec_clear(&s->work);
		if (n_bytes > AHEAD_BYTES && is_loop) vec_push(&s->work, spot.lex_state);
		map64_put(&s->nexts_of, key, list = intern_add(&s->nexts, s->work.at, s->work.n * sizeof *s->work.at, NULL));
	}
	const uint32_t *at = intern_get(&s->nexts, (uint32_t)list, n);
	*n /= sizeof *at;
	return at;
}

// Of a path: the spot of a lexer state; n: it has none.
static uint32_t spot_in(const struct ahead_spot *spots, uint32_t n, uint32_t q)
{
	uint32_t i = 0;
	while (i < n && spots[i].lex_state != q) i++;
	return i;
}

// The tokens that may come along a path of n spots, from spot `from` on. They hold while none are added.
static const struct ahead_token *tokens_from(struct ahead *s, uint32_t path, uint32_t from, uint32_t *n_tokens)
{
	const struct trie *trie = &s->v->trie;
	uint64_t key = (uint64_t)path << 32 | from, known = map64_get(&s->tokens_of, key);
	uint32_t n, n_next, depth = 0, looked = 0;
	const struct ahead_spot *spots = intern_get(&s->paths, path, &n);
	n /= sizeof *spots;
	if (known == MAP64_NONE) {
		struct artifact_canon_list list = {.first = s->tokens.n};
		s->nodes[0] = (struct ahead_node){trie->n_nodes, from};
		for (trie_node w = 1; w < trie->n_nodes && looked++ < AHEAD_NODES && list.n < AHEAD_TOKENS;) {
			while (w >= s->nodes[depth].end) depth--;
			const struct ahead_spot at = spots[s->nodes[depth].spot];
			nexts_of(s, at, &n_next);
			bool may_come = n_next && has_byte(s, at.bytes, trie->byte[w]);
			uint32_t spot = may_come ? spot_in(spots, n, next_of(s, at.lex_state, trie->byte[w])) : n;
			if (spot == n) {
				w = trie->end[w];
				continue;
			}
			for (uint32_t r = trie->rank[w]; r < trie->rank[w + 1]; r++, list.n++)
				vec_push(&s->tokens, ((struct ahead_token){s->v->token_of[r], spot}));
			s->nodes[++depth] = (struct ahead_node){trie->end[w++], spot};
		}
		map64_put(&s->tokens_of, key, known = s->lists.n);
		vec_push(&s->lists, list);
	}
	*n_tokens = s->lists.at[known].n;
	return s->tokens.at + s->lists.at[known].first;
}

// The path from a lexer state on a top.
static uint32_t path_of(struct ahead *s, uint32_t q, uint32_t context, uint32_t rank)
{
	struct ahead_spot spots[AHEAD_SPOTS];
	uint32_t n = 1, n_next;
	spots[0] = spot_of(s, q, context, rank);
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t *next = nexts_of(s, spots[i], &n_next);
		for (uint32_t k = 0; k < n_next && n < AHEAD_SPOTS; k++)
			if (spot_in(spots, n, next[k]) == n) spots[n++] = spot_of(s, next[k], context, rank);
	}
	return intern_add(&s->paths, spots, n * sizeof *spots, NULL);
}

// Of each top of a context, of all contexts, the path: each once.
static uint32_t tops_of(struct ahead *s, uint32_t q, uint32_t context)
{
	const uint32_t all = s->m->info.n_contexts;
	const uint64_t key = (uint64_t)q << 32 | context, known = map64_get(&s->tops_of, key);
	if (known != MAP64_NONE) return (uint32_t)known;
	vec_clear(&s->found);
	for (uint32_t c = context < all ? context : 0; c < (context < all ? context + 1 : all); c++) {
		if (bytes_of(s, q, c, 0) == ARTIFACT_NONE) continue;
		for (uint32_t r = 0; r < s->ranks[c]; r++) vec_push(&s->found, path_of(s, q, c, r));
	}
	uint32_t n = 0;
	uint32_t *at = s->found.at;
	sort_u32(at, s->found.n);
	for (uint32_t i = 0; i < s->found.n; i++)
		if (!n || at[n - 1] != at[i]) at[n++] = at[i];
	const uint32_t id = intern_add(&s->tops, at, n * sizeof *at, NULL);
	map64_put(&s->tops_of, key, id);
	return id;
}

// Does a character lead on from a place in a spot?
static bool leads_here(const struct ahead *s, const struct live_place *at, uint32_t path, uint32_t spot)
{
	const struct ahead_spot *x = (const struct ahead_spot *)intern_get(&s->paths, path, NULL) + spot;
	uint64_t chars[LIVE_WORDS] = {0}, behind_blank[LIVE_WORDS] = {0};
	if (x->bytes == ARTIFACT_NONE) return false;
	memcpy(chars, intern_get(&s->starts->sets, x->bytes, NULL), sizeof chars);
	if (x->behind_blank != ARTIFACT_NONE)
		memcpy(behind_blank, intern_get(&s->starts->sets, x->behind_blank, NULL), sizeof behind_blank);
	return live_place_leads(s->leads, at, chars, behind_blank);
}

// A character, or tokens of the path, `depth` at most. Goes no deeper than AHEAD_DEPTH.
static bool leads_from(struct ahead *s, const struct live_place *at, uint32_t path, uint32_t spot, uint32_t depth)
{
	uint32_t n;
	if (leads_here(s, at, path, spot)) return true;
	if (!depth) return false;
	tokens_from(s, path, spot, &n);
	for (uint32_t i = 0; i < n && s->tries; i++) {
		const struct ahead_token then = tokens_from(s, path, spot, &n)[i];
		struct live_place to;
		s->tries--;
		if (live_then(s->leads, at, then.token, &to) && leads_from(s, &to, path, then.spot, depth - 1)) return true;
	}
	return false;
}

// Inside a character: tokens that end it, some token for each of the sets.
static bool leads_inside(struct ahead *s, const struct live_begun *begun, uint32_t path)
{
	struct live_place places[64];
	uint64_t led = 0;
	uint32_t n;
	if (begun->n >= 64) return false;
	const uint64_t all = (1ull << begun->n) - 1;
	tokens_from(s, path, 0, &n);
	for (uint32_t i = 0; i < n && s->tries && led != all; i++) {
		const struct ahead_token rest = tokens_from(s, path, 0, &n)[i];
		const uint32_t n_places = live_rest(s->leads, begun, rest.token, places);
		for (uint32_t k = 0; k < n_places && s->tries; k++) {
			if (led >> k & 1 || !places[k].set) continue;
			s->tries--;
			if (leads_from(s, &places[k], path, rest.spot, AHEAD_DEPTH - 1)) led |= 1ull << k;
		}
	}
	return led == all;
}

static bool path_leads(struct ahead *s, uint32_t token, uint32_t path)
{
	const uint64_t key = (uint64_t)token << 32 | path, known = map64_get(&s->verdicts, key);
	if (known != MAP64_NONE) return known;
	struct live_place places[CANON_MAX_SETS];
	const struct live_begun *begun = live_begun_of(s->leads, token);
	const uint32_t n = begun ? 0 : live_places(s->leads, token, places);
	bool leads = n != ARTIFACT_NONE;
	s->tries = AHEAD_TRIES;
	if (begun) leads = leads_inside(s, begun, path);
	for (uint32_t i = 0; i < n && leads; i++) leads = leads_from(s, &places[i], path, 0, AHEAD_DEPTH);
	map64_put(&s->verdicts, key, leads);
	return leads;
}

bool ahead_leads(struct ahead *s, uint32_t token, uint32_t q, uint32_t context)
{
	uint32_t n;
	const uint32_t *paths = intern_get(&s->tops, tops_of(s, q, context), &n);
	bool leads = true;
	for (uint32_t i = 0; i < n / sizeof *paths && leads; i++) leads = path_leads(s, token, paths[i]);
	return leads;
}
