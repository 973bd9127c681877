// Members of the objects of a structural tag, and errors that name their place.
//
// In:   an object, a key.
// Out:  the value, of the type asked for, or an error.
// Cost: linear in the object's members.
#include "structural_tag_internal.h"

piece_id tags_fail(struct tags *x, const char *what)
{
	if (!x->failed) diag_error(x->r->diag, tags_loc(x), "%s: %s", x->path, what);
	x->failed = true;
	return parts_nothing(&x->parts);
}

const cJSON *tags_get(const cJSON *o, const char *key) { return cJSON_GetObjectItemCaseSensitive(o, key); }

const char *tags_string(struct tags *x, const cJSON *o, const char *key)
{
	const char *s = cJSON_GetStringValue(tags_get(o, key));
	if (!s) fail(x, "\"%s\" must be a string", key);
	return s ? s : "";
}

bool tags_flag(struct tags *x, const cJSON *o, const char *key)
{
	const cJSON *v = tags_get(o, key);
	if (v && !cJSON_IsNull(v) && !cJSON_IsBool(v)) fail(x, "\"%s\" must be true or false", key);
	return cJSON_IsTrue(v);
}

const cJSON *tags_list(struct tags *x, const cJSON *o, const char *key)
{
	const cJSON *v = tags_get(o, key);
	if (!cJSON_IsArray(v)) fail(x, "\"%s\" must be a list", key);
	return cJSON_IsArray(v) ? v : NULL;
}

// -1: not given.
int64_t tags_count(struct tags *x, const cJSON *o, const char *key)
{
	const cJSON *v = tags_get(o, key);
	if (!v || cJSON_IsNull(v)) return -1;
	if (cJSON_IsNumber(v) && v->valuedouble >= 0 && v->valuedouble <= 2147483647.0 &&
	    v->valuedouble == (double)(int64_t)v->valuedouble)
		return (int64_t)v->valuedouble;
	fail(x, "\"%s\" must be a whole number from 0 on", key);
	return -1;
}

// The strings of a list; a list that is not there has none.
struct end_strings tags_strings(struct tags *x, const cJSON *o, const char *key)
{
	const cJSON *v = tags_get(o, key), *item;
	struct end_strings s = {0};
	if (!v || cJSON_IsNull(v)) return s;
	if (!cJSON_IsArray(v)) return fail(x, "\"%s\" must be a list of strings", key), s;
	const char **at = arena_array(&x->r->arena, (size_t)cJSON_GetArraySize(v), sizeof *at);
	cJSON_ArrayForEach(item, v)
	{
		const char *text = cJSON_GetStringValue(item);
		if (!text || !*text)
			fail(x, "\"%s\" must hold strings that are not empty", key);
		else
			at[s.n++] = text;
	}
	s.at = at;
	return s;
}

// What stops free text: a string of characters, or one that begins with a control token.
struct end_strings tags_stops(struct tags *x, struct end_strings s)
{
	const char *bad = free_text_obstacle(&x->parts, s);
	if (bad)
		fail(x,
		     "\"%s\" holds a control token of the tokenizer behind text: free text ends at strings of text, or at "
		     "strings that begin with a control token",
		     bad);
	return s;
}

piece_id tags_control(struct tags *x, const char *said)
{
	piece_id p = parts_nothing(&x->parts);
	if (!piece_control(x->r, said, strlen(said), tags_loc(x), &p)) x->failed = true;
	return p;
}
