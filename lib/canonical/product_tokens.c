// Tokens of a state of the DFA, those that do the same to every place once.
//
// In:  the DFA, the tables. Out: for a state of the DFA the groups (where tokens lead, what they do to a place).
// What a token does to a place is decided by its class, its characters' groups, the characters at its edges for normal
// forms, beginnings of added tokens in it, and whether it stands in a split; a number for each such combination is its
// effect. Places that hold beginnings of added tokens look at bytes: there tokens that read on in them stand alone.
// Cost: the vocabulary's trie once for each state of the DFA.
#include "characters.h"
#include "product.h"
#include "../shared/search.h"

static void add_u32(uint8_t *key, uint32_t *n, uint32_t x)
{
	memcpy(key + *n, &x, sizeof x);
	*n += sizeof x;
}

static uint32_t character_size(uint8_t b) { return b < 0x80 ? 1 : b < 0xE0 ? 2 : b < 0xF0 ? 3 : 4; }

// Branches: a token's effect is one key made of its class, its added tokens, its characters and what is left of one.
void product_list_effects(struct product *p)
{
	const struct canonical *c = p->places.c;
	const struct vocab *v = p->places.v;
	struct intern effects = {0};
	uint8_t *in_split = mem_calloc(p->n_tokens + 1ull, 1), *key = mem_alloc(16ull * v->max_token_len + 64);
	for (uint32_t k = 1; k < c->info.n_splits; k++) in_split[c->splits[k].token] = 1;
	p->effect_of = arena_array(&p->arena, p->n_tokens, 4);
	for (uint32_t t = 0; t < p->n_tokens; t++) {
		const uint8_t *s = v->bytes + v->offset[t];
		uint32_t len = v->offset[t + 1] - v->offset[t], class = c->class_of[t], n = 0, i = 0;
		bool is_new, leads = true, is_plain = class >= CANON_CLASS_PLAIN;
		struct joining last = {0};
		add_u32(key, &n, class);
		add_u32(key, &n, c->place[t] == ARTIFACT_NONE);
		add_u32(key, &n, in_split[t] || class == CANON_CLASS_ADDED ? t : UINT32_MAX);
		struct piece_state place = {0};  // beginnings of added tokens in it
		for (uint32_t k = 0; k < len && is_plain; k++) {
			uint32_t left = 0;
			for (uint32_t m = 0; m < place.n_live; m++) {
				uint32_t x = c->added[place.live[m]].child;
				while (x && c->added[x].byte != s[k]) x = c->added[x].next;
				if (x) place.live[left++] = x;
			}
			if (p->places.root[s[k]] && left < PLACE_MAX_LIVE) place.live[left++] = p->places.root[s[k]];
			place.n_live = (uint8_t)left;
		}
		add_u32(key, &n, place.n_live);
		for (uint32_t m = 0; m < place.n_live; m++) add_u32(key, &n, place.live[m]);
		while (is_plain && i < len && character_size(s[i]) <= len - i) {
			uint32_t size = character_size(s[i]), x = size == 1 ? s[i] : s[i] & (0x7Fu >> size);
			for (uint32_t k = 1; k < size; k++) x = x << 6 | (s[i + k] & 63u);
			const struct artifact_canon_kind *k = character_kind(c, x);
			add_u32(key, &n, leads ? (uint32_t)(k - c->kinds) | 1u << 31 : k->group);
			leads &= k->combining != 0;
			if (!k->combining) last.left = k->left;
			last.combining = k->combining;
			i += size;
		}
		add_u32(key, &n, (uint32_t)last.left << 8 | last.combining);
		memcpy(key + n, s + i, len - i);  // what is left of a character; all of a token inside one
		n += len - i;
		p->effect_of[t] = intern_add(&effects, key, n, &is_new);
		if (is_new)
			vec_push(&p->effect_flags, (uint8_t)((class == CANON_CLASS_ADDED ? EFFECT_ADDED : 0) |
			                                     (c->place[t] == ARTIFACT_NONE ? EFFECT_NO_PLACE : 0)));
	}
	p->n_effects = effects.entries.n;
	intern_release(&effects);
	free(in_split), free(key);
}

// --- groups ------------------------------------------------------------------------------------------------------
struct reached {
	uint32_t effect, to, token;
};
typedef VEC(struct reached) reached_list;
static int by_group(const void *a, const void *b)
{
	const struct reached *x = a, *y = b;
	if (x->to != y->to) return x->to < y->to ? -1 : 1;
	if (x->effect != y->effect) return x->effect < y->effect ? -1 : 1;
	return (x->token > y->token) - (x->token < y->token);
}

