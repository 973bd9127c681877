// Loads a vocabulary (tokenizer.json or .gcdv) and writes, for scripts/compare_encoder.py, one record a token in the
// order of the ids: u8 kind, u32 length, bytes; before them "n_tokens n_eos eos…\n". With a second argument, writes a
// .gcdv there instead. Times go to stderr.
#include "../../lib/vocab/vocab.h"
#include "clock.h"

int main(int argc, char **argv)
{
	struct diag d = {0};
	struct vocab v = {0};
	if (argc < 2) return 2;
	double start = now();
	bool good = vocab_load(argv[1], NULL, &d, &v);
	double loaded = now();
	diag_print(&d, stderr);
	if (!good) return diag_release(&d), 1;
	const char *broken = vocab_check(&v);
	fprintf(
		stderr,
		"%s: %u tokens, %u ranks, %u nodes, longest %u, %016llx%016llx, loaded in %.1f ms, checked in %.1f ms%s%s\n",
		v.name, v.n_tokens, v.n_ranks, v.trie.n_nodes, v.max_token_len, (unsigned long long)v.hash[1],
		(unsigned long long)v.hash[0], loaded - start, now() - loaded, broken ? ": " : "", broken ? broken : "");
	if (argc > 2) {
		good = vocab_write(&v, argv[2], &d);
		diag_print(&d, stderr);
	} else {
		printf("%u %u", v.n_tokens, v.n_eos);
		for (uint32_t i = 0; i < v.n_eos; i++) printf(" %u", v.eos[i]);
		printf("\n");
		for (token_id t = 0; t < v.n_tokens; t++) {
			uint32_t len = v.offset[t + 1] - v.offset[t];
			fputc(v.kind[t], stdout);
			fwrite(&len, sizeof len, 1, stdout);
			fwrite(v.bytes + v.offset[t], 1, len, stdout);
		}
	}
	vocab_release(&v);
	diag_release(&d);
	return good && !broken ? 0 : 1;
}
