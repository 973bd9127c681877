// Fused operations: argmax, softmax and sampling under a mask.
//
// In:  masks of any form, rows of logits, what to draw how.  Out: a token a row, or probabilities.
// A team of blocks (device.cuh), more of them the fewer rows there are, does a row and looks at it several times: the
// largest logit; for top-k and top-p, the distance (weights.cuh) up to which tokens are kept, by three rounds of
// counting into 2048 bins, each round for the bin in which the last one ended; the sums of weights by chunk, then
// inside the chunk where the drawn one lies. Each block looks at chunks of its own; what they find is put together in
// the shared storage of the first, which chooses. Only allowed logits are read; from the second look on the cache has
// them.
// Cost: reading the row from memory once, then 1 to 8 times from the cache.
#include "device_batch.cuh"
#include "logits.cuh"
#include "weights.cuh"

#define SAMPLE_WARPS 32u
#define BINS 2048u
#define MAX_CHUNKS (GCDC_CUDA_MAX_WIDTH / CHUNK + 1)
static_assert(MAX_CHUNKS <= BINS, "sums of chunks stand where the bins were");
static_assert(SAMPLE_WARPS == WARP, "a lane for each warp");

enum operation { ARGMAX, SOFTMAX, SAMPLE };

struct sample_arguments {
	struct mask_source masks;
	struct device_batch batch;
	struct logits_source logits;
	uint32_t operation;
	gcdc_cuda_sampling sampling;
	int32_t *tokens;
	float *probabilities;
	int64_t stride;
};

struct sample_shared {
	struct mask_view view;
	struct logits_row row;
	struct view_scratch scratch[SAMPLE_WARPS];
	uint64_t sum;         // of weights, the team's
	uint64_t sums[BINS];  // of bins, or chunks; before them the largest logits of warps, then of blocks
	uint32_t counts[BINS];
	// Of a choice among bins or chunks:
	uint64_t before, need;  // what was passed before the one chosen; what is asked for
	uint32_t chosen;
	uint32_t token;
};
struct sample_step_shared : sample_shared {
	struct step_shared step;
};

// A row that is done: by whom; the first block's storage.
struct sampling {
	const struct sample_arguments &a;
	struct team team;
	struct sample_shared &s, &first;
};

// Chunks of warp w of this block: they go round the team's blocks.
#define FOR_CHUNKS(c, w, x)                                                                                            \
	for (uint32_t c = (w) * (x).team.size + (x).team.rank; c < (x).s.row.n_chunks; c += (x).team.size * SAMPLE_WARPS)

// visit(warp, lane, token, value) for all allowed logits of this block's chunks.
template <uint32_t TYPE, typename F> DEVICE void row_visit(struct sampling &x, F visit)
{
	struct sample_shared &s = x.s;
	FOR_WARPS(w, SAMPLE_WARPS)
	{
		FOR_CHUNKS(c, w, x)
		{
			lanes<uint32_t> words, is_open;
			uint32_t first;
			chunk_words(s.view, x.a.masks.tables, s.row, c, words, first, s.scratch[w]);
			FOR_LANES(l) is_open[l] = words[l] || (!c && first);
			if (!warp_ballot(is_open)) continue;
			chunk_visit<TYPE>(s.row, c, words, first,
			                  [&](uint32_t l, uint32_t token, float value) { visit(w, l, token, value); });
		}
	}
}

// A number that the team has made in the first block's storage, which may be written again afterwards.
template <typename T> DEVICE T read_first(const struct sampling &x, const T *at)
{
	sync_team(x.team);
	T value = *at;
	sync_team(x.team);
	return value;
}

// The order of the row's largest allowed logit, then ~ the lowest token that has it; 0: none is allowed.
template <uint32_t TYPE> DEVICE_CALL uint64_t find_best(struct sampling &x)
{
	per_thread<uint32_t, SAMPLE_WARPS> most, at;  // its order; the first token that has it
	FOR_THREADS(t, SAMPLE_WARPS) most[t] = at[t] = 0;
	row_visit<TYPE>(x, [&](uint32_t w, uint32_t l, uint32_t token, float value) {
		uint32_t order = order_of(value), t = w * WARP + l;
		if (order <= most[t]) return;
		most[t] = order;
		at[t] = token;
	});
	FOR_WARPS(w, SAMPLE_WARPS)
	{
		lanes<uint64_t> of_lane;
		FOR_LANES(l)
		{
			uint32_t t = w * WARP + l;
			of_lane[l] = most[t] ? (uint64_t)most[t] << 32 | (uint32_t)~at[t] : 0;
		}
		uint64_t best = warp_max(of_lane);
		FOR_LANES(l)
		if (!l) x.s.sums[w] = best;
	}
	sync_block();
	lanes<uint64_t> of_warp;
	FOR_LANES(l) of_warp[l] = x.s.sums[l];
	uint64_t best = warp_max(of_warp), *of_block = x.first.sums + SAMPLE_WARPS;
	ONE_THREAD of_block[x.team.rank] = best;
	sync_team(x.team);
	for (uint32_t k = 0; k < x.team.size; k++) best = max_of(best, of_block[k]);
	sync_team(x.team);
	return best;
}

