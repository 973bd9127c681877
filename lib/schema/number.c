// Numbers as regular languages of their texts.
//
// In:  bounds, divisors, exact decimals. Out: languages over the texts of JSON numbers.
// Which values a text of a number with an exponent has is not regular in general: 0.000...5e+12. So a number that some
// keyword constrains is written as a decimal, -?(0|[1-9][0-9]*)(\.[0-9]+)?, or normalised: one digit but 0 before the
// point, at most NUMBER_FRACTION behind it, the last of them not 0 unless it is the only one, and an exponent: what
// programs write for large and small ones (1e+16, 1.0E10, 1.5e-07). So an integer needs no count of the zeros at the
// fraction's end: a third of the states. With multipleOf (but for whole numbers) only as a decimal. All sets below are
// exact on these texts.
// Cost: linear in the digits of a bound; states: the modulus.
#include <assert.h>
#include <stdio.h>

#include "../base/text_out.h"
#include "internal.h"

#define NUMBER_FRACTION 20

static language regex(struct schema *s, const char *text)
{
	language l = language_of_regex(
		s->languages, &(struct regex_text){text, (uint32_t)strlen(text), TERM_A, (struct loc){0}, "number"}, s->d);
	ASSERT(l != LANGUAGE_ERROR);
	return l;
}

#define INT "(0|[1-9][0-9]*)"
#define SCI "[1-9](\\.(?:0|[0-9]{0,19}[1-9]))?[eE][+-]?[0-9]+"
static_assert(NUMBER_FRACTION == 20, "SCI says so");

// "digits >= text" for digits without a leading zero; text has none either, or is "0".
static void at_least(FILE *out, const char *text, size_t n, bool or_equal)
{
	fprintf(out, "(?:");
	if (n == 1 && text[0] == '0') {
		fputs(or_equal ? INT : "[1-9][0-9]*", out);
	} else {
		fprintf(out, "[1-9][0-9]{%zu,}", n);
		for (size_t i = 0; i < n; i++)
			if (text[i] < '9') fprintf(out, "|%.*s[%c-9][0-9]{%zu}", (int)i, text, text[i] + 1, n - i - 1);
		if (or_equal) fprintf(out, "|%.*s", (int)n, text);
	}
	fprintf(out, ")");
}

// Digits behind a point that are at least text, as a fraction; text does not end in 0. More than that: not equal.
static void fraction_at_least(FILE *out, const char *text, size_t n)
{
	fprintf(out, "(?:%.*s[0-9]*", (int)n, text);
	for (size_t i = 0; i < n; i++)
		if (text[i] < '9') fprintf(out, "|%.*s[%c-9][0-9]*", (int)i, text, text[i] + 1);
	fprintf(out, ")");
}

// The texts of an exponent (behind e) that are >= k, or == k.
static void exponent(FILE *out, int32_t k, bool only)
{
	char text[16];
	int n = snprintf(text, sizeof text, "%d", k < 0 ? -k : k);
	if (only) {
		fputs(k > 0 ? "(?:\\+?0*" : k ? "(?:-0*" : "(?:[+-]?0*", out);
		fprintf(out, "%s)", text);
	} else if (k > 0) {
		fputs("(?:\\+?0*", out), at_least(out, text, (size_t)n, true), fputs(")", out);
	} else {
		// Any that is not negative, or a negative one of at most -k.
		fputs("(?:\\+?[0-9]+|-0*(?:0", out);
		if (k) {
			for (int m = 1; m < n; m++) fprintf(out, "|[1-9][0-9]{%d}", m - 1);
			for (int i = 0; i < n; i++)
				if (text[i] > (i ? '0' : '1'))
					fprintf(out, "|%.*s[%c-%c][0-9]{%d}", i, text, i ? '0' : '1', text[i] - 1, n - i - 1);
			fprintf(out, "|%s", text);
		}
		fputs("))", out);
	}
}

static void parts(const struct decimal *b, char *whole, size_t *n_whole, char *fraction, size_t *n_fraction)
{
	*n_whole = *n_fraction = 0;
	for (int32_t i = 0; i < b->exponent; i++) whole[(*n_whole)++] = (uint32_t)i < b->n ? b->digit[i] : '0';
	if (!*n_whole) whole[(*n_whole)++] = '0';
	for (int32_t i = b->exponent; i < 0; i++) fraction[(*n_fraction)++] = '0';
	for (int32_t i = b->exponent > 0 ? b->exponent : 0; i < (int32_t)b->n; i++) fraction[(*n_fraction)++] = b->digit[i];
}

