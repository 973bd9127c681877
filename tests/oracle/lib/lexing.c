// Contextual maximal munch, byte by byte, by the words of docs/language.md, rules 1 and 2.
//
// In:  bytes. Out: configurations, interned. A configuration is a set of readings; a reading is a place (a parse, open
// columns and brackets), the terminals that compete for that parse and are alive, and a formula that the rest of the
// text must make true. No reading knows of the others. A lexeme that can end here makes a reading of its own, at once:
// "it ended here" is true when the rest of the text makes nothing match that is longer, or better and as long; each
// parse behind the lexeme is a reading. All readings step side by side; readings that are the same but for the formula
// are one (their formulas or-ed), those with a false formula are gone. A text is in the language when at its end some
// reading stands between lexemes, its place accepts, and its formula holds. definition.c says the same about whole
// texts in the contract's words; oracle_self.c compares. Cost: a few interned tuples a byte; memoised.
#include "../oracle.h"

#define MAX_READINGS 4000  // of a configuration; beyond it parses are left out, and that is told

// ---- unfailable, computed here again ----

// Valid UTF-8 as an automaton (RFC 3629, section 4).
enum utf8 { AT_START, ONE_MORE, TWO_MORE, THREE_MORE, AFTER_E0, AFTER_ED, AFTER_F0, AFTER_F4, N_UTF8, BAD };

static enum utf8 utf8_step(enum utf8 u, uint8_t b)
{
	bool more = b >= 0x80 && b <= 0xBF;
	switch (u) {
	case AT_START:
		if (b < 0x80) return AT_START;
		if (b >= 0xC2 && b <= 0xDF) return ONE_MORE;
		if (b == 0xE0) return AFTER_E0;
		if (b == 0xED) return AFTER_ED;
		if (b >= 0xE1 && b <= 0xEF) return TWO_MORE;
		if (b == 0xF0) return AFTER_F0;
		if (b >= 0xF1 && b <= 0xF3) return THREE_MORE;
		return b == 0xF4 ? AFTER_F4 : BAD;
	case ONE_MORE: return more ? AT_START : BAD;
	case TWO_MORE: return more ? ONE_MORE : BAD;
	case THREE_MORE: return more ? TWO_MORE : BAD;
	case AFTER_E0: return b >= 0xA0 && b <= 0xBF ? ONE_MORE : BAD;
	case AFTER_ED: return b >= 0x80 && b <= 0x9F ? ONE_MORE : BAD;
	case AFTER_F0: return b >= 0x90 && b <= 0xBF ? TWO_MORE : BAD;
	case AFTER_F4: return b >= 0x80 && b <= 0x8F ? TWO_MORE : BAD;
	default: return BAD;
	}
}

bool utf8_feed(uint32_t *pending, uint8_t byte, uint32_t *cp)
{
	enum utf8 before = (enum utf8)(*pending & 15), after = utf8_step(before, byte);
	uint32_t value = *pending >> 4;
	*cp = PATTERN_NONE;
	if (after == BAD) return false;
	if (before != AT_START)
		value = value << 6 | (byte & 63);
	else
		value = byte < 0x80 ? byte : byte < 0xE0 ? byte & 31u : byte < 0xF0 ? byte & 15u : byte & 7u;
	*pending = after == AT_START ? 0 : value << 4 | (uint32_t)after;
	if (after == AT_START) *cp = value;
	return true;
}

// What the beginning of a code point can become.
static void utf8_span(uint32_t pending, uint32_t *lo, uint32_t *hi)
{
	uint32_t more = 0;
	switch ((enum utf8)(pending & 15)) {
	case ONE_MORE: more = 1; break;
	case TWO_MORE:
	case AFTER_E0:
	case AFTER_ED: more = 2; break;
	default: more = 3;
	}
	*lo = (pending >> 4) << 6 * more;
	*hi = *lo | ((1u << 6 * more) - 1);
	if (*hi > 0x10FFFF) *hi = 0x10FFFF;
}

