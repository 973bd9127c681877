// Text to tokens, five ways.
//
// In:  an artifact, a text, perhaps a tokenizer. Out: ids whose bytes together are exactly the text.
// The tokenizer's own ids are taken when their bytes are the text. A tokenizer that puts a space before the text
// (SentencePiece) has its first token cut anew without it; one that changes the text (normalization), and a text
// that it does not take (not UTF-8), fall back to the greedy cut: masks do not depend on the cut, except where
// max_tokens counts tokens. Those of artifacts with canonical tables do, but these know how the tokenizer cuts: where
// there is none, or where it puts a space, they cut. Other cuts walk the trie of the vocabulary; where single bytes are
// missing, a table from the end of the text tells from where it can be cut at all. Cost: O(text * longest token).
#include "token_cut.h"

#include "canonical_text.h"
#include "base/text_show.h"
#include "shared/control.h"
#include "tokenizer_path.h"

#define MAX_FITS 4096u  // tokens that fit at one place, on different trie nodes

static bool every_byte_is_token(const struct trie *t)
{
	uint32_t n_bytes = 0;
	for (trie_node n = 1; n < t->n_nodes; n = t->end[n]) n_bytes += t->rank[n] != t->rank[n + 1];
	return n_bytes == 256;
}

// Was the artifact compiled for the built-in tokenizer? Its hash counts EOS and width in: they are taken from it.
static bool is_default(const gcdc_artifact *artifact)
{
	gcdc_info info;
	gcdc_artifact_info(artifact, &info);
	struct vocab_options o = {.vocab_size = info.n_tokens};
	o.eos = gcdc_artifact_eos(artifact, &o.n_eos);
	struct diag d = {0};
	struct vocab v;
	bool same = vocab_load_default(&o, &d, &v);
	if (same) {
		same = !memcmp(v.hash, info.vocab_hash, sizeof v.hash);
		vocab_release(&v);
	}
	diag_release(&d);
	return same;
}

// The same bytes for each id, as far as both have it as text: other EOS ids, and unused ids at the end, change no cut.
static bool same_tokens(const struct token_cutter *c, const struct vocab *v)
{
	uint32_t n = v->n_tokens > c->vocab.n_tokens ? v->n_tokens : c->vocab.n_tokens;
	for (uint32_t t = 0; t < n; t++) {
		uint32_t here = t < v->n_tokens ? v->offset[t + 1] - v->offset[t] : 0, there = 0;
		const uint8_t *bytes = t < c->vocab.n_tokens ? gcdc_artifact_token(c->artifact, t, &there) : NULL;
		bool is_end = (t < v->n_tokens && v->kind[t] == TOKEN_CONTROL) ||
		              (t < c->vocab.n_tokens && c->vocab.kind[t] == TOKEN_CONTROL);
		if (here && there && (here != there || memcmp(v->bytes + v->offset[t], bytes, here) != 0)) return false;
		if (!here != !there && !is_end) return false;
	}
	return true;
}

// What the artifact tells of the tokenizer that it was compiled for. Artifacts hold no name of it, since the same
// tokens give the same file under any name; its files stand in the provenance.
static const char *tokenizer_name(const gcdc_artifact *artifact, const char *path, struct arena *arena)
{
	if (is_default(artifact)) return "the built-in tokenizer";
	struct provenance p;
	const char *wrong, *names = "";
	if (!provenance_read(path, arena, &p, &wrong))
		return "a tokenizer not named ('gcdc compile --provenance' keeps names)";
	for (uint32_t i = 0; i < p.files.n; i++)
		if (p.files.at[i].role == ROLE_TOKENIZER)
			names = arena_printf(arena, "%s%s%s (sha256 %.8s...)", names, *names ? ", " : "", p.files.at[i].name,
			                     p.files.at[i].sha256);
	vec_release(&p.files);
	return names;
}

// A tokenizer that the artifact was not compiled for would cut into other tokens under the same ids.
static int refuse_another(const struct token_cutter *c, const char *path, const char *tokenizer, struct arena *arena)
{
	gcdc_info info;
	gcdc_artifact_info(c->artifact, &info);
	struct diag d = {0};
	struct vocab v;
	int code = vocab_load(tokenizer, NULL, &d, &v) ? CODE_OK : CODE_DATA;
	diag_print(&d, stderr);
	diag_release(&d);
	if (code) return code;
	if (memcmp(v.hash, info.vocab_hash, sizeof v.hash) != 0 && !same_tokens(c, &v)) {
		code =
			cli_error(CODE_DATA, c->command,
		              "%s was compiled for another tokenizer than %s:\n"
		              "  %016llx%016llx (%u ids)  in %s: %s\n  %016llx%016llx (%u ids)  in %s: %s",
		              path, tokenizer, (unsigned long long)info.vocab_hash[1], (unsigned long long)info.vocab_hash[0],
		              info.n_tokens, path, tokenizer_name(c->artifact, path, arena), (unsigned long long)v.hash[1],
		              (unsigned long long)v.hash[0], v.n_tokens, tokenizer, v.name);
		cli_note(
			c->command,
			"give the tokenizer that it was compiled for, or --greedy to 'gcdc check': masks do not depend on the cut");
	}
	vocab_release(&v);
	return code;
}

