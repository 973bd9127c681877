// Expansion -> struct grammar.
//
// In:  struct expansion. Out: *g: only what some sentence needs, numbered, hashed.
// Productive nonterminals by counting what each production still waits for, then reachable ones from the start
// (Hopcroft, Motwani, Ullman, 7.1: in this order, else unreachable ones remain). A declared terminal that no columns
// make never comes. Productions A: A and second copies go. A terminal that is ignored and used becomes two. Warnings
// for the user's own useless rules.
// Numbers: terminals in the expansion's order, an ignored twin after its namesake; nonterminals in the expansion's
// order; productions by left side. Cost: linear.
#include "lark.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

struct reducing {
	const struct expansion *x;
	struct diag *diag;
	uint8_t *productive, *reachable;  // of nonterminals
	uint8_t *used;                    // of terminals
	uint32_t *by_lhs, *lhs_end;       // productions by left side; lhs A: by_lhs[lhs_end[A - 1] .. lhs_end[A])
};

static bool is_nonterminal(uint32_t s) { return s & X_NONTERMINAL; }
static uint32_t index_of(uint32_t s) { return s & ~X_NONTERMINAL; }

// Declared, and nothing produces it.
static bool never_comes(const struct x_terminal *t) { return !t->pattern && !t->is_made; }

static bool is_productive(const struct reducing *r, uint32_t s)
{
	return is_nonterminal(s) ? r->productive[index_of(s)] : !never_comes(&r->x->terminals.at[s]);
}

static bool all_productive(const struct reducing *r, const struct x_production *p)
{
	for (uint32_t i = 0; i < p->n_rhs; i++)
		if (!is_productive(r, p->rhs[i])) return false;
	return true;
}

// Counting sort by key: fills order, and end[k] behind the last of key k.
static void group_by(uint32_t n, uint32_t n_keys, const uint32_t *key, uint32_t *order, uint32_t *end)
{
	for (uint32_t i = 0; i < n; i++) end[key[i]]++;
	uint32_t sum = 0;
	for (uint32_t k = 0; k < n_keys; k++) {
		uint32_t count = end[k];
		end[k] = sum, sum += count;
	}
	for (uint32_t i = 0; i < n; i++) order[end[key[i]]++] = i;
}

static void sort_productions(struct reducing *r)
{
	const struct expansion *x = r->x;
	uint32_t *key = mem_calloc(x->productions.n, sizeof *key);
	for (uint32_t i = 0; i < x->productions.n; i++) key[i] = x->productions.at[i].lhs;
	group_by(x->productions.n, x->nonterminals.n, key, r->by_lhs, r->lhs_end);
	free(key);
}

static void find_productive(struct reducing *r)
{
	const struct expansion *x = r->x;
	uint32_t n_uses = 0;
	for (uint32_t i = 0; i < x->productions.n; i++)
		for (uint32_t k = 0; k < x->productions.at[i].n_rhs; k++) n_uses += is_nonterminal(x->productions.at[i].rhs[k]);
	// use u: nonterminal what[u] stands in production where[u]
	uint32_t *what = mem_calloc(n_uses, sizeof *what), *where = mem_calloc(n_uses, sizeof *where);
	uint32_t *order = mem_calloc(n_uses, sizeof *order), *end = mem_calloc(x->nonterminals.n, sizeof *end);
	uint32_t *waits = mem_calloc(x->productions.n, sizeof *waits), n = 0;
	VEC(uint32_t) work = {0};
	for (uint32_t i = 0; i < x->productions.n; i++) {
		const struct x_production *p = &x->productions.at[i];
		for (uint32_t k = 0; k < p->n_rhs; k++)
			if (is_nonterminal(p->rhs[k]))
				what[n] = index_of(p->rhs[k]), where[n++] = i, waits[i]++;
			else
				waits[i] += never_comes(&x->terminals.at[p->rhs[k]]);  // for ever
		if (waits[i] == 0 && !r->productive[p->lhs]) {
			r->productive[p->lhs] = 1;
			vec_push(&work, p->lhs);
		}
	}
	group_by(n_uses, x->nonterminals.n, what, order, end);
	while (work.n) {
		uint32_t a = vec_pop(&work);
		for (uint32_t u = a ? end[a - 1] : 0; u < end[a]; u++) {
			uint32_t i = where[order[u]], lhs = x->productions.at[i].lhs;
			if (--waits[i] || r->productive[lhs]) continue;
			r->productive[lhs] = 1;
			vec_push(&work, lhs);
		}
	}
	vec_release(&work);
	free(what), free(where), free(order), free(end), free(waits);
}

