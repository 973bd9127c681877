// Any bytes as an artifact: first as they are, then with the header's checksums made right, so that the fuzzer gets
// past them. Whatever opens is used.
#include "../corrupt/artifact_abuse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *bytes = aligned_alloc(64, (size + 64) & ~(size_t)63);
	if (!bytes) return 0;
	memcpy(bytes, data, size);
	for (int sealed = 0; sealed < 2; sealed++) {
		gcdc_artifact *a;
		gcdc_refusal why;
		if (sealed) abuse_seal(bytes, size, true);
		if (gcdc_artifact_open_memory(bytes, size, NULL, &a, &why)) continue;
		abuse_drive(a, data, size < 256 ? size : 256);
		gcdc_artifact_close(a);
	}
	free(bytes);
	return 0;
}
