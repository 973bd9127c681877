// Apply: logits that the mask forbids become -inf, in place.
//
// In:  masks of any form, rows of logits.  Out: the rows.
// A row is shared by some blocks, a chunk of it is done by a warp (logits.cuh). Of each 16 bytes of logits the mask
// says whether they are left alone, stored without being read, or read, mixed and stored; all loads of a chunk are
// under way before the first store. Values do not matter, so there is one kernel for 4 bytes and one for 2. Masks that
// are bits have kernels of their own: their warps share nothing, and read the words of some chunks at once. Cost: bytes
// that must move. Few rows are shared by many blocks, many rows by few, so that a block has enough to do.
#include "device_batch.cuh"
#include "logits.cuh"

#include <algorithm>

#define APPLY_WARPS 8u
#define CHUNKS_AHEAD 2u          // chunks whose words a warp reads at once
#define BLOCKS_WANTED 8192u      // some times what any device runs at once
#define STEP_BLOCKS_WANTED 512u  // what large devices run at once: each block does its row's whole step

struct apply_arguments {
	struct mask_source masks;
	struct device_batch batch;
	struct logits_source logits;
	uint32_t blocks_per_row;
	uint32_t infinity;  // -inf of the type; twice where it has 2 bytes
};

struct apply_shared {
	struct mask_view view;
	struct logits_row row;
	uint32_t first_chunk;
	struct view_scratch scratch[APPLY_WARPS];
};

// Bits of a piece -> its logits, those that are not allowed replaced.
template <typename T> DEVICE struct piece piece_mix(struct piece p, uint32_t bits, uint32_t infinity)
{
	for (int k = 0; k < 4; k++) {
		uint32_t keep = sizeof(T) == 4 ? 0u - (bits >> k & 1)
		                               : (bits >> 2 * k & 1) * 0xffffu | (bits >> (2 * k + 1) & 1) * 0xffff0000u;
		p.x[k] = (p.x[k] & keep) | (infinity & ~keep);
	}
	return p;
}

template <typename T>
DEVICE void apply_chunk(const struct logits_row &row, uint32_t c, const lanes<uint32_t> &words, uint32_t first,
                        uint32_t infinity)
{
	const uint32_t N = PIECE_LOGITS(T), PIECES = PIECES_PER_LANE(T), ALL = (1u << N) - 1;
	T *at = (T *)row.at;
	uint64_t begin = (uint64_t)row.head + (uint64_t)c * CHUNK;
	if (!c) {
		FOR_LANES(l)
		if (l < row.head && !(first >> l & 1)) at[l] = (T)infinity;
	}
	lanes<struct piece> pieces[PIECES_PER_LANE(T)];
	lanes<uint32_t> bits[PIECES_PER_LANE(T)];
	UNROLL
	for (uint32_t k = 0; k < PIECES; k++) {
		FOR_LANES(l)
		{
			uint32_t from = (k * WARP + l) * N;
			uint32_t x = words.get(from / 32) >> from % 32 & ALL;
			bits[k][l] = x;
			if (x && x != ALL && begin + from + N <= row.width) pieces[k][l] = piece_load(at + begin + from);
		}
	}
	UNROLL
	for (uint32_t k = 0; k < PIECES; k++) {
		FOR_LANES(l)
		{
			uint64_t from = begin + (k * WARP + l) * N;
			uint32_t x = bits[k][l];
			if (x == ALL) continue;
			if (from + N <= row.width) {
				struct piece p = {{infinity, infinity, infinity, infinity}};
				piece_store(at + from, x ? piece_mix<T>(pieces[k][l], x, infinity) : p);
			} else {
				for (uint32_t e = 0; e < N; e++)
					if (from + e < row.width && !(x >> e & 1)) at[from + e] = (T)infinity;
			}
		}
	}
}

struct apply_step_shared : apply_shared {
	struct step_shared step;
};

template <typename T> DEVICE void apply_row(uint32_t part, const struct apply_arguments &a, struct apply_shared &s)
{
	ONE_THREAD
	{
		s.first_chunk = 0;
		// Where all is allowed only what lies past the vocabulary is left to do.
		if (s.view.kind == VIEW_ALL && !s.view.n_removed && !s.view.left_out) {
			uint32_t n = a.masks.tables.n_tokens;
			s.first_chunk = n > s.row.head ? (n - s.row.head) / CHUNK : 0;
			if (n >= s.row.width) s.view.kind = VIEW_OFF;
		}
	}
	sync_block();
	if (s.view.kind == VIEW_OFF) return;
	FOR_WARPS(w, APPLY_WARPS)
	{
		for (uint32_t c = s.first_chunk + part * APPLY_WARPS + w; c < s.row.n_chunks;
		     c += a.blocks_per_row * APPLY_WARPS) {
			lanes<uint32_t> words, is_open;
			uint32_t first;
			chunk_words(s.view, a.masks.tables, s.row, c, words, first, s.scratch[w]);
			FOR_LANES(l) is_open[l] = words[l] != ~0u;
			if (warp_ballot(is_open) || !c) apply_chunk<T>(s.row, c, words, first, a.infinity);
		}
	}
}

struct apply_bits_shared {
	struct view_scratch scratch[APPLY_WARPS];
};

