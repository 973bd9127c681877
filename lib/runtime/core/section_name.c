// What the sections of an artifact are called, in messages and in what tools show.
//
// In:  a section's id. Out: a static name: its member in formats/sections.def behind its group's prefix. Cost: a walk
// over the table.
#include "runtime_internal.h"
#include "gcdc/show.h"

#define NAME_CORE(member) #member
#define NAME_VOCAB(member) #member
#define NAME_CONTROL(member) "control_" #member
#define NAME_STEP(member) "step_" #member
#define NAME_COUNTER(member) "counter_" #member
#define NAME_UNIQUE(member) "unique_" #member
#define NAME_KEPT(member) "kept_" #member
#define NAME_COST(member) "cost_" #member
#define NAME_CANON(member) "canon_" #member
#define NAME_TOKENIZER(member) "canon_" #member
#define NAME_LEXEMES(member) "canon_" #member
#define NAME_REGEX(member) "regex_" #member
#define NAME_NOTE(member) #member
#define NAME_SCHEMA(member) #member
#define NAME_FAR(member) "canon_" #member

static const struct {
	uint32_t id;
	const char *name;
} names[] = {
#define SECTION(id, NAME, member, type, count, codec, group, ...) {id, NAME_##group(member)},
#include "../../../formats/sections.def"
};

const char *gcdc_section_name(uint32_t id)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].id == id) return names[i].name;
	return NULL;
}