static void make_base(struct schema *s)
{
	if (s->number.is_made) return;
	s->number.is_made = true;
	struct languages *ls = s->languages;
	s->number.plain = regex(s, "-?" INT "(\\.[0-9]+)?");
	s->number.unsigned_all = regex(s, INT "(\\.[0-9]+)?|" SCI);
	s->number.negative_all = regex(s, "-(?:" INT "(\\.[0-9]+)?|" SCI ")");
	s->number.all = language_or(ls, s->number.unsigned_all, s->number.negative_all);
}

static struct numbers numbers_any(void) { return (struct numbers){LANGUAGE_ANY, false}; }

static struct numbers tidy(struct schema *s, struct numbers a)
{
	if (a.of == s->number.all || (a.is_plain && a.of == s->number.plain)) return numbers_any();
	if (a.of == LANGUAGE_NOTHING) a.is_plain = false;
	return a;
}

struct numbers numbers_and(struct schema *s, struct numbers a, struct numbers b)
{
	if (a.of == LANGUAGE_ANY) return b;
	if (b.of == LANGUAGE_ANY) return a;
	make_base(s);
	return tidy(s, (struct numbers){language_and(s->languages, a.of, b.of), a.is_plain || b.is_plain});
}

struct numbers numbers_not(struct schema *s, struct numbers a)
{
	if (a.of == LANGUAGE_ANY) return (struct numbers){LANGUAGE_NOTHING, false};
	if (a.of == LANGUAGE_NOTHING) return numbers_any();
	make_base(s);
	language all = a.is_plain ? s->number.plain : s->number.all;
	return tidy(s, (struct numbers){language_minus(s->languages, all, a.of), a.is_plain});
}

struct numbers numbers_or(struct schema *s, struct numbers a, struct numbers b)
{
	if (a.of == LANGUAGE_NOTHING) return b;
	if (b.of == LANGUAGE_NOTHING) return a;
	if (a.of == LANGUAGE_ANY || b.of == LANGUAGE_ANY) return numbers_any();
	make_base(s);
	bool plain = a.is_plain || b.is_plain;
	if (plain) {
		a.of = language_and(s->languages, a.of, s->number.plain);
		b.of = language_and(s->languages, b.of, s->number.plain);
	}
	return tidy(s, (struct numbers){language_or(s->languages, a.of, b.of), plain});
}

// --- Integers --------------------------------------------------------------------------------------------------------
// A whole part, and behind its point zeros; or a digit, a fraction of k digits that does not end in 0, and an exponent
// of at least k. As an automaton: schemas have integers nearly everywhere, and a pattern takes ten times as long.

struct number_state {
	bool accepts;
	uint32_t plus, minus, point, exponent, digit[10];  // the next state; 0: none, as nothing leads to the first
};
enum {
	I_START,
	I_SIGNED,
	I_ZERO,        // a lone one
	I_DIGIT,       // another digit
	I_MORE,        // several
	I_POINT,       // behind any but one digit
	I_ZEROS,       // and behind it nothing but zeros
	I_MINUS,       // of an exponent
	I_MINUS_ZERO,  // which must be 0
	I_LAST,        // an exponent that wants a digit more
	I_ANY,         // one that is large enough
	I_FRACTIONS    // the states of fractions, then of exponents
};
// Behind the point of a single digit k digits of a fraction: all of them zeros; the last one 0, but not all; not 0.
#define I_ALL_ZEROS(k) (I_FRACTIONS + 3 * (k))
#define I_ENDS_IN_ZERO(k) (I_ALL_ZEROS(k) + 1)
#define I_ENDS(k) (I_ALL_ZEROS(k) + 2)
// Behind the e of an exponent that must be k at least; behind its + and zeros; behind a 1 that alone is too small.
#define I_EXPONENT(k) (I_ALL_ZEROS(NUMBER_FRACTION + 1) + 3 * (k))
#define I_STATES I_EXPONENT(NUMBER_FRACTION + 1)
static_assert(NUMBER_FRACTION <= 20, "a digit behind 2 to 9 makes an exponent large enough");

static void digits_lead(struct number_state *q, uint32_t first, uint32_t last, uint32_t to)
{
	for (uint32_t d = first; d <= last; d++) q->digit[d] = to;
}

