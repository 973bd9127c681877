// References to groups that have few texts: (["'])[a-z]*\1 is (?:(?:")[a-z]*(?:")|(?:')[a-z]*(?:')).
//
// In:  a pattern. Out: an equal one without references, or NULL. A reference and its group have one sequence in which
// the group stands in an earlier part. It becomes alternatives: one for each text of the group, in which both are this
// text, and the group is not left out; and one in which the group is left out, where the reference is the empty text,
// as ECMA 262 says. What repeats the sequence repeats these alternatives, as groups forget their texts then.
// Not followed: a group that is repeated within the sequence, that looks around or captures others, or that has many
// texts; flags.
// Cost: the pattern's length, times the texts of each group that is referred to; MAX_LENGTH.
#include "internal.h"

#define MAX_GROUPS 250u
#define MAX_TEXTS 16u       // of a group
#define MAX_LENGTH 200000u  // of what becomes of a pattern
#define NEVER "[^\\s\\S]"   // no text

enum part_kind { PART_SIGN, PART_GROUP, PART_REFERENCE };

// A sign, a group or a reference, with the quantifier behind it.
struct part {
	enum part_kind kind;
	uint32_t at, len;       // of its text; of a group what opens it: "(", "(?:", "(?<name>"
	uint32_t quantifier;    // where it stands
	uint32_t n_quantifier;  // its bytes
	uint32_t number;        // of a group that captures, or that a reference means; else 0
	uint32_t n_inside;      // of a group: bytes between the parentheses
	struct sequence *inside;
	struct part *next;
};

struct sequence {
	struct part *first;
	struct sequence *next;  // the next alternative
};

enum group_state { GROUP_OPEN, GROUP_SAID, GROUP_LEFT_OUT };

struct group {
	uint32_t name, n_name;
	enum group_state state;
	struct language_text said;
};

struct references {
	struct schema *s;
	const char *text;
	uint32_t at, len, n_groups;
	bool is_unknown;  // something is not followed
	VEC(char) out;
	struct group group[MAX_GROUPS + 1];
};

// ---- reading ----

static int peek(const struct references *r, uint32_t ahead)
{
	return r->at + ahead < r->len ? (uint8_t)r->text[r->at + ahead] : -1;
}

static bool starts(const struct references *r, const char *with)
{
	const size_t n = strlen(with);
	return r->len - r->at >= n && memcmp(r->text + r->at, with, n) == 0;
}

// \1, or \k<name> of a group that was opened.
static bool read_reference(struct references *r, struct part *p)
{
	uint32_t n = 1;
	p->kind = PART_REFERENCE;
	if (peek(r, 1) == 'k') {
		while (peek(r, n) >= 0 && peek(r, n) != '>') n++;
		const uint32_t n_name = n - 3;
		for (uint32_t i = 1; i <= r->n_groups && n > 3; i++)
			if (r->group[i].n_name == n_name && memcmp(r->text + r->group[i].name, r->text + r->at + 3, n_name) == 0)
				p->number = i;
		n++;
	}
	for (; n < 5 && peek(r, 1) != 'k' && peek(r, n) >= '0' && peek(r, n) <= '9'; n++)
		p->number = 10 * p->number + (uint32_t)(peek(r, n) - '0');
	p->len = n;
	return p->number && p->number <= r->n_groups;
}

static void read_quantifier(struct references *r, struct part *p)
{
	const int c = peek(r, 0);
	uint32_t n = c == '*' || c == '+' || c == '?';
	if (c == '{' && peek(r, 1) >= '0' && peek(r, 1) <= '9')
		while (peek(r, n) >= 0 && peek(r, n++) != '}') {
		}
	if (n && peek(r, n) == '?') n++;
	p->quantifier = r->at, p->n_quantifier = n, r->at += n;
}

static struct sequence *read_choice(struct references *r, uint32_t depth);

// Branches: one for each kind of group.
static bool read_group(struct references *r, struct part *p, uint32_t depth)
{
	const bool is_behind = starts(r, "(?<=") || starts(r, "(?<!"), is_python = starts(r, "(?P<");
	const bool is_named = is_python || (starts(r, "(?<") && !is_behind);
	p->kind = PART_GROUP;
	if (is_named)
		while (peek(r, p->len) >= 0 && peek(r, p->len++) != '>') {
		}
	else if (starts(r, "(?:") || starts(r, "(?=") || starts(r, "(?!"))
		p->len = 3;
	else if (is_behind)
		p->len = 4;
	else if (peek(r, 1) == '?')
		return false;
	if (is_named || p->len == 1) {
		if (r->n_groups == MAX_GROUPS) return false;
		const uint32_t opening = is_python ? 4 : 3;
		p->number = ++r->n_groups;
		if (is_named) r->group[p->number] = (struct group){.name = r->at + opening, .n_name = p->len - opening - 1};
	}
	r->at += p->len;
	const uint32_t from = r->at;
	p->inside = read_choice(r, depth + 1);
	p->n_inside = r->at - from;
	return p->inside && peek(r, 0) == ')' && ++r->at;
}

