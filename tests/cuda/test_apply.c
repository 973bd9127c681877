// Apply: rows of logits under random masks, every byte of the buffer compared with the obvious loop.
//
// In:  --seed, --rounds. Masks as bits and as rows of a table (sets, tokens, removed tokens, inside 64 bytes and
// beyond); all types, odd widths, any alignment, strides with gaps, rows by index, left out, switched off, all or
// nothing allowed; at last rows past 2^31 logits, in memory of which only those rows exist.
#include "cuda_testing.h"

#include <sys/mman.h>

static const uint32_t size_of_type[] = {4, 2, 2};
static const uint32_t infinity_of_type[] = {0xff800000u, 0xfc00, 0xff80};

struct trial {
	struct rng *rng;
	gcdc_cuda_masks masks;
	gcdc_cuda_logits logits;
	uint32_t n, width, words, type;
	uint8_t *allowed;  // [n * width]
	struct twin on, rows, bits, table_rows, spill, numbers;
};

static void random_bits(struct rng *rng, uint32_t *out, uint32_t words)
{
	uint32_t kind = rng_below(rng, 8);
	for (uint32_t i = 0; i < words; i++) {
		uint32_t x = (uint32_t)rng_next(rng);
		switch (kind) {
		case 0: x = 0; break;
		case 1: x = ~0u; break;
		case 2: x = rng_below(rng, 40) ? 0 : 1u << x % 32; break;       // few are allowed
		case 3: x = rng_below(rng, 40) ? ~0u : ~(1u << x % 32); break;  // few are not
		case 4: x = x & 1 ? 0 : ~0u; break;
		case 5: x = rng_below(rng, 3) ? 0xff00ff0fu : x; break;
		default: break;
		}
		out[i] = x;
	}
}

static void trial_bits(struct trial *t)
{
	uint32_t stride = t->words + (rng_below(t->rng, 2) ? rng_below(t->rng, 5) : 0);
	t->bits = twin_new(((size_t)t->n * stride + 1) * 4);
	uint32_t *at = t->bits.host;
	for (uint32_t i = 0; i < t->n; i++) {
		random_bits(t->rng, at + (size_t)i * stride, t->words);
		for (uint32_t k = 0; k < t->width; k++)
			t->allowed[(size_t)i * t->width + k] = k / 32 < t->words && mask_bit(at + (size_t)i * stride, k);
	}
	twin_push(&t->bits);
	t->masks.bits = t->bits.device;
	t->masks.words = t->words;
	t->masks.words_stride = stride;
}

static uint32_t random_tokens(struct rng *rng, uint32_t *out, uint32_t n, uint32_t n_tokens)
{
	uint32_t token = 0, k = 0;
	for (; k < n; k++) {
		token += 1 + rng_below(rng, 2 * n_tokens / (n + 1) + 1);
		if (token >= n_tokens) break;
		out[k] = token;
	}
	return k;
}

static void trial_rows(struct trial *t, const struct subject *s)
{
	enum { CAP = 700 };
	uint32_t V = s->info.n_tokens, used = 0;
	t->table_rows = twin_new(t->n * sizeof(gcdc_cuda_row));
	t->spill = twin_new((size_t)t->n * CAP * 4);
	gcdc_cuda_row *rows = t->table_rows.host;
	uint32_t *spill = t->spill.host, list[CAP];
	uint8_t *has = mem_calloc(V, 1);
	for (uint32_t i = 0; i < t->n; i++) {
		gcdc_cuda_row *row = &rows[i];
		uint32_t kind = rng_below(t->rng, 6), n = 0;
		memset(has, 0, V);
		row->n_sets = kind == 0 ? 0 : kind == 1 ? 1 : kind == 2 ? rng_below(t->rng, 40) : rng_below(t->rng, 6);
		bool all = !rng_below(t->rng, 9);
		if (all) row->n_sets = 0;
		for (; n < row->n_sets; n++) {
			gcdc_set set;
			list[n] = rng_below(t->rng, s->info.n_sets);
			if (!gcdc_artifact_set(s->engine.artifact, list[n], &set)) FAIL("no set %u", list[n]);
			uint32_t k = 0;
			for (uint32_t x = 0; x < V; x++) {
				bool flip = k < set.n && set.tokens[k] == x;
				k += flip;
				has[x] |= (set.bits && mask_bit(set.bits, x)) != flip;
			}
		}
		row->n_tokens = random_tokens(t->rng, list + n, rng_below(t->rng, kind == 2 ? 300 : 5), V);
		for (uint32_t k = 0; k < row->n_tokens; k++) has[list[n + k]] = 1;
		n += row->n_tokens;
		if (all) memset(has, 1, V);
		row->n_removed =
			rng_below(t->rng, 3) ? 0 : random_tokens(t->rng, list + n, rng_below(t->rng, kind == 2 ? 300 : 5), V);
		for (uint32_t k = 0; k < row->n_removed; k++) has[list[n + k]] = 0;
		n += row->n_removed;
		if (all) row->n_sets = GCDC_CUDA_ALL;
		if (n > GCDC_CUDA_INLINE) {
			row->at[0] = used;
			memcpy(spill + used, list, n * sizeof *list);
			used += n;
		} else {
			memcpy(row->at, list, n * sizeof *list);
		}
		for (uint32_t k = 0; k < t->width; k++) t->allowed[(size_t)i * t->width + k] = k < V && has[k];
	}
	free(has);
	twin_push(&t->table_rows);
	twin_push(&t->spill);
	t->masks.table = s->table;
	t->masks.rows = t->table_rows.device;
	t->masks.spill = t->spill.device;
	t->masks.spill_words = used;
}

