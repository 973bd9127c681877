// Decoding from a toy language model under a token budget: greedy, beam search, tree search. All end complete.
//
//     budget ARTIFACT [BUDGET [SEED]]        e.g. of grammars/json, compiled with the built-in tokenizer
//
// The model is an n-gram of our own: counts of one, two and three tokens in texts that are made here. It has no idea of
// when to stop, as language models have none of max_tokens. The matcher has: with a budget its masks only leave tokens
// after which the text can still be finished in time (gcdc_matcher_set_budget), and forks keep it, so a beam is a fork
// a hypothesis, and a tree search a fork a node. Exit code 1 if any text comes out incomplete or over the budget.
#include <gcdc/runtime.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TOKENS 400
#define BEAM 6
#define CHILDREN 6  // of a node of the tree: the likeliest tokens
#define SIMULATIONS 500

static gcdc_artifact *artifact;
static gcdc_info info;
static uint32_t eos;

static void need(int ok, const char *what)
{
	if (ok) return;
	fprintf(stderr, "%s\n", what);
	exit(1);
}

// ---- The model: counts of n-grams, in a hash table.
#define SLOTS (1u << 18)
static struct {
	uint64_t key;
	uint32_t count;
} counts[SLOTS];

// The place of an n-gram of a kind, ids below 2^20 each; NULL: not there, and not to be made.
static uint32_t *count_of(uint64_t kind, uint32_t a, uint32_t b, uint32_t c, int make)
{
	uint64_t key = kind << 60 | (uint64_t)(a & 0xfffff) << 40 | (uint64_t)(b & 0xfffff) << 20 | (c & 0xfffff);
	for (uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 46);; i = (i + 1) % SLOTS) {
		if (counts[i].key == key) return &counts[i].count;
		if (counts[i].key) continue;
		if (!make) return NULL;
		counts[i].key = key;
		return &counts[i].count;
	}
}

static double seen(uint64_t kind, uint32_t a, uint32_t b, uint32_t c)
{
	const uint32_t *n = count_of(kind, a, b, c, 0);
	return n ? *n : 0;
}

// log P(c | a b), smoothed with the shorter ones.
static double log_p(uint32_t a, uint32_t b, uint32_t c)
{
	double three = seen(3, a, b, c) / (seen(4, a, b, 0) + 1), two = seen(2, 0, b, c) / (seen(5, 0, b, 0) + 1);
	double one = (seen(1, 0, 0, c) + 0.01) / (seen(6, 0, 0, 0) + 0.01 * info.n_tokens);
	return log(0.6 * three + 0.3 * two + 0.1 * one);
}

static void learn(const uint32_t *t, size_t n)
{
	uint32_t a = GCDC_NONE, b = GCDC_NONE;
	for (size_t i = 0; i < n; i++) {
		++*count_of(3, a, b, t[i], 1), ++*count_of(4, a, b, 0, 1), ++*count_of(2, 0, b, t[i], 1);
		++*count_of(5, 0, b, 0, 1), ++*count_of(1, 0, 0, t[i], 1), ++*count_of(6, 0, 0, 0, 1);
		a = b, b = t[i];
	}
}

static uint64_t state = 1;
static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

static void make_value(char *to, int depth)
{
	static const char *const words[] = {"name", "size", "list", "item", "next", "value", "tree", "leaf"};
	char part[4000], key[64];
	int n = 1 + (int)below(4);
	if (depth == 0 || below(5) == 0) {
		if (below(2))
			sprintf(to, "%u", below(100));
		else
			sprintf(to, "\"%s %s\"", words[below(8)], words[below(8)]);
		return;
	}
	int is_list = below(3) == 0;
	strcpy(to, is_list ? "[" : "{");
	for (int i = 0; i < n && strlen(to) < 1500; i++) {
		make_value(part, depth - 1);
		if (strlen(part) > 1000) strcpy(part, "0");
		sprintf(key, "%s\"%s\": ", i ? ", " : "", words[below(8)]);
		strcat(to, is_list ? (i ? ", " : "") : key);
		strcat(to, part);
	}
	strcat(to, is_list ? "]" : "}");
}