// [dfa states]: on every valid continuation of every way here, the DFA accepts somewhere or stays alive.
static uint8_t *unfailable_of(struct arena *arena, const struct byte_dfa *a)
{
	uint32_t n = a->n_states * N_UTF8;
	uint8_t *reached = mem_calloc(n, 1), *holds = mem_alloc(n);
	reached[0 * N_UTF8 + AT_START] = 1;
	for (bool again = true; again;) {
		again = false;
		for (uint32_t i = 0; i < n; i++) {
			if (!reached[i]) continue;
			for (uint32_t b = 0; b < 256; b++) {
				enum utf8 u = utf8_step((enum utf8)(i % N_UTF8), (uint8_t)b);
				uint32_t s = dfa_step(a, i / N_UTF8, (uint8_t)b);
				if (u == BAD || s == DFA_DEAD || reached[s * N_UTF8 + u]) continue;
				reached[s * N_UTF8 + u] = 1, again = true;
			}
		}
	}
	memset(holds, 1, n);
	for (bool again = true; again;) {
		again = false;
		for (uint32_t i = 0; i < n; i++) {
			if (!holds[i] || a->accept[i / N_UTF8]) continue;
			for (uint32_t b = 0; b < 256 && holds[i]; b++) {
				enum utf8 u = utf8_step((enum utf8)(i % N_UTF8), (uint8_t)b);
				if (u == BAD) continue;
				uint32_t s = dfa_step(a, i / N_UTF8, (uint8_t)b);
				if (s == DFA_DEAD || !holds[s * N_UTF8 + u]) holds[i] = 0, again = true;
			}
		}
	}
	uint8_t *out = arena_alloc(arena, a->n_states);
	for (uint32_t s = 0; s < a->n_states; s++) {
		out[s] = 1;
		for (uint32_t u = 0; u < N_UTF8; u++)
			if (reached[s * N_UTF8 + u]) out[s] &= holds[s * N_UTF8 + u];
	}
	free(reached);
	free(holds);
	return out;
}

// ---- setting up ----

static bool init(struct oracle *o, const struct grammar *g, const struct vocab *v, struct diag *d, enum parses_are are,
                 bool own_patterns)
{
	*o = (struct oracle){.grammar = g, .vocab = v};
	if (!parses_init(&o->parses, g, are, d)) return false;
	if (!(own_patterns ? program_build_all : program_build)(&o->program, g, d)) {
		parses_release(&o->parses);
		return false;
	}
	o->dfa = arena_array(&o->arena, g->n_terminals, sizeof *o->dfa);
	o->word_dfa = arena_array(&o->arena, g->n_terminals, sizeof *o->word_dfa);
	o->unfailable = arena_array(&o->arena, g->n_terminals, sizeof *o->unfailable);
	o->has_way_out = arena_array(&o->arena, g->n_terminals, sizeof *o->has_way_out);
	for (uint32_t t = 0; t < g->n_terminals; t++) {
		struct byte_dfa *a = &o->dfa[t];
		if (!g->terminals[t].pattern || o->program.of[t].looks) continue;
		if (!regex_compile(&g->terminals[t], &o->arena, d, a)) {
			program_release(&o->program);
			parses_release(&o->parses);
			arena_release(&o->arena);
			return false;
		}
		o->unfailable[t] = unfailable_of(&o->arena, a);
		o->has_way_out[t] = arena_array(&o->arena, a->n_states, sizeof **o->has_way_out);
		for (uint32_t i = 0; i < a->n_states * a->n_classes; i++)
			if (a->next[i] != DFA_DEAD) o->has_way_out[t][i / a->n_classes] = true;
	}
	bool has_words = false;
	struct diag refused = {0};
	for (uint32_t t = 0; t < g->n_terminals; t++) has_words |= g->terminals[t].has_words;
	for (uint32_t t = 0; t < g->n_terminals && has_words; t++)
		if (g->terminals[t].pattern) regex_compile(&g->terminals[t], &o->arena, &refused, &o->word_dfa[t]);
	diag_release(&refused);
	o->judges = arena_array(&o->arena, g->n_terminals, sizeof *o->judges);
	looking_init(o);
	bool used[256] = {false};
	for (token_id t = 0; t < v->n_tokens; t++)
		for (uint32_t i = v->offset[t]; i < v->offset[t + 1]; i++) used[v->bytes[i]] = true;
	for (uint32_t b = 0; b < 256; b++)
		if (used[b]) o->letter[b] = (uint16_t)o->n_alphabet++;
	for (uint32_t b = 0; b < 256; b++)
		if (!used[b]) o->letter[b] = (uint16_t)o->n_alphabet;
	o->by_bytes = v->max_token_len == 1 && o->n_alphabet == 256;
	for (uint32_t r = 0; r < v->n_ranks; r++) {
		token_id t = v->token_of[r], last = o->tries.n ? o->tries.at[o->tries.n - 1] : t;
		uint32_t len = v->offset[t + 1] - v->offset[t];
		if (o->tries.n && v->offset[last + 1] - v->offset[last] == len &&
		    memcmp(v->bytes + v->offset[t], v->bytes + v->offset[last], len) == 0)
			continue;
		vec_push(&o->tries, t);
		if (len == 1) o->is_byte[v->bytes[v->offset[t]]] = true;
	}
	return true;
}