// Rows of logits by index, some left out; the place of mask i, or -1.
static void trial_places(struct trial *t, int32_t *place)
{
	for (uint32_t i = 0; i < t->n; i++) place[i] = (int32_t)i;
	if (rng_below(t->rng, 2)) {
		for (uint32_t i = t->n; i > 1; i--) {
			uint32_t k = rng_below(t->rng, i);
			int32_t x = place[k];
			place[k] = place[i - 1], place[i - 1] = x;
		}
		if (rng_below(t->rng, 2)) place[rng_below(t->rng, t->n)] = -1;
		t->rows = twin_new(t->n * sizeof *place);
		memcpy(t->rows.host, place, t->n * sizeof *place);
		twin_push(&t->rows);
		t->logits.rows = t->rows.device;
	}
	if (!rng_below(t->rng, 3)) {
		t->on = twin_new(t->n);
		uint8_t *on = t->on.host;
		for (uint32_t i = 0; i < t->n; i++) {
			on[i] = rng_below(t->rng, 4) ? (uint8_t)(1 + rng_below(t->rng, 255)) : 0;
			if (!on[i]) place[i] = -1;
		}
		twin_push(&t->on);
		t->masks.on = t->on.device;
	}
}

static void run_trial(struct rng *rng, const struct subject *s, uint64_t round)
{
	struct trial t = {.rng = rng};
	uint32_t V = s->info.n_tokens;
	t.n = rng_below(rng, 8) ? 1 + rng_below(rng, 6) : 1 + rng_below(rng, 90);
	t.type = rng_below(rng, 3);
	uint32_t most = t.n > 6 ? 700 : 9000;
	t.width = rng_below(rng, 4) ? 1 + rng_below(rng, most) : s->info.n_tokens + rng_below(rng, 70);
	if (!rng_below(rng, 6)) t.width = 1 + rng_below(rng, 40);
	t.words = rng_below(rng, 3) ? (t.width + 31) / 32 : rng_below(rng, (t.width + 31) / 32 + 3);
	if (round % 2) t.words = (V + 31) / 32;
	uint32_t bytes = size_of_type[t.type], gap = rng_below(rng, 2) ? rng_below(rng, 30) : 0, front = rng_below(rng, 16);
	t.logits = (gcdc_cuda_logits){.type = (gcdc_cuda_type)t.type, .width = t.width, .stride = t.width + gap};
	t.allowed = mem_calloc((size_t)t.n * t.width, 1);
	t.masks.n_rows = t.n;
	if (round % 2)
		trial_rows(&t, s);
	else
		trial_bits(&t);
	int32_t *place = mem_calloc(t.n, sizeof *place);
	trial_places(&t, place);
	// All bytes of the buffer are random; those behind it and between rows must stay.
	size_t size = ((size_t)t.n * (t.width + gap) + front + 16) * bytes;
	t.numbers = twin_new(size);
	uint8_t *expected = mem_calloc(size, 1);
	for (size_t i = 0; i < size; i++) ((uint8_t *)t.numbers.host)[i] = expected[i] = (uint8_t)rng_next(rng);
	twin_push(&t.numbers);
	t.logits.at = (uint8_t *)t.numbers.device + (size_t)front * bytes;
	for (uint32_t i = 0; i < t.n; i++) {
		if (place[i] < 0) continue;
		uint8_t *row = expected + (front + (size_t)place[i] * (t.width + gap)) * bytes;
		for (uint32_t k = 0; k < t.width; k++)
			if (!t.allowed[(size_t)i * t.width + k]) memcpy(row + (size_t)k * bytes, &infinity_of_type[t.type], bytes);
	}
	MUST(gcdc_cuda_apply(&t.masks, &t.logits, NULL));
	twin_pull(&t.numbers);
	if (memcmp(t.numbers.host, expected, size) != 0) {
		size_t at = 0;
		while (((uint8_t *)t.numbers.host)[at] == expected[at]) at++;
		at = at / bytes - front;
		FAIL("round %llu: type %u, %u rows of %u (+%u), %u words, front %u: row %zu logit %zu differs",
		     (unsigned long long)round, t.type, t.n, t.width, gap, t.words, front, at / (t.width + gap),
		     at % (t.width + gap));
	}
	free(expected);
	free(place);
	free(t.allowed);
	struct twin *twins[] = {&t.on, &t.rows, &t.bits, &t.table_rows, &t.spill, &t.numbers};
	for (size_t i = 0; i < sizeof twins / sizeof *twins; i++) twin_free(twins[i]);
}

