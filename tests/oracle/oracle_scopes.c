// Ignored text of rules, grammars inside grammars, texts with bounds, control tokens inside of these, and the fewest
// tokens to an end, against a slow reading of docs and tree.
//
//   oracle_scopes [--seed S] [--grammars N or --bits N] [--texts N] [--only K]
//
// A random tree of rules is written in Lark notation: a blank is ignored everywhere (or not), a newline inside some of
// its rules, a part stands inside as %lark, with its own ignored point, or as %gbnf, with none; a text has its stop.
// The oracle reads the tree: what a rule matches begins and ends with terminals, and between two things in a row that
// are not empty stands what is ignored there (formats/grammar.md). Spans are a least fixpoint. Terminals are single
// characters, all different, so that lexing has no choice; those of a part in GBNF may be longer, so a letter of its
// own stands behind it: without, the longest match wins where a part ends. A text's bound is in characters or in bytes,
// and then a character has two. For every text over the grammar's characters that is short enough both must say the
// same: is it in the language, and does some text of it begin so? At short prefixes every bit of the mask must be what
// the oracle says of the prefix with the token, and what accepting says. A control token is a character here,
// which no text of tokens can spell. At short prefixes the fewest tokens to an end are those of the texts that were
// looked at, and no fewer than longer ones take; masks under a budget are the tokens behind which that is enough.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "options.h"
#include "random.h"
#include "../../lib/notation/notation.h"

#define MAX_LENGTH 7
#define N_RULES 6  // 0 to 3 outside, 4 and 5 in the part
#define PART 4u
#define CONTROL '\x01'  // in texts of the oracle
#define MASKS_UP_TO 3u  // characters of prefixes
#define COSTS_UP_TO 2u
#define LONGEST_TOKEN 3u  // bytes
enum { BLANK = 1, NEWLINE = 2, POINT = 4, N_SETS = 8 };

enum tree_kind { TREE_LETTER, TREE_CONTROL, TREE_RULE, TREE_SEQ, TREE_ALT, TREE_REPEAT, TREE_TEXT };
struct tree {
	enum tree_kind kind;
	char letter;
	uint32_t rule, n, min;
	bool many, in_part;
	struct tree *child[3];
};

struct made {
	struct tree *rule[N_RULES];
	bool blank, inside[PART], has_part, is_gbnf, has_text, has_control;
	uint32_t most;  // characters, or bytes, of a text
	bool in_bytes;
	char letters[16];
};

static uint32_t control;  // its id

static struct tree *random_tree(struct rng *r, struct arena *a, struct made *m, uint32_t depth, bool in_part)
{
	struct tree *t = arena_alloc(a, sizeof *t);
	uint32_t k = rng_below(r, 100);
	t->in_part = in_part;
	if (!depth || k < 25) {
		t->kind = TREE_LETTER, t->letter = in_part ? 'd' : "ab"[rng_below(r, 2)];
		if (rng_percent(r, 15)) t->kind = TREE_CONTROL, t->letter = CONTROL, m->has_control = true;
	} else if (k < 45) {
		t->kind = TREE_RULE, t->rule = in_part ? PART + rng_below(r, 2) : rng_below(r, PART);
		if (!in_part && rng_percent(r, 30)) t->rule = PART, m->has_part = true;
	} else if (k < 50 && !in_part) {
		t->kind = TREE_TEXT, m->has_text = true;
	} else if (k < 85) {
		t->kind = k < 75 ? TREE_SEQ : TREE_ALT, t->n = 2 + rng_below(r, 2);
		for (uint32_t i = 0; i < t->n; i++) t->child[i] = random_tree(r, a, m, depth - 1, in_part);
	} else {
		t->kind = TREE_REPEAT, t->min = rng_below(r, 2), t->many = t->min || rng_percent(r, 50);
		t->child[0] = random_tree(r, a, m, depth - 1, in_part);
	}
	return t;
}

// ---- The same as text

static const char *rule_name(const struct made *m, uint32_t rule)
{
	static const char *const names[] = {"start", "ra", "rb", "rc", "start", "pb"};
	return rule == PART && m->is_gbnf ? "root" : names[rule];
}

static void write_tree(const struct made *m, const struct tree *t, bool in_part, FILE *out);

