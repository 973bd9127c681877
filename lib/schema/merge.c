// Smaller grammars: nonterminals that derive the same in the same way are one.
//
// In:  a finished grammar. Out: the same texts, from one nonterminal of each class, the first.
// Nonterminals are in one class if their productions are the same but for nonterminals of one class: the coarsest
// partition for which this holds, as when DFAs are minimised (Moore 1956). All begin in one class. A nonterminal is
// looked at again when one that its productions name has moved to another class, which is new: so it says what none of
// its class said before. Where a class parts, those stay that were not looked at, or else its largest group.
// Schemas of many alternatives come to the same places by many ways: of the metaschema of 2020-12 19,263 nonterminals
// are 305.
// Cost: productions x how often they are looked at; MERGE_WORK bounds it, then nothing is merged.
#include "../base/intern.h"
#include "../base/map64.h"
#include "../base/sort.h"
#include "../base/work.h"
#include "rules.h"

#define MERGE_WORK 256u  // symbols looked at for each symbol of the grammar, at most

struct merger {
	struct grammar *g;
	uint32_t *first;      // [nonterminals + 1] its productions
	uint32_t *users_of;   // [nonterminals + 1] into users
	uint32_t *users;      // nonterminals whose productions name it
	uint32_t *class_of;   // [nonterminals]
	uint32_t *seen;       // [nonterminals] what its productions say, when it was looked at last: of says
	u32_list size;        // [class] members
	struct intern texts;  // productions, by classes
	struct intern says;   // lists of them
	u32_list text, list;  // scratch
	uint64_t work;
};

static void find_users(struct merger *m)
{
	const struct grammar *g = m->g;
	const uint32_t n = g->n_nonterminals;
	m->first = mem_calloc((size_t)n + 2, sizeof *m->first),
	m->users_of = mem_calloc((size_t)n + 2, sizeof *m->users_of);
	uint64_t symbols = 0;
	for (uint32_t p = 0; p < g->n_productions; p++) {
		const struct production *x = &g->productions[p];
		m->first[x->lhs + 1]++, symbols += x->n_rhs + 1;
		for (uint32_t k = 0; k < x->n_rhs; k++)
			if (x->rhs[k] >= g->n_terminals) m->users_of[x->rhs[k] - g->n_terminals + 2]++;
	}
	for (uint32_t a = 0; a < n; a++) m->first[a + 1] += m->first[a];
	for (uint32_t a = 0; a < n; a++) m->users_of[a + 2] += m->users_of[a + 1];
	m->users = mem_alloc(((size_t)symbols + 1) * sizeof *m->users);
	for (uint32_t p = 0; p < g->n_productions; p++) {
		const struct production *x = &g->productions[p];
		for (uint32_t k = 0; k < x->n_rhs; k++)
			if (x->rhs[k] >= g->n_terminals) m->users[m->users_of[x->rhs[k] - g->n_terminals + 1]++] = x->lhs;
	}
	m->work = MERGE_WORK * symbols;
}

// What a nonterminal's productions say, by classes: a number. False: there was too much work.
static bool look(struct merger *m, uint32_t a)
{
	const struct grammar *g = m->g;
	vec_clear(&m->list);
	for (uint32_t p = m->first[a]; p < m->first[a + 1]; p++) {
		const struct production *x = &g->productions[p];
		if (m->work <= x->n_rhs) return false;
		m->work -= x->n_rhs + 1;
		vec_clear(&m->text);
		for (uint32_t k = 0; k < x->n_rhs; k++) {
			const symbol_id y = x->rhs[k];
			vec_push(&m->text, y < g->n_terminals ? y : g->n_terminals + m->class_of[y - g->n_terminals]);
		}
		vec_push(&m->list, intern_add(&m->texts, m->text.at, m->text.n * sizeof *m->text.at, NULL));
	}
	sort_u32(m->list.at, m->list.n);
	uint32_t n = 0;
	for (uint32_t i = 0; i < m->list.n; i++)
		if (!n || m->list.at[n - 1] != m->list.at[i]) m->list.at[n++] = m->list.at[i];
	m->seen[a] = intern_add(&m->says, m->list.at, n * sizeof *m->list.at, NULL);
	return true;
}

// Members of one class that were looked at and say the same.
struct group {
	uint32_t class, n, to;
};
typedef VEC(struct group) group_list;

// The groups of those that were looked at; group[i]: that of today[i].
static void find_groups(const struct merger *m, const u32_list *today, group_list *groups, u32_list *group)
{
	struct map64 known = {0};
	for (uint32_t i = 0; i < today->n; i++) {
		const uint32_t a = today->at[i];
		const uint64_t key = (uint64_t)m->class_of[a] << 32 | m->seen[a], at = map64_get(&known, key);
		vec_push(group, at == MAP64_NONE ? groups->n : (uint32_t)at);
		if (at == MAP64_NONE) {
			map64_put(&known, key, groups->n);
			vec_push(groups, ((struct group){m->class_of[a], 0, 0}));
		}
		groups->at[group->at[i]].n++;
	}
	map64_release(&known);
}

