// The front end as one call: text of a Lark grammar -> struct grammar.
//
// In:  a file or a text. Out: *g, or errors. The stages are those of lark.h, one after the other; each reports all
// it finds, and a stage with errors is the last one. Texts live in the diag's arena, since messages point into
// them; what *g holds lives in its own, but for struct loc, which is for messages.
#include "grammar.h"

#include "lark.h"

static struct source *make_source(struct diag *d, const char *path, const char *text, size_t len)
{
	struct source *s = arena_alloc(diag_arena(d), sizeof *s);
	s->path = arena_strndup(diag_arena(d), path, strlen(path));
	s->len = len;
	s->text = arena_strndup(diag_arena(d), text, len > LARK_MAX_BYTES ? 0 : len);
	return s;
}

// Branches: each option may be missing, and the passes over the grammar follow each other until one fails.
static bool load(const struct source *s, const struct grammar_options *o, struct diag *d, struct grammar *g)
{
	struct arena front = {0};
	struct definitions definitions = {.arena = &front,
	                                  .diag = d,
	                                  .sources = o ? o->sources : NULL,
	                                  .import_folder = o ? o->import_folder : NULL,
	                                  .control = o ? o->control : NULL,
	                                  .nested = o ? o->nested : NULL,
	                                  .depth = o ? o->depth : 0};
	struct expansion expansion = {0};
	uint32_t errors = d->n_errors;
	const char *start = o ? o->start : NULL;

	if (definitions.sources) lark_add_source(definitions.sources, s);
	if (o && o->indent) lark_indent_option(&definitions, make_source(d, "--indent", o->indent, strlen(o->indent)));
	lark_import(&definitions, s);
	bool ok = d->n_errors == errors && lark_all_terms(&definitions, &g->arena) &&
	          lark_expand(&definitions, start, &g->arena, &expansion) && lark_scope(&definitions, &expansion) &&
	          lark_blanks(&definitions, &expansion);
	if (ok) lark_part_control(&expansion, &g->arena);
	ok = ok && lark_reduce(&expansion, d, g);
	lark_expansion_release(&expansion);
	lark_definitions_release(&definitions);
	arena_release(&front);
	if (!ok) grammar_release(g);
	return ok;
}

// text NULL: what the file at path holds.
struct loading {
	const char *path, *text;
	size_t len;
	const struct grammar_options *o;
	struct diag *d;
	struct grammar g;
	bool ok;
};

static void run_load(void *context)
{
	struct loading *x = context;
	work_stage("grammar");
	const char *why = "";
	const struct source *s = x->text ? make_source(x->d, x->path, x->text, x->len) : lark_source(x->d, x->path, &why);
	if (s)
		x->ok = load(s, x->o, x->d, &x->g);
	else
		diag_error(x->d, (struct loc){0}, "cannot read %s: %s", x->path, why);
}

static bool load_in_work(struct loading *x, struct grammar *g)
{
	struct work_result r;
	bool done = work_run(NULL, run_load, x, &r);
	if (!done) diag_given_up(x->d, &r, NULL);
	*g = done && x->ok ? x->g : (struct grammar){0};
	return done && x->ok;
}

bool grammar_load(const char *path, const struct grammar_options *o, struct diag *d, struct grammar *g)
{
	return load_in_work(&(struct loading){.path = path, .o = o, .d = d}, g);
}

bool grammar_parse(const char *path, const char *text, size_t len, const struct grammar_options *o, struct diag *d,
                   struct grammar *g)
{
	return load_in_work(&(struct loading){.path = path, .text = text, .len = len, .o = o, .d = d}, g);
}

struct finding {
	const char *path;
	struct diag *d, unheard;  // of what is wrong; the sources that it holds are copied
	source_list found, *sources;
};

static void release_found(void *context)
{
	struct finding *x = context;
	vec_release(&x->found);
	diag_release(&x->unheard);
}

static void run_finding(void *context)
{
	struct finding *x = context;
	struct work_cleanup c;
	work_cleanup(&c, release_found, x);
	struct arena front = {0};
	struct definitions definitions = {.arena = &front, .diag = &x->unheard, .sources = &x->found};
	const char *why;
	const struct source *s = lark_source(&x->unheard, x->path, &why);
	if (s) {
		lark_add_source(&x->found, s);
		lark_import(&definitions, s);
	}
	for (uint32_t i = 0; i < x->found.n; i++) {
		s = x->found.at[i];
		lark_add_source(x->sources, make_source(x->d, s->path, s->text, s->len));
	}
	lark_definitions_release(&definitions);
	arena_release(&front);
	work_cleanup_end(&c);
	release_found(x);
}

void grammar_files(const char *path, struct diag *d, source_list *sources)
{
	struct work_result r;
	if (!work_run(NULL, run_finding, &(struct finding){.path = path, .d = d, .sources = sources}, &r))
		diag_given_up(d, &r, NULL);
}

void grammar_release(struct grammar *g)
{
	arena_release(&g->arena);
	*g = (struct grammar){0};
}

bool item_inside(const struct grammar *g, uint32_t production, uint32_t dot)
{
	const struct production *p = &g->productions[production];
	uint32_t closed = 0;
	for (uint32_t i = dot; g->has_scope && i-- > 0;) {
		enum bracket b = p->rhs[i] < g->n_terminals ? g->terminals[p->rhs[i]].bracket : BRACKET_NONE;
		if (b == BRACKET_CLOSE || b == BRACKET_CLOSE_AGAIN)
			closed++;
		else if (b != BRACKET_NONE && closed-- == 0)
			return b == BRACKET_OPEN;
	}
	return p->inside;
}

const char *grammar_symbol_name(const struct grammar *g, symbol_id s)
{
	if (s < g->n_terminals) return g->terminals[s].name;
	ASSERT(s - g->n_terminals < g->n_nonterminals);
	return g->nonterminals[s - g->n_terminals].name;
}

void grammar_refuse_empty(struct diag *d)
{
	diag_error(d, (struct loc){0}, "no text is in this language: every attempt ends where nothing can finish it");
	diag_note(d, (struct loc){0},
	          "terminals that must be neighbours may be impossible to tell apart (NAME followed by \"x\" is one longer "
	          "NAME), or the vocabulary cannot spell what the grammar needs");
}

static bool yields(const struct terminal *t) { return t->is_ignored || t->is_blank; }

uint32_t grammar_tie_rank(const struct grammar *g, terminal_id t)
{
	const struct terminal *x = &g->terminals[t];
	uint32_t rank = 0;
	for (terminal_id u = 0; u < g->n_terminals; u++) {
		const struct terminal *y = &g->terminals[u];
		rank += x->priority != y->priority       ? y->priority > x->priority
		        : yields(x) != yields(y)         ? yields(x)
		        : x->is_literal != y->is_literal ? y->is_literal
		                                         : u < t;
	}
	return rank;
}

struct term *term_copy(const struct term *t, struct arena *a)
{
	struct term *copy = arena_alloc(a, sizeof *copy);
	*copy = *t;
	if (t->text) copy->text = memcpy(arena_alloc(a, (size_t)t->text_len + 1), t->text, t->text_len);
	copy->children = arena_array(a, t->n_children, sizeof *copy->children);
	for (uint32_t i = 0; i < t->n_children; i++) copy->children[i] = term_copy(t->children[i], a);
	return copy;
}
