// Costs in tokens against brute force, and budgets against their definition, on random grammars and vocabularies.
//
// For each grammar positions of the matcher are explored breadth-first, all tokens that its plain mask allows, up to a
// bound; then the distance of each to a complete text is known where nothing unexplored is nearer. The exact model must
// say the same, the aligned one not less. The oracle says the distance of every position, however far, where there are
// no columns: of each parse by itself, the least of all. Every completion that the runtime offers is walked and must be
// complete where it says. Masks under a budget must be { t : allowed, and what is needed after t fits }, bit by bit,
// and runs that follow them, whatever they choose, must end complete.
//
//   oracle_budget [--seed S] [--grammars N] [--kind NAME] [--only I] [--runs N] [--verbose]
#include <stdarg.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "options.h"
#include "../../lib/runtime/core/parts.h"
#include "child.h"
#include "engine.h"
#include "random.h"

#define MAX_NODES 1500
#define MAX_NODES_PLAIN 250  // where equal positions are not known to be equal
#define MAX_EDGES 60000

struct tally {
	uint64_t grammars, compiled, positions, sure, priced, several, closed, gap, masks, stored, kept, runs, infinite,
		no_model, failures;
};

struct node {
	gcdc_matcher *m;
	uint32_t first_edge, n_edges;
	uint32_t distance, frontier;  // to a complete text; to one not expanded
	uint32_t from, token;         // how it was first reached
	uint32_t config;              // the oracle there, which is stepped from the one before
	bool is_complete, is_expanded;
};

struct bench {
	struct lark lark;
	struct grammar grammar;
	struct words words;
	struct vocab vocab;
	struct engine engine;
	struct oracle oracle;
	bool has_oracle;
	struct diag diag;
	VEC(struct node) nodes;
	VEC(uint32_t) edges;
	struct intern known;
	uint32_t *mask, *expected, mask_words, n_runs, max_column;
	bool can_tell;  // positions with the same readings are the same
	struct rng rng;
	struct tally *t;
	uint64_t seed, number;
	VEC(uint32_t) path;
};

