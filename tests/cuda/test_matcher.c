// The matcher on the device against the one on the host: every bit of every mask, every status.
//
// In:  --seed, --rounds (random grammars); --artifact FILE: random walks under that one instead, and with --texts
// FOLDER its files. Random walks of whole batches: mostly allowed tokens, some forbidden ones, some past the
// vocabulary, some steps without; ended texts stay in the batch. Grammars of languages with the built-in vocabulary,
// and random grammars of all kinds with random vocabularies; grammars that keep conflicts, where a text has several
// stacks. The texts of grammars/json, cut into tokens. Bounds: a stack too deep, or more stacks than there is room for,
// leave the device; with a few tokens less they come back.
#include "../../lib/include/gcdc/show.h"
#include "cuda_testing.h"

#include <dirent.h>

#define SEQUENCES 8u

struct tally {
	uint64_t positions, bits, accepted, refused, ended, most_readings, unsupported, limited;
	uint64_t with_choices;          // positions of grammars that keep conflicts
	uint64_t with_stacks;           // of these, those where the text has several stacks
	uint64_t most_stacks;           // of one such position
	uint64_t over;                  // without EOS: complete texts that nothing may follow
	uint64_t budgets, with_budget;  // budgets given; positions with one
	uint64_t removed, left_out;     // rows that leave tokens out; such tokens tried
	uint64_t without_steps;         // grammars whose budgets are not for the device
	uint64_t passed;                // times that a sequence of such a grammar had more readings than the device keeps
};
static struct tally all;

struct walk {
	struct rng *rng;
	const gcdc_artifact *artifact;
	gcdc_info info;
	const char *name;
	gcdc_cuda_batch *batch;
	gcdc_matcher *m[SEQUENCES];
	int32_t last[SEQUENCES];  // the latest status expected
	uint32_t width, words;
	struct twin tokens, logits;
	uint32_t *mask;
	bool stop, is_random;
	bool has_budgets;        // the artifact has masks under budgets of its own
	bool failed[SEQUENCES];  // has left the device, to be set anew
};

// Distinct stacks of all the matcher's readings: what are readings on the device. At most 200 are counted.
struct stack_list {
	struct shown {
		uint32_t reading, n, at[64];
	} stack[200];
	uint32_t n, reading;
};
static void list_stack(void *context, const gcdc_shown_stack *s)
{
	struct stack_list *x = context;
	struct shown y = {.reading = x->reading, .n = s->n};
	for (uint32_t i = 0; i < s->n && i < 64; i++) y.at[i] = s->lr_states[i];
	for (uint32_t i = 0; i < x->n; i++)
		if (!memcmp(&x->stack[i], &y, sizeof y)) return;
	if (x->n < 200) x->stack[x->n++] = y;
}
static uint32_t count_stacks(const gcdc_matcher *m)
{
	static struct stack_list x;
	uint32_t n = gcdc_matcher_reading(m, 0, NULL, NULL, 0, NULL);
	x.n = 0;
	for (x.reading = 0; x.reading < n; x.reading++)
		MUST(gcdc_show_stacks(m, x.reading, (gcdc_show_limits){1000, 64}, list_stack, &x, NULL));
	return x.n;
}

// False: the grammar is not for the device.
static bool walk_open(struct walk *w, struct rng *rng, const char *name, const gcdc_artifact *artifact,
                      const gcdc_cuda_table *table, uint32_t max_depth)
{
	*w = (struct walk){.rng = rng, .artifact = artifact, .name = name};
	gcdc_artifact_info(artifact, &w->info);
	w->has_budgets = gcdc_artifact_section(artifact, SECTION_STEP_INFO, NULL);
	gcdc_cuda_batch_options o = {.n = SEQUENCES, .max_depth = max_depth, .budgets = w->has_budgets};
	gcdc_status status = gcdc_cuda_batch_new(table, &o, &w->batch);
	if (w->info.max_readings > GCDC_CUDA_MAX_READINGS || status == GCDC_ERR_UNSUPPORTED) {
		CHECK(status == GCDC_ERR_UNSUPPORTED, "%s: readings, but %s", name, gcdc_status_text(status));
		CHECK(w->info.max_readings > GCDC_CUDA_MAX_READINGS, "%s: refused", name);
		all.unsupported++;
		return false;
	}
	MUST(status);
	w->width = w->info.n_tokens + rng_below(rng, 40);
	w->words = w->info.mask_words;
	w->mask = mem_calloc(w->words, sizeof *w->mask);
	w->tokens = twin_new(SEQUENCES * sizeof(int32_t));
	w->logits = twin_new((size_t)SEQUENCES * w->width * sizeof(uint32_t));
	for (uint32_t i = 0; i < SEQUENCES; i++) {
		MUST(gcdc_matcher_new(artifact, NULL, &w->m[i]));
		MUST(gcdc_cuda_batch_set(w->batch, i, w->m[i], NULL));
	}
	return true;
}

static void walk_close(struct walk *w)
{
	for (uint32_t i = 0; i < SEQUENCES; i++) gcdc_matcher_free(w->m[i]);
	gcdc_cuda_batch_free(w->batch);
	twin_free(&w->tokens);
	twin_free(&w->logits);
	free(w->mask);
}

