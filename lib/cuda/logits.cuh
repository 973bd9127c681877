// Rows of logits, 1024 at a time.
//
// A warp does a chunk: 32 words of the mask and the 1024 logits they are about, in pieces of 16 bytes. Pieces are
// aligned in memory whatever the row's address is: the row's first `head` logits, those before the first aligned
// address, are done one by one with chunk 0, and the mask is shifted by as many bits. Addresses are computed in 64
// bits.
#ifndef GCDC_CUDA_LOGITS_CUH
#define GCDC_CUDA_LOGITS_CUH

#include "mask_rows.cuh"

#define CHUNK 1024u  // logits

struct logits_source {
	void *at;
	uint32_t type, width;
	int64_t stride;
	const int32_t *rows;
};

struct logits_row {
	void *at;
	uint32_t width, head, n_chunks;
};

// False: the row is left out.
template <typename T> DEVICE bool logits_row_open(const struct logits_source &x, uint64_t i, struct logits_row &row)
{
	int64_t number = x.rows ? x.rows[i] : (int64_t)i;
	if (number < 0) return false;
	T *at = (T *)x.at + number * x.stride;
	uint32_t off = (uint32_t)((uintptr_t)at % 16);
	row.at = at;
	row.width = x.width;
	row.head = min_of(off ? (16 - off) / (uint32_t)sizeof(T) : 0, x.width);
	row.n_chunks = max_of((x.width - row.head + CHUNK - 1) / CHUNK, 1u);
	return true;
}

struct piece {
	uint32_t x[4];
};  // 16 bytes: 4 or 8 logits
#define PIECE_LOGITS(T) (16u / (uint32_t)sizeof(T))
#define PIECES_PER_LANE(T) (CHUNK / WARP / PIECE_LOGITS(T))

DEVICE struct piece piece_load(const void *at)
{
#ifdef ON_DEVICE
	uint4 v = *(const uint4 *)at;
	return {{v.x, v.y, v.z, v.w}};
#else
	struct piece p;
	memcpy(&p, at, sizeof p);
	return p;
#endif
}
DEVICE void piece_store(void *at, struct piece p)
{
#ifdef ON_DEVICE
	*(uint4 *)at = make_uint4(p.x[0], p.x[1], p.x[2], p.x[3]);
#else
	memcpy(at, &p, sizeof p);
#endif
}

// ---- Values. A number that is none counts as -inf, -0 as 0.
// How a logit of a type (GCDC_CUDA_F32 ...) lies in memory.
template <uint32_t TYPE> struct logit_of {
	typedef uint16_t bits;
};
template <> struct logit_of<GCDC_CUDA_F32> {
	typedef uint32_t bits;
};

template <uint32_t TYPE> DEVICE float value_of(uint32_t x)
{
	float f;
	if (TYPE == GCDC_CUDA_F32) {
		f = float_of_bits(x);
	} else if (TYPE == GCDC_CUDA_BF16) {
		f = float_of_bits(x << 16);
	} else {
		uint32_t magnitude = (x & 0x7fff) << 13;
		f = float_mul(float_of_bits(magnitude), 0x1p112f);  // exact, also below the normal numbers
		uint32_t special = (x & 0x7c00) == 0x7c00 ? magnitude | 0x7f800000u : bits_of_float(f);
		f = float_of_bits(special | (x & 0x8000) << 16);
	}
	if (f != f) f = float_of_bits(0xff800000u);
	return f == 0 ? 0 : f;
}
// Numbers in the order of the values they stand for, above 0.
DEVICE uint32_t order_of(float f)
{
	uint32_t x = bits_of_float(f);
	return x >> 31 ? ~x : x | 0x80000000u;
}
DEVICE float value_of_order(uint32_t x) { return float_of_bits(x >> 31 ? x & 0x7fffffffu : ~x); }

