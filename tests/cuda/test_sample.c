// Argmax, softmax and sampling under a mask, against loops that say the same in the obvious order, every bit; softmax
// also against double precision.
//
// In:  --seed, --rounds. Logits of all types: as models give them, with many ties, with infinities and NaNs, near each
// other and far apart; temperatures from 0 to a million, top-k, top-p, random numbers with their ends.
#include "cuda_testing.h"

static const uint32_t size_of_type[] = {4, 2, 2};

// ---- The types' values, by arithmetic.
static float value_of(uint32_t type, const uint8_t *at)
{
	if (type == GCDC_CUDA_F32) {
		float f;
		memcpy(&f, at, 4);
		return f;
	}
	uint16_t x;
	memcpy(&x, at, 2);
	uint32_t exponent_bits = type == GCDC_CUDA_F16 ? 5 : 8, fraction_bits = 15 - exponent_bits;
	int32_t exponent = x >> fraction_bits & ((1 << exponent_bits) - 1), most = (1 << exponent_bits) - 1,
			bias = most / 2;
	double fraction = (x & ((1 << fraction_bits) - 1)) / (double)(1 << fraction_bits), value;
	if (exponent == most)
		value = fraction != 0 ? NAN : INFINITY;
	else if (!exponent)
		value = ldexp(fraction, 1 - bias);
	else
		value = ldexp(1 + fraction, exponent - bias);
	return (float)(x >> 15 ? -value : value);
}

// The nearest of the type below, good enough for making logits.
static void value_put(uint32_t type, uint8_t *at, float f)
{
	uint32_t x;
	memcpy(&x, &f, 4);
	if (type == GCDC_CUDA_F32) {
		memcpy(at, &x, 4);
		return;
	}
	uint16_t to = (uint16_t)(x >> 16);
	if (type == GCDC_CUDA_F16) {
		int32_t e = (int32_t)(x >> 23 & 255) - 127 + 15;
		uint32_t sign = x >> 16 & 0x8000, fraction = x >> 13 & 0x3ff;
		if ((x >> 23 & 255) == 255)
			to = (uint16_t)(sign | 0x7c00 | (fraction ? 0x200 : 0));
		else
			to = (uint16_t)(e >= 31  ? sign | 0x7bff
			                : e <= 0 ? sign | fraction >> 4
			                         : sign | (uint32_t)e << 10 | fraction);
	}
	memcpy(at, &to, 2);
}

// ---- What gcdc/cuda.h says, in the obvious order.
struct item {
	uint32_t token, distance;
	uint64_t weight;
};

static float octaves_of(float most, float x, float scale)
{
	if (x == most) return 0;
	if (scale == 0) return 41;
	float d = most - x, y = d * scale;
	return y < 41 ? y : 41;
}
static uint64_t weight_of(float octaves)
{
	static const float c[] = {1.07853115e-5f, 1.08919408e-4f, 9.42824938e-4f, 6.80104431e-3f,
	                          3.92473316e-2f, 1.69865792e-1f, 4.90129072e-1f, 7.07106781e-1f};
	float whole = floorf(octaves), part = octaves - whole, f = 0.5f - part, p = c[0];
	for (int k = 1; k < 8; k++) p = fmaf(p, f, c[k]);
	float exact = (float)exp2(-(double)octaves), got = p * exp2f(-whole);
	CHECK(fabsf(got - exact) <= 3e-7f * exact, "2^-%g is %g, not %g", (double)octaves, (double)exact, (double)got);
	uint64_t mantissa = (uint64_t)(p * 16777216.0f);
	int shift = 16 - (int)whole;
	return shift >= 0 ? mantissa << shift : mantissa >> -shift;
}
static uint64_t part_of(uint64_t sum, float part)
{
	uint64_t p = part >= 1 ? 1ull << 32 : (uint64_t)(part * 4294967296.0f);
	return (uint64_t)((unsigned __int128)sum * p >> 32);
}
static int by_distance(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	return x->distance != y->distance ? (x->distance < y->distance ? -1 : 1) : x->token < y->token ? -1 : 1;
}
static int by_token(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	return x->token < y->token ? -1 : 1;
}

// How many of the n, in order of distance, are kept: those that tie with the last, too.
static uint32_t with_ties(const struct item *items, uint32_t n, uint32_t kept)
{
	while (kept && kept < n && items[kept].distance == items[kept - 1].distance) kept++;
	return kept;
}

