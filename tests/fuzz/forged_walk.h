// Uses whatever opened, in every way that the headers offer, and judges what the promises of runtime.h say of any file:
// no OK with an empty mask, no token that the mask has and accepting refuses, on errors a mask of zeros. Nor the
// reverse, a token that the mask lacks and that is accepted; but canonical masks and canonical steps are made of
// different sections.
#ifndef GCDC_TESTS_FORGED_WALK_H
#define GCDC_TESTS_FORGED_WALK_H

#include <stdio.h>

#include "../corrupt/artifact_abuse.h"
#include "../../lib/runtime/core/runtime_internal.h"
#include "forging.h"

#define WALK_STEPS 10u
#define WALK_TOKENS 320u  // of the largest vocabulary here
#define WALK_WORDS (WALK_TOKENS / 32u + 1u)
static const gcdc_matcher_options walk_options = {.max_rollback = 5, .max_depth = 60, .max_stacks = 400};

#define MUST(c, ...)                                                                                                   \
	((c) ? (void)0                                                                                                     \
	     : (fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #c), fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), \
	        abort()))

// A status is one of those that runtime.h names: none that files of the runtime use among themselves.
static gcdc_status named(gcdc_status status)
{
	MUST(status >= GCDC_ERR_NO_CANONICAL && status <= GCDC_TERMINATED, "status %d", status);
	return status;
}

static uint64_t walk_sum;  // of what was read, so that it is read
static void walk_read(const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	for (size_t i = 0; p && i < n; i++) walk_sum += p[i];
}

// ---- Each section in a block of its own, so that a sanitizer sees the first byte past it.
struct apart {
	void *block[SECTION_CANON_UNSETTLED_RESTARTABLE + 1];
};
static void set_apart(gcdc_artifact *a, struct apart *x)
{
	const void *old[SECTION_CANON_UNSETTLED_RESTARTABLE + 1];
	memcpy(old, a->section, sizeof old);
	void **words = (void **)(void *)a;
	*x = (struct apart){{0}};
	for (uint32_t id = 0; id <= SECTION_CANON_UNSETTLED_RESTARTABLE; id++) {
		if (!old[id] || !a->section_size[id]) continue;
		x->block[id] = mem_alloc(a->section_size[id]);
		memcpy(x->block[id], old[id], a->section_size[id]);
	}
	for (size_t k = 0; k < offsetof(struct gcdc_artifact, memory) / sizeof *words; k++)
		for (uint32_t id = 0; words[k] && id <= SECTION_CANON_UNSETTLED_RESTARTABLE; id++) {
			if (!x->block[id] || words[k] != old[id]) continue;
			words[k] = x->block[id];
			break;
		}
}
static void apart_release(struct apart *x)
{
	for (uint32_t id = 0; id <= SECTION_CANON_UNSETTLED_RESTARTABLE; id++) free(x->block[id]);
}

// ---- What an artifact tells of itself.
static void walk_artifact(const gcdc_artifact *a, const gcdc_info *info)
{
	uint32_t n, len;
	size_t size;
	const uint32_t *eos = gcdc_artifact_eos(a, &n);
	walk_read(eos, n * 4ull);
	for (uint32_t t = 0; t <= info->n_tokens; t++) {
		const uint8_t *bytes = gcdc_artifact_token(a, t, &len);
		walk_read(bytes, bytes ? len : 0);
	}
	for (uint32_t r = 0; r <= info->n_rows; r++)
		walk_read(gcdc_artifact_row(a, r), gcdc_artifact_row(a, r) ? info->mask_words * 4ull : 0);
	for (uint32_t id = 0; id < 130; id++) {
		const void *section = gcdc_artifact_section(a, id, &size);
		walk_read(section, section ? size : 0);
	}
	for (uint32_t k = 0; k <= info->n_sets; k++) {
		gcdc_set set;
		if (!gcdc_artifact_set(a, k, &set)) continue;
		walk_read(set.bits, set.bits ? info->mask_words * 4ull : 0);
		walk_read(set.tokens, set.n * 4ull);
	}
}