// Pieces k of the lanes: a chunk is PIECES_PER_LANE of them.
struct chunk_part {
	lanes<struct piece> piece;
	lanes<uint32_t> bits;  // of the mask, a piece's
};
// Reads those of which something is allowed; what reaches past the row is not.
template <typename T>
DEVICE void part_load(const struct logits_row &row, uint64_t begin, uint32_t k, const lanes<uint32_t> &words,
                      struct chunk_part &to)
{
	const uint32_t N = PIECE_LOGITS(T), ALL = (1u << N) - 1;
	FOR_LANES(l)
	{
		uint32_t from = (k * WARP + l) * N;
		to.bits[l] = words.get(from / 32) >> from % 32 & ALL;
		to.piece[l] = {};
		if (to.bits[l] && begin + from + N <= row.width) to.piece[l] = piece_load((const T *)row.at + begin + from);
	}
}

// visit(lane, token, value) for the logits of chunk c that the mask allows; those of a lane ascend. A part is on its
// way while the one before it is visited.
template <uint32_t TYPE, typename F>
DEVICE void chunk_visit(const struct logits_row &row, uint32_t c, const lanes<uint32_t> &words, uint32_t first, F visit)
{
	typedef typename logit_of<TYPE>::bits T;
	const uint32_t N = PIECE_LOGITS(T), PIECES = PIECES_PER_LANE(T), BITS = 8 * sizeof(T);
	const T *at = (const T *)row.at;
	uint64_t begin = (uint64_t)row.head + (uint64_t)c * CHUNK;
	if (!c) {
		FOR_LANES(l)
		if (l < row.head && first >> l & 1) visit(l, l, value_of<TYPE>(at[l]));
	}
	struct chunk_part ahead, part;
	part_load<T>(row, begin, 0, words, ahead);
	NO_UNROLL
	for (uint32_t k = 0; k < PIECES; k++) {
		part = ahead;
		if (k + 1 < PIECES) part_load<T>(row, begin, k + 1, words, ahead);
		FOR_LANES(l)
		{
			uint32_t x = part.bits[l];
			uint64_t token = begin + (k * WARP + l) * N;
			if (x && token + N <= row.width) {
				for (uint32_t e = 0; e < N; e++) {
					T logit = (T)(part.piece[l].x[e * BITS / 32] >> e * BITS % 32);
					if (x >> e & 1) visit(l, (uint32_t)token + e, value_of<TYPE>(logit));
				}
			} else {
				NO_UNROLL
				for (uint32_t e = 0; e < N && x; e++)
					if (x >> e & 1 && token + e < row.width)
						visit(l, (uint32_t)token + e, value_of<TYPE>(at[token + e]));
			}
		}
	}
}

// The mask of chunk c: bit b of lane l is for logit 1024 c + 32 l + b; *next: the word behind, where it is needed. No
// bit is set past the row's last chunk.
DEVICE void chunk_load(const struct mask_view &v, const struct device_tables &a, const struct logits_row &row,
                       uint32_t c, lanes<uint32_t> &words, uint32_t &next, struct view_scratch &scratch)
{
	warp_words(v, a, c * (CHUNK / 32), row.head != 0, words, next, scratch);
}
// The same as the logits' pieces lie: bit b of lane l is for logit head + 1024 c + 32 l + b. *first: bits of the head's
// logits (chunk 0).
DEVICE void chunk_align(const struct logits_row &row, lanes<uint32_t> &words, uint32_t next, uint32_t &first)
{
	first = words.get(0);
	lanes<uint32_t> after;
	FOR_LANES(l) after[l] = words.get(l + 1 < WARP ? l + 1 : l);
	FOR_LANES(l) words[l] = funnel_shift(words[l], l + 1 < WARP ? after[l] : next, row.head);
}
DEVICE void chunk_words(const struct mask_view &v, const struct device_tables &a, const struct logits_row &row,
                        uint32_t c, lanes<uint32_t> &words, uint32_t &first, struct view_scratch &scratch)
{
	uint32_t next;
	chunk_load(v, a, row, c, words, next, scratch);
	chunk_align(row, words, next, first);
}

gcdc_status logits_source_of(const gcdc_cuda_logits *logits, struct logits_source *out);

#endif
