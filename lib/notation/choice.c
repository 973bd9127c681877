// A JSON array of strings -> a text is one of them.
//
// In:  the text of the array. Out: one rule: the strings as alternatives; a long list as one automaton, which is a
// terminal by itself, as nothing else competes with it. Cost: linear, and a sort of a long list.
#include "pieces.h"

#include "../base/work.h"
#include "../regex/regex.h"

#include <cjson/cJSON.h>

// Where \u0000 is written, which would cut a string short; NULL: nowhere.
static const char *find_nul(const char *text)
{
	for (const char *at = text; (at = strchr(at, '\\')); at += 2) {
		if (!strncmp(at, "\\u0000", 6)) return at;
		if (!at[1]) return NULL;
	}
	return NULL;
}

// The strings of the list. False after a message: an item is none.
static bool read_texts(const struct notation_rules *r, const cJSON *list, struct loc all, language_texts *texts)
{
	for (const cJSON *x = list->child; x; x = x->next) {
		if (!cJSON_IsString(x)) {
			diag_error(r->diag, all, "item %u of the choice is no string", texts->n);
			return false;
		}
		vec_push(texts, ((struct language_text){x->valuestring, strlen(x->valuestring)}));
	}
	if (!texts->n) diag_error(r->diag, all, "a choice of nothing: the array is empty");
	return texts->n;
}

static piece_id piece_of_texts(struct notation_rules *r, const language_texts *texts, struct loc all)
{
	uint64_t size = texts->n;
	for (uint32_t i = 0; i < texts->n; i++) size += texts->at[i].len;
	if (size > PIECE_MAX_SIZE) {
		bool is_nullable = false;
		for (uint32_t i = 0; i < texts->n; i++) is_nullable |= !texts->at[i].len;
		return piece_term(r, texts_pattern(r, texts, all), is_nullable, all);
	}
	piece_ids choices = {0};
	for (uint32_t i = 0; i < texts->n; i++) vec_push(&choices, piece_text(r, texts->at[i].text, texts->at[i].len, all));
	const piece_id p = piece_alt(r, choices.at, choices.n, all);
	vec_release(&choices);
	return p;
}

static void delete_list(void *list) { cJSON_Delete(list); }

bool choice_read(struct notation_rules *r)
{
	const char *nul = find_nul(r->source->text);
	if (nul) {
		diag_error(r->diag, (struct loc){r->source, (uint32_t)(nul - r->source->text), 6},
		           "\\u0000 in a choice is not supported");
		return false;
	}
	struct loc all = {r->source, 0, 0};
	const char *stopped = NULL;
	cJSON *list = cJSON_ParseWithLengthOpts(r->source->text, r->source->len + 1, &stopped, true);
	if (!list || !cJSON_IsArray(list)) {
		struct loc loc = list ? all : (struct loc){r->source, (uint32_t)(stopped ? stopped - r->source->text : 0), 1};
		diag_error(r->diag, loc, "a choice is a JSON array of strings, as in [\"yes\", \"no\"]");
		cJSON_Delete(list);
		return false;
	}
	struct work_cleanup c;
	work_cleanup(&c, delete_list, list);
	language_texts texts = {0};
	const bool ok = read_texts(r, list, all, &texts);
	const uint32_t rule = rule_number(r, "choice", 6, all);
	if (ok) r->rule.at[rule].body = piece_of_texts(r, &texts, all);
	vec_release(&texts);
	work_cleanup_end(&c);
	cJSON_Delete(list);
	return ok && pieces_finish(r, "choice");
}
