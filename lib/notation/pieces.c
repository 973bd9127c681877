// Pieces: made, simplified and numbered. See pieces.h.
//
// Each constructor puts its piece into a normal form and looks it up by its bytes (kind, numbers, ranges or children),
// so that equal forms share one number. Cost: linear in the children.
#include "pieces.h"

#include "../base/guess.h"

#define MAX_CODE_POINT 0x10FFFFu

static const struct rule_piece *at(const struct notation_rules *r, piece_id p) { return &r->pieces.at[p]; }

bool piece_is_nothing(const struct notation_rules *r, piece_id p)
{
	return at(r, p)->kind == PIECE_SET && at(r, p)->n == 0;
}
bool piece_is_empty(const struct notation_rules *r, piece_id p)
{
	return at(r, p)->kind == PIECE_SEQ && at(r, p)->n == 0;
}

static uint32_t capped(uint64_t size) { return size > PIECE_MAX_SIZE ? PIECE_MAX_SIZE + 1 : (uint32_t)size; }

static bool begins_with_token(const struct notation_rules *r, const struct rule_piece *p)
{
	if (p->kind == PIECE_RULE) return r->rule.at[p->rule].begins_with_token;
	if (p->kind == PIECE_TERM) return p->term->kind == TERM_WHOLE_TOKEN;
	for (uint32_t i = 0; p->kind > PIECE_RULE && i < p->n; i++) {
		if (at(r, p->child[i])->begins_with_token) return true;
		if (p->kind == PIECE_SEQ && !at(r, p->child[i])->is_nullable) return false;
	}
	return false;
}

static bool is_few(const struct rule_piece *set)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < set->n; i++) n += set->range[i].hi - set->range[i].lo + 1;
	return n <= PIECE_MAX_FEW;
}

bool piece_is_texts(const struct notation_rules *r, const struct rule_piece *p)
{
	for (uint32_t i = 0; p->kind == PIECE_ALT && i < p->n; i++) {
		const struct rule_piece *c = at(r, p->child[i]);
		if (!c->is_regular || !(c->is_text || (c->kind == PIECE_SET && is_few(c)))) return false;
	}
	return p->kind == PIECE_ALT;
}

// What follows from the children.
static void judge(struct notation_rules *r, struct rule_piece *p)
{
	p->size = 1, p->depth = 1, p->is_regular = p->kind != PIECE_RULE && p->kind != PIECE_TERM;
	p->is_nullable |= p->kind == PIECE_SEQ || (p->kind == PIECE_REPEAT && p->min == 0);
	p->is_text = p->kind == PIECE_SEQ || piece_is_char(p);
	p->begins_with_token = begins_with_token(r, p);
	if (p->kind <= PIECE_RULE) return;
	uint64_t size = 1;
	for (uint32_t i = 0; i < p->n; i++) {
		const struct rule_piece *c = at(r, p->child[i]);
		size += c->size;
		if (c->depth + 1 > p->depth) p->depth = c->depth + 1;
		p->is_regular &= c->is_regular;
		p->is_text &= c->is_text;
		if (p->kind == PIECE_SEQ)
			p->is_nullable &= c->is_nullable;
		else
			p->is_nullable |= c->is_nullable;
	}
	if (p->kind == PIECE_REPEAT) {
		uint64_t times = p->max != TERM_UNBOUNDED ? p->max : p->min;
		size *= times ? times : 1;
	}
	p->size = capped(size);
	p->is_regular &= (p->size <= PIECE_MAX_SIZE || piece_is_texts(r, p)) && p->depth <= PIECE_MAX_DEPTH;
}

static piece_id put(struct notation_rules *r, struct rule_piece p, const void *items, size_t item_bytes)
{
	VEC(uint8_t) key = {0};
	uint32_t head[4] = {p.kind, p.min, p.max, p.rule};
	vec_reserve(&key, sizeof head + p.n * item_bytes);
	memcpy(key.at, head, sizeof head);
	if (p.n) memcpy(key.at + sizeof head, items, p.n * item_bytes);
	bool is_new;
	piece_id id = intern_add(&r->known, key.at, sizeof head + p.n * item_bytes, &is_new);
	vec_release(&key);
	if (!is_new) return id;
	if (id >= NOTATION_MAX_PIECES) work_too_large("NOTATION_MAX_PIECES", NOTATION_MAX_PIECES);
	void *copy = arena_array(&r->arena, p.n, item_bytes);
	if (p.n) memcpy(copy, items, p.n * item_bytes);
	if (p.kind == PIECE_TERM)
		p.n = 0;  // the key alone
	else if (p.kind == PIECE_SET)
		p.range = copy;
	else
		p.child = copy;
	judge(r, &p);
	vec_push(&r->pieces, p);
	return id;
}

