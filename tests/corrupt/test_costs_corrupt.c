// The sections of costs: each field that is wrong is refused with its reason; forged ones that open are harmless.
#include "toy_costs.h"

static uint8_t *encoded(bool columns, size_t *len)
{
	struct vocab v = {0};
	struct compiled c;
	compile_with_costs(columns, &v, &c);
	uint8_t *out = toy_encode(&c, true, len);
	vocab_release(&v);
	return out;
}

static uint8_t *exactly(const uint8_t *bytes, size_t len)
{
	uint8_t *copy = malloc(len);
	memcpy(copy, bytes, len);
	return copy;
}

#define COST(field) SECTION_COST_INFO, offsetof(struct artifact_cost_info, field)
struct edit {
	const char *name;
	uint32_t section;
	size_t at;
	uint32_t value, refused;
	const char *words;
};
static const struct edit edits[] =
	{
		{"model", COST(model), 3, SECTION_COST_INFO, "model"},
		{"model 0", COST(model), 0, SECTION_COST_INFO, "model"},
		{"rows", COST(n_rows), 9999, SECTION_COST_ROW, "counts"},
		{"emits", COST(n_emits), UINT32_MAX, SECTION_COST_EMIT, "counts"},
		{"resumes", COST(n_resumes), UINT32_MAX - 1, SECTION_COST_INFO, "control"},
		{"controls", COST(n_controls), UINT32_MAX, SECTION_COST_INFO, "control"},
		{"asks", COST(n_transitions), 0, SECTION_COST_TRANSITION, "counts"},
		{"most", COST(most), UINT32_MAX, SECTION_COST_INFO, "COST_MAX_WEIGHT"},
		{"most too low", COST(most), 0, SECTION_COST_EMIT, "tokens"},
		{"blanks", COST(n_blanks), 1, SECTION_COST_BLANK, "counts"},
		{"flags", COST(flags), 8, SECTION_COST_INFO, "flags"},
		{"dedent", COST(dedent), 1 << 20, SECTION_COST_INFO, "dedent"},
		{"row of a lexer state", SECTION_COST_ROW_OF, 4, 9999, SECTION_COST_ROW_OF, "row"},
		{"first row", SECTION_COST_ROW, 0, 1, SECTION_COST_ROW, "first offset"},
		{"rows descend", SECTION_COST_ROW, 4, 1 << 30, SECTION_COST_ROW, "ascend"},
		{"emitted terminal", SECTION_COST_EMIT, 0, 99, SECTION_COST_EMIT, "terminal"},
		{"control of an emission", SECTION_COST_EMIT, 4, 1 << 20, SECTION_COST_EMIT, "control"},
		{"weight of an emission", SECTION_COST_EMIT, 8, 1 << 20, SECTION_COST_EMIT, "tokens"},
		{"first ask", SECTION_COST_TRANSITION_AT, 0, 1, SECTION_COST_TRANSITION_AT, "first offset"},
		{"control of a transition", SECTION_COST_TRANSITION, 0, 1 << 20, SECTION_COST_TRANSITION, "control"},
		{"list", SECTION_COST_TRANSITION, 4, 1 << 20, SECTION_COST_TRANSITION, "list"},
		{"steps of a list", SECTION_COST_LIST, 8, UINT32_MAX, SECTION_COST_LIST, "steps"},
		{"end of a list", SECTION_COST_LIST, 0, 1 << 20, SECTION_COST_LIST, "tokens"},
		{"frames down, none", SECTION_COST_STEP, 0, 0, SECTION_COST_STEP, "COST_MAX_POP"},
		{"frames down", SECTION_COST_STEP, 0, 1 << 17, SECTION_COST_STEP, "COST_MAX_POP"},
		{"control of a step", SECTION_COST_STEP, 4, 1 << 20, SECTION_COST_STEP, "control"},
		{"weight of a step", SECTION_COST_STEP, 8, 1 << 20, SECTION_COST_STEP, "tokens"},
		{"most from a lexer state", SECTION_COST_MOST, 4, 1 << 20, SECTION_COST_MOST, "tokens"},
		{"obligation", SECTION_COST_OBLIGATION, 0, 999, SECTION_COST_OBLIGATION, "obligation"},
		{"first way", SECTION_COST_WAY_AT, 0, 1, SECTION_COST_WAY_AT, "first offset"},
		{"remainder of a way", SECTION_COST_WAY, 0, 1 << 20, SECTION_COST_WAY, ""},
		{"outcome", SECTION_COST_WAY, 4, 1 << 20, SECTION_COST_WAY, "outcome"},
		{"stays of an outcome", SECTION_COST_OUTCOME, 4, UINT32_MAX, SECTION_COST_OUTCOME, "groups"},
		{"cuts of an outcome", SECTION_COST_OUTCOME, 12, UINT32_MAX, SECTION_COST_OUTCOME, "cuts"},
		{"row of a stay", SECTION_COST_STAY, 0, 9999, SECTION_COST_STAY, "row"},
		{"set of a stay", SECTION_COST_STAY, 4, 9999, SECTION_COST_STAY, "set"},
		{"terminal of a cut", SECTION_COST_CUT, 0, 99, SECTION_COST_CUT, "terminal"},
		{"remainder of a cut", SECTION_COST_CUT, 4, 9999, SECTION_COST_CUT, "remainder"},
		{"set of a cut", SECTION_COST_CUT, 8, 9999, SECTION_COST_CUT, "set"},
		{"dearest", SECTION_COST_DEAREST, 4, 1 << 20, SECTION_COST_DEAREST, "tokens"},
		{"no nodes of steps", SECTION_STEP_INFO, 0, 0, SECTION_STEP_NODE, "counts"},
		{"no steps", SECTION_STEP_INFO, offsetof(struct artifact_step_info, n_steps), 0, SECTION_STEP, "counts"},
		{"first edge of a node", SECTION_STEP_NODE, 0, 1, SECTION_STEP_NODE, "first edge"},
		{"a ladder without levels", SECTION_STEP_LADDER, 4, 0, SECTION_STEP_LADDER, "ladder"},
		{"one class", SECTION_STEP_INFO, offsetof(struct artifact_step_info, n_classes), 1, SECTION_STEP_CLASS,
         "counts"},
		{"first push of a class", SECTION_STEP_CLASS, 8, 1, SECTION_STEP_CLASS, "first push"},
		{"states of a class descend", SECTION_STEP_PUSH, 12, 0, SECTION_STEP_PUSH, "ascend"},
		{"a room without columns", COST(top_capacity), 1, SECTION_COST_INFO, "COST_MAX_CAPACITY"},
		{"narrow answers without columns", COST(n_low), 1, SECTION_COST_LOW, "counts"},
},
						 edits_of_columns[] = {
							 {"no room", COST(top_capacity), 0, SECTION_COST_INFO, "COST_MAX_CAPACITY"},
							 {"too much room", COST(top_capacity), 65, SECTION_COST_INFO, "COST_MAX_CAPACITY"},
							 {"narrow answers", COST(n_low), 1, SECTION_COST_LOW, "counts"},
							 {"capacity of an answer", SECTION_COST_LOW, 0, 2, SECTION_COST_LOW, "capacity"},
							 {"state of an answer", SECTION_COST_LOW, 4, 9999, SECTION_COST_LOW, "parser state"},
							 {"control of an answer", SECTION_COST_LOW, 8, 1 << 20, SECTION_COST_LOW, "control"},
							 {"list of an answer", SECTION_COST_LOW, 12, 1 << 20, SECTION_COST_LOW, "list"},
							 {"answers descend", SECTION_COST_LOW, 0, 1, SECTION_COST_LOW, "ascend"},
};