// Mostly: a budget of a few tokens more than the text needs, or none. The caller sets the sequence.
static void give_budget(struct walk *w, uint32_t i)
{
	uint32_t least, more = rng_below(w->rng, 4) ? rng_below(w->rng, 7) : rng_below(w->rng, 40);
	bool counts_eos = rng_below(w->rng, 3);
	if (!w->has_budgets || !rng_below(w->rng, 4) || gcdc_matcher_is_terminated(w->m[i])) return;
	if (gcdc_matcher_min_tokens(w->m[i], counts_eos, &least)) return;
	MUST(gcdc_matcher_set_budget(w->m[i], rng_below(w->rng, 9) ? least + more : GCDC_NONE, counts_eos, NULL));
	all.budgets++;
}

static void put_set(const gcdc_artifact *a, uint32_t id, uint32_t *mask, uint32_t words)
{
	gcdc_set set;
	CHECK(gcdc_artifact_set(a, id, &set), "no set %u", id);
	for (uint32_t w = 0; w < words; w++) {
		uint32_t x = set.bits ? set.bits[w] : 0;
		for (uint32_t k = 0; k < set.n; k++) x ^= set.tokens[k] / 32 == w ? 1u << set.tokens[k] % 32 : 0;
		mask[w] |= x;
	}
}

// The matcher's row says what w->mask, which was filled, does.
static void check_packed(struct walk *w, gcdc_matcher *m)
{
	enum { MOST = 4096 };
	static uint32_t spill[MOST];
	gcdc_cuda_row row;
	if (w->words > MOST / 32 || gcdc_cuda_pack(&m, 1, &row, spill, MOST, NULL, NULL)) return;
	uint32_t mask[MOST / 32] = {0}, n = row.n_tokens + row.n_removed;
	const bool is_all = row.n_sets == GCDC_CUDA_ALL;
	const uint32_t n_sets = is_all ? 0 : row.n_sets, *at = n_sets + n > GCDC_CUDA_INLINE ? spill + row.at[0] : row.at;
	for (uint32_t t = 0; t < w->info.n_tokens && is_all; t++) mask[t / 32] |= 1u << t % 32;
	for (uint32_t k = 0; k < n_sets; k++) put_set(w->artifact, at[k], mask, w->info.mask_words);
	for (uint32_t k = 0; k < row.n_tokens; k++) mask[at[n_sets + k] / 32] |= 1u << at[n_sets + k] % 32;
	for (uint32_t k = row.n_tokens; k < n; k++) mask[at[n_sets + k] / 32] &= ~(1u << at[n_sets + k] % 32);
	CHECK(!memcmp(mask, w->mask, w->info.mask_words * sizeof *mask), "%s: a row of %u sets, %u tokens, less %u",
	      w->name, row.n_sets, row.n_tokens, row.n_removed);
	all.removed += row.n_removed != 0;
}

// One launch for w->tokens; then every row against what the host's matchers say. expected: statuses.
static void step_and_compare(struct walk *w, const int32_t *expected, uint64_t step)
{
	int32_t statuses[SEQUENCES];
	uint32_t *x = w->logits.host;
	twin_push(&w->tokens);
	MUST(device_clear(w->logits.device, 0, w->logits.size, NULL));
	gcdc_cuda_masks masks = {.n_rows = SEQUENCES, .batch = w->batch, .tokens = w->tokens.device};
	gcdc_cuda_logits logits = {w->logits.device, GCDC_CUDA_F32, w->width, w->width, NULL};
	MUST(gcdc_cuda_apply(&masks, &logits, NULL));
	twin_pull(&w->logits);
	MUST(device_read(statuses, gcdc_cuda_batch_statuses(w->batch), sizeof statuses, NULL));
	for (uint32_t i = 0; i < SEQUENCES; i++) {
		// Each stack is a reading there. Within a step there can be more of them than behind it.
		if (w->info.has_choices && statuses[i] == GCDC_ERR_LIMIT && expected[i] == GCDC_OK) {
			all.passed += !w->failed[i];
			w->failed[i] = true;
			continue;
		}
		// A bound of the device (cuda.h), which random grammars may pass: rarely, and none of ours does.
		if (w->is_random && statuses[i] == GCDC_ERR_LIMIT && expected[i] == GCDC_OK) {
			all.limited += !w->stop;
			w->stop = true;
			continue;
		}
		gcdc_status status = gcdc_matcher_fill(w->m[i], w->mask, w->words, NULL);
		bool is_over = status == GCDC_TERMINATED && !gcdc_matcher_is_terminated(w->m[i]) && !expected[i];
		int32_t wanted = is_over ? GCDC_TERMINATED : expected[i];
		all.over += is_over;
		if (statuses[i] != wanted) {
			FAIL("%s: step %llu, sequence %u, token %d: status %d, the host's %d", w->name, (unsigned long long)step, i,
			     ((int32_t *)w->tokens.host)[i], statuses[i], wanted);
			w->stop = true;
		}
		if (status < 0) FAIL("%s: the host has no mask: %s", w->name, gcdc_status_text(status));
		if (!status) check_packed(w, w->m[i]);
		all.positions++;
		all.bits += w->width;
		all.with_budget += gcdc_matcher_budget(w->m[i]) != GCDC_NONE && !gcdc_matcher_is_terminated(w->m[i]);
		if (w->info.has_choices) {
			uint32_t stacks = count_stacks(w->m[i]);
			all.with_choices++;
			all.with_stacks += stacks > 1;
			if (stacks > all.most_stacks) all.most_stacks = stacks;
		}
		for (uint32_t k = 0; k < w->width; k++) {
			bool on_host = k < w->info.n_tokens && mask_bit(w->mask, k), on_device = x[(size_t)i * w->width + k] == 0;
			if (on_host == on_device) continue;
			uint32_t len = 0;
			const uint8_t *bytes = gcdc_artifact_token(w->artifact, k, &len);
			FAIL("%s: step %llu, sequence %u: token %u '%.*s' is %d on the device, %d on the host", w->name,
			     (unsigned long long)step, i, k, (int)len, (const char *)bytes, on_device, on_host);
			w->stop = true;
			break;
		}
	}
}

