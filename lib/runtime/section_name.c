// What the sections of an artifact are called, in messages and in what tools show.
//
// In:  a section's id. Out: a static name. Cost: a walk over the table.
#include "runtime_internal.h"
#include "gcdc/show.h"

static const struct { uint32_t id; const char *name; } names[] = {
	{SECTION_INFO, "info"}, {SECTION_STRINGS, "strings"}, {SECTION_TERMINAL, "terminals"},
	{SECTION_NONTERMINAL, "nonterminals"}, {SECTION_PRODUCTION, "productions"}, {SECTION_SYMBOL, "symbols"},
	{SECTION_LEX_NEXT, "lex_next"}, {SECTION_LEX_STATE, "lex_states"}, {SECTION_LEX_START, "lex_start"},
	{SECTION_CONTEXT, "contexts"}, {SECTION_LR_STATE, "lr_states"}, {SECTION_LR_ACTION, "lr_action"},
	{SECTION_LR_GOTO, "lr_goto"}, {SECTION_CHOICE, "choice"}, {SECTION_START_BASE, "start_base"},
	{SECTION_START, "starts"}, {SECTION_NODE, "nodes"}, {SECTION_EDGE_FRAME, "edge_frames"}, {SECTION_EDGE, "edges"},
	{SECTION_TARGET, "targets"}, {SECTION_SET, "sets"}, {SECTION_DENSE, "dense"}, {SECTION_SPARSE, "sparse"},
	{SECTION_BLANK, "blanks"}, {SECTION_LINE_TOP, "line_tops"}, {SECTION_EOS, "eos"},
	{SECTION_TOKEN_OFFSET, "token_offset"}, {SECTION_TOKEN_BYTES, "token_bytes"}, {SECTION_COST_INFO, "cost_info"},
	{SECTION_COST_ROW_OF, "cost_row_of"}, {SECTION_COST_ROW, "cost_rows"}, {SECTION_COST_EMIT, "cost_emits"},
	{SECTION_COST_ASK_AT, "cost_ask_at"}, {SECTION_COST_ASK, "cost_asks"}, {SECTION_COST_LIST, "cost_lists"},
	{SECTION_COST_STEP, "cost_steps"}, {SECTION_COST_BLANK, "cost_blanks"},
	{SECTION_COST_MOST, "cost_most"}, {SECTION_COST_RESIDUE, "cost_residues"}, {SECTION_COST_WAY_AT, "cost_way_at"},
	{SECTION_COST_WAY, "cost_ways"}, {SECTION_COST_OUTCOME, "cost_outcomes"}, {SECTION_COST_STAY, "cost_stays"},
	{SECTION_COST_CUT, "cost_cuts"}, {SECTION_COST_DEAREST, "cost_dearest"}, {SECTION_COST_LINE, "cost_lines"},
	{SECTION_COST_NARROW, "cost_narrow"}, {SECTION_CANON, "canon"}, {SECTION_CANON_PARTS, "canon_parts"},
	{SECTION_CANON_TIME, "canon_time"}, {SECTION_CANON_PLACE, "canon_place"}, {SECTION_CANON_AT, "canon_at"},
	{SECTION_CANON_FIRST, "canon_first"}, {SECTION_CANON_JOIN, "canon_join"}, {SECTION_CANON_PATCH, "canon_patch"},
	{SECTION_CANON_CLASS, "canon_class"}, {SECTION_CANON_PAGE, "canon_page"}, {SECTION_CANON_CHAR, "canon_char"},
	{SECTION_CANON_KIND, "canon_kind"}, {SECTION_CANON_STEP, "canon_step"}, {SECTION_CANON_SET, "canon_set"},
	{SECTION_CANON_ALLOW, "canon_allow"}, {SECTION_CANON_ADDED, "canon_added"}, {SECTION_CANON_SPLIT, "canon_split"},
	{SECTION_CANON_BAD, "canon_bad"}, {SECTION_CANON_JOINT, "canon_joint"}, {SECTION_CANON_MARK, "canon_mark"},
	{SECTION_CANON_WIDE, "canon_wide"}, {SECTION_CANON_ASK_AT, "canon_ask_at"}, {SECTION_CANON_ASK, "canon_ask"},
	{SECTION_CANON_NODE, "canon_node"}, {SECTION_REGEX, "regex"}, {SECTION_REGEX_STATE, "regex_state"},
	{SECTION_REGEX_SUSPECT, "regex_suspect"}, {SECTION_REGEX_DEAD, "regex_dead"},
	{SECTION_REGEX_ALIKE, "regex_alike"}, {SECTION_CANON_BYTES, "canon_bytes"}, {SECTION_CANON_CALM, "canon_calm"},
	{SECTION_CANON_ASK_CALM, "canon_ask_calm"}, {SECTION_PROVENANCE, "provenance"},
};

const char *gcdc_section_name(uint32_t id)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].id == id) return names[i].name;
	return NULL;
}
