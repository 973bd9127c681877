// Walks texts with the masks of a new artifact, and keeps the steps that masks under a budget made of them.
//
// In:  an image, texts of its language.  Out: its sections KEPT_* (formats/artifact.md, 6), within a limit; what they
// serve. Texts are cut greedily; at each place a mask is made a few tokens above the least. Which steps a mask needs
// does not depend on how many tokens may still come, so one distance is enough. Steps are kept in the order in which
// they were made, as many as fit. Then the texts are walked once more with what was kept: each mask must be the same,
// and places are counted whose mask made nothing new. Cost: two walks, some hundred microseconds a place where steps
// are new; the artifact is encoded a few times.
#include "texts.h"

#include "../base/text_out.h"
#include "../base/text_show.h"
#include "../include/gcdc/show.h"
#include "../writer/artifact_image.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define ABOVE_LEAST 2u                   // then no text ends at once, and no budget is far away
#define MOST_BYTES ((uint64_t)24 << 20)  // of steps made: the store is given up at 32 MB
#define SHOWN 60u                        // bytes of a text in a message

struct walk {
	const struct texts_input *in;
	struct diag *d;
	gcdc_artifact *artifact;
	gcdc_matcher *matcher;
	gcdc_info info;
	struct work_cleanup close, free;
	uint32_t *mask;
	bool has_masks, has_eos;
	gcdc_status status;
	uint64_t hash;
	uint32_t n_positions, n_served;
};

static void close_artifact(void *artifact) { gcdc_artifact_close(artifact); }
static void free_matcher(void *matcher) { gcdc_matcher_free(matcher); }

static bool open_walk(struct walk *w, const struct artifact_image *image, uint8_t **bytes)
{
	gcdc_refusal why;
	size_t len;
	const struct artifact_write_options raw = {.raw = true, .checked = true};
	if (!artifact_encode(image, &raw, w->d, bytes, &len)) return false;
	w->status = gcdc_artifact_open_memory(*bytes, len, NULL, &w->artifact, &why);
	if (w->status == GCDC_ERR_MEMORY) work_out_of_memory(len);
	if (w->status) {
		diag_error(w->d, (struct loc){0}, "the new artifact cannot be opened: %s. Nothing was written", why.what);
		return false;
	}
	work_cleanup(&w->close, close_artifact, w->artifact);
	w->status = gcdc_matcher_new(w->artifact, NULL, &w->matcher);
	if (w->status == GCDC_ERR_MEMORY) work_out_of_memory(0);
	if (w->status) {
		diag_error(w->d, (struct loc){0}, "the new artifact has no matcher: %s", gcdc_status_text(w->status));
		return false;
	}
	work_cleanup(&w->free, free_matcher, w->matcher);
	if (gcdc_artifact_canonical(w->artifact) != GCDC_CANONICAL_OFF)  // texts are cut greedily
		w->status = gcdc_matcher_set_canonical(w->matcher, GCDC_CANONICAL_OFF);
	gcdc_artifact_info(w->artifact, &w->info);
	uint32_t n_eos;
	gcdc_artifact_eos(w->artifact, &n_eos);
	w->has_eos = n_eos != 0;
	w->has_masks = gcdc_artifact_costs(w->artifact) != GCDC_COSTS_NONE;
	w->mask = mem_calloc(w->info.mask_words + 1, sizeof *w->mask);
	return !w->status;
}

static void close_walk(struct walk *w, uint8_t *bytes)
{
	if (w->matcher) work_cleanup_end(&w->free);
	gcdc_matcher_free(w->matcher);
	if (w->artifact) work_cleanup_end(&w->close);
	gcdc_artifact_close(w->artifact);
	free(w->mask);
	free(bytes);
}

static void take_counts(void *to, const gcdc_shown_steps *steps) { *(gcdc_shown_steps *)to = *steps; }

static gcdc_shown_steps count_steps(const struct walk *w)
{
	gcdc_shown_steps counts = {0};
	if (gcdc_show_steps(w->artifact, 0, take_counts, &counts) == GCDC_ERR_MEMORY) work_out_of_memory(0);
	return counts;
}

// ---- One text.