static int by_lo(const void *a, const void *b)
{
	const struct code_range *x = a, *y = b;
	return (x->lo > y->lo) - (x->lo < y->lo);
}

static void add_plain(code_ranges *to, uint32_t lo, uint32_t hi)
{
	if (hi > MAX_CODE_POINT) hi = MAX_CODE_POINT;
	if (lo < 0xD800 && hi >= 0xD800) {
		add_plain(to, lo, 0xD7FF);
		lo = 0xE000;
	}
	if (lo >= 0xD800 && lo < 0xE000) lo = 0xE000;
	if (lo <= hi) vec_push(to, ((struct code_range){lo, hi}));
}

// Sorted, joined where they touch (also across the surrogates, which no text holds).
static void join(code_ranges *set)
{
	code_ranges plain = {0};
	for (uint32_t i = 0; i < set->n; i++) add_plain(&plain, set->at[i].lo, set->at[i].hi);
	if (plain.n) qsort(plain.at, plain.n, sizeof *plain.at, by_lo);
	vec_clear(set);
	for (uint32_t i = 0; i < plain.n; i++) {
		struct code_range x = plain.at[i], *last = set->n ? &set->at[set->n - 1] : NULL;
		if (last && x.lo <= last->hi + 1)
			last->hi = x.hi > last->hi ? x.hi : last->hi;
		else
			vec_push(set, x);
	}
	vec_release(&plain);
}

piece_id piece_set(struct notation_rules *r, code_ranges *set, bool is_negated, struct loc loc)
{
	join(set);
	code_ranges other = {0};
	if (is_negated) {
		uint32_t next = 0;
		for (uint32_t i = 0; i < set->n; i++) {
			if (set->at[i].lo > next) vec_push(&other, ((struct code_range){next, set->at[i].lo - 1}));
			next = set->at[i].hi + 1;
		}
		if (next <= MAX_CODE_POINT) vec_push(&other, ((struct code_range){next, MAX_CODE_POINT}));
		join(&other);
	}
	const code_ranges *all = is_negated ? &other : set;
	piece_id p = put(r, (struct rule_piece){.kind = PIECE_SET, .n = all->n, .loc = loc}, all->at, sizeof *all->at);
	vec_release(&other);
	return p;
}

static piece_id nothing(struct notation_rules *r, struct loc loc)
{
	return put(r, (struct rule_piece){.kind = PIECE_SET, .loc = loc}, NULL, 0);
}

piece_id piece_char(struct notation_rules *r, uint32_t code_point, struct loc loc)
{
	code_ranges one = {0};
	vec_push(&one, ((struct code_range){code_point, code_point}));
	piece_id p = piece_set(r, &one, false, loc);
	vec_release(&one);
	return p;
}

static void put_key(const struct term *t, uint32_t *key, uint32_t *n)
{
	key[(*n)++] = (uint32_t)t->kind, key[(*n)++] = t->flags, key[(*n)++] = t->lo, key[(*n)++] = t->hi;
	key[(*n)++] = t->n_children, key[(*n)++] = t->text_len;
	if (t->text_len) memcpy(key + *n, t->text, t->text_len);
	*n += (t->text_len + 3) / 4;
	for (uint32_t i = 0; i < t->n_children; i++) put_key(t->children[i], key, n);
}

static uint32_t key_size(const struct term *t)
{
	uint32_t n = 6 + (t->text_len + 3) / 4;
	for (uint32_t i = 0; i < t->n_children; i++) n += key_size(t->children[i]);
	return n;
}

piece_id piece_term(struct notation_rules *r, const struct term *t, bool is_nullable, struct loc loc)
{
	uint32_t n = 0, *key = mem_calloc(key_size(t), sizeof *key);
	put_key(t, key, &n);
	struct rule_piece p = {
		.kind = PIECE_TERM, .n = n, .min = is_nullable, .is_nullable = is_nullable, .term = t, .loc = loc};
	piece_id id = put(r, p, key, sizeof *key);
	free(key);
	return id;
}