static bool walk_bit(const uint32_t *mask, uint32_t t) { return mask[t / 32] >> t % 32 & 1; }

// ---- One position.
struct walk {
	gcdc_matcher *m;
	const gcdc_artifact *a;
	struct choices *c;
	gcdc_info info;
	uint32_t mask[WALK_WORDS];
	gcdc_status status;
	bool is_canonical;
};

static void judge_sets(struct walk *w)
{
	gcdc_mask_sets sets;
	uint32_t mask[WALK_WORDS] = {0};
	gcdc_status status = named(gcdc_matcher_mask_sets(w->m, &sets));
	if (status) return;
	if (sets.row) memcpy(mask, sets.row, w->info.mask_words * 4);
	for (uint32_t i = 0; i < sets.n_tokens; i++) mask[sets.tokens[i] / 32] |= 1u << sets.tokens[i] % 32;
	for (uint32_t i = 0; i < sets.n_sets; i++) {
		gcdc_set set;
		uint32_t one[WALK_WORDS] = {0};
		MUST(gcdc_artifact_set(w->a, sets.sets[i], &set), "set %u", sets.sets[i]);
		if (set.bits) memcpy(one, set.bits, w->info.mask_words * 4);
		for (uint32_t k = 0; k < set.n; k++) one[set.tokens[k] / 32] ^= 1u << set.tokens[k] % 32;
		for (uint32_t k = 0; k < w->info.mask_words; k++) mask[k] |= one[k];
	}
	MUST(!memcmp(mask, w->mask, w->info.mask_words * 4), "the sets are not the mask");
}

static void judge_token(struct walk *w, uint32_t t)
{
	bool bit = t < w->info.n_tokens && walk_bit(w->mask, t), allowed = gcdc_matcher_allowed(w->m, t);
	gcdc_status status = named(gcdc_matcher_accept(w->m, t));
	if (bit)
		MUST(status <= 0, "token %u: the mask has it, accepting says %d", t, status);
	else
		MUST(status || w->is_canonical, "token %u: the mask has it not, and it was accepted", t);
	MUST(!allowed || bit || w->is_canonical, "token %u: allowed, but not in the mask", t);
	if (!status) MUST(gcdc_matcher_rollback(w->m, 1) == GCDC_OK, "the step is not kept");
}

static void judge_mask(struct walk *w)
{
	gcdc_fill_info info;
	uint32_t any = 0, n_eos;
	memset(w->mask, 0xff, sizeof w->mask);
	w->status = named(gcdc_matcher_fill(w->m, w->mask, WALK_WORDS, &info));
	for (uint32_t k = w->info.mask_words; k < WALK_WORDS; k++) MUST(!w->mask[k], "words past the mask");
	for (uint32_t k = 0; k < w->info.mask_words; k++) any |= w->mask[k];
	if (w->status < 0) MUST(!any, "an error %d and a mask", w->status);
	if (w->status) return;
	MUST(any, "an empty mask and GCDC_OK");
	for (uint32_t t = w->info.n_tokens; t < w->info.mask_words * 32; t++)
		MUST(!walk_bit(w->mask, t), "a bit past the tokens");
	if (!info.needs_apply)
		for (uint32_t t = 0; t < w->info.n_tokens; t++)
			MUST(walk_bit(w->mask, t), "the mask need not be applied, but lacks %u", t);
	if (info.row != GCDC_NONE)
		MUST(!memcmp(gcdc_artifact_row(w->a, info.row), w->mask, w->info.mask_words * 4),
		     "not the row that it is said to be");
	const uint32_t *eos = gcdc_artifact_eos(w->a, &n_eos);
	if (n_eos)
		MUST(info.may_end == walk_bit(w->mask, eos[0]), "may_end is %d, EOS is %d", info.may_end,
		     walk_bit(w->mask, eos[0]));
	bool all = !choose(w->c, 4);
	for (uint32_t t = all ? 0 : (uint32_t)choose(w->c, w->info.n_tokens), n = all ? w->info.n_tokens + 1 : 3; n;
	     n--, t++)
		judge_token(w, t);
	if (!choose(w->c, 3)) judge_sets(w);
}