static void fail(struct bench *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void fail(struct bench *b, const char *fmt, ...)
{
	struct arena arena = {0};
	va_list args;
	va_start(args, fmt);
	printf("FAILED: seed %lu, grammar %lu (%s), model %u: ", (unsigned long)b->seed, (unsigned long)b->number,
	       random_kind_names[b->lark.kind], engine_costs);
	if (b->max_column) printf("columns up to %u: ", b->max_column);
	vprintf(fmt, args);
	va_end(args);
	if (!b->t->failures) {
		printf("\n%s---- tokens:", lark_text(&b->lark, &arena));
		for (uint32_t t = 0; t < b->vocab.n_tokens; t++) {
			printf(" %u:", t);
			for (uint32_t i = b->vocab.offset[t]; i < b->vocab.offset[t + 1]; i++) {
				uint8_t c = b->vocab.bytes[i];
				if (c > 32 && c < 127)
					putchar(c);
				else
					printf("\\x%02X", c);
			}
		}
	}
	putchar('\n');
	b->t->failures++;
	arena_release(&arena);
}

static void fail_at(struct bench *b, gcdc_matcher *m, const char *what, uint32_t found, uint32_t expected)
{
	char text[2000];
	size_t n = 0;
	uint32_t states[64], lex, depth, n_readings = gcdc_matcher_reading(m, 0, &lex, states, 64, &depth);
	n += (size_t)snprintf(text, sizeof text, "%u readings; lexer %u, stack", n_readings, lex);
	for (uint32_t i = 0; i < depth && i < 20; i++) n += (size_t)snprintf(text + n, sizeof text - n, " %u", states[i]);
	uint32_t k = 0;
	while (k < b->nodes.n && b->nodes.at[k].m != m) k++;
	n += (size_t)snprintf(text + n, sizeof text - n, "; tokens, the last first:");
	for (; k && k < b->nodes.n && n < 1900; k = b->nodes.at[k].from)
		n += (size_t)snprintf(text + n, sizeof text - n, " %u", b->nodes.at[k].token);
	fail(b, "%s: found %u, expected %u (%s)", what, found, expected, text);
}

static uint32_t name_of(struct bench *b, gcdc_matcher *m)
{
	if (!b->can_tell) return INTERN_NONE;
	VEC(uint32_t) key = {0};
	uint32_t states[512], lex, depth, n = 1;
	for (uint32_t i = 0; i < n; i++) {
		n = gcdc_matcher_reading(m, i, &lex, states, 512, &depth);
		vec_push(&key, lex);
		vec_push(&key, depth);
		for (uint32_t k = 0; k < depth && k < 512; k++) vec_push(&key, states[k]);
	}
	bool is_new;
	uint32_t id = intern_add(&b->known, key.at, key.n * 4, &is_new);
	vec_release(&key);
	return is_new ? INTERN_NONE : id;
}

// The node of this position; takes m over.
static uint32_t node_of(struct bench *b, gcdc_matcher *m)
{
	uint32_t known = name_of(b, m);
	if (known != INTERN_NONE) {
		gcdc_matcher_free(m);
		return known;
	}
	vec_push(&b->nodes,
	         ((struct node){
				 .m = m, .distance = UINT32_MAX, .frontier = UINT32_MAX, .is_complete = gcdc_matcher_is_completed(m)}));
	return b->nodes.n - 1;
}

static bool is_eos(const struct bench *b, uint32_t t)
{
	for (uint32_t i = 0; i < b->vocab.n_eos; i++)
		if (b->vocab.eos[i] == t) return true;
	return false;
}

static bool expand(struct bench *b, uint32_t i)
{
	b->nodes.at[i].first_edge = b->edges.n;
	gcdc_status status = gcdc_matcher_fill(b->nodes.at[i].m, b->mask, b->mask_words, NULL);
	if (status == GCDC_ERR_STACKS) return false;
	if (status) {
		fail(b, "fill: %s", gcdc_status_text(status));
		return false;
	}
	memcpy(b->expected, b->mask, b->mask_words * 4);
	for (uint32_t t = 0; t < b->vocab.n_tokens; t++) {
		if (!mask_bit(b->expected, t) || is_eos(b, t)) continue;
		gcdc_matcher *to;
		if (gcdc_matcher_fork(b->nodes.at[i].m, &to)) return false;
		if (gcdc_matcher_accept(to, t)) {
			fail(b, "accept refuses what the mask allows");
			gcdc_matcher_free(to);
			return false;
		}
		uint32_t n = b->nodes.n, node = node_of(b, to);
		if (node == n) {
			const uint8_t *bytes = b->vocab.bytes + b->vocab.offset[t];
			uint32_t len = b->vocab.offset[t + 1] - b->vocab.offset[t], config = b->nodes.at[i].config;
			b->nodes.at[n].from = i, b->nodes.at[n].token = t;
			b->nodes.at[n].config = b->has_oracle ? oracle_step(&b->oracle, config, bytes, len) : CONFIG_DEAD;
		}
		vec_push(&b->edges, node);
	}
	b->nodes.at[i].n_edges = b->edges.n - b->nodes.at[i].first_edge;
	b->nodes.at[i].is_expanded = true;
	return true;
}

// Distances to a complete text and to what was not expanded.
static void measure(struct bench *b)
{
	for (uint32_t i = 0; i < b->nodes.n; i++) {
		if (b->nodes.at[i].is_complete) b->nodes.at[i].distance = 0;
		if (!b->nodes.at[i].is_expanded) b->nodes.at[i].frontier = 0;
	}
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = b->nodes.n; i-- > 0;) {
			struct node *x = &b->nodes.at[i];
			for (uint32_t k = 0; k < x->n_edges; k++) {
				const struct node *y = &b->nodes.at[b->edges.at[x->first_edge + k]];
				if (y->distance != UINT32_MAX && y->distance + 1 < x->distance)
					x->distance = y->distance + 1, changed = true;
				if (y->frontier != UINT32_MAX && y->frontier + 1 < x->frontier)
					x->frontier = y->frontier + 1, changed = true;
			}
		}
	}
}

