// An artifact's tables, read through functions.
//
// In:  an opened artifact: its sections have passed all checks, so indices that come from tables are in range.
// Out: names, actions, transitions, sets. Whoever changes the encoding of a section changes the function here that
// reads it, and nothing else in cmd/. Cost: O(1) each, but view_symbol_between: O(symbols).
#include "artifact_view.h"

#include <string.h>

#include "base/mem.h"
#include "gcdc/show.h"

static const char *const codec_names[] = {
	[ARTIFACT_RAW] = "raw",
	[ARTIFACT_ZSTD] = "zstd",
	[ARTIFACT_ZSTD_DELTA] = "zstd_delta",
	[ARTIFACT_ZSTD_PLANES] = "zstd_planes",
	[ARTIFACT_ZSTD_ROWS] = "zstd_rows",
	[ARTIFACT_ZSTD_STEPS] = "zstd_steps",
	[ARTIFACT_ZSTD_LISTS] = "zstd_lists",
	[ARTIFACT_ZSTD_NEAR] = "zstd_near",
};

const char *view_section_name(uint32_t id)
{
	const char *name = gcdc_section_name(id);
	return name ? name : "unknown";
}
const char *view_codec_name(uint32_t codec)
{
	return codec < sizeof codec_names / sizeof *codec_names ? codec_names[codec] : "?";
}

static void find_rests(struct artifact_view *v)
{
	v->rests = mem_calloc(v->info->n_lr_states, sizeof *v->rests);
	v->rests[1] = 1;
	for (uint32_t s = 1; s < v->info->n_lr_states; s++)
		for (uint32_t t = 0; t < v->info->n_terminals; t++) {
			const uint32_t *actions;
			uint32_t n = view_actions(v, s, t, &actions);
			for (uint32_t i = 0; i < n; i++)
				if (ACTION_IS_SHIFT(actions[i])) v->rests[actions[i] >> 1] = 1;
		}
}

bool view_of(struct artifact_view *v, const char *path, gcdc_artifact *artifact)
{
	*v = (struct artifact_view){.path = path, .artifact = artifact};
	for (uint32_t id = 0; id <= SECTION_TOKEN_BYTES; id++)
		v->section[id] = gcdc_artifact_section(v->artifact, id, NULL);
	v->info = v->section[SECTION_INFO];
	return v->info;
}

int view_open(struct artifact_view *v, const char *command, const char *path, const char *vocab_path)
{
	*v = (struct artifact_view){.path = path};
	int code = cli_open(command, path, vocab_path, &v->artifact);
	if (code) return code;
	if (!view_of(v, path, v->artifact))
		return cli_error(CODE_INTERNAL, command, "%s: the tables of the artifact cannot be read", path);
	find_rests(v);
	return CODE_OK;
}

void view_close(struct artifact_view *v)
{
	gcdc_artifact_close(v->artifact);
	free(v->rests);
	*v = (struct artifact_view){0};
}

uint32_t view_sections(const struct artifact_view *v, struct artifact_section sections[ARTIFACT_MAX_SECTIONS])
{
	struct artifact_header header;  // opening has found it and the table to be right
	uint32_t n = 0;
	FILE *f = fopen(v->path, "rb");
	if (!f) return 0;
	if (fread(&header, sizeof header, 1, f) == 1 && header.n_sections <= ARTIFACT_MAX_SECTIONS)
		n = (uint32_t)fread(sections, sizeof *sections, header.n_sections, f);
	fclose(f);
	return n;
}

uint32_t view_token_of(const struct artifact_view *v, const void *text, size_t len)
{
	for (uint32_t t = 0; t < v->info->n_tokens; t++) {
		uint32_t n;
		const uint8_t *bytes = gcdc_artifact_token(v->artifact, t, &n);
		if (n && n == len && !memcmp(bytes, text, n)) return t;
	}
	return GCDC_NONE;
}

// ---- Names and productions.
static const char *string_at(const struct artifact_view *v, uint32_t at)
{
	return (const char *)v->section[SECTION_STRINGS] + at;
}

