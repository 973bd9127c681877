// Subtrees of the trie that a walk passes over: nothing that is written there leads out of a class of lexer states.
//
// In:  a lexer, classes of its states (walk.h; each its own where they matter). Out: of each state the kinds of
// characters (shared/utf8_kinds.h) of which each leads to a state of its class, with no cut on the way, and which may
// go on so from there. The trie knows which kinds lie below a node, so one test of two words tells whether a walk may
// pass. Inside a string of JSON nine tenths of a vocabulary are passed over so; inside one with a pattern, wherever in
// the pattern it is, all that cannot end it.
// A greatest fixpoint: kinds that lead to a state which does not keep all that this one keeps are taken away, or what
// that one does not keep is, whichever leaves more.
// Recursion is as deep as a character has bytes. Cost: of each state a look-up for each first byte that kinds or byte
// classes tell from others; then a look at each step for each kind that is taken away.
#include "../shared/utf8_kinds.h"
#include "walk_internal.h"

// A step inside a class, by any character of some kinds.
struct class_step {
	lex_state from, to;
	uint64_t kinds;
};

struct passing {
	const struct walker *w;
	VEC(struct class_step) steps;
	uint32_t first;  // of the state at hand
	lex_state at;
};

static void add_step(struct passing *p, lex_state to, uint64_t kind)
{
	if (to == p->at) return;
	for (uint32_t i = p->steps.n; i-- > p->first;) {
		if (p->steps.at[i].to != to) continue;
		p->steps.at[i].kinds |= kind;
		return;
	}
	vec_push(&p->steps, ((struct class_step){p->at, to, kind}));
}

// Do all bytes low..high, and `more` continuation bytes behind each, lead from `from` into the class of the state at
// hand?
static bool stays(struct passing *p, lex_state from, struct character_shape left, uint64_t kind)
{
	const struct lexer *x = p->w->lexer;
	const lex_state *class_of = p->w->class_of;
	const struct character_shape rest = {left.more - 1u, 0x80, 0xBF};
	uint32_t last = LEX_DEAD;  // equal neighbours are looked at once
	for (uint32_t b = left.low; b <= left.high; b = p->w->next_class[b]) {
		const uint32_t to = lexer_next(x, from, (uint8_t)b);
		if (to == last && b > left.low) continue;
		if (to == LEX_DEAD || to & ~LEX_STATE_MASK) return false;
		if (rest.more && !stays(p, to, rest, kind)) return false;
		if (!rest.more && class_of[to] != class_of[p->at]) return false;
		if (!rest.more) add_step(p, to, kind);
		last = to;
	}
	return true;
}

void walker_find_first_bytes(struct walker *w)
{
	bits seen[BITS_WORDS(CHARACTER_KINDS * 256u)] = {0};  // [kind, byte class]
	struct walk_first_byte found[256];
	uint32_t n = 0, *first = w->first_of_kind;
	for (uint32_t b = 256; b-- > 0;) {
		const bool same = b < 255 && w->lexer->class_of[b] == w->lexer->class_of[b + 1];
		w->next_class[b] = same ? w->next_class[b + 1] : (uint16_t)(b + 1);
	}
	for (uint32_t b = 0; b < 256; b++) {
		const uint32_t kind = character_kind((uint8_t)b), pair = kind * 256u + w->lexer->class_of[b];
		if (kind == CHARACTER_BROKEN || bits_test(seen, pair)) continue;
		bits_set(seen, pair);
		found[n++] = (struct walk_first_byte){(uint8_t)b, (uint8_t)kind};
		first[kind + 1]++;
	}
	for (uint32_t kind = 0; kind < CHARACTER_KINDS; kind++) first[kind + 1] += first[kind];
	uint32_t at[CHARACTER_KINDS];
	memcpy(at, first, sizeof at);
	for (uint32_t i = 0; i < n; i++) w->first_bytes[at[found[i].kind]++] = found[i];
	w->n_first_bytes = n;
}

// The kinds of which each character leads to the state's class.
static uint64_t kinds_inside(struct passing *p, lex_state s)
{
	const struct walker *w = p->w;
	uint64_t leaves = 0;
	p->at = s, p->first = p->steps.n;
	for (uint32_t i = 0; i < w->n_first_bytes; i++) {
		const uint32_t kind = w->first_bytes[i].kind, to = lexer_next(w->lexer, s, w->first_bytes[i].byte);
		const uint64_t bit = (uint64_t)1 << kind;
		if (leaves & bit) continue;
		bool keeps = to != LEX_DEAD && !(to & ~LEX_STATE_MASK);
		if (keeps && kind >= CHARACTER_FIRST_LONG)
			keeps = stays(p, to, character_shape(kind), bit);
		else if (keeps && (keeps = w->class_of[to] == w->class_of[s]))
			add_step(p, to, bit);
		if (!keeps) leaves |= bit;
	}
	return (((uint64_t)1 << CHARACTER_KINDS) - 1) & ~leaves;
}

// Takes from each state what the states behind it do not keep.
static void settle(struct passing *p, uint64_t *keeps)
{
	const uint32_t n = p->w->lexer->n_states;
	uint32_t *at = mem_calloc((size_t)n + 2, sizeof *at), *into = mem_calloc((size_t)p->steps.n + 1, sizeof *into);
	for (uint32_t i = 0; i < p->steps.n; i++) at[p->steps.at[i].to + 2]++;
	for (lex_state s = 0; s < n; s++) at[s + 2] += at[s + 1];
	for (uint32_t i = 0; i < p->steps.n; i++) into[at[p->steps.at[i].to + 1]++] = i;  // [at[s], at[s + 1]) lead to s
	bits *queued = mem_calloc(BITS_WORDS(n) + 1, sizeof *queued);
	VEC(lex_state) queue = {0};
	for (lex_state s = 1; s < n; s++)  // the last ones first: what they do not keep, those before them do not either
		if (at[s] < at[s + 1]) bits_set(queued, s), vec_push(&queue, s);
	while (queue.n) {
		const lex_state to = vec_pop(&queue);
		bits_reset(queued, to);
		for (uint32_t i = at[to]; i < at[to + 1]; i++) {
			const struct class_step step = p->steps.at[into[i]];
			const uint64_t now = keeps[step.from], without = now & ~step.kinds, both = now & keeps[to];
			if (!(now & step.kinds) || both == now) continue;
			keeps[step.from] = __builtin_popcountll(both) > __builtin_popcountll(without) ? both : without;
			if (bits_test(queued, step.from)) continue;
			bits_set(queued, step.from);
			vec_push(&queue, step.from);
		}
	}
	vec_release(&queue);
	free(queued), free(at), free(into);
}

void walker_find_keeps(struct walker *w)
{
	struct passing p = {.w = w};
	w->keeps = mem_calloc(w->lexer->n_states, sizeof *w->keeps);
	for (lex_state s = 1; s < w->lexer->n_states; s++) w->keeps[s] = kinds_inside(&p, s);
	if (p.steps.n) settle(&p, w->keeps);
	vec_release(&p.steps);
}