// What the matcher says of a position against what the oracle does.
static void check_price(struct bench *b, const struct node *x, gcdc_status status, uint32_t n)
{
	uint32_t cost;
	if (!b->has_oracle || !oracle_cost(&b->oracle, x->config, &cost)) return;
	const struct config *c = x->config == CONFIG_DEAD ? NULL : b->oracle.configs.at[x->config];
	b->t->priced++;
	b->t->several += c && c->n_readings > 1;
	if (cost == ORACLE_NONE)
		fail_at(b, x->m, "the oracle knows no end here", n, cost);
	else if (status == GCDC_ERR_BUDGET && engine_costs == 2)
		fail_at(b, x->m, "no price, exact", n, cost);
	else if (!status && engine_costs == 2 && n != cost)
		fail_at(b, x->m, "exact cost, by the oracle", n, cost);
	else if (!status && n < cost)
		fail_at(b, x->m, "aligned cost, by the oracle", n, cost);
}

static void check_completion(struct bench *b, gcdc_matcher *m, uint32_t n)
{
	uint32_t tokens[256], after;
	size_t found = 0, accepted = 0;
	if (n > 256) return;
	gcdc_status status = gcdc_matcher_close(m, tokens, 256, &found);
	if (status == GCDC_ERR_STACKS) return;
	if (status || (engine_costs == 2 ? found != n : found > n)) {
		fail_at(b, m, status ? gcdc_status_text(status) : "length of a completion", (uint32_t)found, n);
		return;
	}
	n = (uint32_t)found;
	gcdc_matcher *f;
	if (gcdc_matcher_fork(m, &f)) return;
	for (; accepted < n; accepted++)
		if (gcdc_matcher_accept(f, tokens[accepted])) break;
	if (accepted < n)
		fail_at(b, m, "tokens of the completion that are accepted", (uint32_t)accepted, n);
	else if (!gcdc_matcher_is_completed(f))
		fail_at(b, m, "closed text is complete", 0, 1);
	else if (gcdc_matcher_min_tokens(f, false, &after) || after)
		fail_at(b, m, "cost of a complete text", after, 0);
	else
		b->t->closed++;
	gcdc_matcher_free(f);
}

// Are its masks under budgets tables?
static bool has_steps(const struct engine *e)
{
	struct artifact_header h;
	memcpy(&h, e->bytes, sizeof h);
	for (uint32_t i = 0; i < h.n_sections; i++) {
		struct artifact_section s;
		memcpy(&s, e->bytes + sizeof h + i * sizeof s, sizeof s);
		if (s.id == SECTION_STEP_INFO) return true;
	}
	return false;
}

// The mask under a budget is what its definition says, however it is made.
static void check_mask(struct bench *b, gcdc_matcher *m, uint32_t left, bool count_eos)
{
	gcdc_matcher *f;
	if (gcdc_matcher_fork(m, &f)) return;
	gcdc_status status = gcdc_matcher_fill(f, b->expected, b->mask_words, NULL);
	for (uint32_t t = 0; t < b->vocab.n_tokens && !status; t++) {
		uint32_t after = 0;
		bool allowed = mask_bit(b->expected, t);
		if (allowed && !is_eos(b, t)) {
			gcdc_status s = gcdc_matcher_min_after(f, t, &after);
			if (s == GCDC_ERR_STACKS)
				status = s;
			else if (s && s != GCDC_ERR_BUDGET)
				fail_at(b, m, gcdc_status_text(s), t, 0);
			allowed = !s && 1 + (uint64_t)after + count_eos <= left;
		} else if (allowed) {
			allowed = count_eos <= left;
		}
		if (!allowed) b->expected[t / 32] &= ~(1u << t % 32);
	}
	if (!status) status = gcdc_matcher_set_budget(f, left, count_eos, NULL);
	for (enum budget_by how = BUDGET_BY_STEPS; how <= BUDGET_BY_GROUPS && !status; how++) {
		budget_by(f, how);
		status = gcdc_matcher_fill(f, b->mask, b->mask_words, NULL);
		if (status || !memcmp(b->mask, b->expected, b->mask_words * 4)) continue;
		uint32_t t = 0;
		while (mask_bit(b->mask, t) == mask_bit(b->expected, t)) t++;
		static const char *const what[] = {"mask under a budget: token", "mask by steps made at run time: token",
		                                   "mask by groups: token"};
		fail_at(b, m, what[how], t, mask_bit(b->expected, t));
	}
	if (status && status != GCDC_ERR_STACKS)  // a limit that is told
		fail_at(b, m, gcdc_status_text(status), left, 0);
	b->t->masks += !status;
	b->t->stored += !status && has_steps(&b->engine);
	gcdc_matcher_free(f);
}

