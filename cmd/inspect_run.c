// The tables of gcdc inspect (the list in inspect.h), and the rows of one of them.
//
// In:   a table, filters. Out: its rows as text, or a JSON array. Cost: the table's.
#include "inspect.h"

#define X(name, flags, about) {#name, flags, inspect_##name, about},
const struct inspect_table inspect_tables[] = {INSPECT_TABLES(X)};
#undef X
#define N_TABLES (sizeof inspect_tables / sizeof *inspect_tables)
_Static_assert(N_TABLES <= INSPECT_MAX_TABLES, "tables");
const uint32_t inspect_n_tables = N_TABLES;

int inspect_run(struct inspect *x, const struct inspect_table *table)
{
	x->n_rows = x->n_shown = 0;
	x->at_first = x->most_bytes ? (uint64_t)ftell(x->out) : 0;
	if (x->is_json) json_array(&x->json);
	int code = table->run(x);
	if (x->is_json)
		json_close(&x->json);
	else
		rows_finish(x);
	return code;
}