static trie_node child_of(const struct trie *t, trie_node n, uint8_t byte)
{
	for (trie_node c = n + 1; c < t->end[n]; c = t->end[c])
		if (t->byte[c] == byte) return c;
	return 0;
}

// The longest token that the text goes on with, or GCDC_NONE.
static uint32_t longest_token(const struct vocab *v, const char *text, size_t left, uint32_t *len)
{
	const struct trie *t = &v->trie;
	uint32_t token = GCDC_NONE;
	trie_node node = 0;
	*len = 1;
	for (size_t i = 0; i < left && (node = child_of(t, node, (uint8_t)text[i])); i++)
		if (t->rank[node] != t->rank[node + 1]) token = v->token_of[t->rank[node]], *len = (uint32_t)i + 1;
	return token;
}

// The mask of this place, a few tokens above the least. False: an error.
static bool look(struct walk *w, uint64_t *bytes)
{
	uint32_t least;
	work_look();
	w->status = gcdc_matcher_min_tokens(w->matcher, w->has_eos, &least);
	if (!w->status) w->status = gcdc_matcher_set_budget(w->matcher, least + ABOVE_LEAST, w->has_eos, NULL);
	if (w->status == GCDC_ERR_BUDGET) return w->status = GCDC_OK, true;  // columns without a price
	const uint32_t before = count_steps(w).n_made;
	if (!w->status) w->status = gcdc_matcher_fill(w->matcher, w->mask, w->info.mask_words, NULL);
	if (w->status == GCDC_ERR_MEMORY) work_out_of_memory(0);
	if (w->status) return false;
	const gcdc_shown_steps now = count_steps(w);
	*bytes = now.bytes;
	w->n_positions++;
	w->n_served += now.n_made == before;
	w->hash = XXH3_64bits_withSeed(w->mask, w->info.mask_words * sizeof *w->mask, w->hash);
	w->status = gcdc_matcher_set_budget(w->matcher, GCDC_NONE, w->has_eos, NULL);
	return !w->status;
}

static const char *shown(struct walk *w, const char *text, size_t len)
{
	struct text_out line;
	text_open(&line);
	text_show(line.f, text, len, SHOWN);
	return text_close(&line, diag_arena(w->d));
}

static struct loc place_of(struct walk *w, const gcdc_text *text, size_t at, size_t len)
{
	struct source *s = arena_array(diag_arena(w->d), 1, sizeof *s);
	*s = (struct source){text->path ? text->path : "<text>", text->text, text->len};
	return (struct loc){s, (uint32_t)at, (uint32_t)len};
}

// The token cannot follow, from one of its bytes on.
static void refuse_token(struct walk *w, const gcdc_text *text, size_t at, uint32_t len)
{
	uint32_t good = 0;
	while (good + 1 < len && gcdc_matcher_accept_bytes(w->matcher, text->text + at, good + 1) == GCDC_OK) {
		good++;
		if (gcdc_matcher_rollback(w->matcher, 1)) break;
	}
	const struct loc loc = place_of(w, text, at + good, len - good);
	diag_error(w->d, loc, "this text is none of the grammar's: %s is not allowed here",
	           shown(w, text->text + at + good, len - good));
	if (at + good + 1 == text->len && text->text[at + good] == '\n')
		diag_note(w->d, (struct loc){0}, "the file ends with a newline, and the grammar's texts do not");
	w->status = GCDC_ERR_GRAMMAR;
}

static bool walk_text(struct walk *w, const gcdc_text *text)
{
	uint64_t bytes = 0;
	gcdc_matcher_reset(w->matcher);
	for (size_t at = 0; at <= text->len;) {
		if (w->has_masks && bytes < MOST_BYTES && !look(w, &bytes)) {
			diag_error(w->d, place_of(w, text, at, 1), "this text has no mask here: %s", gcdc_status_text(w->status));
			return false;
		}
		if (at == text->len) break;
		uint32_t len, token = longest_token(w->in->vocab, text->text + at, text->len - at, &len);
		w->status = token == GCDC_NONE ? gcdc_matcher_accept_bytes(w->matcher, text->text + at, len)
		                               : gcdc_matcher_accept(w->matcher, token);
		if (w->status == GCDC_ERR_MEMORY) work_out_of_memory(0);
		if (w->status == GCDC_REJECTED) return refuse_token(w, text, at, len), false;
		if (w->status) {
			diag_error(w->d, place_of(w, text, at, len), "this text cannot be read: %s", gcdc_status_text(w->status));
			return false;
		}
		at += len;
	}
	if (gcdc_matcher_is_completed(w->matcher)) return true;
	diag_error(w->d, place_of(w, text, text->len, 0),
	           "this text is none of the grammar's: it ends, but is not complete");
	w->status = GCDC_ERR_GRAMMAR;
	return false;
}

