// Which characters surely go on canonically behind a token.
//
// In:  the canonical tables, the vocabulary. Out: struct token_leads.
// A text goes on canonically with any character before which the tokenizer surely cuts, and with any that is in order
// cut or not and that no merge joins to the token (how_canonical_works.md, hard masks). Which these are depends on the
// token by the sets of states behind it, one for each set before it; by what its right parts join; and by beginnings of
// added tokens in its text. Tokens that agree in all three are one class. More ways to have cut can only help, so it
// is taken as the first of a piece where it may be that. Beyond ASCII all characters with the same first byte must be
// such: texts that cannot go on so are for the runtime. Where it is in order for a text to end, that leads on, too.
// Cost: sets x different spellings, and the merges of each token; some 30 ms for Llama-3.
#include "../base/intern.h"
#include "../base/sort.h"
#include "../shared/search.h"
#include "characters.h"

#define NONE UINT32_MAX

struct live_builder {
	struct token_leads *x;
	struct intern ways, lists, spellings, classes;
	VEC(uint32_t) list;                                    // ascending ways
	VEC(struct artifact_canon_list) of_list, of_spelling;  // of x->way_list
	VEC(uint32_t) key;
	bool only_restartable;
};

static void set_char(uint64_t chars[LIVE_WORDS], uint32_t c) { chars[c / 64] |= 1ull << c % 64; }

static uint32_t step(const struct canonical *c, uint32_t set, uint32_t group, uint32_t how)
{
	return c->steps[(set * c->info.n_groups + group) * CANON_STEPS + how];
}

// The groups of all characters of two or three bytes that a byte begins. None: one of them is a mark, or none of the
// tokenizer's, or they are many.
#define LEAD_GROUPS 16u
struct live_lead {
	uint32_t n;
	uint16_t group[LEAD_GROUPS];
};

static struct live_lead lead_of(const struct canonical *c, uint32_t byte)
{
	const uint32_t shift = byte < 0xE0 ? 6 : 12, first = byte & (byte < 0xE0 ? 31u : 15u);
	struct live_lead l = {0};
	for (uint32_t ch = first << shift > 0x800 || shift == 6 ? first << shift : 0x800; ch < (first + 1) << shift; ch++) {
		const struct artifact_canon_kind *k = character_kind(c, ch);
		uint32_t i = 0;
		while (i < l.n && l.group[i] != k->group) i++;
		if (k->flags || k->right || k->combining || i == LEAD_GROUPS) return (struct live_lead){0};
		if (i == l.n) l.group[l.n++] = k->group;
	}
	return l;
}

static bool is_sure(const struct canonical *c, uint32_t set, uint32_t group, uint32_t how)
{
	return c->sets[step(c, set, group, how)] & CANON_SET_SURE;
}

// The bytes of which that can be said of all characters: cut here or not (either), or cut here (sure).
static void leads_behind(const struct canonical *c, const struct live_lead *leads, uint32_t set, struct live_chars *x)
{
	for (uint32_t byte = 0xC2; byte < 0xF0; byte++) {
		const struct live_lead *l = &leads[byte];
		bool sure = l->n, either = l->n;
		for (uint32_t i = 0; i < l->n; i++) {
			const bool begins = is_sure(c, set, l->group[i], CANON_STEP_BEGIN);
			sure = sure && begins, either = either && (begins || is_sure(c, set, l->group[i], CANON_STEP_EITHER));
		}
		if (sure) set_char(x->sure, byte);
		if (either) set_char(x->either, byte);
	}
}

// The characters that are in order behind what is `how` to have been cut, whatever follows them; first: no mark may be
// among them.
static void chars_behind(const struct canonical *c, uint32_t set, uint32_t how, bool first, uint64_t chars[LIVE_WORDS])
{
	for (uint32_t ch = 0; ch < 128; ch++) {
		const struct artifact_canon_kind *k = character_kind(c, ch);
		if (k->flags || (first && (k->right || k->combining))) continue;
		if (is_sure(c, set, k->group, how)) set_char(chars, ch);
	}
}