// Adds what texts that start from a nonterminal need.
static void find_reachable(const struct reducing *r, uint32_t from, uint8_t *reachable, uint8_t *used)
{
	const struct expansion *x = r->x;
	VEC(uint32_t) work = {0};
	if (!reachable[from]) vec_push(&work, from);
	reachable[from] = 1;
	while (work.n) {
		uint32_t a = vec_pop(&work);
		for (uint32_t i = a ? r->lhs_end[a - 1] : 0; i < r->lhs_end[a]; i++) {
			const struct x_production *p = &x->productions.at[r->by_lhs[i]];
			if (!all_productive(r, p)) continue;
			for (uint32_t k = 0; k < p->n_rhs; k++) {
				uint32_t s = index_of(p->rhs[k]);
				if (!is_nonterminal(p->rhs[k]))
					used[s] = 1;
				else if (!reachable[s]) {
					reachable[s] = 1;
					vec_push(&work, s);
				}
			}
		}
	}
	vec_release(&work);
}

// Once for a rule and its copy for inside. Rules of other starts that %start names are not useless.
static void warn_useless(struct reducing *r)
{
	const struct expansion *x = r->x;
	uint8_t *alive = mem_calloc(x->nonterminals.n, 1), *reachable = mem_calloc(x->nonterminals.n, 1);
	uint8_t *used = mem_calloc(x->terminals.n, 1);
	find_reachable(r, x->start, reachable, used);
	for (uint32_t i = 0; i < x->starts.n; i++) find_reachable(r, x->starts.at[i], reachable, used);
	for (uint32_t a = 0; a < x->nonterminals.n; a++)
		if (r->productive[a] && reachable[a]) alive[x->nonterminals.at[a].copy_of] = 1;
	uint32_t n = 0;
	for (uint32_t a = 0; a < x->nonterminals.n; a++) {
		const struct x_nonterminal *of = &x->nonterminals.at[a];
		if (of->origin != X_RULE || of->is_imported || of->inside || alive[a]) continue;
		if (n++ >= REDUCE_MAX_WARNINGS) continue;
		if (!r->productive[a])
			diag_warning(r->diag, of->loc,
			             "rule '%s' is left out: no text completes it, each of its alternatives needs a "
			             "rule that no text completes, such as itself [unused-rule]",
			             of->name);
		else
			diag_warning(r->diag, of->loc, "rule '%s' is left out: nothing that begins at '%s' uses it [unused-rule]",
			             of->name, x->nonterminals.at[x->start].name);
	}
	if (n > REDUCE_MAX_WARNINGS)
		diag_warning(r->diag, (struct loc){0}, "%u more rules are left out [unused-rule]", n - REDUCE_MAX_WARNINGS);
	free(alive), free(reachable), free(used);
}

// Terminals that rules use and nothing produces; their alternatives are gone.
static void warn_undeliverable(struct reducing *r)
{
	const struct expansion *x = r->x;
	uint8_t *wanted = mem_calloc(x->terminals.n, 1);
	for (uint32_t i = 0; i < x->productions.n; i++)
		for (uint32_t k = 0; k < x->productions.at[i].n_rhs; k++)
			if (!is_nonterminal(x->productions.at[i].rhs[k])) wanted[x->productions.at[i].rhs[k]] = 1;
	for (uint32_t t = 0; t < x->terminals.n; t++)
		if (wanted[t] && never_comes(&x->terminals.at[t]))
			diag_warning(
				r->diag, x->terminals.at[t].loc,
				"alternatives that need '%s' are left out: it is declared, but "
				"nothing produces it (an indent or dedent is named by %%indent, or --indent) [dead-alternative]",
				x->terminals.at[t].name);
	free(wanted);
}