static int32_t sample_of(struct item *items, uint32_t n, uint32_t top_k, float top_p, float random)
{
	uint64_t sum = 0, need, before = 0;
	qsort(items, n, sizeof *items, by_distance);
	if (top_k && top_k < n) n = with_ties(items, n, top_k);
	for (uint32_t i = 0; i < n; i++) sum += items[i].weight;
	if (top_p < 1) {
		uint32_t kept = 0;
		need = top_p > 0 ? part_of(sum, top_p) : 0;
		for (sum = 0; kept < n && sum < (need ? need : 1); kept++) sum += items[kept].weight;
		n = with_ties(items, n, kept);
		sum = 0;
		for (uint32_t i = 0; i < n; i++) sum += items[i].weight;
	}
	qsort(items, n, sizeof *items, by_token);
	need = part_of(sum, random);
	if (need >= sum) need = sum - 1;
	for (uint32_t i = 0; i < n; i++) {
		before += items[i].weight;
		if (before > need) return (int32_t)items[i].token;
	}
	return -1;
}

static void run_trial(struct rng *rng, uint64_t round)
{
	uint32_t n = 1 + rng_below(rng, 4),
			 width = rng_below(rng, 5) ? 1 + rng_below(rng, 3000) : 1 + rng_below(rng, 20000);
	uint32_t type = rng_below(rng, 3), bytes = size_of_type[type], words = (width + 31) / 32, front = rng_below(rng, 9);
	uint32_t stride = width + rng_below(rng, 9);
	struct twin logits = twin_new(((size_t)n * stride + front) * bytes), mask = twin_new((size_t)n * words * 4);
	struct twin temperature = twin_new(n * 4), top_k = twin_new(n * 4), top_p = twin_new(n * 4),
				random = twin_new(n * 4);
	struct twin tokens = twin_new(n * 4), best = twin_new(n * 4), out = twin_new((size_t)n * (width + 3) * 4);
	uint8_t *at = (uint8_t *)logits.host + (size_t)front * bytes;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t kind = rng_below(rng, 7), density = rng_below(rng, 5);
		float spread = kind == 3 ? 1e-3f : kind == 4 ? 300 : 6;
		for (uint32_t k = 0; k < width; k++) {
			float x = 0;
			for (int j = 0; j < 6; j++) x += (float)rng_below(rng, 100001) / 100000.0f - 0.5f;
			x *= spread;
			if (kind == 1) x = (float)(int)x;
			if (kind == 2 && !rng_below(rng, 50))
				x = rng_below(rng, 3) ? -INFINITY : rng_below(rng, 9) ? NAN : INFINITY;
			if (kind == 5) x = rng_below(rng, 2) ? -INFINITY : NAN;
			if (kind == 6) x = rng_below(rng, 2) ? -0.0f : 0.0f;
			value_put(type, at + ((size_t)i * stride + k) * bytes, x);
		}
		for (uint32_t k = 0; k < words; k++) {
			uint32_t x = (uint32_t)rng_next(rng);
			if (density == 0) x = rng_below(rng, 30) ? 0 : 1u << x % 32;
			if (density == 1) x = ~0u;
			if (density == 2 && !rng_below(rng, 3)) x = 0;
			((uint32_t *)mask.host)[i * words + k] = round % 29 ? x : 0;
		}
		static const float temperatures[] = {1, 1, 0.7f, 0.1f, 1e-6f, 0, -1, 5, 1e6f};
		static const float parts[] = {1, 1, 0.9f, 0.5f, 0.999f, 0, 1e-9f, 2};
		((float *)temperature.host)[i] = temperatures[rng_below(rng, 9)];
		((uint32_t *)top_k.host)[i] = rng_below(rng, 2) ? 0 : 1 + rng_below(rng, 60);
		((float *)top_p.host)[i] = parts[rng_below(rng, 8)];
		((float *)random.host)[i] = rng_below(rng, 9)   ? (float)rng_below(rng, 1 << 24) * 0x1p-24f
		                            : rng_below(rng, 2) ? 0
		                                                : 0x1.fffffep-1f;
	}
	memset(out.host, 0x5a, out.size);
	twin_push(&logits), twin_push(&mask), twin_push(&temperature), twin_push(&top_k), twin_push(&top_p),
		twin_push(&random), twin_push(&out);
	bool has[4] = {rng_below(rng, 4), rng_below(rng, 4), rng_below(rng, 4), true};
	gcdc_cuda_sampling how = {has[0] ? temperature.device : NULL, has[1] ? top_k.device : NULL,
	                          has[2] ? top_p.device : NULL, random.device};
	gcdc_cuda_masks masks = {.n_rows = n, .bits = mask.device, .words = words, .words_stride = words};
	gcdc_cuda_logits x = {(uint8_t *)logits.device + (size_t)front * bytes, (gcdc_cuda_type)type, width, stride, NULL};
	MUST(gcdc_cuda_argmax(&masks, &x, best.device, NULL));
	MUST(gcdc_cuda_sample(&masks, &x, &how, tokens.device, NULL));
	MUST(gcdc_cuda_softmax(&masks, &x, &how, out.device, width + 3, NULL));
	twin_pull(&best), twin_pull(&tokens), twin_pull(&out);
	struct item *items = mem_calloc(width, sizeof *items);
	for (uint32_t i = 0; i < n; i++) {
		float t = has[0] ? ((float *)temperature.host)[i] : 1, most = -INFINITY, scale = t > 0 ? 1.44269504f / t : 0;
		int32_t largest = -1;
		for (uint32_t k = 0; k < width; k++) {
			float v = value_of(type, at + ((size_t)i * stride + k) * bytes);
			if (isnan(v)) v = -INFINITY;
			if (!mask_bit((uint32_t *)mask.host + i * words, k) || (largest >= 0 && v <= most)) continue;
			largest = (int32_t)k;
			most = v;
		}
		uint32_t n_items = 0;
		uint64_t sum = 0;
		double exact = 0;
		for (uint32_t k = 0; k < width; k++) {
			float v = value_of(type, at + ((size_t)i * stride + k) * bytes), octaves;
			if (isnan(v)) v = -INFINITY;
			if (!mask_bit((uint32_t *)mask.host + i * words, k) || (octaves = octaves_of(most, v, scale)) >= 41)
				continue;
			items[n_items++] = (struct item){k, (uint32_t)(octaves * 67108864.0f), weight_of(octaves)};
			sum += items[n_items - 1].weight;
			exact += v == most ? 1 : exp(((double)v - (double)most) / (double)t);
		}
		CHECK(((int32_t *)best.host)[i] == largest, "round %llu: argmax %d, not %d", (unsigned long long)round,
		      ((int32_t *)best.host)[i], largest);
		const float *p = (float *)out.host + (size_t)i * (width + 3);
		static const uint8_t untouched[] = {0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a};
		CHECK(!memcmp((const uint8_t *)(p + width), untouched, sizeof untouched), "round %llu: written behind row %u",
		      (unsigned long long)round, i);
		for (uint32_t k = 0, e = 0; k < width; k++) {
			float want = 0;
			if (e < n_items && items[e].token == k) {
				float v = value_of(type, at + ((size_t)i * stride + k) * bytes);
				if (isnan(v)) v = -INFINITY;
				want = (float)items[e++].weight / (float)sum;
				double ideal = (v == most ? 1 : exp(((double)v - (double)most) / (double)t)) / exact;
				double slack = 1e-6 + fabs(((double)v - (double)most) / (double)(t > 0 ? t : 1)) * 1e-6;
				if (v != most)
					CHECK(fabs((double)want - ideal) <= slack * ideal + 2e-12, "softmax %g is not near %g",
					      (double)want, ideal);
			}
			if (memcmp(&p[k], &want, 4)) {
				FAIL("round %llu: probability of %u is %g, not %g", (unsigned long long)round, k, (double)p[k],
				     (double)want);
				break;
			}
		}
		int32_t want = largest;
		if (t > 0 && n_items)
			want = sample_of(items, n_items, has[1] ? ((uint32_t *)top_k.host)[i] : 0,
			                 has[2] ? ((float *)top_p.host)[i] : 1, ((float *)random.host)[i]);
		CHECK(((int32_t *)tokens.host)[i] == want,
		      "round %llu: row %u of %u, width %u, type %u: drawn %d, not %d (t %g, k %u, p %g, u %g)",
		      (unsigned long long)round, i, n, width, type, ((int32_t *)tokens.host)[i], want, (double)t,
		      ((uint32_t *)top_k.host)[i], (double)((float *)top_p.host)[i], (double)((float *)random.host)[i]);
	}
	free(items);
	struct twin *twins[] = {&logits, &mask, &temperature, &top_k, &top_p, &random, &tokens, &best, &out};
	for (size_t i = 0; i < sizeof twins / sizeof *twins; i++) twin_free(twins[i]);
}

