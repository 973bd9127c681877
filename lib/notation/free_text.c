// Free text, and what its triggers lead to.
//
// In:  strings: triggers, excluded ones, the ends of a tag around. Out: pieces. Free text is one regular language, from
// Aho and Corasick's automaton (1975) over these strings. As in XGrammar: where an excluded string ends, the text is
// none. Where a trigger ends, what it leads to may come; of several that end at one place only the longest counts. If
// the automaton has read that trigger and no longer string's beginning, it must come, or the text goes on towards a
// longer string. An end of the tag around is read behind any free text before it. Nearly always no string ends inside
// another one: then a terminal of free text ends where the trigger does, and the lexer has nothing to choose. Cost:
// linear in the strings.
#include "free_text.h"

// ---- Control tokens in strings
// A special token is never text, so where a string has its name the token is meant.

// The special token whose name s begins with, the longest; NULL: none.
static const struct control_token *parts_special(const struct parts *x, const char *s)
{
	const struct control_tokens *c = x->names_tokens ? x->r->control : NULL;
	const struct control_token *found = NULL;
	size_t longest = 0;
	for (uint32_t i = 0; c && i < c->n; i++) {
		const struct control_token *t = &c->at[i];
		if (!t->is_special || t->is_eos || !t->name || t->name[0] != *s) continue;
		size_t n = strlen(t->name);
		if (n > longest && !strncmp(t->name, s, n)) longest = n, found = t;
	}
	return found;
}

static bool has_special(const struct parts *x, const char *s)
{
	for (; *s; s++)
		if (parts_special(x, s)) return true;
	return false;
}

piece_id parts_seq(struct parts *x, piece_id a, piece_id b) { return piece_seq(x->r, (piece_id[]){a, b}, 2, x->loc); }
piece_id parts_alt(struct parts *x, piece_id a, piece_id b) { return piece_alt(x->r, (piece_id[]){a, b}, 2, x->loc); }
piece_id parts_nothing(struct parts *x) { return piece_set(x->r, &(code_ranges){0}, false, x->loc); }
piece_id parts_empty(struct parts *x) { return piece_seq(x->r, NULL, 0, x->loc); }

piece_id parts_named(struct parts *x, const char *what, piece_id body)
{
	const char *name = arena_printf(&x->r->arena, "%s%s_%u", x->prefix ? x->prefix : "", what, x->n_named++);
	uint32_t rule = rule_number(x->r, name, strlen(name), x->loc);
	x->r->rule.at[rule].body = body;
	x->r->rule.at[rule].begins_with_token = x->r->pieces.at[body].begins_with_token;
	return piece_rule(x->r, rule, x->loc);
}

const char *free_text_obstacle(const struct parts *x, struct end_strings s)
{
	for (uint32_t i = 0; i < s.n; i++)
		if (has_special(x, s.at[i]) && !parts_special(x, s.at[i])) return s.at[i];
	return NULL;
}

struct end_strings strings_join(struct parts *x, struct end_strings a, struct end_strings b)
{
	const char **at = arena_array(&x->r->arena, (size_t)a.n + b.n, sizeof *at);
	if (a.n) memcpy(at, a.at, a.n * sizeof *at);
	if (b.n) memcpy(at + a.n, b.at, b.n * sizeof *at);
	return (struct end_strings){at, a.n + b.n};
}

static piece_id control(struct parts *x, uint32_t id)
{
	const char *said = arena_printf(&x->r->arena, "[%u]", id);
	piece_id p = parts_nothing(x);
	piece_control(x->r, said, strlen(said), x->loc, &p);
	return p;
}

piece_id parts_text(struct parts *x, const char *s)
{
	piece_id p = parts_empty(x);
	const char *from = s;
	while (*s) {
		const struct control_token *t = parts_special(x, s);
		if (!t) {
			s++;
			continue;
		}
		p = parts_seq(x, p, piece_text(x->r, from, (size_t)(s - from), x->loc));
		p = parts_seq(x, p, control(x, t->id));
		from = s += strlen(t->name);
	}
	return parts_seq(x, p, piece_text(x->r, from, (size_t)(s - from), x->loc));
}

// ---- Free text

// Aho and Corasick's automaton; state 0 is the start.
struct searching {
	VEC(uint32_t) next;  // [states * 256]
	VEC(uint32_t) fail, depth;
	VEC(uint8_t) is_excluded;  // an excluded string ends here
	VEC(uint32_t) fires;  // the state that the trigger which ends here leads to from the start, the longest; or NONE
};
#define NONE UINT32_MAX

