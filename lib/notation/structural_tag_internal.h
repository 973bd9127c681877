// A structural tag while it is read: what the files structural_tag*.c share.
#ifndef GCDC_NOTATION_STRUCTURAL_TAG_INTERNAL_H
#define GCDC_NOTATION_STRUCTURAL_TAG_INTERNAL_H

#include "free_text.h"

#include <cjson/cJSON.h>

#define NO_TOKEN UINT32_MAX

struct tags {
	struct notation_rules *r;
	struct parts parts;
	const char *path;  // of the format that is read
	uint32_t nesting;
	struct end_strings around;   // the ends of the nearest tag around: no free text in it has them
	uint32_t end_token;          // that ends it, or NO_TOKEN
	const char *behind_trigger;  // the rest of the begin of the tag around, or NULL
	bool failed;
	struct intern schemas;   // texts with their bounds of white space: each is read once
	piece_ids schema_piece;  // of these
};

static inline struct loc tags_loc(const struct tags *x) { return (struct loc){x->r->source, 0, 0}; }

// An error at the path of the format that is read; the first one alone is told. The piece without texts.
piece_id tags_fail(struct tags *x, const char *what);
#define fail(x, ...) tags_fail((x), arena_printf(&(x)->r->arena, __VA_ARGS__))

// Members of an object (structural_tag_members.c). What is of another type than asked for is an error.
const cJSON *tags_get(const cJSON *o, const char *key);                            // NULL: not there
const char *tags_string(struct tags *x, const cJSON *o, const char *key);          // "" after an error
bool tags_flag(struct tags *x, const cJSON *o, const char *key);                   // false: not there
const cJSON *tags_list(struct tags *x, const cJSON *o, const char *key);           // NULL after an error
int64_t tags_count(struct tags *x, const cJSON *o, const char *key);               // -1: not there
struct end_strings tags_strings(struct tags *x, const cJSON *o, const char *key);  // none: not there
// The strings that free text ends at: of characters, or beginning with a control token.
struct end_strings tags_stops(struct tags *x, struct end_strings s);
piece_id tags_control(struct tags *x, const char *said);  // a control token by its name or id

// Any format (structural_tag.c). ends: strings that end it, if it is free text; NULL: none. Then it is read with them.
piece_id format_read(struct tags *x, const cJSON *f, const struct end_strings *ends);

// Formats of tags and tokens (structural_tag_formats.c).
bool format_is_type(const cJSON *f, const char *type);
bool format_is_unlimited(const cJSON *f);
piece_id format_token(struct tags *x, const cJSON *t);
piece_id format_tag(struct tags *x, const cJSON *f, const char *trigger);
piece_id format_tags(struct tags *x, const cJSON *tags);
piece_id format_triggered_tags(struct tags *x, const cJSON *f, const struct end_strings *ends);
piece_id format_dispatch(struct tags *x, const cJSON *f);
// Does it begin with the whole of a token, text or special? Then what stands before it ends where a token does.
piece_id format_exclude_token(struct tags *x, const cJSON *f);
piece_id format_any_tokens(struct tags *x, const cJSON *f);
piece_id format_token_triggered_tags(struct tags *x, const cJSON *f);
piece_id format_token_dispatch(struct tags *x, const cJSON *f);

#endif