// Rows left out keep what was there; what is wrong is refused.
static void left_out(void)
{
	struct twin x = twin_new(4 * 4), mask = twin_new(2 * 4), tokens = twin_new(2 * 4), on = twin_new(2),
				out = twin_new(4 * 4);
	((uint32_t *)mask.host)[0] = ((uint32_t *)mask.host)[1] = 3;
	((int32_t *)tokens.host)[0] = ((int32_t *)tokens.host)[1] = 77;
	((uint8_t *)on.host)[1] = 1;
	((float *)x.host)[3] = 1;
	twin_push(&x), twin_push(&mask), twin_push(&tokens), twin_push(&on), twin_push(&out);
	gcdc_cuda_masks masks = {.n_rows = 2, .on = on.device, .bits = mask.device, .words = 1, .words_stride = 1};
	gcdc_cuda_logits logits = {x.device, GCDC_CUDA_F32, 2, 2, NULL};
	gcdc_cuda_sampling how = {NULL, NULL, NULL, x.device};
	MUST(gcdc_cuda_argmax(&masks, &logits, tokens.device, NULL));
	twin_pull(&tokens);
	CHECK(((int32_t *)tokens.host)[0] == 77 && ((int32_t *)tokens.host)[1] == 1, "rows left out");
	MUST(gcdc_cuda_softmax(&masks, &logits, NULL, out.device, 2, NULL));
	twin_pull(&out);
	const float *p = out.host;
	CHECK(p[0] == 0 && p[1] == 0 && p[2] > 0.26f && p[2] < 0.27f && p[3] > 0.73f, "probabilities %g %g", (double)p[2],
	      (double)p[3]);
	CHECK(gcdc_cuda_argmax(&masks, &logits, NULL, NULL) == GCDC_ERR_ARGUMENT, "no tokens");
	CHECK(gcdc_cuda_sample(&masks, &logits, NULL, tokens.device, NULL) == GCDC_ERR_ARGUMENT, "no numbers");
	CHECK(gcdc_cuda_softmax(&masks, &logits, &how, out.device, 1, NULL) == GCDC_ERR_ARGUMENT, "rows overlap");
	logits.width = GCDC_CUDA_MAX_WIDTH + 1, logits.stride = logits.width;
	CHECK(gcdc_cuda_argmax(&masks, &logits, tokens.device, NULL) == GCDC_ERR_LIMIT, "too wide");
	twin_free(&x), twin_free(&mask), twin_free(&tokens), twin_free(&on), twin_free(&out);
}