static bool walk_all(struct walk *w)
{
	bool ok = true;
	for (size_t i = 0; i < w->in->n && ok; i++) ok = walk_text(w, &w->in->at[i]);
	return ok;
}

// ---- What is kept.

struct keeping {
	struct artifact_image *image;
	struct arena *arena;
	struct texts_kept *out;
};

static const void *copy(struct arena *a, const void *bytes, size_t size)
{
	void *to = arena_array(a, size + 1, 1);
	if (size) memcpy(to, bytes, size);
	return to;
}

static void take_steps(void *to, const gcdc_shown_steps *s)
{
	struct keeping *k = to;
	struct artifact_image *m = k->image;
	memcpy(&m->kept_info, s->info, sizeof m->kept_info);
	m->kept_steps = copy(k->arena, s->steps, m->kept_info.n_steps * sizeof *m->kept_steps);
	m->kept_words = copy(k->arena, s->words, m->kept_info.n_words * sizeof *m->kept_words);
	k->out->n_summaries = s->n_summaries;
}

static bool file_size(const struct artifact_image *m, const struct artifact_write_options *o, struct diag *d,
                      uint64_t *size)
{
	uint8_t *bytes;
	size_t len;
	bool ok = artifact_encode(m, o, d, &bytes, &len);
	free(bytes);
	*size = len;
	return ok;
}

// As many of the first steps as fit into the limit.
static bool keep_fitting(struct walk *w, struct keeping *k)
{
	const struct artifact_write_options *o = w->in->file;
	uint64_t without, with, limit = w->in->limit, most = count_steps(w).n_made;
	if (!file_size(k->image, o, w->d, &without)) return false;
	if (!limit) limit = without / 2;
	for (uint64_t grows = limit + 1; most && grows > limit;) {
		if (gcdc_show_steps(w->artifact, (uint32_t)most, take_steps, k)) work_out_of_memory(0);
		if (!file_size(k->image, o, w->d, &with)) return false;
		grows = with > without ? with - without : 0;
		k->out->bytes = grows;
		if (grows > limit) most = most * limit / grows * 15 / 16;
	}
	if (!most) k->image->kept_info = (struct artifact_kept_info){0}, *k->out = (struct texts_kept){0};
	k->out->n_steps = k->image->kept_info.n_steps;
	return true;
}

// The texts again, with what was kept: the masks are the same.
static bool walk_again(struct walk *first, const struct keeping *k)
{
	struct walk w = {.in = first->in, .d = first->d};
	uint8_t *bytes = NULL;
	bool ok = open_walk(&w, k->image, &bytes) && walk_all(&w);
	if (ok && w.hash != first->hash) {
		diag_error(w.d, (struct loc){0},
		           "the new artifact contradicts itself: with the steps of texts its masks under a budget are others. "
		           "This is a bug in gcdc; nothing was written");
		w.status = GCDC_ERR_INTERNAL, ok = false;
	}
	close_walk(&w, bytes);
	first->status = w.status;
	k->out->n_served = w.n_served;
	return ok;
}

gcdc_status texts_keep(const struct texts_input *in, struct artifact_image *image, struct arena *arena, struct diag *d,
                       struct texts_kept *out)
{
	struct walk w = {.in = in, .d = d};
	struct keeping k = {image, arena, out};
	uint8_t *bytes = NULL;
	*out = (struct texts_kept){0};
	bool ok = open_walk(&w, image, &bytes) && walk_all(&w);
	if (ok && w.has_masks) ok = keep_fitting(&w, &k);
	if (ok && image->kept_info.n_steps) ok = walk_again(&w, &k);
	out->n_positions = w.n_positions;
	close_walk(&w, bytes);
	return ok ? GCDC_OK : w.status ? w.status : GCDC_ERR_INTERNAL;
}