// What a matcher knows of budgets far away, from tokens before, is what it would find out here.
static void check_kept(struct bench *b, gcdc_matcher *m, bool count_eos)
{
	gcdc_matcher *f;
	if (gcdc_matcher_fork(m, &f)) return;
	gcdc_status status = gcdc_matcher_set_budget(f, gcdc_matcher_budget(m), count_eos, NULL);
	if (!status) status = gcdc_matcher_fill(f, b->expected, b->mask_words, NULL);
	if (!status && memcmp(b->mask, b->expected, b->mask_words * 4) != 0)
		fail_at(b, m, "mask on the way under a budget", gcdc_matcher_budget(m), 0);
	gcdc_matcher_free(f);
}

// Follows the masks to the end, from here or (NULL) from the empty text. how 0: at random, 1: what costs most, 2: never
// EOS while there is something else.
static void run(struct bench *b, gcdc_matcher *from, uint32_t budget, bool count_eos, uint32_t how)
{
	gcdc_matcher *m;
	if (from ? gcdc_matcher_fork(from, &m) : gcdc_matcher_new(b->engine.artifact, NULL, &m)) return;
	uint32_t least = 0, taken = 0;
	gcdc_status status = gcdc_matcher_min_tokens(m, count_eos, &least);
	if (status == GCDC_ERR_BUDGET && engine_costs == 1) {
		gcdc_matcher_free(m);
		return;
	}
	budget += least;
	if (!status && budget > 0 && least > 0 && gcdc_matcher_set_budget(m, least - 1, count_eos, NULL) != GCDC_ERR_BUDGET)
		fail(b, "a budget below the minimum is taken");
	if (!status) status = gcdc_matcher_set_budget(m, budget, count_eos, NULL);
	while (!status && !gcdc_matcher_is_terminated(m)) {
		status = gcdc_matcher_fill(m, b->mask, b->mask_words, NULL);
		if (status) break;
		check_kept(b, m, count_eos);
		uint32_t best = UINT32_MAX, best_cost = 0, seen = 0;
		for (uint32_t t = 0; t < b->vocab.n_tokens; t++) {
			if (!mask_bit(b->mask, t)) continue;
			seen++;
			uint32_t cost = 0;
			if (how == 1 && gcdc_matcher_min_after(m, t, &cost)) cost = 0;
			bool take = how == 0 ? rng_below(&b->rng, seen) == 0
			            : how == 1
			                ? best == UINT32_MAX || cost > best_cost
			                : best == UINT32_MAX || is_eos(b, best) || (!is_eos(b, t) && rng_below(&b->rng, seen) == 0);
			if (take) best = t, best_cost = cost;
		}
		if (best == UINT32_MAX) {
			fail(b, "an empty mask, %u of %u tokens taken", taken, budget);
			break;
		}
		if (is_eos(b, best) && !count_eos) taken--;
		taken++;
		status = gcdc_matcher_accept(m, best);
		if (taken > budget) {
			fail(b, "%u tokens taken, the budget is %u", taken, budget);
			break;
		}
	}
	if (status && status != GCDC_ERR_STACKS)
		fail(b, "a run with budget %u (least %u, how %u, EOS %d) ends after %u: %s", budget, least, how, count_eos,
		     taken, gcdc_status_text(status));
	else
		b->t->runs++;
	gcdc_matcher_free(m);
}

