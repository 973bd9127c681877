// Repetitions that are counted: how many of them have been read.
//
// In:  an artifact with counters, a lexer state, a byte. Out: the state behind it, with the number that is counted.
// A state with a number is a number itself (formats/artifact.h), so whatever holds lexer states holds it: readings,
// histories, forks. What tables say of it is what they say of the state without the number (lex_base): from
// a counted state more repetitions may still come than any token passes, however many have been counted.
// Counters of one terminal lead to each other's states: a string beside a pattern has one for each of its states.
// Cost: a search among the counted states for each byte in one of them that has a number, and among the counters for
// each step that counts from one state of a pattern to another.
#include "runtime_internal.h"

// The place of a state in COUNTED; n_states: it is not there.
static uint32_t find_counted(const struct gcdc_artifact *a, uint32_t lex_state)
{
	const struct artifact_counted *at = a->counter_states;
	uint32_t first = 0, n = a->counter_info->n_states;
	LAST_AT_MOST(first, n, at[first].lex_state <= lex_state);
	return at[first].lex_state == lex_state ? first : a->counter_info->n_states;
}

// The counter that leads to a state, among those that count together with one: they have one `more`. NULL: none does.
static const struct artifact_counter *find_counter(const struct gcdc_artifact *a, uint32_t counter, uint32_t to)
{
	const struct artifact_counter *k = a->counter_list;
	uint32_t first = 0, n = a->counter_info->n_counters;
	LAST_AT_MOST(first, n, k[first].to <= to);
	return k[first].to == to && k[first].more == k[counter].more ? &k[first] : NULL;
}

uint32_t lex_counted_next(const struct gcdc_artifact *a, uint32_t q, uint32_t c)
{
	const uint32_t n_states = a->counter_info->n_states, n = a->info.n_lex_states;
	uint32_t number = lex_counted(a, q);
	const uint32_t at = q < n ? find_counted(a, q) : (q - n) % n_states;
	assert(at < n_states);
	const uint32_t x = a->lex_next[(uint64_t)a->counter_states[at].lex_state * a->info.n_classes + c];
	const struct artifact_counter *k = &a->counter_list[a->counter_states[at].counter];
	const bool is_shared = counter_is_shared(k);
	uint32_t to = x & LEX_STATE_MASK;
	if (x & LEX_COUNTED) {
		if (number == k->more) return is_shared ? 0 : to;
		to = find_counter(a, a->counter_states[at].counter, to)->from, number++;
	}
	if (!number) return x;
	const uint32_t place = find_counted(a, to);
	if (place == n_states) return x;  // it has left the repetition
	if (is_shared && a->limits->end[place] > k->more - number) return 0;
	return (x & LEX_COUNTED ? 0 : x & LEX_CUT) | (n + (number - 1) * n_states + place);
}

gcdc_status counters_take(struct gcdc_artifact *a, const struct section_file *f, gcdc_refusal *why)
{
	const struct section_row head = {SECTION_COUNTERS, &a->counter_info, 1, sizeof *a->counter_info};
	gcdc_status status = section_take_head(a, f, &head, why);
	const struct artifact_counters *t = a->counter_info;
	if (status || !t) return status;
	if (t->flags & COUNTERS_SHARED && !a->parts->unique)
		return refuse(why, GCDC_ERR_UNSUPPORTED, SECTION_COUNTERS, 0,
		              "counters that share states, which this runtime was linked without: link libgcdc_runtime");
	if (a->info.n_lines || a->info.end_newline || f->at[SECTION_CANON])
		return refuse(why, GCDC_ERR_FORMAT, SECTION_COUNTERS, 0,
		              "counters beside columns of lines or canonical tables");
	const struct section_row rows[] = {
#define HEAD(...)
#define SECTIONS_OF SECTIONS_COUNTER
#define SECTION(id, NAME, member, type, count, ...) {id, &a->counter_##member, count, sizeof(type)},
#include "../../../formats/sections.def"
	};
	return section_take(a, f, rows, sizeof rows / sizeof *rows, why);
}

// Masks leave tokens out for one reading, and lists of tokens are as long as one is.
static gcdc_status check_shared(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	if (!(a->counter_info->flags & COUNTERS_SHARED)) return GCDC_OK;
	if (a->info.max_readings > 1 || a->info.n_choice)
		return refuse(why, GCDC_ERR_FORMAT, SECTION_COUNTERS, 0,
		              "shared counters beside several readings or conflicts");
	if (a->info.max_token_len <= COUNTERS_MAX_TOKEN) return GCDC_OK;
	return refuse_number(why, SECTION_COUNTERS, 0, "bytes of a token beside shared counters", a->info.max_token_len,
	                     COUNTERS_MAX_TOKEN);
}