piece_id piece_called(struct notation_rules *r, piece_id id, const char *name)
{
	struct rule_piece *p = &r->pieces.at[id];
	if (p->kind == PIECE_TERM && !p->name) p->name = name;
	return id;
}

bool piece_control(struct notation_rules *r, const char *text, size_t len, struct loc loc, piece_id *out)
{
	control_ids ids = {0};
	bool ok = control_parse(r->control, text, len, loc, r->diag, &ids);
	if (ok) {
		struct term *t = arena_alloc(&r->arena, sizeof *t);
		uint32_t *copy = arena_array(&r->arena, ids.n, sizeof *copy);
		memcpy(copy, ids.at, ids.n * sizeof *copy);
		*t = (struct term){.kind = TERM_CONTROL, .text = (const char *)copy, .text_len = ids.n * 4, .loc = loc};
		*out = piece_term(r, t, false, loc);
		r->pieces.at[*out].name = arena_printf(&r->arena, "<%.*s>", (int)len, text);
	}
	vec_release(&ids);
	return ok;
}

piece_id piece_rule(struct notation_rules *r, uint32_t rule, struct loc loc)
{
	return put(r, (struct rule_piece){.kind = PIECE_RULE, .rule = rule, .loc = loc}, NULL, 0);
}

piece_id piece_seq(struct notation_rules *r, const piece_id *child, uint32_t n, struct loc loc)
{
	piece_ids kept = {0};
	for (uint32_t i = 0; i < n; i++) {
		if (piece_is_nothing(r, child[i])) {
			vec_release(&kept);
			return nothing(r, loc);
		}
		if (!piece_is_empty(r, child[i])) vec_push(&kept, child[i]);
	}
	piece_id p =
		kept.n == 1 ? kept.at[0]
					: put(r, (struct rule_piece){.kind = PIECE_SEQ, .n = kept.n, .loc = loc}, kept.at, sizeof *kept.at);
	vec_release(&kept);
	return p;
}

// Alternatives that come again, or match nothing, go; sets among them become one set.
piece_id piece_alt(struct notation_rules *r, const piece_id *child, uint32_t n, struct loc loc)
{
	piece_ids flat = {0}, kept = {0};
	for (uint32_t i = 0; i < n; i++) {
		const struct rule_piece *c = at(r, child[i]);
		if (c->kind != PIECE_ALT) vec_push(&flat, child[i]);
		for (uint32_t k = 0; c->kind == PIECE_ALT && k < c->n; k++) vec_push(&flat, c->child[k]);
	}
	code_ranges set = {0};
	uint32_t set_at = UINT32_MAX;
	struct intern seen = {0};
	for (uint32_t i = 0; i < flat.n; i++) {
		const struct rule_piece *c = at(r, flat.at[i]);
		if (c->kind == PIECE_SET) {
			if (!c->n) continue;
			for (uint32_t k = 0; k < c->n; k++) vec_push(&set, c->range[k]);
			if (set_at != UINT32_MAX) continue;
			set_at = kept.n;
			vec_push(&kept, flat.at[i]);
			continue;
		}
		bool is_new;
		intern_add(&seen, &flat.at[i], sizeof flat.at[i], &is_new);
		if (is_new) vec_push(&kept, flat.at[i]);
	}
	if (set_at != UINT32_MAX) kept.at[set_at] = piece_set(r, &set, false, loc);
	piece_id p;
	if (!kept.n)
		p = nothing(r, loc);
	else if (kept.n == 1)
		p = kept.at[0];
	else
		p = put(r, (struct rule_piece){.kind = PIECE_ALT, .n = kept.n, .loc = loc}, kept.at, sizeof *kept.at);
	intern_release(&seen);
	vec_release(&set), vec_release(&flat), vec_release(&kept);
	return p;
}

piece_id piece_repeat(struct notation_rules *r, piece_id of, uint32_t min, uint32_t max, struct loc loc)
{
	if (max == 0 || piece_is_empty(r, of)) return piece_seq(r, NULL, 0, loc);
	if (piece_is_nothing(r, of)) return min ? of : piece_seq(r, NULL, 0, loc);
	if (min == 1 && max == 1) return of;
	const struct rule_piece *c = at(r, of);
	if (c->kind == PIECE_REPEAT && c->min <= 1 && c->max == TERM_UNBOUNDED && (max == TERM_UNBOUNDED || min <= 1))
		return piece_repeat(r, c->child[0], min && c->min ? 1 : 0, TERM_UNBOUNDED, loc);
	return put(r, (struct rule_piece){.kind = PIECE_REPEAT, .n = 1, .min = min, .max = max, .loc = loc}, &of,
	           sizeof of);
}