static bool read_part(struct references *r, struct part *p, uint32_t depth)
{
	const int c = peek(r, 0), d = peek(r, 1);
	*p = (struct part){.at = r->at, .len = 1};
	if (c == '(') {
		if (!read_group(r, p, depth)) return false;
	} else {
		if (c == '\\') p->len = 2;
		if (c == '\\' && ((d >= '1' && d <= '9') || d == 'k') && !read_reference(r, p)) return false;
		while (c == '[' && peek(r, p->len++) != ']') {
			if (peek(r, p->len - 1) < 0) return false;
			if (peek(r, p->len - 1) == '\\') p->len++;
		}
		if (p->len > r->len - r->at) return false;
		r->at += p->len;
	}
	read_quantifier(r, p);
	return true;
}

// Alternatives, up to the parenthesis that closes them. NULL: something is not followed.
static struct sequence *read_choice(struct references *r, uint32_t depth)
{
	struct sequence *all = arena_alloc(r->s->arena, sizeof *all), *at = all;
	struct part **to = &at->first;
	if (depth > SCHEMA_MAX_NESTING) return NULL;
	while (r->at < r->len && peek(r, 0) != ')') {
		if (peek(r, 0) == '|') {
			r->at++;
			at = at->next = arena_alloc(r->s->arena, sizeof *at);
			to = &at->first;
			continue;
		}
		*to = arena_alloc(r->s->arena, sizeof **to);
		if (!read_part(r, *to, depth)) return NULL;
		to = &(*to)->next;
	}
	return all;
}

// ---- asking ----

static bool holds(const struct part *p, enum part_kind kind, uint32_t number);

static bool any_holds(const struct sequence *q, enum part_kind kind, uint32_t number)
{
	bool any = false;
	for (; q && !any; q = q->next)
		for (const struct part *p = q->first; p && !any; p = p->next) any = holds(p, kind, number);
	return any;
}

// Is there this group, or a reference to it, in the part?
static bool holds(const struct part *p, enum part_kind kind, uint32_t number)
{
	return (p->kind == kind && p->number == number) || any_holds(p->inside, kind, number);
}

static const struct part *find_group(const struct part *p, uint32_t number)
{
	const struct part *found = p->kind == PART_GROUP && p->number == number ? p : NULL;
	for (const struct sequence *q = p->inside; q && !found; q = q->next)
		for (const struct part *i = q->first; i && !found; i = i->next) found = find_group(i, number);
	return found;
}

static bool looks_around(const struct references *r, const struct part *p)
{
	const char *t = r->text + p->at;
	if (p->kind == PART_GROUP) return p->len > 2 && (strchr("=!", t[p->len - 1]));
	return p->kind == PART_SIGN && (*t == '^' || *t == '$' || (*t == '\\' && (t[1] == 'b' || t[1] == 'B')));
}

// Is each part a sign or a plain group, so that the texts between the parentheses depend on nothing else?
static bool is_plain(const struct references *r, const struct sequence *q)
{
	bool ok = true;
	for (; q && ok; q = q->next)
		for (const struct part *p = q->first; p && ok; p = p->next)
			ok = p->kind != PART_REFERENCE && !p->number && !looks_around(r, p) &&
			     (!p->inside || is_plain(r, p->inside));
	return ok;
}

static bool may_be_left_out(const struct references *r, const struct part *p)
{
	return p->n_quantifier && r->text[p->quantifier] == '?';
}

// Is the group met once on each way through the part, if it is met?
static bool is_met_once(const struct references *r, const struct part *p, uint32_t number)
{
	if (!holds(p, PART_GROUP, number)) return true;
	if ((p->n_quantifier && !may_be_left_out(r, p)) || looks_around(r, p)) return false;
	bool ok = true;
	for (const struct sequence *q = p->number == number ? NULL : p->inside; q && ok; q = q->next)
		for (const struct part *i = q->first; i && ok; i = i->next) ok = is_met_once(r, i, number);
	return ok;
}

// A group in an earlier part of the sequence than a reference to it. 0: there is none that is open.
static uint32_t find_referred(const struct references *r, const struct sequence *q, const struct part **where)
{
	for (uint32_t n = 1; n <= r->n_groups; n++) {
		const struct part *p = q->first;
		if (r->group[n].state != GROUP_OPEN) continue;
		while (p && !holds(p, PART_GROUP, n)) p = p->next;
		*where = p;
		for (p = p ? p->next : NULL; p; p = p->next)
			if (holds(p, PART_REFERENCE, n)) return n;
	}
	return 0;
}