// The sum of the row's weights of tokens up to the distance `limit`.
template <uint32_t TYPE> DEVICE_CALL uint64_t sum_weights(struct sampling &x, struct weigher weigher, uint32_t limit)
{
	per_thread<uint64_t, SAMPLE_WARPS> sum;
	FOR_THREADS(t, SAMPLE_WARPS)
	{
		sum[t] = 0;
		if (!t && !x.team.rank) x.s.sum = 0;
	}
	sync_team(x.team);
	row_visit<TYPE>(x, [&](uint32_t w, uint32_t l, uint32_t, float value) {
		float octaves = octaves_of(weigher, value);
		if (octaves < OCTAVES && distance_of(octaves) <= limit) sum[w * WARP + l] += weight_of(octaves);
	});
	FOR_WARPS(w, SAMPLE_WARPS)
	{
		lanes<uint64_t> of_lane;
		FOR_LANES(l) of_lane[l] = sum[w * WARP + l];
		uint64_t all = warp_sum(of_lane);
		FOR_LANES(l)
		if (!l) atomic_add(&x.first.sum, all);
	}
	return read_first(x, &x.first.sum);
}

// The first of n numbers at which their sum passes s.need (is_reached: reaches it): s.chosen, and s.before, the sum
// before it. Where none does, n. All threads call it.
template <typename N> DEVICE_CALL void choose(struct sample_shared &s, const N *numbers, uint32_t n, bool is_reached)
{
	uint64_t need = s.need;
	sync_block();
	FOR_WARPS(w, SAMPLE_WARPS)
	{
		if (w) continue;
		uint32_t part = (n + WARP - 1) / WARP;
		lanes<uint64_t> own, before;
		FOR_LANES(l)
		{
			uint64_t sum = 0;
			for (uint32_t k = l * part; k < min_of((l + 1) * part, n); k++) sum += numbers[k];
			own[l] = before[l] = sum;
			if (!l) s.chosen = n;
		}
		sync_warp();
		warp_sums_before(before);
		FOR_LANES(l)
		{
			uint64_t sum = before[l];
			bool is_before = is_reached ? sum < need : sum <= need;
			bool is_past = is_reached ? sum + own[l] >= need : sum + own[l] > need;
			for (uint32_t k = l * part; is_before && is_past && k < n; k++) {
				if (is_reached ? sum + numbers[k] >= need : sum + numbers[k] > need) {
					s.chosen = k;
					s.before = sum;
					break;
				}
				sum += numbers[k];
			}
		}
	}
	sync_block();
}

// Adds this block's numbers to the first's.
template <typename N> DEVICE void merge(const struct sampling &x, const N *own, N *first)
{
	sync_block();
	if (!x.team.rank) return;
	FOR_THREADS(t, SAMPLE_WARPS)
	for (uint32_t k = t; k < BINS; k += SAMPLE_WARPS * WARP)
		if (own[k]) atomic_add(&first[k], own[k]);
}