// A token of the mask, short ones more often; -1: none.
static int32_t allowed_token(struct walk *w, gcdc_matcher *m)
{
	int32_t best = -1;
	uint32_t best_key = 0;
	if (gcdc_matcher_fill(m, w->mask, w->words, NULL) < 0) return -1;
	bool is_short = rng_below(w->rng, 3), ends = !rng_below(w->rng, 12);
	for (uint32_t i = 0; i < w->words; i++) {
		for (uint32_t x = w->mask[i]; x; x &= x - 1) {
			uint32_t token = i * 32 + (uint32_t)__builtin_ctz(x), len, key = (uint32_t)rng_next(w->rng) >> 1 | 1;
			gcdc_artifact_token(w->artifact, token, &len);
			if (!len && !ends) key = 1;
			if (is_short) key >>= len > 2 ? 4 : 0;
			if (key > best_key) best = (int32_t)token, best_key = key;
		}
	}
	return best;
}

// A token that the mask leaves out, though its sets may have it; -1: none.
static int32_t left_out_token(struct walk *w, gcdc_matcher *m)
{
	gcdc_mask_sets mask;
	gcdc_set set;
	if (gcdc_matcher_mask_sets(m, &mask) || !mask.without || !gcdc_artifact_set(w->artifact, mask.without, &set))
		return -1;
	all.left_out += set.n != 0;
	return set.n ? (int32_t)set.tokens[rng_below(w->rng, set.n)] : -1;
}

// A sequence that has left the device comes back where its matcher is, or at the beginning of a text.
static void come_back(struct walk *w, uint32_t i)
{
	give_budget(w, i);
	gcdc_status status = gcdc_cuda_batch_set(w->batch, i, w->m[i], NULL);
	if (status == GCDC_ERR_LIMIT) {
		CHECK(count_stacks(w->m[i]) > GCDC_CUDA_MAX_READINGS || w->is_random, "%s: %u stacks cannot be set", w->name,
		      count_stacks(w->m[i]));
		gcdc_matcher_reset(w->m[i]);
		status = gcdc_cuda_batch_set(w->batch, i, w->m[i], NULL);
	}
	MUST(status);
	w->failed[i] = false;
}

static gcdc_status status_now(const gcdc_matcher *m)
{
	return gcdc_matcher_is_terminated(m) ? GCDC_TERMINATED : GCDC_OK;
}

static void random_walk(struct walk *w, uint64_t steps)
{
	int32_t *tokens = w->tokens.host, expected[SEQUENCES];
	for (uint32_t i = 0; i < SEQUENCES; i++) come_back(w, i);
	for (uint64_t step = 0; step < steps && !w->stop; step++) {
		for (uint32_t i = 0; i < SEQUENCES; i++) {
			uint32_t kind = step ? rng_below(w->rng, 30) : 0;
			if (w->failed[i]) come_back(w, i);
			if (gcdc_matcher_is_terminated(w->m[i]) && !rng_below(w->rng, 4)) {
				gcdc_matcher_reset(w->m[i]);
				give_budget(w, i);
				MUST(gcdc_cuda_batch_set(w->batch, i, w->m[i], NULL));
			}
			if (kind == 0)
				tokens[i] = -1;
			else if (kind < 3)
				tokens[i] = (int32_t)rng_below(w->rng, w->info.n_tokens + 3);
			else if (kind > 15 || (tokens[i] = left_out_token(w, w->m[i])) < 0)
				tokens[i] = allowed_token(w, w->m[i]);
			expected[i] = tokens[i] < 0 ? status_now(w->m[i]) : gcdc_matcher_accept(w->m[i], (uint32_t)tokens[i]);
			all.accepted += tokens[i] >= 0 && !expected[i];
			all.refused += expected[i] == GCDC_REJECTED;
			all.ended += expected[i] == GCDC_TERMINATED;
			uint32_t readings = gcdc_matcher_reading(w->m[i], 0, NULL, NULL, 0, NULL);
			if (readings > all.most_readings) all.most_readings = readings;
		}
		step_and_compare(w, expected, step);
		// Now and then a sequence is set from the host's matcher, in the middle of its text.
		if (!rng_below(w->rng, 9)) {
			uint32_t i = rng_below(w->rng, SEQUENCES);
			if (w->info.has_choices) {
				come_back(w, i);
			} else {
				give_budget(w, i);
				MUST(gcdc_cuda_batch_set(w->batch, i, w->m[i], NULL));
			}
		}
	}
}