static bool list_texts(struct references *r, const struct part *p, language_texts *out)
{
	const char *why, *inside = r->text + p->at + p->len;
	const char *alone = arena_printf(r->s->arena, "^(?:%.*s)$", (int)p->n_inside, inside);
	if (!is_plain(r, p->inside)) return false;
	const language l = pattern_language(r->s, alone, (uint32_t)strlen(alone), &why);
	return l != LANGUAGE_ERROR && language_list(r->s->languages, l, MAX_TEXTS, r->s->arena, out);
}

// ---- writing ----

static void put(struct references *r, const char *text, size_t n)
{
	r->is_unknown |= r->out.n + n > MAX_LENGTH;
	for (size_t i = 0; i < n && !r->is_unknown; i++) vec_push(&r->out, text[i]);
}

static void put_text(struct references *r, struct language_text x)
{
	put(r, "(?:", 3);
	for (size_t i = 0; i < x.len; i++) {
		const uint8_t c = (uint8_t)x.text[i];
		char unit[8];
		if (c < 0x80)
			put(r, unit, (size_t)snprintf(unit, sizeof unit, "\\u%04x", c));
		else
			put(r, x.text + i, 1);
	}
	put(r, ")", 1);
}

static void put_choice(struct references *r, const struct sequence *q);

// Groups whose texts are said are not left out: neither they nor what they stand in.
static bool holds_said(const struct references *r, const struct part *p)
{
	bool any = false;
	for (uint32_t n = 1; n <= r->n_groups && !any; n++)
		any = r->group[n].state == GROUP_SAID && holds(p, PART_GROUP, n);
	return any;
}

static void put_part(struct references *r, const struct part *p)
{
	const enum group_state state = p->number ? r->group[p->number].state : GROUP_OPEN;
	r->is_unknown |= p->kind == PART_REFERENCE && state == GROUP_OPEN;
	if (p->kind == PART_REFERENCE && state == GROUP_LEFT_OUT) return;
	if (state == GROUP_SAID) {
		put_text(r, r->group[p->number].said);
	} else if (state == GROUP_LEFT_OUT) {
		put(r, NEVER, strlen(NEVER));
	} else {
		put(r, r->text + p->at, p->len);
		if (p->inside) put_choice(r, p->inside);
		if (p->kind == PART_GROUP) put(r, ")", 1);
	}
	if (p->kind != PART_GROUP || !holds_said(r, p)) put(r, r->text + p->quantifier, p->n_quantifier);
}

static void put_sequence(struct references *r, const struct sequence *q)
{
	const struct part *where;
	language_texts texts = {0};
	const uint32_t n = r->is_unknown ? 0 : find_referred(r, q, &where);
	for (const struct part *p = n ? NULL : q->first; p && !r->is_unknown; p = p->next) put_part(r, p);
	if (!n) return;
	r->is_unknown |= !is_met_once(r, where, n) || !list_texts(r, find_group(where, n), &texts);
	put(r, "(?:", 3);
	for (uint32_t i = 0; i < texts.n; i++) {
		r->group[n].state = GROUP_SAID, r->group[n].said = texts.at[i];
		put_sequence(r, q);
		put(r, "|", 1);
	}
	r->group[n].state = GROUP_LEFT_OUT;
	put_sequence(r, q);
	put(r, ")", 1);
	r->group[n].state = GROUP_OPEN;
	vec_release(&texts);
}

// Is each of the groups whose texts are said, and which stand in one of the alternatives, in this one?
static bool holds_all_said(const struct references *r, const struct sequence *all, const struct sequence *q)
{
	bool ok = true;
	for (uint32_t n = 1; n <= r->n_groups && ok; n++) {
		if (r->group[n].state != GROUP_SAID || !any_holds(all, PART_GROUP, n)) continue;
		const struct part *p = q->first;
		while (p && !holds(p, PART_GROUP, n)) p = p->next;
		ok = p != NULL;
	}
	return ok;
}

static void put_choice(struct references *r, const struct sequence *all)
{
	bool any = false;
	for (const struct sequence *q = all; q; q = q->next) {
		if (!holds_all_said(r, all, q)) continue;
		if (any) put(r, "|", 1);
		put_sequence(r, q);
		any = true;
	}
	if (!any) put(r, NEVER, strlen(NEVER));
}

const char *pattern_without_references(struct schema *s, const char *text, uint32_t len)
{
	struct references *r = arena_alloc(s->arena, sizeof *r);
	*r = (struct references){.s = s, .text = text, .len = len};
	const struct sequence *all = read_choice(r, 0);
	if (!all || r->at != len) return NULL;
	put_choice(r, all);
	const char *out = r->is_unknown ? NULL : arena_strndup(s->arena, r->out.at, r->out.n);
	vec_release(&r->out);
	return out;
}
