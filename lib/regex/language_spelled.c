// How the texts of a language are spelled as JSON strings; see regex.h.
//
// In:   a language, and which escapes are allowed.
// Out:  the language of its strings, with quotes.
// How:  each state between code points gets a backslash beside its bytes. Behind it stands a letter, or "u" and a trie
//       of the hexadecimal digits of UTF-16 units. Tries that lead to the same states are one.
// Cost: for each state the code points that lead on, as ranges; 1,024 high surrogates at most.
#include "language_internal.h"

struct spelling {
	struct languages *s;
	struct automaton_draft m;
	struct term_automaton a;
	struct intern tries;  // (level, leads) -> state
	VEC(uint32_t) trie_state;
	struct intern wide;  // edges of bytes beyond ASCII -> what "\\u" leads to by them; most states share them
	VEC(leads) wide_units;
	enum escapes escapes;
	VEC(uint32_t) key;     // scratch
	leads part[5], moved;  // scratch; part: of a trie of so many digits
};

// Sorted edges of a state that is made at once.
struct edge_list {
	struct byte_edge at[64];
	uint32_t n;
};

static void put_edge(struct edge_list *l, uint32_t byte, uint32_t to)
{
	uint32_t i = l->n++;
	ASSERT(l->n <= 64);
	for (; i && l->at[i - 1].lo > byte; i--) l->at[i] = l->at[i - 1];
	l->at[i] = (struct byte_edge){to, (uint8_t)byte, (uint8_t)byte};
}

static void set_edges(struct spelling *x, uint32_t q, const struct edge_list *l)
{
	uint32_t first = x->m.edges.n;
	for (uint32_t i = 0; i < l->n; i++) making_add_edge(&x->m, first, l->at[i].to, l->at[i].lo, l->at[i].hi);
	making_set_edges(&x->m, q, first);
}

// The state before `digits` hexadecimal digits whose values are in leads.
static uint32_t hex_trie(struct spelling *x, uint32_t digits, const leads *l)
{
	bool is_new;
	vec_clear(&x->key);
	vec_push(&x->key, digits);
	for (uint32_t i = 0; i < l->n; i++)
		vec_push(&x->key, l->at[i].lo), vec_push(&x->key, l->at[i].hi), vec_push(&x->key, l->at[i].to);
	uint32_t id = intern_add(&x->tries, x->key.at, x->key.n * sizeof *x->key.at, &is_new);
	if (!is_new) return x->trie_state.at[id];
	uint32_t q = making_add_state(&x->m, FOLLOW_NEVER), block = 1u << 4 * (digits - 1);
	vec_push(&x->trie_state, q);
	struct edge_list edges = {.n = 0};
	for (uint32_t d = 0; d < 16; d++) {
		leads *part = &x->part[digits];
		vec_clear(part);
		for (uint32_t i = 0; i < l->n; i++) {
			uint32_t lo = l->at[i].lo, hi = l->at[i].hi;
			if (hi < d * block || lo >= (d + 1) * block) continue;
			lo = lo < d * block ? 0 : lo - d * block;
			hi = hi >= (d + 1) * block ? block - 1 : hi - d * block;
			leads_add(part, lo, hi, l->at[i].to);
		}
		if (part->n) {
			uint32_t to = digits == 1 ? part->at[0].to : hex_trie(x, digits - 1, part);
			put_edge(&edges, d < 10 ? '0' + d : 'a' + d - 10, to);
			if (d >= 10 && x->escapes == ESCAPES_ALL) put_edge(&edges, 'A' + d - 10, to);
		}
	}
	set_edges(x, q, &edges);
	return q;
}

// The state from which "\uDC00" .. lead on, as in leads of the low half.
static uint32_t low_half(struct spelling *x, const leads *l)
{
	vec_clear(&x->moved);
	for (uint32_t i = 0; i < l->n; i++) leads_add(&x->moved, l->at[i].lo + 0xDC00, l->at[i].hi + 0xDC00, l->at[i].to);
	uint32_t digits = hex_trie(x, 4, &x->moved);
	uint32_t key[2] = {UINT32_MAX, digits};
	bool is_new;
	uint32_t id = intern_add(&x->tries, key, sizeof key, &is_new);
	if (!is_new) return x->trie_state.at[id];
	uint32_t u = making_add_state(&x->m, FOLLOW_NEVER), q = making_add_state(&x->m, FOLLOW_NEVER);
	struct edge_list one = {.n = 0}, two = {.n = 0};
	put_edge(&one, 'u', digits), put_edge(&two, '\\', u);
	set_edges(x, u, &one), set_edges(x, q, &two);
	vec_push(&x->trie_state, q);
	return q;
}