static uint32_t add_state(struct searching *s, uint32_t depth)
{
	for (int b = 0; b < 256; b++) vec_push(&s->next, NONE);
	vec_push(&s->fail, 0);
	vec_push(&s->depth, depth);
	vec_push(&s->is_excluded, 0);
	vec_push(&s->fires, NONE);
	return s->fail.n - 1;
}

// The state that a string leads to.
static uint32_t add_string(struct searching *s, const char *text)
{
	uint32_t q = 0;
	for (const char *c = text; *c; c++) {
		uint32_t to = s->next.at[q * 256 + (uint8_t)*c];
		if (to == NONE) to = add_state(s, s->depth.at[q] + 1), s->next.at[q * 256 + (uint8_t)*c] = to;
		q = to;
	}
	return q;
}

static void complete(struct searching *s)
{
	VEC(uint32_t) queue = {0};
	vec_push(&queue, 0);
	for (uint32_t k = 0; k < queue.n; k++) {
		uint32_t q = queue.at[k], f = s->fail.at[q];
		s->is_excluded.at[q] |= s->is_excluded.at[f];
		if (s->fires.at[q] == NONE) s->fires.at[q] = s->fires.at[f];
		for (uint32_t b = 0; b < 256; b++) {
			uint32_t *to = &s->next.at[q * 256 + b];
			uint32_t other = q ? s->next.at[f * 256 + b] : 0;
			if (*to == NONE) {
				*to = other;
				continue;
			}
			s->fail.at[*to] = q ? other : 0;
			vec_push(&queue, *to);
		}
	}
	vec_release(&queue);
}

static void search_for(const struct parts *x, struct searching *s, struct end_strings triggers,
                       struct end_strings excludes)
{
	add_state(s, 0);
	for (uint32_t i = 0; i < triggers.n; i++) {
		if (has_special(x, triggers.at[i])) continue;  // no text has it
		uint32_t q = add_string(s, triggers.at[i]);
		s->fires.at[q] = q;
	}
	for (uint32_t i = 0; i < excludes.n; i++) {
		if (has_special(x, excludes.at[i])) continue;
		uint32_t q = add_string(s, excludes.at[i]);
		s->is_excluded.at[q] = 1;
	}
	complete(s);
}

static void searching_release(struct searching *s)
{
	vec_release(&s->next), vec_release(&s->fail), vec_release(&s->depth);
	vec_release(&s->is_excluded), vec_release(&s->fires);
}

// Is what leads to q from the start a trigger? Then free text goes on only towards a longer string.
static bool is_trigger(const struct searching *s, uint32_t q) { return s->fires.at[q] == q; }

// NONE: no free text goes on so.
static uint32_t step(const struct searching *s, uint32_t q, uint32_t byte)
{
	uint32_t to = s->next.at[q * 256 + byte];
	if (s->is_excluded.at[to] || (is_trigger(s, q) && s->depth.at[to] != s->depth.at[q] + 1)) return NONE;
	return to;
}

// Free text; with `trigger` the texts that end in it.
static language free_of(struct parts *x, const struct searching *s, const char *trigger)
{
	uint32_t n = s->fail.n, target = 0;
	bool *accept = mem_calloc(n, sizeof *accept);
	VEC(struct language_edge) edges = {0};
	for (const char *c = trigger ? trigger : ""; *c; c++) target = s->next.at[target * 256 + (uint8_t)*c];
	for (uint32_t q = 0; q < n; q++) {
		accept[q] = trigger ? s->fires.at[q] == target : !is_trigger(s, q);
		for (uint32_t b = 0; b < 256; b++) {
			uint32_t to = step(s, q, b);
			struct language_edge *last = edges.n ? &edges.at[edges.n - 1] : NULL;
			if (to == NONE) continue;
			if (last && last->from == q && last->to == to && last->hi + 1u == b)
				last->hi = (uint8_t)b;
			else
				vec_push(&edges, ((struct language_edge){q, to, (uint8_t)b, (uint8_t)b}));
		}
	}
	language l = language_of_automaton(rules_languages(x->r), n, accept, edges.at, edges.n);
	vec_release(&edges);
	free(accept);
	return l;
}

// Free text and an end: the subset construction (Rabin and Scott 1959). A set is the state of free text, its
// characters, and of each end that may have begun the bytes read.
struct ending {
	const struct searching *s;
	const struct end_strings *ends;
	int64_t most;
	struct intern sets;
	VEC(struct language_edge) edges;
};
typedef VEC(uint32_t) numbers;

