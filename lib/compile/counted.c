// Which repetitions are counted, so that a bound of a million costs what a bound of a hundred does.
//
// In:  a grammar's terminals, how many repetitions a token can pass. Out: for each terminal how many are spelled out.
// Where more repetitions may still come than a token can pass, a mask does not depend on how many: so the lexer holds
// the last `keep` of them, and a counter at run time the rest (lexer.h). Where the lexer reads a counted terminal with
// another one, it finds a clash (lexer_counters.c), and the grammar is compiled with fewer counters.
// Repetitions of one kind (the same is repeated between the same texts) are all counted from one place on, the longer
// bound after the shorter one, so that they compare as they do in the grammar. Only one kind of a grammar is counted.
// Strings of JSON can share the states of the string without a bound instead, where that is fewer: then a mask
// depends on the number (runtime/unique/counted_limits.c). The first token of a string is not counted, so a string
// must be longer than what a token begins and the pattern then needs.
// Cost: linear in the terminals' expressions, and in the lexer's table.
#include "counted.h"

#include "../base/intern.h"
#include "../../formats/artifact.h"

struct found {
	terminal_id t;
	struct regex_counted how;
	uint32_t kind;
};

// May it have a bounded repetition? Saves reading most terminals twice.
static bool may_repeat(const struct term *t, uint32_t least_more)
{
	switch (t->kind) {
	case TERM_REPEAT: return t->hi != TERM_UNBOUNDED && t->hi - t->lo >= least_more;
	case TERM_STRING: return t->hi != TERM_UNBOUNDED && t->hi - t->lo >= least_more;
	case TERM_REGEX: return memchr(t->text, '{', t->text_len) != NULL;
	case TERM_SEQ:
		for (uint32_t i = 0; i < t->n_children; i++)
			if (may_repeat(t->children[i], least_more)) return true;
		return false;
	default: return false;
	}
}

static int by_most(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	if (x->how.most != y->how.most) return x->how.most < y->how.most ? -1 : 1;
	return (x->t > y->t) - (x->t < y->t);
}

uint32_t counted_after_literals(const struct grammar *g)
{
	uint32_t longest = 0;
	for (terminal_id t = 0; t < g->n_terminals; t++) {
		const struct term *x = g->terminals[t].pattern;
		if (x && x->kind == TERM_TEXT && x->text_len > longest) longest = x->text_len;
	}
	return longest + 1;
}

// Is each byte of a string a token, so that a text can end where numbers allow?
static bool bytes_are_tokens(const struct vocab *v)
{
	bool is_token[256] = {false}, all = v->max_token_len <= COUNTERS_MAX_TOKEN;
	for (uint32_t t = 0; t < v->n_tokens; t++)
		if (v->offset[t + 1] - v->offset[t] == 1) is_token[v->bytes[v->offset[t]]] = true;
	for (uint32_t b = 0x20; b < 0xF5; b++) all &= is_token[b] || b == 0xC0 || b == 0xC1;  // no UTF-8 has these
	return all;
}

// The bytes of a string that a token begins behind a quote, at most; its characters are not more. opens: may a string
// begin behind this byte? STRING_NEEDS: too many, or strings cannot share.
static uint32_t longest_begun(const struct vocab *v, const bool opens[256])
{
	uint32_t longest = 1, t = 0;  // 1: so is a character of which some bytes are read
	if (!bytes_are_tokens(v)) return STRING_NEEDS;
	const uint8_t *last = v->bytes + v->offset[v->n_tokens];
	for (const uint8_t *at = v->bytes; (at = memchr(at, '"', (size_t)(last - at))); at++) {
		while (v->offset[t + 1] <= (size_t)(at - v->bytes)) t++;
		const uint8_t *begin = v->bytes + v->offset[t], *stop = v->bytes + v->offset[t + 1], *end = at + 1;
		if (at > begin && !opens[at[-1]]) continue;
		while (end < stop && *end != '"' && *end >= 0x20) end++;
		const bool is_string = end == stop || *end == '"';
		if (is_string && end - at > longest + 1) longest = (uint32_t)(end - at - 1);
	}
	return longest < STRING_NEEDS ? longest : STRING_NEEDS;
}