static void refused(bool columns, const struct edit *edit, size_t n)
{
	size_t len;
	uint8_t *good = encoded(columns, &len);
	gcdc_artifact *a;
	gcdc_refusal why;
	cr_assert_eq(gcdc_artifact_open_memory(good, len, NULL, &a, &why), GCDC_OK, "%s", why.what);
	gcdc_artifact_close(a);
	for (size_t i = 0; i < n; i++) {
		uint8_t *bytes = exactly(good, len);
		const struct artifact_section *row = abuse_row(bytes, edit[i].section);
		cr_assert(row->size >= edit[i].at + 4, "%s: the section is too small", edit[i].name);
		memcpy(bytes + row->offset + edit[i].at, &edit[i].value, 4);
		abuse_seal(bytes, len, true);
		gcdc_status status = gcdc_artifact_open_memory(bytes, len, NULL, &a, &why);
		cr_expect_eq(status, GCDC_ERR_FORMAT, "%s: %d", edit[i].name, status);
		if (status)
			cr_expect(why.section == edit[i].refused && strstr(why.what, edit[i].words), "%s: %s", edit[i].name,
			          why.what);
		gcdc_artifact_close(a);
		free(bytes);
	}
	free(good);
}

Test(costs_corrupt, every_field_is_refused_with_its_reason)
{
	refused(false, edits, sizeof edits / sizeof *edits);
	refused(true, edits_of_columns, sizeof edits_of_columns / sizeof *edits_of_columns);
}