static struct live_way way_behind(const struct canonical *c, uint32_t set)
{
	struct live_way w = {0};
	const struct artifact_canon_kind *blank = character_kind(c, ' ');
	chars_behind(c, set, CANON_STEP_BEGIN, true, w.one.sure);
	chars_behind(c, set, CANON_STEP_EITHER, true, w.one.either);
	if (blank->flags || blank->right || blank->combining) return w;
	chars_behind(c, step(c, set, blank->group, CANON_STEP_BEGIN), CANON_STEP_EITHER, false, w.blank.sure);
	chars_behind(c, step(c, set, blank->group, CANON_STEP_EITHER), CANON_STEP_EITHER, false, w.blank.either);
	return w;
}

// The same with what is not ASCII, and the end of the text.
static struct live_way whole_way_behind(const struct canonical *c, const struct live_lead *leads, uint32_t set)
{
	struct live_way w = way_behind(c, set);
	leads_behind(c, leads, set, &w.one);
	if (c->sets[set] & CANON_SET_ENDS) set_char(w.one.sure, LIVE_END);
	return w;
}

static bool is_restartable(const struct live_way *w)
{
	return (w->one.sure['a' / 64] | w->blank.sure['a' / 64]) >> 'a' % 64 & 1;
}

bool live_restartable(const struct canonical *c, uint32_t set)
{
	struct live_way w = way_behind(c, set);
	return is_restartable(&w);
}

// Characters of a token; *begun: bytes of one at its end. False: it begins inside one.
static bool groups_of(const struct canonical *c, const uint8_t *s, uint32_t len, uint16_t *group, uint32_t *n,
                      uint32_t *begun)
{
	*n = *begun = 0;
	for (uint32_t i = 0, size; i < len; i += size) {
		size = s[i] < 0x80 ? 1 : s[i] < 0xC2 ? 0 : s[i] < 0xE0 ? 2 : s[i] < 0xF0 ? 3 : 4;
		if (!size) return false;
		if (size > len - i) {
			*begun = len - i;
			return true;
		}
		uint32_t ch = size == 1 ? s[i] : s[i] & (0x7Fu >> size);
		for (uint32_t k = 1; k < size; k++) ch = ch << 6 | (s[i + k] & 63u);
		if (ch >= 0x110000) return false;
		group[(*n)++] = character_kind(c, ch)->group;
	}
	return true;
}

// Bytes of a character, by its first one that is not ASCII.
static uint32_t size_of(uint8_t first) { return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4; }

static bool begins_split(const struct canonical *c, uint32_t token, bool *ends)
{
	*ends = false;
	for (uint32_t k = c->splits[0].child; k < c->splits[0].child + c->splits[0].n; k++)
		if (c->splits[k].token == token) return *ends = c->splits[k].ends, true;
	return false;
}

// The sets behind a spelling, each once: in all sets in which a token of its class may come.
static void sets_behind(const struct live_builder *b, uint32_t token, const uint16_t *group, uint32_t n,
                        struct live_set *out, uint32_t *n_out)
{
	const struct canonical *c = b->x->c;
	const uint32_t class = c->class_of[token];
	const bool only_first = c->place[token] == NONE;
	*n_out = 0;
	for (uint32_t s = 1; s < c->info.n_sets; s++) {
		if (b->only_restartable && !is_restartable(&b->x->behind[s])) continue;
		uint8_t allow = c->allow[(size_t)s * c->info.n_classes + class];
		if (!allow || (only_first && !(allow & CANON_BEGINS))) continue;
		struct live_set at = {(uint16_t)s, allow & CANON_BEGINS ? CANON_STEP_BEGIN : CANON_STEP_ON};
		for (uint32_t i = 0; i < n; i++) at.set = (uint16_t)step(c, at.set, group[i], at.how), at.how = CANON_STEP_ON;
		bool is_new = at.set;
		for (uint32_t k = 0; k < *n_out && is_new; k++) is_new = out[k].set != at.set || out[k].how != at.how;
		if (is_new) out[(*n_out)++] = at;
	}
}

static void find_blocked(const struct token_leads *x, uint32_t token, uint64_t blocked[LIVE_WORDS])
{
	const struct canonical *c = x->c;
	if (c->place[token] == NONE) {
		memset(blocked, 0xff, LIVE_WORDS * sizeof *blocked);
		return;
	}
	for (uint32_t p = token; p != NONE; p = c->parts[p].right) {
		struct live_joined *own = &x->joined[p];
		for (uint32_t k = c->first[p]; k < c->first[p + 1] && !own->is_known; k++) {
			uint32_t y = c->at[c->joins[k].begin];
			if (x->v->offset[y] < x->v->offset[y + 1]) set_char(own->chars, x->v->bytes[x->v->offset[y]]);
		}
		own->is_known = true;
		for (uint32_t i = 0; i < LIVE_WORDS; i++) blocked[i] |= own->chars[i];
	}
}