bool oracle_init(struct oracle *o, const struct grammar *g, const struct vocab *v, struct diag *d)
{
	return init(o, g, v, d, PARSES_AS_CONTRACT, false);
}

bool oracle_init_as(struct oracle *o, const struct grammar *g, const struct vocab *v, enum parses_are are,
                    struct diag *d)
{
	return init(o, g, v, d, are, false);
}

bool oracle_init_own(struct oracle *o, const struct grammar *g, const struct vocab *v, struct diag *d)
{
	return init(o, g, v, d, PARSES_AS_CONTRACT, true);
}

void oracle_release(struct oracle *o)
{
	definition_release(o);
	reach_release(o);
	parses_release(&o->parses);
	program_release(&o->program);
	struct intern *tables[] = {&o->formulas,   &o->place_sets, &o->views,  &o->scans,  &o->judged,   &o->lists,
	                           &o->view_steps, &o->scan_steps, &o->widths, &o->hinted, &o->interned, &o->words};
	for (uint32_t i = 0; i < sizeof tables / sizeof *tables; i++) intern_release(tables[i]);
	vec_release(&o->judgements);
	vec_release(&o->is_word);
	vec_release(&o->view_to);
	vec_release(&o->scan_to);
	vec_release(&o->width_of);
	vec_release(&o->hints);
	vec_release(&o->configs);
	vec_release(&o->tries);
	arena_release(&o->arena);
	*o = (struct oracle){0};
}

bool oracle_wins(const struct oracle *o, terminal_id a, terminal_id b)
{
	if (b == ORACLE_NONE) return true;
	const struct terminal *x = &o->grammar->terminals[a], *y = &o->grammar->terminals[b];
	if (x->priority != y->priority) return x->priority > y->priority;
	if (x->is_ignored != y->is_ignored) return y->is_ignored;
	if (x->is_literal != y->is_literal) return x->is_literal;
	return a < b;
}

// ---- configurations ----

#define READING_WORDS(n_alive) ((uint32_t)(sizeof(struct reading) / 4 + 2 * (n_alive)))

static const struct reading *next_reading(const struct reading *r)
{
	return (const struct reading *)((const uint32_t *)r + READING_WORDS(r->n_alive));
}

// A configuration under construction: readings without their formulas, and those.
struct draft {
	struct intern readings;
	VEC(formula) f;
	bool is_cut, has_newline;
};

static void add_reading(struct oracle *o, struct draft *d, const struct reading *head, const struct alive *alive,
                        uint32_t n_alive)
{
	if (head->f == F_FALSE) return;
	if (d->f.n >= MAX_READINGS) {
		d->is_cut = true;
		return;
	}
	size_t words = READING_WORDS(n_alive);
	struct reading *r = mem_alloc(words * sizeof(uint32_t));
	*r = *head;
	r->f = F_FALSE, r->n_alive = n_alive;
	if (n_alive) memcpy(r->alive, alive, n_alive * sizeof *alive);
	bool is_new;
	uint32_t i = intern_add(&d->readings, r, words * sizeof(uint32_t), &is_new);
	if (is_new) vec_push(&d->f, F_FALSE);
	d->f.at[i] = f_or2(o, d->f.at[i], head->f);
	free(r);
}