static void write_part(const struct made *m, FILE *out)
{
	fputs(m->is_gbnf ? "%gbnf {" : "%lark {", out);
	for (uint32_t i = PART; i < N_RULES; i++) {
		fprintf(out, m->is_gbnf ? "\n%s ::= " : "\n%s: ", rule_name(m, i));
		write_tree(m, m->rule[i], true, out);
	}
	fputs(m->is_gbnf ? "\n}" : "\n%ignore \".\"\n}", out);
}

static void write_tree(const struct made *m, const struct tree *t, bool in_part, FILE *out)
{
	switch (t->kind) {
	case TREE_LETTER: fprintf(out, "\"%c\"", t->letter); break;
	case TREE_CONTROL: fprintf(out, "<[%u]>", control); break;
	case TREE_TEXT: fputs("\"<\" text", out); break;
	case TREE_RULE:
		if (t->rule == PART && !in_part)
			fputs(m->is_gbnf ? "(part \"e\")" : "part", out);
		else
			fputs(rule_name(m, t->rule), out);
		break;
	case TREE_SEQ:
	case TREE_ALT:
		for (uint32_t i = 0; i < t->n; i++) {
			fputs(i == 0 ? "(" : t->kind == TREE_SEQ ? " " : " | ", out);
			write_tree(m, t->child[i], in_part, out);
		}
		fputc(')', out);
		break;
	case TREE_REPEAT:
		fputc('(', out);
		write_tree(m, t->child[0], in_part, out);
		fputs(t->min ? ")+" : t->many ? ")*" : ")?", out);
		break;
	}
}

static char *written(const struct made *m)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	for (uint32_t i = 0; i < PART; i++) {
		fprintf(f, "%s: ", rule_name(m, i));
		write_tree(m, m->rule[i], false, f);
		fputc('\n', f);
	}
	if (m->has_part) fputs("part: ", f), write_part(m, f), fputc('\n', f);
	if (m->has_text && m->in_bytes)
		fprintf(f, "text[exclude=\"b\", max_bytes=%u, stop=\";\"]: /[ab .é]*/\n", m->most);
	else if (m->has_text)
		fprintf(f, "text[stop=\";\", exclude=\"b\", max_chars=%u]: /[ab .]*/\n", m->most);
	if (m->blank) fputs("%ignore \" \"\n", f);
	for (uint32_t i = 0; i < PART; i++)
		if (m->inside[i]) fprintf(f, "%%ignore \"\\n\" inside %s\n", rule_name(m, i));
	fclose(f);
	return text;
}

// ---- The oracle

struct attempt {
	const struct made *m;
	char text[MAX_LENGTH + 1];
	uint32_t len;
	// ends[rule][ignored][from]: bit j: what is not empty and ends before j; empty: of rules, whatever is ignored
	uint32_t ends[N_RULES][N_SETS][MAX_LENGTH + 1];
	bool empty[N_RULES];
	bool begins[N_RULES][N_SETS][MAX_LENGTH + 1];  // the text from there on, and perhaps more, is what is not empty
	// from each short prefix: tokens that spell the text up to each place; to the nearest end
	uint32_t fewest[COSTS_UP_TO + 1][MAX_LENGTH + 1], best[COSTS_UP_TO + 1];
};

static bool is_ignored(uint32_t set, char c)
{
	return (c == ' ' && (set & BLANK)) || (c == '\n' && (set & NEWLINE)) || (c == '.' && (set & POINT));
}

// Where the next thing may begin that stands behind one that ended before k.
static uint32_t behind(const struct attempt *x, uint32_t k, uint32_t set)
{
	uint32_t all = 1u << k;
	while (k < x->len && is_ignored(set, x->text[k])) all |= 1u << ++k;
	return all;
}

static uint32_t ends_of(const struct attempt *x, const struct tree *t, uint32_t from, uint32_t set, bool *empty);

// `from` and what follows: bits of ends of things before that are not empty, and whether nothing was there yet.
struct row {
	uint32_t ends;
	bool empty;
};

static struct row append(const struct attempt *x, struct row before, const struct tree *t, uint32_t from, uint32_t set)
{
	bool empty = false;
	struct row after = {0};
	uint32_t first = ends_of(x, t, from, set, &empty);
	if (before.empty) after.ends |= first, after.empty = empty;
	if (empty) after.ends |= before.ends;
	for (uint32_t k = 0; k <= x->len; k++) {
		if (!(before.ends >> k & 1)) continue;
		uint32_t begins = behind(x, k, set);
		for (uint32_t b = k; b <= x->len; b++) {
			bool unheard;
			if (begins >> b & 1) after.ends |= ends_of(x, t, b, set, &unheard);
		}
	}
	return after;
}