static bool is_free(const struct ending *x, const uint32_t *set) { return set[0] != NONE && !is_trigger(x->s, set[0]); }

static void ending_step(const struct ending *x, const numbers *set, uint32_t byte, numbers *to)
{
	vec_clear(to);
	uint32_t q = set->at[0] == NONE ? NONE : step(x->s, set->at[0], byte);
	uint32_t n = set->at[1] + (x->most >= 0 && (byte & 0xC0) != 0x80);
	if (x->most >= 0 && n > x->most) q = NONE;
	vec_push(to, q);
	vec_push(to, q == NONE ? 0 : n);
	for (uint32_t i = 0; i < x->ends->n; i++) {
		const char *end = x->ends->at[i];
		for (uint32_t k = 2; k < set->n; k += 2)
			if (set->at[k] == i && (uint8_t)end[set->at[k + 1]] == byte) {
				vec_push(to, i);
				vec_push(to, set->at[k + 1] + 1);
			}
		if (is_free(x, set->at) && (uint8_t)end[0] == byte) {
			vec_push(to, i);
			vec_push(to, 1);
		}
	}
}

static void add_edges(struct ending *x, uint32_t state, numbers *set, numbers *to)
{
	uint32_t size, last = NONE;
	const void *key = intern_get(&x->sets, state, &size);
	vec_clear(set);
	vec_reserve(set, size / sizeof *set->at);
	memcpy(set->at, key, size);
	set->n = size / (uint32_t)sizeof *set->at;
	for (uint32_t b = 1; b < 256; b++) {
		ending_step(x, set, b, to);
		if (to->at[0] == NONE && to->n == 2) {
			last = NONE;
			continue;
		}
		uint32_t next = intern_add(&x->sets, to->at, to->n * sizeof *to->at, NULL);
		if (next == last)
			x->edges.at[x->edges.n - 1].hi = (uint8_t)b;
		else
			vec_push(&x->edges, ((struct language_edge){state, next, (uint8_t)b, (uint8_t)b}));
		last = next;
	}
}

static language free_then(struct parts *x, const struct searching *s, struct end_strings ends, int64_t most)
{
	struct ending e = {.s = s, .ends = &ends, .most = most};
	numbers set = {0}, to = {0};
	intern_add(&e.sets, (uint32_t[]){0, 0}, 2 * sizeof(uint32_t), NULL);
	for (uint32_t q = 0; q < e.sets.entries.n; q++) add_edges(&e, q, &set, &to);
	bool *accept = mem_calloc(e.sets.entries.n, sizeof *accept);
	for (uint32_t q = 0; q < e.sets.entries.n; q++) {
		uint32_t size;
		const uint32_t *at = intern_get(&e.sets, q, &size);
		for (uint32_t k = 2; k < size / sizeof *at; k += 2) accept[q] |= !ends.at[at[k]][at[k + 1]];
	}
	language l = language_of_automaton(rules_languages(x->r), e.sets.entries.n, accept, e.edges.at, e.edges.n);
	free(accept);
	vec_release(&set), vec_release(&to), vec_release(&e.edges);
	intern_release(&e.sets);
	return l;
}

piece_id parts_language(struct parts *x, language l)
{
	if (l == LANGUAGE_NOTHING) return parts_nothing(x);
	if (l == LANGUAGE_EMPTY) return parts_empty(x);
	struct term *t = language_term(rules_languages(x->r), l, x->loc, &x->r->arena);
	return piece_term(x->r, t, language_has(rules_languages(x->r), l, "", 0), x->loc);
}

// The texts of a language that at most so many tokens touch, without what ends them.
static piece_id counted(struct parts *x, language l, language end, int64_t most)
{
	const struct languages *store = rules_languages(x->r);
	if (most < 0) return parts_language(x, l);
	if (!most && end == LANGUAGE_EMPTY) return parts_empty(x);
	struct term *t = arena_alloc(&x->r->arena, sizeof *t);
	t->kind = TERM_TOKENS, t->loc = x->loc, t->hi = most > UINT32_MAX ? UINT32_MAX : (uint32_t)most;
	t->n_children = end == LANGUAGE_EMPTY ? 1 : 2;
	t->children = arena_array(&x->r->arena, 2, sizeof(struct term *));
	t->children[0] = language_term(store, l, x->loc, &x->r->arena);
	if (end != LANGUAGE_EMPTY) t->children[1] = language_term(store, end, x->loc, &x->r->arena);
	return piece_term(x->r, t, language_has(store, l, "", 0), x->loc);
}