// May the text end at p, as far as a glance tells?
static bool may_end(struct oracle *o, struct place p)
{
	if (o->parses.are == PARSES_EARLEY) return oracle_place_accepts(o, p);
	return parse_viable(&o->parses, p.parse, o->grammar->n_terminals) ||
	       (o->grammar->indentation.on && parse_viable(&o->parses, p.parse, o->grammar->indentation.dedent));
}

// A reading between two lexemes: all that competes is alive.
static void add_fresh(struct oracle *o, struct draft *d, struct place p, uint32_t view, formula f)
{
	if (f == F_FALSE) return;
	VEC(struct alive) alive = {0};
	for (terminal_id t = 0; t < o->grammar->n_terminals; t++) {
		if (!oracle_place_competes(o, &p, t)) continue;
		uint32_t at = o->program.of[t].looks ? scan_begin(o, t, view) : 0;
		if (at != SCAN_NONE) vec_push(&alive, ((struct alive){t, at}));
	}
	struct reading head = {
		.parse = p.parse, .is_fresh = 1, .columns = p.columns, .scopes = p.scopes, .held = p.held, .f = f};
	if (alive.n || may_end(o, p)) add_reading(o, d, &head, alive.at, alive.n);
	vec_release(&alive);
}

static int by_words(const void *a, const void *b)
{
	const struct reading *x = *(const struct reading *const *)a, *y = *(const struct reading *const *)b;
	if (x->n_alive != y->n_alive) return x->n_alive < y->n_alive ? -1 : 1;
	return memcmp(x, y, READING_WORDS(x->n_alive) * sizeof(uint32_t));
}

#define KEY_HEAD 4  // words before the readings

typedef VEC(struct reading *) reading_list;

// Copies with their formulas. Those that differ in nothing but what is below their tops become one.
static reading_list gather(struct oracle *o, const struct draft *d)
{
	reading_list out = {0};
	struct intern alike = {0};
	for (uint32_t i = 0; i < d->f.n; i++) {
		uint32_t len;
		const void *bytes = intern_get(&d->readings, i, &len);
		struct reading *x = mem_alloc(len);
		memcpy(x, bytes, len);
		x->f = d->f.at[i];
		uint32_t parse = x->parse, at = out.n;
		if (o->parses.are == PARSES_STACKS && !o->parses.is_lone) {
			x->parse = parse_top(&o->parses, parse);
			at = intern_add(&alike, x, len, NULL);
			x->parse = parse;
		}
		if (at == out.n)
			vec_push(&out, x);
		else {
			out.at[at]->parse = parse_unite(&o->parses, out.at[at]->parse, parse);
			free(x);
		}
	}
	intern_release(&alike);
	if (out.n) qsort(out.at, out.n, sizeof *out.at, by_words);
	return out;
}

// The readings in an order of their own behind pending, view, column, the flags.
static uint32_t *key_of(const reading_list *l, uint32_t pending, uint32_t view, uint32_t column, uint32_t flags,
                        uint32_t *n)
{
	*n = KEY_HEAD;
	for (uint32_t i = 0; i < l->n; i++) *n += READING_WORDS(l->at[i]->n_alive);
	uint32_t *key = mem_alloc(*n * sizeof *key), at = KEY_HEAD;
	key[0] = pending, key[1] = view, key[2] = column, key[3] = flags;
	for (uint32_t i = 0; i < l->n; i++) {
		uint32_t words = READING_WORDS(l->at[i]->n_alive);
		memcpy(key + at, l->at[i], words * sizeof *key);
		at += words;
	}
	return key;
}

static struct config *new_config(struct oracle *o, const uint32_t *key, uint32_t n_readings)
{
	struct config *c = arena_alloc(&o->arena, sizeof *c);
	*c = (struct config){.pending = key[0],
	                     .view = key[1],
	                     .column = key[2],
	                     .is_cut = key[3] & 1,
	                     .has_newline = key[3] >> 1,
	                     .n_readings = n_readings,
	                     .readings = key + KEY_HEAD,
	                     .to_end = UINT32_MAX,
	                     .parent = ORACLE_NONE};
	const struct reading *r = (const struct reading *)c->readings;
	for (uint32_t i = 0; i < n_readings; i++, r = next_reading(r)) {
		uint32_t to_end = parse_to_end(&o->parses, r->parse) + !r->is_fresh;
		if (to_end < c->to_end) c->to_end = to_end;
	}
	o->n_cut += c->is_cut;
	return c;
}

