// Lists of alternatives and their products.
//
// In and out: strings of symbols. Lists hold each string once, in order of first appearance: short ones are
// searched, long ones hashed. Products keep their factors and are written out at the end, so that a long
// sequence of single symbols costs its length once. Everything written is counted against a budget.
#include "lark_alternatives.h"

uint32_t *string_room(struct arena *a, struct budget *b, uint32_t n)
{
	uint64_t symbols = (uint64_t)b->symbols + n + 1;
	if (symbols > EXPAND_MAX_SYMBOLS) b->is_exceeded = true;
	if (b->is_exceeded) return NULL;
	b->symbols = (uint32_t)symbols;
	return arena_array(a, n ? n : 1, sizeof(uint32_t));
}

struct string string_join(struct arena *a, struct budget *b, struct string first, struct string second)
{
	uint32_t *to = string_room(a, b, first.n + second.n);
	if (!to) return (struct string){0};
	if (first.n) memcpy(to, first.at, first.n * sizeof *to);
	if (second.n) memcpy(to + first.n, second.at, second.n * sizeof *to);
	return (struct string){to, first.n + second.n};
}

#define SEARCHED 16u  // lists up to here are searched

static bool equal(struct string a, struct string b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.at, b.at, a.n * sizeof *a.at) == 0);
}

void alternatives_add(struct alternatives *a, struct string s)
{
	if (a->list.n < SEARCHED) {
		for (uint32_t i = 0; i < a->list.n; i++)
			if (equal(a->list.at[i], s)) return;
	} else {
		for (; a->n_known < a->list.n; a->n_known++)
			intern_add(&a->known, a->list.at[a->n_known].at, a->list.at[a->n_known].n * sizeof(uint32_t), NULL);
		bool is_new;
		intern_add(&a->known, s.at, s.n * sizeof(uint32_t), &is_new);
		if (!is_new) return;
		a->n_known++;
	}
	vec_push(&a->list, s);
}

void alternatives_add_all(struct alternatives *a, const struct alternatives *from)
{
	for (uint32_t i = 0; i < from->list.n; i++) alternatives_add(a, from->list.at[i]);
}

bool alternatives_remove_empty(struct alternatives *a)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < a->list.n; i++)
		if (a->list.at[i].n) a->list.at[kept++] = a->list.at[i];
	bool removed = kept < a->list.n;
	a->list.n = kept;
	if (removed) intern_release(&a->known), a->n_known = 0;
	return removed;
}

void alternatives_bytes(const struct alternatives *a, uint8_t tag, byte_vec *out)
{
	vec_push(out, tag);
	for (uint32_t i = 0; i < a->list.n; i++) {
		struct string s = a->list.at[i];
		vec_reserve(out, (uint64_t)out->n + 4 + (uint64_t)s.n * 4);
		memcpy(out->at + out->n, &s.n, 4);
		if (s.n) memcpy(out->at + out->n + 4, s.at, (size_t)s.n * 4);
		out->n += 4 + s.n * 4;
	}
}

void alternatives_clear(struct alternatives *a)
{
	vec_clear(&a->list);
	intern_release(&a->known);
	a->n_known = 0;
}

void alternatives_release(struct alternatives *a)
{
	vec_release(&a->list);
	intern_release(&a->known);
	a->n_known = 0;
}

static void factor_append(struct factor *f, struct string s)
{
	vec_reserve(&f->symbols, (uint64_t)f->symbols.n + s.n);
	if (s.n) memcpy(f->symbols.at + f->symbols.n, s.at, s.n * sizeof *s.at);
	f->symbols.n += s.n;
}

void product_add(struct factor_product *p, const struct alternatives *a)
{
	if (p->total == 0) p->total = 1;
	p->total *= a->list.n ? a->list.n : 1;
	if (a->list.n == 1 && p->factors.n && p->factors.at[p->factors.n - 1].ends.n == 1) {
		struct factor *last = &p->factors.at[p->factors.n - 1];
		factor_append(last, a->list.at[0]);
		last->ends.at[0] = last->symbols.n;
		return;
	}
	struct factor f = {0};
	for (uint32_t i = 0; i < a->list.n; i++) {
		factor_append(&f, a->list.at[i]);
		vec_push(&f.ends, f.symbols.n);
	}
	if (a->list.n) vec_push(&p->factors, f);
}

static struct string factor_string(const struct factor *f, uint32_t i)
{
	uint32_t begin = i ? f->ends.at[i - 1] : 0;
	return (struct string){f->symbols.at + begin, f->ends.at[i] - begin};
}

void product_write(const struct factor_product *p, struct arena *a, struct budget *b, struct alternatives *out)
{
	VEC(uint32_t) digit = {0};
	for (uint32_t i = 0; i < p->factors.n; i++) vec_push(&digit, 0);
	for (;;) {
		uint32_t len = 0;
		for (uint32_t i = 0; i < p->factors.n; i++) len += factor_string(&p->factors.at[i], digit.at[i]).n;
		uint32_t *to = string_room(a, b, len);
		if (!to) break;
		struct string s = {to, len};
		for (uint32_t i = 0; i < p->factors.n; i++) {
			struct string part = factor_string(&p->factors.at[i], digit.at[i]);
			if (part.n) memcpy(to, part.at, part.n * sizeof *to);
			to += part.n;
		}
		alternatives_add(out, s);
		uint32_t i = p->factors.n;
		while (i > 0 && digit.at[i - 1] + 1 == p->factors.at[i - 1].ends.n) digit.at[--i] = 0;
		if (i == 0) break;
		digit.at[i - 1]++;
	}
	vec_release(&digit);
}

void product_release(struct factor_product *p)
{
	for (uint32_t i = 0; i < p->factors.n; i++) {
		vec_release(&p->factors.at[i].symbols);
		vec_release(&p->factors.at[i].ends);
	}
	vec_release(&p->factors);
}