// The distance up to which at least `need` tokens (by_weight: so much weight) are, of those up to `limit`; UINT32_MAX
// when there are not so many.
template <uint32_t TYPE>
DEVICE_CALL uint32_t select(struct sampling &x, struct weigher weigher, bool by_weight, uint64_t need, uint32_t limit)
{
	struct sample_shared &s = x.s;
	uint32_t prefix = 0, known = 0;  // known: bits of the distance that are
	for (uint32_t width = 11; known < 32; known += width) {
		width = known == 22 ? 10 : 11;
		uint32_t shift = 32 - known - width;
		FOR_THREADS(t, SAMPLE_WARPS)
		{
			for (uint32_t k = t; k < BINS; k += SAMPLE_WARPS * WARP) s.sums[k] = s.counts[k] = 0;
			if (!t) s.need = need;
		}
		sync_team(x.team);
		row_visit<TYPE>(x, [&](uint32_t, uint32_t, uint32_t, float value) {
			float octaves = octaves_of(weigher, value);
			if (octaves >= OCTAVES) return;
			uint32_t distance = distance_of(octaves);
			if (distance > limit || (known && distance >> (32 - known) != prefix)) return;
			uint32_t bin = distance >> shift & ((1u << width) - 1);
			if (by_weight)
				atomic_add(&s.sums[bin], weight_of(octaves));
			else
				atomic_add(&s.counts[bin], 1);
		});
		if (by_weight)
			merge(x, s.sums, x.first.sums);
		else
			merge(x, s.counts, x.first.counts);
		sync_team(x.team);
		if (!x.team.rank && by_weight) choose(s, s.sums, 1u << width, true);
		if (!x.team.rank && !by_weight) choose(s, s.counts, 1u << width, true);
		sync_team(x.team);
		uint32_t chosen = x.first.chosen;
		uint64_t before = x.first.before;
		if (chosen == 1u << width) return UINT32_MAX;
		need -= before;
		prefix = prefix << width | chosen;
	}
	return prefix;
}

// Of a token in chunk c: that at which the sum of weights up to it passes `need`, in s.token. One warp calls it.
template <uint32_t TYPE, typename W> DEVICE void draw_in_chunk(struct sampling &x, uint32_t c, uint64_t need, W weigh)
{
	typedef typename logit_of<TYPE>::bits T;
	struct sample_shared &s = x.s;
	const T *at = (const T *)s.row.at;
	// By id: the head, then 32 words, a lane each.
	lanes<uint32_t> words;
	lanes<uint64_t> sum;
	uint32_t first;
	chunk_words(s.view, x.a.masks.tables, s.row, c, words, first, s.scratch[0]);
	uint64_t passed = 0;
	for (uint32_t k = 0; k < s.row.head && !c; k++) {
		uint64_t weight = first >> k & 1 ? weigh(value_of<TYPE>(at[k])) : 0;
		bool is_here = passed <= need && passed + weight > need;
		FOR_LANES(l)
		if (!l && is_here) s.token = k;
		passed += weight;
	}
	if (passed > need) return;
	uint64_t begin = (uint64_t)s.row.head + (uint64_t)c * CHUNK;
	FOR_LANES(l)
	{
		sum[l] = 0;
		for (uint32_t bits = words[l]; bits; bits &= bits - 1) {
			uint64_t token = begin + l * 32 + lowest_bit(bits);
			if (token < s.row.width) sum[l] += weigh(value_of<TYPE>(at[token]));
		}
	}
	lanes<uint64_t> own = sum;
	warp_sums_before(sum);
	FOR_LANES(l)
	{
		uint64_t before = passed + sum[l];
		if (before > need || before + own[l] <= need) continue;
		for (uint32_t bits = words[l]; bits; bits &= bits - 1) {
			uint64_t token = begin + l * 32 + lowest_bit(bits);
			if (token < s.row.width) before += weigh(value_of<TYPE>(at[token]));
			if (before <= need) continue;
			s.token = (uint32_t)token;
			break;
		}
	}
}

// The token at which the sum of weights up to the distance `limit` passes `need`, in the first block's s.token.
template <uint32_t TYPE>
DEVICE_CALL void draw(struct sampling &x, struct weigher weigher, uint32_t limit, uint64_t need)
{
	struct sample_shared &s = x.s;
	auto weigh = [&](float value) {
		float octaves = octaves_of(weigher, value);
		return octaves < OCTAVES && distance_of(octaves) <= limit ? weight_of(octaves) : 0;
	};
	FOR_WARPS(w, SAMPLE_WARPS)
	{
		FOR_CHUNKS(c, w, x)
		{
			lanes<uint32_t> words;
			lanes<uint64_t> sum;
			uint32_t first;
			chunk_words(s.view, x.a.masks.tables, s.row, c, words, first, s.scratch[w]);
			FOR_LANES(l) sum[l] = 0;
			chunk_visit<TYPE>(s.row, c, words, first,
			                  [&](uint32_t l, uint32_t, float value) { sum[l] += weigh(value); });
			uint64_t all = warp_sum(sum);
			FOR_LANES(l)
			if (!l) x.first.sums[c] = all;
		}
	}
	ONE_THREAD s.need = need;
	sync_team(x.team);
	if (x.team.rank) return;
	choose(s, s.sums, s.row.n_chunks, false);
	if (s.chosen == s.row.n_chunks) return;  // no weight at all
	FOR_WARPS(w, SAMPLE_WARPS)
	if (!w) draw_in_chunk<TYPE>(x, s.chosen, need - s.before, weigh);
	sync_block();
}

