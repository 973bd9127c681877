// inspect: the files that the artifact was made from.
//
// In:  an artifact's provenance, where it was compiled with one. Out: a row for each file; 'gcdc verify' compares them.
// Cost: reading the file once.
#include "inspect.h"
#include "api/provenance.h"

int inspect_provenance(struct inspect *x)
{
	struct arena arena = {0};
	struct provenance p;
	const char *wrong;
	bool has = provenance_read(x->view.path, &arena, &p, &wrong);
	if (wrong) cli_note("inspect", "%s: %s", x->view.path, wrong);
	for (uint32_t i = 0; i < p.files.n && has; i++) {
		if (!row_begin(x)) continue;
		row_string(x, "role", p.files.at[i].role == ROLE_GRAMMAR ? "grammar" : "tokenizer");
		row_bytes(x, "name", p.files.at[i].name, strlen(p.files.at[i].name));
		row_string(x, "sha256", p.files.at[i].sha256);
		row_end(x);
	}
	vec_release(&p.files);
	arena_release(&arena);
	return CODE_OK;
}