// If it begins with a quote: then a string can begin wherever the grammar has one.
static uint32_t counted_begun(const struct vocab *v)
{
	static const bool none[256];
	return longest_begun(v, none);
}

bool counted_begin_short(const struct lexer *x, const struct vocab *v, const struct counted_plan *plan)
{
	const struct lexer_counters *k = &x->counters;
	if (!k->shares) return true;
	const uint32_t quote = x->class_of['"'];
	bits *begins = mem_calloc(BITS_WORDS(x->n_states), sizeof *begins), *behind = mem_calloc(4, sizeof *behind);
	bits *counted = mem_calloc(BITS_WORDS(x->n_states), sizeof *counted);
	bool opens[256];
	for (uint32_t i = 0; i < k->n_states; i++) bits_set(counted, k->state[i].state);
	for (lex_state s = 1; s < x->n_states; s++) {
		const uint32_t step = x->next[(size_t)s * x->n_classes + quote];
		if (step & LEX_CUT || (!bits_test(counted, s) && bits_test(counted, step & LEX_STATE_MASK)))
			bits_set(begins, s);
	}
	for (lex_state s = 1; s < x->n_states; s++)
		for (uint32_t c = 0; c < x->n_classes; c++)
			if (bits_test(begins, x->next[(size_t)s * x->n_classes + c] & LEX_STATE_MASK)) bits_set(behind, c);
	for (uint32_t b = 0; b < 256; b++) opens[b] = bits_test(behind, x->class_of[b]);
	free(begins), free(behind), free(counted);
	const uint32_t longest = longest_begun(v, opens);
	bool fit = longest < STRING_NEEDS;
	for (uint32_t i = 0; i < k->n && fit; i++) {
		const struct counted_plan *of = &plan[k->counter[i].terminal];
		fit = !of->is_shared || k->counter[i].more >= of->needs[longest];
	}
	return fit;
}

// Are there fewer states if all numbers share them?
static bool plan_shared(const struct terminal *t, const struct regex_counted *how, struct counted_room *at,
                        uint32_t most, struct counted_plan *plan)
{
	const uint64_t spelled = (uint64_t)how->n_shared * (how->most < most ? how->most : most);
	if (!how->n_shared || !at->shared || spelled <= at->shared_states) return false;
	const bool is_free = at->shared_states < COUNTED_SHARED || spelled > COUNTED_SHARED_FAR;
	if (!is_free && how->is_string && !regex_string_ends_early(t->pattern)) return false;
	if (!at->begun) at->begun = counted_begun(at->shared);
	if (at->begun == STRING_NEEDS || how->most < how->needs[at->begun]) return false;
	*plan = (struct counted_plan){.is_shared = true};
	memcpy(plan->needs, how->needs, sizeof plan->needs);
	return true;
}

// A string beside a pattern is counted by itself.
static bool plan_string(const struct terminal *t, const struct regex_counted *how, struct counted_room *at,
                        struct counted_plan *plan)
{
	const uint32_t place = how->least > at->first ? how->least : at->first, most = place + 1 + at->keep + how->reach;
	if (plan_shared(t, how, at, most, plan)) return true;
	if (how->most <= most + COUNTED_SPARE) return false;
	*plan = (struct counted_plan){.place = place, .most = most};
	return true;
}