// ---- Everything else.
static void use_tree(struct walk *w)
{
	int64_t next[5], sibling[5], tokens[5];
	uint32_t masks[5 * WALK_WORDS];
	uint8_t reached[5];
	for (int i = 0; i < 5; i++) {
		next[i] = choose(w->c, 8) ? (i == 0 ? 1 : i == 1 ? 3 : -1) : (int64_t)choose(w->c, 7) - 1;
		sibling[i] = choose(w->c, 8) ? (i == 1 ? 2 : i == 3 ? 4 : -1) : (int64_t)choose(w->c, 7) - 1;
		tokens[i] = (int64_t)choose(w->c, w->info.n_tokens + 2) - 1;
	}
	walk_sum += (uint64_t)named(
		gcdc_matcher_fill_draft_tree(w->m, &(gcdc_draft_tree){next, sibling, tokens, 5}, masks, WALK_WORDS, reached));
}

static void use_canonical(struct walk *w)
{
	uint32_t tokens[8];
	size_t n;
	gcdc_status s = GCDC_OK;
	if (choose(w->c, 2)) s = named(gcdc_matcher_forced_tokens(w->m, tokens, 8, &n));
	if (!choose(w->c, 4)) s = named(gcdc_matcher_set_canonical(w->m, (gcdc_canonical_mode)choose(w->c, 3)));
	for (uint32_t i = 0; i < 8; i++) tokens[i] = (uint32_t)choose(w->c, w->info.n_tokens);
	if (!choose(w->c, 2)) s = named(gcdc_matcher_canonical_prompt(w->m, tokens, choose(w->c, 8)));
	walk_sum += gcdc_matcher_is_canonical_next(w->m, tokens[0]) + gcdc_matcher_relaxations(w->m) +
	            gcdc_matcher_unpriced(w->m) + (uint64_t)s;
	gcdc_canonical_walk *walk;
	if (gcdc_canonical_walk_new(w->a, &walk)) return;
	for (uint32_t i = 0; i < 8; i++) {
		if (!choose(w->c, 5))
			gcdc_canonical_walk_pop(walk);
		else
			s = named(gcdc_canonical_walk_push(walk, tokens[i]));
		walk_sum += gcdc_canonical_walk_may_end(walk);
	}
	gcdc_canonical_walk_free(walk);
}

static void use_budget(struct walk *w)
{
	uint32_t n = 0, least, tokens[6];
	size_t found = 0;
	gcdc_status s = named(gcdc_matcher_min_tokens(w->m, choose(w->c, 2), &n));
	if (!s && n < 100 && choose(w->c, 2)) {
		s = named(gcdc_matcher_set_budget(w->m, n + (uint32_t)choose(w->c, 4), choose(w->c, 2), &least));
	} else if (!choose(w->c, 4)) {
		s = named(
			gcdc_matcher_set_budget(w->m, choose(w->c, 2) ? GCDC_NONE : (uint32_t)choose(w->c, 300), true, &least));
	}
	s = named(gcdc_matcher_min_after(w->m, (uint32_t)choose(w->c, w->info.n_tokens), &n));
	if (!choose(w->c, 3)) s = named(gcdc_matcher_close(w->m, tokens, choose(w->c, 7), &found));
	if (!s) walk_read(tokens, found < 6 ? found : 0);
	walk_sum += gcdc_matcher_budget(w->m) + (uint64_t)s;
}