template <uint32_t TYPE>
DEVICE_CALL void write_probabilities(uint64_t i, struct sampling &x, struct weigher weigher, uint64_t sum_of_all)
{
	typedef typename logit_of<TYPE>::bits T;
	struct sample_shared &s = x.s;
	const T *at = (const T *)s.row.at;
	float *out = x.a.probabilities + (int64_t)i * x.a.stride, sum = (float)sum_of_all;
	auto write = [&](uint64_t token, bool is_allowed) {
		float octaves = is_allowed ? octaves_of(weigher, value_of<TYPE>(at[token])) : OCTAVES;
		out[token] = octaves < OCTAVES ? float_div((float)weight_of(octaves), sum) : 0;
	};
	FOR_WARPS(w, SAMPLE_WARPS)
	{
		FOR_CHUNKS(c, w, x)
		{
			lanes<uint32_t> words;
			uint32_t first;
			chunk_words(s.view, x.a.masks.tables, s.row, c, words, first, s.scratch[w]);
			FOR_LANES(l)
			if (!c && l < s.row.head) write(l, first >> l & 1);
			uint64_t begin = (uint64_t)s.row.head + (uint64_t)c * CHUNK;
			for (uint32_t k = 0; k < WARP && begin + k * WARP < s.row.width; k++) {
				uint32_t word = words.get(k);
				FOR_LANES(l)
				if (begin + k * WARP + l < s.row.width) write(begin + k * WARP + l, word >> l & 1);
			}
		}
	}
}

// Draws by weight, into the first block's s.token.
template <uint32_t TYPE> DEVICE void sample_token(uint64_t i, struct sampling &x, struct weigher weigher)
{
	const gcdc_cuda_sampling &how = x.a.sampling;
	uint32_t k = how.top_k ? how.top_k[i] : 0, limit = UINT32_MAX;
	float p = how.top_p ? how.top_p[i] : 1;
	if (k) limit = select<TYPE>(x, weigher, false, k, limit);
	uint64_t sum = sum_weights<TYPE>(x, weigher, limit);
	if (p < 1) {
		limit = select<TYPE>(x, weigher, true, max_of(part_of(sum, p), (uint64_t)1), limit);
		sum = sum_weights<TYPE>(x, weigher, limit);
	}
	draw<TYPE>(x, weigher, limit, min_of(part_of(sum, how.random[i]), sum - 1));
}

// Row i, whose view is open in each of the team's blocks.
template <uint32_t TYPE> DEVICE void sample_row(uint64_t i, struct sampling &x)
{
	const struct sample_arguments &a = x.a;
	struct sample_shared &s = x.s;
	ONE_THREAD s.token = UINT32_MAX;
	sync_team(x.team);
	if (s.view.kind == VIEW_OFF) return;
	float temperature = a.sampling.temperature ? a.sampling.temperature[i] : 1;
	uint64_t best = find_best<TYPE>(x);
	struct weigher weigher = weigher_of(value_of_order((uint32_t)(best >> 32)), temperature);
	if (a.operation == SOFTMAX) {
		uint64_t sum = sum_weights<TYPE>(x, weigher, UINT32_MAX);
		write_probabilities<TYPE>(i, x, weigher, sum);
		return;
	}
	if (a.operation == SAMPLE && temperature > 0 && best)
		sample_token<TYPE>(i, x, weigher);
	else
		ONE_THREAD s.token = best ? ~(uint32_t)best : UINT32_MAX;
	if (x.team.rank) return;
	ONE_THREAD a.tokens[i] = (int32_t)s.token;
}

template <uint32_t TYPE>
DEVICE void sample_team(uint32_t i, struct team &team, const struct sample_arguments &a, struct sample_shared &s)
{
	ONE_THREAD
	{
		view_open(a.masks, i, s.view);
		if (!logits_row_open<typename logit_of<TYPE>::bits>(a.logits, i, s.row)) s.view.kind = VIEW_OFF;
	}
	sync_block();
	struct sampling x = {a, team, s, team_first(team, s)};
	sample_row<TYPE>(i, x);
}