static bool counts_tokens(const gcdc_artifact *artifact)
{
	const struct artifact_info *info = gcdc_artifact_section(artifact, SECTION_INFO, NULL);
	return info && info->flags & INFO_TOKEN_ENDS;
}

int token_cutter_init(struct token_cutter *c, const struct cutter_options *o)
{
	const gcdc_artifact *artifact = o->artifact;
	const char *command = o->command, *tokenizer = o->tokenizer;
	*c = (struct token_cutter){.command = o->command, .artifact = o->artifact, .mode = o->mode, .random = o->seed};
	token_vocab_of(artifact, &c->vocab);
	c->has_all_bytes = every_byte_is_token(&c->vocab.trie);
	if (o->mode != CUT_TOKENIZER) return CODE_OK;
	struct diag d = {0};
	struct arena arena = {0};
	int code = CODE_OK;
	const char *path = tokenizer ? tokenizer_file(command, tokenizer, &arena) : NULL;
	if (tokenizer && !path) {
		code = CODE_IO;
	} else if (tokenizer && (code = refuse_another(c, o->path, path, &arena))) {
		// It is said.
	} else if (tokenizer || is_default(artifact)) {
		c->encoder = tokenizer ? encoder_load(path, &d) : encoder_load_default(&d);
		if (!c->encoder) code = CODE_DATA;
		diag_print(&d, stderr);
	} else if (gcdc_artifact_canonical(artifact) == GCDC_CANONICAL_OFF) {
		cli_note(command,
		         "no --tokenizer FILE is given: texts are cut greedily into the artifact's longest tokens (%s)",
		         counts_tokens(artifact) ? "these are what max_tokens counts" : "masks do not depend on the cut");
	}
	diag_release(&d);
	arena_release(&arena);
	return code;
}

void token_cutter_release(struct token_cutter *c)
{
	if (c->encoder) encoder_free(c->encoder);
	vocab_release(&c->vocab);
	*c = (struct token_cutter){0};
}

static trie_node child_of(const struct trie *t, trie_node node, uint8_t byte)
{
	for (trie_node k = node + 1; k < t->end[node]; k = t->end[k])
		if (t->byte[k] == byte) return k;
	return 0;
}

struct fit {
	trie_node node;
	uint32_t len;
};

// Tokens that the text continues with, by length; can (may be NULL) says where a cut may be.
static uint32_t find_fits(const struct token_cutter *c, const uint8_t *text, size_t at, size_t len, const uint8_t *can,
                          struct fit *fits)
{
	const struct trie *t = &c->vocab.trie;
	uint32_t n = 0;
	trie_node node = 0;
	for (size_t i = at; i < len && n < MAX_FITS; i++) {
		node = child_of(t, node, text[i]);
		if (!node) break;
		if (t->rank[node] != t->rank[node + 1] && (!can || can[i + 1]))
			fits[n++] = (struct fit){node, (uint32_t)(i + 1 - at)};
	}
	return n;
}

// Marks from where the text can be cut to its end; false: not from the beginning, *stuck is as far as tokens reach.
static bool mark_cuts(const struct token_cutter *c, const uint8_t *text, size_t len, uint8_t *can, struct fit *fits,
                      size_t *stuck)
{
	memset(can, 0, len);
	can[len] = 1;
	for (size_t i = len; i-- > 0;) can[i] = find_fits(c, text, i, len, can, fits) > 0;
	if (can[0]) return true;
	memset(can, 0, len + 1);
	can[0] = 1;
	for (size_t i = 0; i < len; i++) {
		if (!can[i]) continue;
		*stuck = i;
		uint32_t n = find_fits(c, text, i, len, NULL, fits);
		for (uint32_t k = 0; k < n; k++) can[i + fits[k].len] = 1;
	}
	return false;
}

static bool cut_by_trie(struct token_cutter *c, const uint8_t *text, size_t len, bool random, token_list *out,
                        size_t *stuck)
{
	struct fit *fits = mem_alloc(MAX_FITS * sizeof *fits);
	uint8_t *can = c->has_all_bytes ? NULL : mem_alloc(len + 1);
	bool ok = !can || mark_cuts(c, text, len, can, fits, stuck);
	for (size_t at = 0; ok && at < len;) {
		uint32_t n = find_fits(c, text, at, len, can, fits);
		ASSERT(n);
		struct fit f = fits[random ? random_below(&c->random, n) : n - 1];
		const uint32_t *rank = c->vocab.trie.rank + f.node;
		vec_push(out, c->vocab.token_of[rank[0] + (random ? random_below(&c->random, rank[1] - rank[0]) : 0)]);
		at += f.len;
	}
	free(can);
	free(fits);
	return ok;
}