// Groups of tokens that go on: the end of the text is told beside them, so EOS ids among them would not be told of.
Test(costs_corrupt, a_group_with_eos_is_refused)
{
	size_t len;
	uint8_t *bytes = encoded(false, &len);
	const struct artifact_set *sets = (const void *)(bytes + abuse_row(bytes, SECTION_SET)->offset);
	uint32_t k = 0, n = (uint32_t)(abuse_row(bytes, SECTION_SET)->size / sizeof *sets);
	while (k < n && !(sets[k].flags & SET_EOS)) k++;
	cr_assert_lt(k, n, "no set has EOS");
	const struct {
		uint32_t section;
		size_t at;
	} at[] = {{SECTION_STEP_LEVEL, offsetof(struct artifact_step_level, set)},
	          {SECTION_COST_STAY, offsetof(struct artifact_cost_stay, set)}};
	for (int i = 0; i < 2; i++) {  // groups are looked at before steps
		memcpy(bytes + abuse_row(bytes, at[i].section)->offset + at[i].at, &k, 4);
		abuse_seal(bytes, len, true);
		gcdc_artifact *a;
		gcdc_refusal why;
		gcdc_status status = gcdc_artifact_open_memory(bytes, len, NULL, &a, &why);
		cr_expect_eq(status, GCDC_ERR_FORMAT);
		if (status) cr_expect(why.section == at[i].section && strstr(why.what, "EOS"), "%s", why.what);
	}
	free(bytes);
}

// Without terminals the number of the last one wraps.
Test(costs_corrupt, a_terminal_is_refused_where_there_are_none)
{
	static const char *const tokens[] = {"", "[", "]", "a"};
	struct vocab v = {0};
	struct compiled c;
	TOY_VOCAB(tokens, &v);
	toy_compile("start: \"[\" start \"]\" | \"a\"\n", &v, &(struct compile_options){.costs = COMPILE_COSTS_EXACT}, &c);
	struct artifact_image *m = &c.image;
	struct artifact_info *i = &m->info;
	struct artifact_lex_state *lex = arena_array(&c.arena, i->n_lex_states, sizeof *lex);
	struct artifact_lr_state *lr = arena_array(&c.arena, i->n_lr_states, sizeof *lr);
	struct artifact_cost_outcome *outcomes = arena_array(&c.arena, m->cost_info.n_outcomes, sizeof *outcomes);
	for (uint32_t q = 0; q < i->n_lex_states; q++) lex[q].terminal = lex[q].start_most = ARTIFACT_NONE;
	memcpy(lr, m->lr_states, i->n_lr_states * sizeof *lr);
	for (uint32_t s = 0; s < i->n_lr_states; s++) lr[s].action_row = lr[s].reduction = 0;
	i->n_terminals = i->n_symbols = i->n_productions = 0, i->n_action_cells = 1;
	m->lex_states = lex, m->lr_states = lr, m->lr_action = arena_array(&c.arena, 1, sizeof *m->lr_action),
	m->cost_outcomes = outcomes;
	m->lex_next = arena_array(&c.arena, (size_t)i->n_lex_states * i->n_classes, 4);
	m->cost_info.n_cuts = 0;
	struct artifact_cost_emit *emits = arena_array(&c.arena, m->cost_info.n_emits, sizeof *emits);
	memcpy(emits, m->cost_emits, m->cost_info.n_emits * sizeof *emits);
	for (uint32_t k = 0; k < m->cost_info.n_emits; k++) emits[k].terminal = 1000;
	m->cost_emits = emits;
	size_t len;
	uint8_t *bytes = toy_encode(&c, true, &len);
	gcdc_artifact *a;
	gcdc_refusal why;
	gcdc_status status = gcdc_artifact_open_memory(bytes, len, NULL, &a, &why);
	cr_expect_eq(status, GCDC_ERR_FORMAT);
	if (status) cr_expect(why.section == SECTION_COST_EMIT && strstr(why.what, "terminal"), "%s", why.what);
	gcdc_artifact_close(a);
	free(bytes);
	vocab_release(&v);
}

