// SHA-256 (FIPS 180-4, 6.2), for the compiler's files and the runtime's catalogs.
//
// In:  bytes. Out: the digest. The message is taken in blocks of 64 bytes; behind it come a bit 1, zeros, and its
// length in bits, which fill the last block or the last two. Names are those of the standard: H, K, W, Sigma, sigma,
// Ch, Maj. Cost: about 4 ns a byte.
#ifndef GCDC_SHARED_SHA256_H
#define GCDC_SHARED_SHA256_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SHA256_HEX 65u

static const uint32_t sha256_k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static inline uint32_t sha256_rotr(uint32_t x, int n) { return x >> n | x << (32 - n); }

static inline void sha256_take_block(uint32_t H[8], const uint8_t *block)
{
	uint32_t W[64];
	for (int t = 0; t < 16; t++)
		W[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 | (uint32_t)block[4 * t + 2] << 8 |
		       block[4 * t + 3];
	for (int t = 16; t < 64; t++) {
		uint32_t sigma0 = sha256_rotr(W[t - 15], 7) ^ sha256_rotr(W[t - 15], 18) ^ W[t - 15] >> 3;
		uint32_t sigma1 = sha256_rotr(W[t - 2], 17) ^ sha256_rotr(W[t - 2], 19) ^ W[t - 2] >> 10;
		W[t] = sigma1 + W[t - 7] + sigma0 + W[t - 16];
	}
	uint32_t a = H[0], b = H[1], c = H[2], d = H[3], e = H[4], f = H[5], g = H[6], h = H[7];
	for (int t = 0; t < 64; t++) {
		uint32_t Sigma1 = sha256_rotr(e, 6) ^ sha256_rotr(e, 11) ^ sha256_rotr(e, 25), Ch = (e & f) ^ (~e & g);
		uint32_t Sigma0 = sha256_rotr(a, 2) ^ sha256_rotr(a, 13) ^ sha256_rotr(a, 22);
		uint32_t Maj = (a & b) ^ (a & c) ^ (b & c);
		uint32_t T1 = h + Sigma1 + Ch + sha256_k[t] + W[t], T2 = Sigma0 + Maj;
		h = g, g = f, f = e, e = d + T1, d = c, c = b, b = a, a = T1 + T2;
	}
	H[0] += a, H[1] += b, H[2] += c, H[3] += d, H[4] += e, H[5] += f, H[6] += g, H[7] += h;
}

static inline void sha256_hex_of(const void *bytes, size_t len, char hex[SHA256_HEX])
{
	uint32_t H[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	const uint8_t *at = bytes;
	size_t rest = len;
	for (; rest >= 64; at += 64, rest -= 64) sha256_take_block(H, at);
	uint8_t last[128] = {0};
	size_t n = rest < 56 ? 64 : 128;
	if (rest) memcpy(last, at, rest);
	last[rest] = 0x80;
	for (int i = 0; i < 8; i++) last[n - 1 - (size_t)i] = (uint8_t)((uint64_t)len * 8 >> 8 * i);
	sha256_take_block(H, last);
	if (n == 128) sha256_take_block(H, last + 64);
	static const char digits[] = "0123456789abcdef";
	for (int i = 0; i < 64; i++) hex[i] = digits[H[i / 8] >> (28 - 4 * (i % 8)) & 15];
	hex[64] = 0;
}

#endif