// Branches: strings beside a pattern, strings that share states, and repetitions of the kind that is counted.
bool counted_plan(const struct grammar *g, struct regex_cache *cache, struct counted_room room,
                  struct counted_plan *plan)
{
	VEC(struct found) found = {0};
	struct arena arena = {0};
	struct intern kinds = {0};
	uint32_t kind = 0, longest = 0, place = room.first;
	const uint32_t shared_states = room.shared_states;
	bool any = false;
	for (terminal_id t = 0; t < g->n_terminals; t++) {
		struct found f = {.t = t};
		if (!g->terminals[t].pattern || !may_repeat(g->terminals[t].pattern, 2)) continue;
		if (!regex_find_counted(&g->terminals[t], cache, 2, &arena, &f.how)) continue;
		room.shared_states = room.spelled && bits_test(room.spelled, t) ? COUNTED_SHARED : shared_states;
		if (f.how.is_string) {
			any |= plan_string(&g->terminals[t], &f.how, &room, &plan[t]);
			continue;
		}
		if (plan_shared(&g->terminals[t], &f.how, &room, room.first + room.keep, &plan[t])) {
			any = true;
			continue;
		}
		f.kind = intern_add(&kinds, f.how.kind, f.how.n_kind * sizeof *f.how.kind, NULL);
		if (f.how.most - f.how.least > longest) longest = f.how.most - f.how.least, kind = f.kind;
		vec_push(&found, f);
	}
	for (uint32_t i = 0; i < found.n; i++)
		if (found.at[i].kind == kind && found.at[i].how.least > place) place = found.at[i].how.least;
	if (found.n) qsort(found.at, found.n, sizeof *found.at, by_most);
	uint32_t most = place + room.keep, before = 0;
	for (uint32_t i = 0; i < found.n; i++) {
		const struct found *f = &found.at[i];
		if (f->kind != kind) continue;
		if (f->how.most <= most + COUNTED_SPARE) {
			if (f->how.most + 2 > most) most = f->how.most + 2;
			continue;
		}
		most += f->how.most != before, before = f->how.most;
		plan[f->t] = (struct counted_plan){.place = place, .most = most};
		any = true;
	}
	vec_release(&found);
	intern_release(&kinds);
	arena_release(&arena);
	return any;
}

// Pairs of a state and the one that it is, one repetition less; by how many bytes they are behind a counted state.
struct pairs {
	uint32_t *less;  // [lex_state]; LEX_DEAD: not met
	VEC(lex_state) met;
	VEC(uint32_t) bytes;
};

static void meet(struct pairs *p, lex_state more, lex_state less, uint32_t bytes)
{
	if (more == LEX_DEAD || less == LEX_DEAD || more == less || p->less[more] != LEX_DEAD) return;
	p->less[more] = less;
	vec_push(&p->met, more);
	vec_push(&p->bytes, bytes);
}

// Counted states and those of the next repetition go first: they are no bytes behind.
static void meet_counted(struct pairs *p, const struct lexer *x, const struct lexer_counter *k, const bits *counted)
{
	uint32_t first = p->met.n;
	meet(p, k->to, k->from, 0);
	for (uint32_t i = first; i < p->met.n; i++)
		for (uint32_t c = 0; c < x->n_classes; c++) {
			lex_state more = p->met.at[i], less = p->less[more];
			lex_state to = x->next[(size_t)less * x->n_classes + c] & LEX_STATE_MASK;
			if (bits_test(counted, to)) meet(p, x->next[(size_t)more * x->n_classes + c] & LEX_STATE_MASK, to, 0);
		}
}

bool counted_prices_hold(const struct lexer *x, const uint32_t *row_of, uint32_t len)
{
	if (!row_of || !x->counters.n) return true;
	struct pairs p = {.less = mem_calloc(x->n_states, sizeof *p.less)};
	bits *counted = mem_calloc(BITS_WORDS(x->n_states), sizeof *counted);
	bool hold = true;
	for (uint32_t i = 0; i < x->counters.n_states; i++) bits_set(counted, x->counters.state[i].state);
	for (uint32_t k = 0; k < x->counters.n; k++) meet_counted(&p, x, &x->counters.counter[k], counted);
	for (uint32_t i = 0; i < p.met.n && hold; i++) {
		lex_state more = p.met.at[i], less = p.less[more];
		hold = row_of[more] == row_of[less];
		for (uint32_t c = 0; c < x->n_classes && p.bytes.at[i] < len; c++)
			meet(&p, x->next[(size_t)more * x->n_classes + c] & LEX_STATE_MASK,
			     x->next[(size_t)less * x->n_classes + c] & LEX_STATE_MASK, p.bytes.at[i] + 1);
	}
	free(p.less), free(counted);
	vec_release(&p.met), vec_release(&p.bytes);
	return hold;
}