// Beginnings of added tokens at the end of a text, and the characters with which they go on. False: there are none.
static bool find_live(const struct live_builder *b, const uint8_t *s, uint32_t len, uint64_t live[LIVE_WORDS])
{
	const struct artifact_canon_node *nodes = b->x->c->added;
	bool any = false;
	for (uint32_t i = 0; i < len; i++) {
		uint32_t node = b->x->added_root[s[i]];
		for (uint32_t k = i + 1; k < len && node; k++) {
			node = nodes[node].child;
			while (node && nodes[node].byte != s[k]) node = nodes[node].next;
		}
		any |= node != 0;
		for (uint32_t child = node ? nodes[node].child : 0; child; child = nodes[child].next)
			set_char(live, nodes[child].byte);
	}
	return any;
}

// The ways of a spelling, each once: many spellings have the same.
static void add_list(struct live_builder *b)
{
	uint32_t n = 0, *at = b->list.at;
	bool is_new;
	sort_u32(at, b->list.n);
	for (uint32_t i = 0; i < b->list.n; i++)
		if (!n || at[n - 1] != at[i]) at[n++] = at[i];
	const uint32_t id = intern_add(&b->lists, at, n * sizeof *at, &is_new);
	if (is_new) {
		vec_push(&b->of_list, ((struct artifact_canon_list){b->x->way_list.n, n}));
		for (uint32_t i = 0; i < n; i++) vec_push(&b->x->way_list, at[i]);
	}
	vec_push(&b->of_spelling, b->of_list.at[id]);
}

static void add_class(struct live_builder *b, uint32_t token, const uint16_t *group, uint32_t n)
{
	struct token_leads *x = b->x;
	const struct canonical *c = x->c;
	const uint8_t *s = x->v->bytes + x->v->offset[token];
	bool is_new, split_ends, is_split = begins_split(c, token, &split_ends);
	uint32_t class = c->class_of[token], header[3] = {class, is_split, split_ends};
	vec_clear(&b->key);
	for (uint32_t i = 0; i < 3; i++) vec_push(&b->key, header[i]);
	for (uint32_t i = 0; i < n; i++) vec_push(&b->key, group[i]);
	uint32_t spelling = intern_add(&b->spellings, b->key.at, b->key.n * sizeof *b->key.at, &is_new);
	if (is_new) {
		struct live_set sets[CANON_MAX_SETS];
		uint32_t n_sets;
		sets_behind(b, token, group, n, sets, &n_sets);
		vec_clear(&b->list);
		vec_push(&x->spellings, ((struct artifact_canon_list){x->spelling_sets.n, n_sets}));
		for (uint32_t i = 0; i < n_sets; i++) {
			vec_push(&x->spelling_sets, sets[i]);
			struct live_way w = b->x->behind[sets[i].set];
			if (is_split)
				memset(w.one.either, 0, sizeof w.one.either), memset(w.blank.either, 0, sizeof w.blank.either);
			if (split_ends) memset(w.one.sure, 0, sizeof w.one.sure), memset(w.blank.sure, 0, sizeof w.blank.sure);
			uint32_t id = intern_add(&b->ways, &w, sizeof w, &is_new);
			if (is_new) vec_push(&x->ways, w);
			vec_push(&b->list, id);
		}
		add_list(b);
	}
	x->spelling_of[token] = spelling;
	struct live_class_of l = {.first_way = b->of_spelling.at[spelling].first, .n_ways = b->of_spelling.at[spelling].n};
	find_blocked(x, token, l.blocked);
	// What leads on behind no set makes no class of its own.
	for (uint32_t i = 0; i < LIVE_WORDS; i++) l.blocked[i] &= x->some[0][i] | (i ? 0 : 1ull << ' ');
	find_live(b, s, x->v->offset[token + 1] - x->v->offset[token], l.live);
	x->class_of[token] = LIVE_PLAIN + intern_add(&b->classes, &l, sizeof l, &is_new);
	if (is_new) vec_push(&x->classes, l);
}

