// Lookbehinds: what stood before, as one automaton that watches the whole text.
//
// In:  the lookbehinds' automata ("anything, then body"). Out: the observer: their product, and the position inside a
// code point, minimised by which lookbehinds hold. The terminal's own automata run it alongside (regex_dfa.c),
// beginning in each of its states in which a lexeme may begin; where the text before turns out not to matter, as in
// ESCAPED_STRING, all those beginnings are equal and nothing remains of it.
// Cost: states x intervals of bytes x lookbehinds; one automaton of \w has about 250 states.
#include "../base/refine.h"
#include "regex_internal.h"

void utf8_bounds(bits bounds[5])
{
	static const uint16_t at[] = {0x00, 0x80, 0x90, 0xA0, 0xC0, 0xC2, 0xE0, 0xE1, 0xED, 0xEE, 0xF0, 0xF1, 0xF4, 0xF5};
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) bits_set(bounds, at[i]);
}

uint32_t number_intervals(const bits bounds[5], uint8_t interval_of[256], uint8_t first[256])
{
	uint32_t n = 0;
	for (uint32_t b = 0; b < 256; b++) {
		if (!b || bits_test(bounds, b)) first[n++] = (uint8_t)b;
		interval_of[b] = (uint8_t)(n - 1);
	}
	return n;
}

struct watch {
	struct re_ctx *c;
	uint32_t behind[REGEX_MAX_LOOKS], n_behind;  // the lookbehinds among c->looks
	struct intern keys;                          // their states, then the position inside a code point
	VEC(uint32_t) next;
	uint32_t n_intervals;
};

static uint32_t key_position(const struct watch *w, uint32_t id)
{
	return ((const uint32_t *)intern_get(&w->keys, id, NULL))[w->n_behind];
}

static uint32_t step(struct watch *w, uint32_t id, uint8_t byte)
{
	uint32_t key[REGEX_MAX_LOOKS + 1], n = w->n_behind;
	memcpy(key, intern_get(&w->keys, id, NULL), (n + 1) * sizeof *key);
	uint8_t position = utf8_step((uint8_t)key[n], byte);
	if (position == UTF8_BAD) return DFA_DEAD;
	for (uint32_t i = 0; i < n; i++)
		key[i] = key[i] == DFA_DEAD ? DFA_DEAD : sparse_step(w->c->looks.at[w->behind[i]].dfa, key[i], byte);
	key[n] = position;
	w->c->work += n;
	return intern_add(&w->keys, key, (n + 1) * sizeof *key, NULL);
}

static uint64_t holding(const struct watch *w, uint32_t id)
{
	const uint32_t *key = intern_get(&w->keys, id, NULL);
	uint64_t holds = 0;
	for (uint32_t i = 0; i < w->n_behind && !key[w->n_behind]; i++)
		if (key[i] != DFA_DEAD && w->c->looks.at[w->behind[i]].dfa->accept[key[i]])
			holds |= (uint64_t)1 << w->behind[i];
	return holds;
}

static void describe(void *user, uint32_t id, struct refine_node *out)
{
	const struct watch *w = user;
	uint64_t holds = holding(w, id);
	vec_push(&out->label, (uint32_t)holds);
	vec_push(&out->label, (uint32_t)(holds >> 32));
	vec_push(&out->label, key_position(w, id));
	for (uint32_t i = 0; i < w->n_intervals; i++) vec_push(&out->successors, w->next.at[id * w->n_intervals + i]);
}

static void minimal(struct watch *w, struct re_observer *o)
{
	uint32_t n = w->keys.entries.n, *class_of = mem_calloc(n, sizeof *class_of);
	struct arena *a = &w->c->scratch;
	o->n = refine_partition(n, describe, w, class_of);
	o->n_intervals = w->n_intervals;
	o->next = arena_array(a, (size_t)o->n * o->n_intervals, sizeof *o->next);
	o->holds = arena_array(a, o->n, sizeof *o->holds);
	o->between = arena_array(a, o->n, 1);
	for (uint32_t id = 0; id < n; id++) {
		uint32_t k = class_of[id];
		o->holds[k] = holding(w, id);
		o->between[k] = !key_position(w, id);
		for (uint32_t i = 0; i < o->n_intervals; i++) {
			uint32_t to = w->next.at[id * o->n_intervals + i];
			o->next[(size_t)k * o->n_intervals + i] = to == DFA_DEAD ? DFA_DEAD : class_of[to];
		}
	}
	free(class_of);
}