static piece_id bounded(struct parts *x, const struct searching *s, struct free_most most)
{
	struct languages *store = rules_languages(x->r);
	language l = free_of(x, s, NULL);
	if (most.chars >= 0) l = language_and(store, l, language_of_lengths(store, 0, (uint32_t)most.chars));
	return piece_called(x->r, counted(x, l, LANGUAGE_EMPTY, most.tokens), "free text");
}

// Of each character a state for each state of the search, and those inside UTF-8.
#define INSIDE_UTF8 7u
uint32_t free_text_most(const struct parts *x, struct end_strings excludes, struct end_strings ends)
{
	struct searching s = {0};
	search_for(x, &s, ends, excludes);
	uint32_t most = (FREE_TEXT_MAX_STATES - 1) / (s.fail.n + INSIDE_UTF8);
	searching_release(&s);
	return most;
}

piece_id free_text(struct parts *x, struct end_strings excludes, struct free_most most)
{
	struct searching s = {0};
	search_for(x, &s, (struct end_strings){0}, excludes);
	piece_id p = bounded(x, &s, most);
	searching_release(&s);
	return p;
}

language free_text_language(struct parts *x, struct end_strings excludes)
{
	struct searching s = {0};
	search_for(x, &s, (struct end_strings){0}, excludes);
	language l = free_of(x, &s, NULL);
	searching_release(&s);
	return l;
}

// The name of a terminal of free text that this ends: as much of it as can be shown.
static const char *text_up_to(struct parts *x, const char *end)
{
	int n = 0;
	while (n < 24 && end[n] > ' ' && end[n] < 0x7F) n++;
	return arena_printf(&x->r->arena, "free text up to %.*s%s", n, end, end[n] ? "..." : "");
}

static piece_id until(struct parts *x, const struct searching *s, struct end_strings ends, struct free_most most)
{
	const char **texts = arena_array(&x->r->arena, ends.n, sizeof *texts);
	struct language_text *each = arena_array(&x->r->arena, ends.n, sizeof *each);
	uint32_t n = 0;
	piece_id p = parts_nothing(x);
	for (uint32_t i = 0; i < ends.n; i++)
		if (parts_special(x, ends.at[i]))
			p = parts_alt(x, p, parts_seq(x, bounded(x, s, most), parts_text(x, ends.at[i])));
		else
			each[n] = (struct language_text){ends.at[i], strlen(ends.at[i])}, texts[n++] = ends.at[i];
	if (!n) return p;
	language end = language_of_texts(rules_languages(x->r), each, n);
	piece_id whole = counted(x, free_then(x, s, (struct end_strings){texts, n}, most.chars), end, most.tokens);
	return parts_alt(x, p, piece_called(x->r, whole, text_up_to(x, texts[0])));
}

piece_id free_text_until(struct parts *x, struct end_strings excludes, struct end_strings ends, struct free_most most)
{
	struct searching s = {0};
	search_for(x, &s, (struct end_strings){0}, excludes);
	piece_id p = until(x, &s, ends, most);
	searching_release(&s);
	return p;
}

// Any of the ends; without a tag around nothing.
static piece_id one_of(struct parts *x, const struct end_strings *ends)
{
	piece_id end = ends ? parts_nothing(x) : parts_empty(x);
	for (uint32_t i = 0; ends && i < ends->n; i++) end = parts_alt(x, end, parts_text(x, ends->at[i]));
	return end;
}

piece_id free_text_dispatch(struct parts *x, const struct free_dispatch *d)
{
	struct searching s = {0};
	search_for(x, &s, d->triggers, d->ends ? strings_join(x, d->excludes, *d->ends) : d->excludes);
	piece_id free = bounded(x, &s, FREE_ANY);
	piece_ids ways = {0};
	for (uint32_t i = 0; i < d->triggers.n; i++) {
		const char *trigger = d->triggers.at[i];
		piece_id p = parts_special(x, trigger)
		                 ? parts_seq(x, free, parts_text(x, trigger))
		                 : piece_called(x->r, parts_language(x, free_of(x, &s, trigger)), text_up_to(x, trigger));
		p = parts_seq(x, p, d->behind[i]);
		vec_push(&ways, p);
	}
	piece_id one = piece_alt(x->r, ways.at, ways.n, x->loc);
	vec_release(&ways);
	piece_id tail = d->ends ? until(x, &s, *d->ends, FREE_ANY) : free;
	searching_release(&s);
	if (!d->again) return parts_alt(x, parts_seq(x, one, one_of(x, d->ends)), tail);
	return parts_seq(x, parts_named(x, "dispatch", piece_repeat(x->r, one, 0, TERM_UNBOUNDED, x->loc)), tail);
}