static void add_token(struct live_builder *b, uint32_t token)
{
	struct token_leads *x = b->x;
	const struct canonical *c = x->c;
	const uint8_t *s = x->v->bytes + x->v->offset[token];
	uint32_t len = x->v->offset[token + 1] - x->v->offset[token], class = c->class_of[token], n, begun;
	uint16_t group[4096];
	if (class == CANON_CLASS_NEVER || !len) return;
	x->class_of[token] = LIVE_UNSETTLED;
	if (class == CANON_CLASS_INSIDE) {
		bool is_inside = true;
		for (uint32_t i = 0; i < len; i++) is_inside = is_inside && (s[i] & 0xC0) == 0x80;
		if (is_inside && len < 4) vec_push(&x->inside, token);
	}
	if (class < CANON_CLASS_PLAIN || len > sizeof group / sizeof *group || !groups_of(c, s, len, group, &n, &begun))
		return;
	if (!begun) {
		add_class(b, token, group, n);
		return;
	}
	bool split_ends;
	struct live_set sets[CANON_MAX_SETS];
	struct live_begun at = {.token = token, .missing = size_of(s[len - begun]) - begun, .first = x->begun_sets.n};
	uint64_t live[LIVE_WORDS] = {0};
	at.is_split = begins_split(c, token, &split_ends);
	if (split_ends || find_live(b, s, len, live)) return;
	sets_behind(b, token, group, n, sets, &at.n);
	for (uint32_t i = 0; i < at.n; i++) vec_push(&x->begun_sets, sets[i]);
	vec_push(&x->begun, at);
}

void live_build(const struct canonical *c, const struct vocab *v, bool only_restartable, struct token_leads *x)
{
	*x = (struct token_leads){.c = c, .v = v, .class_of = mem_calloc(v->n_tokens + 1, sizeof *x->class_of)};
	struct live_builder b = {.x = x, .only_restartable = only_restartable};
	x->behind = mem_calloc(c->info.n_sets, sizeof *x->behind),
	x->joined = mem_calloc(v->n_tokens + 1, sizeof *x->joined);
	x->spelling_of = mem_calloc(v->n_tokens + 1, sizeof *x->spelling_of);
	struct live_lead leads[256] = {0};
	for (uint32_t byte = 0xC2; byte < 0xF0; byte++) leads[byte] = lead_of(c, byte);
	for (uint32_t s = 1; s < c->info.n_sets; s++) {
		const struct live_way w = whole_way_behind(c, leads, s);
		x->behind[s] = w;
		for (uint32_t i = 0; i < LIVE_WORDS; i++) {
			x->some[0][i] |= w.one.sure[i] | w.one.either[i];
			x->some[1][i] |= w.blank.sure[i] | w.blank.either[i];
		}
	}
	for (uint32_t k = c->added[0].child; k; k = c->added[k].next) x->added_root[c->added[k].byte] = k;
	vec_push(&x->classes, ((struct live_class_of){0}));
	vec_push(&x->classes, ((struct live_class_of){0}));
	for (uint32_t t = 0; t < v->n_tokens; t++) add_token(&b, t);
	// Pairs that the intervals have wrong may be joined, too.
	for (uint32_t i = 0; i < c->info.n_patches; i++) x->class_of[c->patches[i].left] = LIVE_UNSETTLED;
	intern_release(&b.ways), intern_release(&b.lists), intern_release(&b.spellings), intern_release(&b.classes);
	vec_release(&b.list), vec_release(&b.of_list), vec_release(&b.of_spelling), vec_release(&b.key);
}

void live_release(struct token_leads *x)
{
	free(x->class_of), free(x->behind), free(x->joined), free(x->spelling_of);
	vec_release(&x->spellings), vec_release(&x->spelling_sets);
	vec_release(&x->classes), vec_release(&x->ways), vec_release(&x->way_list), vec_release(&x->begun);
	vec_release(&x->begun_sets), vec_release(&x->inside);
	*x = (struct token_leads){0};
}

static const uint64_t no_chars[LIVE_WORDS];

static bool way_leads(const struct live_way *w, const uint64_t blocked[LIVE_WORDS], const uint64_t live[LIVE_WORDS],
                      const uint64_t chars[LIVE_WORDS], const uint64_t behind_blank[LIVE_WORDS])
{
	uint64_t any = 0, joins = blocked[0] >> ' ' & 1 ? 0 : UINT64_MAX, begins = live[0] >> ' ' & 1 ? 0 : UINT64_MAX;
	for (uint32_t i = 0; i < LIVE_WORDS; i++) {
		any |= (w->one.sure[i] | (w->one.either[i] & ~blocked[i])) & ~live[i] & chars[i];
		any |= (w->blank.sure[i] | (w->blank.either[i] & joins)) & begins & behind_blank[i];
	}
	return any;
}