// Tokens from a state of the DFA.
static void list_reached(const struct product *p, uint32_t lex_state, reached_list *all)
{
	const struct vocab *v = p->places.v;
	const struct trie *t = &v->trie;
	uint32_t *above = mem_alloc((v->max_token_len + 2ull) * sizeof *above);  // states of the DFA by depth
	trie_node *end = mem_alloc((v->max_token_len + 2ull) * sizeof *end);
	uint32_t depth = 0;
	above[0] = lex_state, end[0] = t->n_nodes;
	for (trie_node n = 1; n < t->n_nodes;) {
		while (n >= end[depth]) depth--;
		uint32_t to = p->dfa->next[above[depth] * 256ull + t->byte[n]];
		if (to == ARTIFACT_NONE) {
			n = t->end[n];
			continue;
		}
		for (uint32_t r = t->rank[n]; r < t->rank[n + 1]; r++) {
			uint32_t token = v->token_of[r];
			if (p->places.c->class_of[token] != CANON_CLASS_NEVER)
				vec_push(all, ((struct reached){p->effect_of[token], to, token}));
		}
		above[++depth] = to, end[depth] = t->end[n];
		n++;
	}
	free(above), free(end);
}

// Adds the groups of a sorted list.
static void add_groups(struct product *p, const struct reached *x, uint32_t n, bool alone)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!i || alone || x[i].to != x[i - 1].to || x[i].effect != x[i - 1].effect)
			vec_push(&p->groups, ((struct product_group){x[i].effect, x[i].to, p->tokens.n, 0}));
		p->groups.at[p->groups.n - 1].n++;
		vec_push(&p->tokens, x[i].token);
	}
	p->bytes += n * 4ull;
}

// Tokens that read on in beginnings of added tokens, to their own end or beyond that of an added one.
struct added_reading {
	trie_node word;
	uint32_t added, lex_state;
	bool is_done;
};
static void list_reading(const struct product *p, uint32_t lex_state, const struct piece_state *place,
                         reached_list *all)
{
	const struct vocab *v = p->places.v;
	const struct trie *t = &v->trie;
	const struct artifact_canon_node *added = p->places.c->added;
	VEC(struct added_reading) todo = {0};
	for (uint32_t k = 0; k < place->n_live; k++)
		vec_push(&todo, ((struct added_reading){0, place->live[k], lex_state, false}));
	while (todo.n) {
		struct added_reading x = vec_pop(&todo);
		for (trie_node w = x.word + 1; w < t->end[x.word]; w = t->end[w]) {
			uint32_t to = p->dfa->next[x.lex_state * 256ull + t->byte[w]],
					 child = x.is_done ? x.added : added[x.added].child;
			while (!x.is_done && child && added[child].byte != t->byte[w]) child = added[child].next;
			if (!child || to == ARTIFACT_NONE) continue;
			for (uint32_t r = t->rank[w]; r < t->rank[w + 1]; r++) {
				uint32_t token = v->token_of[r];
				if (p->places.c->class_of[token] != CANON_CLASS_NEVER)
					vec_push(all, ((struct reached){p->effect_of[token], to, token}));
			}
			vec_push(&todo, ((struct added_reading){w, child, to, x.is_done || added[child].ends}));
		}
	}
	vec_release(&todo);
}

static int by_token(const void *a, const void *b)
{
	const struct reached *x = a, *y = b;
	return (x->token > y->token) - (x->token < y->token);
}

uint32_t product_row_of(struct product *p, uint32_t lex_state, const struct piece_state *place)
{
	reached_list all = {0};
	bool is_new;
	uint32_t key[1 + PLACE_MAX_LIVE] = {lex_state};
	memcpy(key + 1, place->live, sizeof place->live);
	uint32_t id = intern_add(&p->row_ids, key, (1u + place->n_live) * sizeof *key, &is_new);
	if (!is_new) return p->row_number.at[id];
	struct product_row r = {0};
	if (place->n_live) {  // the groups of others, but for the tokens that read on
		uint32_t others = product_row_of(p, lex_state, &(struct piece_state){0});  // rows may move
		r = p->rows.at[others];
		list_reading(p, lex_state, place, &all);
		if (all.n) qsort(all.at, all.n, sizeof *all.at, by_token);
		uint32_t n = 0;
		for (uint32_t i = 0; i < all.n; i++)
			if (!i || all.at[i].token != all.at[n - 1].token) all.at[n++] = all.at[i];
		r.first_single = p->groups.n, r.n_singles = n;
		add_groups(p, all.at, n, true);
	} else {
		list_reached(p, lex_state, &all);
		if (all.n) qsort(all.at, all.n, sizeof *all.at, by_group);
		r.first_group = p->groups.n;
		add_groups(p, all.at, all.n, false);
		r.n_groups = p->groups.n - r.first_group;
	}
	while (p->row_number.n <= id) vec_push(&p->row_number, 0);
	p->row_number.at[id] = p->rows.n;
	vec_push(&p->rows, r);
	p->bytes += (r.n_groups + r.n_singles) * sizeof(struct product_group);
	vec_release(&all);
	return p->rows.n - 1;
}