// Values of four digits after "\u" beyond ASCII, of state q.
// Branches: UTF-16 in three ranges: below the surrogates, pairs of them by their high half, and above.
static const leads *wide_units(struct spelling *x, uint32_t q)
{
	VEC(uint32_t) key = {0};
	for (uint32_t e = term_automaton_first(&x->a, q); e < term_automaton_first(&x->a, q + 1); e++)
		if (term_automaton_lo(&x->a, e) >= 0x80) vec_push(&key, x->a.edge[2 * e]), vec_push(&key, x->a.edge[2 * e + 1]);
	bool is_new;
	uint32_t id = intern_add(&x->wide, key.n ? key.at : (uint32_t[]){0}, key.n * sizeof *key.at, &is_new);
	vec_release(&key);
	if (!is_new) return &x->wide_units.at[id];
	leads all = {0}, high = {0}, part = {0}, units = {0};
	leads_wide(&x->a, q, &all);
	// Those beyond two bytes, by their high half.
	uint32_t from_lead = 0;
	while (from_lead < all.n && all.at[from_lead].hi < 0x10000) from_lead++;
	for (uint32_t h = 0; h < 0x400 && from_lead < all.n; h++) {
		uint32_t from = 0x10000 + (h << 10), to = from + 0x3FF;
		vec_clear(&part);
		while (from_lead < all.n && all.at[from_lead].hi < from) from_lead++;
		for (uint32_t i = from_lead; i < all.n && all.at[i].lo <= to; i++) {
			struct lead l = all.at[i];
			leads_add(&part, l.lo < from ? 0 : l.lo - from, l.hi > to ? 0x3FF : l.hi - from, l.to);
		}
		if (part.n) leads_add(&high, 0xD800 + h, 0xD800 + h, low_half(x, &part));
	}
	// Surrogates lie between the others.
	for (uint32_t i = 0; i < all.n && all.at[i].lo < 0xD800; i++)
		leads_add(&units, all.at[i].lo, all.at[i].hi, all.at[i].to);
	for (uint32_t k = 0; k < high.n; k++) leads_add(&units, high.at[k].lo, high.at[k].hi, high.at[k].to);
	for (uint32_t i = 0; i < all.n && all.at[i].lo < 0x10000; i++)
		if (all.at[i].lo > 0xD800)
			leads_add(&units, all.at[i].lo, all.at[i].hi > 0xFFFF ? 0xFFFF : all.at[i].hi, all.at[i].to);
	vec_release(&all), vec_release(&high), vec_release(&part);
	vec_push(&x->wide_units, units);
	return &x->wide_units.at[id];
}

static void add_unit_leads(struct spelling *x, const leads *ascii, const leads *wide, leads *units)
{
	static const char shorts[] = "\b\t\n\f\r\"\\";
	for (uint32_t i = 0; i < ascii->n; i++) {
		struct lead l = ascii->at[i];
		for (uint32_t c = l.lo; c <= l.hi; c++)
			if (x->escapes == ESCAPES_ALL || ((c < 0x20 || c == 0x7F) && !(c && strchr(shorts, (int)c))))
				leads_add(units, c, c, l.to);
	}
	for (uint32_t i = 0; i < wide->n; i++) leads_add(units, wide->at[i].lo, wide->at[i].hi, wide->at[i].to);
}

// The state behind a backslash; UINT32_MAX: nothing is written so.
static uint32_t backslash(struct spelling *x, const leads *all, const leads *wide)
{
	static const char letters[] = "btnfr\"\\/";
	static const uint8_t means[] = {8, 9, 10, 12, 13, '"', '\\', '/'};
	leads units = {0};
	struct edge_list edges = {.n = 0};
	add_unit_leads(x, all, wide, &units);
	for (uint32_t i = 0; i < all->n; i++)
		for (uint32_t k = 0; k < (x->escapes == ESCAPES_ALL ? 8u : 7u); k++)
			if (all->at[i].lo <= means[k] && means[k] <= all->at[i].hi)
				put_edge(&edges, (uint8_t)letters[k], all->at[i].to);
	if (units.n) put_edge(&edges, 'u', hex_trie(x, 4, &units));
	vec_release(&units);
	if (!edges.n) return UINT32_MAX;
	uint32_t q = making_add_state(&x->m, FOLLOW_NEVER);
	set_edges(x, q, &edges);
	return q;
}

