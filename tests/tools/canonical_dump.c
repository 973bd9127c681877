// canonical_dump TOKENIZER.json: sizes of its canonical tables, one "name value" a line.
#include "../../lib/canonical/canonical.h"

int main(int argc, char **argv)
{
	struct diag d = {0};
	struct vocab v = {0};
	struct canonical c;
	struct canonical_stats s;
	struct encoder *e = NULL;
	if (argc != 2) return 2;
	bool good =
		vocab_load(argv[1], NULL, &d, &v) && (e = encoder_load(argv[1], &d)) && canonical_build(e, &v, &d, &c, &s);
	if (good) {
		const struct artifact_canon *i = &c.info;
		printf("tokens %u\nplaces %u\njoins %u\npatches %u\nclasses %u\npages %u\nkinds %u\ngroups %u\nsets "
		       "%u\nadded_nodes %u\n"
		       "split_nodes %u\nbad %u\nleft %u\nmarks %u\nstates %u\notherwise %u\nirregular %u\nunreachable "
		       "%u\nseconds %.3f\n",
		       v.n_tokens, i->n_places, i->n_joins, i->n_patches, i->n_classes, i->n_pages, i->n_kinds, i->n_groups,
		       i->n_sets, i->n_added, i->n_splits, i->n_bad, i->n_left, i->n_marks, s.n_states, s.n_otherwise,
		       s.n_irregular, s.n_unreachable, s.seconds);
		canonical_release(&c);
	}
	diag_print(&d, stderr);
	encoder_free(e);
	vocab_release(&v);
	diag_release(&d);
	return !good;
}