// The longest tokens, first come; what no token begins with is left out.
static size_t cut(const char *text, uint32_t *tokens, size_t cap)
{
	size_t n = 0, len = strlen(text);
	for (size_t at = 0; at < len && n < cap;) {
		uint32_t best = GCDC_NONE, best_len = 0;
		for (uint32_t t = 0; t < info.n_tokens; t++) {
			uint32_t k;
			const uint8_t *bytes = gcdc_artifact_token(artifact, t, &k);
			if (k > best_len && k <= len - at && !memcmp(bytes, text + at, k)) best = t, best_len = k;
		}
		if (best != GCDC_NONE) tokens[n++] = best;
		at += best_len ? best_len : 1;
	}
	return n;
}

// ---- Hypotheses: a matcher, the tokens so far, what they score.
struct text {
	gcdc_matcher *m;
	uint32_t tokens[MAX_TOKENS], n;
	double score;
	int done;
};

static void take(struct text *x, uint32_t token)
{
	uint32_t a = x->n > 1 ? x->tokens[x->n - 2] : GCDC_NONE, b = x->n ? x->tokens[x->n - 1] : GCDC_NONE;
	need(x->n < MAX_TOKENS && gcdc_matcher_accept(x->m, token) == GCDC_OK, "a token of the mask was refused");
	if (token == eos)
		x->done = 1;
	else
		x->score += log_p(a, b, token);
	x->tokens[x->n++] = token;
}

static void fork_text(const struct text *from, struct text *to)
{
	*to = *from;
	need(gcdc_matcher_fork(from->m, &to->m) == GCDC_OK, "no memory");
}

// The likeliest allowed tokens, at most cap of them. EOS is allowed at random: the model knows nothing of it.
struct choice {
	uint32_t token;
	double p;
};
static uint32_t choices(struct text *x, struct choice *best, uint32_t cap)
{
	static uint32_t *mask;
	if (!mask) mask = calloc(info.mask_words, sizeof *mask);
	uint32_t n = 0, a = x->n > 1 ? x->tokens[x->n - 2] : GCDC_NONE, b = x->n ? x->tokens[x->n - 1] : GCDC_NONE;
	need(gcdc_matcher_fill(x->m, mask, info.mask_words, NULL) == GCDC_OK, "no mask");
	for (uint32_t w = 0; w < info.mask_words; w++)
		for (uint32_t bits = mask[w]; bits; bits &= bits - 1) {
			uint32_t t = w * 32 + (uint32_t)__builtin_ctz(bits);
			double p = t == eos ? -8.0 : log_p(a, b, t);
			if (n == cap && p <= best[n - 1].p) continue;
			uint32_t k = n < cap ? n++ : cap - 1;
			for (; k > 0 && best[k - 1].p < p; k--) best[k] = best[k - 1];
			best[k] = (struct choice){t, p};
		}
	need(n > 0, "an empty mask");
	return n;
}

// Better is likelier per token, so that stopping early is no virtue; a longer text is a little better.
static double worth(const struct text *x) { return x->n < 2 ? -20 : x->score / x->n + 0.004 * x->n; }

static void greedy(struct text *x)
{
	struct choice c[CHILDREN];
	while (!x->done) {
		choices(x, c, CHILDREN);
		take(x, c[0].token);
	}
}

static void beam(struct text *best)
{
	static struct text now[BEAM], next[BEAM * BEAM];
	uint32_t n = 1;
	fork_text(best, &now[0]);
	int have = 0;
	while (n) {
		uint32_t k = 0;
		for (uint32_t i = 0; i < n; i++) {
			struct choice c[BEAM];
			uint32_t n_c = choices(&now[i], c, BEAM);
			for (uint32_t j = 0; j < n_c; j++, k++) {
				fork_text(&now[i], &next[k]);
				take(&next[k], c[j].token);
			}
			gcdc_matcher_free(now[i].m);
		}
		n = 0;
		for (uint32_t i = 0; i < k; i++) {  // the best BEAM go on; finished ones are kept if they are the best
			uint32_t better = 0;
			for (uint32_t j = 0; j < k; j++)
				better += !next[j].done && next[j].score / next[j].n > next[i].score / next[i].n;
			if (next[i].done && (!have || worth(&next[i]) > worth(best))) {
				gcdc_matcher_free(best->m);
				*best = next[i], have = 1;
			} else if (!next[i].done && better < BEAM && n < BEAM)
				now[n++] = next[i];
			else
				gcdc_matcher_free(next[i].m);
		}
	}
}

// UCT (Kocsis and Szepesvari 2006) over the likeliest tokens; from a leaf on, a random walk that follows the model.
struct node {
	uint32_t first, n;  // children
	uint32_t token, visits;
	double sum, prior;
};
static struct node nodes[SIMULATIONS * CHILDREN + 1];