static void make_exponents(struct number_state *q)
{
	q[I_MINUS].digit[0] = q[I_MINUS_ZERO].digit[0] = I_MINUS_ZERO;
	q[I_MINUS_ZERO].accepts = q[I_ANY].accepts = true;
	digits_lead(&q[I_LAST], 0, 9, I_ANY), digits_lead(&q[I_ANY], 0, 9, I_ANY);
	q[I_EXPONENT(0)].minus = I_MINUS;
	for (uint32_t k = 0; k <= NUMBER_FRACTION; k++) {
		const uint32_t at = I_EXPONENT(k), signed_at = at + 1, tens = at + 2;
		for (uint32_t d = 0; d < 10; d++) {
			const uint32_t alone = d >= k ? I_ANY : k >= 10 && d == 1 ? tens : d ? I_LAST : signed_at;
			q[at].digit[d] = q[signed_at].digit[d] = alone;
			q[tens].digit[d] = 10 + d >= k ? I_ANY : I_LAST;
		}
		q[at].plus = signed_at;
	}
}

static void make_fractions(struct number_state *q)
{
	q[I_ALL_ZEROS(1)].exponent = I_EXPONENT(0);
	for (uint32_t k = 0; k <= NUMBER_FRACTION; k++) {
		const bool is_full = k == NUMBER_FRACTION;
		q[I_ALL_ZEROS(k)].accepts = k > 0;
		q[I_ALL_ZEROS(k)].digit[0] = is_full ? I_ZEROS : I_ALL_ZEROS(k + 1);
		q[I_ENDS(k)].exponent = I_EXPONENT(k);
		if (is_full) break;
		q[I_ENDS(k)].digit[0] = q[I_ENDS_IN_ZERO(k)].digit[0] = I_ENDS_IN_ZERO(k + 1);
		for (uint32_t i = 0; i < 3; i++) digits_lead(&q[I_ALL_ZEROS(k) + i], 1, 9, I_ENDS(k + 1));
	}
}

typedef VEC(struct language_edge) language_edges;

static void push_step(language_edges *edges, uint32_t from, uint32_t to, uint8_t byte)
{
	if (to) vec_push(edges, ((struct language_edge){from, to, byte, byte}));
}

static language integers(struct schema *s)
{
	struct number_state q[I_STATES] = {0};
	bool accept[I_STATES];
	language_edges edges = {0};
	q[I_START].minus = I_SIGNED;
	for (uint32_t i = I_START; i <= I_SIGNED; i++) q[i].digit[0] = I_ZERO, digits_lead(&q[i], 1, 9, I_DIGIT);
	q[I_ZERO].accepts = q[I_DIGIT].accepts = q[I_MORE].accepts = q[I_ZEROS].accepts = true;
	digits_lead(&q[I_DIGIT], 0, 9, I_MORE), digits_lead(&q[I_MORE], 0, 9, I_MORE);
	q[I_ZERO].point = q[I_MORE].point = I_POINT;
	q[I_POINT].digit[0] = q[I_ZEROS].digit[0] = I_ZEROS;
	q[I_DIGIT].point = I_ALL_ZEROS(0), q[I_DIGIT].exponent = I_EXPONENT(0);
	make_fractions(q), make_exponents(q);
	for (uint32_t i = 0; i < I_STATES; i++) {
		push_step(&edges, i, q[i].plus, '+');
		push_step(&edges, i, q[i].minus, '-');
		push_step(&edges, i, q[i].point, '.');
		for (uint32_t d = 0; d < 10; d++) push_step(&edges, i, q[i].digit[d], (uint8_t)('0' + d));
		push_step(&edges, i, q[i].exponent, 'E');
		push_step(&edges, i, q[i].exponent, 'e');
		accept[i] = q[i].accepts;
	}
	language l = language_of_automaton(s->languages, I_STATES, accept, edges.at, edges.n);
	vec_release(&edges);
	return l;
}

struct numbers numbers_integer(struct schema *s, bool draft_4)
{
	language *made = draft_4 ? &s->number.integers_4 : &s->number.integers;
	if (!*made) *made = draft_4 ? regex(s, "-?" INT) : integers(s);
	return (struct numbers){*made, false};
}