// Drawn tokens come as often as they should.
static void frequencies(struct rng *rng)
{
	enum { N = 4096 };
	struct twin x = twin_new(3 * 4), mask = twin_new(4), random = twin_new(N * 4), tokens = twin_new(N * 4),
				rows = twin_new(N * 4);
	const float logits_of[] = {0, 1, 2};
	memcpy(x.host, logits_of, sizeof logits_of);
	*(uint32_t *)mask.host = 7;
	for (int i = 0; i < N; i++) ((float *)random.host)[i] = (float)rng_below(rng, 1 << 24) * 0x1p-24f;
	twin_push(&x), twin_push(&mask), twin_push(&random), twin_push(&rows);
	gcdc_cuda_masks masks = {.n_rows = N, .bits = mask.device, .words = 1, .words_stride = 1};
	gcdc_cuda_logits logits = {x.device, GCDC_CUDA_F32, 3, 3, rows.device};
	gcdc_cuda_sampling how = {NULL, NULL, NULL, random.device};
	struct twin many = twin_new(N * 4);
	for (int i = 0; i < N; i++) ((uint32_t *)many.host)[i] = 7;
	twin_push(&many);
	masks.bits = many.device;
	MUST(gcdc_cuda_sample(&masks, &logits, &how, tokens.device, NULL));
	twin_pull(&tokens);
	uint32_t count[3] = {0};
	for (int i = 0; i < N; i++) count[((uint32_t *)tokens.host)[i] % 3]++;
	const double share[] = {0.0900, 0.2447, 0.6652};
	for (int k = 0; k < 3; k++)
		CHECK(fabs(count[k] / (double)N - share[k]) < 0.03, "token %d: %u of %d", k, count[k], N);
	twin_free(&x), twin_free(&mask), twin_free(&random), twin_free(&tokens), twin_free(&rows), twin_free(&many);
}

int main(int argc, char **argv)
{
	struct testing t = testing_begin(argc, argv, 300);
	struct rng rng = {t.seed};
	for (uint64_t i = 0; i < t.rounds; i++) run_trial(&rng, i);
	left_out();
	if (t.rounds >= 50) frequencies(&rng);  // fewer: threads are fibers, or a sanitizer looks on
	return testing_end("argmax, softmax, sample");
}