static uint32_t text_ends(const struct attempt *x, uint32_t from, uint32_t set)
{
	uint32_t all = 0;
	if (from >= x->len || x->text[from] != '<') return 0;
	uint32_t begins = behind(x, from + 1, set);
	for (uint32_t b = from + 1; b <= x->len; b++)
		for (uint32_t k = b; (begins >> b & 1) && k < x->len && k - b <= x->m->most; k++) {
			if (x->text[k] == ';') {
				all |= 1u << (k + 1);
				break;
			}
			if (x->m->in_bytes && !strncmp(x->text + k, "é", 2)) {
				k++;
				continue;
			}
			if (!strchr("a .", x->text[k])) break;  // b is excluded
		}
	return all;
}

// The letter behind a part in GBNF.
static uint32_t part_ends(const struct attempt *x, uint32_t from, uint32_t set)
{
	uint32_t inner = x->ends[PART][0][from], all = x->empty[PART] && x->text[from] == 'e' ? 1u << (from + 1) : 0;
	for (uint32_t k = from; k <= x->len; k++) {
		uint32_t begins = inner >> k & 1 ? behind(x, k, set) : 0;
		for (uint32_t b = k; b < x->len; b++)
			if ((begins >> b & 1) && x->text[b] == 'e') all |= 1u << (b + 1);
	}
	return all;
}

static uint32_t ends_of(const struct attempt *x, const struct tree *t, uint32_t from, uint32_t set, bool *empty)
{
	*empty = false;
	uint32_t all = 0;
	struct row row = {0, true};
	switch (t->kind) {
	case TREE_LETTER:
	case TREE_CONTROL: return from < x->len && x->text[from] == t->letter ? 1u << (from + 1) : 0;
	case TREE_TEXT: return text_ends(x, from, set);
	case TREE_RULE:
		if (t->rule == PART && !t->in_part && x->m->is_gbnf) return part_ends(x, from, set);
		*empty = x->empty[t->rule];
		if (t->rule == PART) set = x->m->is_gbnf ? 0 : POINT;
		if (t->rule < PART && x->m->inside[t->rule]) set |= NEWLINE;
		return x->ends[t->rule][set][from];
	case TREE_ALT:
		for (uint32_t i = 0; i < t->n; i++) {
			bool one;
			all |= ends_of(x, t->child[i], from, set, &one);
			*empty |= one;
		}
		return all;
	case TREE_SEQ:
		for (uint32_t i = 0; i < t->n; i++) row = append(x, row, t->child[i], from, set);
		*empty = row.empty;
		return row.ends;
	case TREE_REPEAT: break;
	}
	for (uint32_t i = 0; i < (t->many ? MAX_LENGTH + 1 : 1); i++) {
		row = append(x, row, t->child[0], from, set);
		all |= row.ends, *empty |= row.empty;
	}
	*empty |= t->min == 0;
	return all;
}

// Is the text from `from` on, and perhaps more behind it, a text of t that is not empty?
static bool begins_in(const struct attempt *x, const struct tree *t, uint32_t from, uint32_t set);

static bool has_texts(const struct attempt *x, const struct tree *t, uint32_t set)
{
	bool empty;
	ends_of(x, t, x->len, set, &empty);
	return empty || begins_in(x, t, x->len, set);
}

static bool letter_begins(const struct attempt *x, char letter, uint32_t from)
{
	return from == x->len || (x->text[from] == letter && from + 1 == x->len);
}

// Behind `<` and what is ignored there.
static bool text_begins(const struct attempt *x, uint32_t from)
{
	uint32_t k = from;
	for (; k < x->len && k - from <= x->m->most && x->text[k] != ';'; k++) {
		if (x->m->in_bytes && x->text[k] == "é"[0] && k + 1 < x->len && x->text[k + 1] == "é"[1])
			k++;
		else if (x->m->in_bytes && x->text[k] == "é"[0] && k + 1 == x->len)
			return k + 2 - from <= x->m->most;
		else if (!strchr("a .", x->text[k]))
			return false;
	}
	return k - from <= x->m->most && (k == x->len || (x->text[k] == ';' && k + 1 == x->len));
}