// Texts without a sign whose value is at least (equal to) that of b, which is not 0, without its sign.
static language compare(struct schema *s, const struct decimal *b, bool only, bool negative)
{
	char *whole = mem_alloc(100000 + SCHEMA_MAX_DIGITS), *fraction = mem_alloc(100000 + SCHEMA_MAX_DIGITS);
	size_t n, m;
	struct text_out text;
	parts(b, whole, &n, fraction, &m);
	if (n + m > SCHEMA_MAX_DIGITS) work_too_large("SCHEMA_MAX_DIGITS", SCHEMA_MAX_DIGITS);
	text_open(&text);
	FILE *f = text.f;
	fputs(negative ? "-(?:" : "(?:", f);
	if (only) {
		fprintf(f, "%.*s", (int)n, whole);
		if (m)
			fprintf(f, "\\.%.*s0*", (int)m, fraction);
		else
			fputs("(?:\\.0+)?", f);
	} else {
		at_least(f, whole, n, m == 0), fputs("(?:\\.[0-9]+)?", f);
		if (m) fprintf(f, "|%.*s\\.", (int)n, whole), fraction_at_least(f, fraction, m);
	}
	if (b->n <= NUMBER_FRACTION + 1) {
		uint32_t rest = b->n - 1;
		fprintf(f, "|%c", b->digit[0]);
		if (only || rest) {
			if (rest && only)
				fprintf(f, "\\.%.*s0{0,%u}", (int)rest, b->digit + 1, NUMBER_FRACTION - rest);
			else if (only)
				fputs("(?:\\.0+)?", f);
			else
				fputs("\\.", f), fraction_at_least(f, b->digit + 1, rest);
		} else {
			fputs("(?:\\.[0-9]+)?", f);
		}
		fputs("[eE]", f), exponent(f, b->exponent - 1, true);
	} else if (!only) {
		fprintf(f, "|%c\\.", b->digit[0]), fraction_at_least(f, b->digit + 1, NUMBER_FRACTION);
		fputs("[eE]", f), exponent(f, b->exponent - 1, true);
	}
	if (!only) {
		if (b->digit[0] < '9')
			fprintf(f, "|[%c-9](?:\\.[0-9]+)?[eE]", b->digit[0] + 1), exponent(f, b->exponent - 1, true);
		fputs("|[1-9](?:\\.[0-9]+)?[eE]", f), exponent(f, b->exponent, false);
	}
	fputs(")", f);
	text_end(&text);
	language l = regex(s, text.text);
	text_drop(&text);
	free(whole), free(fraction);
	return language_and(s->languages, l, s->number.all);
}

struct numbers numbers_equal(struct schema *s, const struct decimal *b)
{
	make_base(s);
	if (!b->n) return (struct numbers){regex(s, "-?0(\\.0+)?"), false};
	return (struct numbers){compare(s, b, true, b->negative), false};
}

static language at_least_signed(struct schema *s, const struct decimal *b)
{
	struct languages *ls = s->languages;
	if (!b->n) return language_or(ls, s->number.unsigned_all, regex(s, "-0(\\.0+)?"));
	if (!b->negative) return compare(s, b, false, false);
	// Not beyond b on the other side.
	language beyond = language_minus(ls, compare(s, b, false, true), compare(s, b, true, true));
	return language_or(ls, s->number.unsigned_all, language_minus(ls, s->number.negative_all, beyond));
}

struct numbers numbers_bound(struct schema *s, enum number_bound kind, const struct decimal *b)
{
	make_base(s);
	struct languages *ls = s->languages;
	language least = at_least_signed(s, b), equal = numbers_equal(s, b).of, l = least;
	switch (kind) {
	case NUMBER_LEAST: break;
	case NUMBER_MORE: l = language_minus(ls, least, equal); break;
	case NUMBER_LESS: l = language_minus(ls, s->number.all, least); break;
	case NUMBER_MOST: l = language_or(ls, language_minus(ls, s->number.all, least), equal); break;
	}
	return tidy(s, (struct numbers){l, false});
}

// What is kept of the digits so far, for a divisor modulus * 10^zeros: how many zeros they end in, up to `zeros`, and
// the remainder of what stands before these. The digits behind `kept` and then d.
static uint32_t digits_then(uint32_t kept, uint32_t d, uint32_t modulus, uint32_t zeros)
{
	uint32_t ends_in = kept / modulus, r = kept % modulus;
	if (!d) return ends_in < zeros ? kept + modulus : ends_in * modulus + r * 10 % modulus;
	for (uint32_t i = 0; i < ends_in; i++) r = r * 10 % modulus;
	return (r * 10 + d) % modulus;
}

