// Finding a completion quickly, spelled in tokens of one byte: whole lexemes as steps. By turns the nearest to the end
// and the first found are looked at: a line that may always become wider is as near to the end as before.
//
// In:  a configuration. Out: true when a completion was found (then it and what leads to the end is marked viable);
// false says nothing. From a configuration only few texts are tried: for each terminal that is alive in a reading, the
// shortest text that finishes it, and line ends with the widths of the open columns and one more; only texts of bytes
// that are tokens. So what is found is a row of tokens, and the answer is as sure as the search's. Cost: some ten steps
// for each lexeme that is missing.
#include "../oracle.h"

#define HINT_STEPS 240  // configurations whose steps are tried
#define HINT_SCANS 400  // states looked at for a shortest text
#define HINT_LEXEME 64  // bytes

typedef VEC(uint8_t) bytes;

static void push_cp(bytes *b, uint32_t c)
{
	if (c < 0x80)
		vec_push(b, (uint8_t)c);
	else if (c < 0x800) {
		vec_push(b, (uint8_t)(0xC0 | c >> 6));
		vec_push(b, (uint8_t)(0x80 | (c & 63)));
	} else if (c < 0x10000) {
		vec_push(b, (uint8_t)(0xE0 | c >> 12));
		vec_push(b, (uint8_t)(0x80 | (c >> 6 & 63)));
		vec_push(b, (uint8_t)(0x80 | (c & 63)));
	} else {
		vec_push(b, (uint8_t)(0xF0 | c >> 18));
		vec_push(b, (uint8_t)(0x80 | (c >> 12 & 63)));
		vec_push(b, (uint8_t)(0x80 | (c >> 6 & 63)));
		vec_push(b, (uint8_t)(0x80 | (c & 63)));
	}
}

// The shortest text, by breadth, that leads from a scan to a match. Empty: none was found. Memoised.
static const struct hint *shortest(struct oracle *o, terminal_id t, uint32_t at, uint32_t view)
{
	uint32_t key[3] = {t, at, o->program.of[t].looks ? view : 0};
	bool is_new, found = false;
	uint32_t known = intern_add(&o->hinted, key, sizeof key, &is_new);
	if (!is_new) return &o->hints.at[known];
	vec_push(&o->hints, ((struct hint){0}));
	struct intern seen = {0};
	VEC(uint32_t) from = {0}, by = {0};  // of each node: the one before, and the letter
	uint32_t first[2] = {at, view}, end = 0, last = 0;
	intern_add(&seen, first, sizeof first, NULL);
	vec_push(&from, 0), vec_push(&by, 0);
	bool looks = o->program.of[t].looks;
	for (uint32_t i = 0; i < seen.entries.n && i < HINT_SCANS && !found; i++) {
		const uint32_t *node = intern_get(&seen, i, NULL);
		uint32_t n_letters = looks ? o->program.letters.n : 256;
		for (uint32_t k = 0; k < n_letters && !found; k++) {
			// Letters and digits before what may mean something to other terminals.
			uint32_t letter = looks ? o->program.letters.at[k] : (k + 'a') % 256;
			struct moment now = {.byte = (uint8_t)letter, .cp = PATTERN_NONE, .view = node[1]};
			formula match = F_FALSE;
			uint32_t to;
			if (looks) {
				now.cp = letter, now.view = view_step(o, node[1], letter);
				to = scan_step(o, node[0], &now, &match);
			} else {
				to = dfa_step(&o->dfa[t], node[0], now.byte);
				if (to == DFA_DEAD) continue;
				if (o->dfa[t].accept[to]) match = F_TRUE;
			}
			if (match != F_FALSE)
				found = true, end = i, last = letter;
			else if (to != SCAN_NONE) {
				uint32_t next[2] = {to, now.view};
				intern_add(&seen, next, sizeof next, &is_new);
				if (is_new) vec_push(&from, i), vec_push(&by, letter);
			}
		}
	}
	if (found) {
		VEC(uint32_t) letters = {0};
		vec_push(&letters, last);
		for (uint32_t i = end; i; i = from.at[i]) vec_push(&letters, by.at[i]);
		bytes text = {0};
		while (letters.n) {
			uint32_t c = vec_pop(&letters);
			if (looks)
				push_cp(&text, c);
			else
				vec_push(&text, (uint8_t)c);
		}
		uint8_t *kept = arena_alloc(&o->arena, text.n);
		memcpy(kept, text.at, text.n);
		if (text.n <= HINT_LEXEME) o->hints.at[known] = (struct hint){kept, text.n};
		vec_release(&text);
		vec_release(&letters);
	}
	vec_release(&from);
	vec_release(&by);
	intern_release(&seen);
	return &o->hints.at[known];
}

