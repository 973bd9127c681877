// Patterns with lookaround: from text to a program over code points.
//
// In:  a terminal's term tree. Out: instructions of a Thompson machine (SET, SPLIT, LOOK, MATCH), the looks' bodies
// apart. \b, \B, ^, $, \A, \Z are written out as lookbehinds and lookaheads. Reads the part of the syntax that tests
// use and refuses the rest; deliberately another reader than lib/regex. Lazy quantifiers act as docs/regex.md says: a
// part whose last quantifier is lazy, and behind which nothing can fail, ends at its first match: it becomes a CUT.
#define PCRE2_CODE_UNIT_WIDTH 8
#include "pattern_node.h"

#include <ctype.h>
#include <pcre2.h>

#define MAX_CP 0x10FFFFu

typedef VEC(struct range) ranges;

static struct node *fail(struct reader *r, const char *why)
{
	if (!r->failed) r->why = why;
	r->failed = true;
	r->at = r->end;
	struct node *n = arena_alloc(&r->p->arena, sizeof *n);
	n->kind = NODE_SEQ;
	return n;
}

struct node *node_new(struct reader *r, enum node_kind kind)
{
	struct node *n = arena_alloc(&r->p->arena, sizeof *n);
	n->kind = kind;
	return n;
}

void node_add(struct reader *r, struct node *n, struct node *kid)
{
	struct node **kids = arena_array(&r->p->arena, n->n_kids + 1, sizeof *kids);
	if (n->n_kids) memcpy(kids, n->kids, n->n_kids * sizeof *kids);
	kids[n->n_kids++] = kid;
	n->kids = kids;
}

// ---- sets of code points ----

static int by_lo(const void *a, const void *b)
{
	const struct range *x = a, *y = b;
	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static void normalise(ranges *s)
{
	if (!s->n) return;
	qsort(s->at, s->n, sizeof *s->at, by_lo);
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		if (n && s->at[i].lo <= s->at[n - 1].hi + 1) {
			if (s->at[i].hi > s->at[n - 1].hi) s->at[n - 1].hi = s->at[i].hi;
		} else
			s->at[n++] = s->at[i];
	}
	s->n = n;
}

static void negate(ranges *s)
{
	normalise(s);
	ranges out = {0};
	uint32_t from = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		if (s->at[i].lo > from) vec_push(&out, ((struct range){from, s->at[i].lo - 1}));
		from = s->at[i].hi + 1;
	}
	if (from <= MAX_CP) vec_push(&out, ((struct range){from, MAX_CP}));
	vec_release(s);
	*s = out;
}

static uint32_t keep_set(struct reader *r, ranges *s)
{
	normalise(s);
	struct range *at = arena_array(&r->p->arena, s->n ? s->n : 1, sizeof *at);
	if (s->n) memcpy(at, s->at, s->n * sizeof *at);
	vec_push(&r->p->sets, ((struct cp_set){s->n, at}));
	vec_release(s);
	return r->p->sets.n - 1;
}

bool program_has(const struct program *p, uint32_t set, uint32_t cp)
{
	const struct cp_set *s = &p->sets.at[set];
	uint32_t lo = 0, hi = s->n;
	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;
		if (s->at[mid].hi < cp)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->n && s->at[lo].lo <= cp;
}

// All code points that PCRE2 finds in a class, asked one by one; once a process.
static void ask_pcre2(const char *class, ranges *into)
{
	int error;
	PCRE2_SIZE offset;
	pcre2_code *code =
		pcre2_compile((PCRE2_SPTR) class, PCRE2_ZERO_TERMINATED, PCRE2_UTF | PCRE2_NO_UTF_CHECK, &error, &offset, NULL);
	pcre2_match_data *match = pcre2_match_data_create(1, NULL);
	ASSERT(code && match);
	for (uint32_t c = 0; c <= MAX_CP; c++) {
		if (c == 0xD800) c = 0xE000;
		uint8_t b[4];
		size_t n = 0;
		if (c < 0x80)
			b[n++] = (uint8_t)c;
		else if (c < 0x800)
			b[n++] = (uint8_t)(0xC0 | c >> 6), b[n++] = (uint8_t)(0x80 | (c & 63));
		else if (c < 0x10000)
			b[n++] = (uint8_t)(0xE0 | c >> 12), b[n++] = (uint8_t)(0x80 | (c >> 6 & 63)),
			b[n++] = (uint8_t)(0x80 | (c & 63));
		else
			b[n++] = (uint8_t)(0xF0 | c >> 18), b[n++] = (uint8_t)(0x80 | (c >> 12 & 63)),
			b[n++] = (uint8_t)(0x80 | (c >> 6 & 63)), b[n++] = (uint8_t)(0x80 | (c & 63));
		if (pcre2_match(code, b, n, 0, PCRE2_ANCHORED | PCRE2_NO_UTF_CHECK, match, NULL) >= 0)
			vec_push(into, ((struct range){c, c}));
	}
	pcre2_match_data_free(match);
	pcre2_code_free(code);
	normalise(into);
}