// All numbers of states are below LEX_COUNTED.
static gcdc_status check_numbers(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct artifact_counters *t = a->counter_info;
	if (t->flags & ~(uint32_t)(COUNTERS_SHARED | COUNTERS_FAR) || t->flags == COUNTERS_FAR || t->reserved ||
	    !t->n_counters || !t->n_states)
		return refuse(why, GCDC_ERR_FORMAT, SECTION_COUNTERS, 0,
		              "counters: a count, a flag or a reserved field is wrong");
	for (uint32_t k = 0; k < t->n_counters; k++) {
		const struct artifact_counter *x = &a->counter_list[k];
		uint64_t last = a->info.n_lex_states + (uint64_t)x->more * t->n_states;
		if (!x->more || last >= LEX_COUNTED)
			return refuse_number(why, SECTION_COUNTER, k * sizeof *x, "repetitions that are counted", x->more,
			                     (LEX_COUNTED - a->info.n_lex_states) / t->n_states);
		if (counter_is_shared(x) && !(t->flags & COUNTERS_SHARED))
			return refuse_number(why, SECTION_COUNTER, k * sizeof *x, "a shared counter, without the flag", x->to, 0);
		if (k && x->to <= x[-1].to)
			return refuse_number(why, SECTION_COUNTER, k * sizeof *x, "counters ascend by `to`", x->to, x[-1].to);
	}
	return GCDC_OK;
}

// Steps that count go from a counted state to the `to` of a counter with the same `more`; others from one lead to
// counted states of such counters, or leave them. *n: steps that count.
static gcdc_status check_steps(const struct gcdc_artifact *a, uint32_t at, uint64_t *n, gcdc_refusal *why)
{
	const struct artifact_counted *x = &a->counter_states[at];
	const struct artifact_counter *k = &a->counter_list[x->counter];
	const uint32_t *row = &a->lex_next[(uint64_t)x->lex_state * a->info.n_classes];
	for (uint32_t c = 0; c < a->info.n_classes; c++) {
		uint32_t to = row[c] & LEX_STATE_MASK, place = find_counted(a, to);
		bool counts = row[c] & LEX_COUNTED,
			 is_other =
				 place < a->counter_info->n_states && a->counter_list[a->counter_states[place].counter].more != k->more;
		*n += counts;
		if (counts ? !find_counter(a, x->counter, to) || !(row[c] & LEX_CUT) : is_other)
			return refuse_number(why, SECTION_LEX_NEXT, ((uint64_t)x->lex_state * a->info.n_classes + c) * sizeof *row,
			                     "step from a counted state", to, k->to);
	}
	return GCDC_OK;
}

// Branches: one rule for each of the tables of counters, all of which may be missing.
gcdc_status counters_validate(const struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct artifact_counters *t = a->counter_info;
	const uint64_t n_next = (uint64_t)a->info.n_lex_states * a->info.n_classes;
	uint64_t n_counting = 0, n_found = 0;
	gcdc_status status = t ? check_numbers(a, why) : GCDC_OK;
	if (t && !status) status = check_shared(a, why);
	for (uint32_t i = 0; t && i < t->n_states && !status; i++)
		if (i && a->counter_states[i].lex_state <= a->counter_states[i - 1].lex_state)
			status = refuse_number(why, SECTION_COUNTED, i * sizeof *a->counter_states, "counted states ascend",
			                       a->counter_states[i].lex_state, a->counter_states[i - 1].lex_state);
	for (uint32_t i = 0; t && i < t->n_states && !status; i++) status = check_steps(a, i, &n_counting, why);
	for (uint32_t k = 0; t && k < t->n_counters && !status; k++) {
		uint32_t place = find_counted(a, a->counter_list[k].from);
		if (place == t->n_states || a->counter_states[place].counter != k)
			status = refuse_number(why, SECTION_COUNTER, k * sizeof *a->counter_list, "first counted state",
			                       a->counter_list[k].from, t->n_states);
	}
	for (uint64_t i = 0; i < n_next; i++) n_found += a->lex_next[i] >> 30 & 1;
	if (!status && n_found != n_counting)
		status = refuse_number(why, SECTION_LEX_NEXT, 0, "steps that count, from states that do", n_found, n_counting);
	return status;
}