static void check_all(struct bench *b)
{
	struct tally *t = b->t;
	gcdc_matcher *m;
	if (gcdc_matcher_new(b->engine.artifact, &(gcdc_matcher_options){.max_rollback = 2}, &m)) return;
	node_of(b, m);
	b->nodes.at[0].config = b->has_oracle ? oracle_start(&b->oracle) : CONFIG_DEAD;
	uint32_t max = b->can_tell ? MAX_NODES : MAX_NODES_PLAIN;
	for (uint32_t i = 0; i < b->nodes.n && b->nodes.n < max && b->edges.n < MAX_EDGES; i++)
		if (!expand(b, i)) break;
	measure(b);
	for (uint32_t i = 0; i < b->nodes.n && t->failures < 3; i++) {
		const struct node *x = &b->nodes.at[i];
		uint32_t n;
		gcdc_status status = gcdc_matcher_min_tokens(x->m, false, &n);
		bool is_sure = x->distance != UINT32_MAX && (x->frontier == UINT32_MAX || x->distance <= x->frontier + 1);
		t->positions++;
		check_price(b, x, status, n);
		t->sure += is_sure;
		t->infinite += status == GCDC_ERR_BUDGET;
		bool is_total = b->engine.is_total && !b->grammar.indentation.on;
		if (status == GCDC_ERR_BUDGET && is_total && x->distance != UINT32_MAX)
			fail_at(b, x->m, "no price where all is said to have one", n, x->distance);
		if (status == GCDC_ERR_STACKS || (status == GCDC_ERR_BUDGET && engine_costs == 1)) continue;
		if (status)
			fail_at(b, x->m, gcdc_status_text(status), n, x->distance);
		else if (engine_costs == 2 && is_sure && n != x->distance)
			fail_at(b, x->m, "exact cost", n, x->distance);
		else if (n < x->distance && is_sure)
			fail_at(b, x->m, "aligned cost", n, x->distance);
		else if (x->distance != UINT32_MAX && n != UINT32_MAX && n > x->distance)
			t->gap++;
		if (!status && i % 7 == 0) check_completion(b, x->m, n);
		if (!status && i % 11 == 0) check_mask(b, x->m, n + 1 + rng_below(&b->rng, 4), rng_percent(&b->rng, 50));
		if (!status && i % 11 == 5)
			check_mask(b, x->m, n + 1 + rng_below(&b->rng, 4) * 15, rng_percent(&b->rng, 50));  // far away, perhaps
	}
	for (uint32_t i = 0; i < b->n_runs && t->failures < 3; i++) run(b, NULL, i / 3 % 13 * (1 + i / 39), i & 1, i % 3);
	// From inside texts, which may have columns where nothing deeper can be opened.
	for (uint32_t i = 0; kind_is_indent(b->lark.kind) && i < b->n_runs && t->failures < 3; i++)
		run(b, b->nodes.at[rng_below(&b->rng, b->nodes.n)].m, i / 3 % 13, i & 1, i % 3);
}

static void one_grammar(uint64_t seed, uint64_t i, enum random_kind kind, uint32_t n_runs, struct tally *t)
{
	struct bench b = {
		.lark.kind = kind, .rng = {seed * 1000003 + i}, .t = t, .seed = seed, .number = i, .n_runs = n_runs};
	struct arena arena = {0};
	random_grammar(&b.rng, &b.lark);
	struct rng columns = {seed * 7 + i};
	if (kind_is_indent(b.lark.kind) && rng_percent(&columns, 80))
		b.max_column = 1 + rng_below(&columns, 6);  // so that it is met
	engine_max_column = b.max_column;
	engine_texts = i % 2 ? 4 : 0;
	engine_joined_costs = i / 2 % 2;
	char *text = lark_text(&b.lark, &arena);
	t->grammars++;
	if (grammar_parse("random.lark", text, strlen(text), NULL, &b.diag, &b.grammar)) {
		random_words(&b.rng, &b.lark, &b.grammar, &b.words);
		words_vocab(&b.words, &b.vocab);
		struct diag refused = {0};
		b.has_oracle = oracle_init_as(&b.oracle, &b.grammar, &b.vocab, PARSES_STACKS, &refused);
		if (b.has_oracle && !oracle_reaches(&b.oracle)) {
			oracle_release(&b.oracle);
			b.has_oracle = false;
		}
		diag_release(&refused);
		for (engine_costs = 1; engine_costs <= 2 && !t->failures; engine_costs++) {
			enum engine_result result = engine_compile(&b.grammar, &b.vocab, &b.diag, &b.engine);
			if (result == ENGINE_BROKEN)
				fail(&b, "broken: %s",
				     strstr(diag_text(&b.diag), "artifact does not") ? strstr(diag_text(&b.diag), "artifact does not")
				                                                     : diag_text(&b.diag));
			if (result != ENGINE_OK) break;
			t->compiled += engine_costs == 1;
			t->kept += b.engine.n_kept != 0;
			gcdc_info info;
			gcdc_artifact_info(b.engine.artifact, &info);
			b.can_tell = !info.has_choices && !b.grammar.indentation.on;
			b.mask_words = info.mask_words;
			b.mask = mem_calloc(b.mask_words, 8);
			b.expected = b.mask + b.mask_words;
			if (gcdc_artifact_costs(b.engine.artifact) == (gcdc_cost_model)engine_costs)
				check_all(&b);
			else
				t->no_model++;
			for (uint32_t k = 0; k < b.nodes.n; k++) gcdc_matcher_free(b.nodes.at[k].m);
			vec_release(&b.nodes);
			vec_release(&b.edges);
			intern_release(&b.known);
			b.known = (struct intern){0};
			free(b.mask);
			engine_release(&b.engine);
		}
		if (b.has_oracle) oracle_release(&b.oracle);
		vocab_release(&b.vocab);
		grammar_release(&b.grammar);
	}
	diag_release(&b.diag);
	vec_release(&b.words.at);
	lark_release(&b.lark);
	arena_release(&arena);
}

