// A lint: keywords that may be glued to the word behind them (`selecta` is `select` `a`).
//
// In:  parser, terminals' DFAs, what competes in each context. Out: one warning that names pairs (keyword, terminal of
// words). A keyword is a literal of two letters or more that a terminal of words matches, too. The pair is named where
// the keyword is shifted in a state in which no terminal goes on behind it, and something that is viable then begins
// with a byte with which the word would have gone on. States that only reduce before the keyword are not looked at: the
// lint may miss a pair, it names none that is not there. A terminal of words does not go on with a blank: texts of
// strings do. Cost: contexts x terminals, and for each keyword that a terminal of words matches the parser's states.
#include "glued.h"

struct pair {
	terminal_id keyword, word;
	uint8_t byte;  // with which something begins behind the keyword
};
typedef VEC(struct pair) pair_list;

struct lint {
	const struct grammar *g;
	const struct lr *lr;
	const struct byte_dfa *dfa;
	const bits *competing;
	uint8_t *begins;  // [context * 128] something viable begins with this byte; NULL: not asked yet
	pair_list pairs;
};

static bool is_letter(uint8_t b) { return (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || b == '_' || b >= 0x80; }
static bool is_digit(uint8_t b) { return b >= '0' && b <= '9'; }

static bool is_keyword(const struct lint *l, terminal_id t)
{
	const struct terminal *x = &l->g->terminals[t];
	if (!x->is_literal || x->is_ignored || x->pattern->text_len < 2 || !is_letter((uint8_t)x->pattern->text[0]))
		return false;
	for (uint32_t i = 1; i < x->pattern->text_len; i++)
		if (!is_letter((uint8_t)x->pattern->text[i]) && !is_digit((uint8_t)x->pattern->text[i])) return false;
	return l->dfa[t].n_states && !l->dfa[t].before.n_states && !l->dfa[t].follow;
}

// The state of t's DFA behind the text of the keyword; DFA_DEAD: it does not go so far.
static uint32_t behind(const struct lint *l, terminal_id t, terminal_id keyword)
{
	const struct byte_dfa *d = &l->dfa[t];
	const struct term *text = l->g->terminals[keyword].pattern;
	uint32_t s = d->n_states && !d->before.n_states ? 0 : DFA_DEAD;
	for (uint32_t i = 0; i < text->text_len && s != DFA_DEAD; i++) s = dfa_step(d, s, (uint8_t)text->text[i]);
	return s;
}

static bool is_word_terminal(const struct lint *l, terminal_id w, uint32_t at)
{
	const struct byte_dfa *d = &l->dfa[w];
	return at != DFA_DEAD && d->accept[at] && dfa_step(d, at, ' ') == DFA_DEAD;
}

static bool competes(const struct lint *l, lr_state s, terminal_id t)
{
	return l->g->terminals[t].is_ignored ||
	       bits_test(l->competing + (size_t)l->lr->context_of[s] * l->lr->context_words, t);
}

// A longer lexeme that begins in s with the keyword and this byte.
static bool is_taken(const struct lint *l, lr_state s, terminal_id keyword, uint8_t byte)
{
	bool taken = false;
	for (terminal_id t = 0; t < l->g->n_terminals && !taken; t++)
		taken = t != keyword && !l->g->terminals[t].is_literal && competes(l, s, t) &&
		        dfa_step(&l->dfa[t], behind(l, t, keyword), byte) != DFA_DEAD;
	return taken;
}

// The word goes on from state `at` with a letter or digit with which something begins that is viable in `next`.
static bool is_glued(const struct lint *l, lr_state s, lr_state next, uint32_t at, struct pair *pair)
{
	for (uint32_t i = 0; i < 128; i++) {
		uint32_t b = (i + 'a') % 128;  // small letters first: they read best
		if ((!is_letter((uint8_t)b) && !is_digit((uint8_t)b)) ||
		    dfa_step(&l->dfa[pair->word], at, (uint8_t)b) == DFA_DEAD)
			continue;
		if (l->begins[l->lr->context_of[next] * 128 + b] && !is_taken(l, s, pair->keyword, (uint8_t)b))
			return pair->byte = (uint8_t)b, true;
	}
	return false;
}

static uint8_t *find_begins(const struct lint *l)
{
	uint8_t *begins = mem_calloc((size_t)l->lr->n_contexts * 128 + 1, 1);
	for (terminal_id t = 0; t < l->g->n_terminals; t++) {
		const struct byte_dfa *d = &l->dfa[t];
		uint8_t here[128];
		if (!d->n_states || d->before.n_states) continue;
		for (uint32_t b = 0; b < 128; b++) here[b] = dfa_step(d, 0, (uint8_t)b) != DFA_DEAD;
		for (uint32_t c = 0; c < l->lr->n_contexts; c++) {
			if (!bits_test(l->lr->context + (size_t)c * l->lr->context_words, t)) continue;
			for (uint32_t b = 0; b < 128; b++) begins[c * 128 + b] |= here[b];
		}
	}
	return begins;
}

static void look_at(struct lint *l, terminal_id keyword, terminal_id w, uint32_t at)
{
	struct pair pair = {.keyword = keyword, .word = w};
	bool found = false;
	if (!l->begins) l->begins = find_begins(l);
	uint8_t *met = mem_calloc(l->lr->n_states, 1);  // where the keyword leads to: one look at each
	for (uint32_t i = l->lr->step_at[keyword]; i < l->lr->step_at[keyword + 1] && !found; i++) {
		const struct lr_step x = l->lr->step[i];
		if (!ACTION_IS_SHIFT(x.action) || met[x.action / 2] || competes(l, x.from, w)) continue;
		met[x.action / 2] = 1;
		found = is_glued(l, x.from, x.action / 2, at, &pair);
	}
	free(met);
	if (found) vec_push(&l->pairs, pair);
}

static void tell(const struct lint *l, struct diag *d)
{
	const struct pair *first = &l->pairs.at[0];
	const struct terminal *keyword = &l->g->terminals[first->keyword];
	const char *all = "";
	for (uint32_t i = 0; i < l->pairs.n && i < GLUED_MAX_SHOWN; i++)
		all = arena_printf(&d->arena, "%s%s%s before %s", all, i ? ", " : "",
		                   l->g->terminals[l->pairs.at[i].keyword].name, l->g->terminals[l->pairs.at[i].word].name);
	if (l->pairs.n > GLUED_MAX_SHOWN)
		all = arena_printf(&d->arena, "%s and %u more", all, l->pairs.n - GLUED_MAX_SHOWN);
	const char *text = arena_strndup(&d->arena, keyword->pattern->text, keyword->pattern->text_len);
	const char *word = l->g->terminals[first->word].name;
	diag_warning(
		d, keyword->loc,
		"these keywords need no blank before the next word: %s. '%s%c' is read as '%s' and '%c', because %s cannot "
		"begin where '%s' can; '%%keywords %s' in the grammar makes one word of it [glued-keywords]",
		all, text, first->byte, text, first->byte, word, text, word);
}

void warn_glued(const struct grammar *g, const struct lr *lr, const struct byte_dfa *dfa, const bits *competing,
                struct diag *d)
{
	struct lint l = {.g = g, .lr = lr, .dfa = dfa, .competing = competing};
	for (terminal_id k = 0; k < g->n_terminals; k++) {
		uint32_t before = l.pairs.n;
		if (!is_keyword(&l, k)) continue;
		for (terminal_id w = 0; w < g->n_terminals && l.pairs.n == before; w++) {
			const uint32_t at = g->terminals[w].is_literal ? DFA_DEAD : behind(&l, w, k);
			if (is_word_terminal(&l, w, at)) look_at(&l, k, w, at);
		}
	}
	if (l.pairs.n) tell(&l, d);
	vec_release(&l.pairs);
	free(l.begins);
}
