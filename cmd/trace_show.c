// A matcher's trace (gcdc/runtime.h), as lines for people.
//
// In:  events.  Out: a line each; states, terminals and sets by the numbers and names of gcdc inspect.
#include "trace_show.h"

#include "base/text_show.h"

static void show_rule(const struct trace_show *x, uint32_t production)
{
	const struct view_production p = view_production(x->view, production);
	fprintf(x->out, "%s:", view_nonterminal_name(x->view, p.left));
	for (uint32_t i = 0; i < p.n; i++) fprintf(x->out, " %s", view_symbol_name(x->view, p.right[i]));
}

static void show_step(const struct trace_show *x, const gcdc_trace_event *e)
{
	if (e->token == GCDC_NONE)
		fputs("trace: text ", x->out);
	else
		fprintf(x->out, "trace: token %u ", e->token);
	text_show(x->out, e->bytes, e->len, 60);
	fputc('\n', x->out);
}

// Literals without a name of their own as their text.
static const char *terminal_text(const struct trace_show *x, uint32_t t)
{
	const char *name = view_terminal_name(x->view, t);
	return strncmp(name, "__ANON", 6) == 0 ? view_terminal_pattern(x->view, t) : name;
}

void trace_show(const gcdc_trace_event *e, void *user)
{
	struct trace_show *x = user;
	FILE *out = x->out;
	switch (e->kind) {
	case GCDC_TRACE_STEP: show_step(x, e); break;
	case GCDC_TRACE_LEXEME:
		fprintf(out, "trace:   before byte %zu a lexeme ends: %s\n", e->at, terminal_text(x, e->terminal));
		break;
	case GCDC_TRACE_REDUCE:
		fputs("trace:     reduce ", out);
		show_rule(x, e->production);
		fprintf(out, "; parser state %u\n", e->lr_state);
		break;
	case GCDC_TRACE_SHIFT:
		fprintf(out, "trace:     push %s; parser state %u\n", terminal_text(x, e->terminal), e->lr_state);
		break;
	case GCDC_TRACE_FORK:
		fprintf(out, "trace:     several ways from parser state %u under %s\n", e->lr_state,
		        terminal_text(x, e->terminal));
		break;
	case GCDC_TRACE_STOP:
		fprintf(out, "trace:     parser state %u refuses %s\n", e->lr_state, terminal_text(x, e->terminal));
		break;
	case GCDC_TRACE_READING:
		fprintf(out, "trace:   reading: lexer state %u, parser state %u on %u frame%s\n", e->lex_state, e->lr_state,
		        e->depth, cli_s(e->depth));
		break;
	case GCDC_TRACE_SET: fprintf(out, "trace:   set %u: %u token%s\n", e->set, e->n, cli_s(e->n)); break;
	case GCDC_TRACE_WITHOUT: fprintf(out, "trace:   without set %u: %u token%s\n", e->set, e->n, cli_s(e->n)); break;
	case GCDC_TRACE_TOKENS: fprintf(out, "trace:   %u token%s besides\n", e->n, cli_s(e->n)); break;
	}
}