static bool part_begins(const struct attempt *x, uint32_t from, uint32_t set)
{
	const bool some = x->begins[PART][0][x->len] || x->empty[PART];
	bool found = x->begins[PART][0][from] || (x->empty[PART] && letter_begins(x, 'e', from));
	for (uint32_t k = from; k <= x->len; k++) {
		uint32_t begins = x->ends[PART][0][from] >> k & 1 ? behind(x, k, set) : 0;
		for (uint32_t b = k; b <= x->len; b++) found |= (begins >> b & 1) && letter_begins(x, 'e', b);
	}
	return some && found;
}

static bool row_begins(const struct attempt *x, struct row before, const struct tree *t, uint32_t from, uint32_t set)
{
	bool found = before.empty && begins_in(x, t, from, set);
	for (uint32_t k = 0; k <= x->len; k++) {
		uint32_t begins = before.ends >> k & 1 ? behind(x, k, set) : 0;
		for (uint32_t b = k; b <= x->len; b++) found |= (begins >> b & 1) && begins_in(x, t, b, set);
	}
	return found;
}

static bool begins_in(const struct attempt *x, const struct tree *t, uint32_t from, uint32_t set)
{
	struct row row = {0, true};
	bool found = false;
	switch (t->kind) {
	case TREE_LETTER:
	case TREE_CONTROL: return letter_begins(x, t->letter, from);
	case TREE_TEXT:
		if (from >= x->len || x->text[from] != '<') return from == x->len;
		for (uint32_t b = from + 1; b <= x->len; b++) found |= (behind(x, from + 1, set) >> b & 1) && text_begins(x, b);
		return found;
	case TREE_RULE:
		if (t->rule == PART && !t->in_part && x->m->is_gbnf) return part_begins(x, from, set);
		if (t->rule == PART) set = x->m->is_gbnf ? 0 : POINT;
		if (t->rule < PART && x->m->inside[t->rule]) set |= NEWLINE;
		return x->begins[t->rule][set][from];
	case TREE_ALT:
		for (uint32_t i = 0; i < t->n; i++) found |= begins_in(x, t->child[i], from, set);
		return found;
	case TREE_SEQ:
		for (uint32_t i = 0; i < t->n; i++) {
			bool goes_on = true;
			for (uint32_t k = i + 1; k < t->n; k++) goes_on &= has_texts(x, t->child[k], set);
			found |= goes_on && row_begins(x, row, t->child[i], from, set);
			row = append(x, row, t->child[i], from, set);
		}
		return found;
	case TREE_REPEAT: break;
	}
	for (uint32_t i = 0; i < (t->many ? MAX_LENGTH + 1 : 1); i++) {
		found |= row_begins(x, row, t->child[0], from, set);
		row = append(x, row, t->child[0], from, set);
	}
	return found;
}

struct said {
	bool accepts, begins;
};

static bool is_used(const struct attempt *x, uint32_t rule, uint32_t set)
{
	if (rule >= PART) return set == (x->m->is_gbnf ? 0 : POINT);
	return !(set & POINT) && (set & BLANK) == x->m->blank;
}

static void find_ends(struct attempt *x)
{
	memset(x->ends, 0, sizeof x->ends), memset(x->empty, 0, sizeof x->empty);
	for (bool grew = true; grew;) {
		grew = false;
		for (uint32_t r = 0; r < N_RULES; r++)
			for (uint32_t set = 0; set < N_SETS; set++)
				for (uint32_t k = 0; k <= x->len && is_used(x, r, set); k++) {
					bool empty;
					uint32_t e = ends_of(x, x->m->rule[r], k, set, &empty);
					grew |= e != x->ends[r][set][k] || empty != x->empty[r];
					x->ends[r][set][k] = e, x->empty[r] = empty;
				}
	}
}

static void find_beginnings(struct attempt *x)
{
	memset(x->begins, 0, sizeof x->begins);
	for (bool grew = true; grew;) {
		grew = false;
		for (uint32_t r = 0; r < N_RULES; r++)
			for (uint32_t set = 0; set < N_SETS; set++)
				for (uint32_t k = 0; k <= x->len && is_used(x, r, set); k++) {
					bool b = begins_in(x, x->m->rule[r], k, set);
					grew |= b != x->begins[r][set][k], x->begins[r][set][k] = b;
				}
	}
}

