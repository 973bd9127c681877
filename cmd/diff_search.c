// Shortest texts that one artifact allows and another does not.
//
// In:  two artifacts, bounds. Out: texts, and whether the search saw everything.
// Breadth first over pairs (place in one, place in the other), from the empty text. A place is what a matcher holds:
// readings with their stacks; equal pairs are looked at once (interned). A byte stands for all that both lexers treat
// alike. Where one matcher takes the byte and the other does not, they part; the text is then ended as shortly as the
// one alone can, by the same search with it on both sides. Where the search runs out of pairs, nothing else differs.
// Source: equivalence of automata by search of the product (Hopcroft, Karp 1971), here of infinite ones, hence the
// bounds. Cost: places * distinct bytes * accepting; memory: the texts of places, as parents.
#include "diff_search.h"

#include <string.h>

#include "base/intern.h"
#include "place.h"

#define MAX_STACKS 64u  // of a place; with more, or deeper ones, it is never equal to another
#define MAX_DEPTH 1024u

struct step {
	uint32_t parent;
	uint8_t byte;
};
struct pair_search {
	const char *command;
	const struct artifact_view *view[2];
	gcdc_matcher *matcher[2];
	uint8_t bytes[256];  // representatives
	uint32_t n_bytes;
	const struct diff_bounds *bounds;
	struct intern seen;
	VEC(struct step) steps;  // the queue: entry 0 is the empty text
	VEC(uint32_t) sign;      // of the place at hand
	bool sign_is_whole;
};

// ---- What a place is, as numbers.
static void sign_stack(void *to, const gcdc_shown_stack *s)
{
	struct pair_search *x = to;
	vec_push(&x->sign, s->n);
	for (uint32_t i = 0; i < s->n; i++) vec_push(&x->sign, s->lr_states[i]);
	x->sign_is_whole &= !s->is_cut;
}

static gcdc_status sign_matcher(struct pair_search *s, const gcdc_matcher *m)
{
	gcdc_shown_reading r;
	gcdc_status status = GCDC_OK;
	uint32_t lexing = GCDC_NONE, column = 0;
	terminal_set columns = {0};
	for (uint32_t i = 0; gcdc_show_reading(m, i, &r) && !status; i++) {
		vec_push(&s->sign, r.lexing != lexing);  // lexings by order, not by number
		lexing = r.lexing;
		vec_push(&s->sign, r.lex_state), vec_push(&s->sign, r.counted);
		bool all = true;
		column = place_columns(m, i, &columns);
		vec_push(&s->sign, columns.n);
		for (uint32_t k = 0; k < columns.n; k++) vec_push(&s->sign, columns.at[k]);
		status = gcdc_show_stacks(m, i, (gcdc_show_limits){MAX_STACKS, MAX_DEPTH}, sign_stack, s, &all);
		s->sign_is_whole &= all;
	}
	vec_push(&s->sign, column);
	vec_release(&columns);
	return status;
}

// Adds the place to the queue unless it was there. Both matchers stand behind the text of `step`.
static gcdc_status add_place(struct pair_search *s, struct step step)
{
	bool is_new = true;
	gcdc_status status = GCDC_OK;
	s->sign.n = 0;
	s->sign_is_whole = true;
	for (int k = 0; k < 2 && !status; k++) status = sign_matcher(s, s->matcher[k]);
	if (status) return status;
	if (s->sign_is_whole) intern_add(&s->seen, s->sign.at, s->sign.n * sizeof *s->sign.at, &is_new);
	if (is_new) vec_push(&s->steps, step);
	return GCDC_OK;
}

static size_t text_of(const struct pair_search *s, uint32_t place, char *text)
{
	size_t len = 0, at;
	for (uint32_t p = place; p; p = s->steps.at[p].parent) len++;
	at = len;
	for (uint32_t p = place; p; p = s->steps.at[p].parent) text[--at] = (char)s->steps.at[p].byte;
	return len;
}

