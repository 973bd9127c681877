// Contextual maximal munch, by the words of docs/language.md, rules 1 and 2.
//
// Two implementations that must agree (oracle_self.c):
//   oracle_in_language: a whole text, lexeme by lexeme, each scan from its first byte;
//   oracle_step/_complete: byte by byte over interned configurations, for the search.
// A configuration is (Earley set, DFA states of the terminals that compete and are alive, fallback); the fallback is the
// configuration if the longest match so far were committed and the bytes after it read again. Both run side by side;
// when nothing is alive, the fallback takes over.
// It is forgotten once something alive is unfailable: valid UTF-8 cannot bring it back, and a text that is not valid
// UTF-8 is not in the language anyway (every lexeme is).
#include "../oracle.h"

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

bool oracle_init(struct oracle *o, const struct grammar *g, const struct vocab *v, struct diag *d)
{
	*o = (struct oracle){.grammar = g, .vocab = v};
	o->dfa = arena_array(&o->arena, g->n_terminals, sizeof *o->dfa);
	o->unfailable = arena_array(&o->arena, g->n_terminals, sizeof *o->unfailable);
	for (uint32_t t = 0; t < g->n_terminals; t++) {
		if (!g->terminals[t].pattern) continue;
		if (!regex_compile(&g->terminals[t], &o->arena, d, &o->dfa[t])) {
			arena_release(&o->arena);
			return false;
		}
		o->unfailable[t] = unfailable_of(&o->arena, &o->dfa[t]);
	}
	earley_init(&o->earley, g);
	bool used[256] = {false};
	for (token_id t = 0; t < v->n_tokens; t++)
		for (uint32_t i = v->offset[t]; i < v->offset[t + 1]; i++) used[v->bytes[i]] = true;
	for (uint32_t b = 0; b < 256; b++)
		if (used[b]) o->letter[b] = (uint16_t)o->n_alphabet++;
	for (uint32_t b = 0; b < 256; b++)
		if (!used[b]) o->letter[b] = (uint16_t)o->n_alphabet;
	for (uint32_t r = 0; r < v->n_ranks; r++) {
		token_id t = v->token_of[r], last = o->tries.n ? o->tries.at[o->tries.n - 1] : t;
		uint32_t len = v->offset[t + 1] - v->offset[t];
		if (o->tries.n && v->offset[last + 1] - v->offset[last] == len &&
		    memcmp(v->bytes + v->offset[t], v->bytes + v->offset[last], len) == 0)
			continue;
		vec_push(&o->tries, t);
	}
	return true;
}

void oracle_release(struct oracle *o)
{
	earley_release(&o->earley);
	intern_release(&o->interned);
	vec_release(&o->configs);
	vec_release(&o->tries);
	arena_release(&o->arena);
	*o = (struct oracle){0};
}

static bool competes(const struct oracle *o, uint32_t set, terminal_id t)
{
	if (!o->dfa[t].n_states) return false;
	return o->grammar->terminals[t].is_ignored || earley_viable(&o->earley, set, t);
}

// The order of ties: does a win over b, both having matched the same text?
static bool wins(const struct oracle *o, terminal_id a, terminal_id b)
{
	if (b == ORACLE_NONE) return true;
	const struct terminal *x = &o->grammar->terminals[a], *y = &o->grammar->terminals[b];
	if (x->priority != y->priority) return x->priority > y->priority;
	if (x->is_ignored != y->is_ignored) return y->is_ignored;
	if (x->is_literal != y->is_literal) return x->is_literal;
	return a < b;
}

static uint32_t after_lexeme(struct oracle *o, uint32_t set, terminal_id t)
{
	return o->grammar->terminals[t].is_ignored ? set : earley_step(&o->earley, set, t);
}

// ---- a whole text ----

bool oracle_in_language(struct oracle *o, const uint8_t *text, size_t len)
{
	uint32_t set = 0;
	for (size_t at = 0; at < len;) {
		terminal_id best = ORACLE_NONE;
		size_t best_end = at;
		bool is_unfinished = false;
		for (terminal_id t = 0; t < o->grammar->n_terminals; t++) {
			if (!competes(o, set, t)) continue;
			uint32_t s = 0;
			for (size_t i = at; i < len && s != DFA_DEAD; i++) {
				s = dfa_step(&o->dfa[t], s, text[i]);
				if (s == DFA_DEAD || !o->dfa[t].accept[s]) continue;
				if (i + 1 > best_end || (i + 1 == best_end && wins(o, t, best)))
					best = t, best_end = i + 1;
			}
			if (s != DFA_DEAD && o->unfailable[t][s]) is_unfinished = true;
		}
		if (best == ORACLE_NONE) return false;
		if (best_end < len && is_unfinished) return false;
		set = after_lexeme(o, set, best);
		at = best_end;
	}
	return o->earley.sets.at[set].accepting;
}