static struct said oracle_says(struct attempt *x)
{
	struct said said = {0};
	uint32_t base = x->m->blank ? BLANK : 0, in = base | (x->m->inside[0] ? NEWLINE : 0), begins = behind(x, 0, base);
	find_ends(x), find_beginnings(x);
	for (uint32_t b = 0; b <= x->len; b++) {
		if (!(begins >> b & 1)) continue;
		uint32_t ends = x->ends[0][in][b] | (x->empty[0] ? 1u << b : 0);
		said.begins |= x->begins[0][in][b];
		for (uint32_t k = b; k <= x->len; k++) said.accepts |= (ends >> k & 1) && (behind(x, k, base) >> x->len & 1);
	}
	said.begins |= said.accepts;
	return said;
}

// ---- Comparing

struct tally {
	uint64_t grammars, empty, texts, accepted, bits, costs, sure, failures;
};

static void fail(struct tally *y, const struct attempt *x, const char *what, const char *grammar)
{
	if (y->failures++ < 10) printf("\"%s\": %s, of\n%s\n", x->text, what, grammar);
}

// What the oracle says of a token behind the text.
static bool token_may_follow(const struct vocab *v, const struct attempt *x, uint32_t token)
{
	struct attempt longer = *x;
	if (token == v->eos[0]) return oracle_says(&longer).accepts;
	uint32_t n = token == control ? 1 : v->offset[token + 1] - v->offset[token];
	const char *bytes = token == control ? (char[]){CONTROL} : (const char *)v->bytes + v->offset[token];
	for (uint32_t i = 0; i < n; i++)
		if (token != control && (!bytes[i] || !strchr("ab \n.de<;é", bytes[i]))) return false;
	memcpy(longer.text + longer.len, bytes, n);
	longer.len += n, longer.text[longer.len] = 0;
	return oracle_says(&longer).begins;
}

// At a prefix: each bit of the mask against the oracle, and against accepting the token.
static void compare_mask(gcdc_matcher *m, const struct vocab *v, const struct attempt *x, const char *grammar,
                         struct tally *y)
{
	uint32_t mask[(256 + 31) / 32 + 1];
	if (gcdc_matcher_fill(m, mask, sizeof mask / sizeof *mask, NULL)) fail(y, x, "no mask", grammar);
	for (uint32_t t = 0; t < v->n_tokens; t++) {
		bool allowed = mask[t / 32] >> t % 32 & 1, accepted = !gcdc_matcher_accept(m, t);
		if (accepted && gcdc_matcher_rollback(m, 1)) abort();
		y->bits++;
		if (allowed != accepted) fail(y, x, "the mask is not what accepting says", grammar);
		if (allowed != token_may_follow(v, x, t)) fail(y, x, "the mask is not what the oracle says", grammar);
	}
}

// The fewest tokens that spell the text from `from` to its end, where those of beginnings are known.
static void spell(const struct vocab *v, struct attempt *x, uint32_t from)
{
	uint32_t *fewest = x->fewest[from], len = x->len;
	fewest[len] = len == from ? 0 : UINT32_MAX;
	for (uint32_t t = 0; t < v->n_tokens && len > from; t++) {
		uint32_t n = t == control ? 1 : v->kind[t] == TOKEN_TEXT ? v->offset[t + 1] - v->offset[t] : 0;
		const char *bytes = t == control ? (char[]){CONTROL} : (const char *)v->bytes + v->offset[t];
		if (!n || n > len - from || memcmp(x->text + len - n, bytes, n) || fewest[len - n] == UINT32_MAX) continue;
		if (fewest[len - n] + 1 < fewest[len]) fewest[len] = fewest[len - n] + 1;
	}
}

