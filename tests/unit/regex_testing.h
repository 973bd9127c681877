// For the tests of lib/regex: patterns from text, membership, and PCRE2's opinion.
#ifndef GCDC_TESTS_REGEX_TESTING_H
#define GCDC_TESTS_REGEX_TESTING_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>
#include <string.h>

#include "../../lib/regex/regex.h"

struct rx {
	struct arena arena;
	struct diag d;
	struct source source;
	struct byte_dfa dfa;
	bool ok, drops_empty;
};

static inline struct term *rx_term(struct rx *r, enum term_kind kind)
{
	struct term *t = arena_alloc(&r->arena, sizeof *t);
	t->kind = kind;
	t->loc = (struct loc){&r->source, 0, (uint32_t)r->source.len};
	return t;
}

static inline struct term *rx_regex(struct rx *r, const char *body, size_t len, uint32_t flags)
{
	struct term *t = rx_term(r, TERM_REGEX);
	t->text = arena_strndup(&r->arena, body, len), t->text_len = (uint32_t)len, t->flags = flags;
	t->text_loc = (struct loc){&r->source, 0, (uint32_t)len};
	return t;
}

static inline struct term *rx_text(struct rx *r, const char *text, size_t len, uint32_t flags)
{
	struct term *t = rx_regex(r, text, len, flags);
	t->kind = TERM_TEXT;
	return t;
}

static inline struct term *rx_list(struct rx *r, enum term_kind kind, uint32_t n, struct term **kids)
{
	struct term *t = rx_term(r, kind);
	t->children = arena_array(&r->arena, n + 1, sizeof *kids);
	for (uint32_t i = 0; i < n; i++) t->children[i] = kids[i];
	t->n_children = n;
	return t;
}
#define rx_seq(r, ...)                                                                                                 \
	rx_list(r, TERM_SEQ, sizeof((struct term *[]){__VA_ARGS__}) / sizeof(void *), (struct term *[]){__VA_ARGS__})
#define rx_alt(r, ...)                                                                                                 \
	rx_list(r, TERM_ALT, sizeof((struct term *[]){__VA_ARGS__}) / sizeof(void *), (struct term *[]){__VA_ARGS__})

static inline struct term *rx_repeat(struct rx *r, struct term *kid, uint32_t lo, uint32_t hi)
{
	struct term *t = rx_list(r, TERM_REPEAT, 1, &kid);
	t->lo = lo, t->hi = hi;
	return t;
}

static inline void rx_compile(struct rx *r, struct term *pattern, struct regex_cache *cache)
{
	struct terminal t = {.name = "T", .pattern = pattern, .loc = pattern->loc, .drops_empty = r->drops_empty};
	r->ok = cache ? regex_compile_cached(&t, cache, &r->arena, &r->d, &r->dfa)
	              : regex_compile(&t, &r->arena, &r->d, &r->dfa);
}

// The body points into r->source, which must not move: r is filled in place.
static inline void rx_open_n(struct rx *r, const char *body, size_t len, uint32_t flags, struct regex_cache *cache)
{
	*r = (struct rx){0};
	r->source = (struct source){"<regex>", arena_strndup(&r->arena, body, len), len};
	rx_compile(r, rx_regex(r, body, len, flags), cache);
}

static inline void rx_open(struct rx *r, const char *body, uint32_t flags)
{
	rx_open_n(r, body, strlen(body), flags, NULL);
}

static inline void rx_close(struct rx *r)
{
	diag_release(&r->d);
	arena_release(&r->arena);
}

static inline uint32_t rx_walk(const struct byte_dfa *a, const char *s, size_t n)
{
	uint32_t q = 0;
	for (size_t i = 0; i < n && q != DFA_DEAD; i++) q = dfa_step(a, q, (uint8_t)s[i]);
	return q;
}

// What struct byte_dfa promises, as text, or NULL: trim, minimal (by Moore's rounds), canonical numbering.
const char *rx_check(const struct byte_dfa *a);
// Is text[from..to) a lexeme of this terminal, within the whole of text[0..len)?
bool rx_matches(const struct byte_dfa *a, const char *text, size_t from, size_t to, size_t len);

// As the whole text.
static inline bool rx_accepts(const struct byte_dfa *a, const char *s, size_t n) { return rx_matches(a, s, 0, n, n); }

#endif