// Interns and empties the draft. No reading: dead, if none was left out.
static uint32_t intern_config(struct oracle *o, struct draft *d, uint32_t pending, uint32_t view, uint32_t column)
{
	uint32_t id = CONFIG_DEAD;
	if (d->f.n || d->is_cut) {
		reading_list l = gather(o, d);
		uint32_t n, *key = key_of(&l, pending, view, column, d->is_cut | d->has_newline << 1, &n);
		bool is_new;
		id = intern_add(&o->interned, key, n * sizeof *key, &is_new);
		free(key);
		if (is_new) vec_push(&o->configs, new_config(o, intern_get(&o->interned, id, NULL), l.n));
		for (uint32_t i = 0; i < l.n; i++) free(l.at[i]);
		vec_release(&l);
	}
	intern_release(&d->readings);
	vec_release(&d->f);
	return id;
}

uint32_t oracle_start(struct oracle *o)
{
	struct draft d = {0};
	struct place p = oracle_place_start(o);
	uint32_t view = view_start(o);
	add_fresh(o, &d, p, view, F_TRUE);
	return intern_config(o, &d, 0, view, COLUMN_TEXT);
}

// One byte more in a terminal's scan: where it is then (SCAN_NONE: nowhere), and whether it matches here.
static uint32_t step_scan(struct oracle *o, terminal_id t, uint32_t at, const struct moment *now, formula *match)
{
	if (o->program.of[t].looks) return scan_step(o, at, now, match);
	at = dfa_step(&o->dfa[t], at, now->byte);
	*match = at != DFA_DEAD && o->dfa[t].accept[at] ? F_TRUE : F_FALSE;
	return at != DFA_DEAD && o->has_way_out[t][at] ? at : SCAN_NONE;
}

// Can the newline's scan match after blanks alone? If not, the width of those so far is forgotten: configurations are
// fewer.
static bool width_matters(struct oracle *o, uint32_t at, uint32_t view)
{
	terminal_id t = o->grammar->indentation.newline;
	uint32_t key[2] = {at, view};
	bool is_new, matters = false;
	uint32_t known = intern_add(&o->widths, key, sizeof key, &is_new);
	if (!is_new) return o->width_of.at[known];
	vec_push(&o->width_of, false);
	struct intern seen = {0};
	intern_add(&seen, key, sizeof key, NULL);
	for (uint32_t i = 0; i < seen.entries.n && !matters; i++)
		for (uint32_t b = 0; b < 2 && !matters; b++) {
			const uint32_t *from = intern_get(&seen, i, NULL);
			struct moment now = {.byte = b ? '\t' : ' ', .cp = PATTERN_NONE, .view = from[1]};
			if (o->program.code.n)
				now.cp = program_letter(&o->program, now.byte), now.view = view_step(o, from[1], now.cp);
			formula match;
			uint32_t to[2] = {step_scan(o, t, from[0], &now, &match), now.view};
			if (match != F_FALSE || seen.entries.n > 200) matters = true;
			if (to[0] != SCAN_NONE) intern_add(&seen, to, sizeof to, NULL);
		}
	intern_release(&seen);
	o->width_of.at[known] = matters;
	return matters;
}

