// Who makes the edges of a node that several builders have found.
//
// In:  builders with a thread each. Out: each node's edges in one of them.
// Half of what two builders ask of frames is the same. So the first that comes to a node's edges claims it, under a
// digest of what the node asks, which no builder's own numbers are in. The others lend it: they make no edges and go no
// further, and tell the claimant which frames they found above it. The claimant then asks what lies below these, too.
// Whatever lies behind is found there alone. Where items hold conditions, each builder makes its own.
// Claims are lists by digest, messages one list for each builder; both only grow at their heads, by compare and swap,
// so no thread waits for another. Nobody has anything left to ask when no builder is busy and no message is unread:
// both are counted in one number.
// A digest may be wrong in theory. So when the builders are joined, each lent node is compared with the one that it was
// taken for (tables.c). Cost: a digest for each node; the frames of a message.
#define _POSIX_C_SOURCE 200809L  // nanosleep
#include "automaton.h"

#include <stdatomic.h>
#include <time.h>

#include "../base/parallel.h"
#include "../base/work.h"

#define CLAIM_LISTS (1u << 16)
#define WAIT_NS 50000

struct claim {
	struct claim *next;
	struct digest what;
	uint32_t builder, node;
};
struct message {
	struct message *next;
	const void *above;  // frames, packed
	uint32_t len, node;
};
struct claims {
	_Atomic(struct message *) inbox[PARALLEL_MAX_THREADS];  // [builder]
	_Atomic uint32_t busy;                                  // builders that are, and messages
	_Atomic bool is_over;                                   // a limit is passed
	_Atomic(struct claim *) list[CLAIM_LISTS];
};

struct claims *claims_new(uint32_t n_builders)
{
	ASSERT(n_builders <= PARALLEL_MAX_THREADS);
	struct claims *c = mem_calloc(1, sizeof *c);
	atomic_store(&c->busy, 1);  // the first builder: it has work even where others take all that is to be shared
	return c;
}

void claims_free(struct claims *c) { free(c); }

// --- Digests ---------------------------------------------------------------------------------------------------------

static struct digest digest_of_list(struct builder *b, uint32_t list)
{
	const struct summaries *a = &b->summaries;
	for (uint32_t r = b->of_remainder.n; r < b->whole.remainders.entries.n; r++) {
		uint32_t len;
		const void *key = intern_get(&b->whole.remainders, r, &len);
		vec_push(&b->of_remainder, digest_of(key, len));
	}
	for (uint32_t i = b->of_continuation.n; i < a->continuations.entries.n; i++) {
		struct continuation x;
		memcpy(&x, intern_get(&a->continuations, i, NULL), sizeof x);
		const struct digest *behind = &b->of_remainder.at[x.remainder];
		const uint64_t words[] = {x.terminal, behind->at[0], behind->at[1]};
		vec_push(&b->of_continuation, digest_of(words, sizeof words));
	}
	for (uint32_t i = b->of_list.n; i <= list; i++) {
		uint32_t n;
		const uint32_t *member = intern_get(&a->continuation_lists, i, &n);
		struct digest sum = {{0}};
		for (uint32_t k = 0; k < n / sizeof *member; k++) digest_add(&sum, &b->of_continuation.at[member[k]]);
		vec_push(&b->of_list, sum);
	}
	return b->of_list.at[list];
}

// What a node asks, whoever numbers it. False: there are conditions, which only its builder knows. Items are in the
// order of what they pop and go on with, and no two are equal in both.
static bool digest_of_node(struct builder *b, uint32_t node, struct digest *d)
{
	uint32_t n;
	const pending_item *list = summaries_items(&b->summaries, b->items.at[node], &n);
	vec_clear(&b->node_words);
	vec_push(&b->node_words, b->nodes.at[node].skip);
	for (uint32_t i = 0; i < n; i++) {
		if (list[i] & ITEM_CONDITION) return false;
		const struct digest behind = digest_of_list(b, item_continuations(list[i]));
		vec_push(&b->node_words, list[i] >> ITEM_LHS_SHIFT);
		vec_push(&b->node_words, behind.at[0]);
		vec_push(&b->node_words, behind.at[1]);
	}
	*d = digest_of(b->node_words.at, b->node_words.n * sizeof *b->node_words.at);
	return true;
}

