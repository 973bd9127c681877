// inspect: canonical tables, and the automaton of canonical sequences where the grammar is one regular expression.
//
// In:  an artifact compiled with --canonical. Out: sizes (canonical), sets of states of the automaton of pieces
// (pieces), classes of tokens (classes), tokens and pairs that are exceptions (exceptions), nodes of the product
// (automaton). The product is made anew from what is in the file. Cost: tokens x sets; product_build for the automaton.
#include "inspect_automaton.h"

struct tables {
	const struct artifact_canon *info;
	const uint32_t *sets, *place;
	const uint16_t *class_of;
	const uint8_t *allow;
	const struct artifact_canon_pair *patches;
};

static bool take(const struct inspect *x, struct tables *t)
{
	const gcdc_artifact *a = x->view.artifact;
	t->info = gcdc_artifact_section(a, SECTION_CANON, NULL),
	t->sets = gcdc_artifact_section(a, SECTION_CANON_SET, NULL);
	t->place = gcdc_artifact_section(a, SECTION_CANON_PLACE, NULL),
	t->class_of = gcdc_artifact_section(a, SECTION_CANON_CLASS, NULL);
	t->allow = gcdc_artifact_section(a, SECTION_CANON_ALLOW, NULL),
	t->patches = gcdc_artifact_section(a, SECTION_CANON_PATCH, NULL);
	return t->info && t->sets;
}

static void put_size(struct inspect *x, const char *name, uint64_t count, uint32_t section)
{
	size_t size;
	gcdc_artifact_section(x->view.artifact, section, &size);
	if (!row_begin(x)) return;
	row_string(x, "name", name);
	row_uint(x, "count", count);
	row_uint(x, "bytes", size);
	row_end(x);
}

int inspect_canonical(struct inspect *x)
{
	static const char *const modes[] = {"off", "soft", "hard"};
	struct tables t;
	if (!take(x, &t)) return CODE_OK;
	char mode[16];
	const struct artifact_canon *i = t.info;
	snprintf(mode, sizeof mode, "mode %s", i->mode < 3 ? modes[i->mode] : "?");
	put_size(x, mode, i->mode, SECTION_CANON);
	put_size(x, "tokens that merges make", i->n_places, SECTION_CANON_AT);
	put_size(x, "merges", i->n_joins, SECTION_CANON_JOIN);
	put_size(x, "pairs that the intervals have wrong", i->n_patches, SECTION_CANON_PATCH);
	put_size(x, "classes of tokens", i->n_classes, SECTION_CANON_CLASS);
	put_size(x, "sets of states of the automaton of pieces", i->n_sets, SECTION_CANON_STEP);
	put_size(x, "groups of characters", i->n_groups, SECTION_CANON_CHAR);
	put_size(x, "kinds of characters", i->n_kinds, SECTION_CANON_KIND);
	put_size(x, "nodes of texts of added tokens", i->n_added, SECTION_CANON_ADDED);
	put_size(x, "nodes of splits that must not fill a piece", i->n_splits, SECTION_CANON_SPLIT);
	put_size(x, "rows of characters that join", i->n_left, SECTION_CANON_JOINT);
	const struct artifact_regex *r = gcdc_artifact_section(x->view.artifact, SECTION_REGEX, NULL);
	if (!r) return CODE_OK;
	put_size(x, "states of the product that are reached", r->n_reached, SECTION_REGEX);
	put_size(x, "of them dead ends", r->n_dead, SECTION_REGEX_DEAD);
	put_size(x, "tokens that may lead to one, by lexer state", r->n_candidates, SECTION_REGEX_CANDIDATE);
	return CODE_OK;
}

// Tokens: how many, and the first few.
struct sample {
	uint32_t n, at[INSPECT_SAMPLE];
};
static void sample_add(struct sample *s, uint32_t token)
{
	if (s->n < INSPECT_SAMPLE) s->at[s->n] = token;
	s->n++;
}
static void sample_put(struct inspect *x, const char *count, const char *tokens, const struct sample *s)
{
	row_uint(x, count, s->n);
	row_tokens(x, tokens, s->at, s->n < INSPECT_SAMPLE ? s->n : INSPECT_SAMPLE);
}