bool observer_build(struct re_ctx *c)
{
	struct watch w = {.c = c};
	struct re_observer *o = &c->observer;
	*o = (struct re_observer){.n = 1};
	bits bounds[5] = {0};
	utf8_bounds(bounds);
	for (uint32_t i = 0; i < c->looks.n; i++) {
		if (!c->looks.at[i].behind) continue;
		w.behind[w.n_behind++] = i;
		dfa_bounds(c->looks.at[i].dfa, bounds);
	}
	if (!w.n_behind) return true;
	uint8_t first[256];
	w.n_intervals = number_intervals(bounds, o->interval_of, first);
	uint32_t start[REGEX_MAX_LOOKS + 1] = {0};
	for (uint32_t i = 0; i < w.n_behind; i++) start[i] = c->looks.at[w.behind[i]].dfa->n_states ? 0 : DFA_DEAD;
	intern_add(&w.keys, start, (w.n_behind + 1) * sizeof *start, NULL);
	bool ok = true;
	for (uint32_t id = 0; id < w.keys.entries.n && ok; id++) {
		for (uint32_t i = 0; i < w.n_intervals; i++) {
			uint32_t to = step(&w, id, first[i]);
			vec_push(&w.next, to);
		}
		ok = re_within_work(c, 0);
		if (ok && w.keys.entries.n > REGEX_MAX_BEHIND) {
			re_error(c, c->whole,
			         "the lookbehinds of this terminal need more than REGEX_MAX_BEHIND (%u) states: use fewer or "
			         "simpler ones",
			         REGEX_MAX_BEHIND);
			ok = false;
		}
	}
	if (ok) minimal(&w, o);
	intern_release(&w.keys);
	vec_release(&w.next);
	return ok;
}

// ---- out ----

struct needed {
	const struct re_observer *o;
	const uint32_t *starts;
};

static void describe_needed(void *user, uint32_t id, struct refine_node *out)
{
	const struct needed *w = user;
	vec_push(&out->label, w->o->between[id]);
	vec_push(&out->label, w->o->between[id] ? w->starts[id] : 0);
	for (uint32_t i = 0; i < w->o->n_intervals; i++)
		vec_push(&out->successors, w->o->next[(size_t)id * w->o->n_intervals + i]);
}

void observer_output(struct re_ctx *c, const uint32_t *starts, struct arena *arena, struct observer_dfa *out)
{
	const struct re_observer *o = &c->observer;
	*out = (struct observer_dfa){0};
	bool matters = false;
	for (uint32_t v = 1; v < o->n; v++) matters |= o->between[v] && starts[v] != starts[0];
	if (!matters) return;
	struct needed w = {o, starts};
	uint32_t *class_of = mem_calloc(o->n, sizeof *class_of);
	out->n_states = refine_partition(o->n, describe_needed, &w, class_of);
	uint32_t *next = arena_array(&c->scratch, (size_t)out->n_states * o->n_intervals, sizeof *next);
	out->start = arena_array(arena, out->n_states, sizeof *out->start);
	for (uint32_t v = 0; v < o->n; v++) {
		out->start[class_of[v]] = o->between[v] ? starts[v] : DFA_DEAD;
		for (uint32_t i = 0; i < o->n_intervals; i++) {
			uint32_t to = o->next[(size_t)v * o->n_intervals + i];
			next[(size_t)class_of[v] * o->n_intervals + i] = to == DFA_DEAD ? DFA_DEAD : class_of[to];
		}
	}
	out->next = dense_output(arena, &(struct dense_table){next, out->n_states, o->n_intervals, o->interval_of},
	                         out->class_of, &out->n_classes);
	free(class_of);
}