// One byte more of a reading's lexeme. *goes_on: the reading where the lexeme goes on, with *alive (freed by the
// caller), if any; `ends`: as what it may have ended here, each with what must be true of the rest.
static void lex_reading(struct oracle *o, const struct reading *r, const struct moment *now, struct reading *goes_on,
                        struct alive **alive, endings *ends)
{
	*goes_on = (struct reading){.parse = r->parse, .columns = r->columns, .scopes = r->scopes, .held = r->held};
	*alive = NULL;
	formula f = formula_step(o, r->f, now);
	if (f == F_FALSE) return;
	VEC(struct alive) still = {0};
	endings matched = {0};
	for (uint32_t i = 0; i < r->n_alive; i++) {
		struct alive x = r->alive[i];
		formula match;
		x.at = step_scan(o, x.terminal, x.at, now, &match);
		if (match != F_FALSE) vec_push(&matched, ((struct ending){x.terminal, match}));
		if (x.at != SCAN_NONE) vec_push(&still, x);
	}
	const struct indentation *in = &o->grammar->indentation;
	bool has_line = in->on && (r->has_line || now->byte == '\n');
	for (uint32_t i = 0; i < still.n && has_line; i++)
		goes_on->has_line |= still.at[i].terminal == in->newline && width_matters(o, still.at[i].at, now->view);
	goes_on->f = still.n ? f : F_FALSE, goes_on->n_alive = still.n, *alive = still.at;
	if (matched.n) {
		VEC(formula) longer = {0};
		for (uint32_t i = 0; i < still.n; i++) vec_push(&longer, f_scan_now(o, still.at[i].terminal, still.at[i].at));
		f = f_and2(o, f, f_not(o, f_or(o, longer.at, longer.n)));
		vec_release(&longer);
	}
	// The best first; each only where those before it do not match.
	for (uint32_t left = matched.n; left && f != F_FALSE; left--) {
		uint32_t best = 0;
		for (uint32_t i = 1; i < left; i++)
			if (oracle_wins(o, matched.at[i].t, matched.at[best].t)) best = i;
		struct ending m = matched.at[best];
		matched.at[best] = matched.at[left - 1];
		formula here = f_and2(o, f, m.f);
		if (here != F_FALSE) vec_push(ends, ((struct ending){m.t, here}));
		f = f_and2(o, f, f_not(o, m.f));
	}
	vec_release(&matched);
}

// One reading, one byte more: it goes on, or its lexeme ended here, for each parse behind it.
static void step_reading(struct oracle *o, struct draft *d, const struct reading *r, const struct moment *now,
                         uint32_t column)
{
	struct reading goes_on;
	struct alive *alive;
	endings ends = {0};
	lex_reading(o, r, now, &goes_on, &alive, &ends);
	if (goes_on.n_alive) add_reading(o, d, &goes_on, alive, goes_on.n_alive);
	bool has_line = o->grammar->indentation.on && (r->has_line || now->byte == '\n');
	for (uint32_t i = 0; i < ends.n; i++) {
		struct places after = {0};
		oracle_place_after(o, (struct place){r->parse, r->columns, r->scopes, r->held}, ends.at[i].t,
		                   has_line ? column : COLUMN_TEXT, &after);
		for (uint32_t k = 0; k < after.at.n; k++) add_fresh(o, d, after.at.at[k], now->view, ends.at[i].f);
		d->is_cut |= after.is_cut;
		vec_release(&after.at);
	}
	free(alive);
	vec_release(&ends);
}

// Where a byte leads, apart from the readings. False: the bytes are no UTF-8.
static bool step_moment(struct oracle *o, const struct config *c, uint8_t b, uint32_t *pending, struct moment *now)
{
	*now = (struct moment){.byte = b, .cp = PATTERN_NONE, .view = c->view};
	*pending = c->pending;
	if (!o->program.code.n) return true;
	if (!utf8_feed(pending, b, &now->cp)) return false;
	if (now->cp != PATTERN_NONE)
		now->cp = program_letter(&o->program, now->cp);
	else {
		uint32_t lo, hi;
		utf8_span(*pending, &lo, &hi);
		*pending = program_pending(&o->program, *pending, lo, hi);
	}
	now->view = view_step(o, c->view, now->cp);
	return true;
}

static uint32_t compute_step(struct oracle *o, const struct config *c, uint8_t b)
{
	struct moment now;
	uint32_t pending, column = column_after(o, c->column, b);
	if (!step_moment(o, c, b, &pending, &now)) return CONFIG_DEAD;
	struct draft d = {.is_cut = c->is_cut, .has_newline = o->grammar->indentation.end_newline && b == '\n'};
	const struct reading *r = (const struct reading *)c->readings;
	for (uint32_t i = 0; i < c->n_readings; i++, r = next_reading(r)) step_reading(o, &d, r, &now, column);
	bool is_kept = false;
	for (uint32_t i = 0; i < d.f.n; i++)
		is_kept |= ((const struct reading *)intern_get(&d.readings, i, NULL))->has_line;
	return intern_config(o, &d, pending, now.view, is_kept ? column : COLUMN_TEXT);
}