static void walk_subject(struct rng *rng, const char *grammar, uint64_t steps)
{
	struct subject s;
	struct walk w;
	subject_open(&s, grammar, 0);
	if (walk_open(&w, rng, grammar, s.engine.artifact, s.table, 0)) {
		random_walk(&w, steps);
		walk_close(&w);
	}
	subject_close(&s);
}

// Each text, one a sequence, cut into the longest tokens that are allowed.
static void walk_folder(struct rng *rng, const gcdc_artifact *artifact, gcdc_cuda_table *table, const char *folder)
{
	struct walk w;
	struct dirent **list;
	int n = scandir(folder, &list, NULL, alphasort);
	if (n < 0) {
		printf("cannot read %s\n", folder);
		exit(1);
	}
	if (!walk_open(&w, rng, folder, artifact, table, 0)) exit(1);
	for (int first = 0; first < n && !w.stop; first += SEQUENCES) {
		uint8_t *text[SEQUENCES] = {NULL};
		uint32_t len[SEQUENCES] = {0}, at[SEQUENCES] = {0};
		for (uint32_t i = 0; i < SEQUENCES && first + (int)i < n; i++) {
			char path[600];
			snprintf(path, sizeof path, "%s/%s", folder, list[first + (int)i]->d_name);
			FILE *f = list[first + (int)i]->d_name[0] == '.' ? NULL : fopen(path, "rb");
			text[i] = mem_calloc(4000, 1);
			if (f) {
				len[i] = (uint32_t)fread(text[i], 1, 4000, f);
				fclose(f);
			}
			gcdc_matcher_reset(w.m[i]);
			MUST(gcdc_cuda_batch_set(w.batch, i, w.m[i], NULL));
		}
		for (uint64_t step = 0; !w.stop; step++) {
			int32_t *tokens = w.tokens.host, expected[SEQUENCES];
			uint32_t moving = 0;
			for (uint32_t i = 0; i < SEQUENCES; i++) {
				uint32_t best = 0;
				tokens[i] = -1;
				MUST(gcdc_matcher_fill(w.m[i], w.mask, w.words, NULL));
				for (uint32_t t = 0; t < w.info.n_tokens; t++) {
					uint32_t size;
					const uint8_t *bytes = gcdc_artifact_token(w.artifact, t, &size);
					if (!mask_bit(w.mask, t) || size <= best || size > len[i] - at[i] ||
					    memcmp(bytes, text[i] + at[i], size))
						continue;
					best = size;
					tokens[i] = (int32_t)t;
				}
				at[i] += best;
				expected[i] = tokens[i] < 0 ? GCDC_OK : gcdc_matcher_accept(w.m[i], (uint32_t)tokens[i]);
				moving += best > 0;
			}
			if (!moving) break;
			step_and_compare(&w, expected, step);
		}
		for (uint32_t i = 0; i < SEQUENCES; i++) free(text[i]);
	}
	for (int i = 0; i < n; i++) free(list[i]);
	free(list);
	walk_close(&w);
}

static void walk_texts(struct rng *rng, const char *grammar, const char *folder)
{
	struct subject s;
	subject_open(&s, grammar, 0);
	walk_folder(rng, s.engine.artifact, s.table, folder);
	subject_close(&s);
}

// A grammar from text under the built-in vocabulary.
static void subject_of_text(struct subject *s, const char *name, const char *text, const struct vocab_options *o)
{
	*s = (struct subject){0};
	bool ok = grammar_parse(name, text, strlen(text), NULL, &s->diag, &s->grammar) &&
	          vocab_load_default(o, &s->diag, &s->vocab) &&
	          engine_compile(&s->grammar, &s->vocab, &s->diag, &s->engine) == ENGINE_OK;
	if (!ok) {
		printf("%s: %s\n", name, diag_text(&s->diag));
		exit(1);
	}
	gcdc_artifact_info(s->engine.artifact, &s->info);
	MUST(gcdc_cuda_table_new(s->engine.artifact, NULL, &s->table));
}

