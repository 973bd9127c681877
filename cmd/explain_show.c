// Explanations as words, and as JSON.
//
// In:  an explanation's facts. Out: a verdict, the place, and for each way to read the text what was read, what lies on
// the stack, and one sentence that says why it stops. Stacks with the same sentence share it. Terminals go by name,
// literals by their text: nothing depends on how states are numbered.
#include "explain.h"
#include "base/text_show.h"

#include <string.h>

#define MAX_LEXINGS 6u
#define MAX_LEXEMES 8u   // the last ones
#define MAX_SYMBOLS 16u  // the topmost
#define MAX_NAMES 12u
#define MAX_TEXT 40u  // bytes of a text that is quoted

const char *const stop_names[] = {
	[STOP_NOT] = "none",
	[STOP_BEGINS] = "begins",
	[STOP_UNFINISHED] = "unfinished",
	[STOP_UNWANTED] = "unwanted",
	[STOP_PARSER] = "parser",
	[STOP_LONGER] = "longer",
	[STOP_COLUMN] = "column",
	[STOP_TAB] = "tab",
	[STOP_DEAD_END] = "dead_end",
	[STOP_OPEN] = "open",
	[STOP_LOOKAHEAD] = "lookahead",
	[STOP_END] = "end",
	[STOP_EQUAL] = "equal",
};
const char *const verdict_names[] = {
	[VERDICT_ALLOWED] = "allowed", [VERDICT_FORBIDDEN] = "forbidden", [VERDICT_PREFIX] = "prefix",
	[VERDICT_CONTROL] = "control", [VERDICT_CANONICAL] = "canonical",
};

// The end of a text, after "..." when it is long.
static void show_tail(FILE *out, const char *text, size_t len)
{
	size_t n = len < MAX_TEXT ? len : MAX_TEXT;
	while (n < len && n && ((unsigned char)text[len - n] & 0xC0) == 0x80) n--;  // not inside a character
	if (n < len) fputs("...", out);
	text_show(out, text + len - n, n, 0);
}

static void show_names(FILE *out, const struct explanation *e, const terminal_set *l, const char *joined)
{
	if (!strcmp(joined, " ")) {
		terminals_show(out, e->view, l, MAX_NAMES);
		return;
	}
	for (uint32_t i = 0; i < l->n; i++)
		fprintf(out, "%s%s", !i ? "" : i + 1 == l->n ? joined : ", ", terminal_show(e->view, l->at[i]));
}

static void show_found(FILE *out, const struct explanation *e)
{
	const char *text = e->text + e->at;
	size_t len = e->len - e->at;
	if (e->found_len && e->found.n == 1 && view_terminal(e->view, e->found.at[0])->flags & TERMINAL_LITERAL) {
		fprintf(out, ", not %s", terminal_show(e->view, e->found.at[0]));
		return;
	}
	fputs("; ", out);
	if (e->found_len) {
		text_show(out, text, e->found_len, MAX_TEXT);
		fputs(" would be ", out);
		show_names(out, e, &e->found, " or ");
	} else if (e->found.n) {
		text_show(out, text, len, MAX_TEXT);
		fputs(" would begin ", out);
		show_names(out, e, &e->found, " or ");
	} else {
		fputs("nothing in this grammar begins with ", out);
		text_show(out, text, len, MAX_TEXT);
	}
}

static void show_columns(FILE *out, const struct explained_stack *s)
{
	uint32_t inner = s->columns.n ? s->columns.at[0] : 0;
	fprintf(out, "the line begins at column %u; ", s->column);
	if (s->column > inner) {
		fprintf(out, "deeper than %u would be an indent, which the parser does not want here", inner);
		return;
	}
	fputs("open are the columns 0", out);
	for (uint32_t k = s->columns.n; k-- > 0;) fprintf(out, ", %u", s->columns.at[k]);
	bool is_open = !s->column;
	for (uint32_t k = 0; k < s->columns.n; k++) is_open |= s->columns.at[k] == s->column;
	if (is_open) fputs(", but the parser does not want the blocks to end here", out);
}

static void show_wanted(FILE *out, const struct explanation *e, const struct explained_stack *s)
{
	terminal_set ends_as = {0};
	for (uint32_t i = 0; i < s->ends_as.n; i++)
		if (!view_is_ignored(e->view, s->ends_as.at[i])) vec_push(&ends_as, s->ends_as.at[i]);
	if (ends_as.n) {
		fputs("after ", out);
		show_names(out, e, &ends_as, " or ");
		if (s->has_column && !s->column_is_open) fprintf(out, " with column %u", s->column);
		fputs(" the parser wants ", out);
	} else {
		fputs("the parser wants ", out);
	}
	show_names(out, e, &s->wanted, " ");
	vec_release(&ends_as);
}