uint32_t config_lex(struct oracle *o, uint32_t config, uint8_t byte, endings *ends, struct lexeme_end *after)
{
	const struct config *c = o->configs.at[config];
	struct moment now;
	if (!step_moment(o, c, byte, &after->pending, &now)) return CONFIG_DEAD;
	after->view = now.view;
	struct draft d = {0};
	struct reading goes_on;
	struct alive *alive;
	lex_reading(o, (const struct reading *)c->readings, &now, &goes_on, &alive, ends);
	if (goes_on.n_alive) add_reading(o, &d, &goes_on, alive, goes_on.n_alive);
	free(alive);
	return intern_config(o, &d, after->pending, now.view, COLUMN_TEXT);
}

uint32_t config_fresh(struct oracle *o, struct place p, struct lexeme_end at, formula f)
{
	struct draft d = {0};
	add_fresh(o, &d, p, at.view, f);
	return intern_config(o, &d, at.pending, at.view, COLUMN_TEXT);
}

uint32_t config_on_top(struct oracle *o, uint32_t config)
{
	const struct config *c = o->configs.at[config];
	const struct reading *r = (const struct reading *)c->readings;
	struct reading top = *r;
	struct draft d = {.has_newline = c->has_newline};
	top.parse = parse_bottom(&o->parses, parse_top(&o->parses, r->parse));
	add_reading(o, &d, &top, r->alive, r->n_alive);
	return intern_config(o, &d, c->pending, c->view, c->column);
}

const uint32_t *config_alone(struct oracle *o, uint32_t config)
{
	struct config *c = o->configs.at[config];
	if (c->alone) return c->alone;
	c->alone = arena_array(&o->arena, c->n_readings + 1, sizeof *c->alone);
	const struct reading *r = (const struct reading *)c->readings;
	for (uint32_t i = 0; i < c->n_readings; i++, r = next_reading(r)) {
		struct draft d = {.has_newline = c->has_newline};
		add_reading(o, &d, r, r->alive, r->n_alive);
		c->alone[i] = intern_config(o, &d, c->pending, c->view, r->has_line ? c->column : COLUMN_TEXT);
	}
	return c->alone;
}

static uint32_t step_byte(struct oracle *o, uint32_t config, uint8_t b)
{
	struct config *c = o->configs.at[config];
	uint32_t i = o->letter[b];
	if (i == o->n_alphabet) return compute_step(o, c, b);
	if (!c->next) {
		c->next = arena_array(&o->arena, o->n_alphabet, sizeof *c->next);
		for (uint32_t k = 0; k < o->n_alphabet; k++) c->next[k] = CONFIG_DEAD - 1;
	}
	if (c->next[i] == CONFIG_DEAD - 1) {
		uint32_t to = compute_step(o, c, b);
		c->next[i] = to;
	}
	return c->next[i];
}

uint32_t oracle_step(struct oracle *o, uint32_t config, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len && config != CONFIG_DEAD; i++) config = step_byte(o, config, bytes[i]);
	return config;
}

static bool ends_here(struct oracle *o, uint32_t config)
{
	if (config == CONFIG_DEAD) return false;
	const struct config *c = o->configs.at[config];
	const struct reading *r = (const struct reading *)c->readings;
	if (c->pending) return false;
	for (uint32_t i = 0; i < c->n_readings; i++, r = next_reading(r))
		if (r->is_fresh && formula_at_end(o, r->f) &&
		    oracle_place_accepts(o, (struct place){r->parse, r->columns, r->scopes, r->held}))
			return true;
	return false;
}

bool oracle_complete(struct oracle *o, uint32_t config)
{
	if (ends_here(o, config)) return true;
	const struct indentation *in = &o->grammar->indentation;
	if (config == CONFIG_DEAD || o->configs.at[config]->has_newline) return false;
	return in->on && in->end_newline && ends_here(o, oracle_step(o, config, (const uint8_t *)"\n", 1));
}
