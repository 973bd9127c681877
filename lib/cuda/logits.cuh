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
DEVICE float value_of(uint32_t type, uint32_t x)
{
	float f;
	if (type == GCDC_CUDA_F32) {
		f = float_of_bits(x);
	} else if (type == GCDC_CUDA_BF16) {
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

// visit(lane, token, value) for the logits of chunk c that the mask allows, in any order.
template <typename T, typename F>
DEVICE void chunk_visit(const struct logits_row &row, uint32_t type, uint32_t c, const lanes<uint32_t> &words,
                        uint32_t first, F visit)
{
	const uint32_t N = PIECE_LOGITS(T), PIECES = PIECES_PER_LANE(T), ALL = (1u << N) - 1, BITS = 8 * sizeof(T);
	const T *at = (const T *)row.at;
	uint64_t begin = (uint64_t)row.head + (uint64_t)c * CHUNK;
	if (!c) {
		FOR_LANES(l)
		if (l < row.head && first >> l & 1) visit(l, l, value_of(type, at[l]));
	}
	NO_UNROLL
	for (uint32_t k = 0; k < PIECES; k++) {
		FOR_LANES(l)
		{
			uint32_t from = (k * WARP + l) * N;
			uint32_t x = words.get(from / 32) >> from % 32 & ALL;
			uint64_t token = begin + from;
			if (x && token + N <= row.width) {
				struct piece p = piece_load(at + token);
				for (uint32_t e = 0; e < N; e++)
					if (x >> e & 1)
						visit(l, (uint32_t)token + e, value_of(type, (T)(p.x[e * BITS / 32] >> e * BITS % 32)));
			} else {
				NO_UNROLL
				for (uint32_t e = 0; e < N && x; e++)
					if (x >> e & 1 && token + e < row.width)
						visit(l, (uint32_t)token + e, value_of(type, at[token + e]));
			}
		}
	}
}

// The mask of chunk c as the logits' pieces lie: bit b of lane l is for logit head + 1024 c + 32 l + b. *first: bits of
// the head's logits (chunk 0).
DEVICE void chunk_words(const struct mask_view &v, const struct device_tables &a, const struct logits_row &row,
                        uint32_t c, lanes<uint32_t> &words, uint32_t &first, struct view_scratch &scratch)
{
	uint32_t next;
	lanes<uint32_t> plain;
	warp_words(v, a, c * (CHUNK / 32), row.head != 0, plain, next, scratch);
	first = plain.get(0);
	FOR_LANES(l)
	{
		uint32_t after = plain.get(l + 1 < WARP ? l + 1 : l);
		words[l] = funnel_shift(plain[l], l + 1 < WARP ? after : next, row.head);
	}
}

gcdc_status logits_source_of(const gcdc_cuda_logits *logits, struct logits_source *out);

#endif