bool live_on(const struct token_leads *x, uint32_t class, const uint64_t chars[LIVE_WORDS],
             const uint64_t behind_blank[LIVE_WORDS])
{
	if (class < LIVE_PLAIN) return class == LIVE_NEVER;
	const struct live_class_of *l = &x->classes.at[class];
	bool good = true;
	for (uint32_t i = 0; i < l->n_ways && good; i++)
		good = way_leads(&x->ways.at[x->way_list.at[l->first_way + i]], l->blocked, l->live, chars, behind_blank);
	return good;
}

// The character that a token begins and the first bytes of another one end: what it is to the tokenizer. NULL: they end
// none, merges join the two, or a normal form may.
// Branches: the bytes of two tokens are put together, and what they give is checked as UTF-8 before it is looked up.
static const struct artifact_canon_kind *kind_through(const struct token_leads *x, const struct live_begun *token,
                                                      uint32_t rest)
{
	const struct canonical *c = x->c;
	const uint8_t *s = x->v->bytes + x->v->offset[token->token], *r = x->v->bytes + x->v->offset[rest];
	uint32_t len = x->v->offset[token->token + 1] - x->v->offset[token->token],
			 n = x->v->offset[rest + 1] - x->v->offset[rest];
	uint32_t from = len - 1;
	while ((s[from] & 0xC0) == 0x80) from--;
	uint32_t size = size_of(s[from]), ch = s[from] & (0x7Fu >> size);
	if (n < token->missing || c->place[token->token] == NONE) return NULL;
	for (uint32_t i = from + 1; i < len; i++) ch = ch << 6 | (s[i] & 63u);
	for (uint32_t i = 0; i < token->missing; i++) {
		if ((r[i] & 0xC0) != 0x80) return NULL;
		ch = ch << 6 | (r[i] & 63u);
	}
	const uint32_t least = size == 2 ? 0x80 : size == 3 ? 0x800 : 0x10000;
	if (ch < least || ch >= 0x110000 || (ch >= 0xD800 && ch < 0xE000)) return NULL;
	const struct artifact_canon_kind *k = character_kind(c, ch);
	bool is_plain = !k->flags && !k->right && !k->combining;
	return is_plain && canonical_pair(c, token->token, rest) ? k : NULL;
}

static bool through_set(const struct token_leads *x, struct live_set at, const struct artifact_canon_kind *k,
                        const uint64_t blocked[LIVE_WORDS], const uint64_t chars[LIVE_WORDS])
{
	uint32_t set = step(x->c, at.set, k->group, at.how);
	return set && way_leads(&x->behind[set], blocked, no_chars, chars, no_chars);
}

bool live_through(const struct token_leads *x, const struct live_begun *token, uint32_t rest,
                  const uint64_t chars[LIVE_WORDS])
{
	const struct artifact_canon_kind *k = kind_through(x, token, rest);
	uint64_t blocked[LIVE_WORDS] = {0};
	if (!k || x->v->offset[rest + 1] - x->v->offset[rest] != token->missing) return false;
	find_blocked(x, rest, blocked);
	bool good = true;
	for (uint32_t i = 0; i < token->n && good; i++)
		good = through_set(x, x->begun_sets.at[token->first + i], k, blocked, chars);
	return good;
}

const struct live_begun *live_begun_of(const struct token_leads *x, uint32_t token)
{
	uint32_t i;
	LOWER_BOUND(i, 0, x->begun.n, x->begun.at[i].token < token);
	return i < x->begun.n && x->begun.at[i].token == token ? &x->begun.at[i] : NULL;
}

// ---- One token after the other.
static uint32_t split_child(const struct canonical *c, uint32_t node, uint32_t token)
{
	for (uint32_t k = c->splits[node].child; k < c->splits[node].child + c->splits[node].n; k++)
		if (c->splits[k].token == token) return k;
	return 0;
}

