// A JSON array of strings -> a text is one of them.
//
// In:  the text of the array. Out: one rule. Cost: linear.
#include "pieces.h"

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
	piece_ids choices = {0};
	bool ok = true;
	for (const cJSON *x = list->child; x; x = x->next) {
		if (cJSON_IsString(x))
			vec_push(&choices, piece_text(r, x->valuestring, strlen(x->valuestring), all));
		else
			diag_error(r->diag, all, "item %u of the choice is no string", choices.n), ok = false;
		if (!ok) break;
	}
	if (ok && !choices.n) diag_error(r->diag, all, "a choice of nothing: the array is empty"), ok = false;
	uint32_t rule = rule_number(r, "choice", 6, all);
	if (ok) r->rule.at[rule].body = piece_alt(r, choices.at, choices.n, all);
	vec_release(&choices);
	cJSON_Delete(list);
	return ok && pieces_finish(r, "choice");
}
