// What hard mode knows beforehand (sections 110 to 113): what is out of range is refused with its reason; forged ones
// that open are harmless.
#include "toy_canonical.h"

static uint8_t *encoded(size_t *len)
{
	struct vocab v;
	struct toy_canonical t;
	struct compiled c;
	toy_canonical_default(&t, &v);
	toy_compile("start: \"[\" [start (\",\" start)*] \"]\" | NAME | \"true\"\nNAME: /\"[^\"]*\"/\n%ignore / +/\n", &v,
	            &(struct compile_options){.canonical = t.sections}, &c);
	uint8_t *out = toy_encode(&c, true, len);
	canonical_release(&t.tables);
	vocab_release(&v);
	return out;
}

static void open_forged(uint8_t *bytes, size_t len, const char *name, uint32_t refused, const char *words)
{
	gcdc_artifact *a;
	gcdc_refusal why;
	abuse_seal(bytes, len, true);
	gcdc_status status = gcdc_artifact_open_memory(bytes, len, NULL, &a, &why);
	cr_expect(status == GCDC_ERR_FORMAT && why.section == refused && strstr(why.what, words), "%s: %d, section %u: %s",
	          name, status, why.section, why.what);
	if (!status) gcdc_artifact_close(a);
}

Test(unsettled_corrupt, each_field)
{
	size_t len;
	uint8_t *good = encoded(&len), *bytes = malloc(len);
	static const struct {
		const char *name;
		uint32_t section;
		size_t at;
		uint32_t value;
		const char *words;
	} edits[] = {
		{"first of a list", SECTION_CANON_UNSETTLED_AT, 8, 0x7fffffff, "outside of UNSETTLED"},
		{"length of a list", SECTION_CANON_UNSETTLED_AT, 12, 0x7fffffff, "outside of UNSETTLED"},
		{"token", SECTION_CANON_UNSETTLED, 0, 4096, "no token"},
	};
	for (size_t k = 0; k < sizeof edits / sizeof *edits; k++) {
		memcpy(bytes, good, len);
		memcpy(bytes + abuse_row(bytes, edits[k].section)->offset + edits[k].at, &edits[k].value, 4);
		open_forged(bytes, len, edits[k].name, edits[k].section, edits[k].words);
	}
	for (uint32_t id = SECTION_CANON_WIDE; id < SECTION_CANON_NODE; id++) {  // behind the last one nothing may follow
		memcpy(bytes, good, len);
		struct artifact_section *row = abuse_row(bytes, id);
		row->size -= 2, row->stored -= 2;
		memset(bytes + row->offset + row->size, 0, 2);
		open_forged(bytes, len, "size", id, "bytes");
	}
	free(good), free(bytes);
}

Test(unsettled_corrupt, forged_ones_are_harmless)
{
	size_t len;
	uint8_t *good = encoded(&len), *bytes = malloc(len);
	uint64_t x = 1;
	for (uint32_t round = 0; round < 60; round++) {
		uint8_t data[64];
		gcdc_artifact *a;
		memcpy(bytes, good, len);
		for (uint32_t k = 0; k < 40; k++) {
			x ^= x << 13, x ^= x >> 7, x ^= x << 17;
			struct artifact_section *row = abuse_row(bytes, k % 2   ? SECTION_CANON_WIDE
			                                                : k % 4 ? SECTION_CANON_NODE
			                                                        : SECTION_CANON_UNSETTLED);
			if (row->size >= 4)
				memcpy(
					bytes + row->offset + x % (row->size / 4) * 4,
					&(uint32_t){row->id == SECTION_CANON_UNSETTLED ? (uint32_t)(x >> 40) % 4096 : (uint32_t)(x >> 20)},
					4);
		}
		abuse_seal(bytes, len, true);
		for (uint32_t i = 0; i < sizeof data; i++)
			x ^= x << 13, x ^= x >> 7, x ^= x << 17, data[i] = (uint8_t)(x >> 33);
		cr_assert(gcdc_artifact_open_memory(bytes, len, NULL, &a, NULL) == GCDC_OK, "round %u", round);
		abuse_drive(a, data, sizeof data);
		gcdc_artifact_close(a);
	}
	free(good), free(bytes);
}