// Grammars that keep conflicts: several stacks, which may lex one text differently (docs/language.md, rule 1). Texts:
// where some of these stacks go on and others end, beginnings in the language all of them.
static const struct {
	const char *name, *text, *texts[4];
} with_choices[] = {
	{"palindrome",
     "start: s\ns: \"a\" s \"a\" | \"b\" s \"b\" |\n",
     {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "abbaabbaabba", "aabaabaa", "bbbbbbbbaaaab"}},
	{"palindrome with a middle",
     "start: s\ns: \"a\" s \"a\" | \"b\" s \"b\" | \"a\" | \"b\"\n",
     {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "abbababbaba"}},
	{"two counts",
     "start: x \"c\" | y \"d\"\nx: \"a\" x \"b\" |\ny: \"a\" y \"b\" \"b\" |\n",
     {"aaabbbc", "aaabbbbbbd", "aaaaaaaaaaaaaabbbb", "d"}},
	{"dangling",
     "start: s\ns: \"i\" s | \"i\" s \"e\" s \".\" | \"i\" s \"e\" s | \"x\"\n",
     {"iixexex.", "iiixex.ex", "iiiiiiixexexexexexex", "iiiixex.ex.ex"}},
	{"a keyword of one parse",
     "start: p \",\" NAME \";\" | q \",\" \"if\" \"!\"\np: \"x\"\nq: \"x\"\nNAME: /[a-z]+/\n",
     {"x,if;", "x,if!", "x,iff;", "x,in;"}},
	{"lengths of two parses",
     "start: (p \",\" A B \";\" | q \",\" C \"!\")+\np: \"x\"\nq: \"x\"\nA: \"a\"\nB: /b+/\nC: /ab*/\n%ignore \" \"\n",
     {"x,abb;x,abbb!", "x , a bb ; x , a!", "x,ab!x,ab;x,a b;"}},
	{"lists of two kinds",
     "start: (p | q)*\np: a+ \";\"\nq: b+ \"!\"\na: NAME\nb: NAME\nNAME: /[a-z]+/\n%ignore \" \"\n",
     {"f g h;i j!k;", "f;g!", "f g h i j k l m n o!"}},
	{"blocks",
     "start: s+\ns: p NL | q NL IN s+ DE | r NL IN s+ DE \"e\" NL\np: \"x\"\nq: \"x\"\nr: \"x\"\nNL: /(\\n[ "
     "\\t]*)+/\n%indent newline=NL indent=IN dedent=DE tab=8\n",
     {"x\n  x\n  x\n    x\nx\n", "x\n\n x\n  x\n   x\n x\nx\n x\n", "x\nx\n\tx\n        x\ne\nx\n",
      "x\n x\n  x\n e\n x\n  x\ne\n"}},
	{"blocks whose last line may lack",
     "start: s+\ns: p NL | q NL IN s+ DE | r NL IN s+ e DE\np: \"x\"\nq: \"x\"\nr: \"x\"\ne: \"y\" NL\nNL: /(\\n[ "
     "\\t]*)+/\n"
     "%indent newline=NL indent=IN dedent=DE tab=8 end=newline\n",
     {"x\n  x\n  y\nx", "x\n x\n y", "x\n  x\n    x", "x\n x\n  x\n  y\nx\n x\n"}},
};

// Texts byte by byte, one a sequence, as far as the host takes them. A limit is met exactly where there are too many
// stacks.
static void feed(struct walk *w, const char *const *texts)
{
	int32_t by_byte[256], *tokens = w->tokens.host, expected[SEQUENCES];
	size_t at[SEQUENCES] = {0};
	bool moves = true;
	for (uint32_t i = 0; i < 256; i++) by_byte[i] = -1;
	for (uint32_t t = 0; t < w->info.n_tokens; t++) {
		uint32_t len;
		const uint8_t *bytes = gcdc_artifact_token(w->artifact, t, &len);
		if (len == 1) by_byte[bytes[0]] = (int32_t)t;
	}
	for (uint64_t step = 0; moves && !w->stop; step++) {
		moves = false;
		for (uint32_t i = 0; i < SEQUENCES; i++) {
			const char *text = i < 4 && texts[i] ? texts[i] : "";
			bool goes_on = text[at[i]] && !w->failed[i];
			tokens[i] = goes_on ? by_byte[(uint8_t)text[at[i]++]] : -1;
			expected[i] = goes_on ? gcdc_matcher_accept(w->m[i], (uint32_t)tokens[i]) : status_now(w->m[i]);
			CHECK(!expected[i], "%s: '%s' is not taken beyond %zu bytes", w->name, text, at[i]);
			moves = moves || goes_on;
			all.accepted += goes_on;
		}
		bool failed[SEQUENCES];
		memcpy(failed, w->failed, sizeof failed);
		step_and_compare(w, expected, step);
		for (uint32_t i = 0; i < SEQUENCES; i++) {
			uint32_t stacks = count_stacks(w->m[i]);
			if (w->failed[i] != failed[i])
				CHECK(stacks > GCDC_CUDA_MAX_READINGS, "%s: '%s' leaves the device with %u stacks", w->name, texts[i],
				      stacks);
			else
				CHECK(failed[i] || stacks <= GCDC_CUDA_MAX_READINGS, "%s: %u stacks are on the device", w->name,
				      stacks);
		}
	}
}