piece_id piece_like(struct notation_rules *r, const struct rule_piece *like, const piece_id *child)
{
	if (like->kind == PIECE_SEQ) return piece_seq(r, child, like->n, like->loc);
	if (like->kind == PIECE_ALT) return piece_alt(r, child, like->n, like->loc);
	return piece_repeat(r, child[0], like->min, like->max, like->loc);
}

uint32_t utf8_point(const char *text, size_t *where)
{
	const uint8_t *s = (const uint8_t *)text + *where;
	uint32_t n = s[0] < 0x80 ? 1 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
	uint32_t c = n == 1 ? s[0] : s[0] & (0x7Fu >> n);
	for (uint32_t i = 1; i < n; i++) c = c << 6 | (s[i] & 0x3F);
	*where += n;
	return c;
}

uint32_t utf8_write(char *to, uint32_t c)
{
	if (c < 0x80) return to[0] = (char)c, 1;
	uint32_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	for (uint32_t i = n; i-- > 1; c >>= 6) to[i] = (char)(0x80 | (c & 0x3F));
	to[0] = (char)(0xF00u >> n | c);
	return n;
}

size_t utf8_invalid(const char *text, size_t len)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	for (size_t i = 0; i < len;) {
		uint8_t b = (uint8_t)text[i];
		uint32_t n = b < 0x80 ? 1 : b < 0xC0 ? 0 : b < 0xE0 ? 2 : b < 0xF0 ? 3 : b < 0xF8 ? 4 : 0;
		if (!n || n > len - i) return i;
		for (uint32_t k = 1; k < n; k++)
			if (((uint8_t)text[i + k] & 0xC0) != 0x80) return i;
		size_t next = i;
		uint32_t c = utf8_point(text, &next);
		if (c < least[n] || c > MAX_CODE_POINT || (c >= 0xD800 && c < 0xE000)) return i;
		i = next;
	}
	return len;
}

piece_id piece_text(struct notation_rules *r, const char *text, size_t len, struct loc loc)
{
	piece_ids chars = {0};
	for (size_t i = 0; i < len;) {
		uint32_t c = utf8_point(text, &i);
		vec_push(&chars, piece_char(r, c, loc));
	}
	piece_id p = piece_seq(r, chars.at, chars.n, loc);
	vec_release(&chars);
	return p;
}

uint32_t rule_number(struct notation_rules *r, const char *name, size_t len, struct loc loc)
{
	bool is_new;
	uint32_t n = intern_add(&r->names, name, len, &is_new);
	if (is_new)
		vec_push(&r->rule,
		         ((struct notation_rule){.name = arena_strndup(&r->arena, name, len), .body = PIECE_NONE, .loc = loc}));
	return n;
}

static void not_defined(struct notation_rules *r, const char *name, struct loc loc)
{
	VEC(const char *) names = {0};
	for (uint32_t i = 0; i < r->rule.n; i++)
		if (r->rule.at[i].body != PIECE_NONE) vec_push(&names, r->rule.at[i].name);
	const char *near = guess_name(name, names.at, names.n);
	diag_error(r->diag, loc, "rule '%s' is not defined%s%s%s", name, near ? "; is '" : "", near ? near : "",
	           near ? "' meant?" : "");
	vec_release(&names);
}

bool pieces_finish(struct notation_rules *r, const char *start)
{
	bool ok = true;
	for (uint32_t i = 0; i < r->rule.n; i++)
		if (r->rule.at[i].body == PIECE_NONE) not_defined(r, r->rule.at[i].name, r->rule.at[i].loc), ok = false;
	r->start = intern_find(&r->names, start, strlen(start));
	if (ok && r->start == INTERN_NONE) not_defined(r, start, (struct loc){r->source, 0, 0}), ok = false;
	return ok;
}

struct languages *rules_languages(struct notation_rules *r)
{
	if (!r->languages) r->languages = languages_new();
	return r->languages;
}

void pieces_release(struct notation_rules *r)
{
	languages_free(r->languages);
	vec_release(&r->pieces), vec_release(&r->rule);
	intern_release(&r->known), intern_release(&r->names);
	arena_release(&r->arena);
}