// What no production needs, but scopes and indentation do.
static void keep_scoped(struct reducing *r)
{
	const struct expansion *x = r->x;
	const struct indentation *i = &x->indentation;
	bool has_brackets = false;
	for (uint32_t t = 0; t < x->terminals.n; t++)
		has_brackets |= r->used[t] && x->terminals.at[t].bracket == BRACKET_OPEN;
	for (uint32_t t = 0; t < x->terminals.n; t++) r->used[t] |= has_brackets && x->terminals.at[t].is_scoped;
	for (uint32_t t = 0; t < x->terminals.n; t++) r->used[t] |= x->terminals.at[t].is_held;
	if (i->on && r->used[i->newline]) r->used[i->indent] = r->used[i->dedent] = 1;
}

// With %keywords a word is one from wherever the text starts: all literals of rules stay, and the terminal of names
// although no rule uses it. One that is ignored and nothing else always competes: with it no word does.
static void keep_words(struct reducing *r)
{
	const struct expansion *x = r->x;
	bool has_words = false;
	for (uint32_t t = 0; t < x->terminals.n; t++) {
		const struct x_terminal *of = &x->terminals.at[t];
		if (of->has_words && of->is_ignored && !r->used[t])
			diag_warning(r->diag, of->words_loc,
			             "%%keywords reserves nothing: '%s' is ignored, and no rule uses it [idle-keywords]", of->name);
		r->used[t] |= of->has_words && !of->is_ignored;
		has_words |= r->used[t] && of->has_words;
	}
	if (!has_words) return;
	for (uint32_t t = 0; t < x->terminals.n; t++) r->used[t] |= x->terminals.at[t].is_reserved;
	for (uint32_t i = 0; i < x->productions.n; i++)
		for (uint32_t k = 0; k < x->productions.at[i].n_rhs; k++) {
			uint32_t s = x->productions.at[i].rhs[k];
			if (is_nonterminal(s) || !x->terminals.at[s].pattern) continue;
			r->used[s] |= x->terminals.at[s].pattern->kind == TERM_TEXT;
		}
}

// Control tokens as a rule wants them are the same terminal in a part and around it: two would tie, and one of them
// never come.
// An earlier one of the same tokens and priority, or i.
static uint32_t same_control(const struct reducing *r, uint32_t i)
{
	const struct x_terminal *all = r->x->terminals.at, *of = &all[i];
	if (!lark_is_control_set(of)) return i;
	for (uint32_t k = 0; k < i; k++)
		if (r->used[k] && lark_is_control_set(&all[k]) && all[k].priority == of->priority &&
		    all[k].pattern->text_len == of->pattern->text_len &&
		    !memcmp(all[k].pattern->text, of->pattern->text, of->pattern->text_len))
			return k;
	return i;
}

static void number_terminals(const struct reducing *r, struct grammar *g, uint32_t *number)
{
	const struct expansion *x = r->x;
	g->terminals = arena_array(&g->arena, 2 * (size_t)x->terminals.n, sizeof *g->terminals);
	for (uint32_t i = 0; i < x->terminals.n; i++) {
		const struct x_terminal *from = &x->terminals.at[i];
		bool is_ignored = from->is_ignored && from->pattern;
		if (!r->used[i] && !is_ignored) continue;
		const uint32_t same = same_control(r, i);
		if (same != i) {
			number[i] = number[same];
			continue;
		}
		struct terminal t = {.pattern = from->pattern, .priority = from->priority, .loc = from->loc};
		t.name = arena_strndup(&g->arena, from->name, strlen(from->name));
		t.is_literal = from->pattern && from->pattern->kind == TERM_TEXT;
		t.is_blank = from->is_blank, t.part = from->part, t.drops_empty = from->drops_empty;
		t.is_scannerless = from->is_scannerless;
		t.opens_unique = from->opens_unique;
		t.shape = words_copy(from->shape, from->n_shape, &g->arena), t.n_shape = from->n_shape;
		t.is_held = from->is_held, t.holds = from->holds, t.is_soft = from->is_soft;
		t.has_words = r->used[i] && from->has_words;
		t.is_scoped = r->used[i] && from->is_scoped, t.bracket = from->bracket;
		g->has_scope |= t.is_scoped;
		number[i] = g->n_terminals;
		if (r->used[i]) g->terminals[g->n_terminals++] = t;
		t.is_ignored = true, t.is_scoped = t.has_words = false;
		if (is_ignored) g->terminals[g->n_terminals++] = t;
	}
	control_ids ids = {0};
	grammar_control(g, &ids);
	for (uint32_t t = 0; t < g->n_terminals; t++) g->terminals[t].among_control = ids.n != 0;
	vec_release(&ids);
}