// Branches: one sentence for each reason why a token is masked.
static void show_because(FILE *out, const struct explanation *e, const struct explained_lexing *l,
                         const struct explained_stack *s)
{
	const char *hand = e->text + l->lexing->begin;
	size_t len = e->shown->at - l->lexing->begin;
	switch (s->stop) {
	case STOP_NOT:
		if (s->ends_as.n || !len) {
			show_wanted(out, e, s);
		} else {
			text_show(out, hand, len, MAX_TEXT);
			fputs(" goes on", out);
		}
		break;
	case STOP_BEGINS:
	case STOP_PARSER:
		show_wanted(out, e, s);
		show_found(out, e);
		break;
	case STOP_UNFINISHED:
		text_show(out, hand, len, MAX_TEXT);
		fputs(" is not finished: it can become ", out);
		show_names(out, e, &l->may_become, " or ");
		if (e->at < e->len) {
			fputs(", which does not go on with ", out);
			text_show(out, e->text + e->at, 1, 0);
		}
		break;
	case STOP_UNWANTED:
		text_show(out, hand, len, MAX_TEXT);
		fputs(" would be ", out);
		show_names(out, e, &s->ends_as, " or ");
		fputs(", and the parser wants ", out);
		show_names(out, e, &s->wanted, " ");
		break;
	case STOP_LONGER:
		fputs("the longest match is taken: a lexeme before ", out);
		text_show(out, hand, len, MAX_TEXT);
		fputs(" would go on with ", out);
		text_show(out, e->text + e->at, 1, 0);
		fputs(" and be longer", out);
		break;
	case STOP_COLUMN: show_columns(out, s); break;
	case STOP_TAB: fputs("the line begins with a tab, which this grammar refuses", out); break;
	case STOP_DEAD_END:
		fputs("it can be read, but no tokens of the vocabulary lead from there to the end of a text", out);
		if (s->wanted.n) {
			fputs("; ", out);
			show_wanted(out, e, s);
		}
		break;
	case STOP_EQUAL:
		fprintf(out, "it would make items %llu and %llu equal, and uniqueItems lets no two of them be",
		        (unsigned long long)e->equal[0], (unsigned long long)e->equal[1]);
		break;
	case STOP_OPEN:
		fputs("the text cannot end inside ", out);
		show_names(out, e, &l->may_become, " or ");
		break;
	case STOP_LOOKAHEAD:
		text_show(out, hand, len, MAX_TEXT);
		fputs(" ends as ", out);
		for (uint32_t i = 0; i < s->ends_as.n; i++)
			fprintf(out, "%s%s", i ? " or " : "", terminal_show(e->view, s->ends_as.at[i]));
		fputs(" only where its lookahead holds: ", out);
		for (uint32_t i = 0; i < s->ends_as.n; i++)
			fprintf(out, "%s%s", i ? ", " : "", view_terminal_pattern(e->view, s->ends_as.at[i]));
		break;
	case STOP_END:
		fputs("the text cannot end here: ", out);
		show_wanted(out, e, s);
		break;
	}
}

static char *because(const struct explanation *e, const struct explained_lexing *l, const struct explained_stack *s)
{
	char *text = NULL;
	size_t size;
	FILE *f = text_stream(&text, &size);
	show_because(f, e, l, s);
	fclose(f);
	return text;
}

static void show_lexemes(FILE *out, const struct explanation *e, const gcdc_lexing *x, size_t from)
{
	if (x->n - from > MAX_LEXEMES) fputs("... ", out), from = x->n - MAX_LEXEMES;
	if (from == x->n) fputs("nothing", out);
	for (size_t i = from; i < x->n; i++) {
		const gcdc_lexeme *y = &x->lexemes[i];
		fprintf(out, "%s%s", i > from ? "  " : "", terminal_show(e->view, y->terminal));
		if (view_terminal(e->view, y->terminal)->flags & TERMINAL_LITERAL) continue;
		fputc(' ', out);
		text_show(out, e->text + y->begin, y->end - y->begin, MAX_TEXT);
	}
}