// Everything that reads costs, without belief in what they say.
static void drive(gcdc_artifact *a, uint64_t *seed)
{
	gcdc_matcher *m, *f = NULL;
	gcdc_info info;
	gcdc_artifact_info(a, &info);
	uint32_t *mask = calloc(info.mask_words, 4), n, tokens[8];
	size_t found;
	if (gcdc_matcher_new(a, &(gcdc_matcher_options){.max_depth = 200, .max_stacks = 2000}, &m)) {
		free(mask);
		return;
	}
	for (int i = 0; i < 12; i++) {
		*seed = *seed * 6364136223846793005u + 1442695040888963407u;
		uint32_t r = (uint32_t)(*seed >> 33);
		gcdc_status status = gcdc_matcher_min_tokens(m, r & 1, &n);
		if (r % 3 == 0) status = gcdc_matcher_set_budget(m, r % 7 ? n + r % 5 : GCDC_NONE, r & 1, NULL);
		status = gcdc_matcher_fill(m, mask, info.mask_words, NULL);
		for (uint32_t k = 0; k < info.n_tokens && !status; k++) {
			uint32_t t = (k + r) % info.n_tokens;
			if (!(mask[t / 32] >> t % 32 & 1)) continue;
			status = gcdc_matcher_min_after(m, t, &n);
			status = gcdc_matcher_accept(m, t);
			break;
		}
		status = gcdc_matcher_close(m, tokens, 8, &found);
		if (r % 5 == 0 && !f) status = gcdc_matcher_fork(m, &f);
		if (r % 11 == 0) status = gcdc_matcher_rollback(m, 1);
		(void)status;
	}
	gcdc_matcher_free(f);
	gcdc_matcher_free(m);
	free(mask);
}

Test(costs_corrupt, forged_costs_are_refused_or_harmless, .timeout = 120)
{
	uint64_t seed = 11;
	uint32_t opened = 0, refused = 0;
	for (int columns = 0; columns < 2; columns++) {
		size_t len;
		uint8_t *good = encoded(columns, &len);
		for (int round = 0; round < 1500; round++) {
			uint8_t *bytes = exactly(good, len);
			for (int edit = 0; edit <= round % 3; edit++) {
				seed = seed * 6364136223846793005u + 1442695040888963407u;
				uint32_t r = (uint32_t)(seed >> 33);
				const struct artifact_section *x =
					abuse_row(bytes, SECTION_COST_INFO + r % (SECTION_COST_LOW - SECTION_COST_INFO + 1));
				if (!x || x->size < 4) continue;
				uint32_t *w = (uint32_t *)(void *)(bytes + x->offset) + r / 64 % (x->size / 4);
				*w = r / 4096 % 2 ? r / 8192 % 6 : *w ^ 1u << r / 8192 % 8;
			}
			abuse_seal(bytes, len, true);
			gcdc_artifact *a;
			gcdc_refusal why;
			if (gcdc_artifact_open_memory(bytes, len, NULL, &a, &why) == GCDC_OK)
				opened++, drive(a, &seed);
			else
				refused++;
			gcdc_artifact_close(a);
			free(bytes);
		}
		free(good);
	}
	cr_assert(opened > 300 && refused > 300, "%u opened, %u refused", opened, refused);
}