int inspect_pieces(struct inspect *x)
{
	struct tables t;
	if (!take(x, &t)) return CODE_OK;
	for (uint32_t s = 1; s < t.info->n_sets; s++) {
		if ((x->row.given && x->row.value != s) || !row_begin(x)) continue;
		struct sample begins = {0}, goes_on = {0};
		for (uint32_t token = 0; token < x->info->n_tokens; token++) {
			uint8_t may = t.allow[(size_t)s * t.info->n_classes + t.class_of[token]];
			if (may & CANON_BEGINS) sample_add(&begins, token);
			if (may & CANON_GOES_ON && t.place[token] != ARTIFACT_NONE) sample_add(&goes_on, token);
		}
		row_uint(x, "set", s);
		row_flag(x, "start", s == t.info->start_set);
		row_flag(x, "ends", t.sets[s] & CANON_SET_ENDS);
		row_flag(x, "sure", t.sets[s] & CANON_SET_SURE);
		sample_put(x, "begin", "begin_tokens", &begins);
		sample_put(x, "go_on", "go_on_tokens", &goes_on);
		row_end(x);
	}
	return CODE_OK;
}

// Branches: three filters choose the rows, and a row lists the sets on both sides.
int inspect_classes(struct inspect *x)
{
	static const char *const kinds[] = {"never", "added", "inside", "byte"};
	struct tables t;
	if (!take(x, &t)) return CODE_OK;
	for (uint32_t c = 0; c < t.info->n_classes; c++) {
		if ((x->row.given && x->row.value != c) || (x->token.given && t.class_of[x->token.value] != c) || !row_begin(x))
			continue;
		struct sample sample = {0};
		for (uint32_t token = 0; token < x->info->n_tokens; token++)
			if (t.class_of[token] == c) sample_add(&sample, token);
		row_uint(x, "class", c);
		row_string(x, "kind", c < CANON_CLASS_PLAIN ? kinds[c] : "plain");
		sample_put(x, "count", "tokens", &sample);
		for (int how = 0; how < 2; how++) {
			row_list(x, how ? "goes_on_in" : "begins_in");
			for (uint32_t s = 1; s < t.info->n_sets; s++)
				if (t.allow[(size_t)s * t.info->n_classes + c] & (how ? CANON_GOES_ON : CANON_BEGINS))
					row_uint(x, NULL, s);
			row_close(x, true);
		}
		row_end(x);
	}
	return CODE_OK;
}

static void put_exception(struct inspect *x, const char *kind, uint32_t a, uint32_t b)
{
	const uint32_t tokens[2] = {a, b};
	if (x->token.given && x->token.value != a && x->token.value != b) return;
	if (!row_begin(x)) return;
	row_string(x, "kind", kind);
	row_tokens(x, "tokens", tokens, b == ARTIFACT_NONE ? 1 : 2);
	row_end(x);
}

int inspect_exceptions(struct inspect *x)
{
	struct tables t;
	if (!take(x, &t)) return CODE_OK;
	for (uint32_t token = 0; token < x->info->n_tokens; token++) {
		uint32_t class = t.class_of[token], len;
		gcdc_artifact_token(x->view.artifact, token, &len);
		if (!len) continue;
		if (class == CANON_CLASS_NEVER)
			put_exception(x, "never", token, ARTIFACT_NONE);
		else if (class == CANON_CLASS_ADDED)
			put_exception(x, "added", token, ARTIFACT_NONE);
		else if (t.place[token] == ARTIFACT_NONE && class >= CANON_CLASS_PLAIN)
			put_exception(x, "whole_piece", token, ARTIFACT_NONE);
	}
	for (uint32_t k = 0; k < t.info->n_patches; k++) put_exception(x, "pair", t.patches[k].left, t.patches[k].right);
	return CODE_OK;
}

// --- the automaton ---------------------------------------------------------------------------------------------------
static void add_token(void *to, uint32_t token, uint32_t node)
{
	(void)node;
	sample_add(to, token);
}

// The artifact's product, made again: its sections have only what a matcher needs.
struct opened_product {
	struct regex_product made;
	struct canon_section canonical[CANON_SECTIONS];
	struct vocab vocab;
};

static void take_vocab(const gcdc_artifact *a, uint32_t n, struct vocab *v)
{
	uint32_t *len = mem_alloc(n * sizeof *len);
	const uint8_t **bytes = mem_alloc(n * sizeof *bytes);
	uint8_t *kind = mem_alloc(n);
	for (uint32_t t = 0; t < n; t++) {
		bytes[t] = gcdc_artifact_token(a, t, &len[t]);
		kind[t] = len[t] ? TOKEN_TEXT : TOKEN_CONTROL;
	}
	vocab_build(&(struct vocab_tokens){n, bytes, len, kind, 0, NULL}, v);
	free(len), free(bytes), free(kind);
}