uint32_t live_places(const struct token_leads *x, uint32_t token, struct live_place *to)
{
	if (x->class_of[token] < LIVE_PLAIN) return NONE;
	const struct artifact_canon_list sets = x->spellings.at[x->spelling_of[token]];
	const uint32_t split = split_child(x->c, 0, token);
	for (uint32_t i = 0; i < sets.n; i++)
		to[i] = (struct live_place){token, split, x->spelling_sets.at[sets.first + i].set};
	return sets.n;
}

bool live_place_leads(const struct token_leads *x, const struct live_place *at, const uint64_t chars[LIVE_WORDS],
                      const uint64_t behind_blank[LIVE_WORDS])
{
	const uint32_t class = x->class_of[at->token];
	struct live_way w = x->behind[at->set];
	uint64_t blocked[LIVE_WORDS] = {0};
	if (x->c->splits[at->split].ends) return false;
	if (at->split) memset(w.one.either, 0, sizeof w.one.either), memset(w.blank.either, 0, sizeof w.blank.either);
	if (class < LIVE_PLAIN) find_blocked(x, at->token, blocked);  // it has ended a character
	return class < LIVE_PLAIN
	           ? way_leads(&w, blocked, no_chars, chars, behind_blank)
	           : way_leads(&w, x->classes.at[class].blocked, x->classes.at[class].live, chars, behind_blank);
}

// Branches: what each of a token's features (added texts, normal forms, splits, merges) must allow before it is read.
bool live_then(const struct token_leads *x, const struct live_place *from, uint32_t token, struct live_place *to)
{
	const struct canonical *c = x->c;
	const uint8_t *s = x->v->bytes + x->v->offset[token];
	const uint32_t len = x->v->offset[token + 1] - x->v->offset[token], class = x->class_of[from->token];
	if (x->class_of[token] < LIVE_PLAIN || s[0] >= 128) return false;
	const struct artifact_canon_kind *k = character_kind(c, s[0]);
	if (k->flags || k->right || k->combining) return false;
	if (class >= LIVE_PLAIN && x->classes.at[class].live[s[0] / 64] >> s[0] % 64 & 1) return false;
	const uint8_t allow = c->allow[(size_t)from->set * c->info.n_classes + c->class_of[token]];
	const bool begins = allow & CANON_BEGINS && !c->splits[from->split].ends;
	bool goes_on = allow & CANON_GOES_ON && c->place[from->token] != NONE && c->place[token] != NONE;
	if (!begins && !(goes_on && canonical_pair(c, from->token, token))) return false;
	*to = (struct live_place){token, split_child(c, begins ? 0 : from->split, token), from->set};
	if (!begins && !from->split) to->split = 0;
	uint16_t group[256];
	uint32_t n, begun, how = begins ? CANON_STEP_BEGIN : CANON_STEP_ON;
	if (len > sizeof group / sizeof *group || !groups_of(c, s, len, group, &n, &begun) || begun) return false;
	for (uint32_t i = 0; i < n; i++) to->set = (uint16_t)step(c, to->set, group[i], how), how = CANON_STEP_ON;
	return to->set;
}

uint32_t live_rest(const struct token_leads *x, const struct live_begun *begun, uint32_t rest, struct live_place *to)
{
	const struct canonical *c = x->c;
	const uint8_t *s = x->v->bytes + x->v->offset[rest];
	const uint32_t len = x->v->offset[rest + 1] - x->v->offset[rest];
	const struct artifact_canon_kind *k = c->class_of[rest] == CANON_CLASS_INSIDE ? kind_through(x, begun, rest) : NULL;
	uint16_t group[256];
	uint32_t n, more;
	if (!k || len > sizeof group / sizeof *group) return 0;
	for (uint32_t i = begun->missing; i < len; i++)
		if (s[i] >= 128 || character_kind(c, s[i])->flags || x->added_root[s[i]]) return 0;
	if (!groups_of(c, s + begun->missing, len - begun->missing, group, &n, &more)) return 0;
	const uint32_t split = begun->is_split ? split_child(c, split_child(c, 0, begun->token), rest) : 0;
	for (uint32_t i = 0; i < begun->n; i++) {
		const struct live_set at = x->begun_sets.at[begun->first + i];
		uint32_t set = step(c, at.set, k->group, at.how);
		for (uint32_t j = 0; j < n; j++) set = step(c, set, group[j], CANON_STEP_ON);
		to[i] = (struct live_place){rest, split, (uint16_t)set};
	}
	return begun->n;
}