// The fewest tokens to an end; masks under that budget and one more.
static void compare_costs(gcdc_matcher *m, const struct vocab *v, const struct attempt *x, uint32_t length,
                          const char *grammar, struct tally *y)
{
	uint32_t cost, best = x->best[x->len], longer = (length - x->len) / LONGEST_TOKEN + 1;
	uint32_t plain[(256 + 31) / 32 + 1], mask[(256 + 31) / 32 + 1], words = sizeof mask / sizeof *mask;
	if (gcdc_matcher_min_tokens(m, false, &cost)) {
		fail(y, x, "no price", grammar);
		return;
	}
	y->costs++, y->sure += best <= longer;
	if (cost > best || cost < (best < longer ? best : longer)) fail(y, x, "not the fewest tokens", grammar);
	if (gcdc_matcher_fill(m, plain, words, NULL)) fail(y, x, "no mask", grammar);
	for (uint32_t budget = cost; budget <= cost + 1; budget++) {
		gcdc_matcher *f;
		if (gcdc_matcher_fork(m, &f)) abort();
		bool is_set = !gcdc_matcher_set_budget(f, budget, false, NULL) && !gcdc_matcher_fill(f, mask, words, NULL);
		if (!is_set) fail(y, x, "no mask under a budget", grammar);
		for (uint32_t t = 0; t < v->n_tokens && is_set; t++) {
			uint32_t after = 0;
			bool is_allowed = plain[t / 32] >> t % 32 & 1, fits = is_allowed && !gcdc_matcher_min_after(m, t, &after);
			bool is_end = t == v->eos[0];
			y->bits++;
			if ((mask[t / 32] >> t % 32 & 1) != (is_end ? is_allowed : fits && after + 1 <= budget))
				fail(y, x, "a mask under a budget has other tokens than those that fit", grammar);
		}
		gcdc_matcher_free(f);
	}
}

static bool take(gcdc_matcher *m, char c)
{
	return c == CONTROL ? !gcdc_matcher_accept(m, control) : !gcdc_matcher_accept_bytes(m, &c, 1);
}

// All texts that begin with x, but those behind one that begins no text. is_viable: gcdc has taken the prefix.
static void compare(gcdc_matcher *m, const struct vocab *v, struct attempt *x, uint32_t length, bool is_viable,
                    const char *grammar, struct tally *y)
{
	const uint32_t here = x->len;
	const struct said expected = oracle_says(x);
	bool said = is_viable && gcdc_matcher_is_completed(m);
	y->texts++, y->accepted += expected.accepts;
	if (said != expected.accepts)
		fail(y, x, said ? "not in it, gcdc accepts it" : "in the language, gcdc refuses it", grammar);
	if (is_viable != expected.begins)
		fail(y, x, is_viable ? "no text begins so, gcdc allows it" : "texts begin so, gcdc does not allow it", grammar);
	if (is_viable && here <= MASKS_UP_TO) compare_mask(m, v, x, grammar, y);
	if (here <= COSTS_UP_TO) x->best[here] = UINT32_MAX;
	for (uint32_t from = 0; from <= here && from <= COSTS_UP_TO; from++) {
		spell(v, x, from);
		if (expected.accepts && x->fewest[from][here] < x->best[from]) x->best[from] = x->fewest[from][here];
	}
	for (const char *c = x->m->letters; *c && here < length && (is_viable || expected.begins); c++) {
		x->text[x->len++] = *c, x->text[x->len] = 0;
		bool goes_on = is_viable && take(m, *c);
		compare(m, v, x, length, goes_on, grammar, y);
		if (goes_on && gcdc_matcher_rollback(m, 1)) abort();
		x->text[--x->len] = 0;
	}
	if (is_viable && here <= COSTS_UP_TO) compare_costs(m, v, x, length, grammar, y);
}

static bool read_nested(const struct nested_text *n, struct diag *d, struct grammar *g)
{
	const struct grammar_options o = {.nested = n->reader, .depth = n->depth};
	if (!strcmp(n->kind, "lark")) return grammar_parse("part", n->text, n->len, &o, d, g);
	return notation_parse(NOTATION_GBNF, (struct notation_text){"part", n->text, n->len}, &o, d, g);
}