static const struct product *open_product(struct inspect *x, struct opened_product *r)
{
	const gcdc_artifact *a = x->view.artifact;
	const struct regex_parts parts = {
		x->info, gcdc_artifact_section(a, SECTION_PRODUCTION, NULL), gcdc_artifact_section(a, SECTION_TERMINAL, NULL),
		gcdc_artifact_section(a, SECTION_LEX_STATE, NULL), gcdc_artifact_section(a, SECTION_LEX_NEXT, NULL)};
	*r = (struct opened_product){0};
	if (!gcdc_artifact_section(a, SECTION_CANON_MARK, NULL)) return NULL;
	for (uint32_t i = 0; i < CANON_SECTIONS; i++) {
		size_t size;
		const void *bytes = gcdc_artifact_section(a, SECTION_CANON + i, &size);
		r->canonical[i] = (struct canon_section){SECTION_CANON + i, bytes, size};
	}
	take_vocab(a, x->info->n_tokens, &r->vocab);
	regex_product_build(&parts, r->canonical, &r->vocab, &r->made);
	if (!r->made.product && gcdc_artifact_section(a, SECTION_REGEX, NULL)) cli_note("inspect", "%s", r->made.problem);
	return r->made.product;
}

static void close_product(struct opened_product *r)
{
	regex_product_release(&r->made);
	if (r->vocab.offset) vocab_release(&r->vocab);
}

int inspect_automaton(struct inspect *x)
{
	struct opened_product r;
	const struct product *p = open_product(x, &r);
	for (uint32_t i = 0; p && i < product_nodes(p); i++) {
		struct product_node_view n = product_node(p, i);
		struct sample begins = {0}, goes_on = {0};
		if (!n.n_lasts || (x->row.given && x->row.value != i) || !row_begin(x)) continue;
		product_edges(p, i, PRODUCT_BEGINS, add_token, &begins);
		product_edges(p, i, PRODUCT_GOES_ON, add_token, &goes_on);
		row_uint(x, "node", i);
		row_uint(x, "lex_state", n.lex_state);
		row_list(x, "sets");
		for (uint32_t k = 0; k < n.n_sets; k++) row_uint(x, NULL, n.set[k]);
		row_close(x, true);
		row_flag(x, "ends", n.ends);
		row_flag(x, "inside", n.inside);
		row_uint(x, "states", n.n_lasts);
		row_uint(x, "dead", n.n_dropped);
		sample_put(x, "begin", "begin_tokens", &begins);
		sample_put(x, "go_on", "go_on_tokens", &goes_on);
		row_end(x);
	}
	close_product(&r);
	return CODE_OK;
}

// Edges between nodes: tokens that lead from one to another, in either way.
struct drawing {
	struct sample *to;
	uint32_t *begins;
	bool is_later;
};
static void draw_token(void *user, uint32_t token, uint32_t node)
{
	struct drawing *d = user;
	if (!d->is_later)
		d->begins[token] = node;
	else if (d->begins[token] == node)
		return;  // it leads there in both ways
	sample_add(&d->to[node], token);
}

void inspect_automaton_edges(struct inspect *x,
                             bool (*node)(struct inspect *, uint32_t, const struct product_node_view *),
                             void (*edge)(struct inspect *, uint32_t, uint32_t, uint32_t, const uint32_t *))
{
	struct opened_product r;
	const struct product *p = open_product(x, &r);
	if (p) {
		uint32_t n_nodes = product_nodes(p), n_tokens = x->info->n_tokens;
		struct drawing d = {.to = mem_calloc(n_nodes, sizeof *d.to), .begins = mem_alloc(n_tokens * sizeof *d.begins)};
		for (uint32_t i = 0; i < n_nodes; i++) {
			struct product_node_view n = product_node(p, i);
			if (!n.n_lasts || !node(x, i, &n)) continue;
			memset(d.to, 0, n_nodes * sizeof *d.to), memset(d.begins, 0xff, n_tokens * sizeof *d.begins);
			d.is_later = false;
			product_edges(p, i, PRODUCT_BEGINS, draw_token, &d);
			d.is_later = true;
			product_edges(p, i, PRODUCT_GOES_ON, draw_token, &d);
			for (uint32_t k = 0; k < n_nodes; k++)
				if (d.to[k].n) edge(x, i, k, d.to[k].n, d.to[k].at);
		}
		free(d.to), free(d.begins);
	}
	close_product(&r);
}