static void number_nonterminals(const struct reducing *r, struct grammar *g, uint32_t *number)
{
	const struct expansion *x = r->x;
	g->nonterminals = arena_array(&g->arena, x->nonterminals.n, sizeof *g->nonterminals);
	for (uint32_t a = 0; a < x->nonterminals.n; a++) {
		const struct x_nonterminal *from = &x->nonterminals.at[a];
		if (!r->reachable[a] || !r->productive[a]) continue;
		number[a] = g->n_nonterminals;
		g->nonterminals[g->n_nonterminals++] =
			(struct nonterminal){arena_strndup(&g->arena, from->name, strlen(from->name)), from->inside, from->loc};
	}
	g->start = number[x->start];
}

static void copy_productions(const struct reducing *r, struct grammar *g, const uint32_t *terminal,
                             const uint32_t *nonterminal)
{
	const struct expansion *x = r->x;
	g->productions = arena_array(&g->arena, x->productions.n, sizeof *g->productions);
	struct intern known = {0};
	VEC(uint32_t) key = {0};
	for (uint32_t i = 0; i < x->productions.n; i++) {
		const struct x_production *p = &x->productions.at[r->by_lhs[i]];
		if (!r->reachable[p->lhs] || !all_productive(r, p)) continue;
		if (p->n_rhs == 1 && p->rhs[0] == (p->lhs | X_NONTERMINAL)) continue;
		vec_clear(&key);
		vec_push(&key, nonterminal[p->lhs]);
		for (uint32_t k = 0; k < p->n_rhs; k++) {
			uint32_t s = index_of(p->rhs[k]);
			vec_push(&key, is_nonterminal(p->rhs[k]) ? g->n_terminals + nonterminal[s] : terminal[s]);
		}
		bool is_new;
		intern_add(&known, key.at, key.n * sizeof *key.at, &is_new);
		if (!is_new) continue;
		symbol_id *rhs = arena_array(&g->arena, p->n_rhs, sizeof *rhs);
		if (p->n_rhs) memcpy(rhs, key.at + 1, p->n_rhs * sizeof *rhs);
		g->productions[g->n_productions++] = (struct production){.lhs = nonterminal[p->lhs],
		                                                         .rhs = rhs,
		                                                         .n_rhs = p->n_rhs,
		                                                         .inside = x->nonterminals.at[p->lhs].inside,
		                                                         .loc = p->loc};
	}
	vec_release(&key);
	intern_release(&known);
}

static void number_indentation(const struct reducing *r, struct grammar *g, const uint32_t *number)
{
	const struct indentation *i = &r->x->indentation;
	if (!i->on || !r->used[i->newline]) return;
	g->indentation = *i;
	g->indentation.newline = number[i->newline];
	g->indentation.indent = number[i->indent], g->indentation.dedent = number[i->dedent];
}

static void put_number(byte_vec *out, uint32_t v)
{
	for (int i = 0; i < 4; i++) vec_push(out, (uint8_t)(v >> 8 * i));
}