// Chunks first, first + step ... of a row, as many as are read at once.
template <typename T>
DEVICE void apply_chunks(const struct apply_arguments &a, const struct mask_view &view, const struct logits_row &row,
                         uint32_t begin, uint32_t step, struct view_scratch &scratch)
{
	lanes<uint32_t> words[CHUNKS_AHEAD];
	uint32_t next[CHUNKS_AHEAD];
	UNROLL
	for (uint32_t k = 0; k < CHUNKS_AHEAD; k++)
		chunk_load(view, a.masks.tables, row, begin + k * step, words[k], next[k], scratch);
	UNROLL
	for (uint32_t k = 0; k < CHUNKS_AHEAD; k++) {
		uint32_t c = begin + k * step, first;
		lanes<uint32_t> is_open;
		if (c >= row.n_chunks) break;
		chunk_align(row, words[k], next[k], first);
		FOR_LANES(l) is_open[l] = words[k][l] != ~0u;
		if (warp_ballot(is_open) || !c) apply_chunk<T>(row, c, words[k], first, a.infinity);
	}
}

template <typename T>
DEVICE void apply_bits_block(uint32_t block, const struct apply_arguments &a, struct apply_bits_shared &s)
{
	uint64_t i = block / a.blocks_per_row;
	struct logits_row row;
	struct mask_view view;
	if (row_is_off(a.masks, i) || !logits_row_open<T>(a.logits, i, row)) return;
	view_open_bits(a.masks, i, view);
	FOR_WARPS(w, APPLY_WARPS)
	{
		uint32_t step = a.blocks_per_row * APPLY_WARPS;
		for (uint32_t c = block % a.blocks_per_row * APPLY_WARPS + w; c < row.n_chunks; c += CHUNKS_AHEAD * step)
			apply_chunks<T>(a, view, row, c, step, s.scratch[w]);
	}
}

template <typename T> DEVICE void apply_block(uint32_t block, const struct apply_arguments &a, struct apply_shared &s)
{
	uint64_t i = block / a.blocks_per_row;
	ONE_THREAD
	{
		view_open(a.masks, i, s.view);
		if (!logits_row_open<T>(a.logits, i, s.row)) s.view.kind = VIEW_OFF;
	}
	sync_block();
	apply_row<T>(block % a.blocks_per_row, a, s);
}

// The same behind a step of the row's sequence.
template <typename T>
DEVICE void step_block(uint32_t block, const struct apply_arguments &a, struct apply_step_shared &s)
{
	uint64_t i = block / a.blocks_per_row;
	if (row_is_off(a.masks, i) || (a.logits.rows && a.logits.rows[i] < 0)) return;
	ONE_THREAD logits_row_open<T>(a.logits, i, s.row);
	step_row<APPLY_WARPS>(a.masks.tables, a.batch, i, a.blocks_per_row, s.step, s.view);
	apply_row<T>(block % a.blocks_per_row, a, s);
}

KERNEL(bits_4, apply_bits_block<uint32_t>, struct apply_arguments, struct apply_bits_shared, APPLY_WARPS, 4)
KERNEL(bits_2, apply_bits_block<uint16_t>, struct apply_arguments, struct apply_bits_shared, APPLY_WARPS, 5)
KERNEL(apply_4, apply_block<uint32_t>, struct apply_arguments, struct apply_shared, APPLY_WARPS, 4)
KERNEL(apply_2, apply_block<uint16_t>, struct apply_arguments, struct apply_shared, APPLY_WARPS, 5)
KERNEL(step_4, step_block<uint32_t>, struct apply_arguments, struct apply_step_shared, APPLY_WARPS, 4)
KERNEL(step_2, step_block<uint16_t>, struct apply_arguments, struct apply_step_shared, APPLY_WARPS, 4)

gcdc_status apply_load(void)
{
	gcdc_status status = LOAD(bits_4);
	if (!status) status = LOAD(bits_2);
	if (!status) status = LOAD(apply_4);
	if (!status) status = LOAD(apply_2);
	if (!status) status = LOAD(step_4);
	if (!status) status = LOAD(step_2);
	return status;
}

extern "C" gcdc_status gcdc_cuda_apply(const gcdc_cuda_masks *masks, const gcdc_cuda_logits *logits,
                                       gcdc_cuda_stream stream)
{
	struct apply_arguments a;
	gcdc_status status = mask_source_of(masks, &a.masks, &a.batch);
	if (!status) status = logits_source_of(logits, &a.logits);
	if (status || !masks->n_rows || (!logits->width && !masks->batch)) return status;
	uint32_t blocks = std::max((logits->width + APPLY_WARPS * CHUNK - 1) / (APPLY_WARPS * CHUNK), 1u);
	uint32_t wanted = masks->batch ? STEP_BLOCKS_WANTED : BLOCKS_WANTED;
	a.blocks_per_row = std::min(blocks, std::max(wanted / masks->n_rows, 1u));
	a.infinity = logits->type == GCDC_CUDA_F32   ? 0xff800000u
	             : logits->type == GCDC_CUDA_F16 ? 0xfc00fc00u
	                                             : 0xff80ff80u;
	uint64_t n = (uint64_t)masks->n_rows * a.blocks_per_row;
	bool is_4 = logits->type == GCDC_CUDA_F32;
	if (masks->batch) return is_4 ? LAUNCH(step_4, n, a, stream) : LAUNCH(step_2, n, a, stream);
	if (masks->bits) return is_4 ? LAUNCH(bits_4, n, a, stream) : LAUNCH(bits_2, n, a, stream);
	return is_4 ? LAUNCH(apply_4, n, a, stream) : LAUNCH(apply_2, n, a, stream);
}