// In a process of its own, so that what ends it badly is told.
static void judge(uint64_t seed, uint64_t i, enum random_kind kind, uint32_t n_runs, struct tally *all)
{
	struct tally t = {0};
	struct child child;
	int status = 0;
	if (child_begin(&child)) {
		setrlimit(RLIMIT_CPU, &(struct rlimit){100, 100});
		one_grammar(seed, i, kind, n_runs, &t);
		fflush(NULL);
		_exit(write(child.pipe, &t, sizeof t) != sizeof t);
	}
	if (!child_end(&child, &t, sizeof t, &status) || status) {
		printf("CRASH: seed %lu, grammar %lu: status %d\n", (unsigned long)seed, (unsigned long)i, status);
		t = (struct tally){.failures = 1};
	}
	uint64_t *into = (uint64_t *)all;
	for (uint32_t k = 0; k < sizeof t / sizeof *into; k++) into[k] += ((const uint64_t *)&t)[k];
}

int main(int argc, char **argv)
{
	uint64_t seed = 1, n = 60, only = UINT64_MAX, n_runs = 39;
	const char *kind_name = random_kind_names[KIND_ANY];
	if (!ORACLE_OPTIONS(argc, argv, {"--seed", .number = &seed}, {"--grammars", .number = &n},
	                    {"--only", .number = &only}, {"--runs", .number = &n_runs}, {"--kind", .text = &kind_name}))
		return 2;
	enum random_kind kind = random_kind_named(kind_name);
	struct tally t = {0};
	engine_keep_groups = true;
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("seed %lu, %lu grammars, kind %s\n", (unsigned long)seed, (unsigned long)n, random_kind_names[kind]);
	for (uint64_t i = 0; i < n && t.failures < 10; i++)
		if (only == UINT64_MAX || i == only) judge(seed, i, kind, (uint32_t)n_runs, &t);
	printf("%lu grammars, %lu compiled, %lu without the model; %lu positions, %lu of them sure, %lu with the oracle's "
	       "price (%lu of "
	       "several readings), %lu without a price, %lu dearer "
	       "than needed; %lu completions, %lu masks (%lu by stored steps), %lu artifacts with steps of texts, %lu "
	       "runs; %lu "
	       "failed\n",
	       (unsigned long)t.grammars, (unsigned long)t.compiled, (unsigned long)t.no_model, (unsigned long)t.positions,
	       (unsigned long)t.sure, (unsigned long)t.priced, (unsigned long)t.several, (unsigned long)t.infinite,
	       (unsigned long)t.gap, (unsigned long)t.closed, (unsigned long)t.masks, (unsigned long)t.stored,
	       (unsigned long)t.kept, (unsigned long)t.runs, (unsigned long)t.failures);
	return t.failures != 0 || (only == UINT64_MAX && n && !t.compiled);
}
