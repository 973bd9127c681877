// Networks as python's ipaddress reads them by default: address/length, where all bits behind the first `length` are 0.
//
// In:  nothing. Out: languages. A state keeps how long a network the address needs at least.
// Of IPv6 these are the texts whose last part is ::, as `2001:db8::/32`; format.c adds any address of length 128.
// Networks with parts behind :: (`2001:db8::1:0/112`) are left out: they would take 129 states for each place.
// Cost: 36,000 states of IPv4 and 18,000 of IPv6 before minimisation.
#include "internal.h"

#define OCTETS 4u
#define OCTET_VALUES 257u  // none yet, 0..255
#define GROUPS 7u          // of 16 bits, before ::
#define GROUP_STATES 85u   // 0..4 digits, 0..16 zero bits at the end
#define ALL_ZERO 16u
#define MOST_LENGTH 128u

typedef VEC(struct language_edge) edge_list;

// An automaton that is made: the states of the address, then those of the length behind it.
struct network {
	edge_list edges;
	bool *accept;
	uint32_t lengths, most;  // the first state of lengths; the longest length
};

static void add(struct network *n, uint32_t from, char lo, char hi, uint32_t to)
{
	vec_push(&n->edges, ((struct language_edge){from, to, (uint8_t)lo, (uint8_t)hi}));
}

static uint32_t zeros_behind(uint32_t value, uint32_t bits)
{
	uint32_t k = 0;
	while (k < bits && !(value >> k & 1)) k++;
	return k;
}

static struct network network_new(uint32_t address_states, uint32_t most)
{
	struct network n = {.lengths = address_states, .most = most};
	n.accept = mem_calloc(address_states + (most + 1) * (most + 2), sizeof *n.accept);
	return n;
}

// Behind /: the length in decimal, without needless zeros; `least` of it. 0 is "none yet", k + 1 is k.
static uint32_t length_state(const struct network *n, uint32_t least, uint32_t typed)
{
	return n->lengths + least * (n->most + 2) + typed;
}

static void add_decimal(struct network *n, uint32_t from, uint32_t first, uint32_t typed, uint32_t most)
{
	for (uint32_t d = 0; d <= 9; d++) {
		const uint32_t value = typed ? 10 * (typed - 1) + d : d;
		if (typed != 1 && value <= most) add(n, from, (char)('0' + d), (char)('0' + d), first + value + 1);
	}
}

static language network_done(struct schema *s, struct network *n)
{
	for (uint32_t least = 0; least <= n->most; least++)
		for (uint32_t typed = 0; typed <= n->most + 1; typed++) {
			const uint32_t from = length_state(n, least, typed);
			n->accept[from] = typed > least;
			add_decimal(n, from, length_state(n, least, 0), typed, n->most);
		}
	const uint32_t n_states = n->lengths + (n->most + 1) * (n->most + 2);
	language l = language_of_automaton(s->languages, n_states, n->accept, n->edges.at, n->edges.n);
	vec_release(&n->edges);
	free(n->accept);
	return l;
}

static uint32_t octet_state(uint32_t octet, uint32_t least, uint32_t typed)
{
	return (octet * (8 * OCTETS + 1) + least) * OCTET_VALUES + typed;
}

language ipv4_networks(struct schema *s)
{
	struct network n = network_new(octet_state(OCTETS, 0, 0), 8 * OCTETS);
	for (uint32_t octet = 0; octet < OCTETS; octet++)
		for (uint32_t least = 0; least <= 8 * OCTETS; least++)
			for (uint32_t typed = 0; typed < OCTET_VALUES; typed++) {
				const uint32_t from = octet_state(octet, least, typed);
				const uint32_t needs = typed > 1 ? 8 * octet + 8 - zeros_behind(typed - 1, 8) : least;
				n.accept[from] = typed && octet == OCTETS - 1;
				if (typed && octet < OCTETS - 1) add(&n, from, '.', '.', octet_state(octet + 1, needs, 0));
				if (typed && octet == OCTETS - 1) add(&n, from, '/', '/', length_state(&n, needs, 0));
				add_decimal(&n, from, octet_state(octet, least, 0), typed, 255);
			}
	return network_done(s, &n);
}

static uint32_t group_state(uint32_t group, uint32_t digits, uint32_t zeros)
{
	return group * GROUP_STATES + digits * (ALL_ZERO + 1) + zeros;
}

// Behind the first colon after so many groups, and behind ::.
static uint32_t colon_state(uint32_t groups, uint32_t zeros)
{
	return group_state(GROUPS, 0, 0) + groups * (ALL_ZERO + 1) + zeros;
}

static uint32_t double_state(uint32_t least) { return colon_state(GROUPS + 1, 0) + least; }

// Digits '0' to '9', or letters, of a group whose digits so far end in so many zero bits.
static void add_hex(struct network *n, uint32_t from, uint32_t group, uint32_t digits, uint32_t zeros, bool letters)
{
	static const char all[] = "0123456789ABCDEFabcdef";
	const uint32_t value_of[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 10, 11, 12, 13, 14, 15};
	for (uint32_t k = letters ? 10 : 0; digits < 4 && k < (letters ? 22 : 10); k++) {
		const uint32_t more = zeros == ALL_ZERO ? ALL_ZERO : zeros + 4;
		const uint32_t to = value_of[k] ? zeros_behind(value_of[k], 4) : more;
		add(n, from, all[k], all[k], group_state(group, digits + 1, to));
	}
}

language ipv6_networks(struct schema *s)
{
	struct network n = network_new(double_state(MOST_LENGTH + 1), MOST_LENGTH);
	for (uint32_t group = 0; group < GROUPS; group++)
		for (uint32_t digits = 0; digits <= 4; digits++)
			for (uint32_t zeros = 0; zeros <= ALL_ZERO; zeros++) {
				const uint32_t from = group_state(group, digits, zeros);
				const bool is_start = !from;
				add_hex(&n, from, group, digits, digits ? zeros : ALL_ZERO, false);
				if (digits) add(&n, from, ':', ':', colon_state(group + 1, zeros));
				if (is_start) add(&n, from, ':', ':', colon_state(0, ALL_ZERO));
				add_hex(&n, from, group, digits, digits ? zeros : ALL_ZERO, true);
			}
	for (uint32_t groups = 0; groups <= GROUPS; groups++)
		for (uint32_t zeros = 0; zeros <= ALL_ZERO; zeros++) {
			const uint32_t from = colon_state(groups, zeros);
			const bool goes_on = groups && groups < GROUPS;
			if (goes_on) add_hex(&n, from, groups, 0, ALL_ZERO, false);
			add(&n, from, ':', ':', double_state(groups ? 16 * groups - zeros : 0));
			if (goes_on) add_hex(&n, from, groups, 0, ALL_ZERO, true);
		}
	for (uint32_t least = 0; least <= MOST_LENGTH; least++) {
		n.accept[double_state(least)] = true;
		add(&n, double_state(least), '/', '/', length_state(&n, least, 0));
	}
	return network_done(s, &n);
}