// Where each group goes: its class, or a new one.
static void place_groups(struct merger *m, group_list *groups)
{
	u32_list looked = {0}, stays = {0};  // [class] members; group + 1
	const uint32_t n_classes = m->size.n;
	for (uint32_t c = 0; c < n_classes; c++) vec_push(&looked, 0), vec_push(&stays, 0);
	for (uint32_t k = 0; k < groups->n; k++) looked.at[groups->at[k].class] += groups->at[k].n;
	for (uint32_t k = 0; k < groups->n; k++) {
		const struct group *x = &groups->at[k];
		uint32_t *best = &stays.at[x->class];
		if (looked.at[x->class] == m->size.at[x->class] && (!*best || x->n > groups->at[*best - 1].n)) *best = k + 1;
	}
	for (uint32_t k = 0; k < groups->n; k++) {
		struct group *x = &groups->at[k];
		if (stays.at[x->class] == k + 1) {
			x->to = x->class;
			continue;
		}
		x->to = m->size.n, m->size.at[x->class] -= x->n;
		vec_push(&m->size, x->n);
	}
	vec_release(&looked), vec_release(&stays);
}

// Who has a production that names one that moved, each once, ascending.
static void find_next(const struct merger *m, const u32_list *moved, u32_list *next)
{
	vec_clear(next);
	for (uint32_t i = 0; i < moved->n; i++)
		for (uint32_t k = m->users_of[moved->at[i]]; k < m->users_of[moved->at[i] + 1]; k++)
			vec_push(next, m->users[k]);
	if (next->n) sort_u32(next->at, next->n);
	uint32_t n = 0;
	for (uint32_t i = 0; i < next->n; i++)
		if (!n || next->at[n - 1] != next->at[i]) next->at[n++] = next->at[i];
	next->n = n;
}

// The classes. False: there was too much work.
static bool find_classes(struct merger *m)
{
	u32_list today = {0}, moved = {0}, group = {0};
	group_list groups = {0};
	bool ok = true;
	for (uint32_t a = 0; a < m->g->n_nonterminals; a++) vec_push(&today, a);
	vec_push(&m->size, today.n);
	while (today.n && ok) {
		for (uint32_t i = 0; i < today.n && ok; i++) ok = look(m, today.at[i]);
		if (!ok) break;
		vec_clear(&groups), vec_clear(&group), vec_clear(&moved);
		find_groups(m, &today, &groups, &group);
		place_groups(m, &groups);
		for (uint32_t i = 0; i < today.n; i++) {
			const uint32_t a = today.at[i], to = groups.at[group.at[i]].to;
			if (m->class_of[a] != to) m->class_of[a] = to, vec_push(&moved, a);
		}
		find_next(m, &moved, &today);
		work_check();
	}
	vec_release(&today), vec_release(&moved), vec_release(&group), vec_release(&groups);
	return ok;
}

// Numbers for classes, as their first nonterminals are ordered; those productions that the first ones have, each once.
static void take_firsts(struct merger *m)
{
	struct grammar *g = m->g;
	const uint32_t n = g->n_nonterminals;
	uint32_t *number = mem_alloc(((size_t)m->size.n + 1) * sizeof *number), n_kept = 0, n_productions = 0;
	memset(number, 0xff, m->size.n * sizeof *number);
	uint8_t *is_first = mem_calloc((size_t)n + 1, 1);
	for (uint32_t a = 0; a < n; a++) {
		if (number[m->class_of[a]] != UINT32_MAX) continue;
		number[m->class_of[a]] = n_kept, is_first[a] = 1;
		g->nonterminals[n_kept++] = g->nonterminals[a];
	}
	for (uint32_t a = 0; a < n; a++) {
		const uint32_t from = n_productions, lhs = number[m->class_of[a]];
		for (uint32_t p = m->first[a]; p < m->first[a + 1] && is_first[a]; p++) {
			struct production x = g->productions[p];
			symbol_id *rhs = arena_array(&g->arena, (size_t)x.n_rhs + 1, sizeof *rhs);
			for (uint32_t k = 0; k < x.n_rhs; k++)
				rhs[k] = x.rhs[k] < g->n_terminals ? x.rhs[k]
				                                   : g->n_terminals + number[m->class_of[x.rhs[k] - g->n_terminals]];
			if (x.n_rhs == 1 && rhs[0] == g->n_terminals + lhs) continue;
			x.lhs = lhs, x.rhs = rhs;
			g->productions[n_productions++] = x;
		}
		n_productions = from + rules_sort_productions(g->productions + from, n_productions - from);
	}
	g->start = number[m->class_of[g->start]];
	g->n_nonterminals = n_kept, g->n_productions = n_productions;
	free(number), free(is_first);
}

void rules_merge(struct grammar *g)
{
	struct merger m = {.g = g};
	find_users(&m);
	m.class_of = mem_calloc((size_t)g->n_nonterminals + 1, sizeof *m.class_of);
	m.seen = mem_calloc((size_t)g->n_nonterminals + 1, sizeof *m.seen);
	if (find_classes(&m)) take_firsts(&m);
	free(m.first), free(m.users_of), free(m.users), free(m.class_of), free(m.seen);
	vec_release(&m.size), vec_release(&m.text), vec_release(&m.list);
	intern_release(&m.texts), intern_release(&m.says);
}