static void walk_choices(struct rng *rng, size_t i, uint64_t steps)
{
	struct subject s;
	struct walk w;
	struct tally before = all;
	subject_of_text(&s, with_choices[i].name, with_choices[i].text, NULL);
	CHECK(s.info.has_choices, "%s: no conflict stays", with_choices[i].name);
	if (!gcdc_artifact_section(s.engine.artifact, SECTION_STEP_INFO, NULL)) {
		gcdc_cuda_batch *none;
		gcdc_status status = gcdc_cuda_batch_new(s.table, &(gcdc_cuda_batch_options){.n = 1, .budgets = true}, &none);
		CHECK(status == GCDC_ERR_UNSUPPORTED && !none, "%s: budgets that the host works out", with_choices[i].name);
		all.without_steps++;
	}
	if (walk_open(&w, rng, with_choices[i].name, s.engine.artifact, s.table, 0)) {
		feed(&w, with_choices[i].texts);
		for (uint32_t k = 0; k < SEQUENCES; k++) {
			gcdc_matcher_reset(w.m[k]);
			come_back(&w, k);
		}
		random_walk(&w, steps);
		walk_close(&w);
	}
	uint64_t n = all.with_choices - before.with_choices, passed = all.passed - before.passed;
	CHECK(all.with_stacks > before.with_stacks, "%s: never several stacks", with_choices[i].name);
	CHECK(passed * 5 < n, "%s: %llu positions, and %llu times more readings than the device keeps",
	      with_choices[i].name, (unsigned long long)n, (unsigned long long)passed);
	printf("%s: %llu positions, %llu of them with several stacks; %llu times more than the device keeps\n",
	       with_choices[i].name, (unsigned long long)n, (unsigned long long)(all.with_stacks - before.with_stacks),
	       (unsigned long long)passed);
	subject_close(&s);
}

// No token ends texts: one that nothing may follow is over, in the step that makes it so, behind it, and when it is
// set.
static void walk_without_eos(struct rng *rng)
{
	static const char *const texts[4] = {"abc", "abd", "ab", "abc"};
	struct subject s;
	struct walk w;
	uint64_t before = all.over;
	subject_of_text(&s, "without EOS", "start: \"ab\" [\"c\"] | \"abd\"\n",
	                &(struct vocab_options){.ends = VOCAB_ENDS_NONE});
	if (!walk_open(&w, rng, "without EOS", s.engine.artifact, s.table, 0)) exit(1);
	feed(&w, texts);
	CHECK(all.over > before + 3, "three texts are over");
	for (uint32_t i = 0; i < SEQUENCES; i++) MUST(gcdc_cuda_batch_set(w.batch, i, w.m[i], NULL));
	int32_t expected[SEQUENCES] = {0}, *tokens = w.tokens.host;
	for (uint32_t i = 0; i < SEQUENCES; i++) tokens[i] = -1;
	step_and_compare(&w, expected, 0);
	for (uint32_t i = 0; i < SEQUENCES; i++) tokens[i] = 0, expected[i] = gcdc_matcher_accept(w.m[i], 0);
	step_and_compare(&w, expected, 1);
	for (uint32_t i = 0; i < SEQUENCES; i++) gcdc_matcher_reset(w.m[i]);
	random_walk(&w, 40);
	walk_close(&w);
	subject_close(&s);
}

// The pattern with 400 times the byte behind each '%'.
static char *spell(const char *pattern)
{
	char *text = mem_calloc(1, 2000), *at = text;
	for (; *pattern; pattern++) {
		if (*pattern != '%')
			*at++ = *pattern;
		else
			memset(at, *++pattern, 400), at += 400;
	}
	return text;
}

// Repetitions that are counted: to their bound, and beside another terminal.
static void walk_counted(struct rng *rng, uint64_t steps)
{
	static const struct {
		const char *text, *patterns[4];
	} all_counted[] = {
		{"start: (A | B)*\nA: /<[a-z]{3,400}>/\nB: /\\((x|yz){2,402};\\)/\n",
	     {"<%a>(xx;)", "<abc>(yz%xx;)", "<", "(x"}},
		{"start: (p \"!\" | q \"?\")*\np: N\nq: N\nN: /<[a-z]{1,401}>/\n", {"<c>!<%a>?", "<%cd>!<a>!", "<aa>?"}},
	};
	for (size_t i = 0; i < sizeof all_counted / sizeof *all_counted; i++) {
		struct subject s;
		struct walk w;
		char *texts[4] = {NULL};
		for (size_t k = 0; k < 4 && all_counted[i].patterns[k]; k++) texts[k] = spell(all_counted[i].patterns[k]);
		subject_of_text(&s, "counted", all_counted[i].text, NULL);
		CHECK(gcdc_artifact_section(s.engine.artifact, SECTION_COUNTERS, NULL), "counted %zu: nothing is", i);
		if (!walk_open(&w, rng, "counted", s.engine.artifact, s.table, 0)) exit(1);
		feed(&w, (const char *const *)texts);
		for (uint32_t k = 0; k < SEQUENCES; k++) gcdc_matcher_reset(w.m[k]);
		random_walk(&w, steps);
		walk_close(&w);
		subject_close(&s);
		for (size_t k = 0; k < 4; k++) free(texts[k]);
	}
}