static void cut_bytes(const struct token_cutter *c, const uint8_t *text, size_t len, token_list *out)
{
	const struct trie *t = &c->vocab.trie;
	uint32_t token_of[256];
	for (uint32_t b = 0; b < 256; b++) token_of[b] = CUT_BYTE | b;
	for (trie_node n = 1; n < t->n_nodes; n = t->end[n])
		if (t->rank[n] != t->rank[n + 1]) token_of[t->byte[n]] = c->vocab.token_of[t->rank[n]];
	for (size_t i = 0; i < len; i++) vec_push(out, token_of[text[i]]);
}

const uint8_t *token_cutter_bytes(const struct token_cutter *c, uint32_t token, uint8_t *byte, uint32_t *len)
{
	if (!(token & CUT_BYTE)) return gcdc_artifact_token(c->artifact, token, len);
	*byte = (uint8_t)token;
	*len = 1;
	return byte;
}

// Do these ids, without the first `skip` bytes (0 or 1), spell the text?
static bool ids_spell(const struct token_cutter *c, const uint32_t *ids, uint32_t n, const char *text, size_t len,
                      uint32_t skip)
{
	size_t at = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t k;
		const uint8_t *bytes = gcdc_artifact_token(c->artifact, ids[i], &k);
		if (!bytes || !k || (skip && bytes[0] != ' ')) return false;
		if (k - skip > len - at || memcmp(bytes + skip, text + at, k - skip)) return false;
		at += k - skip;
		skip = 0;
	}
	return at == len;
}

// False: the tokenizer's cut cannot be used here.
static bool cut_by_encoder(struct token_cutter *c, const char *path, const char *text, size_t len, token_list *out)
{
	struct diag d = {0};
	uint32_t *ids = NULL, n = 0;
	const char *why = NULL;
	bool space = false;
	if (!text_is_utf8(text, len))
		why = "not UTF-8, which the tokenizer does not take";
	else if (!encoder_encode(c->encoder, (struct encoder_text){text, len, true}, &ids, &n, &d))
		why = "the tokenizer does not take it";
	else if (!ids_spell(c, ids, n, text, len, 0)) {
		space = ids_spell(c, ids, n, text, len, 1);
		if (!space) why = "the tokenizer's tokens do not spell it";
	}
	diag_print(&d, stderr);
	diag_release(&d);
	if (!why) {
		size_t stuck = 0;
		uint32_t first_len = 0;
		if (space && canonical_cut_any(c->artifact, &c->vocab, text, len, out)) return free(ids), true;
		vec_clear(out);
		if (space) gcdc_artifact_token(c->artifact, ids[0], &first_len);
		bool ok = !space || cut_by_trie(c, (const uint8_t *)text, first_len - 1, false, out, &stuck);
		for (uint32_t i = space; ok && i < n; i++) vec_push(out, ids[i]);
		if (!ok) why = "its beginning without the tokenizer's space is no token";
	}
	free(ids);
	if (why && !c->is_quiet) cli_note(c->command, "%s: %s; it is cut greedily", path, why);
	return !why;
}

static bool cut_text(struct token_cutter *c, const char *path, const char *text, size_t len, token_list *out,
                     size_t *stuck)
{
	if (c->mode == CUT_BYTES) {
		cut_bytes(c, (const uint8_t *)text, len, out);
		return true;
	}
	if (c->encoder && cut_by_encoder(c, path, text, len, out)) return true;
	if (c->mode == CUT_TOKENIZER && !c->encoder && canonical_cut_any(c->artifact, &c->vocab, text, len, out))
		return true;
	if (c->mode == CUT_TOKENIZER && !c->encoder && gcdc_artifact_canonical(c->artifact) != GCDC_CANONICAL_OFF &&
	    !c->is_quiet)
		cli_note(c->command, "%s: the artifact's canonical tables have no tokens for it; it is cut greedily", path);
	vec_clear(out);
	return cut_by_trie(c, (const uint8_t *)text, len, c->mode == CUT_RANDOM, out, stuck);
}

// Does the artifact's grammar name it?
static bool names_control(const struct token_cutter *c, uint32_t token)
{
	const struct vocab *v = &c->vocab;
	uint32_t same = UINT32_MAX;
	return token < v->n_tokens &&
	       control_read(v->bytes + v->offset[token], v->offset[token + 1] - v->offset[token], &same) && same == token;
}

// Pieces between control tokens are cut one by one: so does a tokenizer.
bool token_cutter_cut(struct token_cutter *c, const char *path, const char *text, size_t len, token_list *out,
                      size_t *stuck)
{
	uint32_t token;
	size_t begin = 0;
	token_list piece = {0};
	bool ok = true;
	vec_clear(out);
	for (size_t at = 0; at <= len && ok; at++) {
		bool is_control = at < len && control_read(text + at, len - at, &token) && names_control(c, token);
		if (at < len && !is_control) continue;
		if (at > begin || !len) {
			vec_clear(&piece);
			ok = cut_text(c, path, text + begin, at - begin, &piece, stuck);
			if (!ok) *stuck += begin;
			for (uint32_t i = 0; i < piece.n; i++) vec_push(out, piece.at[i]);
		}
		if (!is_control) continue;
		vec_push(out, token);
		at += CONTROL_LEN - 1, begin = at + 1;
	}
	vec_release(&piece);
	return ok;
}