const struct artifact_terminal *view_terminal(const struct artifact_view *v, uint32_t t)
{
	return (const struct artifact_terminal *)v->section[SECTION_TERMINAL] + t;
}
const char *view_terminal_name(const struct artifact_view *v, uint32_t t)
{
	return t < v->info->n_terminals ? string_at(v, view_terminal(v, t)->name) : "$end";
}
const char *view_terminal_pattern(const struct artifact_view *v, uint32_t t)
{
	return string_at(v, view_terminal(v, t)->pattern);
}
bool view_is_ignored(const struct artifact_view *v, uint32_t t)
{
	return t < v->info->n_terminals && view_terminal(v, t)->flags & TERMINAL_IGNORED;
}
const char *view_nonterminal_name(const struct artifact_view *v, uint32_t nonterminal)
{
	return string_at(v, ((const uint32_t *)v->section[SECTION_NONTERMINAL])[nonterminal]);
}
const char *view_symbol_name(const struct artifact_view *v, uint32_t symbol)
{
	uint32_t n = v->info->n_terminals;
	return symbol < n ? view_terminal_name(v, symbol) : view_nonterminal_name(v, symbol - n);
}
struct view_production view_production(const struct artifact_view *v, uint32_t p)
{
	const struct artifact_production *y = (const struct artifact_production *)v->section[SECTION_PRODUCTION] + p;
	return (struct view_production){y->lhs, y->length, (const uint32_t *)v->section[SECTION_SYMBOL] + y->symbols};
}
bool view_context_has(const struct artifact_view *v, uint32_t context, uint32_t t)
{
	size_t words = (v->info->n_terminals + 31) / 32;
	const uint32_t *set = (const uint32_t *)v->section[SECTION_CONTEXT] + context * words;
	return t < v->info->n_terminals && set[t / 32] >> t % 32 & 1;
}

// ---- Lexer.
const struct artifact_lex_state *view_lex_state(const struct artifact_view *v, uint32_t q)
{
	return (const struct artifact_lex_state *)v->section[SECTION_LEX_STATE] + q;
}
uint32_t view_lex_next(const struct artifact_view *v, uint32_t q, uint8_t byte)
{
	const uint32_t *next = v->section[SECTION_LEX_NEXT];
	uint32_t x = next[(size_t)q * v->info->n_classes + v->info->class_of[byte]];
	return x & LEX_COUNTED ? x & LEX_STATE_MASK : x;
}
uint32_t view_lex_start(const struct artifact_view *v, uint32_t obligation, uint32_t context)
{
	return ((const uint32_t *)v->section[SECTION_LEX_START])[(size_t)obligation * v->info->n_contexts + context];
}

// ---- Parser.
static const struct artifact_lr_state *lr_state_at(const struct artifact_view *v, uint32_t s)
{
	return (const struct artifact_lr_state *)v->section[SECTION_LR_STATE] + s;
}
uint32_t view_context_of(const struct artifact_view *v, uint32_t lr_state) { return lr_state_at(v, lr_state)->context; }

static const uint32_t *action_at(const struct artifact_view *v, uint32_t s, uint32_t t)
{
	static const uint32_t none = 0;
	const struct artifact_lr_state *state = lr_state_at(v, s);
	const struct artifact_cell *x = (const struct artifact_cell *)v->section[SECTION_LR_ACTION] + state->action_row + t;
	if (x->column == t) return &x->value;
	const uint32_t n = v->info->n_terminals;
	return t < n && artifact_bit(v->section[SECTION_CONTEXT], state->context, n, t) ? &state->reduction : &none;
}
bool view_is_choice(const struct artifact_view *v, uint32_t s, uint32_t t)
{
	return ACTION_IS_CHOICE(*action_at(v, s, t));
}
uint32_t view_actions(const struct artifact_view *v, uint32_t s, uint32_t t, const uint32_t **actions)
{
	const uint32_t *x = action_at(v, s, t);
	*actions = x;
	if (!ACTION_IS_CHOICE(*x)) return *x != 0;
	const uint32_t *list = (const uint32_t *)v->section[SECTION_CHOICE] + (*x & ACTION_CHOICE_MASK);
	*actions = list + 1;
	return list[0];
}
uint32_t view_goto(const struct artifact_view *v, uint32_t s, uint32_t nonterminal)
{
	return artifact_cell_value(v->section[SECTION_LR_GOTO], lr_state_at(v, s)->goto_row, nonterminal, 0);
}
uint32_t view_symbol_between(const struct artifact_view *v, uint32_t below, uint32_t above)
{
	for (uint32_t t = 0; t < v->info->n_terminals; t++) {
		const uint32_t *actions;
		uint32_t n = view_actions(v, below, t, &actions);
		for (uint32_t i = 0; i < n; i++)
			if (ACTION_IS_SHIFT(actions[i]) && actions[i] >> 1 == above) return t;
	}
	for (uint32_t a = 0; a < v->info->n_nonterminals; a++)
		if (view_goto(v, below, a) == above) return v->info->n_terminals + a;
	return ARTIFACT_NONE;
}