struct front {
	uint32_t id, to_end;
	bool is_done;
};
typedef VEC(struct front) fronts;

static void reach(struct oracle *o, fronts *open, uint32_t from, const uint8_t *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!o->is_byte[text[i]]) return;
	uint32_t to = oracle_step(o, from, text, len);
	if (to == CONFIG_DEAD || o->configs.at[to]->stamp == o->stamp || o->configs.at[to]->verdict == VERDICT_DEAD) return;
	struct config *c = o->configs.at[to];
	c->stamp = o->stamp, c->parent = from;
	vec_push(open, ((struct front){to, c->to_end, false}));
}

// A line of so many blanks; or on in this line, where it has begun.
static void reach_column(struct oracle *o, fronts *open, uint32_t from, uint32_t width)
{
	uint8_t line[1 + HINT_LEXEME] = {'\n'};
	uint32_t column = o->configs.at[from]->column;
	if (width > HINT_LEXEME) return;
	memset(line + 1, ' ', HINT_LEXEME);
	reach(o, open, from, line, width + 1);
	if (column < width) reach(o, open, from, line + 1, width - column);
}

// The next one to look at, or ORACLE_NONE.
static uint32_t choose(const fronts *open, bool oldest)
{
	uint32_t best = open->n;
	for (uint32_t i = 0; i < open->n; i++) {
		if (open->at[i].is_done) continue;
		if (best == open->n || (!oldest && open->at[i].to_end <= open->at[best].to_end)) best = i;
	}
	if (best == open->n) return ORACLE_NONE;
	open->at[best].is_done = true;
	return open->at[best].id;
}

bool oracle_hint(struct oracle *o, uint32_t config)
{
	fronts open = {0};
	uint32_t goal = ORACLE_NONE;
	o->stamp++;
	struct config *first = o->configs.at[config];
	first->stamp = o->stamp, first->parent = ORACLE_NONE;
	vec_push(&open, ((struct front){config, first->to_end, false}));
	uint32_t id;
	for (uint32_t steps = 0; steps < HINT_STEPS && (id = choose(&open, steps % 2)) != ORACLE_NONE; steps++) {
		const struct config *c = o->configs.at[id];
		if (c->verdict == VERDICT_VIABLE || oracle_complete(o, id)) {
			goal = id;
			break;
		}
		if (c->pending) continue;
		const struct reading *r = (const struct reading *)c->readings;
		for (uint32_t i = 0; i < c->n_readings; i++) {
			for (uint32_t k = 0; k < r->n_alive; k++) {
				const struct hint h = *shortest(o, r->alive[k].terminal, r->alive[k].at, c->view);
				if (h.len) reach(o, &open, id, h.bytes, h.len);
				const struct indentation *in = &o->grammar->indentation;
				if (!in->on || r->alive[k].terminal != in->newline) continue;
				uint32_t list = r->columns;
				reach_column(o, &open, id, ((const uint32_t *)intern_get(&o->lists, list, NULL))[0] + 1);
				for (; list; list = ((const uint32_t *)intern_get(&o->lists, list, NULL))[1])
					reach_column(o, &open, id, ((const uint32_t *)intern_get(&o->lists, list, NULL))[0]);
			}
			r = (const struct reading *)((const uint32_t *)r + sizeof *r / 4 + 2 * r->n_alive);
		}
	}
	for (uint32_t i = goal; i != ORACLE_NONE; i = o->configs.at[i]->parent) o->configs.at[i]->verdict = VERDICT_VIABLE;
	vec_release(&open);
	return goal != ORACLE_NONE;
}
