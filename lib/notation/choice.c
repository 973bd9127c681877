// A JSON array of strings -> a text is one of them.
//
// In:  the text of the array. Out: one rule. Cost: linear.
#include "pieces.h"

#include <cjson/cJSON.h>

bool choice_read(struct rules *r)
{
	struct loc all = {r->source, 0, 0};
	const char *stopped = NULL;
	cJSON *list = cJSON_ParseWithLengthOpts(r->source->text, r->source->len + 1, &stopped, true);
	if (!list || !cJSON_IsArray(list)) {
		struct loc loc = list ? all : (struct loc){r->source, (uint32_t)(stopped ? stopped - r->source->text : 0), 1};
		diag_error(r->diag, loc, "a choice is a JSON array of strings, as in [\"yes\", \"no\"]");
		cJSON_Delete(list);
		return false;
	}
	piece_list choices = {0};
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