// ---- What is allowed.
static struct artifact_start start_at(const struct artifact_view *v, size_t row)
{
	return ((const struct artifact_start *)v->section[SECTION_START])[row];
}
bool view_start(const struct artifact_view *v, uint32_t lex_state, uint32_t lr_state, struct artifact_start *start)
{
	const struct artifact_lr_state *s = lr_state_at(v, lr_state);
	const uint32_t base = artifact_start_base_of(view_lex_state(v, lex_state), v->section[SECTION_START_BASE],
	                                             v->section[SECTION_LIVE], v->info->n_contexts, s->context);
	if (base == ARTIFACT_NONE || !v->rests[lr_state]) return false;
	*start = start_at(v, (size_t)base + s->rank);
	return true;
}
static struct artifact_target target_at(const struct artifact_view *v, uint32_t i)
{
	return ((const struct artifact_target *)v->section[SECTION_TARGET])[i];
}
static const struct artifact_node *node_at(const struct artifact_view *v, uint32_t node)
{
	return (const struct artifact_node *)v->section[SECTION_NODE] + node;
}
struct view_node view_node(const struct artifact_view *v, uint32_t node)
{
	const struct artifact_node *n = node_at(v, node);
	return (struct view_node){n->skip, n->n, target_at(v, n->other)};
}
struct view_edge view_edge(const struct artifact_view *v, uint32_t node, uint32_t i)
{
	size_t at = (size_t)node_at(v, node)->first + i;
	return (struct view_edge){((const uint16_t *)v->section[SECTION_EDGE_FRAME])[at],
	                          target_at(v, ((const uint32_t *)v->section[SECTION_EDGE])[at])};
}
struct artifact_set view_set(const struct artifact_view *v, uint32_t set)
{
	return ((const struct artifact_set *)v->section[SECTION_SET])[set];
}
bool view_set_has(const struct artifact_view *v, uint32_t set, uint32_t token)
{
	gcdc_set s;
	if (!gcdc_artifact_set(v->artifact, set, &s)) return false;
	bool has = s.bits && s.bits[token / 32] >> token % 32 & 1;
	for (uint32_t i = 0; i < s.n; i++) has ^= s.tokens[i] == token;
	return has;
}
void view_set_tokens(const struct artifact_view *v, uint32_t set, bool (*each)(void *to, uint32_t token), void *to)
{
	gcdc_set s;
	if (!gcdc_artifact_set(v->artifact, set, &s)) return;
	uint32_t i = 0;  // the row's, in which the listed ones are flipped
	for (uint32_t w = 0; w < v->info->mask_words; w++) {
		uint32_t bits = s.bits ? s.bits[w] : 0;
		for (; i < s.n && s.tokens[i] / 32 == w; i++) bits ^= 1u << s.tokens[i] % 32;
		for (; bits; bits &= bits - 1)
			if (!each(to, w * 32 + (uint32_t)__builtin_ctz(bits))) return;
	}
}

// ---- Lines.
struct artifact_blank view_blank(const struct artifact_view *v, uint32_t row)
{
	return ((const struct artifact_blank *)v->section[SECTION_BLANK])[row];
}
uint32_t view_line_top(const struct artifact_view *v, uint32_t lr_state)
{
	return v->info->n_lines ? ((const uint32_t *)v->section[SECTION_LINE_TOP])[lr_state] : ARTIFACT_NONE;
}
struct artifact_start view_line_start(const struct artifact_view *v, uint32_t line, uint32_t row, uint32_t top)
{
	const struct artifact_info *i = v->info;
	return start_at(v, i->line_start + ((size_t)line * i->n_blanks + row) * i->n_line_tops + top);
}