// Bytes of whole code points as they are, but for what must be escaped; a way out at the closing quote.
// Branches: quote and backslash are cut out of each edge and set in where they belong, and controls are left out.
static void spell_boundary(struct spelling *x, uint32_t q, uint32_t last, leads *scratch)
{
	leads_ascii(&x->a, q, scratch);
	uint32_t escape = backslash(x, scratch, wide_units(x, q)), first = x->m.edges.n;
	bool ends = term_automaton_accepts(&x->a, q), is_quoted = !ends, is_escaped = escape == UINT32_MAX;
	for (uint32_t e = term_automaton_first(&x->a, q);; e++) {
		bool more = e < term_automaton_first(&x->a, q + 1);
		uint32_t lo = more ? term_automaton_lo(&x->a, e) : 256, hi = more ? term_automaton_hi(&x->a, e) : 256;
		uint32_t to = more ? term_automaton_to(&x->a, e) + 1 : 0;
		while (lo <= hi) {
			if (!is_quoted && lo >= '"') making_add_edge(&x->m, first, last, '"', '"'), is_quoted = true;
			if (!is_escaped && lo >= '\\') making_add_edge(&x->m, first, escape, '\\', '\\'), is_escaped = true;
			if (!more) break;
			uint32_t end = hi;
			if (lo < 0x20) {
				lo = 0x20;
				continue;
			}
			if (lo == '"' || lo == '\\') {
				lo++;
				continue;
			}
			if (lo < '"' && end >= '"') end = '"' - 1;
			if (lo < '\\' && end >= '\\') end = '\\' - 1;
			making_add_edge(&x->m, first, to, lo, end);
			lo = end + 1;
		}
		if (!more) break;
	}
	making_set_edges(&x->m, q + 1, first);
}

// State 0 is before the first quote; state q of a is q + 1; then the one behind the last quote.
language language_spelled(struct languages *s, language l, enum escapes escapes)
{
	uint64_t key = (uint64_t)OP_SPELLED << 60 | (uint64_t)l << 30 | escapes, known = map64_get(&s->memo, key);
	if (known != MAP64_NONE) return (language)known;
	struct spelling x = {.s = s, .a = language_view(s, l), .escapes = escapes};
	uint32_t n = x.a.n_states;
	if (!n) return LANGUAGE_NOTHING;
	for (uint32_t q = 0; q < n + 1; q++) making_add_state(&x.m, FOLLOW_NEVER);
	uint32_t last = making_add_state(&x.m, FOLLOW_ANY);
	uint8_t *more = mem_calloc(n, 1);  // bytes that are missing of a code point
	uint8_t *seen = mem_calloc(n, 1);
	VEC(uint32_t) queue = {0};
	vec_push(&queue, 0);
	seen[0] = 1;
	leads scratch = {0};
	for (uint32_t i = 0; i < queue.n; i++) {
		uint32_t q = queue.at[i], first_edge = term_automaton_first(&x.a, q), end = term_automaton_first(&x.a, q + 1);
		for (uint32_t e = first_edge; e < end; e++) {
			uint32_t to = term_automaton_to(&x.a, e), b = term_automaton_lo(&x.a, e);
			if (seen[to]) continue;
			seen[to] = 1;
			more[to] = more[q] ? more[q] - 1 : b < 0x80 ? 0 : b < 0xE0 ? 1 : b < 0xF0 ? 2 : 3;
			vec_push(&queue, to);
		}
		if (!more[q]) {
			spell_boundary(&x, q, last, &scratch);
			continue;
		}
		uint32_t first = x.m.edges.n;
		for (uint32_t e = first_edge; e < end; e++)
			making_add_edge(&x.m, first, term_automaton_to(&x.a, e) + 1, term_automaton_lo(&x.a, e),
			                term_automaton_hi(&x.a, e));
		making_set_edges(&x.m, q + 1, first);
	}
	uint32_t first = x.m.edges.n;
	making_add_edge(&x.m, first, 1, '"', '"');
	x.m.edges_of.at[0] = (struct re_span){first, 1};
	free(more), free(seen);
	vec_release(&queue), vec_release(&scratch), vec_release(&x.trie_state);
	intern_release(&x.tries), intern_release(&x.wide);
	for (uint32_t i = 0; i < x.wide_units.n; i++) vec_release(&x.wide_units.at[i]);
	vec_release(&x.wide_units), vec_release(&x.key), vec_release(&x.moved);
	for (uint32_t digits = 0; digits < sizeof x.part / sizeof *x.part; digits++) vec_release(&x.part[digits]);
	language out = making_finish(s, &x.m);
	map64_put(&s->memo, key, out);
	return out;
}