static void search(struct text *best)
{
	uint32_t n_nodes = 1, path[MAX_TOKENS];
	struct text root = *best;
	fork_text(&root, best);
	greedy(best);  // to be beaten
	nodes[0] = (struct node){0};
	for (uint32_t i = 0; i < SIMULATIONS; i++) {
		struct text x;
		uint32_t at = 0, depth = 0;
		fork_text(&root, &x);
		for (path[depth++] = 0; nodes[at].n && !x.done; path[depth++] = at) {
			uint32_t pick = nodes[at].first;
			double top = -1e9;
			for (uint32_t k = nodes[at].first; k < nodes[at].first + nodes[at].n; k++) {
				const struct node *c = &nodes[k];
				double u = (c->visits ? c->sum / c->visits : nodes[at].sum / (nodes[at].visits + 1.0)) +
				           2.5 * sqrt(c->prior) * sqrt(nodes[at].visits + 1.0) / (1 + c->visits);
				if (u > top) top = u, pick = k;
			}
			at = pick;
			take(&x, nodes[at].token);
		}
		if (!x.done && n_nodes + CHILDREN <= sizeof nodes / sizeof *nodes) {
			struct choice c[CHILDREN];
			nodes[at].n = choices(&x, c, CHILDREN), nodes[at].first = n_nodes;
			for (uint32_t k = 0; k < nodes[at].n; k++)
				nodes[n_nodes++] = (struct node){.token = c[k].token, .prior = exp(c[k].p)};
		}
		while (!x.done) {
			struct choice c[3];
			uint32_t n = choices(&x, c, 3), k = 0;
			while (k + 1 < n && below(10) == 0 && below(100) >= (uint32_t)(100 * exp(c[k].p))) k++;
			take(&x, c[k].token);
		}
		double value = worth(&x);
		for (uint32_t k = 0; k < depth; k++) nodes[path[k]].visits++, nodes[path[k]].sum += value;
		if (value > worth(best)) {
			gcdc_matcher_free(best->m);
			*best = x;
		} else {
			gcdc_matcher_free(x.m);
		}
	}
	gcdc_matcher_free(root.m);
}

static int show(const char *name, struct text *x, uint32_t budget)
{
	int ok = x->done && gcdc_matcher_is_terminated(x->m) && x->n <= budget;
	printf("%-7s %s, %u of %u tokens, worth %.3f: ", name, ok ? "complete" : "INCOMPLETE", x->n, budget, worth(x));
	for (uint32_t i = 0; i < x->n; i++) {
		uint32_t len;
		const uint8_t *bytes = gcdc_artifact_token(artifact, x->tokens[i], &len);
		fwrite(bytes, 1, len, stdout);
	}
	putchar('\n');
	gcdc_matcher_free(x->m);
	return ok;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(struct text *);
	} ways[] = {{"greedy", greedy}, {"beam", beam}, {"tree", search}};
	gcdc_refusal why;
	need(argc > 1, "usage: budget ARTIFACT [BUDGET [SEED]]");
	if (gcdc_artifact_open(argv[1], NULL, &artifact, &why)) need(0, why.what);
	gcdc_artifact_info(artifact, &info);
	uint32_t budget = argc > 2 ? (uint32_t)atoi(argv[2]) : 40, n_eos, least, ok = 1;
	const uint32_t *all = gcdc_artifact_eos(artifact, &n_eos);
	need(n_eos > 0 && budget < MAX_TOKENS, "no EOS token, or too large a budget");
	eos = all[0];
	state = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
	static char text[8000];
	static uint32_t tokens[4000];
	for (int i = 0; i < 60; i++) {
		make_value(text, 3);
		learn(tokens, cut(text, tokens, 4000));
	}
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		static struct text x;
		x = (struct text){0};
		need(gcdc_matcher_new(artifact, NULL, &x.m) == GCDC_OK, "no memory");
		gcdc_status status = gcdc_matcher_set_budget(x.m, budget, true, &least);
		if (status == GCDC_ERR_BUDGET) printf("the shortest text needs %u tokens\n", least);
		need(status == GCDC_OK, gcdc_status_text(status));
		ways[i].run(&x);
		ok &= (uint32_t)show(ways[i].name, &x, budget);
	}
	gcdc_artifact_close(artifact);
	return !ok;
}