static void show_given_up(FILE *out, const struct explanation *e, const struct given_up *g)
{
	const gcdc_lexing *x = g->lexing;
	size_t from = x->n;  // the lexemes in which it differs from what was gone on with
	for (uint32_t i = 0; i < e->lexings.n; i++)
		while (from && x->lexemes[from - 1].begin >= e->lexings.at[i].lexing->begin) from--;
	fputs("  not      ", out);
	if (from < x->n) show_lexemes(out, e, x, from), fputs("  ", out);
	text_show(out, e->text + x->begin, g->shown->at - x->begin, MAX_TEXT);
	fputs(": ", out);
	text_show(out, e->text + g->shown->at, 1, 0);
	fputs(g->stop == STOP_LONGER ? " makes a longer lexeme, and the longest is taken\n"
	                             : " is what its lookahead refuses\n",
	      out);
}

static void show_lexing(FILE *out, const struct explanation *e, const struct explained_lexing *l)
{
	const gcdc_lexing *x = l->lexing;
	fputs("  read     ", out);
	show_lexemes(out, e, x, 0);
	fputs("\n  at hand  ", out);
	if (x->begin < e->shown->at) {
		text_show(out, e->text + x->begin, e->shown->at - x->begin, MAX_TEXT);
		bool is_itself = l->may_become.n == 1 &&
		                 view_terminal(e->view, l->may_become.at[0])->flags & TERMINAL_LITERAL &&
		                 strlen(view_terminal_pattern(e->view, l->may_become.at[0])) == e->shown->at - x->begin + 2;
		if (!is_itself) fputs(" of ", out), show_names(out, e, &l->may_become, " or ");
	} else {
		fputs("nothing", out);
	}
	fputc('\n', out);
	for (uint32_t i = 0; i < l->stacks.n;) {
		char *why = because(e, l, &l->stacks.at[i]);
		for (; i < l->stacks.n; i++) {
			char *other = because(e, l, &l->stacks.at[i]);
			bool same = !strcmp(why, other);
			free(other);
			if (!same) break;
			fputs("  stack    ", out);
			place_stack_show(out, e->view, &l->stacks.at[i].stack, MAX_SYMBOLS);
			fputc('\n', out);
		}
		if (e->verdict != VERDICT_ALLOWED)
			fprintf(out, "  because  %s\n", why);
		else if (!e->is_end)
			fprintf(out, "  next     %s\n", why);
		free(why);
	}
	if (l->has_more) fprintf(out, "  and more stacks than %u\n", PLACE_MAX_STACKS);
}

void explain_show(FILE *out, const struct explanation *e)
{
	const char *token = e->text + e->prefix_len;
	if (e->is_end)
		fprintf(out, "the end (token %u)", e->token);
	else if (e->verdict == VERDICT_CONTROL)
		fprintf(out, "token %u", e->token);
	else
		text_show(out, token, e->len - e->prefix_len, 0);
	if (!e->is_end && e->verdict != VERDICT_CONTROL) {
		if (e->token == EXPLAIN_NO_TOKEN)
			fputs(" (text, not a token)", out);
		else
			fprintf(out, " (token %u)", e->token);
	}
	fprintf(out, " is %sallowed ", e->verdict == VERDICT_ALLOWED ? "" : "not ");
	if (e->prefix_len) {
		fputs("after ", out);
		show_tail(out, e->text, e->prefix_len);
	} else {
		fputs("at the beginning", out);
	}
	fputc('\n', out);
	if (e->verdict == VERDICT_CONTROL) {
		fputs("  because  it is a control token, or an id without a token: it has no text, and only EOS ends a text\n",
		      out);
		return;
	}
	if (e->verdict == VERDICT_CANONICAL) {
		fprintf(out, "  because  it is %s\n", e->canonical);
		return;
	}
	if (e->verdict == VERDICT_PREFIX) {
		fprintf(out, "no text begins with what comes before it: byte %zu, ", e->at);
		text_show(out, e->text + e->at, 1, 0);
		fputs(", cannot follow ", out);
		show_tail(out, e->text, e->at);
		fputc('\n', out);
	} else if (e->verdict == VERDICT_FORBIDDEN && e->at > e->prefix_len && e->at < e->len) {
		text_show(out, token, e->at - e->prefix_len, MAX_TEXT);
		fputs(" may follow, and ", out);
		text_show(out, e->text + e->at, 1, 0);
		fputs(" not after it\n", out);
	}
	explain_readings(out, e);
}

void explain_readings(FILE *out, const struct explanation *e)
{
	for (uint32_t i = 0; i < e->lexings.n && i < MAX_LEXINGS; i++) {
		if (e->lexings.n > 1) fprintf(out, "reading %u of %u\n", i + 1, e->lexings.n);
		show_lexing(out, e, &e->lexings.at[i]);
	}
	for (uint32_t i = 0; i < e->given_up.n; i++) show_given_up(out, e, &e->given_up.at[i]);
}

