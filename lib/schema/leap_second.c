// Leap seconds: times of RFC 3339 that are 23:59:60 in UTC, in each zone.
//
// In:  nothing. Out: the language of HH:MM:60, a fraction or none, and the offset that makes it 23:59 in UTC.
// The minute of the day is kept until the offset is written: so an automaton of states (minute, place in the text) and,
// behind the sign, one for each offset that is still to be written. Cost: 1,440 minutes times 9 places.
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
	N_PLACES
};

typedef VEC(struct language_edge) edge_list;

static void add(edge_list *out, uint32_t from, char byte, uint32_t to)
{
	vec_push(out, ((struct language_edge){from, to, (uint8_t)byte, (uint8_t)byte}));
}

// HH:MM:
static void add_minutes(edge_list *out)
{
	for (uint32_t k = 0; k < 3; k++) add(out, PLACE_START, (char)('0' + k), PLACE_HOUR_DIGIT + k);
	for (uint32_t hour = 0; hour < 24; hour++)
		add(out, PLACE_HOUR_DIGIT + hour / 10, (char)('0' + hour % 10), PLACE_HOUR + hour);
	for (uint32_t hour = 0; hour < 24; hour++) add(out, PLACE_HOUR + hour, ':', PLACE_COLON + hour);
	for (uint32_t k = 0; k < 144; k++) add(out, PLACE_COLON + k / 6, (char)('0' + k % 6), PLACE_MINUTE_DIGIT + k);
	for (uint32_t t = 0; t < MINUTES; t++)
		add(out, PLACE_MINUTE_DIGIT + t / 10, (char)('0' + t % 10), PLACE_MINUTE + t);
	for (uint32_t t = 0; t < MINUTES; t++) add(out, PLACE_MINUTE + t, ':', PLACE_SECOND_COLON + t);
}

// What may follow the second, in the order of bytes.
static void add_offset(edge_list *out, uint32_t from, uint32_t t, bool has_point)
{
	add(out, from, '+', OFFSET_WHOLE + (t + MINUTES - LAST_MINUTE) % MINUTES);
	add(out, from, '-', OFFSET_WHOLE + (LAST_MINUTE - t) % MINUTES);
	if (has_point) add(out, from, '.', PLACE_POINT + t);
	if (from >= PLACE_FRACTION) vec_push(out, ((struct language_edge){from, from, '0', '9'}));
	if (t == LAST_MINUTE) add(out, from, 'Z', PLACE_END), add(out, from, 'z', PLACE_END);
}

language leap_second_times(struct schema *s)
{
	edge_list edges = {0};
	bool *accept = mem_calloc(N_PLACES, sizeof *accept);
	accept[PLACE_END] = true;
	add_minutes(&edges);
	for (uint32_t t = 0; t < MINUTES; t++) add(&edges, PLACE_SECOND_COLON + t, '6', PLACE_SIX + t);
	for (uint32_t t = 0; t < MINUTES; t++) add(&edges, PLACE_SIX + t, '0', PLACE_SIXTY + t);
	for (uint32_t t = 0; t < MINUTES; t++) add_offset(&edges, PLACE_SIXTY + t, t, true);
	for (uint32_t t = 0; t < MINUTES; t++)
		vec_push(&edges, ((struct language_edge){PLACE_POINT + t, PLACE_FRACTION + t, '0', '9'}));
	for (uint32_t t = 0; t < MINUTES; t++) add_offset(&edges, PLACE_FRACTION + t, t, false);
	for (uint32_t o = 0; o < MINUTES; o++)
		add(&edges, OFFSET_WHOLE + o, (char)('0' + o / 600), OFFSET_HOUR_DIGIT + o / 60 % 10 * 60 + o % 60);
	for (uint32_t k = 0; k < 600; k++) add(&edges, OFFSET_HOUR_DIGIT + k, (char)('0' + k / 60), OFFSET_COLON + k % 60);
	for (uint32_t m = 0; m < 60; m++) add(&edges, OFFSET_COLON + m, ':', OFFSET_MINUTE + m);
	for (uint32_t m = 0; m < 60; m++)
		add(&edges, OFFSET_MINUTE + m, (char)('0' + m / 10), OFFSET_MINUTE_DIGIT + m % 10);
	for (uint32_t k = 0; k < 10; k++) add(&edges, OFFSET_MINUTE_DIGIT + k, (char)('0' + k), PLACE_END);
	language l = language_of_automaton(s->languages, N_PLACES, accept, edges.at, edges.n);
	vec_release(&edges);
	free(accept);
	return l;
}
