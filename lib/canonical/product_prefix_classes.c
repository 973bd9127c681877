// Prefix classes: beginnings of characters that are alike.
//
// In:  kinds of characters. Out: for each beginning the first one behind which the same kinds come.
// A token may end inside a character. What the place then holds are bytes, 17,000 combinations; but what counts is
// which kinds of characters the bytes that follow can make, and of these there are a few hundred. From the last byte
// up: two beginnings are alike when the 64 bytes that may follow lead to kinds, or beginnings, that are. Cost: each
// code point once.
#include "characters.h"
#include "product.h"

static uint32_t size_of(uint8_t b) { return b < 0xE0 ? 2 : b < 0xF0 ? 3 : 4; }

// Is prefix << shift a beginning of characters of this many bytes? They differ in which are too short to be written so.
static uint32_t size_class(uint32_t prefix, uint32_t shift)
{
	uint32_t c = prefix << shift;
	return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

void product_list_prefix_classes(struct product *p)
{
	static const uint32_t base[] = {REGEX_PREFIX_CLASS_6, REGEX_PREFIX_CLASS_12, REGEX_PREFIX_CLASS_18,
	                                REGEX_N_PREFIX_CLASS};
	const struct canonical *c = p->places.c;
	struct intern seen = {0};
	p->alike = arena_array(&p->arena, REGEX_N_PREFIX_CLASS, sizeof *p->alike);
	for (uint32_t level = 0; level < 3; level++) {
		VEC(uint32_t) first = {0};
		for (uint32_t i = 0; i < base[level + 1] - base[level]; i++) {
			uint32_t key[66] = {level, size_class(i, 6 * (level + 1))};
			for (uint32_t k = 0; k < 64; k++) {
				uint32_t x = i * 64 + k;
				if (level)
					key[2 + k] = x < base[level] - base[level - 1] ? p->alike[base[level - 1] + x] : UINT32_MAX;
				else
					key[2 + k] = x >= 0xD800 && x < 0xE000 ? UINT32_MAX : (uint32_t)(character_kind(c, x) - c->kinds);
			}
			uint32_t id = intern_add(&seen, key, sizeof key, NULL);
			while (first.n <= id) vec_push(&first, i);
			p->alike[base[level] + i] = (uint16_t)first.at[id];
		}
		vec_release(&first);
	}
	intern_release(&seen);
}

void product_represent(const struct product *p, struct piece_state *place)
{
	static const uint32_t base[] = {0, REGEX_PREFIX_CLASS_6, REGEX_PREFIX_CLASS_12, REGEX_PREFIX_CLASS_18,
	                                REGEX_N_PREFIX_CLASS};
	if (!place->n_begun) return;
	uint32_t size = size_of(place->begun[0]), left = size - place->n_begun, x = place->begun[0] & (0x7Fu >> size);
	for (uint32_t i = 1; i < place->n_begun; i++) x = x << 6 | (place->begun[i] & 63u);
	if (x >= base[left + 1] - base[left] || size_class(x, 6 * left) != size)
		return;  // others, too short for their size, come to nothing or are told apart later
	x = p->alike[base[left] + x];
	for (uint32_t i = place->n_begun; i-- > 1; x >>= 6) place->begun[i] = (uint8_t)(0x80 | (x & 63));
	place->begun[0] = (uint8_t)((0xF00u >> size & 0xFFu) | x);
}