// Names and places do not count; numbering does.
// Branches: a bit for each property of a terminal.
void grammar_set_hash(struct grammar *g)
{
	byte_vec bytes = {0};
	XXH3_state_t on_stack, *state = &on_stack;
	XXH3_128bits_reset(state);
	put_number(&bytes, 1);  // of this serialisation
	put_number(&bytes, g->n_terminals), put_number(&bytes, g->n_nonterminals);
	put_number(&bytes, g->n_productions), put_number(&bytes, g->start);
	for (uint32_t i = 0; i < g->n_terminals; i++) {
		const struct terminal *t = &g->terminals[i];
		put_number(&bytes, (t->pattern ? 1u : 0u) | (t->is_ignored ? 2u : 0u) | (t->is_literal ? 4u : 0u) |
		                       (t->is_scoped ? 8u : 0u) | (uint32_t)t->bracket << 4 | (t->has_words ? 128u : 0u) |
		                       (t->is_held ? 256u : 0u) | (t->holds ? 512u : 0u) | (t->is_soft ? 1024u : 0u) |
		                       (t->is_blank ? 2048u : 0u) | (t->opens_unique ? 4096u : 0u) | t->part << 16);
		put_number(&bytes, (uint32_t)t->priority);
		if (t->pattern) lark_term_bytes(t->pattern, &bytes);
		for (uint32_t k = 0; k < t->n_shape; k++) put_number(&bytes, t->shape[k]);
		XXH3_128bits_update(state, bytes.at, bytes.n);
		vec_clear(&bytes);
	}
	for (uint32_t i = 0; i < g->n_productions; i++) {
		const struct production *p = &g->productions[i];
		put_number(&bytes, p->lhs), put_number(&bytes, p->n_rhs);
		for (uint32_t k = 0; k < p->n_rhs; k++) put_number(&bytes, p->rhs[k]);
		XXH3_128bits_update(state, bytes.at, bytes.n);
		vec_clear(&bytes);
	}
	if (g->indentation.on) {
		const struct indentation *x = &g->indentation;
		put_number(&bytes, x->newline), put_number(&bytes, x->indent), put_number(&bytes, x->dedent);
		put_number(&bytes, x->tab_rule), put_number(&bytes, x->tab), put_number(&bytes, x->end_newline);
	}
	XXH3_128bits_update(state, bytes.at, bytes.n);
	XXH128_hash_t h = XXH3_128bits_digest(state);
	vec_release(&bytes);
	g->hash[0] = h.low64, g->hash[1] = h.high64;
}

bool lark_reduce(const struct expansion *x, struct diag *d, struct grammar *g)
{
	struct arena scratch = {0};
	uint32_t n = x->nonterminals.n;
	struct reducing r = {.x = x, .diag = d};
	r.productive = arena_array(&scratch, n, 1), r.reachable = arena_array(&scratch, n, 1);
	r.used = arena_array(&scratch, x->terminals.n, 1);
	r.by_lhs = arena_array(&scratch, x->productions.n, sizeof *r.by_lhs);
	r.lhs_end = arena_array(&scratch, n, sizeof *r.lhs_end);
	sort_productions(&r);
	find_productive(&r);
	bool ok = r.productive[x->start];
	if (ok) {
		find_reachable(&r, x->start, r.reachable, r.used);
		warn_useless(&r);
		warn_undeliverable(&r);
		keep_scoped(&r);
		keep_words(&r);
		uint32_t *terminal = arena_array(&scratch, x->terminals.n, sizeof *terminal);
		uint32_t *nonterminal = arena_array(&scratch, n, sizeof *nonterminal);
		number_terminals(&r, g, terminal);
		number_nonterminals(&r, g, nonterminal);
		copy_productions(&r, g, terminal, nonterminal);
		number_indentation(&r, g, terminal);
		grammar_set_hash(g);
	} else {
		const struct x_nonterminal *start = &x->nonterminals.at[x->start];
		diag_error(d, start->loc, "the language is empty: no text can complete '%s'", start->name);
		uint32_t notes = 0;
		for (uint32_t a = 0; a < n && notes < 5; a++)
			if (!r.productive[a] && a != x->start && x->nonterminals.at[a].origin == X_RULE) {
				diag_note(d, x->nonterminals.at[a].loc,
				          "no text completes '%s': each of its alternatives needs a rule that no text "
				          "completes, such as itself",
				          x->nonterminals.at[a].name);
				notes++;
			}
		warn_undeliverable(&r);
	}
	arena_release(&scratch);
	return ok;
}
