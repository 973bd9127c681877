// Long bounds of lengths: the lexer counts the characters of a chunk, the parser counts chunks.
//
// In:  a least and a most number of characters. Out: a nonterminal of the strings between them.
// A string is an opening quote, chunks of CHUNK characters each, and a tail of fewer with the closing quote. Chunks are
// counted as a number is written in base BASE: a unit 0 is a chunk, a unit l + 1 is BASE units l.
//     unit(l + 1): row(l, BASE - 1) unit(l)      row(l, i): row(l, i - 1) unit(l)
//     rest(l + 1; least, most): row(l, i) rest(l; least - i * size(l), most - i * size(l))      for each i
// Rows are left-recursive: a stack holds at most one frame a digit and one more. Equal rests are one, and most of them
// are the one without a bound. White space is ignored between terminals, so quotes and chunks hold it off.
// Cost: states of the lexer for CHUNK characters, and up to as many for each bound; BASE productions a digit.
#include "internal.h"

#define CHUNK 128u  // few tokens hold more characters, so few reach beyond two chunks
#define BASE 16u
#define LEVELS 8u  // CHUNK * BASE ^ (LEVELS - 1) passes 2^32

struct lengths {
	struct schema *s;
	symbol unit[LEVELS], row[LEVELS][BASE];
	struct intern rest_names;  // struct span -> place in rests
	symbol_list rests;
};
struct span {
	uint64_t level, least, most;
};
#define NO_MOST UINT64_MAX

static uint64_t size_of(uint64_t level)
{
	uint64_t size = CHUNK;
	while (level--) size *= BASE;
	return size;
}

static symbol make(struct lengths *x, const symbol *rhs, uint32_t n)
{
	symbol made = rules_nonterminal(x->s->rules, "characters", (struct loc){0});
	rules_add(x->s->rules, made, rhs, n);
	return made;
}

// Rows and units up to this one are made, the lowest first.
static symbol row_of(struct lengths *x, uint64_t level, uint32_t n)
{
	for (uint64_t l = 0; l <= level; l++) {
		const symbol parts[] = {l ? x->row[l - 1][BASE - 1] : 0, l ? x->unit[l - 1] : 0};
		if (!x->unit[l]) x->unit[l] = l ? make(x, parts, 2) : rules_chunk(x->s->rules, CHUNK);
		for (uint32_t i = 1; i <= (l < level ? BASE - 1 : n); i++) {
			const symbol longer[] = {x->row[l][i - 1], x->unit[l]};
			if (!x->row[l][i]) x->row[l][i] = i == 1 ? make(x, &x->unit[l], 1) : make(x, longer, 2);
		}
	}
	return x->row[level][n];
}

// The tail of a string behind all of its chunks.
static symbol tail_of(struct lengths *x, struct span r)
{
	uint32_t most = r.most == NO_MOST ? TERM_UNBOUNDED : r.most < CHUNK ? (uint32_t)r.most : CHUNK - 1;
	return rules_tail(x->s->rules, (uint32_t)r.least, most);
}

// A rest's symbol. The productions of one that is new are still to be made.
static symbol rest_symbol(struct lengths *x, struct span r)
{
	if (!r.level) return tail_of(x, r);
	bool is_new;
	uint32_t n = intern_add(&x->rest_names, &r, sizeof r, &is_new);
	if (is_new) vec_push(&x->rests, rules_nonterminal(x->s->rules, "characters", (struct loc){0}));
	return x->rests.at[n];
}

// What may follow i units of the level below. False: nothing.
static bool rest_behind(struct span r, uint32_t i, struct span *out)
{
	uint64_t size = size_of(r.level - 1), used = i * size;
	if (used > r.most) return false;
	*out = (struct span){r.level - 1, r.least > used ? r.least - used : 0, r.most == NO_MOST ? NO_MOST : r.most - used};
	if (r.most == NO_MOST && !out->least)
		out->level = 0;  // nothing is left to count
	else if (out->most > size - 1)
		out->most = size - 1;
	return out->least <= out->most;
}

static void add_rests(struct lengths *x, struct span r, symbol lhs)
{
	for (uint32_t i = 0; i < BASE; i++) {
		struct span inner;
		if (!rest_behind(r, i, &inner)) continue;
		const symbol rhs[] = {i ? row_of(x, r.level - 1, i) : 0, rest_symbol(x, inner)};
		rules_add(x->s->rules, lhs, i ? rhs : rhs + 1, i ? 2 : 1);
		if (inner.most == NO_MOST) return;
	}
}

symbol lengths_symbol(struct schema *s, struct strings bounds, bool alone)
{
	struct lengths *x = s->lengths;
	if (!x) {
		x = s->lengths = mem_calloc(1, sizeof *x);
		x->s = s;
	}
	struct span all = {1, bounds.least, bounds.most == TERM_UNBOUNDED ? NO_MOST : bounds.most};
	uint64_t most = all.most == NO_MOST ? all.least : all.most;
	while (most > (BASE - 1) * size_of(all.level - 1)) all.level++;  // at most LEVELS
	uint32_t first = x->rests.n;
	const symbol rhs[] = {rules_quote(s->rules, bounds, alone), rest_symbol(x, all)};
	for (uint32_t k = first; k < x->rests.n; k++)
		add_rests(x, *(const struct span *)intern_get(&x->rest_names, k, NULL), x->rests.at[k]);
	return make(x, rhs, 2);
}

void lengths_free(struct lengths *x)
{
	if (!x) return;
	intern_release(&x->rest_names), vec_release(&x->rests);
	free(x);
}
