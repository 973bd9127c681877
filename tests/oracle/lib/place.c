// Between two lexemes: which terminals compete here, and where a parse stands after one of them.
//
// In:  a parse, the open columns, the open brackets (lists, interned: equal ids are equal lists). Out: the same after a
// terminal, once for each parse that goes on so. Scoped terminals are dropped between brackets that say so; after a
// newline lexeme outside of them the column of the text is compared with the open ones, and indent and dedent terminals
// go to the parser as if they had been lexed (docs/indentation.md). Cost: a few steps of a parse.
#include "../oracle.h"

// A list is {top, what is below}; 0 is the empty one.
static uint32_t push(struct oracle *o, uint32_t list, uint32_t top)
{
	return intern_add(&o->lists, (uint32_t[]){top, list}, 2 * sizeof(uint32_t), NULL);
}

static const uint32_t *entry(const struct oracle *o, uint32_t list) { return intern_get(&o->lists, list, NULL); }

struct place oracle_place_start(struct oracle *o)
{
	uint32_t empty = push(o, UINT32_MAX, 0);
	ASSERT(empty == 0);
	return (struct place){o->parses.start, push(o, empty, 0), empty, 0};
}

static bool is_inside(const struct oracle *o, const struct place *p) { return p->scopes && entry(o, p->scopes)[0]; }

bool oracle_place_ignores(struct oracle *o, const struct place *p, terminal_id t)
{
	const struct terminal *x = &o->grammar->terminals[t];
	return x->is_ignored || (x->is_scoped && is_inside(o, p)) || (x->is_held && !p->held);
}

// Does n match all texts of t? Plainly, on pairs of states; once for each pair of terminals.
static bool is_word_of(struct oracle *o, terminal_id n, terminal_id t)
{
	const struct byte_dfa *a = &o->word_dfa[n], *b = &o->word_dfa[t];
	const struct terminal *x = &o->grammar->terminals[t];
	if (n == t) return true;
	if (x->is_ignored || x->is_scoped || x->is_held || !a->n_states || !b->n_states || a->follow || b->follow ||
	    a->before.n_states || b->before.n_states)
		return false;
	bool is_new;
	uint32_t known = intern_add(&o->words, (uint32_t[]){n, t}, 2 * sizeof(uint32_t), &is_new);
	if (!is_new) return o->is_word.at[known];
	struct intern met = {0};
	intern_add(&met, (uint32_t[]){0, 0}, 2 * sizeof(uint32_t), NULL);
	bool all = true;
	for (uint32_t i = 0; i < met.entries.n && all; i++) {
		uint32_t at[2];
		memcpy(at, intern_get(&met, i, NULL), sizeof at);
		for (int c = 0; c < 256; c++) {
			uint32_t to[2] = {dfa_step(a, at[0], (uint8_t)c), dfa_step(b, at[1], (uint8_t)c)};
			if (to[1] == DFA_DEAD) continue;
			if (to[0] == DFA_DEAD || (b->accept[to[1]] && !a->accept[to[0]]))
				all = false;
			else
				intern_add(&met, to, sizeof to, NULL);
		}
	}
	intern_release(&met);
	vec_push(&o->is_word, all);
	return all;
}

// Do words compete here of which t is one?
static bool competes_as_word(struct oracle *o, const struct place *p, terminal_id t)
{
	if (o->grammar->terminals[t].is_soft) return false;
	for (terminal_id n = 0; n < o->grammar->n_terminals; n++) {
		const struct terminal *x = &o->grammar->terminals[n];
		if (!x->has_words || x->is_scoped || x->is_held || !is_word_of(o, n, t)) continue;
		for (terminal_id u = 0; u < o->grammar->n_terminals; u++)
			if (parse_viable(&o->parses, p->parse, u) && is_word_of(o, n, u)) return true;
	}
	return false;
}

bool oracle_place_competes(struct oracle *o, const struct place *p, terminal_id t)
{
	if (!o->dfa[t].n_states && !o->program.of[t].looks) return false;
	return oracle_place_ignores(o, p, t) || parse_viable(&o->parses, p->parse, t) || competes_as_word(o, p, t);
}