// ---- Free tokens

const char *free_tokens_obstacle(const struct parts *x, uint32_t id)
{
	const struct control_tokens *c = x->r->control;
	if (!c) return "no tokenizer is given, and only a tokenizer says which tokens are special";
	if (id >= c->n_tokens)
		return arena_printf(&x->r->arena, "the tokenizer %s has no token %u: its ids are 0 to %u", c->tokenizer, id,
		                    c->n_tokens - 1);
	for (uint32_t i = 0; i < c->n; i++)
		if (c->at[i].id == id && (c->at[i].is_special || c->at[i].is_eos)) return NULL;
	return arena_printf(&x->r->arena,
	                    "token %u of %s is text, which may be cut into other tokens: only special tokens can be "
	                    "excluded",
	                    id, c->tokenizer);
}

static bool is_among(const uint32_t *ids, uint32_t n, uint32_t id)
{
	while (n && ids[n - 1] != id) n--;
	return n;
}

// One of the special tokens but these.
static piece_id free_special(struct parts *x, const uint32_t *excluded, uint32_t n)
{
	const struct control_tokens *c = x->r->control;
	VEC(char) ids = {0};
	for (uint32_t i = 0; c && i < c->n; i++) {
		if (!c->at[i].is_special || c->at[i].is_eos || is_among(excluded, n, c->at[i].id)) continue;
		const char *id = arena_printf(&x->r->arena, "%c%u", ids.n ? ',' : '[', c->at[i].id);
		for (; *id; id++) vec_push(&ids, *id);
	}
	piece_id some = parts_nothing(x);
	if (ids.n) {
		vec_push(&ids, ']');
		piece_control(x->r, ids.at, ids.n, x->loc, &some);
	}
	vec_release(&ids);
	return some;
}

piece_id free_tokens(struct parts *x, const uint32_t *excluded, uint32_t n)
{
	piece_id text = parts_language(x, LANGUAGE_ANY), some = free_special(x, excluded, n);
	return parts_seq(x, text, piece_repeat(x->r, parts_seq(x, some, text), 0, TERM_UNBOUNDED, x->loc));
}

// ---- Whole tokens

bool token_is_text(const struct parts *x, uint32_t id)
{
	const struct control_tokens *c = x->r->control;
	for (uint32_t i = 0; c && i < c->n; i++)
		if (c->at[i].id == id) return !c->at[i].is_special && !c->at[i].is_eos;
	return c && id < c->n_tokens;
}

bool token_is_whole(const struct parts *x, uint32_t id)
{
	const struct control_tokens *c = x->r->control;
	for (uint32_t i = 0; c && i < c->n; i++)
		if (c->at[i].id == id) return false;
	return c && id < c->n_tokens;
}

const char *one_token_obstacle(const struct parts *x, uint32_t id)
{
	const struct control_tokens *c = x->r->control;
	if (!token_is_whole(x, id)) return NULL;
	if (c->bytes && c->offset[id + 1] == c->offset[id])
		return arena_printf(&x->r->arena, "token %u of %s is not used", id, c->tokenizer);
	return free_token_obstacle(x, id);
}

const char *free_token_obstacle(const struct parts *x, uint32_t id)
{
	const struct control_tokens *c = x->r->control;
	if (!c || id >= c->n_tokens || !token_is_text(x, id)) return free_tokens_obstacle(x, id);
	if (!c->bytes) return "no tokenizer is known here, which says what tokens spell";
	const uint32_t len = c->offset[id + 1] - c->offset[id];
	for (uint32_t t = 0; t < c->n_tokens && len; t++)
		if (t != id && c->offset[t + 1] - c->offset[t] == len &&
		    !memcmp(c->bytes + c->offset[t], c->bytes + c->offset[id], len))
			return arena_printf(&x->r->arena, "token %u of %s spells what token %u does: it cannot be told from it", id,
			                    c->tokenizer, t);
	return NULL;
}