// The same behind a step of the row's sequence.
template <uint32_t TYPE>
DEVICE void sample_step_team(uint32_t i, struct team &team, const struct sample_arguments &a,
                             struct sample_step_shared &s)
{
	if (row_is_off(a.masks, i) || (a.logits.rows && a.logits.rows[i] < 0)) return;
	ONE_THREAD logits_row_open<typename logit_of<TYPE>::bits>(a.logits, i, s.row);
	step_row<SAMPLE_WARPS>(a.masks.tables, a.batch, i, team.size, s.step, s.view);
	sync_block();
	struct sampling x = {a, team, s, team_first(team, s)};
	sample_row<TYPE>(i, x);
}

#define SAMPLE_KERNELS(type)                                                                                           \
	TEAM_KERNEL(sample_##type, sample_team<GCDC_CUDA_##type>, struct sample_arguments, struct sample_shared,           \
	            SAMPLE_WARPS)                                                                                          \
	TEAM_KERNEL(sample_step_##type, sample_step_team<GCDC_CUDA_##type>, struct sample_arguments,                       \
	            struct sample_step_shared, SAMPLE_WARPS)
SAMPLE_KERNELS(F32)
SAMPLE_KERNELS(F16)
SAMPLE_KERNELS(BF16)

gcdc_status sample_load(void)
{
	gcdc_status status = LOAD(sample_F32);
	if (!status) status = LOAD(sample_F16);
	if (!status) status = LOAD(sample_BF16);
	if (!status) status = LOAD(sample_step_F32);
	if (!status) status = LOAD(sample_step_F16);
	if (!status) status = LOAD(sample_step_BF16);
	return status;
}

static gcdc_status run(const gcdc_cuda_masks *masks, const gcdc_cuda_logits *logits, struct sample_arguments &a,
                       gcdc_cuda_stream stream)
{
	gcdc_status status = mask_source_of(masks, &a.masks, &a.batch);
	if (!status) status = logits_source_of(logits, &a.logits);
	if (status) return status;
	if (logits->width > GCDC_CUDA_MAX_WIDTH) return GCDC_ERR_LIMIT;
	if (!masks->n_rows) return GCDC_OK;
	a.batch.keep_failed = false;
	uint64_t n = masks->n_rows;
	bool steps = masks->batch;
	switch (a.logits.type) {
	case GCDC_CUDA_F32:
		return steps ? LAUNCH_TEAMS(sample_step_F32, n, a, stream) : LAUNCH_TEAMS(sample_F32, n, a, stream);
	case GCDC_CUDA_F16:
		return steps ? LAUNCH_TEAMS(sample_step_F16, n, a, stream) : LAUNCH_TEAMS(sample_F16, n, a, stream);
	default: return steps ? LAUNCH_TEAMS(sample_step_BF16, n, a, stream) : LAUNCH_TEAMS(sample_BF16, n, a, stream);
	}
}

extern "C" gcdc_status gcdc_cuda_argmax(const gcdc_cuda_masks *masks, const gcdc_cuda_logits *logits, int32_t *tokens,
                                        gcdc_cuda_stream stream)
{
	struct sample_arguments a = {};
	if (!tokens) return GCDC_ERR_ARGUMENT;
	a.operation = ARGMAX;
	a.tokens = tokens;
	return run(masks, logits, a, stream);
}

extern "C" gcdc_status gcdc_cuda_softmax(const gcdc_cuda_masks *masks, const gcdc_cuda_logits *logits,
                                         const gcdc_cuda_sampling *sampling, float *probabilities, int64_t stride,
                                         gcdc_cuda_stream stream)
{
	struct sample_arguments a = {};
	if (!probabilities || !logits || stride < (int64_t)logits->width) return GCDC_ERR_ARGUMENT;
	a.operation = SOFTMAX;
	if (sampling) a.sampling = *sampling;
	a.probabilities = probabilities;
	a.stride = stride;
	return run(masks, logits, a, stream);
}

extern "C" gcdc_status gcdc_cuda_sample(const gcdc_cuda_masks *masks, const gcdc_cuda_logits *logits,
                                        const gcdc_cuda_sampling *sampling, int32_t *tokens, gcdc_cuda_stream stream)
{
	struct sample_arguments a = {};
	if (!tokens || !sampling || !sampling->random) return GCDC_ERR_ARGUMENT;
	a.operation = SAMPLE;
	a.sampling = *sampling;
	a.tokens = tokens;
	return run(masks, logits, a, stream);
}