// ---- byte by byte ----

static uint32_t intern_config(struct oracle *o, uint32_t set, bool is_fresh, uint32_t fallback, const struct alive *alive,
                              uint32_t n_alive)
{
	size_t len = 4 * sizeof(uint32_t) + n_alive * sizeof *alive;
	uint32_t *key = mem_alloc(len);
	key[0] = set, key[1] = is_fresh, key[2] = fallback, key[3] = n_alive;
	if (n_alive) memcpy(key + 4, alive, n_alive * sizeof *alive);
	bool is_new;
	uint32_t id = intern_add(&o->interned, key, len, &is_new);
	free(key);
	if (!is_new) return id;
	const uint32_t *kept = intern_get(&o->interned, id, NULL);
	struct config *c = arena_alloc(&o->arena, sizeof *c);
	*c = (struct config){.set = set, .is_fresh = is_fresh, .fallback = fallback, .n_alive = n_alive, .parent = ORACLE_NONE};
	c->alive = (const struct alive *)(kept + 4);
	c->next = arena_array(&o->arena, o->n_alphabet, sizeof *c->next);
	for (uint32_t i = 0; i < o->n_alphabet; i++) c->next[i] = CONFIG_DEAD - 1;
	vec_push(&o->configs, c);
	return id;
}

// At the start of a lexeme: everything that competes is alive.
static uint32_t fresh_config(struct oracle *o, uint32_t set)
{
	VEC(struct alive) alive = {0};
	for (terminal_id t = 0; t < o->grammar->n_terminals; t++)
		if (competes(o, set, t)) vec_push(&alive, ((struct alive){t, 0}));
	uint32_t id = intern_config(o, set, true, CONFIG_DEAD, alive.at, alive.n);
	vec_release(&alive);
	return id;
}

uint32_t oracle_start(struct oracle *o) { return fresh_config(o, 0); }

static bool has_way_out(const struct byte_dfa *a, uint32_t s)
{
	for (uint32_t c = 0; c < a->n_classes; c++)
		if (a->next[s * a->n_classes + c] != DFA_DEAD) return true;
	return false;
}

static uint32_t step_byte(struct oracle *o, uint32_t config, uint8_t b);

static uint32_t compute_step(struct oracle *o, const struct config *c, uint8_t b)
{
	VEC(struct alive) alive = {0};
	uint32_t accepted = ORACLE_NONE;
	bool is_unfailable = false;
	for (uint32_t i = 0; i < c->n_alive; i++) {
		terminal_id t = c->alive[i].terminal;
		const struct byte_dfa *a = &o->dfa[t];
		uint32_t s = dfa_step(a, c->alive[i].dfa_state, b);
		if (s == DFA_DEAD) continue;
		if (a->accept[s] && wins(o, t, accepted)) accepted = t;
		if (!has_way_out(a, s)) continue;
		vec_push(&alive, ((struct alive){t, s}));
		if (o->unfailable[t][s]) is_unfailable = true;
	}
	uint32_t fallback = CONFIG_DEAD;
	if (accepted != ORACLE_NONE) fallback = fresh_config(o, after_lexeme(o, c->set, accepted));
	else if (!is_unfailable && c->fallback != CONFIG_DEAD) fallback = step_byte(o, c->fallback, b);
	uint32_t to = alive.n ? intern_config(o, c->set, false, fallback, alive.at, alive.n) : fallback;
	vec_release(&alive);
	return to;
}

static uint32_t step_byte(struct oracle *o, uint32_t config, uint8_t b)
{
	struct config *c = o->configs.at[config];
	uint32_t i = o->letter[b];
	if (i == o->n_alphabet) return compute_step(o, c, b);
	if (c->next[i] == CONFIG_DEAD - 1) c->next[i] = compute_step(o, c, b);
	return c->next[i];
}

uint32_t oracle_step(struct oracle *o, uint32_t config, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len && config != CONFIG_DEAD; i++) config = step_byte(o, config, bytes[i]);
	return config;
}

bool oracle_complete(struct oracle *o, uint32_t config)
{
	for (; config != CONFIG_DEAD; config = o->configs.at[config]->fallback) {
		const struct config *c = o->configs.at[config];
		if (c->is_fresh) return o->earley.sets.at[c->set].accepting;
	}
	return false;
}