// ---- JSON.
static void json_terminals(struct json_writer *j, const char *key, const struct explanation *e, const terminal_set *l)
{
	json_key(j, key);
	json_array(j);
	for (uint32_t i = 0; i < l->n; i++) json_string(j, view_terminal_name(e->view, l->at[i]));
	json_close(j);
}

static void json_stack(struct json_writer *j, const struct explanation *e, const struct explained_lexing *l,
                       const struct explained_stack *s)
{
	json_object(j);
	json_key(j, "stack");
	json_array(j);
	for (uint32_t i = 0; i < s->stack.symbols.n; i++) {
		uint32_t symbol = s->stack.symbols.at[i];
		json_string(j, symbol == ARTIFACT_NONE ? "?" : view_symbol_name(e->view, symbol));
	}
	json_close(j);
	json_uint_entry(j, "lex_state", s->lex_state);
	json_uint_entry(j, "lr_state", s->stack.at.at[s->stack.at.n - 1]);
	json_string_entry(j, "stop", stop_names[s->stop]);
	json_terminals(j, "ends_as", e, &s->ends_as);
	json_terminals(j, "wanted", e, &s->wanted);
	if (s->has_column) {
		json_key(j, "column");
		if (s->column == GCDC_NONE)
			json_null(j);
		else
			json_uint(j, s->column);
		json_key(j, "open_columns");
		json_array(j);
		for (uint32_t k = 0; k < s->columns.n; k++) json_uint(j, s->columns.at[k]);
		json_close(j);
	}
	char *why = because(e, l, s);
	json_text_entry(j, "because", why, strlen(why));
	free(why);
	json_close(j);
}

// What was read, and what is at hand `at` bytes into the text.
static void json_lexemes(struct json_writer *j, const struct explanation *e, const gcdc_lexing *x, size_t at)
{
	json_key(j, "lexemes");
	json_array(j);
	for (size_t i = 0; i < x->n; i++) {
		json_object(j);
		json_string_entry(j, "terminal", view_terminal_name(e->view, x->lexemes[i].terminal));
		json_uint_entry(j, "begin", x->lexemes[i].begin);
		json_text_entry(j, "text", e->text + x->lexemes[i].begin, x->lexemes[i].end - x->lexemes[i].begin);
		json_close(j);
	}
	json_close(j);
	json_text_entry(j, "at_hand", e->text + x->begin, at - x->begin);
}

static void json_lexing(struct json_writer *j, const struct explanation *e, const struct explained_lexing *l)
{
	json_object(j);
	json_lexemes(j, e, l->lexing, e->shown->at);
	json_terminals(j, "may_become", e, &l->may_become);
	json_key(j, "stacks");
	json_array(j);
	for (uint32_t i = 0; i < l->stacks.n; i++) json_stack(j, e, l, &l->stacks.at[i]);
	json_close(j);
	json_bool_entry(j, "more_stacks", l->has_more);
	json_close(j);
}

void explain_json(struct json_writer *j, const struct explanation *e)
{
	json_object(j);
	json_text_entry(j, "prefix", e->text, e->prefix_len);
	json_text_entry(j, "text", e->text + e->prefix_len, e->len - e->prefix_len);
	json_key(j, "token");
	if (e->token == EXPLAIN_NO_TOKEN)
		json_null(j);
	else
		json_uint(j, e->token);
	json_bool_entry(j, "eos", e->is_end);
	json_bool_entry(j, "allowed", e->verdict == VERDICT_ALLOWED);
	json_string_entry(j, "verdict", verdict_names[e->verdict]);
	if (e->canonical) json_string_entry(j, "canonical", e->canonical);
	json_uint_entry(j, "at", e->at);
	json_terminals(j, "found", e, &e->found);
	json_text_entry(j, "found_text", e->text + e->at, e->verdict == VERDICT_CONTROL ? 0 : e->found_len);
	json_key(j, "readings");
	json_array(j);
	for (uint32_t i = 0; i < e->lexings.n; i++) json_lexing(j, e, &e->lexings.at[i]);
	json_close(j);
	json_key(j, "given_up");
	json_array(j);
	for (uint32_t i = 0; i < e->given_up.n; i++) {
		json_object(j);
		json_uint_entry(j, "at", e->given_up.at[i].shown->at);
		json_string_entry(j, "stop", stop_names[e->given_up.at[i].stop]);
		json_lexemes(j, e, e->given_up.at[i].lexing, e->given_up.at[i].shown->at);
		json_close(j);
	}
	json_close(j);
	json_close(j);
}