static void walk_random_grammar(struct rng *rng, uint64_t round, enum random_kind kind)
{
	struct lark lark = {.kind = kind};
	struct words words = {0};
	struct grammar g;
	struct vocab v;
	struct engine e;
	struct diag d = {0};
	struct arena arena = {0};
	char name[60];
	snprintf(name, sizeof name, "random grammar %llu", (unsigned long long)round);
	random_grammar(rng, &lark);
	char *text = lark_text(&lark, &arena);
	if (grammar_parse("random.lark", text, strlen(text), NULL, &d, &g)) {
		random_words(rng, &lark, &g, &words);
		words_vocab(&words, &v);
		if (engine_compile(&g, &v, &d, &e) == ENGINE_OK) {
			gcdc_cuda_table *table;
			struct walk w;
			uint64_t before = failures;
			MUST(gcdc_cuda_table_new(e.artifact, NULL, &table));
			if (walk_open(&w, rng, name, e.artifact, table, 0)) {
				w.is_random = true;
				random_walk(&w, 25);
				walk_close(&w);
			}
			if (failures != before) printf("the grammar (%s):\n%s\n", random_kind_names[lark.kind], text);
			gcdc_cuda_table_free(table);
		}
		engine_release(&e);
		vocab_release(&v);
		grammar_release(&g);
	}
	diag_release(&d);
	arena_release(&arena);
	vec_release(&words.at);
	lark_release(&lark);
}

// Brackets deeper than the batch's bound: the sequence fails, allows nothing or is left alone, and comes back when set.
static void bounds(struct rng *rng)
{
	struct subject s;
	struct walk w;
	subject_open(&s, "grammars/json/json.lark", 0);
	if (!walk_open(&w, rng, "bounds", s.engine.artifact, s.table, 20)) exit(1);
	int32_t bracket = -1, *tokens = w.tokens.host, statuses[SEQUENCES];
	for (uint32_t t = 0; t < w.info.n_tokens; t++) {
		uint32_t len;
		const uint8_t *bytes = gcdc_artifact_token(w.artifact, t, &len);
		if (len == 1 && bytes[0] == '[') bracket = (int32_t)t;
	}
	gcdc_cuda_masks masks = {.n_rows = SEQUENCES, .batch = w.batch, .tokens = w.tokens.device};
	gcdc_cuda_logits logits = {w.logits.device, GCDC_CUDA_F32, w.width, w.width, NULL};
	uint32_t depth = 0, failed_at = 0;
	uint32_t *x = w.logits.host;
	for (uint32_t step = 1; step < 40; step++) {
		for (uint32_t i = 0; i < SEQUENCES; i++) tokens[i] = i == 3 ? bracket : -1;
		masks.keep_failed = step % 2;
		twin_push(&w.tokens);
		MUST(device_clear(w.logits.device, 0, w.logits.size, NULL));
		MUST(gcdc_cuda_apply(&masks, &logits, NULL));
		twin_pull(&w.logits);
		MUST(device_read(statuses, gcdc_cuda_batch_statuses(w.batch), sizeof statuses, NULL));
		if (!failed_at) {
			if (gcdc_matcher_accept(w.m[3], (uint32_t)bracket)) FAIL("no bracket");
			gcdc_matcher_reading(w.m[3], 0, NULL, NULL, 0, &depth);
			if (depth > 21) failed_at = step;
		}
		CHECK(statuses[3] == (failed_at ? GCDC_ERR_LIMIT : GCDC_OK), "step %u: status %d", step, statuses[3]);
		CHECK(statuses[2] == GCDC_OK && statuses[4] == GCDC_OK, "others are not touched");
		uint32_t open = 0;
		for (uint32_t k = 0; k < w.width; k++) open += x[(size_t)3 * w.width + k] == 0;
		if (failed_at) CHECK(open == (masks.keep_failed ? w.width : 0), "a failed row has %u logits left", open);
	}
	CHECK(failed_at > 3 && failed_at < 30, "the bound is met at %u", failed_at);
	CHECK(gcdc_cuda_batch_set(w.batch, 3, w.m[3], NULL) == GCDC_ERR_LIMIT, "too deep to be set");
	MUST(gcdc_matcher_rollback(w.m[3], 2));
	MUST(gcdc_cuda_batch_set(w.batch, 3, w.m[3], NULL));
	int32_t expected[SEQUENCES] = {0};
	for (uint32_t i = 0; i < SEQUENCES; i++) tokens[i] = -1;
	step_and_compare(&w, expected, 0);
	// What is not right is refused.
	gcdc_cuda_batch *none;
	MUST(gcdc_matcher_set_budget(w.m[5], 50, true, NULL));
	MUST(gcdc_cuda_batch_set(w.batch, 5, w.m[5], NULL));
	MUST(gcdc_cuda_batch_new(s.table, &(gcdc_cuda_batch_options){.n = 1}, &none));
	CHECK(gcdc_cuda_batch_set(none, 0, w.m[5], NULL) == GCDC_ERR_UNSUPPORTED, "a budget, and no room for it");
	gcdc_cuda_batch_free(none);
	uint32_t stop = 0, n_stops = 0;
	while (stop < w.info.n_tokens && !n_stops) {
		gcdc_status unused = gcdc_matcher_set_stop_tokens(w.m[6], &stop, 1);
		(void)unused;
		gcdc_matcher_stop_tokens(w.m[6], &n_stops);
		stop++;
	}
	CHECK(n_stops == 1, "no token can be a stop token");
	CHECK(gcdc_cuda_batch_set(w.batch, 6, w.m[6], NULL) == GCDC_ERR_UNSUPPORTED, "stop tokens");
	MUST(gcdc_matcher_set_stop_tokens(w.m[6], NULL, 0));
	gcdc_cuda_table *only_masks;
	MUST(gcdc_cuda_table_new(s.engine.artifact, &(gcdc_cuda_table_options){.only_masks = true}, &only_masks));
	CHECK(gcdc_cuda_batch_new(only_masks, &(gcdc_cuda_batch_options){.n = 1}, &none) == GCDC_ERR_ARGUMENT,
	      "a table of masks only");
	CHECK(gcdc_cuda_batch_new(s.table, &(gcdc_cuda_batch_options){.n = 0}, &none) == GCDC_ERR_ARGUMENT, "no sequences");
	CHECK(gcdc_cuda_batch_set(w.batch, SEQUENCES, w.m[0], NULL) == GCDC_ERR_ARGUMENT, "no such sequence");
	masks.n_rows = SEQUENCES + 1;
	CHECK(gcdc_cuda_apply(&masks, &logits, NULL) == GCDC_ERR_ARGUMENT, "more rows than sequences");
	gcdc_cuda_table_free(only_masks);
	walk_close(&w);
	subject_close(&s);
}

