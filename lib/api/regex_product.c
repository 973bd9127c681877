// An artifact's lexer and canonical tables, multiplied (lib/canonical, CartesianMerge).
//
// In:  an artifact that has been opened, so that its sections are right. Out: the product, or why there is none.
// Only where the grammar is one terminal, which the text is as a whole, perhaps also the empty text: then the lexer's
// automaton is the language's. A lexer that looks at what follows, or counts columns, is none. Cost: product_build's.
#include "regex_product.h"

struct reader {
	const gcdc_artifact *a;
	const struct artifact_info *info;
};

static const void *section(const struct reader *r, uint32_t id) { return gcdc_artifact_section(r->a, id, NULL); }

// Is the text one lexeme, or *may_be_empty nothing?
static bool is_one_terminal(const struct reader *r, bool *may_be_empty)
{
	const struct artifact_production *p = section(r, SECTION_PRODUCTION);
	const struct artifact_terminal *t = section(r, SECTION_TERMINAL);
	*may_be_empty = false;
	if (r->info->n_terminals != 1 || t[0].flags & TERMINAL_IGNORED || r->info->n_lines) return false;
	for (uint32_t i = 0; i < r->info->n_productions; i++) {
		if (p[i].length > 1) return false;
		*may_be_empty |= !p[i].length;  // all rules are useful, and lead to nothing else
	}
	return true;
}

static bool take_lexer(const struct reader *r, bool may_be_empty, struct regex_product *out)
{
	const struct artifact_lex_state *q = section(r, SECTION_LEX_STATE);
	const uint32_t *next = section(r, SECTION_LEX_NEXT);
	uint32_t n = r->info->n_lex_states;
	out->next = mem_alloc(n * 256ull * sizeof *out->next), out->accepts = mem_calloc(n + 1ull, 1);
	for (uint32_t s = 0; s < n; s++) {
		if (q[s].also || q[s].flags & LEX_LINE) return false;
		out->accepts[s] = q[s].terminal != ARTIFACT_NONE && q[s].flags & LEX_MAY_END;
		for (uint32_t b = 0; b < 256; b++) {
			uint32_t to = next[(size_t)s * r->info->n_classes + r->info->class_of[b]] & LEX_STATE_MASK;
			out->next[s * 256ull + b] = to ? to : ARTIFACT_NONE;
		}
	}
	out->accepts[r->info->start_lex_state] |= may_be_empty;
	out->dfa = (struct byte_automaton){n, r->info->start_lex_state, out->next, out->accepts};
	return true;
}

static void take_canonical(const struct reader *r, struct canonical *c)
{
	memcpy(&c->info, section(r, SECTION_CANON), sizeof c->info);
	c->n_tokens = r->info->n_tokens;
	c->parts = section(r, SECTION_CANON_PARTS), c->time = section(r, SECTION_CANON_TIME);
	c->place = section(r, SECTION_CANON_PLACE), c->at = section(r, SECTION_CANON_AT);
	c->first = section(r, SECTION_CANON_FIRST), c->joins = section(r, SECTION_CANON_JOIN);
	c->patches = section(r, SECTION_CANON_PATCH), c->class_of = section(r, SECTION_CANON_CLASS);
	c->pages = section(r, SECTION_CANON_PAGE), c->chars = section(r, SECTION_CANON_CHAR);
	c->kinds = section(r, SECTION_CANON_KIND), c->steps = section(r, SECTION_CANON_STEP);
	c->sets = section(r, SECTION_CANON_SET), c->allow = section(r, SECTION_CANON_ALLOW);
	c->added = section(r, SECTION_CANON_ADDED), c->splits = section(r, SECTION_CANON_SPLIT);
	c->bad = section(r, SECTION_CANON_BAD), c->joints = section(r, SECTION_CANON_JOINT);
	c->marks = section(r, SECTION_CANON_MARK);
}

static void take_vocab(const struct reader *r, struct vocab *v)
{
	uint32_t n = r->info->n_tokens, *len = mem_alloc(n * sizeof *len);
	const uint8_t **bytes = mem_alloc(n * sizeof *bytes);
	uint8_t *kind = mem_alloc(n);
	for (uint32_t t = 0; t < n; t++) {
		bytes[t] = gcdc_artifact_token(r->a, t, &len[t]);
		kind[t] = len[t] ? TOKEN_TEXT : TOKEN_CONTROL;
	}
	vocab_build(n, bytes, len, kind, 0, NULL, v);
	free(len), free(bytes), free(kind);
}

void regex_product_open(const gcdc_artifact *a, const struct vocab *v, struct regex_product *out)
{
	struct reader r = {a, gcdc_artifact_section(a, SECTION_INFO, NULL)};
	bool may_be_empty;
	*out = (struct regex_product){0};
	if (!r.info || !section(&r, SECTION_CANON_MARK))
		out->problem = "the artifact has no canonical tables (gcdc compile --canonical)";
	else if (!is_one_terminal(&r, &may_be_empty))
		out->problem = "the grammar is not one regular expression (gcdc compile --regex)";
	else if (!take_lexer(&r, may_be_empty, out))
		out->problem = "the regular expression looks at what comes behind it";
	if (out->problem) return;
	take_canonical(&r, &out->c);
	if (!v) take_vocab(&r, &out->vocab);
	out->product = product_build(&out->dfa, v ? v : &out->vocab, &out->c, &out->problem);
}

void regex_product_release(struct regex_product *r)
{
	product_free(r->product);
	free(r->next), free(r->accepts);
	if (r->vocab.offset) vocab_release(&r->vocab);
	*r = (struct regex_product){0};
}