language numbers_spelled(struct schema *s, language l)
{
	static const char text[] = "0|-?(?:[1-9][0-9]*|" INT "\\.[0-9]*[1-9])";
	struct number_cache *c = &s->number;
	if (!c->spelled) c->spelled = regex(s, text);
	const language in_one_way = language_and(s->languages, l, c->spelled);
	if (l == c->integers || l == c->integers_4) c->integers_spelled = in_one_way;
	return in_one_way;
}

// Branches: the automaton of a decimal modulo another: sign, whole part, point, places and the zeros behind them.
bool numbers_multiple(struct schema *s, const struct decimal *b, struct numbers *out)
{
	make_base(s);
	// b = modulus * 10^-places, or modulus * 10^zeros.
	int32_t places = (int32_t)b->n - b->exponent;
	uint32_t modulus = 0, zeros = places < 0 ? (uint32_t)-places : 0;
	for (uint32_t i = 0; i < b->n; i++) {
		modulus = modulus * 10 + (uint32_t)(b->digit[i] - '0');
		if (modulus > SCHEMA_MAX_MODULUS) return false;
	}
	if (zeros) places = 0;
	if (places > 1000 || zeros > 1000) return false;
	// States: 0 the start, 1 behind "-", then (digits so far, phase): phase 0 a lone 0, 1 the whole part, 2 behind the
	// point without a digit, 2 + k behind k digits; at `places` more digits are zeros.
	const uint32_t phases = (uint32_t)places + 3, n_kept = modulus * (zeros + 1);
	if ((uint64_t)n_kept * phases > LANGUAGE_MAX_STATES - 10) return false;
	if (modulus == 1 && !places && !zeros) {
		*out = numbers_integer(s, false);
		return true;
	}
	uint32_t n = 2 + n_kept * phases;
	uint32_t *power = mem_alloc(((size_t)places + 1) * sizeof *power);  // 10^k modulo modulus
	power[0] = 1 % modulus;
	for (int32_t k = 1; k <= places; k++) power[k] = power[k - 1] * 10 % modulus;
	bool *accept = mem_calloc(n, sizeof *accept);
	VEC(struct language_edge) edges = {0};
#define STATE(r, phase) (2 + (r)*phases + (phase))
	vec_push(&edges, ((struct language_edge){0, 1, '-', '-'}));
	for (uint32_t q = 0; q < 2; q++)
		for (uint32_t d = 0; d < 10; d++)
			vec_push(&edges, ((struct language_edge){q, STATE(d ? d % modulus : zeros * modulus, d ? 1 : 0),
			                                         (uint8_t)('0' + d), (uint8_t)('0' + d)}));
	for (uint32_t r = 0; r < n_kept; r++)
		for (uint32_t phase = 0; phase < phases; phase++) {
			uint32_t q = STATE(r, phase), behind = phase >= 2 ? phase - 2 : 0;
			if (phase < 2) vec_push(&edges, ((struct language_edge){q, STATE(r, 2), '.', '.'}));
			if (phase != 2)
				accept[q] =
					r / modulus == zeros && (uint64_t)(r % modulus) * power[(uint32_t)places - behind] % modulus == 0;
			// The rest is zeros: a state of its own for it would be equal, one with remainder 0.
			for (uint32_t d = 0; d < 10 && phase != 0; d++) {
				bool last = phase >= 2 && behind == (uint32_t)places;
				if (last && d) break;
				uint32_t to = last ? UINT32_MAX : STATE(digits_then(r, d, modulus, zeros), phase == 1 ? 1 : phase + 1);
				// At the last place: a zero stays there. Without places the phase behind the first zero is 2 itself,
				// which does not accept, so it takes a state more: see below.
				if (last) to = places ? q : n;
				if (last && !places && r != zeros * modulus) break;
				vec_push(&edges, ((struct language_edge){q, to, (uint8_t)('0' + d), (uint8_t)('0' + d)}));
			}
		}
	// Whole multiples behind "." and a zero.
	bool *all = mem_calloc((size_t)n + 1, sizeof *all);
	memcpy(all, accept, n * sizeof *all);
	all[n] = true;
	vec_push(&edges, ((struct language_edge){n, n, '0', '0'}));
	language l = language_of_automaton(s->languages, n + 1, all, edges.at, edges.n);
#undef STATE
	vec_release(&edges);
	free(accept), free(all), free(power);
	*out = (struct numbers){l, true};
	return true;
}