bool row_reads_on(const struct product *p, const struct product_row *r, uint32_t token)
{
	const struct product_group *single = &p->groups.at[r->first_single];
	uint32_t i;
	LOWER_BOUND(i, 0, r->n_singles, p->tokens.at[single[i].first] < token);
	return i < r->n_singles && p->tokens.at[single[i].first] == token;
}

// --- what cannot matter --------------------------------------------------------------------------------------------
// Reads a character; the states behind its bytes.
static bool reads(const struct product *p, uint32_t lex_state, uint32_t c, uint32_t states[4], uint32_t *n)
{
	uint8_t b[4];
	*n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	for (uint32_t i = *n; i-- > 1; c >>= 6) b[i] = (uint8_t)(0x80 | (c & 63));
	b[0] = (uint8_t)(*n == 1 ? c : (0xF00u >> *n & 0xFFu) | c);
	for (uint32_t i = 0; i < *n; i++) {
		lex_state = p->dfa->next[lex_state * 256ull + b[i]];
		if (lex_state == ARTIFACT_NONE) return false;
		states[i] = lex_state;
	}
	return true;
}

enum marked { UNMARKED, MARKED, UNKNOWN };
struct marking {
	const struct product *p;
	uint8_t *inside;  // [n_states] so many bytes are missing of a character
	uint8_t *marked;  // [n_states] a mark can come from here, or this can be inside of one
	uint8_t *leads;   // [n_states] such a state is reached by the rest of the character, or from a border within one
};

static void enter(const struct marking *m, uint32_t s, uint8_t missing)
{
	if (s == ARTIFACT_NONE || m->inside[s]) return;
	m->inside[s] = missing;
	for (uint32_t b = 0x80; b < 0xC0 && missing > 1; b++)
		enter(m, m->p->dfa->next[s * 256ull + b], (uint8_t)(missing - 1));
}

static bool leads_to_mark(const struct marking *m, uint32_t s)
{
	if (m->leads[s] != UNKNOWN) return m->leads[s];
	uint32_t from = m->inside[s] ? 0x80 : 0xC2, to = m->inside[s] ? 0xC0 : 0xF5;
	m->leads[s] = m->marked[s];
	for (uint32_t b = from; b < to && m->inside[s] != 1 && !m->leads[s]; b++) {
		uint32_t next = m->p->dfa->next[s * 256ull + b];
		if (next != ARTIFACT_NONE && leads_to_mark(m, next)) m->leads[s] = MARKED;
	}
	return m->leads[s];
}

// What is before a mark must not be forgotten, nor inside a character from where others see a mark: whoever comes there
// must have done the same, since a matcher knows the state only.
void product_list_no_marks(struct product *p)
{
	const struct canonical *c = p->places.c;
	uint32_t n = p->dfa->n_states;
	struct marking m = {p, mem_calloc(n, 1), mem_calloc(n, 1), mem_alloc(n)};
	memset(m.leads, UNKNOWN, n);
	for (uint32_t q = 0; q < n; q++)
		for (uint32_t b = 0xC2; b < 0xF5; b++)
			enter(&m, p->dfa->next[q * 256ull + b], (uint8_t)(character_size((uint8_t)b) - 1));
	for (uint32_t x = 0; x < 0x110000 && c->info.flags & CANON_FORM; x++) {
		const struct artifact_canon_kind *k = character_kind(c, x);
		if (!k->right && !k->combining) continue;
		for (uint32_t q = 0; q < n; q++) {
			uint32_t states[4], size;
			if (m.inside[q] || !reads(p, q, x, states, &size)) continue;
			m.marked[q] = MARKED;
			for (uint32_t i = 0; i + 1 < size; i++) m.marked[states[i]] = MARKED;
		}
	}
	p->no_mark = arena_array(&p->arena, n, 1);
	for (uint32_t q = 0; q < n; q++) p->no_mark[q] = !leads_to_mark(&m, q);
	free(m.inside), free(m.marked), free(m.leads);
}

void product_forget(struct product *p, uint32_t lex_state, struct piece_state *place)
{
	if (p->no_mark[lex_state]) place->left = 0, place->combining = 0;
	product_represent(p, place);
	place_normalise(place);
}