static void shift(struct oracle *o, struct place p, terminal_id t, struct places *to)
{
	struct parse_results r = parse_shift(&o->parses, p.parse, t);
	to->is_cut |= r.is_cut;
	for (uint32_t i = 0; i < r.n; i++) {
		p.parse = o->parses.results.at[r.first + i];
		vec_push(&to->at, p);
	}
}

// One that is just behind a newline lexeme: the indent, or the dedents, that its column makes.
static void compare_column(struct oracle *o, struct place p, uint32_t column, struct places *to)
{
	const struct indentation *in = &o->grammar->indentation;
	if (column > entry(o, p.columns)[0]) {
		p.columns = push(o, p.columns, column);
		shift(o, p, in->indent, to);
		return;
	}
	struct places now = {0};
	vec_push(&now.at, p);
	while (now.at.n && column < entry(o, now.at.at[0].columns)[0]) {
		struct places next = {.is_cut = now.is_cut};
		for (uint32_t i = 0; i < now.at.n; i++) {
			now.at.at[i].columns = entry(o, now.at.at[i].columns)[1];
			shift(o, now.at.at[i], in->dedent, &next);
		}
		vec_release(&now.at);
		now = next;
	}
	to->is_cut |= now.is_cut;
	for (uint32_t i = 0; i < now.at.n; i++)
		if (column == entry(o, now.at.at[i].columns)[0]) vec_push(&to->at, now.at.at[i]);
	vec_release(&now.at);
}

uint32_t column_after(const struct oracle *o, uint32_t column, uint8_t byte)
{
	const struct indentation *in = &o->grammar->indentation;
	if (!in->on) return COLUMN_TEXT;
	if (byte == '\n') return 0;
	if (column >= COLUMN_REFUSED)
		return column == COLUMN_REFUSED && (byte == ' ' || byte == '\t') ? column : COLUMN_TEXT;
	if (byte == ' ') return column + 1;
	if (byte != '\t') return COLUMN_TEXT;
	switch (in->tab_rule) {
	case TAB_STOPS: return column / in->tab * in->tab + in->tab;
	case TAB_COUNTS: return column + in->tab;
	default: return COLUMN_REFUSED;
	}
}

void oracle_place_after(struct oracle *o, struct place p, terminal_id t, uint32_t column, struct places *to)
{
	const struct indentation *in = &o->grammar->indentation;
	if (oracle_place_ignores(o, &p, t)) {
		vec_push(&to->at, p);
		return;
	}
	p.held = o->grammar->terminals[t].holds;
	switch (o->grammar->terminals[t].bracket) {
	case BRACKET_OPEN: p.scopes = push(o, p.scopes, 1); break;
	case BRACKET_OPEN_AGAIN: p.scopes = push(o, p.scopes, 0); break;
	case BRACKET_CLOSE:
	case BRACKET_CLOSE_AGAIN: p.scopes = p.scopes ? entry(o, p.scopes)[1] : 0; break;
	default: break;
	}
	if (!in->on || t != in->newline || column == COLUMN_TEXT) {
		shift(o, p, t, to);
		return;
	}
	if (column == COLUMN_REFUSED) return;
	struct places behind = {0};
	shift(o, p, t, &behind);
	to->is_cut |= behind.is_cut;
	for (uint32_t i = 0; i < behind.at.n; i++) compare_column(o, behind.at.at[i], column, to);
	vec_release(&behind.at);
}

bool oracle_place_accepts(struct oracle *o, struct place p)
{
	const struct indentation *in = &o->grammar->indentation;
	struct places ends = {0};
	if (in->on)
		compare_column(o, p, 0, &ends);
	else
		vec_push(&ends.at, p);
	bool accepts = false;
	for (uint32_t i = 0; i < ends.at.n && !accepts; i++) accepts = parse_accepts(&o->parses, ends.at.at[i].parse);
	vec_release(&ends.at);
	return accepts;
}