static piece_id whole_token(struct parts *x, const uint32_t *ids, uint32_t n, bool is_of_these)
{
	const struct control_tokens *c = x->r->control;
	struct term *t = arena_alloc(&x->r->arena, sizeof *t);
	VEC(char) text = {0};
	for (uint32_t i = 0; i < n; i++) {
		// Of special tokens and of those that end texts no bytes are known.
		const uint32_t from = c->offset[ids[i]], len = c->offset[ids[i] + 1] - from;
		for (uint32_t k = 0; k < sizeof len; k++) vec_push(&text, ((const char *)&len)[k]);
		for (uint32_t k = 0; k < len; k++) vec_push(&text, (char)c->bytes[from + k]);
	}
	*t = (struct term){.kind = TERM_WHOLE_TOKEN, .text_len = text.n, .lo = is_of_these, .loc = x->loc};
	t->text = arena_strndup(&x->r->arena, text.n ? text.at : "", text.n);
	vec_release(&text);
	x->r->has_whole_tokens = true;
	piece_id whole = piece_term(x->r, t, false, x->loc);
	x->r->pieces.at[whole].name = "<a token>";
	return whole;
}

piece_id free_token(struct parts *x, const uint32_t *excluded, uint32_t n)
{
	return parts_alt(x, whole_token(x, excluded, n, false), free_special(x, excluded, n));
}

piece_id one_token(struct parts *x, const uint32_t *ids, uint32_t n)
{
	uint32_t *text = arena_array(&x->r->arena, n, sizeof *text), n_text = 0;
	piece_id p = parts_nothing(x);
	for (uint32_t i = 0; i < n; i++)
		if (token_is_whole(x, ids[i]))
			text[n_text++] = ids[i];
		else
			p = parts_alt(x, p, control(x, ids[i]));
	return n_text ? parts_alt(x, whole_token(x, text, n_text, true), p) : p;
}

piece_id parts_to_token_end(struct parts *x, piece_id id)
{
	const struct rule_piece p = x->r->pieces.at[id];
	if (p.kind == PIECE_SEQ && !p.is_regular && p.n) {
		piece_id last = parts_to_token_end(x, p.child[p.n - 1]);
		return parts_seq(x, piece_seq(x->r, p.child, p.n - 1, p.loc), last);
	}
	bool is_pattern =
		p.is_regular || (p.kind == PIECE_TERM && p.term->kind != TERM_CONTROL && !term_reads_token_ends(p.term));
	if (!is_pattern || p.is_nullable || piece_is_empty(x->r, id) || piece_is_nothing(x->r, id)) return id;
	return piece_to_token_end(x->r, id);
}

void parts_before_tokens(struct parts *x, piece_id *sequence, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		if (!x->r->pieces.at[sequence[i]].begins_with_token) continue;
		uint32_t from = i - 1;  // what may be empty is one text with what stands before it
		while (from && x->r->pieces.at[sequence[from]].is_nullable && x->r->pieces.at[sequence[from]].is_regular &&
		       x->r->pieces.at[sequence[from - 1]].is_regular)
			from--;
		sequence[from] = parts_to_token_end(x, piece_seq(x->r, sequence + from, i - from, x->loc));
		for (uint32_t k = from + 1; k < i; k++) sequence[k] = parts_empty(x);
	}
}

// ---- Dispatch on tokens

piece_id free_tokens_dispatch(struct parts *x, const struct token_dispatch *d)
{
	const uint32_t n = d->n + d->n_excluded;
	uint32_t *all = arena_array(&x->r->arena, n, sizeof *all);
	if (d->n) memcpy(all, d->trigger, d->n * sizeof *all);
	if (d->n_excluded) memcpy(all + d->n, d->excluded, d->n_excluded * sizeof *all);
	bool by_token = false;
	for (uint32_t i = 0; i < d->n; i++) by_token |= token_is_whole(x, d->trigger[i]);
	for (uint32_t i = 0; i < d->n_excluded; i++)
		by_token |= token_is_text(x, d->excluded[i]) && !is_among(d->trigger, d->n, d->excluded[i]);
	piece_id free =
		by_token ? piece_repeat(x->r, free_token(x, all, n), 0, TERM_UNBOUNDED, x->loc) : free_tokens(x, all, n);
	free = parts_named(x, "tokens", free);
	piece_id one = parts_nothing(x);
	for (uint32_t i = 0; i < d->n; i++)
		one = parts_alt(x, one, parts_seq(x, one_token(x, &d->trigger[i], 1), d->behind[i]));
	one = parts_seq(x, free, one);
	if (!d->again) return parts_alt(x, one, free);
	return parts_seq(x, parts_named(x, "dispatch", piece_repeat(x->r, one, 0, TERM_UNBOUNDED, x->loc)), free);
}