static void use_matcher(struct walk *w)
{
	uint8_t bytes[16];
	uint32_t lexed, stack[8], depth, columns[4], column, len, t = (uint32_t)choose(w->c, w->info.n_tokens);
	size_t n;
	gcdc_matcher *other = NULL;
	gcdc_status s = GCDC_OK;
	switch (choose(w->c, 12)) {
	case 0: s = named(gcdc_matcher_forced_bytes(w->m, bytes, sizeof bytes, &n)); break;
	case 1: s = named(gcdc_matcher_validate(w->m, &t, 1, &n)); break;
	case 2:
	case 3:
		s = named(choose(w->c, 2) ? gcdc_matcher_fork(w->m, &other) : gcdc_matcher_clone(w->m, &other));
		if (s) break;
		if (choose(w->c, 2)) {
			gcdc_matcher *rest = w->m;
			w->m = other, other = rest;
		}
		s = named(gcdc_matcher_accept(other, t));
		break;
	case 4: use_tree(w); break;
	case 5: {
		const uint8_t *text = gcdc_artifact_token(w->a, t, &len);
		s = named(gcdc_matcher_accept_bytes(w->m, text, text ? len : 0));
		break;
	}
	case 6:
		for (uint32_t i = 0; i <= gcdc_matcher_reading(w->m, i, &lexed, stack, 8, &depth) && i < 4; i++)
			walk_sum += gcdc_matcher_columns(w->m, i, columns, 4, &column);
		break;
	case 7: s = named(gcdc_matcher_rollback(w->m, (uint32_t)choose(w->c, 4))); break;
	case 8: use_canonical(w); break;
	case 9:
	case 10: use_budget(w); break;
	default:
		walk_sum += gcdc_matcher_is_completed(w->m) + gcdc_matcher_is_terminated(w->m) + gcdc_matcher_steps(w->m);
		if (!choose(w->c, 4)) gcdc_matcher_reset(w->m);
		break;
	}
	walk_sum += (uint64_t)s;
	gcdc_matcher_free(other);
}

// Reads some tokens' bytes as a text, and looks at all that there is to see of it.
static void walk_show(const gcdc_artifact *a, const gcdc_info *info, struct choices *c)
{
	uint8_t text[24];
	uint32_t n = 0, len;
	for (uint32_t i = 0; i < 6; i++) {
		const uint8_t *bytes = gcdc_artifact_token(a, (uint32_t)choose(c, info->n_tokens), &len);
		for (uint32_t k = 0; bytes && k < len && n < sizeof text; k++) text[n++] = bytes[k];
	}
	if (n) abuse_show(a, &walk_options, text, n);
}

// Positions that were judged.
static uint32_t walk_forged(gcdc_artifact *a, struct choices *c)
{
	struct walk w = {.a = a, .c = c, .is_canonical = gcdc_artifact_canonical(a) != GCDC_CANONICAL_OFF};
	uint32_t n = 0;
	gcdc_artifact_info(a, &w.info);
	if (w.info.n_tokens > WALK_TOKENS) return 0;
	if (!choose(c, 8)) walk_artifact(a, &w.info);
	if (!choose(c, 8)) walk_show(a, &w.info, c);
	if (gcdc_matcher_new(a, &walk_options, &w.m)) return 0;
	for (uint32_t i = 0; i < WALK_STEPS; i++) {
		if (choose(c, 2)) use_matcher(&w);
		judge_mask(&w);
		n++;
		if (w.status == GCDC_TERMINATED || (w.status < 0 && choose(c, 2))) {
			if (gcdc_matcher_rollback(w.m, 1)) break;
			continue;
		}
		uint32_t t = (uint32_t)choose(c, w.info.n_tokens), k = 0;
		while (k < w.info.n_tokens && !walk_bit(w.mask, t)) t = (t + 1) % w.info.n_tokens, k++;
		walk_sum += (uint64_t)named(gcdc_matcher_accept(w.m, t));
	}
	gcdc_matcher_free(w.m);
	return n;
}

#endif