// --- Claims ----------------------------------------------------------------------------------------------------------

// From first on, not from `last`.
static const struct claim *find_claim(const struct claim *first, const struct claim *last, const struct digest *d)
{
	while (first != last && !digest_is(&first->what, d)) first = first->next;
	return first == last ? NULL : first;
}

// The node is claimed by whoever comes first; *x is the claim.
static const struct claim *claim_node(struct builder *b, uint32_t node, const struct digest *d)
{
	_Atomic(struct claim *) *list = &b->claims->list[d->at[0] % CLAIM_LISTS];
	struct claim *first = atomic_load_explicit(list, memory_order_acquire);
	const struct claim *known = find_claim(first, NULL, d);
	if (known) return known;
	struct claim *own = arena_alloc(&b->told, sizeof *own);
	*own = (struct claim){first, *d, b->number, node};
	while (!atomic_compare_exchange_weak_explicit(list, &own->next, own, memory_order_release, memory_order_acquire)) {
		if ((known = find_claim(own->next, first, d)) != NULL) return known;
		first = own->next;
	}
	return own;
}

static void tell(struct builder *b, const struct lent_node *to, const void *above, uint32_t len)
{
	struct message *m = arena_alloc(&b->told, sizeof *m);
	_Atomic(struct message *) *inbox = &b->claims->inbox[to->builder];
	*m = (struct message){atomic_load_explicit(inbox, memory_order_relaxed), above, len, to->there};
	atomic_fetch_add(&b->claims->busy, 1);
	while (!atomic_compare_exchange_weak_explicit(inbox, &m->next, m, memory_order_release, memory_order_relaxed)) {
	}
}

bool builder_lends(struct builder *b, uint32_t node)
{
	struct raw_node *x = &b->nodes.at[node];
	struct digest d;
	if (!b->claims || x->is_own) return false;
	if (!x->lent) {
		const struct claim *claim = digest_of_node(b, node, &d) ? claim_node(b, node, &d) : NULL;
		x->is_own = !claim || claim->builder == b->number;
		if (x->is_own) return false;
		vec_push(&b->lent, ((struct lent_node){node, claim->builder, claim->node}));
		x->lent = b->lent.n;
	}
	uint32_t len;
	const void *above = frames_packed(&b->frames, x->above, &len);
	tell(b, &b->lent.at[x->lent - 1], above, len);
	return true;
}

bool builder_hear(struct builder *b)
{
	if (!b->claims) return false;
	const struct message *m = atomic_exchange_explicit(&b->claims->inbox[b->number], NULL, memory_order_acquire);
	uint32_t n = 0;
	for (; m; m = m->next, n++) builder_come_from(b, m->node, m->above, m->len);
	atomic_fetch_sub(&b->claims->busy, n);
	return b->queue.n;
}

// --- The end ---------------------------------------------------------------------------------------------------------

void builder_begin(struct builder *b)
{
	if (b->claims && b->number) atomic_fetch_add(&b->claims->busy, 1);
}

void builder_stop_all(struct builder *b)
{
	if (b->claims) atomic_store(&b->claims->is_over, true);
}

bool builder_end(struct builder *b)
{
	bool ok = builder_close(b);
	if (!b->claims) return ok;
	struct claims *c = b->claims;
	for (atomic_fetch_sub(&c->busy, 1); ok && atomic_load(&c->busy) && !atomic_load(&c->is_over);) {
		if (!atomic_load_explicit(&c->inbox[b->number], memory_order_relaxed)) {
			nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
			work_look();
			continue;
		}
		atomic_fetch_add(&c->busy, 1);
		ok = builder_close(b);
		atomic_fetch_sub(&c->busy, 1);
	}
	return ok;
}
