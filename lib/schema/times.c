// Times of RFC 3339 (full-time). Leap seconds are those that are 23:59:60 in UTC, in each zone.
//
// In:  nothing; any_minute: leap seconds may stand in each minute. Out: the language of HH:MM:SS, a fraction or none,
// and an offset.
// Of a leap second the minute of the day is kept until the offset is written: so the automaton has states (minute,
// place in the text) and, behind the sign, one for each offset that is still to be written. Other seconds forget the
// minute. For all offsets that would take 11,000 states. Offsets of a leap second are multiples of 15 minutes here, as
// those of all zones are: 800 states. Where a schema denies that a string is a time (negated.c), texts between these
// and leap seconds in any minute are left out (value.c), so that no text is taken for another.
// Beside a length each character of a fraction is a state of its own, for each of the 96 minutes. Where that is too
// much, fractions of leap seconds have at most 9 digits; those of other seconds, which share their states, any number.
// Cost: 96 minutes times 7 places.
#include "internal.h"

#define MINUTES 1440u
#define LAST_MINUTE (MINUTES - 1)  // 23:59

// Places of the time, by what was written; then of the offset, by what is still to be written.
enum time_place {
	PLACE_START,
	PLACE_HOUR_DIGIT,                         // 3
	PLACE_HOUR = PLACE_HOUR_DIGIT + 3,        // 24
	PLACE_COLON = PLACE_HOUR + 24,            // 24
	PLACE_MINUTE_DIGIT = PLACE_COLON + 24,    // 144
	PLACE_MINUTE = PLACE_MINUTE_DIGIT + 144,  // 1440, and so are the next five
	PLACE_SECOND_COLON = PLACE_MINUTE + MINUTES,
	PLACE_SIX = PLACE_SECOND_COLON + MINUTES,
	PLACE_SIXTY = PLACE_SIX + MINUTES,
	PLACE_POINT = PLACE_SIXTY + MINUTES,
	PLACE_FRACTION = PLACE_POINT + MINUTES,
	OFFSET_WHOLE = PLACE_FRACTION + MINUTES,     // 1440: HH:MM
	OFFSET_HOUR_DIGIT = OFFSET_WHOLE + MINUTES,  // 600: H:MM
	OFFSET_COLON = OFFSET_HOUR_DIGIT + 600,      // 60: :MM
	OFFSET_MINUTE = OFFSET_COLON + 60,           // 60: MM
	OFFSET_MINUTE_DIGIT = OFFSET_MINUTE + 60,    // 10: M
	PLACE_END = OFFSET_MINUTE_DIGIT + 10,
	COMMON_COLON_AT_SECOND,  // of a minute that has no leap second
	COMMON_TENS_BELOW_60,
	COMMON_SIX,  // of a leap second in any minute
	// Of seconds below 60: their tens, both digits, the point, a fraction; then the offset, by what was written.
	COMMON_TENS,
	COMMON_SECOND,
	COMMON_POINT,
	COMMON_FRACTION,
	COMMON_OFFSET,
	COMMON_HOUR_BELOW_20,
	COMMON_HOUR_FROM_20,
	COMMON_COLON,
	COMMON_MINUTE,
	COMMON_MINUTE_TENS,
	N_PLACES
};

typedef VEC(struct language_edge) edge_list;

static void add_range(edge_list *out, uint32_t from, char lo, char hi, uint32_t to)
{
	vec_push(out, ((struct language_edge){from, to, (uint8_t)lo, (uint8_t)hi}));
}

static void add(edge_list *out, uint32_t from, char byte, uint32_t to) { add_range(out, from, byte, byte, to); }

// Can the minute's last second be 23:59:60 in UTC, in one of the zones?
static bool may_leap(uint32_t minute) { return minute % 15 == 14; }

// HH:MM:
static void add_minutes(edge_list *out, bool any_minute)
{
	for (uint32_t k = 0; k < 3; k++) add(out, PLACE_START, (char)('0' + k), PLACE_HOUR_DIGIT + k);
	for (uint32_t hour = 0; hour < 24; hour++)
		add(out, PLACE_HOUR_DIGIT + hour / 10, (char)('0' + hour % 10), PLACE_HOUR + hour);
	for (uint32_t hour = 0; hour < 24; hour++) add(out, PLACE_HOUR + hour, ':', PLACE_COLON + hour);
	for (uint32_t k = 0; k < 144; k++) add(out, PLACE_COLON + k / 6, (char)('0' + k % 6), PLACE_MINUTE_DIGIT + k);
	for (uint32_t t = 0; t < MINUTES; t++)
		add(out, PLACE_MINUTE_DIGIT + t / 10, (char)('0' + t % 10),
		    !any_minute && may_leap(t) ? PLACE_MINUTE + t : COMMON_COLON_AT_SECOND);
	for (uint32_t t = 0; t < MINUTES; t++) add(out, PLACE_MINUTE + t, ':', PLACE_SECOND_COLON + t);
}