// Many rows: every row has a mask of its own.
static void many_rows(struct rng *rng, uint32_t n)
{
	struct trial t = {.rng = rng, .n = n, .width = 33 + rng_below(rng, 8), .words = 2, .type = GCDC_CUDA_BF16};
	t.allowed = mem_calloc((size_t)n * t.width, 1);
	t.masks.n_rows = n;
	trial_bits(&t);
	t.numbers = twin_new((size_t)n * t.width * 2);
	twin_push(&t.numbers);
	t.logits = (gcdc_cuda_logits){t.numbers.device, GCDC_CUDA_BF16, t.width, t.width, NULL};
	MUST(gcdc_cuda_apply(&t.masks, &t.logits, NULL));
	twin_pull(&t.numbers);
	const uint16_t *x = t.numbers.host;
	for (size_t i = 0; i < (size_t)n * t.width; i++)
		CHECK(x[i] == (t.allowed[i] ? 0 : 0xff80), "of %u rows, logit %zu", n, i);
	free(t.allowed);
	twin_free(&t.bits);
	twin_free(&t.numbers);
}

// Rows whose logits begin past 2^31 and 2^32. On the host the memory between is only reserved.
static void far_rows(uint32_t type)
{
	const uint32_t width = 1000, n = 3;
	const int64_t stride = (1ll << 31) + 12345;
	const int32_t place[] = {2, 0, 1};
	size_t bytes = size_of_type[type], size = (size_t)(2 * stride + width) * bytes;
	uint8_t *at;
	if (device_is_host()) {
		at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (at == MAP_FAILED) at = NULL;
	} else {
		at = size < device_memory_size() / 10 * 9 ? device_alloc(size) : NULL;
	}
	if (!at) {
		printf("no %zu bytes for far rows: left out\n", size);
		return;
	}
	uint32_t words = (width + 31) / 32;
	struct twin mask = twin_new((size_t)n * words * 4), rows = twin_new(sizeof place), row = twin_new(width * bytes);
	memset(mask.host, 0, mask.size);
	for (uint32_t i = 0; i < n; i++) ((uint32_t *)mask.host)[i * words + 7] = 1u << i;  // token 224 + i alone
	memcpy(rows.host, place, sizeof place);
	twin_push(&mask);
	twin_push(&rows);
	for (uint32_t i = 0; i < n; i++) MUST(device_clear(at + (size_t)(i * stride) * bytes, 0, width * bytes, NULL));
	gcdc_cuda_masks masks = {.n_rows = n, .bits = mask.device, .words = words, .words_stride = words};
	gcdc_cuda_logits logits = {at, (gcdc_cuda_type)type, width, stride, rows.device};
	MUST(gcdc_cuda_apply(&masks, &logits, NULL));
	for (uint32_t i = 0; i < n; i++) {
		MUST(device_read(row.host, at + (size_t)(place[i] * stride) * bytes, width * bytes, NULL));
		for (uint32_t k = 0; k < width; k++) {
			uint32_t x = 0;
			memcpy(&x, (uint8_t *)row.host + k * bytes, bytes);
			CHECK(x == (k == 224 + i ? 0 : infinity_of_type[type]), "far row %u, logit %u", i, k);
		}
	}
	if (device_is_host())
		munmap(at, size);
	else
		device_free(at);
	twin_free(&mask);
	twin_free(&rows);
	twin_free(&row);
}