// One byte for each pair of classes; letters and digits rather than others. Blanks make columns, so they stand for
// themselves.
static void choose_bytes(struct pair_search *s)
{
	bool has_lines = s->view[0]->info->n_lines || s->view[1]->info->n_lines;
	static const char first[] = "a1 0bx\n";
	for (uint32_t i = 0; i < 256 + sizeof first - 1; i++) {
		uint8_t b = i < sizeof first - 1 ? (uint8_t)first[i]
		                                 : (uint8_t)(i - (sizeof first - 1) + ' ');  // printable before controls
		bool is_new = true;
		for (uint32_t k = 0; k < s->n_bytes && is_new; k++) {
			uint8_t c = s->bytes[k];
			bool alike = !has_lines || (b != ' ' && b != '\t' && b != '\n' && c != ' ' && c != '\t' && c != '\n');
			for (int v = 0; v < 2; v++) alike &= s->view[v]->info->class_of[b] == s->view[v]->info->class_of[c];
			is_new = !alike && b != c;
		}
		if (is_new) s->bytes[s->n_bytes++] = b;
	}
}

static gcdc_status go_to(struct pair_search *s, const char *text, size_t len)
{
	gcdc_status status = GCDC_OK;
	for (int k = 0; k < 2 && !status; k++) {
		gcdc_matcher_reset(s->matcher[k]);
		status = gcdc_matcher_accept_bytes(s->matcher[k], text, len);
	}
	return status;
}

static bool search_begin(struct pair_search *s, const char *command, const struct artifact_view *a,
                         const struct artifact_view *b, const struct diff_bounds *bounds)
{
	*s = (struct pair_search){.command = command, .view = {a, b}, .bounds = bounds};
	choose_bytes(s);
	for (int k = 0; k < 2; k++) {
		gcdc_status status =
			gcdc_matcher_new(s->view[k]->artifact, &(gcdc_matcher_options){.max_rollback = 1}, &s->matcher[k]);
		if (status) {
			cli_status_error(command, "matcher", status);
			return false;
		}
	}
	return true;
}

static void search_release(struct pair_search *s)
{
	for (int k = 0; k < 2; k++) gcdc_matcher_free(s->matcher[k]);
	intern_release(&s->seen);
	vec_release(&s->steps);
	vec_release(&s->sign);
}

// ---- The shortest end of a text.
// text has room for bounds->bytes; *len grows to a whole text of the artifact, if one is near enough.
// Branches: a breadth-first search whose every step on either matcher may fail.
static gcdc_status end_text(const struct pair_search *of, const struct artifact_view *v, char *text, size_t *len,
                            bool *is_whole)
{
	struct pair_search s;
	size_t begin = *len;
	gcdc_status status = GCDC_OK;
	*is_whole = false;
	if (!search_begin(&s, of->command, v, v, of->bounds)) {
		search_release(&s);
		return GCDC_ERR_MEMORY;
	}
	vec_push(&s.steps, ((struct step){0, 0}));
	for (uint32_t p = 0; p < s.steps.n && p < of->bounds->places && !status && !*is_whole; p++) {
		size_t n = begin + text_of(&s, p, text + begin);
		status = go_to(&s, text, n);
		if (status > 0) status = GCDC_ERR_INTERNAL;
		if (status) break;
		*is_whole = gcdc_matcher_is_completed(s.matcher[0]);
		if (*is_whole) *len = n;
		for (uint32_t i = 0; i < s.n_bytes && !*is_whole && !status && n < of->bounds->bytes; i++) {
			status = gcdc_matcher_accept_bytes(s.matcher[0], &s.bytes[i], 1);
			if (status == GCDC_REJECTED)
				status = GCDC_OK;
			else if (!status) {
				status = gcdc_matcher_accept_bytes(s.matcher[1], &s.bytes[i], 1);
				if (!status) status = add_place(&s, (struct step){p, s.bytes[i]});
				for (int k = 0; k < 2 && !status; k++) status = gcdc_matcher_rollback(s.matcher[k], 1);
			}
		}
	}
	search_release(&s);
	return status;
}