static int walk_artifact(struct rng *rng, const char *path, const char *texts, uint64_t steps)
{
	gcdc_artifact *artifact;
	gcdc_cuda_table *table;
	gcdc_refusal why;
	struct walk w;
	if (gcdc_artifact_open(path, NULL, &artifact, &why)) return printf("%s: %s\n", path, why.what), 1;
	MUST(gcdc_cuda_table_new(artifact, NULL, &table));
	if (walk_open(&w, rng, path, artifact, table, 0)) {
		random_walk(&w, steps);
		walk_close(&w);
		if (texts) walk_folder(rng, artifact, table, texts);
	} else {
		printf("%s: not for the device\n", path);
	}
	gcdc_cuda_table_free(table);
	gcdc_artifact_close(artifact);
	return 0;
}

int main(int argc, char **argv)
{
	struct testing t = testing_begin(argc, argv, 250);
	struct rng rng = {t.seed};
	const char *path = NULL, *texts = NULL;
	engine_costs = 2;
	for (int i = 1; i + 1 < argc; i++)
		if (!strcmp(argv[i], "--artifact"))
			path = argv[i + 1];
		else if (!strcmp(argv[i], "--texts"))
			texts = argv[i + 1];
	if (path) {
		if (walk_artifact(&rng, path, texts, t.rounds)) return 1;
	} else {
		walk_subject(&rng, "grammars/json/json.lark", 150);
		engine_costs = 0;  // those of languages take long, and are not for the device
		walk_subject(&rng, "tests/oracle/grammars/minic.lark", 60);
		walk_subject(&rng, "tests/oracle/grammars/pascal.lark", 60);
		walk_subject(&rng, "tests/oracle/grammars/sql.lark", 60);
		engine_costs = 2;
		walk_texts(&rng, "grammars/json/json.lark", "grammars/json/accept");
		walk_texts(&rng, "grammars/calc/calc.lark", "grammars/calc/accept");
		walk_without_eos(&rng);
		walk_counted(&rng, t.rounds);
		walk_texts(&rng, "grammars/c_subset/c_subset.lark", "grammars/c_subset/accept");
		for (size_t i = 0; i < sizeof with_choices / sizeof *with_choices; i++) walk_choices(&rng, i, 60);
		for (uint64_t i = 0; i < t.rounds; i++) walk_random_grammar(&rng, i, i % 4 ? KIND_ANY : KIND_INDENT);
		for (uint64_t i = 0; i < t.rounds / 3; i++) walk_random_grammar(&rng, t.rounds + i, KIND_BLANKS);
		bounds(&rng);
		CHECK(all.without_steps && all.with_budget > 100, "no budgets, or none refused");
		CHECK(all.removed > 10 && (all.left_out > 10 || t.rounds < 100),
		      "%llu rows leave tokens out, %llu such tokens tried", (unsigned long long)all.removed,
		      (unsigned long long)all.left_out);
	}
	if (all.passed > all.with_choices / 50)
		FAIL("%llu times more readings than the device keeps", (unsigned long long)all.passed);
	if (all.limited > t.rounds / 50)
		FAIL("%llu of %llu random grammars pass a bound of the device", (unsigned long long)all.limited,
		     (unsigned long long)t.rounds);
	printf("%llu budgets, %llu positions under one\n", (unsigned long long)all.budgets,
	       (unsigned long long)all.with_budget);
	printf("%llu positions, %llu bits, %llu accepted, %llu refused, %llu after the end, up to %llu readings; %llu "
	       "grammars not for "
	       "the device, %llu passed a bound; with conflicts: %llu positions, %llu of them with several stacks, up to "
	       "%llu; %llu "
	       "times more than the device keeps\n",
	       (unsigned long long)all.positions, (unsigned long long)all.bits, (unsigned long long)all.accepted,
	       (unsigned long long)all.refused, (unsigned long long)all.ended, (unsigned long long)all.most_readings,
	       (unsigned long long)all.unsupported, (unsigned long long)all.limited, (unsigned long long)all.with_choices,
	       (unsigned long long)all.with_stacks, (unsigned long long)all.most_stacks, (unsigned long long)all.passed);
	return testing_end("the matcher on the device");
}