// What may follow the second 60, in the order of bytes.
static void add_offset(edge_list *out, uint32_t from, uint32_t t, bool has_point)
{
	add(out, from, '+', OFFSET_WHOLE + (t + MINUTES - LAST_MINUTE) % MINUTES);
	add(out, from, '-', OFFSET_WHOLE + (LAST_MINUTE - t) % MINUTES);
	if (has_point) add(out, from, '.', PLACE_POINT + t);
	if (from >= PLACE_FRACTION) add_range(out, from, '0', '9', from);
	if (t == LAST_MINUTE) add(out, from, 'Z', PLACE_END), add(out, from, 'z', PLACE_END);
}

static void add_leap_seconds(edge_list *out)
{
	for (uint32_t t = 0; t < MINUTES; t++) {
		add_range(out, PLACE_SECOND_COLON + t, '0', '5', COMMON_TENS);
		add(out, PLACE_SECOND_COLON + t, '6', PLACE_SIX + t);
	}
	for (uint32_t t = 0; t < MINUTES; t++) add(out, PLACE_SIX + t, '0', PLACE_SIXTY + t);
	for (uint32_t t = 0; t < MINUTES; t++) add_offset(out, PLACE_SIXTY + t, t, true);
	for (uint32_t t = 0; t < MINUTES; t++) add_range(out, PLACE_POINT + t, '0', '9', PLACE_FRACTION + t);
	for (uint32_t t = 0; t < MINUTES; t++) add_offset(out, PLACE_FRACTION + t, t, false);
	for (uint32_t o = 0; o < MINUTES; o++)
		add(out, OFFSET_WHOLE + o, (char)('0' + o / 600), OFFSET_HOUR_DIGIT + o / 60 % 10 * 60 + o % 60);
	for (uint32_t k = 0; k < 600; k++) add(out, OFFSET_HOUR_DIGIT + k, (char)('0' + k / 60), OFFSET_COLON + k % 60);
	for (uint32_t m = 0; m < 60; m++) add(out, OFFSET_COLON + m, ':', OFFSET_MINUTE + m);
	for (uint32_t m = 0; m < 60; m++) add(out, OFFSET_MINUTE + m, (char)('0' + m / 10), OFFSET_MINUTE_DIGIT + m % 10);
	for (uint32_t k = 0; k < 10; k++) add(out, OFFSET_MINUTE_DIGIT + k, (char)('0' + k), PLACE_END);
}

static void add_common_seconds(edge_list *out, bool any_minute)
{
	add(out, COMMON_COLON_AT_SECOND, ':', COMMON_TENS_BELOW_60);
	add_range(out, COMMON_TENS_BELOW_60, '0', '5', COMMON_TENS);
	if (any_minute) add(out, COMMON_TENS_BELOW_60, '6', COMMON_SIX), add(out, COMMON_SIX, '0', COMMON_SECOND);
	add_range(out, COMMON_TENS, '0', '9', COMMON_SECOND);
	for (uint32_t from = COMMON_SECOND; from <= COMMON_FRACTION; from++) {
		if (from != COMMON_POINT) add(out, from, '+', COMMON_OFFSET), add(out, from, '-', COMMON_OFFSET);
		if (from == COMMON_SECOND)
			add(out, from, '.', COMMON_POINT);
		else
			add_range(out, from, '0', '9', COMMON_FRACTION);
		if (from != COMMON_POINT) add(out, from, 'Z', PLACE_END), add(out, from, 'z', PLACE_END);
	}
	add_range(out, COMMON_OFFSET, '0', '1', COMMON_HOUR_BELOW_20);
	add(out, COMMON_OFFSET, '2', COMMON_HOUR_FROM_20);
	add_range(out, COMMON_HOUR_BELOW_20, '0', '9', COMMON_COLON);
	add_range(out, COMMON_HOUR_FROM_20, '0', '3', COMMON_COLON);
	add(out, COMMON_COLON, ':', COMMON_MINUTE);
	add_range(out, COMMON_MINUTE, '0', '5', COMMON_MINUTE_TENS);
	add_range(out, COMMON_MINUTE_TENS, '0', '9', PLACE_END);
}

language times_of_day(struct schema *s, bool any_minute)
{
	edge_list edges = {0};
	bool *accept = mem_calloc(N_PLACES, sizeof *accept);
	accept[PLACE_END] = true;
	add_minutes(&edges, any_minute);
	add_leap_seconds(&edges);
	add_common_seconds(&edges, any_minute);
	language l = language_of_automaton(s->languages, N_PLACES, accept, edges.at, edges.n);
	vec_release(&edges);
	free(accept);
	return l;
}

language without_long_leap_seconds(struct schema *s, language l)
{
	static const char longer[] = "[\\s\\S]*:60\\.[0-9]{10}[\\s\\S]*";
	const struct regex_text text = {longer, sizeof longer - 1, TERM_A, (struct loc){0}, "leap second"};
	const language others = language_of_regex(s->languages, &text, s->d);
	ASSERT(others != LANGUAGE_ERROR);
	return language_and(s->languages, l, language_not(s->languages, others));
}