static void one(uint64_t seed, uint32_t k, uint32_t most_texts, const struct vocab *v, struct tally *y)
{
	static const struct nested_reader reader = {read_nested};
	const struct grammar_options o = {.nested = &reader};
	struct rng r = {seed * 1000003 + k};
	for (int i = 0; i < 5; i++) rng_next(&r);
	struct arena arena = {0};
	struct made m = {.blank = rng_percent(&r, 60), .is_gbnf = rng_percent(&r, 30), .most = 1 + rng_below(&r, 3)};
	m.in_bytes = rng_percent(&r, 40);
	uint32_t depth = 2 + rng_below(&r, 2), length = 0;
	for (uint32_t i = 0; i < N_RULES; i++) m.rule[i] = random_tree(&r, &arena, &m, depth, i >= PART);
	for (uint32_t i = 0; i < PART; i++) m.inside[i] = rng_percent(&r, 35);
	sprintf(m.letters, "ab \n%s%s%s%s", m.has_part ? (m.is_gbnf ? "de" : "d.") : "", m.has_text ? "<;" : "",
	        m.has_text && m.in_bytes ? "é" : "", m.has_control ? (char[]){CONTROL, 0} : "");
	for (uint64_t n = 1; n < most_texts && length < MAX_LENGTH; length++) n *= strlen(m.letters);
	char *text = written(&m);
	struct diag d = {0};
	struct grammar g;
	struct engine e;
	struct attempt x = {.m = &m};
	if (!grammar_parse("random", text, strlen(text), &o, &d, &g)) {
		y->empty++;
		if (!strstr(diag_text(&d), "empty") && !strstr(diag_text(&d), "no text")) fail(y, &x, diag_text(&d), text);
	} else if (engine_compile(&g, v, &d, &e) != ENGINE_OK) {
		fail(y, &x, diag_text(&d), text);
		grammar_release(&g);
	} else {
		gcdc_matcher *matcher;
		if (gcdc_matcher_new(e.artifact, NULL, &matcher)) abort();
		y->grammars++;
		compare(matcher, v, &x, length - 1, true, text, y);
		gcdc_matcher_free(matcher);
		engine_release(&e);
		grammar_release(&g);
	}
	diag_release(&d);
	free(text);
	arena_release(&arena);
}

int main(int argc, char **argv)
{
	uint64_t seed = 1, grammars = 120, texts = 1500, only = UINT64_MAX, most_bits = 0;
	if (!ORACLE_OPTIONS(argc, argv, {"--seed", .number = &seed}, {"--grammars", .number = &grammars},
	                    {"--texts", .number = &texts}, {"--only", .number = &only}, {"--bits", .number = &most_bits}))
		return 2;
	// single bytes, some longer ones, EOS
	static const char *const longer[] = {"ab",  "a ", " \n",  "d.", ".d", "<a", " ;",
	                                     "b\n", "dd", "a\nb", "aa", "de", "é",  "aé"};
	const uint8_t *tokens[256];
	static uint8_t byte[256];
	uint8_t kind[256] = {0};
	uint32_t lengths[256], n = 0;
	for (uint32_t b = 0; b < 128; b++) byte[b] = (uint8_t)b, tokens[n] = &byte[b], lengths[n++] = 1;
	for (uint32_t b = 0xA9; b <= 0xC3; b += 0xC3 - 0xA9) byte[b] = (uint8_t)b, tokens[n] = &byte[b], lengths[n++] = 1;
	for (uint32_t i = 0; i < sizeof longer / sizeof *longer; i++)
		tokens[n] = (const uint8_t *)longer[i], lengths[n++] = (uint32_t)strlen(longer[i]);
	memset(kind, TOKEN_TEXT, n);
	uint32_t eos = n;
	for (control = n + 1; n <= control; n++) tokens[n] = byte, lengths[n] = 0, kind[n] = TOKEN_CONTROL;
	struct vocab v;
	vocab_build(&(struct vocab_tokens){n, tokens, lengths, kind, 1, &eos}, &v);
	engine_costs = 2;
	struct tally y = {0};
	for (uint32_t k = 0; most_bits ? y.bits < most_bits && y.failures < 10 : k < grammars; k++)
		if (only == UINT64_MAX || only == k) one(seed, k, (uint32_t)texts, &v, &y);
	vocab_release(&v);
	printf("seed %llu: %llu grammars (%llu empty), %llu texts, %llu accepted, %llu bits of masks, "
	       "%llu costs (%llu known), %llu failures\n",
	       (unsigned long long)seed, (unsigned long long)y.grammars, (unsigned long long)y.empty,
	       (unsigned long long)y.texts, (unsigned long long)y.accepted, (unsigned long long)y.bits,
	       (unsigned long long)y.costs, (unsigned long long)y.sure, (unsigned long long)y.failures);
	return y.failures || !y.accepted || !y.sure;
}