// Promises broken in host memory are errors; in device memory they make masks smaller.
static void broken_promises(const struct subject *s)
{
	struct twin x = twin_new(64), rows = twin_new(3 * sizeof(gcdc_cuda_row));
	gcdc_cuda_masks masks = {.n_rows = 1, .bits = x.device, .words = 1, .words_stride = 1};
	gcdc_cuda_logits logits = {x.device, GCDC_CUDA_F32, 4, 4, NULL};
	gcdc_cuda_masks both = masks, none = masks, no_table = masks, short_stride = masks;
	both.rows = rows.device;
	none.bits = NULL;
	no_table.bits = NULL, no_table.rows = rows.device;
	short_stride.words = 2;
	CHECK(gcdc_cuda_apply(&both, &logits, NULL) == GCDC_ERR_ARGUMENT, "two kinds of masks");
	CHECK(gcdc_cuda_apply(&none, &logits, NULL) == GCDC_ERR_ARGUMENT, "no masks");
	CHECK(gcdc_cuda_apply(&no_table, &logits, NULL) == GCDC_ERR_ARGUMENT, "rows without a table");
	CHECK(gcdc_cuda_apply(&short_stride, &logits, NULL) == GCDC_ERR_ARGUMENT, "rows of bits overlap");
	CHECK(gcdc_cuda_apply(NULL, &logits, NULL) == GCDC_ERR_ARGUMENT, "NULL");
	CHECK(gcdc_cuda_apply(&masks, NULL, NULL) == GCDC_ERR_ARGUMENT, "NULL");
	gcdc_cuda_logits bad = logits;
	bad.stride = 3;
	CHECK(gcdc_cuda_apply(&masks, &bad, NULL) == GCDC_ERR_ARGUMENT, "rows of logits overlap");
	bad = logits, bad.at = (char *)x.device + 2;
	CHECK(gcdc_cuda_apply(&masks, &bad, NULL) == GCDC_ERR_ARGUMENT, "not aligned");
	bad = logits, bad.type = (gcdc_cuda_type)3;
	CHECK(gcdc_cuda_apply(&masks, &bad, NULL) == GCDC_ERR_ARGUMENT, "no such type");
	gcdc_cuda_row *r = rows.host;
	r[0] = (gcdc_cuda_row){.n_sets = 2, .at = {UINT32_MAX, s->info.n_sets}};
	r[1] = (gcdc_cuda_row){.n_tokens = 2, .at = {3, UINT32_MAX}};
	r[2] = (gcdc_cuda_row){.n_tokens = 1000000, .at = {5}};
	twin_push(&rows);
	twin_push(&x);
	gcdc_cuda_masks wrong = {.n_rows = 3, .table = s->table, .rows = rows.device};
	logits.stride = 5;
	MUST(gcdc_cuda_apply(&wrong, &logits, NULL));
	twin_pull(&x);
	const float *f = x.host;
	for (int i = 0; i < 15; i++) CHECK(i % 5 == 4 || i == 8 ? f[i] == 0 : f[i] == -INFINITY, "wrong rows, logit %d", i);
	twin_free(&x);
	twin_free(&rows);
}

int main(int argc, char **argv)
{
	struct testing t = testing_begin(argc, argv, 1500);
	static const char *const grammars[] = {"grammars/json/json.lark", "tests/oracle/grammars/minic.lark"};
	struct rng rng = {t.seed};
	for (int g = 0; g < 2; g++) {
		struct subject s;
		subject_open(&s, grammars[g], g ? 4133 : 0);
		for (uint64_t i = 0; i < t.rounds / 2; i++) run_trial(&rng, &s, i);
		broken_promises(&s);
		subject_close(&s);
	}
	uint32_t most = t.rounds < 50 ? 50 : 4096;  // few rounds: threads are fibers, or a sanitizer looks on
	for (uint32_t n = 1; n <= most; n = n * 3 + 1) many_rows(&rng, n);
	many_rows(&rng, most);
	for (uint32_t type = 0; type < 3; type++) far_rows(type);
	return testing_end("apply");
}
