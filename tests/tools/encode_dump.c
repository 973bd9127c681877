// Encodes texts for scripts/compare_encoder.py. Usage: encode_dump tokenizer.json [--no-special] < texts > ids
// Both streams are records: u32 length, then that many bytes of text; u32 count, then that many u32 ids. Little-endian.
// Times go to stderr.
#include "../../lib/vocab/vocab.h"
#include "clock.h"

int main(int argc, char **argv)
{
	struct diag d = {0};
	if (argc < 2) return 2;
	double start = now(), spent = 0, bytes = 0;
	struct encoder *e = encoder_load(argv[1], &d);
	double loaded = now();
	bool good = e, no_special = argc > 2 && !strcmp(argv[2], "--no-special");
	for (uint32_t len; good && fread(&len, sizeof len, 1, stdin) == 1;) {
		char *text = mem_alloc(len);
		good = fread(text, 1, len, stdin) == len;
		uint32_t *ids = NULL, n = 0;
		double from = now();
		good = good && encoder_encode(e, (struct encoder_text){text, len, no_special}, &ids, &n, &d);
		spent += now() - from, bytes += len;
		if (good) fwrite(&n, sizeof n, 1, stdout), fwrite(ids, sizeof *ids, n, stdout);
		free(ids), free(text);
	}
	diag_print(&d, stderr);
	if (good)
		fprintf(stderr, "loaded in %.0f ms, %.1f MB in %.0f ms = %.1f MB/s\n", loaded - start, bytes / 1e6, spent,
		        bytes / 1e3 / spent);
	encoder_free(e);
	diag_release(&d);
	return good ? 0 : 1;
}