// ---- The search.
static uint64_t count_of(const struct diff_result *r, bool only_first)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < r->texts.n; i++) n += r->texts.at[i].only_first == only_first;
	return n;
}

// They part behind `prefix` bytes of text, which has n.
static gcdc_status note(struct pair_search *s, struct diff_result *r, char *text, size_t prefix, size_t n,
                        bool only_first)
{
	if (count_of(r, only_first) >= s->bounds->texts) return GCDC_OK;
	struct diff_text t = {
		.only_first = only_first, .is_end = n == prefix, .prefix = prefix, .is_whole = true, .len = n};
	gcdc_status status = GCDC_OK;
	if (!t.is_end) status = end_text(s, s->view[only_first ? 0 : 1], text, &t.len, &t.is_whole);
	if (status) return status;
	t.text = mem_alloc(t.len + 1);
	memcpy(t.text, text, t.len);
	t.text[t.len] = 0;
	vec_push(&r->texts, t);
	return GCDC_OK;
}

static gcdc_status try_byte(struct pair_search *s, struct diff_result *r, uint32_t place, char *text, size_t n,
                            uint8_t byte)
{
	gcdc_status status[2];
	for (int k = 0; k < 2; k++) {
		status[k] = gcdc_matcher_accept_bytes(s->matcher[k], &byte, 1);
		if (status[k] < 0) return status[k];
	}
	gcdc_status wrong = GCDC_OK;
	if (!status[0] && !status[1]) {
		if (n + 1 < s->bounds->bytes)
			wrong = add_place(s, (struct step){place, byte});
		else
			r->is_complete = false;
	} else if (status[0] != status[1]) {
		text[n] = (char)byte;
		wrong = note(s, r, text, n, n + 1, !status[0]);
	}
	for (int k = 0; k < 2 && !wrong; k++)
		if (!status[k]) wrong = gcdc_matcher_rollback(s->matcher[k], 1);
	return wrong;
}

static gcdc_status search(struct pair_search *s, struct diff_result *r, char *text)
{
	gcdc_status status = go_to(s, "", 0);
	if (status) return status < 0 ? status : GCDC_ERR_INTERNAL;
	status = add_place(s, (struct step){0, 0});
	r->is_complete = true;
	for (uint32_t p = 0; p < s->steps.n && !status; p++) {
		bool is_enough = count_of(r, true) >= s->bounds->texts || count_of(r, false) >= s->bounds->texts;
		if (p >= s->bounds->places || (r->texts.n && is_enough)) {
			r->is_complete = false;
			break;
		}
		size_t n = text_of(s, p, text);
		r->n_places = p + 1;
		r->longest = n;
		status = go_to(s, text, n);
		if (status > 0) status = GCDC_ERR_INTERNAL;
		if (status) break;
		bool ends = gcdc_matcher_is_completed(s->matcher[0]);
		if (ends != gcdc_matcher_is_completed(s->matcher[1])) status = note(s, r, text, n, n, ends);
		for (uint32_t i = 0; i < s->n_bytes && !status; i++) status = try_byte(s, r, p, text, n, s->bytes[i]);
	}
	return status;
}

int diff_search(struct diff_result *r, const char *command, const struct artifact_view *a,
                const struct artifact_view *b, const struct diff_bounds *bounds)
{
	struct pair_search s;
	*r = (struct diff_result){0};
	if (!search_begin(&s, command, a, b, bounds)) {
		search_release(&s);
		return CODE_INTERNAL;
	}
	char *text = mem_alloc(bounds->bytes + 2);
	gcdc_status status = search(&s, r, text);
	free(text);
	search_release(&s);
	return status ? cli_status_error(command, "the search", status) : CODE_OK;
}

void diff_result_release(struct diff_result *r)
{
	for (uint32_t i = 0; i < r->texts.n; i++) free(r->texts.at[i].text);
	vec_release(&r->texts);
}
