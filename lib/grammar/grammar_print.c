// A terminal's pattern as Lark would write it.
//
// In:   a term. Out: text for people; what Lark has no notation for is in angle brackets. Cost: linear.
#include "grammar.h"

static void print_text(const char *text, uint32_t n, FILE *out)
{
	fputc('"', out);
	for (uint32_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];
		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c == '\n')
			fputs("\\n", out);
		else if (c == '\t')
			fputs("\\t", out);
		else if (c == '\r')
			fputs("\\r", out);
		else if (c < 32 || c == 127)
			fprintf(out, "\\x%02x", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

static void print_flags(uint32_t flags, FILE *out)
{
	static const char letters[] = "imsxua";
	for (uint32_t i = 0; i < 6; i++)
		if (flags >> i & 1) fputc(letters[i], out);
}

static void print_code_point(uint32_t c, FILE *out)
{
	if (c >= 32 && c < 127 && c != '"' && c != '\\')
		fprintf(out, "\"%c\"", (int)c);
	else
		fprintf(out, "\"\\U%08x\"", c);
}

static void print_repeat(const struct term *t, FILE *out)
{
	if (t->lo == 0 && t->hi == 1)
		fputc('?', out);
	else if (t->lo <= 1 && t->hi == TERM_UNBOUNDED)
		fputc(t->lo ? '+' : '*', out);
	else if (t->lo == t->hi)
		fprintf(out, "~%u", t->lo);
	else if (t->hi == TERM_UNBOUNDED)
		fprintf(out, "~%u..", t->lo);
	else
		fprintf(out, "~%u..%u", t->lo, t->hi);
}

// <[3,10-20]>
static void print_control(const struct term *t, FILE *out)
{
	const uint32_t *id = (const void *)t->text;
	uint32_t n = t->text_len / (uint32_t)sizeof *id;
	for (uint32_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && id[end] == id[end - 1] + 1;) end++;
		fprintf(out, i ? ",%u" : "<[%u", id[i]);
		if (end - i > 1) fprintf(out, "-%u", id[end - 1]);
	}
	fputs("]>", out);
}

// Branches: one case for each kind of term.
static void print_term(const struct term *t, bool is_inner, FILE *out)
{
	bool is_list = t->kind == TERM_SEQ || t->kind == TERM_ALT || t->kind == TERM_AND;
	bool brackets = is_inner && (is_list || t->kind == TERM_NOT);
	if (brackets) fputc('(', out);
	switch (t->kind) {
	case TERM_TEXT: print_text(t->text, t->text_len, out), print_flags(t->flags, out); break;
	case TERM_REGEX:
		fputc('/', out);
		for (uint32_t i = 0; i < t->text_len; i++) {
			unsigned char c = (unsigned char)t->text[i];
			if (c < 32 || c == 127)
				fprintf(out, "\\x%02x", c);
			else
				fputc(c, out);
		}
		fputc('/', out), print_flags(t->flags, out);
		break;
	case TERM_RANGE: print_code_point(t->lo, out), fputs("..", out), print_code_point(t->hi, out); break;
	case TERM_REPEAT: print_term(t->children[0], true, out), print_repeat(t, out); break;
	case TERM_AUTOMATON: {
		uint32_t n;
		memcpy(&n, t->text, sizeof n);
		fprintf(out, "<automaton of %u states>", n);
		break;
	}
	case TERM_STRING: {
		const struct term_automaton a = term_automaton_read(t->text);
		fprintf(out, "<strings of %u to %u characters, automaton of %u states>", t->lo, t->hi, a.n_states);
		break;
	}
	case TERM_NOT: fputc('~', out), print_term(t->children[0], true, out); break;
	case TERM_CONTROL: print_control(t, out); break;
	case TERM_TOKENS: print_term(t->children[0], true, out), fprintf(out, "[max_tokens=%u]", t->hi); break;
	case TERM_WHOLE_TOKEN:
		fputs(t->lo ? "<one token of some>" : t->text_len ? "<a token but some>" : "<any token>", out);
		break;
	case TERM_TO_TOKEN_END: print_term(t->children[0], true, out), fputs("<the token's end>", out); break;
	case TERM_SEQ:
	case TERM_ALT:
	case TERM_AND:
		for (uint32_t i = 0; i < t->n_children; i++) {
			if (i) fputs(t->kind == TERM_SEQ ? " " : t->kind == TERM_ALT ? " | " : " & ", out);
			print_term(t->children[i], t->kind != TERM_AND || t->children[i]->kind != TERM_NOT, out);
		}
	}
	if (brackets) fputc(')', out);
}

void grammar_print_pattern(const struct term *t, FILE *out) { print_term(t, false, out); }

#define MAX_SHOWN 60  // bytes of a pattern in a message

const char *grammar_show_terminal(const struct terminal *t, struct arena *a)
{
	const bool is_numbered = t->name && (!strncmp(t->name, "__ANON_", 7) || !strncmp(t->name, "__IGNORE_", 9));
	if (!t->pattern || (t->name && !is_numbered)) return t->name ? t->name : "?";
	char text[MAX_SHOWN + 2] = {0};
	FILE *f = fmemopen(text, sizeof text - 1, "w");
	if (!f) return t->name;
	grammar_print_pattern(t->pattern, f);
	fclose(f);
	size_t len = strlen(text), n = len < MAX_SHOWN ? len : MAX_SHOWN - 1;
	while (n < len && ((unsigned char)text[n] & 0xC0) == 0x80) n--;  // whole characters
	return arena_printf(a, "%.*s%s", (int)n, text, n < len ? "..." : "");
}

struct loc grammar_terminal_loc(const struct grammar *g, terminal_id t)
{
	struct loc loc = g->terminals[t].loc;
	for (uint32_t p = 0; p < g->n_productions && !loc.source; p++)
		for (uint32_t i = 0; i < g->productions[p].n_rhs; i++)
			if (g->productions[p].rhs[i] == t) loc = g->productions[p].loc;
	return loc;
}