static void add_word(struct reader *r, ranges *into)
{
	static ranges unicode;
	if (r->flags & TERM_A) {
		static const struct range ascii[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
		for (uint32_t i = 0; i < 4; i++) vec_push(into, ascii[i]);
		return;
	}
	if (!unicode.n) ask_pcre2("[\\p{L}\\p{N}_]", &unicode);
	for (uint32_t i = 0; i < unicode.n; i++) vec_push(into, unicode.at[i]);
}

static void add_named(struct reader *r, char name, ranges *into)
{
	static ranges digits;
	static const struct range spaces[] = {{9, 13},          {28, 32},         {0x85, 0x85},     {0xA0, 0xA0},
	                                      {0x1680, 0x1680}, {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F},
	                                      {0x205F, 0x205F}, {0x3000, 0x3000}};
	ranges s = {0};
	switch (tolower((unsigned char)name)) {
	case 'w': add_word(r, &s); break;
	case 'd':
		if (!(r->flags & TERM_A) && !digits.n) ask_pcre2("\\p{Nd}", &digits);
		if (r->flags & TERM_A)
			vec_push(&s, ((struct range){'0', '9'}));
		else
			for (uint32_t i = 0; i < digits.n; i++) vec_push(&s, digits.at[i]);
		break;
	default:
		if (r->flags & TERM_A)
			vec_push(&s, ((struct range){9, 13})), vec_push(&s, ((struct range){32, 32}));
		else
			for (uint32_t i = 0; i < sizeof spaces / sizeof *spaces; i++) vec_push(&s, spaces[i]);
	}
	if (isupper((unsigned char)name)) negate(&s);
	for (uint32_t i = 0; i < s.n; i++) vec_push(into, s.at[i]);
	vec_release(&s);
}

// Code points as written, with the other case under i.
static void add_range(struct reader *r, ranges *into, uint32_t lo, uint32_t hi)
{
	vec_push(into, ((struct range){lo, hi}));
	if (!(r->flags & TERM_I)) return;
	if (hi > 127) {
		fail(r, "case folding beyond ASCII");
		return;
	}
	for (uint32_t c = lo; c <= hi; c++) {
		if (!isalpha((int)c)) continue;
		vec_push(into, ((struct range){c ^ 32, c ^ 32}));
		uint32_t more = (c | 32) == 'k' ? 0x212A : (c | 32) == 's' ? 0x17F : 0;
		if (more && !(r->flags & TERM_A)) vec_push(into, ((struct range){more, more}));
	}
}

static struct node *set_node(struct reader *r, ranges *s)
{
	struct node *n = node_new(r, NODE_SET);
	n->set = keep_set(r, s);
	return n;
}

// ---- reading ----

static uint32_t take_cp(struct reader *r)
{
	uint32_t pending = 0, cp = PATTERN_NONE;
	while (r->at < r->end && cp == PATTERN_NONE)
		if (!utf8_feed(&pending, (uint8_t)*r->at++, &cp)) break;
	if (cp == PATTERN_NONE) fail(r, "not UTF-8");
	return cp;
}

static uint32_t take_hex(struct reader *r, uint32_t n)
{
	uint32_t x = 0;
	for (; n; n--) {
		if (r->at == r->end || !isxdigit((unsigned char)*r->at)) return fail(r, "hexadecimal digits"), 0;
		char c = *r->at++;
		x = x * 16 + (uint32_t)(isdigit((unsigned char)c) ? c - '0' : (c | 32) - 'a' + 10);
	}
	return x;
}

// The code point of an escape; r->at is behind the backslash and its letter.
static uint32_t escaped(struct reader *r, char c)
{
	switch (c) {
	case 'n': return '\n';
	case 't': return '\t';
	case 'r': return '\r';
	case 'f': return '\f';
	case 'v': return '\v';
	case 'a': return 7;
	case 'u': return take_hex(r, 4);
	case 'U': return take_hex(r, 8);
	case 'x':
		if (r->at < r->end && *r->at == '{') {
			uint32_t x = 0, n = 0;
			while (r->at + 1 + n < r->end && r->at[1 + n] != '}') n++;
			r->at++;
			x = take_hex(r, n);
			r->at++;
			return x;
		}
		return take_hex(r, 2);
	default:
		if (isalnum((unsigned char)c)) return fail(r, "an escape"), 0;
		return (uint8_t)c;
	}
}

static struct node *read_class(struct reader *r)
{
	ranges s = {0};
	bool is_negative = r->at < r->end && *r->at == '^';
	r->at += is_negative;
	for (bool first = true;; first = false) {
		if (r->at >= r->end) break;
		if (*r->at == ']' && !first) break;
		uint32_t lo;
		if (*r->at == '\\') {
			char c = r->at[1];
			r->at += 2;
			if (strchr("wWdDsS", c)) {
				add_named(r, c, &s);
				continue;
			}
			lo = c == 'b' ? 8 : escaped(r, c);
		} else
			lo = take_cp(r);
		uint32_t hi = lo;
		if (r->at + 1 < r->end && *r->at == '-' && r->at[1] != ']') {
			r->at++;
			if (*r->at == '\\') {
				char c = r->at[1];
				r->at += 2;
				hi = escaped(r, c);
			} else
				hi = take_cp(r);
		}
		if (!r->failed) add_range(r, &s, lo, hi);
		if (r->failed) break;
	}
	if (r->at < r->end) r->at++;
	if (is_negative) negate(&s);
	return set_node(r, &s);
}

static struct node *read_alternatives(struct reader *r);

static struct node *look_at(struct reader *r, bool behind, bool negative, struct node *body)
{
	if (r->in_look) return fail(r, "lookaround inside lookaround");
	struct node *n = node_new(r, NODE_LOOK);
	n->behind = behind, n->negative = negative;
	node_add(r, n, body);
	r->has_looks = true;
	return n;
}

static struct node *one_of(struct reader *r, uint32_t lo, uint32_t hi, bool negated)
{
	ranges s = {0};
	vec_push(&s, ((struct range){lo, hi}));
	if (negated) negate(&s);
	return set_node(r, &s);
}

// Word boundary, or the contrary: one side is a word character and the other is not.
static struct node *boundary(struct reader *r, bool differ)
{
	struct node *out = node_new(r, NODE_ALT);
	for (uint32_t before = 0; before < 2; before++) {
		struct node *seq = node_new(r, NODE_SEQ);
		for (uint32_t side = 0; side < 2; side++) {
			bool is_word = side ? before != (uint32_t)differ : before;
			ranges s = {0};
			add_word(r, &s);
			node_add(r, seq, look_at(r, side == 0, !is_word, set_node(r, &s)));
		}
		node_add(r, out, seq);
	}
	return out;
}

static struct node *read_group(struct reader *r)
{
	if (r->at >= r->end || *r->at != '?') {
		struct node *n = read_alternatives(r);
		r->at++;
		return n;
	}
	static const struct {
		const char *text;
		bool behind, negative;
	} looks[] = {{"?=", false, false}, {"?!", false, true}, {"?<=", true, false}, {"?<!", true, true}};
	for (uint32_t i = 0; i < 4; i++) {
		size_t len = strlen(looks[i].text);
		if ((size_t)(r->end - r->at) < len || memcmp(r->at, looks[i].text, len) != 0) continue;
		r->at += len;
		bool was = r->in_look;
		r->in_look = true;
		struct node *body = read_alternatives(r);
		r->in_look = was;
		r->at++;
		return look_at(r, looks[i].behind, looks[i].negative, body);
	}
	if (r->at[1] == '#') {
		while (r->at < r->end && *r->at != ')') r->at++;
		r->at++;
		return node_new(r, NODE_SEQ);
	}
	if (r->at[1] == 'P' && r->at[2] == '<') {
		while (r->at < r->end && *r->at != '>') r->at++;
		r->at++;
		struct node *n = read_alternatives(r);
		r->at++;
		return n;
	}
	uint32_t flags = r->flags;
	bool off = false;
	for (r->at++; r->at < r->end && *r->at != ':' && *r->at != ')'; r->at++) {
		const char *letters = "imsxua", *which = strchr(letters, *r->at);
		if (*r->at == '-')
			off = true;
		else if (!which)
			return fail(r, "a kind of group");
		else if (off)
			flags &= ~(1u << (which - letters));
		else
			flags |= 1u << (which - letters);
	}
	if (r->at < r->end && *r->at == ')') {  // for the rest of the regex
		r->at++;
		r->flags = flags;
		return node_new(r, NODE_SEQ);
	}
	r->at++;
	uint32_t before = r->flags;
	r->flags = flags;
	struct node *n = read_alternatives(r);
	r->flags = before;
	r->at++;
	return n;
}

static struct node *read_atom(struct reader *r)
{
	char c = *r->at++;
	if (c == '(') return read_group(r);
	if (c == '[') return read_class(r);
	if (c == '.') return r->flags & TERM_S ? one_of(r, 0, MAX_CP, false) : one_of(r, '\n', '\n', true);
	if (c == '^')
		return look_at(r, true, true, r->flags & TERM_M ? one_of(r, '\n', '\n', true) : one_of(r, 0, MAX_CP, false));
	if (c == '$') {
		struct node *body = one_of(r, '\n', '\n', true);
		if (!(r->flags & TERM_M)) {
			struct node *seq = node_new(r, NODE_SEQ), *alt = node_new(r, NODE_ALT);
			node_add(r, seq, one_of(r, '\n', '\n', false));
			node_add(r, seq, one_of(r, 0, MAX_CP, false));
			node_add(r, alt, seq);
			node_add(r, alt, body);
			body = alt;
		}
		return look_at(r, false, true, body);
	}
	ranges s = {0};
	if (c == '\\') {
		if (r->at >= r->end) return fail(r, "a backslash at the end");
		c = *r->at++;
		if (c == 'b' || c == 'B') return boundary(r, c == 'b');
		if (c == 'A' || c == 'Z') return look_at(r, c == 'A', true, one_of(r, 0, MAX_CP, false));
		if (strchr("wWdDsS", c)) {
			add_named(r, c, &s);
			return set_node(r, &s);
		}
		uint32_t cp = escaped(r, c);
		if (!r->failed) add_range(r, &s, cp, cp);
		return set_node(r, &s);
	}
	r->at--;
	uint32_t cp = take_cp(r);
	if (!r->failed) add_range(r, &s, cp, cp);
	return set_node(r, &s);
}

// Sets min and max; false: no quantifier here.
static bool read_counts(struct reader *r, uint32_t *min, uint32_t *max)
{
	if (r->at >= r->end) return false;
	switch (*r->at) {
	case '*': *min = 0, *max = TERM_UNBOUNDED; break;
	case '+': *min = 1, *max = TERM_UNBOUNDED; break;
	case '?': *min = 0, *max = 1; break;
	case '{': {
		char *after;
		const char *at = r->at + 1;
		if (at >= r->end || (!isdigit((unsigned char)*at) && *at != ',')) return false;
		*min = (uint32_t)strtoul(at, &after, 10);
		*max = *min;
		if (*after == ',') {
			at = after + 1;
			*max = isdigit((unsigned char)*at) ? (uint32_t)strtoul(at, &after, 10) : TERM_UNBOUNDED;
			if (*max == TERM_UNBOUNDED) after = (char *)(uintptr_t)at;
		}
		if (after >= r->end || *after != '}') return false;
		r->at = after;
		break;
	}
	default: return false;
	}
	r->at++;
	return true;
}

static void skip_blanks(struct reader *r)
{
	while (r->flags & TERM_X && r->at < r->end) {
		if (*r->at == '#')
			while (r->at < r->end && *r->at != '\n') r->at++;
		else if (isspace((unsigned char)*r->at))
			r->at++;
		else
			break;
	}
}

static struct node *read_alternatives(struct reader *r)
{
	struct node *alt = node_new(r, NODE_ALT), *seq = node_new(r, NODE_SEQ);
	for (; skip_blanks(r), r->at < r->end && *r->at != ')';) {
		if (*r->at == '|') {
			r->at++;
			node_add(r, alt, seq);
			seq = node_new(r, NODE_SEQ);
			continue;
		}
		struct node *n = read_atom(r);
		skip_blanks(r);
		uint32_t min, max;
		if (read_counts(r, &min, &max)) {
			struct node *repeat = node_new(r, NODE_REPEAT);
			repeat->min = min, repeat->max = max;
			if (r->at < r->end && *r->at == '?')
				repeat->lazy = true, r->at++;
			else if (r->at < r->end && *r->at == '+')
				return fail(r, "a possessive quantifier");
			node_add(r, repeat, n);
			n = repeat;
		}
		node_add(r, seq, n);
	}
	if (!alt->n_kids) return seq;
	node_add(r, alt, seq);
	return alt;
}

static struct node *read_term(struct reader *r, const struct term *t)
{
	struct node *n;
	switch (t->kind) {
	case TERM_TEXT: {
		struct reader inner = {.p = r->p, .at = t->text, .end = t->text + t->text_len, .flags = t->flags};
		n = node_new(r, NODE_SEQ);
		while (inner.at < inner.end) {
			ranges s = {0};
			uint32_t cp = take_cp(&inner);
			if (!inner.failed) add_range(&inner, &s, cp, cp);
			node_add(r, n, set_node(r, &s));
		}
		if (inner.failed) fail(r, inner.why);
		return n;
	}
	case TERM_REGEX: {
		struct reader inner = {.p = r->p, .at = t->text, .end = t->text + t->text_len, .flags = t->flags};
		n = read_alternatives(&inner);
		if (!inner.failed && inner.at != inner.end) fail(&inner, "a parenthesis");
		if (inner.failed) fail(r, inner.why);
		r->has_looks |= inner.has_looks;
		return n;
	}
	case TERM_RANGE: return one_of(r, t->lo, t->hi, false);
	case TERM_REPEAT:
		n = node_new(r, NODE_REPEAT);
		n->min = t->lo, n->max = t->hi;
		break;
	default: n = node_new(r, t->kind == TERM_SEQ ? NODE_SEQ : NODE_ALT);
	}
	for (uint32_t i = 0; i < t->n_children; i++) node_add(r, n, read_term(r, t->children[i]));
	return n;
}

// ---- the program ----

static uint32_t emit(struct program *p, struct inst i)
{
	vec_push(&p->code, i);
	return p->code.n - 1;
}

// Instructions for n that go on at `to`; gives where they begin.
static uint32_t generate(struct program *p, const struct node *n, uint32_t to)
{
	switch (n->kind) {
	case NODE_SET: return emit(p, (struct inst){.op = OP_SET, .set = n->set, .to = to});
	case NODE_SEQ:
		for (uint32_t i = n->n_kids; i-- > 0;) to = generate(p, n->kids[i], to);
		return to;
	case NODE_ALT: {
		uint32_t start = PATTERN_NONE;
		for (uint32_t i = n->n_kids; i-- > 0;) {
			uint32_t kid = generate(p, n->kids[i], to);
			start = start == PATTERN_NONE ? kid : emit(p, (struct inst){.op = OP_SPLIT, .to = kid, .or_to = start});
		}
		return start;
	}
	case NODE_REPEAT:
		if (n->max == TERM_UNBOUNDED) {
			uint32_t loop = emit(p, (struct inst){.op = OP_SPLIT, .to = to, .or_to = to});
			uint32_t body = generate(p, n->kids[0], loop);
			p->code.at[loop].or_to = body;
			to = loop;
		} else
			for (uint32_t i = n->min; i < n->max; i++) {
				uint32_t kid = generate(p, n->kids[0], to);
				to = emit(p, (struct inst){.op = OP_SPLIT, .to = kid, .or_to = to});
			}
		for (uint32_t i = 0; i < n->min; i++) to = generate(p, n->kids[0], to);
		return to;
	case NODE_CUT: {
		uint32_t match = emit(p, (struct inst){.op = OP_MATCH});
		uint32_t body = generate(p, n->kids[0], match);
		return emit(p, (struct inst){.op = OP_CUT, .body = body, .to = to});
	}
	default: {
		uint32_t match = emit(p, (struct inst){.op = OP_MATCH});
		struct look look = {n->behind, generate(p, n->kids[0], match)};
		vec_push(&p->looks, look);
		return emit(p, (struct inst){.op = OP_LOOK, .look = p->looks.n - 1, .negative = n->negative, .to = to});
	}
	}
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

// One code point of each class that the sets tell apart.
static void find_letters(struct program *p)
{
	VEC(uint32_t) bounds = {0};
	vec_push(&bounds, 0);
	for (uint32_t s = 0; s < p->sets.n; s++)
		for (uint32_t i = 0; i < p->sets.at[s].n; i++) {
			vec_push(&bounds, p->sets.at[s].at[i].lo);
			if (p->sets.at[s].at[i].hi < MAX_CP) vec_push(&bounds, p->sets.at[s].at[i].hi + 1);
		}
	qsort(bounds.at, bounds.n, sizeof *bounds.at, by_number);
	struct intern seen = {0};
	uint8_t *in = mem_alloc(p->sets.n + 1);
	for (uint32_t b = 0; b < bounds.n; b++) {
		uint32_t c = bounds.at[b];
		if (b && c == bounds.at[b - 1]) continue;
		if (c >= 0xD800 && c < 0xE000) c = 0xE000;
		for (uint32_t s = 0; s < p->sets.n; s++) in[s] = program_has(p, s, c);
		bool is_new;
		uint32_t class = intern_add(&seen, in, p->sets.n, &is_new);
		if (is_new) vec_push(&p->letters, c);
		vec_push(&p->stretches, ((struct stretch){bounds.at[b], p->letters.at[class]}));
	}
	free(in);
	intern_release(&seen);
	vec_release(&bounds);
}

static uint32_t stretch_of(const struct program *p, uint32_t cp)
{
	uint32_t lo = 0, hi = p->stretches.n;
	while (lo + 1 < hi) {
		uint32_t mid = (lo + hi) / 2;
		if (p->stretches.at[mid].lo <= cp)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

uint32_t program_letter(const struct program *p, uint32_t cp) { return p->stretches.at[stretch_of(p, cp)].letter; }

uint32_t program_pending(struct program *p, uint32_t pending, uint32_t lo, uint32_t hi)
{
	uint32_t from = stretch_of(p, lo), to = stretch_of(p, hi);
	for (uint32_t i = from; i < to; i++)
		if (p->stretches.at[i].letter != p->stretches.at[i + 1].letter) return pending;
	uint32_t key[2] = {pending & 15, p->stretches.at[from].letter};
	bool is_new;
	uint32_t id = intern_add(&p->begun, key, sizeof key, &is_new);
	if (is_new) vec_push(&p->begun_as, pending);
	return p->begun_as.at[id];
}

static bool build(struct program *p, const struct grammar *g, struct diag *d, bool all)
{
	*p = (struct program){0};
	p->of = arena_array(&p->arena, g->n_terminals, sizeof *p->of);
	bool ok = true;
	for (uint32_t t = 0; t < g->n_terminals; t++) {
		if (!g->terminals[t].pattern) continue;
		struct reader r = {.p = p};
		uint32_t n_sets = p->sets.n;
		struct node *n = read_term(&r, g->terminals[t].pattern);
		if (!r.has_looks && !all) {
			p->sets.n = n_sets;
			continue;
		}
		if (r.failed) {
			diag_error(d, g->terminals[t].loc, "the test's own reader of patterns does not know this: %s", r.why);
			ok = false;
			continue;
		}
		n = place_cuts(&r, n);
		struct pattern *q = &p->of[t];
		q->looks = true;
		q->is_lazy = n->kind == NODE_CUT;
		q->has_cuts = q->is_lazy ? has_cut(n->kids[0]) : has_cut(n);
		q->start = generate(p, n, emit(p, (struct inst){.op = OP_MATCH}));
	}
	find_letters(p);
	if (!ok) program_release(p);
	return ok;
}

bool program_build(struct program *p, const struct grammar *g, struct diag *d) { return build(p, g, d, false); }
bool program_build_all(struct program *p, const struct grammar *g, struct diag *d) { return build(p, g, d, true); }

void program_release(struct program *p)
{
	vec_release(&p->code);
	vec_release(&p->sets);
	vec_release(&p->looks);
	vec_release(&p->letters);
	vec_release(&p->stretches);
	vec_release(&p->begun_as);
	intern_release(&p->begun);
	arena_release(&p->arena);
	*p = (struct program){0};
}
